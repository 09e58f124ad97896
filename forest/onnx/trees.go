package onnx

import (
	"maps"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A shape is what split functions have in common that are computed together.
type shape struct {
	kind     forest.Kind
	features int
	squares  int // of a LowRank
}

func (s shape) compare(t shape) int {
	return slices.Compare([]int{int(s.kind), s.features, s.squares}, []int{int(t.kind), t.features, t.squares})
}

// shapeOf returns the shape of a function. Linear ones are all Sparse, and are filled up with terms of weight 0 to 1,
// 2, 3, 4, 6, 8, 12, … features, so that there are few shapes.
func shapeOf(fn forest.Function) shape {
	k := len(fn.Weights)
	switch {
	case fn.Kind == forest.Set:
		return shape{forest.Set, 1, 0}
	case fn.Kind.Linear() && k <= 1:
		return shape{forest.Sparse, 1, 0}
	case fn.Kind.Linear():
		terms, next := 2, 3
		for terms < k {
			terms, next = next, 2*terms
		}
		return shape{forest.Sparse, terms, 0}
	}
	return shape{forest.LowRank, k, len(fn.Factors) / max(1, k)}
}

// functions returns the features x with a column for each split function of the trees.
func (e *exporter) functions(x string) string {
	type stored struct {
		tree, function int
		forest.Function
	}
	groups := make(map[shape][]stored)
	e.places = make([][]int, len(e.f.Trees))
	for t := range e.f.Trees {
		pool := &e.f.Trees[t].Splits
		e.places[t] = make([]int, pool.Len())
		for split, fn := range pool.All() {
			k, _ := pool.Place(split)
			s := shapeOf(fn)
			groups[s] = append(groups[s], stored{t, k, fn})
		}
	}
	parts, next := []string{x}, e.f.P()
	if e.f.Fills != nil {
		fills := e.constant(tensorOf([]int{len(e.f.Fills)}, e.f.Fills...))
		x = e.do("Where", []string{e.do("IsNaN", []string{x}), fills, x})
	}
	for _, s := range slices.SortedFunc(maps.Keys(groups), shape.compare) {
		functions := make([]forest.Function, len(groups[s]))
		for i, fn := range groups[s] {
			functions[i] = fn.Function
			e.places[fn.tree][fn.function] = next + i
		}
		next += len(functions)
		switch s.kind {
		case forest.LowRank:
			parts = append(parts, e.lowRank(x, functions, s))
		case forest.Set:
			parts = append(parts, e.sets(x, functions))
		default:
			parts = append(parts, e.linear(x, functions, s))
		}
	}
	return e.concat(parts)
}

// linear returns the values of linear functions, rows × functions. Their terms are added one after another, so that
// each sum is rounded to float32 as Obliqua rounds it; a product of matrices would round otherwise, and rows near a
// threshold would go astray.
func (e *exporter) linear(x string, functions []forest.Function, s shape) string {
	sum := ""
	for i := range s.features {
		features, weights := make([]int, len(functions)), make([]float32, len(functions))
		for k, fn := range functions {
			if i < len(fn.Weights) {
				features[k], weights[k] = int(fn.Features[i]), fn.Weights[i]
			}
		}
		term := e.do("Mul", []string{e.gather(x, features), e.constant(tensorOf([]int{len(weights)}, weights...))})
		if i == 0 {
			sum = term
		} else {
			sum = e.do("Add", []string{sum, term})
		}
	}
	return sum
}

// sets returns the values of sets, rows × functions. They are read from a table. For each set it has the value of a
// missing cell, which is −1 in x, then of each category, then of a new category.
func (e *exporter) sets(x string, functions []forest.Function) string {
	var table []float32
	var features, begins []int
	for _, fn := range functions {
		j := fn.Features[0]
		features, begins = append(features, int(j)), append(begins, len(table)+1)
		row := make([]float32, j+1)
		for c := range len(e.f.Categories[j]) + 2 {
			row[j] = float32(c - 1)
			table = append(table, fn.Value(row))
		}
	}
	category := e.cast(e.gather(x, features), int64s)
	at := e.do("Add", []string{category, e.constant(tensorOf([]int{len(begins)}, begins...))})
	return e.do("Gather", []string{e.constant(tensorOf([]int{len(table)}, table...)), at})
}

// numbers returns a constant with float64 numbers of each function, functions × shape.
func (e *exporter) numbers(functions []forest.Function, of func(forest.Function) []float64, shape ...int) string {
	var all []float64
	for _, fn := range functions {
		all = append(all, of(fn)...)
	}
	return e.constant(tensorOf(append([]int{len(functions)}, shape...), all...))
}

// sum returns the sums of a value over axes, which go away.
func (e *exporter) sum(value string, axes ...int) string {
	return e.do("ReduceSum", []string{value, e.constant(tensorOf([]int{len(axes)}, axes...))}, attr{"keepdims", 0})
}

func widened(numbers []float32) []float64 {
	wide := make([]float64, len(numbers))
	for i, v := range numbers {
		wide[i] = float64(v)
	}
	return wide
}

// lowRank returns the values w·z + b + Σ ±(u[r]·z)², with z = y − centre, rows × functions.
func (e *exporter) lowRank(x string, functions []forest.Function, s shape) string {
	var features []int
	for _, fn := range functions {
		for _, j := range fn.Features {
			features = append(features, int(j))
		}
	}
	places := e.constant(tensorOf([]int{len(functions), s.features}, features...))
	y := e.cast(e.do("Gather", []string{x, places}, attr{"axis", 1}), float64s)
	centres := e.numbers(functions, func(fn forest.Function) []float64 { return widened(fn.Centre) }, s.features)
	z := e.do("Sub", []string{y, centres}) // rows × functions × features
	weights := e.numbers(functions, func(fn forest.Function) []float64 { return widened(fn.Weights) }, s.features)
	bias := e.numbers(functions, func(fn forest.Function) []float64 { return []float64{float64(fn.Bias)} })
	value := e.do("Add", []string{e.sum(e.do("Mul", []string{z, weights}), 2), bias})
	if s.squares > 0 {
		factors := e.numbers(functions, func(fn forest.Function) []float64 {
			u := make([]float64, len(fn.Factors)) // column r has u[r]
			for i, v := range fn.Factors {
				u[i%s.features*s.squares+i/s.features] = float64(v)
			}
			return u
		}, s.features, s.squares)
		signs := e.numbers(functions, func(fn forest.Function) []float64 {
			plus, minus := []float64{1}, []float64{-1}
			return append(slices.Repeat(plus, fn.Positive), slices.Repeat(minus, s.squares-fn.Positive)...)
		}, 1, s.squares)
		row := e.do("Unsqueeze", []string{z, e.constant(tensorOf([]int{1}, 2))})
		along := e.do("MatMul", []string{row, factors}) // rows × functions × 1 × squares
		squares := e.do("Mul", []string{e.do("Mul", []string{along, along}), signs})
		value = e.do("Add", []string{value, e.sum(squares, 2, 3)})
	}
	return e.cast(value, float32s)
}

// An ensemble has the attributes of a TreeEnsembleRegressor.
type ensemble struct {
	trees, nodes, features, yes, no []int // of each node
	missingYes                      []int // 1 if a missing cell goes left
	modes                           []string
	thresholds                      []float32

	leafTrees, leafNodes, targets []int // of each number of a leaf
	numbers                       []float32
}

// add adds what a leaf adds to a target.
func (s *ensemble) add(tree, node, target int, number float32) {
	s.leafTrees, s.leafNodes = append(s.leafTrees, tree), append(s.leafNodes, node)
	s.targets, s.numbers = append(s.targets, target), append(s.numbers, number)
}

// trees returns the sums of the trees' outputs, rows × targets, given the columns that they split by. Values are summed
// in float64, what classes get in float32 in the order of the trees, as Obliqua does it.
func (e *exporter) trees(x string) string {
	var s ensemble
	for t := range e.f.Trees {
		tree := &e.f.Trees[t]
		for i, n := range tree.Nodes {
			feature, yes, no, missingYes, mode := 0, 0, 0, 0, "LEAF"
			if n.IsLeaf() {
				e.leaf(&s, t, i, tree.Leaf(i))
			} else {
				yes, no, mode = i+1, int(n.Next), "BRANCH_LEQ"
				if k, stored := tree.Splits.Place(n.Split); stored {
					feature = e.places[t][k]
				} else {
					fn := tree.Splits.At(n.Split)
					feature = int(fn.Features[0])
					if fn.MissingLeft {
						missingYes = 1
					}
				}
			}
			s.trees, s.nodes, s.features = append(s.trees, t), append(s.nodes, i), append(s.features, feature)
			s.yes, s.no, s.modes = append(s.yes, yes), append(s.no, no), append(s.modes, mode)
			s.missingYes, s.thresholds = append(s.missingYes, missingYes), append(s.thresholds, n.Value)
		}
	}
	attributes := []attr{{"n_targets", e.targets()}, {"nodes_treeids", s.trees}, {"nodes_nodeids", s.nodes},
		{"nodes_featureids", s.features}, {"nodes_modes", s.modes}, {"nodes_truenodeids", s.yes},
		{"nodes_falsenodeids", s.no}, {"nodes_missing_value_tracks_true", s.missingYes},
		{"target_treeids", s.leafTrees}, {"target_nodeids", s.leafNodes}, {"target_ids", s.targets}}
	if len(e.f.Classes) > 0 && e.f.Rule != forest.Sum {
		return e.do("ml.TreeEnsembleRegressor", []string{x}, append(attributes, attr{"nodes_values", s.thresholds},
			attr{"target_weights", s.numbers})...)
	}
	wide := func(numbers []float32) tensor { return tensorOf([]int{len(numbers)}, widened(numbers)...) }
	attributes = append(attributes, attr{"nodes_values_as_tensor", wide(s.thresholds)},
		attr{"target_weights_as_tensor", wide(s.numbers)})
	if e.f.Rule == forest.Sum {
		attributes = append(attributes, attr{"base_values_as_tensor", tensorOf([]int{len(e.f.Base)}, e.f.Base...)})
	}
	return e.do("ml.TreeEnsembleRegressor", []string{e.cast(x, float64s)}, attributes...)
}

// leaf adds what a leaf adds to the targets.
func (e *exporter) leaf(s *ensemble, tree, node int, leaf forest.Leaf) {
	if leaf.Kind == forest.LeafValue {
		s.add(tree, node, tree%e.targets(), leaf.Value)
		return
	}
	if leaf.Kind == forest.LeafValues {
		for o, v := range leaf.Dist {
			s.add(tree, node, o, v)
		}
		return
	}
	k := len(e.f.Classes)
	weights := leaf.Dist
	if leaf.Kind == forest.LeafClass {
		weights = make([]float32, k)
		weights[leaf.Class] = 1
	}
	var sum float32 // rounded as Obliqua rounds it
	for _, w := range weights {
		sum += w
	}
	largest := slices.Index(weights, slices.Max(weights))
	for c, w := range weights {
		p := w / sum
		if p > 0 {
			s.add(tree, node, c, p)
		}
		switch {
		case e.f.Rule == forest.Plurality && c == largest:
			s.add(tree, node, k+c, 1)
		case e.f.Rule == forest.Consensus && p > 0:
			s.add(tree, node, k+c, float32(portable.Log2(1+float64(p))))
		}
	}
}
