package gpu

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/obliqua-ml/obliqua/forest"
)

// The kinds of unit, which kernels/obliqua.cu describes.
const (
	unitClass = iota
	unitDist
	unitValue
	unitLinear
	unitAxis
	unitNear
	unitFar
	unitQuadratic
	unitLowRank
	unitPlane
)

// maxNear is the largest number of features of a combination that is stored with its node.
// Longer ones, which nodes may share, are apart.
const maxNear = 8

// maxTerms is the largest number m of a unit.
const maxTerms = 1<<28 - 1

// A unit is an element of a packed tree. The first element holds a kind and 16·m.
type unit [4]int32

// A packed tree is a tree in the form that the kernels read.
type packed struct {
	units     []unit
	functions []int32   // combinations that aren't stored with their nodes, and all other functions
	shares    []float32 // class proportions of mixed leaves, a row for each
	models    []int32   // scores of linear leaves
	scores    int       // the most scores of a linear leaf

	// If planes isn't 0, the tree's splits are so many planes over the same m features.
	// functions then holds the features, the planes' thresholds and their weights, as the
	// kernel multiply reads them, and planes is a multiple of 8.
	planes, m int
}

// bytes returns the size of what a walk down the tree reads.
func (p *packed) bytes() int64 {
	return 4 * int64(4*len(p.units)+len(p.functions)+len(p.shares)+len(p.models))
}

// A packer packs one tree.
type packer struct {
	packed
	tree  *forest.Tree
	at    []int32 // by node: its first unit
	place []int32 // by stored function: where it is in functions, −1 if it isn't yet
}

// pack packs a tree. choice says whether its planes are multiplied first. The error names
// what the kernels don't know, or says that the tree is too large.
func pack(t *forest.Tree, choice planesFirst) (*packed, error) {
	p := &packer{tree: t}
	if choice.of(t) {
		if err := p.packPlanes(); err != nil {
			return nil, err
		}
		return &p.packed, nil
	}
	if err := p.placeNodes(); err != nil {
		return nil, err
	}
	p.place = make([]int32, t.Splits.Len())
	for k := range p.place {
		p.place[k] = -1
	}
	for i := range t.Nodes {
		if err := p.add(i); err != nil {
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
	}
	return &p.packed, p.checkSize()
}

// checkSize returns an error if a place in the packed tree needs more than 31 bits.
func (p *packer) checkSize() error {
	if largest := max(len(p.units), len(p.functions), len(p.models)); largest > math.MaxInt32 {
		return fmt.Errorf("%d units, %d numbers of functions and %d of models; want at most %d of each",
			len(p.units), len(p.functions), len(p.models), math.MaxInt32)
	}
	return nil
}

// near returns how many units the terms of a split take that are stored with it.
func near(fn *forest.Function) int {
	if (fn.Kind == forest.Sparse || fn.Kind == forest.Dense) && len(fn.Weights) <= maxNear {
		return (len(fn.Weights) + 1) / 2
	}
	return 0
}

func (p *packer) placeNodes() error {
	p.at = make([]int32, len(p.tree.Nodes))
	size := 0
	for i, n := range p.tree.Nodes {
		p.at[i] = int32(size)
		size++
		if !n.IsLeaf() {
			fn := p.tree.Splits.At(n.Split)
			size += near(&fn)
		}
		if size > math.MaxInt32 {
			return fmt.Errorf("more than %d units", math.MaxInt32)
		}
	}
	p.units = make([]unit, 0, size)
	return nil
}

// add appends the units of a node.
func (p *packer) add(i int) error {
	n := &p.tree.Nodes[i]
	if n.IsLeaf() {
		return p.addLeaf(i)
	}
	fn := p.tree.Splits.At(n.Split)
	if len(fn.Weights) > maxTerms {
		return fmt.Errorf("a split of %d features; want at most %d", len(fn.Weights), maxTerms)
	}
	kind, known := unitOf[fn.Kind]
	place := int32(0)
	switch {
	case !known:
		return fmt.Errorf("split functions of kind %d aren't supported", fn.Kind)
	case kind == unitAxis:
		place = fn.Features[0]
	case kind == unitFar && len(fn.Weights) <= maxNear:
		kind = unitNear
	default:
		place = p.function(n.Split, &fn)
	}
	p.units = append(p.units, unit{head(kind, len(fn.Weights)), bits(n.Value), p.at[n.Next], place})
	if kind == unitNear {
		terms := append(addTerms(nil, fn.Features, fn.Weights), 0, 0) // the last unit may lack a pair
		for k := range near(&fn) {
			p.units = append(p.units, unit(terms[4*k:]))
		}
	}
	return nil
}

// unitOf has the kind of unit of a split, if its function isn't stored with it.
var unitOf = map[forest.Kind]int{forest.Axis: unitAxis, forest.Sparse: unitFar, forest.Dense: unitFar,
	forest.Quadratic: unitQuadratic, forest.LowRank: unitLowRank}

func head(kind, m int) int32 { return int32(kind | m<<4) }

func bits(v float32) int32 { return int32(math.Float32bits(v)) }

// addBits appends the bits of numbers.
func addBits(dst []int32, numbers ...float32) []int32 {
	return append(dst, unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers))...)
}

