package forest

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A LeafKind says what a leaf holds.
type LeafKind int32

// The kinds of leaf, as values of [Node.Split].
const (
	LeafClass  LeafKind = -1 - iota // one class, that of all its training rows
	LeafDist                        // class weights, a row of [Tree.Dist]
	LeafValue                       // one value
	LeafLinear                      // a linear model: scores of some classes, or one value
	LeafValues                      // a value for each output, a row of [Tree.Dist]
	endOfLeaves
)

// A Leaf is what a leaf of a tree predicts. Kind determines which fields are used.
type Leaf struct {
	Kind   LeafKind
	Class  int32     // LeafClass
	Dist   []float32 // LeafDist: the weight of each class; LeafValues: the value of each output
	Value  float32   // LeafValue
	Scores []Score   // LeafLinear: scores of some classes, ascending by class; in a tree of values one score, of class 0
	Weight float32   // training weight that reached the leaf
}

// Proportions sets dst, which has an element for each class, to the class proportions of the leaf's training rows. It
// panics if the leaf holds a value or a linear model.
func (l Leaf) Proportions(dst []float64) {
	clear(dst)
	switch l.Kind {
	case LeafClass:
		dst[l.Class] = 1
	case LeafDist:
		sum := 0.0
		for _, w := range l.Dist {
			sum += float64(w)
		}
		for c, w := range l.Dist {
			dst[c] = float64(w) / sum
		}
	default:
		panic("forest: Proportions of a leaf without classes")
	}
}

// A Score is a linear function Σ Weights[i]·x[Features[i]] + Bias, summed in
// float64. In a tree of classes it is the score of Class; softmax turns the scores
// of a leaf into class proportions, and a class without a score has proportion 0. In
// a tree of values it is the predicted value, and Class is 0.
type Score struct {
	Class    int32
	Bias     float32
	Features []int32 // ascending
	Weights  []float32
}

// IsLeaf reports whether the node is a leaf.
func (n Node) IsLeaf() bool { return n.Split < 0 }

func (n Node) leafKind() LeafKind { return LeafKind(n.Split) }

// ClassLeaf returns a pure leaf: its training rows all have the given class.
func ClassLeaf(class int32, weight float32) Node {
	return Node{Split: int32(LeafClass), Next: class, Weight: weight}
}

// ValueLeaf returns a leaf that predicts a value.
func ValueLeaf(value, weight float32) Node {
	return Node{Split: int32(LeafValue), Value: value, Weight: weight}
}

// DistLeaf stores a weight for each of the tree's classes and returns a leaf that
// refers to them.
func (t *Tree) DistLeaf(dist []float32, weight float32) Node {
	row := len(t.Dist) / len(dist)
	t.Dist = append(grown(t.Dist, len(dist)), dist...)
	return MixedLeaf(int32(row), weight)
}

// MixedLeaf returns a leaf that refers to a row of [Tree.Dist], for a tree whose class weights are stored later.
func MixedLeaf(row int32, weight float32) Node {
	return Node{Split: int32(LeafDist), Next: row, Weight: weight}
}

// ValuesLeaf stores a value for each of the tree's outputs, and returns a leaf that refers to them.
func (t *Tree) ValuesLeaf(values []float32, weight float32) Node {
	leaf := t.DistLeaf(values, weight)
	leaf.Split = int32(LeafValues)
	return leaf
}

// LinearLeaf stores the scores, which [Leaf] describes, and returns a leaf that
// refers to them.
func (t *Tree) LinearLeaf(scores []Score, weight float32) Node {
	return Node{Split: int32(LeafLinear), Next: t.models.add(scores), Weight: weight}
}

// addLeaf stores the class weights or scores of l, if it has any, and returns a leaf
// node that refers to them.
func (t *Tree) addLeaf(l Leaf) Node {
	switch l.Kind {
	case LeafClass:
		return ClassLeaf(l.Class, l.Weight)
	case LeafDist:
		return t.DistLeaf(l.Dist, l.Weight)
	case LeafValues:
		return t.ValuesLeaf(l.Dist, l.Weight)
	case LeafValue:
		return ValueLeaf(l.Value, l.Weight)
	}
	return t.LinearLeaf(l.Scores, l.Weight)
}

