package viz

import (
	"fmt"
	"image/color"
	"math"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A HeatMap draws a table of numbers as coloured cells with their values, such as a confusion matrix or the
// coefficients of projections. If any value is negative the palette diverges from white at 0, blue below and vermillion
// above; otherwise it runs from white at 0 to blue. A NaN or an infinity is an empty cell.
//
// [Draw] panics if there are no cells, or if Values or Text don't have a row for each of Rows and a cell for each of
// Columns.
type HeatMap struct {
	Title         string
	X, Y          string      // axis labels
	Columns, Rows []string    // names of the columns and rows
	Values        [][]float64 // by row, from the top
	// Format is that of the values, such as "%.2f". "" means three significant digits, or whole numbers from 1000 on.
	Format string
	Text   [][]string // the text of each cell; nil means its value
	Limit  float64    // the magnitude with the darkest colour; 0 means the largest magnitude of the values
	Key    string     // what the colours mean, for a scale above the cells; "" draws none
}

func (h HeatMap) figure() *Figure {
	if len(h.Rows) == 0 || len(h.Columns) == 0 || len(h.Values) != len(h.Rows) {
		misuse("heat map of %d rows with %d row names and %d column names", len(h.Values), len(h.Rows), len(h.Columns))
	}
	for i, row := range h.Values {
		if len(row) != len(h.Columns) {
			misuse("row %d of the heat map has %d values for %d columns", i, len(row), len(h.Columns))
		}
		if h.Text != nil && (len(h.Text) != len(h.Rows) || len(h.Text[i]) != len(h.Columns)) {
			misuse("the texts of the heat map are not %d rows of %d", len(h.Rows), len(h.Columns))
		}
	}
	height := 130 + rows(h.Rows).shared(300, 22, 44)
	f := &Figure{Title: h.Title, Alt: h.alt(), Width: defaultWidth, Height: height, body: h.draw, live: h.live}
	if h.Key != "" {
		limit, diverging := h.scale()
		f.keys = []key{{name: h.Key, ramp: func(t float64) color.NRGBA {
			if diverging {
				t = 2*t - 1
			}
			return h.color(t*limit, limit, diverging)
		}}}
	}
	return f
}

// alt names the axes, and the cells with the lowest and the highest value.
func (h HeatMap) alt() string {
	s := fmt.Sprintf("Heat map of %d rows and %d columns", len(h.Rows), len(h.Columns))
	if h.X != "" && h.Y != "" {
		s += fmt.Sprintf(": %s by %s", h.Y, h.X)
	}
	var low, high string
	lowest, highest := math.Inf(1), math.Inf(-1)
	h.each(func(i, j int, v float64) {
		cell := fmt.Sprintf("%s (%s, %s)", h.text(v), h.Rows[i], h.Columns[j])
		if v < lowest {
			lowest, low = v, cell
		}
		if v > highest {
			highest, high = v, cell
		}
	})
	if low == "" {
		return s + "; no values."
	}
	return s + fmt.Sprintf("; values from %s to %s.", low, high)
}

// each visits the cells that hold a finite number.
func (h HeatMap) each(visit func(i, j int, v float64)) {
	for i, row := range h.Values {
		for j, v := range row {
			if v-v == 0 {
				visit(i, j, v)
			}
		}
	}
}

// cell returns the text of a cell.
func (h HeatMap) cell(i, j int) string {
	if h.Text != nil {
		return h.Text[i][j]
	}
	return h.text(h.Values[i][j])
}

func (h HeatMap) text(v float64) string {
	if h.Format == "" {
		return formatShort(v, 3)
	}
	return minusSigns(fmt.Sprintf(h.Format, v))
}

// The dark ends of the palettes. The diverging one is white in the middle, the other
// one at its start.
var (
	darkBlue       = mix(classColor(0), opaque(0), 0.1)
	darkVermillion = mix(classColor(5), opaque(0), 0.05)
)

// blueToVermillion returns the colour of a number: from −1 (blue) by 0 (white) to 1 (vermillion).
func blueToVermillion(t float64) color.NRGBA {
	if t < 0 {
		return mix(white, darkBlue, min(1, -t))
	}
	return mix(white, darkVermillion, min(1, t))
}

// color returns the colour of v where the largest magnitude is limit.
func (h HeatMap) color(v, limit float64, diverging bool) color.NRGBA {
	if diverging {
		return blueToVermillion(v / limit)
	}
	return blueToVermillion(-v / limit)
}

// scale returns the magnitude with the darkest colour, and whether there are
// negative values.
func (h HeatMap) scale() (limit float64, diverging bool) {
	h.each(func(_, _ int, v float64) { diverging, limit = diverging || v < 0, max(limit, math.Abs(v)) })
	switch {
	case h.Limit > 0:
		limit = h.Limit
	case limit == 0: // no numbers, or zeros, which are white
		limit = 1
	}
	return limit, diverging
}

func (h HeatMap) draw(c draw.Canvas) {
	small, label := textStyle(tickSize, false), textStyle(labelSize, false)
	left, bottom := min(widest(h.Rows, small), c.Size().X/3)+8*px, 22*px
	names := left - 8*px
	if h.Y != "" {
		left += 22 * px
	}
	longest := widest(h.Columns, small)
	slant := longest > (c.Size().X-left)/vg.Length(len(h.Columns))-4*px // too long to stand side by side
	if slant {
		bottom = min(0.72*longest, slantedWidth) + 14*px
	}
	if h.X != "" {
		bottom += 20 * px
	}
	cells := draw.Crop(c, left, 0, bottom, 0)
	w := cells.Size().X / vg.Length(len(h.Columns))
	ht := cells.Size().Y / vg.Length(len(h.Rows))
	h.drawCells(cells, w, ht)
	if h.Y != "" {
		turned := label
		turned.XAlign, turned.Rotation = draw.XCenter, math.Pi/2
		c.FillText(turned, pt(c.Min.X+8*px, (cells.Min.Y+cells.Max.Y)/2), shorten(h.Y, label, cells.Size().Y+12*px))
	}
	rowStyle := small
	rowStyle.XAlign = draw.XRight
	for i, name := range h.Rows {
		c.FillText(rowStyle, pt(cells.Min.X-6*px, cells.Max.Y-(vg.Length(i)+0.5)*ht), shorten(name, small, names))
	}
	for j, name := range h.Columns {
		drawColumnName(c, small, pt(cells.Min.X+(vg.Length(j)+0.5)*w, cells.Min.Y-4*px), name, slant)
	}
	if h.X != "" {
		label.XAlign = draw.XCenter
		c.FillText(label, pt((cells.Min.X+cells.Max.X)/2, c.Min.Y+8*px), shorten(h.X, label, cells.Size().X))
	}
}

// widest returns the width of the widest name.
func widest(names []string, style draw.TextStyle) (width vg.Length) {
	for _, name := range names {
		width = max(width, style.Width(name))
	}
	return width
}

// slantedWidth is the most height that slanted names take.
const slantedWidth = 80 * px

func drawColumnName(c draw.Canvas, style draw.TextStyle, at vg.Point, name string, slant bool) {
	if !slant {
		style.XAlign, style.YAlign = draw.XCenter, draw.YTop
		c.FillText(style, at, name)
		return
	}
	style.XAlign = draw.XRight
	style.Rotation = math.Pi / 4
	c.FillText(style, pt(at.X+3*px, at.Y-2*px), shorten(name, style, slantedWidth/0.72))
}

func (h HeatMap) drawCells(c draw.Canvas, w, ht vg.Length) {
	limit, diverging := h.scale()
	style := textStyle(min(tickSize, ht*0.6), false)
	style.XAlign = draw.XCenter
	fits := true
	h.each(func(i, j int, _ float64) { fits = fits && style.Width(h.cell(i, j)) < w-2*px })
	h.each(func(i, j int, v float64) {
		x, y := c.Min.X+vg.Length(j)*w, c.Max.Y-vg.Length(i+1)*ht
		fill := h.color(v, limit, diverging)
		fillRectangle(c, fill, rect(x, y, x+w, y+ht))
		if fits {
			style.Color = textOn(fill)
			c.FillText(style, pt(x+w/2, y+ht/2), h.cell(i, j))
		}
	})
	// Thin white lines separate the cells.
	thin := stroke(white, 1)
	for j := 1; j < len(h.Columns); j++ {
		x := c.Min.X + vg.Length(j)*w
		c.StrokeLine2(thin, x, c.Min.Y, x, c.Max.Y)
	}
	for i := 1; i < len(h.Rows); i++ {
		y := c.Min.Y + vg.Length(i)*ht
		c.StrokeLine2(thin, c.Min.X, y, c.Max.X, y)
	}
	strokeRectangle(c, stroke(grey, 1), c.Rectangle)
}

// textOn returns a dark or a light colour, whichever is easier to read on c.
func textOn(c color.NRGBA) color.Color {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) < 140 {
		return white
	}
	return ink
}

