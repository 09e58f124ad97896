package sim

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// maxCentroids is the largest number of centroids, and of classes, of a RandomRBF.
const maxCentroids = 1 << 20

// RandomRBF is the problem of Weka's data generator of that name, on which
// GRAF (Gupta et al.), section 7.1 and appendix A, measures bias and variance:
// rows scattered around random centroids, each of a random class.
//
// A centroid has a centre uniform on [0, 1]^p, a uniformly drawn class, and a
// weight and a standard deviation uniform on [0, 1]. A row draws a centroid in
// proportion to its weight, and has its class. From the centre, it lies in the
// direction of a point uniform on the cube [−1, 1]^p, at a normally distributed
// distance of mean 0 and the centroid's standard deviation. The cube makes diagonal
// directions likelier than those along an axis. With few centroids, some classes
// may have no rows.
//
// Defaults are Weka's. The paper's six data sets have 10,000 rows each, 2 or 5
// classes, and 10, 20 or 50 centroids.
//
// Another seed gives another problem, with other centroids. To get training and
// test data, split one sample, as the paper does.
type RandomRBF struct {
	Features  int // number of features p; 0 means 10
	Classes   int // number of classes ≤ 2²⁰; 0 means 2
	Centroids int // number of centroids ≤ 2²⁰; 0 means 50
}

func (r RandomRBF) params() (p, classes, centroids int) {
	return orDefault(r.Features, 10, maxFeatures, "RandomRBF.Features"),
		orDefault(r.Classes, 2, maxCentroids, "RandomRBF.Classes"),
		orDefault(r.Centroids, 50, maxCentroids, "RandomRBF.Centroids")
}

// Sample returns n rows, independent given the centroids.
func (r RandomRBF) Sample(n int, seed uint64) *datasets.Dataset {
	p, classes, count := r.params()
	d := newDataset("random RBF", n, p, classes, 0)
	pcg := newPCG(seed)
	rng := rand.New(pcg)

	type centroid struct {
		centre []float64
		label  int32
		stdev  float64
	}
	centroids := make([]centroid, count)
	weights := make([]float64, count) // cumulative
	var total float64
	for k := range centroids {
		centre := make([]float64, p)
		for j := range centre {
			centre[j] = rng.Float64()
		}
		centroids[k] = centroid{centre, int32(rng.IntN(classes)), rng.Float64()}
		total += rng.Float64()
		weights[k] = total
	}

	direction := make([]float32, p) // never 0
	for i := range n {
		k, _ := slices.BinarySearch(weights, rng.Float64()*total)
		c := centroids[k]
		d.Labels[i] = c.label
		fillUniform(direction, pcg)
		var norm2 float64
		for _, u := range direction {
			norm2 += float64(u) * float64(u)
		}
		scale := c.stdev * rng.NormFloat64() / math.Sqrt(norm2)
		for j, u := range direction {
			d.Columns[j][i] = float32(c.centre[j] + float64(scale*float64(u)))
		}
	}
	return d
}
