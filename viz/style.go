package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/internal/plain"
)

// dashes tell series of the same colour apart where there are more series than
// colours.
var dashes = [][]vg.Length{nil, {6, 2}, {2, 2}, {7, 2, 2, 2}, {10, 3}}

// logarithmic reports whether an axis is.
func logarithmic(a plot.Axis) bool {
	_, is := a.Scale.(logScale)
	return is
}

// A linearScale places numbers on an axis whose range may be longer than the largest number.
type linearScale struct{}

// Normalize returns the place of x, from 0 at lo to 1 at hi.
func (linearScale) Normalize(lo, hi, x float64) float64 {
	switch middle := lo + hi; {
	case middle-middle != 0 && x == middle: // gonum/plot asks for the middle of the range, to place the label there
		return 0.5
	case math.IsInf(hi-lo, 0):
		return (x/4 - lo/4) / (hi/4 - lo/4)
	}
	return (x - lo) / (hi - lo)
}

// A logScale places numbers on a logarithmic axis. What isn't above 0 is where the least number is.
type logScale struct{}

// Normalize returns the place of x, from 0 at lo to 1 at hi.
func (logScale) Normalize(lo, hi, x float64) float64 {
	from := math.Log(lo)
	return (math.Log(clamp(x, math.SmallestNonzeroFloat64)) - from) / (math.Log(hi) - from)
}

// clamp returns v or, if that is nearer to 0 or negative, low; and no more than the largest number.
func clamp(v, low float64) float64 { return max(low, min(v, math.MaxFloat64)) }

// px is one CSS pixel.
const px = vg.Inch / 96

// css returns a length given in CSS pixels.
func css(pixels float64) vg.Length { return vg.Length(pixels) * px }

func pt(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }

// rect returns the rectangle with the corners (x1, y1) and (x2, y2).
func rect(x1, y1, x2, y2 vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: pt(x1, y1), Max: pt(x2, y2)}
}

func fillRectangle(c draw.Canvas, fill color.NRGBA, r vg.Rectangle) {
	c.SetColor(fill)
	c.Fill(r.Path())
}

func strokeRectangle(c draw.Canvas, style draw.LineStyle, r vg.Rectangle) {
	c.SetLineStyle(style)
	c.Stroke(r.Path())
}

// stroke returns the style of a line that is width CSS pixels wide.
func stroke(c color.NRGBA, width vg.Length, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width * px, Dashes: dashes}
}

// marker returns the style of a point with a radius in CSS pixels.
func marker(c color.NRGBA, radius vg.Length, shape draw.GlyphDrawer) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: radius * px, Shape: shape}
}

// misuse panics with a message that says which fields of a chart don't fit together.
func misuse(format string, values ...any) { panic("viz: " + fmt.Sprintf(format, values...)) }

func textStyle(size vg.Length, bold bool) text.Style {
	weight := xfont.WeightNormal
	if bold {
		weight = xfont.WeightBold
	}
	return text.Style{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size, Weight: weight},
		XAlign:  draw.XLeft,
		YAlign:  draw.YCenter,
		Handler: handler,
	}
}

const (
	titleSize      = 16 * px
	smallTitleSize = 13.5 * px // in narrow panels
	labelSize      = 13.5 * px
	tickSize       = 12 * px
)

// newPlot returns an empty plot in the style of the package. The [Figure] draws the
// title.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		label, tick := textStyle(labelSize, false), textStyle(tickSize, false)
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Color = label.Font, ink
		axis.Tick.Label.Font, axis.Tick.Label.Color = tick.Font, ink
		axis.Label.TextStyle.Handler, axis.Tick.Label.Handler = handler, handler
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = grey, grey
		axis.Label.Padding, axis.Padding = 3*px, 0
		axis.Scale = linearScale{}
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	return p
}

// drawPlot draws p with as many tick labels as fit.
func drawPlot(c draw.Canvas, p *plot.Plot) {
	p = shortened(c, p)
	setTicks(c, p)
	label := p.Y.Label
	if !logarithmic(p.Y) || label.Text == "" {
		p.Draw(c)
		return
	}
	// gonum/plot would leave room above the axis for a label whose middle is at the
	// mean of the range, which is near the top of a logarithmic axis.
	p.Y.Label.Text = ""
	inner := draw.Crop(c, label.TextStyle.Height(label.Text)+label.Padding, 0, 0, 0)
	p.Draw(inner)
	style, area := label.TextStyle, p.DataCanvas(inner)
	p.Y.Label = label
	style.Rotation, style.XAlign, style.YAlign = math.Pi/2, draw.XCenter, draw.YTop
	c.FillText(style, pt(c.Min.X, (area.Min.Y+area.Max.Y)/2), label.Text)
}

