package forest_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// topDown returns every top-down learner.
func topDown(trees int, g forest.Growth, seed uint64) map[string]forest.Learner {
	return map[string]forest.Learner{
		"rf":          rf.Learner{Trees: trees, Growth: g, Seed: seed},
		"cart":        rf.CART{Growth: g, Seed: seed},
		"bagging":     rf.Bagging{Trees: trees, Growth: g, Seed: seed},
		"extratrees":  rf.ExtraTrees{Trees: trees, Growth: g, Seed: seed},
		"sporf":       sporf.Learner{Trees: trees, Growth: g, Seed: seed},
		"hrf":         rf.HRF{Trees: trees, Constant: rf.DrawOn, Growth: g, Seed: seed},
		"sporf wide":  sporf.Learner{Trees: trees, Candidates: 12, Density: 0.3, Growth: g, Seed: seed},
		"sporf dense": sporf.Learner{Trees: trees, Candidates: 2, Density: 1, Growth: g, Seed: seed},
		"gorf":        godt.Learner{Trees: trees, Sampling: forest.Sampling{Fraction: 1}, Growth: g, Seed: seed},
		"gorf search": godt.Learner{Trees: trees, Sampling: forest.Sampling{Fraction: 1},
			Splitting: godt.Splitting{Supervised: true}, Growth: g, Seed: seed},
		"frc":      sporf.FRC{Trees: trees, Growth: g, Seed: seed},
		"rotation": rotation.Learner{Trees: trees, Growth: g, Seed: seed},
		"rrrf":     rotation.Random{Trees: trees, Growth: g, Seed: seed},
	}
}

// alsoFitted returns these and learners that fit directions to classes. CCF's criterion is entropy.
func alsoFitted(trees int, g forest.Growth, seed uint64) map[string]forest.Learner {
	all := topDown(trees, g, seed)
	all["ccf"] = ccf.Learner{Trees: trees, MaxDepth: g.MaxDepth, MinSplit: g.MinSplit, MinLeaf: g.MinLeaf, Seed: seed}
	all["ccf all"] = ccf.Learner{Trees: trees, NodeFeatures: 4, MaxDepth: g.MaxDepth, MinSplit: g.MinSplit,
		MinLeaf: g.MinLeaf, Seed: seed}
	all["oblique"] = oblique.Learner{Trees: trees, Growth: g, Seed: seed}
	all["oblique lda"] = oblique.Learner{Trees: trees, NodeFeatures: 3, Candidates: 3, LDA: true, Growth: g, Seed: seed}
	all["mix"] = mix.Learner{Trees: 7 * trees, MinLeaf: g.MinLeaf, Seed: seed} // the first 20 choose those of the rest
	return all
}

// methods returns a learner of every method, and of a few that have steps before them or another kind of split. Errors
// begin with the first word of their names.
func methods(trees int, g forest.Growth, seed uint64) map[string]forest.Learner {
	all := alsoFitted(trees, g, seed)
	delete(all, "ccf all") // for tables of four features or more
	all["oblique lda"] = oblique.Learner{Trees: trees, LDA: true, Growth: g, Seed: seed}
	all["mix"] = mix.Learner{Trees: trees, MinLeaf: g.MinLeaf, Seed: seed}
	all["boost"] = boost.Learner{Rounds: trees, Seed: seed}
	all["graf"] = graf.Learner{Trees: trees, MinSplit: g.MinSplit, Seed: seed}
	all["oc1"] = oc1.Learner{Trees: trees, Seed: seed}
	all["oc1 tree"] = oc1.Tree{Seed: seed}
	all["godt"] = godt.Tree{Growth: g, Seed: seed}
	all["gqrf"] = godt.Learner{Trees: trees, Splitting: godt.Splitting{Divider: godt.SeparateFull}, Growth: g, Seed: seed}
	all["tao"] = tao.Learner{Trees: trees, Depth: 3, Passes: 3, Seed: seed}
	all["auto"] = auto.Learner{Trees: trees, Seed: seed}
	all["sporf piped"] = forest.Pipeline(sporf.Learner{Trees: trees, Growth: g, Seed: seed}, datasets.Standardise{})
	return all
}

