package shap

import (
	"math"
	"math/bits"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
)

// A walker sends a block of rows through whole trees: every row goes to every node, and what
// differs is which splits of the path it satisfies, which means that it would take the path's side there.
// Rows that satisfy the same splits of a path are a group. They agree on all the leaves below but for
// the splits that are still to come, and so share most of the arithmetic.
//
// With o[i] = 1 if a row satisfies all splits of player i on a path and 0 otherwise, and z[i] the share of the
// training weight that those splits let through, a leaf of value v gives player i
//
//	v · (o[i] − z[i]) · ∫ Π_{k≠i} f[k](t) dt, f[k](t) = z[k]·(1−t) + o[k]·t, over 0 < t < 1.
type walker struct {
	explainer *Explainer
	done      <-chan struct{} // closed when the values are no longer wanted
	data      *datasets.Dataset
	filled    *datasets.Dataset // the data with the forest's fills for missing cells
	columns   [][]float32       // the block's part of each column of filled
	raw       [][]float32       // and of the data
	rows      []int32           // 0, 1, … of the block
	values    [][][]float64     // by output, feature or slot, and row

	// While a tree is walked:
	tree      *tree
	number    int       // of the tree
	entries   []entry   // the players on the path
	at        []int32   // of each player in entries, or −1
	slots     []slot    // of the path's players of several features
	levels    []*level  // by depth
	projected []float32 // values of a split function
	terms     []term    // of a leaf
	shares    []float64 // by player and group at a leaf: what a leaf of value 1 gives it
	scaled    []float64 // by group
	sharing   sharing
	cells     []float64 // of a row, for a linear leaf
	outputs   []float64 // of a linear leaf for a row
}

// An entry is a player on the path.
type entry struct {
	player  int32
	column  int       // the feature or, for several, the number of features plus that of the slot
	z       float64   // the share of the training weight that its splits let through
	inverse []float64 // 1/f at each point for rows that satisfy its splits
}

// A slot collects the values of a player of several features, until all leaves below its first split are
// done. Then they are shared among the features.
type slot struct {
	outputs []int32 // that have values
	touched []bool  // by output: whether it is one of them
}

// A level is what the walk knows at one depth.
type level struct {
	group []uint16 // of each row
	left  []uint8  // 1 for rows that go left
	next  []uint16 // groups of the children, by group here and whether its rows go left; unknown where there are none yet

	groups    int
	from      []origin  // of each group
	product   []float64 // by group and point: the weight of the point times f of all players
	satisfied []uint64  // by group: a bit for each of entries, in words

	// Factors of the product at the child that is walked: for rows that go there, for rows that don't, and for rows that
	// never will. inverse and z are the player's entry before the child.
	yes, no, never, inverse []float64
	z                       float64
}

// An origin is the group of the parent that a group comes from, and which way its rows go there.
type origin struct {
	group uint16
	side  uint8 // 1 for left, 0 for right, or neither
}

const (
	neither = 2              // an earlier split of the player isn't satisfied, so this one doesn't matter
	unknown = math.MaxUint16 // no group
)

func newWalker(e *Explainer, done <-chan struct{}, d, filled *datasets.Dataset, size int) *walker {
	w := &walker{explainer: e, done: done, data: d, filled: filled, columns: make([][]float32, d.P()),
		raw: make([][]float32, d.P()), rows: samples.UpTo(size), projected: make([]float32, size)}
	if d.Rows != nil {
		for j := range w.columns {
			w.columns[j], w.raw[j] = make([]float32, size), make([]float32, size)
		}
	}
	for range e.outputs {
		columns := make([][]float64, d.P())
		for j := range columns {
			columns[j] = make([]float64, size)
		}
		w.values = append(w.values, columns)
	}
	return w
}

// enter makes rows [lo, hi) of the data the block.
func (w *walker) enter(lo, hi int) {
	w.rows = w.rows[:hi-lo]
	for j, raw := range w.data.Columns {
		filled := w.filled.Columns[j]
		if w.data.Rows == nil {
			w.columns[j], w.raw[j] = filled[lo:hi], raw[lo:hi]
			continue
		}
		for i, r := range w.data.Rows[lo:hi] {
			w.columns[j][i], w.raw[j][i] = filled[r], raw[r]
		}
	}
	for _, columns := range w.values {
		for _, c := range columns {
			clear(c)
		}
	}
}

