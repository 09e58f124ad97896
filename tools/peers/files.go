package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A shape describes the data in a contender's folder: train.x and test.x hold the columns one after another as float32,
// train.y and test.y the classes as int32 or the values as float64, all little-endian.
type shape struct {
	rows, testRows, features int
	classes                  int // 0 for regression
}

func writeFolder(folder string, train, test *datasets.Dataset) (shape, error) {
	for name, d := range map[string]*datasets.Dataset{"train": train, "test": test} {
		if err := d.CheckFinite(); err != nil {
			return shape{}, err
		}
		var x, y bytes.Buffer
		for j := range d.P() {
			binary.Write(&x, binary.LittleEndian, d.Column(nil, j))
		}
		binary.Write(&y, binary.LittleEndian, answers(d))
		path := filepath.Join(folder, name)
		if err := errors.Join(os.WriteFile(path+".x", x.Bytes(), 0o600),
			os.WriteFile(path+".y", y.Bytes(), 0o600)); err != nil {
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

// readFolder reads train or test.
func readFolder(folder, name string, rows, features, classes int) (*datasets.Dataset, error) {
	d := newDataset(name, rows, features, classes)
	parts := map[string][]any{".y": {answers(d)}}
	for _, column := range d.Columns {
		parts[".x"] = append(parts[".x"], column)
	}
	for end, vectors := range parts {
		f, err := os.Open(filepath.Join(folder, name+end))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r := bufio.NewReaderSize(f, 1<<20)
		for j, v := range vectors {
			if err := binary.Read(r, binary.LittleEndian, v); err != nil {
				return nil, fmt.Errorf("%s, column %d: %w", f.Name(), j+1, err)
			}
		}
	}
	return d, nil
}

// A record is one run: a line of the CSV file.
type record struct {
	Date, Commit, Machine, Job                    string
	Rows, TestRows, Features, Classes, Directions int
	Contender, Version                            string
	Threads, Round, Trees                         int
	Settings                                      string
	Fit, Predict, Error                           float64
	Baseline, Peak, Model                         int64
}

// The columns of records, in their order.
var recordColumns = strings.Split("date,commit,machine,job,rows,test_rows,features,classes,directions,contender,"+
	"version,threads,round,trees,settings,fit_s,predict_s,test_error,baseline_bytes,peak_bytes,model_bytes", ",")

func (r record) key() key { return key{r.Job, r.Directions} }

func (r record) cells() (cells []string) {
	for _, v := range reflect.ValueOf(r).Fields() {
		if v.CanFloat() {
			cells = append(cells, short(v.Float()))
		} else {
			cells = append(cells, fmt.Sprint(v))
		}
	}
	return cells
}

// short returns a number with six digits.
func short(v float64) string { return fmt.Sprintf("%.6g", v) }

// parseLine sets the fields of a struct to cells in the same order. An error names the column.
func parseLine(into any, columns, cells []string) error {
	k := 0
	for _, v := range reflect.ValueOf(into).Elem().Fields() {
		if v.Kind() == reflect.String {
			v.SetString(cells[k])
		} else if err := json.Unmarshal([]byte(cells[k]), v.Addr().Interface()); err != nil {
			return fmt.Errorf("%s: %w", columns[k], err)
		}
		k++
	}
	return nil
}

// parseTable returns the lines of a table that is part of the program.
func parseTable[T any](text string) (table []T) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	for i, cells := range lines {
		if i > 0 && err == nil {
			table = append(table, *new(T))
			err = parseLine(&table[i-1], lines[0], cells)
		}
	}
	if err != nil {
		panic(err)
	}
	return table
}

// A sheet is a CSV file of records, and its contents.
type sheet struct {
	path    string
	records []record
}

// openSheet reads a file, which need not exist.
func openSheet(path string) (*sheet, error) {
	s := &sheet{path: path}
	lines, err := readCSV(path, recordColumns)
	if err != nil {
		return nil, err
	}
	for i, cells := range lines {
		var r record
		if err := parseLine(&r, recordColumns, cells); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, i+2, err)
		}
		s.records = append(s.records, r)
	}
	return s, nil
}

func (s *sheet) add(r record) error {
	s.records = append(s.records, r)
	return appendCSV(s.path, recordColumns, r.cells())
}

// readCSV returns the lines of a file below its header. The file need not exist.
func readCSV(path string, columns []string) ([][]string, error) {
	text, err := os.ReadFile(path)
	if len(text) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !slices.Equal(lines[0], columns) {
		return nil, fmt.Errorf("%s: columns %v, want %v", path, lines[0], columns)
	}
	return lines[1:], nil
}
