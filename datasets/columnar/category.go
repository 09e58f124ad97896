package columnar

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// A coder assigns codes to the texts of a column, in order of appearance.
type coder struct {
	names   []string
	codes   map[string]int32
	kept    int  // names that keep their codes when the others are sorted
	fixed   bool // no new names
	ordered bool // no sorting

	spellings map[string]int32 // codes of given names that may be written in another way
}

func newCoder(names []string) *coder {
	c := &coder{names: slices.Clone(names), codes: make(map[string]int32, len(names)), kept: len(names),
		spellings: naming.SpellingsOf(names)}
	for i, name := range names {
		c.codes[name] = int32(i)
	}
	return c
}

// code returns the code of s, and copies s if it is new.
func (c *coder) code(s string) (int32, error) {
	if code, ok := c.codes[s]; ok {
		return code, nil
	}
	if c.kept > 0 {
		if code, ok := c.spellings[naming.Spelling(s)]; ok {
			return code, nil
		}
	}
	switch {
	case c.fixed:
		return 0, fmt.Errorf("%s is not one of the %d classes", naming.Clip(s), len(c.names))
	case len(c.names) == naming.MaxCategories:
		return 0, fmt.Errorf("more than %d categories", naming.MaxCategories)
	case !utf8.ValidString(s):
		return 0, fmt.Errorf("%s is not UTF-8", naming.Clip(s))
	}
	s = strings.Clone(s)
	code := int32(len(c.names))
	c.names = append(c.names, s)
	c.codes[s] = code
	return code, nil
}

// sorted returns the names in their final order, and the place of each code in it, or nil
// if that is the code itself.
func (c *coder) sorted() (names []string, place []int32) {
	if c.ordered || c.fixed || len(c.names) == c.kept {
		return c.names, nil
	}
	return naming.Sorted(c.names, c.kept)
}
