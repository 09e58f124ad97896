package cluster

import (
	"bytes"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// What auto.Learner chooses can be grown in parts, of a table with missing cells and categories.
func TestFitOfChosenLearner(t *testing.T) {
	d := must.Value(public.Load(t.Context(), "credit-approval"))
	chosen := must.Value(auto.Learner{Trees: 40, Seed: 1}.Choose(t.Context(), d))
	whole := must.Value(chosen.Fit(t.Context(), d))
	f := must.Value(Fit(t.Context(), Local{Workers: 2}, chosen, d))
	if !bytes.Equal(encoded(f), encoded(whole)) {
		t.Error("the forest is not the one that the learner grows")
	}
}
