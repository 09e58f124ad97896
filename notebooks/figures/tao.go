package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A taoData is a data set of the TAO paper with its training and test rows.
type taoData struct {
	name string
	load func(ctx context.Context, repeat int) (train, test *datasets.Dataset, err error)
}

// taoLetter has the paper's rows: the last 4,000 are for testing.
var taoLetter = taoData{"letter", func(ctx context.Context, _ int) (train, test *datasets.Dataset, err error) {
	d, err := public.Load(ctx, "letter")
	if err != nil {
		return nil, nil, err
	}
	return d.Subset(from(0, 16_000)), d.Subset(from(16_000, 20_000)), nil
}}

// MNIST returns the first rows of MNIST's training part, 0 for all, and its test part,
// with pixels in [0, 1].
func MNIST(ctx context.Context, rows int) (train, test *datasets.Dataset, err error) {
	if train, err = public.Load(ctx, "mnist"); err != nil {
		return nil, nil, err
	}
	if test, err = public.Load(ctx, "mnist_test"); err != nil {
		return nil, nil, err
	}
	if rows > 0 {
		train = train.Subset(from(0, int32(rows)))
	}
	return toUnit(train), toUnit(test), nil
}

func taoMNIST(name string, rows int) taoData {
	return taoData{name, func(ctx context.Context, _ int) (train, test *datasets.Dataset, err error) { return MNIST(ctx, rows) }}
}

var (
	mnist60 = taoMNIST("mnist", 0)
	mnist20 = taoMNIST("mnist20", 20_000)
)

func from(begin, end int32) []int32 {
	rows := make([]int32, 0, end-begin)
	for r := begin; r < end; r++ {
		rows = append(rows, r)
	}
	return rows
}

// toUnit returns a copy of images whose pixels are divided by 255.
func toUnit(d *datasets.Dataset) *datasets.Dataset {
	unit := *d
	unit.Rows, unit.Columns = nil, make([][]float32, d.P())
	for j := range unit.Columns {
		unit.Columns[j] = make([]float32, d.N())
		for i, x := range d.Column(nil, j) {
			unit.Columns[j][i] = x / 255
		}
	}
	return &unit
}

// A taoRun trains a TAO forest and measures it after some of its passes and trees.
type taoRun struct {
	data    taoData
	method  string
	x       int
	learner tao.Learner
	trees   []int // numbers of the first trees that are measured as a forest; all trees always are
	passes  []int // after which; the last always is
}

// runs returns a run for each of the repeats, seeded by their number.
func (t taoRun) runs(repeats int) []Run {
	var runs []Run
	for repeat := 1; repeat <= repeats; repeat++ {
		l := t.learner
		l.Seed = uint64(repeat)
		runs = append(runs, Run{Problem: t.data.name, Method: t.method, X: t.x, Repeat: repeat, Seed: l.Seed, Do: func(ctx context.Context) (Result, error) {
			train, test, err := t.data.load(ctx, repeat)
			if err != nil {
				return Result{}, err
			}
			return t.measure(ctx, l, train, test)
		}})
	}
	return runs
}

// measure trains the forest. The score is its test error. More has test and training error,
// parameters and FLOPs by number of trees and of passes ("test.30.40"), and the mean test
// error of single trees by passes ("tree.40").
func (t taoRun) measure(ctx context.Context, l tao.Learner, train, test *datasets.Dataset) (Result, error) {
	var history tao.History
	fit := l.Fit
	if len(t.passes) > 0 {
		fit = func(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
			return history.Fit(ctx, l, train)
		}
	}
	begin := time.Now()
	f, err := fit(ctx, train)
	if err != nil {
		return Result{}, err
	}
	lambda, last := cmp.Or(l.Lambda, 0.01), cmp.Or(l.Passes, 40)
	r := Result{Seconds: time.Since(begin).Seconds(), Setting: fmt.Sprintf("λ=%v", lambda), More: map[string]float64{}}
	for _, passes := range append(t.passes, last) {
		at := f
		if passes != last {
			at = history.Forest(passes)
		}
		for _, trees := range append(t.trees, len(f.Trees)) {
			part := *at
			part.Trees = at.Trees[:min(trees, len(at.Trees))]
			name := fmt.Sprintf(".%d.%d", trees, passes)
			r.Score = eval.Error(must.Value(part.Predict(ctx, test)), test.Labels)
			r.More["test"+name] = r.Score
			r.More["train"+name] = eval.Error(must.Value(part.Predict(ctx, train)), train.Labels)
			size := part.Size()
			r.More["parameters"+name], r.More["flops"+name] = float64(size.Parameters), size.FLOPs
		}
		r.More[fmt.Sprintf("tree.%d", passes)] = meanTreeError(at, test)
	}
	r.More["bytes"] = float64(f.Size().Bytes)
	return r, nil
}

