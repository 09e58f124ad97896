package exercise

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
)

func cells() solution {
	const p = 100.0
	axis := math.Floor(math.Sqrt(p))    // candidates, each of one feature
	oblique := math.Ceil(3 / p * p * p) // non-zeros of the p×d matrix, with d = p
	return solution{
		oblique / axis, 1e-9,
		fmt.Sprintf("SPORF reads %.0f cells of a row for %.0f candidates, the random forest %.0f.", oblique, p, axis),
		[]mistake{
			{p / axis, "That is the ratio of the candidates. How many features has a candidate?"},
			{oblique / p, "That is the number of features of a candidate. How many candidates are there?"},
			{oblique, "That is what SPORF reads. How much is it for the random forest, which tries √p features?"},
			{axis / oblique, "That is the ratio the other way round."},
		},
		"Count the non-zeros of all candidates of a node: d·λ·p for SPORF, √p for the random forest.",
	}
}

func strips() solution {
	// A strip of width w is cut at the height where the diagonal crosses its middle. It gets
	// two triangles with legs of w/2 wrong, so w²/4, and all s = 1/w strips 1/(4s).
	const strips = 1 / (4 * 0.01)
	return solution{
		strips, 0,
		fmt.Sprintf("A strip of width w gets w²/4 wrong, so s strips 1/(4s). The tree has %.0f leaves; one slanted split "+
			"gets nothing wrong.", 2*strips),
		[]mistake{
			{
				2 * strips,
				"That would be the number of leaves, two for each strip; or each strip was cut at the height of one of its ends.",
			},
			{
				4 * strips,
				"That is 1/0.01. Which part of a strip of width w is on the wrong side of its horizontal cut?",
			},
		},
		"Draw one strip of width w and the diagonal in it. The best horizontal cut is where the diagonal crosses the " +
			"strip's middle. Which area lies between the cut and the diagonal?",
	}
}

// Units returns n rows of the problem of [sim.Trunk] with ten features, each measured in
// its own unit: feature k, counted from 0, is multiplied by 10ᵏ, up to 10⁵ and then again
// from 1.
func Units(n int, seed uint64) *datasets.Dataset {
	plain := sim.Trunk{Features: 10}.Sample(n, seed)
	d := *plain
	d.Name = "trunk, each feature in its own unit"
	d.Columns = make([][]float32, len(plain.Columns))
	for j, column := range plain.Columns {
		d.Columns[j] = make([]float32, len(column))
		for i, v := range column {
			d.Columns[j][i] = v * float32(math.Pow10(j%6))
		}
	}
	return &d
}

// Scales judges a learner that is to do as well on the data of [Units] as SPORF with 100
// trees does where all features have the same unit. The learner is trained on five samples
// of 300 rows.
func Scales(learner forest.Learner) Judgement {
	if learner == nil {
		return Judgement{}
	}
	// mean is the mean test error of learners that differ in their seeds.
	mean := func(
		learner func(seed uint64) forest.Learner, sample func(n int, seed uint64) *datasets.Dataset,
	) float64 {
		var losses []float64
		for seed := range uint64(5) {
			model := nb.Value(learner(seed).Fit(nb.Context(), sample(300, seed)))
			losses = append(losses, loss(model, sample(2000, 100)))
		}
		return eval.Mean(losses)
	}
	plain := sim.Trunk{Features: 10}.Sample
	oblique := func(seed uint64) forest.Learner { return sporf.Learner{Trees: 100, Seed: seed} }
	axis := func(seed uint64) forest.Learner { return rf.Learner{Trees: 100, Seed: seed} }
	got := mean(func(uint64) forest.Learner { return learner }, Units)
	best, raw := mean(oblique, plain), mean(oblique, Units)
	const tolerance = 0.008 // for the seed of the learner; units cost SPORF about 0.02
	if got <= best+tolerance {
		return right("Its test error is %.3f, that of SPORF without the units %.3f, and with them %.3f.", got, best, raw)
	}
	if other := mean(axis, Units); min(math.Abs(got-raw), math.Abs(got-other)) <= tolerance {
		return wrong("Its test error is %.3f, where %.3f is possible. On the data as they are SPORF has %.3f and a random "+
			"forest %.3f: the units don't matter to a single feature, but a sum of features in different units is nearly "+
			"the largest one alone.", got, best, raw, other)
	}
	return wrong("Its test error is %.3f; without the units SPORF has %.3f. A step before the learner can give all "+
		"features the same spread.", got, best)
}
