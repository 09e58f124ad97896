package forest_test

import (
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

// Grids hold different learners of the same type and seed, for any number of features.
func TestGridsVaryTheLearner(t *testing.T) {
	for _, l := range []forest.Tunable{
		rf.Learner{Seed: 9}, rf.HRF{Seed: 9}, sporf.Learner{Seed: 9}, sporf.FRC{Seed: 9}, graf.Learner{Seed: 9},
		ccf.Learner{Seed: 9}, oc1.Learner{Seed: 9}, rotation.Random{Seed: 9}, godt.Tree{Seed: 9}, godt.Learner{Seed: 9},
	} {
		for _, p := range []int{1, 2, 3, 16, 1000} {
			seen := map[forest.Learner]bool{}
			for _, s := range l.Grid(&datasets.Dataset{Columns: make([][]float32, p)}) {
				if reflect.TypeOf(s) != reflect.TypeOf(l) || reflect.ValueOf(s).FieldByName("Seed").Uint() != 9 || seen[s] {
					t.Errorf("%d features: %T%+v in the grid of %T", p, s, s, l)
				}
				seen[s] = true
			}
			if len(seen) == 0 || p == 1000 && len(seen) < 4 {
				t.Errorf("%T has %d settings for %d features", l, len(seen), p)
			}
		}
	}
}
