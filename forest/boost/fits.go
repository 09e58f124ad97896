package boost

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// mostFitted is the largest number of features of a sum whose weights are fitted.
const mostFitted = 8

// ridge is added to the squares of standardised features in a fit.
const ridge = 0.01

// fitRows is the largest number of a node's rows that weights are fitted by, evenly spaced.
const fitRows = 250

// fits has what weights of sums are fitted by in a node: features and targets of rows, less their means and multiplied
// by the roots of the rows' weights.
type fits struct {
	rows           []int32
	total          total
	roots, targets []float64   // by row
	features       [][]float64 // by feature and row, of those that a sum to fit has
	centred        []bool      // by feature
	scales, slopes []float64   // by feature: 1 / its norm, or 0 if that is 0, and its product with the targets
}

// standardise prepares fits of the drawn sums in the node.
func (g *grower) standardise() {
	f, drawn := &g.fits, g.node.drawn
	f.rows, f.total = f.rows[:0], total{}
	for i := 0; i < len(drawn); i += (len(drawn) + fitRows - 1) / fitRows {
		f.rows = append(f.rows, drawn[i])
		f.total.take(&g.steps[drawn[i]])
	}
	f.roots, f.targets = grow.Sized(f.roots, len(f.rows)), grow.Sized(f.targets, len(f.rows))
	mean := f.total.gradient / f.total.weight
	for i, r := range f.rows {
		s := &g.steps[r]
		f.roots[i], f.targets[i] = math.Sqrt(s.weight), 0
		if s.weight > 0 {
			f.targets[i] = s.gradient/f.roots[i] - float64(mean*f.roots[i])
		}
	}
	if f.features == nil {
		p := len(g.columns) // of which categorical ones have none
		f.features, f.scales, f.slopes = make([][]float64, p), make([]float64, p), make([]float64, p)
		f.centred = make([]bool, p)
	}
	clear(f.centred)
	for k := range g.sums {
		if !g.fitted(k) {
			continue
		}
		for _, j := range g.sums[k].Features {
			if !f.centred[j] {
				f.centre(j, g.columns[j])
			}
		}
	}
}

// fitted reports whether the weights of sum k are fitted: those of every other sum that isn't long.
func (g *grower) fitted(k int) bool { return k%2 == 1 && len(g.sums[k].Features) <= mostFitted }

// centre prepares feature j.
func (f *fits) centre(j int32, column []float32) {
	x := grow.Sized(f.features[j], len(f.rows))
	sum, first := 0.0, float64(column[f.rows[0]])
	for i, root := range f.roots {
		x[i] = float64((float64(column[f.rows[i]]) - first) * root)
		sum += float64(x[i] * root)
	}
	mean := sum / f.total.weight
	for i, root := range f.roots {
		x[i] -= float64(mean * root)
	}
	f.features[j], f.scales[j], f.slopes[j], f.centred[j] = x, 0, 0, true
	if scale := 1 / math.Sqrt(kernel.Dot(x, x)); scale < math.MaxFloat32 {
		f.scales[j], f.slopes[j] = scale, float64(kernel.Dot(x, f.targets)*scale)
	}
}

// fit replaces the signs of a sum by the weights of a ridge regression of the targets, if there are any.
func (f *fits) fit(fn *forest.Function) {
	var a [mostFitted][mostFitted]float64
	var beta [mostFitted]float64
	for j, c := range fn.Features {
		for l, d := range fn.Features[:j] {
			a[j][l] = float64(kernel.Dot(f.features[c], f.features[d])*f.scales[c]) * f.scales[d]
		}
		a[j][j], beta[j] = 1+ridge, f.slopes[c]
	}
	k := len(fn.Features)
	solve(&a, &beta, k)
	most := 0.0
	for j, c := range fn.Features {
		beta[j] *= f.scales[c]
		most = max(most, math.Abs(beta[j]))
	}
	if !(most > 0 && most <= math.MaxFloat64) {
		return
	}
	for j := range k {
		fn.Weights[j] = float32(beta[j] / most)
	}
}

// solve sets b to the solution x of a·x = b, for the lower triangle of a positive definite matrix of order k, by
// Cholesky's factor, which takes its place.
func solve(a *[mostFitted][mostFitted]float64, b *[mostFitted]float64, k int) {
	for j := range k {
		for l := range j + 1 {
			s := a[j][l]
			for m := range l {
				s -= float64(a[j][m] * a[l][m])
			}
			if l < j {
				a[j][l] = s / a[l][l]
			} else {
				a[j][j] = math.Sqrt(s)
			}
		}
		for l := range j {
			b[j] -= float64(a[j][l] * b[l])
		}
		b[j] /= a[j][j]
	}
	for j := k - 1; j >= 0; j-- {
		for m := j + 1; m < k; m++ {
			b[j] -= float64(a[m][j] * b[m])
		}
		b[j] /= a[j][j]
	}
}
