package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/tools/internal/runs"
	"gonum.org/v1/gonum/stat"
)

// A classifierReply is what classifiers.py answers: an error, or the rest.
type classifierReply struct {
	Version string             `json:"version"`
	Setting string             `json:"setting"`
	Seconds float64            `json:"seconds"`
	Labels  []int32            `json:"labels"`
	Values  []float64          `json:"values"`
	More    map[string]float64 `json:"more"` // other measures
	Error   string             `json:"error"`
}

// A protocol is the way in which methods are tuned on some sets; classifiers.py says what each one is.
type protocol struct {
	name, prefix string // of the sets
	measure      string // but for values
	methods      string
}

var protocols = []protocol{
	{"sporf", "sporf/", "error", "XGB LDA QDA SVM ADA GB"},
	{"graf", "fd_", "kappa", "XGB LDA QDA SVM ADA GB"},
	{"auto", "auto/", "error", "XGB LGB YDF"},
	{"autotuned", "autotuned/", "error", "XGB LGB YDF"},
	{"hrf", "hrf/", "error", "XGB CAT GB"},
	{"taoada", "tao/", "error", "ADA100 ADA1000"},
	{"taotuned", "taotuned/", "error", "ADA100 ADA1000"},
	{"taoxgb25", "taoxgb25/", "error", "XGB1 XGB2 XGB5 XGB10 XGB20 XGB40 XGB60 XGB80 XGB100"},
	{"taoxgb", "taoxgb/", "error", "XGB1 XGB2 XGB5 XGB10 XGB20 XGB40 XGB60 XGB80 XGB100 XGB1000"},
	{"cube", "", "kappa", "XGB ADA GB"},
}

func protocolOf(set string) protocol {
	return protocols[slices.IndexFunc(protocols, func(p protocol) bool { return strings.HasPrefix(set, p.prefix) })]
}

// classifiersCommand measures boosting, SVM, LDA, QDA and YDF's oblique forest on the splits of the SPORF, GRAF, HRF,
// TAO and auto experiments.
func classifiersCommand(args []string) error {
	c := classifiers{study: study{script: "classifiers.py"}}
	flags := flag.NewFlagSet("classifiers", flag.ExitOnError)
	flags.StringVar(&c.predictions, "predictions", "docs/results/classifiers-predictions.csv.gz",
		"append the predictions to this file")
	flags.TextVar(&c.methods, "methods", regexp.MustCompile("."), "measure the methods that match this `regexp`")
	return c.run(flags, args, "docs/results/classifiers.csv", func(ctx context.Context) error {
		err := c.all(ctx)
		if ctx.Err() != nil {
			log.Print("stopped; the next call continues")
			err = nil
		}
		return errors.Join(err, c.compact())
	})
}

// classifiers asks classifiers.py for predictions and adds them to two files.
type classifiers struct {
	study
	predictions string
	methods     regexp.Regexp
	done        map[[3]string]bool   // by set, method and split
	first       map[[2]string]string // the setting of the first split, by set and method
}

// all measures what the files lack, small sets first.
func (c *classifiers) all(ctx context.Context) error {
	var err error
	if c.done, c.first, err = classifiersDone(c.path, c.predictions); err != nil {
		return err
	}
	sets, err := c.inOrder(ctx)
	if err != nil {
		return err
	}
	for _, set := range sets {
		for split := 1; split <= set.Splits; split++ {
			if err := c.split(ctx, set, split); err != nil {
				return fmt.Errorf("%s, split %d: %w", set.Name, split, err)
			}
		}
	}
	return nil
}

// inOrder returns the sets that lack results, in the order of the work that boosting on them is.
func (c *classifiers) inOrder(ctx context.Context) ([]baselineSet, error) {
	var sets []baselineSet
	cost := map[string]int{}
	for _, set := range baselineSets() {
		if !c.sets.MatchString(set.Name) || !slices.ContainsFunc(c.missing(set),
			func(m []string) bool { return len(m) > 0 }) {
			continue
		}
		train, _, err := set.Split(ctx, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.Name, err)
		}
		trees := max(1, len(train.Classes)) // of a round
		if trees == 2 {
			trees = 1
		}
		sets, cost[set.Name] = append(sets, set), trees*(5000+train.N()*train.P())
	}
	slices.SortStableFunc(sets, func(a, b baselineSet) int { return cmp.Compare(cost[a.Name], cost[b.Name]) })
	return sets, nil
}

// missing returns the selected methods without results for each split of a set. YDF takes part where values are
// learned.
func (c *classifiers) missing(set baselineSet) [][]string {
	missing := make([][]string, set.Splits)
	for i := range missing {
		for _, m := range strings.Fields(protocolOf(set.Name).methods) {
			done := c.done[[3]string{set.Name, m, strconv.Itoa(i + 1)}]
			if c.methods.MatchString(m) && (m != "YDF" || set.Values) && !done {
				missing[i] = append(missing[i], m)
			}
		}
	}
	return missing
}

