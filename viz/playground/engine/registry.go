package engine

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/sim"
)

// An Entry is a line of a menu: a learner or a simulated problem with some of its
// fields as sliders.
type Entry struct {
	Name       string             `json:"name"` // the Go type, such as "sporf.Learner"; several entries may have the same
	Title      string             `json:"title"`
	Group      string             `json:"group"`
	About      string             `json:"about"` // a sentence
	Fixed      map[string]float64 `json:"fixed"` // fields that make this entry of the type
	Parameters []Parameter        `json:"parameters"`
	Iterative  bool               `json:"iterative"` // improves splits step by step (passes, a search, EM), so training takes long
}

// A Parameter is a field of a learner or problem, with the values that its slider has.
type Parameter struct {
	Field   string    `json:"field"` // such as "Trees" or "Memory.Alpha"
	Label   string    `json:"label"`
	Values  []float64 `json:"values"`  // in the slider's order
	Names   []string  `json:"names"`   // of the values, for a choice; nil for numbers
	Start   float64   `json:"start"`   // what the playground starts with
	Default float64   `json:"default"` // what 0 stands for; 0 if that isn't a number
	Zero    string    `json:"zero"`    // what is shown for 0, such as "no limit"
	Unit    string    `json:"unit"`    // follows numbers
	None    string    `json:"none"`    // what is shown for −1, where that turns something off
}

// refined is a CART tree improved by TAO; see [tao.Learner.Refine].
type refined struct {
	MaxDepth int // of the CART tree
	Passes   int
	Lambda   float64
	Seed     uint64
}

// Fit grows the tree by CART and refines it.
func (r refined) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	tree, err := rf.CART{Growth: forest.Growth{MaxDepth: r.MaxDepth}, Seed: r.Seed}.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	return tao.Learner{Passes: r.Passes, Lambda: r.Lambda}.Refine(ctx, tree, train)
}

// types returns a new value of each type that entries name.
func types() map[string]any {
	return map[string]any{
		"rf.CART": new(rf.CART), "rf.Learner": new(rf.Learner), "rf.Bagging": new(rf.Bagging),
		"rf.ExtraTrees": new(rf.ExtraTrees), "rf.HRF": new(rf.HRF),
		"sporf.Learner": new(sporf.Learner), "sporf.FRC": new(sporf.FRC),
		"rotation.Learner": new(rotation.Learner), "rotation.Random": new(rotation.Random),
		"graf.Learner": new(graf.Learner), "oblique.Learner": new(oblique.Learner),
		"ccf.Learner": new(ccf.Learner), "mix.Learner": new(mix.Learner), "oc1.Tree": new(oc1.Tree), "oc1.Learner": new(oc1.Learner),
		"tao.Learner": new(tao.Learner), "tao.Refine": new(refined),
		"godt.Tree": new(godt.Tree), "godt.Learner": new(godt.Learner),
		"sim.XOR": new(sim.XOR), "sim.Circles": new(sim.Circles), "sim.Pies": new(sim.Pies),
		"sim.GaussianClasses": new(sim.GaussianClasses), "sim.Ringnorm": new(sim.Ringnorm),
		"sim.SparseParity": new(sim.SparseParity), "sim.Orthant": new(sim.Orthant), "sim.RandomRBF": new(sim.RandomRBF),
	}
}

// newValue returns the struct of the given type with the given fields, and T, such as
// [forest.Learner], that it implements.
func newValue[T any](name string, fields map[string]float64) (reflect.Value, T, error) {
	var none T
	pointer, known := types()[name]
	if known {
		_, known = pointer.(T)
	}
	if !known {
		return reflect.Value{}, none, fmt.Errorf("playground: there is no %q", name)
	}
	v := reflect.ValueOf(pointer).Elem()
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if err := set(v, field, fields[field]); err != nil {
			return reflect.Value{}, none, fmt.Errorf("playground: %w", err)
		}
	}
	return v, v.Interface().(T), nil
}

