package figures

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/cluster"
)

// registered are the experiments that have a name.
var registered = map[string]func(paper bool) Experiment{
	"sporf1":  SPORF1,
	"sporf2":  SPORF2,
	"sporf3":  SPORFDensity,
	"sporf4":  SPORFImportance,
	"sporf6":  SPORFSettings,
	"sporf7":  SPORFNoise,
	"sporf8":  SPORFTime,
	"sporf9":  SPORFScaling,
	"sporf10": SPORFPrediction,
	"sporf11": SPORFStrength,
	"sporf12": SPORFBiasVariance,
	"trunk":   SPORFTrunk,
	"table1":  SPORFTable1,
	"race":    SPORFRace,
	"auto":    Auto,
	"traits":  SPORFTraits,

	"autotrial": AutoTrial,
	"autotuned": AutoTuned,

	"graf4":    GRAFCubes,
	"graf8":    GRAFTrees(10),
	"graf9":    GRAFFeatures(10),
	"graf10":   GRAFRows(10),
	"graf13":   GRAFApproximation,
	"grafD1":   GRAFTableD1,
	"grafB1":   GRAFRows(20),
	"grafB2":   GRAFRows(50),
	"grafB3":   GRAFFeatures(20),
	"grafB4":   GRAFFeatures(50),
	"grafB5":   GRAFTrees(20),
	"grafB6":   GRAFTrees(50),
	"faultsD1": GRAFFaults,

	"hrf3":    HRFDepths,
	"hrf5":    HRFNoise,
	"hrfleaf": HRFLeafRule,
	"hrft5":   HRFTable5,
	"hrft6":   HRFTable6,
	"hrft8":   HRFNoiseShare,
	"hrfgraf": HRFSubspaces,

	"godtablation":  GODTAblation,
	"godtbeta":      GODTBeta,
	"godtforests":   GODTForests,
	"godtmadelon":   GODTMadelon,
	"godtquadratic": GODTQuadratic,
	"godttime":      GODTTime,
	"godttrees":     GODTTrees,
	"godtvalues":    GODTValues,

	"tao2":      TAOTable2,
	"tao12":     TAODiversity,
	"tao34":     TAOPasses,
	"tao5":      TAOTrees,
	"tao6":      TAOPairs,
	"tao7":      TAOFeatures,
	"tao8":      TAOPath,
	"tao9":      TAOStructures,
	"taoaccept": TAOAcceptance,
	"taolambda": TAOLambda,
	"taorefine": TAORefine,
	"taotime":   TAOTime,
	"taovalues": TAOValues,

	"mix":         Mix,
	"calibration": Calibration,
	"mixtables":   MixTables,

	"compare": CompareFalseAlarms,
	"shards":  Shards,

	"clustertimes":  ClusterTimes,
	"clustermemory": ClusterMemory,
}

// Register gives an experiment a name, so that workers can do its runs; see [Execution]. Call
// it before [cluster.Main]. make returns the experiment in the paper's setting, or in a fast
// one; it must return the same runs each time. Register panics if the name is taken.
func Register(name string, make func(paper bool) Experiment) {
	if registered[name] != nil {
		panic("figures: two experiments are called " + name)
	}
	registered[name] = make
}

// Names returns the names of all registered experiments, sorted.
func Names() []string { return slices.Sorted(maps.Keys(registered)) }

// Named returns the registered experiment of that name, in the paper's setting or in the fast
// one. It returns an error if there is none.
func Named(name string, paper bool) (Experiment, error) {
	make := registered[name]
	if make == nil {
		return Experiment{}, fmt.Errorf("figures: no experiment is called %q; want one of %s", name, strings.Join(Names(), ", "))
	}
	e := make(paper)
	e.origin = &origin{name, paper, runsHash(e)}
	return e, nil
}

// An origin is how a worker finds an experiment.
type origin struct {
	Name  string
	Paper bool
	Hash  string // of the identities of all runs
}

func runsHash(e Experiment) string {
	h := sha256.New()
	for _, run := range e.Runs {
		fmt.Fprintf(h, "%q\n", run.String())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A remoteRun is a run that a worker is asked to do.
type remoteRun struct {
	Experiment origin
	Number     int // in the experiment's Runs
	Run        string
}

func init() {
	cluster.Handle("run", func(ctx context.Context, _ *cluster.Worker, q remoteRun) (Result, error) {
		e, err := Named(q.Experiment.Name, q.Experiment.Paper)
		if err != nil {
			return Result{}, err
		}
		if e.origin.Hash != q.Experiment.Hash || q.Number >= len(e.Runs) {
			return Result{}, fmt.Errorf("the runs of %s are others in this worker, such as where they depend on data that it hasn't got", q.Experiment.Name)
		}
		result, err := e.Runs[q.Number].Do(ctx)
		if err != nil {
			return Result{}, fmt.Errorf("%s: %s: %w", e.Name, q.Run, err)
		}
		return result, nil
	})
}
