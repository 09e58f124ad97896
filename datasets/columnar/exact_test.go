package columnar_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Long numbers keep their digits, from the first batch on or from a later one.
func TestLongNumbers(t *testing.T) {
	const n = 300
	for name, number := range map[string]func(i int) int64{
		"keys":         func(i int) int64 { return 1_000_000_000_000 + int64(i) },
		"long later":   func(i int) int64 { return 1<<24 - n + int64(2*i) + 1 },
		"milliseconds": func(i int) int64 { return 1_700_000_000_000 + int64(i*i) },
	} {
		for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64} {
			if name == "long later" && typ == arrow.PrimitiveTypes.Float64 {
				continue // only the first rows of floats are looked at
			}
			schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ}, {Name: "y", Type: arrow.BinaryTypes.String}}, nil)
			var batches []arrow.RecordBatch
			for from := 0; from < n; from += 100 {
				b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
				for i := from; i < from+100; i++ {
					switch x := b.Field(0).(type) {
					case *array.Int64Builder:
						x.Append(number(i))
					case *array.Float64Builder:
						x.Append(float64(number(i)))
					}
					b.Field(1).(*array.StringBuilder).Append(fmt.Sprint(i % 2))
				}
				batches = append(batches, b.NewRecordBatch())
			}
			read := func(o columnar.Options) *datasets.Dataset {
				return must.Value(readBatches(o, batches...))
			}
			d := read(columnar.Options{})
			like := read(columnar.Options{Like: d.Schema()})
			for i, cell := range d.Columns[0] {
				if got := d.Features[0].Scale.Value(cell); got != float64(number(i)) || like.Columns[0][i] != cell {
					t.Errorf("%s as %s: row %d is %v, by the schema %v; want %v", name, typ, i, got, like.Columns[0][i], number(i))
					break
				}
			}
			if len(d.Notes) != 1 {
				t.Errorf("%s as %s: notes %q", name, typ, d.Notes)
			}
		}
	}
}

// A column that pandas' description calls an index is neither a feature nor the target.
func TestNamedIndex(t *testing.T) {
	metadata := arrow.NewMetadata([]string{"pandas"}, []string{`{"index_columns": ["id"], "columns": []}`})
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64},
		{Name: "y", Type: arrow.BinaryTypes.String}, {Name: "id", Type: arrow.PrimitiveTypes.Int64}}, &metadata)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range 5 {
		b.Field(0).(*array.Int64Builder).Append(int64(i * i))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint(i % 2))
		b.Field(2).(*array.Int64Builder).Append(int64(7 * i % 5))
	}
	d := must.Value(readBatches(columnar.Options{}, b.NewRecordBatch()))
	if d.Target != "y" || d.P() != 1 || len(d.Notes) != 1 {
		t.Errorf("%+v", d)
	}
}
