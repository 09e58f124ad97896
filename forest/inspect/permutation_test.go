package inspect

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// stump returns a forest of one tree with one split, x2 ≤ 0, and rows of three
// features that it classifies without error; one row in four is positive.
func stump(n int) (*forest.Forest, *datasets.Dataset) {
	d := &datasets.Dataset{
		Features: []datasets.Feature{{Name: "x1"}, {Name: "x2"}, {Name: "x3"}},
		Columns:  [][]float32{make([]float32, n), make([]float32, n), make([]float32, n)},
		Labels:   make([]int32, n),
		Classes:  []string{"0", "1"},
	}
	for i := range n {
		d.Columns[0][i], d.Columns[1][i], d.Columns[2][i] = float32(i), -1, float32(i%7)
		if i%4 == 0 {
			d.Columns[1][i], d.Labels[i] = 1, 1
		}
	}
	return &forest.Forest{
		Features: d.FeatureNames(),
		Classes:  d.Classes,
		Trees: []forest.Tree{{Nodes: []forest.Node{
			{Split: 1, Next: 2, Value: 0},
			leaf(0),
			leaf(1),
		}}},
	}, d
}

// TestPermutationByHand: a permutation gives a row a cell of the other class with a
// probability of that class's share, so on average 2·¼·¾ of the rows are wrong.
func TestPermutationByHand(t *testing.T) {
	model, d := stump(400)
	before := d.Subset(distinctRows(d))
	columns := [][]float32{slices.Clone(d.Columns[0]), slices.Clone(d.Columns[1]), slices.Clone(d.Columns[2])}
	got := must.Value(PermutationImportance(t.Context(), model, d, nil, 50, 1))
	if got.Mean[0] != 0 || got.Mean[2] != 0 || got.StdErr[0] != 0 {
		t.Errorf("features that no split uses have importance %v", got.Mean)
	}
	if math.Abs(got.Mean[1]-0.375) > 5*got.StdErr[1] {
		t.Errorf("importance %v ± %v, want 0.375", got.Mean[1], got.StdErr[1])
	}
	// The number of wrong rows is twice a hypergeometric number of variance
	// 100·¼·¾·300/399.
	if want := 2 * math.Sqrt(100*0.25*0.75*300/399) / 400 / math.Sqrt(50); math.Abs(got.StdErr[1]/want-1) > 0.5 {
		t.Errorf("standard error %v, want about %v", got.StdErr[1], want)
	}
	if !reflect.DeepEqual(d.Columns, columns) || !slices.Equal(d.Labels, before.Labels) {
		t.Error("the data have changed")
	}
}

// TestPermutationOfView compares a view of some rows with a copy of them.
func TestPermutationOfView(t *testing.T) {
	model, d := stump(400)
	var rows []int32
	for r := int32(0); r < 400; r += 3 {
		rows = append(rows, r)
	}
	view := d.Subset(rows)
	copied := &datasets.Dataset{Features: view.Features, Labels: view.Labels, Classes: view.Classes}
	for j := range view.P() {
		copied.Columns = append(copied.Columns, view.Column(nil, j))
	}
	got := must.Value(PermutationImportance(t.Context(), model, view, nil, 3, 9))
	want := must.Value(PermutationImportance(t.Context(), model, copied, nil, 3, 9))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("view: %v, copy: %v", got, want)
	}

	// A row that occurs twice has the same cell in both places; rows outside the
	// view don't matter.
	twice := d.Subset([]int32{8, 8, 9, 9, 9})
	must.Value(PermutationImportance(t.Context(), model, twice, func(_ *forest.Forest, d *datasets.Dataset) float64 {
		x := d.Column(nil, 0)
		if sorted := slices.Sorted(slices.Values([]float32{x[0], x[2]})); !slices.Equal(sorted, []float32{8, 9}) ||
			x[1] != x[0] || x[3] != x[2] || x[4] != x[2] {
			t.Errorf("cells %v, want those of rows 8 and 9", x)
		}
		return 0
	}, 40, 1))
}

