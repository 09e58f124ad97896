// Command build writes the playground to a file: a page that works offline, wherever it is
// opened.
//
//	go run ./viz/playground/build -o playground.html
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/viz/playground"
)

func main() {
	out := flag.String("o", "playground.html", "the file to write")
	state := flag.String("state", "", "what the page begins with: the part of a link after #")
	flag.Parse()
	err := atomicfile.Write(*out, func(w io.Writer) error {
		report := func(line string) { fmt.Fprintln(os.Stderr, line) }
		return playground.Write(context.Background(), w, playground.Start{State: *state}, report)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
