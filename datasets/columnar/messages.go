package columnar

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"

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

// A checker compares a message with shapes. Since a table or a vector can be referred to many
// times, a small message can stand for a large one; left limits that.
type checker struct {
	left int // bytes that may still be visited
}

// shapes describes the tables of Arrow's Schema.fbs and Message.fbs that refer to others, slot by slot: "-" refers to
// nothing, "vector:8" to a vector of elements of 8 bytes, "table:X" to a table of shape X, "tables:X" to a vector of
// these, and "union:X" to a table whose shape is X and the number in the slot before.
var shapes = map[string]string{
	"Message":            "- - union:Header - tables:KeyValue",
	"Header1":            "- tables:Field tables:KeyValue vector:8",              // Schema
	"Header2":            "- table:Header3",                                      // DictionaryBatch
	"Header3":            "- vector:16 vector:16 table:BodyCompression vector:8", // RecordBatch
	"Field":              "vector:1 - - union:Type table:DictionaryEncoding tables:Field tables:KeyValue",
	"Type10":             "- vector:1", // Timestamp
	"Type14":             "- vector:4", // Union
	"DictionaryEncoding": "- table:Int",
	"KeyValue":           "vector:1 vector:1",
}

// checkMessage checks a message and returns the number of bytes that follow it.
func checkMessage(b []byte) (body int64, err error) {
	defer func() {
		if recover() != nil { // an index that is out of range
			err = errDamaged("a message refers to what isn't there")
		}
	}()
	c := &checker{8*len(b) + 1024}
	message := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	if err := c.check(message, "Message", 0); err != nil {
		return 0, err
	}
	body = message.GetInt64Slot(slot(3), 0)
	header, ok := child(message, 2)
	if !ok {
		return 0, errDamaged("a message without a header")
	}
	switch message.GetByteSlot(slot(1), 0) {
	case 2:
		if data, ok := child(header, 1); ok {
			return body, checkBatch(data)
		}
	case 3:
		return body, checkBatch(header)
	}
	return body, nil
}

// checkBatch returns an error if a column of views claims more buffers than there are.
func checkBatch(t flatbuffers.Table) error {
	buffers, views := flatbuffers.UOffsetT(t.Offset(slot(2))), flatbuffers.UOffsetT(t.Offset(slot(4)))
	if views == 0 {
		return nil
	}
	most := int64(0)
	if buffers != 0 {
		most = int64(t.VectorLen(buffers))
	}
	for i := range t.VectorLen(views) {
		if n := t.GetInt64(t.Vector(views) + flatbuffers.UOffsetT(8*i)); n < 0 || n > most {
			return errDamaged("a column of %d buffers where there are %d", n, most)
		}
	}
	return nil
}

// slot returns where a table's list of members has the k-th one.
func slot(k int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*k) }

// child returns the table that the k-th member refers to, if it is there.
func child(t flatbuffers.Table, k int) (to flatbuffers.Table, ok bool) {
	at := t.Offset(slot(k))
	if at != 0 {
		t.Union(&to, flatbuffers.UOffsetT(at))
	}
	return to, at != 0
}

// maxDepth is the most levels of nested tables; Arrow allows columns of 64 levels.
const maxDepth = 200

func (c *checker) visit(bytes int) error {
	if c.left -= bytes; c.left < 0 {
		return errDamaged("a message is larger than its bytes")
	}
	return nil
}

// check checks a table and everything it refers to.
func (c *checker) check(t flatbuffers.Table, shape string, depth int) error {
	if depth > maxDepth {
		return errDamaged("a message of more than %d levels", maxDepth)
	}
	if err := c.visit(8); err != nil {
		return err
	}
	for i, member := range strings.Fields(shapes[shape]) {
		kind, of, _ := strings.Cut(member, ":")
		if kind == "-" {
			continue
		}
		to, ok := child(t, i)
		if !ok {
			continue
		}
		at := flatbuffers.UOffsetT(t.Offset(slot(i)))
		var err error
		switch kind {
		case "vector":
			size, _ := strconv.Atoi(of)
			err = c.visit(4 + size*t.VectorLen(at))
		case "table":
			err = c.check(to, of, depth+1)
		case "union":
			err = c.check(to, fmt.Sprint(of, t.GetByteSlot(slot(i-1), 0)), depth+1)
		case "tables":
			n := t.VectorLen(at)
			err = c.visit(4 + 4*n)
			for k := 0; k < n && err == nil; k++ {
				element := t.Indirect(t.Vector(at) + flatbuffers.UOffsetT(4*k))
				err = c.check(flatbuffers.Table{Bytes: t.Bytes, Pos: element}, of, depth+1)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var _ ipc.MessageReader = (*messages)(nil)
