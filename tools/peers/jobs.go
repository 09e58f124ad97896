package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
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

// A job is what contenders are compared at: a line of jobs.csv.
//
// The numbers of trees are as large as the slowest contenders allow. treeple doesn't take part where it would need 20
// GB for the p·d cells of a node's matrix, which it shuffles. GRAF draws planes over all features: as many a step as
// the job has directions, or one.
type job struct {
	Name                                 string
	Directions, Features, Trees, Threads int    // Threads is the only number of threads to measure; 0 means all
	Data                                 string // see load
	Contenders                           string // names of those that take part, or of groups
}

// The jobs in the order of the tables.
var jobs = parseTable[job](jobsCSV)

//go:embed jobs.csv
var jobsCSV string

func (j job) key() key { return key{j.Name, j.Directions} }

func (j job) String() string { return j.key().String() }

// groups of contenders, by name.
var groups = strings.NewReplacer(
	"forests", "obliqua-sporf obliqua-entropy ydf-oblique treeple obliqua-rf ydf scikit-learn ranger",
	"boosters", "lightgbm xgboost", // have no number of candidates
	"grafs", "obliqua-graf obliqua-graf-1",
	"godts", "obliqua-godt obliqua-gqdt scikit-learn-tree "+
		"obliqua-mixture-tied scikit-learn-mixture-tied obliqua-mixture-full scikit-learn-mixture-full",
)

func (j job) contenders() []string { return strings.Fields(groups.Replace(j.Contenders)) }

// Names of the jobs that have targets of their own.
const (
	friedmanJob  = "friedman"    // regression
	gaussiansJob = "gaussians10" // ten classes, one Gaussian each
	oneTree      = "one-tree"    // on many rows: CART, or a random forest of one tree
)

// errNoData is returned by jobs whose data need OBLIQUA_DATA.
var errNoData = errors.New("OBLIQUA_DATA is unset")

// load draws or reads the data for training and testing.
func (j job) load() (train, test *datasets.Dataset, err error) {
	what, rest, _ := strings.Cut(j.Data, " ")
	var n, p, tests, classes int
	drawn := func(seed uint64, sample func(int, uint64) *datasets.Dataset) (train, test *datasets.Dataset, err error) {
		return sample(n, seed), sample(tests, seed+1), nil
	}
	switch what {
	case "trunk": // rows, features, test rows
		fmt.Sscan(rest, &n, &p, &tests)
		return drawn(1, sim.Trunk{Features: p}.Sample)
	case "friedman":
		n, tests = 20000, 10000
		return drawn(1, friedman(20))
	case "higgs":
		n, tests = 500000, 100000
		return drawn(2, newMixture(28, 4, 1).sample)
	case "gaussians": // classes, rows, test rows
		fmt.Sscan(rest, &classes, &n, &tests)
		return drawn(2, newGaussians(20, classes, 1).sample)
	case "hypercube":
		// 6000 of 20,000 rows are held back for testing, as in GRAF's paper: another sample would have another distribution.
		d := sim.Hypercube{Features: 12, Multiclass: rest == "multiclass"}.Sample(20000, 1)
		return datasets.Holdout{Test: 0.3, Stratified: true, Seed: 1}.Split(d)
	}
	if _, ok := os.LookupEnv("OBLIQUA_DATA"); !ok {
		return nil, nil, errNoData
	}
	ctx := context.Background()
	switch what {
	case "mnist":
		train, errTrain := public.Load(ctx, "mnist")
		test, errTest := public.Load(ctx, "mnist_test")
		return train, test, errors.Join(errTrain, errTest)
	case "madelon": // its official validation part, which the set has last, is for testing
		d, err := public.Load(ctx, "madelon")
		if err != nil {
			return nil, nil, err
		}
		rows := make([]int32, d.N())
		for i := range rows {
			rows[i] = int32(i)
		}
		return d.Subset(rows[:2000]), d.Subset(rows[2000:]), nil
	}
	holdout := datasets.Holdout{Stratified: true, Seed: 1} // public: name, share of test rows
	var name string
	if _, err := fmt.Sscan(rest, &name, &holdout.Test); err != nil {
		return nil, nil, fmt.Errorf("no data %q: %w", j.Data, err)
	}
	d, err := public.Load(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	return holdout.Split(d)
}
