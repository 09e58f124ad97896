package forest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A Calibration corrects class probabilities. It replaces the probability p of each class by
// (p + Floor)^Power, divided by the sum over the classes. This keeps the order of the
// classes, so the most probable class stays the same. The zero value changes nothing.
type Calibration struct {
	Power float64 // at most 1000, 0 in the zero value; above 1 it moves probabilities apart, below 1 together
	Floor float64 // 0 to 1; it keeps the probability of a class that no tree predicts above 0
}

// Apply calibrates the class probabilities of a row. At least one must be positive.
func (c Calibration) Apply(proba []float64) {
	if c == (Calibration{}) {
		return
	}
	c.logs(proba, proba)
	for i, z := range proba {
		proba[i] = float64(c.Power * z)
	}
	portable.Exps(proba)
	sum := 0.0
	for _, v := range proba {
		sum += v
	}
	for i := range proba {
		proba[i] /= sum
	}
}

// logs writes ln(p + Floor), less the largest of them, to dst.
func (c Calibration) logs(dst, proba []float64) {
	largest := 0.0
	for _, p := range proba {
		largest = max(largest, p)
	}
	log := portable.Log(largest + c.Floor)
	for i, p := range proba {
		dst[i] = portable.Log(p+c.Floor) - log
	}
}

// numbers returns the power and the floor, nil for the zero value.
func (c Calibration) numbers() []float64 {
	if c == (Calibration{}) {
		return nil
	}
	return []float64{c.Power, c.Floor}
}

// validate returns an error unless c changes probabilities and keeps the order of classes.
func (c Calibration) validate() error {
	if !(c.Power > 0 && c.Power <= maxPower && c.Floor >= 0 && c.Floor <= 1) {
		return fmt.Errorf("calibration with power %v and floor %v; want a power above 0, at most %v, and a floor of 0 to 1",
			c.Power, c.Floor, float64(maxPower))
	}
	return nil
}

// maxPower is the largest Power of a forest that can be saved.
const maxPower = 1000

