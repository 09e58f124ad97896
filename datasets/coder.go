package datasets

import (
	"fmt"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// A nameList numbers different names. It takes little memory for few, since a table may
// have a million columns of them.
type nameList struct {
	names []string
	place map[string]int32 // nil for few names
}

const fewNames = 8

// find returns the number of s, if it has one.
func (l *nameList) find(s string) (k int32, ok bool) {
	if l.place != nil {
		k, ok = l.place[s]
		return k, ok
	}
	for k := len(l.names) - 1; k >= 0; k-- {
		if l.names[k] == s {
			return int32(k), true
		}
	}
	return 0, false
}

// add numbers s, which isn't in the list.
func (l *nameList) add(s string) int32 {
	k := int32(len(l.names))
	l.names = append(l.names, s)
	switch {
	case l.place != nil:
		l.place[s] = k
	case len(l.names) > fewNames:
		l.place = make(map[string]int32, 2*fewNames)
		for k, name := range l.names {
			l.place[name] = int32(k)
		}
	}
	return k
}

// number returns the number of s, and whether it is new. The list shares the memory of s.
func (l *nameList) number(s string) (k int32, added bool) {
	if k, ok := l.find(s); ok {
		return k, false
	}
	return l.add(s), true
}

func (l *nameList) reset() {
	clear(l.place)
	l.names = l.names[:0]
}

// A coder assigns codes to the texts of a column.
type coder struct {
	nameList
	given int  // number of names that were given, which stay first and in order
	fixed bool // no new names

	spellings map[string]int32 // codes of given names that may be written in another way
}

// newCoder returns a coder that accepts only the given names or, if names is nil, any.
func newCoder(names []string) *coder {
	c := &coder{given: len(names), fixed: names != nil}
	for _, name := range names {
		c.add(name)
	}
	return c
}

// removeLast removes the text that was added last.
func (c *coder) removeLast() {
	last := len(c.names) - 1
	delete(c.place, c.names[last])
	c.names = c.names[:last]
}

// lookup returns the code of s or, if it has none, that of a given name that is s in another spelling.
func (c *coder) lookup(s string) (int32, bool) {
	code, ok := c.find(s)
	if !ok && c.spellings != nil {
		code, ok = c.spellings[naming.Spelling(s)]
	}
	return code, ok
}

// code returns the code of s, which it adds if needed.
func (c *coder) code(s string) (int32, error) {
	if code, ok := c.lookup(s); ok {
		return code, nil
	}
	if c.fixed || len(c.names) == naming.MaxCategories {
		return 0, fmt.Errorf("more than %d categories", len(c.names))
	}
	return c.add(strings.Clone(s)), nil // do not keep the file in memory for it
}

// sorted returns the names in order, given ones first, and the place of each code in that order.
func (c *coder) sorted() (names []string, place []int32) { return naming.Sorted(c.names, c.given) }

// ascending returns the numbers from 0 to n−1.
func ascending(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// recode replaces codes by their place among the sorted names, and returns these names.
func (c *coder) recode(codes []int32) []string {
	names, place := c.sorted()
	for i, code := range codes {
		codes[i] = place[code]
	}
	return names
}
