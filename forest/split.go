package forest

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// A Kind is a kind of split function.
type Kind uint8

const (
	Axis      Kind = iota // one feature: x[j]
	Sparse                // a linear combination of some features: Σ w[i]·x[j(i)]
	Dense                 // a linear combination of features 0 … k−1, whose numbers aren't stored
	Quadratic             // a quadratic function of some features: xᵀQx + w·x + b
	LowRank               // a quadratic function as a sum of squares: w·z + b + Σ ±(u[r]·z)², z = x − centre
	Set                   // 0 for rows whose category of a feature is in a set, otherwise 1
	kinds
)

// Linear reports whether functions of kind k are linear combinations of features.
func (k Kind) Linear() bool { return k <= Dense }

// A Function is a split function of a row x: rows whose value is at most a node's
// threshold go left. The value of a linear function is summed in the order of Features,
// and every product and sum is rounded to float32. The value of a Quadratic or a LowRank is
// computed in float64 and then rounded to float32. Nodes split by a Set at threshold ½.
type Function struct {
	Kind Kind

	// MissingLeft is an Axis's or a Set's: a row whose cell is missing goes left. The value of an Axis is then −Inf.
	// Otherwise it is NaN, which is at most no threshold, and the row goes right. For other kinds see [Forest.Fills].
	MissingLeft bool

	Features []int32   // ascending; for Dense 0 … k−1, or nil for the same
	Weights  []float32 // w, one for each feature; {1} for Axis and Set

	// Q is the lower triangle of a Quadratic's matrix, row by row: Q[i(i+1)/2+j],
	// for j ≤ i, is the coefficient of x[Features[i]]·x[Features[j]]. Off the
	// diagonal it is therefore twice the entry of a symmetric matrix.
	Q    []float32
	Bias float32 // b, for Quadratic and LowRank

	// Centre, Factors and Positive are a LowRank's. Centre is subtracted from the cells
	// of Features. Row r of Factors, u[r], is Factors[r·k : (r+1)·k], where k is the
	// number of features. The squares of the first Positive rows are added, the others
	// subtracted. So a matrix with eigenvalues λ and unit eigenvectors e has the rows
	// √|λ|·e. k and the number of rows are at most [MaxLowRank].
	Centre   []float32
	Factors  []float32
	Positive int

	// Categories is a Set's: category c is in it if bit c%32 of Categories[c/32] is set. A cell that is no number of
	// these bits counts as missing.
	Categories []uint32
}

// MaxLowRank is the largest number of features, and of squares, of a LowRank function.
const MaxLowRank = 1<<rankShift - 1

// rank returns the number of squares of a LowRank.
func (fn *Function) rank() int {
	if len(fn.Features) == 0 {
		return 0
	}
	return len(fn.Factors) / len(fn.Features)
}

// Linear returns the function Σ weights[i]·x[features[i]]: an Axis for a single feature
// of weight 1, otherwise a Sparse. features must be ascending. The function shares the
// memory of the slices.
func Linear(features []int32, weights []float32) Function {
	kind := Sparse
	if len(features) == 1 && weights[0] == 1 {
		kind = Axis
	}
	return Function{Kind: kind, Features: features, Weights: weights}
}

// A Pool holds the split functions that the nodes of a tree refer to by number
// ([Node.Split]). Several nodes may refer to one function. An Axis isn't stored: its
// number is the feature's, so an axis-aligned tree has an empty pool.
//
// The zero value is empty.
type Pool struct {
	functions []stored
	features  []int32   // of the functions; consecutive ones may share a list
	numbers   []float32 // of each function but Sets: Weights, Centre, Q or Factors, Bias, Positive
	sets      []uint32  // of each Set: Categories
}

// A stored is a function in the pool, 12 bytes.
type stored struct {
	// Shape is the kind in the upper bits and the number of features in the lower ones; a LowRank's rank is between them.
	// Instead of the number of features, which is 1, a Set has that of its words, plus setMissingLeft.
	Shape    uint32
	Features int32 // where its features begin
	Numbers  int32 // where its numbers begin; a Set's words
}

