package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/papers/graf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// A question is what classifiers.py is asked.
type question struct {
	Folder   string `json:"folder"`
	Rows     int    `json:"rows"`
	TestRows int    `json:"test_rows"`
	Features int    `json:"features"`
	Classes  int    `json:"classes"`
	Protocol string `json:"protocol"`
	Method   string `json:"method"`
	Setting  string `json:"setting"`
}

// played returns classifiers whose script answers every question by what reply returns.
func played(t *testing.T, reply func(question) classified) *classifiers {
	t.Helper()
	requests, stdin := io.Pipe()
	stdout, replies := io.Pipe()
	go func() {
		for in, out := json.NewDecoder(requests), json.NewEncoder(replies); ; {
			var q question
			if in.Decode(&q) != nil {
				return
			}
			out.Encode(reply(q))
		}
	}()
	t.Cleanup(func() { stdin.Close(); replies.Close() })
	folder := t.TempDir()
	return &classifiers{process: &process{patience: time.Hour, ask: stdin, answers: json.NewDecoder(stdout)},
		folder: folder, path: filepath.Join(folder, "r.csv"), predictions: filepath.Join(folder, "p.csv.gz")}
}

// four is a protocol of one set of four rows with classes 0, 1, 1, 0, the first two for training.
func four(prefix string, methods ...string) protocol {
	d := newDataset("d", 4, 1, 2)
	for i, y := range []int32{0, 1, 1, 0} {
		d.Columns[0][i], d.Labels[i] = float32(i), y
	}
	return protocol{prefix: prefix, measure: "kappa", methods: methods, splits: 2,
		rows: func(context.Context, paper.Run) (train, test *datasets.Dataset, err error) {
			return d.Subset([]int32{0, 1}), d.Subset([]int32{2, 3}), nil
		}}
}

// both does both splits, as a call of the program does.
func (c *classifiers) both(t *testing.T, p protocol) {
	t.Helper()
	must.Do(c.read())
	for split := 1; split <= 2; split++ {
		must.Do(c.split(t.Context(), p, paper.Run{Problem: "d"}, split))
	}
	must.Do(c.compact())
}

// Each method of a split is asked once, and none again by a later call; a method that fails is. Both files have what
// was answered, another measure in a line of its own.
func TestClassifiersContinue(t *testing.T) {
	asked := 0
	c := played(t, func(q question) classified {
		asked++
		if want := (question{q.Folder, 2, 2, 1, 2, "fd", q.Method, ""}); q != want {
			t.Errorf("question %+v, want %+v", q, want)
		}
		if q.Method == "GB" && asked <= 4 {
			return classified{Error: "no"}
		}
		return classified{Version: "v 1", Setting: "a=1, b", Seconds: 0.5, Labels: []int32{1, 1},
			More: map[string]float64{"train error": 0.25}}
	})
	for call, want := range []int{4, 6, 6} { // questions so far
		if c.both(t, four("fd_", "XGB", "GB")); asked != want {
			t.Fatalf("call %d: %d questions, want %d", call, asked, want)
		}
	}
	lines := strings.Split(string(must.Value(os.ReadFile(c.path))), "\n")
	// Half of the test rows are right, and as many would be by chance.
	if len(lines) != 10 || !strings.HasPrefix(lines[1], `fd_d,XGB,1,kappa,0,"a=1, b",0.5,v 1,`) ||
		!strings.HasPrefix(lines[2], `fd_d,XGB,1,train error,0.25,`) || !strings.HasPrefix(lines[7], "fd_d,GB,2,kappa,0,") {
		t.Errorf("the file is\n%s", strings.Join(lines, "\n"))
	}
	all := must.Value(paper.ReadPredictions(c.predictions))
	for _, p := range all {
		if !reflect.DeepEqual(p.Truth, []int32{1, 0}) || !reflect.DeepEqual(p.Labels, []int32{1, 1}) {
			t.Errorf("%v", p)
		}
	}
	// A result without its predictions, and predictions without a result, are measured again.
	must.Do(appendCSV(c.path, resultColumns, []string{"fd_d", "ADA", "1", "kappa", "0", "", "1", "v", "2026-01-01"}))
	must.Do(c.read())
	if len(all) != 4 || !c.done[[3]string{"fd_d", "GB", "1"}] || c.done[[3]string{"fd_d", "ADA", "1"}] {
		t.Errorf("%d predictions, done %v", len(all), c.done)
	}
	must.Do(os.Remove(c.path))
	if must.Do(c.read()); len(c.done) != 0 {
		t.Errorf("without results: done %v", c.done)
	}
}

