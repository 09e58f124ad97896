package inspect

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/sim"
)

// The difference is what χ² of the rows that come to each split gives, by the textbook.
func TestDriftByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, d := drawn(t)
		reached := must.Value(f.Apply(context.Background(), d))
		isNew := rapid.SliceOfN(rapid.Int32Range(0, 1), d.N(), d.N()).Draw(t, "new")
		for k := range f.Trees {
			nodes := f.Trees[k].Nodes
			parent := make([]int, len(nodes))
			for i, n := range nodes {
				if !n.IsLeaf() {
					parent[i+1], parent[n.Next] = i, i
				}
			}
			counts := make([][2]float64, len(nodes)) // of old and new rows
			var leaves, unit []int32
			for row := range reached {
				if row%3 == 0 {
					continue
				}
				leaf := reached[row][k]
				leaves, unit = append(leaves, leaf), append(unit, int32(row))
				for at := int(leaf); at > 0; at = parent[at] {
					counts[at][isNew[row]]++
				}
			}
			want := 0.0
			for i, n := range nodes {
				if n.IsLeaf() {
					continue
				}
				rows := 0.0
				for _, c := range [][2]float64{counts[i+1], counts[n.Next]} {
					rows += c[0] + c[1]
				}
				if x, df := ChiSquare(counts[i+1][:], counts[n.Next][:]); df == 1 && rows > 2 {
					want += x * math.Sqrt(rows)
				}
			}
			p := newPassage(nodes, leaves, unit)
			if got := p.difference(isNew, make([]int32, len(unit)+1)); !(math.Abs(got-want) <= 1e-9*(1+want)) {
				t.Fatalf("difference %v, want %v", got, want)
			}
		}
	})
}

// blobs returns groups of rows around random centres: of one row in which group is 1, centred on shift in the first of
// its three features.
func blobs(n, group int, shift float64, seed uint64) *datasets.Dataset {
	rng := forest.NewRand(seed)
	d := &datasets.Dataset{Features: make([]datasets.Feature, 3), Columns: make([][]float32, 3)}
	d.Classes = []string{"a", "b"}
	var centre [3]float64
	for i := range n {
		label := 0.0
		for j := range d.Columns {
			if i%group == 0 {
				centre[j] = rng.Normal()
			}
			v := centre[j]
			if group > 1 {
				v += 0.1 * rng.Normal()
			}
			if j == 0 {
				v += shift
			}
			d.Columns[j] = append(d.Columns[j], float32(v))
			label += v
		}
		class := int32(0)
		if label+rng.Normal() > 0 {
			class = 1
		}
		d.Labels = append(d.Labels, class)
		if group > 1 {
			d.Groups = append(d.Groups, int32(i/group))
		}
	}
	return d
}

var driftLevels = [...]float64{0.01, 0.05, 0.2, 0.6}

// driftRates returns how many of the p-values of many tables are at most each level.
func driftRates(t *testing.T, tables, n, m, group int) (counts [len(driftLevels)]int) {
	for k := range uint64(tables) {
		train, d := blobs(n, group, 0, 2*k), blobs(m, group, 0, 2*k+1)
		f := must.Value(rf.Learner{Trees: 10, Seed: k}.Fit(t.Context(), train))
		p := must.Value(Drift(t.Context(), f, train, d))
		for i, level := range driftLevels {
			if p <= level {
				counts[i]++
			}
		}
	}
	return counts
}

// Without drift, p is uniform: how often it is at most a level has a binomial distribution. Noisy labels, trees grown
// to the end and rows of groups that are alike don't change that.
func TestDriftWithoutDrift(t *testing.T) {
	if testing.Short() {
		t.Skip("1500 tables, for a statistic")
	}
	for _, c := range []struct{ n, m, group int }{{40, 40, 1}, {80, 20, 1}, {150, 150, 5}} {
		const tables = 500
		for i, got := range driftRates(t, tables, c.n, c.m, c.group) {
			b := distuv.Binomial{N: tables, P: driftLevels[i]}
			if low, high := b.CDF(float64(got)), 1-b.CDF(float64(got-1)); min(low, high) < 1e-4 {
				t.Errorf("%v: %d of %d p-values are at most %v", c, got, tables, driftLevels[i])
			}
		}
	}
}

// Of five times as many new rows as old ones every fifth counts, and rows of weight 0 don't.
func TestDriftOfSomeRows(t *testing.T) {
	train, d := blobs(60, 1, 0, 1), blobs(300, 1, 0.1, 2)
	f := must.Value(rf.Learner{Trees: 10, Seed: 1}.Fit(t.Context(), train))
	var fifth []int32
	for i := range int32(60) {
		fifth = append(fifth, 5*i)
	}
	want := must.Value(Drift(t.Context(), f, train, d.Subset(fifth)))
	weighted := *d
	for i := range 300 {
		weighted.Weights = append(weighted.Weights, 1-min(1, float32(i%5)))
	}
	for name, d := range map[string]*datasets.Dataset{"more rows": d, "weights": &weighted} {
		if p := must.Value(Drift(t.Context(), f, train, d)); p != want {
			t.Errorf("%s: p = %v, want %v", name, p, want)
		}
	}
	if p := must.Value(Drift(t.Context(), f, train, d.Subset(samples.UpTo(60)))); p == want {
		t.Errorf("the first rows have p = %v, too", p)
	}
}

