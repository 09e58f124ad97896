package auto

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
)

// csv reads n rows of two informative columns, the class of their sum, and one more column.
func csv(t *testing.T, n int, name string, cell func(i int) string) *datasets.Dataset {
	t.Helper()
	d := table(n, false, 0.5)
	var b strings.Builder
	fmt.Fprintf(&b, "a,b,%s,class\n", name)
	for i := range n {
		fmt.Fprintf(&b, "%v,%v,%s,%s\n", d.Columns[0][i], d.Columns[1][i], cell(i), d.Classes[d.Labels[i]])
	}
	read, err := datasets.CSV{}.Read(t.Context(), strings.NewReader(b.String()), "t")
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// A user sees in the report which columns may be a mistake.
func TestDoubts(t *testing.T) {
	const dates, identifiers, counts, constant = "holds dates", "identifier says", "counts the rows", "one value only"
	const clock, groups = "as a clock does", "equal values in neighbouring rows"
	for name, c := range map[string]struct {
		cell func(i int) string
		want string
	}{
		"iso":       {func(i int) string { return fmt.Sprintf("2024-%02d-%02d", 1+i%12, 1+i%28) }, dates},
		"american":  {func(i int) string { return fmt.Sprintf("%02d/%02d/2024 13:%02d", 1+i%12, 1+i%28, i%60) }, dates},
		"european":  {func(i int) string { return fmt.Sprintf("%d.%d.2024", 1+i%28, 1+i%12) }, dates},
		"stamp":     {func(i int) string { return fmt.Sprintf("2024-05-%02dT10:%02d:00Z", 1+i%28, i%60) }, dates},
		"name":      {func(i int) string { return fmt.Sprint("person ", i) }, identifiers},
		"id":        {func(i int) string { return fmt.Sprint(i + 1) }, counts},
		"version":   {func(i int) string { return "v1" }, constant},
		"town":      {func(i int) string { return fmt.Sprint("town ", i%40) }, ""},
		"range":     {func(i int) string { return []string{"10-19", "20-29", "30-39"}[i%3] }, ""},
		"two dates": {func(i int) string { return []string{"2024-01-01", "2024-02-01"}[i%2] }, ""},
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
		got := doubts(csv(t, 120, name, c.cell))
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want) ||
			!strings.HasPrefix(got[0], fmt.Sprintf("Column %q ", name))) {
			t.Errorf("%s: %q; want … %s", name, got, c.want)
		}
	}
	visits := csv(t, 120, "patient", func(i int) string { return fmt.Sprint("p", i/4) })
	visits.Groups = make([]int32, 120)
	if got := doubts(visits); got != nil {
		t.Errorf("%q of a table with groups", got)
	}
	days := csv(t, 120, "day", func(i int) string { return fmt.Sprintf("2024-01-%02d", 1+i%31) })
	_, r := fitted(t, Learner{Trees: 3}, days)
	if len(r.Doubts) != 1 || !strings.Contains(r.String(), "\n"+r.Doubts[0]) {
		t.Errorf("doubts %q in\n%v", r.Doubts, r)
	}
	if _, r = fitted(t, Learner{Trees: 3}, table(60, false, 0.5)); r.Doubts != nil {
		t.Errorf("doubts %q of a plain table", r.Doubts)
	}
}

func TestDoubtsOfManyColumns(t *testing.T) {
	d := table(40, true, 0.5)
	for k := range 7 {
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("c", k)})
		d.Columns = append(d.Columns, make([]float32, 40))
	}
	want := `Columns "c0", "c1", "c2", "c3", "c4" and 2 more have one value only and are left out.`
	if got := doubts(d); !slices.Equal(got, []string{want}) {
		t.Errorf("%q; want %q", got, want)
	}
	d = table(240, false, 0.5)
	d.Labels, d.Classes = nil, nil
	for i := range 240 {
		if i < 80 {
			d.Classes = append(d.Classes, fmt.Sprint(100+3*i))
		}
		d.Labels = append(d.Labels, int32(i%80))
	}
	if got := doubts(d); len(got) != 1 || !strings.Contains(got[0], "80 classes in 240 rows, and all are numbers") {
		t.Errorf("%q", got)
	}
}
