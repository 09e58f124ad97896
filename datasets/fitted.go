package datasets

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// MarshalTransform encodes a transform of this package, or of [NewTransform], together with the columns that it was
// fitted on. Integers are unsigned varints, texts come after their length, and floats are little-endian:
//
//	number of columns, and for each
//	  name, 0 if it is numeric or else the number of its categories + 1, categories
//	1 if a column has a Scale, else 0
//	number of operations, and for each
//	  4k + 2f + w, where k is its place among those that Op lists, from 0
//	  number of its numbers, and these, of float32, or float64 if w is 1
//	  if f is 1: number of training rows, number of folds, seed (8 bytes), as many numbers for each fold
//	number of columns that are made, and for each
//	  column that it is made from, 0 if its name is the same or else 1 and its name,
//	  number of operations, and for each its place in the list above
//	if a column has a Scale: the scales of the columns as a JSON array
//
// Equal transforms give equal bytes. MarshalTransform returns an error for other transforms of other packages, and for
// one without steps.
func MarshalTransform(t Transform) ([]byte, error) {
	p, ok := t.(*program)
	if !ok {
		return nil, unsavable(t)
	}
	var operations, columns []byte
	places := make(map[string]uint64) // of encoded operations
	for _, c := range p.columns {
		columns = binary.AppendUvarint(columns, uint64(c.From))
		if c.Name == p.before[c.From].Name {
			columns = append(columns, 0)
		} else {
			columns = appendText(append(columns, 1), c.Name)
		}
		columns = binary.AppendUvarint(columns, uint64(len(c.Ops)))
		for k := range c.Ops {
			encoded := c.Ops[k].append(nil)
			place, ok := places[string(encoded)]
			if !ok {
				place = uint64(len(places))
				places[string(encoded)] = place
				operations = append(operations, encoded...)
			}
			columns = binary.AppendUvarint(columns, place)
		}
	}
	scales, scaled := ScalesOf(p.before), byte(0)
	if scales != nil {
		scaled = 1
	}
	b := append(appendFeatures(nil, p.before), scaled)
	b = append(binary.AppendUvarint(b, uint64(len(places))), operations...)
	b = append(binary.AppendUvarint(b, uint64(len(p.columns))), columns...)
	if scales != nil {
		encoded, err := json.Marshal(scales)
		if err != nil {
			return nil, fmt.Errorf("datasets: scales of columns: %w", err)
		}
		b = appendText(b, string(encoded))
	}
	return b, nil
}

// unsavable returns why a transform can't be saved.
func unsavable(t Transform) error {
	steps, ok := t.(sequence)
	if !ok {
		return fmt.Errorf("datasets: a fitted step of type %T can't be saved; only those of this package and of "+
			"NewTransform can", t)
	}
	for _, step := range steps {
		if _, ok := step.(*program); !ok {
			return unsavable(step)
		}
	}
	if len(steps) == 0 {
		return errors.New("datasets: a transform of no steps can't be saved")
	}
	return errors.New("datasets: a transform can't be saved whose steps were fitted on other columns than those " +
		"before them make")
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendFeatures(b []byte, features []Feature) []byte {
	b = binary.AppendUvarint(b, uint64(len(features)))
	for _, f := range features {
		b = appendText(b, f.Name)
		if f.Categories == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(b, uint64(len(f.Categories))+1)
		for _, category := range f.Categories {
			b = appendText(b, category)
		}
	}
	return b
}

// append appends the operation to b.
func (o *Op) append(b []byte) []byte {
	head, tables := uint64(o.kind)*4, o.tables()
	for _, table := range tables {
		for _, v := range table {
			if v == v && float64(float32(v)) != v {
				head |= 1
			}
		}
	}
	if o.folds != nil {
		head |= 2
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, head), uint64(len(o.Numbers)))
	for k, table := range tables {
		if k == 1 {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(o.folds.rows)), uint64(o.folds.folds))
			b = binary.LittleEndian.AppendUint64(b, o.folds.seed)
		}
		for _, v := range table {
			if head%2 == 1 {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			} else {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
			}
		}
	}
	return b
}

// UnmarshalTransform decodes the output of [MarshalTransform]. It returns the transform and the columns that it was
// fitted on. For any other bytes it returns an error or a valid transform, and takes memory
// in proportion to len(b). It doesn't keep b.
func UnmarshalTransform(b []byte) (t Transform, columns []Feature, err error) {
	r := stepReader{rest: b}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case stepError:
			t, columns = nil, nil
			err = fmt.Errorf("datasets: fitted steps: %w, at byte %d of %d", v.error, len(b)-len(r.rest), len(b))
		default:
			panic(v)
		}
	}()
	columns = r.features()
	t = r.program(columns)
	if again, err := MarshalTransform(t); err != nil || !bytes.Equal(again, b) {
		r.failf("steps that are written in another way than by MarshalTransform")
	}
	return t, columns, nil
}

// A stepReader decodes bytes. It panics with a stepError, which UnmarshalTransform returns.
type stepReader struct{ rest []byte }

type stepError struct{ error }

