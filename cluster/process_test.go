package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// What processes of the test do besides: prints is what they print before Main; holds is a folder, and
// the process is the child of a worker, which holds its pipes; drives is a folder, and the process is a
// driver that is to be killed.
const (
	prints = "CLUSTER_TEST_PRINTS"
	holds  = "CLUSTER_TEST_HOLDS"
	drives = "CLUSTER_TEST_DRIVES"
)

var standardOutput = os.Stdout // before Main has replaced it

func beforeMain() {
	if folder := os.Getenv(holds); folder != "" {
		hold(folder)
	}
	fmt.Print(os.Getenv(prints))
}

func afterMain() {
	if folder := os.Getenv(drives); folder != "" {
		file := NewFile([]byte("all rows of the training data"))
		fmt.Println(Map(context.Background(), Local{Workers: 1}, "children", []File{file}, []string{folder},
			func(int, int) error { return nil }))
		os.Exit(1)
	}
}

// hold waits until the folder or its file "wanted" is gone. After two minutes it leaves a file "given up".
func hold(folder string) {
	for range 12000 {
		if _, err := os.Stat(filepath.Join(folder, "wanted")); err != nil {
			os.Exit(0)
		}
		time.Sleep(10 * time.Millisecond)
	}
	os.WriteFile(filepath.Join(folder, "given up"), nil, 0o600)
	os.Exit(1)
}

func init() {
	// A worker starts a process that holds its standard input, output and error, and waits for ever, or dies
	// if the folder has a file "die".
	Handle("children", func(_ context.Context, _ *Worker, folder string) (int, error) {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), holds+"="+folder)
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, standardOutput, os.Stderr
		if err := child.Start(); err != nil {
			return 0, err
		}
		if _, err := os.Stat(filepath.Join(folder, "die")); err == nil {
			os.Exit(7)
		}
		if err := os.WriteFile(filepath.Join(folder, "begun"), nil, 0o600); err != nil {
			return 0, err
		}
		select {}
	})
	Handle("says", func(_ context.Context, _ *Worker, n int) (int, error) {
		fmt.Println("a learner's message")
		fmt.Fprint(os.Stdout, "0\t")
		return n, nil
	})
	Handle("last words", func(_ context.Context, _ *Worker, n int) (int, error) {
		for range n {
			os.Stderr.Write(bytes.Repeat([]byte{'x'}, 1<<20))
		}
		fmt.Println("the end")
		os.Exit(1)
		return 0, nil
	})
}

// wait returns when there is a file.
func wait(path string) {
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// ask asks a worker one question, and ignores its answer.
func ask[A, Q any](ctx context.Context, kind string, question Q) error {
	return Map(ctx, Local{Workers: 1}, kind, nil, []Q{question}, func(int, A) error { return nil })
}

func touch(t *testing.T, path string) {
	t.Helper()
	must.Do(os.WriteFile(path, nil, 0o600))
}

// A job ends when it is cancelled, or when its workers have died, though a worker's child lives and
// holds the worker's pipes.
func TestWorkersWithChildren(t *testing.T) {
	for _, dies := range []bool{false, true} {
		folder := t.TempDir()
		touch(t, filepath.Join(folder, "wanted"))
		ctx, cancel := context.WithCancel(t.Context())
		if dies {
			touch(t, filepath.Join(folder, "die"))
		} else {
			go func() {
				wait(filepath.Join(folder, "begun"))
				cancel()
			}()
		}
		err := ask[int](ctx, "children", folder)
		if dies {
			readtest.WantError(t, err, "4 workers died over a task, the last one with: exit status 7")
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: error %v", err)
		}
		if _, err := os.Stat(filepath.Join(folder, "given up")); err == nil {
			t.Errorf("dies: %v: the job ended with a child of its worker", dies)
		}
		os.Remove(filepath.Join(folder, "wanted"))
		cancel()
	}
}

// What handlers print is not taken for an answer.
func TestHandlersPrint(t *testing.T) {
	var got []int
	err := Map(t.Context(), Local{Workers: 1}, "says", nil, []int{5, 6}, func(_ int, a int) error {
		got = append(got, a)
		return nil
	})
	if err != nil || !slices.Equal(got, []int{5, 6}) {
		t.Errorf("answers %v, error %v", got, err)
	}
}

// A program that prints before Main is told so, by the first worker, and with a part of what it prints.
func TestProgramsPrint(t *testing.T) {
	for _, text := range []string{"hello\n", "hello", "hello" + strings.Repeat("!", 100<<10), "7\thello"} {
		t.Setenv(prints, text)
		err := ask[int](t.Context(), "says", 5)
		if text == "7\thello" { // as an answer begins, so it may be a damaged one
			readtest.WantError(t, err, "a worker's answer")
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), `cluster: the workers' program prints "hello`) ||
			!strings.Contains(err.Error(), "before cluster.Main") || len(err.Error()) > 300 {
			t.Errorf("%.20q: error %.400v", text, err)
		}
	}
}

// Of what a worker that dies has written, the end comes back, 64 KB.
func TestLastWords(t *testing.T) {
	err := ask[int](t.Context(), "last words", 3)
	if err == nil || !strings.HasSuffix(err.Error(), "xxx"+"the end") || len(err.Error()) < 64<<10 ||
		len(err.Error()) > 65<<10 {
		t.Errorf("error %.200v", err)
	}
}

func TestTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all, next []byte
		var kept tail
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 3*tailBytes/2), 0, 6).Draw(t, "lengths") {
			next = next[:0]
			for i := range n {
				next = append(next, byte(len(all)+i), byte((len(all)+i)>>8))
			}
			if written, err := kept.Write(next); written != len(next) || err != nil {
				t.Fatalf("%d bytes written, error %v", written, err)
			}
			all = append(all, next...)
		}
		if want := all[max(0, len(all)-64<<10):]; !bytes.Equal(kept.kept, want) {
			t.Fatalf("%d bytes kept, want the last %d", len(kept.kept), len(want))
		}
	})
}

