package rules_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/claims"
)

// A claim is a line of docs/results/claims.csv: a number of a page that a file of docs/results supports.
type claim struct {
	page string // below the root
	text string // of the page, which has it once, with the number in braces
	file string // in docs/results
	claims.Number
}

// TestClaims compares numbers of the pages with the results they come from.
func TestClaims(t *testing.T) {
	all, err := claims.Read(filepath.Join(root, "docs", "results", "claims.csv"))
	if err != nil || len(all) < 1000 {
		t.Fatalf("%d claims are checked, error %v", len(all), err)
	}
	tables := map[string][]claims.Line{}
	for i, line := range all {
		number, err := claims.Parse(line)
		c := claim{line["page"], line["text"], line["file"], number}
		if err == nil && tables[c.file] == nil {
			tables[c.file], err = claims.Read(filepath.Join(root, "docs", "results", c.file))
		}
		if err == nil {
			err = c.check(tables[c.file])
		}
		if err != nil {
			t.Errorf("claims.csv:%d: %s: %q: %v", i+2, c.page, c.text, err)
		}
	}
}

// check returns an error unless the page has the text once, and its number is the rounded value.
func (c claim) check(lines []claims.Line) error {
	page, err := os.ReadFile(filepath.Join(root, c.page))
	if err != nil {
		return err
	}
	before, rest, _ := strings.Cut(c.text, "{")
	printed, after, ok := strings.Cut(rest, "}")
	text := strings.Join(strings.Fields(string(page)), " ") // lines may break anywhere
	if n := strings.Count(text, before+printed+after); !ok || n != 1 {
		return fmt.Errorf("the page has it %d times; want once, with the number in braces", n)
	}
	number := strings.NewReplacer("−", "-", "+", "", ",", "").Replace(printed)
	want, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return err
	}
	got, err := c.Value(lines)
	if err != nil {
		return err
	}
	_, decimals, _ := strings.Cut(number, ".")
	if !(math.Abs(got-want) <= 0.5000001*math.Pow10(-len(decimals))) {
		return fmt.Errorf("%s has %.*f", c.file, len(decimals)+2, got)
	}
	return nil
}
