package datasets

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/bounded"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

const weather = `outlook,temperature,windy,play
sunny,85,false,no
overcast,83.5,true,yes
rainy,,false,yes
`

func readString(t *testing.T, text string, o CSV) *Dataset {
	t.Helper()
	d := must.Value(o.Read(t.Context(), strings.NewReader(text), "weather"))
	must.Do(d.Check())
	return d
}

// same compares two float32 slices, NaN being equal to NaN.
func same(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return x == y || x != x && y != y })
}

func TestCSVRead(t *testing.T) {
	d := readString(t, weather, CSV{})
	wantData(t, d, `"play" of ["no" "yes"]: [0 1 1] []
"outlook" of ["overcast" "rainy" "sunny"]: [2 0 1]
"temperature": [85 83.5 NaN]
"windy" of ["false" "true"]: [0 1 0]
`)
	if d.Name != "weather" {
		t.Errorf("name %q", d.Name)
	}
}

// Each case writes the same table in another way, or expects what its options change.
func TestCSVSyntax(t *testing.T) {
	want := readString(t, weather, CSV{})
	header, rows, _ := strings.Cut(weather, "\n")
	names := strings.Split(header, ",")
	for _, test := range []struct {
		name string
		text string
		o    CSV
	}{
		{"gzip", string(readtest.Gzipped(t, []byte(weather))), CSV{}},
		{"byte-order mark", "\ufeff" + weather, CSV{}},
		{"CR LF", strings.ReplaceAll(weather, "\n", "\r\n"), CSV{}},
		{"no last line end", strings.TrimSuffix(weather, "\n"), CSV{}},
		{"blank lines", "\n" + strings.ReplaceAll(weather, "\n", "\n \t\n\n"), CSV{}},
		{"semicolons", strings.ReplaceAll(weather, ",", ";"), CSV{Comma: ';'}},
		{"tabs", strings.ReplaceAll(weather, ",", "\t"), CSV{Comma: '\t'}},
		{"blanks", strings.ReplaceAll(strings.ReplaceAll(weather, ",,", ",?,"), ",", " \t "), CSV{Comma: ' '}},
		{"quoted blanks", strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(weather, ",,", ",?,"), ",", "  "), "sunny",
			` "sunny"`), CSV{Comma: ' '}},
		{"blanks around", strings.ReplaceAll(weather, ",", " , "), CSV{}},
		{"quotes", strings.ReplaceAll(strings.ReplaceAll(weather, "sunny", `"sunny"`), "false", ` " false" `), CSV{}},
		{"quoted last cell", strings.ReplaceAll(weather, "yes", `"yes"`), CSV{}},
		{"question mark", strings.ReplaceAll(weather, ",,", ",?,"), CSV{}},
		{"missing text", strings.ReplaceAll(weather, ",,", ",-,"), CSV{Missing: []string{"-"}}},
		{"no header", rows, CSV{NoHeader: true, Names: names}},
		{"other header", "a,b,c,d\n" + rows, CSV{Names: names}},
		{"target by name", weather, CSV{Target: "play"}},
		{"target by number", weather, CSV{Target: "#4"}},
		{"dropped", strings.ReplaceAll(strings.ReplaceAll(weather, "\n", ",9\n"), "play,9", "play,id"),
			CSV{Target: "play", Drop: []string{"id"}}},
		{"classes", weather, CSV{Classes: []string{"no", "yes"}}},
		{"like", weather, CSV{Like: want.Schema()}},
		{"like, other order",
			"id,play,windy,temperature,outlook\n1,no,false,85,sunny\n2,yes,true,83.5,overcast\n3,yes,false,,rainy\n",
			CSV{Like: want.Schema()}},
		{"like, with lists", weather, CSV{Like: want.Schema(), Categorical: []string{"windy"}}},
	} {
		t.Run(test.name, func(t *testing.T) { equalData(t, readString(t, test.text, test.o), want) })
	}
}

func equalData(t rapid.TB, got, want *Dataset) {
	t.Helper()
	wantData(t, got, shown(want))
}

