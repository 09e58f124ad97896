package viz

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
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
	want := "error minus that of RF, percentage points, mean of 2 splits: one <&> −19, interval −25 to −12, better; " +
		"two 25, interval 12 to 38, worse; a method whose name is long, much longer than what fits 12, " +
		"interval −25 to 50, could be either."
	if f.Alt != want {
		t.Errorf("%s\nwant %s", f.Alt, want)
	}
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
	if alt := (Comparison{Of: values}).figure().Alt; !strings.HasPrefix(alt,
		"RMSE minus that of RF, mean of 2 splits: one <&> −0.19,") {
		t.Errorf("regression: %s", alt)
	}
}

// The picture has the colours of what it claims, and no others.
func TestComparisonColours(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.png")
	for methods, claims := range map[int][]claim{2: {claimBetter}, 3: {claimBetter, claimWorse}} {
		c := compared()
		c.Contenders = c.Contenders[:methods]
		must.Do((Comparison{Title: "T", Of: c}).figure().Save(path))
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []claim{claimBetter, claimWorse} {
			pixels := 0
			for y := range img.Bounds().Dy() {
				for x := range img.Bounds().Dx() {
					r, g, b, _ := img.At(x, y).RGBA()
					if w := claim(k).color(); uint8(r>>8) == w.R && uint8(g>>8) == w.G && uint8(b>>8) == w.B {
						pixels++
					}
				}
			}
			wanted := false
			for _, claimed := range claims {
				wanted = wanted || claimed == k
			}
			if (pixels > 100) != wanted {
				t.Errorf("%d methods: %d pixels in the colour of %q", methods, pixels, claimNames[k])
			}
		}
	}
}

// The SVG is XML, the live chart JSON with all dots, means and intervals, also with numbers that
// aren't finite.
func TestComparisonForms(t *testing.T) {
	c := compared()
	c.Loss[2][1], c.Differences[2].Interval.High = math.NaN(), math.Inf(1)
	f := Comparison{Title: "T", Of: c}.figure()
	path := filepath.Join(t.TempDir(), "c.svg")
	must.Do(f.Save(path))
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for d := xml.NewDecoder(file); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	var option struct {
		Series []struct {
			Name string
			Data []any
		}
	}
	must.Do(json.Unmarshal(f.option(), &option))
	// The line at 0, and of each method the dots and, if it is finite, the interval and the mean.
	if len(option.Series) != 1+3+1+3 || option.Series[1].Name != "one <&>" || len(option.Series[1].Data) != 2 ||
		len(option.Series[2].Data) != 1 || len(option.Series[3].Data) != 1 {
		t.Errorf("series: %+v", option.Series)
	}
}

func TestComparisonPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic without a comparison")
		}
	}()
	Comparison{}.figure()
}
