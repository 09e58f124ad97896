package forest

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// For any forest, data, missing cells, view and number of threads, predictions have the same bits as those
// of a walk row by row and tree by tree, rounded by the rules of package kernel.
func TestPredictionsBitForBit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := rapid.SampledFrom([]int{1, 2, 9}).Draw(t, "features")
		f := drawForest(rng, p, rapid.SampledFrom([]int{0, 1, 2, 3, stackClasses + 1}).Draw(t, "classes"), 0)
		axes, coarse, outputs := rapid.Bool().Draw(t, "axis-aligned"), rapid.Bool().Draw(t, "coarse"), drawOutputs(rng, f)
		for range rapid.SampledFrom([]int{1, 2, 6, treesAtOnce, treesAtOnce + 1}).Draw(t, "trees") {
			tree := drawTree(rng, p, f.treeClasses(), outputs)
			for axes && tree.Splits.Len() > 0 {
				tree = drawTree(rng, p, f.treeClasses(), outputs)
			}
			f.Trees = append(f.Trees, tree)
			if !coarse {
				roughen(rng, &f.Trees[len(f.Trees)-1])
			}
		}
		runtime.GOMAXPROCS(rapid.SampledFrom([]int{1, 2, 7}).Draw(t, "threads"))
		n := rapid.SampledFrom([]int{0, 1, 2, 5, 127, 128, 129, 300, 1000}).Draw(t, "rows")
		d := normals(rng, p, n)
		switch missing := rapid.SampledFrom([]string{"", "cells", "cells and sets"}).Draw(t, "missing"); {
		case missing != "":
			if addMissing(rng, f); missing == "cells and sets" {
				addSets(rng, f)
			}
			d = drawData(rng, f, n)
			for _, column := range d.Columns {
				for i := range column {
					if rng.IntN(3) == 0 {
						column[i] = float32(math.NaN())
					}
				}
			}
		case coarse: // rows meet thresholds
			d = drawData(rng, f, n)
		}
		if n > 0 && rapid.Bool().Draw(t, "view") {
			rows := make([]int32, rapid.IntRange(0, n).Draw(t, "rows of the view"))
			for i := range rows {
				rows[i] = int32(rng.IntN(n))
			}
			d = d.Subset(rows)
		}
		checkBits(t, f, d)
	})
}

func TestPredictionsAtTheEdgesOfBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs on one core")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rng := rand.New(rand.NewPCG(1, 2))
	f := drawForestBy(rng, Average, 9, 3, 3)
	for i := range f.Trees {
		roughen(rng, &f.Trees[i])
	}
	for _, n := range []int{smallBlock, smallBlock + 1, blockRows - 1, blockRows, blockRows + 1, 2*blockRows + 1} {
		checkBits(t, f, normals(rng, 9, n))
	}
	wide := drawForest(rng, blockCells/64, 0, 1) // a view of it is copied 64 rows at a time
	d := &datasets.Dataset{Features: make([]datasets.Feature, wide.P())}
	for range wide.P() {
		d.Columns = append(d.Columns, []float32{rng.Float32(), 2 * rng.Float32(), -rng.Float32()})
	}
	rows := make([]int32, 200)
	for i := range rows {
		rows[i] = int32(rng.IntN(3))
	}
	checkBits(t, wide, d.Subset(rows))
}

// roughen replaces round numbers by others whose sums are rounded.
func roughen(rng *rand.Rand, t *Tree) {
	for _, numbers := range [][]float32{t.Splits.numbers, t.models.weights} {
		for i := range numbers {
			numbers[i] = float32(rng.NormFloat64())
		}
	}
	for i := range t.models.outputs {
		t.models.outputs[i].Bias = float32(rng.NormFloat64())
	}
	for i := range t.Nodes {
		t.Nodes[i].Value = float32(rng.NormFloat64())
	}
	for i := range t.Dist {
		t.Dist[i] = rng.Float32() + 0.1
	}
}

