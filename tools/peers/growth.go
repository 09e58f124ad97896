package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// A figure is a plot of training time against one variable.
type figure struct {
	jobs, file, axis string                              // jobs: how their names begin
	log              bool                                // draw on logarithmic axes
	of               func(summary) (title string, x int) // x is the variable
	curves           []curve
	title            string
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

// sporfFigures have one curve each.
func sporfFigures() []figure {
	const title = "SPORF on trunk, p = %d, %s, 1 thread, %s = %d"
	return []figure{{
		jobs: "growth-n", file: "growth-rows.png", axis: "training rows n", log: true,
		of: func(s summary) (string, int) {
			return fmt.Sprintf(title, s.Features, plural(s.Trees, "tree"), "d", s.Directions), s.Rows
		},
		curves: []curve{{contender: "obliqua-sporf", law: "n log₂² n",
			term: func(n float64) float64 { return n * math.Log2(n) * math.Log2(n) }}},
	}, {
		jobs: "growth-d", file: "growth-directions.png", axis: "candidate directions a node d",
		of: func(s summary) (string, int) {
			return fmt.Sprintf(title, s.Features, plural(s.Trees, "tree"), "n", s.Rows), s.Directions
		},
		curves: []curve{{contender: "obliqua-sporf", law: "d", term: func(d float64) float64 { return d }}},
	}}
}

// grafFigures have a curve for K = M and one for K = 1 each.
func grafFigures() []figure {
	const title = "GRAF on trunk, %s = %d, %s, 1 thread"
	curves := func(law string) []curve {
		return []curve{{contender: "obliqua-graf", name: "K = M", law: law},
			{contender: "obliqua-graf-1", name: "K = 1", law: law}}
	}
	return []figure{{
		jobs: "graf-n", file: "graf-rows.png", axis: "training rows n", log: true, curves: curves("n"),
		of: func(s summary) (string, int) {
			return fmt.Sprintf(title, "p", s.Features, plural(s.Trees, "tree")), s.Rows
		},
	}, {
		jobs: "graf-p", file: "graf-features.png", axis: "features p = M", log: true, curves: curves("p"),
		of: func(s summary) (string, int) {
			return fmt.Sprintf(title, "n", s.Rows, plural(s.Trees, "tree")), s.Features
		},
	}}
}

// solved returns the figures with their measurements and laws, without those that have a curve of fewer than three
// points.
func (r results) solved(figures []figure) (solved []figure) {
	for _, f := range figures {
		few := false
		for k := range f.curves {
			c := &f.curves[k]
			for _, job := range r.jobs {
				if s, ok := r.at(job, c.contender, 1); ok && strings.HasPrefix(job.name, f.jobs) {
					title, x := f.of(s)
					f.title = "Training of " + title
					c.x, c.y = append(c.x, float64(x)), append(c.y, s.fit)
				}
			}
			if few = few || len(c.x) < 3; !few {
				c.solve()
			}
		}
		if !few {
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
	for _, f := range p.solved(growthFigures[method]()) {
		if err := save(f.draw(), nil, 640, 420, filepath.Join(p.folder, f.file)); err != nil {
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

var growthFigures = map[string]func() []figure{"SPORF": sporfFigures, "GRAF": grafFigures}
