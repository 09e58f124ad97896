package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// makeFiles returns the paths of the table's files in the folder, and makes those that
// are missing:
//
//	numbers.csv      20 columns of normal numbers with all digits, then a colour
//	numbers.csv.gz   the same
//	quoted.csv       the same, header and colours in quotes, as R writes them
//	numbers.parquet  the same, as pandas writes it
func makeFiles(o options) ([]string, error) {
	plain := filepath.Join(o.folder, "numbers.csv")
	files := []struct {
		path string
		make func(path string) error
	}{
		{plain, func(path string) error {
			return writeFile(path, func(w io.Writer) error { return writeTable(w, o.rows, "") })
		}},
		{plain + ".gz", func(path string) error {
			return writeFile(path, func(w io.Writer) error {
				z := gzip.NewWriter(w)
				return errors.Join(writeTable(z, o.rows, ""), z.Close())
			})
		}},
		{filepath.Join(o.folder, "quoted.csv"), func(path string) error {
			return writeFile(path, func(w io.Writer) error { return writeTable(w, o.rows, `"`) })
		}},
		{filepath.Join(o.folder, "numbers.parquet"), func(path string) error {
			command := exec.Command(o.python, filepath.Join("tools", "readers", "readers.py"), "parquet", plain, path)
			command.Stderr = os.Stderr
			return command.Run()
		}},
	}
	var paths []string
	for _, f := range files {
		if _, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) {
			if err := f.make(f.path); err != nil {
				return nil, err
			}
		}
		paths = append(paths, f.path)
	}
	return paths, nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// writeTable writes the table as CSV, with quote before and after texts.
func writeTable(to io.Writer, rows int, quote string) error {
	const p = 20
	colours := []string{"red", "green", "blue", "yellow", "violet"}
	w := bufio.NewWriterSize(to, 1<<20)
	for j := range p {
		w.WriteString(quote + "x" + strconv.Itoa(j+1) + quote + ",")
	}
	w.WriteString(quote + "colour" + quote + "\n")
	rng := rand.New(rand.NewPCG(1, 2))
	var line []byte
	for range rows {
		line = line[:0]
		for range p {
			line = strconv.AppendFloat(line, rng.NormFloat64(), 'g', -1, 64)
			line = append(line, ',')
		}
		line = append(line, quote+colours[rng.IntN(len(colours))]+quote+"\n"...)
		w.Write(line) // Flush returns an error
	}
	return w.Flush()
}
