package datasets_test

import (
	"fmt"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
)

const beans = `colour,weight,kind
white,0.25,navy
red,0.75,kidney
white,,navy
black,0.4,turtle
`

func ExampleCSV_Read() {
	d, err := datasets.CSV{}.Read(strings.NewReader(beans), "beans")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.N(), "rows of", d.FeatureNames())
	fmt.Println(d.Target, d.Classes, d.Labels)
	fmt.Println(d.Features[0].Categories, d.Column(nil, 0))

	_, err = datasets.CSV{Target: "knd"}.Read(strings.NewReader(beans), "beans")
	fmt.Println(err)
	// Output:
	// 4 rows of [colour weight]
	// kind [kidney navy turtle] [1 0 1 2]
	// [black red white] [2 1 2 0]
	// datasets: beans: target: no column "knd"; the nearest are "kind", "colour", "weight"; set NoTarget if there is none
}

func ExampleSteps() {
	d, err := datasets.CSV{}.Read(strings.NewReader(beans), "beans")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, test := d.Subset([]int32{0, 1}), d.Subset([]int32{2, 3})

	prepare, err := datasets.Steps{datasets.Impute{}, datasets.OneHot{}}.Fit(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := prepare.Apply(test)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.FeatureNames())
	for i := range out.N() {
		fmt.Println(out.Row(nil, i))
	}
	// Output:
	// [colour=black colour=red colour=white weight]
	// [0 0 1 0.5]
	// [1 0 0 0.4]
}

func ExampleFromRows() {
	d, err := datasets.FromRows([][]float64{{1, 2}, {3, 4}}, []string{"b", "a"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.FeatureNames(), d.Classes, d.Labels)
	// Output: [x1 x2] [a b] [1 0]
}

func ExampleKFold_Folds() {
	d, err := datasets.FromRows([][]float64{{1}, {2}, {3}, {4}}, []int{0, 0, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	folds, err := datasets.KFold{K: 2, Stratified: true}.Folds(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range folds {
		train, test := f.Split(d)
		fmt.Println(train.ClassCounts(), test.ClassCounts())
	}
	// Output:
	// [1 1] [1 1]
	// [1 1] [1 1]
}
