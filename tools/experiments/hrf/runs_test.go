package hrf

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/papers/hrf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Contenders that are the same learner differ by nothing; the first is the reference.
func TestCompare(t *testing.T) {
	r := trial.Trial{Run: paper.Run{Problem: "noise", X: 15, Seed: 1}, Result: paper.Result{More: map[string]float64{}}}
	must.Do(simulated(t.Context(), &r))
	must.Do(compare(nil, bagging, leafRules[0], contender{"again", bagging.Method})(t.Context(), &r))
	if r.Score != 0 || r.More["err.again"] != r.More["err.bagging"] || r.More["err.rf"] == r.More["err.bagging"] {
		t.Errorf("score %v, errors %v", r.Score, r.More)
	}
}

// categorical numbers the values of a column in ascending order, and Complete drops rows that
// lack a cell.
func TestRecoding(t *testing.T) {
	nan := float32(math.NaN())
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "a"}, {Name: "b"}}, Classes: []string{"n", "y"},
		Columns: [][]float32{{4, 1, 2.5, 1, 4}, {7, 7, nan, 8, 9}}, Labels: []int32{0, 1, 0, 1, 1}}
	c := trial.Complete(categorical(d, "a"))
	if got := c.Column(nil, 0); !slices.Equal(got, []float32{2, 0, 0, 2}) {
		t.Errorf("categories %v, want 2 0 0 2", got)
	}
	if got := c.Features[0].Categories; !slices.Equal(got, []string{"1", "2.5", "4"}) || c.Features[1].Categories != nil {
		t.Errorf("categories are called %v", got)
	}
	if !slices.Equal(c.Labels, []int32{0, 1, 1, 1}) || d.Columns[0][0] != 4 || d.Features[0].Categories != nil {
		t.Errorf("labels %v, data %v", c.Labels, d)
	}
}

// Sets whose classes are our reading have the sizes of table 3 and, up to a feature, the share of noise of table 8.
func TestReadings(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs the data sets of OBLIQUA_DATA")
	}
	sizes := must.Value(paper.ReadPrinted("../../../testdata/hrf_table3_datasets.csv"))
	noise := must.Value(paper.ReadPrinted("../../../testdata/hrf_table8_noise.csv"))
	for _, short := range []string{"aba", "eco", "pov"} {
		d := must.Value(Load(t.Context(), short))
		got := []int{d.N(), d.P(), len(d.Classes)}
		for k, column := range []string{"n", "inputs", "classes"} {
			if want := int(sizes.At(short, column).Value); got[k] != want {
				t.Errorf("%s: %s is %d, want %d", short, column, got[k], want)
			}
		}
		run := trial.Trial{Run: paper.Run{Problem: short, X: 20}, Train: d, Result: paper.Result{More: map[string]float64{}}}
		must.Do(shares(t.Context(), &run))
		if want := noise.At(short, "p_noise").Value; math.Abs(run.Score-want) > 1/run.More["p"] {
			t.Errorf("%s: share of noise %v, want %v ± a feature", short, run.Score, want)
		}
	}
}

// Classes that a group joins are one, and keep the order of the groups' names.
func TestRegrouped(t *testing.T) {
	d := &datasets.Dataset{Classes: []string{"om", "imS", "cp", "imL"}, Labels: []int32{3, 0, 1, 2}}
	c := regrouped(d, func(class string) string { return class[:2] })
	if !slices.Equal(c.Classes, []string{"cp", "im", "om"}) || !slices.Equal(c.Labels, []int32{1, 2, 1, 0}) {
		t.Errorf("classes %v, labels %v", c.Classes, c.Labels)
	}
}

// Of 30 features 60 % are 18; shares that make the same number are one setting.
func TestShareGrid(t *testing.T) {
	for p, want := range map[int][]int{30: {18, 21, 24, 27, 30}, 4: {2, 3, 4}} {
		var got []int
		run := trial.Trial{Train: &datasets.Dataset{Columns: make([][]float32, p)}}
		for _, l := range shareGrid(&run) {
			got = append(got, l.(rf.Bagging).TreeFeatures)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d features %v, want %v", p, got, want)
		}
	}
}

