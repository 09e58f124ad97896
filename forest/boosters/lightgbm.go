package boosters

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
)

// LightGBM reads a model that LightGBM saved as text: version v4 of the format, of LightGBM 4. Of regression, ranking,
// Poisson, gamma, Tweedie, binary, cross-entropy and multiclass objectives it returns a forest of the rule
// [forest.Sum]. What cross_entropy predicts is the probability of class 1. Values are float32; so are cells, where
// LightGBM takes float64. Weights of leaves are their numbers of rows. All trees are read that LightGBM saved, which
// are those up to the best iteration if training stopped early, as in LightGBM.
//
// LightGBM returns an error if r fails, if the text is damaged or has several models, and for what a forest hasn't:
// splits by categories, linear leaves, zeros as missing cells, other objectives. Missing cells go to the side that
// LightGBM sends them to. A line may have 64 MiB, and a model 2²⁰ features.
func LightGBM(r io.Reader) (*forest.Forest, error) {
	f, err := lightGBM(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("boosters: a model of LightGBM: %w", err)
	}
	return f, nil
}

func lightGBM(b *bufio.Reader) (*forest.Forest, error) {
	switch what := foreign(b); what {
	case lightText:
	case "":
		head, _ := b.Peek(40)
		return nil, fmt.Errorf("it begins with %q; want a line tree", head)
	default:
		return nil, fmt.Errorf("this is %s", what)
	}
	head, err := section(b)
	if err != nil {
		return nil, err
	}
	m := model{method: "lightgbm", base: []float64{0}, scale: 1}
	if v := head["version"]; v != "v4" {
		return nil, fmt.Errorf("version %q; want v4, of LightGBM 4", v)
	}
	named := false
	for name := range strings.FieldsSeq(head["feature_names"]) {
		if len(m.names) == mostFeatures {
			return nil, errFeatures
		}
		named = named || name != fmt.Sprint("Column_", len(m.names)) // LightGBM's name for a column without one
		m.names = append(m.names, name)
	}
	if !named {
		clear(m.names)
	}
	if err := m.objective(strings.Fields(head["objective"])); err != nil {
		return nil, err
	}
	for {
		lines, err := section(b)
		if err != nil {
			return nil, err
		}
		if _, ends := lines[lightEnd]; ends {
			break
		}
		t, err := lightTree(lines)
		if number := strconv.Itoa(len(m.trees)); err == nil && lines["Tree"] != number {
			err = fmt.Errorf("its number is %.40q", lines["Tree"])
		}
		if err != nil {
			return nil, fmt.Errorf("tree %d: %w", len(m.trees), err)
		}
		m.trees = append(m.trees, t)
	}
	if _, averages := head["average_output"]; averages {
		m.scale *= float64(max(1, m.classes)) / float64(max(1, len(m.trees)))
	}
	for { // importances and parameters
		text, err := line(b)
		switch {
		case err == io.EOF:
			return m.forest()
		case err != nil:
			return nil, err
		case text == "tree" || text == lightEnd || strings.HasPrefix(text, "Tree="):
			return nil, fmt.Errorf("more trees after the line %q", lightEnd)
		}
	}
}

const lightEnd = "end of trees"

// lightLines are the names of the lines that are read.
var lightLines = []string{"tree", "version", "feature_names", "objective", "average_output", "Tree", "num_cat",
	"is_linear", "leaf_value", "leaf_count", "split_feature", "split_gain", "threshold", "decision_type", "left_child",
	"right_child", lightEnd}

// section reads lines up to the next empty ones, as names and values, and keeps the lightLines. It returns an error if
// one is there twice, and if the text ends before the trees do.
func section(b *bufio.Reader) (map[string]string, error) {
	lines := make(map[string]string)
	for begun := false; ; {
		text, err := line(b)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if text == "" && begun {
			return lines, nil
		}
		name, value, _ := strings.Cut(text, "=")
		begun = text != ""
		if !slices.Contains(lightLines, name) {
			continue
		}
		if _, twice := lines[name]; twice {
			return nil, fmt.Errorf("two lines %s in one section", name)
		}
		if lines[name] = value; name == lightEnd {
			return lines, nil
		}
	}
}

