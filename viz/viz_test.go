package viz

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// corners returns a data set of two classes, left and right of x = 0, in the square
// [−1, 1]².
func corners() *datasets.Dataset {
	return &datasets.Dataset{
		Target:   "side",
		Features: []datasets.Feature{{Name: "x"}, {Name: "y"}},
		Columns:  [][]float32{{-1, -1, 1, 1}, {-1, 1, -1, 1}},
		Labels:   []int32{0, 0, 1, 1},
		Classes:  []string{"left", "right <&>"},
	}
}

// oblique returns a forest of one tree that splits the square at x − y ≤ 0.5.
func oblique() *forest.Forest {
	tree := forest.Tree{Classes: 2}
	tree.Nodes = []forest.Node{
		{Split: tree.Splits.Add(along(1, -1)), Next: 2, Value: 0.5},
		tree.DistLeaf([]float32{3, 1}, 4),
		forest.ClassLeaf(1, 2),
	}
	return &forest.Forest{Method: "test", Target: "side", Features: []string{"x", "y"},
		Classes: []string{"left", "right <&>"}, Trees: []forest.Tree{tree}}
}

// value returns a forest of one regression stump on x.
func value() *forest.Forest {
	return &forest.Forest{Features: []string{"x", "y"}, Trees: []forest.Tree{{Nodes: []forest.Node{
		{Split: 0, Next: 2, Value: 1},
		forest.ValueLeaf(2.5, 7),
		forest.ValueLeaf(-3, 5),
	}}}}
}

// accuracies returns three points: one above the diagonal, one on it, and one below.
func accuracies() *datasets.Dataset {
	return &datasets.Dataset{Features: []datasets.Feature{{Name: "paper"}, {Name: "here"}},
		Columns: [][]float32{{0.5, 0.7, 0.9}, {0.6, 0.7, 0.2}}}
}

func gallery() map[string]Chart {
	x := []float64{10, 100, 1000}
	return map[string]Chart{
		"regions": DecisionRegions{Title: "Regions", Model: oblique(), Data: corners(), Resolution: 40, Equal: true},
		"scatter": Scatter{Title: "Rows", Data: corners()},
		"curves": Curves{Title: "Curves", X: "rows", Y: "error", LogX: true, Series: []Series{
			{Name: "one", X: x, Y: []float64{0.3, 0.2, 0.1}, Err: []float64{0.02, 0, 0.01}},
			{Name: "two", X: x, Y: []float64{0.3, math.NaN(), 0.2}},
		}, Levels: []Level{{1.0 / 6, "1/6"}}},
		"heat map": HeatMap{Title: "Heat", Key: "share", X: "column", Y: "row", Columns: []string{"a", "b"},
			Rows: []string{"c", "d"}, Values: [][]float64{{-1, 0.5}, {math.NaN(), 1}}},
		"bars": Bars{Title: "Bars", X: "share", Names: []string{"a", "b"}, Values: []float64{0.7, -0.2},
			Err: []float64{0.1, 0}},
		"boxes": Boxes{Title: "Boxes", X: "noise", Y: "error", Groups: []string{"0 %", "50 %"}, Series: []Sample{
			{Name: "one", Values: [][]float64{{1, 2, 3, 4, 50}, {2}}}, {Name: "two", Values: [][]float64{{3, 1}, {5, 5, 5}}},
		}, Levels: []Level{{2, "equal"}}},
		"ranges": Ranges{Title: "Ranges", X: "share", Names: []string{"a <&>", "b"}, Low: []float64{0.1, math.NaN()},
			High: []float64{0.4, math.NaN()}, Range: "all splits", Log: true,
			Marks: []Marks{{"mean", []float64{0.2, 0.3}}, {"printed", []float64{0.5, math.NaN()}}}},
		"tree":        TreeDiagram{Title: "Tree", Model: oblique()},
		"calibration": calibration(),
		"ROC":         Thresholds{Title: "ROC", Of: thresholds()},
		"precision":   Thresholds{Title: "Precision", Curve: PrecisionRecall, Of: thresholds()},
		"gain":        Thresholds{Title: "Gain", Curve: Gain, Of: thresholds()},
		"partial": PartialDependence{Title: "Partial", X: "x", Y: "p", Values: []float64{0, 1, 3},
			Mean: []float64{0.2, 0.4, 0.3}, Rows: [][]float64{{0, 0.4, 0.6}, {0.4, 0.4, 0}}, Cells: []float32{0, 1, 1, 3}},
		"SHAP":            shapChart(),
		"comparison":      Comparison{Title: "Comparison", Of: compared()},
		"regression tree": TreeDiagram{Title: "Tree", Model: value()},
		"weights": WeightImages{Title: "Weights",
			Model: pixels(6, forest.Linear([]int32{0, 3, 5}, []float32{1, -0.5, 0.1})), Columns: 3},
		"steps":     Steps{Title: "Steps", Model: oblique(), Data: corners(), Equal: true},
		"snapshots": Snapshots{Title: "Snapshots", Models: []*forest.Forest{oblique(), oblique()}, Data: corners()},
		"mixture":   figure34(),
		"mixture steps": MixtureSteps{Title: "Mixtures",
			Steps: withComponents(NodeMixtures(&oblique().Trees[0], corners()))},
		"sensitivity": SensitivityMap{Title: "Sensitivity", Data: corners(), Sensitivity: []float64{0, 0.1, 0.2, 0.4}},
		"diagonal":    Scatter{Title: "Ours", Data: accuracies(), Diagonal: true},
		"some rows":   Scatter{Title: "Rows", Data: corners(), Rows: []int32{3, 0}, Equal: true},
		"ranks":       ranks(),
		"beeswarm":    bees(),
		"critical":    critical(),
		"multiples":   SmallMultiples{Title: "Panels", Panels: panels()},
		"grid": Grid{Title: "Grid", Charts: []Chart{Scatter{Title: "Rows", Data: corners()},
			TreeDiagram{Title: "Tree", Model: oblique()}}},
	}
}