// addTerms appends a combination's features and weights, in pairs.
func addTerms(dst, features []int32, weights []float32) []int32 {
	for k, j := range features {
		dst = append(dst, j, bits(weights[k]))
	}
	return dst
}

// function returns where a function is in p.functions, and puts it there if it isn't yet.
func (p *packer) function(split int32, fn *forest.Function) int32 {
	k, _ := p.tree.Splits.Place(split)
	if p.place[k] >= 0 {
		return p.place[k]
	}
	p.place[k] = int32(len(p.functions))
	b := p.functions
	switch fn.Kind {
	case forest.Quadratic:
		b = addBits(append(b, fn.Features...), fn.Weights...)
		b = addBits(addBits(b, fn.Q...), fn.Bias)
	case forest.LowRank:
		squares := 0
		if len(fn.Weights) > 0 {
			squares = len(fn.Factors) / len(fn.Weights)
		}
		b = addBits(append(b, fn.Features...), fn.Weights...)
		b = addBits(addBits(b, fn.Centre...), fn.Bias)
		b = addBits(append(b, int32(squares), int32(fn.Positive)), fn.Factors...)
	default:
		b = addTerms(b, fn.Features, fn.Weights)
	}
	if len(b)%2 == 1 {
		b = append(b, 0) // the terms of combinations begin at multiples of 8 bytes
	}
	p.functions = b
	return p.place[k]
}

// addLeaf appends the unit of a leaf.
func (p *packer) addLeaf(i int) error {
	l := p.tree.Leaf(i)
	u := unit{0, int32(i), 0, 0}
	switch l.Kind {
	case forest.LeafClass:
		u[0], u[2] = head(unitClass, 0), l.Class
	case forest.LeafDist:
		u[0], u[2] = head(unitDist, 0), int32(len(p.shares)/len(l.Dist))
		u[3] = int32(slices.Index(l.Dist, slices.Max(l.Dist)))
		p.addShares(l.Dist)
	case forest.LeafValues:
		u[0], u[2] = head(unitDist, 0), int32(len(p.shares)/len(l.Dist))
		p.shares = append(p.shares, l.Dist...)
	case forest.LeafValue:
		u[0], u[3] = head(unitValue, 0), bits(l.Value)
	case forest.LeafLinear:
		u[0], u[2] = head(unitLinear, len(l.Scores)), int32(len(p.models))
		p.scores = max(p.scores, len(l.Scores))
		for _, s := range l.Scores {
			p.models = addTerms(append(p.models, s.Class, bits(s.Bias), int32(len(s.Features))), s.Features, s.Weights)
		}
	default:
		return fmt.Errorf("leaves of kind %d aren't supported", l.Kind)
	}
	p.units = append(p.units, u)
	return nil
}

