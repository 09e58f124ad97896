package cells

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Errors are those of the compiler, or of a cell's syntax.
type Errors struct {
	session *Session
	found   []string // what the compiler writes, a line each
}

func (s *Session) errors() *Errors { return &Errors{session: s} }

// Explain returns the errors that the compiler has written.
func (s *Session) Explain(output string) *Errors {
	e := s.errors()
	e.parse(output)
	return e
}

func (e *Errors) parse(output string) {
	e.found = append(e.found, strings.Split(strings.TrimSpace(output), "\n")...)
}

func (e *Errors) add(cell, line, column int, message string) {
	e.parse(fmt.Sprintf("Cell[%d]:%d:%d: %s", cell, line, column, message))
}

// Error returns the errors as the compiler writes them.
func (e *Errors) Error() string { return strings.Join(e.found, "\n") }

var position = regexp.MustCompile(`^\S*Cell\[(\d+)\]:(\d+):(\d+): (.*)`)

// Traceback returns an error a time: its cell and line, some lines of the cell with a mark
// below the column, and the message.
func (e *Errors) Traceback() []string {
	var found []string
	for _, text := range e.found {
		m := position.FindStringSubmatch(text)
		if m == nil {
			found = append(found, text)
			continue
		}
		cell, _ := strconv.Atoi(m[1])
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		var b strings.Builder
		fmt.Fprintf(&b, "Cell[%d]: Line %d\n", cell, line)
		lines := strings.Split(e.session.Cells[cell], "\n")
		for i := max(0, line-4); i < min(len(lines), line+2); i++ {
			fmt.Fprintln(&b, lines[i])
			if i == line-1 {
				fmt.Fprintln(&b, strings.Repeat(" ", max(0, column-1))+"^")
			}
		}
		found = append(found, b.String()+"\n"+m[4])
	}
	return found
}
