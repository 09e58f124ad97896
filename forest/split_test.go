package forest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func TestSingleFeaturesAreNotStored(t *testing.T) {
	var pool Pool
	for _, j := range []int32{0, 5, 1<<30 - 1} {
		if got := pool.Add(Linear([]int32{j}, []float32{1})); got != j {
			t.Errorf("feature %d got number %d", j, got)
		}
	}
	if pool.Len() != 0 || pool.Coefficients() != 0 || len(pool.features) != 0 {
		t.Errorf("%+v isn't empty", pool)
	}
	for _, j := range []int32{0, 63, 64, 1000, 7} {
		want := Function{Kind: Axis, Features: []int32{j}, Weights: []float32{1}}
		if got := pool.At(j); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	for _, weights := range [][]float32{{-1}, {2}, {1, 1}, {1, 0}, nil} {
		if fn := Linear([]int32{3, 4}[:len(weights)], weights); fn.Kind != Sparse {
			t.Errorf("weights %v make a function of kind %d", weights, fn.Kind)
		}
	}
}

// Consecutive functions with the same features share a list, also if dense functions, which
// have no list, are between them.
func TestPoolSharesFeatures(t *testing.T) {
	var pool Pool
	for _, c := range []struct {
		kind           Kind
		features, want []int32 // those of the function, and all lists
	}{
		{Dense, []int32{0, 1, 2}, nil},
		{Sparse, []int32{1, 5}, []int32{1, 5}},
		{Sparse, []int32{1, 5}, []int32{1, 5}},
		{Dense, []int32{0, 1}, []int32{1, 5}},
		{Quadratic, []int32{1, 5}, []int32{1, 5}},
		{LowRank, []int32{1, 5}, []int32{1, 5}},
		{Sparse, []int32{1, 6}, []int32{1, 5, 1, 6}},
		{Sparse, []int32{1}, []int32{1, 5, 1, 6, 1}},
		{Sparse, []int32{1, 5}, []int32{1, 5, 1, 6, 1, 1, 5}}, // not the one before
		{Sparse, []int32{5}, []int32{1, 5, 1, 6, 1, 1, 5, 5}},
		{Sparse, []int32{}, []int32{1, 5, 1, 6, 1, 1, 5, 5}},
		{Quadratic, []int32{}, []int32{1, 5, 1, 6, 1, 1, 5, 5}},
		{LowRank, []int32{}, []int32{1, 5, 1, 6, 1, 1, 5, 5}},
		{Sparse, []int32{5}, []int32{1, 5, 1, 6, 1, 1, 5, 5, 5}},
	} {
		k := len(c.features)
		fn := Function{Kind: c.kind, Features: c.features, Weights: make([]float32, k)}
		switch c.kind {
		case Quadratic:
			fn.Q = make([]float32, k*(k+1)/2)
		case LowRank:
			fn.Centre, fn.Factors = make([]float32, k), make([]float32, 3*k)
		}
		pool.Add(fn)
		if !slices.Equal(pool.features, c.want) {
			t.Fatalf("lists %v, want %v", pool.features, c.want)
		}
		must.Do(pool.validate(7))
	}
}

// The numbers of stored functions count from 1<<30. All that are added can be read back, and the pool is valid.
func TestPoolGivesBackWhatWasAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := rapid.IntRange(1, 9).Draw(t, "features")
		var pool Pool
		var want []Function
		var last []int32
		numbers := 0
		for range rapid.IntRange(0, 30).Draw(t, "functions") {
			fn := drawFunction(rng, p, last)
			if rng.IntN(4) == 0 {
				fn = drawSet(rng, int32(rng.IntN(p)))
			}
			last = fn.Features
			if got := pool.Add(fn); got != int32(1<<30+len(want)) {
				t.Fatalf("function %d has the number %d", len(want), got)
			}
			want = append(want, fn)
			numbers += len(fn.Weights) + len(fn.Q) + len(fn.Centre) + len(fn.Factors)
			switch fn.Kind {
			case Set: // words, and no weight
				numbers += len(fn.Categories) - 1
			case Quadratic:
				numbers++ // the bias
			case LowRank:
				numbers += 2 // and how many squares are positive
			}
		}
		if pool.Len() != len(want) || pool.Coefficients() != numbers {
			t.Fatalf("%d functions of %d numbers; want %d of %d", pool.Len(), pool.Coefficients(), len(want), numbers)
		}
		must.Do(pool.validate(p))
		clone := pool.trimmed()
		for k, fn := range want {
			for _, s := range []*Pool{&pool, &clone} {
				got := s.At(int32(1<<30 + k))
				if got.Kind != fn.Kind || got.Bias != fn.Bias || got.MissingLeft != fn.MissingLeft ||
					!slices.Equal(got.Categories, fn.Categories) || got.Positive != fn.Positive ||
					!slices.Equal(got.Features, fn.Features) ||
					!slices.Equal(got.Weights, fn.Weights) || !slices.Equal(got.Q, fn.Q) ||
					!slices.Equal(got.Centre, fn.Centre) || !slices.Equal(got.Factors, fn.Factors) {
					t.Fatalf("function %d is %+v, want %+v", k, got, fn)
				}
				for _, s := range [][]float32{got.Weights, got.Q, got.Centre, got.Factors} {
					if cap(s) != len(s) {
						t.Fatal("appending would overwrite what follows")
					}
				}
				if cap(got.Features) != len(got.Features) {
					t.Fatal("appending would overwrite what follows")
				}
			}
		}
		pool.reset()
		if pool.Len() != 0 || pool.Coefficients() != 0 || clone.Len() != len(want) {
			t.Fatal("a reset leaves functions, or takes those of the clone")
		}
	})
}

