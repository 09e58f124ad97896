package oc1_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// crossValidate returns the accuracy, in percent, and the mean number of leaves of 5-fold cross-validation.
func crossValidate(t *testing.T, d *datasets.Dataset, l forest.Learner, seed uint64) (accuracy, leaves float64) {
	t.Helper()
	folds := must.Value(datasets.KFold{Seed: seed}.Folds(d))
	for _, fold := range folds {
		train, test := fold.Split(d)
		f := must.Value(l.Fit(context.Background(), train))
		right := 100 * (1 - eval.Error(must.Value(f.Predict(t.Context(), test)), test.Labels))
		accuracy += right * float64(test.N()) / float64(d.N())
		leaves += float64(f.Trees[0].Leaves()) / 5
	}
	return accuracy, leaves
}

// points draws n rows, uniform in a box, with the class that class returns.
func points(n, p, classes int, low, high []float32, seed uint64, class func(x []float64) int) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &datasets.Dataset{Columns: make([][]float32, p)}
	for j := range p {
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j)})
	}
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprint(c))
	}
	x := make([]float64, p)
	for range n {
		for j := range x {
			v := low[j] + (high[j]-low[j])*rng.Float32()
			d.Columns[j] = append(d.Columns[j], v)
			x[j] = float64(v)
		}
		d.Labels = append(d.Labels, int32(class(x)))
	}
	return d
}

// ls10 is the linearly separable problem of section 4.3.1.
func ls10(n int, seed uint64) *datasets.Dataset {
	ones := slices.Repeat([]float32{1}, 10)
	return points(n, 10, 2, make([]float32, 10), ones, seed, func(x []float64) int {
		var difference float64
		for j, v := range x {
			if j < 5 {
				difference += v
			} else {
				difference -= v
			}
		}
		return above(difference)
	})
}

func above(v float64) int {
	if v > 0 {
		return 1
	}
	return 0
}

// A line goes through two points of figure 9.
type line [4]float64

func (l line) side(x []float64) int {
	return above((l[2]-l[0])*(x[1]-l[1]) - (l[3]-l[1])*(x[0]-l[0]))
}

// The box and the lines of the PostScript file of figure 9.
var (
	low, high = []float32{72, 72}, []float32{540, 640}
	polLines  = []line{{223.899, 72, 72, 256.516}, {367.517, 72, 72, 430.973}, {540, 106.720, 100.988, 640},
		{540, 420.743, 359.501, 640}}
	rcbRoot  = line{72.122, 72, 510.492, 640}
	rcbLeft  = [3]line{{284.069, 346.621, 72.740, 640}, {212.643, 445.779, 72, 317.647}, {183.305, 486.508, 309.664, 640}}
	rcbRight = [3]line{{298.446, 365.251, 539.859, 72}, {392.030, 251.572, 273.767, 72}, {377.668, 269.018, 540, 466.207}}
)

// pol is the problem of four parallel lines, which divide two classes in turn.
func pol(n int, seed uint64) *datasets.Dataset {
	return points(n, 2, 2, low, high, seed, func(x []float64) (class int) {
		for _, l := range polLines {
			class ^= l.side(x)
		}
		return class
	})
}

// rcb is the rotated checker board of eight classes.
func rcb(n int, seed uint64) *datasets.Dataset {
	return points(n, 2, 8, low, high, seed, func(x []float64) int {
		class := rcbRoot.side(x)
		half := rcbRight
		if class == 1 {
			half = rcbLeft
		}
		first := half[0].side(x)
		inner := half[1]
		if half[0].side(inner[2:]) != first {
			inner = half[2]
		}
		return 4*class + 2*first + inner.side(x)
	})
}

// A result is an accuracy in percent and a number of leaves, with their standard deviations.
type result struct {
	accuracy, accuracySD, leaves, leavesSD float64
}

