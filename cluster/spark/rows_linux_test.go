package spark

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/obliqua-ml/obliqua/cluster/tables"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// saveParquet writes the columns of d, after a column id of row numbers, in row groups of an eighth.
func saveParquet(t *testing.T, path string, d *datasets.Dataset) {
	t.Helper()
	fields := []arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}
	for _, f := range d.Features {
		fields = append(fields, arrow.Field{Name: f.Name, Type: arrow.PrimitiveTypes.Float32, Nullable: true})
	}
	ids := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range d.N() {
		ids.Append(int64(i))
	}
	columns := []arrow.Array{ids.NewArray()}
	for j := range d.P() {
		b := array.NewFloat32Builder(memory.DefaultAllocator)
		for _, v := range d.Columns[j] {
			if math.IsNaN(float64(v)) {
				b.AppendNull()
			} else {
				b.Append(v)
			}
		}
		columns = append(columns, b.NewArray())
	}
	f := must.Value(os.Create(path))
	schema := arrow.NewSchema(fields, nil)
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{array.NewRecordBatch(schema, columns, int64(d.N()))})
	must.Do(pqarrow.WriteTable(table, f, int64(d.N()+7)/8, parquet.NewWriterProperties(),
		pqarrow.DefaultWriterProps()))
}

// Spark reads a million rows, and writes each with the prediction of [forest.Forest.Predict], once,
// while a worker is killed.
func (s *standalone) predicts(t *testing.T) {
	ctx, e := s.dial(t)
	problem := sim.Trunk{Features: 4}
	model := must.Value(rf.Learner{Trees: 5, Seed: 1}.Fit(ctx, problem.Sample(300, 1)))
	d := problem.Sample(1_000_000, 2)
	folder := t.TempDir()
	saveParquet(t, filepath.Join(folder, "in.parquet"), d)
	out := filepath.Join(folder, "out")
	s.cancelsRows(t, e, model, folder)
	lost := s.lost(t)
	go func() {
		for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
			if w := workers(); len(w) > 0 && syscall.Kill(w[0], syscall.SIGKILL) == nil {
				return
			}
		}
	}()
	began := time.Now()
	must.Value(tables.Predict(ctx, e, model, filepath.Join(folder, "in.parquet"), out, "id",
		tables.Options{ByEngine: true, Probabilities: true}))
	t.Logf("a million rows after %.1f s", time.Since(began).Seconds())
	if s.lost(t) == lost {
		t.Error("no task was lost and done again")
	}
	s.checkPredictions(t, out, model, d)
	_, err := tables.Predict(ctx, e, model, filepath.Join(folder, "in.parquet"), out, "id",
		tables.Options{ByEngine: true})
	readtest.WantError(t, err, "files in it")
}