// Split numbers from firstStored on refer to functions of the pool; smaller ones are
// features, plus missingLeft if a missing cell goes left.
const (
	firstStored = 1 << 30
	missingLeft = 1 << 29
	kindShift   = 28
	rankShift   = 14
	sizeMask    = 1<<kindShift - 1

	setMissingLeft = 1 << 27
)

func (s stored) kind() Kind { return Kind(s.Shape >> kindShift) }

// size returns the number of features.
func (s stored) size() int {
	switch s.kind() {
	case LowRank:
		return int(s.Shape & MaxLowRank)
	case Set:
		return 1
	}
	return int(s.Shape & sizeMask)
}

// words returns the length of a Set's Categories.
func (s stored) words() int { return int(s.Shape & (setMissingLeft - 1)) }

// rank returns the number of squares of a LowRank.
func (s stored) rank() int { return int(s.Shape & sizeMask >> rankShift) }

// length returns how many numbers the function has.
func (s stored) length() int {
	k := s.size()
	switch s.kind() {
	case Quadratic:
		return k + k*(k+1)/2 + 1
	case LowRank:
		return 2*k + s.rank()*k + 2
	case Set:
		return 0
	}
	return k
}

// shape returns the Shape of fn. It panics if fn is a LowRank whose lengths don't fit
// together or are too large.
func (fn *Function) shape() uint32 {
	shape, k := uint32(fn.Kind)<<kindShift, len(fn.Weights)
	if fn.Kind == LowRank {
		r := fn.rank()
		if len(fn.Features) != k || len(fn.Centre) != k || len(fn.Factors) != r*k || fn.Positive < 0 || fn.Positive > r {
			panic(fmt.Sprintf("forest: a LowRank of %d features, %d weights, %d numbers of Centre and %d of Factors, %d rows "+
				"positive",
				len(fn.Features), k, len(fn.Centre), len(fn.Factors), fn.Positive))
		}
		if k > MaxLowRank || r > MaxLowRank {
			panic(fmt.Sprintf("forest: a LowRank of %d features and %d squares; want at most %d of each", k, r, MaxLowRank))
		}
		shape |= uint32(r) << rankShift
	}
	if fn.Kind == Set {
		if k = len(fn.Categories); fn.MissingLeft {
			shape |= setMissingLeft
		}
	}
	return shape | uint32(k)
}

// Len returns how many functions are stored.
func (s *Pool) Len() int { return len(s.functions) }

// Coefficients returns how many numbers (weights, entries of Q and Factors, biases, words of sets, …) the
// stored functions have. A tree can have at most 2³¹ − 1.
func (s *Pool) Coefficients() int { return len(s.numbers) + len(s.sets) }

// reset removes all functions and keeps the memory for new ones.
func (s *Pool) reset() {
	s.functions, s.features, s.numbers, s.sets = s.functions[:0], s.features[:0], s.numbers[:0], s.sets[:0]
}

// trimmed returns a copy without spare capacity.
func (s *Pool) trimmed() Pool {
	return Pool{functions: trimmed(s.functions), features: trimmed(s.features), numbers: trimmed(s.numbers),
		sets: trimmed(s.sets)}
}

func trimmed[T any](s []T) []T { return append([]T(nil), s...) }

// Add stores a copy of fn and returns its number, for [Node.Split]. An Axis isn't
// stored. It panics if fn is a LowRank whose slices don't fit together, or with more than
// [MaxLowRank] features or squares.
func (s *Pool) Add(fn Function) (split int32) {
	if fn.Kind == Axis {
		if fn.MissingLeft {
			return fn.Features[0] | missingLeft
		}
		return fn.Features[0]
	}
	e := stored{Shape: fn.shape(), Numbers: int32(len(s.numbers))}
	if fn.Kind != Dense {
		e.Features = s.addFeatures(fn.Features)
	}
	if fn.Kind == Set {
		e.Numbers = int32(len(s.sets))
		s.sets = append(grown(s.sets, len(fn.Categories)), fn.Categories...)
		fn.Weights = nil // aren't stored
	}
	s.functions = append(grown(s.functions, 1), e)
	s.numbers = append(grown(s.numbers, e.length()), fn.Weights...)
	switch fn.Kind {
	case Quadratic:
		s.numbers = append(append(s.numbers, fn.Q...), fn.Bias)
	case LowRank:
		s.numbers = append(append(append(s.numbers, fn.Centre...), fn.Factors...), fn.Bias, float32(fn.Positive))
	}
	return int32(firstStored + len(s.functions) - 1)
}

