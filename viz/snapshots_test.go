package viz

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// board returns rows of a small checkerboard, and a tree after each of seven passes over it.
func board() Snapshots {
	s := Snapshots{Data: sim.XOR{Cells: 3, Degrees: 30}.Sample(300, 1)}
	var history tao.History
	must.Value(history.Fit(context.Background(), tao.Learner{Trees: 1, Passes: 7, Sampling: forest.AllRows}, s.Data))
	for _, p := range history.Passes() {
		s.Models = append(s.Models, history.Forest(p.Number))
		s.Captions = append(s.Captions, fmt.Sprintf("Pass %d", p.Number))
	}
	return s
}

// TestSnapshotLines: each split has a line, of the width 2.6·¾^depth CSS pixels, 0.3·2.6
// at least, and every leaf has a class.
func TestSnapshotLines(t *testing.T) {
	leaf, split := forest.ClassLeaf(1, 1), func(next int32) forest.Node { return forest.Node{Split: 0, Next: next} }
	tree := &forest.Tree{Classes: 2}
	tree.Nodes = []forest.Node{split(10), split(9), split(8), split(7), split(6), leaf, leaf, leaf, leaf, leaf, split(12),
		tree.DistLeaf([]float32{2, 1}, 3), leaf}
	s := newSnapshot(divide(tree, newPoints(corners(), 0, 0, nil)))
	for node, depth := range map[int]float64{0: 0, 1: 1, 2: 2, 3: 3, 10: 1} {
		if got, want := float64(s.chord(node).Width/px), 2.6*math.Pow(0.75, depth); math.Abs(got-want) > 1e-9 {
			t.Errorf("node %d: %v pixels; want %v", node, got, want)
		}
	}
	s.depth[3] = 50
	if got := float64(s.chord(3).Width / px); math.Abs(got-0.78) > 1e-9 {
		t.Errorf("deep down: %v pixels", got)
	}
	if got := fmt.Sprint(s.class); got != "[-1 -1 -1 -1 -1 1 1 1 1 1 -1 0 1]" {
		t.Errorf("classes %s", got)
	}
}

// TestSnapshotPicture: the colours of a stump fill the two sides of its line.
func TestSnapshotPicture(t *testing.T) {
	model := oblique()
	model.Trees[0].Nodes[0].Value = 0 // the diagonal: both sides are of equal area
	img := picture(Snapshots{Models: []*forest.Forest{model}, Data: corners()}.figure())
	left, right := count(img, mix(white, Palette[0], 0.3)), count(img, mix(white, Palette[1], 0.3))
	if left < 30_000 || math.Abs(float64(left-right)) > 0.05*float64(left) {
		t.Errorf("%d pixels of the left class, %d of the right one", left, right)
	}
	if n := count(img, color.NRGBA{0x22, 0x22, 0x22, 0xff}); n < 500 {
		t.Errorf("%d pixels of the line and the text", n)
	}
}

// TestLiveSnapshots: at step k the chart shows as many regions and lines as tree k has
// leaves and splits, if none is outside of the picture.
func TestLiveSnapshots(t *testing.T) {
	s := board()
	f := s.figure()
	live := f.live().(stepper)
	if fmt.Sprint(live.Steps) != fmt.Sprint(s.Captions) || len(live.Steps) != 7 {
		t.Errorf("captions %q", live.Steps)
	}
	if n := len(f.liveHTML()); n > 60_000 {
		t.Errorf("%d bytes", n)
	}
	regions, lines := make([]int, 7), make([]int, 7)
	step := -1
	for _, e := range elements(live.HTML) {
		if from, err := strconv.Atoi(e["data-from"]); err == nil {
			step = from
		}
		switch {
		case step < 0 || e[""] != "path":
		case e["fill"] == "":
			lines[step]++
		case e["stroke"] == "": // points have one
			regions[step]++
		}
	}
	for k, m := range s.Models {
		leaves := m.Trees[0].Leaves()
		if regions[k] > leaves || lines[k] > leaves-1 || regions[k] < leaves-2 || lines[k] < leaves-3 {
			t.Errorf("step %d: %d regions and %d lines of a tree of %d leaves", k, regions[k], lines[k], leaves)
		}
	}
	many := Snapshots{Models: make([]*forest.Forest, snapshotNodes/3+1), Data: corners()}
	for i := range many.Models {
		many.Models[i] = oblique()
	}
	if many.figure().live != nil {
		t.Error("too many trees are live")
	}
	many.Models = many.Models[1:]
	if f := many.figure(); f.live == nil || len(f.liveHTML()) > 600_000 {
		t.Errorf("%d nodes aren't live, or too large", 3*len(many.Models))
	}
}

func TestMisuseOfSnapshots(t *testing.T) {
	model := oblique()
	one := func(models ...*forest.Forest) Snapshots { return Snapshots{Data: corners(), Models: models} }
	captioned, other := one(model), one(model)
	captioned.Captions, other.Tree = []string{"a", "b"}, 1
	misused(t, one(), one(model, nil), captioned, other, one(value()), one(model, pixels(2, along(1))))
}
