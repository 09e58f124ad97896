package paper

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

// A Mean is the mean over repeats of a method's results on a problem at one X.
type Mean struct {
	Cell
	Score   Number // with the standard error over repeats
	Repeats int
	Seconds float64
	More    map[string]float64
}

// Means are in the order of their runs.
type Means []Mean

// MeansOf averages records over repeats.
func MeansOf(records []Record) (means Means) {
	order, groups := Grouped(records, func(r Record) Cell { return r.Cell() })
	for _, cell := range order {
		m := Mean{Cell: cell, Repeats: len(groups[cell]), More: map[string]float64{}}
		var scores []float64
		for _, r := range groups[cell] {
			scores = append(scores, r.Score)
			m.Seconds += r.Seconds / float64(m.Repeats)
			for name, v := range r.More {
				m.More[name] += v / float64(m.Repeats)
			}
		}
		m.Score = NumberOf(scores)
		means = append(means, m)
	}
	return means
}

// NumberOf returns the mean of values and its standard error, which is NaN for a single value. The mean of no values is
// NaN.
func NumberOf(values []float64) Number {
	mean, stdErr := eval.MeanStdErr(values)
	return Number{Value: mean, StdErr: stdErr, Degrees: float64(max(0, len(values)-1))}
}

// Median returns the median of values, None of fewer than two. Its standard error is that of normal values, whose
// deviation is 1.48 times the median distance from the median.
func Median(values []float64) Number {
	if len(values) < 2 {
		return None
	}
	median := eval.Median(values)
	far := make([]float64, len(values))
	for i, v := range values {
		far[i] = math.Abs(v - median)
	}
	deviation := 1.4826 * eval.Median(far)
	return Number{Value: median, StdErr: deviation * math.Sqrt(math.Pi/2/float64(len(values))),
		Degrees: float64(len(values) - 1)}
}

// Of returns the means of methods, in the order of the names.
func (all Means) Of(methods ...string) (some Means) {
	for _, method := range methods {
		for _, m := range all {
			if m.Method == method {
				some = append(some, m)
			}
		}
	}
	return some
}

// On returns the means of problems, in the order of the names.
func (all Means) On(problems ...string) (some Means) {
	for _, problem := range problems {
		for _, m := range all {
			if m.Problem == problem {
				some = append(some, m)
			}
		}
	}
	return some
}

// ByX returns the means in ascending order of X.
func (all Means) ByX() Means {
	return slices.SortedStableFunc(slices.Values(all), func(a, b Mean) int { return cmp.Compare(a.X, b.X) })
}

// At returns the mean of a problem, method and X. Its numbers are NaN if there is none.
func (all Means) At(problem, method string, x int) Mean {
	for _, m := range all {
		if m.Cell == (Cell{problem, method, x}) {
			return m
		}
	}
	return Mean{Cell: Cell{problem, method, x}, Score: None, Seconds: math.NaN()}
}

// Measure returns one of a mean's other measurements, NaN if it hasn't got it.
func (m Mean) Measure(name string) float64 {
	if v, ok := m.More[name]; ok {
		return v
	}
	return math.NaN()
}

// Names returns the different names that name gives to means, in the order of their first appearance.
func (all Means) Names(name func(m Mean) string) []string {
	names, _ := Grouped(all, name)
	return names
}

// Grouped returns the items of each key, and the keys in the order of their first appearance.
func Grouped[K comparable, T any](items []T, key func(item T) K) (order []K, groups map[K][]T) {
	groups = map[K][]T{}
	for _, item := range items {
		k := key(item)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], item)
	}
	return order, groups
}
