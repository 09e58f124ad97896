package old

import (
	"context"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	trials "github.com/obliqua-ml/obliqua/notebooks/figures/trial"
)

// mixSets are the sets that no setting of mix was chosen on: those of the Fernández-Delgado collection whose name (with
// "fd_") has an odd CRC-32 and that have at least 100 rows and at most 80,000 cells.
var mixSets = strings.Fields(`
	acute-nephritis balance-scale bank blood breast-cancer breast-cancer-wisc-prog breast-tissue congressional-voting
	conn-bench-vowel-deterding contrac ecoli energy-y1 energy-y2 glass haberman-survival hepatitis horse-colic
	image-segmentation monks-1 monks-2 monks-3 oocytes_merluccius_states_2f page-blocks parkinsons
	pittsburg-bridges-REL-L planning seeds statlog-australian-credit statlog-heart teaching thyroid
	vertebral-column-2clases wine wine-quality-red wine-quality-white`)

// autoLargeSets are the sets of odd names that mixSets leaves out because they have more than 80,000 cells, up to
// 500,000.
var autoLargeSets = strings.Fields(`
	adult arrhythmia chess-krvkp nursery pendigits plant-margin plant-shape plant-texture statlog-shuttle`)

// coverageSets are the sets of values whose name, after "fd_", has an odd CRC-32. No setting of package forest/quantile
// was chosen on them.
var coverageSets = strings.Fields(`
	ale_localization boston combined_cycle computer_hardware energy_heating forest_fires gas_turbine_2011
	istanbul_stock parkinsons_telemonitoring`)

// autoValueSets are coverageSets and three others, so that there are twelve.
var autoValueSets = append(coverageSets[:len(coverageSets):len(coverageSets)], "auto_mpg", "electrical_grid",
	"energy_cooling")

// trialSets are the sets on which the idea of auto was first tried. Settings were chosen on some of them.
var trialSets = strings.Fields(`
	balance-scale breast-cancer-wisc-diag car conn-bench-sonar-mines-rocks contrac ecoli energy-y1 glass hill-valley
	image-segmentation ionosphere libras mammographic oocytes_merluccius_nucleus_4d page-blocks parkinsons pima
	ringnorm seeds spambase statlog-german-credit statlog-image statlog-vehicle synthetic-control tic-tac-toe twonorm
	waveform wine wine-quality-red`)

// rawSets are tables as they were published, with categories, missing cells or columns of very different scale. No
// setting of datasets.Prepare was chosen on those whose name has an odd CRC-32, which are all but credit-approval and
// horse-colic. The last three have values to predict, the others classes. Tables with columns that have no value in a
// fold, such as heart-va, aren't among them, because Impute refuses them and so the steps by hand.
var rawSets = strings.Fields(`
	adult mushroom credit-approval horse-colic arrhythmia congressional-voting cylinder-bands hepatitis mammographic
	soybean statlog-german-credit auto_mpg air_quality computer_hardware`)

// collectionFold loads a set of the collection: the fold that is the trial's repeat. 1 to 5 are those of one partition
// of the rows, stratified, 6 to 10 of another, and so on.
var collectionFold = foldOf("fd_", func(d *datasets.Dataset) *datasets.Dataset { return d })

// valueRows is how many rows of larger sets of values are used, evenly spaced.
const valueRows = 3000

// valueFold is collectionFold for sets of values.
var valueFold = foldOf("", func(d *datasets.Dataset) *datasets.Dataset { return d.Subset(trials.Spaced(d.N(), valueRows)) })

// rawFold is collectionFold for a table of rawSets. Of larger tables 7500 rows are drawn at random.
var rawFold = foldOf("", func(d *datasets.Dataset) *datasets.Dataset {
	rows := make([]int32, 7500)
	if d.N() <= len(rows) {
		return d
	}
	rng := forest.NewRand(1)
	rng.Choose(rows, d.N())
	return d.Subset(rows)
})

// foldOf returns the rows of a problem that is called like a set without the prefix: of some of its rows the fold that
// is the trial's repeat, stratified for classes.
func foldOf(prefix string, some func(d *datasets.Dataset) *datasets.Dataset) action {
	return func(ctx context.Context, t *trial) error {
		d, err := public.Load(ctx, prefix+t.Problem)
		if err != nil {
			return err
		}
		d = some(d)
		k := t.Repeat - 1
		folds, err := datasets.KFold{K: 5, Stratified: d.Labels != nil, Seed: 3 + uint64(k/5)}.Folds(d)
		if err != nil {
			return err
		}
		t.train, t.test = folds[k%5].Split(d)
		return nil
	}
}

// oneHotSteps fill missing cells, make indicators of categories, and standardise features. Methods that don't prepare
// tables by themselves have them.
var oneHotSteps = datasets.Steps{datasets.Impute{}, datasets.OneHot{}, datasets.Standardise{}}
