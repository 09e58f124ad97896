package doubts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// csv reads n rows of two random columns, one more column, and the sign of the first as the class.
func csv(t *testing.T, n int, name string, cell func(i int) string) *datasets.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	fmt.Fprintf(&b, "a,b,%s,class\n", name)
	for i := range n {
		a := rng.NormFloat64()
		fmt.Fprintf(&b, "%v,%v,%s,%v\n", a, rng.NormFloat64(), cell(i), a > 0)
	}
	return must.Value(datasets.CSV{}.Read(t.Context(), strings.NewReader(b.String()), "t"))
}

// A user sees in the report which columns may be a mistake.
func TestDoubts(t *testing.T) {
	const identifiers, counts, constant = "identifier says", "counts the rows", "one value only"
	const clock, groups = "as a clock does", "equal values in neighbouring rows"
	for name, c := range map[string]struct {
		cell func(i int) string
		want string
	}{
		"name":      {func(i int) string { return fmt.Sprint("person ", i) }, identifiers},
		"id":        {func(i int) string { return fmt.Sprint(i + 1) }, counts},
		"days":      {func(i int) string { return time.Unix(int64(i)*86400, 0).UTC().Format("2006-01-02") }, clock},
		"any order": {func(i int) string { return fmt.Sprint((i*7)%120 + 1) }, counts},
		"back":      {func(i int) string { return fmt.Sprint(-i) }, counts},
		"version":   {func(i int) string { return "v1" }, constant},
		"visitor":   {func(i int) string { return fmt.Sprint("v", i*7%60) }, "many categories of few rows"},
		"town":      {func(i int) string { return fmt.Sprint("town ", i%40) }, ""},
		"range":     {func(i int) string { return []string{"10-19", "20-29", "30-39"}[i%3] }, ""},
		"number":    {func(i int) string { return fmt.Sprint(i * i % 97) }, ""},
		"patient":   {func(i int) string { return fmt.Sprint("p", i/4) }, groups},
		"numbered":  {func(i int) string { return fmt.Sprint(i / 2 * 7 % 60) }, groups},
		"mixed up":  {func(i int) string { return fmt.Sprint(i * 7 % 60) }, ""},
		"four":      {func(i int) string { return fmt.Sprint("ward ", i/30) }, ""},
		"day":       {func(i int) string { return fmt.Sprint(i / 3) }, clock},
		"countdown": {func(i int) string { return fmt.Sprint(-0.5 * float64(i)) }, clock},
		"nearly":    {func(i int) string { return fmt.Sprint((i/3 + 20) % 40) }, groups}, // falls once
		"shift":     {func(i int) string { return fmt.Sprint(i / 20) }, ""},              // rises, but has six values
	} {
		d := csv(t, 120, name, c.cell)
		d.Notes = nil // of the reader
		got := Of(d)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want) ||
			!strings.HasPrefix(got[0], fmt.Sprintf("Column %q ", name))) {
			t.Errorf("%s: %q; want … %s", name, got, c.want)
		}
	}
	visits := csv(t, 120, "patient", func(i int) string { return fmt.Sprint("p", i/4) })
	visits.Groups = make([]int32, 120)
	if got := Of(visits); got != nil {
		t.Errorf("%q of a table with groups", got)
	}
}

func TestDoubtsOfManyColumns(t *testing.T) {
	d := &datasets.Dataset{}
	for k := range 7 {
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("c", k)})
		d.Columns = append(d.Columns, make([]float32, 40))
	}
	want := `Columns "c0", "c1", "c2", "c3", "c4" and 2 more have one value only, which says nothing.`
	if got := Of(d); !slices.Equal(got, []string{want}) {
		t.Errorf("%q; want %q", got, want)
	}
	d = csv(t, 240, "c", func(i int) string { return fmt.Sprint(i * i % 97) })
	d.Labels, d.Classes = nil, nil
	for i := range 240 {
		if i < 80 {
			d.Classes = append(d.Classes, fmt.Sprint(100+3*i))
		}
		d.Labels = append(d.Labels, int32(i%80))
	}
	got := Of(d)
	if len(got) != 2 || !strings.Contains(got[0], "80 classes in 240 rows, and all are numbers") ||
		got[1] != `Classes of fewer than 10 rows can hardly be learned or tested: `+
			`"100" (3), "103" (3), "106" (3), "109" (3), "112" (3), and 75 more.` {
		t.Errorf("%q", got)
	}
}

// Rows of weight 0 are left out: their cells, targets and classes are nothing to doubt, nor do they hide what is.
func TestDoubtsOfRowsOfPositiveWeight(t *testing.T) {
	d := csv(t, 120, "id", func(i int) string { return fmt.Sprint(i) })
	id, code := d.Columns[2], d.Columns[1]
	d.Notes, d.Features[1].Name = nil, "code" // no notes of the reader
	for i := range 120 {
		d.Weights = append(d.Weights, 1)
		id[i], code[i], d.Labels[i] = float32(i*7%100), float32(i*i%13), int32(i%2)
		switch {
		case i >= 100: // not learned from
			d.Weights[i], id[i], code[i] = 0, float32(math.NaN()), 999
		case i >= 10:
			d.Labels[i] = 0
		}
	}
	want := []string{`Column "id" counts the rows, which says nothing unless their order does.`,
		`Classes of fewer than 10 rows can hardly be learned or tested: "true" (5).`}
	if got := Of(d); !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
}

// Codes of missing cells are numbers of nines beyond all others, in two rows or more.
func TestDoubtsOfCodes(t *testing.T) {
	d := &datasets.Dataset{Target: "y"}
	column := func(name string, cell func(i int) float32) {
		cells := make([]float32, 40)
		for i := range cells {
			cells[i] = cell(i)
		}
		d.Features, d.Columns = append(d.Features, datasets.Feature{Name: name}), append(d.Columns, cells)
	}
	every := func(n int, code float32) func(i int) float32 {
		return func(i int) float32 {
			if i%n == 0 {
				return code
			}
			return float32(i * i % 13)
		}
	}
	column("high", every(10, 99))
	column("low", every(20, -999))
	column("once", every(40, 999))
	column("other", every(10, 98))
	column("near", every(10, 19))
	column("full", func(i int) float32 { return float32(i * i % 100) })
	column("two", func(i int) float32 { return float32(99 * (i % 2)) })
	if got, want := few(codesOf(d)), `99 in 4 rows of "high", -999 in 2 rows of "low"`; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	for i := range 40 {
		d.Values = append(d.Values, float64(every(8, -9999)(i)))
	}
	if got, want := Of(d.Select(2)), `Far from all other numbers: -9999 in 5 rows of "y". If`; len(got) != 1 ||
		!strings.HasPrefix(got[0], want) {
		t.Errorf("of a target: %q", got)
	}
}

// Classes that differ only in case, blanks, or the way of truth values are doubted.
func TestDoubtsOfClasses(t *testing.T) {
	for classes, want := range map[string]string{
		"yes,no":                  "",
		"Yes,no,yes":              `"Yes" and "yes"`,
		"a b,a  b,A b,c":          `"a b" and "a  b", "a b" and "A b"`,
		"0,1,False,true":          `"0" and "False", "1" and "true"`,
		"a,A,b,B,c,C,d,D,e,E,f,F": `"a" and "A", "b" and "B", "c" and "C", "d" and "D", "e" and "E", and 1 more`,
	} {
		got := few(alikeOf(&datasets.Dataset{Labels: []int32{0}, Classes: strings.Split(classes, ",")}))
		if got != want {
			t.Errorf("%s: %s; want %s", classes, got, want)
		}
	}
}
