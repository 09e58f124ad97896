package contest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

var nan = math.NaN()

// cheapest returns the rule that chooses the lowest mean, the first of equals.
func cheapest(losses [][]float64) func(rows []int) int {
	return func(rows []int) int {
		best, least := 0, math.Inf(1)
		for m, l := range losses {
			sum := 0.0
			for _, i := range rows {
				sum += l[i]
			}
			if sum < least {
				best, least = m, sum
			}
		}
		return best
	}
}

func choice(t *testing.T, losses [][]float64) Choice {
	return must.Value(Choose(t.Context(), losses, nil, cheapest(losses)))
}

// The context is looked at once a sample, and no more once it is cancelled.
func TestChoiceEndsWithItsContext(t *testing.T) {
	losses := [][]float64{{1, 2, 3}, {3, 2, 1}}
	for _, left := range []int{0, 1, 19, choiceSamples - 1} {
		count := &calltest.Count{Left: left}
		_, err := Choose(count.Context(t.Context()), losses, nil, cheapest(losses))
		if err != context.Canceled || count.After() != 1 {
			t.Errorf("cancelled at look %d: error %v after %d more looks", left, err, count.After())
		}
	}
	if _, err := Choose((&calltest.Count{Left: choiceSamples}).Context(t.Context()), losses, nil,
		cheapest(losses)); err != nil {
		t.Errorf("error %v after all samples", err)
	}
}

// The models are equally good, with an error of 0.3, so the chosen one has an error of 0.3 on
// other rows, too. Its apparent error is lower: with 6 independent models of 60 rows each the
// expected minimum of the error is 0.3 − 1.27·√(0.21/60) = 0.225 (the mean of the
// least of six normal numbers is −1.267).
func TestChoiceOfEquals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const trials, models, n = 300, 6, 60
	var apparent, expected, low, covered float64
	for range trials {
		losses := make([][]float64, models)
		for m := range losses {
			for range n {
				loss := 0.0
				if rng.Float64() < 0.3 {
					loss = 1
				}
				losses[m] = append(losses[m], loss)
			}
		}
		c := choice(t, losses)
		apparent += c.Apparent / trials
		expected += (c.Apparent + c.Optimism) / trials
		low += c.Low / trials
		if c.Low <= 0.3 && 0.3 <= c.High {
			covered += 1. / trials
		}
	}
	if math.Abs(apparent-0.225) > 0.015 {
		t.Errorf("apparent error %v, want about 0.225", apparent)
	}
	if math.Abs(expected-0.3) > 0.01 {
		t.Errorf("with optimism %v, want about 0.3", expected)
	}
	// The limits are apart by 3.92 standard errors of 22 rows or so, and by what choosing lowers the error by.
	if low < 0 || low > 0.15 {
		t.Errorf("the lower limit is %v, want far below 0.225", low)
	}
	if covered < 0.9 {
		t.Errorf("the interval holds 0.3 in %v of the trials, want 0.95 or a little less", covered)
	}
}

// If one model is clearly better it is chosen in every sample, so that choosing costs nothing: the limits are about as
// far below the error as above it.
func TestChoiceOfTheBetter(t *testing.T) {
	good, bad := make([]float64, 400), make([]float64, 400)
	for i := range good {
		good[i], bad[i] = float64((i%10)/9), float64((i+1)%2) // 0.1 and 0.5
	}
	good[3] = math.NaN() // one row isn't used; it had loss 0
	c := choice(t, [][]float64{bad, good})
	if c.Chosen != 1 || math.Abs(c.Apparent-40./399) > 1e-12 || math.Abs((c.Low+c.High)/2-40./399) > 0.01 {
		t.Errorf("%+v", c)
	}
}

func TestChoiceOfFew(t *testing.T) {
	if c := choice(t, [][]float64{{nan}, {1}}); c.Apparent == c.Apparent || c.Low == c.Low {
		t.Errorf("no row: %+v", c)
	}
	if c := choice(t, [][]float64{{2}, {1}}); c.Chosen != 1 || c.Apparent != 1 || c.Low == c.Low {
		t.Errorf("one row: %+v", c)
	}
	if c := choice(t, [][]float64{{2, 4, 9}}); c.Apparent != 5 || c.Low < 2 || c.High > 9 || c.Low >= c.High {
		t.Errorf("one model: %+v", c)
	}
	c, err := Choose(t.Context(), [][]float64{{0, 0}, {1, 1}}, nil, func([]int) int { return 1 })
	if want := (Choice{Chosen: 1, Apparent: 1, Low: 1, High: 1}); err != nil || c != want {
		t.Errorf("another rule: %+v, error %v; want %+v", c, err, want)
	}
}
