package viz

import (
	"fmt"
	"math"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

// holdMemory ends the process if it holds more than a gigabyte, before the machine runs out of memory.
func holdMemory(t *testing.T) {
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	debug.SetGCPercent(50)
	t.Cleanup(func() { debug.SetGCPercent(100) })
	go func() {
		held := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			select {
			case <-done:
				return
			case <-time.After(10 * time.Millisecond):
			}
			if metrics.Read(held); held[0].Value.Uint64() > 1<<30 {
				panic("a chart takes more than a gigabyte")
			}
		}
	}()
}

// drawn draws a chart in all its forms. It returns a fault, and the chart's panic, which must be one of viz.
func drawn(chart Chart) (message string, err error) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
			if !strings.HasPrefix(message, "viz: ") || strings.Contains(message, "json") {
				err = fmt.Errorf("%T panics with %q\n%s", chart, message, debug.Stack())
			}
		}
	}()
	f := Draw(chart)
	f.image()
	_, body, _ := strings.Cut(svg(f), "</desc>")
	if at := notFinite.FindString(body); at != "" {
		return "", fmt.Errorf("%T draws something at %s", chart, at)
	}
	if f.live != nil {
		f.option()
	}
	return "", nil
}

// notFinite finds places, sizes and labels that aren't numbers.
var notFinite = regexp.MustCompile(`="[^"]*(NaN|Inf)[^"]*"|>.?(NaN|Inf)<`)

// TestExtremeNumbers: no number, large, small, equal to others or none at all, takes all memory or an error that isn't
// viz's own.
func TestExtremeNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("it only draws, in one goroutine")
	}
	holdMemory(t)
	edges := []float64{0, 1, -1, 1e-323, 5e-324, 1e-320, 1e-300, 1e-50, 1e16, math.Nextafter(1e16, 2e16), 1e38, 1e290,
		1e299, 1e300, math.Nextafter(1e300, 2e300), 1.7e308, math.MaxFloat64, -1e16, -1e300, -math.MaxFloat64, math.NaN(),
		math.Inf(1), math.Inf(-1), math.MaxFloat32, -math.MaxFloat32, 1e-45}
	above := slices.DeleteFunc(slices.Clone(edges), func(v float64) bool { return !(v > 0) || v-v != 0 })
	real := finite(edges)
	cells := []float32{0, 1, -1, 1e-45, 2e-45, 1e-38, 1e16, 1e38, math.MaxFloat32, -math.MaxFloat32, -1e38,
		float32(math.NaN()), math.Nextafter32(1e16, 2e16)}
	rapid.Check(t, func(t *rapid.T) {
		few := func(from []float64, n int) []float64 {
			return rapid.SliceOfN(rapid.SampledFrom(from), n, n).Draw(t, "numbers")
		}
		n := func() []float64 { return few(edges, 3) }
		positive := few(above, 3)
		column := func() []float32 { return rapid.SliceOfN(rapid.SampledFrom(cells), 4, 4).Draw(t, "cells") }
		data := corners()
		data.Columns = [][]float32{column(), column()}
		log := rapid.Bool().Draw(t, "log")
		x, y := few(real, 3), n()
		if log {
			x, y = few(above, 3), positive
		}
		names := []string{"a", "b", "c"}
		share := func() []float64 { return few([]float64{0, 5e-324, 0.5, 1}, 3) }
		four := func() [][]float64 { return [][]float64{few(edges, 2), few(edges, 2), few(edges, 2), few(edges, 2)} }
		c, differences := n(), compared()
		differences.Loss[1][0] = n()[0]
		differences.Differences[1].Difference = n()[0]
		var bins []eval.CalibrationBin
		for i, rows := range []int{0, 1, math.MaxInt} {
			bins = append(bins, eval.CalibrationBin{Rows: rows, Predicted: share()[i], Observed: share()[i], Low: n()[i],
				High: share()[i]})
		}
		chart := rapid.SampledFrom([]Chart{
			Curves{LogX: log, LogY: log, Series: []Series{{Name: "a", X: x, Y: y, Err: n()}}, Levels: []Level{{y[0], "level"}}},
			Curves{Series: []Series{{Name: "a", X: []float64{1, 2, 3}, Y: n()}}},
			Curves{LogX: true, Series: []Series{{Name: "a", X: positive, Y: []float64{1, 2, 3}}}},
			Ranges{Log: log, Names: names, Low: y, High: y, Range: "r", Marks: []Marks{{"m", y}}},
			Bars{Names: names, Values: n(), Err: n()},
			Boxes{Groups: names[:1], Series: []Sample{{"a", [][]float64{n()}}}, Levels: []Level{{y[0], "level"}}},
			HeatMap{Rows: names[:1], Columns: names, Values: [][]float64{n()}, Limit: n()[0], Key: "key"},
			Beeswarm{Names: names[:2], Values: [][]float64{n(), n()}, Limit: n()[0]},
			CriticalDifference{Methods: names, Ranks: []float64{1, 2, 3}, Difference: n()[0]},
			CalibrationCurve{Series: []CalibrationSeries{{Of: eval.CalibrationCurve{Bins: bins}}}},
			PartialDependence{Values: []float64{1, 2, 3}, Mean: n(), Rows: [][]float64{n()}, Cells: column()},
			SmallMultiples{Panels: []Curves{{Series: []Series{{X: []float64{1, 2, 3}, Y: n()}}},
				{Series: []Series{{X: few(real, 3), Y: n()}}}}},
			RankMatrix{Methods: names, Ranks: n(), P: [][]float64{n(), n(), n()}},
			Scatter{Data: data, Equal: log},
			Scatter{Data: data, Diagonal: true},
			DecisionRegions{Model: oblique(), Data: data, Resolution: 10, Equal: log},
			Steps{Model: oblique(), Data: data, Equal: log},
			Snapshots{Models: []*forest.Forest{oblique()}, Data: data},
			SensitivityMap{Data: data, Sensitivity: few(above, 4)},
			SHAP{Data: data, Values: four()},
			Mixture{Data: data, Equal: log, Components: []Gaussian{{[2]float64{n()[0], n()[1]},
				[2][2]float64{{c[0], 0}, {0, c[1]}}, 0.5}}, Boundaries: []Boundary{{"b", oblique().Trees[0].Splits.At(0), 1}}},
			WeightImages{Model: oblique(), Columns: 2},
			Comparison{Of: differences},
		}).Draw(t, "chart")
		must.Value(drawn(chart))
	})
}

