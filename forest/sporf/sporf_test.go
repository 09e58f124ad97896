package sporf

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

var fitted = fittest.Fit

// Section 3.2 of the paper: d in {p^¼, p^½, p^¾, p, p²}, λ in {1/p, …, 5/p}; L from 2 on, as in the authors' programs.
func TestGrid(t *testing.T) {
	for _, c := range []struct {
		p, most int
		d       []int
	}{
		{20, 5, []int{2, 4, 9, 20, 400}}, // 2.1, 4.5, 9.5
		{1, 1, []int{1}},
		{2, 2, []int{1, 2, 4}},
		{3, 3, []int{1, 2, 3, 9}},
		{16, 5, []int{2, 4, 8, 16, 256}},
	} {
		base := Learner{Trees: 7, Seed: 8}
		var want []Learner
		var combinations []FRC
		for _, d := range c.d {
			for k := 1; k <= c.most; k++ {
				want = append(want, Learner{Trees: 7, Seed: 8, Candidates: d, Density: float64(k) / float64(c.p)})
				if k > 1 || c.p == 1 {
					combinations = append(combinations, FRC{Trees: 7, Seed: 8, Candidates: d, Combined: k})
				}
			}
		}
		if got := base.Grid(&datasets.Dataset{Columns: make([][]float32, c.p)}); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("p = %d: %v, want %v", c.p, got, want)
		}
		if got := (FRC{Trees: 7, Seed: 8}).Grid(&datasets.Dataset{Columns: make([][]float32,
			c.p)}); fmt.Sprint(got) != fmt.Sprint(combinations) {
			t.Errorf("p = %d: %v, want %v", c.p, got, combinations)
		}
	}
}

// Of two features one is constant, and a node draws one of them. So without another draw half of the trees are leaves:
// of 400, a number with mean 200 and standard deviation 10.
func TestNoRedraw(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}, {Name: "constant"}},
		Columns: [][]float32{{1, 2, 3, 4}, {5, 5, 5, 5}}, Labels: []int32{0, 0, 1, 1}, Classes: []string{"a", "b"}}
	leaves := func(l forest.Learner) (n int) {
		for _, tree := range fitted(l, d).Trees {
			if len(tree.Nodes) == 1 {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		again, once forest.Learner
	}{
		{Learner{Trees: 400, Candidates: 1, Density: 0.5, Sampling: forest.AllRows, Seed: 1},
			Learner{Trees: 400, Candidates: 1, Density: 0.5, Sampling: forest.AllRows, Seed: 1, NoRedraw: true}},
		{FRC{Trees: 400, Candidates: 1, Combined: 1, Sampling: forest.AllRows, Seed: 1},
			FRC{Trees: 400, Candidates: 1, Combined: 1, Sampling: forest.AllRows, Seed: 1, NoRedraw: true}},
	} {
		if again, once := leaves(c.again), leaves(c.once); again != 0 || once < 160 || once > 240 {
			t.Errorf("%T: %d trees are leaves, and %d without another draw; want 0 and about 200", c.again, again, once)
		}
	}
}

// The defaults are those of section 5.2: d = p, λ = 3/p.
func TestZeroValueIsThePaper(t *testing.T) {
	d := sim.Trunk{Features: 7}.Sample(60, 1)
	got, want := fitted(Learner{Seed: 3}, d), fitted(Learner{Trees: 500, Candidates: 7, Density: 3. / 7, Seed: 3}, d)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got.Trees) != 500 || got.Method != "sporf" ||
		got.Rule != forest.Plurality ||
		got.Sampling != (forest.Sampling{}) || got.Seed != 3 {
		t.Error("the zero value grows another forest")
	}
	got, want = fitted(FRC{Seed: 3}, d), fitted(FRC{Trees: 500, Candidates: 7, Combined: 3, Seed: 3}, d)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got.Trees) != 500 || got.Method != "frc" {
		t.Error("the zero value of FRC grows another forest")
	}
}

func TestErrors(t *testing.T) {
	d := sim.Trunk{Features: 4}.Sample(20, 1)
	for _, c := range []struct {
		l    forest.Learner
		want string
	}{
		{Learner{Candidates: -1}, "Candidates -1"},
		{Learner{Density: -0.1}, "Density -0.1"},
		{Learner{Density: 1.1}, "Density 1.1"},
		{Learner{Density: math.NaN()}, "Density NaN"},
		{Learner{Candidates: math.MaxInt32}, "nonzeros"},
		{FRC{Candidates: -1}, "Candidates -1"},
		{FRC{Combined: -1}, "Combined -1"},
		{FRC{Combined: 5}, "Combined 5"},
	} {
		_, err := c.l.Fit(context.Background(), d)
		readtest.WantError(t, err, c.want)
	}
}

