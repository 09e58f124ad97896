package figures

import (
	"fmt"
	"maps"
	"math"
	"strconv"
)

// ReadTable reads a published table of numbers from a CSV file, whose first column has
// data sets and whose first line names the others: its cells by set and column.
func ReadTable(path string) (map[string]map[string]float64, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	cells := map[string]map[string]float64{}
	for i, line := range lines[min(1, len(lines)):] {
		row := map[string]float64{}
		for j, name := range lines[0][1:] {
			if row[name], err = strconv.ParseFloat(line[j+1], 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %s: %w", path, i+2, name, err)
			}
		}
		cells[line[0]] = row
	}
	return cells, nil
}

// A Verdict says how a method did against another one on a data set.
type Verdict struct {
	Gain       float64 // mean accuracy minus the other's
	SignedRank int     // by the signed-rank test at 0.05: 1 better, −1 worse, 0 neither
	Resampled  int     // the same by the corrected resampled t-test
}

// A Pair names two methods.
type Pair [2]string

// Verdicts returns what the records of [HRFTable5] and [HRFTable6] say of each ordered pair
// of methods on each set that both have.
func Verdicts(table5, table6 []Mean) map[string]map[Pair]Verdict {
	verdicts := map[string]map[Pair]Verdict{}
	others := map[string]Mean{}
	for _, m := range table6 {
		others[m.Problem] = m
	}
	for _, m := range table5 {
		other, ok := others[m.Problem]
		if !ok {
			continue
		}
		set := map[Pair]Verdict{}
		verdicts[m.Problem] = set
		for _, name := range []string{"rf", "bagging", "et"} {
			set[Pair{"hrf", name}] = verdict(m.More, name)
		}
		for _, pair := range []Pair{{"rf", "bagging"}, {"rf", "et"}, {"bagging", "et"}} {
			set[pair] = verdict(other.More, pair[0]+"-"+pair[1])
		}
		for pair, v := range maps.Clone(set) {
			set[Pair{pair[1], pair[0]}] = Verdict{-v.Gain, -v.SignedRank, -v.Resampled}
		}
	}
	return verdicts
}

// verdict reads what tests wrote.
func verdict(more map[string]float64, name string) Verdict {
	const level = 0.05
	v := Verdict{Gain: 0 - more["diff."+name]}
	switch {
	case more["better-p."+name] < level:
		v.SignedRank = 1
	case more["worse-p."+name] < level:
		v.SignedRank = -1
	}
	if more["t-p."+name] < level {
		v.Resampled = int(math.Copysign(1, v.Gain))
	}
	return v
}

// Wins counts as table 6 does: the element [i][j] has the number of sets on which method j
// is more accurate than method i, where equal accuracies count ½, and on which it is
// significantly so.
func Wins(verdicts map[string]map[Pair]Verdict, methods []string, significant func(Verdict) bool) [][][2]float64 {
	wins := make([][][2]float64, len(methods))
	for i, loser := range methods {
		wins[i] = make([][2]float64, len(methods))
		for j, winner := range methods {
			for _, set := range verdicts {
				v := set[Pair{winner, loser}]
				switch {
				case i == j:
				case math.Abs(v.Gain) < 1e-9: // differs from 0 by rounding
					wins[i][j][0] += 0.5
				case v.Gain > 0:
					wins[i][j][0]++
				}
				if significant(v) {
					wins[i][j][1]++
				}
			}
		}
	}
	return wins
}
