package runs

import (
	"fmt"
	"math"

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
		found, at := make([]int32, k), make([]float64, k)
		for j := range at {
			at[j] = math.Inf(1)
		}
		own := cells[i*p : (i+1)*p]
		for j := range n {
			distance := 0.0
			for f, x := range cells[j*p : (j+1)*p] {
				distance += float64(x-own[f]) * float64(x-own[f])
			}
			if j == i || distance >= at[k-1] {
				continue
			}
			to := k - 1
			for ; to > 0 && at[to-1] > distance; to-- {
				at[to], found[to] = at[to-1], found[to-1]
			}
			at[to], found[to] = distance, d.Labels[order[j]]
		}
		near[order[i]] = found
	})
	return near
}