// Calibrate returns the forest with a [Calibration] that is fitted to the out-of-bag
// probabilities of its training data. The trees are shared with f. All probabilities that
// the new forest gives are calibrated; predicted classes and votes stay as they were.
//
// The power is the inverse of the temperature of Guo, Pleiss, Sun and Weinberger (ICML 2017). It and the floor have the
// least log-loss, with row weights, of powers from 1/16 to 16 and nine floors from 0.00001 to 0.4. To keep rows that
// are all predicted well from asking for certainty, each row's true class counts (n + 1/k)/(n + 1) and every other
// class 1/(k(n + 1)), with n rows and k classes: as if there were one more row, shared by all classes.
//
// No term belongs to a class, so a class's mean probability need not be its share, as a bias would make it. Of rows
// whose classes have weights it often isn't; see [datasets.Dataset.WeightClasses].
//
// A row is out of bag for some 37 % of the trees only, and the mean of fewer trees is
// noisier, which asks for a lower power. So the power is fitted a second time to each half of the
// trees, and ln power is extrapolated to all trees, as a linear function of 1/trees.
//
// With more than 2²⁷ rows × classes, as many evenly spaced rows are used as that allows. Calibrate then
// needs some 3 GB.
//
// train must be the data that f was trained on. Calibrate returns an error where [Forest.OutOfBag] does, if f predicts
// values, if its rule is [Sum], or if no row is out of bag. Of a forest that is grown in parts, calibrate what [Join]
// returns.
func Calibrate(ctx context.Context, f *Forest, train *datasets.Dataset) (*Forest, error) {
	switch {
	case f.Regression():
		return nil, errNeedsClasses
	case f.Rule == Sum:
		return nil, errors.New("forest: the rule Sum, whose probabilities aren't averages; want another to calibrate")
	}
	x, err := f.outOfBagData(ctx, train)
	if err != nil {
		return nil, err
	}
	rows := spaced(x.N(), max(1, calibrationCells/len(f.Classes)))
	bags, err := f.bagHalves(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	if rows != nil {
		x = x.Subset(rows)
	}
	c, err := f.fitCalibration(ctx, bags, x)
	if err != nil {
		return nil, err
	}
	calibrated := *f
	calibrated.Calibration = c
	return &calibrated, nil
}

// calibrationCells is the largest number of probabilities that a calibration is fitted to.
const calibrationCells = 1 << 27

// spaced returns the given number of evenly spaced rows of n, or nil if that is all of them.
func spaced(n, most int) []int32 {
	if n <= most {
		return nil
	}
	rows := make([]int32, most)
	for k := range rows {
		rows[k] = int32(k * n / most)
	}
	return rows
}

// fitCalibration fits the calibration to the trees of both halves, and extrapolates it.
func (f *Forest) fitCalibration(ctx context.Context, bags [2]*bag, train *datasets.Dataset) (c Calibration, err error) {
	whole := newCalibrator(len(f.Classes), train, bags[:])
	if len(whole.labels) == 0 {
		return c, errors.New("forest: no row of positive weight is out of bag, so nothing says how to calibrate")
	}
	least, power := math.Inf(1), 1.0
	for _, floor := range floors {
		var loss float64
		if power, loss = whole.fit(floor, power); loss < least {
			least, c = loss, Calibration{power, floor}
		}
		if err := ctx.Err(); err != nil {
			return c, err
		}
	}
	whole.proba, whole.z = nil, nil // to make room for the halves
	var logs, halves float64
	for h := range bags {
		if half := newCalibrator(len(f.Classes), train, bags[h:h+1]); len(half.labels) > 0 {
			power, _ := half.fit(c.Floor, c.Power)
			logs += portable.Log(power)
			halves++
		}
	}
	// With ln power = a + b/trees, halving the trees adds b/trees.
	share := whole.trees / float64(len(whole.labels)) / float64(len(f.Trees))
	log := portable.Log(c.Power)
	log += float64((1 - share) * (log - logs/halves))
	c.Power = min(max(portable.Exp(log), leastPower), mostPower)
	return c, ctx.Err()
}

// floors are the values of Floor that are tried.
var floors = []float64{1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.4}

// Powers outside of these limits are not fitted.
const leastPower, mostPower = 1.0 / 16, 16

// A bag holds what the out-of-bag trees of each row say, for the trees of even or of odd number.
type bag struct {
	sums   []float32 // of class proportions, by row and class
	values []float64 // sums for regression, by row
	trees  []int32   // number of trees, by row
}

// means sets p to the means of row i.
func (b *bag) means(p []float64, i int) {
	if b.sums == nil {
		p[0] = b.values[i] / float64(b.trees[i])
		return
	}
	for c := range p {
		p[c] = float64(b.sums[i*len(p)+c]) / float64(b.trees[i])
	}
}

// bagHalves returns what the two halves of the trees say of the given rows, all if nil.
func (f *Forest) bagHalves(ctx context.Context, train *datasets.Dataset, rows []int32) (bags [2]*bag, err error) {
	n, k := train.N(), len(f.Classes)
	if rows != nil {
		n = len(rows)
	}
	for h := range bags {
		bags[h] = &bag{trees: make([]int32, n)}
		if k > 0 {
			bags[h].sums = make([]float32, n*k)
		} else {
			bags[h].values = make([]float64, n)
		}
	}
	err = f.eachOutOfBag(ctx, train, rows, nil, func(w *walker, leaves iter.Seq[reached]) {
		x := cells{block: w}
		tallies := [2]*tally{newTally(f, Average, w.hi-w.lo, x), newTally(f, Average, w.hi-w.lo, x)}
		for at := range leaves {
			h := at.tree % 2
			tallies[h].add(at.tree, &f.Trees[at.tree], at.leaf, at.rows)
			trees := bags[h].trees[w.lo:w.hi]
			for _, r := range at.rows {
				trees[r]++
			}
		}
		for h, s := range tallies {
			if k > 0 {
				copy(bags[h].sums[w.lo*k:w.hi*k], s.scores)
			} else {
				copy(bags[h].values[w.lo:w.hi], s.values)
			}
		}
	})
	return bags, err
}

// A calibrator fits the power to the out-of-bag probabilities of some rows.
type calibrator struct {
	classes int
	proba   []float64 // by row and class
	labels  []int32
	weights []float64
	trees   float64 // number of trees, summed over rows
	target  float64 // what the true class counts; the others count other
	other   float64
	z       []float64 // buffer: logarithms of the probabilities
}

// newCalibrator uses the rows of positive weight that are out of bag in the given bags.
func newCalibrator(classes int, train *datasets.Dataset, bags []*bag) *calibrator {
	s := &calibrator{classes: classes, proba: make([]float64, 0, len(train.Labels)*classes)}
	for i, label := range train.Labels {
		weight, trees := 1.0, int32(0)
		if train.Weights != nil {
			weight = float64(train.Weights[i])
		}
		for _, b := range bags {
			trees += b.trees[i]
		}
		if trees == 0 || weight == 0 {
			continue
		}
		for c := i * classes; c < (i+1)*classes; c++ {
			sum := 0.0
			for _, b := range bags {
				sum += float64(b.sums[c])
			}
			s.proba = append(s.proba, sum/float64(trees))
		}
		s.labels, s.weights = append(s.labels, label), append(s.weights, weight)
		s.trees += float64(trees)
	}
	n := float64(len(s.labels))
	s.other = 1 / (float64(classes) * (n + 1))
	s.target = n/(n+1) + s.other
	s.z = make([]float64, len(s.proba))
	return s
}

// fit returns the power of least loss for the given floor, and that loss. The loss is convex in the
// power, so Newton's method finds it from start, or bisection where that leaves the
// interval in which the minimum is known to be.
func (s *calibrator) fit(floor, start float64) (power, loss float64) {
	k := s.classes
	for i := 0; i < len(s.z); i += k {
		Calibration{Floor: floor}.logs(s.z[i:i+k], s.proba[i:i+k])
	}
	low, high := leastPower, float64(mostPower)
	power = min(max(start, low), high)
	const steps, precision = 60, 1e-9
	for range steps {
		at := s.loss(power)
		loss = at.loss
		switch {
		case at.slope == 0:
			return power, loss
		case at.slope > 0:
			high = power
		default:
			low = power
		}
		next := power - at.slope/at.curvature
		if !(next >= low && next <= high) {
			next = (low + high) / 2
		}
		if math.Abs(next-power) <= precision*power {
			break
		}
		power = next
	}
	return power, loss
}

// A lossAt is the sum of the rows' losses at a power, with its first two derivatives.
type lossAt struct{ loss, slope, curvature float64 }

// lossRows is how many rows' losses are added at a time, so that the order of all sums is the
// same on any number of cores.
const lossRows = 1024

func (s *calibrator) loss(power float64) lossAt {
	parts := make([]lossAt, (len(s.labels)+lossRows-1)/lossRows)
	parallel.For(len(parts), func(b int) {
		odds := make([]float64, s.classes)
		for i := b * lossRows; i < min((b+1)*lossRows, len(s.labels)); i++ {
			row := s.lossOf(i, power, odds)
			parts[b].loss += float64(s.weights[i] * row.loss)
			parts[b].slope += float64(s.weights[i] * row.slope)
			parts[b].curvature += float64(s.weights[i] * row.curvature)
		}
	})
	var sum lossAt
	for _, p := range parts {
		sum.loss += p.loss
		sum.slope += p.slope
		sum.curvature += p.curvature
	}
	return sum
}

// lossOf returns the loss of row i: with z the logarithms of its probabilities and t the
// targets, which sum to 1, it is ln Σ exp(power·z) − power·Σ t·z. odds is a buffer.
func (s *calibrator) lossOf(i int, power float64, odds []float64) lossAt {
	z := s.z[i*s.classes:][:s.classes]
	for c, v := range z {
		odds[c] = float64(power * v)
	}
	portable.Exps(odds)
	var sum, first, second, all float64
	for c, v := range z {
		first += float64(odds[c] * v)
		second += float64(float64(odds[c]*v) * v)
		sum += odds[c]
		all += v
	}
	mean := first / sum
	wanted := float64(s.other*all) + float64((s.target-s.other)*z[s.labels[i]])
	return lossAt{
		loss:      portable.Log(sum) - float64(power*wanted),
		slope:     mean - wanted,
		curvature: second/sum - float64(mean*mean),
	}
}
