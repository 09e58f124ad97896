// Run does the runs of package trials and saves their results in docs/results, as notebooks/figures/run does:
//
//	go run ./tools/trials/run [-match regexp] [-parallel n | -workers n] boost
//	go run ./tools/trials/run auto
//
// With tables alone it writes the tables of docs/boost.md and docs/auto.md:
//
//	go run ./tools/trials/run tables
package main

import (
	"fmt"
	"os"

	"github.com/obliqua-ml/obliqua/notebooks/figures/trial"
	"github.com/obliqua-ml/obliqua/tools/trials"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "tables" {
		if err := trials.Write("."); err != nil {
			fmt.Fprintln(os.Stderr, "run:", err)
			os.Exit(1)
		}
		return
	}
	trial.Main([]trial.Study{trials.Auto, trials.Boost}, nil)
}
