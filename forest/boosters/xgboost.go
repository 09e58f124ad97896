package boosters

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// XGBoost reads a model that XGBoost saved as JSON, of version 1.6 and later, with the boosters gbtree and dart. Of
// regression, ranking, Poisson, gamma, Tweedie, survival, logistic and softmax objectives it returns a forest of the
// rule [forest.Sum]. What reg:logistic predicts is the probability of class 1. Weights of leaves are sums of second
// derivatives. If training stopped early, all trees are read from a model that a Booster saved, but only the trees up
// to the best iteration from a model that an estimator for scikit-learn saved. XGBoost predicts with these trees, too.
//
// XGBoost returns an error if r fails, if the JSON is damaged, has a key twice or is followed by something, and for
// what a forest hasn't: splits by categories, several targets, the booster gblinear, other objectives. Missing cells go
// to the side that XGBoost sends them to. A model may have 2²⁰ features.
func XGBoost(r io.Reader) (*forest.Forest, error) {
	f, err := xgBoost(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("boosters: a model of XGBoost: %w", err)
	}
	return f, nil
}

// An xgModel is what is read of the JSON.
type xgModel struct {
	names                      []string
	booster, objective, base   string
	trees                      []tree
	turns                      []int     // the outputs that the trees add to
	drops                      []float64 // what dart multiplies the trees by
	classes, features, targets string
	parallel                   string // trees of an output and round
	best, estimator            string // the best iteration; what only estimators for scikit-learn save
}

// read reads the JSON.
func (x *xgModel) read(d *json.Decoder) error {
	trees := func() error {
		if x.trees != nil {
			return errors.New("trees in two places")
		}
		return array(d, func() error {
			t, err := xgTree(d)
			if err != nil {
				return fmt.Errorf("tree %d: %w", len(x.trees), err)
			}
			x.trees = append(x.trees, t)
			return nil
		})
	}
	names := func() error {
		return array(d, func() error {
			if len(x.names) == mostFeatures {
				return errFeatures
			}
			x.names = append(x.names, "")
			return d.Decode(&x.names[len(x.names)-1])
		})
	}
	parameters := inside(d, keys{"num_parallel_tree": into(d, &x.parallel)})
	trained := inside(d, keys{"trees": trees, "tree_info": into(d, &x.turns), "gbtree_model_param": parameters})
	return object(d, keys{"learner": inside(d, keys{
		"attributes":    inside(d, keys{"best_iteration": into(d, &x.best), "scikit_learn": into(d, &x.estimator)}),
		"feature_names": names,
		"gradient_booster": inside(d, keys{"name": into(d, &x.booster), "model": trained,
			"gbtree": inside(d, keys{"model": trained}), "weight_drop": into(d, &x.drops)}),
		"learner_model_param": inside(d, keys{"base_score": into(d, &x.base), "num_class": into(d, &x.classes),
			"num_feature": into(d, &x.features), "num_target": into(d, &x.targets)}),
		"objective": inside(d, keys{"name": into(d, &x.objective)}),
	})})
}

// keys maps the keys of a JSON object, in lower case, to functions that read their values.
type keys map[string]func() error

// object reads a JSON object; values of other keys are skipped. It returns an error if a key is there twice, or in
// another case, since readers differ in what they make of that.
func object(d *json.Decoder, keys keys) error {
	if err := delimiter(d, '{'); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key := token.(string)
		name := strings.ToLower(key)
		read := keys[name]
		if read == nil {
			var skipped json.RawMessage
			read = into(d, &skipped)
		} else if key != name || seen[name] {
			return fmt.Errorf("the key %q, where %q is to be once", key, name)
		} else {
			seen[name] = true
		}
		if err := read(); err != nil {
			return fmt.Errorf("%.40s: %w", key, err)
		}
	}
	return delimiter(d, '}')
}

// inside returns what reads an object that is a value.
func inside(d *json.Decoder, keys keys) func() error { return func() error { return object(d, keys) } }

// into returns what reads a value into *to.
func into(d *json.Decoder, to any) func() error { return func() error { return d.Decode(to) } }

// array reads a JSON array by reading its elements one by one.
func array(d *json.Decoder, element func() error) error {
	if err := delimiter(d, '['); err != nil {
		return err
	}
	for d.More() {
		if err := element(); err != nil {
			return err
		}
	}
	return delimiter(d, ']')
}

func delimiter(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && token != want {
		err = fmt.Errorf("%.40q; want %v", fmt.Sprint(token), want)
	}
	return err
}

// number returns a whole number of the model, 0 for an empty text.
func number(name, text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if v < 0 || v > math.MaxInt32 {
		return 0, fmt.Errorf("%s is %d", name, v)
	}
	return v, nil
}

func xgBoost(b *bufio.Reader) (*forest.Forest, error) {
	if what := foreign(b); what != "" && what != xgJSON {
		return nil, fmt.Errorf("this is %s", what)
	}
	var x xgModel
	d := json.NewDecoder(b)
	if err := x.read(d); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after the end of the model")
	}
	classes, err := number("num_class", x.classes)
	features, err2 := number("num_feature", x.features)
	targets, err3 := number("num_target", x.targets)
	if err := cmp.Or(err, err2, err3); err != nil {
		return nil, err
	}
	if targets > 1 {
		return nil, fmt.Errorf("%d targets; want one", targets)
	}
	m := model{method: "xgboost", names: x.names, classes: classes, scale: 1}
	if len(m.names) == 0 && features <= mostFeatures {
		m.names = make([]string, features)
	}
	if len(m.names) != features {
		return nil, fmt.Errorf("%d names of %d features", len(m.names), features)
	}
	if err := m.xgBase(x.objective, x.base); err != nil {
		return nil, err
	}
	if err := cmp.Or(x.weigh(), x.stop(m.outputs())); err != nil {
		return nil, err
	}
	if m.trees, err = x.inTurn(m.outputs()); err != nil {
		return nil, err
	}
	return m.forest()
}

