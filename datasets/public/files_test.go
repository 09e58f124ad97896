package public

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// idx returns an IDX file of bytes, with fewer than 256 in each dimension.
func idx(values []byte, shape ...byte) []byte {
	b := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		b = append(b, 0, 0, 0, n)
	}
	return append(b, values...)
}

// Sets of IDX files are kept in one folder for all their parts.
func TestDownloadIDX(t *testing.T) {
	s := &source{Info: Info{Name: "tiny_full", Task: "classification"}, Recipe: recipe{Format: "idx"}}
	files := map[string][]byte{}
	for _, f := range []struct {
		name  string
		bytes []byte
	}{
		{"a-images.gz", idx([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 3, 2, 2)},
		{"a-labels.gz", idx([]byte{1, 0, 1}, 3)}, {"b-images.gz", idx([]byte{13, 14, 15, 16}, 1, 2, 2)},
		{"b-labels.gz", idx([]byte{0}, 1)},
	} {
		b := readtest.Gzipped(t, f.bytes)
		s.Files = append(s.Files, fileOf("o/r", "c", "folder/"+f.name, b))
		files["/o/r/c/folder/"+f.name] = b
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content(w, r, files[r.URL.Path])
	}))
	defer srv.Close()
	l := testLoader(t, srv.URL)
	d := must.Value(l.cached(t.Context(), s))
	if columns := [][]float32{{1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}, {4, 8, 12, 16}}; d.Name != s.Name ||
		d.Target != "class" || !reflect.DeepEqual(d.Columns, columns) || !reflect.DeepEqual(d.Labels, []int32{1, 0, 1, 0}) {
		t.Errorf("%+v", d)
	}
	l.wantFiles(t, "tiny/a-images.gz", "tiny/a-labels.gz", "tiny/b-images.gz", "tiny/b-labels.gz")
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
		d := must.Value(Load(t.Context(), name))
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

// A download is verified and read by its recipe: both stop.
func TestPreparingDownloadsStops(t *testing.T) {
	r := recipe{Delimiter: ",", Gzip: true, Columns: []string{"a", "b", "y"}, Target: 2}
	file := readtest.Gzipped(t, []byte(strings.Repeat("1,2,u\n3,4,v\n", 25_000)))
	readtest.StopsReading(t, "recipe", 10, func(ctx context.Context) (err error) {
		return r.convert(ctx, file, csv.NewWriter(io.Discard))
	})
	large := make([]byte, 8<<20)
	readtest.StopsReading(t, "checksum", 5, func(ctx context.Context) error {
		return fileOf("o/r", "c", "f", large).verify(ctx, bytes.NewReader(large))
	})
}
