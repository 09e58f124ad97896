package cluster

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// workerVariable is set in the environment of a process that is to be a worker. Its value is
// the folder with the job's files.
const workerVariable = "OBLIQUA_WORKER"

// A version is what a program and its workers must have in common, so that the trees are the
// same.
type version struct {
	Protocol, Format, Growth int
	Architecture             string
	Program                  string // a hash of the executable file
}

const protocol = 1

var thisVersion = sync.OnceValue(func() version {
	return version{protocol, forest.FormatVersion, forest.GrowthRevision, runtime.GOARCH, programHash()}
})

// programHash returns a hash of the program's file, or "" if it can't be read.
func programHash() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Main makes the process a worker if an engine has started it as one; then it doesn't return.
// Otherwise it returns at once. Call it first in main, with a value of each type of learner
// that workers are to know.
func Main(known ...forest.Learner) {
	mu.Lock()
	for _, l := range known {
		learners[fmt.Sprintf("%T", l)] = reflect.TypeOf(l)
	}
	mu.Unlock()
	folder, ok := os.LookupEnv(workerVariable)
	if !ok {
		return
	}
	// The engine holds the other end of the input as long as it lives.
	if err := work(folder, os.Stdin, os.Stdout, func() { os.Exit(0) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// An answer is what a worker makes of a task: an error that would come again, or bytes with
// their SHA-256.
type answer struct {
	Error string `json:",omitempty"`
	Hash  string `json:",omitempty"`
	Data  []byte `json:",omitempty"`
}

// work reads tasks, a line each, and writes an answer for each, a line of JSON. It calls gone
// at the end of the input, also while it works on a task.
func work(folder string, in io.Reader, out io.Writer, gone func()) error {
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				gone()
				return
			}
			lines <- line
		}
	}()
	w := worker{folder: folder}
	for line := range lines {
		data, err := w.do(line)
		a := answer{Data: data}
		if err != nil {
			a = answer{Error: err.Error()}
		} else {
			sum := sha256.Sum256(data)
			a.Hash = hex.EncodeToString(sum[:])
		}
		b, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("cluster: worker: %w", err)
		}
		if _, err := out.Write(append(b, '\n')); err != nil {
			return fmt.Errorf("cluster: worker: %w", err)
		}
	}
	return nil
}

// A worker keeps the data of the last task, which the next one mostly needs, too.
type worker struct {
	folder string
	name   string
	train  *datasets.Dataset
}

func (w *worker) do(line []byte) ([]byte, error) {
	var t task
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return nil, fmt.Errorf("a task that this worker doesn't understand: %w", err)
	}
	if own := thisVersion(); t.Version != own {
		return nil, fmt.Errorf("the program is version %+v, this worker is %+v", t.Version, own)
	}
	learner, err := decodeLearner(t.Learner)
	if err != nil {
		return nil, err
	}
	if err := w.load(t.Data); err != nil {
		return nil, err
	}
	p, err := forest.FitPart(context.Background(), learner, w.train, t.First, t.After)
	if err != nil {
		return nil, err
	}
	return p.MarshalBinary()
}

// load reads the training data from the file of that name, if they aren't at hand.
func (w *worker) load(name string) error {
	if w.name == name {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(w.folder, filepath.Base(name)))
	if err != nil {
		return err
	}
	if got := newFile(b).Name; got != name {
		return fmt.Errorf("the file of training data has hash %s, the program's has %s", got, name)
	}
	d, err := decodeData(b)
	if err != nil {
		return err
	}
	w.name, w.train = name, d
	return nil
}

// readAnswer returns the data of an answer's line. The error is permanent if it is the
// task's own.
func readAnswer(line []byte) (data []byte, permanent bool, err error) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, false, fmt.Errorf("cluster: a worker's answer: %w", err)
	}
	if a.Error != "" {
		return nil, true, errors.New(a.Error)
	}
	if sum := sha256.Sum256(a.Data); hex.EncodeToString(sum[:]) != a.Hash {
		return nil, false, errors.New("cluster: a worker's answer was damaged on its way")
	}
	return a.Data, false, nil
}
