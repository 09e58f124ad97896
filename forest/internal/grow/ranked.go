package grow

import (
	"cmp"
	"math"
	"slices"
)

// Candidates for values and for several classes are ranked before they are searched.
// Their rows are counted into bins, which gives the best cut between two bins and a
// bound for those within one. Searched first is the candidate with the best cut between
// bins; most others can't beat it then and are passed by.
//
// The cut that is found is the one found in the order of the draw: a score doesn't
// depend on the order, and of equal ones that of the earlier candidate counts.

// A ranked candidate has a cut of about the score likely, and none above bound.
type ranked struct {
	number        int32
	likely, bound float64
}

// minRankedRows is from how many rows on ranking pays: each candidate's values are
// computed once, those of the few that are searched twice.
const minRankedRows = 200

// ranks reports whether the candidates of the node should be ranked.
func (n *Node) ranks() bool {
	return n.target.narrows && n.target.classes != 2 && n.Len() >= minRankedRows && n.drawn < 1<<32
}

// searchRanked searches the collected candidates in the order of their ranks.
func (w *worker) searchRanked(int) {
	h, s := &w.shared, &w.searcher
	s.rank(h.candidates[:h.count])
	for _, r := range s.ranking {
		if r.bound > s.best.score-math.Abs(s.best.score)*slack && !w.team.cancelled.Load() {
			s.tryOutOfOrder(&h.candidates[r.number], r.number)
		}
	}
}

// rank puts candidates in the order of what they are likely to reach, and leaves out
// those with constant values. Those that can't be ranked come last.
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
			if bounded, whole := s.data.traits(&c.Function); bounded && !whole {
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

// likely returns the best score of a cut between two bins, and a bound that no cut's
// score is above, but for rounding: −Inf if all values are the same.
func (s *searcher) likely(values []float32) (likely, bound float64) {
	low, high := extremes(values)
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
	return s.likelyOfClasses(s.fillCells(clipped, to))
}

// tryOutOfOrder is try for candidates that don't come in the order of their numbers.
func (s *searcher) tryOutOfOrder(c *Candidate, number int32) {
	s.trial = s.best
	if number < s.number {
		s.trial.score = math.Nextafter(s.best.score, math.Inf(-1)) // an equal score is better
	}
	if !s.search(c, &s.trial) {
		return
	}
	s.best, s.found, s.number = s.trial, true, number
	s.winner.keep(c)
	s.values, s.winnerValues = s.winnerValues, s.values
}
