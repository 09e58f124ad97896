package columnar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/obliqua-ml/obliqua/internal/naming"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/nearest"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A table is a data set being read.
type table struct {
	Options
	ctx     context.Context
	limited bool                // whether the number of cells is
	expect  func(first int) int // estimates the rows of all batches from the first's; may be nil
	names   []string
	place   map[string]int // index of each name
	indexes map[string]bool
	notes   []string
	columns []column
	target  int // −1: none
	rows    int
}

// A field is a column as a file describes it.
type field struct {
	name     string
	typ      arrow.DataType // nil for nested and other types that can't be read
	typeName string
	leaf     int // Parquet: number of the column

	perDay float64 // units of a date in a day; 0 if the cells aren't dates
	clock  bool    // dates have a time

	dictionary bool
	listed     bool // all entries of its dictionaries are categories
	ordered    bool // categories keep the order of the entries
}

func arrowField(f arrow.Field) field {
	to := field{name: f.Name, typ: f.Type, typeName: f.Type.String()}
	to.perDay, to.clock = daysOf(f.Type)
	if d, ok := f.Type.(*arrow.DictionaryType); ok {
		to.dictionary, to.listed, to.ordered = true, true, d.Ordered
	}
	return to
}

// daysOf returns how many units a day of dates has, 0 for other types, and whether they have a time.
func daysOf(t arrow.DataType) (perDay float64, clock bool) {
	switch t := t.(type) {
	case *arrow.Date32Type:
		return 1, false
	case *arrow.Date64Type:
		return 24 * 60 * 60 * 1e3, false
	case *arrow.TimestampType:
		return 24 * 60 * 60 * float64(time.Second/t.Unit.Multiplier()), true
	}
	return 0, false
}

// A kind groups types by how they can be read.
type kind uint8

const (
	other kind = iota // not at all
	whole             // integers and booleans
	real              // floats, decimals and dates
	text
)

func kindOf(t arrow.DataType) kind {
	if t == nil {
		return other
	}
	switch t.ID() {
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64,
		arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return whole
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.NULL,
		arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256,
		arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		return real
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW,
		arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return text
	case arrow.DICTIONARY:
		values := t.(*arrow.DictionaryType).ValueType
		if days, _ := daysOf(values); days == 0 && values.ID() != arrow.DICTIONARY && kindOf(values) != other {
			return text
		}
	}
	return other
}

// kind returns the kind of the type, which is text for all dictionaries that can be read.
func (f *field) kind() kind {
	k := kindOf(f.typ)
	switch {
	case f.dictionary && k != other:
		return text
	case f.perDay != 0 && k == whole: // as Parquet keeps dates
		return real
	}
	return k
}

// inFile adds the name of the file to an error of reading it.
func inFile(file string, err error) error { return fmt.Errorf("columnar: %s: %w", file, err) }

// name names the columns.
func (t *table) name(fields []field) error {
	if most := t.Limits.Of(0).Columns; len(fields) > most {
		return fmt.Errorf("%d columns, more than %d; if the file is right, raise Limits.Columns", len(fields), most)
	}
	t.columns = make([]column, len(fields))
	t.names = make([]string, len(fields))
	for j, f := range fields {
		t.names[j] = f.name
	}
	var err error
	if t.place, err = naming.Places(t.names); err != nil {
		return err
	}
	for j, f := range fields {
		if naming.IsIndex(f.name) {
			t.index(t.names[j])
		}
		t.columns[j].field = f
		t.columns[j].name = t.names[j]
	}
	return nil
}

// index notes that a column is an index.
func (t *table) index(name string) {
	if t.indexes == nil {
		t.indexes = map[string]bool{}
	}
	t.indexes[name] = true
}

// pandas notes which columns are an index, as pandas' description of a table says.
func (t *table) pandas(description string) {
	var d struct {
		Columns []any `json:"index_columns"` // names, or objects for ranges that aren't columns
	}
	if json.Unmarshal([]byte(description), &d) != nil {
		return
	}
	for _, c := range d.Columns {
		if name, ok := c.(string); ok {
			t.index(name)
		}
	}
}

