package boosters

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// XGBoost reads a model that XGBoost saved as JSON, of version 1.6 and later. Of regression, ranking, Poisson, gamma,
// Tweedie, logistic and softmax objectives it returns a forest of the rule [forest.Sum]. Weights of leaves are sums of
// second derivatives.
//
// XGBoost returns an error if r fails, if the JSON is damaged, and for what a forest hasn't: splits by categories,
// trees with several targets, the boosters dart and gblinear, other objectives. Missing cells go to the side that
// XGBoost sends them to.
func XGBoost(r io.Reader) (*forest.Forest, error) {
	f, err := xgBoost(r)
	if err != nil {
		return nil, fmt.Errorf("boosters: a model of XGBoost: %w", err)
	}
	return f, nil
}

// An xgModel is what is read of the JSON.
type xgModel struct {
	Learner struct {
		Names   []string `json:"feature_names"`
		Booster struct {
			Name  string
			Model struct {
				Trees []xgTree
				Class []int `json:"tree_info"`
			}
		} `json:"gradient_booster"`
		Param struct {
			Base     string `json:"base_score"`
			Classes  int    `json:"num_class,string"`
			Features int    `json:"num_feature,string"`
		} `json:"learner_model_param"`
		Objective struct{ Name string }
	}
}

type xgTree struct {
	Left       []int     `json:"left_children"` // −1 at a leaf
	Right      []int     `json:"right_children"`
	Features   []int     `json:"split_indices"`
	Conditions []float32 `json:"split_conditions"` // the value of a leaf; less goes left
	Default    []int     `json:"default_left"`     // 1 if missing cells go left
	Gains      []float64 `json:"loss_changes"`
	Hessians   []float64 `json:"sum_hessian"`
	Categories []int
	Param      struct {
		Targets string `json:"size_leaf_vector"`
	} `json:"tree_param"`
}

// mostUnnamed is the largest number of features of a model that doesn't name them.
const mostUnnamed = 1 << 20

func xgBoost(r io.Reader) (*forest.Forest, error) {
	var x xgModel
	if err := json.NewDecoder(r).Decode(&x); err != nil {
		return nil, err
	}
	l := &x.Learner
	if l.Booster.Name != "gbtree" {
		return nil, fmt.Errorf("the booster %q; want gbtree", l.Booster.Name)
	}
	m := model{method: "xgboost", names: l.Names, classes: l.Param.Classes, scale: 1}
	if len(m.names) == 0 && l.Param.Features <= mostUnnamed {
		m.names = make([]string, max(0, l.Param.Features))
	}
	if len(m.names) != l.Param.Features {
		return nil, fmt.Errorf("%d names of %d features", len(m.names), l.Param.Features)
	}
	if err := m.xgBase(l.Objective.Name, l.Param.Base); err != nil {
		return nil, err
	}
	for i := range l.Booster.Model.Trees {
		t, err := l.Booster.Model.Trees[i].tree()
		if err == nil && m.link == softmax && m.classes > 0 && (i >= len(l.Booster.Model.Class) ||
			l.Booster.Model.Class[i] != i%m.classes) {
			err = fmt.Errorf("it isn't for class %d, whose turn it is", i%m.classes)
		}
		if err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
		m.trees = append(m.trees, t)
	}
	return m.forest()
}

// xgBase sets what becomes of the sums, and what is added to them: one number, or since version 3.1 a list.
func (m *model) xgBase(objective, base string) error {
	for _, word := range strings.Split(strings.Trim(base, "[]"), ",") {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return fmt.Errorf("base_score: %w", err)
		}
		m.base = append(m.base, v)
	}
	low, high := math.Inf(-1), math.Inf(1) // what the base is between
	score := func(v float64) float64 { return v }
	switch objective {
	case "reg:squarederror", "reg:squaredlogerror", "reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror",
		"rank:pairwise", "rank:ndcg", "rank:map":
	case "count:poisson", "reg:gamma", "reg:tweedie":
		m.link, low, score = exponential, 0, portable.Log
	case "binary:logistic":
		m.link, low, high = logistic, 0, 1
		score = func(v float64) float64 { return portable.Log(v / (1 - v)) }
	case "multi:softmax", "multi:softprob":
		m.link = softmax
	default:
		return fmt.Errorf("the objective %q; want one of values, counts, binary:logistic or multi:softprob", objective)
	}
	for i, v := range m.base {
		if !(v > low && v < high) {
			return fmt.Errorf("base_score %v for the objective %s", v, objective)
		}
		m.base[i] = score(v)
	}
	return nil
}

// tree returns the tree, whose inner nodes and leaves both have the numbers of x's nodes.
func (x *xgTree) tree() (tree, error) {
	n := len(x.Left)
	if n == 0 || len(x.Right) != n || len(x.Features) != n || len(x.Conditions) != n || len(x.Gains) != n ||
		len(x.Hessians) != n || len(x.Default) != n {
		return tree{}, fmt.Errorf("its lists are of %d to %d nodes; want the same, and one node at least", n,
			max(len(x.Right), len(x.Features), len(x.Conditions), len(x.Gains), len(x.Hessians), len(x.Default)))
	}
	if len(x.Categories) > 0 || x.Param.Targets != "1" && x.Param.Targets != "0" {
		return tree{}, fmt.Errorf("it has splits by categories, or leaves of %s numbers", x.Param.Targets)
	}
	child := func(c int) int {
		if c >= 0 && c < n && x.Left[c] < 0 {
			return ^c
		}
		return max(c, 0)
	}
	t := tree{root: child(0), features: x.Features, gains: x.Gains, weights: x.Hessians}
	for i, v := range x.Conditions {
		t.values = append(t.values, float64(v))
		t.thresholds = append(t.thresholds, math.Nextafter32(v, float32(math.Inf(-1))))
		t.left, t.right = append(t.left, child(x.Left[i])), append(t.right, child(x.Right[i]))
		t.missingLeft = append(t.missingLeft, x.Default[i] != 0)
	}
	return t, nil
}
