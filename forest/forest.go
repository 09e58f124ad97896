// Package forest holds what all decision forests share: the [Tree], the
// [Forest] made of them, prediction and votes, out-of-bag estimates,
// importance, size, and a file format.
//
// The methods are in the packages below it: forest/rf, forest/sporf, forest/graf, forest/oblique, forest/oc1,
// forest/ccf, forest/rotation, forest/tao, forest/godt, forest/mix, forest/boost. Each has one or more types
// that implement [Learner]: structs of parameters, whose zero values are the defaults their papers recommend. Package
// forest/auto chooses among forests by itself, and is the one to begin with.
package forest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A Learner grows a forest from training data.
//
// Fit returns an error for data it can't learn from (infinite cells, one class, no rows) and ctx's error soon after
// ctx is cancelled. Learners of packages rf, sporf, mix and boost take missing cells (NaN; see Forest.Fills) and
// categorical columns (see Forest.Categories), others return an error for them. The same learner, data and seed give
// the same forest, byte for byte, on any number of cores. Progress is reported to the function set by [WithProgress].
type Learner interface {
	Fit(ctx context.Context, train *datasets.Dataset) (*Forest, error)
}

// A Rule says how the outputs of a forest's trees are combined.
type Rule uint8

const (
	Plurality Rule = iota // each tree votes for the largest class of its leaf (classification)
	Average               // the trees' class proportions (classification) or values (regression) are averaged
	Consensus             // the class of the largest Σ log2(1 + proportion) over trees (GRAF, eq. 22; classification)
	Sum                   // the trees' values are added to a base score, as boosting does; see Forest.Base
)

// A Forest is a trained ensemble of trees; a single tree is a forest of one.
// It is read-only after training and safe for concurrent use.
//
// What predicts takes a context first and returns an error, as Go's convention is: the data usually come from
// elsewhere, and a cell may be missing in them or a column. There is no short form that panics. A cell of a notebook
// passes the result to Value of package nb, which ends the cell with the error's words.
type Forest struct {
	Method   string   // the method that grew it, such as "sporf"
	Target   string   // name of the target
	Features []string // names of the p features that its trees split by
	Classes  []string // class names; nil for regression
	Rule     Rule
	Trees    []Tree
	Rows     int      // number of training rows; 0 if they are not known
	Groups   int      // number of their groups; 0 if they have none
	Sampling Sampling // how the rows of each tree were drawn
	Seed     uint64   // the seed that they were drawn with
	Honest   bool     // half of each sample chose the splits, the other half filled the leaves; see LeafCounts

	// Base is added to what trees of values predict. With the rule Sum, it is added to the sum of
	// the trees' values. For regression it has one number, and the sum is the predicted value. For classes
	// the sums are log-odds: with two classes Base has one number, and the logistic function
	// of the sum is the probability of the second class; with k > 2 it has k, tree t adds to
	// the score of class t mod k, and the softmax of the scores are the probabilities.
	//
	// For regression with the rule Average, Base is nil, or has one number that is added to the mean of the trees'
	// values (see Offset): the mean of a target that is far from 0 against its spread. Values of leaves are float32s,
	// which wouldn't hold such a target.
	Base []float64

	// LogLink is for values and the rule Sum only: the predicted value is the exponential of the sum, as for counts.
	LogLink bool

	// Members is for boosted forests that are the mean of K members, each boosted without one of K folds of the rows,
	// and without a few rows of another (see AveragingGains); else it is nil. It has each member's own base, one member
	// after another, and Base is their mean. Tree t is of member ⌊t/len(Base)⌋ mod K, whose sums are its own base plus K
	// times its trees' values.
	Members []float64

	// Fills is for forests trained on data with missing cells (NaN), else it is nil, and no cell may be missing. It has
	// a number for each feature, its weighted mean over the training rows where it isn't missing, which stands for a
	// missing cell in a split of several features. A split of one feature sends a row whose cell is missing to the side
	// that was better in training or, where no training row's cell was missing, to the child with more weight.
	Fills []float32

	// Categories is for forests trained on data with categorical columns, else it is nil. It has the names of each
	// feature's categories, nil for a numeric one. Nodes split such a feature by a [Set]. Columns to predict may number
	// the categories otherwise: they are compared by name. One that training didn't have counts as missing, and one
	// that no training row of a node has goes where missing cells go. Such a forest has Fills, which are −1 for these
	// features.
	Categories [][]string

	// Scales are those of the features, or nil if all are zero. Thresholds and other numbers of splits are of cells,
	// not of the numbers that these stand for. Data to predict may have other scales: their cells are converted.
	Scales []datasets.Scale

	// Calibration corrects the probabilities of classes; see [Calibrate].
	Calibration Calibration

	// Report is JSON in which a learner that chooses among methods or settings says what it chose
	// and why; "" if there is none. Package auto reads its own.
	Report string

	// Columns and Steps are for forests of a [Pipeline] only. Columns are the columns of
	// the tables that the forest was trained on and predicts; Steps are the fitted steps
	// that turn them into the p features.
	Columns []datasets.Feature
	Steps   datasets.Transform
}

