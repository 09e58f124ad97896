package viz

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// TestBar: 1,000 reports in one second.
func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var drawn, left []string
		b := newBar("growing")
		b.draw = func(_, _ int, line string) { drawn = append(drawn, line) }
		b.leave = func(line string) { left = append(left, line) }
		for i := range 1000 {
			b.report(i+1, 2000, fmt.Sprintf("%d of 2000", i+1))
			time.Sleep(time.Millisecond)
		}
		if len(drawn) != 10 {
			t.Errorf("drawn %d times in a second; want 10", len(drawn))
		}
		if drawn[0] != "growing: 1 of 2000, 0s" || drawn[9] != "growing: 901 of 2000, 900ms" {
			t.Errorf("first %q, last %q", drawn[0], drawn[9])
		}
		b.finish(true)
		b.report(2000, 2000, "2000 of 2000")
		b.finish(false)
		if want := "growing: 1000 of 2000 after 1s, interrupted|growing: 1s"; strings.Join(left, "|") != want {
			t.Errorf("left %q; want %q", left, want)
		}
	})
}

// TestInterrupt: an interrupt cancels the context of a learner.
func TestInterrupt(t *testing.T) {
	ctx, done := Progress(context.Background(), "test")
	defer done()
	forest.Progress(ctx)(1, 2)
	must.Do(syscall.Kill(os.Getpid(), syscall.SIGINT))
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("the context isn't cancelled")
	}
	done()
}
