package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// Slice draws a plane through the space of a classification model with many features:
// what it predicts when two features vary and the others stay at fixed values, as
// [DecisionRegions] do. On top are the rows nearest to that plane, smaller the further away
// they are. A row's distance is that of its other features from the fixed values, each in
// units of its standard deviation in the data; categories are 1 apart.
type Slice struct {
	Title string
	Model *forest.Forest
	Data  *datasets.Dataset
	X, Y  int // the features that vary; both 0 means features 0 and 1

	// At holds a value for each feature, such as a row of the data; those of X and Y are
	// ignored. Nil means the medians of Data.
	At []float32

	Nearest    int // how many rows are drawn; 0 means 50
	Resolution int // as in DecisionRegions
}

// Figure draws the slice. It panics where [DecisionRegions] does, or if Nearest is
// negative.
func (s Slice) Figure() *Figure {
	r := DecisionRegions{Title: s.Title, Model: s.Model, Data: s.Data, X: s.X, Y: s.Y, At: s.At, Resolution: s.Resolution}
	r.check()
	if s.Nearest < 0 {
		panic(fmt.Sprintf("viz: slice with the %d nearest rows", s.Nearest))
	}
	all := newPoints(s.Data, s.X, s.Y, nil)
	rows, distance := s.nearest(r, all.x, all.y)
	points := newPoints(s.Data, s.X, s.Y, rows)
	f := &Figure{Title: s.Title, Width: defaultWidth, Height: defaultHeight, keys: regionKeys(s.Model.Classes, all.keys())}
	grid, _ := r.grid(all) // without By there is no error
	f.Alt = grid.alt() + " " + points.alt()
	if n := len(rows); n > 0 {
		f.Alt += fmt.Sprintf(" These are the rows nearest to the slice, from %s to %s standard deviations away.",
			formatShort(distance[0], 2), formatShort(distance[n-1], 2))
	}
	p := newPlot(all.name(all.x), all.name(all.y))
	p.Add(grid)
	// The nearest are drawn last.
	for i := len(rows) - 1; i >= 0; i-- {
		p.Add(slicePoint{points, rows[i], distance[i] / max(distance[len(rows)-1], 1e-9)})
	}
	f.body = func(c draw.Canvas) { drawPlot(c, p) }
	return f
}

// nearest returns the rows nearest to the slice and their distances, in ascending order.
func (s Slice) nearest(r DecisionRegions, x, y int) (rows []int32, distance []float64) {
	square := make([]float64, s.Data.N())
	for j := range s.Data.P() {
		if j == x || j == y {
			continue
		}
		at, column := float64(r.fixed(j)), s.Data.Column(nil, j)
		scale := deviation(column)
		for i, v := range column {
			d := (float64(v) - at) / scale
			if s.Data.Features[j].Categories != nil {
				d = 0
				if float64(v) != at {
					d = 1
				}
			}
			if d-d == 0 {
				square[i] += d * d
			}
		}
	}
	rows = make([]int32, len(square))
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(square[a], square[b]) })
	rows = rows[:min(len(rows), cmp.Or(s.Nearest, 50))]
	for _, i := range rows {
		distance = append(distance, math.Sqrt(square[i]))
	}
	return rows, distance
}

// deviation returns the standard deviation of the cells that are numbers, or 1 if they
// are all equal.
func deviation(column []float32) float64 {
	var n, sum, squares float64
	for _, v := range column {
		if v-v == 0 {
			n, sum = n+1, sum+float64(v)
		}
	}
	mean := sum / n
	for _, v := range column {
		if v-v == 0 {
			squares += (float64(v) - mean) * (float64(v) - mean)
		}
	}
	if !(squares > 0) {
		return 1
	}
	return math.Sqrt(squares / n)
}

// slicePoint draws one row.
type slicePoint struct {
	points
	row  int32
	away float64 // distance from the slice, from 0 to 1
}

// Plot draws the row.
func (s slicePoint) Plot(c draw.Canvas, plt *plot.Plot) {
	toX, toY := plt.Transforms(&c)
	x, y := float64(s.data.At(int(s.row), s.x)), float64(s.data.At(int(s.row), s.y))
	if x-x != 0 || y-y != 0 {
		return
	}
	style := pointStyle(s.class(int(s.row)))
	style.Radius = vg.Length(4.4-2.6*s.away) * px
	c.DrawGlyph(style, vg.Point{X: toX(x), Y: toY(y)})
}
