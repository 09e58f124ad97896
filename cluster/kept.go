package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// Kept is an engine that keeps the answers to all tasks in a folder, and doesn't have tasks
// done whose answers are there. So a program that is started again, after it was killed or its
// cluster has failed, goes on where it stopped.
//
// An answer belongs to its task: the parameters, the data's hash, the version of the program
// and, in [Fit], the numbers of the trees, which depend on [Engine].Slots. The folder can
// be removed when the job is done. Files that a killed program left half-written are removed by
// a Run more than a day later. Answers may hold what is in the data: keep the folder private if
// the data are.
type Kept struct {
	Engine
	Folder string // made if it isn't there
}

// Run does the job's tasks; see [Engine]. It returns an error, too, if the folder can't be
// read or written.
func (k Kept) Run(ctx context.Context, job Job, done func(task int, answer []byte) error) error {
	if err := os.MkdirAll(k.Folder, 0o777); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	atomicfile.Sweep(k.Folder)
	rest := Job{Files: job.Files}
	var numbers []int // of the tasks in rest
	for i, task := range job.Tasks {
		answer, err := readKept(k.path(task))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			rest.Tasks, numbers = append(rest.Tasks, task), append(numbers, i)
			continue
		case err == nil:
			err = ctx.Err()
		}
		if err == nil {
			err = done(i, answer)
		}
		if err != nil {
			return err
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	return k.Engine.Run(ctx, rest, func(i int, answer []byte) error {
		if err := writeKept(k.path(job.Tasks[numbers[i]]), answer); err != nil {
			return err
		}
		return done(numbers[i], answer)
	})
}

func (k Kept) path(task string) string {
	sum := sha256.Sum256([]byte(task))
	return filepath.Join(k.Folder, hex.EncodeToString(sum[:])+".answer")
}

// A kept answer follows its SHA-256.

func writeKept(path string, answer []byte) error {
	sum := sha256.Sum256(answer)
	file, err := atomicfile.Create(filepath.Dir(path))
	if err == nil {
		err = atomicfile.Replace(path, file, func(w io.Writer) error {
			_, err := w.Write(sum[:])
			if err == nil {
				_, err = w.Write(answer)
			}
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("cluster: keeping an answer: %w", err)
	}
	return nil
}

func readKept(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if len(b) < sha256.Size || sha256.Sum256(b[sha256.Size:]) != [sha256.Size]byte(b[:sha256.Size]) {
		return nil, fmt.Errorf("cluster: %s is damaged; remove it", path)
	}
	return b[sha256.Size:], nil
}
