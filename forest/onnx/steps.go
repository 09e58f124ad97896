package onnx

import (
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
)

// steps returns the columns that the fitted steps make of those of x. Columns that are made by the same operations are
// computed together.
func (e *exporter) steps(x string, columns []datasets.Column) string {
	groups, keys := make(map[string][]int), []string{}
	for i, c := range columns {
		var names []string
		for _, o := range c.Ops {
			names = append(names, o.Do)
		}
		key := strings.Join(names, " ")
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], i)
	}
	var parts []string
	places, next := make([]int, len(columns)), 0 // of the columns in the parts
	for _, key := range keys {
		var from []int
		for _, i := range groups[key] {
			from, places[i] = append(from, columns[i].From), next
			next++
		}
		value := e.gather(x, from)
		for k := range columns[groups[key][0]].Ops {
			var ops []datasets.Op
			for _, i := range groups[key] {
				ops = append(ops, columns[i].Ops[k])
			}
			value = e.operation(value, ops)
		}
		parts = append(parts, value)
	}
	return e.gather(e.concat(parts), places)
}

// operation applies one kind of operation to several columns of x, rows × columns, each with its own numbers.
// [datasets.Op] describes the operations.
func (e *exporter) operation(x string, ops []datasets.Op) string {
	missing := e.do("IsNaN", []string{x})
	keep := func(value string) string { return e.do("Where", []string{missing, x, value}) } // missing cells
	switch ops[0].Do {
	case "is":
		is := e.do("Equal", []string{e.cast(x, float64s), e.number(ops, 0)})
		return keep(e.cast(is, float32s))
	case "missing":
		return e.cast(missing, float32s)
	case "codes":
		return e.codes(x, missing, ops)
	case "line":
		return keep(e.line(x, ops))
	case "scale":
		z := e.do("Sub", []string{e.cast(x, float64s), e.number(ops, 0)})
		z = e.do("Div", []string{z, e.number(ops, 1)})
		z = e.do("Clip", []string{z, e.scalar(-math.MaxFloat32), e.scalar(math.MaxFloat32)})
		return keep(e.cast(z, float32s))
	case "month", "weekday", "hour":
		return keep(e.datePart(x, ops))
	case "fill":
		return e.do("Where", []string{missing, e.cast(e.number(ops, 0), float32s), x})
	}
	return x // "number"
}

// datePart returns the month, the day of the week or the hour of dates, as package datasets does. The month is that of
// a day of the 400 years that the calendar repeats after, which begin with March.
func (e *exporter) datePart(x string, ops []datasets.Op) string {
	infix := func(name string) func(a string, b float64) string {
		return func(a string, b float64) string { return e.do(name, []string{a, e.scalar(b)}) }
	}
	plus, times, over := infix("Add"), infix("Mul"), infix("Div")
	floor := func(a string) string { return e.do("Floor", []string{a}) }
	whole := func(a string, b float64) string { return floor(over(a, b)) }
	less := func(a, b string) string { return e.do("Sub", []string{a, b}) }
	rest := func(a string, b float64) string { return less(a, times(whole(a, b), b)) }

	day := e.do("Mul", []string{e.cast(x, float64s), e.number(ops, 1)})
	day = e.do("Add", []string{day, e.number(ops, 0)})
	seconds := floor(plus(times(day, 24*60*60), 0.5))
	day = whole(seconds, 24*60*60)
	part := ""
	switch ops[0].Do {
	case "hour":
		part = whole(rest(seconds, 24*60*60), 60*60)
	case "weekday":
		part = plus(rest(plus(day, 3), 7), 1)
	default:
		const toMarch, cycle = 719468, 146097 // days from March of year 0 to 1970, and of 400 years
		d := rest(plus(day, toMarch), cycle)
		leaps := less(e.do("Sub", []string{whole(d, 36524), whole(d, 1460)}), whole(d, cycle-1))
		year := whole(e.do("Add", []string{d, leaps}), 365)
		d = less(d, e.do("Add", []string{times(year, 365), less(whole(year, 4), whole(year, 100))}))
		part = plus(rest(plus(whole(plus(times(d, 5), 2), 153), 2), 12), 1)
	}
	return e.cast(part, float32s)
}

// number returns number k of each operation, float64.
func (e *exporter) number(ops []datasets.Op, k int) string {
	numbers := make([]float64, len(ops))
	for i, o := range ops {
		numbers[i] = o.Numbers[k]
	}
	return e.constant(tensorOf([]int{len(ops)}, numbers...))
}

// codes replaces categories by their numbers; the last of an operation's numbers is for missing cells.
func (e *exporter) codes(x, missing string, ops []datasets.Op) string {
	var table, last []float32
	var begins []int
	for _, o := range ops {
		begins, last = append(begins, len(table)), append(last, float32(len(o.Numbers)-1))
		for _, v := range o.Numbers {
			table = append(table, float32(v))
		}
	}
	category := e.do("Where", []string{missing, e.constant(tensorOf([]int{len(last)}, last...)), x})
	at := e.do("Add", []string{e.cast(category, int64s), e.constant(tensorOf([]int{len(begins)}, begins...))})
	return e.do("Gather", []string{e.constant(tensorOf([]int{len(table)}, table...)), at})
}

// line interpolates between points. The segment after the last point is level.
func (e *exporter) line(x string, ops []datasets.Op) string {
	longest := 0
	for _, o := range ops {
		longest = max(longest, len(o.Numbers)/2)
	}
	var xs, x0, y0, dx, dy []float64 // points to compare with; where each segment begins, and what it adds
	var begins []int                 // the number of points that are reached is that of the segment, from 1
	for _, o := range ops {
		begins = append(begins, len(x0)-1)
		n := len(o.Numbers) / 2
		for k := range n {
			px, py := o.Numbers[2*k], o.Numbers[2*k+1]
			width, height := 1.0, 0.0
			if k < n-1 {
				width, height = o.Numbers[2*k+2]-px, o.Numbers[2*k+3]-py
			}
			xs, x0, y0, dx, dy = append(xs, px), append(x0, px), append(y0, py), append(dx, width), append(dy, height)
		}
		xs = append(xs, slices.Repeat([]float64{math.Inf(1)}, longest-n)...)
	}
	wide := e.cast(x, float64s)
	columns := e.do("Unsqueeze", []string{wide, e.constant(tensorOf([]int{1}, 2))})
	reached := e.do("GreaterOrEqual", []string{columns, e.constant(tensorOf([]int{len(ops), longest}, xs...))})
	points := e.sum(e.cast(reached, int64s), 2)
	segment := e.do("Max", []string{points, e.constant(tensorOf(nil, 1))})
	segment = e.do("Add", []string{segment, e.constant(tensorOf([]int{len(begins)}, begins...))})
	of := func(numbers []float64) string {
		return e.do("Gather", []string{e.constant(tensorOf([]int{len(numbers)}, numbers...)), segment})
	}
	along := e.do("Div", []string{e.do("Sub", []string{wide, of(x0)}), of(dx)})
	along = e.do("Clip", []string{along, e.scalar(0), e.scalar(1)})
	return e.cast(e.do("Add", []string{of(y0), e.do("Mul", []string{along, of(dy)})}), float32s)
}
