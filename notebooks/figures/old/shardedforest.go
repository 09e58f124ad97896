package old

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
func sharded(s size) []Run {
	of := func(name string, shards func(t *trial) [][]int32) []method {
		return []method{{name: name, fit: func(ctx context.Context, t *trial) (err error) {
			t.model, err = fitShards(ctx, t.train, shards(t), t.Seed)
			return err
		}}}
	}
	hashed := of("hashed", func(t *trial) [][]int32 { return hashedShards(t.train.N(), t.X) })
	sorted := of("sorted", func(t *trial) [][]int32 { return sortedShards(t.train.Columns[0], t.X) })
	both := []problem{drawn("trunk", sim.Trunk{}, 16_000), drawn("sparse parity", sim.SparseParity{}, 16_000)}
	return append(
		study{problems: both, methods: hashed, xs: []int{1, 4, 16, 64}, repeats: pick(s, 2, 8)}.runs(),
		study{problems: both[:1], methods: sorted, xs: []int{1, 4, 8}, repeats: pick(s, 2, 8)}.runs()...)
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
