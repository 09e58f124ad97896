package rotation

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

var fitted = fittest.Fit

// table returns n rows of p correlated features of different scales, in three classes.
func table(n, p int, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 0))
	d := &datasets.Dataset{Features: make([]datasets.Feature, p), Columns: make([][]float32, p),
		Classes: []string{"a", "b", "c"}}
	for i := range n {
		common, score := rng.NormFloat64(), 0.0
		for j := range p {
			x := 0.6*common + rng.NormFloat64()
			score += x * float64(j%3-1)
			d.Columns[j] = append(d.Columns[j], float32(math.Ldexp(x, 3*(j%4)))+float32(j))
		}
		d.Labels = append(d.Labels, int32(min(2, max(0, 1+math.Round(score+0.3*rng.NormFloat64())))))
		if i < 3 {
			d.Labels[i] = int32(i)
		}
	}
	return d
}

func valued(d *datasets.Dataset) *datasets.Dataset {
	v := *d
	v.Labels, v.Classes = nil, nil
	for i := range d.N() {
		v.Values = append(v.Values, float64(d.Columns[0][i])+10*float64(d.Labels[i]))
	}
	return &v
}

func TestHaarMatricesAreRotations(t *testing.T) {
	rng := forest.NewRand(1)
	for q := 1; q <= 40; q++ {
		m := mat.NewDense(q, q, haar(&rng, q, nil))
		var product mat.Dense
		product.Mul(m, m.T())
		for i := range q {
			for j := range q {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(product.At(i, j)-want) > 1e-13 {
					t.Fatalf("q = %d: rows %d and %d have product %v", q, i, j, product.At(i, j))
				}
			}
		}
		if det := mat.Det(m); math.Abs(det-1) > 1e-12 {
			t.Fatalf("q = %d: determinant %v", q, det)
		}
	}
}

// kolmogorov returns √n times the largest distance of the distribution of x from cdf.
func kolmogorov(x []float64, cdf func(float64) float64) float64 {
	slices.Sort(x)
	n, most := float64(len(x)), 0.0
	for i, v := range x {
		most = max(most, cdf(v)-float64(i)/n, float64(i+1)/n-cdf(v))
	}
	return most * math.Sqrt(n)
}

// limit is the value that [kolmogorov] exceeds with probability 2·exp(−2·2.5²) = 7·10⁻⁶.
const limit = 2.5

// Each entry of a uniform rotation has the distribution of a coordinate of a point on the
// sphere: (1 + x)/2 is Beta((q−1)/2, (q−1)/2). So has the coordinate of a fixed vector's
// image, here along the diagonal.
func TestRotationsAreUniform(t *testing.T) {
	for _, q := range []int{2, 3, 4, 7} {
		rng := forest.NewRand(uint64(q))
		const n = 3000
		entries := make([][]float64, q*q+1)
		for range n {
			m := haar(&rng, q, nil)
			diagonal := 0.0
			for k, x := range m {
				entries[k] = append(entries[k], x)
				diagonal += x / float64(q)
			}
			entries[q*q] = append(entries[q*q], diagonal)
		}
		half := float64(q-1) / 2
		beta := distuv.Beta{Alpha: half, Beta: half}
		for k, x := range entries {
			if d := kolmogorov(x, func(v float64) float64 { return beta.CDF(min(1, max(0, (1+v)/2))) }); d > limit {
				t.Errorf("q = %d: entry %d has distance %v; want at most %v", q, k, d, limit)
			}
		}
	}
}

// The angle θ of a uniform rotation in space has the distribution function (θ − sin θ)/π,
// and the trace is 1 + 2 cos θ. That depends on all entries together.
func TestAngleOfRotations(t *testing.T) {
	rng := forest.NewRand(5)
	var angles []float64
	for range 5000 {
		m := haar(&rng, 3, nil)
		angles = append(angles, math.Acos(min(1, max(-1, (m[0]+m[4]+m[8]-1)/2))))
	}
	if d := kolmogorov(angles, func(a float64) float64 { return (a - math.Sin(a)) / math.Pi }); d > limit {
		t.Errorf("distance %v; want at most %v", d, limit)
	}
}

