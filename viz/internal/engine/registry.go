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

	// Iterative says that splits are improved step by step (passes, a search, EM), so training takes long.
	Iterative bool `json:"iterative"`
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

func (r refined) parts() (rf.CART, tao.Learner) {
	return rf.CART{Growth: forest.Growth{MaxDepth: r.MaxDepth}, Seed: r.Seed},
		tao.Learner{Passes: r.Passes, Lambda: r.Lambda}
}

// Fit grows the tree by CART and refines it.
func (r refined) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	cart, passes := r.parts()
	tree, err := cart.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	return passes.Refine(ctx, tree, train)
}

// named are the types that entries name, by their names.
var named = func() map[string]reflect.Type {
	types := map[string]reflect.Type{"tao.Refine": reflect.TypeFor[refined]()}
	for _, v := range []any{
		rf.CART{}, rf.Learner{}, rf.Bagging{}, rf.ExtraTrees{}, rf.HRF{}, sporf.Learner{}, sporf.FRC{}, rotation.Learner{},
		rotation.Random{}, graf.Learner{}, oblique.Learner{}, ccf.Learner{}, mix.Learner{}, oc1.Tree{}, oc1.Learner{},
		tao.Learner{}, godt.Tree{}, godt.Learner{}, sim.XOR{}, sim.Circles{}, sim.Pies{}, sim.GaussianClasses{},
		sim.Ringnorm{},
		sim.SparseParity{}, sim.Orthant{}, sim.RandomRBF{},
	} {
		types[reflect.TypeOf(v).String()] = reflect.TypeOf(v)
	}
	return types
}()