func (r *stepReader) failf(format string, args ...any) {
	panic(stepError{fmt.Errorf(format, args...)})
}

// program reads steps that were fitted on the given columns, up to the end.
func (r *stepReader) program(before []Feature) Transform {
	scaled := r.number("columns with a Scale, or 0")
	if scaled > 1 {
		r.failf("%d where 1 says that there are scales, and 0 that there are none", scaled)
	}
	columns := r.columns(before)
	if scaled == 1 {
		r.scales(before)
	}
	p, err := newProgram(before, columns)
	if err != nil {
		r.failf("%w", err)
	}
	if len(r.rest) > 0 {
		r.failf("%d bytes after the last step", len(r.rest))
	}
	return p
}

func (r *stepReader) number(what string) uint64 {
	v, size := binary.Uvarint(r.rest)
	if size <= 0 || size > 1 && r.rest[size-1] == 0 { // a redundant last byte
		r.failf("want the number of %s", what)
	}
	r.rest = r.rest[size:]
	return v
}

// count reads how many things follow that take at least size bytes each.
func (r *stepReader) count(size int, what string) int {
	n := r.number(what)
	if n > uint64(len(r.rest)/size) {
		r.failf("%d %s, but there are %d bytes left", n, what, len(r.rest))
	}
	return int(n)
}

func (r *stepReader) bytes(n int) []byte {
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *stepReader) text() string { return string(r.bytes(r.count(1, "bytes of a name"))) }

func (r *stepReader) features() []Feature {
	features := make([]Feature, r.count(2, "columns"))
	for j := range features {
		features[j].Name = r.text()
		if k := r.count(1, "categories"); k > 0 { // their number + 1
			features[j].Categories = make([]string, k-1)
		}
		for c := range features[j].Categories {
			features[j].Categories[c] = r.text()
		}
	}
	if len(features) == 0 {
		r.failf("no columns")
	}
	return features
}

// floats reads n numbers of 4 or 8 bytes.
func (r *stepReader) floats(n, size int) []float64 {
	if len(r.rest)/size < n {
		r.failf("%d bytes; want %d for each of %d numbers", len(r.rest), size, n)
	}
	values := make([]float64, n)
	for i := range values {
		if size == 4 {
			values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(r.bytes(4))))
		} else {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.bytes(8)))
		}
	}
	return values
}

// scales reads the scales of columns.
func (r *stepReader) scales(columns []Feature) {
	var scales []Scale
	if err := json.Unmarshal([]byte(r.text()), &scales); err != nil {
		r.failf("scales: %w", err)
	}
	if len(scales) != len(columns) {
		r.failf("%d scales for %d columns", len(scales), len(columns))
	}
	for j, scale := range scales {
		if err := scale.Check(); err != nil {
			r.failf("%w", err)
		}
		columns[j].Scale = scale
	}
}

// split reads the number of training rows and folds, and the seed that divides them.
func (r *stepReader) split() splitting {
	rows, folds := r.number("training rows"), r.count(1, "folds")
	switch {
	case rows > math.MaxInt32:
		r.failf("%d training rows; want at most %d", rows, math.MaxInt32)
	case folds < 1 || uint64(folds) > rows:
		r.failf("%d folds of %d rows; want 1 or more, and no more than rows", folds, rows)
	case len(r.rest) < 8:
		r.failf("%d bytes; want a seed of 8", len(r.rest))
	}
	return splitting{int(rows), folds, binary.LittleEndian.Uint64(r.bytes(8))}
}

// columns reads operations and the columns that they make.
func (r *stepReader) columns(before []Feature) []Column {
	ops := make([]Op, r.count(2, "operations"))
	for i := range ops {
		o := &ops[i]
		head := r.number("a kind of operation")
		if head >= uint64(4*len(opNames)) {
			r.failf("an operation of kind %d; this version knows 0 to %d", head/4, len(opNames)-1)
		}
		size := 4 + 4*int(head%2)
		n := r.count(size, "numbers")
		o.Do, o.Numbers = opNames[head/4], r.floats(n, size)
		if head&2 != 0 {
			if head/4 != uint64(opCodes) {
				r.failf("operation %q of folds", o.Do)
			}
			o.folds = &foldNumbers{splitting: r.split()}
			for range o.folds.folds {
				o.folds.numbers = append(o.folds.numbers, r.floats(n, size))
			}
		}
		if err := o.check(); err != nil {
			r.failf("%w", err)
		}
	}
	columns := make([]Column, r.count(3, "columns that are made"))
	for i := range columns {
		from := r.number("a column")
		if from >= uint64(len(before)) {
			r.failf("a column made from column %d of %d", from, len(before))
		}
		name := before[from].Name
		if r.number("a name") > 0 {
			name = r.text()
		}
		columns[i] = Column{name, int(from), make([]Op, r.count(1, "operations"))}
		for k := range columns[i].Ops {
			place := r.number("an operation")
			if place >= uint64(len(ops)) {
				r.failf("operation %d of %d", place, len(ops))
			}
			columns[i].Ops[k] = ops[place]
		}
	}
	return columns
}
