package forest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// The oracle walks row by row and tree by tree, in double precision.
func TestPredictionsRowByRow(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	rng := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{0, 1, 2, 3, 5} {
		if testing.Short() && classes%3 > 0 {
			continue
		}
		for _, n := range []int{1, 128, 129, 589} {
			for _, rule := range rulesOf(classes) {
				f := drawForestBy(rng, rule, 5, classes, 9)
				d := drawData(rng, f, n)
				rows := make([]int32, n)
				for i := range rows {
					rows[i] = int32(rng.IntN(n))
				}
				checkPredictions(t, f, d)
				checkPredictions(t, f, d.Subset(rows))
			}
		}
	}
}

func checkPredictions(t *testing.T, f *Forest, d *datasets.Dataset) {
	t.Helper()
	leaves := must.Value(f.Apply(t.Context(), d))
	var labels []int32
	var votes [][]int32
	var proba [][]float64
	var values []float64
	if f.Regression() {
		values = must.Value(f.PredictValues(t.Context(), d))
	} else {
		labels, proba = must.Value(f.Predict(t.Context(), d)), must.Value(f.Proba(t.Context(), d))
		if l, p, err := f.Classify(t.Context(), d); err != nil || !slices.Equal(l, labels) ||
			!slices.EqualFunc(p, proba, slices.Equal) {
			t.Fatalf("Classify returns %v, %v, %v; want %v, %v", l, p, err, labels, proba)
		}
		if f.Rule != Sum {
			votes = must.Value(f.Votes(t.Context(), d))
		}
	}
	k, trees := len(f.Classes), len(f.Trees)
	for i := range d.N() {
		x := d.Row(nil, i)
		wantVotes, wantProba, wantConsensus := make([]int32, k), make([]float64, k), make([]float64, k)
		wantSums := slices.Clone(f.Base)
		if f.Rule != Sum {
			wantSums = make([]float64, 1)
		}
		for j := range f.Trees {
			tree := &f.Trees[j]
			at := walkTo(tree, x)
			if int(leaves[i][j]) != at {
				t.Fatalf("row %d, tree %d: leaf %d, want %d", i, j, leaves[i][j], at)
			}
			if tree.Outputs > 0 {
				for o, v := range tree.Leaf(at).Dist {
					wantSums[o] += float64(v)
				}
				continue
			}
			if tree.Classes == 0 {
				wantSums[j%len(wantSums)] += valueOf(tree, at, x)
				continue
			}
			share := shares(tree, at, x)
			wantVotes[largest(share)]++
			for c, s := range share {
				wantProba[c] += s / float64(trees)
				wantConsensus[c] += math.Log2(1 + s)
			}
		}
		if f.Regression() {
			want := wantSums[0]
			if f.Rule != Sum {
				want /= float64(trees)
			}
			if math.Abs(values[i]-want) > 1e-12 {
				t.Fatalf("row %d: value %v, want %v", i, values[i], want)
			}
			continue
		}
		if f.Rule == Sum {
			if k == 2 {
				wantSums = []float64{0, wantSums[0]} // the first class's log-odds are 0
			}
			wantProba = softmaxByDefinition(wantSums)
		} else if !slices.Equal(votes[i], wantVotes) {
			t.Fatalf("row %d: votes %v, want %v", i, votes[i], wantVotes)
		}
		for c, p := range proba[i] {
			if math.Abs(p-wantProba[c]) > 1e-6 {
				t.Fatalf("row %d: probabilities %v, want %v", i, proba[i], wantProba)
			}
		}
		want := largest(wantVotes)
		if f.Rule != Plurality {
			scores := map[Rule][]float64{Average: wantProba, Consensus: wantConsensus, Sum: wantSums}[f.Rule]
			want = largest(scores)
			if scores[labels[i]] > scores[want]-1e-6 {
				want = int(labels[i]) // a tie, except for rounding
			}
		}
		if int(labels[i]) != want {
			t.Fatalf("row %d: class %d, want %d; votes %v, probabilities %v", i, labels[i], want, wantVotes, wantProba)
		}
	}
}

// walkTo returns the leaf that x reaches, summing on the coarse grid of drawData,
// where float64 and float32 agree.
func walkTo(tree *Tree, x []float32) int {
	at := 0
	for !tree.Nodes[at].IsLeaf() {
		n := tree.Nodes[at]
		if valueInDouble(tree, n.Split, x) <= float64(n.Value) {
			at++
		} else {
			at = int(n.Next)
		}
	}
	return at
}

// valueInDouble returns a split function's value.
func valueInDouble(tree *Tree, split int32, x []float32) float64 {
	if int(split) < len(x) {
		return float64(x[split])
	}
	fn := tree.Splits.At(split)
	if fn.Kind == LowRank {
		return exactLowRank(fn, x)
	}
	v := float64(fn.Bias)
	next := 0
	for i, j := range fn.Features {
		v += float64(fn.Weights[i]) * float64(x[j])
		for _, k := range fn.Features[:i+1] {
			if fn.Kind == Quadratic {
				v += float64(fn.Q[next]) * float64(x[j]) * float64(x[k])
				next++
			}
		}
	}
	return v
}

