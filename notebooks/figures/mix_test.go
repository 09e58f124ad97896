package figures

import (
	"context"
	"hash/crc32"
	"math"
	"os"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/public"
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
		d, err := public.Load(context.Background(), "fd_"+set)
		if err != nil {
			t.Fatal(err)
		}
		if d.N() < 100 || d.N()*d.P() > 80000 {
			t.Errorf("%s has %d rows and %d features", set, d.N(), d.P())
		}
	}
}

// By hand: on set a, A has the errors 0.1 and 0.3, B 0.4 and 0.2, C 0.2 and 0.2, so the means are
// 0.2, 0.3 and 0.2; on set b they are 0.5, 0.1 and 0.2. A fold of set c is missing.
func TestStandings(t *testing.T) {
	var records []Record
	add := func(set, method string, fold int, score float64) {
		records = append(records, Record{Run: Run{Problem: set, Method: method, Repeat: fold},
			Result: Result{Score: score, More: map[string]float64{"processor": 2, "predict": 0.5}}})
	}
	for method, scores := range map[string][5]float64{"A": {0.1, 0.3, 0.6, 0.4, 0.9}, "B": {0.4, 0.2, 0.1, 0.1, 0.1}, "C": {0.2, 0.2, 0.1, 0.3, 0.3}} {
		add("a", method, 1, scores[0])
		add("a", method, 2, scores[1])
		add("b", method, 1, scores[2])
		add("b", method, 2, scores[3])
		add("c", method, 1, scores[4])
		if method != "B" {
			add("c", method, 2, scores[4])
		}
	}
	standings, sets := Standings(records)
	if sets != 2 || len(standings) != 3 {
		t.Fatalf("%d sets, standings %+v", sets, standings)
	}
	want := map[string]Standing{
		"A": {Error: 0.35, Rank: 2.25, Regret: 0.4, On: "b"},
		"B": {Error: 0.2, Rank: 2, Regret: 0.1, On: "a"},
		"C": {Error: 0.2, Rank: 1.75, Regret: 0.1, On: "b"},
	}
	for _, s := range standings {
		w := want[s.Method]
		if math.Abs(s.Error-w.Error) > 1e-12 || s.Rank != w.Rank || math.Abs(s.Regret-w.Regret) > 1e-12 || s.On != w.On || s.Train != 8 || s.Predict != 2 {
			t.Errorf("%+v, want %+v", s, w)
		}
	}
}

// Every method has an error below that of coin tosses on a set of two classes.
func TestMixRuns(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("needs OBLIQUA_DATA")
	}
	for i, run := range Mix(false).Runs[:25] {
		if i%5 > 0 { // the first fold of each method
			continue
		}
		r, err := run.Do(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !(r.Score >= 0 && r.Score < 0.5) || r.Seconds != r.More["processor"] {
			t.Errorf("%v: %+v", run, r)
		}
	}
}
