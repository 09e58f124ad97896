package grow

import (
	"math"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

func TestCheckRows(t *testing.T) {
	if err := checkRows(1 << 30); err != nil {
		t.Error(err)
	}
	if err := checkRows(1<<30 + 1); err == nil || !strings.Contains(err.Error(), "1073741825 rows") {
		t.Errorf("error %v; want one with the number of rows", err)
	}
}

func TestCheckCoefficients(t *testing.T) {
	if err := checkCoefficients(math.MaxInt32); err != nil {
		t.Error(err)
	}
	if err := checkCoefficients(math.MaxInt32 + 1); err == nil ||
		!strings.Contains(err.Error(), "2147483648 coefficients") {
		t.Errorf("error %v", err)
	}
}

// The mixed leaves of trees and of their parts are counted while they are made and before parts are joined: an error
// comes before the memory.
func TestTooManyClassWeights(t *testing.T) {
	if err := checkClassWeights(1<<27, 70_000); err != nil {
		t.Error(err)
	}
	const want = "more than 134217728 weights of 70000 classes"
	if err := checkClassWeights(1<<27+1, 70_000); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v; want %q", err, want)
	}
	w := worker{team: newTeam(), origin: origin{target: &Target{classes: 70_000}}}
	w.checkClassWeights(1 << 27)
	if w.team.cancelled.Load() {
		t.Error("half a gigabyte is refused")
	}
	w.checkClassWeights(1<<27 + 70_000)
	if failure := w.team.failure.Load(); !w.team.cancelled.Load() || failure == nil ||
		!strings.Contains((*failure).Error(), want) {
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
