package nb

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/viz"
)

// Predictions are what a model says of rows.
type Predictions struct {
	Rows    *datasets.Dataset
	Classes []string    // nil for values
	Labels  []int32     // predicted class by row
	Proba   [][]float64 // by row and class
	Values  []float64   // predicted value by row; nil for classes
}

// Predict returns what the model says of rows, whose target isn't needed, or ends the cell.
func Predict(model *forest.Forest, d *datasets.Dataset) *Predictions {
	p := &Predictions{Rows: d, Classes: model.Classes}
	var err error
	if model.Regression() {
		p.Values, err = model.PredictValues(Context(), d)
	} else {
		p.Labels, p.Proba, err = model.Classify(Context(), d)
	}
	Must(err)
	return p
}

// Ask returns what the model says of a row with the given cells by column name: numbers, names of categories, and dates
// as the training data had them. Other columns are missing. It ends the cell if there is no such column or category,
// or if cells are missing and the model doesn't take that.
func Ask(model *forest.Forest, cells map[string]any) *Predictions {
	schema := model.Schema()
	row := Value(schema.Record(cells))
	d := &datasets.Dataset{Features: schema.Features}
	for _, v := range row {
		d.Columns = append(d.Columns, []float32{v})
	}
	return Predict(model, d)
}

// Names returns the predicted class of each row, or nil for values.
func (p *Predictions) Names() []string {
	var names []string
	for _, label := range p.Labels {
		names = append(names, p.Classes[label])
	}
	return names
}

// shownRows is how many rows a card of predictions has.
const shownRows = 10

// Card shows the first rows, or all that is known of one.
func (p *Predictions) Card() Card {
	n := p.Rows.N()
	if n == 1 {
		return Card{Title: "Prediction", Parts: p.one()}
	}
	table := viz.Table{Columns: []string{"row", "prediction"}, Sorts: true, Plain: true}
	for _, c := range p.Classes {
		table.Columns = append(table.Columns, "P("+plain.Short(c, nameLength)+")")
	}
	for i := range min(n, shownRows) {
		table.Add(append([]string{strconv.Itoa(p.number(i))}, p.line(i, sixDigits, fourDecimals)...)...)
	}
	if n > shownRows {
		table.Note = fmt.Sprintf("The first %d of %d rows.", shownRows, n)
	}
	return Card{Title: "Predictions", Parts: []cardPart{table}}
}

// one returns the parts of a card of one row.
func (p *Predictions) one() []cardPart {
	if p.Values != nil {
		return []cardPart{factPart{{"prediction", p.line(0, sixDigits, fourDecimals)[0]}}}
	}
	return []cardPart{factPart{{"prediction", p.Names()[0]}}, largestBars("Probability", p.Classes, p.Proba[0])}
}

// number returns the number of a row in its file, from 1.
func (p *Predictions) number(i int) int {
	if p.Rows.Rows != nil {
		return int(p.Rows.Rows[i]) + 1
	}
	return i + 1
}

func sixDigits(v float64) string    { return plain.Number(v, 6) }
func fourDecimals(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
func allDigits(v float64) string    { return strconv.FormatFloat(v, 'g', -1, 64) }

// line returns the prediction of a row, and the probability of each class.
func (p *Predictions) line(i int, value, probability func(v float64) string) []string {
	if p.Values != nil {
		return []string{value(p.Values[i])}
	}
	line := []string{p.Classes[p.Labels[i]]}
	for _, v := range p.Proba[i] {
		line = append(line, probability(v))
	}
	return line
}

// String returns the predictions as the text of their card.
func (p *Predictions) String() string { return p.Card().String() }

// WriteCSV writes a line for each row: its number in its file, its cells, the prediction, and for classes their
// probabilities. These columns are called row, prediction and "probability of" a class, with .1 behind it where a
// column of the table is called so.
func (p *Predictions) WriteCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	names := p.Rows.FeatureNames()
	other := func(name string) string {
		for slices.Contains(names, name) {
			name += ".1"
		}
		return name
	}
	header := append([]string{other("row")}, names...)
	header = append(header, other("prediction"))
	for _, c := range p.Classes {
		header = append(header, other("probability of "+c))
	}
	w.Write(header)
	for i := range p.Rows.N() {
		line := []string{strconv.Itoa(p.number(i))}
		for j := range p.Rows.Features {
			line = append(line, cellOf(p.Rows, i, j))
		}
		w.Write(append(line, p.line(i, allDigits, allDigits)...))
	}
	w.Flush()
	return w.Error()
}

// cellOf returns a cell for a file: "" if it is missing, and a number with all its digits.
func cellOf(d *datasets.Dataset, i, j int) string {
	v, f := d.At(i, j), d.Features[j]
	_, date := f.Scale.Layout()
	switch {
	case v != v:
		return ""
	case f.Categories == nil && !date && f.Scale.Offset == 0 && f.Scale.Step == 0:
		return strconv.FormatFloat(float64(v), 'f', -1, 32)
	case f.Categories == nil && !date && f.Scale.Value(v) == math.Trunc(f.Scale.Value(v)):
		return strconv.FormatFloat(f.Scale.Value(v), 'f', -1, 64)
	}
	return d.Text(i, j)
}
