package forest_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// want panics with a fault unless ok.
func want(ok bool, format string, args ...any) {
	if !ok {
		panic(fault(fmt.Sprintf(format, args...)))
	}
}

// either is a check: an error must say what is wrong, and no error that nothing is.
func either(err error, wrong string) error {
	want((err != nil) == (wrong != ""), "error %v, though %q is wrong", err, wrong)
	return err
}

var tableCalls = []call{
	{name: "N, P, Schema, FeatureNames", do: func(g *generator) error {
		d := g.data()
		want(d.N() >= 0 && d.P() == len(d.Columns), "%d rows, %d columns", d.N(), d.P())
		want(len(d.FeatureNames()) == len(d.Schema().Features), "names of other features")
		return nil
	}},
	{name: "Check", do: func(g *generator) error {
		d := g.data()
		return either(d.Check(), brokenTraining(d))
	}},
	{name: "CheckFinite", do: func(g *generator) error {
		d := g.data()
		return either(d.CheckFinite(), brokenCells(d))
	}},
	{name: "At", indexes: true, do: func(g *generator) error { g.data().At(g.number(), g.number()); return nil }},
	{name: "Column", indexes: true, do: func(g *generator) error {
		d := g.data()
		want(len(d.Column(make([]float32, g.IntN(3)), g.number())) == d.N() ||
			brokenTable(d) != "", "not as many cells as rows")
		return nil
	}},
	{name: "Row", indexes: true, do: func(g *generator) error {
		d := g.data()
		want(len(d.Row(nil, g.number())) == d.P(), "not as many cells as columns")
		return nil
	}},
	{name: "Subset", indexes: true, do: func(g *generator) error {
		d := g.data()
		rows := g.labels(8)
		s := d.Subset(rows)
		want(s.N() == len(rows), "%d rows of %d", s.N(), len(rows))
		return s.Check()
	}},
	{name: "Select", indexes: true, do: func(g *generator) error {
		return g.data().Select(drawn(g, 3, (*generator).number)...).Check()
	}},
	{name: "ClassCounts", indexes: true, do: func(g *generator) error { g.data().ClassCounts(); return nil }},
	{name: "WeightClasses", indexes: true, do: func(g *generator) error {
		d := g.data()
		weights := drawn(g, 4, func(g *generator) float32 { return float32(g.real()) })
		if g.chance(0.5) {
			weights = make([]float32, len(d.Classes))
		}
		return d.WeightClasses(weights...).Check()
	}},
}

// step draws a step, now and then none or one that doesn't work.
func (g *generator) step() datasets.Step {
	return pick[datasets.Step](g, datasets.Impute{}, datasets.OneHot{}, datasets.Ordinal{}, datasets.Standardise{},
		datasets.Impute{}, datasets.OneHot{}, datasets.Ordinal{}, datasets.Standardise{}, nil, datasets.Steps{},
		g.targetEncoding(), g.targetEncoding(), datasets.Steps{datasets.Impute{},
			datasets.Ordinal{}}, datasets.Steps{nil}, brokenStep{}, brokenTransform{})
}

func (g *generator) targetEncoding() datasets.TargetEncoding {
	if g.chance(0.7) {
		return datasets.TargetEncoding{Seed: g.Uint64()}
	}
	return datasets.TargetEncoding{MinRows: g.real(), Smoothing: g.real(), Folds: g.number(), Seed: g.Uint64()}
}

func (g *generator) steps() []datasets.Step { return drawn(g, 3, (*generator).step) }

// A brokenStep is one that fails, a brokenTransform one whose transform does.
type (
	brokenStep      struct{}
	brokenTransform struct{}
)

func (brokenStep) Fit(context.Context, *datasets.Dataset) (datasets.Transform, *datasets.Dataset, error) {
	return nil, nil, fmt.Errorf("broken step: fit")
}
func (b brokenTransform) Fit(ctx context.Context, d *datasets.Dataset) (datasets.Transform, *datasets.Dataset, error) {
	made, err := b.Apply(ctx, d)
	return b, made, err
}
func (brokenTransform) Apply(context.Context, *datasets.Dataset) (*datasets.Dataset, error) {
	return nil, fmt.Errorf("broken step: apply")
}

// changes reports whether a step looks at the data at all, as Steps of no steps don't.
func changes(step datasets.Step) bool {
	steps, ok := step.(datasets.Steps)
	return !ok || len(steps) > 0
}

