package datasets

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/bounded"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// mixed draws a table of numeric and categorical columns, some of them with missing cells.
func mixed(t *rapid.T) *Dataset {
	n, p := rapid.IntRange(1, 8).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "p")
	d := &Dataset{Features: make([]Feature, p), Columns: newColumns(n, p)}
	for j := range d.Features {
		f := &d.Features[j]
		f.Name = rapid.SampledFrom([]string{"", "height", "größe", "\xff"}).Draw(t, "name")
		if k := rapid.IntRange(0, 3).Draw(t, "categories"); k > 0 {
			for c := range k {
				f.Categories = append(f.Categories, fmt.Sprint("c", c))
			}
		}
		for i := range n {
			switch {
			case i > 0 && rapid.IntRange(0, 4).Draw(t, "missing") == 0:
				d.Columns[j][i] = nan32
			case f.Categories != nil:
				d.Columns[j][i] = float32(rapid.IntRange(0, len(f.Categories)-1).Draw(t, "code"))
			default:
				d.Columns[j][i] = rapid.Float32Range(-1e6, 1e6).Draw(t, "cell")
			}
		}
	}
	for range n {
		d.Labels = append(d.Labels, int32(rapid.IntRange(0, 2).Draw(t, "label")))
	}
	d.Classes = []string{"k", "l", "m"}
	return d
}

func drawStep(t *rapid.T, depth int) Step {
	switch rapid.IntRange(0, 5+depth).Draw(t, "step") {
	case 0:
		return OneHot{}
	case 1:
		return Ordinal{}
	case 2:
		return Impute{}
	case 3:
		return Standardise{}
	case 4:
		return TargetEncoding{Folds: rapid.IntRange(1, 2).Draw(t, "folds"), Seed: 5}
	case 5:
		return Prepare{}
	default:
		s := Steps{drawStep(t, 0)}
		for range rapid.IntRange(0, 3).Draw(t, "more") {
			s = append(s, drawStep(t, depth-1))
		}
		return s
	}
}

// A transform does the same to rows as to tables. One that was saved and read does the same to any table as the
// original.
func TestMarshalTransformKeepsWhatItDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := mixed(t)
		f, _, err := drawStep(t, 2).Fit(t.Context(), d)
		if err != nil {
			t.Skip(err)
		}
		rows(t, f, d)
		b := must.Value(MarshalTransform(f))
		g, columns, err := UnmarshalTransform(b)
		if err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		if !reflect.DeepEqual(columns, d.Features) {
			t.Fatalf("columns %q, want %q", columns, d.Features)
		}
		again, err := MarshalTransform(g)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("written again: %x, %v; want %x", again, err, b)
		}
		if names := rapid.Bool().Draw(t, "other order of categories"); names {
			d.Features = slices.Clone(d.Features)
			for j := range d.Features {
				if c := d.Features[j].Categories; c != nil {
					d.Features[j].Categories = append([]string{"new"}, c...)
				}
			}
		}
		want, wantErr := f.Apply(t.Context(), d)
		got, gotErr := g.Apply(t.Context(), d)
		if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Fatalf("error %v, want %v", gotErr, wantErr)
		}
		if wantErr != nil {
			return
		}
		equalData(t, got, want)
		equalData(t, must.Value(ApplyTraining(t.Context(), g, d)), must.Value(ApplyTraining(t.Context(), f, d)))
	})
}

