package claims

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

const table = `problem,method,x,repeat,score,more
p,a,1,1,1,size=10
p,a,1,2,3,size=20
q,a,2,1,8,size=40
p,b,1,1,2,size=1
q,b,2,1,2,size=1
`

func lines(t *testing.T) []Line {
	path := filepath.Join(t.TempDir(), "table.csv")
	must.Do(os.WriteFile(path, []byte(table), 0o666))
	return must.Value(Read(path))
}

// All values are computed by hand.
func TestValues(t *testing.T) {
	for _, test := range []struct {
		where, minus, of, how string
		times, want           float64
	}{
		{"method=a", "", "score", "mean", 1, 4},
		{"method=a", "", "score", "median", 100, 300},
		{"method=a;x=1", "", "size", "max", 1, 20},
		{"", "", "score", "count", 1, 5},
		{"method=a", "", "score", "by problem mean", 1, 5}, // (2 + 8)/2
		{"method=a", "method=b", "score", "min", 1, -1},    // p's second repeat has no b
		{"method=a", "method=b", "score", "lower", 1, 1},
		{"method=a", "method=b", "score", "mean", 1, 2.5},
		{"method=a", "", "size - score", "min", 1, 9},
		{"method=a", "", "1 - score", "sd", 1, math.Sqrt(13)}, // of 0, −2, −7: (9 + 1 + 16)/2
		{"method=a", "", "score", "below 3", 1, 1},
		{"method=a", "", "score", "quantile 0.25", 1, 2},
		{"method=a", "method=b", "score", "ratio", 1, math.Sqrt2}, // 1/2 and 8/2
		{"method=a", "", "score", "wilcoxon", 1, 1.0 / 8},         // one of the signs that three numbers can have
		{"method=a", "", "score", "by problem wilcoxon", 1, 1.0 / 4},
	} {
		got, err := Number{test.where, test.minus, test.of, test.how, test.times}.Value(lines(t))
		if err != nil || math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%+v: %v, error %v", test, got, err)
		}
	}
	sets, err := Number{Where: "method=a", Of: "score", Times: 2}.Problems(lines(t))
	if err != nil || len(sets) != 2 || sets["p"] != 4 || sets["q"] != 16 {
		t.Errorf("problems %v, error %v; want twice 2 and 8", sets, err)
	}
}

func TestWrongNumbers(t *testing.T) {
	for _, test := range []struct{ where, of, how, want string }{
		{"method=c", "score", "mean", `there are no lines "method=c"`},
		{"method=a", "length", "mean", `column "length"`},
		{"method=a", "score", "mode", `unknown way "mode"`},
	} {
		_, err := Number{Where: test.where, Of: test.of, How: test.how, Times: 1}.Value(lines(t))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}