// drawTable draws a small table with ties, equal rows, a constant column, perhaps equal columns and,
// now and then, weights. classes = 0 asks for values.
func drawTable(t *rapid.T, classes int) *datasets.Dataset {
	n := rapid.IntRange(2, 70).Draw(t, "n")
	grid := rapid.SampledFrom([]int{2, 4, 1000}).Draw(t, "grid")
	scale := rapid.SampledFrom([]float32{1, 1, 1e-30, 1e34}).Draw(t, "scale")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "data"), 0))
	d := &datasets.Dataset{Classes: make([]string, classes)}
	for j := range 4 {
		col := make([]float32, n)
		for i := range col {
			if j < 3 {
				col[i] = scale * float32(rng.IntN(grid)) / 4
			}
		}
		d.Columns = append(d.Columns, col)
		d.Features = append(d.Features, datasets.Feature{})
	}
	if rapid.Bool().Draw(t, "equal columns") {
		d.Columns[2] = d.Columns[0]
	}
	for i := range n {
		if classes == 0 {
			d.Values = append(d.Values, 10+float64(rng.IntN(6)))
		} else {
			d.Labels = append(d.Labels, int32((i+rng.IntN(2))%classes)) // rows 0 to 3 hold two classes
		}
	}
	if classes > 0 {
		d.Labels[0], d.Labels[1] = 0, 1
	}
	if rapid.Bool().Draw(t, "weighted") {
		for range n {
			d.Weights = append(d.Weights, float32(rng.IntN(4))*0.3)
		}
		d.Weights[0], d.Weights[1] = 0.5, 0.25
	}
	return d
}

func drawGrowth(t *rapid.T, classes int) forest.Growth {
	g := forest.Growth{
		MaxDepth: rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "maxdepth"),
		MinSplit: rapid.SampledFrom([]int{0, 0, 2, 9}).Draw(t, "minsplit"),
		MinLeaf:  rapid.SampledFrom([]int{0, 0, 1, 4}).Draw(t, "minleaf"),
	}
	if classes == 0 {
		g.Criterion = rapid.SampledFrom([]forest.Criterion{forest.Gini, forest.SquaredError}).Draw(t, "criterion")
		return g
	}
	g.Criterion = rapid.SampledFrom([]forest.Criterion{forest.Gini, forest.Entropy}).Draw(t, "criterion")
	return g
}

func TestTreesAreWhatTheirRowsMakeThem(t *testing.T) {
	for name := range alsoFitted(1, forest.Growth{}, 0) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			classes := rapid.SampledFrom([]int{0, 2, 3, 5}).Draw(t, "classes")
			method, _, _ := strings.Cut(name, " ")
			if method == "ccf" || method == "oblique" {
				classes = max(classes, 2)
			}
			d := drawTable(t, classes)
			g := drawGrowth(t, classes)
			switch method {
			case "ccf":
				g.Criterion = forest.Entropy
			case "mix":
				g = forest.Growth{MinLeaf: g.MinLeaf}
			}
			f := must.Value(alsoFitted(3, g, rapid.Uint64().Draw(t, "seed"))[name].Fit(context.Background(), d))
			leaves := must.Value(f.Apply(t.Context(), d))
			for k := range f.Trees {
				c := newChecker(t, f, k, d, g)
				if end := c.check(0, 0, c.bag()); end != len(c.tree.Nodes) {
					t.Fatalf("tree %d ends at node %d of %d", k, end, len(c.tree.Nodes))
				}
				for i := range d.N() {
					if want := c.route(i); int(leaves[i][k]) != want {
						t.Fatalf("tree %d: row %d reaches leaf %d, want %d", k, i, leaves[i][k], want)
					}
				}
			}
			must.Value(f.MarshalBinary())
		}))
	}
}

// A checker recomputes the weights, decreases and leaves of a tree from its sample.
type checker struct {
	t      *rapid.T
	d      *datasets.Dataset
	g      forest.Growth
	tree   *forest.Tree
	offset float64 // of values
	counts []uint16
	weight []float64
	part   bool // the tree has a part of the features, so rows that differ may be equal in them
}

func newChecker(t *rapid.T, f *forest.Forest, k int, d *datasets.Dataset, g forest.Growth) *checker {
	c := &checker{t: t, d: d, g: g, tree: &f.Trees[k], offset: f.Offset(), part: f.Method == "gorf",
		counts: f.Sampling.Counts(nil, d.N(), f.Seed, k), weight: make([]float64, d.N())}
	for i := range c.weight {
		c.weight[i] = weightOf(c.d, i) * float64(c.counts[i])
	}
	if len(c.bag()) == 0 { // the sample missed all rows with weight
		for i := range c.weight {
			c.counts[i] = 1
			c.weight[i] = weightOf(c.d, i)
		}
	}
	return c
}

