package prepared

import (
	"errors"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
)

// What was computed is returned again for the same table and type only, and without Data never.
func TestOf(t *testing.T) {
	a, b := new(datasets.Dataset), new(datasets.Dataset)
	var kept Data
	calls := 0
	ask := func(d *Data, train *datasets.Dataset, want int) {
		t.Helper()
		got, err := Of(d, train, func() (int, error) { calls++; return calls, nil })
		if got != want || err != nil {
			t.Errorf("%d, %v; want %d", got, err, want)
		}
	}
	ask(&kept, a, 1)
	ask(&kept, a, 1)
	ask(&kept, b, 2)
	ask(&kept, b, 2)
	ask(&kept, a, 3)
	ask(nil, a, 4)
	ask(nil, a, 5)
	if s, err := Of(&kept, a, func() (string, error) { return "text", nil }); s != "text" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
	ask(&kept, a, 6)
	failure := errors.New("no")
	if _, err := Of(&kept, b, func() (int, error) { return 7, failure }); err != failure {
		t.Errorf("error %v", err)
	}
	ask(&kept, a, 6) // an error isn't kept
}
