package figures

import (
	"context"
	"hash/crc32"
	"os"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// No setting was chosen on the sets of the comparison, and they are as small as it says.
func TestMixSets(t *testing.T) {
	for _, set := range mixSets {
		if crc32.ChecksumIEEE([]byte("fd_"+set))%2 == 0 {
			t.Errorf("%s has an even CRC-32", set)
		}
	}
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	for _, set := range mixSets {
		d := must.Value(public.Load(context.Background(), "fd_"+set))
		if d.N() < 100 || d.N()*d.P() > 80000 {
			t.Errorf("%s has %d rows and %d features", set, d.N(), d.P())
		}
	}
}

// Every method has an error below that of coin tosses on a set of two classes.
func TestMixRuns(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	for i, run := range mixByDefaults(fast)[:25] {
		if i%5 > 0 { // the first fold of each method
			continue
		}
		r := must.Value(run.Do(context.Background(), run))
		if !(r.Score >= 0 && r.Score < 0.5) || r.Seconds != r.More["processor"] {
			t.Errorf("%v: %+v", run, r)
		}
	}
}
