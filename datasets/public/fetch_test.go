package public

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/progress"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// testLoader returns a loader that downloads from host into a cache of its own.
func testLoader(t *testing.T, host string) *loader {
	return &loader{cache: t.TempDir(), host: host, stall: 10 * time.Second, pause: time.Millisecond,
		create: atomicfile.Create}
}

// testSource returns a set of two numbers and a class, and its original file,
// large enough to travel in several packets.
func testSource() (*source, []byte) {
	var b bytes.Buffer
	const n = 20000
	for i := range n {
		fmt.Fprintf(&b, "%d;%d;%s\n", i, i%7, []string{"no", "yes"}[i%2])
	}
	s := &source{
		Info:   Info{Name: "two", Task: "classification", N: n, P: 2, Classes: 2},
		Recipe: recipe{Delimiter: ";", Columns: []string{"a", "b", "c"}, Target: 2},
	}
	s.Files = []sourceFile{fileOf("owner/repo", "c0ffee", "a file.csv", b.Bytes())}
	return s, b.Bytes()
}

// fileOf returns the source of a file of the given bytes.
func fileOf(repo, commit, path string, b []byte) sourceFile {
	sum := sha256.Sum256(b)
	return sourceFile{repo, commit, path, hex.EncodeToString(sum[:]), int64(len(b))}
}

// A host serves a file, and counts and records requests.
type host struct {
	*httptest.Server
	requests atomic.Int32
	mu       sync.Mutex
	ranges   []string // header Range of each request
}

// A handler answers a request, which is counted from 1.
type handler = func(request int, w http.ResponseWriter, r *http.Request)

func serve(t *testing.T, handle handler) *host {
	h := &host{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if want := "/owner/repo/c0ffee/a%20file.csv"; r.URL.EscapedPath() != want {
			t.Errorf("request of %s; want %s", r.URL.EscapedPath(), want)
		}
		h.mu.Lock()
		h.ranges = append(h.ranges, r.Header.Get("Range"))
		h.mu.Unlock()
		handle(int(h.requests.Add(1)), w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

// asked returns the header Range of each request so far.
func (h *host) asked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.ranges)
}

// content serves a whole file, or the range that is asked for.
func content(w http.ResponseWriter, r *http.Request, b []byte) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// whole is a handler that sends a file, or the range that is asked for.
func whole(b []byte) handler {
	return func(_ int, w http.ResponseWriter, r *http.Request) { content(w, r, b) }
}

// half is a handler that sends the first half of a file and drops the connection.
func half(b []byte) handler {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		start(w, b, len(b)/2)
		panic(http.ErrAbortHandler)
	}
}

// start sends the first n bytes of a file.
func start(w http.ResponseWriter, b []byte, n int) {
	w.Header().Set("Content-Length", fmt.Sprint(len(b)))
	w.Write(b[:n])
	w.(http.Flusher).Flush()
}

// inTurn is a handler that answers requests as each of these does, and all later ones as the last.
func inTurn(handlers ...handler) handler {
	return func(request int, w http.ResponseWriter, r *http.Request) {
		handlers[min(request, len(handlers))-1](request, w, r)
	}
}

// files returns the files below the cache, relative to it.
func (l *loader) files(t *testing.T) []string {
	t.Helper()
	files := []string{}
	err := filepath.WalkDir(l.cache, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			path, err = filepath.Rel(l.cache, path)
			files = append(files, filepath.ToSlash(path))
		}
		return err
	})
	must.Do(err)
	return files
}

func (l *loader) wantFiles(t *testing.T, want ...string) {
	t.Helper()
	if got := l.files(t); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("files in the cache: %q; want %q", got, want)
	}
}

func wantTwo(t *testing.T, d *datasets.Dataset, err error) {
	t.Helper()
	must.Do(err)
	must.Do(d.Check())
	if d.Name != "two" || d.N() != 20000 || d.P() != 2 || strings.Join(d.Classes, " ") != "no yes" {
		t.Fatalf("%q has %d rows, %d columns, classes %q", d.Name, d.N(), d.P(), d.Classes)
	}
	for _, i := range []int{0, 1, 9998, 19999} {
		if d.At(i, 0) != float32(i) || d.At(i, 1) != float32(i%7) || d.Labels[i] != int32(i%2) {
			t.Fatalf("row %d is %v, %d", i, d.Row(nil, i), d.Labels[i])
		}
	}
}