var stepCalls = []call{
	{name: "Steps", do: func(g *generator) error {
		steps := datasets.Steps(g.steps())
		train := g.data()
		t, _, err := steps.Fit(g.context(), train)
		if err != nil {
			return err
		}
		d, wrong := train, ""
		if g.chance(0.5) {
			d = g.data()
		}
		if slices.ContainsFunc(steps, changes) {
			wrong = brokenTable(d)
		}
		applied, err := t.Apply(g.context(), d)
		want(err != nil || wrong == "", "applied, though %s", wrong)
		if err != nil || !slices.ContainsFunc(steps, changes) {
			return err
		}
		want(applied.N() == d.N(), "%d rows of %d", applied.N(), d.N())
		want(brokenTable(applied) == "", "the result is no table: %s", brokenTable(applied))
		return nil
	}},
	{name: "one step", needs: brokenTraining, do: func(g *generator) error {
		step := pick[datasets.Step](g, datasets.Impute{}, datasets.OneHot{}, datasets.Ordinal{}, datasets.Standardise{},
			g.targetEncoding())
		_, _, err := step.Fit(g.context(), g.data())
		return err
	}},
	{name: "ApplyTraining", do: func(g *generator) error {
		d := g.data()
		t, _, err := g.targetEncoding().Fit(g.context(), d)
		if err != nil {
			return err
		}
		if g.chance(0.5) {
			d = g.data()
		}
		wrong := brokenTable(d)
		applied, err := datasets.ApplyTraining(g.context(), t, d)
		want(err != nil || wrong == "", "applied, though %s", wrong)
		want(err != nil || brokenTable(applied) == "" && applied.N() == d.N(), "the result is no table of %d rows: %+v",
			d.N(), applied)
		return err
	}},
}

// checkFolds wants folds that divide n rows.
func checkFolds(folds []datasets.Fold, n int) {
	for _, f := range folds {
		rows := slices.Concat(f.Train, f.Test)
		slices.Sort(rows)
		want(slices.Equal(rows, identity(n)), "a fold of %d rows has %v", n, rows)
	}
}

var splitCalls = []call{
	{name: "KFold", do: func(g *generator) error {
		d := g.data()
		folds, err := datasets.KFold{K: g.number(), Stratified: g.chance(0.5), Seed: g.Uint64()}.Folds(d)
		if err == nil {
			checkFolds(folds, d.N())
		}
		return err
	}},
	{name: "Holdout", indexes: false, do: func(g *generator) error {
		d := g.data()
		train, test, err := datasets.Holdout{Test: pick(g, 0, 0.5, g.real()), Stratified: g.chance(0.5),
			Seed: g.Uint64()}.Split(d)
		if err == nil {
			want(train.N()+test.N() == d.N() && train.N() > 0 && test.N() > 0, "%d and %d rows of %d", train.N(),
				test.N(), d.N())
		}
		return err
	}},
	{name: "Fold.Split", indexes: true, do: func(g *generator) error {
		train, test := datasets.Fold{Train: g.labels(5), Test: g.labels(5)}.Split(g.data())
		train.N()
		test.N()
		return nil
	}},
}

// A strangeMatrix says it has other dimensions than it has.
type strangeMatrix struct{ r, c int }

func (m strangeMatrix) Dims() (r, c int)    { return m.r, m.c }
func (m strangeMatrix) At(i, j int) float64 { return float64(i * j) }

func (g *generator) text() string {
	word := func(g *generator) string {
		return pick(g, "", "1", "2.5", "-3", "a", "b", "red", "?", "u", "v", "1:2", "2:1", "@data", "@attribute a numeric",
			"@attribute y {u,v}", `"`, "1e99", "NaN", "{1 2}")
	}
	line := func(g *generator) string { return strings.Join(drawn(g, 4, word), pick(g, ",", ",", " ", ";")) }
	if g.chance(0.4) {
		return "a,b,c,y\n" + strings.Repeat(pick(g, "1,2,3,u\n", "1,2,,v\n", "1,?,red,u\n", "4,5,6,1.5\n"),
			1+g.IntN(3)) + pick(g, "", "7,8,9,v\n", line(g))
	}
	return strings.Join(drawn(g, 6, line), "\n")
}

func (g *generator) names() []string {
	return drawn(g, 4, func(g *generator) string { return g.name(pick(g, "a", "b", "c", "y", "u", "v")) })
}

// none is nil more often than not.
func (g *generator) rarely(names []string) []string {
	if g.chance(0.7) {
		return nil
	}
	return names
}

