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
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

func TestDue(t *testing.T) {
	for i, test := range []struct {
		seconds []float64 // of the rounds done
		rounds  int
		want    bool
	}{
		{nil, 5, true},
		{[]float64{1, 1}, 5, true},
		{[]float64{1, 1}, 2, false},
		{[]float64{100}, 5, false},    // another would end at 200
		{[]float64{20}, 5, true},      // 40
		{[]float64{20, 20}, 5, false}, // 60
	} {
		var x racer
		for _, s := range test.seconds {
			x.done = append(x.done, record{Fit: s * 0.75, Predict: s * 0.25})
		}
		if got := x.due(test.rounds, 40); got != test.want {
			t.Errorf("case %d: got %v, want %v", i, got, test.want)
		}
	}
}

// Each round begins with another contender, and every second one goes backwards.
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

// Only runs of the same commit, job, directions, contender and threads count as done.
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
	must.Do(os.WriteFile(path, []byte(strings.Join(recordColumns, ",")+"\n"+strings.Repeat("x,", 20)+"x\n"), 0o644))
	if _, err := openSheet(path); err == nil || !strings.Contains(err.Error(), "line 2: rows") {
		t.Errorf("got %v, want an error about line 2, rows", err)
	}
}

// Every contender of a job is in the list, and known to the program that runs it.
func TestPrograms(t *testing.T) {
	python := string(must.Value(os.ReadFile("peers.py")))
	for _, j := range jobs {
		for _, name := range j.contenders() {
			k := slices.IndexFunc(contenders, func(c contender) bool { return c.Name == name })
			if k < 0 {
				t.Fatalf("%s: no contender %q", j, name)
			}
			switch contenders[k].Program {
			case "self":
				if newLearner(name, 1, 1, 1) == nil || contenders[k].Settings == "" {
					t.Errorf("%s: %q isn't one of ours", j, name)
				}
			case "python", "treeple":
				if !strings.Contains(python, `"`+name+`": `) {
					t.Errorf("%s: peers.py has no %q", j, name)
				}
			}
		}
	}
}

// The report is of made-up runs: SPORF trains in 3, 1 and 2 s, YDF in 4, with two threads in 1.25 and 1; SPORF is
// slower in prediction. Runs of a job that the list hasn't, and of an earlier commit, aren't shown.
func TestReport(t *testing.T) {
	run := func(contender string, threads, round int, fit, predict, err float64) record {
		return record{Date: "2026-01-02", Commit: "c1", Machine: "m", Job: "trunk", Rows: 20000, TestRows: 10000,
			Features: 50, Classes: 2, Directions: 8, Contender: contender, Threads: threads, Round: round, Trees: 100,
			Fit: fit, Predict: predict, Error: err, Baseline: 10 << 20, Peak: 12 << 20, Model: 1 << 20}
	}
	friedman := run("obliqua-rf", 1, 1, 2, 1, 5)
	friedman.Job, friedman.Directions, friedman.Classes = "friedman", 6, 0
	earlier, other := run("ydf-oblique", 1, 1, 9, 9, 9), run("obliqua-graf", 1, 1, 9, 9, 9)
	earlier.Commit, other.Commit, other.Job = "c0", "c2", "hypercube-binary"
	folder := t.TempDir()
	csv, file := filepath.Join(folder, "runs.csv"), filepath.Join(folder, "page.md")
	s := must.Value(openSheet(csv))
	for _, r := range []record{
		earlier,
		run("obliqua-sporf", 1, 1, 3, 0.2, 0.1),
		run("obliqua-sporf", 1, 2, 1, 0.2, 0.1),
		run("obliqua-sporf", 1, 3, 2, 0.2, 0.1),
		run("ydf-oblique", 1, 1, 4, 0.1, 0.05),
		run("obliqua-sporf", 2, 1, 1.25, 0.1, 0.1),
		run("ydf-oblique", 2, 1, 1, 0.1, 0.099),
		run("scikit-learn", 2, 1, 5, 0.4, 0.1),
		friedman,
		other,
	} {
		must.Do(s.add(r))
	}
	for range 2 { // a second report replaces the first
		if _, err := os.Stat(file); err != nil {
			must.Do(os.WriteFile(file, []byte("above\n\n"+beginMark+"old"+endMark+"\nbelow\n"), 0o644))
		}
		must.Do(reportCommand([]string{"-csv", csv, "-page", file}))
	}
	text := string(must.Value(os.ReadFile(file)))
	for _, want := range []string{
		"above\n\n" + beginMark + "\n\nCommit c1, 2026-01-02 to 2026-01-02, m.\n",
		// Ratios 2/4 and 1.25/1, 0.2/0.1 and 0.1/0.1; the worst of each.
		"| Obliqua SPORF / YDF, sparse oblique | ≤ 1 | **1 of 2** | **1.25** | ≤ 1 | **1 of 2** | **2.00** |",
		"| trunk d=8 | 0.50 | **1.25** | **2.00** | 1.00 | 0.1000 | 0.0990 |",
		"| Obliqua random forest / ranger | ≤ 0.5 | – | – | ≤ 0.3 | – | – |",
		"| trunk d=8 | **1.60** | – | 4.00 | – |", // speed-up: 2/1.25
		"### trunk d=8: 20000 × 50, 2 classes, 10000 test rows, 100 trees",
		"| Obliqua SPORF | 2.00 (3) | 1.25 (1) | 0.200 (3) | 0.100 (1) | 0.1000 | 2.0 (12) | 1.00 |",
		// In MB, 3.81 of data and 2; the limit is the data, 0.46 a thread and 1.
		"**5.8 (limit 5.3)** | **5.8 (limit 5.7)**",
		"For regression the error is the mean squared error.",
		"### friedman d=6: 20000 × 50, regression, 10000 test rows, 100 trees",
		endMark + "\nbelow\n",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%d times %q in\n%s", strings.Count(text, want), want, text)
		}
	}
	if pictures, err := filepath.Glob(filepath.Join(folder, "peers-*.png")); err != nil || len(pictures) != 2 {
		t.Errorf("got %v, %v, want two pictures", pictures, err)
	}
	must.Do(os.WriteFile(file, []byte("no marks"), 0o644))
	if err := reportCommand([]string{"-csv", csv, "-page", file}); err == nil {
		t.Error("no error for a page without marks")
	}
	if _, err := summarise([]record{{Job: "trunk", Trees: 100}, {Job: "trunk", Trees: 50}}); err == nil {
		t.Error("no error for runs of 100 and of 50 trees")
	}
}

