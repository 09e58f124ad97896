package forest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// drawForest returns a valid forest of random trees, of any rule; classes = 0 asks
// for values.
func drawForest(rng *rand.Rand, p, classes, trees int) *Forest {
	rules := rulesOf(classes)
	return drawForestBy(rng, rules[rng.IntN(len(rules))], p, classes, trees)
}

// rulesOf returns the rules that a forest of so many classes may have.
func rulesOf(classes int) []Rule {
	if classes == 1 {
		return []Rule{Plurality, Average, Consensus}
	}
	return []Rule{Plurality, Average, Consensus, Sum}
}

// drawForestBy draws a forest of the given rule.
func drawForestBy(rng *rand.Rand, rule Rule, p, classes, trees int) *Forest {
	f := &Forest{Method: "drawn", Target: "y", Rule: rule, Rows: rng.IntN(100), Seed: rng.Uint64()}
	for j := range p {
		f.Features = append(f.Features, fmt.Sprintf("x%d", j))
	}
	for c := range classes {
		f.Classes = append(f.Classes, fmt.Sprintf("class %d", c))
	}
	ofTrees := classes
	if rule == Sum {
		ofTrees = 0
		bases := 1
		if classes > 2 {
			bases = classes
		}
		for range bases {
			f.Base = append(f.Base, float64(rng.IntN(9)-4)/4)
		}
	}
	outputs := drawOutputs(rng, f)
	for range trees {
		f.Trees = append(f.Trees, drawTree(rng, p, ofTrees, outputs))
	}
	return f
}

// drawOutputs draws whether the leaves of a forest have a value for each output, and returns how many, or 0.
func drawOutputs(rng *rand.Rand, f *Forest) int {
	if f.outputs() == 1 || rng.IntN(2) == 0 {
		return 0
	}
	return f.outputs()
}

// drawTree draws a tree with every kind of split and leaf. All numbers of splits
// and linear leaves are on a coarse grid, as those of drawData are, so that their
// sums are exact and thresholds are met.
func drawTree(rng *rand.Rand, p, classes, outputs int) Tree {
	t := Tree{Classes: classes, Outputs: outputs}
	var last []int32
	for range rng.IntN(7) {
		fn := drawFunction(rng, p, last)
		if t.Splits.Add(fn); fn.Kind != Dense {
			last = fn.Features
		}
	}
	var grow func(depth int)
	grow = func(depth int) {
		i := len(t.Nodes)
		if depth == 0 || rng.IntN(4) == 0 {
			t.Nodes = append(t.Nodes, drawLeaf(rng, &t, p))
			return
		}
		split := rng.IntN(p + t.Splits.Len())
		if split >= p {
			split += 1<<30 - p
		}
		t.Nodes = append(t.Nodes, Node{
			Split:  int32(split),
			Value:  gridNumber(rng),
			Weight: float32(rng.IntN(24)-4) / 4, // some raise impurity
		})
		grow(depth - 1)
		t.Nodes[i].Next = int32(len(t.Nodes))
		grow(depth - 1)
	}
	grow(5)
	return t
}

// gridNumber returns one of −1, −¾, … 1.
func gridNumber(rng *rand.Rand) float32 { return float32(rng.IntN(9)-4) / 4 }

func gridNumbers(rng *rand.Rand, n int) []float32 {
	var s []float32
	for range n {
		s = append(s, gridNumber(rng))
	}
	return s
}

// drawFeatures returns some of p features, at most as many as given.
func drawFeatures(rng *rand.Rand, p, most int) []int32 {
	var s []int32
	for j := range p {
		if rng.IntN(2) == 0 && len(s) < most {
			s = append(s, int32(j))
		}
	}
	return s
}

// drawFunction draws a split function of any kind that is stored, now and then of
// the features given.
func drawFunction(rng *rand.Rand, p int, features []int32) Function {
	if len(features) == 0 || len(features) > 6 || rng.IntN(3) > 0 {
		features = drawFeatures(rng, p, 6)
	}
	switch rng.IntN(5) {
	case 0:
		k := rng.IntN(min(p, 20) + 1)
		all := make([]int32, k)
		for j := range all {
			all[j] = int32(j)
		}
		return Function{Kind: Dense, Features: all, Weights: gridNumbers(rng, k)}
	case 1:
		k := len(features)
		return Function{Kind: Quadratic, Features: features, Weights: gridNumbers(rng, k), Q: gridNumbers(rng, k*(k+1)/2),
			Bias: gridNumber(rng)}
	case 2:
		features = drawFeatures(rng, p, p)
	case 3:
		k, rank := len(features), rng.IntN(6)
		if k == 0 {
			rank = 0
		}
		return Function{
			Kind: LowRank, Features: features, Weights: gridNumbers(rng, k), Bias: gridNumber(rng),
			Centre: gridNumbers(rng, k), Factors: gridNumbers(rng, rank*k), Positive: rng.IntN(rank + 1),
		}
	}
	return Function{Kind: Sparse, Features: features, Weights: gridNumbers(rng, len(features))}
}

func drawLeaf(rng *rand.Rand, t *Tree, p int) Node {
	weight := float32(rng.IntN(20)) / 4
	if t.Outputs > 0 {
		values := make([]float32, t.Outputs)
		for o := range values {
			values[o] = float32(rng.NormFloat64())
		}
		return t.ValuesLeaf(values, weight)
	}
	if rng.IntN(3) == 0 {
		return t.LinearLeaf(drawScores(rng, p, t.Classes), weight)
	}
	switch {
	case t.Classes == 0:
		return ValueLeaf(float32(rng.NormFloat64()), weight)
	case rng.IntN(2) == 0:
		return ClassLeaf(int32(rng.IntN(t.Classes)), weight)
	}
	weight = 0
	var dist []float32
	for range t.Classes {
		w := float32(rng.IntN(4) + 1)
		dist = append(dist, w)
		weight += w
	}
	return t.DistLeaf(dist, weight)
}

// drawScores draws the scores of a linear leaf: one for values, some for classes.
func drawScores(rng *rand.Rand, p, classes int) []Score {
	var scores []Score
	score := func(class int) {
		features := drawFeatures(rng, p, 6)
		scores = append(scores, Score{Class: int32(class), Bias: gridNumber(rng), Features: features,
			Weights: gridNumbers(rng, len(features))})
	}
	for c := range classes {
		if rng.IntN(2) == 0 {
			score(c)
		}
	}
	if len(scores) == 0 {
		score(rng.IntN(max(1, classes)))
	}
	return scores
}

// drawData returns n rows on a coarse grid, so that thresholds are met exactly,
// with a target of f's kind.
func drawData(rng *rand.Rand, f *Forest, n int) *datasets.Dataset {
	d := &datasets.Dataset{Target: f.Target, Classes: slices.Clone(f.Classes), Features: f.Schema().Features}
	for _, feature := range d.Features {
		col := make([]float32, n)
		for i := range col {
			col[i] = float32(rng.IntN(17)-8) / 4
			switch k := len(feature.Categories); {
			case k > 0:
				col[i] = float32(rng.IntN(k))
			case feature.Categories != nil:
				col[i] = float32(math.NaN())
			}
		}
		d.Columns = append(d.Columns, col)
	}
	for range n {
		if f.Regression() {
			d.Values = append(d.Values, rng.NormFloat64())
		} else {
			d.Labels = append(d.Labels, int32(rng.IntN(len(f.Classes))))
		}
	}
	return d
}
