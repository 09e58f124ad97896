package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/sim"
)

// The test's own program is the worker.
func TestMain(m *testing.M) {
	beforeMain()
	Main(rf.Learner{}, sporf.Learner{}, sporf.FRC{}, graf.Learner{}, oblique.Learner{}, rf.HRF{}, mix.Learner{},
		auto.Learner{}, troubled{}, function{})
	afterMain()
	os.Exit(m.Run())
}

// A troubled learner grows a random forest, but has trouble where it runs in a worker.
type troubled struct {
	rf.Learner
	Trouble string // "dies once", "dies", "error" or "waits"
	Folder  string // in which it leaves a file for each time
}

func (l troubled) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return l.Grow(ctx, train, forest.Options{})
}

func (l troubled) Grow(ctx context.Context, train *datasets.Dataset, o forest.Options) (*forest.Forest, error) {
	if os.Getenv(workerVariable) == "" {
		return l.Learner.Grow(ctx, train, o)
	}
	earlier := l.begun()
	mark, err := os.CreateTemp(l.Folder, "*")
	if err != nil {
		return nil, err
	}
	switch {
	case l.Trouble == "dies", l.Trouble == "dies once" && earlier == 0:
		os.Stderr.WriteString("out of everything\n")
		os.Exit(3)
	case l.Trouble == "error":
		return nil, errors.New("row 7 is unlucky")
	case l.Trouble == "waits":
		select {}
	}
	mark.Close()
	return l.Learner.Grow(ctx, train, o)
}

// begun returns how many tasks have begun.
func (l troubled) begun() int {
	marks, _ := filepath.Glob(filepath.Join(l.Folder, "*"))
	return len(marks)
}

func encoded(f *forest.Forest) []byte {
	return must.Value(f.MarshalBinary())
}

func TestFitIsTheLearnersFit(t *testing.T) {
	d := sim.Trunk{Features: 6}.Sample(200, 1)
	rows := make([]int32, 150)
	for i := range rows {
		rows[i] = int32(i * i % 200)
	}
	for name, learner := range map[string]forest.Learner{
		"rf":       rf.Learner{Trees: 20, Seed: 1 << 63},
		"one tree": rf.Learner{Trees: 1},
		"sporf":    sporf.Learner{Trees: 20, Density: 0.1 + 0.2, Seed: 4},
		"frc":      sporf.FRC{Trees: 20, Seed: 4},
		"graf":     graf.Learner{Trees: 20, Seed: 4},
		"oblique":  oblique.Learner{Trees: 20, Seed: 4},
		"pipeline": forest.Pipeline(sporf.Learner{Trees: 20, Seed: 4}, datasets.Impute{}, datasets.Standardise{}),
	} {
		train := d.Subset(rows)
		whole := must.Value(learner.Fit(t.Context(), train))
		var reports []int
		ctx := forest.WithProgress(t.Context(), func(done, total int) {
			if reports = append(reports, done); total != len(whole.Trees) {
				t.Errorf("%s: progress of %d trees", name, total)
			}
		})
		f := must.Value(Fit(ctx, Local{Workers: 2}, learner, train))
		if !bytes.Equal(encoded(f), encoded(whole)) {
			t.Errorf("%s: the forest is not the one that the learner grows", name)
		}
		if last := reports[len(reports)-1]; last != len(whole.Trees) {
			t.Errorf("%s: progress ended at %d", name, last)
		}
	}
}

// A worker that dies is replaced; one that dies over and over ends the job with its last words;
// and a task's error is not tried again.
func TestTroubledWorkers(t *testing.T) {
	d := sim.Trunk{Features: 6}.Sample(100, 1)
	inner := rf.Learner{Trees: 2, Seed: 4} // one tree here, one task
	whole := must.Value(inner.Fit(t.Context(), d))
	for _, c := range []struct {
		trouble string
		times   int
		want    string
	}{
		{"dies once", 2, ""},
		{"dies", attempts, "4 workers died over a task, the last one with: exit status 3: out of everything"},
		{"error", 1, "row 7 is unlucky"},
	} {
		l := troubled{inner, c.trouble, t.TempDir()}
		f, err := Fit(t.Context(), Local{Workers: 1}, l, d)
		readtest.WantResult(t, err, c.want)
		if err == nil && !bytes.Equal(encoded(f), encoded(whole)) {
			t.Errorf("%s: another forest", c.trouble)
		}
		if n := l.begun(); n != c.times {
			t.Errorf("%s: tried %d times, want %d", c.trouble, n, c.times)
		}
	}
}

