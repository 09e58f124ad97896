//go:build cuda && linux

package gpu

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// emulated returns the emulated device, or skips the test.
func emulated(t *testing.T) *Device {
	t.Helper()
	d := openOrSkip(t)
	if d.Name() != "emulated" {
		t.Skip("only the emulated device fails when it is asked to")
	}
	return d
}

// Batches of all sizes, of which the last is smaller, give what one batch gives, and a
// smaller cache, into which the trees don't fit together.
func TestBatches(t *testing.T) {
	dev := openOrSkip(t)
	for _, name := range []string{"sporf", "tao linear", "rf sum of four classes", "graf", "gqdt"} {
		c := caseOf(t, name)
		const n = 150
		test := blobs(n, c.p, c.k, 2)
		f := c.fit(t, test)
		want := onCPU(f, test)
		for _, rows := range []int{1, 33, 64, n - 1, n, n + 1} {
			dev.batch = rows
			if differ, of := onDevice(t, predictorOf(t, dev, f), test).differences(want); differ > 0 {
				t.Errorf("%s, batches of %d rows: %d of %d numbers differ", name, rows, differ, of)
			}
		}
		dev.batch = 0
		t.Setenv("FAKE_L2", "2000")
		if dev.Name() == "emulated" {
			small := openOrSkip(t)
			p := predictorOf(t, small, f)
			if steps := len(p.steps); name == "sporf" && steps != len(f.Trees) {
				t.Errorf("%d steps for %d trees that don't fit into the cache together", steps, len(f.Trees))
			}
			if differ, of := onDevice(t, p, test).differences(want); differ > 0 {
				t.Errorf("%s, small cache: %d of %d numbers differ", name, differ, of)
			}
		}
	}
}

// A recorder is a machine that writes down when its streams get work and are waited for.
type recorder struct {
	machine
	streams int
	events  []string
}

type recordedStream struct {
	stream
	*recorder
	name string
}

func (r *recorder) stream() (stream, error) {
	s, err := r.machine.stream()
	r.streams++
	return &recordedStream{s, r, strconv.Itoa(r.streams)}, err
}

func (s *recordedStream) copyIn(to address, from []byte) error {
	s.events = append(s.events, "in"+s.name)
	return s.stream.copyIn(to, from)
}

func (s *recordedStream) copyOut(to []byte, from address) error {
	s.events = append(s.events, "out"+s.name)
	return s.stream.copyOut(to, from)
}

func (s *recordedStream) synchronise() error {
	s.events = append(s.events, "wait"+s.name)
	return s.stream.synchronise()
}

// While the host waits for a batch, the device has the next one, in another stream.
func TestBatchesOverlap(t *testing.T) {
	dev := openOrSkip(t)
	r := &recorder{machine: dev.machine}
	recorded := &Device{machine: r, batch: 64}
	c := caseOf(t, "rf")
	test := blobs(4*64, c.p, c.k, 2)
	p := predictorOf(t, recorded, c.fit(t, test))
	must.Value(p.Predict(test))
	want := "in1 out1 in2 out2 wait1 in1 out1 wait2 in2 out2 wait1 wait2"
	if got := strings.Join(r.events, " "); got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// No rows give no predictions.
func TestNoRows(t *testing.T) {
	dev := openOrSkip(t)
	c := caseOf(t, "rf")
	f := c.fit(t, blobs(testRows, c.p, c.k, 2))
	none := blobs(testRows, c.p, c.k, 2).Subset([]int32{})
	if labels, err := predictorOf(t, dev, f).Predict(none); err != nil || len(labels) != 0 {
		t.Errorf("%v, %v", labels, err)
	}
}

// One predictor may be used by many goroutines, each of which gets its own answers.
func TestConcurrent(t *testing.T) {
	dev := openOrSkip(t)
	dev.batch = 50
	c := caseOf(t, "graf")
	test := blobs(testRows, c.p, c.k, 2)
	f := c.fit(t, test)
	p := predictorOf(t, dev, f)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			rows := []int32{}
			for i := range 60 + 20*g {
				rows = append(rows, int32(i*7%testRows))
			}
			part := test.Subset(rows)
			for range 3 {
				labels, err := p.Predict(part)
				if err != nil {
					t.Error(err)
				}
				if n := differing(labels, must.Value(f.Predict(t.Context(), part)),
					func(v int32) uint64 { return uint64(v) }); n > 0 {
					t.Errorf("goroutine %d: %d of %d labels differ", g, n, len(labels))
				}
			}
		})
	}
	group.Wait()
}

