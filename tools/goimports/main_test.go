package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

const root = "../.."

func TestWithImports(t *testing.T) {
	ours := map[string]string{"viz": "m/viz", "forest": "m/forest", "rf": "m/forest/rf"}
	for _, test := range []struct{ name, source, want string }{
		{"used", "package main\n\nfunc main() { viz.Show(rf.Learner{}) }\n",
			"package main\nimport \"m/forest/rf\"\nimport \"m/viz\"\n\nfunc main() { viz.Show(rf.Learner{}) }\n"},
		{"a type", "package main\nvar model *forest.Forest", "package main\nimport \"m/forest\"\nvar model *forest.Forest"},
		{"beside others", "package main\nimport \"fmt\"\nfunc main() { fmt.Print(viz.Palette) }",
			"package main\nimport \"m/viz\"\nimport \"fmt\"\nfunc main() { fmt.Print(viz.Palette) }"},
		{"imported", "package main\nimport \"m/viz\"\nfunc main() { viz.Show() }", ""},
		{"imported under its name from elsewhere", "package main\nimport \"other/viz\"\nfunc main() { viz.Show() }", ""},
		{"imported under another name", "package main\nimport v \"m/viz\"\nfunc main() { v.Show() }", ""},
		{"another package under its name", "package main\nimport viz \"other/charts\"\nfunc main() { viz.Show() }", ""},
		{"a variable", "package main\nfunc main() { forest, err := f(); forest.Save(err) }", ""},
		{"a variable of the package", "package main\nvar viz T\nfunc main() { viz.Show() }", ""},
		{"a parameter", "package main\nfunc f(rf T) { rf.Fit() }", ""},
		{"a field", "package main\nfunc main() { x := f(); x.viz.Show() }", ""},
		{"a function without a selector", "package main\nfunc main() { viz() }", ""},
		{"not ours", "package main\nfunc main() { fmt.Print() }", ""},
		{"a syntax error", "package main\nfunc main() { viz.Show( }", ""},
	} {
		if got := string(withImports([]byte(test.source), ours)); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestPackages compares with what go list says about the repository, and requires that a
// name means one package only, and none of the standard library.
func TestPackages(t *testing.T) {
	got := must.Value(packages(root))
	list := func(folder string, args ...string) []string {
		t.Helper()
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Dir = filepath.Join(root, folder)
		cmd.Stderr = os.Stderr
		out := must.Value(cmd.Output())
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	standard := list(".", "-f", "{{.Name}}", "std")
	first := map[string]bool{}
	const format = "{{.Name}} {{.ImportPath}} {{len .GoFiles}}"
	// cluster/spark is a module of its own, which a cell can add to its workspace.
	for _, line := range append(list(".", "-e", "-f", format, "./..."),
		list("cluster/spark", "-e", "-f", format, ".")...) {
		fields := strings.Fields(line)
		name, importPath := fields[0], fields[1]
		inside := strings.TrimPrefix(importPath, module)
		if name == "main" || fields[2] == "0" || strings.Contains(inside+"/", "/internal/") ||
			strings.HasPrefix(inside, "/tools") {
			continue
		}
		if first[name] {
			continue // a name that is taken, such as that of a learner by its paper's figures
		}
		first[name] = true
		if got[name] != importPath {
			t.Errorf("%s is %q; want %q", name, got[name], importPath)
		}
		if slices.Contains(standard, name) {
			t.Errorf("%s has the name of a package of the standard library", importPath)
		}
	}
	if len(got) != len(first) {
		t.Errorf("%d packages; want %d", len(got), len(first))
	}
}

// TestRun puts the program where it belongs, and another one into the place of the real goimports.
func TestRun(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	place := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                "module " + module + "\n",
		"viz/show.go":           "package viz\n\nfunc Show() {}\n",
		"viz/run/main.go":       "package main\n\nfunc main() {}\n",
		".lab/deps/goimports":   "#!/bin/sh\necho \"$@\"; cat \"$2\"; exit 3\n",
		"cell.go":               "package main\nfunc main() { viz.Show(); run.It() }",
		".lab/venv/run/main.go": "package run\n",
	} {
		name = filepath.Join(place, name)
		must.Do(os.MkdirAll(filepath.Dir(name), 0o777))
		must.Do(os.WriteFile(name, []byte(text), 0o777))
	}
	program := filepath.Join(place, ".lab", "bin", "goimports")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cell := filepath.Join(place, "cell.go")
	cmd := exec.Command(program, "-w", cell)
	out, err := cmd.Output()
	want := "-w " + cell + "\npackage main\nimport \"" + module + "/viz\"\nfunc main() { viz.Show(); run.It() }"
	if string(out) != want {
		t.Errorf("the real goimports was called with\n%s\nwant\n%s", out, want)
	}
	if err == nil || cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%v; want exit status 3, that of the real goimports", err)
	}
}
