package grow

import "github.com/obliqua-ml/obliqua/forest"

// Subset draws k of the features 0 … p−1 with equal probability, ascending, by Floyd's algorithm
// (Bentley and Floyd, Communications of the ACM 30, 1987). It overwrites dst and uses its memory.
func Subset(dst []int32, p, k int, rng *forest.Rand) []int32 {
	dst = dst[:0]
	for j := p - k; j < p; j++ {
		dst = insert(dst, int32(rng.Intn(j+1)), int32(j))
	}
	return dst
}

// insert adds feature j in ascending order. If j was drawn before it adds last instead,
// which is larger than all others.
func insert(features []int32, j, last int32) []int32 {
	i := len(features)
	for i > 0 && features[i-1] > j {
		i--
	}
	if i > 0 && features[i-1] == j {
		return append(features, last)
	}
	features = append(features, 0)
	copy(features[i+1:], features[i:])
	features[i] = j
	return features
}

// Choose fills dst with features drawn from those given, in their order, and returns it.
func Choose(dst, features []int32, rng *forest.Rand) []int32 {
	rng.Choose(dst, len(features))
	for k, at := range dst {
		dst[k] = features[at]
	}
	return dst
}

// featureStream names the random numbers by which a tree's features are drawn, beside those of samples and nodes.
const featureStream = 2

// TreeFeatures returns the m of p features, ascending, that a tree of a forest with the given seed may use.
func TreeFeatures(seed uint64, tree, m, p int) []int32 {
	features := make([]int32, m)
	rng := forest.NewRand(seed, uint64(tree), featureStream)
	rng.Choose(features, p)
	return features
}