// weigh multiplies the trees of dart by their weights.
func (x *xgModel) weigh() error {
	switch x.booster {
	case "gbtree":
		return nil
	case "dart":
		if len(x.drops) != len(x.trees) {
			return fmt.Errorf("%d weights of %d trees", len(x.drops), len(x.trees))
		}
		for i, t := range x.trees {
			for k := range t.values {
				t.values[k] *= x.drops[i]
			}
		}
		return nil
	}
	return fmt.Errorf("the booster %q; want gbtree or dart", x.booster)
}

// stop drops the trees of a scikit-learn estimator that come after the best iteration.
func (x *xgModel) stop(outputs int) error {
	if x.best == "" || x.estimator == "" {
		return nil
	}
	best, err := number("best_iteration", x.best)
	parallel, err2 := number("num_parallel_tree", x.parallel)
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	if round := outputs * max(1, parallel); best < len(x.trees)/max(1, round) {
		x.trees = x.trees[:(best+1)*round]
	}
	return nil
}

// inTurn returns the trees so that tree t adds to output t mod outputs. XGBoost has several trees of a round and output
// one after the other.
func (x *xgModel) inTurn(outputs int) ([]tree, error) {
	each := make([]int, min(outputs, len(x.trees))) // the number of trees of each output
	trees := make([]tree, len(x.trees))
	for i, t := range x.trees {
		if i >= len(x.turns) || x.turns[i] < 0 || x.turns[i] >= len(each) {
			return nil, fmt.Errorf("tree %d: tree_info doesn't say which of %d outputs it adds to", i, outputs)
		}
		k := x.turns[i]
		place := each[k]*outputs + k
		if each[k]++; place >= len(trees) {
			return nil, fmt.Errorf("output %d has more trees than others", k)
		}
		trees[place] = t
	}
	return trees, nil
}

// xgBase sets how sums become predictions, and the base score: one number, or since version 3.1 a list.
func (m *model) xgBase(objective, base string) error {
	for _, word := range strings.Split(strings.Trim(base, "[]"), ",") {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return fmt.Errorf("base_score: %w", err)
		}
		m.base = append(m.base, v)
	}
	var score func(v float64) float64
	switch objective {
	case "reg:squarederror", "reg:squaredlogerror", "reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror",
		"rank:pairwise", "rank:ndcg", "rank:map", "binary:logitraw":
	case "count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft":
		m.link, score = exponential, logScore
	case "binary:logistic", "reg:logistic":
		m.link, score = logistic, logitScore
	case "multi:softmax", "multi:softprob":
		m.link = softmax
	default:
		return fmt.Errorf("the objective %q; want one of values, counts, survival, logistic or softmax", objective)
	}
	for i, v := range m.base {
		if score != nil {
			m.base[i] = score(v)
		}
		if math.IsNaN(m.base[i]) || math.IsInf(m.base[i], 0) {
			return fmt.Errorf("base_score %v for the objective %s", v, objective)
		}
	}
	return nil
}

// logScore returns the score of a mean. That of 0, if all labels are 0, is so low that its exponential is 0.
func logScore(mean float64) float64 {
	switch {
	case mean == 0:
		return -math.MaxFloat32
	case mean < 0:
		return math.NaN()
	}
	return portable.Log(mean)
}

// logitScore returns the score of a probability, in float32 and away from 0 and 1 as XGBoost has it.
func logitScore(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	const least = float32(1e-6)
	clipped := min(max(float32(p), least), 1-least)
	return -portable.Log(float64(1/clipped - 1))
}

// xgTree reads a tree, whose inner nodes and leaves both have the numbers of the JSON's nodes.
func xgTree(d *json.Decoder) (tree, error) {
	var (
		t                        tree
		left, right, missingLeft []int     // −1 at a leaf; 1 if missing cells go left
		conditions               []float32 // the value of a leaf; less goes left
		categories               []int
		targets                  string
	)
	if err := object(d, keys{"left_children": into(d, &left), "right_children": into(d, &right),
		"split_indices": into(d, &t.features), "split_conditions": into(d, &conditions),
		"default_left": into(d, &missingLeft), "loss_changes": into(d, &t.gains), "sum_hessian": into(d, &t.weights),
		"categories": into(d, &categories), "tree_param": inside(d, keys{"size_leaf_vector": into(d, &targets)}),
	}); err != nil {
		return t, err
	}
	lengths := []int{len(left), len(right), len(t.features), len(conditions), len(t.gains), len(t.weights),
		len(missingLeft)}
	n, most := slices.Min(lengths), slices.Max(lengths)
	if n == 0 || n != most {
		return t, fmt.Errorf("its lists are of %d to %d nodes; want the same, and one node at least", n, most)
	}
	if len(categories) > 0 || targets != "1" && targets != "0" {
		return t, fmt.Errorf("it has splits by categories, or leaves of %s numbers", targets)
	}
	child := func(c int) int {
		if c >= 0 && c < n && left[c] < 0 {
			return ^c
		}
		return max(c, 0)
	}
	t.root = child(0)
	for i, v := range conditions {
		t.values = append(t.values, float64(v))
		t.thresholds = append(t.thresholds, math.Nextafter32(v, float32(math.Inf(-1))))
		t.left, t.right = append(t.left, child(left[i])), append(t.right, child(right[i]))
		t.missingLeft = append(t.missingLeft, missingLeft[i] != 0)
	}
	return t, nil
}
