package main

import "strings"

// reportGRAF returns GRAF's part of the page, and writes its plots into a folder.
func reportGRAF(res results, records []record, folder string) (string, error) {
	figures := grafFigures(res)
	if err := drawFigures(figures, folder); err != nil {
		return "", err
	}
	var p page
	first, last := records[0], records[len(records)-1]
	p.text("## GRAF")
	p.text("Commit %s, %s to %s, %s.\nPlanes are over all p features (M = p); K = d = p of them are drawn at a step, or one. The hypercubes are those of section 6 of\n"+
		"GRAF’s paper: 20,000 rows around the 4096 vertices, 70 %% to train; the class is the parity of a vertex, or its number of\n"+
		"ones. GRAF and extra trees grow from all rows, without bootstrap, until pure. Gradient boosting has trees of depth 3,\n"+
		"one per class and round, and runs on one thread only, so its two columns measure the same. Bold, † and the columns\n"+
		"are as above; prediction has no target.", first.Commit, first.Date, last.Date, first.Machine)
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