// addFeatures returns where the list begins. If it equals the last stored one, that one
// is used.
func (s *Pool) addFeatures(list []int32) int32 {
	if last, ok := s.lastList(len(s.functions)); ok && slices.Equal(s.features[last:], list) {
		return last
	}
	s.features = append(grown(s.features, len(list)), list...)
	return int32(len(s.features) - len(list))
}

// lastList returns where the last list of the first k functions begins.
func (s *Pool) lastList(k int) (at int32, ok bool) {
	for k--; k >= 0; k-- {
		if e := s.functions[k]; e.kind() != Dense {
			return e.Features, true
		}
	}
	return 0, false
}

// grown returns s with capacity for n more elements. It doubles the capacity, where
// append would grow a large slice in smaller steps and leave more garbage.
func grown[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		return slices.Grow(s, max(n, len(s)))
	}
	return s
}

// At returns the function with the given number. Its slices are the pool's memory; At
// doesn't allocate.
func (s *Pool) At(split int32) Function {
	if split < firstStored {
		j := split &^ missingLeft
		return Function{Kind: Axis, Features: upTo(int(j) + 1)[j:], Weights: unitWeight[:], MissingLeft: split != j}
	}
	e := s.functions[split-firstStored]
	if e.kind() == Set {
		words := s.sets[e.Numbers:][:e.words():e.words()]
		return Function{Kind: Set, Features: s.list(e), Weights: unitWeight[:], Categories: words,
			MissingLeft: e.Shape&setMissingLeft != 0}
	}
	k := e.size()
	numbers := s.numbers[e.Numbers:][:e.length()]
	fn := Function{Kind: e.kind(), Features: s.list(e), Weights: numbers[:k:k]}
	switch end := len(numbers) - 1; fn.Kind {
	case Quadratic:
		fn.Q, fn.Bias = numbers[k:end:end], numbers[end]
	case LowRank:
		fn.Centre, fn.Factors = numbers[k:2*k:2*k], numbers[2*k:end-1:end-1]
		fn.Bias, fn.Positive = numbers[end-1], int(numbers[end])
	}
	return fn
}

// All iterates over the stored functions with their numbers, in the order in which they
// were added.
func (s *Pool) All() iter.Seq2[int32, Function] {
	return func(yield func(int32, Function) bool) {
		for k := range s.functions {
			if split := int32(firstStored + k); !yield(split, s.At(split)) {
				return
			}
		}
	}
}

// Place returns the index of the function with the given number among the stored ones,
// in the order in which they were added. stored is false for a single feature.
func (s *Pool) Place(split int32) (k int, stored bool) {
	return int(split) - firstStored, split >= firstStored
}

// list returns the features of a stored function.
func (s *Pool) list(e stored) []int32 {
	k := e.size()
	if e.kind() == Dense {
		return upTo(k)
	}
	return s.features[e.Features:][:k:k]
}

var (
	unitWeight = [1]float32{1}         // of an Axis or a Set
	ascending  atomic.Pointer[[]int32] // 0, 1, …; grows when upTo needs more
)

// upTo returns 0 … n−1. The slice is shared and must not be changed.
func upTo(n int) []int32 {
	last := ascending.Load()
	for last == nil || len(*last) < n {
		all := make([]int32, max(64, 2*n))
		for j := range all {
			all[j] = int32(j)
		}
		ascending.CompareAndSwap(last, &all) // fails if another goroutine was faster
		last = ascending.Load()
	}
	return (*last)[:n:n]
}

// slot returns the index of a split number in a table that has first the p features and
// then the functions of a pool.
func slot(split int32, p int) int {
	if split < firstStored {
		return int(split &^ missingLeft)
	}
	return p + int(split-firstStored)
}

// splitAt is the inverse of [slot].
func splitAt(slot, p int) int32 {
	if slot < p {
		return int32(slot)
	}
	return int32(firstStored + slot - p)
}