// scoresOf returns the scores of a linear leaf.
func scoresOf(l Leaf, x []float32) []float64 {
	var scores []float64
	for _, s := range l.Scores {
		v := float64(s.Bias)
		for i, j := range s.Features {
			v += float64(s.Weights[i]) * float64(x[j])
		}
		scores = append(scores, v)
	}
	return scores
}

// valueOf returns the value of a leaf in a tree of values.
func valueOf(tree *Tree, leaf int, x []float32) float64 {
	l := tree.Leaf(leaf)
	if l.Kind == LeafLinear {
		return scoresOf(l, x)[0]
	}
	return float64(l.Value)
}

// shares returns the class proportions of a leaf.
func shares(tree *Tree, leaf int, x []float32) []float64 {
	l, s := tree.Leaf(leaf), make([]float64, tree.Classes)
	switch l.Kind {
	case LeafClass:
		s[l.Class] = 1
	case LeafDist:
		var sum float64
		for c, w := range l.Dist {
			s[c] = float64(w)
			sum += s[c]
		}
		for c := range s {
			s[c] /= sum
		}
	case LeafLinear:
		for i, v := range softmaxByDefinition(scoresOf(l, x)) {
			s[l.Scores[i].Class] = v
		}
	}
	return s
}

func softmaxByDefinition(scores []float64) []float64 {
	var sum float64
	share := make([]float64, len(scores))
	for c, v := range scores {
		share[c] = math.Exp(v)
		sum += share[c]
	}
	for c := range share {
		share[c] /= sum
	}
	return share
}

func largest[T int32 | float64](s []T) int { return slices.Index(s, slices.Max(s)) }

