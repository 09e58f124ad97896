package forest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"unsafe"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// ErrDamaged is wrapped by the errors of [Load] and [Forest.UnmarshalBinary] for bytes that
// are not a valid forest: truncated, altered, or not a forest file at all. It is not wrapped
// for files of another version of the format.
var ErrDamaged = errors.New("damaged or no forest")

// FormatVersion is the version of the file format that [Forest.MarshalBinary]
// writes, and the only one that [Forest.UnmarshalBinary] reads.
//
// All numbers are little-endian. A file is
//
//	magic [8]byte, version uint32, 4 zeros, length of the file uint64
//	sections
//	checksum CRC-32C of all bytes before it, as uint64
//
// A section is a tag of four letters, 4 zeros, the length of its contents as
// uint64, and the contents, filled up with zeros to a multiple of 8 bytes. The
// sections of a file are, in this order,
//
//	head  fraction float64, seed uint64, features, classes, trees, training rows
//	      uint32, rule, sampling, link byte, a zero, groups uint32; sampling is the sum of 1 if
//	      samples are without replacement and 2 if the forest is honest; link is 1 if
//	      the rule is Sum and sums are log-odds, and 2 if it is Sum and LogLink is set
//	lens  uint32 for the method, the target, each feature and each class: the
//	      length of its name
//	text  the names, one after another
//	base  float64: Base
//	memb  float64: Members
//	fill  float32: Fills
//	scal  Scales, as a JSON array
//	cats  int32 for each feature: how many categories it has, −1 if it is numeric
//	clen  uint32 for each category: the length of its name
//	ctxt  the names, one after another
//	cali  float64: Power and Floor of Calibration
//	step  Columns and Steps, as [datasets.MarshalTransform] writes them
//	rept  Report
//
// and then, for each tree,
//
//	node  the nodes; the split number of a single feature has 2²⁹ added if a missing cell goes left
//	func  split functions: kind·2²⁸ + number of features (a LowRank: + rank·2¹⁴; a Set: words of its Categories instead,
//	      + 2²⁷ if a missing cell goes left), where its features and where its numbers or words begin, uint32 each
//	feat  features of split functions, int32
//	sets  Categories of Sets, uint32
//	coef  numbers of split functions, float32: weights, then a Quadratic's Q and Bias,
//	      or a LowRank's Centre, Factors, Bias and Positive
//	dist  class weights, or values of all outputs, float32
//	modl  where the scores of each linear model begin, and their end, int32
//	scor  scores: class int32, bias float32, where its features end int32
//	sfea  features of scores, int32
//	scoe  weights of scores, float32
//
// Sections without contents are left out, as that of a Calibration that changes nothing. A
// new kind of section or of split function isn't a new version: older programs refuse the files
// that hold it, and all others stay readable.
const FormatVersion = 1

const (
	magic        = "\x89Obliqua"
	envelopeSize = 24 // before the first section
	sectionSize  = 16 // before a section's contents
	headSize     = int(unsafe.Sizeof(head{}))
	nodeSize     = int(unsafe.Sizeof(Node{}))
)

// Bits of the head's byte for sampling.
const withoutReplacement, honest, withinClasses = 1, 2, 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary encodes the forest in the format that [FormatVersion] describes. It takes
// about 16 bytes for each node and 8 for each coefficient. Equal forests give equal bytes.
// It returns an error if the forest is malformed.
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

// encodedSteps returns the contents of the section of steps. It returns an error if they
// can't be encoded; validate reports it.
func (f *Forest) encodedSteps() ([]byte, error) {
	if f.Steps == nil {
		return nil, nil
	}
	return datasets.MarshalTransform(f.Steps)
}

