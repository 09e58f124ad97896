package columnar_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// Columns that are read in pieces of any length have the cells of ReadParquet, which is tested
// against what pyarrow wrote.
func TestPieces(t *testing.T) {
	for _, name := range []string{"plain", "v2pages", "v2plain", "delta", "fallback", "required", "pandas", "gzip"} {
		path := filepath.Join("testdata", name+".parquet")
		p := must.Value(columnar.OpenParquet(path))
		defer p.Close()
		var other []string // columns that ReadParquet doesn't read
		for _, c := range p.Names {
			if _, err := p.IsText(c); err != nil {
				other = append(other, c)
			}
		}
		d := must.Value(columnar.ReadParquet(t.Context(), path, columnar.Options{NoTarget: true, Drop: other}))
		for j, f := range d.Features {
			for _, n := range []int{1, 3, 7, 1 << 20} {
				if got, want := pieces(t, p, f.Name, n), cellsOf(d, j); strings.Join(got, "|") != strings.Join(want, "|") {
					t.Errorf("%s, column %s in pieces of %d:\n%q, want\n%q", name, f.Name, n, got, want)
				}
			}
		}
	}
}

// cellsOf returns the cells of a column as text.
func cellsOf(d *datasets.Dataset, j int) []string {
	var cells []string
	for i := range d.N() {
		switch v := d.At(i, j); {
		case v == v && d.Features[j].Categories != nil:
			cells = append(cells, d.Features[j].Categories[int(v)])
		default:
			cells = append(cells, fmt.Sprint(v))
		}
	}
	return cells
}

// pieces returns the same, read in pieces of n rows.
func pieces(t *testing.T, p *columnar.Parquet, name string, n int) []string {
	t.Helper()
	text := must.Value(p.IsText(name))
	next := must.Value(p.Cells(name, 0))
	var cells []string
	for {
		arrays := must.Value(next(n))
		if len(arrays) == 0 {
			return cells
		}
		before := len(cells)
		for _, a := range arrays {
			if !text {
				for _, v := range must.Value(columnar.Numbers[float32](nil, a)) {
					cells = append(cells, fmt.Sprint(v))
				}
				continue
			}
			at := must.Value(columnar.Texts(a))
			for i := range a.Len() {
				s, ok, err := at(i)
				must.Do(err)
				if !ok {
					s = fmt.Sprint(math.NaN())
				}
				cells = append(cells, s)
			}
		}
		if len(cells)-before > n {
			t.Fatalf("a piece of %d rows, want at most %d", len(cells)-before, n)
		}
	}
}

func TestPiecesRefuse(t *testing.T) {
	p := must.Value(columnar.OpenParquet(filepath.Join("testdata", "plain.parquet")))
	defer p.Close()
	_, text := p.IsText("absent")
	_, cells := p.Cells("absent", 0)
	for _, err := range []error{text, cells} {
		readtest.WantError(t, err, `plain.parquet: the columns don't match: no column "absent"`)
		if !errors.Is(err, datasets.ErrSchema) {
			t.Errorf("error %v", err)
		}
	}
	_, err := columnar.OpenParquet(filepath.Join("testdata", "twice.parquet"))
	readtest.WantError(t, err, "are both called")
	_, err = columnar.OpenParquet(filepath.Join("testdata", "file.arrow"))
	readtest.WantError(t, err, "an Arrow file: read it with columnar.ReadArrow")
	path := filepath.Join(t.TempDir(), "short.parquet")
	must.Do(os.WriteFile(path, []byte("PAR1"), 0o600))
	_, err = columnar.OpenParquet(path)
	readtest.WantError(t, err, "too few")
}
