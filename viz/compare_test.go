package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest/eval"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

func bees() Beeswarm {
	return Beeswarm{Title: "Differences", X: "κ", Names: []string{"one <&>", "two", "none"},
		Points: []string{"iris", "wine", "glass", "sonar"}, Limit: 0.1,
		Values: [][]float64{{0.01, 0.01, -0.3, math.NaN()}, {0.05, 0.2, 0.15, 0.3}, {math.Inf(1)}}}
}

func critical() CriticalDifference {
	return CriticalDifference{Title: "CD", Methods: []string{"worst <&>", "best", "middle", "other"},
		Ranks: []float64{3.75, 1, 2.25, 3}, Difference: 1.5,
		Groups: [][]int{{1, 2}, {2, 3, 0}}}
}

// TestSwarm: points don't overlap, and none could be nearer to the middle when it was placed.
func TestSwarm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		diameter := rapid.Float64Range(1, 8).Draw(t, "diameter")
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 60),
			rapid.Map(rapid.IntRange(0, 10), func(v int) float64 { return 6 * float64(v) })), 1, 60).Draw(t, "x")
		slices.Sort(x)
		points := make([]bee, len(x))
		for i := range points {
			points[i].x = x[i]
		}
		most := swarm(points, diameter)
		free := func(i int, above float64) bool {
			for _, other := range points[:i] {
				if math.Hypot(x[i]-other.x, above-other.above) < diameter-1e-9 {
					return false
				}
			}
			return true
		}
		farthest := 0.0
		for i, p := range points {
			if !free(i, p.above) {
				t.Fatalf("point %d of %v overlaps another", i, points)
			}
			for step := range 40 {
				nearer := math.Abs(p.above) * float64(step) / 40
				if above := math.Abs(p.above) - nearer; above > 1e-6 && (free(i, nearer) || free(i, -nearer)) {
					t.Fatalf("point %d of %v fits at ±%v", i, points, nearer)
				}
			}
			farthest = max(farthest, math.Abs(p.above))
		}
		if most != farthest {
			t.Fatalf("most %v, farthest %v", most, farthest)
		}
	})
}

// TestBeesStayInTheirRow: with 100 equal points, too. They overlap only if they must.
func TestBeesStayInTheirRow(t *testing.T) {
	spread := make([]float64, 100)
	for i := range spread {
		spread[i] = float64(i%37) / 100
	}
	for i, c := range []struct {
		values []float64
		room   float64
		least  float64 // radius
	}{{make([]float64, 100), 25, 1}, {spread, 25, 3.2}, {spread, 8, 2}, {[]float64{1}, 25, beeRadius}} {
		b := Beeswarm{Names: []string{"a"}, Values: [][]float64{c.values}}
		p := newPlot("", "")
		p.X.Min, p.X.Max = b.valueRange()
		groups, radius := b.layout(p, 440, c.room)
		if radius < c.least || len(groups[0]) != len(c.values) {
			t.Errorf("%d: radius %v of %d points", i, radius, len(groups[0]))
		}
		for _, bee := range groups[0] {
			if math.Abs(bee.above)+radius > c.room+1e-9 {
				t.Errorf("%d: a point is %v from the middle", i, bee.above)
			}
		}
	}
}

// TestBeesBeyond: points beyond the limit are at the edge, in columns of five outwards, and count in
// the median as they are.
func TestBeesBeyond(t *testing.T) {
	b := Beeswarm{Names: []string{"a"}, Limit: 1, Values: [][]float64{{-1, -7, 2, 3, 4, 5, 6, 7, 8, 1}}}
	p := newPlot("", "")
	p.X.Min, p.X.Max = b.valueRange()
	groups, _ := b.layout(p, 440, 50)
	at := map[float64]int{}
	for _, bee := range groups[0] {
		at[math.Round(100*bee.x)/100]++
	}
	left, right := p.X.Norm(-1)*440, p.X.Norm(1)*440
	for x, want := range map[float64]int{left: 2, right: 6, right + 2*beeRadius: 2} {
		if got := at[math.Round(100*x)/100]; got != want {
			t.Errorf("%d points at %v, want %d: %v", got, x, want, at)
		}
	}
	if last := right + 3*beeRadius; last > 440 {
		t.Errorf("points reach %v of 440", last)
	}
	if f := b.figure(); !strings.Contains(f.Alt, "a 3.5 of 10") || len(f.keys) != 2 {
		t.Errorf("%q, %d keys", f.Alt, len(f.keys))
	}
	if b.Limit = 8; len(b.figure().keys) != 1 {
		t.Error("a key of points beyond the largest")
	}
}

func TestLiveBees(t *testing.T) {
	option := string(bees().figure().option())
	contains(t, option, `"iris: 0.01"`, `"glass: −0.3"`, `"symbolRotate":-90`, `"symbolRotate":90`)
	if strings.Contains(option, `"two: 0.175"`) {
		t.Error("a median beyond the limit is drawn")
	}
}

func TestLiveCriticalDifference(t *testing.T) {
	contains(t, string(critical().figure().option()),
		`middle (2.25), no significant difference from best, other, worst`, `"critical difference 1.5"`,
		`[1,2.5,-52]`)
	wide := critical()
	wide.Difference = 9
	if text := wide.differenceText(); wide.differenceEnd() != 4 ||
		text != "critical difference 9, more than the axis has" {
		t.Errorf("%q", text)
	}
}

// TestDiagramIsClear: names are at least a line apart, the lines to names don't cross, and bars that
// are side by side are in different rows unless there is space between them.
func TestDiagramIsClear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "methods")
		d := CriticalDifference{Difference: rapid.Float64Range(0.1, 5).Draw(t, "difference")}
		for j := range n {
			d.Methods = append(d.Methods, fmt.Sprintf("method %d", j))
			d.Ranks = append(d.Ranks, rapid.OneOf(rapid.Float64Range(1, float64(n)),
				rapid.Map(rapid.IntRange(1, n), func(v int) float64 { return float64(v) })).Draw(t, "rank"))
		}
		d.Groups = eval.Cliques(d.Ranks, d.Difference)
		l := d.layout()
		if len(l.left)+len(l.right) != n || len(l.bars) != len(d.Groups) {
			t.Fatalf("%d and %d names of %d methods, %d bars of %d groups", len(l.left), len(l.right), n, len(l.bars),
				len(d.Groups))
		}
		for side, names := range [][]rankName{l.left, l.right} {
			for _, a := range names {
				for _, b := range names {
					if a != b && math.Abs(a.y-b.y) < nameStep {
						t.Fatalf("%v and %v overlap", a, b)
					}
					// The line to a's name passes the line down from b if that is nearer to the edge and longer.
					outside := d.Ranks[b.method] < d.Ranks[a.method]
					if side == 1 {
						outside = d.Ranks[b.method] > d.Ranks[a.method]
					}
					if outside && b.y > a.y {
						t.Fatalf("the line to %v crosses that to %v", a, b)
					}
				}
				for _, bar := range l.bars {
					if a.y < bar.y+10 || a.y+aboveAxis > l.height {
						t.Fatalf("%v is at the bar %v or below %v", a, bar, l.height)
					}
				}
			}
		}
		for i, a := range l.bars {
			for _, b := range l.bars[:i] {
				if a.y == b.y && a.lo <= b.hi && b.lo <= a.hi {
					t.Fatalf("bars %v and %v overlap", a, b)
				}
			}
		}
	})
}
