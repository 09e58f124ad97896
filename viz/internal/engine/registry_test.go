package engine

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

func TestEveryMethodOfTheLibrary(t *testing.T) {
	// Trees of auto.Learner split columns that are prepared, so their lines aren't lines among the points; and it
	// grows one of two methods that the menu has.
	known := map[string]bool{"auto.Learner": true}
	for _, e := range Methods(2) {
		known[e.Name] = true
	}
	for _, l := range learners.All() {
		if name := fmt.Sprintf("%T", l); !known[name] {
			t.Errorf("menu.json, the menu of the playground, lacks %s", name)
		}
	}
}

func TestNewLearner(t *testing.T) {
	type fields = map[string]float64
	for _, test := range []struct {
		name   string
		fields fields
		want   forest.Learner
		code   string
	}{
		{"rf.CART", nil, rf.CART{}, "rf.CART{}"},
		{"sporf.Learner", fields{"Trees": 50, "Density": 0.5, "MaxDepth": 3, "Seed": 7},
			sporf.Learner{Trees: 50, Density: 0.5, Growth: forest.Growth{MaxDepth: 3}, Seed: 7},
			"sporf.Learner{Trees: 50, Density: 0.5, Growth: forest.Growth{MaxDepth: 3}, Seed: 7}"},
		{"oblique.Learner", fields{"LDA": 1}, oblique.Learner{LDA: true}, "oblique.Learner{LDA: true}"},
		{"rf.CART", fields{"Criterion": 1}, rf.CART{Growth: forest.Growth{Criterion: forest.Entropy}},
			"rf.CART{Growth: forest.Growth{Criterion: forest.Entropy}}"},
		{"tao.Learner", fields{"Trees": 1, "Sampling.Fraction": 1, "Sampling.WithoutReplacement": 1, "LinearLeaves": 1},
			tao.Learner{Trees: 1, Sampling: forest.AllRows, LinearLeaves: true},
			"tao.Learner{Trees: 1, LinearLeaves: true, Sampling: forest.Sampling{Fraction: 1, WithoutReplacement: true}}"},
		{"tao.Refine", fields{"MaxDepth": 4, "Passes": 3}, refined{MaxDepth: 4, Passes: 3},
			"cart := rf.CART{Growth: forest.Growth{MaxDepth: 4}}\ntao.Learner{Passes: 3}.Refine(ctx, tree, train)"},
	} {
		got, code, err := NewLearner(test.name, test.fields)
		if err != nil || got != test.want || code != test.code {
			t.Errorf("%s %v: %#v, %s, %v; want %#v, %s", test.name, test.fields, got, code, err, test.want, test.code)
		}
	}
	for _, test := range []struct {
		name   string
		fields fields
		want   string // in the error
	}{
		{"rf.Forest", nil, `no "rf.Forest"`},
		{"sim.XOR", nil, `no "sim.XOR"`}, // no learner
		{"sporf.Learner", fields{"Tress": 50}, "sporf.Learner has no field Tress"},
		{"sporf.Learner", fields{"Trees.More": 50}, "sporf.Learner has no field Trees.More"},
		{"sporf.Learner", fields{"Trees": 0.5}, "sporf.Learner.Trees can't be 0.5"},
		{"sporf.Learner", fields{"Trees": math.NaN()}, "can't be NaN"},
		{"sporf.Learner", fields{"Density": math.Inf(1)}, "can't be +Inf"},
		{"sporf.Learner", fields{"Seed": -1}, "can't be -1"},
		{"sporf.Learner", fields{"Criterion": 256}, "can't be 256"},
		{"sporf.Learner", fields{"Memory": 1}, "sporf.Learner.Memory can't be 1"},
		{"rf.Learner", fields{"Sampling.WithoutReplacement": 2}, "can't be 2"},
		{"graf.Learner", fields{"progress": 1}, "no field progress"},
	} {
		_, _, err := NewLearner(test.name, test.fields)
		readtest.WantError(t, err, test.want)
	}
}

func points(t *testing.T, p int) *datasets.Dataset {
	t.Helper()
	return sim.RandomRBF{Features: p, Classes: 3, Centroids: 6}.Sample(40, 1)
}

