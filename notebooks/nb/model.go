package nb

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

const (
	wordsLength = 120 // characters of a direction and of a leaf, at most
	treeDepth   = 4   // of the tree that unfolds
	mostTerms   = 4   // of a question, on either side
)

// forestCard returns the card of a forest.
func forestCard(f *forest.Forest) Card {
	what, size, _ := strings.Cut(f.String(), "\n")
	c := Card{Title: cmp.Or(f.Method, "A forest")}
	if f.Target != "" {
		c.Title += " for " + f.Target
	}
	if report, err := auto.Read(f); err == nil {
		c.Parts = reportParts(report)
	}
	facts := Facts{{"forest", what}, {"size", size}}
	if f.Rows > 0 {
		facts.add("learned from", "%d rows of %d columns", f.Rows, len(f.Schema().Features))
	}
	if !f.Regression() {
		facts.add("probabilities", "%s", calibrationOf(f))
	}
	c.Parts = append(c.Parts, facts)
	directions := auto.Directions(f)
	if slices.ContainsFunc(directions, func(d auto.Direction) bool { return !slices.Contains(f.Features, d.Words) }) {
		c.Parts = append(c.Parts, directionBars(directions))
	}
	importance := largestBars("Importance of features, with their shares of what all splits gain", f.Features,
		f.Importance())
	return Card{c.Title, append(c.Parts, importance, treeFold(f))}
}

// calibrationOf says how far a forest's probabilities can be trusted.
func calibrationOf(f *forest.Forest) string {
	switch {
	case f.Rule == forest.Sum:
		return "boosted by their log-loss"
	case f.Calibration.Power == 0:
		return "not calibrated (forest.Calibrate does that)"
	}
	return fmt.Sprintf("calibrated (power %.3g: above 1 moves those of the trees apart)", f.Calibration.Power)
}

// reportParts returns what a report says, and its doubts as warnings.
func reportParts(r *auto.Report) []Part {
	said := *r
	said.Doubts = nil
	return []Part{Text(said.String()), Warnings(r.Doubts)}
}

func directionBars(directions []auto.Direction) Bars {
	var words []string
	var shares []float64
	for _, d := range directions {
		words, shares = append(words, d.Words), append(shares, d.Share)
	}
	return largestBars("Directions of splits, with their shares of what all splits gain", words, shares)
}

// treeFold returns the first tree, whose questions unfold to what comes after each answer.
func treeFold(f *forest.Forest) Fold {
	return Fold{fmt.Sprintf("The first of %d trees", len(f.Trees)), []Part{
		Text("It asks about columns as the forest's steps prepare them, if it has any. Leaves have the training rows of " +
			"each class or, in brackets after a value, of all."),
		asked(f, &f.Trees[0], 0, 0, "")}}
}

// asked returns a node of a tree and, to the depth treeDepth, those below it. answer leads to it.
func asked(f *forest.Forest, t *forest.Tree, node, depth int, answer string) Part {
	n := t.Nodes[node]
	switch {
	case n.IsLeaf():
		return Text(answer + plain.Short(f.LeafString(t, node), wordsLength))
	case depth == treeDepth:
		return Text(answer + "further questions")
	}
	return Fold{answer + question(f, t, node), []Part{
		asked(f, t, node+1, depth+1, "Yes: "), asked(f, t, int(n.Next), depth+1, "No: ")}}
}

// question returns what a split asks, in words: what has a positive weight is compared with what has a negative one.
// The largest weight is 1.
func question(f *forest.Forest, t *forest.Tree, node int) string {
	n := t.Nodes[node]
	fn := t.Splits.At(n.Split)
	sizes := make([]float64, len(fn.Weights))
	for i, w := range fn.Weights {
		sizes[i] = math.Abs(float64(w))
	}
	name := func(j int32) string { return plain.Short(f.Features[j], nameLength) }
	if !fn.Kind.Linear() {
		var names []string
		for _, j := range fn.Features {
			names = append(names, name(j))
		}
		return fmt.Sprintf("Is a quadratic function of %s at most %s?", few(names, ", "), amount(float64(n.Value)))
	}
	largest := slices.Max(sizes)
	var sums [2][]string // of positive and of negative weights
	for _, i := range ordered.Largest(sizes) {
		term := name(fn.Features[i])
		if size := sizes[i] / largest; size < 1 {
			term = fmt.Sprintf("%.2g × %s", size, term)
		}
		switch w := fn.Weights[i]; {
		case w > 0:
			sums[0] = append(sums[0], term)
		case w < 0:
			sums[1] = append(sums[1], term)
		}
	}
	more, less := few(sums[0], " plus "), few(sums[1], " plus ")
	threshold := float64(n.Value) / largest
	missing := ""
	if fn.MissingLeft {
		missing = ", or missing"
	}
	switch {
	case fn.Kind == forest.Axis && n.Value == math.MaxFloat32:
		return fmt.Sprintf("Is %s known?", more)
	case less == "":
		return fmt.Sprintf("Is %s at most %s%s?", more, amount(threshold), missing)
	case more == "":
		return fmt.Sprintf("Is %s at least %s?", less, amount(-threshold))
	case threshold > 0:
		less += " plus " + amount(threshold)
	case threshold < 0:
		less += " minus " + amount(-threshold)
	}
	return fmt.Sprintf("Is %s at most %s?", more, less)
}

// few joins the first of some terms, and says how many more there are.
func few(terms []string, by string) string {
	if more := len(terms) - mostTerms; more > 0 {
		terms = append(terms[:mostTerms], fmt.Sprintf("%d more", more))
	}
	return strings.Join(terms, by)
}

// amount formats a number with a minus sign that is read as one.
func amount(v float64) string { return strings.Replace(fmt.Sprintf("%.4g", v), "-", "−", 1) }
