package grow

import (
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// watching draws directions as sums does. At each node it looks whether the rows
// that it is shown are rows of the data, whose features 0 and 1 hold their number.
type watching struct {
	sums
	t    *testing.T
	d    *datasets.Dataset
	draw []uint16
	rows Rows
	seen []bool
	near bool // whether cells were read from a copy
}

func (s *watching) Watch(rows Rows) { s.rows = rows }

func (s *watching) Begin(rng *forest.Rand) {
	s.sums.Begin(rng)
	s.near = s.near || s.rows.w.near.end > 0
	cells := make([][]float32, s.d.P())
	for j := range cells {
		cells[j] = make([]float32, s.rows.Len())
		s.rows.Column(cells[j], int32(j))
	}
	for i := range s.rows.Len() {
		row := int(cells[0][i]) + 256*int(cells[1][i])
		s.seen[row] = true
		weight := float64(s.draw[row])
		if s.d.Weights != nil {
			weight *= float64(s.d.Weights[row])
		}
		if s.rows.Weight(i) != weight || s.rows.Label(i) != s.d.Labels[row] {
			s.t.Fatalf("row %d of class %d and weight %v is shown with class %d and weight %v",
				row, s.d.Labels[row], weight, s.rows.Label(i), s.rows.Weight(i))
		}
		for j := range cells {
			if got, want := cells[j][i], s.d.At(row, j); got != want {
				s.t.Fatalf("row %d is shown with %v for feature %d, which is %v", row, got, j, want)
			}
		}
	}
}

func TestRowsAreTheNodes(t *testing.T) {
	weighted := noise(300, 4, 3)
	for i := range weighted.N() {
		weighted.Weights = append(weighted.Weights, float32(i%5)+0.5)
	}
	for name, c := range map[string]struct {
		d    *datasets.Dataset
		near bool
	}{
		"counts":   {noise(300, 4, 2), false},
		"weighted": {weighted, false},
		"cells":    {noise(20000, 30, 2), true},
		"bytes":    {pixels(9000, bytesFeatures, 0, 255), true},
	} {
		for i := range c.d.N() {
			c.d.Columns[0][i], c.d.Columns[1][i] = float32(i%256), float32(i/256)
		}
		sampling := forest.Bootstrap(1)
		s := &watching{t: t, d: c.d, draw: sampling.Counts(nil, c.d.N(), 0), seen: make([]bool, c.d.N())}
		s.p = c.d.P()
		params := Params{Trees: 1, Sampling: sampling, Directions: func(int) Directions { return s }}
		x, err := newData(c.d, params)
		if err != nil {
			t.Fatal(err)
		}
		newWorker(x, params, newCrew()).grow(0, new(forest.Tree))
		if s.near != c.near {
			t.Errorf("%s: cells were read from a copy: %v", name, s.near)
		}
		for row, seen := range s.seen {
			if seen != (s.draw[row] > 0) {
				t.Errorf("%s: row %d, drawn %d times, was seen: %v", name, row, s.draw[row], seen)
			}
		}
	}
}
