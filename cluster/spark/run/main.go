// Run computes a figure or table of a paper on a Spark cluster, and saves its results in
// docs/results, a line when a run is done. Started again, it continues where it stopped. It is
// tools/experiments/run with one more flag:
//
//	go run -C cluster/spark/run . -results ../../../docs/results -cluster sc://127.0.0.1:15002 experiment
package main

import (
	"context"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/cluster/spark"
	"github.com/obliqua-ml/obliqua/tools/experiments"
)

func main() {
	experiments.Main(func(ctx context.Context, address string) (cluster.Engine, error) { return spark.Dial(ctx, address) })
}