// rotatedCopy returns a data set whose columns are the given functions of d.
func rotatedCopy(d *datasets.Dataset, rotated []forest.Function) *datasets.Dataset {
	x := *d
	x.Columns, x.Features, x.Rows = nil, make([]datasets.Feature, len(rotated)), nil
	row := make([]float32, d.P())
	for _, fn := range rotated {
		col := make([]float32, d.N())
		for i := range col {
			for j := range row {
				row[j] = d.At(i, j)
			}
			col[i] = fn.Value(row)
		}
		x.Columns = append(x.Columns, col)
	}
	return &x
}

// A tree is that of a random forest on explicitly rotated rows, each as often as it was
// drawn, with the seed that the tree's stream begins with. Ties between features are
// broken by that. With values, a row drawn twice isn't the same as two rows: sums are
// rounded otherwise.
func TestTreesAreThoseOfRotatedData(t *testing.T) {
	classes := table(300, 5, 1)
	values := valued(classes)
	for i := range int32(300) {
		values.Rows = append(values.Rows, 299-i)
	}
	for _, c := range []struct {
		name string
		l    forest.Learner
		d    *datasets.Dataset
	}{
		{"random", Random{Trees: 3, NodeFeatures: 2, Seed: 4}, classes},
		{"random, values", Random{Trees: 3, NodeFeatures: 2, Seed: 4,
			Sampling: forest.Sampling{WithoutReplacement: true, Fraction: 0.6}}, values},
		{"rotation", Learner{Trees: 3, Seed: 4}, classes},
	} {
		name, d := c.name, c.d
		f := fitted(c.l, d)
		for k := range f.Trees {
			rng := forest.NewRand(4, uint64(k), stream)
			seed := rng.Uint64()
			s := newScaled(d, nil)
			var rotated []forest.Function
			axes := rf.Learner{Trees: 1, NodeFeatures: 2, Sampling: forest.AllRows, Seed: seed}
			if _, random := c.l.(Random); random {
				rotated = s.uniform(&rng)
			} else {
				rotated, axes.NodeFeatures = newBlocks(s, 3).draw(&rng), 5
			}
			var rows []int32
			for i, c := range f.Sampling.Counts(nil, 300, 4, k) {
				rows = append(rows, slices.Repeat([]int32{int32(i)}, int(c))...)
			}
			want := fitted(axes, rotatedCopy(d, rotated).Subset(rows)).Trees[0]
			got := f.Trees[k]
			if len(got.Nodes) != len(want.Nodes) || len(want.Nodes) < 20 {
				t.Fatalf("%s: %d nodes, want %d", name, len(got.Nodes), len(want.Nodes))
			}
			for i, n := range got.Nodes {
				w := want.Nodes[i]
				if n.IsLeaf() != w.IsLeaf() || n.Value != w.Value || n.Weight != w.Weight || n.Next != w.Next {
					t.Fatalf("%s: tree %d, node %d: %+v, want %+v", name, k, i, n, w)
				}
				if n.IsLeaf() {
					continue
				}
				axis := want.Splits.At(w.Split)
				a, b := got.Splits.At(n.Split), rotated[axis.Features[0]]
				if !slices.Equal(a.Weights, b.Weights) || !slices.Equal(a.Features, b.Features) {
					t.Fatalf("%s: tree %d, node %d splits on %v, want %v", name, k, i, a, b)
				}
			}
			if got.Splits.Len() > d.P() {
				t.Errorf("%s: tree %d stores %d functions of %d features", name, k, got.Splits.Len(), d.P())
			}
		}
	}
}

