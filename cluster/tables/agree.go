package tables

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
)

// maxCategories is the largest number of categories of a column.
const maxCategories = 1 << 16

// An agreement is what all files have in common.
type agreement struct {
	schema  datasets.Schema
	headers [][]string // of CSV, by file
}

// A survey is what one file has.
type survey struct {
	Header  []string // of CSV
	Columns []surveyed
	Rows    []int64 // by shard
	Classes classRows
}

// classRows are numbers of rows by class and shard. They travel as a list: package encoding/gob makes room
// for as many entries as a map says that it has.
type classRows map[string][]int64

type rowsOfClass struct {
	Class string
	Rows  []int64
}

func (c classRows) GobEncode() ([]byte, error) {
	var list []rowsOfClass
	for class, rows := range c {
		list = append(list, rowsOfClass{class, rows})
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(list)
	return b.Bytes(), err
}

func (c *classRows) GobDecode(b []byte) error {
	var list []rowsOfClass
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&list); err != nil {
		return err
	}
	*c = classRows{}
	for _, r := range list {
		(*c)[r.Class] = r.Rows
	}
	return nil
}

// check returns an error if the numbers of rows aren't those of so many shards, each row with a class if
// there are classes.
func (s survey) check(shards int, classes bool) error {
	if len(s.Rows) != shards {
		return fmt.Errorf("rows of %d shards; want %d", len(s.Rows), shards)
	}
	sums := make([]int64, shards)
	for class, counts := range s.Classes {
		if len(counts) != shards {
			return fmt.Errorf("class %.40q: rows of %d shards; want %d", class, len(counts), shards)
		}
		for k, n := range counts {
			if sums[k] += n; n < 0 || sums[k] > s.Rows[k] {
				return fmt.Errorf("class %.40q: %d rows of %d in shard %d", class, n, s.Rows[k], k)
			}
		}
	}
	if classes && !slices.Equal(sums, s.Rows) {
		return fmt.Errorf("the classes have %d rows by shard; want %d", sums, s.Rows)
	}
	return nil
}

// A surveyed column is of numbers or of text, or of neither if all cells of a CSV file are missing.
type surveyed struct {
	Name          string
	Numbers, Text bool
	Categories    []string
}

// A surveyTask asks for the survey of a file.
type surveyTask struct {
	Input  input
	Table  Table
	Shards int
}

func init() {
	cluster.Handle("tables.survey", func(ctx context.Context, _ *cluster.Worker, t surveyTask) (survey, error) {
		if err := t.Input.check(); err != nil {
			return survey{}, err
		}
		if isCSV(t.Input.Path) {
			return t.surveyCSV(ctx)
		}
		return t.surveyParquet()
	})
}

