package paper

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
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

// Two streams, written by hand.
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
		_, err := ReadPredictions(path)
		readtest.WantError(t, err, path, want)
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

// The committed scores of methods of other libraries are those of their predictions, where these are kept.
func TestScoresAreOfPredictions(t *testing.T) {
	r := &Results{Root: "../../.."}
	scores := map[[3]string][2]float64{}
	for _, p := range r.Predictions() {
		scores[p.Key()] = [2]float64{p.Error(), eval.Kappa(p.Labels, p.Truth)}
	}
	compared := 0
	r.Lines(ClassifiersFile, func(l *Line) {
		of, kept := scores[[3]string{l.Text("set"), l.Text("method"), l.Text("split")}]
		k, known := map[string]int{"error": 0, "kappa": 1}[l.Text("measure")]
		if !kept || !known {
			return
		}
		compared++
		if want := of[k]; math.Abs(l.Number("score")-want) > 1e-5 {
			t.Errorf("%s has %v; its predictions have %v", l.place, l.Number("score"), want)
		}
	})
	if r.Err != nil || compared < 5000 {
		t.Errorf("%d scores compared, error %v", compared, r.Err)
	}
}
