package forest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// independent returns learners whose trees don't depend on each other.
func independent(trees int) map[string]forest.Learner {
	all := methods(trees, forest.Growth{}, 3)
	for _, name := range []string{"cart", "hrf", "boost", "oc1 tree", "godt", "mix", "auto"} {
		delete(all, name)
	}
	return all
}

// A forest that continues another is the one that is grown at once, and only the other
// trees are grown.
func TestLearnersContinueAForest(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(150, 1)
	fewer := independent(4)
	for name, learner := range independent(9) {
		ctx := t.Context()
		first := must.Value(fewer[name].Fit(ctx, d))
		whole := must.Value(learner.Fit(ctx, d))
		reports := 0
		counting := forest.WithProgress(ctx, func(done, total int) {
			reports++
			if total%9 != 0 || done > total {
				t.Errorf("%s: progress %d of %d for 9 trees", name, done, total)
			}
		})
		continued := must.Value(forest.Grow(counting, learner, d, forest.Options{Grown: first}))
		if !reflect.DeepEqual(continued, whole) {
			t.Errorf("%s: the continued forest differs from the one grown at once", name)
		}
		if name != "tao" && reports != 5 { // tao reports passes
			t.Errorf("%s: %d trees were grown; want 5", name, reports)
		}
	}
}

// A forest that was grown otherwise isn't continued.
func TestLearnersContinueOnlyTheirForest(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(150, 1)
	fit := func(l forest.Learner, grown *forest.Forest, rows int) *forest.Forest {
		t.Helper()
		return must.Value(forest.Grow(t.Context(), l, sim.Trunk{Features: 5}.Sample(rows, 1), forest.Options{Grown: grown}))
	}
	l := rf.Learner{Trees: 3, Seed: 3}
	whole := fit(l, nil, d.N())
	seven, half := l, l
	seven.Seed, half.Sampling.Fraction = 7, 0.5
	more := l
	more.Trees = 4
	for name, grown := range map[string]*forest.Forest{
		"another seed":     fit(seven, nil, d.N()),
		"another sampling": fit(half, nil, d.N()),
		"another method":   fit(rf.Bagging{Trees: 3, Seed: 3}, nil, d.N()),
		"other rows":       fit(l, nil, d.N()-1),
		"more trees":       fit(more, nil, d.N()),
		"no forest":        nil,
	} {
		if f := fit(l, grown, d.N()); !reflect.DeepEqual(f, whole) {
			t.Errorf("%s: its trees were taken", name)
		}
	}
	if f := fit(l, whole, d.N()); !reflect.DeepEqual(f, whole) {
		t.Error("continued by no tree: the forest differs")
	}
}

// The joined parts of a forest are the forest that is grown at once, byte for byte, however
// it is cut, also if the parts are sent as bytes and arrive in another order.
func TestJoinedPartsAreTheForest(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(150, 1)
	const trees = 7
	cuts := 20
	if testing.Short() {
		cuts = 3
	}
	for name, learner := range independent(trees) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := encoded(learner, d)
			rng := rand.New(rand.NewPCG(1, 2))
			for range cuts {
				var parts []*forest.Part
				for lo := 0; lo < trees; {
					hi := lo + 1 + rng.IntN(trees-lo)
					parts = append(parts, sent(t, learner, d, lo, hi))
					lo = hi
				}
				rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
				f := must.Value(forest.Join(parts...))
				joined := must.Value(f.MarshalBinary())
				if !bytes.Equal(joined, whole) {
					t.Fatalf("the forest joined of %d parts differs from the one grown at once", len(parts))
				}
			}
		})
	}
}

// sent returns a part as it is after it was encoded and decoded.
func sent(t *testing.T, l forest.Learner, d *datasets.Dataset, lo, hi int) *forest.Part {
	t.Helper()
	var reported []int
	ctx := forest.WithProgress(t.Context(), func(done, total int) {
		if reported = append(reported, done); total%(hi-lo) != 0 || done != len(reported) || done > total {
			t.Errorf("progress %d of %d, report %d, for trees %d … %d", done, total, len(reported), lo, hi-1)
		}
	})
	p := must.Value(forest.FitPart(ctx, l, d, lo, hi))
	b := must.Value(p.MarshalBinary())
	var q forest.Part
	must.Do(q.UnmarshalBinary(b))
	return &q
}