var readerCalls = []call{
	{name: "CSV", do: func(g *generator) error {
		o := datasets.CSV{Target: g.name(""), NoTarget: g.chance(0.2), Regression: g.chance(0.2), NoHeader: g.chance(0.2),
			Names: g.rarely(g.names()),
			Comma: pick(g, 0, 0, 0, ',', ' ', ';', -1, 'ü', '"',
				'\n'), Missing: g.rarely(g.names()),
			Categorical: g.rarely(g.names()), Drop: g.rarely(g.names()), Classes: g.rarely(g.names())}
		if g.chance(0.3) {
			o.Like = g.data().Schema()
		}
		d, err := o.Read(g.context(), strings.NewReader(g.text()), "text")
		want(err != nil || d.Check() == nil, "%v", d)
		return err
	}},
	{name: "FromRows", do: func(g *generator) error {
		rows := drawn(g, 4, func(g *generator) []float64 { return g.reals(2) })
		if g.chance(0.5) {
			rows = [][]float64{{1, g.real()}, {2, g.real()}}
		}
		y := drawn(g, 4, func(g *generator) string { return g.name("u") })
		d, err := datasets.FromRows(rows, y)
		if g.chance(0.3) {
			d, err = datasets.FromRows(rows, g.reals(4))
		}
		want(err != nil || d.Check() == nil, "%v", d)
		return err
	}},
	{name: "FromMatrix", do: func(g *generator) error {
		m := strangeMatrix{min(g.number(), 100), min(g.number(), 100)}
		y := make([]int32, max(0, m.r))
		d, err := datasets.FromMatrix(m, pick(g, y, y, nil, g.labels(5)))
		want(err != nil || d.Check() == nil, "%v", d)
		return err
	}},
}

// small returns 0 or a number that is not large, often negative.
func (g *generator) small() int {
	if g.chance(0.6) {
		return 0
	}
	return pick(g, 1, 2, 3, 4, 20, -1, -2, math.MinInt)
}

// learner draws a learner of any type. Most of its fields are 0, and some of the others make no sense.
func (g *generator) learner() forest.Learner {
	l := reflect.New(reflect.TypeOf(pick(g, learners.All()...))).Elem()
	g.fill(l)
	return l.Interface().(forest.Learner)
}

func (g *generator) fill(fields reflect.Value) {
	for i := range fields.NumField() {
		name, f := fields.Type().Field(i).Name, fields.Field(i)
		switch {
		case f.Kind() == reflect.Struct:
			g.fill(f)
		case slices.Contains([]string{"Trees", "Rounds", "Passes", "Restarts"}, name) && !g.chance(0.005):
			f.SetInt(int64(pick(g, 1, 1, 1, 2, 3, 7, -1)))
		case g.chance(0.8):
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.CanUint():
			f.SetUint(uint64(pick(g, 1, 2, 3, 200)))
		case f.CanFloat():
			f.SetFloat(pick(g, 0.5, 1, 0.1, -1, 1e-300, 1.5, g.real()))
		case slices.Contains([]string{"MaxDepth", "MinSplit", "MinLeaf", "NodeFeatures", "TreeFeatures"}, name) &&
			g.chance(0.2):
			f.SetInt(math.MaxInt)
		default:
			f.SetInt(int64(g.small()))
		}
	}
}

// checkForest uses a forest that was just trained.
func checkForest(f *forest.Forest, train *datasets.Dataset) error {
	want(f.CheckTraining(train) == nil, "the training data are refused: %v", f.CheckTraining(train))
	checkPrediction(f, train)
	b, err := f.MarshalBinary()
	if err != nil {
		return err
	}
	var again forest.Forest
	want(again.UnmarshalBinary(b) == nil, "saved, it can't be read: %v", again.UnmarshalBinary(b))
	return nil
}

func checkPrediction(f *forest.Forest, d *datasets.Dataset) {
	want(f.Check(d) == nil, "the model refuses what it learned from: %v", f.Check(d))
	if f.Regression() {
		checkValues(must.Value(f.PredictValues(context.Background(), d)), d.N())
		return
	}
	checkClasses(must.Value(f.Predict(context.Background(), d)), d.N(), len(f.Classes))
	checkProba(must.Value(f.Proba(context.Background(), d)), d.N(), len(f.Classes))
}

func checkValues(values []float64, n int) {
	want(len(values) == n, "%d values of %d rows", len(values), n)
	want(!slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) }), "values %v", values)
}

func checkClasses(labels []int32, n, classes int) {
	want(len(labels) == n, "%d labels of %d rows", len(labels), n)
	for _, y := range labels {
		want(y >= 0 && int(y) < classes, "label %d of %d classes", y, classes)
	}
}

