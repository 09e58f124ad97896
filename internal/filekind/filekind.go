// Package filekind recognises files that are given to the wrong reader.
package filekind

import (
	"bytes"
	"strings"
)

// Head is the number of bytes from which Of recognises a file.
const Head = 512

// Gzip is how packed files begin. Of takes it for gzip in gzip: most readers unpack files first.
const Gzip = "\x1f\x8b"

var kinds = []struct{ start, is string }{
	{"PAR1", "a Parquet file: read it with columnar.ReadParquet"},
	{"ARROW1", "an Arrow file: read it with columnar.ReadArrow"},
	{"FEA1", "a file of Feather version 1: write version 2 and read it with columnar.ReadArrow"},
	{"PK\x03\x04", "an Excel workbook (.xlsx) or another zip archive: save the sheet as CSV, or unpack the archive"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (.xls): save the sheet as CSV"},
	{"%PDF-", "a PDF document: its tables have to be copied into a CSV file"},
	{"\x89PNG\r\n\x1a\n", "a PNG image: want a table"},
	{"\xff\xd8\xff", "a JPEG image: want a table"},
	{Gzip, "gzip in gzip: unpack it once"},
	{"BZh91AY&SY", "packed by bzip2: unpack it, or pack it by gzip"},
	{"\xfd7zXZ\x00", "packed by xz: unpack it, or pack it by gzip"},
	{"\x28\xb5\x2f\xfd", "packed by zstd: unpack it, or pack it by gzip"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it"},
	{"\x89HDF", "an HDF5 file: write the table as CSV or Parquet"},
	{"\x93NUMPY", "a NumPy array: write it as CSV, for example by numpy.savetxt"},
	{"SQLite format 3\x00", "a SQLite database: write the table as CSV"},
	{"\xff\xfe", "text in UTF-16: save it as UTF-8"},
	{"\xfe\xff", "text in UTF-16: save it as UTF-8"},
}

// Of recognises a file by its first bytes, and says how to read it: "a Parquet file: read it with …". It returns "" for
// tables in text and for bytes that it doesn't know. Sentences go on after "this is".
func Of(head []byte) string {
	for _, k := range kinds {
		if bytes.HasPrefix(head, []byte(k.start)) {
			return k.is
		}
	}
	begins := func(word string) bool {
		return len(head) >= len(word) && strings.EqualFold(string(head[:len(word)]), word)
	}
	switch {
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		return "a tar archive: unpack it"
	case len(head) >= 4 && head[0] == 0 && head[1] == 0 && head[2] >= 8 && head[2] <= 14 && head[3] >= 1:
		return "an IDX file: read it with ReadIDX"
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	switch {
	case begins("<!doctype html"), begins("<html"), begins("<?xml"):
		return "a web page or XML, perhaps of a download that failed: look at it in a browser"
	case begins(`{"`) || begins("[{"):
		line, _, _ := bytes.Cut(head, []byte("\n"))
		line = bytes.TrimRight(line, " \r") // a row of CSV may begin with such a cell
		if strings.IndexByte("{}[],", line[len(line)-1]) >= 0 {
			return "JSON: write the table as CSV"
		}
	}
	return ""
}
