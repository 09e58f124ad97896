package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// TestReportGODT reports made-up runs of forests, of GRAF and of Gaussian-mixture trees.
func TestReportGODT(t *testing.T) {
	run := func(job string, directions int, contender string, threads, round, trees int, fit, predict,
		err float64) record {
		return record{Date: "2026-03-04", Commit: "c3", Machine: "m", Job: job, Rows: 5148, TestRows: 1287, Features: 36,
			Classes: 6, Directions: directions, Contender: contender, Threads: threads, Round: round, Trees: trees,
			Fit: fit, Predict: predict, Error: err, Model: 3 << 19, Version: "v", Settings: "s"}
	}
	single := []record{
		run("godt-satimage", 36, "obliqua-mixture-tied", 1, 1, 1, 0.5, 0.02, 0.6),
		run("godt-satimage", 36, "obliqua-mixture-tied", 1, 2, 1, 0.25, 0.02, 0.6),
		run("godt-satimage", 36, "obliqua-mixture-tied", 1, 3, 1, 0.2, 0.02, 0.6),
		run("godt-satimage", 36, "scikit-learn-mixture-tied", 1, 1, 1, 2, 0.01, 0.6),
		run("godt-satimage", 36, "obliqua-mixture-full", 1, 1, 1, 3, 0.01, 0.7),
		run("godt-satimage", 36, "scikit-learn-mixture-full", 1, 1, 1, 2, 0.04, 0.7),
		run("godt-satimage", 36, "obliqua-godt", 1, 1, 1, 6, 0.01, 0.2),
		run("godt-satimage", 36, "scikit-learn-tree", 1, 1, 1, 2, 0.01, 0.1),
	}
	forests := []record{
		run("godt-satimage", 6, "obliqua-gorf", 1, 1, 200, 8, 0.03, 0.1),
		run("godt-satimage", 6, "scikit-learn", 1, 1, 200, 4, 0.06, 0.1),
		run("godt-satimage", 6, "obliqua-gorf", 2, 1, 200, 6, 0.02, 0.1),
		run("godt-satimage", 6, "scikit-learn", 2, 1, 200, 2, 0.04, 0.1),
	}
	singleLines := []string{
		"### Mixtures and single trees\n",
		// The median of 0.5, 0.25 and 0.2 over 2, and 0.02 over 0.01.
		"### Obliqua, mixture, tied covariance / scikit-learn, mixture, tied covariance: training ≤ 1, prediction ≤ 1\n\n" +
			"| job | training, 1 thread | prediction, 1 thread | our test error | theirs |\n" +
			"| --- | ---: | ---: | ---: | ---: |\n" +
			"| godt-satimage d=36 | 0.12 | **2.00** | 0.6000 | 0.6000 |\n",
		"| godt-satimage d=36 | **1.50** | 0.25 | 0.7000 | 0.7000 |\n",
		// No target, so nothing is bold.
		"### Obliqua GODT / scikit-learn, decision tree\n",
		"| godt-satimage d=36 | 3.00 | 1.00 | 0.2000 † | 0.1000 |\n",
		"### godt-satimage d=36: 5148 × 36, 6 classes, 1287 test rows, 1 tree\n",
		"| Obliqua, mixture, tied covariance | 0.250 (3) | 0.0200 (3) | 0.6000 | – | 1.50 |\n",
	}
	forestLines := []string{
		"### Forests of mixtures\n",
		"### Obliqua GORF / scikit-learn\n\n" +
			"| job | training, 1 thread | training, 2 threads | prediction, 1 thread | prediction, 2 threads | our test error " +
			"| theirs |\n" +
			"| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n" +
			"| godt-satimage d=6 | 2.00 | 3.00 | 0.50 | 0.50 | 0.1000 | 0.1000 |\n",
		"| Obliqua GORF | 8.00 (1) | 6.00 (1) | 0.0300 (1) | 0.0200 (1) | 0.1000 | – | 1.50 |\n",
	}
	graf := record{Date: "2026-02-03", Commit: "c2", Machine: "m", Job: "hypercube-binary", Rows: 14000, TestRows: 6000,
		Features: 12, Classes: 2, Directions: 12, Contender: "obliqua-graf", Threads: 1, Round: 1, Trees: 100, Fit: 3,
		Predict: 0.5, Error: 0.3}
	for _, c := range []struct {
		records         []record
		single, forests bool
	}{
		{nil, false, false},
		{single, true, false},
		{forests, false, true},
		{slices.Concat(single, forests), true, true},
	} {
		body := reported(t, slices.Concat(tiny(), []record{graf}, c.records))
		before, godt, found := strings.Cut(body, "\n## GODT\n")
		if found != (c.records != nil) {
			t.Fatalf("a part on GODT: %v; got\n%s", found, body)
		}
		if strings.Contains(before, "godt-") || strings.Contains(before, "Obliqua GO") ||
			!strings.Contains(before, "## Targets") || !strings.Contains(before, "## GRAF") {
			t.Errorf("above the part on GODT is\n%s", before)
		}
		if strings.Contains(godt, "hypercube") || strings.Contains(godt, "GQDT / ") || strings.Contains(godt, "| – | – |") {
			t.Errorf("the part on GODT has what wasn't measured:\n%s", godt)
		}
		for _, part := range []struct {
			lines []string
			there bool
		}{{singleLines, c.single}, {forestLines, c.forests}} {
			for _, want := range part.lines {
				if strings.Contains(godt, want) != part.there {
					t.Errorf("%q should be there: %v; got\n%s", want, part.there, godt)
				}
			}
		}
	}
}

