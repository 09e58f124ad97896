package boost

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/sim"
)

// once boosts all rows by a single round whose leaves have the mean of their rows.
func once(depth, minLeaf int, sums float64) Learner {
	return Learner{Rounds: 1, Rate: 1, Depth: depth, MinLeaf: minLeaf, Folds: 1, Penalty: -1, Fraction: 1, Sums: sums}
}

// valued returns Gaussian features and values that depend on two of them.
func valued(n, p int, seed uint64) *datasets.Dataset {
	d := sim.Trunk{Features: p}.Sample(n, seed)
	d.Labels, d.Classes = nil, nil
	for i := range n {
		x, y := float64(d.Columns[0][i]), float64(d.Columns[1][i])
		d.Values = append(d.Values, math.Sin(2*x-y)+x*x/4)
	}
	return d
}

func squaredErrors(f *forest.Forest, d *datasets.Dataset) (sum float64) {
	for i, v := range predicted(f, d) {
		sum += (v - d.Values[i]) * (v - d.Values[i])
	}
	return sum
}

// cutErrors returns the sum of squared errors of the means of two sides, or of one mean if a side has too few rows.
func cutErrors(values []float64, minLeaf int, onLeft func(i int) bool) float64 {
	errors := func(rows []int) (sum float64) {
		mean := 0.0
		for _, i := range rows {
			mean += values[i] / float64(len(rows))
		}
		for _, i := range rows {
			sum += (values[i] - mean) * (values[i] - mean)
		}
		return sum
	}
	var left, right []int
	for i := range values {
		if onLeft(i) {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	if min(len(left), len(right)) < minLeaf {
		return errors(append(left, right...))
	}
	return errors(left) + errors(right)
}

// bestCut returns the least sum of squared errors of two means, over all thresholds of some columns, with missing cells
// on either side, and missing cells against the others.
func bestCut(columns [][]float32, values []float64, minLeaf int) float64 {
	least := math.Inf(1)
	for _, column := range columns {
		for _, t := range append(slices.Clone(column), math.MaxFloat32) {
			for _, side := range []bool{false, true} {
				left := func(i int) bool { return column[i] <= t || side && missing(column[i]) }
				least = min(least, cutErrors(values, minLeaf, left))
			}
		}
	}
	return least
}

// raw returns a copy of a table whose first three columns lack cells. The first and the third have categories, and
// cells of the second are missing where the target is small.
func raw(d *datasets.Dataset, categories int) *datasets.Dataset {
	r := *d
	r.Features, r.Columns = slices.Clone(d.Features), slices.Clone(d.Columns)
	rng := forest.NewRand(9)
	for j := range 3 {
		for c := 0; j != 1 && c < categories; c++ {
			r.Features[j].Categories = append(r.Features[j].Categories, string(rune('a'+c)))
		}
		r.Columns[j] = slices.Clone(d.Columns[j])
		for i, v := range r.Columns[j] {
			informative := d.Values != nil && d.Values[i] < 1 || d.Values == nil && d.Labels[i] == 0
			switch {
			case rng.Intn(9) == 0 || j == 1 && informative && rng.Intn(2) == 0:
				r.Columns[j][i] = float32(math.NaN())
			case j != 1:
				u := 1 / (1 + math.Exp(-float64(v))*(0.5+rng.Float64()))
				r.Columns[j][i] = float32(int(math.Sqrt(u) * float64(categories) * 0.999))
			}
		}
	}
	return &r
}

// The cut of a stump is the best of all thresholds: of single features with few values, and in tables of at most
// maxBins rows of all features and sums.
func TestBestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, levels, sums := rapid.IntRange(2, maxBins).Draw(t, "rows"), 1000, 30.0
		if rapid.Bool().Draw(t, "large") {
			n, levels, sums = rapid.IntRange(maxBins+1, 2*maxBins).Draw(t, "rows"), 16, -1
		}
		d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}, {Name: "y"}}, Target: "z"}
		rng := forest.NewRand(rapid.Uint64().Draw(t, "seed"))
		for range 2 {
			column := make([]float32, n)
			for i := range column {
				column[i] = float32(rng.Intn(levels))
			}
			d.Columns = append(d.Columns, column)
		}
		columns := slices.Clone(d.Columns)
		if sums > 0 { // 60 draws of four sums: a miss is less likely than 1 in 10⁷
			plus, minus := make([]float32, n), make([]float32, n)
			for i, x := range d.Columns[0] {
				plus[i], minus[i] = x+d.Columns[1][i], x-d.Columns[1][i]
			}
			columns = append(columns, plus, minus)
		}
		for i := range n {
			d.Values = append(d.Values, float64(d.Columns[0][i]-d.Columns[1][i])+float64(rng.Intn(10)))
		}
		minLeaf := rapid.IntRange(1, 9).Draw(t, "least rows of a leaf")
		f := fitted(once(1, minLeaf, sums), d)
		want := bestCut(columns, d.Values, minLeaf)
		if got := squaredErrors(f, d); math.Abs(got-want) > 1e-5*(1+want) {
			t.Fatalf("squared errors of %v, want %v", got, want)
		}
	})
}