// NewLearner returns the learner of the given type, such as "sporf.Learner", with the
// given fields, and its Go source. It returns an error if there is no such type or
// field, or if a value doesn't fit.
func NewLearner(name string, fields map[string]float64) (learner forest.Learner, code string, err error) {
	v, learner, err := newValue[forest.Learner](name, fields)
	if err != nil {
		return nil, "", err
	}
	if r, ok := learner.(refined); ok {
		cart := rf.CART{Growth: forest.Growth{MaxDepth: r.MaxDepth}, Seed: r.Seed}
		passes := tao.Learner{Passes: r.Passes, Lambda: r.Lambda}
		return r, "cart := " + source(reflect.ValueOf(cart)) + "\n" + source(reflect.ValueOf(passes)) + ".Refine(ctx, tree, train)", nil
	}
	return learner, source(v), nil
}

// numbers returns the whole numbers from a to b.
func numbers(a, b int) []float64 {
	var list []float64
	for k := a; k <= b; k++ {
		list = append(list, float64(k))
	}
	return list
}

// start returns p with another value to start with.
func (p Parameter) start(value float64) Parameter {
	p.Start = value
	return p
}

// trees returns the slider of the number of trees. It starts with 50, since more make
// the picture smoother, not different, and take longer.
func trees(standard float64) Parameter {
	p := Parameter{Field: "Trees", Label: "Trees", Values: []float64{1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000}, Default: standard, Start: 50}
	if standard == 30 {
		p.Start = 0
	}
	return p
}

// choice returns the parameter of a type that stands for a choice.
func choice(field, label string, names ...string) Parameter {
	return Parameter{Field: field, Label: label, Values: numbers(0, len(names)-1), Names: names}
}

var (
	depth     = Parameter{Field: "MaxDepth", Label: "Depth, at most", Values: append(numbers(1, 12), 15, 20, 0), Zero: "no limit"}
	minLeaf   = Parameter{Field: "MinLeaf", Label: "Rows in a leaf, at least", Values: []float64{1, 2, 3, 5, 10, 20, 50}, Default: 1}
	minSplit  = Parameter{Field: "MinSplit", Label: "Rows to split, at least", Values: []float64{2, 3, 5, 10, 20, 50, 100}, Default: 2}
	criterion = choice("Criterion", "Impurity", "Gini", "entropy")
	seed      = Parameter{Field: "Seed", Label: "Seed of the model", Values: numbers(0, 20)}
	planes    = Parameter{Field: "Candidates", Values: []float64{1, 2, 3, 5, 10, 20, 50}}
)

// Methods returns the learners of the library, in the order of the menu, for data with p
// features.
func Methods(p int) []Entry {
	list := slices.Concat(axisParallel(p), drawn(p), fitted(p), optimised(p), gaussian(p))
	for i := range list {
		list[i].Parameters = append(list[i].Parameters, seed)
	}
	return list
}

// features returns a slider of a number of features from 1 to p.
func features(field, label string, p, standard int) Parameter {
	return Parameter{Field: field, Label: label, Values: numbers(1, p), Default: float64(min(p, max(1, standard)))}
}

func root(p int) int { return int(math.Sqrt(float64(p))) }

func axisParallel(p int) []Entry {
	const group = "Splits on one feature"
	nodeFeatures := features("NodeFeatures", "Features tried at a node", p, root(p))
	return []Entry{
		{Name: "rf.CART", Title: "CART tree", Group: group,
			About:      "One tree; every node is split on the best feature at the best threshold (Breiman and others, 1984).",
			Parameters: []Parameter{depth, minLeaf, criterion}},
		{Name: "rf.Bagging", Title: "Bagged CART", Group: group,
			About:      "CART trees, each on a bootstrap sample of the rows (Breiman, 1996).",
			Parameters: []Parameter{trees(500), depth, minLeaf}},
		{Name: "rf.Learner", Title: "Random forest", Group: group,
			About:      "Bagged trees whose nodes try only some features, drawn at random (Breiman, 2001).",
			Parameters: []Parameter{trees(500), nodeFeatures, depth, minLeaf}},
		{Name: "rf.ExtraTrees", Title: "Extremely randomised trees", Group: group,
			About:      "Trees on all rows, with one random threshold for each feature drawn (Geurts and others, 2006).",
			Parameters: []Parameter{trees(500), nodeFeatures, depth, minLeaf}},
		{Name: "rf.HRF", Title: "Heterogeneous random forest", Group: group,
			About: "A random forest whose trees avoid the features that earlier trees split by near their roots (Kim and others).",
			Parameters: []Parameter{trees(100), nodeFeatures,
				{Field: "Memory.Beta", Label: "β, depth of unused features", Values: append(numbers(1, 6), 10), Start: 1, Zero: "1, with α = 0.5"},
				{Field: "Memory.Alpha", Label: "α, memory of earlier trees", Values: []float64{0, 0.2, 0.5, 0.7, 0.9, 1}, Start: 0.5}, depth}},
	}
}

