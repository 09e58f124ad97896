package old

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/viz"
)

// This file makes the pictures and tables of notebooks/sporf-forests.ipynb.

// SPORFRanks returns figure 6: the median over sets of the rank of each setting. Colours say by how much it is better
// or worse than 13, the rank of a setting that makes no difference.
func SPORFRanks(records []Record) viz.Chart {
	ranks := sporfRanks(records)
	folds := 0
	for _, r := range records {
		folds = max(folds, r.Repeat)
	}
	h := viz.HeatMap{X: "λ", Y: "d", Key: "median rank: better than 13 (the middle), worse"}
	h.Title = fmt.Sprintf("Figure 6: median rank of 25 settings, %d of 105 sets, %d of 5 folds", len(ranks), folds)
	for k := 1; k <= 5; k++ {
		h.Columns = append(h.Columns, fmt.Sprintf("%d/p", k))
	}
	for i := 4; i >= 0; i-- {
		var values []float64
		var text []string
		for k := range 5 {
			var column []float64
			for _, set := range ranks {
				column = append(column, set[5*i+k])
			}
			values = append(values, eval.Median(column)-13)
			text = append(text, decimals(eval.Median(column), 1))
		}
		h.Rows, h.Values, h.Text = append(h.Rows, powerNames[i]), append(h.Values, values), append(h.Text, text)
	}
	return h
}

// SPORFRankTest returns the p-value of Friedman's test that all settings of figure 6 are alike, and that of Wilcoxon's
// signed-rank test that the paper's default (d = p, λ = 3/p) is as good as the setting of the lowest mean rank. The
// latter is optimistic, as that setting was chosen on the same sets.
func SPORFRankTest(records []Record) (alike, asGood float64, best string) {
	ranks := sporfRanks(records)
	scores := make([][]float64, len(ranks))
	for i, set := range ranks {
		for _, rank := range set {
			scores[i] = append(scores[i], -rank)
		}
	}
	f := eval.FriedmanTest(scores)
	lowest := floats.MinIdx(f.Ranks)
	const byDefault = 3*5 + 2
	var pairs [][]float64
	for _, set := range scores {
		pairs = append(pairs, []float64{set[byDefault], set[lowest]})
	}
	return f.P, eval.PairwiseWilcoxon(pairs)[0][1], fmt.Sprintf("(%s, %d/p)", powerNames[lowest/5], lowest%5+1)
}

// SPORFNoise returns figure 7 as paired differences: κ less the random forest's on the same set with the same columns
// of noise, in means over the sets that all methods have with all numbers of columns. Numbers of columns that fewer
// than half of the sets have are left out. The table has κ, too.
func SPORFNoise(records []Record) (viz.Chart, nb.Table) {
	kappa, cells := meansAt(records), map[string]int{} // cells counts methods and numbers of columns of a set
	with := map[int]map[string]bool{}                  // sets by number of columns
	folds := 0
	means := MeansByX(records)
	for _, m := range means {
		if with[m.X] == nil {
			with[m.X] = map[string]bool{}
		}
		with[m.X][m.Problem] = true
		folds = max(folds, m.Repeats)
	}
	var columns []int
	for _, m := range means {
		if 2*len(with[m.X]) < len(with[0]) {
			continue
		}
		cells[m.Problem]++
		if !slices.Contains(columns, m.X) {
			columns = append(columns, m.X)
		}
	}
	most := slices.Max(slices.Collect(maps.Values(cells)))
	var sets []string
	for set := range with[0] {
		if cells[set] == most {
			sets = append(sets, set)
		}
	}
	slices.Sort(sets)
	b := viz.Bars{X: "mean over sets of the paired difference of κ ± its standard error"}
	b.Title = fmt.Sprintf("Figure 7: κ less the random forest's, %d of 105 sets, %d of 5 folds", len(sets), folds)
	t := nb.Table{Title: fmt.Sprintf("Mean κ over %d sets, and difference to the random forest ± standard error; "+
		"bold: beyond two of them", len(sets)), Columns: []string{"method"}}
	for _, x := range columns {
		t.Columns = append(t.Columns, fmt.Sprintf("%d columns|κ", x), fmt.Sprintf("%d columns|less RF", x))
	}
	for _, method := range []string{"RF", "SPORF", "F-RC", "CCF", "RR-RF"} {
		row := []string{method}
		for _, x := range columns {
			var own, less []float64
			for _, set := range sets {
				k := kappa[group{set, method, x}].Mean
				own, less = append(own, k), append(less, k-kappa[group{set, "RF", x}].Mean)
			}
			gain, stdErr := eval.MeanStdErr(less)
			cell := fmt.Sprintf("%s ± %s", decimals(gain, 3), decimals(stdErr, 3))
			if math.Abs(gain) > 2*stdErr {
				cell = "*" + cell
			}
			if method == "RF" {
				cell = ""
			} else {
				b.Names = append(b.Names, fmt.Sprintf("%s, %d columns", method, x))
				b.Values, b.Err = append(b.Values, gain), append(b.Err, stdErr)
			}
			row = append(row, decimals(eval.Mean(own), 3), cell)
		}
		t.Add(row...)
	}
	return b, t
}

