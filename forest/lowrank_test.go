package forest

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// exactLowRank returns a LowRank's value by the definition, without rounding before the end, and the sum of the
// absolute values of all terms.
func exactLowRank(fn Function, x []float32) (value, scale float64) {
	number := func(v float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(v)) }
	size := func(v float32, z *big.Float) float64 { f, _ := z.Float64(); return math.Abs(float64(v) * f) }
	v := number(fn.Bias)
	scale = math.Abs(float64(fn.Bias))
	z := make([]*big.Float, len(fn.Features))
	for i, j := range fn.Features {
		z[i] = number(x[j])
		z[i].Sub(z[i], number(fn.Centre[i]))
		v.Add(v, new(big.Float).Mul(number(fn.Weights[i]), z[i]))
		scale += size(fn.Weights[i], z[i])
	}
	for at := 0; at < len(fn.Factors); at += len(z) {
		sum, terms := number(0), 0.0
		for i := range z {
			sum.Add(sum, new(big.Float).Mul(number(fn.Factors[at+i]), z[i]))
			terms += size(fn.Factors[at+i], z[i])
		}
		scale += terms * terms
		sum.Mul(sum, sum)
		if at < fn.Positive*len(z) {
			v.Add(v, sum)
		} else {
			v.Sub(v, sum)
		}
	}
	value, _ = v.Float64()
	return value, scale
}

// drawLowRank draws a function of normal numbers, which need rounding.
func drawLowRank(rng *rand.Rand, p, rank int) Function {
	normal := func(n int) (s []float32) {
		for range n {
			s = append(s, float32(rng.NormFloat64()))
		}
		return s
	}
	features := drawFeatures(rng, p, p)
	k := len(features)
	if k == 0 {
		rank = 0
	}
	return Function{
		Kind: LowRank, Features: features, Weights: normal(k), Bias: float32(rng.NormFloat64()),
		Centre: normal(k), Factors: normal(rank * k), Positive: rng.IntN(rank + 1),
	}
}

