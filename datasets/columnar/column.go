package columnar

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"

	"github.com/obliqua-ml/obliqua/datasets"
)

type role uint8

const (
	guessed role = iota // feature, numeric or categorical by its type
	numeric
	categorical
	dropped
	classTarget
	valueTarget
)

// A column is a column being read, batch by batch. Only one goroutine uses it at a time.
type column struct {
	field
	role  role
	coder *coder // of categories and classes

	cells      []float32 // features
	exact      []float64 // instead of cells, of features whose numbers may fall together as float32, or are dates
	wide       bool      // whether there are exact numbers, even if no row was read
	rounded    bool      // float32 doesn't hold some number, so isWide has decided
	scale      datasets.Scale
	labels     []int32   // class target
	values     []float64 // value target
	categories []string  // set by recode

	codes []int32         // of the cells of the last batch, or missing
	dict  arrow.ArrayData // the last dictionary
	place []int32         // codes of its entries, or missing or unknown
}

// Values of column.codes and column.place that are not codes.
const (
	missing = -1
	unknown = -2 // not looked up yet
)

var errMissingTarget = errors.New("the target is missing")

// grow makes room for more rows.
func (c *column) grow(rows int) {
	switch c.role {
	case classTarget:
		c.labels = slices.Grow(c.labels, rows)
	case valueTarget:
		c.values = slices.Grow(c.values, rows)
	case numeric, categorical:
		if c.wide {
			c.exact = slices.Grow(c.exact, rows)
		} else {
			c.cells = slices.Grow(c.cells, rows)
		}
	}
}

// append adds a batch, which begins with the given row. It looks at ctx every numberRows rows.
func (c *column) append(ctx context.Context, a arrow.Array, row int) error {
	for from := 0; from == 0 || from < a.Len(); from += numberRows { // an empty batch may have a dictionary
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := array.NewSlice(a, int64(from), int64(min(from+numberRows, a.Len())))
		if err := c.appendPiece(piece, row+from); err != nil {
			return err
		}
	}
	return nil
}

func (c *column) appendPiece(a arrow.Array, row int) (err error) {
	switch c.role {
	case numeric:
		n := len(c.cells)
		if !c.wide && c.isWide(a, row) {
			c.widen(n)
		}
		if c.wide {
			return c.appendExact(a, row)
		}
		if c.cells, err = Numbers(c.cells, a); err != nil {
			return err
		}
		if c.kind() == whole && slices.ContainsFunc(c.cells[n:], isLong) {
			c.widen(n)
			return c.appendExact(a, row)
		}
		return checkNumbers(c.cells[n:], row, false)
	case valueTarget:
		n := len(c.values)
		if c.values, err = Numbers(c.values, a); err != nil {
			return err
		}
		return checkNumbers(c.values[n:], row, true)
	case categorical:
		if err := c.encode(a, row); err != nil {
			return err
		}
		for _, code := range c.codes {
			v := float32(code)
			if code < 0 {
				v = float32(math.NaN())
			}
			c.cells = append(c.cells, v)
		}
	case classTarget:
		if err := c.encode(a, row); err != nil {
			return err
		}
		if i := slices.Index(c.codes, missing); i >= 0 {
			return &cellError{row + i, errMissingTarget}
		}
		c.labels = append(c.labels, c.codes...)
	}
	return nil
}

// isLong reports whether a whole number may have lost digits.
func isLong(v float32) bool { return v >= 1<<24 || v <= -1<<24 }

// widen makes exact numbers of the first n cells, none of which has lost digits.
func (c *column) widen(n int) {
	c.wide, c.exact = true, make([]float64, 0, cap(c.cells))
	for _, v := range c.cells[:n] {
		c.exact = append(c.exact, float64(v))
	}
	c.cells = nil
}

