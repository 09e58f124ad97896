package forest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Whatever the forest, the data, their view and the number of threads, every bit
// is what a walk row by row and tree by tree gives, rounded as [Pool] says.
func TestPredictionsBitForBit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := rapid.SampledFrom([]int{1, 2, 9}).Draw(t, "features")
		f := drawForest(rng, p, rapid.SampledFrom([]int{0, 1, 2, 3, 26}).Draw(t, "classes"), 0)
		axes := rapid.Bool().Draw(t, "axis-aligned")
		for range rapid.SampledFrom([]int{1, 2, 6, together, together + 1}).Draw(t, "trees") {
			tree := drawTree(rng, p, len(f.Classes))
			for axes && tree.Splits.Len() > 0 {
				tree = drawTree(rng, p, len(f.Classes))
			}
			f.Trees = append(f.Trees, tree)
			roughen(rng, &f.Trees[len(f.Trees)-1])
		}
		runtime.GOMAXPROCS(rapid.SampledFrom([]int{1, 2, 7}).Draw(t, "threads"))
		n := rapid.SampledFrom([]int{0, 1, 2, 5, 127, 128, 129, 300, 1000}).Draw(t, "rows")
		d := normals(rng, p, n)
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
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rng := rand.New(rand.NewPCG(1, 2))
	f := drawForest(rng, 9, 3, 2)
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

// roughen replaces round weights and thresholds by such as need rounding.
func roughen(rng *rand.Rand, t *Tree) {
	for i := range t.Splits.Weights {
		t.Splits.Weights[i] = float32(rng.NormFloat64())
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
		for j := range f.Trees {
			tree := &f.Trees[j]
			leaves[i][j] = plainLeaf(tree, x)
			leaf := tree.Nodes[leaves[i][j]]
			switch leaf.Split {
			case LeafValue:
				values[i] += float64(leaf.Value)
			case LeafClass:
				votes[i][leaf.Next]++
				score[leaf.Next]++
				consensus[leaf.Next]++
			case LeafDist:
				dist, sum := tree.Dist[int(leaf.Next)*k:int(leaf.Next+1)*k], float32(0)
				for _, w := range dist {
					sum += w
				}
				best := 0
				for c, w := range dist {
					score[c] += w / sum
					consensus[c] += float32(math.Log2(1 + float64(w/sum)))
					if w > dist[best] {
						best = c
					}
				}
				votes[i][best]++
			}
		}
		values[i] /= float64(trees)
		for c := range k {
			proba[i][c] = float64(score[c]) / float64(trees)
			best := labels[i]
			if map[Rule]bool{
				Plurality: votes[i][c] > votes[i][best],
				Average:   score[c] > score[best],
				Consensus: consensus[c] > consensus[best],
			}[f.Rule] {
				labels[i] = int32(c)
			}
		}
	}
	same := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s of %d rows differ from a plain walk", what, n)
		}
	}
	same("leaves", f.Apply(d), leaves)
	predictor := f.Predictor()
	if f.Regression() {
		same("values", f.PredictValues(d), values)
		for i := range n {
			same("a value", predictor.Value(d.Row(nil, i)), values[i])
		}
		return
	}
	same("votes", f.Votes(d), votes)
	same("probabilities", f.Proba(d), proba)
	same("labels", f.Predict(d), labels)
	for i := range n {
		same("a row's label", predictor.Label(d.Row(nil, i)), labels[i])
		same("a row's probabilities", predictor.Proba(nil, d.Row(nil, i)), proba[i])
	}
}

func plainLeaf(t *Tree, x []float32) int32 {
	at := int32(0)
	for t.Nodes[at].Split >= 0 {
		n := t.Nodes[at]
		var v float32
		if s := int(n.Split) - len(x); s < 0 {
			v = x[n.Split]
		} else {
			for i := t.Splits.Start[s]; i < t.Splits.Start[s+1]; i++ {
				product := float32(t.Splits.Weights[i] * x[t.Splits.Index[i]])
				v = float32(v + product)
			}
		}
		if v <= n.Value {
			at++
		} else {
			at = n.Next
		}
	}
	return at
}