// drawn returns a table and a forest of it: of classes or values, of several samplings, with weights, groups or holes,
// honest or not, of single features or of sums.
func drawn(t *rapid.T) (*forest.Forest, *datasets.Dataset) {
	n := rapid.IntRange(20, 150).Draw(t, "n")
	d := sim.Trunk{Features: 4}.Sample(n, rapid.Uint64().Draw(t, "seed"))
	if rapid.Bool().Draw(t, "values") {
		d.Labels, d.Classes, d.Values = nil, nil, make([]float64, n)
		for i := range d.Values {
			d.Values[i] = float64(d.Columns[0][i] * d.Columns[1][i])
		}
	}
	if rapid.Bool().Draw(t, "weights") {
		for i := range n {
			d.Weights = append(d.Weights, float32(i%4)/2)
		}
	}
	if rapid.Bool().Draw(t, "groups") {
		for i := range n {
			d.Groups = append(d.Groups, int32(i*7%(n/4)))
		}
	}
	growth := forest.Growth{MinLeaf: rapid.SampledFrom([]int{1, 1, 5}).Draw(t, "least")}
	sampling := forest.Sampling{Fraction: rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "fraction")}
	trees := rapid.SampledFrom([]int{1, 4, 40}).Draw(t, "trees")
	var l forest.Learner
	switch rapid.IntRange(0, 2).Draw(t, "method") {
	case 0:
		l = rf.Learner{Trees: trees, Growth: growth, Sampling: sampling, Seed: 1}
	case 1:
		l = sporf.Learner{Trees: trees, Growth: growth, Sampling: sampling, Seed: 2}
	default:
		l = honest{trees}
	}
	return must.Value(l.Fit(context.Background(), d)), d
}

// honest grows honest trees of single features.
type honest struct{ trees int }

func (h honest) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return grow.Forest(ctx, train, grow.Params{Method: "honest", Trees: h.trees, Seed: 3, Honest: true},
		func() grow.Source { return grow.NewAxes(nil, train.P(), 2, grow.Search) })
}

func TestDriftOnAnyCores(t *testing.T) {
	d := sim.Trunk{Features: 4}.Sample(500, 1)
	f := must.Value(rf.Learner{Trees: 40, Seed: 1}.Fit(t.Context(), d))
	steady.Cores(t, 1)
	want := must.Value(Drift(t.Context(), f, d, d))
	for _, cores := range []int{2, 5} {
		steady.Cores(t, cores)
		if p := must.Value(Drift(t.Context(), f, d, d)); p != want {
			t.Errorf("p is %v on %d cores, %v on one", p, cores, want)
		}
	}
}

func TestDriftErrors(t *testing.T) {
	ctx, d := t.Context(), sim.Trunk{Features: 4}.Sample(60, 1)
	bagged := must.Value(rf.Learner{Trees: 3}.Fit(ctx, d))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	boosted := must.Value(boost.Learner{Rounds: 3}.Fit(ctx, d))
	whole := must.Value(rf.Learner{Trees: 3, Sampling: forest.AllRows}.Fit(ctx, d))
	grouped := *d
	grouped.Groups = make([]int32, 60)
	for i := range grouped.Groups {
		grouped.Groups[i] = int32(i / 2)
	}
	byGroup := must.Value(rf.Learner{Trees: 3}.Fit(ctx, &grouped))
	wrong := grouped
	wrong.Groups = make([]int32, 59)
	untargeted := *d
	untargeted.Labels = []int32{9}
	if got, want := must.Value(Drift(ctx, bagged, d, &untargeted)), must.Value(Drift(ctx, bagged, d, d)); got != want {
		t.Errorf("with a target of another length: %v, without %v", got, want)
	}
	for _, c := range []struct {
		ctx      context.Context
		f        *forest.Forest
		train, d *datasets.Dataset
		want     string
	}{
		{ctx, boosted, d, d, "summed"},
		{ctx, whole, d, d, "no row is out of bag"},
		{ctx, bagged, d, &grouped, "groups in both tables"},
		{ctx, byGroup, &grouped, &wrong, "groups of 59 rows"},
		{ctx, bagged, d, sim.Trunk{Features: 3}.Sample(5, 1), "was trained on 4"},
		{ctx, bagged, d, d.Subset([]int32{}), "drift of no rows"},
		{ctx, bagged, sim.Trunk{Features: 4}.Sample(59, 1), d, "of 60 rows"},
		{cancelled, bagged, d, d, "canceled"},
	} {
		_, err := Drift(c.ctx, c.f, c.train, c.d)
		readtest.WantError(t, err, c.want)
	}
}

func BenchmarkDrift(b *testing.B) {
	train, d := sim.Trunk{Features: 10}.Sample(20_000, 1), sim.Trunk{Features: 10}.Sample(20_000, 2)
	f := must.Value(rf.Learner{Trees: 100, Seed: 1}.Fit(b.Context(), train))
	b.ReportAllocs()
	for b.Loop() {
		must.Value(Drift(b.Context(), f, train, d))
	}
}
