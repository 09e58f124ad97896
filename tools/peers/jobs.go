package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
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
// GB for the p·d cells of a node's matrix, which it shuffles.
type job struct {
	Name              string
	Directions, Trees int
	Data              string // see load
	Contenders        string // names of those that take part, or of groups
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
)

func (j job) contenders() []string { return strings.Fields(groups.Replace(j.Contenders)) }

// A contender is one way to grow a forest: a line of contenders.csv.
type contender struct {
	Name, Title string
	Program     string // what runs it: "self", "python", "treeple" or "rscript"
	Settings    string // of ours, in words
}

// The contenders in the order of the tables.
var contenders = parseTable[contender](contendersCSV)

//go:embed contenders.csv
var contendersCSV string

// title returns the name of a contender in tables.
func title(name string) string {
	return contenders[slices.IndexFunc(contenders, func(c contender) bool { return c.Name == name })].Title
}
