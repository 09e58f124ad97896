package viz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/gpu"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

var _ Predictor = (*gpu.Predictor)(nil)

// counted predicts by a forest, and counts rows. It fails if it has an error for a method.
type counted struct {
	model              *forest.Forest
	labels, probas     int // rows predicted
	labelErr, probaErr error
}

func (c *counted) Predict(d *datasets.Dataset) ([]int32, error) {
	c.labels += d.N()
	return must.Value(c.model.Predict(context.Background(), d)), c.labelErr
}

func (c *counted) Proba(d *datasets.Dataset) ([][]float64, error) {
	c.probas += d.N()
	return must.Value(c.model.Proba(context.Background(), d)), c.probaErr
}

// pictureOf returns a chart as a PNG, with its description.
func pictureOf(t *testing.T, c Chart) []byte {
	t.Helper()
	f := c.figure()
	var b bytes.Buffer
	must.Do(f.writePNG(&b))
	return append(b.Bytes(), f.alt()...)
}

// TestRegionsByAnother: each cell is predicted once, by the given predictor alone, and
// the picture is the model's.
func TestRegionsByAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	r := DecisionRegions{Title: "Regions", Model: oblique(), Data: corners(), Resolution: 40}
	want := pictureOf(t, r)
	by := &counted{model: oblique()}
	r.By = by
	if !bytes.Equal(pictureOf(t, r), want) {
		t.Error("the picture is another one than the model's")
	}
	if by.labels != 40*25 || by.probas != 40*25 {
		t.Errorf("predicted classes of %d cells and probabilities of %d; want %d", by.labels, by.probas, 40*25)
	}
	// A predictor of another forest draws that one.
	other := oblique()
	other.Trees[0].Nodes[0].Value = 0
	r.By = &counted{model: other}
	if bytes.Equal(pictureOf(t, r), want) {
		t.Error("the picture is the model's, not that of what By predicts")
	}
}

// TestRegionsFixed: the first four features off the axes are named with the medians at which they stay.
func TestRegionsFixed(t *testing.T) {
	d, model := corners(), oblique()
	check := func(want string) {
		t.Helper()
		model.Features = d.FeatureNames()
		_, got, _ := strings.Cut(DecisionRegions{Model: model, Data: d, Resolution: 8}.figure().Alt, "Fixed: ")
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("")
	for _, name := range []string{"p", "q", "r", "s"} {
		d.Features = append(d.Features, datasets.Feature{Name: name})
		d.Columns = append(d.Columns, []float32{2.5, 1, 7, 2})
	}
	check("p 2.5, q 2.5, r 2.5, s 2.5.")
	d.Features, d.Columns = append(d.Features, datasets.Feature{}), append(d.Columns, d.Columns[2])
	check("p 2.5, q 2.5, r 2.5, s 2.5, 1 more.")
}

// TestRegionsByFailing: the words of an error are in the picture's place and description,
// also among other charts, and nothing is saved.
func TestRegionsByFailing(t *testing.T) {
	lost := errors.New("gpu: the device is lost")
	words := "the regions can't be drawn: gpu: the device is lost"
	for name, by := range map[string]*counted{
		"classes":       {model: oblique(), labelErr: lost},
		"probabilities": {model: oblique(), probaErr: lost},
	} {
		r := DecisionRegions{Title: "Regions", Model: oblique(), Data: corners(), Resolution: 8, By: by}
		for _, chart := range []Chart{r, Grid{Title: "Grid", Charts: []Chart{Scatter{Data: corners()}, r}}} {
			f := chart.figure()
			_, drawn, _ := strings.Cut(svg(f), "</desc>")
			contains(t, f.alt(), words)
			contains(t, drawn, "gpu: the device is lost")
			path := filepath.Join(t.TempDir(), "f.png")
			err := f.Save(path)
			if !errors.Is(err, lost) || err.Error() != fmt.Sprintf("viz: figure %q: %s", f.Title, words) {
				t.Errorf("%s, %T: saved with error %v", name, chart, err)
			}
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s, %T: there is a file: %v", name, chart, err)
			}
		}
	}
}

// TestRegionsByUnfit: a predictor of other classes or rows is a mistake of the program.
func TestRegionsByUnfit(t *testing.T) {
	three := oblique()
	three.Classes = []string{"a", "b", "c"}
	three.Trees[0] = forest.Tree{Classes: 3, Nodes: []forest.Node{forest.ClassLeaf(2, 1)}}
	for want, by := range map[string]Predictor{
		"viz: By predicts class 2 and 3 probabilities for row 0": &counted{model: three},
		"viz: By predicts 0 classes and 0 rows":                  nothing{},
	} {
		readtest.WantPanic(t, "viz: ", func() {
			DecisionRegions{Model: oblique(), Data: corners(), Resolution: 8, By: by}.figure()
		}, want)
	}
}

type nothing struct{}

func (nothing) Predict(*datasets.Dataset) ([]int32, error)   { return nil, nil }
func (nothing) Proba(*datasets.Dataset) ([][]float64, error) { return nil, nil }
