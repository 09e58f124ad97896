package grow

import (
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// functionValues holds the data of a tree whose Spec has Functions: a column of values for
// each, with a cell for each row of the tree's sample. Memory is used for one tree after
// another.
type functionValues struct {
	data  data
	cells []float32
}

// of returns the data, and makes the sample's ids indices in it. x is the data that the
// functions are computed on, and the ids are indices in. If the call is cancelled, the values may be wrong.
func (v *functionValues) of(x *data, functions []forest.Function, s *sample, call parallel.Call) *data {
	n, q, d := len(s.ids), len(functions), &v.data
	v.cells = Sized(v.cells, n*q)
	d.n, d.columns = n, Sized(d.columns, q)
	d.extent, d.whole, d.levels = Sized(d.extent, q), Sized(d.whole, q), Sized(d.levels, q)
	for k := range functions {
		d.columns[k] = v.cells[k*n:][:n]
		d.extent[k], d.whole[k] = x.extentOf(&functions[k])
		d.levels[k] = x.levelsOf(&functions[k])
	}
	projectAll(d.columns, functions, x.columns, s.ids, call)
	for i := range s.ids {
		s.ids[i] = int32(i)
	}
	return d
}

// projectAll writes the values of each function for the given rows of columns to values.
// Consecutive functions of the same features are computed together.
func projectAll(values [][]float32, functions []forest.Function, columns [][]float32, rows []int32,
	call parallel.Call) {
	for len(functions) > 0 && !parallel.Cancelled(call) {
		first, same := &functions[0], 1
		for same < len(functions) && sameFeatures(first, &functions[same]) {
			same++
		}
		if same == 1 {
			forest.Project(first, values[0], columns, rows)
		} else {
			weights := make([][]float32, same)
			for k := range weights {
				weights[k] = functions[k].Weights
			}
			kernel.Rotate(values[:same], columns, rows, first.Features, weights, call)
		}
		functions, values = functions[same:], values[same:]
	}
}

// sameFeatures reports whether both functions combine the same features, which are listed.
func sameFeatures(a, b *forest.Function) bool {
	return a.Kind.Linear() && b.Kind.Linear() && len(a.Features) > 0 && slices.Equal(a.Features, b.Features)
}

// checkFunctions returns an error if the functions have too many coefficients for a tree.
func checkFunctions(functions []forest.Function) error {
	coefficients := 0
	for k := range functions {
		coefficients += len(functions[k].Weights)
	}
	return checkCoefficients(coefficients)
}

// substitute makes the tree split on a function where it splits on that function's number.
// It stores those functions that the tree uses, once each.
func substitute(t *forest.Tree, functions []forest.Function) {
	var used forest.Tree
	numbers, added := make([]int32, len(functions)), make([]bool, len(functions))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.IsLeaf() {
			continue
		}
		k := t.Splits.At(n.Split).Features[0]
		if !added[k] {
			numbers[k], added[k] = used.Splits.Add(functions[k]), true
		}
		n.Split = numbers[k]
	}
	used = used.Trimmed()
	t.Splits = used.Splits
}
