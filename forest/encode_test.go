package forest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
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

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func encode(f *Forest) []byte {
	return must.Value(f.MarshalBinary())
}

// seal corrects the length and checksum of a mutated file, so that only its contents can
// be rejected.
func seal(b []byte) []byte {
	if len(b) < 24+8 {
		return b
	}
	binary.LittleEndian.PutUint64(b[16:], uint64(len(b)))
	end := len(b) - 8
	sum := crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint64(b[end:], uint64(sum))
	return b
}

// A machine with the other byte order writes and reads the same file. Nothing of its bytes is kept.
func TestEncodeRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	defer func(was bool) { littleEndian = was }(littleEndian)
	for i := range 200 {
		classes := []int{0, 1, 2, 3, 7}[i%5]
		draw := []func(*rand.Rand, int, int, int) *Forest{drawForest, withMissing, withSets}[i%3]
		f := draw(rng, 1+rng.IntN(5), classes, 1+rng.IntN(4))
		if i%2 == 0 && f.treeClasses() > 0 {
			f.Calibration = Calibration{Power: rng.ExpFloat64(), Floor: rng.Float64()}
		}
		f.Honest = i%7 == 0
		f.Groups = f.Rows * (i % 2)
		if i%4 == 0 {
			f.Report = `{"chose": [1, "a"]}`
		}
		want := encode(f)
		for range 2 {
			b, g := encode(f), Forest{}
			if !bytes.Equal(b, want) || len(b) != f.encodedSize() {
				t.Fatalf("little-endian %v: other bytes, or not the %d that were announced", littleEndian, f.encodedSize())
			}
			must.Do(g.UnmarshalBinary(b))
			clear(b)
			if !reflect.DeepEqual(f, &g) {
				t.Fatalf("little-endian %v: decoded\n%+v\nwant\n%+v", littleEndian, g, *f)
			}
			littleEndian = !littleEndian
		}
	}
}

// The file holds models of format version 1, one after the other. It may change only with the version:
//
//	go test ./forest -run TestFormatVersion -golden.update
func TestFormatVersion(t *testing.T) {
	const path = "testdata/version1.obliqua"
	var got []byte
	for _, f := range forestsOfVersion1() {
		got = append(got, encode(f)...)
	}
	if flag.Lookup("golden.update").Value.String() == "true" {
		must.Do(os.WriteFile(path, got, 0o644))
	}
	if !bytes.Equal(got, must.Value(os.ReadFile(path))) {
		t.Errorf("the models are encoded in other bytes than those of %s", path)
	}
}

// forestsOfVersion1 returns forests with every section of a file but those of steps and sets.
func forestsOfVersion1() []*Forest {
	tree := Tree{
		Nodes: []Node{
			{Split: 1<<30 + 2, Next: 2, Value: 1, Weight: 0.5},
			{Split: -1, Next: 1, Weight: 2},
			{Split: -2, Next: 0, Weight: 3},
		},
		Classes: 2,
		Dist:    []float32{1, 2},
	}
	tree.Splits.Add(Linear([]int32{0, 1}, []float32{1, -1}))
	tree.Splits.Add(Function{Kind: Quadratic, Features: []int32{0, 1}, Weights: []float32{1, 2}, Q: []float32{0.5, -1, 1},
		Bias: -2})
	tree.Splits.Add(Function{Kind: Dense, Features: []int32{0, 1}, Weights: []float32{0, 2}})
	tree.Splits.Add(Function{
		Kind: LowRank, Features: []int32{1}, Weights: []float32{1}, Bias: 2,
		Centre: []float32{-1}, Factors: []float32{0.5, 0, 1}, Positive: 2,
	})
	linear := Tree{Classes: 2}
	linear.Nodes = []Node{linear.LinearLeaf([]Score{
		{Class: 0, Bias: 1, Features: []int32{1}, Weights: []float32{-1}},
		{Class: 1, Bias: 0.5, Features: []int32{0, 1}, Weights: []float32{2, 1}},
	}, 2)}
	classes := &Forest{
		Method: "cart", Target: "y", Features: []string{"a", "bc"}, Classes: []string{"n", "j"},
		Rule:     Average,
		Rows:     259,
		Sampling: Sampling{Fraction: 0.5, WithoutReplacement: true}, Seed: 258,
		Trees: []Tree{tree, linear},
	}
	sum := &Forest{
		Features: []string{"\x00"}, Classes: []string{"", "", ""}, Rule: Sum, Base: []float64{1, 0.5, -2},
		Trees: []Tree{{Nodes: []Node{{Split: -3, Value: 0.5, Weight: 2}}}},
	}
	leaf := Tree{Nodes: []Node{{Split: -3, Value: 0.5, Weight: 2}}}
	counts := &Forest{
		Features: []string{"\x00"}, Rule: Sum, Base: []float64{0.5}, Members: []float64{1, 0}, LogLink: true,
		Trees: []Tree{leaf, leaf},
	}
	return []*Forest{classes, sum, counts}
}

