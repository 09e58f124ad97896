package trials

import (
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// autoSets are the sets that no setting of auto was chosen on: those of the Fernández-Delgado collection whose name
// (with "fd_") has an odd CRC-32 and that have at least 100 rows and at most 80,000 cells.
var autoSets = strings.Fields(`
	acute-nephritis balance-scale bank blood breast-cancer breast-cancer-wisc-prog breast-tissue congressional-voting
	conn-bench-vowel-deterding contrac ecoli energy-y1 energy-y2 glass haberman-survival hepatitis horse-colic
	image-segmentation monks-1 monks-2 monks-3 oocytes_merluccius_states_2f page-blocks parkinsons
	pittsburg-bridges-REL-L planning seeds statlog-australian-credit statlog-heart teaching thyroid
	vertebral-column-2clases wine wine-quality-red wine-quality-white`)

// autoLargeSets are the sets of odd names that autoSets leaves out because they have more than 80,000 cells, up to
// 500,000.
var autoLargeSets = strings.Fields(`
	adult arrhythmia chess-krvkp nursery pendigits plant-margin plant-shape plant-texture statlog-shuttle`)

// autoValueSets are the sets of values whose name, after "fd_", has an odd CRC-32, and the last three, so that there
// are twelve. No setting was chosen on the former.
var autoValueSets = strings.Fields(`
	ale_localization boston combined_cycle computer_hardware energy_heating forest_fires gas_turbine_2011
	istanbul_stock parkinsons_telemonitoring auto_mpg electrical_grid energy_cooling`)

// collectionFold loads a set of the collection: the fold that is the trial's repeat. 1 to 5 are those of one partition
// of the rows, stratified, 6 to 10 of another, and so on.
var collectionFold = trial.FoldOf("fd_", func(d *datasets.Dataset) *datasets.Dataset { return d })

// valueRows is how many rows of larger sets of values are used, evenly spaced.
const valueRows = 3000

// valueFold is collectionFold for sets of values.
var valueFold = trial.FoldOf("", func(d *datasets.Dataset) *datasets.Dataset {
	return d.Subset(trial.Spaced(d.N(), valueRows))
})

// oneHotSteps fill missing cells, make indicators of categories, and standardise features. Methods that don't prepare
// tables by themselves have them.
var oneHotSteps = datasets.Steps{datasets.Impute{}, datasets.OneHot{}, datasets.Standardise{}}

// boostKinds are sets of values, of two classes and of more that no setting of package boost was chosen on: 24 of its
// trial's last comparison, and the eleven largest of autoSets and autoLargeSets with at most ten classes that the trial
// hadn't used. A set is the table as it was published, with its categories, where there is one.
var boostKinds = [3][]string{
	strings.Fields(`
		ailerons beijing_pm25 bias_correction_tmax combined_cycle energy_cooling gas_turbine_2011 istanbul_stock`),
	strings.Fields(`
		adult bank banknote blood bodydims breast-cancer chess-krvkp heart_failure statlog-australian-credit statlog-heart
		vertebral-column-2clases congressional-voting haberman-survival`),
	strings.Fields(`
		contrac thyroid page-blocks glass wine-quality-red conn-bench-vowel-deterding statlog-shuttle nursery pendigits
		wine-quality-white fd_oocytes_merluccius_states_2f fd_energy-y1 fd_energy-y2 balance-scale ecoli`),
}

var boostSets = slices.Concat(boostKinds[:]...)

// boostRows is how many rows of larger sets are used, evenly spaced.
const boostRows = 2000

// boostFold is collectionFold for boostSets.
var boostFold = trial.FoldOf("", func(d *datasets.Dataset) *datasets.Dataset {
	return d.Subset(trial.Spaced(d.N(), boostRows))
})
