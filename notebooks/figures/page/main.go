// Page writes docs/reproduction.md and docs/results/items.csv from the results, in the folder where it runs.
package main

import (
	"fmt"
	"os"

	"github.com/obliqua-ml/obliqua/notebooks/figures"
)

func main() {
	if err := figures.Write("."); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}
