package cluster

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// Variables in the environment of a process that is to be a worker.
const (
	workerVariable = "OBLIQUA_WORKER"       // the folder with the job's files
	inputVariable  = "OBLIQUA_WORKER_INPUT" // inputEnds, inputKept, or nothing
	inputEnds      = "ends"
	inputKept      = "kept"                // as inputEnds, in a process that keep has started
	taskVariable   = "OBLIQUA_WORKER_TASK" // the task of a [RowJob], or nothing
)

// Environment returns the variables that make the program a worker, each as name=value. folder has the job's files.
//
// If ends is true, the end of the worker's input says only that there are no more tasks. Then the worker also writes
// lines that begin with a minus, four times a second, which the engine has to drop: so the worker notices that its
// output is not read any more, and exits. If it dies, \x01 and its last words in base64 follow what it has written,
// even within a line, and the exit status is 0. A second process, the worker's parent, writes them; it doesn't run on
// Windows.
//
// Otherwise the end of the input says that the engine is gone, and the worker exits at once.
//
// task is the task of a [RowJob], whose rows are the worker's input; it is empty for other jobs.
func Environment(folder string, ends bool, task string) []string {
	input := ""
	if ends {
		input = inputEnds
	}
	return []string{workerVariable + "=" + folder, inputVariable + "=" + input, taskVariable + "=" + task}
}

// A version is what a program and its workers must have in common, so that the trees are the
// same.
type version struct {
	Protocol, Format, Growth int
	Architecture             string
	Program                  string // a hash of the executable file
}

const protocol = 4

// versionOf returns the version of the engine's workers.
func versionOf(e Engine) (version, error) {
	path, err := e.Program()
	if err != nil {
		return version{}, fmt.Errorf("cluster: %w", err)
	}
	hash, err := fileHash(path)
	if err != nil {
		return version{}, fmt.Errorf("cluster: the workers' program: %w", err)
	}
	return version{protocol, forest.FormatVersion, forest.GrowthRevision, runtime.GOARCH, hash}, nil
}

// ownVersion returns the version of this process.
var ownVersion = sync.OnceValues(func() (version, error) { return versionOf(Local{}) })

func fileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Main makes the process a worker if an engine has started it as one; then it doesn't return.
// Otherwise it returns at once. Call it first in main, with a value of each type of learner
// that workers are to know. It panics if two of them, declared in functions, have the same name.
//
// A worker's standard output is for its answers. So a program must not print before it calls Main, and
// [os.Stdout] is [os.Stderr] in a worker from then on: what learners and handlers print goes there.
func Main(known ...forest.Learner) {
	mu.Lock()
	for _, l := range known {
		t := reflect.TypeOf(l)
		if old := learners[typeName(t)]; old != nil && old != t {
			panic("cluster: two types of learners are called " + typeName(t))
		}
		learners[typeName(t)] = t
	}
	mu.Unlock()
	folder, ok := os.LookupEnv(workerVariable)
	if !ok {
		return
	}
	out := os.Stdout
	os.Stdout = os.Stderr
	input := os.Getenv(inputVariable)
	if input == inputEnds {
		keep(out)
	}
	debug.SetMaxStack(64 << 20) // endless recursion ends in an eighth of the time
	if err := serve(&Worker{folder: folder}, out, input == inputKept); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if input == inputKept {
		os.Exit(statusDone)
	}
	os.Exit(0)
}

func serve(w *Worker, out io.Writer, kept bool) error {
	if kept {
		go dieWithKeeper()
	}
	if t := os.Getenv(taskVariable); t != "" {
		return w.rows(t, os.Stdin, out)
	}
	ended := func() { os.Exit(0) } // the engine holds the other end of the input as long as it lives
	if kept {
		ended = func() {}
		out = newPulse(out, os.Stderr, leave)
	}
	return w.work(os.Stdin, out, ended)
}

// A Worker does tasks, one after another, and has the job's files.
type Worker struct {
	folder string
	loaded map[reflect.Type]loaded
}

// A loaded value is what [Load] has made of a file.
type loaded struct {
	name  string
	value any
}

