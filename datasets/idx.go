package datasets

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/filekind"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// ReadIDX reads a table and its labels from two files in the IDX format, in which the
// MNIST images of handwritten digits are published. Both may be gzipped. The data set is
// named after the first file, without its extensions.
//
// The first file is an array of numbers of any type of the format. Each element of its
// first dimension, such as an image, is a row of the table; the cells of a row are in the
// order of the file. If there are three dimensions, the columns are called r0c0, r0c1, …
// by the row and the column of the image, both counted from 0, and otherwise x1, x2, ….
// Numbers are rounded to the nearest float32; Dataset.Notes says so if there are some of 2²⁴ or more.
// NaN is a missing cell; infinities and numbers too large for float32 are errors. There
// may be at most 2³¹−1 rows, and the defaults of [Limits] hold.
//
// The second file has one dimension and an integer for each row. These are the classes,
// named in decimal notation and sorted by number. Only classes found in the file are in
// Classes. The target is called y.
//
// Further pairs of files may follow. Their rows come after those of the first pair, and have the same shape.
//
// The format is defined at the end of http://yann.lecun.com/exdb/mnist/.
func ReadIDX(ctx context.Context, cells, labels string, more ...string) (*Dataset, error) {
	if len(more)%2 != 0 {
		return nil, fmt.Errorf("datasets: %s has no file of labels", more[len(more)-1])
	}
	var parts [2][]*idxArray
	for k, path := range append([]string{cells, labels}, more...) {
		a, err := readIDXFile(ctx, path)
		if err != nil {
			return nil, err
		}
		parts[k%2] = append(parts[k%2], a)
	}
	d, err := idxDataset(ctx, parts[0], parts[1])
	if err != nil {
		return nil, err
	}
	d.Name = baseName(cells)
	return d, nil
}

// idxDataset returns the rows of all arrays of cells, with their labels.
func idxDataset(ctx context.Context, cells, labels []*idxArray) (*Dataset, error) {
	first := cells[0]
	n := 0
	for k, x := range cells {
		switch y := labels[k]; {
		case len(y.shape) != 1 || y.isFloat():
			return nil, fmt.Errorf("datasets: %s is an array of %d dimensions of %s; want labels, one dimension of integers",
				y.path, len(y.shape), idxTypes[y.kind].name)
		case x.shape[0] != y.shape[0]:
			return nil, fmt.Errorf("datasets: %s has %d rows, but %s has %d labels", x.path, x.shape[0], y.path, y.shape[0])
		case !slices.Equal(x.shape[1:], first.shape[1:]):
			return nil, fmt.Errorf("datasets: %s has rows of shape %v; those of %s have %v",
				x.path, x.shape[1:], first.path, first.shape[1:])
		}
		n += x.shape[0]
	}
	d := &Dataset{Features: first.features(), Columns: newColumns(n, first.width())}
	classes := make([]int32, n)
	from := 0
	for k, x := range cells {
		if err := x.transpose(ctx, d.Columns, from); err != nil {
			return nil, fileError(x.path, err)
		}
		decodeIDX(classes[from:from+x.shape[0]], labels[k].kind, labels[k].data)
		from += x.shape[0]
	}
	if err := setTarget(d, classes); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(cells, func(a *idxArray) bool { return a.kind == idxInt32 || a.kind == idxFloat64 }) {
		d.noteRounded()
	}
	return d, d.Check()
}

// noteRounded notes that numbers of 2²⁴ or more may be rounded.
func (d *Dataset) noteRounded() {
	for j, column := range d.Columns {
		if slices.ContainsFunc(column, func(v float32) bool { return math.Abs(float64(v)) >= 1<<24 }) {
			d.Notes = []string{fmt.Sprintf("Columns such as %q have numbers of 2²⁴ or more, which are rounded to the 24 bits "+
				"of a cell.", d.Features[j].Name)}
			return
		}
	}
}

// An idxArray is the array of an IDX file.
type idxArray struct {
	path  string
	kind  byte  // a key of idxTypes
	shape []int // lengths of the dimensions, none of them 0
	data  []byte
}

const (
	idxUint8   = 0x08
	idxInt8    = 0x09
	idxInt16   = 0x0b
	idxInt32   = 0x0c
	idxFloat32 = 0x0d
	idxFloat64 = 0x0e
)

var idxTypes = map[byte]struct {
	name string
	size int // bytes
}{
	idxUint8: {"uint8", 1}, idxInt8: {"int8", 1}, idxInt16: {"int16", 2},
	idxInt32: {"int32", 4}, idxFloat32: {"float32", 4}, idxFloat64: {"float64", 8},
}

func (a *idxArray) isFloat() bool { return a.kind == idxFloat32 || a.kind == idxFloat64 }

// width returns the number of cells of a row.
func (a *idxArray) width() int {
	p := 1
	for _, length := range a.shape[1:] {
		p *= length
	}
	return p
}

func (a *idxArray) features() []Feature {
	if len(a.shape) != 3 {
		return numberedFeatures(a.width())
	}
	features := make([]Feature, 0, a.width())
	for r := range a.shape[1] {
		for c := range a.shape[2] {
			features = append(features, Feature{Name: fmt.Sprintf("r%dc%d", r, c)})
		}
	}
	return features
}

func readIDXFile(ctx context.Context, path string) (*idxArray, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return readIDXArray(ctx, f, Limits{}.Of(info.Size()), path)
}

