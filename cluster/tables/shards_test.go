package tables

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// A training table, whose key is k and the row's number, and its rows in the files' forms.

func trainingColumns(d *datasets.Dataset, rows []int) []testColumn {
	key, target := testColumn{name: "key"}, testColumn{name: "target"}
	columns := make([]testColumn, d.P())
	for j, f := range d.Features {
		columns[j].name = f.Name
	}
	for _, i := range rows {
		key.cells = append(key.cells, "k"+strconv.Itoa(i))
		if d.Values != nil {
			target.cells = append(target.cells, d.Values[i])
		} else {
			target.cells = append(target.cells, d.Classes[d.Labels[i]])
		}
		for j := range columns {
			var cell any = d.Columns[j][i]
			switch categories := d.Features[j].Categories; {
			case cell != cell:
				cell = nil
			case categories != nil:
				cell = categories[int(d.Columns[j][i])]
			}
			columns[j].cells = append(columns[j].cells, cell)
		}
	}
	return append(columns, key, target)
}

func csvOfColumns(columns []testColumn) []byte {
	var b bytes.Buffer
	for j, c := range columns {
		fmt.Fprint(&b, strings.Repeat(",", min(j, 1)), c.name)
	}
	for i := range columns[0].cells {
		b.WriteByte('\n')
		for j, c := range columns {
			b.WriteString(strings.Repeat(",", min(j, 1)))
			if c.cells[i] != nil {
				fmt.Fprint(&b, c.cells[i])
			}
		}
	}
	return b.Bytes()
}

// byHand returns the forest that FitShards grows, by its documentation.
func byHand(t *testing.T, d *datasets.Dataset, shards, trees int,
	learner func(trees int, seed uint64) forest.Learner) []byte {
	t.Helper()
	var forests []*forest.Forest
	for s := range shards {
		var keys []string
		rows := map[string]int32{}
		for i := range d.N() {
			key := "k" + strconv.Itoa(i)
			if int(crc32.ChecksumIEEE([]byte(key)))%shards == s {
				keys = append(keys, key)
				rows[key] = int32(i)
			}
		}
		slices.Sort(keys)
		var order []int32
		for _, key := range keys {
			order = append(order, rows[key])
		}
		n := trees*(s+1)/shards - trees*s/shards
		forests = append(forests, fit(t, learner(n, 7+uint64(s)), d.Subset(order)))
	}
	f := must.Value(forest.Union(forests...))
	return encoded(f)
}

func encoded(f *forest.Forest) []byte {
	return must.Value(f.MarshalBinary())
}

// The same forest comes of any cutting into files and any engine: the one that the documentation
// describes.
func TestFitShards(t *testing.T) {
	trunk := sim.Trunk{Features: 4}.Sample(300, 3)
	trunk.Target = "target"
	prices := mixed()
	prices.Target = "target"
	for _, c := range []struct {
		name    string
		data    *datasets.Dataset
		shards  int
		learner func(trees int, seed uint64) forest.Learner
	}{
		{"classes", trunk, 3, func(n int, seed uint64) forest.Learner { return sporf.Learner{Trees: n, Seed: seed} }},
		{"one shard", trunk, 1, func(n int, seed uint64) forest.Learner { return graf.Learner{Trees: n, Seed: seed} }},
		{"values and categories", prices, 2, func(n int, seed uint64) forest.Learner {
			return forest.Pipeline(rf.Learner{Trees: n, Seed: seed}, datasets.OneHot{})
		}},
	} {
		const trees = 8
		want := byHand(t, c.data, c.shards, trees, c.learner)
		rows := make([]int, c.data.N())
		for i := range rows {
			rows[i] = i * 7 % len(rows) // 7 divides no n here
		}
		for k, cut := range [][]int{{0, len(rows)}, {0, 10, 40, 41, len(rows)}} {
			in := t.TempDir()
			for i := range cut[1:] {
				columns := trainingColumns(c.data, rows[cut[i]:cut[i+1]])
				name := filepath.Join(in, strconv.Itoa(i))
				if i%2 == k {
					writeParquet(t, name+".parquet", 7, columns...)
				} else {
					if i > 0 {
						slices.Reverse(columns)
					}
					write(t, name+".csv", csvOfColumns(columns))
				}
			}
			var done, total int
			ctx := forest.WithProgress(t.Context(), func(d, n int) { done, total = d, n })
			f, err := FitShards(ctx, cluster.Local{Workers: 1 + k}, c.learner(trees, 7),
				Table{From: in, Key: "key", Target: "target", Regression: c.data.Values != nil}, c.shards)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if !bytes.Equal(encoded(f), want) {
				t.Errorf("%s, cut %d: another forest", c.name, k)
			}
			if done != trees || total != trees {
				t.Errorf("%s: progress %d of %d", c.name, done, total)
			}
			if _, err := f.OutOfBag(t.Context(), c.data); err == nil ||
				!strings.Contains(err.Error(), "no row is known to be out of bag") {
				t.Errorf("%s: out of bag: error %v", c.name, err)
			}
		}
	}
}

