package datasets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// columnOf returns a table of a column x of texts, which bars separate here, and a class, separated by semicolons.
func columnOf(texts string) string {
	var b strings.Builder
	b.WriteString("x;y\n")
	for i, s := range strings.Split(texts, "|") {
		fmt.Fprintf(&b, "\"%s\";%c\n", s, 'p'+rune(i%2))
	}
	return b.String()
}

// Numbers as people write them. What is meant is plain to read; pandas 2.3.3 agrees where decimal and thousands are
// given to it, for those without other signs.
func TestNotations(t *testing.T) {
	for _, test := range []struct {
		texts string // separated by bars
		want  string
		unit  string
	}{
		{"$27,563.37|$1,200.00|$5|$ 12.5", "27563.37 1200 5 12.5", "$"},
		{"1.234,50 €|12,00 €|7 €", "1234.5 12 7", "€"},
		{"USD 1,000,000|USD 12", "1e6 12", "USD"},
		{"12 CHF|1'234.50 CHF|1’000 CHF", "12 1234.5 1000", "CHF"},
		{"Rs. 12,34,567|Rs.500|Rs. 7.25", "1234567 500 7.25", "Rs."},
		{"($5.20)|$3.10|-$2|$-1.5", "-5.2 3.1 -2 -1.5", "$"},
		{"(1,234.5)|2.5", "-1234.5 2.5", ""},
		{"12.5-|3|+7|−4", "-12.5 3 7 -4", ""},
		{"7%|12.5%|0 %", "7 12.5 0", "%"},
		{"16,25|7,5|12|1e3", "16.25 7.5 12 1000", ""},
		{"1 234,5|12|1 000 000", "1234.5 12 1e6", ""},
		{"1\u00a0234,5|12,25|1\u202f000\u202f000", "1234.5 12.25 1e6", ""},
		{"1.073.096|126.329|999", "1073096 126329 999", ""},
		{"1,073,096|126,329.5|999", "1073096 126329.5 999", ""},
		{"5 kg|12.5 kg|3kg", "5 12.5 3", "kg"},
		{"36 months|60 months|36 months", "36 60 36", "months"},
		{"€110.5M|€565K|€900", "110.5e6 565e3 900", "€"},
		{"1,5 Mio. €|250 Tsd. €", "1.5e6 250e3", "€"},
		{"19M|201k|Varies with device|2k|1M", "19e6 201e3 nan 2000 1e6", ""},
		{"1.5|n/a|NULL|3|2|.|#N/A", "1.5 nan nan 3 2 nan nan", ""},
		{"$1|unknown| - |$3|not asked|$4|$5", "1 nan nan 3 nan 4 5", "$"},
		{"$5.50|€7.25|$1", "5.5 7.25 1", ""}, // and a note
		{"1,234|5,678.5|12", "1234 5678.5 12", ""},
	} {
		d := readString(t, columnOf(test.texts), CSV{Comma: ';'})
		f := d.Features[0]
		if f.Categories != nil {
			t.Errorf("%q: categories %q", test.texts, f.Categories)
			continue
		}
		for i, s := range strings.Fields(test.want) {
			want := float32(must.Value(strconv.ParseFloat(s, 64)))
			if got := d.Columns[0][i]; got != want && !(got != got && want != want) {
				t.Errorf("%q: %v; want %v", test.texts, d.Columns[0], test.want)
				break
			}
		}
		if f.Scale != (Scale{Unit: test.unit}) {
			t.Errorf("%q: scale %+v; want the unit %q", test.texts, f.Scale, test.unit)
		}
		if len(d.Notes) == 0 || !strings.Contains(d.Notes[0], `Column "x"`) {
			t.Errorf("%q: notes %q", test.texts, d.Notes)
		}
	}
}

