package viz

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
)

//go:embed echarts/echarts.min.js.gz
var echartsGzip []byte

//go:embed live.js
var liveScript string

// liveFrame sets the options common to all live charts on two axes.
func liveFrame(c *charts.BaseConfiguration, title string, x opts.XAxis, y opts.YAxis) {
	x.NameLocation, x.NameGap = "middle", 28
	y.NameLocation, y.NameGap = "middle", 44
	for _, label := range []**opts.AxisLabel{&x.AxisLabel, &y.AxisLabel} {
		*label = &opts.AxisLabel{HideOverlap: opts.Bool(true)}
	}
	if x.Min != nil { // the ends of a fixed range aren't round numbers
		x.AxisLabel.ShowMinLabel, x.AxisLabel.ShowMaxLabel = opts.Bool(x.Min == 0.0), opts.Bool(false)
	}
	if y.Min != nil {
		y.AxisLabel.ShowMinLabel, y.AxisLabel.ShowMaxLabel = opts.Bool(y.Min == 0.0), opts.Bool(false)
	}
	x.AxisLine, y.AxisLine = &opts.AxisLine{OnZero: opts.Bool(false)}, &opts.AxisLine{OnZero: opts.Bool(false)}
	liveText(c, title)
	c.XAxisList, c.YAxisList = []opts.XAxis{x}, []opts.YAxis{y}
	c.GridList = []opts.Grid{{Left: "64", Right: "24", Top: "76", Bottom: "52"}}
}

// liveText sets the title, and the points' names as tooltips.
func liveText(c *charts.BaseConfiguration, title string) {
	c.Animation = opts.Bool(false)
	c.Title = opts.Title{Title: title, Left: "6", Top: "6", TitleStyle: &opts.TextStyle{FontSize: 16}}
	c.Tooltip = opts.Tooltip{Show: opts.Bool(true), Trigger: "item", Formatter: "{a}<br/>{b}"}
	c.Legend = opts.Legend{Show: opts.Bool(true), Left: "6", Top: "34", Type: "scroll"}
	c.Colors = nil
}

// liveBars returns a series of error bars.
func liveBars(name string, data []opts.CustomData, direction string, style charts.SeriesOpts) charts.SingleSeries {
	s := charts.SingleSeries{Name: name, Type: types.ChartCustom, Data: data, RenderItem: types.FuncStr(direction)}
	s.Encode = &opts.Encode{X: 0, Y: []int{1, 2}}
	if direction == "horizontal" {
		s.Encode = &opts.Encode{X: []int{0, 1}, Y: 2}
	}
	style(&s)
	return s
}

// bundleHTML returns the element that loads ECharts into a page. The library is
// compressed, which more than halves the notebook. It runs with define, exports and
// module undefined; otherwise, on a page with RequireJS, it would register as a
// module and not as a global.
func bundleHTML() string {
	return fmt.Sprintf(`<script>
if (!window.obliqua) {
new Response(new Blob([Uint8Array.from(atob(%q), c => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"))).text().then(code => {
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
	option, ground := f.option(), ""
	if theme := liveTheme(); theme != nil {
		option = append(append(option, ", "...), toJSON(theme)...)
		ground = fmt.Sprintf(";background:%s;color:%s", hex(white), hex(ink))
	}
	id := fmt.Sprintf("%x", sha256.Sum256(option))[:16]
	return fmt.Sprintf(`<div data-viz="%s" role="img" aria-label="%s" style="display:none;width:%gpx;max-width:100%%;height:%gpx%s"></div>
<script>{
const draw = () => window.obliqua.draw(%q, %s);
if (window.obliqua) draw(); else window.addEventListener("obliqua", draw, {once: true});
}</script>`, id, html.EscapeString(f.alt()), f.Width, f.Height*max(1, f.tall), ground, id, option)
}

// writeHTML writes a page that needs no other file.
func (f *Figure) writeHTML(w io.Writer) error {
	var png bytes.Buffer
	if err := f.writePNG(&png); err != nil {
		return err
	}
	title := html.EscapeString(f.Title)
	page := fmt.Sprintf(`<!doctype html>
<html><head><meta charset="utf-8"><title>%s</title></head><body>
<div class="output_area"><img alt="%s" width="%g" src="data:image/png;base64,%s"></div>
`, title, html.EscapeString(f.alt()), f.Width, base64.StdEncoding.EncodeToString(png.Bytes()))
	if f.live != nil {
		page += "<div class=\"output_area\">" + f.liveHTML() + "</div>\n" + bundleHTML() + "\n"
	}
	_, err := io.WriteString(w, page+"</body></html>\n")
	return err
}

// jsonNumber returns v with six significant digits, to keep notebooks small, or nil
// if v isn't finite.
func jsonNumber(v float64) any {
	if v-v != 0 {
		return nil
	}
	return json.Number(strconv.FormatFloat(v, 'g', 6, 64))
}
