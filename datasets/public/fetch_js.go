package public

import (
	"context"
	"fmt"
	"strings"
)

// fetch returns an error, since pages may not read files of other sites.
func (l *loader) fetch(context.Context, string, []sourceFile, string) error {
	var here []string
	for _, s := range registry() {
		if s.embedded() {
			here = append(here, s.Name)
		}
	}
	return fmt.Errorf("a page in a browser can't download it. Run the notebook with make lab, or load one of %s",
		strings.Join(here, ", "))
}
