package guess

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

// write writes a file in a folder of its own and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(os.WriteFile(path, []byte(text), 0o644))
	return path
}

// rows repeats a row n times; # in it becomes the number of the row, from 1.
func rows(header, row string, n int) string {
	text := header + "\n"
	for i := range n {
		number := string(rune('a'+i/26)) + string(rune('a'+i%26))
		text += strings.ReplaceAll(strings.ReplaceAll(row, "#", strconv.Itoa(i+1)), "@", number) + "\n"
	}
	return text
}

// read reads a file with this text.
func read(t *testing.T, text string, o datasets.CSV) *datasets.Dataset {
	t.Helper()
	return must.Value(Read(t.Context(), write(t, "t.csv", text), o))
}

// notes reports an error for each part that the notes of a table lack.
func notes(t *testing.T, table *datasets.Dataset, parts ...string) {
	t.Helper()
	text := strings.Join(table.Notes, "\n")
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

func TestReadLeavesOut(t *testing.T) {
	text := rows("id,name,same,none,back,size,kind,y", "#,@,1,,-#,7,red,yes", 30)
	text = strings.Replace(text, "7,red,yes", "8,blue,no", 5)
	text = strings.Replace(text, "7,red,yes", "9,,", 2)
	table := read(t, text, datasets.CSV{Target: "y"})
	if got := table.FeatureNames(); !slices.Equal(got, []string{"size", "kind"}) {
		t.Errorf("columns %v", got)
	}
	if table.N() != 28 || !slices.Equal(table.Classes, []string{"no", "yes"}) ||
		!slices.Equal(table.ClassCounts(), []int{5, 23}) {
		t.Errorf("%d rows, classes %v %v", table.N(), table.Classes, table.ClassCounts())
	}
	notes(t, table, `Left out: Columns "same", "none" have one value only`, "2 of 30 rows have no target",
		`Left out: Column "name" has a category for nearly every row`, `Left out: Columns "id", "back" count the rows`)
}

// A repeated row has the same cells and the same target, in either kind of table.
func TestRepeatedRows(t *testing.T) {
	for _, regression := range []bool{false, true} {
		table := read(t, "a,b,y\n1,u,1\n2,u,2\n1,v,1\n1,u,1\n,u,1\n,u,1\n1,u,1\n",
			datasets.CSV{Target: "y", Regression: regression})
		if n := repeated(table); n != 3 {
			t.Errorf("regression %v: %d repeated rows", regression, n)
		}
		notes(t, table, "3 rows repeat an earlier one")
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
			text += strconv.Itoa(i*i%7) + "," + y + "\n"
		}
		table := read(t, text, datasets.CSV{Target: "y", Regression: test.regression})
		if (table.Values != nil) != test.want || (table.Labels != nil) == test.want {
			t.Errorf("%s: %+v", test.name, table)
		}
	}
}

func TestReadWithoutATarget(t *testing.T) {
	table := read(t, "a;y\n1;p\n2;q\n", datasets.CSV{})
	if table.P() != 1 || table.Target != "y" {
		t.Errorf("%v", table)
	}
	notes(t, table, "Columns are separated by ';'.", `No target was named; it is the last column, "y".`)
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
		readtest.WantError(t, err, "guess: ", test.want)
	}
}

// Of many columns that are left out the first are named.
func TestManyColumns(t *testing.T) {
	header, row := "", ""
	for j := range 200 {
		header, row = header+"c"+strconv.Itoa(j)+",", row+strconv.Itoa(j)+","
	}
	text := strings.Replace(rows(header+"y", row+"p", 3), "\n0,1,2,", "\n1,2,3,", 1)
	text = strings.Replace(text, ",198,199,p", ",7,8,q", 1)
	table := read(t, text, datasets.CSV{Target: "y"})
	if table.P() != 5 {
		t.Errorf("%v", table.FeatureNames())
	}
	notes(t, table, " and 190 more have one value only")
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
		must.Do(os.WriteFile(path, []byte(text), 0o644))
		table, err := Read(t.Context(), path,
			datasets.CSV{Target: rapid.SampledFrom([]string{"", "a", "b", "#1", "none"}).Draw(r, "target")})
		if err != nil {
			return
		}
		if err := table.Check(); err != nil || table.N() == 0 ||
			(table.Labels == nil) == (table.Values == nil) {
			r.Fatalf("%v, %+v", err, table)
		}
		prepared, _, err := datasets.Prepare{}.Fit(t.Context(), table)
		if err != nil {
			if one := table.Labels != nil && len(table.Classes) < 2; !one {
				r.Fatal(err)
			}
			return // with one class, texts can't be encoded by it
		}
		if out, err := prepared.Apply(t.Context(), table); err != nil || out.CheckFinite() != nil {
			r.Fatalf("%v, %v", err, out.CheckFinite())
		}
	})
}

