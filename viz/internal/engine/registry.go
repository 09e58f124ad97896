package engine

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/sim"
)

// An Entry is a line of a menu: a learner or a simulated problem with some of its
// fields as sliders.
type Entry struct {
	Name       string             `json:"name"` // the Go type, such as "sporf.Learner"; several entries may have the same
	Title      string             `json:"title"`
	Group      string             `json:"group"`
	About      string             `json:"about"` // a sentence
	Fixed      map[string]float64 `json:"fixed"` // fields that make this entry of the type
	Parameters []Parameter        `json:"parameters"`

	// Iterative says that splits are improved step by step (passes, a search, EM), so training takes long.
	Iterative bool `json:"iterative"`
}

// A Parameter is a field of a learner or problem, with the values that its slider has.
type Parameter struct {
	Field   string    `json:"field"` // such as "Trees" or "Memory.Alpha"
	Label   string    `json:"label"`
	Values  []float64 `json:"values"`  // in the slider's order
	Names   []string  `json:"names"`   // of the values, for a choice; nil for numbers
	Start   float64   `json:"start"`   // what the playground starts with
	Default float64   `json:"default"` // what 0 stands for; 0 if that isn't a number
	Zero    string    `json:"zero"`    // what is shown for 0, such as "no limit"
	Unit    string    `json:"unit"`    // follows numbers
	None    string    `json:"none"`    // what is shown for −1, where that turns something off
}

// refined is a CART tree improved by TAO; see [tao.Learner.Refine].
type refined struct {
	MaxDepth int // of the CART tree
	Passes   int
	Lambda   float64
	Seed     uint64
}

func (r refined) parts() (rf.CART, tao.Learner) {
	return rf.CART{Growth: forest.Growth{MaxDepth: r.MaxDepth}, Seed: r.Seed},
		tao.Learner{Passes: r.Passes, Lambda: r.Lambda}
}

// Fit grows the tree by CART and refines it.
func (r refined) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	cart, passes := r.parts()
	tree, err := cart.Fit(ctx, train)
	if err != nil {
		return nil, err
	}
	return passes.Refine(ctx, tree, train)
}

// named are the types that entries name, by their names.
var named = func() map[string]reflect.Type {
	types := map[string]reflect.Type{"tao.Refine": reflect.TypeFor[refined]()}
	add := func(v any) { types[reflect.TypeOf(v).String()] = reflect.TypeOf(v) }
	for _, l := range learners.All() {
		add(l)
	}
	for _, problem := range []any{
		sim.XOR{}, sim.Circles{}, sim.Pies{}, sim.GaussianClasses{}, sim.Ringnorm{}, sim.SparseParity{}, sim.Orthant{},
		sim.RandomRBF{},
	} {
		add(problem)
	}
	return types
}()

// newValue returns the struct of the given type with the given fields, and T, such as [forest.Learner], that it
// implements.
func newValue[T any](name string, fields map[string]float64) (v reflect.Value, is T, err error) {
	t, known := named[name]
	if !known || !t.Implements(reflect.TypeFor[T]()) {
		return v, is, fmt.Errorf("playground: there is no %q", name)
	}
	v = reflect.New(t).Elem()
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if err := set(v, field, fields[field]); err != nil {
			return v, is, fmt.Errorf("playground: %w", err)
		}
	}
	return v, v.Interface().(T), nil
}

// NewLearner returns the learner of the given type, such as "sporf.Learner", with the
// given fields, and its Go source. It returns an error if there is no such type or
// field, or if a value doesn't fit.
func NewLearner(name string, fields map[string]float64) (learner forest.Learner, code string, err error) {
	v, learner, err := newValue[forest.Learner](name, fields)
	if err != nil {
		return nil, "", err
	}
	if r, ok := learner.(refined); ok {
		cart, passes := r.parts()
		code := "cart := " + source(reflect.ValueOf(cart)) + "\n" + source(reflect.ValueOf(passes)) +
			".Refine(ctx, tree, train)"
		return r, code, nil
	}
	return learner, source(v), nil
}

