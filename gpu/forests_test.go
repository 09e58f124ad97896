package gpu

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

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
)

// blobs returns n rows of p features in k clouds, or with values if k is 0.
func blobs(n, p, k int, seed uint64) *datasets.Dataset {
	r := rand.New(rand.NewPCG(seed, 1))
	d := &datasets.Dataset{Columns: make([][]float32, p), Features: make([]datasets.Feature, p)}
	for c := range k {
		d.Classes = append(d.Classes, strconv.Itoa(c))
	}
	cloud, clouds := make([]int, n), k
	if k == 0 {
		clouds = 3
	}
	for i := range cloud {
		cloud[i] = r.IntN(clouds)
	}
	for j := range p {
		d.Columns[j] = make([]float32, n)
		for i := range n {
			d.Columns[j][i] = float32(r.NormFloat64() + float64(cloud[i]*(j%3))*0.4)
		}
	}
	for i := range n {
		if k > 0 {
			d.Labels = append(d.Labels, int32(cloud[i]))
		} else {
			d.Values = append(d.Values, float64(cloud[i])+r.NormFloat64()+float64(d.Columns[0][i]*d.Columns[p-1][i]))
		}
	}
	return d
}

// A forestCase is a forest that is predicted on the CPU and on the device.
type forestCase struct {
	name    string
	learner forest.Learner
	p, k    int // features; classes, 0 for values
	change  func(*forest.Forest)
}

// forestCases has every method in forest/..., every kind of split and leaf, and every rule.
func forestCases() []forestCase {
	small := forest.Growth{MinLeaf: 5}
	impure := rf.Learner{Trees: 6, Growth: small}
	linear := tao.Learner{Trees: 3, LinearLeaves: true, Passes: 3}
	separate := godt.Splitting{Divider: godt.SeparateFull}
	sum := func(classes int, base ...float64) func(*forest.Forest) {
		return func(f *forest.Forest) {
			f.Rule, f.Base = forest.Sum, base
			for c := range classes {
				f.Classes = append(f.Classes, strconv.Itoa(c))
			}
		}
	}
	calibrated := func(f *forest.Forest) { f.Calibration = forest.Calibration{Power: 1.7, Floor: 0.01} }
	rule := func(r forest.Rule) func(*forest.Forest) { return func(f *forest.Forest) { f.Rule = r } }
	return []forestCase{
		{"rf", rf.Learner{Trees: 7}, 12, 3, nil},
		{"rf impure", impure, 12, 3, nil},
		{"rf impure consensus", impure, 12, 3, rule(forest.Consensus)},
		{"rf plurality", impure, 12, 3, rule(forest.Plurality)},
		{"rf calibrated", impure, 12, 3, calibrated},
		{"rf sum calibrated", impure, 9, 0,
			func(f *forest.Forest) { sum(2, -1.5)(f); calibrated(f) }},
		{"rf values", impure, 9, 0, nil},
		{"rf values with a base", impure, 9, 0,
			func(f *forest.Forest) { f.Base = []float64{1e9} }},
		{"rf sum of values", impure, 9, 0, sum(0, 0.3)},
		{"rf sum of two classes", impure, 9, 0, sum(2, -1.5)},
		{"rf sum of four classes", rf.Learner{Trees: 9, Growth: small}, 9, 0, sum(4, 0.1, 0.2, -0.3, 0)},
		{"cart", rf.CART{}, 5, 2, nil},
		{"bagging", rf.Bagging{Trees: 4}, 7, 26, nil},
		{"extra trees", rf.ExtraTrees{Trees: 5}, 97, 4, nil},
		{"hrf", rf.HRF{Trees: 5}, 8, 3, nil},
		{"sporf", sporf.Learner{Trees: 7}, 12, 3, nil},
		{"sporf wide", sporf.Learner{Trees: 3}, 130, 3, nil},
		{"sporf dense", sporf.Learner{Trees: 4, Candidates: 5, Density: 0.9}, 12, 3, nil},
		{"sporf values", sporf.Learner{Trees: 5, Growth: small}, 12, 0, nil},
		{"f-rc", sporf.FRC{Trees: 5, Combined: 5, Growth: small}, 20, 3, nil},
		{"ridge", oblique.Learner{Trees: 4, Growth: small}, 14, 3, nil},
		{"lda", oblique.Learner{Trees: 4, LDA: true, Growth: small}, 14, 3, nil},
		{"boost", boost.Learner{Rounds: 4}, 14, 2, nil},
		{"boost four classes", boost.Learner{Rounds: 3}, 14, 4, nil},
		{"boost seven classes", boost.Learner{Rounds: 3}, 14, 7, nil},
		{"boost values", boost.Learner{Rounds: 5}, 12, 0, nil},
		{"boost counts", boost.Learner{Rounds: 5}, 12, 0, func(f *forest.Forest) { f.LogLink = true }},
		{"ccf", ccf.Learner{Trees: 4}, 14, 4, nil},
		{"rotation", rotation.Learner{Trees: 3}, 11, 3, nil},
		{"random rotation", rotation.Random{Trees: 4}, 11, 3, nil},
		{"oc1", oc1.Learner{Trees: 2, Search: oc1.Search{Restarts: 2}}, 9, 3, nil},
		{"oc1 tree", oc1.Tree{Search: oc1.Search{Restarts: 2}}, 9, 3, nil},
		{"tao", tao.Learner{Trees: 3, Passes: 3}, 12, 3, nil},
		{"tao linear", linear, 12, 4, nil},
		{"tao linear plurality", linear, 12, 4, rule(forest.Plurality)},
		{"tao linear consensus", linear, 12, 4, rule(forest.Consensus)},
		{"tao values", tao.Learner{Trees: 3, Passes: 3}, 12, 0, nil},
		{"tao linear values", linear, 12, 0, nil},
		{"tao linear sum", linear, 12, 0, sum(3, 1, 2, 3)},
		{"godt", godt.Tree{Splitting: godt.Splitting{Purity: 0.9}}, 10, 3, nil},
		{"gorf", godt.Learner{Trees: 4}, 10, 3, nil},
		{"gorf values", godt.Learner{Trees: 4}, 10, 0, nil},
		{"gqdt", godt.Tree{Splitting: separate}, 12, 3, nil},
		{"gqdt diagonal", godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateDiagonal}}, 12, 3, nil},
		{"gqrf", godt.Learner{Trees: 3, TreeFeatures: 90, Splitting: separate}, 90, 3, nil},
		{"mix", mix.Learner{Trees: 60}, 20, 3, nil},
		{"auto", auto.Learner{Trees: 10}, 12, 3, nil},
		{"quadratic", impure, 9, 3, makeQuadratic},
		{"graf", graf.Learner{Trees: 5, TreeFeatures: 9, MinSplit: 20}, 12, 3, nil},
		{"graf wide", graf.Learner{Trees: 2, TreeFeatures: graf.All, Candidates: 9, MinSplit: 20}, 130, 3, nil},
		{"graf memory", graf.Learner{Trees: 3, Memory: forest.Memory{Alpha: 0.9, Beta: 3}, MinSplit: 9}, 12, 5, nil},
		{"graf average", graf.Learner{Trees: 5, TreeFeatures: 5, MinSplit: 20}, 12, 3, rule(forest.Average)},
		{"pipeline", forest.Pipeline(graf.Learner{Trees: 3, MinSplit: 9}, datasets.Standardise{}), 12, 3, nil},
	}
}

