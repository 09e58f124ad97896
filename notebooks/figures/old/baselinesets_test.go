package old

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	must.Do(w.Close())
	return b.Bytes()
}

// Two streams, written by hand. In the first split of "a", GB is right on rows 1 and 3 of 4; its κ is 0, since
// independent labels with the shares 1/2, 1/2 and 3/4, 1/4 agree on half of the rows, too. In the second it is right on
// all rows.
func TestReadPredictions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv.gz")
	file := append(zipped(t, "a,truth,1,0011\na,GB,1,.1.0\na,SVM,1,....\n"),
		zipped(t, "a,truth,2,01\na,GB,2,..\n\"b, c\",truth,1,Zaz\u00c0\n\"b, c\",GB,1,.A\u00c1.\n")...)
	must.Do(os.WriteFile(path, file, 0o644))
	got := must.Value(ReadPredictions(path))
	truth := []int32{0, 0, 1, 1}
	want := []Prediction{
		{"a", "GB", 1, truth, []int32{0, 1, 1, 0}},
		{"a", "SVM", 1, truth, truth},
		{"a", "GB", 2, []int32{0, 1}, []int32{0, 1}},
		{"b, c", "GB", 1, []int32{35, 36, 61, 62}, []int32{35, 10, 63, 62}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if e, k := got[0].wrong(), got[0].kappa(); e != 0.5 || k != 0 {
		t.Errorf("error %v, κ %v; want 0.5 and 0", e, k)
	}
	means := PredictionMeans(got)
	if len(means) != 3 || means[0] != (PredictionMean{"a", "GB", 2, 0.25, 0.5}) ||
		means[1] != (PredictionMean{"a", "SVM", 1, 0, 1}) ||
		means[2].Set != "b, c" || means[2].Error != 0.5 {
		t.Errorf("means %+v", means)
	}
}

func TestReadPredictionsErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a,truth,1,01\na,GB,1,...\n":  ":2: row 3",
		"a,truth,1,01\na,GB,1,.\n":    ":2: 1 labels of 2",
		"a,truth,1,01\na,GB,2,..\n":   ":2: no line truth of a, split 2",
		"a,truth,1,01\n\na,GB,x,..\n": ":3: strconv.Atoi",
		"a,truth,1,0.\n":              ":1: row 2",
		"a,truth,1\n":                 "line 1",
	} {
		path := filepath.Join(t.TempDir(), "p.csv.gz")
		must.Do(os.WriteFile(path, zipped(t, text), 0o644))
		if _, err := ReadPredictions(path); err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// What is written is read again, for all class numbers; of equal keys the last is.
func TestPredictionsRoundTrip(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var all []Prediction
		want := map[[3]string]Prediction{}
		truths := map[string][]int32{}
		for range rapid.IntRange(0, 12).Draw(t, "predictions") {
			p := Prediction{Set: rapid.SampledFrom([]string{"x", "y z", "a,b"}).Draw(t, "set"),
				Method: rapid.SampledFrom([]string{"GB", "LDA"}).Draw(t, "method"),
				Repeat: rapid.IntRange(1, 11).Draw(t, "split")}
			class := rapid.Int32Range(0, 200)
			of := fmt.Sprint(p.Set, p.Repeat)
			if truths[of] == nil {
				truths[of] = rapid.SliceOfN(class, 1, 20).Draw(t, "truth")
			}
			p.Truth = truths[of]
			p.Labels = rapid.SliceOfN(class, len(p.Truth), len(p.Truth)).Draw(t, "labels")
			all = append(all, p)
			want[p.Key()] = p
		}
		var b bytes.Buffer
		must.Do(WritePredictions(&b, all))
		path := filepath.Join(folder, "p.csv.gz")
		must.Do(os.WriteFile(path, b.Bytes(), 0o644))
		read, err := ReadPredictions(path)
		if err != nil || len(read) != len(want) {
			t.Fatalf("%d predictions of %d, %v", len(read), len(want), err)
		}
		for _, p := range read {
			if !reflect.DeepEqual(p, want[p.Key()]) {
				t.Fatalf("read %v, want %v", p, want[p.Key()])
			}
		}
	})
}

// The hypercubes are the problems of figures 4 to 7 with the same numbers of features, and have 30 % test rows.
func TestBaselineCubes(t *testing.T) {
	want := map[string]bool{}
	for _, r := range grafCubes(full) {
		want[fmt.Sprintf("cube/%s/%d", r.Problem, r.X)] = true
	}
	for _, set := range BaselineSets() {
		if !strings.HasPrefix(set.Name, "cube/") {
			continue
		}
		if !want[set.Name] {
			t.Errorf("%s isn't in the figures", set.Name)
		}
		delete(want, set.Name)
		if set.Name != "cube/multi-class/6" {
			continue
		}
		train, test, err := set.Split(context.Background(), 2)
		if err != nil {
			t.Fatal(err)
		}
		if share := float64(test.N()) / float64(train.N()+test.N()); math.Abs(share-0.3) > 0.01 || train.P() != 6 ||
			len(train.Classes) != 7 {
			t.Errorf("%d test rows of %d, %d features, %d classes", test.N(), train.N()+test.N(), train.P(), len(train.Classes))
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// Folds of the published sets have all rows once as test rows.
func TestBaselineFolds(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	want := map[string]int{"sporf/iris": 150, "fd_iris": 148} // Fernández-Delgado's folds leave two rows out
	for _, set := range BaselineSets() {
		if want[set.Name] == 0 {
			continue
		}
		rows := 0
		for split := 1; split <= set.Splits; split++ {
			_, test, err := set.Split(context.Background(), split)
			if err != nil {
				t.Fatal(err)
			}
			rows += test.N()
		}
		if rows != want[set.Name] {
			t.Errorf("%s: %d test rows in all splits, want %d", set.Name, rows, want[set.Name])
		}
		delete(want, set.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
