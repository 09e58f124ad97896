package boost

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/portable"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// textbook returns 200 rows of three features with weights, and all columns of testdata/textbook.csv: targets, and
// predictions after some rounds by scikit-learn 1.9.1 (testdata/sklearn_boosting.py).
func textbook(t *testing.T) (d *datasets.Dataset, columns map[string][]float64) {
	f := must.Value(os.Open("testdata/textbook.csv"))
	defer f.Close()
	lines := must.Value(csv.NewReader(f).ReadAll())
	columns = map[string][]float64{}
	for j, name := range lines[0] {
		for _, line := range lines[1:] {
			v := must.Value(strconv.ParseFloat(line[j], 64))
			columns[name] = append(columns[name], v)
		}
	}
	d = &datasets.Dataset{Target: "y", Columns: make([][]float32, 3)}
	for j, name := range []string{"x1", "x2", "x3"} {
		d.Features = append(d.Features, datasets.Feature{Name: name})
		for _, v := range columns[name] {
			d.Columns[j] = append(d.Columns[j], float32(v))
		}
	}
	for _, w := range columns["weight"] {
		d.Weights = append(d.Weights, float32(w))
	}
	return d, columns
}

// A single member on all rows, split on single features, without a penalty, is the textbook's gradient boosting.
func TestTextbook(t *testing.T) {
	d, columns := textbook(t)
	for _, c := range []struct {
		target, name string
		learner      Learner
		rounds       []int
	}{
		{"y", "squared", Learner{Rate: 0.1}, []int{1, 2, 5, 20}},
		{"outlying", "absolute", Learner{Rate: 0.1, Quantile: 0.5}, []int{1, 5, 20}},
		{"outlying", "huber", Learner{Rate: 0.1, Loss: Huber}, []int{1, 5, 20}},
		{"outlying", "quantile", Learner{Rate: 0.1, Quantile: 0.3}, []int{1, 5, 20}},
		{"count", "poisson", Learner{Rate: 0.1, Loss: Poisson}, []int{1, 5, 20}},
		{"count", "newton", Learner{Rate: 1, Loss: Poisson}, []int{1}},
	} {
		for _, rounds := range c.rounds {
			l := c.learner
			l.Rounds, l.Depth, l.MinLeaf = rounds, 3, 5
			l.Folds, l.Penalty, l.Fraction, l.Sums = 1, -1, 1, -1
			d.Values = columns[c.target]
			f := fitted(l, d)
			got := predicted(f, d)
			if len(f.Trees) != rounds {
				t.Errorf("%s: %d trees after %d rounds", c.name, len(f.Trees), rounds)
			}
			for i, v := range columns[c.name+strconv.Itoa(rounds)] {
				if math.Abs(got[i]-v) > 1e-5 {
					t.Fatalf("%s, %d rounds: row %d has %v, want %v", c.name, rounds, i, got[i], v)
				}
			}
		}
	}
}

var fitted = fittest.Fit

func predicted(f *forest.Forest, d *datasets.Dataset) []float64 {
	return must.Value(f.PredictValues(context.Background(), d))
}

// outputs returns what a forest says of each row: the probabilities of the classes, or the value.
func outputs(f *forest.Forest, d *datasets.Dataset) (all [][]float64) {
	if d.Values == nil {
		return must.Value(f.Proba(context.Background(), d))
	}
	for _, v := range predicted(f, d) {
		all = append(all, []float64{v})
	}
	return all
}

func tables() map[string]*datasets.Dataset {
	values := sim.Trunk{}.Sample(300, 1)
	values.Values = make([]float64, values.N())
	for i := range values.Values {
		values.Values[i] = float64(values.Columns[0][i]) + 2*float64(values.Labels[i])
	}
	values.Labels, values.Classes = nil, nil
	return map[string]*datasets.Dataset{"values": values, "two classes": sim.Trunk{}.Sample(300, 2),
		"three classes": sim.Waveform{}.Sample(300, 3), "seven classes": manyClasses(300, 4),
		"raw values": raw(values, 12), "raw seven classes": raw(manyClasses(300, 4), 12)}
}