// makeQuadratic replaces all splits by quadratic functions of one to five features, which no
// method makes today.
func makeQuadratic(f *forest.Forest) {
	r := rand.New(rand.NewPCG(7, 8))
	numbers := func(n int) (all []float32) {
		for range n {
			all = append(all, float32(r.NormFloat64()))
		}
		return all
	}
	for i := range f.Trees {
		t := &f.Trees[i]
		for k := range t.Nodes {
			if t.Nodes[k].IsLeaf() {
				continue
			}
			m := 1 + r.IntN(5)
			var features []int32
			for _, j := range r.Perm(f.P())[:m] {
				features = append(features, int32(j))
			}
			slices.Sort(features)
			t.Nodes[k].Split = t.Splits.Add(forest.Function{Kind: forest.Quadratic, Features: features,
				Weights: numbers(m), Q: numbers(m * (m + 1) / 2), Bias: numbers(1)[0]})
		}
	}
}

const trainRows, testRows = 500, 600

// fit grows the forest of a case, with thresholds on the values of the rows of test.
func (c forestCase) fit(t *testing.T, test *datasets.Dataset) *forest.Forest {
	t.Helper()
	f := must.Value(c.learner.Fit(context.Background(), blobs(trainRows, c.p, c.k, 1)))
	if c.change != nil {
		c.change(f)
	}
	x := test
	if f.Steps != nil {
		x = must.Value(f.Steps.Apply(t.Context(), test))
	}
	onRows(f, x)
	return f
}

// onRows moves the threshold of every split that rows of d reach to the value of one of
// them, so that any other rounding sends this row elsewhere. Nodes that share a function
// keep one threshold if they had one.
func onRows(f *forest.Forest, d *datasets.Dataset) {
	r := rand.New(rand.NewPCG(3, 4))
	all := make([]int32, d.N())
	for i := range all {
		all[i] = int32(i)
	}
	for i := range f.Trees {
		t := &f.Trees[i]
		shared := always.of(t)
		moved := map[int32]float32{}
		at := make([][]int32, len(t.Nodes))
		at[0] = slices.Clone(all)
		for k := range t.Nodes {
			n := &t.Nodes[k]
			if n.IsLeaf() {
				continue
			}
			fn := t.Splits.At(n.Split)
			threshold, known := moved[n.Split]
			if rows := at[k]; len(rows) > 0 && !(shared && known) {
				threshold = fn.Value(d.Row(nil, int(rows[r.IntN(len(rows))])))
				known = finite(threshold)
			}
			if known {
				moved[n.Split], n.Value = threshold, threshold
			}
			for _, row := range at[k] {
				if fn.Value(d.Row(nil, int(row))) <= n.Value {
					at[k+1] = append(at[k+1], row)
				} else {
					at[n.Next] = append(at[n.Next], row)
				}
			}
		}
		for k := range t.Nodes { // nodes that no rows reach, before one of the same function that some do
			n := &t.Nodes[k]
			if threshold, known := moved[n.Split]; shared && known && !n.IsLeaf() {
				n.Value = threshold
			}
		}
	}
}

func finite(v float32) bool { return v-v == 0 }
