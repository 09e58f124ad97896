package columnar

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/bounded"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// intact are files without faults, one of each kind of damage that can be done.
var intact = []string{
	"required.parquet", "fallback.parquet", "foreign.parquet", "v2pages.parquet", "delta.parquet", "brotli.parquet",
	"zstd.parquet", "gzip.parquet", "lz4.parquet", "pandas.parquet",
	"file.arrow", "batches.arrow", "lz4.arrow", "zstd.arrow", "stream.arrows", "deltas.arrows", "replaced.arrows",
	"pandas.feather",
}

func bytesOf(t testing.TB, name string) []byte {
	return must.Value(os.ReadFile("testdata/" + name))
}

// readBytes reads a file with the given contents. A data set must be sound, whatever it
// was read from.
func readBytes(t testing.TB, dir, name string, b []byte) error {
	t.Helper()
	return readWithin(t, dir, name, b, datasets.Limits{})
}

func readWithin(t testing.TB, dir, name string, b []byte, limits datasets.Limits) error {
	t.Helper()
	path := filepath.Join(dir, "x"+filepath.Ext(name))
	must.Do(os.WriteFile(path, b, 0o666))
	read := ReadArrow
	if filepath.Ext(name) == ".parquet" {
		read = ReadParquet
	}
	d, err := read(t.Context(), path, Options{NoTarget: true, Limits: limits})
	if err == nil {
		check(t, d)
		return nil
	}
	if !strings.HasPrefix(err.Error(), "columnar: "+path+": ") {
		t.Errorf("%s: the error names no file: %v", name, err)
	}
	return err
}

func check(t testing.TB, d *datasets.Dataset) {
	t.Helper()
	must.Do(d.Check())
	for j, column := range d.Columns {
		for i, v := range column {
			if math.IsInf(float64(v), 0) {
				t.Fatalf("row %d, column %q is %v", i, d.Features[j].Name, v)
			}
		}
	}
}

func TestFilesCutShort(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	dir := t.TempDir()
	for _, name := range intact {
		whole := bytesOf(t, name)
		must.Do(readBytes(t, dir, name, whole))
		for n := 0; n < len(whole); n++ {
			if n > 64 && n < len(whole)-64 && n%997 != 0 {
				continue
			}
			if readBytes(t, dir, name, whole[:n]) == nil {
				t.Errorf("%s: %d of %d bytes are read without an error", name, n, len(whole))
			}
		}
	}
}

// Damage may go undetected, since no checksums are verified, but it must not cause a panic
// or take much memory.
func TestFlippedBits(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for _, name := range intact {
		whole := bytesOf(t, name)
		stride := 1 + len(whole)/60
		for i := rng.IntN(stride); i < len(whole); i += stride {
			bit := byte(1) << rng.IntN(8)
			whole[i] ^= bit
			if readBytes(t, dir, name, whole) != nil {
				found++
			}
			whole[i] ^= bit
		}
	}
	if found < 20 {
		t.Errorf("%d errors; the test does no damage", found)
	}
}

// Numbers in the metadata of files decide how much memory is allocated. This test writes a
// large one at one place after another.
func TestLargeNumbersTakeNoMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	const most = 48 << 20 // intact files take up to 3 MB; one buffer may have 16 MB and 1024 times the file
	dir := t.TempDir()
	word := []byte{0xff, 0xff, 0xff, 0x0f}         // in Arrow's messages
	varint := []byte{0xff, 0xff, 0xff, 0xff, 0x07} // in Parquet's footer
	list := []byte{0xfc, 0xff, 0xff, 0xff, 0x1f}   // of structs
	for name, number := range map[string][][]byte{
		"required.parquet": {varint, list}, "pandas.feather": {word}, "deltas.arrows": {word},
	} {
		whole := bytesOf(t, name)
		from, step := 0, 4
		if filepath.Ext(name) == ".parquet" {
			from, step = len(whole)-8-int(binary.LittleEndian.Uint32(whole[len(whole)-8:])), 1
		}
		for _, number := range number {
			for i := from; i+len(number) <= len(whole); i += step {
				b := append([]byte(nil), whole...)
				copy(b[i:], number)
				if took, err := taken(t, dir, name, b); took > most {
					t.Errorf("%s: % x at byte %d takes %d MB (error: %v)", name, number, i, took>>20, err)
				}
			}
		}
	}
}

// A file that claims as many rows as its size allows gets memory only as they are read.
func TestPromisedRows(t *testing.T) {
	b := bytesOf(t, "required.parquet")
	// Field 3 of the footer, the number of rows, 100; the list of field 4 follows.
	b, after, ok := bytes.Cut(b, []byte{0x16, 0xc8, 0x01, 0x19})
	if !ok {
		t.Fatal("the footer is another one")
	}
	b = slices.Concat(b, []byte{0x16}, binary.AppendVarint(nil, 10_000_000), []byte{0x19}, after)
	length := b[len(b)-8:]
	binary.LittleEndian.PutUint32(length, binary.LittleEndian.Uint32(length)+2)
	took, err := taken(t, t.TempDir(), "x.parquet", b)
	if readtest.WantError(t, err, "100 rows of 10000000"); took > 10<<20 {
		t.Errorf("takes %d MB", took>>20)
	}
}

