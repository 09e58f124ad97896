//go:build cuda && linux

package gpu

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// openOrSkip returns the device, or skips the test for Open's reason.
func openOrSkip(t testing.TB) *Device {
	t.Helper()
	d, err := Open()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { must.Do(d.Close()) })
	return d
}

// answers are all that a forest can be asked.
type answers struct {
	labels, votes []int32
	leaves        []int32
	values, proba []float64
}

// onCPU asks the forest.
func onCPU(f *forest.Forest, d *datasets.Dataset) (a answers) {
	a.leaves = slices.Concat(must.Value(f.Apply(context.Background(), d))...)
	if f.Regression() {
		a.values = must.Value(f.PredictValues(context.Background(), d))
		return a
	}
	a.labels, a.proba = must.Value(f.Predict(context.Background(),
		d)), slices.Concat(must.Value(f.Proba(context.Background(), d))...)
	if f.Rule != forest.Sum {
		a.votes = slices.Concat(must.Value(f.Votes(context.Background(), d))...)
	}
	return a
}

// onDevice asks the predictor.
func onDevice(t *testing.T, p *Predictor, d *datasets.Dataset) (a answers) {
	t.Helper()
	a.leaves = slices.Concat(must.Value(p.Apply(d))...)
	if p.forest.Regression() {
		a.values = must.Value(p.PredictValues(d))
		return a
	}
	a.labels, a.proba = must.Value(p.Predict(d)), slices.Concat(must.Value(p.Proba(d))...)
	if p.forest.Rule != forest.Sum {
		a.votes = slices.Concat(must.Value(p.Votes(d))...)
	}
	return a
}

// differences counts the numbers that differ, and all.
func (a answers) differences(b answers) (differ, of int) {
	for _, pair := range [][2][]int32{{a.labels, b.labels}, {a.votes, b.votes}, {a.leaves, b.leaves}} {
		differ, of = differ+differing(pair[0], pair[1], func(v int32) uint64 { return uint64(v) }), of+len(pair[0])
	}
	for _, pair := range [][2][]float64{{a.values, b.values}, {a.proba, b.proba}} {
		differ, of = differ+differing(pair[0], pair[1], math.Float64bits), of+len(pair[0])
	}
	return differ, of
}

func differing[T any](a, b []T, bits func(T) uint64) (n int) {
	if len(a) != len(b) {
		return max(len(a), len(b))
	}
	for i := range a {
		if bits(a[i]) != bits(b[i]) {
			n++
		}
	}
	return n
}

// Forests of every method answer on the device as on the CPU, bit for bit, with thresholds on rows.
func TestSameBits(t *testing.T) {
	dev := openOrSkip(t)
	for _, c := range forestCases() {
		t.Run(c.name, func(t *testing.T) {
			test := blobs(testRows, c.p, c.k, 2)
			f := c.fit(t, test)
			want := onCPU(f, test)
			for _, dev.planes = range []planesFirst{ifCheaper, always, never} {
				p := predictorOf(t, dev, f)
				first := 0
				for _, s := range p.steps {
					if s.planes > 0 {
						first++
					}
				}
				if dev.planes == always && first != len(f.Trees) && f.Method == "graf" {
					t.Errorf("the planes of %d of %d trees were multiplied first; want all", first, len(f.Trees))
				}
				differ, of := onDevice(t, p, test).differences(want)
				if differ > 0 {
					t.Errorf("%d of %d numbers differ; the planes of %d of %d trees were multiplied first", differ, of, first,
						len(f.Trees))
				}
				t.Logf("%d of %d numbers differ", differ, of)
			}
		})
	}
}

// caseOf returns the case of the given name.
func caseOf(t *testing.T, name string) forestCase {
	t.Helper()
	for _, c := range forestCases() {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("no case is called %s", name)
	return forestCase{}
}

// A forest that was saved and loaded, and data that are a view, take other paths in memory.
func TestLoadedForestAndView(t *testing.T) {
	dev := openOrSkip(t)
	test := blobs(testRows, 12, 3, 2)
	file := filepath.Join(t.TempDir(), "forest")
	must.Do(caseOf(t, "graf").fit(t, test).Save(file))
	f := must.Value(forest.Load(file))
	p := predictorOf(t, dev, f)
	view := test.Subset([]int32{599, 3, 3, 0, 77, 598})
	if differ, of := onDevice(t, p, view).differences(onCPU(f, view)); differ > 0 || of == 0 {
		t.Errorf("%d of %d numbers differ", differ, of)
	}
}

// predictorOf returns a predictor, which is closed after the test.
func predictorOf(t testing.TB, d *Device, f *forest.Forest) *Predictor {
	t.Helper()
	p := must.Value(d.Predictor(f))
	t.Cleanup(func() { must.Do(p.Close()) })
	return p
}
