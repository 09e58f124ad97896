package gpu

import (
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// Every package of forest/... that grows forests is among the cases.
func TestCasesHaveAllMethods(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range forestCases() {
		tested[path.Base(reflect.TypeOf(c.learner).PkgPath())] = true
	}
	files, err := filepath.Glob("../forest/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") && strings.Contains(string(text),
			") Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error)") {
			methods[filepath.Base(filepath.Dir(file))] = true
		}
	}
	for method := range methods {
		if !tested[method] {
			t.Errorf("forest/%s grows forests that aren't compared with the CPU; add it to forestCases", method)
		}
	}
	if len(methods) < 10 {
		t.Errorf("found %d methods; want at least 10", len(methods))
	}
	t.Logf("%d methods", len(methods))
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
