package old

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

// A sporfSet is a set of table 1, as the paper's authors preprocessed it.
type sporfSet struct {
	name           string // of their file
	rows, features int
	original       int // features before categories were coded by a column for each value
}

// sporfSets are the sets of table 1 that are at hand, in the order of the work that tuning SPORF is, each with the
// numbers of a [sporfSet].
var sporfSets = parseSPORFSets(`
	balloons 16 4 4  lenses 24 4 4  iris 150 4 4  acute_inflammation_task_1 120 6 6  acute_inflammation_task_2 120 6 6
	haberman_survival 306 3 3  post_operative 90 8 8  seeds 210 7 7  vertebral_column_task_1 310 6 6
	balance_scale 625 4 4  glass 214 9 9  ecoli 336 7 7  blood 748 4 4  zoo 101 16 16  monks_3 122 15 6
	monks_1 124 15 6  planning 182 12 12  hayes_roth 132 15 4  wine 178 13 13  spect 80 22 22  monks_2 169 15 6
	heart_switzerland 123 20 13  hepatitis 155 19 19  breast_cancer 286 15 9  pima 768 8 8
	image_segmentation 210 19 19  led_display 1000 7 7  ilpd_indian-liver 583 10 10  breast_cancer-wisconsin 699 9 9
	heart_va 200 20 13  conn_bench-vowel-deterding 528 11 11  parkinsons 195 22 22  car 1728 6 6
	statlog_heart 270 20 13  spectf 80 44 44  heart_hungarian 294 20 13  heart_cleveland 303 20 13
	congressional_voting 435 16 16  titanic 2201 6 3  mammographic 961 12 5  breast_cancer-wisconsin-prog 198 33 33
	wine_quality-red 1599 11 11  pittsburgh_bridges-SPAN 92 63 7  contrac 1473 12 9
	pittsburgh_bridges-T-OR-D 102 63 7  pittsburgh_bridges-REL-L 103 63 7  pittsburgh_bridges-MATERIAL 106 63 7
	pittsburgh_bridges-TYPE 106 63 7  statlog_vehicle 846 18 18  teaching 151 54 5  horse_colic 300 36 21
	lung_cancer 32 144 56  ionosphere 351 34 34  dermatology 366 34 34  breast_cancer-wisconsin-diag 569 30 30
	conn_bench-sonar-mines-rocks 208 60 60  abalone 4177 10 8  flags 194 65 28  tic_tac-toe 958 27 9
	page_blocks 5473 10 10  audiology_std 200 73 69  wine_quality-white 4898 11 11
	statlog_australian-credit 690 38 14  statlog_image 2310 19 19  cardiotocography_task_1 2126 21 21
	credit_approval 690 42 15  soybean 307 70 35  annealing 798 48 32  statlog_german-credit 1000 43 20
	synthetic_control 600 60 60  thyroid 3772 21 21  libras 360 90 90  pendigits 7494 16 16  waveform 5000 21 21
	nursery 12960 13 8  molec_biol-promoter 106 228 57  ringnorm 7400 20 20  twonorm 7400 20 20
	low_res-spect 531 104 101  chess_krvkp 3196 38 36  hill_valley 606 100 100  hill_valley-noise 606 100 100
	statlog_shuttle 43500 9 9  statlog_landsat 4435 36 36  letter 20000 16 16  waveform_noise 5000 40 40
	bank 4521 43 16  musk_1 476 166 166  ozone 2534 72 72  spambase 4601 57 57  optical 3823 64 64
	arrhythmia 452 279 279  mushroom 8124 109 22  molec_biol-splice 3190 287 60`)

func parseSPORFSets(text string) (sets []sporfSet) {
	for words := range slices.Chunk(strings.Fields(text), 4) {
		s := sporfSet{name: words[0]}
		if _, err := fmt.Sscan(strings.Join(words[1:], " "), &s.rows, &s.features, &s.original); err != nil {
			panic(err)
		}
		sets = append(sets, s)
	}
	return sets
}

func sporfNames() (names []string) {
	for _, set := range sporfSets {
		names = append(names, set.name)
	}
	return names
}

