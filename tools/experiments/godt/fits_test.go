package godt

import (
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	learners "github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Settings are read as they are written: what a chooser describes gives the chosen learner again.
func TestWithSettings(t *testing.T) {
	tree := learners.Tree{Splitting: learners.Splitting{Beta: 1e-5, Purity: 0.95}, Growth: forest.Growth{MinSplit: 6}}
	values := learners.Learner{Trees: 50, TreeFeatures: 3, Splitting: learners.Splitting{Beta: 1e-3, MaxMSE: 0.0012,
		Divider: learners.SeparateFull}, Growth: forest.Growth{MinSplit: 2}}
	for _, c := range []struct {
		method, setting string
		values          bool
		want            forest.Learner
	}{
		{"GODT", describe(tree.Splitting, tree.Growth), false, tree},
		{"GQRF, scaled, tuned", "T=50 m=3 " + describe(values.Splitting, values.Growth), true, values},
		{"CART", "m_min=20", false, rf.CART{Growth: forest.Growth{MinLeaf: 20}}},
		{"RF, tuned", "T=100 m=4 m_min=5", false,
			rf.Learner{Trees: 100, NodeFeatures: 4, Growth: forest.Growth{MinLeaf: 5}}},
	} {
		if got, err := withSettings(c.method, c.setting, c.values); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: %+v, want %+v (%v)", c.method, c.setting, got, c.want, err)
		}
	}
	if _, err := withSettings("GODT", "δ=1 m_min=1 default β", false); err == nil {
		t.Error("a setting without a number is no error")
	}
}

// A run without a recorded setting says which run is to be done first.
func TestChosenLearner(t *testing.T) {
	x := trial.Trial{Run: paper.Run{Problem: "Iris", Method: "GODT, random start"}}
	if l, err := chosenLearner(&paper.Results{Root: t.TempDir()}, &x); err == nil {
		t.Errorf("%+v", l)
	}
	l, err := chosenLearner(&paper.Results{Root: "../../.."}, &x)
	if tree, ok := l.(learners.Tree); err != nil || !ok || tree.Start != learners.RandomRows || tree.Purity < 0.5 {
		t.Errorf("%+v (%v)", l, err)
	}
}
