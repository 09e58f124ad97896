package forest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func encode(t testing.TB, f *Forest) []byte {
	t.Helper()
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// seal makes the length and checksum of a mutated file right again, so that
// only its contents can be refused.
func seal(b []byte) []byte {
	if len(b) < headerSize+8 {
		return b
	}
	binary.LittleEndian.PutUint64(b[16:], uint64(len(b)))
	end := len(b) - 8
	sum := crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint64(b[end:], uint64(sum))
	return b
}

func TestEncodeRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		classes := []int{0, 1, 2, 3, 7}[i%5]
		f := drawForest(rng, 1+rng.IntN(5), classes, 1+rng.IntN(4))
		b := encode(t, f)
		var g Forest
		if err := g.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(f, &g) {
			t.Fatalf("decoded\n%+v\nwant\n%+v", g, *f)
		}
		if !bytes.Equal(encode(t, &g), b) {
			t.Fatal("encoded again, the bytes differ")
		}
		d := drawData(rng, f, 20)
		if !reflect.DeepEqual(f.Apply(d), g.Apply(d)) {
			t.Fatal("predictions differ")
		}
		if len(b) != f.encodedSize() {
			t.Fatalf("%d bytes, announced %d", len(b), f.encodedSize())
		}
	}
}

// The bytes are written out by hand from the description at FormatVersion.
func TestEncodeLayout(t *testing.T) {
	f := &Forest{
		Method: "cart", Target: "y", Features: []string{"a", "bc"}, Classes: []string{"n", "j"},
		Rule:     Average,
		Sampling: Sampling{Fraction: 0.5, Replace: true, Seed: 258},
		Trees: []Tree{{
			Nodes: []Node{
				{Split: 2, Next: 2, Value: 1, Weight: 0.5},
				{Split: LeafClass, Next: 1, Weight: 2},
				{Split: LeafDist, Next: 0, Weight: 3},
			},
			Splits: Pool{Start: []int32{0, 2}, Index: []int32{0, 1}, Weights: []float32{1, -1}},
			Dist:   []float32{1, 2},
		}},
	}
	want := "\x89Obliqua" + "\x01\x00\x00\x00" + "\x01\x01\x00\x00" +
		"\x00\x01\x00\x00\x00\x00\x00\x00" + // 256 bytes
		"\x00\x00\x00\x00\x00\x00\xe0\x3f" + "\x02\x01\x00\x00\x00\x00\x00\x00" + // 0.5, 258
		"\x02\x00\x00\x00" + "\x02\x00\x00\x00" + "\x01\x00\x00\x00" + "\x00\x00\x00\x00" +
		"\x04\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00" +
		"cartyabcnj" + "\x00\x00\x00\x00\x00\x00" +
		"\x03\x00\x00\x00" + "\x01\x00\x00\x00" + "\x02\x00\x00\x00" + "\x01\x00\x00\x00" +
		"\x02\x00\x00\x00" + "\x02\x00\x00\x00" + "\x00\x00\x80\x3f" + "\x00\x00\x00\x3f" +
		"\xff\xff\xff\xff" + "\x01\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x40" +
		"\xfe\xff\xff\xff" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x40\x40" +
		"\x00\x00\x00\x00" + "\x02\x00\x00\x00" +
		"\x00\x00\x00\x00" + "\x01\x00\x00\x00" +
		"\x00\x00\x80\x3f" + "\x00\x00\x80\xbf" +
		"\x00\x00\x80\x3f" + "\x00\x00\x00\x40"
	got := encode(t, f)
	sealed := seal([]byte(want + "12345678"))
	binary.LittleEndian.PutUint64(sealed[16:], uint64(len(sealed)))
	if !bytes.Equal(got, seal(sealed)) {
		t.Errorf("encoded as\n%q\nwant\n%q", got, sealed)
	}
}

