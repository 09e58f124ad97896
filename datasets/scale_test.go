package datasets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

// Numbers of more than 24 bits are what the file says, whatever reader has them.
func TestLongNumbers(t *testing.T) {
	for name, c := range map[string]struct{ from, step, seventh float64 }{
		"keys of 13 digits":        {1_000_000_000_000, 1, 7},
		"milliseconds":             {1_700_000_000_000, 37, 7},
		"days in milliseconds":     {1_400_000_000_000, 86_400_000, 7},
		"2²⁴":                      {1 << 24, 1, 7},
		"northing in cm":           {5_400_123.45, 0.01, 7},
		"far from zero":            {1e6, 1e-5, 7},
		"tiny":                     {1e-60, 1e-60, 7},
		"huge":                     {1e300, 1e297, 7},
		"one zero among the times": {1_700_000_000_000, 1, -1_700_000_000_000},
	} {
		number := func(i int) float64 {
			if i == 7 {
				return c.from + c.seventh*c.step
			}
			return c.from + float64(i)*c.step
		}
		const n = 400
		var text strings.Builder
		text.WriteString("x,y\n")
		rows, labels := [][]float64(nil), []int(nil)
		for k := range n {
			v := number(k * 149 % n) // in any order
			fmt.Fprintf(&text, "%v,%d\n", v, k%2)
			rows, labels = append(rows, []float64{v}), append(labels, k%2)
		}
		read := readString(t, text.String(), CSV{})
		made := must.Value(FromRows(rows, labels))
		for from, d := range map[string]*Dataset{"CSV": read, "FromRows": made} {
			f, distinct := d.Features[0], map[float32]bool{}
			for k, row := range rows {
				cell := d.Columns[0][k]
				distinct[cell] = true
				// The spread is 400 steps, and a cell has 24 bits of it.
				if got, step := f.Scale.Value(cell), math.Abs(number(1)-number(0)); math.Abs(got-row[0]) > step/100 && row[0] != 0 {
					t.Errorf("%s, %s: %v is kept as %v", name, from, row[0], got)
					break
				}
			}
			if len(distinct) < n-1 || len(d.Notes) != 1 && f.Scale != (Scale{}) {
				t.Errorf("%s, %s: %d numbers of %d, notes %q", name, from, len(distinct), n, d.Notes)
			}
		}
		like := readString(t, text.String(), CSV{Like: read.Schema()})
		if !same(like.Columns[0], read.Columns[0]) || like.Features[0].Scale != read.Features[0].Scale {
			t.Errorf("%s: read again by its schema it differs", name)
		}
	}
	// Numbers that no offset can tell apart are said.
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range 200 {
		fmt.Fprintf(&b, "%d,%d\n%d,%d\n", i*1_000_000_007, i%2, i*1_000_000_007+1, i%2)
	}
	if d := readString(t, b.String(), CSV{}); len(d.Notes) != 1 ||
		!strings.Contains(d.Notes[0], "400 different numbers, of which") {
		t.Errorf("notes %q", d.Notes)
	}
}

// Ordinary numbers have no scale, and are rounded to the nearest float32.
func TestPlainNumbersHaveNoScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Map(rapid.IntRange(-1e6, 1e6), func(i int) float64 { return float64(i) / 100 })
		numbers := rapid.SliceOfN(rapid.OneOf(cents,
			rapid.Map(rapid.IntRange(-1<<24, 1<<24), func(i int) float64 { return float64(i) })), 1, 300).Draw(t, "numbers")
		var b strings.Builder
		b.WriteString("x\n")
		for _, v := range numbers {
			fmt.Fprintln(&b, v)
		}
		d := must.Value(CSV{NoTarget: true}.Read(context.Background(), strings.NewReader(b.String()), "f"))
		for i, v := range numbers {
			want, err := strconv.ParseFloat(fmt.Sprint(v), 32)
			if err != nil || d.Features[0].Scale != (Scale{}) || d.Columns[0][i] != float32(want) {
				t.Fatalf("%v is %v, scale %v", v, d.Columns[0][i], d.Features[0].Scale)
			}
		}
	})
}

