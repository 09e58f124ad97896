// Package datasets reads tables of data and prepares them for training.
//
// A [Dataset] is a table of float32 columns with class labels (classification)
// or real values (regression). Readers ([ReadCSV], [ReadARFF], [ReadIDX],
// [FromRows], [FromMatrix]) return one. Steps ([OneHot], [Ordinal], [Impute],
// [Standardise], [TargetEncoding], and [Prepare], which does what any table needs) are fitted
// on training data and applied to any other. Package public loads public data sets by name.
//
// Files may come from others: readers have [Limits], so that a small one can't use up memory or time.
//
// What may take long has a context as its first parameter, and returns the context's error soon after it is cancelled:
// readers after a block of text or some thousand rows, steps after a column.
package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/naming"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A Feature describes one column.
type Feature struct {
	Name string

	// Categories names the values of a categorical column, whose cells hold
	// the indices 0, 1, … into it. It is nil for a numeric column.
	Categories []string

	Scale Scale // of a numeric column: what numbers its cells stand for
}

// A Dataset is a table of n rows and p columns with a target.
//
// Exactly one of Labels and Values is set, or neither for unlabelled data.
// Several data sets may share the same Columns, so treat them as read-only.
type Dataset struct {
	Name     string    // short name, such as "letter"
	Target   string    // name of the target column
	Features []Feature // length p

	// Columns holds p slices of equal length. A missing cell is NaN.
	Columns [][]float32

	// Rows selects rows of Columns: row i of the data set is element Rows[i]
	// of every column. Nil selects all of them in order. Labels, Values, Weights
	// and Groups are indexed by i, not by Rows[i].
	Rows []int32

	Labels  []int32  // classification: class index of each row, length n
	Classes []string // classification: class names, at least as many as are in Labels

	Values []float64 // regression: target value of each row, length n

	Weights []float32 // weight of each row, length n; nil means 1

	// Groups has the number of each row's group, length n, 0 or more: the rows of one patient, or of one day. Nil means
	// that rows don't belong together. Whatever draws or divides rows keeps groups whole: samples, so that a row is out
	// of bag only with its group, [KFold] and [Holdout]. So estimates hold for rows of new groups.
	Groups []int32

	// Notes are what its reader found worth saying, a sentence each: texts that were taken for missing cells, how
	// numbers are written, columns and rows that were left out.
	Notes []string
}

// String returns the name, the size and the target in one line.
func (d *Dataset) String() string {
	target := "no target"
	switch {
	case d.Values != nil:
		target = fmt.Sprintf("values of %q", d.Target)
	case d.Labels != nil:
		target = fmt.Sprintf("%d classes of %q", len(d.Classes), d.Target)
	}
	return fmt.Sprintf("%s: %d rows, %d columns, %s", cmp.Or(d.Name, "table"), d.N(), d.P(), target)
}

// mustExist panics if d is nil, as it is next to an error that nobody looked at.
func (d *Dataset) mustExist() {
	if d == nil {
		panic("datasets: the data set is nil; was there an error where it comes from?")
	}
}

// N returns the number of rows.
func (d *Dataset) N() int {
	d.mustExist()
	switch {
	case d.Rows != nil:
		return len(d.Rows)
	case len(d.Columns) > 0:
		return len(d.Columns[0])
	default:
		return max(len(d.Labels), len(d.Values))
	}
}

// P returns the number of columns.
func (d *Dataset) P() int {
	d.mustExist()
	return len(d.Columns)
}

// At returns the cell at row i and column j. It panics if either is out of range.
func (d *Dataset) At(i, j int) float32 {
	if d.Rows != nil {
		i = int(d.Rows[i])
	}
	return d.Columns[j][i]
}

