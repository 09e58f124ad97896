package shap

import (
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
	moved  []float64 // c by feature, and then the share
	spread []float64 // v by feature
	means  []float64 // of the reference, by feature
	factor []float64 // of a linear function: its weights; of a quadratic one: its gradient
	twice  []float64 // of a quadratic function: the sum of row and mean
	cells  [][]float32
	all    []float64 // shares by feature and row
}

// resize makes room for a number of features.
func (s *sharing) resize(features int) {
	for _, b := range []*[]float64{&s.moved, &s.spread, &s.means, &s.factor, &s.twice} {
		*b = slices.Grow((*b)[:0], features)[:features]
	}
	s.cells = slices.Grow(s.cells[:0], features)[:features]
}

// function returns the shares of a function's features in its value, by feature and row, for the first n rows of the
// columns.
func (s *sharing) function(who *player, fn *forest.Function, columns [][]float32, n int, means, variances []float64) []float64 {
	k := len(fn.Features)
	s.resize(k)
	s.all = slices.Grow(s.all[:0], k*n)[:k*n]
	for i, j := range fn.Features {
		s.cells[i], s.means[i], s.factor[i] = columns[j], means[j], float64(fn.Weights[i])
		s.spread[i] = s.factor[i] * s.factor[i] * variances[j]
	}
	if !fn.Kind.Linear() {
		copy(s.spread, who.spread)
	}
	for r := range n {
		if !fn.Kind.Linear() {
			for i, cells := range s.cells {
				s.twice[i] = float64(cells[r]) + s.means[i]
			}
			gradient(s.factor, fn, s.twice)
		}
		for i, cells := range s.cells {
			s.moved[i] = s.factor[i] * (float64(cells[r]) - s.means[i])
		}
		s.share()
		for i, share := range s.moved {
			s.all[i*n+r] = share
		}
	}
	return s.all
}

// share turns s.moved into shares. If nothing moved and nothing varies, the features share equally.
func (s *sharing) share() {
	moved, spread := s.moved, s.spread[:len(s.moved)]
	sum, square := 0.0, 0.0
	for i, c := range moved {
		sum += c
		square += spread[i]
	}
	square += float64(sum * sum)
	if square == 0 {
		for i := range moved {
			moved[i] = 1 / float64(len(moved))
		}
		return
	}
	inverse := 1 / square
	for i, c := range moved {
		moved[i] = (float64(c*sum) + spread[i]) * inverse
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
			sum += 2 * s * s * variances[b]
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