// SPORFTimes returns figure 8: training time against rows and candidates, and error against candidates.
func SPORFTimes(records []Record) (viz.Chart, nb.Table) {
	means := SPORFMeans(records)
	seconds := func(m Mean) (float64, float64) { return m.Seconds, 0 }
	panels := []viz.Curves{
		Curves("A: best settings", "training rows", "seconds", means, "rows", seconds),
		Curves("B: 5000 rows", "candidates d", "seconds, 5000 rows", means, "directions", seconds),
		Curves("C: 5000 rows", "candidates d", "test error", means, "directions", nil),
	}
	for i := range panels {
		panels[i].LogX, panels[i].LogY = true, true
	}
	t := nb.Table{Title: "5000 rows: seconds of training, two cores, and test error",
		Columns: []string{"d", "seconds|RF", "seconds|SPORF", "seconds|F-RC", "error|RF", "error|SPORF", "error|F-RC"}}
	at := meansAt(records)
	var ds []int
	repeats := 0
	for _, m := range means {
		repeats = max(repeats, m.Repeats)
		if m.Problem == "directions" {
			ds = append(ds, m.X)
		}
	}
	slices.Sort(ds)
	for _, d := range slices.Compact(ds) {
		var errors []float64
		row := []string{fmt.Sprint(d)}
		for _, method := range []string{"RF", "SPORF", "F-RC"} {
			m, ok := at[group{"directions", method, d}]
			if !ok {
				m = Mean{Mean: math.NaN(), Seconds: math.NaN()}
			}
			errors, row = append(errors, m.Mean), append(row, decimals(m.Seconds, 2))
		}
		t.Add(append(row, bold(errors, 4, floats.Min)...)...)
	}
	return viz.SmallMultiples{Title: fmt.Sprintf("Figure 8: sparse parity, 500 trees, %d repeats", repeats),
		Panels: panels}, t
}

// A peer is what make peers measured of a contender on a job like those of figures 9 and 10, in medians of rounds.
type peer struct {
	job, contender string
	fit            [2]float64 // seconds a tree with one thread and with two
	speedUp        float64    // of the fit, with two threads
	stdErr         float64    // of the speed-up; NaN if there was one round only
	predict        float64    // seconds for the test rows in one call, one thread
}

// peerJobs are the jobs, with their d.
var peerJobs = []struct{ name, directions, text string }{
	{"mnist", "28", "MNIST, 60,000 × 784"}, {"higgs", "6", "mixture, 500,000 × 28"},
	{"wide", "224", "trunk, 125 × 50,000"},
}

// contenders are those with trees of the paper's kind, ours first.
var contenders = strings.Fields("obliqua-rf obliqua-sporf ranger scikit-learn xgboost lightgbm treeple ydf-oblique")

// committedPeers returns the committed measurements of the contenders.
func committedPeers() (peers []peer) {
	type key struct{ job, contender, threads string }
	fit, predict := map[key][]float64{}, map[key][]float64{}
	nb.Must(eachLine(resultsFolder+"peers.csv", func(l *publishedLine) {
		k := key{l.text("job") + "/" + l.text("directions"), l.text("contender"), l.text("threads")}
		fit[k] = append(fit[k], l.number("fit_s")/l.number("trees"))
		predict[k] = append(predict[k], l.number("predict_s"))
	}))
	for _, j := range peerJobs {
		for _, c := range contenders {
			one, two := key{j.name + "/" + j.directions, c, "1"}, key{j.name + "/" + j.directions, c, "2"}
			if fit[one] == nil || fit[two] == nil {
				continue
			}
			p := peer{job: j.text, contender: c, fit: [2]float64{eval.Median(fit[one]), eval.Median(fit[two])},
				predict: eval.Median(predict[one])}
			mean1, stdErr1 := eval.MeanStdErr(fit[one])
			mean2, stdErr2 := eval.MeanStdErr(fit[two])
			p.speedUp = p.fit[0] / p.fit[1]
			p.stdErr = p.speedUp * math.Hypot(stdErr1/mean1, stdErr2/mean2)
			peers = append(peers, p)
		}
	}
	return peers
}

