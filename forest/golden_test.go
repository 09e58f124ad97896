package forest_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"flag"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
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
	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// The file holds hashes of the forests that commit 9245d9b grew, and of methods that are younger those of the commit
// that added them. Those of oblique, and of godt's shared full covariances, are of growth revision 2, those of separate
// ones and of boost 3, and those of boost and of linear tao with row weights 6. A change that makes learners faster, or
// keeps trees in another way, must not change them. A change of the rule by which trees grow may; it must say so in
// CHANGELOG.md and make the file anew:
//
//	go test ./forest -run TestGolden -golden.update
const goldenFile = "testdata/golden.csv"

var goldenUpdate = flag.Bool("golden.update", false,
	"write the hashes of the forests that are grown now to "+goldenFile)

var goldenHeader = []string{"job", "trees", "structure", "predictions", "data"}

// goldenTest is how many rows of every data set are for prediction.
const goldenTest = 400

// A goldenJob is one forest to grow.
type goldenJob struct {
	name    string
	learner forest.Learner
	data    string // a key of goldenData and, if the training rows are changed, one of goldenChanges
}

var goldenChanges = map[string]func(d *datasets.Dataset) *datasets.Dataset{
	"classes 1 to 7": byClass(0.25, 1.75),
	"classes 8 to 3": byClass(2, 0.75),
	"letter weights": byClass(letterWeights()...),
	"few weights":    mostlyWeightless,
	"weights":        weighted,
	"view":           viewed,
	"negative":       negative,
	"counts":         counted,
}