// file and part are where the cache keeps the file of testSource, and what has arrived of it.
const file, part = "two/a file.csv", "two/a file.csv.part"

func (l *loader) write(t *testing.T, name string, b []byte) {
	t.Helper()
	path := filepath.Join(l.cache, name)
	must.Do(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b, 0o644)))
}

func TestDownload(t *testing.T) {
	s, b := testSource()
	good, cut := whole(b), half(b)
	status := func(code int) handler {
		return func(_ int, w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) }
	}
	bytesFrom := func(b []byte) handler {
		return func(_ int, w http.ResponseWriter, _ *http.Request) { w.Write(b) }
	}
	wrong := bytes.Clone(b)
	wrong[17]++
	wrongSum := sha256.Sum256(wrong)
	junk := bytes.Repeat([]byte("x"), len(b)+1)
	rest := fmt.Sprintf("bytes=%d-", len(b)/2)
	for _, c := range []struct {
		name   string
		part   []byte // that is kept, if any
		handle handler
		ranges string // asked for by each request, separated by commas
		left   string // in the cache
		fails  string // what the error says, separated by bars; empty: nothing
	}{
		{"whole", nil, good, "", file, ""},
		{"lost connection", nil, inTurn(cut, good), "," + rest, file, ""},
		{"host without ranges", nil, inTurn(cut, bytesFrom(b)), "," + rest, file, ""},
		{"wrong range", nil, inTurn(cut, func(_ int, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 7-%d/%d", len(b)-1, len(b)))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(b[7:])
		}, good), "," + rest + ",", file, ""},
		{"body that ends early without an error", nil, inTurn(bytesFrom(b[:100]), good), ",bytes=100-", file, ""},
		{"busy", nil, inTurn(status(http.StatusServiceUnavailable), status(http.StatusTooManyRequests), good), ",,", file,
			""},
		{"good part", b[:len(b)/2], good, rest, file, ""},
		{"wrong part", junk[:len(b)/2], good, rest + ",", file, ""},
		{"wrong part of full length", junk[:len(b)], good, "", file, ""},
		{"part that is too long", junk, good, "", file, ""},

		{"wrong checksum", nil, whole(wrong),
			"", "", "checksum|" + hex.EncodeToString(wrongSum[:]) + "|" + s.Files[0].SHA256},
		{"too long", nil, whole(append(bytes.Clone(b), 0)),
			"", "", fmt.Sprintf("more than the %d bytes", len(b))},
		{"not there", nil, status(http.StatusNotFound), "", "", "404|a%20file.csv"},
		{"broken", nil, status(500), ",,", "", "500"},
		{"gone half-way", nil, inTurn(cut, func(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
			"," + rest + "," + rest, part, fmt.Sprintf(`load "two"|%d of %d bytes`, len(b)/2, len(b))},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := serve(t, c.handle)
			l := testLoader(t, h.URL)
			if c.part != nil {
				l.write(t, part, c.part)
			}
			d, err := l.cached(context.Background(), s)
			if c.fails == "" {
				wantTwo(t, d, err)
			} else {
				readtest.WantError(t, err, strings.Split(c.fails+"|"+h.URL, "|")...)
			}
			l.wantFiles(t, strings.Fields(c.left)...)
			if got := strings.Join(append(h.asked(), ""), ","); got != c.ranges+"," {
				t.Errorf("ranges asked for: %q; want %q", got, c.ranges)
			}
		})
	}
}

