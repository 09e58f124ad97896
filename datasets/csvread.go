package datasets

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// read reads all rows, and some columns a second time: those whose texts were not kept, and those whose numbers may
// fall together as float32.
func (t *csvTable) read() error {
	roles := make([]role, len(t.columns))
	for j := range t.columns {
		roles[j] = t.columns[j].role
	}
	if err := t.pass(roles); err != nil {
		return err
	}
	if t.rows == 0 {
		return errNoRows
	}
	if err := t.readAgain(t.again); err != nil {
		return err
	}
	t.dropTotal()
	likely, proven := t.decimalMark()
	if likely == ',' && t.Decimal == 0 { // numbers such as 1.234 may be whole, so they are read as text
		if err := t.readAgain(t.maybeGrouped); err != nil {
			return err
		}
	}
	if err := t.settle(likely, proven); err != nil {
		return err
	}
	t.dropIndexes()
	t.notePadded()
	return t.checkTarget()
}

// readAgain reads the columns again to which a function gives a role other than dropped.
func (t *csvTable) readAgain(of func(j int) role) error {
	roles, again := make([]role, len(t.columns)), false
	for j := range t.columns {
		c := &t.columns[j]
		switch roles[j] = of(j); roles[j] {
		case categorical:
			c.coder, c.cells, again = newCoder(nil), nil, true
			delete(t.exact, j)
		case precise:
			t.exact, again = map[int][]float64{}, true
		}
	}
	if !again {
		return nil
	}
	rows := t.rows
	if t.total {
		rows++
	}
	if err := t.in.rewind(); err != nil {
		return err
	}
	if err := t.in.skipTo(t.begins); err != nil && err != io.EOF {
		return err
	}
	if err := t.pass(roles); err != nil {
		return err
	}
	if t.rows != rows {
		return fmt.Errorf("%d rows, then %d: the file has changed while it was read", rows, t.rows)
	}
	if t.total {
		t.cutLast()
	}
	return nil
}

// again returns the role in which a column is read a second time.
func (t *csvTable) again(j int) role {
	switch c := &t.columns[j]; {
	case c.kept && c.coder != nil, c.role == valueTarget && c.counts[textCell] > 0:
		return categorical
	case c.role <= numeric && c.coder == nil && t.scales[j] == Scale{} && (c.precise || c.counts[infiniteCell] > 0):
		return precise
	}
	return dropped
}

// pass reads all rows once, and appends to each column according to its role.
func (t *csvTable) pass(roles []role) error {
	t.rows, t.room = 0, 0
	const columns = 1 << 20 // of all workers, each of which takes some hundred bytes
	most := max(columns/len(roles), 1)
	if t.declared {
		most = 1 // its scanner counts the rows of the table
	}
	return t.in.each(most, func() blockWorker {
		return &csvWorker{table: t, roles: roles, columns: make([]csvPart, len(roles))}
	})
}

func errInfinite(s string) error {
	return fmt.Errorf("%s is not finite as a float32; list the text in Missing or the column in Categorical",
		naming.Clip(s))
}

// grow makes room for more rows. When the columns are full, it estimates the rows of the
// whole file from the bytes read so far.
func (t *csvTable) grow(roles []role, more int, read int64) {
	if t.rows+more <= t.room {
		return
	}
	rows := t.rows + more
	t.room = rows + rows/16
	if read > 0 {
		const margin = 1.02
		most := math.MaxInt32
		if t.in.packed {
			most = min(most, 16*rows) // the rest may be compressed less
		}
		estimate := margin * float64(rows) * (float64(t.in.size) / float64(read))
		t.room = max(t.room, int(min(estimate, float64(most))))
		t.room = min(t.room, max(rows, int(t.Limits.Cells/int64(t.width))))
	}
	for j := range t.columns {
		switch c := &t.columns[j]; roles[j] {
		case dropped:
		case precise:
			t.exact[j] = append(make([]float64, 0, t.room), t.exact[j]...)
		case valueTarget:
			t.values = append(make([]float64, 0, t.room), t.values...)
		default:
			c.cells = append(make([]float32, 0, t.room), c.cells...)
		}
	}
}

