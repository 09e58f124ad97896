package spark

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// The test's own program is the worker.
func TestMain(m *testing.M) {
	cluster.Main(rf.Learner{}, sporf.Learner{}, troubled{})
	os.Exit(m.Run())
}

// A troubled learner grows a random forest, but has trouble where it runs in a worker.
type troubled struct {
	rf.Learner
	Trouble string // "dies", "talks and dies", "is killed", "error", or "waits": for the file go in the folder
	Folder  string // in which it leaves a file task… for each time
}

func (l troubled) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

func (l troubled) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	if os.Getenv("OBLIQUA_WORKER") == "" {
		return l.Learner.Grow(ctx, train, o)
	}
	mark, err := os.CreateTemp(l.Folder, "task*")
	if err != nil {
		return nil, err
	}
	mark.Close()
	switch l.Trouble {
	case "dies":
		panic("out of everything")
	case "talks and dies":
		os.Stderr.WriteString(strings.Repeat("out of everything\n", 1<<16)) // Go cuts a panic as long as a pipe
		panic("really")
	case "is killed":
		must.Value(os.FindProcess(os.Getpid())).Kill()
	case "error":
		return nil, errors.New("row 7 is unlucky")
	case "waits":
		for {
			if _, err := os.Stat(filepath.Join(l.Folder, "go")); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return l.Learner.Grow(ctx, train, o)
}

// begun returns how many tasks have begun.
func (l troubled) begun() int {
	marks, _ := filepath.Glob(filepath.Join(l.Folder, "task*"))
	return len(marks)
}

// proceed lets tasks that wait go on.
func (l troubled) proceed(t *testing.T) {
	t.Helper()
	must.Do(os.WriteFile(filepath.Join(l.Folder, "go"), nil, 0o600))
}

func encoded(f *forest.Forest) []byte { return must.Value(f.MarshalBinary()) }

// patience is how long nothing may happen before a test gives up.
const patience = 3 * time.Minute

// eventually returns when a condition holds. It fails if nothing happens meanwhile: progress counts what does.
func eventually(t *testing.T, what string, progress func() int, condition func() bool) {
	t.Helper()
	seen := progress()
	for until := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().Before(until) {
			continue
		}
		now := progress()
		if now == seen {
			t.Fatalf("nothing has happened for %v, while the test waits until %s", patience, what)
		}
		seen, until = now, time.Now().Add(patience)
	}
}
