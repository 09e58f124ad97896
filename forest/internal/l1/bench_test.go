package l1

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// benchmarkData returns n rows of p features that are correlated with each other, or
// mostly 0, and noisy labels of a plane.
func benchmarkData(n, p int, density float64) (columns [][]float32, labels []int8) {
	rng := rand.New(rand.NewPCG(1, 2))
	columns = make([][]float32, p)
	for j := range columns {
		columns[j] = make([]float32, n)
	}
	w := make([]float64, p)
	for j := range w {
		w[j] = rng.NormFloat64()
	}
	for range n {
		i := len(labels)
		common, v := rng.NormFloat64(), rng.NormFloat64()*math.Sqrt(float64(p)*density)/2
		for j := range columns {
			if density < 1 && rng.Float64() > density {
				continue
			}
			x := rng.NormFloat64() + common
			if density < 1 {
				x = math.Abs(x)
			}
			columns[j][i] = float32(x)
			v += w[j] * x
		}
		labels = append(labels, int8(1-2*b2i(v < 0)))
	}
	return columns, labels
}

// A fit from 0 with the default limits, without and with real weights.
func BenchmarkLogistic(b *testing.B) {
	for _, n := range []int{30, 200, 16000} {
		columns, labels := benchmarkData(n, 16, 1)
		var m Matrix
		setDense(&m, columns)
		b.Run(fmt.Sprintf("dense=%dx16", n), func(b *testing.B) { benchmarkFit(b, &m, labels, nil, 0.01) })
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = 1 + float64(i%7)/10
		}
		b.Run(fmt.Sprintf("weighted=%dx16", n), func(b *testing.B) { benchmarkFit(b, &m, labels, weights, 0.01) })
	}
	b.Run("sparse=50000x784", func(b *testing.B) {
		columns, labels := benchmarkData(50000, 784, 0.2)
		var m Matrix
		setSparse(&m, columns)
		benchmarkFit(b, &m, labels, nil, 1)
	})
}

func benchmarkFit(b *testing.B, m *Matrix, labels []int8, c []float64, penalty float64) {
	var s Solver
	w, penalties := make([]float64, m.p), make([]float64, m.p)
	for j := range penalties {
		penalties[j] = penalty
	}
	var f float64
	b.ReportAllocs()
	for b.Loop() {
		clear(w)
		bias := 0.0
		f = s.Logistic(m, labels, c, penalties, Limits{}, w, &bias)
	}
	b.ReportMetric(f, "objective")
}

// Copying the cells of a fit.
func BenchmarkSetDense(b *testing.B) {
	columns, _ := benchmarkData(16000, 16, 1)
	rng := rand.New(rand.NewPCG(3, 4))
	rows, shift := subset(rng, 16000, 8000), make([]float32, 16)
	var m Matrix
	b.ReportAllocs()
	for b.Loop() {
		m.SetDense(columns, rows, upTo(len(columns)), shift)
	}
}

func BenchmarkSetSparse(b *testing.B) {
	columns, _ := benchmarkData(10000, 784, 0.2)
	s := NewSparse(columns, len(columns[0]))
	rows := subset(rand.New(rand.NewPCG(5, 6)), 10000, 5000)
	var m Matrix
	b.ReportAllocs()
	for b.Loop() {
		m.SetSparse(s, rows, upTo(len(columns)))
	}
}

// A leaf's models: eight classes, and values.
func BenchmarkLeaf(b *testing.B) {
	const n, p, k = 500, 16, 8
	columns, _ := benchmarkData(n, p, 1)
	var m Matrix
	setDense(&m, columns)
	classes, values, penalty := make([]int32, n), make([]float64, n), make([]float64, p)
	for i := range classes {
		values[i] = float64(columns[0][i] + 2*columns[1][i] - columns[2][i]*columns[3][i])
		classes[i] = int32(min(max(4+values[i], 0), k-1))
	}
	for j := range penalty {
		penalty[j] = 0.5
	}
	var s Solver
	w, biases := make([]float64, k*p), make([]float64, k)
	b.Run("softmax=500x16x8", func(b *testing.B) {
		b.ReportAllocs()
		var f float64
		for b.Loop() {
			clear(w)
			clear(biases)
			f = s.Softmax(&m, classes, k, nil, penalty, Limits{}, w, biases)
		}
		b.ReportMetric(f, "objective")
	})
	b.Run("squares=500x16", func(b *testing.B) {
		b.ReportAllocs()
		var f float64
		for b.Loop() {
			clear(w[:p])
			biases[0] = 0
			f = s.LeastSquares(&m, values, nil, penalty[:p], Limits{}, w[:p], &biases[0])
		}
		b.ReportMetric(f, "objective")
	})
}
