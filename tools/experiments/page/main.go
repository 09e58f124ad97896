// Page writes the pages that results make, in the folder where it runs: docs/reproduction.md with
// docs/results/items.md and items.csv, and docs/results/boosting.md.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/obliqua-ml/obliqua/notebooks/figures"
	"github.com/obliqua-ml/obliqua/tools/experiments/trials"
)

func main() {
	if err := errors.Join(figures.Write("."), trials.Write(".")); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}
