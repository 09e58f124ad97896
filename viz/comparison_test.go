package viz

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// compared has one method that is better than the baseline, one that is worse and one that may
// be either.
func compared() *eval.Comparison {
	difference := func(mean, low, high float64) eval.Difference {
		return eval.Difference{Difference: mean, Interval: eval.Interval{Low: low, High: high}}
	}
	return &eval.Comparison{Level: 0.95,
		Contenders: []eval.Contender{{Name: "RF"}, {Name: "one <&>"}, {Name: "two"},
			{Name: "a method whose name is long, much longer than what fits"}},
		Loss: [][]float64{{0.25, 0.5}, {0.125, 0.25}, {0.5, 0.75}, {0.25, 0.75}},
		Differences: []eval.Difference{{}, difference(-0.1875, -0.25, -0.125), difference(0.25, 0.125, 0.375),
			difference(0.125, -0.25, 0.5)}}
}

func TestComparison(t *testing.T) {
	f := Comparison{Title: "Three <&> one", Of: compared()}.figure()
	var names []string
	for _, k := range f.keys {
		names = append(names, strings.ReplaceAll(k.name, "\u00a0", " "))
	}
	if got := strings.Join(names,
		"; "); got != "one split; 95 % interval: better; 95 % interval: worse; 95 % interval: could be either" {
		t.Errorf("legend: %s", got)
	}
	values := compared()
	values.Regression = true
	contains(t, Comparison{Of: values}.figure().Alt, "RMSE minus that of RF, mean of 2 splits: one <&> −0.19,")
}

// The picture has the colours of what it claims, and no others.
func TestComparisonColours(t *testing.T) {
	for methods, claims := range map[int][]claim{2: {claimBetter}, 3: {claimBetter, claimWorse}} {
		c := compared()
		c.Contenders = c.Contenders[:methods]
		img := picture(Comparison{Title: "T", Of: c}.figure())
		for _, k := range []claim{claimBetter, claimWorse} {
			if pixels := count(img, k.colour); (pixels > 100) != slices.Contains(claims, k) {
				t.Errorf("%d methods: %d pixels in the colour of %q", methods, pixels, k.name)
			}
		}
	}
}

// The live chart has all dots, means and intervals that are finite.
func TestLiveComparison(t *testing.T) {
	c := compared()
	c.Loss[2][1], c.Differences[2].Interval.High = math.NaN(), math.Inf(1)
	var option struct {
		Series []struct {
			Name string
			Data []any
		}
	}
	must.Do(json.Unmarshal(Comparison{Title: "T", Of: c}.figure().option(), &option))
	// The line at 0, and of each method the dots and, if it is finite, the interval and the mean.
	if len(option.Series) != 1+3+1+3 || option.Series[1].Name != "one <&>" || len(option.Series[1].Data) != 2 ||
		len(option.Series[2].Data) != 1 || len(option.Series[3].Data) != 1 {
		t.Errorf("series: %+v", option.Series)
	}
}
