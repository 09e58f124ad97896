package figures

import (
	"cmp"
	"context"
	"hash/crc32"
	"slices"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// sharded measures what the forest of tables.FitShards (package cluster/tables) costs: the test
// error of SPORF forests of 128 trees in all, each grown on one shard of 16,000 rows in all, on
// 10,000 test rows. X is the number of shards. Rows are "hashed", as FitShards does, their keys
// being their numbers; or, as a warning, they are "sorted" by the first feature and cut into equal
// parts. Of 16 sorted parts some have one class only, so there are at most eight. There are eight repeats, two in
// the fast setting.
func sharded(s size) (runs []Run) {
	for _, c := range []struct {
		problem problem
		method  string
		shards  []int
	}{
		{drawn("trunk", sim.Trunk{}, 16_000), "hashed", []int{1, 4, 16, 64}},
		{drawn("sparse parity", sim.SparseParity{}, 16_000), "hashed", []int{1, 4, 16, 64}},
		{drawn("trunk", sim.Trunk{}, 16_000), "sorted", []int{1, 4, 8}},
	} {
		m := method{name: c.method, fit: func(ctx context.Context, t *trial) (err error) {
			parts := hashedShards(t.train.N(), t.X)
			if c.method == "sorted" {
				parts = sortedShards(t.train.Columns[0], t.X)
			}
			t.model, err = fitShards(ctx, t.train, parts, t.Seed)
			return err
		}}
		runs = append(runs, study{
			problems: []problem{c.problem}, methods: []method{m}, xs: c.shards, repeats: pick(s, 2, 8),
		}.runs()...)
	}
	return runs
}

// fitShards grows the forest of the given shards, which are rows of train.
func fitShards(ctx context.Context, train *datasets.Dataset, shards [][]int32, seed uint64) (*forest.Forest, error) {
	const trees = 128
	forests := make([]*forest.Forest, len(shards))
	for s, rows := range shards {
		var err error
		l := sporf.Learner{Trees: trees*(s+1)/len(shards) - trees*s/len(shards), Seed: seed + uint64(s)}
		if forests[s], err = l.Fit(ctx, train.Subset(rows)); err != nil {
			return nil, err
		}
	}
	return forest.Union(forests...)
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
	rows := from(0, int32(len(x)))
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(x[a], x[b]) })
	parts := make([][]int32, shards)
	for s := range parts {
		parts[s] = rows[len(rows)*s/shards : len(rows)*(s+1)/shards]
	}
	return parts
}
