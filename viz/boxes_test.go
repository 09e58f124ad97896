package viz

import (
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// TestBoxOfOddNumber compares a box with matplotlib.cbook.boxplot_stats. Its quartiles, those of NumPy, are Tukey's
// where the number of values is one more than a multiple of 4.
func TestBoxOfOddNumber(t *testing.T) {
	box := must.Value(newBox(0, []float64{7, 1, 3, 4, 2, 20, 5, 6, -30}))
	got := []float64{box.AdjLow, box.Quartile1, box.Median, box.Quartile3, box.AdjHigh}
	if want := []float64{1, 2, 4, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("whiskers, quartiles and median are %v; want %v", got, want)
	}
	if want := []int{5, 8}; !slices.Equal(box.Outside, want) {
		t.Errorf("values %v lie beyond; want %v", box.Outside, want)
	}
}