// axisAligned reports whether all splits of the tree are single features.
func (t *Tree) axisAligned() bool { return len(t.Splits.functions) == 0 }

// list returns the features, also for a Dense whose Features are nil.
func (fn *Function) list() []int32 {
	if fn.Kind == Dense {
		return upTo(len(fn.Weights))
	}
	return fn.Features
}

// Value returns the function's value of a row. Only for an Axis or a Set may cells be missing (NaN); see
// [Forest.Filled].
func (fn *Function) Value(x []float32) float32 {
	switch fn.Kind {
	case Axis:
		return fn.orLowest(x[fn.Features[0]])
	case Set:
		return fn.side(x[fn.Features[0]])
	case Quadratic:
		return kernel.Quadratic(x, fn.Features, fn.Q, fn.Weights, fn.Bias)
	case LowRank:
		return kernel.LowRank(x, fn.Features, fn.Centre, fn.Weights, fn.Factors, fn.Positive, fn.Bias)
	}
	return kernel.Linear(x, fn.list(), fn.Weights)
}

// orLowest returns an Axis's value of a cell.
func (fn *Function) orLowest(v float32) float32 {
	if v != v && fn.MissingLeft {
		return float32(math.Inf(-1))
	}
	return v
}

// side returns a Set's value of a cell.
func (fn *Function) side(v float32) float32 {
	in := fn.MissingLeft
	if v >= 0 && v < 1<<31 {
		if c := int(v); c/32 < len(fn.Categories) {
			in = fn.Categories[c/32]>>(c%32)&1 != 0
		}
	}
	if in {
		return 0
	}
	return 1
}

// Project writes the function's value for each of the given rows to values. columns has
// all features; rows are indices in the columns. Only for an Axis or a Set may cells be missing, as for
// [Function.Value].
func Project[T float32 | byte](fn *Function, values []float32, columns [][]T, rows []int32) {
	switch fn.Kind {
	case Quadratic:
		kernel.ProjectQuadratic(values, columns, rows, fn.Features, fn.Q, fn.Weights, fn.Bias)
	case LowRank:
		kernel.ProjectLowRank(values, columns, rows, fn.Features, fn.Centre, fn.Weights, fn.Factors, fn.Positive, fn.Bias)
	case Set:
		column := columns[fn.Features[0]]
		for i, r := range rows {
			values[i] = fn.side(float32(column[r]))
		}
		return
	default:
		kernel.Project(values, columns, rows, fn.list(), fn.Weights)
	}
	if fn.MissingLeft {
		for i, v := range values {
			values[i] = fn.orLowest(v)
		}
	}
}

// axis returns the block's cells of a single feature, as a split with this number sees them.
func (w *walker) axis(split int32) []float32 {
	if split&missingLeft != 0 {
		split = split&^missingLeft + w.lowest
	}
	return w.column(split)
}

// divide writes the rows of in that go left at node n to the front of out and the others
// to its end, and returns how many go left.
func (w *walker) divide(t *Tree, n *Node, in, out []uint16) int {
	if n.Split < firstStored {
		return kernel.Divide1(in, out, w.axis(n.Split), n.Value)
	}
	s := &t.Splits
	e := s.functions[n.Split-firstStored]
	switch e.kind() {
	case Quadratic:
		fn := s.At(n.Split)
		return kernel.DivideValues(in, out, w.quadratic(&fn, in), n.Value)
	case LowRank:
		fn := s.At(n.Split)
		return kernel.DivideValues(in, out, w.lowRank(&fn, in), n.Value)
	case Set:
		fn := s.At(n.Split)
		column, values := w.slanted(fn.Features[0]), w.sums[:len(in)]
		for k, r := range in {
			values[k] = fn.side(column[r])
		}
		return kernel.DivideValues(in, out, values, n.Value)
	}
	j, a := s.list(e), s.numbers[e.Numbers:]
	switch len(j) {
	case 0:
		return kernel.Divide2(in, out, w.slanted(0), w.slanted(0), 0, 0, n.Value)
	case 1:
		return kernel.Divide2(in, out, w.slanted(j[0]), w.slanted(j[0]), a[0], 0, n.Value)
	case 2:
		return kernel.Divide2(in, out, w.slanted(j[0]), w.slanted(j[1]), a[0], a[1], n.Value)
	case 3:
		return kernel.Divide3(in, out, w.slanted(j[0]), w.slanted(j[1]), w.slanted(j[2]), a[0], a[1], a[2], n.Value)
	case 4:
		return kernel.Divide4(in, out, w.slanted(j[0]), w.slanted(j[1]), w.slanted(j[2]), w.slanted(j[3]),
			a[0], a[1], a[2], a[3], n.Value)
	}
	sums := w.sums[:len(in)]
	last := len(j) - 1
	kernel.Set4(sums, in, w.slanted(j[0]), w.slanted(j[1]), w.slanted(j[2]), w.slanted(j[3]), a[0], a[1], a[2], a[3])
	for i := 4; i < last; i++ {
		kernel.Add(sums, in, w.slanted(j[i]), a[i])
	}
	return kernel.DivideSum(in, out, sums, w.slanted(j[last]), a[last], n.Value)
}

