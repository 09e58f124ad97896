//go:build cuda && linux

package gpu

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	{"terms fused", "v = __fadd_rn(v, __fmul_rn(terms[i].weight, x[terms[i].feature]))",
		"v = fmaf(terms[i].weight, x[terms[i].feature], v)",
		"TestSameBits/^ridge$", "numbers differ"},
	{"terms in reversed order", "v = __fadd_rn(v, __fmul_rn(terms[i].weight, x[terms[i].feature]))",
		"v = __fadd_rn(v, __fmul_rn(terms[m - i].weight, x[terms[m - i].feature]))", "TestSameBits/^sporf_dense$",
		"numbers differ"},
	{"products of planes fused", "sum[r][k] = __fadd_rn(sum[r][k], __fmul_rn(a[j][4 * quad + r], b[j][8 * group + k]))",
		"sum[r][k] = fmaf(a[j][4 * quad + r], b[j][8 * group + k], sum[r][k])", "TestSameBits/^graf$", "numbers differ"},
	{"features of planes in reversed order", "__fmul_rn(a[j][4 * quad + r], b[j][8 * group + k])",
		"__fmul_rn(a[DEPTH - 1 - j][4 * quad + r], b[DEPTH - 1 - j][8 * group + k])", "TestSides", "sides differ"},
	{"rows on a plane go right", "!(sum[r][k] <= thresholds[plane + k])", "!(sum[r][k] < thresholds[plane + k])",
		"TestSides", "sides differ"},
	{"a sum that is no number goes left", "!(sum[r][k] <= thresholds[plane + k])", "(sum[r][k] > thresholds[plane + k])",
		"TestOverflow", "numbers differ"},
	{"rows on a threshold go right", "v <= asFloat(n.y) ? left", "v < asFloat(n.y) ? left", "TestSameBits/^rf$",
		"numbers differ"},
	{"quadratic terms fused", "v = __dadd_rn(v, __dmul_rn(x[features[i]], t))", "v = fma((double)x[features[i]], t, v)",
		"TestCancellation", "quadratic: "},
	{"quadratic terms in float32", "double t = asFloat(w[i]);", "float t = asFloat(w[i]);", "TestSameBits/^quadratic$",
		"numbers differ"},
	{"squares fused", "v = __dadd_rn(v, r < positive ? square : -square)", "v = fma(r < positive ? s : -s, s, v)",
		"TestCancellation", "squares: "},
	{"all squares positive", "r < positive ? square : -square", "square", "TestCancellation", "squares: "},
	{"cells not centred", "const double z = __dadd_rn(x[features[i]], -(double)asFloat(centre[i]));\n\t\t\ts",
		"const double z = x[features[i]];\n\t\t\ts",
		"TestSameBits/^gqrf$", "numbers differ"},
	{"scores of leaves in reversed order", "const int *at = score + 3;\n\tfor (int i = 0; i < terms; i++, at += 2)",
		"const int *at = score + 3 + 2 * (terms - 1);\n\tfor (int i = 0; i < terms; i++, at -= 2)",
		"TestSameBits/^tao_linear_values$", "numbers differ"},
	{"values added in float32", "*at = __dadd_rn(*at, value);", "*at = (float)__dadd_rn(*at, value);",
		"TestSameBits/^rf_values$", "numbers differ"},
	{"trees in reversed order", "for (Long t = first; t < last; t++) {", "for (Long t = last - 1; t >= first; t--) {",
		"TestSameBits/^rf_impure$", "numbers differ"},
	{"exponential with fused products", "sum = __dadd_rn(1, __dmul_rn(__ddiv_rn(r, i), sum))",
		"sum = fma(__ddiv_rn(r, i), sum, 1)",
		"TestSameBits/^rf_sum_of_two_classes$", "numbers differ"},
	{"shares without their logarithms", "s.rule == CONSENSUS ? f.logs : f.shares", "f.shares",
		"TestSameBits/^rf_impure_consensus$", "numbers differ"},
	{"softmax without its logarithm", "s.rule == CONSENSUS ? logShare(share) : share", "share",
		"TestSameBits/^tao_linear_consensus$", "numbers differ"},
	{"a share in two additions", "*at = __fadd_rn(*at, share);",
		"*at = __fadd_rn(__fadd_rn(*at, share / 3), share - share / 3);",
		"TestSameBits/^rf_impure$", "numbers differ"},
	{"no barrier after a tile is loaded", "}\n\t\t__syncthreads();\n\t\t// Beyond", "}\n\t\t// Beyond", "TestSides",
		"sides differ"},
	{"no barrier before a tile is loaded", "b[j][8 * group + k]));\n\t\t__syncthreads();", "b[j][8 * group + k]));",
		"TestSides", "sides differ"},
	{"means of rows in reversed order", "const float v = cells[target[i] * m + j];",
		"const float v = cells[target[rows - 1 - i] * m + j];", "TestBounds", "numbers differ"},
	{"widths in float32", "__dadd_rn(hi, -(double)lo)", "__fadd_rn(hi, -lo)", "TestBounds", "numbers differ"},
	{"weights fused", "__dadd_rn(moments[j], __dmul_rn(u, moments[m + j]))", "fma(u, moments[m + j], moments[j])",
		"TestDraw", "weights differ"},
	{"thresholds fused", "at = __dadd_rn(at, __dmul_rn(v, moments[2 * m + j]))",
		"at = fma((double)v, moments[2 * m + j], at)", "TestDraw", "thresholds differ"},
	{"thresholds rounded to nearest", "thresholds[k] = __double2float_rd(at)", "thresholds[k] = __double2float_rn(at)",
		"TestDraw", "thresholds differ"},
	{"numbers of the plane before", "state += (unsigned long long)(k * m) *",
		"state += (unsigned long long)(k ? (k - 1) * m : 0) *", "TestDraw", "weights differ"},
	{"squares of shares fused", "squares = __dadd_rn(squares, __dmul_rn(share, share))",
		"squares = fma(share, share, squares)", "TestGains", "numbers differ"},
	{"classes in reversed order",
		"for (const Run *run = runs + region.run; run < runs + region.run + region.runs; run++) {",
		"for (const Run *run = runs + region.run + region.runs; run-- > runs + region.run;) {", "TestGains",
		"numbers differ"},
	{"regions in reversed order", "sum = __dadd_rn(sum, decrease[r][bit])",
		"sum = __dadd_rn(sum, decrease[THREADS / 8 - 1 - r][bit])", "TestGains", "numbers differ"},
	{"small regions as large ones", "left.n + right.n <= few", "false", "TestGains", "numbers differ"},
	{"no barrier before gains are summed", "decrease[part][bit] = d;\n\t\t__syncthreads();", "decrease[part][bit] = d;",
		"TestGains", "numbers differ"},
	{"no barrier after gains are summed", "decrease[r][bit]);\n\t\t__syncthreads();", "decrease[r][bit]);", "TestGains",
		"numbers differ"},
	{"planes that miss the target", "if (i == target) cuts[bit] = cut;", "if (i == target || cut) cuts[bit] = cut;",
		"TestGains", "numbers differ"},
	{"the last of equal planes", "(gain[k] == most && k < best)", "(gain[k] == most && k > best)", "TestBest",
		"is the best"},
	{"no barrier before the best is chosen", "candidates[threadIdx.x] = best;\n\t__syncthreads();",
		"candidates[threadIdx.x] = best;", "TestBest", ""},
	{"planes beyond the last drawn", "s->work.push_back([=] { launch(k,",
		"if (!strcmp(k->name, \"best\")) copy[7] = (copy[7] + 7) & ~7ull;\n\ts->work.push_back([=] { launch(k,", "TestStep",
		"the best plane is another"},
	{"streams that don't wait for copies", "if (s->waits) {", "if (false) {", "TestSameBits/^rf$", ""},
	{"a stream that is late", "for (auto &work : s->work) work();",
		"for (size_t i = 0; i + 1 < s->work.size(); i++) s->work[i]();", "TestSameBits/^rf$", "numbers differ"},
}

