package nb

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/doubts"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/viz"
)

const (
	mostListed   = 80      // columns of a table's card
	mostDrawn    = 100_000 // rows that distinct values and histograms are of
	mostBins     = 20      // of a histogram
	mostColoured = 6       // classes of a histogram that has a colour for each
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
	part := drawnRows(d, min(aloneRows, max(fewestRows, aloneCells/d.P())))
	explained := explainAlone(part)
	warnings := warningPart(doubts.Of(d))
	for j, share := range explained {
		if share > suspicious {
			warnings = append(warnings, fmt.Sprintf("Column %q alone explains %.0f %% of the target. "+
				"Is it known when a prediction is wanted? If not, leave it out.", d.Features[j].Name, 100*share))
		}
	}
	parts := []cardPart{tableFacts(d, columns), warnings}
	if d.Labels != nil {
		parts = append(parts, classBars(d))
	}
	return Card{cmp.Or(plain.Name(d.Name), "A table"),
		append(parts, columnTable(d, columns, explained, part.N()), foldPart{"First rows", []cardPart{headOf(d)}})}
}

// drawnRows returns d or, if it has more rows than that, as many of them, drawn at random.
func drawnRows(d *datasets.Dataset, most int) *datasets.Dataset {
	if d.N() <= most {
		return d
	}
	return d.Subset(ordered.Drawn(most, d.N()))
}

// tableFacts says how large a table is, and what its target is.
func tableFacts(d *datasets.Dataset, columns []column) factPart {
	numbers, missing := 0, 0
	for j, c := range columns {
		if d.Features[j].Categories == nil {
			numbers++
		}
		missing += c.missing
	}
	var facts factPart
	facts.add("rows", "%d", d.N())
	facts.add("columns", "%d: %d of numbers, %d of categories", d.P(), numbers, d.P()-numbers)
	facts.add("missing cells", "%.2g %%", 100*float64(missing)/float64(d.N())/float64(d.P()))
	switch {
	case d.Values != nil:
		facts.add("target", "%s, from %.4g to %.4g", plain.Name(d.Target), slices.Min(d.Values), slices.Max(d.Values))
		mean, deviation := moments(d.Values)
		facts.add("guessing", "the mean, %s, has a root mean squared error of %s", amount(mean), amount(deviation))
	case d.Labels != nil:
		facts.add("target", "%s, of %d classes", plain.Name(d.Target), len(d.Classes))
		facts.add("guessing", "the largest class errs on %.1f %% of the rows", 100-100*slices.Max(classShares(d)))
	}
	return facts
}

// moments returns the mean and the standard deviation of values, of which even the squares of the largest float64 don't
// become infinite.
func moments(values []float64) (mean, deviation float64) {
	unit := max(slices.Max(values), -slices.Min(values))
	if unit == 0 {
		return 0, 0
	}
	scaled := make([]float64, len(values))
	for i, v := range values {
		scaled[i] = v / unit
	}
	mean, variance := stat.PopMeanVariance(scaled, nil)
	return mean * unit, math.Sqrt(variance) * unit
}

// classShares returns the share of each class in the rows.
func classShares(d *datasets.Dataset) []float64 {
	shares := make([]float64, len(d.Classes))
	for k, n := range d.ClassCounts() {
		shares[k] = float64(n) / float64(d.N())
	}
	return shares
}

// classBars returns the sizes of the largest classes, in the colours of histograms.
func classBars(d *datasets.Dataset) barPart {
	shares := classShares(d)
	bars := largestBars("Classes, with their shares of the rows", d.Classes, shares)
	for _, k := range ordered.Largest(shares)[:len(bars.Names)] {
		if len(shares) > mostColoured {
			k = 0 // all have the same colour
		}
		bars.colours = append(bars.colours, colourOf(k))
	}
	return bars
}

// colourOf returns the colour of a class, which is that of charts.
func colourOf(class int) string {
	c := viz.Palette[class]
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}

// A column is what a card says of a column.
type column struct {
	missing  int
	distinct int
	span     string                  // what the cells are, in words
	bins     [][mostColoured]float64 // rows of the histogram's bins by class, or all as the first
	tallest  float64                 // rows of the largest bin
}

func newColumn(d, drawn *datasets.Dataset, j int) (c column) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range d.Column(nil, j) {
		if v != v {
			c.missing++
		} else {
			low, high = min(low, float64(v)), max(high, float64(v))
		}
	}
	cells := drawn.Column(nil, j)
	sorted := slices.DeleteFunc(slices.Clone(cells), func(v float32) bool { return v != v })
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return c
	}
	text := func(cell float32) string { return d.Features[j].Scale.Text(d.Features[j].Scale.Value(cell)) }
	if d.Features[j].Scale == (datasets.Scale{}) {
		text = func(cell float32) string { return fmt.Sprintf("%.6g", cell) }
	}
	c.span = fmt.Sprintf("%s to %s, half from %s to %s", text(float32(low)), text(float32(high)), text(sorted[n/4]),
		text(sorted[3*n/4]))
	values := slices.Compact(slices.Clone(sorted))
	c.distinct = len(values)
	if categories := d.Features[j].Categories; categories != nil {
		counts := make([]float64, len(categories))
		for _, v := range sorted {
			counts[int(v)]++
		}
		var shares []string
		for i, k := range ordered.Largest(counts)[:len(values)] {
			values[i] = float32(k)
			if i < 3 {
				shares = append(shares, fmt.Sprintf("%s %.0f %%", plain.Short(categories[k], cellLength),
					100*counts[k]/float64(n)))
			}
		}
		c.span = strings.Join(shares, ", ")
	} else if len(values) > mostBins {
		values = nil // bins are intervals
	}
	place := map[float32]int{}
	for i, v := range values {
		place[v] = i
	}
	c.bins = make([][mostColoured]float64, min(mostBins, cmp.Or(len(values), mostBins)))
	for i, v := range cells {
		if v != v {
			continue
		}
		bin, class := place[v], int32(0)
		if values == nil { // infinite cells are in the outer bins
			bin = max(0, min(mostBins-1, int(mostBins*(float64(v)-low)/(high-low))))
		}
		if d.Labels != nil && len(d.Classes) <= mostColoured {
			class = drawn.Labels[i]
		}
		if bin < len(c.bins) {
			c.bins[bin][class]++
			c.tallest = max(c.tallest, floats.Sum(c.bins[bin][:]))
		}
	}
	return c
}

