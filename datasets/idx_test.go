package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/bounded"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// idx returns an IDX file: a header, and values, a slice of a type of the format, as
// encoding/binary writes them.
func idx(values any, shape ...uint32) []byte {
	kind := map[reflect.Kind]byte{
		reflect.Uint8: 8, reflect.Int8: 9, reflect.Int16: 0xb, reflect.Int32: 0xc, reflect.Float32: 0xd, reflect.Float64: 0xe,
	}[reflect.TypeOf(values).Elem().Kind()]
	var b bytes.Buffer
	b.Write([]byte{0, 0, kind, byte(len(shape))})
	for _, part := range []any{shape, values} {
		if err := binary.Write(&b, binary.BigEndian, part); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// writeIDX writes two files into a folder of their own and returns their paths.
func writeIDX(t testing.TB, cells, labels []byte) (string, string) {
	t.Helper()
	dir := t.TempDir()
	x, y := filepath.Join(dir, "some-images.idx3"), filepath.Join(dir, "some-labels.idx1")
	must.Do(errors.Join(os.WriteFile(x, cells, 0o644), os.WriteFile(y, labels, 0o644)))
	return x, y
}

// Two images of 2 × 3 pixels, byte by byte as LeCun's page describes the format, with and
// without gzip.
func TestReadIDX(t *testing.T) {
	cells := []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6, 250, 251, 252, 253, 254, 255}
	labels := []byte{0, 0, 8, 1, 0, 0, 0, 2, 10, 9}
	for _, files := range [][2][]byte{{cells, labels}, {readtest.Gzipped(t, cells), readtest.Gzipped(t, labels)}} {
		x, y := writeIDX(t, files[0], files[1])
		d := must.Value(ReadIDX(t.Context(), x, y))
		must.Do(d.CheckFinite())
		if d.Name != "some-images" {
			t.Errorf("name %q", d.Name)
		}
		wantData(t, d, `"y" of ["9" "10"]: [1 0] []
"r0c0": [1 250]
"r0c1": [2 251]
"r0c2": [3 252]
"r1c0": [4 253]
"r1c1": [5 254]
"r1c2": [6 255]
`) // classes by number
	}
}

// Arrays of every type and of any number of dimensions are read as encoding/binary wrote
// them, cell by cell.
func TestReadIDXTypes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(r, "rows") // more than a tile
		shape := []uint32{uint32(n)}
		p := 1
		for range rapid.IntRange(0, 3).Draw(r, "further dimensions") {
			length := rapid.IntRange(1, 4).Draw(r, "length")
			shape = append(shape, uint32(length))
			p *= length
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		values := []any{make([]uint8, n*p), make([]int8, n*p), make([]int16, n*p), make([]int32, n*p), make([]float32, n*p),
			make([]float64, n*p)}
		cells := rapid.SampledFrom(values).Draw(r, "type")
		v := reflect.ValueOf(cells)
		for k := range n * p {
			switch e := v.Index(k); {
			case e.CanFloat():
				e.SetFloat(rng.NormFloat64() * 1e30)
			case e.CanUint():
				e.SetUint(rng.Uint64())
			default:
				e.SetInt(int64(rng.Uint64()))
			}
		}
		labels := make([]int16, n)
		for i := range labels {
			labels[i] = int16(rng.IntN(5)*10000 - 20000)
		}
		x, y := writeIDX(t, idx(cells, shape...), idx(labels, uint32(n)))
		d := must.Value(ReadIDX(t.Context(), x, y))
		if d.N() != n || d.P() != p || d.Check() != nil {
			r.Fatalf("%d rows of %d cells, %v; want %v", d.N(), d.P(), d.Check(), shape)
		}
		for i := range n {
			if d.Classes[d.Labels[i]] != fmt.Sprint(labels[i]) {
				r.Fatalf("row %d is of class %s; want %d", i, d.Classes[d.Labels[i]], labels[i])
			}
			for j := range p {
				want := v.Index(i*p + j).Convert(reflect.TypeFor[float32]()).Interface().(float32)
				if d.At(i, j) != want {
					r.Fatalf("row %d, column %d is %v; want %v", i, j, d.At(i, j), want)
				}
			}
		}
	})
}