// taken returns the memory that reading a file takes in all, and its error.
func taken(t testing.TB, dir, name string, b []byte) (bytes uint64, err error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = readBytes(t, dir, name, b)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// Each table has two children that are the same: 2⁴⁰ of them in 800 bytes.
func TestTablesWithinTables(t *testing.T) {
	nested := func(levels, width int) []byte {
		b := make([]byte, 24)
		binary.LittleEndian.PutUint16(b[4:], 18) // the vtable of all: 7 members,
		binary.LittleEndian.PutUint16(b[6:], 8)
		binary.LittleEndian.PutUint16(b[8+2*5:], 4) // of which only the children are there
		for k := range levels {
			at := len(b)
			b = binary.LittleEndian.AppendUint32(b, uint32(at-4))
			b = binary.LittleEndian.AppendUint32(b, 4)
			n := width
			if k == levels-1 {
				n = 0
			}
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
			next := at + 12 + 4*n
			for range n {
				b = binary.LittleEndian.AppendUint32(b, uint32(next-len(b)))
			}
		}
		return b
	}
	for _, test := range []struct {
		levels, width int
		err           string
	}{{40, 2, "larger than its bytes"}, {100, 1, ""}, {300, 1, "levels"}, {2, 3, ""}} {
		b := nested(test.levels, test.width)
		c := &checker{8*len(b) + 1024}
		err := c.check(flatbuffers.Table{Bytes: b, Pos: 24}, "Field", 0)
		readtest.WantResult(t, err, test.err)
	}
}

// A column of nulls has no buffers: any number of rows fits into any file.
func TestMoreRowsThanAFileCanHold(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null}, {Name: "b", Type: arrow.Null}}, nil)
	for _, test := range []struct {
		rows int
		err  string
	}{{1 << 10, ""}, {1 << 30, "more than"}, {1 << 31, "2147483648 rows; at most 2147483647 can be indexed"}} {
		var b bytes.Buffer
		w := ipc.NewWriter(&b, ipc.WithSchema(schema))
		nulls := array.NewNull(test.rows)
		must.Do(errors.Join(w.Write(array.NewRecordBatch(schema, []arrow.Array{nulls, nulls}, int64(test.rows))),
			w.Close()))
		err := readBytes(t, t.TempDir(), "x.arrows", b.Bytes())
		readtest.WantResult(t, err, test.err)
	}
}

// Buffers of one message share a budget, each buffer of Parquet has its own.
func TestAllocatorsRefuse(t *testing.T) {
	refuses := func(allocate func()) (refused bool) {
		defer func() { refused = recover() != nil }()
		allocate()
		return false
	}
	limit := limitTo(datasets.Limits{Unpacked: 17 << 20})
	small := limit.Allocate(10 << 20)
	if refuses(func() { limit.Allocate(17 << 20) }) || !refuses(func() { limit.Allocate(17<<20 + 1) }) ||
		!refuses(func() { limit.Allocate(-1) }) || !refuses(func() { limit.Reallocate(17<<20+1, small) }) {
		t.Error("a buffer isn't limited to 17 MiB")
	}
	b := &budget{Allocator: limit}
	first := b.Allocate(10 << 20)
	first = b.Reallocate(12<<20, first)
	if refuses(func() { b.Allocate(5 << 20) }) || !refuses(func() { b.Allocate(1) }) || len(first) != 12<<20 {
		t.Error("the buffers of a message aren't limited to 17 MiB")
	}
}

func TestPanicsBecomeErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.file")
	must.Do(os.WriteFile(path, nil, 0o666))
	_, err := readFile(t.Context(), path, Options{}, func(*table, *os.File, int64) error { panic("index out of range") })
	readtest.WantError(t, err, "columnar: "+path+": the file is damaged: index out of range")
}

func FuzzReadParquet(f *testing.F) { fuzz(f, ".parquet") }
func FuzzReadArrow(f *testing.F)   { fuzz(f, ".arrow", ".arrows", ".feather") }

func fuzz(f *testing.F, extensions ...string) {
	for _, name := range intact {
		for _, extension := range extensions {
			if filepath.Ext(name) == extension {
				f.Add(bytesOf(f, name))
			}
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		// What is read isn't checked beyond that it is sound; see readBytes.
		bounded.Read(t, len(b), func() {
			_ = readWithin(t, dir, extensions[0], b, datasets.Limits{Cells: 1 << 21, Unpacked: 1 << 21})
		})
	})
}

// A reader ends with the error of a context that is cancelled before or between batches.
func TestReadersStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32},
		{Name: "b", Type: arrow.PrimitiveTypes.Int32}}, nil)
	batches := &stopping{cancel: cancel}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	column := array.NewInt32Data(array.NewData(arrow.PrimitiveTypes.Int32, 3,
		[]*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 12))}, nil, 0, 0))
	for range 4 {
		must.Do(w.Write(array.NewRecordBatch(schema, []arrow.Array{column, column}, 3)))
	}
	must.Do(w.Close())
	batches.Reader = must.Value(ipc.NewReader(&b))
	if _, err := (Options{NoTarget: true}).Read(ctx, batches, "memory"); !errors.Is(err, context.Canceled) ||
		batches.read > 2 {
		t.Errorf("error %v after %d batches; want one of the context after 2", err, batches.read)
	}
	for _, name := range intact {
		read := ReadArrow
		if filepath.Ext(name) == ".parquet" {
			read = ReadParquet
		}
		if _, err := read(ctx, "testdata/"+name, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v; want that of the context", name, err)
		}
	}
}

// A stopping reader cancels a context with its second batch.
type stopping struct {
	*ipc.Reader
	read   int
	cancel func()
}

func (s *stopping) Next() bool {
	if s.read++; s.read == 2 {
		s.cancel()
	}
	return s.Reader.Next()
}
