package old

import (
	"fmt"
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/viz"
)

// settingErrors returns a record of the runs behind figure 6, with the given errors of the first
// settings and 1 for all others.
func settingErrors(set string, fold int, errors ...float64) Record {
	more := map[string]float64{}
	for i := range 25 {
		e := 1.0
		if i < len(errors) {
			e = errors[i]
		}
		more[fmt.Sprintf("%s:%d", powerNames[i/5], i%5+1)] = e
	}
	return Record{Run: Run{Problem: set, Repeat: fold}, Result: Result{More: more}}
}

// In set a the first settings have ranks 1, 2, 3 on the first fold and 2.5, 2.5, 1 on the second, so
// 1.75, 2.25, 2 on average; in sets b and c 3, 1, 2 and 1, 3, 2. The medians of 1.75, 3, 1, of 2.25, 1, 3
// and of 2, 2, 2 are 1.75, 2.25 and 2. All others share 4, …, 25: 14.5.
func TestSPORFRanks(t *testing.T) {
	records := []Record{
		settingErrors("a", 1, 0.1, 0.2, 0.3), settingErrors("b", 1, 0.3, 0.1, 0.2),
		settingErrors("a", 2, 0.2, 0.2, 0.1), settingErrors("c", 1, 0, 0.2, 0.1),
	}
	ranks := sporfRanks(records)
	if len(ranks) != 3 || ranks[0][0] != 1.75 || ranks[0][1] != 2.25 || ranks[1][0] != 3 || ranks[2][24] != 14.5 {
		t.Errorf("ranks %v", ranks)
	}
	h := SPORFRanks(records).(viz.HeatMap)
	if got := fmt.Sprint(h.Text[4][:4]); got != "[1.8 2.2 2.0 14.5]" { // p^¼ is at the bottom
		t.Errorf("median ranks %s", got)
	}
	if h.Values[4][0] != 1.75-13 || h.Values[0][4] != 1.5 {
		t.Errorf("colours %v; want the difference to 13", h.Values)
	}
}

func TestNoisyKeepsTheDataAndAddsNormalColumns(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{make([]float32, 2000)},
		Labels: make([]int32, 2), Rows: []int32{7, 9}, Classes: []string{"a"}}
	wide := noisy(d, 100, 1)
	if d.P() != 1 || wide.P() != 101 || wide.N() != 2 || wide.Check() != nil {
		t.Fatalf("%d features became %d, with %d rows; %v", d.P(), wide.P(), wide.N(), wide.Check())
	}
	var sum, squares, product float64
	for k, column := range wide.Columns[1:] {
		for i, v := range column {
			sum += float64(v)
			squares += float64(v) * float64(v)
			product += float64(v) * float64(wide.Columns[1+(k+1)%100][i])
		}
	}
	// 200,000 numbers: the mean has a standard error of 0.0022, the mean square of 0.0032, and the mean
	// product of neighbours of 0.0022.
	if sum /= 200_000; math.Abs(sum) > 0.01 {
		t.Errorf("mean %v", sum)
	}
	if squares /= 200_000; math.Abs(squares-1) > 0.015 {
		t.Errorf("mean square %v", squares)
	}
	if product /= 200_000; math.Abs(product) > 0.01 {
		t.Errorf("mean product of neighbouring columns %v", product)
	}
	again := noisy(d, 100, 1)
	if again.Columns[50][3] != wide.Columns[50][3] {
		t.Error("the same seed gave other noise")
	}
}

// Training and test rows of a fold must have columns in common, or noise would differ between them.
func TestFoldsShareColumns(t *testing.T) {
	of := trial{Run: Run{Problem: "wine", Repeat: 1}}
	if err := sporfFold(t.Context(), &of); err != nil {
		t.Skip("no data at hand: ", err)
	}
	if &of.train.Columns[0][0] != &of.test.Columns[0][0] {
		t.Error("training and test rows have columns of their own")
	}
}
