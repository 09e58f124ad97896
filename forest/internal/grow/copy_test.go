package grow

import (
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// pixels returns whole numbers from low to high.
func pixels(n, p, low, high int) *datasets.Dataset {
	d := noise(n, p, 3)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, col := range d.Columns {
		for i := range col {
			col[i] = float32(low + rng.IntN(high-low+1))
		}
	}
	return d
}

// A tree grown from copied cells must be the one grown from the columns.
func TestCopyingKeepsTheTree(t *testing.T) {
	for name, c := range map[string]struct {
		d            *datasets.Dataset
		cells, bytes bool
	}{
		"cells":    {noise(20000, 30, 2), true, false},
		"bytes":    {pixels(9000, minByteFeatures, 0, 255), false, true},
		"too high": {pixels(9000, minByteFeatures, 0, 256), false, false},
		"negative": {pixels(9000, minByteFeatures, -1, 255), false, false},
		"few":      {noise(500, 30, 2), false, false},
	} {
		e := must.Value(New(c.d, Params{Trees: 1, Seed: 1}))
		if packed := e.data.bytes != nil; packed != c.bytes {
			t.Errorf("%s: rows of bytes: %v", name, packed)
		}
		var near, far forest.Tree
		spec := &Spec{Source: drawSums(c.d.P())}
		w := newWorker(e, newTeam())
		w.grow(0, spec, &near)
		if cells, bytes := w.cells.floatCopy != nil, w.cells.byteCopy != nil; cells != c.cells || bytes != c.bytes {
			t.Errorf("%s: copied cells: %v, bytes: %v", name, cells, bytes)
		}
		w = newWorker(e, newTeam())
		given := make(chan job)
		const jobs = 1 << 16 // always somebody to give jobs to, so nothing is copied
		for range jobs {
			w.team.enter(given)
		}
		helper := newWorker(e, newTeam())
		go func() {
			for j := range given {
				helper.do(j)
			}
		}()
		w.grow(0, spec, &far)
		close(given)
		if w.cells.floatCopy != nil || w.cells.byteCopy != nil {
			t.Errorf("%s: copied all the same", name)
		}
		equalTrees(t, near, far)
	}
}

// Engines with the same Prepared share the packed table, whatever their parameters.
func TestEnginesShareAPreparedTable(t *testing.T) {
	d := noise(50, 4, 2)
	var kept forest.Prepared
	a := newEngine(t, d, Params{Trees: 1, Options: forest.Options{Prepared: &kept}})
	b := newEngine(t, d, Params{Trees: 2, Growth: forest.Growth{Criterion: forest.Entropy},
		Options: forest.Options{Prepared: &kept}})
	c := newEngine(t, d, Params{Trees: 1})
	if a.data != b.data || a.data == c.data || a.target.entropy || !b.target.entropy {
		t.Error("the table isn't shared, or parameters are")
	}
}
