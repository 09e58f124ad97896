package contest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

// A script is a contest with made-up losses: means[i] are contestant i's in each round.
func script(t *testing.T, rounds []int, c Contest, means ...[]float64) (
	went []int, calls []string, running []*Contestant) {
	t.Helper()
	c.Rounds = rounds
	c.Measure = func(r *Contestant, trees int) ([]float64, error) {
		calls = append(calls, fmt.Sprintf("%d:%d", r.Number, trees))
		mean := means[r.Number][slices.Index(rounds, trees)]
		r.Model = &forest.Forest{Trees: make([]forest.Tree, trees)}
		return []float64{mean - 1, math.NaN(), mean + 1}, nil
	}
	running = must.Value(c.Run(t.Context(), len(means)))
	for _, r := range running {
		went = append(went, r.Number)
	}
	return went, calls, running
}

// best keeps the n first.
func best(n int) func([]*Contestant) []*Contestant {
	return func(running []*Contestant) []*Contestant { return running[:min(n, len(running))] }
}

func TestRounds(t *testing.T) {
	for _, test := range []struct {
		name   string
		rounds []int
		Contest
		means [][]float64
		went  []int
		calls []string
	}{
		{"one round, all stay, equals by number", []int{0}, Contest{}, [][]float64{{3}, {1}, {2}, {1}},
			[]int{1, 3, 2, 0}, []string{"0:0", "1:0", "2:0", "3:0"}},
		{"who leaves isn't measured again", []int{5, 10, 20}, Contest{Stay: best(2)},
			[][]float64{{4, 0, 0}, {3, 1, 1}, {2, 5, 5}}, []int{1, 2},
			[]string{"0:5", "1:5", "2:5", "1:10", "2:10", "1:20", "2:20"}},
		{"who is alone grows to the end at once", []int{5, 10, 20}, Contest{Stay: best(1)},
			[][]float64{{4, 4, 4}, {3, 3, 3}}, []int{1}, []string{"0:5", "1:5", "1:20"}},
		{"from the beginning", []int{5, 10, 20}, Contest{Stay: best(1)}, [][]float64{{4, 4, 4}}, []int{0}, []string{"0:20"}},
		{"nobody is better than perfect", []int{5, 20}, Contest{Perfect: true, Stay: best(9)},
			[][]float64{{4, 4}, {0, 3}, {0, 0}}, []int{1}, []string{"0:5", "1:5", "1:20"}},
		{"but is, if no loss isn't the least", []int{5}, Contest{Stay: best(1)},
			[][]float64{{4}, {0}, {-1}}, []int{2}, []string{"0:5", "1:5", "2:5"}},
	} {
		went, calls, _ := script(t, test.rounds, test.Contest, test.means...)
		if !slices.Equal(went, test.went) || !slices.Equal(calls, test.calls) {
			t.Errorf("%s: %v went on after %v; want %v after %v", test.name, went, calls, test.went, test.calls)
		}
	}
}

// Without a rule who stays, losses and all models but the first one's are dropped. With one they are kept for it.
func TestWhatIsKept(t *testing.T) {
	for _, means := range [][][]float64{{{3}, {1}, {2}, {1}}, {{1}, {2}, {3}}, {{3}, {2}, {1}}} {
		_, _, running := script(t, []int{7}, Contest{}, means...)
		for i, r := range running {
			if r.Losses != nil || (r.Model != nil) != (i == 0) || r.Trees != 7 || r.Mean != means[r.Number][0] {
				t.Errorf("%v: number %d is %+v", means, i, r)
			}
		}
	}
	_, _, running := script(t, []int{7}, Contest{Stay: best(2)}, []float64{3}, []float64{2}, []float64{1})
	for _, r := range running {
		if len(r.Losses) != 3 || r.Model == nil {
			t.Errorf("%+v", r)
		}
	}
}

func TestContestsFail(t *testing.T) {
	broken := errors.New("broken")
	_, err := Contest{Rounds: []int{1}, Measure: func(c *Contestant, _ int) ([]float64, error) {
		if c.Number == 1 {
			return nil, broken
		}
		return nil, nil
	}}.Run(t.Context(), 2)
	if err != broken {
		t.Errorf("error %v", err)
	}
	measured := 0
	count := &calltest.Count{Left: 2}
	_, err = Contest{Rounds: []int{1}, Measure: func(*Contestant, int) ([]float64, error) { measured++; return nil, nil }}.
		Run(count.Context(t.Context()), 5)
	if err != context.Canceled || measured != 2 || count.After() != 1 {
		t.Errorf("error %v after %d were measured", err, measured)
	}
}

func TestDoubling(t *testing.T) {
	for _, c := range []struct {
		first, last int
		want        []int
	}{{25, 100, []int{25, 50, 100}}, {25, 60, []int{25, 50, 60}}, {25, 25, []int{25}}, {40, 7, []int{7}}, {1, 5,
		[]int{1, 2, 4, 5}}} {
		if got := Doubling(c.first, c.last); !slices.Equal(got, c.want) {
			t.Errorf("from %d to %d: %v, want %v", c.first, c.last, got, c.want)
		}
	}
}

// By hand: differences 1, 0, 0, 1 have mean 1/2 and variance 1/3, so the standard error is √(1/12).
func TestCompare(t *testing.T) {
	a, b := []float64{1, 1, nan, 0, 1, nan}, []float64{0, 1, 1, 0, 0, nan}
	for _, rows := range [][]int{nil, {0, 0, 1, 1, 2}} {
		d := Compare(a, b, rows, nil)
		if d.Mean != 0.5 || math.Abs(d.StdErr-math.Sqrt(1./12)) > 1e-15 || d.Units != 4 || d.Higher != 2 || d.Lower != 0 {
			t.Errorf("rows %v: %+v", rows, d)
		}
	}
	if z := Compare(a, b, nil, nil).Z(); math.Abs(z-math.Sqrt(3)) > 1e-15 {
		t.Errorf("%v standard errors", z)
	}
	if d := Compare(b, a, nil, nil); d.Mean != -0.5 || d.Higher != 0 || d.Lower != 2 {
		t.Errorf("the other way round: %+v", d)
	}
	for _, rows := range [][]int{{}, {0}, {1, 3}, {2, 5}} {
		if z := Compare(a, b, rows, nil).Z(); z != 0 {
			t.Errorf("rows %v: %v standard errors", rows, z)
		}
	}
	if z := Compare(b, a, []int{0, 4, 4}, nil).Z(); !math.IsInf(z, -1) {
		t.Errorf("%v standard errors where all rows differ by the same", z)
	}
}

func TestMean(t *testing.T) {
	if m := Mean([]float64{nan, 1, nan, 4}); m != 2.5 {
		t.Errorf("mean %v of 1 and 4", m)
	}
	if m := Mean([]float64{nan}); m == m {
		t.Errorf("mean %v of none", m)
	}
}

// By definition: at position p(n−1), counted from 0, between the neighbours.
func TestQuantile(t *testing.T) {
	x := []float64{1, 2, 4, 8, 16}
	for p, want := range map[float64]float64{0: 1, 0.25: 2, 0.3: 2.4, 0.875: 12, 1: 16} {
		if got := Quantile(x, p); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v-quantile %v, want %v", p, got, want)
		}
	}
	if got := Quantile(x, nan); got == got {
		t.Errorf("NaN-quantile %v", got)
	}
}

func TestLoss(t *testing.T) {
	got := []string{Loss(&datasets.Dataset{Labels: []int32{0}}), Loss(&datasets.Dataset{Values: []float64{0}})}
	if want := []string{"error rate", "mean squared error"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}