// With d = p² most features are drawn alone again and again. The engine searches them once a node, which changes no
// tree: with 4097 features, of which the source draws from the first p, it searches every candidate.
func TestRepeatedFeaturesChangeNothing(t *testing.T) {
	zeros := make([]float32, 300)
	rapid.Check(t, func(t *rapid.T) {
		n, p, k := rapid.IntRange(2, 300).Draw(t, "n"), rapid.IntRange(1, 12).Draw(t, "p"),
			rapid.SampledFrom([]int{2, 2, 2, 4, 1}).Draw(t, "k")
		levels := rapid.SampledFrom([]int{2, 9, 1 << 20}).Draw(t, "levels")
		rng := forest.NewRand(rapid.Uint64().Draw(t, "seed"))
		d := &datasets.Dataset{Features: make([]datasets.Feature, p), Columns: make([][]float32, p)}
		for j := range d.Columns {
			for range n {
				d.Columns[j] = append(d.Columns[j], float32(rng.Intn(levels))+float32(levels%2)/3)
			}
		}
		for i := range n {
			v := i // the first two rows differ
			if i > 1 {
				v = int(float32(rng.Intn(3)) + 2*d.Columns[0][i]/float32(levels))
			}
			if k == 1 {
				d.Values = append(d.Values, float64(v))
			} else {
				d.Labels = append(d.Labels, int32(v%k))
			}
		}
		if k > 1 {
			d.Classes = []string{"a", "b", "c", "d"}[:k]
		}
		wide := *d
		wide.Features, wide.Columns = make([]datasets.Feature, 4097), slices.Clone(d.Columns)
		for len(wide.Columns) < 4097 {
			wide.Columns = append(wide.Columns, zeros[:n])
		}
		params := grow.Params{Method: "sporf", Trees: 10, Seed: 1, Growth: forest.Growth{
			Criterion: rapid.SampledFrom([]forest.Criterion{forest.Gini, forest.Gini, forest.Entropy}).Draw(t, "criterion"),
			MinLeaf:   rapid.IntRange(0, 3).Draw(t, "leaf")}}
		if k == 1 {
			params.Growth.Criterion = 0
		}
		entries := rapid.IntRange(p, 2*p*p).Draw(t, "entries")
		source := func() grow.Source { return newMatrix(p, p*p, min(entries, p*p*p), nil) }
		var forests [2]*forest.Forest
		for i, d := range []*datasets.Dataset{d, &wide} {
			f := must.Value(grow.Forest(t.Context(), d, params, source))
			forests[i] = f
		}
		for i, tree := range forests[0].Trees {
			if want := forests[1].Trees[i]; !reflect.DeepEqual(tree, want) {
				t.Fatalf("tree %d is %v, without repeated features left out %v", i, tree, want)
			}
		}
	})
}

func BenchmarkFit(b *testing.B) {
	for name, d := range map[string]*datasets.Dataset{
		"trunk":  sim.Trunk{Features: 50}.Sample(5000, 1),
		"parity": sim.SparseParity{}.Sample(5000, 1),
	} {
		fittest.Benchmark(b, map[string]*datasets.Dataset{name: d}, Learner{Trees: 10}, Learner{Trees: 10, Candidates: 7},
			Learner{Trees: 10, Candidates: 7, Density: 1}, FRC{Trees: 10},
			Learner{Trees: 1, Candidates: d.P() * d.P(), Density: 1 / float64(d.P())})
	}
}

func BenchmarkMatrix(b *testing.B) {
	for _, c := range []struct{ p, d, nonzeros int }{{50, 50, 150}, {50, 7, 21}, {20, 400, 1600}, {500, 23, 23 * 250}} {
		m := newMatrix(c.p, c.d, c.nonzeros, nil)
		b.Run(fmt.Sprintf("%+v", c), func(b *testing.B) {
			b.ReportAllocs()
			n := node(1)
			for b.Loop() {
				m.Draw(n, 0)
				for m.Next() != nil {
				}
			}
		})
	}
}
