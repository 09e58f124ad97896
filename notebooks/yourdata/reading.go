// Package yourdata holds what the notebook your-data.ipynb does with a table about which nothing is known but its file
// and its target: it says what a model answers to rows that it hasn't seen, and finds rows that deserve a look.
package yourdata

import (
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/ordered"
)

// Sample returns d or, if it has more cells than that, as many of its rows, drawn at random, but
// at least 1000. So a comparison takes about the same time on any table.
func Sample(d *datasets.Dataset, cells int) *datasets.Dataset {
	rows := min(d.N(), max(1000, cells/d.P()))
	if rows == d.N() {
		return d
	}
	return d.Subset(ordered.Drawn(rows, d.N()))
}
