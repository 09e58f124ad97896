package tao

import (
	"context"
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// fittedLeaf returns a leaf fitted to all rows of d, until the fit hardly changes it, and the
// optimizer, whose tree is that leaf.
func fittedLeaf(t *testing.T, l Learner, d *datasets.Dataset) (*optimizer, forest.Leaf) {
	t.Helper()
	l.Trees, l.LinearLeaves, l.Sampling = 1, true, forest.AllRows
	o, _ := started(t, l, d)
	o.nodes = []node{{leaf: o.startLeaf(new(scratch), new(forest.Rand), o.sample)}}
	for range 300 {
		o.step(new(scratch), 0, o.sample)
	}
	return o, o.nodes[0].leaf
}

// softmaxOptimum returns the least Σ cross-entropy + λ Σ|w| over linear scores of standardised
// features, by proximal gradient steps (ISTA).
func softmaxOptimum(d *datasets.Dataset, lambda float64, steps int) (objective float64) {
	n, p, k := d.N(), d.P(), len(d.Classes)
	x := make([][]float64, n)
	for _, c := range d.Columns {
		mean, sd := meanAndSD(onesLike(d), func(i int) float64 { return float64(c[i]) })
		for i := range x {
			x[i] = append(x[i], (float64(c[i])-mean)/sd)
		}
	}
	w, gradient := make([]float64, k*(p+1)), make([]float64, k*(p+1)) // p weights and the bias of each class
	q := make([]float64, k)
	rate := 1 / float64(n*(p+1)) // the curvature is at most n(p + 1)/2
	for range steps {
		clear(gradient)
		objective = 0
		for i := range x {
			var sum float64
			for c := range q {
				score := w[c*(p+1)+p]
				for j, v := range x[i] {
					score += w[c*(p+1)+j] * v
				}
				q[c] = math.Exp(score)
				sum += q[c]
			}
			objective += math.Log(sum / q[d.Labels[i]])
			for c := range q {
				g := q[c] / sum
				if int32(c) == d.Labels[i] {
					g--
				}
				for j, v := range x[i] {
					gradient[c*(p+1)+j] += g * v
				}
				gradient[c*(p+1)+p] += g
			}
		}
		for at := range w {
			if at%(p+1) < p {
				objective += lambda * math.Abs(w[at])
			}
			w[at] -= rate * gradient[at]
			if at%(p+1) < p {
				w[at] = math.Copysign(max(0, math.Abs(w[at])-rate*lambda), w[at])
			}
		}
	}
	return objective
}

func TestLinearLeavesReachTheOptimumOfTheirObjective(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	rng := forest.NewRand(4)
	noise := func(int) float32 { return float32(rng.Normal()) }
	x := table(column(80, noise), column(80, func(i int) float32 { return 100 + 7*noise(i) }))
	class := func(i int, noise float64) int { // by the angle of the first feature and the second
		return min(2, max(0, int(1.5+float64(x.Columns[0][i])+float64(x.Columns[1][i]-100)/14+noise*rng.Normal())))
	}
	for _, test := range []struct {
		name   string
		d      *datasets.Dataset
		lambda float64
	}{
		{"three overlapping classes", labelled(x, 3, func(i int) int { return class(i, 0.7) }), 0.5},
		{"three overlapping classes, large λ", labelled(x, 3, func(i int) int { return class(i, 0.7) }), 8},
		{"three separable classes", labelled(x, 3, func(i int) int { return class(i, 0) }), 0.5},
		{"two overlapping classes", labelled(x, 2, func(i int) int { return min(1, class(i, 0.7)) }), 0.5},
		{"two separable classes", labelled(x, 2, func(i int) int { return min(1, class(i, 0)) }), 0.5},
	} {
		o, leaf := fittedLeaf(t, Learner{LeafLambda: test.lambda}, test.d)
		got, want := newOracle(o, test.d).part(0, o.sample), softmaxOptimum(test.d, test.lambda, 20_000)
		if len(test.d.Classes) == 2 {
			// One logistic regression: only the difference of the scores is penalised, which
			// is as much as halves of it are in both.
			if first := leaf.Scores[0]; len(first.Features) > 0 || first.Bias != 0 {
				t.Errorf("%s: the first class has the score %v; want 0", test.name, first)
			}
		}
		if !(math.Abs(got-want) <= 2e-3*want) {
			t.Errorf("%s: objective %v; want %v, by gradient steps", test.name, got, want)
		}
	}
}

// Without a penalty, separable classes have no optimum: scores grow until the loss is next to 0.
func TestSeparableClassesWithoutPenalty(t *testing.T) {
	d := labelled(table(column(40, func(i int) float32 { return float32(i) })), 4, func(i int) int { return i / 20 })
	o, leaf := fittedLeaf(t, Learner{LeafLambda: none}, d)
	for _, r := range o.sample {
		if !(o.loss[r] < 0.01) {
			t.Errorf("row %d of separable classes has loss %v; want nearly 0", r, o.loss[r])
		}
	}
	if !finite(leaf.Scores) {
		t.Errorf("scores %v; want finite ones", leaf.Scores)
	}
	f := o.forest()
	f.Trees[0] = o.pruned()
	for i, q := range must.Value(f.Proba(t.Context(), d)) {
		if q[2] != 0 || q[3] != 0 {
			t.Fatalf("row %d: probabilities %v; want 0 of the classes c and d, which no row has", i, q)
		}
	}
}

// twoLines has values 1 + 2x below 0 and 1 − 3x above it, with normal noise.
func twoLines(n int, sd float64) *datasets.Dataset {
	rng := forest.NewRand(3)
	x := table(column(n, func(int) float32 { return float32(2*rng.Float64() - 1) }))
	return valued(x, func(i int) float64 {
		v := float64(x.Columns[0][i])
		return 1 + min(2*v, -3*v) + sd*rng.Normal()
	})
}

func TestOneSplitFitsTwoLines(t *testing.T) {
	const sd = 0.05
	d := twoLines(2000, sd)
	l := Learner{Trees: 1, Depth: 1, LinearLeaves: true, LeafLambda: none, Sampling: forest.AllRows}
	f := must.Value(l.Fit(context.Background(), d))
	tree := &f.Trees[0]
	if len(tree.Nodes) != 3 {
		t.Fatalf("%d nodes; want 3", len(tree.Nodes))
	}
	fn := tree.Splits.At(tree.Nodes[0].Split)
	if kink := tree.Nodes[0].Value / fn.Weights[0]; !(math.Abs(float64(kink)) < 0.05) {
		t.Errorf("the split is at %v; want 0", kink)
	}
	// Each leaf must be the least-squares line of its rows, by the closed form.
	leaves := must.Value(f.Apply(t.Context(), d))
	for at := int32(1); at <= 2; at++ {
		var n, sx, sy, sxx, sxy float64
		for i, row := range leaves {
			if x, y := float64(d.Columns[0][i]), d.Values[i]; row[0] == at {
				n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
			}
		}
		slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
		score := tree.Leaf(int(at)).Scores[0]
		if !(math.Abs(float64(score.Weights[0])-slope) < 1e-4) || !(math.Abs(float64(score.Bias)-(sy-slope*sx)/n) < 1e-4) {
			t.Errorf("leaf %d is %v·x + %v; want %v·x + %v", at, score.Weights[0], score.Bias, slope, (sy-slope*sx)/n)
		}
	}
	if mse := treeLoss(f, 0, d) / float64(d.N()); !(mse < 1.1*sd*sd) {
		t.Errorf("mean squared error %v; want about that of the noise, %v", mse, sd*sd)
	}
}
