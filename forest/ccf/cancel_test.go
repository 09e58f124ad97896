package ccf

import (
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// An analysis looks at its call once a block of rows and once a pivot, and ends with it.
func TestAnalysisEndsWithItsCall(t *testing.T) {
	const n, m = 100 * blockRows, 9
	rng := rand.New(rand.NewPCG(1, 2))
	columns, labels, weights := make([][]float32, m), make([]int32, n), make([]float64, n)
	for j := range columns {
		columns[j] = make([]float32, n)
		for i := range columns[j] {
			columns[j][i] = float32(rng.NormFloat64())
		}
	}
	for i := range labels {
		labels[i], weights[i] = int32(i%4), 1
	}
	s := sampled(columns, labels, weights, ones(m))
	whole := &calltest.Count{Left: 1 << 40}
	s.analysis.compute(s, whole)
	if least := n/blockRows + 2*m; whole.Looks < least {
		t.Errorf("%d looks at the call; want %d or more", whole.Looks, least)
	}
	for left := 0; left < whole.Looks; left += 7 {
		count := &calltest.Count{Left: left}
		s.analysis.compute(s, count)
		if count.After() > 5 {
			t.Errorf("%d looks after the call was cancelled at look %d of %d", count.After(), left, whole.Looks)
		}
	}
}

// More features than a node's matrices have room for are refused before anything is made.
func TestTooManyNodeFeatures(t *testing.T) {
	d := fittest.Wide(3, maxNodeFeatures+1)
	_, err := Learner{Trees: 1, NodeFeatures: d.P()}.Fit(t.Context(), d)
	readtest.WantError(t, err, "want at most 16384")
	for _, l := range (Learner{}).Grid(d) {
		if m := l.(Learner).NodeFeatures; m > maxNodeFeatures {
			t.Errorf("the grid has NodeFeatures %d", m)
		}
	}
}
