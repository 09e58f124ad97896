package exercise

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest/rf"
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
