package old

import (
	"context"
	"hash/crc32"
	"os"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// No setting was chosen on the sets of the comparisons, and they are of the sizes that these say.
func TestSetsOfOddNames(t *testing.T) {
	for _, c := range []struct {
		sets              []string
		rows, above, most int // at least so many rows, and cells above and at most
	}{{mixSets, 100, 0, 80_000}, {autoLargeSets, 0, 80_000, 500_000}} {
		for _, set := range c.sets {
			if crc32.ChecksumIEEE([]byte("fd_"+set))%2 == 0 {
				t.Errorf("%s has an even CRC-32", set)
			}
			if os.Getenv("OBLIQUA_DATA") == "" {
				continue
			}
			d := must.Value(public.Load(context.Background(), "fd_"+set))
			if cells := d.N() * d.P(); d.N() < c.rows || cells <= c.above || cells > c.most {
				t.Errorf("%s has %d rows and %d features", set, d.N(), d.P())
			}
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