// The sensitivity of training rows is the same where a device finds their leaves. TestSameBits compares leaves of
// forests of every method.
func TestSensitivity(t *testing.T) {
	dev := openOrSkip(t)
	c := caseOf(t, "sporf")
	train := blobs(trainRows, c.p, c.k, 1)
	f := must.Value(c.learner.Fit(t.Context(), train))
	want := must.Value(inspect.Sensitivity(t.Context(), f, train))
	trees := 0
	got := must.Value(inspect.SensitivityBy(t.Context(), f, train, func(f *forest.Forest, d *datasets.Dataset) (
		[][]int32, error) {
		trees += len(f.Trees)
		return dev.Apply(f, d)
	}))
	if differ := differing(got.Scores, want.Scores, math.Float64bits); differ > 0 || trees != len(f.Trees) {
		t.Errorf("%d of %d scores differ; %d of %d trees were asked", differ, len(want.Scores), trees, len(f.Trees))
	}
}

// freeMemory returns how many bytes of a device's memory are free.
func freeMemory(d *Device) (bytes int64) {
	must.Do(d.machine.do(func() (err error) { bytes, err = d.machine.memory(); return err }))
	return bytes
}

// Data that don't fit into the device's memory go through it in smaller batches, and if
// not even the smallest one fits, the error says so.
func TestLittleMemory(t *testing.T) {
	t.Setenv("FAKE_MEMORY", "200000")
	dev := emulated(t)
	c := caseOf(t, "cart")
	test := blobs(20000, c.p, c.k, 2) // 400 kB of cells
	f := c.fit(t, test)
	p := predictorOf(t, dev, f)
	labels := must.Value(p.Predict(test))
	if n := differing(labels, must.Value(f.Predict(t.Context(), test)), func(v int32) uint64 { return uint64(v) }); n > 0 {
		t.Errorf("%d labels differ", n)
	}
	// The memory of an earlier call's slots counts as free, and is given back where it is in the
	// way: three calls at a time take nearly all of what is free beside the forest.
	p = predictorOf(t, dev, f)
	t.Setenv("FAKE_MEMORY", strconv.FormatInt(200000-freeMemory(dev)+6000, 10))
	for _, rows := range []int{20000, 33, 20000} {
		part := test
		if rows < test.N() {
			part = test.Subset(make([]int32, rows))
		}
		if leaves, err := p.Apply(part); err != nil || len(leaves) != rows {
			t.Errorf("leaves of %d rows: %v", rows, err)
		}
		if proba, err := p.Proba(part); err != nil || len(proba) != rows {
			t.Errorf("probabilities of %d rows: %v", rows, err)
		}
	}
	t.Setenv("FAKE_MEMORY", "3000")
	p = &Predictor{device: dev, forest: f, slots: pool{machine: dev.machine}}
	readtest.WantError(t, errorOf(p.Predict(test)), "bytes of memory are free on emulated; a batch of 32 rows needs")
}

