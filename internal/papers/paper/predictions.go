package paper

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

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

// PredictionsFile has what methods of other libraries predicted on the papers' splits.
const PredictionsFile = "classifiers-predictions.csv.gz"

// Predictions returns those of PredictionsFile.
func (r *Results) Predictions() []Prediction {
	all, err := ReadPredictions(filepath.Join(r.Root, "docs", "results", PredictionsFile))
	r.fail(err)
	return all
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
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Method, b.Method))
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