// newValue returns the struct of the given type with the given fields, and T, such as [forest.Learner], that it
// implements.
func newValue[T any](name string, fields map[string]float64) (v reflect.Value, is T, err error) {
	t, known := named[name]
	if !known || !t.Implements(reflect.TypeFor[T]()) {
		return v, is, fmt.Errorf("playground: there is no %q", name)
	}
	v = reflect.New(t).Elem()
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if err := set(v, field, fields[field]); err != nil {
			return v, is, fmt.Errorf("playground: %w", err)
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
		cart, passes := r.parts()
		code := "cart := " + source(reflect.ValueOf(cart)) + "\n" + source(reflect.ValueOf(passes)) +
			".Refine(ctx, tree, train)"
		return r, code, nil
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

// slider returns a parameter that stands for a number. What 0 stands for is standard.
func slider(field, label string, standard float64, values ...float64) Parameter {
	return Parameter{Field: field, Label: label, Values: values, Default: standard}
}

// start returns p with another value to start with.
func (p Parameter) start(value float64) Parameter {
	p.Start = value
	return p
}

// zero returns p with what is shown for 0.
func (p Parameter) zero(text string) Parameter {
	p.Zero = text
	return p
}

// none returns p with what is shown for −1.
func (p Parameter) none(text string) Parameter {
	p.None = text
	return p
}

// trees returns the slider of the number of trees. It starts with 50, since more make the picture smoother, not
// different, and take longer.
func trees(standard float64) Parameter {
	p := slider("Trees", "Trees", standard, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)
	if standard != 30 {
		p.Start = 50
	}
	return p
}

// choice returns the parameter of a type that stands for a choice.
func choice(field, label string, names ...string) Parameter {
	return Parameter{Field: field, Label: label, Values: numbers(0, len(names)-1), Names: names}
}

var (
	depth     = slider("MaxDepth", "Depth, at most", 0, append(numbers(1, 12), 15, 20, 0)...).zero("no limit")
	minLeaf   = slider("MinLeaf", "Rows in a leaf, at least", 1, 1, 2, 3, 5, 10, 20, 50)
	minSplit  = slider("MinSplit", "Rows to split, at least", 2, 2, 3, 5, 10, 20, 50, 100)
	criterion = choice("Criterion", "Impurity", "Gini", "entropy")
	seed      = slider("Seed", "Seed of the model", 0, numbers(0, 20)...)
)

// entry returns an entry of a group.
func entry(name, title, about string, parameters ...Parameter) Entry {
	return Entry{Name: name, Title: title, About: about, Parameters: parameters}
}

// with returns e with fields that make it this entry of its type.
func (e Entry) with(fixed map[string]float64) Entry {
	e.Fixed = fixed
	return e
}

// group returns entries that are shown together.
func group(name string, iterative bool, entries ...Entry) []Entry {
	for i := range entries {
		entries[i].Group, entries[i].Iterative = name, iterative
	}
	return entries
}

// Methods returns the learners of the library, in the order of the menu, for data with p features.
func Methods(p int) []Entry {
	list := slices.Concat(axisParallel(p), drawn(p), fitted(p), optimised(p), gaussian(p))
	for i := range list {
		list[i].Parameters = append(list[i].Parameters, seed)
	}
	return list
}

// features returns a slider of a number of features from 1 to p.
func features(field, label string, p, standard int) Parameter {
	return slider(field, label, float64(min(p, max(1, standard))), numbers(1, p)...)
}

func root(p int) int { return int(math.Sqrt(float64(p))) }

func axisParallel(p int) []Entry {
	nodeFeatures := features("NodeFeatures", "Features tried at a node", p, root(p))
	return group("Splits on one feature", false,
		entry("rf.CART", "CART tree",
			"One tree; every node is split on the best feature at the best threshold (Breiman and others, 1984).",
			depth, minLeaf, criterion),
		entry("rf.Bagging", "Bagged CART", "CART trees, each on a bootstrap sample of the rows (Breiman, 1996).",
			trees(500), depth, minLeaf),
		entry("rf.Learner", "Random forest",
			"Bagged trees whose nodes try only some features, drawn at random (Breiman, 2001).",
			trees(500), nodeFeatures, depth, minLeaf),
		entry("rf.ExtraTrees", "Extremely randomised trees",
			"Trees on all rows, with one random threshold for each feature drawn (Geurts and others, 2006).",
			trees(500), nodeFeatures, depth, minLeaf),
		entry("rf.HRF", "Heterogeneous random forest",
			"A random forest whose trees avoid the features that earlier trees split by near their roots (Kim and others).",
			trees(100), nodeFeatures,
			slider("Memory.Beta", "β, depth of unused features", 0,
				append(numbers(1, 6), 10)...).start(1).zero("1, with α = 0.5"),
			slider("Memory.Alpha", "α, memory of earlier trees", 0, 0, 0.2, 0.5, 0.7, 0.9, 1).start(0.5), depth))
}

func drawn(p int) []Entry {
	return group("Oblique splits drawn at random", false,
		entry("sporf.Learner", "SPORF",
			"The best of some sparse random sums and differences of features splits a node (Tomita and others, 2020).",
			trees(500), candidates("Projections tried at a node", float64(p)),
			slider("Density", "λ, share of features in a projection", min(1, 3/float64(p)), 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6,
				0.75, 1),
			depth, minLeaf),
		entry("sporf.FRC", "Forest-RC",
			"The best of some combinations of L features, with weights uniform in [−1, 1], splits a node (Breiman, 2001).",
			trees(500), candidates("Combinations tried at a node", float64(p)),
			slider("Combined", "L, features combined", float64(min(3, p)), numbers(1, min(p, 5))...), depth, minLeaf),
		entry("graf.Learner", "GRAF",
			"A tree grows plane by plane: a random plane is extended through all impure regions (Gupta and others).",
			trees(100), treeFeatures(p, (p+1)/2),
			slider("Candidates", "Planes tried at a step", 0, 0, 1, 2, 3, 5, 10, 20, 50).zero("automatic"), minSplit),
		entry("rotation.Random", "Random rotation forest",
			"A random forest each of whose trees sees the features in a random rotation (Blaser and Fryzlewicz, 2016).",
			trees(500), features("NodeFeatures", "Rotated features tried at a node", p, root(p)), depth, minLeaf))
}

// treeFeatures returns the slider of features drawn for a tree. With two features the default of several methods is
// one, which leaves nothing to be oblique: the playground starts with both.
func treeFeatures(p, standard int) Parameter {
	s := features("TreeFeatures", "Features of a tree", p, standard)
	if p == 2 {
		s.Start = 2
	}
	return s
}

func fitted(p int) []Entry {
	return group("Oblique splits fitted to a node's rows", false,
		entry("oblique.Learner", "Oblique random forest (ridge, LDA)",
			"A linear model of some features, fitted to the node's rows, splits it (Menze and others, 2011).",
			choice("Node", "Model at a node", "ridge regression", "linear discriminant"), trees(100),
			features("NodeFeatures", "Features of a fit", p, max(2, root(p))), candidates("Fits tried at a node", 1), depth,
			minLeaf),
		entry("rotation.Learner", "Rotation forest",
			"Each tree is grown on principal components of subsets of the features (Rodríguez and others, 2006).",
			trees(100), slider("SubsetFeatures", "M, features of a subset", 3, numbers(1, max(3, p))...), depth, minLeaf),
		entry("ccf.Learner", "Canonical correlation forest",
			"The combinations of features that correlate best with the classes split a node (Rainforth and Wood, 2015).",
			trees(500), features("NodeFeatures", "λ, features drawn at a node", p, canonical(p)), depth, minLeaf),
		entry("mix.Learner", "Mix of single features, sums and fits",
			"Nodes try single features, sums and differences, and fitted directions; the first trees teach "+
				"how much time each gets.",
			trees(500)))
}

// candidates returns the slider of candidates at a node.
func candidates(label string, standard float64) Parameter {
	p := slider("Candidates", label, standard, standard, 1, 2, 3, 5, 10, 20, 50)
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
	impurity := choice("Search.Impurity", "Impurity", "twoing", "Gini", "entropy")
	order := choice("Search.Order", "Coefficient changed next", "in turn", "best first", "random")
	restarts := slider("Search.Restarts", "R, starts", 20, 1, 2, 5, 10, 20, 50)
	jumps := slider("Search.Jumps", "J, jumps out of a local minimum", 5, -1, 1, 2, 5, 10, 20).none("none")
	heldOut := slider("HeldOut", "Rows held out for pruning", 0.1, -1, 0.05, 0.1, 0.2, 0.3).none("none, not pruned")
	passes := slider("Passes", "Passes", 40, 1, 2, 3, 5, 10, 20, 40, 80)
	lambda := slider("Lambda", "λ, penalty of weights", 0.01, -1, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3,
		10).none("no penalty")
	taoDepth := slider("Depth", "Depth of the start", 0, numbers(0, 10)...).zero("automatic")
	leaves := choice("LinearLeaves", "Leaves", "a class", "a linear model")
	return group("Oblique splits optimised", true,
		entry("oc1.Tree", "OC1 tree",
			"Planes are found by changing one coefficient at a time, from several starts; then the tree is pruned "+
				"(Murthy and others, 1994).",
			impurity, restarts, jumps, order, heldOut, depth),
		entry("oc1.Learner", "OC1 forest", "A vote of OC1 trees on bootstrap samples, not pruned.",
			trees(100).start(10), impurity, restarts, jumps,
			features("NodeFeatures", "Features drawn at a node", p, max(2, root(p))), depth),
		entry("tao.Learner", "TAO tree",
			"A complete tree of random planes is improved in passes, node by node (Carreira-Perpiñán and Zharmagambetov, 2020).",
			taoDepth, passes, lambda, leaves).
			with(map[string]float64{"Trees": 1, "Sampling.Fraction": 1, "Sampling.WithoutReplacement": 1}),
		entry("tao.Refine", "CART tree, refined by TAO",
			"TAO keeps the structure of a CART tree and turns its splits into oblique ones.", depth.start(4), passes, lambda),
		entry("tao.Learner", "Bagged TAO trees",
			"A vote of TAO trees, each on 90 % of the rows (Carreira-Perpiñán and Zharmagambetov, 2020).",
			trees(30).start(5), taoDepth, passes, lambda, leaves))
}

func gaussian(p int) []Entry {
	linear := choice("Divider", "Rows are divided by", "a mixture, diagonal covariance", "a mixture, full covariance",
		"K-means",
		"the first principal axis", "a random axis")
	linear.Values = []float64{0, 1, 4, 5, 6}
	quadratic := choice("Divider", "Rows are divided by", "a mixture, full covariances",
		"a mixture, diagonal covariances").start(2)
	quadratic.Values = []float64{2, 3}
	purity := slider("Purity", "δ, purity that stops", 1, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1)
	some := treeFeatures(p, int(math.Round(math.Sqrt(float64(p)))))
	return group("Boundaries between Gaussians", true,
		entry("godt.Tree", "GODT, a tree",
			"A mixture of two Gaussians, fitted without the classes, splits a node (Sivanand, 2026).",
			linear, purity, minSplit, depth),
		entry("godt.Learner", "GORF, a forest",
			"A vote of GODT trees, each on a sample of the rows and of the features (Sivanand, 2026).",
			trees(200), linear, some, purity, minSplit, depth),
		entry("godt.Tree", "GQDT, a quadratic tree",
			"Gaussians with covariances of their own, so the boundaries are conics (Sivanand, 2026).",
			quadratic, purity, minSplit, depth),
		entry("godt.Learner", "GQRF, a quadratic forest",
			"A vote of GQDT trees, each on a sample of the rows and of the features (Sivanand, 2026).",
			trees(200), quadratic, some, purity, minSplit, depth))
}

// Problems returns the problems of package sim that the playground can draw. Those with more than two features are
// shown as a slice.
func Problems() []Entry {
	degrees := slider("Degrees", "Turned by", 0, 0, 5, 10, 15, 20, 30, 45)
	degrees.Unit = "°"
	two := map[string]float64{"Features": 2}
	return slices.Concat(
		group("In the plane", false,
			entry("sim.XOR", "Checkerboard (XOR)", "", slider("Cells", "Cells along a side", 4, numbers(2, 8)...), degrees),
			entry("sim.Circles", "Circles", "",
				slider("Rings", "Rings", 4, numbers(2, 8)...), slider("Classes", "Classes", 2, numbers(2, 4)...)),
			entry("sim.Pies", "Pies", "", slider("Sectors", "Sectors", 8, 4, 6, 8, 10, 12, 16)),
			entry("sim.GaussianClasses", "Two Gaussians", ""),
			entry("sim.Ringnorm", "Two Gaussians, one inside", "",
				slider("Distance", "Distance of the means", 2, 0.5, 1, 1.5, 2, 3, 4)).with(two),
			entry("sim.RandomRBF", "Random clusters (RBF)", "", slider("Centroids", "Centroids", 50, 5, 10, 20, 50).start(10),
				slider("Classes", "Classes", 2, numbers(2, 6)...)).with(two)),
		group("A slice of more features", false,
			entry("sim.SparseParity", "Sparse parity", "",
				slider("Features", "Features", 20, 2, 3, 4, 5, 6, 8, 10, 15, 20).start(4),
				slider("Informative", "Informative features", 3, numbers(1, 5)...).start(2)),
			entry("sim.Orthant", "Orthant", "", slider("Features", "Features", 6, numbers(2, 3)...).start(3))))
}
