// Package onnx writes forests in the format of ONNX (Open Neural Network Exchange), so that programs without Go can
// predict with them: ONNX Runtime and others.
//
// Trees become a TreeEnsembleRegressor of ONNX-ML. It splits by columns, so the values of slanted and quadratic split
// functions, and of sets of categories, become columns beside the features. Steps that were fitted with the forest (see
// [forest.Pipeline]) and its calibration are part of the model.
package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// Save writes a forest to a file as [Marshal] encodes it. An existing file is replaced in one step after all has been
// written. Save returns an error where Marshal does, and if the file can't be written.
func Save(path string, f *forest.Forest) error {
	model, err := Marshal(f)
	if err != nil {
		return err
	}
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(model)
		return err
	})
	if err != nil {
		return fmt.Errorf("onnx: save %s: %w", path, err)
	}
	return nil
}

// Marshal returns a forest as a model of ONNX, in the operators of version 18, and of version 3 of ONNX-ML.
//
// If all columns of the tables that the forest predicts are numeric, the model has one input, X, float rows × columns.
// Otherwise it has an input for each column, with its name: float rows × 1, or string rows × 1 if the column is
// categorical. A missing number is NaN, a missing category an empty text. If an empty text is one of the categories, it
// is that category, and none can be missing. Texts such as nan or NA are no missing cells.
//
// Columns with an offset (see [datasets.Scale]) take double instead of float, and so does X if there is one. Dates are
// days since 1970.
//
// The outputs of a forest of classes are output_label, the name of each row's class, string rows, and
// output_probability, float rows × classes. A forest of values has output_value, float rows × 1. Labels are those of
// [forest.Forest.Predict]; but a runtime that shares the trees of few rows among cores adds in another order, so a
// label may differ where two classes are level but for rounding. Probabilities are Proba's and values PredictValues',
// as float32. Where these methods return an error for a cell, the model predicts something.
//
// The runtime needs four bytes a row, or eight for values and boosted forests, for every slanted split, and every set,
// of the forest, so large tables should be predicted in parts.
//
// Marshal returns an error if leaves have linear models, as TAO-l's have; if a step isn't of package datasets, or was
// fitted on columns that the steps before it don't make; if a name isn't UTF-8; if a table with categories has two
// columns of the same name; and if the model would have 2 GiB, which is more than readers take.
func Marshal(f *forest.Forest) ([]byte, error) {
	e := exporter{f: f}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	x, err := e.features()
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	e.predictions(e.trees(e.functions(x)))
	model := e.model(f.Method, "target: "+f.Target)
	if len(model) > math.MaxInt32 {
		return nil, fmt.Errorf("onnx: the model would have %d bytes; ONNX allows 2 GiB", len(model))
	}
	return model, nil
}

// An exporter makes the graph of a forest.
type exporter struct {
	graph
	f      *forest.Forest
	places [][]int // by tree and stored function: the column of its values
}

// The outputs of the model.
const (
	labelOutput       = "output_label"
	probabilityOutput = "output_probability"
	valueOutput       = "output_value"
)

// check returns an error if the forest has what ONNX hasn't.
func (e *exporter) check() error {
	if len(e.f.Trees) == 0 {
		return errors.New("a forest without trees")
	}
	for i := range e.f.Trees {
		tree := &e.f.Trees[i]
		if tree.HasLinearLeaves() {
			return fmt.Errorf("tree %d has linear models in its leaves; a TreeEnsemble has numbers only", i)
		}
		for _, fn := range tree.Splits.All() {
			if fn.Kind == forest.Set && e.f.Categories == nil {
				return fmt.Errorf("tree %d splits by categories, whose names the forest lacks", i)
			}
			if fn.Kind == forest.Quadratic {
				return fmt.Errorf("tree %d has a split function of the kind Quadratic; LowRank ones can be exported", i)
			}
		}
	}
	names := slices.Concat(e.f.Classes, []string{e.f.Method, e.f.Target})
	for _, c := range e.f.Schema().Features {
		names = append(append(names, c.Name), c.Categories...)
	}
	for _, name := range names {
		if !utf8.ValidString(name) {
			return fmt.Errorf("the name %q isn't UTF-8", name)
		}
	}
	return nil
}

// features returns the features that the trees split by, rows × p.
func (e *exporter) features() (string, error) {
	if e.f.Steps == nil {
		return e.columns(e.f.Schema().Features)
	}
	before, columns, err := datasets.Columns(e.f.Steps)
	if err != nil {
		return "", err
	}
	x, err := e.columns(before)
	if err != nil {
		return "", err
	}
	return e.steps(x, columns), nil
}

// columns returns the columns of the input with the numbers of categories, rows × columns.
func (e *exporter) columns(before []datasets.Feature) (string, error) {
	if !slices.ContainsFunc(before, func(c datasets.Feature) bool { return c.Categories != nil }) {
		if !slices.ContainsFunc(before, isRelative) {
			return e.input("X", float32s, len(before)), nil
		}
		return e.cells(e.input("X", float64s, len(before)), before), nil
	}
	e.taken = map[string]bool{"": true, labelOutput: true, probabilityOutput: true, valueOutput: true}
	for _, c := range before {
		if e.taken[c.Name] {
			return "", fmt.Errorf("a column is named %q; want names for all, none twice, and not those of outputs", c.Name)
		}
		e.taken[c.Name] = true
	}
	var parts []string
	for _, c := range before {
		if c.Categories == nil {
			if isRelative(c) {
				parts = append(parts, e.cells(e.input(c.Name, float64s, 1), []datasets.Feature{c}))
			} else {
				parts = append(parts, e.input(c.Name, float32s, 1))
			}
			continue
		}
		codes := make([]float32, len(c.Categories))
		for k := range codes {
			codes[k] = float32(k)
		}
		keys := c.Categories
		if !slices.Contains(keys, "") {
			keys, codes = append(slices.Clone(keys), ""), append(codes, float32(math.NaN()))
		}
		parts = append(parts, e.do("ml.LabelEncoder", []string{e.input(c.Name, texts, 1)}, attr{"keys_strings", keys},
			attr{"values_floats", codes}, attr{"default_float", float32(len(c.Categories))}))
	}
	return e.concat(parts), nil
}

