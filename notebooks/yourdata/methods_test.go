package yourdata

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/sim"
)

// mixed returns 300 rows with numbers, a category and missing cells. The column leak is the class
// again; the value, where values are wanted, is twice the first number.
func mixed(t *testing.T, values bool) *datasets.Dataset {
	t.Helper()
	rng := forest.NewRand(5)
	var cells [][]float64
	var labels []int
	d := &datasets.Dataset{Target: "y", Features: []datasets.Feature{{Name: "a"}, {Name: "b"}, {Name: "leak", Categories: []string{"left", "right"}}}}
	d.Columns = make([][]float32, 3)
	for range 300 {
		x := []float64{rng.Normal(), rng.Normal()}
		cells = append(cells, x)
		y := 0
		if x[0] > x[1] {
			y = 1
		}
		labels = append(labels, y)
		d.Columns[0], d.Columns[1], d.Columns[2] = append(d.Columns[0], float32(x[0])), append(d.Columns[1], float32(x[1])), append(d.Columns[2], float32(y))
		d.Labels, d.Values = append(d.Labels, int32(y)), append(d.Values, 2*x[0])
	}
	d.Columns[1][17], d.Columns[2][20] = float32(math.NaN()), float32(math.NaN())
	d.Classes = []string{"no", "yes"}
	if values {
		d.Labels, d.Classes = nil, nil
	} else {
		d.Values = nil
	}
	return d
}

// The column leak says the class alone; a and b by themselves don't. For values a does.
func TestAloneFindsLeaks(t *testing.T) {
	for _, test := range []struct {
		values bool
		best   string
	}{{false, "leak"}, {true, "a"}} {
		lone, err := Alone(t.Context(), mixed(t, test.values))
		if err != nil {
			t.Fatal(err)
		}
		if lone[0].Name != test.best || lone[0].Removed < Suspicious || lone[1].Removed > Suspicious {
			t.Errorf("%+v", lone)
		}
		if text := DescribeAlone(lone, 2); !strings.Contains(text, test.best+": all but the target itself") || strings.Count(text, "loss of guessing") != 2 {
			t.Errorf("%s", text)
		}
		if text := DescribeAlone(lone[1:], 2); !strings.Contains(text, "No column") {
			t.Errorf("%s", text)
		}
	}
}

// Every contender learns every kind of table after the steps, and the best is the one of least loss.
func TestContendersLearn(t *testing.T) {
	for _, values := range []bool{false, true} {
		d := mixed(t, values)
		c, err := eval.Compare(t.Context(), Contenders(d, 5), d, eval.CompareOptions{Steps: Steps(d)})
		if err != nil {
			t.Fatal(err)
		}
		name, learner := Best(c, d, 7)
		for i := range c.Loss {
			if eval.Mean(c.Loss[i]) < eval.Mean(c.Loss[slices.IndexFunc(c.Contenders, func(m eval.Contender) bool { return m.Name == name })]) {
				t.Errorf("%s isn't the best:\n%s", name, c)
			}
		}
		model, err := learner.Fit(t.Context(), d)
		if err != nil || len(model.Trees) != 7 || model.Regression() != values {
			t.Errorf("%v, %v", model, err)
		}
	}
}

func TestStepsForManyCategories(t *testing.T) {
	d := mixed(t, false)
	if _, ok := Steps(d)[1].(datasets.OneHot); !ok {
		t.Errorf("few categories: %T", Steps(d)[1])
	}
	d.Features[2].Categories = slices.Concat(d.Features[2].Categories, make([]string, 199))
	if _, ok := Steps(d)[1].(datasets.TargetEncoding); !ok {
		t.Errorf("201 categories: %T", Steps(d)[1])
	}
}

func TestSample(t *testing.T) {
	d := sim.Trunk{Features: 10}.Sample(3000, 1)
	for _, test := range []struct{ cells, want int }{{30_000, 3000}, {20_000, 2000}, {5000, 1000}, {1 << 40, 3000}} {
		got := Sample(d, test.cells)
		if got.N() != test.want || len(slices.Compact(slices.Sorted(slices.Values(got.Rows)))) != len(got.Rows) {
			t.Errorf("%d cells: %d rows", test.cells, got.N())
		}
	}
}

// The first feature decides the values; shuffling the others hardly matters.
func TestImportances(t *testing.T) {
	d := mixed(t, true)
	importances, err := Importances(t.Context(), Reader(d, 20), d)
	if err != nil {
		t.Fatal(err)
	}
	if len(importances) != 3 || importances[0].Column != 0 || importances[0].Mean < importances[0].Half || !(importances[0].Half > 0) {
		t.Errorf("%+v", importances)
	}
	bars := ImportanceBars(importances, d, 2)
	if !slices.Equal(bars.Names[:1], []string{"a"}) || len(bars.Names) != 2 || bars.Values[0] != importances[0].Mean || !strings.Contains(bars.X, "squared") {
		t.Errorf("%+v", bars)
	}
	if bars := ImportanceBars(importances, mixed(t, false), 9); bars.Values[0] != 100*importances[0].Mean || bars.Err[2] != 100*importances[2].Half {
		t.Errorf("%+v", bars)
	}
}
