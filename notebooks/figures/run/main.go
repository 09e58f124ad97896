// Run computes a figure or table of a paper, and saves its results in docs/results
// after every run. Started again, it continues where it stopped. Without an argument it
// lists the experiments.
//
//	go run ./notebooks/figures/run [-paper] [-repeats n] [-match regexp] experiment
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/notebooks/figures"
)

var experiments = map[string]func(paper bool) figures.Experiment{
	"sporf1":  figures.SPORF1,
	"sporf2":  figures.SPORF2,
	"sporf3":  figures.SPORFDensity,
	"sporf4":  figures.SPORFImportance,
	"sporf6":  figures.SPORFSettings,
	"sporf7":  figures.SPORFNoise,
	"sporf8":  figures.SPORFTime,
	"sporf9":  figures.SPORFScaling,
	"sporf10": figures.SPORFPrediction,
	"sporf11": figures.SPORFStrength,
	"sporf12": figures.SPORFBiasVariance,
	"trunk":   figures.SPORFTrunk,
	"table1":  figures.SPORFTable1,
	"traits":  figures.SPORFTraits,

	"graf4":    figures.GRAFCubes,
	"graf8":    figures.GRAFTrees(10),
	"graf9":    figures.GRAFFeatures(10),
	"graf10":   figures.GRAFRows(10),
	"graf13":   figures.GRAFApproximation,
	"grafD1":   figures.GRAFTableD1,
	"grafB1":   figures.GRAFRows(20),
	"grafB2":   figures.GRAFRows(50),
	"grafB3":   figures.GRAFFeatures(20),
	"grafB4":   figures.GRAFFeatures(50),
	"grafB5":   figures.GRAFTrees(20),
	"grafB6":   figures.GRAFTrees(50),
	"faultsD1": figures.GRAFFaults,

	"hrf3":    figures.HRFDepths,
	"hrf5":    figures.HRFNoise,
	"hrfleaf": figures.HRFLeafRule,
	"hrft5":   figures.HRFTable5,
	"hrft6":   figures.HRFTable6,
	"hrft8":   figures.HRFNoiseShare,
	"hrfgraf": figures.HRFSubspaces,

	"godtablation":  figures.GODTAblation,
	"godtbeta":      figures.GODTBeta,
	"godtforests":   figures.GODTForests,
	"godtmadelon":   figures.GODTMadelon,
	"godtquadratic": figures.GODTQuadratic,
	"godttime":      figures.GODTTime,
	"godttrees":     figures.GODTTrees,
	"godtvalues":    figures.GODTValues,

	"tao2":      figures.TAOTable2,
	"tao12":     figures.TAODiversity,
	"tao34":     figures.TAOPasses,
	"tao5":      figures.TAOTrees,
	"tao6":      figures.TAOPairs,
	"tao7":      figures.TAOFeatures,
	"tao8":      figures.TAOPath,
	"tao9":      figures.TAOStructures,
	"taoaccept": figures.TAOAcceptance,
	"taolambda": figures.TAOLambda,
	"taorefine": figures.TAORefine,
	"taotime":   figures.TAOTime,
	"taovalues": figures.TAOValues,
}

func main() {
	paper := flag.Bool("paper", false, "the paper's setting instead of the fast one")
	results := flag.String("results", "docs/results", "folder of results")
	repeats := flag.Int("repeats", 0, "stop after this many repeats; 0 does all")
	match := flag.String("match", "", "do only the runs whose \"problem, method, x\" match this regular expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Arg(0), *paper, *results, *repeats, *match); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name string, paper bool, results string, repeats int, match string) error {
	experiment, ok := experiments[name]
	if !ok {
		return fmt.Errorf("run: unknown experiment %q; want one of %s", name, strings.Join(slices.Sorted(maps.Keys(experiments)), ", "))
	}
	only, err := regexp.Compile(match)
	if err != nil {
		return fmt.Errorf("run: -match: %w", err)
	}
	e := experiment(paper)
	e.Runs = slices.DeleteFunc(e.Runs, func(r figures.Run) bool {
		return repeats > 0 && r.Repeat > repeats || !only.MatchString(fmt.Sprintf("%s, %s, %d", r.Problem, r.Method, r.X))
	})
	ctx = forest.WithProgress(ctx, func(done, total int) { fmt.Fprintf(os.Stderr, "%s: %d of %d runs\n", e.Name, done, total) })
	records, err := e.Execute(ctx, filepath.Join(results, e.Name+".csv"), commit())
	for _, m := range figures.Means(records) {
		fmt.Printf("%-14s %-16s %6d  %.4f ± %.4f  (%d repeats, %.1f s)\n", m.Problem, m.Method, m.X, m.Mean, m.StdErr, m.Repeats, m.Seconds)
	}
	return err
}

// commit returns the short hash of the checkout, marked if files other than results are
// changed.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--abbrev=10").Output()
	if err != nil {
		return "unknown"
	}
	hash := strings.TrimSpace(string(out))
	if exec.Command("git", "diff", "--quiet", "HEAD", "--", ":/", ":(top,exclude)docs/results").Run() != nil {
		hash += "-dirty"
	}
	return hash
}