// longestLine is the most bytes of a line.
const longestLine = 1 << 26

// line reads a line, without the spaces around it.
func line(b *bufio.Reader) (string, error) {
	var text []byte
	for {
		part, more, err := b.ReadLine()
		if text = append(text, part...); len(text) > longestLine {
			return "", fmt.Errorf("a line of more than %d bytes", longestLine)
		}
		if err != nil || !more {
			return string(bytes.TrimSpace(text)), err
		}
	}
}

// objective sets what becomes of the sums, given the objective and its parameters, such as binary and sigmoid:1.
func (m *model) objective(words []string) error {
	if len(words) == 0 {
		return errors.New("no objective, as after training with a function of one's own")
	}
	parameters := make(map[string]string)
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, ":")
		parameters[name] = value
	}
	_, root := parameters["sqrt"]
	var err error
	switch words[0] {
	case "regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg":
		if !root {
			return nil
		}
	case "poisson", "gamma", "tweedie":
		m.link = exponential
		return nil
	case "cross_entropy":
		m.link = logistic
		return nil
	case "binary":
		m.link = logistic
		m.scale, err = strconv.ParseFloat(parameters["sigmoid"], 64)
		return err
	case "multiclass":
		m.link = softmax
		m.classes, err = strconv.Atoi(parameters["num_class"])
		return err
	}
	return fmt.Errorf("the objective %q; want one of values, counts, binary, cross_entropy or multiclass",
		strings.Join(words, " "))
}

// lightTree reads a tree's section.
func lightTree(lines map[string]string) (t tree, err error) {
	if lines["num_cat"] != "0" || lines["is_linear"] != "0" {
		return t, errors.New("it has splits by categories or linear leaves")
	}
	integers := func(name string) []int { return parsed(lines, name, strconv.Atoi, &err) }
	numbers := func(name string) []float64 {
		return parsed(lines, name, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }, &err)
	}
	t.values = numbers("leaf_value")
	if len(t.values) == 1 {
		t.root, t.weights = ^0, []float64{0} // its weight isn't saved
		return t, err
	}
	t.weights, t.gains = numbers("leaf_count"), numbers("split_gain")
	t.features, t.left, t.right = integers("split_feature"), integers("left_child"), integers("right_child")
	for _, v := range numbers("threshold") {
		const zero = float32(1e-35) // up to which LightGBM takes cells for 0
		threshold := atMost(v)
		if -zero <= threshold && threshold < 0 {
			threshold = math.Nextafter32(-zero, -1)
		}
		t.thresholds = append(t.thresholds, threshold)
	}
	n := len(t.features)
	for i, kind := range integers("decision_type") {
		const missingIsZero, zeroIsMissing = 0, 1 // in the third and fourth bit; the second says where missing cells go
		if kind&1 != 0 || kind>>2&3 == zeroIsMissing {
			return t, fmt.Errorf("node %d splits by categories or takes zeros for missing", i)
		}
		left := kind&2 != 0
		if kind>>2&3 == missingIsZero && i < len(t.thresholds) {
			left = t.thresholds[i] >= 0
		}
		t.missingLeft = append(t.missingLeft, left)
	}
	for _, list := range []struct {
		name   string
		splits int // that it is for
	}{
		{"leaf_value", len(t.values) - 1}, {"leaf_count", len(t.weights) - 1}, {"split_gain", len(t.gains)},
		{"left_child", len(t.left)}, {"right_child", len(t.right)}, {"threshold", len(t.thresholds)},
		{"decision_type", len(t.missingLeft)},
	} {
		if err == nil && list.splits != n {
			err = fmt.Errorf("%s is for %d splits; there are %d", list.name, list.splits, n)
		}
	}
	return t, err
}

// parsed returns the numbers of a line. The first error stays in err.
func parsed[T any](lines map[string]string, name string, parse func(string) (T, error), err *error) (list []T) {
	for _, word := range strings.Fields(lines[name]) {
		v, wrong := parse(word)
		if wrong != nil && *err == nil {
			*err = fmt.Errorf("%s: %w", name, wrong)
		}
		list = append(list, v)
	}
	return list
}
