package viz

import (
	"cmp"
	"fmt"
	"image/color"

	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Bars draws numbers as horizontal bars from 0, such as the importance of features. The first is on top. A NaN or an
// infinity has no bar.
//
// [Draw] panics if there are none, or if Names, Values and Err, unless nil, differ in length.
type Bars struct {
	Title  string
	X      string // label of the value axis, with units
	Names  []string
	Values []float64
	Err    []float64 // half length of the error bar of each value; nil draws none
}

func (b Bars) figure() *Figure {
	if len(b.Names) == 0 || len(b.Values) != len(b.Names) || b.Err != nil && len(b.Err) != len(b.Names) {
		misuse("bars with %d names, %d values and %d error bars", len(b.Names), len(b.Values), len(b.Err))
	}
	rows := newRows(b.Names, 200*px)
	p := rows.plot(b.X, 0.6, 0.6)
	p.Add(paleGrid(), barPlot{b, rows})
	p.X.Min, p.X.Max = b.valueRange()
	f := plotFigure(b.Title, b.alt(), p)
	f.Height = 110 + rows.shared(300, 18, 34)
	f.live = func() any { return b.live(p) }
	return f
}

// err returns the half length of error bar i.
func (b Bars) err(i int) float64 { return errorBar(b.Err, i) }

// valueRange returns the range of the axis, which includes 0.
func (b Bars) valueRange() (lo, hi float64) {
	for i, v := range b.Values {
		if v-v == 0 {
			low, high := interval(v, b.err(i))
			lo, hi = min(lo, low), max(hi, high)
		}
	}
	if lo == hi {
		return 0, 1
	}
	low, high := widen(lo, hi, 0.06)
	if lo == 0 {
		low = 0
	}
	if hi == 0 {
		high = 0
	}
	return low, high
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

type barPlot struct {
	Bars
	rows
}

func (b barPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for i, v := range b.Values {
		if v-v != 0 {
			continue
		}
		y := toY(b.at(i))
		half := min(toY(b.at(i)+0.36)-y, 16*px)
		fillRectangle(c, barFill(), rect(toX(0), y-half, toX(v), y+half))
		if e := b.err(i); e > 0 {
			low, high := interval(v, e)
			drawInterval(c, stroke(ink, 1.2), toX(low), toX(high), y, 4*px)
		}
	}
	drawZero(c, p, stroke(grey, 1))
}

// barFill returns the colour of bars; in print a grey on which an error bar is seen.
func barFill() color.NRGBA {
	if current == Print {
		return classColor(1)
	}
	return classColor(0)
}

func (b Bars) live(p *plot.Plot) any {
	chart := rows(b.Names).live(b.Title, valueAxis(p), 160, 44)
	var values, bars []livePoint
	for i, v := range b.Values {
		name := fmt.Sprintf("%s: %s", b.Names[i], formatNumber(v))
		if e := b.err(i); e > 0 {
			name += " ± " + formatShort(e, 2)
			low, high := interval(v, e)
			bars = append(bars, tip("", low, high, float64(i)))
		}
		values = append(values, tip(name, v, float64(i)))
	}
	chart.add(types.ChartBar, b.X, barFill(), values)
	chart.addBars(b.X, ink, bars, "horizontal", 0)
	return chart.JSON()
}
