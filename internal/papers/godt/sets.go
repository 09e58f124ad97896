package godt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// A Set is a data set of the thesis that is at hand.
type Set struct {
	Name    string // in the thesis's tables
	Rows    int    // as the thesis prints them
	Size    string // "small" (up to 1,000 rows), "medium" (up to 10,000 rows and 200 features) or "large"
	Test    int    // test rows of a division
	Source  string // name for public.Load
	Reading string // what was chosen where the thesis doesn't say, or what differs; may be empty
}

// Sets are the sets of classes, 18 of 22. The thesis prints neither the numbers of classes nor of features rightly
// for all. Test parts have the sizes of which the printed accuracies are whole shares, which aren't always the
// printed sizes.
var Sets = parseSets(`
	Madelon | 2600 | large | 600 | madelon | official training part, tested on the official validation part
	Usps | 9298 | large | 1860 | usps_full |
	Abalone | 4177 | medium | 1253 | abalone | the class is the sex; rings dropped
	Adult | 48842 | large | 12210 | adult_full |
	Breast Cancer | 683 | small | 137 | breast-cancer-wisc | 16 rows that lack a cell dropped
	Dermatology | 366 | small | 92 | dermatology | 8 missing ages imputed
	Drug Consumption | 1885 | medium | 471 | drug_consumption | the class is the use of volatile substances
	Ecoli | 336 | small | 84 | ecoli |
	Glass | 214 | small | 43 | glass | the classes that occur
	Heart Failure | 299 | small | 60 | heart_failure | the time of follow-up dropped
	Ionosphere | 351 | small | 105 | ionosphere |
	Iris | 150 | small | 37 | iris | the printed test size
	Letter | 20000 | large | 5000 | letter |
	Movementlibras | 360 | small | 90 | libras |
	Mushroom | 8124 | medium | 2437 | mushroom | missing stalk roots imputed
	Satimages | 6435 | medium | 1287 | satimage_full |
	Segmentation | 210 | small | 53 | image-segmentation |
	Wine | 178 | small | 36 | wine |`)

// ValueSets are the sets of values, 13 of 20. The thesis names no targets. Where it was tried, the last column of the
// UCI file fits the printed errors. Test parts have the printed sizes.
var ValueSets = parseSets(`
	beijingpm | 41757 | large | 10439 | beijing_pm25 | PM2.5; rows without it dropped
	electrical grid | 8700 | medium | 2500 | electrical_grid | the stability margin; a quarter of all rows for testing
	combined cycle | 9568 | medium | 2392 | combined_cycle | the output
	air quality | 9357 | medium | 1919 | air_quality | absolute humidity; rows that have CO; −200 for missing cells
	bias correction | 7588 | medium | 1897 | bias_correction_tmax | next maximum, not minimum; without station, date
	gas turbine | 7411 | medium | 1853 | gas_turbine_2011 | the energy yield of 2011
	parkinsons | 5875 | medium | 1175 | parkinsons_telemonitoring | PPE; with the total score, not the motor score
	energy efficiency | 768 | small | 192 | energy_cooling | the cooling load; without the heating load
	Istanbul stock exchange | 536 | small | 134 | istanbul_stock | the index of emerging markets; a centred copy
	forest fires | 517 | small | 129 | forest_fires | the burnt area; month and day are categories
	auto mpg | 392 | small | 98 | auto_mpg | miles per gallon; without year and origin; 6 rows dropped
	computer hardware | 209 | small | 52 | computer_hardware | the published performance; without the estimated one
	ale | 107 | small | 27 | ale_localization | the mean error, without its standard deviation`)

func parseSets(text string) (sets []Set) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		cells := strings.Split(line, "|")
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(cell)
		}
		s := Set{Name: cells[0], Size: cells[2], Source: cells[4], Reading: cells[5]}
		if _, err := fmt.Sscan(cells[1]+" "+cells[3], &s.Rows, &s.Test); err != nil {
			panic(err)
		}
		sets = append(sets, s)
	}
	return sets
}

// names returns the names of sets of a size, or of all if size is "".
func names(sets []Set, size string) (names []string) {
	for _, s := range sets {
		if size == "" || s.Size == size {
			names = append(names, s.Name)
		}
	}
	return names
}

// divided lists the runs of methods on divisions of sets, as many as are given for small, medium and large ones.
func divided(sets []Set, small, medium, large int, methods ...string) (grids []paper.Grid) {
	repeats := []int{small, medium, large}
	for i, size := range []string{"small", "medium", "large"} {
		if repeats[i] > 0 {
			grids = append(grids, paper.Grid{Problems: names(sets, size), Methods: methods, Repeats: repeats[i]})
		}
	}
	return grids
}

const (
	lacks       = "Combined, Poker, Acoustic, Gisette"
	lacksValues = "mcev10, mcev100, mcev1000, concrete, 3d aeroplane, airfoil self noise, can combustion"
)

// Sizes is tables 3.1 and 3.8: the sizes of the data sets at hand.
var Sizes = paper.Experiment{Name: "godtsets", File: paper.SizesFile,
	Grids: []paper.Grid{{Problems: append(names(Sets, ""), names(ValueSets, "")...), Methods: []string{"GODT"}}}}

var setsFigures = []paper.Figure{
	noted("misprints: the sources have 10 classes in Usps, 26 in Letter, 6 in Satimages, 15 in Movementlibras, 8 in "+
		"Ecoli and 2 in Heart Failure", ofSets("Table 3.1", "sets of classes", 22, Sets, lacks, "features", "classes")),
	noted("the thesis doesn't name the targets, nor the columns that it leaves out",
		ofSets("Table 3.8", "sets of values", 20, ValueSets, lacksValues, "features")),
}

// ofSets is a table of data sets, with our reading of each. There is a claim for each column but the test rows.
func ofSets(name, shows string, printed int, sets []Set, lacks string, columns ...string) paper.Figure {
	of := paper.Part{Experiment: &Sizes, Problems: names(sets, ""), Methods: []string{"GODT"}}
	sizes := paper.SizesTable{Of: of, File: file(strings.TrimPrefix(name, "Table "))}
	f := paper.Figure{Name: name, Shows: shows, Place: "godt#Tables 3.1 and 3.8: the data sets",
		Paper: paper.Protocol{Sets: printed}, Lacks: lacks, Of: []paper.Part{of}}
	for _, c := range columns {
		sizes.Columns = append(sizes.Columns, paper.Size{Name: c, Printed: []string{c}})
	}
	sizes.Columns = append(sizes.Columns, paper.Size{Name: "rows", Printed: []string{"training", "testing"}},
		paper.Size{Name: "test", Printed: []string{"testing"}})
	for j, c := range sizes.Columns[:len(columns)+1] {
		f.Claims = append(f.Claims, paper.Claim{Says: "sets with other " + c.Name + " than printed", Find: sizes.Differ(j)})
	}
	f.Draw = func(r *paper.Results) paper.Drawing {
		t := sizes.Table(r)
		t.Columns = append(t.Columns, "our reading")
		for i, row := range t.Rows {
			at := slices.IndexFunc(sets, func(s Set) bool { return s.Name == row[0] })
			t.Rows[i] = append(row, sets[at].Reading)
		}
		return paper.Draw(nil, t)
	}
	return f
}