func drawn(p int) []Entry {
	const group = "Oblique splits drawn at random"
	candidates := planesTried("Projections tried at a node", float64(p))
	combinations := candidates
	combinations.Label = "Combinations tried at a node"
	return []Entry{
		{Name: "sporf.Learner", Title: "SPORF", Group: group,
			About: "The best of some sparse random sums and differences of features splits a node (Tomita and others, 2020).",
			Parameters: []Parameter{trees(500), candidates,
				{Field: "Density", Label: "λ, share of features in a projection", Values: []float64{0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 1}, Default: min(1, 3/float64(p))}, depth, minLeaf}},
		{Name: "sporf.FRC", Title: "Forest-RC", Group: group,
			About: "The best of some combinations of L features, with weights uniform in [−1, 1], splits a node (Breiman, 2001).",
			Parameters: []Parameter{trees(500), combinations,
				{Field: "Combined", Label: "L, features combined", Values: numbers(1, min(p, 5)), Default: float64(min(3, p))}, depth, minLeaf}},
		{Name: "graf.Learner", Title: "GRAF", Group: group,
			About: "A tree grows plane by plane: a random plane is extended through all impure regions (Gupta and others).",
			Parameters: []Parameter{trees(100), treeFeatures(p, (p+1)/2),
				{Field: "Candidates", Label: "Planes tried at a step", Values: []float64{0, 1, 2, 3, 5, 10, 20, 50}, Zero: "automatic"}, minSplit}},
		{Name: "rotation.Random", Title: "Random rotation forest", Group: group,
			About:      "A random forest each of whose trees sees the features in a random rotation (Blaser and Fryzlewicz, 2016).",
			Parameters: []Parameter{trees(500), features("NodeFeatures", "Rotated features tried at a node", p, root(p)), depth, minLeaf}},
	}
}

// treeFeatures returns the slider of features drawn for a tree. With two features the
// default of several methods is one, which leaves nothing to be oblique: the playground
// starts with both.
func treeFeatures(p, standard int) Parameter {
	s := features("TreeFeatures", "Features of a tree", p, standard)
	if p == 2 {
		s.Start = 2
	}
	return s
}

func fitted(p int) []Entry {
	const group = "Oblique splits fitted to a node's rows"
	return []Entry{
		{Name: "oblique.Learner", Title: "Oblique random forest (ridge, LDA)", Group: group,
			About: "A linear model of some features, fitted to the node's rows, splits it (Menze and others, 2011).",
			Parameters: []Parameter{choice("Node", "Model at a node", "ridge regression", "linear discriminant"), trees(100),
				features("NodeFeatures", "Features of a fit", p, max(2, root(p))), planesTried("Fits tried at a node", 1), depth, minLeaf}},
		{Name: "rotation.Learner", Title: "Rotation forest", Group: group,
			About: "Each tree is grown on principal components of subsets of the features (Rodríguez and others, 2006).",
			Parameters: []Parameter{trees(100),
				{Field: "SubsetFeatures", Label: "M, features of a subset", Values: numbers(1, max(3, p)), Default: 3}, depth, minLeaf}},
		{Name: "ccf.Learner", Title: "Canonical correlation forest", Group: group,
			About: "The combinations of features that correlate best with the classes split a node (Rainforth and Wood, 2015).",
			Parameters: []Parameter{trees(500),
				features("NodeFeatures", "λ, features drawn at a node", p, canonical(p)), depth, minLeaf}},
		{Name: "mix.Learner", Title: "Mix of single features, sums and fits", Group: group,
			About:      "Nodes try single features, sums and differences, and fitted directions; the first trees teach how much time each gets.",
			Parameters: []Parameter{trees(500)}},
	}
}

