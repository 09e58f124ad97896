// Package naming finds columns and categories by their names, orders them, and quotes them in messages. All readers of
// tables use it.
package naming

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/nearest"
)

var indexName = regexp.MustCompile(`^(|Unnamed: \d+|__index_level_\d+__|level_\d+|\.\.\.1|[rR]ow[._ ]?names)$`)

// IsIndex reports whether the name of a column is one that pandas, R or Arrow give to the numbers or names of rows.
func IsIndex(name string) bool { return indexName.MatchString(name) }

// Find returns the index of the column called spec or, if there is none
// and spec is "#k", of column k, counted from 1. Place holds the index of each name.
func Find(names []string, place map[string]int, spec string) (int, error) {
	if j, ok := place[spec]; ok {
		return j, nil
	}
	if k, err := strconv.Atoi(strings.TrimPrefix(spec, "#")); err == nil && spec[0] == '#' {
		if k >= 1 && k <= len(names) {
			return k - 1, nil
		}
		return 0, fmt.Errorf("no column %s; there are %d", spec, len(names))
	}
	return 0, fmt.Errorf("no column %q; the nearest are %s", spec, nearest.Names(names, spec))
}

// Places returns the index of each name. It calls columns without a name x1, x2, … by their place, and returns an error
// if two have the same name.
func Places(names []string) (map[string]int, error) {
	place := make(map[string]int, len(names))
	for j, name := range names {
		if name == "" {
			name = "x" + strconv.Itoa(j+1)
			names[j] = name
		}
		if k, ok := place[name]; ok {
			return nil, fmt.Errorf("columns %d and %d are both called %q", k+1, j+1, name)
		}
		place[name] = j
	}
	return place, nil
}

// MaxCategories is the number of codes that a float32 tells apart.
const MaxCategories = 1 << 24

// Sorted returns names in order, and the place of each in that order. The first given ones stay where they are; the
// others are sorted by number if all of them are numbers and otherwise by bytes.
func Sorted(names []string, given int) (sorted []string, place []int32) {
	order := make([]int32, len(names))
	values := make([]float64, len(names))
	numeric := true
	for i, name := range names {
		order[i] = int32(i)
		if i < given {
			continue
		}
		v, ok := number(name)
		values[i] = v
		numeric = numeric && ok
	}
	slices.SortFunc(order[given:], func(a, b int32) int {
		if numeric && values[a] != values[b] {
			return cmp.Compare(values[a], values[b])
		}
		return strings.Compare(names[a], names[b])
	})
	sorted, place = make([]string, len(names)), make([]int32, len(names))
	for to, from := range order {
		sorted[to], place[from] = names[from], int32(to)
	}
	return sorted, place
}

// number returns the number that a text is, and whether it is one.
func number(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64) // takes hexadecimal numbers, infinities and NaN, too
	return v, err == nil && strings.Trim(s, "+-.0123456789eE") == ""
}

// Spelling returns the same text for all spellings of a number or of a truth value, such as 1, 1.0 and 01, or TRUE and
// true. It returns "" for other texts.
func Spelling(s string) string {
	if v, ok := number(s); ok {
		return strconv.FormatFloat(v+0, 'g', -1, 64)
	}
	if lower := strings.ToLower(s); lower == "true" || lower == "false" {
		return lower
	}
	return ""
}

// SpellingsOf returns the code of each name by its spelling. If there are both truth values and no numbers, 1 and 0 are
// spellings of those. Names that share a spelling have none.
func SpellingsOf(names []string) map[string]int32 {
	codes, shared := make(map[string]int32), []string{""}
	for k, name := range names {
		key := Spelling(name)
		if _, ok := codes[key]; ok {
			shared = append(shared, key)
		}
		codes[key] = int32(k)
	}
	for _, key := range shared {
		delete(codes, key)
	}
	truth, ok := codes["true"]
	if untruth, both := codes["false"]; ok && both && len(codes) == 2 {
		codes["1"], codes["0"] = truth, untruth
	}
	return codes
}

// IsCode reports whether v is the code of one of so many categories.
func IsCode(v float64, categories int) bool {
	return v >= 0 && v < float64(categories) && v == math.Trunc(v)
}

// Unknown says of a column of codes that most of its cells have new categories, those after the given ones, which the
// training data had. It returns "" if at least half of the cells have those, or if none were given.
func Unknown(cells []float32, names []string, given int) string {
	if given == 0 || given == len(names) {
		return ""
	}
	known, unknown := 0, 0
	for _, code := range cells {
		switch {
		case code != code:
		case int(code) < given:
			known++
		default:
			unknown++
		}
	}
	if unknown <= known {
		return ""
	}
	const examples = 3
	var news []string
	for _, name := range names[given:min(given+examples, len(names))] {
		news = append(news, Clip(name))
	}
	return fmt.Sprintf("has categories that the training data don't have in %d of %d cells, such as %s; those had %s",
		unknown, known+unknown, strings.Join(news, ", "), Clip(names[0]))
}

// Clip quotes a text for an error message, shortened.
func Clip(s string) string {
	if len(s) > 40 {
		return strconv.Quote(s[:40]) + "…"
	}
	return strconv.Quote(s)
}