// Schema returns the schema of the tables that the forest predicts: their columns, in
// order, with their categories, the target and the classes. [datasets.CSV] can read a
// file by it.
func (f *Forest) Schema() *datasets.Schema {
	columns := f.Columns
	if f.Steps == nil {
		columns = make([]datasets.Feature, f.P())
		for j, name := range f.Features {
			columns[j] = datasets.Feature{Name: name, Categories: f.categories(j), Scale: f.scale(j)}
		}
	}
	return &datasets.Schema{Features: columns, Target: f.Target, Classes: f.Classes}
}

// categories returns the names of feature j's categories, nil if it is numeric.
func (f *Forest) categories(j int) []string {
	if f.Categories == nil {
		return nil
	}
	return f.Categories[j]
}

// scale returns the scale of feature j.
func (f *Forest) scale(j int) datasets.Scale {
	if f.Scales == nil {
		return datasets.Scale{}
	}
	return f.Scales[j]
}

// sums reports whether the trees predict values, for the given number of classes.
func (r Rule) sums(classes int) bool { return classes == 0 || r == Sum }

// outputs returns the number of sums for each row, if the trees predict values.
func (f *Forest) outputs() int {
	if f.Rule == Sum && len(f.Classes) > 2 {
		return len(f.Classes)
	}
	return 1
}

// RoundTrees returns the number of trees in a round of boosting. Each member has one tree, or one for each output if
// leaves have a single value. Without Members the forest counts as one member.
func (f *Forest) RoundTrees() int {
	trees := f.outputs()
	if len(f.Trees) > 0 && f.Trees[0].Outputs > 0 {
		trees = 1
	}
	if f.Members != nil {
		trees *= len(f.Members) / f.outputs()
	}
	return trees
}

// Offset returns what has to be added to the value of a leaf for the value that it predicts: Base for regression with
// the rule [Average], and otherwise 0.
func (f *Forest) Offset() float64 {
	if f.Rule != Average || len(f.Base) == 0 {
		return 0
	}
	return f.Base[0]
}

// sumBase returns what the sums of a row begin with, by output; nil for zeros.
func (f *Forest) sumBase() []float64 {
	if f.Rule != Sum {
		return nil
	}
	return f.Base
}

// treeClasses returns the number of classes of each tree, 0 if trees predict values.
func (f *Forest) treeClasses() int {
	if f.Rule.sums(len(f.Classes)) {
		return 0
	}
	return len(f.Classes)
}

// P returns the number of features.
func (f *Forest) P() int { return len(f.Features) }

// mustExist panics if f is nil, as it is next to an error that nobody looked at.
func (f *Forest) mustExist() {
	if f == nil {
		panic("forest: the forest is nil; was there an error where it comes from?")
	}
}

// Regression reports whether the forest predicts values, not classes.
func (f *Forest) Regression() bool {
	f.mustExist()
	return f.Classes == nil
}

