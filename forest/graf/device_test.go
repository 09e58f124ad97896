package graf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/device"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// A plainDevice is a device on the processor that follows the contract word by word.
type plainDevice struct {
	loads, calls, closed atomic.Int64
	loadErr, bestErr     error // to fail with
}

type plainRows struct {
	*plainDevice
	cells []float32
	m     int
}

func (s *plainDevice) Load(cells []float32, m int) (device.Rows, error) {
	if s.loadErr != nil {
		return nil, s.loadErr
	}
	s.loads.Add(1)
	return &plainRows{s, cells, m}, nil
}

func (r *plainRows) Close() { r.closed.Add(1) }

func (r *plainRows) Best(step *device.Step, best *device.Plane) (bool, error) {
	if r.bestErr != nil && r.calls.Load() == 3 {
		return false, r.bestErr
	}
	r.calls.Add(1)
	if len(best.Weights) != r.m || len(best.Right) != len(step.Rows) || step.Planes < 1 {
		return false, errors.New("wrong lengths")
	}
	regions, at := make([][]int32, len(step.Regions)), 0 // their rows
	for i, region := range step.Regions {
		end := at
		for _, run := range region.Runs {
			end += int(run.N)
		}
		regions[i], at = step.Rows[at:end], end
	}
	found := false
	for k := range step.Planes {
		weights, threshold := r.draw(step, regions[step.Target], k)
		right := make([]uint8, len(step.Rows))
		for i, row := range step.Rows {
			var sum float32
			for j, v := range r.cells[int(row)*r.m:][:r.m] {
				sum += float32(v * weights[j])
			}
			if sum > threshold {
				right[i] = 1
			}
		}
		gain, cuts, at := 0.0, false, 0
		for i, region := range step.Regions {
			if decrease, cut := decreaseOf(step, region, right[at:][:len(regions[i])]); cut {
				gain += decrease
				cuts = cuts || i == step.Target
			}
			at += len(regions[i])
		}
		if cuts && (!found || gain > best.Gain) {
			found = true
			best.Gain, best.Threshold = gain, threshold
			copy(best.Weights, weights)
			copy(best.Right, right)
		}
	}
	return found, nil
}

// draw draws plane k for the target's rows.
func (r *plainRows) draw(step *device.Step, target []int32, k int) (weights []float32, threshold float32) {
	var at float64
	for j := range r.m {
		lo, hi, sum := math.Inf(1), math.Inf(-1), 0.0
		for _, row := range target {
			v := float64(r.cells[int(row)*r.m+j])
			lo, hi, sum = min(lo, v), max(hi, v), sum+v
		}
		// SplitMix64, as Steele, Lea and Flood print it.
		z := step.State + uint64(k*r.m+j+1)*0x9e3779b97f4a7c15
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb
		z ^= z >> 31
		u := float64(z>>11) / (1 << 53)
		w := float32(float64(lo+float64(u*(hi-lo))) * step.Scale)
		weights = append(weights, w)
		at += float64(float64(w) * float64(sum/float64(len(target))))
	}
	threshold = float32(at)
	if float64(threshold) > at {
		threshold = math.Nextafter32(threshold, float32(math.Inf(-1)))
	}
	return weights, threshold
}

// decreaseOf returns the region's Z less that of both sides, and whether it is cut at all.
func decreaseOf(step *device.Step, region device.Region, right []uint8) (float64, bool) {
	var n [2]int
	var a, b [2]float64
	for _, run := range region.Runs {
		var count [2]int
		for _, side := range right[:run.N] {
			count[side]++
		}
		right = right[run.N:]
		for side := range count {
			share := float64(float64(count[side]) * step.Inverse[run.Class])
			n[side] += count[side]
			a[side] += share
			b[side] += float64(share * share)
		}
	}
	if n[0] == 0 || n[1] == 0 {
		return 0, false
	}
	var z [2]float64
	for side := range z {
		z[side] = float64(float64(n[side]) * max(0, 1-float64(b[side]/float64(a[side]*a[side]))))
	}
	if n[0]+n[1] <= step.Few {
		return region.Z - z[0] - z[1], true
	}
	return region.Z - float64(z[0]+z[1]), true
}

