package hints

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
)

var place = regexp.MustCompile(`(?m)^\s*\S*main(?:_test)?\.go:(\d+):\d+: `)

// Below returns what the compiler has written about a program, with sentences below the messages that they are for.
// None is said twice. GoNB calls it.
func (t Table) Below(output string, program []string) string {
	said := map[string]bool{"": true}
	var found []string
	for _, message := range Messages(output) {
		found = append(found, message)
		m := place.FindStringSubmatch(message)
		if m == nil {
			continue
		}
		source := ""
		if line, _ := strconv.Atoi(m[1]); line > 0 && line <= len(program) {
			source = program[line-1]
		}
		sentence := t.For(message, source)
		if !said[sentence] {
			found = append(found, sentence)
		}
		said[sentence] = true
	}
	return strings.Join(found, "\n")
}

// Following returns a writer that passes on what a program writes, at once and, where the program fails, with what that
// means. Of the stacks that follow it leaves the places in the program. GoNB calls it.
func (t Table) Following(w io.Writer) io.Writer { return &follower{table: t, Writer: w} }

type follower struct {
	io.Writer
	table           Table
	line            []byte // that isn't at its end yet
	failed, inStack bool
}

var (
	failure = regexp.MustCompile(`(panic|fatal error): `)
	inMain  = regexp.MustCompile(`^\t.*\bmain(_test)?\.go:\d+`)
)

func (f *follower) Write(p []byte) (int, error) {
	var out []byte
	for part := range bytes.Lines(p) {
		whole := f.failed // the end of a line says whether it is passed on
		if !whole {
			out = append(out, part...)
		}
		if len(f.line) < 1<<10 {
			f.line = append(f.line, part...)
		}
		if !bytes.HasSuffix(part, []byte("\n")) {
			break
		}
		line := string(f.line)
		f.inStack = f.inStack || f.failed && Stack.MatchString(line)
		place := inMain.FindString(line)
		switch {
		case f.inStack && place != "":
			out = append(out, place+"\n"...)
		case !f.inStack && whole:
			out = append(out, line...)
		}
		if !f.inStack && failure.MatchString(line) {
			f.failed = true
			if sentence := f.table.For(line, ""); sentence != "" {
				out = append(out, sentence+"\n"...)
			}
		}
		f.line = f.line[:0]
	}
	if len(out) == 0 {
		return len(p), nil
	}
	if _, err := f.Writer.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
