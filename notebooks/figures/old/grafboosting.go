package old

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// A boostingStep is a pass of algorithm 2 of the GRAF paper before its hypothesis is drawn.
type boostingStep struct {
	codes    int // that rows have
	weighted int // rows of weight 1
	impure   int // rows whose code others of another class have
}

// grafBoosting is algorithm 2: a tree of GRAF with one candidate a step as boosting. A hypothesis is a plane through
// the mean of the rows of weight 1, with weights of features as in equation 6. It adds a bit to the codes of all rows.
// Then the rows of the most impure code, by equation 8, have weight 1 and all others 0. It ends when all codes are
// pure. Rows of different classes must differ.
func grafBoosting(d *datasets.Dataset, seed uint64) (steps []boostingStep, code []int) {
	random := rand.New(rand.NewPCG(seed, 0))
	class := make([]float64, len(d.Classes)) // N_c
	for _, y := range d.Labels {
		class[y]++
	}
	columns := make([][]float64, d.P())
	for j := range columns {
		for _, v := range d.Column(nil, j) {
			columns[j] = append(columns[j], float64(v))
		}
	}
	code = make([]int, d.N())
	for {
		regions := map[int][]int{}
		for i, c := range code {
			regions[c] = append(regions[c], i)
		}
		step := boostingStep{codes: len(regions)}
		most := 0.0
		var weighted []int
		for _, c := range slices.Sorted(maps.Keys(regions)) {
			shares := make([]float64, len(class))
			for _, i := range regions[c] {
				shares[d.Labels[i]] += 1 / class[d.Labels[i]]
			}
			if floats.Max(shares) == floats.Sum(shares) {
				continue
			}
			step.impure += len(regions[c])
			sum := floats.Sum(shares)
			z := float64(len(regions[c])) * (1 - floats.Dot(shares, shares)/(sum*sum))
			if z > most {
				most, weighted = z, regions[c]
			}
		}
		if weighted == nil {
			return append(steps, step), code
		}
		step.weighted = len(weighted)
		steps = append(steps, step)
		side := make([]float64, d.N()) // of the hypothesis, by its sign
		for _, x := range columns {
			at := make([]float64, len(weighted))
			for k, i := range weighted {
				at[k] = x[i]
			}
			low, high := floats.Min(at), floats.Max(at)
			weight, mean := low+random.Float64()*(high-low), stat.Mean(at, nil)
			for i, v := range x {
				side[i] += weight * (v - mean)
			}
		}
		for i, s := range side {
			code[i] = 2*code[i] + map[bool]int{true: 1}[s > 0]
		}
		numbers := slices.Compact(slices.Sorted(slices.Values(code)))
		for i, c := range code {
			code[i], _ = slices.BinarySearch(numbers, c)
		}
	}
}

// GRAFBoosting shows the steps of algorithm 2 of the GRAF paper on some data, and compares how many planes it takes,
// over some instances, with trees of GRAF with one candidate a step.
func GRAFBoosting(d *datasets.Dataset, instances int) nb.Table {
	t := nb.Table{Title: "Algorithm 2: a tree as boosting",
		Columns: []string{"planes", "codes", "rows of weight 1", "rows of impure codes"}}
	steps, _ := grafBoosting(d, 1)
	for k, s := range steps {
		if k < 4 || k&(k-1) == 0 || k == len(steps)-1 {
			t.Add(fmt.Sprint(k), fmt.Sprint(s.codes), fmt.Sprint(s.weighted), fmt.Sprint(s.impure))
		}
	}
	boosted, trees := boostedPlanes(d, instances), treePlanes(d, instances)
	text := func(planes []float64) string {
		mean, sd := stat.MeanStdDev(planes, nil)
		return fmt.Sprintf("%.1f ± %.1f", mean, stat.StdErr(sd, float64(len(planes))))
	}
	t.Note = fmt.Sprintf("Planes until all rows have weight 0, mean and standard error of %d: %s by algorithm 2, %s of a "+
		"tree of GRAF with K = 1.", instances, text(boosted), text(trees))
	return t
}

// boostedPlanes returns how many planes algorithm 2 takes, by instance.
func boostedPlanes(d *datasets.Dataset, instances int) (planes []float64) {
	for seed := range uint64(instances) {
		steps, _ := grafBoosting(d, seed)
		planes = append(planes, float64(len(steps)-1))
	}
	return planes
}

// treePlanes returns how many planes trees of GRAF have with all features and one candidate a step.
func treePlanes(d *datasets.Dataset, instances int) (planes []float64) {
	learner := graf.Learner{Trees: instances, TreeFeatures: graf.All, Candidates: 1, Seed: 1}
	model := nb.Value(learner.Fit(nb.Context(), d))
	for k := range model.Trees {
		tree := &model.Trees[k]
		places := map[int]bool{}
		for _, n := range tree.Nodes {
			if !n.IsLeaf() {
				place, _ := tree.Splits.Place(n.Split)
				places[place] = true
			}
		}
		planes = append(planes, float64(len(places)))
	}
	return planes
}
