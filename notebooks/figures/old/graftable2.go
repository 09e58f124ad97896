package old

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// An SVMJob asks for support vector machines with the kernel exp(−γ‖a − b‖²).
type SVMJob struct {
	Train, Test *datasets.Dataset
	C, Gamma    float64   // zero means to choose both by cross-validation on Train
	Subsets     [][]int32 // a machine is trained on each of these subsets of Train
}

// An SVMReply answers an [SVMJob].
type SVMReply struct {
	Version  string    `json:"version"` // of the program that trained the machines
	C        float64   `json:"c"`
	Gamma    float64   `json:"gamma"`
	Accuracy []float64 `json:"accuracy"` // of each machine, on Test

	// Support are the support vectors of the first machine, in ascending order, as numbers
	// of rows of Train, and Alpha their weights |α|. With more than two classes, which take
	// a machine for each pair, a row is a support vector if it is one of any pair, and
	// its weight is the sum over pairs.
	Support []int32   `json:"support"`
	Alpha   []float64 `json:"alpha"`
}

// SupportSets are the sets of table 2 of the GRAF paper, in its order, which is by size.
var SupportSets = strings.Fields(`
	synthetic-control hill-valley credit-approval breast-cancer-wisc energy-y2 statlog-vehicle statlog-german-credit
	titanic optical abalone pendigits mushroom letter`)

// GRAFSupport returns table 2 and figure 14 of the GRAF paper: support vectors of an SVM
// against rows chosen in other ways. The data are [SupportSets] in the numeric coding of
// table D.1, divided into equal halves, stratified, to train and to test. The paper's
// setting has five divisions of sets of at most 2500 rows and two of larger ones, the
// fast one has one division of the first three sets.
//
// The score is the accuracy on the test rows of an SVM trained on the chosen rows, with the settings that were chosen
// for all training rows. Methods are SVM (all rows are chosen), GRAF (the most sensitive rows), SVIS, NPPS, and two
// that the paper doesn't have: GRAF P (rows drawn in proportion to their sensitivity) and random (rows drawn
// uniformly). All but NPPS choose as many rows as there are support vectors. Of the numbers k of neighbours, NPPS takes
// the one whose accuracy on the test rows is highest, as in the paper, so its score is optimistic.
//
// More has the size of the choice as a percentage of the training rows, of the
// support vectors for SVM; overlap, the percentage of the support vectors that were
// chosen; and weight, these vectors' percentage of the sum of α. GRAF also has quantiles of N·p,
// p being the probability of eq. 33: all.25 is the first quartile of all rows, sv.25 that
// of the support vectors, most.25 that of the rows chosen; and sv1 to sv4, the mean of N·p over the
// quarters of the support vectors by ascending α.
func GRAFSupport(paper bool, svm func(context.Context, SVMJob) (SVMReply, error)) Experiment {
	s := size(paper)
	e := Experiment{Name: "graf-support" + s.suffix()}
	for _, name := range pick(s, SupportSets[:3], SupportSets) {
		divisions := pick(s, 1, 5)
		if s == full && slices.Contains([]string{"optical", "abalone", "pendigits", "mushroom", "letter"}, name) {
			divisions = 2
		}
		for repeat := range divisions {
			d := &supportStudy{set: name, seed: uint64(repeat + 1), svm: svm}
			runs := study{
				problems: []problem{{name: name}},
				methods: []method{
					{name: "SVM", fit: d.all}, {name: "GRAF", fit: d.mostSensitive}, {name: "GRAF P", fit: d.likelySensitive},
					{name: "SVIS", fit: d.smallMargins}, {name: "NPPS", fit: d.mixedNeighbours}, {name: "random", fit: d.random},
				},
				do: func(ctx context.Context, t *trial) error {
					d.mu.Lock()
					defer d.mu.Unlock()
					if err := d.prepare(ctx); err != nil {
						return err
					}
					begun := time.Now()
					err := t.method.fit(ctx, t)
					t.Seconds = time.Since(begun).Seconds()
					return err
				},
			}.runs()
			for _, r := range runs {
				r.Repeat, r.Seed = repeat+1, d.seed
				e.Runs = append(e.Runs, r)
			}
		}
	}
	return e
}

