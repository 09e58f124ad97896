package forest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

const people = `colour,height,team
red,1.5,a
blue,,b
red,1.25,a
,2,b
green,1,b
red,1.75,a
blue,3,b
red,2.5,a
`

func read(t testing.TB, text string, o datasets.CSV) *datasets.Dataset {
	return must.Value(o.Read(t.Context(), strings.NewReader(text), "people"))
}

// strange returns a table with the columns of people, a category that they don't have, and
// other missing cells.
func strange(people *datasets.Dataset) *datasets.Dataset {
	nan := people.Columns[1][1]
	d := *people
	d.Features = []datasets.Feature{{Name: "colour", Categories: []string{"violet", "red", "blue"}}, {Name: "height"}}
	d.Columns = [][]float32{{1, 0, 2, nan}, {1.5, 2, nan, 2.25}}
	d.Labels = []int32{0, 1, 1, 0}
	return &d
}

// The forest of a pipeline predicts as the forest that is grown from transformed data, also
// after it has been saved and loaded.
func TestPipelineIsItsStepsThenItsLearner(t *testing.T) {
	train := read(t, people, datasets.CSV{})
	test := strange(train)
	for _, steps := range [][]datasets.Step{
		{datasets.Impute{}, datasets.OneHot{}},
		{datasets.OneHot{}, datasets.Impute{}, datasets.Standardise{}},
		{datasets.Steps{datasets.Impute{}, datasets.OneHot{}}, datasets.Standardise{}},
		{datasets.Impute{}, datasets.TargetEncoding{Folds: 3, MinRows: 1, Smoothing: 1}},
		{datasets.Prepare{}},
	} {
		learner := rf.Learner{Trees: 20, Seed: 3}
		model := must.Value(forest.Pipeline(learner, steps...).Fit(t.Context(), train))
		transform, prepared, err := datasets.Steps(steps).Fit(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		plain := must.Value(learner.Fit(t.Context(), prepared))
		preparedTest := must.Value(transform.Apply(t.Context(), test))
		if want := must.Value(plain.Proba(t.Context(),
			preparedTest)); !reflect.DeepEqual(must.Value(model.Proba(t.Context(), test)), want) {
			t.Errorf("%v: probabilities %v, want %v", steps, must.Value(model.Proba(t.Context(), test)), want)
		}
		a := must.Value(model.OutOfBag(t.Context(), train))
		b := must.Value(plain.OutOfBag(t.Context(), prepared))
		if !reflect.DeepEqual(a.Votes, b.Votes) || a.Error() != b.Error() {
			t.Errorf("%v: out-of-bag votes %v, want %v", steps, a.Votes, b.Votes)
		}
		checkSaved(t, model, test)
		checkRows(t, model, test)
	}
}

// checkSaved compares a model with the one that is saved and loaded.
func checkSaved(t *testing.T, model *forest.Forest, test *datasets.Dataset) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	must.Do(model.Save(path))
	loaded := must.Value(forest.Load(path))
	if !reflect.DeepEqual(must.Value(loaded.Proba(t.Context(), test)), must.Value(model.Proba(t.Context(), test))) {
		t.Error("the loaded model has other probabilities")
	}
	if !reflect.DeepEqual(loaded.Schema(), model.Schema()) {
		t.Errorf("schema %+v, want %+v", loaded.Schema(), model.Schema())
	}
	if !bytes.Equal(must.Value(model.MarshalBinary()), must.Value(loaded.MarshalBinary())) {
		t.Error("written again it is another file")
	}
}

// checkRows compares predictions of single rows, whose categories are codes of the
// schema, with those of the whole table.
func checkRows(t *testing.T, model *forest.Forest, test *datasets.Dataset) {
	t.Helper()
	p, proba := model.Predictor(), must.Value(model.Proba(t.Context(), test))
	colours := model.Schema().Features[0].Categories
	for i, want := range proba {
		x := test.Row(nil, i)
		if x[0] == x[0] {
			code := slices.Index(colours, test.Features[0].Categories[int(x[0])])
			if code < 0 {
				continue // the schema has no code for it
			}
			x[0] = float32(code)
		}
		if got, err := p.Proba(nil, x); err != nil || !slices.Equal(got, want) {
			t.Errorf("row %d: %v, %v, want %v", i, got, err, want)
		}
	}
	if _, err := p.Label([]float32{0}); !errors.Is(err, datasets.ErrSchema) {
		t.Errorf("a row of one cell: error %v", err)
	}
	_, err := p.Label([]float32{17, 1})
	readtest.WantError(t, err, "code of one of its 3 categories")
}