// Check returns an error if the forest can't predict d. d must have as many columns as
// the forest was trained on, with the same names in the same order (names are compared
// only where both have one) and no other units (see [datasets.Scale.Agrees]); otherwise the error wraps
// [datasets.ErrSchema]. After the forest's Steps, if it has any, those columns must be categorical that were in
// training, and no cell infinite or, unless the forest has Fills, missing; for a missing cell the error wraps
// [datasets.ErrMissing]. Check also returns an error if a tree hasn't been grown (see [Options]). d may have no rows,
// and its target is ignored.
func (f *Forest) Check(d *datasets.Dataset) error {
	_, err := f.prepare(context.Background(), d)
	return err
}

// prepare applies the steps to d and checks that the trees can predict the result.
func (f *Forest) prepare(ctx context.Context, d *datasets.Dataset) (*datasets.Dataset, error) {
	f.mustExist()
	if f.Steps != nil {
		var err error
		if d, err = f.Steps.Apply(ctx, d); err != nil {
			return nil, err
		}
	}
	return f.checked(d)
}

// Transformed returns what the trees see: d after the forest's Steps, and the forest without them, which predicts it.
// It returns an error where [Forest.Check] does, and ctx's error soon after ctx is cancelled.
func (f *Forest) Transformed(ctx context.Context, d *datasets.Dataset) (*Forest, *datasets.Dataset, error) {
	x, err := f.prepare(ctx, d)
	return f.bare(), x, err
}

// TransformedTraining does what [Forest.Transformed] does for the data that the forest was trained on, to which steps
// are applied as they were in training (see [datasets.ApplyTraining]). It also returns an error where
// [Forest.CheckTraining] does.
func (f *Forest) TransformedTraining(ctx context.Context, train *datasets.Dataset) (*Forest, *datasets.Dataset, error) {
	err := f.CheckTraining(train)
	if err == nil && f.Steps != nil {
		train, err = datasets.ApplyTraining(ctx, f.Steps, train)
	}
	if err != nil {
		return nil, nil, err
	}
	train, err = f.checked(train)
	return f.bare(), train, err
}

// bare returns the forest without its steps.
func (f *Forest) bare() *Forest {
	g := *f
	g.Steps, g.Columns = nil, nil
	return &g
}

// checkGrown returns an error if there is no tree, or one without nodes. Boosting may end before its first tree.
func (f *Forest) checkGrown() error {
	if len(f.Trees) == 0 && f.Rule != Sum {
		return errors.New("forest: the forest has no trees")
	}
	if t := slices.IndexFunc(f.Trees, func(t Tree) bool { return len(t.Nodes) == 0 }); t >= 0 {
		return fmt.Errorf("forest: tree %d hasn't been grown; FitPart and Join grow a forest in parts", t)
	}
	return nil
}

// checked returns d, to which the steps are applied, with the forest's numbers of categories, or an error if the trees
// can't predict it.
func (f *Forest) checked(d *datasets.Dataset) (*datasets.Dataset, error) {
	if err := f.checkGrown(); err != nil {
		return nil, err
	}
	if d.P() != f.P() {
		return nil, fmt.Errorf("forest: %w: the model was trained on %d (%s), the data have %d", datasets.ErrSchema, f.P(),
			summary(f.Features), d.P())
	}
	for j := range min(len(d.Features), f.P()) { // CheckFinite reports a wrong number of Features
		if name := d.Features[j].Name; f.Features[j] != "" && name != "" && f.Features[j] != name {
			return nil, fmt.Errorf("forest: %w: column %d of the data is %q; the model was trained with %q there",
				datasets.ErrSchema, j, name, f.Features[j])
		}
	}
	if err := d.CheckUnits(f.Scales); err != nil {
		return nil, err
	}
	d = d.Rescale(f.Scales)
	if f.Fills == nil {
		return d, d.CheckFinite()
	}
	if err := d.CheckCells(); err != nil {
		return nil, err
	}
	return f.numbered(d)
}

func summary(names []string) string {
	if len(names) <= 4 {
		return fmt.Sprintf("%q", names)
	}
	return fmt.Sprintf("%q … %q", names[:2], names[len(names)-1])
}
