package mix

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A probe is a source of no candidates that calls visit for the root.
type probe struct{ visit func(*grow.Node) }

func (p probe) Draw(node *grow.Node, attempt int) bool { p.visit(node); return false }
func (p probe) Next() *grow.Candidate                  { return nil }

// atRoot calls visit for the root of a tree on all rows of d.
func atRoot(t testing.TB, d *datasets.Dataset, visit func(*grow.Node)) {
	t.Helper()
	params := grow.Params{Method: "probe", Trees: 1, Sampling: forest.AllRows, Fallback: grow.NoRedraw}
	must.Value(grow.Forest(context.Background(), d, params, func() grow.Source { return probe{visit} }))
}

// table returns n rows of p correlated features of different scales and means, of two classes and with weights.
func table(n, p int) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(7, 8))
	d := &datasets.Dataset{Columns: make([][]float32, p), Features: make([]datasets.Feature, p),
		Classes: []string{"a", "b"}}
	for i := range n {
		common := rng.NormFloat64()
		for j := range p {
			d.Columns[j] = append(d.Columns[j], float32(math.Exp2(float64(j))*(common+rng.NormFloat64()+float64(j*(i%2))/2)))
		}
		d.Labels = append(d.Labels, int32(i%2))
		d.Weights = append(d.Weights, float32(1+i%3))
	}
	return d
}

// With the scatter matrix S of the features and their scatter c with the target, the
// coefficients solve (S + λ diag S)w = c, up to their length; gonum solves it. Those that
// are less than a tenth of the largest, times the features' deviations, are left out.
func TestDirection(t *testing.T) {
	const p = 5
	d := table(200, p)
	features := []int32{0, 1, 3, 4}
	for _, penalty := range []float64{0.001, 0.3, 5} { // one of the three leaves a feature out
		scatter, c := mat.NewSymDense(4, nil), mat.NewVecDense(4, nil)
		total, y := 0.0, 0.0
		mean := make([]float64, p)
		for i, w := range d.Weights {
			total += float64(w)
			y += float64(w) * float64(2*d.Labels[i]-1)
			for j := range p {
				mean[j] += float64(w) * float64(d.Columns[j][i])
			}
		}
		at := func(k, i int) float64 { return float64(d.Columns[features[k]][i]) - mean[features[k]]/total }
		for i, w := range d.Weights {
			for a := range 4 {
				c.SetVec(a, c.AtVec(a)+float64(w)*at(a, i)*(float64(2*d.Labels[i]-1)-y/total))
				for b := range a + 1 {
					scatter.SetSym(a, b, scatter.At(a, b)+float64(w)*at(a, i)*at(b, i))
				}
			}
		}
		var deviations [4]float64
		for a := range 4 {
			deviations[a] = math.Sqrt(scatter.At(a, a))
			scatter.SetSym(a, a, scatter.At(a, a)*(1+penalty))
		}
		var solution mat.VecDense
		must.Do(solution.SolveVec(scatter, c))
		most, length := 0.0, 0.0
		for a := range 4 {
			most = max(most, math.Abs(solution.AtVec(a))*deviations[a])
		}
		var kept []int32
		var want []float64
		for a, j := range features {
			if w := solution.AtVec(a); math.Abs(w)*deviations[a] >= most/10 {
				kept, want = append(kept, j), append(want, w)
				length += w * w
			}
		}
		if all := len(kept) == 4; all != (penalty != 0.3) {
			t.Fatalf("penalty %v: the oracle keeps %v", penalty, kept)
		}
		atRoot(t, d, func(node *grow.Node) {
			var f fit
			f.begin(node)
			f.setTarget(func(row int) float64 { return float64(2*node.Label(row) - 1) })
			got, w := directionOf(&f, slices.Clone(features), penalty)
			if !slices.Equal(got, kept) {
				t.Fatalf("features %v, want %v", got, kept)
			}
			for k := range w {
				if want := want[k] / math.Sqrt(length); math.Abs(float64(w[k])-want) > 1e-6 {
					t.Errorf("penalty %v: coefficient %d is %v, want %v", penalty, k, w[k], want)
				}
			}
		})
	}
}

// directionOf returns the direction of a fit of the features.
func directionOf(f *fit, features []int32, penalty float64) ([]int32, []float32) {
	c := grow.Combination{Features: features}
	if !f.direction(&c, penalty) {
		return nil, nil
	}
	fn := c.Function()
	return fn.Features, fn.Weights
}

