//go:build !(cuda && linux)

package gpu

import "errors"

func open() (machine, error) {
	return nil, errors.New("this program can't use a CUDA device, because it was built without the tag cuda, or not " +
		"for Linux (see docs/gpu.md)")
}
