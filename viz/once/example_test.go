package once_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/viz/once"
)

// The first call grows the trees, the second reads them from disk. The cache is in a
// folder of its own here, so that nothing is left behind.
func ExampleFit() {
	dir, err := os.MkdirTemp("", "once")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv("OBLIQUA_CACHE", dir)
	defer os.Unsetenv("OBLIQUA_CACHE")

	iris, err := public.Load(context.Background(), "iris")
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		grown := 0
		ctx := forest.WithProgress(context.Background(), func(done, total int) { grown = done })
		model, err := once.Fit(ctx, sporf.Learner{Trees: 50, Seed: 1}, iris)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("a forest of %d trees, %d grown\n", len(model.Trees), grown)
	}
	// Output:
	// a forest of 50 trees, 50 grown
	// a forest of 50 trees, 0 grown
}
