package forest_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// A committee fits two forests, notes what they are, and grows a third one with the options of its own. All but its
// depth is the same as in the second, so that trees which go astray aren't found out by sameBut.
type committee struct {
	trees int
	seed  uint64
	noted *[]*forest.Forest
}

func (l committee) third() forest.Learner {
	return forest.Pipeline(rf.Learner{Trees: l.trees, Seed: l.seed}, datasets.Standardise{})
}

func (l committee) Fit(ctx context.Context, d *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, d, forest.Options{})
}

func (l committee) Grow(ctx context.Context, d *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	stumps := forest.Pipeline(rf.Learner{Trees: 4, Growth: forest.Growth{MaxDepth: 1}, Seed: l.seed},
		datasets.Standardise{})
	for _, learner := range []forest.Learner{sporf.Learner{Trees: 5, Seed: l.seed}, stumps} {
		f, err := learner.Fit(ctx, d)
		if err != nil {
			return nil, err
		}
		*l.noted = append(*l.noted, f)
	}
	return forest.Grow(ctx, l.third(), d, o)
}

// closed is a committee that knows no options.
type closed struct{ committee committee }

func (l closed) Fit(ctx context.Context, d *datasets.Dataset) (*forest.Forest, error) {
	return l.committee.Fit(ctx, d)
}

// A learner that fits three others passes options on to one. They change neither that forest nor the two
// others; and without Grow, no options reach any of the three.
func TestOptionsReachOnlyTheLearnerTheyArePassedTo(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(40, 1)
	rapid.Check(t, func(r *rapid.T) {
		var noted []*forest.Forest
		l := committee{rapid.IntRange(2, 6).Draw(r, "trees"), rapid.Uint64().Draw(r, "seed"), &noted}
		want, err := l.Fit(t.Context(), d)
		if err != nil {
			r.Fatal(err)
		}
		plain, err := l.third().Fit(t.Context(), d)
		if err != nil || !bytes.Equal(bytesOf(r, want), bytesOf(r, plain)) {
			r.Fatalf("the third forest differs, error %v", err)
		}
		others := noted
		check := func(what string, f *forest.Forest, err error) {
			if err != nil || !bytes.Equal(bytesOf(r, f), bytesOf(r, want)) {
				r.Errorf("%s: another forest, error %v", what, err)
			}
			if !reflect.DeepEqual(noted, others) {
				r.Errorf("%s: the other forests differ", what)
			}
			noted = nil
		}

		cut := rapid.IntRange(1, l.trees-1).Draw(r, "cut")
		var parts []*forest.Part
		for _, trees := range [][2]int{{0, cut}, {cut, l.trees}} {
			noted = nil
			part := must.Value(forest.FitPart(t.Context(), l, d, trees[0], trees[1]))
			parts = append(parts, part)
		}
		joined, err := forest.Join(parts...)
		check("in parts", joined, err)

		shorter := l
		shorter.trees = cut
		grown, err := shorter.Fit(t.Context(), d)
		if err != nil {
			r.Fatal(err)
		}
		noted = nil
		o := forest.Options{Grown: grown, Prepared: new(forest.Prepared)}
		for range 2 {
			f, err := l.Grow(t.Context(), d, o)
			check("continued", f, err)
			f, err = forest.Grow(t.Context(), closed{l}, d, o)
			check("continued without Grow", f, err)
		}
		_, err = forest.FitPart(t.Context(), closed{l}, d, 0, cut)
		if !errors.Is(err, forest.ErrWhole) || noted != nil {
			r.Errorf("a part without Grow: error %v, %d forests grown; want ErrWhole and none", err, len(noted))
		}
	})
}

func bytesOf(t *rapid.T, f *forest.Forest) []byte {
	if f == nil {
		return nil
	}
	return must.Value(f.MarshalBinary())
}

// Learners of all kinds share a Prepared, also with one table after another, and grow the same forests.
func TestPreparedTables(t *testing.T) {
	tables := []*datasets.Dataset{sim.Trunk{Features: 5}.Sample(60, 1), sim.Trunk{Features: 5}.Sample(60, 2)}
	var kept forest.Prepared
	for name, learner := range independent(2) {
		for _, d := range append(tables, tables...) {
			want, err := learner.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := forest.Grow(t.Context(), learner, d, forest.Options{Prepared: &kept})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: another forest, error %v", name, err)
			}
		}
	}
}

// A learner that chooses among forests grows no part, and says so before it grows any.
func TestNoPartsOfChosenForests(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(40, 1)
	ctx := forest.WithProgress(t.Context(), func(int, int) { t.Error("trees are grown") })
	for _, l := range []forest.Learner{auto.Learner{}, forest.Pipeline(auto.Learner{}, datasets.Standardise{})} {
		if _, err := forest.FitPart(ctx, l, d, 0, 1); !errors.Is(err, forest.ErrWhole) {
			t.Errorf("%v: error %v, want ErrWhole", l, err)
		}
	}
}

// Options that ask for trees that a forest doesn't have.
func TestBeginRefuses(t *testing.T) {
	for _, o := range []forest.Options{{First: -1}, {First: 3}, {Last: 4}, {First: 2, Last: 2}, {First: 2, Last: 1},
		{Last: -1}} {
		if _, _, err := o.Begin(&forest.Forest{Trees: make([]forest.Tree, 3)}); err == nil {
			t.Errorf("%+v: no error for a forest of 3 trees", o)
		}
	}
}
