package godt

import (
	"math"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

var depths = []paper.Figure{{Name: "Depths", Shows: "depth of GODT with settings that validation rows can't tell apart",
	Place: "godt#" + fourAt, Ours: true, Of: of(&Depths), Draw: depthRanges,
	Claims: []paper.Claim{{Says: "sets whose printed depth such a setting has, of those run", Find: withinRange}}}}

// A depthRange has the least and largest depth on a set over divisions and settings, NaN of sets that weren't run.
type depthRange struct {
	set                          string
	printed, shallowest, deepest float64
}

// depthRangesOf returns the ranges of the printed sets but that whose labels differ.
func depthRangesOf(r *paper.Results) (all []depthRange) {
	printed := r.Printed(file("A.17"))
	for _, set := range printed.Rows {
		d := depthRange{set, printed.At(set, "GODT").Value, math.Inf(1), math.Inf(-1)}
		for _, record := range r.Records(Depths.On(set)) {
			d.shallowest = min(d.shallowest, record.More["shallowest"])
			d.deepest = max(d.deepest, record.More["deepest"])
		}
		if set != apart && d.shallowest <= d.deepest {
			all = append(all, d)
		}
	}
	return all
}

// withinRange counts the sets whose printed depth is within the range.
func withinRange(r *paper.Results) paper.Finding {
	near, all := 0.0, depthRangesOf(r)
	for _, d := range all {
		if d.shallowest <= d.printed && d.printed <= d.deepest {
			near++
		}
	}
	if len(all) == 0 {
		return paper.Found(paper.None)
	}
	return paper.Against(paper.Exact(near), paper.Exact(float64(len(all))))
}

// depthRanges sets the printed depths beside the ranges.
func depthRanges(r *paper.Results) paper.Drawing {
	t := viz.Table{Columns: []string{"set", "thesis", "shallowest", "deepest"},
		Note: "Of settings whose validation error is within a standard error of the lowest, over divisions."}
	for _, d := range depthRangesOf(r) {
		t.Add(d.set, paper.Decimals(d.printed, 0), paper.Decimals(d.shallowest, 0), paper.Decimals(d.deepest, 0))
	}
	return paper.Draw(nil, t)
}
