//go:build cuda && linux

package driver

// #cgo LDFLAGS: -L${SRCDIR}/lib -Wl,--as-needed -ldl
// #include <stddef.h>
// extern int obliqua_cuda_code;
// extern char obliqua_cuda_error[512];
// int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags);
import "C"

import (
	"fmt"
	"unsafe"
)

// Err says why CUDA can't be used. It returns nil if it can.
func Err() error {
	if reason := C.GoString(&C.obliqua_cuda_error[0]); reason != "" {
		return fmt.Errorf("there is no CUDA driver: %s", reason)
	}
	if C.obliqua_cuda_code != 0 {
		return fmt.Errorf("the CUDA driver found no device that it can use (cuInit returned error %d)",
			int(C.obliqua_cuda_code))
	}
	return nil
}

// HostAlloc returns memory of the host that stays where it is, so that the device copies
// from and to it without help. gorgonia.org/cu has no function for it, but has MemFreeHost. A
// context must be current.
func HostAlloc(bytes int64) (unsafe.Pointer, error) {
	var memory unsafe.Pointer
	if code := C.cuMemHostAlloc(&memory, C.size_t(bytes), 0); code != 0 {
		return nil, fmt.Errorf("cuMemHostAlloc of %d bytes: error %d", bytes, int(code))
	}
	return memory, nil
}