// open gives every column its role.
func (t *table) open(fields []field) error {
	if err := t.name(fields); err != nil {
		return err
	}
	assign := t.assignLists
	if t.Like != nil {
		assign = t.assignLike
	}
	if err := assign(); err != nil {
		return err
	}
	if err := t.assignTarget(); err != nil {
		return err
	}
	return t.settle()
}

func (t *table) assignLists() error {
	for _, list := range []struct {
		specs []string
		role  role
	}{{t.Categorical, categorical}, {t.Drop, dropped}} {
		for _, spec := range list.specs {
			j, err := naming.Find(t.names, t.place, spec)
			if err != nil {
				return err
			}
			c := &t.columns[j]
			if c.role != guessed && c.role != list.role {
				return fmt.Errorf("column %q is in both Categorical and Drop", c.name)
			}
			c.role = list.role
		}
	}
	return nil
}

// assignLike takes the features from Like and drops every other column.
func (t *table) assignLike() error {
	for j := range t.columns {
		t.columns[j].role = dropped
	}
	for _, f := range t.Like.Features {
		j, err := t.find(f.Name)
		if err != nil {
			return err
		}
		c := &t.columns[j]
		c.role, c.scale = numeric, f.Scale
		if _, isDate := f.Scale.Layout(); f.Categories == nil && isDate != (c.perDay != 0) {
			return fmt.Errorf("%w: column %q is %s, of dates only in one of the tables", datasets.ErrSchema, c.name, c.typeName)
		}
		if f.Categories != nil {
			c.role = categorical
			c.coder = newCoder(f.Categories)
		} else if c.kind() == text {
			return fmt.Errorf("%w: column %q is %s, which was numbers before", datasets.ErrSchema, c.name, c.typeName)
		}
	}
	return nil
}

// find returns the index of a column, such as one of the schema Like.
func (t *table) find(name string) (int, error) {
	if j, ok := t.place[name]; ok {
		return j, nil
	}
	return 0, fmt.Errorf("%w: no column %q; the nearest are %s", datasets.ErrSchema, name, nearest.Names(t.names, name))
}

func (t *table) assignTarget() error {
	t.target = -1
	if t.NoTarget || t.Target == "" && t.Like != nil && t.Like.Target == "" {
		return nil
	}
	var err error
	switch {
	case t.Target != "":
		if t.target, err = naming.Find(t.names, t.place, t.Target); err != nil {
			return fmt.Errorf("target: %w; set NoTarget if there is none", err)
		}
	case t.Like != nil:
		if t.target, err = t.find(t.Like.Target); err != nil {
			return fmt.Errorf("%w; set NoTarget if the target isn't there", err)
		}
	default:
		t.target = len(t.names) - 1
		for t.target > 0 && t.indexes[t.names[t.target]] {
			t.target--
		}
		if t.target < 0 {
			return fmt.Errorf("there are no columns")
		}
	}
	c := &t.columns[t.target]
	if t.Like == nil && c.role == dropped || t.Like != nil && c.role != dropped {
		return fmt.Errorf("column %q is the target and can't also be dropped or a feature", c.name)
	}
	return t.targetRole(c)
}

// targetRole decides whether the target is classes or values.
func (t *table) targetRole(c *column) error {
	classes := t.Classes
	values := t.Regression
	if t.Like != nil && (t.Target == "" || t.Like.Target != "") {
		if classes == nil {
			classes = t.Like.Classes
		}
		values = values || classes == nil
	}
	k := c.kind()
	switch {
	case values && classes != nil:
		return fmt.Errorf("target %q: Regression wants values, but there are Classes", c.name)
	case c.perDay != 0:
		return fmt.Errorf("column %q is %s, which can't be a target", c.name, c.typeName)
	case values && k == text:
		return fmt.Errorf("target %q is %s; values want numbers", c.name, c.typeName)
	case values || k == real && classes == nil && c.role != categorical:
		c.role = valueTarget
		return nil
	}
	c.role = classTarget
	if classes == nil && c.typ != nil && c.typ.ID() == arrow.BOOL {
		classes = []string{"false", "true"}
	}
	c.coder = newCoder(classes)
	c.coder.fixed = classes != nil
	return nil
}