// write copies the block's values for an output to dst, which has them row by row. Those for the omitted output are
// what the others leave, since probabilities sum to 1.
func (w *walker) write(dst [][]float64, output int) {
	if output == w.explainer.omitted {
		for j, column := range w.values[output][:w.data.P()] {
			clear(column)
			for o := range w.values {
				for i, v := range w.values[o][j][:len(dst)] {
					if o != output {
						column[i] -= v
					}
				}
			}
		}
	}
	for j, column := range w.values[output][:w.data.P()] {
		for i, row := range dst {
			row[j] = column[i]
		}
	}
}

// walk adds the values of tree i.
func (w *walker) walk(i int) {
	w.tree, w.number = &w.explainer.trees[i], i
	w.at = slices.Grow(w.at[:0], len(w.tree.players))[:len(w.tree.players)]
	for k := range w.at {
		w.at[k] = -1
	}
	for len(w.levels) <= w.tree.depth {
		n := cap(w.rows)
		w.levels = append(w.levels, &level{group: make([]uint16, n), left: make([]uint8, n)})
	}
	root := w.levels[0]
	for r := range w.rows {
		root.group[r] = 0
	}
	q, words := w.tree.points, w.tree.words()
	root.groups = 1
	root.product = append(root.product[:0], q.weight...)
	root.satisfied = append(root.satisfied[:0], make([]uint64, words)...)
	w.node(0, 0)
}

// words returns how many words of 64 bits have a bit for each player on a path.
func (t *tree) words() int { return (t.entries + 63) / 64 }

// node walks the subtree of a node at a depth, unless the values are no longer wanted: in a large tree that takes long.
func (w *walker) node(i int32, depth int) {
	select {
	case <-w.done:
		return
	default:
	}
	n := &w.tree.source.Nodes[i]
	if n.IsLeaf() {
		w.leaf(int(i), w.levels[depth])
		return
	}
	l, of := w.levels[depth], &w.tree.nodes[i]
	w.project(n, l.left)
	k := w.at[of.player]
	fresh := k < 0
	if fresh {
		k = w.push(of.player)
	}
	w.divide(l, w.levels[depth+1], k, fresh)
	w.child(i+1, depth, k, of.left, 1)
	w.child(n.Next, depth, k, 1-of.left, 0)
	if fresh {
		w.pop()
	}
}

// project sets left for the rows of the block at a split.
func (w *walker) project(n *forest.Node, left []uint8) {
	fn := w.tree.source.Splits.At(n.Split)
	values := w.projected[:len(w.rows)]
	switch {
	case fn.MissingLeft:
		forest.Project(&fn, values, w.raw, w.rows)
	case fn.Kind == forest.Axis:
		values = w.raw[fn.Features[0]][:len(w.rows)]
	default:
		forest.Project(&fn, values, w.columns, w.rows)
	}
	left = left[:len(values)]
	for r, v := range values {
		left[r] = 0
		if v <= n.Value {
			left[r] = 1
		}
	}
}

// push appends a player to the path and returns its entry.
func (w *walker) push(player int32) int32 {
	k := len(w.entries)
	if k < cap(w.entries) {
		w.entries = w.entries[:k+1] // with the memory of inverse
	} else {
		w.entries = append(w.entries, entry{})
	}
	e := &w.entries[k]
	points := len(w.tree.points.at)
	e.player, e.column, e.z, e.inverse = player, int(w.tree.players[player].feature), 1,
		slices.Grow(e.inverse[:0], points)[:points]
	for q := range e.inverse {
		e.inverse[q] = 1
	}
	if e.column < 0 {
		e.column = w.pushSlot()
	}
	w.at[player] = int32(k)
	return int32(k)
}

// pushSlot opens a slot and returns its column.
func (w *walker) pushSlot() int {
	k, p := len(w.slots), w.data.P()
	if k < cap(w.slots) {
		w.slots = w.slots[:k+1]
	} else {
		w.slots = append(w.slots, slot{})
	}
	if s := &w.slots[k]; s.touched == nil {
		s.touched = make([]bool, len(w.values))
	}
	for o := range w.values {
		if len(w.values[o]) <= p+k {
			w.values[o] = append(w.values[o], make([]float64, cap(w.rows)))
		}
	}
	return p + k
}

