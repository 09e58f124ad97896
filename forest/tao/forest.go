package tao

import (
	"context"
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/l1"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/groups"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A trainer holds what all trees of a fit share.
type trainer struct {
	Learner
	options forest.Options // for a single λ, and trees that begin as the learner says
	history *History       // nil for none

	data    *datasets.Dataset
	n, p    int
	all     []int32     // the numbers of all features
	columns [][]float32 // the features by row; those of data, but copied if data is a view
	labels  []int32
	values  []float64 // standardised
	weights []float64
	unit    float64   // of Lambda and LeafLambda, which are multiplied by it: the mean weight
	base    []float64 // what the values of data, and of leaves, are relative to; see grow.Relative
	raised  float64   // by how much more a leaf of the forest to refine predicts than one of the same value here
	mean    float64   // of the values
	sd      float64
	sparse  *l1.Sparse // the nonzero cells, if there are few; otherwise nil
	rule    forest.Rule

	cores   int           // read once: the capacity of idle and the number of workers must agree
	idle    chan struct{} // a token for each core that has no tree to train
	call    parallel.Call // which fits end with; set by train
	scratch sync.Pool     // of *scratch

	mu     sync.Mutex // guards what follows
	report func(done, total int)
	done   int
	passes int // of all trees
}

// sparseDensity is the share of nonzero cells below which fits read only these.
const sparseDensity = 0.3

func newTrainer(l Learner, train *datasets.Dataset) *trainer {
	cores := runtime.GOMAXPROCS(0)
	t := &trainer{
		Learner: l,
		data:    train,
		n:       train.N(),
		p:       train.P(),
		all:     samples.UpTo(train.P()),
		columns: train.Columns,
		labels:  train.Labels,
		weights: grow.RowWeights(train),
		unit:    grow.MeanWeight(train),
		sd:      1,
		cores:   cores,
		idle:    make(chan struct{}, cores),
	}
	t.Lambda, t.LeafLambda = t.unit*t.Lambda, t.unit*t.LeafLambda
	if t.weights == nil {
		t.weights = slices.Repeat([]float64{1}, t.n)
	}
	if train.Rows != nil {
		t.columns = make([][]float32, t.p)
		parallel.For(t.p, func(j int) { t.columns[j] = train.Column(nil, j) })
	}
	if train.Labels == nil {
		relative := *train
		relative.Values, t.base = grow.Relative(train.Values, t.weights)
		t.data = &relative
		t.standardise(relative.Values)
	}
	if train.Labels == nil || l.LinearLeaves {
		t.rule = forest.Average
	}
	if nonzeros(t.columns, t.n) < sparseDensity {
		t.sparse = l1.NewSparse(t.columns, t.n)
	}
	return t
}

// nonzeros returns the share of nonzero cells.
func nonzeros(columns [][]float32, n int) float64 {
	var total atomic.Int64
	parallel.For(len(columns), func(j int) {
		count := 0
		for _, v := range columns[j] {
			if v != 0 {
				count++
			}
		}
		total.Add(int64(count))
	})
	return float64(total.Load()) / float64(n*len(columns))
}

// standardise sets the values to those of the data, minus their mean and divided by their
// standard deviation.
func (t *trainer) standardise(values []float64) {
	var sum, squares, total float64
	for i, v := range values {
		total += t.weights[i]
		sum += float64(t.weights[i] * v)
	}
	t.mean = sum / total
	for i, v := range values {
		e := v - t.mean
		squares += float64(t.weights[i] * float64(e*e))
	}
	if sd := math.Sqrt(squares / total); sd > 0 {
		t.sd = sd
	}
	t.values = make([]float64, t.n)
	for i, v := range values {
		t.values[i] = (v - t.mean) / t.sd
	}
}

// train trains the trees for one λ after another and returns a forest for each. The trees
// begin as those of from or, if it is nil, as the learner says.
func (t *trainer) train(ctx context.Context, from *forest.Forest, lambdas []float64) ([]*forest.Forest, error) {
	if from != nil && t.labels != nil {
		t.rule = from.Rule
	}
	forests := make([]*forest.Forest, len(lambdas))
	for i := range forests {
		forests[i] = t.forest()
	}
	if from != nil {
		t.raised = from.Offset() - forests[0].Offset()
	}
	first, last, err := t.options.Begin(forests[0])
	if err != nil {
		return nil, err
	}
	t.report = forest.Progress(ctx)
	t.done, t.passes = first*t.Passes*len(lambdas), last*t.Passes*len(lambdas)
	t.history.begin(t.forest())
	t.call = parallel.Until(ctx)
	for range t.cores - min(t.cores, last-first) {
		t.idle <- struct{}{}
	}
	var unfinished atomic.Bool
	err = parallel.Workers(ctx, last-first, t.cores, func(trees iter.Seq[int]) {
		for i := range trees {
			if t.trainTree(ctx, from, first+i, lambdas, forests) != nil {
				unfinished.Store(true)
				break
			}
		}
		t.idle <- struct{}{} // this worker's core can help with the trees that are left
	})
	if err == nil && unfinished.Load() {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return forests, nil
}

// forest returns a forest with trees to be filled in.
func (t *trainer) forest() *forest.Forest {
	f := &forest.Forest{
		Method:   method,
		Target:   t.data.Target,
		Features: t.data.FeatureNames(),
		Scales:   datasets.ScalesOf(t.data.Features),
		Classes:  slices.Clone(t.data.Classes),
		Rule:     t.rule,
		Base:     t.base,
		Trees:    make([]forest.Tree, t.Trees),
		Rows:     t.n,
		Sampling: t.Sampling,
		Seed:     t.Seed,
	}
	_, f.Groups = groups.Number(t.data.Groups, 0)
	return f
}

// trainTree trains tree number i for one λ after another.
func (t *trainer) trainTree(ctx context.Context, from *forest.Forest, i int, lambdas []float64,
	forests []*forest.Forest) error {
	o := t.newOptimizer(ctx, i)
	if from != nil {
		return o.refine(&from.Trees[i], &forests[0].Trees[i])
	}
	o.start()
	for k, lambda := range lambdas {
		o.lambda, o.pass = t.unit*lambda, 0
		if err := o.passAll(t.Acceptance); err != nil {
			return err
		}
		forests[k].Trees[i] = o.pruned()
	}
	return o.ctx.Err() // pruned ends with ctx, too
}

// reportPass reports that a pass over a tree is done. A tree of a call that was cancelled isn't kept, since it may
// not be whole.
func (t *trainer) reportPass(p Pass, tree func() forest.Tree) {
	if t.history != nil {
		if p.snapshot = tree(); parallel.Cancelled(t.call) {
			return
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done = min(t.done+1, t.passes) // Refine may make a tree's passes twice
	t.history.add(p)
	t.report(t.done, t.passes)
}

// both calls two functions that don't depend on each other, in parallel if a core is idle
// and there are enough rows to make it worthwhile.
func (t *trainer) both(rows int, s *scratch, first, second func(s *scratch)) {
	if rows >= leastShared {
		select {
		case <-t.idle:
			helper := t.borrow()
			parallel.For(2, func(i int) {
				if i == 0 {
					first(s)
				} else {
					second(helper)
				}
			})
			t.scratch.Put(helper)
			t.idle <- struct{}{}
			return
		default:
		}
	}
	first(s)
	second(s)
}

// leastShared is the least number of rows for which a second core is used.
const leastShared = 500

func (t *trainer) borrow() *scratch {
	if s, ok := t.scratch.Get().(*scratch); ok {
		return s
	}
	s := new(scratch)
	s.solver.Call = t.call
	return s
}

// A scratch is the memory that one goroutine needs while it fits a node.
type scratch struct {
	solver  l1.Solver
	matrix  l1.Matrix
	values  []float32 // of a split's function
	dense   []float32 // its weights, one for each feature
	rows    []int32   // the rows that count in a fit
	routed  []int32   // rows on their way down a subtree
	spare   []int32   // of divide
	order   []int32   // of solveAxis
	sides   []int8    // the pseudolabels of rows
	targets []float64
	weights []float64
	classes []int32   // the position of each class among those of a leaf
	labels  []int32   // of rows, as such positions
	counts  []float64 // by class
	shift   []float32 // of the features of a fit
	penalty []float64
	model   []float64 // the weights that are fitted
	biases  []float64
	scores  []float64
}

// resized returns a slice of n arbitrary elements, in the memory of *s if it suffices.
func resized[T any](s *[]T, n int) []T {
	*s = grow.Sized(*s, n)
	return *s
}
