package auto

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/internal/must"
)

var nan = math.NaN()

// Of 100 rows the random forest is right where the mixes are wrong, in some of them. With k such rows
// the mean of the difference is k/100 and its standard error √(k/100·(1−k/100)/99), so z > 2.33 from k = 6 on.
func TestChoose(t *testing.T) {
	best := func(scores ...[]float64) int {
		var r race
		for _, s := range scores {
			r.contestants = append(r.contestants, &contestant{score: s})
		}
		return r.best(nil)
	}
	for _, c := range []struct{ trees, fits, axis, want int }{
		{5, 5, 5, 0}, {5, 4, 5, 1}, {4, 5, 5, 0}, {15, 14, 9, 1}, {15, 14, 8, 2}, {6, 7, 0, 2}, {5, 7, 0, 0}, {5, 7, 90, 0},
	} {
		if got := best(ones(c.trees), ones(c.fits), ones(c.axis)); got != c.want {
			t.Errorf("%d, %d and %d wrong: chose %d, want %d", c.trees, c.fits, c.axis, got, c.want)
		}
	}
	unknown := []float64{nan, nan, nan}
	for _, scores := range [][][]float64{
		{{1, 1, 1}, unknown, {1, 1, 1}}, {{1, 2, 3}, {1, 2, 3}, unknown}, {unknown, unknown, unknown},
	} {
		if got := best(scores...); got != 0 {
			t.Errorf("%v: chose %d, want the first", scores, got)
		}
	}
}

