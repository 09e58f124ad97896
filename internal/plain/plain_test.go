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
		"a\u202eb\u2066c\u200f":   `a\u202eb\u2066c\u200f`,
	} {
		if got := Text(name); got != want {
			t.Errorf("%q: %q; want %q", name, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 27563.37: "27563", -999.96: "−1000", 999.94: "999.9",
		0.012345: "0.01235", 1e14: "100000000000000", 1.5e15: "1.5e+15", 2e-7: "2e-07", -0.5: "−0.5"} {
		if got := Number(v, 4); got != want {
			t.Errorf("%v: %q; want %q", v, got, want)
		}
	}
}
