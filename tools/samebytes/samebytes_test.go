// Package samebytes tests that learners make the same models on every platform, and predict the same with them.
package samebytes_test

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

var everywhere = flag.Bool("everywhere", false, "run on arm64, in qemu-aarch64, and as WebAssembly, in node, too")

const root = "../.."

// list has the compiler print the assembly of our packages. Builds with the same flags share what they compile.
const list = "-gcflags=github.com/obliqua-ml/obliqua/...=-S"

var arm64 = []string{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"}

func command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Dir = root
	return cmd
}

// TestSameBytes compares the hashes of forest/testdata/golden.csv, which are those of this machine, with those of other
// platforms.
func TestSameBytes(t *testing.T) {
	type way struct {
		name string
		env  []string
		args []string
	}
	ways := []way{{"no assembly", nil, []string{"-tags=noasm"}}}
	if *everywhere {
		node := filepath.Join(runtime.GOROOT(), "lib", "wasm", "go_js_wasm_exec")
		ways = append(ways,
			way{"arm64", arm64, []string{list, "-exec=qemu-aarch64"}},
			way{"WebAssembly", []string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0"}, []string{"-exec=" + node}})
	}
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			cmd := command(w.env, append([]string{"test", "-count=1", "-run=^TestGolden$", "./forest"}, w.args...)...)
			out, err := cmd.CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte("ok")) || bytes.Contains(out, []byte("no tests to run")) {
				t.Fatalf("%s: %v: %s", cmd, err, out[max(0, len(out)-4000):])
			}
		})
	}
}

// The compiler for arm64 fuses a product and a sum where it may. Only lines that say that the product is exact let it.
func TestNothingIsFused(t *testing.T) {
	if !*everywhere {
		t.Skip("compiling for arm64 takes half a minute; make bytes-test does it")
	}
	cmd := command(arm64, "build", list, "./forest/...", "./datasets")
	var listing bytes.Buffer
	cmd.Stderr = &listing
	if err := cmd.Run(); err != nil {
		said := listing.String()
		t.Fatalf("%s: %v: %s", cmd, err, said[max(0, len(said)-2000):])
	}
	instruction := regexp.MustCompile(`\(([^()]+\.go):(\d+)\)\t(FN?M(?:ADD|SUB|UL)[DS])\t`)
	sources := map[string][]string{}
	products, told := 0, map[string]bool{}
	for in := bufio.NewScanner(&listing); in.Scan(); {
		m := instruction.FindStringSubmatch(in.Text())
		if m == nil {
			continue
		}
		if strings.HasPrefix(m[3], "FMUL") || strings.HasPrefix(m[3], "FNMUL") {
			products++
			continue
		}
		file, at := m[1], m[1]+":"+m[2]
		if told[at] {
			continue
		}
		told[at] = true
		if sources[file] == nil {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources[file] = strings.Split(string(body), "\n")
		}
		n := must.Value(strconv.Atoi(m[2]))
		line := strings.TrimSpace(sources[file][n-1])
		if _, comment, _ := strings.Cut(line, "//"); !strings.Contains(comment, "exact") {
			t.Errorf("%s: a product is fused with a sum, so arm64 has other bits: %s\nConvert the product, float64(x*y), "+
				"or say in a comment that it is exact.", at, line)
		}
	}
	if products < 1000 {
		t.Errorf("the listing has %d products; is it still read right?", products)
	}
}
