package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// note adds what is said of a column, unless that is nothing.
func (t *csvTable) note(j int, text string) {
	if text == "" {
		return
	}
	t.notes = append(t.notes, fmt.Sprintf("Column %q %s.", t.names[j], text))
}

// decimalMark returns the file's decimal mark. A column that has only one kind of mark proves it. Otherwise the
// separator suggests it.
func (t *csvTable) decimalMark() (mark byte, proven bool) {
	if t.Decimal != 0 {
		return byte(t.Decimal), true
	}
	point, comma := false, false
	for j := range t.columns {
		if c := &t.columns[j]; c.isText() {
			r, ok := readNumbers(c.coder.names, c.codeCounts(), 0, '.', true, false)
			point = point || ok && r.sure && r.decimal == '.'
			comma = comma || ok && r.sure && r.decimal == ','
		}
	}
	if !comma && t.sep != ';' {
		return '.', point
	}
	for j := range t.columns {
		c := &t.columns[j]
		point = point || c.coder == nil && c.forms&decimalForm != 0
	}
	if point {
		return '.', true
	}
	return ',', comma
}

// isWhole reports whether a cell is a whole number or missing.
func isWhole(v float32) bool { return v != v || float64(v) == math.Trunc(float64(v)) }

// maybeGrouped returns the role to read a column as text if its numbers may be whole ones with a point as thousands
// mark.
func (t *csvTable) maybeGrouped(j int) role {
	if c := &t.columns[j]; c.coder == nil && c.forms&(groupedForm|decimalForm) == groupedForm {
		return categorical
	}
	return dropped
}

// notePoint notes that a point before three digits, in a file of which nothing else tells, is a decimal mark.
func (t *csvTable) notePoint(j int) {
	example := 0.0
	if c := &t.columns[j]; c.role == valueTarget {
		example = t.values[0]
	} else {
		example = float64(c.cells[max(0, slices.IndexFunc(c.cells, func(v float32) bool { return v == v }))])
	}
	t.note(j, fmt.Sprintf("has three digits after each point, such as %.3f, which is read as %v; if the point means "+
		"something else, set Decimal", example, example))
}

// notePadded notes that whole numbers of a column are written with zeros before them, as codes are.
func (t *csvTable) notePadded() {
	for j := range t.columns {
		c := &t.columns[j]
		if c.role <= numeric && c.coder == nil && c.forms&(paddedForm|decimalForm) == paddedForm && t.Like == nil &&
			!t.declared && t.scales[j].Unit == "" {
			t.note(j, "has whole numbers that begin with 0, and loses these zeros; if they are codes, such as postcodes, list "+
				"the column in Categorical")
		}
	}
}

// isText reports whether the column was read as text, and may be numbers.
func (c *csvColumn) isText() bool {
	return c.coder != nil && (c.role <= numeric || c.role == valueTarget)
}

// codeCounts returns how many cells each code has.
func (c *csvColumn) codeCounts() []int {
	counts := make([]int, len(c.coder.names))
	for _, code := range c.cells {
		if code == code {
			counts[int(code)]++
		}
	}
	return counts
}

// settle makes numbers of the columns whose texts are, and cells of those that were read as float64. It returns an
// error if a column that must be numeric isn't, or one that nearly is.
func (t *csvTable) settle(likely byte, proven bool) error {
	for j := range t.columns {
		c := &t.columns[j]
		if exact, ok := t.exact[j]; ok {
			t.setNumbers(j, exact)
			delete(t.exact, j)
		}
		if !c.isText() {
			if t.Decimal == 0 && !proven && likely == '.' && t.sep != ',' && t.maybeGrouped(j) == categorical {
				t.notePoint(j)
			}
			if t.Like != nil && c.role == numeric {
				t.compareUnits(j, "")
			}
			continue
		}
		counts := c.codeCounts()
		strict := c.role == valueTarget || c.role == numeric && t.Like == nil
		values, ok := truths(c.coder.names), t.Like != nil && c.role == numeric
		if ok = ok && values != nil; !ok {
			var r reading
			r, ok = readNumbers(c.coder.names, counts, byte(t.Decimal), likely, proven, strict)
			if values = r.values; c.role == guessed && r.numbers < 2 && (r.unit != "" || len(r.words) > 0) {
				ok = false // one number isn't enough for a unit, or among words
			}
			if ok {
				if err := t.errUnit(j); err != nil {
					return err
				}
				t.noteReading(j, &r, counts)
			}
		}
		if !ok {
			if values = t.datesOf(j); values == nil && t.Like != nil && c.role == numeric {
				values = allMissing(c.coder.names)
			}
			ok = values != nil
		}
		if !ok {
			if err := t.notNumbers(j); err != nil {
				return err
			}
			continue
		}
		all := make([]float64, len(c.cells))
		for i, code := range c.cells {
			all[i] = math.NaN()
			if code == code {
				all[i] = values[int(code)]
			}
		}
		c.coder = nil
		t.setNumbers(j, all)
	}
	return nil
}

