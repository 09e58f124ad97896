package boost

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/obliqua-ml/obliqua/forest"
)

// TestFit compares the weights of fitted sums with those that solve the normal equations of weighted least squares, in
// which the squares of a feature are multiplied by 1 + ridge. The second feature has one value.
func TestFit(t *testing.T) {
	const n, p = 60, 6
	rng := forest.NewRand(1)
	g := &grower{booster: &booster{}, steps: make([]step, 2*n)}
	for j := range p {
		column := make([]float32, 2*n)
		for i := range column {
			if column[i] = 1000; j != 1 {
				column[i] = float32(math.Pow(10, float64(j)) * (5 + rng.Normal()))
			}
		}
		g.columns, g.numeric = append(g.columns, column), append(g.numeric, int32(j))
	}
	for i := range n { // every other row is in the node
		h := rng.Float64()
		if i == 3 {
			h = 0
		}
		g.node.drawn = append(g.node.drawn, int32(2*i))
		g.steps[2*i] = step{h * (rng.Normal() + float64(g.columns[2][2*i])/100), h}
		g.node.total.take(&g.steps[2*i])
	}
	g.sums = []forest.Function{{}, forest.Linear([]int32{0, 1, 2, 3, 4, 5}, make([]float32, p))}
	g.standardise()
	for _, features := range [][]int32{{0, 2}, {3, 4, 5}, {0, 2, 3, 5}, {0, 1}} {
		fn := forest.Linear(features, make([]float32, len(features)))
		g.fits.fit(&fn)
		want := ridgeWeights(g, features)
		for j, w := range fn.Weights {
			if math.Abs(float64(w)-want[j]) > 1e-5 {
				t.Errorf("features %v: weights %v; want %v", features, fn.Weights, want)
				break
			}
		}
	}
	constant := forest.Linear([]int32{1, 1}, []float32{1, -1})
	if g.fits.fit(&constant); constant.Weights[0] != 1 || constant.Weights[1] != -1 {
		t.Errorf("weights %v of a sum of one value; want its signs", constant.Weights)
	}
}

// ridgeWeights returns the weights, divided by the largest.
func ridgeWeights(g *grower, features []int32) []float64 {
	k, total := len(features), g.node.total
	a, b := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	means := make([]float64, k)
	for _, i := range g.node.drawn {
		for j, c := range features {
			means[j] += g.steps[i].weight * float64(g.columns[c][i]) / total.weight
		}
	}
	for _, i := range g.node.drawn {
		s := g.steps[i]
		for j, c := range features {
			x := float64(g.columns[c][i]) - means[j]
			b.SetVec(j, b.AtVec(j)+x*(s.gradient-s.weight*total.gradient/total.weight))
			for l := range j + 1 {
				a.SetSym(j, l, a.At(j, l)+s.weight*x*(float64(g.columns[features[l]][i])-means[l]))
			}
		}
	}
	for j := range k {
		a.SetSym(j, j, max(1e-9, (1+ridge)*a.At(j, j))) // a feature of one value has the weight 0
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		panic(err)
	}
	most := mat.Norm(&x, math.Inf(1))
	weights := make([]float64, k)
	for j := range weights {
		weights[j] = x.AtVec(j) / most
	}
	return weights
}
