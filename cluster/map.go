package cluster

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// A handler does a kind of work.
type handler func(ctx context.Context, w *Worker, question json.RawMessage) ([]byte, error)

var (
	handlers    = map[string]handler{}
	rowHandlers = map[string]func(w *Worker, question json.RawMessage, in io.Reader, out io.Writer) error{}
)

// Handle tells workers what to do where [Map] asks for the kind of work: do answers one
// question. Call it when the program starts, before [Main]; so an init function is the place.
// An error of do is final: the task is not tried again.
//
// Questions travel as JSON. Answers travel as package encoding/gob encodes them, but a
// []byte as it is. Handle panics if the kind is known already.
func Handle[Q, A any](kind string, do func(ctx context.Context, w *Worker, q Q) (A, error)) {
	if handlers[kind] != nil {
		panic("cluster: two handlers of " + kind)
	}
	handlers[kind] = func(ctx context.Context, w *Worker, question json.RawMessage) ([]byte, error) {
		var q Q
		if err := decodeJSON(question, &q); err != nil {
			return nil, fmt.Errorf("a question of %s that this worker doesn't understand: %w", kind, err)
		}
		a, err := do(ctx, w, q)
		if err != nil {
			return nil, err
		}
		return encodeAnswer(a)
	}
}

// HandleRows tells workers what to do where a [RowJob] asks for the kind of work: do reads
// rows from in and writes to out. It is otherwise like [Handle].
func HandleRows[Q any](kind string, do func(w *Worker, q Q, in io.Reader, out io.Writer) error) {
	if rowHandlers[kind] != nil {
		panic("cluster: two handlers of rows of " + kind)
	}
	rowHandlers[kind] = func(w *Worker, question json.RawMessage, in io.Reader, out io.Writer) error {
		var q Q
		if err := decodeJSON(question, &q); err != nil {
			return fmt.Errorf("a question of %s that this worker doesn't understand: %w", kind, err)
		}
		return do(w, q, in, out)
	}
}

// Map has the engine's workers answer questions by the handler of that kind; see [Handle].
// files are what the handler reads by [Load] or [Worker.Data]. done is called once for
// each question, one call at a time, in any order.
//
// Map returns an error if nothing handles the kind, if a question can't be sent, if the engine
// answers one twice or not at all, and where the engine, the handler or done does.
func Map[Q, A any](ctx context.Context, e Engine, kind string, files []File, questions []Q,
	done func(i int, a A) error) error {
	if len(questions) == 0 {
		return ctx.Err()
	}
	if handlers[kind] == nil {
		return fmt.Errorf("cluster: nothing handles %s", kind)
	}
	job := Job{Files: files, Tasks: make([]string, len(questions))}
	v, err := versionOf(e)
	if err != nil {
		return err
	}
	for i, q := range questions {
		if job.Tasks[i], err = encodeTask(v, kind, q); err != nil {
			return err
		}
	}
	answered := make([]bool, len(questions))
	err = e.Run(ctx, job, func(i int, answer []byte) error {
		if i < 0 || i >= len(questions) || answered[i] {
			return fmt.Errorf("cluster: the engine sends an answer to question %d of %s that nobody waits for", i+1, kind)
		}
		answered[i] = true
		var a A
		if err := decodeAnswer(answer, &a); err != nil {
			return fmt.Errorf("cluster: the answer to question %d of %s: %w", i+1, kind, err)
		}
		return done(i, a)
	})
	if err != nil {
		return err
	}
	if i := slices.Index(answered, false); i >= 0 {
		return fmt.Errorf("cluster: the engine has ended without an answer to question %d of %s", i+1, kind)
	}
	return nil
}

// RowTask returns the task of a [RowJob] for the engine's workers.
func RowTask(e Engine, kind string, question any) (string, error) {
	if rowHandlers[kind] == nil {
		return "", fmt.Errorf("cluster: nothing handles rows of %s", kind)
	}
	v, err := versionOf(e)
	if err != nil {
		return "", err
	}
	line, err := encodeTask(v, kind, question)
	return base64.StdEncoding.EncodeToString([]byte(line)), err
}

// A task is a question for the handler of its kind.
type task struct {
	Version  version
	Kind     string
	Question json.RawMessage
}

func encodeTask(v version, kind string, question any) (string, error) {
	q, err := json.Marshal(question)
	if err != nil {
		return "", fmt.Errorf("cluster: a question of %s can't be sent: %w", kind, err)
	}
	line, err := json.Marshal(task{v, kind, q})
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	return string(line), nil
}

// decodeTask returns an error if the task is for another version than this worker's.
func decodeTask(line []byte) (t task, err error) {
	if err := decodeJSON(line, &t); err != nil {
		return t, fmt.Errorf("a task that this worker doesn't understand: %w", err)
	}
	own, err := ownVersion()
	if err != nil {
		return t, err
	}
	if t.Version != own {
		return t, fmt.Errorf("the program wants a worker of version %+v, this one is %+v", t.Version, own)
	}
	return t, nil
}

// decodeJSON is strict: fields that v doesn't have are an error.
func decodeJSON(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func encodeAnswer(a any) ([]byte, error) {
	if b, ok := a.([]byte); ok {
		return b, nil
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(a)
	return b.Bytes(), err
}

func decodeAnswer[A any](b []byte, a *A) error {
	if p, ok := any(a).(*[]byte); ok {
		*p = b
		return nil
	}
	return gob.NewDecoder(bytes.NewReader(b)).Decode(a)
}
