package shap

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

func explain(t interface{ Fatal(...any) }, f *forest.Forest, reference, d *datasets.Dataset) *Explanation {
	e := must.Value(New(f, reference))
	return must.Value(e.Values(context.Background(), d))
}

// TestAxisAlignedByDefinition compares with the Shapley values of all coalitions of features.
func TestAxisAlignedByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const p = 4
		tree := drawTree(t, rapid.IntRange(0, 12).Draw(t, "splits"), func() forest.Function {
			j := int32(rapid.IntRange(0, p-2).Draw(t, "feature")) // the last one isn't used
			w := float32(1)
			if rapid.IntRange(0, 3).Draw(t, "categories") == 0 {
				return forest.Function{Kind: forest.Set, Features: []int32{j}, MissingLeft: true,
					Categories: []uint32{rapid.Uint32Range(0, 7).Draw(t, "set")}}
			}
			if rapid.IntRange(0, 3).Draw(t, "negative") == 0 {
				w = -1 // no Axis, but the same player
			}
			return forest.Linear([]int32{j}, []float32{w})
		})
		rows := [][]float32{drawRow(t, p), drawRow(t, p), drawRow(t, p)}
		x := explain(t, model(p, tree), nil, table(rows))
		for i, row := range rows {
			o := oracle{&tree, row, func(leaf int) float64 { return float64(tree.Nodes[leaf].Value) }}
			want := o.values()
			for j, v := range x.Values[0][i] {
				if !near(v, want[x.Features[j]], 1e-12) {
					t.Fatalf("row %d, feature %d: %v; want %v", i, j, v, want[x.Features[j]])
				}
			}
			if x.Values[0][i][p-1] != 0 {
				t.Fatalf("a feature that isn't used has %v", x.Values[0][i][p-1])
			}
			if base := o.game(0, func(string) bool { return false }); !near(x.Base[0], base, 1e-12) {
				t.Fatalf("base %v; want %v", x.Base[0], base)
			}
		}
	})
}

func drawRow(t *rapid.T, p int) []float32 {
	row := make([]float32, p)
	for j := range row {
		row[j] = float32(rapid.IntRange(-3, 3).Draw(t, "cell"))
	}
	return row
}

