package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// A cell names the rounds of one contender at one job and number of threads.
type cell struct {
	job        string
	directions int
	contender  string
	threads    int
}

// A summary is the median of some rounds.
type summary struct {
	record         // fields that are the same in all rounds
	rounds         int
	fit, predict   float64 // median seconds
	err            float64 // median test error
	training, peak int64   // bytes at the peak of a fit, least of the rounds: beyond the loaded data; of the whole process
	model          int64   // median bytes
	variance       float64 // of the mean test error, from its spread over seeds
}

// results are the runs of one commit.
type results struct {
	jobs  []cell // job and directions, in the order of allJobs
	cells map[cell]summary
}

// summarise returns an error if the runs of a job have different numbers of trees,
// since their times can't be compared.
func summarise(records []record) (results, error) {
	trees := map[cell]int{}
	rounds := map[cell][]record{}
	for _, r := range records {
		job := cell{job: r.Job, directions: r.Directions}
		if trees[job] == 0 {
			trees[job] = r.Trees
		}
		if trees[job] != r.Trees {
			return results{}, fmt.Errorf("commit %s, %s: runs of %d and of %d trees", r.Commit, jobName(r.Job, r.Directions), trees[job], r.Trees)
		}
		c := cell{r.Job, r.Directions, r.Contender, r.Threads}
		rounds[c] = append(rounds[c], r)
	}
	res := results{cells: map[cell]summary{}}
	for c, rs := range rounds {
		res.cells[c] = summariseRounds(rs)
	}
	for _, j := range allJobs() {
		at := func(c cell) bool { return c.job == j.name && c.directions == j.directions }
		if slices.ContainsFunc(slices.Collect(maps.Keys(res.cells)), at) {
			res.jobs = append(res.jobs, cell{job: j.name, directions: j.directions})
		}
	}
	return res, nil
}

func summariseRounds(rounds []record) summary {
	middle := func(of func(record) float64) float64 {
		var v []float64
		for _, r := range rounds {
			v = append(v, of(r))
		}
		return median(v)
	}
	least := func(of func(record) int64) int64 {
		return of(slices.MinFunc(rounds, func(a, b record) int { return cmp.Compare(of(a), of(b)) }))
	}
	var errors []float64
	for _, r := range rounds {
		errors = append(errors, r.Error)
	}
	variance := 0.0
	if len(errors) > 1 {
		variance = stat.Variance(errors, nil) / float64(len(errors))
	}
	return summary{
		variance: variance,
		record:   rounds[0],
		rounds:   len(rounds),
		fit:      middle(func(r record) float64 { return r.Fit }),
		predict:  middle(func(r record) float64 { return r.Predict }),
		err:      middle(func(r record) float64 { return r.Error }),
		training: least(func(r record) int64 { return r.Peak - r.Baseline }),
		peak:     least(func(r record) int64 { return r.Peak }),
		model:    int64(middle(func(r record) float64 { return float64(r.Model) })),
	}
}

// at returns the summary of a contender at a job.
func (r results) at(job cell, contender string, threads int) (summary, bool) {
	s, ok := r.cells[cell{job.job, job.directions, contender, threads}]
	return s, ok
}

// has reports whether a job was measured.
func (r results) has(job string) bool {
	return slices.ContainsFunc(r.jobs, func(c cell) bool { return c.job == job })
}

// ifHas returns a text about a job, or nothing if it wasn't measured.
func (r results) ifHas(job, text string) string {
	if !r.has(job) {
		return ""
	}
	return text
}

// where returns the results of the jobs that are wanted.
func (r results) where(want func(job cell) bool) results {
	part := results{jobs: slices.Clone(r.jobs), cells: maps.Clone(r.cells)}
	part.jobs = slices.DeleteFunc(part.jobs, func(job cell) bool { return !want(job) })
	maps.DeleteFunc(part.cells, func(c cell, _ summary) bool { return !want(cell{job: c.job, directions: c.directions}) })
	return part
}