// Features that don't vary are left out, and one that is left alone has coefficient 1.
func TestDirectionOfConstantFeatures(t *testing.T) {
	d := table(50, 4)
	for i := range d.N() {
		d.Columns[1][i], d.Columns[2][i] = 0.1, 1e30
	}
	atRoot(t, d, func(node *grow.Node) {
		var f fit
		f.begin(node)
		f.setTarget(func(row int) float64 { return float64(node.Label(row)) })
		if got, w := directionOf(&f, []int32{0, 1, 2, 3}, 0.1); !slices.Equal(got, []int32{0, 3}) || len(w) != 2 {
			t.Errorf("features %v, coefficients %v", got, w)
		}
		if got, w := directionOf(&f, []int32{1, 2, 3}, 0.1); !slices.Equal(got, []int32{3}) ||
			!slices.Equal(w, []float32{1}) {
			t.Errorf("features %v, coefficients %v", got, w)
		}
		if got, w := directionOf(&f, []int32{1, 2}, 0.1); len(got)+len(w) > 0 {
			t.Errorf("features %v, coefficients %v", got, w)
		}
	})
}

// What a fit keeps for the node's other fits doesn't change them, also where features are too many to be kept.
func TestFitsOfANode(t *testing.T) {
	for _, p := range []int{8, 100} {
		atRoot(t, table(300, p), func(node *grow.Node) {
			rng := forest.NewRand(1)
			var kept fit
			kept.begin(node)
			for k := range 40 {
				features := grow.Subset(nil, p, 1+rng.Intn(min(p, many)), &rng)
				target := func(row int) float64 { return float64((row + k) % 5) }
				fresh := fit{}
				fresh.begin(node)
				fresh.setTarget(target)
				kept.setTarget(target)
				want, wantWeights := directionOf(&fresh, slices.Clone(features), 0.01)
				got, weights := directionOf(&kept, slices.Clone(features), 0.01)
				if !slices.Equal(got, want) || !slices.Equal(weights, wantWeights) {
					t.Fatalf("fit %d of features %v: %v, %v, want %v, %v", k, features, got, weights, want, wantWeights)
				}
			}
			if n := len(kept.known); n < min(p, 30) || n > maxKnown {
				t.Errorf("%d features are kept", n)
			}
		})
	}
}

// BenchmarkDirection fits 40 directions of 3 features and 4 of 21 to the rows of a node.
func BenchmarkDirection(b *testing.B) {
	const p = 21
	for _, n := range []int{30, 500} {
		atRoot(b, table(n, p), func(node *grow.Node) {
			b.Run(strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				var f fit
				var c grow.Combination
				for b.Loop() {
					f.begin(node)
					for k := range 44 {
						f.setTarget(func(row int) float64 { return float64(node.Label(row)) })
						c.Features = grow.Subset(c.Features, p, []int{3, p}[k/40], node.Rand())
						f.direction(&c, 0.01)
					}
				}
			})
		})
	}
}

// The fit of a large node takes rows from everywhere, each once.
func TestFitTakesEvenlySpacedRows(t *testing.T) {
	d := table(1700, 2)
	atRoot(t, d, func(node *grow.Node) {
		var f fit
		f.begin(node)
		if len(f.rows) != fitRows || f.rows[0] < 0 || f.rows[0] > 3 || f.rows[fitRows-1] >= 1700 || f.rows[fitRows-1] < 1696 {
			t.Errorf("%d rows, %d … %d", len(f.rows), f.rows[0], f.rows[len(f.rows)-1])
		}
		for i := 1; i < len(f.rows); i++ {
			if step := f.rows[i] - f.rows[i-1]; step != 3 && step != 4 { // 1700/512 = 3.3
				t.Fatalf("a step of %d rows", step)
			}
		}
	})
}