// isWide reports whether a column has dates, or numbers that would fall together as float32. Whether they would is
// decided by the first rows or, if float32 holds all numbers of these, from the first one on that it doesn't hold.
func (c *column) isWide(a arrow.Array, row int) bool {
	const some = 1024
	if c.perDay != 0 || c.scale.Offset != 0 || c.scale.Step != 0 {
		return true
	}
	if c.rounded {
		return false
	}
	switch a.DataType().ID() {
	case arrow.FLOAT64, arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256:
		numbers, err := Numbers[float64](nil, a)
		if err != nil {
			return false
		}
		from := slices.IndexFunc(numbers, func(v float64) bool { return v == v && float64(float32(v)) != v })
		if from < 0 {
			return false
		}
		if row == 0 && from < some {
			from = 0
		}
		c.rounded = true
		numbers = numbers[from:min(from+some, len(numbers))]
		if checkNumbers(numbers, 0, false) != nil {
			return false
		}
		_, scale, _ := datasets.Cells(numbers)
		return scale != datasets.Scale{}
	}
	return false
}

func (c *column) appendExact(a arrow.Array, row int) (err error) {
	n := len(c.exact)
	if c.exact, err = Numbers(c.exact, a); err != nil {
		return err
	}
	if c.perDay != 0 {
		for i := range c.exact[n:] {
			c.exact[n+i] /= c.perDay
		}
	}
	return checkNumbers(c.exact[n:], row, false)
}

// settleCells makes cells of exact numbers, with the given scale if there is one. It returns what there is to say.
func (c *column) settleCells(like bool) (note string) {
	if !c.wide {
		return ""
	}
	if like {
		for _, v := range c.exact {
			c.cells = append(c.cells, c.scale.Cell(v))
		}
		return ""
	}
	unit := c.scale.Unit
	if c.perDay != 0 {
		c.cells, c.scale, _ = datasets.DateCells(c.exact)
		note = "has dates, which are read as days since 1970"
	} else {
		c.cells, c.scale, note = datasets.Cells(c.exact)
	}
	c.scale.Unit = unit
	return note
}

// recode sorts the categories and gives the cells their final codes.
func (c *column) recode() {
	if c.coder == nil {
		return
	}
	var place []int32
	if c.categories, place = c.coder.sorted(); c.categories == nil {
		c.categories = []string{} // nil would be a numeric column
	}
	if place == nil {
		return
	}
	for i, v := range c.cells {
		if v == v {
			c.cells[i] = float32(place[int32(v)])
		}
	}
	for i, y := range c.labels {
		c.labels[i] = place[y]
	}
}

// Numbers appends the numbers of an array, rounded to nearest, and NaN for null. Numbers beyond
// F become infinities. It returns an error for an array of text.
func Numbers[F float32 | float64](to []F, a arrow.Array) ([]F, error) {
	n := len(to)
	to, ok := appendPlain(to, a)
	if !ok {
		at, err := numberAt[F](a)
		if err != nil {
			return to, err
		}
		for i := range a.Len() {
			v := F(math.NaN())
			if a.IsValid(i) {
				v = at(i)
			}
			to = append(to, v)
		}
		return to, nil
	}
	if len(to)-n != a.Len() {
		return to, fmt.Errorf("%d values in a batch of %d rows", len(to)-n, a.Len())
	}
	if a.NullN() > 0 {
		for i := range a.Len() {
			if a.IsNull(i) {
				to[n+i] = F(math.NaN())
			}
		}
	}
	return to, nil
}

// appendPlain appends the numbers of an array of integers or floats, and anything for null. For other arrays it
// returns false.
func appendPlain[F float32 | float64 | int64](to []F, a arrow.Array) ([]F, bool) {
	switch a := a.(type) {
	case *array.Int8:
		to = convert(to, a.Int8Values())
	case *array.Int16:
		to = convert(to, a.Int16Values())
	case *array.Int32:
		to = convert(to, a.Int32Values())
	case *array.Int64:
		to = convert(to, a.Int64Values())
	case *array.Uint8:
		to = convert(to, a.Uint8Values())
	case *array.Uint16:
		to = convert(to, a.Uint16Values())
	case *array.Uint32:
		to = convert(to, a.Uint32Values())
	case *array.Uint64:
		to = convert(to, a.Uint64Values())
	case *array.Date32:
		to = convert(to, a.Date32Values())
	case *array.Date64:
		to = convert(to, a.Date64Values())
	case *array.Timestamp:
		to = convert(to, a.TimestampValues())
	case *array.Float32:
		to = convert(to, a.Float32Values())
	case *array.Float64:
		to = convert(to, a.Float64Values())
	default:
		return to, false
	}
	return to, true
}

