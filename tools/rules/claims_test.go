package rules_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// A claim is a line of docs/results/claims.csv: a number of a page that a file of docs/results supports.
type claim struct {
	page  string // below the root
	text  string // of the page, which has it once, with the number in braces
	file  string // in docs/results
	where string // lines that count: "column=value;column=value"
	minus string // lines with the same problem and repeat that are taken off, such as "method=rf"; or none
	of    string // a column, or a word of the column "more", such as "test" for "test=0.2"; "1 - test" is a difference
	how   string // see [claim.value]
	times float64
}

// TestClaims compares numbers of the pages with the results they come from.
func TestClaims(t *testing.T) {
	claims := readTable(t, filepath.Join(root, "docs", "results", "claims.csv"))
	if len(claims) < 1000 {
		t.Errorf("%d claims are checked", len(claims))
	}
	tables := map[string][]map[string]string{}
	for i, line := range claims {
		times, err := strconv.ParseFloat(line["times"], 64)
		c := claim{line["page"], line["text"], line["file"], line["where"], line["minus"], line["of"], line["how"], times}
		if tables[c.file] == nil {
			tables[c.file] = readTable(t, filepath.Join(root, "docs", "results", c.file))
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
func (c claim) check(lines []map[string]string) error {
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
	got, err := c.value(lines)
	if err != nil {
		return err
	}
	_, decimals, _ := strings.Cut(number, ".")
	if got *= c.times; !(math.Abs(got-want) <= 0.5000001*math.Pow10(-len(decimals))) {
		return fmt.Errorf("%s has %.*f", c.file, len(decimals)+2, got)
	}
	return nil
}

// value returns what the lines say: the count, mean, median, min or max of a column, its sd (standard deviation) or se
// (standard error of the mean), or how many numbers are lower than 0, equal to it or higher. "below 0.05" is how many
// are less than that, "quantile 0.05" what a share of 0.05 is below, by linear interpolation, and slope that of the
// numbers' logarithms over those of x. After "by problem " the numbers are
// the means of the problems, and after "by problem of 5 " those of the problems with 5 lines.
func (c claim) value(lines []map[string]string) (float64, error) {
	key := func(line map[string]string) string { return line["problem"] + "\x00" + line["repeat"] }
	others := map[string]float64{}
	for _, line := range lines {
		if c.minus == "" || !matches(line, c.minus) {
			continue
		}
		v, err := cell(line, c.of)
		if err != nil {
			return 0, err
		}
		others[key(line)] = v
	}
	var x, at []float64
	problems := map[string][]float64{}
	for _, line := range lines {
		other, both := others[key(line)]
		if !matches(line, c.where) || c.minus != "" && !both {
			continue
		}
		v, err := cell(line, c.of)
		if err != nil {
			return 0, err
		}
		place, _ := cell(line, "x") // not in all files
		x, at = append(x, v-other), append(at, place)
		problems[line["problem"]] = append(problems[line["problem"]], v-other)
	}
	how, byProblem := strings.CutPrefix(c.how, "by problem ")
	how, whole := strings.CutPrefix(how, "of 5 ")
	if byProblem {
		x = nil
		for _, name := range slices.Sorted(maps.Keys(problems)) {
			if !whole || len(problems[name]) == 5 {
				x = append(x, stat.Mean(problems[name], nil))
			}
		}
	}
	if len(x) == 0 {
		return 0, fmt.Errorf("%s has no such lines", c.file)
	}
	return summary(how, x, at)
}

// even is the largest difference that the six digits of the files may make of none.
const even = 1e-6

func summary(how string, x, at []float64) (float64, error) {
	count := func(is func(v float64) bool) (n float64) {
		for _, v := range x {
			if is(v) {
				n++
			}
		}
		return n
	}
	if bound, ok := strings.CutPrefix(how, "below "); ok {
		most, err := strconv.ParseFloat(bound, 64)
		return count(func(v float64) bool { return v < most }), err
	}
	if how == "slope" {
		for i := range x {
			x[i], at[i] = math.Log(x[i]), math.Log(at[i])
		}
		_, slope := stat.LinearRegression(at, x, nil, false)
		return slope, nil
	}
	slices.Sort(x)
	if share, ok := strings.CutPrefix(how, "quantile "); ok {
		p, err := strconv.ParseFloat(share, 64)
		whole, rest := math.Modf(p * float64(len(x)-1))
		k := int(whole)
		return x[k] + rest*(x[min(k+1, len(x)-1)]-x[k]), err
	}
	switch how {
	case "count":
		return float64(len(x)), nil
	case "mean":
		return stat.Mean(x, nil), nil
	case "median":
		return (x[(len(x)-1)/2] + x[len(x)/2]) / 2, nil
	case "min":
		return x[0], nil
	case "max":
		return x[len(x)-1], nil
	case "sd":
		return stat.StdDev(x, nil), nil
	case "se":
		return stat.StdErr(stat.StdDev(x, nil), float64(len(x))), nil
	case "lower":
		return count(func(v float64) bool { return v < -even }), nil
	case "equal":
		return count(func(v float64) bool { return math.Abs(v) <= even }), nil
	case "higher":
		return count(func(v float64) bool { return v > even }), nil
	}
	return 0, fmt.Errorf("unknown way %q to sum up", how)
}

// matches returns whether a line has all the values.
func matches(line map[string]string, where string) bool {
	for _, condition := range strings.Split(where, ";") {
		if name, value, _ := strings.Cut(condition, "="); line[name] != value {
			return false
		}
	}
	return true
}

// cell returns a number of a line, which name says; see [claim].
func cell(line map[string]string, name string) (float64, error) {
	if one, other, ok := strings.Cut(name, " - "); ok {
		a, err := cell(line, one)
		if err != nil {
			return 0, err
		}
		b, err := cell(line, other)
		return a - b, err
	}
	if number, err := strconv.ParseFloat(name, 64); err == nil {
		return number, nil
	}
	text, ok := line[name]
	if !ok {
		for _, word := range strings.Fields(line["more"]) {
			if v, found := strings.CutPrefix(word, name+"="); found {
				text = v
			}
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("column %q: %w", name, err)
	}
	return v, nil
}

// readTable returns the lines of a CSV file by column.
func readTable(t *testing.T, path string) (table []map[string]string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, line := range lines[1:] {
		cells := map[string]string{}
		for j, name := range lines[0] {
			cells[name] = line[j]
		}
		table = append(table, cells)
	}
	return table
}
