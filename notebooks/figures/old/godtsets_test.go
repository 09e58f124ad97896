package old

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
)

type godtSize struct{ n, p, categorical, classes int }

// godtSizes are the sizes of the sets as their archives describe them, with the changes of the readings.
var godtSizes = parseGODTSizes(`
	Madelon: 2600 500 0 2, Usps: 9298 256 0 10, Abalone: 4177 7 0 3, Adult: 48842 14 8 2,
	Breast Cancer: 683 9 0 2, Dermatology: 366 34 0 6, Drug Consumption: 1885 30 18 7, Ecoli: 336 7 0 8,
	Glass: 214 9 0 6, Heart Failure: 299 11 0 2, Ionosphere: 351 34 0 2, Iris: 150 4 0 3, Letter: 20000 16 0 26,
	Movementlibras: 360 90 0 15, Mushroom: 8124 22 22 2, Satimages: 6435 36 0 6, Segmentation: 210 19 0 7,
	Wine: 178 13 0 3, beijingpm: 41757 11 1 0, electrical grid: 10000 12 0 0, combined cycle: 9568 4 0 0,
	air quality: 7674 12 0 0, bias correction: 7588 21 0 0, gas turbine: 7411 10 0 0, parkinsons: 5875 19 0 0,
	energy efficiency: 768 8 0 0, Istanbul stock exchange: 536 8 0 0, forest fires: 517 12 2 0,
	auto mpg: 392 5 0 0, computer hardware: 209 6 0 0, ale: 107 4 0 0`)

func parseGODTSizes(text string) map[string]godtSize {
	sizes := map[string]godtSize{}
	for set := range strings.SplitSeq(text, ",") {
		name, numbers, _ := strings.Cut(strings.TrimSpace(set), ": ")
		var s godtSize
		must.Value(fmt.Sscan(numbers, &s.n, &s.p, &s.categorical, &s.classes))
		sizes[name] = s
	}
	return sizes
}

// Loaded sets have the known sizes, and the thesis's tables have them under these names.
func TestGODTSets(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("OBLIQUA_DATA isn't set")
	}
	sets := append(GODTSets(), GODTValueSets()...)
	if len(sets) != len(godtSizes) {
		t.Errorf("%d sets, want %d", len(sets), len(godtSizes))
	}
	for _, s := range sets {
		d, err := s.Load(context.Background())
		if err != nil {
			t.Error(err)
			continue
		}
		if err := d.Check(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		categorical := 0
		for _, f := range d.Features {
			if f.Categories != nil {
				categorical++
			}
		}
		want := godtSizes[s.Name]
		if d.N() != want.n || d.P() != want.p || categorical != want.categorical || len(d.Classes) != want.classes {
			t.Errorf("%s: %d rows, %d features, %d categorical, %d classes; want %v", s.Name, d.N(), d.P(), categorical,
				len(d.Classes), want)
		}
		if (s.Classes == 0) != (want.classes == 0) || slices.Contains(d.ClassCounts(), 0) {
			t.Errorf("%s: classes of %v rows", s.Name, d.ClassCounts())
		}
		train, validation, test := s.Split(d.N(), 1)
		if len(test) != s.Test || len(train)+len(validation)+len(test) != d.N() {
			t.Errorf("%s: %d training, %d validation and %d test rows of %d", s.Name, len(train), len(validation), len(test),
				d.N())
		}
		steps, _, err := GODTSteps.Fit(t.Context(), d.Subset(train))
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		encoded, err := steps.Apply(t.Context(), d.Subset(test))
		if err == nil {
			err = encoded.CheckFinite()
		}
		if err != nil {
			t.Errorf("%s: encoded test rows: %v", s.Name, err)
		}
	}
}

