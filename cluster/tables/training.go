package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
)

// A trainingBatch is some rows with their keys.
type trainingBatch struct {
	*batch // the features and, if it is classes, the target
	keys   []string
	values []float64 // the target, if it is numbers
}

// A trainingSource reads a file of training data in batches.
type trainingSource interface {
	nextRows(n int) (*trainingBatch, error) // io.EOF after the last
	close()
}

// each reads a file and calls do for each batch.
func (t Table) each(ctx context.Context, in input, header []string, schema datasets.Schema,
	do func(*trainingBatch)) error {
	if err := in.check(); err != nil {
		return err
	}
	columns := schema.Features
	if !t.Regression {
		columns = append(slices.Clip(columns), datasets.Feature{Name: t.Target, Categories: schema.Classes})
	}
	r, err := t.open(ctx, shardTask{Input: in, Shard: whole, Header: header, Key: t.Key}, columns)
	if err != nil {
		return err
	}
	defer r.close()
	for {
		b, err := r.nextRows(rowsAtATime(len(columns)))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := b.check(in.Path, len(schema.Features), schema.Classes); err != nil {
			return err
		}
		do(b)
	}
}

// check returns an error if a cell can't be read.
func (b *trainingBatch) check(path string, target int, classes []string) error {
	for i, fault := range b.faults {
		if fault != "" {
			return fmt.Errorf("tables: %s: %s, %s", path, b.where(i), fault)
		}
	}
	if classes == nil {
		return nil
	}
	for i, code := range b.data.Columns[target] {
		if code != code || int(code) >= len(classes) {
			return fmt.Errorf("tables: %s: %s has a class that wasn't there before", path, b.where(i))
		}
	}
	return nil
}

func (t Table) open(ctx context.Context, task shardTask, columns []datasets.Feature) (trainingSource, error) {
	if isCSV(task.Input.Path) {
		s, err := task.openCSV(ctx, columns)
		if err == nil && t.Regression {
			s.valuePlace, err = placesOf(task.Header).find(task.Input.Path, task.Header, t.Target)
		}
		return s, err
	}
	task.Shard = shard{}
	s, err := task.openParquet(columns)
	if err != nil {
		return nil, err
	}
	s.after = s.file.NumRows()
	r := &parquetRows{parquetSource: s}
	if r.keys, err = newTextCells(s.file, t.Key); err == nil && t.Regression {
		r.values, err = s.file.Cells(t.Target, 0)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return r, nil
}

// nextRows returns the next n rows.
func (s *csvSource) nextRows(n int) (*trainingBatch, error) {
	s.keys = s.keys[:0]
	b, err := s.next(n)
	if err != nil {
		return nil, err
	}
	t := &trainingBatch{batch: b}
	for _, key := range s.keys {
		t.keys = append(t.keys, string(key))
	}
	for i, cell := range s.values {
		v, err := datasets.Number[float64](cell)
		if err == nil && v != v {
			err = errors.New("the target is missing")
		}
		if err != nil {
			return nil, fmt.Errorf("tables: %s: %s, target: %w", s.file.Name(), b.where(i), err)
		}
		t.values = append(t.values, v)
	}
	return t, nil
}

// parquetRows reads a Parquet file of training data.
type parquetRows struct {
	*parquetSource
	keys   *textCells
	values *columnar.Cells // of the target; nil if it is classes
}

func (r *parquetRows) nextRows(n int) (t *trainingBatch, err error) {
	defer columnar.Damage(r.path, &err)
	b, err := r.next(n)
	if err != nil {
		return nil, err
	}
	n = b.data.N()
	t = &trainingBatch{batch: b}
	keys, err := r.keys.next(n)
	if err != nil {
		return nil, fmt.Errorf("tables: %s: the key: %w", r.path, err)
	}
	for _, key := range keys {
		t.keys = append(t.keys, key.text)
	}
	if r.values == nil {
		return t, nil
	}
	arrays, err := r.values.Next(n)
	for _, a := range arrays {
		if err == nil {
			t.values, err = columnar.Numbers(t.values, a)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("tables: %s: the target: %w", r.path, err)
	}
	for i, v := range t.values {
		if v-v != 0 {
			return nil, fmt.Errorf("tables: %s: %s, target: %v; want a finite number", r.path, b.where(i), v)
		}
	}
	return t, nil
}
