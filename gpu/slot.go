package gpu

import (
	"errors"
	"sync"
)

// A slot is memory of the host and the device, and a stream, for one piece of work at a time.
type slot struct {
	machine machine
	stream  stream
	size    sizes
	in, out []byte            // pinned
	memory  [maxParts]address // of the device
	batch   *batch            // that a predictor sent and hasn't read, or nil
	err     error             // of the first call of the stream that failed; none is made after it
}

const maxParts = scanParts

// sizes are the bytes of a slot: of its parts on the device, and of what goes in and comes back.
type sizes struct {
	parts    [maxParts]int64
	in, back int64
}

func (s sizes) device() (sum int64) {
	for _, bytes := range s.parts {
		sum += bytes
	}
	return sum
}

func (s sizes) fits(other sizes) bool {
	for i, bytes := range s.parts {
		if bytes > other.parts[i] {
			return false
		}
	}
	return s.in <= other.in && s.back <= other.back
}

func (s *slot) allocate() (err error) {
	if s.stream, err = s.machine.stream(); err != nil {
		return err
	}
	if s.in, err = s.machine.pinned(max(8, s.size.in)); err != nil {
		return err
	}
	if s.out, err = s.machine.pinned(max(8, s.size.back)); err != nil {
		return err
	}
	for i, bytes := range s.size.parts {
		if bytes > 0 {
			if s.memory[i], err = s.machine.alloc(bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// at returns the place of a part on the device as a parameter of kernels.
func (s *slot) at(part int) int64 { return int64(s.memory[part]) }

// copyIn asks the stream to copy pinned memory to a part.
func (s *slot) copyIn(part int, from []byte) {
	if s.err == nil && len(from) > 0 {
		s.err = s.stream.copyIn(s.memory[part], from)
	}
}

// copyOut asks the stream to copy a part to pinned memory.
func (s *slot) copyOut(to []byte, part int) {
	if s.err == nil && len(to) > 0 {
		s.err = s.stream.copyOut(to, s.memory[part])
	}
}

// launch asks the stream to launch a kernel.
func (s *slot) launch(kernel string, l layout, params ...int64) {
	if s.err == nil {
		s.err = s.stream.launch(kernel, l, params...)
	}
}

// synchronise waits until the stream has done its work. It returns the first error of this call and those before.
func (s *slot) synchronise() error {
	if s.err == nil {
		s.err = s.stream.synchronise()
	}
	return s.err
}

// close gives back a slot's memory.
func (s *slot) close() error {
	err := free(s.machine, s.memory[:]...)
	if s.stream != nil {
		err = errors.Join(err, s.stream.destroy())
	}
	for _, memory := range [][]byte{s.in, s.out} {
		if memory != nil {
			err = errors.Join(err, s.machine.unpin(memory))
		}
	}
	return err
}

// A pool keeps slots, because pinned memory takes long to allocate.
type pool struct {
	machine machine
	mutex   sync.Mutex
	spare   []*slot
}

// get returns a spare slot, or a new one, with at least the given sizes.
func (p *pool) get(size sizes) (s *slot, err error) {
	p.mutex.Lock()
	if k := len(p.spare); k > 0 {
		s, p.spare = p.spare[k-1], p.spare[:k-1]
	}
	p.mutex.Unlock()
	if s != nil && size.fits(s.size) {
		return s, nil
	}
	if s != nil {
		if err := s.close(); err != nil {
			return nil, err
		}
	}
	s, err = p.allocate(size)
	if err != nil && p.bytes() > 0 { // other spare slots may be in the way
		if e := p.close(); e != nil {
			return nil, errors.Join(err, e)
		}
		s, err = p.allocate(size)
	}
	return s, err
}

func (p *pool) allocate(size sizes) (*slot, error) {
	s := &slot{machine: p.machine, size: size}
	if err := s.allocate(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// bytes returns how much of the device's memory the spare slots have.
func (p *pool) bytes() (sum int64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, s := range p.spare {
		sum += s.size.device()
	}
	return sum
}

// put takes slots back or, after an error, gives their memory back. It returns the error,
// with what goes wrong then.
func (p *pool) put(err error, used ...*slot) error {
	for _, s := range used {
		switch {
		case s == nil:
		case err != nil:
			err = errors.Join(err, s.stream.synchronise(), s.close())
		default:
			p.mutex.Lock()
			p.spare = append(p.spare, s)
			p.mutex.Unlock()
		}
	}
	return err
}

// close gives back the memory of all spare slots.
func (p *pool) close() (err error) {
	p.mutex.Lock()
	spare := p.spare
	p.spare = nil
	p.mutex.Unlock()
	for _, s := range spare {
		err = errors.Join(err, s.close())
	}
	return err
}