func TestMarshalTransformByHand(t *testing.T) {
	d := colours() // colour of 3 categories, size with mean 27.25
	f := fit(t, Steps{Impute{}, OneHot{}}, d)
	got := must.Value(MarshalTransform(f))
	var want []byte
	text := func(s string) { want = append(append(want, byte(len(s))), s...) }
	want = append(want, 2) // columns
	text("colour")
	want = append(want, byte(len(d.Features[0].Categories)+1))
	for _, c := range d.Features[0].Categories {
		text(c)
	}
	text("size")
	want = append(want, 0) // numeric
	want = append(want, 0) // no scales
	want = append(want, 5) // operations
	number := func(head byte, v float32) {
		want = binary.LittleEndian.AppendUint32(append(want, head, 1), math.Float32bits(v))
	}
	number(4*6, 2)               // fill, with blue, of two rows
	number(4*0, 0)               // is red
	number(4*0, 1)               // is green
	number(4*0, 2)               // is blue
	number(4*6, (1+2+6+100)/4.0) // fill, with the mean
	want = append(want, 4)       // columns made
	for c, category := range d.Features[0].Categories {
		want = append(want, 0, 1) // of the first column, with another name
		text("colour=" + category)
		want = append(want, 2, 0, byte(c+1)) // two operations
	}
	want = append(want, 1, 0, 1, 4)
	if !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

type foreign struct{}

func (foreign) Apply(_ context.Context, d *Dataset) (*Dataset, error) { return d, nil }

func TestMarshalTransformErrors(t *testing.T) {
	for _, test := range []struct {
		t    Transform
		want string
	}{
		{sequence{}, "no steps"},
		{sequence{fit(t, OneHot{}, colours()), fit(t, Impute{}, colours())}, "other columns than those before"},
		{foreign{}, "datasets.foreign can't be saved"},
		{Then(fit(t, Impute{}, colours()), foreign{}), "datasets.foreign can't be saved"},
		{nil, "<nil> can't be saved"},
	} {
		_, err := MarshalTransform(test.t)
		readtest.WantError(t, err, test.want)
	}
}

// Any transform that is read can be applied, and takes memory in proportion to its bytes.
func FuzzUnmarshalTransform(f *testing.F) {
	labelled := colours()
	labelled.Labels, labelled.Classes = []int32{0, 1, 0, 1, 2}, []string{"k", "l", "m"}
	fits := []struct {
		Step
		train *Dataset
	}{
		{Steps{Impute{}, OneHot{}, Standardise{}}, labelled}, {Ordinal{}, labelled}, {TargetEncoding{Folds: 2}, labelled},
		{Prepare{}, labelled}, {stepFunc(normalScores), motley(60).Select(1, 4)},
		{stepFunc(arrange), motley(60)}, // whole Prepare would give thousands of seeds
	}
	for _, fit := range fits {
		t, _, err := fit.Fit(f.Context(), fit.train)
		must.Do(err)
		b := must.Value(MarshalTransform(t))
		f.Add(b)
		for i := range b {
			f.Add(b[:i])
			c := bytes.Clone(b)
			c[i] ^= 1
			f.Add(c)
		}
	}
	f.Add(binary.AppendUvarint(nil, math.MaxUint64))
	f.Fuzz(func(t *testing.T, b []byte) {
		var transform Transform
		var columns []Feature
		var err error
		bounded.Read(t, len(b), func() { transform, columns, err = UnmarshalTransform(b) })
		if err != nil {
			return
		}
		d := &Dataset{Features: columns, Columns: newColumns(2, len(columns))}
		for j, f := range columns {
			if f.Categories != nil {
				d.Columns[j][0], d.Columns[j][1] = nan32, nan32
			}
		}
		var out *Dataset
		bounded.Read(t, len(b), func() { out, err = transform.Apply(t.Context(), d) })
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		size := 0
		for _, f := range out.Features {
			size += len(f.Name)
		}
		if size > 1<<16+65*len(b) || len(out.Features) > len(b) {
			t.Fatalf("%d bytes make %d columns with %d bytes of names", len(b), len(out.Features), size)
		}
	})
}

// marshalled returns f after it has been saved and read.
func marshalled(t testing.TB, f Transform) Transform {
	t.Helper()
	g, _, err := UnmarshalTransform(must.Value(MarshalTransform(f)))
	must.Do(err)
	return g
}
