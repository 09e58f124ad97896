package godt

import (
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

const variantsAt = "godt#Tables A.1 to A.3, A.8, A.9, A.13 and A.14: variants"

const (
	random   = "random start"
	plusPlus = "K-means++ start"
)

var variants = []paper.Figure{
	noted("full covariances lose less here: 3 points on Satimages and 16 on Wine, where 23 and 33 are printed",
		variant("Table A.1", "covariance of GODT: accuracy", &Trees, "diagonal", "full", "GODT", "GODT, full covariance")),
	variant("Table A.2", "starts of GODT: accuracy", &Trees, "initialised", "random", "GODT", "GODT, "+random),
	variant("Table A.3", "starts of GODT: times", &Fits, "initialised", "random", "GODT", "GODT, "+random),
	noted("one division, with the settings that its validation rows choose for the initialised forest",
		variant("Table A.8", "starts of GORF: accuracy", &Fits, "initialised", "random", "GORF, tuned", randomForest)),
	variant("Table A.9", "starts of GORF: times", &Fits, "initialised", "random", "GORF, tuned", randomForest),
	noted(rescale, variant("Table A.13", "covariance of GQDT", &Scaled, "full", "diagonal", scaled,
		scaled+", diagonal covariance")),
	noted(rescale+"; the start is K-means++, as MATLAB has it, since two random rows lose far more",
		variant("Table A.14", "starts of GQDT", &Scaled, "initialised", "random", scaled, scaled+", "+plusPlus)),
	ours("K-means++", variant("Table A.2", "starts of GODT: accuracy", &Trees, "initialised", "random", "GODT",
		"GODT, "+plusPlus)),
	ours("relative β", variant("Table A.13", "covariance of GQDT, full ones with a relative β", &Quadratic, "full",
		"diagonal", relative, "GQDT, diagonal covariance")),
	ours("unscaled", variant("Table A.13", "covariance of GQDT on features as they are", &Quadratic, "full", "diagonal",
		"GQDT", "GQDT, diagonal covariance")),
	ours("unscaled", variant("Table A.14", "starts of GQDT on features as they are: two random rows", &Quadratic,
		"initialised", "random", "GQDT", "GQDT, "+random)),
	ours("random rows", variant("Table A.14", "starts of GQDT on scaled features: two random rows", &Scaled, "initialised",
		"random", scaled, scaled+", "+random)),
}

// ours is another reading of a table beside the item's.
func ours(reading string, f paper.Figure) paper.Figure {
	f.Name, f.Ours = f.Name+", "+reading, true
	return f
}

// onMadelon are the variants that are in [Madelon].
var onMadelon = map[string]string{"GODT, full covariance": "shared full", "GODT, random start": "random start"}

// experimentOf returns the experiment that has a variant of what an experiment has.
func experimentOf(method string, usual *paper.Experiment) *paper.Experiment {
	switch {
	case usual == &Fits:
		return usual
	case strings.HasPrefix(method, scaled) || strings.HasSuffix(method, plusPlus):
		return &Scaled
	}
	return &Variants
}

// isFitted reports whether [Fits] has a method.
func isFitted(method string) bool {
	return slices.ContainsFunc(Fits.Grids, func(g paper.Grid) bool { return slices.Contains(g.Methods, method) })
}

// variant is a table of the thesis's default, the first column, and of something else: accuracies, of which it claims
// that the default's are higher, and seconds, as far as the table has them.
func variant(name, shows string, e *paper.Experiment, first, second, usual, other string) paper.Figure {
	f := paper.Figure{Name: name, Shows: shows, Place: variantsAt, Note: machine, Of: append(of(e, usual),
		of(experimentOf(other, e), other)...), Paper: paper.Protocol{Sets: len(five), Repeats: 10}}
	f.Of[0].Problems = names(five, "")
	if method := onMadelon[other]; method != "" && e != &Fits {
		f.Of = append(f.Of, of(&Madelon, method)...)
	}
	pair := named(name)
	pair.fits = e == &Fits
	pair.columns = []string{first, second}
	pair.methods = map[string][]string{first: {usual}, second: {other, onMadelon[other]}}
	if pair.number == "A.8" { // has no deviations
		f.Paper.Repeats = 1
	}
	switch pair.number {
	case "A.3", "A.9": // have seconds only
	case "A.13": // where neither is the better
		f.Claims = []paper.Claim{pair.within(first), pair.within(second), pair.leads(paper.Same, first, second)}
	case "A.1", "A.2", "A.14": // where a mean would hide single sets
		f.Claims = []paper.Claim{pair.within(first), pair.within(second), pair.leads(paper.Above, first, second)}
	default:
		f.Claims = []paper.Claim{pair.leads(paper.Above, first, second)}
	}
	f.Draw = func(r *paper.Results) (d paper.Drawing) {
		tables := []table{pair}
		if isFitted(usual) && isFitted(other) {
			slow := pair
			slow.seconds, slow.columns = true, []string{first + " seconds", second + " seconds"}
			slow.methods = map[string][]string{slow.columns[0]: {usual}, slow.columns[1]: {other}}
			tables = append(tables, slow)
		}
		for _, t := range tables {
			if slices.Contains(r.Printed(file(t.number)).Columns, t.columns[0]) {
				d.Tables = append(d.Tables, t.beside(r).Table())
			}
		}
		return d
	}
	return f
}
