package l1

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// tight ends a fit only where no step lowers the objective by more than rounding.
var tight = Limits{Tolerance: 1e-16, Steps: 100_000, Sweeps: 1000}

// A problem is one of a data set's subsets of rows and features to fit a model to.
type problem struct {
	columns        [][]float32
	rows, features []int32
	x              [][]float64 // the rows and features that are fitted, row by row
	c, penalty     []float64
	labels         []int8
	classes        []int32
	k              int
	values         []float64
}

// drawProblem draws a data set with a share of zeros, a subset of its rows and features in
// ascending order, weights, labels and penalties.
func drawProblem(t *rapid.T) *problem {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n, p := rapid.IntRange(2, 60).Draw(t, "rows"), rapid.IntRange(0, 25).Draw(t, "features")
	zeros := rapid.Float64Range(0, 0.9).Draw(t, "zeros")
	noise := rapid.Float64Range(0, 3).Draw(t, "noise")
	offset := rapid.SampledFrom([]float64{0, 0, 1, 10}).Draw(t, "offset")
	// As much as weights need not to grow without end where a plane separates the rows.
	penalty := math.Exp(rapid.Float64Range(-4, 3).Draw(t, "log penalty"))

	q := &problem{k: rapid.IntRange(2, 4).Draw(t, "classes")}
	total := p + 1 + rng.IntN(3) // features of the data set
	q.columns = make([][]float32, total)
	for j := range q.columns {
		q.columns[j] = make([]float32, n+5)
		scale := math.Exp(rng.NormFloat64())
		for i := range q.columns[j] {
			if rng.Float64() >= zeros {
				q.columns[j][i] = float32(scale * (rng.NormFloat64() + offset))
			}
		}
	}
	q.rows, q.features = subset(rng, n+5, n), subset(rng, total, p)
	w := make([]float64, p)
	for j := range w {
		w[j] = rng.NormFloat64()
		q.penalty = append(q.penalty, penalty*[]float64{0.5, 1, 1, 1e9}[rng.IntN(4)])
	}
	for _, row := range q.rows {
		x, v := make([]float64, p), noise*rng.NormFloat64()
		for k, j := range q.features {
			x[k] = float64(q.columns[j][row])
			v += w[k] * (x[k] - offset)
		}
		q.x = append(q.x, x)
		q.c = append(q.c, []float64{1, 1, 1, 0, 2.5, 0.01}[rng.IntN(6)])
		q.labels = append(q.labels, int8(1-2*b2i(v < 0)))
		q.classes = append(q.classes, int32(min(max(int(v+1.5), 0), q.k-1)))
		q.values = append(q.values, v)
	}
	largest := 1.0
	for _, v := range q.values {
		largest = max(largest, math.Abs(v))
	}
	for i := range q.values {
		q.values[i] /= largest
	}
	return q
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// subset returns k of the numbers below n, in ascending order.
func subset(rng *rand.Rand, n, k int) []int32 {
	all := make([]int32, 0, n)
	for _, v := range rng.Perm(n)[:k] {
		all = append(all, int32(v))
	}
	slices.Sort(all)
	return all
}

func upTo(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// setDense and setSparse take all rows and features.
func setDense(m *Matrix, columns [][]float32) {
	m.SetDense(columns, upTo(len(columns[0])), upTo(len(columns)), make([]float32, len(columns)))
}

func setSparse(m *Matrix, columns [][]float32) {
	m.SetSparse(NewSparse(columns, len(columns[0])), upTo(len(columns[0])), upTo(len(columns)))
}

// matrices returns the problem's rows as a dense and as a sparse matrix.
func (q *problem) matrices() map[string]*Matrix {
	dense, sparse := new(Matrix), new(Matrix)
	dense.SetDense(q.columns, q.rows, q.features, make([]float32, len(q.features)))
	sparse.SetSparse(NewSparse(q.columns, len(q.columns[0])), q.rows, q.features)
	return map[string]*Matrix{"dense": dense, "sparse": sparse}
}

// A model is what a solver returns: weights and biases of one output or of k.
type model struct {
	objective float64
	w, b      []float64
}

// A task is one of the three kinds of model with what defines it: the loss of a row
// given its scores, with the derivatives in the scores.
type task struct {
	outputs int
	noBias  bool
	penalty []float64
	fit     func(s *Solver, m *Matrix, l Limits, w, b []float64) float64
	loss    func(i int, scores []float64) (loss float64, gradient []float64)
}

// tasks returns the three models of a problem, whose losses are written here again, from
// their definitions.
func (q *problem) tasks() map[string]task {
	return map[string]task{
		"logistic": {1, false, q.penalty,
			func(s *Solver, m *Matrix, l Limits, w, b []float64) float64 {
				return s.Logistic(m, q.labels, q.c, q.penalty, l, w, &b[0])
			},
			func(i int, scores []float64) (float64, []float64) {
				t := float64(q.labels[i])
				v := -t * scores[0]
				if v > 0 {
					return v + math.Log1p(math.Exp(-v)), []float64{-t / (1 + math.Exp(-v))}
				}
				return math.Log1p(math.Exp(v)), []float64{-t * math.Exp(v) / (1 + math.Exp(v))}
			}},
		"softmax": {q.k, false, slices.Repeat(q.penalty, q.k),
			func(s *Solver, m *Matrix, l Limits, w, b []float64) float64 {
				return s.Softmax(m, q.classes, q.k, q.c, q.penalty, l, w, b)
			},
			func(i int, scores []float64) (float64, []float64) {
				top, sum := slices.Max(scores), 0.0
				for _, v := range scores {
					sum += math.Exp(v - top)
				}
				gradient := make([]float64, q.k)
				for class, v := range scores {
					gradient[class] = math.Exp(v-top) / sum
				}
				gradient[q.classes[i]]--
				return top + math.Log(sum) - scores[q.classes[i]], gradient
			}},
		"squares": {1, false, q.penalty,
			func(s *Solver, m *Matrix, l Limits, w, b []float64) float64 {
				return s.LeastSquares(m, q.values, q.c, q.penalty, l, w, &b[0])
			},
			func(i int, scores []float64) (float64, []float64) {
				r := scores[0] - q.values[i]
				return r * r, []float64{2 * r}
			}},
	}
}

// withOnes returns the problem with a column of ones, whose weight has a penalty, and its logistic task without a bias.
func (q *problem) withOnes(penalty float64) (*problem, task) {
	more, task := *q, q.tasks()["logistic"]
	more.x, more.penalty = nil, append(slices.Clone(q.penalty), penalty)
	for _, x := range q.x {
		more.x = append(more.x, append(slices.Clone(x), 1))
	}
	task.noBias, task.penalty = true, more.penalty
	task.fit = func(s *Solver, m *Matrix, l Limits, w, _ []float64) float64 {
		return s.LogisticNoBias(m, q.labels, q.c, more.penalty, l, w)
	}
	return &more, task
}

// fit fits a task from w = 0 and b = 0.
func (k task) fitted(m *Matrix, l Limits) model {
	f := model{w: make([]float64, k.outputs*m.p), b: make([]float64, k.outputs)}
	f.objective = k.fit(new(Solver), m, l, f.w, f.b)
	return f
}

// evaluate returns the objective of a model, and the sum of all violations of the conditions of an
// optimum: of a bias, its gradient; of a weight, how far 0 lies outside its subdifferential.
func (q *problem) evaluate(k task, f model) (objective, violation float64) {
	p := len(q.penalty)
	gradient, biases := make([]float64, len(f.w)), make([]float64, k.outputs)
	for i, x := range q.x {
		scores := slices.Clone(f.b)
		for o := range scores {
			for j, v := range x {
				scores[o] += f.w[o*p+j] * v
			}
		}
		loss, g := k.loss(i, scores)
		objective += q.c[i] * loss
		for o, g := range g {
			biases[o] += q.c[i] * g
			for j, v := range x {
				gradient[o*p+j] += q.c[i] * g * v
			}
		}
	}
	for _, g := range biases {
		if !k.noBias {
			violation += math.Abs(g)
		}
	}
	for j, w := range f.w {
		objective += k.penalty[j] * math.Abs(w)
		switch g := gradient[j]; {
		case w > 0:
			violation += math.Abs(g + k.penalty[j])
		case w < 0:
			violation += math.Abs(g - k.penalty[j])
		default:
			violation += max(0, math.Abs(g)-k.penalty[j])
		}
	}
	return objective, violation
}

// alike reports whether all rows of positive weight have one label of the task: the best
// bias is infinite then, or there are no rows.
func (q *problem) alike(name string) bool {
	seen := map[int32]bool{}
	for i, c := range q.c {
		if c > 0 {
			switch name {
			case "logistic":
				seen[int32(q.labels[i])] = true
			case "softmax":
				seen[q.classes[i]] = true
			}
		}
	}
	switch name {
	case "logistic":
		return len(seen) < 2
	case "softmax":
		return len(seen) < q.k
	}
	return false
}

// Fits are optimal: subgradients hold 0, and the objective is what the definition says.
func TestFitsAreOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawProblem(t)
		for name, task := range q.tasks() {
			objectives := map[string]float64{}
			for form, m := range q.matrices() {
				f := task.fitted(m, tight)
				objective, violation := q.evaluate(task, f)
				objectives[form] = objective
				if math.Abs(objective-f.objective) > 1e-9*(objective+1e-3) {
					t.Fatalf("%s, %s: an objective of %v is returned; it is %v", name, form, f.objective, objective)
				}
				if violation > 1e-5*float64(len(q.x)) && !q.alike(name) {
					t.Fatalf("%s, %s: subgradients miss 0 by %v; %v", name, form, violation, f)
				}
			}
			if a, b := objectives["dense"], objectives["sparse"]; math.Abs(a-b) > 1e-9*(a+1e-3) && !q.alike(name) {
				t.Fatalf("%s: %v with all cells, %v with those that aren't 0", name, a, b)
			}
		}
	})
}