// shortened returns p with names on its axes that leave room for what is between these.
func shortened(c draw.Canvas, p *plot.Plot) *plot.Plot {
	short := *p
	short.X.Label.Text = shorten(p.X.Label.Text, p.X.Label.TextStyle, c.Size().X)
	short.Y.Label.Text = shorten(p.Y.Label.Text, p.Y.Label.TextStyle, c.Size().Y-50*px)
	names, own := p.X.Tick.Marker.(plot.ConstantTicks)
	if !own {
		return &short
	}
	const least = 30 * px
	each := (c.Size().X - 60*px) / vg.Length(max(1, len(names)))
	every := int(math.Ceil(float64(least / max(each, px/100)))) // of which there is room for a name
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i].Value = name.Value
		if i%every == 0 {
			ticks[i].Label = shorten(name.Label, p.X.Tick.Label, each*vg.Length(every)-6*px)
		}
	}
	short.X.Tick.Marker = ticks
	return &short
}

func setTicks(c draw.Canvas, p *plot.Plot) {
	style := textStyle(tickSize, false)
	setTicker(&p.Y, func(ticks []plot.Tick) bool { return vg.Length(len(ticks))*24*px <= c.Size().Y-50*px })
	setTicker(&p.X, func(ticks []plot.Tick) bool {
		room := c.Size().X - 60*px
		for i, tick := range ticks[:max(0, len(ticks)-1)] {
			next := ticks[i+1]
			gap := vg.Length(p.X.Norm(next.Value)-p.X.Norm(tick.Value)) * room
			if gap < (style.Width(tick.Label)+style.Width(next.Label))/2+8*px {
				return false
			}
		}
		return true
	})
}

// setTicker sets the ticks of an axis, linear or logarithmic, unless it has its own.
func setTicker(a *plot.Axis, fit func(labelled []plot.Tick) bool) {
	ticks := linearTicks
	switch own := a.Tick.Marker.(type) {
	case plot.ConstantTicks:
		return
	case nameTicks:
		a.Tick.Marker = nameTicks{own.names, fit}
		return
	}
	if logarithmic(*a) {
		ticks = logTicks
	}
	a.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick { return ticks(lo, hi, fit) })
}

// nameTicks label 0, 1, 2, … by names, or every second, third, … of them if not all fit.
type nameTicks struct {
	names []string
	fit   func(labelled []plot.Tick) bool // nil: all fit
}

// Ticks returns the labels.
func (n nameTicks) Ticks(float64, float64) []plot.Tick {
	labels := newRows(n.names, 100*px)
	for every := 1; ; every++ {
		var ticks []plot.Tick
		for k := 0; k < len(labels); k += every {
			ticks = append(ticks, plot.Tick{Value: float64(k), Label: labels[k]})
		}
		if len(ticks) < 2 || n.fit == nil || n.fit(ticks) {
			return ticks
		}
	}
}

// linearTicks labels about five multiples of 1, 2 or 5 times a power of ten, or fewer if they don't fit.
func linearTicks(lo, hi float64, fit func(labelled []plot.Tick) bool) []plot.Tick {
	for parts := 5.0; ; parts /= 2 {
		part := (hi - lo) / parts
		if math.IsInf(part, 1) {
			part = hi/parts - lo/parts
		}
		if ticks := roundTicks(lo, hi, roundStep(part)); fit(ticks) || len(ticks) < 3 {
			return ticks
		}
	}
}

