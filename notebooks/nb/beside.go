package nb

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// A modelOf is a forest that is shown beside a table with its columns.
type modelOf struct {
	model *forest.Forest
	table *datasets.Dataset
}

// Card returns the card of the forest, whose panel takes ranges and a typical row from the table.
func (m modelOf) Card() Card { return forestCard(m.model, m.table) }

// A laterTable is a table that is shown beside a forest and an earlier table with the same columns.
type laterTable struct{ table, earlier *datasets.Dataset }

// Card returns the card of the table, which says whether its rows differ from those of the earlier one.
func (l laterTable) Card() Card {
	c := tableCard(l.table)
	c.Parts = slices.Insert(c.Parts, 1, driftPart(l.earlier, l.table))
	return c
}

// besideTables returns the things, with forests as modelOf if there is a table with their columns. If there are more
// such tables, these are returned as laterTable.
func besideTables(things []any) []any {
	shown := slices.Clone(things)
	for i, thing := range things {
		model, ok := thing.(*forest.Forest)
		if !ok {
			continue
		}
		var first *datasets.Dataset
		for k, other := range things {
			d, isTable := other.(*datasets.Dataset)
			switch {
			case !isTable || placesOf(model, d) == nil:
			case first == nil:
				first = d
				shown[i] = modelOf{model, d}
			default:
				shown[k] = laterTable{d, first}
			}
		}
	}
	return shown
}

const (
	driftRows    = 5000 // of each table
	driftTrees   = 100
	rareByChance = 0.01 // a smaller probability is a warning
	movedColumns = 3    // that are named
)

// driftPart says whether the rows of d differ from earlier ones, by [inspect.Drift] of a random forest.
func driftPart(earlier, d *datasets.Dataset) cardPart {
	earlier, d = drawnRows(earlier, driftRows), drawnRows(d, driftRows)
	model, err := rf.Learner{Trees: driftTrees, Seed: 1}.Fit(Context(), earlier)
	Must(Context().Err())
	p := math.NaN()
	if err == nil {
		p, err = inspect.Drift(Context(), model, earlier, d)
		Must(Context().Err())
	}
	chance := fmt.Sprintf("Rows of one origin differ as much in %.2g %% of cases (inspect.Drift).", 100*p)
	switch {
	case err != nil:
		return textPart(fmt.Sprintf("Whether these rows have drifted isn't known: %v", err))
	case p > rareByChance:
		return textPart("These rows look like the first table's. " + chance)
	}
	return warningPart{"These rows have drifted from the first table's. " + chance, "What moved most: " +
		strings.Join(moved(earlier, d), ", ") + "."}
}

// moved returns the columns that differ most between two tables, and by how much.
func moved(a, b *datasets.Dataset) []string {
	distances := make([]float64, a.P())
	for j, f := range a.Features {
		distances[j] = distance(numbersOf(a, j, f.Categories), numbersOf(b, j, f.Categories), f.Categories != nil)
	}
	var names []string
	for _, j := range ordered.Largest(distances)[:min(movedColumns, len(distances))] {
		if distances[j] > 0 {
			names = append(names, fmt.Sprintf("%s (%.0f %% of the rows)", plain.Short(a.Features[j].Name, nameLength),
				100*distances[j]))
		}
	}
	return names
}

// numbersOf returns the numbers that the cells of a column stand for, since tables may have them relative to other
// offsets, and missing cells as −∞. Those of categories are their places among the given ones, or further ones.
func numbersOf(d *datasets.Dataset, j int, categories []string) []float64 {
	f, given, places := d.Features[j], map[string]int{}, []float64(nil)
	for c, name := range categories {
		given[name] = c
	}
	for c, name := range f.Categories {
		place, ok := given[name]
		if !ok {
			place = len(categories) + c
		}
		places = append(places, float64(place))
	}
	var numbers []float64
	for _, v := range d.Column(nil, j) {
		switch {
		case v != v:
			numbers = append(numbers, math.Inf(-1))
		case f.Categories != nil:
			numbers = append(numbers, places[int(v)])
		default:
			numbers = append(numbers, f.Scale.Value(v))
		}
	}
	return numbers
}

// distance returns the share of rows that would have to change for two columns to be alike: of numbers at least
// Kolmogorov and Smirnov's difference of distribution functions, of categories the total variation. Numbers
// are sorted.
func distance(a, b []float64, categories bool) float64 {
	if !categories {
		slices.Sort(a)
		slices.Sort(b)
		return stat.KolmogorovSmirnov(a, nil, b, nil)
	}
	counts := map[float64][2]float64{} // in a and in b
	for k, column := range [][]float64{a, b} {
		for _, x := range column {
			of := counts[x]
			of[k]++
			counts[x] = of
		}
	}
	variation := 0.0
	for _, x := range slices.Sorted(maps.Keys(counts)) { // in order, so that sums are rounded alike
		of := counts[x]
		variation += math.Abs(of[0]/float64(len(a))-of[1]/float64(len(b))) / 2
	}
	return variation
}
