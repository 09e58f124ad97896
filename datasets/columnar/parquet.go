package columnar

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/filekind"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Rows that are decoded at a time. For texts they are more, because each piece comes with
// the whole dictionary.
const (
	numberRows = 1 << 16
	textRows   = 1 << 20
)

var errPacked = errors.New("this is packed by gzip: unpack it")

// openParquet checks a file's metadata and opens it.
func openParquet(f *os.File, size int64, limits datasets.Limits) (*Parquet, error) {
	head := make([]byte, min(size, filekind.Head))
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, err
	}
	switch is := filekind.Of(head); {
	case size == 0:
		return nil, errors.New("the file is empty")
	case bytes.HasPrefix(head, []byte("PAR")): // PARE if it is encrypted
	case bytes.HasPrefix(head, []byte(filekind.Gzip)):
		return nil, errPacked
	case is != "":
		return nil, fmt.Errorf("this is %s", is)
	default:
		return nil, errors.New("it doesn't begin as a Parquet file does; if it is text, use datasets.ReadCSV")
	}
	if err := checkFooter(f, size); err != nil {
		return nil, err
	}
	limit := limitTo(limits)
	props := parquet.NewReaderProperties(limit)
	props.BufferedStreamEnabled = true
	props.BufferSize = 1 << 18
	props.MaxCompressedPageSize = size
	props.MaxUncompressedPageSize = limit.most
	r, err := file.NewParquetReader(f, file.WithReadProps(props))
	if err != nil {
		return nil, err
	}
	return &Parquet{Reader: r, memory: limit}, nil
}

// readParquet reads a file column by column. It decodes in goroutines of its own, not of
// arrow-go, so that panics reach readFile.
func (t *table) readParquet(f *os.File, size int64) error {
	r, err := openParquet(f, size, t.Limits)
	if err != nil {
		return err
	}
	meta := r.MetaData()
	fields := parquetFields(meta)
	if description := meta.KeyValueMetadata().FindValue("pandas"); description != nil {
		t.pandas(*description)
	}
	if err := t.open(fields); err != nil {
		return err
	}
	if err := t.checkRows(meta.GetNumRows()); err != nil {
		return err
	}
	t.rows = int(meta.GetNumRows())
	return parallel.Errors(len(t.columns), func(j int) error {
		c := &t.columns[j]
		if c.role == dropped {
			return nil
		}
		// In most files a cell takes at least a byte; memory for more rows than that is
		// made when they are read.
		c.grow(int(min(int64(t.rows), size)))
		rows, err := r.read(t.ctx, c)
		if err != nil {
			return c.wrap(err)
		}
		if rows != t.rows {
			return c.wrap(errDamaged("%d rows of %d", rows, t.rows))
		}
		return nil
	})
}

const nested = "nested (a list, struct or map)"

// parquetFields returns the columns of the table, which are the fields at the root.
func parquetFields(meta *metadata.FileMetaData) []field {
	root := meta.Schema.Root()
	fields := make([]field, root.NumFields())
	for j := range fields {
		node := root.Field(j)
		f := field{name: node.Name(), leaf: meta.Schema.ColumnIndexByNode(node), typeName: nested}
		primitive, ok := node.(*schema.PrimitiveNode)
		if ok && node.RepetitionType() != parquet.Repetitions.Repeated {
			f.typ = parquetType(primitive)
			f.typeName = typeName(primitive)
			f.perDay, f.clock = parquetDays(primitive.LogicalType())
		}
		fields[j] = f
	}
	original := arrowSchema(meta)
	if original == nil || original.NumFields() != len(fields) {
		return fields
	}
	for j, f := range original.Fields() {
		fields[j].restore(f)
	}
	return fields
}

func typeName(node *schema.PrimitiveNode) string {
	if logical := node.LogicalType(); logical != nil && !logical.IsNone() {
		return fmt.Sprintf("%s (%s)", node.PhysicalType(), logical)
	}
	return node.PhysicalType().String()
}

// restore corrects a field by the Arrow schema that the file was written from, since
// Parquet has no types for dictionaries and durations.
func (f *field) restore(original arrow.Field) {
	if f.name != original.Name {
		return
	}
	switch to := original.Type.(type) {
	case *arrow.DictionaryType:
		if k := kindOf(f.typ); k != other {
			f.dictionary = true
			f.listed = k == text
			f.ordered = k == text && to.Ordered
		}
	case *arrow.DurationType:
		f.typ, f.typeName = nil, to.String()
	}
}

