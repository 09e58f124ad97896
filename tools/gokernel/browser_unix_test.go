//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	built     = flag.String("built", "", "a folder that build has written, to run cells with in a browser")
	notebooks = flag.String("notebooks", "quickstart.ipynb", "the notebooks that TestNotebooks runs")
)

// A browser runs scripts in a page that has a kernel.
type browser struct {
	*testing.T
	scripts chan string
	answers chan []byte
	group   int // of its processes
	mutex   sync.Mutex
	wrong   map[string]*answer // what the server answers for a path in place of the file
}

// An answer is given as often as left says.
type answer struct {
	body []byte
	left int
}

const testPage = `<!doctype html><script type="module">
import { GoKernel } from "./kernel.js";
const page = { GoKernel };
for (;;) {
	const script = await (await fetch("/next")).text();
	const run = new Function("page", "return (async () => {" + script + "})()");
	const answer = await run(page).catch(error => ({ error: String(error.stack) }));
	await fetch("/answer", { method: "POST", body: JSON.stringify(answer ?? null) });
}
</script>`

// open opens the test's page at a host, which is this machine whatever its name.
func open(t *testing.T, host string) *browser {
	if *built == "" {
		t.Skip("make gokernel-test runs it")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	b := &browser{T: t, scripts: make(chan string), answers: make(chan []byte), wrong: map[string]*answer{}}
	files := http.FileServer(http.Dir(*built))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/next":
			select {
			case script := <-b.scripts:
				io.WriteString(w, script)
			case <-r.Context().Done():
			}
		case "/answer":
			body, _ := io.ReadAll(r.Body)
			b.answers <- body
		case "/":
			io.WriteString(w, testPage)
		default:
			b.mutex.Lock()
			defer b.mutex.Unlock()
			if a := b.wrong[r.URL.Path]; a != nil && a.left > 0 {
				a.left--
				if a.body == nil {
					time.Sleep(time.Second)
					files.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Cache-Control", "max-age=3600")
				w.Write(a.body)
				return
			}
			w.Header().Set("Cache-Control", "no-store")
			files.ServeHTTP(w, r)
		}
	}))
	cmd := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--user-data-dir="+t.TempDir(), "--host-resolver-rules=MAP "+host+" 127.0.0.1",
		strings.Replace(server.URL, "127.0.0.1", host, 1))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b.group = cmd.Process.Pid
	t.Cleanup(func() {
		syscall.Kill(-b.group, syscall.SIGKILL)
		cmd.Wait()
		server.CloseClientConnections()
		server.Close()
	})
	return b
}

// run runs a script and reads what it returns.
func (b *browser) run(answer any, script string) {
	b.Helper()
	b.scripts <- script
	select {
	case body := <-b.answers:
		var failure struct{ Error string }
		if json.Unmarshal(body, &failure); failure.Error != "" {
			b.Fatal(failure.Error)
		}
		if err := json.Unmarshal(body, answer); err != nil {
			b.Fatalf("%v: %s", err, body)
		}
	case <-time.After(10 * time.Minute):
		b.Fatalf("no answer to %s", script)
	}
}

// isProgress reports whether a display is a bar of progress or its last line, which a model that is kept on disk
// doesn't have.
func isProgress(data map[string]any) bool {
	html := ""
	switch v := data["text/html"].(type) {
	case string:
		html = v
	case []any:
		if len(v) > 0 {
			html, _ = v[0].(string)
		}
	}
	return strings.HasPrefix(html, "<span") || strings.HasPrefix(html, "<progress")
}

// An outcome is what a cell has left on the page.
type outcome struct {
	Stdout, Stderr string
	Displays       []struct{ Data map[string]any }
	Error          *struct {
		Name, Value string
		Traceback   []string
	}
}

func (b *browser) cell(code string) (o outcome) {
	b.Helper()
	quoted, err := json.Marshal(code)
	if err != nil {
		b.Fatal(err)
	}
	b.run(&o, `const o = { Stdout: "", Stderr: "", Displays: [] };
		page.kernel ??= new page.GoKernel();
		const done = await page.kernel.run(`+string(quoted)+`, m => {
			if (m.type === "stream") o[m.name === "stdout" ? "Stdout" : "Stderr"] += m.text;
			if (m.type === "display" && !m.update) o.Displays.push(m);
		});
		return { ...o, Error: done.error }`)
	return o
}

