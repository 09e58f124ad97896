package old

import (
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// The model by hand: 101 trees on 10 slots are 10 each, after the program's own.
func TestClusterTimeByHand(t *testing.T) {
	c := ClusterCosts{First: 2 * time.Second, Begin: 3 * time.Second, Round: 500 * time.Millisecond,
		Tree: 4 * time.Second, Merge: 10 * time.Millisecond,
		Slots: 2, DataBytes: 1e8, TreeBytes: 3e6}
	for _, x := range []struct {
		trees, slots int
		bandwidth    float64
		want         float64
	}{
		{101, 10, 0, 2 + 3 + 1.5 + 40 + 1.01},
		{101, 10, 1e8, 2 + 3 + 1.5 + 40 + 1.01 + 8 + 4.04},
		{101, 2, 1e8, 2 + 3 + 1.5 + 200 + 1.01 + 4.04},
		{101, 1, 1e8, 2 + 3 + 1.5 + 400 + 1.01 + 4.04},
		{102, 100, 0, 2 + 3 + 1.5 + 8 + 1.02},
		{1, 5, 0, 2 + 3 + 1.5 + 0 + .01},
	} {
		if got := c.Time(x.trees, x.slots, x.bandwidth).Seconds(); got < x.want-1e-6 || got > x.want+1e-6 {
			t.Errorf("%d trees on %d slots: %v s, want %v", x.trees, x.slots, got, x.want)
		}
	}
}

func TestClusterCostsAreMeasured(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(2000, 1)
	c := must.Value(MeasureClusterCosts(t.Context(), cluster.Local{Workers: 2}, rf.Learner{Trees: 50}, d, 2))
	f := must.Value(rf.Learner{Trees: 1}.Fit(t.Context(), d))
	tree := 16 * len(f.Trees[0].Nodes) // see Files in docs/decisions.md
	if c.Slots != 2 || c.DataBytes < 2000*24 || c.DataBytes > 2000*24+1000 || c.TreeBytes < tree*3/4 ||
		c.TreeBytes > 2*tree {
		t.Errorf("%+v; a tree takes about %d bytes", c, tree)
	}
	if c.First <= 0 || c.Begin <= 0 || c.Tree <= 0 || c.Merge <= 0 || c.Merge > c.Tree {
		t.Errorf("times %+v", c)
	}
}
