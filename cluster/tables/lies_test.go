package tables

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// A liar is an engine that changes the answers of its workers to tasks of one kind.
type liar struct {
	cluster.Local
	kind string
	lie  func(answer []byte) []byte
}

func (e liar) Run(ctx context.Context, job cluster.Job, done func(int, []byte) error) error {
	return e.Local.Run(ctx, job, func(i int, answer []byte) error {
		if strings.Contains(job.Tasks[i], `"Kind":"`+e.kind+`"`) {
			answer = e.lie(answer)
		}
		return done(i, answer)
	})
}

// changed returns an answer with a change.
func changed[A any](t *testing.T, change func(a *A)) func([]byte) []byte {
	return func(answer []byte) []byte {
		var a A
		must.Do(gob.NewDecoder(bytes.NewReader(answer)).Decode(&a))
		change(&a)
		var b bytes.Buffer
		must.Do(gob.NewEncoder(&b).Encode(a))
		return b.Bytes()
	}
}

// Numbers that can't be are refused, and don't end the program.
func TestLyingWorkers(t *testing.T) {
	in := written(t, "a.csv", "id,x1\n1,2\n")
	model := fit(t, rf.Learner{Trees: 2, Seed: 1}, sim.Trunk{Features: 1}.Sample(50, 1))
	for _, s := range []shard{{First: -1, After: 3}, {First: 3, After: 3}, {First: 1 << 62, After: -1 << 62},
		{After: 9, Lines: -1}} {
		e := liar{cluster.Local{Workers: 1}, "tables.plan", changed(t, func(p *plan) { p.Shards = []shard{s} })}
		_, err := Predict(t.Context(), e, model, in, t.TempDir(), "id", Options{})
		readtest.WantError(t, err, "a.csv: a worker sends a shard of rows or bytes")
	}
	out := t.TempDir()
	must.Value(predictHere(t, model, in, out, "id", Options{}))
	text := strings.Replace(readFiles(t, out)[descriptionName], `"First": 0`, `"First": -7`, 1)
	write(t, filepath.Join(out, descriptionName), []byte(text))
	_, err := predictHere(t, model, in, out, "id", Options{})
	readtest.WantError(t, err, descriptionName+" is damaged")
}

// An engine that stands in the middle of a job and lets something else happen.
type interrupted struct {
	cluster.Local
	meanwhile func()
}

func (e interrupted) Run(ctx context.Context, job cluster.Job, done func(int, []byte) error) error {
	e.meanwhile()
	return e.Local.Run(ctx, job, done)
}

// A program that writes to a folder to which another one writes is told, and removes nothing of it.
func TestTwoDrivers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock")
	}
	model := trunkModel(t, 1)
	in, out := written(t, "a.csv", "id,x1,x2\n1,2,3\n"), t.TempDir()
	second := errors.New("never called")
	e := interrupted{cluster.Local{Workers: 1}, func() {
		file := must.Value(atomicfile.Create(out))
		_, second = predictHere(t, model, in, out, "id", Options{})
		err := atomicfile.Replace(filepath.Join(out, "written"), file, func(w io.Writer) error { return nil })
		if err := errors.Join(err, os.Remove(filepath.Join(out, "written"))); err != nil {
			t.Errorf("the first program can't go on: %v", err)
		}
	}}
	if _, err := Predict(t.Context(), e, model, in, out, "id", Options{}); err != nil {
		t.Error(err)
	}
	if want := fmt.Sprintf("tables: the folder %s is being written by process %d; wait", out,
		os.Getpid()); second == nil || !strings.HasPrefix(second.Error(), want) {
		t.Errorf("the second program: error %v, want %q", second, want)
	}
	if _, err := predictHere(t, model, in, out, "id", Options{}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
