package tables

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/naming"
)

// A csvSource reads records of a CSV file.
type csvSource struct {
	file     *os.File
	records  *datasets.Records
	lines    int // of the file, before the records
	width    int // cells of a record
	keyPlace int
	keyName  string
	text     textTable
	keys     []parquet.ByteArray // of the last batch
}

func (t shardTask) openCSV(ctx context.Context, features []datasets.Feature) (*csvSource, error) {
	at, err := naming.Places(t.Header)
	if err != nil {
		return nil, err
	}
	var places []int
	for _, f := range append(slices.Clone(features), datasets.Feature{Name: t.Key}) {
		place, err := find(at, t.Input.Path, t.Header, f.Name)
		if err != nil {
			return nil, err
		}
		places = append(places, place)
	}
	f, records, err := openRecords(ctx, t.Input.Path, t.Shard)
	if err != nil {
		return nil, err
	}
	if t.Shard == whole {
		if _, _, err := records.Next(); err != nil {
			f.Close()
			return nil, err
		}
	}
	last := len(places) - 1
	return &csvSource{file: f, records: records, lines: t.Shard.Lines, width: len(t.Header), keyPlace: places[last],
		keyName: t.Key, text: newTextTable(features, places[:last], csvCells)}, nil
}

// openRecords opens a CSV file or, if the part isn't the whole of it, a part.
func openRecords(ctx context.Context, path string, part shard) (*os.File, *datasets.Records, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("tables: %w", err)
	}
	var in io.Reader = f
	if part != whole {
		in = io.NewSectionReader(f, part.First, part.After-part.First)
	}
	records, err := datasets.NewRecords(ctx, in, path)
	if err != nil {
		f.Close()
	}
	return f, records, err
}

func (s *csvSource) next(n int) (*batch, error) {
	s.text.reset()
	s.keys = s.keys[:0]
	var lines []int
	ragged := map[int]string{}
	for len(lines) < n {
		cells, line, err := s.records.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		key := ""
		if s.keyPlace < len(cells) {
			key = cells[s.keyPlace]
		}
		s.keys = append(s.keys, parquet.ByteArray(key))
		if len(cells) != s.width {
			ragged[len(lines)] = fmt.Sprintf("%d cells, the first line has %d", len(cells), s.width)
			cells = nil
		}
		s.text.add(cells)
		lines = append(lines, s.lines+line)
	}
	if len(lines) == 0 {
		return nil, io.EOF
	}
	b, err := s.text.batch(len(lines))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file.Name(), err)
	}
	maps.Copy(b.faults, ragged)
	b.where = func(i int) string { return fmt.Sprintf("line %d", lines[i]) }
	return b, nil
}

func (s *csvSource) key() schema.Node { return textNode(s.keyName) }

func (s *csvSource) copyKeys(to file.ColumnChunkWriter, n int) error {
	definition := make([]int16, n)
	for i := range definition {
		definition[i] = 1
	}
	_, err := to.(*file.ByteArrayColumnChunkWriter).WriteBatch(s.keys, definition, nil)
	return err
}

func (s *csvSource) close() { s.file.Close() }

// readHeader returns the names of the columns, as [datasets.CSV] does, and the number of each.
func readHeader(r *datasets.Records, path string) (names []string, at map[string]int, err error) {
	cells, _, err := r.Next()
	if err == io.EOF {
		return nil, nil, fmt.Errorf("tables: %s: the file is empty; it should begin with the names of the columns", path)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, name := range cells {
		names = append(names, strings.Clone(name))
	}
	if at, err = naming.Places(names); err != nil {
		err = fmt.Errorf("tables: %s: %w", path, err)
	}
	return names, at, err
}

// find returns the number of a column; at has those of all names of the header.
func find(at map[string]int, path string, header []string, name string) (int, error) {
	j, ok := at[name]
	if !ok {
		return 0, fmt.Errorf("tables: %s: %w: no column %q; there are %d: %q", path, datasets.ErrSchema, name, len(header),
			header[:min(len(header), 10)])
	}
	return j, nil
}

// A cellFormat says what cells of text are.
type cellFormat struct {
	number func(cell string) (float32, error)      // NaN if it is missing
	text   func(cell string) (string, bool, error) // false if it is missing
}

var csvCells = cellFormat{
	datasets.Number[float32],
	func(cell string) (string, bool, error) { return cell, !datasets.IsMissing(cell), nil },
}

// A textTable is some rows of text.
type textTable struct {
	features []datasets.Feature
	places   []int // of the features in a record
	coders   []*coder
	format   cellFormat
	marks    []marks    // by place; of all rows so far
	cells    [][]string // by place
}

func newTextTable(features []datasets.Feature, places []int, format cellFormat) textTable {
	return textTable{features, places, newCoders(features), format, make([]marks, len(places)),
		make([][]string, len(places))}
}

// marks keeps two cells of a column: one with a decimal comma, and one whose point may mark thousands.
type marks struct{ comma, point string }

var (
	decimalComma = regexp.MustCompile(`^[+-]?(\d{1,3}(\.\d{3})+,\d+|\d+,(\d{1,2}|\d{4,}))$`)
	threeDigits  = regexp.MustCompile(`^[+-]?\d{1,3}\.\d{3}$`)
)

// see looks at a cell; bad reports that it isn't a number. It returns an error once the column has both, since the
// point was read as a decimal mark.
func (m *marks) see(cell string, bad bool) error {
	switch {
	case bad && m.comma == "" && decimalComma.MatchString(cell):
		m.comma = strings.Clone(cell)
	case !bad && m.point == "" && len(cell) >= 5 && cell[len(cell)-4] == '.' && threeDigits.MatchString(cell):
		m.point = strings.Clone(cell)
	default:
		return nil
	}
	if m.comma == "" || m.point == "" {
		return nil
	}
	return fmt.Errorf("%q has a decimal comma, so the point in %q marks thousands; want decimal points, or predict the "+
		"table in memory", m.comma, m.point)
}

func (t *textTable) reset() {
	for j := range t.cells {
		clear(t.cells[j])
		t.cells[j] = t.cells[j][:0]
	}
}

// add adds a record, or a row without cells if it is nil.
func (t *textTable) add(record []string) {
	for j, place := range t.places {
		cell := ""
		if record != nil {
			cell = record[place]
		}
		t.cells[j] = append(t.cells[j], cell)
	}
}

// batch returns the n rows.
func (t *textTable) batch(n int) (*batch, error) {
	return newBatch(t.features, n, func(j int, to *reading) error {
		cells, name := t.cells[j], t.features[j].Name
		if c := t.coders[j]; c != nil {
			c.read(to, name, n, func(i int) (string, bool, error) { return t.format.text(cells[i]) })
			return nil
		}
		for i, cell := range cells {
			v, err := t.format.number(cell)
			if err != nil {
				to.fail(i, name, err)
			}
			if err := t.marks[j].see(cell, err != nil); err != nil {
				return fmt.Errorf("column %q: %w", name, err)
			}
			to.cells = append(to.cells, v)
		}
		return nil
	})
}