// A made-up race is between contestants whose scores and losses are given.
func madeUp(t *testing.T, trees int, scores, losses map[string][]float64) (r *race, measured []string) {
	t.Helper()
	r = &race{table: new(datasets.Dataset)}
	for _, name := range []string{"a", "b", "c", "axis"} {
		r.contestants = append(r.contestants, &contestant{name: name, loss: losses[name]})
	}
	if scores["boosted"] != nil {
		r.boosted = &contestant{name: "boosted"}
	}
	err := r.run(t.Context(), trees, func(_ context.Context, c *contestant, trees int) error {
		measured = append(measured, fmt.Sprint(c.name, trees))
		c.score, c.model = scores[c.name], &forest.Forest{Trees: make([]forest.Tree, trees)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, measured
}

// Scores of 100 rows, k of which are 1: the standard error of a difference of k/100 is √(k/100·(1−k/100)/99).
// So a mix is behind by 1.645 of them from k = 3 on, and the random forest is better by 2.33 from k = 6 on.
func ones(k int) []float64 {
	x := make([]float64, 100)
	for i := range k {
		x[i] = 1
	}
	return x
}

func TestMixesThatAreBehindStop(t *testing.T) {
	scores := map[string][]float64{"a": ones(2), "b": ones(3), "c": ones(0), "axis": ones(50)}
	for trees, want := range map[int]string{
		500: "[axis100 a25 b25 c25 a50 c50 c100]", // b stops, and then a
		60:  "[axis60 a25 b25 c25 a50 c50 c60]",
		20:  "[axis20 a20 b20 c20]",
	} {
		if _, measured := madeUp(t, trees, scores, nil); fmt.Sprint(measured) != want {
			t.Errorf("%d trees: measured %v, want %v", trees, measured, want)
		}
	}
	scores["a"] = ones(90) // c, alone, grows to the end
	if _, measured := madeUp(t, 500, scores, nil); fmt.Sprint(measured) != "[axis100 a25 b25 c25 c100]" {
		t.Errorf("measured %v", measured)
	}
	for wrong, want := range map[int]string{ // boosting, right in all rows, is better by 2.33 standard errors from 6 on
		5: "[axis100 boosted0 a25 b25 c25 a50 b50 a100]",
		6: "[axis100 boosted0 a25 b25 c25 a100]",
	} {
		scores["boosted"], scores["a"], scores["b"], scores["c"] = ones(0), ones(wrong), ones(wrong), ones(60)
		if _, measured := madeUp(t, 500, scores, nil); fmt.Sprint(measured) != want {
			t.Errorf("%d rows wrong: measured %v, want %v", wrong, measured, want)
		}
	}
}

// The winner has the lowest score, even if another's out-of-bag error is lower. The error is the winner's.
func TestScoresDecideTheRace(t *testing.T) {
	for _, c := range []struct {
		mix, axis int // scores of b and of the random forest
		want      string
		apparent  float64
	}{{5, 0, "b", 0.3}, {6, 0, "axis", 0.02}, {6, 1, "b", 0.3}} {
		scores := map[string][]float64{"a": ones(7), "b": ones(c.mix), "c": ones(60), "axis": ones(c.axis)}
		losses := map[string][]float64{"a": ones(10), "b": ones(30), "c": ones(20), "axis": ones(2)}
		r, _ := madeUp(t, 100, scores, losses)
		must.Do(r.choose(t.Context(), 100))
		if r.winner.name != c.want || math.Abs(r.choice.Apparent-c.apparent) > 1e-15 {
			t.Errorf("%+v: %s wins, with an error of %v", c, r.winner.name, r.choice.Apparent)
		}
	}
}

// The winner had an error of 0.3 with 100 trees, and the model has 300 and half of it. By hand: b errs in rows 0 to 29,
// the random forest in rows 20 to 59. So 50 rows differ, the mean difference is 0.1 and its variance 0.5 − 0.01; a 99th
// of that is the squared standard error.
func TestReportOfARace(t *testing.T) {
	scores := map[string][]float64{"a": ones(5), "b": ones(4), "c": ones(60), "axis": ones(4)}
	axis := make([]float64, 100)
	for i := range 40 {
		axis[i+20] = 1
	}
	losses := map[string][]float64{"a": ones(10), "b": ones(30), "c": ones(20), "axis": axis}
	r, _ := madeUp(t, 100, scores, losses)
	must.Do(r.choose(t.Context(), 100))
	model := &forest.Forest{Classes: []string{"x", "y"}, Rows: 100, Trees: make([]forest.Tree, 300)}
	text := must.Value(r.report(model, &eval.Assessment{Loss: 0.15}, [mix.Sources]float64{}, []string{"Look."}))
	model.Report = text
	got := must.Value(Read(model))
	half := 1.96 * math.Sqrt((0.5-0.01)/99)
	close := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if got.Chosen != "b" || got.Trees != 300 || got.Error != 0.15 ||
		!close(got.Interval.High, r.choice.High-0.15) || !close(got.Slanted, 0.1) ||
		!close(got.SlantedInterval.Low, 0.1-half) || !close(got.SlantedInterval.High, 0.1+half) {
		t.Errorf("%+v of %+v", got, r.choice)
	}
	raced := ""
	for _, f := range got.Race {
		raced += fmt.Sprintf(" %s %.2f %d", f.Name, f.Error, f.Trees)
	}
	if raced != " a 0.10 50 b 0.30 100 c 0.20 25 axis 0.40 100" {
		t.Errorf("in the race:%s", raced)
	}
	// No error rate is above 1, but a squared error may be.
	for _, classes := range [][]string{{"x", "y"}, nil} {
		model.Classes = classes
		model.Report = must.Value(r.report(model, &eval.Assessment{Loss: 0.98}, [mix.Sources]float64{}, nil))
		high := must.Value(Read(model)).Interval.High
		if want := r.choice.High + 0.68; want < 1 || classes != nil && high != 1 || classes == nil && !close(high, want) {
			t.Errorf("classes %v: the error is at most %v", classes, high)
		}
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

// If T trees are enough, the error of 20 trees is above that of infinitely many by leftOver·T/20 of it. New rows show
// it: forests of 20 trees are compared with one of 400.
func TestEnoughTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("it grows 1500 trees of 1500 rows for a statistic")
	}
	ctx := context.Background()
	for _, c := range []struct {
		values, bootstrapFits bool
	}{{false, false}, {true, false}, {true, true}} {
		d := table(4500, c.values, 0.5)
		test := d.Subset(from(1500, 4500))
		d = d.Subset(from(0, 1500))
		f := must.Value(mix.Learner{Trees: 500, BootstrapFits: c.bootstrapFits, Seed: 1}.Fit(ctx, d))
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
			must.Do(r.add(ctx, f, d))
		}
		got, settled := r.treesNeeded()
		if limited := min(max(want, fewest), most); math.Abs(float64(got)-limited) > 0.15*limited || settled != (got < most) {
			t.Errorf("%+v: %d trees, settled %v; want about %.0f", c, got, settled, want)
		}
	}
}

// P and V by brute force over pairs of different out-of-bag trees: with residuals a and b, P is the mean of ab, and V
// that of |a − b|²/2, the variance.
func TestResidualsAreThoseOfPairs(t *testing.T) {
	for k := range 4 {
		values, weighted := k&1 > 0, k&2 > 0
		d := table(60, values, 0.5)
		if weighted { // many samples have no row of positive weight, and their trees are grown on both such rows
			d.Weights = make([]float32, d.N())
			d.Weights[0], d.Weights[1], d.Weights[2] = 1, 2, 1
		}
		f := must.Value(mix.Learner{Trees: 12, MinLeaf: 3, Seed: 2}.Fit(t.Context(), d))
		r := newResiduals(d, len(f.Classes))
		must.Do(r.add(t.Context(), f, d))
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
					out = append(out, []float64{must.Value(tree.PredictValues(t.Context(), row))[0] - d.Values[i]})
					continue
				}
				p := must.Value(tree.Proba(t.Context(), row))[0]
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
func score(f *forest.Forest, d *datasets.Dataset) float64 {
	if f.Regression() {
		return eval.MSE(must.Value(f.PredictValues(context.Background(), d)), d.Values)
	}
	return eval.Brier(must.Value(f.Proba(context.Background(), d)), d.Labels)
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
