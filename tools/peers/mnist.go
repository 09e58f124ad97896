package main

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/obliqua-ml/obliqua/datasets"
)

// readMNIST reads the images and labels of one part, "train" or "t10k".
func readMNIST(folder, part string) (*datasets.Dataset, error) {
	images, shape, err := readIDX(filepath.Join(folder, part+"-images-idx3-ubyte.gz"))
	if err != nil {
		return nil, err
	}
	labels, _, err := readIDX(filepath.Join(folder, part+"-labels-idx1-ubyte.gz"))
	if err != nil {
		return nil, err
	}
	n := shape[0]
	if len(labels) != n {
		return nil, fmt.Errorf("%s, part %s: %d images and %d labels", folder, part, n, len(labels))
	}
	p := len(images) / n
	d := newDataset("mnist", n, p, 10)
	for i := range n {
		d.Labels[i] = int32(labels[i])
		for j, v := range images[i*p : (i+1)*p] {
			d.Columns[j][i] = float32(v)
		}
	}
	return d, nil
}

// readIDX reads a gzipped IDX file of bytes: two zeros, 8 for unsigned bytes, the
// number of dimensions, the dimensions as big-endian uint32, then the bytes.
func readIDX(path string) (cells []byte, shape []int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(body) < 4 || body[0] != 0 || body[1] != 0 || body[2] != 8 {
		return nil, nil, fmt.Errorf("%s: not an IDX file of bytes", path)
	}
	size, start := 1, 4+4*int(body[3])
	for k := 4; k < start && k+4 <= len(body); k += 4 {
		shape = append(shape, int(binary.BigEndian.Uint32(body[k:])))
		size *= shape[len(shape)-1]
	}
	if len(shape) == 0 || size == 0 || len(body) != start+size {
		return nil, nil, fmt.Errorf("%s: %d bytes don't make the shape %v", path, len(body), shape)
	}
	return body[start:], shape, nil
}