// thresholds returns those of four rows, of which the first and the third by probability are sick. Of the four pairs of
// a sick and a healthy row, three are in order.
func thresholds() []eval.Thresholds {
	return []eval.Thresholds{{Class: "sick <&>", Rows: 4, Of: 2, Points: []eval.Threshold{
		{At: 0.9, Taken: 1, Found: 1}, {At: 0.8, Taken: 2, Found: 1}, {At: 0.4, Taken: 3, Found: 2},
		{At: 0.1, Taken: 4, Found: 2}}}}
}

func calibration() CalibrationCurve {
	return CalibrationCurve{Title: "Calibration", Class: "sick <&>", Series: []CalibrationSeries{
		{"one", eval.CalibrationCurve{Bins: []eval.CalibrationBin{
			{Rows: 30, Predicted: 0.1, Observed: 0.2, Low: 0.1, High: 0.3},
			{Rows: 10, Predicted: 0.5, Observed: 0.5, Low: 0.3, High: 0.7},
			{Rows: 20, Predicted: 0.9, Observed: 0.6, Low: 0.4, High: 0.8}}}},
		{"two", eval.CalibrationCurve{Bins: []eval.CalibrationBin{{Predicted: 0.2}, {Predicted: 0.8, Observed: 1}}}},
	}}
}

func ranks() RankMatrix {
	return RankMatrix{Title: "Ranks", Methods: []string{"worst <&>", "best", "middle"}, Ranks: []float64{2.75, 1, 2.25},
		P: [][]float64{{math.NaN(), 0, 0.05}, {1, math.NaN(), 1}, {1, 0.0437, math.NaN()}}}
}

// panels returns three charts, of which the first two have the same labels.
func panels() []Curves {
	var panels []Curves
	for i, y := range []string{"error", "error", "seconds"} {
		panels = append(panels, Curves{Title: "Panel", X: "rows", Y: y, Series: []Series{
			{Name: "one", X: []float64{1, float64(2 + i)}, Y: []float64{float64(i), float64(10 * i)}},
			{Name: "two", X: []float64{1}, Y: []float64{1}},
		}, Levels: []Level{{0.5, "half"}}})
	}
	return panels
}

// descriptions are what a reader who doesn't see a picture of the gallery is told: axes, series and ranges. There may
// be more words at "…".
var descriptions = map[string]string{
	"ROC":             "sick <&>, area 0.750: 0 at 0 to 1 at 1. guessing: 0 at 0 to 1 at 1",
	"precision":       "sick <&>: 1 at 0.5 to 0.5 at 1. Level guessing: 0.5",
	"gain":            "share of all rows taken. sick <&>: 0 at 0 to 1 at 1",
	"regions":         "left 70 %; right <&> 30 %…y (−1 to 1) against x (−1 to 1) for 4 rows…class left: 2",
	"scatter":         "y (−1 to 1) against x (−1 to 1) for 4 rows…class right <&>: 2",
	"curves":          "error against rows…one: 0.3 at 10 to 0.1 at 1,000…two: 0.3 at 10…Level 1/6: 0.1667",
	"heat map":        "2 rows and 2 columns…row by column…from −1 (c, a) to 1 (d, b)",
	"bars":            "share of 2 bars…a 0.7…b −0.2",
	"boxes":           "of error, medians…one: 0 % 3, 50 % 2…two: 0 % 2, 50 % 5",
	"ranges":          "share. a <&>: 0.1 to 0.4, mean 0.2, printed 0.5. b: mean 0.3.",
	"tree":            "depth 1 with 2 leaves; at the root: x − y ≤ 0.5. If so: left 3 of 4; otherwise: right <&> 2.",
	"regression tree": "x ≤ 1…If so: 2.5 (7); otherwise: −3 (5)",
	"weights":         "2 leaves…3 × 2 pixels…3 weights",
	"diagonal":        "here (0.2 to 0.7) against paper (0.5 to 0.9) for 3 rows. Above the diagonal: 1; below: 1.",
	"steps":           "y (−1 to 1) against x (−1 to 1)…Step 1 divides 1: 2 regions",
	"snapshots":       "y (−1 to 1) against x (−1 to 1)…A tree of 2 leaves",
	"mixture": "y (−1 to 1) against x (−1 to 1) for 4 rows; class left: 2; class right <&>: 2. " +
		"Component 1: weight 0.5, mean (0, 2), standard deviations 2.24 and 1, correlation 0.894. " +
		"Component 2: weight 0.5, mean (2, 0), standard deviations 2.24 and 1, correlation 0.894. " +
		"Boundary by Mahalanobis distance: −6·x + 14·y = 8. Boundary by Euclidean distance: −2·x + 2·y = 0.",
	"mixture steps": "4 rows, purity 0.50…Component 1",
	"sensitivity":   "Sensitivity of y (−1 to 1) against x (−1 to 1)…0.4 or more",
	"some rows":     "y (−1 to 1) against x (−1 to 1) for 2 rows; class left: 1; class right <&>: 1.",
	"ranks": "Methods by mean rank: best (1.00), middle (2.25), worst <&> (2.75). " +
		"Significantly better: best over worst <&>, 0; best over middle, 0.044.",
	"beeswarm": "κ of 3 groups, with medians: one <&> 0.01 of 3; two 0.175 of 4; none no value of 0.",
	"critical": "Methods by mean rank: best (1.00), middle (2.25), other (3.00), worst <&> (3.75). " +
		"Critical difference 1.5. No difference between best, middle. No difference between middle, other, worst <&>.",
	"multiples": "error against rows. one: 0 at 1 to 0 at 2…seconds against rows",
	"grid":      "Rows\ny (−1 to 1) against x (−1 to 1)…Tree\nDecision tree",
	"calibration": "Observed share of sick <&> against its predicted probability. one: 3 points, from 0.2 " +
		"observed at 0.1 predicted to 0.6 at 0.9; furthest from the diagonal: 0.6 at 0.9." +
		" two: 2 points, from 0 observed at 0.2 predicted to 1 at 0.8; furthest from the diagonal: 0 at 0.2.",
	"partial": "p against x from 0 to 3: lowest 0.2 at 0, highest 0.4 at 1. Behind it the curves of 2 single rows.",
	"comparison": "error minus that of RF, percentage points, mean of 2 splits: " +
		"one <&> −19, interval −25 to −12, better; two 25, interval 12 to 38, worse; " +
		"a method whose name is long, much longer than what fits 12, interval −25 to 50, could be either.",
	"SHAP": "effect on p of 4 rows, by feature. Mean magnitudes: height 0.4, age 0.1, x2 0.",
}

