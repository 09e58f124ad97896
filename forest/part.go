package forest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// sameBut reports whether two forests are the same but for their trees, Steps, Calibration and Report.
func (f *Forest) sameBut(g *Forest) bool {
	return g.Method == f.Method && g.Target == f.Target && g.Rule == f.Rule && g.Rows == f.Rows && g.Groups == f.Groups &&
		g.Sampling == f.Sampling && g.Seed == f.Seed && g.Honest == f.Honest &&
		slices.Equal(g.Base, f.Base) && slices.Equal(g.Members, f.Members) && slices.Equal(g.Fills, f.Fills) &&
		slices.Equal(g.Scales, f.Scales) &&
		slices.EqualFunc(g.Categories, f.Categories, slices.Equal) &&
		g.LogLink == f.LogLink &&
		slices.Equal(g.Features, f.Features) && slices.Equal(g.Classes, f.Classes)
}

// A Part holds some trees of a forest that [FitPart] has grown. [Join] makes a forest of
// parts. A part is read-only.
type Part struct {
	first, total int
	forest       Forest // with the part's trees only
}

// FitPart grows trees lo … hi − 1 of the forest that learner.Fit grows from train, so that several machines can grow a
// forest together. [Join] turns the parts into that forest, byte for byte. Progress counts the part's trees.
//
// It returns an error if lo and hi are no range of the forest's trees, and where [Grow] does. The error wraps
// [ErrWhole] if a tree depends on the trees before it, as with a [Memory], or if the learner is no [Grower].
func FitPart(ctx context.Context, learner Learner, train *datasets.Dataset, lo, hi int) (*Part, error) {
	if lo < 0 || hi <= lo {
		return nil, fmt.Errorf("forest: a part of trees %d … %d; want 0 ≤ first ≤ last", lo, hi-1)
	}
	report := Progress(ctx)
	ctx = WithProgress(ctx, func(done, total int) {
		before := total / hi * lo // learners count from the forest's beginning
		report(done-before, total-before)
	})
	f, err := Grow(ctx, learner, train, Options{First: lo, Last: hi})
	if err != nil {
		return nil, err
	}
	if hi > len(f.Trees) {
		return nil, fmt.Errorf("forest: %T grew %d trees; want trees %d … %d", learner, len(f.Trees), lo, hi-1)
	}
	part := &Part{first: lo, total: len(f.Trees), forest: *f}
	part.forest.Trees = slices.Clone(f.Trees[lo:hi])
	return part, nil
}

// Range returns which trees the part has, lo … hi − 1, and how many the whole forest has.
func (p *Part) Range() (lo, hi, of int) { return p.first, p.first + len(p.forest.Trees), p.total }

// Join returns the forest that parts are of. They may come in any order and share memory with
// the forest. It returns an error if a tree is missing or in two parts, or if parts are of
// different forests.
func Join(parts ...*Part) (*Forest, error) {
	if len(parts) == 0 {
		return nil, errors.New("forest: no parts to join")
	}
	if i := slices.Index(parts, nil); i >= 0 {
		return nil, fmt.Errorf("forest: part %d of those to join is nil", i)
	}
	parts = slices.SortedFunc(slices.Values(parts), func(a, b *Part) int { return cmp.Compare(a.first, b.first) })
	f, trees := parts[0].forest, 0
	for _, p := range parts {
		trees += len(p.forest.Trees)
	}
	f.Trees = make([]Tree, 0, trees) // not total, which is only what a part says
	for _, p := range parts {
		switch {
		case p.total != parts[0].total || !f.sameBut(&p.forest) || !reflect.DeepEqual(f.Columns, p.forest.Columns) ||
			!sameSteps(&f, &p.forest):
			return nil, fmt.Errorf("forest: the parts that begin with trees %d and %d are of different forests", parts[0].first,
				p.first)
		case p.first < len(f.Trees):
			return nil, fmt.Errorf("forest: tree %d is in two parts", p.first)
		case p.first > len(f.Trees):
			return nil, fmt.Errorf("forest: trees %d … %d are in no part", len(f.Trees), p.first-1)
		}
		f.Trees = append(f.Trees, p.forest.Trees...)
	}
	if n := len(f.Trees); n < parts[0].total {
		return nil, fmt.Errorf("forest: trees %d … %d are in no part", n, parts[0].total-1)
	}
	return &f, nil
}

func sameSteps(f, g *Forest) bool {
	a, errA := f.encodedSteps()
	b, errB := g.encodedSteps()
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// partHeader is how many bytes come before the forest in an encoded part.
const partHeader = 12

// MarshalBinary encodes the part: the numbers of its first tree and of the whole forest's
// trees, their checksum, and its own trees as [Forest.MarshalBinary] encodes a forest.
func (p *Part) MarshalBinary() ([]byte, error) {
	b, err := p.forest.MarshalBinary()
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	header := le.AppendUint32(le.AppendUint32(make([]byte, 0, partHeader), uint32(p.first)), uint32(p.total))
	header = le.AppendUint32(header, crc32.Checksum(header, castagnoli))
	return append(header, b...), nil
}

// UnmarshalBinary decodes a part. It returns an error if data are not what MarshalBinary
// returned; see [Forest.UnmarshalBinary]. The part's trees share memory with data.
func (p *Part) UnmarshalBinary(data []byte) error {
	le := binary.LittleEndian
	if len(data) < partHeader || le.Uint32(data[8:]) != crc32.Checksum(data[:8], castagnoli) {
		return errors.New("forest: no part of a forest, or a damaged one")
	}
	var f Forest
	if err := f.UnmarshalBinary(data[partHeader:]); err != nil {
		return err
	}
	first, total := int(le.Uint32(data)), int(le.Uint32(data[4:]))
	if first+len(f.Trees) > total {
		return fmt.Errorf("forest: a part of trees %d … %d of %d", first, first+len(f.Trees)-1, total)
	}
	*p = Part{first: first, total: total, forest: f}
	return nil
}
