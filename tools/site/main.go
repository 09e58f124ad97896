// Site gathers the pages of the project's site, and checks the site that was made of them.
//
//	site gather FOLDER
//	site lite FOLDER
//	site check FOLDER
//
// Gather, called in the repository's root, writes the sources that Sphinx reads: README.md as the
// start page, docs, the executed notebooks, a gallery of the figures in them, and the packages'
// documentation, which gomarkdoc has written into FOLDER/api before. Nothing is drawn anew.
// Links to what isn't part of the site go to the repository on GitHub.
//
// Lite writes the notebooks that JupyterLite runs in the page.
//
// Check fails on links to pages, files or anchors that the site doesn't have, and on scripts,
// styles, fonts and pictures from elsewhere. It opens no connection.
package main

import (
	"fmt"
	"os"
)

func main() {
	do := map[string]func(folder string) error{
		"gather": func(folder string) error { return gather(".", folder) },
		"lite":   func(folder string) error { return lite(".", folder) },
		"check":  check,
	}
	args := os.Args[1:]
	if len(args) != 2 || do[args[0]] == nil {
		fmt.Fprintln(os.Stderr, "usage: site gather FOLDER\n       site lite FOLDER\n       site check FOLDER")
		os.Exit(2)
	}
	if err := do[args[0]](args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
