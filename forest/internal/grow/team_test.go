package grow

import (
	"context"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/steady"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

func equalTrees(t testing.TB, got, want forest.Tree) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("trees of %d and %d nodes differ", len(got.Nodes), len(want.Nodes))
	}
}

// Cutting a tree at any right children and joining the parts gives the same tree.
func TestJoinPutsPartsBack(t *testing.T) {
	const p, classes = 6, 3
	d := noise(400, p, classes)
	params := Params{Trees: 1, Growth: forest.Growth{MinLeaf: 3}, Seed: 1}
	f := must.Value(Forest(context.Background(), d, params, drawSums(p)))
	tree := f.Trees[0]
	if len(tree.Dist) == 0 || tree.Splits.Len() == 0 {
		t.Fatal("a tree without mixed leaves or combinations proves little")
	}
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		often := rapid.SampledFrom([]float64{0.02, 0.2, 0.9}).Draw(t, "often")
		var apart func(from int) forest.Tree
		joined := 0
		apart = func(root int) forest.Tree {
			// The nodes of the subtree follow its root up to the next one's.
			trunk := forest.Tree{Classes: classes}
			var parts []part
			var copyNode func(at int)
			copyNode = func(at int) {
				n := tree.Nodes[at]
				here := len(trunk.Nodes)
				if n.IsLeaf() {
					if leaf := tree.Leaf(at); leaf.Kind == forest.LeafDist {
						n = trunk.DistLeaf(leaf.Dist, leaf.Weight)
					}
					trunk.Nodes = append(trunk.Nodes, n)
					return
				}
				n.Split = trunk.Splits.Add(tree.Splits.At(n.Split))
				trunk.Nodes = append(trunk.Nodes, n)
				copyNode(at + 1)
				trunk.Nodes[here].Next = int32(len(trunk.Nodes))
				if rng.Float64() < often {
					at := int32(len(trunk.Nodes))
					trunk.Nodes = append(trunk.Nodes, placeholder)
					parts = append(parts, part{at, &subtree{tree: apart(int(n.Next))}})
					joined++
					return
				}
				copyNode(int(n.Next))
			}
			copyNode(root)
			var b builder
			b.join(&trunk, parts, nil)
			joined, _ := b.trimmed(nil)
			return joined
		}
		got := apart(0)
		if joined == 0 {
			t.Skip("whole")
		}
		if !reflect.DeepEqual(got, tree) {
			t.Fatalf("joined %d parts to another tree", joined)
		}
	})
}

// A fit that is cancelled, or whose source panics, returns, whatever its workers are doing: growing subtrees, or
// waiting for the turn of a tree of a forest with a memory. The caller sees the panic.
func TestFitsThatAreStoppedReturn(t *testing.T) {
	steady.Cores(t, 4)
	d := noise(20000, 8, 2)
	cancelled := 0
	for i := range 80 {
		ctx, cancel := context.WithCancel(context.Background())
		params, memory := Params{Method: "test", Trees: 1 + i/4%3, Seed: 1}, i%4 < 2
		if memory {
			params.Trees = 1000
		}
		stop := cancel
		if i%2 == 0 {
			stop = func() { panic("here") }
		}
		var drawn atomic.Int64
		source := func() Source {
			return &counting{sums{p: d.P()}, func() {
				if drawn.Add(1) == int64(3+7*i) {
					stop()
				}
			}}
		}
		var err error
		panicked := panicOf(func() {
			if memory {
				_, err = ForestWithMemory(ctx, d, params, forest.Memory{Beta: 1}, func([]float64) Source { return source() })
			} else {
				_, err = Forest(ctx, d, params, source)
			}
		})
		switch {
		case i%2 == 0 && panicked != "here":
			t.Errorf("panic at draw %d: the caller sees %v", 3+7*i, panicked)
		case err == context.Canceled:
			cancelled++
		case err != nil || i%2 == 1 && memory: // a forest without one may be done before it hears of it
			t.Errorf("cancelled at draw %d: error %v", 3+7*i, err)
		}
		cancel()
	}
	if cancelled <= 20 { // those with a memory
		t.Error("no other fit was called off")
	}
	ctx := forest.WithProgress(context.Background(), func(done, all int) {
		if done == 2 {
			panic("here")
		}
	})
	if got := panicOf(func() { Forest(ctx, d, Params{Trees: 9, Seed: 1}, drawSums(d.P())) }); got != "here" {
		t.Errorf("panic in the progress function: the caller sees %v", got)
	}
}

// panicOf returns what do panics with, nil if it doesn't.
func panicOf(do func()) (value any) {
	defer func() { value = recover() }()
	do()
	return nil
}

type counting struct {
	sums
	begin func()
}

func (c *counting) Draw(node *Node, attempt int) bool {
	c.begin()
	return c.sums.Draw(node, attempt)
}

// A job goes to the worker that it was given to, even if that worker is to stop waiting and
// another one begins to wait before it has looked: one that is owed a job waits for it.
func TestJobReachesItsWorker(t *testing.T) {
	for range 2000 {
		team := newTeam()
		first, second := &worker{team: team, jobs: make(chan job, 1)}, &worker{team: team, jobs: make(chan job, 1)}
		done, got := make(chan struct{}), make(chan bool)
		go func() {
			_, ok := first.next(done)
			got <- ok
		}()
		for team.waiting.Load() == 0 {
			runtime.Gosched()
		}
		if !team.give(job{}) {
			t.Fatal("nobody waited")
		}
		close(done)
		if _, ok := second.next(done); ok {
			t.Fatal("a worker took a job that was given to another")
		}
		if !<-got {
			t.Fatal("a worker that was given a job left without it")
		}
		if n := team.waiting.Load(); n != 0 {
			t.Fatalf("%d workers still wait", n)
		}
	}
}
