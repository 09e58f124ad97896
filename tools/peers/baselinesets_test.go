package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/notebooks/figures/graf"
)

// The hypercubes are the problems of figures 4 to 7 with the same numbers of features, and have 30 % test rows.
func TestBaselineCubes(t *testing.T) {
	want := map[string]bool{}
	for _, r := range graf.Cubes.Runs() {
		want[fmt.Sprintf("cube/%s/%d", r.Problem, r.X)] = true
	}
	for _, set := range baselineSets() {
		if !strings.HasPrefix(set.Name, "cube/") {
			continue
		}
		if !want[set.Name] {
			t.Errorf("%s isn't in the figures", set.Name)
		}
		delete(want, set.Name)
		if set.Name != "cube/multi-class/6" {
			continue
		}
		train, test, err := set.Split(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		if share := float64(test.N()) / float64(train.N()+test.N()); math.Abs(share-0.3) > 0.01 || train.P() != 6 ||
			len(train.Classes) != 7 {
			t.Errorf("%d test rows of %d, %d features, %d classes", test.N(), train.N()+test.N(), train.P(), len(train.Classes))
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// Folds of the published sets have all rows once as test rows.
func TestBaselineFolds(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	want := map[string]int{"sporf/iris": 150, "fd_iris": 148} // Fernández-Delgado's folds leave two rows out
	for _, set := range baselineSets() {
		if want[set.Name] == 0 {
			continue
		}
		rows := 0
		for split := 1; split <= set.Splits; split++ {
			_, test, err := set.Split(t.Context(), split)
			if err != nil {
				t.Fatal(err)
			}
			rows += test.N()
		}
		if rows != want[set.Name] {
			t.Errorf("%s: %d test rows in all splits, want %d", set.Name, rows, want[set.Name])
		}
		delete(want, set.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// A division of HRF's sets has a fifth of the rows for testing, other ones each time, and no missing cells: Iris has
// 150 rows, and mammographic 961, of which some lack cells. TAO's data have the sizes of its table 1, and the same rows
// for each seed.
func TestBaselineDivisions(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	want := map[string][2]int{"hrf/iri": {120, 30}, "hrf/mam": {769, 192}, "tao/letter": {16000, 4000},
		"taoxgb25/mnist": {60000, 10000},
		"taoxgb/r8":      {5485, 2189}}
	for _, set := range baselineSets() {
		sizes, wanted := want[set.Name]
		if !wanted {
			continue
		}
		delete(want, set.Name)
		var first []int32
		for split := 1; split <= min(2, set.Splits); split++ {
			train, test, err := set.Split(t.Context(), split)
			if err != nil || train.CheckFinite() != nil || train.N() != sizes[0] || test.N() != sizes[1] {
				t.Fatalf("%s: %d and %d rows, %v", set.Name, train.N(), test.N(), err)
			}
			if same := slices.Equal(first, test.Labels); split == 2 && same != strings.HasPrefix(set.Name, "tao/") {
				t.Errorf("%s: the test rows are the same: %v", set.Name, same)
			}
			first = test.Labels
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