// A bootstrap sample of n rows has about (1 − 1/e)·n different rows. Its fits may have a feature for
// every two rows.
func TestBootstrapOfFits(t *testing.T) {
	d := table(400, 8)
	atRoot(t, d, func(node *grow.Node) {
		f := fit{bootstrap: true}
		f.begin(node)
		rows := map[int32]bool{}
		for _, r := range f.rows {
			rows[r] = true
		}
		if n := len(rows); len(f.rows) != 400 || n < 230 || n > 276 { // 253 ± 5 standard deviations
			t.Errorf("%d rows, %d of them different", len(f.rows), n)
		}
		for bootstrap, want := range map[bool]float64{false: 8, true: 4} {
			b := newBlend(8, 2, [Sources]float64{1, 0, 0, 0}, bootstrap)
			b.Draw(node, 0)
			if b.expected[Single] != want {
				t.Errorf("%v: %v candidates, want %v", bootstrap, b.expected[Single], want)
			}
		}
	})
	for bootstrap, want := range map[bool]int{false: 2, true: 6} {
		atRoot(t, table(12, 8), func(node *grow.Node) {
			b := newBlend(8, 2, [Sources]float64{}, bootstrap)
			b.node, b.rng = node, node.Rand()
			most := 0
			for range 200 {
				b.fitted(many)
				most = max(most, len(b.fit.v))
			}
			if most != want {
				t.Errorf("%v: fits of %d features, want %d of a node with 12 rows", bootstrap, most, want)
			}
		})
	}
}

// Over many draws of a node the sources spend their shares of the budget. Sources' candidates
// are told apart by what they are.
func TestBlendSpendsShares(t *testing.T) {
	d := table(300, 8)
	shares := [Sources]float64{0.1, 0.4, 0.2, 0.3}
	atRoot(t, d, func(node *grow.Node) {
		b := newBlend(8, 2, shares, false)
		var spent [Sources]float64
		const draws = 4000
		for range draws {
			if !b.Draw(node, 0) {
				t.Fatal("no draw")
			}
			for c := b.Next(); c != nil; c = b.Next() {
				if len(c.Weights) != len(c.Features) || !slices.IsSorted(c.Features) || c.Features[0] < 0 ||
					c.Features[len(c.Features)-1] > 7 {
					t.Fatalf("candidate %+v", c)
				}
				s := Many
				switch signs := !slices.ContainsFunc(c.Weights, func(w float32) bool { return w != 1 && w != -1 }); {
				case len(c.Features) == 1:
					s = Single
				case signs:
					s = Signs
				case len(c.Features) <= 4:
					s = Few
				}
				spent[s] += costs(8)[s] / draws / 8
			}
		}
		total := 0.0
		for _, v := range spent {
			total += v
		}
		if math.Abs(total-1) > 0.03 {
			t.Errorf("%.3f of the budget is spent", total)
		}
		for s, want := range shares {
			if math.Abs(spent[s]-want) > 0.03 {
				t.Errorf("%v: %.3f of the budget, want %.3f", Source(s), spent[s], want)
			}
		}
	})
}

// Sums of features take k of them with probability 2^(1−k), and either sign alike.
func TestSigns(t *testing.T) {
	rng := forest.NewRand(1)
	b := &blend{p: 6, rng: &rng, node: new(grow.Node)}
	var sizes [7]float64
	minus, coefficients := 0.0, 0.0
	const draws = 20000
	for range draws {
		b.signs()
		sizes[len(b.Features)] += 1.0 / draws
		for _, w := range b.Weights {
			coefficients++
			minus += float64(1-w) / 2
		}
	}
	for k, want := range []float64{0, 0, 1. / 2, 1. / 4, 1. / 8, 1. / 16, 1. / 16} {
		if math.Abs(sizes[k]-want) > 0.015 {
			t.Errorf("%d features: %.3f of the combinations, want %.3f", k, sizes[k], want)
		}
	}
	if math.Abs(minus/coefficients-0.5) > 0.015 {
		t.Errorf("%.3f of the signs are minus", minus/coefficients)
	}
}

// One row has a weight, so every tree is grown on it and has no row to be scored on.
func TestRowsOfATreesSampleDontScoreIt(t *testing.T) {
	d := table(20, 2)
	clear(d.Weights)
	d.Weights[4] = 1
	leaf := forest.Tree{Classes: 2, Nodes: []forest.Node{forest.ClassLeaf(0, 1)}}
	f := &forest.Forest{Rows: 20, Classes: d.Classes, Trees: []forest.Tree{leaf}}
	for seed := range uint64(20) {
		f.Seed = seed
		leaves := make([][]int32, 20)
		for i := range leaves {
			leaves[i] = []int32{0}
		}
		if got := score(f, 0, leaves, d); !math.IsNaN(got) {
			t.Errorf("seed %d: score %v", seed, got)
		}
	}
}