// grownBy grows a forest with a device that does steps of at least least products, and draws weights in no time.
func grownBy(ctx context.Context, l Learner, d *datasets.Dataset, dev device.Device, least int64) (
	*forest.Forest, error) {
	g, err := l.prepare(d)
	if err != nil {
		return nil, err
	}
	g.minProducts, g.drawProducts = least, 0
	return g.forest(ctx, forest.Options{Device: dev})
}

// A device's forest is the same file, whether it computes all steps or the larger ones.
func TestDeviceGivesTheSameBytes(t *testing.T) {
	for name, c := range map[string]struct {
		data    *datasets.Dataset
		learner Learner
		loads   int64
	}{
		"two classes": {sim.Trunk{Features: 7}.Sample(400, 1), Learner{Trees: 5, TreeFeatures: All, Seed: 1}, 1},
		"thirteen, subspaces": {sim.Hypercube{Features: 12, Multiclass: true}.Sample(500, 2),
			Learner{Trees: 5, Seed: 2}, 5},
		"one plane":             {noise(300, 4, 3, 3), Learner{Trees: 4, Candidates: 1, Seed: 3}, 4},
		"more planes than rows": {noise(40, 3, 2, 4), Learner{Trees: 2, TreeFeatures: All, Candidates: 300, Seed: 4}, 1},
		"equal rows, a view": {noise(20, 3, 2, 5).Subset([]int32{3, 3, 9, 1, 2, 19, 19, 5, 1, 1, 8, 0, 0, 4}),
			Learner{Trees: 6, TreeFeatures: All, Seed: 5}, 1},
		"one feature":               {noise(200, 1, 2, 6), Learner{Trees: 3, MinSplit: 4, Seed: 6}, 1},
		"two classes, many regions": {noise(700, 3, 2, 7), Learner{Trees: 4, TreeFeatures: All, Candidates: 9, Seed: 7}, 1},
		"cells of two values":       {coarse(400, 6, 3, 8), Learner{Trees: 4, TreeFeatures: All, Seed: 8}, 1},
		"huge cells":                {huge(300, 5, 2, 9), Learner{Trees: 3, TreeFeatures: 3, Candidates: 7, Seed: 9}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			file := func(dev device.Device, least int64) []byte {
				f := must.Value(grownBy(t.Context(), c.learner, c.data, dev, least))
				return must.Value(f.MarshalBinary())
			}
			want := file(nil, 0)
			var calls []int64
			for _, least := range []int64{0, int64(c.data.N())} {
				s := &plainDevice{}
				if !bytes.Equal(file(s, least), want) {
					t.Errorf("another forest if a device computes steps of at least %d products", least)
				}
				if loads := s.loads.Load(); loads != c.loads || s.closed.Load() != loads {
					t.Errorf("rows were loaded %d times and closed %d times, want %d", loads, s.closed.Load(), c.loads)
				}
				calls = append(calls, s.calls.Load())
			}
			if calls[1] > calls[0] || calls[0] == 0 {
				t.Errorf("the device was called %v times", calls)
			}
		})
	}
}

