package old

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

func TestReadTAOTables(t *testing.T) {
	rows := must.Value(ReadTAOTables("../../../testdata/tao_tables2to5.csv"))
	// Counted in the paper's text: 16 rows of MNIST, 15 of Letter, 14 of Char74k, and so on.
	counts := map[string]int{}
	best := map[string]TAORow{}
	for _, r := range rows {
		counts[r.Data]++
		if b, ok := best[r.Data]; !ok || r.Error < b.Error {
			best[r.Data] = r
		}
	}
	for name, n := range map[string]int{"MNIST": 16, "Letter": 15, "Char74k": 14, "SensIT": 11, "R8": 11, "RCV1": 11,
		"ImageNet": 12, "SUSY": 5} {
		if counts[name] != n {
			t.Errorf("%s has %d rows, want %d", name, counts[name], n)
		}
		if best[name].Forest != "TAO-l" { // "TAO-l has the lowest test error in all datasets"
			t.Errorf("%s: %s is best", name, best[name].Forest)
		}
	}
	if len(counts) != 8 {
		t.Errorf("%d data sets, want 8", len(counts))
	}
	for _, want := range []TAORow{
		{2, "Letter", "TAO-c", 30, 11, 2.88, 0.09, 310_000, 3210, ""},
		{2, "MNIST", "ADF", 100, 25, 2.71, 0.10, 3_600_000, 2500, "both"},
		{2, "MNIST", "RF", 1000, 48, 2.84, 0.06, 10_000_000, 35_000, "flops"},
		{5, "SUSY", "TAO-l", 30, 6, 19.64, 0, 34_000, 3210, ""},
	} {
		if !slices.Contains(rows, want) {
			t.Errorf("no row %+v", want)
		}
	}
	for _, c := range [][2]string{
		{"dataset,forest\nLetter,RF\n", ":2: no column table"},
		{"table,dataset,forest,trees,depth,error,sd,parameters,flops,bounds" + "\n2,a,b,1,2,high,,3,4,\n", ":2: error"},
	} {
		path := filepath.Join(t.TempDir(), "bad.csv")
		must.Do(os.WriteFile(path, []byte(c[0]), 0o666))
		if _, err := ReadTAOTables(path); err == nil || !strings.Contains(err.Error(), "bad.csv"+c[1]) {
			t.Errorf("error %v; want one that contains %q", err, c[1])
		}
	}
}

func TestPublishedTAOTables(t *testing.T) {
	for name, cells := range map[string]map[[2]string]float64{
		"6": {{"3 against 8", "oRF"}: 4.3, {"even against odd", "TAO-c"}: 1.5},
		"7": {{"a node 70", "test20"}: 3.86, {"a tree 50", "train10"}: 12.17},
		"8": {{"best tree", "test10"}: 4.94, {"bootstrap", "test20"}: 2.79},
		"9": {{"8/8", "error"}: 2.37, {"2/14", "error"}: 2.79},
	} {
		table := must.Value(ReadTable("../../../testdata/tao_table" + name + ".csv"))
		for cell, want := range cells {
			if got, ok := table[cell[0]][cell[1]]; !ok || got != want {
				t.Errorf("table %s, %v: %v, want %v", name, cell, got, want)
			}
		}
	}
}

