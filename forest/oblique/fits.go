package oblique

import (
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// fits draws the directions of models that are fitted to the node's rows.
type fits struct {
	p, m, trials int
	model        Model
	regression   regression
	fallback     *grow.Axes

	rows       grow.Rows
	rng        *forest.Rand
	present    []int32   // the node's classes
	side       []float64 // by class: ±1, the group it is in; 0 if it isn't present
	tried      int       // fits so far, …
	enough     int       // … to be tried, …
	most       int       // … to be tried if none of them splits the node
	rowWeights []float64
	target     []float64
	cells      []float32
	index      []int32
	weights    []float32
}

// maxRedraws is how many times K more fits are tried for a node that none splits,
// before every single feature is.
const maxRedraws = 3

func newFits(p, classes int, l Learner) *fits {
	return &fits{p: p, m: l.MaxFeatures, trials: l.Trials, model: l.Node, fallback: grow.NewAxes(p, p), side: make([]float64, classes)}
}

// Watch tells where the node's rows are.
func (f *fits) Watch(rows grow.Rows) { f.rows = rows }

// Begin starts a node.
func (f *fits) Begin(rng *forest.Rand) {
	f.rng = rng
	f.fallback.Begin(rng)
	n := f.rows.Len()
	f.rowWeights, f.target, f.cells = sized(f.rowWeights, n), sized(f.target, n), sized(f.cells, n)
	f.present = f.present[:0]
	clear(f.side)
	for i := range n {
		f.rowWeights[i] = f.rows.Weight(i)
		if c := f.rows.Label(i); f.side[c] == 0 {
			f.side[c] = 1
			f.present = append(f.present, c)
		}
	}
	f.regression.begin(f.rowWeights, f.m)
	f.tried, f.enough, f.most = 0, f.trials, (1+maxRedraws)*f.trials
	if f.m == f.p && len(f.present) == 2 {
		f.enough, f.most = 1, 1 // all fits would be the same
	}
}

// Next returns the direction of the next fit. If none splits the node it tries
// more, and in the end every single feature.
func (f *fits) Next(found bool) (grow.Direction, bool) {
	for f.tried < f.enough || !found && f.tried < f.most {
		f.tried++
		if f.fit() {
			return grow.Direction{Index: f.index, Weights: f.weights}, true
		}
	}
	if found {
		return grow.Direction{}, false
	}
	return f.fallback.Next(found)
}

// fit draws features and groups and fits the model. It reports whether that gave
// a direction; there is none if all features are constant.
func (f *fits) fit() bool {
	f.drawFeatures()
	f.drawGroups()
	f.weights = f.weights[:0]
	if len(f.index) > 1 {
		w, ok := f.regression.coefficients(f.model)
		if !ok {
			return false
		}
		f.keep(w)
	}
	if len(f.index) == 1 {
		f.weights = append(f.weights[:0], 1)
	}
	return len(f.index) > 0
}

// keep makes a direction of the coefficients that are not 0.
func (f *fits) keep(coefficients []float64) {
	features := f.index
	f.index = f.index[:0]
	for k, w := range coefficients {
		if w := float32(w); w != 0 {
			f.index = append(f.index, features[k])
			f.weights = append(f.weights, w)
		}
	}
}

// drawFeatures draws m features, ascending, by selection sampling (Knuth, The
// Art of Computer Programming 3.4.2, Algorithm S), and takes those that aren't
// constant.
func (f *fits) drawFeatures() {
	f.regression.clear()
	f.index = f.index[:0]
	for j, left := 0, f.m; left > 0; j++ {
		if f.rng.Intn(f.p-j) >= left {
			continue
		}
		left--
		f.rows.Column(f.cells, int32(j))
		if f.regression.add(f.cells) {
			f.index = append(f.index, int32(j))
		}
	}
}

// drawGroups divides the node's classes into two groups, neither empty.
func (f *fits) drawGroups() {
	for mixed := false; !mixed; {
		for _, c := range f.present {
			f.side[c] = float64(2*f.rng.Intn(2) - 1)
			mixed = mixed || f.side[c] != f.side[f.present[0]]
		}
	}
	for i := range f.target {
		f.target[i] = f.side[f.rows.Label(i)]
	}
	f.regression.setTarget(f.target)
}

// sized returns s with n elements, whatever they are, and memory to spare if it
// must be new.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}
