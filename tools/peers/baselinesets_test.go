package main

import (
	"fmt"
	"math"
	"os"
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