// A supportStudy is one division of a set, and the SVM that is trained on all of its
// training rows.
type supportStudy struct {
	mu   sync.Mutex // its runs are done one at a time
	set  string
	seed uint64
	svm  func(context.Context, SVMJob) (SVMReply, error)

	train, test *datasets.Dataset
	full        SVMReply

	scores  *inspect.RowScores // of GRAF
	setting string             // of GRAF
}

// prepare divides the data and trains the SVM, unless that was done before.
func (s *supportStudy) prepare(ctx context.Context) error {
	if s.full.Support != nil {
		return nil
	}
	d, err := public.Load(ctx, "fd_"+s.set)
	if err != nil {
		return err
	}
	if s.train, s.test, err = (datasets.Holdout{Test: 0.5, Stratified: true, Seed: s.seed}).Split(d); err != nil {
		return err
	}
	every := [][]int32{from(0, int32(s.train.N()))}
	s.full, err = s.svm(ctx, SVMJob{Train: s.train, Test: s.test, Subsets: every})
	return err
}

func (s *supportStudy) all(_ context.Context, t *trial) error {
	t.Score, t.Setting = s.full.Accuracy[0], fmt.Sprintf("C=%.4g γ=%.4g", s.full.C, s.full.Gamma)
	s.measure(t, s.full.Support)
	return nil
}

// measure sets More of chosen rows, which are in ascending order.
func (s *supportStudy) measure(t *trial, chosen []int32) {
	var shared, weight, total float64
	for k, i := range s.full.Support {
		total += s.full.Alpha[k]
		if _, is := slices.BinarySearch(chosen, i); is {
			shared++
			weight += s.full.Alpha[k]
		}
	}
	t.More["size"] = 100 * float64(len(chosen)) / float64(s.train.N())
	t.More["overlap"] = 100 * shared / float64(len(s.full.Support))
	t.More["weight"] = 100 * weight / total
}

// result trains an SVM on each of some choices of rows, with the settings that were chosen for all training rows. The
// result is that of the best choice.
func (s *supportStudy) result(ctx context.Context, t *trial, choices ...[]int32) (best int, err error) {
	reply, err := s.svm(ctx, SVMJob{s.train, s.test, s.full.C, s.full.Gamma, choices})
	if err != nil {
		return 0, err
	}
	best = floats.MaxIdx(reply.Accuracy)
	t.Score = reply.Accuracy[best]
	s.measure(t, choices[best])
	return best, nil
}

// tuningRows is the most training rows on which GRAF is tuned for table 2.
const tuningRows = 2000

// sensitivity trains 200 trees of GRAF, unless that was done before. M and MinSplit are
// tuned as for table D.1, on at most 2000 rows.
func (s *supportStudy) sensitivity(ctx context.Context) error {
	if s.scores != nil {
		return nil
	}
	part := s.train
	if n := part.N(); n > tuningRows {
		var err error
		share := float64(n-tuningRows) / float64(n)
		if part, _, err = (datasets.Holdout{Test: share, Stratified: true, Seed: s.seed}).Split(part); err != nil {
			return err
		}
	}
	best, err := tuneByKappa(ctx, graf.Learner{Trees: tuningTrees, Seed: s.seed}.Grid(part), part)
	if err != nil {
		return err
	}
	learner := graf.Learner{Trees: tableTrees, Seed: s.seed}.Grid(s.train)[best]
	model, err := learner.Fit(ctx, s.train)
	if err != nil {
		return err
	}
	s.setting = setting(learner, s.train.P())
	s.scores, err = inspect.Sensitivity(ctx, model, s.train)
	return err
}

