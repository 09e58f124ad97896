package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// Report replaces the text between these lines of the page.
const (
	beginMark = "<!-- peers report begins; edit tools/peers, not this part -->"
	endMark   = "<!-- peers report ends -->"
)

func reportCommand(args []string) error {
	flags := flag.NewFlagSet("report", flag.ExitOnError)
	path := flags.String("csv", defaultCSV, "the runs")
	file := flags.String("page", "docs/results/benchmarks.md", "Markdown file for the tables; plots go into its folder")
	flags.Parse(args)
	s, err := openSheet(*path)
	if err != nil {
		return err
	}
	runs := lastCommit(s.records)
	if len(runs) == 0 {
		return errors.New(*path + " has no runs of the jobs")
	}
	text, err := write(runs, filepath.Dir(*file))
	if err != nil {
		return err
	}
	return replacePart(*file, text)
}

// lastCommit returns the runs of the commit that the jobs were measured at last. A file may have other jobs, of before.
func lastCommit(records []record) []record {
	known := map[key]bool{}
	for _, j := range jobs {
		known[j.key()] = true
	}
	records = slices.DeleteFunc(records, func(r record) bool { return !known[r.key()] })
	if len(records) == 0 {
		return nil
	}
	last := records[len(records)-1].Commit
	return slices.DeleteFunc(records, func(r record) bool { return r.Commit != last })
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
var pageTemplate string

// A page has what report.tmpl says about some runs.
type page struct {
	results
	First, Last record
	folder      string // for plots
}

// write returns the report of runs of one commit, and draws its plots into a folder.
func write(runs []record, folder string) (string, error) {
	res, err := summarise(runs)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = template.Must(template.New("").Parse(pageTemplate)).Execute(&text,
		&page{res, runs[0], runs[len(runs)-1], folder})
	return text.String(), err
}

func (p *page) MostThreads() string { return plural(slices.Max(p.threads()), "thread") }

// Regression reports whether values are predicted in a job.
func (p *page) Regression() bool {
	for _, s := range p.cells {
		if s.Classes == 0 {
			return true
		}
	}
	return false
}

func (p *page) SpeedupTarget() float64 { return speedupTarget }

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// table returns a table whose first column is text and whose others are numbers.
func table(head []string, rows [][]string) string {
	text := row(head...) + "| --- |" + strings.Repeat(" ---: |", len(head)-1) + "\n"
	for _, cells := range rows {
		text += row(cells...)
	}
	return text
}

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
	for _, t := range targets {
		train, predict := p.ratios(t, p.threads()...)
		rows = append(rows, slices.Concat([]string{t.pair()}, tally(train, t.train), tally(predict, t.predict)))
	}
	return table([]string{"ours / theirs", "training", "met", "worst", "prediction", "met", "worst"}, rows)
}

// tally returns cells with the target, how many ratios meet it, and the worst.
func tally(ratios []float64, want float64) []string {
	cells := []string{fmt.Sprintf("≤ %g", want), "–", "–"}
	if len(ratios) == 0 {
		return cells
	}
	met := 0
	for _, r := range ratios {
		if r <= want {
			met++
		}
	}
	cells[1] = bolden(fmt.Sprintf("%d of %d", met, len(ratios)), met < len(ratios))
	cells[2] = bolden(fmt.Sprintf("%.2f", slices.Max(ratios)), met < len(ratios))
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

// Targets returns a table for each target.
func (p *page) Targets() (text string) {
	for _, t := range targets {
		text += fmt.Sprintf("### %s: training ≤ %g, prediction ≤ %g\n\n%s\n", t.pair(), t.train, t.predict, p.target(t))
	}
	return text
}

func (p *page) target(t target) string {
	var rows [][]string
	for _, job := range p.jobs {
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
	return table(slices.Concat([]string{"job"}, p.timeColumns(), []string{"our test error", "theirs"}), rows)
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
	head := []string{"job"}
	for _, name := range names {
		head = append(head, title(name))
	}
	var rows [][]string
	for _, job := range p.jobs {
		row := []string{job.String()}
		for _, name := range names {
			one, up, ok := p.speedup(job, name)
			if !ok {
				row = append(row, "–")
				continue
			}
			our := strings.HasPrefix(name, "obliqua-")
			row = append(row, bolden(fmt.Sprintf("%.2f", up), our && one > 1 && up < speedupTarget))
		}
		rows = append(rows, row)
	}
	return table(head, rows)
}

// Memory returns the table of our training memory and its limits.
func (p *page) Memory() string {
	head := []string{"job"}
	for _, name := range p.ours() {
		for _, threads := range p.threads() {
			head = append(head, title(name)+", "+plural(threads, "thread"))
		}
	}
	var rows [][]string
	for _, job := range p.jobs {
		row := []string{job.String()}
		for _, name := range p.ours() {
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

// JobTables returns a table of all measurements for each job.
func (p *page) JobTables() (text string) {
	for _, job := range p.jobs {
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
