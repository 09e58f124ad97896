//go:build cuda && linux

package gpu

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/device"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// scaled returns n rows for a device, and a thousandth for the emulated one, on which times
// mean nothing.
func scaled(d *Device, n int) int {
	if d.Name() == "emulated" {
		return max(50, n/1000)
	}
	return n
}

// mnist returns the first n training images of MNIST in the folder OBLIQUA_DATA or, if it
// isn't there, as many made-up rows of its size.
func mnist(b testing.TB, n int) *datasets.Dataset {
	folder := filepath.Join(os.Getenv("OBLIQUA_DATA"), "mnist")
	d, err := datasets.ReadIDX(b.Context(), filepath.Join(folder, "train-images-idx3-ubyte.gz"),
		filepath.Join(folder, "train-labels-idx1-ubyte.gz"))
	if err != nil {
		b.Logf("made-up rows instead of MNIST: %v", err)
		return blobs(n, 784, 10, 1)
	}
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return d.Subset(rows)
}

// kept returns a forest from the folder OBLIQUA_KEPT if it is there. Otherwise it is grown
// and, if there is such a folder, put there, so that runs on 2 and on 16 cores predict with
// the same forest.
func kept(b testing.TB, name string, learner forest.Learner, train *datasets.Dataset) *forest.Forest {
	b.Helper()
	folder := os.Getenv("OBLIQUA_KEPT")
	file := filepath.Join(folder, name)
	if folder != "" {
		if f, err := forest.Load(file); err == nil {
			return f
		}
	}
	f, err := learner.Fit(context.Background(), train)
	if err == nil && folder != "" {
		err = f.Save(file)
	}
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// Opening a device has the driver start and compile the kernels or find them compiled.
func BenchmarkOpen(b *testing.B) {
	openOrSkip(b)
	for b.Loop() {
		must.Do(must.Value(Open()).Close())
	}
}

// A predicted is a forest that is timed.
type predicted struct {
	name    string
	learner forest.Learner
	train   func() *datasets.Dataset
	rows    int
}

func predictions(b testing.TB, dev *Device) []predicted {
	made := func(p int) func() *datasets.Dataset {
		return func() *datasets.Dataset { return blobs(scaled(dev, 20000), p, 3, 1) }
	}
	images := func() *datasets.Dataset { return mnist(b, scaled(dev, 10000)) }
	return []predicted{
		{"graf 784", graf.Learner{Trees: 16, TreeFeatures: graf.All}, images, scaled(dev, 10000)},
		{"rf 784", rf.Learner{Trees: 100}, images, scaled(dev, 10000)},
		{"sporf 20", sporf.Learner{Trees: 100}, made(20), scaled(dev, 1000000)},
		{"rf 20", rf.Learner{Trees: 100}, made(20), scaled(dev, 1000000)},
		{"graf 20", graf.Learner{Trees: 100, TreeFeatures: graf.All}, made(20), scaled(dev, 1000000)},
		{"graf 2", graf.Learner{Trees: 100, TreeFeatures: graf.All, Candidates: 2}, made(2), scaled(dev, 1000000)},
	}
}

// Labels, copies included, on the CPU, on the device, and on the device by either way for planes.
func BenchmarkPredict(b *testing.B) {
	dev := openOrSkip(b)
	for _, c := range predictions(b, dev) {
		f := kept(b, c.name, c.learner, c.train())
		test := blobs(c.rows, f.P(), 3, 2)
		if c.name[len(c.name)-3:] == "784" {
			test = mnist(b, c.rows)
		}
		report := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(test.N()*len(f.Trees)), "ns/row·tree")
		}
		b.Run(c.name+"/cpu", func(b *testing.B) {
			for b.Loop() {
				must.Value(f.Predict(b.Context(), test))
			}
			report(b)
		})
		for way, name := range []string{ifCheaper: "device", always: "planes first", never: "planes on the way"} {
			dev.planes = planesFirst(way)
			p := predictorOf(b, dev, f)
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					must.Value(p.Predict(test))
				}
				report(b)
			})
		}
	}
}