// setNumbers sets the cells of a column.
func (t *csvTable) setNumbers(j int, values []float64) {
	c := &t.columns[j]
	if c.role == valueTarget {
		t.values = values
		return
	}
	if t.Like != nil {
		c.cells = c.cells[:0]
		for _, v := range values {
			c.cells = append(c.cells, t.scales[j].Cell(v))
		}
		return
	}
	cellsOf := Cells
	if t.scales[j].isDate() {
		cellsOf = DateCells
	}
	cells, scale, note := cellsOf(values)
	scale.Unit = t.scales[j].Unit
	c.cells, t.scales[j] = cells, scale
	t.note(j, note)
}

// noteReading says how numbers of a column are written, and compares that with the unit of the column of a schema.
func (t *csvTable) noteReading(j int, r *reading, counts []int) {
	c := &t.columns[j]
	for k, text := range c.coder.names {
		v := r.values[k]
		if v != v || isNumber(text) && parsed(text) == v {
			continue
		}
		said := fmt.Sprintf("is written as %s, which is read as %v", naming.Clip(text), v)
		if r.ambiguous {
			said += "; if the mark in it means something else, set Decimal"
		}
		t.note(j, said)
		break
	}
	if len(r.currencies) > 1 {
		t.note(j, fmt.Sprintf("has amounts in %s, which are read as if they were one currency",
			quoted(r.currencies, " and ")))
	}
	missing, words := 0, []string(nil)
	for k, text := range c.coder.names {
		c.addForm(numberCell, text)
		if v := r.values[k]; v != v {
			missing += counts[k]
			words = append(words, naming.Clip(text))
		}
	}
	if missing > 0 {
		t.note(j, fmt.Sprintf("is read as numbers, and %s as missing, in %d rows", strings.Join(words, ", "), missing))
	}
	switch {
	case c.role == valueTarget: // a schema has no unit of the target
	case t.Like != nil:
		t.compareUnits(j, r.unit)
	default:
		t.scales[j] = Scale{Unit: r.unit}
	}
}

// compareUnits notes that a column is written in another unit than that of the schema. A currency may be left out.
func (t *csvTable) compareUnits(j int, unit string) {
	trained, written := t.scales[j], Scale{Unit: unit}
	if unit == trained.Unit || unit == "" && isCurrency(trained.Unit) || trained.Unit == "" && isCurrency(unit) {
		return
	}
	t.note(j, fmt.Sprintf("is written with %s; the training data had %s", written.unit(), trained.unit()))
}

// errUnit returns an error for the first number of a column that is written with another unit than that of the schema,
// since it may be off by any factor, as 500 g is where the training data had kg. Currencies are not told apart.
func (t *csvTable) errUnit(j int) error {
	if t.Like == nil {
		return nil
	}
	c, trained := &t.columns[j], t.scales[j]
	for k, text := range c.coder.names {
		w, ok := takeApart(text)
		unit := strings.TrimSpace(w.currency + " " + w.unit)
		if !ok || isMissingWord(text) || trained.Agrees(Scale{Unit: unit}) {
			continue
		}
		err := fmt.Errorf("column %q: %s is written with the unit %q; the training data had %s", t.names[j],
			naming.Clip(text), unit, trained.unit())
		if c.first[textCell].text == text {
			return &lineError{c.first[textCell].line, err}
		}
		row := 1 + slices.IndexFunc(c.cells, func(code float32) bool { return code == float32(k) })
		return fmt.Errorf("row %d: %w", row, err)
	}
	return nil
}

func parsed(s string) float64 {
	v, _ := parseNumber(s, 64)
	return v
}

