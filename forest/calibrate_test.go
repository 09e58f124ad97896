package forest

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/internal/steady"
)

func TestApplyByHand(t *testing.T) {
	for _, c := range []struct {
		by         Calibration
		from, want []float64
	}{
		{Calibration{}, []float64{0.5, 0.3, 0.2}, []float64{0.5, 0.3, 0.2}},
		{Calibration{Power: 1}, []float64{0.5, 0.3, 0.2}, []float64{0.5, 0.3, 0.2}},
		{Calibration{Power: 2, Floor: 0.1}, []float64{0.5, 0.3, 0.2}, []float64{0.36 / 0.61, 0.16 / 0.61, 0.09 / 0.61}},
		{Calibration{Power: 0.5}, []float64{0.64, 0.36}, []float64{0.8 / 1.4, 0.6 / 1.4}},
		{Calibration{Power: 3}, []float64{1, 0}, []float64{1, 0}},
		{Calibration{Power: 1, Floor: 0.25}, []float64{1, 0}, []float64{1.25 / 1.5, 0.25 / 1.5}},
		{Calibration{Power: 1000}, []float64{0.75, 0.25}, []float64{1, 0}}, // 3^1000 is more than a float64 holds
	} {
		got := slices.Clone(c.from)
		c.by.Apply(got)
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-14 {
				t.Errorf("%+v of %v is %v; want %v", c.by, c.from, got, c.want)
			}
		}
	}
}

func TestCalibrationKeepsTheOrderOfClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Calibration{Power: rapid.Float64Range(leastPower, mostPower).Draw(t, "power"),
			Floor: rapid.Float64Range(0, 1).Draw(t, "floor")}
		trees := rapid.IntRange(1, 1000).Draw(t, "trees")
		votes := rapid.SliceOfN(rapid.IntRange(0, trees), 1, 9).Draw(t, "votes")
		sum := 0
		for _, v := range votes {
			sum += v
		}
		if sum == 0 {
			t.Skip("no votes")
		}
		proba := make([]float64, len(votes))
		for i, v := range votes {
			proba[i] = float64(v) / float64(sum)
		}
		c.Apply(proba)
		total := 0.0
		for i, p := range proba {
			total += p
			for j, q := range proba {
				if votes[i] > votes[j] && !(p > q || p == 0 && q == 0) || votes[i] == votes[j] && p != q {
					t.Fatalf("%+v: votes %v became %v", c, votes, proba)
				}
			}
		}
		if math.Abs(total-1) > 1e-12 {
			t.Fatalf("probabilities %v sum to %v", proba, total)
		}
	})
}

// oracleLoss is the loss of Calibrate's comment, computed from that text.
func oracleLoss(proba [][]float64, labels []int32, weights []float64, c Calibration) float64 {
	loss, n, k := 0.0, float64(len(labels)), float64(len(proba[0]))
	for i, row := range proba {
		sum := 0.0
		for _, p := range row {
			sum += math.Pow(p+c.Floor, c.Power)
		}
		for y, p := range row {
			target := 1 / (k * (n + 1))
			if int32(y) == labels[i] {
				target = (n + 1/k) / (n + 1)
			}
			loss -= weights[i] * target * math.Log(math.Pow(p+c.Floor, c.Power)/sum)
		}
	}
	return loss
}

// oraclePower searches the power of least loss by golden sections of its logarithm.
func oraclePower(loss func(power float64) float64) float64 {
	const golden = 0.6180339887498949
	low, high := math.Log(1.0/16), math.Log(16)
	for high-low > 1e-9 {
		a, b := high-golden*(high-low), low+golden*(high-low)
		if loss(math.Exp(a)) < loss(math.Exp(b)) {
			high = b
		} else {
			low = a
		}
	}
	return math.Exp((low + high) / 2)
}

// The oracle takes the out-of-bag probabilities of all trees, and of those of even and of odd
// number, from forests of the trees that left a row out.
func TestCalibrateAgainstAnOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares sums, and TestCalibrateOnAnyNumberOfCores runs them at once")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 12 {
		classes, weighted, n := 2+i%3, i%2 == 1, 40
		f := drawForestBy(rng, rulesOf(classes)[i%3], 4, classes, 2+i%6)
		f.Rows, f.Seed = n, uint64(i)
		train := drawData(rng, f, n)
		train.Weights = nil
		if weighted {
			for range n {
				train.Weights = append(train.Weights, float32(rng.IntN(4)))
			}
		}
		for i, y := range must.Value(f.Predict(t.Context(), train)) { // some rows are of the class that is predicted
			if i%2 == 0 {
				train.Labels[i] = y
			}
		}
		got := must.Value(Calibrate(t.Context(), f, train))
		whole, trees := oracleBags(f, train, func(int) bool { return true })
		even, _ := oracleBags(f, train, func(tree int) bool { return tree%2 == 0 })
		odd, _ := oracleBags(f, train, func(tree int) bool { return tree%2 == 1 })
		var want Calibration
		least := math.Inf(1)
		for _, floor := range []float64{1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.4} {
			power := oraclePower(func(p float64) float64 { return whole(Calibration{p, floor}) })
			if loss := whole(Calibration{power, floor}); loss < least {
				least, want = loss, Calibration{power, floor}
			}
		}
		half := func(loss func(Calibration) float64) float64 {
			return math.Log(oraclePower(func(p float64) float64 { return loss(Calibration{p, want.Floor}) }))
		}
		// ln power = a + b/trees at trees/2 and trees gives b; then at all trees:
		b := (half(even) + half(odd)) / 2
		b = (b - math.Log(want.Power)) * trees
		want.Power = math.Exp(math.Log(want.Power) - b/trees + b/float64(len(f.Trees)))
		want.Power = min(max(want.Power, 1.0/16), 16)
		if math.Abs(got.Calibration.Power/want.Power-1) > 1e-4 || got.Calibration.Floor != want.Floor {
			t.Errorf("forest %d: %+v; want %+v", i, got.Calibration, want)
		}
		if !slices.Equal(must.Value(got.Predict(t.Context(), train)), must.Value(f.Predict(t.Context(), train))) {
			t.Errorf("forest %d: the predicted classes have changed", i)
		}
	}
}

