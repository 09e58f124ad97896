package viz

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// flat draws rows in the plane with random labels, half of the time on a coarse grid,
// so that some rows are equal.
func flat(t *rapid.T) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "rows"), 1))
	levels := rapid.SampledFrom([]int{5, 1 << 20}).Draw(t, "levels")
	d := table(nil, nil)
	d.Classes, d.Labels = []string{"a", "b", "c"}, []int32{0, 1}
	n := rapid.IntRange(2, 50).Draw(t, "n")
	for len(d.Labels) < n {
		d.Labels = append(d.Labels, int32(rng.IntN(3)))
	}
	for j := range d.Columns {
		for range d.Labels {
			d.Columns[j] = append(d.Columns[j], 2*float32(rng.IntN(levels))/float32(levels)-1)
		}
	}
	return d
}

func fit(t *rapid.T, l forest.Learner, d *datasets.Dataset) *forest.Forest {
	return must.Value(l.Fit(context.Background(), d))
}

// area returns twice the area of a polygon with counter-clockwise corners, by the
// shoelace formula.
func area(corners plotter.XYs) (twice float64) {
	for i, p := range corners {
		q := corners[(i+1)%len(corners)]
		twice += p.X*q.Y - p.Y*q.X
	}
	return twice / 2
}

// inside returns the distance of a point in a convex polygon from the nearest side;
// it is negative outside.
func inside(corners plotter.XYs, x, y float64) float64 {
	least := math.Inf(1)
	for i, p := range corners {
		q := corners[(i+1)%len(corners)]
		if length := math.Hypot(q.X-p.X, q.Y-p.Y); length > 0 {
			least = min(least, ((q.X-p.X)*(y-p.Y)-(q.Y-p.Y)*(x-p.X))/length)
		}
	}
	return least
}

// TestStepsPartition: after every step the regions fill the rectangle, and each row
// lies in the region of the leaf that the forest sends it to.
func TestStepsPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := flat(t)
		seed := rapid.Uint64().Draw(t, "seed")
		model := fit(t, rapid.SampledFrom([]forest.Learner{
			graf.Learner{Trees: 1, TreeFeatures: graf.All, Seed: seed}, graf.Learner{Trees: 1, Seed: seed},
			rf.Learner{Trees: 1, Seed: seed}, sporf.Learner{Trees: 1, Seed: seed},
		}).Draw(t, "learner"), data)
		tree := &model.Trees[0]
		p := newPoints(data, 0, 1, nil)
		d := divide(tree, p)
		x1, x2, y1, y2 := p.DataRange()
		for step := range d.steps + 1 {
			sum := 0.0
			for _, r := range d.regions {
				if r.at(step) {
					sum += area(r.corners)
				}
			}
			if want := (x2 - x1) * (y2 - y1); math.Abs(sum-want) > 1e-9*want {
				t.Fatalf("after step %d of %d the regions have area %v; want %v", step, d.steps, sum, want)
			}
		}
		for i, n := range tree.Nodes {
			if n.IsLeaf() {
				continue
			}
			left, right, chord := d.regions[i+1].corners, d.regions[n.Next].corners, d.regions[i].chord
			if len(chord) != 2 && min(area(left), area(right)) > 1e-9 {
				t.Fatalf("node %d is divided along %v", i, chord)
			}
			for _, p := range chord {
				if a, b := inside(left, p.X, p.Y), inside(right, p.X, p.Y); max(math.Abs(a), math.Abs(b)) > 1e-9 {
					t.Fatalf("the chord of node %d ends at %v, %v inside its left and %v inside its right part", i, p, a, b)
				}
			}
		}
		end := make([]int32, len(tree.Nodes)) // of the nodes below a node
		for i := len(end) - 1; i >= 0; i-- {
			end[i] = int32(i) + 1
			if n := tree.Nodes[i]; !n.IsLeaf() {
				end[i] = end[n.Next]
			}
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		at := &datasets.Dataset{Features: data.Features, Columns: make([][]float32, 2)}
		for range 50 {
			at.Columns[0] = append(at.Columns[0], float32(x1+rng.Float64()*(x2-x1)))
			at.Columns[1] = append(at.Columns[1], float32(y1+rng.Float64()*(y2-y1)))
		}
		for i, leaves := range must.Value(model.Apply(t.Context(), at)) {
			for node, r := range d.regions {
				distance := inside(r.corners, float64(at.Columns[0][i]), float64(at.Columns[1][i]))
				in := int32(node) <= leaves[0] && leaves[0] < end[node]
				if len(r.corners) > 2 && math.Abs(distance) > 1e-4 && (distance > 0) != in {
					t.Fatalf("row %d goes to leaf %d; it is %v inside node %d", i, leaves[0], distance, node)
				}
			}
		}
	})
}

