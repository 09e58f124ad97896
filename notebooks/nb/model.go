package nb

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

const (
	barsOfModel = 10  // directions, and features by importance
	wordsLength = 120 // of a direction
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
		facts = append(facts, [2]string{"learned from", fmt.Sprintf("%d rows of %d columns", f.Rows,
			len(f.Schema().Features))})
	}
	if !f.Regression() {
		facts = append(facts, [2]string{"probabilities", calibrationOf(f)})
	}
	c.Parts = append(c.Parts, facts)
	directions := auto.Directions(f)
	if slices.ContainsFunc(directions, func(d auto.Direction) bool { return !slices.Contains(f.Features, d.Words) }) {
		c.Parts = append(c.Parts, directionBars(directions))
	}
	return Card{c.Title, append(c.Parts, importanceBars(f), treeFold(f))}
}

// calibrationOf says how far a forest's probabilities can be trusted.
func calibrationOf(f *forest.Forest) string {
	switch power := f.Calibration.Power; {
	case f.Rule == forest.Sum:
		return "boosted by their log-loss"
	case power == 0:
		return "not calibrated (forest.Calibrate does that)"
	case power > 1:
		return fmt.Sprintf("calibrated: those of the trees are moved apart (power %.3g)", power)
	default:
		return fmt.Sprintf("calibrated: those of the trees are moved together (power %.3g)", power)
	}
}

// reportParts returns what a report says, and its doubts as warnings.
func reportParts(r *auto.Report) []Part {
	said := *r
	said.Doubts = nil
	return []Part{Text(said.String()), Warnings(r.Doubts)}
}

func directionBars(directions []auto.Direction) Bars {
	bars := Bars{Title: "Directions of splits, with their shares of what all splits gain", Format: "%.1f %%"}
	for _, d := range directions[:min(barsOfModel, len(directions))] {
		bars.Names = append(bars.Names, plain.Short(d.Words, wordsLength))
		bars.Values = append(bars.Values, 100*d.Share)
	}
	return bars
}

func importanceBars(f *forest.Forest) Bars {
	importance := f.Importance()
	order := make([]int, f.P())
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(importance[b], importance[a]) })
	bars := Bars{Title: "Importance of features, with their shares of what all splits gain", Format: "%.1f %%"}
	for _, j := range order[:min(barsOfModel, len(order))] {
		bars.Names = append(bars.Names, plain.Short(f.Features[j], nameLength))
		bars.Values = append(bars.Values, 100*importance[j])
	}
	return bars
}

// treeFold returns the first tree, whose questions unfold to what comes after each answer.
func treeFold(f *forest.Forest) Fold {
	t := &f.Trees[0]
	about := "Leaves have the training rows of each class."
	if t.Classes == 0 {
		about = "Leaves have what they add to the prediction or, of a forest of means, predict, and their training rows."
	}
	if f.Steps != nil {
		about += " Questions are about columns as the forest's steps prepare them."
	}
	return Fold{fmt.Sprintf("The first of %d trees", len(f.Trees)), []Part{Text(about), asked(f, t, 0, 0, "")}}
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
	largest, order := 0.0, make([]int, len(fn.Weights))
	for i, w := range fn.Weights {
		largest, order[i] = max(largest, math.Abs(float64(w))), i
	}
	name := func(j int32) string { return plain.Short(f.Features[j], nameLength) }
	if !fn.Kind.Linear() || largest == 0 {
		var names []string
		for _, j := range fn.Features {
			names = append(names, name(j))
		}
		return fmt.Sprintf("Is a quadratic function of %s at most %s?", few(names, ", "), amount(float64(n.Value)))
	}
	weight := func(i int) float64 { return float64(fn.Weights[i]) / largest }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(weight(b)), math.Abs(weight(a))) })
	var sums [2][]string // of positive and of negative weights
	for _, i := range order {
		side, size := 0, math.Abs(weight(i))
		if weight(i) < 0 {
			side = 1
		}
		term := name(fn.Features[i])
		switch {
		case size == 0:
			continue
		case size < 1:
			term = fmt.Sprintf("%.2g × %s", size, term)
		}
		sums[side] = append(sums[side], term)
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
		return fmt.Sprintf("Is %s at most %s plus %.4g?", more, less, threshold)
	case threshold < 0:
		return fmt.Sprintf("Is %s at most %s minus %.4g?", more, less, -threshold)
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
