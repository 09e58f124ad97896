package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestExtremes(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			w.use()
			defer w.restore()
			rapid.Check(t, func(t *rapid.T) {
				values := rapid.SliceOfN(rapid.Float32Range(-1e38, 1e38), 1, 40).Draw(t, "values")
				least, greatest := Extremes(values)
				if least != slices.Min(values) || greatest != slices.Max(values) {
					t.Fatalf("%v and %v", least, greatest)
				}
			})
			for n := range 40 { // wherever they are
				for at := range n {
					values := make([]float32, n)
					values[at] = 1
					values[(at+n/2)%n] = -1
					if least, greatest := Extremes(values); least != -1 || n > 1 && greatest != 1 {
						t.Errorf("%v: %v and %v", values, least, greatest)
					}
				}
			}
		})
	}
}

func BenchmarkExtremes(b *testing.B) {
	values := normals(rand.New(rand.NewPCG(1, 2)), 1000)
	for b.Loop() {
		Extremes(values)
	}
}
