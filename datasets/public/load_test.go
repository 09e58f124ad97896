package public

import (
	"bytes"
	"compress/gzip"
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
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/internal/readtest"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/progress"
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
		Recipe: recipe{Format: "csv", Delimiter: ";", Columns: []string{"a", "b", "c"}, Target: 2},
	}
	sum := sha256.Sum256(b.Bytes())
	s.Files = []sourceFile{{"owner/repo", "c0ffee", "a file.csv", hex.EncodeToString(sum[:]), int64(b.Len())}}
	return s, b.Bytes()
}

// A host serves a file, and counts and records requests.
type host struct {
	*httptest.Server
	requests atomic.Int32
	mu       sync.Mutex
	ranges   []string // header Range of each request
}

func serve(t *testing.T, handle func(request int, w http.ResponseWriter, r *http.Request)) *host {
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

// content serves a whole file, or the range that is asked for.
func content(w http.ResponseWriter, r *http.Request, b []byte) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// half sends the first half of a file and drops the connection.
func half(w http.ResponseWriter, b []byte) {
	w.Header().Set("Content-Length", fmt.Sprint(len(b)))
	w.Write(b[:len(b)/2])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
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
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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

const twoCSV = "csv/two.csv.gz"

func (s *source) part() string { return "part/" + s.Files[0].SHA256 + ".part" }

func TestDownload(t *testing.T) {
	s, b := testSource()
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { content(w, r, b) })
	l := testLoader(t, h.URL)
	type state struct {
		done, total int
		words       string
	}
	var reports []state
	ctx := progress.With(context.Background(), func(done, total int, words string) {
		reports = append(reports, state{done, total, words})
	})
	d, err := l.cached(ctx, s)
	wantTwo(t, d, err)
	l.wantFiles(t, twoCSV)

	if len(reports) == 0 || reports[len(reports)-1] != (state{len(b), len(b), "two, 0.2 of 0.2 MB"}) {
		t.Errorf("progress ends with %v of %d bytes", reports[max(0, len(reports)-1):], len(b))
	}
	for i := 1; i < len(reports); i++ {
		if reports[i].done < reports[i-1].done {
			t.Errorf("progress falls from %v to %v", reports[i-1], reports[i])
		}
	}
	d, err = l.cached(ctx, s)
	wantTwo(t, d, err)
	if n := h.requests.Load(); n != 1 {
		t.Errorf("%d requests for two loads", n)
	}
}

func TestDownloadSeveralFiles(t *testing.T) {
	s, b := testSource()
	cut := bytes.IndexByte(b[len(b)/3:], '\n') + len(b)/3 + 1
	s.Files = nil
	for i, b := range [][]byte{b[:cut], b[cut:]} {
		sum := sha256.Sum256(b)
		s.Files = append(s.Files, sourceFile{"o/r", "c", fmt.Sprint(i), hex.EncodeToString(sum[:]), int64(len(b))})
	}
	s.Recipe.Ops = []recipeOp{{Op: "concat"}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content(w, r, map[string][]byte{"/o/r/c/0": b[:cut], "/o/r/c/1": b[cut:]}[r.URL.Path])
	}))
	defer srv.Close()
	var last, of int
	ctx := progress.With(context.Background(), func(done, total int, _ string) { last, of = done, total })
	d, err := testLoader(t, srv.URL).cached(ctx, s)
	wantTwo(t, d, err)
	if last != len(b) || of != last {
		t.Errorf("progress ends with %d of %d, want %d bytes", last, of, len(b))
	}
}

// A lost connection is resumed where it broke off.
func TestDownloadResumes(t *testing.T) {
	s, b := testSource()
	h := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		if request == 1 {
			half(w, b)
		}
		content(w, r, b)
	})
	l := testLoader(t, h.URL)
	d, err := l.cached(context.Background(), s)
	wantTwo(t, d, err)
	l.wantFiles(t, twoCSV)
	if len(h.ranges) != 2 || h.ranges[1] != fmt.Sprintf("bytes=%d-", len(b)/2) {
		t.Errorf("ranges asked for: %q", h.ranges)
	}
}

func TestDownloadFromHostWithoutRanges(t *testing.T) {
	s, b := testSource()
	h := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		if request == 1 {
			half(w, b)
		}
		w.Write(b)
	})
	l := testLoader(t, h.URL)
	d, err := l.cached(context.Background(), s)
	wantTwo(t, d, err)
	l.wantFiles(t, twoCSV)
}