// settle decides the roles of the other columns, and returns an error for types that can't
// be read.
func (t *table) settle() error {
	features := 0
	for j := range t.columns {
		c := &t.columns[j]
		k := c.kind()
		if c.role == guessed {
			switch {
			case t.indexes[c.name] && len(t.columns) > 1:
				c.role = dropped
				t.note(c, "numbers or names the rows, and is left out")
			case k == text:
				c.role = categorical
			default:
				c.role = numeric
			}
		}
		if c.role == dropped {
			continue
		}
		if k == other {
			return fmt.Errorf(
				"column %q is %s, which is neither a number nor a category; list it in Drop or convert it",
				c.name,
				c.typeName,
			)
		}
		if c.role == categorical && c.coder == nil {
			c.coder = newCoder(nil)
		}
		if c.coder != nil {
			c.coder.ordered = c.ordered
		}
		if c.perDay != 0 && c.role == numeric && t.Like == nil {
			c.scale.Unit = datasets.DateUnit("2006-01-02")
			if c.clock {
				c.scale.Unit = datasets.DateUnit("2006-01-02 15:04:05")
			}
		}
		if c.role <= categorical {
			features++
		}
	}
	if features == 0 {
		return fmt.Errorf("no column is left as a feature, of %d", len(t.columns))
	}
	return nil
}

// checkRows returns an error if there are more rows than can be indexed, or than a file of
// its size can have.
func (t *table) checkRows(rows int64) error {
	if rows > math.MaxInt32 {
		return fmt.Errorf("%d rows; at most %d can be indexed", rows, math.MaxInt32)
	}
	switch {
	case rows < 0:
		return errDamaged("%d rows", rows)
	case t.limited && rows > t.Limits.Cells/int64(max(len(t.columns), 1)):
		return fmt.Errorf("%d rows of %d columns are more than %d cells, "+
			"the limit for a file of this size; if it is right, raise Limits.Cells", rows, len(t.columns), t.Limits.Cells)
	}
	return nil
}

// A cellError is the error of one row.
type cellError struct {
	row int
	err error
}

func (e *cellError) Error() string { return e.err.Error() }

// wrap adds the column and, for a cellError, the row to err.
func (c *column) wrap(err error) error {
	if cell := (*cellError)(nil); errors.As(err, &cell) {
		return fmt.Errorf("row %d, column %q: %w", cell.row, c.name, cell.err)
	}
	return fmt.Errorf("column %q: %w", c.name, err)
}

// dataset returns the table once all rows are read.
func (t *table) dataset(name string) (*datasets.Dataset, error) {
	if t.rows == 0 {
		return nil, fmt.Errorf("there are no rows")
	}
	parallel.For(len(t.columns), func(j int) { t.columns[j].recode() })
	d := &datasets.Dataset{Name: name}
	at := make(map[string]int, len(t.columns))
	for j := range t.columns {
		c := &t.columns[j]
		switch c.role {
		case dropped:
			continue
		case classTarget:
			d.Target, d.Labels, d.Classes = c.name, c.labels, c.categories
			continue
		case valueTarget:
			d.Target, d.Values = c.name, c.values
			continue
		}
		t.note(c, c.settleCells(t.Like != nil))
		if c.coder != nil && t.Like != nil {
			t.note(c, naming.Unknown(c.cells, c.coder.names, c.coder.kept))
		}
		at[c.name] = len(d.Columns)
		d.Features = append(d.Features, datasets.Feature{Name: c.name, Categories: c.categories, Scale: c.scale})
		d.Columns = append(d.Columns, c.cells)
	}
	if t.Like != nil {
		order := make([]int, len(t.Like.Features))
		for j, f := range t.Like.Features {
			order[j] = at[f.Name]
		}
		d = d.Select(order...)
	}
	d.Notes = t.notes
	return d, d.Check()
}

// note adds what is said of a column, unless that is nothing.
func (t *table) note(c *column, text string) {
	if text != "" {
		t.notes = append(t.notes, fmt.Sprintf("Column %q %s.", c.name, text))
	}
}