// No line joins points, so there is a gap between any two.
func TestPointsAreNotJoined(t *testing.T) {
	s := Series{Name: "rows", X: []float64{3, 1, 2}, Y: []float64{4, 5, 6}, Points: true}
	var x, y []float64
	for k, d := range s.dots() {
		if gap := math.IsNaN(d.y); gap != (k%2 == 1) {
			t.Errorf("mark %d is at %v; want gaps behind each point but the last", k, d)
		} else if !gap {
			x, y = append(x, d.x), append(y, d.y)
		}
	}
	if !slices.Equal(x, s.X) || !slices.Equal(y, s.Y) {
		t.Errorf("points at %v, %v; want %v, %v", x, y, s.X, s.Y)
	}
}

func TestGallery(t *testing.T) {
	if testing.Short() {
		t.Skip("it only draws, in one goroutine")
	}
	static := []string{"boxes", "regions", "grid", "multiples", "weights", "SHAP"}
	for name, chart := range gallery() {
		t.Run(name, func(t *testing.T) {
			f := chart.figure()
			if live := f.live != nil; live == slices.Contains(static, name) {
				t.Errorf("live: %v", live)
			}
			checkPicture(t, f)
			if want, ok := descriptions[name]; !ok || f.Alt == "" || !strings.HasPrefix(f.alt(), f.Title) {
				t.Errorf("description %q; want one, and what it should say", f.alt())
			} else {
				contains(t, f.alt(), strings.Split(want, "…")...)
			}
			images := slices.Contains([]string{"regions", "weights"}, name)
			checkSVG(t, f, images)
			if f.live != nil {
				checkLive(t, f)
			}
		})
	}
}

// checkPicture looks at the PNG of a notebook, and at its description.
func checkPicture(t *testing.T, f *Figure) {
	output := f.picture(png.BestSpeed)
	img := must.Value(png.Decode(bytes.NewReader(output.Data["image/png"].([]byte))))
	if w, h := float64(img.Bounds().Dx()), float64(img.Bounds().Dy()); math.Abs(w-2*f.Width) > 1 ||
		math.Abs(h-2*f.Height) > 1 || cutOff(img) {
		t.Errorf("the PNG has %v × %v pixels; want twice %v × %v and nothing at its edge", w, h, f.Width, f.Height)
	}
	alt, plain := output.Metadata["image/png"].(map[string]any)["alt"], output.Data["text/plain"]
	if alt != f.alt() || plain != f.alt() {
		t.Errorf("the alternative text is %q, the plain one %q", alt, plain)
	}
}

// checkSVG: images fill their rectangles, and there is a description.
func checkSVG(t *testing.T, f *Figure, images bool) {
	text := svg(f)
	if n := strings.Count(text, "<image "); n != strings.Count(text, `<image preserveAspectRatio="none" `) ||
		(n > 0) != images {
		t.Errorf("%d images", n)
	}
	var parsed struct {
		Role  string `xml:"role,attr"`
		Label string `xml:"aria-label,attr"`
		Title string `xml:"title"`
		Desc  string `xml:"desc"`
	}
	must.Do(xml.Unmarshal([]byte(text), &parsed))
	if parsed.Role != "img" || parsed.Label != f.alt() || parsed.Title != f.Title || parsed.Desc != f.Alt {
		t.Errorf("%+v; want the title and description of %q", parsed, f.alt())
	}
}

// checkLive: a live chart has a description, needs no other page, and text from the data doesn't end its script.
func checkLive(t *testing.T, f *Figure) {
	live := f.liveHTML()
	contains(t, live, `role="img" aria-label="`+html.EscapeString(f.alt())+`"`)
	if strings.Contains(live, "http") || strings.Contains(live, "H4sI") {
		t.Error("it fetches or carries the library")
	}
	if strings.Count(live, "</script>") != 1 || strings.Contains(live, "right <&>") {
		t.Errorf("text is not escaped:\n%s", live)
	}
}

func TestPage(t *testing.T) {
	var page bytes.Buffer
	must.Do((Bars{Title: "<b>", Names: []string{"a"}, Values: []float64{1}}).figure().writeHTML(&page))
	if n := strings.Count(page.String(), bundleHTML()); n != 1 {
		t.Errorf("a page carries the library %d times", n)
	}
	if strings.Contains(page.String(), "src=\"http") || strings.Contains(page.String(), "<b>") {
		t.Error("a page refers to another, or shows a title unescaped")
	}
}

// Each cell has its p-value, and the colour of its logarithm.
func TestRankMatrix(t *testing.T) {
	contains(t, string(ranks().figure().option()), `[0,0,4,"0 *"]`, fmt.Sprintf(`[1,0,%v,"0.05"]`, math.Log10(20)),
		`"0.044 *"]`, `[2,1,0,"1"]`)
}