// factorial returns all rows whose features are center ± size. Their features are independent.
func factorial(centre, size []float32) (rows [][]float32) {
	for set := range 1 << len(centre) {
		row := slices.Clone(centre)
		for j := range row {
			if set>>j&1 == 1 {
				row[j] += size[j]
			} else {
				row[j] -= size[j]
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestSlantedByDefinition compares with the Shapley values of all coalitions of split functions, shared by the mean
// over the reference's rows of the products of differences, which define the rule.
func TestSlantedByDefinition(t *testing.T) {
	functions := []forest.Function{
		forest.Linear([]int32{0, 1}, []float32{1, -1}),
		forest.Linear([]int32{0, 2, 3}, []float32{1, 0.5, 2}),
		forest.Linear([]int32{1, 3}, []float32{1, 1}),
		{Kind: forest.Dense, Features: []int32{0, 1, 2, 3}, Weights: []float32{0.25, 1, 0, -1}},
		forest.Linear([]int32{2}, []float32{1}),
	}
	rapid.Check(t, func(t *rapid.T) {
		const p = 4
		tree := drawTree(t, rapid.IntRange(1, 10).Draw(t, "splits"), func() forest.Function {
			return functions[rapid.IntRange(0, len(functions)-1).Draw(t, "function")]
		})
		reference := factorial([]float32{0.5, -1, 0, 2}, []float32{1, 2, 0.5, 1})
		rows := [][]float32{drawRow(t, p), drawRow(t, p)}
		x := explain(t, model(p, tree), table(reference), table(rows))
		for i, row := range rows {
			o := oracle{&tree, row, func(leaf int) float64 { return float64(tree.Nodes[leaf].Value) }}
			values, want := o.values(), make([]float64, p)
			for _, fn := range functions {
				for k, share := range sharesByDefinition(fn, row, reference) {
					want[fn.Features[k]] += values[name(fn)] * share
				}
			}
			for j, v := range x.Values[0][i] {
				if !near(v, want[j], 1e-11) {
					t.Fatalf("row %v, feature %d: %v; want %v", row, j, v, want[j])
				}
			}
		}
	})
}

// sharesByDefinition returns E(d[j]·D)/E(D²) over the reference's rows.
func sharesByDefinition(fn forest.Function, x []float32, reference [][]float32) []float64 {
	shares, squares := make([]float64, len(fn.Features)), 0.0
	for _, b := range reference {
		parts, sum := make([]float64, len(fn.Features)), 0.0
		for k, j := range fn.Features {
			parts[k] = float64(fn.Weights[k]) * float64(x[j]-b[j])
			sum += parts[k]
		}
		for k, d := range parts {
			shares[k] += d * sum
		}
		squares += sum * sum
	}
	for k := range shares {
		shares[k] /= squares
	}
	return shares
}

// TestFunctionsStoredTwice: two copies of a function, and its negative, are one player.
func TestFunctionsStoredTwice(t *testing.T) {
	var tree forest.Tree
	add := func(threshold float32, w ...float32) {
		split := tree.Splits.Add(forest.Function{Kind: forest.Sparse, Features: []int32{0, 1, 2}, Weights: w})
		tree.Nodes = append(tree.Nodes, forest.Node{Split: split, Value: threshold, Next: int32(len(tree.Nodes)) + 2})
	}
	add(1, 1, 0, 2)
	tree.Nodes = append(tree.Nodes, forest.ValueLeaf(1, 3))
	add(-2, -1, 0, -2)
	tree.Nodes = append(tree.Nodes, forest.ValueLeaf(2, 1))
	tree.Nodes = append(tree.Nodes, forest.ValueLeaf(4, 4))
	reference := table(factorial([]float32{0, 0, 0}, []float32{1, 1, 1}))
	e := must.Value(New(model(3, tree), reference))
	if n := len(e.trees[0].players); n != 1 {
		t.Errorf("%d players; want 1", n)
	}
	// The only player gets all, and the row is above the means of both features: c = (1, 4), v = (1, 4).
	x := explain(t, model(3, tree), reference, table([][]float32{{1, 7, 2}}))
	base := (3*1 + 1*2 + 4*4) / 8.0
	for j, want := range []float64{(2 - base) * (1*5 + 1) / 30, 0, (2 - base) * (4*5 + 4) / 30} {
		if !near(x.Values[0][0][j], want, 1e-12) {
			t.Errorf("feature %d: %v; want %v", j, x.Values[0][0][j], want)
		}
	}
}

// TestWeightedReference: a reference row of weight k is k rows, and one of weight 0 is none.
func TestWeightedReference(t *testing.T) {
	tree := forest.Tree{}
	split := tree.Splits.Add(forest.Function{Kind: forest.Sparse, Features: []int32{0, 1}, Weights: []float32{1, -2}})
	tree.Nodes = []forest.Node{{Split: split, Value: 1, Next: 2}, forest.ValueLeaf(1, 3), forest.ValueLeaf(2, 1)}
	f, row := model(2, tree), table([][]float32{{5, 1}})
	weighted := table([][]float32{{0, 4}, {6, 1}, {1e30, -1e30}, {2, 2}})
	weighted.Weights = []float32{3, 1, 0, 2}
	got := explain(t, f, weighted, row).Values[0][0]
	want := explain(t, f, table([][]float32{{0, 4}, {0, 4}, {0, 4}, {6, 1}, {2, 2}, {2, 2}}), row).Values[0][0]
	for j := range want {
		if !near(got[j], want[j], 1e-12) {
			t.Errorf("feature %d: %v; want %v", j, got[j], want[j])
		}
	}
	weighted.Weights = make([]float32, 4)
	if _, err := New(f, weighted); !errors.Is(err, errReference) {
		t.Errorf("error %v of a reference without weight", err)
	}
	weighted.Weights = make([]float32, 3)
	_, err := New(f, weighted)
	readtest.WantError(t, err, "3 weights for 4 rows")
}

// TestQuadratic: the parts of a quadratic function add up to its difference from the means, v to its variance for
// normal features, and a LowRank has the shares of the same function written as a Quadratic.
func TestQuadratic(t *testing.T) {
	// (x0 + x1 − 1)² − (x1 − 2·x2)² + x0 as both kinds; the centre is (1, 0, 0).
	low := forest.Function{Kind: forest.LowRank, Features: []int32{0, 1, 2}, Weights: []float32{1, 0, 0},
		Centre:  []float32{1, 0, 0},
		Factors: []float32{1, 1, 0, 0, 1, -2}, Positive: 1, Bias: 1}
	quadratic := forest.Function{Kind: forest.Quadratic, Features: []int32{0, 1, 2}, Weights: []float32{-1, -2, 0},
		Q: []float32{1, 2, 0, 0, 4, -4}, Bias: 1}
	means, variances := []float64{0.5, 1, -1}, []float64{1, 4, 0.25}
	r := forest.NewRand(3)
	row := func() (x []float32, exact []float64) {
		for j := range means {
			u := math.Sqrt(-2*math.Log(1-r.Float64())) * math.Cos(2*math.Pi*r.Float64())
			x = append(x, float32(means[j]+u*math.Sqrt(variances[j])))
			exact = append(exact, float64(x[j]))
		}
		return x, exact
	}
	const n = 200000
	sum, squares := 0.0, 0.0
	for range n {
		x, _ := row()
		if a, b := low.Value(x), quadratic.Value(x); math.Abs(float64(a-b)) > 1e-4 {
			t.Fatalf("the functions of the test differ: %v, %v", a, b)
		}
		v := float64(quadratic.Value(x))
		sum, squares = sum+v/n, squares+v*v/n
	}
	a, b := quadraticSpread(&quadratic, means, variances), quadraticSpread(&low, means, variances)
	total := 0.0
	for j := range a {
		total += a[j]
		if !near(a[j], b[j], 1e-9) {
			t.Errorf("v of feature %d: %v as a Quadratic, %v as a LowRank", j, a[j], b[j])
		}
	}
	if want := squares - sum*sum; math.Abs(total/want-1) > 0.04 {
		t.Errorf("v sums to %v; the variance of 200,000 normal rows is %v", total, want)
	}
	at := []float32{float32(means[0]), float32(means[1]), float32(means[2])}
	for range 100 {
		x, exact := row()
		for _, fn := range []forest.Function{low, quadratic} {
			g, twice, moved := make([]float64, 3), make([]float64, 3), 0.0
			for j := range twice {
				twice[j] = exact[j] + means[j]
			}
			gradient(g, &fn, twice)
			for j := range g {
				moved += g[j] * (exact[j] - means[j])
			}
			if want := float64(fn.Value(x) - fn.Value(at)); !near(moved, want, 1e-4) {
				t.Fatalf("kind %d: the parts sum to %v; the difference is %v", fn.Kind, moved, want)
			}
		}
	}
	var trees []forest.Tree
	for _, fn := range []forest.Function{low, quadratic} {
		var tree forest.Tree
		tree.Nodes = []forest.Node{{Split: tree.Splits.Add(fn), Value: 1, Next: 2}, forest.ValueLeaf(0, 2),
			forest.ValueLeaf(4, 2)}
		trees = append(trees, tree)
	}
	var rows [][]float32
	for range 20 {
		x, _ := row()
		rows = append(rows, x)
	}
	one, other := explain(t, model(3, trees[0]), table(rows), table(rows)),
		explain(t, model(3, trees[1]), table(rows), table(rows))
	for i := range rows {
		for j := range means {
			if !near(one.Values[0][i][j], other.Values[0][i][j], 1e-9) {
				t.Errorf("row %d, feature %d: %v as a LowRank, %v as a Quadratic", i, j, one.Values[0][i][j], other.Values[0][i][j])
			}
		}
	}
}

// TestAddUp: the values and the base of every method's forests add up to the predictions.
func TestAddUp(t *testing.T) {
	classes := sim.Waveform{}.Sample(150, 1)
	values := &datasets.Dataset{Name: "values", Target: "y", Features: classes.Features, Columns: classes.Columns}
	for i := range classes.N() {
		values.Values = append(values.Values, float64(classes.At(i, 3)*classes.At(i, 4)+classes.At(i, 10)))
	}
	counts := &datasets.Dataset{Target: "n", Features: classes.Features, Columns: classes.Columns}
	for i, v := range values.Values {
		counts.Values = append(counts.Values, math.Round(math.Abs(v)+float64(i%2)))
	}
	weighted := *classes
	weighted.Weights = make([]float32, classes.N())
	for i := range weighted.Weights {
		weighted.Weights[i] = float32(i%4) + 0.5
	}
	missing := func(d *datasets.Dataset) *datasets.Dataset {
		holed := *d
		holed.Columns = nil
		for j, column := range d.Columns {
			holed.Columns = append(holed.Columns, slices.Clone(column))
			for i := j; i < len(column) && j%4 != 1; i += 3 + j%5 { // every fourth column is complete
				holed.Columns[j][i] = float32(math.NaN())
			}
		}
		return &holed
	}
	categorical := func(d *datasets.Dataset) *datasets.Dataset { // every other column
		d = missing(d)
		d.Features = slices.Clone(d.Features)
		for j := 0; j < d.P(); j += 2 {
			d.Features[j].Categories = []string{"a", "b", "c", "d"}
			for i, v := range d.Columns[j] {
				if v == v {
					d.Columns[j][i] = min(3, float32(int(max(v, -v))))
				}
			}
		}
		return d
	}
	for _, test := range []struct {
		learner forest.Learner
		data    *datasets.Dataset
	}{
		{rf.Learner{Trees: 5}, categorical(classes)},
		{sporf.Learner{Trees: 5}, categorical(values)},
		{rf.Learner{Trees: 5}, missing(classes)},
		{sporf.Learner{Trees: 5}, missing(values)},
		{mix.Learner{Trees: 24}, missing(classes.Subset([]int32{0, 3, 5, 6, 8, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21}))},
		{rf.Learner{Trees: 5}, &weighted},
		{rf.Learner{Trees: 5}, values},
		{sporf.Learner{Trees: 5}, classes},
		{sporf.Learner{Trees: 5}, values},
		{oblique.Learner{Trees: 3}, classes},
		{graf.Learner{Trees: 5}, classes},
		{rotation.Learner{Trees: 3}, classes},
		{ccf.Learner{Trees: 3}, classes},
		{godt.Learner{Trees: 3, Splitting: godt.Splitting{Divider: godt.SeparateFull}}, classes},
		{tao.Learner{Depth: 3, LinearLeaves: true}, classes},
		{tao.Learner{Depth: 3, LinearLeaves: true}, values},
		{forest.Pipeline(sporf.Learner{Trees: 3}, datasets.Standardise{}), classes},
		{boost.Learner{Rounds: 3}, values},
		{boost.Learner{Rounds: 3, Loss: boost.Poisson}, counts},
		{boost.Learner{Rounds: 3}, categorical(values)},
		{boost.Learner{Rounds: 3}, categorical(sim.RandomRBF{Features: 5, Classes: 7}.Sample(150, 1))},
		{boost.Learner{Rounds: 3}, sim.RandomRBF{Features: 5, Classes: 7}.Sample(150, 1)},
		{boost.Learner{Rounds: 3}, sim.Trunk{Features: 5}.Sample(150, 1)},
	} {
		f := must.Value(test.learner.Fit(t.Context(), test.data))
		x := explain(t, f, test.data, test.data)
		for i := range test.data.N() {
			for o, v := range predictions(f, test.data)[i] {
				sum := x.Base[o]
				for _, phi := range x.Values[o][i] {
					sum += phi
				}
				if !near(sum, v, 2e-6*(1+math.Abs(v))) {
					t.Fatalf("%s, row %d, output %q: %v; the forest predicts %v", f.Method, i, x.Outputs[o], sum, v)
				}
			}
		}
	}
}

// predictions returns the outputs of a forest, by row.
func predictions(f *forest.Forest, d *datasets.Dataset) [][]float64 {
	var rows [][]float64
	switch {
	case f.Rule == forest.Sum && len(f.Classes) > 2:
		for _, leaves := range must.Value(f.Apply(context.Background(), d)) {
			scores := slices.Clone(f.Base)
			for t, leaf := range leaves {
				for c, v := range f.Trees[t].Leaf(int(leaf)).Dist {
					scores[c] += float64(v)
				}
			}
			rows = append(rows, scores)
		}
		return rows
	case f.Rule == forest.Sum && !f.Regression():
		for _, p := range must.Value(f.Proba(context.Background(), d)) {
			rows = append(rows, []float64{math.Log(p[1] / p[0])})
		}
		return rows
	case !f.Regression():
		return must.Value(f.Proba(context.Background(), d))
	}
	for _, v := range must.Value(f.PredictValues(context.Background(), d)) {
		if f.LogLink {
			v = math.Log(v)
		}
		rows = append(rows, []float64{v})
	}
	return rows
}

// TestSumsByDefinition compares sums of trees that each read one feature at a node, for three classes, with the Shapley
// values of all coalitions of features, with the game of the sum.
func TestSumsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const p, classes = 3, 3
		var trees []forest.Tree
		for range classes * rapid.IntRange(1, 3).Draw(t, "rounds") {
			trees = append(trees, drawTree(t, rapid.IntRange(0, 6).Draw(t, "splits"), func() forest.Function {
				return forest.Linear([]int32{int32(rapid.IntRange(0, p-1).Draw(t, "feature"))}, []float32{1})
			}))
		}
		f := model(p, trees...)
		f.Rule, f.Classes, f.Base = forest.Sum, []string{"a", "b", "c"}, []float64{1, -2, 0.5}
		row := drawRow(t, p)
		x := explain(t, f, nil, table([][]float32{row}))
		for class := range classes {
			game := func(set uint) float64 {
				sum := f.Base[class]
				for i := class; i < len(trees); i += classes {
					o := oracle{&trees[i], row, func(leaf int) float64 { return float64(trees[i].Nodes[leaf].Value) }}
					sum += o.game(0, func(player string) bool { return set>>(player[1]-'0')&1 == 1 })
				}
				return sum
			}
			for j, want := range shapley(p, game) {
				if v := x.Values[class][0][j]; !near(v, want, 1e-11) {
					t.Fatalf("class %d, feature %d: %v, want %v", class, j, v, want)
				}
			}
			if !near(x.Base[class], game(0), 1e-11) {
				t.Fatalf("class %d: base %v, want %v", class, x.Base[class], game(0))
			}
		}
	})
}

// TestLongPaths compares with a sum over coalitions by their size, on a path of 150 functions.
func TestLongPaths(t *testing.T) {
	const d = 150
	r := forest.NewRand(5)
	tree := forest.Tree{}
	row, satisfied, z := make([]float32, d), make([]bool, d), make([]float64, d)
	below := 1.0
	weights := make([]float64, d) // of the leaf beside split k
	for k := d - 1; k >= 0; k-- {
		weights[k] = below * math.Exp(3*r.Float64()-2)
		weights[k] = float64(float32(weights[k]))
		z[k] = below / (below + weights[k])
		below += weights[k]
	}
	for k := range d {
		satisfied[k] = k%10 != 3 // go right, down the path
		row[k] = 1
		if !satisfied[k] {
			row[k] = -1
		}
		tree.Nodes = append(tree.Nodes, forest.Node{Split: int32(k), Next: int32(2*k + 2)},
			forest.ValueLeaf(0, float32(weights[k])))
	}
	tree.Nodes = append(tree.Nodes, forest.ValueLeaf(1, 1))
	x := explain(t, model(d, tree), nil, table([][]float32{row}))
	for i := range d {
		// The coefficients of ∏ (z[k] + o[k]·y) are the sums over coalitions of each size.
		sums := []float64{1}
		for k := range d {
			if k == i {
				continue
			}
			next := make([]float64, len(sums)+1)
			for s, v := range sums {
				next[s] += v * z[k]
				if satisfied[k] {
					next[s+1] += v
				}
			}
			sums = next
		}
		want := 0.0
		for s, v := range sums {
			want += v / (d * choose(d-1, s))
		}
		if satisfied[i] {
			want *= 1 - z[i]
		} else {
			want *= -z[i]
		}
		if got := x.Values[0][0][i]; math.Abs(got-want) > 1e-11*math.Abs(want) {
			t.Fatalf("split %d: %v; want %v", i, got, want)
		}
	}
}

// TestLinearLeaves: a split between two linear leaves, whose models are players.
func TestLinearLeaves(t *testing.T) {
	reference := table([][]float32{{0, 2}, {4, 4}}) // means 2 and 3
	var two forest.Tree
	two.Nodes = append(two.Nodes, forest.Node{Split: 0, Value: 2.5, Next: 2},
		two.LinearLeaf([]forest.Score{{Bias: 1, Features: []int32{1}, Weights: []float32{1}}}, 1),
		two.LinearLeaf([]forest.Score{{Features: []int32{0}, Weights: []float32{3}}}, 3))
	// For the row (3, 7) the left leaf is 4 for the means and 4 more with its model, the right one 6 and 3 more. Players:
	// the split, the left model, the right model.
	x := explain(t, model(2, two), reference, table([][]float32{{3, 7}}))
	want := shapley(3, func(set uint) float64 {
		left, right, through := 4.0, 6.0, 0.25
		if set&1 != 0 {
			through = 0
		}
		if set&2 != 0 {
			left += 4
		}
		if set&4 != 0 {
			right += 3
		}
		return through*left + (1-through)*right
	})
	if v := x.Values[0][0]; !near(v[0], want[0]+want[2], 1e-12) || !near(v[1], want[1], 1e-12) {
		t.Errorf("values %v; want %v and %v", v, want[0]+want[2], want[1])
	}
}

// TestSums: the outputs of sums of two classes and of counts, with means of the stumps of 2 and 2.
func TestSums(t *testing.T) {
	stump := func(threshold, left, right float32) forest.Tree {
		return forest.Tree{Nodes: []forest.Node{{Split: 0, Value: threshold, Next: 2}, forest.ValueLeaf(left, 1),
			forest.ValueLeaf(right, 3)}}
	}
	rows := table([][]float32{{0, 1}, {2, 1}})
	f := model(2, stump(1, -1, 3), stump(1, 5, 1))
	f.Rule, f.Classes, f.Base = forest.Sum, []string{"no", "yes"}, []float64{0.5}
	x := explain(t, f, nil, rows)
	if len(x.Outputs) != 1 || !near(x.Base[0], 4.5, 1e-15) {
		t.Errorf("two classes: %q, base %v", x.Outputs, x.Base)
	}
	f.Classes, f.LogLink = nil, true
	x = explain(t, f, nil, rows)
	if x.Outputs[0] != "logarithm of "+f.Target || !near(x.Base[0], 4.5, 1e-15) {
		t.Errorf("counts: %q, base %v", x.Outputs, x.Base)
	}
}

// TestNodesWithoutWeight: where no training row went, both sides weigh the same, and a row that goes where none went
// has the prediction of that leaf.
func TestNodesWithoutWeight(t *testing.T) {
	tree := forest.Tree{Nodes: []forest.Node{
		{Split: 0, Value: 0, Next: 2}, forest.ValueLeaf(1, 2),
		{Split: 1, Value: 0, Next: 4}, forest.ValueLeaf(3, 0), forest.ValueLeaf(5, 0)}}
	x := explain(t, model(2, tree), nil, table([][]float32{{1, 1}, {-1, 1}}))
	// v(∅) = 1, v({0}) = 4, v({1}) = 1, v({0, 1}) = 5 for the first row; the second has 1 for all.
	if v := x.Values[0]; x.Base[0] != 1 || !near(v[0][0], 3.5, 1e-14) || !near(v[0][1], 0.5, 1e-14) ||
		!near(v[1][0], 0, 1e-14) || !near(v[1][1], 0, 1e-14) {
		t.Errorf("base %v, values %v", x.Base, v)
	}
}

// TestNothingMoved: features that neither differ from the reference nor vary in it have equal shares of their split,
// whose value is 1 − 3/4.
func TestNothingMoved(t *testing.T) {
	var tree forest.Tree
	split := tree.Splits.Add(forest.Linear([]int32{0, 1}, []float32{2, 3}))
	tree.Nodes = []forest.Node{{Split: split, Value: 1, Next: 2}, forest.ValueLeaf(0, 1), forest.ValueLeaf(1, 3)}
	rows := table([][]float32{{1, 1}})
	x := explain(t, model(2, tree), rows, rows)
	if v := x.Values[0][0]; !near(v[0], 0.125, 1e-15) || v[1] != v[0] {
		t.Errorf("%v; want 0.125 for both", v)
	}
}

// TestShapPackage compares with testdata/treeshap.json, which testdata/write.py made with scikit-learn and shap.
func TestShapPackage(t *testing.T) {
	type saved struct {
		Trees []struct {
			Left, Right, Feature []int32
			Threshold, Weight    []float64
			Value                [][]float64
		}
		Base   []float64
		Values [][][]float64
	}
	var file struct {
		Rows                [][]float32
		Classes, Regression saved
	}
	text, err := os.ReadFile("testdata/treeshap.json")
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range []saved{file.Classes, file.Regression} {
		f := model(5)
		if i == 0 {
			f.Classes = []string{"a", "b", "c"}
		}
		for _, st := range s.Trees {
			tree := forest.Tree{Classes: len(f.Classes)}
			for k, left := range st.Left {
				switch weight := float32(st.Weight[k]); {
				case left >= 0:
					tree.Nodes = append(tree.Nodes, forest.Node{Split: st.Feature[k], Next: st.Right[k],
						Value: float32(st.Threshold[k])})
				case i == 1:
					tree.Nodes = append(tree.Nodes, forest.ValueLeaf(float32(st.Value[k][0]), weight))
				default:
					dist := make([]float32, 3)
					for c, v := range st.Value[k] {
						dist[c] = float32(v) * weight
					}
					tree.Nodes = append(tree.Nodes, tree.DistLeaf(dist, weight))
				}
			}
			f.Trees = append(f.Trees, tree)
		}
		x := explain(t, f, nil, table(file.Rows))
		for o, rows := range s.Values {
			if !near(x.Base[o], s.Base[o], 1e-6) {
				t.Errorf("base %v; shap has %v", x.Base[o], s.Base[o])
			}
			for r, row := range rows {
				for j, want := range row {
					if got := x.Values[o][r][j]; !near(got, want, 1e-6) {
						t.Errorf("output %d, row %d, feature %d: %v; shap has %v", o, r, j, got, want)
					}
				}
			}
		}
	}
}

// TestRowsByThemselves: a row's values don't depend on the other rows, on views or on the number of cores.
func TestRowsByThemselves(t *testing.T) {
	d := sim.Waveform{}.Sample(700, 2)
	f := must.Value(sporf.Learner{Trees: 4}.Fit(t.Context(), d))
	all := explain(t, f, d, d)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	for _, rows := range [][]int32{{5}, {699, 3, 3, 500}} {
		some := explain(t, f, d, d.Subset(rows))
		for o := range all.Outputs {
			for i, r := range rows {
				if !slices.Equal(some.Values[o][i], all.Values[o][r]) {
					t.Errorf("output %d, row %d of %v: %v; among all rows %v", o, i, rows, some.Values[o][i], all.Values[o][r])
				}
			}
		}
	}
	again := explain(t, f, d, d)
	for o := range all.Outputs {
		for i := range all.Values[o] {
			if !slices.Equal(again.Values[o][i], all.Values[o][i]) {
				t.Fatalf("output %d, row %d differs on five cores", o, i)
			}
		}
	}
	if none := explain(t, f, d, d.Subset([]int32{})); len(none.Values[0]) != 0 || !slices.Equal(none.Base, all.Base) {
		t.Errorf("no rows: %d rows, base %v", len(none.Values[0]), none.Base)
	}
}

func TestErrors(t *testing.T) {
	d := sim.Circles{}.Sample(60, 1)
	f := must.Value(sporf.Learner{Trees: 5}.Fit(t.Context(), d))
	for _, reference := range []*datasets.Dataset{nil, d.Subset([]int32{})} {
		_, err := New(f, reference)
		readtest.WantError(t, err, "want one with rows")
	}
	if _, err := New(f, d.Select(0)); !errors.Is(err, datasets.ErrSchema) {
		t.Errorf("a reference with other columns: %v", err)
	}
	e := must.Value(New(f, d))
	if _, err := e.Values(t.Context(), d.Select(0)); !errors.Is(err, datasets.ErrSchema) {
		t.Errorf("other columns: %v", err)
	}
	missing := *d
	missing.Columns = [][]float32{slices.Clone(d.Columns[0]), d.Columns[1]}
	missing.Columns[0][7] = float32(math.NaN())
	if _, err := e.Values(t.Context(), &missing); !errors.Is(err, datasets.ErrMissing) {
		t.Errorf("a missing cell: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	last, steps := 0, 0
	ctx = forest.WithProgress(ctx, func(done, total int) {
		last, steps = done, total
		cancel()
	})
	if _, err := e.Values(ctx, d); !errors.Is(err, context.Canceled) || last == 0 || last >= steps ||
		steps%len(f.Trees) != 0 {
		t.Errorf("cancelled at the first step: %v after %d of %d", err, last, steps)
	}
}

// TestStopsInsideATree: a walk ends at the next node when its values are no longer wanted.
func TestStopsInsideATree(t *testing.T) {
	tree := forest.Tree{Nodes: []forest.Node{{Next: 2}, forest.ValueLeaf(1, 1), forest.ValueLeaf(3, 1)}}
	e := must.Value(New(model(1, tree), nil))
	done := make(chan struct{})
	d := table([][]float32{{-1}})
	w := newWalker(e, done, d, d, 1)
	w.enter(0, 1)
	w.walk(0)
	if v := w.values[0][0][0]; !near(v, -1, 1e-15) {
		t.Fatalf("the value is %v; want −1", v)
	}
	close(done)
	w.walk(0)
	if v := w.values[0][0][0]; !near(v, -1, 1e-15) {
		t.Errorf("a cancelled walk added to it: %v", v)
	}
}

// TestQuadrature: n points integrate 1, t, … t^(2n−1) to 1, 1/2, … 1/2n, and not t^(2n).
func TestQuadrature(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8, 20, 64, 200} {
		q := gaussLegendre(n)
		for _, power := range []int{0, 1, n, 2*n - 1, 2 * n} {
			sum := 0.0
			for i, at := range q.at {
				sum += q.weight[i] * math.Pow(at, float64(power))
				if at+q.rest[i] != 1 && !near(at+q.rest[i], 1, 1e-15) || q.weight[i] <= 0 {
					t.Fatalf("%d points: %v and %v, weight %v", n, at, q.rest[i], q.weight[i])
				}
			}
			exact := near(sum*float64(power+1), 1, 1e-12)
			if power < 2*n && !exact || power == 2*n && exact && n < 8 {
				t.Errorf("%d points: t^%d integrates to %v", n, power, sum)
			}
		}
	}
}

// TestNoAllocations: the second walk of a tree allocates nothing.
func TestNoAllocations(t *testing.T) {
	d := sim.Waveform{}.Sample(300, 1)
	for _, l := range []forest.Learner{rf.Learner{Trees: 1}, sporf.Learner{Trees: 1},
		godt.Learner{Trees: 1, Splitting: godt.Splitting{Divider: godt.SeparateFull}}} {
		f := must.Value(l.Fit(t.Context(), d))
		e := must.Value(New(f, d))
		w := newWalker(e, t.Context().Done(), d, d, d.N())
		w.enter(0, d.N())
		w.walk(0)
		if n := testing.AllocsPerRun(3, func() { w.walk(0) }); n > 0 {
			t.Errorf("%s: %v allocations", f.Method, n)
		}
	}
}

func BenchmarkValues(b *testing.B) {
	d := sim.Waveform{}.Sample(2000, 1)
	for _, l := range []forest.Learner{rf.Learner{Trees: 10}, sporf.Learner{Trees: 10}, oblique.Learner{Trees: 10}} {
		f := must.Value(l.Fit(b.Context(), d))
		e := must.Value(New(f, d))
		leaves := 0
		for i := range f.Trees {
			leaves += f.Trees[i].Leaves()
		}
		b.Run(f.Method, func(b *testing.B) {
			for b.Loop() {
				must.Value(e.Values(b.Context(), d))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*d.N()*leaves), "ns/row/leaf")
		})
	}
}
