package l1

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"pgregory.net/rapid"
)

// Cells are what the definitions say, in both forms.
func TestMatrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawProblem(t)
		shift := make([]float32, len(q.features))
		for j := range shift {
			shift[j] = rand.New(rand.NewPCG(uint64(j), 1)).Float32()
		}
		shifted := new(Matrix)
		shifted.SetDense(q.columns, q.rows, q.features, shift)
		m := q.matrices()
		for form, m := range m {
			if m.n != len(q.rows) || m.p != len(q.features) {
				t.Fatalf("%s: %d×%d, want %d×%d", form, m.n, m.p, len(q.rows), len(q.features))
			}
		}
		for k, j := range q.features {
			got := make([]float64, len(q.rows))
			m["sparse"].add(k, 1, got)
			for i, row := range q.rows {
				x := q.columns[j][row]
				if v := shifted.column(k)[i]; v != x-shift[k] {
					t.Fatalf("cell %d, %d is %v, want %v − %v", i, k, v, x, shift[k])
				}
				if v := m["dense"].column(k)[i]; v != x || got[i] != float64(x) {
					t.Fatalf("cell %d, %d is %v (dense) and %v (sparse), want %v", i, k, v, got[i], x)
				}
			}
		}
	})
}

// Whatever the start and the limits, the objective doesn't rise, and it is what the
// definition says. A solver that has fitted other data returns the same bits as a new one.
func TestObjectivesNeverRise(t *testing.T) {
	var used Solver
	rapid.Check(t, func(t *rapid.T) {
		q := drawProblem(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "start"), 2))
		scale := math.Exp(rapid.Float64Range(-5, 5).Draw(t, "log scale"))
		limits := Limits{
			Tolerance: rapid.SampledFrom([]float64{0, 1e-9}).Draw(t, "tolerance"),
			Steps:     rapid.IntRange(0, 4).Draw(t, "steps"),
			Sweeps:    rapid.IntRange(0, 4).Draw(t, "sweeps"),
		}
		for name, task := range q.tasks() {
			for form, m := range q.matrices() {
				start := model{w: make([]float64, task.outputs*m.p), b: make([]float64, task.outputs)}
				for j := range start.w {
					start.w[j] = scale * rng.NormFloat64() * float64(rng.IntN(2))
				}
				for j := range start.b {
					start.b[j] = scale * rng.NormFloat64()
				}
				before, _ := q.evaluate(task, start)
				end := model{w: slices.Clone(start.w), b: slices.Clone(start.b)}
				end.objective = task.fit(&used, m, limits, end.w, end.b)
				after, _ := q.evaluate(task, end)
				if !(after <= before*(1+1e-9)+1e-9) {
					t.Fatalf("%s, %s: from %v to %v", name, form, before, after)
				}
				if !(math.Abs(after-end.objective) <= 1e-9*(after+1e-3)) {
					t.Fatalf("%s, %s: an objective of %v is returned; it is %v", name, form, end.objective, after)
				}
				objective := task.fit(new(Solver), m, limits, start.w, start.b)
				if objective != end.objective || !slices.Equal(start.w, end.w) || !slices.Equal(start.b, end.b) {
					t.Fatalf("%s, %s: a solver that was used before returns %v, a new one %v", name, form, end, start)
				}
			}
		}
	})
}