func goldenJobs() []goldenJob {
	entropy := forest.Growth{Criterion: forest.Entropy}
	limits := forest.Growth{MaxDepth: 7, MinSplit: 12, MinLeaf: 5}
	entropyLimits := forest.Growth{Criterion: forest.Entropy, MaxDepth: 9, MinSplit: 8, MinLeaf: 3}
	entropyLeaves := forest.Growth{Criterion: forest.Entropy, MinLeaf: 2}
	relativeBeta := godt.Splitting{RelativeBeta: 0.01}
	steps := []datasets.Step{datasets.Impute{}, datasets.TargetEncoding{Seed: 1}, datasets.Standardise{}}
	return []goldenJob{
		// axis-aligned trees
		{"rf trunk", rf.Learner{Trees: 12, Seed: 1}, "trunk"},
		{"rf trunk entropy", rf.Learner{Trees: 12, Growth: entropy, Seed: 2}, "trunk"},
		{"rf trunk limits", rf.Learner{Trees: 12, Growth: limits, Seed: 3}, "trunk"},
		{"rf trunk class weights", rf.Learner{Trees: 6, Seed: 4}, "trunk, classes 1 to 7"},
		{"rf trunk row weights", rf.Learner{Trees: 6, Seed: 5}, "trunk, weights"},
		{"rf trunk row weights entropy", rf.Learner{Trees: 6, Growth: entropyLimits, Seed: 6}, "trunk, weights"},
		{"rf trunk view", rf.Learner{Trees: 6, Seed: 7}, "trunk, view"},
		{"rf ten classes", rf.Learner{Trees: 8, Seed: 8}, "rbf"},
		{"rf ten classes entropy", rf.Learner{Trees: 8, Growth: entropy, Seed: 9}, "rbf"},
		{"rf ten classes row weights", rf.Learner{Trees: 4, Seed: 10}, "rbf, weights"},
		{"rf letters", rf.Learner{Trees: 8, Seed: 11}, "letters"},
		{"rf letters entropy", rf.Learner{Trees: 8, Growth: entropyLimits, Seed: 12}, "letters"},
		{"rf letters view", rf.Learner{Trees: 4, Seed: 13}, "letters, view"},
		{"rf categories", rf.Learner{Trees: 12, Seed: 14}, "categories"},
		{"rf noise", rf.Learner{Trees: 6, Seed: 101}, "noise"},
		{"rf noise entropy", rf.Learner{Trees: 6, Growth: entropy, Seed: 102}, "noise"},
		{"rf whole noise", rf.Learner{Trees: 6, Seed: 103}, "whole noise"},
		{"rf whole noise entropy", rf.Learner{Trees: 6, Growth: entropy, Seed: 104}, "whole noise"},
		{"rf close cells", rf.Learner{Trees: 8, Seed: 105}, "close"},
		{"rf few rows of weight", rf.Learner{Trees: 12, Seed: 106}, "rbf, few weights"},
		{"rf tiny", rf.Learner{Trees: 20, Seed: 107}, "tiny"},
		{"rf heavy tails", rf.Learner{Trees: 8, Seed: 15}, "heavy"},
		{"rf images", rf.Learner{Trees: 4, Seed: 16}, "images"},
		{"rf images entropy limits", rf.Learner{Trees: 2, Growth: entropyLimits, Seed: 17}, "images"},
		{"rf two trees of many rows", rf.Learner{Trees: 2, NodeFeatures: 6, Seed: 18}, "far"},
		{"rf images with a negative cell", rf.Learner{Trees: 1, Seed: 108}, "images, negative"},
		{"rf values", rf.Learner{Trees: 8, Seed: 19}, "values"},
		{"rf values limits", rf.Learner{Trees: 8, Growth: limits, Seed: 20}, "values"},
		{"rf whole values", rf.Learner{Trees: 8, Seed: 21}, "whole values"},
		{"rf values row weights", rf.Learner{Trees: 6, Seed: 22}, "values, weights"},
		{"rf values two trees of many rows", rf.Learner{Trees: 2, NodeFeatures: 6, Seed: 23}, "far values"},
		{"cart trunk", rf.CART{Seed: 24}, "trunk"},
		{"cart orthant", rf.CART{Growth: entropy, Seed: 25}, "orthant"},
		{"cart letters limits", rf.CART{Growth: limits, Seed: 26}, "letters"},
		{"cart values view", rf.CART{Growth: forest.Growth{MinLeaf: 4}, Seed: 27}, "values, view"},
		{"bagging parity", rf.Bagging{Trees: 6, Seed: 28}, "parity"},
		{"bagging letters class weights", rf.Bagging{Trees: 2, Seed: 29}, "letters, letter weights"},
		{"bagging whole values", rf.Bagging{Trees: 6, Growth: limits, Seed: 30}, "whole values"},
		{"extra trees trunk", rf.ExtraTrees{Trees: 10, Seed: 31}, "trunk"},
		{"extra trees trunk entropy limits", rf.ExtraTrees{Trees: 10, Growth: entropyLimits, Seed: 32}, "trunk"},
		{"extra trees letters", rf.ExtraTrees{Trees: 8, Seed: 33}, "letters"},
		{"extra trees letters entropy", rf.ExtraTrees{Trees: 4, Growth: entropy, Seed: 34}, "letters"},
		{"extra trees row weights", rf.ExtraTrees{Trees: 6, Seed: 35}, "rbf, weights"},
		{"extra trees categories", rf.ExtraTrees{Trees: 10, Seed: 36}, "categories"},
		{"extra trees images", rf.ExtraTrees{Trees: 3, Seed: 37}, "images"},
		{"extra trees overflow", rf.ExtraTrees{Trees: 6, Seed: 109}, "overflow"},
		{"extra trees close cells", rf.ExtraTrees{Trees: 6, Seed: 110}, "close"},
		{"extra trees noise", rf.ExtraTrees{Trees: 4, NodeFeatures: 10, Seed: 111}, "noise"},
		{"extra trees values", rf.ExtraTrees{Trees: 8, Seed: 38}, "values"},
		{"extra trees whole values", rf.ExtraTrees{Trees: 8, Growth: limits, Seed: 39}, "whole values, weights"},

		{"rf few categories leaf rule", rf.Learner{Trees: 12, Constant: rf.MakeLeaf, Seed: 130}, "few categories"},
		{"hrf trunk", rf.HRF{Trees: 12, Seed: 131}, "trunk"},
		{"hrf letters", rf.HRF{Trees: 6, Constant: rf.DrawOn, Seed: 132}, "letters"},
		{"hrf few categories", rf.HRF{Trees: 20, Memory: forest.Memory{Alpha: 0.9, Beta: 3}, Seed: 133},
			"few categories"},
		{"hrf values", rf.HRF{Trees: 6, Seed: 134}, "values"},

		// sparse projections
		{"sporf parity", sporf.Learner{Trees: 10, Seed: 40}, "parity"},
		{"sporf parity entropy", sporf.Learner{Trees: 10, Growth: entropy, Seed: 41}, "parity"},
		{"sporf trunk class weights", sporf.Learner{Trees: 4, Growth: entropyLeaves, Seed: 42}, "trunk, classes 8 to 3"},
		{"sporf trunk wide", sporf.Learner{Trees: 4, Candidates: 60, Density: 0.05, Growth: limits, Seed: 43}, "trunk"},
		{"sporf trunk dense", sporf.Learner{Trees: 6, Candidates: 5, Density: 0.9, Seed: 44}, "trunk, view"},
		{"sporf trunk empty columns", sporf.Learner{Trees: 6, Candidates: 6, Density: 0.04, Seed: 45}, "trunk"},
		{"sporf whole trunk", sporf.Learner{Trees: 8, Seed: 46}, "whole trunk"},
		{"sporf whole trunk entropy", sporf.Learner{Trees: 8, Growth: entropyLimits, Seed: 47}, "whole trunk"},
		{"sporf noise", sporf.Learner{Trees: 4, Seed: 112}, "noise"},
		{"sporf noise entropy", sporf.Learner{Trees: 4, Growth: entropy, Seed: 113}, "noise"},
		{"sporf whole noise", sporf.Learner{Trees: 6, Seed: 114}, "whole noise"},
		{"sporf whole noise entropy", sporf.Learner{Trees: 6, Growth: entropy, Seed: 115}, "whole noise"},
		{"sporf close cells", sporf.Learner{Trees: 8, Seed: 116}, "close"},
		{"sporf tiny", sporf.Learner{Trees: 20, Seed: 117}, "tiny"},
		{"sporf ten classes", sporf.Learner{Trees: 6, Seed: 48}, "rbf"},
		{"sporf whole ten classes", sporf.Learner{Trees: 6, Seed: 49}, "whole rbf"},
		{"sporf whole ten classes row weights", sporf.Learner{Trees: 4, Seed: 50}, "whole rbf, weights"},
		{"sporf letters", sporf.Learner{Trees: 6, Seed: 51}, "letters"},
		{"sporf letters entropy", sporf.Learner{Trees: 4, Growth: entropy, Seed: 52}, "letters"},
		{"sporf categories", sporf.Learner{Trees: 12, Seed: 53}, "categories"},
		{"sporf few categories", sporf.Learner{Trees: 12, Candidates: 2, Density: 0.2, Seed: 54}, "few categories"},
		{"sporf few categories row weights", sporf.Learner{Trees: 6, Growth: entropy, Seed: 55}, "few categories, weights"},
		{"sporf heavy tails", sporf.Learner{Trees: 8, Seed: 56}, "heavy"},
		{"sporf overflow", sporf.Learner{Trees: 6, Density: 0.5, Seed: 57}, "overflow"},
		{"sporf images", sporf.Learner{Trees: 2, Seed: 58}, "images"},
		{"sporf images of two classes", sporf.Learner{Trees: 2, Candidates: 8, Seed: 59}, "images of two classes"},
		{"sporf a tree of many rows", sporf.Learner{Trees: 1, Candidates: 24, Seed: 60}, "far"},
		{"sporf many columns", sporf.Learner{Trees: 3, Candidates: 80, Seed: 61}, "many columns"},
		{"sporf values", sporf.Learner{Trees: 6, Seed: 62}, "values"},
		{"sporf whole values", sporf.Learner{Trees: 6, Growth: limits, Seed: 63}, "whole values"},
		{"sporf values a tree of many rows", sporf.Learner{Trees: 1, Candidates: 8, Growth: limits, Seed: 64},
			"far values"},
		{"frc parity", sporf.FRC{Trees: 8, Seed: 65}, "parity"},
		{"frc whole trunk", sporf.FRC{Trees: 6, Combined: 2, Growth: entropy, Seed: 66}, "whole trunk"},
		{"frc ten classes", sporf.FRC{Trees: 4, Combined: 5, Seed: 67}, "rbf"},
		{"frc letters view", sporf.FRC{Trees: 3, Candidates: 6, Seed: 68}, "letters, view"},
		{"frc categories", sporf.FRC{Trees: 10, Seed: 69}, "categories"},
		{"frc few categories", sporf.FRC{Trees: 12, Candidates: 2, Combined: 2, Seed: 70}, "few categories"},
		{"frc single features", sporf.FRC{Trees: 6, Combined: 1, Seed: 71}, "few categories"},
		{"frc heavy tails", sporf.FRC{Trees: 6, Growth: limits, Seed: 72}, "heavy"},
		{"frc noise", sporf.FRC{Trees: 4, Growth: limits, Seed: 118}, "noise"},
		{"frc close cells", sporf.FRC{Trees: 6, Seed: 119}, "close"},
		{"frc far", sporf.FRC{Trees: 2, Candidates: 12, Growth: entropyLimits, Seed: 120}, "far"},
		{"frc overflow", sporf.FRC{Trees: 6, Combined: 4, Seed: 73}, "overflow"},
		{"frc images", sporf.FRC{Trees: 1, Candidates: 12, Combined: 4, Seed: 74}, "images"},
		{"frc values", sporf.FRC{Trees: 5, Seed: 75}, "values, weights"},

		// guided planes
		{"graf trunk", graf.Learner{Trees: 4, Seed: 76}, "trunk"},
		{"graf parity all features", graf.Learner{Trees: 3, TreeFeatures: graf.All, Candidates: 11, Seed: 77}, "parity"},
		{"graf ten classes", graf.Learner{Trees: 3, TreeFeatures: graf.Sqrt, Seed: 78}, "rbf"},
		{"graf whole ten classes view", graf.Learner{Trees: 3, TreeFeatures: graf.Log2, MinSplit: 5, Seed: 79},
			"whole rbf, view"},
		{"graf letters", graf.Learner{Trees: 2, Seed: 80}, "letters"},
		{"graf categories", graf.Learner{Trees: 6, Seed: 81}, "categories"},
		{"graf few categories", graf.Learner{Trees: 6, TreeFeatures: 2, Seed: 82}, "few categories"},
		{"graf heavy tails", graf.Learner{Trees: 3, Seed: 83}, "heavy"},
		{"graf noise", graf.Learner{Trees: 2, Seed: 121}, "noise"},
		{"graf close cells", graf.Learner{Trees: 3, Seed: 122}, "close"},
		{"graf overflow", graf.Learner{Trees: 3, Seed: 123}, "overflow"},
		{"graf images", graf.Learner{Trees: 1, Candidates: 9, Seed: 124}, "images"},

		// fitted planes
		{"ridge trunk", oblique.Learner{Trees: 6, Seed: 84}, "trunk"},
		{"ridge trunk trials entropy", oblique.Learner{Trees: 3, Candidates: 5, NodeFeatures: 3, Growth: entropy, Seed: 85},
			"trunk"},
		{"ridge trunk row weights", oblique.Learner{Trees: 4, Growth: limits, Seed: 86}, "trunk, weights"},
		{"ridge ten classes", oblique.Learner{Trees: 3, Seed: 87}, "rbf"},
		{"ridge letters", oblique.Learner{Trees: 3, Seed: 88}, "letters"},
		{"ridge categories", oblique.Learner{Trees: 8, Seed: 89}, "categories"},
		{"ridge few categories", oblique.Learner{Trees: 8, NodeFeatures: 2, Seed: 90}, "few categories"},
		{"ridge many columns", oblique.Learner{Trees: 2, Seed: 91}, "many columns"},
		{"lda parity", oblique.Learner{Trees: 4, LDA: true, Seed: 92}, "parity"},
		{"lda whole ten classes view", oblique.Learner{Trees: 3, LDA: true, Candidates: 2, Seed: 93}, "whole rbf, view"},
		{"lda categories", oblique.Learner{Trees: 8, LDA: true, Seed: 94}, "categories"},
		{"lda few categories", oblique.Learner{Trees: 8, LDA: true, NodeFeatures: 2, Seed: 95},
			"few categories"},
		{"lda heavy tails", oblique.Learner{Trees: 4, LDA: true, Growth: limits, Seed: 96}, "heavy"},
		{"lda close cells", oblique.Learner{Trees: 6, LDA: true, Seed: 125}, "close"},
		{"lda overflow", oblique.Learner{Trees: 4, LDA: true, Seed: 126}, "overflow"},
		{"ridge noise class weights", oblique.Learner{Trees: 3, Seed: 127}, "noise, classes 1 to 7"},
		{"boost trunk", boost.Learner{Rounds: 4, Seed: 160}, "trunk"},
		{"boost letters row weights", boost.Learner{Rounds: 2, Folds: 2, Seed: 161}, "letters, weights"},
		{"boost large rbf", boost.Learner{Rounds: 3, Folds: 2, Seed: 166}, "large rbf"},
		{"boost values view", boost.Learner{Rounds: 6, Rate: 0.1, Folds: 5, Quantile: 0.3, Seed: 162}, "values, view"},
		{"boost values huber", boost.Learner{Rounds: 4, Rate: 0.1, Folds: 5, Loss: boost.Huber, Seed: 164}, "values"},
		{"boost counts", boost.Learner{Rounds: 6, Rate: 0.1, Folds: 5, Loss: boost.Poisson, Seed: 165},
			"whole values, counts"},
		{"boost whole values", boost.Learner{Rounds: 6, Rate: 0.1, Folds: 1, Depth: 6, MinLeaf: 5, Seed: 163},
			"whole values"},
		{"tao trunk", tao.Learner{Trees: 3, Passes: 8, Seed: 140}, "trunk"},
		{"tao letters bootstrap", tao.Learner{Trees: 2, Passes: 4, Sampling: forest.Sampling{Fraction: 1}, Seed: 141},
			"letters"},
		{"tao categories unscaled", tao.Learner{Trees: 3, Passes: 4, Unscaled: true, Lambda: 0.5, Seed: 142}, "categories"},
		{"tao linear ten classes row weights", tao.Learner{Trees: 2, LinearLeaves: true, Passes: 4, Seed: 143},
			"rbf, weights"},
		{"tao values", tao.Learner{Trees: 3, Passes: 4, NodeFeatures: 3, Seed: 144}, "values"},
		{"tao linear values view", tao.Learner{Trees: 2, LinearLeaves: true, SplitProbability: 0.7, Passes: 4, Seed: 145},
			"values, view"},

		// boundaries of Gaussian mixtures
		{"godt trunk", godt.Tree{}, "trunk"},
		{"godt letters limits", godt.Tree{Splitting: godt.Splitting{Purity: 0.8}, Growth: forest.Growth{MinSplit: 6}},
			"letters"},
		{"godt categories relative beta", godt.Tree{Splitting: relativeBeta}, "categories"},
		{"godt k-means ten classes row weights", godt.Tree{Splitting: godt.Splitting{Divider: godt.KMeans}}, "rbf, weights"},
		{"godt first axis supervised heavy tails", godt.Tree{Splitting: godt.Splitting{Divider: godt.FirstAxis,
			Supervised: true}}, "heavy"},
		{"godt random axis noise", godt.Tree{Splitting: godt.Splitting{Divider: godt.RandomAxis}, Seed: 150}, "noise"},
		{"godt values view", godt.Tree{Splitting: godt.Splitting{MaxMSE: 0.5}}, "values, view"},
		{"godt close cells", godt.Tree{}, "close"},
		{"godt overflow", godt.Tree{}, "overflow"},
		{"godt shared full ten classes", godt.Tree{Splitting: godt.Splitting{Divider: godt.SharedFull}}, "rbf"},
		{"gorf letters", godt.Learner{Trees: 4, Seed: 151}, "letters"},
		{"gorf few categories random rows", godt.Learner{Trees: 8, NodeFeatures: 2,
			Splitting: godt.Splitting{Start: godt.RandomRows}, Seed: 152}, "few categories"},
		{"gorf values", godt.Learner{Trees: 6, TreeFeatures: 4, Seed: 153}, "values"},
		{"gqdt trunk", godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateFull}}, "trunk"},
		{"gqdt diagonal letters", godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateDiagonal}}, "letters"},
		{"gqrf ten classes", godt.Learner{Trees: 3, Splitting: godt.Splitting{Divider: godt.SeparateFull}, Seed: 154},
			"rbf"},
		{"gqrf all features row weights", godt.Learner{Trees: 2, TreeFeatures: 16,
			Splitting: godt.Splitting{Divider: godt.SeparateFull}, Seed: 155}, "trunk, weights"},

		// canonical correlations
		{"ccf trunk", ccf.Learner{Trees: 6, Seed: 160}, "trunk"},
		{"ccf trunk limits row weights", ccf.Learner{Trees: 4, MaxDepth: 7, MinSplit: 12, MinLeaf: 5, Seed: 161},
			"trunk, weights"},
		{"ccf ten classes", ccf.Learner{Trees: 3, Seed: 162}, "rbf"},
		{"ccf letters view", ccf.Learner{Trees: 3, Seed: 163}, "letters, view"},
		{"ccf letters all features", ccf.Learner{Trees: 3, NodeFeatures: 16, Seed: 164}, "letters"},
		{"ccf categories", ccf.Learner{Trees: 8, Seed: 165}, "categories"},
		{"ccf few categories", ccf.Learner{Trees: 8, NodeFeatures: 2, Seed: 166}, "few categories"},
		{"ccf heavy tails", ccf.Learner{Trees: 4, Seed: 167}, "heavy"},
		{"ccf close cells", ccf.Learner{Trees: 6, Seed: 168}, "close"},
		{"ccf overflow", ccf.Learner{Trees: 4, Seed: 169}, "overflow"},
		{"ccf many columns", ccf.Learner{Trees: 2, NodeFeatures: 40, Seed: 170}, "many columns"},

		// rotations
		{"rotation trunk", rotation.Learner{Trees: 3, Seed: 180}, "trunk"},
		{"rotation letters limits", rotation.Learner{Trees: 2, SubsetFeatures: 5, Growth: limits, Seed: 181}, "letters"},
		{"rotation ten classes row weights", rotation.Learner{Trees: 2, Seed: 182}, "rbf, weights"},
		{"rotation categories entropy", rotation.Learner{Trees: 8, Growth: entropy, Seed: 183}, "categories"},
		{"rotation values view", rotation.Learner{Trees: 3, Seed: 184}, "values, view"},
		{"rotation close cells", rotation.Learner{Trees: 6, Seed: 185}, "close"},
		{"random rotation trunk", rotation.Random{Trees: 6, Seed: 186}, "trunk"},
		{"random rotation letters view", rotation.Random{Trees: 3, Seed: 187}, "letters, view"},
		{"random rotation heavy tails", rotation.Random{Trees: 4, Growth: entropyLimits, Seed: 188}, "heavy"},
		{"random rotation few rows of weight", rotation.Random{Trees: 8, Seed: 189}, "rbf, few weights"},
		{"random rotation values", rotation.Random{Trees: 4, Seed: 190}, "values"},
		{"random rotation tiny", rotation.Random{Trees: 20, Seed: 191}, "tiny"},
		{"random rotation overflow", rotation.Random{Trees: 4, Seed: 192}, "overflow"},

		// hyperplanes improved coefficient by coefficient
		{"oc1 trunk", oc1.Learner{Trees: 3, Search: oc1.Search{Restarts: 4}, Seed: 200}, "trunk"},
		{"oc1 letters view", oc1.Learner{Trees: 2, Search: oc1.Search{Restarts: 3}, Seed: 201}, "letters, view"},
		{"oc1 few rows of weight", oc1.Learner{Trees: 4, Search: oc1.Search{Restarts: 3}, Seed: 205}, "rbf, few weights"},
		{"oc1 close cells", oc1.Learner{Trees: 3, Search: oc1.Search{Restarts: 3}, Seed: 206}, "close"},
		{"oc1 overflow", oc1.Learner{Trees: 3, Search: oc1.Search{Restarts: 3}, Seed: 207}, "overflow"},
		{"oc1 tree parity", oc1.Tree{Search: oc1.Search{Restarts: 4}, Seed: 208}, "parity"},
		{"oc1 tree letters row weights", oc1.Tree{Search: oc1.Search{Restarts: 2, Jumps: -1}, HeldOut: 0.3, Seed: 209},
			"letters, weights"},

		{"lda far", oblique.Learner{Trees: 1, LDA: true, Growth: limits, Seed: 97}, "far"},

		// several kinds of split, and steps before them
		{"mix trunk", mix.Learner{Trees: 25, Seed: 210}, "trunk"},
		{"mix letters row weights", mix.Learner{Trees: 25, Seed: 211}, "letters, weights"},
		{"mix values", mix.Learner{Trees: 25, Seed: 212}, "values"},
		{"steps raw", forest.Pipeline(sporf.Learner{Trees: 3, Seed: 213}, steps...), "raw"},
		{"steps raw values", forest.Pipeline(sporf.Learner{Trees: 3, Seed: 214}, steps...), "raw values"},
		{"auto raw", auto.Learner{Trees: 30, Seed: 215}, "raw"},
		{"auto raw row weights", auto.Learner{Trees: 30, Seed: 216}, "raw, weights"},
		{"auto raw values", auto.Learner{Trees: 30, Seed: 217}, "raw values"},

		// missing cells
		{"rf missing", rf.Learner{Trees: 6, Seed: 220}, "missing"},
		{"rf missing entropy row weights", rf.Learner{Trees: 4, Growth: entropyLimits, Seed: 221}, "missing, weights"},
		{"extratrees missing view", rf.ExtraTrees{Trees: 4, Seed: 222}, "missing, view"},
		{"hrf missing whole", rf.HRF{Trees: 4, Seed: 223}, "missing whole"},
		{"sporf missing whole", sporf.Learner{Trees: 4, Seed: 224}, "missing whole"},
		{"sporf missing limits", sporf.Learner{Trees: 4, Growth: limits, Seed: 225}, "missing"},
		{"mix missing", mix.Learner{Trees: 24, Seed: 226}, "missing"},
		{"boost missing", boost.Learner{Rounds: 4, Seed: 229}, "missing"},
		{"boost raw values", boost.Learner{Rounds: 4, Seed: 230}, "raw values"},
		{"mix missing values", mix.Learner{Trees: 24, Seed: 227}, "missing values"},
		{"auto raw values boosted", auto.Learner{Seed: 218}, "raw values"},
		{"auto raw default", auto.Learner{Seed: 228}, "raw"},
	}
}

