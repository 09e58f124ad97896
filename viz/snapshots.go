package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// Snapshots shows how a tree over two features changes in the course of training, such as from pass to pass of tree
// alternating optimisation. A region has the colour of the class that the tree predicts there. Lines are its splits,
// thicker near the root.
//
//	var history tao.History
//	model, err := history.Fit(ctx, tao.Learner{Trees: 1}, train)
//	…
//	chart := viz.Snapshots{Title: "TAO", Data: train}
//	for _, p := range history.Passes() {
//		chart.Models = append(chart.Models, history.Forest(p.Number))
//		chart.Captions = append(chart.Captions, fmt.Sprintf("Pass %d: objective %.4g", p.Number, p.Objective()))
//	}
//	viz.Show(chart)
//
// The picture shows at most six of the trees. If they have up to 4,000 nodes together, there is a live chart, which
// shows all of them.
//
// [Draw] panics if there are no models, if a model is nil, if Captions has another length, and where it does for
// [Steps].
type Snapshots struct {
	Title    string
	Models   []*forest.Forest  // classifiers over two features
	Captions []string          // of each model; nil means numbers from 1
	Tree     int               // which of the trees of each model
	Data     *datasets.Dataset // the rows to draw, which also set the range of the axes
}

// snapshotNodes is the most nodes of trees that have a live chart.
const snapshotNodes = 4000

func (s Snapshots) figure() *Figure {
	s.check()
	if s.Captions == nil {
		for i := range s.Models {
			s.Captions = append(s.Captions, fmt.Sprint(i+1))
		}
	}
	points := newPoints(s.Data, 0, 1, nil)
	var shots []*snapshot
	nodes := 0
	for _, m := range s.Models {
		tree := &m.Trees[s.Tree]
		shots = append(shots, newSnapshot(divide(tree, points)))
		nodes += len(tree.Nodes)
	}
	grid := Grid{Title: s.Title}
	for _, i := range shownSteps(len(shots) - 1) {
		p := points.plot()
		p.Add(shots[i], points, splitLines{shots[i]})
		alt := fmt.Sprintf("A tree of %d leaves.", s.Models[i].Trees[s.Tree].Leaves())
		grid.Charts = append(grid.Charts, plotFigure(s.Captions[i], alt, p))
	}
	f := grid.figure()
	f.Alt = points.alt() + "\n" + f.Alt
	f.keys = regionKeys(s.Data.Classes, points.keys())
	if nodes <= snapshotNodes {
		f.live = func() any {
			frame := &frame{points, points.area()}
			return frame.steps(s.Title, f.keys, s.Captions, 0, func(b *strings.Builder) {
				for i, shot := range shots {
					shot.write(b, frame, i)
				}
				frame.writePoints(b, points)
			})
		}
	}
	return f
}

func (s Snapshots) check() {
	if len(s.Models) == 0 || s.Captions != nil && len(s.Captions) != len(s.Models) {
		misuse("snapshots of %d models with %d captions", len(s.Models), len(s.Captions))
	}
	for i, m := range s.Models {
		if m == nil {
			misuse("model %d of the snapshots is nil", i)
		}
		Steps{Model: m, Tree: s.Tree, Data: s.Data}.check()
	}
}

// A snapshot is the plane as a whole tree divides it.
type snapshot struct {
	*division
	class []int // that a leaf predicts, by node; −1 for splits
	depth []int // by node
}

func newSnapshot(d *division) *snapshot {
	s := &snapshot{division: d, class: make([]int, len(d.regions)), depth: make([]int, len(d.regions))}
	for i, n := range d.tree.Nodes {
		s.class[i] = -1
		if !n.IsLeaf() {
			s.depth[i+1], s.depth[n.Next] = s.depth[i]+1, s.depth[i]+1
			continue
		}
		switch leaf := d.tree.Leaf(i); leaf.Kind {
		case forest.LeafClass:
			s.class[i] = int(leaf.Class)
		case forest.LeafDist:
			s.class[i] = slices.Index(leaf.Dist, slices.Max(leaf.Dist))
		}
	}
	return s
}

// chord returns the line style of a split.
func (s *snapshot) chord(node int) draw.LineStyle {
	style := chordStyle
	style.Width *= vg.Length(max(0.3, math.Pow(0.75, float64(s.depth[node]))))
	return style
}

// Plot draws the regions of the leaves.
func (s *snapshot) Plot(c draw.Canvas, p *plot.Plot) {
	path := toCanvas(c, p)
	for i, r := range s.regions {
		if k := s.class[i]; k >= 0 && len(r.corners) > 2 {
			c.FillPolygon(paleColor(k), path(r.corners))
		}
	}
}

// splitLines are the splits of a snapshot, to be drawn above the points.
type splitLines struct{ *snapshot }

// Plot draws the splits.
func (s splitLines) Plot(c draw.Canvas, p *plot.Plot) {
	path := toCanvas(c, p)
	for i, r := range s.regions {
		if len(r.chord) > 1 {
			c.StrokeLines(s.chord(i), path(r.chord))
		}
	}
}

// write writes the regions and the splits, to be shown at one step of a live chart.
func (s *snapshot) write(b *strings.Builder, f *frame, step int) {
	fmt.Fprintf(b, `<g data-from="%d" data-to="%d">`, step, step+1)
	for i, r := range s.regions {
		if k := s.class[i]; k >= 0 && len(r.corners) > 2 {
			fmt.Fprintf(b, `<path fill="%s" d="%sZ"/>`, hex(paleColor(k)), f.path(r.corners))
		}
	}
	fmt.Fprintf(b, `<g stroke="%s">`, hex(ink))
	for i, r := range s.regions {
		if len(r.chord) > 1 {
			fmt.Fprintf(b, `<path stroke-width="%.0f" d="%s"/>`, 10*s.chord(i).Width/px, f.path(r.chord))
		}
	}
	b.WriteString("</g></g>")
}
