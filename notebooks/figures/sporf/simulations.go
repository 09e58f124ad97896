package sporf

import (
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// Consistency is figure 1B: the error against X training rows. A depth cap of ⌈log₂ n⌉ and six rows to split are those
// of scripts of the paper's authors; the random forest has them with both features tried at every node.
var Consistency = paper.Experiment{Name: "sporf1", File: "sporf-fig1-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"consistency"}, X: []int{100, 1000, 5000, 10000}, Repeats: 10, Order: "pxmr",
		Methods: []string{"RF", "RF, depth cap", "SPORF", "SPORF, depth cap", "RR-RF", "CCF"}},
	{Problems: []string{"consistency"}, X: []int{100, 1000, 5000, 10000}, Repeats: 10, Order: "pxmr",
		Methods: asAuthors}}}

var asAuthors = []string{"RF, as the authors", "SPORF, as the authors"}

// Errors is figures 2C and 2F: the error against X training rows. RR-RF and ET aren't in the paper's figure.
var Errors = paper.Experiment{Name: "sporf2", File: "sporf-fig2-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"orthant"}, X: []int{400, 2000, 4000}, Methods: six, Repeats: 10, Order: "pxmr"},
	{Problems: []string{"sparse parity"}, X: []int{1000, 5000, 10000}, Methods: six, Repeats: 10, Order: "pxmr"}}}

// Densities is figure 3: the error on orthant with 400 rows and on sparse parity with 5000. X is λp of SPORF and L of
// F-RC. The paper begins at 2.
var Densities = paper.Experiment{Name: "sporf3", File: "sporf-fig3-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"orthant", "sparse parity"}, Methods: []string{"SPORF", "F-RC"}, X: paper.Ints(1, 5),
		Repeats: 10, Order: "pxmr"}}}

var (
	six  = []string{"RF", "ET", "CCF", "RR-RF", "SPORF", "F-RC"}
	four = []string{"RF", "SPORF", "F-RC", "CCF"} // of figure 2
	ten  = paper.Protocol{Repeats: 10, Trees: 500}
)

const (
	at1 = "sporf#Figure 1: the consistency problem"
	at2 = "sporf#Figure 2: sparse parity and orthant"
	at3 = "sporf#Figure 3: how much the density matters"
)

var simulations = []paper.Figure{
	{Name: "Figure 1", Shows: "the consistency problem", Place: at1, Ours: true,
		Of: []paper.Part{Consistency.On()}, Draw: paper.Panels(2, problem1, errors1)},
	{Name: "Figure 1A", Shows: "the consistency problem", Place: at1},
	{Name: "Figure 1B", Shows: "error against the number of rows", Place: at1, Paper: over(100, 10000),
		Of: []paper.Part{Consistency.On()}, Draw: paper.Panels(1, errors1),
		Note: "RF with the depth cap of the authors' scripts beside fully grown trees, which the text has",
		Claims: []paper.Claim{
			{Says: "RF's error with 10,000 rows less the bound 1/6, trees grown fully", Sign: paper.Above,
				Find: fromBound("RF")},
			{Says: "RF's error with 10,000 rows, with the authors' depth cap",
				Find: Consistency.By("RF, depth cap").At(10000).Of(paper.Score).
					Printed(paper.Number{Value: 0.1671, StdErr: 0.0038})},
			{Says: "SPORF's error with 10,000 rows less 1/6", Sign: paper.Below, Find: fromBound("SPORF")}}},
	{Name: "Figure 2", Shows: "sparse parity and orthant", Place: at2, Ours: true,
		Of: []paper.Part{Errors.By(four...)},
		Draw: paper.Panels(3, section("A: x3 in (−1, 0)", parity, -1), section("B: x3 in (0, 1)", parity, 0), parityErrors,
			section("D: x3 in (−1, 0)", octants, -1), section("E: x3 in (0, 1)", octants, 0), orthantErrors)},
	{Name: "Figure 2A, B", Shows: "cross-sections of sparse parity", Place: at2},
	{Name: "Figure 2C", Shows: "error on sparse parity against the number of rows", Place: at2, Paper: over(1000, 10000),
		Here: paper.Protocol{Tuning: "settings compared with 50 trees from 5000 rows on"},
		Of:   []paper.Part{onParity}, Draw: paper.Panels(1, parityErrors),
		Claims: []paper.Claim{less("SPORF's error less RF's, 5000 rows", paper.Below, onParity.At(5000), "SPORF", "RF",
			nil)}},
	{Name: "Figure 2D, E", Shows: "cross-sections of orthant", Place: at2,
		Note: "colours are the signs of three features, each for eight of the 64 classes"},
	{Name: "Figure 2F", Shows: "error on orthant against the number of rows", Place: at2, Paper: over(400, 4000),
		Of: []paper.Part{onOrthant}, Draw: paper.Panels(1, orthantErrors),
		Claims: []paper.Claim{less("F-RC's error less SPORF's, 400 rows", paper.Above, onOrthant.At(400), "F-RC", "SPORF",
			nil)}},
	{Name: "Figure 3", Shows: "error against the density λ", Place: at3, Ours: true,
		Of:   []paper.Part{density("sparse parity"), density("orthant")},
		Draw: paper.Panels(2, errors3("A", "sparse parity"), errors3("B", "orthant"))},
	figure3("A", "sparse parity", 100), figure3("B", "orthant", 500),
}

