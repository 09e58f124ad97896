package grow

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

func TestDivideIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(floats(), 1, 60).Draw(t, "values")
		threshold := floats().Draw(t, "threshold")
		var want, right []int
		s := make([]int, len(values))
		for i, v := range values {
			s[i] = i
			if v <= threshold {
				want = append(want, i)
			} else {
				right = append(right, i)
			}
		}
		left := len(want)
		want = append(want, right...)
		if n := divide(s, make([]int, len(s)), values, threshold); n != left || !slices.Equal(s, want) {
			t.Fatalf("%d go left, in order %v; want %d, %v", n, s, left, want)
		}
	})
}

func TestDividePackedDividesBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(floats(), 1, 60).Draw(t, "values")
		threshold := floats().Draw(t, "threshold")
		ids, packed := make([]int32, len(values)), make([]uint32, len(values))
		for i := range ids {
			ids[i], packed[i] = int32(i)<<8, ^uint32(i)
		}
		wantIDs, wantPacked := slices.Clone(ids), slices.Clone(packed)
		left := divide(wantIDs, make([]int32, len(ids)), values, threshold)
		divide(wantPacked, make([]uint32, len(ids)), values, threshold)
		n := dividePacked(ids, packed, make([]key, len(ids)), values, threshold)
		if n != left || !slices.Equal(ids, wantIDs) || !slices.Equal(packed, wantPacked) {
			t.Fatalf("%d go left, in order %v %v; want %d, %v %v", n, ids, packed, left, wantIDs, wantPacked)
		}
	})
}

// After a split, all slices of the sample must still agree on each row.
func TestPartitionKeepsRowsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, params := drawProblem(t)
		w, _ := atRoot(t, d, params)
		if w.node.pure {
			t.Skip("pure")
		}
		counts := drawn(d, params)
		s := w.node.sample
		if !w.split(task{hi: len(s.ids), parent: -1}) {
			t.Skip("not split")
		}
		root := w.builder.tree.Nodes[0]
		fn := w.builder.tree.Splits.At(root.Split)
		column := d.Columns[fn.Features[0]]
		sides := w.stack[len(w.stack)-2:]
		right, left := sides[0], sides[1]
		if left.lo != 0 || left.hi != right.lo || right.hi != len(s.ids) || right.parent != 0 || left.parent != -1 {
			t.Fatalf("sides %+v and %+v of %d rows", left, right, len(s.ids))
		}
		for i, r := range s.ids {
			if (column[r] <= root.Value) != (i < left.hi) {
				t.Fatalf("row %d with %v is on the wrong side of %v", r, column[r], root.Value)
			}
			if i > 0 && i != left.hi && s.ids[i-1] >= r {
				t.Fatalf("rows %d, %d out of order", s.ids[i-1], r)
			}
			checkRow(t, s, i, d, params, counts[r])
		}
	})
}

func checkRow(t *rapid.T, s *sample, i int, d *datasets.Dataset, params Params, count uint16) {
	r := s.ids[i]
	if s.packed != nil {
		if p := s.packed[i]; classOf(p) != uint32(d.Labels[r]) || countOf(p) != int64(count) {
			t.Fatalf("row %d has class %d and count %d, want %d and %d", r, classOf(p), countOf(p), d.Labels[r], count)
		}
		return
	}
	weight := float64(count)
	if d.Weights != nil {
		weight *= float64(d.Weights[r])
	}
	if diff := s.weight(i) - weight; diff > 1e-12 || diff < -1e-12 || s.drawn[i] != count {
		t.Fatalf("row %d has weight %v and count %d, want %v and %d", r, s.weight(i), s.drawn[i], weight, count)
	}
	values, _ := Relative(d.Values, RowWeights(d))
	if values != nil && s.values[i] != values[r] || d.Labels != nil && s.labels[i] != d.Labels[r] {
		t.Fatalf("row %d has another row's target", r)
	}
}

// A bootstrap sample may miss every row of positive weight.
func TestSampleWithoutWeight(t *testing.T) {
	d := noise(60, 2, 2)
	d.Weights = make([]float32, d.N())
	d.Labels[0], d.Labels[1] = 0, 1
	d.Weights[0], d.Weights[1] = 1, 1
	values := noise(60, 2, 0)
	values.Weights = d.Weights
	values.Values[0], values.Values[1] = 3, 5
	for _, d := range []*datasets.Dataset{d, values} {
		params := Params{Trees: 200, Seed: 1}
		f := must.Value(Forest(context.Background(), d, params, allAxes(d.P())))
		missed := 0
		for i, tree := range f.Trees {
			counts := params.Sampling.Counts(nil, d.N(), params.Seed, i)
			if counts[0] > 0 || counts[1] > 0 {
				continue
			}
			missed++
			// Then the tree is grown on all rows of positive weight.
			if len(tree.Nodes) != 3 || tree.Nodes[1].Weight != 1 || tree.Nodes[2].Weight != 1 {
				t.Errorf("tree %d: nodes %+v", i, tree.Nodes)
			}
		}
		if missed == 0 {
			t.Error("no tree missed both rows: the test proves nothing")
		}
		if _, err := f.MarshalBinary(); err != nil {
			t.Error(err)
		}
	}
}
