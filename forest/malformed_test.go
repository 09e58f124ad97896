package forest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/learners"
)

var malformed = flag.Int("forest.malformed", 25_000, "how many calls with malformed data TestMalformedCalls makes")

// Any call with any data and any parameters must end in a result, in an error, in a
// panic with a text that begins with its package or, where its comment says that it
// indexes, in a runtime error; and in the goroutine that made the call, since a panic in
// any other ends the test. Data that a function needs to be sound have no result
// otherwise, and none are changed.
func TestMalformedCalls(t *testing.T) {
	models := trainedModels(t)
	calls := slices.Concat(tableCalls, stepCalls, splitCalls, readerCalls, learnerCalls, modelCalls, mutableCalls,
		evalCalls, inspectCalls)
	results, faults := map[string]int{}, map[string]int{}
	if testing.Short() {
		*malformed /= 20
	}
	for i := range *malformed {
		g := &generator{Rand: rand.New(rand.NewPCG(7, uint64(i))), models: models}
		c := calls[g.IntN(len(calls))]
		if wrong := g.make(c, results); wrong != "" {
			kind := c.name + ": " + varying.ReplaceAllString(wrong, "#")
			if faults[kind]++; faults[kind] == 1 {
				t.Errorf("call %d, %s: %s\n%s", i, c.name, wrong, g.describe())
			}
		}
	}
	for _, c := range calls {
		if *malformed >= 500*len(calls) && (results[c.name] == 0) != c.fails {
			t.Errorf("%s had %d results", c.name, results[c.name])
		}
	}
}

// A call is one way to use the library.
type call struct {
	name    string
	fails   bool                             // always
	indexes bool                             // its comment says that it panics as an index does
	needs   func(d *datasets.Dataset) string // says what is wrong with data that it can't have a result for; nil for any
	do      func(g *generator) error         // panics with a fault if the result is wrong
}

// A fault is what a call panics with that finds its own result wrong.
type fault string

var (
	known = regexp.MustCompile(`^(datasets|forest|eval|inspect|` + learnerPackages() +
		`|cart|bagging|extratrees|frc|rrrf|hrf|gorf|gqdt|gqrf|broken step): `)
	varying = regexp.MustCompile(`\b[0-9a-f]{6,16}\b|("(\\.|[^"\\])*"( … )?)+|\[[^\]]*\]|[-+−]?(\d[\d.,e+-]*|NaN|Inf)|".*`)
)

// learnerPackages are the names of the learners' packages, with bars between them.
func learnerPackages() string {
	var names []string
	for _, l := range learners.All() {
		name, _, _ := strings.Cut(fmt.Sprintf("%T", l), ".")
		names = append(names, name)
	}
	return strings.Join(names, "|")
}

// make makes a call, and counts it if it has a result. It returns what was wrong about it, if anything.
func (g *generator) make(c call, results map[string]int) (wrong string) {
	defer func() {
		v := recover()
		if text, ok := v.(fault); ok {
			wrong = string(text)
			return
		}
		if wrong == "" && g.changed() {
			wrong = "the data were changed"
		}
		text, isString := v.(string)
		_, isRuntime := v.(runtime.Error)
		expected := isRuntime && c.indexes ||
			isString && known.MatchString(text)
		if v != nil && !expected {
			wrong = fmt.Sprintf("panics with %v at%s", v, places(debug.Stack()))
		}
	}()
	err := c.do(g)
	switch {
	case err == nil:
		results[c.name]++
		if c.needs != nil && g.used != nil {
			if text := c.needs(g.used); text != "" {
				return "has a result, though " + text
			}
		}
	case !errors.Is(err, context.Canceled) && !known.MatchString(err.Error()):
		return fmt.Sprintf("the error %q doesn't begin with its package", err)
	}
	return ""
}

