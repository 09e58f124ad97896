package cluster

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A table describes encoded data: everything but the numbers.
type table struct {
	Name, Target string
	Features     []datasets.Feature
	Classes      []string
	Rows         int
	Labels       bool // whether there are labels, values, weights
	Values       bool
	Weights      bool
	Groups       bool `json:",omitempty"`
}

// DataFile returns a job's file with a data set, for [Worker.Data]. It returns an error for
// names that are not UTF-8.
func DataFile(d *datasets.Dataset) (File, error) {
	b, err := encodeData(d)
	if err != nil {
		return File{}, fmt.Errorf("cluster: %w", err)
	}
	return NewFile(b), nil
}

// encodeData returns a data set as bytes: the length of a description and the description, as
// JSON, the labels (int32), the values (float64), the weights (float32), the groups (int32), and the columns
// (float32), all little-endian. A subset is encoded as a copy of its rows.
//
// It returns an error for names that are not UTF-8, which JSON can't hold.
func encodeData(d *datasets.Dataset) ([]byte, error) {
	n := d.N()
	t := table{d.Name, d.Target, d.Features, d.Classes, n, d.Labels != nil, d.Values != nil, d.Weights != nil,
		d.Groups != nil}
	description, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	var same table
	if err := json.Unmarshal(description, &same); err != nil || !reflect.DeepEqual(same, t) {
		return nil, fmt.Errorf("%s has names of features, categories or classes that are not UTF-8",
			cmp.Or(d.Name, "the data set"))
	}
	b := make([]byte, 0, 8+len(description)+n*(20+4*d.P()))
	b = append(binary.LittleEndian.AppendUint64(b, uint64(len(description))), description...)
	add := func(numbers any) { b, err = binary.Append(b, binary.LittleEndian, numbers) } // no error for slices of numbers
	add(d.Labels)
	add(d.Values)
	add(d.Weights)
	add(d.Groups)
	for j := range d.P() {
		add(d.Column(nil, j))
	}
	return b, err
}

var errData = errors.New("the file of training data is damaged")

// decodeData is the inverse of encodeData.
func decodeData(b []byte) (*datasets.Dataset, error) {
	if len(b) < 8 || binary.LittleEndian.Uint64(b) > uint64(len(b)-8) {
		return nil, errData
	}
	length := int(binary.LittleEndian.Uint64(b))
	var t table
	if err := json.Unmarshal(b[8:8+length], &t); err != nil {
		return nil, fmt.Errorf("%w: %w", errData, err)
	}
	b = b[8+length:]
	row := 4 * len(t.Features)
	for _, has := range []bool{t.Labels, t.Values, t.Values, t.Weights, t.Groups} { // values have 8 bytes
		if has {
			row += 4
		}
	}
	if t.Rows < 0 || row == 0 || t.Rows > len(b)/row || t.Rows*row != len(b) {
		return nil, errData
	}
	d := &datasets.Dataset{Name: t.Name, Target: t.Target, Features: t.Features, Classes: t.Classes}
	vectors := slices.Concat(vectorOf(&d.Labels, t.Labels, t.Rows), vectorOf(&d.Values, t.Values, t.Rows),
		vectorOf(&d.Weights, t.Weights, t.Rows), vectorOf(&d.Groups, t.Groups, t.Rows))
	d.Columns = make([][]float32, len(t.Features))
	for j := range d.Columns {
		d.Columns[j] = make([]float32, t.Rows)
		vectors = append(vectors, d.Columns[j])
	}
	for _, v := range vectors {
		read, err := binary.Decode(b, binary.LittleEndian, v)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errData, err)
		}
		b = b[read:]
	}
	return d, nil
}

// vectorOf makes room for n numbers and returns it, or nothing if the data lack them.
func vectorOf[T any](vector *[]T, has bool, n int) []any {
	if !has {
		return nil
	}
	*vector = make([]T, n)
	return []any{*vector}
}