// punched removes cells of a data set, 0 to 7 of ten in a column.
func punched(d *datasets.Dataset) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(32, 32))
	for j, column := range d.Columns {
		for i := range column {
			if rng.IntN(10) < j%8 {
				column[i] = math.Float32frombits(0x7fc00000) // NaN
			}
		}
	}
	return d
}

func letterWeights() []float32 {
	var weights []float32
	for c := range 26 {
		weights = append(weights, 0.125*float32(1+c%5))
	}
	return weights
}

// byClass weights the classes. Its weights are float32 numbers, as they were when the
// trees were grown whose hashes are kept.
func byClass(weights ...float32) func(*datasets.Dataset) *datasets.Dataset {
	return func(d *datasets.Dataset) *datasets.Dataset { return d.WeightClasses(weights...) }
}

// goldenData makes the data sets. But for those of package sim, their cells and
// targets take no operation that rounds in two ways on two platforms.
var goldenData = map[string]func() *datasets.Dataset{
	"trunk":       func() *datasets.Dataset { return sim.Trunk{Features: 16}.Sample(1600+goldenTest, 1) },
	"whole trunk": func() *datasets.Dataset { return rounded(sim.Trunk{}.Sample(1600+goldenTest, 2), 3) },
	"parity":      func() *datasets.Dataset { return sim.SparseParity{Features: 12}.Sample(1600+goldenTest, 3) },
	"orthant":     func() *datasets.Dataset { return sim.Orthant{Features: 4}.Sample(1200+goldenTest, 4) },
	"rbf":         func() *datasets.Dataset { return sim.RandomRBF{Classes: 10}.Sample(1600+goldenTest, 5) },
	"whole rbf": func() *datasets.Dataset {
		return rounded(sim.RandomRBF{Features: 8, Classes: 10}.Sample(1600+goldenTest, 6), 6)
	},
	"large rbf": func() *datasets.Dataset {
		return sim.RandomRBF{Features: 4, Classes: 6}.Sample(10_200+goldenTest, 7)
	},

	// 26 classes around whole numbers from 0 to 15, a class having two centres
	"letters": func() *datasets.Dataset {
		centres := table(52, 16, 7, func(rng *rand.Rand, _ int) float32 { return float32(2 + rng.IntN(12)) })
		rng := rand.New(rand.NewPCG(8, 8))
		d := table(2000+goldenTest, 16, 0, nil)
		return labelled(d, 26, func(i int) int {
			k := rng.IntN(52)
			for j, col := range d.Columns {
				col[i] = centres.Columns[j][k] + float32(rng.IntN(3)+rng.IntN(3)-2)
			}
			return k % 26
		})
	},

	// categories as columns of 0 and 1: many equal rows, of several classes
	"categories":     func() *datasets.Dataset { return oneHot(900+goldenTest, []int{2, 3, 4, 3, 5}, 5, 9) },
	"few categories": func() *datasets.Dataset { return oneHot(500+goldenTest, []int{2, 2, 3}, 2, 10) },

	// quotients of uniform numbers, and their cubes
	"heavy": func() *datasets.Dataset {
		d := table(1200+goldenTest, 8, 11, func(rng *rand.Rand, j int) float32 {
			v := uniform(rng) / (float32(1+rng.IntN(1<<20)) * 0x1p-20)
			if j%2 == 1 {
				v = v * v * v
			}
			return v
		})
		return labelled(d, 2, func(i int) int {
			return vote(d, i, 0, 1, 2) ^ bit(i%13 == 0)
		})
	},

	// no column is informative: trees are deep, and many cuts are equally good
	"noise": func() *datasets.Dataset {
		rng := rand.New(rand.NewPCG(22, 22))
		return labelled(table(1500+goldenTest, 10, 23, bell), 2, func(int) int { return rng.IntN(2) })
	},
	"whole noise": func() *datasets.Dataset {
		rng := rand.New(rand.NewPCG(24, 24))
		d := table(1500+goldenTest, 6, 25, func(rng *rand.Rand, j int) float32 { return float32(rng.IntN(4+2*j) - 3) })
		return labelled(d, 5, func(int) int { return rng.IntN(5) })
	},

	// cells side by side in float32, a constant, zeros of both signs, the
	// smallest numbers and large whole ones
	"close": func() *datasets.Dataset {
		d := table(400+goldenTest, 6, 26, func(rng *rand.Rand, j int) float32 {
			k := rng.IntN(40)
			switch j {
			case 0:
				return math.Float32frombits(0x3f800000 + uint32(k))
			case 1:
				return -7
			case 2:
				return float32(math.Copysign(0, float64(k-20)))
			case 3:
				return math.Float32frombits(uint32(k))
			case 4:
				return float32(1<<24 + 2*k)
			}
			return float32(k-20) * 0x1p-140
		})
		return labelled(d, 2, func(i int) int {
			return bit(d.Columns[0][i] > 0x1.00002p0) ^ bit(d.Columns[4][i] > 1<<24+30) ^ bit(i%9 == 0)
		})
	},
	"tiny": func() *datasets.Dataset {
		d := table(5+goldenTest, 1, 27, bell)
		return labelled(d, 3, func(i int) int { return i % 3 })
	},

	// sums of these cells exceed float32
	"overflow": func() *datasets.Dataset {
		d := table(600+goldenTest, 6, 12, func(rng *rand.Rand, j int) float32 {
			return uniform(rng) * [...]float32{0x1p127, 0x1.8p127, 1, 0x1p126, 0x1p-100, 0x1.fp127}[j]
		})
		return labelled(d, 3, func(i int) int { return vote(d, i, 0, 1, 2) + vote(d, i, 3, 4, 5) })
	},

	// bytes, many of them 0
	"images":                func() *datasets.Dataset { return images(9000+goldenTest, 64, 10, 13) },
	"images of two classes": func() *datasets.Dataset { return images(70000+goldenTest, 64, 2, 14) },

	// every column has another share of missing cells
	"missing":        func() *datasets.Dataset { return punched(sim.Trunk{Features: 16}.Sample(1200+goldenTest, 30)) },
	"missing whole":  func() *datasets.Dataset { return punched(oneHot(900+goldenTest, []int{2, 3, 4, 3, 5}, 5, 31)) },
	"missing values": func() *datasets.Dataset { return punched(valued(table(900+goldenTest, 8, 33, bell), 0x1p-9)) },

	"far": func() *datasets.Dataset {
		d := table(36000+goldenTest, 32, 15, bell)
		return labelled(d, 2, func(i int) int { return vote(d, i, 3, 9, 20) ^ bit(i%7 == 0) })
	},
	"many columns": func() *datasets.Dataset {
		d := table(160+goldenTest, 4000, 16, bell)
		return labelled(d, 3, func(i int) int { return vote(d, i, 30, 90, 200) + vote(d, i, 5, 7, 9) })
	},

	"values": func() *datasets.Dataset { return valued(table(1500+goldenTest, 8, 17, bell), 0x1p-9) },
	"whole values": func() *datasets.Dataset {
		return valued(table(1500+goldenTest, 6, 18, func(rng *rand.Rand,
			_ int) float32 {
			return float32(rng.IntN(9) - 4)
		}), 1)
	},
	"far values": func() *datasets.Dataset { return valued(table(20000+goldenTest, 32, 19, bell), 0x1p-9) },

	// a column of 40 categories, and then missing cells
	"raw": func() *datasets.Dataset {
		d := raw(table(600+goldenTest, 8, 28, bell))
		return labelled(d, 3, func(i int) int { return vote(d, i, 0, 1, 2) + bit(int(d.Columns[4][i])%3 == 0) })
	},
	"raw values": func() *datasets.Dataset { return raw(valued(table(600+goldenTest, 8, 29, bell), 0x1p-9)) },
}

