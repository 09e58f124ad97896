package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/sim"
)

// A problem has data for training and testing.
type problem struct {
	name     string
	features int
	load     func() (train, test *datasets.Dataset, err error)
}

// A job is a problem and a number of candidate directions (or features) per node.
type job struct {
	problem
	directions int
	trees      int
	contenders map[string]struct{} // names of those that take part
	threads    int                 // the only number of threads to measure; 0 means all
}

func (j job) String() string { return jobName(j.name, j.directions) }

func jobName(name string, directions int) string { return fmt.Sprintf("%s d=%d", name, directions) }

// errNoData is returned by jobs whose data need OBLIQUA_DATA.
var errNoData = errors.New("OBLIQUA_DATA is unset")

// Names of contenders that take part together.
const (
	forests  = "obliqua-sporf obliqua-entropy ydf-oblique treeple obliqua-rf ydf scikit-learn ranger"
	boosters = " lightgbm xgboost" // have no number of candidates
	grafs    = "obliqua-graf obliqua-graf-1"
	godts    = "obliqua-godt obliqua-gqdt scikit-learn-tree " +
		"obliqua-mixture-tied scikit-learn-mixture-tied obliqua-mixture-full scikit-learn-mixture-full"
	gorfs = "obliqua-gorf scikit-learn"
)

// allJobs returns the jobs in the order of the tables. Their numbers of trees are as
// large as the slowest contenders allow.
func allJobs() []job {
	var jobs []job
	for _, p := range []struct {
		problem
		sqrt, full  int    // trees with d = ⌈√p⌉ and d = p
		withoutFull string // the contender that can't do d = p in reasonable time or memory
	}{
		{problem{"1024x1024", 1024, trunk(1024, 1024, 10000)}, 100, 10, ""},
		{problem{"2048x256", 256, trunk(2048, 256, 10000)}, 100, 20, ""},
		{problem{"trunk", 50, trunk(20000, 50, 20000)}, 100, 10, ""},
		{problem{"letter", 16, letter}, 100, 50, ""},
		{problem{"mnist", 784, mnist}, 10, 2, ""},
		{problem{"higgs", 28, higgs}, 4, 2, ""},
		// treeple shuffles the p·d cells of a node's matrix, here 20 GB.
		{problem{"wide", 50000, trunk(125, 50000, 1000)}, 10, 2, "treeple"},
	} {
		root := int(math.Ceil(math.Sqrt(float64(p.features))))
		able := setOf(forests)
		delete(able, p.withoutFull)
		jobs = append(jobs,
			job{problem: p.problem, directions: root, trees: p.sqrt, contenders: setOf(forests + boosters)},
			job{problem: p.problem, directions: p.features, trees: p.full, contenders: able})
	}
	jobs = append(jobs,
		job{problem: problem{friedmanJob, 20, friedmans}, directions: 6, trees: 50,
			contenders: setOf("obliqua-rf ydf scikit-learn ranger")},
		job{problem: problem{gaussiansJob, 20, gaussians(10, 20000, 10000)}, directions: 5, trees: 50,
			contenders: setOf("obliqua-sporf obliqua-rf ydf scikit-learn ranger")})
	lone := problem{oneTree, 20, gaussians(2, 1000000, 100000)}
	jobs = append(jobs,
		job{problem: lone, directions: 5, trees: 1, contenders: setOf("obliqua-rf scikit-learn")},
		job{problem: lone, directions: 20, trees: 1, contenders: setOf("obliqua-cart scikit-learn-tree")})
	for n := 1000; n <= 256000; n *= 2 {
		p := problem{fmt.Sprintf("%s%d", growthRows, n), 20, trunk(n, 20, 1000)}
		jobs = append(jobs, job{problem: p, directions: 5, trees: 10, contenders: setOf("obliqua-sporf"), threads: 1})
	}
	for _, d := range []int{1, 2, 5, 10, 20, 30, 40, 50} {
		p := problem{growthDirections, 50, trunk(20000, 50, 1000)}
		jobs = append(jobs, job{problem: p, directions: d, trees: 10, contenders: setOf("obliqua-sporf"), threads: 1})
	}
	return slices.Concat(jobs, grafJobs(), godtJobs())
}

// grafJobs returns the jobs of GRAF, which have their own tables. GRAF draws planes
// over all features: as many a step as the job has directions, or one.
func grafJobs() []job {
	var jobs []job
	for _, p := range []problem{
		{"hypercube-binary", 12, hypercube(sim.Hypercube{Features: 12})},
		{"hypercube-multiclass", 12, hypercube(sim.Hypercube{Features: 12, Multiclass: true})},
	} {
		takes := setOf(grafs + " gradient-boosting extra-trees extra-trees-all" + boosters)
		jobs = append(jobs, job{problem: p, directions: p.features, trees: 100, contenders: takes})
	}
	growth := func(name string, n, p int) {
		problem := problem{name, p, trunk(n, p, 1000)}
		jobs = append(jobs, job{problem: problem, directions: p, trees: 10, contenders: setOf(grafs), threads: 1})
	}
	for n := 1000; n <= 256000; n *= 2 {
		growth(fmt.Sprintf("%s%d", grafRows, n), n, 10)
	}
	for p := 5; p <= 320; p *= 2 {
		growth(fmt.Sprintf("%s%d", grafFeatures, p), 4000, p)
	}
	return jobs
}