// If a host answers with a wrong range, the whole file is requested.
func TestDownloadWrongRange(t *testing.T) {
	s, b := testSource()
	h := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		switch request {
		case 1:
			half(w, b)
		case 2:
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 7-%d/%d", len(b)-1, len(b)))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(b[7:])
		default:
			content(w, r, b)
		}
	})
	d, err := testLoader(t, h.URL).cached(context.Background(), s)
	wantTwo(t, d, err)
	if h.ranges[2] != "" {
		t.Errorf("third request asks for %q", h.ranges[2])
	}
}

// A kept part that is wrong or too long is discarded.
func TestDownloadBadPart(t *testing.T) {
	s, b := testSource()
	for _, part := range [][]byte{
		bytes.Repeat([]byte("x"), len(b)/2),
		bytes.Repeat([]byte("x"), len(b)),
		bytes.Repeat([]byte("x"), len(b)+1),
	} {
		h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { content(w, r, b) })
		l := testLoader(t, h.URL)
		path := filepath.Join(l.cache, s.part())
		must.Do(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, part, 0o644)))
		d, err := l.cached(context.Background(), s)
		wantTwo(t, d, err)
		l.wantFiles(t, twoCSV)
	}
}

// A host that goes away half-way: the error counts the bytes, which are kept,
// and the next load goes on from there.
func TestDownloadBrokenOff(t *testing.T) {
	s, b := testSource()
	var back atomic.Bool
	h := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		switch {
		case request == 1:
			half(w, b)
		case !back.Load():
			panic(http.ErrAbortHandler)
		default:
			content(w, r, b)
		}
	})
	l := testLoader(t, h.URL)
	_, err := l.cached(context.Background(), s)
	readtest.WantError(t, err, `load "two"`, h.URL, fmt.Sprintf("%d of %d bytes", len(b)/2, len(b)))
	if n := h.requests.Load(); n != maxAttempts {
		t.Errorf("%d requests; want %d", n, maxAttempts)
	}
	l.wantFiles(t, s.part())

	back.Store(true)
	d, err := l.cached(context.Background(), s)
	wantTwo(t, d, err)
	l.wantFiles(t, twoCSV)
	if last := h.ranges[len(h.ranges)-1]; last != fmt.Sprintf("bytes=%d-", len(b)/2) {
		t.Errorf("the next load asks for %q", last)
	}
}

// A body that ends early without an error counts as a lost connection.
func TestDownloadShort(t *testing.T) {
	s, b := testSource()
	h := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		if request == 1 {
			w.Write(b[:100])
			return
		}
		content(w, r, b)
	})
	d, err := testLoader(t, h.URL).cached(context.Background(), s)
	wantTwo(t, d, err)
}

func TestDownloadStalled(t *testing.T) {
	s, b := testSource()
	for _, sent := range []int{-1, 0, 1000} { // −1: not even the head of the response
		h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			if sent >= 0 {
				w.Header().Set("Content-Length", fmt.Sprint(len(b)))
				w.Write(b[:sent])
				w.(http.Flusher).Flush()
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

func TestDownloadWrongChecksum(t *testing.T) {
	s, b := testSource()
	wrong := bytes.Clone(b)
	wrong[17]++
	sum := sha256.Sum256(wrong)
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { content(w, r, wrong) })
	l := testLoader(t, h.URL)
	_, err := l.cached(context.Background(), s)
	readtest.WantError(t, err, "checksum", hex.EncodeToString(sum[:]), s.Files[0].SHA256, h.URL)
	l.wantFiles(t)
	if n := h.requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestDownloadTooLong(t *testing.T) {
	s, b := testSource()
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { content(w, r, append(bytes.Clone(b), "more"...)) })
	l := testLoader(t, h.URL)
	_, err := l.cached(context.Background(), s)
	readtest.WantError(t, err, fmt.Sprintf("more than the %d bytes", len(b)))
	l.wantFiles(t)
}

func TestDownloadStatus(t *testing.T) {
	s, b := testSource()
	for _, c := range []struct {
		status   int
		requests int32 // until the error
	}{
		{http.StatusNotFound, 1},
		{http.StatusForbidden, 1},
		{http.StatusInternalServerError, maxAttempts},
		{http.StatusTooManyRequests, maxAttempts},
	} {
		h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { http.Error(w, "no", c.status) })
		l := testLoader(t, h.URL)
		_, err := l.cached(context.Background(), s)
		readtest.WantError(t, err, fmt.Sprint(c.status), "a%20file.csv")
		if n := h.requests.Load(); n != c.requests {
			t.Errorf("%d requests for status %d; want %d", n, c.status, c.requests)
		}
		l.wantFiles(t)
	}
	h := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		if request < maxAttempts {
			http.Error(w, "soon", http.StatusServiceUnavailable)
			return
		}
		content(w, r, b)
	})
	d, err := testLoader(t, h.URL).cached(context.Background(), s)
	wantTwo(t, d, err)
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
		handle func(request int, w http.ResponseWriter, r *http.Request)
	}{
		{"waiting for an answer", func(_ int, w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"half-way", func(_ int, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
			w.Write(b[:len(b)/2])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		{"between attempts", func(_ int, w http.ResponseWriter, r *http.Request) { half(w, b) }},
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
	l.wantFiles(t, twoCSV)
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
	l.wantFiles(t, twoCSV)
}

// Whichever file cannot be written because the disk is full, the error says so
// and nothing is left.
func TestDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	s, b := testSource()
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { content(w, r, b) })
	for full := range 2 { // the original file, the CSV
		l := testLoader(t, h.URL)
		made := 0
		l.create = func(dir string) (*os.File, error) {
			made++
			if made-1 != full {
				return atomicfile.Create(dir)
			}
			link := filepath.Join(dir, "full.tmp")
			if err := os.Symlink("/dev/full", link); err != nil {
				return nil, err
			}
			return os.OpenFile(link, os.O_RDWR, 0)
		}
		_, err := l.cached(context.Background(), s)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("file %d: %v", full, err)
		}
		l.wantFiles(t)
	}
	must.Value(os.Lstat("/dev/full"))
}

