package graf

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// line returns rows of one feature.
func line(x []float32, labels []int32) *datasets.Dataset {
	return &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{x},
		Target: "class", Classes: []string{"a", "b"}, Labels: labels}
}

// Neighbours on a line, worked out by hand.
func TestNPPS(t *testing.T) {
	tests := []struct {
		x      []float32
		labels []int32
		k      int
		want   []int32
	}{
		{[]float32{0, 1, 2.1, 3, 4.2, 5.5}, []int32{0, 0, 0, 1, 1, 1}, 2, []int32{2, 3}},
		{[]float32{0, 1, 2.1, 3, 4.2, 5.5}, []int32{0, 0, 0, 1, 1, 1}, 5, []int32{}}, // two of five are of the own class
		{[]float32{0, 1, 2.1, 3, 4.2, 5.5}, []int32{0, 0, 0, 1, 1, 1}, 4, []int32{0, 1, 2, 3, 4, 5}},
		// The row of class b at 0.4 is noise: its neighbours are 0, 1, 2.1 (a) and 5 (b). All others have two or
		// three neighbours of their class.
		{[]float32{0, 0.4, 1, 2.1, 5, 6, 7.6, 9}, []int32{0, 1, 0, 0, 1, 1, 1, 1}, 4, []int32{0, 2, 3, 4, 5, 6, 7}},
	}
	for i, test := range tests {
		near := neighbourLabels(line(test.x, test.labels), mostNeighbours, 1)
		if got := npps(near, test.labels, 2, test.k); !slices.Equal(got, test.want) {
			t.Errorf("%d: rows %v, want %v", i, got, test.want)
		}
	}
}

// The distances of the neighbours found are those that sorting all rows finds. Labels tell
// rows apart.
func TestNeighbourLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := rapid.IntRange(2, 12).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "p")
		d := &datasets.Dataset{Features: make([]datasets.Feature, p), Columns: make([][]float32, p), Labels: make([]int32, n)}
		for j := range d.Columns {
			for range n {
				d.Columns[j] = append(d.Columns[j], float32(rapid.IntRange(0, 4).Draw(t, "cell")))
			}
		}
		for i := range n {
			d.Labels[i] = int32(i)
		}
		distance := func(a, b int32) (sum float64) {
			for j := range p {
				sum += math.Pow(float64(d.Columns[j][a])-float64(d.Columns[j][b]), 2)
			}
			return sum
		}
		k := rapid.IntRange(1, 12).Draw(t, "k")
		for i, near := range neighbourLabels(d, k, 3) {
			var got, want []float64
			for _, j := range near {
				got = append(got, distance(int32(i), j))
			}
			for j := range n {
				if j != i {
					want = append(want, distance(int32(i), int32(j)))
				}
			}
			slices.Sort(want)
			if !slices.Equal(got, want[:min(k, n-1)]) || slices.Contains(near, int32(i)) {
				t.Fatalf("row %d: rows %v at %v, want distances %v", i, near, got, want)
			}
		}
	})
}

func TestMargins(t *testing.T) {
	got := margins([][]int32{{7, 2, 1}, {7, 2, 1}, {0, 10, 0}, {4, 3, 3}}, []int32{0, 1, 1, 2})
	if want := []float64{5, -5, 10, -1}; !slices.Equal(got, want) {
		t.Errorf("margins %v, want %v", got, want)
	}
}

// No row that is left out has a smaller key than one that is taken, and among equal keys the seed
// decides.
func TestSmallest(t *testing.T) {
	keys := []float64{3, 1, 2, 1, 3, 0}
	if got := smallest(keys, 4, 1); !slices.Equal(got, []int32{1, 2, 3, 5}) {
		t.Errorf("rows %v", got)
	}
	times := make([]int, 6)
	for seed := range uint64(600) {
		got := smallest(keys, 5, seed)
		if !slices.IsSorted(got) || len(got) != 5 {
			t.Fatalf("rows %v", got)
		}
		for _, i := range got {
			times[i]++
		}
	}
	if times[0]+times[4] != 600 || times[0] < 240 || times[0] > 360 { // 300 ± 5 deviations
		t.Errorf("rows were taken %v times", times)
	}
}

func TestMeasures(t *testing.T) {
	s := division{train: line(make([]float32, 10), make([]int32, 10))}
	s.full.Support, s.full.Alpha = []int32{1, 3, 4, 6}, []float64{1, 2, 5, 2}
	m := map[string]float64{}
	s.measure(m, []int32{3, 4, 9})
	if m["size"] != 30 || m["overlap"] != 50 || m["weight"] != 70 {
		t.Errorf("measures %v", m)
	}
	// N·p is 0.1, 0.2, …, 0.9 and 5.5.
	p := []float64{0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.55}
	s.describe(m, p, []int32{8, 9})
	for name, want := range map[string]float64{
		"all.0": 0.1, "all.100": 5.5, "sv.0": 0.2, "sv.100": 0.7, "most.0": 0.9, "most.100": 5.5, // quantiles
		"sv1": 0.2, "sv2": 0.4, "sv3": 0.7, "sv4": 0.5, // by ascending weight: rows 1, 3, 6, 4
	} {
		if math.Abs(m[name]-want) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, m[name], want)
		}
	}
}

// A machine that calls every tenth row a support vector is asked for as many rows as these are, in every
// method but NPPS, and with the settings that it chose.
func TestSupport(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("OBLIQUA_DATA is unset")
	}
	var sizes []int
	svm := func(_ context.Context, job SVMJob) (SVMReply, error) {
		r := SVMReply{C: 2, Gamma: 0.5, Accuracy: make([]float64, len(job.Subsets))}
		if job.C != 0 {
			if job.C != 2 || job.Gamma != 0.5 {
				t.Errorf("C = %v, γ = %v", job.C, job.Gamma)
			}
			sizes = append(sizes, len(job.Subsets[0]))
			r.Accuracy[len(r.Accuracy)-1] = 0.75
			return r, nil
		}
		if n := job.Train.N(); n != job.Test.N() || len(job.Subsets[0]) != n {
			t.Errorf("%d training and %d test rows, %d in the subset", n, job.Test.N(), len(job.Subsets[0]))
		}
		for i := 0; i < job.Train.N(); i += 10 {
			r.Support, r.Alpha = append(r.Support, int32(i)), append(r.Alpha, 1)
		}
		return r, nil
	}
	records := must.Value(trial.Execution{Only: func(r paper.Run) bool {
		return r.Problem == "synthetic-control" && r.Repeat == 1 && !(testing.Short() && strings.HasPrefix(r.Method, "GRAF"))
	}}.Do(t.Context(), Support(svm)))
	for _, r := range records {
		switch r.Method {
		case "NPPS":
			if r.Score != 0.75 || r.Setting != "k=50" {
				t.Errorf("NPPS: %v, %s", r.Score, r.Setting)
			}
		case "SVM":
			if r.Score != 0 || r.More["overlap"] != 100 {
				t.Errorf("SVM: %v, %v", r.Score, r.More)
			}
		default:
			if r.Score != 0.75 || r.More["size"] != 10 { // 30 of 300
				t.Errorf("%s: %v, %v", r.Method, r.Score, r.More)
			}
		}
	}
	if len(sizes) < 3 || slices.Index(sizes, 30) < 0 {
		t.Errorf("subsets of %v rows", sizes)
	}
}
