package gpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/graf"
)

// A rows is a [graf.Rows]: rows in the memory of a device.
type rows struct {
	device *Device
	cells  address // row after row
	m      int
}

var _ graf.Scanner = (*Device)(nil)

// Load copies rows to the device: cells holds them one after another, m cells each. So a
// Device is a [graf.Scanner], with which GRAF forests grow:
//
//	forest, err := graf.Learner{}.Fit(graf.WithScanner(ctx, device), data)
//
// They are the same forests, byte for byte. Load returns an error if the rows don't fit into the
// device's memory.
func (d *Device) Load(cells []float32, m int) (graf.Rows, error) {
	r := &rows{device: d, m: m}
	err := d.machine.do(func() (err error) {
		if r.cells, err = upload(d.machine, cells); err != nil {
			return errors.Join(err, free(d.machine, r.cells))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	return r, nil
}

// Close gives back the device's memory.
func (r *rows) Close() {
	// A driver that can't free memory has failed before, in a call that returned its error.
	_ = r.device.machine.do(func() error { return free(r.device.machine, r.cells) })
}

// The parts of a slot's memory for rows.
const (
	scanOrder = iota
	scanWeights
	scanThresholds
	scanSides
)

// Sides does what [graf.Rows] says.
func (r *rows) Sides(dst []uint8, order []int32, weights, thresholds []float32) error {
	if len(order) == 0 || len(thresholds) == 0 {
		return nil
	}
	planes := (len(thresholds) + 7) &^ 7
	if want := (len(thresholds) + panel - 1) / panel * panel * r.m; len(weights) != want || len(dst) != planes/8*len(order) {
		panic(fmt.Sprintf("gpu: %d weights and %d bytes for the sides of %d rows and %d planes of %d features; want %d and %d",
			len(weights), len(dst), len(order), len(thresholds), r.m, want, planes/8*len(order)))
	}
	var size sizes
	size.parts[scanOrder], size.parts[scanWeights] = 4*int64(len(order)), 4*int64(len(weights))
	size.parts[scanThresholds], size.parts[scanSides] = 4*int64(planes), int64(len(dst))
	size.in, size.back = size.device()-int64(len(dst)), int64(len(dst))
	err := r.device.machine.do(func() error {
		s, err := r.device.slots.get(size)
		if err != nil {
			return err
		}
		return r.device.slots.put(r.multiply(s, dst, order, weights, thresholds), s)
	})
	if err != nil {
		return fmt.Errorf("gpu: %w", err)
	}
	return nil
}

// multiply has the device compute the sides.
func (r *rows) multiply(s *slot, dst []uint8, order []int32, weights, thresholds []float32) error {
	planes := (len(thresholds) + 7) &^ 7
	free := s.in
	for i, part := range [][]byte{bytesOf(order), bytesOf(weights), bytesOf(slices.Concat(thresholds, make([]float32, planes-len(thresholds))))} {
		pinned := free[:copy(free, part)]
		free = free[len(pinned):]
		if err := s.stream.copyIn(s.memory[i], pinned); err != nil {
			return err
		}
	}
	n := int64(len(order))
	err := s.stream.launch("sides", sidesLayout(n, planes), int64(r.cells), int64(s.memory[scanOrder]), int64(s.memory[scanWeights]),
		int64(s.memory[scanThresholds]), int64(s.memory[scanSides]), n, n, int64(r.m), int64(planes))
	if err != nil {
		return err
	}
	back := s.out[:len(dst)]
	if err := s.stream.copyOut(back, s.memory[scanSides]); err != nil {
		return err
	}
	if err := s.stream.synchronise(); err != nil {
		return err
	}
	copy(dst, back)
	return nil
}

// sidesLayout returns the layout of the kernels sides and sidesColumns.
func sidesLayout(n int64, planes int) layout {
	const rows, width, threads = 128, 64, 256 // ROWS, PLANES and THREADS of the kernels
	return layout{x: int((n + rows - 1) / rows), y: (planes + width - 1) / width, threads: threads}
}
