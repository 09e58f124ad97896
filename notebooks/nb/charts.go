package nb

import (
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/shap"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/viz"
)

// drawnClasses is the most classes that a chart has a line or a panel for.
const drawnClasses = 4

// drawn returns the classes to draw: the second of two, or those that most rows of d have, at most so many. Rows
// without a target have the first.
func drawn(classes []string, d *datasets.Dataset, most int) []int {
	if len(classes) == 2 {
		return []int{1}
	}
	counts := make([]int, len(classes))
	if d.Labels != nil {
		for k, rows := range d.ClassCounts() { // d may have its classes in another order, or others
			if c := slices.Index(classes, d.Classes[k]); c >= 0 {
				counts[c] = rows
			}
		}
	}
	largest := ordered.Largest(counts)
	largest = largest[:min(len(largest), most)]
	slices.Sort(largest)
	return largest
}

// evaluationCharts draws an evaluation: for classes the curves of thresholds and calibration, for values what was
// predicted beside what is.
func evaluationCharts(e *eval.Evaluation) []viz.Chart {
	if e.Values != nil {
		return []viz.Chart{predictedAndTrue(e)}
	}
	var of []eval.Thresholds
	var calibration []viz.CalibrationSeries
	for _, k := range drawn(e.Data.Classes, e.Data, drawnClasses) {
		t := e.Thresholds(k)
		if t.Of == 0 || t.Of == t.Rows {
			continue
		}
		of = append(of, t)
		calibration = append(calibration, viz.CalibrationSeries{Name: t.Class,
			Of: eval.Calibration(e.Proba, e.Data.Labels, int32(k), calibrationBins, true)})
	}
	if of == nil { // all rows are of one class
		return nil
	}
	class := "a class"
	if len(of) == 1 {
		class = of[0].Class
	}
	return []viz.Chart{
		viz.Thresholds{Title: "ROC", Of: of},
		viz.Thresholds{Title: "Precision and recall", Curve: viz.PrecisionRecall, Of: of},
		viz.Thresholds{Title: "Cumulative gain", Curve: viz.Gain, Of: of},
		viz.CalibrationCurve{Title: "Calibration", Class: class, Series: calibration},
	}
}

const calibrationBins = 10

func predictedAndTrue(e *eval.Evaluation) viz.Chart {
	d := &datasets.Dataset{Columns: make([][]float32, 2),
		Features: []datasets.Feature{{Name: "predicted"}, {Name: "true"}}}
	for j, values := range [][]float64{e.Values, e.Data.Values} {
		d.Columns[j], d.Features[j].Scale, _ = datasets.Cells(values)
	}
	return viz.Scatter{Title: "Predictions of new rows", X: 0, Y: 1, Diagonal: true, Data: d}
}

const (
	effectColumns = 6    // that are drawn if none is named
	effectPoints  = 30   // values of a column
	effectRows    = 1000 // rows that a mean is over
)

// Effect draws how the model's predictions depend on columns, the others being as they are in at most 1000 rows of d:
// their partial dependence (see [inspect.PartialDependence]). Without names these are the six most important columns.
// Predictions are probabilities of the second of two classes, or of the largest class. It ends the cell if there is no
// such column.
func Effect(model *forest.Forest, d *datasets.Dataset, columns ...string) viz.Chart {
	class, answer := 0, model.Target
	if !model.Regression() {
		class = drawn(model.Classes, d, 1)[0]
		answer = "probability of " + plain.Short(model.Classes[class], nameLength)
	}
	of := columnsOf(model, d, columns, effectColumns)
	rows := d.Subset(ordered.Drawn(min(d.N(), effectRows), d.N()))
	ctx, done := viz.Progress(Context(), "effect")
	defer done()
	var charts []viz.Chart
	for _, j := range of {
		p := Value(inspect.PartialDependence(ctx, model, rows, class, j, effectPoints))
		name := d.Features[j].Name
		charts = append(charts, viz.PartialDependence{Title: "Effect of " + name, X: d.Features[j].Scale.Of(name), Y: answer,
			Values: p.Values, Mean: p.Mean, Rows: p.Rows, Cells: rows.Column(nil, j), Categories: d.Features[j].Categories})
	}
	if len(charts) == 1 {
		return charts[0]
	}
	return viz.Grid{Charts: charts}
}