// raw turns column 4 into categories and leaves out some cells of later ones.
func raw(d *datasets.Dataset) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(30, 30))
	for c := range 40 {
		d.Features[4].Categories = append(d.Features[4].Categories, fmt.Sprint("c", c))
	}
	for i := range d.Columns[4] {
		d.Columns[4][i] = float32(rng.IntN(40))
		if j := 5 + rng.IntN(20); j < len(d.Columns) {
			d.Columns[j][i] = float32(math.NaN())
		}
	}
	return d
}

// table returns a table without target, its cells drawn column by column, or 0.
func table(n, p int, seed uint64, cell func(rng *rand.Rand, j int) float32) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, ^seed))
	d := &datasets.Dataset{Name: "golden", Target: "y"}
	for j := range p {
		col := make([]float32, n)
		for i := range col {
			if cell != nil {
				col[i] = cell(rng, j)
			}
		}
		d.Columns = append(d.Columns, col)
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j+1)})
	}
	return d
}

// uniform draws from [−1, 1), one of 2²⁴ numbers.
func uniform(rng *rand.Rand) float32 { return float32(int32(rng.Uint64()>>40)-1<<23) * 0x1p-23 }

// bell draws a sum of four uniform numbers, exactly.
func bell(rng *rand.Rand, _ int) float32 {
	u := rng.Uint64()
	return float32(int32(u&0xffff)+int32(u>>16&0xffff)+int32(u>>32&0xffff)+int32(u>>48)-1<<17) * 0x1p-15
}