// sporfTrees is the number of trees of table 1.
const sporfTrees = 500

// sporfMethods are the columns of table 1. The first four are the paper's, tuned over its grids (section 3.2): RF's
// settings are all compared with 500 trees, as in the paper. Those of SPORF, RR-RF and F-RC are raced, and those of
// methods without out-of-bag rows are compared with 50 trees in each of five folds. XGBoost, the paper's other method,
// is measured by tools/peers. "SPORF, whole grid" and "RR-RF, whole grid" are tuned as RF is, as in the paper. No paper
// has the others in this table: ET and F-RC are tuned as RF and SPORF are, and the
// rest have their defaults, but for the number of trees. GRAF and OT, whose splits depend on the units of features,
// have standardised ones.
var sporfMethods = slices.Concat(
	tuned(sporfTrees, sporfTrees, familyRF),
	[]method{raced(sporfTrees, familySPORF), raced(sporfTrees, familyRRRF)},
	tuned(sporfTrees, sporfTrees, familyCCF, familyET),
	[]method{
		withSetting("GRAF", func(*trial) forest.Learner { return graf.Learner{Trees: sporfTrees} }, datasets.Standardise{}),
		withSetting("OT", func(*trial) forest.Learner { return oblique.Learner{Trees: sporfTrees} }, datasets.Standardise{}),
		withSetting("RotF", func(*trial) forest.Learner { return rotation.Learner{Trees: sporfTrees} }),
		raced(sporfTrees, familyFRC),
	},
	tuned(sporfTrees, sporfTrees, family{"SPORF, whole grid", familySPORF.grid},
		family{"RR-RF, whole grid", familyRRRF.grid}))

// sporfTable1 is table 1: the error rate on each of the authors' five folds of their own preprocessed data, which must
// be in a folder of OBLIQUA_DATA. A record's repeat is its fold. More has κ as the paper defines it ("kappa": chance is
// the share of rows that aren't in the largest class of the whole set), and as the paper very probably computed it
// ("printed": the class coded 0 doesn't count as the largest). The fast setting has wine, balance_scale and car, and RF
// and SPORF.
//
// "SPORF, p before coding" is SPORF with a grid for the number of features before categories were coded by a column for
// each value: the other reading of d and λ, by which the columns of a category count as one feature.
func sporfTable1(s size) []Run {
	table := study{
		problems: problems(pick(s, []string{"balance_scale", "wine", "car"}, sporfNames()), sporfFold),
		methods:  pick(s, sporfMethods[:2], sporfMethods), repeats: 5, order: "mpxr", measure: sporfKappas,
	}
	runs := table.runs()
	for _, set := range sporfSets {
		if s == full && set.original < set.features {
			table.problems = problems([]string{set.name}, sporfFold)
			table.methods = []method{raced(sporfTrees, family{"SPORF, p before coding", func(*trial) []forest.Learner {
				return sporf.Learner{}.Grid(ofFeatures(set.original))
			}})}
			runs = append(runs, table.runs()...)
		}
	}
	return runs
}

// sporfKappas is the measure of table 1.
func sporfKappas(ctx context.Context, t *trial) error {
	err := errorRate(ctx, t)
	t.More["kappa"] = 1 - t.Score/chanceError(0, t.train.Labels, t.test.Labels)
	t.More["printed"] = 1 - t.Score/chanceError(1, t.train.Labels, t.test.Labels)
	return err
}

// chanceError returns 1 − the largest share of a class, among the classes from the given one on.
func chanceError(from int32, parts ...[]int32) float64 {
	counts := map[int32]int{}
	largest, rows := 0, 0
	for _, labels := range parts {
		rows += len(labels)
		for _, y := range labels {
			if y >= from {
				counts[y]++
				largest = max(largest, counts[y])
			}
		}
	}
	return 1 - float64(largest)/float64(rows)
}

