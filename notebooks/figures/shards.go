package figures

import (
	"cmp"
	"context"
	"hash/crc32"
	"slices"
	"strconv"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// Shards returns what the forest of tables.FitShards (package cluster/tables) costs: the test
// error of SPORF forests of 128 trees in all, each grown on one shard of 16,000 rows in all, on
// 10,000 test rows. X is the number of shards. Rows are "hashed", as FitShards does, their keys
// being their numbers; or, as a warning, they are "sorted" by the first feature and cut into equal
// parts. Of 16 sorted parts some have one class only, so there are at most eight. There are eight repeats, two in
// the fast setting.
func Shards(paper bool) Experiment {
	e := Experiment{Name: "shards-fast"}
	repeats := 2
	if paper {
		e.Name, repeats = "shards-paper", 8
	}
	for _, c := range []struct {
		name    string
		problem problem
		method  string
		shards  []int
	}{
		{"trunk", sim.Trunk{}, "hashed", []int{1, 4, 16, 64}},
		{"sparse parity", sim.SparseParity{}, "hashed", []int{1, 4, 16, 64}},
		{"trunk", sim.Trunk{}, "sorted", []int{1, 4, 8}},
	} {
		for _, shards := range c.shards {
			for repeat := 1; repeat <= repeats; repeat++ {
				seed := uint64(repeat)
				e.Runs = append(e.Runs, Run{Problem: c.name, Method: c.method, X: shards, Repeat: repeat, Seed: seed,
					Do: func(ctx context.Context) (Result, error) {
						train, test := c.problem.Sample(16_000, 2*seed), c.problem.Sample(testRows, 2*seed+1)
						parts := hashedShards(train.N(), shards)
						if c.method == "sorted" {
							parts = sortedShards(train.Columns[0], shards)
						}
						return fitShards(ctx, train, test, parts, seed)
					}})
			}
		}
	}
	return e
}

// fitShards grows and tests the forest of the given shards, which are rows of train.
func fitShards(ctx context.Context, train, test *datasets.Dataset, shards [][]int32, seed uint64) (Result, error) {
	const trees = 128
	start := time.Now()
	forests := make([]*forest.Forest, len(shards))
	for s, rows := range shards {
		var err error
		l := sporf.Learner{Trees: trees*(s+1)/len(shards) - trees*s/len(shards), Seed: seed + uint64(s)}
		if forests[s], err = l.Fit(ctx, train.Subset(rows)); err != nil {
			return Result{}, err
		}
	}
	model, err := forest.Union(forests...)
	if err != nil {
		return Result{}, err
	}
	seconds := time.Since(start).Seconds()
	return Result{Score: eval.Error(must.Value(model.Predict(ctx, test)), test.Labels), Seconds: seconds}, nil
}

// hashedShards returns the rows of each shard, as FitShards assigns and orders them.
func hashedShards(n, shards int) [][]int32 {
	keys := make([]string, n)
	parts := make([][]int32, shards)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
		s := crc32.ChecksumIEEE([]byte(keys[i])) % uint32(shards)
		parts[s] = append(parts[s], int32(i))
	}
	for _, rows := range parts {
		slices.SortFunc(rows, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	}
	return parts
}

// sortedShards cuts the rows, sorted by x, into equal parts.
func sortedShards(x []float32, shards int) [][]int32 {
	rows := make([]int32, len(x))
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(x[a], x[b]) })
	parts := make([][]int32, shards)
	for s := range parts {
		parts[s] = rows[len(rows)*s/shards : len(rows)*(s+1)/shards]
	}
	return parts
}
