package sporf

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	learners "github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/internal/papers/sporf"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

var sets = []trial.Study{
	{Experiment: &sporf.Table1, Rows: trial.Partitioned, Methods: table1Methods(), Measure: kappas},
	{Experiment: &sporf.Sizes, Rows: trial.Partitioned, Do: trial.Sized},
	{Experiment: &sporf.Noise, Rows: noisyRows, Measure: trial.ByLabels(eval.ChanceKappa), Methods: noiseMethods()},
	{Experiment: &sporf.WholeNoise, Rows: noisyStandardised, Methods: everyChoice, Measure: kappas,
		Work: func(c paper.Cell, size trial.Size) float64 {
			return work(c.Method, 0.8*size.Rows, 0.2*size.Rows, int(size.Features)+c.X)
		}},
}

// table1Methods tune over the grids of section 3.2. RF's settings are all compared with 500 trees, as in the paper.
// Those of SPORF, RR-RF and F-RC are raced. GRAF, OT and RotF have their defaults, but for the number of trees; the
// splits of the first two depend on the units of features, which are standardised for them.
func table1Methods() map[string]trial.Method {
	methods := tuned(trees, trees)
	for _, name := range []string{"SPORF", "RR-RF", "F-RC"} {
		methods[name] = trial.Raced(trees, families[name])
	}
	methods["SPORF, p before coding"] = trial.Raced(trees, func(t *trial.Trial) []forest.Learner {
		return learners.Learner{}.Grid(ofFeatures(must.Value(strconv.Atoi(sporf.Coded[t.Problem]))))
	})
	methods["GRAF"] = fixed(graf.Learner{Trees: trees}, datasets.Standardise{})
	methods["OT"] = fixed(oblique.Learner{Trees: trees}, datasets.Standardise{})
	methods["RotF"] = fixed(rotation.Learner{Trees: trees})
	return methods
}

// kappas is the measure of table 1.
func kappas(ctx context.Context, t *trial.Trial) error {
	err := trial.ErrorRate(ctx, t)
	maps.Copy(t.More, sporf.Kappas(t.Score, t.Train.Labels, t.Test.Labels))
	return err
}

// noiseMethods are those of figure 7: SPORF and F-RC without d = p², which is a million with 1000 columns of noise.
func noiseMethods() map[string]trial.Method {
	methods := tuned(50, 100)
	for _, name := range []string{"SPORF", "F-RC"} {
		methods[name] = trial.Tuned(50, 100, func(t *trial.Trial) []forest.Learner {
			return slices.DeleteFunc(families[name](t), func(l forest.Learner) bool {
				return reflect.ValueOf(l).FieldByName("Candidates").Int() > int64(t.Train.P())
			})
		})
	}
	methods["RR-RF"] = trial.Tuned(50, 100, func(t *trial.Trial) []forest.Learner {
		if p := t.Train.P(); p > 1000 {
			return []forest.Learner{rotation.Random{Trees: 25, NodeFeatures: int(math.Sqrt(float64(p)))}}
		}
		return families["RR-RF"](t)
	})
	return methods
}

// noisyRows and noisyStandardised are folds with X columns of noise. Training and test rows share columns, so both get
// the same noise in the same rows.
var (
	noisyRows         = withNoise(trial.Partitioned)
	noisyStandardised = withNoise(standardisedFold)
)

func withNoise(rows trial.Action) trial.Action {
	return func(ctx context.Context, t *trial.Trial) error {
		err := rows(ctx, t)
		if err == nil {
			t.Train, t.Test = noisy(t.Train, t.X, 1), noisy(t.Test, t.X, 1)
		}
		return err
	}
}

// noisy returns d with columns of standard Gaussian noise behind its own.
func noisy(d *datasets.Dataset, columns int, seed uint64) *datasets.Dataset {
	wide := *d
	wide.Features, wide.Columns = slices.Clone(d.Features), slices.Clone(d.Columns)
	rng := forest.NewRand(seed, uint64(columns))
	for k := range columns {
		column := make([]float32, len(d.Columns[0]))
		for i := range column {
			column[i] = float32(rng.Normal())
		}
		wide.Features = append(wide.Features, datasets.Feature{Name: fmt.Sprint("noise", k+1)})
		wide.Columns = append(wide.Columns, column)
	}
	return &wide
}
