package datasets

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/bounded"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

const weatherARFF = `% a comment
@RELATION 'the weather'

@attribute outlook {sunny, overcast, 'rainy day'}
@ATTRIBUTE 'dry bulb' Real
@attribute	note	string
@attribute windy{TRUE,FALSE}
@attribute play {yes, no}
@data
sunny, 85, 'isn\'t', FALSE, no
% another
overcast,83.5,"a, b",TRUE,yes
'rainy day' , ? , ?, ?,yes
`

func TestARFFRead(t *testing.T) {
	d := must.Value(ARFF{Drop: []string{"note"}}.Read(t.Context(), strings.NewReader(weatherARFF), "weather"))
	wantData(t, d, `"play" of ["yes" "no"]: [1 0 0] []
"outlook" of ["sunny" "overcast" "rainy day"]: [0 1 2]
"dry bulb": [85 83.5 NaN]
"windy" of ["TRUE" "FALSE"]: [1 0 NaN]
`)
}

func TestARFFSparse(t *testing.T) {
	const header = "@relation r\n@attribute a numeric\n@attribute b {u,v,'w w'}\n" +
		"@attribute c numeric\n@attribute y numeric\n@data\n"
	dense := must.Value(ARFF{}.Read(t.Context(), strings.NewReader(header+"1,u,0,2\n0,'w w',?,0\n0,u,0,0\n0,v,0,-1.5\n"),
		"f"))
	sparse := must.Value(ARFF{}.Read(t.Context(),
		strings.NewReader(header+"{0 1, 3 2}\n{ 1 'w w' ,2 ?}\n{}\n{1 v,\t3 -1.5 }\n"),
		"f"))
	equalData(t, sparse, dense)
	if !slices.Equal(dense.Values, []float64{2, 0, 0, -1.5}) {
		t.Errorf("values %v", dense.Values)
	}
}

func TestARFFErrors(t *testing.T) {
	const header = "@relation r\n@attribute a numeric\n@attribute b {u,v}\n@attribute y {p,q}\n@data\n"
	check := func(o ARFF, text, want string) {
		t.Helper()
		_, err := o.Read(t.Context(), strings.NewReader(text), "f")
		readtest.WantError(t, err, "datasets: "+want)
	}
	for text, want := range map[string]string{
		"":                                    "f: the file is empty",
		"@relation r\n@attribute a numeric\n": "f: there is no @data",
		header + "% none\n":                   "f: there is a header but no rows",
		"1,2,3\n":                             `f:1: "1,2,3"; want @relation, @attribute or @data`,
		"@attribute a string\n@attribute y numeric\n@data\n":      `f:3: attribute "a" is of type "string"; only numeric and`,
		"@attribute a date 'yyyy'\n@attribute y numeric\n@data\n": `f:3: attribute "a" is of type "date"`,
		"@attribute a {u,v\n":                    `f:1: attribute "a": its list of categories is not closed by }`,
		"@attribute a {u,u}\n":                   `f:1: attribute "a": category "u" is listed twice`,
		"@attribute 'a {u,u}\n":                  `f:1: a quote is opened and never closed`,
		"@attribute a real\n@attribute a real\n": `f:2: two attributes are called "a"`,
		"@attribute a real\n@data\n1\n":          `f:2: no column is left as a feature, of 1`,
		"@data\n1\n":                             `f:1: no column is left as a feature, of 0`,
		header + "1,u\n":                         "f:6: 2 fields; want 3",
		header + "1,u,p,q\n":                     "f:6: more than 3 fields",
		header + "\n1e39,u,p\n":                  `f:7: column "a": "1e39" is not a finite number`,
		header + "x,u,p\n":                       `f:6: column "a": "x" is not a finite number`,
		header + "1,w,p\n":                       `f:6: column "b": "w" is not one of its 2 categories`,
		header + "1,u,?\n":                       `f:6: column "y": the target is missing`,
		header + "1,'?',p\n":                     `f:6: column "b": "?" is not one of its 2 categories`,
		header + "1,'u,p\n":                      `f:6: a quote is opened and never closed`,
		header + "1,'u'v,p\n":                    `f:6: text after the closing quote of "u"`,
		header + "{0 1,0 2}\n":                   `f:6: index "0"; want one above the last, from 0 to 2`,
		header + "{3 1}\n":                       `f:6: index "3"; want one above the last, from 0 to 2`,
		header + "{a 1}\n":                       `f:6: index "a"; want`,
		header + "{0 1\n":                        `f:6: the row is not closed by }`,
		header + "{0}\n":                         `f:6: column "a": "" is not a finite number`,
		header + "{0 1} x\n":                     `f:6: text after }: " x"`,
	} {
		check(ARFF{}, text, want)
	}
	check(ARFF{Target: "z"}, header, `f:5: target: no column "z"; the nearest are`)
	check(ARFF{Drop: []string{"z"}}, header, `f:5: no column "z"; the nearest are`)
	check(ARFF{Drop: []string{"y"}}, header, `f:5: column "y" is the target and cannot also be dropped`)
}

