package forest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// validate returns the first fault that would make prediction panic, run forever or
// return nonsense. Only forests that pass are written to files.
func (f *Forest) validate() error {
	if err := f.validateHeader(); err != nil {
		return err
	}
	if _, err := f.encodedSteps(); err != nil {
		return err
	}
	if err := f.validateSteps(); err != nil {
		return err
	}
	if err := f.validateRounds(); err != nil {
		return err
	}
	return parallel.Errors(len(f.Trees), func(i int) error {
		if err := f.validateTree(&f.Trees[i]); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		return nil
	})
}

func (f *Forest) validateHeader() error {
	switch {
	case f.P() < 1 || f.P() > missingLeft:
		return fmt.Errorf("%d features; want 1 to %d", f.P(), missingLeft)
	case f.Classes != nil && len(f.Classes) == 0:
		return errors.New("Classes is empty, but not nil; want nil for regression")
	case int64(len(f.Classes)) > math.MaxInt32:
		return fmt.Errorf("%d classes; want at most %d", len(f.Classes), math.MaxInt32)
	case f.Rows < 0 || int64(f.Rows) > math.MaxInt32:
		return fmt.Errorf("%d training rows; want 0 to %d", f.Rows, math.MaxInt32)
	case f.Groups < 0 || f.Groups > f.Rows:
		return fmt.Errorf("%d groups of %d training rows; want 0 or more, and no more than rows", f.Groups, f.Rows)
	case f.Rule > Sum:
		return fmt.Errorf("rule %d; want %d to %d", f.Rule, Plurality, Sum)
	case len(f.Trees) == 0:
		return errors.New("no trees; want at least one")
	}
	if err := f.Sampling.Check(); err != nil {
		return err
	}
	if f.Sampling.WithinClasses && (f.Regression() || f.Groups > 0) {
		return errors.New("a sampling within classes, of values or of rows with groups")
	}
	if f.Calibration != (Calibration{}) {
		if err := f.Calibration.validate(); err != nil {
			return err
		}
		if f.treeClasses() == 0 {
			return errors.New("calibration of probabilities; the trees predict values")
		}
	}
	if err := f.validateReport(); err != nil {
		return err
	}
	if err := f.validateFills(); err != nil {
		return err
	}
	if err := f.validateScales(); err != nil {
		return err
	}
	return f.validateSum()
}

func (f *Forest) validateScales() error {
	if f.Scales != nil && len(f.Scales) != f.P() {
		return fmt.Errorf("scales of %d features; want %d, or nil", len(f.Scales), f.P())
	}
	for _, scale := range f.Scales {
		if err := scale.Check(); err != nil {
			return err
		}
	}
	return nil
}

func (f *Forest) validateReport() error {
	if f.Report != "" && !json.Valid([]byte(f.Report)) {
		return errors.New("the report isn't JSON")
	}
	return nil
}

// validateSteps checks that the steps turn a table with Columns, and no rows, into the
// features that the trees split by.
func (f *Forest) validateSteps() error {
	if f.Steps == nil {
		return nil
	}
	empty := &datasets.Dataset{Features: f.Columns, Columns: make([][]float32, len(f.Columns))}
	d, err := f.Steps.Apply(context.Background(), empty)
	if err != nil {
		return err
	}
	if got := d.FeatureNames(); !slices.Equal(got, f.Features) {
		return fmt.Errorf("the steps make %d features (%s); the trees split by %d (%s)", len(got), summary(got), f.P(),
			summary(f.Features))
	}
	for j, feature := range d.Features {
		if !slices.Equal(feature.Categories, f.categories(j)) {
			return fmt.Errorf("the steps make column %q of %d categories; the trees split by %d", feature.Name,
				len(feature.Categories), len(f.categories(j)))
		}
	}
	return nil
}

// validateSum checks Base, LogLink and Members. Only the rule Sum uses them, but for the Base of an average of values.
func (f *Forest) validateSum() error {
	base := 0
	switch {
	case f.Rule == Sum:
		base = f.outputs()
	case f.Rule == Average && f.Classes == nil && f.Base != nil:
		base = 1
	}
	switch {
	case f.Rule == Sum && len(f.Classes) == 1:
		return errors.New("sums for one class; want two or more")
	case len(f.Base) != base:
		return fmt.Errorf("%d base scores; want %d", len(f.Base), base)
	}
	if f.LogLink && (f.Rule != Sum || f.Classes != nil) {
		return errors.New("logarithms of values; want them only for values and the rule Sum")
	}
	if k := len(f.Members); k > 0 && (f.Rule != Sum || k%base != 0 || k < 2*base) {
		return fmt.Errorf("%d base scores of members; want %d for each of at least two members", k, base)
	}
	for i, v := range slices.Concat(f.Base, f.Members) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("base score %d is %v; want a finite number", i, v)
		}
	}
	return nil
}

// validateRounds checks that all trees have the same Outputs, and that each member has as many trees.
func (f *Forest) validateRounds() error {
	k := f.Trees[0].Outputs
	for i := range f.Trees {
		if o := f.Trees[i].Outputs; o != k || o != 0 && o != f.outputs() {
			return fmt.Errorf("leaves of tree %d have %d values, those of tree 0 have %d; want %d in all trees, or 0", i, o, k,
				f.outputs())
		}
	}
	if f.Members != nil && len(f.Trees)%f.RoundTrees() != 0 {
		return fmt.Errorf("%d trees; want a multiple of %d, as many for each member", len(f.Trees), f.RoundTrees())
	}
	return nil
}

func (f *Forest) validateTree(t *Tree) error {
	if k := f.treeClasses(); t.Classes != k {
		return fmt.Errorf("a tree of %d classes; want %d", t.Classes, k)
	}
	for _, s := range treeSections {
		if s.check != nil {
			if err := s.check(t, f.P()); err != nil {
				return err
			}
		}
	}
	return nil
}

// validateNodes checks that the nodes are a binary tree in preorder: a leaf is followed
// by the right child of the nearest split above it whose right subtree hasn't begun, and
// the last leaf is the last node. Then every path from node 0 ends in a leaf.
func (t *Tree) validateNodes(p int) error {
	nodes := t.Nodes
	if len(nodes) == 0 || int64(len(nodes)) > math.MaxInt32 {
		return fmt.Errorf("%d nodes; want 1 to %d", len(nodes), math.MaxInt32)
	}
	open := []int{len(nodes)} // where the right subtrees begin, and the end
	for i, n := range nodes {
		if !finite(n.Value) || !finite(n.Weight) {
			return fmt.Errorf("node %d has value %v and weight %v; want finite numbers", i, n.Value, n.Weight)
		}
		if !n.IsLeaf() {
			if functions := t.Splits.Len(); !validSplit(n.Split, p, functions) {
				return fmt.Errorf("node %d uses split %d; there are %d features and %d functions from %d on", i, n.Split, p,
					functions, firstStored)
			}
			if next, end := int(n.Next), open[len(open)-1]; next <= i+1 || next >= end {
				return fmt.Errorf("node %d has its right child at %d; want more than %d, less than %d", i, next, i+1, end)
			}
			open = append(open, int(n.Next))
			continue
		}
		if err := t.validateLeaf(n); err != nil {
			return fmt.Errorf("node %d %w", i, err)
		}
		if end := open[len(open)-1]; i+1 != end {
			return fmt.Errorf("node %d is a leaf where its parent's left subtree goes on to node %d; want a split", i, end-1)
		}
		open = open[:len(open)-1]
	}
	return nil
}

func finite(v float32) bool { return v-v == 0 }