// The weights are rows of a rotation divided by the features' ranges, here by hand from the
// smallest and largest cell.
func TestWeightsAreDividedByRanges(t *testing.T) {
	d := table(100, 4, 2)
	rng := forest.NewRand(9)
	rotated := newScaled(d, nil).uniform(&rng)
	m := mat.NewDense(4, 4, nil)
	for k, fn := range rotated {
		for j, w := range fn.Weights {
			m.Set(k, j, float64(w)*(float64(slices.Max(d.Columns[j]))-float64(slices.Min(d.Columns[j]))))
		}
	}
	var product mat.Dense
	product.Mul(m.T(), m)
	for i := range 4 {
		for j := range 4 {
			if want := map[bool]float64{true: 1}[i == j]; math.Abs(product.At(i, j)-want) > 1e-6 {
				t.Errorf("columns %d and %d have product %v, want %v", i, j, product.At(i, j), want)
			}
		}
	}
	if det := mat.Det(m); math.Abs(det-1) > 1e-6 {
		t.Errorf("determinant %v", det)
	}
}

// The rows of a rotation have length 1. Of features that are rotated as they are, these are the splits' weights.
func TestUnscaled(t *testing.T) {
	for _, tree := range fitted(Random{Trees: 3, Unscaled: true}, table(80, 5, 2)).Trees {
		for i := range tree.Nodes {
			if tree.Nodes[i].IsLeaf() {
				continue
			}
			var squares float64
			for _, w := range tree.Splits.At(tree.Nodes[i].Split).Weights {
				squares += float64(w) * float64(w)
			}
			if math.Abs(squares-1) > 1e-5 {
				t.Errorf("node %d has weights whose squares sum to %v; want 1", i, squares)
			}
		}
	}
}

// Components are gonum's eigenvectors of the covariance matrix, which is computed here from
// a matrix of the scaled cells.
func TestComponentsAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 7).Draw(t, "m")
		n := rapid.IntRange(2, 30).Draw(t, "n") // fewer rows than features, too
		d := table(max(3, n), m, rapid.Uint64().Draw(t, "seed"))
		s := newScaled(d, nil)
		b := newBlocks(s, m)
		at, rows := make([]int32, m), make([]int32, n)
		for k := range at {
			at[k] = int32(k)
		}
		cells := mat.NewDense(n, m, nil)
		for r := range rows {
			rows[r] = int32(rapid.IntRange(0, d.N()-1).Draw(t, "row"))
			for j := range m {
				col := d.Columns[j]
				cells.Set(r, j, float64(col[rows[r]])/(float64(slices.Max(col))-float64(slices.Min(col))))
			}
		}
		var total mat.SymDense
		for j := range m {
			mean := 0.0
			for r := range n {
				mean += cells.At(r, j) / float64(n)
			}
			for r := range n {
				cells.Set(r, j, cells.At(r, j)-mean)
			}
		}
		total.SymOuterK(1/float64(n), cells.T())
		var eigen mat.EigenSym
		if !eigen.Factorize(&total, true) {
			t.Fatal("gonum doesn't converge")
		}
		var theirs mat.Dense
		eigen.VectorsTo(&theirs)
		values := eigen.Values(nil)
		ours := mat.NewDense(m, m, eigenvectors(b.covariance(at, rows), m, nil))
		var square, product mat.Dense
		square.Mul(ours, ours.T())
		product.Mul(ours, &theirs)
		for i := range m {
			for j := range m {
				if want := map[bool]float64{true: 1}[i == j]; math.Abs(square.At(i, j)-want) > 1e-13 {
					t.Fatalf("vectors %d and %d have product %v", i, j, square.At(i, j))
				}
			}
			variance := 0.0 // along vector i
			for k, v := range values {
				variance += v * product.At(i, k) * product.At(i, k)
			}
			for k, v := range values { // vectors of other eigenvalues are orthogonal
				if math.Abs(variance-v)*math.Abs(product.At(i, k)) > 1e-12 {
					t.Fatalf("vector %d has variance %v and product %v with that of eigenvalue %v", i, variance, product.At(i, k), v)
				}
			}
		}
	})
}

