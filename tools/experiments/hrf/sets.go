package hrf

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// files are data sets of the paper's Table 3 that are at hand as the paper has them, by
// its names.
var files = paper.Pairs(`
	aba abalone  aus statlog-australian-credit  bal balance-scale  ban banknote  bcw breast-cancer-wisc  bld bupa
	blo blood  bod bodydims  bre breast-cancer-wisc  bos boston_3class  cmc contrac  cre credit-approval  der dermatology
	dia pima  dna molec-biol-splice  eco ecoli  ger statlog-german-credit  gla glass  hea statlog-heart  hil hill-valley
	imp autos  ion ionosphere  iri iris  lib libras  mam mammographic  pid pima_ripley  pks parkinsons  pov poverty
	sat satimage_full  seg statlog-image  smo smoking  snr conn-bench-sonar-mines-rocks  spa spambase  spe spectf_full
	tae teaching  veh statlog-vehicle  vot congressional-voting  vow vowel_full  zoo zoo`)

// Load loads a data set of the paper's tables: one of files, one that is made of
// others, or a sample of a simulated problem.
func Load(ctx context.Context, short string) (*datasets.Dataset, error) {
	switch short {
	case "thy":
		return stacked(ctx, "thyroid", "thyroid_test")
	case "cir":
		return sim.Ball{}.Sample(1000, 1), nil
	case "trn":
		return sim.Threenorm{}.Sample(1000, 1), nil
	case "twn":
		return sim.Twonorm{}.Sample(1000, 1), nil
	case "rng":
		return sim.Ringnorm{}.Sample(1000, 1), nil
	case "led":
		return sim.LED{}.Sample(6000, 1), nil
	case "wav":
		return sim.Waveform{}.Sample(3600, 1), nil
	}
	d, err := public.Load(ctx, files[short])
	if err != nil {
		return nil, err
	}
	switch short {
	case "bcw", "der":
		return trial.Complete(d), nil
	case "aba": // more than ten rings: with more than nine, table 8's share isn't 0.63
		return regrouped(d, func(rings string) string {
			n, _ := strconv.Atoi(rings)
			return strconv.FormatBool(n > 10)
		}), nil
	case "eco": // four classes: all kinds of inner and of outer membrane are one each
		return regrouped(d, func(place string) string { return place[:2] }), nil
	case "bos": // the paper's share of noise features, 0.71, is 10 of 14 encoded columns
		return categorical(d, "chas"), nil
	case "cmc": // 0.85 is 11 of 13
		return categorical(d, "wife_education", "husband_education", "living_standard"), nil
	}
	return d, nil
}

// regrouped returns the data with the classes that group makes of theirs, in ascending order.
func regrouped(d *datasets.Dataset, group func(class string) string) *datasets.Dataset {
	var names []string
	for _, class := range d.Classes {
		names = append(names, group(class))
	}
	c := *d
	c.Classes, c.Labels = slices.Compact(slices.Sorted(slices.Values(names))), nil
	for _, y := range d.Labels {
		at, _ := slices.BinarySearch(c.Classes, names[y])
		c.Labels = append(c.Labels, int32(at))
	}
	return &c
}

// categorical returns the data with the named columns as categories, which are their
// different numbers in ascending order. It has the same rows and other columns.
func categorical(d *datasets.Dataset, columns ...string) *datasets.Dataset {
	c := *d
	c.Features, c.Columns = slices.Clone(d.Features), slices.Clone(d.Columns)
	for j, f := range c.Features {
		if !slices.Contains(columns, f.Name) {
			continue
		}
		numbers := slices.Compact(slices.Sorted(slices.Values(d.Columns[j])))
		f.Categories = make([]string, len(numbers))
		for k, v := range numbers {
			f.Categories[k] = fmt.Sprint(v)
		}
		c.Features[j], c.Columns[j] = f, make([]float32, len(d.Columns[j]))
		for i, v := range d.Columns[j] {
			k, _ := slices.BinarySearch(numbers, v)
			c.Columns[j][i] = float32(k)
		}
	}
	return &c
}

// stacked loads two parts of a data set as one. Their columns and classes must be the same.
func stacked(ctx context.Context, first, second string) (*datasets.Dataset, error) {
	a, err := public.Load(ctx, first)
	if err != nil {
		return nil, err
	}
	b, err := public.Load(ctx, second)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(a.Features, b.Features) || !slices.Equal(a.Classes, b.Classes) {
		return nil, fmt.Errorf("%s and %s have other columns or classes", first, second)
	}
	both := *a
	both.Columns, both.Labels = nil, slices.Concat(a.Labels, b.Labels)
	for j := range a.Columns {
		both.Columns = append(both.Columns, slices.Concat(a.Column(nil, j), b.Column(nil, j)))
	}
	return &both, nil
}