// A LowRank's value is that of its definition in exact arithmetic, to the last bits.
func TestLowRankIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := rapid.IntRange(1, 40).Draw(t, "features")
		fn := drawLowRank(rng, p, rapid.IntRange(0, 12).Draw(t, "rank"))
		x := normals(rng, p, 1).Row(nil, 0)
		got := float64(fn.Value(x))
		if want, scale := exactLowRank(fn, x); math.Abs(got-want) > 1e-13*scale+0x1p-24*math.Abs(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// One tree of many rows and wide functions: all ways to compute a value have the same bits.
// The cells are whole numbers from 0 to 255, so that they may also be bytes.
func TestLowRankIsTheSameEverywhere(t *testing.T) {
	const p, n = 300, 203
	rng := rand.New(rand.NewPCG(1, 2))
	d := &datasets.Dataset{Features: make([]datasets.Feature, p)}
	codes := make([][]byte, p)
	for j := range p {
		col := make([]float32, n)
		codes[j] = make([]byte, n)
		for i := range col {
			codes[j][i] = byte(rng.IntN(256))
			col[i] = float32(codes[j][i])
		}
		d.Columns = append(d.Columns, col)
	}
	for _, rank := range []int{0, 1, 2, 3, 4, 5, 33} {
		fn := drawLowRank(rng, p, rank)
		rows, values, ofCodes := make([]int32, n), make([]float32, n), make([]float32, n)
		for i := range rows {
			rows[i] = int32(i)
		}
		Project(&fn, values, d.Columns, rows)
		Project(&fn, ofCodes, codes, rows)
		for i, v := range values {
			if want := plainLowRank(fn, d.Row(nil, i)); v != want || ofCodes[i] != want || fn.Value(d.Row(nil, i)) != want {
				t.Fatalf("rank %d, row %d: %v, %v of bytes and %v alone; want %v", rank, i, v, ofCodes[i],
					fn.Value(d.Row(nil, i)), want)
			}
		}
		tree := Tree{}
		split := tree.Splits.Add(fn)
		tree.Nodes = []Node{{Split: split, Next: 2, Value: slices.Sorted(slices.Values(values))[n/2]}, ValueLeaf(1, 1),
			ValueLeaf(2, 1)}
		checkBits(t, &Forest{Features: make([]string, p), Trees: []Tree{tree}}, d)
	}
}

func TestLowRankTakesNoMemoryToPredict(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const p = 300
	fn := drawLowRank(rng, p, 9)
	x := normals(rng, p, 1).Row(nil, 0)
	if n := testing.AllocsPerRun(10, func() { fn.Value(x) }); n != 0 {
		t.Errorf("%v allocations for a row", n)
	}
	d := normals(rng, p, 100)
	w := new(Forest).newWalker(d, 100)
	w.enter(0, 100)
	var tree Tree
	node, out := Node{Split: tree.Splits.Add(fn)}, make([]uint16, 100)
	if n := testing.AllocsPerRun(10, func() { w.divide(&tree, &node, w.rows, out) }); n != 0 {
		t.Errorf("%v allocations for a node", n)
	}
}

// By hand: the centre is multiplied out, and a square's sum begins with a positive term.
func TestFormatLowRank(t *testing.T) {
	names := []string{"a", "b", "c"}
	wide := Function{Kind: LowRank, Positive: 1}
	for j := range int32(7) {
		wide.Features, wide.Weights, wide.Centre = append(wide.Features, j), append(wide.Weights, 0), append(wide.Centre, 0)
	}
	wide.Factors = []float32{
		0, -1, 2, -3, 4, 0, 0, // four terms
		-1, 2, 1, 1, 1, 0, 0, // five
		2, 1, 1, 1, 1, 1, 0, // six
		0, 0, 0, 0, 0, 0, 0,
	}
	huge := Function{Kind: LowRank, Features: []int32{0}, Weights: []float32{0}, Centre: []float32{-1e30},
		Factors: []float32{1e30}, Positive: 1}
	for _, c := range []struct {
		fn     Function
		digits int
		want   string
	}{
		// 2(a − 1) − (b − 2) + 5 is 2a − b + 5.
		{Function{
			Kind: LowRank, Features: []int32{0, 1}, Weights: []float32{2, -1}, Bias: 5, Centre: []float32{1, 2},
			Factors: []float32{-0.5, 0.2, 1, 0, 0, -3}, Positive: 2,
		}, 3, "2·a − b + (0.5·a − 0.2·b − 0.1)² + (a − 1)² − (3·b − 6)² + 5"},
		{Function{Kind: LowRank, Features: []int32{2}, Weights: []float32{0}, Centre: []float32{0}, Factors: []float32{2}}, 0,
			"−(2·c)²"},
		{Function{Kind: LowRank, Features: []int32{2}, Weights: []float32{1}, Centre: []float32{4}, Bias: 4}, 0, "c"},
		{Function{Kind: LowRank, Features: []int32{2}, Weights: []float32{0}, Centre: []float32{4}, Factors: []float32{0}},
			0, "0"},
		{Function{Kind: LowRank, Bias: -2}, 0, "−2"},
		{wide, 0, "(b − 2·c + 3·x3 − 4·x4)² − (a − 2·b − c − x3 − x4)² − (2·a + b + c + x3 + … (6 terms))²"},
		{huge, 2, "(1e+30·a + 1e+60)²"},
	} {
		if got := c.fn.Format(names, c.digits); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	var terms []string
	for term := range wide.Terms(names, 0) {
		if terms = append(terms, term); len(terms) == 2 {
			break
		}
	}
	if want := []string{"(b − 2·c + 3·x3 − 4·x4)²", "− (a − 2·b − c − x3 − x4)²"}; !slices.Equal(terms, want) {
		t.Errorf("terms %q, want %q", terms, want)
	}
}

// A nonzero weight and nonzero factors count, with the threshold; the centre doesn't.
func TestSizeOfLowRank(t *testing.T) {
	fn := Function{
		Kind: LowRank, Features: []int32{0, 1}, Weights: []float32{0, 1}, Bias: 3,
		Centre: []float32{1, 2}, Factors: []float32{1, 0, 2, 3}, Positive: 1,
	}
	if got := fn.parameters(); got != 1+3+1 {
		t.Errorf("%d parameters, want 5", got)
	}
}

func TestKindsThatAreLinear(t *testing.T) {
	for kind, want := range map[Kind]bool{Axis: true, Sparse: true, Dense: true, Quadratic: false, LowRank: false} {
		if kind.Linear() != want {
			t.Errorf("kind %d is linear: %v", kind, !want)
		}
	}
}

func TestAddRefusesLowRanksThatDoNotFit(t *testing.T) {
	sound := Function{Kind: LowRank, Features: []int32{0, 1}, Weights: []float32{1, 2}, Centre: []float32{3, 4},
		Factors: []float32{5, 6}, Positive: 1}
	for _, c := range []struct {
		want  string
		spoil func(fn *Function)
	}{
		{"2 features, 2 weights, 1 numbers of Centre and 2 of Factors", func(fn *Function) { fn.Centre = fn.Centre[:1] }},
		{"and 3 of Factors", func(fn *Function) { fn.Factors = []float32{1, 2, 3} }},
		{"2 rows positive", func(fn *Function) { fn.Positive = 2 }},
		{"0 features, 0 weights, 0 numbers of Centre and 2 of Factors", func(fn *Function) {
			fn.Features, fn.Weights, fn.Centre, fn.Positive = nil, nil, nil, 0
		}},
		{"a LowRank of 16384 features and 0 squares; want at most 16383 of each", func(fn *Function) {
			fn.Features, fn.Weights, fn.Centre, fn.Factors, fn.Positive = upTo(16384), make([]float32, 16384), make([]float32,
				16384), nil, 0
		}},
		{"a LowRank of 2 features and 16384 squares; want at most 16383 of each",
			func(fn *Function) { fn.Factors = make([]float32, 2*16384) }},
	} {
		fn := sound
		c.spoil(&fn)
		readtest.WantPanic(t, "forest: ", func() { new(Pool).Add(fn) }, c.want)
	}
	// The largest of each.
	var s Pool
	wide := Function{Kind: LowRank, Features: upTo(MaxLowRank), Weights: make([]float32, MaxLowRank),
		Centre: make([]float32, MaxLowRank), Factors: []float32{}}
	tall := Function{Kind: LowRank, Features: []int32{0}, Weights: []float32{1}, Centre: []float32{1},
		Factors: make([]float32, MaxLowRank), Positive: MaxLowRank}
	for _, fn := range []Function{sound, wide, tall} {
		if got := s.At(s.Add(fn)); !reflect.DeepEqual(got, fn) {
			t.Errorf("%d features and %d factors came back as %d and %d", len(fn.Features), len(fn.Factors), len(got.Features),
				len(got.Factors))
		}
	}
	if err := s.validate(MaxLowRank); err != nil {
		t.Error(err)
	}
}

// Pools of files whose LowRank isn't one.
func TestLowRankValidation(t *testing.T) {
	shape := func(rank, size int) uint32 { return 4<<28 | uint32(rank)<<14 | uint32(size) }
	float := func(bits uint32) float32 { return math.Float32frombits(bits) }
	for _, c := range []struct {
		want  string
		spoil func(s *Pool)
	}{
		{"the numbers of split function 0 begin at 0 and are 14; want them to begin at 0, and there are 12",
			func(s *Pool) { s.functions[0].Shape = shape(4, 2) }},
		{"split functions end at feature 2 and number 10", func(s *Pool) {
			s.functions[0].Shape = shape(2, 2)
			s.numbers[9] = 2
		}},
		{"split function 0 has 4 positive squares; want a whole number from 0 to 3", func(s *Pool) { s.numbers[11] = 4 }},
		{"split function 0 has -0 positive squares", func(s *Pool) { s.numbers[11] = float(1 << 31) }},
		{"split function 0 has 1.5 positive squares", func(s *Pool) { s.numbers[11] = 1.5 }},
		{"split function 0 has NaN positive squares", func(s *Pool) { s.numbers[11] = float(0x7fc00000) }},
	} {
		s := pool(Function{
			Kind: LowRank, Features: []int32{0, 4}, Weights: []float32{1, 2}, Bias: 9,
			Centre: []float32{3, 4}, Factors: []float32{5, 6, 7, 8, -5, -6}, Positive: 2,
		})
		if err := s.validate(5); err != nil || s.functions[0].Shape != shape(3, 2) {
			t.Fatal(err, s.functions)
		}
		c.spoil(&s)
		readtest.WantError(t, s.validate(5), c.want)
	}
}
