package datasets

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// An encodingError is that of a text which isn't UTF-8.
type encodingError struct {
	text    string
	western bool // it seems to be Windows-1252, of which Latin-1 is a part
}

func (e *encodingError) Error() string {
	return fmt.Sprintf("%+.40q isn't UTF-8; save the file as UTF-8", e.text)
}

// checkUTF8 returns an error if a text, which is part of a block, isn't UTF-8.
func checkUTF8(text, block string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return &encodingError{strings.Clone(text), isWestern(block)}
}

// windows1252 are the characters of the bytes 0x80 to 0x9f; � is none. Other bytes are as in Unicode.
var windows1252 = []rune("€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ")

// isWestern reports whether a text that isn't UTF-8 can be Windows-1252: no longer runs of bytes beyond ASCII than
// words of western languages have, none of the bytes without a character, and none that would be UTF-8.
func isWestern(text string) bool {
	const longest = 3
	run := 0
	for text != "" {
		c := text[0]
		if c < utf8.RuneSelf {
			run, text = 0, text[1:]
			continue
		}
		if r, size := utf8.DecodeRuneInString(text); r != utf8.RuneError && size > 1 {
			return false
		}
		if run++; run > longest || c < 0xa0 && windows1252[c-0x80] == utf8.RuneError {
			return false
		}
		text = text[1:]
	}
	return true
}

// A translation is a reader of text in UTF-8 with lines that end in LF, from text that isn't so.
type translation struct {
	from    io.Reader
	western bool // Windows-1252
	cr      bool // lines end in CR alone
	ready   []byte
	buffer  [1 << 12]byte
}

func (t *translation) Read(b []byte) (int, error) {
	for len(t.ready) == 0 {
		n, err := t.from.Read(t.buffer[:])
		for _, c := range t.buffer[:n] {
			switch {
			case c == '\r' && t.cr:
				t.ready = append(t.ready, '\n')
			case c < utf8.RuneSelf || !t.western:
				t.ready = append(t.ready, c)
			case c < 0xa0:
				t.ready = utf8.AppendRune(t.ready, windows1252[c-0x80])
			default:
				t.ready = utf8.AppendRune(t.ready, rune(c))
			}
		}
		if n == 0 && err != nil {
			return 0, err
		}
	}
	n := copy(b, t.ready)
	if t.ready = t.ready[n:]; len(t.ready) == 0 {
		t.ready = nil
	}
	return n, nil
}

// endsInCR reports whether the lines at the beginning of a file end in CR alone.
func endsInCR(head []byte) bool {
	return bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0
}
