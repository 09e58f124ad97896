package gpu

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// What a job brings back of each row.
type wanted int

const (
	wantLabels        wanted = iota
	wantSums                 // scores of classes or sums of values
	wantProbabilities        // of sums that are log-odds
	wantLeaves
)

// A job is what a call of a predictor asks for.
type job struct {
	rule   forest.Rule
	wanted wanted
}

// A batch is some rows on their way through the device. All columns of cells and sums have
// stride cells.
type batch struct {
	lo, hi, stride int
	back           []byte // what came back
}

// What the device keeps of a batch, in pieces of memory of their own, so that a tool that
// checks accesses knows their bounds.
const (
	partCells   = iota // of the rows
	partSums           // of what trees say
	partScratch        // scores of linear leaves
	partResult         // what isn't sums: labels, probabilities, leaves
	partSides          // of planes
)

// sizes returns the bytes that a batch of stride rows takes.
func (p *Predictor) sizes(j job, stride int) sizes {
	n := int64(stride)
	var s sizes
	s.parts[partCells] = 4 * n * int64(p.forest.P())
	s.parts[partScratch] = 8 * n * int64(p.scores)
	s.parts[partSides] = n * int64(p.planes/8)
	switch {
	case j.wanted == wantLeaves:
	case p.sumsValues():
		s.parts[partSums] = 8 * n * int64(p.outputs())
	default:
		s.parts[partSums] = 4 * n * int64(len(p.forest.Classes))
	}
	switch j.wanted {
	case wantLabels:
		s.parts[partResult] = 4 * n
	case wantProbabilities:
		s.parts[partResult] = 8 * n * int64(len(p.forest.Classes))
	case wantLeaves:
		s.parts[partResult] = 4 * n * int64(len(p.forest.Trees))
	}
	s.in, s.back = s.parts[partCells], s.parts[partResult]
	if j.wanted == wantSums {
		s.back = s.parts[partSums]
	}
	return s
}

// A batch has at most batchRows rows, which give each thread of a device something to do,
// and takes at most batchBytes, because pinned memory is slow to allocate. Strides are
// multiples of rowGroup, so that columns begin where the device reads best.
const (
	batchRows  = 1 << 18
	batchBytes = 256 << 20
	rowGroup   = 32
	inFlight   = 2 // batches
)

// batchSize returns how many rows of n go through the device at a time.
func (p *Predictor) batchSize(j job, n int) (int, error) {
	rows := min(n, batchRows)
	if p.device.batch > 0 {
		rows = min(n, p.device.batch)
	}
	free, err := p.device.machine.memory()
	if err != nil {
		return 0, err
	}
	free += p.slots.bytes()
	group := p.sizes(j, rowGroup)
	// the rest is for other programs, and for rounding up
	groups := min(free/10*8/inFlight, batchBytes) / max(1, group.device())
	if groups == 0 {
		if free/10*8/inFlight < group.device() {
			return 0, fmt.Errorf("%d bytes of memory are free on %s; a batch of %d rows needs %d, and there are %d", free,
				p.device.Name(), rowGroup, group.device(), inFlight)
		}
		groups = 1
	}
	return int(min(int64(rows), groups*rowGroup)), nil
}

