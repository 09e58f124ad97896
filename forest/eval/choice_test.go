package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

func choice(t *testing.T, b Bootstrap, losses [][]float64, choose func(rows []int) int) Choice {
	t.Helper()
	c, err := b.Choice(t.Context(), losses, choose)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The context is looked at once a sample, and no more once it is cancelled.
func TestChoiceEndsWithItsContext(t *testing.T) {
	const samples = 20
	for left := range samples {
		count := &calltest.Count{Left: left}
		_, err := Bootstrap{Samples: samples}.Choice(count.Context(t.Context()), [][]float64{{1, 2, 3}, {3, 2, 1}}, nil)
		if err != context.Canceled || count.After() != 1 {
			t.Errorf("cancelled at look %d: error %v after %d more looks", left, err, count.After())
		}
	}
}

// The models are equally good, with an error of 0.3, so the chosen one has an error of 0.3 on
// other rows, too. Its apparent error is lower: with 6 independent models of 60 rows each the
// expected minimum of the error is 0.3 − 1.27·√(0.21/60) = 0.225 (the mean of the
// least of six normal numbers is −1.267).
func TestChoiceOfEquals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const trials, models, n = 300, 6, 60
	var apparent, corrected, covered float64
	for trial := range trials {
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
		c := choice(t, Bootstrap{Seed: uint64(trial), Samples: 200}, losses, nil)
		apparent += c.Apparent / trials
		corrected += c.Error / trials
		if c.Interval.Low <= 0.3 && 0.3 <= c.Interval.High {
			covered += 1. / trials
		}
	}
	if math.Abs(apparent-0.225) > 0.015 {
		t.Errorf("apparent error %v, want about 0.225", apparent)
	}
	// A part of the bias may stay, since a sample holds some of the rows' noise again.
	if corrected < 0.27 || corrected > 0.31 {
		t.Errorf("corrected error %v, want about 0.3", corrected)
	}
	if covered < 0.9 {
		t.Errorf("the interval holds 0.3 in %v of the trials, want 0.95 or a little less", covered)
	}
}

// If one model is clearly better it is chosen in every sample, so nothing is corrected: the mean over the rows left out
// is the error, but for the noise of 500 samples.
func TestChoiceOfTheBetter(t *testing.T) {
	good, bad := make([]float64, 400), make([]float64, 400)
	for i := range good {
		good[i], bad[i] = float64((i%10)/9), float64((i+1)%2) // 0.1 and 0.5
	}
	good[3] = math.NaN() // one row isn't used; it had loss 0
	c := choice(t, Bootstrap{}, [][]float64{bad, good}, nil)
	if c.Chosen != 1 || math.Abs(c.Apparent-40./399) > 1e-12 || math.Abs(c.Error-40./399) > 0.003 {
		t.Errorf("%+v", c)
	}
}

func TestChoiceOfFew(t *testing.T) {
	if c := choice(t, Bootstrap{}, [][]float64{{nan}, {1}}, nil); !math.IsNaN(c.Error) {
		t.Errorf("no row: %+v", c)
	}
	if c := choice(t, Bootstrap{}, [][]float64{{2}, {1}}, nil); c.Chosen != 1 || c.Error != 1 {
		t.Errorf("one row: %+v", c)
	}
	if c := choice(t, Bootstrap{}, [][]float64{{2, 4, 9}}, nil); c.Error != 5 {
		t.Errorf("one model: %+v", c)
	}
	if c := choice(t, Bootstrap{}, [][]float64{{0, 0}, {1, 1}}, func([]int) int { return 1 }); c.Chosen != 1 || c.Error != 1 {
		t.Errorf("another choice: %+v", c)
	}
}