// meanTreeError returns the mean test error of a forest's trees, each by itself.
func meanTreeError(f *forest.Forest, test *datasets.Dataset) float64 {
	var sum float64
	for i := range f.Trees {
		one := *f
		one.Trees = f.Trees[i : i+1]
		sum += eval.Error(must.Value(one.Predict(context.Background(), test)), test.Labels)
	}
	return sum / float64(len(f.Trees))
}

// others returns runs of other learners, measured like a TAO forest.
func (d taoData) others(repeats int, method string, x int, learner func(seed uint64) forest.Learner) []Run {
	var runs []Run
	for repeat := 1; repeat <= repeats; repeat++ {
		seed := uint64(repeat)
		runs = append(runs, Run{Problem: d.name, Method: method, X: x, Repeat: repeat, Seed: seed, Do: func(ctx context.Context) (Result, error) {
			train, test, err := d.load(ctx, repeat)
			if err != nil {
				return Result{}, err
			}
			begin := time.Now()
			f, err := learner(seed).Fit(ctx, train)
			if err != nil {
				return Result{}, err
			}
			size := f.Size()
			return Result{
				Score:   eval.Error(must.Value(f.Predict(ctx, test)), test.Labels),
				Seconds: time.Since(begin).Seconds(),
				More: map[string]float64{"train": eval.Error(must.Value(f.Predict(ctx, train)), train.Labels), "parameters": float64(size.Parameters),
					"flops": size.FLOPs, "bytes": float64(size.Bytes)},
			}, nil
		}})
	}
	return runs
}

// pixels is a learner for MNIST with a penalty that the paper doesn't use, since 0.01
// overfits single trees there; features aren't scaled, since all are pixels.
func pixels(l tao.Learner, lambda float64) tao.Learner {
	l.Unscaled, l.Lambda = true, lambda
	return l
}

// TAOTable2 is table 2 for Letter and MNIST: test error, parameters and FLOPs of CART,
// random forests, TAO-c and TAO-l. X is the depth of TAO trees, otherwise the number of
// trees. The fast setting is Letter with 5 trees, once.
func TAOTable2(paper bool) Experiment {
	e := Experiment{Name: "tao-table2-fast"}
	if !paper {
		e.Runs = taoRun{data: taoLetter, method: "tao-c", x: 11, learner: tao.Learner{Trees: 5, Depth: 11, Passes: 10}, trees: []int{1}}.runs(1)
		return e
	}
	e.Name = "tao-table2-paper"
	letter := func(method string, depth int, l tao.Learner) {
		l.Depth = depth
		e.Runs = append(e.Runs, taoRun{data: taoLetter, method: method, x: depth, learner: l, trees: []int{1, 5, 10, 20}}.runs(5)...)
	}
	forests := func(d taoData, repeats int) {
		e.Runs = append(e.Runs, d.others(repeats, "cart", 1, func(uint64) forest.Learner { return rf.CART{} })...)
		for _, trees := range []int{100, 1000} {
			e.Runs = append(e.Runs, d.others(repeats, "rf", trees, func(seed uint64) forest.Learner { return rf.Learner{Trees: trees, Seed: seed} })...)
		}
	}
	letter("tao-c", 11, tao.Learner{Lambda: 0.01})
	forests(taoLetter, 5)
	letter("tao-l", 6, tao.Learner{LinearLeaves: true, Lambda: 0.01})
	letter("tao-l", 7, tao.Learner{LinearLeaves: true, Lambda: 0.01})
	letter("tao-l λ=1", 6, tao.Learner{LinearLeaves: true, Lambda: 1})
	// those that TAOLambda prefers
	letter("tao-c λ=0.1", 11, tao.Learner{Lambda: 0.1})
	letter("tao-l λ=10", 6, tao.Learner{LinearLeaves: true, Lambda: 10})
	mnist := func(method string, depth int, l tao.Learner, trees ...int) {
		l.Depth = depth
		e.Runs = append(e.Runs, taoRun{data: mnist60, method: method, x: depth, learner: l, trees: trees}.runs(1)...)
	}
	mnist("tao-c λ=1", 8, pixels(tao.Learner{Trees: 40}, 1), 1, 10, 20)
	forests(mnist60, 1)
	mnist("tao-c", 8, pixels(tao.Learner{Trees: 10}, 0.01), 1, 5)
	mnist("tao-l λ=10", 5, pixels(tao.Learner{Trees: 10, LinearLeaves: true}, 10), 1, 5)
	return e
}

