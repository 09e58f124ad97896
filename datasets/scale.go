package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Scale says what number a cell of a numeric column stands for: Offset + Step·cell. A cell is a float32 and holds 24
// bits, so readers keep a column relative to an offset if its values would fall together otherwise, such as times in
// milliseconds since 1970. The zero value stands for the cell itself.
type Scale struct {
	Offset float64
	Step   float64 // 0 means 1
	Unit   string  // that the numbers are written with, such as $ or %
}

func (s Scale) step() float64 { return cmp.Or(s.Step, 1) }

// Value returns the number that a cell stands for.
func (s Scale) Value(cell float32) float64 { return s.Offset + float64(s.step()*float64(cell)) }

// Cell returns the cell that stands for a number, which may be infinite if the number is far off.
func (s Scale) Cell(value float64) float32 { return float32((value - s.Offset) / s.step()) }

// String returns what is said of the column, such as "relative to 1.7e+12".
func (s Scale) String() string {
	of := ""
	if s.step() != 1 {
		of = fmt.Sprintf(" in steps of %v", s.Step)
	}
	return fmt.Sprintf("relative to %v%s", s.Offset, of)
}

// Of returns what a cell of a column of a name is, such as "time − 1700000000000": the name if that is the number
// itself. Dates are days since 1970.
func (s Scale) Of(name string) string {
	if s.isDate() || s.Offset > 0 {
		name += " − " + s.Text(s.Offset)
	} else if s.Offset < 0 {
		name += " + " + s.Text(-s.Offset)
	}
	switch {
	case s.step() == 1:
		return name
	case s.Offset != 0:
		name = "(" + name + ")"
	}
	return fmt.Sprintf("%s/%.15g", name, s.Step)
}

// Check returns an error if the scale has a number that isn't finite, or a step below 0.
func (s Scale) Check() error {
	if s.Offset-s.Offset != 0 || s.Step-s.Step != 0 || s.Step < 0 {
		return fmt.Errorf("a scale of offset %v and step %v; want finite numbers, and no step below 0", s.Offset, s.Step)
	}
	return nil
}

// Agrees reports whether the numbers of two columns mean the same as far as their units say: both are dates, or have
// the same unit, or are amounts of money in any currency. A column without a unit agrees with all others.
func (s Scale) Agrees(with Scale) bool {
	switch {
	case s.Unit == "" || with.Unit == "" || s.Unit == with.Unit:
		return true
	case s.isDate() || with.isDate():
		return s.isDate() && with.isDate()
	}
	return isCurrency(s.Unit) && isCurrency(with.Unit)
}

// CheckUnits returns an error that wraps [ErrSchema] if a column doesn't agree with its scale in training data; see
// [Scale.Agrees]. There is a scale for each column; nil stands for scales of zero.
func (d *Dataset) CheckUnits(scales []Scale) error {
	for j, f := range d.Features {
		if j < len(scales) && !f.Scale.Agrees(scales[j]) {
			return fmt.Errorf("datasets: %w: column %q of %s has %s; the training data had %s", ErrSchema, f.Name, d.label(),
				f.Scale.unit(), scales[j].unit())
		}
	}
	return nil
}

// unit says in what the numbers are.
func (s Scale) unit() string {
	switch {
	case s.isDate():
		return "dates"
	case s.Unit == "":
		return "no unit"
	}
	return fmt.Sprintf("the unit %q", s.Unit)
}

// ScalesOf returns the scales of columns, nil if all are zero.
func ScalesOf(features []Feature) []Scale {
	scales, some := make([]Scale, len(features)), false
	for j, f := range features {
		scales[j] = f.Scale
		some = some || f.Scale != Scale{}
	}
	if !some {
		return nil
	}
	return scales
}

// rescaled returns cells of the scale from as cells of the scale to.
func rescaled(cells []float32, from, to Scale) []float32 {
	made := make([]float32, len(cells))
	for i, v := range cells {
		made[i] = to.Cell(from.Value(v))
	}
	return made
}

// Rescale returns d with numeric columns of the given scales, one for each column; nil stands for scales of zero.
// Columns whose scale differs are copied, and all others shared.
func (d *Dataset) Rescale(scales []Scale) *Dataset {
	s, own := *d, false
	for j, f := range d.Features {
		from, to := f.Scale, Scale{}
		if j < len(scales) {
			to = scales[j]
		}
		if f.Categories != nil || from.Offset == to.Offset && from.step() == to.step() {
			continue
		}
		if !own {
			s.Features, s.Columns, own = slices.Clone(d.Features), slices.Clone(d.Columns), true
		}
		s.Features[j].Scale, s.Columns[j] = to, rescaled(d.Columns[j], from, to)
	}
	return &s
}

