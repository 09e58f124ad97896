package datasets_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
)

// The first call downloads the set, later ones find it in the cache.
func ExampleLoad() {
	ctx := datasets.WithProgress(context.Background(), func(p datasets.Progress) {
		fmt.Printf("\r%s: %d of %d bytes", p.Name, p.Done, p.Total)
	})
	letter, err := datasets.Load(ctx, "letter")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(letter.N(), letter.P(), len(letter.Classes))
}

func ExampleList() {
	for _, set := range datasets.List() {
		if set.Task == "classification" && set.Classes > 25 {
			fmt.Println(set.Name, set.N, set.P, set.Classes)
		}
	}
	// Output:
	// abalone 4177 8 28
	// letter 20000 16 26
	// low-res-spect 531 101 48
}