func TestPipelineErrors(t *testing.T) {
	train := read(t, people, datasets.CSV{})
	fit := func(steps ...datasets.Step) (*forest.Forest, error) {
		return forest.Pipeline(rf.Learner{Trees: 3}, steps...).Fit(t.Context(), train)
	}
	none := forest.Pipeline(ccf.Learner{Trees: 3}, datasets.Impute{})
	_, err := none.Fit(t.Context(), train)
	readtest.WantError(t, err, `"colour" is categorical`)
	if _, err := forest.Pipeline(ccf.Learner{Trees: 3}, datasets.OneHot{}).Fit(t.Context(),
		train); !errors.Is(err, datasets.ErrMissing) || !strings.Contains(err.Error(), "fill it with Impute first") {
		t.Errorf("no Impute: error %v", err)
	}
	_, err = fit(nil)
	readtest.WantError(t, err, "pipeline of step <nil>")
	_, err = forest.Pipeline(nil).Fit(t.Context(), train)
	readtest.WantError(t, err, "pipeline of step <nil>")
	_, err = forest.Pipeline(nil, datasets.OneHot{}).Fit(t.Context(), train)
	readtest.WantError(t, err, "learner <nil>")
	model := must.Value(fit(datasets.Impute{}, datasets.Ordinal{}))
	_, err = model.Predict(t.Context(), strange(train))
	readtest.WantError(t, err, `"violet" is not one of the 3 categories`)
	if _, err := model.Predict(t.Context(), train.Select(1, 0)); !errors.Is(err, datasets.ErrSchema) {
		t.Errorf("columns in another order: error %v", err)
	}
	model = must.Value(fit(own{}, datasets.Impute{}, datasets.OneHot{}))
	_, err = model.MarshalBinary()
	readtest.WantError(t, err, "forest_test.own can't be saved")
	if got := must.Value(model.Predict(t.Context(), train)); len(got) != train.N() {
		t.Errorf("a step of another package: predictions %v", got)
	}
}

// own is a step that changes nothing.
type own struct{}

func (own) Fit(_ context.Context, d *datasets.Dataset) (datasets.Transform, *datasets.Dataset, error) {
	return own{}, d, nil
}
func (own) Apply(_ context.Context, d *datasets.Dataset) (*datasets.Dataset, error) { return d, nil }

