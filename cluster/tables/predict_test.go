package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/sim"
)

// small makes shards of so few rows for the time of a test.
func small(t *testing.T, rows int) {
	before := shardRows
	shardRows = rows
	t.Cleanup(func() { shardRows = before })
}

// Row groups that are larger than a shard are cut, smaller ones joined; CSV is cut after records,
// also those of several lines. No row is lost or predicted twice.
func TestFilesAreCut(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	small(t, 25)
	model, d := trunk(t, 3, 700)
	for _, group := range []int{700, 170, 100, 99, 30, 1} {
		in, out := t.TempDir(), t.TempDir()
		writeParquet(t, filepath.Join(in, "x.parquet"), group, columnsOf(d, 0, d.N())...)
		result := must.Value(predictHere(t, model, in, out, "id", Options{}))
		if result.Files < 28 || result.Files > 56 {
			t.Errorf("row groups of %d: %d files", group, result.Files)
		}
		checkOutput(t, out, false, model, d)
	}
	for name, text := range map[string]string{
		"x.csv":     string(csvOf(d, 0, d.N())),
		"mark.csv":  "\ufeff" + string(csvOf(d, 0, d.N())),
		"blank.csv": "\n\n" + strings.ReplaceAll(string(csvOf(d, 0, d.N())), "\n", "\r\n\n"),
		"quotes.csv": "note," + strings.ReplaceAll(strings.TrimSuffix(string(csvOf(d, 0, d.N())), "\n"), "\n",
			"\n\"a\n\"\"note\"\"\n\","),
	} {
		in, out := written(t, name, text), t.TempDir()
		result := must.Value(predictHere(t, model, in, out, "id", Options{}))
		if result.Files != 28 {
			t.Errorf("%s: %d files", name, result.Files)
		}
		checkOutput(t, out, true, model, d)
	}
}

// mixed is a table with a category and a missing cell, and values.
func mixed() *datasets.Dataset {
	d := &datasets.Dataset{
		Features: []datasets.Feature{{Name: "size"}, {Name: "colour", Categories: []string{"blue", "red"}}},
		Columns:  [][]float32{make([]float32, 60), make([]float32, 60)},
		Target:   "price", Values: make([]float64, 60),
	}
	for i := range d.Values {
		d.Columns[0][i], d.Columns[1][i] = float32(i), float32(i%2)
		d.Values[i] = float64(i*i + 5*(i%2))
	}
	return d
}

// Rows that can't be predicted say why, and the others are predicted as the model predicts them.
func TestRowsThatFail(t *testing.T) {
	numbers := mixed().Select(0)
	plain := fit(t, rf.Learner{Trees: 3}, numbers)
	imputed := fit(t, forest.Pipeline(rf.Learner{Trees: 3}, datasets.Impute{}, datasets.OneHot{}), mixed())
	ordinal := fit(t, forest.Pipeline(rf.Learner{Trees: 3}, datasets.Impute{}, datasets.Ordinal{}), mixed())
	table := []testColumn{
		{"colour", []any{"red", "blue", nil, "green", "red", "red", "\xff"}},
		{"key", []any{"a", nil, "c", "c", "", "f", "g"}},
		{"size", []any{3., 50., 7., 20., nil, 1e300, 1.}},
	}
	text := "colour,key,size\nred,a,3\nblue,,50\n,c,7\ngreen,c,20\n" +
		"red,\"\",NA\nred,f,1e300\n\xff,g,1\nred,h\nred,i,large\nred,j,inf,\n"
	for _, c := range []struct {
		model        *forest.Forest
		parquet, csv string // faults by row
	}{
		{plain, "4 missing cell; 5 infinite", "4 missing cell; 5 1e300; 7 2 cells; 8 large; 9 4 cells"},
		{imputed, "5 infinite; 6 UTF-8", "5 1e300; 6 UTF-8; 7 2 cells; 8 large; 9 4 cells"},
		{ordinal, "3 green; 5 infinite; 6 UTF-8", "3 green; 5 1e300; 6 UTF-8; 7 2 cells; 8 large; 9 4 cells"},
	} {
		for format, want := range map[string]string{"parquet": c.parquet, "csv": c.csv} {
			in, out := filepath.Join(t.TempDir(), "in."+format), t.TempDir()
			if format == "csv" {
				write(t, in, []byte(text))
			} else {
				writeParquet(t, in, 3, table...)
			}
			result := must.Value(predictHere(t, c.model, in, out, "key", Options{}))
			rows := readOutput(t, out)
			name := fmt.Sprint(c.model.Method, " ", format, ": ")
			checkFaults(t, name, rows, result, want)
			checkMixed(t, name, rows, c.model)
			if format == "parquet" && (rows[1].key != nil || rows[4].key != "") || format == "csv" && rows[1].key != "" {
				t.Errorf("%s: missing keys are %v and %v", format, rows[1].key, rows[4].key)
			}
		}
	}
}