// quadratic returns a quadratic function's values of some rows of the block.
func (w *walker) quadratic(fn *Function, rows []uint16) []float32 {
	x := resized(&w.cells, len(fn.Features))
	values := w.sums[:len(rows)]
	var four [4]float32
	for lo := 0; lo < len(rows); lo += 4 {
		group := rows[lo:min(lo+4, len(rows))]
		for i, j := range fn.Features {
			col := w.slanted(j)
			for k, r := range group {
				x[i][k] = col[r]
			}
		}
		kernel.Quadratic4(&four, x, fn.Q, fn.Weights, fn.Bias)
		copy(values[lo:], four[:len(group)])
	}
	return values
}

// lowRank returns a LowRank's values of some rows of the block.
func (w *walker) lowRank(fn *Function, rows []uint16) []float32 {
	z := resized(&w.centred, len(fn.Features))
	values := w.sums[:len(rows)]
	var four [4]float32
	for lo := 0; lo < len(rows); lo += 4 {
		group := rows[lo:min(lo+4, len(rows))]
		for i, j := range fn.Features {
			col, c := w.slanted(j), float64(fn.Centre[i])
			for k, r := range group {
				z[i][k] = float64(col[r]) - c
			}
		}
		kernel.LowRank4(&four, z, fn.Weights, fn.Factors, fn.Positive, fn.Bias)
		copy(values[lo:], four[:len(group)])
	}
	return values
}

// parameters counts the parameters of a split as [Size.Parameters] does: the nonzero
// coefficients and 1 for the threshold, which includes the Bias. A LowRank's Centre doesn't
// count: with other Weights and another Bias it could be 0.
func (fn *Function) parameters() int {
	return nonzeros(fn.Weights) + nonzeros(fn.Q) + nonzeros(fn.Factors) + 1
}

func nonzeros(numbers []float32) int {
	count := 0
	for _, w := range numbers {
		if w != 0 {
			count++
		}
	}
	return count
}

// shares calls yield with each feature's share of an impurity decrease, as
// [Forest.Importance] describes, if it isn't 0. The shares sum to 1, unless all
// coefficients are 0.
func (fn *Function) shares(yield func(feature int32, share float64)) {
	magnitude := make([]float64, len(fn.Weights))
	for i, w := range fn.Weights {
		magnitude[i] = math.Abs(float64(w))
	}
	for i, k := 0, 0; i < len(fn.Features) && fn.Kind == Quadratic; i++ {
		for j := 0; j <= i; j++ {
			half := float64(math.Abs(float64(fn.Q[k])) / 2)
			magnitude[i] += half
			magnitude[j] += half
			k++
		}
	}
	for r := range fn.rank() {
		u := fn.Factors[r*len(magnitude):][:len(magnitude)]
		sum := 0.0
		for _, a := range u {
			sum += math.Abs(float64(a))
		}
		for i, a := range u { // the square has the products u[i]·u[j], for all j
			magnitude[i] += float64(math.Abs(float64(a)) * sum)
		}
	}
	sum := 0.0
	for _, m := range magnitude {
		sum += m
	}
	for i, m := range magnitude {
		if m > 0 {
			yield(fn.list()[i], m/sum)
		}
	}
}

