package gpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// tool runs a command in a folder and returns what it prints.
func tool(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, out)
	}
	return string(out)
}

// Without the tag cuda no package needs cgo, or anything of gorgonia.
func TestDefaultBuildHasNoCUDA(t *testing.T) {
	if testing.Short() {
		t.Skip("lists all packages")
	}
	if list := tool(t, "..", []string{"CGO_ENABLED=0"}, "go", "list", "-deps", "./..."); strings.Contains(list,
		"gorgonia") || !strings.Contains(list, "obliqua/gpu") {
		t.Error("go list -deps ./... names gorgonia, or no package gpu")
	}
	if list := tool(t, "..", []string{"CGO_ENABLED=1"}, "go", "list", "-deps", "-tags", "cuda",
		"./gpu"); strings.Contains(list, "gorgonia.org/cu\n") != true {
		t.Error("with the tag cuda package gpu doesn't import gorgonia.org/cu")
	}
}

// A module that imports forest/graf downloads nothing of gorgonia. The modules come from this
// machine's cache.
func TestUserDownloadsNoCUDA(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks modules")
	}
	root := must.Value(filepath.Abs(".."))
	cache := strings.TrimSpace(tool(t, "..", nil, "go", "env", "GOMODCACHE"))
	user, modules := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/user\n\ngo 1.26\n\nrequire github.com/obliqua-ml/obliqua v0.0.0\n\nreplace " +
			"github.com/obliqua-ml/obliqua => " + root + "\n",
		"main.go": "package main\n\nimport _ \"github.com/obliqua-ml/obliqua/forest/graf\"\n\nfunc main() {}\n",
	} {
		must.Do(os.WriteFile(filepath.Join(user, name), []byte(text), 0o666))
	}
	env := []string{"GOMODCACHE=" + modules, "GOFLAGS=-mod=mod -modcacherw",
		"GOPROXY=file://" + filepath.Join(cache, "cache", "download"), "GOSUMDB=off"}
	tool(t, user, env, "go", "list", "-deps", ".")
	downloads := filepath.Join(modules, "cache", "download")
	if _, err := os.Stat(filepath.Join(downloads, "golang.org")); err != nil {
		t.Errorf("golang.org/x/sys, which forest/graf needs, wasn't downloaded: %v", err)
	}
	if _, err := os.Stat(filepath.Join(downloads, "gorgonia.org")); err == nil {
		t.Error("something of gorgonia.org was downloaded")
	}
}