// arrowSchema returns the schema that Arrow's writers leave in a Parquet file, nil if
// there is none.
func arrowSchema(meta *metadata.FileMetaData) *arrow.Schema {
	value := meta.KeyValueMetadata().FindValue("ARROW:schema")
	if value == nil {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(*value)
	if err != nil {
		return nil
	}
	size := int64(len(b))
	m := &messages{in: bytes.NewReader(b), left: size, memory: &budget{Allocator: limitTo(datasets.Limits{}.Of(size))}}
	r, err := ipc.NewReaderFromMessageReader(m)
	if err != nil {
		return nil
	}
	return r.Schema()
}

// plainTypes are the types of the arrays of columns that have no logical type.
var plainTypes = map[parquet.Type]arrow.DataType{
	parquet.Types.Boolean:   arrow.FixedWidthTypes.Boolean,
	parquet.Types.Int32:     arrow.PrimitiveTypes.Int32,
	parquet.Types.Int64:     arrow.PrimitiveTypes.Int64,
	parquet.Types.Float:     arrow.PrimitiveTypes.Float32,
	parquet.Types.Double:    arrow.PrimitiveTypes.Float64,
	parquet.Types.ByteArray: textDictionary,
}

// parquetType returns the type of the arrays that a column is read into, or nil if its
// cells are neither numbers nor text.
func parquetType(node *schema.PrimitiveNode) arrow.DataType {
	physical := node.PhysicalType()
	switch logical := node.LogicalType().(type) {
	case nil, schema.NoLogicalType, schema.UnknownLogicalType, schema.NullLogicalType:
		return plainTypes[physical]
	case schema.IntLogicalType:
		switch {
		case physical != parquet.Types.Int32 && physical != parquet.Types.Int64:
		case logical.IsSigned():
			return plainTypes[physical]
		case physical == parquet.Types.Int32:
			return arrow.PrimitiveTypes.Uint32
		default:
			return arrow.PrimitiveTypes.Uint64
		}
	case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
		if physical == parquet.Types.ByteArray {
			return textDictionary
		}
	case schema.Float16LogicalType:
		if physical == parquet.Types.FixedLenByteArray && node.TypeLength() == 2 {
			return arrow.FixedWidthTypes.Float16
		}
	case schema.DecimalLogicalType:
		return decimalType(physical, logical)
	case schema.DateLogicalType, schema.TimestampLogicalType:
		if perDay, _ := parquetDays(logical); perDay != 0 {
			return plainTypes[physical]
		}
	}
	return nil
}

// parquetDays is daysOf for a logical type of Parquet.
func parquetDays(logical schema.LogicalType) (perDay float64, clock bool) {
	switch logical := logical.(type) {
	case schema.DateLogicalType:
		return daysOf(arrow.FixedWidthTypes.Date32)
	case schema.TimestampLogicalType:
		switch logical.TimeUnit() {
		case schema.TimeUnitMillis:
			return daysOf(arrow.FixedWidthTypes.Timestamp_ms)
		case schema.TimeUnitMicros:
			return daysOf(arrow.FixedWidthTypes.Timestamp_us)
		case schema.TimeUnitNanos:
			return daysOf(arrow.FixedWidthTypes.Timestamp_ns)
		}
	}
	return 0, false
}

// textDictionary is the type of the decoder's arrays of text. Its indices have 32 bits,
// since a row group may have any number of entries.
var textDictionary = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.Binary}

func decimalType(physical parquet.Type, logical schema.DecimalLogicalType) arrow.DataType {
	switch physical {
	case parquet.Types.Int32:
		return &arrow.Decimal32Type{Precision: logical.Precision(), Scale: logical.Scale()}
	case parquet.Types.Int64:
		return &arrow.Decimal64Type{Precision: logical.Precision(), Scale: logical.Scale()}
	case parquet.Types.FixedLenByteArray, parquet.Types.ByteArray:
		return &arrow.Decimal256Type{Precision: logical.Precision(), Scale: logical.Scale()}
	}
	return nil
}

// read reads a column through all row groups and returns the number of rows.
func (p *Parquet) read(ctx context.Context, c *column) (rows int, err error) {
	cells, err := p.cells(c.field)
	if err != nil {
		return 0, err
	}
	piece := int64(numberRows)
	if c.kind() == text {
		piece = textRows
	}
	for {
		chunks, err := cells.next(piece)
		if err != nil || len(chunks) == 0 {
			return rows, err
		}
		for _, a := range chunks {
			if err := c.append(ctx, a, rows); err != nil {
				return rows, err
			}
			rows += a.Len()
		}
	}
}

// A cellReader reads a column in pieces.
type cellReader struct {
	*Parquet
	field
	records file.RecordReaderWithError
	first   int   // row group
	groups  int   // the next row group
	left    int64 // rows of the last one
}

