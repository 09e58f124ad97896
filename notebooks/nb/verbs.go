package nb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/guess"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/viz"
)

// Read returns the table of a CSV file with a target column as [guess.Read] does, or ends the cell. The empty target is
// the last column. An option sets what else is known of the file.
func Read(path, target string, option ...datasets.CSV) *datasets.Dataset {
	var o datasets.CSV
	if len(option) > 0 {
		o = option[0]
	}
	o.Target = target
	if strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") {
		Must(fmt.Errorf("nb: %s is an address; download the file, and give its path", path))
	}
	return Value(guess.Read(Context(), path, o))
}

// ReadLike returns the rows of a CSV file that has the columns of the table that the model was trained on, or ends the
// cell. Other columns are ignored. Where the file has no target, or not for all rows, the rows have none. It prints
// the notes of the table. An option says how the file is written. The model doesn't know what was in the option of
// [Read]: Missing has to be set again.
func ReadLike(model *forest.Forest, path string, option ...datasets.CSV) *datasets.Dataset {
	var o datasets.CSV
	if len(option) > 0 {
		o = option[0]
	}
	o.Like = model.Schema()
	d, err := datasets.ReadCSV(Context(), path, o)
	missing := errors.Is(err, datasets.ErrMissing)
	if missing || errors.Is(err, datasets.ErrSchema) {
		o.NoTarget = true
		d, err = datasets.ReadCSV(Context(), path, o)
	}
	d = Value(d, err)
	if missing {
		d.Notes = append(d.Notes,
			fmt.Sprintf("The target, %q, is missing in some rows or all, and isn't read.", model.Target))
	}
	for _, note := range d.Notes {
		fmt.Println(note)
	}
	return d
}

// Split returns training and test rows of d as [datasets.Holdout.Split] does, or ends the cell. Unless an option says
// otherwise, a quarter of the rows are for testing, stratified for classes.
func Split(d *datasets.Dataset, option ...datasets.Holdout) (train, test *datasets.Dataset) {
	by := datasets.Holdout{Stratified: d.Labels != nil}
	if len(option) > 0 {
		by = option[0]
	}
	train, test, err := by.Split(d)
	Must(err)
	return train, test
}

// Score returns what the model's predictions of rows are worth that it wasn't trained on, or ends the cell where
// [eval.Evaluate] returns an error. [Show] draws its curves, too.
func Score(model *forest.Forest, test *datasets.Dataset) *eval.Evaluation {
	return Value(eval.Evaluate(Context(), model, test))
}

// CrossValidate returns the scores of the learner on the folds of d, or ends the cell where [eval.CrossValidate]
// returns an error. It shows progress. Unless an option says otherwise there are five folds, stratified for classes.
func CrossValidate(learner forest.Learner, d *datasets.Dataset, option ...datasets.KFold) eval.Scores {
	by := datasets.KFold{Stratified: d.Labels != nil}
	if len(option) > 0 {
		by = option[0]
	}
	ctx, done := viz.Progress(Context(), "cross-validation of "+nameOf(learner))
	scores, err := eval.CrossValidate(ctx, able(learner, d), d, by)
	done()
	return Value(scores, err)
}

// Compare compares learners on d with the first of them, as [eval.Compare] does with its default folds, or ends the
// cell. It shows progress.
func Compare(d *datasets.Dataset, learners ...forest.Learner) *eval.Comparison {
	var contenders []eval.Contender
	for i, name := range namesOf(learners) {
		contenders = append(contenders, eval.Contender{Name: name, Learner: able(learners[i], d)})
	}
	ctx, done := viz.Progress(Context(), "comparison")
	c, err := eval.Compare(ctx, contenders, d, nil)
	done()
	return Value(c, err)
}

// Tune compares learners, such as those of a learner's Grid, as [eval.Tune] does, or ends the cell: by their out-of-bag
// errors on d or, with an option, by their errors on folds. It shows progress. By out-of-bag errors, the best one's
// forest is the Model of what it returns.
func Tune[L forest.Learner](learners []L, d *datasets.Dataset, option ...datasets.KFold) *eval.Tuning {
	var by eval.Splitter
	if len(option) > 0 {
		by = option[0]
	}
	var steps []datasets.Step
	if len(learners) > 0 && !takes(learners[0], d) {
		steps = append(steps, datasets.Prepare{})
	}
	ctx, done := viz.Progress(Context(), "tuning")
	t, err := eval.Tune(ctx, learners, d, by, steps...)
	done()
	return Value(t, err)
}

// able returns the learner or, if it doesn't take the missing cells or categories of d, one that prepares them first.
func able(learner forest.Learner, d *datasets.Dataset) forest.Learner {
	if takes(learner, d) {
		return learner
	}
	fmt.Printf("%s: missing cells and categories are prepared by datasets.Prepare.\n", nameOf(learner))
	return forest.Pipeline(learner, datasets.Prepare{})
}

// takes reports whether the learner takes the missing cells and categories of d.
func takes(learner forest.Learner, d *datasets.Dataset) bool {
	if d.CheckFinite() == nil {
		return true
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a learner looks at the table first
	_, err := learner.Fit(ctx, d)
	return !errors.Is(err, datasets.ErrMissing) && !errors.Is(err, datasets.ErrCategorical)
}
