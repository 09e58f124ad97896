package forest_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A generator draws what a call of TestMalformedCalls is given.
type generator struct {
	*rand.Rand
	models []trained
	used   *datasets.Dataset // the first data set that the call was given
	given  []snapshot        // all of them
}

// A trained model and its data.
type trained struct {
	forest *forest.Forest
	train  *datasets.Dataset
}

// trainedModels returns forests of every kind.
func trainedModels(t *testing.T) []trained {
	labels := threeClasses(40)
	values := threeClasses(40)
	values.Labels, values.Classes, values.Values = nil, nil, make([]float64, 40)
	for i := range values.Values {
		values.Values[i] = float64(values.Columns[0][i] + values.Columns[1][i]*values.Columns[2][i])
	}
	counts := threeClasses(40)
	counts.Labels, counts.Classes, counts.Values = nil, nil, make([]float64, 40)
	for i := range counts.Values {
		counts.Values[i] = float64(i % 5)
	}
	mixed := withCategories(threeClasses(40))
	mixed.Columns[0][3], mixed.Columns[2][7] = float32(math.NaN()), float32(math.NaN())
	var models []trained
	type pair struct {
		learner forest.Learner
		data    *datasets.Dataset
	}
	pairs := []pair{
		{rf.Learner{Trees: 3, Growth: forest.Growth{MaxDepth: 1}}, values},
		{rotation.Random{Trees: 3}, values},
		{boost.Learner{Rounds: 3, Loss: boost.Huber}, values},
		{boost.Learner{Rounds: 3, Folds: 2, Loss: boost.Poisson}, counts},
		{boost.Learner{Rounds: 3, Folds: 2}, mixed},
		{mix.Learner{Trees: 22}, labels},
		{mix.Learner{Trees: 3, BootstrapFits: true, Honest: true}, values},
		{auto.Learner{Trees: 8}, mixed},
		{rf.Learner{Trees: 3}, mixed},
		{sporf.Learner{Trees: 3}, mixed},
		{godt.Learner{Trees: 3, Splitting: godt.Splitting{Divider: godt.SeparateFull}}, labels},
		{godt.Learner{Trees: 3}, values},
		{forest.Pipeline(rf.Learner{Trees: 3}, datasets.Impute{}, datasets.OneHot{}, datasets.Standardise{}), mixed},
		{forest.Pipeline(sporf.Learner{Trees: 3}, datasets.Impute{}, datasets.Ordinal{}), mixed},
	}
	for _, l := range learners.With(3, 0) {
		pairs = append(pairs, pair{l, labels})
	}
	for _, m := range pairs {
		f := must.Value(m.learner.Fit(t.Context(), m.data))
		models = append(models, trained{f, m.data})
	}
	sum := *models[0].forest
	sum.Rule, sum.Classes, sum.Base = forest.Sum, []string{"u", "v"}, []float64{0.5}
	return append(models, trained{&sum, labels}, trained{&forest.Forest{}, labels})
}