// Bytes that don't begin at a multiple of 4 can't be used in place.
func TestViewCopiesWhatItCannotUse(t *testing.T) {
	f := soundForest()
	b := encode(t, f)[104:184]
	odd := append([]byte{0}, b...)[1:]
	if got := view[Node](odd); !slices.Equal(got, f.Trees[0].Nodes) {
		t.Errorf("%v, want %v", got, f.Trees[0].Nodes)
	}
	if got, want := view[int32](odd), view[int32](b); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A machine of the other byte order writes the same file and reads it.
func TestEncodeOnBigEndian(t *testing.T) {
	f := drawForest(rand.New(rand.NewPCG(1, 2)), 3, 3, 2)
	want := encode(t, f)
	defer func(was bool) { littleEndian = was }(littleEndian)
	littleEndian = false
	if !bytes.Equal(encode(t, f), want) {
		t.Error("the bytes differ")
	}
	var g Forest
	if err := g.UnmarshalBinary(want); err != nil || !reflect.DeepEqual(f, &g) {
		t.Errorf("error %v, decoded\n%+v\nwant\n%+v", err, g, *f)
	}
}

func TestUnmarshalKeepsNothingOfItsInput(t *testing.T) {
	b := encode(t, soundForest())
	var f Forest
	if err := f.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	clear(b)
	if want := soundForest(); !reflect.DeepEqual(&f, want) {
		t.Errorf("%v, want %v", f, *want)
	}
}

func TestEncodeGob(t *testing.T) {
	f := drawForest(rand.New(rand.NewPCG(1, 2)), 3, 2, 3)
	var buffer bytes.Buffer
	if err := gob.NewEncoder(&buffer).Encode(f); err != nil {
		t.Fatal(err)
	}
	var g Forest
	if err := gob.NewDecoder(&buffer).Decode(&g); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, &g) {
		t.Error("the forest changed")
	}
}

func TestUnmarshalRefusesEveryFlippedBit(t *testing.T) {
	b := encode(t, drawForest(rand.New(rand.NewPCG(1, 2)), 3, 3, 3))
	for i := range 8 * len(b) {
		b[i/8] ^= 1 << (i % 8)
		if new(Forest).UnmarshalBinary(b) == nil {
			t.Fatalf("bit %d of byte %d flipped, no error", i%8, i/8)
		}
		b[i/8] ^= 1 << (i % 8)
	}
}

func TestUnmarshalRefusesEveryTruncation(t *testing.T) {
	b := encode(t, drawForest(rand.New(rand.NewPCG(1, 2)), 3, 3, 3))
	for n := range len(b) {
		if new(Forest).UnmarshalBinary(b[:n]) == nil {
			t.Fatalf("cut to %d of %d bytes, no error", n, len(b))
		}
		if new(Forest).UnmarshalBinary(seal(bytes.Clone(b[:n]))) == nil {
			t.Fatalf("cut to %d of %d bytes and sealed, no error", n, len(b))
		}
	}
	if new(Forest).UnmarshalBinary(append(b, make([]byte, 8)...)) == nil {
		t.Error("8 more bytes, no error")
	}
}

// With a right checksum, a changed bit either is refused or gives another sound
// forest that encodes to just these bytes.
func TestUnmarshalMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{0, 3} {
		b := encode(t, drawForest(rng, 3, classes, 2))
		for i := range 8 * (len(b) - 8) {
			c := bytes.Clone(b)
			c[i/8] ^= 1 << (i % 8)
			checkDecoded(t, seal(c))
		}
		for range 20_000 {
			c := bytes.Clone(b)
			for range 1 + rng.IntN(3) {
				word := c[4*rng.IntN(len(c)/4):]
				binary.LittleEndian.PutUint32(word, uint32(rng.IntN(12)-4))
			}
			checkDecoded(t, seal(c))
		}
	}
}

