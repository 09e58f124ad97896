package sporf

import (
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// The experiments of this file have the forests as the programs of the paper's authors grow them (scripts of 2017 and
// 2018): 500 trees on bootstrap samples that are drawn within classes, and a node becomes a leaf where no candidate
// divides it. A run trains every [Choice] and takes the one of lowest out-of-bag error, at random among several. More
// has of each choice the test error ("error.400.3"), the out-of-bag error ("oob") and the processor's seconds
// ("seconds").

// Simulated is figures 2, 3, 8, 11A, 11B, 11C and 11D in one. More has strength and correlation of the trees, too. CCF
// has no out-of-bag rows: it is tuned by five-fold cross-validation, as the paper's.
var Simulated = paper.Experiment{Name: "sporfchoices", File: "sporf-choices-paper.csv", Grids: []paper.Grid{
	simulated("trunk", 10, three...), simulated("trunk", 100, three...),
	simulated("orthant", 400, three...), simulated("sparse parity", 1000, three...),
	simulated("orthant", 2000, three...), simulated("sparse parity", 5000, three...),
	simulated("orthant", 4000, three...), simulated("sparse parity", 10000, three...),
	simulated("orthant", 400, "CCF"), simulated("orthant", 2000, "CCF"), simulated("orthant", 4000, "CCF"),
	simulated("sparse parity", 1000, "CCF"), simulated("sparse parity", 5000, "CCF"),
	simulated("sparse parity", 10000, "CCF")}}

func simulated(problem string, rows int, methods ...string) paper.Grid {
	return paper.Grid{Problems: []string{problem}, Methods: methods, X: []int{rows}, Repeats: 10, Order: "xprm"}
}

// OnSets is table 1 and figures 5 and 6: the error on each of the authors' five folds, the record's repeat. Features
// are standardised, and constant ones dropped, on the whole set. CCF is tuned as for [Simulated]. More has both κ of
// [Table1], and the number of features ("features").
var OnSets = paper.Experiment{Name: "table1choices", File: "sporf-table1-choices-paper.csv", Grids: []paper.Grid{
	{Problems: Sets, Methods: []string{"RF", "SPORF", "RR-RF", "CCF"}, Repeats: 5, Order: "mpxr"}}}

// A Choice is a setting of the authors' grid: D candidates a node, each of K features: the mean number with SPORF, λp,
// and exactly as many with F-RC. The random forest has K = 1.
type Choice struct{ D, K int }

// Choices returns the authors' grid for a method and p features: d in ⌈p^¼⌉, ⌈p^½⌉, ⌈p^¾⌉, p and p², or p^1.5 with more
// than 100 features, or 1, …, p and p² with fewer than five; for the random forest at most p. K is 1 to 5, at most
// p − 1, with F-RC 2 to 5, at most p. RR-RF and CCF have the random forest's.
func Choices(method string, p int) (choices []Choice) {
	from, to := 1, max(1, min(5, p-1))
	axes := method == "RF" || method == "RR-RF" || method == "CCF"
	switch {
	case axes:
		to = 1
	case method == "F-RC":
		from, to = min(2, p), min(5, p)
	}
	for _, d := range candidates(p) {
		for k := from; k <= to && (!axes || d <= p); k++ {
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

// elsewhere is the commit of runs on another machine than the rest, so that their seconds can't be compared.
const elsewhere = "000af21ff8"

// measure returns one of a record's measurements of the choice of lowest out-of-bag error among some, NaN if there is
// none. The first of several is taken.
func measure(name string, among func(c Choice) bool) paper.Measure {
	return func(r paper.Record) float64 {
		if name == "seconds" && r.Commit == elsewhere {
			return math.NaN()
		}
		best, lowest := Choice{}, math.Inf(1)
		for _, c := range Choices(r.Method, int(r.More["features"])) {
			if oob := r.More[c.Name("oob")]; among(c) && oob < lowest {
				best, lowest = c, oob
			}
		}
		return paper.More(best.Name(name))(r)
	}
}

func ofAll(Choice) bool { return true }

func ofD(d int) func(c Choice) bool { return func(c Choice) bool { return c.D == d } }

func ofK(k int) func(c Choice) bool { return func(c Choice) bool { return c.K == k } }

// by returns records with X and score for each d, or each k: the measurement of the choice that is best with it.
func by(of func(n int) func(c Choice) bool, ns []int, name string, records []paper.Record) (all []paper.Record) {
	for _, r := range records {
		for _, n := range ns {
			one := r
			one.X, one.Score = n, measure(name, of(n))(r)
			if !math.IsNaN(one.Score) {
				all = append(all, one)
			}
		}
	}
	return all
}

// overChoices is a panel of means against d or k.
func overChoices(c viz.Curves, p paper.Part, of func(n int) func(c Choice) bool, ns []int, name string) panel {
	return func(r *paper.Results) viz.Chart {
		drawn := c
		drawn.Series = paper.Curves("", "", "", paper.MeansOf(by(of, ns, name, r.Records(p))).Of(p.Methods...), nil).Series
		return drawn
	}
}
