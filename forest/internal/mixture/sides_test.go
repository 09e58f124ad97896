package mixture_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/internal/mixture"
)

var shapes = map[godt.Divider]mixture.Shape{
	godt.SharedDiagonal: {Shared: true}, godt.SharedFull: {Shared: true, Full: true},
	godt.SeparateFull: {Full: true}, godt.SeparateDiagonal: {},
}

// A node is rows of training data, with what says how to divide them.
type node struct {
	d  *datasets.Dataset
	n  int // the node has the first n rows
	by godt.Splitting
}

// drawNode draws rows of up to three clouds, with features of different units, and as many others.
func drawNode(rng *rand.Rand) *node {
	n, p := 2+rng.IntN(60), 1+rng.IntN(9)
	unit := math.Pow(10, float64(rng.IntN(3)-1))
	q := &node{n: n, by: godt.Splitting{Divider: godt.Divider(rng.IntN(len(shapes)))}}
	if rng.IntN(2) == 0 {
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
	q.d = &datasets.Dataset{
		Features: make([]datasets.Feature, p), Columns: make([][]float32, p), Classes: []string{"a", "b"},
	}
	for i := range 2 * n {
		common, c := rng.NormFloat64(), rng.IntN(len(centres))
		for k := range p {
			v := rng.NormFloat64()*(1+float64(k%3)) + common + centres[c][k] + offset
			q.d.Columns[k] = append(q.d.Columns[k], float32(unit*v))
		}
		q.d.Labels = append(q.d.Labels, int32(i%2))
		w := []float64{1, float64(1 + rng.IntN(3)), 0.1 + rng.Float64()}[weighted]
		q.d.Weights = append(q.d.Weights, float32(w))
	}
	return q
}

// logDensities fits the mixture of a node as textbooks do, and returns the logarithms of each row's densities. It
// starts from the means that the thesis starts from.
func (q *node) logDensities(t *testing.T, rounds int) (log [][2]float64) {
	p, beta := q.d.P(), q.by.Beta
	weight := make([]float64, q.n)
	for i := range weight {
		weight[i] = float64(q.d.Weights[i])
	}
	var r mixture.Rows
	r.Reset(weight, p)
	axis, along, means := make([]float64, p), make([]float64, q.n), [2][]float64{make([]float64, p), make([]float64, p)}
	for _, column := range q.d.Columns {
		r.Add([][]float32{column[:q.n]})
	}
	r.Ready()
	r.FirstAxis(axis)
	r.Project(along, axis)
	at, ok := r.Median(along)
	if !ok || !r.Centroids(means[0], means[1], axis, at) || !r.KMeans(means[0], means[1]) {
		t.Fatal("no start")
	}
	x := make([][]float64, q.n)
	for k, column := range q.d.Columns {
		unit := 1.0
		if q.by.RelativeBeta > 0 {
			unit, beta = q.deviation(k), q.by.RelativeBeta
		}
		for j := range means {
			means[j][k] = (means[j][k] + r.Mean()[k]) / unit
		}
		for i := range x {
			x[i] = append(x[i], float64(column[i])/unit)
		}
	}
	m := mixture.FitTextbook(x, weight, means, shapes[q.by.Divider], beta, rounds)
	if m == nil {
		t.Fatal("the textbook's covariance is singular")
	}
	for _, row := range x {
		log = append(log, m.LogDensities(row))
	}
	return log
}

// deviation returns the standard deviation of a feature in all rows of the data.
func (q *node) deviation(feature int) float64 {
	var total, mean, squares float64
	for i, v := range q.d.Columns[feature] {
		w := float64(q.d.Weights[i])
		total += w
		mean += w * float64(v)
	}
	mean /= total
	for i, v := range q.d.Columns[feature] {
		squares += float64(q.d.Weights[i]) * (float64(v) - mean) * (float64(v) - mean)
	}
	return math.Sqrt(squares / total)
}

// GODT sends every row to the side of the component that more likely made it, as other arithmetic finds it, unless
// rounding decides: the split function's numbers are float32s.
func TestSidesAreThoseOfTheLargerPosterior(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows, nodes, rounded := 0, 0, 0
	for range 1000 {
		q := drawNode(rng)
		of := make([]int32, q.n)
		for i := range of {
			of[i] = int32(i)
		}
		m, err := q.by.Mixture(q.d, of, 1)
		if err != nil {
			continue // counted below
		}
		nodes++
		x := make([]float32, q.d.P())
		for i, l := range q.logDensities(t, m.Rounds) {
			rows++
			odds := l[0] - l[1]
			left := m.Split.Value(q.d.Row(x, i)) <= m.Threshold
			if left == (odds >= 0) {
				continue
			}
			rounded++
			if math.Abs(odds) > 1e-4*(1+math.Abs(l[0])+math.Abs(l[1])) {
				t.Errorf("%+v, %d×%d: row %d with log odds %v goes left: %v", q.by, q.n, len(x), i, odds, left)
			}
		}
	}
	t.Logf("%d nodes, %d rows; rounding moved %d rows", nodes, rows, rounded)
	if nodes < 990 || float64(rounded) > 1e-4*float64(rows) {
		t.Errorf("%d of 1000 nodes were divided, and rounding moved %d of %d rows", nodes, rounded, rows)
	}
}
