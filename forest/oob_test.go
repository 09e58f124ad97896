package forest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// The oracle predicts each row by a forest of the trees for which the row is out of bag.
func TestOutOfBagAgainstForestsOfTheTreesThatLeftARowOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	samplings := []Sampling{
		{},
		{Fraction: 0.3},
		{Fraction: 0.9, WithoutReplacement: true},
		{Fraction: 0.001, WithoutReplacement: true},
	}
	for _, sampling := range samplings {
		for classes := range 5 {
			if classes == 1 {
				continue
			}
			f := drawForestBy(rng, rulesOf(classes)[rng.IntN(3)], 4, classes, 7)
			f.Sampling, f.Seed = sampling, 3
			if classes == 3 {
				f.Calibration = Calibration{Power: 2.5, Floor: 0.125}
			}
			for _, n := range []int{1, 63, 300} {
				if sampling.all(n) {
					continue
				}
				train := drawData(rng, f, n)
				if n == 300 { // a view, in another order
					rows := make([]int32, n)
					for i := range rows {
						rows[i] = int32(rng.IntN(n))
					}
					train = train.Subset(rows)
				}
				if n == 63 { // most samples have no row of weight
					train.Weights = make([]float32, n)
					train.Weights[5], train.Weights[50] = 1, 2
				}
				f.Rows = n
				checkOutOfBag(t, f, train)
			}
		}
	}
}

func checkOutOfBag(t *testing.T, f *Forest, train *datasets.Dataset) {
	t.Helper()
	n := train.N()
	got := must.Value(f.OutOfBag(t.Context(), train))
	losses := must.Value(f.OutOfBagLosses(t.Context(), train))
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	if !slices.EqualFunc(losses, got.losses, same) {
		t.Fatalf("losses %v, want %v", losses, got.losses)
	}
	counts := make([][]uint16, len(f.Trees))
	for k := range counts {
		counts[k] = f.SampleCounts(nil, train, k)
	}
	var rows []int32
	var loss float64
	for i := range n {
		out := *f
		out.Trees = nil
		for k := range f.Trees {
			if counts[k][i] == 0 {
				out.Trees = append(out.Trees, f.Trees[k])
			}
		}
		row := train.Subset([]int32{int32(i)})
		switch {
		case len(out.Trees) == 0 && f.Regression():
			if !math.IsNaN(got.Values[i]) {
				t.Fatalf("row %d: value %v, no tree left it out", i, got.Values[i])
			}
			continue
		case len(out.Trees) == 0:
			if got.Labels[i] != -1 || slices.Max(got.Votes[i]) != 0 {
				t.Fatalf("row %d: label %d, votes %v, no tree left it out", i, got.Labels[i], got.Votes[i])
			}
			if !slices.ContainsFunc(got.Proba[i], math.IsNaN) || len(got.Proba[i]) != len(f.Classes) {
				t.Fatalf("row %d: probabilities %v, no tree left it out", i, got.Proba[i])
			}
			continue
		case f.Regression():
			if want := must.Value(out.PredictValues(t.Context(), row))[0]; got.Values[i] != want {
				t.Fatalf("row %d: value %v, want %v", i, got.Values[i], want)
			}
			loss += math.Pow(got.Values[i]-train.Values[i], 2)
		default:
			if want := must.Value(out.Votes(t.Context(), row))[0]; !slices.Equal(got.Votes[i], want) {
				t.Fatalf("row %d: votes %v, want %v", i, got.Votes[i], want)
			}
			if want := must.Value(out.Predict(t.Context(), row))[0]; got.Labels[i] != want {
				t.Fatalf("row %d: label %d, want %d", i, got.Labels[i], want)
			}
			if want := must.Value(out.Proba(t.Context(), row))[0]; !slices.Equal(got.Proba[i], want) {
				t.Fatalf("row %d: probabilities %v, want %v", i, got.Proba[i], want)
			}
			if got.Labels[i] != train.Labels[i] {
				loss++
			}
		}
		rows = append(rows, int32(i))
	}
	if !slices.Equal(got.Rows, rows) {
		t.Fatalf("rows %v, want %v", got.Rows, rows)
	}
	want := loss / float64(len(rows))
	if e := got.Error(); math.Abs(e-want) > 1e-12*want || math.IsNaN(e) != math.IsNaN(want) {
		t.Errorf("error %v, want %v", e, want)
	}
}

func TestOutOfBagErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := drawForestBy(rng, Consensus, 3, 2, 2)
	v := drawForestBy(rng, Average, 3, 0, 2)
	sum := drawForestBy(rng, Sum, 3, 2, 2)
	f.Rows, v.Rows, sum.Rows = 10, 10, 10
	all, unknown := *f, *f
	all.Sampling, unknown.Rows = AllRows, 0
	train := drawData(rng, f, 10)
	unlabelled, other, narrow := *train, *train, train.Select(0, 1)
	unlabelled.Labels = nil
	other.Classes = []string{"no", "yes"}
	for _, c := range []struct {
		f    *Forest
		d    *datasets.Dataset
		want string
	}{
		{&all, train, "none is out of bag"},
		{&unknown, train, "isn't known"},
		{sum, train, "no out-of-bag predictions for the rule Sum"},
		{f, &unlabelled, "no labels"},
		{f, &other, "yes"},
		{f, narrow, "columns"},
		{f, train.Subset(nil), "no rows"},
		{f, train.Subset([]int32{1, 2}), "of 10 rows; these have 2"},
		{v, train, "no target values"},
	} {
		_, err := c.f.OutOfBag(t.Context(), c.d)
		readtest.WantError(t, err, c.want)
	}
}
