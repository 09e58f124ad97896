package shap

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// newPlayer returns the player of a split function, which node i has.
func newPlayer(fn *forest.Function, i int, means, variances []float64) player {
	p := player{feature: single(fn), node: int32(i)}
	if p.feature < 0 && means != nil && !fn.Kind.Linear() {
		p.spread = quadraticSpread(fn, means, variances)
	}
	return p
}

// A sharing computes the shares of the features of a function, which the package comment describes. Its
// memory is used again for other functions.
type sharing struct {
	parts  []float64 // c by feature and row, and then the share
	spread []float64 // v by feature
	sums   []float64 // C by row, and then 1/(C² + Σ v)
	slope  []float64 // of a quadratic function: its gradient
	twice  []float64 // the sum of row and mean, by feature
}

// resize makes room for functions of so many features, and rows.
func (s *sharing) resize(features, rows int) {
	s.parts = slices.Grow(s.parts[:0], features*rows)[:features*rows]
	s.spread = slices.Grow(s.spread[:0], features)[:features]
	s.sums = slices.Grow(s.sums[:0], rows)[:rows]
}

// function returns the shares of a function's features in its value, by feature and row, for the first n rows of the
// columns.
func (s *sharing) function(who *player, fn *forest.Function, columns [][]float32, n int,
	means, variances []float64) []float64 {
	s.resize(len(fn.Features), n)
	if !fn.Kind.Linear() {
		s.quadratic(fn, columns, n, means)
		copy(s.spread, who.spread)
	} else {
		for i, j := range fn.Features {
			w, mean := float64(fn.Weights[i]), means[j]
			parts := s.parts[i*n:][:n]
			for r, x := range columns[j][:n] {
				parts[r] = w * (float64(x) - mean)
			}
			s.spread[i] = w * w * variances[j]
		}
	}
	s.share()
	return s.parts
}

// quadratic sets s.parts for a quadratic function.
func (s *sharing) quadratic(fn *forest.Function, columns [][]float32, n int, means []float64) {
	k := len(fn.Features)
	s.slope, s.twice = slices.Grow(s.slope[:0], k)[:k], slices.Grow(s.twice[:0], k)[:k]
	for r := range n {
		for i, j := range fn.Features {
			s.twice[i] = float64(columns[j][r]) + means[j]
		}
		gradient(s.slope, fn, s.twice)
		for i, j := range fn.Features {
			s.parts[i*n+r] = s.slope[i] * (float64(columns[j][r]) - means[j])
		}
	}
}

// share turns s.parts into shares. If nothing moved and nothing varies, the features share equally.
func (s *sharing) share() {
	n, variance := len(s.sums), 0.0
	clear(s.sums)
	for i, v := range s.spread {
		variance += v
		for r, c := range s.parts[i*n:][:n] {
			s.sums[r] += c
		}
	}
	for i, v := range s.spread {
		parts := s.parts[i*n:][:n]
		for r, sum := range s.sums {
			parts[r] = float64(parts[r]*sum) + v
		}
	}
	for r, sum := range s.sums {
		s.sums[r] = 1 / (float64(sum*sum) + variance)
	}
	for i := range s.spread {
		parts := s.parts[i*n:][:n]
		for r, inverse := range s.sums {
			if math.IsInf(inverse, 1) {
				parts[r] = 1 / float64(len(s.spread))
				continue
			}
			parts[r] *= inverse
		}
	}
}

// gradient writes the gradient of a quadratic function to dst, by its features. twice has the point's
// coordinates times 2, by feature, and is overwritten. The function's difference between two points is the
// gradient halfway between them times their difference.
func gradient(dst []float64, fn *forest.Function, twice []float64) {
	k := len(dst)
	for i, w := range fn.Weights {
		dst[i] = float64(w)
	}
	if fn.Kind == forest.LowRank {
		for i, c := range fn.Centre {
			twice[i] -= 2 * float64(c)
		}
		for r := range len(fn.Factors) / max(1, k) {
			u, dot := fn.Factors[r*k:(r+1)*k], 0.0
			for i, a := range u {
				dot += float64(float64(a) * twice[i])
			}
			if r >= fn.Positive {
				dot = -dot
			}
			for i, a := range u {
				dst[i] += float64(float64(a) * dot)
			}
		}
		return
	}
	at := 0
	for i := range k {
		for j := range i {
			half := float64(fn.Q[at]) / 2
			dst[i] += float64(half * twice[j])
			dst[j] += float64(half * twice[i])
			at++
		}
		dst[i] += float64(float64(fn.Q[at]) * twice[i])
		at++
	}
}

// quadraticSpread returns v of a quadratic function of independent normal features: what each of them adds to
// its variance. With z the difference from the means, g the gradient there and S the symmetric matrix, the
// function is a constant + g·z + zᵀSz, and its variance Σ g[i]²·s[i] + 2·Σ S[i,j]²·s[i]·s[j], where s are the
// variances.
func quadraticSpread(fn *forest.Function, means, variances []float64) []float64 {
	k := len(fn.Features)
	v, twice := make([]float64, k), make([]float64, k)
	for i, j := range fn.Features {
		twice[i] = 2 * means[j]
	}
	gradient(v, fn, twice)
	for i, a := range fn.Features {
		sum := v[i] * v[i]
		for j, b := range fn.Features {
			s := symmetric(fn, i, j)
			sum += float64(2 * s * s * variances[b])
		}
		v[i] = sum * variances[a]
	}
	return v
}

// symmetric returns element (i, j) of the symmetric matrix of a quadratic function.
func symmetric(fn *forest.Function, i, j int) float64 {
	if fn.Kind == forest.LowRank {
		k, sum := len(fn.Features), 0.0
		for r := range len(fn.Factors) / k {
			square := float64(fn.Factors[r*k+i]) * float64(fn.Factors[r*k+j])
			if r >= fn.Positive {
				square = -square
			}
			sum += square
		}
		return sum
	}
	if i == j {
		return float64(fn.Q[i*(i+1)/2+i])
	}
	i, j = max(i, j), min(i, j)
	return float64(fn.Q[i*(i+1)/2+j]) / 2
}
