// Package public loads public data sets by name: small ones that it holds, and others that it downloads from the
// repositories where they are published, checks, converts and keeps. It is apart from package datasets because only
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
	"github.com/obliqua-ml/obliqua/datasets/internal/naming"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
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
//  2. The cache: the folder OBLIQUA_CACHE, by default obliqua in the user's
//     cache folder ([os.UserCacheDir]). Nobody else should be able to write there: a
//     CSV that somebody puts into it is read like one that Load made.
//  3. The small sets embedded in this package; see [Info]. They need no network,
//     and are not written to the cache.
//  4. The public repository that the registry names. Load downloads the original
//     files, checks their SHA-256, and caches the data set as CSV, or the files
//     themselves if [datasets.ReadIDX] reads them.
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
		cache:  os.Getenv("OBLIQUA_CACHE"),
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
		return l.offline(ctx, s)
	}
	return l.cached(ctx, s)
}

// offline returns an embedded set, from the cache if that holds a valid copy.
func (l *loader) offline(ctx context.Context, s *source) (*datasets.Dataset, error) {
	if cache, err := l.cacheDir(); err == nil {
		if d, err := l.readCache(ctx, s, s.cachePath(cache)); err == nil {
			return d, nil
		}
	}
	return s.readEmbedded(ctx)
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
		return s.readIDX(ctx, filepath.Join(dir, s.idxFolder()))
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
		o.Categorical = s.Recipe.categoricalAmong(names)
		o.Regression = s.CellsOf != ""
	}
	switch last := names[len(names)-1]; last {
	case classColumn:
	case valueColumn:
		o.Regression = true
	default:
		return nil, fmt.Errorf(
			"datasets: %s:1: the last column is %.40q; want %q or %q",
			path,
			last,
			classColumn,
			valueColumn,
		)
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
	return fmt.Errorf("datasets: %w %q; the nearest names are %s", ErrUnknownSet, name, naming.Nearest(names, name))
}

// loading holds one lock per file of the cache, so that a process does not
// download a set twice at once. None is ever removed: there are no more than registered sets, in
// each folder that was the cache, and each is small.
var loading sync.Map // path → chan struct{}

// cached returns a set from the cache, after downloading it if needed.
func (l *loader) cached(ctx context.Context, s *source) (*datasets.Dataset, error) {
	cache, err := l.cacheDir()
	if err != nil {
		return nil, fmt.Errorf("datasets: load %q: %w", s.Name, err)
	}
	path := s.cachePath(cache)
	turn, _ := loading.LoadOrStore(path, make(chan struct{}, 1))
	select {
	case turn.(chan struct{}) <- struct{}{}:
		defer func() { <-turn.(chan struct{}) }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	d, err := l.readCache(ctx, s, path)
	if err == nil || ctx.Err() != nil {
		return d, err
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // not cached yet
	}
	if derr := l.download(ctx, s, cache, path); derr != nil {
		return nil, fmt.Errorf("datasets: load %q: %w", s.Name, errors.Join(derr, err))
	}
	return l.readCache(ctx, s, path)
}
