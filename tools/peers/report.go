package main

import (
	"cmp"
	_ "embed"
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
	"text/template"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// Report replaces what is between these lines of the page.
const (
	beginMark = "<!-- peers report begins; edit tools/peers, not this part -->"
	endMark   = "<!-- peers report ends -->"
)

// partOf returns the name of the part of the page that has a job. Each part shows runs of one commit.
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
	file := flags.String("page", "docs/results/benchmarks.md", "Markdown file to write the tables into; plots go into its folder")
	commit := flags.String("commit", "",
		"commit whose runs to show; empty means that of the last run, separately for GRAF, GODT and the rest")
	flags.Parse(args)
	s, err := openSheet(*path)
	if err != nil {
		return err
	}
	var parts []string
	for _, part := range []string{"forests", "GRAF", "GODT"} {
		runs := runsToShow(s.records, *commit, part)
		if len(runs) == 0 {
			continue
		}
		text, err := write(part, runs, filepath.Dir(*file), "")
		if err != nil {
			return err
		}
		parts = append(parts, text)
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

//go:embed report.tmpl
var templates string

// A page has what report.tmpl says about some runs.
type page struct {
	results
	First, Last record
	Before      string // the commit of an earlier build
	folder      string // for plots
}

// write returns a part of a page, and draws its plots into a folder.
func write(part string, runs []record, folder, before string) (string, error) {
	res, err := summarise(runs)
	if err != nil {
		return "", err
	}
	functions := template.FuncMap{"before": beforeTarget, "targets": func(part string) []target { return targets[part] }}
	var text strings.Builder
	err = template.Must(template.New("").Funcs(functions).Parse(templates)).ExecuteTemplate(&text, part,
		&page{res, runs[0], runs[len(runs)-1], before, folder})
	return strings.TrimRight(text.String(), "\n") + "\n", err
}

// Stamp says of which commit the runs are, and when and where they were done.
func (p *page) Stamp() string {
	return fmt.Sprintf("Commit %s, %s to %s, %s.", p.First.Commit, p.First.Date, p.Last.Date, p.First.Machine)
}

func (p *page) MostThreads() string { return plural(slices.Max(p.threads()), "thread") }

func (p *page) SpeedupTarget() float64 { return speedupTarget }

func (p *page) OneTreeTarget() float64 { return oneTreeTarget }

// Single returns the page of the jobs of single trees and mixtures, or of the others; nil if there are none.
func (p *page) Single(single bool) *page {
	part := *p
	part.results = p.where(func(k key) bool {
		return single == slices.ContainsFunc(jobs, func(j job) bool { return j.Threads == 1 && j.key() == k })
	})
	if len(part.jobs) == 0 {
		return nil
	}
	return &part
}

// Compares reports whether both contenders of a target took part in a job.
func (p *page) Compares(t target) bool {
	train, _ := p.ratios(t, p.jobs, p.threads()...)
	return len(train) > 0
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// table returns a table whose first column is text and whose others are numbers.
func table(head []string, rows [][]string) string {
	text := row(head...) + "| --- |" + strings.Repeat(" ---: |", len(head)-1) + "\n"
	for _, cells := range rows {
		text += row(cells...)
	}
	return text
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

// Tallies returns the table of all targets.
func (p *page) Tallies() string {
	var rows [][]string
	for _, t := range targets["forests"] {
		if t.Job == "" || p.Has(t.Job) {
			train, predict := p.ratios(t, p.compared(), p.threads()...)
			rows = append(rows, slices.Concat([]string{t.pair()}, tally(train, t.train, 1), tally(predict, t.predict, 1)))
		}
	}
	if p.Has(oneTree) {
		var ups []float64
		for _, job := range p.jobs {
			for _, name := range p.Ours() {
				if _, up, ok := p.speedup(job, name); ok && job.name == oneTree {
					ups = append(ups, up)
				}
			}
		}
		name := "One thread / two threads, ours, " + oneTree
		rows = append(rows, slices.Concat([]string{name}, tally(ups, oneTreeTarget, -1), tally(nil, no, 1)))
	}
	return table([]string{"ours / theirs", "training", "met", "worst", "prediction", "met", "worst"}, rows)
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

// perThreads returns two cells for each number of threads, first of training and then of prediction; – where cells
// finds none.
func (p *page) perThreads(cells func(threads int) (train, predict string)) (row []string) {
	var predicts []string
	for _, threads := range p.threads() {
		train, predict := cells(threads)
		row, predicts = append(row, cmp.Or(train, "–")), append(predicts, cmp.Or(predict, "–"))
	}
	return append(row, predicts...)
}

// Target returns the table of a target.
func (p *page) Target(t target) string {
	var rows [][]string
	for _, job := range p.compared() {
		var some ratio
		times := p.perThreads(func(threads int) (train, predict string) {
			r, ok := p.ratio(t, job, threads)
			if !ok {
				return "", ""
			}
			some = r
			return bolden(fmt.Sprintf("%.2f", r.train), r.train > t.train),
				bolden(fmt.Sprintf("%.2f", r.predict), r.predict > t.predict)
		})
		if some.ours.rounds == 0 {
			continue
		}
		mark := ""
		if some.worse() {
			mark = " †"
		}
		rows = append(rows, slices.Concat([]string{job.String()}, times,
			[]string{fmt.Sprintf("%.4f%s", some.ours.Error, mark), fmt.Sprintf("%.4f", some.theirs.Error)}))
	}
	return fmt.Sprintf("### %s\n\n%s\n", t,
		table(slices.Concat([]string{"job"}, p.timeColumns(), []string{"our test error", "theirs"}), rows))
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

// Speedups returns the table of speed-ups by two threads.
func (p *page) Speedups() string {
	names := []string{"obliqua-sporf", "obliqua-rf", "ydf-oblique", "scikit-learn"}
	if slices.Contains(p.Ours(), "obliqua-cart") {
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
			our := slices.Contains(p.Ours(), name)
			row = append(row, bolden(fmt.Sprintf("%.2f", up), our && one > 1 && up < speedupWanted(job)))
		}
		rows = append(rows, row)
	}
	return table(head, rows)
}

// Memory returns the table of our training memory and its limits.
func (p *page) Memory() string {
	head := []string{"job"}
	for _, name := range p.Ours() {
		for _, threads := range p.threads() {
			head = append(head, title(name)+", "+plural(threads, "thread"))
		}
	}
	var rows [][]string
	for _, job := range p.compared() {
		row := []string{job.String()}
		for _, name := range p.Ours() {
			for _, threads := range p.threads() {
				s, ok := p.at(job, name, threads)
				if !ok || s.Peak == 0 {
					row = append(row, "–")
					continue
				}
				data := 4 * int64(s.Rows) * int64(s.Features)
				limit, used := data+24*int64(s.Rows)*int64(threads)+s.Model, data+s.training
				row = append(row, bolden(fmt.Sprintf("%.1f (limit %.1f)", megabytes(used), megabytes(limit)), used > limit))
			}
		}
		rows = append(rows, row)
	}
	return table(head, rows)
}

// Ours returns our contenders that took part, in the order of the tables.
func (r results) Ours() (names []string) {
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

// JobTables returns a table of all measurements for each job.
func (p *page) JobTables() (text string) {
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
				return seconds(s.Fit) + few, seconds(s.Predict) + few
			})
			if most.rounds == 0 {
				continue
			}
			any = most
			memory := "–"
			if most.Peak > 0 {
				memory = fmt.Sprintf("%.1f (%.0f)", megabytes(most.training), megabytes(most.Peak))
			}
			rows = append(rows, slices.Concat([]string{c.Title}, times,
				[]string{fmt.Sprintf("%.4f", most.Error), memory, fmt.Sprintf("%.2f", megabytes(most.Model))}))
		}
		target := "regression"
		if any.Classes > 0 {
			target = fmt.Sprintf("%d classes", any.Classes)
		}
		text += fmt.Sprintf("### %s: %d × %d, %s, %d test rows, %s\n\n%s\n",
			job, any.Rows, any.Features, target, any.TestRows, plural(any.Trees, "tree"),
			table(slices.Concat([]string{""}, p.timeColumns(), []string{"test error", "training memory", "model"}), rows))
	}
	return text
}

// seconds formats s, or a ratio of seconds, with three digits, below 0.1 with four decimals.
func seconds(s float64) string {
	decimals := 4
	for limit := 0.1; s >= limit && decimals > 0; limit *= 10 {
		decimals--
	}
	return fmt.Sprintf("%.*f", decimals, s)
}

// Contenders returns the table of versions and settings.
func (p *page) Contenders() string {
	text := row("", "version", "settings") + "| --- | --- | --- |\n"
	seen := map[string]summary{}
	for c, s := range p.cells {
		if s.Date > seen[c.contender].Date {
			seen[c.contender] = s
		}
	}
	for _, c := range contenders {
		if s, ok := seen[c.Name]; ok {
			text += row(c.Title, s.Version, s.Settings)
		}
	}
	return text + "\n"
}