func TestMisuse(t *testing.T) {
	a, ab, one, two := []string{"a"}, []string{"a", "b"}, []float64{1}, []float64{1, 2}
	none := []float64{math.NaN()}
	curve := Curves{Series: []Series{{X: one, Y: one}}}
	swapped := corners()
	swapped.Classes = []string{"right <&>", "left"} // points would have the colours of other classes
	misused[Chart](t,
		Curves{},
		Curves{Series: []Series{{X: one, Y: two}}},
		Curves{Series: []Series{{X: one, Y: one, Err: two}}},
		Curves{LogX: true, Series: []Series{{X: []float64{0}, Y: one}}},
		Curves{LogY: true, Series: []Series{{X: one, Y: []float64{0}}}},
		Curves{LogY: true, Series: curve.Series, Levels: []Level{{Y: 0}}},
		Curves{Series: []Series{{X: []float64{math.Inf(1)}, Y: one}}},
		Curves{Series: []Series{{X: one, Y: none}}},
		Curves{Series: curve.Series, Levels: []Level{{Y: math.NaN()}}},
		Bars{}, Bars{Names: a}, Bars{Names: a, Values: one, Err: two},
		Boxes{}, Boxes{Groups: a, Series: []Sample{{}}},
		Boxes{Groups: a, Series: []Sample{{Values: [][]float64{{}}}}},
		Boxes{Groups: a, Series: []Sample{{Values: [][]float64{none}}}},
		Ranges{}, Ranges{Names: a}, Ranges{Names: a, Low: one},
		Ranges{Names: a, Low: none, High: one, Marks: []Marks{{}}},
		Ranges{Names: a, Log: true, Marks: []Marks{{Values: []float64{0}}}},
		HeatMap{}, HeatMap{Rows: a, Columns: a, Values: [][]float64{two}},
		HeatMap{Rows: a, Columns: a, Values: [][]float64{one}, Text: [][]string{ab}},
		Scatter{Data: corners(), X: 2}, Scatter{Data: corners(), X: -1},
		Scatter{Data: corners(), Rows: []int32{4}}, Scatter{Data: corners(), Rows: []int32{-1}},
		TreeDiagram{Model: oblique(), Tree: 1}, TreeDiagram{Model: oblique(), Depth: -1},
		Grid{}, Grid{Charts: []Chart{curve}, Columns: -1},
		DecisionRegions{Model: value(), Data: corners()},
		DecisionRegions{Model: oblique(), Data: swapped},
		DecisionRegions{Model: oblique(), Data: corners(), Resolution: -1},
		SensitivityMap{Data: corners(), Sensitivity: one},
		SensitivityMap{Data: corners(), Sensitivity: []float64{0, 1, 2, math.NaN()}},
		SensitivityMap{Data: corners(), Sensitivity: []float64{0, 1, 2, -1}},
		RankMatrix{}, RankMatrix{Methods: a, Ranks: one}, RankMatrix{Methods: a, Ranks: one, P: [][]float64{nil}},
		Steps{Model: oblique(), Data: corners(), Tree: 1}, Steps{Model: value(), Data: corners()},
		Steps{Model: oblique(), Data: table(nil, nil, nil)}, Steps{Model: oblique(), Data: table(nil, nil)},
		Beeswarm{}, Beeswarm{Names: a}, Beeswarm{Names: a, Values: [][]float64{two}, Points: a},
		CriticalDifference{}, CriticalDifference{Methods: a, Ranks: one},
		CriticalDifference{Methods: ab, Ranks: []float64{1, 2.1}},
		CriticalDifference{Methods: ab, Ranks: []float64{math.NaN(), 1}},
		CriticalDifference{Methods: ab, Ranks: two, Difference: -1},
		CriticalDifference{Methods: ab, Ranks: two, Groups: [][]int{{0, 2}}},
		CriticalDifference{Methods: ab, Ranks: two, Groups: [][]int{{}}},
		SmallMultiples{}, SmallMultiples{Panels: append(panels(), curve)},
		Comparison{}, SHAP{}, SHAP{Data: shapData(), Values: shapValues()[1:]},
		SHAP{Data: shapData().Select(0, 1), Values: shapValues()}, SHAP{Data: shapData(), Values: shapValues(), Most: -1},
		PartialDependence{}, PartialDependence{Values: []float64{2, 1}, Mean: two},
		PartialDependence{Values: two, Mean: two, Rows: [][]float64{one}}, CalibrationCurve{},
		Thresholds{}, Thresholds{Of: []eval.Thresholds{{Class: "none", Rows: 3}}},
	)
}

func TestSeriesColours(t *testing.T) {
	x := []float64{0, 1}
	var c Curves
	for k := range Palette {
		c.Series = append(c.Series, Series{Name: "s", X: x, Y: []float64{float64(k), float64(k)}})
	}
	f := c.figure()
	f.Width, f.Height = 320, 240
	img := picture(f)
	for k, want := range Palette {
		// A horizontal line two CSS pixels wide, less what the labels cover.
		if n := count(img, want); n < 1000 {
			t.Errorf("series %d: %d pixels of %v", k, n, want)
		}
	}
}

// TestReduceColours: up to 256 colours stay as they are; of more, the commonest do.
func TestReduceColours(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 100, 10))
	for i := range 1000 {
		c := color.NRGBA{uint8(i), uint8(i / 256 * 64), 7, 255}
		if i < 500 {
			c = color.NRGBA{200, 10, 10, 255}
		}
		img.Set(i%100, i/100, c)
	}
	out := reduceColours(img)
	for i := range 500 {
		if out.At(i%100, i/100) != (color.NRGBA{200, 10, 10, 255}) {
			t.Fatalf("pixel %d is %v", i, out.At(i%100, i/100))
		}
	}
	if len(out.Palette) != 256 {
		t.Errorf("%d colours", len(out.Palette))
	}
	few := image.NewRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		few.Set(i%16, i/16, color.NRGBA{uint8(i), 255 - uint8(i), 3, 255})
	}
	out = reduceColours(few)
	for i := range 256 {
		if color.RGBAModel.Convert(out.At(i%16, i/16)) != few.At(i%16, i/16) {
			t.Fatalf("pixel %d of 256 colours changed", i)
		}
	}
}