// Text returns the cell at row i and column j as a reader wants to see it: the name of its category, its number or date
// as [Scale.Text] writes it, or "?" if it is missing. It panics if either is out of range.
func (d *Dataset) Text(i, j int) string {
	switch v := d.At(i, j); {
	case v != v:
		return "?"
	case d.Features[j].Categories != nil:
		return d.Features[j].Categories[int(v)]
	default:
		return d.Features[j].Scale.Text(d.Features[j].Scale.Value(v))
	}
}

// Column returns the cells of column j in row order. If d.Rows is nil, it
// returns d.Columns[j]; otherwise it copies the cells into dst, which is grown
// as needed and may be nil. Do not write to the result. It panics if j is out
// of range.
func (d *Dataset) Column(dst []float32, j int) []float32 {
	if d.Rows == nil {
		return d.Columns[j]
	}
	dst = slices.Grow(dst[:0], len(d.Rows))[:len(d.Rows)]
	col := d.Columns[j]
	for i, r := range d.Rows {
		dst[i] = col[r]
	}
	return dst
}

// Row writes row i into dst, which must have length p, and returns dst. If dst
// is nil, it is allocated. Row panics if i is out of range.
func (d *Dataset) Row(dst []float32, i int) []float32 {
	if dst == nil {
		dst = make([]float32, d.P())
	}
	if d.Rows != nil {
		i = int(d.Rows[i])
	}
	for j, col := range d.Columns {
		dst[j] = col[i]
	}
	return dst
}

// Subset returns a data set of the given rows of d, in that order; a row may be
// given more than once. The columns are shared, not copied. Subset panics if a
// row is out of range of d's Rows, Labels, Values, Weights or Groups, where these are
// set; otherwise [Dataset.Check] reports it.
func (d *Dataset) Subset(rows []int32) *Dataset {
	d.mustExist()
	s := *d
	s.Rows = gather(d.Rows, rows)
	if d.Rows == nil {
		s.Rows = append([]int32{}, rows...) // nil would be all rows
	}
	s.Labels = gather(d.Labels, rows)
	s.Values = gather(d.Values, rows)
	s.Weights = gather(d.Weights, rows)
	s.Groups = gather(d.Groups, rows)
	return &s
}

// gather returns the elements of from at the given places, or nil if from is nil.
func gather[T any, I int | int32](from []T, places []I) []T {
	if from == nil {
		return nil
	}
	to := make([]T, len(places))
	for i, place := range places {
		to[i] = from[place]
	}
	return to
}

// Select returns d with only the given columns, in that order and shared with d. It
// panics if a column is out of range.
func (d *Dataset) Select(columns ...int) *Dataset {
	s := *d
	s.Features, s.Columns = gather(d.Features, columns), gather(d.Columns, columns)
	return &s
}

// FeatureNames returns the names of the columns.
func (d *Dataset) FeatureNames() []string { return namesOf(d.Features) }

func namesOf(features []Feature) []string {
	names := make([]string, len(features))
	for j, f := range features {
		names[j] = f.Name
	}
	return names
}

// WeightClasses returns d with the weight of every row multiplied by the weight of its
// class. It takes one weight for each of Classes, finite and not negative, which
// [Dataset.Check] checks. To balance classes, take weights in proportion to 1/ClassCounts.
//
// Weights change which splits are chosen, and the shares of classes in leaves that have several. A fully grown tree has
// few such leaves, so the mean of a forest's probabilities stays well below the weighted share of a rare class, also if
// it is calibrated. For probabilities of weighted rows, calibrate a forest of rows without weights, multiply each
// class's probability by its weight, and divide by the sum.
//
// WeightClasses panics if len(weights) is not len(d.Classes), or if a label is out of
// range. The columns are shared with d.
func (d *Dataset) WeightClasses(weights ...float32) *Dataset {
	if len(weights) != len(d.Classes) {
		panic(fmt.Sprintf("datasets: %d weights for %d classes", len(weights), len(d.Classes)))
	}
	s := *d
	s.Weights = make([]float32, len(d.Labels))
	for i, y := range d.Labels {
		s.Weights[i] = float32(d.weight(i)) * weights[y]
	}
	return &s
}