// TAOAcceptance trains Letter trees whose fits are accepted freely, strictly, or freely and
// then strictly (X is the number of passes): test error, and loss and penalty of the
// objective after each pass ("loss.3", "penalty.3"), both for the first tree.
func TAOAcceptance(paper bool) Experiment {
	e := Experiment{Name: "tao-acceptance-fast"}
	trees, passes, repeats := 1, 10, 1
	if paper {
		e.Name = "tao-acceptance-paper"
		trees, passes, repeats = 2, 40, 5
	}
	for _, by := range []struct {
		name       string
		acceptance tao.Acceptance
	}{{"free then strict", tao.FreeThenStrict}, {"free", tao.Free}, {"strict", tao.Strict}} {
		for repeat := 1; repeat <= repeats; repeat++ {
			l := tao.Learner{Trees: trees, Depth: 11, Passes: passes, Acceptance: by.acceptance, Seed: uint64(repeat)}
			e.Runs = append(e.Runs, Run{Problem: "letter", Method: by.name, X: passes, Repeat: repeat, Seed: l.Seed, Do: func(ctx context.Context) (Result, error) {
				train, test, err := taoLetter.load(ctx, repeat)
				if err != nil {
					return Result{}, err
				}
				return traced(ctx, l, train, test)
			}})
		}
	}
	return e
}

// traced trains a forest. The score is the mean test error of its trees.
func traced(ctx context.Context, l tao.Learner, train, test *datasets.Dataset) (Result, error) {
	var history tao.History
	begin := time.Now()
	f, err := history.Fit(ctx, l, train)
	if err != nil {
		return Result{}, err
	}
	r := Result{Score: meanTreeError(f, test), Seconds: time.Since(begin).Seconds(), More: map[string]float64{}}
	for _, p := range history.Passes() {
		if p.Tree == 0 {
			r.More[fmt.Sprintf("loss.%d", p.Number)], r.More[fmt.Sprintf("penalty.%d", p.Number)] = p.Loss, p.Penalty
		}
	}
	for p := range l.Passes {
		r.More[fmt.Sprintf("test.%d", p+1)] = meanTreeError(history.Forest(p+1), test)
	}
	return r, nil
}

// TAODiversity is figures 1 and 2: the test error by the share of rows in each tree's
// sample (X in percent, 0 for the bootstrap), with the same or different initial trees,
// and by number of trees. Depth is 11 for Letter, 8 for MNIST.
func TAODiversity(paper bool) Experiment {
	e := Experiment{Name: "tao-fig12-fast"}
	shares, repeats, trees, passes := []int{0, 90}, 1, 5, 5
	if paper {
		e.Name = "tao-fig12-paper"
		shares, repeats, trees, passes = []int{0, 30, 50, 70, 80, 90, 100}, 5, 20, 20
	}
	add := func(d taoData, l tao.Learner, repeats int) {
		for _, same := range []bool{false, true} {
			for _, share := range shares {
				l.Trees, l.SameStart = trees, same
				l.Sampling = forest.Sampling{Fraction: float64(share) / 100, WithoutReplacement: true}
				if share == 0 {
					l.Sampling = forest.Sampling{Fraction: 1}
				}
				method := "different start"
				if same {
					method = "same start"
				}
				e.Runs = append(e.Runs, taoRun{data: d, method: method, x: share, learner: l, trees: []int{1, 2, 5, 10}}.runs(repeats)...)
			}
		}
	}
	add(taoLetter, tao.Learner{Depth: 11, Passes: passes}, repeats)
	if paper {
		add(mnist20, pixels(tao.Learner{Depth: 8, Passes: 10}, 0.1), 1)
	}
	return e
}

