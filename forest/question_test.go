package forest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// prepared is a forest without trees whose features are made by steps.
func prepared() *forest.Forest {
	before := []datasets.Feature{{Name: "area"}, {Name: "income"}, {Name: "colour", Categories: []string{"blue", "red"}},
		{Name: "time", Scale: datasets.Scale{Offset: 1700000000000, Step: 1000}},
		{Name: "day", Scale: datasets.Scale{Unit: "date 2.1.2006"}}, {Name: "twice"},
		{Name: "size", Categories: []string{"s", "m", "l", "xl"}}}
	op := func(do string, numbers ...float64) datasets.Op { return datasets.Op{Do: do, Numbers: numbers} }
	columns := []datasets.Column{
		{Name: "area", From: 0, Ops: []datasets.Op{op("scale", 140, 10), op("fill", 0)}},
		{Name: "income", From: 1, Ops: []datasets.Op{op("line", 100, -2, 200, 0, 1200, 2), op("scale", 0.5, 2)}},
		{Name: "colour=red", From: 2, Ops: []datasets.Op{op("is", 1), op("scale", 0.25, 0.5), op("fill", 0)}},
		{Name: "time", From: 3, Ops: []datasets.Op{op("scale", 50, 20)}},
		{Name: "day", From: 4, Ops: []datasets.Op{op("scale", 19000, 100)}},
		{Name: "area is missing", From: 0, Ops: []datasets.Op{op("missing"), op("scale", 0.5, 0.5)}},
		{Name: "day month", From: 4, Ops: []datasets.Op{op("month", 0, 1), op("scale", 6, 3)}},
		{Name: "twice", From: 5, Ops: []datasets.Op{op("scale", 3, 2), op("scale", 5, 10)}},
		{Name: "down", From: 5, Ops: []datasets.Op{op("line", 0, 1, 1, 0)}},
		{Name: "size=m", From: 6, Ops: []datasets.Op{op("codes", 2, 0, 1, math.NaN(), math.NaN()), op("is", 0)}},
		{Name: "size|yes", From: 6, Ops: []datasets.Op{op("codes", 0.1, 0.7, 0.3, 0.2, 0.4), op("scale", 0.5, 0.5)}},
	}
	f := &forest.Forest{Classes: []string{"no", "yes"}, Columns: before,
		Steps: must.Value(datasets.NewTransform(before, columns))}
	for _, c := range columns {
		f.Features = append(f.Features, c.Name)
	}
	return f
}

