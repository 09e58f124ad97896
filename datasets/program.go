package datasets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/groups"
	"github.com/obliqua-ml/obliqua/internal/naming"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A Column says how [NewTransform] makes a column: each of its cells from that of column From in the same row, by the
// operations Ops, one after the other.
type Column struct {
	Name string
	From int
	Ops  []Op
}

// An Op is an operation on a cell. Do is one of
//
//	do         Numbers    result
//	"is"       c          1 if the cell is c, for example the number of a category, and otherwise 0
//	"missing"             1 if the cell is missing and otherwise 0
//	"codes"    v0 … vk    v[c] for category c of k; the last for a missing cell and for other categories
//	"number"              the number of the category; other categories are an error of Apply
//	"line"     x0 y0 x1 …  linear between the points (x, y), which ascend in x; beyond them y is that of the nearest
//	"scale"    m s        (cell − m)/s; a result that is too large for a float32 becomes the largest one
//	"fill"     v          v if the cell is missing and otherwise the cell
//	"month"    o s        the month, 1 to 12, of the date that is o + s·cell days after 1970-01-01
//	"weekday"  o s        its day of the week, 1 for Monday
//	"hour"     o s        its hour, 0 to 23
//
// Missing cells stay missing except in "missing", "codes" and "fill". Infinite ones stay infinite in "line" and
// "scale". The number of a category is its index among those that the transform was made for. "codes" and "number" are
// for categorical columns, "line", "scale" and those of dates for numeric ones. Only "fill" leaves a column
// categorical.
type Op struct {
	Do      string
	Numbers []float64

	kind    opKind
	checked bool
	folds   *foldNumbers // nil if training rows are as others
}

// A foldNumbers has what Numbers are for the training rows of each fold.
type foldNumbers struct {
	splitting
	numbers [][]float64
}

type opKind uint8

const (
	opIs opKind = iota
	opMissing
	opCodes
	opNumber
	opLine
	opScale
	opFill
	opMonth
	opWeekday
	opHour
)

// The names of the kinds, in their order, which that of the numbers in files is.
var opNames = []string{"is", "missing", "codes", "number", "line", "scale", "fill", "month", "weekday", "hour"}

// check sets o.kind. It returns an error if the operation doesn't exist or its numbers aren't sound.
func (o *Op) check() error {
	if o.checked {
		return nil
	}
	k := slices.Index(opNames, o.Do)
	if k < 0 {
		return fmt.Errorf("operation %q; want one of %q", o.Do, opNames)
	}
	o.kind, o.checked = opKind(k), true
	for _, numbers := range o.tables() {
		for i, v := range numbers {
			cell := float32(v)
			if cell-cell != 0 && (o.kind != opCodes || cell == cell) || o.kind == opScale && i == 1 && !(v > 0) ||
				o.kind == opLine && i%2 == 0 && i > 0 && v <= numbers[i-2] {
				return fmt.Errorf("operation %q has %v as number %d; want finite numbers, ascending x, and a scale above 0",
					o.Do, v, i)
			}
		}
	}
	return nil
}

// tables returns the numbers, and after them those for training rows.
func (o *Op) tables() [][]float64 {
	tables := [][]float64{o.Numbers}
	if o.folds != nil {
		tables = append(tables, o.folds.numbers...)
	}
	return tables
}

// fits reports whether the operation can follow on a column of the given categories, nil for numbers.
func (o *Op) fits(categories []string) bool {
	n, categorical := len(o.Numbers), categories != nil
	switch o.kind {
	case opMissing:
		return n == 0
	case opCodes:
		return categorical && n == len(categories)+1
	case opNumber:
		return categorical && n == 0
	case opLine:
		return !categorical && n >= 4 && n%2 == 0
	case opScale, opMonth, opWeekday, opHour:
		return !categorical && n == 2
	case opFill:
		return n == 1 && (!categorical || naming.IsCode(o.Numbers[0], len(categories)))
	}
	return n == 1
}

// value returns what becomes of a cell.
func (o *Op) value(v float32) float32 {
	n := o.Numbers
	switch o.kind {
	case opIs:
		switch {
		case v != v:
			return nan32
		case float64(v) == n[0]:
			return 1
		}
		return 0
	case opMissing:
		if v != v {
			return 1
		}
		return 0
	case opCodes:
		return code(n, v)
	case opLine:
		return onLine(n, v)
	case opScale:
		z := (float64(v) - n[0]) / n[1]
		if v-v == 0 { // an infinite cell stays one, so that it is noticed
			z = min(max(z, -math.MaxFloat32), math.MaxFloat32)
		}
		return float32(z)
	case opFill:
		if v != v {
			return float32(n[0])
		}
	case opMonth, opWeekday, opHour:
		return float32(datePart(o.kind, n[0]+float64(n[1]*float64(v))))
	}
	return v
}

