package spark

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// session returns a session with a server, in which the workers' program is a file of 2.5 MiB.
func session(t *testing.T, f *fake) *Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	must.Do(os.WriteFile(path, []byte(strings.Repeat("obliqua!", 5<<16)), 0o700))
	e := must.Value(Dial(t.Context(), "sc://"+f.address, Program(path)))
	t.Cleanup(func() { e.Close() })
	return e
}

var job = cluster.Job{
	Files: []cluster.File{{Name: "data-1", Data: []byte("abc")}, {Name: "data-2", Data: nil}},
	Tasks: []string{`{"a":"it's"}`, `{"b":"\u0001 \\"}`, "c"},
}

// Files and program are sent once; the only command is the program; a stream that ends early or
// breaks is taken up again, and every answer comes once.
func TestRun(t *testing.T) {
	for name, breaks := range map[string][]error{
		"whole":  nil,
		"ends":   {nil, nil, nil},
		"breaks": {status.Error(codes.Unavailable, "gone"), nil, status.Error(codes.Unavailable, "gone again")},
	} {
		t.Run(name, func(t *testing.T) {
			f := (&fake{breaks: breaks}).serve(t)
			e := session(t, f)
			for range 2 {
				got := make([]string, len(job.Tasks))
				err := e.Run(t.Context(), job, func(i int, answer []byte) error { got[i] += string(answer); return nil })
				if err != nil {
					t.Fatal(err)
				}
				if want := []string{`{"A":"IT'S"}`, `{"B":"\U0001 \\"}`, "C"}; !slices.Equal(got, want) {
					t.Errorf("answers %q, want %q", got, want)
				}
			}
			if n := len(breaks); n > 0 && !slices.Equal(f.last, []string{"response 0", "response 1", "response 2"}[:n]) {
				t.Errorf("streams go on after %v", f.last)
			}
			checkSent(t, f, e)
		})
	}
}

func checkSent(t *testing.T, f *fake, e *Engine) {
	t.Helper()
	sum := sha256.Sum256([]byte(strings.Repeat("obliqua!", 5<<16)))
	program := "obliqua-" + hex.EncodeToString(sum[:])
	for name, want := range map[string]string{program: strings.Repeat("obliqua!", 5<<16), "data-1": "abc", "data-2": "",
		e.mark(): "\n"} {
		parts := max(1, (len(want)+1<<20-1)/(1<<20))
		if got := string(f.files["files/"+name]); got != want || f.parts["files/"+name] != parts {
			t.Errorf("%s: %d bytes in %d messages, want %d in %d", name, len(got), f.parts["files/"+name], len(want), parts)
		}
	}
	if len(f.files) != 4 || len(f.plans) != 2 {
		t.Errorf("%d files, %d plans", len(f.files), len(f.plans))
	}
	for _, p := range f.plans {
		query := p.GetRoot().GetWithRelations().GetRoot().GetSql().GetQuery()
		commands := regexp.MustCompile(`USING '([^']*)'`).FindAllStringSubmatch(query, -1)
		want := "cd $(dirname */" + e.mark() +
			") && OBLIQUA_WORKER=. OBLIQUA_WORKER_INPUT=ends OBLIQUA_WORKER_TASK= GOMAXPROCS=3 GOTRACEBACK=none exec ./" +
			program
		if len(commands) != 1 || commands[0][1] != want {
			t.Errorf("the commands %q, want %q", commands, want)
		}
	}
	if n := len(f.requests); f.requests[n-1] != "release" {
		t.Errorf("the result isn't released: %v", f.requests)
	}
}

func TestRunErrors(t *testing.T) {
	own := errors.New("no more, please")
	for name, c := range map[string]struct {
		lines func(task string) []string
		fail  error
		done  error
		want  string
	}{
		"permanent": {func(string) []string { return []string{`1	{"Error":"row 7 is unlucky"}`} }, nil, nil,
			`^row 7 is unlucky$`},
		"damaged": {func(string) []string { return []string{`1	{"Hash":"00","Data":"AA=="}`} }, nil, nil,
			`^spark: .*damaged`},
		"no answer": {func(string) []string { return nil }, nil, nil, `^spark: no answer to task 1 of 3$`},
		"twice": {func(string) []string { return []string{goodAnswer("1", "x")} }, nil, nil,
			`^spark: an answer to task 1, which nobody`},
		"unknown": {func(string) []string { return []string{goodAnswer("3", "x")} }, nil, nil,
			`^spark: an answer to task 3, which nobody`},
		"done": {nil, nil, own, `^no more, please$`},
		"crash": {nil, status.Error(codes.Internal, "[USER_RAISED_EXCEPTION] signal: killed: too large SQLSTATE: P0001"), nil,
			`^spark: workers died over a task, the last one with: signal: killed: too large$`},
		"crash of the keeper": {nil, status.Error(codes.Internal,
			"Subprocess exited with status 3. Error: out of everything\n\t"), nil,
			`^spark: Subprocess exited with status 3. Error: out of everything$`},
		"too large": {nil, status.Error(codes.Internal,
			"Total size of serialized results of 1 tasks (2.0 GiB) is bigger than spark.driver.maxResultSize (1024.0 MiB)"), nil,
			`^spark: .*2.0 GiB.*spark.driver.maxResultSize \(1024.0 MiB\) ` +
				`\(start the server with a higher spark.driver.maxResultSize`},
		"token": {nil, status.Error(codes.Unauthenticated, "Invalid authentication token"), nil,
			`^spark: the server refuses: Invalid authentication token`},
	} {
		t.Run(name, func(t *testing.T) {
			f := (&fake{lines: c.lines, fail: c.fail}).serve(t)
			err := session(t, f).Run(t.Context(), job, func(int, []byte) error { return c.done })
			if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if c.done != nil && !errors.Is(err, own) {
				t.Errorf("error %v isn't the caller's", err)
			}
			if name != "no answer" && !slices.Equal(f.interrupted, []string{f.operation}) {
				t.Errorf("interrupted %v, want %s", f.interrupted, f.operation)
			}
		})
	}
	f := new(fake).serve(t)
	e := must.Value(Dial(t.Context(), "sc://"+f.address, Program(filepath.Join(t.TempDir(), "none"))))
	defer e.Close()
	readtest.WantError(t, e.Run(t.Context(), job, nil), "spark: the workers' program: ")
}

// Run returns though the server answers nothing any more, and tells it first.
func TestRunIsCancelled(t *testing.T) {
	f := (&fake{hang: true}).serve(t)
	e := session(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- e.Run(ctx, job, nil) }()
	asked := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.requests)
	}
	eventually(t, "the query begins", asked, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.operation != ""
	})
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.interrupted, []string{f.operation}) {
		t.Errorf("interrupted %v, want %s", f.interrupted, f.operation)
	}
	if err := e.Run(ctx, job, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a job that is cancelled before: error %v", err)
	}
}
