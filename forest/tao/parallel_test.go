package tao

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/steady"
)

// clusters has n rows of p features. Each of k classes (for k = 0, each level of the values)
// is two clusters around points drawn at random.
func clusters(n, p, k int) *datasets.Dataset {
	rng := forest.NewRand(uint64(n + p + k))
	columns := make([][]float32, p)
	for j := range columns {
		columns[j] = make([]float32, n)
	}
	centres := column(2*max(k, 5)*p, func(int) float32 { return 2 * float32(rng.Normal()) })
	at := make([]int, n)
	for i := range n {
		at[i] = rng.Intn(2 * max(k, 5))
		for j := range columns {
			columns[j][i] = centres[at[i]*p+j] + float32(rng.Normal())
		}
	}
	x := table(columns...)
	if k == 0 {
		return valued(x, func(i int) float64 { return float64(at[i]) + float64(columns[0][i]) + 0.1*rng.Normal() })
	}
	x.Classes, x.Labels = make([]string, k), make([]int32, n)
	for c := range x.Classes {
		x.Classes[c] = string(rune('a' + c))
	}
	for i := range x.Labels {
		x.Labels[i] = int32(at[i] % k)
	}
	return x
}

// mostlyZero returns a copy of d in which only the largest cells aren't 0.
func mostlyZero(d *datasets.Dataset) *datasets.Dataset {
	c := *d
	c.Columns = make([][]float32, d.P())
	for j := range c.Columns {
		c.Columns[j] = column(d.N(), func(i int) float32 { return max(0, d.Columns[j][i]-2) })
	}
	return &c
}

// With one tree and 5,000 rows, cores share the two sides of splits.
func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	classes, values := clusters(5000, 6, 4), clusters(5000, 6, 0)
	for name, test := range map[string]struct {
		l Learner
		d *datasets.Dataset
	}{
		"constant leaves": {Learner{Trees: 1, Depth: 5, Passes: 4}, classes},
		"linear leaves":   {Learner{Trees: 1, Depth: 3, Passes: 3, LinearLeaves: true}, classes},
		"values":          {Learner{Trees: 1, Depth: 5, Passes: 4}, values},
		"lines":           {Learner{Trees: 1, Depth: 3, Passes: 3, LinearLeaves: true}, values},
		"mostly 0":        {Learner{Trees: 1, Depth: 4, Passes: 3, Unscaled: true}, mostlyZero(classes)},
		"mostly 0, lines": {Learner{Trees: 1, Depth: 3, Passes: 3, LinearLeaves: true, Unscaled: true},
			mostlyZero(values)},
		"trees, linear leaves": {Learner{Trees: 3, Depth: 3, Passes: 4, LinearLeaves: true, Seed: 9}, exclusiveOr(2000)},
	} {
		t.Run(name, func(t *testing.T) {
			var first []byte
			for _, cores := range []int{1, 2, 8} {
				steady.Cores(t, cores)
				b := encoded(must.Value(test.l.Fit(t.Context(), test.d)))
				if first == nil {
					first = b
				} else if !bytes.Equal(b, first) {
					t.Errorf("%d cores train another forest than 1", cores)
				}
			}
		})
	}
}

// Fits that read only the nonzero cells solve the same problems as those that read all, but
// for rounding and the centring of features, so they end in trees of about the same quality.
func TestSparseAndDenseFitsAreAboutAsGood(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	for name, d := range map[string]*datasets.Dataset{
		"classes": mostlyZero(clusters(1500, 10, 4)),
		"values":  mostlyZero(clusters(1500, 10, 0)),
	} {
		for _, linear := range []bool{false, true} {
			l := Learner{Trees: 3, Depth: 4, LinearLeaves: linear, Passes: 6, Unscaled: true}
			var loss [2]float64
			for i, sparse := range []bool{true, false} {
				trainer := must.Value(l.trainer(d))
				if trainer.sparse == nil {
					t.Fatalf("%s: the data aren't stored sparsely", name)
				}
				if !sparse {
					trainer.sparse = nil
				}
				forests := must.Value(trainer.train(context.Background(), nil, []float64{trainer.Lambda}))
				for tree := range forests[0].Trees {
					loss[i] += treeLoss(forests[0], tree, d)
				}
			}
			if ratio := loss[0] / loss[1]; !(math.Abs(math.Log(ratio)) < 0.1) {
				t.Errorf("%s, linear leaves %v: losses %v; want about equal ones", name, linear, loss)
			}
		}
	}
}
