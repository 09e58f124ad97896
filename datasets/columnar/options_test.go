package columnar_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// batchOf makes a record batch of columns in Arrow's JSON form, such as `[1, null]`.
func batchOf(fields []arrow.Field, columns ...string) arrow.RecordBatch {
	var arrays []arrow.Array
	for j, text := range columns {
		arrays = append(arrays, arrayOf(fields[j].Type, text))
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}

func arrayOf(typ arrow.DataType, text string) arrow.Array {
	a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(text))
	must.Do(err)
	return a
}

// readBatches reads batches of one schema.
func readBatches(o columnar.Options, batches ...arrow.RecordBatch) (*datasets.Dataset, error) {
	r := must.Value(array.NewRecordReader(batches[0].Schema(), batches))
	return o.Read(context.Background(), r, "table")
}

func dictionaryOf(values arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: values}
}

var (
	text    = arrow.BinaryTypes.String
	boolean = arrow.FixedWidthTypes.Boolean
	int64s  = arrow.PrimitiveTypes.Int64
	floats  = arrow.PrimitiveTypes.Float64
)

func TestTarget(t *testing.T) {
	type options = columnar.Options
	for _, test := range []struct {
		kind    arrow.DataType
		cells   string
		options columnar.Options
		want    string // classes, labels and values, or an error
	}{
		{text, `["b", "a", "b"]`, options{}, "[a b] [1 0 1] []"},
		{text, `["b", "", "b"]`, options{}, "[ b] [1 0 1] []"},
		{text, `["10", "9", "10"]`, options{}, "[9 10] [1 0 1] []"},
		{dictionaryOf(text), `["b", "a", "b"]`, options{}, "[a b] [1 0 1] []"},
		{boolean, `[true, true, true]`, options{}, "[false true] [1 1 1] []"},
		{boolean, `[true, false, true]`, options{Regression: true}, "[] [] [1 0 1]"},
		{boolean, `[true, false, true]`, options{Classes: []string{"true", "false"}}, "[true false] [0 1 0] []"},
		{int64s, `[10, -9, 9007199254740993]`, options{}, "[-9 10 9007199254740993] [1 0 2] []"},
		{arrow.PrimitiveTypes.Uint64, `[18446744073709551615, 0, 0]`, options{}, "[0 18446744073709551615] [1 0 0] []"},
		{int64s, `[10, -9, 3]`, options{Regression: true}, "[] [] [10 -9 3]"},
		{floats, `[0.1, 1e300, 3]`, options{}, "[] [] [0.1 1e+300 3]"},
		{floats, `[1, 0, 1]`, options{Categorical: []string{"y"}}, "[0 1] [1 0 1] []"},
		{floats, `[1, 0, 1]`, options{Classes: []string{"1", "0", "2"}}, "[1 0 2] [0 1 0] []"},
		{&arrow.Decimal128Type{Precision: 9, Scale: 2}, `["0.10", "-1.25", "3.00"]`, options{}, "[] [] [0.1 -1.25 3]"},
		{text, `["b", null, "b"]`, options{}, `row 1, column "y": the target is missing`},
		{dictionaryOf(text), `["b", "b", null]`, options{}, `row 2, column "y": the target is missing`},
		{floats, `[1, null, 3]`, options{}, `row 1, column "y": the target is missing`},
		{floats, `[1, null, 3]`, options{Categorical: []string{"y"}}, `row 1, column "y": the target is missing`},
		{floats, `[1, 2, 2.5]`, options{Categorical: []string{"y"}},
			`row 2, column "y": 2.5 is not a whole number`},
		{text, `["b", "a", "c"]`, options{Classes: []string{"a", "b"}},
			`row 2, column "y": "c" is not one of the 2 classes`},
		{text, `["1", "2", "3"]`, options{Regression: true}, "values want numbers"},
		{int64s, `[1, 2, 3]`, options{Regression: true, Classes: []string{"1"}}, "Regression"},
		{text, `["1", "2", "3"]`, options{Drop: []string{"y"}}, "can't also be dropped"},
		{text, `["1", "2", "3"]`, options{Target: "z"}, `no column "z"; the nearest are "x", "y"`},
		{text, `["1", "2", "3"]`, options{Target: "#3"}, `no column #3; there are 2`},
	} {
		fields := []arrow.Field{{Name: "x", Type: int64s, Nullable: true}, {Name: "y", Type: test.kind, Nullable: true}}
		d, err := readBatches(test.options, batchOf(fields, `[1, 2, 3]`, test.cells))
		if err != nil {
			wantError(t, test.cells, err, test.want, "table: ")
			continue
		}
		if d.Name != "table" || d.Target != "y" || !slices.Equal(d.FeatureNames(), []string{"x"}) {
			t.Errorf("name %q, target %q, columns %q", d.Name, d.Target, d.FeatureNames())
		}
		if got := fmt.Sprint(d.Classes, d.Labels, d.Values); got != test.want {
			t.Errorf("%s as %s, %+v: %s; want %s", test.cells, test.kind, test.options, got, test.want)
		}
	}
}

