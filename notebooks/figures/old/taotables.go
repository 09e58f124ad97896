package old

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// The data of the TAO paper. Of Letter the last 4,000 rows are for testing, as there. A record whose problem is mnist20
// has the first 20,000 training images.
var (
	taoLetter = problem{"letter", func(ctx context.Context, t *trial) error {
		d, err := public.Load(ctx, "letter")
		if err != nil {
			return err
		}
		t.train, t.test = d.Subset(from(0, 16_000)), d.Subset(from(16_000, 20_000))
		return nil
	}}
	mnist60, mnist20 = images("mnist", 0), images("mnist20", 20_000)
)

func images(name string, rows int) problem {
	return problem{name, func(ctx context.Context, t *trial) (err error) {
		t.train, t.test, err = MNIST(ctx, rows)
		return err
	}}
}

// MNIST returns the first rows of MNIST's training part, 0 for all, and its test part, with pixels in [0, 1].
func MNIST(ctx context.Context, rows int) (train, test *datasets.Dataset, err error) {
	if train, test, err = two(ctx, "mnist", "mnist_test"); err != nil {
		return nil, nil, err
	}
	if rows > 0 {
		train = train.Subset(from(0, int32(rows)))
	}
	return toUnit(train), toUnit(test), nil
}

// toUnit returns a copy of images whose pixels are divided by 255.
func toUnit(d *datasets.Dataset) *datasets.Dataset {
	return mapped(d, func(x float32) float32 { return x / 255 })
}

// taoForest returns the method that trains a TAO forest, whose learner depends on X by the given function. It is
// measured by its first trees, of which trees has the numbers, and all, and after the given passes and the last. The
// score is its test error. More has test and training error, parameters and FLOPs by number of trees and of passes
// ("test.30.40"), and the mean test error of single trees by passes ("tree.40").
func taoForest(name string, l tao.Learner, by func(l *tao.Learner, x int), trees, passes []int) method {
	of := func(t *trial) tao.Learner {
		l := l
		by(&l, t.X)
		l.Seed = t.Seed
		return l
	}
	return method{
		name: name,
		fit: func(ctx context.Context, t *trial) (err error) {
			l := of(t)
			t.Setting = fmt.Sprintf("λ=%v", cmp.Or(l.Lambda, 0.01))
			if len(passes) == 0 {
				return t.fit(ctx, l)
			}
			t.model, err = t.history.Fit(ctx, l, t.train)
			return err
		},
		measure: func(_ context.Context, t *trial) error {
			last := cmp.Or(of(t).Passes, 40)
			for _, passes := range append(slices.Clip(passes), last) {
				at := t.model
				if passes != last {
					at = t.history.Forest(passes)
				}
				for _, trees := range append(slices.Clip(trees), len(t.model.Trees)) {
					part := *at
					part.Trees = at.Trees[:min(trees, len(at.Trees))]
					name := fmt.Sprintf(".%d.%d", trees, passes)
					t.Score = errorOn(&part, t.test)
					t.More["test"+name], t.More["train"+name] = t.Score, errorOn(&part, t.train)
					size := part.Size()
					t.More["parameters"+name], t.More["flops"+name] = float64(size.Parameters), size.FLOPs
				}
				t.More[fmt.Sprintf("tree.%d", passes)] = meanTreeError(at, t.test)
			}
			t.More["bytes"] = float64(t.model.Size().Bytes)
			return nil
		},
	}
}

// byDepth is for forests whose X is the depth.
func byDepth(l *tao.Learner, x int) { l.Depth = x }

// taoRuns lists the runs of methods on data. Forests of other learners than TAO are measured as TAO's are.
func taoRuns(data problem, repeats int, xs []int, methods ...method) []Run {
	return study{problems: []problem{data}, methods: methods, xs: xs, repeats: repeats, order: "pxmr",
		measure: func(ctx context.Context, t *trial) error {
			size := t.model.Size()
			t.More["train"] = errorOn(t.model, t.train)
			t.More["parameters"], t.More["flops"] = float64(size.Parameters), size.FLOPs
			t.More["bytes"] = float64(size.Bytes)
			return errorRate(ctx, t)
		},
	}.runs()
}