func TestRegionsAgreeWithPredict(t *testing.T) {
	model, data := oblique(), corners()
	grid, _ := DecisionRegions{Model: model, Data: data, Resolution: 64}.grid(newPoints(data, 0, 0, nil))
	img := grid.image()
	for i := range grid.class {
		x, y := grid.center(i)
		want, margin := int32(0), 0.5 // proportions 3:1 in the mixed leaf
		if x-y > 0.5 {
			want, margin = 1, 1
		}
		if grid.class[i] != want || math.Abs(grid.margin[i]-margin) > 1e-6 {
			t.Fatalf("(%v, %v): class %d, margin %v; want %d, %v", x, y, grid.class[i], grid.margin[i], want, margin)
		}
		// The pixel in the middle of the cell, counted from the top.
		px := img.At(i%grid.nx*cellWidth+cellWidth/2, (grid.ny-1-i/grid.nx)*cellWidth+cellWidth/2)
		if px != shade(int(want), margin) {
			t.Fatalf("(%v, %v): pixel %v; want %v", x, y, px, shade(int(want), margin))
		}
	}
}

// TestRegionsHoldOtherFeatures: a model that splits on feature 2 only gets its median.
func TestRegionsHoldOtherFeatures(t *testing.T) {
	model := &forest.Forest{Features: []string{"", "", ""}, Classes: []string{"low", "high"},
		Trees: []forest.Tree{{Classes: 2, Nodes: []forest.Node{
			{Split: 2, Next: 2, Value: 5}, forest.ClassLeaf(0, 0), forest.ClassLeaf(1, 0),
		}}}}
	data := table([]float32{0, 1, 2}, []float32{0, 1, 2}, []float32{9, 1, 7})
	grid, _ := DecisionRegions{Model: model, Data: data, Resolution: 8}.grid(newPoints(data, 0, 0, nil))
	for i, k := range grid.class {
		if k != 1 {
			t.Fatalf("cell %d is of class %d; want 1", i, k)
		}
	}
}

func TestCurveRanges(t *testing.T) {
	for _, test := range []struct {
		c      Curves
		lo, hi float64 // range before it is widened
		want   [2]float64
	}{
		{Curves{}, 0.02, 0.3, [2]float64{0, 0.314}}, // close to 0: from 0
		{Curves{}, 0.8, 1, [2]float64{0.79, 1.01}},  // far from 0
		{Curves{}, 2, 2, [2]float64{1.9, 2.1}},      // flat
	} {
		lo, hi := test.c.rangeY(test.lo, test.hi)
		if math.Abs(lo-test.want[0]) > 1e-9 || math.Abs(hi-test.want[1]) > 1e-9 {
			t.Errorf("range %v to %v: %v to %v; want %v", test.lo, test.hi, lo, hi, test.want)
		}
	}
	// Error bars and levels are inside.
	a := newAxes("", "")
	s := Series{X: []float64{1, 2, 3}, Y: []float64{1, math.NaN(), 2}, Err: []float64{0.5, 9, 0.25}}
	a.mark(dots{at: s.dots()}, spans{of: s.errorBars()})
	if a.X.Min != 1 || a.X.Max != 3 || a.Y.Min != 0.5 || a.Y.Max != 2.25 {
		t.Errorf("data range %v %v %v %v", a.X.Min, a.X.Max, a.Y.Min, a.Y.Max)
	}
}

// A logarithmic axis is padded by a factor, a linear one by a share of its length.
func TestPadX(t *testing.T) {
	for _, c := range []struct {
		log           bool
		lowest, least float64
	}{{false, -1.97, 0}, {true, 0.8, 0.9}} {
		p := newPlot("", "")
		p.X.Min, p.X.Max = 1, 100
		padX(p, c.log)
		if lo, hi := p.X.Min, p.X.Max; !(lo >= c.lowest-1e-9 && lo < c.least) || hi <= 100 || hi > 120 {
			t.Errorf("log %v: %v to %v", c.log, lo, hi)
		}
	}
}

// TestManyPoints: each point of a line has a mark, unless there are so many that they would hide it.
func TestManyPoints(t *testing.T) {
	shapes := func(points, gap int) int {
		s := Series{Name: "one", X: make([]float64, points), Y: make([]float64, points)}
		for i := range s.X {
			s.X[i], s.Y[i] = float64(i%7), float64(i%5)
		}
		if gap > 0 {
			s.Y[gap] = math.NaN()
		}
		return strings.Count(svg(Curves{Series: []Series{s}}.figure()), "<path")
	}
	few := shapes(50, 0)
	mark := shapes(51, 0) - few
	if marks := shapes(100, 0) - few; mark < 1 || marks != 50*mark {
		t.Errorf("50 more points have %d more shapes, one has %d", marks, mark)
	}
	if dense := shapes(101, 0); dense != few-50*mark {
		t.Errorf("101 points have %d shapes; 50 have %d, of which %d are marks", dense, few, 50*mark)
	}
	if parts := shapes(101, 40); parts < shapes(100, 0) {
		t.Errorf("40 and 60 points have %d shapes; want those of 100 points", parts)
	}
}

// TestLogLog: y from 0.01 to 100, or from the lower end of an error bar or a level, is
// widened by a twentieth of its decades on both sides. Error bars that reach 0 don't
// count, and are drawn down to the frame.
func TestLogLog(t *testing.T) {
	curve := func(levels []Level, err ...float64) Curves {
		return Curves{Title: "Time", X: "training rows", Y: "training time, seconds", LogX: true, LogY: true, Levels: levels,
			Series: []Series{{Name: "one", X: []float64{10, 1000, 2000}, Y: []float64{0.01, math.NaN(), 100}, Err: err}}}
	}
	for i, test := range []struct {
		c      Curves
		lo, hi float64 // exponents of ten
	}{
		{curve(nil), -2 - 0.2, 2 + 0.2},
		{curve(nil, 0.009, 0, 0), -3 - 0.25, 2 + 0.25},
		{curve(nil, 0.01, 0, 0), -2 - 0.2, 2 + 0.2},
		{curve([]Level{{Y: 1e-4}}), -4 - 0.3, 2 + 0.3},
	} {
		p := test.c.axes()
		if lo, hi := math.Log10(p.Y.Min), math.Log10(p.Y.Max); math.Abs(lo-test.lo) > 1e-9 || math.Abs(hi-test.hi) > 1e-9 {
			t.Errorf("%d: y from 10^%v to 10^%v; want 10^%v to 10^%v", i, lo, hi, test.lo, test.hi)
		}
		f := test.c.figure()
		contains(t, svg(f), ">0.01<", ">1,000<")
		if option := string(f.option()); strings.Count(option, `"type":"log"`) != 2 || strings.Contains(option, `[10,0,`) {
			t.Errorf("%d: %s", i, option)
		}
	}
}