// The column of groups is no feature, and the rows that are left keep their groups.
func TestGroups(t *testing.T) {
	path := write(t, "t.csv", "patient,a,b,y\nx,1,5,u\ny,2,6,\nz,3,5,v\nx,4,7,u\n")
	table := must.Value(Read(t.Context(), path, datasets.CSV{Target: "y", Group: "patient"}))
	if d := table; !slices.Equal(d.Groups, []int32{0, 2, 0}) || !slices.Equal(d.FeatureNames(), []string{"a", "b"}) {
		t.Errorf("groups %v, features %q", d.Groups, d.FeatureNames())
	}
}

// A number names a column of the file, as in datasets.ReadCSV, whatever columns are left out, and a measured target is
// a value whether it is called by its name or by its number.
func TestTargetByNumber(t *testing.T) {
	text := rows(",a,b,y,z", "#,1.5,2,#.5,7", 15)
	for _, o := range []datasets.CSV{{}, {Drop: []string{"a"}}, {Group: "b"}, {Drop: []string{"#2"}, Group: "#3"}} {
		o.Target = "#4"
		path := write(t, "t.csv", strings.Replace(text, ",7", ",8", 5))
		want := must.Value(datasets.ReadCSV(t.Context(), path, o))
		got, err := Read(t.Context(), path, o)
		if err != nil || got.Target != want.Target || got.Values == nil {
			t.Errorf("%+v: %v with values %v (%v); want %q", o, got, got != nil && got.Values != nil, err, want.Target)
		}
	}
}

// Numbers with a fraction are values also where their cells are relative to an offset and whole.
func TestMeasuredFarFromZero(t *testing.T) {
	d := read(t, rows("a,y", "#,1000000#.5", 9)+"1,10000009.5\n", datasets.CSV{})
	if len(d.Values) != 10 || d.Values[0] != 10000001.5 {
		t.Errorf("%v, classes %q, values %v", d, d.Classes, d.Values)
	}
}

// What may be a mistake in the target is said.
func TestNotesOnTargets(t *testing.T) {
	for _, test := range []struct{ target, want string }{
		{"0,1", ""},
		{"0,2,1", `"y" has 3 different whole numbers, which are taken for classes. If they are amounts, such as counts, ` +
			`set Regression: true.`},
		{"a,n/a,b", `Column "y" has classes called "n/a"; if these stand for a missing target, list them in Missing.`},
		{"+,-", ""},
		{"True,x,TRUE", `Column "y" has "TRUE" and "True", which are read as one class.`},
	} {
		text := "x,y\n"
		for i := range 12 {
			ys := strings.Split(test.target, ",")
			text += strconv.Itoa(i*i%7) + "," + ys[i%len(ys)] + "\n"
		}
		got := slices.DeleteFunc(read(t, text, datasets.CSV{Target: "y"}).Notes,
			func(s string) bool { return strings.Contains(s, "repeat") })
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%s: %q; want %q", test.target, got, test.want)
		}
	}
	// A column that is left out says nothing of the target.
	text := rows("x,z,y", "#,7,#.5", 40) + "1,7,-999\n2,7,-999\n"
	d := read(t, text, datasets.CSV{Target: "y"})
	if len(d.Notes) != 1 || !strings.HasPrefix(d.Notes[0], "Left out: Col") {
		t.Errorf("%q", d.Notes)
	}
}