// mostSensitive chooses the rows that GRAF is most sensitive to.
func (s *supportStudy) mostSensitive(ctx context.Context, t *trial) error {
	if err := s.sensitivity(ctx); err != nil {
		return err
	}
	least := floats.ScaleTo(make([]float64, s.train.N()), -1, s.scores.Scores)
	chosen := smallest(least, len(s.full.Support), s.seed)
	t.Setting = s.setting
	s.describe(t.More, s.scores.P, chosen)
	_, err := s.result(ctx, t, chosen)
	return err
}

// likelySensitive draws rows in proportion to their sensitivity.
func (s *supportStudy) likelySensitive(ctx context.Context, t *trial) error {
	if err := s.sensitivity(ctx); err != nil {
		return err
	}
	share := float64(len(s.full.Support)) / float64(s.train.N())
	drawn, err := s.scores.Approximate(share, inspect.ByProbability, s.seed)
	if err != nil {
		return err
	}
	t.Setting = s.setting
	_, err = s.result(ctx, t, rowsWithin(drawn, s.train))
	return err
}

// rowsWithin returns the rows of a subset of d, whose rows are in ascending order in both,
// as numbers of rows of d.
func rowsWithin(subset, d *datasets.Dataset) []int32 {
	rows := make([]int32, len(subset.Rows))
	for i, row := range subset.Rows {
		at, _ := slices.BinarySearch(d.Rows, row)
		rows[i] = int32(at)
	}
	return rows
}

// describe adds the measures of figure 14.
func (s *supportStudy) describe(more map[string]float64, p []float64, chosen []int32) {
	relative := floats.ScaleTo(make([]float64, len(p)), float64(len(p)), p)
	of := func(rows []int32) (v []float64) {
		for _, i := range rows {
			v = append(v, relative[i])
		}
		return v
	}
	support := of(s.full.Support)
	order := make([]int, len(support))
	floats.ArgsortStable(slices.Clone(s.full.Alpha), order)
	for quarter := range 4 {
		part := order[quarter*len(order)/4 : (quarter+1)*len(order)/4]
		var sum float64
		for _, k := range part {
			sum += support[k]
		}
		more[fmt.Sprint("sv", quarter+1)] = sum / float64(len(part))
	}
	for name, values := range map[string][]float64{"all": relative, "sv": support, "most": of(chosen)} {
		slices.Sort(values)
		for percent := 0; percent <= 100; percent += 5 {
			more[fmt.Sprint(name, ".", percent)] = values[(percent*(len(values)-1)+50)/100]
		}
	}
}

// smallMargins chooses by SVIS, small votes instance selection (Guo and Boukir, Pattern
// Recognition Letters 51, 2015), as the GRAF paper describes it: the rows with the
// smallest margins of 100 bagged trees, each grown on 63.2 % of the rows, drawn with
// replacement. The margin (eq. 23) is the share of trees that vote for the row's class, less
// the largest share for another class; all trees vote.
func (s *supportStudy) smallMargins(ctx context.Context, t *trial) error {
	bagging := rf.Learner{Trees: 100, NodeFeatures: s.train.P(), Sampling: forest.Sampling{Fraction: 0.632}, Seed: s.seed}
	model, err := bagging.Fit(ctx, s.train)
	if err != nil {
		return err
	}
	votes, err := model.Votes(ctx, s.train)
	if err != nil {
		return err
	}
	_, err = s.result(ctx, t, smallest(margins(votes, s.train.Labels), len(s.full.Support), s.seed))
	return err
}

// margins returns the votes for each row's class less the most votes for another class.
func margins(votes [][]int32, labels []int32) []float64 {
	m := make([]float64, len(votes))
	for i, v := range votes {
		var other int32
		for c, n := range v {
			if int32(c) != labels[i] {
				other = max(other, n)
			}
		}
		m[i] = float64(v[labels[i]] - other)
	}
	return m
}

