package graf

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/sim"
)

// A plainScanner is a Scanner on the processor that follows the contract word by word.
type plainScanner struct {
	loads, calls, closed atomic.Int64
	loadErr, sidesErr    error // to fail with
}

type plainRows struct {
	*plainScanner
	cells []float32
	m     int
}

func (s *plainScanner) Load(cells []float32, m int) (Rows, error) {
	if s.loadErr != nil {
		return nil, s.loadErr
	}
	s.loads.Add(1)
	return &plainRows{s, cells, m}, nil
}

func (r *plainRows) Close() { r.closed.Add(1) }

func (r *plainRows) Sides(dst []uint8, rows []int32, weights, thresholds []float32) error {
	if r.sidesErr != nil && r.calls.Load() == 3 {
		return r.sidesErr
	}
	r.calls.Add(1)
	planes := len(thresholds)
	if len(dst) != (planes+7)/8*len(rows) || len(weights) != (planes+15)/16*16*r.m {
		return errors.New("wrong lengths")
	}
	for i := range dst {
		dst[i] = 0xff // also where bits may be anything
	}
	for k, t := range thresholds {
		for i, row := range rows {
			var sum float32
			for j, v := range r.cells[int(row)*r.m:][:r.m] {
				sum += float32(v * weights[(k/16*r.m+j)*16+k%16])
			}
			if !(sum > t) {
				dst[k/8*len(rows)+i] &^= 1 << (k % 8)
			}
		}
	}
	return nil
}

// fewProducts makes a Scanner compute steps of at least n products for the rest of a test.
func fewProducts(t *testing.T, n int64) {
	before := minProducts
	minProducts = n
	t.Cleanup(func() { minProducts = before })
}

// A Scanner's forest is the same file, whether it computes all steps or the larger ones.
func TestScannerGivesTheSameBytes(t *testing.T) {
	for name, c := range map[string]struct {
		data    *datasets.Dataset
		learner Learner
		loads   int64
	}{
		"two classes":           {sim.Trunk{Features: 7}.Sample(400, 1), Learner{Trees: 5, TreeFeatures: All, Seed: 1}, 1},
		"thirteen, subspaces":   {sim.Hypercube{Features: 12, Multiclass: true}.Sample(500, 2), Learner{Trees: 5, Seed: 2}, 5},
		"one plane":             {noise(300, 4, 3, 3), Learner{Trees: 4, Candidates: 1, Seed: 3}, 4},
		"more planes than rows": {noise(40, 3, 2, 4), Learner{Trees: 2, TreeFeatures: All, Candidates: 300, Seed: 4}, 1},
		"equal rows, a view": {noise(20, 3, 2, 5).Subset([]int32{3, 3, 9, 1, 2, 19, 19, 5, 1, 1, 8, 0, 0, 4}),
			Learner{Trees: 6, TreeFeatures: All, Seed: 5}, 1},
		"one feature": {noise(200, 1, 2, 6), Learner{Trees: 3, MinSplit: 4, Seed: 6}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			file := func(ctx context.Context) []byte {
				f, err := c.learner.Fit(ctx, c.data)
				if err != nil {
					t.Fatal(err)
				}
				b, err := f.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			want := file(context.Background())
			var calls []int64
			for _, least := range []int64{0, int64(c.data.N())} {
				fewProducts(t, least)
				s := &plainScanner{}
				if !bytes.Equal(file(WithScanner(context.Background(), s)), want) {
					t.Errorf("another forest if a Scanner computes steps of at least %d products", least)
				}
				if loads := s.loads.Load(); loads != c.loads || s.closed.Load() != loads {
					t.Errorf("rows were loaded %d times and closed %d times, want %d", loads, s.closed.Load(), c.loads)
				}
				calls = append(calls, s.calls.Load())
			}
			if calls[1] > calls[0] || calls[0] == 0 {
				t.Errorf("the Scanner was called %v times", calls)
			}
		})
	}
}

// A Scanner isn't told of fits whose steps are all small.
func TestScannerIsLeftAloneBySmallFits(t *testing.T) {
	d := noise(300, 4, 2, 1)
	fewProducts(t, 300*4*4+1)
	s := &plainScanner{loadErr: errors.New("it was called")}
	if _, err := (Learner{Trees: 2, TreeFeatures: All}).Fit(WithScanner(context.Background(), s), d); err != nil {
		t.Error(err)
	}
}

func TestScannerErrors(t *testing.T) {
	d := noise(300, 4, 2, 1)
	fewProducts(t, 0)
	broken := errors.New("broken")
	for _, c := range []struct {
		want    string
		scanner *plainScanner
		learner Learner
	}{
		{"graf: a Scanner, loading 300 rows of 4 features: broken", &plainScanner{loadErr: broken}, Learner{Trees: 9, TreeFeatures: All}},
		{"graf: a Scanner, loading 300 rows of 2 features: broken", &plainScanner{loadErr: broken}, Learner{Trees: 9}},
		{"planes of 4 features: broken", &plainScanner{sidesErr: broken}, Learner{Trees: 9, TreeFeatures: All}},
		{"planes of 2 features: broken", &plainScanner{sidesErr: broken}, Learner{Trees: 9}},
	} {
		f, err := c.learner.Fit(WithScanner(context.Background(), c.scanner), d)
		if f != nil || !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "graf: ") || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if c.scanner.loads.Load() != c.scanner.closed.Load() {
			t.Errorf("rows were loaded %d times and closed %d times", c.scanner.loads.Load(), c.scanner.closed.Load())
		}
	}
}
