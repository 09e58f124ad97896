package grow

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
)

// A cut is the best threshold found so far in a node. Its score is the
// criterion's own, larger for better: less the impurity that is left times
// weight, up to a constant of the node. See worker.unsplit.
type cut struct {
	score     float64
	threshold float32
	perfect   bool // both sides are pure: no other cut can be better
}

// take makes the boundary after key at the best cut. It reports whether there
// was one, at ≥ 0.
func (c *cut) take(keys []key, at int, score float64, perfect bool) bool {
	if at < 0 {
		return false
	}
	*c = cut{score: score, threshold: midpoint(value(keys[at]), value(keys[at+1])), perfect: perfect}
	return true
}

// midpoint returns a threshold t with a ≤ t < b, for a < b: half-way where
// float32 can tell.
func midpoint(a, b float32) float32 {
	t := float32(float64(a)/2 + float64(b)/2)
	if !(t < b) || t < a {
		return a
	}
	return t
}

// Without weights, a key carries its row's class and how often it was drawn.
func payload(class int32, count uint16) uint32 { return uint32(class)<<16 | uint32(count) }
func classOf(payload uint32) uint32            { return payload >> 16 }
func countOf(payload uint32) int64             { return int64(payload & 0xffff) }

// insideRun reports whether the boundary after key i, whose value differs from
// the next one's, lies inside a run of one class. No best cut by Gini or entropy
// does (Fayyad and Irani 1992). tied tells whether key i has the value of the
// key before.
func insideRun(keys []key, i int, tied bool) bool {
	return !tied && classOf(uint32(keys[i])) == classOf(uint32(keys[i+1])) &&
		(i+2 == len(keys) || order(keys[i+1]) != order(keys[i+2]))
}

// scanGini2 searches the best cut of two classes, whose weighted Gini impurity
// is 2·n0·n1/n. Noisy nodes make every branch on a class a guess, so there is
// none; and no division but for a cut that is better than all before.
func (w *worker) scanGini2(keys []key, best *cut) bool {
	n, n1 := float64(w.total), float64(w.counts[1])
	minLeaf := float64(w.minLeaf)
	var l, l1 float64 // counts of the left side; of class 1 there
	at, least := -1, -best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c := uint32(k) & 0xffff
		l += float64(c)
		l1 += float64(c & -(uint32(k) >> 16))
		if order(k) == order(keys[i+1]) {
			continue
		}
		r, r1 := n-l, n1-l1
		if z := 2 * (l1*(l-l1)*r + r1*(r-r1)*l); z < least*(l*r) && l >= minLeaf && r >= minLeaf {
			least, at = z/(l*r), i
		}
	}
	return best.take(keys, at, -least, least == 0)
}

// scanGini searches the best cut of several classes by Gini impurity: the one
// with the largest Σ n_c²/n of both sides, whose sums it keeps up to date.
func (w *worker) scanGini(keys []key, best *cut) bool {
	left := w.left
	clear(left)
	var nl, sl, sr int64
	for _, c := range w.counts {
		sr += c * c
	}
	nr := w.total
	at, tied, most := -1, false, best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c, y := countOf(uint32(k)), classOf(uint32(k))
		sl += c * (2*left[y] + c)
		sr -= c * (2*(w.counts[y]-left[y]) - c)
		left[y] += c
		nl += c
		nr -= c
		if order(k) == order(keys[i+1]) {
			tied = true
			continue
		}
		if w.minLeaf == 1 && insideRun(keys, i, tied) {
			continue
		}
		tied = false
		if nl < w.minLeaf || nr < w.minLeaf {
			continue
		}
		if z := float64(sl)/float64(nl) + float64(sr)/float64(nr); z > most {
			most, at = z, i
		}
	}
	return best.take(keys, at, most, most == float64(w.total))
}

// scanEntropy searches the best cut by entropy, n·H = n ln n − Σ n_c ln n_c.
func (w *worker) scanEntropy(keys []key, best *cut) bool {
	f := w.xlogx
	left := w.left
	clear(left)
	var hl, hr float64
	var nl int64
	for _, c := range w.counts {
		hr += f[c]
	}
	nr := w.total
	at, tied, least := -1, false, -best.score
	for i := 0; i < len(keys)-1; i++ {
		k := keys[i]
		c, y := countOf(uint32(k)), classOf(uint32(k))
		l, r := left[y], w.counts[y]-left[y]
		hl += f[l+c] - f[l]
		hr += f[r-c] - f[r]
		left[y] += c
		nl += c
		nr -= c
		if order(k) == order(keys[i+1]) {
			tied = true
			continue
		}
		if w.minLeaf == 1 && insideRun(keys, i, tied) {
			continue
		}
		tied = false
		if nl < w.minLeaf || nr < w.minLeaf {
			continue
		}
		if z := f[nl] - hl + f[nr] - hr; z < least {
			least, at = z, i
		}
	}
	return best.take(keys, at, -least, false)
}

// scanWeighted searches the best cut of classes whose rows have weights. Keys
// carry the row's place in the node.
func (w *worker) scanWeighted(keys []key, best *cut) bool {
	left, right := w.left64, w.right64
	clear(left)
	copy(right, w.counts64)
	s, lo := w.bag, w.lo
	var wl float64
	var nl int64
	at, most := -1, best.score
	for i := 0; i < len(keys)-1; i++ {
		j := lo + int(uint32(keys[i]))
		y, c := s.labels[j], s.weight(j)
		left[y] += c
		right[y] -= c
		wl += c
		nl += int64(s.drawn[j])
		wr := w.weight - wl // 0 where the weights left are too small beside the others to count
		if order(keys[i]) == order(keys[i+1]) || nl < w.minLeaf || w.total-nl < w.minLeaf || wr <= 0 {
			continue
		}
		if z := -w.impurity(left, wl) - w.impurity(right, wr); z > most {
			most, at = z, i
		}
	}
	return best.take(keys, at, most, false)
}

// impurity returns the total weight times the impurity of classes with the
// given weights.
func (w *worker) impurity(classes []float64, total float64) float64 {
	var s float64
	if w.params.Growth.Criterion == forest.Entropy {
		for _, v := range classes {
			if v > 0 {
				s -= v * math.Log(v/total)
			}
		}
		return s
	}
	for _, v := range classes {
		s += v * v
	}
	return total - s/total
}

// scanValues searches the best cut of values by squared error: the one with the
// largest s²/w of both sides, s being the sum of the values less the node's
// mean, so that it is the same on both sides but for the sign.
func (w *worker) scanValues(keys []key, best *cut) bool {
	bag, lo := w.bag, w.lo
	var s, wl float64
	var nl int64
	at, most := -1, best.score
	for i := 0; i < len(keys)-1; i++ {
		j := lo + int(uint32(keys[i]))
		c := bag.weight(j)
		s += c * (bag.values[j] - w.mean)
		wl += c
		nl += int64(bag.drawn[j])
		wr := w.weight - wl
		if order(keys[i]) == order(keys[i+1]) || nl < w.minLeaf || w.total-nl < w.minLeaf || wr <= 0 {
			continue
		}
		if z := s * s * (1/wl + 1/wr); z > most {
			most, at = z, i
		}
	}
	return best.take(keys, at, most, false)
}
