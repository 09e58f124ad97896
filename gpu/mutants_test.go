//go:build cuda && linux

package gpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A mutant is a source of the emulated driver with one fault, which a test must notice.
type mutant struct {
	name     string
	from, to string // from is in the sources once
	test     string // a pattern of -test.run
	want     string // what the failing test says
}

// Without the address sanitizer.
var mutants = []mutant{
	{"terms fused", "v = __fadd_rn(v, __fmul_rn(terms[i].weight, x[terms[i].feature]))", "v = fmaf(terms[i].weight, x[terms[i].feature], v)",
		"TestSameBits/^ridge$", "numbers differ"},
	{"terms in reversed order", "v = __fadd_rn(v, __fmul_rn(terms[i].weight, x[terms[i].feature]))",
		"v = __fadd_rn(v, __fmul_rn(terms[m - i].weight, x[terms[m - i].feature]))", "TestSameBits/^sporf_dense$", "numbers differ"},
	{"products of planes fused", "sum[r][k] = __fadd_rn(sum[r][k], __fmul_rn(a[j][4 * quad + r], b[j][8 * group + k]))",
		"sum[r][k] = fmaf(a[j][4 * quad + r], b[j][8 * group + k], sum[r][k])", "TestSameBits/^graf$", "numbers differ"},
	{"features of planes in reversed order", "__fmul_rn(a[j][4 * quad + r], b[j][8 * group + k])",
		"__fmul_rn(a[DEPTH - 1 - j][4 * quad + r], b[DEPTH - 1 - j][8 * group + k])", "TestSides", "sides differ"},
	{"rows on a plane go right", "!(sum[r][k] <= thresholds[plane + k])", "!(sum[r][k] < thresholds[plane + k])", "TestSides", "sides differ"},
	{"a sum that is no number goes left", "!(sum[r][k] <= thresholds[plane + k])", "(sum[r][k] > thresholds[plane + k])", "TestOverflow", "numbers differ"},
	{"rows on a threshold go right", "v <= asFloat(n.y) ? left", "v < asFloat(n.y) ? left", "TestSameBits/^rf$", "numbers differ"},
	{"quadratic terms fused", "v = __dadd_rn(v, __dmul_rn(x[features[i]], t))", "v = fma((double)x[features[i]], t, v)", "TestCancellation", "quadratic: "},
	{"quadratic terms in float32", "double t = asFloat(w[i]);", "float t = asFloat(w[i]);", "TestSameBits/^quadratic$", "numbers differ"},
	{"squares fused", "v = __dadd_rn(v, r < positive ? square : -square)", "v = fma(r < positive ? s : -s, s, v)", "TestCancellation", "squares: "},
	{"all squares positive", "r < positive ? square : -square", "square", "TestCancellation", "squares: "},
	{"cells not centred", "const double z = __dadd_rn(x[features[i]], -(double)asFloat(centre[i]));\n\t\t\ts", "const double z = x[features[i]];\n\t\t\ts",
		"TestSameBits/^gqrf$", "numbers differ"},
	{"scores of leaves in reversed order", "const int *at = score + 3;\n\tfor (int i = 0; i < terms; i++, at += 2)",
		"const int *at = score + 3 + 2 * (terms - 1);\n\tfor (int i = 0; i < terms; i++, at -= 2)", "TestSameBits/^tao_linear_values$", "numbers differ"},
	{"values added in float32", "*at = __dadd_rn(*at, value);", "*at = (float)__dadd_rn(*at, value);", "TestSameBits/^rf_values$", "numbers differ"},
	{"trees in reversed order", "for (Long t = first; t < last; t++) {", "for (Long t = last - 1; t >= first; t--) {", "TestSameBits/^rf_impure$", "numbers differ"},
	{"exponential with fused products", "sum = __dadd_rn(1, __dmul_rn(__ddiv_rn(r, i), sum))", "sum = fma(__ddiv_rn(r, i), sum, 1)",
		"TestSameBits/^rf_sum_of_two_classes$", "numbers differ"},
	{"shares without their logarithms", "s.rule == CONSENSUS ? f.logs : f.shares", "f.shares", "TestSameBits/^rf_impure_consensus$", "numbers differ"},
	{"softmax without its logarithm", "s.rule == CONSENSUS ? logShare(share) : share", "share", "TestSameBits/^tao_linear_consensus$", "numbers differ"},
	{"a share in two additions", "*at = __fadd_rn(*at, share);", "*at = __fadd_rn(__fadd_rn(*at, share / 3), share - share / 3);",
		"TestSameBits/^rf_impure$", "numbers differ"},
	{"no barrier after a tile is loaded", "}\n\t\t__syncthreads();\n\t\t// Beyond", "}\n\t\t// Beyond", "TestSides", "sides differ"},
	{"no barrier before a tile is loaded", "b[j][8 * group + k]));\n\t\t__syncthreads();", "b[j][8 * group + k]));", "TestSides", "sides differ"},
	{"streams that don't wait for copies", "if (s->waits) {", "if (false) {", "TestSameBits/^rf$", ""},
	{"a stream that is late", "for (auto &work : s->work) work();", "for (size_t i = 0; i + 1 < s->work.size(); i++) s->work[i]();", "TestSameBits/^rf$", "numbers differ"},
}