func TestCacheNotWritable(t *testing.T) {
	s, _ := testSource()
	l := testLoader(t, "")
	l.cache = filepath.Join(l.cache, "file")
	must.Do(os.WriteFile(l.cache, nil, 0o644))
	_, err := l.cached(context.Background(), s)
	readtest.WantError(t, err, "OBLIQUA_CACHE", l.cache)
}

// A cached file that is damaged or of another recipe is made again; one
// without a mark, put there by hand, is read.
func TestCacheStale(t *testing.T) {
	s, b := testSource()
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { content(w, r, b) })
	l := testLoader(t, h.URL)
	d, err := l.cached(context.Background(), s)
	wantTwo(t, d, err)
	path := filepath.Join(l.cache, twoCSV)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s.Recipe.Missing = []string{"?"}
	d, err = l.cached(context.Background(), s)
	wantTwo(t, d, err)
	if n := h.requests.Load(); n != 2 {
		t.Errorf("%d requests after a change of the recipe; want 2", n)
	}
	for i, damaged := range [][]byte{good[:len(good)/2], {}, []byte("no gzip")} {
		must.Do(os.WriteFile(path, damaged, 0o644))
		d, err = l.cached(context.Background(), s)
		wantTwo(t, d, err)
		if n := h.requests.Load(); n != int32(3+i) {
			t.Errorf("%d requests after damage %d", n, i)
		}
	}
	writeGzip(t, path, "a,b,class\n1,2,x\n3,4,y\n")
	if d, err = l.cached(context.Background(), s); err != nil || d.N() != 2 {
		t.Error("a file put into the cache is not read", err)
	}

	must.Do(os.WriteFile(path, []byte("no gzip"), 0o644))
	h.Close()
	_, err = l.cached(context.Background(), s)
	readtest.WantError(t, err, "refused", path) // both faults
}

// What killed processes have left is removed by the first download after a day.
func TestSweep(t *testing.T) {
	s, b := testSource()
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { content(w, r, b) })
	l := testLoader(t, h.URL)
	dir := filepath.Join(l.cache, "part")
	old, young := filepath.Join(dir, ".obliqua-1.tmp"), filepath.Join(dir, ".obliqua-2.tmp")
	err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(old, nil, 0o644), os.WriteFile(young, nil, 0o644),
		os.Chtimes(old, time.Time{}, time.Now().Add(-25*time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	d, err := l.cached(context.Background(), s)
	wantTwo(t, d, err)
	l.wantFiles(t, twoCSV, "part/.obliqua-2.tmp")
}

// A link where a part is kept is not followed, and what it points to stays as it is, whether
// it is shorter or longer than the download.
func TestPartIsALink(t *testing.T) {
	s, b := testSource()
	for _, size := range []int{8, len(b) / 2, 2 * len(b)} {
		h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { content(w, r, b) })
		l := testLoader(t, h.URL)
		precious := bytes.Repeat([]byte("precious"), size/8)
		victim, part := filepath.Join(t.TempDir(), "victim"), filepath.Join(l.cache, s.part())
		err := errors.Join(os.WriteFile(victim, precious, 0o644), os.Mkdir(filepath.Dir(part), 0o755))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, part); err != nil {
			t.Skip(err)
		}
		d, err := l.cached(context.Background(), s)
		wantTwo(t, d, err)
		if now, err := os.ReadFile(victim); err != nil || !bytes.Equal(now, precious) {
			t.Errorf("the file of %d bytes that the link points to now has %d, %v", len(precious), len(now), err)
		}
		if h.ranges[0] != "" {
			t.Errorf("the download goes on from the file that the link points to: %q", h.ranges[0])
		}
	}
}