func convert[F float32 | float64 | int64, T arrow.IntType | arrow.UintType | float32 | float64](to []F, from []T) []F {
	n := len(to)
	to = slices.Grow(to, len(from))[:n+len(from)]
	for i, v := range from {
		to[n+i] = F(v)
	}
	return to
}

// numberAt returns a function that returns the number of a row, for arrays that are neither integers nor floats.
func numberAt[F float32 | float64](a arrow.Array) (func(int) F, error) {
	var scale int32 // a decimal number is its digits times 10^−scale
	if typ, ok := a.DataType().(arrow.DecimalType); ok {
		scale = typ.GetScale()
	}
	nearest := func(small int64, large *big.Int) F {
		return F(decimal(small, large, scale, 8*int(unsafe.Sizeof(F(0)))))
	}
	switch a := a.(type) {
	case *array.Null:
		return func(int) F { return F(math.NaN()) }, nil
	case *array.Boolean:
		return func(i int) F {
			if a.Value(i) {
				return 1
			}
			return 0
		}, nil
	case *array.Float16:
		return func(i int) F { return F(a.Value(i).Float32()) }, nil
	case *array.Decimal32:
		return func(i int) F { return nearest(int64(a.Value(i)), nil) }, nil
	case *array.Decimal64:
		return func(i int) F { return nearest(int64(a.Value(i)), nil) }, nil
	case *array.Decimal128:
		return func(i int) F {
			v := a.Value(i)
			if low := int64(v.LowBits()); v == decimal128.FromI64(low) {
				return nearest(low, nil)
			}
			return nearest(0, v.BigInt())
		}, nil
	case *array.Decimal256:
		return func(i int) F {
			v := a.Value(i)
			if low := int64(v.LowBits()); v == decimal256.FromI64(low) {
				return nearest(low, nil)
			}
			return nearest(0, v.BigInt())
		}, nil
	}
	return nil, fmt.Errorf("an array of %s can't be read as numbers", a.DataType())
}

// decimal returns the float of the given size that is nearest to digits · 10^−scale, or an
// infinity. The digits are large or, if that is nil, small.
func decimal(small int64, large *big.Int, scale int32, bits int) float64 {
	if large == nil && 0 <= scale && scale <= 22 && -1<<53 <= small && small <= 1<<53 {
		// One division of exact numbers is rounded to nearest. Rounding again to 32 bits can
		// be wrong only if v is the midpoint of two float32.
		v := float64(small) / math.Pow10(int(scale))
		if bits == 64 {
			return v
		}
		if math.Float64bits(v)&(1<<29-1) != 1<<28 {
			return float64(float32(v))
		}
	}
	if large == nil {
		large = big.NewInt(small)
	}
	v, _ := strconv.ParseFloat(large.String()+"e"+strconv.Itoa(-int(scale)), bits) // digits: only the range can fail
	return v
}

// checkNumbers returns an error unless the numbers are finite or, in features, NaN.
func checkNumbers[F float32 | float64](numbers []F, row int, target bool) error {
	for i, v := range numbers {
		if v-v == 0 {
			continue
		}
		switch {
		case v == v && target:
			return &cellError{row + i, errors.New("the target is infinite or beyond float64; want a finite number")}
		case v == v:
			return &cellError{
				row + i,
				errors.New("the number is infinite or beyond float32; list the column in Drop or change it"),
			}
		case target:
			return &cellError{row + i, errMissingTarget}
		}
	}
	return nil
}

