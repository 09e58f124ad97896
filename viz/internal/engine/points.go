package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/sim"
)

// Points are labelled rows. The playground shows columns 0 and 1.
type Points struct {
	Target   string      `json:"target"`
	Features []string    `json:"features"`
	Classes  []string    `json:"classes"`
	Columns  [][]float32 `json:"columns,omitempty"`
	Labels   []int32     `json:"labels,omitempty"`
}

// A Sample is a request for points of a simulated problem.
type Sample struct {
	Problem string             `json:"problem"` // such as "sim.XOR"
	Fields  map[string]float64 `json:"fields"`
	Rows    int                `json:"rows"`
	Seed    uint64             `json:"seed"`
	Noise   float64            `json:"noise"` // share of the labels that are replaced by another class, drawn at random
}

// testRows is the number of rows for the test error.
const testRows = 2000

// problem is what the types of package sim have in common.
type problem interface {
	Sample(n int, seed uint64) *datasets.Dataset
}

// Draw returns training rows and testRows further rows of the same sample. bayes is the
// least error that is possible, or NaN if it isn't known. It returns an error if Rows or
// Noise is out of range, and where [newValue] or package sim does.
func (s Sample) Draw() (train, test *datasets.Dataset, bayes float64, err error) {
	if s.Rows < 1 || s.Rows > 100_000 {
		return nil, nil, 0, fmt.Errorf("playground: %d rows; want 1 to 100,000", s.Rows)
	}
	if !(s.Noise >= 0 && s.Noise <= 0.5) {
		return nil, nil, 0, fmt.Errorf("playground: noise %v; want 0 to 0.5", s.Noise)
	}
	_, from, err := newValue[problem](s.Problem, s.Fields)
	if err != nil {
		return nil, nil, 0, err
	}
	defer func() { // package sim panics if a field is out of range
		if p := recover(); p != nil {
			err = fmt.Errorf("playground: %v", p)
		}
	}()
	d := from.Sample(s.Rows+testRows, s.Seed)
	others := float64(len(d.Classes) - 1)
	flip(d, s.Noise, s.Seed)
	rows := make([]int32, d.N())
	for i := range rows {
		rows[i] = int32(i)
	}
	train, test = d.Subset(rows[:s.Rows]), d.Subset(rows[s.Rows:])
	bayes = math.NaN()
	if known, ok := from.(interface{ Bayes() sim.Rule }); ok {
		// The best prediction is right if it was and the label stayed, or if it was wrong
		// and the label was replaced by it.
		b := known.Bayes().Error()
		bayes = 1 - (1-s.Noise)*(1-b) - s.Noise*b/others
	}
	return train, test, bayes, nil
}

// flip replaces the label of a row with the given probability by one of the others.
func flip(d *datasets.Dataset, share float64, seed uint64) {
	r := forest.NewRand(seed, 0x6c6162656c73)
	for i, label := range d.Labels {
		if r.Float64() < share {
			d.Labels[i] = (label + 1 + int32(r.Intn(len(d.Classes)-1))) % int32(len(d.Classes))
		}
	}
}

// View returns a square around columns 0 and 1: x from View[0] to View[1], y from View[2] to View[3].
func View(d *datasets.Dataset) (view [4]float64) {
	var low, high [2]float32
	for j := range low {
		column := d.Column(nil, j)
		low[j], high[j] = slices.Min(column), slices.Max(column)
	}
	half := 1.05 * max(float64(high[0]-low[0]), float64(high[1]-low[1])) / 2
	if half == 0 {
		half = 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(half))) / 20
	half = math.Ceil(half/unit) * unit
	for j := range low {
		centre := math.Round(float64(low[j]+high[j])/2/unit) * unit
		view[2*j], view[2*j+1] = centre-half, centre+half
	}
	return view
}

// dataset returns the points as training data. Classes without points are left out; used
// are those that are kept.
func (p Points) dataset() (d *datasets.Dataset, used []int32, err error) {
	for i, label := range p.Labels {
		if label < 0 || int(label) >= len(p.Classes) {
			return nil, nil, fmt.Errorf("playground: point %d has class %d of %d", i, label, len(p.Classes))
		}
	}
	d = &datasets.Dataset{Name: "points", Target: p.Target, Columns: p.Columns}
	for k, name := range p.Classes {
		if slices.Contains(p.Labels, int32(k)) {
			used, d.Classes = append(used, int32(k)), append(d.Classes, name)
		}
	}
	if len(used) < 2 {
		return nil, nil, fmt.Errorf("playground: draw points of two classes or more")
	}
	d.Labels = make([]int32, len(p.Labels))
	for i, label := range p.Labels {
		d.Labels[i] = int32(slices.Index(used, label))
	}
	for _, name := range p.Features {
		d.Features = append(d.Features, datasets.Feature{Name: name})
	}
	return d, used, d.Check()
}