func TestColumnsByNameAndNumber(t *testing.T) {
	fields := []arrow.Field{{Name: "#3", Type: int64s}, {Name: "b", Type: int64s}, {Name: "", Type: floats},
		{Name: "d", Type: text}}
	batch := batchOf(fields, `[1, 2]`, `[3, 4]`, `[5, 6]`, `["p", "q"]`)
	d := must.Value(readBatches(columnar.Options{Target: "#2", Categorical: []string{"#3"}, Drop: []string{"x3"}},
		batch))
	wantShown(t, d, `"table", 2 rows: "b" of ["3" "4"], [0 1] []
"#3" of ["1" "2"]: [0 1]
"d" of ["p" "q"]: [0 1]
`)
	for _, test := range []struct {
		options columnar.Options
		err     string
	}{
		{columnar.Options{Drop: []string{"c"}}, `no column "c"`},
		{columnar.Options{Categorical: []string{"b"}, Drop: []string{"b"}}, "both Categorical and Drop"},
		{columnar.Options{Drop: []string{"#3", "b", "x3"}}, "no column is left as a feature, of 4"},
	} {
		_, err := readBatches(test.options, batch)
		wantError(t, test.err, err, test.err)
	}
}

// Entries of dictionaries are categories whether they occur or not; batches may have
// dictionaries of their own.
func TestDictionariesOfBatches(t *testing.T) {
	for ordered, want := range map[bool]string{
		false: `"c" of ["a" "b" "m" "unused"]: [2 NaN 1 2 0 NaN 1]`,
		true:  `"c" of ["m" "unused" "b" "a"]: [0 NaN 2 0 3 NaN 2]`,
	} {
		kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text, Ordered: ordered}
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: kind, Nullable: true}}, nil)
		batch := func(indices, entries string) arrow.RecordBatch {
			i, e := arrayOf(arrow.PrimitiveTypes.Int8, indices), arrayOf(text, entries)
			return array.NewRecordBatch(schema, []arrow.Array{array.NewDictionaryArray(kind, i, e)}, int64(i.Len()))
		}
		d := must.Value(readBatches(columnar.Options{NoTarget: true},
			batch(`[0, null, 2]`, `["m", "unused", "b"]`), batch(`[1, 0]`, `["a", "m"]`), batch(`[0, 1]`, `[null, "b"]`)))
		wantShown(t, d, "\"table\", 7 rows: \"\" of [], [] []\n"+want+"\n")
	}
}

func TestLike(t *testing.T) {
	schema := &datasets.Schema{
		Features: []datasets.Feature{{Name: "colour", Categories: []string{"red", "blue"}}, {Name: "size"},
			{Name: "code", Categories: []string{"7"}}}, Target: "kind", Classes: []string{"yes", "no"},
	}
	fields := []arrow.Field{
		{Name: "size", Type: int64s}, {Name: "kind", Type: text}, {Name: "code", Type: floats,
			Nullable: true}, {Name: "colour", Type: text},
		{Name: "when", Type: arrow.FixedWidthTypes.Date32},
	}
	cells := []string{`[1, 2, 3]`, `["no", "yes", "no"]`, `[8, null, 7]`, `["white", "blue", "black"]`, `[1, 2, 3]`}
	d := must.Value(readBatches(columnar.Options{Like: schema}, batchOf(fields, cells...)))
	wantShown(t, d, `"table", 3 rows: "kind" of ["yes" "no"], [1 0 1] []
"colour" of ["red" "blue" "black" "white"]: [3 1 2]
"size": [1 2 3]
"code" of ["7" "8"]: [1 NaN 0]
`)
	if !slices.Equal(schema.Features[0].Categories, []string{"red", "blue"}) {
		t.Errorf("the schema has become %q", schema.Features)
	}

	values := *schema
	values.Target, values.Classes = "size", nil
	values.Features = values.Features[:1]
	for noTarget, want := range map[bool]string{false: `"size" of [], [] [1 2 3]`, true: `"" of [], [] []`} {
		d := must.Value(readBatches(columnar.Options{Like: &values, NoTarget: noTarget}, batchOf(fields, cells...)))
		wantShown(t, d, `"table", 3 rows: `+want+`
"colour" of ["red" "blue" "black" "white"]: [3 1 2]
`)
	}

	numeric := func(name string) []datasets.Feature { return []datasets.Feature{{Name: name}} }
	for _, test := range []struct {
		err    string
		wraps  bool
		schema datasets.Schema
	}{
		{`no column "weight"`, true, datasets.Schema{Features: numeric("weight")}},
		{`no column "class"`, true, datasets.Schema{Features: schema.Features, Target: "class"}},
		{`column "colour" is utf8`, true, datasets.Schema{Features: numeric("colour")}},
		{`column "when" is date32`, true, datasets.Schema{Features: numeric("when")}},
		{`row 0, column "kind": "no"`, false, datasets.Schema{Features: schema.Features, Target: "kind",
			Classes: []string{"yes"}}},
		{"can't also be", false, datasets.Schema{Features: schema.Features, Target: "size"}},
	} {
		_, err := readBatches(columnar.Options{Like: &test.schema}, batchOf(fields, cells...))
		wantError(t, test.err, err, test.err)
		if errors.Is(err, datasets.ErrSchema) != test.wraps {
			t.Errorf("%v; wraps ErrSchema: want %v", err, test.wraps)
		}
	}
}

