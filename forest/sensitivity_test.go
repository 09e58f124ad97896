package forest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// With one row a leaf every rank is 1 and eq. 30–33 can be done by hand: a tree
// of three leaves, at depths 1, 2 and 2.
func TestSensitivityByHand(t *testing.T) {
	f := &Forest{
		Features: []string{"x"}, Classes: []string{"a", "b"}, Rows: 3, Rule: Plurality,
		Trees: []Tree{{Nodes: []Node{
			{Split: 0, Next: 2, Value: 0.5},
			{Split: LeafClass, Next: 0, Weight: 1},
			{Split: 0, Next: 4, Value: 1.5},
			{Split: LeafClass, Next: 0, Weight: 1},
			{Split: LeafClass, Next: 1, Weight: 1},
		}}},
	}
	train := drawData(rand.New(rand.NewPCG(1, 1)), f, 3)
	train.Columns[0], train.Labels = []float32{0, 1, 2}, []int32{0, 0, 1}
	s, err := f.Sensitivity(train)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{math.Log(1 + 1./3), math.Log(1 + 2./3), math.Log(1 + 2./2)}
	sum := want[0] + want[1] + want[2]
	for i, w := range want {
		if math.Abs(s.Scores[i]-w) > 1e-15 || math.Abs(s.P[i]-w/sum) > 1e-15 {
			t.Errorf("row %d: ŝ = %v and p = %v, want %v and %v", i, s.Scores[i], s.P[i], w, w/sum)
		}
	}
}

// A row's rank is among all rows of its leaf, whatever their class, and is drawn
// anew for each tree: of a leaf with a row of each class, at depth 1, the row of
// class a, whose class has another row alone at depth 1, has a share of 1/2 or of
// 1/3, as often one as the other.
func TestRanksAreRandomWithinALeaf(t *testing.T) {
	f := &Forest{Features: []string{"x"}, Classes: []string{"a", "b"}, Rows: 3, Rule: Plurality}
	for range 1000 {
		f.Trees = append(f.Trees, Tree{
			Nodes: []Node{
				{Split: 0, Next: 2, Value: 0.5},
				{Split: LeafClass, Next: 0, Weight: 1},
				{Split: LeafDist, Next: 0, Weight: 2},
			},
			Dist: []float32{1, 1},
		})
	}
	train := drawData(rand.New(rand.NewPCG(1, 1)), f, 3)
	train.Columns[0], train.Labels = []float32{0, 1, 1}, []int32{0, 0, 1}
	first, second := 0, 0
	for i := range f.Trees {
		g := *f
		g.Trees, g.Sampling.Seed = f.Trees[i:i+1], uint64(i)
		s, err := g.Sensitivity(train)
		if err != nil {
			t.Fatal(err)
		}
		switch share := math.Expm1(s.Scores[1]); {
		case math.Abs(share-1./2) < 1e-12:
			first++
		case math.Abs(share-1./3) < 1e-12:
			second++
		default:
			t.Fatalf("a share of %v", share)
		}
	}
	if math.Abs(float64(first-second)) > 5*math.Sqrt(1000) {
		t.Errorf("first %d times, second %d times", first, second)
	}
	// And over the trees of one forest: the mean lies between the two.
	s, err := f.Sensitivity(train)
	if err != nil {
		t.Fatal(err)
	}
	if want := (math.Log(3./2) + math.Log(4./3)) / 2; math.Abs(s.Scores[1]-want) > 0.1*want {
		t.Errorf("a mean of %v, want about %v", s.Scores[1], want)
	}
}

