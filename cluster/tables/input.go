package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
)

// An input is a file of a table.
type input struct {
	Path string // the name of the file; in tasks, its path
	Size int64
	Time time.Time // of its last change
}

// list returns the files of a table, with their paths.
func list(from string) ([]input, error) {
	info, err := os.Stat(from)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	paths := []string{from}
	if info.IsDir() {
		entries, err := os.ReadDir(from) // sorted
		if err != nil {
			return nil, fmt.Errorf("tables: %w", err)
		}
		paths = nil
		for _, entry := range entries {
			if !strings.ContainsRune("._", rune(entry.Name()[0])) {
				paths = append(paths, filepath.Join(from, entry.Name()))
			}
		}
		if paths == nil {
			return nil, fmt.Errorf("tables: %s: there is no Parquet or CSV file in the folder", from)
		}
	}
	var inputs []input
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("tables: %w", err)
		}
		if info.IsDir() || !isCSV(path) && !strings.HasSuffix(path, ".parquet") {
			return nil, fmt.Errorf("tables: %s is neither a file of Parquet (.parquet) nor of CSV (.csv, .csv.gz)", path)
		}
		inputs = append(inputs, input{path, info.Size(), info.ModTime().UTC()})
	}
	return inputs, nil
}

func isCSV(path string) bool {
	return strings.HasSuffix(path, ".csv") || strings.HasSuffix(path, ".csv.gz")
}

// check returns an error if the file isn't the one that was listed.
func (in input) check() error {
	info, err := os.Stat(in.Path)
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	if info.Size() != in.Size || !info.ModTime().Equal(in.Time) {
		return fmt.Errorf("tables: %s has %d bytes of %s, but had %d of %s when the job began",
			in.Path, info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano), in.Size, in.Time.Format(time.RFC3339Nano))
	}
	return nil
}

// A shard is a part of a file: rows First … After − 1 of Parquet, or bytes of CSV, before which
// there are some lines.
type shard struct {
	First, After int64
	Lines        int `json:",omitempty"`
}

// A plan says how a file is cut.
type plan struct {
	Key    string   // its type
	Header []string `json:",omitempty"` // of CSV: the names of the columns
	Shards []shard
}

// check returns an error if a shard isn't some rows or bytes.
func (p plan) check() error {
	for _, s := range p.Shards {
		if s != whole && (s.First < 0 || s.After <= s.First || s.Lines < 0) {
			return fmt.Errorf("a shard of rows or bytes %d … %d", s.First, s.After-1)
		}
	}
	return nil
}

// A planTask asks for the plan of a file.
type planTask struct {
	Input    input
	Key      string
	Features []cluster.RowColumn
	Rows     int // of a shard, at most
}

func init() {
	cluster.Handle("tables.plan", func(ctx context.Context, _ *cluster.Worker, t planTask) (plan, error) {
		if err := t.Input.check(); err != nil {
			return plan{}, err
		}
		if isCSV(t.Input.Path) {
			return t.planCSV(ctx)
		}
		return t.planParquet()
	})
}

func (t planTask) planParquet() (p plan, err error) {
	defer columnar.Damage(t.Input.Path, &err)
	f, err := columnar.OpenParquet(t.Input.Path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	for _, c := range t.Features {
		text, err := f.IsText(c.Name)
		if err != nil {
			return p, err
		}
		if text && !c.Text {
			return p, fmt.Errorf("tables: %s: %w: column %q is text, the model wants numbers", t.Input.Path, datasets.ErrSchema,
				c.Name)
		}
	}
	leaf, err := keyColumn(f, t.Input.Path, t.Key)
	if err != nil {
		return p, err
	}
	r := f.Reader
	node := keyNode(r.MetaData().Schema.Column(leaf))
	p.Key = typeName(node)
	first := int64(0) // row of the shard
	end := int64(0)   // of the row groups so far
	cut := func(after int64) {
		if after > first {
			p.Shards = append(p.Shards, shard{First: first, After: after})
			first = after
		}
	}
	most := int64(t.Rows)
	for g := range r.NumRowGroups() {
		rows := r.MetaData().RowGroup(g).NumRows()
		if end+rows-first > most {
			cut(end)
		}
		parts := (rows + most - 1) / most
		for k := int64(1); k < parts; k++ {
			cut(end + rows*k/parts)
		}
		end += rows
	}
	cut(end)
	return p, nil
}

// smallCSV is the size of a CSV file up to which it isn't cut.
const smallCSV = 32 << 20

func (t planTask) planCSV(ctx context.Context) (p plan, err error) {
	f, r, err := openRecords(ctx, t.Input.Path, whole)
	if err != nil {
		return p, err
	}
	defer f.Close()
	header, at, err := readHeader(r, t.Input.Path)
	if err != nil {
		return p, err
	}
	p.Header = header
	for _, c := range append(t.Features, cluster.RowColumn{Name: t.Key}) {
		if _, err := find(at, t.Input.Path, header, c.Name); err != nil {
			return p, err
		}
	}
	p.Key = typeName(textNode(t.Key))
	p.Shards, err = cutCSV(f, r, t.Input.Size, t.Rows)
	return p, err
}

// whole is the shard of a CSV file that isn't cut. It has the header, too.
var whole = shard{After: -1}

// cutCSV returns the shards of a file of which the header was read.
func cutCSV(f *os.File, r *datasets.Records, size int64, most int) ([]shard, error) {
	mark, err := bytesBeforeText(f)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	if mark < 0 || size <= smallCSV && most >= shardRows {
		if _, _, err := r.Next(); err == io.EOF {
			return nil, nil
		}
		return []shard{whole}, nil
	}
	var shards []shard
	next := shard{First: mark + r.Offset(), Lines: r.Lines()}
	before := 0 // lines up to next.After
	for rows := 1; ; rows++ {
		_, _, err := r.Next()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if err == io.EOF && rows > 1 || rows > most {
			shards = append(shards, next)
			next = shard{First: next.After, Lines: before}
			rows = 1
		}
		if err == io.EOF {
			return shards, nil
		}
		next.After, before = mark+r.Offset(), r.Lines()
	}
}

// bytesBeforeText returns the length of the file's byte-order mark, or −1 if it is gzipped.
func bytesBeforeText(f *os.File) (int64, error) {
	var start [3]byte
	n, err := f.ReadAt(start[:], 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return 0, err
	case n >= 2 && start[0] == 0x1f && start[1] == 0x8b:
		return -1, nil
	case n == 3 && string(start[:]) == "\ufeff":
		return 3, nil
	}
	return 0, nil
}
