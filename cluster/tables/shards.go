package tables

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// A Table says what [FitShards] reads. All columns that aren't mentioned are features, but for the
// index that pandas leaves in Parquet files (__index_level_0__).
type Table struct {
	From        string   // a file or a folder, as for [Predict]
	Key         string   // the column that identifies a row: text, whole numbers or booleans
	Target      string   // the column to predict
	Regression  bool     // the target is a number, not a class
	Categorical []string // columns of whole numbers that are categories
	Drop        []string // columns not to read
}

// FitShards grows a forest of a table that is larger than any worker's memory. Each row belongs
// to one of some shards; of each shard a forest is grown, as learner.Fit does, with a part of the
// trees; the forest of all trees is returned. This is not the forest that learner.Fit would grow of
// the whole table, and it is mostly a worse one: a tree knows the rows of its shard only.
//
// # What it costs
//
// Test error of SPORF forests of 128 trees in all, grown on 16,000 rows in all, mean of eight
// samples ± its standard error (docs/results/shards-paper.csv):
//
//	shards                              1              4              8              16             64
//	Trunk, 10 features                  0.045 ± 0.001  0.045 ± 0.001                 0.045 ± 0.001  0.046 ± 0.001
//	sparse parity, 20 features          0.031 ± 0.003  0.178 ± 0.005                 0.374 ± 0.005  0.471 ± 0.003
//	Trunk, sorted by x1, cut in parts   0.045 ± 0.001  0.050 ± 0.001  0.056 ± 0.001  one class
//
// Where many rows say the same, as in Trunk's problem of two overlapping clouds, shards cost
// nothing that can be measured here. Where a signal shows only in several features together, as in
// sparse parity, a tree needs many rows to find it, and shards are ruinous: 64 of them nearly guess. So
// use as few shards as memory allows, and compare with [cluster.Fit] on as many rows as one worker can
// hold. The last line is a warning: it cuts a sorted table into parts, which FitShards doesn't do, and
// of 16 parts some have only one class.
//
// # Rows, trees and seeds
//
// The shard of a row is the CRC-32 (IEEE) of its key's text modulo shards; numbers are written in
// decimal digits. In a shard rows are in the order of their keys' bytes, and where keys are equal
// of their cells. So the forest depends neither on the engine nor on the files into which the
// table is cut. Features are in the order of the first file's columns.
//
// Of T trees, shard s of n has trees T·s/n … T·(s+1)/n − 1 of the forest, and grows them with the
// learner's seed plus s.
//
// # Workers
//
// A first job reads all files once, to agree on columns, categories and classes. Then the worker of
// each shard reads all files, one at a time and some thousand rows at a time, and keeps its rows: 4
// bytes a cell, the keys, and what growing takes.
//
// The learner must be of a type that was given to [cluster.Main], with the fields Trees (which
// must be set) and Seed, or a [forest.Pipeline] of one whose steps learn nothing but categories
// ([datasets.OneHot], [datasets.Ordinal]). Progress counts trees (see [forest.WithProgress]).
// [cluster.Kept] keeps the forests of shards for a program that is started again.
//
// # Errors
//
// FitShards returns an error if the trees depend on each other (see [forest.FitPart]); if there are
// fewer trees than shards; if files differ in their columns; if a column is numbers in one file
// and text in another; if a column of text has more than 65,536 categories; for a key or a target
// that is missing, and a cell that can't be read; if a shard has fewer than two rows or classes; if
// a file changes; and where the engine and learner.Fit do. Nobody knows which rows are out of bag
// for a tree, so [forest.Forest.OutOfBag] returns an error.
func FitShards(ctx context.Context, e cluster.Engine, learner forest.Learner, t Table, shards int) (
	*forest.Forest, error) {
	sent, err := cluster.EncodeLearner(learner)
	if err != nil {
		return nil, err
	}
	learners, trees, err := shareTrees(sent, shards)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	if t.From, err = filepath.Abs(t.From); err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	inputs, err := list(t.From)
	if err != nil {
		return nil, err
	}
	headers, schema, err := t.agree(ctx, e, inputs, shards)
	if err != nil {
		return nil, err
	}
	tasks := make([]fitTask, shards)
	for s := range tasks {
		tasks[s] = fitTask{learners[s], trees[s], inputs, headers, t, schema, s, shards}
	}
	report, grown, total := forest.Progress(ctx), 0, 0
	for _, n := range trees {
		total += n
	}
	forests := make([]*forest.Forest, shards)
	err = cluster.Map(ctx, e, "tables.fit", nil, tasks, func(s int, b []byte) error {
		forests[s] = new(forest.Forest)
		err := forests[s].UnmarshalBinary(b)
		if n := len(forests[s].Trees); err == nil && n != trees[s] {
			err = fmt.Errorf("the worker sends %d trees; want %d", n, trees[s])
		}
		if err != nil {
			return fmt.Errorf("tables: shard %d: %w", s, err)
		}
		grown += trees[s]
		report(grown, total)
		return nil
	})
	if err != nil {
		return nil, err
	}
	f, err := forest.Union(forests...)
	if err != nil {
		return nil, fmt.Errorf("tables: the forests of the shards: %w", err)
	}
	return f, nil
}

