package viz

import (
	"cmp"
	"fmt"
)

// Ranges draws a range and marks for each of several names, such as the accuracies over many splits of data sets, their
// means, and the accuracies that somebody else has measured. A NaN or an infinity has no mark, and as the end of a
// range no bar.
//
// [Draw] panics if there are no names or no finite numbers, if Low, High or the values of marks aren't as many as
// the names, unless Low and High are both nil, or if a number isn't above 0 on a logarithmic axis.
type Ranges struct {
	Title string
	X     string   // label of the value axis, with units
	Names []string // the first is on top

	Low, High []float64 // the ends of the ranges; nil draws none
	Range     string    // what the ranges are, for the legend
	Marks     []Marks

	Log bool // logarithmic axis
}

// Marks are one point of a kind for each of the names of [Ranges].
type Marks struct {
	Name   string
	Values []float64
}

func (r Ranges) figure() *Figure {
	numbers := r.numbers()
	rows := newRows(r.Names, 180*px)
	a := rows.axes(r.X, 0.6)
	a.keys, a.legend = r.keys(), true
	a.mark(r.ranges(rows))
	for k, m := range r.Marks {
		of := dots{name: m.Name, glyph: pointStyle(k)}
		for i, v := range m.Values {
			// Kinds lie a little above each other, so that equal numbers don't hide each other.
			y := rows.at(i) + 0.34*(float64(len(r.Marks)-1)/2-float64(k))
			of.at = append(of.at, dot{x: v, y: y, tip: fmt.Sprintf("%s: %s", r.Names[i], formatShort(v, 3))})
		}
		a.mark(of)
	}
	low, high := extremes(numbers)
	a.X.Min, a.X.Max = numbers[low], numbers[high]
	padX(a.Plot, r.Log)
	f := a.figure(r.Title, r.alt())
	f.Height = 110 + rows.shared(300, 22, 34)
	return f
}

func (r Ranges) ranges(rows rows) spans {
	s := spans{name: r.Range, style: rangeStyle}
	for i, name := range r.Names {
		if r.has(i) {
			s.of = append(s.of, span{r.Low[i], rows.at(i), r.High[i], rows.at(i), name + ": " + r.text(i)})
		}
	}
	return s
}

// numbers returns all finite numbers, after checking the fields.
func (r Ranges) numbers() []float64 {
	n := len(r.Names)
	if n == 0 || len(r.Low) != len(r.High) || r.Low != nil && len(r.Low) != n {
		misuse("ranges of %d names with %d and %d ends", n, len(r.Low), len(r.High))
	}
	numbers := append(finite(r.Low), finite(r.High)...)
	for _, m := range r.Marks {
		if len(m.Values) != n {
			misuse("marks %q of %d values for %d names", m.Name, len(m.Values), n)
		}
		numbers = append(numbers, finite(m.Values)...)
	}
	if len(numbers) == 0 {
		misuse("ranges without a finite number")
	}
	for _, v := range numbers {
		if r.Log && v <= 0 {
			misuse("ranges with %v on a logarithmic axis", v)
		}
	}
	return numbers
}

// rangeStyle returns the line of the ranges; that of marks k has the colour of class k.
var rangeStyle = stroke(mix(classColor(0), white, 0.6), 7)

func (r Ranges) keys() (keys []key) {
	if r.Low != nil {
		keys = append(keys, key{name: r.Range, line: rangeStyle})
	}
	for k, m := range r.Marks {
		keys = append(keys, key{name: m.Name, glyph: pointStyle(k)})
	}
	return keys
}

// has returns whether name i has a range.
func (r Ranges) has(i int) bool {
	return r.Low != nil && len(finite([]float64{r.Low[i], r.High[i]})) == 2
}

// text returns the ends of range i in words.
func (r Ranges) text(i int) string {
	return formatShort(r.Low[i], 3) + " to " + formatShort(r.High[i], 3)
}

func (r Ranges) alt() string {
	s := cmp.Or(r.X, "Values") + "."
	for i, name := range r.Names {
		s += " " + name + ":"
		if r.has(i) {
			s += " " + r.text(i) + ","
		}
		for _, m := range r.Marks {
			if v := m.Values[i]; v-v == 0 {
				s += fmt.Sprintf(" %s %s,", m.Name, formatShort(v, 3))
			}
		}
		s = s[:len(s)-1] + "."
	}
	return s
}
