package nb

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/doubts"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/viz"
)

const (
	mostListed   = 80      // columns of a table's card
	mostDrawn    = 100_000 // rows that distinct values and histograms are of
	mostBins     = 20      // of a histogram
	mostColoured = 6       // classes of a histogram that has a colour for each
	mostClasses  = 12      // whose sizes are listed
	firstRows    = 5
	nameLength   = 40
	cellLength   = 18

	aloneRows  = 2000 // that forests on single columns are grown on, at most,
	fewestRows = 200  // and at least, and
	aloneCells = 60_000
	suspicious = 0.95 // a column that explains more of the target by itself is suspicious
)

// tableCard returns the card of a data set.
func tableCard(d *datasets.Dataset) Card {
	Must(d.Check())
	drawn := drawnRows(d, mostDrawn)
	columns := make([]column, d.P())
	parallel.For(d.P(), func(j int) { columns[j] = newColumn(d, drawn, j) })
	explained, rows := explainAlone(d)
	c := Card{Title: cmp.Or(d.Name, "A table"), Parts: []Part{tableFacts(d, columns)}}
	warnings := Warnings(doubts.Of(d))
	for j, share := range explained {
		if share > suspicious {
			warnings = append(warnings, fmt.Sprintf("Column %q alone explains %.0f %% of the target. "+
				"Is it known when a prediction is wanted? If not, leave it out.", d.Features[j].Name, 100*share))
		}
	}
	c.Parts = append(c.Parts, warnings)
	if d.Labels != nil {
		c.Parts = append(c.Parts, classBars(d))
	}
	return Card{c.Title, append(c.Parts, columnTable(d, columns, explained, rows), Fold{"First rows", []Part{headOf(d)}})}
}

// drawnRows returns d or, if it has more rows than that, as many of them, drawn at random.
func drawnRows(d *datasets.Dataset, most int) *datasets.Dataset {
	if d.N() <= most {
		return d
	}
	rows := make([]int32, most)
	rng := forest.NewRand(1)
	rng.Choose(rows, d.N())
	return d.Subset(rows)
}

// tableFacts says how large a table is, and what its target is.
func tableFacts(d *datasets.Dataset, columns []column) Facts {
	numbers, missing, holed := 0, 0, 0
	for j, c := range columns {
		if d.Features[j].Categories == nil {
			numbers++
		}
		if c.missing > 0 {
			missing, holed = missing+c.missing, holed+1
		}
	}
	facts := Facts{{"rows", fmt.Sprint(d.N())},
		{"columns", fmt.Sprintf("%d: %d of numbers, %d of categories", d.P(), numbers, d.P()-numbers)}}
	if missing > 0 {
		facts = append(facts, [2]string{"missing cells", fmt.Sprintf("%.2g %%, in %d columns",
			100*float64(missing)/float64(d.N())/float64(d.P()), holed)})
	}
	if d.Groups != nil {
		groups := slices.Compact(slices.Sorted(slices.Values(d.Groups)))
		facts = append(facts, [2]string{"groups of rows", fmt.Sprint(len(groups))})
	}
	target, guess := "", ""
	switch {
	case d.Values != nil:
		target = fmt.Sprintf("%s, from %.4g to %.4g", d.Target, slices.Min(d.Values), slices.Max(d.Values))
		guess = fmt.Sprintf("the mean, %.4g, has a root mean squared error of %.4g", stat.Mean(d.Values, nil),
			math.Sqrt(stat.PopVariance(d.Values, nil)))
	case d.Labels != nil:
		target = fmt.Sprintf("%s, of %d classes", d.Target, len(d.Classes))
		guess = fmt.Sprintf("the largest class errs on %.1f %% of the rows",
			100-100*float64(slices.Max(d.ClassCounts()))/float64(d.N()))
	default:
		return append(facts, [2]string{"target", "none"})
	}
	return append(facts, [2]string{"target", target}, [2]string{"guessing", guess})
}

// classBars returns the sizes of the largest classes, in the colours of histograms.
func classBars(d *datasets.Dataset) Bars {
	counts := d.ClassCounts()
	order := make([]int, len(counts))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	bars := Bars{Title: "Rows of each class", Format: "%.1f %%"}
	if len(order) > mostClasses {
		bars.Title, order = fmt.Sprintf("Rows of the %d largest classes", mostClasses), order[:mostClasses]
	}
	for _, k := range order {
		bars.Names = append(bars.Names, plain.Short(d.Classes[k], nameLength))
		bars.Values = append(bars.Values, 100*float64(counts[k])/float64(d.N()))
		bars.colours = append(bars.colours, colourOf(k, len(counts)))
	}
	return bars
}

