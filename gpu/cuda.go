//go:build cuda && linux

package gpu

import (
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/obliqua-ml/obliqua/gpu/internal/driver"
)

//go:embed kernels/obliqua.ptx
var ptx string

// oldest is the least compute capability that the kernels are compiled for: 7.5.
const oldest = 75

// cuda is a machine that calls the driver. It is the only code that knows package cu.
type cuda struct {
	device  cu.Device
	context cu.CUContext
	module  cu.Module
	kernels map[string]cu.Function
	title   string
	l2      int64
}

func open() (machine, error) {
	if err := driver.Err(); err != nil {
		return nil, err
	}
	d, err := cu.GetDevice(0)
	if err != nil {
		return nil, fmt.Errorf("device 0: %w", err)
	}
	c := &cuda{device: d, kernels: map[string]cu.Function{}}
	if c.title, err = d.Name(); err != nil {
		return nil, fmt.Errorf("the name of device 0: %w", err)
	}
	major, err1 := d.Attribute(cu.ComputeCapabilityMajor)
	minor, err2 := d.Attribute(cu.ComputeCapabilityMinor)
	l2, err3 := d.Attribute(cu.L2CacheSize)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("attributes of %s: %w", c.title, err)
	}
	c.l2 = int64(l2)
	if 10*major+minor < oldest {
		return nil, fmt.Errorf("%s has compute capability %d.%d; want 7.5 or newer", c.title, major, minor)
	}
	if c.context, err = d.RetainPrimaryCtx(); err != nil {
		return nil, fmt.Errorf("a context of %s: %w", c.title, err)
	}
	if err := c.do(c.load); err != nil {
		return nil, errors.Join(err, d.ReleasePrimaryCtx())
	}
	return c, nil
}

// load has the driver compile the kernels.
func (c *cuda) load() (err error) {
	if c.module, err = cu.LoadData(ptx); err != nil {
		return fmt.Errorf("compiling the kernels for %s (driver for CUDA %d.%d; 11.8 or newer is needed): %w",
			c.title, cu.Version()/1000, cu.Version()%1000/10, err)
	}
	for _, name := range kernels {
		if c.kernels[name], err = c.module.Function(name); err != nil {
			return fmt.Errorf("kernel %s: %w", name, err)
		}
	}
	return nil
}

func (c *cuda) name() string { return c.title }

func (c *cuda) cache() int64 { return c.l2 }

func (c *cuda) close() error {
	err := c.do(func() error { return c.module.Unload() })
	return errors.Join(err, c.device.ReleasePrimaryCtx())
}

func (c *cuda) do(f func() error) error {
	runtime.LockOSThread() // not context.Lock, whose Unlock waits for the work of all threads
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(c.context); err != nil {
		return fmt.Errorf("binding a thread to %s: %w", c.title, err)
	}
	return f()
}

func (c *cuda) memory() (int64, error) {
	free, _, err := cu.MemInfo()
	return free, err
}

func (c *cuda) alloc(bytes int64) (address, error) {
	at, err := cu.MemAlloc(bytes)
	if err != nil {
		return 0, fmt.Errorf("%d bytes of %s: %w", bytes, c.title, err)
	}
	return address(at), nil
}

func (c *cuda) free(a address) error { return cu.MemFree(cu.DevicePtr(a)) }

func (c *cuda) pinned(bytes int64) ([]byte, error) {
	memory, err := driver.HostAlloc(bytes)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(memory), bytes), nil
}

func (c *cuda) unpin(memory []byte) error { return cu.MemFreeHost(unsafe.Pointer(&memory[0])) }

// copyIn may return before the device has all of the memory, but not before Go may change it.
func (c *cuda) copyIn(to address, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return cu.MemcpyHtoD(cu.DevicePtr(to), unsafe.Pointer(&from[0]), int64(len(from)))
}

func (c *cuda) stream() (stream, error) {
	// Not NonBlocking: such a stream wouldn't wait for what copyIn still copies.
	s, err := cu.MakeStream(cu.DefaultStream)
	return &queue{c, s}, err
}

// A queue is a stream of a cuda.
type queue struct {
	*cuda
	s cu.Stream
}

func (q *queue) copyIn(to address, from []byte) error {
	return cu.MemcpyHtoDAsync(cu.DevicePtr(to), unsafe.Pointer(&from[0]), int64(len(from)), q.s)
}

func (q *queue) copyOut(to []byte, from address) error {
	return cu.MemcpyDtoHAsync(unsafe.Pointer(&to[0]), cu.DevicePtr(from), int64(len(to)), q.s)
}

// launch takes parameters of 8 bytes only, because cu copies 8 bytes of each.
func (q *queue) launch(kernel string, l layout, params ...int64) error {
	at := make([]unsafe.Pointer, len(params))
	for i := range params {
		at[i] = unsafe.Pointer(&params[i])
	}
	if err := q.kernels[kernel].Launch(l.x, l.y, 1, l.threads, 1, 1, l.shared, q.s, at); err != nil {
		return fmt.Errorf("kernel %s: %w", kernel, err)
	}
	return nil
}

func (q *queue) synchronise() error { return q.s.Synchronize() }

func (q *queue) destroy() error { return q.s.Destroy() }