// Of two files, the one that the cache lacks, or that is damaged there, is downloaded.
func TestDownloadSeveralFiles(t *testing.T) {
	s, b := testSource()
	cut := bytes.IndexByte(b[len(b)/3:], '\n') + len(b)/3 + 1
	s.Files = nil
	for i, b := range [][]byte{b[:cut], b[cut:]} {
		s.Files = append(s.Files, fileOf("o/r", "c", fmt.Sprint(i), b))
	}
	asked := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked += r.URL.Path + " "
		content(w, r, map[string][]byte{"/o/r/c/0": b[:cut], "/o/r/c/1": b[cut:]}[r.URL.Path])
	}))
	defer srv.Close()
	l := testLoader(t, srv.URL)
	for _, c := range []struct {
		damage, asks string
		total        int
	}{{"", "/o/r/c/0 /o/r/c/1 ", len(b)}, {"two/1", "/o/r/c/1 ", len(b) - cut}, {"", "", 0}} {
		if c.damage != "" {
			l.write(t, c.damage, []byte("1;2;no\n"))
		}
		asked = ""
		done, total := 0, 0
		ctx := progress.With(context.Background(), func(have, of int, words string) {
			if have < done || !strings.HasPrefix(words, "two, 0.") {
				t.Errorf("progress from %d to %d: %s", done, have, words)
			}
			done, total = have, of
		})
		d, err := l.cached(ctx, s)
		wantTwo(t, d, err)
		if asked != c.asks || done != c.total || total != c.total {
			t.Errorf("requests of %q, progress %d of %d; want %q, %d", asked, done, total, c.asks, c.total)
		}
	}
}

func TestDownloadStalled(t *testing.T) {
	s, b := testSource()
	for _, sent := range []int{-1, 0, 1000} { // −1: not even the head of the response
		h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			if sent >= 0 {
				start(w, b, sent)
			}
			<-r.Context().Done()
		})
		l := testLoader(t, h.URL)
		l.stall = 50 * time.Millisecond
		_, err := l.cached(context.Background(), s)
		readtest.WantError(t, err, "no byte for 50ms")
		if !errors.Is(err, errStalled) {
			t.Errorf("%v is not errStalled", err)
		}
		h.Close()
	}
}

func TestDownloadNoHost(t *testing.T) {
	s, _ := testSource()
	h := serve(t, nil)
	h.Close()
	l := testLoader(t, h.URL)
	_, err := l.cached(context.Background(), s)
	readtest.WantError(t, err, h.URL, "refused")
	l.wantFiles(t)
}

// Cancelling ends a download at once, whatever it waits for, and leaves
// neither files nor goroutines.
func TestDownloadCancelled(t *testing.T) {
	s, b := testSource()
	for _, c := range []struct {
		name   string
		handle handler
	}{
		{"waiting for an answer", func(_ int, w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"half-way", func(_ int, w http.ResponseWriter, r *http.Request) {
			start(w, b, len(b)/2)
			<-r.Context().Done()
		}},
		{"between attempts", half(b)},
	} {
		t.Run(c.name, func(t *testing.T) {
			arrived, received := make(chan struct{}, maxAttempts), make(chan struct{}, 1)
			h := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
				arrived <- struct{}{}
				c.handle(request, w, r)
			})
			l := testLoader(t, h.URL)
			l.stall, l.pause = time.Hour, time.Hour
			before := runtime.NumGoroutine()
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error)
			go func() {
				_, err := l.cached(progress.With(ctx, func(done, _ int, _ string) {
					if done == len(b)/2 {
						select {
						case received <- struct{}{}:
						default: // told already
						}
					}
				}), s)
				done <- err
			}()
			switch c.name {
			case "waiting for an answer":
				<-arrived
			case "half-way":
				<-received
			case "between attempts":
				untilSelecting(t, "(*download).complete")
			}
			cancel()
			select {
			case err := <-done:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error is %v", err)
				}
			case <-time.After(time.Minute):
				t.Fatal("still loading")
			}
			l.wantFiles(t)
			h.CloseClientConnections()
			for i := 0; runtime.NumGoroutine() > before; i++ {
				if i == 6000 {
					buf := make([]byte, 1<<16)
					t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// untilSelecting returns when a goroutine waits in a select statement of the package's function of
// that name.
func untilSelecting(t *testing.T, function string) {
	t.Helper()
	waits := regexp.MustCompile(`(?m)^goroutine \d+ \[select[^\]]*\]:\n\S*/public\.` + regexp.QuoteMeta(function) + `\(`)
	buf := make([]byte, 1<<20)
	for range 10_000 {
		if waits.Match(buf[:runtime.Stack(buf, true)]) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("no goroutine waits in %s:\n%s", function, buf[:runtime.Stack(buf, true)])
}

// Of several goroutines one downloads and the others wait for it, but not
// longer than their contexts let them.
func TestLoadConcurrently(t *testing.T) {
	s, b := testSource()
	begin := make(chan struct{})
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		<-begin
		content(w, r, b)
	})
	l := testLoader(t, h.URL)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			d, err := l.cached(context.Background(), s)
			if err != nil || d.N() != 20000 {
				t.Error(err)
			}
		})
	}
	for h.requests.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := l.cached(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting load ends with %v", err)
	}
	close(begin)
	group.Wait()
	if n := h.requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
	l.wantFiles(t, file)
}