// sporfFold loads a set of the SPORF authors: the fold of their partition that is the trial's repeat.
func sporfFold(ctx context.Context, t *trial) error {
	d, err := public.Load(ctx, "sporf/"+t.Problem)
	if err != nil {
		return err
	}
	name := filepath.Join("sporf", "partitions", t.Problem+"_partitions.txt.gz")
	folds, err := fromData(name, func(path string) ([]datasets.Fold, error) {
		return datasets.ReadPartition(ctx, path, d.N())
	})
	if err != nil {
		return err
	}
	t.train, t.test = folds[t.Repeat-1].Split(d)
	return nil
}

// fromData reads a file that the first folder of OBLIQUA_DATA to have it has. It returns an error that is
// [fs.ErrNotExist] if none has.
func fromData[T any](name string, read func(path string) (T, error)) (result T, err error) {
	for _, folder := range filepath.SplitList(os.Getenv("OBLIQUA_DATA")) {
		if result, err = read(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
			return result, err
		}
	}
	return result, fmt.Errorf("no folder of OBLIQUA_DATA has %s: %w", name, fs.ErrNotExist)
}

// A publishedKappa is a cell of the printed table 1: κ and its standard error over folds, in percent.
type publishedKappa struct{ Kappa, StdErr float64 }

// A SPORFCell is a cell of table 1: means and standard errors over the five folds, in percent.
type SPORFCell struct {
	Set, Method string
	Error       publishedKappa // the error rate
	Kappa       publishedKappa // as the paper defines it
	Printed     publishedKappa // as the paper very probably computed it; see sporfTable1
	Published   publishedKappa // NaN if the paper doesn't have the method
}

// SPORFCells returns the cells whose five folds are among the records, in the order of their first
// appearance, beside the published ones, whose columns are called such as RF_kappa_pct and RF_sem.
func SPORFCells(records []Record, published map[string]map[string]float64) (cells []SPORFCell) {
	order, folds := grouped(records, func(r Record) group { return group{problem: r.Problem, method: r.Method} })
	for _, g := range order {
		if len(folds[g]) < 5 {
			continue
		}
		summary := func(of func(r Record) float64) publishedKappa {
			var x []float64
			for _, r := range folds[g] {
				x = append(x, 100*of(r))
			}
			mean, stderr := eval.MeanStdErr(x)
			return publishedKappa{mean, stderr}
		}
		c := SPORFCell{Set: g.problem, Method: g.method, Published: publishedKappa{math.NaN(), math.NaN()},
			Error:   summary(func(r Record) float64 { return r.Score }),
			Kappa:   summary(func(r Record) float64 { return r.More["kappa"] }),
			Printed: summary(func(r Record) float64 { return r.More["printed"] }),
		}
		if kappa, ok := published[g.problem][g.method+"_kappa_pct"]; ok {
			c.Published = publishedKappa{kappa, published[g.problem][g.method+"_sem"]}
		}
		cells = append(cells, c)
	}
	return cells
}

// Deviation returns the difference between a κ of ours and the published one, in combined standard
// errors; 0 if both have none and the difference is below the half percent that rounding may be. It is NaN if the paper
// lacks the cell.
func (c SPORFCell) Deviation(ours publishedKappa) float64 {
	difference, stderr := ours.Kappa-c.Published.Kappa, math.Hypot(ours.StdErr, c.Published.StdErr)
	if stderr == 0 && math.Abs(difference) < 0.5 {
		return 0
	}
	return difference / stderr
}

// CellTable returns the κ of each method on the sets on which all of the methods have a cell:
// a row a set, a column a method, and the names of the sets.
func CellTable(cells []SPORFCell, methods []string, of func(c SPORFCell) float64) (sets []string, table [][]float64) {
	rows := map[string][]float64{}
	for _, c := range cells {
		if j := slices.Index(methods, c.Method); j >= 0 {
			if rows[c.Set] == nil {
				rows[c.Set] = slices.Repeat([]float64{math.NaN()}, len(methods))
				sets = append(sets, c.Set)
			}
			rows[c.Set][j] = of(c)
		}
	}
	sets = slices.DeleteFunc(sets, func(set string) bool { return slices.ContainsFunc(rows[set], math.IsNaN) })
	for _, set := range sets {
		table = append(table, rows[set])
	}
	return sets, table
}