// errorOn returns the error rate of a forest.
func errorOn(f *forest.Forest, d *datasets.Dataset) float64 {
	return eval.Error(must.Value(f.Predict(context.Background(), d)), d.Labels)
}

// meanTreeError returns the mean test error of a forest's trees, each by itself.
func meanTreeError(f *forest.Forest, test *datasets.Dataset) float64 {
	var sum float64
	for i := range f.Trees {
		one := *f
		one.Trees = f.Trees[i : i+1]
		sum += errorOn(&one, test)
	}
	return sum / float64(len(f.Trees))
}

// ofTrees is the random forest of X trees.
var ofTrees = fitted("rf", func(t *trial) forest.Learner { return rf.Learner{Trees: t.X} })

// pixels is a learner for MNIST with a penalty that the paper doesn't use, since 0.01
// overfits single trees there; features aren't scaled, since all are pixels.
func pixels(l tao.Learner, lambda float64) tao.Learner {
	l.Unscaled, l.Lambda = true, lambda
	return l
}

// taoTable2 is table 2 for Letter and MNIST: test error, parameters and FLOPs of CART,
// random forests, TAO-c and TAO-l. X is the depth of TAO trees, otherwise the number of
// trees. The fast setting is Letter with 5 trees, once.
func taoTable2(s size) []Run {
	if s == fast {
		l := tao.Learner{Trees: 5, Passes: 10}
		return taoRuns(taoLetter, 1, []int{11}, taoForest("tao-c", l, byDepth, []int{1}, nil))
	}
	letter := func(name string, l tao.Learner, depths ...int) []Run {
		return taoRuns(taoLetter, 5, depths, taoForest(name, l, byDepth, []int{1, 5, 10, 20}, nil))
	}
	mnist := func(name string, l tao.Learner, depth int, trees ...int) []Run {
		return taoRuns(mnist60, 5, []int{depth}, taoForest(name, l, byDepth, trees, nil))
	}
	cart := method{name: "cart", fit: func(ctx context.Context, t *trial) error { return t.fit(ctx, rf.CART{}) }}
	others := func(data problem, repeats int) []Run {
		return append(taoRuns(data, repeats, []int{1}, cart), taoRuns(data, repeats, []int{100, 1000}, ofTrees)...)
	}
	return slices.Concat(
		letter("tao-c", tao.Learner{Lambda: 0.01}, 11),
		others(taoLetter, 5),
		letter("tao-l", tao.Learner{LinearLeaves: true, Lambda: 0.01}, 6, 7),
		letter("tao-l λ=1", tao.Learner{LinearLeaves: true, Lambda: 1}, 6),
		// those that taoLambda prefers
		letter("tao-c λ=0.1", tao.Learner{Lambda: 0.1}, 11),
		letter("tao-l λ=10", tao.Learner{LinearLeaves: true, Lambda: 10}, 6),
		mnist("tao-c λ=1", pixels(tao.Learner{Trees: 40}, 1), 8, 1, 10, 20),
		others(mnist60, 5),
		mnist("tao-c", pixels(tao.Learner{Trees: 40}, 0.01), 8, 1, 5),
		mnist("tao-l λ=10", pixels(tao.Learner{Trees: 10, LinearLeaves: true}, 10), 5, 1, 5),
		mnist("tao-l", pixels(tao.Learner{LinearLeaves: true}, 0.01), 5, 1, 10, 20),
		mnist("tao-l", pixels(tao.Learner{LinearLeaves: true}, 0.01), 6, 1, 10, 20))
}