// ClassCounts returns the number of rows of each class. It panics if a label is out of
// range.
func (d *Dataset) ClassCounts() []int {
	counts := make([]int, len(d.Classes))
	for _, y := range d.Labels {
		counts[y]++
	}
	return counts
}

// Check returns an error if d is not valid training data:
//
//   - it has no rows or no columns, or more than 2³¹−1 of either;
//   - columns differ in length, or Features and Columns do;
//   - Labels, Values, Weights or Groups do not have one element per row;
//   - an element of Rows or Labels, or the code of a category, is out of range, or one of Groups is negative;
//   - both Labels and Values are set;
//   - an element of Values is NaN or infinite, or a weight negative, NaN or infinite.
//
// It does not check the cells of numeric columns; see [Dataset.CheckFinite].
func (d *Dataset) Check() error {
	if err := d.checkTable(); err != nil {
		return err
	}
	n := d.N()
	if n == 0 {
		return d.errorf(" has no rows")
	}
	if err := d.checkTarget(n); err != nil {
		return err
	}
	if d.Weights != nil && len(d.Weights) != n {
		return d.errorf(" has %d weights for %d rows", len(d.Weights), n)
	}
	for i, w := range d.Weights {
		if !(w >= 0) || math.IsInf(float64(w), 0) {
			return d.errorf(": row %d has weight %v; want a finite number, 0 or more", i, w)
		}
	}
	return d.checkGroups(n)
}

func (d *Dataset) checkGroups(n int) error {
	if d.Groups != nil && len(d.Groups) != n {
		return d.errorf(" has groups of %d rows, but %d rows", len(d.Groups), n)
	}
	if i := slices.IndexFunc(d.Groups, func(g int32) bool { return g < 0 }); i >= 0 {
		return d.errorf(": row %d has group %d; want a number of 0 or more", i, d.Groups[i])
	}
	return nil
}

// checkTable checks Features, Columns and Rows, so that every cell can be read. It
// ignores the target and the weights, and accepts a table without rows.
func (d *Dataset) checkTable() error {
	d.mustExist()
	if len(d.Columns) == 0 {
		return d.errorf(" has no columns")
	}
	if len(d.Features) != len(d.Columns) {
		return d.errorf(" has %d columns but %d features", len(d.Columns), len(d.Features))
	}
	base := len(d.Columns[0])
	for j, col := range d.Columns {
		if err := d.Features[j].Scale.Check(); err != nil {
			return d.errorf(": column %q has %w", d.Features[j].Name, err)
		}
		if len(col) != base {
			return d.errorf(": column %q has %d rows, column %q has %d", d.Features[j].Name, len(col), d.Features[0].Name, base)
		}
	}
	if err := d.checkSize(max(d.N(), base), len(d.Columns)); err != nil {
		return err
	}
	for i, r := range d.Rows {
		if r < 0 || int(r) >= base {
			return d.errorf(": row %d refers to row %d; the columns have %d rows", i, r, base)
		}
	}
	return d.checkCodes()
}

func (d *Dataset) checkCodes() error {
	for j, f := range d.Features {
		if f.Categories == nil {
			continue
		}
		for i, v := range d.Columns[j] {
			if v == v && !naming.IsCode(float64(v), len(f.Categories)) {
				return d.errorf(": cell %d of column %q is %v; want a code of one of its %d categories, or NaN",
					i, f.Name, v, len(f.Categories))
			}
		}
	}
	return nil
}

// checkSize returns an error if there are more rows or columns than an int32 can index.
func (d *Dataset) checkSize(rows, columns int) error {
	if uint64(rows) > math.MaxInt32 {
		return d.errorf(" has %d rows; at most %d can be indexed", rows, math.MaxInt32)
	}
	if uint64(columns) > math.MaxInt32 {
		return d.errorf(" has %d columns; at most %d can be indexed", columns, math.MaxInt32)
	}
	return nil
}

