package nb

import (
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/viz"
)

// A Card says what something is, in parts. [Show] displays it as one output of a cell: as HTML, and as text where HTML
// isn't shown.
type Card struct {
	Title string // may be ""
	Parts []cardPart
}

// A cardPart is a textPart, factPart, warningPart, barPart, foldPart or [viz.Table]. Whatever it holds is text, also if
// it looks like HTML.
type cardPart interface {
	HTML() string   // a fragment of a page
	String() string // the same as text
}

//go:embed card.css
var cardStyle string

//go:embed card.js
var cardScript string

// HTML returns the card as a fragment of a page, which needs no network and no other file. It has the colours of the
// page around it, light or dark. Its script sorts tables; without it they can be read all the same.
func (c Card) HTML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<article class=\"obliqua-card\" aria-label=\"%s\">\n<style>\n%s</style>\n",
		escaped(c.Title), cardStyle)
	if c.Title != "" {
		fmt.Fprintf(&b, "<h3>%s</h3>\n", escaped(c.Title))
	}
	for _, part := range c.Parts {
		b.WriteString(part.HTML())
	}
	fmt.Fprintf(&b, "<script>{\n%s}</script>\n</article>\n", cardScript)
	return b.String()
}

// String returns the card as text.
func (c Card) String() string {
	var b strings.Builder
	if c.Title != "" {
		fmt.Fprintf(&b, "%s\n\n", plain.Text(c.Title))
	}
	for _, part := range c.Parts {
		before := b.Len()
		b.WriteString(part.String())
		if b.Len() > before {
			b.WriteByte('\n')
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// escaped returns a text as HTML shows it.
func escaped(text string) string { return html.EscapeString(plain.Text(text)) }

// A textPart is a part that is read: paragraphs, one a line.
type textPart string

// HTML returns the text as a fragment of a page.
func (t textPart) HTML() string {
	var b strings.Builder
	for line := range strings.SplitSeq(string(t), "\n") {
		fmt.Fprintf(&b, "<p>%s</p>\n", escaped(line))
	}
	return b.String()
}

// String returns the text as text.
func (t textPart) String() string {
	var b strings.Builder
	for line := range strings.SplitSeq(string(t), "\n") {
		fmt.Fprintln(&b, plain.Text(line))
	}
	return b.String()
}

// factPart is a part of names with what they are, such as {"rows", "150"}.
type factPart [][2]string

func (f *factPart) add(name, format string, values ...any) {
	*f = append(*f, [2]string{name, fmt.Sprintf(format, values...)})
}

// HTML returns the facts as a fragment of a page.
func (f factPart) HTML() string {
	var b strings.Builder
	b.WriteString("<dl>")
	for _, fact := range f {
		value := escaped(fact[1])
		if strings.HasPrefix(value, repository) {
			value = fmt.Sprintf("<a href=\"%s\">%[1]s</a>", value)
		}
		fmt.Fprintf(&b, "<dt>%s</dt><dd>%s</dd>\n", escaped(fact[0]), value)
	}
	b.WriteString("</dl>\n")
	return b.String()
}

// String returns the facts as text.
func (f factPart) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, fact := range f {
		fmt.Fprintf(w, "%s\t%s\n", plain.Text(fact[0]), plain.Text(fact[1]))
	}
	w.Flush()
	return b.String()
}

// warningPart is a part of sentences about what may be wrong.
type warningPart []string

// HTML returns the warnings as a fragment of a page.
func (w warningPart) HTML() string {
	var b strings.Builder
	if len(w) == 0 {
		return ""
	}
	b.WriteString(`<ul aria-label="Warnings">`)
	for _, sentence := range w {
		fmt.Fprintf(&b, "<li>%s</li>\n", escaped(sentence))
	}
	b.WriteString("</ul>\n")
	return b.String()
}

// String returns the warnings as text.
func (w warningPart) String() string {
	var b strings.Builder
	for _, sentence := range w {
		fmt.Fprintf(&b, "! %s\n", plain.Text(sentence))
	}
	return b.String()
}

// barPart is a part that shows sizes.
type barPart struct {
	Title  string
	Names  []string
	Values []float64 // negative ones have no bar
	Format string    // of a value, such as "%.2f"

	colours []string // of each bar, nil for one colour
}

// mostBars is the most bars of largest shares.
const mostBars = 10

// largestBars returns bars of the largest shares, in percent.
func largestBars(title string, names []string, shares []float64) barPart {
	bars := barPart{Title: title, Format: "%4.1f %%"}
	for _, k := range ordered.Largest(shares)[:min(mostBars, len(shares))] {
		bars.Names = append(bars.Names, plain.Short(names[k], wordsLength))
		bars.Values = append(bars.Values, 100*shares[k])
	}
	return bars
}

// bar returns a bar's value as text, and its length from 0 to 1.
func (s barPart) bar(i int) (value string, length float64) {
	if v := s.Values[i]; v > 0 {
		length = v / slices.Max(s.Values)
	}
	return fmt.Sprintf(s.Format, s.Values[i]), length
}

// HTML returns the bars as a fragment of a page.
func (s barPart) HTML() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<table class="bars"><caption>%s</caption><tbody>`, escaped(s.Title))
	for i, name := range s.Names {
		value, length := s.bar(i)
		colour := ""
		if s.colours != nil {
			colour = ";background:" + s.colours[i]
		}
		fmt.Fprintf(&b, "<tr><th scope=\"row\">%s</th><td>%s</td>"+
			"<td aria-hidden=\"true\"><span class=\"bar\" style=\"width:%.1f%%%s\"></span></td></tr>\n",
			escaped(name), escaped(value), 100*length, colour)
	}
	b.WriteString("</tbody></table>\n")
	return b.String()
}

// String returns the bars as text.
func (s barPart) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, plain.Text(s.Title))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i, name := range s.Names {
		value, length := s.bar(i)
		fmt.Fprintf(w, "%s\t%s\t%s\n", plain.Text(name), value, strings.Repeat("█", int(20*length+0.5)))
	}
	w.Flush()
	return b.String()
}

// A foldPart is a part with a title, below which others can be unfolded.
type foldPart struct {
	Title string
	Parts []cardPart
}

// HTML returns the part as a fragment of a page.
func (f foldPart) HTML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s</summary>\n", escaped(f.Title))
	for _, part := range f.Parts {
		b.WriteString(part.HTML())
	}
	b.WriteString("</details>\n")
	return b.String()
}

// String returns the part as text.
func (f foldPart) String() string {
	text := plain.Text(f.Title) + "\n"
	for _, part := range f.Parts {
		text += part.String()
	}
	return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// Show displays things as outputs of the cell: charts as [viz.Show] does, several side by side in one picture (a
// [viz.Grid]), and each other thing as a card (see [CardOf]). An evaluation has both. Of several tables with the
// columns of a forest among the things, each but the first says whether its rows have drifted from the first one's (see
// [inspect.Drift]). It panics if there is nothing to show.
func Show(things ...any) {
	var all []viz.Chart
	for _, thing := range besideTables(things) {
		card, charts := parts(thing)
		if card != nil {
			display(card.HTML(), card.String())
		}
		all = append(all, charts...)
	}
	if len(all) > 0 || len(things) == 0 {
		viz.Show(together(all))
	}
}

// together returns a chart, or a grid of several: in two columns if there are four, which leaves no gap.
func together(charts []viz.Chart) viz.Chart {
	switch len(charts) {
	case 1:
		return charts[0]
	case 4:
		return viz.Grid{Charts: charts, Columns: 2}
	}
	return viz.Grid{Charts: charts}
}

// parts returns the card of a thing, nil for a chart, and its charts.
func parts(thing any) (card *Card, charts []viz.Chart) {
	switch x := thing.(type) {
	case viz.Chart:
		return nil, []viz.Chart{x}
	case *eval.Evaluation:
		charts = evaluationCharts(x)
	}
	c := CardOf(thing)
	return &c, charts
}

// CardOf returns the card of a thing, or ends the cell if it can't be computed. It panics for what has none. There are
// cards of:
//
//   - a data set: its columns, with histograms by class and what each says about the target, and what in it may be a
//     mistake. Weights don't count, but mistakes are looked for in rows of positive weight only. Of more than 100,000
//     rows, histograms are those of as many. A million rows of 30 columns take about 0.9 s of processor time.
//   - a forest: what it is, the report of auto with the error to expect, calibration, directions and importance, and a
//     tree that unfolds, whose questions are words. In a page where scripts run there is a panel in which the cells of
//     a row can be changed, and the prediction follows; forests with quadratic splits or linear leaves have none. Its
//     ranges and typical row are those of a table with the forest's columns that [Show] shows beside it or, without
//     one, follow from thresholds and steps; a column of which nothing is known so has no slider and begins at 0. A
//     forest takes 2 MB at most there; of a larger one the panel has the first trees.
//   - a report of auto, and an assessment, an evaluation, a cross-validation, a comparison and a tuning of package
//     eval: the verdict, bars and tables.
//   - [Predictions]: the first rows.
//   - a text, a number, and what has a method String.
//   - a learner: its parameters, those that aren't the defaults in bold, the paper, and links to its pages.
//   - what has a method Card() Card, and a [Card] itself.
func CardOf(x any) Card {
	switch x := x.(type) {
	case Card:
		return x
	case cardPart:
		return Card{Parts: []cardPart{x}}
	case *datasets.Dataset:
		return tableCard(x)
	case *forest.Forest:
		return forestCard(x, nil)
	case *auto.Report:
		return Card{"What auto found", append(reportParts(x), directionBars(x.Directions))}
	case eval.Scores:
		return Card{"Cross-validation", []cardPart{tableOf(x.Table())}}
	case *eval.Assessment:
		return Card{"Beside guessing", []cardPart{textPart(x.String())}}
	case *eval.Evaluation:
		return evaluationCard(x)
	case *eval.Comparison:
		return comparisonCard(x)
	case *eval.Tuning:
		return tuningCard(x)
	case interface{ Card() Card }:
		return x.Card()
	case forest.Learner:
		return learnerCard(x)
	case string, fmt.Stringer, error, bool, int, float64:
		return Card{Parts: []cardPart{textPart(fmt.Sprint(x))}}
	}
	panic(fmt.Sprintf("nb: there is no card of a %T", x))
}
