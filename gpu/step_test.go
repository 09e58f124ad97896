//go:build cuda && linux

package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/device"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// runKernel runs a kernel. Slices are copied to the device before and back afterwards; a
// number is passed as it is.
func runKernel(t *testing.T, dev *Device, kernel string, l layout, params ...any) {
	t.Helper()
	m := dev.machine
	must.Do(m.do(func() (err error) {
		s, err := m.stream()
		if err != nil {
			return err
		}
		numbers, memory := make([]int64, len(params)), make([][]byte, len(params))
		for i, p := range params {
			switch p := p.(type) {
			case int:
				numbers[i] = int64(p)
			case uint64:
				numbers[i] = int64(p)
			case float64:
				numbers[i] = int64(math.Float64bits(p))
			case []uint8:
				memory[i] = p
			case []int32:
				memory[i] = bytesOf(p)
			case []float32:
				memory[i] = bytesOf(p)
			case []float64:
				memory[i] = bytesOf(p)
			default:
				panic(fmt.Sprintf("a parameter of type %T", p))
			}
			if memory[i] == nil {
				continue
			}
			at, e := upload(m, memory[i])
			numbers[i], err = int64(at), or(err, e)
			defer func() { err = or(err, m.free(at)) }()
		}
		err = or(err, s.launch(kernel, l, numbers...))
		for i, part := range memory {
			if len(part) == 0 {
				continue
			}
			pinned, e := m.pinned(int64(len(part)))
			if err = or(err, e); err != nil {
				return err
			}
			err = or(err, s.copyOut(pinned, address(numbers[i])), s.synchronise())
			copy(part, pinned)
			err = or(err, m.unpin(pinned))
		}
		return or(err, s.destroy())
	}))
}

// momentsOf returns the smallest values of features in the target, how much larger the largest are, and
// the means.
func momentsOf(cells []float32, m int, target []int32) []float64 {
	moments := make([]float64, 3*m)
	for j := range m {
		lo, hi, sum := math.Inf(1), math.Inf(-1), 0.0
		for _, row := range target {
			v := float64(cells[int(row)*m+j])
			lo, hi, sum = min(lo, v), max(hi, v), sum+v
		}
		moments[j], moments[m+j], moments[2*m+j] = lo, hi-lo, sum/float64(len(target))
	}
	return moments
}

// planeOf draws a plane, given what momentsOf returns.
func planeOf(rng *forest.Rand, moments []float64, scale float64) (weights []float32, threshold float32) {
	m := len(moments) / 3
	least, width, mean := moments[:m], moments[m:2*m], moments[2*m:]
	var at float64
	for j := range m {
		v := float32(float64(least[j]+float64(rng.Float64()*width[j])) * scale)
		weights = append(weights, v)
		at += float64(float64(v) * mean[j])
	}
	if threshold = float32(at); float64(threshold) > at {
		threshold = math.Nextafter32(threshold, float32(math.Inf(-1)))
	}
	return weights, threshold
}

// Weights and thresholds are those of a forest.Rand and plain loops. In two planes of three the
// terms of a weight, and in the others those of the threshold, cancel, so that rounding shows.
func TestDraw(t *testing.T) {
	dev := openOrSkip(t)
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		planes, m int
		scale     float64
	}{{8, 1, 1}, {24, 2, 0x1p-60}, {40, 66, 1}, {72, 100, 0x1p50}} {
		for cancelling := range c.planes {
			rng := forest.NewRand(1, uint64(c.m))
			state := rng.Skip(0)
			least, width, mean := make([]float64, c.m), make([]float64, c.m), make([]float64, c.m)
			for j := range c.m {
				least[j], width[j] = float64(float32(r.NormFloat64())), math.Abs(float64(float32(r.NormFloat64())))
				mean[j] = r.NormFloat64() / 3
			}
			if cancelling%3 > 0 {
				at := rng
				at.Skip(cancelling * c.m)
				for j := range c.m {
					least[j] = -float64(at.Float64() * width[j])
				}
			} else {
				for j := range c.m {
					if width[j] = 0; j%2 == 1 {
						least[j], mean[j] = -least[j-1], mean[j-1]
					}
				}
			}
			panels := (c.planes + panel - 1) / panel
			got, gotAt := make([]float32, panels*panel*c.m), make([]float32, c.planes)
			want, wantAt := make([]float32, len(got)), make([]float32, c.planes)
			moments := slices.Concat(least, width, mean)
			for k := range c.planes {
				var weights []float32
				weights, wantAt[k] = planeOf(&rng, moments, c.scale)
				for j, v := range weights {
					want[(k/panel*c.m+j)*panel+k%panel] = v
				}
			}
			runKernel(t, dev, "draw", inBlocks(int64(c.planes), 32), moments, got, gotAt, state, c.scale, c.m, c.planes)
			bits := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
			if differ := differing(got, want, bits); differ > 0 {
				t.Fatalf("%d planes, %d features: %d weights differ", c.planes, c.m, differ)
			}
			if differ := differing(gotAt, wantAt, bits); differ > 0 {
				t.Fatalf("%d planes, %d features: %d thresholds differ", c.planes, c.m, differ)
			}
		}
	}
}