// TAOPasses is figures 3 and 4: training and test error by depth (X), number of passes and
// number of trees.
func TAOPasses(paper bool) Experiment {
	e := Experiment{Name: "tao-fig34-fast"}
	depths, trees, passes := []int{6, 10}, 3, 10
	if paper {
		e.Name = "tao-fig34-paper"
		depths, trees, passes = []int{4, 6, 8, 9, 10, 11, 12}, 30, 80
	}
	at := []int{1, 2, 5, 10, 20, 40, 60}
	for len(at) > 0 && at[len(at)-1] >= passes {
		at = at[:len(at)-1]
	}
	for _, depth := range depths {
		e.Runs = append(e.Runs, taoRun{data: taoLetter, method: "tao-c", x: depth, trees: []int{1, 2, 5, 10, 20}, passes: at,
			learner: tao.Learner{Trees: trees, Depth: depth, Passes: passes, Acceptance: tao.Free}}.runs(1)...)
	}
	if paper {
		for _, depth := range []int{4, 6, 8, 10} {
			e.Runs = append(e.Runs, taoRun{data: mnist20, method: "tao-c", x: depth, trees: []int{1, 2, 5}, passes: at[:4],
				learner: pixels(tao.Learner{Trees: 10, Depth: depth, Passes: 20, Acceptance: tao.Free}, 0.1)}.runs(1)...)
		}
	}
	return e
}

// TAOTrees is figure 5: the error by number of trees, of TAO-c with depth 11 and 80
// passes, and of random forests (X is the number of trees of these, 0 for TAO).
func TAOTrees(paper bool) Experiment {
	e := Experiment{Name: "tao-fig5-fast"}
	trees, passes := []int{1, 5}, 5
	if paper {
		e.Name = "tao-fig5-paper"
		trees, passes = []int{1, 2, 5, 10, 20, 40, 60, 80, 100}, 80
	}
	most := trees[len(trees)-1]
	e.Runs = taoRun{data: taoLetter, method: "tao-c", trees: trees[:len(trees)-1], learner: tao.Learner{Trees: most, Depth: 11, Passes: passes}}.runs(1)
	for _, t := range trees {
		e.Runs = append(e.Runs, taoLetter.others(1, "rf", t, func(seed uint64) forest.Learner { return rf.Learner{Trees: t, Seed: seed} })...)
	}
	return e
}

