package graf

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// The rows are those of Weka 3.8.6 on OpenJDK 17, to the last digit. The hashes are of
//
//	java -cp weka.jar weka.datagenerators.classifiers.classification.RandomRBF -S 1 -n 10000 -a 10 -c 2 -C 10 |
//		sed '1,/@data/d;/^$/d' | sha256sum
func TestWekaRows(t *testing.T) {
	for _, weka := range []struct {
		classes, centroids int
		hash               string
	}{
		{2, 10, "ff635d817faef1c755d48247cd6f515e6632cc8014deda93d2507a8d19dbc303"},
		{5, 10, "2cf051e55d1e559e19f1f7f1823dc035efb1d15d4e2036b2500d88dd748a8292"},
		{2, 20, "5a4ea2935819403df2dd5db52dce512f819a2117554b89947a25a284338830e8"},
		{5, 20, "4955195a4385ec36ddcce03a1edc60a9d55e72a8dd64089099701f5177e04afd"},
		{2, 50, "9cb39af21ae93f1412597c93425b6c4cdab7329a55220abb03b4e33836fae600"},
		{5, 50, "3ab716f99454114938435dac022c1750816b5136475f6930a6cbbdf95b415407"},
	} {
		d := wekaRBF(weka.classes, weka.centroids)
		h := sha256.New()
		for i := range d.N() {
			for _, v := range d.Row(nil, i) {
				fmt.Fprint(h, strconv.FormatFloat(float64(v), 'f', -1, 32), ",")
			}
			fmt.Fprintf(h, "c%d\n", d.Labels[i])
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)); got != weka.hash {
			t.Errorf("%d classes, %d centroids: hash %s; want %s", weka.classes, weka.centroids, got, weka.hash)
		}
	}
}

// new java.util.Random(1) returns these numbers; nearly half of those that it draws are rejected.
func TestJavaRandomRejects(t *testing.T) {
	r := newJavaRandom(1)
	var got []int64
	for range 6 {
		got = append(got, r.nextInt(1<<30+1))
	}
	if want := []int64{215764588, 880641847, 874970313, 446064254, 77814904, 714504434}; !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}