// encode writes a valid forest, without copying its numbers.
func (f *Forest) encode(w io.Writer) error {
	sum := crc32.New(castagnoli)
	b := bufio.NewWriter(io.MultiWriter(w, sum))
	le := binary.LittleEndian
	envelope := le.AppendUint32([]byte(magic), FormatVersion)
	b.Write(le.AppendUint64(le.AppendUint32(envelope, 0), uint64(f.encodedSize())))
	for tag, contents := range f.sections() {
		b.Write(le.AppendUint64(append([]byte(tag), 0, 0, 0, 0), uint64(len(contents))))
		b.Write(contents)
		b.Write(make([]byte, padded(len(contents))-len(contents)))
	}
	if err := b.Flush(); err != nil { // the first error of all writes to b
		return err
	}
	return binary.Write(w, le, uint64(sum.Sum32()))
}

func (f *Forest) encodedSize() int {
	size := envelopeSize + 8
	for _, contents := range f.sections() {
		size += sectionSize + padded(len(contents))
	}
	return size
}

func padded(size int) int { return (size + 7) &^ 7 }

// sections iterates over the tags and contents of the file's sections.
func (f *Forest) sections() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		lengths, text := f.names()
		categories, categoryLengths, categoryText := f.categoryNames()
		steps, _ := f.encodedSteps()
		for _, s := range []struct {
			tag      string
			contents []byte
		}{
			{"head", f.head()}, {"lens", bytesOf(lengths)}, {"text", text}, {"base", bytesOf(f.Base)},
			{"memb", bytesOf(f.Members)}, {"fill", bytesOf(f.Fills)}, {"scal", f.encodedScales()}, {"cats", bytesOf(categories)},
			{"clen", bytesOf(categoryLengths)}, {"ctxt", categoryText}, {"cali", bytesOf(f.Calibration.numbers())},
			{"step", steps}, {"rept", []byte(f.Report)},
		} {
			if len(s.contents) > 0 && !yield(s.tag, s.contents) {
				return
			}
		}
		for i := range f.Trees {
			for _, s := range treeSections {
				if b := s.of(&f.Trees[i]).bytes(); len(b) > 0 && !yield(s.tag, b) {
					return
				}
			}
		}
	}
}

// treeSections are the sections of a tree, with their names in errors. A check is of a tree over p features: of the
// contents of its section and of those before that it belongs to.
var treeSections = []struct {
	tag, name string
	of        func(t *Tree) contents
	check     func(t *Tree, p int) error
}{
	{"node", "nodes", func(t *Tree) contents { return items[Node]{&t.Nodes} }, (*Tree).validateNodes},
	{"func", "split functions", func(t *Tree) contents { return items[stored]{&t.Splits.functions} }, nil},
	{"feat", "features of split functions", func(t *Tree) contents { return items[int32]{&t.Splits.features} }, nil},
	{"sets", "words of sets", func(t *Tree) contents { return items[uint32]{&t.Splits.sets} }, nil},
	{"coef", "numbers of split functions", func(t *Tree) contents { return items[float32]{&t.Splits.numbers} },
		func(t *Tree, p int) error { return t.Splits.validate(p) }},
	{"dist", "class weights", func(t *Tree) contents { return items[float32]{&t.Dist} }, (*Tree).validateDist},
	{"modl", "linear models", func(t *Tree) contents { return items[int32]{&t.models.begins} }, nil},
	{"scor", "scores of linear models", func(t *Tree) contents { return items[output]{&t.models.outputs} }, nil},
	{"sfea", "features of scores", func(t *Tree) contents { return items[int32]{&t.models.features} }, nil},
	{"scoe", "weights of scores", func(t *Tree) contents { return items[float32]{&t.models.weights} },
		func(t *Tree, p int) error { return t.models.validate(p, t.Classes) }},
}

// contents are those of a section.
type contents interface {
	bytes() []byte
	read(b []byte) error
}

// A head is the contents of the first section.
type head struct {
	Fraction                       float64
	Seed                           uint64
	Features, Classes, Trees, Rows uint32
	Rule, Sampling, Link           byte
	Zero                           byte
	Groups                         uint32
}

