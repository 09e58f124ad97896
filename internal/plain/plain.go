// Package plain makes names safe to print in a terminal.
package plain

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a name of a column, a class or a method as it is printed. Control characters, those that change the
// direction of text, such as U+202E, and bytes that aren't UTF-8 are written as in Go's strings, such as \x1b, so that
// a name from a file can't move the cursor, break a line or turn the rest of it round.
func Text(name string) string {
	if !strings.ContainsFunc(name, escaped) {
		return name
	}
	var b strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		if escaped(r) {
			quoted := strconv.Quote(name[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(name[:size])
		}
		name = name[size:]
	}
	return b.String()
}

// Short returns what [Text] does, cut to the given number of characters if it is longer.
func Short(name string, length int) string {
	runes := []rune(Text(name))
	if len(runes) <= length {
		return string(runes)
	}
	return string(runes[:length-1]) + "…"
}

// nameLength is the length of the longest name that is shown as it is.
const nameLength = 200

// Name returns what [Text] does, cut to 200 characters: a longer name says no more, and takes long to measure and draw.
func Name(name string) string { return Short(name, nameLength) }

// Number returns a number with the given significant digits or, below 10¹⁵, all digits before the point, and with
// U+2212 as minus sign.
func Number(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if size := math.Abs(v); size >= math.Pow10(digits)-0.5 && size < 1e15 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	if size, negative := strings.CutPrefix(text, "-"); negative {
		return "−" + size
	}
	return text
}

// escaped also holds for a U+FFFD that is in the name itself: quoting leaves that as it is.
func escaped(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError
}