// Two processes that load the same set into the same cache don't disturb each
// other.
func TestLoadInProcesses(t *testing.T) {
	s, b := testSource()
	if host := os.Getenv("DATASETS_TEST_HOST"); host != "" {
		l := testLoader(t, host)
		l.cache = os.Getenv("DATASETS_TEST_CACHE")
		d, err := l.cached(context.Background(), s)
		wantTwo(t, d, err)
		return
	}
	var both sync.WaitGroup
	both.Add(2)
	h := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		both.Done()
		both.Wait() // until the other process asks, too
		content(w, r, b)
	})
	l := testLoader(t, h.URL)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestLoadInProcesses$")
			cmd.Env = append(os.Environ(), "DATASETS_TEST_HOST="+h.URL, "DATASETS_TEST_CACHE="+l.cache)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	group.Wait()
	l.wantFiles(t, file)
}

// If the file cannot be written because the disk is full, the error says so and nothing is left.
func TestDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	s, b := testSource()
	l := testLoader(t, serve(t, whole(b)).URL)
	l.create = func(dir string) (*os.File, error) {
		link := filepath.Join(dir, "full.tmp")
		if err := os.Symlink("/dev/full", link); err != nil {
			return nil, err
		}
		return os.OpenFile(link, os.O_RDWR, 0)
	}
	if _, err := l.cached(context.Background(), s); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	l.wantFiles(t)
}

func TestCacheNotWritable(t *testing.T) {
	s, _ := testSource()
	l := testLoader(t, "")
	l.cache = filepath.Join(l.cache, "file")
	must.Do(os.WriteFile(l.cache, nil, 0o644))
	_, err := l.cached(context.Background(), s)
	readtest.WantError(t, err, "OBLIQUA_CACHE", l.cache)
}

// What killed processes have left is removed by the first download after a day.
func TestSweep(t *testing.T) {
	s, b := testSource()
	l := testLoader(t, serve(t, whole(b)).URL)
	const old, young = "two/.obliqua-1.tmp", "two/.obliqua-2.tmp"
	l.write(t, old, nil)
	l.write(t, young, nil)
	must.Do(os.Chtimes(filepath.Join(l.cache, old), time.Time{}, time.Now().Add(-25*time.Hour)))
	d, err := l.cached(context.Background(), s)
	wantTwo(t, d, err)
	l.wantFiles(t, young, file)
}

// A link where a part is kept is replaced and not followed, and what it points to stays as it is, whether it is
// shorter or longer than the download.
func TestPartIsALink(t *testing.T) {
	s, b := testSource()
	for _, c := range []struct {
		size int  // of what it points to
		gone bool // half-way
	}{{8, false}, {len(b) / 2, false}, {2 * len(b), false}, {8, true}} {
		h := serve(t, map[bool]handler{false: whole(b), true: half(b)}[c.gone])
		l := testLoader(t, h.URL)
		precious := bytes.Repeat([]byte("precious"), c.size/8)
		victim, link := filepath.Join(t.TempDir(), "victim"), filepath.Join(l.cache, part)
		must.Do(errors.Join(os.WriteFile(victim, precious, 0o644), os.Mkdir(filepath.Dir(link), 0o755)))
		if err := os.Symlink(victim, link); err != nil {
			t.Skip(err)
		}
		d, err := l.cached(context.Background(), s)
		if info, lerr := os.Lstat(link); c.gone && (lerr != nil || !info.Mode().IsRegular()) {
			t.Errorf("the part is %v, %v", info, lerr)
		}
		if c.gone {
			readtest.WantError(t, err, "which the next download will resume")
		} else {
			wantTwo(t, d, err)
		}
		if now, err := os.ReadFile(victim); err != nil || !bytes.Equal(now, precious) {
			t.Errorf("the file of %d bytes that the link points to now has %d, %v", len(precious), len(now), err)
		}
		if first := h.asked()[0]; first != "" {
			t.Errorf("the download goes on from the file that the link points to: %q", first)
		}
	}
}