// Unaligned bytes can't be used in place.
func TestViewCopiesWhatItCannotUse(t *testing.T) {
	f := soundForest()
	b := encode(f)[160:240]
	odd := append([]byte{0}, b...)[1:]
	if got, want := view[int32](odd), view[int32](b); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	copied, used := view[Node](odd), view[Node](b)
	clear(odd)
	clear(b)
	if !slices.Equal(copied, f.Trees[0].Nodes) {
		t.Errorf("%v, want %v", copied, f.Trees[0].Nodes)
	}
	if littleEndian && !slices.Equal(used, make([]Node, len(copied))) {
		t.Error("copied what it could use")
	}
}

// skipShort skips a slow test of one goroutine, in which the race detector has nothing to find.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() || UnderRace {
		t.Skip("slow, and a single goroutine")
	}
}

// eachDrawn calls check for small forests of values, of classes and of sums that
// hold all kinds of splits and leaves.
func eachDrawn(check func(f *Forest)) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, of := range []struct {
		rule    Rule
		classes int
	}{{Average, 0}, {Consensus, 3}, {Sum, 0}, {Sum, 2}, {Sum, 3}} {
		f := drawForestBy(rng, of.rule, 3, of.classes, 2)
		for !holdsAll(f) || !usesPool(&f.Trees[1]) || f.encodedSize() > 1500 {
			f = drawForestBy(rng, of.rule, 3, of.classes, 2)
		}
		if of.rule == Consensus {
			f.Calibration = Calibration{Power: 1.5, Floor: 0.25}
			f.Report = `[1]`
		}
		if f.LogLink = of.rule == Sum && of.classes == 0; f.LogLink {
			f.Members = []float64{0.5, -1}
		}
		check(f)
	}
}

// usesPool reports whether a node uses a stored function. If none of the last tree does, the
// file without these functions is one of a sound forest, too.
func usesPool(t *Tree) bool {
	return slices.ContainsFunc(t.Nodes, func(n Node) bool { return n.Split >= 1<<30 })
}

// holdsAll reports whether the trees of a forest hold every kind of split and leaf.
func holdsAll(f *Forest) bool {
	seen := map[int32]bool{}
	for _, t := range f.Trees {
		for _, n := range t.Nodes {
			kind := n.Split
			if !n.IsLeaf() {
				kind = int32(t.Splits.At(n.Split).Kind)
			}
			seen[kind] = true
		}
	}
	want := 5 + 2 // LeafValue and LeafLinear
	if f.treeClasses() > 0 {
		want++ // LeafClass, LeafDist and LeafLinear
	}
	return len(seen) == want
}

func TestUnmarshalRefusesEveryTruncation(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes on one core, many times")
	}
	eachDrawn(func(f *Forest) {
		b := encode(f)
		for n := range len(b) {
			if new(Forest).UnmarshalBinary(b[:n]) == nil {
				t.Fatalf("cut to %d of %d bytes, no error", n, len(b))
			}
			if new(Forest).UnmarshalBinary(seal(bytes.Clone(b[:n]))) == nil {
				t.Fatalf("cut to %d of %d bytes and sealed, no error", n, len(b))
			}
		}
		for more := 1; more < 40; more++ {
			longer := append(b, make([]byte, more)...)
			if new(Forest).UnmarshalBinary(longer) == nil {
				t.Errorf("%d more bytes, no error", more)
			}
			if new(Forest).UnmarshalBinary(seal(longer)) == nil {
				t.Errorf("%d more bytes, sealed, no error", more)
			}
		}
	})
}

