package graf

import (
	"math"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/portable"
	"github.com/obliqua-ml/obliqua/sim"
)

// javaRandom is java.util.Random: Knuth's linear congruential generator modulo 2⁴⁸, as its documentation has it.
type javaRandom struct {
	state uint64
	spare float64 // the second of a pair of normal numbers
	saved bool    // whether spare is to be returned next
}

func newJavaRandom(seed uint64) *javaRandom {
	return &javaRandom{state: (seed ^ 0x5DEECE66D) % (1 << 48)}
}

// next returns the next number of so many bits.
func (r *javaRandom) next(bits int) int64 {
	r.state = (r.state*0x5DEECE66D + 0xB) % (1 << 48)
	return int64(r.state >> (48 - bits))
}

// nextDouble returns a number uniform on [0, 1).
func (r *javaRandom) nextDouble() float64 {
	high := r.next(26)
	return float64(high<<27+r.next(27)) / (1 << 53)
}

// nextInt returns a number from 0 to n − 1.
func (r *javaRandom) nextInt(n int64) int64 {
	bits := r.next(31)
	if n&(n-1) == 0 { // a power of two takes the high bits
		return bits * n >> 31
	}
	for bits-bits%n+n-1 >= 1<<31 { // of the last numbers, which aren't a whole n of them
		bits = r.next(31)
	}
	return bits % n
}

// nextGaussian returns a standard normal number, by Marsaglia's polar method.
func (r *javaRandom) nextGaussian() float64 {
	if r.saved {
		r.saved = false
		return r.spare
	}
	for {
		a, b := 2*r.nextDouble()-1, 2*r.nextDouble()-1
		if s := float64(a*a) + float64(b*b); s < 1 && s != 0 {
			scale := math.Sqrt(-2 * portable.Log(s) / s)
			r.spare, r.saved = b*scale, true
			return a * scale
		}
	}
}

// wekaRBF returns the rows that Weka's RandomRBF writes for "-S 1 -n 10000 -a 10 -c classes -C centroids", the commands
// in appendix A of the GRAF paper. They are of [sim.RandomRBF]'s distribution. As in Weka's file, features have six
// decimals.
func wekaRBF(classes, centroids int) *datasets.Dataset {
	const n, p = 10000, 10
	r := newJavaRandom(1)
	centres := make([][p]float64, centroids)
	labels := make([]int32, centroids)
	deviations, weights := make([]float64, centroids), make([]float64, centroids)
	total := 0.0
	for k := range centres {
		for j := range p {
			centres[k][j] = r.nextDouble()
		}
		labels[k] = int32(r.nextInt(int64(classes)))
		weights[k], deviations[k] = r.nextDouble(), r.nextDouble()
		total += weights[k]
	}
	d := sim.RandomRBF{Features: p, Classes: classes, Centroids: 1}.Sample(n, 1) // of other rows
	for i := range n {
		k, sum, at := 0, weights[0], r.nextDouble()*total
		for sum <= at {
			k++
			sum += weights[k]
		}
		var direction [p]float64
		square := 0.0
		for j := range p {
			direction[j] = 2*r.nextDouble() - 1
			square += float64(direction[j] * direction[j])
		}
		scale := r.nextGaussian() * deviations[k] / math.Sqrt(square)
		for j := range p {
			d.Columns[j][i] = sixDecimals(centres[k][j] + float64(direction[j]*scale))
		}
		d.Labels[i] = labels[k]
	}
	return d
}

func sixDecimals(v float64) float32 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', 6, 64), 32)
	return float32(v)
}
