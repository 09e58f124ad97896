package columnar_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
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

// Times that begin after thousands of missing or short numbers keep their digits, within a batch and in a later one.
func TestLongNumbersAfterOthers(t *testing.T) {
	const n, begin = 4000, 2000
	schema := arrow.NewSchema([]arrow.Field{{Name: "missing", Type: arrow.PrimitiveTypes.Float64},
		{Name: "short", Type: arrow.PrimitiveTypes.Float64},
		{Name: "decimal", Type: &arrow.Decimal64Type{Precision: 18, Scale: 2}}}, nil)
	for _, length := range []int{n, 1000} {
		var batches []arrow.RecordBatch
		for from := 0; from < n; from += length {
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for i := from; i < from+length; i++ {
				v, cents := float64(1_700_000_000_000+1000*i), decimal.Decimal64(1_700_000_000_000+i)
				if i < begin {
					v, cents = 0.5, 50
					b.Field(0).AppendNull()
				} else {
					b.Field(0).(*array.Float64Builder).Append(v)
				}
				b.Field(1).(*array.Float64Builder).Append(v)
				b.Field(2).(*array.Decimal64Builder).Append(cents)
			}
			batches = append(batches, b.NewRecordBatch())
		}
		d := must.Value(readBatches(columnar.Options{NoTarget: true}, batches...))
		for j, f := range d.Features {
			cells := map[float32]bool{}
			for i, cell := range d.Columns[j] {
				if cell == cell {
					cells[cell] = true
				} else if j > 0 || i >= begin {
					t.Fatalf("batches of %d, %q: row %d is missing", length, f.Name, i)
				}
			}
			want := n - begin
			if j > 0 {
				want++ // of the short number
			}
			if len(cells) != want {
				t.Errorf("batches of %d, %q: %d different cells; want %d", length, f.Name, len(cells), want)
			}
			last := f.Scale.Value(d.Columns[j][n-1])
			number := []float64{1_700_003_999_000, 1_700_003_999_000, 17_000_000_039.99}[j]
			if math.Abs(last-number) > 0.001 {
				t.Errorf("batches of %d, %q: the last number is %v; want %v", length, f.Name, last, number)
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