// Leaf returns the contents of leaf node i. Dist and the features and weights of Scores
// are the tree's memory. It panics if the node is a split.
func (t *Tree) Leaf(i int) Leaf {
	n := &t.Nodes[i]
	if !n.IsLeaf() {
		panic("forest: Leaf of a split")
	}
	return t.leaf(n)
}

func (t *Tree) leaf(n *Node) Leaf {
	l := Leaf{Kind: n.leafKind(), Weight: n.Weight}
	switch l.Kind {
	case LeafClass:
		l.Class = n.Next
	case LeafDist, LeafValues:
		l.Dist = t.dist(n)
	case LeafValue:
		l.Value = n.Value
	case LeafLinear:
		for s := range t.models.scores(n.Next) {
			l.Scores = append(l.Scores, s)
		}
	}
	return l
}

// dist returns the row of Dist of a leaf.
func (t *Tree) dist(leaf *Node) []float32 {
	k := t.Classes + t.Outputs // one of them is 0
	return t.Dist[int(leaf.Next)*k:][:k:k]
}

// models holds the scores of linear leaves. The zero value is empty.
type models struct {
	begins   []int32  // model m is outputs[begins[m]:begins[m+1]]; empty without models
	outputs  []output // one for each score
	features []int32  // of all outputs, one after another
	weights  []float32
}

// An output is a stored score. Its features and weights end at End and begin at the End
// of the output before.
type output struct {
	Class int32
	Bias  float32
	End   int32
}

// len returns the number of models.
func (m *models) len() int { return max(0, len(m.begins)-1) }

func (m *models) add(scores []Score) int32 {
	if len(m.begins) == 0 {
		m.begins = append(m.begins, 0)
	}
	for _, s := range scores {
		m.features = append(grown(m.features, len(s.Features)), s.Features...)
		m.weights = append(grown(m.weights, len(s.Weights)), s.Weights...)
		m.outputs = append(m.outputs, output{Class: s.Class, Bias: s.Bias, End: int32(len(m.features))})
	}
	m.begins = append(m.begins, int32(len(m.outputs)))
	return int32(len(m.begins) - 2)
}

// scores iterates over the scores of a model.
func (m *models) scores(model int32) iter.Seq[Score] {
	return func(yield func(Score) bool) {
		for k := m.begins[model]; k < m.begins[model+1]; k++ {
			if !yield(m.score(k)) {
				return
			}
		}
	}
}

// score returns output k.
func (m *models) score(k int32) Score {
	o := m.outputs[k]
	begin := int32(0)
	if k > 0 {
		begin = m.outputs[k-1].End
	}
	return Score{Class: o.Class, Bias: o.Bias, Features: m.features[begin:o.End:o.End],
		Weights: m.weights[begin:o.End:o.End]}
}

func (m *models) reset() {
	m.begins, m.outputs, m.features, m.weights = m.begins[:0], m.outputs[:0], m.features[:0], m.weights[:0]
}

func (m *models) trimmed() models {
	return models{trimmed(m.begins), trimmed(m.outputs), trimmed(m.features), trimmed(m.weights)}
}

// leafParameters counts a leaf's numbers as [Size.Parameters] does.
func (f *Forest) leafParameters(t *Tree, n *Node) int {
	switch n.leafKind() {
	case LeafDist:
		if f.Rule != Plurality {
			return len(f.Classes)
		}
	case LeafValues:
		return t.Outputs
	case LeafLinear:
		count := 0
		for s := range t.models.scores(n.Next) {
			count += nonzeros(s.Weights) + 1
		}
		return count
	}
	return 1
}

// classWeights writes the training weight of each class in a leaf to dst, which has an
// element for each class. A linear leaf records only the sum, which is counted for the
// first class that it has a score for.
func (t *Tree) classWeights(dst []float64, n *Node) {
	clear(dst)
	switch n.leafKind() {
	case LeafClass:
		dst[n.Next] = float64(n.Weight)
	case LeafDist:
		for c, w := range t.dist(n) {
			dst[c] = float64(w)
		}
	case LeafLinear:
		dst[t.models.outputs[t.models.begins[n.Next]].Class] = float64(n.Weight)
	}
}