// A set that exists in both formats is the same in both, except for the order of
// its categories.
func TestARFFAgainstCSV(t *testing.T) {
	dir := readtest.DataDir(t)
	for _, name := range []string{"autos", "auto_mpg", "computer_hardware"} {
		want := must.Value(ReadCSV(t.Context(), filepath.Join(dir, "csv", name+".csv.gz"), CSV{NoTarget: true}))
		paths, err := filepath.Glob(filepath.Join(dir, "raw", name, "*.arff.gz"))
		if err != nil || len(paths) != 1 {
			t.Fatalf("%s: files %q, %v", name, paths, err)
		}
		got := must.Value(ReadARFF(t.Context(), paths[0], ARFF{NoTarget: true}))
		if got.N() != want.N() || got.P() != want.P() {
			t.Fatalf("%s: %d × %d; want %d × %d", name, got.N(), got.P(), want.N(), want.P())
		}
		for j, f := range got.Features {
			for i := range got.N() {
				a, b := cellText(got, i, j), cellText(want, i, j)
				if a != b && "v"+a != b {
					t.Fatalf("%s: row %d, column %q is %s; want %s", name, i, f.Name, a, b)
				}
			}
		}
	}
}

func cellText(d *Dataset, i, j int) string {
	v := d.At(i, j)
	if c := d.Features[j].Categories; c != nil && v == v {
		return c[int(v)]
	}
	return fmt.Sprint(v)
}

func TestFromMatrix(t *testing.T) {
	rows := [][]float64{{1, 2}, {3, 0.1}, {math.NaN(), -5}}
	const cells = "\"x1\": [1 3 NaN]\n\"x2\": [2 0.1 -5]\n"
	labels := []string{"b", "a", "b"}
	for _, d := range []*Dataset{
		must.Value(FromRows(rows, labels)),
		must.Value(FromMatrix(mat.NewDense(3, 2, slices.Concat(rows...)), labels)),
		must.Value(FromMatrix(mat.NewDense(2, 3, []float64{1, 3, math.NaN(), 2, 0.1, -5}).T(), labels)),
	} {
		wantData(t, d, "\"y\" of [\"a\" \"b\"]: [1 0 1] []\n"+cells)
	}
	numbers := "\"y\" of [\"-1\" \"9\" \"10\"]: [2 0 1] []\n" + cells
	wantData(t, must.Value(FromRows(rows, []int{10, -1, 9})), numbers)
	wantData(t, must.Value(FromRows(rows, []int32{10, -1, 9})), numbers)
	wantData(t, must.Value(FromRows(rows, []float64{1, 2, 3})), "\"y\" of []: [] [1 2 3]\n"+cells)
	wantData(t, must.Value(FromRows[int](rows, nil)), "\"\" of []: [] []\n"+cells)
}

func TestFromRowsErrors(t *testing.T) {
	for _, test := range []struct {
		rows [][]float64
		y    []float64
		want string
	}{
		{nil, nil, "datasets: no rows"},
		{[][]float64{{}}, nil, "datasets: 1 rows of 0 cells; want at least one of each"},
		{[][]float64{{1}, {1, 2}}, nil, "datasets: row 1 has 2 cells; row 0 has 1"},
		{[][]float64{{1}, {2}}, []float64{1}, "datasets: 1 labels for 2 rows"},
		{[][]float64{{1, 2}, {3, math.Inf(-1)}}, nil,
			`datasets: row 1, column "x2" is -Inf; want a finite number`},
		{[][]float64{{1}, {2}}, []float64{1, math.NaN()}, "datasets: data set: row 1 has target NaN; want a finite number"},
	} {
		_, err := FromRows(test.rows, test.y)
		readtest.WantError(t, err, test.want)
	}
}

