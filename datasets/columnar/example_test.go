package columnar_test

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets/columnar"
)

// The file was written by pandas, whose categories, ordered or not, are those of the data
// set. The class is the last column.
func ExampleReadParquet() {
	d, err := columnar.ReadParquet(context.Background(), "testdata/pandas.parquet", columnar.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.N(), "rows of", d.FeatureNames())
	fmt.Println(d.Target, d.Classes, d.Labels)
	fmt.Println(d.Features[0].Categories, d.Column(nil, 0))
	fmt.Println(d.Features[3].Categories == nil, d.Column(nil, 3))

	_, err = columnar.ReadParquet(context.Background(), "testdata/pandas.parquet", columnar.Options{Target: "price"})
	fmt.Printf("%.60s …\n", err) // which lists those that there are
	// Output:
	// 4 rows of [size colour year count]
	// bought [false true] [1 0 1 1]
	// [s m l xl] [0 2 1 NaN]
	// true [1 2 NaN 4]
	// columnar: testdata/pandas.parquet: target: no column "price" …
}
