package datasets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Kinds of transforms in the encoding of MarshalTransform.
const (
	oneHotKind = 1 + iota
	ordinalKind
	imputedKind
	standardisedKind
	targetKind
	arrangedKind
	scoredKind
	kinds
)

// MarshalTransform encodes a transform of this package together with the columns that it
// was fitted on. Integers are unsigned varints, texts come after their length, and floats
// are little-endian:
//
//	number of columns, and for each
//	  name, 0 if it is numeric or else the number of its categories + 1, categories
//	number of steps, and for each its kind, 1 to 7, and
//	  1 (OneHot), 2 (Ordinal): nothing
//	  3 (Impute): for each column the value of missing cells, float32
//	  4 (Standardise): for each column mean and standard deviation, float64
//	  5 (TargetEncoding): number of training rows, number of folds, seed (8 bytes),
//	    number of outputs, and for each what column names have after |
//	    for all rows and, if there are several folds, for all rows but those of each fold:
//	      mean target of each output, float64
//	      for each categorical column, category and output the code, float64
//	  6 (Prepare, the first of its steps): for each column 2·e + 1 if it has an indicator of
//	    missing cells, or else 2·e, where e is 0 if it is left out, 1 unchanged, 2 indicators,
//	    3 ordered; after 2, the number of categories with rows, and their codes, ascending
//	  7 (Prepare, normal scores): for each column the number of knots, and for each its value and
//	    score, float32, ascending
//
// The columns of later steps follow from these. Equal transforms give equal bytes.
// MarshalTransform returns an error for a transform of another package, and for one
// without steps.
func MarshalTransform(t Transform) ([]byte, error) {
	steps := flattened(nil, t)
	if len(steps) == 0 {
		return nil, errors.New("datasets: a transform of no steps can't be saved")
	}
	var b, parameters []byte
	for i, step := range steps {
		var columns []Feature
		switch s := step.(type) {
		case oneHot:
			columns, parameters = s.before, binary.AppendUvarint(parameters, oneHotKind)
		case ordinal:
			columns, parameters = s.before, binary.AppendUvarint(parameters, ordinalKind)
		case imputed:
			columns, parameters = s.features, binary.AppendUvarint(parameters, imputedKind)
			for _, v := range s.fill {
				parameters = binary.LittleEndian.AppendUint32(parameters, math.Float32bits(v))
			}
		case standardised:
			columns, parameters = s.features, binary.AppendUvarint(parameters, standardisedKind)
			for j := range s.mean {
				parameters = binary.LittleEndian.AppendUint64(parameters, math.Float64bits(s.mean[j]))
				parameters = binary.LittleEndian.AppendUint64(parameters, math.Float64bits(s.sd[j]))
			}
		case targetEncoded:
			columns, parameters = s.before, s.append(binary.AppendUvarint(parameters, targetKind))
		case arranged:
			columns, parameters = s.before, s.append(binary.AppendUvarint(parameters, arrangedKind))
		case scored:
			columns, parameters = s.features, s.append(binary.AppendUvarint(parameters, scoredKind))
		default:
			return nil, fmt.Errorf("datasets: a fitted step of type %T can't be saved; only those of this package can", step)
		}
		if i == 0 {
			b = appendFeatures(b, columns)
		}
	}
	b = append(binary.AppendUvarint(b, uint64(len(steps))), parameters...)
	if _, _, err := UnmarshalTransform(b); err != nil {
		return nil, fmt.Errorf("datasets: this transform can't be saved, as it couldn't be read again: %w", err)
	}
	return b, nil
}

// flattened appends the transforms of t, in order, to steps.
func flattened(steps Transforms, t Transform) Transforms {
	several, ok := t.(Transforms)
	if !ok {
		return append(steps, t)
	}
	for _, step := range several {
		steps = flattened(steps, step)
	}
	return steps
}

func appendFeatures(b []byte, features []Feature) []byte {
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	b = binary.AppendUvarint(b, uint64(len(features)))
	for _, f := range features {
		text(f.Name)
		if f.Categories == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(b, uint64(len(f.Categories))+1)
		for _, category := range f.Categories {
			text(category)
		}
	}
	return b
}