// Keys of CSV files may hold anything; a cell that is missing or no number fails its row.
func (s *standalone) predictsCSV(t *testing.T) {
	ctx, e := s.dial(t)
	d := sim.Trunk{Features: 2}.Sample(300, 1)
	model := must.Value(rf.Learner{Trees: 5, Seed: 1}.Fit(ctx, d))
	folder := t.TempDir()
	text := "id," + d.Features[1].Name + ",other," + d.Features[0].Name + "\n" +
		"a,1.5,,2\n\"b \"\"q\"\" é\",,x,3\n\"c\nd\",-1e3,x,0.25\n,0.5,x,1\ne,abc,x,1\n\\N,-2,x,-2\n"
	must.Do(os.WriteFile(filepath.Join(folder, "in.csv"), []byte(text), 0o600))
	rows := &datasets.Dataset{Features: d.Features, Columns: [][]float32{{2, 0.25, 1, -2}, {1.5, -1e3, 0.5, -2}}}
	want := map[string]string{"b \"q\" é": "an error", "e": "an error"}
	for i, key := range []string{"a", "c\nd", "null", `\N`} {
		want[key] = model.Classes[must.Value(model.Predict(ctx, rows))[i]]
	}
	out := filepath.Join(folder, "out")
	must.Value(tables.Predict(ctx, e, model, filepath.Join(folder, "in.csv"), out, "id",
		tables.Options{ByEngine: true}))
	got := map[string]string{}
	for _, r := range readParquet(t, out) {
		for i := range int(r.NumRows()) {
			cell := func(c int) string {
				if r.Column(c).IsNull(i) {
					return "null"
				}
				return r.Column(c).ValueStr(i)
			}
			got[cell(0)] = cell(1)
			if cell(2) != "null" {
				got[cell(0)] = "an error"
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("predictions %q, want %q", got, want)
	}
	s.otherOrder(t)
}

// Cells of a second file are not taken by their places if its columns are in another order. One file may have columns
// without a name, such as the rows' numbers that pandas writes.
func (s *standalone) otherOrder(t *testing.T) {
	ctx, e := s.dial(t)
	d := sim.Trunk{Features: 2}.Sample(300, 1)
	model := must.Value(rf.Learner{Trees: 5, Seed: 1}.Fit(ctx, d))
	in := t.TempDir()
	x, y := d.Features[0].Name, d.Features[1].Name
	predict := func(second string) error {
		must.Do(os.WriteFile(filepath.Join(in, "a.csv"), []byte(",id,"+x+","+y+"\n0,1,5,-5\n"), 0o600))
		if second != "" {
			must.Do(os.WriteFile(filepath.Join(in, "a.csv"), []byte("id,"+x+","+y+"\n1,5,-5\n"), 0o600))
			must.Do(os.WriteFile(filepath.Join(in, "b.csv"), []byte(second), 0o600))
		}
		_, err := tables.Predict(ctx, e, model, in, filepath.Join(t.TempDir(), "out"), "id",
			tables.Options{ByEngine: true, CSV: true})
		return err
	}
	must.Do(predict(""))
	must.Do(predict("id," + x + "," + y + "\n2,5,-5\n"))
	readtest.WantError(t, predict("id,"+y+","+x+"\n2,-5,5\n"), "b.csv")
}

// cancelsRows cancels a prediction; then the same one can be started again.
func (s *standalone) cancelsRows(t *testing.T, e *Engine, model *forest.Forest, folder string) {
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		_, err := tables.Predict(ctx, e, model, filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out"), "id",
			tables.Options{ByEngine: true})
		result <- err
	}()
	eventually(t, "a worker begins", s.progress, func() bool { return len(workers()) > 0 })
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	eventually(t, "no worker is left", s.progress, noWorker)
}

func (s *standalone) checkPredictions(t *testing.T, out string, model *forest.Forest, d *datasets.Dataset) {
	t.Helper()
	labels, proba := must.Value(model.Predict(t.Context(), d)), must.Value(model.Proba(t.Context(), d))
	seen := make([]bool, d.N())
	for _, r := range readParquet(t, out) {
		ids, label := r.Column(0).(*array.Int64), r.Column(1).(*array.String)
		for i := range ids.Len() {
			id := int(ids.Value(i))
			if seen[id] || label.Value(i) != model.Classes[labels[id]] {
				t.Fatalf("row %d (again: %v) is %s, want %s", id, seen[id], label.Value(i), model.Classes[labels[id]])
			}
			for c, want := range proba[id] {
				if p := r.Column(2 + c).(*array.Float64).Value(i); p != float64(want) {
					t.Fatalf("row %d: probability %v, want %v", id, p, want)
				}
			}
			seen[id] = true
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		t.Fatalf("row %d is missing", i)
	}
}

// readParquet returns the records in a folder of Parquet files.
func readParquet(t *testing.T, folder string) (records []arrow.RecordBatch) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("files %v, error %v", paths, err)
	}
	for _, path := range paths {
		f := must.Value(os.Open(path))
		defer f.Close()
		table := must.Value(pqarrow.ReadTable(t.Context(), f, nil, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator))
		for r := array.NewTableReader(table, -1); r.Next(); {
			r.RecordBatch().Retain()
			records = append(records, r.RecordBatch())
		}
	}
	return records
}
