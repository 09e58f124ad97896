package viz

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"image/png"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/obliqua-ml/obliqua/internal/notebook"
)

// A Control is a [Slider] or a [Choice].
type Control interface {
	control() control // panics if the control makes no sense
}

// A control is what Explore needs to know of a [Control].
type control struct {
	name     string
	options  []string // of a choice; nil for a slider
	min, max float64  // of its number, which for a choice is the place of the option
	start    float64
	element  func(id string) string // HTML
}

// A Slider chooses a number.
type Slider struct {
	Name     string
	Min, Max float64
	Step     float64 // 0 means 1
	Value    float64 // at the start; the nearest step from Min is taken, as in a browser
}

// start returns the number of steps from Min that is nearest to Value, in Value's units.
func (s Slider) start(step float64) float64 {
	steps := (s.Value - s.Min) / step
	if math.Abs(steps-math.Round(steps)) < 1e-9 {
		return s.Value
	}
	last := math.Floor((s.Max-s.Min)/step + 1e-9)
	v := s.Min + float64(step*min(math.Floor(steps+0.5), last))
	at, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64) // 0.3, not 0.30000000000000004
	return at
}

// A Choice chooses one of several texts.
type Choice struct {
	Name    string
	Options []string
	Value   string // at the start; "" means the first
}

// Values are the states of the controls of an [Explore].
type Values struct {
	controls []control
	at       []float64
}

// Number returns the number of a slider. It panics if there is no such slider.
func (v Values) Number(slider string) float64 {
	at, _ := v.find(slider, false)
	return at
}

// find returns the number of a control and its text.
func (v Values) find(name string, choice bool) (at float64, text string) {
	for i, c := range v.controls {
		if c.name == name && (c.options != nil) == choice {
			return v.at[i], c.text(v.at[i])
		}
	}
	panic(fmt.Sprintf("viz: there is no %s %q among the controls %s",
		map[bool]string{false: "slider", true: "choice"}[choice], name, v))
}

// Int returns the number of a slider, rounded. It panics if there is no such slider.
func (v Values) Int(slider string) int { return int(math.Round(v.Number(slider))) }

// Choice returns the chosen text. It panics if there is no such choice.
func (v Values) Choice(choice string) string {
	_, text := v.find(choice, true)
	return text
}

// String returns all values, such as "trees = 40, method = SPORF".
func (v Values) String() string {
	texts := make([]string, len(v.at))
	for i, c := range v.controls {
		texts[i] = c.name + " = " + c.text(v.at[i])
	}
	return strings.Join(texts, ", ")
}

// Explore shows a chart below sliders and choices. Whenever the reader moves one, the
// context of the drawing under way is cancelled, and draw is called with the newest
// values once it has returned; values in between are skipped. [Progress] works inside
// draw. An error of draw is shown in place of the chart.
//
// Explore returns when the cell is stopped (the kernel's interrupt). The last chart
// then stays in the notebook as a picture, with its values instead of the controls.
// Where nobody can move a control, as under nbconvert and in tests, Explore draws once
// with the values at the start, and returns. The same happens after ten seconds in a page
// that doesn't answer.
//
// In a notebook's page, Explore ends the program with status 1 if the kernel ends, since nobody
// could stop it then: if the process that started it has ended, and nothing reads the kernel's
// pipe.
//
// It returns the error of the last drawing that was not called off. It panics if a
// control has no name or that of another, if a slider's range or step is empty or its
// value outside of the range, or if a choice has no options or not the value.
//
//	err := viz.Explore([]viz.Control{
//		viz.Slider{Name: "trees", Min: 1, Max: 200, Value: 20},
//		viz.Choice{Name: "weights", Options: []string{"±1", "normal"}},
//	}, func(ctx context.Context, values viz.Values) (viz.Chart, error) {
//		model, err := sporf.Learner{Trees: values.Int("trees")}.Fit(ctx, train)
//		…
//		return viz.DecisionRegions{Model: model, Data: train}, nil
//	})
func Explore(controls []Control, draw func(context.Context, Values) (Chart, error)) error {
	start := initialValues(controls)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if !notebook.Open() {
		return drawOnce(ctx, start, draw)
	}
	defer notebook.DieWithKernel()()
	p := openPage(ctx, start)
	return (&exploration{draw: draw, moves: p.moves, out: p, values: start}).run(ctx)
}

