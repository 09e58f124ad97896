package forest

// GrowthRevision is the version of the algorithms by which this module grows trees. With
// the same data, parameters and seed, two revisions may grow different forests, so a cache
// of models (such as viz/once) must make the revision part of its keys.
const GrowthRevision = 13

// A Criterion is the impurity that a split is chosen to decrease.
type Criterion uint8

const (
	// Gini is 1 − Σ π_c² for classes; for values it means SquaredError, so that
	// the zero value suits both.
	Gini         Criterion = iota
	Entropy                // −Σ π_c ln π_c; for classes only
	SquaredError           // variance; for values only
)

// A Growth holds the parameters that all top-down learners share; they embed it. The
// zero value grows trees until every leaf is pure or its rows have equal features. Class
// weights belong to the data; see [datasets.Dataset.WeightClasses].
type Growth struct {
	Criterion Criterion

	MaxDepth int // most splits on a path from root to leaf; 0 means no limit
	MinSplit int // fewest rows of a node that is split, counted as often as drawn; 0 means 2
	MinLeaf  int // fewest rows on either side of a split, counted as often as drawn; 0 means 1
}
