package grow

// A FeatureDraw draws features that vary at a node, for sources that fit something to them.
type FeatureDraw struct {
	Features []int32     // those of the last draw, ascending
	Columns  [][]float32 // the values of each at the node's rows; further columns are memory for other draws

	shuffle *shuffle
}

// NewFeatureDraw returns a draw of p features.
func NewFeatureDraw(p int) FeatureDraw {
	return FeatureDraw{shuffle: newShuffle(p)}
}

// DrawFeatures draws m features that are not constant at the node, or as many as there are, and reads them; fewer if
// the node's call is cancelled.
func (d *FeatureDraw) DrawFeatures(node *Node, m int) {
	d.Features = d.Features[:0]
	d.shuffle.Begin()
	for t := 0; t < len(d.shuffle.order) && len(d.Features) < m && !node.Cancelled(); t++ {
		feature := d.shuffle.Next(node.Rand())
		at := len(d.Features)
		if at == len(d.Columns) {
			d.Columns = append(d.Columns, nil)
		}
		column := Sized(d.Columns[at], node.Len())
		node.Column(column, feature)
		d.Columns[at] = column
		if !Constant(column) {
			d.insert(feature)
		}
	}
}

// insert adds a feature, whose column comes last, in ascending order.
func (d *FeatureDraw) insert(feature int32) {
	d.Features = append(d.Features, feature)
	for k := len(d.Features) - 1; k > 0 && d.Features[k-1] > d.Features[k]; k-- {
		d.Features[k-1], d.Features[k] = d.Features[k], d.Features[k-1]
		d.Columns[k-1], d.Columns[k] = d.Columns[k], d.Columns[k-1]
	}
}

// Constant reports whether all values are equal.
func Constant(column []float32) bool {
	for _, v := range column {
		if v != column[0] {
			return false
		}
	}
	return true
}
