package godt

import (
	"slices"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

const variantsPlace = "godt#Tables A.1 to A.3, A.8, A.9, A.13 and A.14: variants"

var variants = []paper.Figure{
	variant("A.1", "covariance of GODT: accuracy", "diagonal", "GODT", "full", "GODT, full covariance"),
	variant("A.2", "starts of GODT: accuracy", "initialised", "GODT", "random", "GODT, random start"),
	variant("A.3", "starts of GODT: times", "initialised", "GODT", "random", "GODT, random start"),
	variant("A.8", "starts of GORF: accuracy", "initialised", "GORF", "random", "GORF, random start"),
	variant("A.9", "starts of GORF: times", "initialised", "GORF", "random", "GORF, random start"),
	variant("A.13", "covariance of GQDT", "full", "GQDT", "diagonal", "GQDT, diagonal covariance"),
	variant("A.14", "starts of GQDT", "initialised", "GQDT", "random", "GQDT, random start"),
	{Name: "Table A.13, relative β", Shows: "covariance of GQDT, where full ones have a relative β", Place: variantsPlace,
		Ours: true, Of: append(of(&Quadratic, relative), of(&Variants, "GQDT, diagonal covariance")...),
		Draw: fullRelative.draw, Claims: []paper.Claim{fullRelative.leads(paper.Same, "diagonal", "full")}},
}

// fullRelative is table A.13 where full covariances have a β relative to the variances.
var fullRelative = table{number: "A.13", columns: []string{"full", "diagonal"},
	methods: map[string]string{"full": relative, "diagonal": "GQDT, diagonal covariance"}}

// variant is a table of the thesis's default, the first column, and of something else: accuracies, of which it claims
// that the default's are higher, and seconds, as far as the table has them.
func variant(number, shows, first, usual, second, other string) paper.Figure {
	pair := func(suffix string) table {
		columns := []string{first + suffix, second + suffix}
		return table{number: number, columns: columns, methods: map[string]string{columns[0]: usual, columns[1]: other},
			seconds: suffix != ""}
	}
	f := paper.Figure{Name: "Table " + number, Shows: shows, Place: variantsPlace, Note: machine,
		Paper: paper.Protocol{Sets: len(five), Repeats: 10}, Claims: []paper.Claim{pair("").leads(paper.Above, first, second)}}
	switch number {
	case "A.3", "A.9":
		f.Claims = nil // has seconds only
	case "A.8": // has no deviations
		f.Paper.Repeats = 1
	}
	usualRuns := map[string]*paper.Experiment{"GODT": &Trees, "GORF": &Forests, "GQDT": &Quadratic}[usual]
	f.Of = append(of(usualRuns, usual), of(&Variants, other)...)
	f.Of[0].Problems = names(five, "")
	if i := slices.Index([]string{"GODT, full covariance", "GODT, random start"}, other); i >= 0 {
		f.Of = append(f.Of, of(&Madelon, []string{"shared full", "random start"}[i])...)
	}
	f.Draw = func(r *paper.Results) (d paper.Drawing) {
		for _, t := range []table{pair(""), pair(" seconds")} {
			if slices.Contains(r.Printed(file(number)).Columns, t.columns[0]) {
				d.Tables = append(d.Tables, t.beside(r).Table())
			}
		}
		return d
	}
	return f
}
