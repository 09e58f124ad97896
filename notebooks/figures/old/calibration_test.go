package old

import (
	"hash/crc32"
	"math"
	"testing"
)

// No setting was chosen on the sets of values; those of classes are Mix's.
func TestCoverageSets(t *testing.T) {
	for _, set := range coverageSets {
		if crc32.ChecksumIEEE([]byte("fd_"+set))%2 == 0 {
			t.Errorf("%s has an even CRC-32", set)
		}
	}
}

// By hand: four rows are sure by 0.9, 0.9, 0.6 and 0.6 and right, right, right and wrong. With two
// values, of ten bins at quantiles two have rows: |0.9 − 1| and |0.6 − ½|, two rows each.
func TestAddReliability(t *testing.T) {
	more := map[string]float64{}
	proba := [][]float64{{0.9, 0.1}, {0.1, 0.9}, {0.6, 0.4}, {0.4, 0.6}}
	addReliability(more, proba, []int32{0, 1, 0, 0}, ".raw")
	for name, want := range map[string]float64{
		"ece.raw": 0.1, "error.raw": 0.25, "brier.raw": (0.02 + 0.02 + 0.32 + 0.72) / 4,
		"logloss.raw": -(2*math.Log(0.9) + math.Log(0.6) + math.Log(0.4)) / 4,
		"rows.9.raw":  2, "sure.9.raw": 1.8, "right.9.raw": 2, "rows.6.raw": 2, "sure.6.raw": 1.2, "right.6.raw": 1,
	} {
		if got := more[name]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v; want %v", name, got, want)
		}
	}
	if _, there := more["rows.5.raw"]; there || len(more) != 11 {
		t.Errorf("measures %v", more)
	}
}

// One row of probability ½ is off by ½ whatever happens. Of two rows of probability ½ that share a bin, half of all
// outcomes are one of each, which is off by 0, and the others by ½.
func TestCalibrationByChance(t *testing.T) {
	if got := calibrationByChance([][]float64{{0.5, 0.5}}); got != 0.5 {
		t.Errorf("%v; want 0.5", got)
	}
	if got := calibrationByChance([][]float64{{0.5, 0.5}, {0.5, 0.5}}); math.Abs(got-0.25) > 0.1 {
		t.Errorf("%v; want about 0.25", got)
	}
}

func TestAddInterval(t *testing.T) {
	more := map[string]float64{}
	addInterval(more, "80", 1, 1, 3, 4, 2)
	addInterval(more, "80", 1, 3, 3, 4, 2)
	addInterval(more, "80", 1, 3.5, 5, 4, 2)
	addInterval(more, "80", 1, 0.5, 5, 4, 2)
	if more["cover.80"] != 0.75 || more["width.80"] != (2+2+4+4)/2.0/4 {
		t.Errorf("%v; want 3 of 4 rows, and a mean width of 1.5", more)
	}
}
