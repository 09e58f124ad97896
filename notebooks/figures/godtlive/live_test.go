package godtlive

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/viz"
)

// The class is 0.5 or −0.5 in the first feature, with a standard deviation of 0.25: the Bayes error is Φ(−2). The
// others say nothing of it.
func TestHiddenClass(t *testing.T) {
	p := hiddenClass(4)
	if got, want := p.Bayes().Error(), 0.022750131948179195; math.Abs(got-want) > 0.002 {
		t.Errorf("Bayes error %v, want %v", got, want)
	}
	d := p.Sample(2000, 1)
	var mean [4][2]float64
	counts := d.ClassCounts()
	for i, k := range d.Labels {
		for j := range 4 {
			mean[j][k] += float64(d.At(i, j)) / float64(counts[k])
		}
	}
	if math.Abs(mean[0][1]-mean[0][0]-1) > 0.05 || math.Abs(mean[1][1]-mean[1][0]) > 0.5 {
		t.Errorf("means by class %v", mean)
	}
}

// x ≤ 1 divides 0, 1, 2 and 3 half-way; labels that say otherwise on one row of four are 25 % wrong, whichever side is
// called first.
func TestSides(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 2), Columns: [][]float32{{0, 1, 2, 3}, {0, 0, 0, 0}},
		Labels: []int32{1, 1, 1, 0}, Classes: []string{"a", "b"}}
	of, wrong := sides(d, viz.Boundary{Function: forest.Linear([]int32{0}, []float32{1}), Threshold: 1})
	if !slices.Equal(of, []int32{0, 0, 1, 1}) || wrong != 25 {
		t.Errorf("sides %v, %v %% wrong", of, wrong)
	}
}

// The tree's boundaries are those of the mixtures drawn.
func TestNodes(t *testing.T) {
	d := hiddenClass(2).Sample(200, 1)
	tree := godt.Tree{Growth: forest.Growth{MaxDepth: 2}}
	model := must.Value(tree.Fit(t.Context(), d))
	steps := Nodes(model, tree, d).Steps
	if len(steps) != model.Size().Splits {
		t.Fatalf("%d steps of %d splits", len(steps), model.Size().Splits)
	}
	for i, s := range steps {
		m := must.Value(tree.Splitting.Mixture(d, s.Rows, 0))
		if s.Boundaries[0].Threshold != m.Threshold || s.Components[1].Weight != m.Share[1] {
			t.Errorf("step %d: threshold %v, components %v; want %+v", i, s.Boundaries[0].Threshold, s.Components, m)
		}
	}
}
