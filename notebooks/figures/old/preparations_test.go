package old

import (
	"context"
	"hash/crc32"
	"os"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
)

func TestRawSets(t *testing.T) {
	for _, set := range rawSets {
		if even := crc32.ChecksumIEEE([]byte(set))%2 == 0; even != (set == "credit-approval" || set == "horse-colic") {
			t.Errorf("%s has an even CRC-32: %v", set, even)
		}
	}
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	for i, set := range rawSets {
		d := must.Value(public.Load(context.Background(), set))
		if (d.Values != nil) != (i >= len(rawSets)-3) {
			t.Errorf("%s has values: %v", set, d.Values != nil)
		}
	}
}

// Guessing the larger class has errors of 0.44 and 0.36 on the two sets of the fast setting, and the
// training mean has a loss of 1 by definition.
func TestPreparations(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	most := map[string]float64{"credit-approval": 0.25, "horse-colic": 0.33, "auto_mpg": 0.3}
	runs := preparations(fast)
	for _, run := range preparations(full) {
		if run.Problem == "auto_mpg" && run.Method == "RF + Prepare" {
			runs = append(runs, run)
		}
	}
	done := 0
	for _, run := range runs {
		if run.Repeat > 1 {
			continue
		}
		r := must.Value(run.Do(context.Background(), run))
		done++
		if !(r.Score > 0 && r.Score < most[run.Problem]) || r.Seconds != r.More["processor"] {
			t.Errorf("%v: %+v", run, r)
		}
	}
	if done != 17 {
		t.Errorf("%d runs; want two sets with eight methods, and one", done)
	}
}