// usage returns the processor time of the browser so far and the memory of its greatest process.
func (b *browser) usage() (cpu time.Duration, mib int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 22 || fields[2] != strconv.Itoa(b.group) {
			continue
		}
		for _, ticks := range fields[11:13] {
			n, _ := strconv.Atoi(ticks)
			cpu += time.Duration(n) * 10 * time.Millisecond
		}
		pages, _ := strconv.Atoi(fields[21])
		mib = max(mib, pages*os.Getpagesize()>>20)
	}
	return cpu, mib
}

// expect runs a cell, which must print a text and end with an error, if any.
func (b *browser) expect(code, stdout, failure string) (o outcome) {
	b.Helper()
	o = b.cell(code)
	got := ""
	if o.Error != nil {
		got = o.Error.Value
	}
	if o.Stdout != stdout || got != failure {
		b.Errorf("%.500s: got %.2000q and the error %.2000q, want %.2000q and %q; stderr %.2000q",
			code, o.Stdout, got, stdout, failure, o.Stderr)
	}
	return o
}

// anew ends the kernel and empties the browser's cache.
func (b *browser) anew() {
	b.run(new(any), `page.kernel?.end();
		delete page.kernel;
		await globalThis.caches?.delete("gokernel");
		return {}`)
}

// answer makes the server give another answer for a file, so often. nil is the file itself, after a second.
func (b *browser) answer(name string, body []byte, times int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.wrong[name] = &answer{body, times}
}

func (b *browser) index() (x index) {
	text, err := os.ReadFile(filepath.Join(*built, "index.json"))
	if err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(text, &x); err != nil {
		b.Fatal(err)
	}
	return x
}

// pack returns the data as build writes them.
func pack(data []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(data)
	w.Close()
	return packed.Bytes()
}

const login = "<html>Please log in.</html>"

// TestOtherContents gives the kernel files whose contents aren't those of their names.
func TestOtherContents(t *testing.T) {
	b := open(t, "127.0.0.1")
	x := b.index()
	of := func(path string) *entry {
		return x.Packages[slices.IndexFunc(x.Packages, func(e *entry) bool { return e.Path == path })]
	}
	data := func(hash string) string { return "/data/" + hash + ".bin" }
	whole, err := os.ReadFile(filepath.Join(*built, data(of("fmt").Exports)))
	if err != nil {
		t.Fatal(err)
	}
	for _, once := range []struct {
		what, name string
		body       []byte
	}{
		{"a page for the index", "/index.json", []byte(login)},
		{"a page for the compiler", data(x.Tools["compile"]), []byte(login)},
		{"part of export data", data(of("fmt").Exports), whole[:len(whole)/2]},
		{"nothing for objects", data(of("fmt").Objects), pack(nil)},
		{"other objects", data(of("strings").Objects), pack([]byte("!<arch>\n"))},
	} {
		t.Log(once.what)
		b.anew()
		b.answer(once.name, once.body, 1)
		if once.name == "/index.json" {
			b.expect("%%\nfmt.Println(8)", "",
				"index.json can't be loaded. Check the connection, and run the cell again.")
		}
		b.expect("%%\nfmt.Println(strings.ToUpper(\"a\"))", "A\n", "")
		b.mutex.Lock()
		if b.wrong[once.name].left != 0 {
			t.Error("the wrong answer wasn't given")
		}
		b.mutex.Unlock()
	}

	b.anew()
	name := data(of("strings").Objects)
	b.answer(name, []byte(login), 1000)
	o := b.cell("%%\nfmt.Println(strings.ToUpper(\"a\"))")
	if o.Error == nil || !strings.HasPrefix(o.Error.Value, name[1:]+" can't be loaded: ") ||
		!strings.Contains(o.Error.Value, "Check the connection") {
		t.Errorf("got %+v", o.Error)
	}
	b.answer(name, nil, 0)
	b.expect("%%\nfmt.Println(strings.ToUpper(\"a\"))", "A\n", "")

	// What a cell has changed in the cache isn't used.
	var changed int
	b.run(&changed, `const kept = await caches.open("gokernel");
		let changed = 0;
		for (const name of await kept.keys()) {
			const unpacked = (await kept.match(name)).body.pipeThrough(new DecompressionStream("gzip"));
			const bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
			const text = new TextDecoder("latin1").decode(bytes);
			for (let i = -1; (i = text.indexOf("(EXTRA ", i + 1)) >= 0; changed++) {
				bytes.set(new TextEncoder().encode("(OTHER "), i);
			}
			const packed = new Response(bytes).body.pipeThrough(new CompressionStream("gzip"));
			await kept.put(name, new Response(packed));
		}
		page.kernel.end();
		delete page.kernel;
		return changed`)
	if changed == 0 {
		t.Error("the cache doesn't have fmt")
	}
	b.expect("%%\nfmt.Printf(\"x\", 1)", "x%!(EXTRA int=1)", "")
}

