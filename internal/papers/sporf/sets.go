package sporf

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// Sets are the sets of table 1 that are at hand, as the paper's authors preprocessed them, in the order of the work
// that tuning SPORF is.
var Sets = strings.Fields(`
	balloons lenses iris acute_inflammation_task_1 acute_inflammation_task_2 haberman_survival post_operative seeds
	vertebral_column_task_1 balance_scale glass ecoli blood zoo monks_3 monks_1 planning hayes_roth wine spect
	monks_2 heart_switzerland hepatitis breast_cancer pima image_segmentation led_display ilpd_indian-liver
	breast_cancer-wisconsin heart_va conn_bench-vowel-deterding parkinsons car statlog_heart spectf heart_hungarian
	heart_cleveland congressional_voting titanic mammographic breast_cancer-wisconsin-prog wine_quality-red
	pittsburgh_bridges-SPAN contrac pittsburgh_bridges-T-OR-D pittsburgh_bridges-REL-L pittsburgh_bridges-MATERIAL
	pittsburgh_bridges-TYPE statlog_vehicle teaching horse_colic lung_cancer ionosphere dermatology
	breast_cancer-wisconsin-diag conn_bench-sonar-mines-rocks abalone flags tic_tac-toe page_blocks audiology_std
	wine_quality-white statlog_australian-credit statlog_image cardiotocography_task_1 credit_approval soybean
	annealing statlog_german-credit synthetic_control thyroid libras pendigits waveform nursery molec_biol-promoter
	ringnorm twonorm low_res-spect chess_krvkp hill_valley hill_valley-noise statlog_shuttle statlog_landsat letter
	waveform_noise bank musk_1 ozone spambase optical arrhythmia mushroom molec_biol-splice`)

// Coded are the sets of which the authors' files code some categories by a column for each value, with the number of
// features before.
var Coded = paper.Pairs(`
	monks_3 6 monks_1 6 hayes_roth 4 monks_2 6 heart_switzerland 13 breast_cancer 9 heart_va 13 statlog_heart 13
	heart_hungarian 13 heart_cleveland 13 titanic 3 mammographic 5 pittsburgh_bridges-SPAN 7 contrac 9
	pittsburgh_bridges-T-OR-D 7 pittsburgh_bridges-REL-L 7 pittsburgh_bridges-MATERIAL 7 pittsburgh_bridges-TYPE 7
	teaching 5 horse_colic 21 lung_cancer 56 abalone 8 flags 28 tic_tac-toe 9 audiology_std 69
	statlog_australian-credit 14 credit_approval 15 soybean 35 annealing 32 statlog_german-credit 20 nursery 8
	molec_biol-promoter 57 low_res-spect 101 chess_krvkp 36 bank 16 mushroom 22 molec_biol-splice 60`)

// lacks are the sets that aren't at hand.
const lacks = "adult, cardiotocography_task_2, chess_krvk, magic, musk_2, semeion, steel_plates, " +
	"vertebral_column_task_2, wall_following, yeast"

// Table1 is table 1: the error on each of the authors' five folds; a record's repeat is its fold. More has κ as the
// paper defines it ("kappa": chance is the share of rows that aren't in the largest class of the whole set), and as
// the paper computed it ("printed": the class coded 0 doesn't count as the largest). The paper has the first four
// methods and XGBoost. "SPORF, p before coding" has the grid for the number of features before categories were coded:
// by this reading of d and λ the columns of a category count as one feature.
var Table1 = paper.Experiment{Name: "table1", File: "sporf-table1-paper.csv", Grids: []paper.Grid{
	{Problems: Sets, Methods: []string{"RF", "SPORF", "RR-RF", "CCF", "ET", "GRAF", "OT", "RotF", "F-RC"},
		Repeats: 5, Order: "mpxr"},
	{Problems: slices.Sorted(maps.Keys(Coded)), Methods: []string{"SPORF, p before coding"}, Repeats: 5}}}

// Sizes are the sizes of the sets.
var Sizes = paper.Experiment{Name: "sporfsets", File: paper.SizesFile,
	Grids: []paper.Grid{{Problems: Sets, Methods: []string{"SPORF"}}}}

const (
	table1  = "sporf_table1_kappa_5fold.csv"
	tableAt = "sporf-sets#Table 1"
	boosted = "XGBoost" // its predictions are those of its own library, on the same folds
)

var (
	folds   = paper.Protocol{Sets: 105, Repeats: 5, Trees: 500}
	methods = []string{"RF", "SPORF", "RR-RF", "CCF", boosted}
	sizes   = paper.SizesTable{Of: Sizes.By("SPORF"), File: table1,
		Columns: []paper.Size{{Name: "rows", Printed: []string{"n"}},
			{Name: "features", Printed: []string{"p_num", "p_cat"}}, {Name: "classes", Printed: []string{"classes"}}}}
)

