package cells

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/tools/hints"
)

var packages = []Package{{"example.org/viz", "viz"}, {"fmt", "fmt"}, {"math/rand", "rand"},
	{"crypto/rand", "rand"}, {"flag", "flag"},
	{"example.org/go-plot/v2", "plot"}}

var positions = regexp.MustCompile(`/\*line Cell\[\d+\]:\d+:\d+\*/`)

// A notebook is a session that is kept as JSON after each cell, as the worker keeps it.
type notebook struct {
	*testing.T
	session []byte
	cells   int
}

func (n *notebook) add(source string) (*Program, error) {
	n.Helper()
	n.cells++
	var s Session
	if n.session != nil {
		if err := json.Unmarshal(n.session, &s); err != nil {
			n.Fatal(err)
		}
	}
	p, err := s.Add(n.cells, source, packages)
	if err == nil {
		if n.session, err = json.Marshal(s); err != nil {
			n.Fatal(err)
		}
	}
	return p, err
}

// program adds a cell and returns its program's lines, without positions and the package clause.
func (n *notebook) program(source string) string {
	n.Helper()
	p, err := n.add(source)
	if err != nil {
		n.Fatal(err)
	}
	lines := strings.Split(positions.ReplaceAllString(p.Source, ""), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	return strings.TrimPrefix(strings.Join(lines, "\n"), "package main\n")
}

// The sequences are those that GoNB's help and tutorial describe: declarations stay, a new one takes the
// place of the old one of that name, main doesn't stay.
func TestCells(t *testing.T) {
	const main, stub = "import \"flag\"\n", "func main() { flag.Parse() }"
	type step struct{ cell, want string }
	for name, steps := range map[string][]step{
		"main by hand": {
			{"func main() {\n\tfmt.Println(1)\n}", "import \"fmt\"\nfunc main() {\n\tfmt.Println(1)\n}"},
			{"var x = 1", main + "var x = 1\n" + stub},
		},
		"body of main": {{"var x = 1\n%% --a \"b c\"\nx++",
			main + "var x = 1\nfunc main() { flag.Parse()\nx++\n}"}},
		"redefined": {
			{"func f() int { return 1 }\ntype t int\nfunc (t) m() {}\nfunc (p *t) n() {}",
				main + "func f() int { return 1 }\ntype t int\nfunc (t) m() {}\nfunc (p *t) n() {}\n" + stub},
			{"func f() int { return 2 }\nfunc (x *t) m() {}",
				main + "func f() int { return 2 }\ntype t int\nfunc (x *t) m() {}\nfunc (p *t) n() {}\n" + stub},
			{"type f string", main + "type f string\ntype t int\nfunc (x *t) m() {}\nfunc (p *t) n() {}\n" + stub},
		},
		"methods of a generic type": {
			{"type s[K, V any] struct{}\nfunc (*s[K, V]) m() {}",
				main + "type s[K, V any] struct{}\nfunc (*s[K, V]) m() {}\n" + stub},
			{"func (s[A, B]) m() {}", main + "type s[K, V any] struct{}\nfunc (s[A, B]) m() {}\n" + stub},
		},
		"several at a time": {
			{"var a, b = g()\nfunc g() (int, int) { return 1, 2 }",
				main + "var a, b = g()\nfunc g() (int, int) { return 1, 2 }\n" + stub},
			{"var a = 3", main + "var _, b = g()\nvar a = 3\nfunc g() (int, int) { return 1, 2 }\n" + stub},
			{"var (\n\tb = 4\n\tc = 5\n)",
				main + "var a = 3\nvar b = 4\nvar c = 5\nfunc g() (int, int) { return 1, 2 }\n" + stub},
		},
		"constants keep their numbers": {
			{"const (\n\tp = iota\n\tq\n\tr\n)", main + "const (\n\tp = iota\n\tq\n\tr\n)\n" + stub},
			{"const q = 7", main + "const (\n\tp = iota\n\t_\n\tr\n)\nconst q = 7\n" + stub},
		},
		"init": {
			{"func init_a() {}", main + "func init() {}\n" + stub},
			{"func init_b() {}", main + "func init() {}\nfunc init() {}\n" + stub},
		},
		"imports": {
			{"import (\n\t\"math/rand\"\n\tp \"example.org/go-plot/v2\"\n)\n%%\nrand.Int()",
				"import \"math/rand\"\n" + main +
					"func main() { flag.Parse()\nrand.Int()\n}"},
			{"%%\np.F(plot.G, viz.Show)",
				"import p \"example.org/go-plot/v2\"\n" + main +
					"import \"example.org/go-plot/v2\"\nimport \"example.org/viz\"\n" +
					"func main() { flag.Parse()\np.F(plot.G, viz.Show)\n}"},
			{"import rand \"crypto/rand\"\n%%\nrand.Int()",
				"import rand \"crypto/rand\"\n" + main +
					"func main() { flag.Parse()\nrand.Int()\n}"},
			{"%%\nvar viz struct{ x int }\nprint(viz.x, unknown.Y)",
				main + "func main() { flag.Parse()\nvar viz struct{ x int }\nprint(viz.x, unknown.Y)\n}"},
			{"import _ \"example.org/viz\"", "import _ \"example.org/viz\"\n" + main + stub},
		},
		"forgotten": {
			{"var a, b int", main + "var a, b int\n" + stub},
			{"%rm a\n%%", main + "var _, b int\nfunc main() { flag.Parse()\n}"},
			{"%reset\n%%", main + "func main() { flag.Parse()\n}"},
		},
		"nothing to run": {{"%noautoget", ""}, {"\n \n", ""}},
		"other lines": {
			{"package main\n//gonb:%%\nprint(1)",
				main + "func main() { flag.Parse()\nprint(1)\n}"},
			{"%exec f a",
				main + "func main() { flag.Parse(); f() }"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := &notebook{T: t}
			for _, step := range steps {
				if got := n.program(step.cell); got != step.want {
					t.Errorf("%s\ngot\n%s\nwant\n%s", step.cell, got, step.want)
				}
			}
		})
	}
}

func TestCommands(t *testing.T) {
	n := &notebook{T: t}
	p, err := n.add("%env A b=c\n%nonsense\n%% --x=1 \"a b\" \"say \\\"hi\\\"\" \\\nlast\nprint(1)")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"--x=1", "a b", `say "hi"`, "last"}; !slices.Equal(p.Args, want) {
		t.Errorf("arguments %q, want %q", p.Args, want)
	}
	if p.Stdout != "Set: A=\"b=c\"\n" || !strings.Contains(p.Stderr, `"%nonsense" unknown`) {
		t.Errorf("printed %q and %q", p.Stdout, p.Stderr)
	}
	if p, _ := n.add("var v, w int\nfunc f() {}\n%%"); len(p.Args) > 0 {
		t.Errorf("arguments of the cell before: %q", p.Args)
	}
	if p, _ := n.add("%ls"); p.Stdout != "f\nv\nw\n" {
		t.Errorf("listed %q", p.Stdout)
	}
	for _, cell := range []string{"!ls", "%%bash\nls", "%env A", "%exec"} {
		if _, err := n.add(cell); err == nil {
			t.Errorf("%s: no error", cell)
		}
	}
}

