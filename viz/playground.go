package viz

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"html"
	"reflect"
	"runtime"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/notebook"
	"github.com/obliqua-ml/obliqua/viz/playground"
)

// Playground shows two methods on the same points. Its live form is a page that trains any method of the library in the
// browser: points are drawn and removed with the mouse, parameters are sliders, and trees grow step by step. The page
// needs neither the kernel nor the internet, so it also works in exported HTML and in a saved notebook.
//
//	viz.Show(viz.Playground{Data: train, Left: rf.CART{}, Right: sporf.Learner{Trees: 50}})
//
// The picture shows the decision regions of both learners. [Show] compiles the page's engine when it is first needed,
// which takes the Go command and up to a minute. The page has 3.3 MB, which are stored in the notebook, for each
// playground.
//
// [Draw] trains both learners. It panics if Data has no labels, if X or Y isn't a column, if a learner is nil, and if
// it can't be trained.
type Playground struct {
	Title string
	Data  *datasets.Dataset // the points, with labels; if there are more than 2,000 rows, 2,000 of them
	X, Y  int               // the columns that are used, and no others; both 0 means columns 0 and 1

	// Left and Right are the methods at the start. Their trees are trained on columns X and Y.
	Left, Right forest.Learner
}

func (p Playground) figure() *Figure {
	d := p.points()
	grid := Grid{Title: p.Title, Columns: 2}
	for _, learner := range []forest.Learner{p.Left, p.Right} {
		if learner == nil {
			misuse("playground without learners; want Left and Right")
		}
		model, err := learner.Fit(context.Background(), d)
		if err != nil {
			misuse("playground: %T: %v", learner, err)
		}
		grid.Charts = append(grid.Charts, DecisionRegions{Title: learnerName(learner), Model: model, Data: d})
	}
	return grid.figure()
}

// points returns the rows that are shown, with only the columns that are.
func (p Playground) points() *datasets.Dataset {
	switch {
	case p.Data == nil || p.Data.Labels == nil:
		misuse("playground of data without labels")
	case p.Data.P() < 2:
		misuse("playground of data with one column; want two")
	}
	points := newPoints(p.Data, p.X, p.Y, nil)
	rows := make([]int32, len(points.rows))
	for i, row := range points.rows {
		rows[i] = int32(row)
	}
	d := p.Data.Subset(rows).Select(points.x, points.y)
	if err := d.CheckFinite(); err != nil {
		panic("viz: playground: " + err.Error())
	}
	return d
}

// learnerName returns the type of a learner and its fields that aren't 0, such as
// "sporf.Learner, Trees 50".
func learnerName(learner forest.Learner) string {
	return strings.ReplaceAll(strings.ReplaceAll(structState(learner), ",", ", "), "=", " ")
}

// structState returns a learner as the page's address has it, such as
// "sporf.Learner,Trees=50,MaxDepth=3".
func structState(learner forest.Learner) string {
	v := reflect.Indirect(reflect.ValueOf(learner))
	return strings.Join(append([]string{v.Type().String()}, fieldStates(v, "")...), ",")
}

func fieldStates(v reflect.Value, prefix string) (states []string) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		name := prefix + field.Name
		switch {
		case !field.IsExported() || value.IsZero():
		case field.Anonymous:
			states = append(states, fieldStates(value, prefix)...)
		case value.Kind() == reflect.Struct:
			states = append(states, fieldStates(value, name+".")...)
		case value.CanInt():
			states = append(states, fmt.Sprintf("%s=%d", name, value.Int()))
		case value.CanUint():
			states = append(states, fmt.Sprintf("%s=%d", name, value.Uint()))
		case value.CanFloat():
			states = append(states, fmt.Sprintf("%s=%v", name, value.Float()))
		case value.Kind() == reflect.Bool:
			states = append(states, name+"=1")
		}
	}
	return states
}

// start returns what the page begins with.
func (p Playground) start() playground.Start {
	d := p.points()
	x0, x1, y0, y1 := newPoints(d, 0, 1, nil).DataRange()
	data := &playground.Data{Name: d.Name, Target: d.Target, Classes: d.Classes, View: [4]float64{x0, x1, y0, y1},
		Labels: d.Labels}
	if data.Name == "" {
		data.Name = "data of the notebook"
	}
	for j := range data.Columns {
		data.Columns[j] = d.Column(nil, j)
		data.Features[j] = featureName(d, j)
	}
	return playground.Start{
		State: "problem=data&left=" + structState(p.Left) + "&right=" + structState(p.Right),
		Data:  data,
	}
}

// showPage makes the page an output of the cell, in a frame of its own, so that its styles
// and scripts don't reach the notebook. While the engine is compiled, the output says so.
func (p Playground) showPage() {
	if runtime.GOOS == "js" {
		notebook.SendHTML("", "<p>A page in a browser can't compile the playground; there is one on Obliqua's site.</p>")
		return
	}
	start := p.start()
	state, err := json.Marshal(start)
	if err != nil {
		panic("viz: playground: " + err.Error())
	}
	id := fmt.Sprintf("playground-%x", sha256.Sum256(state))[:27]
	var page strings.Builder
	report := func(line string) { notebook.SendHTML(id, "<p>"+html.EscapeString(line)+"</p>") }
	if err := playground.Write(context.Background(), &page, start, report); err != nil {
		panic("viz: " + err.Error())
	}
	notebook.SendHTML(id,
		fmt.Sprintf(`<iframe title="%s" sandbox="allow-scripts allow-downloads" allow="clipboard-write" `+
			`style="width:100%%;height:960px;border:0;resize:vertical" srcdoc="%s"></iframe>`,
			html.EscapeString(cmp.Or(p.Title, "Obliqua playground")), html.EscapeString(page.String())))
}
