package forest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/bounded"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// checkDecoded decodes b and, if that succeeds, uses the forest.
func checkDecoded(t testing.TB, b []byte) {
	t.Helper()
	var f Forest
	if err := f.UnmarshalBinary(b); err != nil {
		if !reflect.DeepEqual(f, Forest{}) {
			t.Fatal("the forest changed in spite of the error", err)
		}
		return
	}
	checkSound(t, &f, b)
}

// checkSound uses a forest that was decoded from b.
func checkSound(t testing.TB, f *Forest, b []byte) {
	t.Helper()
	if !bytes.Equal(encode(f), b) {
		t.Fatalf("encoded again, the bytes differ:\n%q\nwant\n%q", encode(f), b)
	}
	d := drawData(rand.New(rand.NewPCG(3, 4)), f, 9)
	if err := f.Check(d); err != nil && f.Steps != nil {
		return // no cell of a column without categories is there, or numbers overflow
	}
	leaves, predictor, x := must.Value(f.Apply(t.Context(), d)), f.Predictor(), d.Row(nil, 8)
	if f.Regression() {
		values := must.Value(f.PredictValues(t.Context(), d))
		for _, v := range values {
			if math.IsNaN(v) {
				t.Fatal("predicted NaN")
			}
		}
		if v, err := predictor.Value(x); err != nil || v != values[8] {
			t.Fatal("the predictor has another value")
		}
	} else {
		proba := must.Value(f.Proba(t.Context(), d))
		for i, proba := range proba {
			sum := 0.0
			for _, q := range proba {
				sum += q
			}
			if !(math.Abs(sum-1) <= 1e-5*float64(1+len(f.Classes))) {
				t.Fatalf("row %d: probabilities %v sum to %v", i, proba, sum)
			}
		}
		p, err := predictor.Proba(nil, x)
		label, err2 := predictor.Label(x)
		must.Do(errors.Join(err, err2))
		if !reflect.DeepEqual(p, proba[8]) || label != must.Value(f.Predict(t.Context(), d))[8] {
			t.Fatal("the predictor has other probabilities or another class")
		}
		if f.Rule != Sum {
			must.Value(f.Votes(t.Context(), d))
		}
	}
	if size := f.Size(); size.Bytes != len(b) {
		t.Fatalf("size of %d bytes, encoded in %d", size.Bytes, len(b))
	}
	f.Importance()
	for _, p := range f.Projections() {
		_ = p.Format(f.Features)
	}
	for i := range f.Trees {
		tree := &f.Trees[i]
		tree.Leaf(int(leaves[0][i]))
		tree.ClassWeights()
		f.TreeString(tree, 3)
		for s := range tree.Splits.Len() {
			tree.Splits.At(int32(1<<30 + s))
		}
	}
	if f.Rule != Sum && !f.Sampling.all(f.Rows) && f.Rows == d.N() && f.Groups == 0 {
		must.Value(f.OutOfBag(t.Context(), d))
	}
}

