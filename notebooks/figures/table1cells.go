package figures

import (
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

// A SPORFCell is a cell of table 1: means and standard errors over the five folds, in percent.
type SPORFCell struct {
	Set, Method string
	Error       PublishedKappa // the error rate
	Kappa       PublishedKappa // as the paper defines it
	Printed     PublishedKappa // as the paper very probably computed it; see [SPORFTable1]
	Published   PublishedKappa // NaN if the paper doesn't have the method
	Seconds     float64        // of training, tuning included
}

// SPORFCells returns the cells whose five folds are among the records, in the order of their first
// appearance, beside the published ones.
func SPORFCells(records []Record, published map[string]map[string]PublishedKappa) []SPORFCell {
	type key struct{ set, method string }
	var order []key
	folds := map[key][]Record{}
	for _, r := range records {
		k := key{r.Problem, r.Method}
		if folds[k] == nil {
			order = append(order, k)
		}
		folds[k] = append(folds[k], r)
	}
	var cells []SPORFCell
	for _, k := range order {
		rs := folds[k]
		if len(rs) < 5 {
			continue
		}
		summary := func(of func(r Record) float64) PublishedKappa {
			var x []float64
			for _, r := range rs {
				x = append(x, 100*of(r))
			}
			mean, stderr := eval.MeanStdErr(x)
			return PublishedKappa{mean, stderr}
		}
		c := SPORFCell{Set: k.set, Method: k.method, Published: PublishedKappa{math.NaN(), math.NaN()},
			Error:   summary(func(r Record) float64 { return r.Score }),
			Kappa:   summary(func(r Record) float64 { return r.More["kappa"] }),
			Printed: summary(func(r Record) float64 { return r.More["printed"] }),
		}
		if p, ok := published[k.set][k.method]; ok {
			c.Published = p
		}
		for _, r := range rs {
			c.Seconds += r.Seconds / float64(len(rs))
		}
		cells = append(cells, c)
	}
	return cells
}

// Deviation returns the difference between a κ of ours and the published one, in combined standard
// errors; 0 if both have none and the difference is below the half percent that rounding may be. It is NaN if the paper
// lacks the cell.
func (c SPORFCell) Deviation(ours PublishedKappa) float64 {
	difference, stderr := ours.Kappa-c.Published.Kappa, math.Hypot(ours.StdErr, c.Published.StdErr)
	if stderr == 0 && math.Abs(difference) < 0.5 {
		return 0
	}
	return difference / stderr
}

// CellTable returns the κ of each method on the sets on which all of the methods have a cell:
// a row a set, a column a method, and the names of the sets.
func CellTable(cells []SPORFCell, methods []string, of func(c SPORFCell) float64) (sets []string, table [][]float64) {
	rows := map[string][]float64{}
	for _, c := range cells {
		if j := slices.Index(methods, c.Method); j >= 0 {
			if rows[c.Set] == nil {
				rows[c.Set] = slices.Repeat([]float64{math.NaN()}, len(methods))
				sets = append(sets, c.Set)
			}
			rows[c.Set][j] = of(c)
		}
	}
	sets = slices.DeleteFunc(sets, func(set string) bool { return slices.ContainsFunc(rows[set], math.IsNaN) })
	for _, set := range sets {
		table = append(table, rows[set])
	}
	return sets, table
}

// PredictionRecords returns what other libraries' methods predicted on the sets of table 1 as
// records of the kind that [SPORFTable1] has. XGB is called XGBoost.
func PredictionRecords(all []Prediction) []Record {
	truth := map[string][][]int32{} // of each set and method, by split
	for _, p := range all {
		key := p.Set + "\x00" + p.Method
		truth[key] = append(truth[key], p.Truth)
	}
	var records []Record
	for _, p := range all {
		set, ok := strings.CutPrefix(p.Set, "sporf/")
		if !ok {
			continue
		}
		labels := truth[p.Set+"\x00"+p.Method]
		r := Record{Run: Run{Problem: set, Method: p.Method, Repeat: p.Repeat}, Result: Result{Score: p.Error()}}
		if r.Method == "XGB" {
			r.Method = "XGBoost"
		}
		r.More = map[string]float64{
			"kappa":   1 - r.Score/chanceError(0, labels...),
			"printed": 1 - r.Score/chanceError(1, labels...),
		}
		records = append(records, r)
	}
	return records
}