func (p *Parquet) cells(f field) (*cellReader, error) {
	descr := p.MetaData().Schema.Column(f.leaf)
	info := file.LevelInfo{NullSlotUsage: 1, DefLevel: descr.MaxDefinitionLevel()}
	typ := f.typ
	if kindOf(typ) != text && descr.PhysicalType() == parquet.Types.ByteArray {
		typ = arrow.BinaryTypes.Binary // decimals
	}
	records, ok := file.NewRecordReader(descr, info, typ, p.memory, p.BufferPool()).(file.RecordReaderWithError)
	if !ok {
		return nil, fmt.Errorf("%s can't be read", f.typeName)
	}
	return &cellReader{Parquet: p, field: f, records: records}, nil
}

// next returns the next rows, at most n and all from one row group, as arrays. It returns none
// at the end.
func (c *cellReader) next(n int64) ([]arrow.Array, error) {
	for c.left == 0 {
		if err := c.ended(); err != nil {
			return nil, err
		}
		if c.groups == c.NumRowGroups() {
			return nil, nil
		}
		group := c.RowGroup(c.groups)
		pages, err := group.GetColumnPageReader(c.leaf)
		if err != nil {
			return nil, err
		}
		if err := c.records.SetPageReaderWithError(pages); err != nil {
			return nil, err
		}
		c.groups, c.left = c.groups+1, group.NumRows()
	}
	c.records.Reset()
	n = min(n, c.left)
	got, err := c.records.ReadRecords(n)
	if err != nil {
		return nil, err
	}
	if got != n {
		return nil, errDamaged("row group %d lacks %d of its rows", c.groups-1, c.left-got)
	}
	c.left -= n
	return c.arrays(c.typ, c.records)
}

// ended returns an error if the last row group has more rows than it says.
func (c *cellReader) ended() error {
	if c.groups == c.first {
		return nil
	}
	c.records.Reset()
	more, err := c.records.ReadRecords(1)
	if err == nil && more > 0 {
		err = errDamaged("row group %d has more rows than the file says", c.groups-1)
	}
	return err
}

// arrays returns the decoded records as arrays.
func (p *Parquet) arrays(typ arrow.DataType, records file.RecordReader) ([]arrow.Array, error) {
	if binary, ok := records.(file.BinaryRecordReader); ok {
		chunks := binary.GetBuilderChunks()
		for i, a := range chunks {
			var err error
			switch typ := typ.(type) {
			case *arrow.Float16Type:
				d := a.Data()
				a = array.NewFloat16Data(array.NewData(typ, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset()))
			case *arrow.Decimal256Type:
				a, err = p.decimals(typ, a)
			}
			if err != nil {
				return nil, err
			}
			chunks[i] = a
		}
		return chunks, nil
	}
	valid := records.ReleaseValidBits()
	var values *memory.Buffer
	if bits, ok := records.(file.BooleanRecordReader); ok && typ.ID() == arrow.BOOL {
		values = bits.ReleaseValueBitmap()
	} else {
		values = records.ReleaseValues()
	}
	data := array.NewData(typ, records.ValuesWritten(), []*memory.Buffer{valid, values}, nil, int(records.NullCount()), 0)
	return []arrow.Array{array.MakeFromData(data)}, nil
}

// decimals converts big-endian numbers in two's complement to decimals.
func (p *Parquet) decimals(typ *arrow.Decimal256Type, a arrow.Array) (arrow.Array, error) {
	var at func(int) []byte
	switch a := a.(type) {
	case *array.FixedSizeBinary:
		at = a.Value
	case *array.Binary:
		at = a.Value
	default:
		return nil, fmt.Errorf("decimals in an array of %s", a.DataType())
	}
	to := array.NewDecimal256Builder(p.memory, typ)
	for i := range a.Len() {
		if a.IsNull(i) {
			to.AppendNull()
			continue
		}
		digits := at(i)
		if len(digits) > 32 {
			return nil, fmt.Errorf("a decimal of %d bytes; at most 32 can be read", len(digits))
		}
		to.Append(bigEndian(digits))
	}
	return to.NewArray(), nil
}

// bigEndian returns the number of at most 32 bytes in two's complement.
func bigEndian(b []byte) decimal256.Num {
	var full [32]byte
	if len(b) > 0 && b[0] >= 0x80 {
		copy(full[:], bytes.Repeat([]byte{0xff}, len(full)))
	}
	copy(full[len(full)-len(b):], b)
	word := func(k int) uint64 { return binary.BigEndian.Uint64(full[8*k:]) }
	return decimal256.New(word(0), word(1), word(2), word(3))
}