// The cut of a stump is the best of all sets of categories, and of all thresholds with missing cells on either side.
func TestBestCutOfRawTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := forest.NewRand(rapid.Uint64().Draw(t, "seed"))
		n, categories := rapid.IntRange(2, 80).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "categories")
		minLeaf := rapid.IntRange(1, 3).Draw(t, "least rows of a leaf")
		effects := [3]int{rng.Intn(6), rng.Intn(6), rng.Intn(6)} // of missing cells, of values and of categories
		d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}, {Name: "y"}}, Columns: make([][]float32, 2)}
		for i := range n {
			x, c := float32(rng.Intn(9)), float32(rng.Intn(categories))
			d.Values = append(d.Values, float64(rng.Intn(10)+effects[1]*int(x)+effects[2]*(int(c)*7%5)))
			if rng.Intn(4) == 0 {
				x = float32(math.NaN())
				d.Values[i] += float64(8 * effects[0])
			}
			if rng.Intn(6) == 0 {
				c = float32(math.NaN())
			}
			d.Columns[0], d.Columns[1] = append(d.Columns[0], x), append(d.Columns[1], c)
		}
		want := bestCut(d.Columns[:1], d.Values, minLeaf)
		if minLeaf > 1 { // the best set isn't a cut in the order of means then
			d.Features, d.Columns = d.Features[:1], d.Columns[:1]
		} else {
			d.Features[1].Categories = strings.Split("abcdef"[:categories], "")
			for set := range 1 << (categories + 1) {
				want = min(want, cutErrors(d.Values, 1, func(i int) bool {
					c := d.Columns[1][i]
					return missing(c) && set&1 != 0 || !missing(c) && set>>(1+int(c))&1 != 0
				}))
			}
		}
		f := fitted(once(1, minLeaf, -1), d)
		if got := squaredErrors(f, d); math.Abs(got-want) > 1e-5*(1+want) {
			t.Fatalf("squared errors of %v, want %v", got, want)
		}
	})
}

// A threshold between missing cells and the others is above all numbers, not only those of the training rows.
func TestMissingAgainstOthers(t *testing.T) {
	x := []float32{1, 2, float32(math.NaN()), float32(math.NaN())}
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{x},
		Values: []float64{0, 0, 1, 1}}
	f := fitted(once(1, 1, -1), d)
	d = &datasets.Dataset{Features: d.Features, Columns: [][]float32{{9, float32(math.NaN())}}}
	if got := predicted(f, d); !slices.Equal(got, []float64{0, 1}) {
		t.Errorf("9 and a missing cell are predicted %v; want 0 and 1", got)
	}
}

// The rows that a leaf was counted to be of are those that the tree sends there: its value is their mean, its weight
// their number. That holds for thresholds of bins, and for children that got the rest of their parent's histogram.
func TestLeavesHaveTheirRows(t *testing.T) {
	complete := valued(3000, 5, 1)
	for k, d := range []*datasets.Dataset{complete, complete, raw(complete, 9), raw(complete, 400)} {
		sums := float64(2*(k%2) - 1)
		f := fitted(once(6, 20, sums), d)
		got := predicted(f, d)
		leaves := map[float64][]float64{} // means differ
		for i, v := range got {
			leaves[v] = append(leaves[v], d.Values[i])
		}
		number := 0
		for _, n := range f.Trees[0].Nodes {
			if !n.IsLeaf() {
				continue
			}
			number++
			rows := leaves[f.Base[0]+float64(n.Value)]
			mean := 0.0
			for _, v := range rows {
				mean += v / float64(len(rows))
			}
			if len(rows) < 20 || float32(len(rows)) != n.Weight || math.Abs(mean-f.Base[0]-float64(n.Value)) > 1e-5 {
				t.Errorf("a leaf of weight %v and value %v has %d rows of mean %v",
					n.Weight, n.Value, len(rows), mean-f.Base[0])
			}
		}
		if number != len(leaves) || number < 25 {
			t.Errorf("%d leaves, of which %d have rows", number, len(leaves))
		}
	}
}

