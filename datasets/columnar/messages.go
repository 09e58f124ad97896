package columnar

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/obliqua-ml/obliqua/datasets"
)

// errDamaged returns the error for a file that violates its format.
func errDamaged(format string, args ...any) error {
	return fmt.Errorf("the file is damaged: "+format, args...)
}

// A limitedAllocator panics if a buffer is too large for the size of its file.
type limitedAllocator struct {
	memory.Allocator
	most int64 // bytes of a buffer
}

// limitTo returns an allocator for reading a file with the given limits.
func limitTo(limits datasets.Limits) limitedAllocator {
	return limitedAllocator{memory.NewGoAllocator(), limits.Unpacked}
}

func (l limitedAllocator) check(size int) {
	if size < 0 || int64(size) > l.most {
		panic("a buffer is too large for the size of the file; if it is right, raise Limits.Unpacked")
	}
}

func (l limitedAllocator) Allocate(size int) []byte {
	l.check(size)
	return l.Allocator.Allocate(size)
}

func (l limitedAllocator) Reallocate(size int, b []byte) []byte {
	l.check(size)
	return l.Allocator.Reallocate(size, b)
}

// A budget limits the total size of the buffers of one message, since all of them may be
// unpacked from the same bytes.
type budget struct {
	memory.Allocator
	used int
}

func (b *budget) spend(size int) {
	b.used += size
	b.Allocator.(limitedAllocator).check(b.used)
}

func (b *budget) Allocate(size int) []byte {
	b.spend(size)
	return b.Allocator.Allocate(size)
}

func (b *budget) Reallocate(size int, from []byte) []byte {
	b.spend(size - len(from))
	return b.Allocator.Reallocate(size, from)
}

// messages reads the messages of an Arrow stream. It is an [ipc.MessageReader] that checks
// them first, since arrow-go allocates as much memory as they ask for.
type messages struct {
	in     io.Reader
	left   int64 // bytes
	open   bool  // the end of in is an end of the stream, too
	memory *budget
}

func (*messages) Retain()  {}
func (*messages) Release() {}

// Message returns the next message, io.EOF at the end.
func (m *messages) Message() (*ipc.Message, error) {
	m.memory.used = 0
	if m.open && m.left == 0 {
		return nil, io.EOF
	}
	length, err := m.word()
	if err == nil && length == -1 { // continuation marker, since Arrow 0.15
		length, err = m.word()
	}
	if err != nil {
		return nil, errDamaged("the stream has no end; it may be cut short")
	}
	if length == 0 {
		return nil, io.EOF
	}
	if length < 0 || int64(length) > m.left {
		return nil, errDamaged("a message of %d bytes where %d are left", length, m.left)
	}
	meta := make([]byte, length)
	if err := m.read(meta); err != nil {
		return nil, err
	}
	size, err := checkMessage(meta)
	if err != nil {
		return nil, err
	}
	if size < 0 || size > m.left {
		return nil, errDamaged("a message with %d bytes of data where %d are left", size, m.left)
	}
	body := memory.NewResizableBuffer(m.memory)
	body.Resize(int(size))
	if err := m.read(body.Bytes()); err != nil {
		return nil, err
	}
	return ipc.NewMessage(memory.NewBufferBytes(meta), body), nil
}

func (m *messages) word() (int32, error) {
	var b [4]byte
	err := m.read(b[:])
	return int32(binary.LittleEndian.Uint32(b[:])), err
}

