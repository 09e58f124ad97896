package datasets

import (
	"slices"
	"strings"
)

// maxCategories is the number of codes that a float32 tells apart.
const maxCategories = 1 << 24

// A coder assigns codes to the texts of a column.
type coder struct {
	names []string
	given int // number of names that were given, which stay first and in order
	codes map[string]int32
	fixed bool // no new names
}

// newCoder returns a coder that accepts only the given names or, if names is nil, any.
func newCoder(names []string) *coder {
	c := &coder{names: slices.Clip(names), given: len(names), codes: make(map[string]int32, len(names)), fixed: names != nil}
	for i, name := range names {
		c.codes[name] = int32(i)
	}
	return c
}

// code returns the code of s, which it adds if needed; ok is false if it can't.
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

// sorted returns the names in order, and the place of each code in that order. Given names
// come first; the others are sorted by number if all are numbers and otherwise by bytes.
func (c *coder) sorted() (names []string, place []int32) {
	order := make([]int32, len(c.names))
	for i := range order {
		order[i] = int32(i)
	}
	sortNames(c.names, order[c.given:])
	names, place = make([]string, len(order)), make([]int32, len(order))
	for to, from := range order {
		names[to] = c.names[from]
		place[from] = int32(to)
	}
	return names, place
}

// recode replaces codes by their place among the sorted names, and returns these names.
func (c *coder) recode(codes []int32) []string {
	names, place := c.sorted()
	for i, code := range codes {
		codes[i] = place[code]
	}
	return names
}

// sortNames sorts codes by their names: by number if all are numbers, else by bytes.
func sortNames(names []string, codes []int32) {
	values := make([]float64, len(names))
	numeric := true
	for _, code := range codes {
		v, kind := parseNumber(names[code], 64)
		numeric = numeric && kind == numberCell
		values[code] = v
	}
	slices.SortFunc(codes, func(a, b int32) int {
		if numeric && values[a] != values[b] {
			if values[a] < values[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(names[a], names[b])
	})
}

// A blockCoder assigns codes to the texts of a column in a block. Its texts share the
// block's memory.
type blockCoder struct {
	names []string
	codes map[string]int32
}

// code returns the code of s, and whether it is new.
func (c *blockCoder) code(s string) (code int32, added bool) {
	code, ok := c.codes[s]
	if ok {
		return code, false
	}
	if c.codes == nil {
		c.codes = make(map[string]int32)
	}
	code = int32(len(c.names))
	c.names = append(c.names, s)
	c.codes[s] = code
	return code, true
}

func (c *blockCoder) reset() {
	clear(c.codes)
	c.names = c.names[:0]
}
