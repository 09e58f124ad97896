package viz

import (
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/obliqua-ml/obliqua/forest"
)

// A Boundary is where a split function of two features equals a threshold: a line or, if
// the function is quadratic, a conic section.
type Boundary struct {
	Name      string // in the legend
	Function  forest.Function
	Threshold float32
}

// A Side is one side of a boundary: the left one, where the function is at most the
// threshold, or the right one.
type Side struct {
	Boundary
	Right bool
}

// above returns the value of the function minus the threshold at (x, y).
func (b *Boundary) above(x, y float64) float64 {
	return float64(b.Function.Value([]float32{float32(x), float32(y)})) - float64(b.Threshold)
}

// A rectangle is the part of the plane that a picture shows.
type rectangle struct{ x1, x2, y1, y2 float64 }

// DataRange returns the sides.
func (r rectangle) DataRange() (xmin, xmax, ymin, ymax float64) { return r.x1, r.x2, r.y1, r.y2 }

// contourCells is the number of cells along each side of the grid on which boundaries
// are found.
const contourCells = 200

// contour returns the boundary within a rectangle as lines, those that end at the
// rectangle's sides first. It is found by marching squares: where the function passes the
// threshold between two neighbours on the grid, a point is interpolated. A part that
// lies between grid points is missed.
func (b *Boundary) contour(r rectangle) []plotter.XYs {
	const side = contourCells + 1
	at := func(v int) plotter.XY {
		return plotter.XY{X: r.x1 + (r.x2-r.x1)*float64(v%side)/contourCells,
			Y: r.y1 + (r.y2-r.y1)*float64(v/side)/contourCells}
	}
	values := make([]float64, side*side)
	for v := range values {
		p := at(v)
		values[v] = b.above(p.X, p.Y)
	}
	// Edge 2v joins grid point v to its right neighbour, edge 2v + 1 to its upper one. An
	// edge that the boundary crosses is linked to the next ones along the boundary, of
	// which there are at most two, one in each cell beside it.
	links := make([][]int, 2*len(values))
	for v := range values {
		if v%side == contourCells || v/side == contourCells {
			continue
		}
		for _, pair := range crossings(values, v, side) {
			links[pair[0]] = append(links[pair[0]], pair[1])
			links[pair[1]] = append(links[pair[1]], pair[0])
		}
	}
	point := func(edge int) plotter.XY {
		v, w := edge/2, edge/2+1
		if edge%2 == 1 {
			w = v + side
		}
		return crossing(at(v), at(w), values[v], values[w])
	}
	return trace(links, point)
}

// crossing returns where a function that is linear from p to q is 0, from its values at both ends.
func crossing(p, q plotter.XY, atP, atQ float64) plotter.XY {
	t := atP / (atP - atQ)
	return plotter.XY{X: p.X + t*(q.X-p.X), Y: p.Y + t*(q.Y-p.Y)}
}

// crossings returns the pairs of edges of a cell that the boundary joins. The cell's
// lower left corner is grid point v.
func crossings(values []float64, v, side int) [][2]int {
	bottom, left, top, right := 2*v, 2*v+1, 2*(v+side), 2*(v+1)+1
	corners := [4]float64{values[v], values[v+1], values[v+1+side], values[v+side]} // counter-clockwise
	sum := 0.0
	for _, c := range corners {
		sum += c
	}
	if sum-sum != 0 { // one isn't finite
		return nil
	}
	var crossed []int
	for k, edge := range [4]int{bottom, right, top, left} {
		if (corners[k] > 0) != (corners[(k+1)%4] > 0) {
			crossed = append(crossed, edge)
		}
	}
	switch {
	case len(crossed) == 0:
		return nil
	case len(crossed) == 2:
		return [][2]int{{crossed[0], crossed[1]}}
	case (sum > 0) == (corners[0] > 0): // a saddle, whose middle joins the corner at v to the one opposite
		return [][2]int{{bottom, right}, {top, left}}
	}
	return [][2]int{{bottom, left}, {top, right}}
}

// trace joins linked edges to lines: open ones, then closed ones, whose last point is
// the first.
func trace(links [][]int, point func(edge int) plotter.XY) []plotter.XYs {
	var lines []plotter.XYs
	follow := func(edge int) {
		first, line := edge, plotter.XYs{point(edge)}
		for len(links[edge]) > 0 {
			next := links[edge][0]
			links[edge] = links[edge][1:]
			links[next] = slices.DeleteFunc(links[next], func(back int) bool { return back == edge })
			line, edge = append(line, point(next)), next
			if edge == first {
				break
			}
		}
		lines = append(lines, line)
	}
	for _, ends := range []int{1, 2} {
		for edge := range links {
			if len(links[edge]) == ends {
				follow(edge)
			}
		}
	}
	return lines
}

// clip returns the parts of lines that are on one side of a boundary. It takes values to
// change linearly between neighbouring points.
func (s *Side) clip(lines []plotter.XYs) []plotter.XYs {
	var parts []plotter.XYs
	for _, line := range lines {
		var part plotter.XYs
		last := 0.0
		for i, p := range line {
			v := s.above(p.X, p.Y)
			inside := (v > 0) == s.Right
			if i > 0 && inside != ((last > 0) == s.Right) {
				part = append(part, crossing(line[i-1], p, last, v))
			}
			if inside {
				part = append(part, p)
			}
			if last = v; !inside && part != nil {
				parts, part = append(parts, part), nil
			}
		}
		if part != nil {
			parts = append(parts, part)
		}
	}
	return parts
}

// within returns the parts of a boundary that lie in the rectangle and on all sides given,
// with no more points than a picture needs.
func (b *Boundary) within(r rectangle, sides []Side) []plotter.XYs {
	lines := b.contour(r)
	for _, s := range sides {
		lines = s.clip(lines)
	}
	for i := range lines {
		lines[i] = r.simplify(lines[i])
	}
	return lines
}

// simplify leaves out points of a line that are closer to the rest than 1/10,000 of the
// rectangle's width and height. (Douglas and Peucker 1973.)
func (r rectangle) simplify(line plotter.XYs) plotter.XYs {
	if len(line) < 3 {
		return line
	}
	scaled := func(p plotter.XY) (x, y float64) { return p.X / (r.x2 - r.x1), p.Y / (r.y2 - r.y1) }
	last := len(line) - 1
	x1, y1 := scaled(line[0])
	x2, y2 := scaled(line[last])
	farthest, most := 0, 1e-4
	for i, p := range line[1:last] {
		x, y := scaled(p)
		distance := math.Hypot(x-x1, y-y1)
		if length := math.Hypot(x2-x1, y2-y1); length > 0 {
			distance = math.Abs((x-x1)*(y2-y1)-(y-y1)*(x2-x1)) / length
		}
		if distance > most {
			farthest, most = i+1, distance
		}
	}
	if farthest == 0 {
		return plotter.XYs{line[0], line[last]}
	}
	left, right := r.simplify(line[:farthest+1]), r.simplify(line[farthest:])
	return append(left[:len(left)-1:len(left)-1], right...)
}