// godtJobs returns the jobs of Gaussian-mixture trees, which have their own tables: on each set
// single trees and mixtures, which use all features, and forests. Their names begin with godt-.
func godtJobs() []job {
	var jobs []job
	for _, p := range []problem{
		{"godt-satimage", 36, registered("satimage_full", 1287.0/6435)},
		{"godt-letter", 16, registered("letter", 0.25)},
		{"godt-usps", 256, registered("usps_full", 0.2)},
		{"godt-madelon", 500, madelon},
	} {
		root := int(math.Ceil(math.Sqrt(float64(p.features))))
		jobs = append(jobs,
			job{problem: p, directions: p.features, trees: 1, contenders: setOf(godts), threads: 1},
			job{problem: p, directions: root, trees: 200, contenders: setOf(gorfs)})
	}
	return jobs
}

// Names of the jobs that show how training time grows.
const (
	growthRows       = "growth-n"
	growthDirections = "growth-d"
	grafRows         = "graf-n"
	grafFeatures     = "graf-p"
)

// Names of the jobs that have targets of their own.
const (
	friedmanJob  = "friedman"    // regression
	gaussiansJob = "gaussians10" // ten classes, one Gaussian each
	oneTree      = "one-tree"    // on many rows: CART, or a random forest of one tree
)

func setOf(words string) map[string]struct{} {
	set := map[string]struct{}{}
	for w := range strings.FieldsSeq(words) {
		set[w] = struct{}{}
	}
	return set
}

func trunk(n, p, tests int) func() (train, test *datasets.Dataset, err error) {
	return func() (train, test *datasets.Dataset, err error) {
		problem := sim.Trunk{Features: p}
		return problem.Sample(n, 1), problem.Sample(tests, 2), nil
	}
}

// hypercube holds back 6000 of 20,000 rows for testing, as GRAF's paper does, since
// another sample would have another distribution.
func hypercube(h sim.Hypercube) func() (train, test *datasets.Dataset, err error) {
	return func() (train, test *datasets.Dataset, err error) {
		return datasets.Holdout{Test: 0.3, Stratified: true, Seed: 1}.Split(h.Sample(20000, 1))
	}
}

func higgs() (train, test *datasets.Dataset, err error) {
	m := newMixture(28, 4, 1)
	return m.sample(500000, 2), m.sample(100000, 3), nil
}

func friedmans() (train, test *datasets.Dataset, err error) {
	return friedman(20000, 20, 1), friedman(10000, 20, 2), nil
}

func gaussians(classes, n, tests int) func() (train, test *datasets.Dataset, err error) {
	return func() (train, test *datasets.Dataset, err error) {
		m := newGaussians(20, classes, 1)
		return m.sample(n, 2), m.sample(tests, 3), nil
	}
}

func letter() (train, test *datasets.Dataset, err error) {
	folder, ok := os.LookupEnv("OBLIQUA_DATA")
	if !ok {
		return nil, nil, errNoData
	}
	d, err := datasets.ReadCSV(context.Background(), filepath.Join(folder, "csv", "letter.csv.gz"), datasets.CSV{})
	if err != nil {
		return nil, nil, err
	}
	return datasets.Holdout{Test: 0.2, Stratified: true, Seed: 1}.Split(d)
}

// registered holds back a share of a public set for testing.
func registered(name string, test float64) func() (train, test *datasets.Dataset, err error) {
	return func() (*datasets.Dataset, *datasets.Dataset, error) {
		if _, ok := os.LookupEnv("OBLIQUA_DATA"); !ok {
			return nil, nil, errNoData
		}
		d, err := public.Load(context.Background(), name)
		if err != nil {
			return nil, nil, err
		}
		return datasets.Holdout{Test: test, Stratified: true, Seed: 1}.Split(d)
	}
}

// madelon tests on the official validation part, which the set has last.
func madelon() (train, test *datasets.Dataset, err error) {
	if _, ok := os.LookupEnv("OBLIQUA_DATA"); !ok {
		return nil, nil, errNoData
	}
	d, err := public.Load(context.Background(), "madelon")
	if err != nil {
		return nil, nil, err
	}
	rows := make([]int32, d.N())
	for i := range rows {
		rows[i] = int32(i)
	}
	return d.Subset(rows[:2000]), d.Subset(rows[2000:]), nil
}

func mnist() (train, test *datasets.Dataset, err error) {
	if _, ok := os.LookupEnv("OBLIQUA_DATA"); !ok {
		return nil, nil, errNoData
	}
	if train, err = public.Load(context.Background(), "mnist"); err != nil {
		return nil, nil, err
	}
	test, err = public.Load(context.Background(), "mnist_test")
	return train, test, err
}
