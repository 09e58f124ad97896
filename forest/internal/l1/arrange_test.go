package l1

import (
	"slices"
	"testing"
)

// Rows keep their numbers and cells, however they are arranged, and whatever was arranged in the memory before.
func TestArrange(t *testing.T) {
	columns := [][]float32{{0, 1, 0, 2, 3}, {0, 0, 0, 4, 0}, {5, 6, 0, 0, 7}}
	from, s := NewSparse(columns, 5), new(Sparse)
	for _, rows := range [][]int32{{4, 0, 2, 1, 3}, {3, 1}, {2}, {}, {0, 1, 2, 3, 4}} {
		s.Arrange(from, rows)
		before := 0
		for _, i := range rows {
			var want []cell
			for j, column := range columns {
				if column[i] != 0 {
					want = append(want, cell{Index: int32(j), X: column[i]})
				}
			}
			if !slices.Equal(s.row(i), want) || s.rows[i].start != before {
				t.Errorf("row %d of %v: %v from %d on, want %v from %d on", i, rows, s.row(i), s.rows[i].start, want, before)
			}
			before += len(want)
		}
		if s.PerRow() != 1 { // 7 cells of 5 rows
			t.Errorf("%d cells a row, want 1", s.PerRow())
		}
	}
}
