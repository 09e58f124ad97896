package cells

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/nearest"
	"github.com/obliqua-ml/obliqua/tools/hints"
)

// Errors are those of the compiler, or of a cell's syntax.
type Errors struct {
	session *Session
	found   []string // messages, as the compiler writes them
}

func (s *Session) errors() *Errors { return &Errors{session: s} }

// Explain returns the errors that the compiler has written.
func (s *Session) Explain(output string) *Errors {
	e := s.errors()
	e.parse(output)
	return e
}

func (e *Errors) parse(output string) {
	e.found = append(e.found, hints.Messages(output)...)
}

func (e *Errors) add(cell, line, column int, message string) {
	e.parse(fmt.Sprintf("Cell[%d]:%d:%d: %s", cell, line, column, message))
}

// Error returns the errors as the compiler writes them.
func (e *Errors) Error() string { return strings.Join(e.found, "\n") }

var position = regexp.MustCompile(`(?s)^\S*Cell\[(\d+)\]:(\d+):(\d+): (.*)`)

// Traceback returns an error a time: its cell and line, some lines of the cell with a mark below the column, the
// message and, if there is one that no error before has, a hint. Notebook has the sources of all of its cells.
func (e *Errors) Traceback(packages []Package, notebook []string, table hints.Table) []string {
	var found []string
	said := map[string]bool{"": true}
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
		lines, source := strings.Split(e.session.Cells[cell], "\n"), ""
		for i := max(0, line-4); i < min(len(lines), line+2); i++ {
			fmt.Fprintln(&b, lines[i])
			if i == line-1 {
				source = lines[i]
				fmt.Fprintln(&b, blank(source[:min(max(0, column-1), len(source))])+"^")
			}
		}
		b.WriteString("\n" + m[4])
		hint := e.session.undefined(cell, m[4], source, packages, notebook)
		if hint == "" {
			hint = table.For(m[4], source)
		}
		if !said[hint] {
			b.WriteString("\n" + hint)
		}
		said[hint] = true
		found = append(found, b.String())
	}
	return found
}

// blank returns as wide a text of spaces. The columns of errors count bytes, and tabs are as wide as the page has them.
func blank(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, text)
}

var undefined = regexp.MustCompile(`^undefined: (\w+)$`)

// undefined says what may be meant by a name that the compiler doesn't know, or nothing.
func (s *Session) undefined(cell int, message, source string, packages []Package, notebook []string) string {
	m := undefined.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	name := m[1]
	if before := s.within(name, cell); before > 0 {
		return fmt.Sprintf("%s was declared below %%%% of Cell[%d], so it wasn't kept. Declare it above %%%%, with var.",
			name, before)
	}
	for _, source := range notebook {
		var other Session
		if _, err := other.Add(0, source, packages); err == nil && other.forget(name) {
			return fmt.Sprintf("Another cell declares %s: run it first, such as with Run All Cells.", name)
		}
	}
	var names []string
	if strings.Contains(source, name+".") {
		for _, p := range packages {
			names = append(names, p.Name)
		}
	}
	declared := strings.Fields(s.list())
	if meant := nearest.Typo(append(declared, names...), name); meant != "" {
		return fmt.Sprintf("Did you mean %s?", meant)
	}
	if names != nil {
		return name + " is not among the packages of this page, and nothing that has run declares it above %%."
	}
	return ""
}

// within returns the last cell before another one that declares a name below %%, or 0.
func (s *Session) within(name string, cell int) (last int) {
	declares := regexp.MustCompile(`(?m)^%%(?s:.*)(\b` + name + `\b[\w, ]*:=|\bvar\s+` + name + `\b)`)
	for id, source := range s.Cells {
		if id < cell && id > last && declares.MatchString(source) {
			last = id
		}
	}
	return last
}

var frame = regexp.MustCompile(`^\t(Cell\[\d+\]:\d+)`)

// Trace shortens what a program has written when it failed to the message, the places in cells, and a hint.
func Trace(text string, table hints.Table) string {
	var message, places strings.Builder
	inStack := false
	for line := range strings.Lines(text) {
		inStack = inStack || hints.Stack.MatchString(line)
		if m := frame.FindStringSubmatch(line); m != nil {
			fmt.Fprintf(&places, "\t%s\n", m[1])
		} else if !inStack {
			message.WriteString(line)
		}
	}
	said := strings.TrimSpace(message.String()) + "\n"
	if hint := table.For(said, ""); hint != "" {
		return said + places.String() + hint + "\n"
	}
	return said + places.String()
}
