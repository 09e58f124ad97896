package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A table is drawn columns of cells with features to combine and rows to ask for.
type table struct {
	columns  [][]float32
	codes    [][]byte
	features []int32
	weights  []float32
	q        []float32
	bias     float32
	rows     []int32

	centre, factors []float32
	positive        int
}

// drawTable draws numbers that need rounding, of sizes from 2⁻²⁰ to 2²⁰, some of
// them 0, and k features.
func drawTable(t *rapid.T, least, most int) *table {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	k := rapid.IntRange(least, most).Draw(t, "features")
	p := k + rapid.IntRange(max(0, 1-k), 3).Draw(t, "other features")
	n := rapid.IntRange(1, 30).Draw(t, "cells")
	number := func() float32 {
		if rng.IntN(8) == 0 {
			return float32(rng.IntN(3) - 1)
		}
		return float32(math.Ldexp(rng.NormFloat64(), rng.IntN(41)-20))
	}
	s := &table{bias: number()}
	for range p {
		col, codes := make([]float32, n), make([]byte, n)
		for i := range col {
			col[i], codes[i] = number(), byte(rng.IntN(256))
		}
		s.columns, s.codes = append(s.columns, col), append(s.codes, codes)
	}
	for _, j := range rng.Perm(p)[:k] {
		s.features = append(s.features, int32(j))
	}
	slices.Sort(s.features)
	for range k {
		s.weights = append(s.weights, number())
	}
	if k == 1 && rng.IntN(2) == 0 {
		s.weights[0] = 1
	}
	for range k * (k + 1) / 2 {
		s.q = append(s.q, number())
	}
	for range rapid.IntRange(0, 20).Draw(t, "rows") {
		s.rows = append(s.rows, int32(rng.IntN(n)))
	}
	rank := 0
	if k > 0 {
		rank = rng.IntN(10)
	}
	for range k {
		s.centre = append(s.centre, number())
	}
	for range rank * k {
		s.factors = append(s.factors, number())
	}
	s.positive = rng.IntN(rank + 1)
	return s
}

// normals returns n normal numbers.
func normals(rng *rand.Rand, n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = float32(rng.NormFloat64())
	}
	return all
}

// row returns cells of one row.
func row[T float32 | byte](columns [][]T, r int32) []float32 {
	x := make([]float32, len(columns))
	for j, col := range columns {
		x[j] = float32(col[r])
	}
	return x
}

// rounded returns the float32 that is nearest to v.
func rounded(v *big.Float) float32 {
	f, _ := v.Float32()
	return f
}

func exact(v float32) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(float64(v)) }

// linearByDefinition rounds each product and each sum of exact numbers.
func linearByDefinition(x []float32, features []int32, weights []float32) float32 {
	var sum float32
	for i, j := range features {
		product := rounded(new(big.Float).Mul(exact(weights[i]), exact(x[j])))
		if i == 0 {
			sum = product
			continue
		}
		sum = rounded(new(big.Float).Add(exact(sum), exact(product)))
	}
	return sum
}

func TestLinearIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTable(t, 0, 9)
		for _, r := range s.rows {
			x := row(s.columns, r)
			if got, want := Linear(x, s.features, s.weights), linearByDefinition(x, s.features, s.weights); got != want {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	})
	if got := Linear([]float32{5}, nil, nil); got != 0 {
		t.Errorf("a sum of nothing is %v", got)
	}
	// 16777216 + 1 rounds to itself, so the order of terms is seen in the sum.
	if got := Linear([]float32{1 << 24, 1, 1, -1 << 24}, []int32{0, 1, 2, 3}, []float32{1, 1, 1, 1}); got != 0 {
		t.Errorf("from left to right the sum is %v, want 0", got)
	}
	if got := Linear([]float32{1 << 24, 1, 1, -1 << 24}, []int32{0, 1, 2}, []float32{-1, 1, 1}); got != -1<<24+2 {
		t.Errorf("from left to right the sum is %v, want −2²⁴ + 2", got)
	}
}

