package main

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
)

// The table is the same in quotes.
func TestWriteTable(t *testing.T) {
	var tables [2][][]string
	for i, quote := range []string{"", `"`} {
		var text strings.Builder
		if err := writeTable(&text, 5, quote); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(text.String(), `"`); got != 2*(21+5)*len(quote) {
			t.Errorf("%d quotes", got)
		}
		var err error
		if tables[i], err = csv.NewReader(strings.NewReader(text.String())).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	if len(tables[0]) != 6 || len(tables[0][5]) != 21 || !slices.EqualFunc(tables[0], tables[1], slices.Equal) {
		t.Errorf("%q and %q", tables[0], tables[1])
	}
}

func TestReport(t *testing.T) {
	ours := []result{{Seconds: 3, Peak: 5e6, Rows: 7}, {Seconds: 1, Peak: 3e6, Rows: 7},
		{Seconds: 2, Peak: 4e6, Baseline: 1e6, Rows: 7}}
	theirs := []result{{Seconds: 8, Rows: 7}, {Seconds: 4, Rows: 7}}
	var line strings.Builder
	if err := report(&line, "a.csv", 2e6, ours, theirs); err != nil {
		t.Fatal(err)
	}
	const want = "| a.csv | 2 | 2.000 | 6.000 | 0.33 | 0.25 | 0.00 | 0.00 | 3 | 0 |\n"
	if line.String() != want {
		t.Errorf("got %s want %s", line.String(), want)
	}
	theirs[0].Rows = 8
	if err := report(io.Discard, "a.csv", 2e6, ours, theirs); err == nil {
		t.Error("no error where the two read other tables")
	}
}
