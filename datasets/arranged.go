package datasets

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An encoding is what becomes of a column's known cells.
type encoding uint8

const (
	leftOut   encoding = iota
	unchanged          // numbers, or categories that are encoded by their targets later
	indicated          // an indicator of each category, or only of the second of two
	ordered            // the places of intervals
	encodings
)

// An arrangement is what becomes of a column.
type arrangement struct {
	as      encoding
	missing bool    // whether there is a further column, 1 where the cell is missing
	codes   []int32 // indicated: the categories with training rows, at least two, ascending
}

const missingSuffix = " is missing"

// shown returns the categories that have an indicator.
func (a *arrangement) shown() []int32 {
	if len(a.codes) == 2 {
		return a.codes[1:]
	}
	return a.codes
}

// places returns for each category of f the place of its interval or the number of its
// indicator. That is −1 for a category without training rows, and the number of
// indicators for one without an indicator.
func (a *arrangement) places(f Feature) []int32 {
	if a.as == ordered {
		return intervalPlaces(f.Categories)
	}
	places := make([]int32, len(f.Categories))
	for c := range places {
		places[c] = -1
	}
	shown := a.shown()
	for _, c := range a.codes {
		places[c] = int32(len(shown))
	}
	for i, c := range shown {
		places[c] = int32(i)
	}
	return places
}

// An arranged is the first transform of a fitted [Prepare]. It leaves cells missing, and
// categories in columns that have too many of them.
type arranged struct {
	before, after []Feature
	columns       []arrangement
	places        [][]int32 // by column; nil if it is left out or unchanged
}

func newArranged(before []Feature, columns []arrangement) arranged {
	t := arranged{before: before, columns: columns, places: make([][]int32, len(before))}
	for j, f := range before {
		a := &columns[j]
		switch a.as {
		case unchanged:
			t.after = append(t.after, f)
		case ordered:
			t.after = append(t.after, Feature{Name: f.Name})
			t.places[j] = a.places(f)
		case indicated:
			for _, c := range a.shown() {
				t.after = append(t.after, Feature{Name: f.Name + "=" + f.Categories[c]})
			}
			t.places[j] = a.places(f)
		}
		if a.missing {
			t.after = append(t.after, Feature{Name: f.Name + missingSuffix})
		}
	}
	return t
}

// Apply arranges the columns. The result has the rows of d as columns of its own.
func (t arranged) Apply(ctx context.Context, d *Dataset) (*Dataset, error) {
	if err := checkFitted("Prepare", t.before, d); err != nil {
		return nil, err
	}
	features, columns := slices.Clone(t.after), make([][]float32, 0, len(t.after))
	for j, f := range t.before {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cells := d.Column(nil, j)
		switch a := &t.columns[j]; a.as {
		case unchanged:
			features[len(columns)] = d.Features[j] // whose categories may be others
			columns = append(columns, cells)
		case ordered, indicated:
			// From here on by the categories of d.
			places := indicesIn(d.Features[j].Categories, f.Categories)
			for c, index := range places {
				if index >= 0 {
					places[c] = t.places[j][index]
				}
			}
			if a.as == ordered {
				columns = append(columns, placed(cells, places))
			} else {
				columns = append(columns, indicatorsOrMissing(cells, places, len(a.shown()))...)
			}
		}
		if t.columns[j].missing {
			columns = append(columns, missingCells(cells))
		}
	}
	s := d.withColumns(features, columns)
	s.Rows = nil
	return s, nil
}

// placed returns the place of each cell's category, NaN if it is negative.
func placed(cells []float32, places []int32) []float32 {
	out := make([]float32, len(cells))
	for i, v := range cells {
		out[i] = nan32
		if v == v && places[int32(v)] >= 0 {
			out[i] = float32(places[int32(v)])
		}
	}
	return out
}

// indicatorsOrMissing returns k columns; row i of column places[cells[i]] is 1, if there is
// such a column. If the place is negative, row i is missing in all of them.
func indicatorsOrMissing(cells []float32, places []int32, k int) [][]float32 {
	columns := newColumns(len(cells), k)
	for i, v := range cells {
		place := int32(-1)
		if v == v {
			place = places[int32(v)]
		}
		if place < 0 {
			for _, column := range columns {
				column[i] = nan32
			}
		} else if int(place) < k {
			columns[place][i] = 1
		}
	}
	return columns
}

func missingCells(cells []float32) []float32 {
	out := make([]float32, len(cells))
	for i, v := range cells {
		if v != v {
			out[i] = 1
		}
	}
	return out
}

