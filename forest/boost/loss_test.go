package boost

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/sim"
)

// counts returns rows whose counts have the mean exp(x₀/2 + x₁/4).
func counts(n int, seed uint64) *datasets.Dataset {
	d := sim.Trunk{Features: 4}.Sample(n, seed)
	d.Values = make([]float64, n)
	rng := forest.NewRand(seed)
	for i := range d.Values {
		mean := math.Exp(float64(d.Columns[0][i])/2 + float64(d.Columns[1][i])/4)
		for p := rng.Float64(); p > math.Exp(-mean); p *= rng.Float64() {
			d.Values[i]++
		}
	}
	d.Labels, d.Classes = nil, nil
	return d
}

func one(rounds, depth int, rate float64, loss Loss) Learner {
	return Learner{Rounds: rounds, Depth: depth, Rate: rate, MinLeaf: 1, Folds: 1, Penalty: -1, Fraction: 1, Loss: loss}
}

// By algebra: with a rate of 1, no penalty and all rows, a split of a column of 0 and 1 predicts the mean count of
// either side.
func TestPoissonOfTwoGroups(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{{0, 0, 0, 1, 1, 1}},
		Values: []float64{0, 1, 5, 30, 10, 2.5}, Weights: []float32{1, 1, 2, 1, 0.5, 3}}
	f := fitted(one(1, 1, 1, Poisson), d)
	got := predicted(f, d)
	for i, want := range []float64{11.0 / 4, 11.0 / 4, 11.0 / 4, 42.5 / 4.5, 42.5 / 4.5, 42.5 / 4.5} {
		if math.Abs(got[i]-want) > 1e-5 {
			t.Errorf("row %d has %v, want %v", i, got[i], want)
		}
	}
	zeros := counts(2000, 1)
	clear(zeros.Values)
	f = fitted(Learner{Loss: Poisson, Rounds: 3}, zeros)
	if got := predicted(f, zeros)[0]; !(got > 0 && got < 0.001) {
		t.Errorf("the count of rows of zeros is %v", got)
	}
}

// By algebra: boosted to the end, a split of a column of 0 and 1 predicts the weighted mean of either side, whatever
// the unit of time that events are counted in, though λ slows it down.
func TestPoissonOfFrequencies(t *testing.T) {
	for _, unit := range []float64{1, 0x1p-20, 1e-9, 1e-30} {
		d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{nil}}
		var sum, total [2]float64
		for i := range 200 {
			side, w := i%2, float64(1+i%5)
			y := unit * float64(i%4*(1+2*side)) / w
			d.Columns[0] = append(d.Columns[0], float32(side))
			d.Values, d.Weights = append(d.Values, y), append(d.Weights, float32(w))
			sum[side], total[side] = sum[side]+w*y, total[side]+w
		}
		for _, folds := range []int{1, 4} {
			got := predicted(fitted(Learner{Loss: Poisson, Rounds: 300, Folds: folds, Fraction: 1}, d), d)
			for side := range 2 {
				// Members of some of the rows have means of their own, and stop early.
				if want := sum[side] / total[side]; math.Abs(got[side]-want) > []float64{1: 1e-4, 4: 0.1}[folds]*want {
					t.Errorf("%d folds, unit %g: side %d has %v, want %v", folds, unit, side, got[side], want)
				}
			}
		}
	}
}

// The logarithm is the canonical link: where leaves minimise the loss, predictions have the sum of the counts in the
// leaves of the last tree, and so in all.
func TestPoissonKeepsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := counts(rapid.IntRange(20, 200).Draw(t, "rows"), rapid.Uint64().Draw(t, "seed"))
		d.Weights = make([]float32, d.N())
		for i := range d.Weights {
			d.Weights[i] = float32(1+i%4) / 2
		}
		l := one(rapid.IntRange(1, 6).Draw(t, "rounds"), rapid.IntRange(1, 3).Draw(t, "depth"), 1, Poisson)
		l.MinLeaf = 5
		f := fitted(l, d)
		got := predicted(f, d)
		var sum, want float64
		for i, w := range d.Weights {
			sum += float64(w) * got[i]
			want += float64(w) * d.Values[i]
		}
		if math.Abs(sum-want) > 1e-4*(want+1) {
			t.Errorf("predictions sum to %v, counts to %v", sum, want)
		}
	})
}