// Learners whose trees depend on each other refuse to grow a part before they grow anything,
// and those that don't know of parts are found out.
func TestPartsThatCannotBeGrown(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(150, 1)
	sequential := forest.Memory{Alpha: 0.5, Beta: 2}
	for name, c := range map[string]struct {
		learner forest.Learner
		lo, hi  int
		want    string
	}{
		"hrf":           {rf.HRF{Trees: 5}, 0, 2, "hrf: a tree depends on those before it"},
		"sporf, memory": {sporf.Learner{Trees: 5, Memory: sequential}, 0, 2, "sporf: a tree depends on those before it"},
		"graf, memory":  {graf.Learner{Trees: 5, Memory: sequential}, 0, 2, "graf: a tree depends on those before it"},
		"pipeline of hrf": {forest.Pipeline(rf.HRF{Trees: 5}, datasets.Standardise{}), 0, 2,
			"a tree depends on those before it"},
		"foreign":        {foreign{}, 0, 1, "foreign doesn't grow parts"},
		"fits two":       {twice{}, 0, 1, "twice doesn't grow parts"},
		"beyond the end": {rf.Learner{Trees: 5}, 3, 6, "a part of trees 3 … 5; the forest has 5"},
		"no tree":        {rf.Learner{Trees: 5}, 3, 3, "a part of trees 3 … 2; want"},
		"negative":       {rf.Learner{Trees: 5}, -1, 3, "a part of trees -1 … 2; want"},
	} {
		grown := 0
		ctx := forest.WithProgress(t.Context(), func(int, int) { grown++ })
		_, err := forest.FitPart(ctx, c.learner, d, c.lo, c.hi)
		readtest.WantError(t, err, c.want)
		if name != "foreign" && name != "fits two" && grown > 0 {
			t.Errorf("%s: %d trees were grown before it was refused", name, grown)
		}
	}
}

// foreign is a learner that knows nothing of parts.
type foreign struct{}

func (foreign) Fit(context.Context, *datasets.Dataset) (*forest.Forest, error) {
	return &forest.Forest{Trees: make([]forest.Tree, 3)}, nil
}

// twice fits two forests and returns one, as a learner that tunes does.
type twice struct{}

func (twice) Fit(ctx context.Context, d *datasets.Dataset) (*forest.Forest, error) {
	if _, err := (rf.Learner{Trees: 2}).Fit(ctx, d); err != nil {
		return nil, err
	}
	return rf.Learner{Trees: 3}.Fit(ctx, d)
}

func TestJoinRefusesOtherParts(t *testing.T) {
	d := sim.Trunk{Features: 5}.Sample(150, 1)
	l := rf.Learner{Trees: 4, Seed: 3}
	seven := l
	seven.Seed = 7
	standardised := forest.Pipeline(l, datasets.Standardise{})
	part := func(l forest.Learner, lo, hi int) *forest.Part { return sent(t, l, d, lo, hi) }
	for _, c := range map[string]struct {
		parts []*forest.Part
		want  string
	}{
		"none":           {nil, "no parts"},
		"last missing":   {[]*forest.Part{part(l, 0, 3)}, "trees 3 … 3 are in no part"},
		"middle missing": {[]*forest.Part{part(l, 3, 4), part(l, 0, 1)}, "trees 1 … 2 are in no part"},
		"twice":          {[]*forest.Part{part(l, 0, 3), part(l, 2, 4)}, "tree 2 is in two parts"},
		"another seed":   {[]*forest.Part{part(l, 0, 2), part(seven, 2, 4)}, "different forests"},
		"another method": {[]*forest.Part{part(l, 0, 2), part(rf.Bagging{Trees: 4, Seed: 3}, 2, 4)}, "different forests"},
		"other step data": {[]*forest.Part{part(standardised, 0, 2),
			sent(t, standardised, sim.Trunk{Features: 5}.Sample(150, 2), 2, 4)}, "different forests"},
	} {
		_, err := forest.Join(c.parts...)
		readtest.WantError(t, err, c.want)
	}
}

// Room is made for the trees that are there, not for those that a part speaks of.
func TestJoinOfAPartThatLies(t *testing.T) {
	d := sim.Trunk{Features: 2}.Sample(30, 1)
	whole := must.Value(forest.FitPart(t.Context(), rf.Learner{Trees: 3}, d, 0, 1))
	b := must.Value(whole.MarshalBinary())
	const trees = 1 << 20 // of 240 bytes each
	binary.LittleEndian.PutUint32(b[4:], trees)
	binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b[:8], crc32.MakeTable(crc32.Castagnoli)))
	var p forest.Part
	must.Do(p.UnmarshalBinary(b))
	if lo, hi, of := p.Range(); lo != 0 || hi != 1 || of != trees {
		t.Errorf("trees %d … %d of %d", lo, hi-1, of)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := forest.Join(&p)
	runtime.ReadMemStats(&after)
	readtest.WantError(t, err, "trees 1 … 1048575 are in no part")
	if took := after.TotalAlloc - before.TotalAlloc; took > trees {
		t.Errorf("%d bytes were taken for one tree", took)
	}
}

// Every bit of an encoded part is checked, and every truncation found.
func TestDamagedParts(t *testing.T) {
	p := must.Value(forest.FitPart(t.Context(), rf.CART{Growth: forest.Growth{MaxDepth: 2}},
		sim.Trunk{Features: 2}.Sample(30, 1), 0, 1))
	b := must.Value(p.MarshalBinary())
	for i := range b {
		if err := new(forest.Part).UnmarshalBinary(bytes.Clone(b[:i])); err == nil {
			t.Errorf("%d of %d bytes pass for a part", i, len(b))
		}
		for bit := range 8 {
			damaged := bytes.Clone(b)
			damaged[i] ^= 1 << bit
			if err := new(forest.Part).UnmarshalBinary(damaged); err == nil {
				t.Errorf("a part whose bit %d of byte %d is flipped passes", bit, i)
			}
		}
	}
}
