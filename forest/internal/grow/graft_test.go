package grow

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
)

func equalTrees(t testing.TB, got, want forest.Tree) {
	t.Helper()
	if !slices.Equal(got.Nodes, want.Nodes) || !slices.Equal(got.Dist, want.Dist) ||
		!slices.Equal(got.Splits.Start, want.Splits.Start) || !slices.Equal(got.Splits.Index, want.Splits.Index) ||
		!slices.Equal(got.Splits.Weights, want.Splits.Weights) {
		t.Fatalf("trees of %d and %d nodes differ", len(got.Nodes), len(want.Nodes))
	}
}

// A tree taken apart at any right children and joined is the tree.
func TestJoinPutsGraftsBack(t *testing.T) {
	const p, classes = 6, 3
	d := noise(400, p, classes)
	params := Params{Trees: 1, Growth: forest.Growth{MinLeaf: 3}, Sampling: forest.Bootstrap(1), Directions: func(p int) Directions { return &sums{p: p} }}
	f, err := Forest(context.Background(), d, params)
	if err != nil {
		t.Fatal(err)
	}
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
			var part forest.Tree
			var grafts []*graft
			var copyNode func(at int)
			copyNode = func(at int) {
				n := tree.Nodes[at]
				here := len(part.Nodes)
				appendNode(&part, n, &tree, p, classes)
				if n.IsLeaf() {
					return
				}
				copyNode(at + 1)
				part.Nodes[here].Next = int32(len(part.Nodes))
				if rng.Float64() < often {
					part.Nodes = append(part.Nodes, forest.Node{Split: inPlace, Next: int32(len(grafts))})
					grafts = append(grafts, nil)
					k := len(grafts) - 1
					grafts[k] = &graft{tree: apart(int(n.Next))}
					joined++
					return
				}
				copyNode(int(n.Next))
			}
			copyNode(root)
			return join(part, grafts, p, classes)
		}
		got := apart(0)
		if joined == 0 {
			t.Skip("whole")
		}
		if !slices.Equal(got.Nodes, tree.Nodes) || !slices.Equal(got.Dist, tree.Dist) || !slices.Equal(got.Splits.Start, tree.Splits.Start) ||
			!slices.Equal(got.Splits.Index, tree.Splits.Index) || !slices.Equal(got.Splits.Weights, tree.Splits.Weights) {
			t.Fatalf("joined %d grafts to another tree", joined)
		}
	})
}

// One tree on several cores must be the tree of one core.
func TestGraftsGrowTheSameTree(t *testing.T) {
	for _, classes := range []int{0, 2, 4} {
		d := noise(20000, 8, classes)
		params := Params{Trees: 1, Growth: forest.Growth{MinLeaf: 2}, Sampling: forest.Bootstrap(1), Directions: func(p int) Directions { return &sums{p: p} }}
		x, err := newData(d, params)
		if err != nil {
			t.Fatal(err)
		}
		var alone forest.Tree
		newWorker(x, params, newCrew()).grow(0, &alone)

		c := newCrew()
		w := newWorker(x, params, c)
		served := make(chan int)
		for range 3 {
			go func() {
				w := newWorker(x, params, c)
				grafts := 0
				for {
					w.waiting.Add(1)
					g, ok := <-w.grafts
					w.waiting.Add(-1)
					if !ok {
						served <- grafts
						return
					}
					grafts++
					w.growGraft(g)
				}
			}()
		}
		for c.waiting.Load() < 3 {
			runtime.Gosched()
		}
		var together forest.Tree
		w.grow(0, &together)
		close(c.grafts)
		if grafts := <-served + <-served + <-served; grafts == 0 {
			t.Errorf("%d classes: nothing was given away", classes)
		}
		equalTrees(t, together, alone)
	}
}

// A fit that is called off while subtrees are being grown must end quietly.
func TestCancelWithGrafts(t *testing.T) {
	d := noise(20000, 8, 2)
	cancelled := 0
	for i := range 30 {
		ctx, cancel := context.WithCancel(context.Background())
		var searched atomic.Int64
		params := Params{Trees: 1 + i%2, Sampling: forest.Bootstrap(1), Directions: func(p int) Directions {
			return &counting{sums{p: p}, func() {
				if searched.Add(1) == int64(3+7*i) {
					cancel()
				}
			}}
		}}
		switch f, err := Forest(ctx, d, params); {
		case err == context.Canceled && f == nil:
			cancelled++
		case err != nil: // it may also be done before it hears of it
			t.Errorf("error %v", err)
		}
	}
	if cancelled == 0 {
		t.Error("never called off")
	}
}

type counting struct {
	sums
	begin func()
}

func (c *counting) Begin(rng *forest.Rand) {
	c.begin()
	c.sums.Begin(rng)
}
