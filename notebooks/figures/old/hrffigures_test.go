package old

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// A fifth is a simulation of a fifth of the rows.
type fifth struct{ of sampler }

func (f fifth) Sample(n int, seed uint64) *datasets.Dataset { return f.of.Sample(n/5, seed) }

// Contenders that are the same learner differ by nothing; the first is the reference.
func TestComparison(t *testing.T) {
	c := comparison{
		contenders: []method{hrfBagging, leafRules[0], {name: "again", fit: hrfBagging.fit}},
		rows:       simulated(fifth{sim.NoiseFeatures{Features: 4}}),
	}
	r := trial{Result: Result{More: map[string]float64{}}}
	must.Do(c.run(context.Background(), &r, 4))
	if r.Score != 0 || r.More["diff.again"] != 0 || r.More["se.again"] != 0 {
		t.Errorf("the same learner differs: %v", r.More)
	}
	if got, want := r.More["diff.rf"], r.More["err.rf"]-r.More["err.bagging"]; math.Abs(got-want) > 1e-12 ||
		r.More["se.rf"] <= 0 {
		t.Errorf("difference %v ± %v, want %v", got, r.More["se.rf"], want)
	}
}

// categorical numbers the values of a column in ascending order, and whole drops rows that
// lack a cell.
func TestRecoding(t *testing.T) {
	nan := float32(math.NaN())
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "a"}, {Name: "b"}}, Classes: []string{"n", "y"},
		Columns: [][]float32{{4, 1, 2.5, 1, 4}, {7, 7, nan, 8, 9}}, Labels: []int32{0, 1, 0, 1, 1}}
	c := whole(categorical(d, "a"))
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
	published := must.Value(ReadTable("../../../testdata/hrf_table8_noise.csv"))
	for _, short := range hrfTable5Sets() {
		d, err := hrfData(t.Context(), short)
		if err != nil {
			t.Fatal(err)
		}
		steps, _, err := hrfSteps.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if d, err = steps.Apply(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		share := published[short]["p_noise"] * float64(d.P())
		if off := math.Abs(share - math.Round(share)); off > 0.005*float64(d.P())+1e-9 {
			t.Errorf("%s: %d columns; %v of them isn't a whole number", short, d.P(), published[short]["p_noise"])
		}
	}
}

// By hand: ten trees vote on four rows of three classes. The third row is a tie, which the
// first class wins.
func TestShareVotes(t *testing.T) {
	got := ShareVotes([][]int32{{6, 3, 1}, {5, 4, 1}, {5, 0, 5}, {0, 0, 10}}, []int32{0, 1, 0, 2})
	want := VoteShares{Trees: (0.4 + 0.6 + 0.5 + 0) / 4, Forest: 0.25, Harmless: (0.4 + 0.5 + 0) / 4, Useless: 0.4 / 4}
	for k, d := range []float64{got.Trees - want.Trees, got.Forest - want.Forest, got.Harmless - want.Harmless,
		got.Useless - want.Useless,
		got.Forest - (got.Trees - got.Harmless + got.Useless)} {
		if math.Abs(d) > 1e-12 {
			t.Errorf("number %d: got %+v, want %+v", k, got, want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	five := []Mean{{Problem: "a", More: map[string]float64{
		"diff.rf": -0.02, "better-p.rf": 0.01, "worse-p.rf": 0.99, "t-p.rf": 0.2, // better, by the first test
		"diff.bagging": 0.03, "better-p.bagging": 0.999, "worse-p.bagging": 0.001, "t-p.bagging": 0.04, // worse, by both
		"diff.et": 0, "better-p.et": 0.5, "worse-p.et": 0.5, "t-p.et": 1,
	}}, {Problem: "not in table 6"}}
	six := []Mean{{Problem: "a", More: map[string]float64{"diff.rf-et": 0.01, "better-p.rf-et": 1, "worse-p.rf-et": 1,
		"t-p.rf-et":           1,
		"better-p.rf-bagging": 1, "worse-p.rf-bagging": 1, "t-p.rf-bagging": 1,
		"diff.bagging-et": -0.05, "better-p.bagging-et": 0.001, "worse-p.bagging-et": 1, "t-p.bagging-et": 0.01}}}
	got := Verdicts(five, six)
	if len(got) != 1 || len(got["a"]) != 12 {
		t.Fatalf("verdicts %v, want those of 12 pairs on one set", got)
	}
	for pair, want := range map[[2]string]Verdict{
		{"hrf", "rf"}: {0.02, 1, 0}, {"rf", "hrf"}: {-0.02, -1, 0}, {"hrf", "bagging"}: {-0.03, -1, -1},
		{"bagging", "hrf"}: {0.03, 1, 1},
		{"hrf", "et"}:      {}, {"et", "rf"}: {0.01, 0, 0}, {"bagging", "et"}: {0.05, 1, 1},
	} {
		if got["a"][pair] != want {
			t.Errorf("%v: %+v, want %+v", pair, got["a"][pair], want)
		}
	}
}

func TestReadTable(t *testing.T) {
	published := must.Value(ReadTable("../../../testdata/hrf_table5_accuracy.csv"))
	// The paper says that HRF beats random forests on 48 sets; its own table 5 has 49.
	ahead := 0
	for _, row := range published {
		if row["HRF"] > row["RF"] {
			ahead++
		}
	}
	if len(published) != 52 || ahead != 49 || published["tae"]["HRF"] != 0.6440 {
		t.Errorf("%d sets, HRF ahead of RF on %d, tae %v", len(published), ahead, published["tae"])
	}
	path := filepath.Join(t.TempDir(), "bad.csv")
	must.Do(os.WriteFile(path, []byte("dataset,RF\na,0.5\nb,high\n"), 0o666))
	if _, err := ReadTable(path); err == nil || !strings.Contains(err.Error(), "bad.csv:3: RF") {
		t.Errorf("error %v; want one with file, line and column", err)
	}
}

func TestWins(t *testing.T) {
	verdicts := map[string]map[[2]string]Verdict{
		"a": {{"x", "y"}: {0.1, 1, 0}, {"y", "x"}: {-0.1, -1, 0}},
		"b": {{"x", "y"}: {-0.2, -1, -1}, {"y", "x"}: {0.2, 1, 1}},
		"c": {{"x", "y"}: {1e-18, 0, 0}, {"y", "x"}: {-1e-18, 0, 0}},
	}
	for k, c := range []struct {
		significant func(Verdict) bool
		want        [][][2]float64
	}{
		{func(v Verdict) bool { return v.SignedRank > 0 }, [][][2]float64{{{}, {1.5, 1}}, {{1.5, 1}, {}}}},
		{func(v Verdict) bool { return v.Resampled > 0 }, [][][2]float64{{{}, {1.5, 1}}, {{1.5, 0}, {}}}},
	} {
		if got := Wins(verdicts, []string{"x", "y"}, c.significant); !reflect.DeepEqual(got, c.want) {
			t.Errorf("test %d: %v, want %v", k, got, c.want)
		}
	}
}
