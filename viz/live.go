package viz

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

//go:embed echarts/echarts.min.js.gz
var echartsGzip []byte

//go:embed live.js
var liveScript string

var yes, no = opts.Bool(true), opts.Bool(false)

// A liveChart is an ECharts chart on two axes. It may have series of all types.
type liveChart struct{ *charts.Scatter }

// newLive returns a chart without series.
func newLive(title string, x opts.XAxis, y opts.YAxis) liveChart {
	x.NameLocation, x.NameGap = "middle", 28
	y.NameLocation, y.NameGap = "middle", 44
	label := func(least any) *opts.AxisLabel {
		l := &opts.AxisLabel{HideOverlap: yes}
		if least != nil { // the ends of a fixed range aren't round numbers
			l.ShowMinLabel, l.ShowMaxLabel = opts.Bool(least == 0.0), no
		}
		return l
	}
	x.AxisLabel, y.AxisLabel = label(x.Min), label(y.Min)
	x.AxisLine, y.AxisLine = &opts.AxisLine{OnZero: no}, &opts.AxisLine{OnZero: no}
	c := charts.NewScatter()
	liveText(&c.BaseConfiguration, title)
	c.XAxisList, c.YAxisList = []opts.XAxis{x}, []opts.YAxis{y}
	live := liveChart{c}
	live.setGrid(64, 24, 76, 52)
	return live
}

// newLivePlot returns a chart with the axes of p.
func newLivePlot(title string, p *plot.Plot) liveChart {
	x := opts.XAxis{Name: p.X.Label.Text, Min: p.X.Min, Max: p.X.Max}
	y := opts.YAxis{Name: p.Y.Label.Text, Min: p.Y.Min, Max: p.Y.Max}
	if logarithmic(p.X) {
		x.Type = "log"
	}
	if logarithmic(p.Y) {
		y.Type = "log"
	}
	if names, is := p.X.Tick.Marker.(nameTicks); is {
		x = opts.XAxis{Name: x.Name, Type: "category", Data: labelsOf(names.Ticks(0, 0))}
	}
	if names, is := p.Y.Tick.Marker.(nameTicks); is {
		y = opts.YAxis{Name: y.Name, Type: "category", Data: labelsOf(names.Ticks(0, 0))}
	}
	chart := newLive(title, x, y)
	axis := p.Y
	setTicker(&axis, few)
	wide := float64(widest(labelsOf(axis.Tick.Marker.Ticks(p.Y.Min, p.Y.Max)), textStyle(tickSize, false)) / px)
	if wide > 50 { // labels would be cut off
		chart.YAxisList[0].NameGap = int(1.1*wide) + 16
		chart.setGrid(int(1.1*wide)+36, 24, 76, 52)
	}
	return chart
}

// few reports whether labels fit on an axis.
func few(labelled []plot.Tick) bool { return len(labelled) <= 6 }

// labelsOf returns the texts of ticks.
func labelsOf(ticks []plot.Tick) (labels []string) {
	for _, t := range ticks {
		labels = append(labels, t.Label)
	}
	return labels
}

// option returns the chart with axes like those of p.
func (c liveChart) option(p *plot.Plot) map[string]any {
	o := c.JSON()
	if labels, own := ownLabels(p.X, c.XAxisList[0].AxisLabel); own {
		o["xAxis"] = []any{struct {
			opts.XAxis
			AxisLabel liveLabels `json:"axisLabel"`
		}{c.XAxisList[0], labels}}
	}
	if labels, own := ownLabels(p.Y, c.YAxisList[0].AxisLabel); own {
		o["yAxis"] = []any{struct {
			opts.YAxis
			AxisLabel liveLabels `json:"axisLabel"`
		}{c.YAxisList[0], labels}}
	}
	return o
}

// liveLabels are labels at places of our own.
type liveLabels struct {
	opts.AxisLabel
	Values []any `json:"customValues"`
}