func (h HeatMap) live() any {
	chart := rows(h.Rows).live(h.Title, opts.XAxis{Name: h.X, Type: "category", Data: h.Columns}, 120, 44)
	chart.YAxisList[0].Name = h.Y
	if h.Text == nil {
		chart.GridList[0].Right = "90" // space for the colour scale
	}
	limit, diverging := h.scale()
	lo, colours := 0.0, []string{hex(white), hex(darkBlue)}
	if diverging {
		lo, colours = -limit, []string{hex(darkBlue), hex(white), hex(darkVermillion)}
	}
	chart.Tooltip.Formatter = "{b}"
	chart.VisualMapList = []opts.VisualMap{{Type: "continuous", Calculable: yes, Min: single(lo), Max: single(limit),
		InRange: &opts.VisualMapInRange{Color: colours}, Right: "0", Top: "middle", Dimension: "2",
		Show: opts.Bool(h.Text == nil)}}
	var cells []livePoint
	h.each(func(i, j int, v float64) {
		name := fmt.Sprintf("%s, %s: %s", h.Rows[i], h.Columns[j], h.cell(i, j))
		cells = append(cells, livePoint{Name: name, Value: []any{j, i, v, h.cell(i, j)}})
	})
	chart.add(types.ChartHeatMap, "", nil, cells).Label = &opts.Label{Show: opts.Bool(len(h.Columns) <= 12),
		Formatter: "{@[3]}"}
	option := chart.JSON()
	option["visualMap"] = []any{struct {
		opts.VisualMap
		Precision int `json:"precision"` // digits after the point, of which ECharts would write none
	}{chart.VisualMapList[0], int(max(0, min(2-math.Floor(math.Log10(limit)), 20)))}}
	return option
}
