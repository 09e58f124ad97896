package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// compareCommand measures our contenders with this build and another one in turn,
// and prints the ratios of their times.
func compareCommand(args []string) error {
	var o options
	flags := o.flags("compare", "docs/results/peers-before.csv")
	flags.StringVar(&o.programs.before, "before", "", "this program, built from the commit to compare with")
	flags.Parse(args)
	if o.programs.before == "" {
		return errors.New("-before is missing: want a program built from the commit to compare with")
	}
	before, err := buildCommit(o.programs.before)
	if err != nil {
		return err
	}
	if err := o.measureAll(); err != nil {
		return err
	}
	records := runsOf(o.sheet.records, o.commit)
	if len(records) == 0 {
		return errors.New("no job was measured")
	}
	res, err := summarise(records)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(os.Stdout, comparison(res, records, before))
	return err
}

// buildCommit returns the commit that a program was built from, followed by + if
// files differed from it, as its build information says.
func buildCommit(path string) (string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", err
	}
	commit, changed := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(10, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return commit + changed, nil
}

// comparison returns a page of ratios of this build's times over the other's:
// geometric means, then job by job.
func comparison(res results, records []record, before string) string {
	var p page
	first := records[0]
	p.text("# Commit %s over commit %s", first.Commit, before)
	p.text("Medians of the rounds of both builds, which take turns, of %s to %s, %s.\n\"before\" is the earlier one. Below 1 the later one is faster; bold means slower.",
		first.Date, records[len(records)-1].Date, first.Machine)
	p.text("## Geometric means")
	p.head(append([]string{"", "jobs"}, res.timeColumns()...)...)
	for _, name := range res.ours() {
		p.means(res, title(name), name)
	}
	p.means(res, "all", res.ours()...)
	p.WriteString("\n")
	for _, name := range res.ours() {
		p.target(res, beforeTarget(name))
	}
	return strings.TrimRight(p.String(), "\n") + "\n"
}

func beforeTarget(name string) target { return target{name, name + beforeMark, 1, 1, ""} }

// means writes a row of geometric means over the jobs of some of our contenders.
func (p *page) means(res results, label string, names ...string) {
	var trains, predicts []string
	jobs := 0
	for _, threads := range res.threads() {
		var train, predict []float64
		for _, name := range names {
			for _, job := range res.compared() {
				if r, ok := res.ratio(beforeTarget(name), job, threads); ok {
					train, predict = append(train, r.train), append(predict, r.predict)
				}
			}
		}
		jobs = max(jobs, len(train))
		trains, predicts = append(trains, geometricMean(train)), append(predicts, geometricMean(predict))
	}
	p.row(append(append([]string{label, fmt.Sprint(jobs)}, trains...), predicts...)...)
}

func geometricMean(v []float64) string {
	if len(v) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", stat.GeometricMean(v, nil))
}
