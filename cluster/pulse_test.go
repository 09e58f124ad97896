package cluster

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// A worker leaves soon after its engine has stopped reading, but not if the engine stands still
// and reads messages neither.
func TestPulse(t *testing.T) {
	for _, c := range []struct {
		name     string
		stops    bool // the engine reads for a minute, then no more
		messages bool // it reads messages all the time, otherwise for a minute
		want     time.Duration
	}{
		{"stops", true, true, time.Minute + 5*time.Second},
		{"stands still", true, false, 0},
		{"reads", false, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				in, out := io.Pipe()
				says, messages := io.Pipe()
				var left atomic.Int64 // ns
				newPulse(out, messages, func() { left.Store(int64(time.Since(began))) })
				read := func(r io.Reader, always bool) {
					b := make([]byte, pipeBytes)
					for always || time.Since(began) < time.Minute {
						if _, err := r.Read(b); err != nil {
							return
						}
					}
				}
				go read(in, !c.stops)
				go read(says, c.messages)
				time.Sleep(10 * time.Minute)
				if after := time.Duration(left.Load()); after > c.want || c.want > 0 && after < time.Minute {
					t.Errorf("the worker left after %v, want at most %v, and 0 for never", after, c.want)
				}
				in.Close()
				says.Close()
				time.Sleep(time.Second)
				if left.Load() == 0 {
					t.Error("a worker whose pipes are closed goes on")
				}
			})
		})
	}
}

// The pulse's lines don't get between an answer's bytes.
func TestPulseKeepsLinesWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		p := newPulse(out, io.Discard, func() {})
		answer := strings.Repeat("x", 3*beatBytes) + "\n"
		go func() {
			for range 8 {
				if _, err := io.WriteString(p, answer); err != nil {
					t.Error(err)
				}
				time.Sleep(beat / 2)
			}
			out.Close()
		}()
		all := must.Value(io.ReadAll(in))
		answers, beats := 0, 0
		for line := range strings.Lines(string(all)) {
			switch {
			case line == answer:
				answers++
			case line[0] == '-' && strings.TrimSpace(line) == "-":
				beats++
			default:
				t.Fatalf("a line of %d bytes that begins with %.20q", len(line), line)
			}
		}
		if answers != 8 || beats < 3 {
			t.Errorf("%d answers and %d beats", answers, beats)
		}
		time.Sleep(time.Second) // the pulse ends when it next writes
	})
}
