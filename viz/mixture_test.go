package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// figure34 returns two components of equal covariance (5 2; 2 1), whose inverse is
// (1 −2; −2 5). The difference of their means is (−2, 2), so the boundary is
// −6x + 14y = 8 by Mahalanobis distance and −2x + 2y = 0 by Euclidean distance.
func figure34() Mixture {
	covariance := [2][2]float64{{5, 2}, {2, 1}}
	return Mixture{
		Title:      "Two boundaries",
		Data:       corners(),
		Components: []Gaussian{{[2]float64{0, 2}, covariance, 0.5}, {[2]float64{2, 0}, covariance, 0.5}},
		Boundaries: []Boundary{
			{"by Mahalanobis distance", along(-6, 14), 8},
			{"by Euclidean distance", forest.Function{Kind: forest.Dense, Weights: []float32{-2, 2}}, 0},
		},
		Equal: true,
	}
}

// withComponents gives each step a component.
func withComponents(steps []Mixture) []Mixture {
	for i := range steps {
		steps[i].Components = []Gaussian{{[2]float64{0, 0.5}, [2][2]float64{{1, 0}, {0, 0.1}}, 1}}
	}
	return steps
}

// mahalanobis returns the squared Mahalanobis distance of a point from the mean, by the
// inverse of the covariance.
func mahalanobis(g Gaussian, p plotter.XY) float64 {
	c, x, y := g.Covariance, p.X-g.Mean[0], p.Y-g.Mean[1]
	return (c[1][1]*x*x - 2*c[0][1]*x*y + c[0][0]*y*y) / (c[0][0]*c[1][1] - c[0][1]*c[1][0])
}

// length returns the length of lines.
func length(lines []plotter.XYs) (sum float64) {
	for _, line := range lines {
		for i, p := range line[1:] {
			sum += math.Hypot(p.X-line[i].X, p.Y-line[i].Y)
		}
	}
	return sum
}

// TestEllipses: the points of an ellipse have its distance, on all sides of the mean.
func TestEllipses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := rapid.Float64Range(-3, 3)
		a, b := rapid.Float64Range(0.1, 3).Draw(t, "a"), entry.Draw(t, "b")
		c := rapid.Float64Range(0.1, 3).Draw(t, "c")
		g := Gaussian{Mean: [2]float64{entry.Draw(t, "x"), entry.Draw(t, "y")}, Covariance: [2][2]float64{{a * a, a * b},
			{a * b, b*b + c*c}}}
		r := rapid.SampledFrom([]float64{1, 2}).Draw(t, "distance")
		line := g.ellipse(r)
		if line[0] != line[len(line)-1] {
			t.Fatal("the ellipse isn't closed")
		}
		for _, p := range line {
			if d := mahalanobis(g, p); math.Abs(d-r*r) > 1e-6 {
				t.Fatalf("%v is at squared distance %v; want %v", p, d, r*r)
			}
		}
		// An ellipse has the area π·r²·√det; this polygon of 90 corners has 0.9992 of it.
		if got, want := area(line), 2*math.Pi*r*r*a*c/2; math.Abs(got/want-0.9992) > 1e-3 {
			t.Fatalf("area %v; want %v", got, want)
		}
	})
	for _, c := range [][2][2]float64{{}, {{0, 0}, {0, 4}}, {{4, 0}, {0, 0}}, {{1, 2}, {2, 4}}} { // points and segments
		for _, p := range (Gaussian{Covariance: c}).ellipse(1) {
			if p.X*p.X > c[0][0]+1e-9 || p.Y*p.Y > c[1][1]+1e-9 {
				t.Errorf("covariance %v: %v", c, p)
			}
		}
	}
}

