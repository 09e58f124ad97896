package sporf

import (
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
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

// Errors is the error against X training rows of other methods on the problems of figure 2, and of its methods with our
// defaults: the plain bootstrap, and candidates that are drawn again.
var Errors = paper.Experiment{Name: "sporf2", File: "sporf-fig2-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"orthant"}, X: []int{400, 2000, 4000}, Methods: six, Repeats: 10, Order: "pxmr"},
	{Problems: []string{"sparse parity"}, X: []int{1000, 5000, 10000}, Methods: six, Repeats: 10, Order: "pxmr"}}}

var (
	four = []string{"RF", "SPORF", "F-RC", "CCF"} // of figure 2
	six  = []string{"RF", "ET", "CCF", "RR-RF", "SPORF", "F-RC"}
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
		Note: "the text has fully grown trees; the authors' notebook limits their depth, and only so is RF near 1/6",
		Claims: []paper.Claim{
			{Says: "RF's error with 10,000 rows less the bound 1/6, trees grown fully", Sign: paper.Above,
				Find: fromBound("RF")},
			{Says: "SPORF's error with 10,000 rows less 1/6", Sign: paper.Below, Find: fromBound("SPORF")},
			authors1("RF", 1000), authors1("RF", 5000), authors1("RF", 10000), authors1("SPORF", 1000),
			authors1("SPORF", 5000), authors1("SPORF", 10000)}},
	{Name: "Figure 2", Shows: "sparse parity and orthant", Place: at2, Ours: true,
		Of: []paper.Part{onParity.By(four...), onOrthant.By(four...)},
		Draw: paper.Panels(3, section("A: x3 in (−1, 0)", parity, -1), section("B: x3 in (0, 1)", parity, 0), parityErrors,
			section("D: x3 in (−1, 0)", octants, -1), section("E: x3 in (0, 1)", octants, 0), orthantErrors)},
	{Name: "Figure 2A, B", Shows: "cross-sections of sparse parity", Place: at2},
	{Name: "Figure 2C", Shows: "error on sparse parity against the number of rows", Place: at2, Paper: over(1000, 10000),
		Of: []paper.Part{onParity.By(four...)}, Draw: paper.Panels(1, parityErrors),
		Claims: []paper.Claim{
			less("SPORF's error less RF's, 5000 rows", paper.Below, onParity.At(5000), "SPORF", "RF", nil),
			less("F-RC's error less RF's, 5000 rows", paper.Below, onParity.At(5000), "F-RC", "RF", nil),
			less("CCF's error less SPORF's, 5000 rows", paper.Above, onParity.At(5000), "CCF", "SPORF", nil),
			authorsCCF("2C", "sparse parity", 1000),
			authorsCCF("2C", "sparse parity", 5000), authorsCCF("2C", "sparse parity", 10000)}},
	{Name: "Figure 2D, E", Shows: "cross-sections of orthant", Place: at2,
		Note: "colours are the signs of three features, each for eight of the 64 classes"},
	{Name: "Figure 2F", Shows: "error on orthant against the number of rows", Place: at2, Paper: over(400, 4000),
		Of: []paper.Part{onOrthant.By(four...)}, Draw: paper.Panels(1, orthantErrors),
		Claims: []paper.Claim{
			less("F-RC's error less SPORF's, 400 rows", paper.Above, onOrthant.At(400), "F-RC", "SPORF", nil),
			{Says: "SPORF performs as well as RF or better: its error less RF's, 400 rows, no more than 0",
				Find: func(r *paper.Results) paper.Finding {
					rows := onOrthant.At(400)
					return paper.NoMore(paper.Less(rows.By("SPORF").Of(nil), rows.By("RF").Of(nil))(r).Ours, paper.Exact(0))
				}},
			less("CCF's error less SPORF's, 400 rows", paper.Above, onOrthant.At(400), "CCF", "SPORF", nil),
			authorsCCF("2F", "orthant", 400), authorsCCF("2F", "orthant", 2000),
			authorsCCF("2F", "orthant", 4000)}},
	{Name: "Figure 2, our defaults", Shows: "error with our defaults, and of other methods", Place: at2, Ours: true,
		Of: []paper.Part{Errors.On()}, Draw: paper.Panels(2, lines(errorAxes("sparse parity"), Errors.On("sparse parity").
			By(six...), "", nil), lines(errorAxes("orthant"), Errors.On("orthant").By(six...), "", nil))},
	{Name: "Figure 3", Shows: "error against the density λ", Place: at3, Ours: true,
		Of: []paper.Part{onParity.At(5000).By(oblique...), onOrthant.At(400).By(oblique...)},
		Draw: paper.Panels(2, errors3("A", onParity.At(5000).By(oblique...)),
			errors3("B", onOrthant.At(400).By(oblique...)))},
	figure3("A", onParity.At(5000), ""),
	figure3("B", onOrthant.At(400), "the authors' plotting script takes SPORF's errors from runs with 4000 rows, and "+
		"F-RC's from runs with 400 (Figure 3B, as plotted)"),
	{Name: "Figure 3B, as plotted", Shows: "error on orthant, SPORF's with 4000 rows and F-RC's with 400", Place: at3,
		Ours: true, Of: []paper.Part{onOrthant.At(4000).By("SPORF"), onOrthant.At(400).By("F-RC")},
		Draw: paper.Panels(1, asPlotted), Claims: []paper.Claim{{Sign: paper.Above,
			Says: "rise of the error on orthant from λ = 2/p to 5/p, F-RC's with 400 rows less SPORF's with 4000",
			Find: func(r *paper.Results) paper.Finding {
				frc, sporf := onOrthant.At(400).By("F-RC").Of(rise).Mean(r), onOrthant.At(4000).By("SPORF").Of(rise).Mean(r)
				return paper.Found(frc.Minus(sporf))
			}}}},
}

