package graf

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/notebooks/figures/graf"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
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

// A machine trains support vector machines.
type machine func(context.Context, SVMJob) (SVMReply, error)

// Support returns the study of table 2 and figure 14 with an SVM. The data are in the numeric coding of table D.1,
// divided into equal halves, stratified, to train and to test. Of the numbers k of neighbours, NPPS takes the one whose
// accuracy on the test rows is highest, as in the paper, so its score is optimistic.
func Support(svm func(context.Context, SVMJob) (SVMReply, error)) trial.Study {
	var mu sync.Mutex // runs are done one at a time
	d := &division{}  // of the run before
	return trial.Study{Experiment: &graf.Support, Do: func(ctx context.Context, t *trial.Trial) error {
		mu.Lock()
		defer mu.Unlock()
		if d.set != t.Problem || d.seed != t.Seed {
			next := &division{set: t.Problem, seed: t.Seed, svm: svm}
			if err := next.divide(ctx); err != nil {
				return err
			}
			d = next
		}
		begun := time.Now()
		err := d.do(ctx, t)
		t.Seconds = time.Since(begun).Seconds()
		return err
	}}
}

// A division is a set divided into halves, and the SVM that is trained on all of its training rows.
type division struct {
	set  string
	seed uint64
	svm  func(context.Context, SVMJob) (SVMReply, error)

	train, test *datasets.Dataset
	full        SVMReply

	scores  *inspect.RowScores // of GRAF
	setting string             // of GRAF
}

func (s *division) divide(ctx context.Context) error {
	d, err := public.Load(ctx, "fd_"+s.set)
	if err != nil {
		return err
	}
	if s.train, s.test, err = (datasets.Holdout{Test: 0.5, Stratified: true, Seed: s.seed}).Split(d); err != nil {
		return err
	}
	every := smallest(make([]float64, s.train.N()), s.train.N(), 0)
	s.full, err = s.svm(ctx, SVMJob{Train: s.train, Test: s.test, Subsets: [][]int32{every}})
	return err
}

// do trains an SVM on each of a method's choices of rows, with the settings that were chosen for all training rows. The
// result is that of the best choice.
func (s *division) do(ctx context.Context, t *trial.Trial) error {
	if t.Method == "SVM" {
		t.Score, t.Setting = s.full.Accuracy[0], fmt.Sprintf("C=%.4g γ=%.4g", s.full.C, s.full.Gamma)
		s.measure(t.More, s.full.Support)
		return nil
	}
	choices, settings, err := s.choices(ctx, t)
	if err != nil {
		return err
	}
	reply, err := s.svm(ctx, SVMJob{s.train, s.test, s.full.C, s.full.Gamma, choices})
	if err != nil {
		return err
	}
	best := floats.MaxIdx(reply.Accuracy)
	t.Score, t.Setting = reply.Accuracy[best], settings[best]
	s.measure(t.More, choices[best])
	return nil
}

// choices returns choices of rows by a method, and their settings.
func (s *division) choices(ctx context.Context, t *trial.Trial) (choices [][]int32, settings []string, err error) {
	m, keys, setting := len(s.full.Support), make([]float64, s.train.N()), ""
	switch t.Method {
	case "NPPS":
		return s.mixedNeighbours()
	case "SVIS":
		keys, err = s.margins(ctx)
	case "GRAF", "GRAF P":
		err = s.sensitivity(ctx)
		setting = s.setting
	}
	if err != nil {
		return nil, nil, err
	}
	if t.Method == "GRAF P" { // in proportion to sensitivity
		drawn, err := s.scores.Approximate(float64(m)/float64(s.train.N()), inspect.ByProbability, s.seed)
		if err != nil {
			return nil, nil, err
		}
		return [][]int32{rowsWithin(drawn, s.train)}, []string{setting}, nil
	}
	if t.Method == "GRAF" {
		floats.ScaleTo(keys, -1, s.scores.Scores)
		s.describe(t.More, s.scores.P, smallest(keys, m, s.seed))
	}
	return [][]int32{smallest(keys, m, s.seed)}, []string{setting}, nil
}

// measure sets the measures of chosen rows, which are in ascending order.
func (s *division) measure(more map[string]float64, chosen []int32) {
	var shared, weight, total float64
	for k, i := range s.full.Support {
		total += s.full.Alpha[k]
		if _, is := slices.BinarySearch(chosen, i); is {
			shared++
			weight += s.full.Alpha[k]
		}
	}
	more["size"] = 100 * float64(len(chosen)) / float64(s.train.N())
	more["overlap"] = 100 * shared / float64(len(s.full.Support))
	more["weight"] = 100 * weight / total
}

// tuningRows is the most training rows on which GRAF is tuned for table 2.
const tuningRows = 2000

// sensitivity trains 200 trees of GRAF, unless that was done before. M and MinSplit are tuned as for table D.1, on at
// most 2000 rows.
func (s *division) sensitivity(ctx context.Context) error {
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
	best, _, err := tuneByKappa(ctx, settings("GRAF", tuningTrees, s.seed, part.P()), part, []int{tuningTrees})
	if err != nil {
		return err
	}
	learner := settings("GRAF", tableTrees, s.seed, part.P())[best]
	model, err := learner.Fit(ctx, s.train)
	if err != nil {
		return err
	}
	s.setting = trial.Setting(learner, s.train.P())
	s.scores, err = inspect.Sensitivity(ctx, model, s.train)
	return err
}

// rowsWithin returns the rows of a subset of d, whose rows are in ascending order in both, as numbers of rows of d.
func rowsWithin(subset, d *datasets.Dataset) []int32 {
	rows := make([]int32, len(subset.Rows))
	for i, row := range subset.Rows {
		at, _ := slices.BinarySearch(d.Rows, row)
		rows[i] = int32(at)
	}
	return rows
}

// describe adds the measures of figure 14.
func (s *division) describe(more map[string]float64, p []float64, chosen []int32) {
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

// margins are those of SVIS, small votes instance selection (Guo and Boukir, Pattern Recognition Letters 51, 2015), as
// the GRAF paper describes it. SVIS chooses the rows with the smallest margins of 100 bagged trees, each grown on
// 63.2 % of the rows, drawn with replacement. The margin (eq. 23) is the share of trees that vote for the row's class,
// less the largest share for another class. All trees vote.
func (s *division) margins(ctx context.Context) ([]float64, error) {
	bagging := rf.Learner{Trees: 100, NodeFeatures: s.train.P(), Sampling: forest.Sampling{Fraction: 0.632}, Seed: s.seed}
	model, err := bagging.Fit(ctx, s.train)
	if err != nil {
		return nil, err
	}
	votes, err := model.Votes(ctx, s.train)
	return margins(votes, s.train.Labels), err
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

// smallest returns the rows with the m smallest keys, in ascending order. Among rows with equal keys it chooses at
// random.
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
