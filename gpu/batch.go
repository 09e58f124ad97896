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

// A job is one call of a predictor.
type job struct {
	rule   forest.Rule
	wanted wanted
	begin  func(n int)                // allocates the results of n rows
	read   func(lo, hi int, b *batch) // reads those of rows [lo, hi)
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

// run sends all rows through the device.
func (p *Predictor) run(d *datasets.Dataset, j job) error {
	_, d, err := p.forest.Transformed(context.Background(), d)
	if err != nil {
		return fmt.Errorf("gpu: %w", err)
	}
	n := d.N()
	j.begin(n)
	if n == 0 {
		return nil
	}
	err = p.device.machine.do(func() error {
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
		return p.slots.put(p.stream(d, j, size, using[:]), using[:]...)
	})
	if err != nil {
		return fmt.Errorf("gpu: %w", err)
	}
	return nil
}

func strideOf(rows int) int { return (rows + rowGroup - 1) &^ (rowGroup - 1) }

// stream sends batches of size rows through the slots, in turn: while the device works on
// the batch in one, the other is filled.
func (p *Predictor) stream(d *datasets.Dataset, j job, size int, using []*slot) error {
	n := d.N()
	for i, lo := 0, 0; lo < n; i, lo = i+1, lo+size {
		s := using[i%inFlight]
		if err := s.finish(j); err != nil {
			return err
		}
		if err := p.enqueue(s, d, j, lo, min(lo+size, n)); err != nil {
			return err
		}
	}
	for _, s := range using {
		if s == nil {
			continue
		}
		if err := s.finish(j); err != nil {
			return err
		}
	}
	return nil
}

// finish waits for a slot's batch, if it has one, and reads what came back.
func (s *slot) finish(j job) error {
	b := s.batch
	if b == nil {
		return nil
	}
	s.batch = nil
	if err := s.stream.synchronise(); err != nil {
		return fmt.Errorf("rows %d to %d: %w", b.lo, b.hi, err)
	}
	j.read(b.lo, b.hi, b)
	return nil
}

// enqueue copies rows [lo, hi) to the slot and asks the device to predict them.
func (p *Predictor) enqueue(s *slot, d *datasets.Dataset, j job, lo, hi int) error {
	b := &batch{lo: lo, hi: hi, stride: strideOf(hi - lo)}
	size := p.sizes(j, b.stride)
	gather(view[float32](s.in), d, b)
	s.batch, b.back = b, s.out[:size.back]
	if err := s.stream.copyIn(s.memory[partCells], s.in[:size.parts[partCells]]); err != nil {
		return err
	}
	l := &launches{predictor: p, slot: s, job: j, rows: int64(hi - lo), stride: int64(b.stride)}
	if p.sumsValues() {
		l.values = int64(s.memory[partSums])
	} else {
		l.scores = int64(s.memory[partSums])
	}
	if err := l.all(); err != nil {
		return err
	}
	from := s.memory[partResult]
	if j.wanted == wantSums {
		from = s.memory[partSums]
	}
	if len(b.back) == 0 { // the leaves of no trees
		return nil
	}
	return s.stream.copyOut(b.back, from)
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

// launches are the launches for a batch.
type launches struct {
	*slot
	predictor *Predictor
	job       job

	rows, stride   int64
	scores, values int64 // the sums, as one or the other; 0 for none
}

// threads is the number of threads of a block, a row each. tileBytes is the shared memory
// that a block has without asking.
const (
	threads   = 128
	tileBytes = 48 << 10
)

func (l *launches) grid() layout {
	return layout{x: int((l.rows + threads - 1) / threads), y: 1, threads: threads}
}

func (l *launches) all() error {
	model := int64(l.predictor.model)
	if l.job.wanted != wantLeaves {
		if err := l.stream.launch("start", l.grid(), model, l.scores, l.values, l.rows, l.stride); err != nil {
			return err
		}
	}
	for _, step := range l.predictor.steps {
		if err := l.step(step); err != nil {
			return err
		}
	}
	switch l.job.wanted {
	case wantLabels:
		return l.stream.launch("label", l.grid(), model, l.scores, l.values, int64(l.memory[partResult]), l.rows, l.stride)
	case wantProbabilities:
		return l.stream.launch("probabilities", l.grid(), model, l.values, int64(l.memory[partResult]), l.rows, l.stride)
	}
	return nil
}

func (l *launches) step(s step) error {
	leaves := int64(0)
	if l.job.wanted == wantLeaves {
		leaves = int64(l.memory[partResult])
	}
	outputs := []int64{int64(l.predictor.model), int64(l.memory[partCells]), l.scores, l.values,
		int64(l.memory[partScratch]), leaves, l.rows, l.stride}
	rule := int64(l.job.rule)
	if s.planes == 0 {
		grid, tile := l.grid(), int64(0)
		if bytes := 4 * threads * l.predictor.forest.P(); bytes <= tileBytes {
			grid.shared, tile = bytes, 1
		}
		return l.stream.launch("score", grid, append(outputs, int64(s.first), int64(s.last), rule, tile)...)
	}
	err := l.stream.launch("sidesColumns", sidesLayout(l.rows, s.planes), int64(l.memory[partCells]), int64(s.features),
		int64(s.weights), int64(s.thresholds),
		int64(l.memory[partSides]), l.rows, l.stride, int64(s.m), int64(s.planes))
	if err != nil {
		return err
	}
	return l.stream.launch("scorePlanes", l.grid(), append(outputs, int64(s.first), rule, int64(l.memory[partSides]),
		l.stride)...)
}
