// Site gathers the pages of the project's site, and checks the site that was made of them.
//
//	site gather FOLDER
//	site check FOLDER
//
// Gather, called in the repository's root, writes the sources that Sphinx reads: README.md as the
// start page, docs, the executed notebooks, a gallery of the figures in them, and the packages'
// documentation, which gomarkdoc has written into FOLDER/api before. Nothing is drawn anew.
// Links to what isn't part of the site go to the repository on GitHub.
//
// Check fails on links to pages, files or anchors that the site doesn't have, and on scripts,
// styles, fonts and pictures from elsewhere. It opens no connection.
package main

import (
	"fmt"
	"os"
)

func main() {
	args := os.Args[1:]
	if len(args) != 2 || args[0] != "gather" && args[0] != "check" {
		fmt.Fprintln(os.Stderr, "usage: site gather FOLDER\n       site check FOLDER")
		os.Exit(2)
	}
	var err error
	if args[0] == "gather" {
		err = gather(".", args[1])
	} else {
		err = check(args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
