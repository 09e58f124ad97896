package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

func TestTreeCount(t *testing.T) {
	for i, test := range []struct {
		wanted                int
		secondsPerTree, limit float64
		want                  int
	}{
		{100, 6, 600, 100},
		{100, 6.1, 600, 50},
		{100, 40, 600, 10},
		{100, 1000, 600, 1},
		{30, 25, 600, 20},
		{30, 20, 600, 30},
		{2, 301, 600, 1},
	} {
		if got := treeCount(test.wanted, test.secondsPerTree, test.limit); got != test.want {
			t.Errorf("case %d: got %d, want %d", i, got, test.want)
		}
	}
}

func TestDue(t *testing.T) {
	runs := func(seconds ...float64) (done []record) {
		for k, s := range seconds {
			done = append(done, record{Round: k + 1, Fit: s * 0.75, Predict: s * 0.25})
		}
		return done
	}
	for i, test := range []struct {
		done   []record
		rounds int
		want   bool
	}{
		{nil, 5, true},
		{runs(1, 1), 5, true},
		{runs(1, 1), 2, false},
		{runs(100), 5, false},    // another would end at 200
		{runs(20), 5, true},      // 40
		{runs(20, 20), 5, false}, // 60
	} {
		x := racer{done: test.done}
		if got := x.due(test.rounds, 40); got != test.want {
			t.Errorf("case %d: got %v, want %v", i, got, test.want)
		}
	}
}

// TestResume writes runs and reads them again: only those of the same commit, job,
// directions, contender and threads count as done.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.csv")
	base := record{Date: "2026-01-02T03:04Z", Commit: "c1", Machine: "a, b", Job: "trunk", Directions: 8,
		Contender: "ydf", Threads: 2, Round: 1, Trees: 50, Settings: `"quoted", d`, Fit: 1.25, Error: 0.5, Peak: 1 << 40}
	written := []record{base}
	for _, change := range []func(*record){
		func(r *record) { r.Round = 3 },
		func(r *record) { r.Commit = "c2" },
		func(r *record) { r.Job = "letter" },
		func(r *record) { r.Directions = 50 },
		func(r *record) { r.Contender = "ranger" },
		func(r *record) { r.Threads = 1 },
	} {
		r := base
		change(&r)
		written = append(written, r)
	}
	for _, r := range written { // opened anew for each line, as after a break
		s := must.Value(openSheet(path))
		must.Do(s.add(r))
	}
	s := must.Value(openSheet(path))
	if !reflect.DeepEqual(s.records, written) {
		t.Fatalf("got %+v\nwant %+v", s.records, written)
	}
	r := runner{commit: "c1", sheet: s}
	x := racer{done: r.done(job{Name: "trunk", Directions: 8}, "ydf", 2)}
	for round, want := range []bool{1: true, 2: false, 3: true, 4: false} {
		if got := x.has(round); got != want {
			t.Errorf("round %d done: got %v, want %v", round, got, want)
		}
	}
}

func TestSheetNamesBadLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.csv")
	body := strings.Join(recordColumns, ",") + "\n" + strings.Repeat("x,", len(recordColumns)-1) + "x\n"
	must.Do(os.WriteFile(path, []byte(body), 0o644))
	if _, err := openSheet(path); err == nil || !strings.Contains(err.Error(), "line 2: rows") {
		t.Errorf("got %v, want an error about line 2, rows", err)
	}
}

// tiny returns made-up runs: SPORF trains in 3, 1 and 2 s, YDF in 4, with two threads
// in 1.25 and 1; SPORF is slower in prediction.
func tiny() []record {
	run := func(contender string, threads, round int, fit, predict, err float64) record {
		return record{Date: "2026-01-02", Commit: "c1", Machine: "m", Job: "trunk", Rows: 20000, TestRows: 10000,
			Features: 50, Classes: 2, Directions: 8, Contender: contender, Threads: threads, Round: round, Trees: 100,
			Fit: fit, Predict: predict, Error: err, Baseline: 10 << 20, Peak: 12 << 20, Model: 1 << 20}
	}
	return []record{
		run("obliqua-sporf", 1, 1, 3, 0.2, 0.1),
		run("obliqua-sporf", 1, 2, 1, 0.2, 0.1),
		run("obliqua-sporf", 1, 3, 2, 0.2, 0.1),
		run("ydf-oblique", 1, 1, 4, 0.1, 0.05),
		run("obliqua-sporf", 2, 1, 1.25, 0.1, 0.1),
		run("ydf-oblique", 2, 1, 1, 0.1, 0.099),
		run("scikit-learn", 2, 1, 5, 0.4, 0.1),
	}
}

