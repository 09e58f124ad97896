package trials

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/viz"
)

// A paying is what methods change of a random forest's error on a set.
type paying struct {
	set    string
	values bool
	forest float64            // its error rate or, for values, its mean squared error by their variance
	change map[string]float64 // by method: the relative change of it
}

// payingMethods stand for what is added to a random forest: slanted splits, several kinds of them, and boosting.
var payingMethods = []string{"SPORF", "mix", "auto"}

// leastError is added to errors before they are divided, so that a set without any counts.
const leastError = 0.01

// payings returns the mean over folds of each set of the experiment "auto" that has all methods.
func payings(root string) (all []paying, err error) {
	records, err := read(root, "auto-paper.csv")
	if err != nil {
		return nil, err
	}
	errors := map[string]map[string][]float64{}
	for _, r := range records {
		if errors[r.Problem] == nil {
			errors[r.Problem] = map[string][]float64{}
		}
		errors[r.Problem][r.Method] = append(errors[r.Problem][r.Method], r.Score)
	}
	for _, set := range slices.Concat(autoSets, autoValueSets) {
		p := paying{set: set, values: slices.Contains(autoValueSets, set), forest: eval.Mean(errors[set]["RF"]),
			change: map[string]float64{}}
		for _, method := range payingMethods {
			p.change[method] = (eval.Mean(errors[set][method])+leastError)/(p.forest+leastError) - 1
		}
		if !math.IsNaN(p.change["auto"]) {
			all = append(all, p)
		}
	}
	return all, nil
}

// Pays returns docs/results/pays.md, which says when slanted splits and boosting pay, and its picture.
func Pays(root string) (string, viz.Chart, error) {
	all, err := payings(root)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString("# When slanted splits and boosting pay\n\n" +
		"![Change of a random forest's error by SPORF and auto, a point a set](pays.png)\n\n" +
		"On how many sets the error is lower than a random forest's, and its change at the median, of the sets of the " +
		"experiment auto ([records](auto-paper.csv)), on none of which, but for three of values (auto_mpg, " +
		"electrical_grid and energy_cooling), a setting was chosen: SPORF stands for slanted splits, " +
		"mix for several kinds of them, auto for the choice among mixes, a random forest and boosting. auto is that of " +
		"growth revision 6. One hundredth is added to errors before they are divided.\n\n")
	b.WriteString("| sets, by what a random forest errs | number | " + strings.Join(payingMethods, " | ") +
		" |\n| --- | ---: |" + strings.Repeat(" ---: |", len(payingMethods)) + "\n")
	for _, group := range []struct {
		name      string
		values    bool
		low, high float64
	}{
		{"classes, less than 10 %", false, 0, 0.1}, {"classes, 10 to 25 %", false, 0.1, 0.25},
		{"classes, more than 25 %", false, 0.25, 1}, {"values, less than a tenth of the variance", true, 0, 0.1},
		{"values, more", true, 0.1, math.Inf(1)},
	} {
		of := slices.DeleteFunc(slices.Clone(all), func(p paying) bool {
			return p.values != group.values || p.forest < group.low || p.forest >= group.high
		})
		fmt.Fprintf(&b, "| %s | %d |", group.name, len(of))
		for _, method := range payingMethods {
			var changes []float64
			lower := 0
			for _, p := range of {
				if changes = append(changes, p.change[method]); p.change[method] < 0 {
					lower++
				}
			}
			fmt.Fprintf(&b, " %d of %d, %s |", lower, len(of),
				strings.ReplaceAll(fmt.Sprintf("%+.0f %%", 100*eval.Median(changes)), "-", "−"))
		}
		b.WriteString("\n")
	}
	chart := viz.Curves{Title: "What slanted splits and boosting change",
		X: "error of a random forest (rate, or share of the variance)", Y: "change of it, %", LogX: true,
		Levels: []viz.Level{{Name: "as a random forest", Y: 0}}}
	for _, method := range []string{"SPORF", "auto"} {
		s := viz.Series{Name: method, Points: true}
		for _, p := range all {
			s.X, s.Y = append(s.X, p.forest+leastError), append(s.Y, 100*p.change[method])
		}
		chart.Series = append(chart.Series, s)
	}
	return b.String(), chart, nil
}
