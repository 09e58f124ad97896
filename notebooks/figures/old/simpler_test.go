package old

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// fixed returns a forest that is grown already.
type fixed struct{ model *forest.Forest }

func (l fixed) Fit(context.Context, *datasets.Dataset) (*forest.Forest, error) { return l.model, nil }

// A forest that learned shuffled labels knows nothing: its out-of-bag error is about a half, so the other one is taken.
// Averaged with itself a forest predicts what it does alone; three copies of it outvote the other wherever they are
// surer.
func TestTrialForests(t *testing.T) {
	d := sim.Trunk{Features: 4}.Sample(300, 1)
	shuffled := *d
	shuffled.Labels = slices.Clone(d.Labels)
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(shuffled.Labels), func(i, j int) {
		shuffled.Labels[i], shuffled.Labels[j] = shuffled.Labels[j], shuffled.Labels[i]
	})
	fit := func(on *datasets.Dataset) *forest.Forest {
		return must.Value(rf.Learner{Trees: 25, Seed: 1}.Fit(t.Context(), on))
	}
	good, bad := fit(d), fit(&shuffled)
	chosen := trial{train: d}
	if err := better("", fixed{bad}, fixed{good}).fit(t.Context(), &chosen); err != nil || chosen.model != good {
		t.Errorf("error %v, the other forest", err)
	}
	both := trial{train: d}
	if err := averaged("", fixed{bad}, fixed{good}).fit(t.Context(), &both); err != nil || both.model != good ||
		!slices.Equal(both.others, []*forest.Forest{bad}) {
		t.Errorf("error %v, %d other models to average", err, len(both.others))
	}
	test := sim.Trunk{Features: 4}.Sample(500, 2)
	alone := must.Value(good.Predict(t.Context(), test))
	if !slices.Equal(classesOf([]*forest.Forest{good, good}, test), alone) {
		t.Error("a forest averaged with itself predicts something else")
	}
	g, b := must.Value(good.Proba(t.Context(), test)), must.Value(bad.Proba(t.Context(), test))
	other := 0
	for i, class := range classesOf([]*forest.Forest{good, bad, good, good}, test) {
		want := int32(0)
		if v := 3*g[i][1] + b[i][1]; v > 2 {
			want = 1
		} else if v > 2-1e-9 {
			continue
		}
		if class != want {
			t.Fatalf("row %d: class %d, want %d", i, class, want)
		}
		if class != alone[i] {
			other++
		}
	}
	if other == 0 {
		t.Error("the other forest changes no prediction")
	}
}

// The slow setting has 29 sets, 11 methods and 5 folds. In the fast one all methods learn wine.
func TestAutoBesideSimpler(t *testing.T) {
	if runs := autoBesideSimpler(full); len(trialSets) != 29 || len(runs) != 29*11*5 {
		t.Errorf("%d sets, %d runs; want 29 and %d", len(trialSets), len(runs), 29*11*5)
	}
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	for _, run := range autoBesideSimpler(fast) {
		if run.Repeat > 1 {
			continue
		}
		if r, err := run.Do(t.Context(), run); err != nil || r.Score > 0.15 { // wine's classes are nearly separate
			t.Errorf("%s: error %v, score %v", run.Method, err, r.Score)
		}
	}
}