// Any file can be read, and used, in memory and time in proportion to its size.
func FuzzUnmarshal(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 12 {
		f.Add(encode(drawForest(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
		f.Add(encode(withMissing(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
		f.Add(encode(withSets(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
	}
	squares := Tree{Nodes: []Node{{Split: 1 << 30, Next: 2}, ValueLeaf(1, 1), ValueLeaf(2, 1)}}
	squares.Splits = pool(Function{
		Kind: LowRank, Features: []int32{0, 2}, Weights: []float32{1, 0}, Bias: 1,
		Centre: []float32{1, -1}, Factors: []float32{1, 2, 3, 4, 5, 6}, Positive: 2,
	})
	f.Add(encode(&Forest{Features: []string{"a", "b", "c"}, Trees: []Tree{squares}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		bounded.Read(t, len(b), func() {
			checkDecoded(t, b)
			checkDecoded(t, seal(bytes.Clone(b)))
		})
	})
}

// A section of a file, as FormatVersion describes it.
type section struct {
	tag      string
	contents []byte
}

// sectionsOf returns the sections of a valid file.
func sectionsOf(b []byte) []section {
	var s []section
	for at := 24; at < len(b)-8; {
		size := int(binary.LittleEndian.Uint64(b[at+8:]))
		s = append(s, section{string(b[at : at+4]), bytes.Clone(b[at+16 : at+16+size])})
		at += 16 + (size+7)/8*8
	}
	return s
}

// fileOf returns a file of the given sections, with the correct length and checksum.
func fileOf(sections []section) []byte {
	b := append([]byte("\x89Obliqua\x01\x00\x00\x00\x00\x00\x00\x00"), make([]byte, 8)...)
	for _, s := range sections {
		b = append(append(b, s.tag...), 0, 0, 0, 0)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(s.contents)))
		b = append(b, s.contents...)
		b = append(b, make([]byte, -len(s.contents)&7)...)
	}
	return seal(append(b, make([]byte, 8)...))
}

// words returns the contents of a section of numbers.
func words(numbers ...int) []byte {
	var b []byte
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// Files with other sections. Each must give an error that says what is wrong.
func TestSectionsThatDoNotFit(t *testing.T) {
	tree := Tree{Classes: 3, Splits: pool(Linear([]int32{0, 1}, []float32{1, -1}))}
	tree.Nodes = []Node{
		{Split: 1 << 30, Next: 2},
		tree.DistLeaf([]float32{1, 2, 3}, 6),
		tree.LinearLeaf([]Score{{Class: 0, Features: []int32{0, 2}, Weights: []float32{1, 1}}, {Class: 2, Bias: 1}}, 1),
	}
	classes := &Forest{Features: []string{"a", "b", "c"}, Classes: []string{"n", "j", "o"}, Trees: []Tree{tree}}
	sums := *classes
	sums.Rule, sums.Base, sums.Trees = Sum, []float64{1, 2, 3}, []Tree{{Nodes: []Node{ValueLeaf(1, 1)}}}
	for _, c := range []struct {
		of       *Forest
		from, to string // tags
		contents []byte // of a new section, or of the one that stays in its place
		want     string
	}{
		{classes, "feat coef", "coef feat", nil, "after the last tree"},
		{classes, "node func", "func node", nil, `tree 0, nodes at byte 152: begins with "func"; want section "node"`},
		{classes, "head ", "", nil, `want section "head"`},
		{classes, "lens ", "", nil, "0 lengths of names; want 8"},
		{classes, "text ", "", nil, "0 bytes; want 6"},
		{classes, "func ", "", nil, "node 0 uses split 1073741824; there are 3 features and 0 functions"},
		{classes, "scor ", "", nil, "ends at score 2; want more than 0, at most 0"},
		{&sums, "base ", "", nil, "0 base scores; want 3"},
		{classes, "text", "text text", nil, `begins with "text"; want section "node"`},
		{classes, "coef", "Coef", words(0), "after the last tree"},
		{classes, "func", "func", nil, `section "func" of 0 bytes`},
		{&sums, "base", "base", make([]byte, 20), "20 bytes; want a multiple of 8"},
		{classes, "node", "base node", make([]byte, 8), "1 base scores; want 0"},
		{classes, "node", "cali node", make([]byte, 16),
			"calibration at byte 152: calibration with power 0 and floor 0; want a power above 0"},
		{classes, "node", "cali node", make([]byte, 8), "1 numbers; want a power and a floor"},
		{classes, "node", "cali cali node", bytesOf([]float64{2, 0}), `want section "node"`},
		{&sums, "node", "rept node", []byte(`{"a": 1`), "report at byte 192: the report isn't JSON"},
		{&sums, "node", "node dist", words(0x3f800000, 0x3f800000, 0x3f800000),
			"node 0 is a leaf of kind -3; want -5 in a tree with values of all outputs"},
	} {
		contents, tags := map[string][]byte{}, ""
		for _, s := range sectionsOf(encode(c.of)) {
			contents[s.tag], tags = s.contents, tags+" "+s.tag
		}
		var changed []section
		for tag := range strings.FieldsSeq(strings.Replace(tags, c.from, c.to, 1)) {
			s := section{tag, contents[tag]}
			if s.contents == nil || tag == c.to {
				s.contents = c.contents
			}
			changed = append(changed, s)
		}
		readtest.WantError(t, new(Forest).UnmarshalBinary(fileOf(changed)), c.want)
	}
}

var hostile = flag.Int("forest.hostile", 20_000, "how many hostile files TestHostileFiles draws")

// Malicious files: valid ones that are corrupted in some way, with the correct length and
// checksum. Each must give an error or a forest that can be used, and decoding may take
// only as much memory as the file's length allows.
func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes on one core, many times")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // several cores would mostly wait for each other
	rng := rand.New(rand.NewPCG(uint64(*hostile), 1))
	sound := soundFiles(t, rng)
	accepted, refused := 0, 0
	errors := map[string]int{}
	for range *hostile {
		b := spoil(rng, sound)
		var f Forest
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := f.UnmarshalBinary(b)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > allowed(len(b)) {
			t.Fatalf("%d bytes allocated for a file of %d:\n%.400q", taken, len(b), b)
		}
		if err != nil {
			errors[sentence(err)]++
			refused++
			continue
		}
		accepted++
		checkSound(t, &f, b)
	}
	if accepted < *hostile/100 || refused < *hostile/10 || len(errors) < 30 {
		t.Errorf("%d accepted, %d refused for %d reasons: too few to say much", accepted, refused, len(errors))
	}
}

// sentence returns an error without its numbers.
func sentence(err error) string {
	s, _, _ := strings.Cut(err.Error(), `"`)
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, s)
}

// allowed returns how many bytes decoding a file may allocate: most for trees that
// are but a leaf, of 32 bytes in the file. The race detector keeps closures of its own.
func allowed(size int) uint64 {
	if UnderRace {
		return uint64(32*size + 1<<14)
	}
	return uint64(16*size + 1<<13)
}

// soundFiles returns files with few and many trees, splits, leaves and names.
func soundFiles(t *testing.T, rng *rand.Rand) [][]section {
	var files [][]section
	for i := range 150 {
		f := drawForest(rng, 1+rng.IntN(9), []int{0, 1, 2, 3, 9}[i%5], 1+rng.IntN(4))
		switch {
		case i%4 == 1:
			f = withSets(rng, f.P(), len(f.Classes), 1+rng.IntN(4))
		case i%3 == 0:
			f.Columns, f.Steps = drawSteps(t, rng, f.P())
			f.Features = f.Features[:0]
			for _, feature := range made(t, f) {
				f.Features = append(f.Features, feature.Name)
			}
		}
		if i%2 == 0 && f.treeClasses() > 0 {
			f.Calibration = Calibration{Power: rng.ExpFloat64(), Floor: rng.Float64()}
		}
		f.Honest = i%7 == 0
		if i%5 == 0 {
			f.Report = `{"a": []}`
		}
		files = append(files, sectionsOf(encode(f)))
	}
	many := &Forest{Features: []string{""}, Trees: make([]Tree, 300)}
	for i := range many.Trees {
		many.Trees[i].Nodes = []Node{ValueLeaf(1, 1)}
	}
	names := &Forest{Features: make([]string, 1000), Trees: many.Trees[:1]}
	return append(files, sectionsOf(encode(many)), sectionsOf(encode(names)))
}

// drawSteps returns fitted steps that make p features.
func drawSteps(t *testing.T, rng *rand.Rand, p int) ([]datasets.Feature, datasets.Transform) {
	d := &datasets.Dataset{}
	for left := p; left > 0; {
		f := datasets.Feature{Name: fmt.Sprint("c", left)}
		k := rng.IntN(min(left, 3) + 1)
		for c := range k {
			f.Categories = append(f.Categories, fmt.Sprint(c))
		}
		left -= max(1, k)
		d.Features = append(d.Features, f)
		d.Columns = append(d.Columns, []float32{0, float32(max(0, k-1))})
	}
	steps := datasets.Steps{datasets.Impute{}, datasets.OneHot{}, datasets.Standardise{}, datasets.Ordinal{},
		datasets.Standardise{}}
	fitted, _, err := steps.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return d.Features, fitted
}

// made returns the features that the steps of f make.
func made(t *testing.T, f *Forest) []datasets.Feature {
	d := must.Value(f.Steps.Apply(t.Context(), &datasets.Dataset{Features: f.Columns,
		Columns: make([][]float32, len(f.Columns))}))
	return d.Features
}

// spoil returns a sound file after some changes, with a right length and checksum.
func spoil(rng *rand.Rand, sound [][]section) []byte {
	var s []section
	for _, of := range sound[rng.IntN(len(sound))] {
		s = append(s, section{of.tag, bytes.Clone(of.contents)})
	}
	other := sound[rng.IntN(len(sound))]
	for range 1 + rng.IntN(3) {
		if rng.IntN(3) == 0 {
			s = spoilSections(rng, s, other)
		} else {
			of := &s[rng.IntN(len(s))]
			of.contents = spoilContents(rng, of.contents)
		}
		if len(s) == 0 {
			break
		}
	}
	b := fileOf(s)
	if rng.IntN(6) == 0 { // as they lie in the file: lengths, tags, what fills up
		b = spoilContents(rng, b)
	}
	return seal(b)
}

// spoilSections changes which sections there are.
func spoilSections(rng *rand.Rand, s, other []section) []section {
	i, k := rng.IntN(len(s)), rng.IntN(len(s))
	switch rng.IntN(8) {
	case 0:
		return append(s[:i], s[i+1:]...)
	case 1:
		return append(s[:i+1:i+1], s[i:]...) // shares contents
	case 2:
		s[i], s[k] = s[k], s[i]
	case 3:
		s[i].tag = s[k].tag
	case 4:
		s[i].contents, s[k].contents = s[k].contents, s[i].contents
	case 5:
		s[i].contents = s[i].contents[:0]
	case 6: // from here on another file
		return append(s[:i:i], other[rng.IntN(len(other)):]...)
	case 7: // contents of another file
		for _, of := range other {
			if of.tag == s[i].tag {
				s[i].contents = of.contents
			}
		}
	}
	return s
}

// spoilContents changes numbers.
func spoilContents(rng *rand.Rand, b []byte) []byte {
	if len(b) < 4 {
		return append(b, byte(rng.IntN(256)))
	}
	b = bytes.Clone(b)
	word := func() []byte { return b[4*rng.IntN(len(b)/4):][:4] }
	w := word()
	v := binary.LittleEndian.Uint32(w)
	switch rng.IntN(9) {
	case 0:
		for range 1 + rng.IntN(4) {
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		}
	case 1:
		binary.LittleEndian.PutUint32(w, suspicious[rng.IntN(len(suspicious))])
	case 2:
		binary.LittleEndian.PutUint32(w, uint32(rng.IntN(24)-6))
	case 3:
		binary.LittleEndian.PutUint32(w, uint32(rng.IntN(4))<<28+uint32(rng.IntN(8)))
	case 4:
		binary.LittleEndian.PutUint32(w, v+uint32(rng.IntN(9)-4))
	case 5:
		copy(w, word())
	case 6:
		u := word()
		binary.LittleEndian.PutUint32(w, binary.LittleEndian.Uint32(u))
		binary.LittleEndian.PutUint32(u, v)
	case 7: // items of one to four words less
		lo := 4 * rng.IntN(len(b)/4)
		return append(b[:lo], b[min(len(b), lo+4*(1+rng.IntN(4))):]...)
	case 8: // or twice
		lo := 4 * rng.IntN(len(b)/4)
		hi := min(len(b), lo+4*(1+rng.IntN(4)))
		return append(b[:hi:hi], b[lo:]...)
	}
	return b
}

// suspicious are numbers at the edges of what files hold.
var suspicious = []uint32{
	1 << 28, 1<<28 - 1, 2 << 28, 3 << 28, 4 << 28, 5 << 28, 5<<28 + 1<<27, 3<<28 + 1<<27, 1 << 30, 1<<30 - 1, 1<<30 + 1,
	1 << 24, 1 << 16,
	math.MaxInt32, math.MaxInt32 + 1, math.MaxInt32 - 1, math.MaxUint32,
	math.Float32bits(float32(math.Inf(1))), math.Float32bits(float32(math.Inf(-1))), math.Float32bits(float32(math.NaN())),
	math.Float32bits(math.MaxFloat32), math.Float32bits(-math.MaxFloat32), math.Float32bits(1),
}
