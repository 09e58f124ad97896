package columnar_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// columnsOf returns the columns of a data set with its target, as float32s or texts, and
// which cells are not missing.
func columnsOf(d *datasets.Dataset) (names []string, columns []any, valid [][]bool) {
	texts := func(categories []string, code func(i int) float32) {
		column, ok := make([]string, d.N()), make([]bool, d.N())
		for i := range column {
			if v := code(i); v == v {
				column[i], ok[i] = categories[int(v)], true
			}
		}
		columns, valid = append(columns, column), append(valid, ok)
	}
	for j, f := range d.Features {
		names = append(names, f.Name)
		if f.Categories != nil {
			texts(f.Categories, func(i int) float32 { return d.At(i, j) })
			continue
		}
		ok := make([]bool, d.N())
		for i := range ok {
			ok[i] = d.At(i, j) == d.At(i, j)
		}
		columns, valid = append(columns, d.Column(nil, j)), append(valid, ok)
	}
	names = append(names, d.Target)
	if d.Values != nil {
		return names, append(columns, d.Values), append(valid, slices.Repeat([]bool{true}, d.N()))
	}
	texts(d.Classes, func(i int) float32 { return float32(d.Labels[i]) })
	return names, columns, valid
}

// writeArrow writes an Arrow file with batches of 1000 rows.
func writeArrow(path string, d *datasets.Dataset) {
	names, columns, valid := columnsOf(d)
	var fields []arrow.Field
	for j, column := range columns {
		kind := arrow.PrimitiveTypes.Float32
		switch column.(type) {
		case []float64:
			kind = arrow.PrimitiveTypes.Float64
		case []string:
			kind = arrow.BinaryTypes.String
		}
		fields = append(fields, arrow.Field{Name: names[j], Type: kind, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	f := must.Value(os.Create(path))
	w := must.Value(ipc.NewFileWriter(f, ipc.WithSchema(b.Schema()), ipc.WithLZ4()))
	for from := 0; from < d.N(); from += 1000 {
		to := min(from+1000, d.N())
		for j, column := range columns {
			switch column := column.(type) {
			case []float32:
				b.Field(j).(*array.Float32Builder).AppendValues(column[from:to], valid[j][from:to])
			case []float64:
				b.Field(j).(*array.Float64Builder).AppendValues(column[from:to], valid[j][from:to])
			case []string:
				b.Field(j).(*array.StringBuilder).AppendValues(column[from:to], valid[j][from:to])
			}
		}
		must.Do(w.Write(b.NewRecordBatch()))
	}
	must.Do(errors.Join(w.Close(), f.Close()))
}

// writeParquet writes a Parquet file with row groups of the given size.
func writeParquet(path string, d *datasets.Dataset, rows int) {
	names, columns, valid := columnsOf(d)
	var nodes schema.FieldList
	for j, column := range columns {
		optional := parquet.Repetitions.Optional
		switch column.(type) {
		case []float32:
			nodes = append(nodes, schema.NewFloat32Node(names[j], optional, -1))
		case []float64:
			nodes = append(nodes, schema.NewFloat64Node(names[j], optional, -1))
		case []string:
			nodes = append(nodes, schema.NewByteArrayNode(names[j], optional, -1))
		}
	}
	root := must.Value(schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1))
	w := file.NewParquetWriter(must.Value(os.Create(path)), root,
		file.WithWriterProps(parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))))
	for from := 0; from < d.N(); from += rows {
		to := min(from+rows, d.N())
		group := w.AppendRowGroup()
		for j, column := range columns {
			must.Do(writeColumn(must.Value(group.NextColumn()), column, valid[j], from, to))
		}
		must.Do(group.Close())
	}
	must.Do(w.Close()) // closes the file, too
}

// writeColumn writes rows from … to−1 of a column: the levels of all, the cells of those
// that are there.
func writeColumn(c file.ColumnChunkWriter, column any, valid []bool, from, to int) (err error) {
	var levels []int16
	var float32s []float32
	var float64s []float64
	var texts []parquet.ByteArray
	for i := from; i < to; i++ {
		if !valid[i] {
			levels = append(levels, 0)
			continue
		}
		levels = append(levels, 1)
		switch column := column.(type) {
		case []float32:
			float32s = append(float32s, column[i])
		case []float64:
			float64s = append(float64s, column[i])
		case []string:
			texts = append(texts, parquet.ByteArray(column[i]))
		}
	}
	switch c := c.(type) {
	case *file.Float32ColumnChunkWriter:
		_, err = c.WriteBatch(float32s, levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = c.WriteBatch(float64s, levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = c.WriteBatch(texts, levels, nil)
	}
	return errors.Join(err, c.Close())
}

// Real sets, written by arrow-go from what ReadCSV reads, are the same when read again.
func TestRealSets(t *testing.T) {
	folder := readtest.DataDir(t)
	for _, set := range []struct {
		name       string
		regression bool
	}{{"adult", false}, {"letter", false}, {"credit-approval", false}, {"mushroom", false}, {"arrhythmia",
		false}, {"ailerons", true}} {
		path := filepath.Join(folder, "csv", set.name+".csv.gz")
		want := must.Value(datasets.ReadCSV(t.Context(), path, datasets.CSV{Regression: set.regression}))
		dir := t.TempDir()
		files := []string{filepath.Join(dir, set.name+".parquet"), filepath.Join(dir, set.name+".arrow")}
		writeParquet(files[0], want, 700)
		writeArrow(files[1], want)
		for _, path := range files {
			for _, o := range []columnar.Options{{}, {Like: want.Schema()}} {
				got := must.Value(read(path, o))
				if err := same(got, want); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
	}
}

// sameCells compares the bits of cells, NaN being equal to NaN.
func sameCells(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(a, b float32) bool {
		return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
	})
}

func same(got, want *datasets.Dataset) error {
	if got.Name != want.Name || got.Target != want.Target || !slices.Equal(got.Classes, want.Classes) ||
		!slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Values, want.Values) || got.P() != want.P() {
		return errors.New("the name, the target or the number of columns differ")
	}
	for j, f := range want.Features {
		if g := got.Features[j]; g.Name != f.Name || !slices.Equal(g.Categories, f.Categories) ||
			(g.Categories == nil) != (f.Categories == nil) {
			return fmt.Errorf("column %q is %q", f, g)
		}
		if !sameCells(got.Columns[j], want.Columns[j]) {
			return fmt.Errorf("the cells of column %q differ", f.Name)
		}
	}
	return nil
}

// The same table of 300,000 rows, 20 features and a class, in two formats.
func BenchmarkRead(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	d := &datasets.Dataset{Target: "class", Classes: []string{"a", "b", "c"}}
	const n = 300_000
	for j := range 20 {
		column := make([]float32, n)
		for i := range column {
			column[i] = float32(rng.NormFloat64())
		}
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j)})
		d.Columns = append(d.Columns, column)
	}
	for range n {
		d.Labels = append(d.Labels, rng.Int32N(3))
	}
	files := []string{filepath.Join(b.TempDir(), "a.parquet"), filepath.Join(b.TempDir(), "a.arrow")}
	writeParquet(files[0], d, 100_000)
	writeArrow(files[1], d)
	for _, path := range files {
		b.Run(filepath.Ext(path), func(b *testing.B) {
			b.SetBytes(must.Value(os.Stat(path)).Size())
			b.ReportAllocs()
			for b.Loop() {
				must.Value(read(path, columnar.Options{}))
			}
		})
	}
}
