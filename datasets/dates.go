package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// Layouts of dates and of times after them, as package time writes them. Those in which day and month may be taken for
// each other stand side by side.
var (
	dateLayouts = []string{"2006-01-02", "2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2/1/2006", "1/2/2006",
		"2-1-2006", "1-2-2006", "2.1.06", "2/1/06", "1/2/06", "2-Jan-2006", "2 Jan 2006", "2 January 2006", "Jan 2, 2006",
		"January 2, 2006", "2-Jan-06", "2006-01"}
	timeLayouts = []string{"", " 15:04", " 15:04:05", "T15:04", "T15:04:05", " 3:04 PM", " 3:04:05 PM", "T15:04Z07:00",
		"T15:04:05Z07:00", "T15:04:05Z0700", "T15:04:05Z07", " 15:04:05Z07:00", " 15:04:05Z0700", " 15:04:05Z07",
		" 15:04:05 -0700", " 15:04:05 -07:00", " 15:04:05 UTC"}
)

// fewestDates are the different texts that a column has at least if its dates are found.
const fewestDates = 3

// fewestDigits are those of a date at least, such as 1.1.06.
const fewestDigits = 4

// datePrefix is how the Unit of a column of dates begins. The layout follows.
const datePrefix = "date "

// DateUnit returns the Unit of a column of dates, written in a layout of package time, for readers of other formats.
func DateUnit(layout string) string { return datePrefix + layout }

// Layout returns the layout (see package time) in which the numbers of a column are written if they are dates: days
// since 1970.
func (s Scale) Layout() (layout string, ok bool) { return strings.CutPrefix(s.Unit, datePrefix) }

func (s Scale) isDate() bool {
	_, ok := s.Layout()
	return ok
}

// Text returns a number of the column as a reader wants to see it: a date in its layout, a whole number with all
// digits, others with six, or 15 if the column is relative to an offset.
func (s Scale) Text(number float64) string {
	if layout, ok := s.Layout(); ok && math.Abs(number) < 1e7 {
		return time.Unix(int64(math.Round(number*secondsOfDay)), 0).UTC().Format(layout)
	}
	if s.Offset != 0 || s.Step != 0 || number == math.Trunc(number) && math.Abs(number) < 1e15 {
		return fmt.Sprintf("%.15g", number)
	}
	return fmt.Sprintf("%.6g", number)
}

const secondsOfDay = 24 * 60 * 60

// dayOf returns the days since 1970 of a date.
func dayOf(layout, text string) (float64, bool) {
	at, err := time.Parse(layout, text)
	if err != nil {
		return 0, false
	}
	return float64(at.Unix())/secondsOfDay + float64(at.Nanosecond())/(1e9*secondsOfDay), true
}

// readDates returns the days since 1970 of each text, NaN for the words of a missing cell, and the layout in which all
// others are dates. If there are several layouts it returns them all and no numbers.
func readDates(texts []string, only string) (days []float64, layouts []string) {
	known := slices.DeleteFunc(slices.Clone(texts), isMissingWord)
	if len(known) == 0 {
		return nil, nil
	}
	if only != "" {
		layouts = []string{only}
	} else if len(known) >= fewestDates && countDigits(known[0]) >= fewestDigits {
		for _, date := range dateLayouts {
			for _, clock := range timeLayouts {
				layouts = append(layouts, date+clock)
			}
		}
	}
	for _, text := range known {
		layouts = slices.DeleteFunc(layouts, func(layout string) bool {
			_, ok := dayOf(layout, text)
			return !ok
		})
	}
	if len(layouts) == 0 {
		return nil, nil
	}
	days = daysOf(texts, layouts[0])
	several := layouts[:1]
	for _, layout := range layouts[1:] {
		if !same64(days, daysOf(texts, layout)) {
			several = append(several, layout)
		}
	}
	if len(several) > 1 {
		return nil, several
	}
	return days, several
}