// agree has the workers look at all files, and returns what they agree on.
func (t Table) agree(ctx context.Context, e cluster.Engine, inputs []input, shards int) (*agreement, error) {
	tasks := make([]surveyTask, len(inputs))
	for i, in := range inputs {
		tasks[i] = surveyTask{in, t, shards}
	}
	surveys := make([]survey, len(inputs))
	err := cluster.Map(ctx, e, "tables.survey", nil, tasks, func(i int, s survey) error {
		surveys[i] = s
		if err := s.check(shards, !t.Regression); err != nil {
			return fmt.Errorf("tables: %s: a worker sends %w", inputs[i].Path, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a := &agreement{schema: datasets.Schema{Target: t.Target}}
	columns, err := mergeColumns(inputs, surveys)
	if err != nil {
		return nil, err
	}
	for _, c := range columns {
		f := datasets.Feature{Name: c.Name}
		if c.Text {
			f.Categories = append([]string{}, c.Categories...) // not nil
			datasets.SortCategories(f.Categories)
			if err := checkUTF8(c.Name, f.Categories); err != nil {
				return nil, err
			}
		}
		a.schema.Features = append(a.schema.Features, f)
	}
	if len(columns) == 0 {
		return nil, errors.New("tables: no column is left as a feature")
	}
	rows, classes := make([]int64, shards), map[string][]int64{}
	for _, s := range surveys {
		a.headers = append(a.headers, s.Header)
		for k, n := range s.Rows {
			rows[k] += n
		}
		for class, counts := range s.Classes {
			if classes[class] == nil {
				classes[class] = make([]int64, shards)
			}
			for k, n := range counts {
				classes[class][k] += n
			}
		}
	}
	if !t.Regression {
		a.schema.Classes = slices.Collect(maps.Keys(classes))
		datasets.SortCategories(a.schema.Classes)
		if err := checkUTF8(t.Target, a.schema.Classes); err != nil {
			return nil, err
		}
	}
	return a, t.checkShards(rows, classes)
}

func checkUTF8(column string, names []string) error {
	for _, name := range names {
		if !utf8.ValidString(name) {
			return fmt.Errorf("tables: column %q: %.40q is not UTF-8", column, name)
		}
	}
	return nil
}

// checkShards returns an error if a shard has too few rows or classes.
func (t Table) checkShards(rows []int64, classes map[string][]int64) error {
	for k, n := range rows {
		if n < 2 {
			return fmt.Errorf("tables: shard %d of %d has %d rows; want at least 2, so fewer shards", k, len(rows), n)
		}
		if n > 1<<31-1 {
			return fmt.Errorf("tables: shard %d of %d has %d rows; at most 2³¹ − 1 can be learned from, so want more shards", k,
				len(rows), n)
		}
		if t.Regression {
			continue
		}
		var present []string
		for class, counts := range classes {
			if counts[k] > 0 {
				present = append(present, class)
			}
		}
		if len(present) < 2 {
			return fmt.Errorf("tables: all %d rows of shard %d of %d are of class %q; want fewer shards", n, k, len(rows),
				present[0])
		}
	}
	return nil
}

// mergeColumns returns the columns that all files have, in the order of the first.
func mergeColumns(inputs []input, surveys []survey) ([]surveyed, error) {
	columns := surveys[0].Columns
	kind := make([]int, len(columns)) // the file that told the column's kind
	for i, s := range surveys {
		if len(s.Columns) != len(columns) {
			return nil, fmt.Errorf("tables: %s has %d feature columns, %s has %d", inputs[0].Path, len(columns), inputs[i].Path,
				len(s.Columns))
		}
		byName := make(map[string]surveyed, len(columns))
		for _, c := range s.Columns {
			byName[c.Name] = c
		}
		for j := range columns {
			c := &columns[j]
			other, ok := byName[c.Name]
			if !ok {
				return nil, fmt.Errorf("tables: %s has no column %q, as %s has", inputs[i].Path, c.Name, inputs[0].Path)
			}
			if c.Numbers && other.Text || c.Text && other.Numbers {
				return nil, fmt.Errorf("tables: column %q is %s in %s, but %s in %s; list it in Categorical or Drop", c.Name,
					kindName(*c), inputs[kind[j]].Path, kindName(other), inputs[i].Path)
			}
			if !c.Numbers && !c.Text {
				kind[j] = i
			}
			c.Numbers, c.Text = c.Numbers || other.Numbers, c.Text || other.Text
			if i > 0 {
				c.Categories = append(c.Categories, other.Categories...)
			}
			slices.Sort(c.Categories)
			if c.Categories = slices.Compact(c.Categories); len(c.Categories) > maxCategories {
				return nil, errCategories(inputs[i].Path, c.Name)
			}
		}
	}
	return columns, nil
}

func kindName(c surveyed) string {
	if c.Text {
		return "text"
	}
	return "numbers"
}

func errCategories(path, column string) error {
	return fmt.Errorf("tables: %s: column %q has more than %d categories; list it in Drop", path, column, maxCategories)
}

// features returns which of the columns are features.
func (t Table) features(path string, names []string) ([]string, error) {
	var features []string
	at := placesOf(names)
	for _, name := range slices.Concat([]string{t.Key, t.Target}, t.Categorical, t.Drop) {
		if _, err := at.find(path, names, name); err != nil {
			return nil, err
		}
	}
	drop := placesOf(append([]string{t.Key, t.Target}, t.Drop...))
	for _, name := range names {
		if _, ok := drop[name]; !ok && !strings.HasPrefix(name, "__index_level_") {
			features = append(features, name)
		}
	}
	return features, nil
}

// count adds a row to the survey.
func (t surveyTask) count(s *survey, key, class string, target bool) error {
	switch {
	case !target:
		return fmt.Errorf("column %q: the target is missing", t.Table.Target)
	case key == "":
		return fmt.Errorf("column %q: the key is missing", t.Table.Key)
	}
	k := shardOf(key, t.Shards)
	s.Rows[k]++
	if t.Table.Regression {
		return nil
	}
	if s.Classes[class] == nil {
		if len(s.Classes) == maxCategories {
			return fmt.Errorf("column %q: more than %d classes; set Regression if it is a number", t.Table.Target, maxCategories)
		}
		s.Classes[strings.Clone(class)] = make([]int64, t.Shards)
	}
	s.Classes[class][k]++
	return nil
}

func (t surveyTask) surveyCSV(ctx context.Context) (s survey, err error) {
	tallies := map[string]*tally{}
	for again := true; again; {
		if s, err = t.scanCSV(ctx, tallies); err != nil {
			return s, err
		}
		again = false
		for _, c := range tallies {
			if c.skipped && c.texts > 0 { // some categories look like numbers
				*c = tally{text: true, categories: map[string]bool{}}
				again = true
			}
		}
	}
	return s, nil
}

// scanCSV reads the file once and adds its cells to the tallies of the features.
func (t surveyTask) scanCSV(ctx context.Context, tallies map[string]*tally) (survey, error) {
	s := survey{Rows: make([]int64, t.Shards), Classes: map[string][]int64{}}
	f, err := os.Open(t.Input.Path)
	if err != nil {
		return s, fmt.Errorf("tables: %w", err)
	}
	defer f.Close()
	r, err := datasets.NewRecords(ctx, f, t.Input.Path)
	if err != nil {
		return s, err
	}
	if s.Header, err = readHeader(r, t.Input.Path); err != nil {
		return s, err
	}
	features, err := t.Table.features(t.Input.Path, s.Header)
	if err != nil {
		return s, err
	}
	byPlace := make([]*tally, len(s.Header))
	at, categorical := placesOf(s.Header), placesOf(t.Table.Categorical)
	for _, name := range features {
		c := tallies[name]
		if c == nil {
			_, text := categorical[name]
			c = &tally{text: text, categories: map[string]bool{}}
			tallies[name] = c
		}
		*c = tally{text: c.text, categories: c.categories}
		byPlace[at[name]] = c
	}
	if err := t.addRecords(r, &s, byPlace); err != nil {
		return s, err
	}
	for _, name := range features {
		column, err := tallies[name].column(name)
		if err != nil {
			return s, fmt.Errorf("tables: %s: %w", t.Input.Path, err)
		}
		s.Columns = append(s.Columns, column)
	}
	return s, nil
}

// addRecords adds all records to the survey and to the tallies, which may be nil.
func (t surveyTask) addRecords(r *datasets.Records, s *survey, tallies []*tally) error {
	key, target := slices.Index(s.Header, t.Table.Key), slices.Index(s.Header, t.Table.Target)
	for {
		cells, line, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(cells) != len(s.Header) {
			return fmt.Errorf("tables: %s: line %d has %d cells, the first has %d", t.Input.Path, line, len(cells),
				len(s.Header))
		}
		for j, c := range tallies {
			if c != nil && !c.add(cells[j], line) {
				return errCategories(t.Input.Path, s.Header[j])
			}
		}
		if fault := t.count(s, cells[key], cells[target], !datasets.IsMissing(cells[target])); fault != nil {
			return fmt.Errorf("tables: %s: line %d, %w", t.Input.Path, line, fault)
		}
	}
}

// A tally finds out what a column of CSV is.
type tally struct {
	text           bool // for certain
	numbers, texts int
	skipped        bool   // numbers that are not among the categories
	line           int    // of the first text
	first          string // text
	categories     map[string]bool
}

// add adds a cell. It returns false if there are too many categories.
func (c *tally) add(cell string, line int) bool {
	if datasets.IsMissing(cell) {
		return true
	}
	if _, err := datasets.Number[float32](cell); err == nil {
		c.numbers++
		if !c.text && c.texts == 0 {
			c.skipped = true
			return true
		}
	} else if c.texts++; c.texts == 1 {
		c.line, c.first = line, fmt.Sprintf("%.40q", cell)
	}
	if !c.categories[cell] {
		c.categories[strings.Clone(cell)] = true
	}
	return len(c.categories) <= maxCategories
}

// column returns what the column is. As in [datasets.CSV], some text among numbers is an error.
func (c *tally) column(name string) (surveyed, error) {
	if !c.text && c.texts > 0 && 10*c.texts <= c.numbers+c.texts {
		return surveyed{}, fmt.Errorf("line %d, column %q: %s is not a number, as %d of its cells are; list the column in "+
			"Categorical or Drop", c.line, name, c.first, c.numbers)
	}
	s := surveyed{Name: name, Text: c.text || c.texts > 0}
	s.Numbers = !s.Text && c.numbers > 0
	if s.Text {
		s.Categories = slices.Collect(maps.Keys(c.categories))
	}
	return s, nil
}

func (t surveyTask) surveyParquet() (s survey, err error) {
	defer columnar.Damage(t.Input.Path, &err)
	f, err := columnar.OpenParquet(t.Input.Path)
	if err != nil {
		return s, err
	}
	defer f.Close()
	s = survey{Rows: make([]int64, t.Shards), Classes: map[string][]int64{}}
	features, err := t.Table.features(t.Input.Path, f.Names)
	if err != nil {
		return s, err
	}
	categorical := placesOf(t.Table.Categorical)
	for _, name := range features {
		text, _, err := f.Kind(name)
		if err != nil {
			return s, fmt.Errorf("%w; list it in Drop", err)
		}
		_, listed := categorical[name]
		c := surveyed{Name: name, Text: text || listed}
		if c.Numbers = !c.Text; c.Text {
			if c.Categories, err = categoriesOf(f, t.Input.Path, name); err != nil {
				return s, err
			}
		}
		s.Columns = append(s.Columns, c)
	}
	return s, t.countParquet(&s, f)
}

// countParquet adds all rows to the survey.
func (t surveyTask) countParquet(s *survey, f *columnar.Parquet) error {
	keys, err := newTextCells(f, t.Table.Key)
	if err != nil {
		return err
	}
	text, whole, err := f.Kind(t.Table.Target)
	if err != nil {
		return err
	}
	switch {
	case t.Table.Regression && text:
		return fmt.Errorf("tables: %s: %w: column %q is text; values want numbers", t.Input.Path, datasets.ErrSchema,
			t.Table.Target)
	case !t.Table.Regression && !text && !whole:
		return fmt.Errorf("tables: %s: %w: column %q is of fractions; set Regression", t.Input.Path, datasets.ErrSchema,
			t.Table.Target)
	}
	target, err := newTextCells(f, t.Table.Target)
	if err != nil {
		return err
	}
	target.presence = t.Table.Regression
	for row := 0; ; {
		texts, err := keys.next(1 << 14)
		if err != nil {
			return fmt.Errorf("tables: %s: column %q: %w", t.Input.Path, t.Table.Key, err)
		}
		if len(texts) == 0 {
			return nil
		}
		classes, err := target.next(1 << 14)
		if err == nil && len(classes) != len(texts) {
			err = fmt.Errorf("%d rows, but %d keys", len(classes), len(texts))
		}
		if err != nil {
			return fmt.Errorf("tables: %s: column %q: %w", t.Input.Path, t.Table.Target, err)
		}
		for i, key := range texts {
			if fault := t.count(s, key.text, classes[i].text, classes[i].ok); fault != nil {
				return fmt.Errorf("tables: %s: row %d, %w", t.Input.Path, row, fault)
			}
			row++
		}
	}
}

// categoriesOf returns the categories of a column.
func categoriesOf(f *columnar.Parquet, path, name string) ([]string, error) {
	cells, err := newTextCells(f, name)
	if err != nil {
		return nil, err
	}
	categories := map[string]bool{}
	for {
		texts, err := cells.next(1 << 14)
		if err != nil {
			return nil, fmt.Errorf("tables: %s: column %q: %w", path, name, err)
		}
		if len(texts) == 0 {
			return slices.Collect(maps.Keys(categories)), nil
		}
		for _, t := range texts {
			if t.ok && !categories[t.text] {
				categories[strings.Clone(t.text)] = true
			}
		}
		if len(categories) > maxCategories {
			return nil, errCategories(path, name)
		}
	}
}

// A textCell is a category; ok is false if it is missing.
type textCell struct {
	text string
	ok   bool
}

// textCells reads a column of Parquet as categories.
type textCells struct {
	cells    *columnar.Cells
	presence bool // only whether cells are missing
}

func newTextCells(f *columnar.Parquet, name string) (*textCells, error) {
	cells, err := f.Cells(name, 0)
	return &textCells{cells: cells}, err
}

// next returns the next n cells, or fewer at the end.
func (c *textCells) next(n int) ([]textCell, error) {
	arrays, err := c.cells.Next(n)
	if err != nil {
		return nil, err
	}
	var texts []textCell
	for _, a := range arrays {
		at := func(i int) (string, bool, error) { return "", !a.IsNull(i), nil }
		if !c.presence {
			if at, err = columnar.Texts(a); err != nil {
				return nil, err
			}
		}
		for i := range a.Len() {
			text, ok, err := at(i)
			if err != nil {
				return nil, err
			}
			texts = append(texts, textCell{text, ok})
		}
	}
	return texts, nil
}
