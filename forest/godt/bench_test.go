package godt_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/internal/must"
)

func BenchmarkTree(b *testing.B) {
	for _, divider := range []godt.Divider{godt.SharedDiagonal, godt.SharedFull, godt.SeparateFull, godt.KMeans} {
		for _, size := range [][2]int{{150, 4}, {3000, 16}} {
			d := table(size[0], size[1], 6, 1)
			b.Run(fmt.Sprintf("divider=%d/%dx%d", divider, size[0], size[1]), func(b *testing.B) {
				b.ReportAllocs()
				nodes := 0
				for b.Loop() {
					nodes += trained(b, godt.Tree{Splitting: godt.Splitting{Divider: divider}}, d).Size().Nodes
				}
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes")
			})
		}
	}
}

func BenchmarkForest(b *testing.B) {
	d := table(1000, 20, 5, 1)
	b.ReportAllocs()
	for b.Loop() {
		trained(b, godt.Learner{Trees: 20}, d)
	}
}

// A larger tree takes longer slices, but nothing is allocated for each node.
func TestNodesAllocateNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, divider := range allDividers {
		for _, start := range []godt.Start{godt.PrincipalAxis, godt.RandomRows} {
			var allocations, nodes [2]float64
			for i, n := range []int{100, 800} {
				d := table(n, 5, 4, 1)
				l := godt.Tree{Splitting: godt.Splitting{Divider: divider, Start: start}}
				nodes[i] = float64(len(trained(t, l, d).Trees[0].Nodes))
				allocations[i] = testing.AllocsPerRun(2, func() {
					must.Value(l.Fit(context.Background(), d))
				})
			}
			if more := allocations[1] - allocations[0]; more > 0.05*(nodes[1]-nodes[0]) {
				t.Errorf("divider %d, start %d: %v more allocations for %v more nodes", divider, start, more, nodes[1]-nodes[0])
			}
			t.Logf("divider %d, start %d: %v allocations for %v nodes, %v for %v", divider, start, allocations[0], nodes[0],
				allocations[1], nodes[1])
		}
	}
}
