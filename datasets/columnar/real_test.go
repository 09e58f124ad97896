package columnar_test

import (
	"errors"
	"fmt"
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

// batchesOf returns the columns of a data set with its target, as numbers or texts, in batches of so many rows.
func batchesOf(d *datasets.Dataset, rows int) []arrow.RecordBatch {
	columns := append(slices.Clone(d.Features), datasets.Feature{Name: d.Target, Categories: d.Classes})
	var fields []arrow.Field
	for j, f := range columns {
		kind := arrow.DataType(arrow.PrimitiveTypes.Float32)
		if f.Categories != nil {
			kind = text
		} else if j == d.P() {
			kind = floats
		}
		fields = append(fields, arrow.Field{Name: f.Name, Type: kind, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	var batches []arrow.RecordBatch
	for i := range d.N() {
		for j, f := range columns {
			var v float64
			switch {
			case j < d.P():
				v = float64(d.At(i, j))
			case d.Values != nil:
				v = d.Values[i]
			default:
				v = float64(d.Labels[i])
			}
			if v != v {
				b.Field(j).AppendNull()
				continue
			}
			switch cells := b.Field(j).(type) {
			case *array.StringBuilder:
				cells.Append(f.Categories[int(v)])
			case *array.Float32Builder:
				cells.Append(float32(v))
			case *array.Float64Builder:
				cells.Append(v)
			}
		}
		if (i+1)%rows == 0 || i+1 == d.N() {
			batches = append(batches, b.NewRecordBatch())
		}
	}
	return batches
}

// writeFile writes batches, as row groups of Parquet or as an Arrow file.
func writeFile(path string, batches []arrow.RecordBatch) {
	f := must.Value(os.Create(path))
	if filepath.Ext(path) == ".parquet" {
		writeParquet(f, batches)
		return
	}
	w := must.Value(ipc.NewFileWriter(f, ipc.WithSchema(batches[0].Schema()), ipc.WithLZ4()))
	for _, batch := range batches {
		must.Do(w.Write(batch))
	}
	must.Do(errors.Join(w.Close(), f.Close()))
}

func writeParquet(f *os.File, batches []arrow.RecordBatch) {
	types := map[arrow.DataType]parquet.Type{text: parquet.Types.ByteArray, floats: parquet.Types.Double,
		arrow.PrimitiveTypes.Float32: parquet.Types.Float}
	var nodes schema.FieldList
	for _, field := range batches[0].Schema().Fields() {
		nodes = append(nodes, must.Value(schema.NewPrimitiveNode(field.Name, parquet.Repetitions.Optional, types[field.Type],
			-1, -1)))
	}
	root := must.Value(schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1))
	w := file.NewParquetWriter(f, root,
		file.WithWriterProps(parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))))
	for _, batch := range batches {
		group := w.AppendRowGroup()
		for _, column := range batch.Columns() {
			must.Do(writeColumn(must.Value(group.NextColumn()), column))
		}
		must.Do(group.Close())
	}
	must.Do(w.Close()) // closes the file, too
}

// writeColumn writes the levels of all cells, and the cells that are there.
func writeColumn(c file.ColumnChunkWriter, column arrow.Array) error {
	levels := make([]int16, column.Len())
	for i := range levels {
		if column.IsValid(i) {
			levels[i] = 1
		}
	}
	there := column.NullBitmapBytes()
	switch cells := column.(type) {
	case *array.Float32:
		c.(*file.Float32ColumnChunkWriter).WriteBatchSpaced(cells.Values(), levels, nil, there, 0)
	case *array.Float64:
		c.(*file.Float64ColumnChunkWriter).WriteBatchSpaced(cells.Values(), levels, nil, there, 0)
	case *array.String:
		texts := make([]parquet.ByteArray, len(levels))
		for i := range texts {
			texts[i] = parquet.ByteArray(cells.Value(i))
		}
		c.(*file.ByteArrayColumnChunkWriter).WriteBatchSpaced(texts, levels, nil, there, 0)
	}
	return c.Close()
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
		for _, extension := range []string{".parquet", ".arrow"} {
			path := filepath.Join(dir, set.name+extension)
			writeFile(path, batchesOf(want, 700))
			for _, o := range []columnar.Options{{}, {Like: want.Schema()}} {
				got := must.Value(read(path, o))
				if shown(got) != shown(want) {
					t.Errorf("%s is another table than what was written", path)
				}
			}
		}
	}
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
	batches := batchesOf(d, 100_000)
	for _, extension := range []string{".parquet", ".arrow"} {
		path := filepath.Join(b.TempDir(), "a"+extension)
		writeFile(path, batches)
		b.Run(extension, func(b *testing.B) {
			b.SetBytes(must.Value(os.Stat(path)).Size())
			b.ReportAllocs()
			for b.Loop() {
				must.Value(read(path, columnar.Options{}))
			}
		})
	}
}