func TestTAORowOurs(t *testing.T) {
	record := func(problem, method string, x, repeat int, score float64, more map[string]float64) Record {
		return Record{Run: Run{Problem: problem, Method: method, X: x, Repeat: repeat},
			Result: Result{Score: score, More: more}}
	}
	records := []Record{
		record("letter", "tao-c", 11, 1, 0.5, map[string]float64{"test.1.40": 0.09, "parameters.1.40": 100,
			"flops.1.40": 10}),
		record("letter", "tao-c", 11, 2, 0.5, map[string]float64{"test.1.40": 0.11, "parameters.1.40": 300,
			"flops.1.40": 20}),
		record("letter", "tao-l", 11, 1, 0.9, map[string]float64{"test.1.40": 0.9}),
		record("letter", "tao-c", 12, 1, 0.9, map[string]float64{"test.1.40": 0.9}),
		record("mnist", "tao-c", 11, 1, 0.9, map[string]float64{"test.1.40": 0.9}),
		record("letter", "tao-c λ=1", 11, 1, 0.9,
			map[string]float64{"test.1.40": 0.08, "parameters.1.40": 50, "flops.1.40": 5}),
		record("letter", "rf", 100, 1, 0.04, map[string]float64{"parameters": 7, "flops": 6}),
		record("letter", "cart", 1, 1, 0.13, map[string]float64{"parameters": 5, "flops": 4}),
	}
	nan := math.NaN()
	ours := func(method string, e, sd, parameters, flops float64) TAORow {
		return TAORow{Forest: method, Error: e, SD: sd, Parameters: parameters, FLOPs: flops}
	}
	for _, c := range []struct {
		row  TAORow
		want []TAORow
	}{
		// By hand: 9 and 11 have the mean 10 and the standard deviation √((1 + 1)/1).
		{TAORow{Data: "Letter", Forest: "TAO-c", Trees: 1, Depth: 11}, []TAORow{
			ours("tao-c", 10, math.Sqrt2, 200, 15), ours("tao-c λ=1", 8, nan, 50, 5)}},
		{TAORow{Data: "Letter", Forest: "TAO-c", Trees: 30, Depth: 11}, nil},
		{TAORow{Data: "Letter", Forest: "RF", Trees: 100, Depth: 34}, []TAORow{ours("rf", 4, nan, 7, 6)}},
		{TAORow{Data: "Letter", Forest: "CART", Trees: 1, Depth: 27}, []TAORow{ours("cart", 13, nan, 5, 4)}},
		{TAORow{Data: "Letter", Forest: "AdaBoost", Trees: 100, Depth: 20}, nil},
	} {
		same := func(a, b TAORow) bool {
			b.Data, b.Trees, b.Depth = c.row.Data, c.row.Trees, c.row.Depth
			sd := math.Abs(a.SD-b.SD) < 1e-9 || math.IsNaN(a.SD) && math.IsNaN(b.SD)
			near := math.Abs(a.Error-b.Error) < 1e-9
			a.SD, a.Error, b.SD, b.Error = 0, 0, 0, 0
			return sd && near && a == b
		}
		if got := c.row.Ours(records); !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%+v: %+v, want %+v", c.row, got, c.want)
		}
	}
}

// By hand: the root divides at x = 0, its left subtree at x = −1 and its right one at x = 1.
func TestRootProblem(t *testing.T) {
	tree := forest.Tree{Classes: 2, Nodes: []forest.Node{
		{Split: 0, Value: 0, Next: 4},
		{Split: 0, Value: -1, Next: 3}, forest.ClassLeaf(1, 1), forest.ClassLeaf(0, 1),
		{Split: 0, Value: 1, Next: 6}, forest.ClassLeaf(1, 1), forest.ClassLeaf(0, 1),
	}}
	f := &forest.Forest{Method: "cart", Features: []string{"x1"}, Classes: []string{"n", "y"}, Trees: []forest.Tree{tree}}
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x1"}}, Classes: f.Classes,
		Columns: [][]float32{{-2, -2, -0.5, -0.5, 2, 2}}, Labels: []int32{1, 0, 0, 1, 0, 1}}
	// The left subtree says 1 1 0 0 0 0, the right one 1 1 1 1 0 0.
	want := []int32{2, 2, 0, 1, 2, 2}
	problem, split := RootProblem(f, d)
	if !slices.Equal(problem.Labels, want) || !slices.Equal(d.Labels, []int32{1, 0, 0, 1, 0, 1}) {
		t.Errorf("pseudolabels %v, want %v", problem.Labels, want)
	}
	if got := must.Value(split.Predict(t.Context(), problem)); !slices.Equal(got, []int32{0, 0, 0, 0, 1, 1}) {
		t.Errorf("sides %v", got)
	}
}

// By hand: with levels complete to depth 1 and children at depth 1 split with p, a tree has 1 + 2 + 4p
// nodes; with a third level 1 + 2 + 4p + 8p².
func TestSplitProbability(t *testing.T) {
	for _, c := range []struct {
		full, depth int
		nodes, want float64
	}{{1, 2, 5, 0.5}, {1, 3, 7, 0.5}, {1, 2, 7, 1}, {1, 2, 9, 1}} {
		if got := splitProbability(c.full, c.depth, c.nodes); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: p = %v", c, got)
		}
	}
	// All cells of table 9 can be had.
	for _, cell := range [][2]int{{5, 9}, {5, 11}, {2, 14}} {
		if p := splitProbability(cell[0], cell[1], 511); p <= 0.5 || p >= 1 {
			t.Errorf("%v: p = %v", cell, p)
		}
	}
}

