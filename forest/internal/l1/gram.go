package l1

import "math"

// A gram holds the second derivatives of the quadratic model in pairs of active columns.
type gram struct {
	width    int       // active columns, and one of zeros where their number is odd
	centred  []float64 // a block of rows of these columns, less their means
	weighted []float64 // the same times the curvature
	second   []float64 // element (i, k) is second[i·width + k]
	slope    []float64 // the model's derivative in each column
	inverse  []float64 // of each column's second derivative, 0 if that is 0
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
	g := &s.gram
	total := 0.0
	for range gramSweeps {
		decrease := 0.0
		for i, j := range s.active {
			row := g.second[i*g.width : (i+1)*g.width]
			next := minimum(g.inverse[i], g.slope[i], s.next[j], penalty[j])
			z := next - s.next[j]
			if z == 0 {
				continue
			}
			s.next[j] = next
			slope := g.slope[:len(row)]
			for k, v := range row {
				slope[k] += float64(z * v)
			}
			decrease += float64(float64(row[i]*z) * z)
		}
		total += decrease
		if decrease <= gramTolerance*total {
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

// gramTolerance is to sweeps over a Gram matrix what sweepTolerance is to others.
const gramTolerance = 1e-4

// setGram sums the Gram matrix block by block, and sets slopes and inverses.
func (s *Solver) setGram() {
	g, a := &s.gram, len(s.active)
	g.width = a + a%2
	resize(&g.second, g.width*g.width)
	resize(&g.centred, g.width*blockRows)
	resize(&g.weighted, g.width*blockRows)
	resize(&g.slope, g.width)
	resize(&g.inverse, g.width)
	clear(g.second)
	if a%2 > 0 {
		clear(g.centred[a*blockRows:])
		clear(g.weighted[a*blockRows:])
	}
	for from := 0; from < s.m.n; from += blockRows {
		h := s.curvature[from:min(from+blockRows, s.m.n)]
		for i, j := range s.active {
			x := s.m.column(j)[from:][:len(h)]
			centred, weighted := g.centred[i*blockRows:][:len(h)], g.weighted[i*blockRows:][:len(h)]
			mean := s.mean[j]
			for k, v := range x {
				c := float64(v) - mean
				centred[k] = c
				weighted[k] = float64(c * h[k])
			}
		}
		g.addBlock(len(h))
	}
	h := sum(s.curvature)
	for i, j := range s.active {
		for k := range i {
			g.second[k*g.width+i] = g.second[i*g.width+k]
		}
		g.slope[i] = s.slope[j]
		g.inverse[i] = inverse(g.second[i*g.width+i], 1e-22*float64(float64(h*s.mean[j])*s.mean[j]))
	}
}

// addBlock adds what the n rows of the block contribute to the lower triangle. Elements
// are summed four at a time, so that each cell read is used twice.
func (g *gram) addBlock(n int) {
	for i := 0; i < g.width; i += 2 {
		w0 := g.weighted[i*blockRows:][:n]
		w1 := g.weighted[(i+1)*blockRows:][:n]
		for k := 0; k <= i; k += 2 {
			c0 := g.centred[k*blockRows:][:n]
			c1 := g.centred[(k+1)*blockRows:][:n]
			var s00, s01, s10, s11 float64
			for r, w := range w0 {
				v, x, y := w1[r], c0[r], c1[r]
				s00 += float64(w * x)
				s01 += float64(w * y)
				s10 += float64(v * x)
				s11 += float64(v * y)
			}
			upper, lower := g.second[i*g.width+k:][:2], g.second[(i+1)*g.width+k:][:2]
			upper[0] += s00
			upper[1] += s01
			lower[0] += s10
			lower[1] += s11
		}
	}
}

// inverse returns 1/x, or 0 if x is no more than rounding.
func inverse(x, rounding float64) float64 {
	if !(x > rounding) || math.IsInf(x, 1) {
		return 0
	}
	return 1 / x
}
