package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// nearestRows are the rows nearest to a plane of regions.
type nearestRows struct {
	points             // the nearest ones last, so that they are on top
	distance []float64 // of every row from the plane
}

// nearest returns the rows to draw.
func (r DecisionRegions) nearest(p points) nearestRows {
	square := make([]float64, r.Data.N())
	for j := range r.Data.P() {
		if j == p.x || j == p.y {
			continue
		}
		at, column := float64(r.fixed(j)), r.Data.Column(nil, j)
		scale := cmp.Or(deviation(column), 1)
		for i, v := range column {
			d := (float64(v) - at) / scale
			if r.Data.Features[j].Categories != nil {
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
	n := nearestRows{p, make([]float64, len(square))}
	n.rows, n.of = nil, []int32{}
	for i, s := range square {
		n.distance[i] = math.Sqrt(s)
	}
	order := inOrder(square)
	for _, i := range order[:min(len(order), r.Nearest)] {
		n.rows, n.of = append(n.rows, i), append(n.of, int32(i))
	}
	slices.Reverse(n.rows)
	return n
}

func (n nearestRows) alt() string {
	s := n.points.alt()
	if last := len(n.of) - 1; last >= 0 {
		s += fmt.Sprintf(" These are the rows nearest to the slice, from %s to %s standard deviations away.",
			formatShort(n.distance[n.of[0]], 2), formatShort(n.distance[n.of[last]], 2))
	}
	return s
}

// Plot draws the rows.
func (n nearestRows) Plot(c draw.Canvas, plt *plot.Plot) {
	n.drawIn(c, plt, func(row int) draw.GlyphStyle {
		style := pointStyle(n.class(row))
		style.Radius = css(4.4 - 2.6*n.distance[row]/max(n.distance[n.rows[0]], 1e-9))
		return style
	})
}

// deviation returns the standard deviation of the cells that are numbers.
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
	return math.Sqrt(squares / max(1, n))
}
