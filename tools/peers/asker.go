package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// An asker is a running Python script that answers each line of JSON with one.
type asker struct {
	script   string
	cmd      *exec.Cmd
	stdin    io.Closer
	requests *json.Encoder
	replies  *json.Decoder
}

// startAsker starts a script of this folder with one thread. It is killed when ctx is done.
func startAsker(ctx context.Context, python, script string) (*asker, error) {
	scripts, err := scriptFolder()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, python, filepath.Join(scripts, script))
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	requests, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	replies, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &asker{script, cmd, requests, json.NewEncoder(requests), json.NewDecoder(replies)}, nil
}

// ask sends a job and waits for the reply.
func (a *asker) ask(job, reply any) error {
	if err := a.requests.Encode(job); err != nil {
		return fmt.Errorf("%s: %w", a.script, err)
	}
	if err := a.replies.Decode(reply); err != nil {
		return fmt.Errorf("%s: %w", a.script, err)
	}
	return nil
}

// Close ends the script.
func (a *asker) Close() {
	a.stdin.Close()
	a.cmd.Wait()
}

// resultColumns are those of files of results.
var resultColumns = []string{"set", "method", "split", "measure", "score", "setting", "seconds", "version", "date"}

// appendResults adds lines to a file of results, which it makes if need be.
func appendResults(path string, lines ...[]string) error {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		w.Write(resultColumns)
	}
	w.WriteAll(lines)
	return appendFile(path, text.Bytes())
}

// appendFile adds text to the end of a file, which it makes if need be.
func appendFile(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// readResults returns the lines of a file of results without the header; the file need not exist.
func readResults(path string) ([][]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = len(resultColumns)
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lines[min(1, len(lines)):], nil
}

// short returns a number with six digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