func readIDXArray(ctx context.Context, r io.Reader, limits Limits, path string) (*idxArray, error) {
	a := &idxArray{path: path}
	in, err := unpack(bufio.NewReaderSize(r, 1<<16), limits)
	if err == nil {
		head, _ := in.Peek(filekind.Head)
		if is := filekind.Of(head); is != "" && head[0] != 0 {
			err = fmt.Errorf("this is %s", is)
		}
	}
	if err == nil {
		err = a.readHeader(in, limits)
	}
	if err == nil {
		err = a.readData(parallel.Reader(ctx, in))
	}
	if err != nil {
		return nil, fileError(path, err)
	}
	return a, nil
}

// readHeader reads two zeros, the type of the elements, the number of dimensions, and
// their lengths, which are big-endian.
func (a *idxArray) readHeader(r io.Reader, limits Limits) error {
	var magic [4]byte
	if n, err := io.ReadFull(r, magic[:]); err != nil {
		return idxEnd("the header", n, len(magic), err)
	}
	if _, ok := idxTypes[magic[2]]; !ok || magic[0] != 0 || magic[1] != 0 || magic[3] == 0 {
		return fmt.Errorf(
			"the file begins with the bytes % x; want those of an IDX file: 00 00, a type (08, 09, 0b, 0c, 0d or 0e) and "+
				"the number of dimensions",
			magic,
		)
	}
	a.kind = magic[2]
	lengths := make([]byte, 4*int(magic[3]))
	if n, err := io.ReadFull(r, lengths); err != nil {
		return idxEnd(fmt.Sprintf("the header of %d dimensions", magic[3]), n, len(lengths), err)
	}
	width := 1
	for k := range int(magic[3]) {
		length := int(binary.BigEndian.Uint32(lengths[4*k:]))
		a.shape = append(a.shape, length)
		if k > 0 {
			width *= length
		}
		if length == 0 || length > math.MaxInt32 || width > limits.Columns {
			return fmt.Errorf("the header announces the dimensions %s, …; want 1 to %d rows of 1 to %d cells",
				a.dimensions(), math.MaxInt32, limits.Columns)
		}
	}
	return limits.checkCells(a.shape[0], width)
}

// readData reads the elements, which must be all that is left of the file.
func (a *idxArray) readData(r io.Reader) error {
	what := fmt.Sprintf("the array of %s %s", a.dimensions(), idxTypes[a.kind].name)
	want := a.shape[0] * a.width() * idxTypes[a.kind].size // less than 2⁵⁵
	// Memory grows with what the file holds: its header may lie. The byte more lets gzip check its checksum.
	var data bytes.Buffer
	_, err := data.ReadFrom(io.LimitReader(r, int64(want)+1))
	a.data = data.Bytes()
	switch n := len(a.data); {
	case n > want:
		return fmt.Errorf("bytes follow after %s; want %d bytes and no more", what, want)
	case n < want:
		return idxEnd(what, n, want, err)
	}
	return err
}

// idxEnd returns the error of a file that can't be read beyond the first n bytes of a part of it.
func idxEnd(part string, n, want int, err error) error {
	if err == nil || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends after %d bytes of %s; want %d: %w", n, part, want, io.ErrUnexpectedEOF)
	}
	return err
}

// dimensions prints the shape, for messages.
func (a *idxArray) dimensions() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(a.shape), "[]"), " ", " × ")
}

// transpose writes the cells to columns, the first row to element from of each.
func (a *idxArray) transpose(ctx context.Context, columns [][]float32, from int) error {
	n, p, size := a.shape[0], a.width(), idxTypes[a.kind].size
	// A tile of rows is decoded into memory that fits in a cache, and then written column
	// by column.
	tile := min(max(1<<16/p, 1), 64)
	const tilesPerTask = 16
	tasks := (n-1)/(tile*tilesPerTask) + 1
	return parallel.Errors(tasks, func(task int) error {
		cells := make([]float32, min(tile, n)*p)
		for i := task * tile * tilesPerTask; i < min((task+1)*tile*tilesPerTask, n); i += tile {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows := min(tile, n-i)
			cells := cells[:rows*p]
			decodeIDX(cells, a.kind, a.data[i*p*size:])
			if err := a.checkFinite(cells, i, p); err != nil {
				return err
			}
			for j, column := range columns {
				column := column[from+i : from+i+rows]
				for k := range column {
					column[k] = cells[k*p+j]
				}
			}
		}
		return nil
	})
}

// checkFinite returns an error if one of the cells, which are those of rows of width p from
// the given row on, is infinite.
func (a *idxArray) checkFinite(cells []float32, row, p int) error {
	if !a.isFloat() {
		return nil
	}
	k := slices.IndexFunc(cells, func(v float32) bool { return math.IsInf(float64(v), 0) })
	if k < 0 {
		return nil
	}
	return fmt.Errorf("row %d, column %q is not finite as a float32", row+k/p, a.features()[k%p].Name)
}

// decodeIDX decodes as many elements of data as dst holds.
func decodeIDX[T float32 | int32](dst []T, kind byte, data []byte) {
	order := binary.BigEndian
	data = data[:len(dst)*idxTypes[kind].size]
	switch kind {
	case idxUint8:
		for i := range dst {
			dst[i] = T(data[i])
		}
	case idxInt8:
		for i := range dst {
			dst[i] = T(int8(data[i]))
		}
	case idxInt16:
		for i := range dst {
			dst[i] = T(int16(order.Uint16(data[2*i:])))
		}
	case idxInt32:
		for i := range dst {
			dst[i] = T(int32(order.Uint32(data[4*i:])))
		}
	case idxFloat32:
		for i := range dst {
			dst[i] = T(math.Float32frombits(order.Uint32(data[4*i:])))
		}
	case idxFloat64:
		for i := range dst {
			dst[i] = T(math.Float64frombits(order.Uint64(data[8*i:])))
		}
	}
}