// A weighted covariance is that of rows repeated as often as their weight says.
func TestCovarianceOfWeights(t *testing.T) {
	d := table(20, 3, 3)
	w := *d
	var repeated []int32
	for i := range 20 {
		w.Weights = append(w.Weights, float32(i%3))
		for range i % 3 {
			repeated = append(repeated, int32(i))
		}
	}
	weighty, times := newScaled(&w, nil), newScaled(d.Subset(repeated), nil)
	at := []int32{0, 1, 2}
	got := newBlocks(weighty, 3).covariance(at, samples.UpTo(len(weighty.rows)))
	want := newBlocks(times, 3).covariance(at, samples.UpTo(len(repeated)))
	for k := range want {
		if math.Abs(got[k]-want[k]) > 1e-15 {
			t.Errorf("entry %d is %v, want %v", k, got[k], want[k])
		}
	}
}

// Rows are drawn from a set of classes, every nonempty set equally often, and are ⌈¾⌉ of
// the rows that these classes have.
func TestClassesAreDropped(t *testing.T) {
	d := table(60, 2, 4)
	for i := range d.Labels {
		d.Labels[i] = int32(min(2, i/10)) // 10, 10 and 40 rows
	}
	b := newBlocks(newScaled(d, nil), 2)
	sizes := map[int]int{10: 8, 20: 15, 40: 30, 50: 38, 60: 45} // ⌈¾·n⌉
	count := map[int]int{}
	hits := make([]int, 60)
	rng := forest.NewRand(6)
	const draws = 7000
	for range draws {
		set, n := 0, 0
		rows := b.sample(nil, &rng)
		for _, r := range rows {
			set |= 1 << d.Labels[r]
			hits[r]++
		}
		for c, rows := range []int{10, 10, 40} {
			n += rows * (set >> c & 1)
		}
		if len(rows) != sizes[n] {
			continue // a class that was kept may have had no luck, with 10 of 50 or more rows
		}
		count[set]++
	}
	chi := 0.0
	for set := 1; set < 8; set++ {
		diff := float64(count[set]) - draws/7.
		chi += diff * diff / (draws / 7.)
	}
	if chi > 32 { // exceeded with probability 2·10⁻⁵, with 6 degrees of freedom
		t.Errorf("sets of classes are drawn %v times; χ² = %v", count, chi)
	}
	if slices.Min(hits) == 0 {
		t.Error("a row is never drawn")
	}
}

// The features of a tree's functions are subsets of M, the last one smaller, and every
// feature is in one subset.
func TestBlocks(t *testing.T) {
	d := table(80, 11, 5)
	for _, size := range []int{1, 2, 3, 4, 11, 20} {
		rng := forest.NewRand(7)
		seen := map[int32]bool{}
		var lengths []int
		rotated := newBlocks(newScaled(d, nil), size).draw(&rng)
		if len(rotated) != 11 {
			t.Fatalf("M = %d: %d functions", size, len(rotated))
		}
		for k := 0; k < len(rotated); {
			members := rotated[k].Features
			for _, j := range members {
				if seen[j] {
					t.Errorf("M = %d: feature %d is in two subsets", size, j)
				}
				seen[j] = true
			}
			for range members {
				if !slices.Equal(rotated[k].Features, members) {
					t.Errorf("M = %d: functions of %v and %v", size, rotated[k].Features, members)
				}
				k++
			}
			lengths = append(lengths, len(members))
		}
		for _, n := range lengths[:len(lengths)-1] {
			if n != size {
				t.Errorf("M = %d: subsets of %v", size, lengths)
			}
		}
		if size == 1 && rotated[0].Kind != forest.Axis {
			t.Errorf("a single feature is of kind %d", rotated[0].Kind)
		}
	}
}

