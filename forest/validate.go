package forest

import (
	"errors"
	"fmt"
	"math"
)

// validate reports the first fault that would make prediction panic, run
// forever or mean nothing. It is what may be written to a file or read from
// one.
func (f *Forest) validate() error {
	if err := f.validateHeader(); err != nil {
		return err
	}
	return firstError(len(f.Trees), func(i int) error {
		if err := f.validateTree(&f.Trees[i]); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		return nil
	})
}

func (f *Forest) validateHeader() error {
	switch s := f.Sampling; {
	case f.P() < 1 || int64(f.P()) > math.MaxInt32:
		return fmt.Errorf("%d features; want 1 to %d", f.P(), math.MaxInt32)
	case f.Classes != nil && len(f.Classes) == 0:
		return errors.New("classes, but none of them; want nil for regression")
	case int64(len(f.Classes)) > math.MaxInt32:
		return fmt.Errorf("%d classes; want at most %d", len(f.Classes), math.MaxInt32)
	case f.Rows < 0 || int64(f.Rows) > math.MaxInt32:
		return fmt.Errorf("%d training rows; want 0 to %d", f.Rows, math.MaxInt32)
	case f.Rule > Consensus:
		return fmt.Errorf("rule %d; want %d to %d", f.Rule, Plurality, Consensus)
	case !(s.Fraction >= 0 && s.Fraction <= maxCount):
		return fmt.Errorf("sampling fraction %v; want 0 to %d", s.Fraction, maxCount)
	case len(f.Trees) == 0:
		return errors.New("no trees; want at least one")
	}
	return nil
}

func (f *Forest) validateTree(t *Tree) error {
	k := len(f.Classes)
	rows := 0
	if k > 0 {
		rows = len(t.Dist) / k
	}
	if len(t.Dist) != rows*k {
		return fmt.Errorf("%d class weights; want a multiple of %d classes", len(t.Dist), k)
	}
	if err := t.Splits.validate(f.P()); err != nil {
		return err
	}
	if err := validateDist(t.Dist, k); err != nil {
		return err
	}
	return validateNodes(t.Nodes, f.P()+t.Splits.Len(), k, rows)
}

// validateNodes checks that the nodes are a binary tree in preorder: after a
// leaf comes the right child of the nearest split above whose right subtree
// hasn't begun, and after the last such leaf comes nothing. Then every walk
// from node 0 ends in a leaf.
func validateNodes(nodes []Node, splits, classes, rows int) error {
	if len(nodes) == 0 || int64(len(nodes)) > math.MaxInt32 {
		return fmt.Errorf("%d nodes; want 1 to %d", len(nodes), math.MaxInt32)
	}
	open := []int{len(nodes)} // where the right subtrees begin, and the end
	for i, n := range nodes {
		if !finite(n.Value) || !finite(n.Weight) {
			return fmt.Errorf("node %d has value %v and weight %v; want finite numbers", i, n.Value, n.Weight)
		}
		if !n.IsLeaf() {
			if int(n.Split) >= splits {
				return fmt.Errorf("node %d uses split %d; there are %d", i, n.Split, splits)
			}
			if next, end := int(n.Next), open[len(open)-1]; next <= i+1 || next >= end {
				return fmt.Errorf("node %d has its right child at %d; want more than %d, less than %d", i, next, i+1, end)
			}
			open = append(open, int(n.Next))
			continue
		}
		if err := validateLeaf(n, classes, rows); err != nil {
			return fmt.Errorf("node %d %w", i, err)
		}
		if end := open[len(open)-1]; i+1 != end {
			return fmt.Errorf("node %d is a leaf where its parent's left subtree goes on to node %d; want a split", i, end-1)
		}
		open = open[:len(open)-1]
	}
	return nil
}

func validateLeaf(n Node, classes, rows int) error {
	switch {
	case n.Weight < 0:
		return fmt.Errorf("is a leaf of weight %v; want 0 or more", n.Weight)
	case n.Split == LeafValue && classes == 0:
		return nil
	case n.Split == LeafClass && classes > 0:
		if n.Next < 0 || int(n.Next) >= classes {
			return fmt.Errorf("is a leaf of class %d; there are %d", n.Next, classes)
		}
		return nil
	case n.Split == LeafDist && classes > 0:
		if n.Next < 0 || int(n.Next) >= rows {
			return fmt.Errorf("is a leaf with class weights %d; there are %d", n.Next, rows)
		}
		return nil
	case classes == 0:
		return fmt.Errorf("is a leaf of kind %d; want %d for regression", n.Split, LeafValue)
	}
	return fmt.Errorf("is a leaf of kind %d; want %d or %d for classification", n.Split, LeafClass, LeafDist)
}

// checkPoolSize wants splits and coefficients that an int32 can number.
func checkPoolSize(p, combinations, coefficients int) error {
	if int64(p)+int64(combinations) > math.MaxInt32 {
		return fmt.Errorf("%d combinations of %d features; want at most %d in all", combinations, p, math.MaxInt32)
	}
	if int64(coefficients) > math.MaxInt32 {
		return fmt.Errorf("%d coefficients of combinations; want at most %d", coefficients, math.MaxInt32)
	}
	return nil
}

func (s *Pool) validate(p int) error {
	if err := checkPoolSize(p, s.Len(), len(s.Index)); err != nil {
		return err
	}
	if len(s.Index) != len(s.Weights) {
		return fmt.Errorf("%d indices and %d weights of combinations; want as many", len(s.Index), len(s.Weights))
	}
	end := int32(0)
	for k, start := range s.Start {
		if start < end || int64(start) > int64(len(s.Index)) || k == 0 && start != 0 {
			return fmt.Errorf("combination %d starts at %d; want %d to %d", k, start, end, len(s.Index))
		}
		last := int32(-1)
		weights := s.Weights[end:start]
		for i, j := range s.Index[end:start] {
			if j <= last || int64(j) >= int64(p) {
				return fmt.Errorf("combination %d has feature %d after %d; want ascending below %d", k-1, j, last, p)
			}
			if !finite(weights[i]) {
				return fmt.Errorf("combination %d has weight %v; want a finite number", k-1, weights[i])
			}
			last = j
		}
		end = start
	}
	if int(end) != len(s.Index) {
		return fmt.Errorf("combinations end at coefficient %d; there are %d", end, len(s.Index))
	}
	return nil
}

// validateDist checks that each row of class weights has proportions.
func validateDist(dist []float32, classes int) error {
	for i := 0; i < len(dist); i += classes {
		var sum float32
		for _, w := range dist[i : i+classes] {
			if !(w >= 0) {
				return fmt.Errorf("class weights %d hold %v; want 0 or more", i/classes, w)
			}
			sum += w
		}
		if !(sum > 0) || !finite(sum) {
			return fmt.Errorf("class weights %d sum to %v; want a finite number above 0", i/classes, sum)
		}
	}
	return nil
}

func finite(v float32) bool { return v-v == 0 }