// isRelative reports whether the cells of a column are others than its numbers.
func isRelative(c datasets.Feature) bool { return c.Scale.Offset != 0 || c.Scale.Step != 0 }

// cells returns the cells for numbers of columns, float64.
func (e *exporter) cells(x string, columns []datasets.Feature) string {
	var offsets, steps []float64
	for _, c := range columns {
		offsets, steps = append(offsets, c.Scale.Offset), append(steps, cmp.Or(c.Scale.Step, 1))
	}
	of := func(numbers []float64) string { return e.constant(tensorOf([]int{len(numbers)}, numbers...)) }
	return e.cast(e.do("Div", []string{e.do("Sub", []string{x, of(offsets)}), of(steps)}), float32s)
}

// concat returns the columns of all parts. A single part stays as it is.
func (e *exporter) concat(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return e.do("Concat", parts, attr{"axis", 1})
}

// gather returns columns of x.
func (e *exporter) gather(x string, columns []int) string {
	return e.do("Gather", []string{x, e.constant(tensorOf([]int{len(columns)}, columns...))}, attr{"axis", 1})
}

// targets returns the number of sums of the trees' outputs. For classes the first are those of the proportions. If the
// rule is another than [forest.Average], those by the rule follow.
func (e *exporter) targets() int {
	k := len(e.f.Classes)
	switch {
	case e.f.Rule == forest.Sum:
		return len(e.f.Base)
	case k == 0:
		return 1
	case e.f.Rule == forest.Average:
		return k
	}
	return 2 * k
}

// predictions declares the outputs, given the sums of the trees' outputs, rows × targets.
func (e *exporter) predictions(sums string) {
	f, k := e.f, len(e.f.Classes)
	if k == 0 {
		value := e.cast(sums, float64s)
		switch {
		case f.LogLink:
			value = e.do("Exp", []string{value})
		case f.Rule == forest.Average:
			value = e.do("Div", []string{value, e.scalar(float64(len(f.Trees)))})
			if f.Offset() != 0 {
				value = e.do("Add", []string{value, e.scalar(f.Offset())})
			}
		}
		e.output(valueOutput, e.cast(value, float32s), float32s, 1)
		return
	}
	var class, proba string
	switch n := e.targets(); {
	case n == 1: // the log-odds of the second class
		likely := e.do("Greater", []string{sums, e.constant(tensorOf[float32](nil, 0))})
		class = e.do("Squeeze", []string{e.cast(likely, int64s), e.constant(tensorOf([]int{1}, 1))})
		second := e.do("Sigmoid", []string{e.cast(sums, float64s)})
		proba = e.concat([]string{e.do("Sub", []string{e.scalar(1), second}), second})
	case f.Rule == forest.Sum:
		class, proba = e.largest(sums), e.softmax(e.cast(sums, float64s))
	case n == k:
		class, proba = e.largest(sums), e.mean(sums)
	default:
		class, proba = e.largest(e.gather(sums, upTo(k, n))), e.mean(e.gather(sums, upTo(0, k)))
	}
	label := e.do("ml.LabelEncoder", []string{class}, attr{"keys_int64s", upTo(0, k)}, attr{"values_strings", f.Classes})
	e.output(labelOutput, label, texts)
	e.output(probabilityOutput, e.cast(e.calibrated(proba), float32s), float32s, k)
}

// upTo returns the numbers from first to end − 1.
func upTo(first, end int) []int {
	var all []int
	for i := first; i < end; i++ {
		all = append(all, i)
	}
	return all
}

// scalar returns a constant of one number.
func (e *exporter) scalar(v float64) string { return e.constant(tensorOf(nil, v)) }

// largest returns the first of the largest columns of each row.
func (e *exporter) largest(x string) string {
	return e.do("ArgMax", []string{x}, attr{"axis", 1}, attr{"keepdims", 0})
}

// softmax returns it for each row.
func (e *exporter) softmax(x string) string { return e.do("Softmax", []string{x}, attr{"axis", 1}) }

// mean returns the sums of all trees divided by their number.
func (e *exporter) mean(sums string) string {
	return e.do("Div", []string{e.cast(sums, float64s), e.scalar(float64(len(e.f.Trees)))})
}

// calibrated applies the forest's calibration to probabilities: (p + floor)^power, divided by their sum, is the
// softmax of power·ln(p + floor).
func (e *exporter) calibrated(proba string) string {
	c := e.f.Calibration
	if c == (forest.Calibration{}) {
		return proba
	}
	logs := e.do("Log", []string{e.do("Add", []string{proba, e.scalar(c.Floor)})})
	return e.softmax(e.do("Mul", []string{logs, e.scalar(c.Power)}))
}
