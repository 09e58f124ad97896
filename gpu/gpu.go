// Package gpu predicts with forests on a CUDA device, and does the steps of GRAF's growth
// there. What it returns has the same bits as on the CPU.
//
// The device needs Linux, an Nvidia driver of version 520 or newer and a program built
// with cgo and the tag cuda; see docs/gpu.md. In other programs [Open] returns an error
// that says what is missing, so a caller can go on without a device:
//
//	device, err := gpu.Open()
//	if err != nil {
//		fmt.Println("predicting on the CPU:", err)
//	}
package gpu

import (
	"errors"
	"fmt"
	"unsafe"
)

// A Device is the first CUDA device of this machine. It is safe for concurrent use.
type Device struct {
	machine machine
	slots   pool // for steps of growth

	planes planesFirst // tests change it
	batch  int         // rows of a batch, for tests; 0 chooses by the device's memory
}

// Open returns the first CUDA device. It returns an error if the program was built without
// the tag cuda, and if there is no driver, no device, or one that is too old (compute
// capability below 7.5). Opening takes some tenths of a second, and the first time on a
// machine longer, because the driver compiles the kernels.
func Open() (*Device, error) {
	m, err := open()
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	return &Device{machine: m, slots: pool{machine: m}}, nil
}

// Name returns the device's name, such as "NVIDIA H100 80GB HBM3".
func (d *Device) Name() string { return d.machine.name() }

// Close gives back the device. Predictors of the device must be closed before, and nothing
// may be called afterwards.
func (d *Device) Close() error {
	if err := errors.Join(d.machine.do(d.slots.close), d.machine.close()); err != nil {
		return fmt.Errorf("gpu: closing %s: %w", d.Name(), err)
	}
	return nil
}

// do has the machine call f, and says in an error where it comes from.
func (d *Device) do(f func() error) error {
	if err := d.machine.do(f); err != nil {
		return fmt.Errorf("gpu: %w", err)
	}
	return nil
}

// A machine is what this package needs of a CUDA driver. Its methods, but for name and
// close, may only be called by a function that do calls.
type machine interface {
	name() string
	close() error

	// do calls f in a thread that the device's context is bound to.
	do(f func() error) error

	memory() (free int64, err error)
	cache() int64 // bytes of the L2 cache
	alloc(bytes int64) (address, error)
	free(address) error

	// pinned returns memory of the host that asynchronous copies need. The garbage
	// collector doesn't know it.
	pinned(bytes int64) ([]byte, error)
	unpin([]byte) error

	stream() (stream, error)

	// copyIn copies to the device. What streams are asked to do afterwards sees the copy.
	copyIn(to address, from []byte) error
}

// A stream is a queue of work that the device does in order. Work of different streams may
// overlap. Pinned memory that a copy refers to must not be used until synchronise returns.
type stream interface {
	copyIn(to address, from []byte) error
	copyOut(to []byte, from address) error
	launch(kernel string, l layout, params ...int64) error
	synchronise() error
	destroy() error
}

// A layout is the number of blocks, in two dimensions, and of threads in each.
type layout struct {
	x, y, threads int
	shared        int // bytes of dynamic shared memory in each block
}

// address is a place in the device's memory.
type address int64

// kernels are the kernels in kernels/obliqua.cu.
var kernels = []string{"start", "score", "scorePlanes", "sidesColumns", "logShares", "label", "probabilities",
	"bounds", "draw", "sides", "count", "gains", "best"}

// free frees memory of the device, and returns all errors.
func free(m machine, all ...address) (err error) {
	for _, a := range all {
		if a != 0 {
			err = errors.Join(err, m.free(a))
		}
	}
	return err
}

// upload copies a slice to new memory of the device.
func upload[T any](m machine, s []T) (address, error) {
	bytes := bytesOf(s)
	at, err := m.alloc(max(int64(len(bytes)), 8))
	if err != nil {
		return 0, err
	}
	if err := m.copyIn(at, bytes); err != nil {
		return 0, errors.Join(err, m.free(at))
	}
	return at, nil
}

// bytesOf returns a slice's memory.
func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
