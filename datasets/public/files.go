package public

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

func (s *source) isIDX() bool { return s.Recipe.Format == "idx" }

// folder returns the name of the folder of the original files in the cache and, of IDX files, in the folders of
// OBLIQUA_DATA: mnist for mnist, mnist_test and mnist_full.
func (s *source) folder() string {
	if !s.isIDX() {
		return s.Name
	}
	name, _, _ := strings.Cut(s.Name, "_")
	return name
}

func (f sourceFile) in(folder string) string { return filepath.Join(folder, path.Base(f.Path)) }

// readIDX reads the set from its original files in a folder. It doesn't check their
// checksums.
func (s *source) readIDX(ctx context.Context, folder string) (*datasets.Dataset, error) {
	var paths []string
	for _, f := range s.Files {
		paths = append(paths, f.in(folder))
	}
	d, err := datasets.ReadIDX(ctx, paths[0], paths[1], paths[2:]...)
	if err != nil {
		return nil, err
	}
	d.Name, d.Target = s.Name, classColumn
	return d, nil
}

// isIn reports whether a folder has the file, with its checksum.
func (f sourceFile) isIn(ctx context.Context, folder string) bool {
	file, err := os.Open(f.in(folder))
	if err != nil {
		return false
	}
	defer file.Close()
	return f.verify(ctx, file) == nil
}

// verify returns an error unless the bytes have the checksum of the file.
func (f sourceFile) verify(ctx context.Context, bytes io.Reader) error {
	sum := sha256.New()
	if _, err := io.Copy(sum, parallel.Reader(ctx, bytes)); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.SHA256 {
		return fmt.Errorf("wrong checksum: SHA-256 is %s; want %s", got, f.SHA256)
	}
	return nil
}