// code returns the number for a category.
func code(numbers []float64, v float32) float32 {
	if v != v {
		return float32(numbers[len(numbers)-1])
	}
	return float32(numbers[int(v)])
}

// onLine returns y at v by linear interpolation between points x0, y0, x1, y1 and so on. NaN and infinite cells stay
// what they are.
func onLine(points []float64, v float32) float32 {
	x, last := float64(v), len(points)-2
	switch {
	case v-v != 0:
		return v
	case x <= points[0]:
		return float32(points[1])
	case x >= points[last]:
		return float32(points[last+1])
	}
	low, high := 0, last/2 // points[2*low] <= x < points[2*high]
	for high-low > 1 {
		if middle := (low + high) / 2; points[2*middle] <= x {
			low = middle
		} else {
			high = middle
		}
	}
	a, b := points[2*low:], points[2*high:]
	along := (x - a[0]) / (b[0] - a[0])
	return float32(a[1] + float64(along*(b[1]-a[1])))
}

// A splitting of training rows into folds, at random. Groups stay whole.
type splitting struct {
	rows, folds int
	seed        uint64
}

// foldOf returns the fold of each row.
func (s splitting) foldOf(train *Dataset) []int32 {
	of, n := groups.Number(train.Groups, s.rows)
	fold := make([]int32, n)
	for i := range fold {
		fold[i] = int32(i % s.folds)
	}
	rng := rand.New(rand.NewPCG(s.seed, targetStream))
	rng.Shuffle(len(fold), func(i, j int) { fold[i], fold[j] = fold[j], fold[i] })
	return groups.Spread(fold, of)
}

// A program is a fitted step of this package, or several.
type program struct {
	before, after []Feature
	columns       []Column
	made          [][]int // by column before: the columns that are made of it
}

// NewTransform returns a transform of tables with the given columns that makes others of them, for steps that a program
// defines by itself: such a transform can be saved, and predicts single rows fast. It returns an error if an operation
// can't be made, or if there are no columns. It keeps the features and the numbers.
func NewTransform(before []Feature, columns []Column) (Transform, error) {
	columns = slices.Clone(columns)
	for i := range columns {
		columns[i].Ops = slices.Clone(columns[i].Ops)
	}
	p, err := newProgram(before, columns)
	if err != nil {
		return nil, fmt.Errorf("datasets: a transform: %w", err)
	}
	return p, nil
}

// Columns returns the two arguments of [NewTransform] that make t: the columns of the tables that it transforms, and
// the columns that it makes of them for rows other than the training rows. They are t's memory. Columns returns an
// error for transforms that [MarshalTransform] can't encode.
func Columns(t Transform) (before []Feature, columns []Column, err error) {
	p, ok := t.(*program)
	if !ok {
		return nil, nil, unsavable(t)
	}
	return p.before, p.columns, nil
}

// newProgram keeps the columns.
func newProgram(before []Feature, columns []Column) (*program, error) {
	if len(columns) == 0 {
		return nil, errors.New("no column would be left that tells rows apart")
	}
	p := &program{before, make([]Feature, len(columns)), columns, make([][]int, len(before))}
	for i := range p.columns {
		c := &p.columns[i]
		if c.From < 0 || c.From >= len(before) {
			return nil, fmt.Errorf("column %q is made from column %d of %d", c.Name, c.From, len(before))
		}
		categories := before[c.From].Categories
		for k := range c.Ops {
			o := &c.Ops[k]
			if err := o.check(); err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
			if !o.fits(categories) {
				return nil, fmt.Errorf("column %q: operation %q with %d numbers can't follow on a column that is %s, of %d "+
					"categories",
					c.Name, o.Do, len(o.Numbers), Feature{Categories: categories}.kind(), len(categories))
			}
			if o.kind != opFill {
				categories = nil
			}
		}
		p.after[i] = Feature{Name: c.Name, Categories: categories}
		if !slices.ContainsFunc(c.Ops, func(o Op) bool { return o.kind != opFill }) {
			p.after[i].Scale = before[c.From].Scale
		}
		p.made[c.From] = append(p.made[c.From], i)
	}
	return p, nil
}

