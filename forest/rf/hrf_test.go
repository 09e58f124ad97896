package rf

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

func TestHRFDefaults(t *testing.T) {
	d := sim.Trunk{Features: 10}.Sample(100, 1)
	got := fitted(HRF{Seed: 3}, d)
	want := fitted(HRF{Trees: 100, NodeFeatures: 3, Memory: forest.Memory{Alpha: 0.5, Beta: 1},
		Constant: MakeLeaf, Seed: 3}, d)
	if !reflect.DeepEqual(got, want) {
		t.Error("the zero value is not the paper's setting")
	}
}

// The first tree has equal weights, so it is the first one of a random forest.
func TestFirstTreeIsThatOfARandomForest(t *testing.T) {
	d := sim.Trunk{Features: 10}.Sample(300, 1)
	for _, rule := range []ConstantRule{DrawOn, MakeLeaf} {
		a := fitted(HRF{Trees: 2, Constant: rule, Seed: 5}, d)
		b := fitted(Learner{Trees: 2, Constant: rule, Seed: 5}, d)
		if !reflect.DeepEqual(a.Trees[0], b.Trees[0]) {
			t.Errorf("rule %d: first trees differ", rule)
		}
		if reflect.DeepEqual(a.Trees[1], b.Trees[1]) {
			t.Errorf("rule %d: second trees are the same", rule)
		}
	}
}

// Feature 0 of two is constant, and a node draws one. By the leaf rule every other root,
// by chance, becomes a leaf; where features are drawn on, none does. A random forest has
// the same switch.
func TestConstantRule(t *testing.T) {
	const trees = 400
	d := &datasets.Dataset{Features: make([]datasets.Feature, 2), Classes: []string{"n", "y"},
		Columns: make([][]float32, 2)}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		x := rng.Float32()
		d.Columns[0] = append(d.Columns[0], 1)
		d.Columns[1] = append(d.Columns[1], x)
		d.Labels = append(d.Labels, int32(math.Round(float64(x))))
	}
	leaves := func(l forest.Learner) (n int) {
		for _, tree := range fitted(l, d).Trees {
			if len(tree.Nodes) == 1 {
				n++
			}
		}
		return n
	}
	// 5 standard deviations
	if n := leaves(Learner{Trees: trees, NodeFeatures: 1, Constant: MakeLeaf}); n < 150 || n > 250 {
		t.Errorf("random forest: %d of %d trees are a leaf, want about half", n, trees)
	}
	if n := leaves(Learner{Trees: trees, NodeFeatures: 1}); n > 0 {
		t.Errorf("random forest that draws on: %d trees are a leaf", n)
	}
	if n := leaves(HRF{Trees: trees, NodeFeatures: 1, Constant: DrawOn}); n > 0 {
		t.Errorf("HRF that draws on: %d trees are a leaf", n)
	}
	// With α = 0 a tree draws by the one before: after a tree that is split, the useful
	// feature has weight 0 and the constant one β, so the next is a leaf; after a leaf both
	// have β, and the next is a leaf with probability ½. In the long run two of three are.
	n := leaves(HRF{Trees: trees, NodeFeatures: 1, Memory: forest.Memory{Beta: 1}})
	if math.Abs(float64(n)-2./3*trees) > 50 {
		t.Errorf("HRF: %d of %d trees are a leaf, want about two thirds", n, trees)
	}
}

func TestHRFErrors(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(30, 1)
	for _, c := range []struct {
		l    forest.Learner
		want string
	}{
		{HRF{Trees: -1}, "hrf: -1 trees"},
		{HRF{NodeFeatures: -1}, "hrf: NodeFeatures -1"},
		{HRF{Memory: forest.Memory{Alpha: 0.5}}, "hrf: a memory of Alpha 0.5 and Beta 0"},
		{HRF{Memory: forest.Memory{Alpha: math.NaN(), Beta: 1}}, "hrf: a memory of Alpha NaN"},
		{HRF{Memory: forest.Memory{Beta: -1}}, "hrf: a memory of Alpha 0 and Beta -1"},
		{HRF{Constant: 9}, "hrf: rule 9"},
		{Learner{Constant: 9}, "rf: rule 9"},
	} {
		_, err := c.l.Fit(t.Context(), d)
		readtest.WantError(t, err, c.want)
	}
}

func TestHRFGrid(t *testing.T) {
	if got := len(HRF{}.Grid(&datasets.Dataset{Columns: make([][]float32, 20)})); got != 20 {
		t.Errorf("%d settings, want 5·4", got)
	}
	grid := HRF{Trees: 7, Seed: 3}.Grid(&datasets.Dataset{Columns: make([][]float32, 4)})
	first, last := grid[0].(HRF), grid[len(grid)-1].(HRF)
	if len(grid) != 10 || first.Memory != (forest.Memory{Beta: 1}) || first.Trees != 7 ||
		last.Memory != (forest.Memory{Alpha: 0.9, Beta: 3}) {
		t.Errorf("settings for four features: %+v", grid)
	}
}

// Other methods take a memory, too. With α = 0 and any β the features of a tree's root
// have weight 0 in the next, which therefore doesn't use them, as long as no split draws
// more features than have weight.
func TestMemoryOfOtherMethods(t *testing.T) {
	d := sim.Trunk{Features: 12}.Sample(300, 1)
	memory := forest.Memory{Beta: 2}
	for name, l := range map[string]forest.Learner{
		"sporf":      sporf.Learner{Trees: 20, Density: 1. / 12, Memory: memory},
		"frc":        sporf.FRC{Trees: 20, Combined: 3, Memory: memory},
		"extratrees": ExtraTrees{Trees: 20, Memory: memory},
		"hrf":        HRF{Trees: 20, Memory: memory},
	} {
		f := fitted(l, d)
		before, now := make([]int32, 12), make([]int32, 12)
		for i := 1; i < len(f.Trees); i++ {
			f.Trees[i-1].FeatureDepths(before)
			f.Trees[i].FeatureDepths(now)
			for j := range now {
				if before[j] == 0 && now[j] >= 0 {
					t.Errorf("%s: tree %d uses feature %d, which is at the root of the tree before", name, i, j)
				}
			}
		}
	}
	_, err := (sporf.Learner{Memory: forest.Memory{Alpha: 3, Beta: 1}}).Fit(t.Context(), d)
	readtest.WantError(t, err, "sporf: a memory of Alpha 3")
}