func TestTwoClasses(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x1"}}, Classes: strings.Split("0123456789", ""),
		Columns: [][]float32{{255, 51, 0, 102}}, Labels: []int32{8, 4, 3, 3}}
	two := twoClasses(toUnit(d), [10]int32{-1, -1, -1, 0, -1, -1, -1, -1, 1, -1})
	if got := two.Column(nil, 0); !slices.Equal(got, []float32{1, 0, 0.4}) {
		t.Errorf("pixels %v", got)
	}
	if !slices.Equal(two.Labels, []int32{1, 0, 0}) || len(two.Classes) != 2 || d.Columns[0][0] != 255 {
		t.Errorf("labels %v, data %v", two.Labels, d)
	}
}

// A run of many passes has the numbers of runs of fewer passes and trees, where fits are taken freely.
func TestTAORunMeasuresPrefixes(t *testing.T) {
	train, test := sim.XOR{Cells: 2, Degrees: 30}.Sample(200, 1), sim.XOR{Cells: 2, Degrees: 30}.Sample(500, 2)
	l := tao.Learner{Trees: 3, Passes: 5, Lambda: 0.1, Acceptance: tao.Free, Seed: 1}
	r := measured(t, taoForest("", l, byDepth, []int{1}, []int{2}), train, test)
	l.Depth = 3
	for _, passes := range []int{2, 5} {
		l.Passes = passes
		var single float64
		for _, trees := range []int{1, 3} {
			l.Trees = trees
			f := must.Value(l.Fit(t.Context(), train))
			name := fmt.Sprintf(".%d.%d", trees, passes)
			if got, want := r.More["test"+name], eval.Error(must.Value(f.Predict(t.Context(), test)), test.Labels); got != want {
				t.Errorf("test%s = %v, want %v", name, got, want)
			}
			if got, want := r.More["parameters"+name], float64(f.Size().Parameters); got != want {
				t.Errorf("parameters%s = %v, want %v", name, got, want)
			}
			for i := range f.Trees {
				one := *f
				one.Trees = f.Trees[i : i+1]
				single += eval.Error(must.Value(one.Predict(t.Context(), test)), test.Labels) / 3
			}
			if trees == 1 {
				single = 0
			}
		}
		if got := r.More[fmt.Sprintf("tree.%d", passes)]; math.Abs(got-single) > 1e-12 {
			t.Errorf("tree.%d = %v, want %v", passes, got, single)
		}
	}
	if r.Score != r.More["test.3.5"] || r.Setting != "λ=0.1" {
		t.Errorf("score %v, setting %q", r.Score, r.Setting)
	}
}

// measured returns a method's result with seed 1 and X = 3.
func measured(t *testing.T, m method, train, test *datasets.Dataset) Result {
	of := trial{Run: Run{X: 3, Seed: 1}, Result: Result{More: map[string]float64{}}, train: train, test: test}
	for _, do := range []action{m.fit, m.measure} {
		must.Do(do(t.Context(), &of))
	}
	return of.Result
}

func TestOverLambda(t *testing.T) {
	train, test := sim.XOR{Cells: 2, Degrees: 30}.Sample(200, 1), sim.XOR{Cells: 2, Degrees: 30}.Sample(500, 2)
	r := measured(t, overLambda(tao.Learner{Depth: 3, Passes: 3}), train, test)
	best := math.Inf(1)
	for k, lambda := range []float64{0.002, 0.632455532, 200} { // √(0.002·200) in the middle
		best = min(best, r.More[fmt.Sprintf("test.%d", k)])
		if got := r.More[fmt.Sprintf("lambda.%d", k)]; math.Abs(got-lambda) > 1e-6*lambda {
			t.Errorf("λ %d is %v, want %v", k, got, lambda)
		}
	}
	// With λ = 200 a weight costs more than all 200 rows: a single leaf is left.
	if r.More["best"] != best || r.More["parameters.2"] != 1 || r.More["parameters.0"] < 4 {
		t.Errorf("%v", r.More)
	}
}