// vote returns 1 if most of the cells of three columns are positive, else 0.
func vote(d *datasets.Dataset, i int, columns ...int) int {
	positive := 0
	for _, j := range columns {
		positive += bit(d.Columns[j][i] > 0)
	}
	return positive / 2
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func labelled(d *datasets.Dataset, classes int, label func(i int) int) *datasets.Dataset {
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprint("c", c))
	}
	for i := range d.Columns[0] {
		d.Labels = append(d.Labels, int32(label(i)))
	}
	return d
}

// valued gives d a target of its first four columns and noise, in multiples of
// unit.
func valued(d *datasets.Dataset, unit float64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(20, 20))
	for i := range d.Columns[0] {
		a, b, c, e := float64(d.Columns[0][i]), float64(d.Columns[1][i]), float64(d.Columns[2][i]), float64(d.Columns[3][i])
		y := float64(3*a) + float64(2*b*c) + max(0, e)
		d.Values = append(d.Values, math.Round(y/unit)*unit+float64(rng.IntN(5)-2))
	}
	return d
}

// rounded rounds the cells times scale to whole numbers.
func rounded(d *datasets.Dataset, scale float64) *datasets.Dataset {
	for _, col := range d.Columns {
		for i, v := range col {
			col[i] = float32(math.Round(scale * float64(v)))
		}
	}
	return d
}

