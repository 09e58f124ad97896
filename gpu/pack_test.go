package gpu

import (
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A learner of every package is among the cases.
func TestCasesHaveAllMethods(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range forestCases() {
		tested[reflect.TypeOf(c.learner).PkgPath()] = true
	}
	for _, learner := range learners.All() {
		if method := reflect.TypeOf(learner).PkgPath(); !tested[method] {
			t.Errorf("%s grows forests that aren't compared with the CPU; add it to forestCases", method)
		}
	}
}

// The forests that are compared with the CPU have units of all kinds.
func TestCasesHaveAllKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("grows forests of all methods")
	}
	var count [unitPlane + 1]int
	for _, c := range forestCases() {
		f := c.fit(t, blobs(testRows, c.p, c.k, 2))
		for _, choice := range []planesFirst{always, never} {
			for i := range f.Trees {
				p := must.Value(pack(&f.Trees[i], choice))
				for k := 0; k < len(p.units); k++ {
					kind, m := p.units[k][0]&15, int(uint32(p.units[k][0])>>4)
					count[kind]++
					if kind == unitNear {
						k += (m + 1) / 2
					}
				}
			}
		}
	}
	for kind, n := range count {
		if n < 20 {
			t.Errorf("%d units of kind %d; want more", n, kind)
		}
	}
	t.Logf("units by kind: %v", count)
}
