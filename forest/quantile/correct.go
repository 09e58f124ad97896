package quantile

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

var errNoneOut = errors.New("quantile: no training row of positive weight is out of bag, so nothing says how wrong " +
	"the quantiles are; see LeafQuantiles")

// maxRows is the largest number of training rows that a correction is computed from.
const maxRows = 20_000

// correct returns what is added to the quantiles of the given levels.
func (m *Model) correct(ctx context.Context, levels []float64) ([]float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var missing []float64
	for _, level := range levels {
		if _, known := m.shifts[level]; !known && !slices.Contains(missing, level) {
			missing = append(missing, level)
		}
	}
	if len(missing) > 0 {
		if err := m.computeShifts(ctx, missing); err != nil {
			return nil, err
		}
	}
	shifts := make([]float64, len(levels))
	for k, level := range levels {
		shifts[k] = m.shifts[level]
	}
	return shifts, nil
}

// computeShifts adds the corrections of some levels to m.shifts.
func (m *Model) computeShifts(ctx context.Context, levels []float64) error {
	rows := m.outOfBagRows()
	if len(rows) == 0 {
		return errNoneOut
	}
	residuals := make([]residual, len(rows)*len(levels)) // by level and row
	err := m.each(ctx, m.train, rows, func(g *gatherer, row int, reached []int32) {
		i := rows[row]
		quantiles := make([]float64, len(levels))
		if m.oob != nil {
			fill(quantiles, m.oob[i])
		} else {
			g.begin()
			for t, leaf := range reached {
				if m.isOut(t, i) {
					g.add(&m.leaves[t], leaf)
				}
			}
			g.quantiles(quantiles, levels, m.values)
		}
		for k, q := range quantiles {
			residuals[k*len(rows)+row] = residual{m.train.Values[i] - q, m.weight(int(i))}
		}
	})
	if err != nil {
		return err
	}
	for k, level := range levels {
		of := slices.DeleteFunc(residuals[k*len(rows):][:len(rows)],
			func(r residual) bool { return math.IsNaN(r.difference) })
		if len(of) == 0 {
			return errNoneOut
		}
		m.shifts[level] = shift(of, level)
	}
	return nil
}

// outOfBagRows returns the training rows of positive weight that are out of bag for a tree, at
// most maxRows of them.
func (m *Model) outOfBagRows() []int32 {
	var rows []int32
	for i := range int32(m.train.N()) {
		if m.weight(int(i)) == 0 {
			continue
		}
		out := m.oob != nil
		for t := 0; t < len(m.out) && !out; t++ {
			out = m.isOut(t, i)
		}
		if out {
			rows = append(rows, i)
		}
	}
	if n := len(rows); n > maxRows {
		for k := range maxRows {
			rows[k] = rows[k*n/maxRows]
		}
		rows = rows[:maxRows]
	}
	return rows
}

func (m *Model) isOut(tree int, row int32) bool { return m.out[tree][row/64]>>(row%64)&1 != 0 }

// A residual is a training row's value less its out-of-bag quantile.
type residual struct{ difference, weight float64 }

// shift returns the correction of a level. Weights are divided by their mean, and one more row of
// weight 1 is on the far side.
func shift(residuals []residual, level float64) float64 {
	if level < 0.5 {
		mirrored := make([]residual, len(residuals))
		for i, r := range residuals {
			mirrored[i] = residual{-r.difference, r.weight}
		}
		return -shift(mirrored, 1-level)
	}
	slices.SortFunc(residuals, func(a, b residual) int {
		return cmp.Or(cmp.Compare(a.difference, b.difference), cmp.Compare(a.weight, b.weight))
	})
	total := 0.0
	for _, r := range residuals {
		total += r.weight
	}
	n := float64(len(residuals))
	least, sum := level*(n+1)*(total/n)*(1-rounding), 0.0
	for _, r := range residuals {
		if sum += r.weight; sum >= least {
			return r.difference
		}
	}
	return residuals[len(residuals)-1].difference
}