func normals(rng *rand.Rand, p, n int) *datasets.Dataset {
	d := &datasets.Dataset{Features: make([]datasets.Feature, p), Columns: make([][]float32, p)}
	for j := range d.Columns {
		d.Columns[j] = make([]float32, n)
		for i := range d.Columns[j] {
			d.Columns[j][i] = float32(rng.NormFloat64())
		}
	}
	return d
}

func checkBits(t interface{ Fatalf(string, ...any) }, f *Forest, d *datasets.Dataset) {
	n, k, trees := d.N(), len(f.Classes), len(f.Trees)
	leaves, votes, proba := make([][]int32, n), make([][]int32, n), make([][]float64, n)
	labels, values := make([]int32, n), make([]float64, n)
	for i := range n {
		leaves[i], votes[i], proba[i] = make([]int32, trees), make([]int32, k), make([]float64, k)
		x, score, consensus := d.Row(nil, i), make([]float32, k), make([]float32, k)
		filled := slices.Clone(x)
		for j, v := range x {
			if v != v {
				filled[j] = f.Fills[j]
			}
		}
		sums := slices.Clone(f.Base)
		if f.Rule != Sum {
			sums = make([]float64, 1)
		}
		for j := range f.Trees {
			tree := &f.Trees[j]
			leaves[i][j] = plainLeaf(tree, x, filled)
			leaf := tree.Leaf(int(leaves[i][j]))
			if leaf.Kind == LeafValues {
				for o, v := range leaf.Dist {
					sums[o] += float64(v)
				}
				continue
			}
			said := plainSays(leaf, filled, k)
			sums[j%len(sums)] += said.value
			if said.share == nil {
				continue
			}
			votes[i][said.label]++
			for c, h := range said.share {
				score[c] += h
				consensus[c] += float32(portable.Log2(1 + float64(h)))
			}
		}
		values[i] = sums[0]
		if f.Rule != Sum {
			values[i] /= float64(trees)
		}
		for c := range k {
			proba[i][c] = float64(score[c]) / float64(trees)
			best := labels[i]
			if map[Rule]bool{
				Plurality: votes[i][c] > votes[i][best],
				Average:   score[c] > score[best],
				Consensus: consensus[c] > consensus[best],
				Sum:       k > 2 && sums[c%len(sums)] > sums[int(best)%len(sums)] || k == 2 && c == 1 && sums[0] > 0,
			}[f.Rule] {
				labels[i] = int32(c)
			}
		}
		if f.Rule == Sum && k > 0 {
			proba[i] = plainLink(sums, k)
		}
	}
	same := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s of %d rows differ from a plain walk", what, n)
		}
	}
	same("leaves", must.Value(f.Apply(context.Background(), d)), leaves)
	predictor := f.Predictor()
	if f.Regression() {
		same("values", must.Value(f.PredictValues(context.Background(), d)), values)
		for i := range n {
			same("a value", must.Value(predictor.Value(d.Row(nil, i))), values[i])
		}
		return
	}
	if f.Rule != Sum {
		same("votes", must.Value(f.Votes(context.Background(), d)), votes)
	}
	same("probabilities", must.Value(f.Proba(context.Background(), d)), proba)
	same("labels", must.Value(f.Predict(context.Background(), d)), labels)
	classes, shares, err := f.Classify(context.Background(), d)
	must.Do(err)
	same("labels by Classify", classes, labels)
	same("probabilities by Classify", shares, proba)
	for i := range n {
		same("a row's label", must.Value(predictor.Label(d.Row(nil, i))), labels[i])
		same("a row's probabilities", must.Value(predictor.Proba(nil, d.Row(nil, i))), proba[i])
	}
}

// The output of a leaf for a row: a value, or the share of each class and its label.
type saying struct {
	value float64
	share []float32
	label int
}