// What the archives say of targets: a combined-cycle plant makes 420 to 496 MW, the turbine 100 to 180 MWh,
// miles per gallon are 9 to 46.6, and PPE and the relative changes of an index are below 1.
func TestGODTTargets(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("OBLIQUA_DATA isn't set")
	}
	ranges := map[string][2]float64{
		"combined cycle": {420, 496}, "gas turbine": {100, 180}, "auto mpg": {9, 46.6}, "parkinsons": {0, 1},
		"Istanbul stock exchange": {-0.1, 0.1}, "energy efficiency": {10, 50}, "air quality": {-200, 2.3},
		"electrical grid": {-0.1, 0.11},
	}
	for _, s := range GODTValueSets() {
		want, ok := ranges[s.Name]
		if !ok {
			continue
		}
		d := must.Value(s.Load(context.Background()))
		if lo, hi := slices.Min(d.Values), slices.Max(d.Values); lo < want[0] || hi > want[1] {
			t.Errorf("%s: values from %v to %v, want them in %v", s.Name, lo, hi, want)
		}
		var mean float64
		for _, v := range d.Values {
			mean += v / float64(d.N())
		}
		// Tsanas and Xifara: the mean cooling load is 24.59, the heating load's 22.31.
		if s.Name == "energy efficiency" && math.Abs(mean-24.59) > 0.01 || s.Name == "gas turbine" && math.Abs(mean-136) > 1 {
			t.Errorf("%s: the target's mean is %v", s.Name, mean)
		}
		if s.Name == "air quality" && mean > 0.9 {
			t.Errorf("air quality: mean %v, so −200 isn't there", mean)
		}
	}
}

func TestGODTSplit(t *testing.T) {
	set := GODTSet{Test: 137}
	train, validation, test := set.Split(683, 1)
	if len(train) != 437 || len(validation) != 109 || len(test) != 137 { // 546/5 is 109.2
		t.Errorf("%d, %d and %d rows", len(train), len(validation), len(test))
	}
	all := slices.Concat(train, validation, test)
	slices.Sort(all)
	if !slices.Equal(all, from(0, 683)) {
		t.Error("the parts aren't all rows once")
	}
	if again, _, _ := set.Split(683, 1); !slices.Equal(again, train) {
		t.Error("the same repeat has other rows")
	}
	if other, _, rest := set.Split(683, 2); slices.Equal(other, train) || slices.Equal(rest, test) {
		t.Error("another repeat has the same rows")
	}
	set = GODTSet{Test: 3, Official: true}
	if _, validation, test := set.Split(13, 5); !slices.Equal(test, from(10, 13)) || len(validation) != 2 {
		t.Errorf("official test rows %v, validation rows %v", test, validation)
	}
}

// Each row is in the test part of a quarter of the repeats or so.
func TestGODTSplitIsRandom(t *testing.T) {
	counts := make([]float64, 60)
	const repeats = 2000
	for repeat := range uint64(repeats) {
		_, _, test := GODTSet{Test: 15}.Split(60, repeat)
		for _, i := range test {
			counts[i]++
		}
	}
	for i, c := range counts {
		if math.Abs(c-repeats/4) > 5*math.Sqrt(repeats*3/16) {
			t.Errorf("row %d is tested in %v of %d repeats", i, c, repeats)
		}
	}
}

func TestGODTReadings(t *testing.T) {
	nan := float32(math.NaN())
	d := &datasets.Dataset{
		Name: "made", Target: "target", Features: []datasets.Feature{{Name: "a"}, {Name: "b"},
			{Name: "c", Categories: []string{"no", "yes"}}},
		Columns: [][]float32{{1, 2, nan}, {4, nan, 6}, {1, 0, 1}}, Values: []float64{7, 8, 9},
	}
	v := as(filled(d, -200), "b")
	if !slices.Equal(v.FeatureNames(), []string{"a", "c", "target"}) || v.Target != "b" ||
		!slices.Equal(v.Values, []float64{4, -200, 6}) {
		t.Errorf("features %v, target %s %v", v.FeatureNames(), v.Target, v.Values)
	}
	for j, want := range [][]float32{{1, 2, -200}, {1, 0, 1}, {7, 8, 9}} {
		if got := v.Column(nil, j); !slices.Equal(got, want) {
			t.Errorf("column %d is %v, want %v", j, got, want)
		}
	}
	if d.Columns[0][2] == d.Columns[0][2] || d.P() != 3 || d.Target != "target" {
		t.Error("the original was changed")
	}
	d.Values, d.Labels, d.Classes = nil, []int32{0, 0, 1}, []string{"x", "y"}
	c := as(d, "c")
	if !slices.Equal(c.Labels, []int32{1, 0, 1}) || !slices.Equal(c.Classes, []string{"no", "yes"}) ||
		!slices.Equal(c.FeatureNames(), []string{"a", "b"}) || c.Target != "c" {
		t.Errorf("classes %v %v, features %v", c.Classes, c.Labels, c.FeatureNames())
	}
}

func TestGODTSetUnknown(t *testing.T) {
	t.Setenv("OBLIQUA_DATA", "")
	_, err := GODTSet{Name: "no", registered: "no such set"}.Load(context.Background())
	if !errors.Is(err, public.ErrUnknownSet) {
		t.Errorf("error %v", err)
	}
}