// Format formats the function with the given feature names, such as "petal length −
// 0.5·sepal width", or "0" if all its coefficients are 0. Features without a name
// are x0, x1, …. Numbers have at most the given significant digits; 0 means six.
func (fn *Function) Format(names []string, digits int) string {
	var b strings.Builder
	for term := range fn.Terms(names, digits) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(term)
	}
	if b.Len() == 0 {
		return "0"
	}
	return b.String()
}

// Terms iterates over the nonzero terms of the function, such as "petal length" and
// "− 0.5·sepal width", as [Function.Format] writes them: linear terms first, then
// squares and products, then the bias. A LowRank's squares are those of sums, such as
// "− (a − 2·b + 0.5)²", with the centre multiplied out; sums of more than five
// terms are cut to "(a − 2·b + c + d + … (9 terms))²".
func (fn *Function) Terms(names []string, digits int) iter.Seq[string] {
	return func(yield func(string) bool) {
		first := true
		for c, product := range fn.terms(names, digits) {
			if c == 0 {
				continue
			}
			if !yield(formatTerm(c, product, first, digits)) {
				return
			}
			first = false
		}
	}
}

// terms iterates over all terms of the function: coefficients with what they are
// multiplied by, which is empty for the bias.
func (fn *Function) terms(names []string, digits int) iter.Seq2[float64, string] {
	return func(yield func(float64, string) bool) {
		bias := float64(fn.Bias)
		for i, j := range fn.list() {
			if !yield(float64(fn.Weights[i]), featureName(names, j)) {
				return
			}
			if fn.Kind == LowRank {
				bias -= float64(float64(fn.Weights[i]) * float64(fn.Centre[i]))
			}
		}
		for i, k := 0, 0; i < len(fn.Features) && fn.Kind == Quadratic; i++ {
			for j := 0; j <= i; j++ {
				product := featureName(names, fn.Features[j]) + "·" + featureName(names, fn.Features[i])
				if i == j {
					product = featureName(names, fn.Features[i]) + "²"
				}
				if !yield(float64(fn.Q[k]), product) {
					return
				}
				k++
			}
		}
		for r := range fn.rank() {
			sign := 1.
			if r >= fn.Positive {
				sign = -1
			}
			if sum := fn.formatRow(r, names, digits); sum != "" && !yield(sign, "("+sum+")²") {
				return
			}
		}
		yield(bias, "")
	}
}

// rowTerms is how many terms of a sum in a square are written out if it has at least two
// more.
const rowTerms = 4

// formatRow formats row r of a LowRank's Factors as the sum whose square is a term, with
// the sign that makes its first term positive. It is empty if the row is 0.
func (fn *Function) formatRow(r int, names []string, digits int) string {
	var coefficients []float64
	var products []string
	add := func(c float64, product string) {
		if c != 0 {
			coefficients, products = append(coefficients, c), append(products, product)
		}
	}
	constant := 0.0
	k := len(fn.Features)
	for i, a := range fn.Factors[r*k:][:k] {
		add(float64(a), featureName(names, fn.Features[i]))
		constant -= float64(float64(a) * float64(fn.Centre[i]))
	}
	add(constant, "")
	n := len(coefficients)
	if n == 0 {
		return ""
	}
	sign, shown := math.Copysign(1, coefficients[0]), n
	if n > rowTerms+1 {
		shown = rowTerms
	}
	var terms []string
	for i, c := range coefficients[:shown] {
		terms = append(terms, formatTerm(sign*c, products[i], i == 0, digits))
	}
	if shown < n {
		terms = append(terms, fmt.Sprintf("+ … (%d terms)", n))
	}
	return strings.Join(terms, " ")
}

// formatTerm formats a coefficient times a product, or the coefficient alone if product
// is empty, with its sign. The first term has a sign only if it is negative.
func formatTerm(c float64, product string, first bool, digits int) string {
	sign := ""
	switch {
	case c < 0 && first:
		sign = "−"
	case c < 0:
		sign = "− "
	case !first:
		sign = "+ "
	}
	switch magnitude := number(math.Abs(c), digits); {
	case product == "":
		return sign + magnitude
	case magnitude == "1":
		return sign + product
	default:
		return sign + magnitude + "·" + product
	}
}