// reported returns the page that the report command makes of some runs.
func reported(t *testing.T, records []record) string {
	t.Helper()
	folder := t.TempDir()
	csv, page := filepath.Join(folder, "runs.csv"), filepath.Join(folder, "page.md")
	s, err := openSheet(csv)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		must.Do(s.add(r))
	}
	must.Do(os.WriteFile(page, []byte(beginMark+endMark), 0o644))
	must.Do(reportCommand([]string{"-csv", csv, "-page", page}))
	body, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestGODTJobs checks that -jobs ^godt- selects these jobs.
func TestGODTJobs(t *testing.T) {
	var names []string
	for _, j := range jobs {
		if regexp.MustCompile("^godt-").MatchString(j.String()) {
			names = append(names, j.String())
		}
	}
	want := []string{"godt-satimage d=36", "godt-satimage d=6", "godt-letter d=16", "godt-letter d=4",
		"godt-usps d=256", "godt-usps d=16", "godt-madelon d=500", "godt-madelon d=23"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// TestPrograms checks that every contender of a job is in the list, and known to the program that runs it.
func TestPrograms(t *testing.T) {
	python, err := os.ReadFile("peers.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		for _, name := range j.contenders() {
			k := slices.IndexFunc(contenders, func(c contender) bool { return c.Name == name })
			if k < 0 {
				t.Fatalf("%s: no contender %q", j, name)
			}
			switch contenders[k].Program {
			case "self":
				if newLearner(name, 1, 1, 1) == nil || contenders[k].Settings == "" {
					t.Errorf("%s: %q isn't one of ours", j, name)
				}
			case "python", "treeple":
				if !strings.Contains(string(python), `"`+name+`": `) {
					t.Errorf("%s: peers.py has no %q", j, name)
				}
			}
		}
	}
}

// TestGODTData checks the sizes of the parts; those of testing are the thesis's.
func TestGODTData(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("OBLIQUA_DATA is unset")
	}
	for _, j := range jobs {
		if partOf(j.Name) != "GODT" || j.Threads != 1 {
			continue // the same data
		}
		train, test, err := j.load()
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[string][2]int{"godt-satimage": {5148, 1287}, "godt-letter": {15000, 5000}, "godt-usps": {7438, 1860},
			"godt-madelon": {2000, 600}}
		if got := [2]int{train.N(), test.N()}; got != sizes[j.Name] || train.P() != j.Features {
			t.Errorf("%s: %v rows, %d features; want %v and %d", j.Name, got, train.P(), sizes[j.Name], j.Features)
		}
		if c := slices.Concat(train.ClassCounts(), test.ClassCounts()); slices.Min(c) == 0 {
			t.Errorf("%s: rows by class are %v", j.Name, c)
		}
	}
}
