//go:build cuda && linux

package gpu

import (
	"bytes"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/internal/device"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// counting counts the calls of a device.
type counting struct {
	*Device
	loads, calls atomic.Int64
}

func (c *counting) Load(cells []float32, m int) (device.Rows, error) {
	c.loads.Add(1)
	rows, err := c.Device.Load(cells, m)
	return &countingRows{rows, c}, err
}

type countingRows struct {
	device.Rows
	count *counting
}

func (r *countingRows) Best(step *device.Step, best *device.Plane) (bool, error) {
	r.count.calls.Add(1)
	return r.Rows.Best(step, best)
}

// GRAF forests that grow with the device are the same files as those that grow without.
func TestScannerGivesTheSameFile(t *testing.T) {
	dev := openOrSkip(t)
	for _, c := range []struct {
		name    string
		learner graf.Learner
		classes int
	}{
		{"all features", graf.Learner{Trees: 2, TreeFeatures: graf.All, Candidates: 100, MinSplit: 200, Seed: 1}, 3},
		{"subspaces", graf.Learner{Trees: 2, TreeFeatures: 60, Candidates: 190, MinSplit: 300, Seed: 2}, 3},
		{"two classes", graf.Learner{Trees: 1, TreeFeatures: graf.All, Candidates: 100, MinSplit: 8, Seed: 3}, 2},
	} {
		data := blobs(1500, 120, c.classes, 4)
		file := func(dev device.Device) []byte {
			f := must.Value(c.learner.Grow(t.Context(), data, forest.Options{Device: dev}))
			return must.Value(f.MarshalBinary())
		}
		count := &counting{Device: dev}
		if !bytes.Equal(file(count), file(nil)) {
			t.Errorf("%s: the file of the forest that grew with the device differs", c.name)
		}
		if count.calls.Load() < 4 {
			t.Errorf("%s: %d calls of the device; want more", c.name, count.calls.Load())
		}
		t.Logf("%s: %d loads, %d calls", c.name, count.loads.Load(), count.calls.Load())
	}
}

// If the device fails while a forest grows, Fit returns its error, and all memory is given back.
func TestScannerFails(t *testing.T) {
	dev := emulated(t)
	data := blobs(1500, 120, 3, 4)
	learner := graf.Learner{Trees: 2, TreeFeatures: graf.All, Candidates: 150, MinSplit: 800, Seed: 1}
	for n := range 12 {
		t.Setenv("FAKE_FAIL", strconv.Itoa(n+1))
		_, err := learner.Grow(t.Context(), data, forest.Options{Device: dev})
		readtest.WantError(t, err, "graf: a device, ")
	}
}
