package viz

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// TestLiveDigits: points that differ little, such as times in seconds since 1970, stay apart in the live chart.
func TestLiveDigits(t *testing.T) {
	option := string(Curves{Series: []Series{{Name: "a", X: []float64{1700000000, 1700000060, 1700000120},
		Y: []float64{0.6931471, 0.6931472, 0.6931474}, Err: []float64{0, 5e-8, 0}}}}.figure().option())
	contains(t, option, "[1700000000,0.6931471]", "[1700000060,0.6931472]", "[1700000060,0.69314715,0.69314725]",
		"[1700000120,0.6931474]")
	option = string(Curves{Series: []Series{{X: []float64{0, 1}, Y: []float64{100, 100 + math.Pi}}}}.figure().option())
	contains(t, option, "[1,103.142]")
	option = string(Mixture{Data: table([]float32{65536, 65537}, []float32{0, 1}), Components: []Gaussian{
		{[2]float64{65536.25, 0.5}, [2][2]float64{{1e-4, 0}, {0, 1e-4}}, 1}}}.figure().option())
	contains(t, option, "[65536.25,0.5]")
}

// TestLiveLabels: ECharts labels powers of ten on a logarithmic axis. One with fewer than two of them has labels of its
// own, those of the picture.
func TestLiveLabels(t *testing.T) {
	for _, test := range []struct {
		x    []float64
		want string
	}{
		{[]float64{1200, 1650}, `"customValues":[1200,1300,1400,1500,1600]`},
		{[]float64{0.25, 3}, `"customValues":[0.5,1,2]`},
		{[]float64{9, 110}, ""},
	} {
		f := Curves{LogX: true, Series: []Series{{X: test.x, Y: []float64{0, 1}}}}.figure()
		option := string(f.option())
		if contains(t, option, test.want); test.want == "" && strings.Contains(option, "customValues") {
			t.Errorf("own labels from %v to %v", test.x[0], test.x[1])
		}
		var o struct {
			XAxis []struct{ AxisLabel map[string]any }
		}
		must.Do(json.Unmarshal(f.option(), &o))
		if o.XAxis[0].AxisLabel["hideOverlap"] != true {
			t.Errorf("labels of the axis: %v", o.XAxis[0].AxisLabel)
		}
	}
}

// TestLiveRoom: labels of seven digits and more have room beside the axis.
func TestLiveRoom(t *testing.T) {
	for most, left := range map[float64]int{900: 64, 2e6: 88} {
		chart := newLivePlot("", Curves{Series: []Series{{X: []float64{0, 1}, Y: []float64{0, most}}}}.axes().Plot)
		got, err := strconv.Atoi(chart.GridList[0].Left)
		if err != nil || got < left || left == 64 && got != 64 {
			t.Errorf("up to %v: the axis is %q from the left; want %d", most, chart.GridList[0].Left, left)
		}
	}
}
