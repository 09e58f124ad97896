package old

import (
	"reflect"
	"testing"
)

// CRC-32 of "0" to "5", by Python's zlib.crc32, is 4108050209, 2212294583, 450215437, 1842515611,
// 4088798008 and 2226203566.
func TestHashedShards(t *testing.T) {
	if got, want := hashedShards(6, 4), [][]int32{{4}, {0, 2}, {5}, {1, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSortedShards(t *testing.T) {
	if got, want := sortedShards([]float32{5, 1, 4, 1, 3}, 2), [][]int32{{1, 3}, {4, 2, 0}}; !reflect.DeepEqual(got,
		want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