// TestTicker: on any axis there are two to twelve labels, all different, equally
// spaced and inside the axis.
func TestTicker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "log width"))
		lo := width * rapid.Float64Range(-1e3, 1e3).Draw(t, "lo")
		ticks := linearTicks(lo, lo+width, anyFit)
		if len(ticks) < 2 || len(ticks) > 12 {
			t.Fatalf("%d ticks from %v to %v", len(ticks), lo, lo+width)
		}
		for i, tick := range ticks {
			if tick.Value < lo-1e-6*width || tick.Value > lo+1.000001*width {
				t.Fatalf("tick %v outside %v to %v", tick.Value, lo, lo+width)
			}
			if i > 1 && math.Abs(tick.Value-2*ticks[i-1].Value+ticks[i-2].Value) > 1e-6*width {
				t.Fatalf("ticks %v", ticks)
			}
			if strings.Contains(tick.Label, "-") || strings.TrimLeft(tick.Label, "−0.") == "" &&
				strings.HasPrefix(tick.Label, "−") ||
				i > 0 && tick.Label == ticks[i-1].Label {
				t.Fatalf("label %q", tick.Label)
			}
		}
	})
}

func anyFit([]plot.Tick) bool { return true }

func atMost(n int) func([]plot.Tick) bool {
	return func(ticks []plot.Tick) bool { return len(ticks) <= n }
}