// quadraticByDefinition rounds exact products to float64 after each sum.
func quadraticByDefinition(x []float32, features []int32, q, w []float32, bias float32) float32 {
	v := float64(bias)
	next := 0
	for i, f := range features {
		inner := exact(w[i])
		for j := 0; j <= i; j++ {
			inner.Add(inner, new(big.Float).SetPrec(400).Mul(exact(q[next]), exact(x[features[j]])))
			sum, _ := inner.Float64()
			inner = new(big.Float).SetPrec(400).SetFloat64(sum)
			next++
		}
		product, _ := inner.Mul(inner, exact(x[f])).Float64()
		v += product
	}
	return float32(v)
}

func TestQuadraticIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTable(t, 0, 7)
		for _, r := range s.rows {
			x := row(s.columns, r)
			got, want := Quadratic(x, s.features, s.q, s.weights, s.bias),
				quadraticByDefinition(x, s.features, s.q, s.weights, s.bias)
			if got != want {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	})
	// 2 + 3·x + 5·y + 7·x² + 11·x·y + 13·y² at x = 2, y = −3.
	if got := Quadratic([]float32{2, 9, -3}, []int32{0, 2}, []float32{7, 11, 13}, []float32{3, 5},
		2); got != 2+6-15+28-66+117 {
		t.Errorf("%v, want 72", got)
	}
}

func BenchmarkProject(b *testing.B) {
	const n, p = 1000, 32
	rng := rand.New(rand.NewPCG(1, 2))
	columns, rows := make([][]float32, p), make([]int32, n)
	features, weights := make([]int32, p), normals(rng, p)
	for j := range p {
		columns[j], features[j] = normals(rng, n), int32(j)
	}
	for i := range rows {
		rows[i] = int32(rng.IntN(n))
	}
	for _, k := range []int{1, 3, 9, 32} {
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			values := make([]float32, n)
			for b.Loop() {
				Project(values, columns, rows, features[:k], weights[:k])
			}
		})
	}
}

// Projections of columns of cells and of bytes are what the plain forms return for each row, bit for bit, and the
// memory after the values isn't written.
func TestProjections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := 12
		if rapid.IntRange(0, 19).Draw(t, "wide") == 0 {
			most = 270 // more than fit on the stack
		}
		s := drawTable(t, 1, most)
		checkProjections(t, s, s.columns)
		checkProjections(t, s, s.codes)
	})
}

func checkProjections[T float32 | byte](t *rapid.T, s *table, columns [][]T) {
	room := make([]float32, len(s.rows)+1)
	values := room[:len(s.rows)]
	for form, c := range map[string]struct {
		project func()
		plain   func(x []float32) float32
	}{
		"linear": {func() { Project(values, columns, s.rows, s.features, s.weights) },
			func(x []float32) float32 { return Linear(x, s.features, s.weights) }},
		"quadratic": {func() { ProjectQuadratic(values, columns, s.rows, s.features, s.q, s.weights, s.bias) },
			func(x []float32) float32 { return Quadratic(x, s.features, s.q, s.weights, s.bias) }},
		"low rank": {func() {
			ProjectLowRank(values, columns, s.rows, s.features, s.centre, s.weights, s.factors, s.positive, s.bias)
		}, s.lowRank},
	} {
		room[len(s.rows)] = -77
		c.project()
		for i, r := range s.rows {
			if want := c.plain(row(columns, r)); !same(values[i], want) {
				t.Fatalf("%s, row %d: %v, want %v", form, i, values[i], want)
			}
		}
		if room[len(s.rows)] != -77 {
			t.Fatalf("%s: wrote behind the last row", form)
		}
	}
}

// same compares bits, so that 0 and −0 differ.
func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

func TestAddScoreIsExactBeforeItIsAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTable(t, 1, 1)
		rows := make([]uint16, len(s.rows))
		sums, want := make([]float64, len(rows)), make([]float64, len(rows))
		for k, r := range s.rows {
			rows[k] = uint16(r)
			sums[k] = float64(k) / 3
			product := new(big.Float).SetPrec(400).Mul(exact(s.weights[0]), exact(s.columns[0][r]))
			want[k], _ = product.Add(product, new(big.Float).SetFloat64(sums[k])).Float64()
		}
		AddScore(sums, rows, s.columns[0], s.weights[0])
		if !slices.Equal(sums, want) {
			t.Fatalf("%v, want %v", sums, want)
		}
	})
}