// planesTried returns the slider of candidates at a node.
func planesTried(label string, standard float64) Parameter {
	p := planes
	p.Label, p.Default, p.Values = label, standard, append([]float64{standard}, planes.Values...)
	slices.Sort(p.Values)
	p.Values = slices.Compact(p.Values)
	return p
}

// canonical returns the default of [ccf.Learner.NodeFeatures].
func canonical(p int) int {
	if p == 3 {
		return 2
	}
	return int(math.Ceil(math.Log2(float64(p)) + 1))
}

func optimised(p int) []Entry {
	const group = "Oblique splits optimised"
	impurity := choice("Search.Impurity", "Impurity", "twoing", "Gini", "entropy")
	order := choice("Search.Order", "Coefficient changed next", "in turn", "best first", "random")
	restarts := Parameter{Field: "Search.Restarts", Label: "R, starts", Values: []float64{1, 2, 5, 10, 20, 50}, Default: 20}
	jumps := Parameter{Field: "Search.Jumps", Label: "J, jumps out of a local minimum", Values: []float64{-1, 1, 2, 5, 10, 20}, Default: 5, None: "none"}
	heldOut := Parameter{Field: "HeldOut", Label: "Rows held out for pruning", Values: []float64{-1, 0.05, 0.1, 0.2, 0.3}, Default: 0.1, None: "none, not pruned"}
	passes := Parameter{Field: "Passes", Label: "Passes", Values: []float64{1, 2, 3, 5, 10, 20, 40, 80}, Default: 40}
	lambda := Parameter{Field: "Lambda", Label: "λ, penalty of weights", Values: []float64{-1, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10}, Default: 0.01, None: "no penalty"}
	taoDepth := Parameter{Field: "Depth", Label: "Depth of the start", Values: append([]float64{0}, numbers(1, 10)...), Zero: "automatic"}
	leaves := choice("Leaves", "Leaves", "a class", "a linear model")
	single := map[string]float64{"Trees": 1, "Sampling.Fraction": 1, "Sampling.WithoutReplacement": 1}
	return []Entry{
		{Name: "oc1.Tree", Title: "OC1 tree", Group: group, Iterative: true,
			About:      "Planes are found by changing one coefficient at a time, from several starts; then the tree is pruned (Murthy and others, 1994).",
			Parameters: []Parameter{impurity, restarts, jumps, order, heldOut, depth}},
		{Name: "oc1.Learner", Title: "OC1 forest", Group: group, Iterative: true,
			About:      "A vote of OC1 trees on bootstrap samples, not pruned.",
			Parameters: []Parameter{trees(100).start(10), impurity, restarts, jumps, features("NodeFeatures", "Features drawn at a node", p, max(2, root(p))), depth}},
		{Name: "tao.Learner", Title: "TAO tree", Group: group, Iterative: true, Fixed: single,
			About:      "A complete tree of random planes is improved in passes, node by node (Carreira-Perpiñán and Zharmagambetov, 2020).",
			Parameters: []Parameter{taoDepth, passes, lambda, leaves}},
		{Name: "tao.Refine", Title: "CART tree, refined by TAO", Group: group, Iterative: true,
			About:      "TAO keeps the structure of a CART tree and turns its splits into oblique ones.",
			Parameters: []Parameter{depth.start(4), passes, lambda}},
		{Name: "tao.Learner", Title: "Bagged TAO trees", Group: group, Iterative: true,
			About:      "A vote of TAO trees, each on 90 % of the rows (Carreira-Perpiñán and Zharmagambetov, 2020).",
			Parameters: []Parameter{trees(30).start(5), taoDepth, passes, lambda, leaves}},
	}
}