func TestPipelineString(t *testing.T) {
	l := forest.Pipeline(rf.CART{Seed: 3}, datasets.Impute{}, datasets.TargetEncoding{Folds: 2})
	want := "datasets.Impute{} → datasets.TargetEncoding{MinRows:0 Smoothing:0 Folds:2 Seed:0} → " +
		"rf.CART{Growth:{Criterion:0 MaxDepth:0 MinSplit:0 MinLeaf:0} Seed:3}"
	if got := fmt.Sprint(l); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Learners can be compared and used as keys.
func TestLearnersAreKeys(t *testing.T) {
	all := func() []forest.Learner {
		return append(learners.All(), rf.Learner{Trees: 3}, rf.Learner{Growth: forest.Growth{MinSplit: 3}},
			forest.Pipeline(rf.Learner{}, datasets.Impute{}), forest.Pipeline(rf.Learner{}, datasets.OneHot{}),
			forest.Pipeline(rf.Learner{}, datasets.Impute{}, datasets.OneHot{}),
			forest.Pipeline(rf.Learner{Trees: 3}, datasets.Impute{}, datasets.OneHot{}))
	}
	for i, a := range all() {
		for k, b := range all() {
			if (map[forest.Learner]bool{a: true})[b] != (i == k) {
				t.Errorf("%T %+v and %T %+v: equal %v", a, a, b, b, i != k)
			}
		}
	}
	if forest.Pipeline(rf.Learner{}) != forest.Learner(rf.Learner{}) {
		t.Error("a pipeline of no steps isn't the learner")
	}
	nested := forest.Pipeline(rf.Learner{}, datasets.Steps{datasets.Impute{}, datasets.OneHot{}})
	if nested != forest.Pipeline(rf.Learner{}, datasets.Impute{}, datasets.OneHot{}) {
		t.Error("steps in a list are other steps")
	}
}

// Every learner with a Sampling uses it: each tree's root has the weight of the rows drawn,
// and the out-of-bag rows are found again.
func TestSamplingOfEveryLearner(t *testing.T) {
	train := sim.Trunk{Features: 5}.Sample(100, 1)
	for fraction, rows := range map[float64]float64{0: 100, 1: 100, 0.5: 50, 0.33: 33} {
		for _, s := range []forest.Sampling{{Fraction: fraction}, {Fraction: fraction, WithoutReplacement: true}} {
			for _, l := range []forest.Learner{
				rf.Learner{Trees: 3, Sampling: s}, rf.Bagging{Trees: 3, Sampling: s}, sporf.Learner{Trees: 3, Sampling: s},
				sporf.FRC{Trees: 3, Sampling: s}, oblique.Learner{Trees: 3, Sampling: s},
				ccf.Learner{Trees: 3, NodeFeatures: 5, Sampling: s}, rotation.Random{Trees: 3, Sampling: s},
				oc1.Learner{Trees: 3, Search: oc1.Search{Restarts: 1}, Sampling: s},
			} {
				f := must.Value(l.Fit(t.Context(), train))
				for i := range f.Trees {
					weight := 0.0
					for _, w := range f.Trees[i].ClassWeights()[0] {
						weight += w
					}
					if weight != rows {
						t.Fatalf("%T, %+v: tree %d has %v rows, want %v", l, s, i, weight, rows)
					}
				}
				_, err := f.OutOfBag(t.Context(), train)
				if none := s.WithoutReplacement && rows == 100; none != (err != nil) {
					t.Fatalf("%T, %+v: out of bag: %v", l, s, err)
				}
			}
		}
	}
	for _, l := range []forest.Learner{rf.Learner{Sampling: forest.Sampling{Fraction: 1.1}},
		sporf.Learner{Sampling: forest.Sampling{Fraction: -1}}} {
		_, err := l.Fit(t.Context(), train)
		readtest.WantError(t, err, "sampling fraction of")
	}
}

// A prediction checks its context between trees, not only between blocks of rows.
func TestPredictionLooksAtItsContextBetweenTrees(t *testing.T) {
	train := sim.Trunk{Features: 3}.Sample(50, 1) // one block
	model := must.Value(rf.Learner{Trees: 200, Seed: 1}.Fit(t.Context(), train))
	half := &calltest.Count{Left: 100}
	if _, err := model.Predict(half.Context(t.Context()), train); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled after 100 of 200 trees: error %v", err)
	}
	if _, err := model.Predict((&calltest.Count{Left: 1000}).Context(t.Context()), train); err != nil {
		t.Errorf("cancelled long after the end: error %v", err)
	}
}

// Categories that say nothing, few rows of each, don't look useful out of bag.
func TestCodesOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	mean, tables := 0.0, 10.0
	for range int(tables) {
		d := &datasets.Dataset{Classes: []string{"a", "b"}, Labels: make([]int32, 600)}
		for j := range 3 {
			d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j)})
			d.Columns = append(d.Columns, make([]float32, 600))
			for c := range 40 {
				d.Features[j].Categories = append(d.Features[j].Categories, fmt.Sprint(c))
			}
			for i := range d.Columns[j] {
				d.Columns[j][i] = float32(rng.IntN(40))
			}
		}
		for i := range d.Labels {
			d.Labels[i] = rng.Int32N(2)
		}
		f := must.Value(forest.Pipeline(rf.Learner{Trees: 100}, datasets.Prepare{}).Fit(t.Context(), d))
		mean += must.Value(f.OutOfBag(t.Context(), d)).Error() / tables
	}
	if mean < 0.46 || mean > 0.54 {
		t.Errorf("the mean error out of bag is %v, want about 0.5", mean)
	}
}
