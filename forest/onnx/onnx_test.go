package onnx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/onnx"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// A job is a forest that is exported, and the tables that it is grown on and predicts.
type job struct {
	learner     forest.Learner
	train, test *datasets.Dataset
	calibrate   bool
}

// values returns d with the sum of its first features and a product of two as values.
func values(d *datasets.Dataset) *datasets.Dataset {
	v := *d
	v.Labels, v.Classes, v.Values = nil, nil, make([]float64, d.N())
	for i := range v.Values {
		v.Values[i] = float64(d.At(i, 0)) + float64(d.At(i, 1)*d.At(i, 2)) + float64(d.Labels[i])
	}
	return &v
}

// raised returns values, raised by 10⁵: float32s, as models in ONNX return them, hold that with two digits more.
func raised(d *datasets.Dataset) *datasets.Dataset {
	v := values(d)
	for i := range v.Values {
		v.Values[i] = 1e5 + v.Values[i]/100
	}
	return v
}

// counts returns d with counts as values.
func counts(d *datasets.Dataset) *datasets.Dataset {
	v := values(d)
	for i, y := range v.Values {
		v.Values[i] = math.Round(math.Exp(min(math.Abs(y), 3)))
	}
	return v
}

// mixed returns a table of numbers and categories with missing cells. The name of a column is that of a value in the
// graph, too.
func mixed(n int, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 1))
	colours := []string{"red", "blue", "green", "<none>", "čern\"ý"}
	d := &datasets.Dataset{Name: "mixed", Target: "y", Classes: []string{"no", "yes", "perhaps"},
		Features: []datasets.Feature{{Name: "v1"}, {Name: "colour", Categories: colours}, {Name: "value"},
			{Name: "size", Categories: []string{"small", "large"}}, {Name: "long-tailed"}},
		Columns: make([][]float32, 5), Labels: make([]int32, n)}
	for i := range n {
		colour, size := rng.IntN(len(colours)), rng.IntN(2)
		cells := []float64{rng.NormFloat64(), float64(colour), rng.Float64() * 1e6, float64(size),
			math.Exp(3 * rng.NormFloat64())}
		score := cells[0] + float64(colour%3) + cells[2]/1e6 + float64(size)*math.Log(cells[4])/2
		d.Labels[i] = int32(min(2, max(0, math.Floor(score+rng.NormFloat64()/2))))
		for j, v := range cells {
			if rng.IntN(10) == 0 {
				v = math.NaN()
			}
			d.Columns[j] = append(d.Columns[j], float32(v))
		}
	}
	return d
}

// oddNames returns a table whose categories have names that mean missing elsewhere. Some rows of a table that isn't for
// training have a new category, and the categories come in another order there. No category is missing, since an empty
// text is one.
func oddNames(n int, seed uint64, training bool) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 3))
	names := []string{"", "nan", "NaN", "NA", "None", "null", "?", " ", "NULL"}
	effects := map[string]float64{"": 2, "nan": -2, "NaN": 1, "NA": -1, "None": 3, "null": -3, "?": 0, " ": 4, "NULL": -4}
	if !training {
		slices.Reverse(names)
		names = append(names, "new")
	}
	d := &datasets.Dataset{Name: "odd", Target: "y", Values: make([]float64, n), Columns: make([][]float32, 2),
		Features: []datasets.Feature{{Name: "name", Categories: names}, {Name: "number"}}}
	for i := range n {
		name, number := rng.IntN(len(names)), rng.NormFloat64()
		d.Values[i] = effects[names[name]] + number
		if rng.IntN(5) == 0 {
			number = math.NaN()
		}
		d.Columns[0] = append(d.Columns[0], float32(name))
		d.Columns[1] = append(d.Columns[1], float32(number))
	}
	return d
}

// large returns a table with a long-tailed column in units of 10¹⁵, where float64 numbers are 1 apart and more.
func large(n int) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(1, 1))
	d := &datasets.Dataset{Name: "large", Target: "y", Features: []datasets.Feature{{Name: "a"}, {Name: "b"}},
		Columns: make([][]float32, 2), Values: make([]float64, n)}
	for i := range n {
		a, b := math.Exp(2*rng.NormFloat64()), rng.NormFloat64()
		d.Columns[0], d.Columns[1] = append(d.Columns[0], float32(a*1e15)), append(d.Columns[1], float32(b))
		d.Values[i] = math.Log(a) + b
	}
	return d
}

// times returns a table of milliseconds since 1970, of dates and, if asked for, of categories, read from CSV.
func times(categories bool) func(n int, seed uint64) *datasets.Dataset {
	return func(n int, seed uint64) *datasets.Dataset {
		rng := rand.New(rand.NewPCG(seed, 4))
		var b strings.Builder
		b.WriteString("at,day,size,y\n")
		for range n {
			at, day := rng.IntN(1_000_000), rng.IntN(40_000)
			y := float64(at)/1e6 + float64(day%7) + float64(day%365)/100 + rng.NormFloat64()/10
			size := fmt.Sprint(rng.IntN(3))
			if categories {
				size = string([]string{"small", "large", "huge"}[rng.IntN(3)])
			}
			date := time.Unix(int64(day)*86400*3+int64(at), 0).UTC().AddDate(-100, 0, 0).Format("2006-01-02 15:04")
			fmt.Fprintf(&b, "%d,%s,%s,%v\n", 1_700_000_000_000+at, date, size, y)
		}
		return must.Value(datasets.CSV{Regression: true}.Read(context.Background(), strings.NewReader(b.String()), "times"))
	}
}