// A file with a flipped bit is rejected. With a correct checksum it is either rejected or gives another
// valid forest, which encodes to the same bytes.
func TestUnmarshalMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes on one core, many times")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	eachDrawn(func(f *Forest) {
		b := encode(f)
		for i := range 8 * len(b) {
			c := bytes.Clone(b)
			c[i/8] ^= 1 << (i % 8)
			if new(Forest).UnmarshalBinary(c) == nil {
				t.Fatalf("bit %d of byte %d flipped, no error", i%8, i/8)
			}
			if i/8 < len(b)-8 {
				checkDecoded(t, seal(c))
			}
		}
	})
}

// Each case has one fault and a part of the error. It is tried when encoding and, if the
// fault can be written to a file, when decoding.
func TestMalformedForests(t *testing.T) {
	spoilt := func(want string, spoil func(f *Forest)) {
		t.Helper()
		f := soundForest()
		must.Do(f.validate())
		spoil(f)
		_, err := f.MarshalBinary()
		readtest.WantError(t, err, want)
	}
	for _, c := range []struct {
		want  string
		spoil func(f *Forest)
	}{
		{"0 features", func(f *Forest) { f.Features = nil }},
		{"want nil for regression", func(f *Forest) { f.Classes = []string{} }},
		{"rule 4; want 0 to 3", func(f *Forest) { f.Rule = 4 }},
		{"fraction of -1", func(f *Forest) { f.Sampling.Fraction = -1 }},
		{"-1 training rows", func(f *Forest) { f.Rows = -1 }},
		{"no trees", func(f *Forest) { f.Trees = nil }},
		{"1 base scores; want 0", func(f *Forest) { f.Base = []float64{0} }},
		{"0 base scores; want 1", func(f *Forest) { f.Rule = Sum }},
		{"2 base scores; want 1", func(f *Forest) { f.Rule, f.Base = Sum, []float64{0, 0} }},
		{"3 base scores; want 1", func(f *Forest) { f.Rule, f.Base, f.Classes = Average, make([]float64, 3), nil }},
		{"0 base scores; want 1", func(f *Forest) { f.Rule, f.Base, f.Classes = Average, []float64{}, nil }},
		{"base score 0 is -Inf", func(f *Forest) { f.Rule, f.Base, f.Classes = Average, []float64{math.Inf(-1)}, nil }},
		{"fills of 0 features; want 2, or nil", func(f *Forest) { f.Fills = []float32{} }},
		{"fills of 1 features", func(f *Forest) { f.Fills = []float32{1} }},
		{"NaN", func(f *Forest) { f.Fills = []float32{1, float32(math.NaN())} }},
		{"Inf", func(f *Forest) { f.Fills = []float32{1, float32(math.Inf(1))} }},
		{"categories", func(f *Forest) { f.Fills, f.Categories = []float32{-1, 0}, [][]string{} }},
		{"categories", func(f *Forest) { f.Fills, f.Categories = []float32{-1, 0}, [][]string{{"a"}} }},
		{"categories", func(f *Forest) { f.Categories = [][]string{{"a"}, nil} }},
		{"logarithms of values", func(f *Forest) { f.LogLink = true }},
		{"3 base scores of members; want 0", func(f *Forest) { f.Members = make([]float64, 3) }},
		{"1 base scores of members", func(f *Forest) {
			f.Rule, f.Base, f.Members = Sum, []float64{0}, []float64{0}
		}},
		{"2 trees; want a multiple of 3", func(f *Forest) {
			f.Rule, f.Base, f.Members = Sum, []float64{0}, make([]float64, 3)
		}},
		{"base score 2 is +Inf", func(f *Forest) {
			f.Rule, f.Base, f.Members = Sum, []float64{0}, []float64{0, math.Inf(1)}
		}},
		{"base score 0 is NaN", func(f *Forest) { f.Rule, f.Base = Sum, []float64{math.NaN()} }},
		{"calibration with power 0 and floor 0.1; want a power above 0, at most 1000, and a floor of 0 to 1",
			func(f *Forest) { f.Calibration.Floor = 0.1 }},
		{"calibration with power 1001", func(f *Forest) { f.Calibration.Power = 1001 }},
		{"calibration with power NaN", func(f *Forest) { f.Calibration.Power = math.NaN() }},
		{"calibration with power 1 and floor 1.5", func(f *Forest) { f.Calibration = Calibration{1, 1.5} }},
		{"calibration of probabilities; the trees predict values", func(f *Forest) {
			f.Rule, f.Base, f.Calibration = Sum, []float64{0}, Calibration{1, 0}
		}},
		{"the report isn't JSON", func(f *Forest) { f.Report = "{" }},
		{"sums for one class", func(f *Forest) {
			f.Rule, f.Base, f.Classes = Sum, []float64{0}, []string{"a"}
		}},
		{"tree 0: a tree of 2 classes; want 0",
			func(f *Forest) { f.Rule, f.Base = Sum, []float64{0} }},
	} {
		spoilt(c.want, c.spoil)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		want  string
		spoil func(t *Tree) // the last one
	}{
		{"tree 1: a tree of 0 classes; want 2", func(t *Tree) { t.Classes = 0 }},
		{"tree 1: a tree of 1 classes", func(t *Tree) { t.Classes = 1 }},
		{"tree 1: 0 nodes", func(t *Tree) { t.Nodes = nil }},
		{"node 0 has its right child at 5; want more than 1, less than 5", func(t *Tree) { t.Nodes[0].Next = 5 }},
		{"node 1 has its right child at 4; want more than 2, less than 4", func(t *Tree) { t.Nodes[1].Next = 4 }},
		{"node 1 is a leaf where", func(t *Tree) { t.Nodes[1] = t.Nodes[3] }},
		{"node 4 has its right child at 5; want more than 5", func(t *Tree) { t.Nodes[4] = Node{Split: 0, Next: 5} }},
		{"node 0 uses split 2; there are 2 features and 2 functions from 1073741824 on",
			func(t *Tree) { t.Nodes[0].Split = 2 }},
		{"node 0 uses split 1073741826", func(t *Tree) { t.Nodes[0].Split = 1<<30 + 2 }},
		{"node 0 has value NaN", func(t *Tree) { t.Nodes[0].Value = nan }},
		{"node 0 has value +Inf", func(t *Tree) { t.Nodes[0].Value = inf }},
		{"node 4 has value 0 and weight NaN", func(t *Tree) { t.Nodes[4].Weight = nan }},
		{"node 4 is a leaf of weight -1", func(t *Tree) { t.Nodes[4].Weight = -1 }},
		{"node 2 is a leaf with class 2; there are 2", func(t *Tree) { t.Nodes[2].Next = 2 }},
		{"node 3 is a leaf with class weights 1; there are 1", func(t *Tree) { t.Nodes[3].Next = 1 }},
		{"node 3 is a leaf with linear model 0; there are 0", func(t *Tree) { t.Nodes[3].Split = int32(LeafLinear) }},
		{"node 3 is a leaf with linear model -1; there are 1", func(t *Tree) {
			t.Nodes[3] = t.LinearLeaf([]Score{{}}, 1)
			t.Nodes[3].Next = -1
		}},
		{"node 3 is a leaf of kind -3; want -1, -2 or -4 for classes",
			func(t *Tree) { t.Nodes[3].Split = int32(LeafValue) }},
		{"3 class weights; want a multiple of 2", func(t *Tree) { t.Dist = append(t.Dist, 1) }},
		{"class weights 0 sum to 0", func(t *Tree) { t.Dist = []float32{0, 0} }},
		{"class weights 0 hold -1", func(t *Tree) { t.Dist[1] = -1 }},
		{"class weights 0 sum to +Inf", func(t *Tree) { t.Dist = []float32{math.MaxFloat32, math.MaxFloat32} }},
		// others are in split_test.go
		{"tree 1: split function 0 has feature 2 after 0; want ascending below 2",
			func(t *Tree) { t.Splits.features[1] = 2 }},
		// others are in leaf_test.go
		{"tree 1: linear model 0 has class 2 after -1", func(t *Tree) { t.LinearLeaf([]Score{{Class: 2}}, 1) }},
	} {
		spoilt(c.want, func(f *Forest) { c.spoil(&f.Trees[1]) })
	}
	f := soundForest()
	f.Classes = nil
	for i := range f.Trees {
		f.Trees[i].Classes, f.Trees[i].Dist = 0, nil
	}
	_, err := f.MarshalBinary()
	readtest.WantError(t, err, "kind -1; want -3 or -4 for values")
}

