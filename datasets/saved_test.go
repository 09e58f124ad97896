package datasets

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// A savedSteps is a fitted step as the program of format 3 saved it when each kind of step had an encoding of its own,
// with what it made of two tables then.
type savedSteps struct {
	Name            string
	Bytes           []byte
	Other, Training string // hashes of the tables it made of other data and of its training data
}

// tableHash returns a hash of the names, categories and cells of a table. All missing cells are alike.
func tableHash(d *Dataset) string {
	h := sha256.New()
	for j, f := range d.Features {
		fmt.Fprintf(h, "%q %q %v\n", f.Name, f.Categories, f.Categories == nil)
		for _, v := range d.Column(nil, j) {
			if v != v {
				v = nan32
			}
			binary.Write(h, binary.LittleEndian, math.Float32bits(v))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

type savedCase struct {
	step         Step
	train, other *Dataset
}

// savedCases returns steps of every kind with tables of every kind.
func savedCases() iter.Seq2[string, savedCase] {
	return func(yield func(string, savedCase) bool) {
		steps := []struct {
			name string
			step Step
		}{
			{"OneHot", OneHot{}}, {"Ordinal", Ordinal{}}, {"Impute", Impute{}}, {"Standardise", Standardise{}},
			{"TargetEncoding", TargetEncoding{Seed: 3}}, {"TargetEncoding of one fold", TargetEncoding{Folds: 1}},
			{"Prepare", Prepare{}}, {"several", Steps{Impute{}, Standardise{}, Steps{OneHot{}, Standardise{}}}},
			{"encoded", Steps{TargetEncoding{MinRows: 2, Folds: 3}, Impute{}, Standardise{}}},
		}
		for kind, train := range []*Dataset{motley(64), threeClasses(62), valuesWithWeights(61),
			motley(90).Subset(someRows(70))} {
			for _, s := range steps {
				train, other := train.Select(0, 1, 4, 5, 6, 7, 8, 9), elsewhere(motley(60), s.name != "Ordinal")
				if s.name == "Prepare" {
					train = train.Select(0, 1, 2, 3, 4, 5, 6)
					other = other.Select(0, 1, 2, 3, 4, 5, 6)
				}
				if !yield(fmt.Sprint(s.name, " ", kind), savedCase{s.step, train, other}) {
					return
				}
			}
		}
	}
}

func threeClasses(n int) *Dataset {
	d := motley(n)
	d.Classes = []string{"k", "l", "m"}
	for i := range d.Labels {
		d.Labels[i] = int32(i * i % 3)
	}
	return d
}

func valuesWithWeights(n int) *Dataset {
	d := motley(n)
	d.Labels, d.Classes = nil, nil
	for i := range n {
		d.Values = append(d.Values, math.Sqrt(float64(7*i%31)))
		d.Weights = append(d.Weights, float32(i%4))
	}
	return d
}

func someRows(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i * 7 % 90)
	}
	return rows
}

// elsewhere returns the columns of d that savedCases train on, with categories in another order and, if there may be,
// one more, and with missing cells.
func elsewhere(d *Dataset, more bool) *Dataset {
	out := d.Select(0, 1, 4, 5, 6, 7, 8, 9)
	for j := range out.Features {
		f := &out.Features[j]
		out.Columns[j] = slices.Clone(out.Columns[j])
		if f.Categories != nil {
			f.Categories = slices.Clone(f.Categories)
			slices.Reverse(f.Categories)
			if more {
				f.Categories = slices.Insert(f.Categories, len(f.Categories)/2, "a new one")
			}
		}
		out.Columns[j][j] = nan32
	}
	return out
}

// Steps that an earlier program saved do what they did then, as do steps that are fitted now: the same bits.
func TestSavedSteps(t *testing.T) {
	packed, err := os.Open("testdata/steps3.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	file, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	saved := make(map[string]savedSteps)
	var all []savedSteps
	must.Do(json.NewDecoder(file).Decode(&all))
	for _, s := range all {
		saved[s.Name] = s
	}
	cases := 0
	for name, c := range savedCases() {
		cases++
		want := saved[name]
		old, columns, err := UnmarshalTransform(want.Bytes)
		if err != nil || !slices.EqualFunc(columns, c.train.Features, Feature.equal) {
			t.Fatalf("%s: columns %q, error %v", name, columns, err)
		}
		fitted, made, err := c.step.Fit(t.Context(), c.train)
		if err != nil {
			t.Fatal(err)
		}
		if tableHash(made) != want.Training {
			t.Errorf("%s: fitting makes other training data", name)
		}
		again := marshalled(t, fitted)
		for k, f := range []Transform{old, fitted, again} {
			if got := tableHash(apply(t, f, c.other)); got != want.Other {
				t.Errorf("%s, transform %d: another table", name, k)
			}
			training, err := ApplyTraining(t.Context(), f, c.train)
			if err != nil || tableHash(training) != want.Training {
				t.Errorf("%s, transform %d: other training data, error %v", name, k, err)
			}
		}
	}
	if cases != len(all) || cases == 0 {
		t.Errorf("%d cases; the file has %d", cases, len(all))
	}
}

// marshalled returns f after it has been saved and read.
func marshalled(t testing.TB, f Transform) Transform {
	t.Helper()
	b, err := MarshalTransform(f)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := UnmarshalTransform(b)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
