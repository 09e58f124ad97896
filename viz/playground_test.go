package viz

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz/internal/engine"
)

// TestStateOfLearner: the page makes the same learner of its state.
func TestStateOfLearner(t *testing.T) {
	for _, test := range []struct {
		learner forest.Learner
		want    string
	}{
		{rf.CART{}, "rf.CART"},
		{sporf.Learner{Trees: 50, Density: 0.25, Growth: forest.Growth{MaxDepth: 3, Criterion: forest.Entropy}},
			"sporf.Learner,Trees=50,Density=0.25,Criterion=1,MaxDepth=3"},
		{rf.HRF{Memory: forest.Memory{Alpha: 0.9, Beta: 3}, Seed: math.MaxUint32},
			"rf.HRF,Memory.Alpha=0.9,Memory.Beta=3,Seed=4294967295"},
		{oc1.Tree{Search: oc1.Search{Jumps: -1}, HeldOut: -1}, "oc1.Tree,Search.Jumps=-1,HeldOut=-1"},
		{tao.Learner{Trees: 1, Sampling: forest.AllRows, Lambda: -1},
			"tao.Learner,Trees=1,Lambda=-1,Sampling.Fraction=1,Sampling.WithoutReplacement=1"},
		{godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateFull, Beta: 1e-5}}, "godt.Tree,Divider=2,Beta=1e-05"},
	} {
		state := structState(test.learner)
		if state != test.want {
			t.Errorf("%+v: %s; want %s", test.learner, state, test.want)
		}
		name, rest, _ := strings.Cut(state, ",")
		fields := map[string]float64{}
		for part := range strings.SplitSeq(rest, ",") {
			if field, number, ok := strings.Cut(part, "="); ok {
				fields[field], _ = strconv.ParseFloat(number, 64)
			}
		}
		if got, _, err := engine.NewLearner(name, fields); err != nil || got != test.learner {
			t.Errorf("%s: the page makes %+v of it, %v", state, got, err)
		}
	}
}

// TestPlaygroundPoints: the page gets the two columns, and 2,000 rows at most.
func TestPlaygroundPoints(t *testing.T) {
	d := sim.SparseParity{Features: 4}.Sample(5000, 1)
	start := Playground{Data: d, X: 3, Y: 1, Left: rf.CART{}, Right: rf.CART{}}.start()
	if start.State != "problem=data&left=rf.CART&right=rf.CART" || start.Data.Features != [2]string{"x4", "x2"} ||
		len(start.Data.Columns[0]) != 2000 || len(start.Data.Labels) != 2000 {
		t.Fatalf("state %q, features %q, %d rows", start.State, start.Data.Features, len(start.Data.Labels))
	}
	for i, label := range start.Data.Labels { // every 2½th row
		row := i * 5 / 2
		if label != d.Labels[row] || start.Data.Columns[0][i] != d.At(row, 3) || start.Data.Columns[1][i] != d.At(row, 1) {
			t.Fatalf("point %d isn't row %d", i, row)
		}
	}
}

func TestPlaygroundFigure(t *testing.T) {
	d := sim.XOR{Cells: 2}.Sample(80, 1)
	f := Playground{Title: "Exclusive or", Data: d, Left: rf.CART{}, Right: sporf.FRC{Trees: 5}}.figure()
	contains(t, f.alt(), "Exclusive or", "rf.CART", "sporf.FRC, Trees 5", "80 rows")
	values := table([]float32{1}, []float32{2})
	values.Values = []float64{3}
	missing := sim.XOR{Cells: 2}.Sample(80, 1)
	missing.Columns[1][7] = float32(math.NaN())
	of := func(d *datasets.Dataset, x int) Playground {
		return Playground{Data: d, X: x, Left: rf.CART{}, Right: rf.CART{}}
	}
	for _, test := range []struct {
		p    Playground
		want string
	}{
		{of(nil, 0), "without labels"}, {of(values, 0), "without labels"}, {of(d.Select(0), 0), "one column"},
		{of(missing, 0), "missing"}, {of(d, 5), "columns 5 and 0"},
		{Playground{Data: d, Left: rf.CART{}}, "want Left and Right"},
		{Playground{Data: d, Left: rf.Learner{Trees: -1}, Right: rf.CART{}}, "rf.Learner"},
	} {
		readtest.WantPanic(t, "viz: ", func() { test.p.figure() }, test.want)
	}
}
