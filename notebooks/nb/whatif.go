package nb

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// Limits of a panel.
const (
	mostWords     = 125_000 // of the trees, which are 0.7 MB in base64, less what gzip saves
	mostCells     = 24      // that can be changed
	mostRangeRows = 10_000  // that ranges are found in
	mostQuestions = 500     // of the first tree, in words
)

// noNumber stands for NaN, which JSON hasn't, among numbers of float32.
const noNumber = 1e300

//go:embed whatif.js
var whatIfScript string

// A whatIf is a part of a card in which the cells of a row can be changed, and the prediction follows. The forest runs
// in the page.
type whatIf struct{ title, packed string }

// HTML returns the part as a fragment of a page. What scripts read is base64, so no name can end them.
func (w whatIf) HTML() string {
	return fmt.Sprintf("<details class=\"what-if\"><summary>%s</summary>\n"+
		"<p>This needs scripts, which don't run here.</p>\n<script type=\"text/plain\">%s</script>\n"+
		"</details>\n<script>{\n%s}</script>\n",
		escaped(w.title), w.packed, whatIfScript)
}

// String returns nothing: a text doesn't change.
func (w whatIf) String() string { return "" }

// placesOf returns where the columns of a forest are in a table, or nil if one isn't there.
func placesOf(f *forest.Forest, d *datasets.Dataset) []int {
	var at []int
	for _, c := range f.Schema().Features {
		j := slices.IndexFunc(d.Features, func(g datasets.Feature) bool {
			return g.Name == c.Name && (g.Categories == nil) == (c.Categories == nil)
		})
		if j < 0 || d.N() == 0 {
			return nil
		}
		at = append(at, j)
	}
	return at
}

// A packedForest is what a page needs of a forest.
type packedForest struct {
	Target       string
	Classes      []string
	Columns      []packedColumn
	Made         []datasets.Column // by the steps, with noNumber for NaN; nil without steps
	Fills        []float32
	Base         []float64
	Sum, Log     bool
	Power, Floor float64        // of the calibration
	Roots        []int          // where the words of each tree begin
	Questions    map[int]string // of the first tree, by where a split's words begin

	// Words are those of the nodes in preorder, of 32 bits in little-endian order:
	//
	//	0, the first output, how many there are, what is added to each (float32)
	//	1 or 2, where the right child is, threshold (float32), feature; 2 if a missing cell goes left
	//	3 or 4, where the right child is, how many words the set has, feature, these words; 4 as 2
	//	5 + terms, where the right child is, threshold, a feature and its weight (float32) for each term
	Words []byte
}

// A packedColumn is a column of the rows that the forest predicts. Low, High, By and Start are numbers as the column
// has them, not cells. Low and High are the same if the range isn't known.
type packedColumn struct {
	Name           string
	Categories     []string
	Shown, Missing bool // it can be changed, and it can be missing
	Date           bool
	Unit           string
	Low, High, By  float64
	Start          float64 // a number of Categories, if there are some
	Offset, Step   float64 // of a datasets.Scale
}