func TestAtAllocatesNothing(t *testing.T) {
	var pool Pool
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		pool.Add(drawFunction(rng, 300, nil))
	}
	wide := make([]int32, 5000)
	for j := range wide {
		wide[j] = int32(j)
	}
	pool.Add(Function{Kind: Dense, Features: wide, Weights: make([]float32, 5000)})
	sum := 0
	if n := testing.AllocsPerRun(10, func() {
		for j := range int32(6000) {
			fn := pool.At(j)
			sum += len(fn.Features)
		}
		for k := range int32(pool.Len()) {
			fn := pool.At(1<<30 + k)
			sum += len(fn.Features)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Any number of goroutines may call upTo, which extends the shared slice when needed.
func TestUpToConcurrently(t *testing.T) {
	ascending.Store(nil)
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			for n := range 400 {
				list := upTo(n * (k + 1))
				if len(list) != n*(k+1) || n > 0 && (list[0] != 0 || int(list[len(list)-1]) != len(list)-1) {
					t.Errorf("%d numbers, want %d", len(list), n*(k+1))
				}
			}
		})
	}
	wg.Wait()
	if last := ascending.Load(); len(*last) < 399*8 {
		t.Errorf("%d numbers in the end; want as many as were asked for", len(*last))
	}
}

// By hand: 2a − b + 3c − a² + 0.5ab + bc + 4 and its like.
func TestFormatFunctions(t *testing.T) {
	names := []string{"a", "b", "c"}
	quadratic := Function{
		Kind: Quadratic, Features: []int32{0, 1, 2}, Weights: []float32{2, -1, 3},
		Q: []float32{-1, 0.5, 0, 0, 1, 0}, Bias: 4,
	}
	for _, c := range []struct {
		fn     Function
		names  []string
		digits int
		want   string
	}{
		{quadratic, names, 0, "2·a − b + 3·c − a² + 0.5·a·b + b·c + 4"},
		{quadratic, nil, 0, "2·x0 − x1 + 3·x2 − x0² + 0.5·x0·x1 + x1·x2 + 4"},
		{Function{Kind: Quadratic, Features: []int32{1}, Weights: []float32{0}, Q: []float32{-1. / 3}}, names, 0,
			"−0.333333·b²"},
		{Function{Kind: Quadratic, Features: []int32{1}, Weights: []float32{0}, Q: []float32{-1. / 3}}, names, 2, "−0.33·b²"},
		{Function{Kind: Quadratic, Features: []int32{1}, Weights: []float32{0}, Q: []float32{0}, Bias: -2.5}, names, 0,
			"−2.5"},
		{Function{Kind: Quadratic, Features: []int32{1}, Weights: []float32{0}, Q: []float32{0}}, names, 0, "0"},
		{Function{Kind: Quadratic, Features: []int32{0, 12}, Weights: []float32{0, 0}, Q: []float32{0, -1, 1}, Bias: -1},
			names, 0, "−a·x12 + x12² − 1"},
		{Function{Kind: Dense, Features: []int32{0, 1, 2}, Weights: []float32{1, 0, -1.5}}, names, 0, "a − 1.5·c"},
		{Function{Kind: Dense}, names, 0, "0"},
		{Function{Kind: Axis, Features: []int32{2}, Weights: []float32{1}}, names, 0, "c"},
	} {
		if got := c.fn.Format(c.names, c.digits); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	var terms []string
	for term := range quadratic.Terms(names, 0) {
		if terms = append(terms, term); len(terms) == 4 {
			break
		}
	}
	if want := []string{"2·a", "− b", "+ 3·c", "− a²"}; !slices.Equal(terms, want) {
		t.Errorf("terms %q, want %q", terms, want)
	}
}

// Functions of every kind, with their values at x = (1.5, −2, 3) by hand.
func TestValuesOfFunctions(t *testing.T) {
	x := []float32{1.5, -2, 3}
	columns := [][]float32{{0, 1.5}, {0, -2}, {0, 3}}
	for _, c := range []struct {
		fn   Function
		want float32
	}{
		{Linear([]int32{1}, []float32{1}), -2},
		{Linear([]int32{0, 2}, []float32{2, -1}), 2*1.5 - 3},
		{Linear([]int32{1}, []float32{-4}), 8},
		{Function{Kind: Dense, Features: []int32{0, 1}, Weights: []float32{1, 1}}, 1.5 - 2},
		{Function{Kind: Quadratic, Features: []int32{0, 2}, Weights: []float32{1, 10}, Q: []float32{2, 3, 4}, Bias: 5},
			1.5 + 30 + 2*2.25 + 3*4.5 + 4*9 + 5},
		{Function{Kind: Quadratic, Bias: 5}, 5},
		{Function{ // z = (0.5, 4)
			Kind: LowRank, Features: []int32{0, 2}, Weights: []float32{1, 10}, Bias: 5,
			Centre: []float32{1, -1}, Factors: []float32{2, 3, 4, -1, 0, 2}, Positive: 1,
		}, 5 + 0.5 + 40 + 13*13 - 2*2 - 8*8},
		{Function{Kind: LowRank, Bias: 5}, 5},
	} {
		if got := c.fn.Value(x); got != c.want {
			t.Errorf("%+v has value %v, want %v", c.fn, got, c.want)
		}
		values := make([]float32, 1)
		Project(&c.fn, values, columns, []int32{1})
		if values[0] != c.want {
			t.Errorf("%+v is projected to %v, want %v", c.fn, values[0], c.want)
		}
	}
	if got := (&Function{Kind: Sparse}).Value(x); got != 0 {
		t.Errorf("a function of nothing is %v", got)
	}
}

// Invalid pools and their errors.
func TestPoolValidation(t *testing.T) {
	sound := func() *Pool {
		var s Pool
		s.Add(Linear([]int32{0, 2}, []float32{1, -1}))
		s.Add(Function{Kind: Quadratic, Features: []int32{0, 2}, Weights: []float32{1, 2}, Q: []float32{3, 4, 5}, Bias: 6})
		s.Add(Function{Kind: Dense, Features: []int32{0, 1}, Weights: []float32{1, 2}})
		s.Add(Linear([]int32{1}, []float32{2}))
		return &s
	}
	shape := func(kind Kind, size int) uint32 { return uint32(kind)<<28 | uint32(size) }
	for _, c := range []struct {
		want  string
		spoil func(s *Pool)
	}{
		{"split function 0 is of kind 0; want 1 to 5", func(s *Pool) { s.functions[0].Shape = shape(Axis, 2) }},
		{"split function 2 is of kind 6; want 1 to 5", func(s *Pool) { s.functions[2].Shape = shape(6, 2) }},
		{"the numbers of split function 0 begin at 1 and are 2; want them to begin at 0, and there are 11",
			func(s *Pool) { s.functions[0].Numbers = 1 }},
		{"the numbers of split function 2 begin at -8", func(s *Pool) { s.functions[2].Numbers = -8 }},
		{"the numbers of split function 1 begin at 2 and are 36028797153181696",
			func(s *Pool) { s.functions[1].Shape = shape(Quadratic, 1<<28-1) }},
		{"split function 2 combines the first 3 of 2 features", func(s *Pool) {
			s.functions[2].Shape, s.functions[3] = shape(Dense, 3), stored{shape(Dense, 0), 0, 11}
			s.features = s.features[:2]
			for i := range s.features {
				s.features[i] = int32(i)
			}
		}},
		// a list that isn't
		{"split function 2 combines the first 2 of 3 features", func(s *Pool) { s.functions[2].Features = 1 }},
		{"the features of split function 0 begin at -1 and are 2; want them to begin at 0, and there are 3",
			func(s *Pool) { s.functions[0].Features = -1 }},
		{"the features of split function 3 begin at -1 and are 0", func(s *Pool) { // not even where there are none
			s.functions[3].Shape, s.functions[3].Features = shape(Sparse, 0), -1
		}},
		{"the features of split function 3 begin at 0 and are 1", func(s *Pool) { s.functions[3].Features = 0 }},
		{"split function 0 has feature 2 after 2; want ascending below 3", func(s *Pool) { s.features[0] = 2 }},
		{"split functions end at feature 3 and number 11; there are 3 and 12",
			func(s *Pool) { s.numbers = append(s.numbers, 1) }},
		{"split functions end at feature 3 and number 11; there are 4 and 11",
			func(s *Pool) { s.features = append(s.features, 1) }},
		{"the numbers of split function 3 begin at 11 and are 1; want them to begin at 0, and there are 0",
			func(s *Pool) { s.functions[3] = stored{shape(Set, 1), 2, 11} }},
		{"sets end at word 0; there are 1", func(s *Pool) { s.sets = []uint32{7} }},
		{"number 10 of the split functions is NaN", func(s *Pool) { s.numbers[10] = float32(math.NaN()) }},
	} {
		s := sound()
		must.Do(s.validate(3))
		c.spoil(s)
		p := 3
		if strings.Contains(c.want, "of 2 features") {
			p = 2
		}
		readtest.WantError(t, s.validate(p), c.want)
	}
}
