package tables

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// The test's own program is the worker.
func TestMain(m *testing.M) {
	cluster.Main(rf.Learner{}, sporf.Learner{}, graf.Learner{}, rf.HRF{})
	os.Exit(m.Run())
}

// A testColumn is a column of a Parquet file, whose cells are of one of Go's types, or nil.
type testColumn struct {
	name  string
	cells []any
}

// writeParquet writes columns in row groups of the given size.
func writeParquet(t testing.TB, path string, group int, columns ...testColumn) {
	t.Helper()
	var fields schema.FieldList
	for _, c := range columns {
		fields = append(fields, testNode(t, c))
	}
	root := must.Value(schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	n := len(columns[0].cells)
	for lo := 0; lo < n; lo += group {
		g := w.AppendRowGroup()
		for _, c := range columns {
			column := must.Value(g.NextColumn())
			must.Do(writeCells(column, c.cells[lo:min(lo+group, n)]))
			must.Do(column.Close())
		}
		must.Do(g.Close())
	}
	must.Do(w.Close())
	write(t, path, b.Bytes())
}

func testNode(t testing.TB, c testColumn) schema.Node {
	for _, cell := range c.cells {
		switch cell.(type) {
		case int64:
			return schema.NewInt64Node(c.name, parquet.Repetitions.Optional, -1)
		case float32:
			return schema.NewFloat32Node(c.name, parquet.Repetitions.Optional, -1)
		case float64:
			return schema.NewFloat64Node(c.name, parquet.Repetitions.Optional, -1)
		case string:
			return textNode(c.name)
		}
	}
	return schema.NewInt64Node(c.name, parquet.Repetitions.Optional, -1)
}

func writeCells(to file.ColumnChunkWriter, cells []any) error {
	switch to := to.(type) {
	case *file.Int64ColumnChunkWriter:
		return writeBatch(to.WriteBatch, cells)
	case *file.Float32ColumnChunkWriter:
		return writeBatch(to.WriteBatch, cells)
	case *file.Float64ColumnChunkWriter:
		return writeBatch(to.WriteBatch, cells)
	case *file.ByteArrayColumnChunkWriter:
		texts := slices.Clone(cells)
		for i, cell := range texts {
			if s, ok := cell.(string); ok {
				texts[i] = parquet.ByteArray(s)
			}
		}
		return writeBatch(to.WriteBatch, texts)
	}
	return fmt.Errorf("a column of %T", to)
}

// writeBatch writes the cells that are there, and which these are.
func writeBatch[T any](write func([]T, []int16, []int16) (int64, error), cells []any) error {
	var values []T
	levels := make([]int16, len(cells))
	for i, cell := range cells {
		if cell != nil {
			values, levels[i] = append(values, cell.(T)), 1
		}
	}
	_, err := write(values, levels, nil)
	return err
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	must.Do(os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(os.WriteFile(path, b, 0o666))
}

// written writes a file in a folder of its own, and returns its path.
func written(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, []byte(text))
	return path
}

// An outRow is a row of the output.
type outRow struct {
	key        any // int64, string or nil
	prediction any // string, float64 or nil
	proba      []any
	fault      any // string or nil
}

// readOutput reads the output folder with arrow-go alone.
func readOutput(t testing.TB, folder string) []outRow {
	t.Helper()
	paths := must.Value(filepath.Glob(filepath.Join(folder, "part-*.parquet")))
	var rows []outRow
	for _, path := range paths {
		r := must.Value(file.OpenParquetFile(path, false))
		columns := make([][]any, r.MetaData().Schema.NumColumns())
		for g := range r.NumRowGroups() {
			for c := range columns {
				column := must.Value(r.RowGroup(g).Column(c))
				columns[c] = append(columns[c], readCells(t, column, r.RowGroup(g).NumRows())...)
			}
		}
		r.Close()
		last := len(columns) - 1
		for i := range columns[0] {
			row := outRow{key: columns[0][i], prediction: columns[1][i], fault: columns[last][i]}
			for c := 2; c < last; c++ {
				row.proba = append(row.proba, columns[c][i])
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func readCells(t testing.TB, from file.ColumnChunkReader, n int64) []any {
	t.Helper()
	switch from := from.(type) {
	case *file.Int64ColumnChunkReader:
		return cellsOf(t, n, from.ReadBatch, func(v int64) any { return v })
	case *file.Float64ColumnChunkReader:
		return cellsOf(t, n, from.ReadBatch, func(v float64) any { return v })
	case *file.ByteArrayColumnChunkReader:
		return cellsOf(t, n, from.ReadBatch, func(v parquet.ByteArray) any { return string(v) })
	}
	t.Fatalf("a column of %T", from)
	return nil
}

func cellsOf[T any](t testing.TB, n int64, read func(int64, []T, []int16, []int16) (int64, int, error),
	value func(T) any) []any {
	t.Helper()
	var cells []any
	for int64(len(cells)) < n {
		values, levels := make([]T, n), make([]int16, n)
		total, _, err := read(n-int64(len(cells)), values, levels, nil)
		if err != nil || total == 0 {
			t.Fatalf("%d of %d cells, error %v", len(cells), n, err)
		}
		for _, level := range levels[:total] {
			if level == 0 {
				cells = append(cells, nil)
				continue
			}
			cells = append(cells, value(values[0]))
			values = values[1:]
		}
	}
	return cells
}

func fit(t testing.TB, l forest.Learner, d *datasets.Dataset) *forest.Forest {
	return must.Value(l.Fit(context.Background(), d))
}

// trunk returns a forest of features x1, x2, …, and rows that it wasn't trained on.
func trunk(t testing.TB, features, rows int) (*forest.Forest, *datasets.Dataset) {
	problem := sim.Trunk{Features: features}
	return fit(t, rf.Learner{Trees: 20, Seed: 1}, problem.Sample(500, 1)), problem.Sample(rows, 2)
}

// trunkModel returns a small forest of two features, x1 and x2.
func trunkModel(t testing.TB, seed uint64) *forest.Forest {
	return fit(t, rf.Learner{Trees: 2, Seed: seed}, sim.Trunk{Features: 2}.Sample(50, 1))
}

// predictHere is Predict with a worker.
func predictHere(t testing.TB, model *forest.Forest, from, to, key string, o Options) (Result, error) {
	return Predict(t.Context(), cluster.Local{Workers: 1}, model, from, to, key, o)
}

// columnsOf returns the key, which counts from first, and the features of some rows.
func columnsOf(d *datasets.Dataset, first, after int) []testColumn {
	key := testColumn{name: "id"}
	for i := first; i < after; i++ {
		key.cells = append(key.cells, int64(i))
	}
	columns := []testColumn{key}
	for j, f := range d.Features {
		c := testColumn{name: f.Name}
		for _, v := range d.Columns[j][first:after] {
			c.cells = append(c.cells, v)
		}
		columns = append(columns, c)
	}
	return columns
}

// csvOf returns the same rows as columnsOf as CSV.
func csvOf(d *datasets.Dataset, first, after int) []byte {
	var b bytes.Buffer
	b.WriteString("id")
	for _, f := range d.Features {
		b.WriteString("," + f.Name)
	}
	b.WriteByte('\n')
	for i := first; i < after; i++ {
		fmt.Fprint(&b, i)
		for j := range d.P() {
			b.WriteString("," + strconv.FormatFloat(float64(d.Columns[j][i]), 'g', -1, 32))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// 100,000 rows in many files, a worker killed while it works: each key is there once, in order,
// with the prediction that the whole table has.
func TestPredictWithAWorkerKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("finds processes in /proc")
	}
	const n, perFile = 100_000, 4000
	model, d := trunk(t, 6, n)
	for _, format := range []string{"parquet", "csv"} {
		in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
		for k := 0; k*perFile < n; k++ {
			name := filepath.Join(in, fmt.Sprintf("%03d.%s", k, format))
			lo, hi := k*perFile, (k+1)*perFile
			switch {
			case format == "parquet":
				writeParquet(t, name, 1500, columnsOf(d, lo, hi)...)
			case k%2 == 0:
				write(t, name, csvOf(d, lo, hi))
			default:
				write(t, name+".gz", readtest.Gzipped(t, csvOf(d, lo, hi)))
			}
		}
		killed := 0
		ctx := forest.WithProgress(t.Context(), func(done, total int) {
			if done == 3 {
				killed = killWorker(t)
			}
		})
		result := must.Value(Predict(ctx, cluster.Local{Workers: 2}, model, in, out, "id", Options{Probabilities: true}))
		if killed == 0 {
			t.Error("no worker was killed")
		}
		if want := (Result{n, 0, "", n / perFile}); result != want {
			t.Errorf("result %+v, want %+v", result, want)
		}
		checkOutput(t, out, format == "csv", model, d)
	}
}

// checkOutput compares the output folder with the predictions of the whole table.
func checkOutput(t *testing.T, folder string, text bool, model *forest.Forest, d *datasets.Dataset) {
	t.Helper()
	rows := readOutput(t, folder)
	if len(rows) != d.N() {
		t.Fatalf("%d rows, want %d", len(rows), d.N())
	}
	labels, proba := must.Value(model.Predict(t.Context(), d)), must.Value(model.Proba(t.Context(), d))
	for i, row := range rows {
		var key any = int64(i)
		if text {
			key = strconv.Itoa(i)
		}
		same := row.key == key && row.prediction == model.Classes[labels[i]] && row.fault == nil
		for c, p := range row.proba {
			same = same && p == proba[i][c]
		}
		if !same {
			t.Fatalf("row %d is %+v; want key %v, class %s, probabilities %v", i, row, key, model.Classes[labels[i]], proba[i])
		}
	}
}

// killWorker kills a child of this process and returns its number.
func killWorker(t *testing.T) int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Error(err)
	}
	for _, stat := range stats {
		b, err := os.ReadFile(stat)
		if err != nil {
			continue // gone
		}
		// pid (name) state parent …
		after := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if after[1] != strconv.Itoa(os.Getpid()) || after[0] == "Z" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if err != nil {
			t.Error(err)
		}
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			return pid
		}
	}
	return 0
}

// Categories in another spelling have the codes that datasets.CSV gives them, and new ones codes after those.
func TestCategoriesInOtherSpellings(t *testing.T) {
	features := []datasets.Feature{{Name: "member", Categories: []string{"FALSE", "TRUE"}},
		{Name: "code", Categories: []string{"1.0", "2.0"}}}
	for j, texts := range [][]string{{"true", "false", "TRUE", "perhaps", "1", "true"},
		{"2", "1", "1.0", "3", "02", "2"}} {
		var got reading
		newCoders(features)[j].read(&got, features[j].Name, len(texts), func(i int) (string, bool, error) {
			return texts[i], true, nil
		})
		csv := "a,y\n"
		for _, text := range texts {
			csv += text + ",p\n"
		}
		schema := &datasets.Schema{Features: []datasets.Feature{{Name: "a", Categories: features[j].Categories}}}
		like := must.Value(datasets.CSV{Like: schema}.Read(t.Context(), strings.NewReader(csv), "f"))
		want := [][]float32{{1, 0, 1, 2, 1, 1}, {1, 0, 0, 2, 1, 1}}[j]
		if !slices.Equal(got.cells, want) || !slices.Equal(like.Columns[0], want) {
			t.Errorf("%q: codes %v, from CSV %v; want %v", texts, got.cells, like.Columns[0], want)
		}
		if n := len(got.categories); n != 3 || got.categories[2] != texts[3] {
			t.Errorf("categories %q", got.categories)
		}
	}
}
