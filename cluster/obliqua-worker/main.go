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
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
)

func main() {
	cluster.Main(
		rf.Learner{}, rf.CART{}, rf.Bagging{}, rf.ExtraTrees{},
		sporf.Learner{}, sporf.FRC{}, oblique.Learner{}, oc1.Learner{}, oc1.Tree{},
		auto.Learner{}, graf.Learner{}, rf.HRF{}, mix.Learner{}, boost.Learner{}, ccf.Learner{},
		rotation.Learner{}, rotation.Random{},
		godt.Learner{}, godt.Tree{}, tao.Learner{},
	)
	fmt.Fprintln(os.Stderr, "obliqua-worker is started by an engine of package cluster, which sets OBLIQUA_WORKER. "+
		"It does nothing by itself.")
	os.Exit(2)
}
