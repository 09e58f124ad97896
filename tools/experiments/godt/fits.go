package godt

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	learners "github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/papers/godt"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// A fit is a method whose settings are those of another one, or its own.
type fit struct {
	settings  string // the method that they are recorded of
	splitting learners.Splitting
}

// fits are the mixtures' methods.
var fits = map[string]fit{
	"GODT": {"GODT", mixture}, "GODT, full covariance": {"GODT", fullShared}, "GODT, random start": {"GODT", randomRows},
	"GQDT, scaled":                      {"GQDT, scaled", quadratic},
	"GQDT, scaled, diagonal covariance": {"GQDT, scaled", learners.Splitting{Divider: learners.SeparateDiagonal}},
	"GQDT, scaled, K-means++ start":     {"GQDT, scaled", plusPlus},
	"GORF, tuned":                       {"GORF, tuned", mixture},
	"GORF, tuned, random start":         {"GORF, tuned", randomRows},
	"GQRF, scaled, tuned":               {"GQRF, scaled, tuned", quadratic},
}

// fitChosen fits a method to the first division's training and validation rows with the settings that docs/results has
// of it, and measures the processor time of the process. So nothing else may run in the process meanwhile.
func fitChosen(ctx context.Context, t *trial.Trial) error {
	learner, err := chosenLearner(&paper.Results{Root: "."}, t)
	if err != nil {
		return err
	}
	d, err := divide(ctx, paper.Run{Problem: t.Problem, Seed: 1})
	if err != nil {
		return err
	}
	if t.Train, t.Test, err = trial.Prepared(ctx, stepsOf(t.Method), d.both, d.test); err != nil {
		return err
	}
	begun := trial.ProcessorSeconds()
	if err := t.Fit(ctx, trial.Seeded(learner, t.Seed)); err != nil {
		return err
	}
	processor := trial.ProcessorSeconds() - begun
	if err := measure(ctx, t); err != nil {
		return err
	}
	t.More["processor"] = processor
	return nil
}

// chosenLearner returns the learner of a run with the settings that are recorded of its problem's first division.
func chosenLearner(r *paper.Results, t *trial.Trial) (forest.Learner, error) {
	if t.Method == "OC1" {
		return oc1.Tree{}, nil
	}
	method := t.Method
	if f, ok := fits[method]; ok {
		method = f.settings
	}
	for _, e := range []*paper.Experiment{&godt.Trees, &godt.Scaled, &godt.Tuned, &godt.Values} {
		for _, record := range r.Records(e.By(method).On(t.Problem)) {
			if record.Repeat == 1 && record.X == 0 {
				t.Setting = record.Setting
				return withSettings(t.Method, t.Setting, slices.ContainsFunc(godt.ValueSets,
					func(s godt.Set) bool { return s.Name == t.Problem }))
			}
		}
	}
	if r.Err != nil {
		return nil, r.Err
	}
	return nil, fmt.Errorf("docs/results has no settings of %s on %s; do the run that chooses them first", method,
		t.Problem)
}

// withSettings returns a method's learner with settings as [describe] has them, for values or classes.
func withSettings(method, setting string, values bool) (forest.Learner, error) {
	of := map[string]float64{}
	for field := range strings.FieldsSeq(setting) {
		name, number, _ := strings.Cut(field, "=")
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, fmt.Errorf("setting %q: %w", setting, err)
		}
		of[name] = v
	}
	leaf := forest.Growth{MinLeaf: int(of["m_min"])}
	switch method {
	case "CART":
		return rf.CART{Growth: leaf}, nil
	case "RF, tuned":
		return rf.Learner{Trees: int(of["T"]), NodeFeatures: int(of["m"]), Growth: leaf}, nil
	}
	by, growth := fits[method].splitting, forest.Growth{MinSplit: int(of["m_min"]) + 1}
	if by.Beta, by.Purity = of["β"], of["δ"]; values {
		by.Purity, by.MaxMSE = 0, of["δ"]
	}
	if of["T"] == 0 {
		return learners.Tree{Splitting: by, Growth: growth}, nil
	}
	return learners.Learner{Trees: int(of["T"]), TreeFeatures: int(of["m"]), Splitting: by, Growth: growth}, nil
}
