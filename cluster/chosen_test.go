package cluster

import (
	"bytes"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// auto.Learner can't be grown in parts, but what it chooses can, of a table with missing cells and categories.
func TestFitOfChosenLearner(t *testing.T) {
	d := must.Value(public.Load(t.Context(), "credit-approval"))
	learner := auto.Learner{Trees: 40, Seed: 1}
	if _, err := Fit(t.Context(), Local{Workers: 2}, learner, d); err == nil || !strings.Contains(err.Error(), "part") {
		t.Errorf("error %v; want one that names parts", err)
	}
	chosen := must.Value(learner.Choose(t.Context(), d))
	whole := must.Value(chosen.Fit(t.Context(), d))
	f := must.Value(Fit(t.Context(), Local{Workers: 2}, chosen, d))
	if !bytes.Equal(encoded(f), encoded(whole)) {
		t.Error("the forest is not the one that the learner grows")
	}
}
