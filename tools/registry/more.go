package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
)

// more are sets that sources.json hasn't: MNIST, with the files that the authors published at
// http://yann.lecun.com/exdb/mnist/, and ailerons. Ailerons and the rings of abalone are among the sets of
// A. Zharmagambetov and M. Á. Carreira-Perpiñán: Smaller, more accurate regression forests using tree alternating
// optimization, ICML 2020.
//
//go:embed more.json
var more []byte

// withMore returns the sets, those of more.json, and abalone with the number of rings as a value, which in sources.json
// is a class.
func withMore(sets []to) ([]to, error) {
	i := slices.IndexFunc(sets, func(s to) bool { return s.Name == "abalone" })
	if i < 0 {
		return nil, errors.New("sources.json has no abalone")
	}
	s := sets[i]
	s.Name, s.Title, s.CellsOf = "abalone-rings", "Abalone, rings as a number", s.Name
	s.Task, s.Classes, s.Papers = "regression", 0, nil
	s.Note = "the cells of abalone; the number of rings is a value, not a class"
	var others []to
	err := json.Unmarshal(more, &others)
	return slices.Concat(sets, others, []to{s}), err
}
