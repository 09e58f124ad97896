// Package rules_test tests rules of this repository.
package rules_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const root = "../.."

func lines(t *testing.T, name string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// network matches packages that would add size to every program that predicts. Charts import no network either.
var network = regexp.MustCompile(`^(net/http|crypto/tls)$`)

// heavy matches packages that light packages must not import: each would add compile time to every notebook cell.
// Charts import some.
var heavy = regexp.MustCompile(
	`^(gonum\.org/v1/(plot|gonum/mat)|github\.com/(go-echarts|janpfeifer/gonb|apache/arrow-go))(/|$)`)

func TestLightPackages(t *testing.T) {
	for _, light := range []string{"datasets", "forest", "forest/rf", "forest/auto", "forest/eval", "sim", "viz",
		"viz/once"} {
		for _, dep := range lines(t, "go", "list", "-deps", "./"+light) {
			if network.MatchString(dep) || heavy.MatchString(dep) && light != "viz" {
				t.Errorf("%s imports %s", light, dep)
			}
		}
	}
}

// What a cell links in a page: each package would be downloaded, and linked for each cell.
func TestCellsOfPages(t *testing.T) {
	unused := regexp.MustCompile(`^(net|net/http|crypto/tls|encoding/gob|k8s\.io/klog/v2|codeberg\.org/go-pdf/fpdf)$` +
		`|^github\.com/janpfeifer/gonb/|^gonum\.org/v1/plot/vg/vg(eps|pdf|tex)$`)
	for _, dep := range lines(t, "env", "GOOS=js", "GOARCH=wasm", "go", "list", "-deps", "-tags=minimal", "./notebooks/nb",
		"./notebooks/lessons/exercise") {
		if unused.MatchString(dep) {
			t.Errorf("a cell in a page imports %s", dep)
		}
	}
}

// Tests that draw at random draw the same in each run, unless they are told otherwise.
func TestRandomTestsAreSteady(t *testing.T) {
	for _, p := range lines(t, "go", "list", "-f", "{{.ImportPath}} {{.TestImports}} {{.XTestImports}}", "./...") {
		if strings.Contains(p, "pgregory.net/rapid") && !strings.Contains(p, "obliqua/internal/steady") {
			t.Errorf("tests import rapid and not internal/steady: %s", p)
		}
	}
}

// before matches what may precede the first slash of a full path.
const before = `(^|[^\w.)}/-]|file://)`

// machine matches what is valid on one machine only: the full path of a home, temporary
// or working folder, or the host of a package registry. It doesn't match paths within
// addresses.
var machine = regexp.MustCompile(before + `/(home|Users|root|work|tmp|private)/[\w.]` +
	`|proxy\.golang\.org|files\.pythonhosted|registry\.npmjs|deb\.debian`)

func TestMachine(t *testing.T) {
	for _, test := range []struct {
		line string
		want bool
	}{
		{"cat " + "/home" + "/ann/x", true},
		{`open("` + "/tmp" + `/x")`, true},
		{"file://" + "/work" + "/main", true},
		{"/root" + "/go/pkg", true},
		{"https://example.org" + "/work" + "/paper.pdf", false},
		{"docs" + "/home" + "/index", false},
		{"files under /tmp/", false},
		{"/usr/bin/env bash", false},
		{"GOPROXY=https://proxy" + ".golang.org", true},
	} {
		if got := machine.MatchString(test.line); got != test.want {
			t.Errorf("%q: got %v, want %v", test.line, got, test.want)
		}
	}
}

// No line of a file names a place on one machine, and none of Go is wider than 120 columns, but for generated ones and
// what examples print.
func TestLines(t *testing.T) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("not a clone, so what is committed is unknown")
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	here := regexp.MustCompile(before + regexp.QuoteMeta(top) + `\b`)
	for _, name := range lines(t, "git", "ls-files") {
		body, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, but not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(body, 0) >= 0 {
			continue // not a text file
		}
		for i, line := range strings.Split(string(body), "\n") {
			if machine.MatchString(line) || here.MatchString(line) {
				t.Errorf("%s:%d: names a place on one machine: %.200s", name, i+1, line)
			}
			if wide := utf8.RuneCountInString(line) > 120; wide && strings.HasSuffix(name, ".go") &&
				!strings.HasSuffix(name, ".pb.go") && !strings.Contains(line, "// Output: ") {
				t.Errorf("%s:%d is wider than 120 columns", name, i+1)
			}
		}
	}
}