// ownLabels returns the labels of a logarithmic axis with fewer than two powers of ten, which are all that ECharts
// labels.
func ownLabels(a plot.Axis, like *opts.AxisLabel) (labels liveLabels, own bool) {
	if !logarithmic(a) || math.Floor(math.Log10(a.Max))-math.Ceil(math.Log10(a.Min)) >= 1 {
		return labels, false
	}
	labels.AxisLabel = *like
	labels.ShowMinLabel, labels.ShowMaxLabel = yes, yes
	for _, t := range logTicks(a.Min, a.Max, few) {
		if t.Label != "" {
			labels.Values = append(labels.Values, coordinate{t.Value, 12})
		}
	}
	return labels, true
}

// setGrid sets the space around the axes, in CSS pixels.
func (c liveChart) setGrid(left, right, top, bottom any) {
	c.GridList = []opts.Grid{{Left: fmt.Sprint(left), Right: fmt.Sprint(right), Top: fmt.Sprint(top),
		Bottom: fmt.Sprint(bottom)}}
}

// liveText sets the title, and the points' names as tooltips.
func liveText(c *charts.BaseConfiguration, title string) {
	c.Animation = no
	c.Title = opts.Title{Title: title, Left: "6", Top: "6", TitleStyle: &opts.TextStyle{FontSize: 16}}
	c.Tooltip = opts.Tooltip{Show: yes, Trigger: "item", Formatter: "{a}<br/>{b}"}
	c.Legend = opts.Legend{Show: yes, Left: "6", Top: "34", Type: "scroll"}
	c.Colors = nil
}

// A livePoint is a point of a series of any type.
type livePoint = opts.ScatterData

// tip returns a point with a text that is shown under the pointer.
func tip(text string, values ...float64) livePoint {
	return livePoint{Name: text, Value: numbers(values...)}
}

// add adds a series, which stays valid until the next one is added. The colour nil leaves the choice to ECharts.
func (c liveChart) add(kind, name string, colour color.Color, data any) *charts.SingleSeries {
	s := charts.SingleSeries{Name: name, Type: kind, Data: data}
	if colour != nil {
		s.ItemStyle = &opts.ItemStyle{Color: hex(colour)}
	}
	c.MultiSeries = append(c.MultiSeries, s)
	return &c.MultiSeries[len(c.MultiSeries)-1]
}

// addBars adds a series of error bars, if there are any. They go from (x, low) to (x, high) if the direction is
// vertical, and from (low, y) to (high, y) if it is horizontal. Their y axis is axis 0 or 1.
func (c liveChart) addBars(name string, colour color.Color, bars []livePoint, direction string, axis int) {
	if bars == nil {
		return
	}
	s := c.add(types.ChartCustom, name, colour, bars)
	s.RenderItem, s.YAxisIndex = types.FuncStr(direction), axis
	s.Encode = &opts.Encode{X: 0, Y: []int{1, 2}}
	if direction == "horizontal" {
		s.Encode = &opts.Encode{X: []int{0, 1}, Y: 2}
	}
}

// liveStroke returns a line style for a live chart.
func liveStroke(style draw.LineStyle) *opts.LineStyle {
	kind := "solid"
	if d := style.Dashes; d != nil && d[0] > d[1] {
		kind = "dashed"
	} else if d != nil {
		kind = "dotted"
	}
	return &opts.LineStyle{Color: hex(style.Color), Width: float32(style.Width / px), Type: kind}
}

// addLine adds a series of lines, with gaps between them.
func (c liveChart) addLine(name string, style draw.LineStyle, lines ...plotter.XYs) {
	var data []livePoint
	for i, line := range lines {
		if i > 0 {
			data = append(data, tip("", math.NaN(), math.NaN()))
		}
		for _, p := range line {
			data = append(data, tip("", p.X, p.Y))
		}
	}
	s := c.add(types.ChartLine, name, style.Color, data)
	s.Symbol, s.YAxisIndex, s.LineStyle = "none", len(c.YAxisList)-1, liveStroke(style)
}