func gaussian(p int) []Entry {
	const group = "Boundaries between Gaussians"
	linear := Parameter{Field: "Divider", Label: "Rows are divided by", Values: []float64{0, 1, 4, 5, 6},
		Names: []string{"a mixture, diagonal covariance", "a mixture, full covariance", "K-means", "the first principal axis", "a random axis"}}
	quadratic := Parameter{Field: "Divider", Label: "Rows are divided by", Values: []float64{2, 3}, Start: 2,
		Names: []string{"a mixture, full covariances", "a mixture, diagonal covariances"}}
	purity := Parameter{Field: "Purity", Label: "δ, purity that stops", Values: []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1}, Default: 1}
	return []Entry{
		{Name: "godt.Tree", Title: "GODT, a tree", Group: group, Iterative: true,
			About:      "A mixture of two Gaussians, fitted without the classes, splits a node (Sivanand, 2026).",
			Parameters: []Parameter{linear, purity, minSplit, depth}},
		{Name: "godt.Learner", Title: "GORF, a forest", Group: group, Iterative: true,
			About:      "A vote of GODT trees, each on a sample of the rows and of the features (Sivanand, 2026).",
			Parameters: []Parameter{trees(200), linear, treeFeatures(p, int(math.Round(math.Sqrt(float64(p))))), purity, minSplit, depth}},
		{Name: "godt.Tree", Title: "GQDT, a quadratic tree", Group: group, Iterative: true,
			About:      "Gaussians with covariances of their own, so the boundaries are conics (Sivanand, 2026).",
			Parameters: []Parameter{quadratic, purity, minSplit, depth}},
		{Name: "godt.Learner", Title: "GQRF, a quadratic forest", Group: group, Iterative: true,
			About:      "A vote of GQDT trees, each on a sample of the rows and of the features (Sivanand, 2026).",
			Parameters: []Parameter{trees(200), quadratic, treeFeatures(p, int(math.Round(math.Sqrt(float64(p))))), purity, minSplit, depth}},
	}
}

// Problems returns the problems of package sim that the playground can draw. Those with
// more than two features are shown as a slice.
func Problems() []Entry {
	whole := func(field, label string, values []float64, standard float64) Parameter {
		return Parameter{Field: field, Label: label, Values: values, Default: standard}
	}
	const plane, slice = "In the plane", "A slice of more features"
	return []Entry{
		{Name: "sim.XOR", Title: "Checkerboard (XOR)", Group: plane,
			Parameters: []Parameter{whole("Cells", "Cells along a side", numbers(2, 8), 4),
				{Field: "Degrees", Label: "Turned by", Values: []float64{0, 5, 10, 15, 20, 30, 45}, Unit: "°"}}},
		{Name: "sim.Circles", Title: "Circles", Group: plane,
			Parameters: []Parameter{whole("Rings", "Rings", numbers(2, 8), 4), whole("Classes", "Classes", numbers(2, 4), 2)}},
		{Name: "sim.Pies", Title: "Pies", Group: plane,
			Parameters: []Parameter{whole("Sectors", "Sectors", []float64{4, 6, 8, 10, 12, 16}, 8)}},
		{Name: "sim.GaussianClasses", Title: "Two Gaussians", Group: plane},
		{Name: "sim.Ringnorm", Title: "Two Gaussians, one inside", Group: plane, Fixed: map[string]float64{"Features": 2},
			Parameters: []Parameter{{Field: "Distance", Label: "Distance of the means", Values: []float64{0.5, 1, 1.5, 2, 3, 4}, Default: 2}}},
		{Name: "sim.RandomRBF", Title: "Random clusters (RBF)", Group: plane, Fixed: map[string]float64{"Features": 2},
			Parameters: []Parameter{whole("Centroids", "Centroids", []float64{5, 10, 20, 50}, 50).start(10), whole("Classes", "Classes", numbers(2, 6), 2)}},
		{Name: "sim.SparseParity", Title: "Sparse parity", Group: slice,
			Parameters: []Parameter{whole("Features", "Features", []float64{2, 3, 4, 5, 6, 8, 10, 15, 20}, 20).start(4),
				whole("Informative", "Informative features", numbers(1, 5), 3).start(2)}},
		{Name: "sim.Orthant", Title: "Orthant", Group: slice,
			Parameters: []Parameter{whole("Features", "Features", numbers(2, 3), 6).start(3)}},
	}
}
