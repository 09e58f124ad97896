// Package l1 fits linear models with an ℓ1 penalty: logistic regression, softmax regression and least squares. TAO fits
// one to the rows of each node and leaf in each pass. That makes hundreds of thousands of fits, and each starts from
// the solution of the one before.
//
// The method is newGLMNET (Yuan, Ho and Lin, An improved GLMNET for l1-regularized
// logistic regression, JMLR 13, 2012): proximal Newton steps, each minimised by
// coordinate descent over the features that can change, with a line search. It differs
// in the bias, which isn't penalised and is eliminated from each quadratic model: columns
// are centred, implicitly, by their mean under the weights of the rows in the model.
// So centring the features beforehand changes nothing but the rounding.
//
// Features are visited in ascending order and sums are in a fixed order, with products
// rounded before they are added, so results have the same bits on every processor.
package l1

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// Limits say when a fit ends. In a field that is 0 the default is used.
type Limits struct {
	Tolerance float64 // a fit ends when a step lowers the objective by less than this share of it; default 1e-2
	Steps     int     // the most Newton steps; default 6
	Sweeps    int     // the most sweeps over the features within a step; default 5
}

func (l Limits) withDefaults() Limits {
	return Limits{Tolerance: cmp.Or(l.Tolerance, 1e-2), Steps: cmp.Or(l.Steps, 6), Sweeps: cmp.Or(l.Sweeps, 5)}
}

// A Solver fits models. Its zero value is ready. It keeps buffers from fit to fit, so
// each goroutine needs its own.
type Solver struct {
	Call parallel.Call // when it is cancelled, fits end early with wrong weights

	m      *Matrix
	sweeps int
	noBias bool // the bias is 0

	// Of each row: its weight, label ±1 or value, score, and the gradient and curvature of the
	// loss in the score; change is what a Newton step adds to the score.
	c, t, score, gradient, curvature, change []float64

	// Of each column: the weight after the step, the mean under curvature, the gradient
	// of the centred column, its second derivative and the inverse of that.
	next, mean, slope, second, inverse []float64
	active                             []int // the columns that the step may change

	exp     []float64 // exponentials of the rows' scores
	gram    gram
	softmax softmax
}

// cancelled reports whether the fit isn't wanted any more. Fits ask at every point of the line search and, with many
// columns, now and then in between; most fits are too small for more.
func (s *Solver) cancelled() bool { return parallel.Cancelled(s.Call) }

// often is the number of columns that are passed over between looks at the call.
const often = 64

// start makes room for a fit to m whose rows have the given weights, nil for 1, and
// returns their sum.
func (s *Solver) start(m *Matrix, c []float64, l Limits) (total float64) {
	s.m, s.sweeps, s.noBias = m, l.Sweeps, false
	for _, rows := range []*[]float64{&s.c, &s.t, &s.score, &s.gradient, &s.curvature, &s.change, &s.exp} {
		resize(rows, m.n)
	}
	for _, columns := range []*[]float64{&s.next, &s.mean, &s.slope, &s.second, &s.inverse} {
		resize(columns, m.p)
	}
	if c == nil {
		for i := range s.c {
			s.c[i] = 1
		}
	} else {
		copy(s.c, c[:m.n])
	}
	return sum(s.c)
}

func resize(x *[]float64, n int) { *x = slices.Grow((*x)[:0], n)[:n] }

// setScores makes scores w·x + b.
func (s *Solver) setScores(w []float64, b float64) {
	for i := range s.score {
		s.score[i] = b
	}
	for j, v := range w {
		if j%often == often-1 && s.cancelled() {
			return
		}
		if v != 0 {
			s.m.add(j, v, s.score)
		}
	}
}

// A loss is evaluated at the scores plus alpha times the change. It returns the sum over
// the rows and sets their gradient and curvature, which must be above 0 for rows of
// positive weight.
type loss func(s *Solver, alpha float64) float64

// newton makes one proximal Newton step from w and b, whose objective is f and whose
// gradient and curvature are set. It returns the new objective. If no step lowers the
// objective by more than rounding, it changes nothing and returns false.
func (s *Solver) newton(of loss, penalty, w []float64, b *float64, f float64) (float64, bool) {
	step, predicted := s.direction(penalty, w)
	if !(predicted < -1e-15*f) {
		return f, false
	}
	for alpha := 1.0; alpha > 1e-10 && !s.cancelled(); alpha /= 2 {
		lower := of(s, alpha) + s.penaltyAt(alpha, penalty, w)
		if !(lower <= f+float64(0.01*alpha*predicted)) {
			continue
		}
		for _, j := range s.active {
			w[j] = s.between(alpha, w, j)
		}
		*b += float64(alpha * step)
		for i, v := range s.change {
			s.score[i] += float64(alpha * v)
		}
		return lower, true
	}
	return f, false
}