// Faults that only the address sanitizer sees.
var outOfBounds = []mutant{
	{"score without its bound", "if (row >= rows) return; // there is no barrier", "if (row >= stride + 96) return; // there is no barrier",
		"TestSameBits/^rf$", "heap-buffer-overflow"},
	{"sides without its bound", "const float *cell = row0 + row < rows ?", "const float *cell = true ?", "TestSides", "heap-buffer-overflow"},
	{"sides of columns without its bound", "row0 + row < rows && j0 + i < m ? x[", "j0 + i < m ? x[", "TestSameBits/^graf$", "heap-buffer-overflow"},
	{"one more plane group", "if (plane >= planes) return;", "if (plane > planes) return;", "TestSides", "heap-buffer-overflow"},
	{"one class too many", "for (int c = 0; c < forest->classes; c++) scores[c * stride + row] = 0;",
		"for (int c = 0; c <= forest->classes; c++) scores[c * stride + row] = 0;", "TestSameBits/^rf$", "heap-buffer-overflow"},
}

// build compiles the emulated driver, with the mutant's fault, to a file in a new folder,
// and returns the folder.
func (m mutant) build(t *testing.T, flags ...string) (folder string) {
	folder = t.TempDir()
	found := 0
	for _, name := range []string{"emulate.h", "fake.cpp", "obliqua.cu"} {
		text, err := os.ReadFile(filepath.Join("kernels", name))
		if err != nil {
			t.Fatal(err)
		}
		if m.from != "" {
			found += strings.Count(string(text), m.from)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(strings.ReplaceAll(string(text), m.from, m.to)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if m.from != "" && found != 1 {
		t.Fatalf("the sources hold %q %d times; want once", m.from, found)
	}
	flags = append(flags, "-std=c++17", "-ffp-contract=off", "-mfma", "-w", "-fPIC", "-shared", "-Wl,-soname,libcuda.so.1",
		"-o", filepath.Join(folder, "libcuda.so.1"), filepath.Join(folder, "fake.cpp"))
	if out, err := exec.Command("g++", flags...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

// run runs this program's tests with the driver in a folder, and returns what they print.
func (m mutant) run(folder string, env ...string) (string, error) {
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", m.test)
	cmd.Env = append(append(os.Environ(), "LD_LIBRARY_PATH="+folder), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func needsCompiler(t *testing.T) {
	t.Helper()
	emulated(t)
	if testing.Short() {
		t.Skip("compiles the emulated driver for each fault")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip(err)
	}
}

// Each fault in a kernel makes a test fail, and without a fault the tests pass.
func TestMutants(t *testing.T) {
	needsCompiler(t)
	tests := "^(TestSides|TestOverflow|TestCancellation|TestSameBits)$"
	if out, err := (mutant{test: tests}).run(mutant{}.build(t, "-O1")); err != nil {
		t.Fatalf("without a fault: %v\n%s", err, out)
	}
	each(t, mutants, func(t *testing.T, m mutant) {
		m.expect(t, m.build(t, "-O1"))
	})
}

// The address sanitizer finds nothing in the kernels, and notices accesses out of bounds.
func TestAddressSanitizer(t *testing.T) {
	needsCompiler(t)
	library, err := exec.Command("g++", "-print-file-name=libasan.so").Output()
	name := strings.TrimSpace(string(library))
	if err != nil || !filepath.IsAbs(name) {
		t.Skipf("g++ has no address sanitizer: %s %v", name, err)
	}
	env := []string{"LD_PRELOAD=" + name, "ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:handle_segv=0"}
	flags := []string{"-O1", "-g", "-fsanitize=address"}
	all := mutant{test: "^(TestSides|TestOverflow|TestBatches|TestSameBits|TestFailingDevice|TestLittleMemory)$"}
	if out, err := all.run(mutant{}.build(t, flags...), env...); err != nil || strings.Contains(out, "Sanitizer") {
		t.Fatalf("without a fault: %v\n%s", err, out)
	}
	each(t, outOfBounds, func(t *testing.T, m mutant) {
		m.expect(t, m.build(t, flags...), env...)
	})
}

func (m mutant) expect(t *testing.T, folder string, env ...string) {
	out, err := m.run(folder, env...)
	if err == nil || !strings.Contains(out, m.want) {
		t.Errorf("%s notices nothing (want %q): %v\n%s", m.test, m.want, err, out)
	}
}

// each runs a subtest for each mutant, on all cores.
func each(t *testing.T, all []mutant, test func(*testing.T, mutant)) {
	parallel.For(len(all), func(i int) {
		t.Run(all[i].name, func(t *testing.T) { test(t, all[i]) })
	})
	t.Logf("%d faults, on %d cores", len(all), runtime.GOMAXPROCS(0))
}