// shareTrees returns the learner of each shard and its number of trees.
func shareTrees(whole cluster.Learner, shards int) ([]cluster.Learner, []int, error) {
	var parameters map[string]json.RawMessage
	if err := json.Unmarshal(whole.Parameters, &parameters); err != nil {
		return nil, nil, err
	}
	var all int
	var seed uint64
	if json.Unmarshal(parameters["Trees"], &all) != nil || json.Unmarshal(parameters["Seed"], &seed) != nil {
		return nil, nil, fmt.Errorf("%s has no fields Trees and Seed", whole.Type)
	}
	if shards < 1 || all < shards {
		return nil, nil, fmt.Errorf("%d shards for %d trees; set Trees, and want at least one shard and a tree in each",
			shards, all)
	}
	learners, trees := make([]cluster.Learner, shards), make([]int, shards)
	for s := range learners {
		trees[s] = all*(s+1)/shards - all*s/shards
		parameters["Trees"] = json.RawMessage(fmt.Sprint(trees[s]))
		parameters["Seed"] = json.RawMessage(fmt.Sprint(seed + uint64(s)))
		b, err := json.Marshal(parameters)
		if err != nil {
			return nil, nil, err
		}
		learners[s] = whole
		learners[s].Parameters = b
	}
	return learners, trees, nil
}

func shardOf(key string, shards int) int {
	return int(crc32.ChecksumIEEE([]byte(key)) % uint32(shards))
}

// A fitTask asks for the forest of a shard.
type fitTask struct {
	Learner       cluster.Learner
	Trees         int
	Inputs        []input
	Headers       [][]string // of CSV, by file
	Table         Table
	Schema        datasets.Schema
	Shard, Shards int
}

func init() {
	cluster.Handle("tables.fit", func(ctx context.Context, _ *cluster.Worker, t fitTask) ([]byte, error) {
		learner, err := t.Learner.Value()
		if err != nil {
			return nil, err
		}
		train, err := t.rows(ctx)
		if err != nil {
			return nil, err
		}
		part, err := forest.FitPart(ctx, learner, train, 0, t.Trees)
		if err != nil {
			return nil, fmt.Errorf("tables: shard %d of %d rows: %w", t.Shard, train.N(), err)
		}
		f, err := forest.Join(part)
		if err != nil {
			return nil, err
		}
		return f.MarshalBinary()
	})
}

// rows returns the rows of the shard, in their order.
func (t fitTask) rows(ctx context.Context) (*datasets.Dataset, error) {
	d := &datasets.Dataset{Name: fmt.Sprintf("shard %d", t.Shard), Features: t.Schema.Features,
		Columns: make([][]float32, len(t.Schema.Features)),
		Target:  t.Schema.Target, Classes: t.Schema.Classes}
	var keys []string
	w := wanted{features: t.Schema.Features, texts: []string{t.Table.Key}}
	if t.Table.Regression {
		w.values = t.Table.Target
	} else {
		target := datasets.Feature{Name: t.Table.Target, Categories: t.Schema.Classes}
		w.features = append(slices.Clip(w.features), target)
	}
	for i, in := range t.Inputs {
		err := t.Table.each(ctx, in, t.Headers[i], w, func(b *batch) error {
			for k, key := range b.texts[0] {
				if !t.Table.Regression {
					code := b.data.Columns[len(d.Columns)][k]
					if code != code || int(code) >= len(d.Classes) {
						return fmt.Errorf("tables: %s: %s has a class that wasn't there before", in.Path, b.where(k))
					}
				}
				if shardOf(key.text, t.Shards) != t.Shard {
					continue
				}
				keys = append(keys, strings.Clone(key.text))
				for j := range d.Columns {
					d.Columns[j] = append(d.Columns[j], b.data.Columns[j][k])
				}
				if t.Table.Regression {
					d.Values = append(d.Values, b.values[k])
				} else {
					d.Labels = append(d.Labels, int32(b.data.Columns[len(d.Columns)][k]))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return d.Subset(ordered(d, keys)), nil
}

// ordered returns the rows in the order of their keys and, where these are equal, their cells.
func ordered(d *datasets.Dataset, keys []string) []int32 {
	rows := make([]int32, len(keys))
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortStableFunc(rows, func(a, b int32) int {
		c := cmp.Compare(keys[a], keys[b])
		if c == 0 && d.Values != nil {
			c = cmp.Compare(d.Values[a], d.Values[b])
		}
		if c == 0 && d.Labels != nil {
			c = cmp.Compare(d.Labels[a], d.Labels[b])
		}
		for j := 0; c == 0 && j < len(d.Columns); j++ {
			c = cmp.Compare(d.Columns[j][a], d.Columns[j][b])
		}
		return c
	})
	return rows
}
