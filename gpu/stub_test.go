//go:build !(cuda && linux)

package gpu

import (
	"strings"
	"testing"
)

// A program built without the tag says so.
func TestOpenWithoutTag(t *testing.T) {
	d, err := Open()
	if d != nil || err == nil || !strings.HasPrefix(err.Error(), "gpu: ") ||
		!strings.Contains(err.Error(), "built without the tag cuda") {
		t.Errorf("%v, %v", d, err)
	}
}
