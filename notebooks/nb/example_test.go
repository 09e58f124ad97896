package nb_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

func ExampleValue() {
	dir, err := os.MkdirTemp("", "nb")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "train.csv")
	nb.Must(os.WriteFile(path, []byte("length,width,price\n2,3,6.5\n4,5,20.5\n"), 0o600))

	train := nb.Value(datasets.ReadCSV(nb.Context(), path, datasets.CSV{Target: "price", Regression: true}))
	fmt.Println(train.N(), "rows of", train.P(), "features")
	// Output: 2 rows of 2 features
}

// Outside a notebook, as here, a card is text.
func ExampleShow() {
	nb.Show(nb.Card{Title: "Two methods", Parts: []nb.Part{
		nb.Facts{{"data", "balance-scale"}, {"rows", "625"}},
		nb.Bars{Title: "Error in percent", Names: []string{"random forest", "SPORF"}, Values: []float64{16.3, 4.5},
			Format: "%4.1f"},
	}})
	// Output:
	// Two methods
	//
	// data  balance-scale
	// rows  625
	//
	// Error in percent
	// random forest  16.3  ████████████████████
	// SPORF           4.5  ██████
}
