package tables

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// byEngine has the engine read and write the tables.
func (j *job) byEngine(ctx context.Context, e cluster.Engine, from, to string) error {
	engine, ok := e.(cluster.RowEngine)
	if !ok {
		return fmt.Errorf("tables: %T can't read tables by itself; want paths that this program and the workers see", e)
	}
	csv := j.options.CSV || isCSV(from)
	task, err := cluster.RowTask(e, "tables.rows", rowTask{j.file.Name, j.options.Probabilities, csv})
	if err != nil {
		return err
	}
	format := "parquet"
	if csv {
		format = "csv"
	}
	return engine.Transform(ctx, cluster.RowJob{
		Files: []cluster.File{j.file}, Task: task,
		Format: format, From: from, Key: j.key, Columns: j.columns(),
		To: to, Out: outputs(j.model, j.options.Probabilities),
	})
}

// A rowTask asks for predictions of the rows of a [cluster.RowJob].
type rowTask struct {
	Model         string
	Probabilities bool
	CSV           bool
}

func init() {
	cluster.HandleRows("tables.rows", func(w *cluster.Worker, t rowTask, in io.Reader, out io.Writer) error {
		model, err := cluster.Load(w, t.Model, decodeModel)
		if err == nil {
			err = t.predict(model, in, out)
		}
		if err != nil {
			return fmt.Errorf("tables: %w", err)
		}
		return nil
	})
}

// predict predicts the rows of in, as [cluster.RowJob] says.
func (t rowTask) predict(model *forest.Forest, in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 1<<20)
	w := bufio.NewWriterSize(out, 1<<20)
	rows := newRowReader(model.Schema().Features, rowCells(t.CSV))
	columns := outputs(model, t.Probabilities)
	for {
		b, err := rows.next(r, rowsAtATime(len(rows.text.features)))
		if err == io.EOF {
			return w.Flush()
		}
		if err != nil {
			return err
		}
		p, err := predict(context.Background(), model, b, t.Probabilities)
		if err != nil {
			return err
		}
		var line []byte
		for i, key := range rows.keys {
			line = append(line[:0], key...)
			for c := range columns {
				line = append(line, '\t')
				line = appendCell(line, columns[c].Text, p, c, i)
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
}

// missing is a cell of a row that is missing.
const missing = `\N`

func appendCell(to []byte, text bool, p *predictions, c, i int) []byte {
	s, v, ok := p.cell(c, i)
	switch {
	case !ok:
		return append(to, missing...)
	case text:
		return base64.StdEncoding.AppendEncode(to, []byte(s))
	}
	return strconv.AppendFloat(to, v, 'g', -1, 64)
}

// A rowReader reads rows in batches.
type rowReader struct {
	text   textTable
	keys   []string // of the batch
	cells  []string
	number int // of rows read
}

func newRowReader(features []datasets.Feature, format cellFormat) *rowReader {
	places := make([]int, len(features))
	for j := range places {
		places[j] = 1 + j
	}
	return &rowReader{text: newTextTable(features, places, format)}
}

func (t *rowReader) next(r *bufio.Reader, n int) (*batch, error) {
	t.text.reset()
	t.keys = t.keys[:0]
	for len(t.keys) < n {
		line, err := r.ReadString('\n')
		if err == io.EOF && line == "" {
			break
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		t.number++
		t.cells = t.cells[:0]
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\t") {
			t.cells = append(t.cells, cell)
		}
		if want := 1 + len(t.text.features); len(t.cells) != want {
			return nil, fmt.Errorf("row %d that the engine sends has %d cells; want %d", t.number, len(t.cells), want)
		}
		t.keys = append(t.keys, t.cells[0])
		t.text.add(t.cells)
	}
	if len(t.keys) == 0 {
		return nil, io.EOF
	}
	return t.text.batch(len(t.keys))
}

// rowCells returns the format of cells. Numbers of CSV files come as they are in the file, and are
// rounded once; those of Parquet come as float64.
func rowCells(csv bool) cellFormat {
	return cellFormat{
		func(cell string) (float32, error) {
			if cell = strings.TrimSpace(cell); csv && cell != missing {
				return datasets.Number[float32](cell)
			}
			return rowNumber(cell)
		},
		func(cell string) (string, bool, error) {
			if cell == missing {
				return "", false, nil
			}
			b, err := base64.StdEncoding.DecodeString(cell)
			return string(b), !csv || !datasets.IsMissing(string(b)), err
		},
	}
}

func rowNumber(cell string) (float32, error) {
	nan := float32(math.NaN())
	if cell == missing {
		return nan, nil
	}
	v, err := datasets.Number[float64](cell)
	if err != nil {
		return nan, err
	}
	if math.IsInf(float64(float32(v)), 0) {
		return nan, errInfinite
	}
	return float32(v), nil
}
