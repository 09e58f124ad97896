package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// symmetric returns XXᵀ for an n×rank matrix X of normal numbers.
func symmetric(n, rank int, scale float64, rng *rand.Rand) []float64 {
	x := mat.NewDense(n, rank, nil)
	for i := range n {
		for j := range rank {
			x.Set(i, j, scale*rng.NormFloat64())
		}
	}
	var a mat.Dense
	a.Mul(x, x.T())
	return a.RawMatrix().Data
}

// distance returns the largest element of a − b, divided by the largest of b.
func distance(a, b []float64) float64 {
	far, largest := 0.0, 0.0
	for i, v := range b {
		far, largest = max(far, math.Abs(a[i]-v)), max(largest, math.Abs(v))
		if a[i] != a[i] {
			return math.NaN()
		}
	}
	return far / largest
}

func identity(n int) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	return a
}

func TestEigen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 4, 5, 8, 13, 40, 90} {
		matrices := [][]float64{identity(n), make([]float64, n*n)}
		for _, rank := range []int{1, (n + 1) / 2, n, 2 * n} {
			for _, scale := range []float64{1, 1e-40, 1e38} {
				matrices = append(matrices, symmetric(n, rank, scale, rng))
			}
		}
		indefinite, graded := symmetric(n, n, 1, rng), symmetric(n, n, 1, rng)
		for i := range n {
			indefinite[i*n+i] -= float64(n)
			for j := range n {
				graded[i*n+j] *= math.Pow(10, -float64(i+j)/4)
			}
		}
		matrices = append(matrices, indefinite, graded)
		for k, a := range matrices {
			vectors, values := slices.Clone(a), make([]float64, n)
			for i := range n {
				for j := i + 1; j < n; j++ {
					vectors[i*n+j] = math.NaN() // isn't read
				}
			}
			if !Eigen(vectors, values, make([]float64, n), nil) {
				t.Fatalf("matrix %d of side %d: no eigenvalues", k, n)
			}
			q := mat.NewDense(n, n, vectors)
			var product, back mat.Dense
			product.Mul(q, q.T())
			if d := distance(product.RawMatrix().Data, identity(n)); !(d <= 1e-13) {
				t.Errorf("matrix %d of side %d: eigenvectors are orthonormal to %v", k, n, d)
			}
			back.Mul(q.T(), mat.NewDiagDense(n, slices.Clone(values)))
			back.Mul(&back, q)
			if d := distance(back.RawMatrix().Data, a); !(d <= 1e-13 || k == 1) {
				t.Errorf("matrix %d of side %d is wrong by %v", k, n, d)
			}
			want := make([]float64, n)
			copy(vectors, a)
			s := blas64.Symmetric{N: n, Stride: n, Data: vectors, Uplo: blas.Upper}
			lapack64.Syev(lapack.EVNone, s, want, make([]float64, 4*n), 4*n)
			slices.Sort(values)
			if d := distance(values, want); !(d <= 1e-13 || k == 1) {
				t.Errorf("matrix %d of side %d: eigenvalues are wrong by %v", k, n, d)
			}
		}
	}
}

func TestEigenNeedsFiniteNumbers(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for n := 1; n < 6; n++ {
			for i := range n {
				for j := range i + 1 {
					a := symmetric(n, n, 1, rand.New(rand.NewPCG(3, 4)))
					a[i*n+j] = bad
					if Eigen(a, make([]float64, n), make([]float64, n), nil) {
						t.Errorf("%v at (%d, %d) of side %d: no complaint", bad, i, j, n)
					}
				}
			}
		}
	}
}

func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := 1; n < 40; n++ {
		a := symmetric(n, 3*n, 1, rng)
		var want mat.Dense
		must.Do(want.Inverse(mat.NewDense(n, n, slices.Clone(a))))
		b := make([]float64, n)
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		var solved mat.VecDense
		solved.MulVec(&want, mat.NewVecDense(n, b))
		for i := range n {
			for j := i + 1; j < n; j++ {
				a[i*n+j] = math.NaN() // isn't read
			}
		}
		if !Factor(a, n, nil) {
			t.Fatalf("side %d: not positive definite", n)
		}
		Solve(a, b)
		if d := distance(b, solved.RawVector().Data); !(d <= 1e-10) {
			t.Errorf("side %d: the solution is wrong by %v", n, d)
		}
	}
	if Factor([]float64{1, 0, 2, 1}, 2, nil) || Factor([]float64{0}, 1, nil) || Factor([]float64{math.NaN()}, 1, nil) {
		t.Error("a matrix that isn't positive definite was factored")
	}
}

func TestOrthonormalise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		n := 1 + rng.IntN(12)
		p := n + rng.IntN(30)
		rows := make([]float64, n*p)
		for i := range rows {
			rows[i] = rng.NormFloat64()
		}
		want := identity(n)
		last := rows[(n-1)*p:]
		switch {
		case n > 2 && rng.IntN(3) == 0: // a row that depends on others
			for k := range last {
				last[k] = 3*rows[k] - rows[p+k]
			}
			want[n*n-1] = 0
		case n > 1 && rng.IntN(2) == 0: // nearly
			for k := range last {
				last[k] = rows[k] + 1e-6*last[k]
			}
		}
		basis, coordinates := slices.Clone(rows), make([]float64, n*n)
		Orthonormalise(basis, n, p, coordinates, make([]float64, n), nil)
		q := mat.NewDense(n, p, basis)
		var back, product mat.Dense
		back.Mul(mat.NewDense(n, n, coordinates), q)
		if d := distance(back.RawMatrix().Data, rows); !(d <= 1e-12) {
			t.Fatalf("%d×%d: rows are wrong by %v", n, p, d)
		}
		product.Mul(q, q.T())
		if d := distance(product.RawMatrix().Data, want); !(d <= 1e-12) {
			t.Fatalf("%d×%d: not orthonormal, by %v", n, p, d)
		}
	}
	rows, coordinates := []float64{3, 4, 0, 6, 8, 0, 0, 0, 0}, make([]float64, 9)
	Orthonormalise(rows, 3, 3, coordinates, make([]float64, 3), nil)
	if want := []float64{0.6, 0.8, 0, 0, 0, 0, 0, 0, 0}; distance(rows, want) > 1e-15 {
		t.Errorf("dependent rows: %v, want %v", rows, want)
	}
	if want := []float64{5, 0, 0, 10, 0, 0, 0, 0, 0}; distance(coordinates, want) > 1e-15 {
		t.Errorf("coordinates of dependent rows: %v, want %v", coordinates, want)
	}
}

func BenchmarkEigen(b *testing.B) {
	for _, n := range []int{4, 10, 30, 60, 150} {
		a := symmetric(n, 2*n, 1, rand.New(rand.NewPCG(1, 1)))
		vectors, values, work := make([]float64, n*n), make([]float64, n), make([]float64, 100*n)
		b.Run(fmt.Sprint("ours/", n), func(b *testing.B) {
			for b.Loop() {
				copy(vectors, a)
				Eigen(vectors, values, work, nil)
			}
		})
		b.Run(fmt.Sprint("gonum/", n), func(b *testing.B) {
			s := blas64.Symmetric{N: n, Stride: n, Data: vectors, Uplo: blas.Upper}
			for b.Loop() {
				copy(vectors, a)
				lapack64.Syev(lapack.EVCompute, s, values, work, 34*n)
			}
		})
	}
}
