package tables_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/cluster/tables"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/sim"
)

// Predicts a CSV file by two workers. A main function would begin with cluster.Main.
func ExamplePredict() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "customers.csv"), filepath.Join(folder, "predictions")
	if err := os.WriteFile(in, []byte("id,x1,x2\nann,5,5\nbob,-5,-5\neve,5,large\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	model, err := rf.Learner{Trees: 20}.Fit(ctx, sim.Trunk{Features: 2}.Sample(200, 1))
	if err != nil {
		log.Fatal(err)
	}
	result, err := tables.Predict(ctx, cluster.Local{Workers: 2}, model, in, out, "id", tables.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Rows, "rows,", result.Failed, "without a prediction")

	d, err := columnar.ReadParquet(ctx, filepath.Join(out, "part-000000.parquet"), columnar.Options{NoTarget: true})
	if err != nil {
		log.Fatal(err)
	}
	for i := range d.N() {
		var cells []string
		for j, f := range d.Features {
			if v := d.At(i, j); v == v {
				cells = append(cells, f.Name+": "+f.Categories[int(v)])
			}
		}
		fmt.Println(strings.Join(cells, ", "))
	}
	// Output:
	// 3 rows, 1 without a prediction
	// id: ann, prediction: 1
	// id: bob, prediction: 0
	// id: eve, error: column "x2": "large" is not a number
}