func wantData(t rapid.TB, d *Dataset, want string) {
	t.Helper()
	if got := shown(d); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

// shown returns a table as text: the target with its classes, labels and values, and each column with its
// categories and its scale.
func shown(d *Dataset) string {
	text := fmt.Sprintf("%q of %q: %v %v\n", d.Target, d.Classes, d.Labels, d.Values)
	for j, f := range d.Features {
		text += strconv.Quote(f.Name)
		if f.Categories != nil {
			text += fmt.Sprintf(" of %q", f.Categories)
		}
		if f.Scale != (Scale{}) {
			text += fmt.Sprintf(" in %+v", f.Scale)
		}
		text += fmt.Sprintf(": %v\n", d.Column(nil, j))
	}
	return text
}

func TestCSVKinds(t *testing.T) {
	for _, test := range []struct {
		cells string // of one column, separated by blanks
		o     CSV
		want  string // cells, and categories
	}{
		{"1 -2.5 +3e2 .5 1e-60", CSV{}, "[1 -2.5 300 0.5 0] []"},
		{"10 9 10", CSV{Categorical: []string{"a"}}, "[1 0 1] [9 10]"},
		{"10 9 a b", CSV{}, "[0 1 2 3] [10 9 a b]"},
		{"10 9 a", CSV{}, "[10 9 NaN] []"},
		{"0x1p4 1_000 2020-01-01", CSV{}, "[0 1 2] [0x1p4 1_000 2020-01-01]"},
		{"0_0 0_1", CSV{}, "[0 1] [0_0 0_1]"},
		{"0x1p4 0X1P5", CSV{}, "[1 0] [0X1P5 0x1p4]"},
		{"inf child inf", CSV{}, "[1 0 1] [child inf]"},
		{"3 b ? b", CSV{}, "[0 1 NaN 1] [3 b]"},
		{"? NA NaN nan", CSV{}, "[NaN NaN NaN NaN] []"},
		{"? 1", CSV{Missing: []string{}, Categorical: []string{"#1"}}, "[1 0] [1 ?]"},
		{"-99 1 -99.0", CSV{Missing: []string{"-99"}}, "[NaN 1 -99] []"},
		{"16777217 0.1", CSV{}, "[1.6777216e+07 0.1] []"},
	} {
		test.o.NoTarget = true
		d := readString(t, "a\n"+strings.ReplaceAll(test.cells, " ", "\n"), test.o)
		if got := fmt.Sprint(d.Columns[0], d.Features[0].Categories); got != test.want {
			t.Errorf("%s: %s; want %s", test.cells, got, test.want)
		}
	}
}

func TestCSVTarget(t *testing.T) {
	wantData(t, readString(t, "y,a\n1.5,0\n-2e3,1\n", CSV{Target: "y", Regression: true}),
		"\"y\" of []: [] [1.5 -2000]\n\"a\": [0 1]\n")
	d := readString(t, "a,y\n1,10\n2,9\n", CSV{})
	wantData(t, d, "\"y\" of [\"9\" \"10\"]: [1 0] []\n\"a\": [1 2]\n")
	wantData(t, readString(t, "y,a\n9,5\n9,5\n", CSV{Like: d.Schema()}),
		"\"y\" of [\"9\" \"10\"]: [0 0] []\n\"a\": [5 5]\n")
}

func TestCSVErrors(t *testing.T) {
	like := readString(t, weather, CSV{}).Schema()
	numbers := "a,y\n" + strings.Repeat("1,p\n", 9)
	for _, test := range []struct {
		text string
		o    CSV
		want string
	}{
		{"", CSV{}, "f.csv: the file is empty"},
		{"\ufeff\n\n", CSV{}, "f.csv: the file is empty"},
		{"a,b\n", CSV{}, "f.csv: there is a header but no rows"},
		{"a,b\n\n1,2\n3\n", CSV{}, "f.csv:4: 1 fields; want 2"},
		{"a,b\n1,2,\n", CSV{}, "f.csv:2: 3 fields; want 2"},
		{"a,b\n\"x\ny\",2\n1\n", CSV{}, "f.csv:4: 1 fields; want 2"},
		{"a,b\n1,2\n\"x,2\n", CSV{}, "f.csv:3: a quote is opened and never closed"},
		{"a,b\n\"x\"y,2\n", CSV{}, `f.csv:2: text after the closing quote of "x"`},
		{weather, CSV{Target: "Played"},
			`f.csv: target: no column "Played"; the nearest are "play", "windy", "outlook"; set NoTarget if there is none`},
		{weather, CSV{Target: "#5"}, "f.csv: target: no column #5; there are 4"},
		{weather, CSV{Drop: []string{"wind"}}, `f.csv: no column "wind"; the nearest are "windy"`},
		{weather, CSV{Drop: []string{"play"}},
			`f.csv: column "play" is the target and cannot also be dropped or a feature`},
		{weather, CSV{Drop: []string{"windy"}, Categorical: []string{"windy"}},
			`f.csv: column "windy" is in both Categorical and Drop`},
		{"a,b\n1,2\n", CSV{Drop: []string{"a"}}, "f.csv: no column is left as a feature, of 2"},
		{"a\n1\n", CSV{}, "f.csv: no column is left as a feature, of 1"},
		{"a,b,a\n1,2,3\n", CSV{}, `f.csv:1: columns 1 and 3 are both called "a"`},
		{"1,2,3\n", CSV{NoHeader: true, Names: []string{"a"}}, "f.csv:1: 3 columns, but 1 Names"},
		{"1,2\n3,4\n", CSV{},
			"f.csv:1: the header holds only numbers; set NoHeader if it is data, otherwise set Names"},
		{"a,b\n", CSV{Comma: '，'}, `f.csv: separator '，' is not possible`},
		{"a,b\n", CSV{Comma: '"'}, `f.csv: separator '"' is not possible`},
		{"a,y\n1,p\n2,?\n", CSV{}, `f.csv:3: column "y": the target is missing`},
		{"a,y\n1,2\n2,\n", CSV{Regression: true}, `f.csv:3: column "y": the target is missing`},
		{"a,y\n1,2\n2,3 m\n", CSV{Regression: true},
			`f.csv:3: column "y": the target is "3 m"; want a finite number`},
		{"a,y\n1,-Inf\n", CSV{Regression: true},
			`f.csv:2: column "y": the target is "-Inf"; want a finite number`},
		{"a,y\n1,p\n2,q\n", CSV{Classes: []string{"p", "r"}},
			`f.csv:3: column "y": "q" is not one of the 2 classes`},
		{numbers + "1O,p\n", CSV{}, `f.csv:11: column "a": "1O" is not a number, as 9 of its cells are; ` +
			`if it stands for a missing cell, list it in Missing`},
		{"a,y\n1,p\n-inf,p\n", CSV{},
			`f.csv:3: column "a": "-inf" is not finite as a float32; list the text in Missing or the column in Categorical`},
		{"a,y\n1,p\n1e309,p\n", CSV{}, `f.csv:3: column "a": "1e309" is not finite as a float32`},
		{"outlook,temp,windy,play\n", CSV{Like: like},
			`f.csv: the columns don't match: no column "temperature", which the schema lists; the nearest are "temp"`},
		{weather + "sunny,1,true,maybe\n", CSV{Like: like},
			`f.csv:5: column "play": "maybe" is not one of the 2 classes`},
		{weather + "sunny,7O,true,no\n", CSV{Like: like},
			`f.csv:5: column "temperature": "7O" is not a number`},
		{"outlook,temperature,windy\nsunny,1,true\n", CSV{Like: like},
			`f.csv: the columns don't match: no column "play", which is the schema's target; set NoTarget if there is none`},
		{weather, CSV{Like: like, Target: "windy"},
			`f.csv: column "windy" is the target and cannot also be dropped or a feature`},
		{"\x1f\x8b\x08", CSV{}, "f.csv: the packed file ends early"},
	} {
		_, err := test.o.Read(t.Context(), strings.NewReader(test.text), "f.csv")
		readtest.WantError(t, err, "datasets: "+test.want)
	}
	if _, err := ReadCSV(t.Context(), filepath.Join(t.TempDir(), "none.csv"), CSV{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

// The scanner must split as encoding/csv does where both have the same grammar: cells
// written by encoding/csv, without blanks at their ends.
func TestCSVScannerAgainstEncodingCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringOfN(rapid.RuneFrom([]rune("a\"',;é\n1.")), 0, 6, -1)
		k := rapid.IntRange(2, 4).Draw(t, "fields")
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, k, k), 1, 5).Draw(t, "rows")
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf") // also changes \n in cells
		w.WriteAll(rows)
		r := csv.NewReader(bytes.NewReader(b.Bytes()))
		want := must.Value(r.ReadAll())
		scan := newCSVScanner(b.String(), ',', 0)
		for i, record := range want {
			got, _, err := scan.next()
			if err != nil {
				t.Fatalf("record %d: %v", i, err)
			}
			for j := range record {
				if clean := strings.ReplaceAll(got[j], "\r\n", "\n"); j >= len(got) || clean != record[j] {
					t.Fatalf("record %d of %q is %q; want %q", i, b.String(), got, record)
				}
			}
		}
		if _, _, err := scan.next(); err == nil {
			t.Fatalf("more records in %q than %d", b.String(), len(want))
		}
	})
}

