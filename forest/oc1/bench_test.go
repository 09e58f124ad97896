package oc1

import (
	"fmt"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
)

// BenchmarkFit grows a pruned tree of all features and ten trees of some, on rows of two and of ten classes, and on
// whole numbers, of which many rows are equal.
func BenchmarkFit(b *testing.B) {
	fittest.Benchmark(b, map[string]*datasets.Dataset{
		"2 classes":        table(2000, 12, 2, false, 1),
		"10 classes":       table(2000, 12, 10, false, 1),
		"10 classes whole": table(2000, 12, 10, true, 1),
	}, Tree{}, Learner{Trees: 10})
}

// BenchmarkPerturb perturbs coefficients of a hyperplane of 5000 rows in turn.
func BenchmarkPerturb(b *testing.B) {
	for _, k := range []int{2, 10} {
		d := table(5000, 8, k, false, 1)
		b.Run(fmt.Sprint(k, " classes"), func(b *testing.B) {
			h, _ := searchOf(d.Columns, d.Labels, k)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				h.moves++ // or settled coefficients aren't tried again
				h.perturb(i % 8)
			}
		})
	}
}

// separate makes every row a point.
func (h *search) separate() {
	h.first, h.starts = h.first[:0], append(h.starts[:0], 0)
	for i := range h.list {
		h.first, h.starts = append(h.first, int32(i)), append(h.starts, int32(i+1))
	}
}

// searchOf returns a search at its first start, over rows of weight 1.
func searchOf(columns [][]float32, labels []int32, k int) (*search, *forest.Rand) {
	rng := forest.NewRand(1)
	h := &search{Search: Search{Restarts: 1}}
	h.begin(&rng, columns, len(labels))
	for i, class := range labels {
		h.list[i] = row{1, class, true}
	}
	h.whole = true
	h.count(k)
	h.separate()
	h.scale()
	h.drawDirection(h.plane)
	h.evaluate(h.plane, h.values)
	divide(&h.rows, h.values, 0)
	h.score = h.divisionScore()
	return h, &rng
}

// Nothing is allocated at a node but the first time.
func TestNoAllocation(t *testing.T) {
	d := table(1000, 5, 4, false, 1)
	h, _ := searchOf(d.Columns, d.Labels, 4)
	h.Jumps = 2
	h.Restarts = 2
	if allocations := testing.AllocsPerRun(3, func() {
		h.begin(h.rng, d.Columns, d.N())
		h.scale()
		axis, threshold := h.axisSplit()
		h.run(axis, threshold)
	}); allocations > 0 {
		t.Errorf("%v allocations a node", allocations)
	}
}