// Of HRF's sets a method is tuned in the first division, and later ones get its setting.
func TestClassifiersTunedOnce(t *testing.T) {
	var asked []string
	c := played(t, func(q question) classified {
		asked = append(asked, q.Setting)
		return classified{Setting: "max_depth=4 rounds=100", Labels: []int32{1, 1}}
	})
	c.both(t, four("hrf/", "GB"))
	if want := []string{"", "max_depth=4 rounds=100"}; !slices.Equal(asked, want) {
		t.Errorf("settings %q, want %q", asked, want)
	}
}

// Answers that can't be right are errors, and nothing is kept of them.
func TestClassifiersWrongAnswers(t *testing.T) {
	for want, labels := range map[string][]int32{"1 labels of 2 test rows": {1}, "test row 2 is in class 2 of 2": {1, 2}} {
		c := played(t, func(question) classified { return classified{Labels: labels} })
		err := c.split(t.Context(), four("fd_", "GB"), paper.Run{Problem: "d"}, 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("labels %v: error %v, want %s", labels, err, want)
		}
		for _, path := range []string{c.path, c.predictions} {
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s exists", path)
			}
		}
	}
}

// The script learns a step at 100 of 200 rows in order.
func TestClassifiersLearnAStep(t *testing.T) {
	folder := filepath.Join("..", "..", ".lab", "peers")
	if _, err := os.Stat(filepath.Join(folder, "ready")); err != nil {
		t.Skip("no Python with the packages of requirements.txt: make peers installs it")
	}
	c := played(t, nil)
	must.Do(c.start(t.Context(), filepath.Join(folder, "bin", "python")))
	defer os.RemoveAll(c.folder)
	defer c.stop()
	d := newDataset("d", 200, 1, 2)
	for i := range 200 {
		d.Columns[0][i], d.Labels[i] = float32(i), int32(i/100)
	}
	want := 0
	must.Do(c.read())
	for _, p := range protocols() {
		p.measure = "error"
		p.rows = func(context.Context, paper.Run) (train, test *datasets.Dataset, err error) {
			return d, d.Subset([]int32{20, 60, 140, 180}), nil
		}
		p.methods = slices.DeleteFunc(p.methods, func(m string) bool { return m == "XGB1000" || m == "ADA1000" })
		must.Do(c.split(t.Context(), p, paper.Run{Problem: "d"}, 1))
		want += len(p.methods)
	}
	lines := must.Value(readCSV(c.path, resultColumns))
	lines = slices.DeleteFunc(lines, func(line []string) bool { return line[3] != "error" })
	if len(lines) != want {
		t.Errorf("%d results, want %d", len(lines), want)
	}
	for _, line := range lines {
		if score, err := strconv.ParseFloat(line[4], 64); err != nil || score > 0.001 {
			t.Errorf("%v", line)
		}
	}
}

// The hypercubes are those of figures 4 to 7, and have 30 % test rows. Iris has 150 rows: the SPORF authors' folds
// have a fifth of them, the published ones a quarter, and HRF's divisions a fifth, other ones each time, and no
// missing cells, which mammographic has. TAO's data have the sizes of its table 1.
func TestProtocols(t *testing.T) {
	cubes := map[string]bool{}
	for _, r := range graf.Cubes.Runs() {
		cubes["cube/"+r.Problem+"/"+strconv.Itoa(r.X)] = true
	}
	sizes := map[string]string{"sporf/iris": "120+30", "fd_iris": "113+37", "hrf/iri": "120+30", "hrf/mam": "769+192",
		"taotuned/letter": "16000+4000", "taoxgb/r8": "5485+2189", "taoxgb25/mnist": "60000+10000",
		"cube/multi-class/6": "168+72"}
	for _, p := range protocols() {
		for _, set := range p.sets {
			name := p.name(set)
			if p.prefix == "cube/" && !cubes[name] {
				t.Errorf("%s isn't in the figures", name)
			}
			delete(cubes, name)
			want, wanted := sizes[name]
			if !wanted || os.Getenv("OBLIQUA_DATA") == "" {
				continue
			}
			delete(sizes, name)
			train, test, err := p.split(t.Context(), set, 1)
			must.Do(err)
			must.Do(train.CheckFinite())
			if got := strconv.Itoa(train.N()) + "+" + strconv.Itoa(test.N()); got != want {
				t.Errorf("%s: %s rows, want %s", name, got, want)
			}
			if p.prefix == "hrf/" {
				_, other, err := p.split(t.Context(), set, 2)
				if must.Do(err); slices.Equal(other.Labels, test.Labels) {
					t.Errorf("%s: the test rows of two divisions are the same", name)
				}
			}
		}
	}
	if len(cubes) > 0 || len(sizes) > 0 && os.Getenv("OBLIQUA_DATA") != "" {
		t.Errorf("missing: %v, %v", cubes, sizes)
	}
}
