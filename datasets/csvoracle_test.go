package datasets

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/naming"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A plainRecord is a record as plainRecords reads it.
type plainRecord struct {
	line  int
	cells []string
}

// plainRecords reads a whole text byte by byte, by the rules in the comment of CSV. The
// line is that of the error.
func plainRecords(text string, sep byte) (records []plainRecord, line int, err error) {
	blank := func(c byte) bool { return (c == ' ' || c == '\t' || c == '\r') && (c != sep || sep == ' ') }
	separates := func(c byte) bool { return c == sep || sep == ' ' && blank(c) }
	line = 1
	i := 0
	skip := func() {
		for i < len(text) && blank(text[i]) {
			i++
		}
	}
	for i < len(text) {
		r := plainRecord{line: line}
		for open := true; open; {
			skip()
			if i == len(text) || text[i] == '\n' {
				if len(r.cells) > 0 && sep != ' ' {
					r.cells = append(r.cells, "")
				}
				break
			}
			var cell []byte
			if text[i] == '"' {
				for i++; ; i++ {
					if i == len(text) {
						return records, r.line, errOpenQuote
					}
					if text[i] == '"' {
						i++
						if i == len(text) || text[i] != '"' {
							break
						}
					}
					if text[i] == '\n' {
						line++
					}
					cell = append(cell, text[i])
				}
				if i < len(text) && !separates(text[i]) {
					skip()
				}
				if i < len(text) && text[i] != '\n' && !separates(text[i]) {
					return records, r.line, fmt.Errorf("text after the closing quote of %s", naming.Clip(string(cell)))
				}
			} else {
				for i < len(text) && text[i] != '\n' && !separates(text[i]) {
					cell = append(cell, text[i])
					i++
				}
			}
			for len(cell) > 0 && blank(cell[0]) {
				cell = cell[1:]
			}
			for len(cell) > 0 && blank(cell[len(cell)-1]) {
				cell = cell[:len(cell)-1]
			}
			r.cells = append(r.cells, string(cell))
			open = i < len(text) && text[i] != '\n'
			if open {
				i++
			}
		}
		if r.cells != nil {
			records = append(records, r)
		}
		line++
		i++
	}
	return records, 0, nil
}

var (
	plainDecimal  = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	plainInfinity = regexp.MustCompile(`(?i)^[+-]?inf(inity)?$`)
)

func plainKind(s string) (v float32, kind cellKind) {
	s = strings.TrimSpace(s) // of a line feed inside quotes
	if plainDecimal.MatchString(s) {
		v, err := strconv.ParseFloat(s, 32)
		if err != nil {
			return 0, infiniteCell
		}
		return float32(v), numberCell
	}
	if plainInfinity.MatchString(s) {
		return 0, infiniteCell
	}
	return 0, textCell
}