// work reads tasks, a line each: a number, a tab and JSON. For each it writes a line with the
// same number, a tab and the answer as JSON. It calls ended at the end of the input, also while
// it works on a task.
func (w *Worker) work(in io.Reader, out io.Writer, ended func()) error {
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				ended()
				return
			}
			lines <- line
		}
	}()
	for line := range lines {
		number, text, _ := bytes.Cut(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\t'})
		var a answer
		if data, err := w.do(text); err != nil {
			a.Error = err.Error()
		} else {
			sum := sha256.Sum256(data)
			a.Data, a.Hash = data, hex.EncodeToString(sum[:])
		}
		b, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("cluster: worker: %w", err)
		}
		if _, err := out.Write(slices.Concat(number, []byte{'\t'}, b, []byte{'\n'})); err != nil {
			return fmt.Errorf("cluster: worker: %w", err)
		}
	}
	return nil
}

func (w *Worker) do(line []byte) ([]byte, error) {
	t, err := decodeTask(line)
	if err != nil {
		return nil, err
	}
	do := handlers[t.Kind]
	if do == nil {
		return nil, fmt.Errorf("this worker has no handler of %s", t.Kind)
	}
	return do(context.Background(), w, t.Question)
}

// rows does the task of a [RowJob].
func (w *Worker) rows(encoded string, in io.Reader, out io.Writer) error {
	line, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("cluster: worker: %s: %w", taskVariable, err)
	}
	t, err := decodeTask(line)
	if err != nil {
		return fmt.Errorf("cluster: worker: %w", err)
	}
	do := rowHandlers[t.Kind]
	if do == nil {
		return fmt.Errorf("cluster: worker: no handler of rows of %s", t.Kind)
	}
	return do(w, t.Question, in, out)
}

// file returns the contents of the job's file of that name. It returns an error if they
// aren't those that the program sent.
func (w *Worker) file(name string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(w.folder, filepath.Base(name)))
	if err != nil {
		return nil, err
	}
	if got := NewFile(b).Name; got != name {
		return nil, fmt.Errorf("the file has hash %s, the program's has %s", got, name)
	}
	return b, nil
}

// Load returns what decode makes of the job's file of that name. A worker keeps the last value
// of each type, since the next task mostly needs the same; so the value is read-only.
// Load returns an error if the file's contents aren't those that the program sent, and where decode does.
func Load[T any](w *Worker, name string, decode func([]byte) (T, error)) (T, error) {
	kind := reflect.TypeFor[T]()
	if last, ok := w.loaded[kind]; ok && last.name == name {
		return last.value.(T), nil
	}
	delete(w.loaded, kind) // so that two aren't in memory
	var none T
	b, err := w.file(name)
	if err != nil {
		return none, err
	}
	v, err := decode(b)
	if err != nil {
		return none, err
	}
	if w.loaded == nil {
		w.loaded = map[reflect.Type]loaded{}
	}
	w.loaded[kind] = loaded{name, v}
	return v, nil
}

// Data returns the data set in the job's file of that name, which [DataFile] made; see [Load].
func (w *Worker) Data(name string) (*datasets.Dataset, error) { return Load(w, name, decodeData) }

// An answer is what a worker makes of a task: an error that would come again, or bytes with
// their SHA-256.
type answer struct {
	Error string `json:",omitempty"`
	Hash  string `json:",omitempty"`
	Data  []byte `json:",omitempty"`
}

// ReadAnswer returns the task's number and the data of a line that a worker has written. The
// error is permanent if every worker would return it: it is the task's own, or the program prints
// where only answers may stand.
func ReadAnswer(line []byte) (task int, data []byte, permanent bool, err error) {
	number, text, ok := bytes.Cut(line, []byte{'\t'})
	if task, err = strconv.Atoi(string(number)); err != nil || !ok {
		printed := bytes.TrimSpace(line[:min(len(line), 100)])
		return 0, nil, true, fmt.Errorf("cluster: the workers' program prints %q; "+
			"a worker's standard output is for answers, so print nothing before cluster.Main is called", printed)
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return task, nil, false, fmt.Errorf("cluster: a worker's answer: %w", err)
	}
	if a.Error != "" {
		return task, nil, true, errors.New(a.Error)
	}
	if sum := sha256.Sum256(a.Data); hex.EncodeToString(sum[:]) != a.Hash {
		return task, nil, false, errors.New("cluster: a worker's answer was damaged on its way")
	}
	return task, a.Data, false, nil
}