// addShares appends the class weights divided by their sum, rounded as package forest does.
func (p *packer) addShares(dist []float32) {
	var sum float32
	for _, w := range dist {
		sum += w
	}
	for _, w := range dist {
		p.shares = append(p.shares, w/sum)
	}
}

// planesFirst says for which trees all planes are multiplied by all rows, before rows go
// down the tree: where that is cheaper or, for tests, wherever it is possible or nowhere.
type planesFirst int

const (
	ifCheaper planesFirst = iota
	always
	never
)

// walkedProduct returns how many times as long a product of a row and a plane takes if a thread meets it on its way
// down a tree as if a block computes it for many rows and planes. It was measured on an H100: 3.2 with 20 features and
// 5.6 with two, where a row's cells are in shared memory, and 25 with 784, where they aren't.
func walkedProduct(features int) float64 {
	if 4*threads*features <= tileBytes {
		return 4
	}
	return 25
}

// of reports whether the planes of a tree are multiplied first. That is possible if all
// splits are combinations of the same features, and each function has one threshold.
func (choice planesFirst) of(t *forest.Tree) bool {
	if choice == never || t.Splits.Len() == 0 {
		return false
	}
	var first forest.Function
	thresholds := make([]float32, t.Splits.Len())
	seen := make([]bool, len(thresholds))
	depth := make([]int32, len(t.Nodes))
	var sum, weight float64
	for i, n := range t.Nodes {
		if n.IsLeaf() {
			sum += float64(depth[i]) * float64(n.Weight)
			weight += float64(n.Weight)
			continue
		}
		depth[i+1], depth[n.Next] = depth[i]+1, depth[i]+1
		k, stored := t.Splits.Place(n.Split)
		if !stored {
			return false
		}
		if seen[k] {
			if thresholds[k] != n.Value {
				return false
			}
			continue
		}
		fn := t.Splits.At(n.Split)
		if i == 0 {
			first = fn
		}
		if !fn.Kind.Linear() || len(fn.Weights) == 0 || !slices.Equal(fn.Features, first.Features) {
			return false
		}
		seen[k], thresholds[k] = true, n.Value
	}
	if slices.Contains(seen, false) {
		return false
	}
	return choice == always || float64(len(seen))*weight <= walkedProduct(len(first.Features))*sum
}

// panel is how many planes have their weights side by side.
const panel = 16

// packPlanes packs a tree whose planes are multiplied first.
func (p *packer) packPlanes() error {
	t := p.tree
	count := t.Splits.Len()
	var fn forest.Function
	for _, fn = range t.Splits.All() {
		break // all have the same features
	}
	p.m, p.planes = len(fn.Weights), (count+7)&^7
	panels := (p.planes + panel - 1) / panel
	if p.m*panels*panel > math.MaxInt32 {
		return fmt.Errorf("%d planes of %d features; want at most %d weights", count, p.m, math.MaxInt32)
	}
	p.functions = make([]int32, p.m+p.planes+p.m*panels*panel)
	copy(p.functions, fn.Features)
	thresholds, weights := p.functions[p.m:][:p.planes], p.functions[p.m+p.planes:]
	for split, fn := range t.Splits.All() {
		k, _ := t.Splits.Place(split)
		for j, w := range fn.Weights {
			weights[(k/panel*p.m+j)*panel+k%panel] = bits(w)
		}
	}
	for i, n := range t.Nodes {
		if n.IsLeaf() {
			if err := p.addLeaf(i); err != nil {
				return fmt.Errorf("node %d: %w", i, err)
			}
			continue
		}
		k, _ := t.Splits.Place(n.Split)
		thresholds[k] = bits(n.Value)
		p.units = append(p.units, unit{head(unitPlane, 0), int32(k), n.Next, 0})
	}
	return p.checkSize()
}