func plainSays(l Leaf, x []float32, classes int) saying {
	s := saying{value: float64(l.Value)}
	scores := make([]float64, len(l.Scores))
	for k, score := range l.Scores {
		scores[k] = float64(score.Bias)
		for i, j := range score.Features {
			scores[k] += float64(score.Weights[i]) * float64(x[j])
		}
	}
	switch l.Kind {
	case LeafClass:
		s.share, s.label = make([]float32, classes), int(l.Class)
		s.share[l.Class] = 1
	case LeafDist:
		s.share = make([]float32, classes)
		var sum float32
		for _, w := range l.Dist {
			sum += w
		}
		for c, w := range l.Dist {
			s.share[c] = w / sum
		}
		s.label = slices.Index(l.Dist, slices.Max(l.Dist))
	case LeafLinear:
		if s.value = scores[0]; classes == 0 {
			break
		}
		top := slices.Max(scores)
		s.share, s.label = make([]float32, classes), int(l.Scores[slices.Index(scores, top)].Class)
		for k, e := range plainSoftmax(scores) {
			s.share[l.Scores[k].Class] = float32(e)
		}
	}
	return s
}

func plainSoftmax(scores []float64) []float64 {
	e, sum := make([]float64, len(scores)), 0.0
	for k, v := range scores {
		e[k] = portable.Exp(v - slices.Max(scores))
		sum += e[k]
	}
	for k := range e {
		e[k] /= sum
	}
	return e
}

// plainLink returns the probabilities of k classes by their sums, or by that of the
// second of two.
func plainLink(sums []float64, k int) []float64 {
	if k > 2 {
		proba := make([]float64, k)
		portable.Softmax(proba, sums)
		return proba
	}
	odds := portable.Exp(-math.Abs(sums[0]))
	less, more := odds/(1+odds), 1/(1+odds)
	if sums[0] < 0 {
		return []float64{more, less}
	}
	return []float64{less, more}
}

// plainLeaf returns the leaf of a row by what the documentation of Fills says.
func plainLeaf(t *Tree, x, filled []float32) int32 {
	at := int32(0)
	for t.Nodes[at].Split >= 0 {
		n := t.Nodes[at]
		left := plainValue(t, n.Split, filled) <= n.Value
		if fn := t.Splits.At(n.Split); fn.Kind == Set {
			left = sideOf(&fn, x[fn.Features[0]])
		} else if fn.Kind == Axis && x[fn.Features[0]] != x[fn.Features[0]] {
			left = fn.MissingLeft
		}
		if left {
			at++
		} else {
			at = n.Next
		}
	}
	return at
}

// plainLowRank rounds every product and sum to float64.
func plainLowRank(fn Function, x []float32) float32 {
	v := float64(fn.Bias)
	for i, j := range fn.Features {
		product := float64(fn.Weights[i]) * (float64(x[j]) - float64(fn.Centre[i]))
		v = float64(v + float64(product))
	}
	for at := 0; at < len(fn.Factors); at += len(fn.Features) {
		sum := 0.0
		for i, j := range fn.Features {
			product := float64(fn.Factors[at+i]) * (float64(x[j]) - float64(fn.Centre[i]))
			sum = float64(sum + float64(product))
		}
		square := float64(sum * sum)
		if at >= fn.Positive*len(fn.Features) {
			square = -square
		}
		v = float64(v + square)
	}
	return float32(v)
}

func plainValue(t *Tree, split int32, x []float32) float32 {
	if int(split) < len(x) {
		return x[split]
	}
	fn := t.Splits.At(split)
	if fn.Kind == LowRank {
		return plainLowRank(fn, x)
	}
	if fn.Kind == Quadratic {
		v := float64(fn.Bias)
		next := 0
		for i, j := range fn.Features {
			inner := float64(fn.Weights[i])
			for _, k := range fn.Features[:i+1] {
				inner += float64(fn.Q[next]) * float64(x[k])
				next++
			}
			product := float64(x[j]) * inner
			v = float64(v + float64(product))
		}
		return float32(v)
	}
	var v float32
	for i, j := range fn.Features {
		product := float32(fn.Weights[i] * x[j])
		v = float32(v + product)
	}
	return v
}
