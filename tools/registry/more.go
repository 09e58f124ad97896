package main

import (
	"errors"
	"slices"
	"strings"
)

// mnist returns the MNIST sets. Their files are those that the authors published at
// http://yann.lecun.com/exdb/mnist/.
func mnist() []to {
	const repo, commit = "fgnt/mnist", "f4b95dfb9b33382824eb73a5549dae68377b8392"
	train := []file{
		{repo, commit, "train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", 9912422},
		{repo, commit, "train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", 28881},
	}
	test := []file{
		{repo, commit, "t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", 1648877},
		{repo, commit, "t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", 4542},
	}
	set := func(name, note string, n int, files []file) to {
		const title = "MNIST database of handwritten digits"
		return to{
			Name: name, Title: title, Task: "classification", N: n, P: 28 * 28, Classes: 10,
			Papers:  []string{"sporf", "tao"},
			Licence: "CC BY-SA 3.0 as usually stated; repo without licence file",
			Cite:    "Y. LeCun, C. Cortes, C. J. C. Burges: " + title + ". http://yann.lecun.com/exdb/mnist/",
			Note:    note, Files: files,
			Recipe: recipe{Gzip: true, Format: "idx", Target: -1},
		}
	}
	return []to{
		set("mnist", "the training part; mnist_test is the test part, mnist_full has both", 60000, train),
		set("mnist_test", "the test part of mnist", 10000, test),
		set("mnist_full", "the training part, then the test part", 70000, slices.Concat(train, test)),
	}
}

// The two regression sets below are among those of A. Zharmagambetov and M. Á.
// Carreira-Perpiñán: Smaller, more accurate regression forests using tree alternating
// optimization, ICML 2020.

// ailerons returns the set ailerons.
func ailerons() to {
	return to{
		Name: "ailerons", Title: "Ailerons", Task: "regression", N: 13750, P: 40,
		Papers: []string{"hrf"}, Licence: "Torgo collection; repo without licence file",
		Note: "hrf: the paper has 12 inputs and 2 classes, by rules that it doesn't state",
		Files: []file{{
			"renatopp/arff-datasets", "c59f172882592bb58982cc54d2d3c8a2b57e9b73", "regression/ailerons.arff",
			"4fcf53bdec2ba209395dd1fe97eb0327c07468c73bfed312a317c9ea6c08061f", 3754479,
		}},
		Recipe: recipe{Format: "arff", Comment: "%", Target: 40, Columns: strings.Fields(`
			climbRate Sgz p q curPitch curRoll absRoll diffClb diffRollRate diffDiffClb
			SeTime1 SeTime2 SeTime3 SeTime4 SeTime5 SeTime6 SeTime7
			SeTime8 SeTime9 SeTime10 SeTime11 SeTime12 SeTime13 SeTime14
			diffSeTime1 diffSeTime2 diffSeTime3 diffSeTime4 diffSeTime5 diffSeTime6 diffSeTime7
			diffSeTime8 diffSeTime9 diffSeTime10 diffSeTime11 diffSeTime12 diffSeTime13 diffSeTime14
			alpha Se goal`)},
	}
}

// abaloneRings returns abalone with the number of rings as a value, which in sources.json
// is a class.
func abaloneRings(sets []to) (to, error) {
	i := slices.IndexFunc(sets, func(s to) bool { return s.Name == "abalone" })
	if i < 0 {
		return to{}, errors.New("sources.json has no abalone")
	}
	s := sets[i]
	s.Name, s.Title, s.CellsOf = "abalone-rings", "Abalone, rings as a number", s.Name
	s.Task, s.Classes, s.Papers = "regression", 0, nil
	s.Note = "the cells of abalone; the number of rings is a value, not a class"
	return s, nil
}
