package sim

import (
	"math"
	"slices"
	"testing"
)

// The variance of a feature is 1 between groups, and a twenty-fifth within.
func TestRandomInterceptsGroups(t *testing.T) {
	const groups = 20_000
	d := RandomIntercepts{Features: 1, Size: 4}.Sample(4*groups-1, 1)
	if n := len(d.Groups); d.Groups[3] != 0 || d.Groups[4] != 1 || d.Groups[n-1] != groups-1 ||
		!slices.IsSorted(d.Groups) {
		t.Fatalf("groups %v …", d.Groups[:9])
	}
	var within, between float64
	for g := range groups - 1 {
		rows := d.Columns[0][4*g : 4*g+4]
		mean := float64(rows[0]+rows[1]+rows[2]+rows[3]) / 4
		between += mean * mean / groups
		for _, v := range rows {
			within += (float64(v) - mean) * (float64(v) - mean) / (3 * groups)
		}
	}
	// The variances of these estimates are 2·0.04²/3 and 2·1.01² over the number of groups.
	if math.Abs(within-0.04) > 5*0.04*math.Sqrt(2./3/groups) || math.Abs(between-1.01) > 5*1.01*math.Sqrt(2./groups) {
		t.Errorf("variances of %v within groups and %v of their means; want 0.04 and 1.01", within, between)
	}
}
