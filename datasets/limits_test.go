package datasets

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// allocated returns the bytes that do allocates in all, which are no fewer than it holds at once.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// fuzzLimits keep what fuzz tests read small.
var fuzzLimits = Limits{Columns: 1 << 12, Cells: 1 << 20, Record: 1 << 16, Unpacked: 1 << 20}

// Each limit holds exactly: what is at the limit is read, and one more is an error that says where
// it is and what to raise.
func TestLimits(t *testing.T) {
	csv := func(text string, sep rune) func(Limits) error {
		return func(l Limits) error {
			_, err := CSV{Limits: l, Comma: sep, NoHeader: true, NoTarget: true}.Read(t.Context(), strings.NewReader(text), "f")
			return err
		}
	}
	arff := func(rows string) func(Limits) error {
		return func(l Limits) error {
			_, err := ARFF{Limits: l}.Read(t.Context(),
				strings.NewReader("@attribute a real\n@attribute b real\n@data\n"+rows), "f")
			return err
		}
	}
	rows := strings.Repeat("1,2,3\n", 10)
	long := func(l Limits) error { // in blocks of 16 bytes
		_, err := CSV{Limits: l, NoTarget: true}.read(t.Context(), strings.NewReader("a\n"+strings.Repeat("x", 40)+"\ny\n"),
			"f", 16)
		return err
	}
	for name, test := range map[string]struct {
		read func(Limits) error
		at   Limits // the limit at which it can be read
		less Limits // one less
		err  string
	}{
		"columns": {csv("1,2,3\n", 0), Limits{Columns: 3}, Limits{Columns: 2},
			"datasets: f:1: more than 2 columns; if the file is right, raise Limits.Columns"},
		"quoted columns": {csv("\"1\",2,3\n", 0), Limits{Columns: 3}, Limits{Columns: 2},
			"datasets: f:1: more than 2 columns; "},
		"columns, blanks": {csv("1 2  3\n", ' '), Limits{Columns: 3}, Limits{Columns: 2},
			"datasets: f:1: more than 2 columns; "},
		"cells": {csv(rows, 0), Limits{Cells: 3 * (128 + 10)}, Limits{Cells: 3*(128+10) - 1},
			"datasets: f: the table has more than 413 cells, the limit for a file of this size; if it is right, raise " +
				"Limits.Cells"},
		"record": {long, Limits{Record: 40}, Limits{Record: 39},
			"datasets: f:2: a record of more than 39 bytes, from here on; is a quote never closed? If the file is right, " +
				"raise Limits.Record"},
		"unpacked": {csv(string(readtest.Gzipped(t, []byte(rows))), 0), Limits{Unpacked: 60}, Limits{Unpacked: 59},
			"datasets: f: the file unpacks to more than 59 bytes, the limit for its size; if it is right, unpack it first or " +
				"raise Limits.Unpacked"},
		"ARFF": {arff("{}\n{}\n{}\n"), Limits{Cells: 2 * (128 + 3), Columns: 2}, Limits{Cells: 2*(128+3) - 1},
			"datasets: f:6: the table has more than 261 cells, "},
		"attributes": {arff("{}\n"), Limits{Columns: 2}, Limits{Columns: 1}, "datasets: f:2: more than 1 columns; "},
	} {
		if err := test.read(test.at); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		readtest.WantError(t, test.read(test.less), test.err)
	}
}

func TestDefaultLimits(t *testing.T) {
	want := Limits{Columns: 1048576, Cells: 33554432 + 16*1000, Record: 64 * 1048576, Unpacked: 64*1048576 + 32*1000}
	if got := (Limits{}).Of(1000); got != want {
		t.Errorf("limits of a file of 1000 bytes: %v; want %v", got, want)
	}
	if all := (Limits{1, 2, 3, 4}); all.Of(1000) != all {
		t.Errorf("limits that are set: %v", all.Of(1000))
	}
}