// peerRanges draws measures of all contenders on a logarithmic axis, a panel a job.
func peerRanges(title, x string, names []string, measure func(p peer, k int) float64) viz.Chart {
	grid := viz.Grid{Title: title, Columns: 1, Width: 700, Height: 330}
	_, jobs := grouped(committedPeers(), func(p peer) string { return p.job })
	for _, j := range peerJobs {
		r := viz.Ranges{Title: j.text, X: x, Log: true}
		for k, name := range names {
			marks := viz.Marks{Name: name}
			for _, p := range jobs[j.text] {
				marks.Values = append(marks.Values, measure(p, k))
				if k == 0 {
					r.Names = append(r.Names, p.contender)
				}
			}
			r.Marks = append(r.Marks, marks)
		}
		grid.Charts = append(grid.Charts, r)
	}
	return grid
}

// PeerTraining returns figures 9A to 9C: seconds a tree.
func PeerTraining() viz.Chart {
	return peerRanges("Figures 9A to 9C: training time a tree", "seconds a tree (logarithmic)",
		[]string{"one thread", "two threads"}, func(p peer, k int) float64 { return p.fit[k] })
}

// PeerPrediction returns figure 10: seconds to predict all test rows.
func PeerPrediction() viz.Chart {
	return peerRanges("Figure 10: prediction of all test rows in one call", "seconds (logarithmic)",
		[]string{"one thread"}, func(p peer, _ int) float64 { return p.predict })
}

// PeerScaling returns figures 9D to 9F for two threads: speed-ups, and the share of the work that only one does, by
// Amdahl's law. A speed-up of 2 or more has no such share.
func PeerScaling() (viz.Chart, nb.Table) {
	r := viz.Ranges{Title: "Figures 9D to 9F: speed-up with two threads",
		X: "times as fast as with one (2: all work is divided)"}
	t := nb.Table{Title: "Speed-up with two threads ± standard error (none of a single round), and serial share",
		Columns: []string{"contender"}}
	names, of := grouped(committedPeers(), func(p peer) string { return p.contender })
	r.Names = names
	for _, j := range peerJobs {
		t.Columns = append(t.Columns, j.text+"|speed-up", j.text+"|serial share")
		r.Marks = append(r.Marks, viz.Marks{Name: j.text})
	}
	for _, c := range names {
		row := []string{c}
		for k, j := range peerJobs {
			i := slices.IndexFunc(of[c], func(p peer) bool { return p.job == j.text })
			if i < 0 {
				r.Marks[k].Values, row = append(r.Marks[k].Values, math.NaN()), append(row, "–", "–")
				continue
			}
			p := of[c][i]
			r.Marks[k].Values = append(r.Marks[k].Values, p.speedUp)
			row = append(row, withError(p.speedUp, p.stdErr), serialShare(p.speedUp, p.stdErr))
		}
		t.Add(row...)
	}
	return r, t
}

// withError formats a number and its standard error, which may be unknown.
func withError(v, stdErr float64) string {
	if math.IsNaN(stdErr) {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2f ± %.2f", v, stdErr)
}

// serialShare formats the share s of the work that only one of two cores does, of a speed-up by 1/(s + (1 − s)/2).
// There is none to be seen if it is within two standard errors of 0.
func serialShare(speedUp, stdErr float64) string {
	share := 2/speedUp - 1
	if share <= 0 || share <= 2*2*stdErr/(speedUp*speedUp) {
		return "none to be seen"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// SPORFScaling returns our own times with one core and with two, in means over repeats.
func SPORFScaling(records []Record) nb.Table {
	t := nb.Table{Title: "Our forests of 100 trees: seconds a tree, speed-up ± standard error over repeats",
		Columns: []string{"data", "method", "one core", "two cores", "speed-up", "serial share"}}
	at := map[identity]float64{}
	for _, r := range records {
		at[identity{r.Problem, r.Method, r.X, r.Repeat, 0}] = r.Score
	}
	order, of := grouped(records, func(r Record) group { return group{r.Problem, r.Method, 0} })
	for _, g := range order {
		var one, two, ratios []float64
		for _, r := range of[g] {
			if b, ok := at[identity{r.Problem, r.Method, 2, r.Repeat, 0}]; ok && r.X == 1 {
				one, two, ratios = append(one, r.Score), append(two, b), append(ratios, r.Score/b)
			}
		}
		if len(ratios) < 2 {
			continue
		}
		speedUp, stdErr := eval.MeanStdErr(ratios)
		t.Add(g.problem, g.method, decimals(eval.Mean(one), 3), decimals(eval.Mean(two), 3),
			withError(speedUp, stdErr), serialShare(speedUp, stdErr))
	}
	return t
}

// SPORFPredictions returns the times of our own forests in figure 10.
func SPORFPredictions(records []Record) nb.Table {
	t := nb.Table{Title: "Our forests on one core, microseconds a row",
		Columns: []string{"data", "method", "test rows", "one at a time", "in one call"}}
	for _, m := range Means(records) {
		t.Add(m.Problem, m.Method, fmt.Sprint(m.X), decimals(1e6*m.Mean/float64(m.X), 1),
			decimals(1e6*m.More["batch"]/float64(m.X), 1))
	}
	return t
}