// places returns the lines of a stack that lie in the module, but for its tests.
func places(stack []byte) string {
	s := ""
	for line := range strings.Lines(string(stack)) {
		if place, _, _ := strings.Cut(line, " +"); strings.HasPrefix(line, "\t") && !strings.Contains(line, "/src/") &&
			!strings.Contains(line, "_test.go") {
			s += " " + filepath.Base(filepath.Dir(place)) + "/" + filepath.Base(place)
		}
	}
	return s
}

// brokenTable says what keeps a table's cells from being read.
func brokenTable(d *datasets.Dataset) string {
	if d == nil {
		return "they are nil"
	}
	if len(d.Columns) == 0 || len(d.Features) != len(d.Columns) {
		return "there are no columns, or others than features"
	}
	for j, col := range d.Columns {
		if len(col) != len(d.Columns[0]) {
			return "columns differ in length"
		}
		for _, v := range col {
			if c := d.Features[j].Categories; c != nil && v == v && !slices.Contains(identity(len(c)), int32(v)) {
				return "a code has no category"
			} else if c != nil && v == v && float32(int32(v)) != v {
				return "a code is not a whole number"
			}
		}
	}
	for _, r := range d.Rows {
		if r < 0 || int(r) >= len(d.Columns[0]) {
			return "a row lies outside of the columns"
		}
	}
	return ""
}

// brokenCells says what keeps a model without steps and Fills from predicting a table.
func brokenCells(d *datasets.Dataset) string {
	if text := brokenTable(d); text != "" {
		return text
	}
	for j, f := range d.Features {
		if f.Categories != nil {
			return "a column is categorical"
		}
		for i := range d.N() {
			if v := float64(d.At(i, j)); math.IsNaN(v) || math.IsInf(v, 0) {
				return "a cell is not finite"
			}
		}
	}
	return ""
}

// brokenTraining says what keeps a table from being training data.
func brokenTraining(d *datasets.Dataset) string {
	if text := brokenTable(d); text != "" {
		return text
	}
	n := len(d.Columns[0])
	if d.Rows != nil {
		n = len(d.Rows)
	}
	switch {
	case n == 0:
		return "there are no rows"
	case d.Labels != nil && d.Values != nil:
		return "there are labels and values"
	case d.Labels != nil && len(d.Labels) != n, d.Values != nil && len(d.Values) != n, d.Weights != nil &&
		len(d.Weights) != n, d.Groups != nil && len(d.Groups) != n:
		return "there is a target, a weight or a group too many or too few"
	case slices.ContainsFunc(d.Groups, func(g int32) bool { return g < 0 }):
		return "a group is negative"
	}
	for _, y := range d.Labels {
		if y < 0 || int(y) >= len(d.Classes) {
			return "a label has no class"
		}
	}
	for _, v := range d.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "a value is not finite"
		}
	}
	for _, w := range d.Weights {
		if v := float64(w); math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return "a weight is negative or not finite"
		}
	}
	return ""
}

// brokenForLearner says what keeps every learner from learning from a table.
func brokenForLearner(d *datasets.Dataset) string {
	if text := brokenTraining(d); text != "" {
		return text
	}
	if d.Labels == nil && d.Values == nil {
		return "there is no target"
	}
	for j := range d.Features {
		for i := range d.N() { // some learners take missing cells and categories
			if v := float64(d.At(i, j)); math.IsInf(v, 0) {
				return "a cell is infinite"
			}
		}
	}
	return ""
}

func identity(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// threeClasses returns n rows of three features, which the class depends on.
func threeClasses(n int) *datasets.Dataset {
	d := &datasets.Dataset{
		Target:   "y",
		Features: []datasets.Feature{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Classes:  []string{"u", "v", "w"},
		Columns:  make([][]float32, 3),
		Labels:   make([]int32, n),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32(rng.NormFloat64()))
		}
		if d.Columns[0][i] > 0 {
			d.Labels[i] = 1
		}
		if d.Columns[1][i]+d.Columns[2][i] > 1 {
			d.Labels[i] = 2
		}
	}
	return d
}
