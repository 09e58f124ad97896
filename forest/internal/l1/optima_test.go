package l1

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// Objectives equal those that scikit-learn reaches; testdata/write.py has the problems.
func TestStoredOptima(t *testing.T) {
	text := must.Value(os.ReadFile("testdata/optima.json"))
	var stored struct {
		Problems []struct {
			Name, Kind string
			Objective  float64
			Penalty    float64
			C, Y, W    []float64
			X          [][]float64
		}
	}
	must.Do(json.Unmarshal(text, &stored))
	for _, p := range stored.Problems {
		q := &problem{x: p.X, c: p.C, values: p.Y, penalty: slices.Repeat([]float64{p.Penalty}, len(p.X[0]))}
		if q.c == nil {
			q.c = slices.Repeat([]float64{1}, len(p.X))
		}
		q.k, q.rows, q.features = int(slices.Max(p.Y))+1, upTo(len(p.X)), upTo(len(p.X[0]))
		for _, y := range p.Y {
			q.labels = append(q.labels, int8(y))
			q.classes = append(q.classes, int32(y))
		}
		for j := range q.penalty {
			q.columns = append(q.columns, make([]float32, len(p.X)))
			for i, x := range p.X {
				q.columns[j][i] = float32(x[j])
			}
		}
		for form, m := range q.matrices() {
			of, task := q, q.tasks()[p.Kind]
			if p.Kind == "penalised bias" {
				of, task = q.withOnes(p.Penalty)
				m.AddOnes()
			}
			f := task.fitted(m, tight)
			objective, _ := of.evaluate(task, f)
			if math.Abs(objective-p.Objective) > 1e-6*p.Objective {
				t.Errorf("%s, %s, %s: the objective is %.9g, scikit-learn has %.9g", p.Kind, p.Name, form, objective, p.Objective)
			}
			for j, w := range p.W {
				if math.Abs(f.w[j]-w) > 1e-3*(1+math.Abs(w)) {
					t.Errorf("%s, %s, %s: weight %d is %v, scikit-learn has %v", p.Kind, p.Name, form, j, f.w[j], w)
				}
			}
		}
	}
	if len(stored.Problems) != 22 {
		t.Errorf("%d problems, want 22", len(stored.Problems))
	}
}
