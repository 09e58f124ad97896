package eval

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// A threshold takes the rows whose probability is as large or larger, and the trapezoids below the ROC curve are the
// area that pairs of rows give.
func TestThresholds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Evaluation{Data: &datasets.Dataset{Classes: []string{"no", "yes"}}}
		for range rapid.IntRange(2, 40).Draw(t, "rows") {
			p := float64(rapid.IntRange(0, 10).Draw(t, "p")) / 10
			e.Proba = append(e.Proba, []float64{1 - p, p})
			e.Data.Labels = append(e.Data.Labels, int32(rapid.IntRange(0, 1).Draw(t, "label")))
		}
		curves := e.Thresholds(1)
		for _, p := range curves.Points {
			want := Threshold{At: p.At}
			for i, q := range e.Proba {
				if q[1] >= p.At {
					want.Taken++
					want.Found += int(e.Data.Labels[i])
				}
			}
			if p != want {
				t.Fatalf("%+v; want %+v", p, want)
			}
		}
		missed := float64(rapid.IntRange(0, 30).Draw(t, "missed")) / 4
		cheapest := curves.Cheapest(missed)
		for _, at := range []float64{cheapest.At, 0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1, math.Inf(1)} {
			cost := 0.0
			for i, q := range e.Proba {
				switch took := q[1] >= at; {
				case took && e.Data.Labels[i] == 0:
					cost++
				case !took && e.Data.Labels[i] == 1:
					cost += missed
				}
			}
			if least := curves.Cost(cheapest, missed); cost < least || at == cheapest.At && cost != least {
				t.Fatalf("taking from %v costs %v; the cheapest is %v, for %v", at, cost, cheapest, least)
			}
		}
		x, y := curves.ROC()
		area := 0.0
		for i := 1; i < len(x); i++ {
			area += (x[i] - x[i-1]) * (y[i] + y[i-1]) / 2
		}
		if want := AUC(e.Proba, e.Data.Labels); math.Abs(area-want) > 1e-12 && want == want {
			t.Fatalf("an area of %v; want %v", area, want)
		}
		last := len(curves.Points) - 1
		recall, precision := curves.PrecisionRecall()
		taken, found := curves.Gain()
		if share := float64(curves.Of) / float64(curves.Rows); curves.Of > 0 &&
			(recall[last] != 1 || precision[last] != share || taken[last+1] != 1 || found[last+1] != 1) {
			t.Fatalf("all rows: recall %v, precision %v, gain %v of %v", recall[last], precision[last], found, taken)
		}
	})
}

func TestEvaluate(t *testing.T) {
	train, test := sim.Trunk{Features: 3}.Sample(200, 1), sim.Trunk{Features: 3}.Sample(100, 2)
	model := must.Value(rf.Learner{Trees: 20, Seed: 1}.Fit(t.Context(), train))
	e := must.Value(Evaluate(t.Context(), model, test))
	right := 0
	for i, row := range e.Confusion.Counts {
		right += row[i]
	}
	labels := must.Value(model.Predict(t.Context(), test))
	if !slices.Equal(labels, e.Labels) || 100*e.Error != float64(100-right) || e.Guessing.Loss != e.Error ||
		e.AUC != AUC(e.Proba, test.Labels) || e.Test != 100 || !strings.Contains(e.String(), "better beyond doubt") {
		t.Errorf("%+v\n%v", e.Score, e)
	}
	values := func(d *datasets.Dataset) *datasets.Dataset {
		v := *d
		v.Labels, v.Classes = nil, nil
		for i := range d.N() {
			v.Values = append(v.Values, float64(d.Columns[0][i]))
		}
		return &v
	}
	of := must.Value(rf.Learner{Trees: 20, Seed: 1}.Fit(t.Context(), values(train)))
	if e := must.Value(Evaluate(t.Context(), of, values(test))); e.R2 != R2(e.Values, values(test).Values) || e.R2 < 0.9 ||
		e.Guessing.Loss != e.MSE || e.Confusion != nil {
		t.Errorf("%+v\n%v", e.Score, e)
	}
	other := *test
	other.Classes = []string{"a", "b"}
	for want, d := range map[string]*datasets.Dataset{"and the rows have values": values(test),
		"0 rows": test.Subset([]int32{}), `the rows have the classes ["a" "b"]`: &other} {
		_, err := Evaluate(t.Context(), model, d)
		readtest.WantError(t, err, want)
	}
}
