package godt

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/mixture/textbook"
)

var hostileNodes = flag.Int("godt.hostile", 1000, "how many nodes TestHostileNodes draws")

// A node is what a fitter divides.
type node struct {
	columns [][]float32
	weight  []float64
	by      Splitting
	scale   []float64 // as newSource takes it
}

// drawNode draws rows of up to three clouds, with features of different units.
func drawNode(rng *rand.Rand) *node {
	n, p := 2+rng.IntN(60), 1+rng.IntN(9)
	q := &node{columns: make([][]float32, p)}
	q.by.Divider = []Divider{SharedDiagonal, SharedFull, SeparateFull, SeparateDiagonal}[rng.IntN(4)]
	relative, unit := rng.IntN(2) == 0, math.Pow(10, float64(rng.IntN(3)-1))
	if relative {
		q.by.RelativeBeta = 0.01
	} else {
		q.by.Beta = unit * unit * []float64{1e-4, 1e-2}[rng.IntN(2)]
	}
	weighted := rng.IntN(3)
	centres := make([][]float64, 1+rng.IntN(3))
	for c := range centres {
		for range p {
			centres[c] = append(centres[c], 3*rng.NormFloat64())
		}
	}
	offset := []float64{0, 10, 100, 10_000}[rng.IntN(4)]
	for range n {
		common, c := rng.NormFloat64(), rng.IntN(len(centres))
		for k := range q.columns {
			q.columns[k] = append(q.columns[k], float32(unit*(rng.NormFloat64()*(1+float64(k%3))+common+centres[c][k]+offset)))
		}
		q.weight = append(q.weight, []float64{1, float64(1 + rng.IntN(3)), 0.1 + rng.Float64()}[weighted])
	}
	if relative {
		for range p {
			q.scale = append(q.scale, unit*(1+3*rng.Float64()))
		}
	}
	return q
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

// textbook fits the same mixture from the same start by other arithmetic. It returns the log
// densities of each row.
func (q *node) textbook(t *testing.T, rounds int) (logDensities [][2]float64) {
	f := q.fitter()
	p := len(q.columns)
	f.weights, f.mean1, f.mean2 = make([]float64, p), make([]float64, p), make([]float64, p)
	f.t = make([]float64, len(q.weight))
	if !f.start(PrincipalAxis, nil) {
		t.Fatal("no start")
	}
	x := make([][]float64, len(q.weight))
	means := [2][]float64{f.mean1, f.mean2}
	beta := q.by.Beta
	for k, column := range q.columns {
		unit := 1.0
		if q.scale != nil {
			unit, beta = q.scale[k], q.by.RelativeBeta
		}
		for j := range means {
			means[j][k] = (means[j][k] + f.rows.Mean()[k]) / unit
		}
		for i, v := range column {
			x[i] = append(x[i], float64(v)/unit)
		}
	}
	shape := map[Divider]textbook.Shape{
		SharedDiagonal: {Shared: true}, SharedFull: {Shared: true, Full: true}, SeparateFull: {Full: true}, SeparateDiagonal: {},
	}[q.by.Divider]
	m := textbook.Fit(x, q.weight, means, shape, beta, rounds)
	if m == nil {
		t.Fatal("the textbook's covariance is singular")
	}
	for _, row := range x {
		logDensities = append(logDensities, m.LogDensities(row))
	}
	return logDensities
}

// Every row goes to the side of the component that more likely made it, as other arithmetic finds it,
// unless rounding decides: the function's numbers are float32s.
func TestSidesAreThoseOfTheLargerPosterior(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows, nodes, rounded := 0, 0, 0
	for range 1000 {
		q := drawNode(rng)
		f := q.fitter()
		if !f.divide(q.by, q.scale, nil) {
			continue // counted below
		}
		nodes++
		rounds := f.linear.Rounds + f.quadratic.Rounds // of which one is 0
		x := make([]float32, len(q.columns))
		for i, l := range q.textbook(t, rounds) {
			for k, column := range q.columns {
				x[k] = column[i]
			}
			rows++
			odds := l[0] - l[1]
			left := f.fn.Value(x) <= f.threshold
			if left == (odds >= 0) {
				continue
			}
			rounded++
			if math.Abs(odds) > 1e-4*(1+math.Abs(l[0])+math.Abs(l[1])) {
				t.Errorf("%+v, %d×%d: row %d with log odds %v goes left: %v", q.by, len(q.weight), len(x), i, odds, left)
			}
		}
	}
	t.Logf("%d nodes, %d rows; rounding moved %d rows", nodes, rows, rounded)
	if nodes < 990 || float64(rounded) > 1e-4*float64(rows) {
		t.Errorf("%d of 1000 nodes were divided, and rounding moved %d of %d rows", nodes, rounded, rows)
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
		q.by.Start = []Start{PrincipalAxis, RandomRows}[rng.IntN(2)]
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