func TestTickLabels(t *testing.T) {
	got := ""
	for _, ticks := range [][]plot.Tick{
		linearTicks(-0.07, 0.12, anyFit), linearTicks(0, 5000, anyFit),
		logTicks(90, 5500, anyFit), logTicks(0.9, 11000, anyFit),
		linearTicks(1.7e12, 1.7e12+250000, anyFit), linearTicks(1-1.2e-9, 1+1.2e-9, atMost(3)),
		logTicks(1190, 1660, atMost(3)), logTicks(0.15, 0.4, atMost(5)),
		logTicks(15, 60, anyFit), logTicks(1.5, 9, atMost(1)),
		linearTicks(0, 5000, atMost(3)), linearTicks(0, 5000, atMost(0)),
		logTicks(90, 5500, atMost(3)), logTicks(0.9, 11000, atMost(3)),
	} {
		var labels []string
		for _, tick := range ticks {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		got += strings.Join(labels, " ") + "\n"
	}
	const want = `−0.05 0.00 0.05 0.10
0 1,000 2,000 3,000 4,000 5,000
100 200 500 1,000 2,000 5,000
1 10 100 1,000 10,000
1,700,000,000,000 1,700,000,050,000 1,700,000,100,000 1,700,000,150,000 1,700,000,200,000 1,700,000,250,000
0.999999999 1 1.000000001
1,200 1,400 1,600
0.2 0.3 0.4
20 50
2
0 2,000 4,000
0 5,000
100 1,000
1 100 10,000
`
	if got != want {
		t.Errorf("labels\n%swant\n%s", got, want)
	}
}

func TestTreeText(t *testing.T) {
	model := oblique()
	drawing := &treeDrawing{treeLayout: newTreeLayout(model, 0, 4)}
	for node, want := range []string{"x − y ≤ 0.5", "left 3 of 4", "right <&> 2"} {
		if got := strings.ReplaceAll(drawing.text(node), "\u00a0", " "); got != want {
			t.Errorf("node %d: %q; want %q", node, got, want)
		}
	}
	if got := fmt.Sprint(drawing.sum[0]); got != "[3 3]" {
		t.Errorf("class weights at the root: %v", got)
	}
	names := make([]string, 7)
	names[1] = "petal width"
	for _, test := range []struct {
		fn   forest.Function
		want string
	}{
		{forest.Linear([]int32{1}, []float32{1}), "petal width"},
		{along(-0.25, 1, 0.5), "−0.25·x0 + petal width + 0.5·x2"},
		{forest.Function{Kind: forest.Dense, Weights: []float32{1, 1, 1, 1, 1, 1, 1}},
			"x0 + petal width + x2 + x3 + … (7 terms)"},
		{forest.Function{Kind: forest.Quadratic, Features: []int32{1, 2}, Weights: []float32{0, -1}, Q: []float32{1, -2, 0},
			Bias: 3},
			"−x2 + petal width² − 2·petal width·x2 + 3"},
	} {
		q := (&forest.Forest{Features: names}).Ask(&test.fn, 2)
		if got := strings.ReplaceAll(splitText(q), "\u00a0", " "); got != test.want+" ≤ 2" {
			t.Errorf("%q; want %q ≤ 2", got, test.want)
		}
	}
	var tree forest.Tree
	set := forest.Function{Kind: forest.Set, Features: []int32{0}, Categories: []uint32{5}, MissingLeft: true}
	tree.Nodes = []forest.Node{{Split: tree.Splits.Add(set), Next: 2}, forest.ValueLeaf(1, 1), forest.ValueLeaf(2, 1)}
	colours := &forest.Forest{Features: []string{"colour"}, Trees: []forest.Tree{tree}, Fills: []float32{-1},
		Categories: [][]string{{"red", "green", "blue"}}}
	drawing = &treeDrawing{treeLayout: newTreeLayout(colours, 0, 4)}
	if got, want := drawing.text(0), "colour in {red, blue} or missing"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

func TestKeysOfLogOdds(t *testing.T) {
	sums := *value()
	sums.Rule, sums.Classes, sums.Base = forest.Sum, []string{"a", "b"}, []float64{0}
	if keys := (TreeDiagram{Model: &sums}).figure().keys; keys != nil {
		t.Errorf("a tree of log-odds has a key of %d classes", len(keys))
	}
}

// TestTreeIsCut: below Depth splits, one box says how much it stands for.
func TestTreeIsCut(t *testing.T) {
	// A chain: each left child is a leaf of class 0, the last right one of class 1.
	var nodes []forest.Node
	for i := range 9 {
		nodes = append(nodes, forest.Node{Split: 0, Next: int32(2*i + 2), Value: float32(i)}, forest.ClassLeaf(0, 1))
	}
	nodes = append(nodes, forest.ClassLeaf(1, 5))
	model := oblique()
	model.Trees = []forest.Tree{{Nodes: nodes, Classes: 2}}
	d := &treeDrawing{treeLayout: newTreeLayout(model, 0, 3)}
	if d.slots != 4 || d.levels != 4 {
		t.Fatalf("%v slots, %d levels; want 4 of each", d.slots, d.levels)
	}
	d.columns = make([]vg.Length, d.levels)
	last := d.root.right.right.right
	d.setText(last)
	if got := strings.ReplaceAll(strings.Join(last.lines, " "), "\u00a0", " "); !last.cut ||
		got != "… 7 leaves, left 6 of 11" {
		t.Errorf("cut %v, %q", last.cut, got)
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	f := Scatter{Title: "Rows", Data: corners()}.figure()
	f.Width, f.Height = 160, 120
	for _, name := range []string{"a.png", "b.svg", "c.html", "d.PNG"} {
		must.Do(f.Save(filepath.Join(dir, name)))
	}
	readtest.WantError(t, f.Save(filepath.Join(dir, "e.gif")), ".gif")
	if err := f.Save(filepath.Join(dir, "none", "f.png")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that isn't there: %v", err)
	}
	must.Do(os.Mkdir(filepath.Join(dir, "g.png"), 0o755))
	if err := f.Save(filepath.Join(dir, "g.png")); err == nil {
		t.Error("no error where a folder is in the way")
	}
	if entries := must.Value(os.ReadDir(dir)); len(entries) != 5 {
		t.Errorf("%v; want the four files and the folder", entries)
	}
}

func TestFileNames(t *testing.T) {
	for title, want := range map[string]string{"": "figure", "κ of RF": "κ-of-rf",
		"Rows: left/right, 100 %": "rows-left-right-100",
		strings.Repeat("ab ", 40): strings.TrimSuffix(strings.Repeat("ab-", 20), "-")} {
		if got := (&Figure{Title: title}).slug(); got != want {
			t.Errorf("%q becomes %q; want %q", title, got, want)
		}
	}
}

// extent records the length of a unit on each axis of the plot it is drawn in.
type extent struct{ unitX, unitY float64 }

func (e *extent) Plot(c draw.Canvas, p *plot.Plot) {
	e.unitX = float64(c.Max.X-c.Min.X) / (p.X.Max - p.X.Min)
	e.unitY = float64(c.Max.Y-c.Min.Y) / (p.Y.Max - p.Y.Min)
}

// TestEqualUnits: units are equal for any ranges and any shape of the picture.
func TestEqualUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, e := newPlot("x", "y"), &extent{}
		p.Add(e)
		p.X.Min, p.X.Max = -rapid.Float64Range(1, 20).Draw(t, "left"), rapid.Float64Range(1, 20).Draw(t, "right")
		p.Y.Min, p.Y.Max = 0, rapid.Float64Range(1, 40).Draw(t, "top")
		f := &Figure{Width: defaultWidth, Height: defaultHeight}
		f.equalUnits(p)
		if rapid.Bool().Draw(t, "in a panel") {
			f.Width, f.Height = 300, 240
		}
		must.Do(f.writeSVG(io.Discard))
		if math.Abs(e.unitX/e.unitY-1) > 0.01 {
			t.Fatalf("a unit is %v of x and %v of y", e.unitX, e.unitY)
		}
	})
}

// TestSomeRows: the given rows are drawn, on the axes of all rows.
func TestSomeRows(t *testing.T) {
	all, some := newPoints(corners(), 0, 0, nil), newPoints(corners(), 0, 0, []int32{2, 3})
	if fmt.Sprint(some.rows) != "[2 3]" || some.area() != all.area() {
		t.Errorf("rows %v in %v; want %v", some.rows, some.area(), all.area())
	}
}

// TestSequentialDarkens: each step is darker than the one before, by the luma of
// ITU-R BT.601.
func TestSequentialDarkens(t *testing.T) {
	luma := func(t float64) float64 {
		c := sequential(t)
		return 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
	}
	for i := range 19 {
		if a, b := luma(float64(i)/19), luma(float64(i+1)/19); a < b+5 {
			t.Errorf("step %d has luma %v, the next one %v", i, a, b)
		}
	}
}

// TestFewSensitive: what is said of the rows holds where few or none of them are sensitive.
func TestFewSensitive(t *testing.T) {
	d := table(make([]float32, 100), make([]float32, 100))
	sensitivity := make([]float64, 100)
	said := func() string { return SensitivityMap{Data: d, Sensitivity: sensitivity}.figure().Alt }
	contains(t, said(), "All have 0.")
	sensitivity[7] = 0.25
	contains(t, said(), "Fewer than one row in 20 have more than 0, at most 0.25.")
	copy(sensitivity, []float64{1, 2, 3, 4, 5, 6, 7})
	contains(t, said(), "One row in 20 has 3 or more.")
}

