package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// Report replaces what is between these lines of the page.
const (
	beginMark = "<!-- peers report begins; edit tools/peers, not this part -->"
	endMark   = "<!-- peers report ends -->"
)

// The parts of the page, which show runs of one commit each.
var reportParts = []struct {
	name  string
	write func(p *page) error
}{{"forests", (*page).forests}, {"GRAF", (*page).graf}, {"GODT", (*page).godt}}

// partOf returns the name of the part that has a job.
func partOf(job string) string {
	switch {
	case strings.HasPrefix(job, "godt-"):
		return "GODT"
	case strings.HasPrefix(job, "graf-"), strings.HasPrefix(job, "hypercube-"):
		return "GRAF"
	}
	return "forests"
}

var growthJobs = regexp.MustCompile(`^(growth|graf)-[ndp]`)

func isGrowth(job key) bool { return growthJobs.MatchString(job.name) }

func reportCommand(args []string) error {
	flags := flag.NewFlagSet("report", flag.ExitOnError)
	path := flags.String("csv", defaultCSV, "the runs")
	file := flags.String("page", "docs/benchmarks.md", "Markdown file to write the tables into; plots go into its folder")
	commit := flags.String("commit", "",
		"commit whose runs to show; empty means that of the last run, separately for GRAF, GODT and the rest")
	flags.Parse(args)
	s, err := openSheet(*path)
	if err != nil {
		return err
	}
	var parts []string
	for _, part := range reportParts {
		p, err := newPage(runsToShow(s.records, *commit, part.name), filepath.Dir(*file))
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		if err := part.write(p); err != nil {
			return err
		}
		parts = append(parts, p.finished())
	}
	if len(parts) == 0 {
		return fmt.Errorf("%s has no runs of commit %q", *path, *commit)
	}
	return replacePart(*file, strings.Join(parts, "\n"))
}

