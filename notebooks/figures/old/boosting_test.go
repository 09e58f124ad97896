package old

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// boostRanked are the methods that are ranked, and whose losses are shown by set. The first is compared with the rest.
var boostRanked = []string{"boost", "mix", "auto", "CatBoost", "CatBoost refit", "LightGBM refit", "XGBoost refit",
	"HistGradientBoosting stopped", "YDF oblique"}

// boostResults are the finished partitions of the experiment and of its peers, by method, set and fold.
type boostResults struct {
	methods []string
	ranked  []string // of these
	sets    []string
	folds   int
	of      map[group]Record // x is the fold, from 1
}

// boostResultsOf returns the partitions of which all methods have all folds. It returns an error if two methods had
// different rows.
func boostResultsOf(sets []string, records []Record) (*boostResults, error) {
	r := &boostResults{sets: sets, of: map[group]Record{}}
	runs, rows := map[int]int{}, map[group]float64{} // by fold; by set and fold
	for _, one := range records {
		if !slices.Contains(r.methods, one.Method) {
			r.methods = append(r.methods, one.Method)
		}
		r.of[group{one.Problem, one.Method, one.Repeat}] = one
		runs[one.Repeat]++
		at := group{problem: one.Problem, x: one.Repeat}
		if known, ok := rows[at]; ok && known != one.More["rows"] {
			return nil, fmt.Errorf("%v had other rows than another method", one.Run)
		}
		rows[at] = one.More["rows"]
	}
	for runs[r.folds+1] > 0 && runs[r.folds+1] == len(sets)*len(r.methods) {
		r.folds++
	}
	r.folds -= r.folds % 5
	for _, method := range boostRanked {
		if slices.Contains(r.methods, method) {
			r.ranked = append(r.ranked, method)
		}
	}
	return r, nil
}

// means returns the mean over folds of a measure of each set.
func (r *boostResults) means(method string, of func(Record) float64) (means []float64) {
	for _, set := range r.sets {
		var x []float64
		for fold := 1; fold <= r.folds; fold++ {
			if v := of(r.of[group{set, method, fold}]); v == v {
				x = append(x, v)
			}
		}
		means = append(means, eval.Mean(x))
	}
	return means
}

// ranks returns the mean ranks over the sets that have a measure, 1 for the lowest, and the number of these sets.
func (r *boostResults) ranks(of func(Record) float64) (map[string]float64, int) {
	sums, sets := map[string]float64{}, 0
	for s := range r.sets {
		var x []float64
		for _, method := range r.ranked {
			x = append(x, r.means(method, of)[s])
		}
		if math.IsNaN(eval.Mean(x)) {
			continue
		}
		sets++
		for i, rank := range eval.Ranks(x) {
			sums[r.ranked[i]] += rank
		}
	}
	for method := range sums {
		sums[method] /= float64(sets)
	}
	return sums, sets
}

func loss(r Record) float64 { return r.Score }

// A boostDuel is a method against another, the first.
type boostDuel struct {
	relative                  []float64 // by set: ln((loss + 0.01)/(the first's loss + 0.01))
	better, worse             int       // sets on which the first has the lower or higher loss
	surelyBetter, surelyWorse int       // the same, by the corrected resampled t-test over folds at the level of 5 %
	p                         float64   // two-sided, by Wilcoxon's test of relative
}

func (r *boostResults) duel(first, method string) (d boostDuel) {
	ours, theirs := r.means(first, loss), r.means(method, loss)
	for s, set := range r.sets {
		ratio := math.Log((theirs[s] + 0.01) / (ours[s] + 0.01))
		d.relative = append(d.relative, ratio)
		var x, y []float64
		for fold := 1; fold <= r.folds; fold++ {
			x = append(x, r.of[group{set, first, fold}].Score)
			y = append(y, r.of[group{set, method, fold}].Score)
		}
		sure := 0
		if eval.ResampledTTest(x, y, 0.25).P < 0.05 {
			sure = 1
		}
		switch {
		case ratio > 1e-4:
			d.better, d.surelyBetter = d.better+1, d.surelyBetter+sure
		case ratio < -1e-4:
			d.worse, d.surelyWorse = d.worse+1, d.surelyWorse+sure
		}
	}
	none := make([]float64, len(d.relative))
	d.p = min(1, 2*eval.Wilcoxon(d.relative, none), 2*eval.Wilcoxon(none, d.relative))
	return d
}

