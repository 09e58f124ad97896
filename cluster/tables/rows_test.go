package tables

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A rowEngine reads a CSV file, and has one worker transform its rows.
type rowEngine struct {
	cluster.Local
	t   *testing.T
	job *cluster.RowJob // the last one
	out *[][]string     // what the worker wrote
}

func (e rowEngine) Transform(ctx context.Context, job cluster.RowJob) error {
	*e.job = job
	f := must.Value(os.Open(strings.TrimPrefix(job.From, "test://")))
	defer f.Close()
	records := must.Value(csv.NewReader(f).ReadAll())
	place := map[string]int{}
	for j, name := range records[0] {
		place[name] = j
	}
	var in strings.Builder
	for _, r := range records[1:] {
		in.WriteString(base64.StdEncoding.EncodeToString([]byte(r[place[job.Key]])))
		for _, c := range job.Columns {
			cell := r[place[c.Name]]
			switch {
			case cell == "":
				cell = `\N`
			case c.Text:
				cell = base64.StdEncoding.EncodeToString([]byte(cell))
			}
			in.WriteString("\t" + cell)
		}
		in.WriteByte('\n')
	}
	folder := e.t.TempDir()
	for _, file := range job.Files {
		write(e.t, filepath.Join(folder, file.Name), file.Data)
	}
	c := exec.CommandContext(ctx, must.Value(e.Program()))
	c.Env = append(os.Environ(), cluster.Environment(folder, false, job.Task)...)
	c.Stdin = strings.NewReader(in.String())
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	*e.out = nil
	for line := range strings.Lines(string(out)) {
		*e.out = append(*e.out, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return nil
}

func decoded(cell string) string { return string(must.Value(base64.StdEncoding.DecodeString(cell))) }

// An engine that reads tables sends rows to the worker, which answers each.
func TestPredictByEngine(t *testing.T) {
	model, d := trunk(t, 4, 150_000) // more than a batch
	in := written(t, "x.csv", string(csvOf(d, 0, d.N())))
	e := rowEngine{t: t, job: new(cluster.RowJob), out: new([][]string)}
	result := must.Value(Predict(t.Context(), e, model, "test://"+in, "test://out", "id", Options{Probabilities: true}))
	if want := (Result{-1, -1, "", 0}); result != want {
		t.Errorf("result %+v, want %+v", result, want)
	}
	if e.job.Format != "csv" || e.job.To != "test://out" || e.job.Key != "id" || len(e.job.Columns) != 4 ||
		len(e.job.Out) != 2+2 {
		t.Errorf("job %+v", *e.job)
	}
	if len(*e.out) != d.N() {
		t.Fatalf("%d rows, want %d", len(*e.out), d.N())
	}
	labels, proba := must.Value(model.Predict(t.Context(), d)), must.Value(model.Proba(t.Context(), d))
	for i, row := range *e.out {
		same := len(row) == 5 && decoded(row[0]) == strconv.Itoa(i) && decoded(row[1]) == model.Classes[labels[i]] &&
			row[4] == `\N`
		for c, want := range proba[i] {
			p, err := strconv.ParseFloat(row[2+c], 64)
			same = same && err == nil && p == want
		}
		if !same {
			t.Fatalf("row %d is %q; want class %s, probabilities %v", i, row, model.Classes[labels[i]], proba[i])
		}
	}
}

func TestRowsOfTextAndValues(t *testing.T) {
	model := fit(t, forest.Pipeline(rf.Learner{Trees: 3}, datasets.Impute{}, datasets.OneHot{}), mixed())
	in := written(t, "x.csv", "key,size,colour\na,3,red\nb,NA,green\nc,1e300,red\nd,x,blue\n,7,\n")
	e := rowEngine{t: t, job: new(cluster.RowJob), out: new([][]string)}
	must.Value(Predict(t.Context(), e, model, in, t.TempDir(), "key", Options{ByEngine: true}))
	n := float32(math.NaN())
	d := mixed()
	d.Features[1].Categories = []string{"blue", "red", "green"}
	d.Columns, d.Values = [][]float32{{3, n, 7}, {1, 2, n}}, nil
	v := must.Value(model.PredictValues(t.Context(), d))
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	want := [][]string{{"a", text(v[0]), ""}, {"b", text(v[1]), ""}, {"c", `\N`, `column "size": "1e300" is not finite`},
		{"d", `\N`, `column "size": "x" is not a number`}, {"", text(v[2]), ""}}
	for i, row := range *e.out {
		fault := ""
		if row[2] != `\N` {
			fault = decoded(row[2])
		}
		if decoded(row[0]) != want[i][0] || row[1] != want[i][1] || !strings.HasPrefix(fault, want[i][2]) ||
			(fault == "") != (want[i][2] == "") {
			t.Errorf("row %d is %q (%s), want %q", i, row, fault, want[i])
		}
	}
	if len(*e.out) != len(want) {
		t.Errorf("%d rows, want %d", len(*e.out), len(want))
	}
}

// Numbers of Parquet come as Java writes float64, and are rounded from that to float32, as
// columnar does. 2²⁴ + 1 is halfway between two float32, and a little more is not.
func TestRowNumbers(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		cell         string
		parquet, csv float32
		fails        bool
	}{
		{"1.6777217E7", 1 << 24, 1 << 24, false},
		{"16777217.000000000001", 1 << 24, 1<<24 + 2, false}, // as float64 it is 2²⁴ + 1
		{"-0.1", -0.1, -0.1, false}, {`\N`, nan, nan, false}, {"NaN", nan, nan, false},
		{"Infinity", nan, nan, true}, {"3.5E38", nan, nan, true}, {"-1E400", nan, nan, true}, {"0x10", nan, nan,
			true}, {"many", nan, nan, true},
	} {
		for csv, want := range map[bool]float32{false: c.parquet, true: c.csv} {
			got, err := rowCells(csv).number(c.cell)
			if got != want && want == want || (err != nil) != c.fails || want != want && got == got {
				t.Errorf("%s (CSV: %v): %v, error %v; want %v", c.cell, csv, got, err, want)
			}
		}
	}
}

// A URL needs an engine that can read it.
func TestByEngineRefuses(t *testing.T) {
	model := trunkModel(t, 1)
	for _, o := range []Options{{}, {ByEngine: true}} {
		_, err := Predict(t.Context(), cluster.Local{}, model, "s3://in/", "s3://out/", "id", o)
		readtest.WantError(t, err, "cluster.Local can't read tables by itself")
	}
}

// What an engine sends must have the right number of cells; anything else in a cell concerns only its row.
func FuzzRows(f *testing.F) {
	model := fit(f, forest.Pipeline(rf.Learner{Trees: 2}, datasets.Impute{}, datasets.OneHot{}), mixed())
	for _, line := range []string{
		"aw==\t1\tcmVk\n", "\\N\t\\N\t\\N\nx\tNaN\t%%%\n", "\t\t\n",
		"k\t-Infinity\tcmVk\nk\t1e400\tcmVk", "\r\t0x1p-2\t/w==\n", "a\tb\n", "a\tb\tc\td\n", "",
	} {
		f.Add(line, true)
		f.Add(line, false)
	}
	f.Fuzz(func(t *testing.T, in string, csv bool) {
		var out bytes.Buffer
		err := rowTask{CSV: csv}.predict(model, strings.NewReader(in), &out)
		var lines []string
		if in != "" {
			lines = strings.Split(strings.TrimSuffix(in, "\n"), "\n")
		}
		for _, line := range lines {
			if strings.Count(line, "\t") != 2 {
				if err == nil {
					t.Errorf("%q: no error", in)
				}
				return
			}
		}
		got := strings.SplitAfter(out.String(), "\n")
		if err != nil || len(got) != len(lines)+1 {
			t.Fatalf("%q: %q, error %v", in, out.String(), err)
		}
		for i, line := range lines {
			row := strings.Split(strings.TrimSuffix(got[i], "\n"), "\t")
			key, _, _ := strings.Cut(line, "\t")
			if len(row) != 3 || row[0] != key || (row[1] == `\N`) == (row[2] == `\N`) {
				t.Errorf("%q is answered by %q", line, got[i])
			}
		}
	})
}
