package hrf

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// A contender is a method in a comparison. Its name holds no blanks.
type contender struct {
	name string
	trial.Method
}

// compare trains contenders on the same rows. More has each one's test error ("err.name") and what else is measured
// ("name.what"), nil for nothing; the score is the difference of the last contender's error from the first's.
func compare(measure func(f *forest.Forest) map[string]float64, contenders ...contender) trial.Action {
	return func(ctx context.Context, t *trial.Trial) error {
		for _, of := range contenders {
			t.Model = nil
			err := of.Fit(ctx, t)
			if err == nil {
				err = trial.ErrorRate(ctx, t)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", of.name, err)
			}
			t.More["err."+of.name] = t.Score
			if measure != nil {
				for what, v := range measure(t.Model) {
					t.More[of.name+"."+what] = v
				}
			}
		}
		t.Score -= t.More["err."+contenders[0].name]
		return nil
	}
}
