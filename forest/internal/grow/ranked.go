package grow

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// With values, and with more than two classes, the candidates of a large node are ranked
// before they are searched. The rows of each are counted into bins, which gives the score
// of the best cut between two bins, and an upper bound of the scores of all cuts. The
// candidate with the best such cut is searched first; then most others are ruled out by
// their bounds.
//
// The result is the cut that a search in the order of the draw finds: a score doesn't
// depend on the order, and of equal scores that of the earlier candidate wins.

// A ranked is a candidate that has a cut of about the score likely, and no cut with a score
// above bound.
type ranked struct {
	number        int32
	likely, bound float64
}

// minRankedRows is the number of rows from which ranking pays off. The values of a candidate
// that is searched after ranking are computed twice.
const minRankedRows = 200

// shouldRank reports whether the candidates of the node should be ranked.
func (n *Node) shouldRank() bool {
	return n.target.narrows && n.target.classes != 2 && n.Len() >= minRankedRows && n.drawn < 1<<32
}

// searchRanked ranks the collected candidates and searches those that aren't ruled out.
func (w *worker) searchRanked(int) {
	h, s := &w.shared, &w.searcher
	s.rank(h.candidates[:h.count])
	for _, r := range s.ranking {
		if r.bound > s.best.score-float64(math.Abs(s.best.score)*slack) && !w.team.cancelled.Load() {
			s.tryOutOfOrder(&h.candidates[r.number], r.number)
		}
	}
}

// rank sets s.ranking to the candidates in descending order of likely, without those whose
// values are constant. Candidates for which likely can't be computed come last.
func (s *searcher) rank(candidates []Candidate) {
	s.ranking = s.ranking[:0]
	s.number = -1
	for k := range candidates {
		r := ranked{number: int32(k), likely: math.Inf(-1), bound: math.Inf(1)}
		c := &candidates[k]
		if s.constants.has(c) {
			continue
		}
		if c.Cut == Search {
			data := s.node.cells.data
			if bounded, whole := data.traits(&c.Function); bounded && !whole &&
				!data.mayMiss(&c.Function) && !data.categorical(&c.Function) {
				values := s.values[:s.node.Len()]
				s.node.project(values, &c.Function)
				if r.likely, r.bound = s.likely(values); math.IsInf(r.bound, -1) {
					s.constants.add(c)
					continue
				}
			}
		}
		s.ranking = append(s.ranking, r)
	}
	slices.SortStableFunc(s.ranking, func(a, b ranked) int { return cmp.Compare(b.likely, a.likely) })
}

// likely returns the best score of a cut between two bins, and an upper bound of the
// scores of all cuts, except for rounding. The bound is −Inf if all values are equal, and
// Inf if it can't be computed.
func (s *searcher) likely(values []float32) (likely, bound float64) {
	low, high := kernel.Extremes(values)
	if low == high {
		return math.Inf(-1), math.Inf(-1)
	}
	clipped, to, ok := s.binning(values, low, high)
	switch classes := s.node.target.classes; {
	case !ok || to.count*classes > maxCells:
		return math.Inf(-1), math.Inf(1)
	case classes == 0:
		return s.likelyOfValues(s.fillValues(clipped, to))
	}
	return s.likelyOfClasses(s.countCells(clipped, to))
}

// tryOutOfOrder is try for candidates that aren't searched in the order of their numbers.
func (s *searcher) tryOutOfOrder(c *Candidate, number int32) {
	s.trial = s.best
	if number < s.number {
		s.trial.score = math.Nextafter(s.best.score, math.Inf(-1)) // so that an equal score wins
	}
	if !s.search(c, &s.trial) {
		return
	}
	s.best, s.found, s.number = s.trial, true, number
	s.keep(c, s.values)
	s.values, s.winnerValues = s.winnerValues, s.values
}
