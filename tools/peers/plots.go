package main

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/viz"
)

var shapes = map[string]draw.GlyphDrawer{"disc": draw.CircleGlyph{}, "square": draw.BoxGlyph{},
	"triangle": draw.PyramidGlyph{}, "cross": draw.CrossGlyph{}, "plus": draw.PlusGlyph{}}

// RatioPlots draws two plots that compare contenders with scikit-learn, and shows them.
func (p *page) RatioPlots() (text string, err error) {
	threads := slices.Max(p.threads())
	for _, what := range []struct {
		name, file string
		of         func(summary) float64
	}{
		{"Training", "peers-training.png", func(s summary) float64 { return s.Fit }},
		{"Prediction", "peers-prediction.png", func(s summary) float64 { return s.Predict }},
	} {
		plot, legend, jobs := drawRatios(p.results, threads, what.of)
		if jobs == 0 {
			continue
		}
		plot.Title.Text = fmt.Sprintf("%s time over scikit-learn’s random forest, %s", what.name, p.MostThreads())
		if err := save(plot, legend, 900, 150+32*float64(jobs), filepath.Join(p.folder, what.file)); err != nil {
			return "", err
		}
		text += fmt.Sprintf("![%s, by job and contender; the numbers are in the tables below](%s)\n\n",
			plot.Title.Text, what.file)
	}
	return text, nil
}

// drawRatios draws a row of marks for each job, and returns the number of jobs.
func drawRatios(res results, threads int, of func(summary) float64) (p *plot.Plot, legend *plot.Legend, jobs int) {
	p, legend = newPlot(), &newPlot().Legend
	p.X.Label.Text = "time ÷ scikit-learn’s (logarithmic)"
	p.X.Scale = plot.LogScale{}
	points := map[string]plotter.XYs{}
	var names plot.ConstantTicks
	for _, job := range slices.Backward(res.compared()) {
		base, ok := res.at(job, "scikit-learn", threads)
		if !ok {
			continue
		}
		y := float64(len(names))
		names = append(names, plot.Tick{Value: y, Label: job.String()})
		for _, c := range contenders {
			if s, ok := res.at(job, c.Name, threads); ok {
				points[c.Name] = append(points[c.Name], plotter.XY{X: of(s) / of(base), Y: y})
			}
		}
	}
	p.Y.Tick.Marker = names
	lo, hi := -0.6, float64(len(names))-0.4
	level, _ := plotter.NewLine(plotter.XYs{{X: 1, Y: lo}, {X: 1, Y: hi}})
	level.Color, level.Dashes = color.Gray{0x66}, []vg.Length{4, 3}
	p.Add(paleGrid(), level)
	for _, c := range contenders {
		if c.Shape == "" || len(points[c.Name]) == 0 {
			continue
		}
		scatter, _ := plotter.NewScatter(points[c.Name])
		scatter.GlyphStyle = draw.GlyphStyle{Color: viz.Palette[c.Colour], Radius: 4, Shape: shapes[c.Shape]}
		p.Add(scatter)
		legend.Add(c.Title, scatter)
	}
	legend.Add("scikit-learn", level)
	legend.Top = true
	p.Y.Min, p.Y.Max = lo, hi
	p.X.Min, p.X.Max = p.X.Min/1.15, p.X.Max*1.15
	p.X.Tick.Marker = logTicks{}
	return p, legend, len(names)
}

func (f figure) draw() *plot.Plot {
	p := newPlot()
	p.Title.Text = f.title
	p.X.Label.Text, p.Y.Label.Text = f.axis, "seconds"
	if f.log {
		p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
		p.X.Tick.Marker, p.Y.Tick.Marker = logTicks{}, logTicks{}
	} else {
		p.X.Min, p.Y.Min = 0, 0
	}
	p.Add(paleGrid())
	for k, c := range f.curves {
		var measured, fitted plotter.XYs
		for i, x := range c.x {
			measured = append(measured, plotter.XY{X: x, Y: c.y[i]})
		}
		const steps = 200
		lo, hi := slices.Min(c.x), slices.Max(c.x)
		for k := range steps + 1 {
			x := lo + (hi-lo)*float64(k)/steps
			if f.log {
				x = lo * math.Pow(hi/lo, float64(k)/steps)
			}
			fitted = append(fitted, plotter.XY{X: x, Y: c.at(x)})
		}
		line, _ := plotter.NewLine(fitted)
		line.Color, line.Width = viz.Palette[2*k+1], 1.5
		scatter, _ := plotter.NewScatter(measured)
		scatter.GlyphStyle = draw.GlyphStyle{Color: viz.Palette[2*k], Radius: 3.5, Shape: draw.CircleGlyph{}}
		p.Add(line, scatter)
		who := ""
		if c.name != "" {
			who = c.name + ", "
		}
		p.Legend.Add(who+"measured, median", scatter)
		p.Legend.Add(who+c.formula(2), line)
	}
	p.Legend.Top, p.Legend.XOffs = true, 8
	return p
}

func newPlot() *plot.Plot {
	sans := font.Font{Typeface: "Liberation", Variant: "Sans", Size: 10}
	p := plot.New()
	p.Title.TextStyle.Font, p.Title.TextStyle.Font.Size = sans, 12
	p.Title.Padding = 6
	p.Legend.TextStyle.Font = sans
	p.Legend.Padding, p.Legend.Left = 2, true
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = sans, sans
	}
	return p
}

func paleGrid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{0xe0}, color.Gray{0xe0}
	return g
}

// logTicks marks the multiples of powers of ten, and labels 1, 2 and 5 times these
// powers, or the powers alone if the axis spans three decades or more.
type logTicks struct{}

func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Log10(hi); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 || hi/lo < 1000 && (m == 2 || m == 5) {
				t.Label = strconv.FormatFloat(v, 'f', max(0, -int(e)), 64)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// save writes a PNG of the given size in CSS pixels, at twice that resolution, with
// the legend to the right of the plot.
func save(p *plot.Plot, legend *plot.Legend, width, height float64, path string) error {
	const px = vg.Inch / 96
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(width)*px, vg.Length(height)*px), vgimg.UseDPI(2*96))
	canvas := draw.Crop(draw.New(c), 8*px, -14*px, 8*px, -8*px)
	if legend != nil {
		legend.Draw(draw.Crop(canvas, canvas.Max.X-canvas.Min.X-180*px, 0, 0, -40*px))
		canvas = draw.Crop(canvas, 0, -190*px, 0, 0)
	}
	p.Draw(canvas)
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	})
}
