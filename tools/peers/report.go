package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// Report replaces what is between these lines of the page.
const (
	beginMark = "<!-- peers report begins; edit tools/peers, not this part -->"
	endMark   = "<!-- peers report ends -->"
)

func reportCommand(args []string) error {
	flags := flag.NewFlagSet("report", flag.ExitOnError)
	path := flags.String("csv", defaultCSV, "the runs")
	page := flags.String("page", "docs/benchmarks.md", "Markdown file to write the tables into; plots go into its folder")
	commit := flags.String("commit", "", "commit whose runs to show; empty means that of the last run, separately for GRAF, GODT and the rest")
	flags.Parse(args)
	records, err := readSheet(*path)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return fmt.Errorf("%s has no runs", *path)
	}
	var parts []string
	for _, part := range []struct {
		has   func(job string) bool
		write func(res results, records []record, folder string) (string, error)
	}{{isForests, reportForests}, {isGRAF, reportGRAF}, {isGODT, reportGODT}} {
		runs := runsToShow(records, *commit, part.has)
		if len(runs) == 0 {
			continue
		}
		res, err := summarise(runs)
		if err != nil {
			return err
		}
		text, err := part.write(res, runs, filepath.Dir(*page))
		if err != nil {
			return err
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return fmt.Errorf("%s has no runs of commit %s", *path, *commit)
	}
	return replacePart(*page, strings.Join(parts, "\n"))
}

// runsToShow returns the runs of a commit on the jobs that a part of the page has. An empty
// commit means that of the last such run.
func runsToShow(records []record, commit string, has func(job string) bool) []record {
	var runs []record
	for _, r := range records {
		if has(r.Job) {
			runs = append(runs, r)
		}
	}
	if commit == "" && len(runs) > 0 {
		commit = runs[len(runs)-1].Commit
	}
	return runsOf(runs, commit)
}

func runsOf(records []record, commit string) []record {
	return slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.Commit != commit })
}

func isGRAF(name string) bool { return hasJob(grafJobs(), name) }

func isGODT(name string) bool { return hasJob(godtJobs(), name) }

func isForests(name string) bool { return !isGRAF(name) && !isGODT(name) }

func hasJob(jobs []job, name string) bool {
	return slices.ContainsFunc(jobs, func(j job) bool { return j.name == name })
}

func reportForests(res results, records []record, folder string) (string, error) {
	plots, err := drawPlots(res, folder)
	return markdown(res, records, plots), err
}

// replacePart writes text between the marks of a page.
func replacePart(path, text string) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(body), beginMark)
	_, after, also := strings.Cut(rest, endMark)
	if !ok || !also {
		return errors.New(path + " has no lines\n" + beginMark + "\n" + endMark)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, before+beginMark+"\n\n"+text+"\n"+endMark+after)
		return err
	})
}

// A page builds a Markdown text.
type page struct{ strings.Builder }

func (p *page) text(format string, args ...any) { fmt.Fprintf(p, format+"\n\n", args...) }

