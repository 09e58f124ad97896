package now

import (
	"fmt"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/notebooks/figures"
)

// A figure whose parts have runs of one experiment keeps those of all parts.
func TestAllParts(t *testing.T) {
	t.Chdir("../..") // where notebooks are
	r := run("sporf", "2", Small{Trees: 2, Repeats: 1, X: []int{400, 1000}, Methods: []string{"RF"}})
	problems := map[string]int{}
	for _, record := range r.Records(figures.Runs("sporf", "2")[0].Experiment.On()) {
		problems[record.Problem]++
	}
	if got, want := fmt.Sprint(problems), "map[orthant:1 sparse parity:1]"; got != want {
		t.Errorf("runs of %s, want %s", got, want)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "{orthant RF 400}") {
			t.Errorf("without runs: %s; want what there is", text)
		}
	}()
	run("sporf", "2", Small{Methods: []string{"rf"}})
}
