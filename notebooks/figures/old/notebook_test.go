package old

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

func record(problem, method string, x int, score float64) Record {
	return Record{Run: Run{Problem: problem, Method: method, X: x, Repeat: 1}, Result: Result{Score: score}}
}

func order(means []Mean) string {
	var text []string
	for _, m := range means {
		text = append(text, fmt.Sprint(m.Method, " ", m.X))
	}
	return strings.Join(text, ", ")
}

func TestOrderOfMeans(t *testing.T) {
	records := []Record{record("p", "SPORF", 200, 1), record("p", "RF", 1000, 1), record("p", "other", 50, 1),
		record("p", "SPORF", 50, 1), record("p", "RF", 50, 1)}
	others := []Record{record("p", "one", 5, 1), record("p", "two", 5, 1), record("p", "one", 9, 1),
		record("p", "two", 9, 1)}
	if got, want := order(SPORFMeans(others)), "one 5, one 9, two 5, two 9"; got != want {
		t.Errorf("other methods: %s; want %s", got, want)
	}
	if got, want := order(MeansByX(records)), "other 50, SPORF 50, RF 50, SPORF 200, RF 1000"; got != want {
		t.Errorf("by X: %s; want %s", got, want)
	}
	if got, want := order(SPORFMeans(records)), "other 50, RF 50, RF 1000, SPORF 50, SPORF 200"; got != want {
		t.Errorf("by method: %s; want %s", got, want)
	}
}

func TestCurvesAndTable(t *testing.T) {
	means := []Mean{
		{Problem: "a", Method: "RF", X: 10, Mean: 0.5, StdErr: 0.25, Repeats: 2},
		{Problem: "b", Method: "RF", X: 10, Mean: 9, Repeats: 1},
		{Problem: "a", Method: "RF", X: 20, Mean: 0.25, StdErr: math.NaN(), Repeats: 1}, // one repeat has no standard error
		{Problem: "a", Method: "SPORF", X: 10, Mean: 0.125, StdErr: 0.5, Repeats: 3},
	}
	c := Curves("title", "rows", "error", means, "a", nil)
	if got, want := fmt.Sprintf("%s %s %s %v", c.Title, c.X, c.Y, c.Series),
		"title rows error [{RF [10 20] [0.5 0.25] [0.25 0]} {SPORF [10] [0.125] [0.5]}]"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	var text strings.Builder
	writeTable(&text, "Errors", means, "a")
	space := strings.Repeat
	want := "Errors\n" + // names are 16 characters wide, X five, with three spaces before it
		"  RF" + space(" ", 14+3+3) + "10: 0.5000 ± 0.2500 (2)" + space(" ", 3+3) + "20: 0.2500 ± 0.0000 (1)\n" +
		"  SPORF" + space(" ", 11+3+3) + "10: 0.1250 ± 0.5000 (3)\n"
	if text.String() != want {
		t.Errorf("%q; want %q", text.String(), want)
	}
}

func TestDots(t *testing.T) {
	s := Dots("d", []float64{1, 2, 5}, []float64{3, 4, 6})
	if got, want := fmt.Sprint(s.Name, s.X, s.Y), "d[1 2 2 5 5] [3 NaN 4 NaN 6]"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if empty := Dots("d", nil, nil); len(empty.X) != 0 || len(empty.Y) != 0 {
		t.Errorf("%v; want no points", empty)
	}
}

// TestComputeKeepsThePapersSetting: records of the paper's setting go to docs/results, from where they are
// committed; those of the fast one don't. Without data, an experiment that needs them isn't run.
func TestComputeKeepsThePapersSetting(t *testing.T) {
	top := t.TempDir()
	for _, folder := range []string{"notebooks", "docs/results"} {
		must.Do(os.MkdirAll(filepath.Join(top, folder), 0o777))
	}
	t.Chdir(filepath.Join(top, "notebooks"))
	runs := 0
	for _, file := range []string{"e", "f"} {
		registered["computed "+file] = entry{file, func(size) []Run {
			return []Run{{Problem: "p", Method: "m", X: 1, Repeat: 1, Do: func(context.Context, Run) (Result, error) {
				runs++
				return Result{Score: 0.5}, nil
			}}}
		}}
		t.Cleanup(func() { delete(registered, "computed "+file) })
	}
	if r := Committed("e"); r != nil {
		t.Errorf("%v before anything was run; want nil", r)
	}
	if r := Compute("computed e", false); len(r) != 1 || r[0].Score != 0.5 {
		t.Errorf("%v; want one record with score 0.5", r)
	}
	if files, _ := filepath.Glob("../docs/results/*"); len(files) != 0 {
		t.Errorf("the fast setting left %v", files)
	}
	for range 2 { // the second finds the run in the file
		if r := Compute("computed e", true); len(r) != 1 || r[0].Score != 0.5 {
			t.Errorf("%v; want one record with score 0.5", r)
		}
	}
	if r := Committed("e"); len(r) != 1 || r[0].Score != 0.5 {
		t.Errorf("committed %v; want one record with score 0.5", r)
	}
	if runs != 2 {
		t.Errorf("%d runs; want 2: one fast, one of the paper's setting", runs)
	}
	t.Setenv("OBLIQUA_DATA", "")
	if r := ComputeOnData("computed f", false); r != nil || runs != 2 {
		t.Errorf("without data %v after %d runs; want nil after 2", r, runs)
	}
	t.Setenv("OBLIQUA_DATA", "somewhere")
	if r := ComputeOnData("computed f", false); len(r) != 1 {
		t.Errorf("with data %v; want one record", r)
	}
}
