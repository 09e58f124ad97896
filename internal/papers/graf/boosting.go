package graf

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// Boosting compares algorithm 2 with trees of GRAF with one candidate a step: the score is the number of planes until
// no region is impure.
var Boosting = paper.Experiment{Name: "grafalg2", File: "graf-algorithm2-paper.csv", Grids: []paper.Grid{
	{Problems: []string{"rings"}, Methods: []string{"algorithm 2", "tree"}, Repeats: 100}}}

// Rings are the rows of figure 2 and algorithm 2.
func Rings() *datasets.Dataset { return sim.Circles{Rings: 2}.Sample(150, 1) }

var algorithms = []paper.Figure{
	{Name: "Figure 2", Shows: "how planes divide the space", Place: "graf#Figure 2"},
	{Name: "Algorithm 1", Shows: "GRAF", Place: "forest/graf"},
	{Name: "Algorithm 2", Shows: "a tree as boosting", Place: "graf#Algorithm 2", Draw: drawBoosting,
		Of: []paper.Part{Boosting.On()},
		Claims: []paper.Claim{{Says: "planes, algorithm 2 less a tree with one candidate a step", Find: paper.Less(
			Boosting.By("algorithm 2").Of(nil), Boosting.By("tree").Of(nil))}}},
}

// drawBoosting shows steps of algorithm 2.
func drawBoosting(*paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"planes", "codes", "rows of weight 1", "rows of impure codes"}}
	steps, _ := Boost(Rings(), 1)
	for k, s := range steps {
		if k < 4 || k&(k-1) == 0 || k == len(steps)-1 {
			t.Add(fmt.Sprint(k), fmt.Sprint(s.Codes), fmt.Sprint(s.Weighted), fmt.Sprint(s.Impure))
		}
	}
	return paper.Draw(nil, t)
}

// A BoostingStep is a pass of algorithm 2 before its hypothesis is drawn.
type BoostingStep struct {
	Codes    int // that rows have
	Weighted int // rows of weight 1
	Impure   int // rows whose code rows of another class have
}

// Boost is algorithm 2: a tree of GRAF with one candidate a step as boosting. A hypothesis is a plane through the mean
// of the rows of weight 1, with weights of features as in equation 6. It adds a bit to the codes of all rows. Then the
// rows of the most impure code have weight 1 and all others 0. It ends when all codes are pure. Rows of different
// classes must differ.
func Boost(d *datasets.Dataset, seed uint64) (steps []BoostingStep, code []string) {
	random := rand.New(rand.NewPCG(seed, 0))
	code = make([]string, d.N())
	for {
		step, weighted := mostImpure(d, code)
		steps = append(steps, step)
		if weighted == nil {
			return steps, code
		}
		side := make([]float64, d.N()) // of the hypothesis, by its sign
		for j := range d.P() {
			column, at := d.Column(nil, j), make([]float64, len(weighted))
			for k, i := range weighted {
				at[k] = float64(column[i])
			}
			low, high := floats.Min(at), floats.Max(at)
			weight, mean := low+random.Float64()*(high-low), stat.Mean(at, nil)
			for i, v := range column {
				side[i] += weight * (float64(v) - mean)
			}
		}
		for i, s := range side {
			code[i] += map[bool]string{false: "0", true: "1"}[s > 0]
		}
	}
}

// mostImpure returns the rows of the most impure code by equation 8, nil if all codes are pure.
func mostImpure(d *datasets.Dataset, code []string) (step BoostingStep, rows []int) {
	_, regions := paper.Grouped(paper.Ints(0, d.N()-1), func(i int) string { return code[i] })
	most, class := 0.0, d.ClassCounts() // N_c
	for _, c := range slices.Sorted(maps.Keys(regions)) {
		shares := make([]float64, len(class))
		for _, i := range regions[c] {
			shares[d.Labels[i]] += 1 / float64(class[d.Labels[i]])
		}
		sum := floats.Sum(shares)
		if floats.Max(shares) == sum {
			continue
		}
		step.Impure += len(regions[c])
		if z := float64(len(regions[c])) * (1 - floats.Dot(shares, shares)/(sum*sum)); z > most {
			most, rows = z, regions[c]
		}
	}
	step.Codes, step.Weighted = len(regions), len(rows)
	return step, rows
}