// ask sends all rows through the device. results makes room for the results of n rows, and read reads those of a batch.
func ask[T any](p *Predictor, d *datasets.Dataset, j job, results func(n int) []T,
	read func(to []T, b *batch)) ([]T, error) {
	_, d, err := p.forest.Transformed(context.Background(), d)
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	n := d.N()
	all := results(n)
	if n == 0 {
		return all, nil
	}
	err = p.device.do(func() error {
		size, err := p.batchSize(j, n)
		if err != nil {
			return err
		}
		var using [inFlight]*slot
		for i := range using {
			if using[i], err = p.slots.get(p.sizes(j, strideOf(size))); err != nil {
				return p.slots.put(err, using[:]...)
			}
			if size == n {
				break
			}
		}
		err = p.stream(d, j, size, using[:], func(b *batch) { read(all[b.lo:b.hi], b) })
		return p.slots.put(err, using[:]...)
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func strideOf(rows int) int { return (rows + rowGroup - 1) &^ (rowGroup - 1) }

// stream sends batches of size rows through the slots, in turn: while the device works on
// the batch in one, the other is filled.
func (p *Predictor) stream(d *datasets.Dataset, j job, size int, using []*slot, read func(b *batch)) error {
	n := d.N()
	for i, lo := 0, 0; lo < n; i, lo = i+1, lo+size {
		s := using[i%inFlight]
		if err := s.finish(read); err != nil {
			return err
		}
		p.enqueue(s, d, j, lo, min(lo+size, n))
	}
	for _, s := range using {
		if err := s.finish(read); err != nil {
			return err
		}
	}
	return nil
}

// finish waits for a slot's batch, if there is one, and reads what came back.
func (s *slot) finish(read func(b *batch)) error {
	if s == nil || s.batch == nil {
		return nil
	}
	b := s.batch
	s.batch = nil
	if err := s.synchronise(); err != nil {
		return fmt.Errorf("rows %d to %d: %w", b.lo, b.hi, err)
	}
	read(b)
	return nil
}

// enqueue copies rows [lo, hi) to the slot and asks the device to predict them.
func (p *Predictor) enqueue(s *slot, d *datasets.Dataset, j job, lo, hi int) {
	b := &batch{lo: lo, hi: hi, stride: strideOf(hi - lo)}
	size := p.sizes(j, b.stride)
	gather(view[float32](s.in), d, b)
	s.batch, b.back = b, s.out[:size.back]
	s.copyIn(partCells, s.in[:size.parts[partCells]])
	p.launch(s, j)
	from := partResult
	if j.wanted == wantSums {
		from = partSums
	}
	s.copyOut(b.back, from)
}

// gather copies a batch's cells to columns of its stride. Cells beyond the last row are 0.
func gather(dst []float32, d *datasets.Dataset, b *batch) {
	n := b.hi - b.lo
	const block = 1 << 15
	blocks := (n + block - 1) / block
	parallel.For(d.P()*blocks, func(i int) {
		j, lo := i/blocks, i%blocks*block
		hi := min(lo+block, n)
		column, to := d.Columns[j], dst[j*b.stride:][:b.stride]
		if d.Rows == nil {
			copy(to[lo:hi], column[b.lo+lo:b.lo+hi])
		} else {
			for k, r := range d.Rows[b.lo+lo : b.lo+hi] {
				to[lo+k] = column[r]
			}
		}
		if hi == n {
			clear(to[n:])
		}
	})
}

// view returns memory as numbers.
func view[T any](memory []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/int(unsafe.Sizeof(*new(T))))
}

// threads is the number of threads of a block, a row each. tileBytes is the shared memory
// that a block has without asking.
const (
	threads   = 128
	tileBytes = 48 << 10
)

// launch launches the kernels that predict the slot's batch.
func (p *Predictor) launch(s *slot, j job) {
	n, stride := int64(s.batch.hi-s.batch.lo), int64(s.batch.stride)
	model, cells, result := int64(p.model), s.at(partCells), s.at(partResult)
	scores, values, leaves := s.at(partSums), int64(0), int64(0) // 0 for none
	if p.sumsValues() {
		scores, values = values, scores
	}
	grid := inBlocks(n, threads)
	if j.wanted == wantLeaves {
		leaves = result
	} else {
		s.launch("start", grid, model, scores, values, n, stride)
	}
	walk, tile := grid, int64(0)
	if bytes := 4 * threads * p.forest.P(); bytes <= tileBytes {
		walk.shared, tile = bytes, 1
	}
	rule, sides := int64(j.rule), s.at(partSides)
	for _, t := range p.steps {
		params := []int64{model, cells, scores, values, s.at(partScratch), leaves, n, stride, int64(t.first)}
		if t.planes == 0 {
			s.launch("score", walk, append(params, int64(t.last), rule, tile)...)
			continue
		}
		s.launch("sidesColumns", sidesLayout(n, t.planes), cells, int64(t.features), int64(t.weights),
			int64(t.thresholds), sides, n, stride, int64(t.m), int64(t.planes))
		s.launch("scorePlanes", grid, append(params, rule, sides, stride)...)
	}
	switch j.wanted {
	case wantLabels:
		s.launch("label", grid, model, scores, values, result, n, stride)
	case wantProbabilities:
		s.launch("probabilities", grid, model, values, result, n, stride)
	}
}
