package boosters_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boosters"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A made is what LightGBM 4.7.0 or XGBoost 3.2.0 made (testdata/make.py).
type made struct {
	Model       string
	Predictions [][]float64 // for each row, its classes' probabilities, the second one's probability or its value
}

// models returns the table that is predicted and the models by name.
func models(t testing.TB) (*datasets.Dataset, map[string]made) {
	t.Helper()
	file := must.Value(os.Open("testdata/models.json.gz"))
	defer file.Close()
	var all struct {
		X      [][]*float64
		Models map[string]made
	}
	must.Do(json.NewDecoder(must.Value(gzip.NewReader(file))).Decode(&all))
	rows := make([][]float64, len(all.X))
	for i, row := range all.X {
		for _, cell := range row {
			if cell == nil {
				cell = new(math.NaN()) // missing
			}
			rows[i] = append(rows[i], *cell)
		}
	}
	return must.Value(datasets.FromRows(rows, make([]float64, len(rows)))), all.Models
}

func reader(name string) func(io.Reader) (*forest.Forest, error) {
	if strings.HasPrefix(name, "lightgbm") {
		return boosters.LightGBM
	}
	return boosters.XGBoost
}

// Forests predict what the libraries do, whose own sums are float64 in LightGBM and float32 in XGBoost.
func TestPredictions(t *testing.T) {
	d, models := models(t)
	if len(models) != 153 {
		t.Fatalf("%d models", len(models))
	}
	largest := make(map[string]float64) // difference, by library
	for _, name := range slices.Sorted(maps.Keys(models)) {
		t.Run(name, func(t *testing.T) {
			f := must.Value(reader(name)(strings.NewReader(models[name].Model)))
			if _, err := f.MarshalBinary(); err != nil {
				t.Errorf("the forest can't be saved: %v", err)
			}
			table := *d
			table.Features = f.Schema().Features
			for i, row := range predicted(t, f, &table) {
				want := models[name].Predictions[i]
				if len(want) == 1 && len(row) == 2 {
					row = row[1:]
				}
				if len(row) != len(want) {
					t.Fatalf("%d numbers, want %d", len(row), len(want))
				}
				for c, got := range row {
					difference := math.Abs(got-want[c]) / max(1, math.Abs(want[c]))
					if !(difference <= 1e-6) {
						t.Errorf("row %d: %v, want %v", i, row, want)
					}
					library, _, _ := strings.Cut(name, "/")
					largest[library] = max(largest[library], difference)
				}
			}
		})
	}
	t.Log("largest differences, relative above 1:", largest)
}

// LightGBM takes cells of a size up to float32(1e-35) for 0, so it predicts the same as for a row of zeros.
func TestCellsNearZero(t *testing.T) {
	d, models := models(t)
	zeros := slices.IndexFunc(d.Columns[0], func(v float32) bool { return v == 0 })
	if !slices.Equal(d.Row(nil, zeros), make([]float32, d.P())) {
		t.Fatalf("row %d is %v", zeros, d.Row(nil, zeros))
	}
	const zero = float32(1e-35)
	column := []float32{-zero, zero, 1e-45, -1e-45}
	tiny := &datasets.Dataset{Columns: slices.Repeat([][]float32{column}, d.P())}
	for name, model := range models {
		if !strings.HasPrefix(name, "lightgbm") {
			continue
		}
		f := must.Value(boosters.LightGBM(strings.NewReader(model.Model)))
		tiny.Features = f.Schema().Features
		want := model.Predictions[zeros]
		for i, row := range predicted(t, f, tiny) {
			row = row[len(row)-len(want):]
			for c, got := range row {
				if math.Abs(got-want[c]) > 1e-6*max(1, math.Abs(want[c])) {
					t.Errorf("%s: cells of %v: %v; want %v", name, tiny.At(i, 0), row, want)
				}
			}
		}
	}
}

func predicted(t *testing.T, f *forest.Forest, d *datasets.Dataset) (rows [][]float64) {
	t.Helper()
	if !f.Regression() {
		return must.Value(f.Proba(t.Context(), d))
	}
	values := must.Value(f.PredictValues(t.Context(), d))
	for _, v := range values {
		rows = append(rows, []float64{v})
	}
	return rows
}

