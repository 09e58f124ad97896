package exercise

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// The Bayes rules agree with what is known of the problems: the side of both lines, and the sign of a product.
func TestProblems(t *testing.T) {
	for _, test := range []struct {
		x               []float32
		corner, quarter int32
	}{{[]float32{0.1, 0.1}, 0, 0}, {[]float32{2, 0.1}, 1, 0}, {[]float32{-1, 3}, 1, 1}, {[]float32{-1, -1}, 0, 0}} {
		if k := Corner().Bayes().Class(test.x); k != test.corner {
			t.Errorf("corner at %v: class %d", test.x, k)
		}
		if k := Quadrants().Bayes().Class(test.x); k != test.quarter {
			t.Errorf("quadrants at %v: class %d", test.x, k)
		}
	}
	d := Diagonal(200, 1)
	for i := range d.N() {
		if above := d.At(i, 1) > d.At(i, 0); (d.Classes[d.Labels[i]] == "above") != above {
			t.Errorf("row %d: %v is %s", i, d.Row(nil, i), d.Classes[d.Labels[i]])
		}
	}
	squares := 0.0
	wave := Wave(2000, 1)
	for i, v := range wave.Values {
		squares += math.Pow(v-math.Sin(3*float64(wave.At(i, 0))), 2) / 2000
	}
	if math.Abs(squares-0.09) > 0.01 { // the noise's variance, ± 0.003
		t.Errorf("mean square %v", squares)
	}
	if crest := Crest(); crest.N() != 401 || crest.At(400, 0) != 4 || crest.Values[400] != math.Sin(12) {
		t.Errorf("%d rows, the last is %v", crest.N(), crest.Values[400])
	}
}

func TestChanged(t *testing.T) {
	d := Eight()
	before := slices.Clone(d.Columns[1])
	other := Changed(d, 1, func(v float32) float32 { return v + 1 })
	for i, v := range before {
		if d.At(i, 1) != v || other.At(i, 1) != v+1 || other.At(i, 0) != d.At(i, 0) {
			t.Errorf("row %d: %v", i, other.Row(nil, i))
		}
	}
}

// A whole tree makes no mistake on its rows, some on others; only bags leave rows out.
func TestRepeat(t *testing.T) {
	others := Corner().Sample(2000, 100)
	tree := Repeat(rf.CART{}, Corner().Sample, 200, 3, others)
	if len(tree.Others) != 3 || slices.Max(tree.Training) > 0 || slices.Min(tree.Others) < Corner().Bayes().Error()-0.03 ||
		tree.OutOfBag != nil {
		t.Errorf("%+v", tree)
	}
	bag := Repeat(rf.Bagging{Trees: 50}, Corner().Sample, 200, 2, others)
	if len(bag.OutOfBag) != 2 || math.Abs(bag.OutOfBag[0]-bag.Others[0]) > 0.1 {
		t.Errorf("%+v", bag)
	}
}

// Of a whole class with one wrong label, trees that haven't seen the row are all against it.
func TestAgainst(t *testing.T) {
	whole := Separate().Sample(200, 7)
	d := Mistaken(whole, 20)
	if d.Labels[20] == whole.Labels[20] || d.Labels[21] != whole.Labels[21] {
		t.Error("another row has the other label")
	}
	model := must.Value(rf.Learner{Trees: 100}.Fit(t.Context(), d))
	if against := Against(model, d); len(against) != 200 || against[20] < 0.8 || slices.Min(against) != 0 {
		t.Errorf("%v", against)
	}
}

func TestBoard(t *testing.T) {
	d := Board()
	for i := range d.N() {
		if d.Labels[i] != int32(math.Floor(float64(d.At(i, 0)))+math.Floor(float64(d.At(i, 1))))%2 {
			t.Errorf("row %d: %v has the colour %d", i, d.Row(nil, i), d.Labels[i])
		}
	}
	if counts := d.ClassCounts(); d.N() != 375 || counts[0] != 8*25 {
		t.Errorf("%d rows, %d of the first colour", d.N(), counts[0])
	}
}

// By hand: one of two rows is wrong, then none; the last row is in no pair.
func TestErrorsOn(t *testing.T) {
	if e := ErrorsOn(2, []int32{0, 1, 1, 1, 0}, []int32{0, 0, 1, 1, 1}); !slices.Equal(e, []float64{0.5, 0}) {
		t.Errorf("%v", e)
	}
}

// A bootstrap sample has about 63 % of the rows, and the first trees are those of the forest.
func TestDrawnAndFirst(t *testing.T) {
	model := must.Value(rf.Bagging{Trees: 3}.Fit(t.Context(), Corner().Sample(1000, 1)))
	if n := Drawn(model, 1, 1000); n < 580 || n > 690 {
		t.Errorf("%d rows", n)
	}
	if len(First(model, 2).Trees) != 2 || len(First(model, 9).Trees) != 3 || len(model.Trees) != 3 {
		t.Error("other numbers of trees")
	}
}

func TestFolds(t *testing.T) {
	errors := Folds(rf.CART{}, Corner().Sample(300, 1), datasets.KFold{Stratified: true})
	if len(errors) != 5 || slices.Min(errors) < 0.05 || slices.Max(errors) > 0.4 {
		t.Errorf("%v", errors)
	}
}

func TestRanking(t *testing.T) {
	if rows := Ranking([]float64{0, 2, 1, 2}); !slices.Equal(rows, []int32{1, 3, 2, 0}) {
		t.Errorf("%v", rows)
	}
}

// By hand: the mean of 1 and 3 is 2, that of 10x is 10x.
func TestLines(t *testing.T) {
	lines := Lines("x", []float64{1, 2}, []string{"two", "ten"}, func(x float64) [][]float64 {
		return [][]float64{{1, 3}, {10 * x}}
	})
	if len(lines) != 2 || lines[0].Name != "two" || !slices.Equal(lines[0].Y, []float64{2, 2}) ||
		!slices.Equal(lines[1].X, []float64{1, 2}) || !slices.Equal(lines[1].Y, []float64{10, 20}) {
		t.Errorf("%+v", lines)
	}
}
