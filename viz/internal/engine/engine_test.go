package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/sim"
)

var ctx = context.Background()

func trained(t interface{ Fatal(...any) }, name string, fields map[string]float64, d *datasets.Dataset) (
	*Model, *Result) {
	m, r, err := Training{Points: Points{Target: "y", Features: d.FeatureNames(), Classes: d.Classes, Columns: d.Columns,
		Labels: d.Labels},
		Method: name, Fields: fields}.Train(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// TestSameModel: the playground's model is that of the library.
func TestSameModel(t *testing.T) {
	d := sim.XOR{}.Sample(100, 3)
	m, r := trained(t, "sporf.FRC", map[string]float64{"Trees": 5}, d)
	if want := string(model(t, "sporf.FRC", map[string]float64{"Trees": 5}, d)); r.Bytes != len(want) {
		t.Errorf("%d bytes; want %d", r.Bytes, len(want))
	}
	oob, err := m.Forest.OutOfBag(ctx, d)
	if err != nil || r.OutOfBag != oob.Error() {
		t.Errorf("out-of-bag error %v; want %v, %v", r.OutOfBag, oob.Error(), err)
	}
	wrong := 0
	for i, k := range must.Value(m.Forest.Predict(ctx, d)) {
		if k != d.Labels[i] {
			wrong++
		}
	}
	if want := float64(wrong) / 100; r.Train != want || r.Test != unknown {
		t.Errorf("errors %v, %v; want %v and none", r.Train, r.Test, want)
	}
}

// TestMissingClasses: classes without points are left out, and others keep their numbers.
func TestMissingClasses(t *testing.T) {
	p := Points{Features: []string{"a", "b"}, Classes: []string{"u", "v", "w", "x"},
		Columns: [][]float32{{-1, -2, 1, 2}, {0, 1, 2, 3}}, Labels: []int32{3, 3, 1, 1}}
	m, r, err := Training{Points: p, Method: "rf.CART"}.Train(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(m.Forest.Classes) != "[v x]" || r.Train != 0 {
		t.Errorf("classes %v, error %v; want v and x, and none", m.Forest.Classes, r.Train)
	}
	class, margin, err := m.Regions(ctx, Plane{View: [4]float64{-2, 2, 0, 4}, Cells: 2, To: 2})
	if err != nil || fmt.Sprint(class) != "[3 1 3 1]" || fmt.Sprint(margin) != "[255 255 255 255]" {
		t.Errorf("regions %v, margins %v, %v", class, margin, err)
	}
	p.Labels = []int32{2, 2, 2, 2}
	_, _, err = Training{Points: p, Method: "rf.CART"}.Train(ctx)
	readtest.WantError(t, err, "two classes")
	p.Labels[0] = 4
	_, _, err = Training{Points: p, Method: "rf.CART"}.Train(ctx)
	readtest.WantError(t, err, "class 4 of 4")
}

// TestRegions: cells run from the upper left, and their class and margin are those of a
// prediction at their centre.
func TestRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sim.SparseParity{Features: 3, Informative: 2}.Sample(60, rapid.Uint64().Draw(t, "seed"))
		m, _ := trained(t, "rf.Learner", map[string]float64{"Trees": 5}, d)
		plane := Plane{View: [4]float64{-1, 2, -3, 1}, Cells: 6, From: 2, To: 5, Slice: 0.25}
		class, margin, err := m.Regions(ctx, plane)
		if err != nil || len(class) != 18 || len(margin) != 18 {
			t.Fatalf("%d classes, %d margins, %v", len(class), len(margin), err)
		}
		for i := range class {
			x := []float32{float32(-1 + 3*(float64(i%6)+0.5)/6), float32(1 - 4*(float64(2+i/6)+0.5)/6), 0.25}
			p := must.Value(m.Forest.Predictor().Proba(nil, x))
			k, _ := m.Forest.Predictor().Label(x)
			if want := math.Round(255 * max(0, p[k]-p[1-k])); int32(class[i]) != k || float64(margin[i]) != want {
				t.Fatalf("cell %d: class %d, margin %d; want %d, %v", i, class[i], margin[i], k, want)
			}
		}
	})
}

