package tao

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// By hand: with levels complete to depth 1 and children at depth 1 split with p, a tree has 1 + 2 + 4p
// nodes; with a third level 1 + 2 + 4p + 8p².
func TestSplitProbability(t *testing.T) {
	for _, c := range []struct {
		full, depth int
		nodes, want float64
	}{{1, 2, 5, 0.5}, {1, 3, 7, 0.5}, {1, 2, 7, 1}, {1, 2, 9, 1}} {
		if got := splitProbability(c.full, c.depth, c.nodes); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: p = %v", c, got)
		}
	}
	// All cells of table 9 can be had.
	for _, cell := range [][2]int{{5, 9}, {5, 11}, {2, 14}} {
		if p := splitProbability(cell[0], cell[1], 511); p <= 0.5 || p >= 1 {
			t.Errorf("%v: p = %v", cell, p)
		}
	}
}

// The paper's λ of R8 is one for all weights, of features as they are.
func TestDocuments(t *testing.T) {
	run := trial.Trial{Run: paper.Run{Method: "tao-l as the paper", X: 2}}
	l := documents(&run).learner
	want := tao.Learner{LinearLeaves: true, Depth: 2, Trees: 20, Lambda: 0.01, LeafLambda: 0.01, Passes: 40,
		Unscaled: true, PenalisedBias: true}
	if l != want {
		t.Errorf("%+v, want %+v", l, want)
	}
}

func TestTwoClasses(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x1"}}, Classes: strings.Split("0123456789", ""),
		Columns: [][]float32{{255, 51, 0, 102}}, Labels: []int32{8, 4, 3, 3}}
	two := twoClasses(toUnit(d), [10]int32{-1, -1, -1, 0, -1, -1, -1, -1, 1, -1})
	if got := two.Column(nil, 0); !slices.Equal(got, []float32{1, 0, 0.4}) {
		t.Errorf("pixels %v", got)
	}
	if !slices.Equal(two.Labels, []int32{1, 0, 0}) || len(two.Classes) != 2 || d.Columns[0][0] != 255 {
		t.Errorf("labels %v, data %v", two.Labels, d)
	}
}