// oneHot returns columns of 0 and 1, as many for each category as it has values.
// The class follows from two of the categories, but for a third of the rows.
func oneHot(n int, categories []int, classes int, seed uint64) *datasets.Dataset {
	p := 0
	for _, k := range categories {
		p += k
	}
	d := table(n, p, 0, nil)
	rng := rand.New(rand.NewPCG(seed, seed))
	return labelled(d, classes, func(i int) int {
		first, label := 0, 0
		for c, k := range categories {
			v := rng.IntN(k)
			d.Columns[first+v][i] = 1
			first += k
			if c < 2 {
				label += v
			}
		}
		if rng.IntN(3) == 0 {
			label = rng.IntN(classes)
		}
		return label % classes
	})
}

// images returns cells from 0 to 255, darker or brighter by class.
func images(n, p, classes int, seed uint64) *datasets.Dataset {
	ink := table(classes, p, seed, func(rng *rand.Rand, _ int) float32 { return float32(rng.IntN(300) - 100) })
	d := table(n, p, 0, nil)
	rng := rand.New(rand.NewPCG(seed, seed))
	return labelled(d, classes, func(i int) int {
		k := rng.IntN(classes)
		for j, col := range d.Columns {
			col[i] = min(255, max(0, ink.Columns[j][k]+float32(rng.IntN(256)-128)))
		}
		if rng.IntN(20) == 0 {
			return rng.IntN(classes)
		}
		return k
	})
}

