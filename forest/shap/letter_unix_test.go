//go:build unix

package shap

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// BenchmarkLetter explains 10,000 rows of letter by 100 trees grown on the other 10,000, if OBLIQUA_DATA is set. It
// reports the processor's seconds, which other programs change less than the time that passes.
func BenchmarkLetter(b *testing.B) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		b.Skip("OBLIQUA_DATA isn't set")
	}
	d := must.Value(public.Load(b.Context(), "letter"))
	var train, rest []int32
	for i := range int32(20000) {
		if i%2 == 0 {
			train = append(train, i)
		} else {
			rest = append(rest, i)
		}
	}
	for _, l := range []forest.Learner{
		rf.Learner{Trees: 100},
		rf.Learner{Trees: 100, Growth: forest.Growth{MaxDepth: 8}},
		sporf.Learner{Trees: 100},
	} {
		f := must.Value(l.Fit(b.Context(), d.Subset(train)))
		b.Run(f.Method, func(b *testing.B) {
			e := must.Value(New(f, d.Subset(train)))
			before := processor()
			for b.Loop() {
				must.Value(e.Values(b.Context(), d.Subset(rest)))
			}
			b.ReportMetric((processor()-before).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// processor returns the processor's time of this process.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
}