// What a forest hasn't, and what is damaged, is an error that says so.
func TestErrors(t *testing.T) {
	_, models := models(t)
	for model, cases := range map[string][]struct{ old, new, want string }{
		"lightgbm/binary": {
			{"tree\n", "trees\n", `it begins with "trees\nversion`},
			{"=v4", "=v5", `version "v5"`},
			{"binary sigmoid:1", "cross_entropy_lambda", `the objective "cross_entropy_lambda"`},
			{"binary sigmoid:1", "multiclassova num_class:3", `the objective "multiclassova`},
			{"objective=binary sigmoid:1", "", "no objective"},
			{"num_cat=0", "num_cat=1", "tree 0: it has splits by categories"},
			{"is_linear=0", "is_linear=1", "tree 0: it has splits by categories or linear leaves"},
			{"decision_type=8", "decision_type=4", "node 0 splits by categories or takes zeros"},
			{"left_child=-1 2", "left_child=-1 0", "a node is the child of two"},
			{"left_child=-1 2", "left_child=-1 99", "tree 0: node 99 of 4"},
			{"split_feature=", "split_feature=9", "asks feature 9"},
			{"split_gain=", "split_gain=NaN ", "split_gain is for 5 splits"},
			{"leaf_value=", "leaf_value=1 ", "leaf_value is for 5 splits; there are 4"},
			{"leaf_value=", "leaf_value=NaN ", "leaf"},
			{"end of trees", "", "tree 3: it has splits by categories"},
			{"Tree=1", "Tree=0", `tree 1: its number is "0"`},
			{"num_cat=0", "leaf_value=1\nnum_cat=0", "two lines leaf_value"},
			{"end of parameters", "tree\nversion=v4", "more trees after the line"},
			{"end of parameters", "Tree=3", "more trees after the line"},
			{"feature_names=", "feature_names=" + strings.Repeat("a ", 1<<20), "more than 1048576 features"},
		},
		"lightgbm/regression": {
			{"=regression", "=regression sqrt", `the objective "regression sqrt"`},
		},
		"lightgbm/multiclass-three": {
			{"num_class:3", "num_class:2", "9 trees for 2 classes"},
			{"num_class:3", "num_class:1", "9 trees for 1 classes"},
		},
		"xgboost/binary-logistic": {
			{`"gbtree"`, `"gblinear"`, `the booster "gblinear"`},
			{`"gbtree"`, `"dart"`, "0 weights of 2 trees"},
			{"binary:logistic", "binary:hinge", `the objective "binary:hinge"`},
			{`"base_score":"[`, `"base_score":"[1,`, "2 base scores; want 1"},
			{`"base_score":"[`, `"base_score":"[1`, "for the objective binary:logistic"},
			{`"num_target":"1"`, `"num_target":"2"`, "2 targets; want one"},
			{`"4","num_target"`, `"2000000000","num_target"`, "0 names of 2000000000 features"},
			{`"4","num_target"`, `"-4","num_target"`, "num_feature is -4"},
			{`"feature_names":[`, `"feature_names":["a"` + strings.Repeat(`,""`, 1<<20),
				"more than 1048576 features"},
			{`"left_children":[1`, `"left_children":[0`, "a node is the child of two"},
			{`"left_children":[1`, `"left_children":[77`, "node 77 of"},
			{`"left_children":[1`, `"left_children":[1,1`, "its lists are of"},
			{`"trees":[{`, `"trees":[{},{`, "tree 0: its lists are of 0 to 0 nodes"},
			{`"size_leaf_vector":"1"`, `"size_leaf_vector":"2"`, "leaves of 2 numbers"},
			{`"tree_info":[0`, `"tree_info":[1`, "which of 1 outputs"},
			{`"trees":[`, `"trees":[[`, "want {"},
			{`"split_conditions":[`, `"split_conditions":[NaN,`, "tree 0: split_conditions: invalid"},
			{`"version":[3,2,0]}`, `"version":[3,2,0]}{}`, "text after the end"},
			{`"version":[3,2,0]}`, `"version":[3,2,0]}rubbish`, "text after the end"},
			{`"version":[3,2,0]`, `"learner":{}`, `the key "learner", where`},
			{`"version":[3,2,0]`, `"LEARNER":{}`, `the key "LEARNER", where "learner" is to be once`},
			{`"tree_info"`, `"trees":[],"tree_info"`, `the key "trees"`},
			{`"default_left"`, `"Split_Conditions":[],"default_left"`, `the key "Split_Conditions"`},
			{`"base_score"`, `"base_score":"1","base_score"`, `the key "base_score"`},
			{"", "[", "this is a dump of XGBoost"},
		},
		"xgboost/count-poisson": {
			{`"base_score":"[`, `"base_score":"[-`, "for the objective count:poisson"},
		},
		"xgboost/softprob-three": {
			{`"tree_info":[0`, `"tree_info":[1`, "output 1 has more trees than others"},
			{`"tree_info":[0`, `"tree_info":[3`, "which of 3 outputs"},
		},
		"xgboost/dart-two": {
			{`"weight_drop"`, `"model":{"trees":[]},"weight_drop"`, "trees in two places"},
		},
	} {
		text := models[model].Model
		for _, c := range cases {
			if !strings.Contains(text, c.old) {
				t.Errorf("%s has no %q", model, c.old)
			}
			_, err := reader(model)(strings.NewReader(strings.Replace(text, c.old, c.new, 1)))
			readtest.WantError(t, err, c.want)
		}
	}
}