// The gains that a worker computes have the bits that a device's must have.
func TestGainsAreThoseOfTheContract(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{2, 3, 11} {
		for _, n := range []int{2, 9, 30, 31, 32, 33, 200, 255, 256, 3000} {
			d := noise(max(n, 2*classes), 1, classes, uint64(n))
			d.Labels[0], d.Labels[1] = 0, 1
			g := must.Value(Learner{}.prepare(d))
			w := newWorker(g)
			w.begin(0)
			w.describe()
			n := d.N()
			for range 20 {
				bytes := make([]uint8, n)
				for i := range bytes {
					bytes[i] = uint8(rng.Uint32() | rng.Uint32())
				}
				var gains [8]float64
				w.addGains(&w.regions[0], bytes, &gains, 8)
				for k, got := range gains {
					right := make([]uint8, n)
					for i, b := range bytes {
						right[i] = b >> k & 1
					}
					if want, _ := decreaseOf(&w.step, w.step.Regions[0], right); math.Float64bits(got) != math.Float64bits(want) {
						t.Fatalf("%d rows, %d classes, plane %d: gain %v, want %v", n, classes, k, got, want)
					}
				}
			}
		}
	}
}

// Planes that a device gets in several parts of a step are those that it gets at once.
func TestDeviceInParts(t *testing.T) {
	d := noise(120, 3, 3, 1)
	l := Learner{Trees: 2, TreeFeatures: All, Candidates: maxPlanes + 30, Seed: 3}
	g := must.Value(l.prepare(d))
	g.minProducts, g.drawProducts = 0, 0
	var trees []string
	for _, most := range []int{0, 7, 128, l.Candidates} {
		w := newWorker(g)
		w.devicePlanes = most
		s := &plainDevice{}
		if most > 0 {
			w.loaded, _ = s.Load(w.cells, g.TreeFeatures)
		}
		var tree forest.Tree
		must.Do(w.grow(context.Background(), 0, &tree))
		trees = append(trees, fmt.Sprint(tree))
		if trees[len(trees)-1] != trees[0] {
			t.Errorf("%d planes at a time make another tree", most)
		}
		if most > 0 && s.calls.Load() < int64((l.Candidates+most-1)/most) {
			t.Errorf("%d calls", s.calls.Load())
		}
	}
}

// coarse returns data in which many rows are equal and many planes cut nothing.
func coarse(n, p, classes int, seed uint64) *datasets.Dataset {
	d := noise(n, p, classes, seed)
	for _, col := range d.Columns {
		for i, v := range col {
			col[i] = float32(math.Floor(float64(v) * 2))
		}
	}
	return d
}

// huge returns data whose weights need a scale.
func huge(n, p, classes int, seed uint64) *datasets.Dataset {
	d := noise(n, p, classes, seed)
	for j, col := range d.Columns {
		for i := range col {
			col[i] *= float32(math.Pow(10, float64(9*j)))
		}
	}
	return d
}

// A device isn't told of fits whose steps are all small.
func TestDeviceIsLeftAloneBySmallFits(t *testing.T) {
	d := noise(300, 4, 2, 1)
	s := &plainDevice{loadErr: errors.New("it was called")}
	if _, err := grownBy(t.Context(), Learner{Trees: 2, TreeFeatures: All}, d, s, 300*4*4+1); err != nil {
		t.Error(err)
	}
}

// One tree, since the error of several is that of whichever fails first.
func TestDeviceErrors(t *testing.T) {
	d := noise(300, 4, 2, 1)
	broken := errors.New("broken")
	for _, c := range []struct {
		want    string
		device  *plainDevice
		learner Learner
	}{
		{"graf: a device, loading 300 rows of 4 features: broken", &plainDevice{loadErr: broken},
			Learner{Trees: 1, TreeFeatures: All}},
		{"graf: a device, loading 300 rows of 2 features: broken", &plainDevice{loadErr: broken}, Learner{Trees: 1}},
		{"planes of 2 features on 298 rows: broken", &plainDevice{bestErr: broken}, Learner{Trees: 1}},
	} {
		f, err := grownBy(t.Context(), c.learner, d, c.device, 0)
		if f != nil || !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "graf: ") ||
			!strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if c.device.loads.Load() != c.device.closed.Load() {
			t.Errorf("rows were loaded %d times and closed %d times", c.device.loads.Load(), c.device.closed.Load())
		}
	}
}
