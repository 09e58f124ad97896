package exercise

import (
	"context"
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
)

func shuffled() solution {
	x, yes := []float64{1, 2, 3, 4, 6, 7}, []bool{false, false, false, true, true, true}
	before, after, orders := 0.0, 0.0, 1
	for i := range x {
		orders *= i + 1
		for j, v := range x { // in as many orders as any other cell, this one comes into row i
			if (v > 5) == yes[i] {
				continue
			}
			after += 1.0 / 36
			if i == j {
				before += 1.0 / 6
			}
		}
	}
	return solution{
		after - before, 0.001,
		fmt.Sprintf("The error rises from %.3f to %.3f on average over all %d orders.", before, after, orders),
		[]mistake{
			{after, "That is the error after the cells were shuffled. How much has it grown?"},
			{before, "That is the error before the cells are shuffled."},
			{1 - before, "That is the accuracy before the cells are shuffled."},
		},
		"After shuffling, each row gets the prediction of a row drawn at random: “yes” with probability 2/6, whatever " +
			"its class. How often is that wrong for the three rows “no”, and for the three rows “yes”?",
	}
}

// Copies returns n rows of the problem of lesson 4, with classes "0" and "1". Features x1
// and x2 are standard normal. The class is "1" where x1 + x2 and a normal error of
// standard deviation 0.5 exceed 0. The copy is x1 plus a normal error of standard
// deviation 0.3. The class does not depend on the noise, which is standard normal, nor on
// the coin, which is 0 or 1.
func Copies(n int, seed uint64) *datasets.Dataset {
	rng := forest.NewRand(3, seed)
	rows, class := make([][]float64, n), make([]int, n)
	for i := range rows {
		x1, x2 := rng.Normal(), rng.Normal()
		if x1+x2+0.5*rng.Normal() > 0 {
			class[i] = 1
		}
		rows[i] = []float64{x1, x2, x1 + 0.3*rng.Normal(), rng.Normal(), float64(rng.Intn(2))}
	}
	d := must.Value(datasets.FromRows(rows, class))
	d.Name = "copies"
	for j, name := range []string{"x1", "x2", "copy", "noise", "coin"} {
		d.Features[j].Name = name
	}
	return d
}

func pair() solution {
	train, test := Copies(500, 1), Copies(2000, 2)
	model := nb.Value(rf.Learner{Trees: 200, Seed: 1}.Fit(nb.Context(), train))
	together := shuffledLoss(model, test, 5, 0, 2)
	alone := shuffledLoss(model, test, 5, 0) + shuffledLoss(model, test, 5, 2)
	training := shuffledLoss(model, train, 5, 0, 2)
	return solution{
		together, 0.015,
		fmt.Sprintf("The error grows by about %.3f. Shuffled alone, x1 and its copy cost %.3f together: each stands in "+
			"for the other.", together, alone),
		[]mistake{
			{
				alone,
				"That is about the sum of what x1 and its copy cost alone. While one is shuffled the other still tells the " +
					"forest nearly the same. Shuffle both in one go.",
			},
			{training, "That is about the increase on the training rows, which the forest knows by heart. Use the test rows."},
			{
				together + loss(model, test),
				"That is about the error after shuffling. How much has it grown?",
			},
		},
		"Draw one order of the rows and apply it to both columns of the test rows. The answer is the error of the " +
			"model on the new table minus its error on the old one.",
	}
}

// shuffledLoss returns the mean increase of a model's error when columns of d are shuffled
// together, over some repeats.
func shuffledLoss(model *forest.Forest, d *datasets.Dataset, repeats int, columns ...int) float64 {
	rng := forest.NewRand(4)
	before, after := loss(model, d), 0.0
	order := make([]int32, d.N())
	for i := range order {
		order[i] = int32(i)
	}
	for range repeats {
		for i := len(order) - 1; i > 0; i-- {
			j := rng.Intn(i + 1)
			order[i], order[j] = order[j], order[i]
		}
		shuffled := *d
		shuffled.Columns = slices.Clone(d.Columns)
		for _, j := range columns {
			shuffled.Columns[j] = d.Subset(order).Column(nil, j)
		}
		after += loss(model, &shuffled) / float64(repeats)
	}
	return after - before
}

// loss returns a model's error on d.
func loss(model *forest.Forest, d *datasets.Dataset) float64 {
	return eval.Error(must.Value(model.Predict(context.Background(), d)), d.Labels)
}

// Separate is the problem of the rows with wrong labels: two long clouds side by side, whose
// means are 5.2 standard deviations apart in the direction that separates them. The best
// boundary is x1 = x2, and the Bayes error 0.47 %.
func Separate() sim.GaussianClasses {
	covariance := [][]float64{{1, 0.5}, {0.5, 1}}
	return sim.GaussianClasses{Components: []sim.Gaussian{
		{Class: 0, Mean: []float64{-1.3, 1.3}, Covariance: covariance},
		{Class: 1, Mean: []float64{1.3, -1.3}, Covariance: covariance},
	}}
}

// Mislabelled returns the 200 rows of exercise 4.3, from [Separate]. Five of them have the
// label of the other class, though they lie where the class is certain.
func Mislabelled() *datasets.Dataset {
	d, _ := mislabelled()
	return d
}

func mislabelled() (*datasets.Dataset, []int32) {
	d := Separate().Sample(200, 2)
	d.Name = "five wrong labels"
	rng := forest.NewRand(5)
	var flipped []int32
	for len(flipped) < 5 {
		row := int32(rng.Intn(d.N()))
		if certainty(d, row) < 0.99 || d.Labels[row] != Separate().Bayes().Class(d.Row(nil, int(row))) ||
			slices.Contains(flipped, row) {
			continue
		}
		flipped = append(flipped, row)
	}
	for _, row := range flipped {
		d.Labels[row] = 1 - d.Labels[row]
	}
	slices.Sort(flipped)
	return d, flipped
}

// certainty returns the probability of the likelier class at a row.
func certainty(d *datasets.Dataset, row int32) float64 {
	return slices.Max(Separate().Bayes().Posterior(d.Row(nil, int(row))))
}

// Flipped judges which rows of [Mislabelled] have a wrong label, counted from 0. It takes at
// most five rows, and is content with four that are right.
func Flipped(rows ...int32) Judgement {
	if len(rows) == 0 {
		return Judgement{}
	}
	d, flipped := mislabelled()
	found, unsure := 0, 0
	for i, row := range rows {
		if row < 0 || int(row) >= d.N() {
			return wrong("There is no row %d. Rows are counted from 0 to %d.", row, d.N()-1)
		}
		if slices.Contains(rows[:i], row) {
			return wrong("Row %d is named twice.", row)
		}
		if slices.Contains(flipped, row) {
			found++
		} else if certainty(d, row) < 0.99 {
			unsure++
		}
	}
	switch {
	case len(rows) > len(flipped):
		return wrong("Name five rows at most. Somebody has to look each of them up.")
	case found >= len(flipped)-1:
		return right("%d of the five wrong labels are among your %d rows.", found, len(rows))
	case unsure > 0:
		return wrong("%d of the five wrong labels are among your %d rows. %d of the others lie where the classes overlap: "+
			"their labels are right, and still hard to predict.", found, len(rows), unsure)
	}
	return wrong("%d of the five wrong labels are among your %d rows. Take those whose label is least like what the "+
		"trees that didn't see the row say.", found, len(rows))
}
