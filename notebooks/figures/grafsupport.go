package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

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
var SupportSets = []string{"synthetic-control", "hill-valley", "credit-approval", "breast-cancer-wisc", "energy-y2", "statlog-vehicle",
	"statlog-german-credit", "titanic", "optical", "abalone", "pendigits", "mushroom", "letter"}

// GRAFSupport returns table 2 and figure 14 of the GRAF paper: support vectors of an SVM
// against rows chosen in other ways. The data are [SupportSets] in the numeric coding of
// table D.1, divided into equal halves, stratified, to train and to test. The paper's
// setting has five divisions of sets of at most 2500 rows and two of larger ones, the
// fast one has one division of the first three sets.
//
// The score is the accuracy on the test rows of an SVM trained on the chosen rows, with
// the settings that were chosen for all training rows. Methods are SVM (all rows are
// chosen), GRAF (the most sensitive rows), SVIS, NPPS, and two that the paper doesn't have:
// GRAF P (rows drawn in proportion to their sensitivity) and random (rows drawn uniformly).
// All but NPPS choose as many rows as there are support vectors. Of the numbers k of neighbours, NPPS takes the one whose accuracy on
// the test rows is highest, as in the paper, so its score is optimistic.
//
// More has the size of the choice as a percentage of the training rows, of the
// support vectors for SVM; overlap, the percentage of the support vectors that were
// chosen; and weight, these vectors' percentage of the sum of α. GRAF also has quantiles of N·p,
// p being the probability of eq. 33: all.25 is the first quartile of all rows, sv.25 that
// of the support vectors, most.25 that of the rows chosen; and sv1 to sv4, the mean of N·p over the
// quarters of the support vectors by ascending α.
func GRAFSupport(paper bool, svm func(context.Context, SVMJob) (SVMReply, error)) Experiment {
	e := Experiment{Name: "graf-support-fast"}
	sets := SupportSets[:3]
	if paper {
		e.Name, sets = "graf-support-paper", SupportSets
	}
	for _, name := range sets {
		divisions := 1
		if paper {
			divisions = supportDivisions(name)
		}
		for repeat := 1; repeat <= divisions; repeat++ {
			s := &supportStudy{set: name, seed: uint64(repeat), svm: svm}
			for _, m := range []struct {
				name string
				do   func(context.Context) (Result, error)
			}{{"SVM", s.all}, {"GRAF", s.mostSensitive}, {"GRAF P", s.likelySensitive}, {"SVIS", s.smallMargins},
				{"NPPS", s.mixedNeighbours}, {"random", s.random}} {
				e.Runs = append(e.Runs, Run{Problem: name, Method: m.name, Repeat: repeat, Seed: s.seed, Do: func(ctx context.Context) (Result, error) {
					if err := s.prepare(ctx); err != nil {
						return Result{}, err
					}
					start := time.Now()
					r, err := m.do(ctx)
					r.Seconds = time.Since(start).Seconds()
					return r, err
				}})
			}
		}
	}
	return e
}

func supportDivisions(set string) int {
	if slices.Contains([]string{"optical", "abalone", "pendigits", "mushroom", "letter"}, set) {
		return 2
	}
	return 5
}

// A supportStudy is one division of a set, and the SVM that is trained on all of its
// training rows.
type supportStudy struct {
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
	every := make([]int32, s.train.N())
	for i := range every {
		every[i] = int32(i)
	}
	s.full, err = s.svm(ctx, SVMJob{Train: s.train, Test: s.test, Subsets: [][]int32{every}})
	return err
}

func (s *supportStudy) all(context.Context) (Result, error) {
	r := Result{Score: s.full.Accuracy[0], Setting: fmt.Sprintf("C=%.4g γ=%.4g", s.full.C, s.full.Gamma)}
	r.More = s.measures(s.full.Support)
	return r, nil
}

// measures returns More of chosen rows.
func (s *supportStudy) measures(chosen []int32) map[string]float64 {
	is := map[int32]bool{}
	for _, i := range chosen {
		is[i] = true
	}
	var shared, weight, total float64
	for k, i := range s.full.Support {
		total += s.full.Alpha[k]
		if is[i] {
			shared++
			weight += s.full.Alpha[k]
		}
	}
	return map[string]float64{
		"size":    100 * float64(len(chosen)) / float64(s.train.N()),
		"overlap": 100 * shared / float64(len(s.full.Support)),
		"weight":  100 * weight / total,
	}
}

// result trains an SVM on chosen rows.
func (s *supportStudy) result(ctx context.Context, chosen []int32, setting string) (Result, error) {
	reply, err := s.svm(ctx, SVMJob{Train: s.train, Test: s.test, C: s.full.C, Gamma: s.full.Gamma, Subsets: [][]int32{chosen}})
	if err != nil {
		return Result{}, err
	}
	return Result{Score: reply.Accuracy[0], Setting: setting, More: s.measures(chosen)}, nil
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
	p := s.train.P()
	best, err := tuneByKappa(ctx, graf.Learner{Trees: tuningTrees, Seed: s.seed}.Grid(part), part)
	if err != nil {
		return err
	}
	learner := graf.Learner{Trees: tableTrees, Seed: s.seed}.Grid(s.train)[best]
	model, err := learner.Fit(ctx, s.train)
	if err != nil {
		return err
	}
	s.setting = setting(learner, p)
	s.scores, err = inspect.Sensitivity(ctx, model, s.train)
	return err
}