func checkProba(proba [][]float64, n, classes int) {
	want(len(proba) == n, "probabilities of %d rows of %d", len(proba), n)
	for _, p := range proba {
		sum := 0.0
		for _, v := range p {
			sum += v
		}
		want(len(p) == classes && math.Abs(sum-1) < 1e-5, "probabilities %v", p)
	}
}

var learnerCalls = []call{
	{name: "Fit", needs: brokenForLearner, do: fitAny},
	{name: "Fit again", needs: brokenForLearner, do: fitAny}, // twice as often as other calls
	{name: "Pipeline", needs: brokenTraining, do: func(g *generator) error {
		l := g.learner()
		if g.chance(0.02) {
			l = nil // with no steps the pipeline is nil, too
		}
		steps := g.steps()
		if len(steps) == 0 {
			steps = []datasets.Step{datasets.Impute{}}
		}
		d := g.data()
		f, err := forest.Pipeline(l, steps...).Fit(g.context(), d)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(steps, func(s datasets.Step) bool { return !changes(s) }) {
			return checkForest(f, d)
		}
		checkPrediction(f, d) // steps of no steps can't be saved
		return nil
	}},
	{name: "godt.Tune", needs: brokenForLearner, do: func(g *generator) error {
		var trees []forest.Learner
		for range g.IntN(4) {
			var tree godt.Tree
			g.fill(reflect.ValueOf(&tree).Elem())
			trees = append(trees, tree)
		}
		train := g.data()
		valid := train
		if g.chance(0.5) {
			valid = g.data()
		}
		t, err := godt.Tune(g.context(), trees, train, valid)
		want(err != nil || t.Best < len(trees) && len(t.Error) == len(trees), "the best is none")
		return err
	}},
}

func fitAny(g *generator) error {
	d := g.data()
	f, err := g.learner().Fit(g.context(), d)
	if err != nil {
		return err
	}
	return checkForest(f, d)
}

// plain are the models that predict tables of numbers.
func plain(f *forest.Forest) bool { return f.Steps == nil && f.Fills == nil }

// ask makes a call about a model and data, which must have no result where the data
// are broken.
func ask(do func(ctx context.Context, f *forest.Forest, d *datasets.Dataset) error) func(g *generator) error {
	return func(g *generator) error {
		f, d := g.model()
		if err := do(g.context(), f, d); err != nil {
			return err
		}
		wrong := brokenTable(d)
		if plain(f) {
			wrong = brokenCells(d)
		}
		want(wrong == "", "has a result, though %s", wrong)
		want(d.P() == len(f.Schema().Features), "has a result for %d columns of %d", d.P(), len(f.Schema().Features))
		return nil
	}
}

var modelCalls = []call{
	{name: "Forest.Check", do: ask(func(_ context.Context, f *forest.Forest,
		d *datasets.Dataset) error {
		return f.Check(d)
	})},
	{name: "CheckTraining", needs: brokenTraining, do: func(g *generator) error {
		f, d := g.model()
		return f.CheckTraining(d)
	}},
	{name: "Predict", do: ask(func(ctx context.Context, f *forest.Forest, d *datasets.Dataset) error {
		labels, err := f.Predict(ctx, d)
		if err == nil {
			checkClasses(labels, d.N(), len(f.Classes))
		}
		return err
	})},
	{name: "Proba", do: ask(func(ctx context.Context, f *forest.Forest, d *datasets.Dataset) error {
		proba, err := f.Proba(ctx, d)
		if err == nil {
			checkProba(proba, d.N(), len(f.Classes))
		}
		return err
	})},
	{name: "PredictValues", do: ask(func(ctx context.Context, f *forest.Forest, d *datasets.Dataset) error {
		values, err := f.PredictValues(ctx, d)
		if err == nil {
			checkValues(values, d.N())
		}
		return err
	})},
	{name: "Votes", do: ask(func(ctx context.Context, f *forest.Forest, d *datasets.Dataset) error {
		votes, err := f.Votes(ctx, d)
		want(err != nil || len(votes) == d.N(), "%d rows of votes", len(votes))
		return err
	})},
	{name: "Apply", do: ask(func(ctx context.Context, f *forest.Forest, d *datasets.Dataset) error {
		leaves, err := f.Apply(ctx, d)
		want(err != nil || len(leaves) == d.N(), "leaves of %d rows", len(leaves))
		return err
	})},
	{name: "OutOfBag", needs: brokenTraining, do: ask(func(ctx context.Context, f *forest.Forest,
		d *datasets.Dataset) error {
		o, err := f.OutOfBag(ctx, d)
		if err == nil {
			e := o.Error()
			want(e >= 0 || len(o.Rows) == 0, "out-of-bag error %v of %d rows", e, len(o.Rows))
		}
		return err
	})},
	{name: "Predictor", do: func(g *generator) error {
		f := pick(g, g.models...).forest
		x := drawn(g, 5, func(g *generator) float32 { return float32(g.real()) })
		if g.chance(0.6) {
			x = []float32{float32(g.NormFloat64()), float32(g.NormFloat64()), float32(g.IntN(4))}
		}
		p := f.Predictor()
		if f.Regression() {
			_, err := p.Value(x)
			return err
		}
		if label, err := p.Label(x); err != nil || int(label) >= len(f.Classes) {
			want(err != nil, "label %d", label)
			return err
		}
		_, err := p.Proba(make([]float64, pick(g, len(f.Classes), g.IntN(5))), x)
		return err
	}},
	{name: "Forest", do: func(g *generator) error {
		f := pick(g, g.models...).forest
		want(len(f.Importance()) == f.P(), "importance of other features")
		_ = f.String() + fmt.Sprint(f.Size(), f.Projections(), inspect.ModelSize(f))
		_, err := f.MarshalBinary()
		return err
	}},
}

