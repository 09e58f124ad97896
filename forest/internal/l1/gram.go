package l1

import "math"

// A gram holds the second derivatives of the quadratic model in pairs of active columns.
type gram struct {
	centred  []float64 // a block of rows of the active columns, less their means
	weighted []float64 // the same times the curvature
	second   []float64 // element (a, b) is second[a·len(active) + b]
	slope    []float64 // the model's derivative in each active column
}

// blockRows is the number of rows of a block.
const blockRows = 64

// gramSweeps is the most sweeps over a Gram matrix. They cost little.
const gramSweeps = 100

// gramIsFaster reports whether the second derivatives in all pairs of active columns cost
// less than sweeps over the cells.
func (s *Solver) gramIsFaster() bool {
	a, n := len(s.active), s.m.n
	return !s.m.sparse && a*(a+1)/2*n+20*a*a < (2*s.sweeps+1)*a*n
}

// solveGram does what descend does, with the Gram matrix of the active columns.
func (s *Solver) solveGram(penalty, w []float64) (offset float64) {
	s.setGram()
	g, a := &s.gram, len(s.active)
	resize(&g.slope, a)
	for i, j := range s.active {
		g.slope[i] = s.slope[j]
	}
	total := 0.0
	for range gramSweeps {
		decrease := 0.0
		for i, j := range s.active {
			row := g.second[i*a : (i+1)*a]
			next := minimum(row[i], g.slope[i], s.next[j], penalty[j])
			z := next - s.next[j]
			if z == 0 {
				continue
			}
			s.next[j] = next
			for k, v := range row {
				g.slope[k] += float64(z * v)
			}
			decrease += float64(float64(row[i]*z) * z)
		}
		total += decrease
		if decrease <= 1e-6*total {
			break
		}
	}
	for _, j := range s.active {
		if d := s.next[j] - w[j]; d != 0 {
			s.m.add(j, d, s.change)
			offset += float64(d * s.mean[j])
		}
	}
	return offset
}

// setGram sums the Gram matrix block by block. Diagonal elements that are no more
// than rounding are set to 0.
func (s *Solver) setGram() {
	g, a := &s.gram, len(s.active)
	resize(&g.second, a*a)
	resize(&g.centred, a*blockRows)
	resize(&g.weighted, a*blockRows)
	clear(g.second)
	for from := 0; from < s.m.n; from += blockRows {
		to := min(from+blockRows, s.m.n)
		h := s.curvature[from:to]
		for i, j := range s.active {
			x := s.m.column(j)[from:to]
			centred, weighted := g.centred[i*blockRows:][:len(x)], g.weighted[i*blockRows:][:len(x)]
			mean := s.mean[j]
			for k, v := range x {
				c := float64(v) - mean
				centred[k] = c
				weighted[k] = float64(c * h[k])
			}
		}
		for i := range a {
			for k := range i + 1 {
				g.second[i*a+k] += dot(g.weighted[i*blockRows:][:len(h)], g.centred[k*blockRows:][:len(h)])
			}
		}
	}
	h := sum(s.curvature)
	for i, j := range s.active {
		if d := &g.second[i*a+i]; *d <= 1e-22*float64(float64(h*s.mean[j])*s.mean[j]) || math.IsNaN(*d) {
			*d = 0
		}
		for k := range i {
			g.second[k*a+i] = g.second[i*a+k]
		}
	}
}

// dot returns Σ x·y.
func dot(x, y []float64) float64 {
	var a, b, c, d float64
	for y = y[:len(x)]; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		a += float64(x[0] * y[0])
		b += float64(x[1] * y[1])
		c += float64(x[2] * y[2])
		d += float64(x[3] * y[3])
	}
	for i, v := range x {
		a += float64(v * y[i])
	}
	return (a + b) + (c + d)
}
