package godt

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

var hostileNodes = flag.Int("godt.hostile", 1000, "how many nodes TestHostileNodes draws")

// A node is what a fitter divides.
type node struct {
	columns [][]float32
	weight  []float64
	by      Splitting
	scale   []float64 // as newSource takes it
}

func (q *node) fitter() *fitter {
	f := new(fitter)
	f.begin(q.weight, len(q.columns))
	f.rows.Add(q.columns)
	for k := range q.columns {
		f.features = append(f.features, int32(k))
	}
	f.rows.Ready()
	return f
}

// K-means++: of rows 0, 0, 1 and 3 the second mean is never 0 after a first of 0; squared distances of 1 and 9 have the
// probabilities 0.1 and 0.9. 10,000 draws have a standard error of 0.003.
func TestFarRow(t *testing.T) {
	q := node{columns: [][]float32{{0, 0, 1, 3}}, weight: []float64{1, 1, 1, 1}}
	f, rng, drawn := q.fitter(), forest.NewRand(1, 2, 3), [4]float64{}
	f.mean1, f.t = slices.Clone(f.rows.Row(0)), make([]float64, 4)
	for range 10_000 {
		drawn[f.farRow(&rng)] += 1e-4
	}
	if drawn[0]+drawn[1] > 0 || math.Abs(drawn[3]-0.9) > 0.012 {
		t.Errorf("drawn with %v, want 0, 0, 0.1 and 0.9", drawn)
	}
}

// Nodes of any kind of cells are divided or not, but never by numbers that aren't finite.
func TestHostileNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	divided := 0
	for range *hostileNodes {
		n, p := 1+rng.IntN(12), 1+rng.IntN(12)
		q := &node{columns: make([][]float32, p)}
		q.by.Divider = Divider(rng.IntN(int(dividers)))
		q.by.Start = []Start{PrincipalAxis, RandomRows, PlusPlus}[rng.IntN(3)]
		q.by.Beta = []float64{0, 1e-4, 1, 1e300}[rng.IntN(4)]
		q.by.RelativeBeta = []float64{0.01, 0, 1e10}[rng.IntN(3)]
		if rng.IntN(2) == 0 {
			q.scale = make([]float64, p)
		}
		for range n {
			q.weight = append(q.weight, []float64{1, 1, 3, 1e-30, 1e30}[rng.IntN(5)])
		}
		for k := range q.columns {
			unit := float32(math.Pow(10, float64(rng.IntN(84)-45)))
			values := 1 + rng.IntN(20)
			offset := []float32{0, 0, 1, 1e6}[rng.IntN(4)]
			for range n {
				v := unit * (float32(rng.IntN(values)-values/2)/float32(values) + offset)
				q.columns[k] = append(q.columns[k], max(-math.MaxFloat32, min(math.MaxFloat32, v)))
			}
			if k > 0 && rng.IntN(3) == 0 {
				q.columns[k] = q.columns[rng.IntN(k)] // twice
			}
		}
		// as source does: no constant columns; and the scale of columns that aren't constant isn't 0
		q.columns = slices.DeleteFunc(q.columns, grow.Constant)
		for k, column := range q.columns {
			if q.scale != nil {
				q.scale[k] = float64(slices.Max(column)) - float64(slices.Min(column))
			}
		}
		f := q.fitter()
		seeded := forest.NewRand(rng.Uint64())
		if !f.divide(q.by, q.scale, &seeded) {
			continue
		}
		divided++
		for _, numbers := range [][]float32{f.fn.Weights, f.fn.Q, f.fn.Factors, f.fn.Centre, {f.fn.Bias, f.threshold}} {
			if !finite(numbers) {
				t.Fatalf("%+v: function %+v, threshold %v", q, f.fn, f.threshold)
			}
		}
	}
	if divided < *hostileNodes/4 {
		t.Errorf("%d of %d nodes were divided", divided, *hostileNodes)
	}
	t.Logf("%d of %d nodes were divided", divided, *hostileNodes)
}
