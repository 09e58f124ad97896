package grow

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/dense"
)

// A categorical feature is divided by a set of its categories. Those of the node's rows are put in order, numbered, and
// cut as numbers are. With values they are ordered by mean, with two classes by share of the second: then no set is
// better than the best cut (Fisher, Journal of the American Statistical Association 53, 1958; Breiman, Friedman, Olshen
// and Stone 1984, theorem 4.5). With more classes the order is that of their class proportions along the first
// principal axis (Coppersmith, Hong and Hosking, Data Mining and Knowledge Discovery 3, 1999).
//
// Missing cells are one more category. Categories with fewer than leastRows rows in the node are taken together with
// them: what so few rows say is mostly chance, and by chance the best of many such categories would look good.
const leastRows = 2

// A grouping is the groups of categories that a node's rows have.
type grouping struct {
	number  []int32 // by category + 1, and 0 for missing cells: 1 + the number of those met before it, or 0
	met     []int32 // by that number: the index in number
	rows    []int32 // by that number
	group   []int32 // by that number
	count   int     // of groups
	weights []float64
	sums    []float64 // by group: of the target, or of each class
	place   []float32 // by group: in the order, or its side
	order   []placed
	axis    []float64
	along   []float64 // by group
}

// A placed is a group with its place on a line.
type placed struct {
	at    float64
	group int32
}

// categorical reports whether a function is a single feature with categories.
func (x *data) categorical(fn *forest.Function) bool {
	return x.categories != nil && fn.Kind == forest.Axis && x.categories[fn.Features[0]] != nil
}

// OneKind returns those of the features drawn for a combination that may be in it, in the same memory: if one of them,
// at random, is categorical, that one alone, and otherwise all that aren't.
func (n *Node) OneKind(features []int32) (kept []int32, categorical bool) {
	if n.categories == nil {
		return features, false
	}
	if j := features[n.rng.Intn(len(features))]; n.categories[j] != nil {
		return append(features[:0], j), true
	}
	return slices.DeleteFunc(features, func(j int32) bool { return n.categories[j] != nil }), false
}

// searchSets searches a categorical feature. It sets the values to 0 for rows that go left and 1 for the others.
func (s *searcher) searchSets(values []float32, c *Candidate, best *bestCut) (found bool) {
	n, g := s.node, &s.grouping
	n.Column(values, c.Features[0])
	if g.divide(values, len(n.categories[c.Features[0]])); g.count == 1 {
		s.constants.add(c)
		return false
	}
	if c.Cut == Random {
		g.drawSides(&n.rng)
	} else {
		g.sort(n, values)
	}
	for i, v := range values {
		values[i] = g.place[int(v)]
	}
	if c.Cut == Random {
		s.sided = Candidate{Function: c.Function, Cut: Given}
		found = s.searchGiven(values, &s.sided, best)
	} else {
		found = s.searchBetween(values, 0, float32(g.count-1), true, best)
	}
	if !found {
		return false
	}
	for i, v := range values {
		values[i] = 0
		if v > best.threshold {
			values[i] = 1
		}
	}
	best.threshold = 0.5
	return true
}

// divide groups the categories, whose numbers are the values, and replaces them by those of the groups.
func (g *grouping) divide(values []float32, categories int) {
	g.number = Sized(g.number, categories+1) // all 0: as it is made, and as divide leaves it
	g.met, g.rows, g.group = g.met[:0], g.rows[:0], g.group[:0]
	for i, v := range values {
		k := &g.number[int(v)+1]
		if *k == 0 {
			g.met, g.rows = append(g.met, int32(v)+1), append(g.rows, 0)
			*k = int32(len(g.met))
		}
		g.rows[*k-1]++
		values[i] = float32(*k - 1)
	}
	g.count = 0
	rest := int32(-1)
	for k, category := range g.met {
		g.number[category] = 0
		to := int32(g.count)
		if category == 0 || g.rows[k] < leastRows {
			if rest < 0 {
				rest = to
			}
			to = rest
		}
		g.group = append(g.group, to)
		g.count = max(g.count, int(to)+1)
	}
	g.place = Sized(g.place, g.count)
	if g.count == len(g.met) {
		return
	}
	for i, v := range values {
		values[i] = float32(g.group[int(v)])
	}
}

