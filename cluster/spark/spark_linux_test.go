package spark

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/cluster/spark/internal/connect"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// All tests share one Spark, which takes a quarter of a minute to start. The last one kills a part
// of it.
func TestOnSpark(t *testing.T) {
	s := startSpark(t)
	t.Run("token", s.token)
	t.Run("session ends", s.sessionEnds)
	t.Run("same bytes", s.sameBytes)
	t.Run("large answers", s.largeAnswers)
	t.Run("rows", s.predicts)
	t.Run("rows of CSV", s.predictsCSV)
	t.Run("errors", s.errors)
	t.Run("other versions", s.otherVersions)
	t.Run("cancel", s.cancel)
	t.Run("driver dies", s.driverDies)
	for _, c := range []struct {
		name   string
		killed func(worker int) []int
	}{
		{"worker", func(worker int) []int { return []int{worker} }},
		{"keeper", func(worker int) []int { return []int{parent(worker)} }},
		{"executor", func(worker int) []int { return []int{parent(parent(worker))} }},
		{"machine", func(worker int) []int {
			executor := parent(parent(worker))
			return []int{parent(executor), executor, worker} // the daemon first, or it would start another executor
		}},
	} {
		t.Run(c.name+" dies", func(t *testing.T) { s.survives(t, c.killed) })
	}
}

// A server that wants a token refuses other ones.
func (s *standalone) token(t *testing.T) {
	s.dial(t)
	t.Setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", "")
	for _, address := range []string{strings.Replace(s.address, "correct", "wrong", 1),
		strings.TrimSuffix(s.address, "/;token=correct")} {
		_, err := Dial(t.Context(), address)
		readtest.WantError(t, err, "the server refuses")
	}
}

// Who goes on with a session that has ended is told.
func (s *standalone) sessionEnds(t *testing.T) {
	owner := must.Value(Dial(t.Context(), s.address))
	guest := must.Value(Dial(t.Context(), s.address+";session_id="+owner.session))
	defer guest.Close()
	must.Do(owner.Close())
	_, err := cluster.Fit(t.Context(), guest, rf.Learner{Trees: 2}, sim.Trunk{Features: 6}.Sample(100, 1))
	readtest.WantError(t, err, "call Dial again")
}

func (s *standalone) sameBytes(t *testing.T) {
	ctx, e := s.dial(t)
	if e.Slots() != 2 {
		t.Errorf("%d slots, want 2", e.Slots())
	}
	d := sim.Trunk{Features: 6}.Sample(400, 1)
	for name, learner := range map[string]forest.Learner{
		"rf":       rf.Learner{Trees: 20, Seed: 1 << 63},
		"pipeline": forest.Pipeline(sporf.Learner{Trees: 20, Seed: 4}, datasets.Impute{}, datasets.Standardise{}),
	} {
		whole := must.Value(learner.Fit(ctx, d))
		f, err := cluster.Fit(ctx, e, learner, d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(encoded(f), encoded(whole)) {
			t.Errorf("%s: the forest is not the one that the learner grows", name)
		}
	}
}

func init() {
	cluster.Handle("zeros", func(ctx context.Context, w *cluster.Worker, n int) ([]byte, error) {
		return make([]byte, n), nil
	})
	// A worker dies within a line and with most rows unread.
	cluster.HandleRows("dies", func(_ *cluster.Worker, _ int, _ io.Reader, out io.Writer) error {
		io.WriteString(out, "MA==\t0\nMQ==")
		panic("out of everything")
	})
}

// An answer may be larger than a message of gRPC by default. What Spark refuses names its setting.
func (s *standalone) largeAnswers(t *testing.T) {
	ctx, e := s.dial(t)
	const large = 5 << 20
	var got []int
	ask := func(n ...int) error {
		return cluster.Map(ctx, e, "zeros", nil, n, func(i int, b []byte) error { got = append(got, len(b)); return nil })
	}
	if err := ask(large); err != nil || len(got) != 1 || got[0] != large {
		t.Errorf("lengths %v, error %v; want one of %d", got, err, large)
	}
	readtest.WantError(t, ask(maxResult), "spark.driver.maxResultSize")
}

// An error of a task comes back in its words and isn't tried again; a crash is, and its last words
// come back.
func (s *standalone) errors(t *testing.T) {
	ctx, e := s.dial(t)
	d := sim.Trunk{Features: 6}.Sample(100, 1)
	const died = "^spark: workers died over a task, the last one with: "
	for _, c := range []struct {
		trouble, want string
		times         int
	}{
		{"error", `^row 7 is unlucky$`, 1},
		{"dies", died + "exit status 2: panic: out of everything$", 4},
		{"talks and dies", "(?s)" + died + "exit status 2: .*everything\npanic: really$", 4},
		{"is killed", died + "signal: killed, and nothing on its standard error$", 4},
	} {
		l := troubled{rf.Learner{Trees: 2, Seed: 4}, c.trouble, t.TempDir()} // one tree here, one task
		if _, err := cluster.Fit(ctx, e, l, d); err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%s: error %v, want %s", c.trouble, err, c.want)
		}
		if n := l.begun(); n != c.times {
			t.Errorf("%s: tried %d times, want %d", c.trouble, n, c.times)
		}
	}
	folder := t.TempDir()
	saveParquet(t, filepath.Join(folder, "in.parquet"), sim.Trunk{Features: 6}.Sample(100_000, 1))
	task := must.Value(cluster.RowTask(e, "dies", 0))
	err := e.Transform(ctx, cluster.RowJob{Task: task, Format: "parquet", From: filepath.Join(folder, "in.parquet"),
		Key: "id", To: filepath.Join(folder, "out"), Out: []cluster.RowColumn{{Name: "p"}}})
	if want := died + "exit status 2: panic: out of everything$"; err == nil ||
		!regexp.MustCompile(want).MatchString(err.Error()) {
		t.Errorf("rows: error %v, want %s", err, want)
	}
}

