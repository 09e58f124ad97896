// Package plain makes names safe to print in a terminal.
package plain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a name of a column, a class or a method as it is printed. Control characters and bytes that
// aren't UTF-8 are written as in Go's strings, such as \x1b, so that a name from a file can't
// move the cursor or break a line.
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

// escaped also holds for a U+FFFD that is in the name itself: quoting leaves that as it is.
func escaped(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