// runsToShow returns the runs of a commit on the jobs of a part. An empty commit means that of the last such run.
func runsToShow(records []record, commit, part string) []record {
	runs := slices.DeleteFunc(slices.Clone(records), func(r record) bool { return partOf(r.Job) != part })
	if commit == "" && len(runs) > 0 {
		commit = runs[len(runs)-1].Commit
	}
	return slices.DeleteFunc(runs, func(r record) bool { return r.Commit != commit })
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

// A page builds a Markdown text on some runs.
type page struct {
	strings.Builder
	results
	first, last record
	folder      string // for plots
}

// newPage returns nil if there are no runs.
func newPage(runs []record, folder string) (*page, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	res, err := summarise(runs)
	return &page{results: res, first: runs[0], last: runs[len(runs)-1], folder: folder}, err
}

func (p *page) finished() string { return strings.TrimRight(p.String(), "\n") + "\n" }

func (p *page) text(s string) { p.WriteString(s + "\n\n") }

func (p *page) row(cells ...string) { p.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

// table writes a table whose first column is text and whose others are numbers.
func (p *page) table(head []string, rows [][]string) {
	p.row(head...)
	p.WriteString("| --- |" + strings.Repeat(" ---: |", len(head)-1) + "\n")
	for _, row := range rows {
		p.row(row...)
	}
	p.WriteString("\n")
}

// stamp says of which commit the runs are, and when and where they were done.
func (p *page) stamp() string {
	return fmt.Sprintf("Commit %s, %s to %s, %s.\n", p.first.Commit, p.first.Date, p.last.Date, p.first.Machine)
}

func (p *page) forests() error {
	p.text(p.stamp() + "A time is the median of five rounds, or of n rounds where (n) stands behind it; the contenders take turns. " +
		"In a job all\ngrow the same number of trees until pure, on bootstrap samples of float32 data (ranger: float64), with d candidate\n" +
		"features or directions a node; oblique directions have three non-zeros in expectation. LightGBM and XGBoost boost for\n" +
		"as many rounds with their defaults." +
		p.ifHas(oneTree, " "+oneTree+" is one tree on many rows: CART without bootstrap (d = p), or a tree of a random forest."))
	p.targets()
	if err := p.ratioPlots(); err != nil {
		return err
	}
	if err := p.growth("## How training time grows", sporfFigures()); err != nil {
		return err
	}
	p.speedups()
	p.memory()
	p.text("## Job by job")
	p.text(fmt.Sprintf("Seconds, and MB of 2²⁰ bytes. Training memory is what the process takes at its peak beyond what it takes with the data\n"+
		"loaded, with the whole process in brackets; the smallest of the rounds, with %s. Models are serialized: YDF and\n"+
		"ranger by `serialize`, scikit-learn and treeple by pickle, LightGBM as text, XGBoost as UBJSON, ours by `MarshalBinary`.",
		plural(slices.Max(p.threads()), "thread")))
	p.jobTables()
	p.contenders("## Contenders")
	return nil
}

// graf writes GRAF's part of the page.
func (p *page) graf() error {
	p.text("## GRAF")
	p.text(p.stamp() + "Planes are over all p features (M = p); K = d = p of them are drawn at a step, or one. " +
		"The hypercubes are those of section 6 of\nGRAF’s paper: 20,000 rows around the 4096 vertices, 70 % to train; " +
		"the class is the parity of a vertex, or its number of\nones. GRAF and extra trees grow from all rows, without " +
		"bootstrap, until pure. Gradient boosting has trees of depth 3,\none per class and round, and runs on one thread " +
		"only, so its two columns measure the same. Bold, † and the columns\nare as above; prediction has no target.")
	for _, t := range grafTargets {
		p.target(t)
	}
	p.jobTables()
	if err := p.growth("### How GRAF’s training time grows", grafFigures()); err != nil {
		return err
	}
	p.contenders("### GRAF’s contenders")
	return nil
}

// godt writes the part of the page about Gaussian-mixture trees.
func (p *page) godt() error {
	p.text("## GODT")
	p.text(p.stamp() + "Gaussian-mixture trees. Bold, † and the columns are as above. The sets are those of the thesis, split once: " +
		"satimage, letter and USPS\nat random into parts of its sizes, Madelon as its authors split it, with the validation part for testing.")
	whole := p.results
	for _, part := range []struct {
		single bool // of trees and mixtures, not of forests
		text   string
	}{
		{true, "### Mixtures and single trees\n\n" +
			"On one thread, with all features. A mixture is the root of a tree alone: the first principal axis, K-means from the two\n" +
			"halves, and EM for two Gaussians with the same covariance (tied) or one each (full). A row gets the majority class of its\n" +
			"component. Ours and scikit-learn’s start alike, from equal shares and the covariance of all rows. Both add 0.01 to the\n" +
			"variances of standardised features, and stop when the log-likelihood changes by less than 10⁻⁶ of itself or after 100\n" +
			"rounds. Of scikit-learn, centring, standardising and finding that tolerance aren’t timed; of ours, all of `Fit` is. Whole\n" +
			"trees have our defaults and features as they are. scikit-learn’s tree beside them is CART, another method, so there is no target."},
		{false, "### Forests of mixtures\n\n" +
			"GORF draws d features for a tree and 0.8 n rows with replacement; scikit-learn’s random forest draws d features at a node\n" +
			"and n rows. They are different methods, so there is no target."},
	} {
		p.results = whole.where(func(k key) bool {
			return part.single == slices.ContainsFunc(jobs, func(j job) bool { return j.Threads == 1 && j.key() == k })
		})
		if len(p.jobs) == 0 {
			continue
		}
		p.text(part.text)
		for _, t := range godtTargets {
			if train, _ := p.ratios(t, p.jobs, p.threads()...); len(train) > 0 {
				p.target(t)
			}
		}
		p.jobTables()
	}
	p.results = whole
	p.contenders("### GODT’s contenders")
	return nil
}

// compared returns the jobs that compare contenders; the others measure growth.
func (r results) compared() []key { return slices.DeleteFunc(slices.Clone(r.jobs), isGrowth) }

// bolden makes a number bold if it misses its target.
func bolden(s string, missed bool) string {
	if missed {
		return "**" + s + "**"
	}
	return s
}

// targets writes one table of all targets, then one for each.
func (p *page) targets() {
	p.text("## Targets")
	p.text("Our time over theirs; bold misses the target. † marks a test error of ours that is above theirs by more than two\n" +
		"standard errors (of both rates on the test rows, and of the seeds)." +
		p.ifHas(friedmanJob, " For regression the error is the mean squared error."))
	var rows [][]string
	for _, t := range targets {
		if t.job == "" || p.has(t.job) {
			train, predict := p.ratios(t, p.compared(), p.threads()...)
			rows = append(rows, slices.Concat([]string{t.pair()}, tally(train, t.train, 1), tally(predict, t.predict, 1)))
		}
	}
	if p.has(oneTree) {
		var ups []float64
		for _, job := range p.jobs {
			for _, name := range p.ours() {
				if _, up, ok := p.speedup(job, name); ok && job.name == oneTree {
					ups = append(ups, up)
				}
			}
		}
		name := "One thread / two threads, ours, " + oneTree
		rows = append(rows, slices.Concat([]string{name}, tally(ups, oneTreeTarget, -1), tally(nil, no, 1)))
	}
	p.table([]string{"ours / theirs", "training", "met", "worst", "prediction", "met", "worst"}, rows)
	for _, t := range targets {
		if t.job == "" {
			p.target(t)
		}
	}
}

// tally returns cells with the target, how many ratios meet it, and the worst. Ratios should be small if sign is 1,
// large if it is −1.
func tally(ratios []float64, want, sign float64) []string {
	cells := []string{"–", "–", "–"}
	if want == no {
		return cells
	}
	cells[0] = fmt.Sprintf("≤ %g", want)
	if sign < 0 {
		cells[0] = fmt.Sprintf("≥ %g", want)
	}
	met, worst := 0, math.Inf(-1)
	for _, r := range ratios {
		worst = max(worst, sign*r)
		if sign*r <= sign*want {
			met++
		}
	}
	if len(ratios) > 0 {
		cells[1] = bolden(fmt.Sprintf("%d of %d", met, len(ratios)), met < len(ratios))
		cells[2] = bolden(fmt.Sprintf("%.2f", sign*worst), met < len(ratios))
	}
	return cells
}

// perThreads returns two cells for each number of threads, first of training and then of prediction; – where cells finds
// none.
func (p *page) perThreads(cells func(threads int) (train, predict string)) (row []string) {
	var predicts []string
	for _, threads := range p.threads() {
		train, predict := cells(threads)
		row, predicts = append(row, cmp.Or(train, "–")), append(predicts, cmp.Or(predict, "–"))
	}
	return append(row, predicts...)
}

func (p *page) target(t target) {
	var rows [][]string
	for _, job := range p.compared() {
		var some ratio
		times := p.perThreads(func(threads int) (train, predict string) {
			r, ok := p.ratio(t, job, threads)
			if !ok {
				return "", ""
			}
			some = r
			return bolden(fmt.Sprintf("%.2f", r.train), r.train > t.train), bolden(fmt.Sprintf("%.2f", r.predict), r.predict > t.predict)
		})
		if some.ours.rounds == 0 {
			continue
		}
		mark := ""
		if some.worse() {
			mark = " †"
		}
		rows = append(rows, slices.Concat([]string{job.String()}, times,
			[]string{fmt.Sprintf("%.4f%s", some.ours.err, mark), fmt.Sprintf("%.4f", some.theirs.err)}))
	}
	p.text("### " + t.String())
	p.table(slices.Concat([]string{"job"}, p.timeColumns(), []string{"our test error", "theirs"}), rows)
}

// timeColumns returns the headings of the columns of times.
func (p *page) timeColumns() []string {
	return p.perThreads(func(threads int) (train, predict string) {
		return "training, " + plural(threads, "thread"), "prediction, " + plural(threads, "thread")
	})
}

func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprint(n, " ", word)
}

// speedups writes the table of speed-ups by two threads.
func (p *page) speedups() {
	p.text("## Two threads over one")
	p.text(fmt.Sprintf("Training time with one thread over that with two. The target is %g if one thread takes more than a second%s; "+
		"bold misses it.", speedupTarget, p.ifHas(oneTree, fmt.Sprintf(",\nand %g for %s", oneTreeTarget, oneTree))))
	names := []string{"obliqua-sporf", "obliqua-rf", "ydf-oblique", "scikit-learn"}
	if slices.Contains(p.ours(), "obliqua-cart") {
		names = slices.Insert(names, 2, "obliqua-cart")
	}
	head := []string{"job"}
	for _, name := range names {
		head = append(head, title(name))
	}
	var rows [][]string
	for _, job := range p.compared() {
		row := []string{job.String()}
		for _, name := range names {
			one, up, ok := p.speedup(job, name)
			if !ok {
				row = append(row, "–")
				continue
			}
			our := slices.Contains(p.ours(), name)
			row = append(row, bolden(fmt.Sprintf("%.2f", up), our && one > 1 && up < speedupWanted(job)))
		}
		rows = append(rows, row)
	}
	p.table(head, rows)
}

// memory writes the table of our training memory and its limits.
func (p *page) memory() {
	p.text("## Memory while training")
	p.text("In MB of 2²⁰ bytes: what our process takes at its peak beyond what it takes with the data loaded, plus the training data as\n" +
		"float32. The limit is these data, 24 bytes per row and thread, and the model; bold is above it.")
	head := []string{"job"}
	for _, name := range p.ours() {
		for _, threads := range p.threads() {
			head = append(head, title(name)+", "+plural(threads, "thread"))
		}
	}
	var rows [][]string
	for _, job := range p.compared() {
		row := []string{job.String()}
		for _, name := range p.ours() {
			for _, threads := range p.threads() {
				s, ok := p.at(job, name, threads)
				if !ok || s.Peak == 0 {
					row = append(row, "–")
					continue
				}
				data := 4 * int64(s.Rows) * int64(s.Features)
				limit, used := data+24*int64(s.Rows)*int64(threads)+s.model, data+s.training
				row = append(row, bolden(fmt.Sprintf("%.1f (limit %.1f)", megabytes(used), megabytes(limit)), used > limit))
			}
		}
		rows = append(rows, row)
	}
	p.table(head, rows)
}

// ours returns our contenders that took part, in the order of the tables.
func (r results) ours() (names []string) {
	took := map[string]bool{}
	for c := range r.cells {
		took[c.contender] = true
	}
	for _, c := range contenders {
		if c.Program == "self" && took[c.Name] {
			names = append(names, c.Name)
		}
	}
	return names
}

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// jobTables writes a table of all measurements for each job.
func (p *page) jobTables() {
	for _, job := range p.compared() {
		var any summary
		var rows [][]string
		for _, c := range contenders {
			var most summary
			times := p.perThreads(func(threads int) (train, predict string) {
				s, ok := p.at(job, c.Name, threads)
				if !ok {
					return "", ""
				}
				most = s
				few := ""
				if s.rounds < 5 {
					few = fmt.Sprintf(" (%d)", s.rounds)
				}
				return seconds(s.fit) + few, seconds(s.predict) + few
			})
			if most.rounds == 0 {
				continue
			}
			any = most
			memory := "–"
			if most.Peak > 0 {
				memory = fmt.Sprintf("%.1f (%.0f)", megabytes(most.training), megabytes(most.peak))
			}
			rows = append(rows, slices.Concat([]string{c.Title}, times,
				[]string{fmt.Sprintf("%.4f", most.err), memory, fmt.Sprintf("%.2f", megabytes(most.model))}))
		}
		target := "regression"
		if any.Classes > 0 {
			target = fmt.Sprintf("%d classes", any.Classes)
		}
		p.text(fmt.Sprintf("### %s: %d × %d, %s, %d test rows, %s",
			job, any.Rows, any.Features, target, any.TestRows, plural(any.Trees, "tree")))
		p.table(slices.Concat([]string{""}, p.timeColumns(), []string{"test error", "training memory", "model"}), rows)
	}
}

// seconds formats s with three digits, below 0.1 with four decimals.
func seconds(s float64) string {
	decimals := 4
	for limit := 0.1; s >= limit && decimals > 0; limit *= 10 {
		decimals--
	}
	return fmt.Sprintf("%.*f", decimals, s)
}

// contenders writes the table of versions and settings.
func (p *page) contenders(heading string) {
	p.text(heading)
	p.row("", "version", "settings")
	p.WriteString("| --- | --- | --- |\n")
	seen := map[string]summary{}
	for c, s := range p.cells {
		if s.Date > seen[c.contender].Date {
			seen[c.contender] = s
		}
	}
	for _, c := range contenders {
		if s, ok := seen[c.Name]; ok {
			p.row(c.Title, s.Version, s.Settings)
		}
	}
	p.WriteString("\n")
}