// columnsOf returns the columns of the given names or, if there are none, the most important ones. It ends the cell if
// there is no such column.
func columnsOf(model *forest.Forest, d *datasets.Dataset, names []string, most int) []int {
	if len(names) == 0 {
		return inspect.MainColumns(model, d, most)
	}
	var columns []int
	for _, name := range names {
		j := slices.Index(d.FeatureNames(), name)
		if j < 0 {
			_, err := d.Schema().Record(map[string]any{name: nil}) // which names the nearest
			Must(err)
		}
		columns = append(columns, j)
	}
	return columns
}

const permutations = 5 // of a column

// Importance draws by how much the loss of the model's predictions of d grows if the cells of a column are permuted;
// see [inspect.PermutationImportance]. d should be rows that the model wasn't trained on. Error bars are standard
// errors of five permutations.
func Importance(model *forest.Forest, d *datasets.Dataset) viz.Chart {
	ctx, done := viz.Progress(Context(), "importance")
	p, err := inspect.PermutationImportance(ctx, model, d, nil, permutations, 1)
	done()
	Must(err)
	chart := viz.Bars{Title: "Importance of columns", X: "increase of the error rate, if permuted"}
	if model.Regression() {
		chart.X = "increase of the mean squared error, if permuted"
	}
	for _, j := range ordered.Largest(p.Mean)[:min(len(p.Mean), mostImportant)] {
		chart.Names = append(chart.Names, plain.Short(d.Features[j].Name, nameLength))
		chart.Values, chart.Err = append(chart.Values, p.Mean[j]), append(chart.Err, p.StdErr[j])
	}
	return chart
}

const mostImportant = 20 // columns that are drawn

// Regions draws what a model of classes predicts in the plane of two columns, with the rows of d. Without names these
// are the two most important columns. It ends the cell if there is no such column.
func Regions(model *forest.Forest, d *datasets.Dataset, xy ...string) viz.Chart {
	at := columnsOf(model, d, xy, 2)
	if len(at) != 2 {
		Must(fmt.Errorf("nb: %d columns; want two to draw regions of", len(at)))
	}
	return viz.DecisionRegions{Title: "What the model predicts", Model: model, Data: d, X: at[0], Y: at[1]}
}

const (
	explainedTrees = 50
	explainedRows  = 300 // min(300, max(50, explainedWork/leaves of all trees)) rows are explained
	explainedWork  = 2 << 24
)

// Explain draws what moved the predictions of rows of d: their Shapley values (see package shap), of the last 50 trees,
// or of all if they are boosted. With many or large trees there are fewer rows than 300, so that it takes seconds. With
// two classes the picture is of the second one, with more there is one for each of the four largest. Effects add up to
// probabilities before they are calibrated, and the axis says so.
func Explain(model *forest.Forest, d *datasets.Dataset) viz.Chart {
	part := *model
	if model.Rule != forest.Sum {
		part.Trees = model.Trees[max(0, len(model.Trees)-explainedTrees):]
	}
	explainer := Value(shap.New(&part, d))
	leaves := 0
	for i := range part.Trees {
		leaves += len(part.Trees[i].Nodes)/2 + 1
	}
	rows := ordered.Drawn(min(d.N(), explainedRows, max(50, explainedWork/leaves)), d.N())
	ctx, done := viz.Progress(Context(), "explanation")
	explained, err := explainer.Values(ctx, d.Subset(rows))
	done()
	Must(err)
	title, x, unit := "What moves the prediction of ", "effect on ", ""
	switch {
	case model.Regression():
	case model.Rule == forest.Sum: // outputs are log-odds or scores, and are called so
		title, x, unit = "What moves the ", "effect on the ", " (+1 multiplies its odds by 2.7)"
	default:
		title, x = "What speaks for ", "effect on the probability of "
		if model.Calibration != (forest.Calibration{}) {
			unit = ", before calibration"
		}
	}
	chart := func(o int) viz.SHAP {
		of := plain.Short(explained.Outputs[o], nameLength)
		return viz.SHAP{Title: title + of, X: x + of + unit, Data: explained.Data, Values: explained.Values[o]}
	}
	if n := len(explained.Outputs); n <= 2 {
		return chart(n - 1)
	}
	var charts []viz.Chart
	for _, o := range drawn(model.Classes, d, drawnClasses) {
		c := chart(o)
		c.Most = 8
		charts = append(charts, c)
	}
	return viz.Grid{Columns: 2, Charts: charts}
}