// TAOPairs is table 6: two classes made from MNIST, T = 30, Δ = 5, the test error by
// ten-fold cross-validation over all 70,000 images of these digits. A record's repeat is
// its fold. The fast setting is one fold of two pairs, with λ = 1, 3 trees and 5 passes.
func TAOPairs(paper bool) Experiment {
	e := Experiment{Name: "tao-table6-fast"}
	pairs := []struct {
		name  string
		class [10]int32 // of each digit, −1 for none
	}{
		{"2 against 4", [10]int32{-1, -1, 0, -1, 1, -1, -1, -1, -1, -1}},
		{"3 against 8", [10]int32{-1, -1, -1, 0, -1, -1, -1, -1, 1, -1}},
		{"even against odd", [10]int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
	}
	folds, trees, passes, lambdas := 10, 30, 20, []float64{0.01, 1}
	if paper {
		e.Name = "tao-table6-paper"
	} else {
		folds, trees, passes, lambdas, pairs = 1, 3, 5, lambdas[1:], pairs[:2]
	}
	for _, pair := range pairs {
		d := taoData{pair.name, func(ctx context.Context, fold int) (train, test *datasets.Dataset, err error) {
			all, err := public.Load(ctx, "mnist_full")
			if err != nil {
				return nil, nil, err
			}
			two := twoClasses(toUnit(all), pair.class)
			ten, err := datasets.KFold{K: 10, Seed: 1}.Folds(two)
			if err != nil {
				return nil, nil, err
			}
			train, test = ten[fold-1].Split(two)
			return train, test, nil
		}}
		for _, lambda := range lambdas {
			method := fmt.Sprintf("tao-c λ=%v", lambda)
			e.Runs = append(e.Runs, taoRun{data: d, method: method, x: 5, learner: pixels(tao.Learner{Trees: trees, Depth: 5, Passes: passes}, lambda)}.runs(folds)...)
		}
	}
	return e
}

// twoClasses returns the rows whose digit has a class, 0 or 1, with these classes.
func twoClasses(d *datasets.Dataset, class [10]int32) *datasets.Dataset {
	var rows []int32
	for i, y := range d.Labels {
		if class[y] >= 0 {
			rows = append(rows, int32(i))
		}
	}
	two := d.Subset(rows)
	two.Classes = []string{"first", "second"}
	for i, y := range two.Labels {
		two.Labels[i] = class[y]
	}
	return two
}

// TAOFeatures is table 7: a subset of m = D^α features for each node or for each tree. X is
// 100·α.
func TAOFeatures(paper bool) Experiment {
	e := Experiment{Name: "tao-table7-fast"}
	d, l, exponents, repeats := taoLetter, tao.Learner{Trees: 3, Depth: 9, Passes: 5}, []int{100, 70}, 1
	if paper {
		e.Name = "tao-table7-paper"
		l, exponents, repeats = tao.Learner{Trees: 20, Depth: 11, Passes: 20}, []int{100, 90, 80, 70, 60, 50}, 5
	}
	add := func(d taoData, l tao.Learner, p float64, repeats int) {
		l.Sampling = forest.Sampling{Fraction: 1}
		for _, alpha := range exponents {
			m := int(math.Round(math.Pow(p, float64(alpha)/100)))
			local, global := l, l
			local.NodeFeatures, global.TreeFeatures = m, m
			e.Runs = append(e.Runs, taoRun{data: d, method: "a node", x: alpha, learner: local, trees: []int{10}}.runs(repeats)...)
			if alpha < 100 {
				e.Runs = append(e.Runs, taoRun{data: d, method: "a tree", x: alpha, learner: global, trees: []int{10}}.runs(repeats)...)
			}
		}
	}
	add(d, l, 16, repeats)
	if paper {
		add(mnist20, pixels(tao.Learner{Trees: 20, Depth: 8, Passes: 10}, 0.1), 784, 1)
	}
	return e
}

// TAOPath is table 8: the forest of the trees of a regularisation path, T values of λ
// from 0.002 to 200 (X is T), the best of these trees, and a forest of as many trees on
// bootstrap samples.
func TAOPath(paper bool) Experiment {
	e := Experiment{Name: "tao-table8-fast"}
	d, l, counts := taoLetter, tao.Learner{Depth: 9, Passes: 3}, []int{3}
	if paper {
		e.Name = "tao-table8-paper"
		d, l, counts = mnist20, pixels(tao.Learner{Depth: 8, Passes: 10}, 0), []int{10, 20}
	}
	for _, trees := range counts {
		e.Runs = append(e.Runs, Run{Problem: d.name, Method: "forest over λ", X: trees, Repeat: 1, Seed: 1, Do: func(ctx context.Context) (Result, error) {
			train, test, err := d.load(ctx, 1)
			if err != nil {
				return Result{}, err
			}
			return overLambda(ctx, l, trees, train, test)
		}})
		bootstrap := l
		bootstrap.Trees, bootstrap.Lambda, bootstrap.Sampling = trees, 0.01, forest.Sampling{Fraction: 1}
		e.Runs = append(e.Runs, taoRun{data: d, method: "bootstrap", x: trees, learner: bootstrap}.runs(1)...)
		if paper {
			bootstrap.Lambda = 0.1
			e.Runs = append(e.Runs, taoRun{data: d, method: "bootstrap λ=0.1", x: trees, learner: bootstrap}.runs(1)...)
		}
	}
	return e
}

// overLambda trains one tree for each λ of a path and measures the forest of these trees,
// and each tree by the number of its λ ("test.3", "lambda.3", "parameters.3").
func overLambda(ctx context.Context, l tao.Learner, trees int, train, test *datasets.Dataset) (Result, error) {
	lambdas := make([]float64, trees)
	for k := range lambdas {
		lambdas[k] = 0.002 * math.Pow(1e5, float64(k)/float64(trees-1))
	}
	l.Trees, l.Sampling, l.Seed = 1, forest.AllRows, 1
	begin := time.Now()
	path, err := l.Path(ctx, train, lambdas...)
	if err != nil {
		return Result{}, err
	}
	r := Result{Seconds: time.Since(begin).Seconds(), More: map[string]float64{"best": 1}}
	all := *path[0]
	all.Trees = nil
	for k, f := range path {
		all.Trees = append(all.Trees, f.Trees...)
		test := eval.Error(must.Value(f.Predict(ctx, test)), test.Labels)
		r.More["best"] = min(r.More["best"], test)
		r.More[fmt.Sprintf("test.%d", k)], r.More[fmt.Sprintf("lambda.%d", k)] = test, lambdas[k]
		r.More[fmt.Sprintf("parameters.%d", k)] = float64(f.Size().Parameters)
	}
	r.Score = eval.Error(must.Value(all.Predict(ctx, test)), test.Labels)
	r.More["train"] = eval.Error(must.Value(all.Predict(ctx, train)), train.Labels)
	return r, nil
}

// TAOStructures is a part of table 9: random structures of 511 nodes on average, on the
// first 20,000 images. X is 100·Δ1 + Δ2.
func TAOStructures(paper bool) Experiment {
	e := Experiment{Name: "tao-table9-fast"}
	if !paper {
		e.Runs = taoRun{data: taoLetter, method: "random structure", x: 406, learner: tao.Learner{Trees: 2, FullDepth: 4, Depth: 6, SplitProbability: 0.7, Passes: 3}}.runs(1)
		return e
	}
	e.Name = "tao-table9-paper"
	for _, cell := range [][2]int{{8, 8}, {5, 9}, {5, 11}, {2, 14}} {
		l := pixels(tao.Learner{Trees: 20, FullDepth: cell[0], Depth: cell[1], SplitProbability: splitProbability(cell[0], cell[1], 511), Passes: 10}, 0.1)
		e.Runs = append(e.Runs, taoRun{data: mnist20, method: "random structure", x: 100*cell[0] + cell[1], learner: l, trees: []int{10}}.runs(1)...)
	}
	return e
}

// splitProbability returns the p with which trees that are complete to depth full have the
// given number of nodes on average, by bisection of eq. 2. It returns 1 if even complete
// trees have fewer.
func splitProbability(full, depth int, nodes float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		p := (low + high) / 2
		mean, level := 1.0, 1.0 // nodes at a depth
		for d := range depth {
			level *= 2
			if d >= full {
				level *= p
			}
			mean += level
		}
		if mean < nodes {
			low = p
		} else {
			high = p
		}
	}
	return high
}