// Numbers written as ARFF and CSV are read as FromRows takes them.
func TestFormatsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := rapid.IntRange(1, 8).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "p")
		cell := rapid.OneOf(rapid.Just(0.0), rapid.Map(rapid.Float32(), func(v float32) float64 { return float64(v) }))
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, p, p), n, n).Draw(t, "rows")
		y := rapid.SliceOfN(rapid.IntRange(-2, 11), n, n).Draw(t, "y")
		want := must.Value(FromRows(rows, y))
		var csv, arff, sparse strings.Builder
		for j := range p {
			fmt.Fprintf(&csv, "x%d,", j+1)
			fmt.Fprintf(&arff, "@attribute x%d numeric\n", j+1)
		}
		csv.WriteString("y\n")
		fmt.Fprintf(&arff, "@attribute y {'%s'}\n@data\n", strings.Join(want.Classes, "','"))
		sparse.WriteString(arff.String())
		for i, row := range rows {
			sparse.WriteString("{")
			for j, v := range row {
				fmt.Fprintf(&csv, "%g,", v)
				fmt.Fprintf(&arff, "%g,", v)
				if v != 0 || math.Signbit(v) || j == p-1 {
					fmt.Fprintf(&sparse, "%d %g, ", j, v)
				}
			}
			fmt.Fprintf(&csv, "%d\n", y[i])
			fmt.Fprintf(&arff, "%d\n", y[i])
			fmt.Fprintf(&sparse, "%d %d}\n", p, y[i])
		}
		length := rapid.IntRange(1, 100).Draw(t, "block")
		for _, read := range []func() (*Dataset, error){
			func() (*Dataset, error) { return CSV{}.read(t.Context(), strings.NewReader(csv.String()), "f", length) },
			func() (*Dataset, error) { return ARFF{}.Read(t.Context(), strings.NewReader(arff.String()), "f") },
			func() (*Dataset, error) { return ARFF{}.Read(t.Context(), strings.NewReader(sparse.String()), "f") },
		} {
			got := must.Value(read())
			equalData(t, got, want)
		}
	})
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		file, text string
		read       func(path string) (*Dataset, error)
	}{
		{"a.csv", "a,y\n1,p\n", func(path string) (*Dataset, error) { return ReadCSV(t.Context(), path, CSV{}) }},
		{"a.b.arff", "@attribute a real\n@attribute y real\n@data\n1,2\n",
			func(path string) (*Dataset, error) { return ReadARFF(t.Context(), path, ARFF{}) }},
	} {
		path := filepath.Join(dir, test.file)
		_, err := test.read(path)
		readtest.WantError(t, err, path)
		must.Do(os.WriteFile(path, []byte(test.text), 0o644))
		d := must.Value(test.read(path))
		if d.Name != "a" {
			t.Errorf("%s: name %q", test.file, d.Name)
		}
	}
}

func FuzzARFF(f *testing.F) {
	f.Add(weatherARFF)
	f.Add("@attribute a real\n@attribute y {p,'q q'}\n@data\n{0 1,1 'q q'}\n{}\n1,?\n")
	f.Add(string(readtest.Gzipped(f, []byte(weatherARFF))))
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []ARFF{{Drop: []string{"note"}, Limits: fuzzLimits}, {Limits: fuzzLimits}} {
			bounded.Read(t, len(text), func() {
				if d, err := o.Read(t.Context(), strings.NewReader(text), "f"); err == nil && d.Check() != nil {
					t.Fatal(d.Check())
				}
			})
		}
	})
}