// checkFaults compares the rows' errors with "row text; row text".
func checkFaults(t *testing.T, name string, rows []outRow, result Result, want string) {
	t.Helper()
	texts := map[int]string{}
	for _, w := range strings.Split(want, "; ") {
		var row int
		fmt.Sscan(w, &row)
		_, texts[row], _ = strings.Cut(w, " ")
	}
	first := ""
	for i, row := range rows {
		fault, _ := row.fault.(string)
		if fault != "" && first == "" {
			first = fault
		}
		if (row.fault == nil) != (texts[i] == "") || (row.prediction == nil) == (row.fault == nil) ||
			!strings.Contains(fault, texts[i]) {
			t.Errorf("%srow %d is %+v; want the error %q", name, i, row, texts[i])
		}
	}
	if result.Failed != int64(len(texts)) || result.Rows != int64(len(rows)) || !strings.HasSuffix(result.First, first) {
		t.Errorf("%sresult %+v", name, result)
	}
}

// checkMixed compares the predictions of the table of TestRowsThatFail with those of a table put
// together by hand. The code of green doesn't matter.
func checkMixed(t *testing.T, name string, rows []outRow, model *forest.Forest) {
	t.Helper()
	n := float32(math.NaN())
	d := mixed()
	d.Features[1].Categories = append(d.Features[1].Categories, "green")
	d.Columns = [][]float32{{3, 50, 7, 20, n}, {1, 0, n, 2, 1}}
	d.Values = nil
	if len(model.Schema().Features) == 1 {
		d = d.Select(0)
	}
	for i := range d.N() {
		if rows[i].fault != nil {
			continue
		}
		if want := must.Value(model.PredictValues(t.Context(), d.Subset([]int32{int32(i)})))[0]; rows[i].prediction != want {
			t.Errorf("%srow %d is predicted as %v, want %v", name, i, rows[i].prediction, want)
		}
	}
}

// Whichever rows can't be predicted, they are found, and the others have their predictions.
func TestWhichRowsFail(t *testing.T) {
	problem := sim.Trunk{Features: 3}
	model := fit(t, rf.Learner{Trees: 5, Seed: 1}, problem.Sample(100, 1))
	rapid.Check(t, func(t *rapid.T) {
		d := problem.Sample(rapid.IntRange(1, 40).Draw(t, "rows"), 2)
		want := must.Value(model.Predict(t.Context(), d))
		bad := rapid.SliceOfN(rapid.Bool(), d.N(), d.N()).Draw(t, "bad")
		for i := range bad {
			if bad[i] {
				d.Columns[i%3][i] = float32(math.NaN())
			}
		}
		p := must.Value(predict(context.Background(), model, &batch{data: d}, true))
		for i := range bad {
			if (p.faults[i] != "") != bad[i] || !bad[i] && (p.labels[i] != want[i] || len(p.proba[i]) != 2) {
				t.Errorf("row %d of %d: %q, label %d, want %d (bad: %v)", i, d.N(), p.faults[i], p.labels[i], want[i], bad[i])
			}
		}
	})
}

// numbered is a source of keys that count.
type numbered struct {
	source
	count int64
}

func (s *numbered) copyKeys(to file.ColumnChunkWriter, n int) error {
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = s.count
		s.count++
	}
	_, err := to.(*file.Int64ColumnChunkWriter).WriteBatch(keys, nil, nil)
	return err
}

// A long file has several row groups, so that writing it doesn't take the memory of all.
func TestRowGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), partName(0))
	f := must.Value(os.Create(path))
	defer f.Close()
	w := must.Value(newTableWriter(f, schema.NewInt64Node("id", parquet.Repetitions.Required, -1),
		[]cluster.RowColumn{{Name: "prediction"}, {Name: "error", Text: true}}))
	const n = groupRows / 2
	p := &predictions{values: make([]float64, n), faults: make([]string, n)}
	s := &numbered{}
	for range 5 {
		must.Do(w.write(s, p))
	}
	must.Do(w.finish(summary{}))
	r := must.Value(file.OpenParquetFile(path, false))
	defer r.Close()
	if r.NumRowGroups() != 3 || r.NumRows() != 5*n {
		t.Errorf("%d row groups of %d rows, want 3 of %d", r.NumRowGroups(), r.NumRows(), 5*n)
	}
}

