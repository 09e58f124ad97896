// Package claims computes the numbers of pages from the lines of result files, as a few words say.
package claims

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/contest"
)

// A Line is a line of a CSV file, by column.
type Line = map[string]string

// A Number says what makes a number of the lines of a result file.
type Number struct {
	Where string // lines that count: "column=value;column=value"; "" is all
	Minus string // lines with the same problem and repeat that are taken off, such as "method=rf"; or none
	Of    string // a column, or a word of the column "more", such as "test" for "test=0.2"; "1 - test" is a difference
	How   string // see [Number.Value]
	Times float64
}

// Parse returns the number that the columns where, minus, of, how and times say.
func Parse(line Line) (Number, error) {
	times, err := strconv.ParseFloat(line["times"], 64)
	return Number{line["where"], line["minus"], line["of"], line["how"], times}, err
}

// Value returns what the lines say: the count, mean, median, min or max of a column, its sd (standard deviation) or se
// (standard error of the mean), or how many numbers are lower than 0, equal to it or higher. "below 0.05" is how many
// are less than that, "quantile 0.05" what a share of 0.05 is below, by linear interpolation, and slope that of the
// numbers' logarithms over those of x. wilcoxon is the p-value of [eval.Wilcoxon] that the numbers lie above 0, and
// ratio the geometric mean of the numbers, each divided by that of the line of Minus instead of less it. After
// "by problem " the numbers are the means of the problems, and after "by problem of 5 " those of the problems with 5
// lines.
func (n Number) Value(lines []Line) (float64, error) {
	x, at, problems, err := n.numbers(lines)
	if err != nil {
		return 0, err
	}
	how, byProblem := strings.CutPrefix(n.How, "by problem ")
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
		return 0, fmt.Errorf("there are no lines %q", n.Where)
	}
	v, err := summary(how, x, at)
	return v * n.Times, err
}

// Problems returns the means of the problems, each of them Times what the lines have.
func (n Number) Problems(lines []Line) (map[string]float64, error) {
	_, _, problems, err := n.numbers(lines)
	means := map[string]float64{}
	for name, x := range problems {
		means[name] = stat.Mean(x, nil) * n.Times
	}
	return means, err
}

// numbers returns the numbers of the lines that count, the lines' x, and the numbers by problem.
func (n Number) numbers(lines []Line) (x, at []float64, problems map[string][]float64, err error) {
	key := func(line Line) string { return line["problem"] + "\x00" + line["repeat"] }
	number := func(line Line) (float64, error) {
		v, err := cell(line, n.Of)
		if strings.HasSuffix(n.How, "ratio") {
			v = math.Log(v)
		}
		return v, err
	}
	others := map[string]float64{}
	for _, line := range lines {
		if n.Minus == "" || !Matches(line, n.Minus) {
			continue
		}
		v, err := number(line)
		if err != nil {
			return nil, nil, nil, err
		}
		others[key(line)] = v
	}
	problems = map[string][]float64{}
	for _, line := range lines {
		other, both := others[key(line)]
		if !Matches(line, n.Where) || n.Minus != "" && !both {
			continue
		}
		v, err := number(line)
		if err != nil {
			return nil, nil, nil, err
		}
		place, _ := cell(line, "x") // not in all files
		x, at = append(x, v-other), append(at, place)
		problems[line["problem"]] = append(problems[line["problem"]], v-other)
	}
	return x, at, problems, nil
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
		return contest.Quantile(x, p), err
	}
	switch how {
	case "count":
		return float64(len(x)), nil
	case "mean":
		return stat.Mean(x, nil), nil
	case "ratio":
		return math.Exp(stat.Mean(x, nil)), nil
	case "wilcoxon":
		return eval.Wilcoxon(x, make([]float64, len(x))), nil
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

// Matches returns whether a line has all the values.
func Matches(line Line, where string) bool {
	if where == "" {
		return true
	}
	for _, condition := range strings.Split(where, ";") {
		if name, value, _ := strings.Cut(condition, "="); line[name] != value {
			return false
		}
	}
	return true
}

// cell returns a number of a line, which name says; see [Number].
func cell(line Line, name string) (float64, error) {
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

// Read returns the lines of a CSV file, whose first line names the columns.
func Read(path string) (lines []Line, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, row := range rows[min(1, len(rows)):] {
		line := Line{}
		for j, name := range rows[0] {
			line[name] = row[j]
		}
		lines = append(lines, line)
	}
	return lines, nil
}