// between returns weight j when alpha of the step is made. A weight that the whole
// step makes 0 is 0 exactly.
func (s *Solver) between(alpha float64, w []float64, j int) float64 {
	if alpha == 1 {
		return s.next[j]
	}
	return w[j] + float64(alpha*(s.next[j]-w[j]))
}

// penaltyAt returns the penalty of the weights when alpha of the step is made. Columns
// that aren't active have weight 0.
func (s *Solver) penaltyAt(alpha float64, penalty, w []float64) float64 {
	total := 0.0
	for _, j := range s.active {
		if v := s.between(alpha, w, j); v != 0 {
			total += float64(penalty[j] * math.Abs(v))
		}
	}
	return total
}

// direction minimises the quadratic model of the objective around w. It sets the active
// columns, their weights after the step and the change of the scores. It returns the
// step of the bias, and the decrease that Armijo's rule compares with: the gradient
// times the step plus the change of the penalty, which is below 0.
func (s *Solver) direction(penalty, w []float64) (bias, predicted float64) {
	g, h := sum(s.gradient), sum(s.curvature)
	if s.noBias {
		g = 0 // so its step is 0, and columns have the mean 0
	}
	s.active = s.active[:0]
	for j, v := range w {
		if j%often == often-1 && s.cancelled() {
			return 0, 0 // no step
		}
		gx, hx := s.m.sums(j, s.gradient, s.curvature)
		if s.mean[j] = hx / h; s.noBias {
			s.mean[j] = 0
		}
		s.slope[j] = gx - float64(s.mean[j]*g)
		s.next[j] = v
		if v != 0 || math.Abs(s.slope[j]) > penalty[j] {
			s.active = append(s.active, j)
		}
	}
	clear(s.change)
	var offset float64
	if s.gramIsFaster() {
		offset = s.solveGram(penalty, w)
	} else {
		offset = s.descend(h, penalty, w)
	}
	bias = -g/h - offset
	for i := range s.change {
		s.change[i] += bias
	}
	predicted = -float64(g * g / h)
	for _, j := range s.active {
		predicted += float64(s.slope[j]*(s.next[j]-w[j])) + float64(penalty[j]*(math.Abs(s.next[j])-math.Abs(w[j])))
	}
	return bias, predicted
}

// descend minimises the quadratic model by coordinate descent. It sets change to the
// step of the weights times the columns as they are, and returns what centring takes off.
//
// With u the change, o the offset and m the means, the derivative in weight j is
// slope[j] + Σ curvature·(x−m[j])·(u−o), which is slope[j] + Σ curvature·x·u − h·m[j]·o,
// because u−o has mean 0.
func (s *Solver) descend(h float64, penalty, w []float64) (offset float64) {
	for at, j := range s.active {
		if at%often == often-1 && s.cancelled() {
			return 0
		}
		s.second[j], s.inverse[j] = s.m.second(j, s.curvature, s.mean[j], h)
	}
	total := 0.0
	for range s.sweeps {
		decrease := 0.0
		for at, j := range s.active {
			if at%often == often-1 && s.cancelled() {
				return 0
			}
			slope := s.slope[j] + s.m.product(j, s.curvature, s.change) - float64(float64(h*s.mean[j])*offset)
			next := minimum(s.inverse[j], slope, s.next[j], penalty[j])
			z := next - s.next[j]
			if z == 0 {
				continue
			}
			s.next[j] = next
			s.m.add(j, z, s.change)
			offset += float64(z * s.mean[j])
			decrease += float64(float64(s.second[j]*z) * z)
		}
		total += decrease
		if decrease <= sweepTolerance*total {
			break
		}
	}
	return offset
}

// sweepTolerance ends coordinate descent when a sweep lowers the quadratic model by less
// than this share of what all have.
const sweepTolerance = 1e-3

// minimum returns the v with the smallest a·(v−w)²/2 + slope·(v−w) + penalty·|v|, given
// 1/a. If that is 0 the column is constant, and the bias does for it.
func minimum(inverse, slope, w, penalty float64) float64 {
	if inverse == 0 {
		return 0
	}
	if v := w - float64((slope+penalty)*inverse); v > 0 {
		return v
	}
	if v := w - float64((slope-penalty)*inverse); v < 0 {
		return v
	}
	return 0
}

// minimise makes Newton steps from the w and *b given or, if that is lower, from w = 0 and *b = best, where the
// objective is f. It returns the objective where they end. An objective below floor counts as 0.
func (s *Solver) minimise(of loss, penalty []float64, l Limits, w []float64, b *float64,
	best, f, floor float64) float64 {
	clear(s.change)
	s.setScores(w, *b)
	if g := of(s, 0) + penaltyOf(penalty, w); g < f {
		f = g
	} else {
		clear(w)
		*b = best
		s.setScores(w, best)
		f = of(s, 0)
	}
	for range l.Steps {
		if f <= floor {
			break
		}
		lower, moved := s.newton(of, penalty, w, b, f)
		done := !moved || f-lower <= float64(l.Tolerance*lower)
		f = lower
		if done {
			break
		}
	}
	return f
}

