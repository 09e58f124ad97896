package plain

import "testing"

func TestText(t *testing.T) {
	for name, want := range map[string]string{
		"":                        "",
		"petal length":            "petal length",
		`a "b" \x1b – é·ß·你`:      `a "b" \x1b – é·ß·你`,
		"no\u00a0break":           "no\u00a0break",
		"\x1b]0;owned\a\x1b[2J":   `\x1b]0;owned\a\x1b[2J`,
		"two\r\nlines\tand a tab": `two\r\nlines\tand a tab`,
		"del\x7f":                 `del\x7f`,
		"c1 \u009b2J":             `c1 \u009b2J`,
		"bytes \x9b2J\xff":        `bytes \x9b2J\xff`,
		"replacement \ufffd":      "replacement \ufffd",
	} {
		if got := Text(name); got != want {
			t.Errorf("%q: %q; want %q", name, got, want)
		}
	}
}
