package public

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/internal/readtest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// idx returns an IDX file of bytes, with fewer than 256 in each dimension.
func idx(values []byte, shape ...byte) []byte {
	b := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		b = append(b, 0, 0, 0, n)
	}
	return append(b, values...)
}

// idxSource returns a set of two parts, three rows of 2 × 2 pixels and one row, and its
// files by their path on the host.
func idxSource(t *testing.T) (*source, map[string][]byte) {
	s := &source{Info: Info{Name: "tiny_full", Task: "classification", N: 4, P: 4, Classes: 2},
		Recipe: recipe{Format: "idx", Target: -1}}
	files := map[string][]byte{}
	for _, f := range []struct {
		name  string
		bytes []byte
	}{
		{"a-images.gz", readtest.Gzipped(t, idx([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 3, 2, 2))},
		{"a-labels.gz", readtest.Gzipped(t, idx([]byte{1, 0, 1}, 3))},
		{"b-images.gz", readtest.Gzipped(t, idx([]byte{13, 14, 15, 16}, 1, 2, 2))},
		{"b-labels.gz", readtest.Gzipped(t, idx([]byte{0}, 1))},
	} {
		sum := sha256.Sum256(f.bytes)
		s.Files = append(s.Files, sourceFile{"o/r", "c", "folder/" + f.name, hex.EncodeToString(sum[:]), int64(len(f.bytes))})
		files["/o/r/c/folder/"+f.name] = f.bytes
	}
	return s, files
}

// A set of IDX files is downloaded file by file, kept as it is, and read from the cache;
// a file that another set has left there isn't downloaded again, and a damaged one is.
func TestDownloadIDX(t *testing.T) {
	full, files := idxSource(t)
	test := *full
	test.Name, test.N, test.Files = "tiny_test", 1, full.Files[2:]
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, filepath.Base(r.URL.Path))
		content(w, r, files[r.URL.Path])
	}))
	defer srv.Close()
	l := testLoader(t, srv.URL)
	load := func(s *source, columns [][]float32, labels []int32, requests string) {
		t.Helper()
		asked = nil
		d := must.Value(l.cached(context.Background(), s))
		if d.Name != s.Name || d.Target != "class" || !reflect.DeepEqual(d.Columns, columns) ||
			!reflect.DeepEqual(d.Labels, labels) {
			t.Errorf("%q, target %q: columns %v, labels %v", d.Name, d.Target, d.Columns, d.Labels)
		}
		if got := strings.Join(asked, " "); got != requests {
			t.Errorf("%s: requests of %q; want %q", s.Name, got, requests)
		}
	}
	wantFull := func(requests string) {
		t.Helper()
		load(full, [][]float32{{1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}, {4, 8, 12, 16}}, []int32{1, 0, 1, 0}, requests)
	}
	load(&test, [][]float32{{13}, {14}, {15}, {16}}, []int32{0}, "b-images.gz b-labels.gz")
	l.wantFiles(t, "tiny/b-images.gz", "tiny/b-labels.gz")
	wantFull("a-images.gz a-labels.gz")
	all := []string{"tiny/a-images.gz", "tiny/a-labels.gz", "tiny/b-images.gz", "tiny/b-labels.gz"}
	l.wantFiles(t, all...)
	wantFull("")
	// A valid file, but not the registered one.
	must.Do(os.WriteFile(filepath.Join(l.cache, "tiny", "a-labels.gz"), idx([]byte{0, 0, 0}, 3), 0o644))
	wantFull("a-labels.gz")
	l.wantFiles(t, all...)
	must.Do(os.Remove(filepath.Join(l.cache, "tiny", "a-labels.gz")))
	files["/o/r/c/folder/a-labels.gz"] = bytes.Repeat([]byte("x"), int(full.Files[1].Bytes))
	_, err := l.cached(context.Background(), full)
	readtest.WantError(t, err, `load "tiny_full"`, "a-labels.gz", "wrong checksum", full.Files[1].SHA256)
	l.wantFiles(t, append(all[:1:1], all[2:]...)...)
}

// MNIST by name has the numbers of images of each digit and the mean and deviation of
// pixels, as shares of 255, that are commonly published (0.1307 and 0.3081 are those that
// PyTorch's example standardises with).
func TestMNIST(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 140,000 images")
	}
	readtest.DataDir(t)
	t.Setenv("OBLIQUA_CACHE", filepath.Join(t.TempDir(), "must not be made"))
	train := []int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}
	test := []int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}
	full := make([]int, 10)
	for c := range full {
		full[c] = train[c] + test[c]
	}
	for name, counts := range map[string][]int{"mnist": train, "mnist_test": test, "mnist_full": full} {
		d := must.Value(Load(context.Background(), name))
		checkInfo(t, lookup(name), d)
		if !reflect.DeepEqual(d.ClassCounts(), counts) || strings.Join(d.Classes, "") != "0123456789" {
			t.Errorf("%s: classes %q, counts %v; want %v", name, d.Classes, d.ClassCounts(), counts)
		}
		if d.Features[0].Name != "r0c0" || d.Features[783].Name != "r27c27" || d.Target != "class" {
			t.Errorf("%s: features %v, target %q", name, d.FeatureNames(), d.Target)
		}
		if name != "mnist" {
			continue
		}
		var sum, squares float64
		for _, column := range d.Columns {
			for _, v := range column {
				sum += float64(v) / 255
				squares += float64(v) / 255 * float64(v) / 255
			}
		}
		cells := float64(d.N() * d.P())
		mean := sum / cells
		if sd := math.Sqrt(squares/cells - mean*mean); math.Abs(mean-0.1307) > 5e-5 || math.Abs(sd-0.3081) > 5e-5 {
			t.Errorf("pixels have mean %.5f and deviation %.5f; want 0.1307 and 0.3081", mean, sd)
		}
	}
}

// A download is verified, read by its recipe, and written to the cache: all of these stop.
func TestPreparingDownloadsStops(t *testing.T) {
	s := &source{Info: Info{Name: "s", Task: "classification", N: 50_000, P: 2, Classes: 2},
		Files: []sourceFile{{Path: "s.csv"}},
		Recipe: recipe{Format: "csv", Delimiter: ",", Gzip: true, Columns: []string{"a", "b", "y"}, Target: 2,
			Categorical: []int{2}}}
	file := readtest.Gzipped(t, []byte(strings.Repeat("1,2,u\n3,4,v\n", 25_000)))
	var rows [][]string
	readtest.StopsReading(t, "recipe", 20, func(ctx context.Context) (err error) {
		rows, err = s.table(ctx, [][]byte{file})
		return err
	})
	readtest.StopsReading(t, "encoding", 5, func(ctx context.Context) error { return s.encode(ctx, io.Discard, rows) })
	large := make([]byte, 8<<20)
	readtest.StopsReading(t, "checksum", 5, func(ctx context.Context) error {
		err := sourceFile{}.verify(ctx, large)
		if err != nil && strings.HasPrefix(err.Error(), "wrong checksum: ") {
			return nil
		}
		return err
	})
	records := &source{Recipe: recipe{Format: "whitespace", Ops: []recipeOp{{Op: "records_end_at_blank_line"}},
		Columns: make([]string, 1)}}
	readtest.StopsReading(t, "records of several lines", 20, func(ctx context.Context) error {
		return (&recipeTable{recipe: &records.Recipe}).read(ctx, []byte(strings.Repeat("1\n\n", 100_000)))
	})
}