// TestPermutationMoves one column at a time: it has the same cells in another order,
// and the others are unchanged.
func TestPermutationMoves(t *testing.T) {
	model, d := stump(100)
	call := 0
	orders := map[float32]bool{} // first cell of x1, which has distinct cells
	_, err := PermutationImportance(t.Context(), model, d, func(_ *forest.Forest, s *datasets.Dataset) float64 {
		moved := (call - 1) / 4 // call 0 is the loss of the data as they are
		for j := range d.Columns {
			same := slices.Equal(s.Columns[j], d.Columns[j])
			if call > 0 && same == (j == moved) || call == 0 && !same {
				t.Errorf("call %d: column %d is the same: %v", call, j, same)
			}
			if !slices.Equal(slices.Sorted(slices.Values(s.Columns[j])), slices.Sorted(slices.Values(d.Columns[j]))) {
				t.Errorf("call %d: column %d has other cells", call, j)
			}
		}
		if call > 0 && moved == 0 {
			orders[s.Columns[0][0]] = true
		}
		call++
		return 0
	}, 4, 2)
	if err != nil || call != 1+3*4 || len(orders) < 2 {
		t.Errorf("%d calls, first cells %v, error %v", call, orders, err)
	}
}

func TestPermutationSeedAndLoss(t *testing.T) {
	model, d := stump(60)
	run := func(loss func(*forest.Forest, *datasets.Dataset) float64, seed uint64) *Permutation {
		p := must.Value(PermutationImportance(t.Context(), model, d, loss, 2, seed))
		return p
	}
	again := func(m *forest.Forest, d *datasets.Dataset) float64 {
		return eval.Error(must.Value(m.Predict(t.Context(), d)), d.Labels)
	}
	if a, b := run(nil, 1), run(again, 1); !reflect.DeepEqual(a, b) {
		t.Errorf("%v and %v with the same seed and loss", a, b)
	}
	differ := false
	for seed := range uint64(5) {
		differ = differ || !reflect.DeepEqual(run(nil, 1), run(nil, 10+seed))
	}
	if !differ {
		t.Error("five seeds give the same permutations")
	}
}

func TestPermutationFails(t *testing.T) {
	model, d := stump(8)
	if _, err := PermutationImportance(t.Context(), model, d.Select(0, 1), nil, 1, 1); err == nil {
		t.Error("no error for a missing column")
	}
	unlabelled := *d
	unlabelled.Labels = nil
	if _, err := PermutationImportance(t.Context(), model, &unlabelled, nil, 1, 1); err == nil {
		t.Error("no error without labels")
	}
	turned := *d // class 0 of these rows is class 1 of the model
	turned.Classes = []string{d.Classes[1], d.Classes[0]}
	if _, err := PermutationImportance(t.Context(), model, &turned, nil, 1, 1); err == nil {
		t.Error("no error for classes in another order")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := PermutationImportance(ctx, model, d, nil, 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := PermutationImportance(ctx, model, d, nil, 1<<60, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("very many repeats: error %v, want context.Canceled", err)
	}
	readtest.WantPanic(t, "inspect: permutation importance of no repeats", func() {
		PermutationImportance(t.Context(), model, d, nil, 0, 1)
	})
}

// TestShuffle expects the six orders of three numbers equally often.
func TestShuffle(t *testing.T) {
	const n = 6000
	count := map[[3]int32]int{}
	for i := range uint64(n) {
		x := [3]int32{0, 1, 2}
		shuffle(x[:], forest.NewRand(i))
		count[x]++
	}
	tol := 5 * math.Sqrt(n*1./6*5/6)
	for order, c := range count {
		if len(count) != 6 || math.Abs(float64(c)-n/6) > tol {
			t.Errorf("order %v comes up %d times, want %v ± %v", order, c, n/6, tol)
		}
	}
}
