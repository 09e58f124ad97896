package inspect

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/sim"
)

// A cut is a tree that votes for one class up to a threshold and for another above it.
type cut struct {
	threshold   float32
	low, high   int32
	classWeight bool // leaves hold weights of classes
}

func (s cut) vote(x float32) int32 {
	if x <= s.threshold {
		return s.low
	}
	return s.high
}

// cuts returns a forest of cuts of one feature.
func cuts(classes int, of ...cut) *forest.Forest {
	f := &forest.Forest{Features: []string{"x"}, Classes: []string{"a", "b", "c", "d"}[:classes]}
	for _, s := range of {
		t := forest.Tree{Classes: classes}
		leaf := func(class int32) forest.Node {
			if !s.classWeight {
				return forest.ClassLeaf(class, 1)
			}
			dist := make([]float32, classes)
			dist[class], dist[(int(class)+1)%classes] = 3, 2
			return t.DistLeaf(dist, 5)
		}
		low, high := leaf(s.low), leaf(s.high)
		t.Nodes = []forest.Node{{Split: 0, Next: 2, Value: s.threshold}, low, high}
		f.Trees = append(f.Trees, t)
	}
	return f
}

// column returns a data set of one feature.
func column(x []float32, labels []int32, classes []string) *datasets.Dataset {
	return &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{x}, Labels: labels,
		Classes: classes}
}

// rawMargins returns, by tree and row, 1 for a vote for the row's class, −1 for one for the other
// class with most votes, and 0 otherwise.
func rawMargins(trees []cut, x []float32, labels []int32, classes int) [][]float64 {
	raw := make([][]float64, len(trees))
	for t := range raw {
		raw[t] = make([]float64, len(x))
	}
	for i := range x {
		most, other := -1, int32(-1)
		for k := range int32(classes) {
			votes := 0
			for _, s := range trees {
				if s.vote(x[i]) == k {
					votes++
				}
			}
			if k != labels[i] && votes > most {
				most, other = votes, k
			}
		}
		for t, s := range trees {
			switch s.vote(x[i]) {
			case labels[i]:
				raw[t][i] = 1
			case other:
				raw[t][i] = -1
			}
		}
	}
	return raw
}

func covariance(a, b []float64) (c float64) {
	meanA, meanB := 0.0, 0.0
	for i := range a {
		meanA += a[i] / float64(len(a))
		meanB += b[i] / float64(len(a))
	}
	for i := range a {
		c += (a[i] - meanA) * (b[i] - meanB) / float64(len(a))
	}
	return c
}

func drawCuts(t *rapid.T) (trees []cut, x []float32, labels []int32, classes int) {
	classes = rapid.IntRange(2, 4).Draw(t, "classes")
	class := rapid.Int32Range(0, int32(classes-1))
	trees = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) cut {
		return cut{float32(rapid.IntRange(0, 9).Draw(t, "threshold")) + 0.5, class.Draw(t, "low"), class.Draw(t, "high"),
			rapid.Bool().Draw(t, "weights")}
	}), 1, 6).Draw(t, "trees")
	n := rapid.IntRange(2, 12).Draw(t, "rows")
	x = rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 10), func(v int) float32 { return float32(v) }), n, n).Draw(t, "x")
	labels = rapid.SliceOfN(class, n, n).Draw(t, "labels")
	return trees, x, labels, classes
}

func near(a, b float64) bool {
	return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b)
}

// TestStrengthByDefinition sums over all pairs of trees.
func TestStrengthByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trees, x, labels, classes := drawCuts(t)
		raw := rawMargins(trees, x, labels, classes)
		var strength, over, under float64
		for i, a := range raw {
			for _, v := range a {
				strength += v / float64(len(x)*len(raw))
			}
			for j, b := range raw {
				if i != j {
					over += covariance(a, b)
					under += math.Sqrt(covariance(a, a) * covariance(b, b))
				}
			}
		}
		f := cuts(classes, trees...)
		got := must.Value(StrengthCorrelation(context.Background(), f, column(x, labels, f.Classes)))
		if !near(got.Strength, strength) || under > 1e-9 && !near(got.Correlation, over/under) {
			t.Fatalf("%+v; want strength %v, correlation %v", got, strength, over/under)
		}
	})
}