// A schema gives the columns, kinds, categories and classes of a file that holds others.
func TestCSVLike(t *testing.T) {
	like := &Schema{
		Features: []Feature{{Name: "b", Categories: []string{"y", "x"}}, {Name: "a"}},
		Target:   "c", Classes: []string{"p", "o"},
	}
	const text = "a,c,z,b\n1,o,!,x\n2,p,!,w\n,p,!,10\n3,o,!,y\n4,p,!,\n"
	d := readString(t, text, CSV{Like: like})
	features := `"b" of ["y" "x" "10" "w"]: [1 3 2 0 NaN]
"a": [1 2 NaN 3 4]
`
	wantData(t, d, `"c" of ["p" "o"]: [1 0 0 1 0] []
`+features)
	if len(like.Features[0].Categories) != 2 {
		t.Errorf("the schema now has categories %q", like.Features[0].Categories)
	}

	// What steps make of categories that the training data lack.
	train := readString(t, "b,a,c\ny,1,p\nx,2,o\n", CSV{Like: like})
	hot := fit(t, OneHot{}, train)
	encoded := must.Value(hot.Apply(t.Context(), d))
	if got := fmt.Sprint(encoded.Columns[:2]); got != "[[0 0 0 1 NaN] [1 0 0 0 NaN]]" {
		t.Errorf("one-hot columns %s", got)
	}
	ordinal := fit(t, Ordinal{}, train)
	_, err := ordinal.Apply(t.Context(), d)
	readtest.WantError(t, err, `"w"`)

	const none = "\"\" of []: [] []\n"
	wantData(t, readString(t, text, CSV{Like: like, NoTarget: true}), none+features)
	wantData(t, readString(t, text, CSV{Like: &Schema{Features: like.Features}}), none+features) // of unlabelled data
	wantData(t, readString(t, "y,a\n2.5,1\n", CSV{Like: &Schema{Features: like.Features[1:], Target: "y"}}),
		"\"y\" of []: [] [2.5]\n\"a\": [1]\n")
	for _, text := range []string{"b,c\nx,p\n", "a,b\n1,x\n"} { // no a, no target
		if _, err := (CSV{Like: like}).Read(t.Context(), strings.NewReader(text), "f"); !errors.Is(err, ErrSchema) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A failing reader gives an error, unless a line before the failure has one.
func TestCSVTornFile(t *testing.T) {
	packed := readtest.Gzipped(t, []byte("a,y\n"+strings.Repeat("1,p\n2,q\n", 5000)))
	torn := packed[:len(packed)/2]
	for _, length := range []int{10, 1000, 1 << 20} {
		if _, err := (CSV{}).read(t.Context(), bytes.NewReader(torn), "f", length); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("torn gzip, blocks of %d bytes: %v", length, err)
		}
		broken := errors.New("broken")
		for text, want := range map[string]string{
			"a,y\n1,p\n2,q\n3":       "datasets: f: broken",
			"a,y\n1,p\n\"2,q\n3\n\n": "datasets: f: broken",
			"a,y\n1,p\n2\n3":         "datasets: f:3: 1 fields; want 2",
			"a":                      "datasets: f: broken",
			"":                       "datasets: f: broken",
		} {
			r := &seeker{Reader: io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))}
			if _, err := (CSV{}).read(t.Context(), r, "f", length); err == nil || err.Error() != want {
				t.Errorf("%q in blocks of %d bytes: %v; want %s", text, length, err, want)
			}
		}
	}
}