// near reports an accuracy that is farther below the wanted one, or a size that is farther above it, than three
// standard deviations of a difference. Single cross-validations vary as much as the paper's.
func (want result) near(t *testing.T, what string, accuracy, leaves float64) {
	t.Helper()
	t.Logf("%s: accuracy %.1f, %.1f leaves; want %v", what, accuracy, leaves, want)
	if accuracy < want.accuracy-3*math.Sqrt2*want.accuracySD {
		t.Errorf("%s: accuracy %.2f, want %v ± %v", what, accuracy, want.accuracy, want.accuracySD)
	}
	if leaves > want.leaves+3*math.Sqrt2*want.leavesSD {
		t.Errorf("%s: %.1f leaves, want %v ± %v at most", what, leaves, want.leaves, want.leavesSD)
	}
}

// Trees without pruning, on the problems of table 2. The row 20:0 is left out, as
// are the slow ones of LS10. The paper's R of 0 is one start from the best split on a single feature.
//
// The rows of RCB can't be those of the paper: the authors' program (OC1 version 3.0, -p 0 -V 5 -s 1) has lower
// accuracies on them than the paper, with single numbers in place of its means. They are what RCB is compared with, and
// the deviations, of which there are none, are the paper's larger ones over the three problems.
func TestPublishedRandomisation(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, test := range []struct {
		name            string
		data            *datasets.Dataset
		restarts, jumps int
		want            result
	}{
		{"LS10 0:0", ls10(2000, 1), 1, -1, result{89.8, 1.2, 67.0, 5.8}},
		{"LS10 0:20", ls10(2000, 1), 1, 20, result{91.5, 1.5, 55.2, 7.0}},
		{"POL 0:0", pol(2000, 1), 1, -1, result{98.3, 0.3, 21.6, 1.9}},
		{"POL 0:20", pol(2000, 1), 1, 20, result{99.3, 0.2, 9.0, 1.0}},
		{"POL 20:20", pol(2000, 1), 20, 20, result{99.6, 0.1, 5.5, 0.3}},
		{"RCB 0:0", rcb(2000, 1), 1, -1, result{94.9, 0.7, 85.8, 5.8}},
		{"RCB 0:20", rcb(2000, 1), 1, 20, result{98.35, 0.7, 32.0, 5.8}},
		{"RCB 20:20", rcb(2000, 1), 20, 20, result{99.0, 0.7, 8.4, 0.7}},
	} {
		tree := oc1.Tree{Search: oc1.Search{Restarts: test.restarts, Jumps: test.jumps}, HeldOut: -1, Seed: 1}
		accuracy, leaves := crossValidate(t, test.data, tree, 1)
		test.want.near(t, test.name, accuracy, leaves)
	}
}

// Pruned trees of default settings, on the public sets of table 1.
func TestPublishedAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("OBLIQUA_DATA is unset")
	}
	for name, want := range map[string]result{
		"breast-cancer-wisc": {96.2, 0.3, 2.8, 0.9},
		"iris":               {94.7, 3.1, 3.1, 0.2},
		"boston":             {82.4, 0.8, 6.9, 3.2},
		"pima":               {74.4, 1.0, 5.4, 3.8},
	} {
		accuracy, leaves := crossValidate(t, table1(t, name), oc1.Tree{Seed: 1}, 1)
		want.near(t, name, accuracy, leaves)
	}
}

// table1 returns a data set of table 1: cancer without the rows with missing cells, housing with two classes.
func table1(t *testing.T, name string) *datasets.Dataset {
	d := must.Value(public.Load(t.Context(), name))
	if d.Values != nil {
		for _, v := range d.Values {
			d.Labels = append(d.Labels, int32(1-above(21-v)))
		}
		d.Values, d.Classes = nil, []string{"below $21000", "others"}
	}
	var complete []int32
	for i := range d.N() {
		missing := false
		for j := range d.P() {
			missing = missing || math.IsNaN(float64(d.At(i, j)))
		}
		if !missing {
			complete = append(complete, int32(i))
		}
	}
	return d.Subset(complete)
}
