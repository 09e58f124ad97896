// Package figures shows the figures and tables of five papers in a cell, each from committed results: its claims are
// what the paper says in numbers, and whether ours agree.
//
// A paper has a room: a folder of internal/papers with a value for each figure (see [paper.Figure]), in the paper's
// order. To add a figure, add its value to the room, and a cell that shows it. Runs are done in tools/experiments.
package figures

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/papers/godt"
	"github.com/obliqua-ml/obliqua/internal/papers/graf"
	"github.com/obliqua-ml/obliqua/internal/papers/hrf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/internal/papers/sporf"
	"github.com/obliqua-ml/obliqua/internal/papers/tao"
	"github.com/obliqua-ml/obliqua/viz"
)

// Papers are the papers' rooms, in the order of docs/reproduction.md.
var Papers = []*paper.Paper{&sporf.Paper, &graf.Paper, &hrf.Paper, &tao.Paper, &godt.Paper}

// Show draws a figure or table of a paper from committed results: Show("sporf", "2C"), Show("hrf", "Table 5"). The
// title has the protocol. Below it are what the paper claims, and whether ours agrees. Paths begin at the notebooks'
// folder.
func Show(of, name string) { ShowFrom(&paper.Results{Root: ".."}, of, name) }

// ShowFrom is [Show] for results at hand.
func ShowFrom(r *paper.Results, of, name string) {
	p := find(of)
	items := p.Find(r, name)
	i := slices.IndexFunc(items, func(f *paper.Figure) bool { return f.Draw != nil })
	if i < 0 {
		panic(fmt.Sprintf("figures: nothing draws %q of %s", name, p.Name))
	}
	f := items[i]
	count, drawing := f.Count(r), f.Draw(r)
	claims := paper.ClaimsTable(r, items)
	if r.Err != nil {
		panic("figures: " + r.Err.Error())
	}
	title := f.Title(count)
	if len(items) > 1 { // the title is of all parts
		whole, protocol := name, paper.Count{}
		if !strings.HasPrefix(f.Name, name) {
			whole = "Figure " + name
		}
		if !slices.ContainsFunc(items, func(g *paper.Figure) bool { return g.Count(r).Protocol != count.Protocol }) {
			protocol = count
		}
		title = strings.Replace(f.Title(protocol), f.Name, whole, 1)
	}
	if drawing.Chart != nil {
		chart := viz.Draw(drawing.Chart)
		chart.Title = title
		viz.Show(chart)
	}
	for i, t := range drawing.Tables {
		if i == 0 && drawing.Chart == nil {
			t.Title = title
		}
		t.Show()
	}
	if len(claims.Rows) > 0 {
		claims.Show()
	}
}

// Runs returns the runs behind a figure, of all its parts.
func Runs(of, name string) (parts []paper.Part) {
	for _, f := range find(of).Find(&paper.Results{Root: ".."}, name) {
		parts = append(parts, f.Of...)
	}
	return parts
}

// find returns a paper's room. It panics if there is none of that name.
func find(of string) *paper.Paper {
	var keys []string
	for _, p := range Papers {
		if p.Key == of {
			return p
		}
		keys = append(keys, p.Key)
	}
	panic(fmt.Sprintf("figures: no paper %q; want one of %s", of, strings.Join(keys, ", ")))
}

// A Record is a run of an experiment and its results, and a Mean is the mean of a cell's repeats.
type (
	Record = paper.Record
	Mean   = paper.Mean
)

// MeansOf returns the means over repeats.
func MeansOf(records []Record) paper.Means { return paper.MeansOf(records) }

// Records returns the records of a file in docs/results, such as "boost-paper.csv", of experiments of no paper.
func Records(file string) []Record {
	r := paper.Results{Root: ".."}
	records := r.Records(paper.Part{Experiment: &paper.Experiment{File: file}})
	if r.Err != nil {
		panic("figures: " + r.Err.Error())
	}
	return records
}

// Items shows what is reproduced of a paper.
func Items(of string) {
	r := paper.Results{Root: ".."}
	t := find(of).ItemsTable(&r)
	if r.Err != nil {
		panic("figures: " + r.Err.Error())
	}
	t.Show()
}

// Write writes the pages of [paper.Pages]. Root is the folder of the repository.
func Write(root string) error {
	pages, err := paper.Pages(root, Papers)
	if err != nil {
		return err
	}
	for path, text := range pages {
		err := atomicfile.Write(filepath.Join(root, path), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
