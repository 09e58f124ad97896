package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	grafruns "github.com/obliqua-ml/obliqua/tools/experiments/graf"
)

func points(x []float32, labels ...int32) *datasets.Dataset {
	d := newDataset("points", len(x), 1, 2)
	copy(d.Columns[0], x)
	copy(d.Labels, labels)
	return d
}

// Two points with kernel value K = e^−1 between them: both are support vectors, and with a margin of 1
// at both, α(1 − K) = 1. The decision is by the nearer point.
func TestSupportMachines(t *testing.T) {
	python := filepath.Join("..", "..", ".lab", "peers", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		t.Skip("no Python with the packages of requirements.txt: make peers installs it")
	}
	m := &machines{study{script: "support.py"}}
	must.Do(m.start(t.Context(), python))
	defer os.RemoveAll(m.folder)
	defer m.stop()
	job := grafruns.SVMJob{
		Train: points([]float32{5, 0, 1, 7}, 0, 1, 0, 0),
		Test:  points([]float32{-1, 2, 0.4, 0.6, 0.7}, 1, 0, 1, 0, 1),
		C:     10, Gamma: 1,
		Subsets: [][]int32{{1, 2}, {0, 2, 3}},
	}
	reply := must.Value(m.train(t.Context(), job))
	if !slices.Equal(reply.Support, []int32{1, 2}) || !slices.Equal(reply.Accuracy, []float64{0.8, 0.4}) {
		t.Errorf("support vectors %v, accuracies %v", reply.Support, reply.Accuracy)
	}
	for _, a := range reply.Alpha {
		if want := 1 / (1 - math.Exp(-1)); math.Abs(a-want) > 2e-3 { // libsvm's tolerance is 1e-3
			t.Errorf("α = %v, want %v", a, want)
		}
	}
}
