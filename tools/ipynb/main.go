// Ipynb checks executed notebooks and pictures of them. Python only drives Jupyter and
// the browser; the checks are here, where they are tested.
//
//	ipynb compare COMMITTED.ipynb EXECUTED.ipynb
//	ipynb drawn PICTURE.png...
//
// Compare fails on errors, on empty displays, and if a cell's outputs differ in number
// or MIME types. Without OBLIQUA_DATA, cells may stop for lack of a data set. Drawn
// fails if there is no picture or one is blank.
package main

import (
	"fmt"
	"os"
)

func main() {
	args := os.Args[1:]
	var found []string
	switch {
	case len(args) == 3 && args[0] == "compare":
		found = compare(args[1], args[2])
	case len(args) > 1 && args[0] == "drawn":
		found = drawn(args[1:])
	default:
		fmt.Fprintln(os.Stderr, "usage: ipynb compare COMMITTED.ipynb EXECUTED.ipynb\n       ipynb drawn PICTURE.png...")
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Fprintln(os.Stderr, f)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

func compare(committedPath, executedPath string) []string {
	committed, err := load(committedPath)
	if err != nil {
		return []string{err.Error()}
	}
	executed, err := load(executedPath)
	if err != nil {
		return []string{err.Error()}
	}
	mayLackData := os.Getenv("OBLIQUA_DATA") == ""
	found := append(executed.problems(), differences(committed, executed, mayLackData)...)
	for i := range found {
		found[i] = executedPath + ": " + found[i]
	}
	if found == nil {
		fmt.Printf("%s: %d cells run, their outputs are as committed\n", executedPath, len(executed.Cells))
		for i := range executed.Cells {
			if executed.Cells[i].lacksData() {
				fmt.Printf("%s: cell %d was left out, its data are not at hand and OBLIQUA_DATA is unset\n", executedPath, i+1)
			}
		}
	}
	return found
}

func drawn(paths []string) []string {
	var found []string
	for _, path := range paths {
		if err := checkFile(path); err != nil {
			found = append(found, path+": "+err.Error())
		}
	}
	if found == nil {
		fmt.Printf("%d pictures, none blank\n", len(paths))
	}
	return found
}

func checkFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return checkPicture(f)
}