// oracleBags returns the loss of the rows of positive weight that some of the chosen trees left
// out, and how many that are in the mean.
func oracleBags(f *Forest, train *datasets.Dataset, chosen func(tree int) bool) (loss func(Calibration) float64,
	trees float64) {
	var proba [][]float64
	var labels []int32
	var weights []float64
	for i := range train.N() {
		out := *f
		out.Trees = nil
		for k := range f.Trees {
			if chosen(k) && f.Sampling.Counts(nil, train.N(), f.Seed, k)[i] == 0 {
				out.Trees = append(out.Trees, f.Trees[k])
			}
		}
		weight := 1.0
		if train.Weights != nil {
			weight = float64(train.Weights[i])
		}
		if len(out.Trees) == 0 || weight == 0 {
			continue
		}
		trees += float64(len(out.Trees))
		proba = append(proba, must.Value(out.Proba(context.Background(), train.Subset([]int32{int32(i)})))[0])
		labels, weights = append(labels, train.Labels[i]), append(weights, weight)
	}
	return func(c Calibration) float64 { return oracleLoss(proba, labels, weights, c) }, trees / float64(len(labels))
}

// Many more blocks of rows than cores, and fewer.
func TestCalibrateOnAnyNumberOfCores(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	f := drawForestBy(rng, Plurality, 4, 3, 20)
	f.Rows = 5*lossRows + 17
	train := drawData(rng, f, f.Rows)
	var first []byte
	for _, cores := range []int{1, 2, 7} {
		steady.Cores(t, cores)
		c := must.Value(Calibrate(t.Context(), f, train))
		if b := encode(c); first == nil {
			first = b
		} else if !bytes.Equal(b, first) {
			t.Errorf("on %d cores the calibration is %+v", cores, c.Calibration)
		}
		checkSound(t, c, encode(c)) // the predictor's probabilities, too
	}
}

func TestCalibrateErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := drawForestBy(rng, Average, 3, 2, 2)
	v := drawForestBy(rng, Average, 3, 0, 2)
	sum := drawForestBy(rng, Sum, 3, 2, 2)
	f.Rows, v.Rows, sum.Rows = 10, 10, 10
	all, full := *f, *f
	all.Sampling = AllRows
	full.Trees = f.Trees[:1]
	full.Sampling = Sampling{Fraction: 0.96, WithoutReplacement: true} // 10 of 10 rows
	train := drawData(rng, f, 10)
	weightless := *train
	weightless.Weights = make([]float32, 10)
	for _, c := range []struct {
		f    *Forest
		d    *datasets.Dataset
		want string
	}{
		{&all, train, "none is out of bag"},
		{&full, train, "none is out of bag"},
		{sum, train, "rule Sum"},
		{v, train, "predicts values"},
		{f, train.Select(0, 1), "columns"},
		{f, &weightless, "no row of positive weight is out of bag"},
	} {
		_, err := Calibrate(t.Context(), c.f, c.d)
		readtest.WantError(t, err, c.want)
	}
}

// Uniform probabilities stay uniform whatever the power is, so it isn't moved.
func TestCalibrateOfNothingToLearn(t *testing.T) {
	tree := Tree{Classes: 2}
	tree.Nodes = []Node{tree.DistLeaf([]float32{1, 1}, 2)}
	f := &Forest{Features: []string{"x"}, Classes: []string{"a", "b"}, Trees: []Tree{tree, tree, tree}, Rows: 30}
	train := drawData(rand.New(rand.NewPCG(1, 2)), f, 30)
	c, err := Calibrate(t.Context(), f, train)
	if err != nil || c.Calibration.Power != 1 {
		t.Errorf("%+v, %v; want a power of 1", c, err)
	}
}

// What is said of some of the rows is what is said of these rows when all are asked for.
func TestCalibrationOfSpacedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	f := drawForestBy(rng, Average, 4, 3, 9)
	train := drawData(rng, f, 300)
	f.Rows, f.Seed = 300, 8
	rows := spaced(300, 40)
	if len(rows) != 40 || rows[0] != 0 || rows[1] != 7 || rows[39] != 292 { // 300·k/40
		t.Fatalf("rows %v", rows)
	}
	if spaced(300, 300) != nil || len(spaced(1<<31-1, 3)) != 3 || spaced(1<<31-1, 3)[2] != 1431655764 {
		t.Errorf("%v of 300, %v of 2³¹−1", spaced(300, 300), spaced(1<<31-1, 3))
	}
	all := must.Value(f.bagHalves(t.Context(), train, nil))
	some := must.Value(f.bagHalves(t.Context(), train, rows))
	for h := range some {
		for i, r := range rows {
			if !slices.Equal(some[h].sums[3*i:3*i+3], all[h].sums[3*r:3*r+3]) || some[h].trees[i] != all[h].trees[r] {
				t.Fatalf("half %d: row %d is said to be %v by %d trees; want %v and %d",
					h, r, some[h].sums[3*i:3*i+3], some[h].trees[i], all[h].sums[3*r:3*r+3], all[h].trees[r])
			}
		}
	}
}
