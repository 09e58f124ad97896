package datasets

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

const (
	heavyTails = 10  // the kurtosis from which on a column gets normal scores
	mostKnots  = 256 // of a column
	mostCodes  = 10  // a column of so many values keeps them

	sameScale       = 0.95 // the correlation of columns from which on both keep their values
	comparedRows    = 256  // by which it is judged
	comparedColumns = 100  // with which a column is compared
)

// normalScores replaces the values of numeric columns with heavy tails by the normal quantiles of their ranks. The rank
// of a value is the weight of the rows below it and half of that of its own, over the weight of all. Between values the
// score is linear. Outside their range it is the score of the nearest value. Columns of ten values or fewer are not
// changed. Nor are columns that are nearly linear functions of each other, such as neighbouring wavelengths of a
// spectrum, since the scores of both would hide their difference.
func normalScores(ctx context.Context, train *Dataset) (Transform, *Dataset, error) {
	knots := make([][]float64, train.P())
	err := parallel.Errors(train.P(), func(j int) error {
		if !train.isCode(j) && train.kurtosis(j) >= heavyTails {
			knots[j] = train.knots(j)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, err
	}
	var heavy []int
	for j := range knots {
		if knots[j] != nil {
			heavy = append(heavy, j)
		}
	}
	rows := train.spreadRows(comparedRows)
	return train.fit(ctx, "Prepare", func(j int) ([]Column, error) {
		h, scored := slices.BinarySearch(heavy, j)
		for step := 1; scored && step < len(heavy) && step <= comparedColumns; step++ {
			scored = !train.linear(j, heavy[(h+step)%len(heavy)], knots, rows)
		}
		if !scored {
			return column(train.Features[j].Name, j), nil
		}
		return column(train.Features[j].Name, j, op(opLine, knots[j]...)), nil
	})
}

// spreadRows returns up to n rows of positive weight, evenly spaced.
func (d *Dataset) spreadRows(n int) []int {
	var rows []int
	for i := range d.N() {
		if d.weight(i) > 0 {
			rows = append(rows, i)
		}
	}
	all := len(rows)
	for k := range min(n, all) {
		rows[k] = rows[k*all/min(n, all)]
	}
	return rows[:min(n, all)]
}

// linear reports whether columns j and k correlate by at least sameScale or at most −sameScale, both as they are and by
// their normal scores. Values alone may correlate by a single outlier, scores alone along a curve. It returns false if
// fewer than half of the rows have both.
func (d *Dataset) linear(j, k int, knots [][]float64, rows []int) bool {
	both := 0
	for _, i := range rows {
		if a, b := d.At(i, j), d.At(i, k); a == a && b == b {
			both++
		}
	}
	if 2*both < len(rows) {
		return false
	}
	value := func(_ int, v float32) float64 { return float64(v) }
	score := func(j int, v float32) float64 { return float64(onLine(knots[j], v)) }
	return math.Abs(d.correlation(j, k, rows, value)) >= sameScale && math.Abs(d.correlation(j, k, rows,
		score)) >= sameScale
}

// correlation returns the weighted correlation of columns j and k over those of the rows in which both are known; of
// maps the values first. It is NaN if a column is constant there.
func (d *Dataset) correlation(j, k int, rows []int, of func(j int, v float32) float64) float64 {
	var total, meanX, meanY, xx, yy, xy float64
	each := func(add func(x, y, w float64)) {
		for _, i := range rows {
			if a, b := d.At(i, j), d.At(i, k); a == a && b == b {
				add(of(j, a), of(k, b), d.weight(i))
			}
		}
	}
	each(func(x, y, w float64) {
		total += w
		meanX += float64(w * x)
		meanY += float64(w * y)
	})
	meanX, meanY = meanX/total, meanY/total
	each(func(x, y, w float64) {
		xx += float64(w * float64((x-meanX)*(x-meanX)))
		yy += float64(w * float64((y-meanY)*(y-meanY)))
		xy += float64(w * float64((x-meanX)*(y-meanY)))
	})
	return xy / math.Sqrt(xx*yy)
}

// isCode reports whether column j has so few values, in rows of positive weight, that they may
// be codes or counts.
func (d *Dataset) isCode(j int) bool {
	var seen [mostCodes]float32
	n := 0
	for i := range d.N() {
		v := d.At(i, j)
		if v != v || d.weight(i) == 0 || slices.Contains(seen[:n], v) {
			continue
		}
		if n == mostCodes {
			return false
		}
		seen[n] = v
		n++
	}
	return true
}

// kurtosis returns the weighted mean of z⁴ over the known cells of column j, where z is the
// standardised cell.
func (d *Dataset) kurtosis(j int) float64 {
	mean, sd := d.moments(j)
	sum, total := 0.0, 0.0
	for i := range d.N() {
		if v := d.At(i, j); v == v {
			z := (float64(v) - mean) / sd
			sum += float64(d.weight(i) * z * z * z * z)
			total += d.weight(i)
		}
	}
	return sum / total
}

// knots returns up to mostKnots values of column j, each with its score: the least, the greatest,
// and those at equal distances in rank.
func (d *Dataset) knots(j int) []float64 {
	type cell struct {
		value  float32
		weight float64
	}
	var cells []cell
	total := 0.0
	for i := range d.N() {
		if v, w := d.At(i, j), d.weight(i); v == v && w > 0 {
			cells = append(cells, cell{v, w})
			total += w
		}
	}
	slices.SortFunc(cells, func(a, b cell) int { return cmp.Compare(a.value, b.value) })
	var knots []float64
	below, next := 0.0, 0.0
	for i := 0; i < len(cells); {
		value, own := cells[i].value, 0.0
		for ; i < len(cells) && cells[i].value == value; i++ {
			own += cells[i].weight
		}
		rank := (below + float64(own/2)) / total
		if below += own; rank >= next || i == len(cells) {
			knots = append(knots, float64(value), float64(normalQuantile(rank)))
			next = (math.Floor(rank*(mostKnots-2)) + 1) / (mostKnots - 2)
		}
	}
	return knots
}

func normalQuantile(rank float64) float32 {
	const most = 1 - 1e-12 // weights may differ so much that a rank is 1 when rounded
	return float32(math.Sqrt2 * portable.Erfinv(min(max(2*rank-1, -most), most)))
}