// bundleHTML returns the element that loads ECharts into a page. The library is
// compressed, which more than halves the notebook. It runs with define, exports and
// module undefined; otherwise, on a page with RequireJS, it would register as a
// module and not as a global.
func bundleHTML() string {
	return fmt.Sprintf(`<script>
if (!window.obliqua) {
new Response(new Blob([Uint8Array.from(atob(%q), c => c.charCodeAt(0))])`+
		`.stream().pipeThrough(new DecompressionStream("gzip"))).text().then(code => {
if (!window.echarts) new Function("define", "exports", "module", code).call(window);
%swindow.dispatchEvent(new Event("obliqua"));
});
}
</script>`, base64.StdEncoding.EncodeToString(echartsGzip), liveScript)
}

// liveHTML returns the element of the live chart, which is hidden until ECharts has
// loaded. Its id is a hash of its content, so running a cell again gives the same
// output.
func (f *Figure) liveHTML() string {
	option := f.option()
	id := fmt.Sprintf("%x", sha256.Sum256(option))[:16]
	return fmt.Sprintf(`<div data-viz="%s" role="img" aria-label="%s" `+
		`style="display:none;width:%gpx;max-width:100%%;height:%gpx"></div>
<script>{
const draw = () => window.obliqua.draw(%q, %s);
if (window.obliqua) draw(); else window.addEventListener("obliqua", draw, {once: true});
}</script>`, id, html.EscapeString(f.alt()), f.Width, f.Height*max(1, f.tall), id, option)
}

// writeHTML writes a page that needs no other file.
func (f *Figure) writeHTML(w io.Writer) error {
	picture, err := f.HTML()
	if err != nil {
		return err
	}
	page := fmt.Sprintf("<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>%s</title></head><body>\n%s",
		html.EscapeString(f.Title), picture)
	if f.live != nil {
		page += "<div class=\"output_area\">" + f.liveHTML() + "</div>\n" + bundleHTML() + "\n"
	}
	_, err = io.WriteString(w, page+"</body></html>\n")
	return err
}

// HTML returns the figure as a fragment of a page: a picture that needs no other file, with its description. It returns
// an error if what the chart shows couldn't be computed.
func (f *Figure) HTML() (string, error) {
	if f.err != nil {
		return "", fmt.Errorf("viz: figure %q: %w", f.Title, f.err)
	}
	var png bytes.Buffer
	if err := f.writePNG(&png); err != nil {
		return "", err
	}
	return fmt.Sprintf("<div class=\"output_area\"><img alt=\"%s\" width=\"%g\" src=\"data:image/png;base64,%s\"></div>\n",
		html.EscapeString(f.alt()), f.Width, base64.StdEncoding.EncodeToString(png.Bytes())), nil
}

// single returns v or, if that is too large for a float32, the largest one.
func single(v float64) float32 { return float32(max(-math.MaxFloat32, min(v, math.MaxFloat32))) }

// numbers returns the coordinates of a point.
func numbers(values ...float64) []any {
	point := make([]any, len(values))
	for i, v := range values {
		point[i] = coordinate{v, usualDigits}
	}
	return point
}

// A coordinate is written with few significant digits, to keep notebooks small, and as null if it isn't finite.
type coordinate struct {
	v      float64
	digits int
}

const usualDigits = 6

// MarshalJSON returns the number.
func (c coordinate) MarshalJSON() ([]byte, error) {
	if c.v-c.v != 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, c.v, 'g', c.digits, 64), nil
}

// separate gives coordinates more digits if the numbers on an axis of p differ little from each other, so that points
// are at least a thousandth of the axis exact.
func (c liveChart) separate(p *plot.Plot) {
	digits := usualDigits
	for _, a := range []plot.Axis{p.X, p.Y} {
		if times := max(math.Abs(a.Min), math.Abs(a.Max)) / (a.Max - a.Min); times > 100 {
			digits = max(digits, min(17, usualDigits-2+int(math.Ceil(math.Log10(times)))))
		}
	}
	if digits == usualDigits {
		return
	}
	for _, s := range c.MultiSeries {
		points, _ := s.Data.([]livePoint)
		for _, point := range points {
			for i, v := range point.Value.([]any) {
				if at, is := v.(coordinate); is {
					point.Value.([]any)[i] = coordinate{at.v, digits}
				}
			}
		}
	}
}