func TestFitIsCancelled(t *testing.T) {
	l := troubled{rf.Learner{Trees: 9}, "waits", t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for l.begun() < 2 { // until both workers wait
			runtime.Gosched()
		}
		cancel()
	}()
	// Fit returns when its workers, which would wait for ever, are gone.
	if _, err := Fit(ctx, Local{Workers: 2}, l, sim.Trunk{Features: 6}.Sample(100, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// function has a parameter that can't be sent.
type function struct{ F func() }

func (function) Fit(context.Context, *datasets.Dataset) (*forest.Forest, error) { panic("never") }

// What can't be done is refused before a worker starts.
func TestFitRefuses(t *testing.T) {
	d := sim.Trunk{Features: 6}.Sample(100, 1)
	bad := *d
	bad.Features = append([]datasets.Feature{{Name: "a\xff"}}, d.Features[1:]...)
	oneClass := *d
	oneClass.Labels = make([]int32, d.N())
	for _, c := range []struct {
		learner forest.Learner
		train   *datasets.Dataset
		want    string
	}{
		{rf.HRF{Trees: 9}, d, "hrf: a tree depends on those before it"},
		{auto.Learner{Trees: 9}, d, "part"},
		{rf.Bagging{Trees: 9}, d,
			"cluster: workers don't know the learner github.com/obliqua-ml/obliqua/forest/rf.Bagging; they know " +
				"github.com/obliqua-ml/obliqua/cluster.function, "},
		{forest.Pipeline(rf.Learner{}, noStep{}), d,
			"workers don't know the step github.com/obliqua-ml/obliqua/cluster.noStep"},
		{function{func() {}}, d, "json: unsupported type: func()"},
		{rf.Learner{Trees: 9}, &bad, "names of features, categories or classes that are not UTF-8"},
		{rf.Learner{Trees: 9}, &oneClass, "rf: "},
	} {
		_, err := Fit(t.Context(), noEngine{t}, c.learner, c.train)
		readtest.WantError(t, err, c.want)
	}
}

type noStep struct{}

func (noStep) Fit(context.Context, *datasets.Dataset) (datasets.Transform, *datasets.Dataset, error) {
	panic("never")
}

type noEngine struct{ t *testing.T }

func (noEngine) Slots() int               { return 1 }
func (noEngine) Program() (string, error) { return os.Executable() }
func (e noEngine) Run(context.Context, Job, func(int, []byte) error) error {
	e.t.Error("a job was sent")
	return nil
}

// A worker refuses tasks of another program, other data, and what it can't read.
func TestWorkerRefuses(t *testing.T) {
	d := sim.Trunk{Features: 2}.Sample(20, 1)
	folder := t.TempDir()
	write := func(name string, b []byte) {
		must.Do(os.WriteFile(filepath.Join(folder, name), b, 0o600))
	}
	file := must.Value(DataFile(d))
	write(file.Name, file.Data)
	other := NewFile([]byte("other"))
	write(other.Name, file.Data)
	short := NewFile(file.Data[:len(file.Data)-1])
	write(short.Name, short.Data)
	sent := must.Value(EncodeLearner(rf.Learner{Trees: 3}))
	v := must.Value(versionOf(Local{}))
	good := trees{Learner: sent, Data: file.Name, First: 1, After: 3}
	change := func(f func(*version, *trees)) string {
		v, q := v, good
		f(&v, &q)
		return must.Value(encodeTask(v, "trees", q))
	}
	for _, c := range []struct{ line, want string }{
		{change(func(*version, *trees) {}), ""},
		{change(func(v *version, _ *trees) { v.Growth++ }), "wants a worker of version {Protocol:4 Format:"},
		{change(func(v *version, _ *trees) { v.Architecture = "vax" }), "Architecture:vax"},
		{change(func(v *version, _ *trees) { v.Program = "other" }), "Program:other"},
		{change(func(_ *version, q *trees) { q.Data = other.Name }), "has hash " + file.Name + ", the program's has " +
			other.Name},
		{change(func(_ *version, q *trees) { q.Data = "data-none" }), "data-none"},
		{change(func(_ *version, q *trees) { q.Data = short.Name }), "training data is damaged"},
		{change(func(_ *version, q *trees) { q.Learner.Type = "svm.Learner" }), "doesn't know the learner svm.Learner"},
		{change(func(_ *version, q *trees) { q.Learner.Parameters = []byte(`{"Trees":"many"}`) }), "forest/rf.Learner: json"},
		{change(func(_ *version, q *trees) { q.Learner.Steps = []sentValue{{"datasets.PCA", []byte("{}")}} }),
			"doesn't know the step datasets.PCA"},
		{change(func(_ *version, q *trees) { q.After = 4 }), "the forest has 3"},
		{strings.Replace(change(func(*version, *trees) {}), `"trees"`, `"shrubs"`, 1), "no handler of shrubs"},
		{strings.Replace(change(func(*version, *trees) {}), `"First"`, `"Primus"`, 1),
			"a question of trees that this worker doesn't understand"},
		{"{", "doesn't understand"},
	} {
		var out bytes.Buffer
		w := Worker{folder: folder}
		must.Do(w.work(strings.NewReader("17\t"+c.line+"\n"), &out, func() {}))
		number, got, permanent, err := ReadAnswer(out.Bytes())
		if c.want == "" {
			var p forest.Part
			if err != nil || p.UnmarshalBinary(got) != nil {
				t.Errorf("a good task is refused: %v", err)
			}
		} else if err == nil || !permanent || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v (permanent: %v), want one with %q", c.line, err, permanent, c.want)
		}
		if number != 17 || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
			t.Errorf("task %d, %d lines; want one that answers 17", number, bytes.Count(out.Bytes(), []byte("\n")))
		}
	}
	w := Worker{folder: folder}
	if err := w.work(strings.NewReader("0\t{\n"), brokenPipe{}, func() {}); err == nil {
		t.Error("a worker whose answers nobody reads goes on")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Another worker may send an answer that isn't damaged, but prints what this one prints.
func TestDamagedAnswers(t *testing.T) {
	for line, printed := range map[string]bool{
		"": true, "{": true, "x\t{}": true, "hello\n": true, "7\n": true, "50 %\r0\t{}": true,
		"0\t{": false, "0\t" + `{"Hash":"","Data":"AA=="}`: false, "0\t" + `{"Hash":"00","Data":"AA=="}`: false,
	} {
		_, _, permanent, err := ReadAnswer([]byte(line))
		if err == nil || permanent != printed || strings.Contains(err.Error(), "prints") != printed {
			t.Errorf("%q: error %v (permanent: %v)", line, err, permanent)
		}
	}
}

// Data arrive as they were sent, and no damage makes the worker panic or take much memory.
func TestDataAsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "columns")
		number := rapid.Custom(func(t *rapid.T) float32 {
			return rapid.SampledFrom([]float32{0, 1.5, -2e-40, math.MaxFloat32, float32(math.NaN()),
				float32(math.Inf(-1))}).Draw(t, "number")
		})
		column := rapid.SliceOfN(number, n, n)
		d := &datasets.Dataset{Name: rapid.String().Draw(t, "name"), Target: "t"}
		for j := range p {
			f := datasets.Feature{Name: rapid.String().Draw(t, "feature")}
			if j == 1 {
				f.Categories = rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "categories")
			}
			d.Features, d.Columns = append(d.Features, f), append(d.Columns, column.Draw(t, "column"))
		}
		switch rapid.IntRange(0, 2).Draw(t, "target") {
		case 0:
			d.Labels, d.Classes = rapid.SliceOfN(rapid.Int32Range(0, 1), n, n).Draw(t, "labels"), []string{"a", "b"}
		case 1:
			d.Values = rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "values")
		}
		if rapid.Bool().Draw(t, "weighted") {
			d.Weights = column.Draw(t, "weights")
		}
		if rapid.Bool().Draw(t, "grouped") {
			d.Groups = rapid.SliceOfN(rapid.Int32Min(0), n, n).Draw(t, "groups")
		}
		b := must.Value(encodeData(d))
		decoded := must.Value(decodeData(b))
		if !bytes.Equal(must.Value(encodeData(decoded)), b) {
			t.Fatal("encoded again it differs")
		}
		// As texts, in which NaN equals itself, and nil differs from an empty list.
		if got, want := fmt.Sprintf("%#v", *decoded), fmt.Sprintf("%#v", *d); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if _, err := decodeData(b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")]); err == nil {
			t.Fatal("truncated data pass")
		}
		damaged := bytes.Clone(b)
		damaged[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		_, _ = decodeData(damaged) // whatever it holds: the hash has found the damage before
	})
}

func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.IntRange(0, 5).Draw(t, "lo")
		hi := rapid.IntRange(lo, 300).Draw(t, "hi")
		n := rapid.IntRange(1, 50).Draw(t, "n")
		spans := split(lo, hi, n)
		if want := min(n, hi-lo); len(spans) != want {
			t.Fatalf("%d spans, want %d", len(spans), want)
		}
		next, least, most := lo, math.MaxInt, 0
		for _, s := range spans {
			if s.lo != next {
				t.Fatalf("a span begins at %d, want %d", s.lo, next)
			}
			next, least, most = s.hi, min(least, s.hi-s.lo), max(most, s.hi-s.lo)
		}
		if next != hi || len(spans) > 0 && (least < 1 || most > least+1) {
			t.Fatalf("spans %v of %d … %d", spans, lo, hi-1)
		}
	})
}
