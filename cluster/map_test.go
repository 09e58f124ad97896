package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A question and an answer with what JSON can't hold: NaN, infinities, nil and empty maps.
type (
	request struct {
		Number int
		File   string
		Mark   string // a folder in which each call leaves a file
	}
	reply struct {
		Root float64
		More map[string]float64
		Text string
	}
)

func init() {
	Handle("roots", func(_ context.Context, w *Worker, q request) (reply, error) {
		mark, err := os.CreateTemp(q.Mark, fmt.Sprintf("%d-*", q.Number))
		if err != nil {
			return reply{}, err
		}
		mark.Close()
		if q.Number == 13 {
			return reply{}, errors.New("13 has no root here")
		}
		text, err := w.file(q.File)
		return reply{math.Sqrt(float64(q.Number)), map[string]float64{"inverse": 1 / float64(q.Number)}, string(text)}, err
	})
}

func TestMap(t *testing.T) {
	folder := t.TempDir()
	file := NewFile([]byte("a file"))
	var questions []request
	for n := -1; n < 9; n++ {
		questions = append(questions, request{n, file.Name, folder})
	}
	got := make([]reply, len(questions))
	must.Do(Map(t.Context(), Local{Workers: 2}, "roots", []File{file}, questions, func(i int, a reply) error {
		if got[i].Text != "" {
			t.Errorf("question %d is answered twice", i)
		}
		got[i] = a
		return nil
	}))
	for i, q := range questions {
		root := math.Sqrt(float64(q.Number))
		if a := got[i]; a.Root != root && !(math.IsNaN(a.Root) && math.IsNaN(root)) ||
			a.More["inverse"] != 1/float64(q.Number) || a.Text != "a file" {
			t.Errorf("the answer to %d is %+v", q.Number, a)
		}
	}
}

func TestMapRefuses(t *testing.T) {
	e := noEngine{t}
	never := func(int, reply) error { panic("never") }
	readtest.WantError(t, Map(t.Context(), e, "cubes", nil, []int{1}, never), "nothing handles cubes")
	readtest.WantError(t, Map(t.Context(), e, "roots", nil, []float64{math.NaN()}, never), "can't be sent")
	if err := Map(t.Context(), e, "roots", nil, []request{}, never); err != nil {
		t.Errorf("no questions: error %v", err)
	}
	if err := Map(t.Context(), lostProgram{e}, "roots", nil, []request{{}}, never); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no program: error %v", err)
	}
	stop := errors.New("stop")
	unsent := []request{{4, "data-none", t.TempDir()}}
	readtest.WantError(t, Map(t.Context(), Local{Workers: 1}, "roots", nil, unsent, never), "data-none")
	file := NewFile(nil)
	err := Map(t.Context(), Local{Workers: 1}, "roots", []File{file}, []request{{4, file.Name, t.TempDir()}},
		func(int, reply) error { return stop })
	if err != stop {
		t.Errorf("error %v, want that of done", err)
	}
}

type lostProgram struct{ noEngine }

func (lostProgram) Program() (string, error) { return filepath.Join("no", "program"), nil }

// A careless engine changes how often done is called for each task.
type careless struct {
	Local
	times func(task int) []int // the tasks to call it for, instead
}

func (e careless) Run(ctx context.Context, job Job, done func(int, []byte) error) error {
	return e.Local.Run(ctx, job, func(i int, answer []byte) error {
		for _, task := range e.times(i) {
			if err := done(task, answer); err != nil {
				return err
			}
		}
		return nil
	})
}

// An answer that is lost, comes twice or is to no question is an error, and no zero among the answers.
func TestMapOfACarelessEngine(t *testing.T) {
	file := NewFile(nil)
	questions := []request{{4, file.Name, t.TempDir()}, {9, file.Name, t.TempDir()}}
	for want, times := range map[string]func(int) []int{
		"without an answer to question 2": func(i int) []int { return []int{0}[:1-i] },
		"an answer to question 2":         func(i int) []int { return []int{0, 1, 1}[i : 1+2*i] },
		"an answer to question 3":         func(i int) []int { return []int{2} },
		"an answer to question 0":         func(i int) []int { return []int{-1} },
	} {
		calls := 0
		err := Map(t.Context(), careless{Local{Workers: 1}, times}, "roots", []File{file}, questions,
			func(int, reply) error { calls++; return nil })
		readtest.WantError(t, err, want)
		if calls > 2 {
			t.Errorf("%s: done is called %d times", want, calls)
		}
	}
}

// A job that is started again asks only what was not answered; a damaged answer is not taken.
func TestKept(t *testing.T) {
	marks, file := t.TempDir(), NewFile([]byte("x"))
	e := Kept{Local{Workers: 2}, filepath.Join(t.TempDir(), "answers")}
	ask := func(numbers ...int) (map[int]float64, error) {
		var questions []request
		for _, n := range numbers {
			questions = append(questions, request{n, file.Name, marks})
		}
		roots := map[int]float64{}
		err := Map(t.Context(), e, "roots", []File{file}, questions, func(i int, a reply) error {
			roots[numbers[i]] = a.Root
			return nil
		})
		return roots, err
	}
	_, err := ask(4, 9, 13, 16)
	readtest.WantError(t, err, "13 has no root here")
	before, _ := filepath.Glob(filepath.Join(e.Folder, "*.answer"))
	asked, _ := filepath.Glob(filepath.Join(marks, "*"))
	got, err := ask(25, 16, 9, 4)
	if want := map[int]float64{4: 2, 9: 3, 16: 4, 25: 5}; err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, error %v; want %v", got, err, want)
	}
	again, _ := filepath.Glob(filepath.Join(marks, "*"))
	if want := 4 - len(before); len(again)-len(asked) != want {
		t.Errorf("%d questions were asked again, want %d", len(again)-len(asked), want)
	}
	kept, _ := filepath.Glob(filepath.Join(e.Folder, "*.answer"))
	b := must.Value(os.ReadFile(kept[0]))
	b[len(b)-1] ^= 1
	for _, damaged := range [][]byte{b, b[:20], nil} {
		must.Do(os.WriteFile(kept[0], damaged, 0o600))
		_, err := ask(4, 9, 16, 25)
		readtest.WantError(t, err, filepath.Base(kept[0])+" is damaged")
	}
}

// Run removes what a program that was killed left half-written, once nobody can be writing it.
func TestKeptSweeps(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".obliqua-1.tmp": 25 * time.Hour, ".obliqua-2.tmp": time.Hour} {
		path, at := filepath.Join(dir, name), time.Now().Add(-age)
		must.Do(errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)))
	}
	must.Do((Kept{Folder: dir}).Run(t.Context(), Job{}, nil))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != ".obliqua-2.tmp" {
		t.Errorf("left: %v, error %v; want the younger file", left, err)
	}
}
