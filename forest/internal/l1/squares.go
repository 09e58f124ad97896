package l1

// LeastSquares minimises Σ c[i]·(w·x[i] + b − y[i])² + Σ penalty[j]·|w[j]| over w and b,
// and returns the objective where it ends. The squares aren't halved. Weights c aren't
// negative, and nil means 1. It starts from the w and *b given, or from w = 0 and the best b
// if that is lower, and changes them in place. Without rows of positive weight, w and b
// are 0.
func (s *Solver) LeastSquares(m *Matrix, y, c, penalty []float64, l Limits, w []float64,
	b *float64) (objective float64) {
	l = l.withDefaults()
	total := s.start(m, c, l)
	if total <= 0 {
		clear(w)
		*b = 0
		return 0
	}
	copy(s.t, y[:m.n])
	mean := 0.0
	for i, v := range s.t {
		mean += float64(s.c[i] * v)
	}
	mean /= total
	clear(s.change)
	s.setScores(nil, mean)
	return s.minimise(squaredLoss, penalty, l, w, b, mean, squaredLoss(s, 0), 0)
}

// squaredLoss is the loss of [Solver.LeastSquares], with y in t; see loss.
func squaredLoss(s *Solver, alpha float64) float64 {
	total := 0.0
	for i, score := range s.score {
		r := score + float64(alpha*s.change[i]) - s.t[i]
		c := s.c[i]
		s.gradient[i] = 2 * c * r
		s.curvature[i] = 2 * c
		total += float64(c * float64(r*r))
	}
	return total
}
