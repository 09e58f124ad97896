package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

var errEmpty = errors.New("the file is empty")

// checkRecord returns an error if a text is ARFF, or has another separator: if it has one column, and its first lines
// have that. first is the first record.
func (t *csvTable) checkRecord(text string, first []string) error {
	if strings.HasPrefix(strings.ToLower(first[0]), "@relation") ||
		strings.HasPrefix(first[0], "%") && strings.Contains(strings.ToLower(text), "\n@relation") {
		return errors.New("this is an ARFF file: read it with ReadARFF")
	}
	if len(first) > 1 || t.NoTarget && t.Comma != 0 { // or one column is meant
		return nil
	}
	if fields := strings.Fields(first[0]); len(fields) > 1 && isNumber(fields[0]) && isPair(fields[1]) {
		return errors.New("this is a LIBSVM file: write it as CSV")
	}
	lines := firstLines(text)
	if sep := separatorOf(lines); sep != 0 && sep != t.sep {
		return fmt.Errorf("one column only, %s; set Comma to %q, which seems to be the separator", naming.Clip(first[0]), sep)
	}
	for i, line := range lines[min(1, len(lines)):] {
		for _, sep := range ",;\t|" {
			if n := strings.Count(line, string(sep)); n > 0 && i+2 < len(lines) && strings.Count(lines[i+2], string(sep)) == n &&
				!strings.ContainsRune(lines[0], sep) {
				before := t.Skip + strings.Count(text[:strings.Index(text, line)], "\n")
				return fmt.Errorf("one column only, %s; if the table begins with %s, set Skip to %d",
					naming.Clip(first[0]), naming.Clip(strings.TrimSpace(line)), before)
			}
		}
	}
	return nil
}

const mostLines = 5

// firstLines returns the first lines of a text that aren't blank.
func firstLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if strings.Trim(line, " \t\r\n") != "" {
			lines = append(lines, line)
		}
		if len(lines) == mostLines {
			break
		}
	}
	return lines
}

// separatorOf returns the first of comma, semicolon, tab and bar that all lines have equally often outside of quotes,
// or 0 if there is none.
func separatorOf(lines []string) byte {
	for _, sep := range []byte(",;\t|") {
		n := countUnquoted(lines[0], sep)
		other := func(line string) bool { return countUnquoted(line, sep) != n }
		if n > 0 && !slices.ContainsFunc(lines, other) {
			return sep
		}
	}
	return 0
}

// countUnquoted counts a character outside of quotes.
func countUnquoted(line string, c byte) (n int) {
	for k, part := range strings.Split(line, `"`) {
		if k%2 == 0 {
			n += strings.Count(part, string(c))
		}
	}
	return n
}

// errFields returns the error of a record that has another number of fields than there are columns. It says where the
// table seems to begin if that is the record, which has more fields and none that is a number.
func (t *csvTable) errFields(line int, cells []string) error {
	more := ""
	switch {
	case t.declared || t.NoHeader || len(cells) <= len(t.columns):
	case !slices.ContainsFunc(cells, isNumber) && t.Names == nil:
		more = fmt.Sprintf("; if the table begins here, set Skip to %d", line-1)
	case len(cells) == len(t.columns)+1 && line == t.begins:
		more = "; if R wrote names of rows, which the header leaves out, set Skip to 1, NoHeader, and Names"
	}
	return errorAt(line, "%d fields; want %d%s", len(cells), len(t.columns), more)
}

// isPair reports whether s is an index and a value as in a LIBSVM file.
func isPair(s string) bool {
	index, value, found := strings.Cut(s, ":")
	return found && isNumber(index) && isNumber(value)
}

// commaNumber returns a category such as "3,14" or "1,000" if all categories of a column are numbers but for such
// commas. Otherwise it returns "".
func (c *csvColumn) commaNumber() (example string) {
	for _, name := range c.coder.names {
		if !isNumber(strings.ReplaceAll(name, ",", "")) {
			return ""
		}
		if example == "" && strings.Contains(name, ",") {
			example = name
		}
	}
	return example
}
