package datasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func TestReadersStop(t *testing.T) {
	csv := "a,b,y\n" + strings.Repeat("1,2,u\n3,4,v\n", 300_000)
	csvFile := func(ctx context.Context, text string) error {
		_, err := CSV{}.Read(ctx, strings.NewReader(text), "text")
		return err
	}
	readtest.StopsReading(t, "CSV", 4, func(ctx context.Context) error { return csvFile(ctx, csv) })
	packed := string(readtest.Gzipped(t, []byte(csv)))
	readtest.StopsReading(t, "packed CSV", 50, func(ctx context.Context) error { return csvFile(ctx, packed) })
	readtest.StopsReading(t, "CSV from a stream", 4, func(ctx context.Context) error {
		_, err := CSV{}.Read(ctx, io.MultiReader(strings.NewReader(csv)), "text")
		return err
	})
	readtest.StopsReading(t, "records", 4, func(ctx context.Context) error {
		r, err := NewRecords(ctx, strings.NewReader(csv), "text")
		for err == nil {
			_, _, err = r.Next()
		}
		if err == io.EOF {
			return nil
		}
		return err
	})
	readtest.StopsReading(t, "ARFF", 20, func(ctx context.Context) error {
		text := "@attribute a real\n@attribute y {u,v}\n@data\n" + strings.Repeat("1,u\n{0 3, 1 v}\n", 50_000)
		_, err := ARFF{}.Read(ctx, strings.NewReader(text), "text")
		return err
	})
	cells, labels := filepath.Join(t.TempDir(), "cells"), filepath.Join(t.TempDir(), "labels")
	for path, b := range map[string][]byte{
		cells:  append([]byte{0, 0, 8, 2, 0, 0, 0x80, 0, 0, 0, 0, 16}, make([]byte, 0x8000*16)...),
		labels: append([]byte{0, 0, 8, 1, 0, 0, 0x80, 0}, make([]byte, 0x8000)...),
	} {
		must.Do(os.WriteFile(path, b, 0o666))
	}
	readtest.StopsReading(t, "IDX", 10, func(ctx context.Context) error {
		_, err := ReadIDX(ctx, cells, labels)
		return err
	})
	folds := writeFile(t, strings.Repeat("1,2\n3,4\n", 2))
	readtest.StopsReading(t, "folds", 4, func(ctx context.Context) error {
		_, err := ReadPartition(ctx, folds, 8)
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil // rows are in two folds
		}
		return err
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
	}{{Impute{}, p, p}, {OneHot{}, 0, p}, {Ordinal{}, 0, p}, {Standardise{}, p, p}, {TargetEncoding{}, p, p}, {Prepare{},
		p, p}, {Steps{Impute{}, OneHot{}}, p, p}} {
		name := fmt.Sprintf("%T", test.step)
		f := fit(t, test.step, d)
		if test.fit > 0 { // the others only list names
			readtest.StopsReading(t, name+".Fit", test.fit, func(ctx context.Context) error {
				_, _, err := test.step.Fit(ctx, d)
				return err
			})
		}
		readtest.StopsReading(t, name+" applied", test.transform, func(ctx context.Context) error {
			_, err := f.Apply(ctx, d)
			return err
		})
		readtest.StopsReading(t, name+" applied to training data", test.transform, func(ctx context.Context) error {
			_, err := ApplyTraining(ctx, f, d)
			return err
		})
	}
}
