// Package forest holds what all decision forests share: the [Tree], the
// [Forest] made of them, prediction and votes, out-of-bag estimates,
// importance, size, and a file format.
//
// The methods live in the packages below it, one a paper: forest/rf,
// forest/sporf, forest/graf, forest/oblique. Each is a [Learner]: a struct of
// parameters whose zero value is what its paper recommends.
package forest

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A Learner grows a forest from training data.
//
// Fit returns an error for data it can't learn from (missing or infinite
// cells, categorical columns, one class, no rows) and ctx's error soon after
// ctx is cancelled. The same learner, data and seed give the same forest,
// byte for byte, on any number of cores. Progress is reported to the function
// set by [WithProgress].
type Learner interface {
	Fit(ctx context.Context, train *datasets.Dataset) (*Forest, error)
}

// A Rule says how the trees of a forest decide together.
type Rule uint8

const (
	Plurality Rule = iota // each tree votes for the largest class of its leaf (classification)
	Average               // the trees' class proportions (classification) or values (regression) are averaged
	Consensus             // the class of the largest Σ log2(1 + proportion) over trees (Gupta et al., GRAF, eq. 22; classification)
	Sum                   // the trees' values are added to a base score, as boosting does; see Forest.Base
)

// A Link says what becomes of the sums of a forest whose rule is [Sum].
type Link uint8

const (
	Identity Link = iota // the sum is the predicted value
	Logit                // the sums are log-odds: the logistic function of one sum, for two classes, or the softmax of several are the probabilities
)

// A Forest is a trained ensemble of trees; a single tree is a forest of one.
// It is read-only after training and safe for concurrent use.
type Forest struct {
	Method   string   // the method that grew it, such as "sporf"
	Target   string   // name of the target
	Features []string // names of the p features that its trees split by
	Classes  []string // class names; nil for regression
	Rule     Rule
	Trees    []Tree
	Rows     int      // number of training rows
	Sampling Sampling // which of them each tree saw, …
	Seed     uint64   // … with what seed they were drawn

	// For the rule Sum alone, whose trees are trees of values. Base holds the score
	// that the trees' values are added to: one number for values and for two classes,
	// whose sum is the log-odds of the second; one for each of more classes, and
	// tree t then adds to class t modulo their number. Link is Identity for values
	// and Logit for classes.
	Base []float64
	Link Link

	// For a forest of a [Pipeline] alone: Columns are the columns of the table that it was
	// trained on and predicts, and Steps are the fitted steps that make the p features
	// of them.
	Columns []datasets.Feature
	Steps   datasets.Transform
}

// Schema returns what a table that the forest predicts has to look like: its columns,
// in order, with their categories, the target and the classes. It lets a file be read
// alike, see [datasets.CSV].
func (f *Forest) Schema() *datasets.Schema {
	columns := f.Columns
	if f.Steps == nil {
		columns = make([]datasets.Feature, f.P())
		for j, name := range f.Features {
			columns[j].Name = name
		}
	}
	return &datasets.Schema{Features: columns, Target: f.Target, Classes: f.Classes}
}

// sums reports whether trees give values and not classes.
func (r Rule) sums(classes int) bool { return classes == 0 || r == Sum }

// outputs returns how many sums a row has, where trees give values.
func (f *Forest) outputs() int {
	if f.Rule == Sum && len(f.Classes) > 2 {
		return len(f.Classes)
	}
	return 1
}

// treeClasses returns the number of classes of each tree.
func (f *Forest) treeClasses() int {
	if f.Rule.sums(len(f.Classes)) {
		return 0
	}
	return len(f.Classes)
}

// P returns the number of features.
func (f *Forest) P() int { return len(f.Features) }

// Regression reports whether the forest predicts values, not classes.
func (f *Forest) Regression() bool { return f.Classes == nil }

// Check returns the error that keeps the forest from predicting d. d must be a table
// with as many columns as the forest was trained on, of the same names in the same order
// (names are compared only where both have them); other columns give an error that wraps
// [datasets.ErrSchema]. What the forest's Steps make of them, or without steps the columns
// themselves, must not be categorical nor hold infinite or missing cells; a missing cell
// gives an error that wraps [datasets.ErrMissing]. d may have no rows, and its target
// doesn't matter.
func (f *Forest) Check(d *datasets.Dataset) error {
	_, err := f.prepare(d, datasets.Transform.Apply)
	return err
}

// prepare returns the features of d, ready for the trees. apply is Apply or, for the
// training data, [datasets.ApplyTraining].
func (f *Forest) prepare(d *datasets.Dataset, apply func(datasets.Transform, *datasets.Dataset) (*datasets.Dataset, error)) (*datasets.Dataset, error) {
	if f.Steps != nil {
		var err error
		if d, err = apply(f.Steps, d); err != nil {
			return nil, err
		}
	}
	if d.P() != f.P() {
		return nil, fmt.Errorf("forest: %w: the model was trained on %d (%s), the data have %d", datasets.ErrSchema, f.P(), summary(f.Features), d.P())
	}
	for j := range min(len(d.Features), f.P()) { // CheckFinite says where these are too few or too many
		if name := d.Features[j].Name; f.Features[j] != "" && name != "" && f.Features[j] != name {
			return nil, fmt.Errorf("forest: %w: column %d of the data is %q; the model was trained with %q there", datasets.ErrSchema, j, name, f.Features[j])
		}
	}
	return d, d.CheckFinite()
}

func summary(names []string) string {
	if len(names) <= 4 {
		return fmt.Sprintf("%q", names)
	}
	return fmt.Sprintf("%q … %q", names[:2], names[len(names)-1])
}