// Faults that only the address sanitizer sees.
var outOfBounds = []mutant{
	{"score without its bound", "if (row >= rows) return; // there is no barrier",
		"if (row >= stride + 96) return; // there is no barrier",
		"TestSameBits/^rf$", "heap-buffer-overflow"},
	{"sides without its bound", "const float *cell = row0 + row < rows ?", "const float *cell = true ?", "TestSides",
		"heap-buffer-overflow"},
	{"sides of columns without its bound", "row0 + row < rows && j0 + i < m ? x[", "j0 + i < m ? x[",
		"TestSameBits/^graf$", "heap-buffer-overflow"},
	{"one more plane group", "if (plane >= planes) return;", "if (plane > planes) return;", "TestSides",
		"heap-buffer-overflow"},
	{"a target of one more row", "for (Long i = 0; i < rows; i++) {\n\t\tconst float v",
		"for (Long i = 0; i <= rows; i++) {\n\t\tconst float v", "TestBounds", "heap-buffer-overflow"},
	{"bounds without its bound", "if (j >= m) return;", "if (j > m) return;", "TestBounds", "heap-buffer-overflow"},
	{"draw without its bound", "if (k >= planes) return;", "if (k > planes + 15) return;", "TestDraw",
		"heap-buffer-overflow"},
	{"a piece too many", "if (p < n) counts[i]", "if (p <= n) counts[i]", "TestGains", "heap-buffer-overflow"},
	{"whole pieces counted twice", "onRight(side + run->row + whole * PIECE, bit, run->n % PIECE)",
		"onRight(side + run->row + whole * PIECE, bit, run->n)", "TestGains", "heap-buffer-overflow"},
	{"gains without their bound", "if (i < n) {", "if (i < n + 1) {", "TestGains", "heap-buffer-overflow"},
	{"best without its bound", "if (i < rows) bestSide", "if (i <= rows) bestSide", "TestBest", "heap-buffer-overflow"},
	{"one class too many", "for (int c = 0; c < forest->classes; c++) scores[c * stride + row] = 0;",
		"for (int c = 0; c <= forest->classes; c++) scores[c * stride + row] = 0;", "TestSameBits/^rf$",
		"heap-buffer-overflow"},
}

