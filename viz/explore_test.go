package viz

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A record is a display that notes what it is told.
type record struct {
	shown   []string // titles of charts, or errors
	settled []string
	busied  int
}

func (r *record) context(ctx context.Context) context.Context { return ctx }
func (r *record) busy()                                       { r.busied++ }
func (r *record) settle(v Values)                             { r.settled = append(r.settled, v.String()) }
func (r *record) show(d drawing) {
	if d.output.Data == nil {
		panic("shown without a picture")
	}
	if d.err != nil {
		r.shown = append(r.shown, "error: "+d.err.Error())
		return
	}
	r.shown = append(r.shown, d.figure.Title)
}

var sliders = []Control{Slider{Name: "n", Min: 0, Max: 1000}, Choice{Name: "how", Options: []string{"a", "b"}}}

func at(n int) Values {
	return Values{controls: initialValues(sliders).controls, at: []float64{float64(n), 1}}
}

// blank returns a small picture, which is quick to draw.
func blank(v Values) *Figure {
	return &Figure{Title: fmt.Sprint(v.Int("n")), Width: 40, Height: 40, body: func(draw.Canvas) {}}
}

// send puts values into a channel of one as a page does.
func send(moves chan Values, v Values) {
	select {
	case <-moves:
	default:
	}
	moves <- v
}

// TestExploration moves the slider at random times, while drawings take random times and
// some don't listen to their context. Whatever happens, two drawings never run at
// once, a drawing that was overtaken is called off and not shown, and the last state is
// drawn as soon as the drawing under way has ended.
func TestExploration(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		gaps := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 12).Draw(r, "milliseconds between movements")
		takes := rapid.SliceOfN(rapid.IntRange(0, 50), 13, 13).Draw(r, "milliseconds of drawings")
		deaf := rapid.SliceOfN(rapid.Bool(), 13, 13).Draw(r, "whether drawings ignore their context")
		synctest.Test(t, func(t *testing.T) {
			var running atomic.Int32
			var began []int
			draw := func(ctx context.Context, v Values) (Chart, error) {
				if running.Add(1) != 1 {
					r.Error("two drawings at once")
				}
				defer running.Add(-1)
				i := len(began)
				began = append(began, v.Int("n"))
				stop := ctx.Done()
				if deaf[i] {
					stop = nil
				}
				select {
				case <-stop:
					return nil, ctx.Err()
				case <-time.After(time.Duration(takes[i]) * time.Millisecond):
				}
				return blank(v), nil
			}
			out := &record{}
			moves := make(chan Values, 1)
			e := &exploration{draw: draw, moves: moves, out: out, values: at(0)}
			var lastMove time.Duration
			start := time.Now()
			go func() {
				for i, gap := range gaps {
					time.Sleep(time.Duration(gap) * time.Millisecond)
					send(moves, at(i+1))
					lastMove = time.Since(start)
				}
				close(moves)
			}()
			if err := e.run(context.Background()); err != nil {
				r.Errorf("error %v", err)
			}
			if took := time.Since(start) - lastMove; took > 101*time.Millisecond {
				r.Errorf("the last state was drawn %v after the last movement; want at most two drawings", took)
			}
			last := fmt.Sprint(len(gaps))
			if n := len(out.shown); n == 0 || out.shown[n-1] != last {
				r.Errorf("shown %q; the last movement was to %s", out.shown, last)
			}
			if !slices.IsSorted(began) || len(slices.Compact(slices.Clone(began))) != len(began) {
				r.Errorf("drawn were %v; want each state once at most, in order", began)
			}
			if want := []string{at(len(gaps)).String()}; !slices.Equal(out.settled, want) {
				r.Errorf("settled with %q; want %q", out.settled, want)
			}
		})
	})
}

// TestExplorationSkips: ten quick movements during one drawing cause one more.
func TestExplorationSkips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, moves := &record{}, make(chan Values, 1)
		var drawn []int
		e := &exploration{out: out, moves: moves, values: at(0), draw: func(ctx context.Context, v Values) (Chart, error) {
			drawn = append(drawn, v.Int("n"))
			time.Sleep(time.Second) // deaf
			return blank(v), nil
		}}
		go func() {
			for n := range 10 {
				time.Sleep(10 * time.Millisecond)
				send(moves, at(n+1))
			}
			close(moves)
		}()
		if err := e.run(t.Context()); err != nil {
			t.Error(err)
		}
		if !slices.Equal(drawn, []int{0, 10}) || len(out.shown) != 1 || out.busied != 2 {
			t.Errorf("drew %v, showed %q, was busy %d times; want 0 and 10 drawn, 10 shown, busy twice", drawn, out.shown,
				out.busied)
		}
	})
}

