package old

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A GODTSet is a data set of the thesis on Gaussian-mixture trees, as far as it is at hand.
type GODTSet struct {
	Name       string // in the thesis's tables
	N, P       int    // rows and features as the thesis prints them
	Classes    int    // the same; 0 for values
	Test       int    // test rows of a split
	Official   bool   // the test rows are always the last ones, the official test part
	Reading    string // what was chosen where the thesis doesn't say, or what differs; may be empty
	registered string // name for public.Load
}

// GODTSteps treat missing cells and categories, of which the thesis says only that one-hot
// coding is a standard approach. They are to be fitted to training rows.
var GODTSteps = datasets.Steps{datasets.Impute{}, datasets.OneHot{}}

// GODTSets are the classification sets of the thesis at hand, 18 of 22. It prints neither
// the numbers of classes nor of features rightly for all. Sizes of the test part are those of which
// the printed accuracies are whole shares, which aren't always the printed sizes. Madelon, Usps and
// Adult can't be downloaded: they need OBLIQUA_DATA.
func GODTSets() []GODTSet {
	return slices.Clone(godtSets)
}

// GODTValueSets are the regression sets of the thesis at hand, 13 of 20. It names no targets.
// Where it was tried, the last column of the UCI file fits the printed errors. Of the test
// part it prints sizes, nearly all a quarter of the rows.
func GODTValueSets() []GODTSet {
	return slices.Clone(godtValueSets)
}

// The columns are name, rows, features, classes (0 for values), test rows, name for public.Load, and the reading:
// what was chosen where the thesis doesn't say, or what differs.
var (
	godtSets = parseGODTSets(`
	Madelon | 2600 | 500 | 2 | 600 | madelon | the official training part, tested on the official validation part
	Usps | 9298 | 256 | 2 | 1860 | usps_full | 10 classes
	Abalone | 4177 | 7 | 3 | 1253 | abalone | the class is the sex; rings dropped
	Adult | 48842 | 14 | 2 | 12210 | adult_full |
	Breast Cancer | 683 | 9 | 2 | 137 | breast-cancer-wisc | 16 rows that lack a cell dropped
	Dermatology | 366 | 34 | 6 | 92 | dermatology | 8 missing ages imputed
	Drug Consumption | 1885 | 31 | 7 | 471 | drug_consumption | the class is the use of volatile substances
	Ecoli | 336 | 7 | 3 | 84 | ecoli | 8 classes
	Glass | 214 | 9 | 7 | 43 | glass | the 6 classes that occur
	Heart Failure | 299 | 11 | 3 | 60 | heart_failure | 2 classes; the time of follow-up dropped
	Ionosphere | 351 | 34 | 2 | 105 | ionosphere |
	Iris | 150 | 4 | 3 | 37 | iris | the printed test size
	Letter | 20000 | 16 | 16 | 5000 | letter | 26 classes
	Movementlibras | 360 | 90 | 3 | 90 | libras | 15 classes
	Mushroom | 8124 | 22 | 2 | 2437 | mushroom | missing stalk roots imputed
	Satimages | 6435 | 36 | 2 | 1287 | satimage_full | 6 classes
	Segmentation | 210 | 19 | 7 | 53 | image-segmentation |
	Wine | 178 | 12 | 3 | 36 | wine | 13 features`)
	godtValueSets = parseGODTSets(`
	beijingpm | 41757 | 11 | 0 | 10439 | beijing_pm25 | the concentration of PM2.5; rows without it dropped
	electrical grid | 8700 | 14 | 0 | 2500 | electrical_grid | the stability margin, a number; 12 features; a
		quarter of all 10,000 rows for testing
	combined cycle | 9568 | 5 | 0 | 2392 | combined_cycle | the output; 4 features
	air quality | 9357 | 10 | 0 | 1919 | air_quality | absolute humidity, with −200 for missing cells; 12
		features; the 7,674 rows that have the concentration of CO
	bias correction | 7588 | 25 | 0 | 1897 | bias_correction_tmax | the next day's maximum, not the minimum in the
		last column; 21 features, without station and date
	gas turbine | 7411 | 12 | 0 | 1853 | gas_turbine_2011 | the energy yield; 10 features; the year 2011
	parkinsons | 5875 | 22 | 0 | 1175 | parkinsons_telemonitoring | PPE; 19 features, one of them the total score,
		without subject and motor score
	energy efficiency | 768 | 10 | 0 | 192 | energy_cooling | the cooling load; 8 features, without the heating
		load
	Istanbul stock exchange | 536 | 10 | 0 | 134 | istanbul_stock | the index of emerging markets; 8 features,
		without the date; a centred copy
	forest fires | 517 | 12 | 0 | 129 | forest_fires | the burnt area; month and day are categories
	auto mpg | 392 | 5 | 0 | 98 | auto_mpg | miles per gallon, without year and origin; 6 rows that lack the
		power dropped
	computer hardware | 209 | 10 | 0 | 52 | computer_hardware | the published performance; 6 features; the
		estimated performance isn't at hand
	ale | 107 | 4 | 0 | 27 | ale_localization | the mean error, without its standard deviation`)
)

