package forest

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/plain"
)

// String describes the forest and its size in two lines.
func (f *Forest) String() string {
	s := f.Size()
	target := plain.Name(f.Target)
	if target == "" {
		target = "the target"
	}
	if !f.Regression() {
		target += fmt.Sprintf(" (%s)", plural(len(f.Classes), "class", "classes"))
	}
	name := ""
	if f.Method != "" {
		name = plain.Name(f.Method) + ": "
	}
	return fmt.Sprintf("%s%s for %s from %s\n%s, mean depth %.1f, at most %d, %s",
		name, plural(s.Trees, "tree", "trees"), target, plural(f.P(), "feature", "features"),
		plural(s.Nodes, "node", "nodes"), s.MeanDepth, s.Depth, byteCount(s.Bytes))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func byteCount(n int) string {
	switch {
	case n < 1e3:
		return fmt.Sprintf("%d bytes", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// TreeString formats a tree of the forest as indented text: below each split first the
// branch where its condition holds, then the other. If depth is positive, only that many
// levels of splits are printed; 0 means all. Control characters in names are escaped. After 16 MiB
// of text only the number of leaves is given of each subtree that is still to come.
func (f *Forest) TreeString(t *Tree, depth int) string {
	if depth == 0 {
		depth = len(t.Nodes)
	}
	var b strings.Builder
	f.writeTree(&b, t, 0, depth, "")
	return b.String()
}

// mostText is the number of bytes after which a tree isn't printed any further. The indentation of a chain of
// splits takes the square of their number.
const mostText = 1 << 24

// writeTree writes the subtree at node i down to the given depth below it.
func (f *Forest) writeTree(b *strings.Builder, t *Tree, i, depth int, indent string) {
	n := t.Nodes[i]
	switch {
	case b.Len() > mostText, depth == 0 && !n.IsLeaf():
		fmt.Fprintf(b, "… %s\n", plural(t.leavesBelow(i), "leaf", "leaves"))
	case n.IsLeaf():
		fmt.Fprintln(b, f.LeafString(t, i))
	default:
		fmt.Fprintln(b, f.SplitString(t, i))
		b.WriteString(indent + "├ ")
		f.writeTree(b, t, i+1, depth-1, indent+"│ ")
		b.WriteString(indent + "└ ")
		f.writeTree(b, t, int(n.Next), depth-1, indent+"  ")
	}
}

// leavesBelow counts the leaves of the subtree at node i.
func (t *Tree) leavesBelow(i int) int {
	leaves := 0
	for open := 1; open > 0; i++ {
		if t.Nodes[i].IsLeaf() {
			leaves++
			open--
		} else {
			open++
		}
	}
	return leaves
}

// SplitString formats the condition under which a row goes left at a split of tree t,
// such as "petal length − 0.5·sepal width ≤ 2.45", "petal length ≤ 2.45 or missing", "petal length not missing",
// "colour is not red" or "colour in {blue, red} or missing", in the units of the columns that the forest was trained on
// (see [Question]). Numbers have six significant digits, or all before the point, and thresholds halfway between whole
// numbers are written in full: rounded, they would be one of these. Of more than six categories only the first ones are
// listed.
func (f *Forest) SplitString(t *Tree, node int) string {
	q := f.Question(t, node)
	terms := q.Terms(0)
	if len(terms) == 0 {
		terms = []string{"0"}
	}
	return strings.Join(terms, " ") + " " + q.Condition(threshold)
}

// threshold formats a threshold.
func threshold(v float64) string {
	if math.Abs(v) < 1e15 && v != math.Trunc(v) && 2*v == math.Trunc(2*v) {
		return plain.Number(v, 17)
	}
	return number(v, 0)
}

// wideDigits are those of numbers that are relative to an offset.
const wideDigits = 15

func featureName(names []string, j int32) string {
	if int(j) < len(names) && names[j] != "" {
		return plain.Text(names[j])
	}
	return "x" + strconv.Itoa(int(j))
}

// allDigits are as many significant digits as a float64 has at most.
const allDigits = 767

// number formats v as [plain.Number] does; 0 digits mean six.
func number(v float64, digits int) string {
	if digits < 0 {
		panic(fmt.Sprintf("forest: %d significant digits; want 0 or more", digits))
	}
	return plain.Number(v, min(cmp.Or(digits, 6), allDigits))
}
