package forest_test

import (
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/learners"
)

// Grids hold different learners of the same type and seed, for any number of features.
func TestGridsVaryTheLearner(t *testing.T) {
	for _, learner := range learners.With(10, 9) {
		l, ok := learner.(forest.Tunable)
		if !ok {
			continue
		}
		for _, p := range []int{0, 1, 2, 3, 16, 1000} {
			seen := map[forest.Learner]bool{}
			for _, s := range l.Grid(&datasets.Dataset{Columns: make([][]float32, p)}) {
				if reflect.TypeOf(s) != reflect.TypeOf(l) || reflect.ValueOf(s).FieldByName("Seed").Uint() != 9 || seen[s] {
					t.Errorf("%d features: %T%+v in the grid of %T", p, s, s, l)
				}
				seen[s] = true
			}
			if len(seen) == 0 && p > 0 || p == 1000 && len(seen) < 4 {
				t.Errorf("%T has %d settings for %d features", l, len(seen), p)
			}
		}
	}
}