var sets = []paper.Figure{
	ofTable1("RF"), ofTable1("SPORF"), ofTable1("RR-RF"), ofTable1("CCF"),
	{Name: "Table 1, XGBoost", Shows: "κ in percent, mean of five folds", Place: tableAt,
		Paper: paper.Protocol{Sets: 105, Repeats: 5},
		Here:  paper.Protocol{Tuning: "a smaller grid", Sets: 71, Repeats: 5},
		Lacks: lacks, Files: []string{"classifiers.csv", paper.PredictionsFile}, Claims: tableClaims(boosted),
		Note: "the authors' grid has 200 settings, chosen by ROC for two classes; ours has fewer"},
	{Name: "Table 1, n, p and C", Shows: "rows, features and classes of the sets",
		Place: "sporf-sets#Rows, features and classes", Paper: paper.Protocol{Sets: 105},
		Of: []paper.Part{sizes.Of}, Lacks: lacks,
		Note: "features are counted after coding, in the paper before",
		Draw: func(r *paper.Results) paper.Drawing { return paper.Draw(nil, sizes.Table(r)) },
		Claims: []paper.Claim{{Says: "sets with another number of rows than printed", Find: sizes.Differ(0)},
			{Says: "sets with another number of classes than printed", Find: sizes.Differ(2)}}},
}

// fewerTrees is what stands for CCF on sets where it isn't tuned with 500 trees yet.
var fewerTrees = paper.StandIn{For: []paper.Part{OnSets.By("CCF")}, Of: []paper.Part{Table1.By("CCF")},
	Here: paper.Protocol{Repeats: 5, Tuning: "CCF's settings compared with 50 trees"}}

// ofTable1 is a column of table 1.
func ofTable1(method string) paper.Figure {
	f := paper.Figure{Name: "Table 1, " + method, Shows: "κ in percent, mean of five folds", Place: tableAt,
		Paper: folds, Here: paper.Protocol{Repeats: 5}, Lacks: lacks,
		Of: []paper.Part{OnSets.By(method)}, Claims: tableClaims(method)}
	switch method {
	case "RF":
		f.Draw = drawTable1
	case "CCF":
		f.Until = fewerTrees
	}
	return f
}

// errorsFile has the errors of table 1 in percent that the authors published, in means over the five folds. "SPORF
// again" is another run of theirs.
const errorsFile = "sporf_table1_errors.csv"

// tableClaims claims that we reproduce a column of table 1: κ, the errors on the authors' folds, and that our errors
// are as near to the authors' as their own second run.
func tableClaims(method string) []paper.Claim {
	return []paper.Claim{
		{Says: method + "'s κ in percent, mean over sets", Find: func(r *paper.Results) paper.Finding {
			return beside(r).Difference(method)
		}},
		{Says: method + "'s error in percent on the authors' folds, mean over sets",
			Find: func(r *paper.Results) paper.Finding { return besideErrors(r).Difference(method) }},
		{Says: "distance of " + method + "'s error from the authors', points, mean over sets: no more than of two runs of " +
			"theirs",
			Find: func(r *paper.Results) paper.Finding {
				return distances(r, method)
			}},
	}
}

// distances finds how far a method's errors are from the authors', beside how far two runs of theirs are apart on the
// same sets.
func distances(r *paper.Results, method string) paper.Finding {
	ours, again := besideErrors(r), authorsAgain(r)
	var here, theirs []float64
	for _, set := range Sets {
		o := math.Abs(ours.Ours(set, method).Value - ours.Paper(set, method).Value)
		a := math.Abs(again.Ours(set, "SPORF").Value - again.Paper(set, "SPORF").Value)
		if both := o + a; both == both {
			here, theirs = append(here, o), append(theirs, a)
		}
	}
	f := paper.Paired(here, theirs)
	f.Difference.Value = max(0, f.Difference.Value)
	return f
}

// authorsAgain sets another run of the authors' SPORF beside their first.
func authorsAgain(r *paper.Results) paper.Beside {
	b := besideErrors(r)
	b.Ours = func(set, _ string) paper.Number { return b.Paper(set, "SPORF again") }
	return b
}

// besideErrors sets the authors' errors beside ours.
func besideErrors(r *paper.Results) paper.Beside {
	ours := ofFolds(asTheAuthors(r), func(r paper.Record) float64 { return 100 * r.Score })
	return paper.Beside{Rows: Sets, Columns: methods, Paper: r.Printed(errorsFile).At, Ours: ours}
}

// The two κ of [Table1].
const (
	asDefined = "kappa"
	asPrinted = "printed"
)

// A table has numbers of sets and methods, None where there is no such number.
type table func(set, method string) paper.Number

