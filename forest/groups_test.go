package forest_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// met returns the number of each row's group, in the order in which groups are met.
func met(groups []int32) (of []int, count int) {
	number := map[int32]int{}
	for _, g := range groups {
		if _, ok := number[g]; !ok {
			number[g] = len(number)
		}
		of = append(of, number[g])
	}
	return of, len(number)
}

// By definition: groups are drawn as rows are, in the order of their first rows.
func TestSampleCountsOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.Int32Range(0, 9), 1, 40).Draw(t, "groups")
		of, count := met(groups)
		train := &datasets.Dataset{Groups: groups, Labels: make([]int32, len(groups))}
		if rapid.Bool().Draw(t, "weighted") {
			train.Weights = rapid.SliceOfN(rapid.Float32Range(0, 1), len(groups), len(groups)).Draw(t, "weights")
			train.Weights[0] = 1
		}
		f := &forest.Forest{Rows: len(groups), Groups: count, Seed: rapid.Uint64().Draw(t, "seed"),
			Honest: rapid.Bool().Draw(t, "honest"),
			Sampling: forest.Sampling{Fraction: rapid.Float64Range(0, 1).Draw(t, "fraction"),
				WithoutReplacement: rapid.Bool().Draw(t, "without replacement")}}
		drawn := f.Sampling.Counts(nil, count, f.Seed, 3)
		got := f.SampleCounts(make([]uint16, 0, rapid.IntRange(0, 50).Draw(t, "capacity")), train, 3)
		weightless := true // all that was drawn
		for i, g := range of {
			weightless = weightless && (drawn[g] == 0 || train.Weights != nil && train.Weights[i] == 0)
		}
		for i, g := range of {
			want := drawn[g]
			if weightless {
				want = 1
			}
			if train.Weights != nil && train.Weights[i] == 0 {
				want = 0
			}
			if got[i] != want {
				t.Fatalf("row %d counts %d; want %d", i, got[i], want)
			}
		}
		// Of honest trees the rows of a group all fill leaves, or none does; as many groups fill leaves as choose splits,
		// or one fewer, but a single one does both.
		leaves := f.LeafCounts(nil, train, 3)
		fill, choose := map[int]bool{}, map[int]bool{}
		for i, g := range of {
			switch {
			case got[i] > 0 && leaves[i] == got[i]:
				fill[g] = true
			case got[i] > 0 && leaves[i] == 0:
				choose[g] = true
			case leaves[i] != got[i]:
				t.Fatalf("row %d counts %d in leaves, %d in all", i, leaves[i], got[i])
			}
			if fill[g] && choose[g] {
				t.Fatalf("group %d is in both halves", g)
			}
		}
		if d := len(choose) - len(fill); f.Honest && len(fill)+len(choose) > 1 && d != 0 && d != 1 {
			t.Fatalf("%d groups choose splits, %d fill leaves", len(choose), len(fill))
		}
	})
}

// blocks returns rows in groups of three, which aren't next to each other.
func blocks(n int, values bool) *datasets.Dataset {
	rng := forest.NewRand(5)
	d := &datasets.Dataset{Target: "y"}
	for j := range 3 {
		column := make([]float32, n)
		for i := range column {
			column[i] = float32(rng.Normal())
		}
		d.Features = append(d.Features, datasets.Feature{Name: string('a' + rune(j))})
		d.Columns = append(d.Columns, column)
	}
	for i := range n {
		d.Groups = append(d.Groups, int32(7*(i%(n/3))))
		y := float64(d.Columns[0][i] + d.Columns[1][i])
		if values {
			d.Values = append(d.Values, y)
		} else {
			d.Labels = append(d.Labels, int32(math.Copysign(0.5, y)+0.5))
		}
	}
	if !values {
		d.Classes = []string{"no", "yes"}
	}
	return d
}