// LeafString formats leaf node i of a tree: its classes with their training weights,
// such as "versicolor 49, virginica 5"; its value with the training weight of the leaf
// in brackets, such as "2.5 (12)"; its values, such as "setosa: −0.1, virginica: 0.2 (54)"; or its linear scores with
// that weight, such as "versicolor: petal length − 3, virginica: 2·petal width (54)".
func (f *Forest) LeafString(t *Tree, i int) string {
	l := t.Leaf(i)
	weight := number(float64(l.Weight), 0)
	switch l.Kind {
	case LeafValue:
		return fmt.Sprintf("%s (%s)", f.ValueString(l), weight)
	case LeafClass:
		return plain.Text(f.Classes[l.Class]) + " " + weight
	}
	var parts []string
	for c, w := range l.Dist {
		switch {
		case l.Kind == LeafValues:
			parts = append(parts, plain.Text(f.Classes[c])+": "+number(float64(w), 0))
		case w > 0:
			parts = append(parts, plain.Text(f.Classes[c])+" "+number(float64(w), 0))
		}
	}
	for _, s := range l.Scores {
		origins, names := make([]origin, len(s.Features)), make([]string, len(s.Features))
		for i, j := range s.Features {
			origins[i] = f.origin(int(j))
		}
		weights, shift := inSums(origins, names, s.Weights)
		part := cmp.Or(strings.Join(termsOf(weights, names, float64(s.Bias)+shift, 0), " "), "0")
		if f.Offset() != 0 {
			part = number(f.Offset(), wideDigits) + " + " + part
		}
		if t.Classes > 0 {
			part = plain.Text(f.Classes[s.Class]) + ": " + part
		}
		parts = append(parts, part)
	}
	if l.Kind == LeafDist {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, ", ") + " (" + weight + ")"
}

// ValueString formats the value that a leaf of values predicts, with six significant digits, or more if it is relative
// to Base.
func (f *Forest) ValueString(l Leaf) string {
	if offset := f.Offset(); offset != 0 {
		return number(offset+float64(l.Value), wideDigits)
	}
	return number(float64(l.Value), 0)
}

// validateLeaf checks a leaf, but not what it refers to. The error continues "node i ".
func (t *Tree) validateLeaf(n Node) error {
	kind, k := n.leafKind(), t.Classes
	if n.Weight < 0 {
		return fmt.Errorf("is a leaf of weight %v; want 0 or more", n.Weight)
	}
	number, limit := "", 0
	switch {
	case kind == LeafLinear:
		number, limit = "linear model", t.models.len()
	case kind == LeafValues && t.Outputs > 0:
		number, limit = "values", (len(t.Dist)+t.Outputs-1)/t.Outputs
	case t.Outputs > 0:
		return fmt.Errorf("is a leaf of kind %d; want %d in a tree with values of all outputs", kind, LeafValues)
	case kind == LeafValue && k == 0:
		return nil
	case kind == LeafClass && k > 0:
		number, limit = "class", k
	case kind == LeafDist && k > 0:
		number, limit = "class weights", (len(t.Dist)+k-1)/k // validateDist reports a row that isn't complete
	case k == 0:
		return fmt.Errorf("is a leaf of kind %d; want %d or %d for values", kind, LeafValue, LeafLinear)
	default:
		return fmt.Errorf("is a leaf of kind %d; want %d, %d or %d for classes", kind, LeafClass, LeafDist, LeafLinear)
	}
	if n.Next < 0 || int(n.Next) >= limit {
		return fmt.Errorf("is a leaf with %s %d; there are %d", number, n.Next, limit)
	}
	return nil
}

// validate checks that every model can be computed on rows of p features, and that it
// has scores of some of the k classes or, if k is 0, one score.
func (m *models) validate(p, k int) error {
	if len(m.features) != len(m.weights) || len(m.weights) > math.MaxInt32 || len(m.outputs) > math.MaxInt32 {
		return fmt.Errorf("%d features and %d weights of %d scores; want as many of both, at most %d", len(m.features),
			len(m.weights), len(m.outputs), math.MaxInt32)
	}
	if len(m.begins) > 0 && m.begins[0] != 0 {
		return fmt.Errorf("linear models begin at score %d; want 0", m.begins[0])
	}
	end := int32(0)
	for i, b := range m.begins[min(1, len(m.begins)):] {
		if b <= end || int(b) > len(m.outputs) {
			return fmt.Errorf("linear model %d ends at score %d; want more than %d, at most %d", i, b, end, len(m.outputs))
		}
		if k == 0 && b != end+1 {
			return fmt.Errorf("linear model %d has %d scores; want one for values", i, b-end)
		}
		last := int32(-1)
		for _, o := range m.outputs[end:b] {
			if o.Class <= last || int(o.Class) >= max(1, k) {
				return fmt.Errorf("linear model %d has class %d after %d; want ascending below %d", i, o.Class, last, max(1, k))
			}
			last = o.Class
		}
		end = b
	}
	if int(end) != len(m.outputs) {
		return fmt.Errorf("linear models end at score %d; there are %d", end, len(m.outputs))
	}
	return m.validateScores(p)
}

