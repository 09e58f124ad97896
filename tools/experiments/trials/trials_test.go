package trials

import (
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

func TestTablesAreCurrent(t *testing.T) {
	want := must.Value(Page("../../.."))
	if got := string(must.Value(os.ReadFile("../../../docs/results/boosting.md"))); got != want {
		t.Error("docs/results/boosting.md isn't what the results make; make reproduction writes it")
	}
	want, _, err := Pays("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(must.Value(os.ReadFile("../../../docs/results/pays.md"))); got != want {
		t.Error("docs/results/pays.md isn't what the results make; make reproduction writes it")
	}
}

// The README's table of boosting has the committed results.
func TestReadmeIsCurrent(t *testing.T) {
	page, now := string(must.Value(os.ReadFile("../../../README.md"))), must.Value(anchored("../../.."))
	all := make([]int, len(now.sets))
	for s := range all {
		all[s] = s
	}
	for name, method := range map[string]string{"AutoGluon, best quality": "AutoGluon best",
		"AutoGluon, medium quality": "AutoGluon medium", "CatBoost": "CatBoost refit", "LightGBM": "LightGBM refit",
		"scikit-learn, HistGradientBoosting": "HistGradientBoosting stopped", "`auto.Learner`": "auto"} {
		row := "| " + name + " | | |"
		if method != "auto" {
			d := now.duel("auto", method)
			row = fmt.Sprintf("| %s | %d | %s %% |", name, d.better, strings.TrimPrefix(percent(d.relative, all), "+"))
		}
		for _, what := range []string{"processor", "predict"} {
			row += " " + seconds(now.seconds(method, what)) + " |"
		}
		if page := strings.ReplaceAll(page, " sets of 35 |", " |"); !strings.Contains(page, row+"\n") {
			t.Errorf("README.md lacks %s", row)
		}
	}
}

// seconds formats a time with three digits, at most two of them decimals.
func seconds(s float64) string {
	return paper.Decimals(s, max(0, min(2, 2-int(math.Floor(math.Log10(s))))))
}

// No setting was chosen on the sets, whose names have odd CRC-32s, and they are of the sizes that these say.
func TestSetsOfOddNames(t *testing.T) {
	for _, c := range []struct {
		prefix            string
		sets              []string
		rows, above, most int // at least so many rows, and cells above and at most
	}{{"fd_", autoSets, 100, 0, 80_000}, {"fd_", autoLargeSets, 0, 80_000, 500_000}, {"", autoValueSets[:9], 0, 0, 1e9}} {
		for _, set := range c.sets {
			if crc32.ChecksumIEEE([]byte("fd_"+set))%2 == 0 {
				t.Errorf("%s has an even CRC-32", set)
			}
			if os.Getenv("OBLIQUA_DATA") == "" {
				continue
			}
			d := must.Value(public.Load(t.Context(), c.prefix+set))
			if cells := d.N() * d.P(); d.N() < c.rows || cells <= c.above || cells > c.most {
				t.Errorf("%s has %d rows and %d features", set, d.N(), d.P())
			}
		}
	}
}

// Three sets with two folds of each of two methods, so that all is computed by hand.
func TestBoostResults(t *testing.T) {
	sets := []string{"blood", "glass", "ecoli"}
	var records []paper.Record
	for s, losses := range [][4]float64{{0.1, 0.1, 0.2, 0.2001}, {0.4, 0.6, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.12}} {
		for i, v := range losses {
			records = append(records, paper.Record{
				Run:    paper.Run{Problem: sets[s], Method: boostRanked[i/2], Repeat: 1 + i%2},
				Result: paper.Result{Score: v, More: map[string]float64{"rows": float64(10*s + i%2)}},
			})
		}
	}
	r, err := boostResultsOf(sets, records, boostRanked, 5)
	if err != nil || r.folds != 0 {
		t.Fatalf("%+v, error %v; want no partition of five folds", r, err)
	}
	r.folds = 2
	// On blood the differences 0.1 and 0.1001 are significant. On glass −0.3 and −0.5 have the standard error
	// 0.1·√(1 + 2/4), so t = −3.27, and P = 1 − 2·atan(3.27)/π = 0.19 with a degree of freedom. Of the relative losses
	// two are positive, of ranks 1 and 2; no sum of signed ranks is likelier than theirs.
	d := r.duel("boost", "mix")
	for s, want := range []float64{0.21005 / 0.11, 0.11 / 0.51, 0.12 / 0.11} {
		if math.Abs(d.relative[s]-math.Log(want)) > 1e-12 {
			t.Errorf("%s: %v, want ln %v", sets[s], d.relative[s], want)
		}
	}
	if d.better != 2 || d.worse != 1 || d.surelyBetter != 1 || d.surelyWorse != 0 || d.p != 1 {
		t.Errorf("%+v", d)
	}
	ranks, n := r.ranks(paper.Score)
	if n != 3 || math.Abs(ranks["boost"]-4./3) > 1e-12 || math.Abs(ranks["mix"]-5./3) > 1e-12 {
		t.Errorf("ranks %v on %d sets", ranks, n)
	}
	// On a set both methods have the same mean, of which a computer's first one is 0.15000000000000002.
	tie := &boostResults{sets: sets[:1], ranked: boostRanked[:3], folds: 2, of: map[paper.Run]paper.Record{}}
	for i, v := range [][2]float64{{0.1, 0.2}, {0.15, 0.15}, {0.4, 0.4}} {
		for fold, score := range v {
			run := paper.Run{Problem: sets[0], Method: boostRanked[i], Repeat: 1 + fold}
			tie.of[run] = paper.Record{Run: run, Result: paper.Result{Score: score}}
		}
	}
	ranks, _ = tie.ranks(paper.Score)
	if ranks["boost"] != 1.5 || ranks["mix"] != 1.5 || ranks["auto"] != 3 {
		t.Errorf("ranks %v; want a tie of the first two", ranks)
	}
	if page := tie.bySet(); !strings.Contains(page, "| blood | **0.1500** | **0.1500** | 0.4000 |") {
		t.Errorf("not both of the lowest losses are bold: %s", page)
	}
	if got := percent([]float64{9, 0.01, -0.05}, []int{1, 2}); got != "−2.0 ± 3.0" {
		t.Errorf("1 and −5 %% are %s", got)
	}
	records[0].More = map[string]float64{"rows": 7}
	if _, err := boostResultsOf(sets, records, boostRanked, 5); err == nil ||
		!strings.Contains(err.Error(), "other rows") {
		t.Errorf("error %v of other rows", err)
	}
}

// The kinds are those of the sets. Of the sets that no setting was chosen on, the others are smaller, were in the
// trial, or have more classes.
func TestBoostSets(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	load := func(set string) *datasets.Dataset {
		return must.Value(public.Load(t.Context(), set))
	}
	for kind, sets := range boostKinds {
		for _, set := range sets {
			if got := min(2, max(0, len(load(set).Classes)-1)); got != kind {
				t.Errorf("%s is of kind %d, not %d", set, got, kind)
			}
		}
	}
	least := load("haberman-survival").N()
	for _, set := range slices.Concat(autoSets, autoLargeSets) {
		if slices.Contains(boostSets, set) || slices.Contains(boostSets, "fd_"+set) {
			continue
		}
		if d := load("fd_" + set); d.N() >= least && len(d.Classes) <= 10 {
			t.Errorf("%s has %d rows and %d classes", set, d.N(), len(d.Classes))
		}
	}
	if n := len(boostSets); n != 35 {
		t.Errorf("%d sets", n)
	}
}

// Predictions are judged by hand: −ln 0.8 where they are right, and −ln(10⁻⁶/(1 + 10⁻⁶)) where they give the true class
// nothing.
func TestJudge(t *testing.T) {
	d := &datasets.Dataset{Columns: [][]float32{{1, 2, 3, 4, 5, 6, 7, 8}}, Features: []datasets.Feature{{Name: "x"}},
		Labels: []int32{0, 0, 0, 0, 1, 1, 1, 1}, Classes: []string{"a", "b"}}
	judged := func(made Prediction) paper.Result {
		job := trial.Trial{Result: paper.Result{More: map[string]float64{}}}
		job.Train, job.Test = d.Subset([]int32{0, 1, 4, 5}), d.Subset([]int32{2, 7})
		judge(&job, made)
		return job.Result
	}
	r := judged(Prediction{Proba: [][]float64{{0.8, 0.2}, {1, 0}}, Fit: 2, Predict: 1, Setting: "v"})
	want := (math.Log1p(1e-6) - math.Log(1e-6) - math.Log(0.8)) / 2
	if math.Abs(r.Score-want) > 1e-12 || r.Seconds != 2 || r.Setting != "v" || r.More["error"] != 0.5 ||
		r.More["auc"] != 0 || r.More["predict"] != 1 || r.More["processor"] != 2 {
		t.Errorf("%+v; want the loss %v", r, want)
	}
	// The training values 1, 2, 5 and 6 have variance 17/4, the errors 1 and 2 the mean square 5/2.
	d.Labels, d.Classes, d.Values = nil, nil, []float64{1, 2, 3, 4, 5, 6, 7, 8}
	if r := judged(Prediction{Values: []float64{4, 6}}); math.Abs(r.Score-math.Sqrt(10./17)) > 1e-12 {
		t.Errorf("%+v", r)
	}
}

// The check sum is that of Python's zlib.crc32 of the numbers' bytes, the columns before the targets.
func TestRowsSum(t *testing.T) {
	d := &datasets.Dataset{Columns: [][]float32{{1, 2, 3}, {4, 5, 6}}, Features: make([]datasets.Feature, 2),
		Labels: []int32{0, 1, 1}, Classes: []string{"a", "b"}}
	if got := rowsSum(d.Subset([]int32{0, 2}), d.Subset([]int32{1})); got != 719830 {
		t.Errorf("%d of classes", got)
	}
	d.Labels, d.Classes, d.Values = nil, nil, []float64{0.5, 1.5, 2.5}
	if got := rowsSum(d.Subset([]int32{0, 2}), d.Subset([]int32{1})); got != 338115 {
		t.Errorf("%d of values", got)
	}
}