// TestGrowth: a cell goes left at a split where its line says so, the leaves and their
// classes are those of the tree, and every split has a step.
func TestGrowth(t *testing.T) {
	for _, name := range []string{"rf.CART", "sporf.FRC", "graf.Learner", "rotation.Random"} {
		d := sim.Circles{}.Sample(80, 5)
		fields := map[string]float64{}
		if name != "rf.CART" {
			fields["Trees"] = 3
		}
		m, _ := trained(t, name, fields, d)
		plane := Plane{View: [4]float64{-1, 1, -1, 1}, Cells: 20, To: 20}
		last := len(m.Forest.Trees) - 1
		g := must.Value(m.Growth(ctx, last, plane))
		nodes := m.Forest.Trees[last].Nodes
		if len(g.Parent) != len(nodes) || g.Parent[0] != -1 {
			t.Fatalf("%s: %d nodes, root below %d", name, len(g.Parent), g.Parent[0])
		}
		for i, leaf := range g.Leaves {
			x := -1 + 2*(float64(i%20)+0.5)/20
			y := 1 - 2*(float64(i/20)+0.5)/20
			if !nodes[leaf].IsLeaf() {
				t.Fatalf("%s: cell %d in node %d, which isn't a leaf", name, i, leaf)
			}
			for child := leaf; g.Parent[child] >= 0; child = g.Parent[child] {
				parent := g.Parent[child]
				step := g.SplitAt[parent]
				abc := g.Lines[3*(step-1) : 3*step]
				side := abc[0]*x + abc[1]*y - abc[2]
				if left := child == parent+1; math.Abs(side) > 1e-5 && left != (side < 0) {
					t.Fatalf("%s: cell %d is %v from the line of step %d; left %v", name, i, side, step, left)
				}
			}
		}
		for i, n := range nodes {
			if n.IsLeaf() != (g.SplitAt[i] == 0) {
				t.Errorf("%s: node %d is split in step %d", name, i, g.SplitAt[i])
			}
			if n.IsLeaf() && g.Share[i] != 255 {
				t.Errorf("%s: leaf %d has a share of %d; all are pure", name, i, g.Share[i])
			}
		}
	}
}

// TestSliceLine: other features add their part to the line.
func TestSliceLine(t *testing.T) {
	fn := forest.Linear([]int32{0, 1, 3}, []float32{2, -1, 4})
	if got := fmt.Sprint(line(fn, 1, 0.5)); got != "[2 -1 -1]" { // 2x − y + 4·½ = 1
		t.Errorf("line %s", got)
	}
	if got := fmt.Sprint(line(forest.Function{Kind: forest.Dense, Weights: []float32{1, 3}}, 2, 0.5)); got != "[1 3 2]" {
		t.Errorf("dense line %s", got)
	}
	if got := line(forest.Function{Kind: forest.Quadratic}, 0, 0); !math.IsNaN(got[0]) {
		t.Errorf("line of a quadratic function: %v", got)
	}
}

// TestRose: directions by hand.
func TestRose(t *testing.T) {
	rose := func(view [4]float64, weights ...float32) string {
		tree := forest.Tree{Classes: 2}
		features := []int32{0, 1}[:len(weights)]
		split := tree.Splits.Add(forest.Linear(features, weights))
		tree.Nodes = []forest.Node{{Split: split, Next: 2, Weight: 1}, forest.ClassLeaf(0, 1), forest.ClassLeaf(1, 1)}
		m := Model{Forest: &forest.Forest{Features: []string{"x", "y"}, Classes: []string{"0", "1"},
			Trees: []forest.Tree{tree}}}
		shares, curved := m.Rose(view)
		var text []string
		for k, s := range shares {
			if s != 0 {
				text = append(text, fmt.Sprintf("%d°: %g", 5*k, s))
			}
		}
		return fmt.Sprint(strings.Join(text, ", "), " ", curved)
	}
	square := [4]float64{-1, 1, -1, 1}
	for _, test := range []struct {
		view    [4]float64
		weights []float32
		want    string
	}{
		{square, []float32{1, -1}, "45°: 1 0"},                      // x = y
		{square, []float32{1, 1}, "135°: 1 0"},                      // x = −y
		{square, []float32{1, 0}, "90°: 1 0"},                       // x = 0
		{square, []float32{0, 1}, "0°: 1 0"},                        // y = 0
		{square, []float32{1, -2}, "25°: 1 0"},                      // y = x/2 rises by 26.6°
		{[4]float64{0, 2, 0, 1}, []float32{1, -1}, "65°: 1 0"},      // on the screen it rises by 63.4°
		{[4]float64{0, 1, 5, 7}, []float32{-1000, 1}, "90°: 1 0"},   // nearly upright
		{[4]float64{0, 1, 5, 7}, []float32{0.001, 1000}, "0°: 1 0"}, // nearly level, falling
	} {
		if got := rose(test.view, test.weights...); got != test.want {
			t.Errorf("%v %v: %s; want %s", test.view, test.weights, got, test.want)
		}
	}
	m, r := trained(t, "godt.Tree", map[string]float64{"Divider": 2}, sim.Ringnorm{Features: 2}.Sample(80, 1))
	if _, curved := m.Rose(square); r.Splits > 0 && math.Abs(curved-1) > 1e-9 {
		t.Errorf("a quadratic tree has %v of its decrease by curves", curved)
	}
}

