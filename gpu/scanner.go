package gpu

import (
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
	err := d.do(func() (err error) {
		r.cells, err = upload(d.machine, cells)
		return err
	})
	if err != nil {
		return nil, err
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
	err = r.device.do(func() error {
		slot, err := r.device.slots.get(s.sizes())
		if err != nil {
			return err
		}
		found, err = s.best(slot, best)
		return r.device.slots.put(err, slot)
	})
	return found, err
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

// The parts of a slot's memory for a scan: input, scratch memory of the device, and results.
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
		slot.copyIn(i, pinned)
	}
	s.launch(slot)
	free = slot.out
	back := func(part, bytes int) (pinned []byte) {
		pinned, free = free[:bytes], free[bytes:]
		slot.copyOut(pinned, part)
		return pinned
	}
	found, weights, side := back(scanFound, 16), back(scanBestWeights, 4*s.m), back(scanBestSide, len(s.step.Rows))
	if err := slot.synchronise(); err != nil {
		return false, err
	}
	result := view[scanResult](found)[0]
	best.Gain, best.Threshold = result.gain, result.threshold
	copy(best.Weights, view[float32](weights))
	copy(best.Right, side)
	return result.plane >= 0, nil
}

// launch launches the kernels of a step.
func (s *scan) launch(slot *slot) {
	n, m, planes, pieces := int64(len(s.step.Rows)), int64(s.m), int64(s.planes), int64(len(s.pieces))
	at, cells := slot.at, int64(s.cells)
	slot.launch("bounds", inBlocks(m, 32), cells, at(scanRows)+4*int64(s.first), at(scanMoments), int64(s.target), m)
	slot.launch("draw", inBlocks(planes, 32), at(scanMoments), at(scanWeights), at(scanThresholds), int64(s.step.State),
		int64(math.Float64bits(s.step.Scale)), m, planes)
	slot.launch("sides", sidesLayout(n, s.planes), cells, at(scanRows), at(scanWeights), at(scanThresholds),
		at(scanSides), n, n, m, planes)
	if pieces > 0 {
		slot.launch("count", inBlocks(pieces*planes, 256), at(scanSides), at(scanPieces), at(scanCounts), n, planes, pieces)
	}
	slot.launch("gains", inBlocks(256*planes/8, 256), at(scanSides), at(scanRegions), at(scanRuns), at(scanCounts),
		at(scanInverse), at(scanGains),
		n, planes, int64(len(s.regions)), int64(s.step.Target), int64(s.step.Few))
	slot.launch("best", inBlocks(max(n, m), 256), at(scanGains), at(scanWeights), at(scanThresholds), at(scanSides),
		at(scanFound), at(scanBestWeights), at(scanBestSide), int64(s.step.Planes), n, m)
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