// decreaseOf returns a region's Z less that of both sides, and whether both have rows, given their
// numbers of rows by class.
func decreaseOf(z float64, sides [2][]int, inverse []float64, few int) (float64, bool) {
	var n [2]int
	var parts [2]float64
	for side, counts := range sides {
		a, b := 0.0, 0.0
		for c, count := range counts {
			share := float64(float64(count) * inverse[c])
			n[side], a, b = n[side]+count, a+share, b+float64(share*share)
		}
		parts[side] = float64(float64(n[side]) * max(0, 1-float64(b/float64(a*a))))
	}
	switch {
	case n[0] == 0 || n[1] == 0:
		return 0, false
	case n[0]+n[1] <= few:
		return z - parts[0] - parts[1], true
	}
	return z - float64(parts[0]+parts[1]), true
}

// A step's result is that of plain loops: the plane with the largest gain, the first of those that have it, or none.
func TestStep(t *testing.T) {
	dev := openOrSkip(t)
	r := rand.New(rand.NewPCG(15, 16))
	type shape struct{ regions, most, classes, m, planes, few int }
	shapes := []shape{{1, 300, 3, 3, 1, 0}, {1, 5, 3, 1, 3, 31}, {4, 40, 3, 20, 17, 0}, {20, 7, 3, 5, 70, 31},
		{50, 11, 3, 9, 9, 0}, {2, 600, 3, 17, 8, 31}, {1, 1300, 2, 2, 8, 0}, {3, 600, 11, 300, 16, 0},
		{40, 20, 2, 33, 24, 31}, {100, 9, 5, 4, 40, 0}, {1, 1, 1, 4, 20, 0}, {2, 150, 2, 2, 701, 0}, {1, 99, 2, 3, 600, 0}}
	for range 60 {
		shapes = append(shapes, shape{2, 3, 2, 2, 701, 4}, shape{3, 20, 2, 2, 30, 20})
	}
	for _, c := range shapes {
		rng := forest.NewRand(uint64(c.regions), uint64(c.planes))
		step := &device.Step{Planes: c.planes, State: rng.Skip(0), Scale: math.Ldexp(1, r.IntN(3)), Few: c.few,
			Target: r.IntN(c.regions)}
		for range c.classes {
			step.Inverse = append(step.Inverse, 1/float64(1+r.IntN(5000)))
		}
		var classOf []int
		var bounds []int // where regions begin
		for range c.regions {
			region := device.Region{Z: r.Float64() * float64(c.most)}
			bounds = append(bounds, len(classOf))
			for class := range c.classes {
				if class < 2 || r.IntN(2) == 0 {
					n := 1 + r.IntN(c.most)
					region.Runs = append(region.Runs, device.Run{Class: int32(class), N: int32(n)})
					classOf = append(classOf, slices.Repeat([]int{class}, n)...)
				}
			}
			step.Regions = append(step.Regions, region)
		}
		n := len(classOf)
		bounds = append(bounds, n)
		cells := make([]float32, (n+5)*c.m)
		for i := range cells {
			cells[i] = float32(r.NormFloat64())
		}
		for _, row := range r.Perm(n + 5)[:n] {
			step.Rows = append(step.Rows, int32(row))
		}
		want, wantK := device.Plane{Gain: math.Inf(-1)}, -1
		moments := momentsOf(cells, c.m, step.Rows[bounds[step.Target]:bounds[step.Target+1]])
		for k := range c.planes {
			plane := device.Plane{Right: make([]uint8, n)}
			plane.Weights, plane.Threshold = planeOf(&rng, moments, step.Scale)
			cut := false
			for i, region := range step.Regions {
				sides := [2][]int{make([]int, c.classes), make([]int, c.classes)}
				for at := bounds[i]; at < bounds[i+1]; at++ {
					var sum float32
					for j, w := range plane.Weights {
						sum += float32(w * cells[int(step.Rows[at])*c.m+j])
					}
					if sum > plane.Threshold {
						plane.Right[at] = 1
					}
					sides[plane.Right[at]][classOf[at]]++
				}
				decrease, both := decreaseOf(region.Z, sides, step.Inverse, c.few)
				plane.Gain += decrease
				cut = cut || both && i == step.Target
			}
			if cut && plane.Gain > want.Gain {
				want, wantK = plane, k
			}
		}
		got := device.Plane{Weights: make([]float32, c.m), Right: make([]uint8, n)}
		loaded := must.Value(dev.Load(cells, c.m))
		found, err := loaded.Best(step, &got)
		loaded.Close()
		if err != nil || found != (wantK >= 0) {
			t.Fatalf("found: %v, %v; want plane %d", found, err, wantK)
		}
		if found && !reflect.DeepEqual(got, want) {
			t.Errorf("%d regions, %d planes: the best plane is another than %d", c.regions, c.planes, wantK)
		}
	}
}