// checkDecoded uses whatever b decodes to.
func checkDecoded(t *testing.T, b []byte) {
	t.Helper()
	var f Forest
	if err := f.UnmarshalBinary(b); err != nil {
		if !reflect.DeepEqual(f, Forest{}) {
			t.Fatal("the forest changed in spite of the error", err)
		}
		return
	}
	if !bytes.Equal(encode(t, &f), b) {
		t.Fatalf("encoded again, the bytes differ:\n%q\nwant\n%q", encode(t, &f), b)
	}
	d := drawData(rand.New(rand.NewPCG(3, 4)), &f, 9)
	f.Apply(d)
	if f.Regression() {
		for _, v := range f.PredictValues(d) {
			if math.IsNaN(v) {
				t.Fatal("predicted NaN")
			}
		}
	} else {
		for i, proba := range f.Proba(d) {
			sum := 0.0
			for _, q := range proba {
				sum += q
			}
			if math.Abs(sum-1) > 1e-5*float64(1+len(f.Classes)) {
				t.Fatalf("row %d: probabilities %v sum to %v", i, proba, sum)
			}
		}
		f.Predict(d)
		f.Votes(d)
	}
	if size := f.Size(); size.Bytes != len(b) {
		t.Fatalf("size of %d bytes, encoded in %d", size.Bytes, len(b))
	}
	f.Importance()
	for _, p := range f.Projections() {
		_ = p.Format(f.Features)
	}
	f.TreeString(&f.Trees[0], 3)
	if f.Sampling.Fraction != 0 && f.Sampling.Fraction < 10 && f.Rows == d.N() {
		if _, err := f.OutOfBag(d); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 10 {
		f.Add(encode(f, drawForest(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		checkDecoded(t, b)
		checkDecoded(t, seal(bytes.Clone(b)))
	})
}

// Each case spoils one thing, names what the error must say, and is tried both
// on the way out and, where the fault can be written down, on the way in.
func TestMalformedForests(t *testing.T) {
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		want  string
		spoil func(f *Forest, t *Tree)
	}{
		{"0 features", func(f *Forest, _ *Tree) { f.Features = nil }},
		{"want nil for regression", func(f *Forest, _ *Tree) { f.Classes = []string{} }},
		{"rule 3", func(f *Forest, _ *Tree) { f.Rule = 3 }},
		{"fraction -1", func(f *Forest, _ *Tree) { f.Sampling.Fraction = -1 }},
		{"fraction NaN", func(f *Forest, _ *Tree) { f.Sampling.Fraction = math.NaN() }},
		{"fraction 1e+300", func(f *Forest, _ *Tree) { f.Sampling.Fraction = 1e300 }},
		{"no trees", func(f *Forest, _ *Tree) { f.Trees = nil }},
		{"tree 1: 0 nodes", func(_ *Forest, t *Tree) { t.Nodes = nil }},
		{"node 0 has its right child at 1; want more than 1", func(_ *Forest, t *Tree) { t.Nodes[0].Next = 1 }},
		{"node 0 has its right child at 5; want more than 1, less than 5", func(_ *Forest, t *Tree) { t.Nodes[0].Next = 5 }},
		{"node 0 has its right child at -1", func(_ *Forest, t *Tree) { t.Nodes[0].Next = -1 }},
		{"node 1 has its right child at 4; want more than 2, less than 4", func(_ *Forest, t *Tree) { t.Nodes[1].Next = 4 }},
		{"node 1 is a leaf where", func(_ *Forest, t *Tree) { t.Nodes[1] = t.Nodes[3] }},
		{"node 4 has its right child at 5; want more than 5", func(_ *Forest, t *Tree) { t.Nodes[4] = Node{Split: 0, Next: 5} }},
		{"node 0 uses split 4; there are 4", func(_ *Forest, t *Tree) { t.Nodes[0].Split = 4 }},
		{"node 0 has value NaN", func(_ *Forest, t *Tree) { t.Nodes[0].Value = nan }},
		{"node 0 has value +Inf", func(_ *Forest, t *Tree) { t.Nodes[0].Value = inf }},
		{"node 4 has value 0 and weight NaN", func(_ *Forest, t *Tree) { t.Nodes[4].Weight = nan }},
		{"node 4 is a leaf of weight -1", func(_ *Forest, t *Tree) { t.Nodes[4].Weight = -1 }},
		{"node 2 is a leaf of class 2; there are 2", func(_ *Forest, t *Tree) { t.Nodes[2].Next = 2 }},
		{"node 2 is a leaf of class -1", func(_ *Forest, t *Tree) { t.Nodes[2].Next = -1 }},
		{"node 3 is a leaf with class weights 1; there are 1", func(_ *Forest, t *Tree) { t.Nodes[3].Next = 1 }},
		{"node 3 is a leaf with class weights -2", func(_ *Forest, t *Tree) { t.Nodes[3].Next = -2 }},
		{"node 3 is a leaf of kind -3; want -1 or -2", func(_ *Forest, t *Tree) { t.Nodes[3].Split = LeafValue }},
		{"node 3 is a leaf of kind -4", func(_ *Forest, t *Tree) { t.Nodes[3].Split = -4 }},
		{"3 class weights; want a multiple of 2", func(_ *Forest, t *Tree) { t.Dist = append(t.Dist, 1) }},
		{"class weights 0 sum to 0", func(_ *Forest, t *Tree) { t.Dist = []float32{0, 0} }},
		{"class weights 0 hold -1", func(_ *Forest, t *Tree) { t.Dist[1] = -1 }},
		{"class weights 0 hold NaN", func(_ *Forest, t *Tree) { t.Dist[1] = nan }},
		{"class weights 0 sum to +Inf", func(_ *Forest, t *Tree) { t.Dist = []float32{math.MaxFloat32, math.MaxFloat32} }},
		{"combination 0 starts at 1", func(_ *Forest, t *Tree) { t.Splits.Start[0] = 1 }},
		{"combination 1 starts at 4; want 0 to 3", func(_ *Forest, t *Tree) { t.Splits.Start[1] = 4 }},
		{"combination 2 starts at 1; want 2 to 3", func(_ *Forest, t *Tree) { t.Splits.Start[2] = 1 }},
		{"combinations end at coefficient 2; there are 3", func(_ *Forest, t *Tree) { t.Splits.Start[2] = 2 }},
		{"combinations end at coefficient 0; there are 3", func(_ *Forest, t *Tree) { t.Splits.Start = nil }},
		{"3 indices and 2 weights", func(_ *Forest, t *Tree) { t.Splits.Weights = t.Splits.Weights[:2] }},
		{"combination 0 has feature 0 after 0", func(_ *Forest, t *Tree) { t.Splits.Index[1] = 0 }},
		{"combination 0 has feature 2 after 0", func(_ *Forest, t *Tree) { t.Splits.Index[1] = 2 }},
		{"combination 0 has feature -1", func(_ *Forest, t *Tree) { t.Splits.Index[0] = -1 }},
		{"combination 1 has weight -Inf", func(_ *Forest, t *Tree) { t.Splits.Weights[2] = -inf }},
	} {
		f := soundForest()
		if err := f.validate(); err != nil {
			t.Fatal(err)
		}
		c.spoil(f, &f.Trees[len(f.Trees)-1])
		if _, err := f.MarshalBinary(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v; want one with %q", err, c.want)
		}
	}
	f := soundForest()
	f.Classes = nil
	for i := range f.Trees {
		f.Trees[i].Dist = nil
	}
	if _, err := f.MarshalBinary(); err == nil || !strings.Contains(err.Error(), "kind -1; want -3 for regression") {
		t.Error("class leaf in a regression tree:", err)
	}
}

func TestCheckPoolSize(t *testing.T) {
	const most = math.MaxInt32
	for _, c := range []struct {
		p, combinations, coefficients int
		want                          string
	}{
		{1, most - 1, most, ""},
		{1, most, most, "2147483647 combinations of 1 features; want at most 2147483647 in all"},
		{1, most - 1, most + 1, "2147483648 coefficients of combinations; want at most 2147483647"},
	} {
		if err := checkPoolSize(c.p, c.combinations, c.coefficients); fmt.Sprint(err) != cmp.Or(c.want, "<nil>") {
			t.Errorf("%d features, %d combinations, %d coefficients: error %v; want %q", c.p, c.combinations, c.coefficients, err, c.want)
		}
	}
}

func soundForest() *Forest {
	f := &Forest{Features: []string{"a", "b"}, Classes: []string{"n", "j"}}
	for range 2 {
		f.Trees = append(f.Trees, Tree{
			Nodes: []Node{
				{Split: 0, Next: 4},
				{Split: 3, Next: 3},
				{Split: LeafClass, Next: 1, Weight: 1},
				{Split: LeafDist, Next: 0, Weight: 3},
				{Split: LeafClass, Next: 0, Weight: 1},
			},
			Splits: Pool{Start: []int32{0, 2, 3}, Index: []int32{0, 1, 1}, Weights: []float32{1, -1, 2}},
			Dist:   []float32{1, 2},
		})
	}
	return f
}

func TestUnmarshalErrors(t *testing.T) {
	sound := encode(t, soundForest())
	put := func(at int, v uint32) []byte {
		b := bytes.Clone(sound)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	// Header 56, six lengths 24, names "abnj" 8: tree 0 at 88, its nodes at
	// 104, then 80 bytes of nodes, starts at 184, indices at 200, weights at 216,
	// class weights at 232, and 8 bytes: tree 1 at 240, its class weights at 384.
	for _, c := range []struct {
		want string
		b    []byte
	}{
		{`begins with "GIF89a..`, []byte("GIF89a.............")},
		{"truncated: 0 bytes; want at least 64", nil},
		{"truncated: 40 bytes; want at least 64", sound[:40]},
		{"newer Obliqua, version 3; this reads up to 1", put(8, 3)},
		{"version 0 at byte 8", put(8, 0)},
		{fmt.Sprintf("%d bytes; the header at byte 16 says %d", len(sound)-8, len(sound)), sound[:len(sound)-8]},
		{"damaged: checksum", put(104, 1)},
		{"header at byte 0: bytes 13", seal(put(12, 1<<16))},
		{"header at byte 0: 4294967295 training rows", seal(put(52, 1<<32-1))},
		{"lengths of names at byte 56: 4294967299 items of 4 bytes", seal(put(40, math.MaxUint32))},
		{"names at byte 80: 4294967299 items", seal(put(56, math.MaxUint32))},
		{"header at byte 0: 4294967295 trees of at least 32 bytes", seal(put(48, math.MaxUint32))},
		{"header at byte 0: no trees", seal(put(48, 0))},
		{"header at byte 0: rule 255", seal(put(12, 255))},
		{"bytes left at byte 240, after the last tree", seal(put(48, 1))},
		{"tree 0, nodes at byte 104: 4294967295 items of 16 bytes", seal(put(88, math.MaxUint32))},
		{"tree 0, nodes at byte 104: node 0 has its right child at 9", seal(put(108, 9))},
		{"tree 0, starts of combinations at byte 184: 4294967296 items", seal(put(92, math.MaxUint32))},
		{"tree 0, indices at byte 200: 4294967295 items", seal(put(96, math.MaxUint32))},
		{"tree 0, indices at byte 200: not filled up with zeros at byte 212", seal(put(212, 1))},
		{"tree 0, class weights at byte 232: 8589934590 items", seal(put(100, math.MaxUint32))},
		{"tree 0, weights at byte 216: combination 0 has feature 7", seal(put(204, 7))},
		{"tree 1, class weights at byte 384: class weights 0 hold NaN", seal(put(384, 0x7fc00000))},
	} {
		if err := new(Forest).UnmarshalBinary(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v; want one with %q", err, c.want)
		}
	}
}

// Files of several chunks come back whole, and of several faults the first one
// in the file is named, whichever core finds its fault first.
func TestUnmarshalInParallel(t *testing.T) {
	f := drawLargeForest(7, 30_000, 3)
	b := encode(t, f)
	if len(b) < 3*chunkSize || len(b)%chunkSize == 0 {
		t.Fatalf("%d bytes; want several chunks and a rest", len(b))
	}
	var g Forest
	if err := g.UnmarshalBinary(b); err != nil || !reflect.DeepEqual(f, &g) {
		t.Fatal("the forest changed, or error", err)
	}
	for i := range f.Trees[2:] {
		t := &f.Trees[2+i]
		t.Nodes[len(t.Nodes)-1].Weight = -1 // found last
		t.Splits.Weights[0] = float32(math.NaN())
	}
	const want = "tree 2, nodes at byte "
	var spoilt bytes.Buffer
	if err := f.encode(&spoilt); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := g.UnmarshalBinary(spoilt.Bytes()); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("error %v; want one with %q", err, want)
		}
	}
	spoilt.Bytes()[len(b)/2] ^= 1
	if err := g.UnmarshalBinary(spoilt.Bytes()); err == nil || !strings.Contains(err.Error(), "damaged: checksum") {
		t.Fatalf("error %v; want one with the checksum", err)
	}
}

// A file that became shorter after it was asked for its size.
func TestReadShort(t *testing.T) {
	b := make([]byte, 2*chunkSize+100)
	_, err := read(bytes.NewReader(b[:chunkSize+10]), len(b))
	if want := fmt.Sprintf("read 10 bytes at byte %d; want %d: EOF", chunkSize, chunkSize); err == nil || err.Error() != want {
		t.Errorf("error %v; want %q", err, want)
	}
}

// A short file that announces much must not make the decoder allocate it: what
// is decoded takes at most a few times the file, whichever word is made huge.
func TestUnmarshalAllocatesNoMoreThanTheFileHolds(t *testing.T) {
	sound := encode(t, soundForest())
	for at := 40; at < len(sound)-8; at += 4 {
		b := bytes.Clone(sound)
		binary.LittleEndian.PutUint32(b[at:], 1<<31-1)
		seal(b)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		new(Forest).UnmarshalBinary(b)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<16 {
			t.Errorf("word at byte %d: %d bytes allocated for a file of %d", at, got, len(b))
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.obliqua")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2 { // the second replaces the first
		f := drawForest(rng, 3, 3, 3)
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		g, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(f, g) {
			t.Error("the forest changed")
		}
	}
	if err := (&Forest{}).Save(path); err == nil {
		t.Error("saved a forest without trees")
	}
	if _, err := Load(path); err != nil {
		t.Error("a failed save spoilt the file:", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%v; want the model only", files)
	}

	b, _ := os.ReadFile(path)
	os.WriteFile(path, b[:100], 0o666)
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "truncated") {
		t.Error("truncated file:", err)
	}
	missing := filepath.Join(dir, "missing", "model")
	if _, err := Load(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Error("missing file:", err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), dir+": want a regular file") {
		t.Error("folder:", err)
	}
	if err := soundForest().Save(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Error("missing folder:", err)
	}
	if err := soundForest().Save(dir); err == nil {
		t.Error("saved over a folder")
	}
	if files, _ := os.ReadDir(filepath.Dir(dir)); slices.ContainsFunc(files, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".tmp") }) {
		t.Error("a temporary file was left:", files)
	}
}

