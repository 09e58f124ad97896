package old

import (
	"context"
	"hash/crc32"
	"os"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// Nine of the sets of values have names that no setting was chosen on, and the folds of each partition have all rows
// once as test rows.
func TestAutoValueSets(t *testing.T) {
	odd := 0
	for _, set := range autoValueSets {
		odd += int(crc32.ChecksumIEEE([]byte("fd_"+set)) % 2)
	}
	if len(autoValueSets) != 12 || odd != 9 {
		t.Errorf("%d sets, %d of odd names", len(autoValueSets), odd)
	}
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	for set, want := range map[string]int{"boston": 506, "combined_cycle": 3000} {
		checkPartitions(t, set, want, valueFold)
	}
	checkPartitions(t, "wine", 178, collectionFold)
}

// checkPartitions checks that the folds of each partition of auto's have all rows of a set once as test rows, and that
// partitions differ.
func checkPartitions(t *testing.T, set string, want int, rows action) {
	t.Helper()
	column := func(d *datasets.Dataset) (cells []float32) {
		for i := range d.N() {
			cells = append(cells, d.At(i, 0))
		}
		return cells
	}
	var first []float32
	for partition := range autoFolds / 5 {
		var all []float32
		for fold := range 5 {
			of := trial{Run: Run{Problem: set, Repeat: 5*partition + fold + 1}}
			must.Do(rows(t.Context(), &of))
			if of.train.N()+of.test.N() != want {
				t.Errorf("%s: %d and %d rows", set, of.train.N(), of.test.N())
			}
			all = append(all, column(of.test)...)
		}
		if partition == 0 {
			first = all
			continue
		}
		if slices.Equal(all, first) {
			t.Errorf("%s: partition %d is the first", set, partition)
		}
		slices.Sort(all)
		if sorted := slices.Sorted(slices.Values(first)); len(all) != want || !slices.Equal(all, sorted) {
			t.Errorf("%s: partition %d has other test rows", set, partition)
		}
	}
}

// The mean squared error of a forest of a target that is noise is about 1 of its variance, and a little more; the
// record of auto has the report.
func TestAutoRun(t *testing.T) {
	d := sim.Trunk{Features: 4}.Sample(200, 1)
	for i := range d.N() {
		d.Values = append(d.Values, 1000*float64(i%7)) // row numbers say nothing about the features
	}
	d.Labels, d.Classes = nil, nil
	of := func(name string, learner forest.Learner) study {
		return study{problems: []problem{parts("noise", d)}, methods: []method{with(name, learner)}, measure: autoReport}
	}
	r, err := of("RF", rf.Learner{Trees: 50}).first(t.Context())
	if err != nil || r.Score < 0.9 || r.Score > 1.4 {
		t.Errorf("error %v, %+v", err, r)
	}
	if r, err = of("auto", auto.Learner{Trees: 50}).first(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.More["trees"] != 50 || r.Setting == "" || r.More["corrected"] < 0.9 || r.More["corrected"] > 1.4 ||
		r.More["oob"] > r.More["corrected"] || r.More["low"] >= r.More["high"] {
		t.Errorf("%+v", r)
	}
}

// parts is the problem of every other row of d, and the rest.
func parts(name string, d *datasets.Dataset) problem {
	n := int32(d.N())
	return problem{name, func(_ context.Context, t *trial) error {
		t.train, t.test = d.Subset(every(n, 0)), d.Subset(every(n, 1))
		return nil
	}}
}

// first does the first run of a study.
func (s study) first(ctx context.Context) (Result, error) {
	run := s.runs()[0]
	return run.Do(ctx, run)
}

// every returns every other row.
func every(n, first int32) (rows []int32) {
	for i := first; i < n; i += 2 {
		rows = append(rows, i)
	}
	return rows
}