// penaltyOf returns Σ penalty·|w| for the weights of one model, or of several, one after
// another.
func penaltyOf(penalty, w []float64) float64 {
	total := 0.0
	for ; len(w) > 0; w = w[len(penalty):] {
		for j, v := range w[:len(penalty)] {
			if v != 0 {
				total += float64(penalty[j] * math.Abs(v))
			}
		}
	}
	return total
}

// Logistic minimises Σ c[i]·log(1 + exp(−t[i]·(w·x[i] + b))) + Σ penalty[j]·|w[j]| over
// w and b, and returns the objective where it ends. Labels t are −1 or 1. Weights c
// aren't negative, and nil means 1. It starts from the w and *b given, or from w = 0 and
// the best b if that is lower, and changes them in place.
//
// If all rows of positive weight have the same label, the best b is infinite: w is then 0 and
// b 30 times the label, unless the start is better. If there are no such rows, w and b are
// 0. Where a plane separates the labels and the penalty is 0, weights grow until Steps are
// made or the loss is below 1e-12 Σ c.
func (s *Solver) Logistic(m *Matrix, t []int8, c, penalty []float64, l Limits, w []float64,
	b *float64) (objective float64) {
	l = l.withDefaults()
	total := s.start(m, c, l)
	positive := s.setLabels(t)
	best, f := logOdds(positive, total-positive)
	return s.minimise(logisticLoss, penalty, l, w, b, best, f, floor*total)
}

// LogisticNoBias is [Solver.Logistic] with b = 0. With a column of ones, [Matrix.AddOnes], it is LIBLINEAR's problem,
// whose bias is penalised (Fan et al., LIBLINEAR, JMLR 9, 2008, Section 2).
func (s *Solver) LogisticNoBias(m *Matrix, t []int8, c, penalty []float64, l Limits, w []float64) (objective float64) {
	l = l.withDefaults()
	total := s.start(m, c, l)
	s.noBias = true
	s.setLabels(t)
	var b float64
	return s.minimise(logisticLoss, penalty, l, w, &b, 0, float64(total*math.Ln2), floor*total)
}

// setLabels sets the labels of the rows and returns the weight of those with 1.
func (s *Solver) setLabels(labels []int8) (positive float64) {
	for i, label := range labels[:s.m.n] {
		s.t[i] = float64(label)
		if label > 0 {
			positive += s.c[i]
		}
	}
	return positive
}

// floor times the sum of the weights is an objective that counts as 0.
const floor = 1e-12

// certain is the bias, but for its sign, where all rows have one label.
const certain = 30

// logOdds returns the best bias for rows of these weights by their label if there are
// no features, but at most certain, and the loss.
func logOdds(positive, negative float64) (bias, loss float64) {
	total := positive + negative
	switch {
	case total <= 0:
		return 0, 0
	case positive <= 0:
		return -certain, float64(total * portable.Exp(-certain))
	case negative <= 0:
		return certain, float64(total * portable.Exp(-certain))
	}
	p, n := portable.Log(positive), portable.Log(negative)
	both := portable.Log(total)
	return p - n, float64(positive*(both-p)) + float64(negative*(both-n))
}

// logisticLoss is the loss of [Solver.Logistic]; see loss. Scores below −350 on
// their label's side have the gradient of −350, and the curvature is kept above 1e-12.
func logisticLoss(s *Solver, alpha float64) float64 {
	const largest = 350 // products of two such exponentials don't overflow
	n := len(s.score)
	t, c, change, e := s.t[:n], s.c[:n], s.change[:n], s.exp[:n]
	linear := 0.0
	for i, score := range s.score {
		v := float64(-t[i] * (score + float64(alpha*change[i])))
		if v > largest {
			linear += float64(c[i] * (v - largest))
			v = largest
		}
		e[i] = v
	}
	portable.Exps(e)
	gradient, curvature := s.gradient[:n], s.curvature[:n]
	for i, v := range e {
		q := 1 / (1 + v)
		wrong := float64(v * q)
		gradient[i] = -float64(float64(t[i]*c[i]) * wrong)
		curvature[i] = float64(c[i] * max(float64(wrong*q), 1e-12))
	}
	return linear + weightedLogs(e, c)
}

// weightedLogs returns Σ c[i]·log(1 + e[i]), with e[i] ≤ exp(350). Rows of equal weight that
// follow each other share a logarithm, that of their product.
func weightedLogs(e, c []float64) float64 {
	if len(e) == 0 {
		return 0
	}
	c = c[:len(e)]
	total, product, weight := 0.0, 1.0, c[0]
	for i, v := range e {
		if c[i] != weight || product > 1e150 {
			total += float64(weight * portable.Log(product))
			product, weight = 1, c[i]
		}
		product = float64(product * (1 + v))
	}
	return total + float64(weight*portable.Log(product))
}
