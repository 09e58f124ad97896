package forest

import (
	"fmt"
	"math"
	"strings"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// MaxLowRank is the largest number of features, and of squares, of a LowRank function.
const MaxLowRank = 1<<rankShift - 1

// rank returns the number of squares of a LowRank.
func (fn *Function) rank() int {
	if len(fn.Features) == 0 {
		return 0
	}
	return len(fn.Factors) / len(fn.Features)
}

// checkSquares panics if a LowRank's lengths don't fit together or are too large.
func (fn *Function) checkSquares() {
	k, r := len(fn.Weights), fn.rank()
	if len(fn.Features) != k || len(fn.Centre) != k || len(fn.Factors) != r*k || fn.Positive < 0 || fn.Positive > r {
		panic(fmt.Sprintf("forest: a LowRank of %d features, %d weights, %d numbers of Centre and %d of Factors, %d rows "+
			"positive", len(fn.Features), k, len(fn.Centre), len(fn.Factors), fn.Positive))
	}
	if k > MaxLowRank || r > MaxLowRank {
		panic(fmt.Sprintf("forest: a LowRank of %d features and %d squares; want at most %d of each", k, r, MaxLowRank))
	}
}

// lowRank returns a LowRank's values of some rows of the block.
func (w *walker) lowRank(fn *Function, rows []uint16) []float32 {
	z := resized(&w.centred, len(fn.Features))
	values := w.sums[:len(rows)]
	var four [4]float32
	for lo := 0; lo < len(rows); lo += 4 {
		group := rows[lo:min(lo+4, len(rows))]
		for i, j := range fn.Features {
			col, c := w.slanted(j), float64(fn.Centre[i])
			for k, r := range group {
				z[i][k] = float64(col[r]) - c
			}
		}
		kernel.LowRank4(&four, z, fn.Weights, fn.Factors, fn.Positive, fn.Bias)
		copy(values[lo:], four[:len(group)])
	}
	return values
}

// addSquares adds the coefficients of a LowRank's squares to the magnitudes of the features: the square of row u has
// the products u[i]·u[j], for all j.
func (fn *Function) addSquares(magnitude []float64) {
	for r := range fn.rank() {
		u := fn.Factors[r*len(magnitude):][:len(magnitude)]
		sum := 0.0
		for _, a := range u {
			sum += math.Abs(float64(a))
		}
		for i, a := range u {
			magnitude[i] += float64(math.Abs(float64(a)) * sum)
		}
	}
}

// squares yields a LowRank's squares of sums. It returns false if yield did.
func (fn *Function) squares(names []string, digits int, yield func(float64, string) bool) bool {
	for r := range fn.rank() {
		sign := 1.
		if r >= fn.Positive {
			sign = -1
		}
		if sum := fn.formatRow(r, names, digits); sum != "" && !yield(sign, "("+sum+")²") {
			return false
		}
	}
	return true
}

// rowTerms is how many terms of a sum in a square are written out if it has at least two
// more.
const rowTerms = 4

// formatRow formats row r of a LowRank's Factors as the sum whose square is a term, with
// the sign that makes its first term positive. It is empty if the row is 0.
func (fn *Function) formatRow(r int, names []string, digits int) string {
	var coefficients []float64
	var products []string
	add := func(c float64, product string) {
		if c != 0 {
			coefficients, products = append(coefficients, c), append(products, product)
		}
	}
	constant := 0.0
	k := len(fn.Features)
	for i, a := range fn.Factors[r*k:][:k] {
		add(float64(a), featureName(names, fn.Features[i]))
		constant -= float64(float64(a) * float64(fn.Centre[i]))
	}
	add(constant, "")
	n := len(coefficients)
	if n == 0 {
		return ""
	}
	sign, shown := math.Copysign(1, coefficients[0]), n
	if n > rowTerms+1 {
		shown = rowTerms
	}
	var terms []string
	for i, c := range coefficients[:shown] {
		terms = append(terms, formatTerm(sign*c, products[i], i == 0, digits))
	}
	if shown < n {
		terms = append(terms, fmt.Sprintf("+ … (%d terms)", n))
	}
	return strings.Join(terms, " ")
}

// checkPositive returns an error if the function is a LowRank and the last of numbers isn't
// its Positive, from 0 to the rank, or if it has squares of no features.
func (s stored) checkPositive(numbers []float32) error {
	if s.kind() != LowRank {
		return nil
	}
	r, positive := s.rank(), numbers[len(numbers)-1]
	if r > 0 && s.size() == 0 {
		return fmt.Errorf("has %d squares of no features", r)
	}
	if !(positive >= 0 && positive <= float32(r)) ||
		math.Float32bits(positive) != math.Float32bits(float32(int(positive))) {
		return fmt.Errorf("has %v positive squares; want a whole number from 0 to %d", positive, r)
	}
	return nil
}