// Methods returns the learners of the library, in the order of the menu, for data with p features.
func Methods(p int) []Entry {
	list := entries(menu.Methods, p)
	for i := range list {
		list[i].Parameters = append(list[i].Parameters, parameter(menu.Parameters["seed"], p))
	}
	return list
}

// Problems returns the problems of package sim that the playground can draw. Those with more than two features are
// shown as a slice.
func Problems() []Entry { return entries(menu.Problems, 2) }

//go:embed menu.json
var menuFile []byte

// menu is menu.json.
var menu = func() (m struct {
	Parameters        map[string]json.RawMessage // those that others are like
	Methods, Problems []group
	Constants         map[string][]string // the names of a type's values, in order from 0
}) {
	decodeMenu(menuFile, &m)
	return m
}()

// A group of menu.json has entries that are shown together.
type group struct {
	Group     string
	Iterative bool
	Entries   []struct {
		Entry
		Parameters []json.RawMessage `json:"parameters"`
	}
}

// entries returns the entries of groups for data with p features.
func entries(groups []group, p int) (list []Entry) {
	for _, g := range groups {
		for _, e := range g.Entries {
			e.Group, e.Iterative = g.Group, g.Iterative
			for _, own := range e.Parameters {
				e.Entry.Parameters = append(e.Entry.Parameters, parameter(own, p))
			}
			list = append(list, e.Entry)
		}
	}
	return list
}

// parameter returns a parameter of menu.json for data with p features. Its own fields go before those of the one that
// it is like.
func parameter(own json.RawMessage, p int) Parameter {
	var s struct {
		Parameter
		Like string // the name of the shared parameter
		// These name numbers of [sizes].
		Rule string // what Default is
		UpTo string // Values are the whole numbers from 1 to this
		Also string // Values have this, too
	}
	decodeMenu(own, &s)
	if s.Like != "" {
		decodeMenu(menu.Parameters[s.Like], &s)
		decodeMenu(own, &s) // over the shared fields
	}
	size := sizes(p)
	for _, name := range []string{s.Rule, s.UpTo, s.Also} {
		if _, known := size[name]; !known && name != "" {
			panic("menu.json: there is no number " + name)
		}
	}
	for k := 1.0; k <= size[s.UpTo]; k++ {
		s.Values = append(s.Values, k)
	}
	if s.Rule != "" {
		s.Default = size[s.Rule]
	}
	if s.Also != "" {
		s.Values = append(s.Values, size[s.Also])
		slices.Sort(s.Values)
		s.Values = slices.Compact(s.Values)
	}
	// With two features the default of several methods is one, which leaves nothing to be oblique.
	if s.Field == "TreeFeatures" && p == 2 {
		s.Start = 2
	}
	return s.Parameter
}

// sizes returns the numbers that depend on the number p of features, as menu.json names them.
func sizes(features int) map[string]float64 {
	p := float64(features)
	root := math.Sqrt(p)
	canonical := max(0, math.Ceil(math.Log2(p)+1)) // see [ccf.Learner.NodeFeatures]
	if p == 3 {
		canonical = 2
	}
	return map[string]float64{
		"p":                                  p,
		"p, at most 3":                       min(p, 3),
		"p, at most 5":                       min(p, 5),
		"p, at least 3":                      max(p, 3),
		"p/2, rounded up":                    math.Ceil(p / 2),
		"3/p, at most 1":                     min(3/p, 1),
		"√p":                                 math.Floor(root),
		"√p, rounded":                        math.Round(root),
		"√p, at least 2":                     min(p, max(2, math.Floor(root))),
		"log₂ p + 1, rounded up, but 2 of 3": canonical,
	}
}

// decodeMenu decodes a part of menu.json. It panics if the part isn't as the Go type says.
func decodeMenu(part []byte, to any) {
	d := json.NewDecoder(bytes.NewReader(part))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		panic("menu.json: " + err.Error())
	}
}
