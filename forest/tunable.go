package forest

import "github.com/obliqua-ml/obliqua/datasets"

// A Tunable is a [Learner] with settings to choose from, for instance by eval.Tune. The learners whose papers tune them
// are tunable.
type Tunable interface {
	Learner

	// Grid returns the settings to tune over for the training data, of which it looks at the number of features and the
	// targets at most. They are of the learner's own type, differ from each other, and have its other fields.
	Grid(train *datasets.Dataset) []Learner
}
