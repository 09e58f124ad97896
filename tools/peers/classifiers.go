package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// resultColumns are those of a file of results: a line a set, method, split and measure.
var resultColumns = strings.Split("set,method,split,measure,score,setting,seconds,version,date", ",")

// classifiersCommand measures boosting on the splits of the papers' experiments.
func classifiersCommand(args []string) error {
	var c classifiers
	var sets, methods regexp.Regexp
	flags := flag.NewFlagSet("classifiers", flag.ExitOnError)
	every := regexp.MustCompile(".")
	python := flags.String("python", "python3", "a Python with the packages of requirements.txt")
	flags.TextVar(&sets, "sets", every, "measure the sets that match this `regexp`, such as ^fd_")
	flags.TextVar(&methods, "methods", every, "measure the methods that match this `regexp`")
	flags.StringVar(&c.path, "csv", "docs/results/classifiers.csv",
		"append the results to this file; what is in it isn't measured again")
	flags.StringVar(&c.predictions, "predictions", "docs/results/classifiers-predictions.csv.gz",
		"append the predictions to this file")
	flags.Parse(args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.start(ctx, *python); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	defer c.stop()
	err := c.all(ctx, sets.MatchString, methods.MatchString)
	if ctx.Err() != nil {
		log.Print("stopped; the next call continues")
		err = nil
	}
	return errors.Join(err, c.compact())
}

// classifiers asks classifiers.py for predictions, and adds them and their scores to two files.
type classifiers struct {
	*process
	folder            string // for data
	path, predictions string
	done              map[[3]string]bool   // by set, method and split
	first             map[[2]string]string // the setting of the first split, by set and method
}

// start makes the folder and starts the script.
func (c *classifiers) start(ctx context.Context, python string) error {
	scripts, err := scriptFolder()
	if err != nil {
		return err
	}
	if c.folder, err = os.MkdirTemp("", "peers-"); err != nil {
		return err
	}
	c.process, err = start(exec.CommandContext(ctx, python, filepath.Join(scripts, "classifiers.py")), 1, math.MaxInt64)
	return err
}

// all measures what the files lack.
func (c *classifiers) all(ctx context.Context, sets, methods func(string) bool) error {
	if err := c.read(); err != nil {
		return err
	}
	for _, p := range protocols() {
		p.methods = slices.DeleteFunc(p.methods, func(m string) bool { return !methods(m) })
		for _, set := range p.sets {
			for split := 1; split <= p.splits && sets(p.name(set)); split++ {
				if err := c.split(ctx, p, set, split); err != nil {
					return fmt.Errorf("%s, split %d: %w", p.name(set), split, err)
				}
			}
		}
	}
	return nil
}

// read notes the results that both files have, and the settings of first splits. The files need not exist.
func (c *classifiers) read() error {
	results, err := readCSV(c.path, resultColumns)
	if err != nil {
		return err
	}
	all, err := paper.ReadPredictions(c.predictions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	kept := map[[3]string]bool{}
	for _, p := range all {
		kept[p.Key()] = true
	}
	c.done, c.first = map[[3]string]bool{}, map[[2]string]string{}
	for _, line := range results {
		key := [3]string(line[:3])
		c.done[key] = kept[key]
		if line[2] == "1" {
			c.first[[2]string(line[:2])] = line[5]
		}
	}
	return nil
}

// split measures the methods that a split lacks. A method that fails has no result.
func (c *classifiers) split(ctx context.Context, p protocol, set paper.Run, split int) error {
	name := p.name(set)
	methods := slices.DeleteFunc(slices.Clone(p.methods), func(m string) bool {
		return c.done[[3]string{name, m, strconv.Itoa(split)}]
	})
	if len(methods) == 0 {
		return nil
	}
	train, test, err := p.split(ctx, set, split)
	if err != nil {
		return err
	}
	s, err := writeFolder(c.folder, train, test)
	if err != nil {
		return err
	}
	for _, method := range methods {
		question := map[string]any{"folder": c.folder, "rows": s.rows, "test_rows": s.testRows, "features": s.features,
			"classes": s.classes, "protocol": strings.Trim(p.prefix, "/_"), "method": method, "split": split, "setting": ""}
		if p.prefix == "hrf/" { // tuned once a set
			question["setting"] = c.first[[2]string{name, method}]
		}
		a, err := c.ask(question)
		if err != nil {
			return err
		}
		if a.Error != "" {
			log.Printf("%s, split %d, %s fails: %s", name, split, method, a.Error)
			continue
		}
		prediction := paper.Prediction{Set: name, Method: method, Repeat: split, Truth: test.Labels, Labels: a.Labels}
		if err := c.keep(p.measure, prediction, len(test.Classes), a); err != nil {
			return err
		}
	}
	return nil
}

// A classified is what classifiers.py answers: an error, or the rest.
type classified struct {
	Version string             `json:"version"`
	Setting string             `json:"setting"`
	Seconds float64            `json:"seconds"`
	Labels  []int32            `json:"labels"`
	More    map[string]float64 `json:"more"` // other measures
	Error   string             `json:"error"`
}

func (c *classifiers) ask(question map[string]any) (answer classified, err error) {
	line, err := json.Marshal(question)
	if err == nil {
		err = c.send(string(line), &answer)
	}
	return answer, err
}

// keep adds an answer to the files: first its predictions, so that a result always has them. It returns an error if the
// answer can't be right.
func (c *classifiers) keep(measure string, p paper.Prediction, classes int, a classified) error {
	if len(p.Labels) != len(p.Truth) {
		return fmt.Errorf("classifiers.py: %s: %d labels of %d test rows", p.Method, len(p.Labels), len(p.Truth))
	}
	if i := slices.IndexFunc(p.Labels, func(y int32) bool { return y < 0 || int(y) >= classes }); i >= 0 {
		return fmt.Errorf("classifiers.py: %s: test row %d is in class %d of %d", p.Method, i+1, p.Labels[i], classes)
	}
	score := eval.Kappa(p.Labels, p.Truth)
	if measure == "error" {
		score = eval.Error(p.Labels, p.Truth)
	}
	log.Printf("%s, split %d, %s: %s %.4f, %s, %.1f s", p.Set, p.Repeat, p.Method, measure, score, a.Setting, a.Seconds)
	var stream bytes.Buffer
	if err := paper.WritePredictions(&stream, []paper.Prediction{p}); err != nil {
		return err
	}
	if err := appendText(c.predictions, stream.Bytes()); err != nil {
		return err
	}
	if p.Repeat == 1 {
		c.first[[2]string{p.Set, p.Method}] = a.Setting
	}
	line := func(measure string, score float64) []string {
		return []string{p.Set, p.Method, strconv.Itoa(p.Repeat), measure, short(score), a.Setting, short(a.Seconds),
			a.Version, time.Now().UTC().Format(time.DateOnly)}
	}
	lines := [][]string{line(measure, score)}
	for _, name := range slices.Sorted(maps.Keys(a.More)) {
		lines = append(lines, line(name, a.More[name]))
	}
	return appendCSV(c.path, resultColumns, lines...)
}

// compact makes one stream of the many that keep has written, which is much smaller.
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

// split returns the training and test rows of a split, which is also the seed.
func (p protocol) split(ctx context.Context, set paper.Run, split int) (train, test *datasets.Dataset, err error) {
	set.Repeat, set.Seed = split, uint64(split)
	return p.rows(ctx, set)
}
