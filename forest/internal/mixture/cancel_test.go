package mixture

import (
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

// What is fitted fails after the call was cancelled, within two more looks, and looks once a pass over the rows or
// more often.
func TestFitsEndWithTheirCall(t *testing.T) {
	q := &problem{}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 6 {
		column := make([]float32, 1100)
		for i := range column {
			column[i] = float32(rng.NormFloat64())
		}
		q.columns = append(q.columns, column)
	}
	for range 1100 {
		q.weight = append(q.weight, 1)
	}
	q.startAtHalves()
	all := Stop{Rounds: 20, Tolerance: -1}
	by := func(m method) func(r *Rows) bool {
		return func(r *Rows) bool {
			m1, m2 := q.starts(r)
			_, ok := m.fit(r, m1, m2, 0.01, all)
			return ok
		}
	}
	for name, c := range map[string]struct {
		fit   func(r *Rows) bool
		looks int // at least
	}{
		"shared diagonal":   {by(methods[0]), 20},
		"shared full":       {by(methods[1]), 20 + 1100/256},
		"separate diagonal": {by(methods[3]), 20 * 1100 / block},
		"separate full":     {by(methods[2]), 20 * (1100/block + 1100/256)},
		"K-means": {func(r *Rows) bool {
			m1, m2 := q.starts(r)
			return r.KMeans(m1, m2)
		}, 2},
		"first axis and median": {func(r *Rows) bool {
			axis, along := make([]float64, r.P()), make([]float64, r.N())
			r.FirstAxis(axis)
			r.Project(along, axis)
			_, ok := r.Median(along)
			return ok
		}, 3},
	} {
		whole := &calltest.Count{Left: 1 << 40}
		r := q.rows()
		if r.Call = whole; !c.fit(r) {
			t.Fatalf("%s: the fit failed", name)
		}
		if whole.Looks < c.looks {
			t.Errorf("%s: %d looks at the call; want %d or more", name, whole.Looks, c.looks)
		}
		for left := 0; left < whole.Looks; left += 1 + whole.Looks/50 {
			r, count := q.rows(), &calltest.Count{Left: left}
			if r.Call = count; c.fit(r) {
				t.Errorf("%s: cancelled at look %d of %d, the fit didn't fail", name, left, whole.Looks)
			}
			if count.After() > 3 {
				t.Errorf("%s: %d looks after the call was cancelled at look %d", name, count.After(), left)
			}
		}
	}
}