// Whichever call of the driver fails, the error comes back, says so, and all memory is
// given back.
func TestFailingDevice(t *testing.T) {
	dev := emulated(t)
	dev.batch = 100
	c := caseOf(t, "graf")
	test := blobs(testRows, c.p, c.k, 2)
	f := c.fit(t, test)
	before := freeMemory(dev)
	ask := func() error {
		p, err := dev.Predictor(f)
		if err != nil {
			return err
		}
		_, err = p.Predict(test)
		if e := p.Close(); e != nil {
			t.Errorf("closing after %v: %v", err, e)
		}
		return err
	}
	failed, survived := 0, 0
	for n := 1; ; n++ {
		t.Setenv("FAKE_FAIL", strconv.Itoa(n))
		err := ask()
		if held := before - freeMemory(dev); held != 0 {
			t.Fatalf("call %d failed (%v), and %d bytes are still held", n, err, held)
		}
		if err == nil { // no more calls, or memory was found after all
			if survived++; survived > 20 {
				break
			}
			continue
		}
		failed, survived = failed+1, 0
		if !strings.HasPrefix(err.Error(), "gpu: ") || !strings.Contains(err.Error(), "OutOfMemory") &&
			!strings.Contains(err.Error(), "error 2") {
			t.Errorf("call %d: %v", n, err)
		}
	}
	if failed < 50 {
		t.Errorf("%d calls of the driver can fail; want more", failed)
	}
	t.Logf("%d calls of the driver failed, one after another", failed)
}

func errorOf[T any](_ T, err error) error { return err }

// Calls that a forest can't answer return errors in words, as those of package forest.
func TestErrors(t *testing.T) {
	dev := openOrSkip(t)
	predictor := func(name string) (*Predictor, forestCase) {
		c := caseOf(t, name)
		return predictorOf(t, dev, c.fit(t, blobs(testRows, c.p, c.k, 2))), c
	}
	classes, c := predictor("rf")
	values, v := predictor("rf values")
	sums, s := predictor("rf sum of two classes")
	data, valued, summed := blobs(9, c.p, c.k, 2), blobs(9, v.p, v.k, 2), blobs(9, s.p, 0, 2)
	wide := blobs(9, c.p+1, c.k, 2)
	missing := blobs(9, c.p, c.k, 2)
	missing.Columns[3][4] -= missing.Columns[3][4]
	missing.Columns[3][4] /= missing.Columns[3][4]
	const noClasses = "gpu: this forest predicts values, not classes; use PredictValues"
	for _, test := range []struct {
		err  error
		want string
	}{
		{errorOf(values.Predict(valued)), noClasses},
		{errorOf(values.Proba(valued)), noClasses},
		{errorOf(values.Votes(valued)), noClasses},
		{errorOf(classes.PredictValues(data)), "gpu: this forest predicts classes, not values; use Predict or Proba"},
		{errorOf(sums.Votes(summed)), "don't vote; use Proba"},
		{errorOf(classes.Predict(wide)), "the model was trained on 12"},
		{errorOf(classes.Apply(missing)), "gpu: "},
		{errorOf(classes.Predict(missing)), "gpu: " + classes.forest.Check(missing).Error()},
	} {
		readtest.WantError(t, test.err, test.want)
	}
	var t9 forest.Tree
	t9.Nodes = []forest.Node{{Split: t9.Splits.Add(forest.Function{Kind: 9, Features: []int32{0}, Weights: []float32{1}}),
		Next: 2}, forest.ValueLeaf(1, 1), forest.ValueLeaf(2, 1)}
	for want, f := range map[string]forest.Forest{
		"gpu: tree 0: node 0: split functions of kind 9 aren't supported": {Trees: []forest.Tree{t9}},
		"Impute": {Fills: []float32{0}}, // the forest takes missing cells
		"gpu: tree 0: node 0: leaves of kind -9 aren't supported": {
			Trees: []forest.Tree{{Nodes: []forest.Node{{Split: -9}}}}},
	} {
		f.Features = []string{"x"}
		readtest.WantError(t, errorOf(dev.Predictor(&f)), want)
	}
}

// A pool gives up spare slots for one that needs their memory.
func TestPool(t *testing.T) {
	t.Setenv("FAKE_MEMORY", "1000")
	dev := emulated(t)
	p := pool{machine: dev.machine}
	get := func(bytes int64) *slot {
		return must.Value(p.get(sizes{parts: [maxParts]int64{bytes}}))
	}
	must.Do(dev.machine.do(func() error {
		if err := p.put(nil, get(300), get(300), get(300)); err != nil {
			return err
		}
		if err := p.put(nil, get(900)); err != nil {
			return err
		}
		if p.bytes() != 900 {
			t.Errorf("%d bytes are spare; want 900", p.bytes())
		}
		return p.close()
	}))
}