// Huber's loss is drawn less by outliers than squared error.
func TestHuberOfOutliers(t *testing.T) {
	if testing.Short() {
		t.Skip("large for a statistic; TestSameBytes boosts on several cores")
	}
	d := sim.Trunk{Features: 2}.Sample(1000, 1)
	d.Labels, d.Classes, d.Values = nil, nil, make([]float64, d.N())
	clean := make([]float64, d.N())
	for i := range d.Values {
		clean[i] = 3 * float64(d.Columns[0][i])
		if d.Values[i] = clean[i]; i%20 == 0 {
			d.Values[i] += 300
		}
	}
	wrong := map[Loss]float64{}
	for _, loss := range []Loss{standard, Huber} {
		f := fitted(Learner{Loss: loss, Rounds: 100, Seed: 1}, d)
		got := predicted(f, d)
		for i, v := range clean {
			wrong[loss] += math.Abs(got[i]-v) / float64(len(clean))
		}
	}
	if wrong[Huber] > 1 || wrong[standard] < 5 {
		t.Errorf("mean errors of %v by Huber's loss, %v by squared error", wrong[Huber], wrong[standard])
	}
}

// By hand: where most values are 0, a column of 0 and 1 still separates them from the others, for every level and for
// Huber's loss.
func TestMostValuesAreTheSame(t *testing.T) {
	for _, of := range []int{2, 20} { // one row of so many has a value above 0
		d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{nil}}
		for i := range 400 {
			x := float32(0)
			if i%of == 1 {
				x = 1
			}
			d.Columns[0], d.Values = append(d.Columns[0], x), append(d.Values, 7*float64(x))
		}
		learners := map[string]Learner{"huber": one(1, 1, 1, Huber)}
		for name, level := range map[string]float64{"0.1": 0.1, "median": 0.5, "0.9": 0.9} {
			if l := one(1, 1, 1, standard); of == 20 || level <= 0.5 {
				l.Quantile = level
				learners[name] = l
			}
		}
		for name, l := range learners {
			got := predicted(fitted(l, d), d)
			for i, want := range d.Values {
				if got[i] != want {
					t.Errorf("%s, one row of %d: row %d has %v, want %v", name, of, i, got[i], want)
					break
				}
			}
		}
	}
}

// memberOf returns member k of a forest as a forest.
func memberOf(f *forest.Forest, k int) *forest.Forest {
	outputs := len(f.Base)
	members := len(f.Members) / outputs
	member := *f
	member.Trees, member.Members, member.Base = nil, nil, f.Members[k*outputs:][:outputs]
	for number, tree := range f.Trees {
		if number*members/f.RoundTrees()%members != k {
			continue
		}
		tree.Nodes, tree.Dist = slices.Clone(tree.Nodes), slices.Clone(tree.Dist)
		for i := range tree.Dist {
			tree.Dist[i] *= float32(members)
		}
		for i := range tree.Nodes {
			if tree.Nodes[i].IsLeaf() {
				tree.Nodes[i].Value *= float32(members)
			}
		}
		member.Trees = append(member.Trees, tree)
	}
	return &member
}

// What averaging gains follows from the predictions of two members for the rows that both haven't seen: it is
// (1 − 1/K)/2 times their squared difference.
func TestAveragingGains(t *testing.T) {
	all := tables()
	all["counts"] = counts(300, 1)
	for name, d := range all {
		l := Learner{Rounds: 10, Seed: 2}
		if name == "counts" {
			l.Loss = Poisson
		}
		f := fitted(l, d)
		members := len(f.Members) / len(f.Base)
		fold := must.Value(samples.Folds(d, members, 2))
		var want []float64
		for i, other := range must.Value(samples.Twice(d, fold, members, 2)) {
			if other < 0 {
				continue
			}
			row := d.Subset([]int32{int32(i)})
			said := func(k int) []float64 { return outputs(memberOf(f, k), row)[0] }
			apart := floats.Distance(said(fold[i]), said(other), 2)
			want = append(want, (1-1/float64(members))/2*apart*apart)
		}
		got, err := f.AveragingGains(t.Context(), d, must.Value(f.OutOfBag(t.Context(), d)))
		if err != nil || len(got) < 12 || len(got) > 15 || floats.Sum(got) == 0 ||
			!floats.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-5*(1e-3+b) }) {
			t.Errorf("%s: averaging gains %v (%v), want %v", name, got, err, want)
		}
	}
}