// validSplit reports whether a node may have the split number, in a tree over p features
// with the given number of stored functions.
func validSplit(split int32, p, functions int) bool {
	return split >= 0 && slot(split, p) < p+functions && (split >= firstStored || int(split&^missingLeft) < p)
}

// validate checks that every function can be computed on rows of p features. Functions
// must not share numbers, so that the time is linear in the size of the pool.
func (s *Pool) validate(p int) error {
	if len(s.functions) > firstStored || len(s.numbers) > math.MaxInt32 || len(s.features) > math.MaxInt32 {
		return fmt.Errorf("%d split functions of %d numbers; want at most %d of %d", len(s.functions), len(s.numbers),
			firstStored, math.MaxInt32)
	}
	// ends of the feature lists, numbers and words so far; the function of the last list (kind Axis: none yet)
	lists, end, words, last := 0, 0, 0, stored{}
	for k, e := range s.functions {
		size := e.size()
		begin, length, held := &end, e.length(), len(s.numbers)
		if e.kind() == Set {
			begin, length, held = &words, e.words(), len(s.sets)
		}
		switch {
		case e.kind() == Axis || e.kind() >= kinds:
			return fmt.Errorf("split function %d is of kind %d; want %d to %d", k, e.kind(), Sparse, kinds-1)
		case int(e.Numbers) != *begin || length > held-*begin:
			return fmt.Errorf("the numbers of split function %d begin at %d and are %d; want them to begin at %d, and there "+
				"are %d",
				k, e.Numbers, length, *begin, held)
		case e.kind() == Dense && (size > p || e.Features != 0):
			return fmt.Errorf("split function %d combines the first %d of %d features", k, size, p)
		}
		*begin += length
		if err := e.checkPositive(s.numbers[:end]); err != nil {
			return fmt.Errorf("split function %d %w", k, err)
		}
		if e.kind() == Dense || last.kind() != Axis && e.Features == last.Features && size == last.size() {
			continue
		}
		if int(e.Features) != lists || size > len(s.features)-lists {
			return fmt.Errorf("the features of split function %d begin at %d and are %d; want them to begin at %d, and there "+
				"are %d",
				k, e.Features, size, lists, len(s.features))
		}
		lists += size
		last = e
		if err := checkFeatures(s.list(e), p); err != nil {
			return fmt.Errorf("split function %d %w", k, err)
		}
	}
	if lists != len(s.features) || end != len(s.numbers) {
		return fmt.Errorf("split functions end at feature %d and number %d; there are %d and %d", lists, end, len(s.features),
			len(s.numbers))
	}
	if words != len(s.sets) {
		return fmt.Errorf("sets end at word %d; there are %d", words, len(s.sets))
	}
	for i, w := range s.numbers {
		if !finite(w) {
			return fmt.Errorf("number %d of the split functions is %v; want a finite one", i, w)
		}
	}
	return nil
}

// checkPositive returns an error if the function is a LowRank and the last of numbers isn't
// its Positive, from 0 to the rank, or if it has squares of no features.
func (s stored) checkPositive(numbers []float32) error {
	if s.kind() != LowRank {
		return nil
	}
	r, positive := s.rank(), numbers[len(numbers)-1]
	if r > 0 && s.size() == 0 {
		return fmt.Errorf("has %d squares of no features", r)
	}
	if !(positive >= 0 && positive <= float32(r)) ||
		math.Float32bits(positive) != math.Float32bits(float32(int(positive))) {
		return fmt.Errorf("has %v positive squares; want a whole number from 0 to %d", positive, r)
	}
	return nil
}

// checkFeatures returns an error unless the features are ascending and below p.
func checkFeatures(features []int32, p int) error {
	last := int32(-1)
	for _, j := range features {
		if j <= last || int64(j) >= int64(p) {
			return fmt.Errorf("has feature %d after %d; want ascending below %d", j, last, p)
		}
		last = j
	}
	return nil
}
