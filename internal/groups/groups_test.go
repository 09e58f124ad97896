package groups

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

// By definition, with a list of the groups that were met.
func TestNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOf(rapid.OneOf(rapid.Int32Range(0, 5), rapid.Int32Range(0, 1<<31-1))).Draw(t, "groups")
		var met, want []int32
		for _, g := range groups {
			if !slices.Contains(met, g) {
				met = append(met, g)
			}
			want = append(want, int32(slices.Index(met, g)))
		}
		kept := slices.Clone(groups)
		of, n := Number(groups, 99)
		if len(groups) == 0 {
			if of != nil || n != 99 {
				t.Fatalf("without groups: %v, %d", of, n)
			}
			return
		}
		if !slices.Equal(of, want) || n != len(met) || !slices.Equal(groups, kept) {
			t.Fatalf("%v are %v, %d groups", groups, of, n)
		}
		values := make([]uint16, n, n+rapid.IntRange(0, 40).Draw(t, "spare"))
		for g := range values {
			values[g] = uint16(7 * g)
		}
		for i, v := range Spread(values, of) {
			if v != uint16(7*of[i]) {
				t.Fatalf("row %d of group %d has %d", i, of[i], v)
			}
		}
	})
	if values := []int{3, 1}; !slices.Equal(Spread(values, nil), values) {
		t.Error("without groups, rows' values aren't those that were given")
	}
}
