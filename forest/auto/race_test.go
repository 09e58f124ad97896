package auto

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
)

var nan = math.NaN()

// By hand: differences 1, 0, 0, 1 have mean 1/2 and variance 1/3, so the standard error is √(1/12).
func TestDifference(t *testing.T) {
	a, b := []float64{1, 1, nan, 0, 1, nan}, []float64{0, 1, 1, 0, 0, nan}
	for _, rows := range [][]int{nil, {0, 0, 1, 1, 2}} {
		if mean, err := difference(a, b, rows); mean != 0.5 || math.Abs(err-math.Sqrt(1./12)) > 1e-15 {
			t.Errorf("rows %v: %v ± %v", rows, mean, err)
		}
	}
	if z := worse(a, b, nil); math.Abs(z-math.Sqrt(3)) > 1e-15 {
		t.Errorf("%v standard errors", z)
	}
	for _, rows := range [][]int{{}, {0}, {1, 3}, {2, 5}} {
		if z := worse(a, b, rows); z != 0 {
			t.Errorf("rows %v: %v standard errors", rows, z)
		}
	}
	if z := worse(b, a, []int{0, 4, 4}); !math.IsInf(z, -1) {
		t.Errorf("%v standard errors where all rows differ by the same", z)
	}
}

// Of 100 rows the random forest is right where the mixes are wrong, in some of them. With k such rows
// the mean of the difference is k/100 and its standard error √(k/100·(1−k/100)/99), so z > 2.33 from k = 6 on.
func TestChoose(t *testing.T) {
	losses := func(trees, fits, axis int) [][]float64 {
		var l [3][]float64
		for m, wrong := range []int{trees, fits, axis} {
			l[m] = make([]float64, 100)
			for i := range wrong {
				l[m][i] = 1
			}
		}
		return l[:]
	}
	for _, c := range []struct{ trees, fits, axis, want int }{
		{5, 5, 5, 0}, {5, 4, 5, 1}, {4, 5, 5, 0}, {15, 14, 9, 1}, {15, 14, 8, 2}, {6, 7, 0, 2}, {5, 7, 0, 0}, {5, 7, 90, 0},
	} {
		if got := choose(losses(c.trees, c.fits, c.axis), nil); got != c.want {
			t.Errorf("%d, %d and %d wrong: chose %d, want %d", c.trees, c.fits, c.axis, got, c.want)
		}
	}
	unknown := []float64{nan, nan, nan}
	for _, scores := range [][][]float64{{{1, 1, 1}, unknown, {1, 1, 1}}, {{1, 2, 3}, {1, 2, 3}, unknown}, {unknown, unknown, unknown}} {
		if got := choose(scores, nil); got != 0 {
			t.Errorf("%v: chose %d, want the first", scores, got)
		}
	}
}

// The winner has the lowest score of all mixes, which isn't always the lowest out-of-bag error.
func TestScoresDecideTheRace(t *testing.T) {
	others := 0
	for seed := range uint64(6) {
		r, err := Learner{Trees: 30, Seed: seed}.race(t.Context(), table(80, false, 0.5))
		if err != nil {
			t.Fatal(err)
		}
		if r.winner == r.axis {
			continue
		}
		for _, c := range r.mixes {
			if mean, _ := difference(r.winner.score, c.score, nil); mean > 0 {
				t.Errorf("seed %d: the %s wins, but its score is %v above that of the %s", seed, r.winner.name, mean, c.name)
			}
			if mean, _ := difference(r.winner.loss, c.loss, nil); mean > 0 {
				others++
			}
		}
	}
	if others == 0 {
		t.Error("the winner always has the lowest error; the test shows nothing")
	}
}

// Values without noise are the better known the smaller a leaf is, so the mix with larger leaves soon stops.
func TestWorseMixesStop(t *testing.T) {
	r, err := Learner{Trees: 60, Seed: 1}.race(t.Context(), table(200, true, 0))
	if err != nil {
		t.Fatal(err)
	}
	if trees := len(r.mixes[1].model.Trees); trees != 25 && trees != 50 {
		t.Errorf("the mix with larger leaves has %d trees", trees)
	}
	if trees := len(r.winner.model.Trees); trees != 60 {
		t.Errorf("the winner has %d trees", trees)
	}
}

// table returns rows of two classes or of values that depend on a sum of two of the features, with noise.
func table(n int, values bool, noise float64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(3, 4))
	d := &datasets.Dataset{Columns: make([][]float32, 5), Features: make([]datasets.Feature, 5)}
	for j := range d.Features {
		d.Features[j].Name = string(rune('a' + j))
	}
	for range n {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32(rng.NormFloat64()))
		}
		i := len(d.Columns[0]) - 1
		y := float64(d.Columns[0][i]) + float64(d.Columns[1][i]) + noise*rng.NormFloat64()
		if values {
			d.Values = append(d.Values, y)
			continue
		}
		label := int32(0)
		if y > 0 {
			label = 1
		}
		d.Labels, d.Classes = append(d.Labels, label), []string{"low", "high"}
	}
	return d
}

