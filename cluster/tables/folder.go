package tables

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/filelock"
)

// descriptionName is the name of the file that describes an output folder. Readers of folders
// of Parquet files ignore names that begin with an underscore.
const descriptionName = "_obliqua.json"

// A description says what an output folder is of.
type description struct {
	Version       int    // of the folder
	Format        int    // of the model; see forest.FormatVersion
	Model         string // the name of its file, which contains its hash
	Key           string
	Probabilities bool
	Inputs        []input
	Plans         []plan // of the inputs
}

const folderVersion = 1

// A folder is where the output goes.
type folder struct {
	path  string
	job   string // the name of the description's file, which contains its hash
	parts []shardTask
}

// lockName is the name of a file that the program which writes to an output folder keeps locked.
const lockName = "_obliqua.lock"

// lock makes the output folder if it isn't there, and keeps other programs from writing to it.
func lock(to string) (unlock func() error, err error) {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	unlock, err = filelock.Lock(filepath.Join(to, lockName), "the folder "+to)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return unlock, nil
}

// open begins with the output folder, which is locked, or goes on with it.
func (j *job) open(ctx context.Context, e cluster.Engine, inputs []input, to string) (*folder, error) {
	d := description{folderVersion, forest.FormatVersion, j.file.Name, j.key, j.options.Probabilities,
		slices.Clone(inputs), nil}
	for i := range d.Inputs {
		d.Inputs[i].Path = filepath.Base(d.Inputs[i].Path)
	}
	path := filepath.Join(to, descriptionName)
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := onlyParts(to, 0); err != nil {
			return nil, err
		}
		if d.Plans, err = j.plan(ctx, e, inputs); err != nil {
			return nil, err
		}
		if b, err = json.MarshalIndent(d, "", "\t"); err != nil {
			return nil, fmt.Errorf("tables: %w", err)
		}
		err = atomicfile.Write(path, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	case err == nil:
		d.Plans, err = d.continues(path, b)
	}
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	f := &folder{path: to, job: cluster.NewFile(b).Name}
	for i, p := range d.Plans {
		for _, s := range p.Shards {
			f.parts = append(f.parts, shardTask{inputs[i], s, p.Header, j.file.Name, j.key, j.options.Probabilities, to,
				len(f.parts), f.job})
		}
	}
	return f, onlyParts(to, len(f.parts))
}

// continues returns the plans of the description in b, or an error if that is of another job
// than d.
func (d description) continues(path string, b []byte) ([]plan, error) {
	var old description
	if err := json.Unmarshal(b, &old); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	differ := func(what string, was, is any) error {
		return fmt.Errorf("the folder %s has the output of another job: %s was %v, now it is %v", filepath.Dir(path), what,
			was, is)
	}
	for _, c := range []struct {
		what    string
		was, is any
	}{
		{"the folder's version", old.Version, d.Version},
		{"the format of models", old.Format, d.Format},
		{"the model", old.Model, d.Model},
		{"the key", old.Key, d.Key},
		{"Probabilities", old.Probabilities, d.Probabilities},
		{"the number of input files", len(old.Inputs), len(d.Inputs)},
	} {
		if c.was != c.is {
			return nil, differ(c.what, c.was, c.is)
		}
	}
	for i, in := range d.Inputs {
		if was := old.Inputs[i]; !reflect.DeepEqual(was, in) {
			return nil, differ(fmt.Sprintf("input file %d", i+1), was, in)
		}
	}
	if len(old.Plans) != len(d.Inputs) {
		return nil, fmt.Errorf("%s is damaged: %d plans for %d files", path, len(old.Plans), len(d.Inputs))
	}
	for i, p := range old.Plans {
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("%s is damaged: file %d has %w", path, i+1, err)
		}
	}
	return old.Plans, nil
}

// plan has the workers cut the input into shards.
func (j *job) plan(ctx context.Context, e cluster.Engine, inputs []input) ([]plan, error) {
	features := j.columns()
	tasks := make([]planTask, len(inputs))
	for i, in := range inputs {
		tasks[i] = planTask{in, j.key, features, min(shardRows, max(1024, shardCells/len(features)))}
	}
	plans := make([]plan, len(inputs))
	err := cluster.Map(ctx, e, "tables.plan", nil, tasks, func(i int, p plan) error {
		if err := p.check(); err != nil {
			return fmt.Errorf("%s: a worker sends %w", inputs[i].Path, err)
		}
		plans[i] = p
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, p := range plans {
		if p.Key != plans[0].Key {
			return nil, fmt.Errorf("the key %q is %s in %s, but %s in %s", j.key, plans[0].Key, inputs[0].Path, p.Key,
				inputs[i].Path)
		}
	}
	return plans, nil
}

// Limits of a shard.
var (
	shardRows  = 1 << 18
	shardCells = 1 << 26
)

func partName(i int) string { return fmt.Sprintf("part-%06d.parquet", i) }

// onlyParts returns an error if the folder has anything but its description, its lock, n parts, and files
// that killed workers left or, where there are no locks, another program writes that does the same job.
func onlyParts(path string, n int) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	for _, entry := range entries {
		var number int
		name := entry.Name()
		if name == descriptionName || name == lockName || atomicfile.IsTemporary(name) {
			continue
		}
		if _, err := fmt.Sscanf(name, "part-%d.parquet", &number); err != nil || number < 0 || number >= n ||
			name != partName(number) {
			return fmt.Errorf("tables: the folder %s has %s in it, which this job doesn't write; want an empty folder, or one "+
				"in which the same job was interrupted", path, name)
		}
	}
	return nil
}

// complete returns an error if a part isn't there, although a worker has written it: it may have
// another folder of that name. Only a listing shows at once what is new in a folder on a network.
// It removes temporary files: with all parts there, nobody needs them.
func (f *folder) complete() error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	there := map[string]bool{}
	for _, entry := range entries {
		there[entry.Name()] = true
	}
	for i := range f.parts {
		if !there[partName(i)] {
			return fmt.Errorf("tables: a worker says that it has written %s, but there is no such file; workers and this "+
				"program must see the same folder", filepath.Join(f.path, partName(i)))
		}
	}
	for name := range there {
		if atomicfile.IsTemporary(name) {
			os.Remove(filepath.Join(f.path, name))
		}
	}
	return nil
}

// A summary is what is known of a part. It is in the metadata of its file.
type summary struct {
	Job          string // the name of the description's file, which contains its hash
	Part         int
	Rows, Failed int64
	First        string // the first error
}

// summaryKey is the name of the summary in the metadata.
const summaryKey = "obliqua"

// written returns the summary of part i, or nil if the part isn't there.
func (f *folder) written(i int) (*summary, error) {
	path := filepath.Join(f.path, partName(i))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	p, err := columnar.OpenParquet(path)
	if err != nil {
		return nil, fmt.Errorf("%w; remove it, and it will be written again", err)
	}
	defer p.Close()
	var s summary
	value := p.Reader.MetaData().KeyValueMetadata().FindValue(summaryKey)
	if value == nil || json.Unmarshal([]byte(*value), &s) != nil || s.Job != f.job || s.Part != i {
		return nil, fmt.Errorf("tables: %s was not written by this job; remove it", path)
	}
	return &s, nil
}