// A single tree is correlated with none, and equal trees wholly: the labels are a, a, b, b, and one of four is wrong.
func TestStrengthOfEqualTrees(t *testing.T) {
	one := cut{0.5, 0, 1, false}
	test := column([]float32{0, 1, 2, 3}, []int32{0, 0, 1, 1}, []string{"a", "b"})
	for _, c := range []struct {
		f    *forest.Forest
		want float64
	}{{cuts(2, one), math.NaN()}, {cuts(2, one, one, one), 1}} {
		got := must.Value(StrengthCorrelation(t.Context(), c.f, test))
		if !near(got.Strength, 0.5) || !near(got.Correlation, c.want) {
			t.Errorf("%d trees: %+v; want ½ and %v", len(c.f.Trees), got, c.want)
		}
	}
}

// Steps are applied once.
func TestStrengthWithSteps(t *testing.T) {
	problem := sim.Trunk{Features: 4}
	train, test := problem.Sample(300, 1), problem.Sample(500, 2)
	l := rf.Learner{Trees: 60, Seed: 1}
	plain := must.Value(l.Fit(t.Context(), train))
	piped := must.Value(forest.Pipeline(l, datasets.Impute{}, datasets.OneHot{}).Fit(t.Context(), train))
	want := must.Value(StrengthCorrelation(t.Context(), plain, test))
	if got := must.Value(StrengthCorrelation(t.Context(), piped, test)); got != want {
		t.Errorf("with steps that change nothing %+v; without %+v", got, want)
	}
}

func TestStrengthErrors(t *testing.T) {
	ctx, f := context.Background(), cuts(2, cut{0.5, 0, 1, false})
	good := column([]float32{0, 1}, []int32{0, 1}, f.Classes)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := StrengthCorrelation(cancelled, f, good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	values := &forest.Forest{Features: []string{"x"}, Trees: []forest.Tree{{Nodes: []forest.Node{forest.ValueLeaf(1, 1)}}}}
	for _, c := range []struct {
		f    *forest.Forest
		d    *datasets.Dataset
		want string
	}{
		{values, good, "predicts values"},
		{f, column([]float32{0, 1}, nil, nil), "labels"},
		{f, column([]float32{0, 1}, []int32{0, 1}, []string{"b", "a"}), `classes ["a" "b"]`},
	} {
		_, err := StrengthCorrelation(ctx, c.f, c.d)
		readtest.WantError(t, err, c.want)
	}
}

// Trees vote as each does when it is asked alone, whatever their leaves hold, and whether there are more than are
// asked together.
func TestTreeVotes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &datasets.Dataset{Features: make([]datasets.Feature, 2), Columns: make([][]float32, 2)}
	d.Classes = []string{"a", "b", "c"}
	for i := range 200 {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32(rng.NormFloat64()))
		}
		d.Labels = append(d.Labels, int32((i+rng.IntN(2))%3))
	}
	for name, learner := range map[string]forest.Learner{
		"pure":   rf.Learner{Trees: 3},
		"mixed":  rf.Learner{Trees: 35, Growth: forest.Growth{MinLeaf: 9}},
		"linear": tao.Learner{Trees: 2, Depth: 1, Passes: 2, LinearLeaves: true},
	} {
		f := must.Value(learner.Fit(t.Context(), d))
		leaves := must.Value(f.Apply(t.Context(), d))
		for k := range f.Trees {
			alone := &forest.Forest{Features: f.Features, Classes: f.Classes, Trees: f.Trees[k : k+1]}
			got, err := treeVotes(t.Context(), f, k, d, leaves, k)
			if want := must.Value(alone.Predict(t.Context(), d)); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, tree %d: error %v, votes %v; want %v", name, k, err, got, want)
			}
		}
	}
}