// Texts with digits that aren't numbers stay categories, as do truly categorical words.
func TestNotNumbers(t *testing.T) {
	for _, texts := range []string{
		"v1|v2|v3", "ID1|ID2|ID3", "12:30|13:45|9:00",
		"1.2.3|1.2.4|1.10.0", "192.168.0.1|10.0.0.1|10.0.0.2", "<10|10-19|20+", "1|2|3+",
		"1st|2nd|3rd", "3 bedrooms|1 bedroom|2 bedrooms", "12A|12B|13A",
		"5 kg|5 lb|7 kg", "None|NA-2|None", "None|brick|stone", "555-1234|555-9876|555-0000",
		"12 34|5 6|7 8", "0x1F|0xA0|0x00", "1/2|3/4|1/4", "low|5|high", "100 % wool|red|100 % wool",
		"5|low|5", "5 kg|5 kg|5 kg",
	} {
		d := readString(t, columnOf(texts), CSV{Comma: ';'})
		if d.Features[0].Categories == nil {
			t.Errorf("%q is read as %v", texts, d.Columns[0])
		}
	}
	if d := readString(t, columnOf("None|brick|stone|None"), CSV{Comma: ';'}); !slices.Contains(
		d.Features[0].Categories, "None") {
		t.Errorf("categories %q; want None among them", d.Features[0].Categories)
	}
}

// A mark before three digits is what another column of the file, the separator or Decimal says.
func TestAmbiguousMarks(t *testing.T) {
	for _, test := range []struct {
		text string
		o    CSV
		want float32 // in the first cell
	}{
		// z has a decimal comma
		{"x,z,y\n\"1,234\",\"1,5\",p\n\"2,345\",\"2,25\",q\n", CSV{}, 1.234},
		// a comma separates the columns
		{"x,z,y\n\"1,234\",1.5,p\n\"2,345\",2.25,q\n", CSV{}, 1234},
		// z has a decimal point
		{"x;z;y\n1,234;1.5;p\n2,345;2.25;q\n", CSV{Comma: ';'}, 1234},
		// a semicolon separates the columns
		{"x;z;y\n1,234;1;p\n2,345;2;q\n", CSV{Comma: ';'}, 1.234},
		// z has a decimal comma
		{"x;z;y\n1.234;1,5;p\n12.345;2,25;q\n", CSV{Comma: ';'}, 1234},
		// z has a decimal point
		{"x;z;y\n1.234;1.5;p\n12.345;2.25;q\n", CSV{Comma: ';'}, 1.234},
		// no whole number begins with 0
		{"x;z;y\n1.234;1;p\n0.345;2;q\n", CSV{Comma: ';'}, 1.234},
		{"x,z,y\n1.234,1,p\n12.345,2,q\n", CSV{}, 1.234},                                              //
		{"x,z,y\n1.234,1,p\n12.345,2,q\n", CSV{Decimal: ','}, 1234},                                   //
		{"x,z,y\n\"1,234\",\"1,5\",p\n\"2,345\",7,q\n", CSV{Decimal: '.', Drop: []string{"z"}}, 1234}, //
		// so are amounts where € is behind them
		{"x,z,y\n1.234 €,1,p\n12.345 €,2,q\n", CSV{}, 1234},
		{"x,z,y\n$1.234,1,p\n$12.345,2,q\n", CSV{}, 1.234},
		{"x;z;y\n1.000;1,5;p\n2.000;2,25;q\n", CSV{Comma: ';'}, 1000},         // z has a decimal comma
		{"x;z;y\n1.500;1,5;p\n2.250;2,25;q\n", CSV{Comma: ';'}, 1500},         // the same
		{"x;z;y\n1.500;1,5;p\n1234567890123;2;q\n", CSV{Comma: ';'}, 1500},    // long numbers among them
		{"x;z;y\n1.500;1,5;p\n2.25;2,25;q\n", CSV{Comma: ';'}, 1.5},           // 2.25 isn't whole
		{"x|z|y\n1.500|1 000|p\n2.000|7|q\n", CSV{Comma: '|'}, 1.5},           // nothing tells, and no semicolon
		{"x|z|w|y\n1.500|1 000|1,5|p\n2.000|7|2|q\n", CSV{Comma: '|'}, 1500},  // w has a comma, z proves nothing
		{"x|z|y\n4,103E-06|1|p\n1,250E+02|2|q\n", CSV{Comma: '|'}, 4.103e-06}, // exponents don't follow thousands
	} {
		d := readString(t, test.text, test.o)
		if d.Features[0].Categories != nil || d.Columns[0][0] != test.want {
			t.Errorf("%q: %v; want %v first", test.text, d.Columns[0], test.want)
		}
	}
}

