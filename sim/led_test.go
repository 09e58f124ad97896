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

// TestLEDNoise counts the wrong segments, by feature.
func TestLEDNoise(t *testing.T) {
	const n = 50000
	for noise, of := range map[float64]LED{0.1: {}, 0.25: {Noise: 0.25}} {
		d := of.Sample(n, 4)
		for j, col := range d.Columns {
			wrong := 0
			for i, v := range col {
				if v != float32(displays[d.Labels[i]][j]-'0') {
					wrong++
				}
			}
			if got := float64(wrong) / n; math.Abs(got-noise) > 5*math.Sqrt(noise*(1-noise)/n) {
				t.Errorf("segment %d is wrong with frequency %v, want %v", j, got, noise)
			}
		}
	}
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
