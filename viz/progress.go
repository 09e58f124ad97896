package viz

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/obliqua-ml/obliqua/internal/notebook"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/internal/progress"
)

// Progress returns a context in which learners and downloads of public data sets show
// their progress: as a bar in a notebook, as a line that is overwritten in a
// terminal, and not at all elsewhere. It is redrawn at most ten times a second. The
// context is cancelled when the kernel is interrupted or Control-C is pressed, so
// Fit returns the context's error; the kernel kills a cell that is still running
// five seconds later.
//
// Call done when the work is over. If progress was reported, it leaves one line with the
// time taken, on standard error outside a notebook. It frees the context's resources. A
// second call does nothing. In a context of [Explore] the bar is shown below the controls.
//
//	ctx, done := viz.Progress(context.Background(), "growing the forest")
//	model, err := sporf.Learner{}.Fit(ctx, train)
//	done()
func Progress(ctx context.Context, label string) (_ context.Context, done func()) {
	b := newBar(label)
	if s, ok := ctx.Value(statusKey{}).(*status); ok {
		b.draw = func(done, total int, line string) { s.update(barHTML(done, total, line)) }
		b.leave = func(line string) { s.update(html.EscapeString(line)) }
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	ctx = progress.With(ctx, func(done, total int, state string) {
		b.report(done, total, cmp.Or(state, fmt.Sprintf("%d of %d", done, total)))
	})
	return ctx, sync.OnceFunc(func() {
		cancelled := ctx.Err() != nil
		stop()
		b.finish(cancelled)
	})
}

// redrawInterval is the least time between two drawings of a bar.
const redrawInterval = 100 * time.Millisecond

// A bar shows the progress of a piece of work.
type bar struct {
	label string
	draw  func(done, total int, line string)
	leave func(line string) // replaces the bar by its last line
	start time.Time

	mu          sync.Mutex
	last        time.Time // when it was last drawn
	done, total int
	state       string // such as "3 of 500", trees or passes
}

func newBar(label string) *bar {
	b := &bar{label: label, start: time.Now()}
	switch {
	case notebook.Present():
		id := "viz-progress-" + notebook.UniqueID()
		b.draw = func(done, total int, line string) { notebook.SendHTML(id, barHTML(done, total, line)) }
		b.leave = func(line string) {
			notebook.SendHTML(id, "<span>"+html.EscapeString(line)+"</span>")
			awaitKernel()
		}
	case isTerminal(os.Stderr):
		b.draw = func(_, _ int, line string) { fmt.Fprintf(os.Stderr, "\r%s\x1b[K", plain.Text(line)) }
		b.leave = func(line string) { fmt.Fprintf(os.Stderr, "\r%s\x1b[K\n", plain.Text(line)) }
	default:
		b.draw = func(int, int, string) {}
		b.leave = func(line string) { fmt.Fprintln(os.Stderr, plain.Text(line)) }
	}
	return b
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// report records that done of total is done, and redraws the bar if it is due. state
// says the same in words.
func (b *bar) report(done, total int, state string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.total, b.state = done, total, state
	if now := time.Now(); now.Sub(b.last) >= redrawInterval {
		b.last = now
		b.draw(done, total, fmt.Sprintf("%s: %s, %s", b.label, state, seconds(now.Sub(b.start))))
	}
}

func (b *bar) finish(cancelled bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last.IsZero() {
		return
	}
	line := b.label + ": "
	if b.done < b.total {
		line += b.state + " after "
	}
	line += seconds(time.Since(b.start))
	if cancelled {
		line += ", interrupted"
	}
	b.leave(line)
}

func barHTML(done, total int, line string) string {
	return fmt.Sprintf(`<progress value="%d" max="%d"></progress> %s`, done, total, html.EscapeString(line))
}

// seconds formats a duration, rounded to 1 ms, 0.1 s or 1 s by its size.
func seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
