package gpu

import (
	"errors"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A Predictor is a copy of a forest's trees in the memory of a device. Its predictions are
// those of the forest, bit for bit. It refers to the forest, which must not change. It is
// safe for concurrent use.
//
// Data of any size are predicted in batches: while the device works on one, the next is
// copied. A forest's Steps are applied on the host, to all rows at once.
type Predictor struct {
	device *Device
	forest *forest.Forest
	model  address   // the struct Forest of the kernels
	parts  []address // what it refers to
	steps  []step
	scores int // the most scores of a linear leaf, in a forest of classes
	planes int // the most planes of a tree whose planes are multiplied first

	slots pool
}

// A step is what one launch does for a batch: a walk down trees [first, last), or, if
// planes isn't 0, tree first, whose planes are multiplied by the rows before.
type step struct {
	first, last                   int
	planes, m                     int
	features, thresholds, weights address
}

// Predictor copies a forest's trees to the device. It returns an error if the device's
// memory is too small, and names the tree and node if it has a kind of split or leaf that
// isn't supported. Forests with Fills, which take missing cells and categories, aren't.
func (d *Device) Predictor(f *forest.Forest) (*Predictor, error) {
	if f.Fills != nil {
		return nil, errors.New("gpu: the forest takes missing cells or categories, which the device's kernels don't: " +
			"predict without it, or train on data filled by Impute and encoded by OneHot")
	}
	trees := make([]*packed, len(f.Trees))
	err := parallel.Errors(len(trees), func(i int) (err error) {
		if trees[i], err = pack(&f.Trees[i], d.planes); err != nil {
			err = fmt.Errorf("gpu: tree %d: %w", i, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	p := &Predictor{device: d, forest: f, slots: pool{machine: d.machine}}
	err = d.machine.do(func() error {
		if err := p.upload(trees); err != nil {
			return errors.Join(err, free(d.machine, p.parts...))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("gpu: copying the forest to %s: %w", d.Name(), err)
	}
	return p, nil
}

// Close gives back the device's memory. No method may be called afterwards.
func (p *Predictor) Close() error {
	return p.device.do(func() error {
		parts := p.parts
		p.parts = nil
		return errors.Join(free(p.device.machine, parts...), p.slots.close())
	})
}

// outputs returns the number of sums of each row, if the trees predict values.
func (p *Predictor) outputs() int {
	if k := len(p.forest.Classes); p.forest.Rule == forest.Sum && k > 2 {
		return k
	}
	return 1
}

// sumsValues reports whether the trees predict values.
func (p *Predictor) sumsValues() bool { return p.forest.Regression() || p.forest.Rule == forest.Sum }

// upload copies the trees, and what the kernels need beside them.
func (p *Predictor) upload(trees []*packed) error {
	var units, functions, shares, models int64
	starts := make([][4]int64, len(trees)) // the struct Tree of the kernels
	for i, t := range trees {
		starts[i] = [4]int64{units, functions, shares, models}
		units += int64(len(t.units))
		functions += int64(len(t.functions)+1) &^ 1
		shares += int64(len(t.shares))
		models += int64(len(t.models))
		p.planes = max(p.planes, t.planes)
		if !p.sumsValues() {
			p.scores = max(p.scores, t.scores)
		}
	}
	m := p.device.machine
	var err error
	take := func(bytes int64) address { // of no use after an error
		var at address
		if err == nil {
			at, err = m.alloc(max(bytes, 8))
			p.parts = append(p.parts, at)
		}
		return at
	}
	keep := func(at address, e error) address { p.parts = append(p.parts, at); err = errors.Join(err, e); return at }
	nodes, fns, prop, mods := take(16*units), take(4*functions), take(4*shares), take(4*models)
	for i, t := range trees {
		if err != nil {
			return err
		}
		at := starts[i]
		err = errors.Join(m.copyIn(nodes+address(16*at[0]), bytesOf(t.units)),
			m.copyIn(fns+address(4*at[1]), bytesOf(t.functions)), m.copyIn(prop+address(4*at[2]), bytesOf(t.shares)),
			m.copyIn(mods+address(4*at[3]), bytesOf(t.models)))
	}
	if err != nil {
		return err
	}
	logs := prop
	if p.forest.Rule == forest.Consensus {
		if logs = take(4 * shares); err == nil {
			err = p.logShares(prop, logs, shares)
		}
	}
	base := make([]float64, p.outputs())
	if p.forest.Rule == forest.Sum {
		copy(base, p.forest.Base)
	}
	table, bases := keep(upload(m, starts)), keep(upload(m, base))
	p.model = keep(upload(m, []int64{int64(nodes), int64(table), int64(fns), int64(prop), int64(logs), int64(mods),
		int64(bases),
		int64(p.forest.P()), int64(max(1, len(p.forest.Classes))), int64(p.outputs()), int64(len(trees))}))
	p.plan(trees, starts, fns)
	return err
}

// logShares has the device calculate what mixed leaves add by the rule Consensus.
func (p *Predictor) logShares(shares, logs address, n int64) error {
	if n == 0 {
		return nil
	}
	s, err := p.device.machine.stream()
	if err != nil {
		return err
	}
	err = s.launch("logShares", inBlocks(n, 256), int64(shares), int64(logs), n)
	return errors.Join(err, s.synchronise(), s.destroy())
}

// plan divides the trees into steps: each tree whose planes are multiplied first, and
// ranges of others that fit in half of the device's cache.
func (p *Predictor) plan(trees []*packed, starts [][4]int64, functions address) {
	var inCache int64
	walking := false // whether the last step is a walk that can take another tree
	for i, t := range trees {
		if t.planes > 0 {
			at := functions + address(4*starts[i][1])
			p.steps = append(p.steps, step{first: i, last: i + 1, planes: t.planes, m: t.m,
				features: at, thresholds: at + address(4*t.m), weights: at + address(4*(t.m+t.planes))})
			walking = false
			continue
		}
		if inCache += t.bytes(); !walking || inCache > p.device.machine.cache()/2 {
			p.steps = append(p.steps, step{first: i})
			walking, inCache = true, t.bytes()
		}
		p.steps[len(p.steps)-1].last = i + 1
	}
}

var (
	errNeedsClasses = errors.New("gpu: this forest predicts values, not classes; use PredictValues")
	errNeedsValues  = errors.New("gpu: this forest predicts classes, not values; use Predict or Proba")
	errSumsNoVotes  = errors.New("gpu: the trees of this forest predict values, which are summed, and don't vote; use " +
		"Proba")
)

// Predict returns what [forest.Forest.Predict] does: the class index of every row.
// It returns an error where that does, and if the device fails.
func (p *Predictor) Predict(d *datasets.Dataset) ([]int32, error) {
	if p.forest.Regression() {
		return nil, errNeedsClasses
	}
	return ask(p, d, job{p.forest.Rule, wantLabels}, list[int32],
		func(labels []int32, b *batch) { copy(labels, view[int32](b.back)) })
}

// Votes returns what [forest.Forest.Votes] does: the number of trees that vote for
// each class, n × classes. It returns an error where that does, and if the device fails.
func (p *Predictor) Votes(d *datasets.Dataset) ([][]int32, error) {
	switch {
	case p.forest.Regression():
		return nil, errNeedsClasses
	case p.forest.Rule == forest.Sum:
		return nil, errSumsNoVotes
	}
	return ask(p, d, job{forest.Plurality, wantSums}, matrix[int32](len(p.forest.Classes)),
		func(votes [][]int32, b *batch) {
			transpose(votes, view[float32](b.back), b.stride, func(v float32) int32 { return int32(v) })
		})
}

// Proba returns what [forest.Forest.Proba] does: the class probabilities of every
// row, n × classes. It returns an error where that does, and if the device fails.
func (p *Predictor) Proba(d *datasets.Dataset) ([][]float64, error) {
	if p.forest.Regression() {
		return nil, errNeedsClasses
	}
	trees := float64(len(p.forest.Trees))
	j := job{forest.Average, wantSums}
	read := func(proba [][]float64, b *batch) {
		transpose(proba, view[float32](b.back), b.stride, func(v float32) float64 { return float64(v) / trees })
	}
	if p.forest.Rule == forest.Sum {
		j = job{forest.Sum, wantProbabilities}
		read = func(proba [][]float64, b *batch) {
			transpose(proba, view[float64](b.back), b.stride, func(v float64) float64 { return v })
		}
	}
	return ask(p, d, j, matrix[float64](len(p.forest.Classes)), func(proba [][]float64, b *batch) {
		read(proba, b)
		forRows(len(proba), func(i int) { p.forest.Calibration.Apply(proba[i]) })
	})
}

// PredictValues returns what [forest.Forest.PredictValues] does: the value of every
// row. It returns an error where that does, and if the device fails.
func (p *Predictor) PredictValues(d *datasets.Dataset) ([]float64, error) {
	if !p.forest.Regression() {
		return nil, errNeedsValues
	}
	return ask(p, d, job{p.forest.Rule, wantSums}, list[float64], func(values []float64, b *batch) {
		copy(values, view[float64](b.back))
		for i, v := range values {
			switch {
			case p.forest.LogLink:
				values[i] = portable.Exp(v)
			case p.forest.Rule != forest.Sum:
				values[i] = v/float64(len(p.forest.Trees)) + p.forest.Offset()
			}
		}
	})
}

// Apply returns what [forest.Forest.Apply] does: the leaves that each row reaches, as
// indices in the trees' Nodes, n × trees. It returns an error where that does, and if the
// device fails.
func (p *Predictor) Apply(d *datasets.Dataset) ([][]int32, error) {
	trees := len(p.forest.Trees)
	return ask(p, d, job{p.forest.Rule, wantLeaves}, matrix[int32](trees), func(leaves [][]int32, b *batch) {
		all := view[int32](b.back)
		parallel.For(len(leaves), func(i int) { copy(leaves[i], all[i*trees:]) })
	})
}

// Apply returns what f.Apply does: it makes a predictor, asks it, and closes it. With it the sensitivity of rows is
// computed:
//
//	scores, err := inspect.SensitivityBy(ctx, model, train, device.Apply)
//
// It returns an error where [Device.Predictor] and [Predictor.Apply] do.
func (d *Device) Apply(f *forest.Forest, data *datasets.Dataset) ([][]int32, error) {
	p, err := d.Predictor(f)
	if err != nil {
		return nil, err
	}
	leaves, err := p.Apply(data)
	if err := errors.Join(err, p.Close()); err != nil {
		return nil, err
	}
	return leaves, nil
}

func list[T any](n int) []T { return make([]T, n) }

// matrix returns a function that returns n rows of k cells in one piece of memory.
func matrix[T any](k int) func(n int) [][]T {
	return func(n int) [][]T {
		cells, rows := make([]T, n*k), make([][]T, n)
		for i := range rows {
			rows[i] = cells[i*k : (i+1)*k : (i+1)*k]
		}
		return rows
	}
}

// transpose writes columns of the given stride to rows.
func transpose[From, To any](rows [][]To, columns []From, stride int, convert func(From) To) {
	forRows(len(rows), func(i int) {
		for c := range rows[i] {
			rows[i][c] = convert(columns[c*stride+i])
		}
	})
}

// forRows calls f for n rows, in parallel.
func forRows(n int, f func(i int)) {
	const block = 1024
	parallel.For((n+block-1)/block, func(b int) {
		for i := b * block; i < min((b+1)*block, n); i++ {
			f(i)
		}
	})
}
