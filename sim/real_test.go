package sim

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// TestPublicSamples applies Bayes rules to samples that others made of the same
// problems: DELVE's ringnorm and twonorm, UCI's waveform and led-display. The
// error must be the Bayes error within five binomial standard deviations, so classes
// and features come in the same order as here.
func TestPublicSamples(t *testing.T) {
	dir := os.Getenv("OBLIQUA_DATA")
	if dir == "" || testing.Short() {
		t.Skip("needs OBLIQUA_DATA, and not -short")
	}
	for file, p := range map[string]problem{
		"ringnorm":    Ringnorm{Features: 20},
		"twonorm":     Twonorm{Features: 20},
		"waveform":    Waveform{},
		"led-display": LED{},
	} {
		d := must.Value(datasets.ReadCSV(t.Context(), filepath.Join(dir, "csv", file+".csv.gz"), datasets.CSV{}))
		classes := p.Sample(1, 1).Classes
		wrong := 0
		for i, y := range d.Labels {
			if classes[p.Bayes().Class(d.Row(nil, i))] != d.Classes[y] {
				wrong++
			}
		}
		n, want := float64(d.N()), p.Bayes().Error()
		if got := float64(wrong) / n; math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%s: the Bayes rule of %s errs on %v of %v rows, want %v", file, name(p), got, n, want)
		} else {
			t.Logf("%s: %.4f on %v rows, %.4f expected", file, got, n, want)
		}
	}
}