func TestWorse(t *testing.T) {
	for i, test := range []struct {
		classes                int
		ours, theirs, variance float64
		want                   bool
	}{
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

// Our contenders learn classes, whose Bayes error is 0.088 and a constant's 0.5, and values of variance 25, with
// noise of 1, through the protocol.
func TestWork(t *testing.T) {
	classes := sim.Trunk{Features: 3}
	learnt(t, classes.Sample(200, 1), classes.Sample(100, 2), 0.02, 0.3)
	learnt(t, friedman(6, 500, 1), friedman(6, 300, 2), 1, 16)
}

func learnt(t *testing.T, train, test *datasets.Dataset, least, most float64) {
	t.Helper()
	folder := t.TempDir()
	s := must.Value(writeFolder(folder, train, test))
	back := must.Value(readFolder(folder, "train", train.N(), train.P(), s.classes))
	if !reflect.DeepEqual(back.Columns, train.Columns) || !reflect.DeepEqual(answers(back), answers(train)) {
		t.Error("the data read differ from those written")
	}
	for _, c := range contenders {
		if c.Program != "self" || c.Name == "obliqua-entropy" && s.classes == 0 {
			continue
		}
		if e := testError(t, c, folder, s); e < least || e > most {
			t.Errorf("%s: test error %v", c.Name, e)
		}
	}
}

// testError returns the test error of one of our contenders on a folder's data.
func testError(t *testing.T, c contender, folder string, s shape) float64 {
	t.Helper()
	cmd := programs{"self": "self"}.command(t.Context(), c, folder, s, 2, 1)
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
		t.Fatalf("%s: replies %+v", c.Name, replies)
	}
	return replies[3].Error
}

// Rows are classified by the densities they were drawn from.
func TestMixtureBayesError(t *testing.T) {
	m := newMixture(28, 4, 1)
	var densities []func(x *mat.VecDense) float64
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
		densities = append(densities, func(x *mat.VecDense) float64 {
			var off, solved mat.VecDense
			off.SubVec(x, mat.NewVecDense(m.features, c.mean))
			must.Do(factor.SolveVecTo(&solved, &off))
			return math.Exp(-(mat.Dot(&off, &solved) + factor.LogDet()) / 2)
		})
	}
	const n = 4000
	d := m.sample(n, 9)
	wrong, ones := 0, 0
	for i := range n {
		x := mat.NewVecDense(m.features, nil)
		for j := range m.features {
			x.SetVec(j, float64(d.At(i, j)))
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