func TestPredictionPanics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f, v, sum := drawForestBy(rng, Average, 3, 2, 2), drawForestBy(rng, Average, 3, 0, 2), drawForestBy(rng, Sum, 3, 2, 2)
	d := drawData(rng, f, 4)
	missing := *d
	missing.Columns = slices.Clone(d.Columns)
	missing.Columns[1] = []float32{1, 2, float32(math.NaN()), 4}
	for name, call := range map[string]func(){
		"Predict of values":       func() { must.Value(v.Predict(t.Context(), d)) },
		"Votes of values":         func() { must.Value(v.Votes(t.Context(), d)) },
		"Proba of values":         func() { must.Value(v.Proba(t.Context(), d)) },
		"PredictValues of labels": func() { must.Value(f.PredictValues(t.Context(), d)) },
		"PredictValues of sums":   func() { must.Value(sum.PredictValues(t.Context(), d)) },
		"Votes of sums":           func() { must.Value(sum.Votes(t.Context(), d)) },
		"too few columns":         func() { must.Value(f.Predict(t.Context(), d.Select(0, 1))) },
		"other names":             func() { must.Value(f.Predict(t.Context(), d.Select(1, 0, 2))) },
		"a missing cell":          func() { must.Value(f.Apply(t.Context(), &missing)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

// For every kind of split, rows whose value is the threshold go left, and those
// whose value is the next larger number go right.
func TestRowsOnTheThresholdGoLeft(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := 1 + rng.IntN(10)
		f := &Forest{Features: make([]string, p), Trees: make([]Tree, 1)}
		d := drawData(rng, f, 40)
		tree := &f.Trees[0]
		tree.Splits.Add(drawFunction(rng, p, nil))
		split := int32(1 << 30)
		if rng.IntN(5) == 0 {
			split = int32(rng.IntN(p))
		}
		x := d.Row(nil, rng.IntN(40))
		threshold := float32(valueInDouble(tree, split, x))
		tree.Nodes = []Node{{Split: split, Value: threshold, Next: 2}, ValueLeaf(-1, 1), ValueLeaf(1, 1)}
		onIt := 0
		check := func(threshold float32) {
			tree.Nodes[0].Value = threshold
			predictor := f.Predictor()
			for i, v := range must.Value(f.PredictValues(t.Context(), d)) {
				want := 1.0
				if value := valueInDouble(tree, split, d.Row(nil, i)); value <= float64(threshold) {
					want = -1
					if value == float64(threshold) {
						onIt++
					}
				}
				if one, err := predictor.Value(d.Row(nil, i)); v != want || one != want || err != nil {
					t.Fatalf("row %d at threshold %v: side %v, one by one %v, %v; want %v", i, threshold, v, one, err, want)
				}
			}
		}
		check(threshold)
		if onIt == 0 {
			t.Fatal("no row is on the threshold")
		}
		check(math.Nextafter32(threshold, float32(math.Inf(-1))))
	}
}

// One linear leaf for two classes of three: at x = 2 the scores are 1 + 0.5·2 and
// 3 − 2, so the shares are e²/(e² + e) and e/(e² + e).
func TestLinearLeafByHand(t *testing.T) {
	tree := Tree{Classes: 3}
	tree.Nodes = []Node{tree.LinearLeaf([]Score{
		{Class: 0, Bias: 1, Features: []int32{0}, Weights: []float32{0.5}},
		{Class: 2, Bias: 3, Features: []int32{0}, Weights: []float32{-1}},
	}, 1)}
	other := Tree{Classes: 3, Nodes: []Node{ClassLeaf(2, 1)}}
	f := &Forest{Features: []string{"x"}, Classes: []string{"a", "b", "c"}, Trees: []Tree{tree, other}}
	d := &datasets.Dataset{Features: make([]datasets.Feature, 1), Columns: [][]float32{{2}}}
	a := math.E / (math.E + 1)
	for c, want := range []float64{a / 2, 0, (1 - a + 1) / 2} {
		if got := must.Value(f.Proba(t.Context(), d))[0][c]; math.Abs(got-want) > 1e-7 {
			t.Errorf("class %d has probability %v, want %v", c, got, want)
		}
	}
	if got := must.Value(f.Votes(t.Context(), d))[0]; !slices.Equal(got, []int32{1, 0, 1}) {
		t.Errorf("votes %v", got)
	}
	// By plurality it is a tie, which goes to a; shares of 0.73 and 0.27 + 1 and
	// log2(1.73) = 0.79 and log2(1.27) + 1 = 1.34 are for c.
	for rule, want := range map[Rule]int32{Plurality: 0, Average: 2, Consensus: 2} {
		f.Rule = rule
		if got := must.Value(f.Predict(t.Context(), d))[0]; got != want {
			t.Errorf("rule %d: class %d, want %d", rule, got, want)
		}
	}
	// Scores so far apart that the exponential of their difference is 0.
	d.Columns[0][0] = 1e30
	f.Trees = f.Trees[:1]
	if got := must.Value(f.Proba(t.Context(), d))[0]; !slices.Equal(got, []float64{1, 0, 0}) {
		t.Errorf("probabilities %v", got)
	}
}

// Two trees for each of three classes add to the base, tree t to class t mod 3.
func TestSumsByHand(t *testing.T) {
	values := func(v ...float32) (trees []Tree) {
		for _, v := range v {
			trees = append(trees, Tree{Nodes: []Node{ValueLeaf(v, 1)}})
		}
		return trees
	}
	d := &datasets.Dataset{Features: make([]datasets.Feature, 1), Columns: [][]float32{{5}}}
	f := &Forest{Features: []string{"x"}, Classes: []string{"a", "b", "c"}, Rule: Sum,
		Base: []float64{0.5, 0, -1}, Trees: values(1, 2, 3, -0.5, 0.25, 0.5)}
	// Sums 0.5 + 1 − 0.5 = 1, 0 + 2 + 0.25 = 2.25, −1 + 3 + 0.5 = 2.5.
	sum := math.Exp(1) + math.Exp(2.25) + math.Exp(2.5)
	for c, want := range []float64{math.Exp(1) / sum, math.Exp(2.25) / sum, math.Exp(2.5) / sum} {
		if got := must.Value(f.Proba(t.Context(), d))[0][c]; math.Abs(got-want) > 1e-15 {
			t.Errorf("class %d has probability %v, want %v", c, got, want)
		}
	}
	if got := must.Value(f.Predict(t.Context(), d))[0]; got != 2 {
		t.Errorf("class %d, want 2", got)
	}
	two := &Forest{Features: []string{"x"}, Classes: []string{"a", "b"}, Rule: Sum, Base: []float64{-1}}
	for _, c := range []struct {
		value float32
		odds  float64 // of the second class
		label int32
	}{{1, 1, 0}, {1.5, math.Exp(0.5), 1}, {0.5, math.Exp(-0.5), 0}, {1001, math.Inf(1), 1}, {-999, 0, 0}} {
		two.Trees = values(c.value)
		want := []float64{1 / (1 + c.odds), 1 - 1/(1+c.odds)}
		got := must.Value(two.Proba(t.Context(), d))[0]
		if math.Abs(got[0]-want[0]) > 1e-15 || math.Abs(got[1]-want[1]) > 1e-15 ||
			must.Value(two.Predict(t.Context(), d))[0] != c.label {
			t.Errorf("probabilities %v and class %d, want %v and %d", got, must.Value(two.Predict(t.Context(), d))[0], want,
				c.label)
		}
	}
	one := &Forest{Features: []string{"x"}, Rule: Sum, Base: []float64{10}, Trees: values(1, 2.5)}
	if got := must.Value(one.PredictValues(t.Context(), d))[0]; got != 13.5 {
		t.Errorf("value %v, want 13.5", got)
	}
	one.LogLink = true
	predictor := one.Predictor()
	if got, v := must.Value(one.PredictValues(t.Context(), d))[0], must.Value(predictor.Value([]float32{5})); v != got ||
		math.Abs(got-math.Exp(13.5)) > 1e-9 {
		t.Errorf("values %v and %v, want exp 13.5", got, v)
	}
	one.LogLink = false
	if one.Rule, one.Base = Average, nil; must.Value(one.PredictValues(t.Context(), d))[0] != 1.75 {
		t.Errorf("mean %v, want 1.75", must.Value(one.PredictValues(t.Context(), d))[0])
	}
}
