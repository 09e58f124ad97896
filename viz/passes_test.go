package viz

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

func TestPassesInWords(t *testing.T) {
	got := Passes{Traces: []Trace{
		{Name: "free", Loss: []float64{9, 5, 4}, Penalty: []float64{1, 2, 4}},
		{Name: "strict", Loss: []float64{9, 7}, Penalty: []float64{1, 2}, Strict: 1},
	}}.figure().Alt
	want := "Objective\nObjective against pass. free: 10 at 1 to 8 at 3, lowest 7 at 2. strict: 10 at 1 to 9 at 2.\n" +
		"Loss\nLoss against pass. free: 9 at 1 to 4 at 3. strict: 9 at 1 to 7 at 2.\n" +
		"Penalty\nPenalty against pass. free: 1 at 1 to 4 at 3. strict: 1 at 1 to 2 at 2.\n" +
		"strict is strict from pass 1."
	if got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

// TestDotsOfStrictPasses: each strict pass adds a dot to each of the three panels, whose
// radius is 2.2 CSS pixels. The line is as long with and without.
func TestDotsOfStrictPasses(t *testing.T) {
	trace := Trace{Name: "a", Loss: make([]float64, 20), Penalty: make([]float64, 20)}
	for i := range trace.Loss {
		trace.Loss[i] = float64(20 - i)
	}
	last := 0
	for _, strict := range []int{0, 20, 10, 1} {
		trace.Strict = strict
		f := Passes{Traces: []Trace{trace}}.figure()
		f.Width, f.Height = 480, 200
		if len(f.keys) != 1+min(1, strict) {
			t.Errorf("strict from pass %d: %d keys", strict, len(f.keys))
		}
		n := count(picture(t, f), Palette[0])
		if n < last+30 {
			t.Errorf("strict from pass %d: %d pixels; with fewer strict passes %d", strict, n, last)
		}
		last = n
	}
}

// TestOddPasses: numbers that aren't finite leave gaps.
func TestOddPasses(t *testing.T) {
	trace := Trace{Loss: []float64{math.Inf(1), 3, math.NaN(), 2}, Penalty: make([]float64, 4), Strict: 1}
	for _, p := range []Passes{{Traces: []Trace{trace}}, {Traces: []Trace{{Loss: []float64{1}, Penalty: []float64{0}}}}} {
		var svg bytes.Buffer
		must.Do(p.figure().writeSVG(&svg))
		if s := svg.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%v: %s", p, s)
		}
	}
}

func TestMisuseOfPasses(t *testing.T) {
	one := []float64{1}
	for i, traces := range [][]Trace{
		nil, {{}}, {{Loss: one}}, {{Penalty: one}}, {{Loss: one, Penalty: []float64{1, 2}}},
		{{Loss: []float64{math.NaN()}, Penalty: one}}, {{Loss: one, Penalty: one, Strict: 2}},
		{{Loss: one, Penalty: one, Strict: -1}},
	} {
		expectPanic(t, i, Passes{Traces: traces})
	}
}
