package old

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/forest/rf"
)

// The files in docs/results have the runs of the experiments, as these were listed before they became studies: testdata
// has the name, file, number of runs and first 16 digits of the SHA-256 of their lines. Runs may have been added behind
// them.
func TestIdentitiesStay(t *testing.T) {
	text, err := os.ReadFile("testdata/identities.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		paper := strings.Contains(want, "-paper ")
		var e Experiment
		switch name {
		case "boostpeers":
			e = BoostPeers(paper, nil)
		default:
			if e, err = named(name, paper); err != nil {
				t.Fatal(err)
			}
		}
		var known int
		if _, err := fmt.Sscanf(want, e.Name+" %d", &known); err != nil || known > len(e.Runs) {
			t.Errorf("%s has %d runs; want %s", e.Name, len(e.Runs), want)
			continue
		}
		h := sha256.New()
		for _, run := range e.Runs[:known] {
			fmt.Fprintln(h, run)
		}
		if got := fmt.Sprintf("%s %d %x", e.Name, known, h.Sum(nil)[:8]); got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
}

// Every record of an experiment's file in docs/results is of one of its runs.
func TestCommittedResultsAreFound(t *testing.T) {
	for name := range registered {
		e, err := named(name, true)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(e.Name, "sets") {
			continue
		}
		records, err := readRecords("../../../docs/results/" + e.Name + ".csv")
		if errors.Is(err, fs.ErrNotExist) || name == "sets" { // the sets of other papers, too
			continue
		}
		if err != nil {
			t.Error(err)
		}
		listed := map[identity]bool{}
		for _, run := range e.Runs {
			listed[run.identity()] = true
		}
		other := 0
		for _, r := range records {
			if !listed[r.identity()] {
				other++
			}
		}
		if other > 0 {
			t.Errorf("%s: %d of %d records are of no run", e.Name, other, len(records))
		}
	}
}

// A study has each combination once, the loop that order names last fastest.
func TestStudyRuns(t *testing.T) {
	s := study{
		problems: []problem{{name: "a"}, {name: "b"}}, methods: []method{{name: "m"}, {name: "n"}},
		xs: []int{5, 7}, repeats: 2, order: "xprm",
		do: func(_ context.Context, t *trial) error {
			t.Setting = fmt.Sprint(t.problem.name, t.method.name, t.X, t.Repeat, t.Seed)
			return nil
		},
	}
	var want []string
	for _, x := range []int{5, 7} {
		for _, p := range []string{"a", "b"} {
			for repeat := 1; repeat <= 2; repeat++ {
				for _, m := range []string{"m", "n"} {
					want = append(want, fmt.Sprintf("%s, %s, %d, repeat %d, seed %d", p, m, x, repeat, repeat))
				}
			}
		}
	}
	runs := s.runs()
	if len(runs) != len(want) {
		t.Fatalf("%d runs; want %d", len(runs), len(want))
	}
	for i, run := range runs {
		r, err := run.Do(t.Context(), run)
		if run.String() != want[i] || err != nil ||
			r.Setting != fmt.Sprint(run.Problem, run.Method, run.X, run.Repeat, run.Seed) {
			t.Errorf("run %d is %v, error %v, done as %s; want %s", i, run, err, r.Setting, want[i])
		}
	}
	s = study{problems: s.problems[:1], methods: s.methods[:1], seed: 9}
	if runs := s.runs(); len(runs) != 1 || runs[0].String() != "a, m, 0, repeat 1, seed 9" {
		t.Errorf("%v; want one run with the study's seed", runs)
	}
}

func TestSeeded(t *testing.T) {
	first := rf.Learner{Trees: 3, Seed: 1}
	if got := seeded(first, 8); got != (rf.Learner{Trees: 3, Seed: 8}) || first.Seed != 1 {
		t.Errorf("%+v, and the first became %+v", got, first)
	}
}