// UnmarshalTransform decodes the output of [MarshalTransform]. It returns the transform and
// the columns that it was fitted on. For any other bytes it returns an error or a valid
// transform, and takes memory in proportion to len(b). It doesn't keep b.
func UnmarshalTransform(b []byte) (Transform, []Feature, error) {
	r := stepReader{size: len(b), rest: b}
	columns := r.features()
	features := columns
	var steps Transforms
	for range r.count(1, "steps") {
		step, after := r.step(features)
		if r.err != nil {
			break
		}
		steps, features = append(steps, step), after
	}
	switch {
	case r.err != nil:
	case len(steps) == 0:
		r.failf("no steps")
	case len(r.rest) > 0:
		r.failf("%d bytes after the last step", len(r.rest))
	}
	if r.err != nil {
		return nil, nil, fmt.Errorf("datasets: fitted steps: %w, at byte %d of %d", r.err, len(b)-len(r.rest), len(b))
	}
	return steps, columns, nil
}

// A stepReader decodes bytes and keeps the first error.
type stepReader struct {
	size int // bytes in all
	rest []byte
	err  error
}

func (r *stepReader) failf(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *stepReader) number(what string) uint64 {
	v, size := binary.Uvarint(r.rest)
	if size <= 0 || size > 1 && r.rest[size-1] == 0 { // a redundant last byte
		r.failf("want the number of %s", what)
	}
	if r.err != nil {
		return 0
	}
	r.rest = r.rest[size:]
	return v
}

// count reads how many things follow that take at least size bytes each.
func (r *stepReader) count(size int, what string) int {
	n := r.number(what)
	if n > uint64(len(r.rest)/size) {
		r.failf("%d %s, but there are %d bytes left", n, what, len(r.rest))
		return 0
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
		if r.err != nil {
			return nil
		}
	}
	if len(features) == 0 {
		r.failf("no columns")
	}
	return features
}

// step reads a step that was fitted on the given columns, and returns it and its output
// columns.
func (r *stepReader) step(columns []Feature) (Transform, []Feature) {
	switch kind := r.number("a kind of step"); kind {
	case oneHotKind:
		if !r.canBeOneHot(columns) {
			return nil, nil
		}
		t := newOneHot(columns)
		return t, t.after
	case ordinalKind:
		t := newOrdinal(columns)
		return t, t.after
	case imputedKind:
		return r.imputed(columns), columns
	case standardisedKind:
		return r.standardised(columns), columns
	case targetKind:
		t := r.targetEncoded(columns)
		return t, t.after
	case arrangedKind:
		t := r.arranged(columns)
		return t, t.after
	case scoredKind:
		return r.scored(columns), columns
	default:
		r.failf("a step of kind %d; this version knows 1 to %d", kind, kinds-1)
		return nil, nil
	}
}

// canBeOneHot checks that OneHot makes at least one column, and that the names it makes take
// memory in proportion to the bytes read: every category repeats the name of its column.
func (r *stepReader) canBeOneHot(columns []Feature) bool {
	most := 1<<16 + 64*r.size
	made, length := 0, 0
	for _, f := range columns {
		if f.Categories == nil {
			made++
		}
		made += len(f.Categories)
		length += len(f.Categories) * (len(f.Name) + 1)
	}
	if made == 0 || length > most {
		r.failf("OneHot would make %d columns, with %d bytes of names; want 1 column or more, and at most %d bytes", made, length, most)
	}
	return r.err == nil
}

// append appends the fitted parameters to b.
func (t targetEncoded) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(t.rows))
	b = binary.AppendUvarint(b, uint64(t.folds))
	b = binary.LittleEndian.AppendUint64(b, t.seed)
	b = binary.AppendUvarint(b, uint64(len(t.outputs)))
	for _, output := range t.outputs {
		b = append(binary.AppendUvarint(b, uint64(len(output))), output...)
	}
	for _, table := range t.tables {
		b = appendFloats(appendFloats(b, table.prior), table.codes)
	}
	return b
}

