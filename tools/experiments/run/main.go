// Run computes a figure or table of a paper, and saves its results in docs/results
// after every run. Started again, it continues where it stopped, whether it was interrupted
// or killed. It says how each run ended, with which seed, and when all will be done.
// Without an argument it lists the experiments.
//
//	go run ./tools/experiments/run [-repeats n] [-match regexp] [-parallel n | -workers n] experiment
//
// An experiment can be cut into parts that run in different places. Each writes a file of its
// own, and -merge adds these files to the experiment's:
//
//	go run ./tools/experiments/run -part 1/2 experiment
//	go run ./tools/experiments/run -part 2/2 experiment
//	go run ./tools/experiments/run -merge experiment files...
//	go run ./tools/experiments/run -merge folder
//
// With a queue, a file that docs/results/README.md describes, it does the open runs of several experiments in their
// order, here for two hours:
//
//	go run ./tools/experiments/run -queue docs/results/queue.csv -hours 2
//
// Two processes can't write the same file. Most runs use all cores by themselves; on small
// data -parallel 2 may be faster, or -workers 2, which starts two processes.
package main

import "github.com/obliqua-ml/obliqua/tools/experiments"

func main() { experiments.Main(nil) }
