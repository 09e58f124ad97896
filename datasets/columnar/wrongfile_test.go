package columnar_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A file that is neither Parquet nor Arrow is called by its name.
func TestWrongFiles(t *testing.T) {
	for _, c := range []struct{ name, file, parquet, arrow string }{
		{"CSV", "a,b\n1,2\n3,4\n", "it doesn't begin as a Parquet file does; if it is text, use datasets.ReadCSV", ""},
		{"xlsx", "PK\x03\x04\x14\x00\x06\x00xl/workbook.xml", "this is an Excel workbook", "this is an Excel workbook"},
		{"web page", "<html>not found</html>", "this is a web page", "this is a web page"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "this is packed by gzip: unpack it",
			"this is packed by gzip: unpack it"},
		{"nothing", "", "the file is empty", "a file of 0 bytes"},
		{"short", "PAR1", "too few for Parquet", "a file of 4 bytes"},
		{"cut", "PAR1" + strings.Repeat("x", 600), "cut short", "this is a Parquet file: read it with"},
		{"Feather", "FEA1" + strings.Repeat("x", 60), "this is a file of Feather", "version 1: write version 2"},
	} {
		path := filepath.Join(t.TempDir(), "table")
		must.Do(os.WriteFile(path, []byte(c.file), 0o600))
		_, err := columnar.ReadParquet(t.Context(), path, columnar.Options{})
		readtest.WantError(t, err, path+": ", c.parquet)
		_, err = columnar.ReadArrow(t.Context(), path, columnar.Options{})
		readtest.WantError(t, err, c.arrow)
	}
}
