package old

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Columns 1 and 2 have correlation −1, column 3 is orthogonal to both, column 4 is constant. The
// correlation matrix of the first three has eigenvalues 2, 1 and 0: two of four dimensions.
func TestFeatureTraits(t *testing.T) {
	s := math.Sqrt(4.0 / 3)
	x := mat.NewDense(4, 4, []float64{
		1, -1, 1, 0,
		1, -1, -1, 0,
		-1, 1, 1, 0,
		-1, 1, -1, 0,
	})
	x.Scale(1/s, x)
	correlation, dimensions := featureTraits(x)
	if math.Abs(correlation-1.0/3) > 1e-12 || dimensions != 0.5 {
		t.Errorf("correlation %v, dimensions %v; want 1/3 and 1/2", correlation, dimensions)
	}
}

// The second feature alone tells the classes apart; the test rows lie beyond the training rows.
func TestLinearAndNeighbours(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{-1, -1, 0, -1, 1, -1, -1, 1, 0, 1, 1, 1})
	y := mat.NewDense(2, 2, []float64{1, -3, -1, 2})
	labels := []int32{0, 0, 0, 1, 1, 1}
	if got := ridgeLabels(x, labels, 2, y); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("linear model predicts %v; want 0 and 1", got)
	}
	if got := neighbourError(x, labels, y, []int32{0, 0}); got != 0.5 {
		t.Errorf("nearest neighbours have error %v; want 1/2", got)
	}
	// XOR is out of a linear model's reach: both classes have the same means.
	xor := []int32{0, 1, 1, 0}
	corners := mat.NewDense(4, 2, []float64{-1, -1, -1, 1, 1, -1, 1, 1})
	got := ridgeLabels(corners, xor, 2, corners)
	for _, c := range got[1:] {
		if c != got[0] {
			t.Errorf("linear model of XOR predicts %v; want one class", got)
		}
	}
}

// A value two standard deviations above the mean of the training rows is 2.
func TestStandardised(t *testing.T) {
	column := func(values ...float32) *datasets.Dataset {
		d := &datasets.Dataset{Columns: [][]float32{values, make([]float32, len(values))}, Classes: []string{"a", "b"}}
		d.Labels = make([]int32, len(values))
		return d
	}
	x, y := standardised(column(1, 2, 3), column(4))
	if x.At(0, 0) != -1 || x.At(2, 0) != 1 || y.At(0, 0) != 2 || y.At(0, 1) != 0 {
		t.Errorf("%v and %v", x, y)
	}
}

func TestSpaced(t *testing.T) {
	if got := spaced(10, 4); !slices.Equal(got, []int32{0, 2, 5, 7}) {
		t.Errorf("%v", got)
	}
	if got := spaced(2, 4); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("%v", got)
	}
}

func TestCategoricalColumns(t *testing.T) {
	dir := t.TempDir()
	must.Do(os.MkdirAll(filepath.Join(dir, "sporf", "categorical_map"), 0o777))
	path := filepath.Join(dir, "sporf", "categorical_map", "mine_catmap.txt")
	must.Do(os.WriteFile(path, []byte("\n8,9,10\n11,12\n"), 0o666))
	t.Setenv("OBLIQUA_DATA", dir)
	for name, want := range map[string]int{"mine": 5, "other": 0} {
		if got, err := categoricalColumns(name); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", name, got, err, want)
		}
	}
}

// The traits of iris: no categories, three equal classes, and a linear model is nearly right.
func TestTraits(t *testing.T) {
	more := map[string]float64{}
	err := traits(context.Background(), &trial{Run: Run{Problem: "iris"}, Result: Result{More: more}})
	if errors.Is(err, public.ErrUnknownSet) || os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("OBLIQUA_DATA doesn't have the sets of the SPORF authors")
	}
	if err != nil {
		t.Fatal(err)
	}
	if more["n"] != 150 || more["p"] != 4 || more["categories"] != 0 || math.Abs(more["majority"]-1.0/3) > 1e-9 ||
		more["linear"] < 0.6 || more["neighbour"] < 0.85 {
		t.Errorf("%v", more)
	}
}