// A compiler makes emulated drivers with the given flags. What has no fault is compiled once.
type compiler struct {
	folder  string
	flags   []string
	objects map[string]string // of the sources without a fault
}

// sources has the files that a source of the driver is made of.
var sources = map[string][]string{"fake.cpp": {"emulate.h", "fake.cpp"},
	"kernels.cpp": {"emulate.h", "kernels.cpp", "obliqua.cu"}}

func newCompiler(t *testing.T, flags ...string) *compiler {
	c := &compiler{folder: t.TempDir(), flags: flags, objects: map[string]string{}}
	for name := range sources {
		c.objects[name], _ = mutant{}.compile(t, c, name, c.folder)
	}
	return c
}

// gcc runs the compiler with the given arguments.
func (c *compiler) gcc(t *testing.T, args ...string) {
	args = append(append([]string{"-std=c++17", "-ffp-contract=off", "-mfma", "-w", "-fPIC"}, c.flags...), args...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// compile compiles a source of the driver with the mutant's fault, if it has its place there. It
// returns the object file, and how often the fault was put in.
func (m mutant) compile(t *testing.T, c *compiler, source, folder string) (object string, faults int) {
	for _, name := range sources[source] {
		text, err := os.ReadFile(filepath.Join("kernels", name))
		if err != nil {
			t.Fatal(err)
		}
		changed := string(text)
		if m.from != "" {
			faults += strings.Count(changed, m.from)
			changed = strings.ReplaceAll(changed, m.from, m.to)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if m.from != "" && faults == 0 {
		return c.objects[source], 0
	}
	object = filepath.Join(folder, source+".o")
	c.gcc(t, "-c", "-o", object, filepath.Join(folder, source))
	return object, faults
}

// build makes an emulated driver with the mutant's fault in a new folder, and returns the folder.
func (m mutant) build(t *testing.T, c *compiler) (folder string) {
	folder = t.TempDir()
	args, found := []string{"-shared", "-Wl,-soname,libcuda.so.1", "-o", filepath.Join(folder, "libcuda.so.1")}, 0
	for name, object := range c.objects {
		if m.from != "" {
			faults := 0
			object, faults = m.compile(t, c, name, folder)
			found += faults
		}
		args = append(args, object)
	}
	if m.from != "" && found != 1 {
		t.Fatalf("the sources hold %q %d times; want once", m.from, found)
	}
	c.gcc(t, args...)
	return folder
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
	tests := map[string]bool{}
	for _, m := range mutants {
		tests[m.test] = true
	}
	none := mutant{name: "no fault", test: strings.Join(slices.Sorted(maps.Keys(tests)), "|"), want: "--- PASS: TestStep"}
	c := newCompiler(t, "-O1")
	each(t, append([]mutant{none}, mutants...), func(t *testing.T, m mutant) { m.check(t, c) })
}

// The address sanitizer finds nothing in the kernels, and notices accesses out of bounds.
func TestAddressSanitizer(t *testing.T) {
	needsCompiler(t)
	library, err := exec.Command("g++", "-print-file-name=libasan.so").Output()
	name := strings.TrimSpace(string(library))
	if err != nil || !filepath.IsAbs(name) {
		t.Skipf("g++ has no address sanitizer: %s %v", name, err)
	}
	var none []mutant
	for _, test := range []string{"TestSameBits", "TestBatches|TestFailingDevice|TestLittleMemory",
		"TestSides|TestBounds|TestDraw|TestGains|TestBest|TestStep|TestOverflow"} {
		none = append(none, mutant{name: "no fault in " + test, test: "^(" + test + ")$",
			want: "--- PASS: " + test[strings.LastIndex(test, "|")+1:]})
	}
	c := newCompiler(t, "-O1", "-fsanitize=address")
	each(t, append(none, outOfBounds...), func(t *testing.T, m mutant) {
		m.check(t, c, "LD_PRELOAD="+name, "ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:handle_segv=0")
	})
}

// check builds a driver with the mutant's fault and fails if the tests pass, or if there is no fault
// and they don't.
func (m mutant) check(t *testing.T, c *compiler, env ...string) {
	folder := m.build(t, c)
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", m.test)
	cmd.Env = append(append(os.Environ(), "LD_LIBRARY_PATH="+folder), env...)
	out, err := cmd.CombinedOutput()
	if (err == nil) != (m.from == "") || !strings.Contains(string(out), m.want) {
		t.Errorf("%s: %v; want %q\n%s", m.test, err, m.want, out)
	}
}

// each runs a subtest for each mutant, on all cores.
func each(t *testing.T, all []mutant, test func(*testing.T, mutant)) {
	parallel.For(len(all), func(i int) {
		t.Run(all[i].name, func(t *testing.T) { test(t, all[i]) })
	})
}