func roundTicks(lo, hi, step float64) []plot.Tick {
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for k := int(math.Ceil(lo/step - 1e-9)); float64(k) <= hi/step+1e-9; k++ {
		v := float64(k) * step
		label := minusSigns(fmt.Sprintf("%.*f", digits, v))
		if step >= 1 && math.Abs(v) >= 1000 || digits > 8 {
			label = formatNumber(v)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	if len(slices.CompactFunc(slices.Clone(ticks), func(a, b plot.Tick) bool { return a.Label == b.Label })) < len(ticks) {
		for i := range ticks {
			ticks[i].Label = apart(ticks[i].Value, step)
		}
	}
	return ticks
}

// apart formats a multiple of a step with the digits that tell it from the next one.
func apart(v, step float64) string {
	if v == 0 {
		return "0"
	}
	digits := 1 + math.Floor(math.Log10(math.Abs(v))) - math.Floor(math.Log10(step)+1e-9)
	return minusSigns(fmt.Sprintf("%.*g", max(1, int(digits)), v))
}

// roundStep returns a number near x that is 1, 2 or 5 times a power of ten, at most the largest such power.
func roundStep(x float64) float64 {
	x = min(x, 1e308)
	power := math.Pow(10, math.Floor(math.Log10(x)))
	switch m := x / power; {
	case m < 1.5:
		return power
	case m < 3.5:
		return 2 * power
	case m < 7.5:
		return 5 * power
	}
	return 10 * power
}

// logTicks marks the multiples of powers of ten. It labels 1, 2 and 5 times the powers if they fit and the axis spans
// less than three decades; otherwise the powers alone, or every second, third, … of them. Where fewer than two of all
// these are on the axis it has the ticks of a linear one. Over more than 40 decades the other multiples would be a grey
// bar, so they have no marks.
func logTicks(lo, hi float64, fit func(labelled []plot.Tick) bool) []plot.Tick {
	var minor, all, powers []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > clamp(hi*(1+1e-9), 0) {
				continue
			}
			minor = append(minor, plot.Tick{Value: v})
			labelled := plot.Tick{Value: v, Label: formatNumber(v)}
			if m == 1 {
				powers = append(powers, labelled)
			}
			if m == 1 || m == 2 || m == 5 {
				all = append(all, labelled)
			}
		}
	}
	if len(powers) > 40 {
		minor = nil
	}
	if (math.Log10(hi/lo) < 3 || len(powers) < 2) && len(all) > 1 && fit(all) {
		return append(minor, all...)
	}
	labelled := powers
	switch {
	case len(all) < 2 && lo > 1e-300: // smaller numbers are too few between lo and hi
		return linearTicks(lo, hi, fit)
	case len(powers) < 2:
		labelled = all
	}
	for every := 1; ; every++ {
		var some []plot.Tick
		for i := 0; i < len(labelled); i += every {
			some = append(some, labelled[i])
		}
		if len(some) < 2 || fit(some) {
			return append(minor, some...)
		}
	}
}

// formatNumber formats v with four significant digits or, from 1000 on, as a whole
// number with commas. Where there is no finite number it says so, for descriptions.
func formatNumber(v float64) string {
	if v-v != 0 {
		return "no value"
	}
	switch a := math.Abs(v); {
	case a >= 1e15 || a > 0 && a < 1e-4:
		return minusSigns(fmt.Sprintf("%.3g", v))
	case a < 1000:
		return minusSigns(fmt.Sprintf("%.4g", v))
	}
	s := fmt.Sprintf("%.0f", math.Abs(v))
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if v < 0 {
		s = "−" + s
	}
	return s
}

func minusSigns(s string) string { return strings.ReplaceAll(s, "-", "−") }

// formatShort formats v with at most the given number of significant digits, but with
// all digits before the point or, from 1000 on, as formatNumber does.
func formatShort(v float64, digits int) string {
	if v-v != 0 {
		return formatNumber(v)
	}
	switch a := math.Abs(v); {
	case a >= 1000 && a < 1e15:
		return formatNumber(v)
	case a >= math.Pow10(digits-1) && a < 1000:
		return minusSigns(fmt.Sprintf("%.0f", v))
	}
	return minusSigns(fmt.Sprintf("%.*g", digits, v))
}

// wrap breaks s into lines no wider than width, at spaces but not at no-break spaces.
// A longer word has a line to itself.
func wrap(s string, style text.Style, width vg.Length) []string {
	var lines []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		word = plain.Name(word)
		if line != "" && style.Width(line+" "+word) > width {
			lines, line = append(lines, line), word
			continue
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line == "" {
		return lines
	}
	return append(lines, line)
}

// shorten replaces the end of s by … if s is wider than width.
func shorten(s string, style text.Style, width vg.Length) string {
	s = plain.Name(s)
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 1 && style.Width(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
