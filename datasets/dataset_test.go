package datasets

import (
	"strings"
	"testing"
)

func TestCheckSize(t *testing.T) {
	d := &Dataset{Name: "vast"}
	for _, c := range []struct {
		rows, columns int
		want          string
	}{
		{1<<31 - 1, 1<<31 - 1, ""},
		{1 << 31, 1, `data set "vast" has 2147483648 rows; at most 2147483647 can be indexed`},
		{1, 1 << 31, `data set "vast" has 2147483648 columns; at most 2147483647 can be indexed`},
	} {
		err := d.checkSize(c.rows, c.columns)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d × %d: error %v; want %q", c.rows, c.columns, err, c.want)
		}
	}
}