// A drawer is the function that an [Explore] calls.
type drawer = func(context.Context, Values) (Chart, error)

// drawOnce shows the chart of the values at the start.
func drawOnce(ctx context.Context, values Values, draw drawer) error {
	d := newDrawing(ctx, values, draw)
	if d.err != nil {
		return d.err
	}
	if notebook.Present() {
		notebook.Send(valuesOutput("", values))
	}
	Show(d.figure)
	return nil
}

func initialValues(controls []Control) (v Values) {
	for _, given := range controls {
		c := given.control()
		same := func(other control) bool { return other.name == c.name }
		if c.name == "" || slices.ContainsFunc(v.controls, same) {
			misuse("a control is named %q, which is empty or the name of another one", c.name)
		}
		v.controls, v.at = append(v.controls, c), append(v.at, c.start)
	}
	return v
}

// A drawing is what became of one call of draw.
type drawing struct {
	figure *Figure
	output notebook.Output // the picture, or the error in its place
	err    error
	panic  string // what draw or Figure panicked with, and where
}

// newDrawing calls draw and lays the chart out.
func newDrawing(ctx context.Context, values Values, draw drawer) drawing {
	chart, err := draw(ctx, values)
	switch {
	case err != nil:
		return drawing{err: err}
	case chart == nil:
		return drawing{err: errors.New("viz: Explore's function returned neither a chart nor an error")}
	}
	return drawing{figure: chart.figure()}
}

// render draws the picture. It is compressed quickly: this takes a twentieth of the
// time, which the reader waits for, and makes it a tenth larger.
func (d *drawing) render() {
	if d.err == nil {
		d.output = d.figure.picture(png.BestSpeed)
		return
	}
	text := d.err.Error()
	d.output = htmlOutput("", `<pre role="alert" style="color:#b00020">`+html.EscapeString(text)+"</pre>", text)
}

// A display is where an exploration shows its charts: a page or, in tests, a list.
type display interface {
	context(context.Context) context.Context // what draw gets
	busy()                                   // a drawing takes longer than a moment
	show(drawing)
	settle(Values) // the last chart stays, with these values
}

// busyAfter is the time after which a reader wonders whether anything happens.
const busyAfter = 300 * time.Millisecond

// An exploration draws what the controls say.
type exploration struct {
	draw  drawer
	moves <-chan Values // the newest values; closed when no more will come
	out   display

	values Values // the newest
	stale  bool   // values have changed since the last drawing began
	shown  Values
	last   drawing // what is shown

	cancel context.CancelFunc // of the drawing under way
	done   chan drawing       // nil if no drawing is under way
}

// run draws the newest values until ctx is done, or moves is closed and the newest
// values are drawn. It returns the error of what is shown.
func (e *exploration) run(ctx context.Context) error {
	e.shown = e.values
	e.begin(ctx)
	busy := time.NewTimer(busyAfter)
	defer busy.Stop()
	for {
		select {
		case <-ctx.Done():
			// The reader sees the end at once. The kernel kills the cell if the drawing
			// doesn't end within five seconds.
			e.out.settle(e.shown)
			e.cancel()
			if e.done != nil {
				<-e.done
			}
			return e.last.err
		case values, open := <-e.moves:
			if open {
				e.values, e.stale = values, true
				e.cancel()
			} else {
				e.moves = nil
			}
		case <-busy.C:
			if e.done != nil {
				e.out.busy()
			}
		case d := <-e.done:
			e.end(ctx, d)
		}
		switch {
		case e.done != nil:
		case e.stale:
			e.begin(ctx)
			busy.Reset(busyAfter)
		case e.moves == nil:
			e.out.settle(e.shown)
			return e.last.err
		}
	}
}

