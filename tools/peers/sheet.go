package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
)

// A record is one run: a line of the CSV file.
type record struct {
	Date       string  `csv:"date"`
	Commit     string  `csv:"commit"`
	Machine    string  `csv:"machine"`
	Job        string  `csv:"job"`
	Rows       int     `csv:"rows"`
	TestRows   int     `csv:"test_rows"`
	Features   int     `csv:"features"`
	Classes    int     `csv:"classes"`
	Directions int     `csv:"directions"`
	Contender  string  `csv:"contender"`
	Version    string  `csv:"version"`
	Threads    int     `csv:"threads"`
	Round      int     `csv:"round"`
	Trees      int     `csv:"trees"`
	Settings   string  `csv:"settings"`
	Fit        float64 `csv:"fit_s"`
	Predict    float64 `csv:"predict_s"`
	Error      float64 `csv:"test_error"`
	Baseline   int64   `csv:"baseline_bytes"`
	Peak       int64   `csv:"peak_bytes"`
	Model      int64   `csv:"model_bytes"`
}

func columns() []string {
	t := reflect.TypeFor[record]()
	names := make([]string, t.NumField())
	for k := range names {
		names[k] = t.Field(k).Tag.Get("csv")
	}
	return names
}

func (r record) cells() []string {
	v := reflect.ValueOf(r)
	cells := make([]string, v.NumField())
	for k := range cells {
		if v.Field(k).CanFloat() {
			cells[k] = strconv.FormatFloat(v.Field(k).Float(), 'g', 6, 64)
		} else {
			cells[k] = fmt.Sprint(v.Field(k).Interface())
		}
	}
	return cells
}

func parseRecord(cells []string) (r record, err error) {
	v := reflect.ValueOf(&r).Elem()
	for k, cell := range cells {
		switch f := v.Field(k); {
		case f.CanInt():
			var n int64
			n, err = strconv.ParseInt(cell, 10, 64)
			f.SetInt(n)
		case f.CanFloat():
			var x float64
			x, err = strconv.ParseFloat(cell, 64)
			f.SetFloat(x)
		default:
			f.SetString(cell)
		}
		if err != nil {
			return r, fmt.Errorf("%s: %w", v.Type().Field(k).Tag.Get("csv"), err)
		}
	}
	return r, nil
}

// A sheet is a CSV file of records, and its contents.
type sheet struct {
	*os.File
	records []record
}

// openSheet opens a file to append to, and creates it if it doesn't exist.
func openSheet(path string) (*sheet, error) {
	records, err := readSheet(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	s := &sheet{f, records}
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() == 0 {
		return s, s.write(columns())
	}
	return s, nil
}

func readSheet(path string) ([]record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	var records []record
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		line, _ := r.FieldPos(0)
		if line == 1 {
			if fmt.Sprint(cells) != fmt.Sprint(columns()) {
				return nil, fmt.Errorf("%s: columns %v, want %v", path, cells, columns())
			}
			continue
		}
		rec, err := parseRecord(cells)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, line, err)
		}
		records = append(records, rec)
	}
}

func (s *sheet) add(r record) error {
	s.records = append(s.records, r)
	return s.write(r.cells())
}

func (s *sheet) write(cells []string) error {
	w := csv.NewWriter(s)
	w.Write(cells)
	w.Flush()
	return w.Error()
}
