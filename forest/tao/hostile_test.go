package tao

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// table returns a data set with the given columns and neither labels nor values.
func table(columns ...[]float32) *datasets.Dataset {
	d := &datasets.Dataset{Name: "table", Target: "y", Columns: columns}
	for j := range columns {
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j)})
	}
	return d
}

// column returns n cells.
func column(n int, cell func(i int) float32) []float32 {
	c := make([]float32, n)
	for i := range c {
		c[i] = cell(i)
	}
	return c
}

// labelled returns a copy of d with labels below k.
func labelled(d *datasets.Dataset, k int, label func(i int) int) *datasets.Dataset {
	c := *d
	c.Classes = []string{"a", "b", "c", "d"}[:k]
	c.Labels = make([]int32, d.N())
	for i := range c.Labels {
		c.Labels[i] = int32(label(i))
	}
	return &c
}

// valued returns a copy of d with values.
func valued(d *datasets.Dataset, value func(i int) float64) *datasets.Dataset {
	c := *d
	c.Values = make([]float64, d.N())
	for i := range c.Values {
		c.Values[i] = value(i)
	}
	return &c
}

func TestRefusesWhatItCannotLearnFrom(t *testing.T) {
	x := table(column(6, func(i int) float32 { return float32(i) }))
	good := labelled(x, 2, func(i int) int { return i % 2 })
	weighted := func(d *datasets.Dataset, w ...float32) *datasets.Dataset {
		c := *d
		c.Weights = w
		return &c
	}
	largest := float32(math.MaxFloat32)
	for _, test := range []struct {
		d    *datasets.Dataset
		l    Learner
		want string
	}{
		{labelled(x, 2, func(int) int { return 1 }), Learner{}, `class "b"; want at least two`},
		{weighted(good, 1, 0, 1, 0, 1, 0), Learner{}, `class "a"; want at least two`},
		{weighted(good, largest, largest, 1, 1, 1, 1), Learner{}, "weights add up to"},
		{valued(x, func(i int) float64 { return 1e300 * float64(i) }), Learner{}, "scale the values"},
		{good, Learner{Depth: -1}, "Depth -1"},
		{good, Learner{Lambda: -2}, "Lambda -2"},
		{good, Learner{LeafLambda: math.NaN()}, "LeafLambda NaN"},
		{good, Learner{Lambda: math.Inf(1)}, "Lambda +Inf"},
		{good, Learner{SplitProbability: 1.5}, "SplitProbability 1.5"},
		{good, Learner{NodeFeatures: 2}, "NodeFeatures 2"},
		{good, Learner{Sampling: forest.Sampling{Fraction: 2}}, "fraction of 2"},
	} {
		_, err := test.l.Fit(context.Background(), test.d)
		readtest.WantError(t, err, "tao: ", test.want)
	}
	_, err := (Learner{}).Path(context.Background(), good, 1, -1)
	readtest.WantError(t, err, "λ number 1 of the path")
}

// Rows of weight 0 must not count: their labels and cells can be anything.
func TestRowsOfWeightZeroDontCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		d.Weights = make([]float32, d.N())
		for i := range d.Weights {
			d.Weights[i] = float32(max(min(i, 2), i%3)) // rows 0 and 3, 6, … may be 0
		}
		d.Weights[0], d.Weights[1] = 1, 2
		var other datasets.Dataset = *d
		other.Labels, other.Values = append([]int32(nil), d.Labels...), append([]float64(nil), d.Values...)
		zero := d.N() - 1
		d.Weights[zero] = 0
		if d.Labels != nil {
			other.Labels[zero] = (d.Labels[zero] + 1) % int32(len(d.Classes))
		} else {
			other.Values[zero] += 1e6
		}
		f := must.Value(l.Fit(context.Background(), d))
		g := must.Value(l.Fit(context.Background(), &other))
		if !reflect.DeepEqual(f, g) {
			t.Fatal("the target of a row of weight 0 changes the forest")
		}
	})
}

// rescaled multiplies the cells, values and weights of d by powers of ten, so that some are
// near the largest and the smallest numbers.
func rescaled(t *rapid.T, d *datasets.Dataset) {
	for j, c := range d.Columns {
		scale := math.Pow(10, float64(rapid.IntRange(-45, 38).Draw(t, "magnitude")))
		offset := rapid.SampledFrom([]float64{0, 0, 1e3, 1e6, -1e8}).Draw(t, "offset")
		for i, v := range c {
			d.Columns[j][i] = float32(max(-math.MaxFloat32, min(math.MaxFloat32, scale*(float64(v)+offset))))
		}
	}
	if d.Values != nil {
		scale := math.Pow(10, float64(rapid.IntRange(-320, 307).Draw(t, "magnitude of values")))
		for i := range d.Values {
			d.Values[i] *= scale
		}
	}
	if d.Weights != nil {
		scale := math.Pow(10, float64(rapid.IntRange(-44, 37).Draw(t, "magnitude of weights")))
		for i := range d.Weights {
			d.Weights[i] = float32(float64(d.Weights[i]) * scale)
		}
	}
}

func TestAnyMagnitudeIsTrainedOnOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		rescaled(t, d)
		l.Acceptance = rapid.SampledFrom([]Acceptance{FreeThenStrict, Strict, Free}).Draw(t, "acceptance")
		f, err := l.Fit(context.Background(), d)
		soundOrRefused(t, f, d, err)
	})
}

func soundOrRefused(t *rapid.T, f *forest.Forest, d *datasets.Dataset, err error) {
	if err == nil {
		fittest.Sound(t, f, d)
	} else if !strings.HasPrefix(err.Error(), "tao: ") {
		t.Fatal(err)
	}
}

func TestRefinesForestsOfAnyMagnitude(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, l := problem(t), learner(t)
		rescaled(t, d)
		growth := forest.Growth{MaxDepth: 3}
		m := rapid.SampledFrom([]forest.Learner{
			rf.CART{Growth: growth}, sporf.Learner{Trees: 1, Growth: growth}, Learner{Trees: 1, Depth: 2, LinearLeaves: true},
		}).Draw(t, "method")
		f, err := m.Fit(context.Background(), d)
		if err != nil {
			return
		}
		l.LinearLeaves = true
		refined, err := l.Refine(context.Background(), f, d)
		soundOrRefused(t, refined, d, err)
	})
}