// encode sets c.codes to the codes of a batch, or missing.
func (c *column) encode(a arrow.Array, row int) error {
	c.codes = slices.Grow(c.codes[:0], a.Len())[:a.Len()]
	if d, ok := a.(*array.Dictionary); ok {
		return c.encodeDictionary(d, row)
	}
	at, err := textAt(a)
	if err != nil {
		return err
	}
	for i := range c.codes {
		if c.codes[i], err = c.lookup(at, i); err != nil {
			return &cellError{row + i, err}
		}
	}
	return nil
}

// encodeDictionary is encode for dictionaries. It looks up each entry once, not each cell.
func (c *column) encodeDictionary(a *array.Dictionary, row int) error {
	entries := a.Dictionary()
	at, err := textAt(entries)
	if err != nil {
		return err
	}
	if c.dict != a.Data().Dictionary() {
		c.dict = a.Data().Dictionary()
		c.place = slices.Grow(c.place[:0], entries.Len())[:entries.Len()]
		for k := range c.place {
			c.place[k] = unknown
			if c.listed && !c.coder.fixed {
				if c.place[k], err = c.lookup(at, k); err != nil {
					return fmt.Errorf("entry %d of its dictionary: %w", k, err)
				}
			}
		}
	}
	for i := range c.codes {
		c.codes[i] = missing
		if a.IsNull(i) {
			continue
		}
		k := a.GetValueIndex(i)
		if k < 0 || k >= len(c.place) {
			return &cellError{row + i, fmt.Errorf("index %d into a dictionary of %d entries", k, len(c.place))}
		}
		if c.place[k] == unknown {
			if c.place[k], err = c.lookup(at, k); err != nil {
				return &cellError{row + i, err}
			}
		}
		c.codes[i] = c.place[k]
	}
	return nil
}

// lookup returns the code of the text at(i).
func (c *column) lookup(at textFunc, i int) (int32, error) {
	s, ok, err := at(i)
	if err != nil || !ok {
		return missing, err
	}
	return c.coder.code(s)
}

// A textFunc returns the category of a row; ok is false if it is null or NaN.
type textFunc func(i int) (s string, ok bool, err error)

// textAt returns the categories of an array that isn't a dictionary.
func textAt(a arrow.Array) (textFunc, error) {
	at, err := textsAt(a)
	return orNull(a, at), err
}

// orNull returns a function for an array of which at returns the categories that aren't null.
func orNull(a arrow.Array, at textFunc) textFunc {
	if a.NullN() == 0 {
		return at
	}
	return func(i int) (string, bool, error) {
		if a.IsNull(i) {
			return "", false, nil
		}
		return at(i)
	}
}

func textsAt(a arrow.Array) (textFunc, error) {
	all := func(at func(int) string) (textFunc, error) {
		return func(i int) (string, bool, error) { return at(i), true, nil }, nil
	}
	switch a := a.(type) {
	case array.StringLike:
		return func(i int) (string, bool, error) { return a.Value(i), true, nil }, nil // the fast one
	case interface{ ValueString(int) string }: // binary
		return all(a.ValueString)
	case *array.Boolean:
		return all(func(i int) string { return strconv.FormatBool(a.Value(i)) })
	case *array.Uint64:
		return all(func(i int) string { return strconv.FormatUint(a.Value(i), 10) })
	}
	if arrow.IsInteger(a.DataType().ID()) {
		integers, _ := appendPlain[int64](nil, a)
		return all(func(i int) string { return strconv.FormatInt(integers[i], 10) })
	}
	numbers, err := Numbers[float64](nil, a)
	return func(i int) (string, bool, error) { return wholeText(numbers[i]) }, err
}

// wholeText returns the digits of a number without a fraction.
func wholeText(v float64) (s string, ok bool, err error) {
	switch {
	case v != v:
		return "", false, nil
	case v != math.Trunc(v) || math.Abs(v) > 1<<53:
		return "", false, fmt.Errorf("%v is not a whole number up to 2⁵³, as categories must be", v)
	}
	return strconv.FormatInt(int64(v), 10), true, nil
}
