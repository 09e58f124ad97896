package yourdata

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
)

// write writes a file in a folder of its own and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// rows repeats a row n times; # in it becomes the number of the row, from 1.
func rows(header, row string, n int) string {
	text := header + "\n"
	for i := range n {
		number := string(rune('a'+i/26)) + string(rune('a'+i%26))
		text += strings.ReplaceAll(strings.ReplaceAll(row, "#", digits(i+1)), "@", number) + "\n"
	}
	return text
}

func digits(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return digits(i/10) + string(rune('0'+i%10))
}

func TestReadLeavesOut(t *testing.T) {
	text := rows("id,name,same,none,back,size,kind,y", "#,@,1,,-#,7,red,yes", 30)
	text = strings.Replace(text, "7,red,yes", "8,blue,no", 5)
	text = strings.Replace(text, "7,red,yes", "9,,", 2)
	table, err := Read(t.Context(), write(t, "t.csv", text), datasets.CSV{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Data.FeatureNames(); !slices.Equal(got, []string{"size", "kind"}) {
		t.Errorf("columns %v", got)
	}
	if table.Data.N() != 28 || !slices.Equal(table.Data.Classes, []string{"no", "yes"}) ||
		!slices.Equal(table.Data.ClassCounts(), []int{5, 23}) {
		t.Errorf("%d rows, classes %v %v", table.Data.N(), table.Data.Classes, table.Data.ClassCounts())
	}
	want := map[string]string{
		"name": "a text of its own in most rows",
		"same": "constant",
		"none": "empty",
		"id":   "counts the rows",
		"back": "counts the rows",
		"size": "",
		"kind": "",
	}
	for _, c := range table.columns {
		if left, ok := want[c.name]; ok && left != c.leftOut {
			t.Errorf("%s is left out: %q, want %q", c.name, c.leftOut, left)
		}
	}
	text = table.String()
	for _, part := range []string{"28 rows; y is predicted from 2 of 7 columns", "2 of 30 rows have no target",
		"y has 2 classes: yes 82.1 %, no 17.9 %",
		"errs on 17.9 %", "fewer than ten rows, which can hardly be learned: no (5)", "left out: constant"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// Row numbers are consecutive, each once, in any order.
func TestRowNumbers(t *testing.T) {
	count := func(first float32, n int) []float32 {
		cells := make([]float32, n)
		for i := range cells {
			cells[(i*7)%n] = first + float32(i) // 7 is prime to all n below
		}
		return cells
	}
	gap, twice := count(1, 30), count(1, 30)
	gap[3], twice[3] = 40, twice[4]
	for k, test := range []struct {
		cells []float32
		want  bool
	}{{count(1, 30), true}, {count(-9, 25), true}, {count(1, 20), false}, {count(0.5, 30), false}, {gap, false},
		{twice, false}} {
		if got := countsRows(test.cells); got != test.want {
			t.Errorf("case %d, %v: %v", k, test.cells, got)
		}
	}
}

// A repeated row has the same cells and the same target, in either kind of table.
func TestRepeatedRows(t *testing.T) {
	for _, regression := range []bool{false, true} {
		table, err := Read(
			t.Context(),
			write(t, "t.csv", "a,b,y\n1,u,1\n2,u,2\n1,v,1\n1,u,1\n,u,1\n,u,1\n1,u,1\n"),
			datasets.CSV{Target: "y", Regression: regression},
		)
		if err != nil {
			t.Fatal(err)
		}
		if n := repeated(table.Data); n != 3 || !strings.Contains(table.String(), "3 rows repeat an earlier one") {
			t.Errorf("regression %v: %d repeated rows", regression, n)
		}
	}
}

func TestReadTargetKinds(t *testing.T) {
	for _, test := range []struct {
		name, target string
		regression   bool
		want         bool // whether values
	}{
		{"texts", "a,b,a,b,a,b,a,b,a,b,a,b", false, false},
		{"few whole numbers", "0,1,0,1,0,1,0,1,0,1,0,1", false, false},
		{"forced", "0,1,0,1,0,1,0,1,0,1,0,1", true, true},
		{"fractions", "0.5,1,0,1,0,1,0,1,0,1,0,1", false, true},
		{"many", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21", false, true},
	} {
		text := "x,y\n"
		for i, y := range strings.Split(test.target, ",") {
			text += digits(i*i%7) + "," + y + "\n"
		}
		table, err := Read(t.Context(), write(t, "t.csv", text), datasets.CSV{Target: "y", Regression: test.regression})
		if err != nil {
			t.Fatal(err)
		}
		if (table.Data.Values != nil) != test.want || (table.Data.Labels != nil) == test.want {
			t.Errorf("%s: %+v", test.name, table.Data)
		}
		if test.want != strings.Contains(table.String(), "this is regression") {
			t.Errorf("%s: %s", test.name, table)
		}
	}
}

func TestReadSeparators(t *testing.T) {
	for _, separator := range []string{",", ";", "\t", "|"} {
		text := strings.ReplaceAll("\"a,b;c\"_d_y\n1_2_p\n2_2_q\n3_4_p\n", "_", separator)
		table, err := Read(t.Context(), write(t, "t.csv", text), datasets.CSV{Target: "y"})
		if err != nil || table.Data.P() != 2 || table.Data.Features[0].Name != "a,b;c" {
			t.Errorf("%q: %v, %v", separator, table, err)
		}
	}
	path := write(t, "t.csv.gz", "")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	z.Write([]byte("a;y\n1;p\n2;q\n"))
	z.Close()
	f.Close()
	if table, err := Read(t.Context(), path, datasets.CSV{}); err != nil || table.Data.P() != 1 ||
		table.Data.Target != "y" ||
		len(table.notes) != 3 {
		t.Errorf("gzipped, without a target: %v, %v", table, err)
	}
}

func TestReadErrors(t *testing.T) {
	path := write(t, "sales.csv", "a,b,price\n1,2,3.5\n2,3,4.5\n")
	folder := filepath.Dir(path)
	for _, test := range []struct {
		path, target, want string
	}{
		{filepath.Join(folder, "sale.csv"), "price", "there is no file " + folder + "/sale.csv; the folder " +
			"" + folder + " has sales.csv"},
		{filepath.Join(folder, "none", "sale.csv"), "price", "there is no folder " + folder + "/none either"},
		{path, "prise", `target: no column "prise"; the nearest are "price"`},
		{write(t, "one.csv", "a;b\n1;x\n1;y\n"), "b", "no column is left to predict from"},
		{write(t, "only.csv", "a\nx\ny\n"), "a", "only column"},
	} {
		_, err := Read(t.Context(), test.path, datasets.CSV{Target: test.target})
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.HasPrefix(err.Error(), "yourdata: ") && !strings.HasPrefix(err.Error(), "datasets: ") {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// Of many columns the description lists those that are worth a look first.
func TestManyColumns(t *testing.T) {
	header, row := "", ""
	for j := range 200 {
		header, row = header+"c"+digits(j)+",", row+digits(j)+","
	}
	text := rows(header+"y", row+"p", 3)
	text = strings.Replace(text, "\n0,1,2,", "\n1,2,3,", 1)
	text = strings.Replace(text, ",198,199,p", ",7,8,p", 1)
	text = strings.Replace(text, ",198,199,p", ",198,,q", 1)
	table, err := Read(t.Context(), write(t, "t.csv", text), datasets.CSV{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	if table.Data.P() != 5 || !strings.Contains(table.String(), "… and 160 more columns.") ||
		strings.Count(table.String(), "left out: constant") != listed {
		t.Errorf("%v\n%s", table.Data.FeatureNames(), table)
	}
}

// Whatever the file holds, Read returns a table that learners can be given, or an error.
func TestReadAnything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	rapid.Check(t, func(r *rapid.T) {
		cell := rapid.SampledFrom([]string{"", "1", "2", "2.5", "x", "y", "?", "-1e3", "\"a,b\"", "long text of a cell", "é"})
		width := rapid.IntRange(1, 5).Draw(r, "width")
		text := strings.Join([]string{"a", "b", "c", "d", "e"}[:width], ",") + "\n"
		for range rapid.IntRange(0, 30).Draw(r, "rows") {
			text += strings.Join(rapid.SliceOfN(cell, width, width).Draw(r, "row"), ",") + "\n"
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			r.Fatal(err)
		}
		table, err := Read(
			t.Context(),
			path,
			datasets.CSV{Target: rapid.SampledFrom([]string{"", "a", "b", "#1", "none"}).Draw(r, "target")},
		)
		if err != nil {
			return
		}
		if err := table.Data.Check(); err != nil || table.Data.N() == 0 ||
			(table.Data.Labels == nil) == (table.Data.Values == nil) {
			r.Fatalf("%v, %+v", err, table.Data)
		}
		left := 0
		for _, c := range table.columns {
			if c.leftOut == "" {
				left++
			}
		}
		if left != table.Data.P() || len(table.String()) == 0 {
			r.Fatalf("%d columns described, %d kept", left, table.Data.P())
		}
		prepared, _, err := datasets.Prepare{}.Fit(t.Context(), table.Data)
		if err != nil {
			if one := table.Data.Labels != nil && len(table.Data.Classes) < 2; !one {
				r.Fatal(err)
			}
			return // with one class, texts can't be encoded by it
		}
		if out, err := prepared.Apply(t.Context(), table.Data); err != nil || out.CheckFinite() != nil {
			r.Fatalf("%v, %v", err, out.CheckFinite())
		}
	})
}

// Names from a file are printed without control characters.
func TestNamesArePrintedWithoutControlCharacters(t *testing.T) {
	table, err := Read(t.Context(), write(t, "t.csv", "a\x1b[2J,\x1b]0;y\n1,u\x9b\n2,v\n3,v\n"), datasets.CSV{})
	if err != nil {
		t.Fatal(err)
	}
	text := table.String()
	for _, want := range []string{`a\x1b[2J  numbers`, `\x1b]0;y has 2 classes`, `u\x9b 33.3 %`,
		`; \x1b]0;y is predicted`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%q", want, text)
		}
	}
}

// The column of groups is no feature, and the rows that are left keep their groups.
func TestGroups(t *testing.T) {
	path := write(t, "t.csv", "patient,a,b,y\nx,1,5,u\ny,2,6,\nz,3,5,v\nx,4,7,u\n")
	table, err := Read(t.Context(), path, datasets.CSV{Target: "y", Group: "patient"})
	if err != nil {
		t.Fatal(err)
	}
	if d := table.Data; !slices.Equal(d.Groups, []int32{0, 2, 0}) || !slices.Equal(d.FeatureNames(), []string{"a", "b"}) {
		t.Errorf("groups %v, features %q", d.Groups, d.FeatureNames())
	}
}