func (p *page) row(cells ...string) { p.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

// head begins a table whose first column is text and whose others are numbers.
func (p *page) head(cells ...string) {
	p.row(cells...)
	p.WriteString("| --- |" + strings.Repeat(" ---: |", len(cells)-1) + "\n")
}

func markdown(res results, records []record, plots []picture) string {
	var p page
	first, last := records[0], records[len(records)-1]
	p.text("Commit %s, %s to %s, %s.\nA time is the median of five rounds, or of n rounds where (n) stands behind it; the contenders take turns. In a job all\n"+
		"grow the same number of trees until pure, on bootstrap samples of float32 data (ranger: float64), with d candidate\n"+
		"features or directions a node; oblique directions have three non-zeros in expectation. LightGBM and XGBoost boost for\n"+
		"as many rounds with their defaults.%s", first.Commit, first.Date, last.Date, first.Machine,
		res.ifHas(oneTree, " "+oneTree+" is one tree on many rows: CART without bootstrap (d = p), or a tree of a random forest."))
	p.targets(res)
	for _, picture := range plots {
		p.text("![%s](%s)", picture.alt, picture.file)
	}
	if figures := growthFigures(res); len(figures) > 0 {
		p.text("## How training time grows")
		p.growth(figures)
	}
	p.speedups(res)
	p.memory(res)
	p.jobs(res)
	p.text("## Contenders")
	p.contenders(res)
	return strings.TrimRight(p.String(), "\n") + "\n"
}

func isGrowth(job cell) bool {
	return strings.HasPrefix(job.job, growthRows) || job.job == growthDirections ||
		strings.HasPrefix(job.job, grafRows) || strings.HasPrefix(job.job, grafFeatures)
}

// compared returns the jobs that compare contenders; the others measure growth.
func (r results) compared() []cell {
	return slices.DeleteFunc(slices.Clone(r.jobs), isGrowth)
}

// bolden makes a number bold if it misses its target.
func bolden(s string, missed bool) string {
	if missed {
		return "**" + s + "**"
	}
	return s
}

// targets writes one table of all targets, then one for each.
func (p *page) targets(res results) {
	p.text("## Targets")
	p.text("Our time over theirs; bold misses the target. † marks a test error of ours that is above theirs by more than two\nstandard errors (of both rates on the test rows, and of the seeds).%s",
		res.ifHas(friedmanJob, " For regression the error is the mean squared error."))
	p.head("ours / theirs", "training", "met", "worst", "prediction", "met", "worst")
	for _, t := range targets {
		if t.job != "" && !res.has(t.job) {
			continue
		}
		trains, predicts := tally{want: t.train}, tally{want: t.predict}
		for _, job := range res.compared() {
			for _, threads := range res.threads() {
				if r, ok := res.ratio(t, job, threads); ok {
					trains.add(r.train)
					predicts.add(r.predict)
				}
			}
		}
		p.row(slices.Concat([]string{t.pair()}, trains.cells(), predicts.cells())...)
	}
	if res.has(oneTree) {
		p.row(slices.Concat([]string{"One thread / two threads, ours, " + oneTree}, res.speedupCells())...)
	}
	p.WriteString("\n")
	for _, t := range targets {
		if t.job == "" {
			p.target(res, t)
		}
	}
}

// speedupCells returns the cells of the table of targets for the speed-up by two
// threads of growing one tree.
func (r results) speedupCells() []string {
	met, worst := 0, math.Inf(1)
	var ups []float64
	for _, job := range r.jobs {
		for _, name := range r.ours() {
			if _, up, ok := r.speedup(job, name); ok && job.job == oneTree {
				ups = append(ups, up)
				worst = min(worst, up)
				if up >= oneTreeTarget {
					met++
				}
			}
		}
	}
	cells := []string{fmt.Sprintf("≥ %g", oneTreeTarget), "–", "–", "–", "–", "–"}
	if len(ups) > 0 {
		cells[1] = bolden(fmt.Sprintf("%d of %d", met, len(ups)), met < len(ups))
		cells[2] = bolden(fmt.Sprintf("%.2f", worst), worst < oneTreeTarget)
	}
	return cells
}

// A tally counts the ratios that meet a target, and keeps the worst.
type tally struct {
	want     float64
	met, all int
	worst    float64
}

func (t *tally) add(ratio float64) {
	t.all++
	t.worst = max(t.worst, ratio)
	if ratio <= t.want {
		t.met++
	}
}

func (t tally) cells() []string {
	if math.IsInf(t.want, 1) {
		return []string{"–", "–", "–"}
	}
	if t.all == 0 {
		return []string{fmt.Sprintf("≤ %g", t.want), "–", "–"}
	}
	return []string{fmt.Sprintf("≤ %g", t.want), bolden(fmt.Sprintf("%d of %d", t.met, t.all), t.met < t.all),
		bolden(fmt.Sprintf("%.2f", t.worst), t.worst > t.want)}
}

func (p *page) target(res results, t target) {
	p.text("### %s", t)
	p.head(slices.Concat([]string{"job"}, res.timeColumns(), []string{"our test error", "theirs"})...)
	for _, job := range res.compared() {
		var trains, predicts []string
		var some ratio
		any := false
		for _, threads := range res.threads() {
			r, ok := res.ratio(t, job, threads)
			if !ok {
				trains, predicts = append(trains, "–"), append(predicts, "–")
				continue
			}
			some, any = r, true
			trains = append(trains, bolden(fmt.Sprintf("%.2f", r.train), r.train > t.train))
			predicts = append(predicts, bolden(fmt.Sprintf("%.2f", r.predict), r.predict > t.predict))
		}
		if !any {
			continue
		}
		mark := ""
		if some.worse() {
			mark = " †"
		}
		row := slices.Concat([]string{jobName(job.job, job.directions)}, trains, predicts)
		p.row(append(row, fmt.Sprintf("%.4f%s", some.ours.err, mark), fmt.Sprintf("%.4f", some.theirs.err))...)
	}
	p.WriteString("\n")
}

// timeColumns returns the headings of the columns of times.
func (r results) timeColumns() []string {
	var columns []string
	for _, what := range []string{"training", "prediction"} {
		for _, threads := range r.threads() {
			columns = append(columns, fmt.Sprintf("%s, %s", what, plural(threads, "thread")))
		}
	}
	return columns
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// speedups writes the table of speed-ups by two threads.
func (p *page) speedups(res results) {
	p.text("## Two threads over one")
	p.text("Training time with one thread over that with two. The target is %g if one thread takes more than a second%s; bold misses it.",
		speedupTarget, res.ifHas(oneTree, fmt.Sprintf(",\nand %g for %s", oneTreeTarget, oneTree)))
	names := []string{"obliqua-sporf", "obliqua-rf", "ydf-oblique", "scikit-learn"}
	if slices.Contains(res.ours(), "obliqua-cart") {
		names = slices.Insert(names, 2, "obliqua-cart")
	}
	head := []string{"job"}
	for _, name := range names {
		head = append(head, title(name))
	}
	p.head(head...)
	for _, job := range res.compared() {
		row := []string{jobName(job.job, job.directions)}
		for _, name := range names {
			one, up, ok := res.speedup(job, name)
			if !ok {
				row = append(row, "–")
				continue
			}
			_, our := ours[name]
			row = append(row, bolden(fmt.Sprintf("%.2f", up), our && one > 1 && up < speedupWanted(job)))
		}
		p.row(row...)
	}
	p.WriteString("\n")
}

// memory writes the table of our training memory and its limits.
func (p *page) memory(res results) {
	p.text("## Memory while training")
	p.text("In MB of 2²⁰ bytes: what our process takes at its peak beyond what it takes with the data loaded, plus the training data as\nfloat32. The limit is these data, 24 bytes per row and thread, and the model; bold is above it.")
	head := []string{"job"}
	for _, name := range res.ours() {
		for _, threads := range res.threads() {
			head = append(head, fmt.Sprintf("%s, %s", title(name), plural(threads, "thread")))
		}
	}
	p.head(head...)
	for _, job := range res.compared() {
		row := []string{jobName(job.job, job.directions)}
		for _, name := range res.ours() {
			for _, threads := range res.threads() {
				s, ok := res.at(job, name, threads)
				if !ok || s.Peak == 0 {
					row = append(row, "–")
					continue
				}
				data := 4 * int64(s.Rows) * int64(s.Features)
				limit := data + 24*int64(s.Rows)*int64(threads) + s.model
				used := data + s.training
				row = append(row, bolden(fmt.Sprintf("%.1f (limit %.1f)", megabytes(used), megabytes(limit)), used > limit))
			}
		}
		p.row(row...)
	}
	p.WriteString("\n")
}

// ours returns our contenders that took part, in the order of the tables.
func (r results) ours() []string {
	took := map[string]bool{}
	for c := range r.cells {
		took[c.contender] = true
	}
	var names []string
	for _, c := range contenderList {
		if _, our := ours[c.name]; our && took[c.name] {
			names = append(names, c.name)
		}
	}
	return names
}

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// jobs writes a table of all measurements for each job.
func (p *page) jobs(res results) {
	p.text("## Job by job")
	p.text("Seconds, and MB of 2²⁰ bytes. Training memory is what the process takes at its peak beyond what it takes with the data\n"+
		"loaded, with the whole process in brackets; the smallest of the rounds, with %s. Models are serialized: YDF and\n"+
		"ranger by `serialize`, scikit-learn and treeple by pickle, LightGBM as text, XGBoost as UBJSON, ours by `MarshalBinary`.", plural(slices.Max(res.threads()), "thread"))
	for _, job := range res.compared() {
		p.job(res, job)
	}
}

func (p *page) job(res results, job cell) {
	var any summary
	for c, s := range res.cells {
		if c.job == job.job && c.directions == job.directions {
			any = s
		}
	}
	target := "regression"
	if any.Classes > 0 {
		target = fmt.Sprintf("%d classes", any.Classes)
	}
	p.text("### %s: %d × %d, %s, %d test rows, %s", jobName(job.job, job.directions), any.Rows, any.Features, target, any.TestRows, plural(any.Trees, "tree"))
	p.head(slices.Concat([]string{""}, res.timeColumns(), []string{"test error", "training memory", "model"})...)
	for _, c := range contenderList {
		var trains, predicts []string
		var most summary
		for _, threads := range res.threads() {
			s, ok := res.at(job, c.name, threads)
			if !ok {
				trains, predicts = append(trains, "–"), append(predicts, "–")
				continue
			}
			most = s
			few := ""
			if s.rounds < 5 {
				few = fmt.Sprintf(" (%d)", s.rounds)
			}
			trains = append(trains, seconds(s.fit)+few)
			predicts = append(predicts, seconds(s.predict)+few)
		}
		if most.rounds == 0 {
			continue
		}
		memory := "–"
		if most.Peak > 0 {
			memory = fmt.Sprintf("%.1f (%.0f)", megabytes(most.training), megabytes(most.peak))
		}
		row := slices.Concat([]string{c.title}, trains, predicts)
		p.row(append(row, fmt.Sprintf("%.4f", most.err), memory, fmt.Sprintf("%.2f", megabytes(most.model)))...)
	}
	p.WriteString("\n")
}

// seconds formats s with three digits, below 0.1 with four decimals.
func seconds(s float64) string {
	switch {
	case s >= 100:
		return fmt.Sprintf("%.0f", s)
	case s >= 10:
		return fmt.Sprintf("%.1f", s)
	case s >= 1:
		return fmt.Sprintf("%.2f", s)
	case s >= 0.1:
		return fmt.Sprintf("%.3f", s)
	}
	return fmt.Sprintf("%.4f", s)
}

// contenders writes the table of versions and settings.
func (p *page) contenders(res results) {
	p.row("", "version", "settings")
	p.WriteString("| --- | --- | --- |\n")
	seen := map[string]summary{}
	for c, s := range res.cells {
		if s.Date > seen[c.contender].Date {
			seen[c.contender] = s
		}
	}
	for _, c := range contenderList {
		if s, ok := seen[c.name]; ok {
			p.row(c.title, s.Version, s.Settings)
		}
	}
	p.WriteString("\n")
}