// A program that is interrupted goes on: what is there isn't written again, and the output is what
// it would have been.
func TestPredictGoesOn(t *testing.T) {
	small(t, 100)
	model, d := trunk(t, 3, 2000)
	in, out, whole := t.TempDir(), t.TempDir(), t.TempDir()
	writeParquet(t, filepath.Join(in, "x.parquet"), 100, columnsOf(d, 0, d.N())...)
	e := cluster.Local{Workers: 2}
	want := must.Value(Predict(t.Context(), e, model, in, whole, "id", Options{}))
	ctx, cancel := context.WithCancel(t.Context())
	ctx = forest.WithProgress(ctx, func(done, total int) {
		if done == 7 {
			cancel()
		}
	})
	if _, err := Predict(ctx, e, model, in, out, "id", Options{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	times := map[string]time.Time{}
	parts, _ := filepath.Glob(filepath.Join(out, "part-*"))
	for _, path := range parts {
		times[path] = must.Value(os.Stat(path)).ModTime()
	}
	if len(times) < 7 || len(times) == want.Files {
		t.Fatalf("%d parts were written before the interruption", len(times))
	}
	// Another program may be doing the same job, so nothing is removed before all parts are there.
	left := filepath.Join(out, ".obliqua-0123.tmp")
	write(t, left, []byte("left by a worker that was killed, or being written"))
	ctx = forest.WithProgress(t.Context(), func(done, total int) {
		if _, err := os.Stat(left); err != nil {
			t.Errorf("when %d of %d parts were there: %v", done, total, err)
		}
	})
	got, err := Predict(ctx, e, model, in, out, "id", Options{})
	if err != nil || got != want {
		t.Errorf("result %+v, error %v; want %+v", got, err, want)
	}
	for path, before := range times {
		if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(before) {
			t.Errorf("%s was written again", path)
		}
	}
	if a, b := readFiles(t, out), readFiles(t, whole); !reflect.DeepEqual(a, b) {
		t.Errorf("%d files, want the same %d", len(a), len(b))
	}
}

func readFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, entry := range must.Value(os.ReadDir(folder)) {
		files[entry.Name()] = string(must.Value(os.ReadFile(filepath.Join(folder, entry.Name()))))
	}
	return files
}

// What concerns a whole file or folder is an error that names it.
func TestPredictRefuses(t *testing.T) {
	model, d := trunk(t, 2, 50)
	good := columnsOf(d, 0, 50)
	texts := append([]testColumn{}, good...)
	texts[2].cells = slices.Repeat([]any{"a"}, 50)
	key := append([]testColumn{}, good...)
	key[0] = testColumn{"id", slices.Repeat([]any{"a"}, 50)}
	parquetFile := func(columns ...testColumn) []byte {
		path := filepath.Join(t.TempDir(), "x.parquet")
		writeParquet(t, path, 50, columns...)
		return must.Value(os.ReadFile(path))
	}
	whole := string(parquetFile(good...))
	middle := len(whole) / 3
	for _, c := range []struct {
		want  string   // separated by bars
		files []string // names, each before its text
		key   string   // empty: id
	}{
		{"in: no such file", nil, ""},
		{"in: there is no Parquet or CSV file", []string{"_SUCCESS", "", ".crc", ""}, ""},
		{"b.txt is neither", []string{"a.parquet", whole, "b.txt", ""}, ""},
		{"a.csv: the file is empty", []string{"a.csv", ""}, ""},
		{"a.parquet|the file is empty", []string{"a.parquet", ""}, ""},
		{"b.parquet|damaged", []string{"a.parquet", whole, "b.parquet", whole[:len(whole)-9]}, ""},
		{"a.parquet", []string{"a.parquet", whole[:middle] + strings.Repeat("\xff", 60) + whole[middle+60:]}, ""},
		{`a.parquet|no column "x2"|"x1", "id"`, []string{"a.parquet", string(parquetFile(good[:2]...))}, ""},
		{`a.csv|no column "x2"`, []string{"a.csv", "id,x1\n1,2\n"}, ""},
		{`a.parquet|no column "key"`, []string{"a.parquet", whole}, "key"},
		{`a.csv|no column "id"`, []string{"a.csv", "x1,x2\n1,2\n"}, ""},
		{`a.parquet|column "x2" is text`, []string{"a.parquet", string(parquetFile(texts...))}, ""},
		{"a.parquet|b.csv|INT64|BYTE_ARRAY", []string{"a.parquet", whole, "b.csv", "id,x1,x2\n1,2,3"}, ""},
		{"a.parquet|b.parquet", []string{"a.parquet", whole, "b.parquet", string(parquetFile(key...))}, ""},
		{"a.csv: columns 2 and 4", []string{"a.csv", "id,x1,x2,x1\n1,2,3,4\n"}, ""},
		{"a.csv:3: a quote is opened", []string{"a.csv", "id,x1,x2\n1,2,3\n2,\"2,3\n"}, ""},
		{"a.csv.gz", []string{"a.csv.gz", "\x1f\x8bid,x1,x2\n1,2,3\n"}, ""},
		{"the key is called", []string{"a.csv", "error,x1,x2\n1,2,3\n"}, "error"},
	} {
		in, out := filepath.Join(t.TempDir(), "in"), t.TempDir()
		for file := range slices.Chunk(c.files, 2) {
			write(t, filepath.Join(in, file[0]), []byte(file[1]))
		}
		_, err := predictHere(t, model, in, out, cmp.Or(c.key, "id"), Options{})
		readtest.WantError(t, err, strings.Split(c.want, "|")...)
		if parts, _ := filepath.Glob(filepath.Join(out, "*.parquet")); len(parts) > 1 {
			t.Errorf("%s: left %v", c.want, parts)
		}
	}
}

// A model of columns that are relative to an offset isn't given cells that have lost it.
func TestPredictRefusesOffsets(t *testing.T) {
	text := "id,x1,x2,y\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d,%d,%d\n", i, 1_700_000_000_000+i, i%7, i/20)
	}
	train := must.Value(datasets.CSV{Drop: []string{"id"}}.Read(t.Context(), strings.NewReader(text), "t"))
	in := written(t, "a.csv", text)
	_, err := predictHere(t, fit(t, rf.Learner{Trees: 2, Seed: 1}, train), in, t.TempDir(), "id", Options{})
	readtest.WantError(t, err, `column "x1" is kept relative to 1.70000000002e+12`)
}

