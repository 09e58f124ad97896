package boosters_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boosters"
	"github.com/obliqua-ml/obliqua/internal/must"
)

func reader(name string) func(io.Reader) (*forest.Forest, error) {
	if strings.HasPrefix(name, "lightgbm") {
		return boosters.LightGBM
	}
	return boosters.XGBoost
}

// LightGBM 4.7.0 and XGBoost 3.2.0 have predicted these rows with these models (testdata/make.py).
func TestPredictions(t *testing.T) {
	raw, err := os.ReadFile("testdata/predictions.json")
	if err != nil {
		t.Fatal(err)
	}
	var predictions map[string]json.RawMessage
	var cells [][]*float64
	must.Do(json.Unmarshal(raw, &predictions))
	must.Do(json.Unmarshal(predictions["x"], &cells))
	delete(predictions, "x")
	if len(predictions) != 10 {
		t.Fatalf("%d models", len(predictions))
	}
	var rows [][]float64
	for _, row := range cells {
		var numbers []float64
		for _, cell := range row {
			if cell == nil { // missing
				numbers = append(numbers, math.NaN())
			} else {
				numbers = append(numbers, *cell)
			}
		}
		rows = append(rows, numbers)
	}
	d := must.Value(datasets.FromRows(rows, make([]float64, len(rows))))
	for _, name := range slices.Sorted(maps.Keys(predictions)) {
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			f := must.Value(reader(name)(bytes.NewReader(file)))
			if _, err := f.MarshalBinary(); err != nil {
				t.Errorf("the forest can't be saved: %v", err)
			}
			var want [][]float64
			if json.Unmarshal(predictions[name], &want) != nil { // one number a row
				var single []float64
				must.Do(json.Unmarshal(predictions[name], &single))
				want = nil
				for _, v := range single {
					if !f.Regression() {
						want = append(want, []float64{1 - v, v})
					} else {
						want = append(want, []float64{v})
					}
				}
			}
			for i, row := range predicted(t, f, d) {
				for c, got := range row {
					if !(math.Abs(got-want[i][c]) <= 1e-6*max(1, math.Abs(want[i][c]))) {
						t.Errorf("row %d: %v, want %v", i, row, want[i])
					}
				}
			}
		})
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
	for _, c := range []struct{ file, old, new, want string }{
		{"lightgbm-two.txt", "tree\n", "trees\n", `the first line is "trees\n"`},
		{"lightgbm-two.txt", "=v4", "=v5", `version "v5"`},
		{"lightgbm-two.txt", "binary sigmoid:1", "cross_entropy", `the objective "cross_entropy"`},
		{"lightgbm-values.txt", "=regression", "=regression sqrt", `the objective "regression sqrt"`},
		{"lightgbm-two.txt", "binary sigmoid:1", "", "no objective"},
		{"lightgbm-two.txt", "num_cat=0", "num_cat=1", "tree 0: it has splits by categories"},
		{"lightgbm-two.txt", "decision_type=8", "decision_type=4", "node 0 splits by categories or takes zeros"},
		{"lightgbm-two.txt", "left_child=-1 2", "left_child=-1 0", "a node is the child of two"},
		{"lightgbm-two.txt", "left_child=-1 2", "left_child=-1 99", "tree 0: node 99 of 4"},
		{"lightgbm-two.txt", "split_feature=", "split_feature=9", "asks feature 9"},
		{"lightgbm-two.txt", "leaf_value=", "leaf_value=1 ", "leaf_value is for 5 splits; there are 4"},
		{"lightgbm-two.txt", "leaf_value=", "leaf_value=NaN ", "leaf"},
		{"lightgbm-two.txt", "end of trees", "", "tree 3: it has splits by categories"},
		{"lightgbm-three.txt", "num_class:3", "num_class:2", "9 trees for 2 classes"},
		{"xgboost-two.json", `"gbtree"`, `"dart"`, `the booster "dart"`},
		{"xgboost-two.json", "binary:logistic", "survival:cox", `the objective "survival:cox"`},
		{"xgboost-two.json", `"base_score":"[`, `"base_score":"[1,`, "base_score 1 for the objective"},
		{"xgboost-two.json", `"4","num_target"`, `"2000000000","num_target"`, "0 names of 2000000000 features"},
		{"xgboost-two.json", `"4","num_target"`, `"-4","num_target"`, "0 names of -4 features"},
		{"xgboost-two.json", `"left_children":[1`, `"left_children":[0`, "a node is the child of two"},
		{"xgboost-two.json", `"left_children":[1`, `"left_children":[77`, "node 77 of"},
		{"xgboost-two.json", `"left_children":[1`, `"left_children":[1,1`, "its lists are of"},
		{"xgboost-two.json", `"size_leaf_vector":"1"`, `"size_leaf_vector":"2"`, "leaves of 2 numbers"},
		{"xgboost-three.json", `"tree_info":[0`, `"tree_info":[1`, "tree 0: it isn't for class 0"},
		{"xgboost-two.json", "{", "[{", "unexpected EOF"},
	} {
		file, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(file, []byte(c.old)) {
			t.Errorf("%s has no %q", c.file, c.old)
		}
		_, err = reader(c.file)(strings.NewReader(strings.Replace(string(file), c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %q for %q: error %v; want %q", c.file, c.new, c.old, err, c.want)
		}
	}
}

// Whatever the bytes, a reader returns an error or a forest that is sound.
func fuzz(f *testing.F, prefix string) {
	files, err := filepath.Glob("testdata/" + prefix + "*")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
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
