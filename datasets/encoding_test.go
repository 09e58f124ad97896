package datasets

import (
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// Files that aren't UTF-8, as Python 3.11 encodes them.
func TestEncodings(t *testing.T) {
	const noted = "The file isn't UTF-8 and is read as Windows-1252."
	for text, want := range map[string][]string{
		"city,x,y\nK\xf6ln,1,p\nUlm,2,q\n":                        {"Köln", "Ulm"},        // cp1252 and latin-1
		"city,x,y\nStra\xdfe 5\x80,1,p\n\x84Ulm\x93,2,q\n":        {"Straße 5€", "„Ulm“"}, // cp1252
		"city,x,y\nfa\xe7ade,1,p\n\xc9t\xe9,2,q\n":                {"façade", "Été"},      // cp1252 and latin-1
		"city,x,y\nK\xc3\xb6ln,1,p\nUlm,2,q\n":                    {"Köln", "Ulm"},        // UTF-8
		"\xef\xbb\xbfcity,x,y\nK\xc3\xb6ln,1,p\nUlm,2,q\n":        {"Köln", "Ulm"},        // UTF-8 with a mark
		"city,x,y\n\xe6\x9d\xb1\xe4\xba\xac,1,p\nUlm,2,q\n":       {"Ulm", "東京"},          // UTF-8
		"ci\xdfy,x,y\nUlm,1,p\nBonn,2,q\n":                        {"Bonn", "Ulm"},        // the header
		"city,x,y\r\nK\xf6ln,\"a\r\nb\",p\r\nUlm,\"c\",q\r\n":     {"Köln", "Ulm"},        //
		"sep=;\ncity;x;y\nK\xf6ln;1;p\nUlm;2;q\n":                 {"Köln", "Ulm"},        //
		"\"sep=\t\"\r\ncity\tx\ty\r\nUlm\t1\tp\r\nBonn\t2\tq\r\n": {"Bonn", "Ulm"},        //
		"city,x,y\rUlm,1,p\rBonn,2,q\r":                           {"Bonn", "Ulm"},        // lines end in CR
		"city,x,y\rK\xf6ln,1,p\rBonn,2,q":                         {"Bonn", "Köln"},       //
	} {
		d := readString(t, text, CSV{})
		sorted := slices.Sorted(slices.Values(d.Features[0].Categories))
		slices.Sort(want)
		utf8 := strings.ToValidUTF8(text, "") == text
		if !slices.Equal(sorted, want) || d.N() != 2 || slices.Contains(d.Notes, noted) == utf8 {
			t.Errorf("%q: categories %q; want %q; %d rows, notes %q", text, sorted, want, d.N(), d.Notes)
		}
	}
	for text, want := range map[string]string{
		// Shift-JIS.
		"city,x,y\nUlm,1,p\n\x93\x8c\x8b\x9e,2,q\n":         `f:3: column "city": "\x93\x8c\x8b\x9e" isn't UTF-8`,
		"city,x,y\nK\xc3\xb6ln,1,p\nM\xfcnchen,2,q\n":       `f:3: column "city": "M\xfcnchen" isn't UTF-8`, // mixed
		"city,x,y\n\xcc\xee\xf1\xea\xe2\xe0,1,p\nUlm,2,q\n": `f:2: column "city": "\xcc\xee\xf1`,            // cp1251
		"Report of 2024\n\ncity,x,y\nUlm,1,p\nBonn,2,q\n": `f:1: one column only, "Report of 2024"; if the table begins ` +
			`with "city,x,y", set Skip to 2`,
		"Report,,,\ncity,x,z,y\nUlm,1,2,p\n": `f:1: 3 of 4 columns have no name; if the table begins further ` +
			`down`,
		"x,y\na,1,p\nb,2,q\n": `f:2: 3 fields; want 2; if R wrote names of rows`,
	} {
		_, err := CSV{}.Read(t.Context(), strings.NewReader(text), "f")
		readtest.WantError(t, err, "datasets: "+want)
	}
	d := readString(t, "Report of 2024\n\ncity,x,y\nUlm,1,p\nBonn,2,q\n", CSV{Skip: 2})
	if d.N() != 2 || d.Target != "y" || d.P() != 2 {
		t.Errorf("after two lines: %+v", d)
	}
}
