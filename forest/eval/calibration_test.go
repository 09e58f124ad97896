package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// forty are probabilities and outcomes, made at random.
var forty = []float64{0.052, 0.919, 0.315, 0.9, 0.281, 0.989, 0.253, 0.917, 0.61, 0.251, 0.423, 0.754, 0.713, 0.577,
	0.672, 0.146, 0.497, 0.999, 0.072, 0.1, 0.761, 0.911, 0.376, 0.24, 0.524, 0.241, 0.021, 0.337, 0.133, 0.114,
	0.006, 0.934, 0.324, 0.881, 0.235, 0.129, 0.983, 0.113, 0.883, 0.819}
var fortyHappened = []int32{1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0,
	0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1,
	0, 0, 1, 0, 1, 1}

func binary(p []float64) [][]float64 {
	proba := make([][]float64, len(p))
	for i, v := range p {
		proba[i] = []float64{1 - v, v}
	}
	return proba
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s: got %v; want %v", what, got, want)
	}
}

// TestCalibrationScikitLearn: the numbers are those of calibration_curve and
// brier_score_loss of scikit-learn 1.9.1, for 5 bins.
func TestCalibrationScikitLearn(t *testing.T) {
	for _, c := range []struct {
		quantiles           bool
		observed, predicted []float64
	}{
		{false, []float64{0.4, 0.3, 0.25, 0.8, 1},
			[]float64{0.0886, 0.2853, 0.50525, 0.7020000000000001, 0.9213636363636362}},
		{true, []float64{0.5, 0.25, 0.25, 0.875, 1}, []float64{0.075875, 0.2225, 0.421625, 0.761625, 0.944}},
	} {
		got := Calibration(binary(forty), fortyHappened, 1, 5, c.quantiles)
		near(t, "Brier score", got.Brier, 0.190842025)
		if len(got.Bins) != 5 {
			t.Fatalf("%d bins", len(got.Bins))
		}
		for b, bin := range got.Bins {
			near(t, "observed", bin.Observed, c.observed[b])
			near(t, "predicted", bin.Predicted, c.predicted[b])
		}
	}
}

// TestWilsonInterval: the intervals are those of binomtest(…).proportion_ci("wilson") of
// SciPy 1.17.1.
func TestWilsonInterval(t *testing.T) {
	for _, c := range []struct{ k, n, low, high float64 }{
		{7, 10, 0.39677814746114526, 0.892208732593699},
		{0, 5, 0, 0.43448246478317476},
	} {
		low, high := wilsonInterval(c.k, c.n)
		near(t, "low", low, c.low)
		near(t, "high", high, c.high)
	}
}

// TestCalibrationByHand: two bins of two rows, one bin without rows. 0.5 is on an edge
// and belongs below it.
func TestCalibrationByHand(t *testing.T) {
	c := Calibration(binary([]float64{0.5, 0.3, 1, 1}), []int32{1, 0, 1, 0}, 1, 4, false)
	if len(c.Bins) != 2 || c.Bins[0].Rows != 2 || c.Bins[1].Rows != 2 {
		t.Fatalf("bins %+v", c.Bins)
	}
	near(t, "error", c.Error, 0.5*0.1+0.5*0.5) // |0.5 − 0.4| and |0.5 − 1|
	near(t, "Brier score", c.Brier, (0.25+0.09+0+1)/4)
	if c := Calibration(nil, nil, 0, 3, true); len(c.Bins) != 0 || !math.IsNaN(c.Brier) {
		t.Errorf("without rows: %+v", c)
	}
}

// TestCalibrationProperties: every row is in a bin; the interval contains the share; the
// Brier score is half of Brier's; the other class is as well calibrated; and the error is
// at most what every row by itself would have.
func TestCalibrationProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 60).Draw(t, "p")
		bins := rapid.IntRange(1, 12).Draw(t, "bins")
		by := rapid.Bool().Draw(t, "by quantiles")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		truth := make([]int32, len(p))
		single := 0.0
		for i, v := range p {
			if r.Float64() < v {
				truth[i] = 1
			}
			single += math.Abs(v-float64(truth[i])) / float64(len(p))
		}
		c := Calibration(binary(p), truth, 1, bins, by)
		rows, last := 0, -1.0
		for _, b := range c.Bins {
			rows += b.Rows
			if !(b.Low <= b.Observed+1e-12 && b.Observed-1e-12 <= b.High) || b.Rows == 0 || b.Predicted < last {
				t.Errorf("bin %+v after one at %v", b, last)
			}
			last = b.Predicted
		}
		if rows != len(p) {
			t.Errorf("%d rows in bins; want %d", rows, len(p))
		}
		if d := c.Brier - Brier(binary(p), truth)/2; math.Abs(d) > 1e-9 {
			t.Errorf("Brier scores differ by %v", d)
		}
		if c.Error > single+1e-9 {
			t.Errorf("error %v; each row by itself has %v", c.Error, single)
		}
	})
}