func jobs(rows int) map[string]job {
	of := func(learner forest.Learner, sample func(n int, seed uint64) *datasets.Dataset) job {
		return job{learner: learner, train: sample(400, 1), test: sample(rows, 2)}
	}
	holes := func(n int, seed uint64) *datasets.Dataset { // waves without a fifth of the cells
		d, rng := sim.Waveform{}.Sample(n, seed), rand.New(rand.NewPCG(seed, 2))
		for _, column := range d.Columns {
			for i := range column {
				if rng.IntN(5) == 0 {
					column[i] = float32(math.NaN())
				}
			}
		}
		return d
	}
	both := func(d func(int, uint64) *datasets.Dataset, f func(*datasets.Dataset) *datasets.Dataset) func(int,
		uint64) *datasets.Dataset {
		return func(n int, seed uint64) *datasets.Dataset { return f(d(n, seed)) }
	}
	waves, two, seven := sim.Waveform{}.Sample, sim.Ringnorm{}.Sample, sim.RandomRBF{Classes: 7}.Sample
	axis, slanted, mixes := rf.Learner{Trees: 30, Seed: 1}, sporf.Learner{Trees: 30, Seed: 1},
		mix.Learner{Trees: 30, Seed: 1}
	step := forest.Pipeline
	calibrated := of(mixes, waves)
	calibrated.calibrate = true
	odd := func(learner forest.Learner) job {
		return job{learner: learner, train: oddNames(400, 1, true), test: oddNames(rows, 2, false)}
	}
	return map[string]job{
		"odd names":                 odd(axis),
		"odd names, slanted":        odd(slanted),
		"odd names, prepared":       odd(step(axis, datasets.Prepare{})),
		"odd names, one-hot":        odd(step(axis, datasets.Impute{}, datasets.OneHot{})),
		"odd names, target-encoded": odd(step(axis, datasets.TargetEncoding{}, datasets.Impute{})),
		"large numbers, prepared": {learner: step(axis, datasets.Prepare{}), train: large(300),
			test: large(300)},
		"times":                   of(axis, times(false)),
		"times, prepared":         of(step(axis, datasets.Prepare{}), times(false)),
		"times and categories":    of(step(slanted, datasets.Prepare{}), times(true)),
		"random forest":           of(axis, waves),
		"random forest of values": of(axis, both(waves, values)),
		"values far from 0":       of(axis, both(waves, raised)),
		"one tree":                of(rf.Learner{Trees: 1, Seed: 1}, two),
		"sporf":                   of(slanted, waves),
		"graf":                    of(graf.Learner{Trees: 20, Seed: 1}, waves),
		"rotation forest":         of(rotation.Learner{Trees: 10, Seed: 1}, waves),
		"mix, calibrated":         calibrated,
		"mix of values":           of(mixes, both(waves, values)),
		"boost, two classes":      of(boost.Learner{Rounds: 40, Seed: 1}, two),
		"boost, three classes":    of(boost.Learner{Rounds: 40, Seed: 1}, waves),
		"boost, seven classes":    of(boost.Learner{Rounds: 40, Seed: 1}, seven),
		"boost of a raw table":    of(boost.Learner{Rounds: 40, Seed: 1}, mixed),
		"boost of values":         of(boost.Learner{Rounds: 40, Seed: 1}, both(two, values)),
		"boost of counts":         of(boost.Learner{Rounds: 40, Seed: 1, Loss: boost.Poisson}, both(two, counts)),
		"TAO":                     of(tao.Learner{Trees: 5, Depth: 4, Passes: 5, Seed: 1}, waves),
		"quadratic forest": of(godt.Learner{Trees: 20, Splitting: godt.Splitting{Divider: godt.SeparateFull},
			Seed: 1}, two),
		"prepared": of(step(mixes, datasets.Prepare{}), mixed),
		"auto":     of(auto.Learner{Trees: 30, Seed: 1}, mixed),
		"imputed, ordinal, standardised": of(step(axis, datasets.Impute{}, datasets.Ordinal{},
			datasets.Standardise{}), mixed),
		"one-hot": of(step(slanted, datasets.Impute{}, datasets.OneHot{}), mixed),
		"target-encoded": of(step(axis, datasets.TargetEncoding{}, datasets.Impute{}),
			mixed),
		"missing cells":          of(axis, holes),
		"missing cells, slanted": of(slanted, holes),
		"categories":             of(axis, mixed),
		"categories, slanted":    of(step(slanted, datasets.Standardise{}), mixed),
		"standardised":           of(step(slanted, datasets.Standardise{}), waves),
	}
}

