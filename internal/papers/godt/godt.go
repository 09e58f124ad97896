// Package godt has the figures and tables of Sivanand's thesis on trees whose splits lie between two Gaussians
// (Southampton 2026), in the thesis's order.
//
//   - sets.go: the data sets, tables 3.1 and 3.8
//   - experiments.go: the runs
//   - columns.go: a printed table by set and method beside ours
//   - tables.go: tables 3.2 to 5.4 and A.4 to A.17; variants.go: tables A.1 to A.14 of other covariances and starts
//   - tests.go: tables 3.6, 3.7, 4.3, 4.4, A.15 and A.16
//   - trees.go: tables A.18 to A.20; times.go: table 5.5, figures A.1 and A.2
//   - selection.go, depths.go, beta.go, dividers.go: ours, why numbers differ
//
// How the runs are done is in tools/experiments/godt. What the notebook computes while one waits is in
// notebooks/figures/godtlive.
package godt

import (
	"slices"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// Paper is the thesis's room.
var Paper = paper.Paper{
	Key: "godt", Name: "GODT thesis",
	Experiments: []*paper.Experiment{&Sizes, &Trees, &Forests, &Quadratic, &Scaled, &Tuned, &Fits, &Values,
		&Variants, &Madelon, &Ensembles, &Times, &MadelonTimes, &OnTest, &Depths, &Beta,
		&Dividers},
	Figures: slices.Concat([]paper.Figure{
		{Name: "Algorithm 5", Shows: "growing GODT", Place: "forest/godt"},
		{Name: "Algorithm 6", Shows: "where the mixture starts", Place: "forest/godt"},
		{Name: "Algorithm 8", Shows: "GORF", Place: "forest/godt"},
		{Name: "Algorithm 10", Shows: "GQDT", Place: "forest/godt"},
		{Name: "Algorithm 11", Shows: "GQRF", Place: "forest/godt"},
		{Name: "Algorithm 12", Shows: "extremely randomised trees", Place: "forest/rf"},
		{Name: "Algorithm 13", Shows: "rotation forest", Place: "forest/rotation"},
		{Name: "Figure 3.2", Shows: "K-means and mixtures", Place: "godt#Figure 3.2: K-means and a mixture", Note: ownData},
		{Name: "Figure 3.4", Shows: "planes by both distances", Place: "godt#Figure 3.4: which boundary", Note: ownData},
		{Name: "Figure 3.5", Shows: "splits of a tree of three classes", Place: "godt#Figure 3.5: a tree, node by node",
			Note: ownData},
	}, setsFigures, tables, tests, times, variants, numbersOfTrees, selection, depths, beta,
		dividers),
}

const ownData = "data of our own"
