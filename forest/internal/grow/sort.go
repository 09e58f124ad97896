package grow

import "math"

// A key is a row in sorting order: the value of a direction above, so that keys
// sort as the values do, and 32 bits that travel with it below.
type key = uint64

// newKey packs v and what travels with it. Negative zero becomes zero, which it
// equals.
func newKey(v float32, payload uint32) key {
	b := math.Float32bits(v + 0)
	b ^= uint32(int32(b)>>31) | 1<<31
	return key(b)<<32 | key(payload)
}

// order returns the part of a key that sorts as its value.
func order(k key) uint32 { return uint32(k >> 32) }

// value returns the value of a key.
func value(k key) float32 {
	b := uint32(k >> 32)
	b ^= ^uint32(int32(b)>>31) | 1<<31
	return math.Float32frombits(b)
}

// Few keys are sorted by insertion, more by counting digits: up to byteMax in four
// passes over bytes, above that in three over eleven bits, whose counters take
// 24 KiB. The limits are not calibrated; BenchmarkSort compares.
const (
	insertionMax = 40
	byteMax      = 2500
)

// sortKeys sorts keys by value; keys of equal value may end in any order, the
// same in every run. tmp has at least the length of keys. It returns the sorted
// keys, which are either keys or tmp.
func sortKeys(keys, tmp []key) []key {
	switch n := len(keys); {
	case n <= insertionMax:
		insertionSort(keys)
		return keys
	case n <= byteMax:
		return radixSort8(keys, tmp[:n])
	default:
		return radixSort11(keys, tmp[:n])
	}
}

// Buckets sort values whose range is known: a pass counts the rows of as many
// buckets of equal width as there are rows, another puts the keys there, and
// insertion does the rest. That takes half the time of counting digits, unless most
// rows share few buckets. The order is the same as by counting digits.
type buckets [2 * maxBuckets]uint32

const (
	maxBuckets = 1 << 12
	bucketMax  = 1 << 13 // rows; more of them wouldn't stay in the first cache
	crowded    = 8       // mean number of rows in a row's bucket from which counting digits is faster
)

// sortable counts the values, between low and high, into buckets. It returns false
// if they aren't sorted well that way.
func (b *buckets) sortable(values []float32, low, high float32) (to binning, ok bool) {
	to = newBinning(low, high, min(len(values), maxBuckets))
	if len(values) <= insertionMax || len(values) > bucketMax || !finite(to.scale) {
		return to, false
	}
	starts := b[:to.count+1]
	clear(starts)
	for _, v := range values {
		starts[to.bucket(v)+1]++
	}
	sum, pairs := uint32(0), 0
	for k, n := range starts {
		pairs += int(n) * int(n)
		sum += n
		starts[k] = sum
	}
	return to, pairs <= crowded*len(values)
}

// bucket returns the bucket of a value from low to high.
func (b binning) bucket(v float32) uint32 {
	return uint32(int32((v-b.low)*b.scale)) & (2*maxBuckets - 1)
}

// insertStably sorts keys by value that are nearly in order. Equal ones keep theirs.
func insertStably(keys []key) {
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		if order(keys[i-1]) <= order(k) {
			continue
		}
		j := i
		for ; j > 0 && order(keys[j-1]) > order(k); j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

func insertionSort(keys []key) {
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

// radixSort8 sorts by the four bytes of the value, least significant first.
func radixSort8(from, to []key) []key {
	var count [4][256]uint32
	for _, k := range from {
		count[0][uint8(k>>32)]++
		count[1][uint8(k>>40)]++
		count[2][uint8(k>>48)]++
		count[3][uint8(k>>56)]++
	}
	for pass := range 4 {
		shift := 32 + 8*uint(pass)
		c := &count[pass]
		if c[uint8(from[0]>>shift)] == uint32(len(from)) {
			continue // all keys share this byte
		}
		sum := uint32(0)
		for d, n := range c {
			c[d] = sum
			sum += n
		}
		for _, k := range from {
			d := uint8(k >> shift)
			to[c[d]] = k
			c[d]++
		}
		from, to = to, from
	}
	return from
}

// radixSort11 sorts by three digits of eleven, eleven and ten bits.
func radixSort11(from, to []key) []key {
	const mask = 1<<11 - 1
	var count [3][1 << 11]uint32
	for _, k := range from {
		count[0][k>>32&mask]++
		count[1][k>>43&mask]++
		count[2][k>>54&mask]++
	}
	for pass := range 3 {
		shift := 32 + 11*uint(pass)
		c := &count[pass]
		if c[from[0]>>shift&mask] == uint32(len(from)) {
			continue
		}
		sum := uint32(0)
		for d, n := range c {
			c[d] = sum
			sum += n
		}
		for _, k := range from {
			d := k >> shift & mask
			to[c[d]] = k
			c[d]++
		}
		from, to = to, from
	}
	return from
}