// colourOf returns the colour of a class in histograms, which is that of charts. Of many classes all have the same.
func colourOf(class, classes int) string {
	if classes > mostColoured {
		class = 0
	}
	c := viz.Palette[class]
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}

// A column is what a card says of a column.
type column struct {
	missing  int
	distinct int
	span     string      // what the cells are, in words
	most     string      // where most of them are, in words
	bins     [][]float64 // rows of the histogram's bins by class
}

func newColumn(d, drawn *datasets.Dataset, j int) (c column) {
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range d.Column(nil, j) {
		if v != v {
			c.missing++
		} else {
			low, high = min(low, v), max(high, v)
		}
	}
	cells := drawn.Column(nil, j)
	sorted := slices.DeleteFunc(slices.Clone(cells), func(v float32) bool { return v != v })
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return c
	}
	quantile := func(q float64) float32 { return sorted[min(n-1, int(q*float64(n)))] }
	categories := d.Features[j].Categories
	if categories == nil {
		c.most = fmt.Sprintf("half of the cells from %.4g to %.4g", quantile(0.25), quantile(0.75))
	}
	count := func(v float32) int { // how often it is in sorted
		from, _ := slices.BinarySearch(sorted, v)
		to, _ := slices.BinarySearch(sorted, math.Nextafter32(v, float32(math.Inf(1))))
		return to - from
	}
	values := slices.Compact(slices.Clone(sorted))
	c.distinct = len(values)
	c.span = fmt.Sprintf("%.6g to %.6g", low, high)
	bin := func(v float32) int {
		return int(mostBins * (float64(v) - float64(low)) / (float64(high) - float64(low)))
	}
	bins := mostBins
	if categories != nil || len(values) <= mostBins {
		order := map[float32]int{}
		if categories != nil {
			slices.SortStableFunc(values, func(a, b float32) int { return cmp.Compare(count(b), count(a)) })
			c.span = ""
			for _, v := range values[:min(3, len(values))] {
				c.span += fmt.Sprintf(", %s %.0f %%", plain.Short(categories[int(v)], cellLength),
					100*float64(count(v))/float64(n))
			}
			c.span = strings.TrimPrefix(c.span, ", ")
			c.most = "the most frequent are " + c.span
		}
		for i, v := range values {
			order[v] = i
		}
		bins = min(mostBins, len(values))
		bin = func(v float32) int { return order[v] }
	}
	c.bins = make([][]float64, bins)
	for b := range c.bins {
		c.bins[b] = make([]float64, max(1, len(d.Classes)))
	}
	for i, v := range cells {
		if v != v {
			continue
		}
		class := int32(0)
		if d.Labels != nil && len(d.Classes) <= mostColoured {
			class = drawn.Labels[i]
		}
		if b := bin(v); b < bins || categories == nil {
			c.bins[min(max(b, 0), bins-1)][class]++ // infinite ones, too
		}
	}
	return c
}

// totals returns the rows of each bin, as shares of the largest.
func (c column) totals() []float64 {
	totals, tallest := make([]float64, len(c.bins)), 0.0
	for b, classes := range c.bins {
		for _, n := range classes {
			totals[b] += n
		}
		tallest = max(tallest, totals[b])
	}
	for b := range totals {
		totals[b] /= tallest
	}
	return totals
}

// text returns the histogram as a line of blocks.
func (c column) text() (line string) {
	blocks := []rune("▁▂▃▄▅▆▇█")
	for _, share := range c.totals() {
		if share == 0 {
			line += " "
		} else {
			line += string(blocks[int(math.Ceil(8*share))-1])
		}
	}
	return strings.TrimRight(line, " ")
}

// svg returns the histogram as a picture, with the classes of each bin stacked.
func (c column) svg() string {
	const wide, high = 7, 26
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%s">`,
		wide*mostBins, high, escaped(c.most))
	base := make([]float64, len(c.bins))
	totals := c.totals()
	for class := range c.bins[0] {
		path := ""
		for bin, counts := range c.bins {
			if counts[class] == 0 {
				continue
			}
			height := high * totals[bin] * counts[class] / stat.Mean(counts, nil) / float64(len(counts))
			path += fmt.Sprintf("M%d %.1fh%dv-%.1fh-%[3]dz", wide*bin, high-base[bin], wide-1, height)
			base[bin] += height
		}
		if path != "" {
			fmt.Fprintf(&b, `<path fill="%s" d="%s"/>`, colourOf(class, len(c.bins[0])), path)
		}
	}
	return b.String() + "</svg>"
}

