package exercise

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Eight returns the eight points of lesson 1: features x1 and x2, classes "A" and "B".
func Eight() *datasets.Dataset {
	d := must.Value(datasets.FromRows([][]float64{
		{1, 6}, {2, 7}, {3, 3}, {4, 4}, {5, 1}, {6, 8}, {7, 5}, {8, 2},
	}, []string{"A", "A", "B", "A", "B", "B", "B", "B"}))
	d.Name = "eight points"
	return d
}

func gain() solution {
	eight := Eight()
	x, class := make([]float64, eight.N()), make([]int, eight.N())
	for i := range x {
		x[i], class[i] = float64(eight.At(i, 1)), int(eight.Labels[i])
	}
	left, right := sides(x, class, 3.5)
	nl, nr := float64(len(left)), float64(len(right))
	parent := gini(class)
	after := (nl*gini(left) + nr*gini(right)) / (nl + nr)
	return solution{
		parent - after, 0.001,
		fmt.Sprintf("The impurity falls from %.4f to %.4f, by %.4f.", parent, after, parent-after),
		[]mistake{
			{after, "That is the impurity that is left after the split. How much has it fallen?"},
			{parent, "That is the impurity before the split."},
			{
				parent - gini(left) - gini(right),
				"You subtracted both impurities as they are. Weigh each with its share of the rows.",
			},
			{
				stat.Entropy(shares(class)) - (nl*stat.Entropy(shares(left))+nr*stat.Entropy(shares(right)))/(nl+nr),
				"That is the decrease of the entropy. The question is about the Gini impurity, 1 − Σ p².",
			},
		},
		"Count A and B on each side, work out 1 − Σ p² for each side and for all points, and weigh the sides with " +
			"their shares of the rows.",
	}
}

// Threshold judges a function that returns the threshold t for which the split x ≤ t
// decreases the Gini impurity of the classes most. It is tried on tables with equal
// values and up to three classes. Any threshold that no other beats is right.
func Threshold(best func(x []float64, class []int) float64) Judgement {
	type criterion struct {
		hint  string
		after func(left, right []int) float64
	}
	criteria := []criterion{ // of which, so far, all answers are optima
		{"", func(l, r []int) float64 {
			return float64(len(l))*gini(l) + float64(len(r))*gini(r)
		}},
		{
			" You seem to weigh both sides the same, whatever their number of rows.",
			func(l, r []int) float64 { return gini(l) + gini(r) },
		},
		{
			" You seem to count errors instead of impurity.",
			func(l, r []int) float64 { return float64(minority(l) + minority(r)) },
		},
	}
	failure := ""
	for table := range uint64(300) {
		x, class := randomTable(table)
		t := best(slices.Clone(x), slices.Clone(class))
		if math.IsNaN(t) {
			if table == 0 {
				return Judgement{}
			}
			return wrong("For x = %g with classes %d it returns no number.", x, class)
		}
		l, r := sides(x, class, t)
		criteria = slices.DeleteFunc(criteria, func(c criterion) bool {
			least, at := optimum(x, class, c.after)
			good := len(l) > 0 && len(r) > 0 && c.after(l, r) < least+1e-9
			if !good && c.hint == "" {
				failure = fmt.Sprintf("For x = %g with classes %d it returns %g, but %g decreases the impurity more.",
					x, class, t, at)
			}
			return !good
		})
	}
	switch {
	case failure == "":
		return right("It finds the best threshold of 300 random tables.")
	case len(criteria) > 0:
		failure += criteria[0].hint
	}
	return wrong("%s", failure)
}

// randomTable returns a column with equal values, of which at least two differ, and the
// classes of its rows, which aren't all the same.
func randomTable(seed uint64) (x []float64, class []int) {
	rng := forest.NewRand(1, seed)
	n := 4 + rng.Intn(9)
	for {
		x, class = x[:0], class[:0]
		for range n {
			x = append(x, float64(rng.Intn(n)))
			class = append(class, rng.Intn(3))
		}
		if slices.Min(class) < slices.Max(class) && slices.Min(x) < slices.Max(x) {
			return x, class
		}
	}
}

// optimum returns the least value of a criterion over all splits, and the threshold of one
// that has it.
func optimum(x []float64, class []int, after func(left, right []int) float64) (least, threshold float64) {
	values := slices.Compact(slices.Sorted(slices.Values(x)))
	least = math.Inf(1)
	for i := range len(values) - 1 {
		t := (values[i] + values[i+1]) / 2
		if a := after(sides(x, class, t)); a < least {
			least, threshold = a, t
		}
	}
	return least, threshold
}

// sides returns the classes of the rows with x ≤ threshold, and of the others.
func sides(x []float64, class []int, threshold float64) (left, right []int) {
	for i, c := range class {
		if x[i] <= threshold {
			left = append(left, c)
		} else {
			right = append(right, c)
		}
	}
	return left, right
}

// shares returns how large a part of the rows each class has.
func shares(class []int) []float64 {
	p := make([]float64, slices.Max(class)+1)
	for _, c := range class {
		p[c]++
	}
	for c := range p {
		p[c] /= float64(len(class))
	}
	return p
}

func gini(class []int) float64 {
	g := 1.0
	for _, p := range shares(class) {
		g -= p * p
	}
	return g
}

// minority returns the number of rows that aren't of the most frequent class.
func minority(class []int) int {
	most := slices.Max(shares(class))
	return len(class) - int(math.Round(most*float64(len(class))))
}

func depth() solution {
	const rows, columns = 3, 5
	return solution{
		float64(leastDepth(rows, columns)), 0,
		"Three rows of fields take two levels of cuts, five columns three, and no other order needs fewer.",
		[]mistake{
			{
				math.Ceil(math.Log2(rows * columns)),
				"A tree of that depth has 16 leaves, enough for 15 fields. But the first split is a cut through the whole " +
					"board: how many fields has the larger part, and how many leaves are left for it?",
			},
			{
				rows - 1 + columns - 1,
				"That many straight cuts divide the board. Two parts of a board can be cut at the same level of the tree.",
			},
			{
				rows*columns - 1,
				"That is the number of splits: one less than the leaves. The depth is the number of splits on the longest path.",
			},
			{rows * columns, "That is the number of leaves. The depth is the number of splits on the longest path."},
		},
		"Neighbouring fields differ in colour, so each needs a leaf. Try a board of 1 × 2 fields, 1 × 3, 2 × 2, and " +
			"so on: what does one cut leave over?",
	}
}

// leastDepth returns the least depth of a tree whose leaves are the fields of a board,
// by trying every first cut.
func leastDepth(rows, columns int) int {
	if rows == 1 && columns == 1 {
		return 0
	}
	least := rows * columns
	for cut := 1; cut < rows; cut++ {
		least = min(least, 1+max(leastDepth(cut, columns), leastDepth(rows-cut, columns)))
	}
	for cut := 1; cut < columns; cut++ {
		least = min(least, 1+max(leastDepth(rows, cut), leastDepth(rows, columns-cut)))
	}
	return least
}
