package sim

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// TestRandomRBFLikeWeka compares the distribution of statistics over samples
// with that over Weka's (3.6.14), which testdata/weka_randomrbf.py computes, by
// Kolmogorov and Smirnov's test of two samples. The level is 1 % for all
// statistics and settings together, by Bonferroni's correction and Smirnov's
// limit distribution.
func TestRandomRBFLikeWeka(t *testing.T) {
	file := must.Value(os.Open("../testdata/weka_randomrbf.csv"))
	defer file.Close()
	records := must.Value(csv.NewReader(file).ReadAll())
	names := records[0][3:]
	weka := map[RandomRBF][][]float64{} // a column for each statistic
	for _, record := range records[1:] {
		var numbers []float64
		for _, cell := range record {
			v := must.Value(strconv.ParseFloat(cell, 64))
			numbers = append(numbers, v)
		}
		setting := RandomRBF{Features: 10, Classes: int(numbers[0]), Centroids: int(numbers[1])}
		weka[setting] = appendRow(weka[setting], numbers[3:])
	}
	level := 0.01 / float64(len(weka)*len(names))
	for setting, theirs := range weka {
		t.Run(fmt.Sprintf("%+v", setting), func(t *testing.T) {
			t.Parallel()
			n := len(theirs[0])
			var ours [][]float64
			for seed := range uint64(n) {
				ours = appendRow(ours, statistics(setting.Sample(10000, seed)))
			}
			limit := math.Sqrt(-math.Log(level/2) / float64(n))
			for k, of := range names {
				slices.Sort(ours[k])
				slices.Sort(theirs[k])
				if d := stat.KolmogorovSmirnov(ours[k], nil, theirs[k], nil); d > limit {
					t.Errorf("%s: D = %.2f > %.2f, medians %.4g and Weka's %.4g", of, d, limit, ours[k][n/2], theirs[k][n/2])
				}
			}
		})
	}
}

func appendRow(columns [][]float64, row []float64) [][]float64 {
	if columns == nil {
		columns = make([][]float64, len(row))
	}
	for k, v := range row {
		columns[k] = append(columns[k], v)
	}
	return columns
}

// statistics returns those of testdata/weka_randomrbf.py, in its order.
func statistics(d *datasets.Dataset) []float64 {
	n, p := d.N(), d.P()
	var sharesSquared, mean, variance float64
	counts := d.ClassCounts()
	for _, count := range counts {
		sharesSquared += math.Pow(float64(count)/float64(n), 2)
	}
	means := make([][]float64, len(counts)) // of the features in a class
	for c := range means {
		means[c] = make([]float64, p)
	}
	column := make([]float64, n)
	for j := range p {
		for i, v := range d.Columns[j] {
			column[i] = float64(v)
			means[d.Labels[i]][j] += float64(v) / float64(counts[d.Labels[i]])
		}
		m, v := stat.PopMeanVariance(column, nil)
		mean += m / float64(p)
		variance += v / float64(p)
	}

	var stdevs, lengths, fourths []float64
	squares := make([][]float64, len(counts)) // of the rows' lengths
	for i := range n {
		y := d.Labels[i]
		if counts[y] < 10 {
			continue
		}
		var square, fourth float64
		for j := range p {
			u := float64(d.Columns[j][i]) - means[y][j]
			square += u * u
			fourth += u * u * u * u
		}
		squares[y] = append(squares[y], square)
		fourths = append(fourths, fourth/(square*square))
	}
	for _, s := range squares {
		if s == nil {
			continue
		}
		stdev := math.Sqrt(stat.Mean(s, nil))
		stdevs = append(stdevs, stdev)
		for _, square := range s {
			lengths = append(lengths, math.Sqrt(square)/stdev)
		}
	}

	distances, wrong := nearestRows(d, 1000)
	slices.Sort(distances)
	return []float64{
		sharesSquared, mean, variance,
		stat.Mean(stdevs, nil), stat.PopStdDev(stdevs, nil),
		stat.Mean(lengths, nil), stat.Mean(fourths, nil),
		(distances[499] + distances[500]) / 2, wrong,
	}
}

// nearestRows returns the distances of the first n rows to the nearest others
// of them, and how often that one is of another class.
func nearestRows(d *datasets.Dataset, n int) (distances []float64, wrong float64) {
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = d.Row(nil, i)
	}
	for i, a := range rows {
		least, nearest := float32(math.Inf(1)), 0
		for k, b := range rows {
			if k == i {
				continue
			}
			var square float32
			for j := 0; j < len(a) && square < least; j++ {
				square += (a[j] - b[j]) * (a[j] - b[j])
			}
			if square < least {
				least, nearest = square, k
			}
		}
		distances = append(distances, math.Sqrt(float64(least)))
		if d.Labels[nearest] != d.Labels[i] {
			wrong += 1 / float64(n)
		}
	}
	return distances, wrong
}