// If T trees are enough, the error of 20 trees is above that of infinitely many by leftOver·T/20 of it. New rows show it:
// forests of 20 trees are compared with one of 400.
func TestEnoughTrees(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		values    bool
		bootstrap mix.Bootstrap
	}{{false, mix.OfTrees}, {true, mix.OfTrees}, {true, mix.OfFits}} {
		if testing.Short() && c.bootstrap != mix.OfFits {
			continue
		}
		d := table(4500, c.values, 0.5)
		test := d.Subset(from(1500, 4500))
		d = d.Subset(from(0, 1500))
		f, err := mix.Learner{Trees: 500, Bootstrap: c.bootstrap, Seed: 1}.Fit(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		grown := f.Trees
		all := grown[100:] // without the trees of unusual shares at the beginning
		few := 0.0
		for k := 0; k < len(all); k += 20 {
			f.Trees = all[k : k+20]
			few += score(f, test) / float64(len(all)/20)
		}
		f.Trees = all
		many := score(f, test)
		v := (few - many) / (1./20 - 1./400)
		want := v / (leftOver * (many - v/400))
		f.Trees = grown // a tree's number tells which rows it was grown of
		r := newResiduals(d, len(f.Classes))
		for _, n := range []int{30, 500} { // added in two steps
			f.Trees = grown[:n]
			if err := r.add(ctx, f, d); err != nil {
				t.Fatal(err)
			}
		}
		got, settled := r.enough()
		if limited := min(max(want, fewest), most); math.Abs(float64(got)-limited) > 0.15*limited || settled != (got < most) {
			t.Errorf("%+v: %d trees, settled %v; want about %.0f", c, got, settled, want)
		}
	}
}

// P and V by brute force over pairs of different out-of-bag trees: with residuals a and b, P is the mean of ab, and V that of
// |a − b|²/2, the variance.
func TestResidualsAreThoseOfPairs(t *testing.T) {
	for k := range 4 {
		values, weighted := k&1 > 0, k&2 > 0
		d := table(60, values, 0.5)
		if weighted { // many samples have no row of positive weight, and their trees are grown on both such rows
			d.Weights = make([]float32, d.N())
			d.Weights[0], d.Weights[1], d.Weights[2] = 1, 2, 1
		}
		f, err := mix.Learner{Trees: 12, MinLeaf: 3, Seed: 2}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		r := newResiduals(d, len(f.Classes))
		if err := r.add(t.Context(), f, d); err != nil {
			t.Fatal(err)
		}
		scores := r.scores(d.N())
		for i := range d.N() {
			var out [][]float64
			for k := range f.Trees {
				counts := f.Sampling.Counts(nil, d.N(), f.Seed, k)
				if weighted {
					missed := counts[0]+counts[1]+counts[2] == 0
					if i < 3 && (missed || counts[i] > 0) {
						continue
					}
				} else if counts[i] > 0 {
					continue
				}
				tree := *f
				tree.Trees = f.Trees[k : k+1]
				row := d.Subset([]int32{int32(i)})
				if values {
					out = append(out, []float64{tree.PredictValues(row)[0] - d.Values[i]})
					continue
				}
				p := tree.Proba(row)[0]
				p[d.Labels[i]]--
				out = append(out, p)
			}
			var p, v, pairs float64
			for j, a := range out {
				for _, b := range out[:j] {
					pairs++
					for c := range a {
						p += a[c] * b[c]
						v += (a[c] - b[c]) * (a[c] - b[c]) / 2
					}
				}
			}
			_, gotV := r.of(i)
			if pairs == 0 {
				if scores[i] == scores[i] {
					t.Errorf("row %d of %d out-of-bag trees has a score", i, len(out))
				}
				continue
			}
			if math.Abs(scores[i]-p/pairs) > 1e-6 || math.Abs(gotV-v/pairs) > 1e-6 {
				t.Errorf("row %d: P %v and V %v, want %v and %v", i, scores[i], gotV, p/pairs, v/pairs)
			}
		}
	}
}

func from(first, end int32) (rows []int32) {
	for i := first; i < end; i++ {
		rows = append(rows, i)
	}
	return rows
}

// score returns the mean Brier score or squared error.
func score(f *forest.Forest, d *datasets.Dataset) (mean float64) {
	if f.Regression() {
		return eval.MSE(f.PredictValues(d), d.Values)
	}
	for i, p := range f.Proba(d) {
		for c, p := range p {
			if int32(c) == d.Labels[i] {
				p = 1 - p
			}
			mean += p * p / float64(d.N())
		}
	}
	return mean
}

// Residuals take half a gigabyte at most, however many classes there are.
func TestResidualsOfManyClasses(t *testing.T) {
	d := table(300, false, 0.5)
	for classes, want := range map[int]int{2: 300, 1 << 18: 256, 1 << 26: 1} {
		if got := len(newResiduals(d, classes).rows); got != want {
			t.Errorf("%d classes: residuals of %d rows; want %d", classes, got, want)
		}
	}
}
