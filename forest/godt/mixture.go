package godt

import (
	"errors"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
)

// A Mixture is what a node is split by: two Gaussians and the boundary between them. Its
// numbers are in the units of the features.
type Mixture struct {
	Share      [2]float64     // φ, the components' weights
	Mean       [2][]float64   // μ, by component and feature
	Covariance [2][][]float64 // Σ, with β added to the variances; for KMeans those of the clusters
	Rounds     int            // of EM; 0 for KMeans

	// Rows whose Split is at most Threshold belong to the first component and go left.
	Split     forest.Function
	Threshold float32
}

// Mixture fits the mixture by which a node with the given rows of d is split; nil means all rows. d is the
// training data: a RelativeBeta is in units of its variances. Seed is of a random start. Mixture returns an
// error if the Divider isn't a mixture or KMeans, if the rows can't be divided, and where
// [Tree.Fit] does. Features that are constant in the rows have a variance of 0.
func (s Splitting) Mixture(d *datasets.Dataset, rows []int32, seed uint64) (*Mixture, error) {
	l := Tree{Splitting: s, Seed: seed}.forest(d.P())
	err := d.Check()
	if err == nil {
		err = d.CheckFinite()
	}
	if err == nil {
		err = l.check(d)
	}
	if err == nil && s.Divider > KMeans {
		err = fmt.Errorf("Divider %d has no components; want a mixture or KMeans", s.Divider)
	}
	if err != nil {
		return nil, fmt.Errorf("godt: %w", err)
	}
	l = l.withDefaults(d)
	scale := l.scales(d)
	if rows == nil {
		rows = samples.UpTo(d.N())
	}
	var f fitter
	var weight []float64
	var weighted []int32 // the rows without those of weight 0
	for _, r := range rows {
		if w := grow.Weight(d, r); w > 0 {
			weight, weighted = append(weight, w), append(weighted, r)
		}
	}
	rows = weighted
	f.begin(weight, d.P())
	x := make([][]float32, d.P())
	for j := range x {
		all := d.Column(nil, j)
		for _, r := range rows {
			x[j] = append(x[j], all[r])
		}
		if !grow.Constant(x[j]) {
			f.rows.Add(x[j : j+1])
			f.features = append(f.features, int32(j))
		}
	}
	f.rows.Ready()
	rng := forest.NewRand(seed)
	if !f.divide(l.Splitting, scale, &rng) {
		return nil, errors.New("godt: the rows can't be divided: all their features are constant, or a component of the " +
			"mixture became empty")
	}
	m := &Mixture{Split: f.fn, Threshold: f.threshold}
	gamma := make([]float64, len(rows))
	switch {
	case s.Divider == KMeans:
		cells := make([]float32, d.P())
		for i, r := range rows {
			if m.Split.Value(d.Row(cells, int(r))) <= m.Threshold {
				gamma[i] = weight[i]
			}
		}
	case s.quadratic():
		f.quadratic.Posterior(&f.rows, gamma)
		m.Rounds = f.quadratic.Rounds
	default:
		f.linear.Posterior(&f.rows, gamma)
		m.Rounds = f.linear.Rounds
	}
	m.describe(x, weight, gamma)
	if s.Divider != KMeans {
		m.shape(l.Splitting, scale)
	}
	return m, nil
}

// describe sets shares, means and covariances, the latter without β, from each row's share in the
// first component.
func (m *Mixture) describe(x [][]float32, weight, gamma []float64) {
	var total float64
	for _, w := range weight {
		total += w
	}
	for c := range 2 {
		share := gamma
		if c == 1 {
			share = make([]float64, len(gamma))
			for i, g := range gamma {
				share[i] = weight[i] - g
			}
		}
		var sum float64
		for _, g := range share {
			sum += g
		}
		m.Share[c] = sum / total
		m.Mean[c] = make([]float64, len(x))
		for j, column := range x {
			for i, v := range column {
				m.Mean[c][j] += share[i] * float64(v) / sum
			}
		}
		m.Covariance[c] = make([][]float64, len(x))
		for j := range x {
			m.Covariance[c][j] = make([]float64, len(x))
			for k := range x {
				for i, g := range share {
					m.Covariance[c][j][k] += g * (float64(x[j][i]) - m.Mean[c][j]) * (float64(x[k][i]) - m.Mean[c][k]) / sum
				}
			}
		}
	}
}

// shape makes the covariances shared or diagonal, as the Divider has them, and adds β.
func (m *Mixture) shape(s Splitting, scale []float64) {
	shared := s.Divider == SharedDiagonal || s.Divider == SharedFull
	diagonal := s.Divider == SharedDiagonal || s.Divider == SeparateDiagonal
	for j := range m.Mean[0] {
		for k := range m.Mean[0] {
			a, b := &m.Covariance[0][j][k], &m.Covariance[1][j][k]
			if shared {
				*a = float64(m.Share[0]**a) + float64(m.Share[1]**b)
				*b = *a
			}
			if diagonal && j != k {
				*a, *b = 0, 0
			}
			if j == k && *a+*b > 0 {
				beta := s.Beta
				if scale != nil {
					beta = s.RelativeBeta * scale[j] * scale[j]
				}
				*a += beta
				*b += beta
			}
		}
	}
}
