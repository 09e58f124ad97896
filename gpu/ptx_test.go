package gpu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// compile compiles the kernels by NVRTC of the version that made the committed PTX, or
// skips the test if `make gpu-kernels` hasn't downloaded it.
func compile(t *testing.T, arch string) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the kernels")
	}
	folder := must.Value(filepath.Abs("../.lab/cuda/nvidia/cuda_nvrtc/lib"))
	library := filepath.Join(folder, "libnvrtc.so.11.2")
	if _, err := os.Stat(library); err != nil {
		t.Skip("NVRTC isn't there; `make gpu-kernels` downloads it")
	}
	// so that go test knows what the result depends on
	for _, name := range []string{"obliqua.cu", "device.h", "nvrtc.py"} {
		must.Value(os.ReadFile(filepath.Join("kernels", name)))
	}
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command("python3", "kernels/nvrtc.py", library, arch, out)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+folder)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return must.Value(os.ReadFile(out))
}

// The committed PTX is what NVRTC makes of the kernels, and fuses nothing.
func TestPTX(t *testing.T) {
	committed := must.Value(os.ReadFile("kernels/obliqua.ptx"))
	if found := regexp.MustCompile(`\b(fma|mad)\.[a-z.]*f(32|64)|\.approx|\.ftz|div\.full`).Find(committed); found != nil {
		t.Errorf("the PTX has %s", found)
	}
	for _, name := range kernels {
		if !strings.Contains(string(committed), ".entry "+name+"(") {
			t.Errorf("the PTX has no kernel %s", name)
		}
	}
	if !bytes.Equal(compile(t, "compute_75"), committed) {
		t.Error("kernels/obliqua.ptx isn't what NVRTC makes of kernels/obliqua.cu; run make gpu-kernels")
	}
}

// The numbers of instructions of devices from Volta on, the lowest nine bits of each.
const (
	opFMUL, opFADD, opFFMA = 0x20, 0x21, 0x23
	opDFMA                 = 0x2b
	opLDL, opSTL           = 0x183, 0x187 // of memory that registers were spilled to
)

// Programs of devices multiply and add apart, and spill no registers. Only a division is
// made of fused steps; its result is rounded correctly.
func TestPrograms(t *testing.T) {
	divides := map[string]bool{"score": true, "scorePlanes": true, "logShares": true, "probabilities": true,
		"bounds": true, "gains": true}
	for _, arch := range []string{"sm_80", "sm_90"} {
		program := compile(t, arch)
		binary.LittleEndian.PutUint32(program[0x14:], uint32(elf.EV_CURRENT)) // Nvidia's own version, which debug/elf refuses
		file := must.Value(elf.NewFile(bytes.NewReader(program)))
		for _, kernel := range kernels {
			section := file.Section(".text." + kernel)
			if section == nil {
				t.Fatalf("%s has no kernel %s", arch, kernel)
			}
			code := must.Value(section.Data())
			count := map[int]int{}
			for i := 0; i+16 <= len(code); i += 16 {
				count[int(binary.LittleEndian.Uint64(code[i:])&0x1ff)]++
			}
			if count[opLDL]+count[opSTL] > 0 {
				t.Errorf("%s: %s spills registers %d times", arch, kernel, count[opLDL]+count[opSTL])
			}
			if !divides[kernel] && count[opFFMA]+count[opDFMA] > 0 {
				t.Errorf("%s: %s has %d FFMA and %d DFMA", arch, kernel, count[opFFMA], count[opDFMA])
			}
			if strings.HasPrefix(kernel, "sides") && (count[opFMUL] != 512 || count[opFADD] != 512) {
				t.Errorf("%s: %s has %d products and %d sums; want 512 of each", arch, kernel, count[opFMUL], count[opFADD])
			}
			t.Logf("%s %s: %d registers (0 if the program keeps them elsewhere), %d instructions, FMUL %d, FADD %d, FFMA %d, "+
				"DFMA %d, LDL %d, STL %d", arch, kernel, section.Info>>24, len(code)/16,
				count[opFMUL], count[opFADD], count[opFFMA], count[opDFMA], count[opLDL], count[opSTL])
		}
	}
}
