package forest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
)

// The oracle walks row by row and tree by tree, in double precision.
func TestPredictionsRowByRow(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	rng := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{0, 1, 2, 5} {
		for _, n := range []int{1, 128, 129, 589} {
			for _, rule := range []Rule{Plurality, Average, Consensus} {
				f := drawForest(rng, 5, classes, 9)
				f.Rule = rule
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
	leaves := f.Apply(d)
	var labels []int32
	var votes [][]int32
	var proba [][]float64
	var values []float64
	if f.Regression() {
		values = f.PredictValues(d)
	} else {
		labels, votes, proba = f.Predict(d), f.Votes(d), f.Proba(d)
	}
	k := len(f.Classes)
	for i := range d.N() {
		x := d.Row(nil, i)
		wantVotes, wantProba, wantConsensus, wantValue := make([]int32, k), make([]float64, k), make([]float64, k), 0.0
		for j := range f.Trees {
			tree := &f.Trees[j]
			at := walkTo(tree, x)
			if int(leaves[i][j]) != at {
				t.Fatalf("row %d, tree %d: leaf %d, want %d", i, j, leaves[i][j], at)
			}
			share := shares(tree, tree.Nodes[at], k)
			wantValue += float64(tree.Nodes[at].Value) / float64(len(f.Trees))
			if k > 0 {
				wantVotes[largest(share)]++
			}
			for c, s := range share {
				wantProba[c] += s / float64(len(f.Trees))
				wantConsensus[c] += math.Log2(1 + s)
			}
		}
		if f.Regression() {
			if math.Abs(values[i]-wantValue) > 1e-12 {
				t.Fatalf("row %d: value %v, want %v", i, values[i], wantValue)
			}
			continue
		}
		if !slices.Equal(votes[i], wantVotes) {
			t.Fatalf("row %d: votes %v, want %v", i, votes[i], wantVotes)
		}
		for c, p := range proba[i] {
			if math.Abs(p-wantProba[c]) > 1e-6 {
				t.Fatalf("row %d: probabilities %v, want %v", i, proba[i], wantProba)
			}
		}
		want := largest(wantVotes)
		if f.Rule != Plurality {
			scores := wantProba
			if f.Rule == Consensus {
				scores = wantConsensus
			}
			want = largest(scores)
			if scores[labels[i]] > scores[want]-1e-6 {
				want = int(labels[i]) // a tie but for rounding
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
		var v float64
		if p := int32(len(x)); n.Split < p {
			v = float64(x[n.Split])
		} else {
			index, weights := tree.Splits.At(int(n.Split - p))
			for i, j := range index {
				v += float64(weights[i]) * float64(x[j])
			}
		}
		if v <= float64(n.Value) {
			at++
		} else {
			at = int(n.Next)
		}
	}
	return at
}

func shares(tree *Tree, leaf Node, classes int) []float64 {
	s := make([]float64, classes)
	switch leaf.Split {
	case LeafClass:
		s[leaf.Next] = 1
	case LeafDist:
		var sum float64
		for c := range s {
			s[c] = float64(tree.Dist[int(leaf.Next)*classes+c])
			sum += s[c]
		}
		for c := range s {
			s[c] /= sum
		}
	}
	return s
}

func largest[T int32 | float64](s []T) int { return slices.Index(s, slices.Max(s)) }

func TestPredictionPanics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f, v := drawForest(rng, 3, 2, 2), drawForest(rng, 3, 0, 2)
	d := drawData(rng, f, 4)
	missing := *d
	missing.Columns = slices.Clone(d.Columns)
	missing.Columns[1] = []float32{1, 2, float32(math.NaN()), 4}
	for name, call := range map[string]func(){
		"Predict of values":       func() { v.Predict(d) },
		"Votes of values":         func() { v.Votes(d) },
		"Proba of values":         func() { v.Proba(d) },
		"PredictValues of labels": func() { f.PredictValues(d) },
		"too few columns":         func() { f.Predict(d.Select(0, 1)) },
		"other names":             func() { f.Predict(d.Select(1, 0, 2)) },
		"a missing cell":          func() { f.Apply(&missing) },
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
