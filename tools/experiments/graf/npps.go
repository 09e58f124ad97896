package graf

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

// The numbers of neighbours that NPPS tries: all from 2 to 50, or some for more than 2000
// training rows.
const mostNeighbours = 50

func neighbourCounts(n int) []int {
	if n > 2000 {
		return []int{2, 3, 5, 7, 10, 15, 20, 30, 40, mostNeighbours}
	}
	return paper.Ints(2, mostNeighbours)
}

// mixedNeighbours chooses by NPPS, with each number of neighbours; see [npps].
func (s *division) mixedNeighbours() (choices [][]int32, settings []string, err error) {
	near := neighbourLabels(s.train, mostNeighbours, s.seed)
	for _, k := range neighbourCounts(s.train.N()) {
		if chosen := npps(near, s.train.Labels, len(s.train.Classes), k); len(chosen) > 0 {
			settings, choices = append(settings, fmt.Sprintf("k=%d", k)), append(choices, chosen)
		}
	}
	if len(choices) == 0 {
		err = fmt.Errorf("NPPS chooses no row of %s", s.set)
	}
	return choices, settings, err
}

// npps returns the rows that neighbourhood property-based pattern selection chooses
// (Shin and Cho, Neural Computation 19, 2007; its first form, which looks at every row,
// with β = 1): rows whose k nearest neighbours are of more than one class, so that the entropy of
// their classes is above 0, and of which a share of at least 1/classes has the row's own
// class. near has the neighbours' classes, nearest first.
//
// The first condition keeps rows near a boundary, the second leaves out noise.
func npps(near [][]int32, labels []int32, classes, k int) []int32 {
	var chosen []int32
	for i, all := range near {
		some := all[:min(k, len(all))]
		same, mixed := 0, false
		for _, c := range some {
			if c == labels[i] {
				same++
			}
			mixed = mixed || c != some[0]
		}
		if mixed && same*classes >= len(some) {
			chosen = append(chosen, int32(i))
		}
	}
	return chosen
}

// neighbourLabels returns the classes of the k nearest other rows of each row, by
// Euclidean distance, nearest first. Ties are in an order drawn from seed.
func neighbourLabels(d *datasets.Dataset, k int, seed uint64) [][]int32 {
	n, p := d.N(), d.P()
	k = min(k, n-1)
	order := shuffledRows(n, seed)
	cells := make([]float32, n*p) // in that order
	for i, row := range order {
		copy(cells[i*p:], d.Row(nil, int(row)))
	}
	near := make([][]int32, n)
	parallel.For(n, func(i int) {
		at, rows := make([]float64, n), make([]int, n)
		for j := range n {
			for f, x := range cells[j*p : (j+1)*p] {
				step := float64(x - cells[i*p+f])
				at[j] += step * step
			}
		}
		at[i] = math.Inf(1)
		floats.ArgsortStable(at, rows)
		for _, j := range rows[:k] {
			near[order[i]] = append(near[order[i]], d.Labels[order[j]])
		}
	})
	return near
}