// A csvWorker reads blocks of a table.
type csvWorker struct {
	table   *csvTable
	text    string // of the block
	roles   []role
	columns []csvPart
	values  []float64
	rows    int
}

// A csvPart holds one column of a block. Its texts share the block's memory.
type csvPart struct {
	quick   bool // cells that are numbers need no other checks
	looking bool // long numbers are compared
	cells   []float32
	codes   *csvCodes // if cells are codes
	tally
	precise *precision // what was noticed of long numbers; nil if there were none
}

// csvCodes holds the categories of a column in a block.
type csvCodes struct {
	nameList
	kinds  []cellKind
	places []float32 // code of each in the table, NaN for a missing cell
}

func (w *csvWorker) parse(b block) error {
	w.text = b.text
	for j := range w.columns {
		role := w.roles[j]
		coded := role == categorical || role == classTarget || role <= numeric && w.table.columns[j].coded.Load()
		if p := &w.columns[j]; coded && p.codes == nil {
			p.codes = new(csvCodes)
		}
	}
	if err := w.read(b); err != nil {
		return err
	}
	again := false
	for j := range w.columns {
		if p := &w.columns[j]; p.codes == nil && w.roles[j] <= numeric && p.counts[textCell] > 0 {
			w.table.columns[j].coded.Store(true)
			p.codes, again = new(csvCodes), true
		}
	}
	if again {
		return w.read(b)
	}
	return nil
}

func (w *csvWorker) read(b block) error {
	w.rows, w.values = 0, w.values[:0]
	for j := range w.columns {
		p := &w.columns[j]
		p.cells, p.tally = p.cells[:0], tally{}
		p.looking = true
		if p.precise != nil {
			*p.precise = precision{some: p.precise.some[:0], exact: p.precise.exact[:0]}
		}
		p.quick = p.codes == nil && w.roles[j] <= numeric && !w.table.missingNumbers && w.table.Decimal != ',' &&
			w.table.scales[j] == Scale{}
		if c := p.codes; c != nil {
			c.reset()
			c.kinds = c.kinds[:0]
		}
	}
	look := 0 // cells until it looks at the context
	scan := w.table.records(b.text, b.line-1)
	for {
		cells, line, err := scan.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &lineError{line, err}
		}
		if len(cells) != len(w.columns) {
			return w.table.errFields(line, cells)
		}
		if look -= len(cells); look < 0 {
			look = 1 << 13
			if err := w.table.in.ctx.Err(); err != nil {
				return err
			}
		}
		for j, s := range cells {
			if p := &w.columns[j]; p.quick {
				if v, form, ok := parseFloat32(s); ok {
					p.cells = append(p.cells, float32(v))
					p.counts[numberCell]++
					p.forms |= form
					if form&longWhole != 0 || form&longFraction != 0 && p.looking {
						p.noticed().add(v)
						p.looking = len(p.precise.some) < fewPrecise
					}
					continue
				}
			}
			if err := w.cell(j, s, line); err != nil {
				return errorAt(line, "column %q: %w", w.table.names[j], err)
			}
		}
		w.rows++
	}
}

// noticed returns what was noticed of long numbers.
func (p *csvPart) noticed() *precision {
	if p.precise == nil {
		p.precise = new(precision)
	}
	return p.precise
}

var (
	nan32            = float32(math.NaN())
	errMissingTarget = missingTarget{}
)

// A missingTarget is an [ErrMissing] of the target.
type missingTarget struct{}

func (missingTarget) Error() string        { return "the target is missing" }
func (missingTarget) Is(target error) bool { return target == ErrMissing }

func (w *csvWorker) cell(j int, s string, line int) error {
	switch p := &w.columns[j]; {
	case w.roles[j] == dropped:
		return nil
	case w.roles[j] == valueTarget:
		return w.value(j, s, line)
	case p.codes != nil:
		return w.category(j, s, line)
	default:
		return w.number(j, s, line)
	}
}

func (w *csvWorker) missing(s string) bool { return slices.Contains(w.table.Missing, s) }

