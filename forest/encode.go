package forest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"unsafe"
)

// FormatVersion is the version of the file format that [Forest.MarshalBinary]
// writes, and the newest that [Forest.UnmarshalBinary] reads.
//
// All numbers are little-endian. Sections begin at multiples of 8 bytes and
// are filled up with zeros. A file is
//
//	header   magic [8]byte, version uint32, rule byte, replace byte, 2 zeros,
//	         length of the file uint64, fraction float64, seed uint64,
//	         features, classes, trees, training rows uint32
//	lengths  uint32 for the method, the target, each feature and each class
//	names    their bytes, one after another
//	trees    for each: nodes, combinations, coefficients, rows of class
//	         weights uint32; the nodes; Start if there are combinations;
//	         Index; Weights; Dist
//	checksum CRC-32C of all bytes before it, as uint64
const FormatVersion = 1

const (
	magic      = "\x89Obliqua"
	headerSize = 56
	nodeSize   = 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary encodes the forest as [FormatVersion] says, in about 16 bytes
// a node and 8 a coefficient. Equal forests give equal bytes. It returns an
// error if the forest is malformed.
func (f *Forest) MarshalBinary() ([]byte, error) {
	if err := f.validate(); err != nil {
		return nil, fmt.Errorf("forest: malformed: %w", err)
	}
	size := f.encodedSize()
	b := make([]byte, 0, size)
	b = f.appendHeader(b, size)
	for i := range f.Trees {
		b = f.appendTree(b, &f.Trees[i])
	}
	return binary.LittleEndian.AppendUint64(b, uint64(crc32.Checksum(b, castagnoli))), nil
}

func (f *Forest) encodedSize() int {
	names := 0
	for _, s := range f.names() {
		names += len(s)
	}
	size := headerSize + padded(4*len(f.names())) + padded(names)
	for i := range f.Trees {
		t := &f.Trees[i]
		size += 16 + nodeSize*len(t.Nodes) + padded(4*len(t.starts())) +
			2*padded(4*len(t.Splits.Index)) + padded(4*len(t.Dist))
	}
	return size + 8
}

func padded(size int) int { return (size + 7) &^ 7 }

func (f *Forest) names() []string {
	names := append(make([]string, 0, 2+f.P()+len(f.Classes)), f.Method, f.Target)
	return append(append(names, f.Features...), f.Classes...)
}

func (f *Forest) appendHeader(b []byte, size int) []byte {
	le := binary.LittleEndian
	b = append(b, magic...)
	b = le.AppendUint32(b, FormatVersion)
	replace := byte(0)
	if f.Sampling.Replace {
		replace = 1
	}
	b = append(b, byte(f.Rule), replace, 0, 0)
	b = le.AppendUint64(b, uint64(size))
	b = le.AppendUint64(b, math.Float64bits(f.Sampling.Fraction))
	b = le.AppendUint64(b, f.Sampling.Seed)
	b = le.AppendUint32(b, uint32(f.P()))
	b = le.AppendUint32(b, uint32(len(f.Classes)))
	b = le.AppendUint32(b, uint32(len(f.Trees)))
	b = le.AppendUint32(b, uint32(f.Rows))
	for _, s := range f.names() {
		b = le.AppendUint32(b, uint32(len(s)))
	}
	b = pad(b)
	for _, s := range f.names() {
		b = append(b, s...)
	}
	return pad(b)
}

func (f *Forest) appendTree(b []byte, t *Tree) []byte {
	le := binary.LittleEndian
	rows := 0
	if !f.Regression() {
		rows = len(t.Dist) / len(f.Classes)
	}
	for _, n := range []int{len(t.Nodes), t.Splits.Len(), len(t.Splits.Index), rows} {
		b = le.AppendUint32(b, uint32(n))
	}
	for _, n := range t.Nodes {
		b = le.AppendUint32(b, uint32(n.Split))
		b = le.AppendUint32(b, uint32(n.Next))
		b = le.AppendUint32(b, math.Float32bits(n.Value))
		b = le.AppendUint32(b, math.Float32bits(n.Weight))
	}
	b = appendInts(b, t.starts())
	b = appendInts(b, t.Splits.Index)
	b = appendFloats(b, t.Splits.Weights)
	return appendFloats(b, t.Dist)
}

// starts returns Start, or nothing where there are no combinations.
func (t *Tree) starts() []int32 {
	if t.Splits.Len() == 0 {
		return nil
	}
	return t.Splits.Start
}

func appendInts(b []byte, s []int32) []byte {
	for _, v := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return pad(b)
}

func appendFloats(b []byte, s []float32) []byte {
	for _, v := range s {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return pad(b)
}

func pad(b []byte) []byte { return append(b, make([]byte, padded(len(b))-len(b))...) }

// UnmarshalBinary decodes what [Forest.MarshalBinary] wrote. What it accepts
// is sound: any bytes either give an error that says where and why, or a forest
// that can predict. The forest doesn't refer to data afterwards, and is left as
// it was if there is an error.
func (f *Forest) UnmarshalBinary(data []byte) error {
	decoded, err := decode(bytes.Clone(data))
	if err != nil {
		return fmt.Errorf("forest: %w", err)
	}
	*f = *decoded
	return nil
}

// decode returns a forest that uses the memory of data.
func decode(data []byte) (*Forest, error) {
	if err := checkEnvelope(data); err != nil {
		return nil, err
	}
	d := decoder{data: data[:len(data)-8]}
	f := d.header()
	for i := 0; i < len(f.Trees) && d.err == nil; i++ {
		d.tree(i, f)
	}
	if d.err == nil && d.at != len(d.data) {
		d.err = fmt.Errorf("%d bytes left at byte %d, after the last tree; want the checksum", len(d.data)-d.at, d.at)
	}
	return f, d.err
}

// checkEnvelope checks what says that the file is of this format, version and
// length, and as it was written.
func checkEnvelope(data []byte) error {
	le := binary.LittleEndian
	if k := min(len(data), len(magic)); !bytes.Equal(data[:k], []byte(magic)[:k]) {
		return fmt.Errorf("not an Obliqua forest: begins with %q; want %q", data[:k], magic)
	}
	if len(data) < headerSize+8 {
		return fmt.Errorf("truncated: %d bytes; want at least %d for header and checksum", len(data), headerSize+8)
	}
	if v := le.Uint32(data[8:]); v > FormatVersion {
		return fmt.Errorf("written by a newer Obliqua, version %d; this reads up to %d", v, FormatVersion)
	} else if v < 1 {
		return fmt.Errorf("version %d at byte 8; want 1 to %d", v, FormatVersion)
	}
	if size := le.Uint64(data[16:]); size != uint64(len(data)) {
		return fmt.Errorf("truncated or overlong: %d bytes; the header at byte 16 says %d", len(data), size)
	}
	end := len(data) - 8
	if got, want := uint64(crc32.Checksum(data[:end], castagnoli)), le.Uint64(data[end:]); got != want {
		return fmt.Errorf("damaged: checksum %08x; the last 8 bytes, at byte %d, say %08x", got, end, want)
	}
	return nil
}

// A decoder reads section after section and remembers the first error.
type decoder struct {
	data  []byte
	at    int    // where the next section begins
	name  string // the current section and where it begins, for errors
	start int
	err   error
}

func (d *decoder) fail(err error) {
	if d.err == nil && err != nil {
		d.err = fmt.Errorf("%s at byte %d: %w", d.name, d.start, err)
	}
}

// section returns the bytes of the next section, count items of the given
// size, or nil after an error.
func (d *decoder) section(name string, count, size uint64) []byte {
	if d.err != nil {
		return nil
	}
	d.name, d.start = name, d.at
	left := uint64(len(d.data) - d.at)
	if size > 0 && count > left/size {
		d.fail(fmt.Errorf("%d items of %d bytes; there are %d bytes left", count, size, left))
		return nil
	}
	b := d.data[d.at : d.at+int(count*size)]
	d.at += len(b)
	for ; d.at%8 != 0; d.at++ {
		if d.at >= len(d.data) || d.data[d.at] != 0 {
			d.fail(fmt.Errorf("not filled up with zeros at byte %d", d.at))
			return nil
		}
	}
	return b
}

func (d *decoder) header() *Forest {
	le := binary.LittleEndian
	b := d.section("header", headerSize, 1)
	p, classes, trees := int(le.Uint32(b[40:])), int(le.Uint32(b[44:])), int(le.Uint32(b[48:]))
	f := &Forest{Rule: Rule(b[12]), Rows: int(le.Uint32(b[52:])), Sampling: Sampling{
		Fraction: math.Float64frombits(le.Uint64(b[24:])),
		Replace:  b[13] == 1,
		Seed:     le.Uint64(b[32:]),
	}}
	if b[13] > 1 || b[14] != 0 || b[15] != 0 {
		d.fail(errors.New("bytes 13, 14, 15 are set; want 0 or 1, and zeros"))
	}
	names := d.names(2 + p + classes)
	if d.err != nil {
		return f
	}
	f.Method, f.Target, f.Features = names[0], names[1], names[2:2+p:2+p]
	if classes > 0 {
		f.Classes = names[2+p:]
	}
	d.name, d.start = "header", 0
	const smallest = 16 + nodeSize
	if left := len(d.data) - d.at; trees > left/smallest {
		d.fail(fmt.Errorf("%d trees of at least %d bytes; there are %d bytes left", trees, smallest, left))
		return f
	}
	f.Trees = make([]Tree, trees)
	d.fail(f.validateHeader())
	return f
}

func (d *decoder) names(count int) []string {
	lengths := view[int32](d.section("lengths of names", uint64(count), 4))
	total := uint64(0)
	for _, n := range lengths {
		total += uint64(uint32(n))
	}
	text := string(d.section("names", total, 1))
	if d.err != nil {
		return nil
	}
	names := make([]string, count)
	for i, n := range lengths {
		names[i], text = text[:uint32(n)], text[uint32(n):]
	}
	return names
}

// tree decodes and checks tree i of the forest.
func (d *decoder) tree(i int, f *Forest) {
	le := binary.LittleEndian
	name := fmt.Sprintf("tree %d, ", i)
	b := d.section(name+"counts", 4, 4)
	if b == nil {
		return
	}
	nodes, combinations := uint64(le.Uint32(b)), uint64(le.Uint32(b[4:]))
	coefficients, rows := uint64(le.Uint32(b[8:])), uint64(le.Uint32(b[12:]))
	classes := uint64(len(f.Classes))
	if classes == 0 && rows > 0 {
		d.fail(fmt.Errorf("%d rows of class weights in a regression tree; want 0", rows))
		return
	}

	starts := combinations
	if starts > 0 {
		starts++
	}
	t := &f.Trees[i]
	t.Nodes = view[Node](d.section(name+"nodes", nodes, nodeSize))
	d.fail(validateNodes(t.Nodes, f.P()+int(combinations), int(classes), int(rows)))
	t.Splits.Start = view[int32](d.section(name+"starts of combinations", starts, 4))
	t.Splits.Index = view[int32](d.section(name+"indices", coefficients, 4))
	t.Splits.Weights = view[float32](d.section(name+"weights", coefficients, 4))
	d.fail(t.Splits.validate(f.P()))
	t.Dist = view[float32](d.section(name+"class weights", rows*classes, 4))
	d.fail(validateDist(t.Dist, int(classes)))
}

// littleEndian says whether this machine stores numbers as the file does.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// view returns bytes of the file as numbers: in place where the machine's
// memory looks like the file, which saves half the time to load, and else as a
// copy.
func view[T Node | int32 | float32](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var item T
	count := len(b) / int(unsafe.Sizeof(item))
	start := unsafe.Pointer(unsafe.SliceData(b))
	if littleEndian && uintptr(start)%unsafe.Alignof(item) == 0 {
		return unsafe.Slice((*T)(start), count)
	}
	s := make([]T, count)
	if _, err := binary.Decode(b, binary.LittleEndian, s); err != nil {
		panic("forest: " + err.Error()) // b holds count items
	}
	return s
}

// Save writes the forest to a file in the format of [Forest.MarshalBinary]. An
// existing file is replaced in one step, once all is written.
func (f *Forest) Save(path string) error {
	b, err := f.MarshalBinary()
	if err != nil {
		return err
	}
	temporary := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("forest: save: %w", err)
	}
	_, err = file.Write(b)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
		return fmt.Errorf("forest: save: %w", err)
	}
	return nil
}

// Load reads a forest from a file that [Forest.Save] wrote. Errors name the
// file and, for a damaged one, the section and byte.
func Load(path string) (*Forest, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("forest: load: %w", err)
	}
	f, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("forest: load %s: %w", path, err)
	}
	return f, nil
}
