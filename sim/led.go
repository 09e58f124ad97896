package sim

import (
	"math"
	"math/bits"

	"github.com/obliqua-ml/obliqua/datasets"
)

// LED is the problem of Breiman, Friedman, Olshen and Stone (1984), section
// 2.6.1, of a faulty display: the class is one of the digits "0" to "9", and the
// features are the seven segments of its display, lit (1) or not (0). Each is
// wrong with probability Noise, independently of the others.
//
// The features are, in order, the segments at the top, upper left, upper right,
// middle, lower left, lower right and bottom. The digits 6 and 9 have six lit
// segments, as in UCI's data set. The tables of the Heterogeneous Random Forest
// (Kim, Kim and Kim), which call the problem led, have 6000 rows.
type LED struct {
	Noise float64 // probability that a segment is wrong, ≤ 1/2; 0 means 0.1
}

// segments holds the segments of each digit; bit j is feature j, from 0.
var segments = [10]uint8{
	0: 0b1110111,
	1: 0b0100100,
	2: 0b1011101,
	3: 0b1101101,
	4: 0b0101110,
	5: 0b1101011,
	6: 0b1111011,
	7: 0b0100101,
	8: 0b1111111,
	9: 0b1101111,
}

func (l LED) params() (noise float64) { return orDefault(l.Noise, 0.1, 0.5, "LED.Noise") }

// Sample returns n independent rows. All digits are equally likely.
func (l LED) Sample(n int, seed uint64) *datasets.Dataset {
	noise := l.params()
	d := newDataset("led", n, 7, 10, 0)
	rng := newRand(seed)
	fairLabels(d.Labels, 10, rng)
	for j, col := range d.Columns {
		for i, y := range d.Labels {
			lit := segments[y]>>j&1 == 1
			if wrong := rng.Float64() < noise; lit != wrong {
				col[i] = 1
			}
		}
	}
	return d
}

// Bayes returns the rule. It takes the digit that differs in the fewest segments; of several, the smallest. A segment
// is lit where its feature is above 1/2. The error, summed over the 128 possible displays, is 0.25998 if Noise is 0.1.
func (l LED) Bayes() Rule {
	noise := l.params()
	posterior := func(x []float32) []float64 {
		var seen uint8
		for j, v := range x[:7] {
			if v > 0.5 {
				seen |= 1 << j
			}
		}
		logs := make([]float64, len(segments))
		for y, s := range segments {
			logs[y] = float64(bits.OnesCount8(seen^s)) * math.Log(noise/(1-noise))
		}
		return softmax(logs)
	}
	return ofPosterior(posterior, func() float64 { return ledError(noise) })
}

func ledError(noise float64) float64 {
	var right float64
	for seen := range uint8(128) {
		best := 7 // segments that differ from the nearest digit
		for _, s := range segments {
			best = min(best, bits.OnesCount8(seen^s))
		}
		right += math.Pow(noise, float64(best)) * math.Pow(1-noise, float64(7-best)) / 10
	}
	return 1 - right
}