// Tables without rows have no predictions.
func TestNoRows(t *testing.T) {
	model, in := trunkModel(t, 1), t.TempDir()
	write(t, filepath.Join(in, "csv", "a.csv"), []byte("id,x1,x2\n"))
	write(t, filepath.Join(in, "csv", "b.csv"), []byte("id,x1,x2"))
	writeParquet(t, filepath.Join(in, "parquet", "a.parquet"), 1, columnsOf(sim.Trunk{Features: 2}.Sample(50, 1), 0, 0)...)
	for _, format := range []string{"csv", "parquet"} {
		result, err := predictHere(t, model, filepath.Join(in, format), t.TempDir(), "id", Options{})
		if err != nil || result != (Result{}) {
			t.Errorf("%s: result %+v, error %v", format, result, err)
		}
	}
}

// A forgetful engine does the tasks, but then the files are gone, as where workers don't see the
// program's folder.
type forgetful struct {
	cluster.Local
	folder string
}

func (e forgetful) Run(ctx context.Context, job cluster.Job, done func(int, []byte) error) error {
	err := e.Local.Run(ctx, job, done)
	os.Remove(filepath.Join(e.folder, partName(0))) // not there yet after the first job, which plans
	return err
}

func TestWorkersOfAnotherFolder(t *testing.T) {
	model := trunkModel(t, 1)
	in, out := written(t, "a.csv", "x1,x2\n1,2\n"), t.TempDir()
	_, err := Predict(t.Context(), forgetful{cluster.Local{Workers: 1}, out}, model, in, out, "x1", Options{})
	readtest.WantError(t, err, "must see the same folder")
	// A feature may be the key.
	must.Value(predictHere(t, model, in, out, "x1", Options{}))
	want := model.Classes[must.Value(model.Predict(t.Context(), &datasets.Dataset{Features: []datasets.Feature{{}, {}},
		Columns: [][]float32{{1}, {2}}}))[0]]
	if rows := readOutput(t, out); len(rows) != 1 || rows[0].key != "1" || rows[0].prediction != want {
		t.Errorf("rows %+v, want key 1 and %s", rows, want)
	}
}

