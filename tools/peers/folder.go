package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A shape describes the data in a contender's folder: train.x and test.x hold the
// columns one after another as float32, train.y and test.y the classes as int32 or
// the values as float64, all little-endian.
type shape struct {
	rows, testRows, features int
	classes                  int // 0 for regression
}

func writeFolder(folder string, train, test *datasets.Dataset) (shape, error) {
	for name, d := range map[string]*datasets.Dataset{"train": train, "test": test} {
		if err := d.CheckFinite(); err != nil {
			return shape{}, err
		}
		path := filepath.Join(folder, name)
		err := writeFile(path+".x", func(w io.Writer) error {
			column := make([]float32, d.N())
			for j := range d.P() {
				if err := binary.Write(w, binary.LittleEndian, d.Column(column, j)); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			err = writeFile(path+".y", func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, answers(d)) })
		}
		if err != nil {
			return shape{}, err
		}
	}
	return shape{train.N(), test.N(), train.P(), len(train.Classes)}, nil
}

// answers returns the labels or values of d.
func answers(d *datasets.Dataset) any {
	if d.Values != nil {
		return d.Values
	}
	return d.Labels
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// readFolder reads train or test.
func readFolder(folder, name string, rows, features, classes int) (*datasets.Dataset, error) {
	d := newDataset(name, rows, features, classes)
	x, err := os.Open(filepath.Join(folder, name+".x"))
	if err != nil {
		return nil, err
	}
	defer x.Close()
	r := bufio.NewReaderSize(x, 1<<20)
	for j, column := range d.Columns {
		if err := binary.Read(r, binary.LittleEndian, column); err != nil {
			return nil, fmt.Errorf("%s, column %d: %w", x.Name(), j+1, err)
		}
	}
	y, err := os.Open(filepath.Join(folder, name+".y"))
	if err != nil {
		return nil, err
	}
	defer y.Close()
	if err := binary.Read(y, binary.LittleEndian, answers(d)); err != nil {
		return nil, fmt.Errorf("%s: %w", y.Name(), err)
	}
	return d, nil
}