var rows = flag.Int("onnx.rows", 2000, "rows that TestRuntime predicts by each forest")

// TestRuntime compares predictions with those of ONNX Runtime 1.32.0, if OBLIQUA_ONNX is a Python that has it
// (make onnx-test): no label differs, and no probability or value by more than 10⁻⁶.
func TestRuntime(t *testing.T) {
	python := os.Getenv("OBLIQUA_ONNX")
	if python == "" {
		t.Skip("OBLIQUA_ONNX is no Python with onnxruntime")
	}
	for name, job := range jobs(*rows) {
		t.Run(name, func(t *testing.T) {
			f, err := job.learner.Fit(t.Context(), job.train)
			if err == nil && job.calibrate {
				f, err = forest.Calibrate(t.Context(), f, job.train)
			}
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			must.Do(onnx.Save(filepath.Join(folder, "model.onnx"), f))
			writeInputs(t, folder, job.test)
			if out, err := exec.Command(python, "testdata/predict.py", folder).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			compare(t, folder, f, job.test)
		})
	}
}

func writeInputs(t *testing.T, folder string, d *datasets.Dataset) {
	t.Helper()
	type column struct {
		Name  string   `json:"name"`
		Rows  int      `json:"rows"`
		Texts []string `json:"texts"`
	}
	var columns []column
	var numbers []byte
	for j, f := range d.Features {
		c := column{Name: f.Name, Rows: d.N()}
		if c.Name == "" {
			c.Name = fmt.Sprint(j)
		}
		for i := range d.N() {
			cell := d.At(i, j)
			switch {
			case f.Categories == nil:
				numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(f.Scale.Value(cell)))
			case cell != cell:
				c.Texts = append(c.Texts, "")
			default:
				c.Texts = append(c.Texts, f.Categories[int(cell)])
			}
		}
		columns = append(columns, c)
	}
	must.Do(os.WriteFile(filepath.Join(folder, "inputs.json"), must.Value(json.Marshal(columns)), 0o600))
	must.Do(os.WriteFile(filepath.Join(folder, "x.f64"), numbers, 0o600))
}

func compare(t *testing.T, folder string, f *forest.Forest, d *datasets.Dataset) {
	t.Helper()
	raw := must.Value(os.ReadFile(filepath.Join(folder, "y.f32")))
	var want []float64
	if f.Regression() {
		want = must.Value(f.PredictValues(t.Context(), d))
	} else {
		want = slices.Concat(must.Value(f.Proba(t.Context(), d))...)
	}
	if len(raw) != 4*len(want) {
		t.Fatalf("%d numbers, want %d", len(raw)/4, len(want))
	}
	for i, v := range want {
		got := float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		if !(math.Abs(got-v) <= 1e-6*max(1, math.Abs(v))) {
			t.Fatalf("number %d is %v, want %v", i, got, v)
		}
	}
	if f.Regression() {
		return
	}
	var labels []string
	must.Do(json.Unmarshal(must.Value(os.ReadFile(filepath.Join(folder, "labels.json"))), &labels))
	names := must.Value(f.PredictNames(t.Context(), d))
	wrong := 0
	for i, name := range names {
		if labels[i] != name {
			wrong++
		}
	}
	if wrong > 0 || len(labels) != len(names) {
		t.Errorf("%d of %d labels differ; there are %d", wrong, len(names), len(labels))
	}
}

// The same forest gives the same bytes, however Go orders its maps.
func TestSameBytes(t *testing.T) {
	f := must.Value(forest.Pipeline(mix.Learner{Trees: 30, Seed: 1}, datasets.Prepare{}).Fit(t.Context(), mixed(300, 1)))
	first := must.Value(onnx.Marshal(f))
	for range 5 {
		if again, err := onnx.Marshal(f); err != nil || !bytes.Equal(again, first) {
			t.Fatalf("%d other bytes, error %v", len(again), err)
		}
	}
}

func TestErrors(t *testing.T) {
	train := sim.Waveform{}.Sample(500, 1)
	linear := must.Value(tao.Learner{Trees: 1, LinearLeaves: true, LeafLambda: 0.01}.Fit(t.Context(), train))
	axis := must.Value(rf.Learner{Trees: 1}.Fit(t.Context(), train))
	var set forest.Tree
	set.Nodes = []forest.Node{{Split: set.Splits.Add(forest.Function{Kind: forest.Set, Features: []int32{0}}), Next: 2},
		forest.ValueLeaf(1, 1), forest.ValueLeaf(2, 1)}
	named := *axis
	named.Classes = []string{"a", "b\xff", "c"}
	for want, f := range map[string]*forest.Forest{
		"linear models in its leaves": linear, "without trees": {},
		"whose names the forest lacks": {Features: []string{"x"}, Trees: []forest.Tree{set}}, `"b\xff" isn't UTF-8`: &named,
	} {
		_, err := onnx.Marshal(f)
		readtest.WantError(t, err, want)
	}
}