// What the learner draws is what SampleCounts says: a tree without a group stays the same if the targets of the group
// change, and some tree with it doesn't. That also holds where few groups have weight, of which many samples have none.
func TestTreesDontSeeGroupsOutOfBag(t *testing.T) {
	sampling, three := forest.Sampling{Fraction: 0.6, WithoutReplacement: true}, forest.Sampling{Fraction: 0.3}
	for name, learner := range map[string]forest.Learner{
		"rf":       rf.Learner{Trees: 12, Seed: 1},
		"fraction": rf.Learner{Trees: 12, Seed: 1, Sampling: sampling},
		"sporf":    sporf.Learner{Trees: 12, Seed: 1},
		"oblique":  oblique.Learner{Trees: 12, Seed: 1},
		"ccf":      ccf.Learner{Trees: 12, Seed: 1, Sampling: sampling},
		"rotation": rotation.Learner{Trees: 12, Seed: 1},
		"random":   rotation.Random{Trees: 12, Seed: 1},
		"oc1":      oc1.Learner{Trees: 3, Seed: 1},
		"godt":     godt.Learner{Trees: 12, Seed: 1},
		"tao":      tao.Learner{Trees: 6, Depth: 3, Passes: 2, Seed: 1},
		"mix":      mix.Learner{Trees: 12, Seed: 1},
		"honest":   mix.Learner{Trees: 12, Seed: 1, Honest: true},
		"fits":     mix.Learner{Trees: 12, Seed: 1, BootstrapFits: true},
		"graf":     graf.Learner{Trees: 3, Seed: 1},
		"few rf":   rf.Learner{Trees: 30, Seed: 1, Sampling: three},
		"few godt": godt.Learner{Trees: 30, TreeFeatures: 2, Seed: 1, Sampling: three},
		"few tao":  tao.Learner{Trees: 30, Depth: 2, Passes: 1, Seed: 1, Sampling: three},
	} {
		d := blocks(30, false)
		if strings.HasPrefix(name, "few ") {
			d.Weights = make([]float32, 30)
			for i := range d.Weights {
				if i%10 < 3 {
					d.Weights[i] = 1
				}
			}
		}
		f := must.Value(learner.Fit(t.Context(), d))
		if f.Groups != 10 || f.Rows != 30 {
			t.Fatalf("%s: a forest of %d groups and %d rows", name, f.Groups, f.Rows)
		}
		same, other := 0, 0
		for g := range int32(10) {
			changed := *d
			changed.Labels = slices.Clone(d.Labels)
			for i := range changed.Labels {
				if d.Groups[i] == 7*g {
					changed.Labels[i] = 1 - d.Labels[i]
				}
			}
			with := must.Value(learner.Fit(t.Context(), &changed))
			for k := range f.Trees {
				equal := string(tree(t, f, k)) == string(tree(t, with, k))
				if out := f.SampleCounts(nil, d, k)[g] == 0; out && !equal {
					t.Fatalf("%s: tree %d, grown without group %d, changes with it", name, k, g)
				} else if out {
					same++
				} else if !equal {
					other++
				}
			}
		}
		if other == 0 || same == 0 && f.Sampling != forest.AllRows {
			t.Errorf("%s: %d trees out of bag, %d others changed: the test proves nothing", name, same, other)
		}
	}
}

// tree returns the file of a forest of tree k alone.
func tree(t *testing.T, f *forest.Forest, k int) []byte {
	t.Helper()
	one := *f
	one.Trees, one.Members = f.Trees[k:k+1], nil
	return must.Value(one.MarshalBinary())
}

// A member of a boosted forest doesn't change with the cells of the groups of its fold.
func TestMembersDontSeeGroupsOfTheirFold(t *testing.T) {
	for _, values := range []bool{false, true} {
		d := blocks(60, values)
		l := boost.Learner{Rounds: 4, Folds: 3, Depth: 2, MinLeaf: 1, Seed: 1}
		f := must.Value(l.Fit(t.Context(), d))
		fold := must.Value(samples.Folds(d, 3, 1))
		changes := 0
		for g := range int32(20) {
			changed := *d
			changed.Columns = nil
			for _, column := range d.Columns {
				column = slices.Clone(column)
				for i := range column {
					if d.Groups[i] == 7*g {
						column[i] = -column[i]
					}
				}
				changed.Columns = append(changed.Columns, column)
			}
			with := must.Value(l.Fit(t.Context(), &changed))
			for k := range min(len(f.Trees), len(with.Trees)) {
				equal := string(tree(t, f, k)) == string(tree(t, with, k))
				if k%3 == fold[g] && !equal {
					t.Fatalf("values %v: tree %d of a member without group %d changes with it", values, k, g)
				}
				if !equal {
					changes++
				}
			}
		}
		if changes == 0 {
			t.Error("no tree changed: the test proves nothing")
		}
		for i, k := range fold {
			if k != fold[i%20] {
				t.Errorf("row %d of group %d is in fold %d, its group in %d", i, i%20, k, fold[i%20])
			}
		}
		without := *d
		without.Groups = nil
		if _, err := f.OutOfBag(t.Context(), &without); err == nil {
			t.Error("out-of-bag predictions of a boosted forest without its groups")
		}
	}
}

// Rows of a group are out of bag together, also those of weight 0, which are in no sample: rows with equal cells have
// the same out-of-bag prediction.
func TestWeightlessRowsAreOutOfBagWithTheirGroup(t *testing.T) {
	for name, l := range map[string]forest.Learner{
		"rf":     rf.Learner{Trees: 10, Seed: 1},
		"honest": mix.Learner{Trees: 25, Honest: true, Seed: 1},
		"boost":  boost.Learner{Rounds: 20, Folds: 3, Depth: 2, MinLeaf: 1, Seed: 1},
	} {
		for _, values := range []bool{false, true} {
			const n = 60
			var rows []int32
			var weights []float32
			for i := range int32(2 * n) {
				rows, weights = append(rows, i%n), append(weights, float32(i/n)) // 0, then 1
			}
			d := blocks(n, values).Subset(rows)
			d.Weights = weights
			f := must.Value(l.Fit(t.Context(), d))
			oob := must.Value(f.OutOfBag(t.Context(), d))
			losses := oob.Losses()
			for i := range n {
				same := losses[i] == losses[i+n] || losses[i] != losses[i] && losses[i+n] != losses[i+n]
				if !same {
					t.Errorf("%s: row %d has an out-of-bag loss of %v with weight 0, and of %v with weight 1", name, i,
						losses[i], losses[i+n])
				}
			}
		}
	}
}

