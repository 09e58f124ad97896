package tao

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Rows loads the paper's data. Of Letter the last 4,000 rows are for testing, as there. The problem mnist20 has the
// first 20,000 training images.
func Rows(ctx context.Context, t *trial.Trial) (err error) {
	switch t.Problem {
	case "letter":
		d, err := public.Load(ctx, "letter")
		if err != nil {
			return err
		}
		t.Train, t.Test = Between(d, 0, 16_000), Between(d, 16_000, 20_000)
	case "r8":
		if t.Train, err = public.Load(ctx, "r8"); err == nil {
			t.Test, err = public.Load(ctx, "r8_test")
		}
	case "mnist", "mnist20":
		if t.Train, t.Test, err = MNIST(ctx); err == nil && t.Problem == "mnist20" {
			t.Train = Between(t.Train, 0, 20_000)
		}
	default:
		return fmt.Errorf("no data are called %q", t.Problem)
	}
	return err
}

// Between returns the rows from begin to just before end.
func Between(d *datasets.Dataset, begin, end int32) *datasets.Dataset {
	rows := make([]int32, 0, end-begin)
	for r := begin; r < end; r++ {
		rows = append(rows, r)
	}
	return d.Subset(rows)
}

// MNIST returns its training and its test part, with pixels in [0, 1].
func MNIST(ctx context.Context) (train, test *datasets.Dataset, err error) {
	if train, err = public.Load(ctx, "mnist"); err != nil {
		return nil, nil, err
	}
	if test, err = public.Load(ctx, "mnist_test"); err != nil {
		return nil, nil, err
	}
	return toUnit(train), toUnit(test), nil
}

// toUnit returns a copy of images whose pixels are divided by 255.
func toUnit(d *datasets.Dataset) *datasets.Dataset {
	scaled := *d
	scaled.Columns = make([][]float32, d.P())
	for j := range scaled.Columns {
		column := d.Column(nil, j)
		scaled.Columns[j] = make([]float32, len(column))
		for i, x := range column {
			scaled.Columns[j][i] = x / 255
		}
	}
	return &scaled
}

// classes are those of table 6's tasks, by digit; −1 is none.
var classes = map[string][10]int32{
	"2 against 4":      {-1, -1, 0, -1, 1, -1, -1, -1, -1, -1},
	"3 against 8":      {-1, -1, -1, 0, -1, -1, -1, -1, 1, -1},
	"even against odd": {0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
}

// pairs loads all 70,000 images of a task's digits. The repeat is a fold of ten.
func pairs(ctx context.Context, t *trial.Trial) error {
	all, err := public.Load(ctx, "mnist_full")
	if err != nil {
		return err
	}
	two := twoClasses(toUnit(all), classes[t.Problem])
	ten, err := datasets.KFold{K: 10, Seed: 1}.Folds(two)
	if err != nil {
		return err
	}
	t.Train, t.Test = ten[t.Repeat-1].Split(two)
	return nil
}

// twoClasses returns the rows whose digit has a class, 0 or 1, with these classes.
func twoClasses(d *datasets.Dataset, class [10]int32) *datasets.Dataset {
	var rows []int32
	for i, y := range d.Labels {
		if class[y] >= 0 {
			rows = append(rows, int32(i))
		}
	}
	two := d.Subset(rows)
	two.Classes = []string{"first", "second"}
	for i, y := range two.Labels {
		two.Labels[i] = class[y]
	}
	return two
}