// Small files that would unpack to what fills the memory end soon and with an error.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	pack := func(head, unit string, bytes int) string {
		return string(readtest.Gzipped(t, []byte(head+strings.Repeat(unit, bytes/len(unit)))))
	}
	for name, test := range map[string]struct {
		text string
		read func(ctx context.Context, r io.Reader, name string) (*Dataset, error)
		err  string
		most uint64 // bytes
	}{
		"a record without end": {pack("a,b\n", "x", 65<<20), CSV{}.Read, "f:2: a record of more than 67108864 bytes",
			512 << 20},
		"an open quote": {pack("a,b\n\"", "x\n", 65<<20), CSV{}.Read, "f:2: a record of more than 67108864 bytes",
			512 << 20},
		"a header of commas": {pack("a", ",", 10_000_000), CSV{}.Read, "f:1: more than 1048576 columns", 128 << 20},
		"rows of commas": {pack(strings.Repeat(",", 300_000)+"\n", ",", 900_000), CSV{NoHeader: true}.Read,
			"f: the table has more than ", 144 << 20},
		"empty sparse rows": {pack("@attribute a real\n@attribute b {c}\n@data\n", "{}\n", 51<<20), ARFF{}.Read,
			"f:17", 512 << 20},
	} {
		var err error
		got := allocated(func() { _, err = test.read(t.Context(), strings.NewReader(test.text), "f") })
		readtest.WantError(t, err, "datasets: "+test.err)
		if got > test.most {
			t.Errorf("%s, of %d bytes: %d bytes were allocated; want at most %d", name, len(test.text), got, test.most)
		}
	}
}

// Time and memory are in proportion to the columns. With time in proportion to their square, each
// of these takes from several seconds to minutes.
func TestManyColumns(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	const p = 100_000
	var names, one, two []string
	for j := range p {
		names = append(names, fmt.Sprint("c", j))
		one, two = append(one, fmt.Sprint((1+j)%9)), append(two, fmt.Sprint((2+j)%9))
	}
	var plain, quoted string
	for _, cells := range [][]string{names, one, two} {
		plain += strings.Join(cells, ",") + "\n"
		quoted += `"` + strings.Join(cells, `","`) + "\"\n"
	}
	read := func(o CSV, text string) *Dataset {
		return must.Value(o.Read(t.Context(), strings.NewReader(text), "f"))
	}
	want := read(CSV{}, plain)
	if got := read(CSV{}, quoted); !reflect.DeepEqual(got, want) {
		t.Error("quoted columns give another table")
	}
	dropped := read(CSV{Drop: names[:p/2]}, plain)
	if !reflect.DeepEqual(dropped.Columns, want.Columns[p/2:]) {
		t.Error("with columns listed in Drop the table is another")
	}
	if like := read(CSV{Like: want.Schema()}, plain); !reflect.DeepEqual(like, want) {
		t.Error("with Like the table is another")
	}

	arff := func(p int) *Dataset {
		var b strings.Builder
		for j := range p {
			fmt.Fprintf(&b, "@attribute c%d real\n", j)
		}
		b.WriteString("@data\n{0 1}\n{1 1}\n")
		return must.Value(ARFF{NoTarget: true}.Read(t.Context(), strings.NewReader(b.String()), "f"))
	}
	d := arff(p)
	if d.P() != p || d.Columns[1][1] != 1 || d.Columns[2][1] != 0 {
		t.Errorf("%d attributes, %v", d.P(), d.Row(nil, 1)[:3])
	}

	record := make(map[string]any, p)
	for j, f := range d.Features {
		record[f.Name] = float64(j)
	}
	row, err := d.Schema().Record(record)
	if err != nil || row[p-1] != p-1 {
		t.Errorf("a record of %d cells: %v", p, err)
	}
	record["other"] = 1.0
	_, err = d.Schema().Record(record)
	readtest.WantError(t, err, `no column "other"; the nearest are "c`)
}
