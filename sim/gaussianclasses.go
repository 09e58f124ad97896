package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A Gaussian is a component of [GaussianClasses]: a normal distribution whose rows are of
// one class.
type Gaussian struct {
	Class      int         // from 0, below 2²⁰
	Mean       []float64   // a number for each feature
	Covariance [][]float64 // symmetric and positive definite; nil means the unit matrix
	Weight     float64     // share of the rows, relative to the other components; 0 means 1
}

// GaussianClasses is a problem in which each class is a Gaussian, or a mixture of several. Its
// optimum is known: with equal covariances, one Gaussian a class, it is linear discriminant
// analysis, with unequal ones quadratic. Components of several classes at nearly the same place
// make clusters that say little about the class.
//
// By default there are two equally likely classes in two features, with means (−1, 1) and (1, −1),
// unit variances and correlation ½. The best boundary is x1 = x2, and the Bayes error 2.28 %.
type GaussianClasses struct {
	Components []Gaussian // all with the same number of features; nil means the default
}

// A gaussianMixture is a GaussianClasses prepared for sampling and for densities.
type gaussianMixture struct {
	components []Gaussian
	factors    [][][]float64 // lower triangles L, where LLᵀ is a component's covariance
	weights    []float64     // cumulative
	offsets    []float64     // logarithm of a component's density at its mean, up to a common constant
	p, classes int
}

func (g GaussianClasses) mixture() *gaussianMixture {
	m := &gaussianMixture{components: g.Components}
	if m.components == nil {
		covariance := [][]float64{{1, 0.5}, {0.5, 1}}
		m.components = []Gaussian{{Class: 0, Mean: []float64{-1, 1}, Covariance: covariance},
			{Class: 1, Mean: []float64{1, -1}, Covariance: covariance}}
	}
	if len(m.components) == 0 {
		panic("sim: GaussianClasses has no components")
	}
	m.p = orDefault(len(m.components[0].Mean), 0, maxFeatures, "the number of features of GaussianClasses")
	var total float64
	for k, c := range m.components {
		m.classes = max(m.classes, orDefault(c.Class+1, 0, maxCentroids, "the number of classes of GaussianClasses"))
		weight := cmp.Or(c.Weight, 1)
		if !(weight > 0 && weight < math.Inf(1)) {
			panic(fmt.Sprintf("sim: component %d of GaussianClasses has weight %v; want a positive number", k, weight))
		}
		m.factors = append(m.factors, c.factor(k, m.p))
		total += weight
		m.weights = append(m.weights, total)
		offset := math.Log(weight)
		for j, row := range m.factors[k] {
			offset -= math.Log(row[j])
		}
		m.offsets = append(m.offsets, offset)
	}
	return m
}

// factor returns the Cholesky factor of component k's covariance. Products are rounded by
// themselves, so it is the same on every processor.
func (c Gaussian) factor(k, p int) [][]float64 {
	wrong := func(what string) { panic(fmt.Sprintf("sim: component %d of GaussianClasses %s", k, what)) }
	if len(c.Mean) != p || c.Covariance != nil && len(c.Covariance) != p {
		wrong(fmt.Sprintf("has a mean of %d and a covariance of %d numbers; want %d, as in the first component", len(c.Mean),
			len(c.Covariance), p))
	}
	l := make([][]float64, p)
	for i := range l {
		l[i] = make([]float64, i+1)
		if !(math.Abs(c.Mean[i]) < math.Inf(1)) {
			wrong(fmt.Sprintf("has the mean %v", c.Mean[i]))
		}
		if c.Covariance == nil {
			l[i][i] = 1
			continue
		}
		if len(c.Covariance[i]) != p {
			wrong("has a covariance that isn't square")
		}
		for j := range l[i] {
			sum := c.Covariance[i][j]
			if sum != c.Covariance[j][i] {
				wrong("has a covariance that isn't symmetric")
			}
			for s := range j {
				sum -= float64(l[i][s] * l[j][s])
			}
			if j < i {
				l[i][j] = sum / l[j][j]
				continue
			}
			if !(sum > 0 && sum < math.Inf(1)) {
				wrong("has a covariance that isn't positive definite")
			}
			l[i][i] = math.Sqrt(sum)
		}
	}
	return l
}