func TestPositions(t *testing.T) {
	n := &notebook{T: t}
	p, err := n.add("\nvar (\n\tx = 1\n)\n%%\nprint(x)")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"var /*line Cell[1]:3:2*/x = 1",
		"/*line Cell[1]:5:1*/func main() { flag.Parse()\nprint(x)"} {
		if !strings.Contains(p.Source, want) {
			t.Errorf("no %s in\n%s", want, p.Source)
		}
	}
	for cell, want := range map[string]string{
		"x := 1":                                "Cell[2]:1:1: expected declaration, found x",
		"%%\nx := := 1":                         "Cell[2]:2:6: expected operand, found ':='",
		"import (\n\t\"os\"\n)\n%%\nos.Exit(1)": "Cell[2]:2:2: package os is not among those of this page",
	} {
		n.cells = 1
		_, err := n.add(cell)
		var list *Errors
		if !errors.As(err, &list) || list.Error() != want {
			t.Errorf("%s: got %v, want %s", cell, err, want)
		}
	}
}

func TestOtherCells(t *testing.T) {
	cells := []string{"%%\nbelow := 1", "var above = 2 +", "func above() {}"}
	for name, want := range map[string]string{
		"above": "\nAnother cell declares above: run it first, such as with Run All Cells.",
		"below": "", "main": "",
	} {
		var s Session
		message := "undefined: " + name
		got := s.Explain("Cell[7]:5:3: "+message).Traceback(packages, cells, nil)[0]
		if _, hint, _ := strings.Cut(got, message); hint != want {
			t.Errorf("%s: got %q, want %q", name, hint, want)
		}
	}
}

