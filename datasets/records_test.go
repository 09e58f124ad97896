package datasets

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// Text that encoding/csv reads is read the same, over several blocks, and may be cut where a
// record ends.
func TestRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	var b strings.Builder
	b.WriteString("a,b,c\n\n")
	for i := range 100_000 {
		fmt.Fprintf(&b, "%d,\"x, %d\n\"\"y\"\"\",é\r\n", i, i)
	}
	text := b.String()
	want := must.Value(csv.NewReader(strings.NewReader(text)).ReadAll())
	r := must.Value(NewRecords(t.Context(), strings.NewReader("\ufeff"+text), "x.csv"))
	line := 1
	for i, record := range want {
		cells, at, err := r.Next()
		if err != nil || at != line || !reflect.DeepEqual(cells, record) {
			t.Fatalf("record %d is %q on line %d, error %v; want %q on line %d", i, cells, at, err, record, line)
		}
		if line += 2; r.Lines() != line-1 && i > 0 {
			t.Fatalf("%d lines end with record %d, want %d", r.Lines(), i, line-1)
		}
		if i%1000 == 17 {
			checkRest(t, text[r.Offset():], want[i+1])
		}
	}
	if _, _, err := r.Next(); err != io.EOF || r.Offset() != int64(len(text)) {
		t.Errorf("error %v, offset %d of %d", err, r.Offset(), len(text))
	}
}

func checkRest(t *testing.T, text string, want []string) {
	t.Helper()
	r := must.Value(NewRecords(t.Context(), strings.NewReader(text), "rest"))
	if cells, line, err := r.Next(); err != nil || line != 1 || !reflect.DeepEqual(cells, want) {
		t.Fatalf("the rest begins with %q on line %d, error %v; want %q", cells, line, err, want)
	}
}

func TestRecordsOfBadText(t *testing.T) {
	r := must.Value(NewRecords(t.Context(), strings.NewReader("a,b\n1,2\n3,\"4\n5,6\n"), "x.csv"))
	for range 2 {
		if _, _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := r.Next()
	readtest.WantError(t, err, "x.csv:3: a quote is opened and never closed")
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		cell string
		want float64
		err  string
	}{
		{"1.5", 1.5, ""}, {"-2e3", -2000, ""}, {"NA", math.NaN(), ""}, {"", math.NaN(), ""}, {"?", math.NaN(), ""},
		{"large", 0, `"large" is not a number`}, {"0x10", 0, "not a number"}, {"inf", 0, "not finite as a float64"}, {"1e999",
			0, "not finite"},
	} {
		v, err := Number[float64](c.cell)
		if c.err == "" && (err != nil || v != c.want && !math.IsNaN(c.want)) || c.err != "" &&
			(err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %v, error %v; want %v, %q", c.cell, v, err, c.want, c.err)
		}
		if missing := IsMissing(c.cell); missing != math.IsNaN(c.want) {
			t.Errorf("%q: missing is %v", c.cell, missing)
		}
	}
	if v, err := Number[float32]("1e39"); err == nil || v == v {
		t.Errorf("1e39 is %v, error %v", v, err)
	}
}