// minimise1 returns the smallest value of a convex function between lo and hi.
func minimise1(lo, hi float64, f func(float64) float64) float64 {
	for range 36 {
		a, b := lo+(hi-lo)*0.382, hi-(hi-lo)*0.382
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return f((lo + hi) / 2)
}

// With one or two features the optimum is what nested searches along w and b find.
func TestSearches(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for p := 1; p <= 2; p++ {
		for range 4 - 3*(p-1) {
			q := &problem{penalty: slices.Repeat([]float64{math.Exp(2*rng.NormFloat64() - 1)}, p)}
			q.columns, q.rows, q.features = make([][]float32, p), upTo(8), upTo(p)
			for range 8 {
				x := make([]float64, p)
				for j := range x {
					x[j] = float64(float32(rng.NormFloat64() + 1))
					q.columns[j] = append(q.columns[j], float32(x[j]))
				}
				q.x = append(q.x, x)
				q.c = append(q.c, rng.Float64()+0.1)
				q.labels = append(q.labels, int8(2*rng.IntN(2)-1))
				q.values = append(q.values, x[0]+rng.NormFloat64())
			}
			q.labels[0], q.labels[1] = 1, -1
			copy(q.x[1], q.x[0]) // one place with both labels: the optimum is finite
			for j, v := range q.x[0] {
				q.columns[j][1] = float32(v)
			}
			tasks := q.tasks()
			for _, name := range []string{"logistic", "squares"} {
				task := tasks[name]
				f := model{w: make([]float64, p), b: make([]float64, 1)}
				search := func(w float64) float64 {
					f.w[0] = w
					return minimise1(-20, 20, func(b float64) float64 {
						f.b[0] = b
						v, _ := q.evaluate(task, f)
						return v
					})
				}
				if p == 2 {
					inner := search
					search = func(w float64) float64 {
						f.w[1] = w
						return minimise1(-20, 20, inner)
					}
				}
				want := minimise1(-20, 20, search)
				for form, m := range q.matrices() {
					if got := task.fitted(m, tight).objective; got > want || got < want*(1-1e-5) {
						t.Errorf("%s, %d features, %s: %v, a search finds %v", name, p, form, got, want)
					}
				}
			}
		}
	}
}

// fitLogistic fits rows with equal penalties from 0 and returns the model.
func fitLogistic(x [][]float32, t []int8, c []float64, penalty float64, l Limits) (f, sparse model) {
	fit := func(m *Matrix) model {
		f := model{w: make([]float64, len(x)), b: make([]float64, 1)}
		f.objective = new(Solver).Logistic(m, t, c, slices.Repeat([]float64{penalty}, len(x)), l, f.w, &f.b[0])
		return f
	}
	var a, b Matrix
	rows, features := upTo(len(t)), upTo(len(x))
	a.SetDense(x, rows, features, make([]float32, len(x)))
	b.SetSparse(NewSparse(x, len(t)), rows, features)
	return fit(&a), fit(&b)
}

func finite(f model) bool {
	for _, v := range append(append([]float64{f.objective}, f.w...), f.b...) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func TestLogisticAtItsLimits(t *testing.T) {
	const huge = 1e30
	labels := []int8{1, -1, 1, 1}
	// With 3 of 4 rows positive, the best bias is log 3, and the loss is 3 log(4/3) + log 4.
	constant := 3*math.Log(4.0/3) + math.Log(4)
	for name, x := range map[string][][]float32{
		"no features":                    {},
		"constant columns":               {{5, 5, 5, 5}, {0, 0, 0, 0}, {0.1, 0.1, 0.1, 0.1}},
		"equal rows of different labels": {{1, 1, 1, 1}, {2, 2, 2, 2}},
		"huge constant":                  {{huge, huge, huge, huge}},
	} {
		for _, penalty := range []float64{0, 1, 1e9} {
			dense, sparse := fitLogistic(x, labels, nil, penalty, tight)
			for _, f := range []model{dense, sparse} {
				if math.Abs(f.b[0]-math.Log(3)) > 1e-12 || math.Abs(f.objective-constant) > 1e-12 ||
					slices.ContainsFunc(f.w, func(v float64) bool { return v != 0 }) {
					t.Errorf("%s, penalty %v: %v", name, penalty, f)
				}
			}
		}
	}
	// A penalty that is too large leaves the constant alone, at the cost of no weight.
	f, _ := fitLogistic([][]float32{{1, -1, 2, 1}}, labels, nil, 1e9, tight)
	if f.w[0] != 0 || math.Abs(f.b[0]-math.Log(3)) > 1e-12 {
		t.Errorf("with a penalty of 1e9: %v", f)
	}
	// Where a plane separates the rows and the penalty is 0, the loss goes to 0.
	for _, scale := range []float32{1, huge, 1 / huge} {
		for _, limits := range []Limits{{}, tight} {
			dense, sparse := fitLogistic([][]float32{{scale, -scale, 2 * scale, scale}}, labels, nil, 0, limits)
			for _, f := range []model{dense, sparse} {
				if !finite(f) || f.objective > 0.1 || limits == tight && f.objective > 4e-12 {
					t.Errorf("separable rows, cells of %v, limits %v: %v", scale, limits, f)
				}
			}
		}
	}
	// Cells of very different size in one column.
	for _, penalty := range []float64{0, 1e-3, 1} {
		dense, sparse := fitLogistic([][]float32{{1, huge, -huge, 2}, {0, 1, 0, huge}}, labels, nil, penalty, tight)
		if !finite(dense) || !finite(sparse) || dense.objective > constant || sparse.objective > constant {
			t.Errorf("cells up to %v, penalty %v: %v, %v", float32(huge), penalty, dense, sparse)
		}
	}
	for _, c := range [][]float64{nil, {1, 0, 2, 1}} {
		all := []int8{1, 1, 1, 1}
		if c != nil {
			all = labels // the row of the other label has weight 0
		}
		f, _ := fitLogistic([][]float32{{1, -1, 2, 1}}, all, c, 1, tight)
		if f.w[0] != 0 || f.b[0] != 30 || !(f.objective > 0 && f.objective < 1e-12) {
			t.Errorf("rows of one label, weights %v: %v", c, f)
		}
	}
	for _, n := range []int{0, 2} {
		f, _ := fitLogistic([][]float32{make([]float32, n)}, make([]int8, n), make([]float64, n), 1, Limits{})
		if f.w[0] != 0 || f.b[0] != 0 || f.objective != 0 {
			t.Errorf("%d rows of no weight: %v", n, f)
		}
		var m Matrix
		setDense(&m, [][]float32{make([]float32, n)})
		w, b := []float64{1}, 1.0
		squares := new(Solver).LeastSquares(&m, make([]float64, n), make([]float64, n), []float64{1}, Limits{}, w, &b)
		if squares != 0 || w[0] != 0 || b != 0 {
			t.Errorf("least squares of %d rows of no weight: %v, weight %v, bias %v", n, squares, w[0], b)
		}
	}
}

// checkStart fails unless fits of the labels, and of softmax to the same two classes, reach the optimum from the given
// weights and biases. With two classes only the difference u of their weights matters, and the smallest |w₀| + |w₁|
// is |u|.
func checkStart(t *testing.T, what string, x [][]float32, labels []int8, c []float64, penalty float64, w []float64,
	b float64, softmax []float64) {
	t.Helper()
	want, _ := fitLogistic(x, labels, c, penalty, tight)
	classes := make([]int32, len(labels))
	for i, label := range labels {
		classes[i] = int32(1+label) / 2
	}
	var m Matrix
	setDense(&m, x)
	penalties, biases := slices.Repeat([]float64{penalty}, len(x)), []float64{b, 0}
	for name, got := range map[string]float64{
		"logistic": new(Solver).Logistic(&m, labels, c, penalties, tight, w, &b),
		"softmax":  new(Solver).Softmax(&m, classes, 2, c, penalties, tight, softmax, biases),
	} {
		if !(math.Abs(got-want.objective) < 1e-11*(1+want.objective)) {
			t.Errorf("%s %s: %v, want %v", name, what, got, want.objective)
		}
	}
}

// Starts far away, where all curvatures are 0 to rounding, don't matter.
func TestFarStarts(t *testing.T) {
	x := [][]float32{{1, -1, 2, 1, 0}, {3, 1, 0, 1, 1}}
	for _, start := range []float64{1e3, -1e3, 1e200, math.MaxFloat64, math.Inf(1), math.NaN()} {
		checkStart(t, fmt.Sprint("from ", start), x, []int8{1, -1, -1, 1, 1}, nil, 0.5,
			[]float64{start, -start}, start, []float64{start, -start, start, 0})
	}
}

// A start that is good but for a few rows far on the wrong side, whose exponentials
// overflow, is improved to the optimum.
func TestRowsFarOnTheWrongSide(t *testing.T) {
	for _, far := range []float32{-30, -40, -120, -400} {
		x, labels, c := []float32{1, -1}, []int8{1, -1}, []float64{5000, 5000}
		for count := 1; count <= 4; count++ {
			x, labels, c = append(x, far), append(labels, 1), append(c, 1)
			// margins of 8.5, and of 8.5·far
			checkStart(t, fmt.Sprintf("with %d rows at %v", count, far), [][]float32{x}, labels, c, 0.5,
				[]float64{8.5}, 0, []float64{-4.25, 4.25})
		}
	}
}

// A row that has a feature of its own, and is far on the wrong side, goes as far to the
// other side, where exponentials would overflow the other way.
func TestRowsThatCrossOver(t *testing.T) {
	x := [][]float32{{1, -1, 0}, {0, 0, 1}}
	for _, start := range []float64{20, 200, 2000, 6000} {
		checkStart(t, fmt.Sprint("from ", start), x, []int8{1, -1, -1}, []float64{5000, 5000, 1}, 1e-6,
			[]float64{8.5, start}, 0, []float64{-4.25, -start, 4.25, 0})
	}
}

// Weights of constant columns are 0, though sums over them are rounded.
func TestConstantColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 50 {
		x, labels, c := make([][]float32, 4), make([]int8, 40), make([]float64, 40)
		for j := range x {
			x[j] = slices.Repeat([]float32{rng.Float32()}, 40)
		}
		for i := range c {
			labels[i], c[i], x[3][i] = int8(1-2*(i%2)), rng.Float64(), rng.Float32()+float32(i%2)/4
		}
		for _, sweeps := range []int{1, tight.Sweeps} { // without a Gram matrix, and with one
			dense, sparse := fitLogistic(x, labels, c, 0, Limits{Tolerance: 1e-9, Steps: 100, Sweeps: sweeps})
			for _, f := range []model{dense, sparse} {
				if !slices.Equal(f.w[:3], []float64{0, 0, 0}) || f.w[3] == 0 {
					t.Fatalf("weights %v, those of constant columns first", f.w)
				}
			}
		}
	}
}

func TestSoftmaxOfOneClass(t *testing.T) {
	var m Matrix
	setDense(&m, [][]float32{{1, 2, 3}})
	w, b := []float64{1, 2, 3}, []float64{1, 2, 3}
	f := new(Solver).Softmax(&m, []int32{1, 1, 1}, 3, nil, []float64{1}, Limits{}, w, b)
	if !slices.Equal(w, []float64{0, 0, 0}) || !slices.Equal(b, []float64{-30, 0, -30}) || !(f > 0 && f < 1e-12) {
		t.Errorf("weights %v, biases %v, objective %v", w, b, f)
	}
}

// Without a penalty and with more rows than features, least squares solve the normal
// equations: here y = 2x₀ − x₁ + 3 exactly, far from 0.
func TestLeastSquaresOfAPlane(t *testing.T) {
	var m Matrix
	x := [][]float32{{1000, 1001, 1002, 1003, 1004}, {5, 3, 4, 4, 1}}
	setDense(&m, x)
	y := make([]float64, 5)
	for i := range y {
		y[i] = 2*float64(x[0][i]) - float64(x[1][i]) + 3
	}
	w, b := make([]float64, 2), 0.0
	new(Solver).LeastSquares(&m, y, nil, make([]float64, 2), tight, w, &b)
	if math.Abs(w[0]-2) > 1e-5 || math.Abs(w[1]+1) > 1e-5 || math.Abs(b-3) > 1e-2 {
		t.Errorf("%v, %v", w, b)
	}
}

// Fits of sizes seen before allocate nothing.
func TestFitsAllocateNothing(t *testing.T) {
	columns, labels := benchmarkData(200, 12, 0.7)
	sparse := NewSparse(columns, len(columns[0]))
	classes, values := make([]int32, 200), make([]float64, 200)
	for i := range classes {
		classes[i], values[i] = int32(i%3), float64(i)
	}
	rows, penalty, w, b := subset(rand.New(rand.NewPCG(1, 1)), 200, 150), make([]float64, 12), make([]float64, 36),
		make([]float64, 3)
	features, shift := upTo(12), make([]float32, 12)
	var s Solver
	var m Matrix
	if got := testing.AllocsPerRun(3, func() {
		for _, set := range []func(){func() { m.SetDense(columns, rows, features, shift) },
			func() { m.SetSparse(sparse, rows, features) }} {
			set()
			s.Logistic(&m, labels, nil, penalty, Limits{}, w[:12], &b[0])
			s.Softmax(&m, classes, 3, nil, penalty, Limits{}, w, b)
			s.LeastSquares(&m, values, nil, penalty, Limits{}, w[:12], &b[0])
		}
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// The bits of fits are the same on every processor, with the default limits and with tight
// ones. This hash changes with any change of the arithmetic; what matters is that it is
// one hash for all processors.
func TestBits(t *testing.T) {
	const want = 0x4a1021adc0f4273a
	columns, labels := benchmarkData(150, 20, 0.5)
	q := &problem{columns: columns, labels: labels, k: 3}
	for i := range labels {
		q.rows = append(q.rows, int32(i))
		q.c = append(q.c, 1+float64(i%3)/4)
		q.classes = append(q.classes, int32(columns[0][i]+columns[3][i])%3)
		q.values = append(q.values, float64(columns[5][i]-columns[6][i]))
	}
	for j := range columns {
		q.features = append(q.features, int32(j))
		q.penalty = append(q.penalty, 0.3)
	}
	hash := fnv.New64a()
	for _, name := range []string{"logistic", "softmax", "squares"} {
		for _, form := range []string{"dense", "sparse"} {
			for _, limits := range []Limits{{}, {Tolerance: 1e-9, Steps: 50, Sweeps: 20}} {
				f := q.tasks()[name].fitted(q.matrices()[form], limits)
				for _, v := range append(append(f.w, f.b...), f.objective) {
					hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
				}
			}
		}
	}
	if got := hash.Sum64(); got != uint64(want) {
		t.Errorf("a hash of %#x, want %#x", got, want)
	}
}
