package public

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// cacheDir returns the folder of the cache.
func (l *loader) cacheDir() (string, error) {
	if l.cache != "" {
		return l.cache, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the cache: %w; set OBLIQUA_CACHE", err)
	}
	return filepath.Join(dir, "obliqua"), nil
}

// cachePath returns where the canonical CSV of s lies in a cache, or the folder of its IDX
// files.
func (s *source) cachePath(cache string) string {
	if s.isIDX() {
		return filepath.Join(cache, s.idxFolder())
	}
	return filepath.Join(cache, "csv", s.Name+csvSuffix)
}

// errStale is the error of a cached CSV that was made by another recipe.
var errStale = errors.New("made by another recipe")

// readCache reads a canonical CSV from the cache, or IDX files. The comment of a gzip file
// that Load has made names the recipe.
func (l *loader) readCache(ctx context.Context, s *source, path string) (*datasets.Dataset, error) {
	if s.isIDX() {
		return s.readIDXCache(ctx, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if z.Comment != "" && z.Comment != s.version() {
		return nil, fmt.Errorf("%s: %w", path, errStale)
	}
	return readCanonical(ctx, s, path)
}

// canonicalVersion must be raised when the meaning of recipes changes, so that
// cached files are made again.
const canonicalVersion = 1

// version identifies the recipe and the files that the canonical CSV is made from.
func (s *source) version() string {
	b, err := json.Marshal(struct {
		Task   string
		Files  []sourceFile
		Recipe recipe
	}{s.Task, s.Files, s.Recipe})
	if err != nil {
		panic("datasets: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return fmt.Sprintf("obliqua %d %x", canonicalVersion, sum[:8])
}

// download makes the canonical CSV of s at path in the cache, or the IDX files in the
// folder path.
func (l *loader) download(ctx context.Context, s *source, cache, path string) error {
	parts := filepath.Join(cache, "part")
	folder := filepath.Dir(path)
	if s.isIDX() {
		folder = path
	}
	for _, dir := range []string{folder, parts} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("the cache cannot be written, set OBLIQUA_CACHE: %w", err)
		}
	}
	atomicfile.Sweep(parts)
	if s.isIDX() {
		return l.downloadIDX(ctx, s, folder, parts)
	}
	files, err := l.fetch(ctx, s, parts)
	if err != nil {
		return err
	}
	rows, err := s.table(ctx, files)
	if err != nil {
		return err
	}
	f, err := l.create(parts)
	if err != nil {
		return err
	}
	return atomicfile.Replace(path, f, func(w io.Writer) error { return s.encode(ctx, w, rows) })
}

// encode writes a canonical table as gzipped CSV.
func (s *source) encode(ctx context.Context, w io.Writer, rows [][]string) error {
	z := gzip.NewWriter(w)
	z.Comment = s.version()
	text := csv.NewWriter(z)
	for i, row := range rows {
		if i%rowsBetweenLooks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := text.Write(row); err != nil {
			return err
		}
	}
	text.Flush()
	return errors.Join(text.Error(), z.Close())
}