// Truth values and numbers are the categories of a CSV file that spells them in another way, and a column whose
// categories are new is noted, as in CSV files.
func TestLikeInOtherSpellings(t *testing.T) {
	csv := func(o datasets.CSV, text string) *datasets.Dataset {
		return must.Value(o.Read(t.Context(), strings.NewReader(text), "f"))
	}
	train := csv(datasets.CSV{Categorical: []string{"code"}},
		"member,code,colour,y\nTRUE,1.0,red,No\nFALSE,2.0,blue,Yes\nTRUE,3.0,red,Yes\n")
	again := csv(datasets.CSV{Like: train.Schema()},
		"member,code,colour,y\nfalse,3,white,Yes\ntrue,2,red,No\ntrue,1,black,No\n")
	fields := []arrow.Field{{Name: "member", Type: arrow.FixedWidthTypes.Boolean}, {Name: "code", Type: int64s},
		{Name: "colour", Type: text}, {Name: "y", Type: text}}
	d := must.Value(readBatches(columnar.Options{Like: train.Schema()}, batchOf(fields, `[false, true, true]`,
		`[3, 2, 1]`, `["white", "red", "black"]`, `["Yes", "No", "No"]`)))
	want := [][]float32{{0, 1, 1}, {2, 1, 0}, {3, 1, 2}} // FALSE, TRUE; 1.0, 2.0, 3.0; blue, red, black, white
	for j, cells := range want {
		if !slices.Equal(d.Columns[j], cells) || !slices.Equal(again.Columns[j], cells) {
			t.Errorf("%q: %v, from CSV %v; want %v", d.Features[j].Name, d.Columns[j], again.Columns[j], cells)
		}
	}
	note := `"colour" has categories that the training data don't have in 2 of 3 cells, such as "white", "black"`
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], note) || !slices.Equal(d.Notes, again.Notes) {
		t.Errorf("notes %q, from CSV %q; want %s", d.Notes, again.Notes, note)
	}
}

// The reader of CSV is the oracle of how categories are sorted.
func TestCategoriesAreSortedAsInCSV(t *testing.T) {
	name := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z0-9äß.+-]{1,4}`),
		rapid.StringMatching(`[+-]?[0-9]{1,3}(\.[0-9])?(e[0-9])?`),
		rapid.SampledFrom([]string{"inf", "0x10", "nan0", "Infinity", "1e999", ".5", "5.", "-0", "0", "+0"}))
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(name, 1, 8, rapid.ID).Draw(t, "names")
		want := must.Value(datasets.CSV{NoTarget: true, Categorical: []string{"c"}, Missing: []string{}}.
			Read(t.Context(), strings.NewReader("c\n"+strings.Join(names, "\n")+"\n"), "names"))
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendStringValues(names, nil)
		batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "c", Type: text}}, nil),
			[]arrow.Array{b.NewArray()}, int64(len(names)))
		got := must.Value(readBatches(columnar.Options{NoTarget: true}, batch))
		got.Name = want.Name
		if a, b := shown(got), shown(want); a != b {
			t.Fatalf("%s; want %s", a, b)
		}
	})
}