// NaN is a missing cell, and the columns of two dimensions are numbered from 1.
// Numbers that float32 can't hold are noted.
func TestReadIDXRounded(t *testing.T) {
	for _, test := range []struct {
		cells []byte
		notes int
	}{
		{idx([]int32{1, 1<<24 + 1}, 2, 1), 1}, {idx([]int32{1, 1<<24 - 1}, 2, 1), 0}, {idx([]float64{1.5, 1.7e12}, 2, 1), 1},
		{idx([]float32{1, 1e30}, 2, 1), 0},
	} {
		x, y := writeIDX(t, test.cells, idx([]uint8{1, 2}, 2))
		if d := must.Value(ReadIDX(t.Context(), x, y)); len(d.Notes) != test.notes {
			t.Errorf("notes %q; want %d", d.Notes, test.notes)
		}
	}
}

func TestReadIDXMissing(t *testing.T) {
	x, y := writeIDX(t, idx([]float32{1, float32(math.NaN()), 3, 4}, 2, 2), idx([]int32{-1, 1 << 30}, 2))
	d := must.Value(ReadIDX(t.Context(), x, y))
	if !errors.Is(d.CheckFinite(), ErrMissing) || !reflect.DeepEqual(d.FeatureNames(), []string{"x1", "x2"}) ||
		!reflect.DeepEqual(d.Classes, []string{"-1", "1073741824"}) {
		t.Errorf("%v, features %q, classes %q", d.CheckFinite(), d.FeatureNames(), d.Classes)
	}
}