// Other units don't change trees, since features are divided by their range. Powers of two
// change no digit.
func TestUnitsDontMatter(t *testing.T) {
	d := table(200, 5, 9)
	other := fittest.Times(d, 20, 0, -30, 2, -1)
	for _, l := range []forest.Learner{Learner{Trees: 4}, Random{Trees: 4}} {
		f, g := fitted(l, d), fitted(l, other)
		for k := range f.Trees {
			if !slices.Equal(f.Trees[k].Nodes, g.Trees[k].Nodes) {
				t.Errorf("%T: tree %d differs", l, k)
			}
		}
	}
}

func TestSmallTables(t *testing.T) {
	for _, p := range []int{1, 2} {
		d := table(40, p, 10)
		for _, l := range []forest.Learner{Learner{Trees: 3}, Random{Trees: 3}, Learner{Trees: 3, SubsetFeatures: 1}} {
			f := fitted(l, d)
			if p == 1 && f.Trees[0].Splits.Len() != 0 {
				t.Errorf("%T: a single feature is stored as a combination", l)
			}
			fitted(l, valued(d))
		}
	}
	constant := table(30, 3, 11)
	for i := range 30 {
		constant.Columns[1][i] = 7
	}
	for _, l := range []forest.Learner{Learner{Trees: 3}, Random{Trees: 3}} {
		for _, tree := range fitted(l, constant).Trees {
			for _, fn := range tree.Splits.All() {
				if slices.Contains(fn.Features, 1) {
					t.Errorf("%T: the constant feature is in %v", l, fn)
				}
			}
		}
	}
	for i := range 30 {
		constant.Columns[0][i], constant.Columns[2][i] = 1, 2
	}
	for _, l := range []forest.Learner{Learner{Trees: 3}, Random{Trees: 3}} {
		for _, tree := range fitted(l, constant).Trees {
			if len(tree.Nodes) != 1 {
				t.Errorf("%T: %d nodes on constant features", l, len(tree.Nodes))
			}
		}
	}
}

func TestErrors(t *testing.T) {
	d := table(20, 3, 1)
	for want, l := range map[string]forest.Learner{
		"SubsetFeatures -1": Learner{SubsetFeatures: -1},
		"-1 trees":          Learner{Trees: -1},
		"NodeFeatures -1":   Random{NodeFeatures: -1},
		"sampling fraction": Random{Sampling: forest.Sampling{Fraction: 2}},
	} {
		_, err := l.Fit(t.Context(), d)
		readtest.WantError(t, err, want)
	}
}

// The defaults, and the SPORF paper's grid of d for RR-RF.
func TestDefaults(t *testing.T) {
	d := table(30, 9, 13)
	got, want := fitted(Random{Seed: 2}, d), fitted(Random{Trees: 500, NodeFeatures: 3, Seed: 2}, d)
	if b, w := mustMarshal(t, got), mustMarshal(t, want); !bytes.Equal(b, w) || got.Rule != forest.Plurality ||
		got.Method != "rrrf" {
		t.Error("the zero value of Random grows another forest")
	}
	got, want = fitted(Learner{Seed: 2}, d), fitted(Learner{Trees: 100, SubsetFeatures: 3, Seed: 2}, d)
	if b, w := mustMarshal(t, got), mustMarshal(t, want); !bytes.Equal(b, w) || got.Rule != forest.Average ||
		got.Method != "rotation" || got.Sampling != forest.AllRows {
		t.Error("the zero value of Learner grows another forest")
	}
	var ds []int
	for _, l := range (Random{Trees: 7}).Grid(&datasets.Dataset{Columns: make([][]float32, 20)}) {
		l := l.(Random)
		if l.Trees != 7 {
			t.Errorf("the grid has %+v", l)
		}
		ds = append(ds, l.NodeFeatures)
	}
	if !slices.Equal(ds, []int{2, 4, 9, 20}) { // 20^¼ = 2.1, 20^½ = 4.5, 20^¾ = 9.5
		t.Errorf("the grid has d = %v", ds)
	}
}

func mustMarshal(t *testing.T, f *forest.Forest) []byte {
	return must.Value(f.MarshalBinary())
}
