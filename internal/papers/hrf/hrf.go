// Package hrf has the figures and tables of Kim, Kim, Kim: Heterogeneous Random Forest, in the paper's order.
//
//   - examples.go: figures 1 and 2, tables 1 and 2, whose numbers are computed by hand
//   - simulations.go: figures 3 to 5
//   - tables.go: tables 3 to 5
//   - tuned.go, boosting.go: how accurate each method is on each set, for tables 5 to 7 and figure 6
//   - comparisons.go: tables 6 and 7
//   - noise.go: table 8 and figure 6
//   - leafrule.go: ours, where the lead over random forests comes from
//
// How the runs are done is in tools/experiments/hrf.
package hrf

import (
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// Paper is the paper's room.
var Paper = paper.Paper{
	Key: "hrf", Name: "HRF",
	Experiments: []*paper.Experiment{&Sizes, &Depths, &Noise, &Tuned, &Accuracy, &Shares, &LeafRule},
	Figures: slices.Concat([]paper.Figure{
		{Name: "Algorithm 1", Shows: "random forest", Place: "forest/rf"},
		{Name: "Algorithm 2", Shows: "the weights of features", Place: "forest/rf"},
		{Name: "Algorithm 3", Shows: "HRF", Place: "forest/rf"},
	}, examples, simulations, tables, comparisons, noise, leafRule),
}

// Sets are the sets of table 5 that are at hand, by the paper's names.
var Sets = strings.Fields(`
	aba aus bal ban bcw bld blo bod bos bre cir cmc cre der dia dna eco ger gla hea hil imp ion iri led lib
	mam pid pks pov rng sat seg smo snr spa spe tae thy trn twn veh vot vow wav zoo`)

// lacks are the sets that aren't.
const lacks = "int, lit, mar, yea; the columns of vol, the rule for the classes of ail"
