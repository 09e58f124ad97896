package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/tools/internal/runs"
)

// A classifierJob is what classifiers.py is asked.
type classifierJob struct {
	Folder   string `json:"folder"`
	Rows     int    `json:"rows"`
	TestRows int    `json:"test_rows"`
	Features int    `json:"features"`
	Classes  int    `json:"classes"`
	Protocol string `json:"protocol"`
	Method   string `json:"method"`
	Setting  string `json:"setting"`
}

// played answers every job by what reply returns, and counts the jobs.
func played(t *testing.T, reply func(classifierJob) classifierReply) (*process, *int) {
	t.Helper()
	requests, stdin := io.Pipe()
	stdout, replies := io.Pipe()
	jobs := new(int)
	go func() {
		for in, out := json.NewDecoder(requests), json.NewEncoder(replies); ; {
			var job classifierJob
			if in.Decode(&job) != nil {
				return
			}
			*jobs++
			out.Encode(reply(job))
		}
	}()
	t.Cleanup(func() { stdin.Close(); replies.Close() })
	return &process{patience: time.Hour, ask: stdin, answers: json.NewDecoder(stdout)}, jobs
}

// classifiersOf returns what measures the rows 0, 1, 2, 3 with classes 0, 1, 1, 0, the first two for training.
func classifiersOf(t *testing.T, p *process) (*classifiers, baselineSet) {
	folder := t.TempDir()
	d := newDataset("d", 4, 1, 2)
	for i, y := range []int32{0, 1, 1, 0} {
		d.Columns[0][i], d.Labels[i] = float32(i), y
	}
	set := baselineSet{Name: "fd_d", Splits: 2,
		Split: func(context.Context, int) (train, test *datasets.Dataset, err error) {
			return d.Subset([]int32{0, 1}), d.Subset([]int32{2, 3}), nil
		}}
	return &classifiers{study: study{process: p, script: "played", folder: folder, path: filepath.Join(folder, "r.csv")},
		predictions: filepath.Join(folder, "p.csv.gz"), methods: *regexp.MustCompile("^(GB|LDA)$"),
		first: map[[2]string]string{}}, set
}

// Each method of a split is asked once, and none again by a later call; a method that fails is. Both files have what
// was answered.
func TestClassifiersContinue(t *testing.T) {
	fails := true
	a, jobs := played(t, func(j classifierJob) classifierReply {
		if want := (classifierJob{j.Folder, 2, 2, 1, 2, "graf", j.Method, ""}); j != want {
			t.Errorf("job %+v, want %+v", j, want)
		}
		if j.Method == "GB" && fails {
			return classifierReply{Error: "no"}
		}
		return classifierReply{Version: "v 1", Setting: "a=1, b", Seconds: 0.5, Labels: []int32{1, 1}}
	})
	c, set := classifiersOf(t, a)
	for call, want := range []int{4, 6, 6} { // jobs so far
		var err error
		if c.done, c.first, err = classifiersDone(c.path, c.predictions); err != nil {
			t.Fatal(err)
		}
		for split := 1; split <= 2; split++ {
			must.Do(c.split(context.Background(), set, split))
		}
		if *jobs != want {
			t.Fatalf("call %d: %d jobs, want %d", call, *jobs, want)
		}
		fails = false
		must.Do(c.compact())
	}
	text, err := os.ReadFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	// Half of the test rows are right, and as many would be by chance.
	if len(lines) != 6 || !strings.HasPrefix(lines[1], `fd_d,LDA,1,kappa,0,"a=1, b",0.5,v 1,`) ||
		!strings.HasPrefix(lines[4], "fd_d,GB,2,kappa,0,") {
		t.Errorf("the file is\n%s", text)
	}
	all, err := paper.ReadPredictions(c.predictions)
	if err != nil || len(all) != 4 {
		t.Fatalf("predictions %v, %v", all, err)
	}
	for _, p := range all {
		if !reflect.DeepEqual(p.Truth, []int32{1, 0}) || !reflect.DeepEqual(p.Labels, []int32{1, 1}) {
			t.Errorf("%v", p)
		}
	}
}

