package figures

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/sim"
)

// A BaselineSet is data of an experiment of the SPORF or GRAF paper or of [Auto], with its training and
// test rows, on which tools/peers measures methods of other libraries.
//
// Sets of SPORF's table 1 are called sporf/ and the name of their file, those of GRAF's table D.1
// fd_ and theirs, and hypercubes of GRAF's figures 4 to 7 cube/, the problem, a slash and the
// number of features. Sets of [Auto] are called auto/ and their name where methods have their
// defaults, and autotuned/ where they are tuned.
type BaselineSet struct {
	Name   string
	Values bool // whether rows have values, not classes
	Splits int
	Split  func(ctx context.Context, split int) (train, test *datasets.Dataset, err error) // from 1
}

// BaselineSets returns the sets of table 1 whose partitions are in the folders of OBLIQUA_DATA, the sets
// of table D.1, the hypercubes of figures 4 to 7 with three repeats, and the sets and folds of
// [Auto] but its larger ones, those of classes twice, in this order. For sets of values features are standardised, as for Auto's methods.
func BaselineSets() []BaselineSet {
	var sets []BaselineSet
	for _, name := range partitionedSets() {
		sets = append(sets, BaselineSet{"sporf/" + name, false, 5, func(ctx context.Context, split int) (train, test *datasets.Dataset, err error) {
			return sporfFold(ctx, name, split-1)
		}})
	}
	for _, name := range grafSets {
		sets = append(sets, BaselineSet{"fd_" + name, false, 4, func(ctx context.Context, split int) (train, test *datasets.Dataset, err error) {
			d, err := public.Load(ctx, "fd_"+name)
			if err != nil {
				return nil, nil, err
			}
			folds, err := publishedFolds(ctx, name, d.N())
			if err != nil {
				return nil, nil, err
			}
			train, test = folds[split-1].Split(d)
			return train, test, nil
		}})
	}
	for features := 3; features <= 15; features++ {
		for _, problem := range slices.Sorted(maps.Keys(baselineCubes)) {
			cube := baselineCubes[problem]
			cube.Features = features
			sets = append(sets, BaselineSet{fmt.Sprintf("cube/%s/%d", problem, features), false, 3,
				func(_ context.Context, split int) (train, test *datasets.Dataset, err error) {
					seed := uint64(split)
					return datasets.Holdout{Test: 0.3, Seed: seed}.Split(cube.Sample(0, seed))
				}})
		}
	}
	for _, name := range mixSets {
		for _, of := range []struct {
			prefix string
			splits int
		}{{"auto/", autoFolds}, {"autotuned/", 5}} {
			sets = append(sets, BaselineSet{of.prefix + name, false, of.splits, func(ctx context.Context, split int) (train, test *datasets.Dataset, err error) {
				return mixFold(ctx, name, split-1)
			}})
		}
	}
	for _, name := range autoValueSets {
		sets = append(sets, BaselineSet{"auto/" + name, true, autoFolds, func(ctx context.Context, split int) (train, test *datasets.Dataset, err error) {
			if train, test, err = valueFold(ctx, name, split-1); err != nil {
				return nil, nil, err
			}
			return prepared(ctx, train, test)
		}})
	}
	return sets
}

// baselineCubes are the problems of [GRAFCubes].
var baselineCubes = map[string]sim.Hypercube{
	"binary":                 {},
	"multi-class":            {Multiclass: true},
	"binary, projected":      {Project: true},
	"multi-class, projected": {Multiclass: true, Project: true},
	"binary, deviation 0.1":  {Deviation: 0.1},
}