// Variables of a worker that is a driver itself don't reach its workers.
func TestDriversVariables(t *testing.T) {
	t.Setenv(inputVariable, inputEnds)
	t.Setenv(taskVariable, "eHg=")
	TestHandlersPrint(t)
}

// The files of a driver that was killed are removed by the next job, and no others.
func TestKilledDriver(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock")
	}
	temporary, folder := filepath.Join(t.TempDir(), "a[folder"), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	os.Mkdir(temporary, 0o700)
	touch(t, filepath.Join(folder, "wanted"))
	defer os.Remove(filepath.Join(folder, "wanted"))
	others := []string{"obliqua-mine/file", "obliqua-new/" + lockName, "other/" + lockName}
	for _, name := range others {
		os.Mkdir(filepath.Join(temporary, filepath.Dir(name)), 0o700)
		touch(t, filepath.Join(temporary, name))
	}
	data := func() []string {
		return must.Value(fs.Glob(os.DirFS(temporary), "obliqua-*/data-*"))
	}
	driver := exec.Command(os.Args[0])
	driver.Env = append(os.Environ(), drives+"="+folder)
	must.Do(driver.Start())
	wait(filepath.Join(folder, "begun"))
	TestHandlersPrint(t)
	if n := len(data()); n != 1 {
		t.Errorf("%d files of data while the driver lives, want 1", n)
	}
	driver.Process.Kill()
	driver.Wait()
	TestHandlersPrint(t)
	if left := data(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	left, err := fs.Glob(os.DirFS(temporary), "*/*")
	if want := len(others); err != nil || len(left) != want {
		t.Errorf("%v, error %v; want %d files", left, err, want)
	}
}

// A liar is an engine that answers for its workers.
type liar struct {
	noEngine
	answer  func(q trees) []byte
	answers int
}

func (l *liar) Slots() int { return 1 }

func (l *liar) Run(_ context.Context, job Job, done func(int, []byte) error) error {
	for i, line := range job.Tasks {
		var t task
		var q trees
		if err := errors.Join(json.Unmarshal([]byte(line), &t), json.Unmarshal(t.Question, &q)); err != nil {
			return err
		}
		l.answers++
		if err := done(i, l.answer(q)); err != nil {
			return err
		}
	}
	return nil
}

// A part that isn't the one that was asked for is refused when it comes.
func TestLyingWorkers(t *testing.T) {
	d := sim.Trunk{Features: 4}.Sample(60, 1)
	learner := rf.Learner{Trees: 9, Seed: 1} // one tree here, four tasks of two
	more := learner
	more.Trees = 10
	part := func(l forest.Learner, lo, hi int) []byte {
		p := must.Value(forest.FitPart(t.Context(), l, d, lo, hi))
		return must.Value(p.MarshalBinary())
	}
	total := func(b []byte, n uint32) []byte {
		binary.LittleEndian.PutUint32(b[4:], n)
		binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b[:8], crc32.MakeTable(crc32.Castagnoli)))
		return b
	}
	for name, c := range map[string]struct {
		answer func(q trees) []byte
		want   string
	}{
		"honest": {func(q trees) []byte { return part(learner, q.First, q.After) }, ""},
		"first trees": {func(q trees) []byte { return part(learner, 0, 2) },
			"cluster: trees 1 … 2: the worker sends trees 0 … 1 of 9; want"},
		"fewer trees": {func(q trees) []byte { return part(learner, q.First, q.First+1) },
			"cluster: trees 1 … 2: the worker sends trees 1 … 1 of 9; want"},
		"more trees": {func(q trees) []byte { return part(learner, q.First, 9) },
			"cluster: trees 1 … 2: the worker sends trees 1 … 8 of 9; want"},
		"another forest": {func(q trees) []byte { return part(more, q.First, q.After) },
			"cluster: trees 1 … 2: the worker sends trees 1 … 2 of 10; want those of 9"},
		"huge": {func(q trees) []byte { return total(part(learner, q.First, q.After), 1<<32-1) },
			"of 4294967295; want those of 9"},
		"nothing": {func(q trees) []byte { return nil }, "no part of a forest"},
	} {
		e := &liar{noEngine: noEngine{t}, answer: c.answer}
		_, err := Fit(t.Context(), e, learner, d)
		if c.want == "" {
			if err != nil || e.answers != 4 {
				t.Errorf("%s: error %v after %d answers", name, err, e.answers)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || e.answers != 1 {
			t.Errorf("%s: error %v after %d answers, want %q after one", name, err, e.answers, c.want)
		}
	}
}

// Types of packages that have the same name are different types, and two types of the same name are told.
func TestTypeNames(t *testing.T) {
	got := slices.Sorted(maps.Keys(byName(rand.Rand{}, randv2.Rand{}, &randv2.Rand{})))
	if want := []string{"*math/rand/v2.Rand", "math/rand.Rand", "math/rand/v2.Rand"}; !slices.Equal(got, want) {
		t.Errorf("types %q, want %q", got, want)
	}
	one := func() forest.Learner { type mine struct{ rf.Learner }; return mine{} }
	two := func() forest.Learner { type mine struct{ rf.CART }; return mine{} }
	Main(one(), one())
	const name = "github.com/obliqua-ml/obliqua/cluster.mine"
	readtest.WantPanic(t, "cluster: two types of learners are called "+name, func() { Main(two()) })
	delete(learners, name)
}