// A result without its predictions, and predictions without a result, are measured again.
func TestClassifiersDone(t *testing.T) {
	a, _ := played(t, func(classifierJob) classifierReply { return classifierReply{Labels: []int32{1, 1}} })
	c, set := classifiersOf(t, a)
	must.Do(c.split(context.Background(), set, 1))
	must.Do(runs.AppendCSV(c.path, resultColumns,
		[]string{"fd_d", "XGB", "1", "kappa", "0", "", "1", "v", "2026-01-01"}))
	done, _, err := classifiersDone(c.path, c.predictions)
	if err != nil || !done[[3]string{"fd_d", "GB", "1"}] || done[[3]string{"fd_d", "XGB", "1"}] {
		t.Errorf("done %v, %v", done, err)
	}
	must.Do(os.Remove(c.path))
	if done, _, err := classifiersDone(c.path, c.predictions); err != nil || len(done) != 0 {
		t.Errorf("without results: done %v, %v", done, err)
	}
}

// Of HRF's sets a method is tuned in the first division, and later ones get its setting, in a later call, too.
func TestClassifiersTunedOnce(t *testing.T) {
	var asked []string
	a, _ := played(t, func(j classifierJob) classifierReply {
		asked = append(asked, j.Setting)
		return classifierReply{Setting: "max_depth=4 rounds=100", Labels: []int32{1, 1}}
	})
	c, set := classifiersOf(t, a)
	set.Name = "hrf/d"
	for split := 1; split <= 2; split++ {
		var err error
		c.done, c.first, err = classifiersDone(c.path, c.predictions)
		must.Do(err)
		must.Do(c.split(t.Context(), set, split))
	}
	if want := []string{"", "max_depth=4 rounds=100"}; !slices.Equal(asked, want) {
		t.Errorf("settings %q, want %q", asked, want)
	}
}

// Replies that can't be right are errors, and nothing is kept of them.
func TestClassifiersWrongReplies(t *testing.T) {
	for want, labels := range map[string][]int32{"1 labels of 2 test rows": {1}, "test row 2 is in class 2 of 2": {1, 2}} {
		a, _ := played(t, func(classifierJob) classifierReply { return classifierReply{Labels: labels} })
		c, set := classifiersOf(t, a)
		if err := c.split(context.Background(), set, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("labels %v: error %v, want %s", labels, err, want)
		}
		for _, path := range []string{c.path, c.predictions} {
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s exists", path)
			}
		}
	}
}