// Then returns the transform that applies the first, and the second to what that makes.
func Then(first, second Transform) Transform {
	if s, ok := first.(sequence); ok && len(s) == 0 {
		return second
	}
	if s, ok := second.(sequence); ok && len(s) == 0 {
		return first
	}
	p, _ := first.(*program)
	q, _ := second.(*program)
	if p == nil || q == nil || !slices.EqualFunc(p.after, q.before, Feature.equal) {
		return sequence{first, second}
	}
	columns := slices.Clone(q.columns)
	for i := range columns {
		c := &columns[i]
		from := p.columns[c.From]
		c.From, c.Ops = from.From, slices.Concat(from.Ops, c.Ops)
	}
	both, err := newProgram(p.before, columns)
	if err != nil {
		panic(err) // both halves have been checked
	}
	return both
}

func (f Feature) kind() string {
	if f.Categories == nil {
		return "numeric"
	}
	return "categorical"
}

func (f Feature) equal(g Feature) bool {
	return f.Name == g.Name && f.kind() == g.kind() && f.Scale == g.Scale && slices.Equal(f.Categories, g.Categories)
}

// Apply makes the columns for any rows.
func (p *program) Apply(ctx context.Context, d *Dataset) (*Dataset, error) {
	return p.apply(ctx, d, false)
}

// ApplyTraining makes the columns for the training rows.
func (p *program) ApplyTraining(ctx context.Context, train *Dataset) (*Dataset, error) {
	return p.apply(ctx, train, true)
}

func (p *program) apply(ctx context.Context, d *Dataset, training bool) (*Dataset, error) {
	if err := d.checkTable(); err != nil {
		return nil, err
	}
	if err := p.checkColumns(d); err != nil {
		return nil, fmt.Errorf("datasets: steps of %s: %w: %w", d.label(), ErrSchema, err)
	}
	scales := ScalesOf(p.before)
	if err := d.CheckUnits(scales); err != nil {
		return nil, err
	}
	return p.run(ctx, d.Rescale(scales), training)
}

// checkColumns checks that d has the columns that p was fitted on.
func (p *program) checkColumns(d *Dataset) error {
	if d.P() != len(p.before) {
		return fmt.Errorf("%d columns; they were fitted on %d", d.P(), len(p.before))
	}
	for j, f := range p.before {
		g := d.Features[j]
		if g.Name != f.Name {
			return fmt.Errorf("column %d is %q; they were fitted on %q", j, g.Name, f.Name)
		}
		if g.kind() != f.kind() {
			return fmt.Errorf("column %q is %s; they were fitted on a column that is %s", f.Name, g.kind(), f.kind())
		}
	}
	return nil
}