// Nothing that may be read in another way is read without a note.
func TestDoubtsAreNoted(t *testing.T) {
	for text, note := range map[string]string{
		"x|y\n1.000|p\n2.000|q\n":              `has three digits after each point, such as 1.000, which is read as 1`,
		"x|y\n1.5|p\n2*|q\n3.5|q\n4*|p\n5|q\n": `has numbers in 3 of 5 cells, but also texts such as "2*"`,
		"x|y\n1/2/54|p\n13/3/74|q\n4/4/14|q\n": `"1/2/54", which are read as days since 1970, with years from 1969 to 2068`,
	} {
		if d := readString(t, text, CSV{Comma: '|'}); len(d.Notes) != 1 || !strings.Contains(d.Notes[0], note) {
			t.Errorf("%q: notes %q; want one that %s", text, d.Notes, note)
		}
	}
	for _, text := range []string{"x|y\n1.000|p\n2.5|q\n", "x|y\nA|p\n1|q\nB|q\nC|p\n"} {
		if d := readString(t, text, CSV{Comma: '|'}); len(d.Notes) > 0 {
			t.Errorf("%q: notes %q", text, d.Notes)
		}
	}
}

// A target to predict is read as a feature is, and a table like the training data as those were.
func TestTargetsAndTablesLikeIt(t *testing.T) {
	for text, want := range map[string][]float64{
		"a;y\n1,5;1.234\n2,5;2.000\n": {1234, 2000},
		"a;y\n1.555;1.2\n2.5;2.3\n":   {1.2, 2.3},
		"a;y\n1;1.234\n2;2.345\n":     {1234, 2345},
		"a;y\n1.000;1,5\n1.000;2\n":   {1.5, 2}, // 1.000 isn't the truth
	} {
		train := readString(t, text, CSV{Comma: ';', Regression: true})
		again := readString(t, text, CSV{Comma: ';', Like: train.Schema()})
		if !slices.Equal(train.Values, want) || !slices.Equal(again.Values, want) ||
			!same(train.Columns[0], again.Columns[0]) {
			t.Errorf("%q: targets %v, then %v; want %v; cells %v, then %v", text, train.Values, again.Values, want,
				train.Columns, again.Columns)
		}
	}
	text := "a;b;y\n1.234;x;p\n2.345;x;q\n"
	train := readString(t, text, CSV{Comma: ';'})
	if d := readString(t, text, CSV{Comma: ';', Like: train.Schema()}); !same(d.Columns[0], []float32{1234, 2345}) {
		t.Errorf("%v like %v", d.Columns, train.Columns)
	}
	dates := readString(t, "a;b;y\n2020-01-02;1;p\n2020-01-03;2;q\n2020-02-03;3;q\n", CSV{Comma: ';'})
	one := readString(t, "a;b;y\nN/A;null;p\n", CSV{Comma: ';', Like: dates.Schema()})
	if a, b := one.Columns[0][0], one.Columns[1][0]; a == a || b == b {
		t.Errorf("words for missing cells are read as %v and %v", a, b)
	}
	d := readString(t, "a;b;y\n1.234;x;p\n2.345;x;q\n1;Total;q\n", CSV{Comma: ';', Like: train.Schema()})
	if d.N() != 2 || len(d.Notes) != 2 {
		t.Errorf("%d rows with a total, notes %q", d.N(), d.Notes)
	}
}