// GRAF's growth on MNIST, all features and as many planes a step, a tree for each core.
func BenchmarkGrow(b *testing.B) {
	dev := openOrSkip(b)
	train := mnist(b, scaled(dev, 10000))
	learner := graf.Learner{Trees: runtime.GOMAXPROCS(0), TreeFeatures: graf.All, Seed: 1}
	files := map[string][]byte{}
	for name, o := range map[string]forest.Options{"cpu": {}, "device": {Device: dev}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				files[name] = must.Value(must.Value(learner.Grow(b.Context(), train, o)).MarshalBinary())
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(learner.Trees), "s/tree")
		})
	}
	if len(files) == 2 && !bytes.Equal(files["cpu"], files["device"]) {
		b.Error("the files differ")
	}
}

// A step of growth on MNIST, 784 planes of 784 features: the first, some on the way, and a late one.
func BenchmarkStep(b *testing.B) {
	dev := openOrSkip(b)
	d := mnist(b, scaled(dev, 60000))
	m, planes := d.P(), 784
	if dev.Name() == "emulated" {
		planes = 8
	}
	cells := make([]float32, d.N()*m)
	for i := range cells {
		cells[i] = d.At(i/m, i%m)
	}
	loaded := must.Value(dev.Load(cells, m))
	defer loaded.Close()
	for _, c := range []struct{ rows, regions int }{{60000, 1}, {20000, 100}, {4400, 700}, {300, 60}} {
		b.Run(fmt.Sprintf("rows=%d", c.rows), func(b *testing.B) {
			n := scaled(dev, c.rows)
			step := stepOf(n, min(c.regions, n/20))
			step.Planes = planes
			best := device.Plane{Weights: make([]float32, m), Right: make([]uint8, n)}
			for b.Loop() {
				must.Value(loaded.Best(step, &best))
			}
			b.ReportMetric(float64(b.N)*float64(n*m*planes)/b.Elapsed().Seconds()/1e12, "Tproducts/s")
		})
	}
}

// stepOf returns a step with n rows, shared out over regions of ten classes. The first region is
// the target.
func stepOf(n, regions int) *device.Step {
	const classes = 10
	step := &device.Step{Rows: make([]int32, n), Scale: 1, Inverse: slices.Repeat([]float64{1. / 6000}, classes)}
	for i := range step.Rows {
		step.Rows[i] = int32(i)
	}
	for k := range regions {
		lo, hi := k*n/regions, (k+1)*n/regions
		region := device.Region{Z: float64(hi - lo)}
		for c := range classes {
			if rows := (c+1)*(hi-lo)/classes - c*(hi-lo)/classes; rows > 0 {
				region.Runs = append(region.Runs, device.Run{Class: int32(c), N: int32(rows)})
			}
		}
		step.Regions = append(step.Regions, region)
	}
	return step
}

// Three hundred million rows times trees, on a real device: all labels and probabilities are the CPU's.
func TestManyRows(t *testing.T) {
	dev := openOrSkip(t)
	for _, c := range predictions(t, dev)[2:5] {
		f := kept(t, c.name, c.learner, c.train())
		test := blobs(scaled(dev, 500000), f.P(), 3, 2)
		onRows(f, test.Subset([]int32{0, 1, 2, 3, 5, 8, 13, 21, 34, 49}))
		p := predictorOf(t, dev, f)
		labels, proba := must.Value(p.Predict(test)), must.Value(p.Proba(test))
		want := must.Value(f.Proba(t.Context(), test))
		differ := differing(labels, must.Value(f.Predict(t.Context(), test)), func(v int32) uint64 { return uint64(v) })
		for i := range proba {
			differ += differing(proba[i], want[i], math.Float64bits)
		}
		fmt.Fprintf(t.Output(), "%s: %d row-trees, %d numbers differ\n", c.name, 2*test.N()*len(f.Trees), differ)
		if differ > 0 {
			t.Fail()
		}
	}
}