// Table 4's grids: HRF has 9 values of α above 0 and min(10, p) of β, and α = 0.
func TestTable4(t *testing.T) {
	for p, want := range map[int]map[string]int{30: {"HRF": 91, "RF": 3, "bagging": 5, "ET": 6},
		4: {"HRF": 37, "RF": 3, "bagging": 3, "ET": 6}} {
		run := trial.Trial{Train: &datasets.Dataset{Columns: make([][]float32, p)}}
		for method, n := range want {
			grid := table4[method].Settings(&run, trees)
			different := map[string]bool{}
			for _, l := range grid {
				different[setting(l)] = true
			}
			if len(grid) != n {
				t.Errorf("%s, %d features: %d settings, want %d", method, p, len(grid), n)
			}
			if method != "RF" && len(different) != n {
				t.Errorf("%s, %d features: %v", method, p, different)
			}
		}
	}
}

// The score is the mean of the divisions' errors, and that of the first division is a forest's with the setting.
func TestTunedOnce(t *testing.T) {
	run := trial.Trial{Run: paper.Run{Problem: "cir", Method: "RF", X: 2, Seed: 1},
		Result: paper.Result{More: map[string]float64{}}}
	must.Do(tunedOnce(t.Context(), &run))
	if sum := run.More["wrong1"] + run.More["wrong2"]; run.More["rows"] != 200 || math.Abs(run.Score-sum/400) > 1e-12 {
		t.Errorf("%+v", run.Result)
	}
	var m int
	must.Value(fmt.Sscanf(run.Setting, "m=%d", &m))
	first := trial.Trial{Run: paper.Run{Problem: "cir", Seed: 1}}
	must.Do(Prepared(t.Context(), &first))
	must.Do(first.Fit(t.Context(), rf.Learner{Trees: 100, NodeFeatures: m, Seed: 1}))
	must.Do(trial.ErrorRate(t.Context(), &first))
	if want := math.Round(200 * first.Score); run.More["wrong1"] != want {
		t.Errorf("%v wrong rows, want %v", run.More["wrong1"], want)
	}
}

// A forest's tree depths have its mean depths as their means.
func TestTreeDepths(t *testing.T) {
	d := sim.NoiseFeatures{Features: 4}.Sample(200, 1)
	f := must.Value(rf.Learner{Trees: 9}.Fit(t.Context(), d))
	mean, trees := make([]float64, 4), make([]float64, 4)
	for name, n := range treeDepths(f) {
		var j, depth int
		must.Value(fmt.Sscanf(name, "d%d.%d", &j, &depth))
		mean[j-1] += n * float64(depth) / 9
		trees[j-1] += n
	}
	for j, want := range inspect.MeanFeatureDepths(f, 1) {
		if math.Abs(mean[j]-want) > 1e-12 || trees[j] != 9 {
			t.Errorf("feature %d: mean depth %v of %v trees, want %v of 9", j+1, mean[j], trees[j], want)
		}
	}
}

// The class is a threshold of the second feature, so the other three are noise.
func TestNoiseShare(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 4), Classes: []string{"n", "y"},
		Columns: make([][]float32, 4)}
	for i := range 40 {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32(i*(j+1)*7%41))
		}
		d.Labels = append(d.Labels, int32(i*2*7%41/21))
	}
	if got, err := NoiseShare(t.Context(), d, 1); err != nil || got != 0.75 {
		t.Errorf("share %v, error %v; want 0.75", got, err)
	}
}

// A published share of noise features times the number of encoded columns is a whole
// number, up to the share's rounding: 0.85·13 = 11.05 for cmc, but 0.85·9 = 7.65.
func TestEncodedWidths(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs the data sets of OBLIQUA_DATA")
	}
	published := must.Value(paper.ReadPrinted("../../../testdata/hrf_table8_noise.csv"))
	for _, short := range hrf.Sets {
		d, err := Load(t.Context(), short)
		if err != nil {
			t.Fatal(err)
		}
		fitted, _, err := steps.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if d, err = fitted.Apply(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		share := published.At(short, "p_noise").Value * float64(d.P())
		if off := math.Abs(share - math.Round(share)); off > 0.005*float64(d.P())+1e-9 {
			t.Errorf("%s: %d columns; %v of them isn't a whole number", short, d.P(), published.At(short, "p_noise").Value)
		}
	}
}