// precision notices numbers of a column that may fall together as float32. Whole numbers of more than 24 bits may, and
// others are compared among the first few.
type precision struct {
	look bool // the column has to be looked at in float64
	some []float64

	exact []float64 // the numbers of a column that is
}

const fewPrecise = 64 // numbers that are compared

// add looks at a number that takes more than 24 bits.
func (p *precision) add(v float64) {
	if size := math.Abs(v); size >= 1<<24 && v == math.Trunc(v) || size < smallestNormal32 || size > math.MaxFloat32 {
		p.look = true
	} else if len(p.some) < fewPrecise {
		p.some = append(p.some, v)
	}
}

const smallestNormal32 = 0x1p-126

// doubtful reports whether the column has to be looked at in float64.
func (p *precision) doubtful() bool {
	if p.look {
		return true
	}
	var first [256]float64 // number of each hash, 0 if there is none
	pairs := 0
	for _, v := range p.some {
		bits := math.Float32bits(float32(v))
		at := &first[(bits*0x9e3779b1)>>24]
		switch {
		case *at == 0:
			*at = v
		case *at != v && float32(*at) == float32(v):
			pairs++
		}
	}
	return pairs > len(p.some)/fewPrecise // one pair of so many is chance
}

// together is how many of a column's distinct numbers may fall together, out of one, before it is kept relative to an
// offset, unless all are whole.
const together = 0.01

// closeTogether is how many times as large as their range whole numbers are at least if they lie close together.
const closeTogether = 128

// Cells returns the cells for the numbers of a column, NaN where one is missing, and their scale, which is zero
// unless different numbers would fall together as float32, or whole numbers that lie close together, such as times of a
// day in milliseconds since 1970, would be rounded. The note, "" if there is nothing to say, goes on after the
// column's name: that it has a scale, or that some numbers fall together all the same. The numbers must be finite.
func Cells(values []float64) (cells []float32, scale Scale, note string) {
	sorted := make([]float64, 0, len(values))
	whole := true
	for _, v := range values {
		if v == v {
			sorted = append(sorted, v)
			whole = whole && v == math.Trunc(v)
		}
	}
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	numbers := len(sorted)
	kept := func(s Scale) int { // distinct cells, 0 if one is infinite
		n, last := 0, nan32
		for _, v := range sorted {
			cell := s.Cell(v)
			if cell-cell != 0 {
				return 0
			}
			if cell != last {
				n++
			}
			last = cell
		}
		return n
	}
	lost := numbers - kept(scale)
	near := whole && numbers > 1 && sorted[numbers-1]-sorted[0] < math.Max(-sorted[0], sorted[numbers-1])/closeTogether &&
		slices.ContainsFunc(sorted, func(v float64) bool { return float64(float32(v)) != v })
	matters := func() bool { return lost > 0 && (whole || float64(lost) > together*float64(numbers)) }
	if matters() || near {
		for _, better := range scalesOf(sorted, whole) {
			if left := numbers - kept(better); left < lost || near && left == lost {
				scale, lost = better, left
				note = fmt.Sprintf("is kept %v, since its numbers have more digits than a cell holds", scale)
			}
		}
	}
	if matters() {
		if note != "" {
			note += "; even so it "
		}
		note += fmt.Sprintf("has %d different numbers, of which %d are told apart", numbers, numbers-lost)
	}
	cells = make([]float32, len(values))
	for i, v := range values {
		cells[i] = scale.Cell(v)
	}
	return cells, scale, note
}

// scalesOf returns scales to try for sorted numbers: relative to their median, in steps of the greatest common divisor
// of the differences if all are whole, and relative to 0.
func scalesOf(sorted []float64, whole bool) []Scale {
	middle := Scale{Offset: sorted[len(sorted)/2]}
	span := math.Max(middle.Offset-sorted[0], sorted[len(sorted)-1]-middle.Offset)
	if whole && span < 1<<53 {
		divisor := int64(0)
		for _, v := range sorted {
			for rest := int64(math.Abs(v - middle.Offset)); rest != 0; {
				divisor, rest = rest, divisor%rest
			}
		}
		if divisor > 1 {
			middle.Step = float64(divisor)
		}
		return []Scale{middle}
	}
	if span > math.MaxFloat32 || span < smallestNormal32 {
		middle.Step = powerOfTwo(span)
	}
	return []Scale{middle, {Step: powerOfTwo(math.Max(-sorted[0], sorted[len(sorted)-1]))}}
}

// powerOfTwo returns a step such that a float32 holds a number, which isn't 0, and much smaller ones.
func powerOfTwo(most float64) float64 {
	_, exponent := math.Frexp(most)
	return math.Ldexp(1, max(exponent-127, -1022))
}