func (f *Forest) head() []byte {
	h := head{Fraction: f.Sampling.Fraction, Seed: f.Seed, Features: uint32(f.P()), Classes: uint32(len(f.Classes)),
		Trees: uint32(len(f.Trees)), Rows: uint32(f.Rows), Groups: uint32(f.Groups), Rule: byte(f.Rule),
		Link: f.link()}
	if f.Sampling.WithoutReplacement {
		h.Sampling |= withoutReplacement
	}
	if f.Honest {
		h.Sampling |= honest
	}
	if f.Sampling.WithinClasses {
		h.Sampling |= withinClasses
	}
	return bytesOf([]head{h})
}

// link returns the head's byte that says what sums are: 1 if they are log-odds, 2 if they are logarithms.
func (f *Forest) link() byte {
	switch {
	case f.Rule == Sum && f.Classes != nil:
		return 1
	case f.LogLink:
		return 2
	}
	return 0
}

// names returns all names, one after another, and their lengths.
func (f *Forest) names() (lengths []int32, text []byte) {
	add := func(name string) {
		lengths = append(lengths, int32(len(name)))
		text = append(text, name...)
	}
	add(f.Method)
	add(f.Target)
	for _, name := range f.Features {
		add(name)
	}
	for _, name := range f.Classes {
		add(name)
	}
	return lengths, text
}

// categoryNames returns how many categories each feature has, −1 if it is numeric, and their names as names does.
func (f *Forest) categoryNames() (counts, lengths []int32, text []byte) {
	for _, categories := range f.Categories {
		count := int32(len(categories))
		if categories == nil {
			count = -1
		}
		counts = append(counts, count)
		for _, name := range categories {
			lengths, text = append(lengths, int32(len(name))), append(text, name...)
		}
	}
	return counts, lengths, text
}

// UnmarshalBinary decodes what [Forest.MarshalBinary] wrote. It checks all of data: the
// result is either a forest that can predict, or an error that says what is wrong and
// where. The forest doesn't refer to data afterwards. If there is an error, f is unchanged.
func (f *Forest) UnmarshalBinary(data []byte) error {
	decoded, err := read(bytes.NewReader(data), len(data))
	if err != nil {
		return fmt.Errorf("forest: %w", err)
	}
	*f = *decoded
	return nil
}

// chunkSize is how many bytes of a file a core reads at a time.
const chunkSize = 1 << 20