// A worker refuses a file that isn't the one that was listed.
func TestChangedInput(t *testing.T) {
	inputs, err := list(written(t, "a.csv", "id,x1\n1,2\n"))
	if err != nil || len(inputs) != 1 || inputs[0].check() != nil {
		t.Fatalf("inputs %v, error %v", inputs, err)
	}
	longer, later := inputs[0], inputs[0]
	longer.Size++
	later.Time = later.Time.Add(time.Nanosecond)
	for _, in := range []input{longer, later} {
		_, err := predictShard(t.Context(), nil, shardTask{Input: in})
		readtest.WantError(t, err, "a.csv has 10 bytes of")
	}
}

// A folder that isn't empty, or is of another job, is left as it is.
func TestOutputFolder(t *testing.T) {
	model := trunkModel(t, 1)
	other := trunkModel(t, 2)
	in := written(t, "a.csv", "id,x1,x2\n1,2,3\n")
	for _, c := range []struct {
		want   string // none: no error
		change func(out string)
		model  *forest.Forest // nil: model
		key    string         // empty: id
		o      Options
	}{
		{},
		{want: "another job: the model was data-", model: other},
		{want: "another job: the key was id, now it is x1", key: "x1"},
		{want: "Probabilities was false", o: Options{Probabilities: true}},
		{want: "has notes.txt in it", change: func(out string) { write(t, filepath.Join(out, "notes.txt"), nil) }},
		{want: "has part-000001.parquet in it",
			change: func(out string) { write(t, filepath.Join(out, "part-000001.parquet"), nil) }},
		{want: "remove it",
			change: func(out string) { write(t, filepath.Join(out, "part-000000.parquet"), []byte("PAR1")) }},
		{want: "not written by this job", change: func(out string) {
			writeParquet(t, filepath.Join(out, "part-000000.parquet"), 1, testColumn{"id", []any{int64(1)}})
		}},
		{want: "not written by this job", change: func(out string) {
			elsewhere := t.TempDir()
			must.Value(predictHere(t, other, in, elsewhere, "id", Options{}))
			must.Do(os.Rename(filepath.Join(elsewhere, partName(0)), filepath.Join(out, partName(0))))
		}},
		{want: "has part-000000.parquet in it",
			change: func(out string) { os.Remove(filepath.Join(out, descriptionName)) }},
		{want: descriptionName + " is damaged",
			change: func(out string) { write(t, filepath.Join(out, descriptionName), []byte("{")) }},
		{want: "another job: input file 1 was {a.csv 15",
			change: func(string) { write(t, in, []byte("id,x1,x2\n1,2,33\n")) }},
	} {
		out := filepath.Join(t.TempDir(), "a", "b")
		must.Value(predictHere(t, model, in, out, "id", Options{}))
		if c.change != nil {
			c.change(out)
		}
		before := readFiles(t, out)
		_, err := predictHere(t, cmp.Or(c.model, model), in, out, cmp.Or(c.key, "id"), c.o)
		readtest.WantResult(t, err, c.want)
		if after := readFiles(t, out); !reflect.DeepEqual(after, before) {
			t.Errorf("%s: the folder was changed", c.want)
		}
	}
}

// In a column of decimal commas the point of 1.885 marks thousands, so reading it as a decimal point is wrong:
// datasets.CSV reads 1885. A point with three digits beside marks that aren't decimal commas is one.
func TestPointsOfThousands(t *testing.T) {
	model := trunkModel(t, 1)
	for text, fails := range map[string]bool{
		"\"54,95\"\n1.885":         true,
		"-1.885\n\"-1.054,9\"":     true,
		"\"54,95\"\n1.8855\n21.88": false,
		"\"1,234\"\n1.885":         false, // thousands, and a decimal point
		"\"1,234.5\"\n1.885":       false,
		"\"a,5\"\n1.885\n1.885e0":  false,
		"\"54,95\"\n\"1.885.123\"": false, // no number, so nothing is read wrongly
	} {
		in := written(t, "a.csv", "x2,x1,id\n1,"+strings.ReplaceAll(text, "\n", ",k\n1,")+",k\n")
		_, err := predictHere(t, model, in, t.TempDir(), "id", Options{})
		if !fails {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		readtest.WantError(t, err, `a.csv: column "x1": "`, "has a decimal comma", "marks thousands")
	}
}