func (m *models) validateScores(p int) error {
	end := int32(0)
	for i, o := range m.outputs {
		if o.End < end || int(o.End) > len(m.features) || !finite(o.Bias) {
			return fmt.Errorf("score %d ends at weight %d and has bias %v; want at least %d, at most %d, and a finite number", i,
				o.End, o.Bias, end, len(m.features))
		}
		if err := checkFeatures(m.features[end:o.End], p); err != nil {
			return fmt.Errorf("score %d %w", i, err)
		}
		end = o.End
	}
	if int(end) != len(m.features) {
		return fmt.Errorf("scores end at weight %d; there are %d", end, len(m.features))
	}
	for i, w := range m.weights {
		if !finite(w) {
			return fmt.Errorf("weight %d of the scores is %v; want a finite number", i, w)
		}
	}
	return nil
}

// validateDist checks that each row of class weights is nonnegative with a positive,
// finite sum, and that values are finite.
func (t *Tree) validateDist(int) error {
	dist, classes := t.Dist, t.Classes
	if t.Outputs > 0 {
		return t.validateValues()
	}
	if classes == 0 && len(dist) > 0 || len(dist)%max(1, classes) != 0 {
		return fmt.Errorf("%d class weights; want a multiple of %d", len(dist), classes)
	}
	for i := 0; i < len(dist); i += classes {
		var sum float32
		for _, w := range dist[i : i+classes] {
			if !(w >= 0) {
				return fmt.Errorf("class weights %d hold %v; want 0 or more", i/classes, w)
			}
			sum += w
		}
		if !(sum > 0) || !finite(sum) {
			return fmt.Errorf("class weights %d sum to %v; want a finite number above 0", i/classes, sum)
		}
	}
	return nil
}

func (t *Tree) validateValues() error {
	if len(t.Dist)%t.Outputs != 0 {
		return fmt.Errorf("%d values; want a multiple of %d", len(t.Dist), t.Outputs)
	}
	for i, v := range t.Dist {
		if !finite(v) {
			return fmt.Errorf("value %d is %v; want a finite number", i, v)
		}
	}
	return nil
}

// A tally adds up the outputs of the leaves that some rows reach, tree after tree, by a
// rule. Labels, votes, probabilities, values and out-of-bag predictions all come from
// tallies.
type tally struct {
	rule    Rule
	classes int       // 0 for values
	outputs int       // sums for each row, if trees predict values
	scores  []float32 // by row and class: votes, or sums of (transformed) class proportions
	values  []float64 // by row and output: sums of values
	share   []float32 // buffer: the class proportions of a leaf, or of a row in a linear leaf
	linear  []float64 // buffer: the scores of rows in a linear leaf, output after output
	cells   cells     // of the rows
}

// newTally returns an empty tally of n rows, whose cells are read from x.
func newTally(f *Forest, rule Rule, n int, x cells) *tally {
	s := &tally{rule: rule, classes: len(f.Classes), outputs: f.outputs(), cells: x}
	if rule.sums(s.classes) {
		s.values = make([]float64, n*s.outputs)
		for i := 0; i < len(s.values); i += s.outputs {
			copy(s.values[i:], f.sumBase())
		}
		return s
	}
	s.scores, s.share = make([]float32, n*s.classes), make([]float32, s.classes)
	return s
}

// tallies are tallies by their rules; those of other rules are nil.
type tallies [Sum + 1]*tally

// newTallies returns empty tallies of the rows of a block.
func newTallies(f *Forest, w *walker, rules []Rule) (s tallies) {
	for _, rule := range rules {
		if s[rule] == nil {
			s[rule] = newTally(f, rule, w.hi-w.lo, cells{block: w})
		}
	}
	return s
}