// In one tree the importances of a leaf's rows are ν, ν/2, ν/3 … in some order,
// and the scores are made of them by class (eq. 30 and 31), for any forest, on
// any number of cores.
func TestSensitivityOfAnyForest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 50, blockRows + 700} {
		f := drawForest(rng, 4, 3, 1)
		train := drawData(rng, f, n)
		if n == 50 {
			rows := make([]int32, n)
			for i := range rows {
				rows[i] = int32(rng.IntN(n))
			}
			train = train.Subset(rows)
		}
		f.Rows = n
		s, err := f.Sensitivity(train)
		if err != nil {
			t.Fatal(err)
		}
		depth := make([]int, len(f.Trees[0].Nodes))
		f.Trees[0].walk(func(node, d int) { depth[node] = d })
		theta := make([]float64, n) // from the scores: Θ(e^s − 1), Θ being the sum over the class
		total := make([]float64, 3)
		leaves := f.Apply(train)
		rows := map[int32][]int{}
		for i, l := range leaves {
			rows[l[0]] = append(rows[l[0]], i)
		}
		// Whatever the ranks, each class's e^s − 1 sum to 1.
		for i, v := range s.Scores {
			theta[i] = math.Expm1(v)
			total[train.Labels[i]] += theta[i]
		}
		for c, sum := range total {
			if sum != 0 && math.Abs(sum-1) > 1e-9 {
				t.Errorf("class %d: shares sum to %v", c, sum)
			}
		}
		// The scale of each class follows from the leaf with the row of rank 1.
		for leaf, rows := range rows {
			byClass := map[int32][]float64{}
			for _, i := range rows {
				byClass[train.Labels[i]] = append(byClass[train.Labels[i]], theta[i])
			}
			for c, shares := range byClass {
				slices.Sort(shares)
				for k := range shares {
					if depth[leaf] == 0 {
						if shares[k] != 0 {
							t.Fatalf("a tree without splits gives class %d a share of %v", c, shares[k])
						}
						continue
					}
					// ν/θ is a rank, up to the class's Θ: ratios within a leaf are ratios of whole numbers up to its rows.
					ratio := shares[len(shares)-1] / shares[k]
					if ratio > float64(len(rows))+1e-6 {
						t.Fatalf("leaf %d of %d rows: importances of ratio %v", leaf, len(rows), ratio)
					}
				}
				if len(byClass) == 1 && depth[leaf] > 0 { // then the ranks are 1, 2, … themselves
					for k := range shares {
						if got := shares[len(shares)-1] / shares[k]; math.Abs(got-float64(len(shares)-k)) > 1e-6*got {
							t.Fatalf("leaf %d: rank %v, want %d", leaf, got, len(shares)-k)
						}
					}
				}
			}
		}
		if sum := sumOf(s.P); math.Abs(sum-1) > 1e-9 {
			t.Errorf("probabilities sum to %v", sum)
		}
	}
	f := drawForest(rng, 4, 3, 37)
	train := drawData(rng, f, 300)
	f.Rows = 300
	var want string
	for _, cores := range []int{1, 3, 20} {
		old := runtime.GOMAXPROCS(cores)
		s, err := f.Sensitivity(train)
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(s.Scores); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%d cores give other scores", cores)
		}
	}
}

func sumOf(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

func TestApproximate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	f := drawForest(rng, 3, 2, 1)
	train := drawData(rng, f, 10)
	train.Columns[0] = []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	s := &Sensitivity{Scores: make([]float64, 10), P: make([]float64, 10), train: train}
	for i := range s.Scores {
		s.Scores[i] = float64((i*7 + 3) % 10)
		s.P[i] = s.Scores[i] / 45
	}
	d, err := s.Approximate(0.3, ByRank, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Scores 3 0 7 4 1 8 5 2 9 6: the largest are 9, 8 and 7.
	if got, want := d.Column(nil, 0), []float32{2, 5, 8}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
	// One row of ten, many times: by probability row i comes with p_i, else each as often.
	const draws = 20000
	for _, by := range []Selection{ByProbability, Uniformly} {
		counts := make([]float64, 10)
		for seed := range uint64(draws) {
			d, err := s.Approximate(0.1, by, seed)
			if err != nil {
				t.Fatal(err)
			}
			counts[int(d.At(0, 0))]++
		}
		for i, c := range counts {
			p := 0.1
			if by == ByProbability {
				p = s.P[i]
			}
			if math.Abs(c-draws*p) > 5*math.Sqrt(draws*p*(1-p)) {
				t.Errorf("selection %d: row %d came %v times of %d, want about %v", by, i, c, draws, draws*p)
			}
		}
	}
	// All rows but those that can't come: without replacement.
	if d, err = s.Approximate(0.9, ByProbability, 5); err != nil || d.N() != 9 || slices.Contains(d.Column(nil, 0), 1) {
		t.Errorf("rows %v, error %v; want all but row 1, of probability 0", d.Column(nil, 0), err)
	}
	for _, fraction := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := s.Approximate(fraction, ByRank, 0); err == nil {
			t.Errorf("a fraction of %v is no error", fraction)
		}
	}
}

func TestSensitivityNeedsItsTrainingData(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	f := drawForest(rng, 3, 2, 2)
	train := drawData(rng, f, 10)
	f.Rows = 11
	if _, err := f.Sensitivity(train); err == nil || !strings.Contains(err.Error(), "11 rows; these have 10") {
		t.Errorf("error %v", err)
	}
	f.Rows = 10
	train.Labels = nil
	if _, err := f.Sensitivity(train); err == nil || !strings.Contains(err.Error(), "no labels") {
		t.Errorf("error %v", err)
	}
	r := drawForest(rng, 3, 0, 2)
	if _, err := r.Sensitivity(drawData(rng, r, 10)); err == nil || !strings.Contains(err.Error(), "classes") {
		t.Errorf("error %v", err)
	}
}