// A table to predict is read as the columns of the schema are: other spellings of numbers and truth values are the
// same.
func TestLikeInOtherSpellings(t *testing.T) {
	train := readString(t, "a,b,c,d,y\n1,TRUE,$5,1,0\n2,FALSE,$7,0,1\n3,TRUE,\"$1,000\",1,0\n",
		CSV{Categorical: []string{"a"}})
	d := readString(t, "a,b,c,d,y\n1.0,True,$6,TRUE,0.0\n02,false,9,False,1.0\n3,1,\"1,234.5\",true,0\n",
		CSV{Like: train.Schema()})
	for j, want := range [][]float32{{0, 1, 2}, {1, 0, 1}, {6, 9, 1234.5}, {1, 0, 1}} {
		if !same(d.Columns[j], want) {
			t.Errorf("column %d: %v of %q; want %v", j, d.Columns[j], d.Features[j].Categories, want)
		}
	}
	if !slices.Equal(d.Labels, []int32{0, 1, 0}) || !slices.Equal(d.Classes, []string{"0", "1"}) {
		t.Errorf("labels %v of %q", d.Labels, d.Classes)
	}
	percent := readString(t, "a,y\n7%,p\n12%,q\n", CSV{})
	d = readString(t, "a,y\n0.07,p\n0.12,q\n", CSV{Like: percent.Schema()})
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], `is written with no unit; the training data had the unit "%"`) {
		t.Errorf("notes %q of shares for percent", d.Notes)
	}
	d = readString(t, "a,b,c,d,y\n1,maybe,1,1,0\n1,perhaps,1,1,0\n1,TRUE,1,1,0\n", CSV{Like: train.Schema()})
	if len(d.Notes) != 1 || !strings.Contains(strings.Join(d.Notes, " "), `in 2 of 3 cells, such as "maybe", "perhaps"`) {
		t.Errorf("notes %q of new categories", d.Notes)
	}
	if d := readString(t, "a,y\n1,0\n2,0.0\n3,1\n", CSV{}); !slices.Equal(d.Classes, []string{"0", "1"}) ||
		!slices.Equal(d.Labels, []int32{0, 0, 1}) || len(d.Notes) != 1 {
		t.Errorf("classes %q, labels %v, notes %q", d.Classes, d.Labels, d.Notes)
	}
}

// A kilogram is a thousand grams, so numbers in another unit than that of the training data are errors. Amounts in
// another currency and numbers without a unit are noted.
func TestLikeInOtherUnits(t *testing.T) {
	train := readString(t, "a,b,y\n5 kg,$2,p\n6 kg,$3,q\n", CSV{})
	dates := readString(t, "a,b,y\n2020-01-02,1,p\n2020-01-03,2,q\n2020-02-03,3,q\n", CSV{})
	const grams = `column "a": "500 g" is written with the unit "g"; the training data had the unit "kg"`
	for _, c := range []struct {
		rows, want string // the error
		like       *Dataset
	}{
		{"500 g,$2,p\n", "f:2: " + grams, train},
		{"?,$2,p\n500 g,$2,p\n", "f:3: " + grams, train},
		{"500 g,$2,p\n5 kg,$2,p\n", "f:2: " + grams, train},
		{"5 kg,$2,p\n?,$2,p\n500 g,$2,p\n", "f: row 3: " + grams, train},
		{"$5,$2,p\n", `f:2: column "a": "$5" is written with the unit "$"; the training data had the unit "kg"`, train},
		{"5 kg,2%,p\n", `f:2: column "b": "2%" is written with the unit "%"; the training data had the unit "$"`, train},
		{"5 weeks,1,p\n", `f:2: column "a": "5 weeks" is written with the unit "weeks"; the training data had dates`, dates},
	} {
		_, err := CSV{Like: c.like.Schema()}.Read(t.Context(), strings.NewReader("a,b,y\n"+c.rows), "f")
		readtest.WantError(t, err, c.want)
	}
	for rows, notes := range map[string]int{"5 kg,2 EUR,p\n": 1, "5,$2,p\n": 1, "7 kg,2,p\n": 0} {
		d := readString(t, "a,b,y\n"+rows, CSV{Like: train.Schema()})
		got := 0
		for _, note := range d.Notes {
			if strings.Contains(note, "the training data had") {
				got++
			}
		}
		if got != notes {
			t.Errorf("%q: notes %q; want %d of units", rows, d.Notes, notes)
		}
	}
	target := readString(t, "a,y\n1,5 kg\n2,6 kg\n", CSV{Regression: true})
	again := readString(t, "a,y\n1,5 kg\n2,6 kg\n", CSV{Like: target.Schema()})
	if !slices.Equal(again.Values, []float64{5, 6}) || !slices.Equal(again.Notes, target.Notes) {
		t.Errorf("targets %v, notes %q; want notes %q", again.Values, again.Notes, target.Notes)
	}
}