// withCategories makes the last feature of d categorical.
func withCategories(d *datasets.Dataset) *datasets.Dataset {
	j := len(d.Features) - 1
	d.Features[j].Categories = []string{"red", "green", "blue"}
	for i, v := range d.Columns[j] {
		d.Columns[j][i] = float32(min(2, int(math.Abs(float64(v)))))
	}
	return d
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// number returns a whole number, mostly small.
func (g *generator) number() int {
	if g.chance(0.8) {
		return g.IntN(7) - 2
	}
	return pick(g, -1<<31, -1<<31+1, 1<<31-1, 1<<16, 255, 40, -40)
}

// real returns a number that may be none.
func (g *generator) real() float64 {
	switch g.IntN(4) {
	case 0:
		return pick(g, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat32, math.MaxFloat32, 1e30,
			1e-320, math.Copysign(0, -1))
	case 1:
		return float64(g.IntN(5) - 1)
	}
	return g.NormFloat64()
}

func (g *generator) reals(most int) []float64 {
	return drawn(g, most, (*generator).real)
}

func (g *generator) labels(most int) []int32 {
	return drawn(g, most, func(g *generator) int32 { return int32(g.number()) })
}

// drawn returns a slice of some length up to most, now and then nil.
func drawn[T any](g *generator, most int, draw func(*generator) T) []T {
	if g.chance(0.1) {
		return nil
	}
	s := make([]T, g.IntN(most+1))
	for i := range s {
		s[i] = draw(g)
	}
	return s
}

func (g *generator) name(s string) string {
	if g.chance(0.8) {
		return s
	}
	return pick(g, "", "a", "b", "#1", "#0", "x=red", "\x00\xff", "a name of more than some twenty letters")
}

// data draws a data set that is mostly malformed.
func (g *generator) data() *datasets.Dataset {
	if g.chance(0.01) {
		return nil
	}
	return g.give(g.damaged(g.sound()))
}

// model draws a trained model and data to ask it about: its own or others.
func (g *generator) model() (*forest.Forest, *datasets.Dataset) {
	m := pick(g, g.models...)
	if g.chance(0.5) {
		return m.forest, g.data()
	}
	return m.forest, g.give(g.damaged(cloned(m.train)))
}

// give remembers what a data set holds.
func (g *generator) give(d *datasets.Dataset) *datasets.Dataset {
	if g.used == nil {
		g.used = d
	}
	g.given = append(g.given, snapshot{d, fmt.Sprint(*d)})
	return d
}

// sound draws a data set that isn't malformed.
func (g *generator) sound() *datasets.Dataset {
	d := threeClasses(pick(g, 2, 3, 5, 9, 20, 20, 30, 40))
	if g.chance(0.01) {
		d = threeClasses(700)
	}
	if g.chance(0.2) {
		d = withCategories(d)
	}
	switch n := d.N(); g.IntN(8) {
	case 0:
		d.Labels, d.Classes = nil, nil
	case 1, 2:
		d.Labels, d.Classes = nil, nil
		d.Values = make([]float64, n)
		for i := range d.Values {
			d.Values[i] = g.NormFloat64()
		}
	}
	if g.chance(0.15) {
		d.Weights = make([]float32, d.N())
		for i := range d.Weights {
			d.Weights[i] = float32(g.IntN(3))
		}
	}
	if g.chance(0.15) {
		d.Groups = make([]int32, d.N())
		for i := range d.Groups {
			d.Groups[i] = int32(pick(g, g.IntN(3), i/3, 1e9-i/2))
		}
	}
	for g.chance(0.2) {
		rows := make([]int32, 1+g.IntN(2*d.N()))
		for i := range rows {
			rows[i] = int32(g.IntN(d.N()))
		}
		d = d.Subset(rows)
	}
	return d
}

// damaged makes none, one or a few things of d wrong, or at least unusual.
func (g *generator) damaged(d *datasets.Dataset) *datasets.Dataset {
	if g.chance(0.3) {
		return d
	}
	for ok := true; ok; ok = g.chance(0.3) {
		pick(g, damages...)(g, d)
	}
	return d
}

// damages are what can be wrong with a data set, whose slices are its own. They must
// work on data that are damaged already.
var damages = []func(g *generator, d *datasets.Dataset){
	func(g *generator, d *datasets.Dataset) { d.Features = g.otherFeatures(d.Features) },
	func(g *generator, d *datasets.Dataset) { d.Columns = otherLength(g, d.Columns) },
	func(g *generator, d *datasets.Dataset) {
		if len(d.Columns) > 0 {
			j := g.IntN(len(d.Columns))
			d.Columns[j] = otherLength(g, d.Columns[j])
		}
	},
	func(g *generator, d *datasets.Dataset) { // as a table without rows
		for j := range d.Columns {
			d.Columns[j] = pick(g, nil, []float32{})
		}
		d.Rows, d.Labels, d.Values, d.Weights, d.Groups = nil, nil, nil, nil, nil
	},
	func(g *generator, d *datasets.Dataset) { d.Rows = g.otherRows(d) },
	func(g *generator, d *datasets.Dataset) { d.Labels = otherLength(g, d.Labels) },
	func(g *generator, d *datasets.Dataset) { set(g, d.Labels, int32(g.number())) },
	func(g *generator, d *datasets.Dataset) { d.Labels = make([]int32, d.N()) },
	func(g *generator, d *datasets.Dataset) { d.Classes = otherLength(g, d.Classes) },
	func(g *generator, d *datasets.Dataset) { set(g, d.Classes, g.name("u")) },
	func(g *generator, d *datasets.Dataset) { d.Values = otherLength(g, d.Values) },
	func(g *generator, d *datasets.Dataset) { d.Values = g.reals(2 * max(1, d.N())) },
	func(g *generator, d *datasets.Dataset) { set(g, d.Values, g.real()) },
	func(g *generator, d *datasets.Dataset) { d.Weights = otherLength(g, d.Weights) },
	func(g *generator, d *datasets.Dataset) { d.Weights = make([]float32, d.N()) },
	func(g *generator, d *datasets.Dataset) { d.Groups = otherLength(g, d.Groups) },
	func(g *generator, d *datasets.Dataset) { d.Groups = make([]int32, d.N()) },
	func(g *generator, d *datasets.Dataset) { set(g, d.Groups, int32(g.number())) },
	func(g *generator, d *datasets.Dataset) { set(g, d.Weights, float32(g.real())) },
	func(g *generator, d *datasets.Dataset) { d.Target, d.Name = g.name(d.Target), g.name("set") },
	func(g *generator, d *datasets.Dataset) {
		for _, col := range d.Columns {
			if g.chance(0.5) {
				set(g, col, float32(g.real()))
			}
		}
	},
	func(g *generator, d *datasets.Dataset) { // constant columns
		for _, col := range d.Columns {
			v := float32(g.real())
			for i := range col {
				col[i] = v
			}
		}
	},
}

func (g *generator) otherFeatures(features []datasets.Feature) []datasets.Feature {
	features = otherLength(g, features)
	for j := range features {
		if g.chance(0.3) {
			features[j].Name = g.name(features[j].Name)
		}
		if g.chance(0.3) {
			features[j].Categories = pick(g, nil, []string{}, []string{""}, []string{"red"}, []string{"blue", "red", "green"},
				[]string{"red", "red", "red"}, []string{"0", "1", "2", "3", "4"})
		}
	}
	return features
}

// otherRows returns rows of columns that need not be there.
func (g *generator) otherRows(d *datasets.Dataset) []int32 {
	base := 1
	for _, col := range d.Columns {
		base = max(base, len(col))
	}
	rows := make([]int32, pick(g, 0, 1, d.N(), d.N()+1))
	for i := range rows {
		rows[i] = int32(g.IntN(base))
	}
	if g.chance(0.7) {
		set(g, rows, pick(g, -1, int32(base), int32(base+3), math.MaxInt32, math.MinInt32))
	}
	return rows
}

// otherLength returns s, cut, grown, empty or nil. What is cut off stays behind its end.
func otherLength[T any](g *generator, s []T) []T {
	switch g.IntN(6) {
	case 0:
		return nil
	case 1:
		return []T{}
	case 2:
		return append(slices.Clone(s), make([]T, 1+g.IntN(3))...)
	case 3:
		return slices.Clone(s)
	}
	return s[:g.IntN(len(s)+1)]
}

// set replaces one element, or a few.
func set[T any](g *generator, s []T, v T) {
	for ok := len(s) > 0; ok; ok = g.chance(0.3) {
		s[g.IntN(len(s))] = v
	}
}

func cloned(d *datasets.Dataset) *datasets.Dataset {
	c := *d
	c.Features, c.Columns = slices.Clone(d.Features), slices.Clone(d.Columns)
	for j := range c.Columns {
		c.Columns[j] = slices.Clone(c.Columns[j])
	}
	c.Rows, c.Labels, c.Classes = slices.Clone(d.Rows), slices.Clone(d.Labels), slices.Clone(d.Classes)
	c.Values, c.Weights, c.Groups = slices.Clone(d.Values), slices.Clone(d.Weights), slices.Clone(d.Groups)
	return &c
}

// context returns one that is hardly ever cancelled.
func (g *generator) context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	if g.chance(0.02) {
		cancel()
	}
	_ = cancel
	return ctx
}

// A snapshot is a data set and what it held.
type snapshot struct {
	data *datasets.Dataset
	held string
}

// changed reports whether a data set that was given holds something else now.
func (g *generator) changed() bool {
	return slices.ContainsFunc(g.given, func(s snapshot) bool { return fmt.Sprint(*s.data) != s.held })
}

// describe writes the data that a call was given.
func (g *generator) describe() string {
	s := ""
	for _, given := range g.given {
		s += fmt.Sprintf("%+v\n", *given.data)
	}
	return s[:min(len(s), 700)]
}
