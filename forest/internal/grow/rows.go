package grow

// Supervised are directions that depend on the rows of the node, not on random
// numbers alone.
type Supervised interface {
	Directions

	// Watch is called once, before all else, with the rows of the worker's
	// current node. Begin and Next may read them.
	Watch(rows Rows)
}

// Rows are the rows of the node that a worker is about to split, in an order that
// depends on no scheduling. They are for classification.
type Rows struct{ w *worker }

// Len returns the number of distinct rows, 1 or more.
func (r Rows) Len() int { return r.w.hi - r.w.lo }

// Label returns the class of row i.
func (r Rows) Label(i int) int32 {
	if r.w.packed() {
		return int32(classOf(r.w.bag.payload[r.w.lo+i]))
	}
	return r.w.bag.labels[r.w.lo+i]
}

// Weight returns how often row i was drawn, times its weight.
func (r Rows) Weight(i int) float64 {
	if r.w.packed() {
		return float64(countOf(r.w.bag.payload[r.w.lo+i]))
	}
	return r.w.bag.weight(r.w.lo + i)
}

// Column writes feature j of all rows to dst, which has as many elements.
func (r Rows) Column(dst []float32, j int32) {
	one, weight := [1]int32{j}, [1]float32{1}
	r.w.project(dst, Direction{Index: one[:], Weights: weight[:]})
}
