package inspect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/sim"
)

// gap returns the proximities of the rows with these leaves to all training rows by equation 6 of Rhodes, Cutler and
// Moon (2023), with counts times weights for its multisets; by row, and NaN where there is no tree.
func gap(f *forest.Forest, train *datasets.Dataset, leaves [][]int32, seen func(row, tree int) bool) [][]float64 {
	of := must.Value(f.Apply(context.Background(), train))
	all := make([][]float64, len(leaves))
	for i := range leaves {
		all[i] = make([]float64, train.N())
		trees := 0.0
		for t := range f.Trees {
			if seen(i, t) {
				continue
			}
			trees++
			counts := f.LeafCounts(nil, train, t)
			weight := func(j int) float64 {
				switch {
				case of[j][t] != leaves[i][t]:
					return 0
				case train.Weights == nil:
					return float64(counts[j])
				}
				return float64(counts[j]) * float64(train.Weights[j])
			}
			sum := 0.0
			for j := range train.N() {
				sum += weight(j)
			}
			for j := range train.N() {
				if w := weight(j); w > 0 {
					all[i][j] += w / sum
				}
			}
		}
		for j := range all[i] {
			all[i][j] /= trees
		}
	}
	return all
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

// checkNearest compares neighbours with all proximities of a row.
func checkNearest(t *rapid.T, near []Neighbour, want []float64, k int) {
	t.Helper()
	positive, least := 0, math.Inf(1)
	for _, p := range want {
		if p > 0 {
			positive++
		}
	}
	if len(near) != min(k, positive) {
		t.Fatalf("%d neighbours of %d, want %d", len(near), positive, k)
	}
	for i, n := range near {
		if math.Abs(float64(n.Proximity)-want[n.Row]) > 1e-6 {
			t.Fatalf("row %d has proximity %v, want %v", n.Row, n.Proximity, want[n.Row])
		}
		if i > 0 && (n.Proximity > near[i-1].Proximity || n.Proximity == near[i-1].Proximity && n.Row <= near[i-1].Row) {
			t.Fatalf("neighbours in the order %v", near)
		}
		least = float64(n.Proximity)
	}
	for j, p := range want {
		if p > least+1e-6 && !slices.ContainsFunc(near, func(n Neighbour) bool { return n.Row == int32(j) }) {
			t.Fatalf("row %d with proximity %v is left out of %v", j, p, near)
		}
	}
}

// Few rows and all rows have the neighbours that the definition gives them, also those whose groups share trees.
func TestNearestByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, train := drawn(t)
		ctx := context.Background()
		k := rapid.SampledFrom([]int{0, 3, 1000}).Draw(t, "k")
		fresh := sim.Trunk{Features: 4}.Sample(rapid.IntRange(1, 30).Draw(t, "rows"), 9)
		near := must.Value(Nearest(ctx, f, train, fresh, k))
		for i, want := range gap(f, train, must.Value(f.Apply(ctx, fresh)), func(int, int) bool { return false }) {
			checkNearest(t, near[i], want, k)
		}
		rows := grow.UpTo(train.N())
		if rapid.Bool().Draw(t, "some") {
			rows = []int32{int32(train.N() - 1), 3, 3}
		}
		seen, out := make([][]bool, len(f.Trees)), false
		for tree := range f.Trees {
			counts := f.SampleCounts(nil, train, tree)
			for _, row := range rows {
				seen[tree] = append(seen[tree], counts[row] > 0)
				out = out || counts[row] == 0
			}
		}
		near, err := NearestOutOfBag(ctx, f, train, rows, k)
		if !out {
			if err != errNoneOut {
				t.Fatalf("no row is out of bag: error %v", err)
			}
			return
		}
		leaves := must.Value(f.Apply(ctx, train.Subset(rows)))
		all := gap(f, train, leaves, func(i, tree int) bool { return seen[tree][i] })
		for i, near := range must.Value(near, err) {
			checkNearest(t, near, all[i], k)
			for _, n := range near {
				row := rows[i]
				if train.Weights != nil && train.Weights[row] == 0 {
					continue // in no sample, also where its group is
				}
				if n.Row == row || train.Groups != nil && train.Groups[n.Row] == train.Groups[row] {
					t.Fatalf("row %d is near row %d of its group", row, n.Row)
				}
			}
		}
	})
}