// An altered engine changes jobs on their way.
type altered struct {
	*Engine
	program string
	job     func(cluster.Job) cluster.Job
	done    int
}

func (a *altered) Program() (string, error) { return a.program, nil }

func (a *altered) Run(ctx context.Context, job cluster.Job, done func(int, []byte) error) error {
	return a.Engine.Run(ctx, a.job(job), func(i int, b []byte) error { a.done++; return done(i, b) })
}

// Workers of another program, other data and another architecture are refused by an error that
// names both, and no tree of theirs is used.
func (s *standalone) otherVersions(t *testing.T) {
	ctx, e := s.dial(t)
	own := must.Value(e.worker())
	hash := strings.TrimPrefix(own.Name, "obliqua-")
	program := must.Value(e.Program())
	other := t.TempDir() + "/other"
	must.Do(os.WriteFile(other, []byte("abc"), 0o700))
	const otherHash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, B.1
	same := func(j cluster.Job) cluster.Job { return j }
	seed := uint64(0)
	for name, c := range map[string]struct {
		altered
		want string
	}{
		"program": {altered{e, other, same, 0}, otherHash + ".*" + hash},
		"data": {altered{e, program, func(j cluster.Job) cluster.Job {
			return cluster.Job{Tasks: j.Tasks, Files: []cluster.File{{Name: j.Files[0].Name, Data: []byte("abc")}}}
		}, 0}, "data-" + otherHash + ".*data-"},
		"architecture": {altered{e, program, func(j cluster.Job) cluster.Job {
			for i, task := range j.Tasks {
				j.Tasks[i] = regexp.MustCompile(`"Architecture":"\w+"`).ReplaceAllString(task, `"Architecture":"vax"`)
			}
			return j
		}, 0}, "vax.*" + hash},
	} {
		seed++ // other data, or the file that is there would be taken
		_, err := cluster.Fit(ctx, &c.altered, rf.Learner{Trees: 9, Seed: 4}, sim.Trunk{Features: 6}.Sample(100, seed))
		if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
		if c.done != 0 {
			t.Errorf("%s: %d answers were used", name, c.done)
		}
	}
}

// A fit is a call of cluster.Fit that goes on.
type fit struct {
	ended  chan struct{} // closed when there is a result
	forest *forest.Forest
	err    error
}