// Sample returns n independent rows.
func (g GaussianClasses) Sample(n int, seed uint64) *datasets.Dataset {
	m := g.mixture()
	d := newDataset("gaussian classes", n, m.p, m.classes, 0)
	rng := newRand(seed)
	x := make([]float32, m.p)
	for i := range n {
		d.Labels[i] = m.draw(x, rng)
		for j, v := range x {
			d.Columns[j][i] = v
		}
	}
	return d
}

// draw fills x with a row and returns its class.
func (m *gaussianMixture) draw(x []float32, rng *rand.Rand) int32 {
	k, _ := slices.BinarySearch(m.weights, rng.Float64()*m.weights[len(m.weights)-1])
	z := make([]float64, m.p)
	for j, row := range m.factors[k] {
		z[j] = normal(rng)
		v := m.components[k].Mean[j]
		for s, l := range row {
			v += float64(l * z[s])
		}
		x[j] = float32(v)
	}
	return int32(m.components[k].Class)
}

// squaredLength returns the squared length of L⁻¹z, with a lower triangle L. It overwrites z.
func squaredLength(l [][]float64, z []float64) (squares float64) {
	for j, row := range l {
		for s := range j {
			z[j] -= row[s] * z[s]
		}
		z[j] /= row[j]
		squares += z[j] * z[j]
	}
	return squares
}

// posterior returns the probabilities of the classes at x.
func (m *gaussianMixture) posterior(x []float32) []float64 {
	logs := make([]float64, len(m.components))
	z := make([]float64, m.p)
	for k, l := range m.factors {
		for j, mean := range m.components[k].Mean {
			z[j] = float64(x[j]) - mean
		}
		logs[k] = m.offsets[k] - squaredLength(l, z)/2
	}
	probabilities := make([]float64, m.classes)
	for k, v := range softmax(logs) {
		probabilities[m.components[k].Class] += v
	}
	return probabilities
}

// Bayes returns the rule. For two components of different classes with the same covariance, its error is
// Φ(−Δ/2 − t/Δ)·w0 + Φ(−Δ/2 + t/Δ)·w1, where Δ is the Mahalanobis distance between the
// means, w0 and w1 are the shares of the components, and t = ln(w0/w1). Otherwise it is the mean over
// 2¹⁸ rows of 1 − the largest probability, which has a standard error of at most 0.001.
func (g GaussianClasses) Bayes() Rule {
	m := g.mixture()
	return ofPosterior(m.posterior, m.bayesError)
}

func (m *gaussianMixture) bayesError() float64 {
	if len(m.components) == 2 && m.components[0].Class != m.components[1].Class &&
		slices.EqualFunc(m.factors[0], m.factors[1], slices.Equal) {
		return m.linearError()
	}
	const rows = 1 << 18
	rng := newRand(1)
	x := make([]float32, m.p)
	var sum float64
	for range rows {
		m.draw(x, rng)
		sum += 1 - slices.Max(m.posterior(x))
	}
	return sum / rows
}

// linearError returns the Bayes error of two components with the same covariance.
func (m *gaussianMixture) linearError() float64 {
	z := slices.Clone(m.components[0].Mean)
	for j, mean := range m.components[1].Mean {
		z[j] -= mean
	}
	squared := squaredLength(m.factors[0], z)
	share := m.weights[0] / m.weights[1]
	if squared == 0 {
		return min(share, 1-share)
	}
	distance, t := math.Sqrt(squared), math.Log(share/(1-share))
	return share*phi(-distance/2-t/distance) + (1-share)*phi(-distance/2+t/distance)
}