func BenchmarkLoad(b *testing.B) {
	eachMillion(b, func(b *testing.B, f *Forest) {
		path := filepath.Join(b.TempDir(), "model")
		if err := f.Save(path); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(f.encodedSize()))
		for b.Loop() {
			if _, err := Load(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkMarshal(b *testing.B) {
	eachMillion(b, func(b *testing.B, f *Forest) {
		b.SetBytes(int64(f.encodedSize()))
		for b.Loop() {
			encode(b, f)
		}
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	eachMillion(b, func(b *testing.B, f *Forest) {
		data := encode(b, f)
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if err := new(Forest).UnmarshalBinary(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSave is mostly the wait until the file is on the disk.
func BenchmarkSave(b *testing.B) {
	eachMillion(b, func(b *testing.B, f *Forest) {
		path := filepath.Join(b.TempDir(), "model")
		b.ReportAllocs()
		b.SetBytes(int64(f.encodedSize()))
		for b.Loop() {
			if err := f.Save(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// eachMillion measures forests of a million nodes.
func eachMillion(b *testing.B, measure func(b *testing.B, f *Forest)) {
	for _, trees := range []int{100, 1} {
		for _, coefficients := range []int{1, 3} {
			f := drawLargeForest(trees, 1_000_000/trees, coefficients)
			b.Run(fmt.Sprintf("trees=%d/coefficients=%d", trees, coefficients), func(b *testing.B) { measure(b, f) })
		}
	}
}

// drawLargeForest returns trees of random shape with pure leaves and so many
// nodes each, less one if even; 1 coefficient a split asks for axis-aligned
// trees.
func drawLargeForest(trees, nodes, coefficients int) *Forest {
	rng := rand.New(rand.NewPCG(1, 2))
	f := drawForest(rng, 20, 3, trees)
	for i := range f.Trees {
		var t Tree
		var grow func(leaves int)
		grow = func(leaves int) {
			if leaves == 1 {
				t.Nodes = append(t.Nodes, Node{Split: LeafClass, Next: int32(rng.IntN(3)), Weight: 1})
				return
			}
			split := rng.IntN(20)
			if coefficients > 1 {
				split = 20 + t.Splits.Add([]int32{int32(split / 3), int32(split/3 + 7), 19}[:coefficients], []float32{1, -1, 1}[:coefficients])
			}
			i := len(t.Nodes)
			t.Nodes = append(t.Nodes, Node{Split: int32(split), Value: rng.Float32(), Weight: rng.Float32()})
			left := 1 + rng.IntN(leaves-1)
			grow(left)
			t.Nodes[i].Next = int32(len(t.Nodes))
			grow(leaves - left)
		}
		grow((nodes + 1) / 2)
		f.Trees[i] = t
	}
	return f
}