func appendFloats(b []byte, values []float64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func (r *stepReader) targetEncoded(columns []Feature) targetEncoded {
	t := targetEncoded{before: columns}
	rows := r.number("training rows")
	if rows > math.MaxInt32 {
		r.failf("%d training rows; want at most %d", rows, math.MaxInt32)
	}
	t.rows, t.folds = int(rows), r.count(1, "folds")
	if len(r.rest) < 8 {
		r.failf("%d bytes; want a seed of 8", len(r.rest))
		return t
	}
	t.seed = binary.LittleEndian.Uint64(r.bytes(8))
	t.outputs = make([]string, r.count(1, "outputs"))
	for o := range t.outputs {
		t.outputs[o] = r.text()
	}
	if r.err != nil || !r.canBeNamed(columns, t.outputs) {
		return t
	}
	if t.folds < 1 || t.folds > t.rows {
		r.failf("%d folds of %d rows; want 1 or more, and no more than rows", t.folds, t.rows)
		return t
	}
	t = t.named()
	for range t.foldTables() + 1 {
		t.tables = append(t.tables, targetTable{r.floats(len(t.outputs)), r.floats(t.categories * len(t.outputs))})
		if r.err != nil {
			break
		}
	}
	return t
}

// canBeNamed checks that target encoding makes at least one column, and that the names it
// makes take memory in proportion to the bytes read.
func (r *stepReader) canBeNamed(columns []Feature, outputs []string) bool {
	most := 1<<16 + 64*r.size
	made, length, text := 0, 0, 0
	for _, output := range outputs {
		text += len(output)
	}
	for _, f := range columns {
		if f.Categories == nil {
			made++
			continue
		}
		made += len(outputs)
		length += text + len(outputs)*(len(f.Name)+1)
	}
	if len(outputs) == 0 || made == 0 || made > most || length > most {
		r.failf("TargetEncoding would make %d columns of %d outputs, with %d bytes of names; want 1 or more, and at most %d", made, len(outputs), length, most)
	}
	return r.err == nil
}

// floats reads finite numbers.
func (r *stepReader) floats(n int) []float64 {
	if len(r.rest)/8 < n {
		r.failf("%d bytes; want 8 for each of %d numbers", len(r.rest), n)
	}
	if r.err != nil {
		return nil
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.bytes(8)))
		if values[i]-values[i] != 0 {
			r.failf("a code of %v; want a finite number", values[i])
			return nil
		}
	}
	return values
}

func (r *stepReader) imputed(columns []Feature) Transform {
	if len(r.rest)/4 < len(columns) {
		r.failf("%d bytes; want 4 for each of %d columns", len(r.rest), len(columns))
		return nil
	}
	t := imputed{features: columns, fill: make([]float32, len(columns))}
	for j, f := range columns {
		v := math.Float32frombits(binary.LittleEndian.Uint32(r.bytes(4)))
		if v-v != 0 || f.Categories != nil && !(v >= 0 && int(v) < len(f.Categories) && v == float32(int(v))) {
			r.failf("column %q is filled with %v; want a finite number, or the code of one of its %d categories", f.Name, v, len(f.Categories))
			return nil
		}
		t.fill[j] = v
	}
	return t
}

func (r *stepReader) standardised(columns []Feature) Transform {
	if len(r.rest)/16 < len(columns) {
		r.failf("%d bytes; want 16 for each of %d columns", len(r.rest), len(columns))
		return nil
	}
	t := standardised{features: columns, mean: make([]float64, len(columns)), sd: make([]float64, len(columns))}
	for j, f := range columns {
		mean := math.Float64frombits(binary.LittleEndian.Uint64(r.bytes(8)))
		sd := math.Float64frombits(binary.LittleEndian.Uint64(r.bytes(8)))
		if mean-mean != 0 || sd-sd != 0 || !(sd > 0) {
			r.failf("column %q has mean %v and standard deviation %v; want finite numbers, the second above 0", f.Name, mean, sd)
			return nil
		}
		t.mean[j], t.sd[j] = mean, sd
	}
	return t
}
