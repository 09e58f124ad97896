package grow

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// A sharedSearch is the search of a large node by all idle workers. Each takes one
// candidate after another. The result is the cut that a single worker finds, which
// searches the candidates in order, each for a better cut than the best so far.
//
// For most targets this is the cut with the best score or, if scores are equal, that of
// the earliest candidate. But scanGini2 compares scores without dividing, so which of two
// nearly equal scores it takes depends on which comes first. Therefore, for that scan,
// candidates whose scores are within a margin of the best are called rivals, and the
// rivals are searched again, in order. Leaving out all other candidates doesn't change the
// result. To see why, let two searches begin with different best cuts, neither within the
// margin of the final score. Before it gets within the margin, each search raises its best
// score in at most as many steps as there are cuts, and the margin is so wide that one of
// these steps exceeds rounding errors. Both searches take that cut, and agree from there on.
type sharedSearch struct {
	node       *Node
	team       *team
	maxRows    int         // of the owner's searcher
	candidates []Candidate // copies; the first count of them are to be searched
	count      int
	margin     float64      // relative to a score
	start      bestCut      // the best cut before the search
	next       atomic.Int32 // number of the next candidate that no worker has taken
	perfect    atomic.Int32 // the lowest number of a candidate that has a perfect cut
	helpers    sync.WaitGroup
	helping    atomic.Int32 // number of helpers, for spin

	mu     sync.Mutex
	best   bestCut
	number int32     // of the best cut's candidate; −1 for start
	values []float32 // of that candidate
	rivals []rival
}

// A rival is a candidate whose score is within the margin of the best.
type rival struct {
	number int32
	score  float64
}

const (
	// Smaller searches are not shared, since they take less than some ten
	// microseconds. Work is the number of rows times that of the candidates' coefficients.
	minSharedRows = 1 << 8
	minSharedWork = 1 << 10

	// Candidates are copied until there are so many of them or of their coefficients.
	maxSharedCandidates   = 1 << 10
	maxSharedCoefficients = 1 << 16

	// roundingError is more than twice the largest rounding error of scanGini2's
	// comparison, relative to a score.
	roundingError = 0x1p-48
)

// searchCollected does what searchDraw does, but collects candidates and calls search for
// many at a time; work is the number of their coefficients. Candidates with a random
// threshold are searched one by one, as soon as they are drawn, because the threshold is
// drawn from the node's random numbers.
func (w *worker) searchCollected(source Source, search func(w *worker, work int)) (reads int) {
	h, s := &w.shared, &w.searcher
	for ended := false; !ended && !s.best.perfect && !w.team.cancelled.Load(); {
		var random *Candidate
		var collected int
		random, collected, ended = h.collect(source, w)
		reads += collected
		search(w, collected)
		if random != nil && !s.best.perfect {
			reads += random.coefficients()
			s.consider(random)
		}
	}
	return reads
}

// searchTogether searches the collected candidates, with the help of waiting workers if
// there is enough work.
func (w *worker) searchTogether(work int) {
	h, s := &w.shared, &w.searcher
	if h.count > 1 && w.node.Len()*work >= minSharedWork {
		h.search(w)
		return
	}
	for i := 0; i < h.count && !s.best.perfect; i++ {
		s.consider(&h.candidates[i])
	}
}

// collect copies the next candidates of a draw, but for repeated ones. It stops at one with a random threshold,
// which it returns. It also returns the number of the copies' coefficients, and whether the
// draw has ended.
func (h *sharedSearch) collect(source Source, w *worker) (random *Candidate, coefficients int, ended bool) {
	h.count = 0
	for h.count < maxSharedCandidates && coefficients < maxSharedCoefficients {
		c := source.Next()
		if c == nil || w.team.cancelled.Load() {
			return nil, coefficients, true
		}
		if c.Cut == Random {
			return c, coefficients, false
		}
		if seen := &w.searcher.constants; !w.node.target.rounds() {
			if seen.repeats(c, 0, false) {
				continue
			}
			seen.search(c, 0, false)
		}
		h.add(c)
		coefficients += c.coefficients()
	}
	return nil, coefficients, false
}

// add adds a copy of a candidate.
func (h *sharedSearch) add(c *Candidate) {
	if h.count == len(h.candidates) {
		h.candidates = append(h.candidates, Candidate{})
	}
	h.candidates[h.count].keep(c)
	h.count++
}

// search searches all candidates for a better cut than the searcher's best.
func (h *sharedSearch) search(w *worker) {
	s := &w.searcher
	found := s.found
	h.begin(w)
	s.searchShare(h, true)
	if !spin(func() bool { return h.helping.Load() == 0 }) {
		h.helpers.Wait()
	}
	s.best, s.found = h.start, found
	if !w.team.cancelled.Load() {
		h.decide(s)
	}
}