// text returns the histogram as a line of blocks.
func (c column) text() (line string) {
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	for _, rows := range c.bins {
		line += string(blocks[int(math.Ceil(8*floats.Sum(rows[:])/c.tallest))])
	}
	return line
}

// svg returns the histogram as a picture, with the classes of each bin stacked.
func (c column) svg() string {
	const wide, high = 7, 26
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%s">`,
		wide*mostBins, high, escaped(c.span))
	base := make([]float64, len(c.bins))
	for class := range mostColoured {
		path := ""
		for bin, rows := range c.bins {
			if height := high * rows[class] / c.tallest; height > 0 {
				path += fmt.Sprintf("M%d %.1fh%dv-%.1fh-%[3]dz", wide*bin, high-base[bin], wide-1, height)
				base[bin] += height
			}
		}
		if path != "" {
			fmt.Fprintf(&b, `<path fill="%s" d="%s"/>`, colourOf(class), path)
		}
	}
	return b.String() + "</svg>"
}

// explainAlone says how much each column explains of the target without any other: the share by which ten small trees
// on that column lower the out-of-bag loss of guessing each class by its share, or the mean. The loss is the Brier
// score or, for values, the mean squared error. Rows count alike, whatever their weights. The shares are nil if there
// is nothing to explain, and NaN for columns that nothing can be grown on.
func explainAlone(d *datasets.Dataset) []float64 {
	guess := 0.0
	if d.Values != nil {
		guess = stat.PopVariance(d.Values, nil)
	} else if d.Labels != nil {
		shares := classShares(d)
		guess = 1 - floats.Dot(shares, shares)
	}
	if !(guess > 0) || math.IsInf(guess, 1) {
		return nil
	}
	shares := make([]float64, d.P())
	leaf := max(2, d.N()/40)
	learner := forest.Pipeline(rf.Learner{Trees: 10, Growth: forest.Growth{MinLeaf: leaf}}, datasets.Prepare{})
	parallel.For(d.P(), func(j int) {
		shares[j] = math.NaN()
		one := d.Select(j)
		one.Weights = nil
		model, err := learner.Fit(Context(), one)
		if err != nil {
			return // it is constant in these rows, for instance
		}
		oob, err := model.OutOfBag(Context(), one)
		if err != nil {
			return
		}
		loss := 0.0
		for _, r := range oob.Rows {
			if d.Values != nil {
				loss += math.Pow(oob.Values[r]-d.Values[r], 2)
			} else {
				loss += eval.Brier(oob.Proba[r:r+1], d.Labels[r:r+1])
			}
		}
		shares[j] = max(0, 1-loss/float64(len(oob.Rows))/guess)
	})
	Must(Context().Err())
	return shares
}

// columnTable returns a row a column. Of many columns it has those that explain most.
func columnTable(d *datasets.Dataset, columns []column, explained []float64, rows int) viz.Table {
	order := make([]float64, d.P())
	if d.P() > mostListed && explained != nil {
		order = explained
	}
	listed := ordered.Largest(order)[:min(mostListed, d.P())]
	t := viz.Table{Plain: true, Sorts: true,
		Columns: []string{"column", "histogram", "explains", "type", "missing", "distinct", "range, or most frequent"}}
	for _, j := range listed {
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
	t.Drawn = func(i, j int) string {
		if c := columns[listed[i]]; j == 1 && c.bins != nil {
			return c.svg()
		}
		return ""
	}
	if d.P() > mostListed {
		t.Note = fmt.Sprintf("%d of %d columns are listed. ", mostListed, d.P())
	}
	if d.N() > mostDrawn {
		t.Note += fmt.Sprintf("All but missing cells and ranges is that of %d rows, drawn at random. ", mostDrawn)
	}
	if explained != nil {
		t.Note += fmt.Sprintf("What a column explains by itself is the share of the target's variance (of classes: Brier "+
			"score) that small trees on it remove, of %d rows that the trees haven't seen.", rows)
	}
	return t
}

// headOf returns the first rows, the target first.
func headOf(d *datasets.Dataset) viz.Table {
	t := viz.Table{Plain: true, Columns: []string{plain.Short(d.Target, nameLength)}}
	most := min(d.P(), mostListed)
	for _, f := range d.Features[:most] {
		t.Columns = append(t.Columns, plain.Short(f.Name, nameLength))
	}
	for i := range min(firstRows, d.N()) {
		row := []string{""}
		switch {
		case d.Labels != nil:
			row[0] = plain.Short(d.Classes[d.Labels[i]], cellLength)
		case d.Values != nil:
			row[0] = fmt.Sprintf("%.6g", d.Values[i])
		}
		for j := range most {
			row = append(row, plain.Short(d.Text(i, j), cellLength))
		}
		t.Add(row...)
	}
	return t
}
