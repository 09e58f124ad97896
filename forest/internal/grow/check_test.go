package grow

import (
	"math"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

// The mixed leaves of trees and of their parts are counted while they are made and before parts are joined: an error
// comes before the memory.
func TestLimits(t *testing.T) {
	const tooMany = "more than 134217728 weights of 70000 classes"
	for _, c := range []struct {
		most, more error
		want       string
	}{
		{checkRows(1 << 30), checkRows(1<<30 + 1), "1073741825 rows"},
		{checkCoefficients(math.MaxInt32), checkCoefficients(math.MaxInt32 + 1), "2147483648 coefficients"},
		{checkClassWeights(1<<27, 70_000), checkClassWeights(1<<27+1, 70_000), tooMany},
	} {
		if c.most != nil || c.more == nil || !strings.Contains(c.more.Error(), c.want) {
			t.Errorf("errors %v and %v; want none and one with %q", c.most, c.more, c.want)
		}
	}
	w := worker{team: newTeam(), origin: origin{target: &Target{classes: 70_000}}}
	w.checkClassWeights(1 << 27)
	if w.team.cancelled.Load() {
		t.Error("half a gigabyte is refused")
	}
	w.checkClassWeights(1<<27 + 70_000)
	if failure := w.team.failure.Load(); !w.team.cancelled.Load() || failure == nil ||
		!strings.Contains((*failure).Error(), tooMany) {
		t.Errorf("the call goes on with too many class weights")
	}
	// Memory that is never touched isn't taken.
	half := make([]float32, 1<<26+1)
	w = worker{team: newTeam()}
	p := part{subtree: &subtree{tree: forest.Tree{Classes: 70_000, Dist: half}}}
	if _, ok := w.join(forest.Tree{Classes: 70_000, Dist: half}, []part{p}); ok || w.team.failure.Load() == nil {
		t.Error("two halves were joined that are too large together")
	}
}