// TestFigure34: the points of the boundaries are as far from one mean as from the
// other, by either distance, and the lines end at the sides of the picture.
func TestFigure34(t *testing.T) {
	m := figure34()
	r := m.area()
	// 2.1·√5 and 2.1 from the means, since the rows are nearer.
	want := rectangle{-2.1 * math.Sqrt(5), 2 + 2.1*math.Sqrt(5), -2.1, 2 + 2.1}
	for _, d := range []float64{r.x1 - want.x1, r.x2 - want.x2, r.y1 - want.y1, r.y2 - want.y2} {
		if math.Abs(d) > 1e-9 {
			t.Fatalf("the picture shows %v; want %v", r, want)
		}
	}
	d := m.drawing(r)
	first, second := m.Components[0], m.Components[1]
	euclidean := func(g Gaussian, p plotter.XY) float64 {
		return mahalanobis(Gaussian{g.Mean, [2][2]float64{{1, 0}, {0, 1}}, 1}, p)
	}
	for k, distance := range []func(Gaussian, plotter.XY) float64{mahalanobis, euclidean} {
		lines := d.boundaries[k].lines
		if len(lines) != 1 || len(lines[0]) != 2 {
			t.Fatalf("boundary %d: %v; want one straight line", k, lines)
		}
		for _, p := range lines[0] {
			if a, b := distance(first, p), distance(second, p); math.Abs(a-b) > 1e-4 {
				t.Errorf("boundary %d: %v has squared distances %v and %v", k, p, a, b)
			}
			if edge := min(p.X-r.x1, r.x2-p.X, p.Y-r.y1, r.y2-p.Y); math.Abs(edge) > 1e-9 {
				t.Errorf("boundary %d ends at %v, in the middle of %v", k, p, r)
			}
		}
	}
}

// conic draws a quadratic function of two features.
func conic(t *rapid.T) Boundary {
	number := rapid.Float32Range(-2, 2)
	three, two := rapid.SliceOfN(number, 3, 3).Draw(t, "Q"), rapid.SliceOfN(number, 2, 2).Draw(t, "w")
	b := quadric([3]float32(three), [2]float32(two), number.Draw(t, "threshold"))
	b.Function.Bias = number.Draw(t, "b")
	return b
}

// quadric returns the boundary at which q·(x², xy, y²) + w·(x, y) is the threshold.
func quadric(q [3]float32, w [2]float32, threshold float32) Boundary {
	return Boundary{Function: forest.Function{Kind: forest.Quadratic, Features: []int32{0, 1}, Weights: w[:], Q: q[:]},
		Threshold: threshold}
}

// value returns the function of [conic] minus the threshold, in float64.
func (b Boundary) value(p plotter.XY) float64 {
	fn, w, q := b.Function, [2]float64{}, [3]float64{}
	for i := range w {
		w[i] = float64(fn.Weights[i])
	}
	for i := range q {
		q[i] = float64(fn.Q[i])
	}
	return q[0]*p.X*p.X + q[1]*p.X*p.Y + q[2]*p.Y*p.Y + w[0]*p.X + w[1]*p.Y + float64(fn.Bias) - float64(b.Threshold)
}

// TestContours: a point of a boundary is off it by the error of linear interpolation at
// most, |f″|h²/8, and every edge of the grid whose ends are on different sides is crossed
// once.
func TestContours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := conic(t)
		r := rectangle{-rapid.Float64Range(1, 4).Draw(t, "left"), 4, -3, rapid.Float64Range(1, 4).Draw(t, "top")}
		lines := b.contour(r)
		h := max(r.x2-r.x1, r.y2-r.y1) / contourCells
		points := 0
		for _, line := range lines {
			points += len(line)
			if line[0] == line[len(line)-1] {
				points--
			}
			for i, p := range line {
				if v := b.value(p); math.Abs(v) > 4*h*h/8+1e-4 { // 1e-4 for float32
					t.Fatalf("%v has value %v", p, v)
				}
				if i > 0 && math.Hypot(p.X-line[i-1].X, p.Y-line[i-1].Y) > 1.5*h {
					t.Fatalf("a gap from %v to %v", line[i-1], p)
				}
			}
		}
		right := make([]bool, 0, (contourCells+1)*(contourCells+1))
		for j := range contourCells + 1 {
			for i := range contourCells + 1 {
				x, y := r.x1+(r.x2-r.x1)*float64(i)/contourCells, r.y1+(r.y2-r.y1)*float64(j)/contourCells
				right = append(right, b.above(x, y) > 0)
			}
		}
		crossed := 0
		for v := range right {
			if v%(contourCells+1) < contourCells && right[v] != right[v+1] {
				crossed++
			}
			if v/(contourCells+1) < contourCells && right[v] != right[v+contourCells+1] {
				crossed++
			}
		}
		if points != crossed {
			t.Fatalf("%d points; %d edges are crossed", points, crossed)
		}
	})
}