// mostSensitive chooses the rows that GRAF is most sensitive to.
func (s *supportStudy) mostSensitive(ctx context.Context) (Result, error) {
	if err := s.sensitivity(ctx); err != nil {
		return Result{}, err
	}
	keys := make([]float64, len(s.scores.Scores))
	for i, v := range s.scores.Scores {
		keys[i] = -v
	}
	chosen := smallest(keys, len(s.full.Support), s.seed)
	r, err := s.result(ctx, chosen, s.setting)
	if err == nil {
		s.describe(r.More, s.scores.P, chosen)
	}
	return r, err
}

// likelySensitive draws rows in proportion to their sensitivity.
func (s *supportStudy) likelySensitive(ctx context.Context) (Result, error) {
	if err := s.sensitivity(ctx); err != nil {
		return Result{}, err
	}
	share := float64(len(s.full.Support)) / float64(s.train.N())
	drawn, err := s.scores.Approximate(share, inspect.ByProbability, s.seed)
	if err != nil {
		return Result{}, err
	}
	return s.result(ctx, rowsWithin(drawn, s.train), s.setting)
}

// rowsWithin returns the rows of a subset of d, whose rows are in ascending order in both,
// as numbers of rows of d.
func rowsWithin(subset, d *datasets.Dataset) []int32 {
	var rows []int32
	for i, row := range d.Rows {
		if len(rows) < len(subset.Rows) && row == subset.Rows[len(rows)] {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// describe adds the measures of figure 14.
func (s *supportStudy) describe(more map[string]float64, p []float64, chosen []int32) {
	n := float64(len(p))
	relative := func(rows []int32) []float64 {
		v := make([]float64, len(rows))
		for k, i := range rows {
			v[k] = n * p[i]
		}
		return v
	}
	all := make([]float64, len(p))
	for i := range p {
		all[i] = n * p[i]
	}
	for name, values := range map[string][]float64{"all": all, "sv": relative(s.full.Support), "most": relative(chosen)} {
		slices.Sort(values)
		for percent := 0; percent <= 100; percent += 5 {
			more[fmt.Sprint(name, ".", percent)] = values[(percent*(len(values)-1)+50)/100]
		}
	}
	order := make([]int, len(s.full.Support))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.full.Alpha[a], s.full.Alpha[b]) })
	for quarter := range 4 {
		part := order[quarter*len(order)/4 : (quarter+1)*len(order)/4]
		var sum float64
		for _, k := range part {
			sum += n * p[s.full.Support[k]]
		}
		more[fmt.Sprint("sv", quarter+1)] = sum / float64(len(part))
	}
}

// smallMargins chooses by SVIS, small votes instance selection (Guo and Boukir, Pattern
// Recognition Letters 51, 2015), as the GRAF paper describes it: the rows with the
// smallest margins of 100 bagged trees, each grown on 63.2 % of the rows, drawn with
// replacement. The margin (eq. 23) is the share of trees that vote for the row's class, less
// the largest share for another class; all trees vote.
func (s *supportStudy) smallMargins(ctx context.Context) (Result, error) {
	bagging := rf.Learner{Trees: 100, NodeFeatures: s.train.P(), Sampling: forest.Sampling{Fraction: 0.632}, Seed: s.seed}
	model, err := bagging.Fit(ctx, s.train)
	if err != nil {
		return Result{}, err
	}
	votes, err := model.Votes(ctx, s.train)
	if err != nil {
		return Result{}, err
	}
	chosen := smallest(margins(votes, s.train.Labels), len(s.full.Support), s.seed)
	return s.result(ctx, chosen, "")
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
func (s *supportStudy) random(ctx context.Context) (Result, error) {
	return s.result(ctx, smallest(make([]float64, s.train.N()), len(s.full.Support), s.seed), "")
}

// The numbers of neighbours that NPPS tries: all from 2 to 50, or some for more than 2000
// training rows.
const mostNeighbours = 50

func neighbourCounts(n int) []int {
	if n > 2000 {
		return []int{2, 3, 5, 7, 10, 15, 20, 30, 40, mostNeighbours}
	}
	var ks []int
	for k := 2; k <= mostNeighbours; k++ {
		ks = append(ks, k)
	}
	return ks
}

// mixedNeighbours chooses by NPPS; see [npps].
func (s *supportStudy) mixedNeighbours(ctx context.Context) (Result, error) {
	near := neighbourLabels(s.train, mostNeighbours, s.seed)
	var ks []int
	job := SVMJob{Train: s.train, Test: s.test, C: s.full.C, Gamma: s.full.Gamma}
	for _, k := range neighbourCounts(s.train.N()) {
		if chosen := npps(near, s.train.Labels, len(s.train.Classes), k); len(chosen) > 0 {
			ks, job.Subsets = append(ks, k), append(job.Subsets, chosen)
		}
	}
	if len(ks) == 0 {
		return Result{}, fmt.Errorf("NPPS chooses no row of %s", s.set)
	}
	reply, err := s.svm(ctx, job)
	if err != nil {
		return Result{}, err
	}
	best := 0
	for i, a := range reply.Accuracy {
		if a > reply.Accuracy[best] {
			best = i
		}
	}
	return Result{Score: reply.Accuracy[best], Setting: fmt.Sprintf("k=%d", ks[best]), More: s.measures(job.Subsets[best])}, nil
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
