package paper

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/viz"
)

// Curves draws means against X: a line a method, in the order of their first appearance. Of is what is drawn, nil for
// the score with its standard error.
func Curves(title, x, y string, means Means, of func(m Mean) Number) viz.Curves {
	if of == nil {
		of = func(m Mean) Number { return m.Score }
	}
	c := viz.Curves{Title: title, X: x, Y: y}
	for _, method := range means.Names(func(m Mean) string { return m.Method }) {
		s := viz.Series{Name: method}
		for _, m := range means.Of(method).ByX() {
			n := of(m)
			if math.IsNaN(n.StdErr) {
				n.StdErr = 0
			}
			s.X, s.Y, s.Err = append(s.X, float64(m.X)), append(s.Y, n.Value), append(s.Err, n.StdErr)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// MeansTable sets means side by side: a row a method, a column an X. Of is nil for the score.
func MeansTable(title, x string, means Means, places int, of func(m Mean) Number) viz.Table {
	if of == nil {
		of = func(m Mean) Number { return m.Score }
	}
	t := viz.Table{Title: title, Columns: []string{"method"}}
	xs, _ := Grouped(means.ByX(), func(m Mean) int { return m.X })
	for _, v := range xs {
		t.Columns = append(t.Columns, fmt.Sprint(x, " ", v))
	}
	methods, rows := Grouped(means, func(m Mean) string { return m.Method })
	for _, method := range methods {
		at := map[int]Mean{}
		for _, m := range rows[method] {
			at[m.X] = m
		}
		cells := []string{method}
		for _, v := range xs {
			if m, ok := at[v]; ok {
				cells = append(cells, of(m).Text(places))
			} else {
				cells = append(cells, "–")
			}
		}
		t.Add(cells...)
	}
	return t
}

// Panels draws a figure of panels: a grid of so many columns. Curves whose runs are all missing are left out.
func Panels(columns int, panels ...func(r *Results) viz.Chart) func(r *Results) Drawing {
	return func(r *Results) Drawing {
		g := viz.Grid{Columns: columns}
		for _, panel := range panels {
			chart := panel(r)
			if c, ok := chart.(viz.Curves); !ok || len(c.Series) > 0 {
				g.Charts = append(g.Charts, chart)
			}
		}
		if len(g.Charts) == 0 {
			return Drawing{}
		}
		return Draw(g)
	}
}

// Filled returns a heat map with the value and the text of each cell of its rows and columns.
func Filled(h viz.HeatMap, cell func(i, j int) (value float64, text string)) viz.HeatMap {
	for i := range h.Rows {
		values, texts := make([]float64, len(h.Columns)), make([]string, len(h.Columns))
		for j := range values {
			values[j], texts[j] = cell(i, j)
		}
		h.Values, h.Text = append(h.Values, values), append(h.Text, texts)
	}
	return h
}
