package cluster

import (
	"bytes"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/auto"
)

// auto.Learner can't be grown in parts, but what it chooses can, of a table with missing cells and categories.
func TestFitOfChosenLearner(t *testing.T) {
	d, err := public.Load(t.Context(), "credit-approval")
	if err != nil {
		t.Fatal(err)
	}
	learner := auto.Learner{Trees: 40, Seed: 1}
	if _, err := Fit(t.Context(), Local{Workers: 2}, learner, d); err == nil || !strings.Contains(err.Error(), "part") {
		t.Errorf("error %v; want one that names parts", err)
	}
	chosen, err := learner.Choose(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := chosen.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Fit(t.Context(), Local{Workers: 2}, chosen, d)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(t, f), encoded(t, whole)) {
		t.Error("the forest is not the one that the learner grows")
	}
}