// Out of bag a row is predicted by the trees of the member that hasn't seen it, times the number of members, and by the
// member's base: by hand for all losses. A row of weight 0 is predicted by all.
func TestOutOfBag(t *testing.T) {
	type table struct {
		d    *datasets.Dataset
		loss Loss
	}
	all := map[string]table{"counts": {counts(300, 1), Poisson}}
	for name, d := range tables() {
		all[name] = table{d, standard}
	}
	for name, c := range all {
		d := c.d
		d.Weights = make([]float32, d.N())
		var rows []int32
		for i := range d.Weights {
			if d.Weights[i] = float32(i%3) + 1; i == 10 || i == 20 {
				d.Weights[i] = 0
				continue
			}
			rows = append(rows, int32(i))
		}
		f := fitted(Learner{Rounds: 10, Folds: 4, Loss: c.loss, Seed: 2}, d)
		folds := must.Value(datasets.KFold{K: 4, Stratified: d.Labels != nil, Seed: 2}.Folds(d.Subset(rows)))
		got := must.Value(f.OutOfBag(t.Context(), d))
		said := got.Proba
		for _, v := range got.Values {
			said = append(said, []float64{v})
		}
		check := func(member *forest.Forest, rows []int32) {
			t.Helper()
			for i, want := range outputs(member, d.Subset(rows)) {
				near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-5*(1+math.Abs(b)) }
				if !floats.EqualFunc(said[rows[i]], want, near) {
					t.Fatalf("%s: row %d has %v, want %v", name, rows[i], said[rows[i]], want)
				}
			}
		}
		for k, fold := range folds {
			var held []int32
			for _, r := range fold.Test {
				held = append(held, rows[r])
			}
			check(memberOf(f, k), held)
		}
		check(f, []int32{10, 20})
		if len(got.Rows) != d.N() || got.Votes != nil {
			t.Errorf("%s: %d rows out of bag, votes %v", name, len(got.Rows), got.Votes)
		}
	}
}

// A row's own value doesn't move its prediction out of bag, nor by a second member that is boosted without the row, but
// that by all members.
func TestOutOfBagDoesNotSeeTheRow(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once that TestOutOfBag doesn't run")
	}
	d := tables()["values"]
	fold := must.Value(samples.Folds(d, 10, 3))
	second := must.Value(samples.Twice(d, fold, 10, 3))
	twice := slices.IndexFunc(second, func(k int) bool { return k >= 0 })
	predict := func(row int) (out, other, all float64) {
		f := fitted(Learner{Rounds: 4, Seed: 3}, d)
		got := must.Value(f.OutOfBag(t.Context(), d))
		values := predicted(f, d)
		if len(f.Trees) != 40 {
			t.Fatalf("%d trees", len(f.Trees))
		}
		if k := second[row]; k >= 0 {
			other = predicted(memberOf(f, k), d)[row]
		}
		return got.Values[row], other, values[row]
	}
	for _, row := range []int{0, 17, 299, twice} {
		out, other, all := predict(row)
		d.Values[row] += 20
		o, b, a := predict(row)
		if math.Abs(o-out) > 1e-6 || math.Abs(b-other) > 1e-5 || math.Abs(a-all) < 0.01 {
			t.Errorf("row %d: %v became %v out of bag, %v %v by another member, and %v %v", row, out, o, other, b, all, a)
		}
	}
	whole := fitted(Learner{Rounds: 2, Folds: 1}, d)
	if _, err := whole.OutOfBag(t.Context(), d); err == nil {
		t.Error("no error for a booster of all rows")
	}
}
