package main

import "strings"

// reportGRAF writes GRAF's part, and its plots into a folder.
func reportGRAF(res results, records []record, folder string) (string, error) {
	figures := grafFigures(res)
	if err := drawFigures(figures, folder); err != nil {
		return "", err
	}
	var p page
	first, last := records[0], records[len(records)-1]
	p.text("## GRAF")
	p.text("Commit %s, %s to %s, %s.\nPlanes over all p features, M = p, d = p of them drawn at a step or one (K). The hypercubes are those of GRAF’s paper,\n"+
		"section 6: 20,000 rows around the 4096 vertices, 70 %% to train; the class is the parity of a vertex, or its number of\n"+
		"ones. GRAF and extra trees learn from all rows, without bootstrap, to purity; gradient boosting has trees of depth 3,\n"+
		"one a class and round, and knows one thread only, so its two columns say the same twice. Bold, † and the tables’\n"+
		"columns are as above; prediction has no target.", first.Commit, first.Date, last.Date, first.Machine)
	for _, t := range grafTargets {
		p.target(res, t)
	}
	for _, job := range res.compared() {
		p.job(res, job)
	}
	if len(figures) > 0 {
		p.text("### How GRAF’s training time grows")
		p.growth(figures)
	}
	p.text("### GRAF’s contenders")
	p.contenders(res)
	return strings.TrimRight(p.String(), "\n") + "\n", nil
}