func TestReport(t *testing.T) {
	folder := t.TempDir()
	text := forestsPart(t, tiny(), folder)
	for _, want := range []string{
		// Ratios 2/4 and 1.25/1, 0.2/0.1 and 0.1/0.1; the worst of each.
		"| Obliqua SPORF / YDF, sparse oblique | ≤ 1 | **1 of 2** | **1.25** | ≤ 1 | **1 of 2** | **2.00** |",
		"| trunk d=8 | 0.50 | **1.25** | **2.00** | 1.00 | 0.1000 | 0.0990 |",
		"| Obliqua random forest / ranger | ≤ 0.5 | – | – | ≤ 0.3 | – | – |",
		"| trunk d=8 | **1.60** | – | 4.00 | – |", // speed-up: 2/1.25
		"### trunk d=8: 20000 × 50, 2 classes, 10000 test rows, 100 trees",
		"| Obliqua SPORF | 2.00 (3) | 1.25 (1) | 0.200 (3) | 0.100 (1) | 0.1000 | 2.0 (12) | 1.00 |",
		// In MB, 3.81 of data and 2; the limit is the data, 0.46 a thread and 1.
		"**5.8 (limit 5.3)** | **5.8 (limit 5.7)**",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, job := range []string{friedmanJob, gaussiansJob, oneTree} {
		if strings.Contains(text, job) {
			t.Errorf("%s wasn't measured, but the page has it", job)
		}
	}
	if pictures, err := filepath.Glob(filepath.Join(folder, "peers-*.png")); err != nil || len(pictures) != 2 {
		t.Errorf("got %v, %v, want two pictures", pictures, err)
	}
}

// forestsPart returns the part of the page about forests.
func forestsPart(t *testing.T, records []record, folder string) string {
	return must.Value(write("forests", records, folder, ""))
}

// TestOwnTargets reports runs of the jobs that have targets of their own.
func TestOwnTargets(t *testing.T) {
	run := func(job string, classes, directions int, contender string, threads int, fit float64) record {
		return record{Commit: "c1", Job: job, Rows: 20000, TestRows: 10000, Features: 20, Classes: classes,
			Directions: directions, Contender: contender, Threads: threads, Round: 1, Trees: 1, Fit: fit, Predict: 0.1, Error: 5}
	}
	records := []record{
		run(friedmanJob, 0, 6, "obliqua-rf", 1, 2),
		run(friedmanJob, 0, 6, "scikit-learn", 1, 8),
		run(gaussiansJob, 10, 5, "obliqua-rf", 2, 3),
		run(gaussiansJob, 10, 5, "scikit-learn", 2, 10),
		run(oneTree, 2, 5, "obliqua-rf", 1, 2),
		run(oneTree, 2, 5, "obliqua-rf", 2, 1.25),
		run(oneTree, 2, 20, "obliqua-cart", 1, 9),
		run(oneTree, 2, 20, "obliqua-cart", 2, 5),
	}
	text := forestsPart(t, records, t.TempDir())
	for _, want := range []string{
		"| Obliqua random forest / scikit-learn | ≤ 0.5 | 2 of 2 | 0.30 | ≤ 0.3 | **0 of 2** | **1.00** |",
		"| Obliqua random forest / scikit-learn, friedman | ≤ 0.3 | 1 of 1 | 0.25 | – | – | – |",
		"| Obliqua random forest / scikit-learn, gaussians10 | ≤ 0.25 | **0 of 1** | **0.30** | – | – | – |",
		"| One thread / two threads, ours, one-tree | ≥ 1.7 | **1 of 2** | **1.60** | – | – | – |",
		"| one-tree d=5 | – | **1.60** | – | – | – |",
		"| one-tree d=20 | – | – | 1.80 | – | – |",
		"### friedman d=6: 20000 × 20, regression, 10000 test rows, 1 tree",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestTurn(t *testing.T) {
	for round, want := range []string{1: "0123", 2: "1032", 3: "2301", 4: "3210", 5: "0123"} {
		got := ""
		for k := range len(want) {
			got += fmt.Sprint(turn(k, round, 4))
		}
		if got != want {
			t.Errorf("round %d: got %s, want %s", round, got, want)
		}
	}
}

func TestContenders(t *testing.T) {
	j := job{Contenders: "obliqua-cart obliqua-rf scikit-learn-tree xgboost"}
	for i, test := range []struct {
		before  string
		threads int
		like    string
		want    string
	}{
		{"", 1, ".", "obliqua-rf obliqua-cart scikit-learn-tree"},
		{"", 2, ".", "obliqua-rf obliqua-cart"},
		{"", 1, "rf$", "obliqua-rf"},
		{"other", 1, ".", "obliqua-rf obliqua-rf before obliqua-cart obliqua-cart before"},
		{"other", 2, "rf$", "obliqua-rf obliqua-rf before"},
	} {
		r := runner{like: *regexp.MustCompile(test.like), programs: programs{"self": "self", "before": test.before},
			missing: map[string]bool{"xgboost": true}}
		var names []string
		for _, c := range r.contenders(j, test.threads) {
			names = append(names, c.Name)
			args := r.programs.command(t.Context(), c, "", shape{}, 1, 1).Args
			if before := strings.HasSuffix(c.Name, beforeMark); before != (args[0] == "other") || args[3] == c.Name && before {
				t.Errorf("case %d: %s is started by %q", i, c.Name, args)
			}
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("case %d: got %s, want %s", i, got, test.want)
		}
	}
}

// TestComparison halves the time of one job and keeps that of another.
func TestComparison(t *testing.T) {
	run := func(job, contender string, fit, predict float64) record {
		return record{Commit: "c2", Job: job, Classes: 2, Directions: 8, Contender: contender, Threads: 1, Round: 1,
			Trees: 10, Fit: fit, Predict: predict, Error: 0.125, TestRows: 100}
	}
	records := []record{
		run("trunk", "obliqua-rf", 1, 3),
		run("trunk", "obliqua-rf before", 2, 1),
		run("trunk", "obliqua-sporf", 5, 1),
		run("trunk", "obliqua-sporf before", 5, 1),
	}
	text := must.Value(write("compare", records, "", "c1+"))
	for _, want := range []string{
		"# Commit c2 over commit c1+\n",
		"| | jobs | training, 1 thread | prediction, 1 thread |",
		"| Obliqua random forest | 1 | 0.50 | 3.00 |",
		"| all | 2 | 0.71 | 1.73 |",
		"| trunk d=8 | 0.50 | **3.00** | 0.1250 | 0.1250 |",
	} {
		if !strings.Contains(strings.ReplaceAll(text, "|  |", "| |"), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestWorse(t *testing.T) {
	for i, test := range []struct {
		classes                int
		ours, theirs, variance float64
		want                   bool
	}{
		{2, 0.10, 0.10, 0, false},
		{2, 0.05, 0.10, 0, false},
		{2, 0.1085, 0.10, 0, false}, // standard error of the difference 0.00429 on 10,000 rows
		{2, 0.1087, 0.10, 0, true},
		{2, 0.1087, 0.10, 1e-5, false},
		{0, 5.2, 5, 0, false}, // 0.102
		{0, 5.22, 5, 0, true},
		{0, 5.22, 5, 0.1, false},
	} {
		r := ratio{
			ours:   summary{record: record{TestRows: 10000, Classes: test.classes, Error: test.ours}, variance: test.variance},
			theirs: summary{record: record{TestRows: 10000, Classes: test.classes, Error: test.theirs}},
		}
		if got := r.worse(); got != test.want {
			t.Errorf("case %d: got %v, want %v", i, got, test.want)
		}
	}
}

func TestSummariseRefusesOtherTrees(t *testing.T) {
	records := tiny()
	records[3].Trees = 50
	if _, err := summarise(records); err == nil {
		t.Error("no error for runs of 100 and of 50 trees")
	}
}

func TestFitLine(t *testing.T) {
	x := []float64{1, 2, 5, 40}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = 3 + 0.5*v
	}
	l := curve{term: func(x float64) float64 { return x }}
	if l.fitLine(x, y); math.Abs(l.a-3) > 1e-9 || math.Abs(l.b-0.5) > 1e-9 || l.worst > 1e-9 {
		t.Errorf("got %+v, want 3 + 0.5 x", l)
	}
}

func TestFitPower(t *testing.T) {
	x := []float64{1, 2, 5, 40}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = 3 * v * math.Sqrt(v)
	}
	var l curve
	exponent := l.fitPower(x, y)
	if math.Abs(exponent-1.5) > 1e-9 || l.a != 0 || math.Abs(l.b-3) > 1e-9 || l.worst > 1e-9 {
		t.Errorf("got %+v and exponent %v, want 3 x^1.5", l, exponent)
	}
}

// TestReportGRAF reports runs of forests of one commit and of GRAF of a later one.
func TestReportGRAF(t *testing.T) {
	run := func(job, contender string, rows, features, threads int, fit, err float64) record {
		return record{Date: "2026-02-03", Commit: "c2", Machine: "m", Job: job, Rows: rows, TestRows: 6000,
			Features: features, Classes: 2, Directions: features, Contender: contender, Threads: threads, Round: 1, Trees: 100,
			Fit: fit, Predict: 0.5, Error: err}
	}
	records := append(tiny(),
		run("hypercube-binary", "obliqua-graf", 14000, 12, 1, 3, 0.3),
		run("hypercube-binary", "obliqua-graf", 14000, 12, 2, 1.5, 0.3),
		run("hypercube-binary", "obliqua-graf-1", 14000, 12, 2, 0.5, 0.25),
		run("hypercube-binary", "gradient-boosting", 14000, 12, 1, 2, 0.5),
		run("hypercube-binary", "gradient-boosting", 14000, 12, 2, 2, 0.5),
		run("hypercube-binary", "extra-trees", 14000, 12, 2, 2, 0.2))
	for _, j := range jobs {
		n, p := 0.0, float64(j.Features)
		if _, err := fmt.Sscanf(j.Name, "graf-n%f", &n); err == nil {
			records = append(records,
				run(j.Name, "obliqua-graf", int(n), 10, 1, 1e-6*n*math.Sqrt(n), 0.1),
				run(j.Name, "obliqua-graf-1", int(n), 10, 1, 1e-6*n, 0.1))
		} else if strings.HasPrefix(j.Name, "graf-p") {
			records = append(records,
				run(j.Name, "obliqua-graf", 4000, j.Features, 1, 1e-6*p*p, 0.1),
				run(j.Name, "obliqua-graf-1", 4000, j.Features, 1, 1e-6*p, 0.1))
		}
	}
	folder := t.TempDir()
	csv, page := filepath.Join(folder, "runs.csv"), filepath.Join(folder, "page.md")
	s := must.Value(openSheet(csv))
	for _, r := range records {
		must.Do(s.add(r))
	}
	for _, c := range []struct {
		args                []string
		forests, graf, fail bool
	}{
		{nil, true, true, false},
		{[]string{"-commit", "c1"}, true, false, false},
		{[]string{"-commit", "c2"}, false, true, false},
		{[]string{"-commit", "c3"}, false, false, true},
	} {
		must.Do(os.WriteFile(page, []byte(beginMark+endMark), 0o644))
		if err := reportCommand(append(c.args, "-csv", csv, "-page", page)); (err != nil) != c.fail {
			t.Fatalf("%v: error %v", c.args, err)
		}
		body, _ := os.ReadFile(page)
		before, graf, _ := strings.Cut(string(body), "## GRAF\n")
		if strings.Contains(before, "GRAF") || strings.Contains(before, "## Targets") != c.forests {
			t.Errorf("%v: the forests' part is\n%s", c.args, before)
		}
		for _, want := range []string{
			"K = M / scikit-learn, gradient boosting: training ≤ 1\n",
			"| hypercube-binary d=12 | **1.50** | 0.75 | 1.00 | 1.00 | 0.3000 | 0.5000 |",
			"| hypercube-binary d=12 | – | 0.25 | – | 1.00 | 0.2500 † | 0.2000 |",
			"### hypercube-binary d=12: 14000 × 12, 2 classes, 6000 test rows, 100 trees",
			"K = M: seconds = 1e-06 · n^1.50 (n ≥ 32000), off by 0 %",
			"K = 1: seconds = 1e-06 · n^1.00 (n ≥ 32000), off by 0 %",
			"K = M: seconds = 1e-06 · p^2.00 (p ≥ 40), off by 0 %",
			"(graf-features.png)",
		} {
			if strings.Contains(graf, want) != c.graf {
				t.Errorf("%v: %q should be there: %v; got\n%s", c.args, want, c.graf, graf)
			}
		}
	}
	for _, file := range []string{"graf-rows.png", "graf-features.png"} {
		if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
			t.Error(err)
		}
	}
}

// TestHypercube checks that each class is in both parts: XGBoost fails if a label is
// missing.
func TestHypercube(t *testing.T) {
	for _, j := range jobs {
		if !strings.HasPrefix(j.Name, "hypercube-") {
			continue
		}
		train, test, err := j.load()
		if err != nil {
			t.Fatal(err)
		}
		if train.N() != 14000 || test.N() != 6000 || train.P() != 12 {
			t.Errorf("%s: %d and %d rows of %d features", j, train.N(), test.N(), train.P())
		}
		if c := slices.Concat(train.ClassCounts(), test.ClassCounts()); slices.Min(c) == 0 {
			t.Errorf("%s: rows by class are %v", j, c)
		}
	}
}

func TestReplacePart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	for _, old := range []string{"\n", "\nold text\n\n"} {
		must.Do(os.WriteFile(path, []byte("above\n"+beginMark+old+endMark+"\nbelow\n"), 0o644))
		must.Do(replacePart(path, "new\n"))
		body, _ := os.ReadFile(path)
		if want := "above\n" + beginMark + "\n\nnew\n\n" + endMark + "\nbelow\n"; string(body) != want {
			t.Errorf("got %q, want %q", body, want)
		}
	}
	os.WriteFile(path, []byte("no marks"), 0o644)
	if err := replacePart(path, "new\n"); err == nil {
		t.Error("no error for a page without marks")
	}
}

// TestWork runs our contenders through the protocol.
func TestWork(t *testing.T) {
	folder := t.TempDir()
	train, test := sim.Trunk{Features: 3}.Sample(200, 1), sim.Trunk{Features: 3}.Sample(100, 2)
	s := must.Value(writeFolder(folder, train, test))
	if want := (shape{200, 100, 3, 2}); s != want {
		t.Fatalf("got %v, want %v", s, want)
	}
	back := must.Value(readFolder(folder, "train", 200, 3, 2))
	if !reflect.DeepEqual(back.Columns, train.Columns) || !reflect.DeepEqual(back.Labels, train.Labels) {
		t.Error("the data read differ from those written")
	}
	for _, c := range contenders {
		if c.Program != "self" {
			continue
		}
		// Bayes error 0.088; a constant is wrong in half of the rows.
		if e := testError(t, c.Name, folder, s); e < 0.02 || e > 0.3 {
			t.Errorf("%s: test error %v", c.Name, e)
		}
	}
}

// TestWorkValues learns a regression target of variance 25, with noise of 1.
func TestWorkValues(t *testing.T) {
	folder := t.TempDir()
	train := friedman(6)(500, 1)
	s := must.Value(writeFolder(folder, train, friedman(6)(300, 2)))
	back := must.Value(readFolder(folder, "train", 500, 6, s.classes))
	if !reflect.DeepEqual(back.Columns, train.Columns) || !reflect.DeepEqual(back.Values, train.Values) ||
		back.Labels != nil {
		t.Error("the data read differ from those written")
	}
	for _, name := range []string{"obliqua-rf", "obliqua-sporf", "obliqua-cart"} {
		if e := testError(t, name, folder, s); e < 1 || e > 16 {
			t.Errorf("%s: mean squared error %v", name, e)
		}
	}
}

// testError returns the test error of one of our contenders on a folder's data.
func testError(t *testing.T, name, folder string, s shape) float64 {
	t.Helper()
	cmd := programs{"self": "self"}.command(t.Context(), contender{Name: name, Program: "self"}, folder, s, 2, 1)
	var out bytes.Buffer
	must.Do(work(cmd.Args[2:], strings.NewReader("rest\nfit 7 1\npredict\n"), &out))
	var replies []reply
	for d := json.NewDecoder(&out); ; {
		var r reply
		if err := d.Decode(&r); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, r)
	}
	if len(replies) != 4 || replies[0].Version == "" || replies[2].Seconds <= 0 || replies[3].Seconds <= 0 ||
		replies[3].Bytes <= 0 {
		t.Fatalf("%s: replies %+v", name, replies)
	}
	return replies[3].Error
}

// TestMixtureBayesError classifies rows by the densities they were drawn from.
func TestMixtureBayesError(t *testing.T) {
	m := newMixture(28, 4, 1)
	var densities []func(x []float64) float64
	for _, c := range m.components {
		covariance := mat.NewSymDense(m.features, nil)
		for j := range m.features {
			covariance.SetSym(j, j, 1)
		}
		for _, l := range c.factors {
			covariance.SymRankOne(covariance, 1, mat.NewVecDense(m.features, l))
		}
		var factor mat.Cholesky
		if !factor.Factorize(covariance) {
			t.Fatal("covariance isn't positive definite")
		}
		densities = append(densities, func(x []float64) float64 {
			var off, solved mat.VecDense
			off.SubVec(mat.NewVecDense(m.features, x), mat.NewVecDense(m.features, c.mean))
			must.Do(factor.SolveVecTo(&solved, &off))
			return math.Exp(-(mat.Dot(&off, &solved) + factor.LogDet()) / 2)
		})
	}
	const n = 4000
	d := m.sample(n, 9)
	x := make([]float64, m.features)
	wrong, ones := 0, 0
	for i := range n {
		for j := range x {
			x[j] = float64(d.At(i, j))
		}
		var density [2]float64
		for k, at := range densities {
			density[2*k/len(densities)] += at(x)
		}
		if (density[1] > density[0]) != (d.Labels[i] == 1) {
			wrong++
		}
		ones += int(d.Labels[i])
	}

	if e := float64(wrong) / n; e < 0.2 || e > 0.25 {
		t.Errorf("Bayes error %.3f, want 0.2 to 0.25", e)
	}
	if share := float64(ones) / n; math.Abs(share-0.5) > 0.04 {
		t.Errorf("a share of %.3f in class 1", share)
	}
}

// TestGaussians checks that every class has the variance of its Gaussian about
// its own mean.
func TestGaussians(t *testing.T) {
	m := newGaussians(4, 3, 1)
	d := m.sample(3000, 2)
	squares := make([]float64, len(d.Classes))
	for i, c := range d.Labels {
		for j, mean := range m.components[c].mean {
			off := float64(d.At(i, j)) - mean
			squares[c] += off * off
		}
	}
	for c, n := range d.ClassCounts() {
		if v := squares[c] / float64(4*n); n < 900 || math.Abs(v-1) > 0.1 {
			t.Errorf("class %d: %d rows, variance %.3f about the mean", c, n, v)
		}
	}
}
