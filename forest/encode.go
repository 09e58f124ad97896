package forest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
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
	b := bytes.NewBuffer(make([]byte, 0, f.encodedSize()))
	if err := f.encode(b); err != nil {
		return nil, fmt.Errorf("forest: %w", err)
	}
	return b.Bytes(), nil
}

// encode writes a sound forest, straight from where its numbers are.
func (f *Forest) encode(w io.Writer) error {
	sum := crc32.New(castagnoli)
	b := bufio.NewWriter(io.MultiWriter(w, sum))
	b.Write(f.header())
	for i := range f.Trees {
		f.encodeTree(b, &f.Trees[i])
	}
	if err := b.Flush(); err != nil { // the first of all that b met
		return err
	}
	return binary.Write(w, binary.LittleEndian, uint64(sum.Sum32()))
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

func (f *Forest) header() []byte {
	le := binary.LittleEndian
	b := []byte(magic)
	b = le.AppendUint32(b, FormatVersion)
	replace := byte(0)
	if f.Sampling.Replace {
		replace = 1
	}
	b = append(b, byte(f.Rule), replace, 0, 0)
	b = le.AppendUint64(b, uint64(f.encodedSize()))
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

func (f *Forest) encodeTree(b *bufio.Writer, t *Tree) {
	rows := 0
	if !f.Regression() {
		rows = len(t.Dist) / len(f.Classes)
	}
	encodeSection(b, []int32{int32(len(t.Nodes)), int32(t.Splits.Len()), int32(len(t.Splits.Index)), int32(rows)})
	encodeSection(b, t.Nodes)
	encodeSection(b, t.starts())
	encodeSection(b, t.Splits.Index)
	encodeSection(b, t.Splits.Weights)
	encodeSection(b, t.Dist)
}

// starts returns Start, or nothing where there are no combinations.
func (t *Tree) starts() []int32 {
	if t.Splits.Len() == 0 {
		return nil
	}
	return t.Splits.Start
}

func encodeSection[T stored](w *bufio.Writer, s []T) {
	b := bytesOf(s)
	w.Write(b)
	w.Write(make([]byte, padded(len(b))-len(b)))
}

func pad(b []byte) []byte { return append(b, make([]byte, padded(len(b))-len(b))...) }

// UnmarshalBinary decodes what [Forest.MarshalBinary] wrote. What it accepts
// is sound: any bytes either give an error that says where and why, or a forest
// that can predict. The forest doesn't refer to data afterwards, and is left as
// it was if there is an error.
func (f *Forest) UnmarshalBinary(data []byte) error {
	decoded, err := read(bytes.NewReader(data), len(data))
	if err != nil {
		return fmt.Errorf("forest: %w", err)
	}
	*f = *decoded
	return nil
}

// chunkSize is how much of a file a core reads at a time.
const chunkSize = 1 << 20

// read decodes size bytes. All cores read, because touching new memory takes
// longer than copying the bytes.
func read(r io.ReaderAt, size int) (*Forest, error) {
	data := make([]byte, size)
	err := firstError((size+chunkSize-1)/chunkSize, func(i int) error {
		lo := i * chunkSize
		chunk := data[lo:min(lo+chunkSize, size)]
		if n, err := r.ReadAt(chunk, int64(lo)); n < len(chunk) {
			return fmt.Errorf("read %d bytes at byte %d; want %d: %w", n, lo, len(chunk), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// firstError calls do for 0 to n-1, in parallel, and returns the error of the
// smallest of them that has one.
func firstError(n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = do(i)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
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
	checks := []func() error{func() error { return checkSum(data) }, func() error { return d.err }}
	if d.err == nil {
		checks = append(checks, d.checks...)
	}
	return f, firstError(len(checks), func(i int) error { return checks[i]() })
}

// checkEnvelope checks what says that the file is of this format, version and
// length.
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
	return nil
}

// checkSum checks that the file is as it was written.
func checkSum(data []byte) error {
	le := binary.LittleEndian
	end := len(data) - 8
	if got, want := uint64(crc32.Checksum(data[:end], castagnoli)), le.Uint64(data[end:]); got != want {
		return fmt.Errorf("damaged: checksum %08x; the last 8 bytes, at byte %d, say %08x", got, end, want)
	}
	return nil
}

// A decoder finds section after section, remembers the first error, and
// gathers what is left to be checked about the sections' contents.
type decoder struct {
	data   []byte
	at     int    // where the next section begins
	name   string // the current section and where it begins, for errors
	start  int
	err    error
	checks []func() error
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = located(d.name, d.start, err)
	}
}

// check has the current section's contents checked later.
func (d *decoder) check(contents func() error) {
	name, start := d.name, d.start
	d.checks = append(d.checks, func() error { return located(name, start, contents()) })
}

func located(name string, start int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s at byte %d: %w", name, start, err)
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

// tree decodes tree i of the forest.
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
	d.check(func() error { return validateNodes(t.Nodes, f.P()+int(combinations), int(classes), int(rows)) })
	t.Splits.Start = view[int32](d.section(name+"starts of combinations", starts, 4))
	t.Splits.Index = view[int32](d.section(name+"indices", coefficients, 4))
	t.Splits.Weights = view[float32](d.section(name+"weights", coefficients, 4))
	d.check(func() error { return t.Splits.validate(f.P()) })
	t.Dist = view[float32](d.section(name+"class weights", rows*classes, 4))
	d.check(func() error { return validateDist(t.Dist, int(classes)) })
}

// What sections are made of is stored as it lies in memory.
type stored interface{ Node | int32 | float32 }

// littleEndian says whether this machine stores numbers as the file does.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// view returns bytes of the file as numbers: in place where the machine's
// memory looks like the file, which saves half the time to load, and else as a
// copy.
func view[T stored](b []byte) []T {
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

// bytesOf is the inverse of view.
func bytesOf[T stored](s []T) []byte {
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
	}
	b, err := binary.Append(nil, binary.LittleEndian, s)
	if err != nil {
		panic("forest: " + err.Error()) // numbers are of fixed size
	}
	return b
}

// Save writes the forest to a file in the format of [Forest.MarshalBinary]. An
// existing file is replaced in one step, once all is written. It needs no memory
// beside the forest's.
func (f *Forest) Save(path string) error {
	if err := f.validate(); err != nil {
		return fmt.Errorf("forest: malformed: %w", err)
	}
	temporary := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("forest: save: %w", err)
	}
	err = errors.Join(f.encode(file), file.Sync(), file.Close())
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
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("forest: load: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("forest: load: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > math.MaxInt {
		return nil, fmt.Errorf("forest: load %s: want a regular file of at most %d bytes", path, math.MaxInt)
	}
	f, err := read(file, int(info.Size()))
	if err != nil {
		return nil, fmt.Errorf("forest: load %s: %w", path, err)
	}
	return f, nil
}