// Folds read from any file are valid folds of the rows.
// A line with more bytes than the numbers of all rows can take is an error before it is all in memory.
func TestLongLineOfFolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folds")
	must.Do(os.WriteFile(path, bytes.Repeat([]byte{'1'}, 1<<26+1), 0o600))
	_, err := ReadKFold(t.Context(), path, 8)
	readtest.WantError(t, err, path+":1: a line of more than 67108864 bytes")
}

func FuzzPartition(f *testing.F) {
	f.Add("1,2\n3\n", "0 1\n2\n1\t2\n0\n", 3)
	f.Add("\ufeff2\r\n\n1,", "0\n0\n", 2)
	f.Fuzz(func(t *testing.T, partition, folds string, n int) {
		n %= 100
		dir := t.TempDir()
		for name, text := range map[string]string{"partition": partition, "folds": folds} {
			must.Do(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		once, err := ReadPartition(t.Context(), filepath.Join(dir, "partition"), n)
		if err == nil {
			for _, fold := range once {
				checkFold(t, fold, n)
			}
		}
		several, err := ReadKFold(t.Context(), filepath.Join(dir, "folds"), n)
		if err == nil {
			for _, fold := range several {
				checkFold(t, fold, n)
			}
		}
		tested := make([]int, max(n, 0))
		for _, fold := range once {
			for _, r := range fold.Test {
				tested[r]++
			}
		}
		if once != nil && slices.ContainsFunc(tested, func(times int) bool { return times != 1 }) {
			t.Fatalf("rows are tested on %v times", tested)
		}
	})
}

// ARFF as Weka, MOA, KEEL and liac-arff write it. Weka 3.6.14 reads the same cells of all but the \u of liac-arff.
func TestARFFDialects(t *testing.T) {
	head := func(a string) string { return "@relation r\n@attribute a " + a + "\n@attribute class {p,q}\n" }
	for text, want := range map[string]string{
		head("numeric % metres") + "@data\n1,p\n2.5,q\n":                                   "[1 2.5]",
		head("numeric") + "@data\n1,p % first\n% none\n2.5,q  %\n":                         "[1 2.5]",
		head("numeric") + "@data\n1,p,\n2.5,q ,\n":                                         "[1 2.5]",
		head("numeric") + "@data\n1\tp\n2.5 \t q\n":                                        "[1 2.5]",
		head("real [0.0, 9.0]") + "@inputs a\n@outputs class\n@data\n1, p\n2.5, q\n":       "[1 2.5]",
		head("integer[0,9]") + "@data\n1,p\n?,q\n":                                         "[1 NaN]",
		head("numeric") + "@data\n1,p,{2}\n2.5,q, { 0.5 } % half\n":                        "[1 2.5]",
		head("numeric") + "@data\n{0 1, 1 p}, {2}\n{0 2.5,1 q}\n":                          "[1 2.5]",
		head("{'two\\nlines',other,'a\\tb',atb}") + "@data\n'two\\nlines',p\n'a\\tb',q\n":  "[0 2]",
		head(`{'caf\u00e9','it\'s','back\\slash'}`) + "@data\ncafé,p\n'back\\\\slash',q\n": "[0 2]",
		head(`{'\n',x}`) + "@data\n'\\n',p\n?,q\n":                                         "[0 NaN]",
	} {
		d, err := ARFF{}.Read(t.Context(), strings.NewReader(text), "f")
		if err != nil || fmt.Sprint(d.Columns[0]) != want || !slices.Equal(d.Labels, []int32{0, 1}) {
			t.Errorf("%q: %+v, error %v; want %v", text, d, err, want)
			continue
		}
		weights := map[bool][]float32{true: {2, 1}, false: nil}[strings.Contains(text, "{2}")]
		if strings.Contains(text, "0.5") {
			weights[1] = 0.5
		}
		if !slices.Equal(d.Weights, weights) {
			t.Errorf("%q: weights %v; want %v", text, d.Weights, weights)
		}
	}
	text := head("{'two\\nlines','a\\tb','caf\\u00e9'}") + "@data\n?,p\n?,q\n"
	d, err := ARFF{}.Read(t.Context(), strings.NewReader(text), "f")
	if err != nil || !slices.Equal(d.Features[0].Categories, []string{"two\nlines", "a\tb", "café"}) {
		t.Errorf("%+v, error %v", d, err)
	}
}