// Each condition is solved for the column by hand.
func TestSplitsInUnitsOfColumns(t *testing.T) {
	const area, income, red, time, day, missing, month, twice, down, m, size = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	f := prepared()
	for _, test := range []struct {
		features  []int32
		weights   []float32
		threshold float32
		want      string
	}{
		{[]int32{area}, []float32{1}, -0.25, "area ≤ 137.5"},
		{[]int32{area}, []float32{-2}, 0.5, "area ≥ 137.5"},
		{[]int32{income}, []float32{1}, 0.25, "income ≤ 700"},            // score 0.5 + 2·0.25 = 1, half-way from 200 to 1200
		{[]int32{income}, []float32{1}, -0.75, "income ≤ 150"},           // score −1
		{[]int32{income}, []float32{1}, 2, "0.5·score of income ≤ 2.25"}, // beyond the last point: all rows
		{[]int32{red}, []float32{1}, 0, "colour is not red"},
		{[]int32{red}, []float32{-3}, 0, "colour is red"},
		{[]int32{red}, []float32{1}, 2, "2·(colour is red) ≤ 2.5"}, // all rows
		{[]int32{time}, []float32{1}, 1.5, "time ≤ 1700000080000"},
		{[]int32{day}, []float32{1}, 0.5, "day ≤ 27.2.2022"},   // 19050 days after 1970-01-01, by date(1)
		{[]int32{day}, []float32{-1}, 0.5, "day ≥ 19.11.2021"}, // 18950
		{[]int32{day}, []float32{-1}, 0.495, "day > 19.11.2021"},
		{[]int32{missing}, []float32{1}, 0.2, "area not missing"},
		{[]int32{missing}, []float32{-1}, 0.2, "area missing"},
		{[]int32{month}, []float32{1}, 0.5, "day month ≤ 7.5"},
		{[]int32{twice}, []float32{1}, -0.4, "twice ≤ 5"}, // (x − 3)/2 ≤ 1
		{[]int32{down}, []float32{1}, 0.5, "score of twice ≤ 0.5"},
		{[]int32{m}, []float32{1}, 0.5, "size is not m"},
		{[]int32{size}, []float32{1}, -0.5, "size in {s, xl}"}, // codes of at most 0.25
		{[]int32{size}, []float32{-1}, 0.5, "size in {m, l}"},
		{[]int32{size}, []float32{1}, 2, "2·size|yes ≤ 3"}, // all
		// (a − 140)/10 + 3·(s − 0.5)/2 ≤ 1 is a/10 + 1.5·s ≤ 15.75.
		{[]int32{area, income}, []float32{1, 3}, 1, "0.1·area + 1.5·score of income ≤ 15.75"},
		// (a − 140)/10 − 2·(r − 0.25) ≤ 0 is a/10 − 2·r ≤ 13.5; weights of 0 don't matter.
		{[]int32{area, red, time}, []float32{1, -1, 0}, 0, "0.1·area − 2·(colour is red) ≤ 13.5"},
		// (c − 50)/20 + (d − 19000)/100 ≤ 0, where c is 1/1000 of the time less 1700000000000, and d days.
		{[]int32{time, day}, []float32{1, 1}, 0,
			"5e-05·(time − 1700000000000) + 0.01·(day − 1.1.1970) ≤ 192.5"},
		{[]int32{area, month}, []float32{0, 0}, 1, "0 ≤ 1"},
	} {
		tree := forest.Tree{Classes: 2}
		tree.Nodes = []forest.Node{{Split: tree.Splits.Add(forest.Linear(test.features, test.weights)),
			Value: test.threshold, Next: 2}, forest.ClassLeaf(0, 1), forest.ClassLeaf(1, 1)}
		if got := f.SplitString(&tree, 0); got != test.want {
			t.Errorf("%v %v %v: %s; want %s", test.features, test.weights, test.threshold, got, test.want)
		}
	}
	// 2·(a − 140)/10 − (r − 0.25)/0.5 + 1
	values := forest.Tree{}
	values.Nodes = []forest.Node{values.LinearLeaf([]forest.Score{{Bias: 1, Features: []int32{area, red},
		Weights: []float32{2, -1}}}, 8)}
	f.Classes = nil
	if got, want := strings.TrimSpace(f.TreeString(&values, 0)), "0.2·area − 2·(colour is red) − 26.5 (8)"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// A split in units of the columns divides the rows of a table as the forest does.
func TestQuestionsDivideRows(t *testing.T) {
	f := prepared()
	cells := []float32{90, 100, 140, 180, 200, 420, 700, 1199, 1200, 1300}
	d := &datasets.Dataset{Features: f.Columns}
	for range f.Columns {
		d.Columns = append(d.Columns, cells)
	}
	d.Columns[2], d.Columns[6] = make([]float32, len(cells)), make([]float32, len(cells))
	x := must.Value(f.Steps.Apply(t.Context(), d))
	for _, feature := range []int32{0, 1, 7} {
		for _, threshold := range []float32{-1.2, -0.3, 0, 0.11, 0.7, 0.74} {
			fn := forest.Linear([]int32{feature}, []float32{1})
			q := f.Ask(&fn, threshold)
			for i, v := range x.Columns[feature] {
				if (v <= threshold) != (float64(cells[i]) <= q.Threshold) {
					t.Errorf("feature %d at most %v: cell %v; asked %v", feature, threshold, cells[i], q.Threshold)
				}
			}
		}
	}
}
