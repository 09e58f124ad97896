package grid

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// The test's own program is the worker.
func TestMain(m *testing.M) {
	cluster.Main(rf.Learner{}, sporf.Learner{}, rf.HRF{})
	os.Exit(m.Run())
}

var two = cluster.Local{Workers: 2}

// timeless removes what depends on the machine.
func timeless(s eval.Scores) eval.Scores {
	for i := range s.Folds {
		s.Folds[i].Fit, s.Folds[i].Predict = 0, 0
	}
	return s
}

// values is a regression set.
func values(n int) *datasets.Dataset {
	d := sim.Trunk{Features: 4}.Sample(n, 2)
	d.Values = make([]float64, n)
	for i, l := range d.Labels {
		d.Values[i] = float64(l) + float64(d.Columns[1][i])/3
	}
	d.Labels, d.Classes = nil, nil
	return d
}

// equal compares by text, since NaN isn't equal to itself.
func equal[T any](a, b T) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

func TestCrossValidateIsEvals(t *testing.T) {
	raw := sim.Trunk{Features: 4}.Sample(120, 1)
	for _, c := range []struct {
		name    string
		learner forest.Learner
		d       *datasets.Dataset
		by      eval.Splitter
		steps   []datasets.Step
	}{
		{"classes", sporf.Learner{Trees: 12, Seed: 3}, raw, datasets.KFold{K: 5, Stratified: true, Seed: 1}, nil},
		{"values", rf.Learner{Trees: 12, Seed: 3}, values(90), datasets.KFold{K: 3}, nil},
		{"steps", sporf.Learner{Trees: 12, Seed: 3}, raw, eval.RepeatedKFold(0, 0, 0),
			[]datasets.Step{datasets.Standardise{}}},
		{"dependent trees", rf.HRF{Trees: 6}, raw,
			eval.Predefined(datasets.Fold{Train: []int32{0, 1, 2, 3, 4, 5, 6, 7, 50}, Test: []int32{8, 20}}), nil},
	} {
		want := must.Value(eval.CrossValidate(t.Context(), c.learner, c.d, c.by, c.steps...))
		var last [2]int
		ctx := forest.WithProgress(t.Context(), func(done, total int) { last = [2]int{done, total} })
		got := must.Value(CrossValidate(ctx, two, c.learner, c.d, c.by, c.steps...))
		if !equal(timeless(got), timeless(want)) {
			t.Errorf("%s: scores\n%v\nwant\n%v", c.name, got, want)
		}
		if n := len(want.Folds); last != [2]int{n, n} {
			t.Errorf("%s: progress ended with %v of %d folds", c.name, last, n)
		}
	}
}

func sameTuning(t *testing.T, a, b *eval.Tuning) bool {
	t.Helper()
	return a.Best == b.Best && a.By == b.By && equal(a.Learners, b.Learners) &&
		equal(a.Error, b.Error) && equal(a.StdErr, b.StdErr) &&
		bytes.Equal(encoded(a.Model), encoded(b.Model))
}

// encoded returns the bytes of a forest, none for nil.
func encoded(f *forest.Forest) []byte {
	if f == nil {
		return nil
	}
	return must.Value(f.MarshalBinary())
}

func TestTuneIsEvals(t *testing.T) {
	d := sim.Trunk{Features: 6}.Sample(150, 4)
	var forests []sporf.Learner
	for _, trees := range []int{3, 30, 60} {
		forests = append(forests, sporf.Learner{Trees: trees, Seed: 1})
	}
	easy := sim.Trunk{Features: 1}.Sample(40, 1)
	for i, l := range easy.Labels {
		easy.Columns[0][i] = float32(l)
	}
	for _, c := range []struct {
		name string
		d    *datasets.Dataset
		by   eval.Splitter
	}{
		{"folds", d, datasets.KFold{K: 4, Seed: 2}},
		{"out of bag", d, nil},
		{"stops at no errors", easy, datasets.KFold{K: 2}},
		{"values", values(80), nil},
	} {
		want := must.Value(eval.Tune(t.Context(), forests[1:], c.d, c.by, datasets.Standardise{}))
		got := must.Value(Tune(t.Context(), two, forests[1:], c.d, c.by, datasets.Standardise{}))
		if !sameTuning(t, got, want) {
			t.Errorf("%s: errors %v, best %d; want %v, %d", c.name, got.Error, got.Best, want.Error, want.Best)
		}
	}
	// The trees of HRF depend on each other, so the best forest is grown here.
	dependent := []rf.HRF{{Trees: 9}, {Trees: 20}}
	want := must.Value(eval.Tune(t.Context(), dependent, d, nil))
	if got, err := Tune(t.Context(), two, dependent, d, nil); err != nil || !sameTuning(t, got, want) {
		t.Errorf("dependent trees: %+v, error %v", got, err)
	}
}

func TestRefusals(t *testing.T) {
	d := sim.Trunk{Features: 2}.Sample(20, 1)
	oneClass := eval.Predefined(datasets.Fold{Train: rowsOf(d, 0), Test: rowsOf(d, 1)})
	for _, c := range []struct {
		do   func(context.Context) error
		want string
	}{
		{func(ctx context.Context) error {
			_, err := CrossValidate(ctx, two, rf.Bagging{}, d, datasets.KFold{K: 2})
			return err
		}, "workers don't know the learner github.com/obliqua-ml/obliqua/forest/rf.Bagging"},
		{func(ctx context.Context) error { _, err := CrossValidate(ctx, two, rf.Learner{}, d, nil); return err },
			"no splitter"},
		{func(ctx context.Context) error {
			_, err := CrossValidate(ctx, two, rf.Learner{}, d, oneClass)
			return err
		}, "rf: "},
		{func(ctx context.Context) error { _, err := Tune[rf.Learner](ctx, two, nil, d, nil); return err }, "no learners"},
		{func(ctx context.Context) error {
			_, err := Tune(ctx, two, []rf.Learner{{Trees: 1, Sampling: forest.AllRows}}, d, nil)
			return err
		}, "every tree was grown on all rows"},
	} {
		if err := c.do(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "1 of 1") {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

func rowsOf(d *datasets.Dataset, class int32) []int32 {
	var rows []int32
	for i, l := range d.Labels {
		if l == class {
			rows = append(rows, int32(i))
		}
	}
	return rows
}