// plainCSV reads a table of features, or with class labels in the last column. Lists
// of columns in o are looked at by number.
func plainCSV(text string, o CSV) (*Dataset, error) {
	sep := byte(',')
	if o.Comma != 0 {
		sep = byte(o.Comma)
	}
	records, line, err := plainRecords(text, sep)
	fail := func(line int, format string, args ...any) (*Dataset, error) {
		return nil, fmt.Errorf("datasets: f:%d: %w", line, fmt.Errorf(format, args...))
	}
	if len(records) == 0 && err == nil {
		return nil, fmt.Errorf("datasets: f: the file is empty")
	}
	if len(records) == 0 {
		return fail(line, "%w", err)
	}
	p := len(records[0].cells)
	d := &Dataset{}
	var names []string
	for j, name := range records[0].cells {
		if o.NoHeader || name == "" {
			name = "x" + strconv.Itoa(j+1)
		}
		names = append(names, name)
	}
	if !o.NoHeader {
		records = records[1:]
	}
	if !o.NoTarget {
		d.Target = names[p-1]
		if p == 1 {
			return nil, fmt.Errorf("datasets: f: no column is left as a feature, of 1")
		}
	}
	for _, r := range records {
		if len(r.cells) != p {
			return fail(r.line, "%d fields; want %d", len(r.cells), p)
		}
		if last := r.cells[p-1]; !o.NoTarget && slices.Contains(defaultMissing, last) {
			return fail(r.line, "column %q: %w", names[p-1], errMissingTarget)
		}
	}
	if err != nil {
		return fail(line, "%w", err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("datasets: f: there is a header but no rows")
	}
	for j, name := range names {
		cells, names, err := plainColumn(name, records, j, slices.Contains(o.Categorical, "#"+strconv.Itoa(j+1)) ||
			j == p-1 && !o.NoTarget)
		if err != nil {
			return nil, err
		}
		if j < p-1 || o.NoTarget {
			d.Features = append(d.Features, Feature{Name: name, Categories: names})
			d.Columns = append(d.Columns, cells)
			continue
		}
		d.Classes = names
		for _, code := range cells {
			d.Labels = append(d.Labels, int32(code))
		}
	}
	return d, nil
}

func plainColumn(name string, records []plainRecord, j int, categorical bool) (
	cells []float32, names []string, err error) {
	counts := make([]int, missingCell)
	first := make([]plainRecord, missingCell)
	numbers := map[string]bool{}
	for _, r := range records {
		s := r.cells[j]
		if slices.Contains(defaultMissing, s) {
			continue
		}
		_, kind := plainKind(s)
		if counts[kind] == 0 {
			first[kind] = r
		}
		counts[kind]++
		numbers[s] = kind == numberCell
	}
	texts := counts[textCell]
	if !categorical && counts[numberCell] > 0 && wordsAmong(records, j, numbers) {
		texts = 0
	}
	switch {
	case categorical:
	case texts > 0 && counts[numberCell] >= 9*texts:
		return nil, nil, fmt.Errorf("datasets: f:%d: column %q: %q is not a number, as %d of its cells are; if it stands "+
			"for a missing cell, list it in Missing", first[textCell].line, name, first[textCell].cells[j], counts[numberCell])
	case texts == 0 && counts[infiniteCell] > 0:
		return nil, nil, fmt.Errorf("datasets: f:%d: column %q: %q is not finite as a float32; list the text in Missing or "+
			"the column in Categorical", first[infiniteCell].line, name, first[infiniteCell].cells[j])
	}
	if categorical || texts > 0 {
		names = []string{}
		sortedAsNumbers := true
		for s, number := range numbers {
			v, err := strconv.ParseFloat(s, 64)
			sortedAsNumbers = sortedAsNumbers && (number || plainDecimal.MatchString(s) && err == nil && v == v)
			names = append(names, s)
		}
		slices.SortFunc(names, func(a, b string) int {
			x, _ := strconv.ParseFloat(a, 64)
			y, _ := strconv.ParseFloat(b, 64)
			if sortedAsNumbers && x != y {
				return map[bool]int{true: -1, false: 1}[x < y]
			}
			return strings.Compare(a, b)
		})
	}
	for _, r := range records {
		s := r.cells[j]
		v, kind := plainKind(s)
		switch {
		case slices.Contains(defaultMissing, s), names == nil && kind == textCell:
			v = nan32
		case names != nil:
			v = float32(slices.Index(names, s))
		}
		cells = append(cells, v)
	}
	return cells, names, nil
}

// wordsAmong reports whether the texts of a column, one or two without a digit, are less than half of its known cells,
// or all blank.
func wordsAmong(records []plainRecord, j int, numbers map[string]bool) bool {
	words, known, texts, different := 0, 0, map[string]bool{}, map[string]bool{}
	for _, r := range records {
		s := r.cells[j]
		if slices.Contains(defaultMissing, strings.TrimSpace(s)) {
			continue
		}
		known++
		if _, kind := plainKind(s); kind != numberCell {
			if kind == infiniteCell || strings.ContainsAny(s, "0123456789") {
				return false
			}
			texts[s] = true
			words++
		} else {
			different[s] = true
		}
	}
	return words == 0 || len(different) > 1 && len(texts) <= 2 && 2*words < known
}

// drawCSV draws a text that is more or less a table, with its options.
func drawCSV(t *rapid.T) (string, CSV) {
	o := CSV{NoTarget: rapid.Bool().Draw(t, "no target"), NoHeader: rapid.Bool().Draw(t, "no header"),
		Comma: rapid.SampledFrom([]rune{0, ';', '\t', ' '}).Draw(t, "separator")}
	if rapid.Bool().Draw(t, "categorical") {
		o.Categorical = []string{"#1"}
	}
	sep := ","
	if o.Comma != 0 {
		sep = string(o.Comma)
	}
	k := rapid.IntRange(2, 4).Draw(t, "columns")
	number := rapid.SampledFrom([]string{"1", "2", "-2.5", "1e-3", "10", "9", " 7\t"})
	text := rapid.SampledFrom([]string{"x", "yy", `"x"`, `" 5"" "`, "\"a\nb\"", ` "z" `, `"c,; d"`, `5"`, "1", "inf", `""`,
		"?", "é", "\"\n\""})
	cell := map[bool]*rapid.Generator[string]{
		true:  number,
		false: rapid.OneOf(number, text, rapid.SampledFrom([]string{"NA", "3", "1e309"})),
	}
	var b strings.Builder
	if !o.NoHeader {
		b.WriteString(strings.Join([]string{"a", "b", "c", "d"}[:k], sep) + "\n")
	}
	header := b.Len() // a name that a fault makes empty is that of an index, which the oracle doesn't know
	// Some columns become categorical late, some never.
	n := rapid.IntRange(0, 30).Draw(t, "rows")
	late := rapid.SliceOfN(rapid.IntRange(0, 2*n), k, k).Draw(t, "first texts")
	for i := range n {
		for j := range k {
			if j > 0 {
				b.WriteString(sep)
			}
			b.WriteString(cell[i < late[j]].Draw(t, "cell"))
		}
		b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\n \n", " \n"}).Draw(t, "end"))
	}
	s := b.String()
	if rapid.IntRange(0, 3).Draw(t, "fault") == 0 {
		at := rapid.IntRange(header, len(s)).Draw(t, "at")
		for at < len(s) && !utf8.RuneStart(s[at]) {
			at++
		}
		s = s[:at] + rapid.SampledFrom([]string{`"`, sep, "\n", `"x"`, " "}).Draw(t, "inserted") + s[at:]
		s = strings.ReplaceAll(s, "- ", "-") // "- 2.5" is a notation of -2.5, which the oracle doesn't know
		o.Comma = rune(sep[0])               // or a tab that ends all lines is the separator of a ragged table
	}
	return s, o
}

// For every size of the blocks and number of cores, Read returns the same table or error
// as a plain reader of the whole text.
func TestCSVBlocks(test *testing.T) {
	rapid.Check(test, func(t *rapid.T) {
		text, o := drawCSV(t)
		packed := readtest.Gzipped(test, []byte(text))
		want, wantErr := plainCSV(text, o)
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(rapid.SampledFrom([]int{1, 2, 5}).Draw(t, "cores")))
		length := rapid.SampledFrom([]int{1, 2, 3, 7, 20, 100, 10000}).Draw(t, "block")
		for _, r := range []io.Reader{
			strings.NewReader(text),
			iotest.OneByteReader(strings.NewReader(text)), // which can't seek
			strings.NewReader("\ufeff" + text),
			bytes.NewReader(packed),
		} {
			got, err := o.read(t.Context(), r, "f", length)
			// An error may go on with advice, or be advice where the first record has one cell. Which cell of several it
			// names depends on the blocks.
			advice := err != nil && strings.HasPrefix(err.Error(), "datasets: f:1: one column only, ")
			ofCell := func(err error) bool {
				return err != nil && (strings.Contains(err.Error(), "is not finite as a float32") ||
					strings.Contains(err.Error(), "is not a number, as"))
			}
			if (err == nil) != (wantErr == nil) || !advice && !(ofCell(err) && ofCell(wantErr)) &&
				!strings.HasPrefix(fmt.Sprint(err), fmt.Sprint(wantErr)) {
				t.Fatalf("%q, %+v: error %v; want %v", text, o, err, wantErr)
			}
			if err != nil {
				continue
			}
			if a, b := shown(got), shown(want); a != b {
				t.Fatalf("%q, %+v: %s\nwant %s", text, o, a, b)
			}
			for _, column := range got.Columns {
				if len(column) != want.N() || cap(column) != len(column) {
					t.Fatalf("a column of %d rows has length %d and capacity %d", want.N(), len(column), cap(column))
				}
			}
		}
	})
}
