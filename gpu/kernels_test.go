//go:build cuda && linux

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// The products of rows, in any order, and planes are those of plain loops, rounded after
// each step. Every plane has its threshold on a row's value.
func TestSides(t *testing.T) {
	dev := openOrSkip(t)
	r := rand.New(rand.NewPCG(5, 6))
	on := 0
	for _, c := range []struct{ n, m, planes int }{{1, 1, 1}, {127, 15, 8}, {300, 16, 64}, {500, 17, 71},
		{257, 100, 136}} {
		cells, weights := make([]float32, c.n*c.m), make([]float32, (c.planes+15)/16*16*c.m)
		for i := range cells {
			cells[i] = float32(r.NormFloat64())
		}
		for i := range weights {
			weights[i] = float32(r.NormFloat64())
		}
		order := make([]int32, c.n)
		for i, o := range r.Perm(c.n) {
			order[i] = int32(o)
		}
		weight := func(j, k int) *float32 { return &weights[(k/16*c.m+j)*16+k%16] }
		value := func(row, plane int) (v float32) {
			for j := range c.m {
				v += float32(cells[row*c.m+j] * *weight(j, plane))
			}
			return v
		}
		thresholds := make([]float32, c.planes)
		for k := range thresholds {
			thresholds[k] = value(r.IntN(c.n), k)
		}
		got := make([]uint8, (c.planes+7)/8*c.n)
		padded := (c.planes + 7) &^ 7
		runKernel(t, dev, "sides", sidesLayout(int64(c.n), padded), cells, order, weights,
			append(thresholds, make([]float32, padded-c.planes)...), got,
			c.n, c.n, c.m, padded)
		differ := 0
		for i, row := range order {
			for k := range c.planes {
				v := value(int(row), k)
				if v == thresholds[k] {
					on++
				}
				if right := got[k/8*c.n+i]>>(k%8)&1 == 1; right != (v > thresholds[k]) {
					differ++
				}
			}
		}
		if differ > 0 {
			t.Errorf("%d rows, %d features, %d planes: %d sides differ", c.n, c.m, c.planes, differ)
		}
	}
	if on < 280 {
		t.Errorf("%d rows are on a plane; want at least one for each of 280 planes", on)
	}
}

// cancelling returns a forest of one tree for each row of d, whose split has the given
// function and this row on its threshold.
func cancelling(d *datasets.Dataset, fn forest.Function) *forest.Forest {
	f := &forest.Forest{Features: make([]string, d.P()), Classes: []string{"0", "1"}, Rule: forest.Average}
	for i := range d.N() {
		var t forest.Tree
		t.Classes = 2
		t.Nodes = []forest.Node{{Split: t.Splits.Add(fn), Next: 2, Value: fn.Value(d.Row(nil, i))}, forest.ClassLeaf(0, 1),
			forest.ClassLeaf(1, 1)}
		f.Trees = append(f.Trees, t)
	}
	return f
}

// Functions whose large terms cancel, so that what a product in float64 loses by being
// rounded shows in the result.
func TestCancellation(t *testing.T) {
	dev := openOrSkip(t)
	d := blobs(100, 2, 2, 8)
	for i := range d.N() { // column 1 is the opposite of column 0
		d.Columns[0][i] *= 1e6
		d.Columns[1][i] = -d.Columns[0][i]
	}
	both := []int32{0, 1}
	for _, c := range []struct {
		name string
		fn   forest.Function
	}{
		{"quadratic", forest.Function{Kind: forest.Quadratic, Features: both, Q: []float32{0.1, 0, -0.1},
			Weights: []float32{0.3, 0.3}, Bias: 0.7}},
		{"squares", forest.Function{Kind: forest.LowRank, Features: both, Weights: []float32{1e-7, 0},
			Centre:  []float32{0.1, 0.2},
			Factors: []float32{0.3, 0, 0.3, 0}, Positive: 1, Bias: 0.7}},
	} {
		f := cancelling(d, c.fn)
		p := predictorOf(t, dev, f)
		differ, of := onDevice(t, p, d).differences(onCPU(f, d))
		if differ > 0 {
			t.Errorf("%s: %d of %d numbers differ", c.name, differ, of)
		}
	}
}

// Sums that overflow, to infinity or to what isn't a number, send rows where they go on the CPU.
func TestOverflow(t *testing.T) {
	dev := openOrSkip(t)
	d := blobs(64, 20, 2, 9)
	r := rand.New(rand.NewPCG(1, 2))
	for _, col := range d.Columns {
		for i := range col {
			col[i] = []float32{3e38, -3e38, 1, 0}[r.IntN(4)]
		}
	}
	for _, terms := range []int{2, 5, 20} {
		fn := forest.Function{Kind: forest.Dense}
		for range terms {
			fn.Weights = append(fn.Weights, []float32{3, -3, 1}[r.IntN(3)])
		}
		f := cancelling(d, fn)
		for i := range f.Trees {
			f.Trees[i].Nodes[0].Value = []float32{-1, 0, 1e38}[i%3]
		}
		for _, dev.planes = range []planesFirst{always, never} {
			if differ, of := onDevice(t, predictorOf(t, dev, f), d).differences(onCPU(f, d)); differ > 0 {
				t.Errorf("%d terms: %d of %d numbers differ", terms, differ, of)
			}
		}
	}
}

// or returns the first error.
func or(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