// With as many groups as rows nothing changes but what the forest says of them.
func TestGroupsOfOneRow(t *testing.T) {
	for _, learner := range []forest.Learner{rf.Learner{Trees: 5, Seed: 2}, mix.Learner{Trees: 25, Seed: 2},
		tao.Learner{Trees: 3, Depth: 2, Seed: 2}} {
		d := blocks(30, false)
		d.Groups = nil
		plain := must.Value(learner.Fit(t.Context(), d))
		single := *d
		for i := range int32(30) {
			single.Groups = append(single.Groups, 1000-i)
		}
		grouped := must.Value(learner.Fit(t.Context(), &single))
		a, b := must.Value(plain.OutOfBag(t.Context(), d)), must.Value(grouped.OutOfBag(t.Context(), &single))
		if !slices.Equal(a.Labels, b.Labels) || plain.Groups != 0 || grouped.Groups != 30 {
			t.Errorf("%T: labels %v, and %v in %d groups of one row", learner, a.Labels, b.Labels, grouped.Groups)
		}
		grouped.Groups = 0
		if string(must.Value(plain.MarshalBinary())) != string(must.Value(grouped.MarshalBinary())) {
			t.Errorf("%T: other trees", learner)
		}
	}
}

func TestOtherGroups(t *testing.T) {
	d := blocks(30, false)
	without, fewer := *d, *d
	without.Groups, fewer.Groups = nil, make([]int32, 30)
	l := rf.Learner{Trees: 5, Seed: 1}
	f := must.Value(l.Fit(t.Context(), d))
	plain := must.Value(l.Fit(t.Context(), &without))
	for _, c := range []struct {
		f     *forest.Forest
		train *datasets.Dataset
		want  string
	}{
		{f, &without, "forest: want the training data, whose rows have 10 groups; these have 0 (Dataset.Groups)"},
		{f, &fewer, "whose rows have 10 groups; these have 1"},
		{plain, d, "whose rows have 0 groups; these have 10"},
	} {
		_, oob := c.f.OutOfBag(t.Context(), c.train)
		_, losses := c.f.OutOfBagLosses(t.Context(), c.train)
		_, calibrated := forest.Calibrate(t.Context(), c.f, c.train)
		for _, err := range []error{oob, losses, calibrated} {
			readtest.WantError(t, err, c.want)
		}
	}
	if g := must.Value(forest.Grow(t.Context(), l, d, forest.Options{Grown: plain})); string(tree(t, g, 0)) !=
		string(tree(t, f, 0)) {
		t.Error("trees of another sampling were taken over")
	}
	if one := must.Value(l.Fit(t.Context(), &fewer)); len(must.Value(one.OutOfBag(t.Context(), &fewer)).Rows) > 0 {
		t.Error("rows of the only group are out of bag")
	}
	all := rf.Learner{Trees: 5, Sampling: forest.Sampling{Fraction: 0.96, WithoutReplacement: true}} // 10 groups of 10
	_, err := must.Value(all.Fit(t.Context(), d)).OutOfBag(t.Context(), d)
	readtest.WantError(t, err, "none is out of bag")
}

// Large groups may be drawn to more rows than there are. Rows that all weigh 2 give the same splits, but their
// entropies don't come from the table of k·ln k. Small nodes have ties, which rounding decides.
func TestEntropyOfLargeGroups(t *testing.T) {
	l := rf.Learner{Trees: 20, Growth: forest.Growth{Criterion: forest.Entropy, MaxDepth: 2}}
	for classes := 2; classes < 4; classes++ {
		rng := forest.NewRand(uint64(classes))
		d := &datasets.Dataset{Features: []datasets.Feature{{Name: "a"}, {Name: "b"}}, Columns: make([][]float32, 2),
			Classes: []string{"x", "y", "z"}[:classes]}
		for i := range 60 {
			for j := range d.Columns {
				d.Columns[j] = append(d.Columns[j], float32(rng.Float64()))
			}
			d.Labels, d.Groups = append(d.Labels, int32(rng.Intn(classes))), append(d.Groups, int32(max(0, i-50)))
		}
		doubled := *d
		doubled.Weights = slices.Repeat([]float32{2}, d.N())
		f, want := must.Value(l.Fit(t.Context(), d)), must.Value(l.Fit(t.Context(), &doubled))
		most := 0
		for k := range f.Trees {
			drawn := 0
			for _, c := range f.SampleCounts(nil, d, k) {
				drawn += int(c)
			}
			most = max(most, drawn)
			same := func(a, b forest.Node) bool { return a.Split == b.Split && a.Value == b.Value && a.Next == b.Next }
			if !slices.EqualFunc(f.Trees[k].Nodes, want.Trees[k].Nodes, same) {
				t.Errorf("%d classes, tree %d:\n%v\nwant\n%v", classes, k, f.Trees[k].Nodes, want.Trees[k].Nodes)
			}
		}
		if most <= d.N()+1 {
			t.Errorf("no sample has more rows than the data: %d", most)
		}
	}
}
