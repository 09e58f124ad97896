package datasets

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func table(t *testing.T, text string) *Dataset {
	return must.Value(CSV{NoTarget: true}.Read(t.Context(), strings.NewReader(text), "t.csv"))
}

func TestWithTarget(t *testing.T) {
	d := table(t, "colour,size,grade\nred,1,7\n?,2,3\nblue,3,?\nred,4,7\n")
	for _, test := range []struct {
		column     string
		regression bool
		want       string
	}{
		{"colour", false, `"colour" of ["blue" "red"]: [1 0 1] []
"size": [1 3 4]
"grade": [7 NaN 7]
`},
		{"grade", false, `"grade" of ["3" "7"]: [1 0 1] []
"colour" of ["blue" "red"]: [1 NaN 1]
"size": [1 2 4]
`},
		{"#3", true, `"grade" of []: [] [7 3 7]
"colour" of ["blue" "red"]: [1 NaN 1]
"size": [1 2 4]
`},
	} {
		got := must.Value(d.WithTarget(test.column, test.regression))
		must.Do(got.Check())
		wantData(t, got, test.want)
	}
}

// Reading a file with its target gives what reading it without, and choosing the target then, gives.
func TestWithTargetLikeCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("a,b,y\n")
		ys := rapid.SampledFrom([][]string{{"p", "q", "r"}, {"-2", "0.5", "10", "9"}, {"True", "true", "FALSE", "n/a", "x"}}).
			Draw(t, "ys")
		for range rapid.IntRange(1, 20).Draw(t, "rows") {
			y := rapid.SampledFrom(ys)
			text.WriteString(rapid.SampledFrom([]string{"1", "2", ""}).Draw(t, "a") + "," +
				rapid.SampledFrom([]string{"u", "v"}).Draw(t, "b") + "," + y.Draw(t, "y") + "\n")
		}
		whole, err := CSV{NoTarget: true}.Read(t.Context(), strings.NewReader(text.String()), "t")
		if err != nil {
			t.Skip(err)
		}
		for _, regression := range []bool{false, true}[:1+map[bool]int{true: 1}[ys[0] == "-2"]] {
			want := must.Value(CSV{Target: "y", Regression: regression}.Read(t.Context(), strings.NewReader(text.String()), "t"))
			got := must.Value(whole.WithTarget("y", regression))
			equalData(t, got, want)
		}
	})
}

func TestWithTargetErrors(t *testing.T) {
	d := table(t, "colour,size,none\nred,1,\nblue,2,\n")
	for _, test := range []struct {
		d          *Dataset
		column     string
		regression bool
		want       string
	}{
		{d, "sise", false, `datasets: target: no column "sise"; the nearest are "size"`},
		{d, "#4", false, "no column #4; there are 3"},
		{d, "colour", true, `column "colour" is categorical`},
		{d, "none", true, `all cells of column "none" are missing`},
		{d.Select(1), "size", true, "the only column"},
	} {
		_, err := test.d.WithTarget(test.column, test.regression)
		readtest.WantError(t, err, test.want)
	}
}

var recordSchema = &Schema{Target: "y", Features: []Feature{{Name: "size"},
	{Name: "colour", Categories: []string{"blue", "red"}}, {Name: "age"}}}

func TestRecord(t *testing.T) {
	for _, test := range []struct {
		text string
		want []float32
	}{
		{`{"size": 1.5, "colour": "red", "age": 3}`, []float32{1.5, 1, 3}},
		{`{"colour": "blue", "age": -1e3, "size": null, "y": "yes"}`, []float32{nan32, 0, -1000}},
		{`{}`, []float32{nan32, nan32, nan32}},
	} {
		for _, useNumber := range []bool{false, true} {
			decoder := json.NewDecoder(strings.NewReader(test.text))
			if useNumber {
				decoder.UseNumber()
			}
			var cells map[string]any
			must.Do(decoder.Decode(&cells))
			got, err := recordSchema.Record(cells)
			if err != nil || !same(got, test.want) {
				t.Errorf("%s: %v, %v; want %v", test.text, got, err, test.want)
			}
		}
	}
}

func TestRecordErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"size": "big"}`, `datasets: column "size": "big" is not a number`},
		{`{"size": true}`, `column "size": "true" is not a number`},
		{`{"size": 1e39}`, "not a finite number"},
		{`{"colour": "rad"}`, `column "colour": unknown category "rad"; the nearest are "red", "blue"`},
		{`{"colour": 1}`, "not a text"},
		{`{"sise": 1}`, `no column "sise"; the nearest are "size"`},
	} {
		var cells map[string]any
		must.Do(json.Unmarshal([]byte(test.text), &cells))
		_, err := recordSchema.Record(cells)
		readtest.WantError(t, err, test.want)
		if strings.Contains(test.text, "sise") != errors.Is(err, ErrSchema) {
			t.Errorf("%s: wraps ErrSchema: %v", test.text, errors.Is(err, ErrSchema))
		}
	}
}