func countDigits(text string) (n int) {
	for _, c := range []byte(text) {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

func daysOf(texts []string, layout string) []float64 {
	days := make([]float64, len(texts))
	for k, text := range texts {
		days[k] = math.NaN()
		if day, ok := dayOf(layout, text); ok {
			days[k] = day
		}
	}
	return days
}

func same64(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool { return v == w || v != v && w != w })
}

// DateCells is [Cells] for dates, days since 1970. Times of whole seconds that a float32 would round are kept as
// numbers of the longest step that they all have in common, such as hours, from a midnight, so that each stays in its
// hour.
func DateCells(days []float64) (cells []float32, scale Scale, note string) {
	var seconds []float64
	rounded := false
	for _, day := range days {
		s := math.Round(day * secondsOfDay)
		if day != day {
			continue
		}
		if s/secondsOfDay != day || math.Abs(s) >= 1<<53 {
			return Cells(days)
		}
		seconds, rounded = append(seconds, s), rounded || float64(float32(day)) != day
	}
	if !rounded {
		return Cells(days)
	}
	slices.Sort(seconds)
	scale.Offset = math.Floor(seconds[len(seconds)/2] / secondsOfDay)
	step := int64(secondsOfDay)
	for _, s := range seconds {
		for rest := int64(s) % secondsOfDay; rest != 0; {
			step, rest = rest, step%rest
		}
	}
	scale.Step = math.Abs(float64(step)) / secondsOfDay
	for _, day := range days {
		cells = append(cells, scale.Cell(day))
	}
	return cells, scale, ""
}

// datesOf returns the days since 1970 of a column of texts, nil if these aren't dates, or if day and month can't be
// told apart, which it notes.
func (t *csvTable) datesOf(j int) []float64 {
	c := &t.columns[j]
	only, isDate := t.scales[j].Layout()
	switch {
	case c.role == guessed && t.Like == nil:
	case c.role == numeric && isDate:
	default:
		return nil
	}
	days, layouts := readDates(c.coder.names, only)
	known := slices.IndexFunc(c.coder.names, func(s string) bool { return !isMissingWord(s) })
	example := naming.Clip(c.coder.names[max(0, known)])
	if len(layouts) > 1 && slices.Contains(layouts, t.Dates) {
		days, layouts = readDates(c.coder.names, t.Dates)
	}
	switch {
	case len(layouts) > 1:
		t.note(j, fmt.Sprintf("has dates such as %s, whose day and month can't be told apart; set Dates to %s",
			example, quoted(layouts, " or ")))
	case days != nil && t.Like == nil:
		t.scales[j] = Scale{Unit: datePrefix + layouts[0]}
		said := ""
		if strings.HasSuffix(strings.Fields(layouts[0])[0], "06") && !strings.Contains(layouts[0], "2006") {
			said = ", with years from 1969 to 2068"
		}
		t.note(j, fmt.Sprintf("has dates such as %s, which are read as days since 1970%s", example, said))
	}
	return days
}

func quoted(texts []string, between string) string {
	var q []string
	for _, s := range texts {
		q = append(q, fmt.Sprintf("%q", s))
	}
	return strings.Join(q, between)
}

// Parts of a date that an operation returns.
var dateParts = []opKind{opMonth, opWeekday, opHour}

// datePart returns the month (1 to 12), the day of the week (1 for Monday, to 7) or the hour (0 to 23) of a number of
// days since 1970.
func datePart(part opKind, day float64) float64 {
	seconds := math.Floor(float64(day*secondsOfDay) + 0.5)
	if !(math.Abs(seconds) < 1e14) {
		return math.NaN()
	}
	at := time.Unix(int64(seconds), 0).UTC()
	switch part {
	case opMonth:
		return float64(at.Month())
	case opWeekday:
		return float64((at.Weekday()+6)%7) + 1
	}
	return float64(at.Hour())
}

// dateColumns returns columns of the parts of a column of dates that vary over the training rows.
func (d *Dataset) dateColumns(j int) []Column {
	f := d.Features[j]
	if _, ok := f.Scale.Layout(); !ok {
		return nil
	}
	var columns []Column
	for _, part := range dateParts {
		o := op(part, f.Scale.Offset, f.Scale.step())
		o.kind = part
		var first float32
		seen, varies := false, false
		for i := range d.N() {
			v := o.value(d.At(i, j))
			if v != v || d.weight(i) == 0 {
				continue
			}
			varies = varies || seen && v != first
			first, seen = v, true
		}
		if varies {
			columns = append(columns, column(f.Name+" "+opNames[part], j, o)...)
		}
	}
	return columns
}