func (d *Dataset) checkTarget(n int) error {
	if d.Labels != nil && d.Values != nil {
		return d.errorf(" has both labels and values; want one target")
	}
	if d.Labels != nil && len(d.Labels) != n {
		return d.errorf(" has %d labels for %d rows", len(d.Labels), n)
	}
	for i, y := range d.Labels {
		if y < 0 || int(y) >= len(d.Classes) {
			return d.errorf(": row %d has label %d; there are %d classes", i, y, len(d.Classes))
		}
	}
	if d.Values != nil && len(d.Values) != n {
		return d.errorf(" has %d target values for %d rows", len(d.Values), n)
	}
	for i, y := range d.Values {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return d.errorf(": row %d has target %v; want a finite number", i, y)
		}
	}
	return nil
}

// CheckFinite returns an error unless all cells of d are finite and all columns numeric,
// as models need them. The error names the first column that is not so, and what to do
// about it; it wraps [ErrMissing] if a cell is missing (NaN), and [ErrCategorical] if a
// column is categorical. CheckFinite also returns an error if the columns are invalid (see
// [Dataset.Check]). Learners call it, and forests before they predict, or
// [Dataset.CheckCells] if they take missing cells.
func (d *Dataset) CheckFinite() error { return d.checkCells(false) }

// CheckCells is [Dataset.CheckFinite] for models that take missing cells and categorical columns.
func (d *Dataset) CheckCells() error { return d.checkCells(true) }

// checkCells is CheckFinite. Cells may be missing and columns categorical if that is said.
func (d *Dataset) checkCells(raw bool) error {
	if err := d.checkTable(); err != nil {
		return err
	}
	const perGoroutine = 1 << 18 // cells
	p := d.P()
	parts := min(p, 1+d.N()*p/perGoroutine)
	return parallel.Errors(parts, func(k int) error {
		for j := k * p / parts; j < (k+1)*p/parts; j++ {
			if err := d.checkColumn(j, raw); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d *Dataset) checkColumn(j int, raw bool) error {
	col, feature := d.Columns[j], d.Features[j]
	if feature.Categories != nil {
		if raw {
			return nil // checkTable has checked it
		}
		return d.errorf(": column %q %w (%d categories); encode it with OneHot or Ordinal first",
			feature.Name, ErrCategorical, len(feature.Categories))
	}
	if d.Rows == nil && finite(col) {
		return nil
	}
	for i := range d.N() {
		r := i
		if d.Rows != nil {
			r = int(d.Rows[i])
		}
		v := col[r]
		if v-v == 0 || raw && v != v {
			continue
		}
		if v != v {
			return d.errorf(": row %d, column %q: %w (NaN); fill it with Impute first", i, feature.Name, ErrMissing)
		}
		return d.errorf(": row %d, column %q is %v; want a finite number", i, feature.Name, v)
	}
	return nil
}

// finite reports whether all cells are finite. If their sum is, they are. Otherwise the
// sum may only have overflowed, so it checks each cell.
func finite(cells []float32) bool {
	var a, b, c, d, e, f, g, h float32 // eight sums, since additions to one wait for each other
	s := cells
	for ; len(s) >= 8; s = s[8:] {
		a += s[0]
		b += s[1]
		c += s[2]
		d += s[3]
		e += s[4]
		f += s[5]
		g += s[6]
		h += s[7]
	}
	for _, v := range s {
		a += v
	}
	if sum := a + b + c + d + e + f + g + h; sum-sum == 0 {
		return true
	}
	return !slices.ContainsFunc(cells, func(v float32) bool { return v-v != 0 })
}

// errorf returns an error about d, whose name comes before the text.
func (d *Dataset) errorf(format string, args ...any) error {
	return fmt.Errorf("datasets: %s"+format, append([]any{d.label()}, args...)...)
}

// label names d in error messages.
func (d *Dataset) label() string {
	if d.Name == "" {
		return "data set"
	}
	return fmt.Sprintf("data set %q", d.Name)
}