// over is the protocol of a figure over X.
func over(from, to int) paper.Protocol {
	return paper.Protocol{Repeats: 10, Trees: 500, From: from, To: to}
}

func figure3(letter, problem string, trees int) paper.Figure {
	return paper.Figure{Name: "Figure 3" + letter, Shows: "error on " + problem + " against the density λ", Place: at3,
		Paper: over(2, 5), Here: paper.Protocol{Trees: trees}, Of: []paper.Part{density(problem)},
		Claims: []paper.Claim{{Sign: paper.Above, Find: rises(problem),
			Says: "rise of the error on " + problem + " from λ = 2/p to 5/p, F-RC's less SPORF's"}}}
}

var (
	onParity, onOrthant = Errors.On("sparse parity").By(four...), Errors.On("orthant").By(four...)

	errors1 = errors("B", Consistency.By("RF", "RF, depth cap", "SPORF", "RR-RF", "CCF"), "1B",
		viz.Level{Y: 1.0 / 6, Name: "1/6"})
	parityErrors  = errors("C: sparse parity", onParity, "2C")
	orthantErrors = errors("F: orthant", onOrthant, "2F")
)

// errors draws errors against training rows, ours and the authors'.
func errors(title string, p paper.Part, figure string, levels ...viz.Level) panel {
	return lines(viz.Curves{Title: title, X: "training rows", Y: "test error", LogX: true, Levels: levels}, p, figure, nil)
}

// fromBound finds a method's error with 10,000 rows less the bound of the theorem.
func fromBound(method string) func(r *paper.Results) paper.Finding {
	return Consistency.By(method).At(10000).Of(func(r paper.Record) float64 { return r.Score - 1.0/6 }).Alone
}

func problem1(*paper.Results) viz.Chart {
	return viz.Scatter{Title: "A: the problem", Data: sim.Consistency{}.Sample(2000, 1)}
}

// section is a cross-section of three features: rows whose third one is in (low, low + 1).
func section(title string, sample func() *datasets.Dataset, low float32) panel {
	return func(*paper.Results) viz.Chart {
		var rows []int32
		d := sample()
		for i, v := range d.Columns[2] {
			if low < v && v < low+1 {
				rows = append(rows, int32(i))
			}
		}
		return viz.Scatter{Title: title, Data: d.Subset(rows)}
	}
}

func parity() *datasets.Dataset {
	return sim.SparseParity{Features: 20, Informative: 3}.Sample(2000, 1)
}

// octants returns orthant with the class of the first three features alone, so that eight colours do.
func octants() *datasets.Dataset {
	d := sim.Orthant{Features: 6}.Sample(2000, 1)
	d.Labels = make([]int32, d.N())
	d.Classes = []string{"− − −", "+ − −", "− + −", "+ + −", "− − +", "+ − +", "− + +", "+ + +"}
	for i := range d.Labels {
		for j := range 3 {
			if d.At(i, j) > 0 {
				d.Labels[i] += 1 << j
			}
		}
	}
	return d
}

// density returns the runs of a panel of figure 3.
func density(problem string) paper.Part {
	return Densities.On(problem).By("SPORF", "F-RC").At(paper.Ints(2, 5)...)
}

func errors3(title, problem string) panel {
	return lines(viz.Curves{Title: title + ": " + problem, X: "λ·p", Y: "test error"}, density(problem), "", nil)
}

// rises finds by how much more F-RC's error rises over figure 3's axis than SPORF's.
func rises(problem string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		_, terms := paper.Grouped(r.Records(density(problem).At(2, 5)), func(r paper.Record) int { return r.Repeat })
		var all []float64
		for _, repeat := range paper.Ints(1, 10) {
			rise := 0.0
			for _, record := range terms[repeat] {
				if (record.X == 5) == (record.Method == "F-RC") {
					rise += record.Score
				} else {
					rise -= record.Score
				}
			}
			if len(terms[repeat]) == 4 {
				all = append(all, rise)
			}
		}
		return paper.Found(paper.NumberOf(all))
	}
}