func (m *messages) read(b []byte) error {
	n, err := io.ReadFull(m.in, b)
	m.left -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// A flatbuffer is a message to be checked against shapes. Since a table or a vector can be
// referred to many times, a small message can stand for a large one; left limits that.
type flatbuffer struct {
	b    []byte
	left int // bytes that may still be visited
}

// A member describes what a slot of a table holds.
type member struct {
	kind  memberKind
	shape string // of a table or of each table
	size  int    // bytes of an element
}

type memberKind uint8

const (
	scalar     memberKind = iota
	elements              // a vector of bytes, numbers or structs
	oneTable              // a table
	manyTables            // a vector of tables
	union                 // a table whose shape depends on the slot before
)

// shapes describes the tables of Arrow's Schema.fbs and Message.fbs that refer to others.
var shapes = map[string][]member{
	"Message": {{}, {}, {kind: union, shape: "MessageHeader"}, {}, {kind: manyTables, shape: "KeyValue"}},
	"MessageHeader 1": {
		{},
		{kind: manyTables, shape: "Field"},
		{kind: manyTables, shape: "KeyValue"},
		{kind: elements, size: 8},
	}, // Schema
	"MessageHeader 2": {
		{},
		{kind: oneTable, shape: "MessageHeader 3"},
	}, // DictionaryBatch
	"MessageHeader 3": {
		{},
		{kind: elements, size: 16},
		{kind: elements, size: 16},
		{kind: oneTable},
		{kind: elements, size: 8},
	}, // RecordBatch
	"Field": {
		{kind: elements, size: 1},
		{},
		{},
		{kind: union, shape: "Type"},
		{kind: oneTable, shape: "DictionaryEncoding"},
		{kind: manyTables, shape: "Field"},
		{kind: manyTables, shape: "KeyValue"},
	},
	"Type 10":            {{}, {kind: elements, size: 1}}, // Timestamp
	"Type 14":            {{}, {kind: elements, size: 4}}, // Union
	"DictionaryEncoding": {{}, {kind: oneTable}},
	"KeyValue":           {{kind: elements, size: 1}, {kind: elements, size: 1}},
}

// checkMessage checks a message and returns the number of bytes that follow it.
func checkMessage(b []byte) (body int64, err error) {
	defer func() {
		if recover() != nil { // an index that is out of range
			err = errDamaged("a message refers to what isn't there")
		}
	}()
	f := &flatbuffer{b: b, left: 8*len(b) + 1024}
	message := f.refer(0)
	if err := f.check(message, "Message", 0); err != nil {
		return 0, err
	}
	if at := f.slot(message, 3); at != 0 {
		body = int64(binary.LittleEndian.Uint64(b[at:]))
	}
	header := f.slot(message, 2)
	if header == 0 {
		return 0, errDamaged("a message without a header")
	}
	at := f.refer(header)
	switch kind := b[f.slot(message, 1)]; kind {
	case 2:
		if data := f.slot(at, 1); data != 0 {
			return body, f.checkBatch(f.refer(data))
		}
	case 3:
		return body, f.checkBatch(at)
	}
	return body, nil
}

// checkBatch returns an error if a column of views claims more buffers than there are.
func (f *flatbuffer) checkBatch(at int) error {
	buffers, views := f.slot(at, 2), f.slot(at, 4)
	if views == 0 {
		return nil
	}
	most := int64(0)
	if buffers != 0 {
		most = int64(f.word(f.refer(buffers)))
	}
	from := f.refer(views)
	for i := range f.word(from) {
		n := int64(binary.LittleEndian.Uint64(f.b[from+4+8*i:]))
		if n < 0 || n > most {
			return errDamaged("a column of %d buffers where there are %d", n, most)
		}
	}
	return nil
}

func (f *flatbuffer) word(at int) int  { return int(binary.LittleEndian.Uint32(f.b[at:])) }
func (f *flatbuffer) refer(at int) int { return at + f.word(at) }

// slot returns the position of a member of the table at position table, 0 if it is absent.
func (f *flatbuffer) slot(table, slot int) int {
	slots := table - int(int32(f.word(table)))
	if 4+2*slot >= int(binary.LittleEndian.Uint16(f.b[slots:])) {
		return 0
	}
	if at := int(binary.LittleEndian.Uint16(f.b[slots+4+2*slot:])); at != 0 {
		return table + at
	}
	return 0
}

// maxDepth is the most levels of nested tables; Arrow allows columns of 64 levels.
const maxDepth = 200

func (f *flatbuffer) visit(bytes int) error {
	if f.left -= bytes; f.left < 0 {
		return errDamaged("a message is larger than its bytes")
	}
	return nil
}

// check checks a table and everything it refers to.
func (f *flatbuffer) check(table int, shape string, depth int) error {
	if depth > maxDepth {
		return errDamaged("a message of more than %d levels", maxDepth)
	}
	if err := f.visit(8); err != nil {
		return err
	}
	for i, m := range shapes[shape] {
		at := f.slot(table, i)
		if at == 0 || m.kind == scalar {
			continue
		}
		to := f.refer(at)
		var err error
		switch m.kind {
		case elements:
			err = f.visit(4 + m.size*f.word(to))
		case oneTable:
			err = f.check(to, m.shape, depth+1)
		case union:
			kind := 0
			if at := f.slot(table, i-1); at != 0 {
				kind = int(f.b[at])
			}
			err = f.check(to, fmt.Sprint(m.shape, " ", kind), depth+1)
		case manyTables:
			n := f.word(to)
			err = f.visit(4 + 4*n)
			for k := 0; k < n && err == nil; k++ {
				err = f.check(f.refer(to+4+4*k), m.shape, depth+1)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var _ ipc.MessageReader = (*messages)(nil)
