// Obliqua-worker is a worker that knows every learner of this module, and cross-validation and
// tuning. Most programs are their own workers (see package cluster). This one is for those that
// can't be: programs for another operating system than the machines of the cluster, and
// those that are much larger.
//
//	CGO_ENABLED=0 GOOS=linux go build -ldflags='-s -w' github.com/obliqua-ml/obliqua/cluster/obliqua-worker
package main

import (
	"fmt"
	"os"

	"github.com/obliqua-ml/obliqua/cluster"
	_ "github.com/obliqua-ml/obliqua/cluster/grid"
	"github.com/obliqua-ml/obliqua/internal/learners"
)

func main() {
	cluster.Main(learners.All()...)
	fmt.Fprintln(os.Stderr, "obliqua-worker is started by an engine of package cluster, which sets OBLIQUA_WORKER. "+
		"It does nothing by itself.")
	os.Exit(2)
}
