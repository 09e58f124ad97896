package grow

import "math"

// A key is a row for sorting. The upper 32 bits are its value, encoded so that keys sort as
// values do; the lower 32 bits are a payload: the class and count of a packed target,
// otherwise the row's number in the node.
type key = uint64

// NewKey returns the key of value v with a payload. −0 is encoded as 0.
func NewKey(v float32, payload uint32) key {
	b := math.Float32bits(v + 0)
	b ^= uint32(int32(b)>>31) | 1<<31
	return key(b)<<32 | key(payload)
}

// order returns the upper half of a key, which sorts as its value.
func order(k key) uint32 { return uint32(k >> 32) }

// KeyValue returns the value of a key.
func KeyValue(k key) float32 {
	b := uint32(k >> 32)
	b ^= ^uint32(int32(b)>>31) | 1<<31
	return math.Float32frombits(b)
}

// Up to insertionMax keys are sorted by insertion, more by radix sort: up to byteMax in
// four passes over bytes, above that in three passes over eleven bits, whose counters take
// 24 KiB. The limits are not calibrated; BenchmarkSort compares them.
const (
	insertionMax = 40
	byteMax      = 2500
)

// SortKeys sorts keys by value. The order of keys with equal values is unspecified, but the
// same in every run. tmp must be at least as long as keys. The result is in the memory of
// keys or of tmp.
func SortKeys(keys, tmp []key) []key {
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

// buckets sorts rows whose range of values is known. One pass counts the rows in as many
// buckets of equal width as there are rows, another writes the keys in order of bucket, and
// an insertion sort does the rest. That takes half the time of a radix sort, unless most
// rows share few buckets with rows of other values. Keys end in the same order as by radix sort.
type buckets [2 * maxBuckets]uint32

const (
	maxBuckets = 1 << 12
	bucketMax  = 1 << 13 // largest number of rows; more don't fit in the first-level cache
	maxMoves   = 2       // of a key by insertion, on average, above which radix sort is faster
)

// sortable counts the values, which are in [low, high], into buckets. It returns false if
// there are too many values, or their range is too small.
func (b *buckets) sortable(values []float32, low, high float32) (to binning, ok bool) {
	to = newBinning(low, high, min(len(values), maxBuckets))
	if len(values) > bucketMax || !finite(to.scale) {
		return to, false
	}
	starts := b[:to.count+1]
	clear(starts)
	for _, v := range values {
		starts[to.bucket(v)+1]++
	}
	sum := uint32(0)
	for k, n := range starts {
		sum += n
		starts[k] = sum
	}
	return to, true
}

// bucket returns the bucket of a value in [low, high].
func (b binning) bucket(v float32) uint32 {
	return uint32(int32((v-b.low)*b.scale)) & (2*maxBuckets - 1)
}

// insertStably sorts nearly sorted keys by value, and keeps the order of equal values. It returns false, with
// keys not yet sorted, after more than maxMoves moves for a key on average.
func insertStably(keys []key) bool {
	moves := maxMoves * len(keys)
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
		if moves -= i - j; moves < 0 {
			return false
		}
	}
	return true
}

// insertionSort sorts keys by value and payload.
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