// TestPlainHTTP runs cells where browsers have neither a cache nor hashes.
func TestPlainHTTP(t *testing.T) {
	b := open(t, "plain.test")
	var secure bool
	if b.run(&secure, "return isSecureContext"); secure {
		t.Error("the page is secure")
	}
	b.answer("/data/"+b.index().Tools["link"]+".bin", []byte(login), 1)
	b.expect("%%\nfmt.Println(8)", "8\n", "")
}

// TestStop stops a cell that compiles for minutes.
func TestStop(t *testing.T) {
	b := open(t, "127.0.0.1")
	var code strings.Builder
	code.WriteString("type a0 [2]int\n")
	for i := range 28 {
		fmt.Fprintf(&code, "type a%d struct{ x, y a%d }\n", i+1, i)
	}
	code.WriteString("%%\nvar v a28\nfmt.Println(v == v)")
	b.expect("var before = 41\n%%\nos.WriteFile(\"kept\", []byte(\"here\"), 0o666)", "", "")
	quoted, _ := json.Marshal(code.String())
	var stopped struct {
		Value, Text string
		Took        int // milliseconds to the end, and to the end of the next cell
		Next        int
	}
	b.run(&stopped, `const done = page.kernel.run(`+string(quoted)+`, () => {});
		let text = "";
		const next = page.kernel.run("%%\nb, err := os.ReadFile(\"kept\")\nfmt.Println(before+1, string(b), err)",
			m => text += m.text ?? "");
		await new Promise(resolve => setTimeout(resolve, 2000));
		const begun = performance.now(), since = () => Math.round(performance.now() - begun);
		page.kernel.interrupt();
		const value = (await done).error.value, took = since();
		await next;
		return { value, took, text, next: since() }`)
	t.Logf("stopped after %d ms, the next cell done after %d", stopped.Took, stopped.Next)
	if stopped.Value != "signal: interrupt" || stopped.Text != "42 here <nil>\n" {
		t.Errorf("got %+v", stopped)
	}
}

// TestLongCells compiles what Go's compiler as WebAssembly doesn't without -N, and then with one that always fails.
func TestLongCells(t *testing.T) {
	b := open(t, "127.0.0.1")
	b.expect("%%\n"+strings.Repeat("fmt.Println(1, 2.5, \"x\")\n", 400), strings.Repeat("1 2.5 x\n", 400), "")
	x := b.index()
	data := []byte("\x00asm\x01\x00\x00\x00") // a module without anything to run
	x.Tools["compile"] = fmt.Sprintf("%x", sha256.Sum256(data))[:20]
	changed, _ := json.Marshal(x)
	b.answer("/index.json", changed, 1)
	b.answer("/data/"+x.Tools["compile"]+".bin", pack(data), 1)
	b.anew()
	b.run(new(any), `page.kernel = new page.GoKernel();
		await page.kernel.ready;
		return {}`)
	b.expect("%%\nfmt.Println(8)", "", "the cell is too long for the compiler in a page; divide it into functions")
}

