package trials

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Page returns docs/results/boosting.md, the tables of the committed results. Root is the folder of the repository.
func Page(root string) (string, error) {
	now, err := anchored(root)
	if err != nil {
		return "", err
	}
	records, err := read(root, "boost-paper.csv", "boost-peers-paper.csv")
	if err != nil {
		return "", err
	}
	r, err := boostResultsOf(boostSets, records, boostRanked, 5)
	if err != nil {
		return "", err
	}
	return "# boost and auto beside boosting of other libraries\n\n" +
		"[boost](../boost.md#beside-other-libraries) and [auto](../auto.md) say what " +
		"the words mean and what follows. `make reproduction` writes this page.\n\n" +
		"## As they are\n\n![Loss of each method, against auto's, over its time to train](boosting.png)\n\n" +
		now.duels("auto", now.ranked) + now.bySet() + now.expected() +
		"\n## boost before growth revision 8\n\n" + r.duels("boost", r.methods) + r.bySet() +
		"\n## auto before growth revision 8\n\n" + r.duels("auto", r.ranked), nil
}

// read returns the records of files of results.
func read(root string, files ...string) (records []paper.Record, err error) {
	for _, file := range files {
		some, err := paper.ReadRecords(filepath.Join(root, "docs", "results", file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		records = append(records, some...)
	}
	return records, nil
}

// anchored returns the results of boost and auto as they are, on the folds that they and the methods of anchoredRanked
// have.
func anchored(root string) (*boostResults, error) {
	records, err := read(root, "boost-now-paper.csv", "boost-anchors-paper.csv", "boost-peers-paper.csv")
	if err != nil {
		return nil, err
	}
	have := map[paper.Run]bool{}
	records = slices.DeleteFunc(records, func(r paper.Record) bool {
		run := paper.Run{Problem: r.Problem, Method: r.Method, Repeat: r.Repeat}
		twice := have[run]
		have[run] = true
		return twice || r.Repeat > anchoredFolds || !slices.Contains(anchoredRanked, r.Method)
	})
	return boostResultsOf(boostSets, records, anchoredRanked, 1)
}

// anchoredFolds is the number of folds of the first partition that boost and auto have as they are.
const anchoredFolds = 2

// anchoredRanked are the methods that are compared with auto as it is.
var anchoredRanked = []string{"auto", "boost", "mix", "OQBoost", "OQBoost 500", "OQBoost stopped", "CatBoost",
	"CatBoost refit", "LightGBM refit", "XGBoost refit", "HistGradientBoosting stopped", "YDF oblique",
	"AutoGluon medium", "AutoGluon best"}

// Write writes docs/results/boosting.md and pays.md, with its picture.
func Write(root string) error {
	page, err := Page(root)
	if err != nil {
		return err
	}
	about, chart, err := Pays(root)
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "docs", "results")
	for name, text := range map[string]string{"boosting.md": page, "pays.md": about} {
		err := atomicfile.Write(filepath.Join(folder, name), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			return err
		}
	}
	now, err := anchored(root)
	if err != nil {
		return err
	}
	if err := viz.Draw(now.lossOverTime("auto")).Save(filepath.Join(folder, "boosting.png")); err != nil {
		return err
	}
	return viz.Draw(chart).Save(filepath.Join(folder, "pays.png"))
}

// lossOverTime draws a point for each method: its mean loss against that of the first, and its time.
func (r *boostResults) lossOverTime(first string) viz.Chart {
	chart := viz.Curves{Title: fmt.Sprintf("Loss against time, %d sets", len(r.sets)),
		X: "processor time to train on all sets, s", Y: "loss against " + first + "'s, %", LogX: true}
	for _, method := range r.ranked {
		chart.Series = append(chart.Series, viz.Series{Name: method, Points: true,
			X: []float64{r.seconds(method, "processor")}, Y: []float64{100 * eval.Mean(r.duel(first, method).relative)}})
	}
	return chart
}

// seconds returns the sum over sets of a method's mean times.
func (r *boostResults) seconds(method, what string) (sum float64) {
	for _, v := range r.means(method, paper.More(what)) {
		sum += v
	}
	return sum
}

// boostRanked are the methods that are ranked, and whose losses are shown by set. The first is compared with the rest.
var boostRanked = []string{"boost", "mix", "auto", "CatBoost", "CatBoost refit", "LightGBM refit", "XGBoost refit",
	"HistGradientBoosting stopped", "YDF oblique"}

// boostResults are the finished partitions of the experiment and of its peers, by method, set and fold.
type boostResults struct {
	methods []string
	ranked  []string // of these
	sets    []string
	folds   int
	of      map[paper.Run]paper.Record // without seed; the repeat is the fold, from 1
}

// boostResultsOf returns the folds that all methods have, a multiple of some. It returns an error if two methods had
// different rows.
func boostResultsOf(sets []string, records []paper.Record, ranked []string, some int) (*boostResults, error) {
	r := &boostResults{sets: sets, of: map[paper.Run]paper.Record{}}
	runs, rows := map[int]int{}, map[paper.Run]float64{} // by fold; by set and fold
	for _, one := range records {
		if !slices.Contains(r.methods, one.Method) {
			r.methods = append(r.methods, one.Method)
		}
		r.of[paper.Run{Problem: one.Problem, Method: one.Method, Repeat: one.Repeat}] = one
		runs[one.Repeat]++
		at := paper.Run{Problem: one.Problem, Repeat: one.Repeat}
		if known, ok := rows[at]; ok && known != one.More["rows"] {
			return nil, fmt.Errorf("%v had other rows than another method", one.Run)
		}
		rows[at] = one.More["rows"]
	}
	for runs[r.folds+1] > 0 && runs[r.folds+1] == len(sets)*len(r.methods) {
		r.folds++
	}
	r.folds -= r.folds % some
	for _, method := range ranked {
		if slices.Contains(r.methods, method) {
			r.ranked = append(r.ranked, method)
		}
	}
	return r, nil
}

// means returns the mean over folds of a measure of each set.
func (r *boostResults) means(method string, of func(paper.Record) float64) (means []float64) {
	for _, set := range r.sets {
		var x []float64
		for fold := 1; fold <= r.folds; fold++ {
			if v := of(r.of[paper.Run{Problem: set, Method: method, Repeat: fold}]); v == v {
				x = append(x, v)
			}
		}
		means = append(means, eval.Mean(x))
	}
	return means
}

// ranks returns the mean ranks over the sets that have a measure, 1 for the lowest, and the number of these sets.
func (r *boostResults) ranks(of func(paper.Record) float64) (map[string]float64, int) {
	sums, sets := map[string]float64{}, 0
	for s := range r.sets {
		var x []float64
		for _, method := range r.ranked { // means that differ in the last bits alone are ties
			x = append(x, math.Round(1e9*r.means(method, of)[s]))
		}
		if math.IsNaN(eval.Mean(x)) {
			continue
		}
		sets++
		for i, rank := range eval.Ranks(x) {
			sums[r.ranked[i]] += rank
		}
	}
	for method := range sums {
		sums[method] /= float64(sets)
	}
	return sums, sets
}

// A boostDuel is a method against another, the first.
type boostDuel struct {
	relative                  []float64 // by set: ln((loss + 0.01)/(the first's loss + 0.01))
	better, worse             int       // sets on which the first has the lower or higher loss
	surelyBetter, surelyWorse int       // the same, by the corrected resampled t-test over folds at the level of 5 %
	p                         float64   // two-sided, by Wilcoxon's test of relative
}

func (r *boostResults) duel(first, method string) (d boostDuel) {
	ours, theirs := r.means(first, paper.Score), r.means(method, paper.Score)
	for s, set := range r.sets {
		ratio := math.Log((theirs[s] + 0.01) / (ours[s] + 0.01))
		d.relative = append(d.relative, ratio)
		var x, y []float64
		for fold := 1; fold <= r.folds; fold++ {
			x = append(x, r.of[paper.Run{Problem: set, Method: first, Repeat: fold}].Score)
			y = append(y, r.of[paper.Run{Problem: set, Method: method, Repeat: fold}].Score)
		}
		sure := 0
		if eval.ResampledTTest(x, y, 0.25).P < 0.05 {
			sure = 1
		}
		switch {
		case ratio > 1e-4:
			d.better, d.surelyBetter = d.better+1, d.surelyBetter+sure
		case ratio < -1e-4:
			d.worse, d.surelyWorse = d.worse+1, d.surelyWorse+sure
		}
	}
	none := make([]float64, len(d.relative))
	d.p = min(1, 2*eval.Wilcoxon(d.relative, none), 2*eval.Wilcoxon(none, d.relative))
	return d
}

// percent writes the mean and its standard error of some of the numbers, in percent.
func percent(x []float64, at []int) string {
	var some []float64
	for _, i := range at {
		some = append(some, 100*x[i])
	}
	mean, stderr := eval.MeanStdErr(some)
	return strings.ReplaceAll(fmt.Sprintf("%+.1f ± %.1f", mean, stderr), "-", "−")
}

// kinds returns the numbers of the sets of values, of two classes and of more.
func (r *boostResults) kinds() (kinds [3][]int) {
	for s, set := range r.sets {
		kind := slices.IndexFunc(boostKinds[:], func(names []string) bool { return slices.Contains(names, set) })
		kinds[kind] = append(kinds[kind], s)
	}
	return kinds
}

// duels returns a table of methods against the first.
func (r *boostResults) duels(first string, methods []string) string {
	if r.folds == 0 {
		return "No partition is finished.\n"
	}
	kinds := r.kinds()
	ranks, _ := r.ranks(paper.Score)
	var b strings.Builder
	fmt.Fprintf(&b, "%d sets (%d of values, %d of two classes, %d of more), %d folds of up to 3 partitions into five.\n\n",
		len(r.sets), len(kinds[0]), len(kinds[1]), len(kinds[2]), r.folds)
	fmt.Fprintf(&b, "| method | mean rank | %[1]s better : worse | significantly | p | loss against %[1]s, %% | values | "+
		"two classes | more |\n| --- |%[2]s\n", first, strings.Repeat(" ---: |", 8))
	for _, method := range methods {
		fmt.Fprintf(&b, "| %s | %s |", method, rank(ranks, method))
		if method == first {
			b.WriteString(strings.Repeat("  |", 7) + "\n")
			continue
		}
		d := r.duel(first, method)
		fmt.Fprintf(&b, " %d : %d | %d : %d | %.2g |", d.better, d.worse, d.surelyBetter, d.surelyWorse, d.p)
		for _, at := range [][]int{slices.Concat(kinds[:]...), kinds[0], kinds[1], kinds[2]} {
			fmt.Fprintf(&b, " %s |", percent(d.relative, at))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// expected returns a table of the errors that auto's reports say to expect beside those of the test rows.
func (r *boostResults) expected() string {
	var b strings.Builder
	b.WriteString("\n| auto | sets | error to expect | error of the test rows | difference | in the interval |\n" +
		"| --- |" + strings.Repeat(" ---: |", 5) + "\n")
	kinds := r.kinds()
	for k, name := range []string{"values", "two classes", "more"} {
		found, unit := paper.More("error"), 100.0
		if k == 0 {
			found, unit = paper.Score, 1
		}
		said, was := r.means("auto", paper.More("expected")), r.means("auto", found)
		within := r.means("auto", func(r paper.Record) float64 {
			if e := found(r); r.More["low"] <= e && e <= r.More["high"] {
				return 1
			}
			return 0
		})
		var expected, errors, differences, inside []float64
		for _, s := range kinds[k] {
			expected, errors = append(expected, unit*said[s]), append(errors, unit*was[s])
			differences, inside = append(differences, unit*(said[s]-was[s])), append(inside, within[s])
		}
		mean, stderr := eval.MeanStdErr(differences)
		fmt.Fprintf(&b, "| %s | %d | %.3g | %.3g | %s | %.0f %% |\n", name, len(expected), eval.Mean(expected),
			eval.Mean(errors), strings.ReplaceAll(fmt.Sprintf("%+.2g ± %.2g", mean, stderr), "-", "−"), 100*eval.Mean(inside))
	}
	return b.String()
}

// rank writes the rank of a method, if it has one.
func rank(of map[string]float64, method string) string {
	if v, ok := of[method]; ok {
		return fmt.Sprintf("%.2f", v)
	}
	return ""
}

// bySet returns tables of further ranks, of times and of losses by set.
func (r *boostResults) bySet() string {
	errors, withClasses := r.ranks(paper.More("error"))
	areas, _ := r.ranks(func(r paper.Record) float64 { return -paper.More("auc")(r) })
	var b strings.Builder
	fmt.Fprintf(&b, "\n| method | rank in error (%d sets) | rank in AUC | s to train | of boost's | s to predict |\n"+
		"| --- |%s\n", withClasses, strings.Repeat(" ---: |", 5))
	for _, method := range r.methods {
		fmt.Fprintf(&b, "| %s | %s | %s | %.1f | %.2f | %.2f |\n", method, rank(errors, method), rank(areas, method),
			r.seconds(method, "processor"), r.seconds(method, "processor")/r.seconds("boost", "processor"),
			r.seconds(method, "predict"))
	}
	b.WriteString("\n| set | " + strings.Join(r.ranked, " | ") + " |\n| --- |" +
		strings.Repeat(" ---: |", len(r.ranked)) + "\n")
	for s, set := range r.sets {
		var losses []string
		for _, method := range r.ranked {
			losses = append(losses, fmt.Sprintf("%.4f", r.means(method, paper.Score)[s]))
		}
		least := slices.Min(losses)
		for i, v := range losses {
			if v == least {
				losses[i] = "**" + v + "**"
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", set, strings.Join(losses, " | "))
	}
	return b.String()
}
