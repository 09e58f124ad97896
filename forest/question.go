package forest

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// A Question is what a split asks of a row, in the units of the columns that the forest was trained on: as far as they
// can be, scales of [datasets.Standardise] and lines such as normal scores are undone. Where a line can't, since
// features are summed, "score of x" is its result. What steps fill in for missing cells isn't mentioned.
type Question struct {
	Asks Asked

	// Names are those of the function's features, in its order, as words: of their columns, or such as "score of x",
	// "colour is red" and "x is missing". Columns that are relative to an offset, and dates, have it in their names, such
	// as "(time − 1700000000000)", unless the question is of one feature.
	Names []string

	// Weights are those of a linear function, for a unit of each of Names. That of one feature is 1.
	Weights []float64

	Threshold  float64
	Missing    bool     // rows with a missing cell go left, too
	Column     string   // unless the question has a Threshold
	Categories []string // for In, and one for NotIn

	scale datasets.Scale // of Threshold
	terms func(digits int) []string
}

// Asked says which rows go left at a split.
type Asked uint8

const (
	AtMost    Asked = iota // a function of the row is at most Threshold
	AtLeast                // the one feature is at least Threshold
	After                  // the same of dates, none of which is written as Threshold is
	In                     // the category of Column is one of Categories
	NotIn                  // it is none of them
	IsKnown                // the cell of Column isn't missing
	IsMissing              // it is
)

// Question returns what a split of tree t asks. It panics if the node is a leaf.
func (f *Forest) Question(t *Tree, node int) Question {
	n := t.Nodes[node]
	if n.IsLeaf() {
		panic("forest: Question of a leaf")
	}
	fn := t.Splits.At(n.Split)
	return f.Ask(&fn, n.Value)
}

// Ask returns what a split by a function of the forest's features asks.
func (f *Forest) Ask(fn *Function, threshold float32) Question {
	q := Question{Threshold: float64(threshold), Missing: fn.MissingLeft}
	origins := make([]origin, len(fn.list()))
	for i, j := range fn.list() {
		origins[i] = f.origin(int(j))
		q.Names = append(q.Names, origins[i].words())
	}
	switch {
	case fn.Kind == Set:
		q.Asks, q.Column, q.Categories = In, origins[0].column, f.categoriesOf(fn)
		return q
	case fn.Kind == Axis && threshold == math.MaxFloat32:
		q.Asks, q.Column = IsKnown, origins[0].column
		return q
	case !fn.Kind.Linear():
		q.terms = func(digits int) []string { return slices.Collect(fn.Terms(f.relative(), digits)) }
		return q
	}
	only := -1
	for i, w := range fn.Weights {
		switch {
		case w == 0:
		case only >= 0:
			only = len(fn.Weights)
		default:
			only = i
		}
	}
	if only >= 0 && only < len(fn.Weights) && q.askOne(&origins[only], float64(fn.Weights[only])) {
		q.Names = []string{origins[only].words()}
		return q
	}
	shift := 0.0
	q.Weights, shift = inSums(origins, q.Names, fn.Weights)
	q.Threshold -= shift
	return q
}

// askOne makes the question one of a single feature of a weight. It returns false if that can't be undone.
func (q *Question) askOne(o *origin, weight float64) bool {
	v, ok := o.undone(q.Threshold / weight)
	if !ok {
		return false
	}
	asks := AtMost
	if weight < 0 {
		asks = AtLeast
	}
	switch {
	case o.kind == "codes":
		asks, q.Categories = In, o.left(v, asks)
		if len(q.Categories) == 0 || len(q.Categories) == len(o.categories) {
			return false
		}
	case o.kind != "" && (v < 0 || v > 1 || asks == AtMost && v == 1 || asks == AtLeast && v == 0):
		return false
	case o.kind == "missing" && asks == AtMost:
		asks = IsKnown
	case o.kind == "missing":
		asks = IsMissing
	case o.kind == "is" && asks == AtMost:
		asks, q.Categories = NotIn, []string{o.category}
	case o.kind == "is":
		asks, q.Categories = In, []string{o.category}
	}
	if o.kind != "" {
		q.Column = o.column
	}
	q.Asks, q.Weights, q.Threshold, q.scale = asks, []float64{1}, o.scale.Offset+float64(o.step()*v), o.scale
	if layout, ok := o.scale.Layout(); ok && asks == AtLeast {
		at, err := time.Parse(layout, o.scale.Text(q.Threshold))
		if err == nil && float64(at.Unix())/(24*60*60) < q.Threshold {
			q.Asks = After
		}
	}
	return true
}