// taoAcceptance trains Letter trees whose fits are accepted freely, strictly, or freely and
// then strictly (X is the number of passes). The score is the mean test error of the trees, which More has after each
// pass ("test.3"), with loss and penalty of the objective of the first tree ("loss.3", "penalty.3").
func taoAcceptance(s size) []Run {
	traced := func(name string, acceptance tao.Acceptance) method {
		return method{name: name, fit: func(ctx context.Context, t *trial) (err error) {
			l := tao.Learner{Trees: pick(s, 1, 2), Depth: 11, Passes: t.X, Acceptance: acceptance, Seed: t.Seed}
			t.model, err = t.history.Fit(ctx, l, t.train)
			return err
		}}
	}
	return study{
		problems: []problem{taoLetter},
		methods: []method{
			traced("free then strict", tao.FreeThenStrict), traced("free", tao.Free), traced("strict", tao.Strict),
		},
		xs: []int{pick(s, 10, 40)}, repeats: pick(s, 1, 5),
		measure: func(_ context.Context, t *trial) error {
			t.Score = meanTreeError(t.model, t.test)
			for _, p := range t.history.Passes() {
				if p.Tree == 0 {
					t.More[fmt.Sprintf("loss.%d", p.Number)], t.More[fmt.Sprintf("penalty.%d", p.Number)] = p.Loss, p.Penalty
				}
			}
			for _, passes := range ints(1, t.X) {
				t.More[fmt.Sprintf("test.%d", passes)] = meanTreeError(t.history.Forest(passes), t.test)
			}
			return nil
		},
	}.runs()
}

// taoDiversity is figures 1 and 2: the test error by the share of rows in each tree's
// sample (X in percent, 0 for the bootstrap), with the same or different initial trees,
// and by number of trees. Depth is 11 for Letter, 8 for MNIST.
func taoDiversity(s size) []Run {
	of := func(data problem, l tao.Learner, repeats int, name string, sameStart bool) []Run {
		l.Trees, l.SameStart = pick(s, 5, 20), sameStart
		return taoRuns(data, repeats, pick(s, []int{0, 90}, []int{0, 30, 50, 70, 80, 90, 100}),
			taoForest(name, l, func(l *tao.Learner, share int) {
				l.Sampling = forest.Sampling{Fraction: float64(share) / 100, WithoutReplacement: true}
				if share == 0 {
					l.Sampling = forest.Sampling{Fraction: 1}
				}
			}, []int{1, 2, 5, 10}, nil))
	}
	both := func(data problem, l tao.Learner, repeats int) []Run {
		return append(of(data, l, repeats, "different start", false), of(data, l, repeats, "same start", true)...)
	}
	runs := both(taoLetter, tao.Learner{Depth: 11, Passes: pick(s, 5, 20)}, pick(s, 1, 5))
	if s == full {
		runs = append(runs, both(mnist20, pixels(tao.Learner{Depth: 8, Passes: 10}, 0.1), 1)...)
		runs = append(runs, both(mnist60, pixels(tao.Learner{Depth: 8}, 0.01), 1)...)
	}
	return runs
}

// taoPasses is figures 3 and 4: training and test error by depth (X), number of passes and
// number of trees.
func taoPasses(s size) []Run {
	l := tao.Learner{Trees: pick(s, 3, 30), Passes: pick(s, 10, 80), Acceptance: tao.Free}
	at := pick(s, []int{1, 2, 5}, []int{1, 2, 5, 10, 20, 40, 60})
	runs := taoRuns(taoLetter, 1, pick(s, []int{6, 10}, []int{4, 6, 8, 9, 10, 11, 12}),
		taoForest("tao-c", l, byDepth, []int{1, 2, 5, 10, 20}, at))
	if s == full {
		l = pixels(tao.Learner{Trees: 10, Passes: 20, Acceptance: tao.Free}, 0.1)
		m := taoForest("tao-c", l, byDepth, []int{1, 2, 5}, at[:4])
		runs = append(runs, taoRuns(mnist20, 1, []int{4, 6, 8, 10}, m)...)
		l = pixels(tao.Learner{Passes: 80, Acceptance: tao.Free}, 0.01)
		m = taoForest("tao-c", l, byDepth, []int{1, 2, 5, 10, 20}, at)
		runs = append(runs, taoRuns(mnist60, 1, []int{4, 6, 8, 9, 10, 11, 12}, m)...)
	}
	return runs
}

