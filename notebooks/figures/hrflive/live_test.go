package hrflive

import (
	"math"
	"testing"
)

// By hand: ten trees vote on four rows of three classes. The third row is a tie, which the
// first class wins.
func TestShareVotes(t *testing.T) {
	got := ShareVotes([][]int32{{6, 3, 1}, {5, 4, 1}, {5, 0, 5}, {0, 0, 10}}, []int32{0, 1, 0, 2})
	want := VoteShares{Trees: (0.4 + 0.6 + 0.5 + 0) / 4, Forest: 0.25, Harmless: (0.4 + 0.5 + 0) / 4, Useless: 0.4 / 4}
	for k, d := range []float64{got.Trees - want.Trees, got.Forest - want.Forest, got.Harmless - want.Harmless,
		got.Useless - want.Useless,
		got.Forest - (got.Trees - got.Harmless + got.Useless)} {
		if math.Abs(d) > 1e-12 {
			t.Errorf("number %d: got %+v, want %+v", k, got, want)
		}
	}
}