// add adds to each tally.
func (s *tallies) add(i int, t *Tree, leaf int32, rows []uint16) {
	for _, one := range s {
		if one != nil {
			one.add(i, t, leaf, rows)
		}
	}
}

// cells gives access to the features of a block of rows or of a single row.
type cells struct {
	block *walker
	row   []float32
}

func (x cells) column(j int32) []float32 {
	if x.block != nil {
		return x.block.slanted(j)
	}
	return x.row[j : j+1]
}

// add adds the output of a leaf of tree number i for the given rows, which reach it.
func (s *tally) add(i int, t *Tree, leaf int32, rows []uint16) {
	n := &t.Nodes[leaf]
	switch kind := n.leafKind(); {
	case kind == LeafClass:
		s.addOne(int(n.Next), rows) // log2(1 + 1) is 1, too
	case kind == LeafValue:
		values, outputs, out := s.values, s.outputs, i%s.outputs
		for _, r := range rows {
			values[int(r)*outputs+out] += float64(n.Value)
		}
	case kind == LeafValues:
		s.addValues(t.dist(n), rows)
	case kind == LeafLinear:
		s.addLinear(i, t, n, rows)
	case s.rule == Plurality:
		s.addOne(int(argmax(t.dist(n))), rows)
	default:
		proportions(s.share, t.dist(n))
		s.addShare(rows)
	}
}

// addValues adds a value to each output of the rows.
func (s *tally) addValues(values []float32, rows []uint16) {
	sums := s.values
	for _, r := range rows {
		row := sums[int(r)*len(values):][:len(values)]
		for o, v := range values {
			row[o] += float64(v)
		}
	}
}

// addOne adds 1 to the score of a class for each of the rows.
func (s *tally) addOne(class int, rows []uint16) {
	scores, classes := s.scores, s.classes // locals, so that the loop doesn't reload them
	for _, r := range rows {
		scores[int(r)*classes+class]++
	}
}

// addShare adds the class proportions in s.share, for [Consensus] log2(1 + proportion),
// to the scores of the rows. It may overwrite s.share.
func (s *tally) addShare(rows []uint16) {
	if s.rule == Consensus {
		for c, h := range s.share {
			s.share[c] = float32(portable.Log2(1 + float64(h)))
		}
	}
	scores, share := s.scores, s.share
	for _, r := range rows {
		row := scores[int(r)*len(share):][:len(share)]
		for c, h := range share {
			row[c] += h
		}
	}
}

// proportions writes the class weights divided by their sum to share.
func proportions(share, dist []float32) {
	var sum float32
	for _, w := range dist {
		sum += w
	}
	for c, w := range dist {
		share[c] = w / sum
	}
}

// addLinear adds the output of a linear leaf for each of the rows.
func (s *tally) addLinear(i int, t *Tree, n *Node, rows []uint16) {
	m := &t.models
	first, end := m.begins[n.Next], m.begins[n.Next+1]
	scores := resized(&s.linear, len(rows)*int(end-first))
	for k := first; k < end; k++ {
		of := scores[int(k-first)*len(rows):][:len(rows)]
		score := m.score(k)
		for r := range of {
			of[r] = float64(score.Bias)
		}
		for w, j := range score.Features {
			kernel.AddScore(of, rows, s.cells.column(j), score.Weights[w])
		}
	}
	if s.values != nil {
		out := i % s.outputs
		for k, r := range rows {
			s.values[int(r)*s.outputs+out] += scores[k]
		}
		return
	}
	for k := range rows {
		s.addSoftmax(m.outputs[first:end], scores[k:], len(rows), rows[k:k+1])
	}
}

// addSoftmax adds, by the rule, the softmax of the scores of one row. The score of
// output k is scores[k·stride]; they may be overwritten.
func (s *tally) addSoftmax(outputs []output, scores []float64, stride int, row []uint16) {
	best := 0
	for k := range outputs {
		if scores[k*stride] > scores[best*stride] {
			best = k
		}
	}
	if s.rule == Plurality {
		s.addOne(int(outputs[best].Class), row)
		return
	}
	largest, sum := scores[best*stride], 0.0
	for k := range outputs {
		e := portable.Exp(scores[k*stride] - largest)
		scores[k*stride] = e
		sum += e
	}
	clear(s.share)
	for k, o := range outputs {
		s.share[o.Class] = float32(scores[k*stride] / sum)
	}
	s.addShare(row)
}
