package sim

import (
	"strconv"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// TestOrthantNames reads the signs of a row as a binary number, most
// significant feature last, and expects it, plus one, as the class name.
func TestOrthantNames(t *testing.T) {
	d := Orthant{Features: 4}.Sample(2000, 1)
	if len(d.Classes) != 16 || d.Classes[0] != "1" || d.Classes[15] != "16" {
		t.Fatalf("classes %v, want 1 to 16", d.Classes)
	}
	for i := range d.N() {
		digits := ""
		for j := range d.P() {
			if d.At(i, j) > 0 {
				digits = "1" + digits
			} else {
				digits = "0" + digits
			}
		}
		orthant := must.Value(strconv.ParseInt(digits, 2, 32))
		if got, want := d.Classes[d.Labels[i]], strconv.FormatInt(orthant+1, 10); got != want {
			t.Fatalf("row %v has class %s, want %s", d.Row(nil, i), got, want)
		}
	}
	checkShares(t, d, func(int) float64 { return 1. / 16 })
}