// A seeker can be read once, and says that it has gone back.
type seeker struct {
	io.Reader
	back int
	then io.Reader // what it reads the second time
}

func (s *seeker) Seek(_ int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		if s.back++; s.back == 2 {
			s.Reader = s.then
		}
	}
	return 0, nil
}

// A file that changes while it is read is an error, not a table of two files.
func TestCSVChangedFile(t *testing.T) {
	text := "a,y\n" + strings.Repeat("1,p\n", 50) + strings.Repeat("x,q\n", 50)
	for then, want := range map[string]string{
		text:                              "<nil>",
		text + "x,q\n":                    "datasets: f: 100 rows, then 101: the file has changed while it was read",
		"a,y\n1,p\n":                      "datasets: f: 100 rows, then 1: the file has changed while it was read",
		"":                                "datasets: f: 100 rows, then 0: the file has changed while it was read",
		"a\n1\n":                          "datasets: f:2: 1 fields; want 2",
		strings.Replace(text, ",", "", 2): "datasets: f:2: 1 fields; want 2",
	} {
		s := &seeker{Reader: strings.NewReader(text), then: strings.NewReader(then)}
		_, err := CSV{}.read(t.Context(), s, "f", 20)
		if fmt.Sprint(err) != want || s.back != 2 {
			t.Errorf("got %v after going back %d times; want %s", err, s.back-1, want)
		}
	}
}

