package sporf

import (
	"fmt"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Scaling is figure 9: training time a tree, the score, against X, the cores used. Samples of trunk that have Higgs's
// shape, and p53's number of features with a tenth of its rows, stand for these sets.
var Scaling = paper.Experiment{Name: "sporf9", File: "sporf-fig9-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"mnist", "like Higgs", "like p53"}, Methods: axisAndOblique, X: []int{1, 2}, Repeats: 3}}}

// Predictions is figure 10: seconds to predict X test rows on one core with 100 trees: row by row, which is the score,
// and all in one call ("batch").
var Predictions = paper.Experiment{Name: "sporf10", File: "sporf-fig10-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"mnist"}, Methods: axisAndOblique, X: []int{10_000}, Repeats: 3},
	{Problems: []string{"like Higgs"}, Methods: axisAndOblique, X: []int{50_000}, Repeats: 3},
	{Problems: []string{"like p53"}, Methods: axisAndOblique, X: []int{6_000}, Repeats: 3}}}

const (
	at8  = "sporf-forests#Figure 8: what candidates cost"
	at9  = "sporf-forests#Figure 9: training time and cores"
	at10 = "sporf-forests#Figure 10: prediction"

	largeLacks = "Higgs, p53"
	largeNote  = "samples of trunk stand for Higgs and p53"
)

var (
	dsOf8 = []int{3, 5, 10, 20, 400} // p = 20

	scaling  = []paper.Part{Scaling.On()}
	packages = paper.Protocol{Sets: 3, Trees: 100}
)

// large are the sets of figures 9 and 10, by our problems and the authors' names.
var large = []struct{ problem, name string }{{"mnist", "MNIST"}, {"like Higgs", "Higgs"}, {"like p53", "p53"}}

var times = []paper.Figure{
	{Name: "Figure 8", Shows: "training time and error on sparse parity", Place: at8, Ours: true,
		Of: []paper.Part{onParity}, Note: secondsNote,
		Draw: paper.Panels(3, secondsByRows,
			figure8("B: 5000 rows", "seconds", "seconds"), figure8("C: 5000 rows", "test error", "error"))},
	{Name: "Figure 8A", Shows: "training time against the number of rows", Place: at8, Of: []paper.Part{onParity},
		Paper: over(1000, 10000), Here: fewSeconds, Note: secondsNote,
		Claims: []paper.Claim{
			less("seconds of the best setting with 10,000 rows, SPORF's less RF's", paper.Above, onParity.At(10000), "SPORF",
				"RF", bestSeconds),
			less("seconds of the best setting with 10,000 rows, F-RC's less RF's", paper.Above, onParity.At(10000), "F-RC",
				"RF", bestSeconds)}},
	{Name: "Figure 8B", Shows: "training time against d", Place: at8, Of: []paper.Part{onParity.At(5000)}, Paper: ten,
		Here: fewSeconds, Note: secondsNote,
		Claims: []paper.Claim{less("no additional training time: SPORF's seconds with d = 20 less RF's", paper.Same,
			onParity.At(5000), "SPORF", "RF", measure("seconds", ofD(20)))}},
	{Name: "Figure 8C", Shows: "error against d", Place: at8, Of: []paper.Part{onParity.At(5000)}, Paper: ten,
		Claims: []paper.Claim{
			less("SPORF's error less RF's, d = 20", paper.Below, onParity.At(5000), "SPORF", "RF", measure("error", ofD(20))),
			{Says: "SPORF's error with d = 400 less that with d = 20", Sign: paper.Below,
				Find: onParity.At(5000).By("SPORF").Of(func(r paper.Record) float64 {
					return measure("error", ofD(400))(r) - measure("error", ofD(20))(r)
				}).Alone}}},
	{Name: "Figure 9", Shows: "training time of a tree, and speed-up with cores", Place: at9, Ours: true,
		Of: scaling, Draw: draw9},
	{Name: "Figure 9A–C", Shows: "training time of a tree on large data", Place: at9, Paper: packages,
		Of: scaling, Here: paper.Protocol{Settings: "two cores"},
		Lacks: largeLacks, Note: largeNote},
	{Name: "Figure 9D–F", Shows: "speed-up with cores", Place: at9, Of: scaling,
		Paper: paper.Protocol{Sets: 3, Trees: 100, From: 1, To: 48}, Lacks: largeLacks, Note: largeNote},
	{Name: "Figure 10", Shows: "prediction time", Place: at10, Paper: packages,
		Of: []paper.Part{Predictions.On()}, Here: paper.Protocol{Methods: "no packed forest"},
		Lacks: largeLacks, Note: largeNote, Draw: draw10},
}

// fewSeconds says that most runs were [elsewhere].
var fewSeconds = paper.Protocol{Settings: "seconds of the repeats on one machine"}

// secondsNote says what the seconds of figure 8 are.
const secondsNote = "seconds of one core's work, where the authors have those of 40 threads; λ is best for each d"

// bestSeconds are the seconds of the chosen setting.
var bestSeconds = measure("seconds", ofAll)

func secondsByRows(r *paper.Results) viz.Chart {
	records := r.Records(onParity)
	for i, record := range records {
		records[i].Score = bestSeconds(record)
	}
	c := paper.Curves("A: best settings", "training rows", "seconds", paper.MeansOf(records).Of(three...).ByX(), nil)
	c.LogX, c.LogY = true, true
	return c
}

// figure8 is a panel against d.
func figure8(title, y, name string) panel {
	axes := viz.Curves{Title: title, X: "candidates d", Y: y, LogX: true, LogY: true}
	return overChoices(axes, onParity.At(5000), ofD, dsOf8, name)
}

// draw9 draws ours beside the curves of the authors' program: seconds a tree above, and speed-ups below, which the
// authors take from two cores on.
func draw9(r *paper.Results) paper.Drawing {
	charts := make([]viz.Chart, 6)
	for k, set := range large {
		draw := func(k int, figure, y string, ours paper.Means) {
			theirs := authors(r, figure).On(set.name).Of("SPORF, authors", "Ranger, authors", "XGBoost, authors")
			c := paper.Curves(fmt.Sprintf("%c: %s", 'A'+k, set.name), "cores", y, append(ours, theirs...), nil)
			c.LogX, c.LogY = true, true
			charts[k] = c
		}
		ours := Scaling.On(set.problem).By("SPORF")
		draw(k, "9A", "seconds a tree", r.Means(ours))
		draw(3+k, "9D", "speed-up", speedUp(r.Records(ours)))
	}
	return paper.Draw(viz.Grid{Columns: 3, Charts: charts})
}

// speedUp returns how many times as fast SPORF is trained with one core and two. Repeats are paired.
func speedUp(records []paper.Record) paper.Means {
	seconds := map[int]float64{} // with one core, by repeat
	for _, record := range records {
		if record.X == 1 {
			seconds[record.Repeat] = record.Score
		}
	}
	for i := range records {
		records[i].Score = seconds[records[i].Repeat] / records[i].Score
	}
	return paper.MeansOf(records)
}

// draw10 draws the seconds to predict a whole test set: the authors' programs and ours, row by row.
func draw10(r *paper.Results) paper.Drawing {
	ours, theirs := r.Means(Predictions.On()), authors(r, "10")
	chart := viz.Ranges{X: "seconds for all test rows, row by row", Log: true,
		Names: []string{"Ranger, authors", "SPORF (R), authors", "XGBoost, authors", "SPORF packed, authors", "RF",
			"SPORF"}}
	t := viz.Table{Columns: []string{"data", "method", "test rows", "microseconds a row|one at a time",
		"microseconds a row|in one call"}, Note: "Here, on one core."}
	for _, set := range large {
		marks := viz.Marks{Name: set.name}
		for _, method := range chart.Names[:4] {
			marks.Values = append(marks.Values, theirs.On(set.name).Of(method)[0].Score.Value)
		}
		for _, m := range ours.On(set.problem).Of(axisAndOblique...) {
			marks.Values = append(marks.Values, m.Score.Value)
			t.Add(m.Problem, m.Method, fmt.Sprint(m.X), paper.Decimals(1e6*m.Score.Value/float64(m.X), 1),
				paper.Decimals(1e6*m.Measure("batch")/float64(m.X), 1))
		}
		chart.Marks = append(chart.Marks, marks)
	}
	return paper.Draw(chart, t)
}
