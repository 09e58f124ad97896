package datasets

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func labelled(labels []int32, classes int) *Dataset {
	return &Dataset{
		Features: []Feature{{Name: "x1"}},
		Columns:  [][]float32{make([]float32, len(labels))},
		Labels:   labels,
		Classes:  make([]string, classes),
	}
}

// checkFold checks that train and test are the rows 0 … n−1 in order, each in
// one of the two.
func checkFold(t rapid.TB, f Fold, n int) {
	all := slices.Concat(f.Train, f.Test)
	slices.Sort(all)
	for i, row := range all {
		if int(row) != i {
			t.Fatalf("%v is no partition of %d rows", f, n)
		}
	}
	if len(all) != n || !slices.IsSorted(f.Train) || !slices.IsSorted(f.Test) {
		t.Fatalf("%v: %d rows of %d, or not ascending", f, len(all), n)
	}
}

// checkKFold returns the folds, which must test on each row once, and be the same for the same seed.
func checkKFold(t *rapid.T, k KFold, d *Dataset) []Fold {
	folds := must.Value(k.Folds(d))
	if len(folds) != k.K {
		t.Fatalf("%d folds; want %d", len(folds), k.K)
	}
	tested := make([]int, d.N())
	for _, f := range folds {
		checkFold(t, f, d.N())
		for _, i := range f.Test {
			tested[i]++
		}
	}
	if slices.Min(tested) != 1 || slices.Max(tested) != 1 {
		t.Fatalf("rows were tested on %v times", tested)
	}
	if again, _ := k.Folds(d); !reflect.DeepEqual(folds, again) {
		t.Fatal("the same seed gave other folds")
	}
	return folds
}

func TestKFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.Int32Range(0, 3), 2, 60).Draw(t, "labels")
		n := len(labels)
		d := labelled(labels, 4)
		k := KFold{K: rapid.IntRange(2, n).Draw(t, "k"), Stratified: rapid.Bool().Draw(t, "stratified"),
			Seed: rapid.Uint64().Draw(t, "seed")}
		low, high := slices.Repeat([]int{n}, 5), make([]int, 5) // by class, and of all
		for _, f := range checkKFold(t, k, d) {
			_, test := f.Split(d)
			for c, count := range append(test.ClassCounts(), len(f.Test)) {
				low[c], high[c] = min(low[c], count), max(high[c], count)
			}
		}
		for c := range low {
			if (k.Stratified || c == 4) && high[c]-low[c] > 1 {
				t.Fatalf("class %d has from %d to %d rows a fold", c, low[c], high[c])
			}
		}
	})
	d := labelled(make([]int32, 100), 1)
	a, err := KFold{}.Folds(d)
	if err != nil || len(a) != 5 {
		t.Fatalf("%d folds, %v; want 5", len(a), err)
	}
	if b, _ := (KFold{Seed: 1}).Folds(d); reflect.DeepEqual(a, b) {
		t.Error("another seed gave the same folds")
	}
}

func TestHoldout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.Int32Range(0, 3), 2, 60).Draw(t, "labels")
		n := len(labels)
		d := labelled(labels, 4)
		for i := range d.Columns[0] {
			d.Columns[0][i] = float32(i)
		}
		m := rapid.IntRange(1, n-1).Draw(t, "m")
		h := Holdout{Test: float64(m) / float64(n), Stratified: rapid.Bool().Draw(t, "stratified"),
			Seed: rapid.Uint64().Draw(t, "seed")}
		train, test, err := h.Split(d)
		must.Do(err)
		if test.N() != m {
			t.Fatalf("%d rows to test on; want %d", test.N(), m)
		}
		checkFold(t, Fold{train.Rows, test.Rows}, n)
		for c, count := range test.ClassCounts() {
			share := float64(d.ClassCounts()[c]) * float64(m) / float64(n)
			if diff := float64(count) - share; h.Stratified && (diff <= -1 || diff >= 1) {
				t.Fatalf("class %d: %d rows to test on; want about %v", c, count, share)
			}
		}
		for i := range test.N() {
			if test.Labels[i] != labels[int(test.At(i, 0))] {
				t.Fatalf("row %d has the label of another", i)
			}
		}
		_, again, _ := h.Split(d)
		if !slices.Equal(test.Rows, again.Rows) {
			t.Fatal("the same seed gave other parts")
		}
	})
}

