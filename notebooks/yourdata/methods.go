package yourdata

import (
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/ordered"
)

// Contenders returns the methods to compare on d, each with the given number of trees but auto, on tables that
// [datasets.Prepare] has prepared: a random forest, the baseline; the learner of package auto; extra trees; SPORF; and
// canonical correlation forests or, for regression, which those can't do, random rotation forests. All but the second
// have the parameters that their papers recommend. Leaves of their regression trees have five rows or more.
func Contenders(d *datasets.Dataset, trees int) []eval.Contender {
	var growth forest.Growth
	if d.Values != nil {
		growth.MinLeaf = 5
	}
	contender := func(name string, learner forest.Learner, oblique bool) eval.Contender {
		return eval.Contender{Name: name, Learner: forest.Pipeline(learner, datasets.Prepare{}), Oblique: oblique}
	}
	contenders := []eval.Contender{
		contender("random forest", rf.Learner{Trees: trees, Growth: growth}, false),
		{Name: "auto", Learner: auto.Learner{}, Oblique: true},
		contender("extra trees", rf.ExtraTrees{Trees: trees, Growth: growth}, false),
		contender("SPORF", sporf.Learner{Trees: trees, Growth: growth}, true),
	}
	if d.Values != nil {
		return append(contenders, contender("random rotations", rotation.Random{Trees: trees, Growth: growth}, true))
	}
	return append(contenders, contender("CCF", ccf.Learner{Trees: trees}, true))
}

// Sample returns d or, if it has more cells than that, as many of its rows, drawn at random, but
// at least 1000. So a comparison takes about the same time on any table.
func Sample(d *datasets.Dataset, cells int) *datasets.Dataset {
	rows := min(d.N(), max(1000, cells/d.P()))
	if rows == d.N() {
		return d
	}
	return d.Subset(ordered.Drawn(rows, d.N()))
}
