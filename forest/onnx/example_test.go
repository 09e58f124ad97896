package onnx_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/obliqua-ml/obliqua/forest/onnx"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

func ExampleSave() {
	train := sim.Waveform{}.Sample(300, 1)
	f, err := sporf.Learner{Trees: 10, Seed: 1}.Fit(context.Background(), train)
	if err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join(os.TempDir(), "waves.onnx")
	defer os.Remove(path)
	fmt.Println(onnx.Save(path, f))
	// Output: <nil>
}
