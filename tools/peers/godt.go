package main

import (
	"slices"
	"strings"
)

// reportGODT returns the part of the page about Gaussian-mixture trees.
func reportGODT(res results, records []record, _ string) (string, error) {
	var p page
	first, last := records[0], records[len(records)-1]
	p.text("## GODT")
	p.text("Commit %s, %s to %s, %s.\nGaussian-mixture trees. Bold, † and the columns are as above. The sets are those of the thesis, split once: "+
		"satimage, letter and USPS\nat random into parts of its sizes, Madelon as its authors split it, with the validation part for testing.",
		first.Commit, first.Date, last.Date, first.Machine)
	single := res.where(isSingle)
	if len(single.jobs) > 0 {
		p.text("### Mixtures and single trees")
		p.text("On one thread, with all features. A mixture is the root of a tree alone: the first principal axis, K-means from the two\n" +
			"halves, and EM for two Gaussians with the same covariance (tied) or one each (full). A row gets the majority class of its\n" +
			"component. Ours and scikit-learn’s start alike, from equal shares and the covariance of all rows. Both add 0.01 to the\n" +
			"variances of standardised features, and stop when the log-likelihood changes by less than 10⁻⁶ of itself or after 100\n" +
			"rounds. Of scikit-learn, centring, standardising and finding that tolerance aren’t timed; of ours, all of `Fit` is. Whole\n" +
			"trees have our defaults and features as they are. scikit-learn’s tree beside them is CART, another method, so there is no target.")
		p.godt(single)
	}
	forests := res.where(func(job cell) bool { return !isSingle(job) })
	if len(forests.jobs) > 0 {
		p.text("### Forests of mixtures")
		p.text("GORF draws d features for a tree and 0.8 n rows with replacement; scikit-learn’s random forest draws d features at a node\n" +
			"and n rows. They are different methods, so there is no target.")
		p.godt(forests)
	}
	p.text("### GODT’s contenders")
	p.contenders(res)
	return strings.TrimRight(p.String(), "\n") + "\n", nil
}

// godt writes the tables of some jobs: pairs, then all contenders of each job.
func (p *page) godt(res results) {
	for _, t := range godtTargets {
		if slices.ContainsFunc(res.jobs, func(job cell) bool { return res.compares(t, job) }) {
			p.target(res, t)
		}
	}
	for _, job := range res.jobs {
		p.job(res, job)
	}
}

// compares reports whether both contenders of a target took part in a job.
func (r results) compares(t target, job cell) bool {
	return slices.ContainsFunc(r.threads(), func(threads int) bool {
		_, ok := r.ratio(t, job, threads)
		return ok
	})
}

// isSingle reports whether a job is of single trees and mixtures.
func isSingle(c cell) bool {
	return slices.ContainsFunc(godtJobs(), func(j job) bool {
		return j.threads == 1 && j.name == c.job && j.directions == c.directions
	})
}
