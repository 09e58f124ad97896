package nb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// cells are programs that TestCells runs as processes of their own.
var cells = map[string]func(){
	"must": func() {
		fmt.Print("before ")
		nb.Must(nil)
		fmt.Print("between ")
		nb.Must(errors.New("no such row"))
		fmt.Print("after")
	},
	"value": func() {
		fmt.Print(nb.Value(7, nil))
		fmt.Print(nb.Value(8, errors.New("no such value")))
	},
	"deferred": func() {
		defer fmt.Print("deferred")
		nb.Must(errors.New("gone"))
	},
	"interrupted": func() {
		ctx := nb.Context()
		nb.Must(ctx.Err())
		self := nb.Value(os.FindProcess(os.Getpid()))
		nb.Must(self.Signal(os.Interrupt))
		select {
		case <-nb.Context().Done():
			nb.Must(ctx.Err())
		case <-time.After(time.Minute):
			fmt.Print("not cancelled")
		}
	},
	"fine":    func() { fmt.Print(nb.Load("iris").N()) },
	"load":    func() { nb.Load("balence-scale") },
	"file":    func() { nb.Load("try/churn.csv") },
	"address": func() { nb.Read("https://example.org/t.csv", "y") },
	"nothing": func() { nb.Save("report.html") },
	"kind":    func() { nb.Save("model.onnx", 7) },
	"fit":     func() { nb.Fit(failing{}, sim.Trunk{Features: 2}.Sample(10, 1)) },
	"not kept": func() {
		dir := os.Getenv("OBLIQUA_CACHE")
		nb.Must(os.WriteFile(filepath.Join(dir, "models"), nil, 0o600)) // a file where the folder should be
		fmt.Print(len(nb.Fit(rf.Learner{Trees: 3}, sim.Trunk{Features: 2}.Sample(10, 1)).Trees), " trees")
	},
}

// failing is a learner that always returns an error.
type failing struct{}

func (failing) Fit(ctx context.Context, _ *datasets.Dataset) (*forest.Forest, error) {
	forest.Progress(ctx)(1, 2)
	return nil, errors.New("failing: no forest")
}

func TestMain(m *testing.M) {
	if cell, ok := cells[os.Getenv("NB_TEST_CELL")]; ok {
		cell()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestCells: an error ends the process with status 1 and its own words alone on standard error; what was
// printed before it stays.
func TestCells(t *testing.T) {
	tests := []struct {
		cell, stdout, stderr string
		status               int
	}{
		{"must", "before between ", "no such row\n", 1},
		{"value", "7", "no such value\n", 1},
		{"deferred", "", "gone\n", 1},
		{"interrupted", "", "context canceled\n", 1},
		{"fine", "150", "", 0}, // Fisher's irises
	}
	for _, test := range tests {
		if test.cell == "interrupted" && runtime.GOOS == "windows" {
			continue // no process can send an interrupt there
		}
		stdout, stderr, status := run(t, test.cell)
		if stdout != test.stdout || stderr != test.stderr || status != test.status {
			t.Errorf("%q, %q, status %d; want %+v", stdout, stderr, status, test)
		}
	}
	_, stderr, status := run(t, "load")
	if !strings.Contains(stderr, `"balance-scale"`) || strings.Contains(stderr, "goroutine") || status != 1 {
		t.Errorf("load: %q, status %d; want the name that was meant, and status 1", stderr, status)
	}
	for cell, want := range map[string]string{
		"file":    `nb: try/churn.csv is a file; nb.Read("try/churn.csv", "target column") reads it`,
		"address": "download the file",
		"nothing": "a report of nothing", "kind": "can't write a int to model.onnx",
	} {
		if _, stderr, status := run(t, cell); !strings.Contains(stderr, want) || status != 1 {
			t.Errorf("%s: %q, status %d; want %q, and status 1", cell, stderr, status, want)
		}
	}
	// The bar leaves its line first.
	_, stderr, status = run(t, "fit")
	if !strings.HasPrefix(stderr, "nb_test.failing on ") || !strings.HasSuffix(stderr, "\nfailing: no forest\n") ||
		status != 1 {
		t.Errorf("fit: %q, status %d; want the learner's error after the line of progress, and status 1", stderr, status)
	}
}

// A model that can't be kept isn't lost: the cell goes on with it, after a warning.
func TestFitWithoutPlaceToKeep(t *testing.T) {
	stdout, stderr, status := run(t, "not kept")
	if stdout != "3 trees" || status != 0 || !strings.Contains(stderr, "\nwarning: once: keep the model: ") {
		t.Errorf("%q, %q, status %d; want 3 trees, a warning and status 0", stdout, stderr, status)
	}
}

// run returns what a cell prints, and its exit status.
func run(t *testing.T, cell string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NB_TEST_CELL="+cell, "OBLIQUA_CACHE="+t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// counting is a learner that counts how often it trains.
type counting struct{ Seed uint64 }

var trained int

func (l counting) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	trained++
	return rf.Learner{Trees: 3, Seed: l.Seed}.Fit(ctx, train)
}

func TestFitTrainsOnce(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	train := sim.Trunk{Features: 2}.Sample(50, 1)
	first, again := nb.Fit(counting{1}, train), nb.Fit(counting{1}, train)
	if trained != 1 {
		t.Errorf("trained %d times; want once", trained)
	}
	a, b := nb.Value(first.MarshalBinary()), nb.Value(again.MarshalBinary())
	if !bytes.Equal(a, b) {
		t.Error("the second call returns another model")
	}
	if want := nb.Value(rf.Learner{Trees: 3, Seed: 1}.Fit(t.Context(), train)); !slices.Equal(
		must.Value(first.Predict(t.Context(), train)),
		must.Value(want.Predict(t.Context(), train)),
	) {
		t.Error("the model isn't the learner's")
	}
	if nb.Fit(counting{2}, train); trained != 2 {
		t.Errorf("trained %d times with another seed; want twice", trained)
	}
}

// TestShow: outside a notebook, a picture is a file; several charts are one picture.
func TestShow(t *testing.T) {
	t.Chdir(t.TempDir())
	bars := viz.Bars{Title: "alone", Names: []string{"a"}, Values: []float64{1}}
	nb.Show(bars)
	nb.Show(bars, bars)
	files, err := filepath.Glob("*.png")
	if err != nil || len(files) != 2 || !slices.Contains(files, "alone.png") {
		t.Errorf("files %v, %v; want alone.png and one more", files, err)
	}
}
