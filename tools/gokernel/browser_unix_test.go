//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	built     = flag.String("built", "", "a folder that build has written, to run cells with in a browser")
	notebooks = flag.String("notebooks", "quickstart.ipynb lessons/*.ipynb lessons/solutions/*.ipynb",
		"the notebooks that TestNotebooks runs")
)

// A browser runs scripts in a page that has a kernel.
type browser struct {
	*testing.T
	scripts chan string
	answers chan []byte
	group   int // of its processes
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

func open(t *testing.T) *browser {
	if *built == "" {
		t.Skip("make gokernel-test runs it")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	b := &browser{T: t, scripts: make(chan string), answers: make(chan []byte)}
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
			files.ServeHTTP(w, r)
		}
	}))
	cmd := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--user-data-dir="+t.TempDir(), server.URL)
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
	case <-time.After(2 * time.Minute):
		b.Fatalf("no answer to %s", script)
	}
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

// put gives the kernel a file of the repository, in the same place beside the notebooks.
func (b *browser) put(name string) {
	text, err := os.ReadFile("../.." + name)
	if err != nil {
		b.Fatal(err)
	}
	quoted, _ := json.Marshal(string(text))
	name = strconv.Quote(name)
	b.run(new(any), "page.kernel.put("+name+", new TextEncoder().encode("+string(quoted)+")); return {}")
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

func TestErrorsAndLimits(t *testing.T) {
	b := open(t)
	expect := func(code, stdout, failure string) (o outcome) {
		t.Helper()
		o = b.cell(code)
		got := ""
		if o.Error != nil {
			got = o.Error.Value
		}
		if o.Stdout != stdout || got != failure {
			t.Errorf("%s: got %q and the error %q, want %q and %q; stderr %.2000q",
				code, o.Stdout, got, stdout, failure, o.Stderr)
		}
		return o
	}
	expect("func double(x int) int { return 2 * x }\nvar name = \"Gopher\"", "", "")
	expect("%%\nfmt.Println(double(4), name)", "8 Gopher\n", "")

	o := expect("%%\nx := 1\nfmt.Println(double(y))", "",
		"Cell[3]:2:1: declared and not used: x\nCell[3]:3:20: undefined: y")
	want := []string{"Cell[3]: Line 2\n%%\nx := 1\n^\nfmt.Println(double(y))\n\ndeclared and not used: x",
		"Cell[3]: Line 3\n%%\nx := 1\nfmt.Println(double(y))\n                   ^\n\nundefined: y"}
	if o.Error == nil || !slices.Equal(o.Error.Traceback, want) {
		t.Errorf("got %+v, want %q", o.Error, want)
	}
	o = expect("func pick(x []int) int {\n\treturn x[7]\n}\n%%\nfmt.Print(\"a\")\npick(nil)", "a", "exit status 2")
	for _, part := range []string{"index out of range [7]", "\tCell[4]:2", "\tCell[4]:6"} {
		if !strings.Contains(o.Stderr, part) {
			t.Errorf("no %s in %s", part, o.Stderr)
		}
	}
	expect("%%\nos.WriteFile(\"kept\", []byte(\"here\"), 0o666)\nos.Rename(\"kept\", \"moved\")", "", "")
	expect("%%\nfmt.Print(1)\nvar kept [][]byte\nfor range 3 {\nkept = append(kept, make([]byte, 1<<30))\n}",
		"1", "out of memory: a cell has at most 1536 MiB in a page")
	read := "\nb, err := os.ReadFile(flag.Arg(0))\nfmt.Println(string(b), err, double(2))"
	expect("%% moved"+read, "here <nil> 4\n", "")

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
	expect("%% data.csv"+read, "1,2 <nil> 4\n", "")
	expect("%% moved"+read, "here <nil> 4\n", "")
	expect("!ls", "", "!ls: a page in a browser starts no other programs")
	expect("import \"net/http\"\n%%\nhttp.Get(\"x\")", "",
		"Cell[14]:1:8: package net/http is not among those of this page")
	expect("%%\nx := := 1", "", "Cell[15]:2:6: expected operand, found ':='")
}

// differing says why some cells, counted from 1 on, print other text in a page.
var differing = map[string]string{
	"../../notebooks/quickstart.ipynb 9":                                       "prints times",
	"../../notebooks/lessons/solutions/6-from-averaging-to-correcting.ipynb 3": "math.Exp differs in the last digit",
}

// TestNotebooks runs the cells of notebooks, and compares what they print with what the notebooks hold.
func TestNotebooks(t *testing.T) {
	b := open(t)
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
			b.cell("%reset")
			b.put("/testdata/vehicles.csv")
			for i, c := range cells {
				before, _ := b.usage()
				o := b.cell(strings.Join(c.Source, ""))
				after, mib := b.usage()
				t.Logf("cell %d: %.1f s of processors, %d MiB", i+1, (after - before).Seconds(), mib)
				stdout, displays := "", 0
				for _, output := range c.Outputs {
					if output.Name == "stdout" {
						stdout += strings.Join(output.Text, "")
					}
					if output.Data != nil {
						displays++
					}
				}
				if o.Error != nil {
					t.Errorf("cell %d: %s\n%s", i+1, o.Error.Value, o.Stderr)
				}
				if differing[path+" "+strconv.Itoa(i+1)] != "" {
					stdout = o.Stdout
				}
				if o.Stdout != stdout || len(o.Displays) != displays {
					t.Errorf("cell %d printed\n%s\nand displayed %d, want %d and\n%s",
						i+1, o.Stdout, len(o.Displays), displays, stdout)
				}
			}
		})
	}
}
