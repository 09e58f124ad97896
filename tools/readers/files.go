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

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// makeFiles returns the paths of the table's files in the folder, and makes those that are missing:
//
//	numbers.csv      20 columns of normal numbers with all digits, then a colour
//	numbers.csv.gz   the same
//	quoted.csv       the same, header and colours in quotes, as R writes them
//	numbers.parquet  the same, as pandas writes it
func makeFiles() (paths []string, err error) {
	plain := filepath.Join(*folder, "numbers.csv")
	for _, name := range []string{"numbers.csv", "numbers.csv.gz", "quoted.csv", "numbers.parquet"} {
		path := filepath.Join(*folder, name)
		paths = append(paths, path)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if name == "numbers.parquet" {
			command := exec.Command(*python, script, "parquet", plain, path)
			command.Stderr = os.Stderr
			err = command.Run()
		} else {
			err = atomicfile.Write(path, func(w io.Writer) error {
				switch name {
				case "numbers.csv.gz":
					z := gzip.NewWriter(w)
					return errors.Join(writeTable(z, *rows, ""), z.Close())
				case "quoted.csv":
					return writeTable(w, *rows, `"`)
				}
				return writeTable(w, *rows, "")
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
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