// part returns rows lo to hi as a data set of their own, not as a view.
func part(d *datasets.Dataset, lo, hi int) *datasets.Dataset {
	c := *d
	c.Columns = nil
	for _, col := range d.Columns {
		c.Columns = append(c.Columns, col[lo:hi:hi])
	}
	if d.Labels != nil {
		c.Labels = d.Labels[lo:hi:hi]
	} else {
		c.Values = d.Values[lo:hi:hi]
	}
	return &c
}

// weighted gives rows weights, a sixth of them 0.
func weighted(d *datasets.Dataset) *datasets.Dataset {
	c := *d
	for i := range d.N() {
		c.Weights = append(c.Weights, float32(i*7%6)*0.3)
	}
	return &c
}

// counted makes counts of whole values.
func counted(d *datasets.Dataset) *datasets.Dataset {
	c := *d
	c.Values = slices.Clone(d.Values)
	for i, v := range c.Values {
		c.Values[i] = max(0, v)
	}
	return &c
}

// mostlyWeightless leaves weight to so few rows that many samples miss them all.
func mostlyWeightless(d *datasets.Dataset) *datasets.Dataset {
	c := *d
	c.Weights = make([]float32, d.N())
	for i, w := range []float32{0.5, 2} {
		first := 0
		for d.Labels[first] != int32(i) {
			first++
		}
		c.Weights[first] = w
	}
	return &c
}

// negative makes the last cell −1.
func negative(d *datasets.Dataset) *datasets.Dataset {
	c := *d
	c.Columns = slices.Clone(d.Columns)
	last := len(c.Columns) - 1
	c.Columns[last] = slices.Clone(c.Columns[last])
	c.Columns[last][d.N()-1] = -1
	return &c
}

// viewed returns a view of some rows in no order, some of them twice.
func viewed(d *datasets.Dataset) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(21, 21))
	var rows []int32
	for range d.N() * 3 / 4 {
		rows = append(rows, int32(rng.IntN(d.N())))
	}
	return d.Subset(rows)
}

func TestGolden(t *testing.T) {
	if forest.UnderRace {
		t.Skip("growing all of these under the race detector takes a minute; tests of numbers of cores look for races")
	}
	known := map[string][]string{}
	if !*goldenUpdate {
		known = readGolden(t)
	}
	var out strings.Builder
	fmt.Fprintln(&out, "# Hashes of the forests that commit 9245d9b grew, see golden_test.go.")
	fmt.Fprintln(&out, strings.Join(goldenHeader, ","))
	sets := map[string]*datasets.Dataset{}
	jobs := goldenJobs()
	for _, l := range learners.All() {
		if !slices.ContainsFunc(jobs, func(j goldenJob) bool { return reflect.TypeOf(j.learner) == reflect.TypeOf(l) }) {
			t.Errorf("no job of goldenJobs grows %T", l)
		}
	}
	for _, job := range jobs {
		t.Run(job.name, func(t *testing.T) {
			data, change, changed := strings.Cut(job.data, ", ")
			d := sets[data]
			if d == nil {
				d = goldenData[data]()
				sets[data] = d
			}
			if testing.Short() && !*goldenUpdate && d.N()*d.P() > 200_000 {
				t.Skip("large")
			}
			train, test := part(d, 0, d.N()-goldenTest), part(d, d.N()-goldenTest, d.N())
			if changed {
				train = goldenChanges[change](train)
			}
			f := must.Value(job.learner.Fit(context.Background(), train))
			got := []string{job.name, hashTrees(f, true), hashTrees(f, false), hashPredictions(f, test), hashData(d)}
			fmt.Fprintln(&out, strings.Join(got, ","))
			if *goldenUpdate {
				return
			}
			want := known[job.name]
			if want == nil {
				t.Fatalf("%s doesn't know this job; -golden.update adds it", goldenFile)
			}
			if got[4] != want[4] {
				t.Fatal("the data are not those of commit 9245d9b")
			}
			for k := 1; k < 4; k++ {
				if got[k] != want[k] {
					t.Errorf("%s: %s, want %s", goldenHeader[k], got[k], want[k])
				}
			}
		})
	}
	if *goldenUpdate && !t.Failed() {
		must.Do(os.WriteFile(goldenFile, []byte(out.String()), 0o644))
	}
}