// decimal reads a decimal number of the given size. With a decimal comma, a number with a point is text.
func (w *csvWorker) decimal(s string, bits int) (float64, cellKind) {
	if w.table.Decimal == ',' && strings.IndexByte(s, '.') >= 0 {
		return 0, textCell
	}
	return parseNumber(s, bits)
}

func (w *csvWorker) number(j int, s string, line int) error {
	p, scale := &w.columns[j], w.table.scales[j]
	v, kind := w.decimal(s, 64)
	cell := scale.Cell(v)
	if kind == numberCell && scale == (Scale{}) {
		near, narrow := parseNumber(s, 32) // rounded once
		cell, kind = float32(near), narrow
	}
	switch {
	case w.missing(s):
		v, cell = math.NaN(), nan32
	case kind != numberCell && w.table.declared && w.roles[j] != precise:
		return fmt.Errorf("%s is not a finite number", naming.Clip(s))
	case w.roles[j] == precise:
		if _, kind = w.decimal(s, 64); kind != numberCell {
			return errInfinite(s)
		}
	default:
		p.count(kind, s, line)
		p.addForm(kind, s)
		if kind == infiniteCell || kind == numberCell && float64(cell) != v {
			p.noticed().add(v)
		}
	}
	if w.roles[j] == precise {
		p.noticed().exact = append(p.noticed().exact, v)
	} else {
		p.cells = append(p.cells, cell)
	}
	return nil
}

func (w *csvWorker) category(j int, s string, line int) error {
	p := &w.columns[j]
	code, added := p.codes.number(s)
	if added {
		kind, err := w.newCategory(j, s)
		if err != nil {
			return err
		}
		p.codes.kinds = append(p.codes.kinds, kind)
	}
	p.cells = append(p.cells, float32(code))
	if kind := p.codes.kinds[code]; w.roles[j] <= numeric && kind != missingCell {
		p.count(kind, s, line)
	}
	return nil
}

// newCategory returns the kind of a text that is new to the block.
func (w *csvWorker) newCategory(j int, s string) (cellKind, error) {
	class := w.roles[j] == classTarget
	switch missing := w.missing(s); {
	case missing && class:
		return 0, errMissingTarget
	case missing:
		return missingCell, nil
	}
	if err := checkUTF8(s, w.text); err != nil {
		return 0, err
	}
	switch {
	case w.roles[j] <= numeric:
		_, kind := w.decimal(s, 32)
		return kind, nil
	}
	if coder := w.table.columns[j].coder; coder.fixed { // otherwise merge may be changing it
		if _, ok := coder.lookup(s); !ok && class {
			return 0, fmt.Errorf("%s is not one of the %d classes", naming.Clip(s), len(coder.names))
		} else if !ok {
			return 0, fmt.Errorf("%s is not one of its %d categories", naming.Clip(s), len(coder.names))
		}
	}
	return textCell, nil
}

func (w *csvWorker) value(j int, s string, line int) error {
	v, kind := w.decimal(s, 64)
	switch {
	case w.missing(s) || kind == textCell && isMissingWord(s):
		return errMissingTarget
	case kind == textCell && !w.table.declared: // perhaps it is read again
		w.columns[j].count(kind, s, line)
	case kind != numberCell:
		return fmt.Errorf("the target is %s; want a finite number", naming.Clip(s))
	}
	w.columns[j].addForm(kind, s)
	w.values = append(w.values, v)
	return nil
}

// merge adds the block to the table.
func (w *csvWorker) merge(b block) error {
	t := w.table
	if err := t.Limits.checkCells(t.rows+w.rows+columnCells, t.width); err != nil {
		return err
	}
	t.grow(w.roles, w.rows, b.end)
	t.rows += w.rows
	t.values = append(t.values, w.values...)
	for j := range w.columns {
		if w.roles[j] == dropped {
			continue
		}
		p := &w.columns[j]
		if err := t.columns[j].add(p); err != nil {
			return fmt.Errorf("column %q: %w", t.names[j], err)
		}
		if w.roles[j] == precise {
			t.exact[j] = append(t.exact[j], p.noticed().exact...)
		}
	}
	return nil
}

