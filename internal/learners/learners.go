// Package learners lists the learners of this module.
package learners

import (
	"reflect"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
)

// All returns a zero value of every exported learner, sorted by the name of its type, such as "sporf.Learner".
func All() []forest.Learner {
	return []forest.Learner{
		auto.Learner{},
		boost.Learner{},
		ccf.Learner{},
		godt.Learner{},
		godt.Tree{},
		graf.Learner{},
		mix.Learner{},
		oblique.Learner{},
		oc1.Learner{},
		oc1.Tree{},
		rf.Bagging{},
		rf.CART{},
		rf.ExtraTrees{},
		rf.HRF{},
		rf.Learner{},
		rotation.Learner{},
		rotation.Random{},
		sporf.FRC{},
		sporf.Learner{},
		tao.Learner{},
	}
}

// With returns all learners with so many trees, or rounds of boosting, and a seed. A tree has no number of trees.
func With(trees int, seed uint64) []forest.Learner {
	all := All()
	for i, l := range all {
		v := reflect.New(reflect.TypeOf(l)).Elem()
		v.FieldByName("Seed").SetUint(seed)
		for _, name := range []string{"Trees", "Rounds"} {
			if f := v.FieldByName(name); f.IsValid() {
				f.SetInt(int64(trees))
			}
		}
		all[i] = v.Interface().(forest.Learner)
	}
	return all
}
