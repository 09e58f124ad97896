// Package fittest is for tests and benchmarks of learners.
package fittest

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Fit returns the forest that a learner grows.
func Fit(l forest.Learner, d *datasets.Dataset) *forest.Forest {
	return must.Value(l.Fit(context.Background(), d))
}

// Benchmark fits each learner to each problem.
func Benchmark(b *testing.B, problems map[string]*datasets.Dataset, learners ...forest.Learner) {
	for name, d := range problems {
		for _, l := range learners {
			b.Run(fmt.Sprintf("%s/%T%+v", name, l, l), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Fit(l, d)
				}
			})
		}
	}
}

// SameBytes returns the forest that a learner grows. It fails unless that is the same on one core, two and seven or,
// with -short, on one and seven.
func SameBytes(t *testing.T, name string, l forest.Learner, d *datasets.Dataset) (f *forest.Forest) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var files []string
	for _, cores := range []int{1, 2, 7} {
		if cores == 2 && testing.Short() {
			continue
		}
		runtime.GOMAXPROCS(cores)
		f = Fit(l, d)
		files = append(files, string(must.Value(f.MarshalBinary())))
	}
	if len(slices.Compact(files)) > 1 {
		t.Errorf("%s: another forest on several cores than on one", name)
	}
	return f
}

// SameLeaves fails unless the rows of d reach the leaves in f that those of e reach in g.
func SameLeaves(t *testing.T, name string, f *forest.Forest, d *datasets.Dataset, g *forest.Forest,
	e *datasets.Dataset) {
	t.Helper()
	if !slices.EqualFunc(must.Value(f.Apply(t.Context(), d)), must.Value(g.Apply(t.Context(), e)), slices.Equal) {
		t.Errorf("%s: rows reach other leaves", name)
	}
}

// Times returns d with cells 2ᵉ times as large, with an e for each column or one for all. That rounds nothing, so the
// same rows should reach the same leaves.
func Times(d *datasets.Dataset, e ...int) *datasets.Dataset {
	times := *d
	times.Columns = nil
	for j, column := range d.Columns {
		column = slices.Clone(column)
		for i, v := range column {
			column[i] = float32(math.Ldexp(float64(v), e[j%len(e)]))
		}
		times.Columns = append(times.Columns, column)
	}
	return &times
}

// Wide returns a table of many features, which share a column.
func Wide(rows, features int) *datasets.Dataset {
	column := make([]float32, rows)
	d := &datasets.Dataset{Name: "wide", Target: "y", Labels: make([]int32, rows), Classes: []string{"a", "b"}}
	for i := range column {
		column[i], d.Labels[i] = float32(i), int32(i%2)
	}
	for j := range features {
		d.Features = append(d.Features, datasets.Feature{Name: string(rune('0'+j%10)) + string(rune(0x4e00+j/10))})
		d.Columns = append(d.Columns, column)
	}
	return d
}

// Sound fails unless f can be written to a file and read again, and predicts finite numbers for every row of d.
func Sound(t rapid.TB, f *forest.Forest, d *datasets.Dataset) {
	t.Helper()
	var read forest.Forest
	must.Do(read.UnmarshalBinary(must.Value(f.MarshalBinary())))
	if d.Labels == nil {
		for i, v := range must.Value(f.PredictValues(context.Background(), d)) {
			if v-v != 0 {
				t.Fatalf("row %d: value %v; want a finite one", i, v)
			}
		}
		return
	}
	for i, y := range must.Value(f.Predict(context.Background(), d)) {
		if y < 0 || int(y) >= len(d.Classes) {
			t.Fatalf("row %d: label %d", i, y)
		}
	}
	for i, row := range must.Value(f.Proba(context.Background(), d)) {
		var sum float64
		for _, q := range row {
			sum += q
		}
		if !(math.Abs(sum-1) < 1e-5) {
			t.Fatalf("row %d: probabilities %v; want a sum of 1", i, row)
		}
	}
}

// Published returns κ of a method on a set in table 1 of the SPORF paper, with its standard error, in percent.
func Published(t *testing.T, set, method string) (kappa, sem float64) {
	t.Helper()
	file := must.Value(os.Open("../../testdata/sporf_table1_kappa_5fold.csv"))
	defer file.Close()
	rows := must.Value(csv.NewReader(file).ReadAll())
	at := slices.Index(rows[0], method)
	for _, row := range rows[1:] {
		if row[0] == set {
			return must.Value(strconv.ParseFloat(row[at], 64)), must.Value(strconv.ParseFloat(row[at+1], 64))
		}
	}
	t.Fatalf("no row of %s", set)
	return 0, 0
}
