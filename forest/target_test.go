package forest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// Every learner says at once, in its own name, that it can't learn from a target of identifiers, or of a
// measurement that was read as classes.
func TestTargetsThatAreNoClasses(t *testing.T) {
	for want, class := range map[string]func(i int) string{
		"identifier":     func(i int) string { return fmt.Sprint("id ", i) },
		"set Regression": func(i int) string { return fmt.Sprint(float64(i%400) / 4) },
	} {
		d := &datasets.Dataset{Target: "y", Features: []datasets.Feature{{Name: "a"}, {Name: "b"}}}
		d.Columns = make([][]float32, 2)
		rng, place := forest.NewRand(3), map[string]int32{}
		for i := range 1200 {
			d.Columns[0], d.Columns[1] = append(d.Columns[0], float32(rng.Normal())), append(d.Columns[1], float32(i))
			name := class(i)
			if _, ok := place[name]; !ok {
				place[name] = int32(len(d.Classes))
				d.Classes = append(d.Classes, name)
			}
			d.Labels = append(d.Labels, place[name])
		}
		for name, learner := range methods(2, forest.Growth{}, 1) {
			method := strings.Fields(name)[0]
			_, err := learner.Fit(t.Context(), d)
			if err == nil || !strings.HasPrefix(err.Error(), method+": ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v; want %s: … %s", name, err, method, want)
			}
		}
	}
}