// The scores of members add up to what the forest predicts.
func TestScoresAreThoseOfTheForest(t *testing.T) {
	if testing.Short() {
		t.Skip("it predicts row by row")
	}
	for name, d := range tables() {
		l := Learner{Rounds: 12, Seed: 3}.withDefaults(d)
		engine := must.Value(grow.New(d, grow.Params{Method: "boost", Trees: 1, Growth: forest.Growth{MaxDepth: 4},
			Sampling: forest.AllRows, Fallback: grow.NoRedraw, Raw: true}))
		b := must.Value(l.begin(nil, engine, d))
		g := newGrower(b, nil)
		for range 12 {
			for k := range b.members {
				trees, loss := g.round(k)
				b.add(k, trees, loss, func(int, int) {})
			}
		}
		mean := func(i, output int) (sum float64) {
			for _, m := range b.members {
				sum += m.scores[output][i] / float64(len(b.members))
			}
			return sum
		}
		for i := range d.N() {
			want := []float64{mean(i, 0)}
			switch {
			case len(d.Classes) > 2:
				for c := 1; c < len(d.Classes); c++ {
					want = append(want, mean(i, c))
				}
				portable.Softmax(want, want)
			case d.Values == nil:
				want = []float64{1 / (1 + math.Exp(mean(i, 0))), 1 / (1 + math.Exp(-mean(i, 0)))}
			}
			if got := outputs(b.forest, d.Subset([]int32{int32(i)}))[0]; !floats.EqualApprox(got, want, 1e-5) {
				t.Fatalf("%s: row %d has %v, its scores give %v", name, i, got, want)
			}
		}
	}
}

// By algebra: of y = 3x₁ + x₂, with both ±1, x₁ explains 9 parts and x₂ 1 part. Each round leaves the same share of
// both. Two classes that follow x₁, but for a fourth of the rows, have all of their importance there.
func TestImportance(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x1"}, {Name: "x2"}}, Columns: make([][]float32, 2)}
	for i := range 64 {
		a, b := float32(2*(i%2)-1), float32(i&2-1)
		d.Columns[0], d.Columns[1] = append(d.Columns[0], a), append(d.Columns[1], b)
		d.Values = append(d.Values, float64(3*a+b))
	}
	classes := &datasets.Dataset{Features: d.Features, Columns: d.Columns, Classes: []string{"no", "yes"}}
	for i := range 64 {
		label := i % 2
		if i/4%4 == 0 {
			label = 1 - label
		}
		classes.Labels = append(classes.Labels, int32(label))
	}
	for d, want := range map[*datasets.Dataset][]float64{d: {0.9, 0.1}, classes: {1, 0}} {
		l := Learner{Rounds: 3, Rate: 0.5, Depth: 2, Folds: 1, Penalty: -1, Fraction: 1, Sums: -1}
		f := fitted(l, d)
		for j, v := range f.Importance() {
			if math.Abs(v-want[j]) > 1e-6 {
				t.Errorf("feature %d has the importance %v, want %v", j, v, want[j])
			}
		}
	}
}

// The same seed gives the same bytes on any number of cores, and boosting ends before the most rounds.
func TestSameBytes(t *testing.T) {
	most := 300
	if testing.Short() {
		most = 20
	}
	all, losses := tables(), map[string]Loss{"values": Huber, "counts": Poisson}
	all["counts"] = counts(300, 1)
	for name, d := range all {
		f := fittest.SameBytes(t, name, Learner{Rounds: most, Rate: 0.3, Loss: losses[name], Seed: 1}, d)
		if n := len(f.Trees) / (5 * len(f.Base)); n == 0 || n == 300 {
			t.Errorf("%s: %d rounds", name, n)
		}
	}
}

// The loss out of fold is that of rows that the member hasn't seen: with targets that depend on nothing it doesn't fall
// much, while the loss of the training rows does.
func TestStopsOnNoise(t *testing.T) {
	d := sim.SelectionBias{Null: true}.Sample(400, 1)
	f := fitted(Learner{Seed: 1}, d)
	if rounds := len(f.Trees) / 5; rounds > 40 {
		t.Errorf("%d rounds on labels of coins", rounds)
	}
}

// Where no round lowers the loss, the forest predicts the shares of the classes, and can be kept.
func TestNoRoundHelps(t *testing.T) {
	d := sim.SelectionBias{Null: true}.Sample(60, 0)
	f := fitted(Learner{Rate: 1, MinLeaf: 1, Penalty: -1}, d)
	bytes := must.Value(f.MarshalBinary())
	var kept forest.Forest
	must.Do(kept.UnmarshalBinary(bytes))
	proba := must.Value(kept.Proba(t.Context(), d))
	for i, p := range proba {
		if want := 1 / (1 + math.Exp(-f.Base[0])); math.Abs(p[1]-want) > 1e-6 {
			t.Fatalf("row %d has %v, want the base's %v", i, p[1], want)
		}
	}
}

