package exercise

import (
	"cmp"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// TestMain runs as a cell of its own what TestMust asks for.
func TestMain(m *testing.M) {
	switch os.Getenv("EXERCISE_TEST") {
	case "right":
		Number("2.1", 0.3487).Must()
		os.Exit(0)
	case "wrong":
		Number("2.1", 0.5).Must()
		os.Exit(0)
	case "unanswered":
		Number("2.1", Blank).Must()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestMust(t *testing.T) {
	for _, test := range []struct {
		cell, begins string
		fails        bool
	}{
		{"right", "Right. ", false}, {"wrong", "Not yet. ", true}, {"unanswered", "Not answered yet.", true},
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "EXERCISE_TEST="+test.cell)
		out, err := cmd.CombinedOutput()
		if (err != nil) != test.fails || !strings.HasPrefix(string(out), test.begins) {
			t.Errorf("%s: %v, %q; fails should be %v", test.cell, err, out, test.fails)
		}
	}
}

func TestWrapped(t *testing.T) {
	a, b := strings.Repeat("ä", 60), strings.Repeat("b", 39)
	for text, want := range map[string]string{
		"":                                  "",
		"one  two":                          "one two",
		a + " " + b:                         a + " " + b, // 100 characters
		a + " " + b + "b":                   a + "\n" + b + "b",
		a + a + " " + b:                     a + a + "\n" + b,
		a + " " + b + " " + a + " " + "end": a + " " + b + "\n" + a + " end",
	} {
		if got := wrapped(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// A numeric exercise with the answer worked out by hand, and wrong answers with a piece of
// the hint that they should bring.
var numbers = []struct {
	name  string
	right float64
	wrong map[float64]string
}{
	// Left of 3.5 are three B; right of it three A and two B: 1 − 9/25 − 4/25 = 12/25. So the impurity falls
	// from 1 − 9/64 − 25/64 = 30/64 to 5/8·12/25 = 0.3.
	{"1.1", 30.0/64 - 0.3, map[float64]string{
		0.3: "left after", 30.0 / 64: "before the split", 30.0/64 - 12.0/25: "Weigh each",
		// −3/8 ln 3/8 − 5/8 ln 5/8 − 5/8(−3/5 ln 3/5 − 2/5 ln 2/5)
		0.661563 - 0.625*0.673012: "entropy", 0.9: "Count A and B", -0.16875: "Count A and B",
	}},
	// Five columns can't be cut into two parts of at most 2 columns, so they need three levels; three rows need two.
	{
		"1.3",
		5,
		map[float64]string{4: "16 leaves", 6: "same level", 14: "number of splits", 15: "number of leaves", 3: "1 × 2"},
	},
	{"2.1", 0.3486784401, map[float64]string{
		0.6513: "in the sample", 0.3679: "1/e", 0.1: "takes the row", 0.9: "misses the row", 0.5: "replacement",
		34.9: "between 0 and 1", -1: "between 0 and 1", 0: "3.0/10",
	}},
	{"2.2", 0.314, map[float64]string{
		0.02: "independent", 0.3: "infinitely", 0.014: "more trees can remove", 0.5603570: "standard deviation",
		1: "sum of all covariances", 0: "3.0/10",
	}},
	{
		"3.1",
		30,
		map[float64]string{
			10:       "ratio of the candidates",
			3:        "features of a candidate",
			300:      "√p features",
			1.0 / 30: "other way",
			100:      "non-zeros",
		},
	},
	{"3.2", 25, map[float64]string{50: "number of leaves", 100: "1/0.01", 24: "one strip"}},
	// Before, one row of six is wrong (4, “yes”). After, a row is called “yes” with probability 1/3: three rows “no” are
	// then wrong with 1/3, three rows “yes” with 2/3, so half of all.
	{
		"4.1",
		1.0 / 3,
		map[float64]string{0.5: "has it grown", 1.0 / 6: "before the cells", 5.0 / 6: "accuracy", 0.1: "drawn at random"},
	},
	{"5.1", 0.015, map[float64]string{
		0.03: "two standard errors", 0.3: "single row", 0.000225: "square root", 0.0045: "root of the variance",
		0.0158114: "0.1·0.9", 0.2: "400th",
	}},
	// The mean is −1; the squared deviations are 0.25, 0.25, 1, 2.25, 0, 2.25, 0.25, 1, 0.25, 0, in all 7.5, so
	// s² = 5/6. −1/√(0.35·5/6) = −1.85164, and −1/√(0.1·5/6) = −3.46410.
	{"5.2", -1.85164, map[float64]string{
		1.85164: "sign", -3.46410: "independent", -2: "share of test rows", -2.19089: "added", -1.95180: "divides by 9",
		-2.02837: "standard deviation", -5: "t = mean",
	}},
	// −4, −3, 1 and 6 are left over; a split at 2.5 takes 49 off their squares, 1.5 takes 21.3 and 3.5 takes 48. Then
	// −2.25, −1.25, −0.75 and 4.25 are; splits take 6.75, 12.25 and 24.1. So 5 − 3.5/2 − 4.25/3/2.
	{"6.1", 2.541667, map[float64]string{
		-2.458333: "left out the mean", 0.666667: "in full", 3.25: "one tree", 2.375: "first split twice",
		1: "Subtract the mean",
	}},
	// ln 0.25 = −1.386294; the differences are 8·0.8 − 2·0.2 = 6, p(1 − p) sums to 1.6. 1/(1 + e^1.011294).
	{"6.2", 0.266727, map[float64]string{
		-1.011294: "the score", 0.914017: "whole step", 0.575: "log-odds", 0.8: "Sum label",
	}},
}

func TestNumbers(t *testing.T) {
	for _, n := range numbers {
		if j := Number(n.name, Blank); j != (Judgement{}) {
			t.Errorf("%s(Blank) = %v; want no answer", n.name, j)
		}
		if j := Number(n.name, n.right); !j.Answered || !j.Right {
			t.Errorf("%s(%g) = %v; want it right", n.name, n.right, j)
		}
		for answer, hint := range n.wrong {
			if j := Number(n.name, answer); !j.Answered || j.Right || !strings.Contains(j.Text, hint) {
				t.Errorf("%s(%g) = %v; want a hint with %q", n.name, answer, j, hint)
			}
		}
		if j := Number(n.name, math.Inf(1)); j.Right {
			t.Errorf("%s takes infinity", n.name)
		}
	}
}

func TestLeastDepth(t *testing.T) {
	// By hand: a row of k fields needs ⌈log₂ k⌉ levels, since a level can at most double the number of parts.
	for columns, want := range map[int]int{1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3} {
		if got := leastDepth(1, columns); got != want {
			t.Errorf("1 × %d: %d, want %d", columns, got, want)
		}
	}
	if got := leastDepth(4, 4); got != 4 { // 16 leaves, and halving both sides twice does it
		t.Errorf("4 × 4: %d, want 4", got)
	}
}

// The area that a staircase of s strips gets wrong, on a fine grid: at most 1 % for 25, more for 24.
func TestStripsArea(t *testing.T) {
	area := func(strips int) float64 {
		const grid = 2400 // a multiple of twice 24 and 25, so that no cut passes through a cell's middle
		failures := 0
		for i := range grid {
			strip := i * strips / grid
			height := (float64(strip) + 0.5) / float64(strips)
			for j := range grid {
				x, y := (float64(i)+0.5)/grid, (float64(j)+0.5)/grid
				if x != y && (y > height) != (y > x) {
					failures++
				}
			}
		}
		return float64(failures) / grid / grid
	}
	if a := area(25); a > 0.0101 {
		t.Errorf("25 strips get %.4f wrong", a)
	}
	if a := area(24); a < 0.0102 {
		t.Errorf("24 strips get %.4f wrong", a)
	}
}

// TestEight: CART, which is code of another package, splits the points as lesson 1 says.
func TestEight(t *testing.T) {
	eight := Eight()
	tree := nb.Value(rf.CART{}.Fit(t.Context(), eight))
	if got := tree.SplitString(&tree.Trees[0], 0); got != "x1 ≤ 4.5" {
		t.Errorf("the root splits on %q", got)
	}
	if got := tree.SplitString(&tree.Trees[0], 1); got != "x2 ≤ 3.5" || tree.Trees[0].Leaves() != 3 {
		t.Errorf("the left child splits on %q, and there are %d leaves", got, tree.Trees[0].Leaves())
	}
}

func TestThreshold(t *testing.T) {
	cart := func(x []float64, class []int) float64 {
		rows := make([][]float64, len(x))
		for i := range x {
			rows[i] = []float64{x[i]}
		}
		d := nb.Value(datasets.FromRows(rows, class))
		m := nb.Value(rf.CART{Growth: forest.Growth{MaxDepth: 1}}.Fit(t.Context(), d))
		return float64(m.Trees[0].Nodes[0].Value)
	}
	if j := Threshold(cart); !j.Right {
		t.Errorf("CART's threshold: %v", j)
	}
	criterion := func(after func(l, r []int) float64) func([]float64, []int) float64 {
		return func(x []float64, class []int) float64 {
			_, at := optimum(x, class, after)
			return at
		}
	}
	for name, test := range map[string]struct {
		f    func([]float64, []int) float64
		hint string
	}{
		"unweighted": {criterion(func(l, r []int) float64 { return gini(l) + gini(r) }), "weigh both sides the same"},
		"errors":     {criterion(func(l, r []int) float64 { return float64(minority(l) + minority(r)) }), "count errors"},
		"median":     {func(x []float64, _ []int) float64 { return eval.Median(x) }, "decreases the impurity more"},
		"all left":   {func(x []float64, _ []int) float64 { return slices.Max(x) }, "decreases the impurity more"},
	} {
		if j := Threshold(test.f); !j.Answered || j.Right || !strings.Contains(j.Text, test.hint) {
			t.Errorf("%s: %v; want a hint with %q", name, j, test.hint)
		}
	}
	if j := Threshold(func([]float64, []int) float64 { return Blank }); j.Answered {
		t.Errorf("blank: %v", j)
	}
}

func TestOutOfBagError(t *testing.T) {
	// count is the error of a plurality over the votes that take lets through. Rows without votes are left out,
	// or count as right.
	count := func(take func(inBag bool) bool, leave bool) func([][]int32, [][]bool, []int32) float64 {
		return func(votes [][]int32, inBag [][]bool, labels []int32) float64 {
			failures, rows := 0, 0
			for i, label := range labels {
				counts := map[int32]int{}
				for t := range votes {
					if take(inBag[t][i]) {
						counts[votes[t][i]]++
					}
				}
				if len(counts) == 0 && leave {
					continue
				}
				rows++
				for _, n := range counts {
					if n > counts[label] {
						failures++
						break
					}
				}
			}
			return float64(failures) / float64(rows)
		}
	}
	outOfBag := func(in bool) bool { return !in }
	single := func(votes [][]int32, inBag [][]bool, labels []int32) float64 {
		var errors []float64
		for t := range votes {
			var pred, truth []int32
			for i, in := range inBag[t] {
				if !in {
					pred, truth = append(pred, votes[t][i]), append(truth, labels[i])
				}
			}
			errors = append(errors, eval.Error(pred, truth))
		}
		return eval.Mean(errors)
	}
	if j := OutOfBagError(count(outOfBag, true)); !j.Right {
		t.Errorf("right: %v", j)
	}
	for hint, f := range map[string]func([][]int32, [][]bool, []int32) float64{
		"all trees":     count(func(bool) bool { return true }, true),
		"every tree":    count(outOfBag, false),
		"single trees":  single,
		"had any vote":  func([][]int32, [][]bool, []int32) float64 { return 0.2 },
		"labels[i]. Di": count(func(in bool) bool { return in }, true),
	} {
		if j := OutOfBagError(f); !j.Answered || j.Right || !strings.Contains(j.Text, hint) {
			t.Errorf("%q: %v", hint, j)
		}
	}
	if j := OutOfBagError(func([][]int32, [][]bool, []int32) float64 { return Blank }); j.Answered {
		t.Errorf("blank: %v", j)
	}
}

func TestScales(t *testing.T) {
	if testing.Short() {
		t.Skip("trains many forests")
	}
	for seed := range uint64(2) {
		if j := Scales(forest.Pipeline(sporf.Learner{Trees: 100, Seed: 50 + seed}, datasets.Standardise{})); !j.Right {
			t.Errorf("standardised: %v", j)
		}
		if j := Scales(sporf.Learner{Trees: 100, Seed: 50 + seed}); j.Right ||
			!strings.Contains(j.Text, "largest one alone") {
			t.Errorf("raw: %v", j)
		}
		if j := Scales(rf.Learner{Trees: 100, Seed: 50 + seed}); j.Right || !strings.Contains(j.Text, "largest one alone") {
			t.Errorf("random forest: %v", j)
		}
		if j := Scales(rf.CART{Seed: seed}); j.Right || !strings.Contains(j.Text, "same spread") {
			t.Errorf("one tree: %v", j)
		}
	}
	if j := Scales(nil); j.Answered {
		t.Errorf("blank: %v", j)
	}
}

func TestPair(t *testing.T) {
	if testing.Short() {
		t.Skip("trains many forests")
	}
	model := nb.Value(rf.Learner{Trees: 200, Seed: 1}.Fit(t.Context(), Copies(500, 1)))
	test := Copies(2000, 2)
	for seed := range uint64(5) { // a student's own orders: rows cut at a random place and swapped
		rng := forest.NewRand(77, seed)
		cut := int32(1 + rng.Intn(test.N()-1))
		other := make([]int32, test.N())
		for i := range other {
			other[i] = (int32(i) + cut) % int32(test.N())
		}
		moved := *test
		moved.Columns = slices.Clone(test.Columns)
		for _, j := range []int{0, 2} {
			moved.Columns[j] = test.Subset(other).Column(nil, j)
		}
		answer := eval.Error(
			must.Value(model.Predict(t.Context(), &moved)),
			test.Labels,
		) - eval.Error(
			must.Value(model.Predict(t.Context(), test)),
			test.Labels,
		)
		if j := Number("4.2", answer); !j.Right {
			t.Errorf("%.4f: %v", answer, j)
		}
	}
	single := nb.Value(inspect.PermutationImportance(t.Context(), model, test, nil, 10, 3)).Mean
	training := Copies(500, 1)
	for answer, hint := range map[float64]string{
		single[0] + single[2]:                          "sum of what",
		shuffledLoss(model, training, 5, 0, 2) + 0.001: "training rows",
		5: "one order",
	} {
		if j := Number("4.2", answer); j.Right || !strings.Contains(j.Text, hint) {
			t.Errorf("%.4f: %v; want a hint with %q", answer, j, hint)
		}
	}
	if j := Number("4.2", Blank); j.Answered {
		t.Errorf("blank: %v", j)
	}
}

// The Bayes error of two Gaussians with equal covariances is Φ(−Δ/2); here Δ is 5.2.
func TestSeparate(t *testing.T) {
	if want := math.Erfc(2.6/math.Sqrt2) / 2; math.Abs(Separate().Bayes().Error()-want) > 1e-9 {
		t.Errorf("Bayes error %.6f, want %.6f", Separate().Bayes().Error(), want)
	}
}

// TestCopies: the feature called copy has correlation 1/√1.09 with x1, and the class doesn't depend on noise and coin.
func TestCopies(t *testing.T) {
	d := Copies(100000, 3)
	both := 0.0
	for i := range d.N() {
		both += float64(d.At(i, 0)) * float64(d.At(i, 2)) / float64(d.N())
	}
	if r := both / math.Sqrt(1.09); math.Abs(r-1/math.Sqrt(1.09)) > 0.02 {
		t.Errorf("correlation %.3f", r)
	}
	// Class and x1: the sum x1 + x2 + e has standard deviation 1.5, so E(x1·sign) = √(2/π)/1.5.
	for j, want := range []float64{math.Sqrt(2/math.Pi) / 1.5, math.Sqrt(2/math.Pi) / 1.5, math.Sqrt(2/math.Pi) / 1.5, 0,
		0} {
		mean := 0.0
		for i, label := range d.Labels {
			mean += float64(d.At(i, j)) * float64(2*label-1) / float64(d.N())
		}
		if math.Abs(mean-want) > 0.015 {
			t.Errorf("column %d and the class: %.3f, want %.3f", j, mean, want)
		}
	}
}

func TestFlipped(t *testing.T) {
	d, flipped := mislabelled()
	clean := Separate().Sample(200, 2)
	var changed, others, unsure []int32
	for i := range d.Labels {
		row := int32(i)
		switch {
		case d.Labels[i] != clean.Labels[i]:
			changed = append(changed, row)
		case certainty(d, row) < 0.99:
			unsure = append(unsure, row)
		default:
			others = append(others, row)
		}
	}
	if len(changed) != 5 || !slices.Equal(changed, flipped) {
		t.Fatalf("rows %d have another label than the sample, rows %d should have", changed, flipped)
	}
	for seed := range uint64(3) { // what lesson 4 teaches finds them, whatever the seed
		model := nb.Value(sporf.Learner{Trees: 200, Seed: seed}.Fit(t.Context(), d))
		votes := nb.Value(model.OutOfBag(t.Context(), d)).Votes
		rows := make([]int32, d.N())
		for i := range rows {
			rows[i] = int32(i)
		}
		share := func(i int32) float64 { return float64(votes[i][d.Labels[i]]) / float64(votes[i][0]+votes[i][1]) }
		slices.SortFunc(rows, func(a, b int32) int { return cmp.Compare(share(a), share(b)) })
		if j := Flipped(rows[:5]...); !j.Right {
			t.Errorf("least out-of-bag votes for their label have rows %d: %v", rows[:5], j)
		}
	}
	if j := Flipped(changed...); !j.Right {
		t.Errorf("all five: %v", j)
	}
	if j := Flipped(append(slices.Clone(changed[1:]), others[0])...); !j.Right {
		t.Errorf("four of five: %v", j)
	}
	for hint, rows := range map[string][]int32{
		"overlap":      append(slices.Clone(changed[:2]), unsure[:2]...),
		"didn't see":   others[:5],
		"five rows at": append(slices.Clone(changed), others[0]),
		"no row":       {500},
		"twice":        {changed[0], changed[0]},
	} {
		if j := Flipped(rows...); !j.Answered || j.Right || !strings.Contains(j.Text, hint) {
			t.Errorf("%d: %v; want a hint with %q", rows, j, hint)
		}
	}
	if j := Flipped(); j.Answered {
		t.Errorf("blank: %v", j)
	}
}

func TestHonest(t *testing.T) {
	learner := rf.Learner{Trees: 50, Seed: 1}
	folds := func(d *datasets.Dataset) []datasets.Fold {
		return nb.Value(datasets.KFold{K: 5, Stratified: true, Seed: 1}.Folds(d))
	}
	// crossValidated chooses features by choose, which gets all rows and the training rows.
	crossValidated := func(choose func(all, train *datasets.Dataset) []int) func(*datasets.Dataset) float64 {
		return func(d *datasets.Dataset) float64 {
			mean := 0.0
			for _, fold := range folds(d) {
				train, test := fold.Split(d)
				best := choose(d, train)
				model := nb.Value(learner.Fit(t.Context(), train.Select(best...)))
				mean += eval.Error(must.Value(model.Predict(t.Context(), test.Select(best...))), test.Labels) / 5
			}
			return mean
		}
	}
	if j := Honest(crossValidated(func(_, train *datasets.Dataset) []int { return MostRelated(train, 10) })); !j.Right {
		t.Errorf("honest: %v", j)
	}
	for hint, f := range map[string]func(*datasets.Dataset) float64{
		"still sees":   crossValidated(func(all, _ *datasets.Dataset) []int { return MostRelated(all, 10) }),
		"tell the cla": func(*datasets.Dataset) float64 { return 0.5 },
		"0 to 1":       func(*datasets.Dataset) float64 { return 50 },
		"a coin": func() func(*datasets.Dataset) float64 { // noise and signal take turns
			calls := 0
			return func(*datasets.Dataset) float64 { calls++; return []float64{0.2, 0.7}[calls%2] }
		}(),
	} {
		if j := Honest(f); !j.Answered || j.Right || !strings.Contains(j.Text, hint) {
			t.Errorf("%q: %v", hint, j)
		}
	}
	if j := Honest(func(*datasets.Dataset) float64 { return Blank }); j.Answered {
		t.Errorf("blank: %v", j)
	}
}

func TestKeep(t *testing.T) {
	// stops returns the last round, and that of the lowest loss until then.
	stops := func(losses []float64, patience int) (last, best int) {
		for last = 0; last-best < patience && last+1 < len(losses); {
			if last++; losses[last] < losses[best] {
				best = last
			}
		}
		return last, best
	}
	for hint, f := range map[string]func([]float64, int) int{
		"":         func(l []float64, patience int) int { _, best := stops(l, patience); return best },
		"ends. ":   func(l []float64, patience int) int { last, _ := stops(l, patience); return last },
		"of all":   func(l []float64, _ int) int { return slices.Index(l, slices.Min(l)) },
		"patience": func(l []float64, patience int) int { _, best := stops(l, patience-1); return best },
	} {
		if j := Keep(f); j.Right != (hint == "") || !j.Answered || !strings.Contains(j.Text, hint) {
			t.Errorf("%q: %v", hint, j)
		}
	}
	if j := Keep(func([]float64, int) int { return 0 }); j.Answered {
		t.Errorf("blank: %v", j)
	}
	calls := 0
	once := func(l []float64, patience int) int {
		if calls++; calls > 1 {
			return 0
		}
		_, best := stops(l, patience)
		return best
	}
	if j := Keep(once); j.Right || !j.Answered {
		t.Errorf("an answer to the first curve only: %v", j)
	}
}

// TestMostRelated: with unit variance, features that are shifted by three standard deviations come first.
func TestMostRelated(t *testing.T) {
	got := MostRelated(shifted(100, 50, 3, 1), 5)
	slices.Sort(got)
	if !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("features %d", got)
	}
	// By hand: means 1 and 3 with deviations ±1, or 0 and 10 with deviations ±10; 2/1 is more than 10/10.
	d := nb.Value(datasets.FromRows([][]float64{{10, 0}, {-10, 2}, {20, 2}, {0, 4}}, []int{0, 0, 1, 1}))
	if got := MostRelated(d, 2); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("features %d, want 1 and 0", got)
	}
}

func TestNumberOfNoExercise(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("exercise 1.2 doesn't ask for a number")
		}
	}()
	Number("1.2", 1)
}