// read decodes size bytes. All cores read, because touching new memory takes
// longer than copying the bytes. Of a file of another kind only the envelope is read.
func read(r io.ReaderAt, size int) (*Forest, error) {
	envelope := make([]byte, min(size, envelopeSize))
	if n, err := r.ReadAt(envelope, 0); n < len(envelope) {
		return nil, fmt.Errorf("read %d bytes; want %d: %w", n, len(envelope), err)
	}
	if err := checkEnvelope(envelope, size); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	err := parallel.Errors((size+chunkSize-1)/chunkSize, func(i int) error {
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

// decode returns a forest that uses the memory of data, whose envelope has been checked.
func decode(data []byte) (*Forest, error) {
	d := decoder{data: data[:len(data)-8], at: envelopeSize}
	f := d.head()
	d.steps(f)
	d.report(f)
	for i := 0; i < len(f.Trees) && d.err == nil; i++ {
		d.tree(i, f)
	}
	if d.err == nil && d.at != len(d.data) {
		d.err = fmt.Errorf("%d bytes left at byte %d, after the last tree; want the checksum", len(d.data)-d.at, d.at)
	}
	checks := []func() error{func() error { return checkSum(data) }, func() error { return d.err }}
	if d.err == nil {
		checks = append(append(checks, d.checks...), f.validateRounds)
	}
	return f, damaged(parallel.Errors(len(checks), func(i int) error { return checks[i]() }))
}

// damaged returns an error that wraps both [ErrDamaged] and err.
func damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// checkEnvelope checks what comes before the first section of a file, and that the file is as long as it says.
func checkEnvelope(envelope []byte, length int) error {
	if k := min(len(envelope), len(magic)); !bytes.Equal(envelope[:k], []byte(magic)[:k]) {
		return damaged(fmt.Errorf("begins with %q; want %q", envelope[:k], magic))
	}
	if length < envelopeSize+8 {
		return damaged(fmt.Errorf("truncated: %d bytes; want at least %d", length, envelopeSize+8))
	}
	le := binary.LittleEndian
	version, zeros, size := le.Uint32(envelope[8:]), le.Uint32(envelope[12:]), le.Uint64(envelope[16:])
	switch {
	case version != FormatVersion:
		return fmt.Errorf("version %d of the file format at byte 8; this program reads version %d", version, FormatVersion)
	case zeros != 0:
		return damaged(errors.New("bytes 12 to 15 are set; want zeros"))
	case size != uint64(length):
		return damaged(fmt.Errorf("truncated or overlong: %d bytes; the header at byte 16 says %d", length, size))
	}
	return nil
}

// checkSum compares the checksum.
func checkSum(data []byte) error {
	le := binary.LittleEndian
	end := len(data) - 8
	if got, want := uint64(crc32.Checksum(data[:end], castagnoli)), le.Uint64(data[end:]); got != want {
		return fmt.Errorf("checksum %08x; the last 8 bytes, at byte %d, say %08x", got, end, want)
	}
	return nil
}

// A decoder reads section after section, keeps the first error, and collects checks of
// the sections' contents, which are run later in parallel.
type decoder struct {
	data   []byte
	at     int    // where the next section begins
	prefix string // put before the names of sections: which tree they belong to
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

// check adds a check of the current section's contents, to be run later.
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

// has reports whether the next section has the given tag.
func (d *decoder) has(tag string) bool {
	return d.err == nil && len(d.data)-d.at >= sectionSize && string(d.data[d.at:d.at+len(tag)]) == tag
}

// section returns the contents of the next section, or nil after an error.
func (d *decoder) section(tag, name string) []byte {
	if d.err != nil {
		return nil
	}
	d.name, d.start = d.prefix+name, d.at
	if !d.has(tag) {
		d.fail(fmt.Errorf("begins with %q; want section %q", d.data[d.at:min(d.at+len(tag), len(d.data))], tag))
		return nil
	}
	le := binary.LittleEndian
	begin := d.at + sectionSize
	size, left := le.Uint64(d.data[d.at+8:]), uint64(len(d.data)-begin)
	if le.Uint32(d.data[d.at+4:]) != 0 || size == 0 {
		d.fail(fmt.Errorf("section %q of %d bytes; want more than none, and 4 zeros after the tag", tag, size))
		return nil
	}
	if size > left || uint64(padded(int(size))) > left {
		d.fail(fmt.Errorf("%d bytes; there are %d left", size, left))
		return nil
	}
	end := begin + int(size)
	d.at = begin + padded(int(size))
	for i, b := range d.data[end:d.at] {
		if b != 0 {
			d.fail(fmt.Errorf("not filled up with zeros at byte %d", end+i))
			return nil
		}
	}
	return d.data[begin:end]
}

// list returns the contents of the next section as numbers, or nil if it has another
// tag.
func list[T flat](d *decoder, tag, name string) (numbers []T) {
	if d.has(tag) {
		b := d.section(tag, name)
		d.fail(items[T]{&numbers}.read(b))
	}
	return numbers
}

func (d *decoder) head() *Forest {
	b := d.section("head", "head")
	if d.err == nil && len(b) != headSize {
		d.fail(fmt.Errorf("%d bytes; want %d", len(b), headSize))
	}
	if d.err != nil {
		return &Forest{}
	}
	h := view[head](b)[0]
	p, trees := int(h.Features), int(h.Trees)
	f := &Forest{Rule: Rule(h.Rule), Rows: int(h.Rows), Groups: int(h.Groups), Seed: h.Seed, LogLink: h.Link == 2,
		Honest: h.Sampling&honest != 0,
		Sampling: Sampling{Fraction: h.Fraction, WithoutReplacement: h.Sampling&withoutReplacement != 0,
			WithinClasses: h.Sampling&withinClasses != 0}}
	if h.Sampling > withoutReplacement|honest|withinClasses || h.Zero != 0 {
		d.fail(errors.New("bytes 33 and 35 are set; want 0 to 7, and 0"))
	}
	names := d.readNames("lens", "text", 2+p+int(h.Classes))
	f.Base = list[float64](d, "base", "base scores")
	f.Members = list[float64](d, "memb", "base scores of members")
	f.Fills = list[float32](d, "fill", "fills of missing cells")
	d.scales(f)
	d.categories(f)
	d.calibration(f)
	if d.err != nil {
		return f
	}
	f.Method, f.Target, f.Features = names[0], names[1], names[2:2+p:2+p]
	if h.Classes > 0 {
		f.Classes = names[2+p:]
	}
	d.name, d.start = "head", envelopeSize
	if h.Link != f.link() {
		d.fail(fmt.Errorf("link %d; want %d", h.Link, f.link()))
	}
	const smallest = sectionSize + nodeSize
	if left := len(d.data) - d.at; trees > left/smallest {
		d.fail(fmt.Errorf("%d trees of at least %d bytes; there are %d bytes left", trees, smallest, left))
		return f
	}
	f.Trees = make([]Tree, trees)
	d.fail(f.validateHeader())
	return f
}

// encodedScales returns the contents of the section of scales, which are valid.
func (f *Forest) encodedScales() []byte {
	if f.Scales == nil {
		return nil
	}
	b, _ := json.Marshal(f.Scales) // of finite numbers, which validate reports
	return b
}

// scales decodes the scales of features, if there are any.
func (d *decoder) scales(f *Forest) {
	if !d.has("scal") {
		return
	}
	b := d.section("scal", "scales")
	if d.err == nil {
		d.fail(json.Unmarshal(b, &f.Scales))
	}
	if d.err == nil && !bytes.Equal(b, f.encodedScales()) {
		d.fail(errors.New("scales that are written in another way than by MarshalBinary"))
	}
}

// categories decodes the categories of features, if there are any.
func (d *decoder) categories(f *Forest) {
	counts := list[int32](d, "cats", "numbers of categories")
	total := 0
	for _, count := range counts {
		if count < -1 {
			d.fail(fmt.Errorf("%d categories; want -1 or more", count))
		}
		total += int(max(0, count))
	}
	if d.err != nil || counts == nil {
		return
	}
	names := d.readNames("clen", "ctxt", total)
	for _, count := range counts {
		var categories []string
		if count >= 0 && d.err == nil {
			categories, names = names[:count:count], names[count:]
		}
		f.Categories = append(f.Categories, categories)
	}
}

// calibration decodes the calibration, if there is one.
func (d *decoder) calibration(f *Forest) {
	if !d.has("cali") {
		return
	}
	numbers := list[float64](d, "cali", "calibration")
	if d.err == nil && len(numbers) != 2 {
		d.fail(fmt.Errorf("%d numbers; want a power and a floor", len(numbers)))
	}
	if d.err == nil {
		f.Calibration = Calibration{Power: numbers[0], Floor: numbers[1]}
		d.fail(f.Calibration.validate())
	}
}

// steps decodes the fitted steps, if there are any.
func (d *decoder) steps(f *Forest) {
	if !d.has("step") {
		return
	}
	b := d.section("step", "steps")
	if d.err != nil {
		return
	}
	transform, columns, err := datasets.UnmarshalTransform(b)
	if err != nil {
		d.fail(err)
		return
	}
	f.Steps, f.Columns = transform, columns
	d.fail(f.validateSteps())
}

// report decodes the report, if there is one.
func (d *decoder) report(f *Forest) {
	if d.has("rept") {
		f.Report = string(d.section("rept", "report"))
		d.fail(f.validateReport())
	}
}

// readNames decodes names from the sections of their lengths and of their text.
func (d *decoder) readNames(lengthsTag, textTag string, count int) []string {
	lengths := list[int32](d, lengthsTag, "lengths of names")
	if d.err == nil && len(lengths) != count {
		d.fail(fmt.Errorf("%d lengths of names; want %d", len(lengths), count))
	}
	if d.err != nil {
		return nil
	}
	total := 0
	for _, n := range lengths {
		total += int(uint32(n))
	}
	text := string(list[byte](d, textTag, "names"))
	if d.err == nil && total != len(text) {
		d.fail(fmt.Errorf("%d bytes; want %d", len(text), total))
	}
	if d.err != nil {
		return nil
	}
	names := make([]string, count)
	for i, n := range lengths {
		names[i], text = text[:uint32(n)], text[uint32(n):]
	}
	return names
}

// tree decodes tree i of the forest. The contents of its sections are checked later,
// since a check may need several sections.
func (d *decoder) tree(i int, f *Forest) {
	d.prefix = fmt.Sprintf("tree %d, ", i)
	t := &f.Trees[i]
	t.Classes = f.treeClasses()
	found := false // whether there is something to check
	for _, s := range treeSections {
		if s.tag == "node" || d.has(s.tag) { // nodes are never left out
			b := d.section(s.tag, s.name)
			d.fail(s.of(t).read(b))
			found = true
			if s.tag == "dist" && f.outputs() > 1 {
				t.Outputs = f.outputs()
			}
		}
		if found && s.check != nil {
			d.check(func() error { return s.check(t, f.P()) })
			found = false
		}
	}
}

// flat is the set of types whose slices are written as they are in memory.
type flat interface {
	head | Node | stored | output | int32 | uint32 | float32 | float64 | byte
}

// items are contents that are written as they are in memory.
type items[T flat] struct{ in *[]T }

func (s items[T]) bytes() []byte { return bytesOf(*s.in) }

func (s items[T]) read(b []byte) error {
	if size := int(unsafe.Sizeof(*new(T))); len(b)%size != 0 {
		return fmt.Errorf("%d bytes; want a multiple of %d", len(b), size)
	}
	*s.in = view[T](b)
	return nil
}

// littleEndian reports whether this machine is little-endian, as the file is.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// view returns bytes of the file as numbers. On a little-endian machine they share b's
// memory if it is aligned, which saves half the time to load; otherwise they are a copy.
func view[T flat](b []byte) []T {
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
func bytesOf[T flat](s []T) []byte {
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
	}
	b, err := binary.Append(nil, binary.LittleEndian, s)
	if err != nil {
		panic("forest: " + err.Error()) // numbers are of fixed size
	}
	return b
}

// Save writes the forest to a file in the format of [Forest.MarshalBinary], without a copy
// of it in memory. An existing file is replaced in one step after all has been written, and
// keeps its mode, so that a private file stays private; a new one has the mode that the umask
// gives it. A link is replaced by the file, not followed. A model holds the names of categories
// and classes, which may be personal.
//
// Save returns an error if the forest is malformed, if path is a folder, a pipe or a device, and
// if the file can't be written. It removes files that earlier calls left in the folder when their
// processes were killed, more than a day ago.
func (f *Forest) Save(path string) error {
	if err := f.validate(); err != nil {
		return fmt.Errorf("forest: malformed: %w", err)
	}
	if err := atomicfile.Write(path, f.encode); err != nil {
		return fmt.Errorf("forest: save %s: %w", path, err)
	}
	return nil
}

// Load reads a forest from a file that [Forest.Save] wrote. Errors name the file and, if
// it is damaged, say where; they then wrap [ErrDamaged]. Load returns an error for a pipe or a
// device, too: it must know the size before it reads.
func Load(path string) (*Forest, error) {
	file, size, err := atomicfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("forest: load: %w", err)
	}
	defer file.Close()
	if size > math.MaxInt {
		return nil, fmt.Errorf("forest: load %s: want at most %d bytes", path, math.MaxInt)
	}
	f, err := read(file, int(size))
	if err != nil {
		return nil, fmt.Errorf("forest: load %s: %w", path, err)
	}
	return f, nil
}
