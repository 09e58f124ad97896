package old

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/viz"
)

// This file has what the notebooks of papers share. Its functions end the cell at an error
// and take paths from the folder of the notebooks.

const resultsFolder = "../docs/results/"

// Committed returns the results of an experiment's paper setting that are in docs/results,
// such as "sporf-fig1". If there are none it prints that and returns nil.
func Committed(experiment string) []Record {
	records, err := readRecords(resultsFolder + experiment + "-paper.csv")
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("%s: not run yet\n", experiment)
		return nil
	}
	return nb.Value(records, err)
}

// CommittedPredictions returns what methods of other libraries predicted, from docs/results.
func CommittedPredictions() []paper.Prediction {
	return nb.Value(paper.ReadPredictions(resultsFolder + "classifiers-predictions.csv.gz"))
}

// Compute executes a registered experiment with a progress bar and returns its records. In the paper's setting it
// continues where its file in docs/results leaves off. In the fast one it is computed anew and not kept.
func Compute(name string, paper bool) []Record {
	e := nb.Value(named(name, paper))
	path := ""
	if paper {
		path = resultsFolder + e.Name + ".csv"
	}
	ctx, done := viz.Progress(nb.Context(), e.Name)
	records, err := Execution{Path: path, Commit: "notebook"}.Do(ctx, e)
	done()
	return nb.Value(records, err)
}

// ComputeOnData is [Compute] for an experiment on data that the library doesn't hold. If OBLIQUA_DATA is unset it
// prints that and returns nil.
func ComputeOnData(name string, paper bool) []Record {
	if os.Getenv("OBLIQUA_DATA") == "" {
		fmt.Printf("No data at hand: OBLIQUA_DATA is unset, so %s is left out\n", nb.Value(named(name, paper)).Name)
		return nil
	}
	return Compute(name, paper)
}

// Results returns what [Committed] does for a registered experiment or, if now is set, the records of its fast setting,
// which it computes.
func Results(name string, now bool) []Record {
	if now {
		return Compute(name, false)
	}
	return Committed(registered[name].file)
}

// MeansByX returns the means of [Means] in ascending order of X.
func MeansByX(records []Record) []Mean {
	means := Means(records)
	slices.SortStableFunc(means, func(a, b Mean) int { return cmp.Compare(a.X, b.X) })
	return means
}

// SPORFMeans returns the means of [Means] with methods in the order of the SPORF paper's figures, other methods first,
// and for each method in ascending order of X.
func SPORFMeans(records []Record) []Mean {
	methods := []string{"RF", "SPORF", "F-RC", "CCF", "RR-RF", "ET"}
	means := MeansByX(records)
	slices.SortStableFunc(means, func(a, b Mean) int {
		return cmp.Or(cmp.Compare(slices.Index(methods, a.Method), slices.Index(methods, b.Method)),
			cmp.Compare(a.Method, b.Method))
	})
	return means
}

// of returns the means of some methods, in the order of these.
func of(means []Mean, methods ...string) (some []Mean) {
	for _, method := range methods {
		for _, m := range means {
			if m.Method == method {
				some = append(some, m)
			}
		}
	}
	return some
}

// meanMore is a measure for [Curves]: one of a mean's other measurements, without an error bar.
func meanMore(name string) func(Mean) (value, stdErr float64) {
	return func(m Mean) (float64, float64) { return m.More[name], 0 }
}

// score returns the mean score and its standard error, 0 for a single repeat.
func (m Mean) score() (score, stdErr float64) {
	if m.Repeats == 1 {
		return m.Mean, 0
	}
	return m.Mean, m.StdErr
}

// Curves draws a measure of one problem against X, a series a method. Means of a method
// must follow each other, as [SPORFMeans] has them. The measure is a function that returns a value and the length of
// its error bar; nil means the mean score and its standard error.
func Curves(title, x, y string, means []Mean, problem string, measure func(Mean) (value, stdErr float64)) viz.Curves {
	if measure == nil {
		measure = Mean.score
	}
	c := viz.Curves{Title: title, X: x, Y: y}
	for _, m := range means {
		if m.Problem != problem {
			continue
		}
		if len(c.Series) == 0 || c.Series[len(c.Series)-1].Name != m.Method {
			c.Series = append(c.Series, viz.Series{Name: m.Method})
		}
		s := &c.Series[len(c.Series)-1]
		value, stdErr := measure(m)
		s.X, s.Y, s.Err = append(s.X, float64(m.X)), append(s.Y, value), append(s.Err, stdErr)
	}
	return c
}

// PrintTable prints the mean scores of one problem and their standard errors: a line a method, a
// column an X, with the number of repeats in brackets. Means of a method must follow each other.
func PrintTable(title string, means []Mean, problem string) {
	writeTable(os.Stdout, title, means, problem)
}

func writeTable(w io.Writer, title string, means []Mean, problem string) {
	var text strings.Builder
	text.WriteString(title)
	method := ""
	for _, m := range means {
		if m.Problem != problem {
			continue
		}
		if m.Method != method {
			method = m.Method
			fmt.Fprintf(&text, "\n  %-16s", method)
		}
		score, stdErr := m.score()
		fmt.Fprintf(&text, "   %5d: %.4f ± %.4f (%d)", m.X, score, stdErr, m.Repeats)
	}
	fmt.Fprintln(w, text.String())
}

// Dots returns a series of points that no line joins: before each but the first is a gap.
// It panics if x and y differ in length.
func Dots(name string, x, y []float64) viz.Series {
	if len(x) != len(y) {
		panic(fmt.Sprintf("figures: dots of %d x and %d y", len(x), len(y)))
	}
	s := viz.Series{Name: name}
	for i := range x {
		if i > 0 {
			s.X, s.Y = append(s.X, x[i]), append(s.Y, math.NaN())
		}
		s.X, s.Y = append(s.X, x[i]), append(s.Y, y[i])
	}
	return s
}
