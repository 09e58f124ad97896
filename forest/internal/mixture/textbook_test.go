package mixture

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Textbook is a mixture of two Gaussians that is fitted by EM as textbooks write it, to test the faster arithmetic: a
// density for each component, responsibilities by the logarithm of a sum of exponentials, and covariances by their
// definition.
type Textbook struct {
	Shares        [2]float64
	Means         [2][]float64
	Covariances   [2]*mat.SymDense
	LogLikelihood float64 // of the parameters before the last M-step

	shape   Shape
	factors [2]mat.Cholesky
}

// A Shape says which covariances a mixture has.
type Shape struct {
	Full   bool // otherwise diagonal
	Shared bool // one covariance for both components
}

// FitTextbook makes the given number of EM rounds from the given means, shares of ½ and, as both
// covariances, that of all rows plus ridge on the diagonal. Each M-step adds ridge, too. It
// returns nil if a covariance becomes singular.
func FitTextbook(x [][]float64, weight []float64, means [2][]float64, shape Shape, ridge float64,
	rounds int) *Textbook {
	m := &Textbook{shape: shape, Shares: [2]float64{0.5, 0.5}}
	ones := make([]float64, len(x))
	for i := range ones {
		ones[i] = 1
	}
	mean, _ := weightedMean(x, weight, ones)
	for j := range 2 {
		m.Means[j] = append([]float64(nil), means[j]...)
		m.Covariances[j] = mat.NewSymDense(len(mean), nil)
		addScatter(m.Covariances[j], x, weight, ones, mean, shape.Full)
		finish(m.Covariances[j], sum(weight), ridge)
	}
	for range rounds {
		if !m.Factorise() {
			return nil
		}
		m.step(x, weight, ridge)
	}
	if !m.Factorise() {
		return nil
	}
	return m
}

// step is one E-step and one M-step.
func (m *Textbook) step(x [][]float64, weight []float64, ridge float64) {
	var gamma [2][]float64
	m.LogLikelihood = 0
	for i, row := range x {
		l := m.LogDensities(row)
		largest := max(l[0], l[1])
		logSum := largest + math.Log(math.Exp(l[0]-largest)+math.Exp(l[1]-largest))
		m.LogLikelihood += weight[i] * logSum
		for j := range 2 {
			gamma[j] = append(gamma[j], math.Exp(l[j]-logSum))
		}
	}
	total := sum(weight)
	p := len(x[0])
	both := mat.NewSymDense(p, nil)
	for j := range 2 {
		var g float64
		m.Means[j], g = weightedMean(x, weight, gamma[j])
		m.Shares[j] = g / total
		own := mat.NewSymDense(p, nil)
		addScatter(own, x, weight, gamma[j], m.Means[j], m.shape.Full)
		both.AddSym(both, own)
		finish(own, g, ridge)
		m.Covariances[j] = own
	}
	if m.shape.Shared {
		finish(both, total, ridge)
		m.Covariances = [2]*mat.SymDense{both, both}
	}
}

// Factorise makes LogDensities use the current covariances. It returns false if one is singular.
func (m *Textbook) Factorise() bool {
	for j := range 2 {
		if !m.factors[j].Factorize(m.Covariances[j]) {
			return false
		}
	}
	return true
}

// LogDensities returns the logarithms of each component's share times its density at a row.
func (m *Textbook) LogDensities(row []float64) (l [2]float64) {
	p := len(row)
	for j := range 2 {
		from := mat.NewVecDense(p, nil)
		for k, v := range row {
			from.SetVec(k, v-m.Means[j][k])
		}
		var distance, logDeterminant float64
		if m.shape.Full {
			var solved mat.VecDense
			if err := m.factors[j].SolveVecTo(&solved, from); err != nil {
				if _, inexact := err.(mat.Condition); !inexact {
					panic(err)
				}
			}
			distance, logDeterminant = mat.Dot(from, &solved), m.factors[j].LogDet()
		} else {
			for k := range p {
				v := m.Covariances[j].At(k, k)
				distance += from.AtVec(k) * from.AtVec(k) / v
				logDeterminant += math.Log(v)
			}
		}
		l[j] = math.Log(m.Shares[j]) - (float64(p)*math.Log(2*math.Pi)+logDeterminant+distance)/2
	}
	return l
}

// weightedMean returns the mean of the rows, and the sum of their weights times γ.
func weightedMean(x [][]float64, weight, gamma []float64) (mean []float64, total float64) {
	mean = make([]float64, len(x[0]))
	for i, row := range x {
		total += weight[i] * gamma[i]
		for k, v := range row {
			mean[k] += weight[i] * gamma[i] * v
		}
	}
	for k := range mean {
		mean[k] /= total
	}
	return mean, total
}

// addScatter adds Σ weight·γ·(x − mean)(x − mean)ᵀ, or its diagonal.
func addScatter(to *mat.SymDense, x [][]float64, weight, gamma, mean []float64, full bool) {
	for i, row := range x {
		g := weight[i] * gamma[i]
		for k := range row {
			to.SetSym(k, k, to.At(k, k)+g*(row[k]-mean[k])*(row[k]-mean[k]))
			for l := range k {
				if full {
					to.SetSym(k, l, to.At(k, l)+g*(row[k]-mean[k])*(row[l]-mean[l]))
				}
			}
		}
	}
}

// finish divides a scatter by the sum of weights and adds ridge to its diagonal.
func finish(c *mat.SymDense, total, ridge float64) {
	c.ScaleSym(1/total, c)
	for k := range c.SymmetricDim() {
		c.SetSym(k, k, c.At(k, k)+ridge)
	}
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}