// TestDiagonalOfScales: numbers on both sides of the diagonal are compared, not cells that are relative to different
// offsets.
func TestDiagonalOfScales(t *testing.T) {
	d := table([]float32{0, 1, 2}, []float32{1005, 1001, 999}) // x is 1000, 1001 and 1002
	d.Features[0] = datasets.Feature{Name: "before", Scale: datasets.Scale{Offset: 1000}}
	d.Features[1].Name = "after"
	contains(t, Scatter{Data: d, Diagonal: true}.figure().Alt, "after − 1000 (−1 to 5) against before − 1000 (0 to 2)",
		"Above the diagonal: 1; below: 1.")
}

// TestSensitivityColours: one more row without sensitivity is one more glyph in the
// palest colour, and one fewer in the darkest.
func TestSensitivityColours(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	pale, dark := 0, math.MaxInt
	for _, sensitivity := range [][]float64{{3, 3, 3, 3}, {0, 3, 3, 3}, {0, 0, 3, 3}, {0, 0, 0, 3}} {
		img := picture(SensitivityMap{Data: corners(), Sensitivity: sensitivity}.figure())
		palest, darkest := count(img, sequential(0)), count(img, sequential(1))
		if palest < pale || darkest > dark {
			t.Errorf("sensitivities %v: %d pixels of the palest colour, %d of the darkest; want %d at least, %d at most",
				sensitivity, palest, darkest, pale, dark)
		}
		pale, dark = palest+100, darkest-100
	}
}

// TestSharedAxes: axes with the same label have the joint range of their panels.
func TestSharedAxes(t *testing.T) {
	var plots []*plot.Plot
	for _, panel := range panels() {
		plots = append(plots, panel.axes().Plot)
	}
	hi := plots[1].Y.Max
	seconds := plots[2].Y.Max
	shareRanges(plots, func(p *plot.Plot) *plot.Axis { return &p.X })
	shareRanges(plots, func(p *plot.Plot) *plot.Axis { return &p.Y })
	for i, want := range []float64{hi, hi, seconds} {
		if p := plots[i]; p.Y.Max != want || p.X.Min != plots[0].X.Min || p.X.Max != plots[2].X.Max || p.X.Max < 4 {
			t.Errorf("panel %d: x from %v to %v, y to %v; want %v", i, p.X.Min, p.X.Max, p.Y.Max, want)
		}
	}
	f := SmallMultiples{Panels: panels()}.figure()
	if len(f.keys) != 3 || f.keys[0].name != "one" || f.keys[2].name != "half" {
		t.Errorf("legend %v", f.keys)
	}
}

func TestWrap(t *testing.T) {
	style := textStyle(tickSize, false)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching("[a-z]{1,9}")).Draw(t, "words")
		width := vg.Length(rapid.Float64Range(10, 200).Draw(t, "width"))
		lines := wrap(strings.Join(words, " "), style, width)
		if got := strings.Join(lines, " "); got != strings.Join(words, " ") {
			t.Fatalf("%q", got)
		}
		for _, line := range lines {
			if style.Width(line) > width && strings.Contains(line, " ") {
				t.Fatalf("%q is wider than %v", line, width)
			}
		}
	})
}

// TestThresholdText: no threshold between two numbers that data have is written as one of them.
func TestThresholdText(t *testing.T) {
	for v, want := range map[float64]string{1999.5: "1,999.5", 101.5: "101.5", -1999.5: "−1,999.5", 12.55: "12.55",
		float64(float32(12.55)): "12.55", 1234567.5: "1,234,567.5", 12.5512345: "12.6", 0: "0", 2.45: "2.45", 0.5: "0.5",
		3e11: "300,000,000,000", 2500: "2,500", 1e-7: "1e−07", 1999.99999999: "2,000"} {
		if got := thresholdText(v); got != want {
			t.Errorf("%v: %q; want %q", v, got, want)
		}
	}
}

func TestFormatShort(t *testing.T) {
	var got []string
	for _, c := range []struct {
		v      float64
		digits int
	}{{0, 2}, {0.001234, 2}, {-2.5, 2}, {2.54, 2}, {12.34, 2}, {12.34, 3}, {123.4, 2}, {-123.4, 3}, {999.9, 3},
		{1e-7, 2}} {
		got = append(got, formatShort(c.v, c.digits))
	}
	if want := "0 0.0012 −2.5 2.5 12 12.3 123 −123 1000 1e−07"; strings.Join(got, " ") != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// A name is measured and drawn up to 200 characters, the last of which says that it goes on.
func TestLongNamesAreCut(t *testing.T) {
	long := strings.Repeat("m", 10000)
	style := textStyle(tickSize, false)
	want := style.Width(strings.Repeat("m", 199) + "…")
	for _, s := range []text.Style{style, newPlot("", "").X.Label.TextStyle, newPlot("", "").Y.Tick.Label} {
		s.Font = style.Font
		if got := s.Width(long); got != want {
			t.Errorf("%v points; want %v", got, want)
		}
	}
}

// Axes of cells that are relative to an offset say so.
func TestAxesOfOffsets(t *testing.T) {
	d := corners()
	d.Features[0] = datasets.Feature{Name: "time", Scale: datasets.Scale{Offset: 1700000000000}}
	d.Features[1] = datasets.Feature{Name: "day", Scale: datasets.Scale{Unit: "date 2006-01-02"}}
	p := newPoints(d, 0, 1, nil).plot()
	if x, y := p.X.Label.Text, p.Y.Label.Text; x != "time − 1700000000000" || y != "day − 1970-01-01" {
		t.Errorf("axes %q and %q", x, y)
	}
	for scale, want := range map[datasets.Scale]string{{}: "x", {Offset: -5}: "x + 5", {Step: 1000}: "x/1000",
		{Offset: 5, Step: 2}: "(x − 5)/2", {Unit: "$"}: "x"} {
		if got := scale.Of("x"); got != want {
			t.Errorf("%+v: %q; want %q", scale, got, want)
		}
	}
}
