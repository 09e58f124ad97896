package tables

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
)

// maxCategories is the largest number of categories of a column.
const maxCategories = 1 << 16

// A survey is what one file has.
type survey struct {
	Header  []string // of CSV
	Columns []surveyed
	Classes []classRows // sorted; values are all of one class, ""
}

// A classRows has the numbers of rows of a class by shard. They travel as a list: package encoding/gob makes room
// for as many entries as a map says that it has.
type classRows struct {
	Class string
	Rows  []int64
}

// check returns an error if the numbers of rows aren't those of so many shards.
func (s survey) check(shards int) error {
	for _, c := range s.Classes {
		if len(c.Rows) != shards {
			return fmt.Errorf("class %.40q: rows of %d shards; want %d", c.Class, len(c.Rows), shards)
		}
		for k, n := range c.Rows {
			if n < 0 {
				return fmt.Errorf("class %.40q: %d rows in shard %d", c.Class, n, k)
			}
		}
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
		return t.survey(ctx)
	})
}

// agree has the workers look at all files. It returns the headers of those that are CSV, and the schema that all
// files agree on.
func (t Table) agree(ctx context.Context, e cluster.Engine, inputs []input, shards int) (
	headers [][]string, schema datasets.Schema, err error) {
	schema.Target = t.Target
	tasks := make([]surveyTask, len(inputs))
	for i, in := range inputs {
		tasks[i] = surveyTask{in, t, shards}
	}
	surveys := make([]survey, len(inputs))
	err = cluster.Map(ctx, e, "tables.survey", nil, tasks, func(i int, s survey) error {
		surveys[i] = s
		if err := s.check(shards); err != nil {
			return fmt.Errorf("tables: %s: a worker sends %w", inputs[i].Path, err)
		}
		return nil
	})
	if err != nil {
		return nil, schema, err
	}
	columns, err := mergeColumns(inputs, surveys)
	if err != nil {
		return nil, schema, err
	}
	for _, c := range columns {
		f := datasets.Feature{Name: c.Name}
		if c.Text {
			f.Categories = append([]string{}, c.Categories...) // not nil
			datasets.SortCategories(f.Categories)
			if err := checkUTF8(c.Name, f.Categories); err != nil {
				return nil, schema, err
			}
		}
		schema.Features = append(schema.Features, f)
	}
	if len(columns) == 0 {
		return nil, schema, errors.New("tables: no column is left as a feature")
	}
	classes := map[string][]int64{}
	for _, s := range surveys {
		headers = append(headers, s.Header)
		for _, c := range s.Classes {
			if classes[c.Class] == nil {
				classes[c.Class] = make([]int64, shards)
			}
			for k, n := range c.Rows {
				classes[c.Class][k] += n
			}
		}
	}
	if !t.Regression {
		schema.Classes = slices.Collect(maps.Keys(classes))
		datasets.SortCategories(schema.Classes)
		if err := checkUTF8(t.Target, schema.Classes); err != nil {
			return nil, schema, err
		}
	}
	return headers, schema, t.checkShards(shards, classes)
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
func (t Table) checkShards(shards int, classes map[string][]int64) error {
	for k := range shards {
		var n int64
		var present []string
		for class, rows := range classes {
			if n += rows[k]; rows[k] > 0 {
				present = append(present, class)
			}
		}
		switch {
		case n < 2:
			return fmt.Errorf("tables: shard %d of %d has %d rows; want at least 2, so fewer shards", k, shards, n)
		case n > 1<<31-1:
			return fmt.Errorf("tables: shard %d of %d has %d rows; at most 2³¹ − 1 can be learned from, so want more shards", k,
				shards, n)
		case !t.Regression && len(present) < 2:
			return fmt.Errorf("tables: all %d rows of shard %d of %d are of class %q; want fewer shards", n, k, shards,
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

// survey reads the file, and again if some categories look like numbers.
func (t surveyTask) survey(ctx context.Context) (survey, error) {
	s, tallies, err := t.columns(ctx)
	if err != nil {
		return s, err
	}
	for again := true; again; {
		if err := t.read(ctx, &s, tallies); err != nil {
			return s, err
		}
		again = false
		s.Columns = nil
		for _, c := range tallies {
			column, err := c.column()
			if err != nil {
				return s, fmt.Errorf("tables: %s: %w", t.Input.Path, err)
			}
			s.Columns = append(s.Columns, column)
			if c.skipped && c.texts > 0 {
				*c = tally{surveyed: surveyed{Name: c.Name, Text: true}}
				again = true
			}
		}
	}
	return s, nil
}

// columns returns the tallies of the features. Parquet says what they are.
func (t surveyTask) columns(ctx context.Context) (s survey, tallies []*tally, err error) {
	path := t.Input.Path
	defer columnar.Damage(path, &err)
	var names []string
	kind := func(*tally) error { return nil }
	if isCSV(path) {
		f, r, err := openRecords(ctx, path, whole)
		if err != nil {
			return s, nil, err
		}
		defer f.Close()
		if s.Header, err = readHeader(r, path); err != nil {
			return s, nil, err
		}
		names = s.Header
	} else {
		f, err := columnar.OpenParquet(path)
		if err != nil {
			return s, nil, err
		}
		defer f.Close()
		if err := t.checkTarget(f); err != nil {
			return s, nil, err
		}
		names = f.Names
		kind = func(c *tally) error {
			text, _, err := f.Kind(c.Name)
			if err != nil {
				return fmt.Errorf("%w; list it in Drop", err)
			}
			c.Text = c.Text || text
			c.Numbers = !c.Text
			return nil
		}
	}
	features, err := t.Table.features(path, names)
	for _, name := range features {
		c := &tally{surveyed: surveyed{Name: name, Text: slices.Contains(t.Table.Categorical, name)}}
		if err := kind(c); err != nil {
			return s, nil, err
		}
		tallies = append(tallies, c)
	}
	return s, tallies, err
}

// checkTarget returns an error if the target in a Parquet file isn't of the right kind.
func (t surveyTask) checkTarget(f *columnar.Parquet) error {
	text, whole, err := f.Kind(t.Table.Target)
	switch {
	case err != nil:
		return err
	case t.Table.Regression && text:
		return fmt.Errorf("tables: %s: %w: column %q is text; values want numbers", t.Input.Path, datasets.ErrSchema,
			t.Table.Target)
	case !t.Table.Regression && !text && !whole:
		return fmt.Errorf("tables: %s: %w: column %q is of fractions; set Regression", t.Input.Path, datasets.ErrSchema,
			t.Table.Target)
	}
	return nil
}

// read reads the file once. It counts the rows, and adds the cells to the tallies of columns that aren't known to be
// numbers.
func (t surveyTask) read(ctx context.Context, s *survey, tallies []*tally) error {
	w := wanted{texts: []string{t.Table.Key}}
	if !t.Table.Regression {
		w.texts = append(w.texts, t.Table.Target)
	}
	first := len(w.texts)
	var guessed []*tally
	for _, c := range tallies {
		if c.numbers, c.texts, c.categories = 0, 0, map[string]bool{}; !c.Numbers {
			guessed, w.texts = append(guessed, c), append(w.texts, c.Name)
		}
	}
	classes := map[string][]int64{}
	err := t.Table.each(ctx, t.Input, s.Header, w, func(b *batch) error {
		for k, c := range guessed {
			for i, cell := range b.texts[first+k] {
				if cell.ok && !c.add(cell.text, func() string { return b.where(i) }) {
					return errCategories(t.Input.Path, c.Name)
				}
			}
		}
		for i, key := range b.texts[0] {
			class := textCell{ok: true}
			if !t.Table.Regression {
				class = b.texts[1][i]
			}
			if err := t.count(classes, key.text, class); err != nil {
				return fmt.Errorf("tables: %s: %s, %w", t.Input.Path, b.where(i), err)
			}
		}
		return nil
	})
	s.Classes = nil
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		s.Classes = append(s.Classes, classRows{class, classes[class]})
	}
	return err
}

// count counts a row.
func (t surveyTask) count(classes map[string][]int64, key string, class textCell) error {
	switch {
	case !class.ok:
		return fmt.Errorf("column %q: %w", t.Table.Target, errMissingTarget)
	case key == "":
		return fmt.Errorf("column %q: the key is missing", t.Table.Key)
	}
	if classes[class.text] == nil {
		if len(classes) == maxCategories {
			return fmt.Errorf("column %q: more than %d classes; set Regression if it is a number", t.Table.Target, maxCategories)
		}
		classes[strings.Clone(class.text)] = make([]int64, t.Shards)
	}
	classes[class.text][shardOf(key, t.Shards)]++
	return nil
}

// A tally guesses the kind of a column from its cells.
type tally struct {
	surveyed       // what is known
	numbers, texts int
	skipped        bool   // numbers that are not among the categories
	first          string // text, and where it is
	categories     map[string]bool
}

// add adds a cell that isn't missing. It returns false if there are too many categories.
func (c *tally) add(cell string, where func() string) bool {
	if _, err := datasets.Number[float32](cell); err == nil {
		c.numbers++
		if !c.Text && c.texts == 0 {
			c.skipped = true
			return true
		}
	} else if c.texts++; c.texts == 1 {
		c.first = fmt.Sprintf("%s, column %q: %.40q", where(), c.Name, cell)
	}
	if !c.categories[cell] {
		c.categories[strings.Clone(cell)] = true
	}
	return len(c.categories) <= maxCategories
}

// column returns what the column is. As in [datasets.CSV], some text among numbers is an error.
func (c *tally) column() (surveyed, error) {
	s := c.surveyed
	if !s.Text && c.texts > 0 && 10*c.texts <= c.numbers+c.texts {
		return s, fmt.Errorf("%s is not a number, as %d of its cells are; list the column in Categorical or Drop", c.first,
			c.numbers)
	}
	s.Text = s.Text || c.texts > 0
	s.Numbers = !s.Text && (s.Numbers || c.numbers > 0)
	if s.Text {
		s.Categories = slices.Collect(maps.Keys(c.categories))
	}
	return s, nil
}
