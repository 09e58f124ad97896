package viz

import (
	"cmp"
	"fmt"
)

// Bars draws numbers as horizontal bars from 0, such as the importance of features. The first is on top. A NaN or an
// infinity has no bar.
//
// [Draw] panics if there are none, or if Names, Values and Err, unless nil, differ in length.
type Bars struct {
	Title  string
	X      string // label of the value axis, with units
	Names  []string
	Values []float64
	Err    []float64 // half length of the error bar of each value; nil draws none
}

func (b Bars) figure() *Figure {
	if len(b.Names) == 0 || len(b.Values) != len(b.Names) || b.Err != nil && len(b.Err) != len(b.Names) {
		misuse("bars with %d names, %d values and %d error bars", len(b.Names), len(b.Values), len(b.Err))
	}
	rows := newRows(b.Names, 200*px)
	a := rows.axes(b.X, 0.6)
	bars, errors := tiles{name: b.X, fill: classColor(0)}, spans{name: b.X, style: stroke(ink, 1.2), cap: 4 * px}
	for i, v := range b.Values {
		if v-v != 0 {
			continue
		}
		y, tip := rows.at(i), fmt.Sprintf("%s: %s", b.Names[i], formatNumber(v))
		if e := errorBar(b.Err, i); e > 0 {
			tip += " ± " + formatShort(e, 2)
			low, high := interval(v, e)
			errors.of = append(errors.of, span{x1: low, y1: y, x2: high, y2: y})
		}
		bars.of = append(bars.of, tile{x1: min(v, 0), y1: y - 0.36, x2: max(v, 0), y2: y + 0.36, tip: tip})
	}
	a.mark(bars, errors, zeroLine(stroke(grey, 1)))
	a.X.Min, a.X.Max = b.valueRange()
	f := a.figure(b.Title, b.alt())
	f.Height = 110 + rows.shared(300, 18, 34)
	return f
}

// valueRange returns the range of the axis, which includes 0.
func (b Bars) valueRange() (lo, hi float64) {
	for i, v := range b.Values {
		if v-v == 0 {
			low, high := interval(v, errorBar(b.Err, i))
			lo, hi = min(lo, low), max(hi, high)
		}
	}
	if lo == hi {
		return 0, 1
	}
	low, high := widen(lo, hi, 0.06)
	if lo == 0 {
		low = 0
	}
	if hi == 0 {
		high = 0
	}
	return low, high
}

func (b Bars) alt() string {
	s := fmt.Sprintf("%s of %d bars:", cmp.Or(b.X, "Length"), len(b.Names))
	for i, name := range b.Names {
		if i == 12 {
			return s + " and more."
		}
		s += fmt.Sprintf(" %s %s;", name, formatNumber(b.Values[i]))
	}
	return s[:len(s)-1] + "."
}