func readGolden(t *testing.T) map[string][]string {
	t.Helper()
	f := must.Value(os.Open(goldenFile))
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	r.FieldsPerRecord = len(goldenHeader)
	rows := must.Value(r.ReadAll())
	known := map[string][]string{}
	for _, row := range rows {
		known[row[0]] = row
	}
	return known
}

// What stands for the kind of a leaf in a hash. A split begins with its number
// of features, which is less.
const (
	classLeaf = math.MaxUint32 - iota
	mixedLeaf
	valueLeaf
	linearLeaf
)

// hashTrees hashes the nodes of all trees in preorder, each as a few words that
// don't depend on how trees are kept:
//
//	split        the number of features; each feature, ascending, with its
//	             weight; threshold; decrease; the right child
//	class leaf   classLeaf; class; weight
//	mixed leaf   mixedLeaf; the weight of each class; weight
//	value leaf   valueLeaf; value; weight
//	linear leaf  linearLeaf; for each score its class, bias, number of features, and each
//	             feature with its weight; weight
//
// Without decreases it is the hash called structure.
func hashTrees(f *forest.Forest, decreases bool) string {
	h := sha256.New()
	var words []uint32
	for k := range f.Trees {
		tree := &f.Trees[k]
		for i, n := range tree.Nodes {
			if n.IsLeaf() {
				words = leafWords(words[:0], tree, i)
				hashWords(h, append(words, math.Float32bits(tree.Leaf(i).Weight)))
				continue
			}
			fn := tree.Splits.At(n.Split)
			words = append(words[:0], uint32(len(fn.Features)))
			for s, j := range fn.Features {
				words = append(words, uint32(j), math.Float32bits(fn.Weights[s]))
			}
			if fn.Kind == forest.LowRank {
				words = append(words, math.Float32bits(fn.Bias), uint32(fn.Positive))
				for _, v := range slices.Concat(fn.Centre, fn.Factors) {
					words = append(words, math.Float32bits(v))
				}
			}
			words = append(words, math.Float32bits(n.Value))
			if decreases {
				words = append(words, math.Float32bits(n.Weight))
			}
			hashWords(h, append(words, uint32(n.Next)))
		}
	}
	return short(h)
}

// hashPredictions hashes the labels and the probabilities of rows, or their
// values.
func hashPredictions(f *forest.Forest, d *datasets.Dataset) string {
	h := sha256.New()
	if f.Regression() {
		binary.Write(h, binary.LittleEndian, must.Value(f.PredictValues(context.Background(), d)))
		return short(h)
	}
	binary.Write(h, binary.LittleEndian, must.Value(f.Predict(context.Background(), d)))
	for _, row := range must.Value(f.Proba(context.Background(), d)) {
		binary.Write(h, binary.LittleEndian, row)
	}
	return short(h)
}

func hashData(d *datasets.Dataset) string {
	h := sha256.New()
	for _, col := range d.Columns {
		binary.Write(h, binary.LittleEndian, col)
	}
	binary.Write(h, binary.LittleEndian, d.Labels)
	binary.Write(h, binary.LittleEndian, d.Values)
	return short(h)
}

func hashWords(h hash.Hash, words []uint32) {
	var b [4]byte
	for _, w := range words {
		binary.LittleEndian.PutUint32(b[:], w)
		h.Write(b[:])
	}
}

func short(h hash.Hash) string { return fmt.Sprintf("%x", h.Sum(nil)[:8]) }

// leafWords appends the words of node i, a leaf, but for the weight.
func leafWords(words []uint32, t *forest.Tree, i int) []uint32 {
	switch leaf := t.Leaf(i); leaf.Kind {
	case forest.LeafClass:
		return append(words, classLeaf, uint32(leaf.Class))
	case forest.LeafDist, forest.LeafValues:
		words = append(words, mixedLeaf)
		for _, w := range leaf.Dist {
			words = append(words, math.Float32bits(w))
		}
		return words
	case forest.LeafValue:
		return append(words, valueLeaf, math.Float32bits(leaf.Value))
	case forest.LeafLinear:
		words = append(words, linearLeaf)
		for _, score := range leaf.Scores {
			words = append(words, uint32(score.Class), math.Float32bits(score.Bias), uint32(len(score.Weights)))
			for k, w := range score.Weights {
				words = append(words, uint32(score.Features[k]), math.Float32bits(w))
			}
		}
		return words
	}
	panic("a leaf of unknown kind")
}

// goldenSum is the SHA-256 of testdata/golden.csv in the revision goldenRevision.
const (
	goldenRevision = 13
	goldenSum      = "7e5e13250f53d8fd4da5fa5ae06222314988a500d046bef340232e8f4e7358fb"
)

// The hashes tell whether the same trees are grown; caches of models rely on the revision.
func TestGrowthRevision(t *testing.T) {
	b := must.Value(os.ReadFile("testdata/golden.csv"))
	got := fmt.Sprintf("%x", sha256.Sum256(b))
	if got != goldenSum || forest.GrowthRevision != goldenRevision {
		t.Errorf("testdata/golden.csv has SHA-256 %s in revision %d, but it was %s in revision %d. If a method grows other "+
			"trees than before, raise forest.GrowthRevision and change both here. If only jobs were added, change the sum.",
			got, forest.GrowthRevision, goldenSum, goldenRevision)
	}
}
