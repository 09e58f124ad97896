package tao

import (
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
)

// benchmarks returns the problems that the benchmarks train on: 5,000 rows of 16 features.
func benchmarks() map[string]struct {
	l Learner
	d *datasets.Dataset
} {
	classes, values := clusters(5000, 16, 10), clusters(5000, 16, 0)
	return map[string]struct {
		l Learner
		d *datasets.Dataset
	}{
		"TAO-c":        {Learner{Depth: 8}, classes},
		"TAO-l":        {Learner{Depth: 5, LinearLeaves: true}, classes},
		"values":       {Learner{Depth: 8}, values},
		"lines":        {Learner{Depth: 5, LinearLeaves: true}, values},
		"TAO-c sparse": {Learner{Depth: 8, Unscaled: true}, mostlyZero(classes)},
		"TAO-c axis":   {Learner{Depth: 8, AxisAligned: true}, classes},
	}
}

// BenchmarkFit trains two trees in ten passes.
func BenchmarkFit(b *testing.B) {
	for name, test := range benchmarks() {
		test.l.Trees, test.l.Passes = 2, 10
		fittest.Benchmark(b, map[string]*datasets.Dataset{name: test.d}, test.l)
	}
}

// BenchmarkPass makes a pass over a tree after five others.
func BenchmarkPass(b *testing.B) {
	for name, test := range benchmarks() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			o, _ := started(b, test.l, test.d)
			s := o.borrow()
			for range 5 {
				o.step(s, 0, o.sample)
			}
			for b.Loop() {
				o.step(s, 0, o.sample)
			}
		})
	}
}

// A pass may allocate for each node, such as its new weights, but not for each row.
func TestPassesDontAllocateForEachRow(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	for name, k := range map[string]int{"classes": 3, "values": 0} {
		for _, l := range []Learner{{}, {LinearLeaves: true}, {Unscaled: true, NodeFeatures: 2},
			{PenalisedBias: true}} {
			l.Depth, l.Sampling = 4, forest.AllRows
			var allocations [2]float64
			for i, n := range []int{500, 8000} {
				d := clusters(n, 4, k)
				if l.Unscaled {
					d = mostlyZero(d)
				}
				o, _ := started(t, l, d)
				s := o.borrow()
				o.step(s, 0, o.sample)
				allocations[i] = testing.AllocsPerRun(3, func() { o.step(s, 0, o.sample) })
			}
			if nodes := 31.0; allocations[1] > allocations[0]+10*nodes || allocations[1] > 40*nodes {
				t.Errorf("%s, %+v: %v allocations in a pass over 500 rows, %v over 8,000; want about as many", name, l,
					allocations[0], allocations[1])
			}
		}
	}
}
