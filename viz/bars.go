package viz

import (
	"cmp"
	"fmt"
	"image/color"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars draws numbers as horizontal bars from 0, such as the importance of features.
// The first is on top. A NaN or an infinity has no bar.
type Bars struct {
	Title  string
	X      string // label of the value axis, with units
	Names  []string
	Values []float64
	Err    []float64 // half length of the error bar of each value; nil draws none
}

// Figure draws the bars. It panics if there are none, or if Names, Values and Err,
// unless nil, differ in length.
func (b Bars) Figure() *Figure {
	if len(b.Names) == 0 || len(b.Values) != len(b.Names) || b.Err != nil && len(b.Err) != len(b.Names) {
		panic(fmt.Sprintf("viz: bars with %d names, %d values and %d error bars", len(b.Names), len(b.Values), len(b.Err)))
	}
	p := newPlot(b.X, "")
	p.Add(paleGrid(), barPlot{b})
	lo, hi := b.valueRange()
	p.X.Min, p.X.Max = lo, hi
	p.Y.Min, p.Y.Max = -0.6, float64(len(b.Names))-0.4
	p.Y.Tick.Marker = b.ticks()
	p.Y.Tick.LineStyle.Width = 0
	f := &Figure{Title: b.Title, Alt: b.alt(), Width: defaultWidth, Height: 110 + float64(len(b.Names))*min(34, max(18, 300/float64(len(b.Names))))}
	f.body = func(c draw.Canvas) { drawPlot(c, p) }
	f.live = func() any { return b.live(lo, hi) }
	return f
}

// err returns the half length of error bar i.
func (b Bars) err(i int) float64 { return errorBar(b.Err, i) }

// valueRange returns the range of the axis, which includes 0.
func (b Bars) valueRange() (lo, hi float64) {
	for i, v := range b.Values {
		if v-v == 0 {
			lo, hi = min(lo, v-b.err(i)), max(hi, v+b.err(i))
		}
	}
	if lo == hi {
		return 0, 1
	}
	pad := 0.06 * (hi - lo)
	if lo < 0 {
		lo -= pad
	}
	if hi > 0 {
		hi += pad
	}
	return lo, hi
}

func (b Bars) alt() string {
	s := fmt.Sprintf("%s of %d bars:", cmp.Or(b.X, "Length"), len(b.Names))
	for i, name := range b.Names {
		if i == 12 {
			return s + " and more."
		}
		s += fmt.Sprintf(" %s %s;", name, formatNumber(b.Values[i]))
	}
	return s[:len(s)-1] + "."
}

// ticks returns ticks that put the names beside their bars, shortened if long.
func (b Bars) ticks() plot.ConstantTicks {
	style := textStyle(tickSize, false)
	ticks := make(plot.ConstantTicks, len(b.Names))
	for i, name := range b.Names {
		ticks[i] = plot.Tick{Value: b.at(i), Label: shorten(name, style, 200*px)}
	}
	return ticks
}

// at returns the y of bar i.
func (b Bars) at(i int) float64 { return float64(len(b.Names) - 1 - i) }

type barPlot struct{ Bars }

func (b barPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for i, v := range b.Values {
		if v-v != 0 {
			continue
		}
		y := toY(b.at(i))
		half := min(toY(b.at(i)+0.36)-y, 16*px)
		lo, hi := y-half, y+half
		c.FillPolygon(barFill(), []vg.Point{{X: toX(0), Y: lo}, {X: toX(v), Y: lo}, {X: toX(v), Y: hi}, {X: toX(0), Y: hi}})
		if e := b.err(i); e > 0 {
			bar := draw.LineStyle{Color: ink, Width: 1.2 * px}
			x1, x2 := toX(v-e), toX(v+e)
			const cap = 4 * px
			c.StrokeLine2(bar, x1, y, x2, y)
			c.StrokeLine2(bar, x1, y-cap, x1, y+cap)
			c.StrokeLine2(bar, x2, y-cap, x2, y+cap)
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: px}, toX(0), c.Min.Y, toX(0), c.Max.Y)
}

// barFill returns the colour of bars; in print a grey on which an error bar is seen.
func barFill() color.NRGBA {
	if current == Print {
		return classColor(1)
	}
	return classColor(0)
}

func (b Bars) live(lo, hi float64) any {
	chart := charts.NewBar()
	liveFrame(&chart.BaseConfiguration, b.Title,
		opts.XAxis{Name: b.X, Type: "value", Min: lo, Max: hi},
		opts.YAxis{Type: "category", Data: b.Names, Inverse: opts.Bool(true)})
	chart.Legend.Show = opts.Bool(false)
	chart.GridList[0].Left, chart.GridList[0].Top = "160", "44"
	var values []opts.BarData
	var bars []opts.CustomData
	for i, v := range b.Values {
		name := fmt.Sprintf("%s: %s", b.Names[i], formatNumber(v))
		if e := b.err(i); e > 0 {
			name += " ± " + formatShort(e, 2)
			bars = append(bars, opts.CustomData{Value: []any{jsonNumber(v - e), jsonNumber(v + e), i}})
		}
		values = append(values, opts.BarData{Name: name, Value: []any{jsonNumber(v), i}})
	}
	chart.AddSeries(b.X, values, charts.WithItemStyleOpts(opts.ItemStyle{Color: hex(barFill())}))
	if bars != nil {
		chart.MultiSeries = append(chart.MultiSeries, liveBars(b.X, bars, "horizontal", charts.WithItemStyleOpts(opts.ItemStyle{Color: hex(ink)})))
	}
	return chart.JSON()
}