// smallest returns the rows with the m smallest keys, in ascending order. Among rows with
// equal keys it chooses at random.
func smallest(keys []float64, m int, seed uint64) []int32 {
	order := shuffledRows(len(keys), seed)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	chosen := order[:m]
	slices.Sort(chosen)
	return chosen
}

func shuffledRows(n int, seed uint64) []int32 {
	rng := forest.NewRand(seed)
	order := make([]int32, n)
	for i := range order {
		j := rng.Intn(i + 1)
		order[i], order[j] = order[j], int32(i)
	}
	return order
}

// random chooses as many rows as there are support vectors.
func (s *supportStudy) random(ctx context.Context, t *trial) error {
	_, err := s.result(ctx, t, smallest(make([]float64, s.train.N()), len(s.full.Support), s.seed))
	return err
}

// The numbers of neighbours that NPPS tries: all from 2 to 50, or some for more than 2000
// training rows.
const mostNeighbours = 50

func neighbourCounts(n int) []int {
	if n > 2000 {
		return []int{2, 3, 5, 7, 10, 15, 20, 30, 40, mostNeighbours}
	}
	return ints(2, mostNeighbours)
}

// mixedNeighbours chooses by NPPS; see [npps].
func (s *supportStudy) mixedNeighbours(ctx context.Context, t *trial) error {
	near := neighbourLabels(s.train, mostNeighbours, s.seed)
	var settings []string
	var choices [][]int32
	for _, k := range neighbourCounts(s.train.N()) {
		if chosen := npps(near, s.train.Labels, len(s.train.Classes), k); len(chosen) > 0 {
			settings, choices = append(settings, fmt.Sprintf("k=%d", k)), append(choices, chosen)
		}
	}
	if len(choices) == 0 {
		return fmt.Errorf("NPPS chooses no row of %s", s.set)
	}
	best, err := s.result(ctx, t, choices...)
	t.Setting = settings[best]
	return err
}

// npps returns the rows that neighbourhood property-based pattern selection chooses
// (Shin and Cho, Neural Computation 19, 2007; its first form, which looks at every row,
// with β = 1): rows whose k nearest neighbours are of more than one class, so that the entropy of
// their classes is above 0, and of which a share of at least 1/classes has the row's own
// class. near has the neighbours' classes, nearest first.
//
// The first condition keeps rows near a boundary, the second leaves out noise.
func npps(near [][]int32, labels []int32, classes, k int) []int32 {
	var chosen []int32
	for i, all := range near {
		some := all[:min(k, len(all))]
		same, mixed := 0, false
		for _, c := range some {
			if c == labels[i] {
				same++
			}
			mixed = mixed || c != some[0]
		}
		if mixed && same*classes >= len(some) {
			chosen = append(chosen, int32(i))
		}
	}
	return chosen
}

// neighbourLabels returns the classes of the k nearest other rows of each row, by
// Euclidean distance, nearest first. Ties are in an order drawn from seed.
func neighbourLabels(d *datasets.Dataset, k int, seed uint64) [][]int32 {
	n, p := d.N(), d.P()
	k = min(k, n-1)
	order := shuffledRows(n, seed)
	cells := make([]float32, n*p) // in that order
	for i, row := range order {
		copy(cells[i*p:], d.Row(nil, int(row)))
	}
	near := make([][]int32, n)
	parallel.For(n, func(i int) {
		found, at := make([]int32, k), make([]float64, k)
		for j := range at {
			at[j] = math.Inf(1)
		}
		own := cells[i*p : (i+1)*p]
		for j := range n {
			distance := 0.0
			for f, x := range cells[j*p : (j+1)*p] {
				distance += float64(x-own[f]) * float64(x-own[f])
			}
			if j == i || distance >= at[k-1] {
				continue
			}
			to := k - 1
			for ; to > 0 && at[to-1] > distance; to-- {
				at[to], found[to] = at[to-1], found[to-1]
			}
			at[to], found[to] = distance, d.Labels[order[j]]
		}
		near[order[i]] = found
	})
	return near
}