// split measures the methods that a split lacks. A method that fails has no result.
func (c *classifiers) split(ctx context.Context, set baselineSet, split int) error {
	methods := c.missing(set)[split-1]
	if len(methods) == 0 {
		return nil
	}
	train, test, err := set.Split(ctx, split)
	if err != nil {
		return err
	}
	if err := c.load(train, test); err != nil {
		return err
	}
	for _, method := range methods {
		var reply classifierReply
		more := map[string]any{"protocol": protocolOf(set.Name).name, "method": method, "split": split,
			"setting": c.known(set.Name, method)}
		if err := c.question(more, &reply); err != nil {
			return err
		}
		if reply.Error != "" {
			log.Printf("%s, split %d, %s fails: %s", set.Name, split, method, reply.Error)
			continue
		}
		if err := c.keep(set.Name, split, method, train, test, reply); err != nil {
			return err
		}
	}
	return nil
}

// known returns the setting of a method's first split, if it is tuned once a set and that split is done, or "".
func (c *classifiers) known(set, method string) string {
	if protocolOf(set).name == "hrf" {
		return c.first[[2]string{set, method}]
	}
	return ""
}

// keep adds a reply to the files: first its predictions, so that a result always has them. Predicted values aren't
// kept.
func (c *classifiers) keep(set string, split int, method string, train, test *datasets.Dataset,
	reply classifierReply) error {
	measure, score, err := judge(set, train, test, reply)
	if err != nil {
		return fmt.Errorf("classifiers.py: %s: %w", method, err)
	}
	log.Printf("%s, split %d, %s: %s %.4f, %s, %.1f s", set, split, method, measure, score, reply.Setting, reply.Seconds)
	if measure != "mse" {
		var stream bytes.Buffer
		p := paper.Prediction{Set: set, Method: method, Repeat: split, Truth: test.Labels, Labels: reply.Labels}
		if err := paper.WritePredictions(&stream, []paper.Prediction{p}); err != nil {
			return err
		}
		if err := runs.Append(c.predictions, stream.Bytes()); err != nil {
			return err
		}
	}
	if split == 1 {
		c.first[[2]string{set, method}] = reply.Setting
	}
	return c.save(set, split, measure, reply.Version,
		result{Method: method, Score: score, Setting: reply.Setting, Seconds: reply.Seconds,
			More: reply.More})
}

// judge returns the measure of a set and its score on the test rows: error, kappa, or for values mse, the mean
// squared error divided by the variance of the training rows' values. It returns an error if a reply can't be right.
func judge(set string, train, test *datasets.Dataset, reply classifierReply) (
	measure string, score float64, err error) {
	if test.Values != nil {
		if len(reply.Values) != test.N() {
			return "", 0, fmt.Errorf("%d values of %d test rows", len(reply.Values), test.N())
		}
		return "mse", eval.MSE(reply.Values, test.Values) / stat.PopVariance(train.Values, nil), nil
	}
	if len(reply.Labels) != test.N() {
		return "", 0, fmt.Errorf("%d labels of %d test rows", len(reply.Labels), test.N())
	}
	if i := slices.IndexFunc(reply.Labels, func(y int32) bool { return y < 0 || int(y) >= len(test.Classes) }); i >= 0 {
		return "", 0, fmt.Errorf("test row %d is in class %d of %d", i+1, reply.Labels[i], len(test.Classes))
	}
	if measure = protocolOf(set).measure; measure == "error" {
		return measure, eval.Error(reply.Labels, test.Labels), nil
	}
	return measure, eval.Kappa(reply.Labels, test.Labels), nil
}

// classifiersDone returns the results that both files have, and those of values, whose predictions aren't kept, and the
// settings of first splits. The files need not exist.
func classifiersDone(path, predictions string) (done map[[3]string]bool, first map[[2]string]string, err error) {
	results, err := readCSV(path, resultColumns)
	if err != nil {
		return nil, nil, err
	}
	all, err := paper.ReadPredictions(predictions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	kept := map[[3]string]bool{}
	for _, p := range all {
		kept[p.Key()] = true
	}
	done, first = map[[3]string]bool{}, map[[2]string]string{}
	for _, line := range results {
		key := [3]string(line[:3])
		done[key] = kept[key] || line[3] == "mse"
		if line[2] == "1" {
			first[[2]string(line[:2])] = line[5]
		}
	}
	return done, first, nil
}

// compact makes one stream of the many that save has written, which is much smaller.
func (c *classifiers) compact() error {
	all, err := paper.ReadPredictions(c.predictions)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return atomicfile.Write(c.predictions, func(w io.Writer) error { return paper.WritePredictions(w, all) })
}