// taoRefineDepth bounds the depth of the SPORF trees that are refined.
const taoRefineDepth = 8

// refineSets are the sets of [TAORefine].
var refineSets = []string{"wine", "balance_scale", "car", "statlog_vehicle", "ionosphere", "hill_valley", "hill_valley-noise",
	"mushroom", "pendigits", "letter"}

// TAORefine refines SPORF forests of depth at most 8 on the sets of table 1 of the SPORF
// paper, with its folds: test error before and after (the score), that of SPORF trees of any
// depth ("deep"), out-of-bag errors, and parameters. hill_valley-noise, which λ = 0.01 makes
// worse, also has smaller λ. A record's repeat is its fold. The data must be in a folder of
// OBLIQUA_DATA.
func TAORefine(paper bool) Experiment {
	e := Experiment{Name: "tao-refine-fast"}
	sets, trees := refineSets[:2], 10
	if paper {
		e.Name = "tao-refine-paper"
		sets, trees = refineSets, 30
	}
	add := func(set, method string, lambda float64) {
		for fold := range 5 {
			e.Runs = append(e.Runs, Run{Problem: set, Method: method, Repeat: fold + 1, Seed: uint64(fold + 1), Do: func(ctx context.Context) (Result, error) {
				train, test, err := sporfFold(ctx, set, fold)
				if err != nil {
					return Result{}, err
				}
				return refined(ctx, trees, uint64(fold+1), lambda, train, test)
			}})
		}
	}
	for _, set := range sets {
		add(set, "refined", 0.01)
	}
	if paper {
		for _, lambda := range []float64{0.001, 0.0001} {
			add("hill_valley-noise", fmt.Sprintf("refined λ=%v", lambda), lambda)
		}
	}
	return e
}

func refined(ctx context.Context, trees int, seed uint64, lambda float64, train, test *datasets.Dataset) (Result, error) {
	before, err := sporf.Learner{Trees: trees, Growth: forest.Growth{MaxDepth: taoRefineDepth}, Seed: seed}.Fit(ctx, train)
	if err != nil {
		return Result{}, err
	}
	deep, err := sporf.Learner{Trees: trees, Seed: seed}.Fit(ctx, train)
	if err != nil {
		return Result{}, err
	}
	begin := time.Now()
	after, err := tao.Learner{Passes: 20, Lambda: lambda}.Refine(ctx, before, train)
	if err != nil {
		return Result{}, err
	}
	r := Result{Seconds: time.Since(begin).Seconds(), More: map[string]float64{}}
	for name, f := range map[string]*forest.Forest{"before": before, "after": after, "deep": deep} {
		r.More["test."+name] = eval.Error(must.Value(f.Predict(ctx, test)), test.Labels)
		r.More["train."+name] = eval.Error(must.Value(f.Predict(ctx, train)), train.Labels)
		r.More["tree."+name] = meanTreeError(f, test)
		r.More["parameters."+name] = float64(f.Size().Parameters)
		if outOfBag, err := f.OutOfBag(ctx, train); err == nil {
			r.More["oob."+name] = outOfBag.Error()
		}
	}
	r.Score = r.More["test.after"]
	return r, nil
}