// TestCircle: of a circle with radius 1 that is divided at x = ½, the left part is an arc
// of 4π/3 and the right one of 2π/3.
func TestCircle(t *testing.T) {
	circle := quadric([3]float32{1, 0, 1}, [2]float32{}, 1)
	r := rectangle{-2, 2, -1.5, 1.5}
	half := Boundary{Function: along(1), Threshold: 0.5}
	for i, test := range []struct {
		within []Side
		want   float64
	}{
		{nil, 2 * math.Pi},
		{[]Side{{half, false}}, 4 * math.Pi / 3},
		{[]Side{{half, true}}, 2 * math.Pi / 3},
	} {
		lines := circle.within(r, test.within)
		if math.Abs(length(lines)-test.want) > 0.005 || len(lines) > 2 {
			t.Errorf("%d: %d lines of length %v; want %v", i, len(lines), length(lines), test.want)
		}
		for _, line := range lines {
			for _, p := range line {
				if math.Abs(math.Hypot(p.X, p.Y)-1) > 1e-3 || i == 1 && p.X > 0.5+1e-6 || i == 2 && p.X < 0.5-1e-6 {
					t.Errorf("%d: %v", i, p)
				}
			}
		}
	}
	// Two lines that cross are four arms.
	cross := quadric([3]float32{0, 1, 0}, [2]float32{}, 0)
	if got, want := length(cross.within(r, nil)), 4.0+3; math.Abs(got-want) > 0.05 {
		t.Errorf("x·y = 0 has length %v; want %v", got, want)
	}
}

// TestSimplify: the points kept are points of the line, with its ends, and no point
// lies farther than the tolerance from what is kept.
func TestSimplify(t *testing.T) {
	r := rectangle{-4, 4, -3, 3}
	rapid.Check(t, func(t *rapid.T) {
		b := conic(t)
		for _, line := range b.contour(r) {
			short := r.simplify(slices.Clone(line))
			if short[0] != line[0] || short[len(short)-1] != line[len(line)-1] {
				t.Fatalf("from %v to %v; want %v to %v", short[0], short[len(short)-1], line[0], line[len(line)-1])
			}
			k := 0
			for _, p := range line {
				if k+1 < len(short) && p == short[k+1] {
					k++
				}
				from, to := short[max(0, k-1)], short[k]
				if k+1 < len(short) {
					from, to = short[k], short[k+1]
				}
				x, y := (p.X-from.X)/8, (p.Y-from.Y)/6
				dx, dy := (to.X-from.X)/8, (to.Y-from.Y)/6
				if l := math.Hypot(dx, dy); l > 0 && math.Abs(x*dy-y*dx)/l > 1.01e-4 {
					t.Fatalf("%v is %v from the line", p, math.Abs(x*dy-y*dx)/l)
				}
			}
			if k != len(short)-1 {
				t.Fatalf("%d of %d points kept are on the line", k+1, len(short))
			}
		}
	})
}

