package main

import "testing"

func TestMedian(t *testing.T) {
	for i, test := range []struct {
		v    []float64
		want float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(test.v); got != test.want {
			t.Errorf("case %d: got %v, want %v", i, got, test.want)
		}
	}
}

func TestTreeCount(t *testing.T) {
	for i, test := range []struct {
		wanted                int
		secondsPerTree, limit float64
		want                  int
	}{
		{100, 6, 600, 100},
		{100, 6.1, 600, 50},
		{100, 40, 600, 10},
		{100, 1000, 600, 1},
		{30, 25, 600, 20},
		{30, 20, 600, 30},
		{2, 301, 600, 1},
	} {
		if got := treeCount(test.wanted, test.secondsPerTree, test.limit); got != test.want {
			t.Errorf("case %d: got %d, want %d", i, got, test.want)
		}
	}
}

func TestDue(t *testing.T) {
	runs := func(seconds ...float64) (done []record) {
		for k, s := range seconds {
			done = append(done, record{Round: k + 1, Fit: s * 0.75, Predict: s * 0.25})
		}
		return done
	}
	for i, test := range []struct {
		done   []record
		rounds int
		want   bool
	}{
		{nil, 5, true},
		{runs(1, 1), 5, true},
		{runs(1, 1), 2, false},
		{runs(100), 5, false},    // another would end at 200
		{runs(20), 5, true},      // 40
		{runs(20, 20), 5, false}, // 60
	} {
		x := racer{done: test.done}
		if got := x.due(test.rounds, 40); got != test.want {
			t.Errorf("case %d: got %v, want %v", i, got, test.want)
		}
	}
}