// begin starts drawing the newest values.
func (e *exploration) begin(ctx context.Context) {
	done, values := make(chan drawing, 1), e.values
	ctx, e.cancel = context.WithCancel(e.out.context(ctx))
	e.done, e.stale = done, false
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- drawing{panic: fmt.Sprintf("%v\n\n%s", p, debug.Stack())}
			}
		}()
		d := newDrawing(ctx, values, e.draw)
		if ctx.Err() == nil {
			d.render()
		}
		done <- d
	}()
}

// end shows a drawing, unless it has been called off.
func (e *exploration) end(ctx context.Context, d drawing) {
	e.cancel()
	e.done = nil
	switch {
	case d.panic != "":
		e.out.settle(e.shown)
		panic(d.panic)
	case !e.stale && ctx.Err() == nil:
		e.shown, e.last = e.values, d
		e.out.show(d)
	}
}

// A page is a notebook open in a browser.
type page struct {
	id       string // of the element that holds the controls, and part of all other names
	controls Values
	status   *status
	moves    chan Values // holds the newest values not yet taken

	mu    sync.Mutex
	heard float64 // number of the newest message; they may arrive in another order
}

// A page has ten seconds to connect. It is asked again every two seconds, because a
// busy one doesn't manage in the half second that GoNB's script waits for the kernel.
const (
	answerTime = 10 * time.Second
	askAgain   = 2 * time.Second
)

// openPage displays the controls, and listens to them until ctx is done or, if the
// page doesn't answer, for a short while.
func openPage(ctx context.Context, start Values) *page {
	id := "explore-" + notebook.UniqueID()
	p := &page{id: id, controls: start, status: &status{id + "-status", notebook.SendHTML}, moves: make(chan Values, 1)}
	notebook.Send(htmlOutput(p.id, p.html(), start.String()))
	p.status.update("")
	waiting, answered := context.WithCancel(ctx)
	notebook.Listen(p.address(), func(message string) {
		answered()
		p.receive(message)
	})
	go p.await(waiting)
	return p
}

// await asks the page to connect until time is up, or waiting is done because the page has answered or nobody
// waits any more.
func (p *page) await(waiting context.Context) {
	limit, again := time.After(answerTime), time.Tick(askAgain)
	for {
		select {
		case <-waiting.Done():
			return
		case <-again:
			notebook.Connect()
		case <-limit:
			p.giveUp(waiting)
			return
		}
	}
}

// giveUp ends the exploration, unless the page has answered in the last moment.
func (p *page) giveUp(waiting context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if waiting.Err() == nil {
		p.heard = math.Inf(1) // whatever comes now is too late
		close(p.moves)
	}
}

func (p *page) address() string { return "/obliqua/" + p.id }

// receive takes a message of the page: its number and the state of every control.
func (p *page) receive(message string) {
	var m struct {
		Number float64
		Values []string
	}
	if json.Unmarshal([]byte(message), &m) != nil || len(m.Values) != len(p.controls.at) {
		return
	}
	values := Values{controls: p.controls.controls}
	for i, c := range values.controls {
		v, ok := c.parse(m.Values[i])
		if !ok {
			return
		}
		values.at = append(values.at, v)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Number <= p.heard {
		return
	}
	moved := !slices.Equal(values.at, p.controls.at)
	p.heard, p.controls.at = m.Number, values.at
	if !moved {
		return
	}
	select { // newer values replace those not yet taken
	case <-p.moves:
	default:
	}
	p.moves <- values
}

func (p *page) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, statusKey{}, p.status)
}

func (p *page) busy() { p.status.update("drawing …") }

