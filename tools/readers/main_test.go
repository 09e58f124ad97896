package main

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
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
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, make([]byte, 2e6), 0o644); err != nil {
		t.Fatal(err)
	}
	ours := []result{{Seconds: 3, Peak: 5e6, Rows: 7}, {Seconds: 1, Peak: 3e6, Rows: 7}, {Seconds: 2, Peak: 4e6, Baseline: 1e6, Rows: 7}}
	theirs := []result{{Seconds: 8, Rows: 7}, {Seconds: 4, Rows: 7}}
	var table strings.Builder
	if err := report(&table, []string{file}, map[string][]result{"a.csv obliqua": ours, "a.csv pandas": theirs}); err != nil {
		t.Fatal(err)
	}
	const want = "| a.csv | 2 | 2.000 | 6.000 | 0.33 | 0.25 | 0.00 | 0.00 | 3 | 0 |\n"
	if !strings.HasSuffix(table.String(), "\n"+want) {
		t.Errorf("got %s want %s", table.String(), want)
	}
	theirs[0].Rows = 8
	if err := report(io.Discard, []string{file}, map[string][]result{"a.csv obliqua": ours, "a.csv pandas": theirs}); err == nil {
		t.Error("no error where the two read other tables")
	}
}