func soundForest() *Forest {
	f := &Forest{Features: []string{"a", "b"}, Classes: []string{"n", "j"}}
	for range 2 {
		f.Trees = append(f.Trees, Tree{
			Nodes: []Node{
				{Split: 0, Next: 4},
				{Split: 1<<30 + 1, Next: 3},
				ClassLeaf(1, 1),
				{Split: int32(LeafDist), Next: 0, Weight: 3},
				ClassLeaf(0, 1),
			},
			Classes: 2,
			Splits:  pool(Linear([]int32{0, 1}, []float32{1, -1}), Linear([]int32{1}, []float32{2})),
			Dist:    []float32{1, 2},
		})
	}
	return f
}

func TestUnmarshalErrors(t *testing.T) {
	sound := encode(soundForest())
	put := func(at int, v uint32) []byte {
		b := bytes.Clone(sound)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	// Envelope 24, the head's section at 24 and its contents from 40 on, lengths at
	// 80 and names "abnj" at 120. Tree 0: nodes at 144, functions at 240, features
	// at 280, numbers at 312, class weights at 344. Tree 1 at 368, its numbers at
	// 536, class weights at 568. The checksum is at 592.
	check := func(b []byte, want string) {
		t.Helper()
		err := new(Forest).UnmarshalBinary(b)
		readtest.WantError(t, err, want)
		if version := strings.Contains(want, "version"); errors.Is(err, ErrDamaged) == version {
			t.Errorf("%v: wraps ErrDamaged: %v", err, !version)
		}
	}
	for _, c := range []struct {
		want string
		b    []byte
	}{
		{`begins with "GIF89a..`, []byte("GIF89a.............")},
		{"truncated: 0 bytes; want at least 32", nil},
		{"truncated: 31 bytes; want at least 32", sound[:31]},
		{"version 2 of the file format at byte 8; this program reads version 1", put(8, 2)},
		{"version 0 of the file format at byte 8", put(8, 0)},
		{fmt.Sprintf("%d bytes; the header at byte 16 says %d", len(sound)-8, len(sound)), sound[:len(sound)-8]},
		{"damaged or no forest: checksum", put(160, 1)},
		{"tree 0, class weights at byte 344: 1 class weights; want a multiple of 2",
			seal(slices.Concat(put(352, 4)[:364], make([]byte, 4), sound[368:]))},
	} {
		check(c.b, c.want)
	}
	for _, c := range []struct {
		want string
		at   int
		word uint32
	}{
		{"bytes 12 to 15 are set", 12, 1 << 16},
		{`head at byte 24: begins with "hea\x00"; want section "head"`, 24, 'h' | 'e'<<8 | 'a'<<16},
		{`head at byte 24: section "head" of 40 bytes; want more than none, and 4 zeros after the tag`, 28, 1},
		{"head at byte 24: 39 bytes; want 40", 32, 39},
		{"head at byte 24: 4294967295 bytes; there are 552 left", 32, math.MaxUint32},
		{"head at byte 24: 18446744069414584360 bytes", 36, math.MaxUint32},
		{"head at byte 24: bytes 33 and 35 are set", 72, 8 << 8},
		{"head at byte 24: 1 groups of 0 training rows", 76, 1},
		{"head at byte 24: link 0; want 1", 72, 3},
		{"head at byte 24: 4294967295 trees of at least 32 bytes; there are 448 bytes left", 64, math.MaxUint32},
		{"lengths of names at byte 80: 6 lengths of names; want 4294967299", 56, math.MaxUint32},
		{"lengths of names at byte 80: 21 bytes; want a multiple of 4", 88, 21},
		{"names at byte 120: 4 bytes; want 4294967299", 96, math.MaxUint32},
		{"names at byte 120: not filled up with zeros at byte 140", 140, 1},
		{"bytes left at byte 368, after the last tree", 64, 1},
		{"tree 0, nodes at byte 144: 72 bytes; want a multiple of 16", 152, 72},
		{"tree 0, nodes at byte 144: node 0 has its right child at 9", 164, 9},
		{"tree 0, features of split functions at byte 280: not filled up with zeros at byte 308", 308, 1},
		{"tree 0, numbers of split functions at byte 312: split function 0 has feature 7 after 0", 300, 7},
		{"tree 1, class weights at byte 568: class weights 0 hold NaN", 584, 0x7fc00000},
	} {
		check(seal(put(c.at, c.word)), c.want)
	}
	if err := new(Forest).UnmarshalBinary(seal(put(568+20, 0x40400000))); err != nil {
		t.Errorf("another class weight: %v", err)
	}
}

// Files of several chunks are read completely, and of several faults the first one in the
// file is reported, whichever core finds its fault first.
func TestUnmarshalInParallel(t *testing.T) {
	f := drawLargeForest(7, 30_000, 3)
	b := encode(f)
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
		t.Splits.numbers[0] = float32(math.NaN())
	}
	const want = "tree 2, nodes at byte "
	var spoilt bytes.Buffer
	must.Do(f.encode(&spoilt))
	times := 20
	if testing.Short() {
		times = 3
	}
	for range times {
		readtest.WantError(t, g.UnmarshalBinary(spoilt.Bytes()), want)
	}
	spoilt.Bytes()[len(b)/2] ^= 1
	readtest.WantError(t, g.UnmarshalBinary(spoilt.Bytes()), "checksum")
}

