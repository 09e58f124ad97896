package tables

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// benchmarkModel returns a forest of 100 trees for tables of 20 columns, and such a table.
func benchmarkModel(b *testing.B) (*forest.Forest, *datasets.Dataset) {
	problem := sim.Trunk{Features: 20}
	return fit(b, rf.Learner{Trees: 100, Seed: 1}, problem.Sample(2000, 1)), problem.Sample(1<<17, 2)
}

// What it takes to read 131,072 rows of 20 columns, to predict them with 100 trees, and to write
// the predictions.
func BenchmarkShard(b *testing.B) {
	model, d := benchmarkModel(b)
	features := model.Schema().Features
	folder := b.TempDir()
	parquetPath, csvPath := filepath.Join(folder, "x.parquet"), filepath.Join(folder, "x.csv")
	writeParquet(b, parquetPath, 1<<16, columnsOf(d, 0, d.N())...)
	write(b, csvPath, csvOf(d, 0, d.N()))
	header := []string{"id"}
	for _, f := range features {
		header = append(header, f.Name)
	}
	for name, t := range map[string]shardTask{
		"parquet": {Input: input{Path: parquetPath}, Shard: shard{First: 0, After: int64(d.N())}, Key: "id"},
		"csv":     {Input: input{Path: csvPath}, Shard: whole, Header: header, Key: "id"},
	} {
		for _, part := range []string{"read", "all"} {
			b.Run(fmt.Sprintf("%s/%s", name, part), func(b *testing.B) {
				for b.Loop() {
					in := must.Value(t.open(b.Context(), features))
					out := must.Value(newTableWriter(io.Discard, in.key(), outputs(model, false)))
					var err error
					if part == "all" {
						err = t.predict(context.Background(), model, in, out, new(summary))
					}
					for part == "read" && err == nil {
						_, err = in.next(rowsAtATime(20))
					}
					if err != nil && err != io.EOF {
						b.Fatal(err)
					}
					in.close()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*d.N()), "ns/row")
			})
		}
	}
	b.Run("rows", func(b *testing.B) {
		lines := bytes.ReplaceAll(csvOf(d, 0, d.N()), []byte(","), []byte("\t"))
		lines = lines[bytes.IndexByte(lines, '\n')+1:]
		for b.Loop() {
			must.Do((rowTask{}).predict(model, bytes.NewReader(lines), io.Discard))
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*d.N()), "ns/row")
	})
}
