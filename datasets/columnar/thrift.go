package columnar

import (
	"encoding/binary"
	"errors"
	"os"
)

// checkFooter checks the metadata at the end of a Parquet file before arrow-go decodes it,
// since arrow-go allocates as many elements for a list as the list claims to have.
func checkFooter(f *os.File, size int64) error {
	tail := make([]byte, 8)
	if size < 12 {
		return errDamaged("%d bytes are too few for Parquet", size)
	}
	if _, err := f.ReadAt(tail, size-8); err != nil {
		return err
	}
	switch string(tail[4:]) {
	case "PAR1":
	case "PARE":
		return errors.New("the file is encrypted, which is not supported")
	default:
		return errDamaged("it doesn't end as a Parquet file does; it may be cut short")
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > size-12 {
		return errDamaged("metadata of %d bytes in a file of %d", length, size)
	}
	b := make([]byte, length)
	if _, err := f.ReadAt(b, size-8-length); err != nil {
		return err
	}
	t := &thriftReader{b: b}
	t.fields(0)
	if t.bad {
		return errDamaged("its metadata can't be decoded")
	}
	return nil
}

// A thriftReader steps through data in Thrift's compact protocol.
type thriftReader struct {
	b   []byte // what is left
	bad bool   // the data are malformed; methods then do nothing useful
}

// The types of the protocol that need more than skipping bytes.
const (
	thriftByte   = 3
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

func (t *thriftReader) skip(n uint64) {
	if n > uint64(len(t.b)) {
		t.bad = true
		n = uint64(len(t.b))
	}
	t.b = t.b[n:]
}

func (t *thriftReader) byte() byte {
	if len(t.b) == 0 {
		t.bad = true
		return 0
	}
	v := t.b[0]
	t.b = t.b[1:]
	return v
}

func (t *thriftReader) varint() uint64 {
	v, n := binary.Uvarint(t.b)
	if n <= 0 {
		t.bad = true
		return 0
	}
	t.b = t.b[n:]
	return v
}

// fields skips the fields of a struct.
func (t *thriftReader) fields(depth int) {
	for !t.bad {
		head := t.byte()
		if head == 0 {
			return
		}
		if head>>4 == 0 {
			t.varint() // the number of the field
		}
		if kind := head & 15; kind > 2 { // 1 and 2 are booleans without further bytes
			t.value(kind, depth+1)
		}
	}
}

// value skips a value of the given type.
func (t *thriftReader) value(kind byte, depth int) {
	if depth > 64 {
		t.bad = true
		return
	}
	switch kind {
	case 1, 2, thriftByte:
		t.byte()
	case 4, 5, 6:
		t.varint()
	case thriftDouble:
		t.skip(8)
	case thriftBinary:
		t.skip(t.varint())
	case thriftList, thriftSet:
		head := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = t.varint()
		}
		t.elements(n, depth, head&15)
	case thriftMap:
		if n := t.varint(); n > 0 {
			kinds := t.byte()
			t.elements(n, depth, kinds>>4, kinds&15)
		}
	case thriftStruct:
		t.fields(depth)
	default:
		t.bad = true
	}
}

// elements skips n values of each type, in turn. It ends, since each takes at least a byte.
func (t *thriftReader) elements(n uint64, depth int, kinds ...byte) {
	for i := uint64(0); i < n && !t.bad; i++ {
		for _, kind := range kinds {
			t.value(kind, depth+1)
		}
	}
}