// A file that became shorter after its size was read, and one of another kind, for which no memory is taken.
func TestReadShort(t *testing.T) {
	b := make([]byte, 2*chunkSize+100)
	_, err := read(bytes.NewReader(b), 1<<50)
	readtest.WantError(t, err, "begins with")
	le := binary.LittleEndian
	le.PutUint64(le.AppendUint32(append(b[:0], magic...), FormatVersion)[:24][16:], uint64(len(b)))
	_, err = read(bytes.NewReader(b[:chunkSize+10]), len(b))
	readtest.WantError(t, err, fmt.Sprintf("read 10 bytes at byte %d; want %d: EOF", chunkSize, chunkSize))
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.obliqua")
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rule := range rulesOf(3) { // each replaces the one before
		f := drawForestBy(rng, rule, 3, 3, 3)
		must.Do(f.Save(path))
		g := must.Value(Load(path))
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
	_, err := Load(path)
	readtest.WantError(t, err, path, "truncated")
	missing := filepath.Join(dir, "missing", "model")
	if _, err := Load(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Error("missing file:", err)
	}
	readtest.WantError(t, soundForest().Save(missing), missing)
}

// Saving is mostly the wait until the file is on the disk.
func BenchmarkFiles(b *testing.B) {
	for _, trees := range []int{100, 1} {
		for _, coefficients := range []int{1, 3} {
			f := drawLargeForest(trees, 1_000_000/trees, coefficients)
			path, data := filepath.Join(b.TempDir(), "model"), encode(f)
			must.Do(f.Save(path))
			for name, do := range map[string]func(){
				"load":      func() { must.Value(Load(path)) },
				"marshal":   func() { encode(f) },
				"unmarshal": func() { must.Do(new(Forest).UnmarshalBinary(data)) },
				"save":      func() { must.Do(f.Save(path)) },
			} {
				b.Run(fmt.Sprintf("%s/trees=%d/coefficients=%d", name, trees, coefficients), func(b *testing.B) {
					b.ReportAllocs()
					b.SetBytes(int64(len(data)))
					for b.Loop() {
						do()
					}
				})
			}
		}
	}
}

// drawLargeForest returns trees of random shape with pure leaves and so many
// nodes each, less one if even; 1 coefficient a split asks for axis-aligned
// trees.
func drawLargeForest(trees, nodes, coefficients int) *Forest {
	rng := rand.New(rand.NewPCG(1, 2))
	f := drawForestBy(rng, Plurality, 20, 3, trees)
	for i := range f.Trees {
		t := Tree{Classes: 3}
		var grow func(leaves int)
		grow = func(leaves int) {
			if leaves == 1 {
				t.Nodes = append(t.Nodes, ClassLeaf(int32(rng.IntN(3)), 1))
				return
			}
			split := int32(rng.IntN(20))
			if coefficients > 1 {
				split = t.Splits.Add(Linear([]int32{split / 3, split/3 + 7, 19}[:coefficients], []float32{1, -1, 1}[:coefficients]))
			}
			i := len(t.Nodes)
			t.Nodes = append(t.Nodes, Node{Split: split, Value: rng.Float32(), Weight: rng.Float32()})
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