// bag returns the rows of the tree's sample.
func (c *checker) bag() []int {
	var rows []int
	for i, w := range c.weight {
		if w > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// left reports whether row i goes left at a split, in the rounding that
// [forest.Function] promises for sums.
func (c *checker) left(n forest.Node, i int) bool {
	fn := c.tree.Splits.At(n.Split)
	if fn.Kind == forest.Quadratic {
		c.t.Fatalf("split %+v", fn)
	}
	var sum float32
	for k, j := range fn.Features {
		product := fn.Weights[k] * c.d.At(i, int(j))
		sum = float32(sum + float32(product))
	}
	return sum <= n.Value
}

func (c *checker) route(i int) int {
	at := 0
	for !c.tree.Nodes[at].IsLeaf() {
		if n := c.tree.Nodes[at]; c.left(n, i) {
			at++
		} else {
			at = int(n.Next)
		}
	}
	return at
}

// check checks the subtree at a node that rows reach and returns where it ends.
func (c *checker) check(at, depth int, rows []int) int {
	n := c.tree.Nodes[at]
	drawn := 0
	for _, i := range rows {
		drawn += int(c.counts[i])
	}
	if drawn < max(1, c.g.MinLeaf) && at > 0 {
		c.t.Fatalf("node %d has %d rows", at, drawn)
	}
	if n.IsLeaf() {
		c.checkLeaf(c.tree.Leaf(at), depth, drawn, rows)
		return at + 1
	}
	if drawn < max(2, c.g.MinSplit) || c.g.MaxDepth > 0 && depth >= c.g.MaxDepth {
		c.t.Fatalf("node %d with %d rows at depth %d is split", at, drawn, depth)
	}
	var left, right []int
	for _, i := range rows {
		if c.left(n, i) {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	of := func(rows []int) float64 {
		return impurity(c.d, c.g.Criterion == forest.Entropy, rows, func(i int) float64 { return c.weight[i] })
	}
	whole := of(rows)
	gain := whole - of(left) - of(right)
	if math.Abs(float64(n.Weight)-gain) > 1e-7*gain+1e-9*(1+whole) {
		c.t.Fatalf("node %d decreases impurity by %v, says %v", at, gain, n.Weight)
	}
	if whole == 0 {
		c.t.Fatalf("node %d is pure and split", at)
	}
	if end := c.check(at+1, depth+1, left); end != int(n.Next) {
		c.t.Fatalf("node %d: left subtree ends at %d, right child is %d", at, end, n.Next)
	}
	return c.check(int(n.Next), depth+1, right)
}

func (c *checker) checkLeaf(l forest.Leaf, depth, drawn int, rows []int) {
	classes := make([]float64, len(c.d.Classes))
	var total, sum float64
	same, pure := true, true
	for _, i := range rows {
		total += c.weight[i]
		if c.d.Values != nil {
			sum += c.weight[i] * c.d.Values[i]
			pure = pure && c.d.Values[i] == c.d.Values[rows[0]]
		} else {
			classes[c.d.Labels[i]] += c.weight[i]
			pure = pure && c.d.Labels[i] == c.d.Labels[rows[0]]
		}
		for j := range c.d.P() {
			same = same && c.d.At(i, j) == c.d.At(rows[0], j)
		}
	}
	near := func(got float32, want float64) bool { return math.Abs(float64(got)-want) <= 1e-6*math.Abs(want) }
	if !near(l.Weight, total) {
		c.t.Fatalf("leaf has weight %v, want %v", l.Weight, total)
	}
	limited := c.g.MaxDepth > 0 && depth == c.g.MaxDepth || drawn < c.g.MinSplit || c.g.MinLeaf > 1 || c.part
	if !pure && !same && !limited {
		c.t.Fatalf("leaf of rows %v is mixed, though they differ", rows)
	}
	switch {
	case c.d.Values != nil:
		if value := float32(float64(l.Value) + c.offset); l.Kind != forest.LeafValue || !near(value, sum/total) {
			c.t.Fatalf("leaf %+v, the mean is %v", l, sum/total)
		}
	case pure:
		if l.Kind != forest.LeafClass || l.Class != c.d.Labels[rows[0]] {
			c.t.Fatalf("leaf %+v of class %d", l, c.d.Labels[rows[0]])
		}
	default:
		if l.Kind != forest.LeafDist || len(l.Dist) != len(classes) {
			c.t.Fatalf("mixed leaf %+v", l)
		}
		for k, want := range classes {
			if got := l.Dist[k]; !near(got, want) {
				c.t.Fatalf("leaf has weight %v of class %d, want %v", got, k, want)
			}
		}
	}
}

func encoded(l forest.Learner, d *datasets.Dataset) []byte {
	f := must.Value(l.Fit(context.Background(), d))
	return must.Value(f.MarshalBinary())
}

// asValues returns d with its first column as target.
func asValues(d *datasets.Dataset) *datasets.Dataset {
	v := d.Select(1, 2, 3, 4)
	v.Labels, v.Classes = nil, nil
	for i := range d.N() {
		v.Values = append(v.Values, float64(d.At(i, 0)))
	}
	return v
}

func TestSameSeedSameBytesOnAnyNumberOfCores(t *testing.T) {
	trunk := sim.Trunk{Features: 5}.Sample(400, 1)
	weighted := *trunk
	for i := range trunk.N() {
		weighted.Weights = append(weighted.Weights, float32(i%5))
	}
	few := *trunk // most samples miss every row that has weight
	few.Weights = make([]float32, trunk.N())
	few.Weights[slices.Index(trunk.Labels, 0)], few.Weights[slices.Index(trunk.Labels, 1)] = 1, 2
	sets := map[string]*datasets.Dataset{"classes": trunk, "values": asValues(trunk), "weighted": &weighted, "few": &few}
	if testing.Short() {
		delete(sets, "weighted")
		delete(sets, "few")
	}
	for set, d := range sets {
		all := topDown(12, forest.Growth{}, 7)
		if set == "classes" {
			all = methods(12, forest.Growth{}, 7)
		}
		for name, l := range all {
			t.Run(set+"/"+name, func(t *testing.T) { sameOnAnyCores(t, l, d) })
		}
	}
}

func TestViewGrowsTheForestOfItsCopy(t *testing.T) {
	table := sim.Trunk{Features: 5}.Sample(300, 1)
	for i := range table.N() {
		table.Weights = append(table.Weights, 1+float32(i%3))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]int32, 200)
	for i := range rows {
		rows[i] = int32(rng.IntN(table.N())) // some twice
	}
	view := table.Subset(rows)
	dense := *view
	dense.Rows = nil
	dense.Columns = make([][]float32, view.P())
	for j := range dense.Columns {
		dense.Columns[j] = slices.Clone(view.Column(nil, j))
	}
	values, denseValues := asValues(view), asValues(&dense)
	all := methods(4, forest.Growth{}, 7)
	delete(all, "graf") // takes no weights
	for name, l := range all {
		if !bytes.Equal(encoded(l, view), encoded(l, &dense)) {
			t.Errorf("%s: a view grows another forest than its copy", name)
		}
	}
	for name, l := range valueLearners() {
		if !bytes.Equal(encoded(l, values), encoded(l, denseValues)) {
			t.Errorf("%s: a view with values grows another forest than its copy", name)
		}
	}
}

func TestFitErrors(t *testing.T) {
	nan := float32(math.NaN())
	classes := func(change func(d *datasets.Dataset)) *datasets.Dataset {
		d := &datasets.Dataset{
			Features: []datasets.Feature{{Name: "height"}, {Name: "width"}},
			Columns:  [][]float32{{1, 2, 3, 4}, {5, 6, 7, 8}},
			Labels:   []int32{0, 1, 0, 1},
			Classes:  []string{"oak", "elm"},
		}
		change(d)
		return d
	}
	values := func(change func(d *datasets.Dataset)) *datasets.Dataset {
		d := classes(change)
		d.Labels, d.Classes, d.Values = nil, nil, []float64{1, 2, 3, 4}
		return d
	}
	same := func(*datasets.Dataset) {}
	cases := []struct {
		name string
		d    *datasets.Dataset
		g    forest.Growth
		want []string // words of the message
	}{
		{"one class", classes(func(d *datasets.Dataset) { d.Labels = []int32{1, 1, 1, 1} }), forest.Growth{},
			[]string{`"elm"`, "two classes"}},
		{"NaN", classes(func(d *datasets.Dataset) { d.Columns[1][2] = nan }), forest.Growth{},
			[]string{"row 2", `"width"`, "NaN"}},
		{"categorical", classes(func(d *datasets.Dataset) {
			d.Columns[1], d.Features[1].Categories = []float32{0, 1, 0, 1}, []string{"a", "b"}
		}), forest.Growth{}, []string{`"width"`, "categorical"}},
		{"no columns", classes(func(d *datasets.Dataset) { d.Columns, d.Features = nil, nil }), forest.Growth{},
			[]string{"no columns"}},
		{"no target", classes(func(d *datasets.Dataset) { d.Labels = nil }), forest.Growth{},
			[]string{"neither labels nor values"}},
		{"no weight", classes(func(d *datasets.Dataset) { d.Weights = make([]float32, 4) }), forest.Growth{},
			[]string{"weight 0"}},
		{"no weight, values", values(func(d *datasets.Dataset) { d.Weights = make([]float32, 4) }), forest.Growth{},
			[]string{"weight 0"}},
		{"negative depth", classes(same), forest.Growth{MaxDepth: -1}, []string{"MaxDepth -1"}},
		{"negative split", classes(same), forest.Growth{MinSplit: -2}, []string{"MinSplit -2"}},
		{"negative leaf", classes(same), forest.Growth{MinLeaf: -3}, []string{"MinLeaf -3"}},
		{"huge class weights", classes(same).WeightClasses(1e38, 1), forest.Growth{}, []string{"add up to", "scale"}},
		{"squared error of classes", classes(same), forest.Growth{Criterion: forest.SquaredError},
			[]string{"SquaredError", "labels"}},
		{"unknown criterion", classes(same), forest.Growth{Criterion: 3}, []string{"Criterion 3", "Gini"}},
		{"entropy of values", values(same), forest.Growth{Criterion: forest.Entropy}, []string{"Entropy", "values"}},
		{"huge value", func() *datasets.Dataset { d := values(same); d.Values[1] = 1e39; return d }(), forest.Growth{},
			[]string{"row 1", "1e+39"}},
	}
	for _, c := range cases {
		for name, l := range topDown(2, c.g, 1) {
			method, _, _ := strings.Cut(name, " ")
			if (c.name == "NaN" || c.name == "categorical") && !slices.Contains([]string{"gorf", "rotation", "rrrf"}, method) {
				continue // takes missing cells and categories
			}
			f, err := l.Fit(context.Background(), c.d)
			if readtest.WantError(t, err, append(c.want, method+": ")...); f != nil {
				t.Errorf("%s: %s: a forest beside the error", c.name, name)
			}
		}
	}
	for name, l := range topDown(-4, forest.Growth{}, 1) {
		if name == "cart" {
			continue
		}
		_, err := l.Fit(context.Background(), classes(same))
		readtest.WantError(t, err, "-4 trees")
	}
}

// The largest float32s must neither overflow a threshold nor stop growth: single features
// separate the rows.
func TestHugeCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &datasets.Dataset{Classes: []string{"a", "b", "c"}}
	for range 5 {
		col := make([]float32, 60)
		for i := range col {
			col[i] = float32(rng.Float64()*2-1) * math.MaxFloat32
		}
		d.Columns = append(d.Columns, col)
		d.Features = append(d.Features, datasets.Feature{})
	}
	for range 60 {
		d.Labels = append(d.Labels, int32(rng.IntN(3)))
	}
	for name, l := range topDown(3, forest.Growth{}, 1) {
		f := must.Value(l.Fit(context.Background(), d))
		for k, tree := range f.Trees {
			for _, n := range tree.Nodes {
				if n.Split == int32(forest.LeafDist) || !n.IsLeaf() && (math.IsNaN(float64(n.Value)) ||
					math.IsInf(float64(n.Value), 0)) {
					t.Errorf("%s: tree %d has node %+v", name, k, n)
				}
			}
		}
	}
}

// If small weights are lost by rounding beside a large one, no cut may get an infinite
// score.
func TestWeightsFarApart(t *testing.T) {
	for _, regression := range []bool{false, true} {
		d := &datasets.Dataset{
			Features: []datasets.Feature{{Name: "x"}},
			Columns:  [][]float32{{1, 2, 3, 4, 5}},
			Weights:  []float32{1e20, 1, 1, 1, 1},
		}
		if regression {
			d.Values = []float64{0, 1, 0, 1, 0}
		} else {
			d.Labels, d.Classes = []int32{0, 1, 0, 1, 0}, []string{"oak", "elm"}
		}
		f := must.Value(rf.CART{}.Fit(t.Context(), d))
		if _, err := f.MarshalBinary(); err != nil {
			t.Error(err)
		}
		for _, n := range f.Trees[0].Nodes {
			if n.Weight > 1e21 {
				t.Errorf("regression %v: node %+v: a decrease of impurity larger than the weights' sum", regression, n)
			}
		}
	}
}