// Data of another scale are converted, before steps and when they are asked for.
func TestRescale(t *testing.T) {
	train := readString(t, "x,y\n1700000000001,p\n1700000000002,q\n1700000000003,p\n", CSV{})
	other := readString(t, "x,y\n1700000000003,p\n1700000000009,q\n1700000000011,p\n", CSV{})
	if train.Features[0].Scale == other.Features[0].Scale {
		t.Fatal("the scales are equal")
	}
	transform := fit(t, Standardise{}, train)
	got := must.Value(transform.Apply(t.Context(), other))
	for i, v := range []float64{1, 7, 9} { // from the mean
		if want := v / math.Sqrt(2.0/3); math.Abs(float64(got.Columns[0][i])-want) > 1e-5*want {
			t.Errorf("row %d: %v; want %v", i, got.Columns[0][i], want)
		}
	}
	saved := must.Value(MarshalTransform(transform))
	loaded, columns, err := UnmarshalTransform(saved)
	if err != nil || columns[0].Scale != train.Features[0].Scale {
		t.Fatalf("columns %+v, error %v", columns, err)
	}
	if again := apply(t, loaded, other); !same(again.Columns[0], got.Columns[0]) {
		t.Errorf("loaded: %v", again)
	}
	row, err := train.Schema().Record(map[string]any{"x": 1700000000009.0})
	if err != nil || train.Features[0].Scale.Value(row[0]) != 1700000000009 {
		t.Errorf("record %v, error %v", row, err)
	}
	if got := other.Text(1, 0); got != "1700000000009" {
		t.Errorf("text %s", got)
	}
}

// Steps refuse columns in another unit than that of the training data. Amounts in another currency, numbers without a
// unit and dates in another layout are taken for the same.
func TestStepsAndUnits(t *testing.T) {
	days := "a,y\n2020-01-02,p\n2020-01-03,q\n2020-02-03,q\n"
	for _, c := range []struct {
		train, other string
		agree        bool
	}{
		{"a,y\n5 kg,p\n6 kg,q\n", "a,y\n500 g,p\n600 g,q\n", false},
		{"a,y\n5 kg,p\n6 kg,q\n", "a,y\n5 %,p\n6 %,q\n", false},
		{days, "a,y\n5 kg,p\n6 kg,q\n", false},
		{"a,y\n5 kg,p\n6 kg,q\n", days, false},
		{"a,y\n5 kg,p\n6 kg,q\n", "a,y\n7 kg,p\n8 kg,q\n", true},
		{"a,y\n5 kg,p\n6 kg,q\n", "a,y\n7,p\n8,q\n", true},
		{"a,y\n7,p\n8,q\n", "a,y\n5 kg,p\n6 kg,q\n", true},
		{"a,y\n$7,p\n$8,q\n", "a,y\n5 EUR,p\n6 EUR,q\n", true},
		{days, "a,y\n\"Jan 2, 2020\",p\n\"Jan 3, 2020\",q\n\"Feb 3, 2020\",q\n", true},
	} {
		transform := fit(t, Standardise{}, readString(t, c.train, CSV{}))
		_, err := transform.Apply(t.Context(), readString(t, c.other, CSV{}))
		if (err == nil) != c.agree || err != nil && !errors.Is(err, ErrSchema) {
			t.Errorf("%q after %q: error %v; want none: %v", c.other, c.train, err, c.agree)
		}
	}
}

// Whole numbers that lie close together are kept as they are, even if no two of them fall together.
func TestCloseNumbers(t *testing.T) {
	for text, want := range map[string][]float64{
		"x,y\n1700000000123,p\n1700000040456,q\n1700000086789,p\n": {1700000000123, 1700000040456, 1700000086789},
		"x,y\n1700000000001,p":              {1700000038912},          // one number has no range
		"x,y\n3021752858,p\n9098440610,q\n": {3021752832, 9098440704}, // far from each other: float32
	} {
		d := readString(t, text, CSV{})
		for i, v := range want {
			if got := d.Features[0].Scale.Value(d.Columns[0][i]); got != v {
				t.Errorf("%q: row %d is %.0f; want %.0f", text, i, got, v)
			}
		}
	}
}