// explainAlone says how much each column explains of the target without any other, and of how many rows that is the
// result: the share by which ten small trees on that column lower the out-of-bag loss of guessing each class by its
// share, or the mean. The loss is the Brier score or, for values, the mean squared error. The shares are nil if there
// is nothing to explain, and NaN for columns that nothing can be grown on.
func explainAlone(d *datasets.Dataset) (shares []float64, rows int) {
	d = drawnRows(d, min(aloneRows, max(fewestRows, aloneCells/d.P())))
	guess := 1.0
	if d.Values != nil {
		guess = stat.PopVariance(d.Values, nil)
	}
	for _, n := range d.ClassCounts() {
		guess -= math.Pow(float64(n)/float64(d.N()), 2)
	}
	if d.Labels == nil && d.Values == nil || !(guess > 0) {
		return nil, 0
	}
	shares = make([]float64, d.P())
	leaf := max(2, d.N()/40)
	learner := forest.Pipeline(rf.Learner{Trees: 10, Growth: forest.Growth{MinLeaf: leaf}}, datasets.Prepare{})
	parallel.For(d.P(), func(j int) {
		shares[j] = math.NaN()
		one := d.Select(j)
		model, err := learner.Fit(Context(), one)
		if err != nil {
			return // it is constant in these rows, for instance
		}
		oob, err := model.OutOfBag(Context(), one)
		if err != nil {
			return
		}
		one = one.Subset(oob.Rows)
		var proba [][]float64
		var values []float64
		for _, r := range oob.Rows {
			if d.Values != nil {
				values = append(values, oob.Values[r])
			} else {
				proba = append(proba, oob.Proba[r])
			}
		}
		loss := 0.0
		if d.Values != nil {
			loss = eval.MSE(values, one.Values)
		} else {
			loss = eval.Brier(proba, one.Labels)
		}
		shares[j] = max(0, 1-loss/guess)
	})
	Must(Context().Err())
	return shares, d.N()
}

// columnTable returns a row a column. Of many columns it has those that explain most.
func columnTable(d *datasets.Dataset, columns []column, explained []float64, rows int) Table {
	order := make([]int, d.P())
	for j := range order {
		order[j] = j
	}
	var notes []string
	if len(order) > mostListed {
		if explained != nil {
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(explained[b], explained[a]) })
		}
		order = order[:mostListed]
		notes = append(notes, fmt.Sprintf("%d of %d columns are listed.", mostListed, d.P()))
	}
	t := Table{Plain: true, sorts: true,
		Columns: []string{"column", "histogram", "explains", "type", "missing", "distinct", "range, or most frequent"}}
	for _, j := range order {
		c, kind, missing, share := columns[j], "numbers", "", ""
		if d.Features[j].Categories != nil {
			kind = "categories"
		}
		if c.missing > 0 {
			missing = fmt.Sprintf("%.2g %%", 100*float64(c.missing)/float64(d.N()))
		}
		if explained != nil && explained[j] == explained[j] {
			share = fmt.Sprintf("%.0f %%", 100*explained[j])
		}
		t.Add(plain.Short(d.Features[j].Name, nameLength), c.text(), share, kind, missing, fmt.Sprint(c.distinct), c.span)
	}
	t.drawn = func(i, j int) string {
		if c := columns[order[i]]; j == 1 && c.bins != nil {
			return c.svg()
		}
		return ""
	}
	if d.N() > mostDrawn {
		notes = append(notes, fmt.Sprintf("Distinct values, frequencies and histograms are those of %d rows, drawn at "+
			"random.", mostDrawn))
	}
	if explained != nil {
		of := "variance"
		if d.Labels != nil {
			of = "uncertainty (Brier score)"
		}
		notes = append(notes, fmt.Sprintf("What a column explains by itself is the share of the target's %s that small "+
			"trees on it remove, of %d rows, out of bag.", of, rows))
	}
	t.Note = strings.Join(notes, " ")
	return t
}

// headOf returns the first rows, the target first.
func headOf(d *datasets.Dataset) Table {
	t := Table{Plain: true}
	if d.Labels != nil || d.Values != nil {
		t.Columns = append(t.Columns, plain.Short(cmp.Or(d.Target, "target"), nameLength))
	}
	most := min(d.P(), mostListed)
	for _, f := range d.Features[:most] {
		t.Columns = append(t.Columns, plain.Short(f.Name, nameLength))
	}
	for i := range min(firstRows, d.N()) {
		var row []string
		switch {
		case d.Labels != nil:
			row = append(row, plain.Short(d.Classes[d.Labels[i]], cellLength))
		case d.Values != nil:
			row = append(row, fmt.Sprintf("%.4g", d.Values[i]))
		}
		for j := range most {
			row = append(row, plain.Short(d.Text(i, j), cellLength))
		}
		t.Add(row...)
	}
	return t
}
