package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/sim"
)

// A key names a job: a problem and a number of candidate directions (or features) per node.
type key struct {
	name       string
	directions int
}

func (k key) String() string { return fmt.Sprintf("%s d=%d", k.name, k.directions) }

// A job is what contenders are compared at.
type job struct {
	key
	features   int
	load       parts
	trees      int
	contenders string // names of those that take part
	threads    int    // the only number of threads to measure; 0 means all
}

// parts returns the data for training and testing.
type parts func() (train, test *datasets.Dataset, err error)

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

// allJobs returns the jobs in the order of the tables. Their numbers of trees are as large as the slowest contenders
// allow.
func allJobs() []job {
	var jobs []job
	for _, p := range []struct {
		name        string
		features    int
		load        parts
		sqrt, full  int    // trees with d = ⌈√p⌉ and d = p
		withoutFull string // the contender that can't do d = p in reasonable time or memory
	}{
		{"1024x1024", 1024, trunk(1024, 1024, 10000), 100, 10, ""},
		{"2048x256", 256, trunk(2048, 256, 10000), 100, 20, ""},
		{"trunk", 50, trunk(20000, 50, 20000), 100, 10, ""},
		{"letter", 16, public("letter", holdout(0.2)), 100, 50, ""},
		{"mnist", 784, public("mnist", mnist), 10, 2, ""},
		{"higgs", 28, drawn(500000, 100000, 2, newMixture(28, 4, 1).sample), 4, 2, ""},
		// treeple shuffles the p·d cells of a node's matrix, here 20 GB.
		{"wide", 50000, trunk(125, 50000, 1000), 10, 2, "treeple"},
	} {
		able := strings.Replace(forests, p.withoutFull, "", 1)
		jobs = append(jobs,
			job{key{p.name, root(p.features)}, p.features, p.load, p.sqrt, forests + boosters, 0},
			job{key{p.name, p.features}, p.features, p.load, p.full, able, 0})
	}
	friedmans := drawn(20000, 10000, 1, friedman(20))
	ten := drawn(20000, 10000, 2, newGaussians(20, 10, 1).sample)
	two := drawn(1000000, 100000, 2, newGaussians(20, 2, 1).sample)
	jobs = append(jobs,
		job{key{friedmanJob, 6}, 20, friedmans, 50, "obliqua-rf ydf scikit-learn ranger", 0},
		job{key{gaussiansJob, 5}, 20, ten, 50, "obliqua-sporf obliqua-rf ydf scikit-learn ranger", 0},
		job{key{oneTree, 5}, 20, two, 1, "obliqua-rf scikit-learn", 0},
		job{key{oneTree, 20}, 20, two, 1, "obliqua-cart scikit-learn-tree", 0})
	for n := 1000; n <= 256000; n *= 2 {
		jobs = append(jobs, job{key{fmt.Sprint(growthRows, n), 5}, 20, trunk(n, 20, 1000), 10, "obliqua-sporf", 1})
	}
	for _, d := range []int{1, 2, 5, 10, 20, 30, 40, 50} {
		jobs = append(jobs, job{key{growthDirections, d}, 50, trunk(20000, 50, 1000), 10, "obliqua-sporf", 1})
	}
	return slices.Concat(jobs, grafJobs(), godtJobs())
}

// grafJobs returns the jobs of GRAF, which have their own tables. GRAF draws planes over all features: as many a step
// as the job has directions, or one.
func grafJobs() []job {
	takes := grafs + " gradient-boosting extra-trees extra-trees-all" + boosters
	jobs := []job{
		{key{"hypercube-binary", 12}, 12, hypercube(sim.Hypercube{Features: 12}), 100, takes, 0},
		{key{"hypercube-multiclass", 12}, 12, hypercube(sim.Hypercube{Features: 12, Multiclass: true}), 100, takes, 0},
	}
	for n := 1000; n <= 256000; n *= 2 {
		jobs = append(jobs, job{key{fmt.Sprint(grafRows, n), 10}, 10, trunk(n, 10, 1000), 10, grafs, 1})
	}
	for p := 5; p <= 320; p *= 2 {
		jobs = append(jobs, job{key{fmt.Sprint(grafFeatures, p), p}, p, trunk(4000, p, 1000), 10, grafs, 1})
	}
	return jobs
}

// godtJobs returns the jobs of Gaussian-mixture trees, which have their own tables: on each set single trees and
// mixtures, which use all features, and forests.
func godtJobs() []job {
	var jobs []job
	for _, s := range []struct {
		name     string
		features int
		load     parts
	}{
		{"satimage", 36, public("satimage_full", holdout(1287.0/6435))},
		{"letter", 16, public("letter", holdout(0.25))},
		{"usps", 256, public("usps_full", holdout(0.2))},
		{"madelon", 500, public("madelon", madelon)},
	} {
		name := "godt-" + s.name
		jobs = append(jobs,
			job{key{name, s.features}, s.features, s.load, 1, godts, 1},
			job{key{name, root(s.features)}, s.features, s.load, 200, gorfs, 0})
	}
	return jobs
}

func root(features int) int { return int(math.Ceil(math.Sqrt(float64(features)))) }

// drawn draws rows for training with a seed, and rows for testing with the next one.
func drawn(n, tests int, seed uint64, sample func(n int, seed uint64) *datasets.Dataset) parts {
	return func() (train, test *datasets.Dataset, err error) { return sample(n, seed), sample(tests, seed+1), nil }
}

func trunk(n, p, tests int) parts { return drawn(n, tests, 1, sim.Trunk{Features: p}.Sample) }

// hypercube holds back 6000 of 20,000 rows for testing, as GRAF's paper does, since another sample would have another
// distribution.
func hypercube(h sim.Hypercube) parts {
	return func() (train, test *datasets.Dataset, err error) { return holdout(0.3)(h.Sample(20000, 1)) }
}

// public loads a public set and divides it.
func public(name string, divide func(*datasets.Dataset) (train, test *datasets.Dataset, err error)) parts {
	return func() (train, test *datasets.Dataset, err error) {
		if _, ok := os.LookupEnv("OBLIQUA_DATA"); !ok {
			return nil, nil, errNoData
		}
		d, err := public.Load(context.Background(), name)
		if err != nil {
			return nil, nil, err
		}
		return divide(d)
	}
}

// holdout holds back a share of the rows for testing.
func holdout(test float64) func(*datasets.Dataset) (train, test *datasets.Dataset, err error) {
	return datasets.Holdout{Test: test, Stratified: true, Seed: 1}.Split
}

// madelon tests on the official validation part, which the set has last.
func madelon(d *datasets.Dataset) (train, test *datasets.Dataset, err error) {
	rows := make([]int32, d.N())
	for i := range rows {
		rows[i] = int32(i)
	}
	return d.Subset(rows[:2000]), d.Subset(rows[2000:]), nil
}

func mnist(d *datasets.Dataset) (train, test *datasets.Dataset, err error) {
	test, err = datasets.Load(context.Background(), "mnist_test")
	return d, test, err
}