func TestTraceback(t *testing.T) {
	s := Session{Cells: map[int]string{7: "one\ntwo\nthree\nfour\nfive\nsix\nseven"}}
	got := s.Explain("Cell[7]:5:3: undefined: x\n\thave (int)\n").Traceback(nil, nil, nil)
	want := []string{"Cell[7]: Line 5\ntwo\nthree\nfour\nfive\n  ^\nsix\nseven\n\nundefined: x\n\thave (int)"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Columns are of bytes: that of x is 8, below a tab and four characters.
func TestMarkBelowTheColumn(t *testing.T) {
	s := Session{Cells: map[int]string{1: "\tñ := x"}}
	got := s.Explain("Cell[1]:1:8: undefined: x").Traceback(nil, nil, nil)[0]
	if want := "\n\tñ := x\n\t     ^\n"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHints runs cells until one is faulty, for the parser or for Go's compiler.
func TestHints(t *testing.T) {
	const between = "x was declared below %% of Cell[1], so it wasn't kept. Declare it above %%, with var."
	for _, test := range []struct {
		cells []string
		want  string
	}{
		{[]string{"x := 1"}, "A statement needs the line %% above it. Above %% stand declarations, such as var x = 1."},
		{[]string{"%%\nfmt.Println('hello')"}, "Text stands in double quotes, as in \"hello\"."},
		{[]string{"%%\nx := 1\nfmt.Println(x)", "%%\nfmt.Println(x)"}, between},
		{[]string{"%%\nx, err := 1, 2\nfmt.Println(x, err)", "%%\nfmt.Println(err)"},
			strings.Replace(between, "x", "err", 1)},
		{[]string{"%%\nvar x int\nfmt.Println(x)", "var y = x"}, between},
		{[]string{"var corner = 1", "%%\nfmt.Println(korner)"}, "Did you mean corner?"},
		{[]string{"%%\nflagg.Parse()"}, "Did you mean flag?"},
		{[]string{"%%\nhttp.Get(\"x\")"},
			"http is not among the packages of this page, and nothing that has run declares it above %%."},
		{[]string{"%%\nfmt.Println(model)"}, "Nothing that has run declares model above %%. Run the cells above first; " +
			"what stands below %% isn't kept for other cells."},
		{[]string{"%%\nfmt.Println(a, a)"}, "Nothing that has run declares a above %%. Run the cells above first; " +
			"what stands below %% isn't kept for other cells."},
	} {
		var s Session
		var traceback []string
		for i, cell := range test.cells {
			p, err := s.Add(i+1, cell, packages)
			if err == nil && i == len(test.cells)-1 {
				err = compiled(t, &s, p.Source)
			}
			if list := (*Errors)(nil); errors.As(err, &list) {
				traceback = list.Traceback(packages, nil, hints.Notebook())
			}
		}
		all := strings.Join(traceback, "\n")
		if !strings.HasSuffix(traceback[0], "\n"+test.want) || strings.Count(all, test.want) != 1 {
			t.Errorf("%q: got\n%s\nwant\n%s", test.cells, all, test.want)
		}
	}
}

// compiled returns what Go's compiler says about a program.
func compiled(t *testing.T, s *Session, source string) error {
	t.Helper()
	name := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command("go", "build", "-o", os.DevNull, name).CombinedOutput()
	if err == nil {
		return nil
	}
	_, messages, _ := strings.Cut(string(output), "\n") // after the package
	return s.Explain(messages)
}

func TestTrace(t *testing.T) {
	const text = `panic: runtime error: index out of range [7] with length 3 [recovered]
	panic: again

goroutine 1 [running]:
main.pick({0x1410138, 0x3, 0x3})
	Cell[4]:2 +0x5
fmt.Println(...)
	/usr/local/go/src/fmt/print.go:3
main.main()
	Cell[4]:6 +0x2
`
	const want = "panic: runtime error: index out of range [7] with length 3 [recovered]\n\tpanic: again\n" +
		"\tCell[4]:2\n\tCell[4]:6\nElements are counted from 0: the last of 3 has a number below 3.\n"
	if got := Trace(text, hints.Notebook()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