// rows returns the numbers of methods on the sets that have all of them: a row a set.
func (t table) rows(sets []string, methods ...string) (all [][]float64) {
	for _, set := range sets {
		var row []float64
		for _, method := range methods {
			row = append(row, t(set, method).Value)
		}
		if !floats.HasNaN(row) {
			all = append(all, row)
		}
	}
	return all
}

// column returns a column of rows.
func column(rows [][]float64, j int) (x []float64) {
	for _, row := range rows {
		x = append(x, row[j])
	}
	return x
}

// difference returns a column less another.
func difference(rows [][]float64, j, from int) []float64 {
	return floats.SubTo(make([]float64, len(rows)), column(rows, j), column(rows, from))
}

// kappas returns the printed κ in percent.
func kappas(r *paper.Results) table { return ofFolds(asTheAuthors(r), kappa) }

// ourKappas is kappas with our defaults.
func ourKappas(r *paper.Results) table {
	return ofFolds(slices.Concat(r.Records(Table1.On()), predicted(r.Predictions())), kappa)
}

func kappa(r paper.Record) float64 { return 100 * r.More[asPrinted] }

// asTheAuthors returns the records of table 1's methods.
func asTheAuthors(r *paper.Results) []paper.Record {
	ccf := map[string]bool{}
	for _, record := range r.Records(fewerTrees.For[0]) {
		ccf[record.Problem] = true
	}
	fewer := slices.DeleteFunc(slices.Clone(r.Records(fewerTrees.Of[0])),
		func(record paper.Record) bool { return ccf[record.Problem] })
	return slices.Concat(r.Records(OnSets.On()), fewer, predicted(r.Predictions()))
}

// ofFolds returns means of a measure over the five folds where all are there, with standard errors over folds.
func ofFolds(records []paper.Record, measure paper.Measure) table {
	_, folds := paper.Grouped(records, func(r paper.Record) [2]string { return [2]string{r.Problem, r.Method} })
	return func(set, method string) paper.Number {
		var values []float64
		for _, r := range folds[[2]string{set, method}] {
			values = append(values, measure(r))
		}
		if len(values) != 5 {
			return paper.None
		}
		return paper.NumberOf(values)
	}
}

// predicted returns predictions on the sets of table 1 as records like those of [Table1].
func predicted(all []paper.Prediction) (records []paper.Record) {
	_, splits := paper.Grouped(all, func(p paper.Prediction) [2]string { return [2]string{p.Set, p.Method} })
	for of, folds := range splits {
		set, ok := strings.CutPrefix(of[0], "sporf/")
		if !ok {
			continue
		}
		method := of[1]
		if method == "XGB" {
			method = boosted
		}
		var truth [][]int32
		for _, fold := range folds {
			truth = append(truth, fold.Truth)
		}
		for _, fold := range folds {
			records = append(records, paper.Record{Run: paper.Run{Problem: set, Method: method, Repeat: fold.Repeat},
				Result: paper.Result{Score: fold.Error(), More: Kappas(fold.Error(), truth...)}})
		}
	}
	return records
}

// Kappas returns the two κ of [Table1] that an error is, by their names. Labels are those of all rows of the set.
func Kappas(wrong float64, labels ...[]int32) map[string]float64 {
	return map[string]float64{asDefined: 1 - wrong/chance(0, labels), asPrinted: 1 - wrong/chance(1, labels)}
}

// chance returns 1 − the largest share of a class, among the classes from the given one on.
func chance(from int32, labels [][]int32) float64 {
	counts := map[int32]int{}
	largest, rows := 0, 0
	for _, part := range labels {
		rows += len(part)
		for _, y := range part {
			if counts[y]++; y >= from {
				largest = max(largest, counts[y])
			}
		}
	}
	return 1 - float64(largest)/float64(rows)
}

// beside sets table 1 beside ours.
func beside(r *paper.Results) paper.Beside {
	return paper.Beside{Row: "data set", Rows: Sets, Columns: methods, Places: 1, Best: floats.Max,
		Paper: r.Printed(table1).At, Ours: kappas(r),
		Note: "κ in percent, means of five folds, with the chance error that the paper computed."}
}

func drawTable1(r *paper.Results) paper.Drawing {
	b := beside(r)
	errors := besideErrors(r)
	b.Note += " Median distance of our errors from the authors', points:"
	for _, method := range methods {
		b.Note += fmt.Sprintf(" %s %.2f,", method, eval.Median(errors.AbsoluteDifferences(method)))
	}
	b.Note += fmt.Sprintf(" two runs of theirs %.2f.", eval.Median(authorsAgain(r).AbsoluteDifferences("SPORF")))
	return paper.Draw(b.Distances("the paper's κ, %", "ours − the paper's, points"), b.Table())
}