// TestExtremeAxes: what has a place on an axis is drawn, however large or small.
func TestExtremeAxes(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	holdMemory(t)
	for _, y := range [][]float64{{1, 1e299}, {1e-320, 1}, {1e-50, 1e300}, {5e-324, math.MaxFloat64}, {5e-324, 5e-324},
		{math.MaxFloat64, math.MaxFloat64}, {1e17, 1e17}, {1e300, math.Nextafter(1e300, 2e300)}, {5e-324, 1e-323}} {
		for _, log := range []bool{false, true} {
			series := []Series{{Name: "a", X: y, Y: y, Err: []float64{math.MaxFloat64, y[0]}}}
			if message, err := drawn(Curves{X: "x", Y: "y", LogX: log, LogY: log, Series: series}); message != "" || err != nil {
				t.Errorf("%v, logarithmic %v: %s %v", y, log, message, err)
			}
		}
	}
	for _, y := range [][]float64{{-math.MaxFloat64, math.MaxFloat64}, {-1e300, math.MaxFloat64}, {0, 4e-323}, {0, 5e-324},
		{-5e-324, 5e-324}, {1.7e308, math.MaxFloat64}} {
		for _, chart := range []Chart{
			Curves{X: "x", Y: "y", Series: []Series{{X: y, Y: y}}},
			Bars{Names: []string{"a", "b"}, Values: y},
			Ranges{Names: []string{"a"}, Low: y[:1], High: y[1:]},
			Beeswarm{Names: []string{"a"}, Values: [][]float64{y}},
			HeatMap{Rows: []string{"a"}, Columns: []string{"b", "c"}, Values: [][]float64{y}},
		} {
			if message, err := drawn(chart); message != "" || err != nil {
				t.Errorf("%T of %v: %s %v", chart, y, message, err)
			}
		}
	}
}