// rounds reports whether nodes of the target are searched by scanGini2.
func (t *Target) rounds() bool { return t.packed && t.classes == 2 && !t.entropy }

func (h *sharedSearch) begin(w *worker) {
	n, s := &w.node, &w.searcher
	h.node, h.team, h.maxRows = n, w.team, s.maxRows
	h.next.Store(0)
	h.perfect.Store(math.MaxInt32)
	h.start, h.best, h.number, h.rivals = s.best, s.best, -1, h.rivals[:0]
	h.values, s.winnerValues = s.winnerValues, Sized(h.values, h.maxRows)
	h.margin = 0
	if n.target.rounds() {
		h.margin = roundingError * float64(n.Len()) * float64(h.count)
	}
}

// help searches some of the candidates for the owner of the search.
func (h *sharedSearch) help(s *searcher) {
	defer h.leave()
	s.begin(h.maxRows, h.node.target)
	s.constants.leave() // the sets are those of the helper's own tree
	s.searchShare(h, false)
}

// searchShare searches one candidate after another that no other searcher has taken, and
// merges what it finds into h. The owner of the search also asks waiting workers to help.
func (s *searcher) searchShare(h *sharedSearch, owner bool) {
	s.beginShare(h)
	for !s.best.perfect && !h.team.cancelled.Load() {
		number := h.next.Add(1) - 1
		if int(number) >= h.count || number > h.perfect.Load() {
			break
		}
		if owner && int(number) < h.count-1 {
			h.invite()
		}
		s.searchNumber(h, number)
	}
	h.merge(s)
}

func (s *searcher) beginShare(h *sharedSearch) {
	s.allEqual = false
	s.node, s.best, s.number, s.rivals = h.node, h.start, -1, s.rivals[:0]
}

// searchNumber searches a candidate. Its number must be higher than those that s has
// searched before.
func (s *searcher) searchNumber(h *sharedSearch, number int32) {
	found := s.best
	found.score = h.leastRival(found.score)
	if !s.search(&h.candidates[number], &found) {
		return
	}
	if h.leastRival(found.score) > s.best.score {
		s.rivals = s.rivals[:0]
	}
	s.rivals = append(s.rivals, rival{number, found.score})
	if found.score > s.best.score {
		s.best, s.number = found, number
		s.values, s.winnerValues = s.winnerValues, s.values
	}
	if found.perfect {
		h.lowerPerfect(number)
	}
}

// invite asks a waiting worker to help, if there is one.
func (h *sharedSearch) invite() {
	h.helpers.Add(1)
	h.helping.Add(1)
	if !h.team.give(job{search: h}) {
		h.leave()
	}
}

// leave makes one helper fewer.
func (h *sharedSearch) leave() {
	h.helping.Add(-1)
	h.helpers.Done()
}

// leastRival returns the least score within the margin of the given one.
func (h *sharedSearch) leastRival(score float64) float64 {
	if math.IsInf(score, -1) {
		return score
	}
	return score - float64(h.margin*math.Abs(score))
}

// lowerPerfect lowers h.perfect to number, if it is higher.
func (h *sharedSearch) lowerPerfect(number int32) {
	for old := h.perfect.Load(); number < old; old = h.perfect.Load() {
		if h.perfect.CompareAndSwap(old, number) {
			return
		}
	}
}

// merge merges what a searcher found into h. It exchanges memory with the searcher
// instead of copying the values.
func (h *sharedSearch) merge(s *searcher) {
	if len(s.rivals) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rivals = append(h.rivals, s.rivals...)
	if s.number < 0 || s.best.score < h.best.score || s.best.score == h.best.score && s.number > h.number {
		return
	}
	h.best, h.number = s.best, s.number
	h.values, s.winnerValues = s.winnerValues, h.values
}

// decide sets the searcher's best cut to the result of the shared search. Before the call
// it must be the one from before the search.
func (h *sharedSearch) decide(s *searcher) {
	least := h.leastRival(h.best.score)
	h.rivals = slices.DeleteFunc(h.rivals, func(r rival) bool { return r.score < least })
	if h.margin > 0 && (len(h.rivals) > 1 || len(h.rivals) == 1 && h.start.score >= least) {
		h.searchRivals(s)
		return
	}
	s.winnerValues, h.values = h.values, s.winnerValues
	if h.number >= 0 {
		s.best, s.found = h.best, true
		s.keep(&h.candidates[h.number], s.winnerValues)
	}
}

// searchRivals searches the rivals again, in order.
func (h *sharedSearch) searchRivals(s *searcher) {
	slices.SortFunc(h.rivals, func(a, b rival) int { return int(a.number - b.number) })
	if s.found {
		s.node.project(s.winnerValues[:s.node.Len()], &s.winner.Function)
	}
	for _, r := range h.rivals {
		if s.best.perfect || h.team.cancelled.Load() {
			return
		}
		s.consider(&h.candidates[r.number])
	}
}
