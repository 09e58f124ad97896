package datasets

import (
	"fmt"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// classed returns a data set of one column and the given class names, one for each row.
func classed(names []string) *Dataset {
	d := &Dataset{Name: "t", Target: "y", Features: []Feature{{Name: "x"}}}
	d.Columns = [][]float32{make([]float32, len(names))}
	place := map[string]int32{}
	for i, name := range names {
		if _, ok := place[name]; !ok {
			place[name] = int32(len(d.Classes))
			d.Classes = append(d.Classes, name)
		}
		d.Labels = append(d.Labels, place[name])
		d.Columns[0][i] = float32(i)
	}
	return d
}

func eachRow(n int, name func(i int) string) (list []string) {
	for i := range n {
		list = append(list, name(i))
	}
	return list
}

func TestCheckLabels(t *testing.T) {
	id := func(i int) string { return fmt.Sprint("id", i) }
	twice := classed(eachRow(3000, func(i int) string { return id(i % 1500) }))
	half := *twice // each class has one row that counts
	half.Weights = make([]float32, 3000)
	for i := range 1500 {
		half.Weights[i] = 1
	}
	price := func(i int) string { return fmt.Sprintf("%.1f", 5+float64(i)*0.3) }
	rare := func(i int) string { return fmt.Sprint("rare", i) }
	zipf := eachRow(4000, func(i int) string { return id(4000 / (i + 1)) }) // few classes have most rows
	for name, c := range map[string]struct {
		d    *Dataset
		want string // "" if there is no error
	}{
		"identifiers":              {classed(eachRow(2000, id)), `the target "y" has 2000 classes in 2000 rows`},
		"numbered rows":            {classed(eachRow(1001, func(i int) string { return fmt.Sprint(i) })), "identifier"},
		"1000 rows":                {classed(eachRow(1000, id)), ""},
		"two rows a class":         {twice, ""},
		"one that counts":          {&half, "1500 classes in 1500 rows"},
		"a long tail":              {classed(append(zipf, eachRow(1500, rare)...)), ""},
		"prices":                   {classed(eachRow(60, price)), "set Regression"},
		"prices and a word":        {classed(append(eachRow(60, price), "cheap")), ""},
		"few prices":               {classed(eachRow(50, price)), ""},
		"codes of ten rows":        {classed(eachRow(600, func(i int) string { return price(i % 60) })), ""},
		"numbers of people":        {classed(eachRow(300, func(i int) string { return fmt.Sprint(i % 100) })), ""},
		"prices of weight 0 apart": {withoutWeight(classed(eachRow(60, price))), ""},
	} {
		t.Run(name, func(t *testing.T) { readtest.WantResult(t, c.d.CheckLabels(), c.want) })
		if _, _, err := (Prepare{}).Fit(t.Context(), c.d); (c.want == "") != (err == nil) {
			t.Errorf("%s: Prepare's error %v; want … %s", name, err, c.want)
		}
	}
}

// withoutWeight gives all rows but the first ten the weight 0.
func withoutWeight(d *Dataset) *Dataset {
	d.Weights = make([]float32, d.N())
	for i := range 10 {
		d.Weights[i] = 1
	}
	return d
}