// TestExplorationStops: a stopped cell keeps the last chart and its values, says so before
// a drawing that doesn't listen has ended, and returns only after it has.
func TestExplorationStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, moves := &record{}, make(chan Values, 1)
		ctx, cancel := context.WithCancel(t.Context())
		ended := false
		e := &exploration{out: out, moves: moves, values: at(1), draw: func(ctx context.Context, v Values) (Chart, error) {
			if v.Int("n") == 2 {
				time.Sleep(time.Second)
				ended = true
			}
			return blank(v), nil
		}}
		go func() {
			time.Sleep(10 * time.Millisecond)
			send(moves, at(2))
			time.Sleep(10 * time.Millisecond)
			cancel()
			synctest.Wait()
			if !slices.Equal(out.settled, []string{"n = 1, how = b"}) {
				t.Errorf("settled with %q", out.settled)
			}
		}()
		if err := e.run(ctx); err != nil {
			t.Error(err)
		}
		if !ended || len(out.shown) != 1 {
			t.Errorf("shown %q; the drawing had ended: %v", out.shown, ended)
		}
	})
}

func TestExplorationErrors(t *testing.T) {
	closed := make(chan Values)
	close(closed)
	run := func(draw func(context.Context, Values) (Chart, error)) (out *record, err error) {
		out = &record{}
		return out, (&exploration{out: out, moves: closed, values: at(1), draw: draw}).run(t.Context())
	}
	wrong := errors.New("wrong <&>")
	out, err := run(func(context.Context, Values) (Chart, error) { return nil, wrong })
	if err != wrong || !slices.Equal(out.shown, []string{"error: wrong <&>"}) {
		t.Errorf("error %v, shown %q", err, out.shown)
	}
	d := drawing{err: wrong}
	d.render()
	contains(t, d.output.Data["text/html"].(string), `role="alert"`, ">wrong &lt;&amp;&gt;<")
	_, err = run(func(context.Context, Values) (Chart, error) { return nil, nil })
	readtest.WantError(t, err, "viz: ")
	wrongName := func() { run(func(_ context.Context, v Values) (Chart, error) { v.Int("m"); return nil, nil }) }
	readtest.WantPanic(t, "viz: ", wrongName, `there is no slider "m"`, "explore_test.go") // it says where
	if len(out.settled) == 0 {
		t.Error("not settled before the panic")
	}
}

// TestExploreAlone: where nobody listens one chart is drawn, with the values at the start.
func TestExploreAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	calls := 0
	err := Explore([]Control{Slider{Name: "n", Min: -1, Max: 1, Step: 0.25, Value: 0.75},
		Choice{Name: "how", Options: []string{"a", "b"}, Value: "b"}},
		func(ctx context.Context, v Values) (Chart, error) {
			calls++
			return Scatter{Title: fmt.Sprint(v.Number("n"), v.Choice("how"), v.Int("n")), Data: corners()}, nil
		})
	if err != nil || calls != 1 {
		t.Fatalf("%d drawings, error %v", calls, err)
	}
	if files, _ := filepath.Glob("*"); !slices.Equal(files, []string{"0-75b1.png"}) {
		t.Errorf("files %q", files)
	}
	err = Explore(nil, func(context.Context, Values) (Chart, error) { return nil, os.ErrNotExist })
	if err != os.ErrNotExist {
		t.Errorf("error %v", err)
	}
}

func TestExplorePanics(t *testing.T) {
	for _, c := range []struct {
		want     string
		controls []Control
	}{
		{`is named ""`, []Control{Slider{Max: 1}}},
		{`is named "a"`, []Control{Slider{Name: "a", Max: 1}, Choice{Name: "a", Options: []string{"x"}}}},
		{`slider "a" goes from 1 to 1`, []Control{Slider{Name: "a", Min: 1, Max: 1, Value: 1}}},
		{`in steps of -1`, []Control{Slider{Name: "a", Max: 1, Step: -1}}},
		{`in steps of 2`, []Control{Slider{Name: "a", Max: 1, Step: 2}}},
		{`from 0 to NaN`, []Control{Slider{Name: "a", Max: math.NaN()}}},
		{`from 0 to +Inf`, []Control{Slider{Name: "a", Max: math.Inf(1)}}},
		{`starts at 0, outside of 1 to 9`, []Control{Slider{Name: "a", Min: 1, Max: 9}}},
		{`choice "a" has no options`, []Control{Choice{Name: "a"}}},
		{`starts with "z"`, []Control{Choice{Name: "a", Options: []string{"x"}, Value: "z"}}},
	} {
		readtest.WantPanic(t, "viz: ", func() { Explore(c.controls, nil) }, c.want)
	}
}

