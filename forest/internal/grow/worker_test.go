package grow

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Growing a tree in reused memory allocates only the returned copy. The loop over nodes
// allocates nothing, for any method and number of nodes.
func TestNodeLoopDoesNotAllocate(t *testing.T) {
	for _, classes := range []int{0, 2, 4} {
		for _, weighted := range []bool{false, true} {
			for _, cut := range []Cut{Search, Random, Given} {
				d := noise(3000, 6, classes)
				if weighted {
					d.Weights = slices.Repeat([]float32{1.5}, d.N())
				}
				e := must.Value(New(d, Params{Trees: 1, Seed: 1}))
				w := newWorker(e, newTeam())
				spec := &Spec{Source: func() Source { return &sums{p: d.P(), cut: cut} }}
				var tree forest.Tree
				w.grow(0, spec, &tree) // warms the worker up
				if len(tree.Nodes) < 500 {
					t.Fatalf("%d nodes prove little", len(tree.Nodes))
				}
				// One for each slice of the returned tree.
				allocs := testing.AllocsPerRun(3, func() { w.grow(0, spec, &tree) })
				if allocs > 5 {
					t.Errorf("%d classes, weighted %v, cut %v: %v allocations for %d nodes", classes, weighted, cut, allocs,
						len(tree.Nodes))
				}
			}
		}
	}
}

// sums draws three differences of two features.
type sums struct {
	p, n     int
	cut      Cut
	rng      *forest.Rand
	features [2]int32
	weights  [2]float32
	next     Candidate
}

func drawSums(p int) func() Source { return func() Source { return &sums{p: p} } }

func (s *sums) Draw(node *Node, attempt int) bool {
	s.rng, s.n = node.Rand(), 0
	return attempt == 0
}

func (s *sums) Next() *Candidate {
	if s.n == 3 {
		return nil
	}
	s.n++
	j := s.rng.Intn(s.p - 1)
	s.features, s.weights = [2]int32{int32(j), int32(j + 1)}, [2]float32{1, -1}
	s.next = Candidate{Function: forest.Linear(s.features[:], s.weights[:]), Cut: s.cut}
	return &s.next
}

// endless draws the same candidate again and again, and cancels at the fifth.
type endless struct {
	n   int
	off func()
}

func (e *endless) Draw(*Node, int) bool { return true }

func (e *endless) Next() *Candidate {
	if e.n++; e.n == 5 {
		e.off()
	}
	return axis(0, Search)
}

// A single node, on a single core, must notice.
func TestCancelWithinANode(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, classes := range []int{0, 2} {
		ctx, cancel := context.WithCancel(context.Background())
		source := func() Source { return &endless{off: cancel} }
		if f, err := Forest(ctx, noise(100, 1, classes), Params{Trees: 1, Sampling: forest.AllRows}, source); f != nil ||
			!errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
}

// noise returns n rows with a target that is independent of the features.
func noise(n, p, classes int) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &datasets.Dataset{Classes: make([]string, classes)}
	for range p {
		col := make([]float32, n)
		for i := range col {
			col[i] = float32(rng.NormFloat64())
		}
		d.Columns = append(d.Columns, col)
		d.Features = append(d.Features, datasets.Feature{})
	}
	for range n {
		if classes == 0 {
			d.Values = append(d.Values, rng.NormFloat64())
		} else {
			d.Labels = append(d.Labels, int32(rng.IntN(classes)))
		}
	}
	return d
}

func BenchmarkGrow(b *testing.B) {
	for _, n := range []int{1000, 20000} {
		for _, classes := range []int{0, 2, 10} {
			d := noise(n, 20, classes)
			e := must.Value(New(d, Params{Trees: 1, Seed: 1}))
			w := newWorker(e, newTeam())
			spec := &Spec{Source: func() Source { return NewAxes(nil, d.P(), 4, Search) }}
			b.Run(fmt.Sprintf("%d/%d", n, classes), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var tree forest.Tree
					w.grow(0, spec, &tree)
				}
			})
		}
	}
}

// A failure of one worker must stop the others.
func TestFailureStopsWorkers(t *testing.T) {
	e := must.Value(New(noise(100, 4, 2), Params{Trees: 1, Sampling: forest.AllRows}))
	team := newTeam()
	team.fail(errors.New("reason"))
	if newWorker(e, team).grow(0, &Spec{Source: drawSums(4)}, new(forest.Tree)) ||
		(*team.failure.Load()).Error() != "reason" {
		t.Error("went on")
	}
}