// Rows with the same key are ordered by their cells, so they may be in any files.
func TestRowsOfTheSameKey(t *testing.T) {
	lines := []string{"a,1,x", "a,2,y", "a,2,x", "b,3,x", "b,1,y", "", ""}
	var forests [2][]byte
	for k := range forests {
		in := t.TempDir()
		write(t, filepath.Join(in, "1.csv"), []byte("key,x,target\n"+strings.Join(lines[:3], "\n")))
		write(t, filepath.Join(in, "2.csv"), []byte("key,x,target\n"+strings.Join(lines[3:], "\n")))
		slices.Reverse(lines)
		f := must.Value(FitShards(t.Context(), cluster.Local{Workers: 1}, rf.Learner{Trees: 5},
			Table{From: in, Key: "key", Target: "target"}, 1))
		forests[k] = encoded(f)
	}
	if !bytes.Equal(forests[0], forests[1]) {
		t.Error("another forest")
	}
}

func TestFitShardsRefuses(t *testing.T) {
	good := "key,x,c,target\na,1,u,A\nb,2,v,B\nc,3,u,A\nd,4,v,B\n"
	l := rf.Learner{Trees: 4}
	oneHot := forest.Pipeline(l, datasets.OneHot{})
	table := Table{Key: "key", Target: "target"}
	regression := Table{Key: "key", Target: "target", Regression: true}
	for _, c := range []struct {
		name    string
		files   map[string]string
		learner forest.Learner
		table   Table
		shards  int
		want    string
	}{
		{"trees that depend", map[string]string{"a.csv": strings.ReplaceAll(strings.ReplaceAll(good, ",u", ",1"), ",v",
			",2")}, rf.HRF{Trees: 4}, table, 1, "depends on those before it"},
		{"no trees", nil, rf.Learner{}, table, 1, "1 shards for 0 trees; set Trees"},
		{"few trees", nil, l, table, 5, "5 shards for 4 trees"},
		{"no shards", nil, l, table, 0, "0 shards"},
		{"unknown learner", nil, rf.Bagging{Trees: 3}, table, 1,
			"workers don't know the learner github.com/obliqua-ml/obliqua/forest/rf.Bagging"},
		{"no key", map[string]string{"a.csv": good}, oneHot, Table{Key: "id", Target: "target"}, 1,
			`a.csv: the columns don't match: no column "id"`},
		{"drop", map[string]string{"a.csv": good}, oneHot, Table{Key: "key", Target: "target", Drop: []string{"y"}}, 1,
			`no column "y"`},
		{"no features", map[string]string{"a.csv": good}, oneHot,
			Table{Key: "key", Target: "target", Drop: []string{"x", "c"}}, 1, "no column is left"},
		{"more columns", map[string]string{"a.csv": good, "b.csv": "key,x,c,target,y\n"}, oneHot, table, 1,
			"a.csv has 2 feature columns"},
		{"other columns", map[string]string{"a.csv": good, "b.csv": "key,y,c,target\n"}, oneHot, table, 1,
			`b.csv has no column "x"`},
		{"kinds", map[string]string{"a.csv": good, "b.csv": "key,x,c,target\ne,r,u,A\n"}, oneHot, table, 1,
			`column "x" is numbers in`},
		{"kinds of three", map[string]string{"a.csv": "key,x,c,target\na,,u,A\n", "b.csv": good,
			"d.csv": "key,x,c,target\ne,r,u,A\n"}, oneHot, table, 1, "b.csv, but text in"},
		{"stray text", map[string]string{"a.csv": good + strings.Repeat("e,5,u,A\n", 9) + "e,r,u,A\n"}, oneHot, table, 1,
			`a.csv: line 15, column "x": "r" is not a number, as 13 of its cells are`},
		{"missing key", map[string]string{"a.csv": good + ",5,u,A\n"}, oneHot, table, 1,
			`a.csv: line 6, column "key": the key is missing`},
		{"missing target", map[string]string{"a.csv": good + "e,5,u,NA\n"}, oneHot, table, 1,
			`a.csv: line 6, column "target": the target is missing`},
		{"target of text", map[string]string{"a.csv": good}, oneHot, regression, 1,
			`a.csv: line 2, target: "A" is not a number`},
		{"ragged", map[string]string{"a.csv": good + "e,5\n"}, oneHot, table, 1,
			"a.csv: line 6, 2 cells, the first line has 4"},
		{"a cell", map[string]string{"a.csv": good + "e,1e99,u,A\n"}, oneHot,
			Table{Key: "key", Target: "target", Categorical: []string{"x"}}, 1, ""},
		{"empty shard", map[string]string{"a.csv": good}, oneHot, table, 4, "shard 0 of 4 has"},
		{"one class", map[string]string{"a.csv": strings.ReplaceAll(good, "B", "A")}, oneHot, table, 1,
			`all 4 rows of shard 0 of 1 are of class "A"`},
		{"no rows", map[string]string{"a.csv": "key,x,c,target\n"}, oneHot, table, 1, "shard 0 of 1 has 0 rows"},
		{"not encoded", map[string]string{"a.csv": good}, l, table, 1, ""},
		{"steps", map[string]string{"a.csv": "key,x,target\n" + lettered(40)}, forest.Pipeline(l, datasets.Standardise{}),
			table, 2, "learned different things"},
		{"latin", map[string]string{"a.csv": good + "e,5,\xe9,A\n"}, oneHot, table, 1, "is not UTF-8"},
		{"latin target", map[string]string{"a.csv": good + "e,5,u,\xe9\n"}, oneHot, table, 1, "is not UTF-8"},
	} {
		in := t.TempDir()
		for name, text := range c.files {
			write(t, filepath.Join(in, name), []byte(text))
		}
		c.table.From = in
		_, err := FitShards(t.Context(), cluster.Local{Workers: 1}, c.learner, c.table, c.shards)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func lettered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d,%d,%c\n", i, i*i, 'A'+i%2)
	}
	return b.String()
}

// Categories that look like numbers before the first text are categories, too.
func TestCategoriesThatLookLikeNumbers(t *testing.T) {
	in := filepath.Join(t.TempDir(), "a.csv")
	write(t, in, []byte("key,x,target\na,10,A\nb,9,B\nc,x,A\nd,10,B\n"))
	f := must.Value(FitShards(t.Context(), cluster.Local{Workers: 1}, forest.Pipeline(rf.Learner{Trees: 1},
		datasets.OneHot{}),
		Table{From: in, Key: "key", Target: "target"}, 1))
	if got, want := f.Schema().Features[0].Categories, []string{"10", "9", "x"}; !slices.Equal(got, want) {
		t.Errorf("categories %q, want %q", got, want)
	}
}