// taoTrees is figure 5: the error by number of trees, of TAO-c with depth 11 and 80
// passes, and of random forests (X is the number of trees of these, 0 for TAO).
func taoTrees(s size) []Run {
	trees := pick(s, []int{1, 5}, []int{1, 2, 5, 10, 20, 40, 60, 80, 100})
	last := len(trees) - 1
	of := func(data problem, l tao.Learner) []Run {
		l.Trees, l.Depth, l.Passes = trees[last], 11, pick(s, 5, 80)
		m := taoForest("tao-c", l, func(*tao.Learner, int) {}, trees[:last], nil)
		return append(taoRuns(data, 1, nil, m), taoRuns(data, 1, trees, ofTrees)...)
	}
	runs := of(taoLetter, tao.Learner{})
	if s == full {
		runs = append(runs, of(mnist60, pixels(tao.Learner{}, 0.01))...)
	}
	return runs
}

// taoPairs is table 6: two classes made from MNIST, T = 30, Δ = 5 (X), the test error by
// ten-fold cross-validation over all 70,000 images of these digits. A record's repeat is
// its fold. The fast setting is one fold of two pairs, with λ = 1, 3 trees and 5 passes.
func taoPairs(s size) (runs []Run) {
	pairs := []struct {
		name  string
		class [10]int32 // of each digit, −1 for none
	}{
		{"2 against 4", [10]int32{-1, -1, 0, -1, 1, -1, -1, -1, -1, -1}},
		{"3 against 8", [10]int32{-1, -1, -1, 0, -1, -1, -1, -1, 1, -1}},
		{"even against odd", [10]int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
	}
	var methods []method
	for _, lambda := range pick(s, []float64{1}, []float64{0.01, 1}) {
		l := pixels(tao.Learner{Trees: pick(s, 3, 30), Passes: pick(s, 5, 20)}, lambda)
		methods = append(methods, taoForest(fmt.Sprintf("tao-c λ=%v", lambda), l, byDepth, nil, nil))
	}
	for _, pair := range pick(s, pairs[:2], pairs) {
		data := problem{pair.name, func(ctx context.Context, t *trial) error {
			all, err := public.Load(ctx, "mnist_full")
			if err != nil {
				return err
			}
			two := twoClasses(toUnit(all), pair.class)
			ten, err := datasets.KFold{K: 10, Seed: 1}.Folds(two)
			if err != nil {
				return err
			}
			t.train, t.test = ten[t.Repeat-1].Split(two)
			return nil
		}}
		runs = append(runs, taoRuns(data, pick(s, 1, 10), []int{5}, methods...)...)
	}
	return runs
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

// taoFeatures is table 7: a subset of m = D^α features for each node or for each tree. X is
// 100·α.
func taoFeatures(s size) []Run {
	of := func(data problem, l tao.Learner, p float64, repeats int) []Run {
		l.Sampling = forest.Sampling{Fraction: 1}
		m := func(alpha int) int { return int(math.Round(math.Pow(p, float64(alpha)/100))) }
		node := taoForest("a node", l, func(l *tao.Learner, alpha int) { l.NodeFeatures = m(alpha) }, []int{10}, nil)
		tree := taoForest("a tree", l, func(l *tao.Learner, alpha int) { l.TreeFeatures = m(alpha) }, []int{10}, nil)
		return append(taoRuns(data, repeats, []int{100}, node),
			taoRuns(data, repeats, pick(s, []int{70}, []int{90, 80, 70, 60, 50}), node, tree)...)
	}
	if s == fast {
		return of(taoLetter, tao.Learner{Trees: 3, Depth: 9, Passes: 5}, 16, 1)
	}
	return slices.Concat(of(taoLetter, tao.Learner{Trees: 20, Depth: 11, Passes: 20}, 16, 5),
		of(mnist20, pixels(tao.Learner{Trees: 20, Depth: 8, Passes: 10}, 0.1), 784, 1),
		of(mnist60, pixels(tao.Learner{Trees: 20, Depth: 8}, 0.01), 784, 1))
}

// taoPath is table 8: the forest of the trees of a regularisation path, T values of λ
// from 0.002 to 200 (X is T), the best of these trees, and a forest of as many trees on
// bootstrap samples.
func taoPath(s size) []Run {
	of := func(data problem, l tao.Learner) []Run {
		bootstrap := func(name string, lambda float64) method {
			l := l
			l.Lambda, l.Sampling = lambda, forest.Sampling{Fraction: 1}
			return taoForest(name, l, func(l *tao.Learner, trees int) { l.Trees = trees }, nil, nil)
		}
		methods := []method{overLambda(l), bootstrap("bootstrap", 0.01), bootstrap("bootstrap λ=0.1", 0.1)}
		return taoRuns(data, 1, pick(s, []int{3}, []int{10, 20}), pick(s, methods[:2], methods)...)
	}
	if s == fast {
		return of(taoLetter, tao.Learner{Depth: 9, Passes: 3})
	}
	return append(of(mnist20, pixels(tao.Learner{Depth: 8, Passes: 10}, 0)),
		of(mnist60, pixels(tao.Learner{Depth: 8}, 0))...)
}

// overLambda returns the method that trains X trees, one for each λ of a path. It measures the forest of these trees,
// and each tree by the number of its λ ("test.3", "lambda.3", "parameters.3").
func overLambda(l tao.Learner) method {
	l.Trees, l.Sampling, l.Seed = 1, forest.AllRows, 1
	return method{
		name: "forest over λ",
		fit: func(ctx context.Context, t *trial) (err error) {
			lambdas := make([]float64, t.X)
			for k := range lambdas {
				lambdas[k] = 0.002 * math.Pow(1e5, float64(k)/float64(t.X-1))
				t.More[fmt.Sprintf("lambda.%d", k)] = lambdas[k]
			}
			t.others, err = l.Path(ctx, t.train, lambdas...)
			return err
		},
		measure: func(_ context.Context, t *trial) error {
			all := *t.others[0]
			all.Trees = nil
			t.More["best"] = 1
			for k, f := range t.others {
				all.Trees = append(all.Trees, f.Trees...)
				test := errorOn(f, t.test)
				t.More["best"], t.More[fmt.Sprintf("test.%d", k)] = min(t.More["best"], test), test
				t.More[fmt.Sprintf("parameters.%d", k)] = float64(f.Size().Parameters)
			}
			t.Score, t.More["train"] = errorOn(&all, t.test), errorOn(&all, t.train)
			return nil
		},
	}
}

// taoStructures is table 9: random structures of 511 nodes on average. X is 100·Δ1 + Δ2. MNIST has the paper's 100
// trees and 40 passes, its first 20,000 images have 20 and 10.
func taoStructures(s size) []Run {
	structure := func(l *tao.Learner, x int) {
		l.FullDepth, l.Depth, l.SplitProbability = x/100, x%100, 0.7
		if s == full {
			l.SplitProbability = splitProbability(l.FullDepth, l.Depth, 511)
		}
	}
	if s == fast {
		l := tao.Learner{Trees: 2, Passes: 3}
		return taoRuns(taoLetter, 1, []int{406}, taoForest("random structure", l, structure, nil, nil))
	}
	cells := []int{808, 509, 511, 214}
	for _, first := range ints(2, 7) {
		for _, second := range ints(9, 14) {
			if x := 100*first + second; !slices.Contains(cells, x) {
				cells = append(cells, x)
			}
		}
	}
	of := func(data problem, l tao.Learner, trees ...int) []Run {
		return taoRuns(data, 1, cells, taoForest("random structure", l, structure, trees, nil))
	}
	return append(of(mnist20, pixels(tao.Learner{Trees: 20, Passes: 10}, 0.1), 10),
		of(mnist60, pixels(tao.Learner{Trees: 100}, 0.01), 10, 20)...)
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

// refineSets are the sets of taoRefine.
var refineSets = strings.Fields(
	"wine balance_scale car statlog_vehicle ionosphere hill_valley hill_valley-noise mushroom pendigits letter")

// taoRefine refines SPORF forests of depth at most 8 on the sets of table 1 of the SPORF
// paper, with its folds: test error before and after (the score), that of SPORF trees of any
// depth ("deep"), out-of-bag errors, and parameters. hill_valley-noise, which λ = 0.01 makes
// worse, also has smaller λ. A record's repeat is its fold. The data must be in a folder of
// OBLIQUA_DATA.
func taoRefine(s size) []Run {
	of := func(sets []string, name string, lambda float64) []Run {
		return study{
			problems: problems(sets, sporfFold), methods: []method{{name: name}}, repeats: 5,
			do: func(ctx context.Context, t *trial) error { return refined(ctx, t, pick(s, 10, 30), lambda) },
		}.runs()
	}
	if s == fast {
		return of(refineSets[:2], "refined", 0.01)
	}
	noise := []string{"hill_valley-noise"}
	return slices.Concat(of(refineSets, "refined", 0.01),
		of(noise, "refined λ=0.001", 0.001), of(noise, "refined λ=0.0001", 0.0001))
}

func refined(ctx context.Context, t *trial, trees int, lambda float64) error {
	before, err := sporf.Learner{Trees: trees, Growth: forest.Growth{MaxDepth: 8}, Seed: t.Seed}.Fit(ctx, t.train)
	if err != nil {
		return err
	}
	deep, err := sporf.Learner{Trees: trees, Seed: t.Seed}.Fit(ctx, t.train)
	if err != nil {
		return err
	}
	begun := time.Now()
	after, err := tao.Learner{Passes: 20, Lambda: lambda}.Refine(ctx, before, t.train)
	if err != nil {
		return err
	}
	t.Score, t.Seconds = errorOn(after, t.test), time.Since(begun).Seconds()
	for name, f := range map[string]*forest.Forest{"before": before, "after": after, "deep": deep} {
		t.More["test."+name], t.More["train."+name] = errorOn(f, t.test), errorOn(f, t.train)
		t.More["tree."+name] = meanTreeError(f, t.test)
		t.More["parameters."+name] = float64(f.Size().Parameters)
		if outOfBag, err := f.OutOfBag(ctx, t.train); err == nil {
			t.More["oob."+name] = outOfBag.Error()
		}
	}
	return nil
}

// taoValues compares forests of values: the root mean squared error on a fifth of the rows,
// divided by the standard deviation of the target there. The FODS paper has no regression, so
// nothing is published to compare with.
func taoValues(s size) []Run {
	trees := pick(s, 10, 30)
	return study{
		problems: problems(pick(s, taoValueSets[2:], taoValueSets),
			func(ctx context.Context, t *trial) error {
				d, err := public.Load(ctx, t.Problem)
				if err == nil {
					t.train, t.test, err = datasets.Holdout{Test: 0.2, Seed: t.Seed}.Split(d)
				}
				return err
			}),
		methods: []method{
			with("rf", rf.Learner{Trees: 10 * trees}, datasets.OneHot{}),
			with("sporf", sporf.Learner{Trees: 10 * trees}, datasets.OneHot{}),
			with("tao-c", tao.Learner{Trees: trees}, datasets.OneHot{}),
			with("tao-l", tao.Learner{Trees: trees, LinearLeaves: true}, datasets.OneHot{}),
		},
		xs: []int{trees}, repeats: pick(s, 1, 5), order: "prxm",
		measure: func(_ context.Context, t *trial) error {
			size := t.model.Size()
			t.More["parameters"], t.More["bytes"] = float64(size.Parameters), float64(size.Bytes)
			mse := eval.MSE(must.Value(t.model.PredictValues(context.Background(), t.test)), t.test.Values)
			t.Score = math.Sqrt(mse / stat.PopVariance(t.test.Values, nil))
			return nil
		},
	}.runs()
}

// taoValueSets are the regression sets of the TAO authors' ICML 2020 paper that are at hand, and one more.
var taoValueSets = []string{"abalone-rings", "ailerons", "energy_heating"}

// taoLambda compares λ, and λ of linear leaves (X is 1000 times it, 0 for constant
// leaves), on a fifth of the training rows. The test rows aren't used. Table 2 has the λ
// that this prefers beside the paper's 0.01.
func taoLambda(s size) []Run {
	of := func(data problem, l tao.Learner, lambdas []float64, leaf ...int) (runs []Run) {
		rows := data.rows
		data.rows = func(ctx context.Context, t *trial) error {
			err := rows(ctx, t)
			if err == nil {
				t.train, t.test, err = datasets.Holdout{Test: 0.2, Seed: 1}.Split(t.train)
			}
			return err
		}
		name := "tao-c"
		if l.LinearLeaves {
			name = "tao-l"
		}
		for _, l.Lambda = range lambdas {
			m := taoForest(fmt.Sprintf("%s λ=%v", name, l.Lambda), l,
				func(l *tao.Learner, x int) { l.LeafLambda = float64(x) / 1000 }, []int{1}, nil)
			runs = append(runs, taoRuns(data, 1, leaf, m)...)
		}
		return runs
	}
	if s == fast {
		return of(taoLetter, tao.Learner{Trees: 1, Depth: 8, Passes: 5}, []float64{0.1, 1}, 0)
	}
	lambdas, linear := []float64{0.01, 0.1, 1, 10}, tao.Learner{Trees: 3, Depth: 6, Passes: 20, LinearLeaves: true}
	images := tao.Learner{Trees: 1, Depth: 5, Passes: 10, LinearLeaves: true, Unscaled: true}
	return slices.Concat(
		of(taoLetter, tao.Learner{Trees: 3, Depth: 11, Passes: 20}, lambdas, 0),
		of(taoLetter, linear, lambdas, 100, 500, 2000),
		of(mnist60, tao.Learner{Trees: 2, Depth: 8, Passes: 20, Unscaled: true}, lambdas, 0),
		of(mnist20, images, lambdas[1:], 500, 5000))
}

// taoTime is the time of training one tree (the score, in seconds), as one of rows,
// features, depth and passes (the method) grows (X) and the others stay at 8,000, 16, 8
// and 10.
func taoTime(s size) (runs []Run) {
	at := map[string]int{"rows": 8000, "features": 16, "depth": 8, "passes": 10}
	for _, g := range []struct {
		what           string
		inFast, inFull []int
	}{
		{"rows", []int{1000, 2000}, []int{1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000}},
		{"features", nil, []int{4, 8, 16, 32, 64, 128, 256, 512}},
		{"depth", nil, ints(2, 12)},
		{"passes", []int{5, 10}, []int{5, 10, 20, 40, 80}},
	} {
		l := timedLearner{"ten classes", func(at map[string]int, seed uint64) forest.Learner {
			return tao.Learner{Trees: 1, Depth: at["depth"], Passes: at["passes"], Seed: seed}
		}}
		runs = append(runs, growing(g.what, pick(s, g.inFast, g.inFull), at, pick(s, 1, 3), l)...)
	}
	return byRepeat(runs)
}