// partitionedSets returns the SPORF authors' sets of which OBLIQUA_DATA has data and partition.
func partitionedSets() []string {
	found := map[string]bool{}
	for _, dir := range filepath.SplitList(os.Getenv("OBLIQUA_DATA")) {
		paths, _ := filepath.Glob(filepath.Join(dir, "sporf", "data", "*.csv.gz"))
		for _, path := range paths {
			name := strings.TrimSuffix(filepath.Base(path), ".csv.gz")
			if _, err := os.Stat(filepath.Join(dir, "sporf", "partitions", name+"_partitions.txt.gz")); err == nil {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// A Prediction is the classes of the test rows of a split, and those that a method predicted.
type Prediction struct {
	Set, Method string
	Repeat      int // number of the split, from 1
	Truth       []int32
	Labels      []int32
}

// Key returns what identifies the prediction: set, method and split.
func (p Prediction) Key() [3]string { return [3]string{p.Set, p.Method, strconv.Itoa(p.Repeat)} }

// Error returns the share of test rows that are labelled wrongly.
func (p Prediction) Error() float64 { return eval.Error(p.Labels, p.Truth) }

// Kappa returns Cohen's kappa on the test rows.
func (p Prediction) Kappa() float64 { return eval.Kappa(p.Labels, p.Truth) }

// A PredictionMean is the mean over splits of a method's error and Cohen's kappa on a set.
type PredictionMean struct {
	Set, Method  string
	Splits       int
	Error, Kappa float64
}

// PredictionMeans returns the means of each set and method, ordered by both.
func PredictionMeans(all []Prediction) []PredictionMean {
	sums := map[[2]string]PredictionMean{}
	for _, p := range all {
		key := [2]string{p.Set, p.Method}
		s := sums[key]
		sums[key] = PredictionMean{p.Set, p.Method, s.Splits + 1, s.Error + p.Error(), s.Kappa + p.Kappa()}
	}
	means := make([]PredictionMean, 0, len(sums))
	for _, s := range sums {
		s.Error /= float64(s.Splits)
		s.Kappa /= float64(s.Splits)
		means = append(means, s)
	}
	slices.SortFunc(means, func(a, b PredictionMean) int {
		return strings.Compare(a.Set+"\n"+a.Method, b.Set+"\n"+b.Method)
	})
	return means
}

// truthMethod stands for a method in the lines with the classes of test rows.
const truthMethod = "truth"

// WritePredictions writes predictions as gzipped CSV, ordered by set, split and method. A line has set,
// method, split and a character a test row. The first line of a split has the method truth and the
// rows' classes: 0 to 9, A to Z and a to z for classes 0 to 61, and the characters from U+00C0 on for
// higher ones. In the other lines a dot stands for the right class. Of several predictions with the same
// [Prediction.Key] the last is written.
func WritePredictions(w io.Writer, all []Prediction) error {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Prediction) int {
		if c := strings.Compare(a.Set, b.Set); c != 0 {
			return c
		}
		if a.Repeat != b.Repeat {
			return a.Repeat - b.Repeat
		}
		return strings.Compare(a.Method, b.Method)
	})
	zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := csv.NewWriter(zipped)
	for i, p := range all {
		split := strconv.Itoa(p.Repeat)
		if i == 0 || all[i-1].Set != p.Set || all[i-1].Repeat != p.Repeat {
			lines.Write([]string{p.Set, truthMethod, split, encodeClasses(p.Truth, nil)})
		}
		if i+1 == len(all) || all[i+1].Key() != p.Key() {
			lines.Write([]string{p.Set, p.Method, split, encodeClasses(p.Labels, p.Truth)})
		}
	}
	lines.Flush()
	return errors.Join(lines.Error(), zipped.Close())
}

// ReadPredictions reads a file of one or more gzip streams, each written by [WritePredictions], one after another. Its
// errors name the file and the line.
func ReadPredictions(path string) ([]Prediction, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	zipped, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := csv.NewReader(zipped)
	r.FieldsPerRecord = 4
	var all []Prediction
	var truth []int32
	var of [2]string // set and split of truth
	for {
		line, err := r.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		number, _ := r.FieldPos(0)
		p := Prediction{Set: line[0], Method: line[1]}
		p.Repeat, err = strconv.Atoi(line[2])
		switch {
		case err != nil:
		case p.Method == truthMethod:
			of = [2]string{line[0], line[2]}
			truth, err = decodeClasses(line[3], nil)
		case of != [2]string{line[0], line[2]}:
			err = fmt.Errorf("no line %s of %s, split %s, before it", truthMethod, line[0], line[2])
		default:
			p.Truth = truth
			p.Labels, err = decodeClasses(line[3], truth)
			all = append(all, p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
}

const classCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// firstHigher is the character of the first class that classCharacters lacks.
const firstHigher = 'À'

// encodeClasses returns a character a label: a dot where it equals the truth, which may be nil.
func encodeClasses(labels, truth []int32) string {
	var b strings.Builder
	for i, y := range labels {
		switch {
		case truth != nil && truth[i] == y:
			b.WriteByte('.')
		case int(y) < len(classCharacters):
			b.WriteByte(classCharacters[y])
		default:
			b.WriteRune(firstHigher + y - int32(len(classCharacters)))
		}
	}
	return b.String()
}

// decodeClasses is the inverse of encodeClasses.
func decodeClasses(text string, truth []int32) ([]int32, error) {
	var labels []int32
	for _, c := range text {
		i := len(labels)
		class := int32(strings.IndexRune(classCharacters, c))
		switch {
		case c == '.' && i < len(truth):
			class = truth[i]
		case c >= firstHigher:
			class = c - firstHigher + int32(len(classCharacters))
		case class < 0:
			return nil, fmt.Errorf("row %d: %q isn't a class", i+1, c)
		}
		labels = append(labels, class)
	}
	if truth != nil && len(labels) != len(truth) {
		return nil, fmt.Errorf("%d labels of %d test rows", len(labels), len(truth))
	}
	return labels, nil
}
