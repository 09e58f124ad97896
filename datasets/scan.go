package datasets

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// A cellScanner splits text into cells, some of which are quoted. The readers of CSV and of
// ARFF share it. encoding/csv would not do: it takes blanks around quotes, quotes inside
// unquoted cells, runs of blanks as separators, single quotes and backslashes for errors
// or text, and the options that allow some of them hide other errors.
type cellScanner struct {
	rest    string
	quotes  string // the bytes that open a quoted cell; the same byte closes it
	blanks  string // dropped around cells
	escapes bool   // in quotes, a backslash escapes the next byte
}

var errOpenQuote = errors.New("a quote is opened and never closed")

// cell reads the next cell, which ends before one of the bytes of ends or at the end of
// the text. It drops blanks around the cell, but not those in quotes. In quotes, two
// closing quotes stand for one.
func (s *cellScanner) cell(ends string) (text string, quoted bool, err error) {
	s.rest = strings.TrimLeft(s.rest, s.blanks)
	if s.rest == "" || strings.IndexByte(s.quotes, s.rest[0]) < 0 {
		end := strings.IndexAny(s.rest, ends)
		if end < 0 {
			end = len(s.rest)
		}
		text, s.rest = s.rest[:end], s.rest[end:]
		return strings.TrimRight(text, s.blanks), false, nil
	}
	quote, plain := s.rest[0], true
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '\\' && s.escapes, c == quote && i+1 < len(s.rest) && s.rest[i+1] == quote:
			plain = false
			i++
		case c == quote:
			text, s.rest = s.rest[1:i], s.rest[i+1:]
			if !plain {
				text = s.unescape(text, quote)
			}
			return text, true, s.closed(text, ends)
		}
	}
	return "", true, errOpenQuote
}

// escapes are what some bytes stand for after a backslash; others stand for themselves.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r'}

// unescape replaces every escaped pair by what it stands for.
func (s *cellScanner) unescape(text string, quote byte) string {
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && s.escapes:
			i++
			code, err := strconv.ParseUint(text[min(i+1, len(text)):min(i+5, len(text))], 16, 16)
			if text[i] == 'u' && err == nil && i+5 <= len(text) {
				plain = utf8.AppendRune(plain, rune(code))
				i += 4
				continue
			}
			if c, ok := escapes[text[i]]; ok {
				plain = append(plain, c)
				continue
			}
		case text[i] == quote:
			i++
		}
		plain = append(plain, text[i])
	}
	return string(plain)
}

// closed skips blanks after a closing quote, and returns an error if text follows.
func (s *cellScanner) closed(text, ends string) error {
	ended := func() bool { return s.rest == "" || strings.IndexByte(ends, s.rest[0]) >= 0 }
	if ended() {
		return nil
	}
	s.rest = strings.TrimLeft(s.rest, s.blanks)
	if !ended() {
		return fmt.Errorf("text after the closing quote of %s", naming.Clip(text))
	}
	return nil
}

// A recordScanner splits text into records.
type recordScanner interface {
	// next returns the cells of the next record that is not a blank line, and the line on which it begins, from 1.
	// The error is io.EOF after the last. The slice is valid until the next call.
	next() (cells []string, line int, err error)
}

// A csvScanner splits text into records. Cells without escapes share its memory.
type csvScanner struct {
	cellScanner
	sep    byte   // ' ': runs of blanks
	tight  byte   // the separator, which is not trimmed; 0 if it is runs of blanks
	ends   string // bytes that end a cell
	lines  int    // read so far
	fields []string
	most   int // columns
}

// newCSVScanner returns a scanner of text that comes after the given number of lines.
func newCSVScanner(text string, sep byte, lines int) *csvScanner {
	s := &csvScanner{cellScanner: cellScanner{rest: text, quotes: `"`, blanks: " \t\r"}, sep: sep, tight: sep,
		ends: string(sep) + "\n", lines: lines, most: Limits{}.Of(0).Columns}
	switch sep {
	case ' ':
		s.tight, s.ends = 0, " \t\r\n"
	case '\t':
		s.blanks = " \r"
	}
	return s
}

func (s *csvScanner) next() (cells []string, line int, err error) {
	for s.rest != "" {
		text, after, _ := strings.Cut(s.rest, "\n")
		line = s.lines + 1
		s.fields = s.fields[:0]
		if strings.IndexByte(text, '"') >= 0 {
			err := s.quoted(text)
			return s.fields, line, err
		}
		s.lines++
		s.rest = after
		if len(text) >= s.most && s.tooMany(text) {
			return nil, line, errColumns(s.most)
		}
		if s.split(text); len(s.fields) > 0 {
			return s.fields, line, nil
		}
	}
	return nil, s.lines, io.EOF
}

// tooMany reports whether a line without quotes has more fields than there may be columns.
func (s *csvScanner) tooMany(line string) bool {
	if s.sep != ' ' {
		return strings.Count(line, string(s.sep)) >= s.most
	}
	n := 0
	for range strings.FieldsSeq(line) {
		if n++; n > s.most {
			return true
		}
	}
	return false
}

// split splits a line without quotes. A blank line has no fields.
func (s *csvScanner) split(line string) {
	if s.sep == ' ' {
		s.fields = append(
			s.fields,
			strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' })...)
		return
	}
	if line = trim(line, s.tight); line == "" {
		return
	}
	for {
		i := strings.IndexByte(line, s.sep)
		if i < 0 {
			s.fields = append(s.fields, trim(line, s.tight))
			return
		}
		s.fields = append(s.fields, trim(line[:i], s.tight))
		line = line[i+1:]
	}
}

// quoted splits a record of one or more lines, the first of which is given and holds a quote.
func (s *csvScanner) quoted(line string) error {
	text := s.rest
	defer func() { s.lines += strings.Count(text[:len(text)-len(s.rest)], "\n") }()
	for {
		if len(s.fields) > s.most {
			return errColumns(s.most)
		}
		start := len(line)
		for line != "" && isBlank(line[0], s.tight) {
			line = line[1:]
		}
		s.rest = s.rest[start-len(line):]
		switch {
		case line == "" && s.sep == ' ':
		case line != "" && line[0] == '"':
			before := len(s.rest)
			cell, _, err := s.cell(s.ends)
			if err != nil {
				return err
			}
			s.fields = append(s.fields, trim(cell, s.tight))
			if taken := before - len(s.rest); taken <= len(line) {
				line = line[taken:]
			} else { // the cell has gone over the end of the line
				line, _, _ = strings.Cut(s.rest, "\n")
			}
		default:
			end := strings.IndexByte(line, s.sep)
			if s.sep == ' ' {
				end = strings.IndexAny(line, s.blanks)
			}
			if end < 0 {
				end = len(line)
			}
			s.fields = append(s.fields, trim(line[:end], s.tight))
			s.rest, line = s.rest[end:], line[end:]
		}
		if line == "" {
			s.rest = s.rest[min(1, len(s.rest)):] // the end of the line
			return nil
		}
		s.rest, line = s.rest[1:], line[1:] // the separator
	}
}
