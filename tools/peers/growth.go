package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A figure is a plot of training time against one variable.
type figure struct {
	title, file, axis string
	log               bool // draw on logarithmic axes
	curves            []curve
}

// A curve is a set of measurements and the law fitted to them.
type curve struct {
	name string                  // distinguishes it from the figure's other curves
	law  string                  // what the seconds are linear in, in words; for a power to be fitted, the variable's letter
	x, y []float64               // the variable, and seconds
	term func(x float64) float64 // the law; nil for a power to be fitted
	fit  line                    // against term(x)
}

func growthFigures(res results) []figure {
	rows := curve{law: "n log₂² n", term: nLogLog}
	directions := curve{law: "d", term: func(x float64) float64 { return x }}
	var byRows, byDirections string // titles
	for _, job := range res.jobs {
		s, ok := res.at(job, "obliqua-sporf", 1)
		if !ok || !isGrowth(job) {
			continue
		}
		what := fmt.Sprintf("Training of SPORF on trunk, p = %d, %s, 1 thread", s.Features, plural(s.Trees, "tree"))
		if job.job == growthDirections {
			byDirections = fmt.Sprintf("%s, n = %d", what, s.Rows)
			directions.add(float64(s.Directions), s.fit)
		} else {
			byRows = fmt.Sprintf("%s, d = %d", what, s.Directions)
			rows.add(float64(s.Rows), s.fit)
		}
	}
	return solved([]figure{
		{byRows, "growth-rows.png", "training rows n", true, []curve{rows}},
		{byDirections, "growth-directions.png", "candidate directions a node d", false, []curve{directions}},
	})
}

// grafFigures has a curve for K = M and one for K = 1 in each figure.
func grafFigures(res results) []figure {
	rows := figure{file: "graf-rows.png", axis: "training rows n", log: true}
	features := figure{file: "graf-features.png", axis: "features p = M", log: true}
	for _, c := range []struct{ name, contender string }{{"K = M", "obliqua-graf"}, {"K = 1", "obliqua-graf-1"}} {
		byRows, byFeatures := curve{name: c.name, law: "n"}, curve{name: c.name, law: "p"}
		for _, job := range res.jobs {
			s, ok := res.at(job, c.contender, 1)
			if !ok {
				continue
			}
			what := "Training of GRAF on trunk, %s, " + plural(s.Trees, "tree") + ", 1 thread"
			switch {
			case strings.HasPrefix(job.job, grafRows):
				rows.title = fmt.Sprintf(what, fmt.Sprint("p = ", s.Features))
				byRows.add(float64(s.Rows), s.fit)
			case strings.HasPrefix(job.job, grafFeatures):
				features.title = fmt.Sprintf(what, fmt.Sprint("n = ", s.Rows))
				byFeatures.add(float64(s.Features), s.fit)
			}
		}
		rows.curves, features.curves = append(rows.curves, byRows), append(features.curves, byFeatures)
	}
	return solved([]figure{rows, features})
}

// solved fits the laws and returns the figures, without those that have a curve of
// fewer than three points.
func solved(figures []figure) []figure {
	figures = slices.DeleteFunc(figures, func(f figure) bool {
		return slices.ContainsFunc(f.curves, func(c curve) bool { return len(c.x) < 3 })
	})
	for _, f := range figures {
		for k := range f.curves {
			f.curves[k].solve()
		}
	}
	return figures
}

func (c *curve) add(x, y float64) { c.x, c.y = append(c.x, x), append(c.y, y) }

// solve fits the law. It fits a power to the last four points only: in smaller jobs
// other costs dominate.
func (c *curve) solve() {
	if c.term == nil {
		from := max(0, len(c.x)-4)
		fit, exponent := fitPower(c.x[from:], c.y[from:])
		c.fit, c.law = fit, fmt.Sprintf("%s^%.2f (%s ≥ %g)", c.law, exponent, c.law, c.x[from])
		c.term = func(x float64) float64 { return math.Pow(x, exponent) }
		return
	}
	terms := make([]float64, len(c.x))
	for i, x := range c.x {
		terms[i] = c.term(x)
	}
	c.fit = fitLine(terms, c.y)
}

// formula returns the fitted law, its coefficients with the given number of digits.
func (c curve) formula(digits int) string {
	if c.fit.a == 0 {
		return fmt.Sprintf("%.*g · %s", digits, c.fit.b, c.law)
	}
	return fmt.Sprintf("%.*g + %.*g · %s", digits, c.fit.a, digits, c.fit.b, c.law)
}

// growth writes the fitted laws with their largest relative errors, then the figures.
func (p *page) growth(figures []figure) {
	for _, f := range figures {
		for _, c := range f.curves {
			what := f.title
			if c.name != "" {
				what += ", " + c.name
			}
			p.text("%s: seconds = %s, off by %.0f %% at most.", what, c.formula(3), 100*c.fit.worst)
		}
	}
	for _, f := range figures {
		p.text("![%s](%s)", f.title, f.file)
	}
}