// An index that a program wrote is neither a feature nor, by default, the target; a last row of totals is left out.
func TestIndexesAndTotals(t *testing.T) {
	for text, want := range map[string]string{ // features, target, rows
		",a,b,y\n3,1,2,p\n0,2,3,q\n1,3,1,p\n2,2,2,q\n":                  "[a b] y 4",
		"Unnamed: 0,a,y\n3,1,p\n0,2,q\n17,3,p\n":                        "[a] y 3",
		"\"\",\"mpg\",\"y\"\n\"Mazda RX4\",21,p\n\"Fiat 128\",32.4,q\n": "[mpg] y 2",
		"a,y,__index_level_0__\n1,p,0\n2,q,1\n3,p,2\n":                  "[a] y 3",
		",a,y\n1,1,p\n1,2,q\n2,3,p\n":                                   "[x1 a] y 3", // isn't a key
		"n,a,y\n5,1,p\n6,2,q\nTotal,3,q\n":                              "[n a] y 2",
		"town,a,y\nUlm,1,p\nBonn,2,q\nTotal,3,q\n":                      "[town a] y 2",
		"n;a;y\nu;1.555;p\nv;2.345;q\nTotal;3.900;q\n":                  "[n a] y 2", // is read twice
		"n;a;y\n;1;p\n;2;q\nTotal;3;q\n":                                "[n a] y 2",
		"kind,a,y\ntotal,1,p\npart,2,q\ntotal,3,q\n":                    "[kind a] y 3",
	} {
		o := CSV{}
		if strings.Contains(text, ";") {
			o.Comma = ';'
		}
		d := readString(t, text, o)
		if got := fmt.Sprint(d.FeatureNames(), " ", d.Target, " ", d.N()); got != want {
			t.Errorf("%q: %s; want %s", text, got, want)
		}
		for j, f := range d.Features {
			if len(f.Categories) > d.N() {
				t.Errorf("%q: categories %q of column %d", text, f.Categories, j)
			}
		}
	}
	var b strings.Builder
	b.WriteString("a,id\n")
	for i := range 20 {
		fmt.Fprintf(&b, "%d,%d\n", i%3, 100+(i*7)%20)
	}
	for _, o := range []CSV{{}, {Regression: true}} {
		_, err := o.Read(t.Context(), strings.NewReader(b.String()), "f")
		readtest.WantError(t, err, `"id", counts the rows`)
		o.Target = "id"
		readString(t, b.String(), o)
	}
}

// Codes such as postcodes begin with 0, but not numbers of fewer digits, as of months, or with a fraction. The note
// says what is lost.
func TestLeadingZeros(t *testing.T) {
	for cells, want := range map[string]bool{
		"01234 99999 00500": true, "-0123 5 7": true, "12 ? 0070": true, "unknown 0001 2": true,
		"01 02 007": false, "0 10 1.5": false, "0.5 0001.5 2": false, "0001 2.5 3": false,
		"1e05 0 -0": false, "0% 0005% 10%": false,
	} {
		text := "x,y\n"
		for _, cell := range strings.Fields(cells) {
			text += cell + ",1\n"
		}
		for _, o := range []CSV{{}, {Categorical: []string{"x"}}} {
			notes := strings.Join(readString(t, text, o).Notes, "\n")
			got := strings.Contains(notes, `Column "x" has whole numbers that begin with 0`)
			if got != (want && o.Categorical == nil) {
				t.Errorf("%q, %+v: %q", cells, o.Categorical, notes)
			}
		}
	}
}
