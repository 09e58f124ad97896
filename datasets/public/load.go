// Package public loads public data sets by name: small ones that it holds, and others that it downloads from the
// repositories where they are published, checks and keeps. It is apart from package datasets because only
// programs that download should link a network.
package public

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/cache"
	"github.com/obliqua-ml/obliqua/internal/nearest"
)

// Load returns the public data set called name; [List] returns the registered
// ones. It looks in four places, in this order:
//
//  1. The folders listed in the environment variable OBLIQUA_DATA (separated as
//     in PATH), for csv/name.csv.gz or name.csv.gz. These sets need not be
//     registered. A name like "sporf/letter" means sporf/data/letter.csv.gz, in
//     the format of the SPORF authors: no header, all numbers, the class last.
//     Its features are called x1, x2, …. For "mnist", "mnist_test" and
//     "mnist_full" the folder mnist holds the files that [datasets.ReadIDX] reads.
//  2. The small sets embedded in this package; see [Info]. They need no network.
//  3. The cache: the folder OBLIQUA_CACHE, by default obliqua in the user's
//     cache folder ([os.UserCacheDir]). It holds the original files, whose SHA-256 Load checks.
//  4. The public repository that the registry names, from which Load downloads the original files into the cache.
//
// Except for those of the SPORF authors, CSV files have a header. The last
// column is the target, called "class" (classification) or "target"
// (regression). Text cells are categories, empty cells are missing. Classes and
// categories are sorted as by [datasets.ReadCSV].
//
// To follow a download, see WithProgress of package forest. A download that loses its connection
// is resumed; after three attempts Load returns an error, but keeps what has
// arrived in the cache for the next call. After any other error, such as a
// cancelled ctx, a full disk or a wrong checksum, it is removed. Load may be
// called from many goroutines and processes at once: files are renamed into the
// cache when they are complete, and within a process a set is downloaded only
// once.
//
// If a name is in none of these places, the error wraps [ErrUnknownSet] and
// lists similar names.
func Load(ctx context.Context, name string) (*datasets.Dataset, error) {
	l, err := newLoader()
	if err != nil {
		return nil, err
	}
	return l.load(ctx, name)
}

// ErrUnknownSet means that [Load] does not know a name.
var ErrUnknownSet = errors.New("unknown data set")

// A loader holds the places where Load looks, and how it downloads.
type loader struct {
	dirs  []string // OBLIQUA_DATA
	cache string   // empty: the default, looked up when needed

	host   string                             // serves the original files
	stall  time.Duration                      // time without a byte after which a connection counts as lost
	pause  time.Duration                      // before the second attempt; doubled before the next
	create func(dir string) (*os.File, error) // opens a new file for reading and writing
}

const maxAttempts = 3 // to download a file

var errStalled = errors.New("the server has stalled")

func newLoader() (*loader, error) {
	l := &loader{
		host:   publicHost,
		stall:  30 * time.Second,
		pause:  time.Second,
		create: atomicfile.Create,
	}
	for _, dir := range filepath.SplitList(os.Getenv("OBLIQUA_DATA")) {
		if dir == "" {
			continue
		}
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = errors.New("not a folder")
		}
		if err != nil {
			return nil, fmt.Errorf("datasets: OBLIQUA_DATA lists %s: %w", dir, err)
		}
		l.dirs = append(l.dirs, dir)
	}
	return l, nil
}

