package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/viz"
)

// A figure is a plot of training time against one variable.
type figure struct {
	jobs, file, axis string // jobs: how their names begin
	log              bool   // draw on logarithmic axes
	variable         string // n, p or d
	title            string // {n}, {p}, {d} and {trees} stand for what the jobs have
	curves           []curve
}

// A curve is a contender's measurements and the law seconds = a + b·term(x) fitted to them.
type curve struct {
	contender string
	name      string                  // distinguishes it from the figure's other curves
	law       string                  // the term in words; for a power to be fitted, the variable's letter
	term      func(x float64) float64 // nil for a power to be fitted
	x, y      []float64               // the variable, and seconds
	a, b      float64
	worst     float64 // largest |fitted/measured − 1| of the points that were fitted
}

// The figures by method. Those of GRAF have a curve for K = M and one for K = 1 each.
var growthFigures = map[string][]figure{
	"SPORF": {
		{jobs: "growth-n", file: "growth-rows.png", axis: "training rows n", log: true, variable: "n",
			title: "SPORF on trunk, p = {p}, {trees}, 1 thread, d = {d}",
			curves: []curve{{contender: "obliqua-sporf", law: "n log₂² n",
				term: func(n float64) float64 { return n * math.Log2(n) * math.Log2(n) }}}},
		{jobs: "growth-d", file: "growth-directions.png", axis: "candidate directions a node d", variable: "d",
			title:  "SPORF on trunk, p = {p}, {trees}, 1 thread, n = {n}",
			curves: []curve{{contender: "obliqua-sporf", law: "d", term: func(d float64) float64 { return d }}}},
	},
	"GRAF": {
		{jobs: "graf-n", file: "graf-rows.png", axis: "training rows n", log: true, variable: "n",
			title: "GRAF on trunk, p = {p}, {trees}, 1 thread", curves: grafCurves("n")},
		{jobs: "graf-p", file: "graf-features.png", axis: "features p = M", log: true, variable: "p",
			title: "GRAF on trunk, n = {n}, {trees}, 1 thread", curves: grafCurves("p")},
	},
}

func grafCurves(variable string) []curve {
	return []curve{{contender: "obliqua-graf", name: "K = M", law: variable},
		{contender: "obliqua-graf-1", name: "K = 1", law: variable}}
}

// solved returns the figures with their measurements and laws, without those that have a curve of fewer than three
// points.
func (r results) solved(figures []figure) (solved []figure) {
	for _, f := range figures {
		few := false
		f.curves = slices.Clone(f.curves)
		for k := range f.curves {
			c := &f.curves[k]
			for _, job := range r.jobs {
				if s, ok := r.at(job, c.contender, 1); ok && strings.HasPrefix(job.name, f.jobs) {
					x := map[string]int{"n": s.Rows, "p": s.Features, "d": s.Directions}
					f.title = strings.NewReplacer("{n}", fmt.Sprint(x["n"]), "{p}", fmt.Sprint(x["p"]), "{d}", fmt.Sprint(x["d"]),
						"{trees}", plural(s.Trees, "tree")).Replace(f.title)
					c.x, c.y = append(c.x, float64(x[f.variable])), append(c.y, s.Fit)
				}
			}
			if few = few || len(c.x) < 3; !few {
				c.solve()
			}
		}
		if !few {
			f.title = "Training of " + f.title
			solved = append(solved, f)
		}
	}
	return solved
}

// solve fits the law. It fits a power to the last four points only: in smaller jobs other costs dominate.
func (c *curve) solve() {
	if c.term != nil {
		c.fitLine(c.x, c.y)
		return
	}
	from := max(0, len(c.x)-4)
	exponent := c.fitPower(c.x[from:], c.y[from:])
	c.law = fmt.Sprintf("%s^%.2f (%s ≥ %g)", c.law, exponent, c.law, c.x[from])
}

// fitLine fits a and b. It gives all points the same relative precision.
func (c *curve) fitLine(x, y []float64) {
	var terms, weights []float64
	for i, v := range y {
		terms, weights = append(terms, c.term(x[i])), append(weights, 1/(v*v))
	}
	c.a, c.b = stat.LinearRegression(terms, y, weights, false)
	c.judge(x, y)
}

// fitPower fits y = b·x^exponent by least squares of the logarithms.
func (c *curve) fitPower(x, y []float64) (exponent float64) {
	var logX, logY []float64
	for i := range x {
		logX, logY = append(logX, math.Log(x[i])), append(logY, math.Log(y[i]))
	}
	a, exponent := stat.LinearRegression(logX, logY, nil, false)
	c.b = math.Exp(a)
	c.term = func(x float64) float64 { return math.Pow(x, exponent) }
	c.judge(x, y)
	return exponent
}

// judge finds the worst of some points.
func (c *curve) judge(x, y []float64) {
	for i, v := range y {
		c.worst = max(c.worst, math.Abs(c.at(x[i])/v-1))
	}
}

func (c *curve) at(x float64) float64 { return c.a + c.b*c.term(x) }

// formula returns the fitted law, its coefficients with the given number of digits.
func (c *curve) formula(digits int) string {
	law := fmt.Sprintf("%.*g · %s", digits, c.b, c.law)
	if c.a != 0 {
		law = fmt.Sprintf("%.*g + %s", digits, c.a, law)
	}
	return law
}

// Growth draws the figures of a method and returns the fitted laws with their largest relative errors.
func (p *page) Growth(method string) (text string, err error) {
	var shown string
	for _, f := range p.solved(growthFigures[method]) {
		if err := viz.Draw(f.chart()).Save(filepath.Join(p.folder, f.file)); err != nil {
			return "", err
		}
		for _, c := range f.curves {
			what := f.title
			if c.name != "" {
				what += ", " + c.name
			}
			text += fmt.Sprintf("%s: seconds = %s, off by %.0f %% at most.\n\n", what, c.formula(3), 100*c.worst)
		}
		shown += fmt.Sprintf("![%s](%s)\n\n", f.title, f.file)
	}
	return text + shown, nil
}