// Two sources whose pilots score 0.5 and 0.7, and 0.8 and 1.0: the means differ by 0.3; the pooled
// variance is (4·0.1²)/2 = 0.02, so a mean of two has the standard error √(0.02/2) = 0.1.
// The odds are e⁻³ : 1, and nine tenths are shared out by them.
func TestSharesByHand(t *testing.T) {
	got := sharesOf([]float64{0.5, 0.8, 0.7, 1.0}, []Source{Single, Few})
	worse := 0.05 + 0.9*math.Exp(-3)/(1+math.Exp(-3))
	if math.Abs(got[Single]-worse) > 1e-12 || math.Abs(got[Few]-(1-worse)) > 1e-12 || got[Signs] != 0 || got[Many] != 0 {
		t.Errorf("shares %v, want %.4f of Single and the rest of Few", got, worse)
	}
}

func TestSharesOfUnusualScores(t *testing.T) {
	nan := math.NaN()
	all := []Source{Single, Signs, Few, Many}
	equal := [Sources]float64{0.25, 0.25, 0.25, 0.25}
	for name, c := range map[string]struct {
		scores []float64
		want   [Sources]float64
	}{
		"equal scores":         {[]float64{1, 1, 1, 1, 1, 1, 1, 1}, equal},
		"a source without one": {[]float64{nan, 1, 0.5, 0.2, nan, 1, 0.4, 0.3}, equal},
		"one each":             {[]float64{0.1, 0.2, 0.3, 0.4, nan, nan, nan, nan}, equal},
		"no variance":          {[]float64{0.5, 0.5, 0.5, 0.6, 0.5, 0.5, 0.5, 0.6}, [Sources]float64{0.05, 0.05, 0.05, 0.85}},
	} {
		got := sharesOf(c.scores, all)
		for s := range got {
			if !(math.Abs(got[s]-c.want[s]) < 1e-12) {
				t.Errorf("%s: shares %v, want %v", name, got, c.want)
				break
			}
		}
	}
	if got := sharesOf([]float64{0.3, nan}, []Source{Single}); got != [Sources]float64{1} {
		t.Errorf("one source: shares %v", got)
	}
}

// Shares sum to one, no source that is open has less than the minimum, a better mean gives no
// smaller share, and neither the unit nor the zero of scores matters.
func TestSharesAreShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		open := open(rapid.IntRange(2, 9).Draw(t, "p"))
		scores := rapid.SliceOfN(rapid.Float64Range(-1, 1), Pilots, Pilots).Draw(t, "scores")
		shares := sharesOf(scores, open)
		sum, means := 0.0, make([]float64, len(open))
		var n [Sources]float64
		for k, v := range scores {
			means[k%len(open)] += v
			n[k%len(open)]++
		}
		for s, share := range shares {
			sum += share
			if isOpen := slices.Contains(open, Source(s)); isOpen && share < minShare || !isOpen && share != 0 {
				t.Fatalf("shares %v", shares)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("shares %v sum to %v", shares, sum)
		}
		for a := range open {
			for b := range open {
				if means[a]/n[a] > means[b]/n[b] && shares[open[a]] < shares[open[b]] {
					t.Fatalf("means %v of %v trees, shares %v", means, n, shares)
				}
			}
		}
		for i := range scores {
			scores[i] = 8*scores[i] - 3
		}
		for s, share := range sharesOf(scores, open) {
			if math.Abs(share-shares[s]) > 1e-6 {
				t.Fatalf("shares %v, of other units %v", shares, share)
			}
		}
	})
}

// Lead shares sum to one, and the source that leads has most.
func TestLeadShares(t *testing.T) {
	for _, p := range []int{1, 3, 20} {
		open := open(p)
		for _, lead := range open {
			shares, sum := leadShares(lead, open), 0.0
			for s, v := range shares {
				sum += v
				if v > 0 != slices.Contains(open, Source(s)) || Source(s) != lead && v >= shares[lead] {
					t.Errorf("p = %d, %v leads: shares %v", p, lead, shares)
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("p = %d: shares sum to %v", p, sum)
			}
		}
	}
}