func TestSplitErrors(t *testing.T) {
	d := labelled([]int32{0, 0, 0}, 1)
	bare := &Dataset{Name: "bare", Features: d.Features, Columns: d.Columns}
	fold := func(k KFold, d *Dataset) error { _, err := k.Folds(d); return err }
	hold := func(h Holdout, d *Dataset) error { _, _, err := h.Split(d); return err }
	for _, test := range []struct {
		err  error
		want string
	}{
		{fold(KFold{}, d), "datasets: 5 folds of data set with 3 rows; want at least 2, and no more than rows"},
		{fold(KFold{K: 1}, d), "datasets: 1 folds of data set with 3 rows"},
		{fold(KFold{K: -2}, d), "datasets: -2 folds of data set with 3 rows"},
		{fold(KFold{K: 2, Stratified: true}, bare), `datasets: data set "bare" has no classes to stratify by`},
		{hold(Holdout{Stratified: true}, bare), `datasets: data set "bare" has no classes to stratify by`},
		{hold(Holdout{Test: 1}, d),
			"datasets: a share of 1 of data set with 3 rows; want one that leaves rows in both parts"},
		{hold(Holdout{Test: 0.1}, d), "datasets: a share of 0.1 of"},
		{hold(Holdout{Test: 0.9}, d), "datasets: a share of 0.9 of"},
		{hold(Holdout{Test: -0.5}, d), "datasets: a share of -0.5 of"},
	} {
		readtest.WantError(t, test.err, test.want)
	}
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "folds.txt")
	must.Do(os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestReadFolds(t *testing.T) {
	want := []Fold{{Train: []int32{1, 2}, Test: []int32{0, 3}}, {Train: []int32{0, 3}, Test: []int32{1, 2}}}
	for _, test := range []struct {
		text string
		read func(context.Context, string, int) ([]Fold, error)
	}{
		{"4,1\n2,3\n", ReadPartition},
		{"4, 1\r\n\n2,3\r\n", ReadPartition},
		{string(readtest.Gzipped(t, []byte("4,1\n2,3"))), ReadPartition},
		{"2 1 \n3 0 \n0 3\n1 2", ReadKFold},
	} {
		got, err := test.read(t.Context(), writeFile(t, test.text), 4)
		if err != nil {
			t.Error(err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v; want %v", test.text, got, want)
		}
	}
}

func TestReadFoldsErrors(t *testing.T) {
	for _, test := range []struct {
		text string
		read func(context.Context, string, int) ([]Fold, error)
		want string
	}{
		{"", ReadPartition, ": the file is empty"},
		{"1,2\n3,x\n", ReadPartition, `:2: "x"; want the number of a row, 1 or more`},
		{"0,2\n", ReadPartition, `:1: "0"; want the number of a row, 1 or more`},
		{"1,2\n3,5\n", ReadPartition, ": list 2: row 5; want one from 1 to 4"},
		{"1,2\n3,2\n", ReadPartition, ": list 2: row 2 is already in list 1"},
		{"1,2\n3\n", ReadPartition, ": row 4 is in none of the 2 lists"},
		{"1,2,3,4\n", ReadPartition, ": fold 1 tests on 4 of 4 rows; want rows in both parts"},
		{"\n\n", ReadKFold, ": the file is empty"},
		{"0 1\n2 3\n0 1 2\n", ReadKFold, ": 3 lines of rows; want two per fold"},
		{"0 1\n2 -3\n", ReadKFold, `:2: "-3"; want the number of a row, 0 or more`},
		{"0 1\n2 3\n0 1\n2 4\n", ReadKFold, ": fold 2: list 2: row 4; want one from 0 to 3"},
		{"0 1\n2 1\n", ReadKFold, ": fold 1: list 2: row 1 is already in list 1"},
		{"0 1\n2\n", ReadKFold, ": fold 1: row 3 is in none of the 2 lists"},
		{"0 1,2 3\n", ReadKFold, `:1: "1,2"; want the number of a row, 0 or more`},
	} {
		path := writeFile(t, test.text)
		_, err := test.read(t.Context(), path, 4)
		readtest.WantError(t, err, "datasets: "+path+test.want)
		_, err = test.read(t.Context(), path+".gone", 4)
		readtest.WantError(t, err, path)
	}
}

// The published folds fit the published data.
func TestPublishedFolds(t *testing.T) {
	dir := readtest.DataDir(t)
	for _, c := range []struct {
		paths, suffix, data string
		o                   CSV
		read                func(context.Context, string, int) ([]Fold, error)
		folds               int
	}{
		{"sporf/partitions/*", "_partitions.txt.gz", "sporf/data/", CSV{NoHeader: true}, ReadPartition, 5},
		{"fd_folds/*", ".kfold.txt.gz", "csv/fd_", CSV{}, ReadKFold, 4},
	} {
		fit := 0
		for _, path := range must.Value(filepath.Glob(filepath.Join(dir, c.paths+c.suffix))) {
			file := filepath.Join(dir, c.data+strings.TrimSuffix(filepath.Base(path), c.suffix)+".csv.gz")
			if _, err := os.Stat(file); err != nil {
				continue
			}
			fit++
			d := must.Value(ReadCSV(t.Context(), file, c.o))
			if folds, err := c.read(t.Context(), path, d.N()); err != nil || len(folds) != c.folds {
				t.Errorf("%s: %d folds, error %v; want %d", path, len(folds), err, c.folds)
			}
		}
		if fit == 0 {
			t.Errorf("%s: no folds fit a data set", c.paths)
		}
	}
}