func TestDisplays(t *testing.T) {
	b := open(t, "127.0.0.1")
	display := func(json string) string { return "js.Global().Call(\"gonbDisplay\", " + json + ")\n" }
	const left = "\nDisplays are left out: they are too many or too large for a page.\n"
	o := b.expect("%%\nfor range 3000 {\n"+display("`{\"data\":{},\"displayId\":\"a\",\"update\":true}`")+"}", "", "")
	if len(o.Displays) != 0 || o.Stderr != "" {
		t.Errorf("%d displays, %s", len(o.Displays), o.Stderr)
	}
	o = b.expect("%%\nfor range 3000 {\n"+display("`{\"data\":{}}`")+"}", "", "")
	if len(o.Displays) != 1000 || o.Stderr != left {
		t.Errorf("%d displays, %s", len(o.Displays), o.Stderr)
	}
	o = b.expect("var text = `{\"data\":{\"text/plain\":\"` + strings.Repeat(\"x\", 30<<20) + `\"}}`\n%%\nfor range 3 {\n"+
		display("text")+"}", "", "")
	if len(o.Displays) != 2 || o.Stderr != left {
		t.Errorf("%d displays, %s", len(o.Displays), o.Stderr)
	}
}

// TestFalseMessages has a program say that it has ended.
func TestFalseMessages(t *testing.T) {
	b := open(t, "127.0.0.1")
	b.expect(`%%
for _, kind := range []string{"exit", "done"} {
	js.Global().Call("postMessage", map[string]any{"type": kind, "code": 0, "ok": true})
}
time.Sleep(time.Second)
fmt.Println("went on")`, "went on\n", "")
	b.expect("%%\nfmt.Println(8)", "8\n", "")
}

// TestManyFiles writes files, of which the page hears in few messages, and loses none when a worker ends.
func TestManyFiles(t *testing.T) {
	b := open(t, "127.0.0.1")
	b.run(new(any), `page.heard = 0;
		globalThis.Worker = class extends Worker {
			constructor(name) {
				super(name);
				this.addEventListener("message", () => page.heard++);
			}
		};
		return {}`)
	const count = "%%\nfound, _ := filepath.Glob(\"[0-9m]*\")\nfmt.Println(len(found))"
	b.expect("%%\nfor i := range 5000 {\nos.WriteFile(fmt.Sprint(i), nil, 0o666)\n}\n"+
		"fmt.Println(len(make([]byte, 3<<30)))", "", "out of memory: a cell has at most 1536 MiB in a page")
	var heard int
	if b.run(&heard, "return page.heard"); heard < 100 || heard > 1000 {
		t.Errorf("%d messages", heard)
	}
	b.expect(count, "5000\n", "")
	b.run(new(any), `await page.kernel.run("%%\nfor i := range 50 {\n" +
		"os.WriteFile(fmt.Sprint(\"more\", i), nil, 0o666)\n}\nfmt.Println(8)\nfor {\n}", () => page.kernel.interrupt());
		return {}`)
	b.expect(count, "5050\n", "")
}

// TestFiles reads a file of build, which can't be loaded at first, and asks for the files beside the notebook.
func TestFiles(t *testing.T) {
	b := open(t, "127.0.0.1")
	const path = "/testdata/vehicles.csv"
	want, err := os.ReadFile("../.." + path)
	if err != nil {
		t.Fatal(err)
	}
	name := "/data/" + b.index().Files[path] + ".bin"
	const read = "%%\nb, err := os.ReadFile(\".." + path + "\")\nfmt.Printf(\"%x %v\", sha256.Sum256(b), err)"
	b.answer(name, []byte(login), 1000)
	b.expect(read, fmt.Sprintf("%x open ..%s: I/O error", sha256.Sum256(nil), path), "")
	b.answer(name, nil, 1) // the cell waits, and that isn't a deadlock
	b.expect(read, fmt.Sprintf("%x <nil>", sha256.Sum256(want)), "")
	b.expect("%%\nfmt.Print(os.Remove(\".."+path+"\"))", "<nil>", "")
	b.expect(read, fmt.Sprintf("%x open ..%s: No such file or directory", sha256.Sum256(nil), path), "")
	b.expect("%%\nfmt.Print(os.WriteFile(\"answers.csv\", []byte(\"1,2\"), 0o666))", "<nil>", "")
	var beside []string
	b.run(&beside, `page.kernel.put("own.csv", new TextEncoder().encode("3,4"));
		return [...page.kernel.files()].map(([name, data]) => name + " " + new TextDecoder().decode(data))`)
	if !slices.Equal(beside, []string{"answers.csv 1,2", "own.csv 3,4"}) {
		t.Errorf("beside the notebook are %q", beside)
	}
}