// drawSides divides the groups at random.
func (g *grouping) drawSides(rng *forest.Rand) {
	for mixed := false; !mixed; {
		for k := range g.place {
			g.place[k] = float32(rng.Intn(2))
			mixed = mixed || g.place[k] != g.place[0]
		}
	}
}

// sort sets the groups' places in the order of their targets. The values are the groups of the node's rows.
func (g *grouping) sort(n *Node, values []float32) {
	classes := n.target.classes
	width := classes
	if classes <= 2 {
		width = 1
	}
	g.weights, g.sums, g.along = Sized(g.weights, g.count), Sized(g.sums, g.count*width), Sized(g.along, g.count)
	clear(g.weights)
	clear(g.sums)
	for i, v := range values {
		k, w := int(v), n.Weight(i)
		g.weights[k] += w
		switch classes {
		case 0:
			g.sums[k] += n.deviations[i].sum
		case 2:
			g.sums[k] += float64(w * float64(n.Label(i)))
		default:
			g.sums[k*width+int(n.Label(i))] += w
		}
	}
	if width > 1 {
		g.project(n)
	} else {
		copy(g.along, g.sums)
	}
	g.order = g.order[:0]
	for k, v := range g.along {
		g.order = append(g.order, placed{v / g.weights[k], int32(k)})
	}
	slices.SortFunc(g.order, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.group, b.group))
	})
	for place, p := range g.order {
		g.place[p.group] = float32(place)
	}
}

// powers is how often the covariance is multiplied by a vector, to turn that towards the first principal axis.
const powers = 12

// project sets along to the groups' weights times their class proportions along the first principal axis of these, as
// deviations from the node's.
func (g *grouping) project(n *Node) {
	classes := n.target.classes
	g.axis = Sized(g.axis, classes)
	longest := 0.0
	for k, w := range g.weights {
		row, squares := g.sums[k*classes:][:classes], 0.0
		for c := range row { // times √w, so that the sum of squares is the covariance
			row[c] = (row[c] - float64(w*n.ClassWeight(int32(c)))/n.weight) / math.Sqrt(w)
			squares += float64(row[c] * row[c])
		}
		if k == 0 || squares > longest {
			longest = squares
			copy(g.axis, row)
		}
	}
	for range powers {
		dense.Dots(g.along, g.sums, classes, g.axis)
		length := 0.0
		for _, v := range g.along {
			length += float64(v * v)
		}
		if length == 0 {
			break
		}
		for k := range g.along {
			g.along[k] /= math.Sqrt(length)
		}
		clear(g.axis)
		dense.AddRows(g.axis, g.sums, classes, g.along)
	}
	dense.Dots(g.along, g.sums, classes, g.axis)
	for k, w := range g.weights {
		g.along[k] *= math.Sqrt(w)
	}
}

// makeSet makes the winner, a categorical feature, the set of the categories whose rows have the value 0. Those that no
// row has are where missing cells are or, if there are none, where more weight is.
func (s *searcher) makeSet(values []float32) {
	n, fn := s.node, &s.winner.Function
	words := (len(n.categories[fn.Features[0]]) + 31) / 32
	set, seen := Sized(fn.Categories, words), Sized(s.seen, words)
	clear(set)
	clear(seen)
	cells := memoryOf[float32](s.tmp)[:n.Len()]
	n.Column(cells, fn.Features[0])
	weight, missing := 0.0, false
	for i, v := range cells {
		left := values[i] == 0
		if left {
			weight += n.Weight(i)
		}
		if v < 0 {
			missing, fn.MissingLeft = true, left
			continue
		}
		c := int(v)
		seen[c/32] |= 1 << (c % 32)
		if left {
			set[c/32] |= 1 << (c % 32)
		}
	}
	if !missing {
		fn.MissingLeft = 2*weight > n.weight
	}
	others, end := uint32(0), 0
	if fn.MissingLeft {
		others = math.MaxUint32
	}
	for k := range set {
		if set[k] |= others &^ seen[k]; set[k] != others {
			end = k + 1
		}
	}
	fn.Kind, fn.Categories, s.seen = forest.Set, set[:end], seen
}