// over is the protocol of a figure over X.
func over(from, to int) paper.Protocol {
	return paper.Protocol{Repeats: 10, Trees: 500, From: from, To: to}
}

// authorsCCF claims that CCF's error is that of the authors' file.
func authorsCCF(figure, problem string, rows int) paper.Claim {
	return paper.Claim{Says: fmt.Sprintf("CCF's error, %d rows", rows), Find: func(r *paper.Results) paper.Finding {
		ours := Simulated.On(problem).By("CCF").At(rows).Of(nil).Mean(r)
		return paper.Against(ours, authors(r, figure).At(problem, "CCF, authors", rows).Score)
	}}
}

// rise is by how much the error rises from λ = 2/p to 5/p.
func rise(r paper.Record) float64 { return measure("error", ofK(5))(r) - measure("error", ofK(2))(r) }

// figure3 is a panel of figure 3. Error rises by much more with F-RC, which is more sensitive to λ.
func figure3(letter string, p paper.Part, note string) paper.Figure {
	return paper.Figure{Name: "Figure 3" + letter, Shows: "error on " + p.Problems[0] + " against the density λ",
		Place: at3, Paper: ten, Of: []paper.Part{p.By(oblique...)}, Note: note,
		Claims: []paper.Claim{less("rise of the error on "+p.Problems[0]+" from λ = 2/p to 5/p, F-RC's less SPORF's",
			paper.Above, p, "F-RC", "SPORF", rise)}}
}

var (
	onParity, onOrthant = Simulated.On("sparse parity").By(three...), Simulated.On("orthant").By(three...)
	oblique             = []string{"SPORF", "F-RC"}

	errors1 = errors("B", Consistency.By("RF", asAuthors[0], "SPORF", asAuthors[1], "RR-RF", "CCF"), "1B",
		viz.Level{Y: 1.0 / 6, Name: "1/6"})
	parityErrors  = errors("C: sparse parity", onParity.By(four...), "2C")
	orthantErrors = errors("F: orthant", onOrthant.By(four...), "2F")
)

// errors draws errors against training rows, ours and the authors'.
func errors(title string, p paper.Part, figure string, levels ...viz.Level) panel {
	axes := errorAxes(title)
	axes.Levels = levels
	return lines(axes, p, figure, nil)
}

func errorAxes(title string) viz.Curves {
	return viz.Curves{Title: title, X: "training rows", Y: "test error", LogX: true}
}

// authors1 claims that an error is the authors', with the settings and test rows of their notebook.
func authors1(method string, rows int) paper.Claim {
	return paper.Claim{Says: fmt.Sprintf("%s's error with %d rows, as the authors' notebook has it", method, rows),
		Find: func(r *paper.Results) paper.Finding {
			ours := Consistency.By(method + ", as the authors").At(rows).Of(nil).Mean(r)
			return paper.Against(ours, authors(r, "1B").At("consistency", method+", authors", rows).Score)
		}}
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

func asPlotted(r *paper.Results) viz.Chart {
	c := errors3("B, as plotted", onOrthant.At(4000).By("SPORF"))(r).(viz.Curves)
	other := errors3("", onOrthant.At(400).By("F-RC"))(r).(viz.Curves)
	c.Series = append(c.Series, other.Series...)
	return c
}

func errors3(letter string, p paper.Part) panel {
	axes := viz.Curves{Title: letter + ": " + p.Problems[0], X: "λ·p", Y: "test error"}
	return overChoices(axes, p, ofK, paper.Ints(2, 5), "error")
}
