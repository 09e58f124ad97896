package rotation

import (
	"context"
	"iter"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A rotation returns a tree's rotated features, as functions of the features.
type rotation func(rng *forest.Rand) []forest.Function

// stream distinguishes the random numbers of rotations from those of samples.
const stream = 3

// fit grows a forest whose nodes are split on the best of m rotated features. The trees
// are grown one after another, each on all cores.
func fit(ctx context.Context, train *datasets.Dataset, params grow.Params, m int, prepare func(*scaled) rotation) (*forest.Forest, error) {
	e, err := grow.New(train, params) // checks everything
	if err != nil {
		return nil, err
	}
	f := e.Forest()
	s := newScaled(train)
	g := &grower{params: params, m: m, scaled: s, rotate: prepare(s)}
	g.params.Trees, g.params.Sampling, g.params.Fallback = 1, forest.AllRows, grow.Redraw
	quiet := forest.WithProgress(ctx, func(int, int) {}) // of the single trees
	var failure error
	err = grow.Each(ctx, len(f.Trees), 1, func(numbers iter.Seq[int]) {
		for t := range numbers {
			if failure = g.grow(quiet, t, params.Sampling, &f.Trees[t]); failure != nil {
				break
			}
		}
	})
	if failure != nil {
		return nil, failure
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// A grower grows axis-aligned trees on rotated copies of their rows, and makes their
// splits functions of the features. A copy takes a multiplication for each row, rotated
// feature and feature combined in it. Searching the combinations themselves would take as
// many for each row and candidate at every level of the tree.
//
// The copies are made by [forest.Project], which rounds as prediction does, so a training
// row reaches the leaf that it was counted in.
type grower struct {
	params grow.Params // of a single tree; its sample is the rows of the copy
	m      int         // rotated features drawn at a node
	scaled *scaled
	rotate rotation

	// of the tree being grown:
	counts []uint16          // how often each row of the data is drawn
	ids    []int32           // of the rows in the copy, in the columns of the data
	cells  []float32         // of the copy
	copy   *datasets.Dataset // a row that was drawn twice is there twice
}

// grow grows tree number t.
func (g *grower) grow(ctx context.Context, t int, sampling forest.Sampling, tree *forest.Tree) error {
	d := g.scaled.data
	rng := forest.NewRand(g.params.Seed, uint64(t), stream)
	params := g.params
	params.Seed = rng.Uint64()
	rotated := g.rotate(&rng)
	g.counts = sampling.Counts(g.counts, d.N(), g.params.Seed, t)
	g.copy = &datasets.Dataset{Target: d.Target, Classes: d.Classes}
	g.draw()
	if g.pure() {
		tree.Classes = len(d.Classes)
		tree.Nodes = []forest.Node{forest.ClassLeaf(g.copy.Labels[0], float32(g.weight()))}
		return nil
	}
	g.project(rotated)
	e, err := grow.New(g.copy, params)
	if err != nil {
		return err
	}
	spec := &grow.Spec{Source: func() grow.Source { return grow.NewAxes(len(rotated), g.m, grow.Search) }}
	grown := make([]forest.Tree, 1)
	if err := e.Grow(ctx, grown, func(int) *grow.Spec { return spec }); err != nil {
		return err
	}
	*tree = translated(grown[0], rotated)
	return nil
}

// draw sets ids and the copy's rows and targets to those of the rows drawn that have a
// weight or, if there are none, of all rows that have one, as the engine does.
func (g *grower) draw() {
	d, x := g.scaled.data, g.copy
	g.ids = g.ids[:0]
	add := func(i int, row int32, times uint16) {
		if times == 0 || d.Weights != nil && d.Weights[i] == 0 {
			return
		}
		for range times {
			x.Rows = append(x.Rows, int32(len(g.ids)))
			if d.Labels != nil {
				x.Labels = append(x.Labels, d.Labels[i])
			} else {
				x.Values = append(x.Values, d.Values[i])
			}
			if d.Weights != nil {
				x.Weights = append(x.Weights, d.Weights[i])
			}
		}
		g.ids = append(g.ids, row)
	}
	for i, row := range g.scaled.all() {
		add(i, row, g.counts[i])
	}
	if len(g.ids) == 0 {
		for i, row := range g.scaled.all() {
			add(i, row, 1)
		}
	}
	if len(x.Rows) == len(g.ids) {
		x.Rows = nil // all rows in order
	}
}

// pure reports whether all rows have the same class. The engine refuses those.
func (g *grower) pure() bool {
	for _, y := range g.copy.Labels {
		if y != g.copy.Labels[0] {
			return false
		}
	}
	return g.copy.Labels != nil
}

// weight returns the weight of the rows.
func (g *grower) weight() float64 {
	if g.copy.Weights == nil {
		return float64(len(g.copy.Labels))
	}
	var sum float64
	for _, w := range g.copy.Weights {
		sum += float64(w)
	}
	return sum
}

// project fills the copy with the rotated features.
func (g *grower) project(rotated []forest.Function) {
	n := len(g.ids)
	if cap(g.cells) < n*len(rotated) {
		g.cells = make([]float32, g.scaled.data.N()*len(rotated))
	}
	g.copy.Features = make([]datasets.Feature, len(rotated))
	g.copy.Columns = make([][]float32, len(rotated))
	parallel.For(len(rotated), func(k int) {
		g.copy.Columns[k] = g.cells[k*n : (k+1)*n]
		forest.Project(&rotated[k], g.copy.Columns[k], g.scaled.data.Columns, g.ids)
	})
}

// translated returns the tree that splits on functions of the features where t splits on
// rotated features. It has each function once.
func translated(t forest.Tree, rotated []forest.Function) forest.Tree {
	var pool forest.Pool
	numbers, added := make([]int32, len(rotated)), make([]bool, len(rotated))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.IsLeaf() {
			continue
		}
		k := t.Splits.At(n.Split).Features[0]
		if !added[k] {
			numbers[k], added[k] = pool.Add(rotated[k]), true
		}
		n.Split = numbers[k]
	}
	t.Splits = pool.Clone()
	return t
}
