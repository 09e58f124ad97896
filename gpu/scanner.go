package gpu

import (
	"errors"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/internal/device"
)

// A rows is a [device.Rows]: rows in the memory of a device.
type rows struct {
	device *Device
	cells  address // row after row
	m      int
}

var _ device.Device = (*Device)(nil)

// Load copies rows to the device: cells holds them one after another, m cells each. Package graf calls it, if it is
// given the device:
//
//	model, err := graf.Learner{}.Grow(ctx, data, forest.Options{Device: device})
//
// The forests are the same, byte for byte. Load returns an error if the rows don't fit into the device's memory.
func (d *Device) Load(cells []float32, m int) (device.Rows, error) {
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

// Best does what [device.Rows] says.
func (r *rows) Best(step *device.Step, best *device.Plane) (found bool, err error) {
	s := newScan(r, step)
	err = r.device.machine.do(func() error {
		slot, err := r.device.slots.get(s.sizes())
		if err != nil {
			return err
		}
		found, err = s.best(slot, best)
		return r.device.slots.put(err, slot)
	})
	if err != nil {
		return false, fmt.Errorf("gpu: %w", err)
	}
	return found, nil
}

// A scan is a step as the kernels take it.
type scan struct {
	*rows
	step    *device.Step
	regions []scanRegion
	runs    []scanRun
	pieces  []int32
	first   int // where the target's rows begin,
	target  int // and their number
	planes  int // a multiple of 8
}

// scanRegion and scanRun are the structs Region and Run of the kernels, and piece is their PIECE.
type (
	scanRegion struct {
		z         float64
		run, runs int32
	}
	scanRun struct{ class, n, row, piece int32 }
)

const piece = 256

func newScan(r *rows, step *device.Step) *scan {
	s := &scan{rows: r, step: step, planes: (step.Planes + 7) &^ 7}
	row := int32(0)
	for i, region := range step.Regions {
		s.regions = append(s.regions, scanRegion{region.Z, int32(len(s.runs)), int32(len(region.Runs))})
		first := row
		for _, run := range region.Runs {
			s.runs = append(s.runs, scanRun{run.Class, run.N, row, int32(len(s.pieces))})
			for k := range run.N / piece {
				s.pieces = append(s.pieces, row+k*piece)
			}
			row += run.N
		}
		if i == step.Target {
			s.first, s.target = int(first), int(row-first)
		}
	}
	if int(row) != len(step.Rows) {
		panic(fmt.Sprintf("gpu: regions of %d rows; the step has %d", row, len(step.Rows)))
	}
	return s
}

// The parts of a slot's memory for a scan: what is copied to the device, what stays there, and
// what is copied back.
const (
	scanRows = iota
	scanRegions
	scanRuns
	scanPieces
	scanInverse
	scanMoments // of the target, three for each feature
	scanWeights
	scanThresholds
	scanSides
	scanCounts
	scanGains
	scanFound
	scanBestWeights
	scanBestSide
	scanParts
)

// scanResult is the struct Found of the kernels.
type scanResult struct {
	gain      float64
	threshold float32
	plane     int32
}

func (s *scan) sizes() sizes {
	n, m, planes := int64(len(s.step.Rows)), int64(s.m), int64(s.planes)
	size := sizes{parts: [maxParts]int64{
		scanMoments: 8 * 3 * m, scanWeights: 4 * m * ((planes + panel - 1) &^ (panel - 1)), scanThresholds: 4 * planes,
		scanSides: planes / 8 * n, scanCounts: 4 * planes * int64(len(s.pieces)), scanGains: 8 * planes,
		scanFound: 16, scanBestWeights: 4 * m, scanBestSide: n,
	}}
	for i, part := range s.input() {
		size.parts[i] = int64(len(part))
		size.in += int64(len(part))
	}
	size.back = size.parts[scanFound] + size.parts[scanBestWeights] + size.parts[scanBestSide]
	return size
}

// input returns the first parts.
func (s *scan) input() [][]byte {
	return [][]byte{bytesOf(s.step.Rows), bytesOf(s.regions), bytesOf(s.runs), bytesOf(s.pieces), bytesOf(s.step.Inverse)}
}

// best has the device do the step.
func (s *scan) best(slot *slot, best *device.Plane) (bool, error) {
	free := slot.in
	for i, part := range s.input() {
		pinned := free[:copy(free, part)]
		free = free[len(pinned):]
		if len(pinned) == 0 {
			continue
		}
		if err := slot.stream.copyIn(slot.memory[i], pinned); err != nil {
			return false, err
		}
	}
	if err := s.launch(slot); err != nil {
		return false, err
	}
	free = slot.out
	back := func(part, bytes int) (pinned []byte, err error) {
		pinned, free = free[:bytes], free[bytes:]
		return pinned, slot.stream.copyOut(pinned, slot.memory[part])
	}
	found, err1 := back(scanFound, 16)
	weights, err2 := back(scanBestWeights, 4*s.m)
	side, err3 := back(scanBestSide, len(s.step.Rows))
	if err := errors.Join(err1, err2, err3); err != nil {
		return false, err
	}
	if err := slot.stream.synchronise(); err != nil {
		return false, err
	}
	result := view[scanResult](found)[0]
	best.Gain, best.Threshold = result.gain, result.threshold
	copy(best.Weights, view[float32](weights))
	copy(best.Right, side)
	return result.plane >= 0, nil
}

// launch launches the kernels of a step.
func (s *scan) launch(slot *slot) (err error) {
	n, m, planes, pieces := int64(len(s.step.Rows)), int64(s.m), int64(s.planes), int64(len(s.pieces))
	at := func(part int) int64 { return int64(slot.memory[part]) }
	launch := func(kernel string, l layout, params ...int64) { // not after an error
		if err == nil {
			err = slot.stream.launch(kernel, l, params...)
		}
	}
	launch("bounds", inBlocks(m, 32), int64(s.cells), at(scanRows)+4*int64(s.first), at(scanMoments), int64(s.target), m)
	launch("draw", inBlocks(planes, 32), at(scanMoments), at(scanWeights), at(scanThresholds), int64(s.step.State),
		int64(math.Float64bits(s.step.Scale)), m, planes)
	launch("sides", sidesLayout(n, s.planes), int64(s.cells), at(scanRows), at(scanWeights), at(scanThresholds),
		at(scanSides), n, n, m, planes)
	if pieces > 0 {
		launch("count", inBlocks(pieces*planes, 256), at(scanSides), at(scanPieces), at(scanCounts), n, planes, pieces)
	}
	launch("gains", inBlocks(256*planes/8, 256), at(scanSides), at(scanRegions), at(scanRuns), at(scanCounts),
		at(scanInverse), at(scanGains),
		n, planes, int64(len(s.regions)), int64(s.step.Target), int64(s.step.Few))
	launch("best", inBlocks(max(n, m), 256), at(scanGains), at(scanWeights), at(scanThresholds), at(scanSides),
		at(scanFound), at(scanBestWeights), at(scanBestSide), int64(s.step.Planes), n, m)
	return err
}

// inBlocks returns the layout of n threads in blocks of the given size.
func inBlocks(n int64, threads int) layout {
	return layout{x: int((n + int64(threads) - 1) / int64(threads)), y: 1, threads: threads}
}

// sidesLayout returns the layout of the kernels sides and sidesColumns.
func sidesLayout(n int64, planes int) layout {
	const rows, width, threads = 128, 64, 256 // ROWS, PLANES and THREADS of the kernels
	return layout{x: int((n + rows - 1) / rows), y: (planes + width - 1) / width, threads: threads}
}
