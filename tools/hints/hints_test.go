package hints

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// compiled returns what Go's compiler writes about programs, each in a package of its own.
func compiled(t *testing.T, programs []string) []string {
	t.Helper()
	folder := t.TempDir()
	must.Do(os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module faults\ngo 1.26\n"), 0o666))
	for i, text := range programs {
		place := filepath.Join(folder, fmt.Sprint(i))
		must.Do(os.Mkdir(place, 0o777))
		must.Do(os.WriteFile(filepath.Join(place, "main.go"), []byte(text), 0o666))
	}
	cmd := exec.Command("go", "build", "./...")
	cmd.Dir = folder
	output, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatal("no error")
	}
	found := make([]string, len(programs))
	for section := range strings.SplitSeq(string(output), "# faults/") {
		name, messages, _ := strings.Cut(section, "\n")
		for i := range found {
			if name == fmt.Sprint(i) {
				found[i] = messages
			}
		}
	}
	if len(programs) == 1 {
		found[0] = string(output)
	}
	return found
}

func TestCompiler(t *testing.T) {
	const before = `package main
import ("errors"; "fmt"; "math")
func two() (int, error) { return 1, errors.New("") }
func take(float64) float64 { return math.Pi }
func use(...any) { fmt.Print() }
`
	faults := []struct{ text, want string }{
		{"x := 1", "A statement needs the line %% above it."},
		{"func main() { x := 0,349; use(x) }", "If one number is meant, write it with a point: 0.349."},
		{"func main() { take(0,5) }", "If one number is meant, write it with a point: 0.5."},
		{"func main() { use(0.9 ** 10) }", "A power is math.Pow(0.9, 10)."},
		{"func main() { p := 0.5; use(p^10) }", "A power is math.Pow(p, 10)."},
		{"func main() { use((1 - 0.1) ** 10) }", "A power is math.Pow(base, exponent)"},
		{"func main() { x := two(); use(x) }", "wrap it in nb.Value(…)"},
		{"func main() { use(two() + 1) }", "wrap it in nb.Value(…)"},
		{"func main() { take(two()) }", "wrap it in nb.Value(…)"},
		{"func main() { count := 3 }", "delete count, or write _ = count."},
		{"func main() { use('hello') }", "Text stands in double quotes"},
		{"func main() { use(“hello”) }", "Quotes must be straight"},
		{"var fit int\nfunc fit() {}\nfunc main() {}", "forget the older fit with %rm fit"},
		{"func main() { x := 1; x := 2; use(x) }", "gets a value with =."},
		{"func main() { x := 1; if x = 2 {} }", "Values are compared with =="},
		{"func main() { f, n := 0.5, 2; use(f * n) }", "write float64(n)"},
		{"type Forest int\nfunc main() { use(Forest(1).PredictProba()) }", "nb.Predict(model, rows)"},
		{"func main() { use(viz.ROC{}) }\nvar viz struct{ ROC int }", "nb.Show(nb.Score(model, rows)) draws"},
		{"func f() int { }\nfunc main() {}", "must end with return"},
		{"func main() { fmt.println() }", "Write fmt.Println:"},
		{"func main() { use(string.ToUpper(1)) }", "the package is strings: strings.ToUpper."},
		{"func main() { math.Sinus(1) }", "Package math has no Sinus."},
		{"func main() { use(model) }", "Nothing that has run declares model above %%."},
	}
	var programs, wants []string
	for _, fault := range faults {
		programs, wants = append(programs, before+fault.text), append(wants, fault.want)
	}
	programs = append(programs, "package main\nimport \"os\"\nfunc main() {}")
	wants = append(wants, "Delete the import")
	output := compiled(t, programs)
	const internal = "package main\nimport \"internal/cpu\"\nfunc main() { print(cpu.X86.HasAVX) }"
	programs, wants = append(programs, internal), append(wants, "a cell can't import it")
	output = append(output, compiled(t, []string{internal})...)
	for i, messages := range output {
		got := Notebook().Below(messages, strings.Split(programs[i], "\n"))
		if !strings.Contains(got, wants[i]) {
			t.Errorf("%s\ngot\n%s\nwant\n%s", programs[i], got, wants[i])
		}
	}
}

// TestBelow has a sentence said once, below the first message that it is for.
func TestBelow(t *testing.T) {
	got := Notebook().Below("# p\n./main.go:2:1: undefined: x\n./main.go:2:5: undefined: x\n", nil)
	lines := strings.Split(got, "\n")
	if len(lines) != 4 || !strings.Contains(lines[2], "declares x above") {
		t.Errorf("got %q", lines)
	}
}

func TestFailingPrograms(t *testing.T) {
	program := filepath.Join(t.TempDir(), "failing")
	if output, err := exec.Command("go", "build", "-o", program, "testdata/main.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for fault, want := range map[string]string{
		"deadlock": "needs somebody at its other end",
		"forever":  "A function calls itself without end",
		"empty":    "The slice is empty",
		"index":    "the last of 3 has a number below 3",
		"slice":    "b can't be more than len(s)",
		"map":      "m := map[string]int{}",
		"nil":      "A pointer is nil here",
		"divide":   "can't be divided by 0",
		"fine":     "",
	} {
		var got strings.Builder
		cmd := exec.Command(program, fault)
		cmd.Stderr = Notebook().Following(&got)
		cmd.Run() // it fails
		if said, places, found := strings.Cut(got.String(), "\n\t"); !strings.Contains(said, want) ||
			want == "" && got.String() != "undefined: x\n" || want != "" && !found ||
			fault != "fine" && inMain.ReplaceAllString("\t"+strings.ReplaceAll(places, "\n", ""), "") != "" {
			t.Errorf("%s: got\n%.1000s\nwant\n%s", fault, got.String(), want)
		}
	}
}

func TestRead(t *testing.T) {
	for _, text := range []string{"\tno pattern", "(", "a\n\tone\n\ttwo"} {
		if _, err := Read(text); err == nil {
			t.Errorf("no error from %q", text)
		}
	}
}