func TestErrors(t *testing.T) {
	d := sim.Trunk{}.Sample(50, 1)
	for want, l := range map[string]Learner{
		"Rounds -1": {Rounds: -1}, "a rate of 2": {Rate: 2}, "a rate of NaN": {Rate: math.NaN()},
		"a penalty of -2": {Penalty: -2}, "sums a feature": {Sums: -3}, "a sampling fraction of 2": {Fraction: 2},
		"Depth -1": {Depth: -1}, "Loss 9": {Loss: 9}, "only without one": {Quantile: 0.5, Loss: Huber},
		"for classes": {Loss: Poisson}, "classes; want values": {Quantile: 0.5},
	} {
		_, err := l.Fit(t.Context(), d)
		readtest.WantError(t, err, "boost: ", want)
	}
	negative := counts(50, 1)
	negative.Values[7] = -2
	if _, err := (Learner{Loss: Poisson}).Fit(t.Context(), negative); err == nil ||
		err.Error() != "boost: row 7 has the count -2; want 0 to 1e+30" {
		t.Errorf("a negative count: error %v", err)
	}
	if _, err := (Learner{}).Grow(t.Context(), d, forest.Options{First: 1}); !errors.Is(err, forest.ErrWhole) {
		t.Errorf("a part: error %v", err)
	}
}

// Few rows, few rows of weight, and classes that a member doesn't see.
func TestSmallTables(t *testing.T) {
	whole := sim.Waveform{}.Sample(60, 1)
	one := sim.Trunk{}.Sample(2, 1)
	weighted := sim.Trunk{}.Sample(40, 1)
	weighted.Weights = make([]float32, 40)
	weighted.Weights[0], weighted.Weights[7] = 1, 2
	weighted.Labels[0], weighted.Labels[7] = 0, 1
	rare := whole.Subset([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	for name, d := range map[string]*datasets.Dataset{"two rows": one, "two rows of weight": weighted, "ten rows": rare} {
		f, err := Learner{Rounds: 20}.Fit(t.Context(), d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := f.Proba(t.Context(), d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// 2.5/Rate rounds are more than an int holds.
func TestSmallRate(t *testing.T) {
	if _, err := (Learner{Rounds: 2, Rate: 1e-300}).Fit(t.Context(), sim.Trunk{}.Sample(40, 1)); err != nil {
		t.Error(err)
	}
}

// Quantiles of values whose noise depends on a feature: shares of new rows below them are their levels.
func TestQuantiles(t *testing.T) {
	if testing.Short() {
		t.Skip("large for a statistic; TestSameBytes boosts on several cores")
	}
	rows := func(seed uint64) *datasets.Dataset {
		d := sim.Trunk{Features: 2}.Sample(4000, seed)
		d.Values = make([]float64, d.N())
		noise := sim.Trunk{Features: 1}.Sample(d.N(), seed+100).Columns[0]
		for i := range d.Values {
			spread := 1 + math.Abs(float64(d.Columns[0][i]))
			d.Values[i] = 3*float64(d.Columns[1][i]) + spread*float64(noise[i])
		}
		d.Labels, d.Classes = nil, nil
		return d
	}
	train, test := rows(1), rows(2)
	for _, level := range []float64{0.1, 0.5, 0.9} {
		f := fitted(Learner{Quantile: level, Rounds: 200}, train)
		q := predicted(f, test)
		below := 0.0
		for i, v := range q {
			if test.Values[i] <= v {
				below += 1 / float64(len(q))
			}
		}
		if math.Abs(below-level) > 0.03 {
			t.Errorf("%.3f of the rows are below their quantile of level %v", below, level)
		}
	}
}

// By hand: the quantile of weighted values.
func TestQuantileOfALeaf(t *testing.T) {
	d := &datasets.Dataset{Values: []float64{5, 1, 3, 2, 9}}
	rows, scores := []int32{0, 1, 2, 3, 4}, []float64{0, 0, 1, 0, 0} // 5, 1, 2, 2, 9
	for _, c := range []struct {
		level   float64
		weights []float64
		want    float64
	}{
		{0.5, []float64{1, 1, 1, 1, 1}, 2}, {0.8, []float64{1, 1, 1, 1, 1}, 5}, {0.81, []float64{1, 1, 1, 1, 1}, 9},
		{0.5, []float64{4, 1, 1, 1, 0}, 5}, {0.1, []float64{1, 0, 1, 1, 1}, 2}, {0.2, []float64{1, 1, 1, 1, 1}, 1},
	} {
		left := func(i int32) float64 { return d.Values[i] - scores[i] }
		if got := quantile(c.level, rows, c.weights, left); got != c.want {
			t.Errorf("level %v, weights %v: %v, want %v", c.level, c.weights, got, c.want)
		}
	}
}
