package datasets

import (
	"runtime"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// A panickingWorker panics at a block.
type panickingWorker struct{ parseAt, mergeAt int }

func (w panickingWorker) parse(b block) error {
	if b.line-1 == w.parseAt {
		panic("parse")
	}
	return nil
}

func (w panickingWorker) merge(b block) error {
	if b.line-1 == w.mergeAt {
		panic("merge")
	}
	return nil
}

// A panic of a worker reaches the caller, and leaves no other worker waiting.
func TestBlocksPanic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for want, w := range map[string]panickingWorker{"parse": {5, -1}, "merge": {-1, 5}} {
		r := must.Value(newBlockReader(t.Context(), strings.NewReader(strings.Repeat("line\n", 100)), Limits{}, 5,
			wholeLines))
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v; want %s", got, want)
				}
			}()
			r.each(maxBlocks, func() blockWorker { return w })
		}()
	}
}
