// Package hints has sentences for messages of Go's compiler and of programs that fail, for people who are new to Go.
//
// The sentences are in hints.txt, for the kernel in a page, which gets them as data, and for GoNB, which is built with
// this package inside (tools/lab/gonb.sh).
package hints

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed hints.txt
var notebook string

// Notebook returns the sentences of hints.txt.
func Notebook() Table {
	t, err := Read(notebook)
	if err != nil {
		panic(err) // the test reads it
	}
	return t
}

// A Table has sentences for messages.
type Table []rule

type rule struct {
	pattern  *regexp.Regexp
	sentence string
}

// Read reads a table: a pattern a line, and below it, after a tab, the sentence, with $1 for what the pattern's first
// group has found. Lines that are empty or begin with # don't count.
func Read(text string) (Table, error) {
	var t Table
	for i, line := range strings.Split(text, "\n") {
		sentence, ok := strings.CutPrefix(line, "\t")
		switch {
		case ok && len(t) > 0 && t[len(t)-1].sentence == "":
			t[len(t)-1].sentence = sentence
		case ok:
			return nil, fmt.Errorf("hints: line %d: a sentence needs a pattern above it", i+1)
		case line != "" && line[0] != '#':
			pattern, err := regexp.Compile("(?s)" + line)
			if err != nil {
				return nil, fmt.Errorf("hints: line %d: %w", i+1, err)
			}
			t = append(t, rule{pattern: pattern})
		}
	}
	return t, nil
}

// For returns the sentence for a message, or "". The source is the line that the message is about.
func (t Table) For(message, source string) string {
	text := message + "\n" + source
	for _, r := range t {
		if m := r.pattern.FindStringSubmatchIndex(text); m != nil {
			return string(r.pattern.ExpandString(nil, r.sentence, text, m))
		}
	}
	return ""
}

// Messages divides what the compiler has written. Lines that begin with a tab go on with the message above.
func Messages(output string) []string {
	var found []string
	for line := range strings.Lines(strings.TrimSpace(output)) {
		if line[0] == '\t' && len(found) > 0 {
			found[len(found)-1] += line
		} else {
			found = append(found, line)
		}
	}
	for i, message := range found {
		found[i] = strings.TrimSuffix(message, "\n")
	}
	return found
}

// Stack matches the line with which the stacks of a failing program begin.
var Stack = regexp.MustCompile(`^(goroutine \d+|runtime stack:|\[signal )`)