func TestClassifiersMissing(t *testing.T) {
	c := classifiers{methods: *regexp.MustCompile(".")}
	for name, want := range map[string][]string{
		"cube/binary/3":  {"XGB", "ADA", "GB"},
		"sporf/iris":     {"XGB", "LDA", "QDA", "SVM", "ADA", "GB"},
		"hrf/zoo":        {"XGB", "CAT", "GB"},
		"tao/letter":     {"ADA100", "ADA1000"},
		"taotuned/r8":    {"ADA100", "ADA1000"},
		"auto/wine":      {"XGB", "LGB"},
		"autotuned/wine": {"XGB", "LGB"},
		"auto/boston":    {"XGB", "LGB", "YDF"},
	} {
		set := baselineSet{Name: name, Values: name == "auto/boston", Splits: 1}
		if got := c.missing(set); len(got) != 1 || !slices.Equal(got[0], want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// Another measure of a reply is a line of its own, and the split is done.
func TestClassifiersOtherMeasures(t *testing.T) {
	a, jobs := played(t, func(classifierJob) classifierReply {
		return classifierReply{Labels: []int32{1, 1}, More: map[string]float64{"train error": 0.25}}
	})
	c, set := classifiersOf(t, a)
	set.Name, c.methods = "tao/d", *regexp.MustCompile("^ADA100$")
	for range 2 {
		must.Do(c.split(t.Context(), set, 1))
		var err error
		c.done, _, err = classifiersDone(c.path, c.predictions)
		must.Do(err)
	}
	lines, err := readCSV(c.path, resultColumns)
	if err != nil || *jobs != 1 || len(lines) != 2 || lines[1][3] != "train error" || lines[1][4] != "0.25" {
		t.Errorf("%v after %d jobs: %v", lines, *jobs, err)
	}
}

// Training values 0 and 4 have variance 4, and errors of 2 and 0 the mean square 2. The result counts as done without
// predictions.
func TestClassifiersOnValues(t *testing.T) {
	reply := classifierReply{Values: []float64{7}}
	a, _ := played(t, func(j classifierJob) classifierReply {
		if want := (classifierJob{j.Folder, 2, 2, 1, 0, "auto", "LGB", ""}); j != want {
			t.Errorf("job %+v, want %+v", j, want)
		}
		return reply
	})
	c, _ := classifiersOf(t, a)
	c.methods = *regexp.MustCompile("^LGB$")
	d := newDataset("d", 4, 1, 0)
	copy(d.Values, []float64{0, 4, 5, 1})
	set := baselineSet{Name: "auto/d", Values: true, Splits: 1,
		Split: func(context.Context, int) (train, test *datasets.Dataset, err error) {
			return d.Subset([]int32{0, 1}), d.Subset([]int32{2, 3}), nil
		}}
	if err := c.split(t.Context(), set, 1); err == nil || !strings.Contains(err.Error(), "1 values of 2 test rows") {
		t.Errorf("error %v", err)
	}
	reply.Values = []float64{7, 1}
	must.Do(c.split(t.Context(), set, 1))
	text, err := os.ReadFile(c.path)
	if err != nil || !strings.Contains(string(text), "\nauto/d,LGB,1,mse,0.5,") {
		t.Errorf("%v; the file is\n%s", err, text)
	}
	done, _, err := classifiersDone(c.path, c.predictions)
	if err != nil || !done[[3]string{"auto/d", "LGB", "1"}] {
		t.Errorf("done %v, %v", done, err)
	}
}

// A step of 10 at 100 of 200 rows in order is learnt by all methods for values, and by the tuned ones as two classes.
func TestClassifiersLearnAStep(t *testing.T) {
	python := filepath.Join("..", "..", ".lab", "peers", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		t.Skip("no Python with the packages of requirements.txt: make peers installs it")
	}
	running := study{script: "classifiers.py"}
	must.Do(running.start(t.Context(), python))
	defer os.RemoveAll(running.folder)
	defer running.stop()
	values, classes := newDataset("values", 200, 1, 0), newDataset("classes", 200, 1, 2)
	for i := range 200 {
		values.Columns[0][i], classes.Columns[0][i] = float32(i), float32(i)
		values.Values[i], classes.Labels[i] = float64(i/100*10), int32(i/100)
	}
	rows := []int32{20, 60, 140, 180}
	for name, d := range map[string]*datasets.Dataset{"auto/d": values, "autotuned/d": classes} {
		c, _ := classifiersOf(t, running.process)
		c.methods = *regexp.MustCompile(".")
		set := baselineSet{Name: name, Values: d == values, Splits: 1,
			Split: func(context.Context, int) (train, test *datasets.Dataset, err error) {
				return d, d.Subset(rows), nil
			}}
		must.Do(c.split(t.Context(), set, 1))
		lines, err := readCSV(c.path, resultColumns)
		if want := len(c.missing(set)[0]); err != nil || len(lines) != want {
			t.Fatalf("%s: %d results, want %d, %v", name, len(lines), want, err)
		}
		for _, line := range lines {
			if score, err := strconv.ParseFloat(line[4], 64); err != nil || score > 0.001 {
				t.Errorf("%v", line)
			}
			if tuned := line[5] != "defaults" && line[1] != "YDF"; tuned != (d == classes) {
				t.Errorf("%v", line)
			}
		}
	}
}
