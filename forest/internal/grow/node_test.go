package grow

import (
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// watching draws candidates as sums does. At each node it checks that the node's rows are
// rows of the data, whose features 0 and 1 hold the row number.
type watching struct {
	sums
	t      *testing.T
	d      *datasets.Dataset
	draw   []uint16
	seen   []bool
	copied bool // whether cells were read from a copy
}

func (s *watching) Draw(node *Node, attempt int) bool {
	if attempt == 0 {
		s.look(node)
	}
	return s.sums.Draw(node, attempt)
}

func (s *watching) look(node *Node) {
	s.copied = s.copied || node.cells.end > 0
	var total float64
	classes := make([]float64, len(s.d.Classes))
	cells := make([][]float32, s.d.P())
	for j := range cells {
		cells[j] = make([]float32, node.Len())
		node.Column(cells[j], int32(j))
		last, two := int32(node.Len()-1), make([]float32, 2)
		if node.Cells(two, int32(j), []int32{last, 0}); two[0] != cells[j][last] || two[1] != cells[j][0] {
			s.t.Fatalf("cells %v of feature %d, want %v and %v", two, j, cells[j][last], cells[j][0])
		}
	}
	if node.P() != s.d.P() {
		s.t.Fatalf("%d features, want %d", node.P(), s.d.P())
	}
	for i := range node.Len() {
		row := int(cells[0][i]) + 256*int(cells[1][i])
		s.seen[row] = true
		weight := float64(s.draw[row])
		if s.d.Weights != nil {
			weight *= float64(s.d.Weights[row])
		}
		total += weight
		if s.d.Labels == nil {
			if node.Weight(i) != weight || node.Value(i) != s.d.Values[row] {
				s.t.Fatalf("row %d of value %v and weight %v is shown with value %v and weight %v",
					row, s.d.Values[row], weight, node.Value(i), node.Weight(i))
			}
		} else if node.Weight(i) != weight || node.Label(i) != s.d.Labels[row] {
			s.t.Fatalf("row %d of class %d and weight %v is shown with class %d and weight %v",
				row, s.d.Labels[row], weight, node.Label(i), node.Weight(i))
		} else {
			classes[s.d.Labels[row]] += weight
		}
		for j := range cells {
			if got, want := cells[j][i], s.d.At(row, j); got != want {
				s.t.Fatalf("row %d is shown with %v for feature %d, which is %v", row, got, j, want)
			}
		}
	}
	if node.TotalWeight() != total {
		s.t.Fatalf("weight %v, want %v", node.TotalWeight(), total)
	}
	for c, want := range classes {
		if got := node.ClassWeight(int32(c)); got != want {
			s.t.Fatalf("class %d has weight %v, want %v", c, got, want)
		}
	}
}

func TestNodeShowsItsRows(t *testing.T) {
	weighted := noise(300, 4, 3)
	for i := range weighted.N() {
		weighted.Weights = append(weighted.Weights, float32(i%5)+0.5)
	}
	for name, c := range map[string]struct {
		d      *datasets.Dataset
		copied bool
	}{
		"counts":   {noise(300, 4, 2), false},
		"values":   {noise(300, 4, 0), false},
		"weighted": {weighted, false},
		"cells":    {noise(20000, 30, 2), true},
		"bytes":    {pixels(9000, minByteFeatures, 0, 255), true},
	} {
		for i := range c.d.N() {
			c.d.Columns[0][i], c.d.Columns[1][i] = float32(i%256), float32(i/256)
		}
		s := &watching{t: t, d: c.d, draw: forest.Sampling{}.Counts(nil, c.d.N(), 1, 0), seen: make([]bool, c.d.N())}
		s.p = c.d.P()
		e := must.Value(New(c.d, Params{Trees: 1, Seed: 1}))
		newWorker(e, newTeam()).grow(0, &Spec{Source: func() Source { return s }}, new(forest.Tree))
		if s.copied != c.copied {
			t.Errorf("%s: cells were read from a copy: %v", name, s.copied)
		}
		for row, seen := range s.seen {
			if seen != (s.draw[row] > 0) {
				t.Errorf("%s: row %d, drawn %d times, was seen: %v", name, row, s.draw[row], seen)
			}
		}
	}
}
