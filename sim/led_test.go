package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// displays holds the digits as UCI's led-display has them: the most frequent row
// of each class among its 1000.
var displays = []string{
	"1110111", "0010010", "1011101", "1011011", "0111010",
	"1101011", "1101111", "1010010", "1111111", "1111011",
}

func TestLEDDisplays(t *testing.T) {
	d := LED{Noise: 1e-12}.Sample(2000, 3)
	for i := range d.N() {
		var shown strings.Builder
		for _, v := range d.Row(nil, i) {
			fmt.Fprint(&shown, v)
		}
		if want := displays[d.Labels[i]]; shown.String() != want {
			t.Fatalf("%d is shown as %s, want %s", d.Labels[i], shown.String(), want)
		}
	}
	checkShares(t, d, func(int) float64 { return 0.1 })
}

// TestLEDBayesError adds up the likeliest digit's probability over all displays,
// computed from displays segment by segment. Breiman et al. (1984) print 0.26.
func TestLEDBayesError(t *testing.T) {
	for _, noise := range []float64{0.1, 0.2, 0.5} {
		want := 1.
		for seen := range 128 {
			var best float64
			for _, display := range displays {
				share := 0.1
				for j, segment := range display {
					if int(segment-'0') == seen>>j&1 {
						share *= 1 - noise
					} else {
						share *= noise
					}
				}
				best = max(best, share)
			}
			want -= best
		}
		if got := (LED{Noise: noise}).Bayes().Error(); math.Abs(got-want) > 1e-12 {
			t.Errorf("noise %v: %v, want %v", noise, got, want)
		}
	}
	if got := (LED{}).Bayes().Error(); math.Abs(got-0.26) > 0.0005 {
		t.Errorf("%v, want 0.26", got)
	}
}
