package viz

import (
	"cmp"
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rows are the names beside a chart whose rows lie below each other, the first on top.
type rows []string

// newRows returns the names, shortened to a width.
func newRows(names []string, width vg.Length) rows {
	r, style := make(rows, len(names)), textStyle(tickSize, false)
	for k, name := range names {
		r[k] = shorten(name, style, width)
	}
	return r
}

// at returns the y of row k.
func (r rows) at(k int) float64 { return float64(len(r) - 1 - k) }

// axes returns axes for marks on a grid, with the names beside the rows, and space below the y of the last row and
// above that of the first.
func (r rows) axes(x string, space float64) *axes {
	a := newAxes(x, "")
	a.rows, a.legend = r, false
	a.Y.Min, a.Y.Max = -space, r.at(0)+space
	ticks := make(plot.ConstantTicks, len(r))
	for k, name := range r {
		ticks[k] = plot.Tick{Value: r.at(k), Label: name}
	}
	a.Y.Tick.Marker, a.Y.Tick.LineStyle.Width = ticks, 0
	return a
}

// shared returns the height of all rows together: total CSS pixels, unless a row would be lower than low or higher than
// high.
func (r rows) shared(total, low, high float64) float64 {
	n := float64(len(r))
	return n * min(high, max(low, total/n))
}

// live returns a live chart without series, with the names beside it, and space on the left and above in CSS pixels.
func (r rows) live(title string, x opts.XAxis, left, top int) liveChart {
	chart := newLive(title, x, opts.YAxis{Type: "category", Data: []string(r), Inverse: yes})
	chart.Legend.Show = no
	chart.setGrid(left, rowsRight, top, rowsBottom)
	return chart
}

// valueAxis returns the x axis of p for a live chart.
func valueAxis(p *plot.Plot) opts.XAxis {
	x := opts.XAxis{Name: p.X.Label.Text, Type: "value", Min: p.X.Min, Max: p.X.Max}
	if logarithmic(p.X) {
		x.Type = "log"
	}
	if _, whole := p.X.Tick.Marker.(plot.ConstantTicks); whole {
		x.MinInterval = 1
	}
	return x
}

// The space around the rows of a live chart, in CSS pixels.
const rowsLeft, rowsRight, rowsBottom = 210, 24, 52

// zeroRange returns the range of the finite values and 0, widened by a share of its length; −1 to 1 if that is 0.
func zeroRange(values []float64, share float64) (lo, hi float64) {
	for _, v := range finite(values) {
		lo, hi = min(lo, v), max(hi, v)
	}
	return widen(lo, hi, share)
}

func finite(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v-v != 0 })
}

// zeroLine returns an upright line at 0.
func zeroLine(style draw.LineStyle) rule { return rule{upright: true, style: style} }

// inOrder returns the places of numbers in ascending order of the numbers. Equal ones keep their order.
func inOrder(numbers []float64) []int {
	order := make([]int, len(numbers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	return order
}

// pick returns the values at some places. Nil stays nil.
func pick[T any](values []T, places []int) (picked []T) {
	if values == nil {
		return nil
	}
	for _, i := range places {
		picked = append(picked, values[i])
	}
	return picked
}