// model returns the bytes of a trained model.
func model(t *testing.T, name string, fields map[string]float64, d *datasets.Dataset) []byte {
	t.Helper()
	learner, _, err := NewLearner(name, fields)
	if err != nil {
		t.Fatal(err)
	}
	return must.Value(must.Value(learner.Fit(context.Background(), d)).MarshalBinary())
}

// small returns the fields that an entry starts with, but at most two trees.
func small(e Entry) map[string]float64 {
	fields := maps.Clone(e.Fixed)
	if fields == nil {
		fields = map[string]float64{}
	}
	for _, p := range e.Parameters {
		if p.Start != 0 {
			fields[p.Field] = p.Start
		}
		if p.Field == "Trees" {
			fields["Trees"] = 2
		}
		if p.Field == "Passes" {
			fields["Passes"] = 2
		}
	}
	return fields
}

// ends returns the values at both ends of a slider.
func ends(p Parameter) []float64 { return []float64{p.Values[0], p.Values[len(p.Values)-1]} }

// TestSliders trains every method with both ends of each of its sliders.
func TestSliders(t *testing.T) {
	for _, p := range []int{2, 3, 6} {
		d := points(t, p)
		for _, e := range Methods(p) {
			for _, parameter := range e.Parameters {
				if parameter.Field == "Trees" || parameter.Field == "Passes" {
					continue
				}
				for _, value := range ends(parameter) {
					fields := small(e)
					fields[parameter.Field] = value
					model(t, e.Name, fields, d)
				}
			}
		}
	}
}

// TestDefaults: what a slider shows for 0 is what 0 means to the library.
func TestDefaults(t *testing.T) {
	for _, p := range []int{2, 5} {
		d := points(t, p)
		for _, e := range Methods(p) {
			for _, parameter := range e.Parameters {
				if parameter.Default == 0 || testing.Short() && parameter.Field == "Trees" {
					continue
				}
				implied, stated := small(e), small(e)
				delete(implied, parameter.Field)
				stated[parameter.Field] = parameter.Default
				if string(model(t, e.Name, implied, d)) != string(model(t, e.Name, stated, d)) {
					t.Errorf("%s with %d features: without %s another model than with %v", e.Title, p, parameter.Field,
						parameter.Default)
				}
			}
		}
	}
}

// TestMenus: what a menu starts with is on its sliders, and every entry can be told from
// the others by its fields.
func TestMenus(t *testing.T) {
	seen := map[string]string{}
	for _, e := range slices.Concat(Methods(2), Methods(4), Problems()) {
		for _, p := range e.Parameters {
			start := p.Start
			if start == 0 && p.Default != 0 {
				start = p.Default
			}
			if !slices.Contains(p.Values, start) && p.Zero == "" {
				t.Errorf("%s: %s starts with %v, but the slider has %v", e.Title, p.Field, start, p.Values)
			}
			if p.Names != nil && len(p.Names) != len(p.Values) {
				t.Errorf("%s: %s has %d values and %d names", e.Title, p.Field, len(p.Values), len(p.Names))
			}
		}
		key := fmt.Sprint(e.Name, small(e))
		if other, ok := seen[key]; ok && other != e.Title {
			t.Errorf("%s and %s start with the same fields", e.Title, other)
		}
		seen[key] = e.Title
	}
}

func TestProblemsDraw(t *testing.T) {
	for _, e := range Problems() {
		for _, parameter := range append(e.Parameters, Parameter{Field: "", Values: []float64{0}}) {
			for _, value := range ends(parameter) {
				fields := small(e)
				if parameter.Field != "" {
					fields[parameter.Field] = value
				}
				train, test, _, err := Sample{Problem: e.Name, Fields: fields, Rows: 30, Seed: 1}.Draw()
				if parameter.Field == "Informative" && err != nil && strings.Contains(err.Error(), "nformative") {
					continue // more informative features than features
				}
				if err != nil || train.N() != 30 || test.N() != testRows || train.Check() != nil {
					t.Errorf("%s, %s = %v: %v", e.Title, parameter.Field, value, err)
				}
			}
		}
	}
}
