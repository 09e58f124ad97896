package public

import (
	"context"
	"embed"
	"io"
	"io/fs"

	"github.com/obliqua-ml/obliqua/datasets"
)

// embedded holds small sets as the CSV files that Load documents. Their licence is in
// embedded/NOTICE.
//
//go:embed embedded/*.csv.gz
var embedded embed.FS

func (s *source) embeddedPath() string { return "embedded/" + s.Name + csvSuffix }

// embedded reports whether this package holds the set.
func (s *source) embedded() bool {
	_, err := fs.Stat(embedded, s.embeddedPath())
	return err == nil
}

// readEmbedded returns a set that this package holds.
func (s *source) readEmbedded(ctx context.Context) (*datasets.Dataset, error) {
	f, err := embedded.Open(s.embeddedPath())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decodeCanonical(ctx, s, f.(io.ReadSeeker), s.embeddedPath()) // package embed documents Seek
}