// left returns the categories whose values are at most v, or at least.
func (o *origin) left(v float64, asks Asked) (names []string) {
	for c, value := range o.values {
		if asks == AtMost && value <= v || asks == AtLeast && value >= v {
			names = append(names, o.categories[c])
		}
	}
	return names
}

// inSums changes names to those in sums, and returns the weights for a unit of each, and the sum for 0 of all.
func inSums(origins []origin, names []string, weights []float32) (own []float64, shift float64) {
	own = make([]float64, len(weights))
	for i, w := range weights {
		o := &origins[i]
		o.linear()
		names[i] = o.words()
		switch {
		case o.kind == "is" || o.kind == "missing":
			names[i] = "(" + names[i] + ")"
		case !o.score:
			s := o.scale
			s.Step = 0
			if of := s.Of(names[i]); of != names[i] {
				names[i] = "(" + of + ")"
			}
		}
		own[i] = float64(w) / (o.factor * o.step())
		shift -= float64(float64(w) * o.zero / o.factor)
	}
	return own, shift
}

// Terms returns the terms of the function, such as "petal length" and "− 0.5·sepal width". Numbers have the
// given significant digits, of which 0 means six, or all before the point.
func (q *Question) Terms(digits int) []string {
	switch {
	case q.terms != nil:
		return q.terms(digits)
	case q.Column != "":
		return []string{q.Column}
	}
	return termsOf(q.Weights, q.Names, 0, digits)
}

func termsOf(weights []float64, names []string, bias float64, digits int) (terms []string) {
	for i, w := range weights {
		if w != 0 {
			terms = append(terms, formatTerm(w, names[i], terms == nil, digits))
		}
	}
	if bias != 0 {
		terms = append(terms, formatTerm(bias, "", terms == nil, digits))
	}
	return terms
}

// Condition returns what comes after the terms, such as "≤ 2.5 or missing", "not missing" and "in {blue, red}", with
// numbers as format writes them.
func (q *Question) Condition(format func(float64) string) string {
	s := ""
	switch q.Asks {
	case AtMost:
		s = "≤ " + q.Value(format)
	case AtLeast:
		s = "≥ " + q.Value(format)
	case After:
		s = "> " + q.Value(format)
	case NotIn:
		s = "is not " + listed(q.Categories)
	case In:
		if s = "is " + listed(q.Categories); len(q.Categories) != 1 {
			s = "in {" + listed(q.Categories) + "}"
		}
	case IsKnown:
		return "not missing"
	case IsMissing:
		return "missing"
	}
	if q.Missing {
		s += " or missing"
	}
	return s
}

// Value returns the threshold as format writes it or, of a column that has an offset or dates, as it is written there.
func (q *Question) Value(format func(float64) string) string {
	if _, date := q.scale.Layout(); !date && q.scale.Offset == 0 && q.scale.Step == 0 {
		return format(q.Threshold)
	}
	text := q.scale.Text(q.Threshold)
	if size, negative := strings.CutPrefix(text, "-"); negative {
		return "−" + size
	}
	return text
}

// relative returns the features' names for functions that aren't linear. The name of a feature with an offset says so.
func (f *Forest) relative() []string {
	if f.Scales == nil {
		return f.Features
	}
	names := slices.Clone(f.Features)
	for j, scale := range f.Scales {
		name := featureName(f.Features, int32(j))
		if of := scale.Of(name); of != name {
			names[j] = "(" + of + ")"
		}
	}
	return names
}

// listed joins the names of categories, of which most are written out if there are more.
func listed(names []string) string {
	const most = 6
	if n := len(names); n > most {
		names = append(slices.Clone(names[:most-1]), "… ("+strconv.Itoa(n)+" categories)")
	}
	return strings.Join(names, ", ")
}

// categoriesOf returns the categories that go left at a Set.
func (f *Forest) categoriesOf(fn *Function) (names []string) {
	for c, name := range f.categories(int(fn.Features[0])) {
		if fn.side(float32(c)) == 0 {
			names = append(names, plain.Text(name))
		}
	}
	return names
}