// Weighted by proximities, the training rows' targets give the forest's predictions, also out of bag: the theorem of
// Rhodes, Cutler and Moon.
func TestProximitiesKeepPredictions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, train := drawn(t)
		ctx := context.Background()
		predict := func(near []Neighbour) []float64 {
			p := make([]float64, max(1, len(f.Classes)))
			for _, n := range near {
				if f.Regression() {
					p[0] += float64(n.Proximity) * train.Values[n.Row]
				} else {
					p[train.Labels[n.Row]] += float64(n.Proximity)
				}
			}
			return p
		}
		fresh := sim.Trunk{Features: 4}.Sample(30, 9)
		near := must.Value(Nearest(ctx, f, train, fresh, train.N()))
		out, err := NearestOutOfBag(ctx, f, train, grow.UpTo(train.N()), train.N())
		if err != nil {
			t.Skip("no row is out of bag")
		}
		oob := must.Value(f.OutOfBag(ctx, train))
		check := func(near []Neighbour, want ...float64) {
			for c, got := range predict(near) {
				if !(math.Abs(got-want[c]) <= 1e-5*max(1, math.Abs(want[c]))) {
					t.Fatalf("the neighbours' mean is %v, the prediction %v", got, want[c])
				}
			}
		}
		if f.Regression() {
			for i, v := range must.Value(f.PredictValues(ctx, fresh)) {
				check(near[i], v)
			}
			for _, i := range oob.Rows {
				check(out[i], oob.Values[i])
			}
			return
		}
		for i, p := range must.Value(f.Proba(ctx, fresh)) {
			check(near[i], p...)
		}
		for _, i := range oob.Rows {
			check(out[i], oob.Proba[i]...)
		}
	})
}

func TestProximitiesOnAnyCores(t *testing.T) {
	d := sim.Trunk{Features: 4}.Sample(500, 1)
	f := must.Value(rf.Learner{Trees: 40, Seed: 1}.Fit(t.Context(), d))
	var want string
	for _, cores := range []int{1, 2, 5} {
		steady.Cores(t, cores)
		got := fmt.Sprint(must.Value(NearestOutOfBag(t.Context(), f, d, grow.UpTo(500), 5)),
			must.Value(Drift(t.Context(), f, d, d)))
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("other results on %d cores", cores)
		}
	}
}

func TestProximityErrors(t *testing.T) {
	ctx, d := t.Context(), sim.Trunk{Features: 4}.Sample(60, 1)
	bagged := must.Value(rf.Learner{Trees: 3}.Fit(ctx, d))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	boosted := must.Value(boost.Learner{Rounds: 3}.Fit(ctx, d))
	whole := must.Value(rf.Learner{Trees: 3, Sampling: forest.AllRows}.Fit(ctx, d))
	grouped := *d
	grouped.Groups = make([]int32, 60)
	narrow := sim.Trunk{Features: 3}.Sample(5, 1)
	less := sim.Trunk{Features: 4}.Sample(59, 1)
	all := func(ctx context.Context, f *forest.Forest, train, d *datasets.Dataset) []error {
		_, nearest := Nearest(ctx, f, train, d, 1)
		_, out := NearestOutOfBag(ctx, f, train, grow.UpTo(train.N()), 1)
		_, drift := Drift(ctx, f, train, d)
		return []error{nearest, out, drift}
	}
	each := func(s string) [3]string { return [3]string{s, s, s} }
	none := each("no row is out of bag")
	none[0] = ""
	for name, c := range map[string]struct {
		errs []error
		want [3]string // "" for no error
	}{
		"boosted":   {all(ctx, boosted, d, d), each("summed")},
		"all rows":  {all(ctx, whole, d, d), none},
		"groups":    {all(ctx, bagged, d, &grouped), [3]string{2: "groups in both tables"}},
		"narrow":    {all(ctx, bagged, d, narrow), [3]string{0: "was trained on 4", 2: "was trained on 4"}},
		"no rows":   {all(ctx, bagged, d, d.Subset([]int32{})), [3]string{2: "drift of no rows"}},
		"training":  {all(ctx, bagged, less, d), each("of 60 rows")},
		"cancelled": {all(cancelled, bagged, d, d), each("canceled")},
	} {
		for i, err := range c.errs {
			if (err == nil) != (c.want[i] == "") || err != nil && !strings.Contains(err.Error(), c.want[i]) {
				t.Errorf("%s: error %d is %v, want %q", name, i, err, c.want[i])
			}
		}
	}
}

func BenchmarkQuestions(b *testing.B) {
	train, d := sim.Trunk{Features: 10}.Sample(20_000, 1), sim.Trunk{Features: 10}.Sample(20_000, 2)
	f := must.Value(rf.Learner{Trees: 100, Seed: 1}.Fit(b.Context(), train))
	one := d.Subset([]int32{0})
	for name, ask := range map[string]func() error{
		"nearest":  func() error { _, err := Nearest(b.Context(), f, train, one, 5); return err },
		"outOfBag": func() error { _, err := NearestOutOfBag(b.Context(), f, train, []int32{0}, 5); return err },
		"drift":    func() error { _, err := Drift(b.Context(), f, train, d); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
