// Package graf has the figures and tables of Gupta, Jindal, Jayadeva, Sengupta, Chandra: Guided Random Forest and its
// application to data approximation, in the paper's order.
//
//   - boosting.go: figure 2, algorithms 1 to 3
//   - hypercubes.go: table 1, figures 4 to 7
//   - variance.go: figures 8 to 10 and B.1 to B.6, appendix A
//   - kappa.go: tables C.1 and D.1, figure 11
//   - sensitivity.go: figures 12 and 13
//   - support.go: figure 14, table 2
//
// How the runs are done is in tools/experiments/graf.
package graf

import (
	"cmp"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// Paper is the paper's room.
var Paper = paper.Paper{
	Key: "graf", Name: "GRAF",
	Experiments: slices.Concat([]*paper.Experiment{&Boosting, &CubeSizes, &Cubes}, variedExperiments(),
		[]*paper.Experiment{&Sizes, &Kappas, &Maps, &Approximation, &Support}),
	Figures: slices.Concat(algorithms, hypercubes, varied(), kappas, sensitivities, supportVectors),
}

// Forests are the methods that are trained here, in the order of our figures.
var Forests = []string{"GRAF", "OT", "ET", "RF"}

// whole returns a figure that draws all and isn't counted, and its parts, which are. They have what the whole has where
// they have nothing themselves.
func whole(f paper.Figure, parts ...paper.Figure) []paper.Figure {
	for i := range parts {
		part := &parts[i]
		part.Name, part.Place, part.Lacks = f.Name+", "+part.Name, f.Place, f.Lacks
		part.Paper, part.Here = f.Paper, cmp.Or(part.Here, f.Here)
		if part.Of == nil {
			part.Of = f.Of
		}
	}
	f.Ours = true
	return append([]paper.Figure{f}, parts...)
}

// lacks are the sets of tables C.1 and D.1 that aren't at hand or have more than 10,000 rows.
const lacks = "adult, cardiotocography-3clases, chess-krvk, connect-4, letter, magic, miniboone, musk-2, nursery, " +
	"semeion, statlog-shuttle, steel-plates, vertebral-column-3clases, wall-following, yeast"

// Sets are the other sets of table D.1, quick ones first.
var Sets = strings.Fields(`
	lenses hayes-roth iris haberman-survival teaching acute-inflammation acute-nephritis monks-3 monks-1
	pittsburg-bridges-SPAN pittsburg-bridges-T-OR-D pittsburg-bridges-REL-L pittsburg-bridges-TYPE
	pittsburg-bridges-MATERIAL post-operative monks-2 fertility breast-tissue balance-scale seeds
	vertebral-column-2clases blood echocardiogram glass heart-switzerland titanic breast-cancer mammographic zoo
	planning heart-va wine spect heart-hungarian statlog-heart ilpd-indian-liver lymphography led-display energy-y1
	energy-y2 pima heart-cleveland hepatitis breast-cancer-wisc car conn-bench-vowel-deterding image-segmentation
	tic-tac-toe parkinsons lung-cancer congressional-voting contrac statlog-australian-credit spectf credit-approval
	horse-colic wine-quality-red breast-cancer-wisc-prog abalone statlog-vehicle molec-biol-promoter soybean
	ionosphere dermatology breast-cancer-wisc-diag page-blocks oocytes_trisopterus_nucleus_2f statlog-german-credit
	wine-quality-white audiology-std cylinder-bands oocytes_merluccius_states_2f statlog-image
	conn-bench-sonar-mines-rocks oocytes_trisopterus_states_5b cardiotocography-10clases bank thyroid
	oocytes_merluccius_nucleus_4d pendigits synthetic-control waveform libras ringnorm twonorm mushroom chess-krvkp
	low-res-spect statlog-landsat hill-valley plant-texture plant-margin plant-shape waveform-noise molec-biol-splice
	musk-1 ozone optical spambase arrhythmia`)
