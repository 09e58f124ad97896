// Command samebytes fits every learner to small tables and prints a line for each model: the learner, the table and a
// hash of the model's bytes and of what it predicts. The lines are the same on every platform; the test
// compares some.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
)

func main() {
	for _, l := range learners() {
		for _, t := range tables {
			if strings.Contains(l.without, t.name) {
				continue
			}
			hash, err := hashOf(l, t)
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s, %s: %v\n", l.name, t.name, err)
				os.Exit(1)
			}
			fmt.Printf("%s, %s: %s\n", l.name, t.name, hash)
		}
	}
}

type learner struct {
	name string
	forest.Learner
	without string // the tables that it refuses
	raw     bool   // takes categories and missing cells
}

func learners() []learner {
	entropy := forest.Growth{Criterion: forest.Entropy}
	by := func(d godt.Divider) godt.Splitting { return godt.Splitting{Divider: d} }
	steps := []datasets.Step{datasets.Impute{}, datasets.TargetEncoding{Seed: 1}, datasets.Standardise{}}
	return []learner{
		{"auto", auto.Learner{Trees: 30, Seed: 1}, "", true},
		{"steps", forest.Pipeline(sporf.Learner{Trees: 3, Seed: 1}, steps...), "", true},
		{"random forest", rf.Learner{Trees: 5, Seed: 1}, "", false},
		{"random forest by entropy", rf.Learner{Trees: 5, Growth: entropy, Seed: 1}, "values", false},
		{"CART", rf.CART{Growth: forest.Growth{MinLeaf: 3}, Seed: 1}, "", false},
		{"bagging", rf.Bagging{Trees: 3, Seed: 1}, "", false},
		{"extra trees", rf.ExtraTrees{Trees: 5, Seed: 1}, "", false},
		{"heterogeneous", rf.HRF{Trees: 5, Seed: 1}, "", false},
		{"SPORF", sporf.Learner{Trees: 5, Seed: 1}, "", false},
		{"FRC", sporf.FRC{Trees: 5, Seed: 1}, "", false},
		{"rotation", rotation.Learner{Trees: 3, Seed: 1}, "", false},
		{"random rotation", rotation.Random{Trees: 3, Seed: 1}, "", false},
		{"CCF", ccf.Learner{Trees: 5, Seed: 1}, "values", false},
		{"GRAF", graf.Learner{Trees: 3, Seed: 1}, "values, weights", false},
		{"mix", mix.Learner{Trees: 25, Seed: 1}, "", false},
		{"ridge", oblique.Learner{Trees: 5, Seed: 1}, "values", false},
		{"ridge, many features", oblique.Learner{Trees: 3, NodeFeatures: features, Candidates: 3, Seed: 1}, "values", false},
		{"LDA", oblique.Learner{Trees: 5, Node: oblique.LDA, Seed: 1}, "values", false},
		{"OC1", oc1.Tree{Seed: 1}, "values", false},
		{"OC1 forest", oc1.Learner{Trees: 2, Search: oc1.Search{Impurity: oc1.Entropy}, Seed: 1}, "values", false},
		{"TAO", tao.Learner{Trees: 2, Passes: 4, Seed: 1}, "", false},
		{"TAO, linear leaves", tao.Learner{Trees: 2, Passes: 4, LinearLeaves: true, Seed: 1}, "", false},
		{"GODT", godt.Tree{}, "", false},
		{"GODT, relative β", godt.Tree{Splitting: godt.Splitting{RelativeBeta: 0.01}}, "", false},
		{"GODT, full covariance", godt.Tree{Splitting: by(godt.SharedFull)}, "", false},
		{"GODT, K-means", godt.Tree{Splitting: by(godt.KMeans)}, "", false},
		{"GODT, random axis", godt.Tree{Splitting: by(godt.RandomAxis), Seed: 1}, "", false},
		{"GORF", godt.Learner{Trees: 3, Seed: 1}, "", false},
		{"GQDT", godt.Tree{Splitting: by(godt.SeparateFull)}, "values", false},
		{"GQDT, diagonal", godt.Tree{Splitting: by(godt.SeparateDiagonal)}, "values", false},
		{"GQRF", godt.Learner{Trees: 3, Splitting: by(godt.SeparateFull), TreeFeatures: features, Seed: 1}, "values", false},
	}
}

type table struct {
	name     string
	classes  int // 0 means values
	weighted bool
}

var tables = []table{{"two classes", 2, false}, {"many classes", 7, false}, {"values", 0, false}, {"weights", 3, true}}

// rows are those to learn from; as many again are predicted.
const rows, features = 200, 9

// draw returns a table. Its cells and values have as many digits as they can.
func (t table) draw(raw bool) (train, test *datasets.Dataset) {
	rng := forest.NewRand(1)
	d := &datasets.Dataset{Name: t.name, Target: "y"}
	for j := range features {
		column := make([]float32, 2*rows)
		for i := range column {
			v := rng.Normal()
			if j%3 == 2 {
				v = float64(float64(v*v)*v) * 1000 // heavy tails
			}
			column[i] = float32(v)
			if raw && j%4 == 1 && rng.Intn(10) == 0 {
				column[i] = float32(math.NaN())
			}
		}
		d.Columns, d.Features = append(d.Columns, column), append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j)})
	}
	score := make([]float64, 2*rows)
	for i := range score {
		for j := range 4 {
			if v := d.Columns[j][i]; v == v {
				score[i] += max(-2, min(2, float64(v)))
			}
		}
		score[i] += rng.Normal()
	}
	if raw {
		category := datasets.Feature{Name: "category"}
		for c := range 40 {
			category.Categories = append(category.Categories, fmt.Sprint("c", c))
		}
		column := make([]float32, 2*rows)
		for i := range column {
			column[i] = float32(rng.Intn(40))
			score[i] += float64(int(column[i]) % 3)
		}
		d.Columns, d.Features = append(d.Columns, column), append(d.Features, category)
	}
	for c := range t.classes {
		d.Classes = append(d.Classes, fmt.Sprint("class ", c))
	}
	for _, s := range score {
		if t.classes == 0 {
			d.Values = append(d.Values, s)
		} else {
			d.Labels = append(d.Labels, int32(min(max(int(s+float64(t.classes)/2), 0), t.classes-1)))
		}
		if t.weighted {
			d.Weights = append(d.Weights, float32(rng.Float64()))
		}
	}
	var half [2][]int32
	for i := range 2 * rows {
		half[i/rows] = append(half[i/rows], int32(i))
	}
	return d.Subset(half[0]), d.Subset(half[1])
}

func hashOf(l learner, t table) (string, error) {
	train, test := t.draw(l.raw)
	model, err := l.Fit(context.Background(), train)
	if err != nil {
		return "", err
	}
	b, err := model.MarshalBinary()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(b)
	if t.classes == 0 {
		binary.Write(h, binary.LittleEndian, must.Value(model.PredictValues(context.Background(), test)))
	} else {
		binary.Write(h, binary.LittleEndian, must.Value(model.Predict(context.Background(), test)))
		for _, p := range must.Value(model.Proba(context.Background(), test)) {
			binary.Write(h, binary.LittleEndian, p)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}
