package gpu

import "testing"

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
				p, err := pack(&f.Trees[i], choice)
				if err != nil {
					t.Fatal(err)
				}
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