// A penalised bias is optimal: where it isn't 0 the loss's derivative in it is minus its penalty times its sign, where
// it is 0 at most the penalty, as for weights. A solver that has fitted one fits others as before.
func TestPenalisedBiasIsOptimal(t *testing.T) {
	var used Solver
	rapid.Check(t, func(t *rapid.T) {
		q := drawProblem(t)
		more, task := q.withOnes(rapid.SampledFrom([]float64{0.01, 0.3, 5}).Draw(t, "penalty"))
		for form, m := range q.matrices() {
			free := q.tasks()["logistic"]
			want := free.fitted(m, tight)
			m.AddOnes()
			f := task.fitted(m, tight)
			objective, violation := more.evaluate(task, f)
			if math.Abs(objective-f.objective) > 1e-9*(objective+1e-3) {
				t.Fatalf("%s: an objective of %v is returned; it is %v", form, f.objective, objective)
			}
			if violation > 1e-5*float64(len(q.x)) && !q.alike("logistic") {
				t.Fatalf("%s: subgradients miss 0 by %v; %v", form, violation, f)
			}
			task.fit(&used, m, tight, make([]float64, m.p), nil)
			got := model{w: make([]float64, len(q.penalty)), b: make([]float64, 1)}
			got.objective = free.fit(&used, q.matrices()[form], tight, got.w, got.b)
			if got.objective != want.objective || !slices.Equal(got.w, want.w) {
				t.Fatalf("%s: %v after a fit without a bias, %v before", form, got, want)
			}
		}
	})
}
