package rotation

import (
	"context"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// What draws a rotation looks at its call again and again, and does no more once it is cancelled.
func TestRotationsEndWithTheirCall(t *testing.T) {
	const q = 40
	d := table(90, q, 1)
	for name, c := range map[string]struct {
		draw  func(call parallel.Call)
		looks int // at least
	}{
		"haar": {func(call parallel.Call) {
			rng := forest.NewRand(1)
			haar(&rng, q, call)
		}, q - 1},
		"all of uniform": {func(call parallel.Call) {
			rng := forest.NewRand(1)
			newScaled(d, call).uniform(&rng)
		}, 3*q - 1},
		"components of all features": {func(call parallel.Call) {
			rng := forest.NewRand(1)
			newBlocks(newScaled(d, call), q).draw(&rng)
		}, 5 * q},
	} {
		whole := &calltest.Count{Left: 1 << 40}
		c.draw(whole)
		if whole.Looks < c.looks {
			t.Errorf("%s: %d looks at the call; want %d or more", name, whole.Looks, c.looks)
		}
		for left := range whole.Looks {
			count := &calltest.Count{Left: left}
			c.draw(count)
			if count.After() > 5 {
				t.Errorf("%s: %d looks after the call was cancelled at look %d of %d",
					name, count.After(), left, whole.Looks)
			}
		}
	}
}

// A forest of half a rotation is never returned, whenever its context ends.
func TestNoForestOfHalfARotation(t *testing.T) {
	d := table(30, 4, 1)
	for _, l := range []forest.Learner{Learner{Trees: 1}, Random{Trees: 1}} {
		whole := &calltest.Count{Left: 1 << 40}
		must.Value(l.Fit(whole.Context(t.Context()), d))
		want := must.Value(l.Fit(t.Context(), d))
		for left := range whole.Looks {
			count := &calltest.Count{Left: left}
			f, err := l.Fit(count.Context(context.Background()), d)
			if err == nil && !sameTrees(t, f, want) {
				t.Errorf("%T: another forest, cancelled at look %d of %d", l, left, whole.Looks)
			}
		}
	}
}

func sameTrees(t *testing.T, a, b *forest.Forest) bool {
	t.Helper()
	x, errX := a.MarshalBinary()
	y, errY := b.MarshalBinary()
	if errX != nil || errY != nil {
		t.Fatal(errX, errY)
	}
	return string(x) == string(y)
}

// More features than a rotation has room for are refused before it is made.
func TestTooManyFeatures(t *testing.T) {
	d := fittest.Wide(3, maxRotated+2)
	d.Columns[7] = []float32{1, 1, 1}
	for want, l := range map[string]forest.Learner{
		"8193 features that vary; want at most 8192": Random{Trees: 1},
		"SubsetFeatures 8193; want 0 to 8192":        Learner{Trees: 1, SubsetFeatures: maxRotated + 1},
	} {
		_, err := l.Fit(t.Context(), d)
		readtest.WantError(t, err, want)
	}
}
