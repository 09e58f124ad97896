package sporf

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Along x1 the means are ±1, so the error is Φ(−1) = 0.158655; along x4 they are ±1/2. Along x1 + x2 they are
// ±(1 + 1/√2)/√2 = ±1.2071, Φ(−1.2071) = 0.113696; along x1 − x2 ±0.2071, Φ(−0.2071) = 0.417963.
func TestTrunkBayes(t *testing.T) {
	for _, c := range []struct {
		index   []int32
		weights []float32
		want    float64
	}{{[]int32{0}, []float32{1}, 0.158655}, {[]int32{3}, []float32{1}, 0.308538},
		{[]int32{0, 1}, []float32{1, 1}, 0.113696}, {[]int32{0, 1}, []float32{1, -1}, 0.417963}} {
		if got := trunkBayes(forest.Projection{Index: c.index, Weights: c.weights}); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("Bayes error along %v %v is %v; want %v", c.index, c.weights, got, c.want)
		}
	}
}

// 200,000 numbers: the mean has a standard error of 0.0022, the mean square of 0.0032, and the mean product of
// neighbours of 0.0022.
func TestNoisyKeepsTheDataAndAddsNormalColumns(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{make([]float32, 2000)},
		Labels: make([]int32, 2), Rows: []int32{7, 9}, Classes: []string{"a"}}
	wide := noisy(d, 100, 1)
	if d.P() != 1 || wide.P() != 101 || wide.N() != 2 || wide.Check() != nil {
		t.Fatalf("%d features became %d, with %d rows; %v", d.P(), wide.P(), wide.N(), wide.Check())
	}
	var sum, squares, product float64
	for k, column := range wide.Columns[1:] {
		for i, v := range column {
			sum += float64(v) / 200_000
			squares += float64(v) * float64(v) / 200_000
			product += float64(v) * float64(wide.Columns[1+(k+1)%100][i]) / 200_000
		}
	}
	if math.Abs(sum) > 0.01 || math.Abs(squares-1) > 0.015 || math.Abs(product) > 0.01 {
		t.Errorf("mean %v, mean square %v, mean product of neighbours %v", sum, squares, product)
	}
	if again := noisy(d, 100, 1); again.Columns[50][3] != wide.Columns[50][3] {
		t.Error("the same seed gave other noise")
	}
}

// Training and test rows of a fold must have columns in common, or noise would differ between them.
func TestFoldsShareColumns(t *testing.T) {
	of := trial.Trial{Run: paper.Run{Problem: "wine", Repeat: 1}}
	if err := trial.Partitioned(t.Context(), &of); err != nil {
		t.Skip("no data at hand: ", err)
	}
	if &of.Train.Columns[0][0] != &of.Test.Columns[0][0] {
		t.Error("training and test rows have columns of their own")
	}
}