func (l *loader) load(ctx context.Context, name string) (*datasets.Dataset, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := lookup(name)
	d, err := l.local(ctx, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	if s == nil {
		return nil, l.unknown(name)
	}
	if s.embedded() {
		return s.readEmbedded(ctx)
	}
	return l.cached(ctx, s)
}

// local reads a set from the folders of OBLIQUA_DATA. The error is
// fs.ErrNotExist if none has it.
func (l *loader) local(ctx context.Context, name string) (*datasets.Dataset, error) {
	if strings.ContainsAny(strings.TrimPrefix(name, sporfPrefix), `/\:`) {
		return nil, fs.ErrNotExist
	}
	for _, dir := range l.dirs {
		d, err := localIn(ctx, dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		d.Name = name
		return d, nil
	}
	return nil, fs.ErrNotExist
}

// localIn is local for one folder.
func localIn(ctx context.Context, dir, name string) (*datasets.Dataset, error) {
	for _, pattern := range localFiles {
		base, ok := strings.CutPrefix(name, pattern.prefix)
		if !ok || strings.Contains(base, "/") {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(pattern.folder), base+csvSuffix)
		d, err := pattern.read(ctx, sourceOf(name), path)
		if !errors.Is(err, fs.ErrNotExist) {
			return d, err
		}
	}
	switch s := lookup(name); {
	case s == nil:
		return nil, fs.ErrNotExist
	case s.isIDX():
		return s.readIDX(ctx, filepath.Join(dir, s.folder()))
	case s.CellsOf != "":
		return readCanonical(ctx, s, filepath.Join(dir, "csv", s.CellsOf+csvSuffix))
	default:
		return nil, fs.ErrNotExist
	}
}

// sourceOf returns the registered source of a set, of its official test part
// (name_test) or of both parts together (name_full), or nil.
func sourceOf(name string) *source {
	for _, suffix := range []string{"", "_test", "_full"} {
		if s := lookup(strings.TrimSuffix(name, suffix)); s != nil {
			return s
		}
	}
	return nil
}

const (
	csvSuffix   = ".csv.gz"
	sporfPrefix = "sporf/"
)

// localFiles lists where sets lie in a folder of OBLIQUA_DATA.
var localFiles = []struct {
	prefix, folder string
	read           func(ctx context.Context, s *source, path string) (*datasets.Dataset, error)
}{
	{"", "csv", readCanonical},
	{"", "", readCanonical},
	{sporfPrefix, "sporf/data", readSPORF},
}

func readSPORF(ctx context.Context, _ *source, path string) (*datasets.Dataset, error) {
	return datasets.ReadCSV(ctx, path, datasets.CSV{NoHeader: true})
}

// readCanonical reads a canonical CSV, which is in the format that Load documents.
func readCanonical(ctx context.Context, s *source, path string) (*datasets.Dataset, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decodeCanonical(ctx, s, f, path)
}

// decodeCanonical reads a gzipped canonical CSV from the start of r. Errors name path.
// The source, which may be nil, says which columns are categorical even if all their
// cells are missing, and whether the class is to be read as a value.
func decodeCanonical(ctx context.Context, s *source, r io.ReadSeeker, path string) (*datasets.Dataset, error) {
	records, err := datasets.NewRecords(ctx, r, path)
	if err != nil {
		return nil, err
	}
	names, _, err := records.Next()
	if err == io.EOF {
		err = fmt.Errorf("datasets: %s: the file is empty", path)
	}
	if err != nil {
		return nil, err
	}
	o := datasets.CSV{Missing: []string{""}}
	if s != nil {
		o.Categorical = slices.DeleteFunc(s.Recipe.names(s.Recipe.Categorical), func(name string) bool {
			return !slices.Contains(names, name)
		})
		o.Regression = s.CellsOf != ""
	}
	switch last := names[len(names)-1]; last {
	case classColumn:
	case valueColumn:
		o.Regression = true
	default:
		return nil, fmt.Errorf("datasets: %s:1: the last column is %.40q; want %q or %q", path, last, classColumn,
			valueColumn)
	}
	// Pass the file itself: Read holds the text in memory if it can't seek.
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", path, err)
	}
	d, err := o.Read(ctx, r, path)
	if err != nil {
		return nil, err
	}
	if o.Regression {
		d.Target = valueColumn
	}
	if s != nil {
		d.Name = s.Name
	}
	return d, nil
}

// unknown returns the error for an unknown name, which lists the nearest names.
func (l *loader) unknown(name string) error {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, s := range registry() {
		add(s.Name)
	}
	for _, dir := range l.dirs {
		for _, pattern := range localFiles {
			files, _ := fs.Glob(os.DirFS(filepath.Join(dir, filepath.FromSlash(pattern.folder))), "*"+csvSuffix)
			for _, file := range files {
				add(pattern.prefix + strings.TrimSuffix(file, csvSuffix))
			}
		}
	}
	return fmt.Errorf("datasets: %w %q; the nearest names are %s", ErrUnknownSet, name, nearest.Names(names, name))
}

// loading holds one lock per folder of the cache, so that a process does not
// download a set twice at once. None is ever removed: there are no more than registered sets, in
// each folder that was the cache, and each is small.
var loading sync.Map // path → chan struct{}

// cached returns a set from the cache, after downloading what the cache lacks of it.
func (l *loader) cached(ctx context.Context, s *source) (*datasets.Dataset, error) {
	cache, err := l.cacheDir()
	if err != nil {
		return nil, fmt.Errorf("datasets: load %q: %w", s.Name, err)
	}
	folder := filepath.Join(cache, s.folder())
	turn, _ := loading.LoadOrStore(folder, make(chan struct{}, 1))
	select {
	case turn.(chan struct{}) <- struct{}{}:
		defer func() { <-turn.(chan struct{}) }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := l.fill(ctx, s, folder); err != nil {
		return nil, fmt.Errorf("datasets: load %q: %w", s.Name, err)
	}
	return s.read(ctx, folder)
}

// fill downloads the original files that a folder of the cache lacks.
func (l *loader) fill(ctx context.Context, s *source, folder string) error {
	there := func(f sourceFile) bool { return f.isIn(ctx, folder) }
	missing := slices.DeleteFunc(slices.Clone(s.Files), there)
	if len(missing) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("the cache cannot be written, set OBLIQUA_CACHE: %w", err)
	}
	atomicfile.Sweep(folder)
	return l.fetch(ctx, s.Name, missing, folder)
}

// cacheDir returns the folder of the cache.
func (l *loader) cacheDir() (string, error) {
	if l.cache != "" {
		return l.cache, nil
	}
	return cache.Folder()
}