// allMissing returns NaN for each of the texts, or nil if one isn't a word for a missing cell.
func allMissing(texts []string) []float64 {
	values := make([]float64, len(texts))
	for k, s := range texts {
		if values[k] = math.NaN(); !isMissingWord(s) {
			return nil
		}
	}
	return values
}

// truths returns 1 for true and 0 for false if all texts are truth values and not all are numbers, else nil.
func truths(texts []string) []float64 {
	values, words := make([]float64, len(texts)), false
	for k, s := range texts {
		switch key := naming.Spelling(s); key {
		case "true", "1":
			values[k] = 1
			words = words || key == "true"
		case "false", "0":
			words = words || key == "false"
		default:
			return nil
		}
	}
	if !words {
		return nil
	}
	return values
}

// notNumbers returns an error if a column of texts had to be numbers, or nearly is.
func (t *csvTable) notNumbers(j int) error {
	c := &t.columns[j]
	numbers, texts, first := c.counts[numberCell], c.counts[textCell], c.first[textCell]
	switch {
	case texts == 0:
		return nil
	case c.role == valueTarget:
		return errorAt(first.line, "column %q: the target is %s; want a finite number", t.names[j], naming.Clip(first.text))
	case c.role == numeric && t.scales[j].isDate():
		layout, _ := t.scales[j].Layout()
		return errorAt(first.line, "column %q: %s is not a date as %s", t.names[j], naming.Clip(first.text), layout)
	case c.role == numeric:
		if err := t.errUnit(j); err != nil {
			return err
		}
		return errorAt(first.line, "column %q: %s is not a number", t.names[j], naming.Clip(first.text))
	case 10*texts <= numbers+texts: // at least nine of ten are numbers
		return errorAt(first.line, "column %q: %s is not a number, as %d of its cells are; if it stands for a missing cell, "+
			"list it in Missing",
			t.names[j], naming.Clip(first.text), numbers)
	case c.commaNumber() != "":
		return errorAt(first.line, "column %q: %s is a number with a comma, and others of the column are written in another "+
			"way; write all with the same marks", t.names[j], naming.Clip(c.commaNumber()))
	}
	t.noteNumbers(j)
	return nil
}

// noteNumbers notes that most cells of a column of categories are numbers.
func (t *csvTable) noteNumbers(j int) {
	c := &t.columns[j]
	numbers, texts, example := 0, 0, ""
	for k, n := range c.codeCounts() {
		switch name := c.coder.names[k]; {
		case isMissingWord(name):
		case isWritten(name):
			numbers += n
		default:
			if texts += n; example == "" {
				example = name
			}
		}
	}
	if numbers > texts && texts > 0 {
		t.note(j, fmt.Sprintf("has numbers in %d of %d cells, but also texts such as %s, and is read as categories", numbers,
			numbers+texts, naming.Clip(example)))
	}
}

// mergeClasses makes one class of classes that are the same number, such as 0 and 0.0, and says so.
func (d *Dataset) mergeClasses() string {
	place, classes, note := make([]int32, len(d.Classes)), []string(nil), ""
	codes := map[string]int32{}
	for k, name := range d.Classes {
		key := naming.Spelling(name)
		if code, ok := codes[key]; ok && key != "" {
			place[k] = code
			note = fmt.Sprintf("has %s and %s, which are read as one class", naming.Clip(classes[code]), naming.Clip(name))
			continue
		}
		place[k] = int32(len(classes))
		codes[key] = place[k]
		classes = append(classes, name)
	}
	if note == "" {
		return ""
	}
	for i, y := range d.Labels {
		d.Labels[i] = place[y]
	}
	d.Classes = classes
	return note
}

// noteClasses makes one class of those that are the same, and says so, and which texts for missing cells are classes.
// Of two classes, such as + and -, either may be one.
func (d *Dataset) noteClasses() (notes []string) {
	if note := d.mergeClasses(); note != "" {
		notes = append(notes, note)
	}
	var words []string
	for _, name := range d.Classes {
		if isMissingWord(name) {
			words = append(words, naming.Clip(name))
		}
	}
	if words != nil && len(d.Classes)-len(words) >= 2 {
		notes = append(notes, fmt.Sprintf("has classes called %s; if these stand for a missing target, list them in Missing",
			strings.Join(words, ", ")))
	}
	return notes
}

var errNoRows = errors.New("there is a header but no rows")