// threads returns the numbers of threads that were measured, in order.
func (r results) threads() []int {
	seen := map[int]bool{}
	for c := range r.cells {
		seen[c.threads] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// A target is an upper limit of our time over theirs, in training and prediction.
type target struct {
	ours, theirs   string
	train, predict float64
	job            string // the only job it is for; empty means all
}

var targets = []target{
	{"obliqua-sporf", "ydf-oblique", 1.0, 1.0, ""},
	{"obliqua-entropy", "ydf-oblique", 1.0, 1.0, ""}, // YDF's own criterion
	{"obliqua-sporf", "treeple", 0.15, 0.3, ""},
	{"obliqua-rf", "scikit-learn", 0.5, 0.3, ""},
	{"obliqua-sporf", "scikit-learn", 0.9, 0.5, ""},
	{"obliqua-rf", "ranger", 0.5, 0.3, ""},
	{"obliqua-rf", "scikit-learn", 0.3, math.Inf(1), friedmanJob},
	{"obliqua-rf", "scikit-learn", 0.25, math.Inf(1), gaussiansJob},
}

// grafTargets have no target for prediction.
var grafTargets = []target{
	{"obliqua-graf", "gradient-boosting", 1, math.Inf(1), ""},
	{"obliqua-graf-1", "extra-trees", 1, math.Inf(1), ""},
	{"obliqua-graf-1", "extra-trees-all", 1, math.Inf(1), ""},
}

// godtTargets have none where the methods differ.
var godtTargets = []target{
	{"obliqua-mixture-tied", "scikit-learn-mixture-tied", 1, 1, ""},
	{"obliqua-mixture-full", "scikit-learn-mixture-full", 1, 1, ""},
	{"obliqua-godt", "scikit-learn-tree", math.Inf(1), math.Inf(1), ""},
	{"obliqua-gqdt", "scikit-learn-tree", math.Inf(1), math.Inf(1), ""},
	{"obliqua-gorf", "scikit-learn", math.Inf(1), math.Inf(1), ""},
}

// pair names the two contenders, and the job if there is only one.
func (t target) pair() string {
	s := title(t.ours) + " / " + title(t.theirs)
	if t.job != "" {
		s += ", " + t.job
	}
	return s
}

func (t target) String() string {
	s := t.pair()
	if math.IsInf(t.train, 1) {
		return s
	}
	s += fmt.Sprintf(": training ≤ %g", t.train)
	if math.IsInf(t.predict, 1) {
		return s
	}
	return fmt.Sprintf("%s, prediction ≤ %g", s, t.predict)
}

// The least speed-up by two threads of jobs that take one thread more than a second,
// and of growing one tree.
const (
	speedupTarget = 1.85
	oneTreeTarget = 1.7
)

func speedupWanted(job cell) float64 {
	if job.job == oneTree {
		return oneTreeTarget
	}
	return speedupTarget
}

// speedup returns the training time with one thread, and its ratio to the time with
// two.
func (r results) speedup(job cell, contender string) (one, up float64, ok bool) {
	a, ok := r.at(job, contender, 1)
	b, also := r.at(job, contender, 2)
	return a.fit, a.fit / b.fit, ok && also
}

// A ratio is ours over theirs at one job and number of threads.
type ratio struct {
	train, predict float64
	ours, theirs   summary
}

func (r results) ratio(t target, job cell, threads int) (ratio, bool) {
	a, ok := r.at(job, t.ours, threads)
	b, also := r.at(job, t.theirs, threads)
	if !ok || !also || t.job != "" && t.job != job.job {
		return ratio{}, false
	}
	return ratio{a.fit / b.fit, a.predict / b.predict, a, b}, true
}

// worse reports whether our test error is above theirs by more than two standard
// errors of the difference. These combine the sampling error on the test rows (of
// two rates, or of two mean squares of normal errors) with the variance over seeds.
func (r ratio) worse() bool {
	square := func(s summary) float64 {
		v := s.err * (1 - s.err)
		if s.Classes == 0 {
			v = 2 * s.err * s.err
		}
		return v/float64(s.TestRows) + s.variance
	}
	return r.ours.err > r.theirs.err+2*math.Sqrt(square(r.ours)+square(r.theirs))
}

// A line is y = a + b·x. Fits give all points the same relative precision.
type line struct {
	a, b  float64
	worst float64 // largest |fitted/measured − 1|
}

func fitLine(x, y []float64) line {
	weights := make([]float64, len(y))
	for i, v := range y {
		weights[i] = 1 / (v * v)
	}
	var l line
	l.a, l.b = stat.LinearRegression(x, y, weights, false)
	l.worst = worst(l, x, y)
	return l
}

// fitPower fits y = b·x^exponent by least squares of the logarithms. The line
// is in x^exponent.
func fitPower(x, y []float64) (l line, exponent float64) {
	logX, logY, powers := make([]float64, len(x)), make([]float64, len(y)), make([]float64, len(x))
	for i := range x {
		logX[i], logY[i] = math.Log(x[i]), math.Log(y[i])
	}
	a, exponent := stat.LinearRegression(logX, logY, nil, false)
	for i, v := range x {
		powers[i] = math.Pow(v, exponent)
	}
	l.b = math.Exp(a)
	l.worst = worst(l, powers, y)
	return l, exponent
}

func worst(l line, x, y []float64) (off float64) {
	for i, v := range y {
		off = max(off, math.Abs((l.a+l.b*x[i])/v-1))
	}
	return off
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if len(v)%2 == 1 {
		return v[len(v)/2]
	}
	return (v[len(v)/2-1] + v[len(v)/2]) / 2
}

// title returns the name of a contender in tables.
func title(contender string) string {
	if name, ok := strings.CutSuffix(contender, beforeMark); ok {
		return title(name) + beforeMark
	}
	for _, c := range contenderList {
		if c.name == contender {
			return c.title
		}
	}
	return contender
}
