package tables

import (
	"errors"
	"fmt"
	"io"
	"math"

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
	cells    []*columnar.Cells // by feature
	row      int64             // of the file, the next one
	after    int64             // the last
	keys     *keyReader
}

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
	leaf, err := f.Leaf(t.Key)
	if err != nil {
		return nil, err
	}
	s = &parquetSource{path: t.Input.Path, features: features, coders: newCoders(features), file: f, row: t.Shard.First,
		after: t.Shard.After}
	group, skip := 0, s.row
	for ; skip > 0 && skip >= f.Reader.MetaData().RowGroup(group).NumRows(); group++ {
		skip -= f.Reader.MetaData().RowGroup(group).NumRows()
	}
	s.cells = make([]*columnar.Cells, len(features))
	err = parallel.Errors(len(features), func(j int) (err error) {
		if s.cells[j], err = f.Cells(features[j].Name, group); err != nil {
			return err
		}
		return skipCells(s.cells[j], skip)
	})
	if err != nil {
		return nil, err
	}
	s.keys = &keyReader{file: f.Reader, leaf: leaf, group: group}
	return s, s.keys.copy(nil, skip)
}

func skipCells(c *columnar.Cells, rows int64) error {
	const piece = 1 << 16
	for ; rows > 0; rows -= piece {
		if _, err := c.Next(int(min(rows, piece))); err != nil {
			return err
		}
	}
	return nil
}

func (s *parquetSource) next(n int) (b *batch, err error) {
	defer columnar.Damage(s.path, &err)
	if n = int(min(int64(n), s.after-s.row)); n == 0 {
		return nil, io.EOF
	}
	b, err = newBatch(s.features, n, func(j int, to *reading) error {
		arrays, err := s.cells[j].Next(n)
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
			var err error
			if r.chunk, err = group.Column(r.leaf); err != nil {
				return err
			}
			r.group, r.left = r.group+1, group.NumRows()
			continue
		}
		got, err := copyCells(r.chunk, to, min(n, r.left, 1<<14))
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

func copyCells(from file.ColumnChunkReader, to file.ColumnChunkWriter, n int64) (int64, error) {
	switch from := from.(type) {
	case *file.BooleanColumnChunkReader:
		w, _ := to.(*file.BooleanColumnChunkWriter)
		return copyTyped[bool](from, w, w != nil, n)
	case *file.Int32ColumnChunkReader:
		w, _ := to.(*file.Int32ColumnChunkWriter)
		return copyTyped[int32](from, w, w != nil, n)
	case *file.Int64ColumnChunkReader:
		w, _ := to.(*file.Int64ColumnChunkWriter)
		return copyTyped[int64](from, w, w != nil, n)
	case *file.Int96ColumnChunkReader:
		w, _ := to.(*file.Int96ColumnChunkWriter)
		return copyTyped[parquet.Int96](from, w, w != nil, n)
	case *file.Float32ColumnChunkReader:
		w, _ := to.(*file.Float32ColumnChunkWriter)
		return copyTyped[float32](from, w, w != nil, n)
	case *file.Float64ColumnChunkReader:
		w, _ := to.(*file.Float64ColumnChunkWriter)
		return copyTyped[float64](from, w, w != nil, n)
	case *file.ByteArrayColumnChunkReader:
		w, _ := to.(*file.ByteArrayColumnChunkWriter)
		return copyTyped[parquet.ByteArray](from, w, w != nil, n)
	case *file.FixedLenByteArrayColumnChunkReader:
		w, _ := to.(*file.FixedLenByteArrayColumnChunkWriter)
		return copyTyped[parquet.FixedLenByteArray](from, w, w != nil, n)
	}
	return 0, fmt.Errorf("a column of %T can't be copied", from)
}

type cellReader[T any] interface {
	ReadBatch(n int64, values []T, definition, repetition []int16) (total int64, read int, err error)
}

type cellWriter[T any] interface {
	WriteBatch(values []T, definition, repetition []int16) (int64, error)
}

// copyTyped copies up to n cells, or skips them. Cells that are null have no value.
func copyTyped[T any](from cellReader[T], to cellWriter[T], write bool, n int64) (int64, error) {
	values, definition := make([]T, n), make([]int16, n)
	total, read, err := from.ReadBatch(n, values, definition, nil)
	if err != nil || !write {
		return total, err
	}
	_, err = to.WriteBatch(values[:read], definition[:total], nil)
	return total, err
}