// Read begins at the current position of the reader.
func TestCSVReadsFromTheMiddle(t *testing.T) {
	text := "a,y\n" + strings.Repeat("1,p\n", 50) + strings.Repeat("x,q\n", 50)
	r := strings.NewReader("not,this\n" + text)
	r.Seek(9, io.SeekStart)
	d, err := CSV{}.read(t.Context(), r, "f", 20)
	if err != nil || d.N() != 100 || d.Features[0].Name != "a" {
		t.Fatalf("%+v, %v", d, err)
	}
	equalData(t, d, readString(t, text, CSV{}))
}

// Memory is allocated by the block, not by the cell.
func TestCSVAllocations(t *testing.T) {
	text := "a,b,c,d,e,y\n" + strings.Repeat("1.25,-2e-3,3,?,green,p\n", 20_000)
	allocations := testing.AllocsPerRun(3, func() { readString(t, text, CSV{}) })
	if allocations > 1000 {
		t.Errorf("%v allocations for 120,000 cells", allocations)
	}
}

// The separator is found in the first five lines, however long they are: a header of 1.4 MB has commas in its names,
// and the next line ends in the third megabyte.
func TestSeparatorOfLongLines(t *testing.T) {
	const p = 62_000
	var b strings.Builder
	for j := range p {
		fmt.Fprintf(&b, "gene %d, a long name\t", j)
	}
	b.WriteString("y\n")
	for i := range 4 {
		b.WriteString(strings.Repeat("1.234567890\t", p) + strconv.Itoa(i%2) + "\n")
	}
	d := must.Value(CSV{}.Read(t.Context(), strings.NewReader(b.String()), "f"))
	if d.N() != 4 || d.P() != p || d.Features[1].Name != "gene 1, a long name" {
		t.Errorf("%v, second column %q", d, d.Features[1].Name)
	}
}