var mutableCalls = []call{
	{name: "Mutable", indexes: true, do: func(g *generator) error {
		f, d := g.model()
		if len(f.Trees) == 0 {
			return nil
		}
		m := forest.NewMutable(&f.Trees[0])
		rows := g.labels(6)
		if g.chance(0.5) {
			rows = identity(d.N())
		}
		weights := pick(g, nil, g.reals(10), make([]float64, d.N()))
		switch node := int32(pick(g, 0, 0, 1, 2, g.number())); g.IntN(4) {
		case 0:
			m.Divide(d, node, rows)
		case 1:
			m.Reweigh(d, weights)
		case 2:
			m.Splice(node, g.chance(0.5))
		case 3:
			m.SetLeaf(node, m.Leaf(int32(g.number())))
		}
		m.Tree()
		return nil
	}},
}

func (g *generator) splitter() eval.Splitter {
	return pick[eval.Splitter](g, datasets.KFold{K: pick(g, 0, 2, g.number()), Stratified: g.chance(0.3)},
		datasets.KFold{K: 2}, eval.Predefined(), eval.Predefined(datasets.Fold{Train: []int32{0, 1}, Test: []int32{2}}),
		eval.Predefined(datasets.Fold{Train: g.labels(4), Test: g.labels(4)}),
		datasets.Rolling{K: g.number(), Gap: g.number()}, nil)
}

var evalCalls = []call{
	{name: "CrossValidate", needs: brokenTraining, do: func(g *generator) error {
		s, err := eval.CrossValidate(g.context(), g.learner(), g.data(), g.splitter(), g.steps()...)
		if err == nil {
			mean, _ := s.Loss()
			want(len(s.Folds) > 0 && mean >= 0, "loss %v in %d folds", mean, len(s.Folds))
			_ = s.String()
		}
		return err
	}},
	{name: "Tune", needs: brokenTraining, do: func(g *generator) error {
		t, err := eval.Tune(g.context(), drawn(g, 2, (*generator).learner), g.data(), g.splitter(), g.steps()...)
		want(err != nil || t.Best < len(t.Error), "the best is none")
		return err
	}},
}

var inspectCalls = []call{
	{name: "PermutationImportance", do: ask(func(ctx context.Context, f *forest.Forest, d *datasets.Dataset) error {
		_, err := inspect.PermutationImportance(ctx, f, d, nil, 1+d.N()%2, 1)
		return err
	})},
	{name: "PermutationImportance by a loss", do: func(g *generator) error {
		f, d := g.model()
		constant := func(*forest.Forest, *datasets.Dataset) float64 { return g.real() }
		_, err := inspect.PermutationImportance(g.context(), f, d, constant, g.IntN(3), g.Uint64())
		return err
	}},
	{name: "Sensitivity", needs: brokenTraining, do: func(g *generator) error {
		f, d := g.model()
		s, err := inspect.Sensitivity(g.context(), f, d)
		if err != nil {
			return err
		}
		part, err := s.Approximate(pick(g, 0.5, 1, g.real()), inspect.Selection(pick(g, 0, 1, 2, 200)), g.Uint64())
		if err != nil {
			return err
		}
		return part.Check()
	}},
}
