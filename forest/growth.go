package forest

// GrowthRevision counts the changes of the rules by which the methods of this module grow
// trees. Models of different revisions may differ, although data, parameters and seed are
// the same, so what keeps models (such as viz/once) must not take one for the other.
const GrowthRevision = 1

// A Criterion is the impurity that a split is chosen to decrease.
type Criterion uint8

const (
	// Gini is 1 − Σ π_c² for classes; for values it stands for SquaredError,
	// so that the zero value suits both.
	Gini         Criterion = iota
	Entropy                // −Σ π_c ln π_c, for classes only
	SquaredError           // variance, for values only
)

// A Growth holds what all top-down learners have in common; they embed it. The zero
// value grows trees until every leaf is pure or its rows can't be told apart. Classes
// are weighted in the data; see [datasets.Dataset.WeightClasses].
type Growth struct {
	Criterion Criterion

	MaxDepth int // splits on the longest path; 0 means no limit
	MinSplit int // rows a node needs to be split, counted as often as drawn; 0 means 2
	MinLeaf  int // rows each side of a split needs, counted as often as drawn; 0 means 1
}