func (p *page) show(d drawing) {
	d.output.ID = p.id + "-chart"
	notebook.Send(d.output)
	p.status.update("")
	awaitKernel()
}

func (p *page) settle(values Values) {
	notebook.Send(valuesOutput(p.id, values))
	notebook.SendHTML(p.status.id, "")
	awaitKernel()
}

// valuesOutput returns what stands in place of the controls where nobody can move them.
func valuesOutput(id string, values Values) notebook.Output {
	return htmlOutput(id, "<p>"+html.EscapeString(values.String())+"</p>", values.String())
}

// A status is a line of text, or a progress bar, below the controls.
type status struct {
	id   string
	send func(id, html string)
}

// statusKey is the key of the status in a context made for an [Explore]'s drawing.
type statusKey struct{}

func (s *status) update(html string) {
	s.send(s.id, `<div role="status" style="min-height:1.6em">`+html+"</div>")
}

//go:embed explore.js
var exploreScript string

// html returns the controls, and the script that sends their states. They are disabled
// until the page is connected.
func (p *page) html() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		`<div id="%s" role="group" aria-label="Controls of the chart below" `+
			`data-lm-suppress-shortcuts="true" style="display:inline-grid;`+
			`grid-template-columns:max-content minmax(10em,24em) 6em;gap:.4em .8em;align-items:center;margin:.3em 0">`, p.id)
	for i, c := range p.controls.controls {
		id := fmt.Sprintf("%s-%d", p.id, i)
		fmt.Fprintf(&b, "\n"+`<label for="%s">%s</label>%s<output for="%s">`, id, html.EscapeString(c.name), c.element(id),
			id)
		if c.options == nil {
			b.WriteString(c.text(c.start))
		}
		b.WriteString("</output>")
	}
	fmt.Fprintf(&b, "\n</div>\n<script>{\nconst id = %q, address = %q;\n%s}</script>", p.id, p.address(), exploreScript)
	return b.String()
}

// parse returns the number that the page sent.
func (c control) parse(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && v >= c.min && v <= c.max && (c.options == nil || v == math.Trunc(v))
}

// text returns the number as the reader sees it.
func (c control) text(v float64) string {
	if c.options != nil {
		return c.options[int(v)]
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func (s Slider) control() control {
	step := cmp.Or(s.Step, 1)
	if size := s.Max - s.Min; !(size > 0) || math.IsInf(size, 0) || !(step > 0) || step > size {
		misuse("slider %q goes from %v to %v in steps of %v", s.Name, s.Min, s.Max, step)
	}
	if !(s.Value >= s.Min && s.Value <= s.Max) {
		misuse("slider %q starts at %v, outside of %v to %v", s.Name, s.Value, s.Min, s.Max)
	}
	start := s.start(step)
	return control{name: s.Name, min: s.Min, max: s.Max, start: start, element: func(id string) string {
		return fmt.Sprintf(`<input id="%s" type="range" min="%v" max="%v" step="%v" value="%v" disabled>`,
			id, s.Min, s.Max, step, start)
	}}
}

func (c Choice) control() control {
	if len(c.Options) == 0 {
		misuse("choice %q has no options", c.Name)
	}
	start := max(0, slices.Index(c.Options, c.Value))
	if c.Value != "" && c.Options[start] != c.Value {
		misuse("choice %q starts with %q, which isn't one of its options %q", c.Name, c.Value, c.Options)
	}
	last := float64(len(c.Options) - 1)
	return control{name: c.Name, options: c.Options, max: last, start: float64(start), element: func(id string) string {
		var b strings.Builder
		fmt.Fprintf(&b, `<select id="%s" disabled>`, id)
		for i, option := range c.Options {
			selected := ""
			if i == start {
				selected = " selected"
			}
			fmt.Fprintf(&b, `<option value="%d"%s>%s</option>`, i, selected, html.EscapeString(option))
		}
		return b.String() + "</select>"
	}}
}