// TestNodeMixtures: the rows of a step are those on all sides that lead to it, and its
// boundary lies in the same part of the plane.
func TestNodeMixtures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := flat(t)
		model := fit(t, rapid.SampledFrom([]forest.Learner{rf.Learner{Trees: 1, Seed: 1},
			sporf.Learner{Trees: 1, Seed: 2}}).Draw(t, "learner"), data)
		tree := &model.Trees[0]
		steps := NodeMixtures(tree, data)
		if splits := len(tree.Nodes) - tree.Leaves(); len(steps) != splits {
			t.Fatalf("%d steps; %d splits", len(steps), splits)
		}
		for i, step := range steps {
			var want []int32
			for row := range data.N() {
				if !slices.ContainsFunc(step.Within, func(s Side) bool {
					return (s.Function.Value(data.Row(nil, row)) > s.Threshold) != s.Right
				}) {
					want = append(want, int32(row))
				}
			}
			got := slices.Sorted(slices.Values(step.Rows))
			if !slices.Equal(got, want) {
				t.Fatalf("step %d has rows %v; want %v", i, got, want)
			}
			if i > 3 {
				continue // contours take time
			}
			for _, line := range step.drawing(step.area()).boundaries[0].lines {
				for _, p := range line {
					for _, s := range step.Within {
						if v := s.above(p.X, p.Y); s.Right && v < -1e-5 || !s.Right && v > 1e-5 {
							t.Fatalf("step %d: %v is beyond a split above it by %v", i, p, v)
						}
					}
				}
			}
		}
	})
}

func TestEmptyNode(t *testing.T) {
	tree := &forest.Tree{Classes: 2, Nodes: []forest.Node{
		{Split: 0, Next: 4, Value: -9}, {Split: 1, Next: 3}, forest.ClassLeaf(0, 1), forest.ClassLeaf(1, 1),
		forest.ClassLeaf(1, 1)}}
	steps := NodeMixtures(tree, corners())
	if got := steps[0].Title + "; " + steps[1].Title; got != "Node 0: 4 rows, purity 0.50; Node 1: 0 rows" {
		t.Errorf("%q", got)
	}
	img := picture(MixtureSteps{Steps: steps}.figure())
	// Blue and grey: the first step has two blue rows, the second four grey ones.
	if blue, grey := count(img, classColor(0)), count(img, greyStyle.Color.(color.NRGBA)); blue == 0 || grey == 0 {
		t.Errorf("%d blue and %d grey pixels", blue, grey)
	}
}

// TestLiveMixtures: each step shows the node's rows once, over grey ones, and a large
// chart isn't too large.
func TestLiveMixtures(t *testing.T) {
	data := sim.XOR{Cells: 2}.Sample(maxPoints, 1)
	s := MixtureSteps{Title: "Steps"}
	circle := quadric([3]float32{1, 0, 1}, [2]float32{-1, -1}, -0.25)
	for i := range 3 {
		s.Steps = append(s.Steps, Mixture{Title: fmt.Sprint(i), Data: data, Components: figure34().Components,
			Boundaries: []Boundary{circle}, Equal: true})
	}
	f := s.figure()
	if n := len(f.liveHTML()); n > 500_000 {
		t.Errorf("%d bytes", n)
	}
	if more := (MixtureSteps{Steps: append(slices.Clone(s.Steps), s.Steps[0])}).figure(); more.live != nil {
		t.Error("a chart of 8,000 rows is live")
	}
	for i := range s.Steps {
		s.Steps[i].Rows = make([]int32, 10*(i+1))
	}
	live := s.figure().live().(stepper)
	if fmt.Sprint(live.Steps) != "[0 1 2]" {
		t.Errorf("steps %q", live.Steps)
	}
	marks, step := []int{}, -1
	for _, e := range elements(live.HTML) {
		if from, ok := e["data-from"]; ok {
			step++
			marks = append(marks, 0)
			if from != fmt.Sprint(step) {
				t.Errorf("step %d is shown from %s on", step, from)
			}
		}
		if step >= 0 {
			marks[step] += strings.Count(e["d"], "m-36")
		}
	}
	if fmt.Sprint(marks) != "[10 20 30]" {
		t.Errorf("rows of the steps: %v", marks)
	}
}

