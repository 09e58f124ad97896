package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// compareCommand measures our contenders with this build and another one in turn, and prints the ratios of their times.
func compareCommand(args []string) error {
	var o options
	flags := o.flags("compare", "docs/results/peers-before.csv")
	before := flags.String("before", "", "this program, built from the commit to compare with")
	flags.Parse(args)
	if *before == "" {
		return errors.New("-before is missing: want a program built from the commit to compare with")
	}
	commit, err := buildCommit(*before)
	if err != nil {
		return err
	}
	o.programs = programs{"before": *before}
	if err := o.measureAll(); err != nil {
		return err
	}
	runs := slices.DeleteFunc(o.sheet.records, func(r record) bool { return r.Commit != o.commit })
	if len(runs) == 0 {
		return errors.New("no job was measured")
	}
	text, err := write("compare", runs, "", commit)
	fmt.Print(text)
	return err
}

// buildCommit returns the commit that a program was built from, followed by + if files differed from it, as its build
// information says.
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

// Means returns a table of geometric means of this build's times over the other's.
func (p *page) Means() string {
	rows := [][]string{}
	for _, name := range p.Ours() {
		rows = append(rows, p.means(title(name), name))
	}
	rows = append(rows, p.means("all", p.Ours()...))
	return table(append([]string{"", "jobs"}, p.timeColumns()...), rows)
}

func beforeTarget(name string) target { return target{name, name + beforeMark, 1, 1, ""} }

// means returns a row of geometric means over the jobs of some of our contenders.
func (p *page) means(label string, names ...string) []string {
	jobs := 0
	times := p.perThreads(func(threads int) (string, string) {
		var train, predict []float64
		for _, name := range names {
			t, q := p.ratios(beforeTarget(name), p.compared(), threads)
			train, predict = append(train, t...), append(predict, q...)
		}
		if len(train) == 0 {
			return "", ""
		}
		jobs = max(jobs, len(train))
		return fmt.Sprintf("%.2f", stat.GeometricMean(train, nil)), fmt.Sprintf("%.2f", stat.GeometricMean(predict, nil))
	})
	return append([]string{label, fmt.Sprint(jobs)}, times...)
}
