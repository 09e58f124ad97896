package nb

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
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

// forestCard returns the card of a forest. The table, with its columns, may be nil.
func forestCard(f *forest.Forest, table *datasets.Dataset) Card {
	what, size, _ := strings.Cut(f.String(), "\n")
	c := Card{Title: cmp.Or(plain.Name(f.Method), "A forest")}
	if f.Target != "" {
		c.Title += " for " + plain.Name(f.Target)
	}
	if report, err := auto.Read(f); err == nil {
		c.Parts = reportParts(report)
	} else {
		c.Parts = []cardPart{textPart("Whether it is better than guessing, nb.Score says with rows that it hasn't seen.")}
	}
	facts := factPart{{"forest", what}, {"size", size}}
	if f.Rows > 0 {
		facts.add("learned from", "%d rows of %d columns", f.Rows, len(f.Schema().Features))
	}
	if !f.Regression() {
		facts.add("probabilities", "%s", calibrationOf(f))
	}
	c.Parts = append(c.Parts, facts)
	directions := auto.Directions(f)
	if slices.ContainsFunc(directions, func(d auto.Direction) bool { return d.Features > 1 }) {
		c.Parts = append(c.Parts, directionBars(directions))
	}
	importance := largestBars("Importance of features, with their shares of what all splits gain", f.Features,
		f.Importance())
	return Card{c.Title, slices.Concat(c.Parts, []cardPart{importance}, whatIfParts(f, table), []cardPart{treeFold(f)})}
}

// calibrationOf says how far a forest's probabilities can be trusted.
func calibrationOf(f *forest.Forest) string {
	switch {
	case f.Rule == forest.Sum:
		return "those of boosting, which fits them"
	case f.Calibration.Power == 0:
		return "not calibrated (forest.Calibrate does that)"
	}
	return "calibrated on rows that trees haven't seen"
}

// reportParts returns what a report says, and its doubts as warnings.
func reportParts(r *auto.Report) []cardPart {
	said := *r
	said.Doubts = nil
	return []cardPart{textPart(said.String()), warningPart(r.Doubts)}
}

func directionBars(directions []auto.Direction) barPart {
	var words []string
	var shares []float64
	for _, d := range directions {
		words, shares = append(words, d.Words), append(shares, d.Share)
	}
	return largestBars("Directions of splits, with their shares of what all splits gain", words, shares)
}

// treeFold returns the first tree, whose questions unfold to what comes after each answer.
func treeFold(f *forest.Forest) foldPart {
	says := "Leaves have the training rows of each class, counted by their weights."
	switch {
	case f.Rule == forest.Sum:
		says = "Leaves have what they add to the prediction, of classes to their scores, and in brackets the weight of " +
			"their training rows."
	case f.Regression():
		says = "Leaves have the value that they predict and, in brackets, the weight of their training rows."
	}
	title := fmt.Sprintf("The first of %d trees", len(f.Trees))
	if len(f.Trees) == 1 {
		title = "The tree"
	}
	root := asked(f, &f.Trees[0], 0, 0, "")
	if strings.Contains(root.String(), "score of ") {
		says += " The score of a column is its place among the training rows, as the steps of the forest see it."
	}
	return foldPart{title, []cardPart{textPart(says), root}}
}

// asked returns a node of a tree and, to the depth treeDepth, those below it. answer leads to it.
func asked(f *forest.Forest, t *forest.Tree, node, depth int, answer string) cardPart {
	n := t.Nodes[node]
	switch {
	case n.IsLeaf():
		return textPart(answer + plain.Short(f.LeafString(t, node), wordsLength))
	case depth == treeDepth:
		return textPart(answer + "further questions")
	}
	return foldPart{answer + question(f, t, node), []cardPart{
		asked(f, t, node+1, depth+1, "Yes: "), asked(f, t, int(n.Next), depth+1, "No: ")}}
}

// question returns a split in words. It compares features of positive weight with features of negative weight. The
// largest weight, in the forest's own units, is 1.
func question(f *forest.Forest, t *forest.Tree, node int) string {
	fn := t.Splits.At(t.Nodes[node].Split)
	q := f.Question(t, node)
	missing := ""
	if q.Missing {
		missing = ", or missing"
	}
	short := func(name string) string { return plain.Short(name, nameLength) }
	threshold := q.Value(amount)
	switch q.Asks {
	case forest.IsKnown:
		return fmt.Sprintf("Is %s known?", short(q.Column))
	case forest.IsMissing:
		return fmt.Sprintf("Is %s missing?", short(q.Column))
	case forest.AtLeast:
		return fmt.Sprintf("Is %s at least %s%s?", short(q.Names[0]), threshold, missing)
	case forest.After:
		return fmt.Sprintf("Is %s after %s%s?", short(q.Names[0]), threshold, missing)
	case forest.NotIn:
		return fmt.Sprintf("Is %s other than %s%s?", short(q.Column), short(q.Categories[0]), missing)
	case forest.In:
		var names []string
		for _, name := range q.Categories {
			names = append(names, short(name))
		}
		return fmt.Sprintf("Is %s %s%s?", short(q.Column), either(names), missing)
	}
	var names []string
	for _, name := range q.Names {
		names = append(names, short(name))
	}
	if q.Weights == nil {
		return fmt.Sprintf("Is a quadratic function of %s at most %s?", few(names, ", "), threshold)
	}
	if len(q.Weights) == 1 && q.Weights[0] == 1 {
		return fmt.Sprintf("Is %s at most %s%s?", names[0], threshold, missing)
	}
	sizes := make([]float64, len(fn.Weights))
	for i, w := range fn.Weights {
		sizes[i] = math.Abs(float64(w))
	}
	order := ordered.Largest(sizes)
	if len(order) == 0 || sizes[order[0]] == 0 {
		return fmt.Sprintf("Is 0 at most %s?", threshold)
	}
	unit := math.Abs(q.Weights[order[0]])
	var sums [2][]string // of positive and of negative weights
	for _, i := range order {
		term := names[i]
		if size := plain.Number(math.Abs(q.Weights[i])/unit, 2); size != "1" {
			term = fmt.Sprintf("%s × %s", size, term)
		}
		switch w := q.Weights[i]; {
		case w > 0:
			sums[0] = append(sums[0], term)
		case w < 0:
			sums[1] = append(sums[1], term)
		}
	}
	more, less := few(sums[0], " plus "), few(sums[1], " plus ")
	switch at := q.Threshold / unit; {
	case less == "":
		return fmt.Sprintf("Is %s at most %s?", more, amount(at))
	case more == "":
		return fmt.Sprintf("Is %s at least %s?", less, amount(-at))
	case at > 0:
		less += " plus " + amount(at)
	case at < 0:
		less += " minus " + amount(-at)
	}
	return fmt.Sprintf("Is %s at most %s?", more, less)
}

// either joins the first of some names by commas and "or", and says how many more there are.
func either(names []string) string {
	const most = 3
	if more := len(names) - most; more > 0 {
		names = append(names[:most-1], fmt.Sprintf("%d more", more+1))
	}
	switch n := len(names); n {
	case 0:
		return "of none of the categories"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
}

// few joins the first of some terms, and says how many more there are.
func few(terms []string, by string) string {
	if more := len(terms) - mostTerms; more > 0 {
		terms = append(terms[:mostTerms], fmt.Sprintf("%d more", more))
	}
	return strings.Join(terms, by)
}

// amount formats a number with four significant digits, or all of a large one.
func amount(v float64) string { return plain.Number(v, 4) }