// TestEqualFrame: units are equal, and the range given is in the middle.
func TestEqualFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := rectangle{-rapid.Float64Range(1, 9).Draw(t, "left"), 2, 3, 3 + rapid.Float64Range(1, 9).Draw(t, "height")}
		f := &frame{rectangle: given}
		f.equalUnits()
		const wide, high = frameRight - frameLeft, frameBottom - frameTop
		if x, y := (f.x2-f.x1)/wide, (f.y2-f.y1)/high; math.Abs(x/y-1) > 1e-9 {
			t.Fatalf("a unit is %v of x and %v of y", 1/x, 1/y)
		}
		if f.x1 > given.x1+1e-9 || f.x2 < given.x2-1e-9 || f.y1 > given.y1+1e-9 || f.y2 < given.y2-1e-9 ||
			math.Abs(f.x1+f.x2-given.x1-given.x2) > 1e-9 || math.Abs(f.y1+f.y2-given.y1-given.y2) > 1e-9 {
			t.Fatalf("%v for %v", f.rectangle, given)
		}
	})
}

// TestLiveMixture: the live chart has the rows, the ellipses and the means, and the
// whole legend.
func TestLiveMixture(t *testing.T) {
	m := figure34()
	m.Rows = []int32{0, 3}
	m.Within = []Side{{Boundary: Boundary{Function: along(1)}, Right: true}}
	f := m.figure()
	option := string(f.option())
	contains(t, option,
		`"name":"other rows"`, `"name":"splits above"`, `"name":"component 2, weight 0.50"`, `"name":"by Euclidean distance"`,
		`[0,2]`, `[2,0]`, `"filterMode":"none"`,
		`"data":[{"value":[-1,1]},{"value":[1,-1]}]`, // the other rows
		`,-2.1]},`) // an end of x = 0
	if f.tall <= 1 {
		t.Errorf("no room for a second row of the legend: %v", f.tall)
	}
}

func TestMisuseOfMixtures(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	component := func(x, a, b, b2, c, w float64) Chart {
		return Mixture{Data: corners(), Components: []Gaussian{{[2]float64{x, 0}, [2][2]float64{{a, b}, {b2, c}}, w}}}
	}
	boundary := func(fn forest.Function, threshold float32) Chart {
		return Mixture{Data: corners(), Boundaries: []Boundary{{"", fn, threshold}}}
	}
	component(0, 1, 1, 1, 1, 1).figure() // singular, but allowed
	unlabelled := corners()
	unlabelled.Labels, unlabelled.Classes = nil, nil
	contains(t, string(Mixture{Data: unlabelled}.figure().option()), `"top":"34","data":[]`) // no legend
	d := corners()
	misused[Chart](t,
		Mixture{Data: table(nil, nil, nil)}, Mixture{Data: corners(), Rows: []int32{4}},
		component(nan, 1, 0, 0, 1, 1), component(0, inf, 0, 0, 1, 1), component(0, -1, 0, 0, 1, 1),
		component(0, 1, 0, 0, -1, 1),
		component(0, 1, 0.5, 0.4, 1, 1), component(0, 1, 2, 2, 1, 1), component(0, 1, 0, 0, 1, 1.5),
		component(0, 1, 0, 0, 1, nan),
		component(0, 1, nan, nan, 1, 1), component(0, 1, 0, nan, 1, 1),
		boundary(forest.Linear([]int32{2}, []float32{1}), 0), boundary(along(1), float32(nan)),
		boundary(forest.Function{Kind: forest.Dense, Weights: []float32{1, 2, 3}}, 0),
		Mixture{Data: corners(), Within: []Side{{Boundary: Boundary{Threshold: float32(inf)}}}},
		MixtureSteps{}, MixtureSteps{Steps: []Mixture{{Data: corners()}, {Data: corners()}}},
		MixtureSteps{Steps: []Mixture{{Data: unlabelled}}}, MixtureSteps{Steps: []Mixture{{Data: d}, {Data: d, Equal: true}}},
	)
}
