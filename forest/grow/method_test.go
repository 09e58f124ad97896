package grow_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/grow"
	"github.com/obliqua-ml/obliqua/sim"
)

// Bisectors grows trees whose nodes draw two of their classes and divide the space
// half-way between the means of their rows.
type Bisectors struct {
	Trees int // 0 means 100
	Seed  uint64
}

// Fit grows the forest; see [forest.Learner]. It returns an error for data with values.
func (l Bisectors) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	if train.Values != nil {
		return nil, fmt.Errorf("bisectors: the data have values; want labels")
	}
	if l.Trees == 0 {
		l.Trees = 100
	}
	return grow.Forest(ctx, train, grow.Params{
		Method: "bisectors",
		Trees:  l.Trees,
		Seed:   l.Seed,
	}, func() grow.Source { return &bisector{weights: make([]float32, train.P())} })
}

// A bisector is a source of candidates, one for each draw.
type bisector struct {
	weights   []float32
	cells     []float32
	candidate grow.Candidate
	drawn     bool // whether the candidate is still to be returned by Next
}

// Draw draws two classes and makes the candidate. If it doesn't split the node, up to
// three more are drawn before the engine tries every single feature.
func (b *bisector) Draw(node *grow.Node, attempt int) bool {
	if attempt > 3 {
		return false
	}
	left := node.Label(node.Rand().Intn(node.Len()))
	right := left
	for right == left { // a node that isn't pure has two classes or more
		right = node.Label(node.Rand().Intn(node.Len()))
	}
	b.cells = append(b.cells[:0], make([]float32, node.Len())...)
	var threshold float64
	for j := range b.weights {
		node.Column(b.cells, int32(j))
		var sum [2]float64
		for i, v := range b.cells {
			switch node.Label(i) {
			case left:
				sum[0] += node.Weight(i) * float64(v)
			case right:
				sum[1] += node.Weight(i) * float64(v)
			}
		}
		a, c := sum[0]/node.ClassWeight(left), sum[1]/node.ClassWeight(right)
		b.weights[j] = float32(c - a)
		threshold += float64(b.weights[j]) * (a + c) / 2
	}
	b.candidate = grow.Candidate{
		Function:  forest.Function{Kind: forest.Dense, Weights: b.weights},
		Cut:       grow.Given,
		Threshold: float32(threshold),
	}
	b.drawn = true
	return true
}

// Next returns the candidate of the draw, once.
func (b *bisector) Next() *grow.Candidate {
	if !b.drawn {
		return nil
	}
	b.drawn = false
	return &b.candidate
}

// The method's forest has the file format, prediction, out-of-bag error, importance and
// everything else that forests have.
func Example() {
	problem := sim.Trunk{Features: 10}
	model, err := Bisectors{Seed: 1}.Fit(context.Background(), problem.Sample(1000, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	test := problem.Sample(10000, 2)
	labels, err := model.Predict(context.Background(), test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("error %.2f, %d trees\n", eval.Error(labels, test.Labels), len(model.Trees))
	// Output: error 0.05, 100 trees
}
