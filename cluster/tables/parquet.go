package tables

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A parquetSource reads rows of a Parquet file.
type parquetSource struct {
	path     string
	features []datasets.Feature
	coders   []*coder
	file     *columnar.Parquet
	cells    []columnReader // by feature
	row      int64          // of the file, the next one
	after    int64          // the last
	keys     *keyReader
}

// A columnReader returns the next n cells of a column.
type columnReader = func(n int) ([]arrow.Array, error)

func (t shardTask) openParquet(features []datasets.Feature) (s *parquetSource, err error) {
	defer columnar.Damage(t.Input.Path, &err)
	f, err := columnar.OpenParquet(t.Input.Path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	leaf, err := keyColumn(f, t.Input.Path, t.Key)
	if err != nil {
		return nil, err
	}
	s = &parquetSource{path: t.Input.Path, features: features, coders: newCoders(features), file: f, row: t.Shard.First,
		after: t.Shard.After}
	s.cells = make([]columnReader, len(features))
	err = parallel.Errors(len(features), func(j int) (err error) {
		s.cells[j], err = f.Cells(features[j].Name, s.row)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.keys = &keyReader{file: f.Reader, leaf: leaf}
	return s, s.keys.copy(nil, s.row)
}

func (s *parquetSource) next(n int) (b *batch, err error) {
	defer columnar.Damage(s.path, &err)
	if n = int(min(int64(n), s.after-s.row)); n == 0 {
		return nil, io.EOF
	}
	b, err = newBatch(s.features, n, func(j int, to *reading) error {
		arrays, err := s.cells[j](n)
		if err != nil {
			return err
		}
		for _, a := range arrays {
			if err := s.read(j, to, a); err != nil {
				return fmt.Errorf("columnar: %s: column %q: %w", s.path, s.features[j].Name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	first := s.row
	b.where = func(i int) string { return fmt.Sprintf("row %d", first+int64(i)) }
	s.row += int64(n)
	return b, nil
}

var errInfinite = errors.New("the number is infinite or beyond float32")

// read appends the cells of an array to a column.
func (s *parquetSource) read(j int, to *reading, a arrow.Array) error {
	name := s.features[j].Name
	if s.coders[j] != nil {
		at, err := columnar.Texts(a)
		if err != nil {
			return err
		}
		s.coders[j].read(to, name, a.Len(), at)
		return nil
	}
	n := len(to.cells)
	var err error
	if to.cells, err = columnar.Numbers(to.cells, a); err != nil {
		return err
	}
	for i, v := range to.cells[n:] {
		if math.IsInf(float64(v), 0) {
			to.fail(n+i, name, errInfinite)
		}
	}
	return nil
}

func (s *parquetSource) key() schema.Node {
	return keyNode(s.file.MetaData().Schema.Column(s.keys.leaf))
}

func (s *parquetSource) close() { s.file.Close() }

func (s *parquetSource) copyKeys(to file.ColumnChunkWriter, n int) (err error) {
	defer columnar.Damage(s.path, &err)
	if err := s.keys.copy(to, int64(n)); err != nil {
		return fmt.Errorf("columnar: %s: the key: %w", s.path, err)
	}
	return nil
}

// keyColumn returns the number of the key's column, which may be of any type.
func keyColumn(f *columnar.Parquet, path, name string) (int, error) {
	j := slices.Index(f.Names, name)
	if j < 0 {
		_, err := f.IsText(name) // names the nearest
		return 0, err
	}
	node := f.MetaData().Schema.Root().Field(j)
	leaf := f.MetaData().Schema.ColumnIndexByNode(node)
	if leaf < 0 || node.RepetitionType() == parquet.Repetitions.Repeated {
		return 0, fmt.Errorf("columnar: %s: %w: column %q is nested (a list, struct or map)", path, datasets.ErrSchema, name)
	}
	return leaf, nil
}

// keyNode returns a column of the same name and type for another file.
func keyNode(c *schema.Column) schema.Node {
	from := c.SchemaNode().(*schema.PrimitiveNode)
	logical := from.LogicalType()
	if logical == nil || logical.IsNone() || !logical.IsValid() {
		return schema.MustPrimitive(schema.NewPrimitiveNode(from.Name(), from.RepetitionType(), from.PhysicalType(), -1,
			int32(from.TypeLength())))
	}
	return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(from.Name(), from.RepetitionType(), logical,
		from.PhysicalType(), from.TypeLength(), -1))
}

func textNode(name string) schema.Node {
	return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Optional,
		schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1))
}

// typeName returns a type in words. Columns of the same type have the same words.
func typeName(node schema.Node) string {
	n := node.(*schema.PrimitiveNode)
	name := n.PhysicalType().String()
	if n.PhysicalType() == parquet.Types.FixedLenByteArray {
		name = fmt.Sprintf("%s of %d bytes", name, n.TypeLength())
	}
	if logical := n.LogicalType(); logical != nil && !logical.IsNone() {
		name = fmt.Sprintf("%s (%s)", name, logical)
	}
	return name
}

// A keyReader copies a column without looking at its cells.
type keyReader struct {
	file  *file.Reader
	leaf  int
	group int   // the next row group
	left  int64 // rows of the last one
	chunk file.ColumnChunkReader
}

// copy copies the next n cells; it skips them if to is nil.
func (r *keyReader) copy(to file.ColumnChunkWriter, n int64) error {
	for n > 0 {
		if r.left == 0 {
			if r.group == r.file.NumRowGroups() {
				return errors.New("the file has fewer rows than it says")
			}
			group := r.file.RowGroup(r.group)
			if to == nil && n >= group.NumRows() {
				r.group++
				n -= group.NumRows()
				continue
			}
			var err error
			if r.chunk, err = group.Column(r.leaf); err != nil {
				return err
			}
			r.group, r.left = r.group+1, group.NumRows()
			continue
		}
		got, err := copiers[r.chunk.Type()](r.chunk, to, min(n, r.left, 1<<14))
		if err != nil {
			return err
		}
		if got == 0 {
			return fmt.Errorf("row group %d lacks %d of its rows", r.group-1, r.left)
		}
		n -= got
		r.left -= got
	}
	return nil
}

// copiers have a function that copies cells for each type of Parquet.
var copiers = map[parquet.Type]func(from file.ColumnChunkReader, to file.ColumnChunkWriter, n int64) (int64, error){
	parquet.Types.Boolean:           copyCells[bool],
	parquet.Types.Int32:             copyCells[int32],
	parquet.Types.Int64:             copyCells[int64],
	parquet.Types.Int96:             copyCells[parquet.Int96],
	parquet.Types.Float:             copyCells[float32],
	parquet.Types.Double:            copyCells[float64],
	parquet.Types.ByteArray:         copyCells[parquet.ByteArray],
	parquet.Types.FixedLenByteArray: copyCells[parquet.FixedLenByteArray],
}

type cellReader[T any] interface {
	ReadBatch(n int64, values []T, definition, repetition []int16) (total int64, read int, err error)
}

type cellWriter[T any] interface {
	WriteBatch(values []T, definition, repetition []int16) (int64, error)
}

// copyCells copies up to n cells; it skips them if to is nil. Cells that are null have no value.
func copyCells[T any](from file.ColumnChunkReader, to file.ColumnChunkWriter, n int64) (int64, error) {
	values, definition := make([]T, n), make([]int16, n)
	total, read, err := from.(cellReader[T]).ReadBatch(n, values, definition, nil)
	if err != nil || to == nil {
		return total, err
	}
	_, err = to.(cellWriter[T]).WriteBatch(values[:read], definition[:total], nil)
	return total, err
}
