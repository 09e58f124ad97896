package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
)

// stumps returns a forest of k stumps over p features. Each has p + 3 parameters: p weights
// and a threshold, and 1 for each of two leaves.
func stumps(k, p int) *forest.Forest {
	f := &forest.Forest{Features: make([]string, p), Classes: []string{"a", "b"}}
	for range k {
		tree := forest.Tree{Classes: 2}
		tree.Nodes = []forest.Node{
			{Split: tree.Splits.Add(forest.Function{Kind: forest.Dense, Weights: ones(p)}), Next: 2},
			forest.ClassLeaf(0, 1), forest.ClassLeaf(1, 1),
		}
		f.Trees = append(f.Trees, tree)
	}
	return f
}

func ones(n int) []float32 {
	w := make([]float32, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// TestPathInOrder: models in any order of λ give the path in order of λ. A forest of k
// stumps over p features has k(p+3) parameters, and a row costs k(p+2).
func TestPathInOrder(t *testing.T) {
	path := LambdaPath{
		Lambda: []float64{1, 0.01, 100},
		Models: []*forest.Forest{stumps(2, 5), stumps(3, 10), stumps(1, 2)},
		Errors: []Series{{Name: "test", Y: []float64{0.2, 0.2, 0.5}, Err: []float64{1, 2, 3}},
			{Name: "training", Y: []float64{0.1, 0, 0.3}}},
	}
	want := "Error\nError against λ. test: 0.2 at 0.01 to 0.5 at 100. training: 0 at 0.01 to 0.3 at 100.\n" +
		"Parameters\nParameters against λ. The forest: 39 at 0.01 to 5 at 100.\n" +
		"FLOPs per row\nFLOPs per row against λ. The forest: 36 at 0.01 to 4 at 100.\n" +
		"Marked: λ = 1."
	if got := path.figure().Alt; got != want {
		t.Errorf("%q; want %q", got, want)
	}
	s := path.sorted()
	if got := fmt.Sprint(s.Lambda, s.Errors[0].X, s.Errors[0].Y, s.Errors[0].Err,
		s.Errors[1].Err == nil); got != "[0.01 1 100] [0.01 1 100] [0.2 0.2 0.5] [2 1 3] true" {
		t.Errorf("sorted: %s", got)
	}
	if path.Lambda[0] != 1 || path.Errors[0].X != nil {
		t.Errorf("the caller's path has changed: %v", path)
	}
}

func TestChosenLambda(t *testing.T) {
	nan := math.NaN()
	for i, test := range []struct {
		chosen float64
		errors []float64
		want   float64
	}{
		{0, []float64{0.3, 0.1, 0.2}, 2},
		{0, []float64{0.1, 0.1, 0.2}, 2}, // the largest of several
		{0, []float64{nan, 0.4, nan}, 2},
		{3, []float64{0.3, 0.1, 0.2}, 3},
		{0, nil, 0},
	} {
		l := LambdaPath{Lambda: []float64{1, 2, 4}, Chosen: test.chosen}
		if test.errors != nil {
			l.Errors = []Series{{Y: test.errors}, {Y: []float64{9, 9, 0}}}
		}
		if got := l.chosen(); got != test.want {
			t.Errorf("%d: λ = %v; want %v", i, got, test.want)
		}
	}
}

// TestSizeAxis: all sizes are inside of the axis, which is logarithmic from a factor of
// ten on and has labels then.
func TestSizeAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(1, 1e6).Draw(t, "lo")
		factor := math.Pow(10, rapid.Float64Range(0, 6).Draw(t, "decades"))
		p := sizePlot(Curves{LogX: true, Series: []Series{{X: []float64{1, 2, 3},
			Y: []float64{lo, math.NaN(), lo * factor}}}})
		if p.Y.Min > lo || p.Y.Max < lo*factor || p.X.Min >= 1 || p.X.Max <= 3 {
			t.Fatalf("%v to %v on an axis from %v to %v", lo, lo*factor, p.Y.Min, p.Y.Max)
		}
		if _, log := p.Y.Scale.(logScale); log != (lo*factor >= 10*lo) {
			t.Fatalf("logarithmic: %v for a factor of %v", log, factor)
		} else if log {
			labels := 0
			setTicks(draw.New(vgsvg.New(300*px, 240*px)), p)
			for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
				if tick.Label != "" {
					labels++
				}
			}
			if labels < 1 || labels > 8 {
				t.Fatalf("%d labels from %v to %v", labels, p.Y.Min, p.Y.Max)
			}
		}
	})
	p := sizePlot(Curves{LogX: true, Series: []Series{{X: []float64{1}, Y: []float64{math.NaN()}}}})
	if !(p.Y.Min < p.Y.Max && p.X.Min < 1 && p.X.Max > 1) {
		t.Errorf("of no numbers: %v to %v", p.Y.Min, p.Y.Max)
	}
}

func TestMisuseOfPaths(t *testing.T) {
	two := []*forest.Forest{oblique(), oblique()}
	for i, l := range []LambdaPath{
		{}, {Lambda: []float64{1}, Models: two}, {Lambda: []float64{1, 2}},
		{Lambda: []float64{1, 2}, Models: []*forest.Forest{oblique(), nil}},
		{Lambda: []float64{0, 1}, Models: two}, {Lambda: []float64{1, math.NaN()}, Models: two},
		{Lambda: []float64{1, math.Inf(1)}, Models: two},
		{Lambda: []float64{1, 2}, Models: two, Chosen: -1}, {Lambda: []float64{1, 2}, Models: two, Chosen: math.NaN()},
		{Lambda: []float64{1, 2}, Models: two, Errors: []Series{{Y: []float64{1}}}},
		{Lambda: []float64{1, 2}, Models: two, Errors: []Series{{Y: []float64{1, 2}, Err: []float64{1}}}},
		{Lambda: []float64{1, 2}, Models: two, Errors: []Series{{Y: []float64{math.NaN(), math.NaN()}}}},
	} {
		expectPanic(t, i, l)
	}
}

// expectPanic draws a chart that must panic with a message of the package.
func expectPanic(t *testing.T, i int, chart Chart) {
	t.Helper()
	defer func() {
		if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "viz: ") {
			t.Errorf("%d: %T panics with %v", i, chart, s)
		}
	}()
	chart.figure()
}