// pop removes the last player from the path. If it is a function of several features, its values are shared among
// them.
func (w *walker) pop() {
	e := &w.entries[len(w.entries)-1]
	w.entries = w.entries[:len(w.entries)-1]
	w.at[e.player] = -1
	if e.column >= w.data.P() {
		w.close(e)
	}
}

// close shares the values of a slot among the features.
func (w *walker) close(e *entry) {
	s := &w.slots[len(w.slots)-1]
	w.slots = w.slots[:len(w.slots)-1]
	if len(s.outputs) == 0 {
		return
	}
	who, t := &w.tree.players[e.player], w.tree.source
	fn := t.Splits.At(t.Nodes[who.node].Split)
	shares := w.sharing.function(who, &fn, w.columns, len(w.rows), w.explainer.means, w.explainer.variances)
	for _, o := range s.outputs {
		values := w.values[o][e.column][:len(w.rows)]
		for i, j := range fn.Features {
			column, share := w.values[o][j][:len(values)], shares[i*len(values):][:len(values)]
			for r, v := range values {
				column[r] += float64(v * share[r])
			}
		}
		s.touched[o] = false
	}
	s.outputs = s.outputs[:0]
}

// column returns where values of a player for an output are added.
func (w *walker) column(e *entry, output int) []float64 {
	column := w.values[output][e.column][:len(w.rows)]
	if k := e.column - w.data.P(); k >= 0 && !w.slots[k].touched[output] {
		w.slots[k].touched[output] = true
		w.slots[k].outputs = append(w.slots[k].outputs, int32(output))
		clear(column)
	}
	return column
}

// divide sets the groups of a node's children, which are the same for both: the rows of a group that go the same
// way. Rows of a group that doesn't satisfy an earlier split of the player stay together, since it never will.
func (w *walker) divide(l, c *level, k int32, fresh bool) {
	words := w.tree.words()
	l.next = slices.Grow(l.next[:0], 2*l.groups)[:2*l.groups]
	for i := range l.next {
		l.next[i] = unknown
	}
	c.from = c.from[:0]
	group, left, below := l.group[:len(w.rows)], l.left[:len(w.rows)], c.group[:len(w.rows)]
	for r, g := range group {
		at := 2*int(g) + int(left[r])
		if l.next[at] == unknown {
			l.next[at] = uint16(len(c.from))
			side := left[r]
			if !fresh && l.satisfied[int(g)*words+int(k/64)]>>(k%64)&1 == 0 {
				l.next[at^1], side = l.next[at], neither
			}
			c.from = append(c.from, origin{g, side})
		}
		below[r] = l.next[at]
	}
	c.groups = len(c.from)
}

// child walks a child of a node at a depth, whose split is by entry k. side is 1 for the left child and 0 for the right
// one, and through the share of the node's training weight that went there.
func (w *walker) child(node int32, depth int, k int32, through float64, side uint8) {
	l, c := w.levels[depth], w.levels[depth+1]
	e := &w.entries[k]
	w.follow(l, e, through)
	points, words := len(w.tree.points.at), w.tree.words()
	c.product = slices.Grow(c.product[:0], c.groups*points)[:c.groups*points]
	c.satisfied = slices.Grow(c.satisfied[:0], c.groups*words)[:c.groups*words]
	for g, from := range c.from {
		product, before := c.product[g*points:][:points], l.product[int(from.group)*points:][:points]
		satisfied := c.satisfied[g*words:][:words]
		copy(satisfied, l.satisfied[int(from.group)*words:])
		satisfied[k/64] &^= 1 << (k % 64)
		factor := l.no
		switch from.side {
		case side:
			factor = l.yes
			satisfied[k/64] |= 1 << (k % 64)
		case neither:
			factor = l.never
		}
		for q, f := range factor[:points] {
			product[q] = before[q] * f
		}
	}
	w.node(node, depth+1)
	e = &w.entries[k] // they may have moved
	e.z = l.z
	copy(e.inverse, l.inverse)
}