// TestEarlierDeclarations has what a cell declares fail before later ones begin.
func TestEarlierDeclarations(t *testing.T) {
	b := open(t, "127.0.0.1")
	const why = "exit status 2: what Cell[%d] declares fails before this cell begins, and so before every cell. " +
		"Declare it anew, or forget it with %%rm or %%reset."
	b.expect("func init_a() { panic(\"x\") }", "", "exit status 2")
	b.expect("%%\nfmt.Println(8)", "", fmt.Sprintf(why, 1))
	b.expect("%rm init_a\n%%\nfmt.Println(8)", "8\n", "")
	b.expect("func fails() int { panic(\"x\") }", "", "")
	b.expect("var v = fails()", "", "exit status 2")
	b.expect("%%\nfmt.Println(8)", "", fmt.Sprintf(why, 5))
	b.expect("var v = 1\n%%\nfmt.Println(v)\nfails()", "1\n", "exit status 2")
}

func TestErrorsAndLimits(t *testing.T) {
	b := open(t, "127.0.0.1")
	b.expect("func double(x int) int { return 2 * x }\nvar name = \"Gopher\"", "", "")
	b.expect("%%\nfmt.Println(double(4), name)", "8 Gopher\n", "")

	o := b.expect("%%\nx := 1\nfmt.Println(double(y))", "",
		"Cell[3]:2:1: declared and not used: x\nCell[3]:3:20: undefined: y")
	want := []string{"Cell[3]: Line 2\n%%\nx := 1\n^\nfmt.Println(double(y))\n\ndeclared and not used: x\n" +
		"Go wants a function's variables used: delete x, or write _ = x.",
		"Cell[3]: Line 3\n%%\nx := 1\nfmt.Println(double(y))\n                   ^\n\nundefined: y\n" +
			"Nothing that has run declares y above %%. Run the cells above first; what stands below %% isn't kept for other " +
			"cells."}
	if o.Error == nil || !slices.Equal(o.Error.Traceback, want) {
		t.Errorf("got %+v, want %q", o.Error, want)
	}
	o = b.expect("func pick(x []int) int {\n\treturn x[7]\n}\n%%\nfmt.Print(\"a\")\npick(nil)", "a", "exit status 2")
	const trace = "panic: runtime error: index out of range [7] with length 0\n\tCell[4]:2\n\tCell[4]:6\n" +
		"The slice is empty: it has no element.\n"
	if o.Stderr != trace || !slices.Equal(o.Error.Traceback, []string{"exit status 2"}) {
		t.Errorf("got %q and %q, want %q", o.Stderr, o.Error.Traceback, trace)
	}
	b.expect("%%\nos.WriteFile(\"kept\", []byte(\"here\"), 0o666)\nos.Rename(\"kept\", \"moved\")", "", "")
	b.expect("%%\nfmt.Print(1)\nvar kept [][]byte\nfor range 3 {\nkept = append(kept, make([]byte, 1<<30))\n}",
		"1", "out of memory: a cell has at most 1536 MiB in a page")
	read := "\nb, err := os.ReadFile(flag.Arg(0))\nfmt.Println(string(b), err, double(2))"
	b.expect("%% moved"+read, "here <nil> 4\n", "")

	o = b.cell("%%\nline := strings.Repeat(\"x\", 1<<20)\nfor range 100 {\nfmt.Println(line)\n}")
	if len(o.Stdout) > 2<<20 || !strings.Contains(o.Stderr, "too long") || o.Error != nil {
		t.Errorf("got %d bytes, %s, %v", len(o.Stdout), o.Stderr, o.Error)
	}
	var stopped struct{ Text, Value string }
	b.run(&stopped, `let text = "";
		const done = await page.kernel.run("%%\nfmt.Println(double(21))\nfor {\n}", m => {
			if (m.type === "stream") { text += m.text; page.kernel.interrupt(); }
		});
		page.kernel.put("data.csv", new TextEncoder().encode("1,2"));
		return { text, value: done.error.value }`)
	if stopped.Text != "42\n" || stopped.Value != "signal: interrupt" {
		t.Errorf("got %+v", stopped)
	}
	b.run(&stopped, `let text = "";
		await page.kernel.run(`+"`"+`%%
			heard := make(chan string)
			js.Global().Set("gonbHear", js.FuncOf(func(_ js.Value, args []js.Value) any {
				go func() { heard <- args[0].String() + args[1].String() }()
				return nil
			}))
			js.Global().Call("gonbDisplay", "{\\"data\\":{\\"text/plain\\":\\"shown\\"}}")
			fmt.Print(<-heard)`+"`"+`, m => {
			if (m.type === "stream") text += m.text;
			if (m.type === "display") page.kernel.send("to ", m.data["text/plain"]);
		});
		return { text, value: "" }`)
	if stopped.Text != "to shown" {
		t.Errorf("got %+v", stopped)
	}
	b.expect("%% data.csv"+read, "1,2 <nil> 4\n", "")
	b.expect("%% moved"+read, "here <nil> 4\n", "")
	b.expect("!ls", "", "!ls: a page in a browser starts no other programs")
	b.expect("import \"net/http\"\n%%\nhttp.Get(\"x\")", "",
		"Cell[14]:1:8: package net/http is not among those of this page")
	b.expect("%%\nx := := 1", "", "Cell[15]:2:6: expected operand, found ':='")
	const deep = "Maximum call stack size exceeded"
	o = b.expect("func deeper(x int) int { return deeper(x+1) + 1 }\n%%\nfmt.Println(deeper(1))", "", deep)
	if want := []string{deep + "\nA function calls itself without end: in which case should it stop?"}; o.Error == nil ||
		!slices.Equal(o.Error.Traceback, want) {
		t.Errorf("got %+v, want %q", o.Error, want)
	}
}