// begin fits a forest, and returns when two of its tasks wait. A fit that ends before, because Spark's disk is full,
// say, fails the test.
func (s *standalone) begin(t *testing.T, ctx context.Context, e *Engine, l troubled, d *datasets.Dataset) *fit {
	t.Helper()
	f := &fit{ended: make(chan struct{})}
	go func() {
		defer close(f.ended)
		f.forest, f.err = cluster.Fit(ctx, e, l, d)
	}()
	eventually(t, "two tasks begin", s.progress, func() bool {
		select {
		case <-f.ended:
			t.Fatalf("no two tasks began: %v", f.err)
		default:
		}
		return l.begun() == 2
	})
	return f
}

// Fit returns ctx's error, though its tasks would go on for ever; its workers go, and not all of its
// tasks have their turn.
func (s *standalone) cancel(t *testing.T) {
	whole, e := s.dial(t)
	l := troubled{rf.Learner{Trees: 40}, "waits", t.TempDir()}
	ctx, cancel := context.WithCancel(whole)
	fit := s.begin(t, ctx, e, l, sim.Trunk{Features: 6}.Sample(100, 1))
	if w := workers(); len(w) != 2 {
		t.Errorf("%d workers, want 2", len(w))
	}
	began := time.Now()
	cancel()
	if <-fit.ended; !errors.Is(fit.err, context.Canceled) {
		t.Errorf("error %v", fit.err)
	}
	returned := time.Since(began)
	eventually(t, "no worker is left", s.progress, noWorker)
	gone := time.Since(began)
	// Another job's tasks begin after those of this one that are left.
	if _, err := cluster.Fit(whole, e, rf.Learner{Trees: 9}, sim.Trunk{Features: 6}.Sample(100, 1)); err != nil {
		t.Error(err)
	}
	if n, all := l.begun(), 4*e.Slots(); n >= all {
		t.Errorf("%d of %d tasks began, though the job was cancelled", n, all)
	}
	t.Logf("returned after %v; %d tasks begun; no worker after %v", returned, l.begun(), gone)
}

// When the driver's connection breaks for good, its tasks wait for the server to end them; then their workers go. Here
// another client tells the server to. It does so by itself after a while, but that is Spark's: 4.0.1 may wait for ever
// when a stream should end (SPARK-53900).
func (s *standalone) driverDies(t *testing.T) {
	ctx, e := s.dial(t)
	other := must.Value(Dial(ctx, s.address+";session_id="+e.session)) // doesn't end the session
	l := troubled{rf.Learner{Trees: 40}, "waits", t.TempDir()}
	fit := s.begin(t, ctx, other, l, sim.Trunk{Features: 6}.Sample(100, 1))
	other.Close()
	if <-fit.ended; fit.err == nil {
		t.Error("a forest without a connection")
	}
	must.Value(e.service.Interrupt(ctx, &connect.InterruptRequest{SessionId: e.session, UserContext: e.remote.user(),
		InterruptType: connect.InterruptRequest_INTERRUPT_TYPE_ALL}))
	eventually(t, "no worker is left", s.progress, noWorker)
}

// survives fits a forest, during which processes are killed: those that belong to one of the workers.
func (s *standalone) survives(t *testing.T, killed func(worker int) []int) {
	ctx, e := s.dial(t)
	d := sim.Trunk{Features: 6}.Sample(400, 1)
	l := troubled{rf.Learner{Trees: 20, Seed: 4}, "waits", t.TempDir()}
	whole := must.Value(l.Learner.Fit(ctx, d))
	lost := s.lost(t)
	began := time.Now()
	fit := s.begin(t, ctx, e, l, d)
	w := workers()
	if len(w) != 2 {
		t.Fatalf("%d workers, want 2", len(w))
	}
	for _, process := range killed(w[0]) {
		syscall.Kill(process, syscall.SIGKILL)
	}
	l.proceed(t)
	if <-fit.ended; fit.err != nil {
		t.Fatal(fit.err)
	}
	if !bytes.Equal(encoded(fit.forest), encoded(whole)) {
		t.Error("the forest is not the one that the learner grows")
	}
	if lost = s.lost(t) - lost; lost == 0 {
		t.Error("no task was lost and done again")
	}
	eventually(t, "no worker is left", s.progress, noWorker)
	t.Logf("the same bytes after %.1f s; %d lost, %d begun of %d", time.Since(began).Seconds(), lost, l.begun(),
		min(19, 4*e.Slots()))
}