// run makes the columns of a table that has been checked. If there is anything to do, the rows of the result are
// columns of its own; cells that don't change may be shared with d.
func (p *program) run(ctx context.Context, d *Dataset, training bool) (*Dataset, error) {
	folds, changes := make(map[splitting][]int32), false
	for _, c := range p.columns {
		changes = changes || len(c.Ops) > 0
		for _, o := range c.Ops {
			if !training || o.folds == nil || folds[o.folds.splitting] != nil {
				continue
			}
			if o.folds.rows != d.N() {
				return nil, fmt.Errorf("datasets: steps of %s: want the training data, of %d rows; these have %d",
					d.label(), o.folds.rows, d.N())
			}
			if err := d.checkGroups(d.N()); err != nil {
				return nil, err
			}
			folds[o.folds.splitting] = o.folds.foldOf(d)
		}
	}
	s := *d
	s.Features, s.Columns = slices.Clone(p.after), make([][]float32, len(p.columns))
	if changes {
		s.Rows = nil
	}
	err := parallel.Errors(len(p.before), func(j int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		cells := d.Columns[j]
		if changes {
			cells = d.Column(nil, j)
		}
		codes, err := p.codes(d, j, cells)
		if err != nil {
			return err
		}
		is := p.indicators(j, codes)
		for _, i := range p.made[j] {
			if err := ctx.Err(); err != nil {
				return err
			}
			c, f := &p.columns[i], &s.Features[i]
			if k, ok := c.indicator(len(is)); ok {
				s.Columns[i] = applied(c.Ops[1:], is[k], folds)
				continue
			}
			if f.Categories == nil {
				s.Columns[i] = applied(c.Ops, codes, folds)
				continue
			}
			f.Categories, s.Columns[i] = d.Features[j].Categories, cells
			if len(c.Ops) > 0 && slices.ContainsFunc(cells, missing) { // all fill, so the first does
				category := p.before[j].Categories[int(c.Ops[0].Numbers[0])]
				s.Columns[i] = applied([]Op{{kind: opFill, Numbers: []float64{f.code(category)}}}, cells, nil)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// indicator returns the category, below n, that the column's first operation tells from the others.
func (c *Column) indicator(n int) (category int, ok bool) {
	if len(c.Ops) == 0 || c.Ops[0].kind != opIs || !naming.IsCode(c.Ops[0].Numbers[0], n) {
		return 0, false
	}
	return int(c.Ops[0].Numbers[0]), true
}

// indicators returns, for each category of column j that a column is made of by "is", what that makes of the codes.
// Cells are looked at once, not once for each category.
func (p *program) indicators(j int, codes []float32) [][]float32 {
	is := make([][]float32, len(p.before[j].Categories))
	for _, i := range p.made[j] {
		if k, ok := p.columns[i].indicator(len(is)); ok && is[k] == nil {
			is[k] = make([]float32, len(codes))
		}
	}
	made := slices.DeleteFunc(slices.Clone(is), func(column []float32) bool { return column == nil })
	if len(made) == 0 {
		return is
	}
	for i, v := range codes {
		switch {
		case v != v:
			for _, column := range made {
				column[i] = nan32
			}
		case int(v) < len(is) && is[int(v)] != nil: // not of a category that was unknown
			is[int(v)][i] = 1
		}
	}
	return is
}

func missing(v float32) bool { return v != v }

// code returns the number of a category, which is added if it is not listed.
func (f *Feature) code(category string) float64 {
	c := slices.Index(f.Categories, category)
	if c < 0 {
		c = len(f.Categories)
		f.Categories = append(slices.Clone(f.Categories), category)
	}
	return float64(c)
}

// codes returns the cells of column j of d, with the numbers of the categories before. Other categories have the number
// after the last.
func (p *program) codes(d *Dataset, j int, cells []float32) ([]float32, error) {
	names, known := d.Features[j].Categories, p.before[j].Categories
	if slices.Equal(names, known) {
		return cells, nil
	}
	place := make(map[string]int, len(known))
	for c, name := range known {
		place[name] = c
	}
	code := make([]float32, len(names))
	for c, name := range names {
		code[c] = float32(len(known))
		if at, ok := place[name]; ok {
			code[c] = float32(at)
		}
	}
	strict := slices.ContainsFunc(p.made[j], func(i int) bool {
		return slices.ContainsFunc(p.columns[i].Ops, func(o Op) bool { return o.kind == opNumber })
	})
	codes := slices.Clone(cells)
	for i, v := range cells {
		if v != v {
			continue
		}
		if codes[i] = code[int(v)]; strict && int(codes[i]) == len(known) {
			return nil, fmt.Errorf("datasets: Ordinal of %s: row %d, column %q: %s is not one of the %d categories it "+
				"was fitted on",
				d.label(), i, p.before[j].Name, naming.Clip(names[int(v)]), len(known))
		}
	}
	return codes, nil
}

// applied returns what the operations make of cells, which stay as they are. The folds of training rows are in folds.
func applied(ops []Op, cells []float32, folds map[splitting][]int32) []float32 {
	own := false
	for k := range ops {
		o := &ops[k]
		if o.kind == opNumber || o.kind == opFill && !slices.ContainsFunc(cells, missing) {
			continue // nothing to do
		}
		to := cells
		if !own {
			to, own = make([]float32, len(cells)), true
		}
		var fold []int32
		if o.folds != nil {
			fold = folds[o.folds.splitting]
		}
		for i, v := range cells {
			if fold != nil {
				to[i] = code(o.folds.numbers[fold[i]], v)
			} else {
				to[i] = o.value(v)
			}
		}
		cells = to
	}
	return cells
}

// ApplyRow sets dst to what becomes of a row of a table with the columns before. It returns an error if the row has
// another number of cells, or a category another number than the columns say. It allocates nothing.
func (p *program) ApplyRow(dst, row []float32) error {
	if len(row) != len(p.before) || len(dst) != len(p.columns) {
		return fmt.Errorf("datasets: %w: a row of %d cells for %d; the steps make %d columns of %d",
			ErrSchema, len(row), len(dst), len(p.columns), len(p.before))
	}
	for j, f := range p.before {
		if v := row[j]; f.Categories != nil && v == v && !naming.IsCode(float64(v), len(f.Categories)) {
			return fmt.Errorf("datasets: cell %d of a row, of column %q, is %v; want a code of one of its %d categories, or NaN",
				j, f.Name, v, len(f.Categories))
		}
	}
	for i := range p.columns {
		c := &p.columns[i]
		v := row[c.From]
		for k := range c.Ops {
			v = c.Ops[k].value(v)
		}
		dst[i] = v
	}
	return nil
}