// follow changes the entry of a split for a child that a share of the training weight went to, and notes what that
// changes.
func (w *walker) follow(l *level, e *entry, through float64) {
	points := w.tree.points
	for _, b := range []*[]float64{&l.yes, &l.no, &l.never, &l.inverse} {
		*b = slices.Grow((*b)[:0], len(points.at))[:len(points.at)]
	}
	l.z = e.z
	copy(l.inverse, e.inverse)
	e.z *= through
	for q, t := range points.at {
		no := float64(e.z * points.rest[q])
		yes := no + t
		l.yes[q], l.no[q], l.never[q] = yes*e.inverse[q], no*e.inverse[q], through
		e.inverse[q] = 1 / yes
	}
}

// leaf adds what a leaf gives to the players of its path.
func (w *walker) leaf(i int, l *level) {
	w.terms = w.explainer.terms(w.terms[:0], w.number, i)
	w.terms = slices.DeleteFunc(w.terms, func(a term) bool { return a.output == w.explainer.omitted })
	m := w.tree.nodes[i].player
	if len(w.terms) == 0 && m < 0 {
		return
	}
	w.integrate(l)
	group := l.group[:len(w.rows)]
	scaled := slices.Grow(w.scaled[:0], l.groups)[:l.groups]
	for _, a := range w.terms {
		for k := range w.entries {
			for g, v := range w.shares[k*l.groups:][:l.groups] {
				scaled[g] = a.value * v
			}
			column := w.column(&w.entries[k], a.output)[:len(group)]
			for r, g := range group {
				column[r] += scaled[g]
			}
		}
	}
	w.scaled = scaled
	if m >= 0 {
		w.linear(&w.tree.linear[m], l)
	}
}

// integrate sets w.shares for the groups of a leaf. Players whose splits a group doesn't satisfy all get the same.
func (w *walker) integrate(l *level) {
	points, words, groups := w.tree.points, w.tree.words(), l.groups
	w.shares = slices.Grow(w.shares[:0], len(w.entries)*groups)[:len(w.entries)*groups]
	for g := range groups {
		product := l.product[g*len(points.at):][:len(points.at)]
		without := -dot(product, points.inverseRest) // of a player that isn't satisfied
		for k := range w.entries {
			w.shares[k*groups+g] = without
		}
		for word, set := range l.satisfied[g*words:][:words] {
			for ; set != 0; set &= set - 1 {
				k := 64*word + bits.TrailingZeros64(set)
				e := &w.entries[k]
				w.shares[k*groups+g] = (1 - e.z) * dot(product, e.inverse)
			}
		}
	}
}

// dot returns the sum of products of two slices, whose lengths are the same multiple of 4.
func dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
	}
	return (s0 + s1) + (s2 + s3)
}

// linear adds what the model of a linear leaf changes, for each row, from the leaf's output for the reference's means:
// to the players of the path, and to the features of the model, which is one more player that all rows satisfy and
// that lets no training weight through.
func (w *walker) linear(m *linearLeaf, l *level) {
	points, groups := w.tree.points, l.groups
	alone := slices.Grow(w.scaled[:0], groups)[:groups] // what the model gets, by group
	w.scaled = alone
	for g := range alone {
		alone[g] = 0
		for q, t := range points.at {
			v := &l.product[g*len(points.at)+q]
			alone[g] += *v
			*v *= t
		}
	}
	w.integrate(l)
	e := w.explainer
	x, at := slices.Grow(w.cells[:0], len(m.features))[:len(m.features)],
		slices.Grow(w.outputs[:0], len(m.outputs))[:len(m.outputs)]
	w.cells, w.outputs = x, at
	for r, g := range l.group[:len(w.rows)] {
		for i, j := range m.features {
			x[i] = float64(w.columns[j][r])
		}
		m.predict(at, x)
		for k, o := range m.outputs {
			change := at[k] - m.atMeans[k].value
			for n := range w.entries {
				w.column(&w.entries[n], o)[r] += float64(change * w.shares[n*groups+int(g)])
			}
			m.move(&w.sharing, k, x, at, e.means, e.variances)
			for i, j := range m.features {
				w.values[o][j][r] += float64(alone[g] * w.sharing.parts[i])
			}
		}
	}
}
