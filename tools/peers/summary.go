package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"gonum.org/v1/gonum/stat"
)

// A cell names the rounds of one contender at one job and number of threads.
type cell struct {
	key
	contender string
	threads   int
}

// A summary is the medians of some rounds, but the least of their peaks.
type summary struct {
	record
	rounds   int
	training int64   // bytes at the peak of a fit beyond the loaded data, least of the rounds
	variance float64 // of the mean test error, from its spread over seeds
}

// results are the runs of one commit.
type results struct {
	jobs  []key // in the order of jobs.csv
	cells map[cell]summary
}

// summarise returns an error if the runs of a job have different numbers of trees, since their times can't be compared.
func summarise(records []record) (results, error) {
	trees := map[key]int{}
	rounds := map[cell][]record{}
	for _, r := range records {
		k := r.key()
		if n := trees[k]; n != 0 && n != r.Trees {
			return results{}, fmt.Errorf("commit %s, %s: runs of %d and of %d trees", r.Commit, k, n, r.Trees)
		}
		trees[k] = r.Trees
		c := cell{k, r.Contender, r.Threads}
		rounds[c] = append(rounds[c], r)
	}
	res := results{cells: map[cell]summary{}}
	for c, rs := range rounds {
		res.cells[c] = summariseRounds(rs)
	}
	for _, j := range jobs {
		if trees[j.key()] > 0 {
			res.jobs = append(res.jobs, j.key())
		}
	}
	return res, nil
}

func summariseRounds(rounds []record) summary {
	all := func(of func(record) float64) (v []float64) {
		for _, r := range rounds {
			v = append(v, of(r))
		}
		return v
	}
	errors := all(func(r record) float64 { return r.Error })
	s := summary{record: rounds[0], rounds: len(rounds),
		training: int64(slices.Min(all(func(r record) float64 { return float64(r.Peak - r.Baseline) })))}
	s.Fit = eval.Median(all(func(r record) float64 { return r.Fit }))
	s.Predict = eval.Median(all(func(r record) float64 { return r.Predict }))
	s.Error = eval.Median(errors)
	s.Peak = int64(slices.Min(all(func(r record) float64 { return float64(r.Peak) })))
	s.Model = int64(eval.Median(all(func(r record) float64 { return float64(r.Model) })))
	if len(errors) > 1 {
		s.variance = stat.Variance(errors, nil) / float64(len(errors))
	}
	return s
}

// at returns the summary of a contender at a job.
func (r results) at(job key, contender string, threads int) (summary, bool) {
	s, ok := r.cells[cell{job, contender, threads}]
	return s, ok
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
}

var targets = []target{
	{"obliqua-sporf", "ydf-oblique", 1.0, 1.0},
	{"obliqua-entropy", "ydf-oblique", 1.0, 1.0}, // YDF's own criterion
	{"obliqua-sporf", "treeple", 0.15, 0.3},
	{"obliqua-rf", "scikit-learn", 0.5, 0.3},
	{"obliqua-sporf", "scikit-learn", 0.9, 0.5},
	{"obliqua-rf", "ranger", 0.5, 0.3},
}

// pair names the two contenders.
func (t target) pair() string { return title(t.ours) + " / " + title(t.theirs) }

// speedupTarget is the least speed-up by two threads of jobs that take one thread more than a second.
const speedupTarget = 1.85

// speedup returns the training time with one thread, and its ratio to the time with two.
func (r results) speedup(job key, contender string) (one, up float64, ok bool) {
	a, ok := r.at(job, contender, 1)
	b, also := r.at(job, contender, 2)
	return a.Fit, a.Fit / b.Fit, ok && also
}

// A ratio is ours over theirs at one job and number of threads.
type ratio struct {
	train, predict float64
	ours, theirs   summary
}

func (r results) ratio(t target, job key, threads int) (ratio, bool) {
	a, ok := r.at(job, t.ours, threads)
	b, also := r.at(job, t.theirs, threads)
	if !ok || !also {
		return ratio{}, false
	}
	return ratio{a.Fit / b.Fit, a.Predict / b.Predict, a, b}, true
}

// ratios returns our times over theirs at all jobs and numbers of threads that both have.
func (r results) ratios(t target, threads ...int) (train, predict []float64) {
	for _, job := range r.jobs {
		for _, n := range threads {
			if x, ok := r.ratio(t, job, n); ok {
				train, predict = append(train, x.train), append(predict, x.predict)
			}
		}
	}
	return train, predict
}

// worse reports whether our test error is above theirs by more than two standard errors of the difference. These
// combine the sampling error on the test rows (of two rates, or of two mean squares of normal errors) with the variance
// over seeds.
func (r ratio) worse() bool {
	square := func(s summary) float64 {
		v := s.Error * (1 - s.Error)
		if s.Classes == 0 {
			v = 2 * s.Error * s.Error
		}
		return v/float64(s.TestRows) + s.variance
	}
	return r.ours.Error > r.theirs.Error+2*math.Sqrt(square(r.ours)+square(r.theirs))
}