// add appends the cells of a block.
func (c *csvColumn) add(p *csvPart) error {
	c.tally.add(&p.tally)
	c.precise = c.precise || p.precise != nil && p.precise.doubtful()
	if p.codes == nil {
		c.cells = append(c.cells, p.cells...)
		c.kept = c.kept || p.counts[numberCell]+p.counts[infiniteCell] > 0
		return nil
	}
	if c.coder == nil {
		c.coder = newCoder(nil)
	}
	places := p.codes.places[:0]
	for k, name := range p.codes.names {
		if p.codes.kinds[k] == missingCell {
			places = append(places, nan32)
			continue
		}
		code, err := c.coder.code(name)
		if err != nil {
			return err
		}
		places = append(places, float32(code))
	}
	p.codes.places = places
	for _, code := range p.cells {
		c.cells = append(c.cells, places[int(code)])
	}
	return nil
}

// count counts a cell.
func (t *tally) count(kind cellKind, s string, line int) {
	if t.counts[kind] == 0 {
		t.first[kind] = csvCell{line, s}
	}
	t.counts[kind]++
}

// addForm adds the form of a number.
func (t *tally) addForm(kind cellKind, s string) {
	if kind == numberCell {
		_, form, _ := parseFloat32(s)
		t.forms |= form
	}
}

// add adds the cells of a later block, whose texts it copies.
func (t *tally) add(block *tally) {
	t.forms |= block.forms
	for kind, n := range block.counts {
		if t.counts[kind] == 0 {
			t.first[kind] = csvCell{block.first[kind].line, strings.Clone(block.first[kind].text)}
		}
		t.counts[kind] += n
	}
}

// dataset returns the table.
func (t *csvTable) dataset() (*Dataset, error) {
	d := &Dataset{Name: t.file, Features: make([]Feature, 0, t.width), Columns: make([][]float32, 0, t.width)}
	if t.NoTarget && t.Target != "" {
		if j, err := naming.Find(t.names, t.place, t.Target); err == nil {
			d.Target = t.names[j]
		}
	}
	at := make(map[string]int) // index of each feature
	for j := range t.columns {
		c := &t.columns[j]
		switch c.role {
		case dropped:
			continue
		case classTarget:
			d.Target = t.names[j]
			d.Labels = make([]int32, t.rows)
			for i, code := range c.cells {
				d.Labels[i] = int32(code)
			}
			d.Classes = c.coder.recode(d.Labels)
			if c.coder.given == 0 {
				for _, note := range d.noteClasses() {
					t.note(j, note)
				}
			}
			continue
		case valueTarget:
			d.Target = t.names[j]
			d.Values = withoutSpare(t.values)
			continue
		}
		if j == t.group {
			var err error
			if d.Groups, err = d.groupsOf(t.names[j], c.cells); err != nil {
				return nil, err
			}
			continue
		}
		f := Feature{Name: t.names[j], Scale: t.scales[j]}
		if c.coder != nil {
			t.note(j, naming.Unknown(c.cells, c.coder.names, c.coder.given))
			var place []int32
			f.Categories, place = c.coder.sorted()
			for i, code := range c.cells {
				if code == code {
					c.cells[i] = float32(place[int32(code)])
				}
			}
		}
		at[f.Name] = d.P()
		d.Features = append(d.Features, f)
		d.Columns = append(d.Columns, withoutSpare(c.cells))
	}
	if t.Like != nil {
		order := make([]int, len(t.Like.Features))
		for j, f := range t.Like.Features {
			order[j] = at[f.Name]
		}
		d = d.Select(order...)
	}
	for d.Weights = t.weights; d.Weights != nil && len(d.Weights) < t.rows; {
		d.Weights = append(d.Weights, 1)
	}
	if d.Notes = t.notes; t.in.western {
		d.Notes = append(d.Notes, "The file isn't UTF-8 and is read as Windows-1252.")
	}
	return d, d.Check()
}

// withoutSpare returns s without spare capacity. It copies s only if that frees enough memory.
func withoutSpare[T any](s []T) []T {
	if cap(s)-len(s) > len(s)/16 {
		s = slices.Clone(s)
	}
	return slices.Clip(s)
}
