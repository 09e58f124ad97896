package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/obliqua-ml/obliqua/viz"
)

// RatioPlots draws two plots that compare contenders with scikit-learn, and shows them.
func (p *page) RatioPlots() (text string, err error) {
	for _, what := range []struct {
		name, file string
		of         func(summary) float64
	}{
		{"Training", "peers-training.png", func(s summary) float64 { return s.Fit }},
		{"Prediction", "peers-prediction.png", func(s summary) float64 { return s.Predict }},
	} {
		chart := p.ratioMap(slices.Max(p.threads()), what.of)
		if chart.Rows == nil {
			continue
		}
		chart.Title = fmt.Sprintf("%s time over scikit-learn’s random forest, %s", what.name, p.MostThreads())
		f := viz.Draw(chart)
		f.Width = 900
		if err := f.Save(filepath.Join(p.folder, what.file)); err != nil {
			return "", err
		}
		text += fmt.Sprintf("![%s, by job and contender; the numbers are in the tables below](%s)\n\n",
			chart.Title, what.file)
	}
	return text, nil
}

// ratioMap has a column for each job with scikit-learn, and a row for each other contender at one of them.
func (r results) ratioMap(threads int, of func(summary) float64) viz.HeatMap {
	const baseline = "scikit-learn"
	h := viz.HeatMap{Limit: 5, Key: "faster, as fast, slower; darkest at 32 times"}
	jobs := slices.DeleteFunc(slices.Clone(r.jobs), func(job key) bool {
		_, ok := r.at(job, baseline, threads)
		return !ok
	})
	for _, job := range jobs {
		h.Columns = append(h.Columns, job.String())
	}
	for _, c := range contenders {
		values, text, took := make([]float64, len(jobs)), make([]string, len(jobs)), false
		for i, job := range jobs {
			base, _ := r.at(job, baseline, threads)
			values[i] = math.NaN()
			if s, ok := r.at(job, c.Name, threads); ok && c.Name != baseline {
				ratio := of(s) / of(base)
				values[i], text[i], took = math.Log2(ratio), seconds(ratio), true
			}
		}
		if took {
			h.Rows, h.Values, h.Text = append(h.Rows, c.Title), append(h.Values, values), append(h.Text, text)
		}
	}
	return h
}
