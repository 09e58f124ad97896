package l1

import "github.com/obliqua-ml/obliqua/internal/portable"

// A softmax holds what [Solver.Softmax] needs besides the buffers of a Solver. Arrays of
// rows by classes hold the rows of a class together.
type softmax struct {
	y      []int32
	k      int
	scores []float64 // of each class and row
	after  []float64 // sums of the exponentials of the classes after each class, by row
	before []float64 // sums of the exponentials of the classes before the current one
	top    []float64 // of each row, its largest score; exponentials are of scores less this
	best   []float64 // the biases of the best constant
}

// Softmax minimises Σ c[i]·(log Σ exp(s[i,κ]) − s[i,y[i]]) + Σ penalty[j]·|w[κ·p+j]|
// over the k·p weights w and the k biases b, with s[i,κ] = w[κ]·x[i] + b[κ], and returns the
// objective where it ends. Labels y are below k. Weights c aren't negative, and nil means
// 1. It starts from the w and b given, or from w = 0 and the best b if that is lower, and
// changes them in place.
//
// A step is one round over the classes. With the scores of the others fixed, those of one
// class are a logistic regression, which makes one Newton step.
//
// If rows of positive weight lack some labels, the best biases of these classes are −∞; where
// w = 0 is the start, they start from −30. If there is but one label, or none, w is 0, unless
// the start is better.
func (s *Solver) Softmax(m *Matrix, y []int32, k int, c, penalty []float64, l Limits,
	w, b []float64) (objective float64) {
	l = l.withDefaults()
	total := s.start(m, c, l)
	x := &s.softmax
	x.y, x.k = y[:m.n], k
	for _, buffer := range []*[]float64{&x.scores, &x.after} {
		resize(buffer, k*m.n)
	}
	resize(&x.top, m.n)
	resize(&x.before, m.n)
	resize(&x.best, k)
	constant := s.bestBiases(total)
	s.setClassScores(w, b)
	f := s.softmaxLoss() + penaltyOf(penalty, w)
	if !(f < constant) {
		clear(w)
		copy(b, x.best)
		s.setClassScores(w, b)
		f = s.softmaxLoss()
	}
	for range l.Steps {
		if f <= floor*total {
			break
		}
		s.round(penalty, w, b)
		lower := s.softmaxLoss() + penaltyOf(penalty, w)
		done := f-lower <= float64(l.Tolerance*lower)
		f = lower
		if done {
			break
		}
	}
	return f
}

// bestBiases sets best to the biases that are best if there are no features, and returns
// the loss. Those of classes without weight are −certain.
func (s *Solver) bestBiases(total float64) (loss float64) {
	x := &s.softmax
	clear(x.best)
	for i, class := range x.y {
		x.best[class] += s.c[i]
	}
	if total <= 0 {
		return 0
	}
	exponentials := 0.0
	for class, weight := range x.best {
		x.best[class] = max(portable.Log(weight/total), -certain)
		exponentials += portable.Exp(x.best[class])
	}
	normalizer := portable.Log(exponentials)
	for i, class := range x.y {
		loss += float64(s.c[i] * (normalizer - x.best[class]))
	}
	return loss
}

// setClassScores makes the scores of all classes w·x + b.
func (s *Solver) setClassScores(w, b []float64) {
	n, p := s.m.n, s.m.p
	for class, bias := range b {
		if s.cancelled() {
			return
		}
		s.setScores(w[class*p:(class+1)*p], bias)
		copy(s.softmax.scores[class*n:], s.score)
	}
}

// softmaxLoss returns the loss at the scores, and sets top and after.
func (s *Solver) softmaxLoss() float64 {
	x, n := &s.softmax, s.m.n
	copy(x.top, x.scores)
	for class := 1; class < x.k; class++ {
		for i, v := range x.scores[class*n : (class+1)*n] {
			x.top[i] = max(x.top[i], v)
		}
	}
	clear(x.before)
	for class := x.k - 1; class >= 0 && !s.cancelled(); class-- {
		copy(x.after[class*n:], x.before)
		for i, v := range x.scores[class*n : (class+1)*n] {
			s.exp[i] = v - x.top[i]
		}
		s.addExponentials()
	}
	loss := 0.0
	for i, class := range x.y {
		v := portable.Log(x.before[i]) + (x.top[i] - x.scores[int(class)*n+i])
		loss += float64(s.c[i] * v)
	}
	return loss
}

// addExponentials adds the exponential of each element of exp to before.
func (s *Solver) addExponentials() {
	portable.Exps(s.exp)
	for i, v := range s.exp {
		s.softmax.before[i] += v
	}
}

// round makes a Newton step for each class in turn.
//
// For row i and class κ, let a be the logarithm of Σ exp(s[i,j]) over the other classes j.
// The row's loss is log(1 + exp(−t·(s[i,κ] − a))) plus a constant, with t = 1 if κ is its
// label and −1 otherwise.
func (s *Solver) round(penalty, w, b []float64) {
	x, n, p := &s.softmax, s.m.n, s.m.p
	clear(x.before)
	for class := range x.k {
		if s.cancelled() {
			return
		}
		scores, after := x.scores[class*n:(class+1)*n], x.after[class*n:(class+1)*n]
		for i, v := range scores {
			a := x.top[i] + portable.Log(max(x.before[i]+after[i], 1e-300))
			after[i] = a
			s.score[i] = v - a
			s.t[i] = -1
			if int(x.y[i]) == class {
				s.t[i] = 1
			}
		}
		clear(s.change)
		to := w[class*p : (class+1)*p]
		s.newton(logisticLoss, penalty, to, &b[class], logisticLoss(s, 0)+penaltyOf(penalty, to))
		for i, v := range s.score {
			scores[i] = v + after[i]
			s.exp[i] = min(scores[i]-x.top[i], 600)
		}
		s.addExponentials()
	}
}