// Errors name the file, what it holds and what it should.
func TestReadIDXErrors(t *testing.T) {
	three := idx([]uint8{1, 2, 3}, 3)
	six := idx([]uint8{1, 2, 3, 4, 5, 6}, 3, 2)
	packed := readtest.Gzipped(t, six)
	huge := func(shape ...uint32) []byte { return append(idx([]uint8{}, shape...), 1, 2, 3) }
	const most = math.MaxUint32
	for _, c := range []struct {
		cells, labels []byte // nil labels are three
		want          string // separated by bars
	}{
		{nil, nil, "ends after 0 bytes of the header|want 4"},
		{six[:3], nil, "ends after 3 bytes of the header|want 4"},
		{six[:9], nil, "ends after 5 bytes of the header of 2 dimensions|want 8"},
		{six[:len(six)-1], nil, "ends after 5 bytes of the array of 3 × 2 uint8|want 6"},
		{append(six[:len(six):len(six)], 7), nil, "bytes follow after the array of 3 × 2 uint8|want 6 bytes"},
		{packed[:20], nil, "ends after"},
		{packed[:len(packed)-6], nil, "unexpected EOF"}, // without the checksum
		{append([]byte("\x1f\x8b"), six...), nil, "gzip"},
		{[]byte("a,b,class\n1,2,x\n"), nil, "begins with the bytes 61 2c 62 2c|want|00 00"},
		{[]byte{0, 0, 0x0a, 1, 0, 0, 0, 1, 7}, nil, "00 00 0a 01"},
		{[]byte{0, 1, 8, 1, 0, 0, 0, 1, 7}, nil, "00 01 08 01"},
		{[]byte{0, 0, 8, 0, 7}, nil, "00 00 08 00"},
		{huge(0, 2), nil, "dimensions 0|1 to 2147483647 rows"},
		{huge(3, 0), nil, "dimensions 3 × 0|1 to 1048576 cells"},
		{huge(1<<31, 1), nil, "dimensions 2147483648"},
		{huge(1, 1<<20+1), nil, "dimensions 1 × 1048577"},
		{huge(1, most, most, most), nil, "dimensions 1 × 4294967295"},
		// the product is 2⁶⁴
		{huge(1, 1<<16, 1<<16, 1<<16, 1<<16), nil, "dimensions 1 × 65536 × 65536"},
		{huge(1<<20, 32), nil, "ends after 3 bytes|want 33554432"},
		{huge(math.MaxInt32, 1<<20), nil, "more than 33554672 cells|Limits.Cells"},
		{six, three[:6], "some-labels|ends after 2 bytes"},
		{six, idx([]uint8{1, 2}, 2), "some-images|3 rows|some-labels|2 labels"},
		{six, six, "some-labels|2 dimensions|want labels"},
		{six, idx([]float32{1, 2, 3}, 3), "some-labels|float32|integers"},
		{idx([]float64{1, 2, 3, 1e39, 5, 6}, 3, 1, 2), nil, `row 1|"r0c1"|not finite`},
		{idx([]float32{1, 2, 3, 4, 5, float32(math.Inf(-1))}, 3, 2), nil, `row 2|"x2"|not finite`},
	} {
		if c.labels == nil {
			c.labels, c.want = three, "some-images|"+c.want
		}
		x, y := writeIDX(t, c.cells, c.labels)
		_, err := ReadIDX(t.Context(), x, y)
		readtest.WantError(t, err, strings.Split("datasets: |"+c.want, "|")...)
	}
	x, y := writeIDX(t, six, three)
	if _, err := ReadIDX(t.Context(), x, y+".gz"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}

// A header that announces 2²⁵ bytes allocates no more than one of a few.
func TestReadIDXAllocation(t *testing.T) {
	x, y := writeIDX(t, append(idx([]uint8{}, 1<<20, 32), 1, 2, 3), idx([]uint8{1}, 1))
	var err error
	got := allocated(func() { _, err = ReadIDX(t.Context(), x, y) })
	if err == nil || got > 8<<20 {
		t.Errorf("%d bytes were allocated; error %v", got, err)
	}
}

// Whatever the files hold, reading them gives an error or a valid data set, and one of
// bytes has the cells of the file.
func FuzzReadIDX(f *testing.F) {
	three := idx([]uint8{1, 2, 3}, 3)
	f.Add(idx([]uint8{1, 2, 3, 4, 5, 6}, 3, 2), three)
	f.Add(readtest.Gzipped(f, idx([]uint8{1, 2, 3, 4, 5, 6}, 3, 1, 2)), readtest.Gzipped(f, three))
	f.Add(idx([]float64{1, 2, math.Inf(1)}, 3), idx([]int32{-1, 0, 1}, 3))
	f.Add(idx([]int16{1, 2, 3}, 3), idx([]int8{-1, 0, 1}, 3))
	f.Fuzz(func(t *testing.T, cells, labels []byte) {
		var d *Dataset
		var err error
		bounded.Read(t, len(cells)+len(labels), func() {
			var x, y *idxArray
			if x, err = readIDXArray(t.Context(), bytes.NewReader(cells), fuzzLimits, "x"); err != nil {
				return
			}
			if y, err = readIDXArray(t.Context(), bytes.NewReader(labels), fuzzLimits, "y"); err != nil {
				return
			}
			d, err = idxDataset(t.Context(), []*idxArray{x}, []*idxArray{y})
		})
		if err != nil {
			readtest.WantError(t, err, "datasets: ")
			return
		}
		must.Do(d.Check())
		if cells[0] != 0 || cells[2] != 8 { // gzipped, or not of bytes
			return
		}
		cells = cells[4+4*int(cells[3]):]
		if len(cells) != d.N()*d.P() {
			t.Fatalf("%d rows of %d columns from %d bytes", d.N(), d.P(), len(cells))
		}
		for k, v := range cells {
			if got := d.At(k/d.P(), k%d.P()); got != float32(v) {
				t.Fatalf("cell %d is %v; want %d", k, got, v)
			}
		}
	})
}

// The parts of a set must have images of one shape.
func TestReadIDXParts(t *testing.T) {
	labels := idx([]uint8{0}, 1)
	x, y := writeIDX(t, idx([]uint8{1, 2}, 1, 1, 2), labels)
	other, _ := writeIDX(t, idx([]uint8{1, 2}, 1, 2, 1), labels)
	_, err := ReadIDX(t.Context(), x, y, other, y)
	readtest.WantError(t, err, x, other, "[1 2]", "[2 1]")
	_, err = ReadIDX(t.Context(), x, y, other)
	readtest.WantError(t, err, other, "no file of labels")
}

// The training part of MNIST, gzipped, from the files of the data folder.
func BenchmarkReadIDX(b *testing.B) {
	folder := filepath.Join(readtest.DataDir(b), "mnist")
	for b.Loop() {
		d := must.Value(ReadIDX(b.Context(), filepath.Join(folder, "train-images-idx3-ubyte.gz"),
			filepath.Join(folder, "train-labels-idx1-ubyte.gz")))
		b.SetBytes(int64(d.N() * d.P()))
	}
}