// TestPageReceives: the newest message counts, in whatever order they arrive.
func TestPageReceives(t *testing.T) {
	p := &page{controls: at(1), moves: make(chan Values, 1)}
	for _, c := range []struct {
		message string
		want    string // what is in the channel then
	}{
		{`{"number": 10, "values": ["1", "1"]}`, ""}, // nothing has moved
		{`{"number": 12, "values": ["3", "1"]}`, "n = 3, how = b"},
		{`{"number": 11, "values": ["2", "1"]}`, ""}, // overtaken
		{`{"number": 13, "values": ["3", "1"]}`, ""},
		{`{"number": 15, "values": ["4", "0"]}`, "n = 4, how = a"},
		{`{"number": 16, "values": ["1001", "0"]}`, ""},
		{`{"number": 16, "values": ["NaN", "0"]}`, ""},
		{`{"number": 16, "values": ["5", "2"]}`, ""},
		{`{"number": 16, "values": ["5", "-1"]}`, ""},
		{`{"number": 16, "values": ["5"]}`, ""},
		{`5`, ""},
		{`{"number": 16, "values": ["5", "0"]}`, "n = 5, how = a"},
	} {
		p.receive(c.message)
		got := ""
		select {
		case v := <-p.moves:
			got = v.String()
		default:
		}
		if got != c.want {
			t.Errorf("%s: got %q; want %q", c.message, got, c.want)
		}
	}
	p.receive(`{"number": 20, "values": ["6", "0"]}`)
	p.receive(`{"number": 21, "values": ["7", "0"]}`)
	if v := <-p.moves; v.Int("n") != 7 {
		t.Errorf("got %v; want the newest", v)
	}
}

// TestControlsHTML: the controls are well formed, labelled and escaped.
func TestControlsHTML(t *testing.T) {
	p := &page{id: "explore-1", controls: initialValues([]Control{
		Slider{Name: "<trees>", Min: 0.1, Max: 2, Step: 0.1, Value: 0.3}, Choice{Name: "how", Options: []string{"a&b", "<i>"},
			Value: "<i>"}})}
	markup, _, _ := strings.Cut(p.html(), "<script>")
	markup = strings.ReplaceAll(strings.ReplaceAll(markup, " disabled>", " disabled=\"\"/>"), " selected>", ">")
	markup = strings.ReplaceAll(markup, `<select id="explore-1-1" disabled=""/>`, `<select id="explore-1-1">`)
	var ids []string
	for _, e := range elements(markup) {
		if e[""] == "input" || e[""] == "select" {
			ids = append(ids, e["id"])
		}
	}
	if !slices.Equal(ids, []string{"explore-1-0", "explore-1-1"}) {
		t.Errorf("controls %q", ids)
	}
	contains(t, markup, `<label for="explore-1-0">&lt;trees&gt;</label>`, `<label for="explore-1-1">how</label>`)
	contains(t, p.html(), `min="0.1" max="2" step="0.1" value="0.3"`, `<option value="1" selected>&lt;i&gt;</option>`,
		">0.3</output>")
}

// TestProgressInExplore: a progress bar in a drawing is the exploration's own.
func TestProgressInExplore(t *testing.T) {
	var lines []string
	ctx := context.WithValue(t.Context(), statusKey{},
		&status{id: "s", send: func(_, html string) { lines = append(lines, html) }})
	ctx, done := Progress(ctx, "<b>")
	forest.Progress(ctx)(1, 2)
	done()
	if len(lines) != 2 || !strings.Contains(lines[0], `<progress value="1" max="2"></progress> &lt;b&gt;`) ||
		!strings.Contains(lines[1], "&lt;b&gt;: 1 of 2 after") {
		t.Errorf("%q", lines)
	}
}

// A page that answers at the very moment when its time is up has answered; one that answers after
// that is not heard.
func TestAnswerInTheLastMoment(t *testing.T) {
	message := func(number int, n int) string { return fmt.Sprintf(`{"Number": %d, "Values": ["%d", "1"]}`, number, n) }
	newPage := func() *page { return &page{controls: at(0), moves: make(chan Values, 1)} }
	waiting, answered := context.WithCancel(t.Context())
	p := newPage()
	answered()
	p.giveUp(waiting)
	p.receive(message(1, 7))
	select {
	case v, open := <-p.moves:
		if !open || v.Int("n") != 7 {
			t.Errorf("moves has %v, open: %v; want n = 7", v, open)
		}
	default:
		t.Error("an answer in the last moment is not heard")
	}

	p = newPage()
	p.giveUp(t.Context())
	p.receive(message(1, 7))
	if v, open := <-p.moves; open {
		t.Errorf("moves has %v after the page was given up", v)
	}
}

// TestSliderStart: a slider starts at the step where Chromium puts it, and says its number in full.
func TestSliderStart(t *testing.T) {
	for _, test := range []struct {
		slider Slider
		want   string
	}{
		{Slider{Min: 1, Max: 200, Step: 5, Value: 20}, "21"},
		{Slider{Max: 1, Step: 0.3, Value: 0.5}, "0.6"},
		{Slider{Max: 1, Step: 0.3, Value: 1}, "0.9"},
		{Slider{Min: -1, Max: 1, Step: 0.25, Value: 0.3}, "0.25"},
		{Slider{Max: 10, Step: 4, Value: 2}, "4"},
		{Slider{Min: 1, Max: 1e8, Value: 20240101}, "20240101"},
		{Slider{Min: 0.1, Max: 2, Step: 0.1, Value: 0.3}, "0.3"},
	} {
		test.slider.Name = "n"
		v := initialValues([]Control{test.slider})
		if v.String() != "n = "+test.want {
			t.Errorf("%+v starts at %v; want %s", test.slider, v, test.want)
		}
		contains(t, (&page{controls: v}).html(), ">"+test.want+"</output>", `value="`+fmt.Sprint(v.Number("n"))+`"`)
	}
}