// Cuts between bins are nearly as good as the best.
func TestBinnedCuts(t *testing.T) {
	d := valued(2000, 2, 2)
	f := fitted(once(1, 1, -1), d)
	none, best := 0.0, bestCut(d.Columns, d.Values, 1)
	for _, v := range d.Values {
		none += (v - f.Base[0]) * (v - f.Base[0])
	}
	if got := squaredErrors(f, d); none-got < 0.99*(none-best) {
		t.Errorf("squared errors fall from %v to %v, and could fall to %v", none, got, best)
	}
}

// In a large node a sample of the rows chooses the sum, and all rows cut it and give the leaves their means.
func TestSumsOfLargeNodes(t *testing.T) {
	d := valued(3*summedRows, 4, 5)
	for i := range d.Values {
		d.Values[i] = float64(i%7) / 100
		if d.Columns[1][i]+d.Columns[3][i] > 0 {
			d.Values[i]++
		}
	}
	f := fitted(once(1, 1, 20), d)
	split := f.Trees[0].Nodes[0]
	fn := f.Trees[0].Splits.At(split.Split)
	ratio := fn.Weights[len(fn.Weights)-1] / fn.Weights[0]
	if !slices.Equal(fn.Features, []int32{1, 3}) || ratio < 0.8 || ratio > 1.25 || math.Abs(float64(split.Value)) > 0.1 {
		t.Fatalf("the root is cut by %+v at %v; want about x1 + x3 at 0", fn, split.Value)
	}
	var sum, count [2]float64
	predicted := predicted(f, d)
	side := func(i int) int {
		if predicted[i] < 0.5 {
			return 0
		}
		return 1
	}
	for i, v := range d.Values {
		sum[side(i)] += v
		count[side(i)]++
	}
	for i, got := range predicted {
		if want := sum[side(i)] / count[side(i)]; math.Abs(got-want) > 1e-6 {
			t.Fatalf("row %d: %v; want the mean %v", i, got, want)
		}
	}
}

// The codes of a column are ascending numbers of bins with the extremes that the bins say.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float32Range(-10, 10)
		if rapid.Bool().Draw(t, "whole") {
			value = rapid.Map(rapid.IntRange(-9, 9), func(i int) float32 { return float32(i) })
		}
		column := rapid.SliceOfN(value, 1, 3*maxBins).Draw(t, "column")
		codes := make([]uint32, len(column))
		b := encode(nil, codes, column, nil, 8)
		for i, v := range column {
			k := codes[i] >> 8
			if codes[i]&255 != 0 || v < b.low[k] || v > b.high[k] || !slices.Contains(column, b.low[k]) ||
				!slices.Contains(column, b.high[k]) || k > 0 && b.high[k-1] >= v {
				t.Fatalf("%v has code %d; bins from %v to %v", v, codes[i], b.low, b.high)
			}
		}
		slices.Sort(column)
		distinct := len(slices.Compact(column))
		if (len(codes) <= maxBins || distinct <= 19) && distinct != len(b.low) {
			t.Fatalf("%d bins for %d values", len(b.low), distinct)
		}
	})
}