// TestStepsOfGRAF compares the counts of every step with those of lists of rows,
// divided by one plane after another as section 4 of the paper says.
func TestStepsOfGRAF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := flat(t)
		model := fit(t, graf.Learner{Trees: 1, TreeFeatures: graf.All, Seed: rapid.Uint64().Draw(t, "seed")}, data)
		tree := &model.Trees[0]
		d := divide(tree, newPoints(data, 0, 1, nil))
		if d.steps != tree.Splits.Len() {
			t.Fatalf("%d steps; %d planes", d.steps, tree.Splits.Len())
		}
		impure := func(rows []int) bool {
			return slices.ContainsFunc(rows, func(i int) bool { return data.Labels[i] != data.Labels[rows[0]] })
		}
		all := make([]int, data.N())
		for i := range all {
			all[i] = i
		}
		regions := [][]int{all}
		for plane := range d.steps {
			node := slices.IndexFunc(tree.Nodes, func(n forest.Node) bool {
				k, stored := tree.Splits.Place(n.Split)
				return stored && k == plane
			})
			weights := tree.Splits.At(tree.Nodes[node].Split).Weights
			var next [][]int
			divided, mixed := 0, 0
			for _, rows := range regions {
				var sides [2][]int
				for _, i := range rows {
					side := 0
					if float32(data.At(i, 0)*weights[0])+float32(data.At(i, 1)*weights[1]) > tree.Nodes[node].Value {
						side = 1
					}
					sides[side] = append(sides[side], i)
				}
				if !impure(rows) || sides[0] == nil || sides[1] == nil {
					next = append(next, rows)
					continue
				}
				next = append(next, sides[0], sides[1])
				divided++
			}
			regions = next
			for _, rows := range regions {
				if impure(rows) {
					mixed++
				}
			}
			want := fmt.Sprintf("Step %d divides %d: %d regions, %d impure", plane+1, divided, len(regions), mixed)
			if got := d.caption(plane + 1); got != want {
				t.Fatalf("%q; want %q", got, want)
			}
		}
	})
}

// TestSomeSteps: at most six, ascending, from none to all.
func TestSomeSteps(t *testing.T) {
	if got := fmt.Sprint(shownSteps(8)); got != "[0 1 2 3 5 8]" {
		t.Errorf("of eight steps: %s", got)
	}
	for steps := range 1000 {
		some := shownSteps(steps)
		if len(some) != min(6, steps+1) || some[0] != 0 || some[len(some)-1] != steps ||
			len(slices.Compact(slices.Clone(some))) != len(some) || !slices.IsSorted(some) {
			t.Errorf("of %d steps: %v", steps, some)
		}
	}
}

// TestLiveSteps: at every step as many regions are visible as the caption says, and
// the largest chart isn't too large.
func TestLiveSteps(t *testing.T) {
	data := sim.XOR{Cells: 2}.Sample(maxPoints, 1)
	for i := 0; i < maxPoints; i += 6 { // noise
		data.Labels[i] = 1
	}
	model := must.Value(graf.Learner{Trees: 1, TreeFeatures: graf.All, MinSplit: 10}.Fit(context.Background(), data))
	f := Steps{Model: model, Data: data}.figure()
	if nodes := len(model.Trees[0].Nodes); nodes < stepNodes*9/10 || nodes > stepNodes {
		t.Fatalf("%d nodes; want nearly %d", nodes, stepNodes)
	}
	if n := len(f.liveHTML()); n > 200_000 {
		t.Errorf("%d bytes", n)
	}
	live := f.live().(stepper)
	seen := make([]int, len(live.Steps))
	for _, e := range elements(live.HTML) {
		if e[""] != "path" || e["fill"] == "" || e["data-from"] == "" {
			continue // not a region
		}
		from, to := must.Value(strconv.Atoi(e["data-from"])), must.Value(strconv.Atoi(e["data-to"]))
		for step := from; step < to; step++ {
			seen[step]++
		}
	}
	for step, n := range seen {
		if !strings.Contains(live.Steps[step], fmt.Sprintf(": %d region", n)) {
			t.Errorf("%d regions are shown as %q", n, live.Steps[step])
		}
	}
}
