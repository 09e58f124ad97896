package sporf

import (
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

// The experiments of this file have the forests as the programs of the paper's authors grow them (scripts of 2017 and
// 2018): 500 trees on bootstrap samples that are drawn within classes, and a node becomes a leaf where no candidate
// divides it. A run trains every [Choice] and takes the one of lowest out-of-bag error, at random among several. More
// has of each choice the test error ("error.400.3"), the out-of-bag error ("oob") and the processor's seconds
// ("seconds").

// Simulated is figures 2, 3, 8, 11A, 11B, 11C and 11D in one. More has strength and correlation of the trees, too.
var Simulated = paper.Experiment{Name: "sporfchoices", File: "sporf-choices-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"trunk"}, Methods: three, X: []int{10, 100}, Repeats: 10, Order: "xprm"},
	{Problems: []string{"orthant"}, Methods: three, X: []int{400}, Repeats: 10, Order: "xprm"},
	{Problems: []string{"sparse parity"}, Methods: three, X: []int{1000}, Repeats: 10, Order: "xprm"},
	{Problems: []string{"orthant"}, Methods: three, X: []int{2000}, Repeats: 10, Order: "xprm"},
	{Problems: []string{"sparse parity"}, Methods: three, X: []int{5000}, Repeats: 10, Order: "xprm"},
	{Problems: []string{"orthant"}, Methods: three, X: []int{4000}, Repeats: 10, Order: "xprm"},
	{Problems: []string{"sparse parity"}, Methods: three, X: []int{10000}, Repeats: 10, Order: "xprm"}}}

// OnSets is table 1 and figures 5 and 6: the error on each of the authors' five folds, the record's repeat. Features
// are standardised, and constant ones dropped, on the whole set. More has both κ of [Table1], and the number of
// features ("features").
var OnSets = paper.Experiment{Name: "table1choices", File: "sporf-table1-choices-paper.csv", Grids: []paper.Grid{
	{Problems: Sets, Methods: axisAndOblique, Repeats: 5, Order: "mpxr"}}}

// A Choice is a setting of the authors' grid: D candidates a node, each of K features: the mean number with SPORF, λp,
// and exactly as many with F-RC. The random forest has K = 1.
type Choice struct{ D, K int }

// Choices returns the authors' grid for a method and p features: d in ⌈p^¼⌉, ⌈p^½⌉, ⌈p^¾⌉, p and p², or p^1.5 with more
// than 100 features, or 1, …, p and p² with fewer than five; for the random forest at most p. K is 1 to 5, at most
// p − 1, with F-RC 2 to 5, at most p.
func Choices(method string, p int) (choices []Choice) {
	from, to := 1, max(1, min(5, p-1))
	switch method {
	case "RF":
		to = 1
	case "F-RC":
		from, to = min(2, p), min(5, p)
	}
	for _, d := range candidates(p) {
		for k := from; k <= to && (method != "RF" || d <= p); k++ {
			choices = append(choices, Choice{d, k})
		}
	}
	return choices
}

func candidates(p int) []int {
	most := p * p
	if p > 100 {
		most = int(math.Ceil(math.Pow(float64(p), 1.5)))
	}
	if p < 5 {
		return slices.Compact(append(paper.Ints(1, p), most))
	}
	var ds []int
	for _, power := range []float64{0.25, 0.5, 0.75} {
		ds = append(ds, int(math.Ceil(math.Pow(float64(p), power)-1e-9)))
	}
	return append(ds, p, most)
}

// Name returns the name that one of the choice's measurements has in More.
func (c Choice) Name(measure string) string { return fmt.Sprintf("%s.%d.%d", measure, c.D, c.K) }

// chosen returns a record of the choice of lowest out-of-bag error among some, with its test error as the score and
// its seconds. The first of several is taken.
func chosen(r paper.Record, among func(c Choice) bool) (paper.Record, bool) {
	p := problems[r.Problem]
	best, found := Choice{}, false
	for _, c := range Choices(r.Method, p) {
		if among(c) && (!found || r.More[c.Name("oob")] < r.More[best.Name("oob")]) {
			best, found = c, true
		}
	}
	r.Score, r.Seconds = r.More[best.Name("error")], r.More[best.Name("seconds")]
	return r, found
}

// problems are the simulations of [Simulated], and how many features they have.
var problems = map[string]int{"sparse parity": 20, "orthant": 6, "trunk": 10}
