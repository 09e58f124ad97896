package datasets

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A cancelling context counts how often it is looked at.
type cancelling struct {
	context.Context
	cancel context.CancelFunc
	looks  *atomic.Int64
}

func (c cancelling) Err() error {
	if c.looks.Add(-1) <= 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// cancelAfter returns a context that is cancelled when it is looked at for the given time.
func cancelAfter(t *testing.T, looks int) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	c := cancelling{ctx, cancel, new(atomic.Int64)}
	c.looks.Store(int64(looks))
	return c
}

// stopsReading fails unless read ends with the context's error whenever it is cancelled, and
// looks at it often enough to be cancelled in the middle.
func stopsReading(t *testing.T, name string, fewest int, read func(ctx context.Context) error) {
	t.Helper()
	for _, looks := range []int{1, 2, fewest} {
		if err := read(cancelAfter(t, looks)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled at look %d: error %v", name, looks, err)
		}
	}
	if err := read(t.Context()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadersStop(t *testing.T) {
	csv := "a,b,y\n" + strings.Repeat("1,2,u\n3,4,v\n", 300_000)
	csvFile := func(ctx context.Context, text string) error {
		_, err := CSV{}.Read(ctx, strings.NewReader(text), "text")
		return err
	}
	stopsReading(t, "CSV", 4, func(ctx context.Context) error { return csvFile(ctx, csv) })
	packed := string(gzipped(t, []byte(csv)))
	stopsReading(t, "packed CSV", 50, func(ctx context.Context) error { return csvFile(ctx, packed) })
	stopsReading(t, "CSV from a stream", 4, func(ctx context.Context) error {
		_, err := CSV{}.Read(ctx, io.MultiReader(strings.NewReader(csv)), "text")
		return err
	})
	stopsReading(t, "records", 4, func(ctx context.Context) error {
		r, err := NewRecords(ctx, strings.NewReader(csv), "text")
		for err == nil {
			_, _, err = r.Next()
		}
		if err == io.EOF {
			return nil
		}
		return err
	})
	stopsReading(t, "ARFF", 20, func(ctx context.Context) error {
		text := "@attribute a real\n@attribute y {u,v}\n@data\n" + strings.Repeat("1,u\n{0 3, 1 v}\n", 50_000)
		_, err := ARFF{}.Read(ctx, strings.NewReader(text), "text")
		return err
	})
	stopsReading(t, "LIBSVM", 50, func(ctx context.Context) error {
		_, err := LIBSVM{}.Read(ctx, strings.NewReader(strings.Repeat("1 1:2\n0 2:4\n", 400_000)), "text")
		return err
	})
	cells, labels := filepath.Join(t.TempDir(), "cells"), filepath.Join(t.TempDir(), "labels")
	for path, b := range map[string][]byte{
		cells:  append([]byte{0, 0, 8, 2, 0, 0, 0x80, 0, 0, 0, 0, 16}, make([]byte, 0x8000*16)...),
		labels: append([]byte{0, 0, 8, 1, 0, 0, 0x80, 0}, make([]byte, 0x8000)...),
	} {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stopsReading(t, "IDX", 10, func(ctx context.Context) error {
		_, err := ReadIDX(ctx, cells, labels)
		return err
	})
	folds := writeFile(t, strings.Repeat("1,2\n3,4\n", 2))
	stopsReading(t, "folds", 4, func(ctx context.Context) error {
		_, err := ReadPartition(ctx, folds, 8)
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil // rows are in two folds
		}
		return err
	})
}

// A download is verified, read by its recipe, and written to the cache: all of these stop.
func TestPreparingDownloadsStops(t *testing.T) {
	s := &source{Name: "s", Task: "classification", N: 50_000, P: 2, Classes: 2, Files: []sourceFile{{Path: "s.csv"}},
		Recipe: recipe{Format: "csv", Delimiter: ",", Gzip: true, Columns: []string{"a", "b", "y"}, Target: 2, Categorical: []int{2}}}
	file := gzipped(t, []byte(strings.Repeat("1,2,u\n3,4,v\n", 25_000)))
	var rows [][]string
	stopsReading(t, "recipe", 20, func(ctx context.Context) (err error) {
		rows, err = s.table(ctx, [][]byte{file})
		return err
	})
	stopsReading(t, "encoding", 5, func(ctx context.Context) error { return s.encode(ctx, io.Discard, rows) })
	large := make([]byte, 8<<20)
	stopsReading(t, "checksum", 5, func(ctx context.Context) error {
		err := sourceFile{}.verify(ctx, large)
		if err != nil && strings.HasPrefix(err.Error(), "wrong checksum: ") {
			return nil
		}
		return err
	})
	records := &source{Recipe: recipe{Ops: []recipeOp{{Op: "records_end_at_blank_line"}}, Columns: make([]string, 1)}}
	stopsReading(t, "records of several lines", 20, func(ctx context.Context) error {
		return (&recipeTable{recipe: &records.Recipe}).read(ctx, []byte(strings.Repeat("1\n\n", 1000)))
	})
}

func TestStepsStop(t *testing.T) {
	const n, p = 60, 12
	d := &Dataset{Target: "y", Classes: []string{"u", "v"}}
	for i := range n {
		d.Labels = append(d.Labels, int32(i%2))
	}
	for j := range p {
		f, cells := Feature{Name: fmt.Sprint("x", j)}, make([]float32, n)
		for i := range cells {
			cells[i] = float32((i*i + j) % 5)
		}
		cells[j] = nan32
		if j%2 == 0 {
			f.Categories = []string{"a", "b", "c", "d", "e"}
		}
		d.Features, d.Columns = append(d.Features, f), append(d.Columns, cells)
	}
	for _, test := range []struct {
		step           Step
		fit, transform int // fewest looks
	}{{Impute{}, p, p}, {OneHot{}, 0, p}, {Ordinal{}, 0, p}, {Standardise{}, p, p}, {TargetEncoding{}, p, p}, {Prepare{}, p, p}, {Steps{Impute{}, OneHot{}}, p, p}} {
		name := fmt.Sprintf("%T", test.step)
		f, err := test.step.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if test.fit > 0 { // the others only list names
			stopsReading(t, name+".Fit", test.fit, func(ctx context.Context) error {
				_, err := test.step.Fit(ctx, d)
				return err
			})
		}
		stopsReading(t, name+" applied", test.transform, func(ctx context.Context) error {
			_, err := f.Apply(ctx, d)
			return err
		})
		stopsReading(t, name+" applied to training data", test.transform, func(ctx context.Context) error {
			_, err := ApplyTraining(ctx, f, d)
			return err
		})
	}
}