// TestNoise: the share of labels that change, and the least possible error by simulation.
func TestNoise(t *testing.T) {
	for _, problem := range []string{"sim.XOR", "sim.GaussianClasses"} {
		const n, noise = 100_000, 0.2
		clean, _, _, err := Sample{Problem: problem, Rows: n, Seed: 4}.Draw()
		if err != nil {
			t.Fatal(err)
		}
		noisy, _, bayes, err := Sample{Problem: problem, Rows: n, Seed: 4, Noise: noise}.Draw()
		if err != nil {
			t.Fatal(err)
		}
		rule := map[string]interface{ Bayes() sim.Rule }{"sim.XOR": sim.XOR{},
			"sim.GaussianClasses": sim.GaussianClasses{}}[problem]
		changed, wrong := 0, 0
		for i, label := range noisy.Labels {
			if !reflect.DeepEqual(clean.Row(nil, i), noisy.Row(nil, i)) {
				t.Fatalf("%s: row %d differs", problem, i)
			}
			if label != clean.Labels[i] {
				changed++
			}
			if label != rule.Bayes().Class(noisy.Row(nil, i)) {
				wrong++
			}
		}
		sd := math.Sqrt(noise * (1 - noise) / n)
		if got := float64(changed) / n; math.Abs(got-noise) > 5*sd {
			t.Errorf("%s: %v of the labels changed; want %v", problem, got, noise)
		}
		if got := float64(wrong) / n; math.Abs(got-bayes) > 5*sd {
			t.Errorf("%s: the Bayes rule errs in %v; want %v", problem, got, bayes)
		}
	}
	for _, s := range []Sample{{Problem: "sim.XOR"}, {Problem: "sim.XOR", Rows: 10, Noise: -0.1},
		{Problem: "rf.CART", Rows: 10},
		{Problem: "sim.XOR", Rows: 10, Fields: map[string]float64{"Cells": 1}}} {
		if _, _, _, err := s.Draw(); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
}

// TestView: all points are inside, and the picture is a square of round numbers.
func TestView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		column := rapid.SliceOfN(rapid.Float32Range(-1e6, 1e6), 3, 20)
		x := column.Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float32Range(-1e-3, 1e3), len(x), len(x)).Draw(t, "y")
		v := View(&datasets.Dataset{Columns: [][]float32{x, y}})
		for i := range x {
			if float64(x[i]) <= v[0] || float64(x[i]) >= v[1] || float64(y[i]) <= v[2] || float64(y[i]) >= v[3] {
				t.Fatalf("point (%v, %v) isn't inside %v", x[i], y[i], v)
			}
		}
		if w, h := v[1]-v[0], v[3]-v[2]; math.Abs(w-h) > 1e-9*w {
			t.Fatalf("%v wide, %v high", w, h)
		}
	})
}

// TestSession: points as arrays and as JSON give the same model; what can't be done is said.
func TestSession(t *testing.T) {
	var s Session
	body := `{"do": "train", "method": "rf.CART", "fields": {"MaxDepth": 2}, "target": "y", ` +
		`"features": ["a", "b"], "classes": ["0", "1"], "view": [0, 4, 0, 4]%s}`
	columns := [][]float32{{1, 2, 3, 3.5}, {0.5, 1, 2, 0.1}}
	var arrays [][]byte
	for _, c := range columns {
		b, _ := binary.Append(nil, binary.LittleEndian, c)
		arrays = append(arrays, b)
	}
	arrays = append(arrays, []byte{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0})
	hash := func(request string, arrays [][]byte) string {
		answer, _, err := s.Answer(ctx, []byte(request), arrays)
		if err != nil {
			t.Fatal(err)
		}
		var r Result
		must.Do(json.Unmarshal(answer, &r))
		return r.SHA256
	}
	first := hash(fmt.Sprintf(body, ""), arrays)
	second := hash(fmt.Sprintf(body, `, "columns": [[1, 2, 3, 3.5], [0.5, 1, 2, 0.1]], "labels": [0, 1, 0, 1]`), nil)
	if first != second || len(first) != 64 {
		t.Errorf("models %s and %s", first, second)
	}
	_, results, err := s.Answer(ctx, []byte(`{"do": "model"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	must.Do(new(forest.Forest).UnmarshalBinary(results[0]))
	for _, test := range []struct{ request, want string }{
		{`{"do": "dance"}`, `can't do "dance"`},
		{`{"do": `, "unexpected end"},
		{fmt.Sprintf(body, ""), "0 arrays for 2 features"},
		{`{"do": "regions"}`, "regions of no model"}, // the training before has failed
	} {
		_, _, err := s.Answer(ctx, []byte(test.request), nil)
		readtest.WantError(t, err, test.want)
	}
}

func BenchmarkRegions(b *testing.B) {
	m, _ := trained(b, "sporf.FRC", map[string]float64{"Trees": 50}, sim.Circles{}.Sample(500, 1))
	for b.Loop() {
		if _, _, err := m.Regions(ctx, Plane{View: [4]float64{-1, 1, -1, 1}, Cells: 224, To: 28}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGrowth(b *testing.B) {
	m, _ := trained(b, "graf.Learner", map[string]float64{"Trees": 1}, sim.Circles{}.Sample(500, 1))
	for b.Loop() {
		must.Value(m.Growth(ctx, 0, Plane{View: [4]float64{-1, 1, -1, 1}, Cells: 224, To: 224}))
	}
}
