package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A file that isn't what the reader expects is called by its name.
func TestWrongFiles(t *testing.T) {
	var wide []byte // UTF-16, little endian
	for _, c := range utf16.Encode([]rune("a,b\n1,2\n")) {
		wide = append(wide, byte(c), byte(c>>8))
	}
	tar := make([]byte, 512)
	copy(tar, "table.csv")
	copy(tar[257:], "ustar")
	parquet := must.Value(os.ReadFile(filepath.Join("columnar", "testdata", "plain.parquet")))
	arrow := must.Value(os.ReadFile(filepath.Join("columnar", "testdata", "file.arrow")))
	idx := []byte{0, 0, 8, 1, 0, 0, 0, 2, 0, 1}
	const arff = "% flowers\n@RELATION r\n@attribute a numeric\n@attribute b {x,y}\n@data\n1,x\n2,y\n"
	readers := map[string]func(path string) (*Dataset, error){
		"CSV":  func(path string) (*Dataset, error) { return ReadCSV(t.Context(), path, CSV{}) },
		"ARFF": func(path string) (*Dataset, error) { return ReadARFF(t.Context(), path, ARFF{}) },
		"IDX":  func(path string) (*Dataset, error) { return ReadIDX(t.Context(), path, path) },
	}
	const text, all = "CSV ARFF", "CSV ARFF IDX"
	for _, c := range []struct {
		file, readers, want string
	}{
		{string(parquet), all, "this is a Parquet file: read it with columnar.ReadParquet"},
		{string(arrow), all, "this is an Arrow file: read it with columnar.ReadArrow"},
		{"PK\x03\x04\x14\x00\x00\x00xl/workbook.xml", all, "this is an Excel workbook (.xlsx)"},
		{"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", all, "this is a PNG image"},
		{"\xff\xd8\xff\xe0\x00\x10JFIF\x00", all, "this is a JPEG image"},
		{string(readtest.Gzipped(t, []byte("a,b\n1,2\n"))[:30]), "CSV", "the packed file ends early"},
		{"\x1f\x8b\x08", all, "the packed file ends early"},
		{"%PDF-1.7\n%…", all, "this is a PDF document"},
		{"\n <!DOCTYPE HTML><title>404</title>", all, "this is a web page"},
		{`[{"a": 1, "b": 2}]`, text, "this is JSON"},
		{string(tar), text, "this is a tar archive"},
		{string(readtest.Gzipped(t, tar)), text, "this is a tar archive"},
		{string(readtest.Gzipped(t, readtest.Gzipped(t, []byte("a,b\n1,2\n")))), all, "this is gzip in gzip"},
		{"\xff\xfe" + string(wide), text, "this is text in UTF-16: save it as UTF-8"},
		{string(wide), text, "or text in UTF-16: it has zero bytes"},
		{string(idx), text, "this is an IDX file: read it with ReadIDX"},
		{"\x01\x02\x00\x00\x05\x00\x00abc", text, "isn't text"},
		{arff, "CSV", "this is an ARFF file: read it with ReadARFF"},
		{arff[10:], "CSV", "this is an ARFF file: read it with ReadARFF"},
		{"1 1:0.5 3:2\n2 2:1\n", "CSV", "this is a LIBSVM file: write it as CSV"},
		{"a,b\n1,2\n", "ARFF", `"a,b"; want @relation, @attribute or @data; if this is a CSV`},
		{"", text, "the file is empty"},
		{"\n\n  \r\n", text, "the file is empty"},
		{string(readtest.Gzipped(t, nil)), text, "the file is empty"},
		{"a,b\n", "CSV", "there is a header but no rows"},
	} {
		path := filepath.Join(t.TempDir(), "table.csv")
		must.Do(os.WriteFile(path, []byte(c.file), 0o600))
		for _, reader := range strings.Fields(c.readers) {
			_, err := readers[reader](path)
			readtest.WantError(t, err, "datasets: "+path+":", c.want)
		}
	}
}

// Numbers with commas are told from texts with commas.
func TestCommas(t *testing.T) {
	read := func(text string, o CSV) (*Dataset, error) { return o.Read(t.Context(), strings.NewReader(text), "f") }
	_, err := read("a;y\n3,14;u\n2.5;v\n", CSV{Comma: ';'})
	readtest.WantError(t, err, "same marks")
	if _, err := read("{\"a\":1};x\n{};y\n", CSV{Comma: ';', NoHeader: true}); err != nil {
		t.Errorf("a column of JSON: %v", err)
	}
	if d, err := read("a;y\n3,14;u\n2,5;v\n", CSV{Comma: ';', Categorical: []string{"a"}}); err != nil ||
		d.Features[0].Categories == nil {
		t.Errorf("numbers as categories: %v", err)
	}
	if d, err := read("one\nx, y\nz, u\n", CSV{NoTarget: true, Comma: ';'}); err != nil || d.P() != 1 {
		t.Errorf("one column of texts: %v", err)
	}
}

// Where Comma is 0, semicolons, tabs and bars are found, in blocks that they cut into rows, too.
func TestSeparatorIsFound(t *testing.T) {
	for _, sep := range []string{",", ";", "\t", "|"} {
		text := "\"a,b;c\"_d_y\n" + strings.Repeat("1_2_p\n", 4) + strings.Repeat("\"1\n\"_2,5_p\n\"3\"_\"4\"_q\n", 20_000)
		text = strings.ReplaceAll(text, "_", sep)
		text = strings.ReplaceAll(text, "2,5", map[bool]string{true: "2.5", false: "2,5"}[sep == ","])
		d := must.Value(CSV{}.read(t.Context(), strings.NewReader(text), "f", 1<<16))
		if d.N() != 40_004 || !slices.Equal(d.FeatureNames(), []string{"a,b;c", "d"}) || d.At(40_002, 1) != 2.5 {
			t.Errorf("%q: %d rows of %q", sep, d.N(), d.FeatureNames())
		}
		said := slices.Contains(d.Notes, fmt.Sprintf("Columns are separated by %q.", sep[0]))
		if said != (sep != ",") {
			t.Errorf("%q: notes %q", sep, d.Notes)
		}
	}
}

// Where Comma is set, an error names the separator that the lines have, unless one column is meant.
func TestWrongSeparator(t *testing.T) {
	for _, c := range []struct {
		text, want string
		o          CSV
	}{
		{"a;b\nu;v\nx;y\n", "set Comma to ';'", CSV{Comma: ','}},
		{"a,b\nu,v\nx,y\n", "set Comma to ','", CSV{Comma: ';'}},
		{"a;b\nu;v\nx;y\n", "", CSV{NoTarget: true, Comma: ','}},
	} {
		d, err := c.o.Read(t.Context(), strings.NewReader(c.text), "f")
		readtest.WantResult(t, err, c.want)
		if c.want == "" && fmt.Sprint(d.FeatureNames()) != "[a;b]" {
			t.Errorf("%+v; want one column", d)
		}
	}
}