// A download that is given up replaces a link where the part is kept.
func TestPartReplacesALink(t *testing.T) {
	s, b := testSource()
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { half(w, b) })
	l := testLoader(t, h.URL)
	victim, part := filepath.Join(t.TempDir(), "victim"), filepath.Join(l.cache, s.part())
	err := errors.Join(os.WriteFile(victim, []byte("precious"), 0o644), os.Mkdir(filepath.Dir(part), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, part); err != nil {
		t.Skip(err)
	}
	_, err = l.cached(context.Background(), s)
	readtest.WantError(t, err, "which the next download will resume")
	if info, err := os.Lstat(part); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the part is %v, %v", info, err)
	}
	if now, err := os.ReadFile(victim); err != nil || string(now) != "precious" {
		t.Errorf("the file that the link points to has %d bytes, %v", len(now), err)
	}
}

func writeGzip(t *testing.T, path, text string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	err = errors.Join(err, z.Close(), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b.Bytes(), 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

func TestLoadLocal(t *testing.T) {
	one, two := t.TempDir(), filepath.Join(t.TempDir(), "a[folder")
	t.Setenv("OBLIQUA_DATA", one+string(os.PathListSeparator)+two)
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	writeGzip(t, filepath.Join(two, "csv", "mine.csv.gz"), "a,s,class\n1,NA,x\n,v2,y\n")
	writeGzip(t, filepath.Join(two, "plain.csv.gz"), "a,target\n1,0.5\n2,-3\n")
	writeGzip(t, filepath.Join(two, "sporf", "data", "letter.csv.gz"), "1,2,0\n3,4,1\n")
	writeGzip(t, filepath.Join(one, "iris.csv.gz"), "a,class\n1,first\n2,second\n")
	writeGzip(t, filepath.Join(two, "iris.csv.gz"), "a,class\n1,third\n2,fourth\n")
	writeGzip(t, filepath.Join(one, "wrong.csv.gz"), "a,price\n1,2\n")

	d, err := Load(context.Background(), "mine")
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "mine" || d.Target != "class" ||
		!reflect.DeepEqual(d.Features, []datasets.Feature{{Name: "a"}, {Name: "s", Categories: []string{"NA", "v2"}}}) ||
		d.At(0, 0) != 1 || d.At(1, 0) == d.At(1, 0) || !reflect.DeepEqual(d.Labels, []int32{0, 1}) {
		t.Errorf("mine: %+v", d)
	}
	if d, err = Load(context.Background(), "plain"); err != nil || !reflect.DeepEqual(d.Values, []float64{0.5, -3}) ||
		d.Labels != nil {
		t.Errorf("plain: %+v, %v", d, err)
	}
	if d, err = Load(context.Background(), "iris"); err != nil ||
		!reflect.DeepEqual(d.Classes, []string{"first", "second"}) {
		t.Errorf("iris is not from the first folder: %+v, %v", d, err)
	}
	d, err = Load(context.Background(), "sporf/letter")
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "sporf/letter" || !reflect.DeepEqual(d.FeatureNames(), []string{"x1", "x2"}) ||
		!reflect.DeepEqual(d.Classes, []string{"0", "1"}) || d.At(1, 1) != 4 {
		t.Errorf("sporf/letter: %+v", d)
	}
	_, err = Load(context.Background(), "wrong")
	readtest.WantError(t, err, filepath.Join(one, "wrong.csv.gz"), `"price"`, `"class"`, `"target"`)
	_, err = Load(context.Background(), "sporf/lettre")
	readtest.WantError(t, err, `"sporf/letter"`)
	for _, name := range []string{"", "csv/mine", "../mine", "sporf/../plain", `csv\mine`} {
		_, err = Load(context.Background(), name)
		readtest.WantError(t, err, fmt.Sprintf("unknown data set %q", name), "nearest")
		if !errors.Is(err, ErrUnknownSet) {
			t.Errorf("%v is not ErrUnknownSet", err)
		}
	}
}

// A regression whose cells are those of another set is read from that set's file, unless
// it has a file of its own.
func TestLoadLocalCells(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OBLIQUA_DATA", dir)
	load := func() *datasets.Dataset {
		t.Helper()
		d := must.Value(Load(context.Background(), "abalone-rings"))
		if d.Name != "abalone-rings" || d.Target != "target" || d.Labels != nil {
			t.Errorf("%+v", d)
		}
		return d
	}
	writeGzip(t, filepath.Join(dir, "csv", "abalone.csv.gz"), "sex,length,class\nM,0.5,15\n,0.25,7\n")
	if d := load(); !reflect.DeepEqual(d.Values, []float64{15, 7}) ||
		!reflect.DeepEqual(d.Features, []datasets.Feature{{Name: "sex", Categories: []string{"M"}}, {Name: "length"}}) {
		t.Errorf("%+v", d)
	}
	d, err := Load(context.Background(), "abalone")
	if err != nil || !reflect.DeepEqual(d.Classes, []string{"7", "15"}) || d.Target != "class" {
		t.Errorf("abalone: %+v, %v", d, err)
	}
	writeGzip(t, filepath.Join(dir, "csv", "abalone-rings.csv.gz"), "sex,length,target\nM,0.5,1.5\n")
	if d := load(); !reflect.DeepEqual(d.Values, []float64{1.5}) {
		t.Errorf("%+v", d)
	}
}

// Load reads a file in blocks: it allocates less than the length of the unpacked text.
func TestLoadInBlocks(t *testing.T) {
	dir := t.TempDir()
	const n, zeros = 1 << 15, 1 << 10
	text := "a,class\n" + strings.Repeat("1."+strings.Repeat("0", zeros)+",yes\n", n)
	writeGzip(t, filepath.Join(dir, "long.csv.gz"), text)
	l := testLoader(t, "")
	l.dirs = []string{dir}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d, err := l.load(context.Background(), "long")
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if d.N() != n || d.P() != 1 || d.At(n-1, 0) != 1 {
		t.Errorf("%d rows of %d features", d.N(), d.P())
	}
	if got := after.TotalAlloc - before.TotalAlloc; got >= uint64(len(text)) {
		t.Errorf("%d bytes were allocated for a text of %d", got, len(text))
	}
}

// All parts of a set have the same categorical columns, even where one of them
// has only missing cells.
func TestLoadTestPart(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OBLIQUA_DATA", dir)
	writeGzip(t, filepath.Join(dir, "csv", "annealing_test.csv.gz"), "family,width,class\n,,1\n,3,2\n")
	d := must.Value(Load(context.Background(), "annealing_test"))
	if d.Features[0].Categories == nil || d.Features[1].Categories != nil {
		t.Errorf("features: %+v", d.Features)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	t.Setenv("OBLIQUA_DATA", "")
	_, err := Load(context.Background(), "irsi")
	readtest.WantError(t, err, `"irsi"`, `"iris"`)
	if n := strings.Count(err.Error(), `"`); n != 8 {
		t.Errorf("not the asked name and three others: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Load(ctx, "iris"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "nowhere")
	t.Setenv("OBLIQUA_DATA", missing)
	_, err = Load(context.Background(), "iris")
	readtest.WantError(t, err, "OBLIQUA_DATA", missing)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v is not os.ErrNotExist", err)
	}
}

// Every file of the data folder can be loaded by name.
func TestLoadAll(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 26 MB")
	}
	dir := readtest.DataDir(t)
	t.Setenv("OBLIQUA_CACHE", filepath.Join(t.TempDir(), "must not be made"))
	paths, _ := filepath.Glob(filepath.Join(dir, "sporf", "data", "*.csv.gz"))
	for i, path := range paths {
		paths[i] = "sporf/" + strings.TrimSuffix(filepath.Base(path), ".csv.gz")
	}
	sets, _ := filepath.Glob(filepath.Join(dir, "csv", "*.csv.gz"))
	for _, path := range sets {
		paths = append(paths, strings.TrimSuffix(filepath.Base(path), ".csv.gz"))
	}
	for _, name := range paths {
		d, err := Load(context.Background(), name)
		if err != nil {
			t.Error(err)
			continue
		}
		if d.Name != name || d.Check() != nil {
			t.Errorf("%s: name %q, %v", name, d.Name, d.Check())
		}
		if strings.HasPrefix(name, "sporf/") && (d.CheckFinite() != nil || d.Classes[0] != "0") {
			t.Errorf("%s: %v, classes %q", name, d.CheckFinite(), d.Classes)
		}
	}
	t.Logf("%d sets", len(paths))
	if _, err := os.Stat(os.Getenv("OBLIQUA_CACHE")); err == nil {
		t.Error("the cache has been used")
	}
}
