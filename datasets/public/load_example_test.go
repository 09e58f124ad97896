package public_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets/public"
)

// Small sets are part of the package and need neither files nor a network.
func ExampleLoad() {
	ctx := context.Background()
	wine, err := public.Load(ctx, "wine")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(wine.N(), "wines of", len(wine.Classes), "kinds, described by", wine.P(), "features")

	_, err = public.Load(ctx, "vine")
	fmt.Println("no such set:", errors.Is(err, public.ErrUnknownSet))
	// Output:
	// 178 wines of 3 kinds, described by 13 features
	// no such set: true
}

// Sets that are part of the package.
func ExampleList() {
	for _, set := range public.List() {
		if set.Embedded {
			fmt.Printf("%-18s %4d × %2d  %s\n", set.Name, set.N, set.P, set.Task)
		}
	}
	// Output:
	// balance-scale       625 ×  4  classification
	// banknote           1372 ×  4  classification
	// breast-cancer-wisc  699 ×  9  classification
	// credit-approval     690 × 15  classification
	// energy_heating      768 ×  8  regression
	// glass               214 ×  9  classification
	// iris                150 ×  4  classification
	// statlog-vehicle     846 × 18  classification
	// wine                178 × 13  classification
}