// An interval is a range of numbers that a category names.
type interval struct {
	low, high float64
	category  int
}

// intervalPlaces returns for each category its place in ascending order, if all are numbers
// or intervals of which no two overlap, and at least one is not a number. Otherwise it returns
// nil: numbers were called categories on purpose.
func intervalPlaces(categories []string) []int32 {
	intervals := make([]interval, len(categories))
	numbers := true
	for c, name := range categories {
		low, high, ok := parseInterval(name)
		if !ok {
			return nil
		}
		intervals[c] = interval{low, high, c}
		numbers = numbers && low == high
	}
	if numbers {
		return nil
	}
	slices.SortFunc(intervals, func(a, b interval) int {
		return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high))
	})
	places := make([]int32, len(categories))
	for i, at := range intervals {
		if i > 0 {
			before := intervals[i-1]
			if before.high > at.low || before.low == at.low && before.high == at.high {
				return nil
			}
		}
		places[at.category] = int32(i)
	}
	return places
}

// parseInterval reads a number (7), an interval (30-39), or one that is open at an end (<10,
// >=70, 70+).
func parseInterval(s string) (low, high float64, ok bool) {
	s = strings.TrimSpace(s)
	if low, ok = parseFinite(s); ok {
		return low, low, true
	}
	if len(s) < 2 {
		return 0, 0, false
	}
	low, high = math.Inf(-1), math.Inf(1)
	switch {
	case s[0] == '<':
		high, ok = parseFinite(strings.TrimPrefix(s[1:], "="))
		return low, high, ok
	case s[0] == '>':
		low, ok = parseFinite(strings.TrimPrefix(s[1:], "="))
		return low, high, ok
	case s[len(s)-1] == '+':
		low, ok = parseFinite(s[:len(s)-1])
		return low, high, ok
	}
	from, to, _ := strings.Cut(s[1:], "-") // a first - is a sign
	low, ok = parseFinite(s[:1] + from)
	if ok {
		high, ok = parseFinite(to)
	}
	return low, high, ok && low < high
}

func parseFinite(s string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return v, err == nil && v-v == 0
}

// append appends the fitted parameters to b.
func (t arranged) append(b []byte) []byte {
	for _, a := range t.columns {
		head := uint64(a.as) * 2
		if a.missing {
			head++
		}
		b = binary.AppendUvarint(b, head)
		if a.as == indicated {
			b = binary.AppendUvarint(b, uint64(len(a.codes)))
			for _, c := range a.codes {
				b = binary.AppendUvarint(b, uint64(c))
			}
		}
	}
	return b
}

func (r *stepReader) arranged(columns []Feature) arranged {
	arrangements := make([]arrangement, len(columns))
	most := 1<<16 + 64*r.size
	made, length := 0, 0 // columns, and bytes by which their names are longer than the file says
	for j, f := range columns {
		a := &arrangements[j]
		head := r.number("what becomes of a column")
		a.as, a.missing = encoding(min(head/2, uint64(encodings))), head%2 == 1
		switch {
		case a.as == encodings:
			r.failf("column %q is encoded in way %d; this version knows 0 to %d", f.Name, head/2, encodings-1)
		case a.as == ordered && intervalPlaces(f.Categories) == nil:
			r.failf("column %q is ordered; want categories that are intervals", f.Name)
		case a.as == indicated:
			a.codes = r.codes(f)
			length += len(a.shown()) * (len(f.Name) + 1)
			made += len(a.shown())
		}
		if a.as == unchanged || a.as == ordered {
			made++
		}
		if a.missing {
			length += len(f.Name) + len(missingSuffix)
			made++
		}
		if r.err != nil {
			return arranged{}
		}
	}
	if made == 0 || length > most {
		r.failf("Prepare would make %d columns, with %d bytes of names; want 1 column or more, and at most %d bytes", made, length, most)
		return arranged{}
	}
	return newArranged(columns, arrangements)
}

// codes reads the codes of at least two categories of f, ascending.
func (r *stepReader) codes(f Feature) []int32 {
	codes := make([]int32, r.count(1, "categories with rows"))
	for i := range codes {
		c := r.number("a category")
		if c >= uint64(len(f.Categories)) || i > 0 && int32(c) <= codes[i-1] {
			r.failf("column %q has rows of category %d; want ascending numbers below %d", f.Name, c, len(f.Categories))
			return nil
		}
		codes[i] = int32(c)
	}
	if len(codes) < 2 {
		r.failf("column %q becomes indicators of %d categories; want two or more", f.Name, len(codes))
	}
	return codes
}