// percent writes the mean and its standard error of some of the numbers, in percent.
func percent(x []float64, at []int) string {
	var some []float64
	for _, i := range at {
		some = append(some, 100*x[i])
	}
	mean, stderr := eval.MeanStdErr(some)
	return strings.ReplaceAll(fmt.Sprintf("%+.1f ± %.1f", mean, stderr), "-", "−")
}

// kinds returns the numbers of the sets of values, of two classes and of more.
func (r *boostResults) kinds() (kinds [3][]int) {
	for s, set := range r.sets {
		kind := slices.IndexFunc(boostKinds[:], func(names []string) bool { return slices.Contains(names, set) })
		kinds[kind] = append(kinds[kind], s)
	}
	return kinds
}

// duels returns a table of methods against the first.
func (r *boostResults) duels(first string, methods []string) string {
	if r.folds == 0 {
		return "No partition is finished.\n"
	}
	kinds := r.kinds()
	ranks, _ := r.ranks(loss)
	var b strings.Builder
	fmt.Fprintf(&b, "%d sets (%d of values, %d of two classes, %d of more), %d of 3 partitions into five folds.\n\n",
		len(r.sets), len(kinds[0]), len(kinds[1]), len(kinds[2]), r.folds/5)
	fmt.Fprintf(&b, "| method | mean rank | %[1]s better : worse | significantly | p | loss against %[1]s, %% | values | "+
		"two classes | more |\n| --- |%[2]s\n", first, strings.Repeat(" ---: |", 8))
	for _, method := range methods {
		fmt.Fprintf(&b, "| %s | %s |", method, rank(ranks, method))
		if method == first {
			b.WriteString(strings.Repeat("  |", 7) + "\n")
			continue
		}
		d := r.duel(first, method)
		fmt.Fprintf(&b, " %d : %d | %d : %d | %.2g |", d.better, d.worse, d.surelyBetter, d.surelyWorse, d.p)
		for _, at := range [][]int{slices.Concat(kinds[:]...), kinds[0], kinds[1], kinds[2]} {
			fmt.Fprintf(&b, " %s |", percent(d.relative, at))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// rank writes the rank of a method, if it has one.
func rank(of map[string]float64, method string) string {
	if v, ok := of[method]; ok {
		return fmt.Sprintf("%.2f", v)
	}
	return ""
}

// bySet returns tables of further ranks, of times and of losses by set.
func (r *boostResults) bySet() string {
	errors, withClasses := r.ranks(more("error", 1))
	areas, _ := r.ranks(more("auc", -1))
	var b strings.Builder
	fmt.Fprintf(&b, "\n| method | rank in error (%d sets) | rank in AUC | s to train | of boost's | s to predict |\n"+
		"| --- |%s\n", withClasses, strings.Repeat(" ---: |", 5))
	sum := func(method, what string) (s float64) {
		for _, v := range r.means(method, more(what, 1)) {
			s += v
		}
		return s
	}
	for _, method := range r.methods {
		fmt.Fprintf(&b, "| %s | %s | %s | %.1f | %.2f | %.2f |\n", method, rank(errors, method), rank(areas, method),
			sum(method, "processor"), sum(method, "processor")/sum(boostRanked[0], "processor"), sum(method, "predict"))
	}
	b.WriteString("\n| set | " + strings.Join(r.ranked, " | ") + " |\n| --- |" +
		strings.Repeat(" ---: |", len(r.ranked)) + "\n")
	for s, set := range r.sets {
		var losses []string
		for _, method := range r.ranked {
			losses = append(losses, fmt.Sprintf("%.4f", r.means(method, loss)[s]))
		}
		for i, v := range losses {
			if v == slices.Min(losses) {
				losses[i] = "**" + v + "**"
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", set, strings.Join(losses, " | "))
	}
	return b.String()
}

// The tables of docs/boost.md and docs/auto.md are those of the results in docs/results. After new ones write them by
//
//	go test ./notebooks/figures -run TestBoostTables -boost.update
var boostUpdate = flag.Bool("boost.update", false, "write the tables of docs/boost.md and docs/auto.md")

func TestBoostTables(t *testing.T) {
	var records []Record
	for _, file := range []string{"boost", "boost-peers"} {
		some, err := readRecords("../../../docs/results/" + file + "-paper.csv")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		records = append(records, some...)
	}
	r, err := boostResultsOf(boostSets, records)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"../../../docs/boost.md": r.duels("boost", r.methods) + r.bySet(),
		"../../../docs/auto.md":  r.duels("auto", r.ranked),
	} {
		const begin, end = "<!-- tables begin; TestBoostTables writes them -->\n\n", "\n<!-- tables end -->\n"
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(page), begin)
		printed, after, also := strings.Cut(rest, end)
		if !ok || !also {
			t.Fatalf("%s has no lines\n%s%s", path, begin, end)
		}
		if *boostUpdate {
			err = os.WriteFile(path, []byte(before+begin+want+end+after), 0o666)
		} else if printed != want {
			err = fmt.Errorf("the tables of %s aren't those of the results; -boost.update writes them", path)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// Three sets with two folds of each of two methods, so that all is computed by hand.
func TestBoostResults(t *testing.T) {
	sets := []string{"blood", "glass", "ecoli"}
	var records []Record
	for s, losses := range [][4]float64{{0.1, 0.1, 0.2, 0.2001}, {0.4, 0.6, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.12}} {
		for i, v := range losses {
			records = append(records, Record{
				Run:    Run{Problem: sets[s], Method: boostRanked[i/2], Repeat: 1 + i%2},
				Result: Result{Score: v, More: map[string]float64{"rows": float64(10*s + i%2)}},
			})
		}
	}
	r, err := boostResultsOf(sets, records)
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
	if ranks, n := r.ranks(loss); n != 3 || math.Abs(ranks["boost"]-4./3) > 1e-12 || math.Abs(ranks["mix"]-5./3) > 1e-12 {
		t.Errorf("ranks %v on %d sets", ranks, n)
	}
	if got := percent([]float64{9, 0.01, -0.05}, []int{1, 2}); got != "−2.0 ± 3.0" {
		t.Errorf("1 and −5 %% are %s", got)
	}
	records[0].More = map[string]float64{"rows": 7}
	if _, err := boostResultsOf(sets, records); err == nil || !strings.Contains(err.Error(), "other rows") {
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
	for _, set := range slices.Concat(mixSets, autoLargeSets) {
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

// A peer gets prepared matrices and the partition's seed, and its reply is judged by hand: −ln 0.8 where it is right,
// and −ln(10⁻⁶/(1 + 10⁻⁶)) where it gave the true class nothing. A reply about other rows is an error.
func TestBoostPeers(t *testing.T) {
	d := &datasets.Dataset{Columns: [][]float32{{1, 2, 3, 4, 5, 6, 7, 8}}, Features: []datasets.Feature{{Name: "x"}},
		Labels: []int32{0, 0, 0, 0, 1, 1, 1, 1}, Classes: []string{"a", "b"}}
	ask := func(reply BoostReply) (Result, error) {
		job := trial{Result: Result{More: map[string]float64{}}}
		job.train, job.test = d.Subset([]int32{0, 1, 4, 5}), d.Subset([]int32{2, 7})
		if reply.Rows == 0 {
			reply.Rows = rowsSum(job.train, job.test)
		}
		err := job.judge(reply)
		return job.Result, err
	}
	r, err := ask(BoostReply{Proba: [][]float64{{0.8, 0.2}, {1, 0}}, Fit: 2, Predict: 1, Setting: "v"})
	want := (math.Log1p(1e-6) - math.Log(1e-6) - math.Log(0.8)) / 2
	if err != nil || math.Abs(r.Score-want) > 1e-12 || r.Seconds != 2 || r.Setting != "v" ||
		r.More["error"] != 0.5 || r.More["auc"] != 0 || r.More["predict"] != 1 || r.More["processor"] != 2 {
		t.Errorf("%+v, error %v; want the loss %v", r, err, want)
	}
	for want, reply := range map[string]BoostReply{
		"check sum 1":                       {Rows: 1},
		"probabilities of 1 of 2 test rows": {Proba: [][]float64{{1, 0}}},
		"1 probabilities of 2 classes":      {Proba: [][]float64{{1, 0}, {1}}},
	} {
		if _, err := ask(reply); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	// The training values 1, 2, 5 and 6 have variance 17/4, the errors 1 and 2 the mean square 5/2.
	d.Labels, d.Classes, d.Values = nil, nil, []float64{1, 2, 3, 4, 5, 6, 7, 8}
	if r, err := ask(BoostReply{Values: []float64{4, 6}}); err != nil || math.Abs(r.Score-math.Sqrt(10./17)) > 1e-12 {
		t.Errorf("%+v, error %v", r, err)
	}
	if _, err := ask(BoostReply{}); err == nil || !strings.Contains(err.Error(), "0 values of 2 test rows") {
		t.Errorf("error %v", err)
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

// The runs are those of both sides: the same sets, folds and seeds.
func TestBoostRuns(t *testing.T) {
	ours, peers := boosting(full), BoostPeers(true, nil).Runs
	if len(ours) != 35*15*4 || len(peers) != 35*15*13 {
		t.Fatalf("%d and %d runs", len(ours), len(peers))
	}
	for i, r := range ours {
		p := peers[i/4*13]
		if r.Problem != p.Problem || r.Repeat != p.Repeat || r.Seed != p.Seed || r.Seed != 3+uint64(r.Repeat-1)/5 {
			t.Fatalf("run %d is %v beside %v", i, r, p)
		}
	}
	for i, want := range map[int]int{0: 1, 35 * 5 * 4: 6} {
		if ours[i].Repeat != want {
			t.Errorf("run %d is %v", i, ours[i])
		}
	}
}

// Both sides get the same rows, and with them the loss of CatBoost 1.2.10, 0.415, or a lower one.
func TestBoostRows(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	var rows uint32
	enough := errors.New("enough")
	theirs := BoostPeers(false, func(_ context.Context, job BoostJob) (BoostReply, error) {
		rows = rowsSum(job.Train, job.Test)
		return BoostReply{}, enough
	}).Runs[0]
	if _, err := theirs.Do(t.Context(), theirs); err != enough {
		t.Fatal(err)
	}
	ours := boosting(fast)[0]
	if r, err := ours.Do(t.Context(), ours); err != nil || r.More["rows"] != float64(rows) || r.Score > 0.415 {
		t.Errorf("%+v, %v; want rows of check sum %d", r, err, rows)
	}
}

// more returns a measure that records have beside their score, times scale, and NaN where it is missing.
func more(name string, scale float64) func(r Record) float64 {
	return func(r Record) float64 {
		v, ok := r.More[name]
		if !ok {
			return math.NaN()
		}
		return scale * v
	}
}

// splitOf returns the record of a split.
func splitOf(set, method string, x, repeat int, score float64) Record {
	return Record{Run: Run{Problem: set, Method: method, X: x, Repeat: repeat}, Result: Result{Score: score}}
}
