package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
)

// A Sampler is a simulation.
type Sampler interface {
	Sample(n int, seed uint64) *datasets.Dataset
}

// Drawn returns the rows of simulations by the names of problems: n training rows, or as many as the run's X if n is 0,
// and 10,000 test rows.
func Drawn(simulations map[string]Sampler, n int) Action {
	return func(_ context.Context, t *Trial) error {
		p, known := simulations[t.Problem]
		if !known {
			return fmt.Errorf("no simulation is called %q", t.Problem)
		}
		t.Train, t.Test = p.Sample(cmp.Or(n, t.X), 2*t.Seed), p.Sample(10000, 2*t.Seed+1)
		return nil
	}
}

// ByProblem returns the action that a problem's name asks for.
func ByProblem(actions map[string]Action) Action {
	return func(ctx context.Context, t *Trial) error {
		act, known := actions[t.Problem]
		if !known {
			return fmt.Errorf("no problem is called %q", t.Problem)
		}
		return act(ctx, t)
	}
}

// FoldOf returns the rows of a problem that is called like a set without the prefix: the fold that is the trial's
// repeat, of some of the set's rows. Folds 1 to 5 are a partition of the rows, stratified for classes, 6 to 10 another,
// and so on.
func FoldOf(prefix string, some func(d *datasets.Dataset) *datasets.Dataset) Action {
	return func(ctx context.Context, t *Trial) error {
		d, err := public.Load(ctx, prefix+t.Problem)
		if err != nil {
			return err
		}
		d = some(d)
		k := t.Repeat - 1
		folds, err := datasets.KFold{K: 5, Stratified: d.Labels != nil, Seed: 3 + uint64(k/5)}.Folds(d)
		if err != nil {
			return err
		}
		t.Train, t.Test = folds[k%5].Split(d)
		return nil
	}
}

// FromData reads a file that the first folder of OBLIQUA_DATA to have it has. It returns an error that is
// [fs.ErrNotExist] if none has.
func FromData[T any](name string, read func(path string) (T, error)) (result T, err error) {
	for _, folder := range filepath.SplitList(os.Getenv("OBLIQUA_DATA")) {
		if result, err = read(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
			return result, err
		}
	}
	return result, fmt.Errorf("no folder of OBLIQUA_DATA has %s: %w", name, fs.ErrNotExist)
}

// Spaced returns the numbers of at most so many of n rows, evenly spaced.
func Spaced(n, most int) []int32 {
	rows := make([]int32, min(n, most))
	for i := range rows {
		rows[i] = int32(i * n / len(rows))
	}
	return rows
}

// Complete returns the rows that lack no cell.
func Complete(d *datasets.Dataset) *datasets.Dataset {
	var rows []int32
	for i := range d.N() {
		if !slices.ContainsFunc(d.Row(nil, i), func(v float32) bool { return v != v }) {
			rows = append(rows, int32(i))
		}
	}
	return d.Subset(rows)
}

// Sized sets the sizes of the trial's data: the score is the number of rows, test rows included. More has the numbers
// of test rows, features, classes and missing cells.
func Sized(_ context.Context, t *Trial) error {
	t.Score = float64(t.Train.N())
	t.More["features"], t.More["classes"] = float64(t.Train.P()), float64(len(t.Train.Classes))
	t.More["missing"] = float64(missing(t.Train))
	if t.Test != nil {
		t.Score += float64(t.Test.N())
		t.More["test"] = float64(t.Test.N())
		t.More["missing"] += float64(missing(t.Test))
	}
	return nil
}

func missing(d *datasets.Dataset) (n int) {
	for j := range d.P() {
		for _, v := range d.Column(nil, j) {
			if v != v {
				n++
			}
		}
	}
	return n
}

// Partitioned takes the rows of a set of the SPORF paper's authors: the fold of their partition that is the trial's
// repeat. Training and test rows share columns.
func Partitioned(ctx context.Context, t *Trial) error {
	return PartitionedAfter(ctx, t, func(d *datasets.Dataset) (*datasets.Dataset, error) { return d, nil })
}

// PartitionedAfter is [Partitioned] of a set that is prepared as a whole.
func PartitionedAfter(
	ctx context.Context, t *Trial, prepare func(d *datasets.Dataset) (*datasets.Dataset, error),
) error {
	d, err := public.Load(ctx, "sporf/"+t.Problem)
	if err != nil {
		return err
	}
	if d, err = prepare(d); err != nil {
		return err
	}
	name := filepath.Join("sporf", "partitions", t.Problem+"_partitions.txt.gz")
	folds, err := FromData(name, func(path string) ([]datasets.Fold, error) {
		return datasets.ReadPartition(ctx, path, d.N())
	})
	if err == nil {
		t.Train, t.Test = folds[t.Repeat-1].Split(d)
	}
	return err
}
