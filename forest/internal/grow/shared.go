package grow

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// A sharedSearch is the search of a large node by all workers that have nothing else
// to do, each taking one candidate after another. It finds the cut that a single
// worker finds, who searches the candidates in order, each for a better cut than the
// best so far.
//
// For most targets that is the cut with the best score or, of equal ones, that of the
// candidate that comes first. But scanGini2 compares scores without dividing: which
// of two it takes that differ by a rounding error depends on which came first. So,
// there, candidates whose scores differ by less than a margin are rivals, and rivals
// are searched again, in order. All others can be left out. For let two searches begin
// with different best cuts, neither within the margin of the final score. Up to there,
// each raises its best score in at most as many steps as there are cuts, and the
// margin is so wide that one of these steps is larger than rounding errors. Both
// searches take that cut, and from there on they are the same.
type sharedSearch struct {
	node       *Node
	team       *team
	room       int         // how many rows all searchers must have room for
	candidates []Candidate // copies; the first count of them are to be searched
	count      int
	margin     float64 // relative to a score
	start      bestCut // found before
	next       atomic.Int32
	perfect    atomic.Int32 // the lowest number of a candidate that has a perfect cut
	helpers    sync.WaitGroup

	mu     sync.Mutex
	best   bestCut
	number int32     // of the best cut's candidate; −1 for start
	values []float32 // of that candidate
	rivals []rival
}

// A rival is a candidate whose score comes near the best.
type rival struct {
	number int32
	score  float64
}

const (
	// Searches of fewer rows, or of less work in rows times coefficients of all
	// candidates, are not shared: they take less than some hundred microseconds.
	minSharedRows = 1 << 8
	minSharedWork = 1 << 17

	// At most so many candidates are copied at a time, or a few more coefficients.
	maxSharedCandidates   = 1 << 10
	maxSharedCoefficients = 1 << 16

	// roundingError is more than twice what scanGini2's comparison can be wrong by,
	// relative to a score.
	roundingError = 0x1p-48
)

// searchCollected does what searchDraw does: it collects candidates and has them
// searched many at a time; work is how many coefficients they have. Candidates whose
// threshold is drawn from the node's random numbers are searched alone, as soon as they
// are drawn.
func (w *worker) searchCollected(source Source, search func(w *worker, work int)) (reads int) {
	h, s := &w.shared, &w.searcher
	for ended := false; !ended && !s.best.perfect && !w.team.cancelled.Load(); {
		var random *Candidate
		var collected int
		random, collected, ended = h.collect(source, w.team)
		reads += collected
		search(w, collected)
		if random != nil && !s.best.perfect {
			reads += random.coefficients()
			s.try(random)
		}
	}
	return reads
}

// searchTogether searches the collected candidates with the help of workers that wait.
func (w *worker) searchTogether(work int) {
	h, s := &w.shared, &w.searcher
	if h.count > 1 && w.node.Len()*work >= minSharedWork {
		h.search(w)
		return
	}
	for i := 0; i < h.count && !s.best.perfect; i++ {
		s.try(&h.candidates[i])
	}
}

// collect copies the next candidates of a draw, up to one with a random threshold,
// which it returns. It returns how many coefficients the copies have, and whether the
// draw has no more candidates.
func (h *sharedSearch) collect(source Source, t *team) (random *Candidate, coefficients int, ended bool) {
	h.count = 0
	for h.count < maxSharedCandidates && coefficients < maxSharedCoefficients {
		c := source.Next()
		if c == nil || t.cancelled.Load() {
			return nil, coefficients, true
		}
		if c.Cut == Random {
			return c, coefficients, false
		}
		h.add(c)
		coefficients += c.coefficients()
	}
	return nil, coefficients, false
}

// add copies a candidate.
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
	h.helpers.Wait()
	s.best, s.found = h.start, found
	if !w.team.cancelled.Load() {
		h.decide(s)
	}
}

func (h *sharedSearch) begin(w *worker) {
	n, s := &w.node, &w.searcher
	h.node, h.team, h.room = n, w.team, s.room
	h.next.Store(0)
	h.perfect.Store(math.MaxInt32)
	h.start, h.best, h.number, h.rivals = s.best, s.best, -1, h.rivals[:0]
	h.values, s.winnerValues = s.winnerValues, sized(h.values, h.room)
	h.margin = 0
	if n.target.packed && n.target.classes == 2 && !n.target.entropy {
		h.margin = roundingError * float64(n.Len()) * float64(h.count)
	}
}

// help searches some of the candidates.
func (h *sharedSearch) help(s *searcher) {
	defer h.helpers.Done()
	s.begin(h.room, h.node.target)
	s.constants.leave() // its own tree is done
	s.searchShare(h, false)
}

// searchShare searches one candidate after another that no other searcher has taken,
// and tells h what it found. The owner of the search asks waiting workers to help.
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
	s.alike = false
	s.node, s.best, s.number, s.rivals = h.node, h.start, -1, s.rivals[:0]
}

// searchNumber searches a candidate whose number is higher than those of the candidates
// that s has searched before.
func (s *searcher) searchNumber(h *sharedSearch, number int32) {
	found := s.best
	found.score = h.near(found.score)
	if !s.search(&h.candidates[number], &found) {
		return
	}
	if h.near(found.score) > s.best.score {
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

// invite asks a worker that waits, if any, to help.
func (h *sharedSearch) invite() {
	h.helpers.Add(1)
	if !h.team.give(job{search: h}) {
		h.helpers.Done()
	}
}

// near returns the least score within the margin of the given one.
func (h *sharedSearch) near(score float64) float64 {
	if math.IsInf(score, -1) {
		return score
	}
	return score - float64(h.margin*math.Abs(score))
}

func (h *sharedSearch) lowerPerfect(number int32) {
	for old := h.perfect.Load(); number < old; old = h.perfect.Load() {
		if h.perfect.CompareAndSwap(old, number) {
			return
		}
	}
}

// merge takes over what a searcher found. The searcher gets other memory for the
// values of its winner.
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

// decide makes the best cut of all the searcher's. The searcher's best is the one
// found before.
func (h *sharedSearch) decide(s *searcher) {
	least := h.near(h.best.score)
	h.rivals = slices.DeleteFunc(h.rivals, func(r rival) bool { return r.score < least })
	if h.margin > 0 && (len(h.rivals) > 1 || len(h.rivals) == 1 && h.start.score >= least) {
		h.searchRivals(s)
		return
	}
	s.winnerValues, h.values = h.values, s.winnerValues
	if h.number >= 0 {
		s.best, s.found = h.best, true
		s.winner.keep(&h.candidates[h.number])
	}
}

// searchRivals searches the rivals in order.
func (h *sharedSearch) searchRivals(s *searcher) {
	slices.SortFunc(h.rivals, func(a, b rival) int { return int(a.number - b.number) })
	if s.found {
		s.node.project(s.winnerValues[:s.node.Len()], &s.winner.Function)
	}
	for _, r := range h.rivals {
		if s.best.perfect || h.team.cancelled.Load() {
			return
		}
		s.try(&h.candidates[r.number])
	}
}