// An origin says how a feature was made of a column: as an indicator, or by lines and scales.
type origin struct {
	name     string // in words
	column   string
	kind     string // "is": an indicator of a category, "missing": one of missing cells, "codes" of categories, or ""
	category string

	categories []string // and what they become before ops, NaN for a missing cell
	values     []float64

	scale datasets.Scale
	ops   []datasets.Op // "line", "scale" and "fill"

	// Set by linear: a cell, or the result of a line if score is set, is zero + factor·feature.
	zero, factor float64
	score        bool
}

// origin returns what feature j was made of.
func (f *Forest) origin(j int) origin {
	name := featureName(f.Features, int32(j))
	o := origin{name: name, column: name, scale: f.scale(j)}
	before, columns, err := datasets.Columns(f.Steps)
	if f.Steps == nil || err != nil || j >= len(columns) {
		return o
	}
	c := columns[j]
	from := before[c.From]
	o.scale, o.ops = datasets.Scale{}, c.Ops
	var made []datasets.Op // what isn't undone
	for i, op := range c.Ops {
		if !slices.Contains([]string{"line", "scale", "fill"}, op.Do) {
			made, o.ops = c.Ops[:i+1], c.Ops[i+1:]
		}
	}
	o.column = plain.Text(cmp.Or(from.Name, o.name))
	made = slices.DeleteFunc(slices.Clone(made), func(op datasets.Op) bool { return op.Do == "fill" })
	switch {
	case len(made) == 0:
		o.name, o.scale = o.column, from.Scale
	case len(made) == 1 && made[0].Do == "missing":
		o.name, o.kind = o.column+" is missing", "missing"
	case from.Categories != nil:
		o.ofCategories(from.Categories, made)
	}
	return o
}

// ofCategories sets what the operations make of each category: 1 for one and 0 for all others make an indicator.
func (o *origin) ofCategories(categories []string, made []datasets.Op) {
	is, zeros := -1, 0
	for c, category := range categories {
		v := float64(c)
		for _, op := range made {
			switch {
			case op.Do == "codes" && v >= 0 && int(v) < len(op.Numbers):
				v = op.Numbers[int(v)]
			case op.Do == "is" && v == v:
				if v == op.Numbers[0] {
					v = 1
				} else {
					v = 0
				}
			case op.Do != "number" && v == v:
				return
			}
		}
		o.categories, o.values = append(o.categories, plain.Text(category)), append(o.values, v)
		if v == 1 {
			is = c
		} else if v == 0 || v != v {
			zeros++
		}
	}
	if o.kind = "codes"; is >= 0 && zeros == len(categories)-1 {
		o.kind, o.category = "is", o.categories[is]
		o.name = o.column + " is " + o.category
	}
}

func (o *origin) step() float64 { return cmp.Or(o.scale.Step, 1) }

// words says what the feature is.
func (o *origin) words() string {
	if o.score {
		return "score of " + o.name
	}
	return o.name
}

// undone returns the cell of the column that becomes v. It returns false if a line can't be undone: one that doesn't
// rise, or beyond its points.
func (o *origin) undone(v float64) (float64, bool) {
	for _, op := range slices.Backward(o.ops) {
		n := op.Numbers
		switch op.Do {
		case "scale":
			v = n[0] + float64(n[1]*v)
		case "line":
			k := 0
			for i := 3; i < len(n); i += 2 {
				if n[i] <= n[i-2] {
					return 0, false
				}
				if n[i-2] <= v && v < n[i] {
					k = i
				}
			}
			if k == 0 {
				return 0, false
			}
			v = n[k-3] + float64((v-n[k-2])/(n[k]-n[k-2])*(n[k-1]-n[k-3]))
		}
	}
	return v, true
}

// linear sets zero, factor and score.
func (o *origin) linear() {
	o.factor = 1
	for _, op := range slices.Backward(o.ops) {
		switch op.Do {
		case "scale":
			o.zero = op.Numbers[0] + float64(op.Numbers[1]*o.zero)
			o.factor *= op.Numbers[1]
		case "line":
			o.score, o.scale = true, datasets.Scale{}
			return
		}
	}
}