func FuzzCSV(f *testing.F) {
	for _, text := range []string{weather, "a,b\n\"x\ny\",2\n", "\ufeffa b\r\n1 \"2\"\r\n", "a\n", "1;2\n", "\x1f\x8b"} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(0xff))
	}
	for _, text := range []string{"a;b\n1.234;\"$5\"\n2.500;7,5 €\n", ";a;b\n1;5 %;p\n2;(7)%;q\nTotal;3 %;p\n",
		"a;b\n2020-01-02;p\n2021-01-02;q\n;p\n2021-02-02;N/A\n", "a;b\n1600000000001;p\n1600000000002;q\n"} {
		f.Add(text, uint8(16))
		f.Add(text, uint8(16+4))
	}
	f.Add("\v\n1\n", uint8(16)) // blank for package strings
	f.Add(";0;1\n;;0\nTotal;;\n", uint8(21))
	f.Add(string(readtest.Gzipped(f, []byte(weather))), uint8(0))
	f.Fuzz(func(t *testing.T, text string, o uint8) {
		options := CSV{Limits: fuzzLimits, NoTarget: o&1 != 0, NoHeader: o&2 != 0, Regression: o&4 != 0,
			Comma: []rune{0, ' ', ';', '\t'}[o>>3&3]}
		if o&32 != 0 {
			options.Categorical = []string{"#1"}
		}
		var d *Dataset
		var err error
		length := 1 + int(o>>6)*7
		bounded.Read(t, len(text), func() { d, err = options.read(t.Context(), strings.NewReader(text), "f", length) })
		if err != nil {
			return
		}
		must.Do(d.Check())
		if len(d.Notes) == 0 && !options.Regression && !strings.HasPrefix(text, "\x1f\x8b") {
			plain := strings.TrimPrefix(text, "\ufeff")
			if !strings.Contains(text, "\n") {
				plain = strings.ReplaceAll(plain, "\r", "\n")
			}
			want, err := plainCSV(plain, options)
			switch {
			case errors.Is(err, errMissingTarget) || err == nil && d.Target != want.Target: // the last column may be an index
			case err != nil:
				t.Fatalf("read, though %v", err)
			default:
				equalData(t, d, want)
			}
		}
		options.Like = d.Schema()
		again, err := options.read(t.Context(), strings.NewReader(text), "f", length)
		notes := strings.Join(d.Notes, "")
		if strings.Contains(notes, "in the last row, which is left out") && (err != nil || again.N() == d.N()+1) {
			return // the word is in a column that the schema doesn't have
		}
		if errors.Is(err, ErrSchema) && strings.Contains(notes, "Windows-1252") {
			return // a name that may be UTF-8 too
		}
		if err != nil {
			t.Fatalf("not like itself: %v", err)
		}
		if !slices.Equal(d.Labels, again.Labels) || !slices.Equal(d.Values, again.Values) {
			t.Fatalf("targets %v %v, then %v %v", d.Labels, d.Values, again.Labels, again.Values)
		}
		if strings.Contains(notes, " as missing, in ") {
			return // words such as true, which stand for 1 in a table like it
		}
		for j := range d.Columns {
			if !same(d.Columns[j], again.Columns[j]) {
				t.Fatalf("column %d: %v, then %v", j, d.Columns[j], again.Columns[j])
			}
		}
	})
}

// annealingNumbers are the numeric columns of annealing by its description.
var annealingNumbers = map[string]bool{"carbon": true, "hardness": true, "strength": true, "thick": true, "width": true,
	"len": true}

// Every set of the index has the rows, columns, categorical columns, classes
// and missing cells that the index, made by other programs, says.
func TestCSVIndex(t *testing.T) {
	dir := readtest.DataDir(t)
	f := must.Value(os.Open(filepath.Join(dir, "INDEX.csv")))
	defer f.Close()
	rows := must.Value(csv.NewReader(f).ReadAll())
	column := func(name string) int { return slices.Index(rows[0], name) }
	for _, row := range rows[1:] {
		if !strings.HasSuffix(row[column("file")], ".csv.gz") {
			continue // the images of MNIST
		}
		if testing.Short() && len(row[column("n")]) > 4 {
			continue
		}
		// Missing cells are empty; a ? or NA is a category.
		o := CSV{Regression: row[column("task")] == "regression", Missing: []string{""}}
		d := must.Value(ReadCSV(t.Context(), filepath.Join(dir, row[column("file")]), o))
		missing, categorical := 0, 0
		for j, c := range d.Columns {
			gaps := 0
			for _, v := range c {
				if v != v {
					gaps++
				}
			}
			missing += gaps
			// The index counts a column without any value by what it would hold.
			if d.Features[j].Categories != nil || gaps == d.N() && strings.HasPrefix(d.Name, "annealing") &&
				!annealingNumbers[d.Features[j].Name] {
				categorical++
			}
		}
		classes := ""
		if d.Classes != nil {
			classes = fmt.Sprint(len(d.Classes))
		}
		var want []any
		for _, name := range []string{"name", "n", "p", "p_cat", "classes", "n_missing"} {
			want = append(want, row[column(name)])
		}
		got := fmt.Sprintln(d.Name, d.N(), d.P(), categorical, classes, missing)
		if want := fmt.Sprintln(want...); got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	}
}

// 20,000 rows of 28 numbers and a class.
func BenchmarkReadCSV(b *testing.B) {
	for name, class := range map[string]string{"numbers": "%d\n", "quoted": "\"%d\"\n"} {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			var text []byte
			for range 20_000 {
				for range 28 {
					text = fmt.Appendf(text, "%.17g,", rng.NormFloat64())
				}
				text = fmt.Appendf(text, class, rng.IntN(2))
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				must.Value(CSV{NoHeader: true}.Read(b.Context(), bytes.NewReader(text), "b"))
			}
		})
	}
}
