package datasets

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// readText reads all of r, unpacks it if it is gzip by its first bytes, and
// drops a UTF-8 byte-order mark.
func readText(r io.Reader) (string, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var from io.Reader = in
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return "", err
		}
		from = z
	}
	var b strings.Builder
	if _, err := io.Copy(&b, from); err != nil {
		return "", err
	}
	return strings.TrimPrefix(b.String(), "\ufeff"), nil
}

// readFile reads a data set from a file and names it after the file.
func readFile(path string, read func(io.Reader, string) (*Dataset, error)) (*Dataset, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	d, err := read(f, path)
	if err != nil {
		return nil, err
	}
	d.Name = baseName(path)
	return d, nil
}

// baseName returns the last element of path without what follows its first
// dot: "letter" for "data/letter.csv.gz".
func baseName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

// trim drops blanks around s: spaces, tabs and carriage returns, but not sep.
func trim(s string, sep byte) string {
	for s != "" && isBlank(s[0], sep) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1], sep) {
		s = s[:len(s)-1]
	}
	return s
}

func isBlank(c, sep byte) bool { return (c == ' ' || c == '\t' || c == '\r') && c != sep }

// A cellKind says what the text of a cell can be.
type cellKind uint8

const (
	textCell cellKind = iota
	numberCell
	infiniteCell // "inf", or a number beyond what the type holds
)

// parseNumber reads a decimal number of the given size (32 or 64 bits).
func parseNumber(s string, bits int) (float64, cellKind) {
	digits := s
	if s != "" && (s[0] == '+' || s[0] == '-') {
		digits = s[1:]
	}
	if digits == "" {
		return 0, textCell
	}
	if c := digits[0]; c != '.' && (c < '0' || c > '9') {
		if strings.EqualFold(digits, "inf") || strings.EqualFold(digits, "infinity") {
			return 0, infiniteCell
		}
		return 0, textCell
	}
	if len(digits) > 1 && digits[1]|0x20 == 'x' { // Go's hexadecimal numbers
		return 0, textCell
	}
	v, err := strconv.ParseFloat(s, bits)
	switch {
	case err == nil:
		return v, numberCell
	case err.(*strconv.NumError).Err == strconv.ErrRange:
		return 0, infiniteCell
	default:
		return 0, textCell
	}
}

// maxCategories is the number of codes that a float32 tells apart.
const maxCategories = 1 << 24

// A coder gives the texts of a column codes.
type coder struct {
	names []string
	codes map[string]int32
	fixed bool // no new names
}

func newCoder(names []string) *coder {
	c := &coder{names: names, codes: make(map[string]int32, len(names)), fixed: names != nil}
	for i, name := range names {
		c.codes[name] = int32(i)
	}
	return c
}

// code returns the code of s; ok is false if there is none and none can be made.
func (c *coder) code(s string) (code int32, ok bool) {
	if code, ok = c.codes[s]; ok || c.fixed || len(c.names) == maxCategories {
		return code, ok
	}
	s = strings.Clone(s) // do not keep the file in memory for it
	code = int32(len(c.names))
	c.names = append(c.names, s)
	c.codes[s] = code
	return code, true
}

// sorted returns the names in order, by number if all are numbers and else by
// bytes, and the place of each code in that order. Fixed names stay as they are.
func (c *coder) sorted() (names []string, place []int32) {
	order := make([]int32, len(c.names))
	for i := range order {
		order[i] = int32(i)
	}
	if !c.fixed {
		sortNames(c.names, order)
	}
	names, place = make([]string, len(order)), make([]int32, len(order))
	for to, from := range order {
		names[to] = c.names[from]
		place[from] = int32(to)
	}
	return names, place
}

// recode replaces codes by their place among the sorted names, and returns these.
func (c *coder) recode(codes []int32) []string {
	names, place := c.sorted()
	for i, code := range codes {
		codes[i] = place[code]
	}
	return names
}

func sortNames(names []string, order []int32) {
	values := make([]float64, len(names))
	numeric := true
	for i, name := range names {
		v, kind := parseNumber(name, 64)
		numeric = numeric && kind == numberCell
		values[i] = v
	}
	slices.SortFunc(order, func(a, b int32) int {
		if numeric && values[a] != values[b] {
			if values[a] < values[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(names[a], names[b])
	})
}

// findColumn returns the index of the column that is called spec, or that
// spec "#k" counts from 1.
func findColumn(names []string, spec string) (int, error) {
	if j := slices.Index(names, spec); j >= 0 {
		return j, nil
	}
	if k, err := strconv.Atoi(strings.TrimPrefix(spec, "#")); err == nil && spec[0] == '#' {
		if k >= 1 && k <= len(names) {
			return k - 1, nil
		}
		return 0, fmt.Errorf("no column %s; there are %d", spec, len(names))
	}
	return 0, fmt.Errorf("no column %q; the nearest are %s", spec, nearest(names, spec))
}

// nearest quotes the three names of smallest edit distance to s.
func nearest(names []string, s string) string {
	if len(s) > 64 {
		s = s[:64]
	}
	near := slices.Clone(names)
	distance := make(map[string]int, len(near))
	for _, name := range near {
		distance[name] = editDistance(strings.ToLower(name[:min(len(name), 64)]), strings.ToLower(s))
	}
	slices.SortStableFunc(near, func(a, b string) int { return distance[a] - distance[b] })
	near = near[:min(len(near), 3)]
	for i, name := range near {
		near[i] = strconv.Quote(name)
	}
	return strings.Join(near, ", ")
}

// editDistance is Levenshtein's, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// clip quotes a text for an error message, shortened.
func clip(s string) string {
	if len(s) > 40 {
		return strconv.Quote(s[:40]) + "…"
	}
	return strconv.Quote(s)
}