// whatIfParts returns the panel of a forest, or none if a page can't run it, because of quadratic splits, linear
// leaves, steps of other packages or a first tree that is too large. The table may be nil.
func whatIfParts(f *forest.Forest, table *datasets.Dataset) []cardPart {
	p := packedForest{Target: plain.Text(f.Target), Fills: f.Fills, Base: f.Base, Sum: f.Rule == forest.Sum,
		Log: f.LogLink, Power: f.Calibration.Power, Floor: f.Calibration.Floor}
	for _, name := range f.Classes {
		p.Classes = append(p.Classes, plain.Text(name))
	}
	if !p.addSteps(f) || !p.addTrees(f) {
		return nil
	}
	p.addColumns(f, table)
	text, err := json.Marshal(p)
	if err != nil {
		return nil // a number that isn't finite, which no forest has that a learner grew
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	w.Close()
	title := "What if: change the cells of a row"
	if k := len(p.Roots); k < len(f.Trees) {
		title += fmt.Sprintf(" (by the first %d of %d trees)", k, len(f.Trees))
	}
	return []cardPart{whatIf{title, base64.StdEncoding.EncodeToString(b.Bytes())}}
}

// addSteps adds what the forest's steps make.
func (p *packedForest) addSteps(f *forest.Forest) bool {
	if f.Steps == nil {
		return true
	}
	_, columns, err := datasets.Columns(f.Steps)
	for _, c := range columns {
		made := datasets.Column{From: c.From, Ops: []datasets.Op{}}
		for _, o := range c.Ops {
			o.Numbers = slices.Clone(o.Numbers)
			for k, v := range o.Numbers {
				if v != v {
					o.Numbers[k] = noNumber
				}
			}
			made.Ops = append(made.Ops, o)
		}
		p.Made = append(p.Made, made)
	}
	return err == nil
}

// addTrees adds whole rounds of trees while there is room.
func (p *packedForest) addTrees(f *forest.Forest) bool {
	var words []uint32
	round := f.RoundTrees()
	for i := range f.Trees {
		t := &f.Trees[i]
		if t.HasLinearLeaves() {
			return false
		}
		root := len(words)
		var places []int // of the nodes
		var ok bool
		if words, places, ok = packed(words, f, i); !ok {
			return false
		}
		if i == 0 && len(t.Nodes) <= mostQuestions {
			p.Questions = make(map[int]string)
			for node, n := range t.Nodes {
				if !n.IsLeaf() {
					p.Questions[places[node]] = question(f, t, node)
				}
			}
		}
		if len(words) > mostWords {
			words, p.Roots = words[:root], p.Roots[:len(p.Roots)/round*round]
			break
		}
		p.Roots = append(p.Roots, root)
	}
	p.Words, _ = binary.Append(nil, binary.LittleEndian, words)
	return len(p.Roots) > 0
}

// packed appends the words of a tree, and returns where those of its nodes begin. ok is false if a split is quadratic.
func packed(words []uint32, f *forest.Forest, tree int) (all []uint32, places []int, ok bool) {
	t := &f.Trees[tree]
	parents := make(map[int]int) // of right children
	for i, n := range t.Nodes {
		places = append(places, len(words))
		if parent, right := parents[i]; right {
			words[places[parent]+1] = uint32(len(words))
		}
		node := packedLeaf
		if !n.IsLeaf() {
			parents[int(n.Next)] = i
			node = packedSplit
		}
		more := node(f, tree, i)
		if more == nil {
			return nil, nil, false
		}
		words = append(words, more...)
	}
	return words, places, true
}

// packedSplit returns the words of a split, with 0 for the right child, or nil for a quadratic one.
func packedSplit(f *forest.Forest, tree, node int) []uint32 {
	t := &f.Trees[tree]
	fn, threshold := t.Splits.At(t.Nodes[node].Split), math.Float32bits(t.Nodes[node].Value)
	left := uint32(0)
	if fn.MissingLeft {
		left = 1
	}
	switch {
	case fn.Kind == forest.Axis:
		return []uint32{1 + left, 0, threshold, uint32(fn.Features[0])}
	case fn.Kind == forest.Set:
		return append([]uint32{3 + left, 0, uint32(len(fn.Categories)), uint32(fn.Features[0])}, fn.Categories...)
	case !fn.Kind.Linear():
		return nil
	}
	words := []uint32{5 + uint32(len(fn.Weights)), 0, threshold}
	for k, w := range fn.Weights {
		words = append(words, uint32(fn.Features[k]), math.Float32bits(w))
	}
	return words
}

// packedLeaf returns the words of a leaf: class proportions or values.
func packedLeaf(f *forest.Forest, tree, node int) []uint32 {
	leaf := f.Trees[tree].Leaf(node)
	first, numbers := 0, leaf.Dist
	switch leaf.Kind {
	case forest.LeafClass:
		first, numbers = int(leaf.Class), []float32{1}
	case forest.LeafValue:
		if numbers = []float32{leaf.Value}; f.Rule == forest.Sum {
			first = tree % len(f.Base)
		}
	case forest.LeafDist:
		var sum float32
		for _, w := range leaf.Dist {
			sum += w
		}
		numbers = slices.Clone(leaf.Dist)
		for c := range numbers {
			numbers[c] /= sum
		}
	}
	words := []uint32{0, uint32(first), uint32(len(numbers))}
	for _, v := range numbers {
		words = append(words, math.Float32bits(v))
	}
	return words
}

// addColumns adds the columns, with ranges and typical cells: those of the table or, without one, what the forest says.
func (p *packedForest) addColumns(f *forest.Forest, table *datasets.Dataset) {
	schema := f.Schema().Features
	var known [][]float64
	var typical map[int]float64
	if table != nil {
		known = tableNumbers(table, placesOf(f, table), schema)
	} else {
		known, typical = p.forestNumbers(f, schema)
	}
	row := make([]float32, len(schema)) // the typical one
	for j, c := range schema {
		layout, date := c.Scale.Layout()
		column := packedColumn{Name: cmp.Or(plain.Text(c.Name), fmt.Sprintf("x%d", j)), Date: date,
			Offset: c.Scale.Offset, Step: cmp.Or(c.Scale.Step, 1)}
		for _, name := range c.Categories {
			column.Categories = append(column.Categories, plain.Text(name))
		}
		slices.Sort(known[j])
		start, isKnown := typical[j]
		switch numbers := known[j]; {
		case c.Categories != nil && isKnown:
			column.Start = start
		case c.Categories != nil:
			column.Start = mode(numbers)
		case len(numbers) > 0:
			if !isKnown {
				start = numbers[len(numbers)/2]
			}
			column.setRange(numbers, start, date && !strings.Contains(layout, "04"))
		}
		if !date {
			column.Unit = plain.Text(c.Scale.Unit)
		}
		row[j] = c.Scale.Cell(column.Start)
		p.Columns = append(p.Columns, column)
	}
	p.show(f, row)
}

// setRange sets the range of a column to that of numbers, in order, but for 1 % at each end.
func (c *packedColumn) setRange(numbers []float64, start float64, whole bool) {
	n := len(numbers)
	low, high := numbers[n/100], numbers[n-1-n/100]
	c.Low, c.High, c.Start, c.By = low, low, start, 1
	if !(low < high) {
		return
	}
	c.By = math.Pow(10, math.Floor(math.Log10((high-low)/100)))
	if whole || !slices.ContainsFunc(numbers, func(v float64) bool { return v != math.Trunc(v) }) {
		c.By = max(1, c.By)
	}
	c.Low, c.High = c.By*math.Floor(low/c.By), c.By*math.Ceil(high/c.By)
	c.Start = c.Low + c.By*math.Round((c.Start-c.Low)/c.By)
}

// mode returns the most frequent of numbers in order, 0 if there is none.
func mode(numbers []float64) (most float64) {
	best, count := 0, 0
	for i, v := range numbers {
		if i == 0 || v != numbers[i-1] {
			count = 0
		}
		if count++; count > best {
			best, most = count, v
		}
	}
	return most
}

// show chooses the columns that can be changed, the most important ones that the trees split by, and finds out which
// can be missing.
func (p *packedForest) show(f *forest.Forest, row []float32) {
	importance := make([]float64, len(p.Columns))
	for j, v := range f.Importance() {
		if p.Made != nil {
			j = p.Made[j].From
		}
		importance[j] += math.Abs(v)
	}
	one := *f
	one.Trees = f.Trees[:1]
	predictor := one.Predictor()
	for _, j := range ordered.Largest(importance)[:min(mostCells, len(importance))] {
		p.Columns[j].Shown = importance[j] > 0
		cell := row[j]
		row[j] = float32(math.NaN())
		var err error
		if f.Regression() {
			_, err = predictor.Value(row)
		} else {
			_, err = predictor.Label(row)
		}
		row[j], p.Columns[j].Missing = cell, err == nil
	}
}

// tableNumbers returns the finite numbers of a table, by column of the schema. Categories have the
// schema's numbers.
func tableNumbers(d *datasets.Dataset, at []int, schema []datasets.Feature) [][]float64 {
	known := make([][]float64, len(schema))
	rows := ordered.Drawn(min(d.N(), mostRangeRows), d.N())
	for j, c := range schema {
		from := d.Features[at[j]]
		for _, i := range rows {
			v := d.At(int(i), at[j])
			if v-v != 0 {
				continue
			}
			number := from.Scale.Value(v)
			if c.Categories != nil {
				number = float64(slices.Index(c.Categories, from.Categories[int(v)]))
			}
			if number >= 0 || c.Categories == nil {
				known[j] = append(known[j], number)
			}
		}
	}
	return known
}

// forestNumbers returns numbers of each column that a forest knows: thresholds of splits by that column alone, and what
// its steps have, points of lines and means. typical are what it and its steps put in place of missing cells, and the
// middles of lines, and means.
func (p *packedForest) forestNumbers(f *forest.Forest, schema []datasets.Feature) (
	known [][]float64, typical map[int]float64) {
	known, typical = make([][]float64, len(schema)), make(map[int]float64)
	left := mostRangeRows
	for i := range f.Trees {
		t := &f.Trees[i]
		for node := range t.Nodes[:min(left, len(t.Nodes))] {
			if j, v, ok := p.threshold(f, t, node, schema); ok {
				known[j] = append(known[j], v)
			}
		}
		left -= min(left, len(t.Nodes))
	}
	for j, v := range f.Fills {
		if p.Made == nil && schema[j].Categories == nil {
			typical[j] = schema[j].Scale.Value(v)
			known[j] = append(known[j], typical[j])
		}
	}
	for _, made := range p.Made {
		j := made.From
		numbers, middle := cellsOf(made.Ops)
		for _, v := range numbers {
			known[j] = append(known[j], schema[j].Scale.Value(float32(v)))
		}
		if _, ok := typical[j]; !ok && len(numbers) > 0 {
			typical[j] = schema[j].Scale.Value(float32(middle))
		}
	}
	return known, typical
}

// cellsOf returns cells that operations know of their column, and one in the middle.
func cellsOf(ops []datasets.Op) (cells []float64, middle float64) {
	if len(ops) == 0 {
		return nil, 0
	}
	n := ops[0].Numbers
	switch ops[0].Do {
	case "fill":
		cells, _ = cellsOf(ops[1:])
		return append(cells, n[0]), n[0]
	case "scale":
		return []float64{n[0] - 2*n[1], n[0] + 2*n[1]}, n[0]
	case "line":
		for k := 0; k < len(n); k += 2 {
			cells = append(cells, n[k])
		}
		return cells, cells[len(cells)/2]
	}
	return nil, 0
}

// threshold returns the column that a split is by alone, and its threshold as the column has numbers.
func (p *packedForest) threshold(f *forest.Forest, t *forest.Tree, node int, schema []datasets.Feature) (
	column int, v float64, ok bool) {
	n := t.Nodes[node]
	if n.IsLeaf() {
		return 0, 0, false
	}
	fn := t.Splits.At(n.Split)
	if fn.Kind != forest.Axis && len(fn.Weights) != 1 {
		return 0, 0, false
	}
	q := f.Question(t, node)
	column = int(fn.Features[0])
	if p.Made != nil {
		column = p.Made[column].From
	}
	c := schema[column]
	ok = c.Categories == nil && q.Asks <= forest.After && slices.Equal(q.Weights, []float64{1}) &&
		(c.Name == "" || slices.Equal(q.Names, []string{plain.Text(c.Name)}))
	return column, q.Threshold, ok
}