// godtReadings make the readings that change the data.
var godtReadings = map[string]func(d *datasets.Dataset) *datasets.Dataset{
	"Abalone":       func(d *datasets.Dataset) *datasets.Dataset { return as(d, "sex") },
	"Breast Cancer": whole,
	"Heart Failure": func(d *datasets.Dataset) *datasets.Dataset { return without(d, "time") },
	"air quality":   func(d *datasets.Dataset) *datasets.Dataset { return as(filled(d, -200), "AH") },
	"parkinsons":    func(d *datasets.Dataset) *datasets.Dataset { return as(d, "PPE") },
	"Istanbul stock exchange": func(d *datasets.Dataset) *datasets.Dataset {
		return without(as(d, "em"), "day", "month", "year")
	},
	"auto mpg": func(d *datasets.Dataset) *datasets.Dataset { return whole(without(d, "model", "origin")) },
}

func parseGODTSets(text string) (sets []GODTSet) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		cells := strings.SplitN(line, "|", 7)
		if len(cells) < 7 { // the rest of a reading
			sets[len(sets)-1].Reading += " " + strings.TrimSpace(line)
			continue
		}
		s := GODTSet{Name: strings.TrimSpace(cells[0]), Reading: strings.TrimSpace(cells[6]),
			registered: strings.TrimSpace(cells[5])}
		if _, err := fmt.Sscan(strings.Join(cells[1:5], " "), &s.N, &s.P, &s.Classes, &s.Test); err != nil {
			panic(err)
		}
		s.Official = s.Name == "Madelon"
		sets = append(sets, s)
	}
	return sets
}

// Load loads the set in its reading, with categories and missing cells; see [GODTSteps].
func (s GODTSet) Load(ctx context.Context) (*datasets.Dataset, error) {
	d, err := public.Load(ctx, s.registered)
	if err != nil {
		return nil, fmt.Errorf("figures: %s of the thesis: %w", s.Name, err)
	}
	if read := godtReadings[s.Name]; read != nil {
		d = read(d)
	}
	return d, nil
}

// godtStream keeps the splits apart from other random numbers of the same seed.
const godtStream = 0x6f64745f73706c69

// Split divides n rows at random into training, validation and test rows, each in ascending
// order. The test part has s.Test rows, and the validation part a fifth of the others, rounded. The
// same n and repeat give the same rows.
func (s GODTSet) Split(n int, repeat uint64) (train, validation, test []int32) {
	order := from(0, int32(n))
	others := n - s.Test
	shuffle := n
	if s.Official {
		shuffle = others
	}
	rand.New(rand.NewPCG(repeat, godtStream)).Shuffle(shuffle, func(i, j int) { order[i], order[j] = order[j], order[i] })
	cut := others - int(math.Round(float64(others)/5))
	train, validation, test = order[:cut:cut], order[cut:others:others], order[others:]
	slices.Sort(train)
	slices.Sort(validation)
	slices.Sort(test)
	return train, validation, test
}

// without returns the data without the named columns, which it must have.
func without(d *datasets.Dataset, names ...string) *datasets.Dataset {
	var keep []int
	for j, f := range d.Features {
		if !slices.Contains(names, f.Name) {
			keep = append(keep, j)
		}
	}
	if len(keep)+len(names) != d.P() {
		panic(fmt.Sprintf("figures: %s lacks one of the columns %q", d.Name, names))
	}
	return d.Select(keep...)
}

// as returns the data with a column as the target: a class or, for data of values, a value. The former target becomes
// the last feature if it is a value, and is left out if it is a class.
func as(d *datasets.Dataset, target string) *datasets.Dataset {
	c := *d
	if d.Values != nil {
		former := make([]float32, d.N())
		for i, v := range d.Values {
			former[i] = float32(v)
		}
		c.Features = append(slices.Clone(d.Features), datasets.Feature{Name: d.Target})
		c.Columns, c.Rows = append(ownColumns(d), former), nil
	}
	return must.Value(c.WithTarget(target, d.Values != nil))
}

// ownColumns returns copies of the columns of d, with its rows only.
func ownColumns(d *datasets.Dataset) (columns [][]float32) {
	for j := range d.P() {
		columns = append(columns, slices.Clone(d.Column(nil, j)))
	}
	return columns
}

// mapped returns a copy of the data with what to makes of the cells.
func mapped(d *datasets.Dataset, to func(v float32) float32) *datasets.Dataset {
	c := *d
	c.Rows, c.Columns = nil, ownColumns(d)
	for _, column := range c.Columns {
		for i, v := range column {
			column[i] = to(v)
		}
	}
	return &c
}

// filled returns the data with a number for missing cells.
func filled(d *datasets.Dataset, with float32) *datasets.Dataset {
	return mapped(d, func(v float32) float32 {
		if v != v {
			return with
		}
		return v
	})
}