// Missing cells have the last bin, and the other cells those that they had alone, of which there are 255 at most. Of
// 300 categories the 254 with the most rows have a bin each.
func TestEncodeRaw(t *testing.T) {
	rng := forest.NewRand(1)
	for _, n := range []int{10, 256, 100_000} {
		column, present := make([]float32, n), []float32{}
		for i := range column {
			if column[i] = float32(rng.Normal()); i%3 == 1 {
				column[i] = float32(math.NaN())
			} else {
				present = append(present, column[i])
			}
		}
		codes, alone := make([]uint32, n), make([]uint32, len(present))
		b := encode(nil, codes, column, nil, 0)
		encode(nil, alone, present, nil, 0)
		got := slices.DeleteFunc(slices.Clone(codes), func(k uint32) bool { return int(k) == b.missing })
		if b.count != b.missing+1 || b.missing != len(b.low) || b.missing > 255 || codes[1] != uint32(b.missing) ||
			len(got) != len(alone) || n < 10_000 && !slices.Equal(got, alone) {
			t.Errorf("%d rows have %d bins, that of missing cells is %d: %d", n, b.count, b.missing, codes[1])
		}
	}
	var column []float32
	for c := range 300 {
		for range 1 + (c+50)%300 { // category 250 has one row, and 249 has 300
			column = append(column, float32(c))
		}
	}
	codes := make([]uint32, len(column))
	b := encodeCategories(codes, column, nil, 300, 0)
	for c, k := range b.of {
		if want := min(299-(c+50)%300, 254); int(k) != want {
			t.Errorf("category %d has bin %d; want %d", c, k, want)
		}
	}
	if b.count != 256 || b.missing != 255 || codes[0] != uint32(b.of[0]) {
		t.Errorf("%d bins, that of missing cells is %d", b.count, b.missing)
	}
}

// Nodes that several goroutines search, and members that are boosted at once, give the same bytes.
func TestSameBytesOfManyRows(t *testing.T) {
	for name, d := range map[string]*datasets.Dataset{
		"values": valued(sharedRows*3/2, 6, 1), "classes": sim.Trunk{Features: 6}.Sample(sharedRows*3/2, 2),
		"raw": raw(valued(sharedRows*3/2, 6, 1), 300),
	} {
		if !testing.Short() {
			fittest.SameBytes(t, name+", one member", Learner{Rounds: 3, Folds: 1}, d)
		}
		fittest.SameBytes(t, name, Learner{Rounds: 3, Folds: 3}, d)
	}
}

// A progress function that panics ends the fit.
func TestProgressPanics(t *testing.T) {
	ctx := forest.WithProgress(t.Context(), func(done, total int) { panic("stop") })
	readtest.WantPanic(t, "stop", func() { Learner{}.Fit(ctx, sim.Trunk{}.Sample(100, 1)) })
}

// Rows of weight 0 with absurd cells and targets change no tree: bins and cuts are those of the other rows, of which
// there are few or many. All rows are drawn, since draws depend on the number of rows.
func TestRowsOfWeightZeroHaveNoBins(t *testing.T) {
	for name, d := range tables() {
		for _, rows := range []int{200, 300} {
			all := d.Subset(samples.UpTo(rows))
			all.Columns, all.Rows = nil, nil
			for j, f := range d.Features {
				column := slices.Clone(d.Columns[j][:rows])
				for i := range 300 {
					v := float32(1-i%2*2) * 1e30
					if f.Categories != nil {
						v = float32(len(f.Categories) - 1 - i%2)
					}
					column = append(column, v)
				}
				all.Columns = append(all.Columns, column)
			}
			if d.Weights == nil {
				all.Weights = slices.Repeat([]float32{1}, rows)
			}
			for range 300 {
				if all.Weights = append(all.Weights, 0); d.Values != nil {
					all.Values = append(all.Values, 1e30)
				} else {
					all.Labels = append(all.Labels, 1)
				}
			}
			var learned []int32
			for i, w := range all.Weights {
				if w > 0 {
					learned = append(learned, int32(i))
				}
			}
			l := Learner{Rounds: 8, Fraction: 1, Seed: 3}
			got, want := fitted(l, all), fitted(l, all.Subset(learned))
			if !reflect.DeepEqual(got.Trees, want.Trees) {
				t.Errorf("%s, %d rows: other trees", name, rows)
			}
		}
	}
}

func BenchmarkFit(b *testing.B) {
	fittest.Benchmark(b, map[string]*datasets.Dataset{"bag": valued(2000, 14, 1)}, Learner{Rounds: 50, Rate: 0.05})
	fittest.Benchmark(b, map[string]*datasets.Dataset{"values": valued(30000, 14, 1),
		"three classes": sim.Waveform{}.Sample(30000, 1)}, Learner{Rounds: 20, Folds: 1},
		Learner{Rounds: 20, Folds: 1, Sums: -1})
}