// An endless reader has a line without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestEndlessLine(t *testing.T) {
	_, err := boosters.LightGBM(io.MultiReader(strings.NewReader("tree\n"), endless{}))
	readtest.WantError(t, err, "a line of more than 67108864 bytes")
}

// A reader that is given another format names it, and says what to do.
func TestForeign(t *testing.T) {
	_, models := models(t)
	light, xg := models["lightgbm/binary"].Model, models["xgboost/binary-logistic"].Model
	for _, c := range []struct{ text, want string }{ // as LightGBM 4.7.0, XGBoost 3.2.0 and Python 3.11 begin files
		{`{"name": "tree", "version": "v4", "num_class": 1`, "a JSON dump of LightGBM: save the model as text"},
		{"{L\x00\x00\x00\x00\x00\x00\x00\x07learner{L", "XGBoost's UBJSON: save the model as JSON"},
		{"booster[0]:\n0:[f0<1.5] yes=1,no=2", "a dump of XGBoost"},
		{"[\n  { \"nodeid\": 0, \"depth\": 0", "a dump of XGBoost"},
		{"\x80\x04\x95\x00\x10", "a pickle of Python"},
	} {
		for library, read := range map[string]func(io.Reader) (*forest.Forest, error){"LightGBM": boosters.LightGBM,
			"XGBoost": boosters.XGBoost} {
			_, err := read(strings.NewReader(c.text))
			if want := "boosters: a model of " + library + ": this is " + c.want; err == nil ||
				!strings.HasPrefix(err.Error(), want) {
				t.Errorf("%.20q: %v; want %s", c.text, err, want)
			}
		}
	}
	_, err := boosters.LightGBM(strings.NewReader(xg))
	readtest.WantError(t, err, "read it with boosters.XGBoost")
	_, err = boosters.XGBoost(strings.NewReader(light))
	readtest.WantError(t, err, "read it with boosters.LightGBM")
}

// Whatever the bytes, a reader returns an error or a forest that is sound.
func fuzz(f *testing.F, prefix string) {
	_, models := models(f)
	for name, m := range models {
		if strings.HasPrefix(name, prefix) {
			f.Add([]byte(m.Model))
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		model, err := reader(prefix)(bytes.NewReader(file))
		if err != nil {
			return
		}
		if _, err := model.MarshalBinary(); err != nil {
			t.Errorf("a forest that can't be saved: %v", err)
		}
	})
}

func FuzzLightGBM(f *testing.F) { fuzz(f, "lightgbm") }

func FuzzXGBoost(f *testing.F) { fuzz(f, "xgboost") }