// TestOtherCells uses what a cell declares that hasn't run.
func TestOtherCells(t *testing.T) {
	b := open(t, "127.0.0.1")
	var got []string
	b.run(&got, `page.kernel ??= new page.GoKernel();
		const cells = ["%%\nkept := 1", "var kept = 2", "%%\nfmt.Println(kept.x, keep)"];
		return (await page.kernel.run(cells[2], () => {}, cells)).error.traceback.map(text => text.split("\n").at(-1))`)
	want := []string{"Another cell declares kept: run it first, such as with Run All Cells.",
		"Nothing that has run declares keep above %%. Run the cells above first; what stands below %% isn't kept " +
			"for other cells."}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDeadlock runs programs that wait: for nothing, for their own timer, and for the page.
func TestDeadlock(t *testing.T) {
	b := open(t, "127.0.0.1")
	o := b.expect("%%\nfmt.Println(1)\nc := make(chan int)\n<-c", "1\n", "exit status 2")
	const why = "fatal error: all goroutines are asleep - deadlock!\n\tCell[1]:4\n" +
		"Everything waits for what can't come: a channel needs somebody at its other end.\n"
	if o.Stderr != why {
		t.Errorf("got %q, want %q", o.Stderr, why)
	}
	o = b.expect("%%\nvar m sync.Mutex\nm.Lock()\nos.WriteFile(\"a\", nil, 0o666)\ntime.Sleep(time.Millisecond)\nm.Lock()",
		"", "exit status 2")
	if want := strings.Replace(why, "[1]:4", "[2]:6", 1); o.Stderr != want {
		t.Errorf("got %q, want %q", o.Stderr, want)
	}
	b.expect("%%\nc := make(chan int)\ngo func() { time.Sleep(time.Second); c <- 8 }()\nfmt.Println(<-c)", "8\n", "")
	b.expect(`%%
c := make(chan int)
js.Global().Call("setTimeout", js.FuncOf(func(js.Value, []js.Value) any { close(c); return nil }), 1000)
_, open := <-c
fmt.Println(open)`, "false\n", "")
}

// TestCompletion asks for names and documentation where | stands.
func TestCompletion(t *testing.T) {
	b := open(t, "127.0.0.1")
	b.expect("var kept, other, found = strings.Cut(\"a b\", \" \")\nvar text = strings.NewReader(kept)\n"+
		"func upper(s string) *strings.Replacer { return nil }", "", "")
	at := func(method, marked string, answer any) {
		before, after, _ := strings.Cut(marked, "|")
		code, _ := json.Marshal(before + after)
		b.run(answer, fmt.Sprintf("return await page.kernel.%s(%s, %d) ?? ''", method, code, len(before)))
	}
	for _, c := range []struct{ code, want string }{
		{"%%\nstrings.Cut|", "Cut CutPrefix CutSuffix"},
		{"%%\nstrings.cutp|", "CutPrefix"},
		{"%%\nx := strings.NewReplacer()\nx.|", "Replace WriteString"},
		{"%%\nupper(kept).|", "Replace WriteString"},
		{"%%\nvar x strings.Builder\nx.Write|", "Write WriteByte WriteRune WriteString"},
		{"%%\nx := &strings.Builder{}\nx.Gr|", "Grow"},
		{"%%\ntext.Re|", "Read ReadAt ReadByte ReadRune Reset"},
		{"%%\nx := os.PathError{|", "Err Op Path"},
		{"%%\nx := []os.PathError{{Op: \"a\"}, {|", "Err Op Path"},
		{"%%\nx := os.PathError{Op: kep|", "kept"},
		{"%%\nfor i := range 3 { upp|", "upper"},
		{"%%\nstrin|", "strings"},
		{"%%\nfmt.Println(\"strings.|\")", ""},
		{"%%\n// strings.|", ""},
	} {
		var got struct{ Matches []struct{ Text string } }
		at("complete", c.code, &got)
		var names []string
		for _, m := range got.Matches {
			names = append(names, m.Text)
		}
		if joined := strings.Join(names, " "); joined != c.want {
			t.Errorf("%s: got %q, want %q", c.code, joined, c.want)
		}
	}
	for _, c := range []struct{ code, want string }{
		{"%%\nstrings.Cl|one(kept)", "```go\nfunc Clone(s string) string\n```\n\nClone returns a fresh copy of s."},
		{"%%\nstrings.Clone(|", "```go\nfunc Clone(s string) string\n```\n\nClone returns a fresh copy of s."},
		{"%%\nx := os.PathError{O|p: kept}", "```go\nOp string\n```\n\n"},
		{"%%\nte|xt", "```go\nvar text strings.Reader\n```\n\n"},
		{"%%\nunknown|", ""},
	} {
		var got string
		if at("inspect", c.code, &got); got != c.want {
			t.Errorf("%s: got %q, want %q", c.code, got, c.want)
		}
	}
}

// differing says why some cells, counted from 1 on, print or display something else in a page.
var differing = map[string]string{
	"../../notebooks/lessons/1-from-split-to-tree.ipynb 13":                    "has a slider where somebody can move it",
	"../../notebooks/quickstart.ipynb 9":                                       "prints times",
	"../../notebooks/tao.ipynb 21":                                             "needs MNIST",
	"../../notebooks/lessons/solutions/6-from-averaging-to-correcting.ipynb 3": "math.Exp differs in the last digit",
}

// TestNotebooks runs the cells of notebooks, and compares what they print with what the notebooks hold.
func TestNotebooks(t *testing.T) {
	var paths []string
	for _, pattern := range strings.Fields(*notebooks) {
		found, err := filepath.Glob("../../notebooks/" + pattern)
		if err != nil || found == nil {
			t.Fatalf("no notebook %s: %v", pattern, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			cells, err := codeCells(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Parallel()
			b := open(t, "127.0.0.1")
			for i, c := range cells {
				before, _ := b.usage()
				o := b.cell(string(c.Source))
				after, mib := b.usage()
				t.Logf("cell %d: %.1f s of processors, %d MiB", i+1, (after - before).Seconds(), mib)
				stdout, displays := "", 0
				for _, output := range c.Outputs {
					if output.Name == "stdout" {
						stdout += string(output.Text)
					}
					if output.Data != nil && !isProgress(output.Data) {
						displays++
					}
				}
				if o.Error != nil {
					t.Errorf("cell %d: %s\n%s", i+1, o.Error.Value, o.Stderr)
				}
				shown := 0
				for _, d := range o.Displays {
					if !isProgress(d.Data) {
						shown++
					}
				}
				if differing[path+" "+strconv.Itoa(i+1)] == "" && (o.Stdout != stdout || shown != displays) {
					t.Errorf("cell %d printed\n%s\nand displayed %d, want %d and\n%s",
						i+1, o.Stdout, shown, displays, stdout)
				}
			}
		})
	}
}
