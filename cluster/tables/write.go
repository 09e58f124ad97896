package tables

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/obliqua-ml/obliqua/cluster"
)

// A tableWriter writes a Parquet file of predictions.
type tableWriter struct {
	w       *file.Writer
	group   file.BufferedRowGroupWriter
	columns []cluster.RowColumn
	rows    int // of the group

	texts      []parquet.ByteArray
	numbers    []float64
	definition []int16
}

// groupRows is the number of rows from which a row group ends.
const groupRows = 1 << 18

func newTableWriter(w io.Writer, key schema.Node, columns []cluster.RowColumn) (*tableWriter, error) {
	fields := schema.FieldList{key}
	options := []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy),
		parquet.WithDictionaryDefault(false)}
	for _, c := range columns {
		if c.Text {
			fields = append(fields, textNode(c.Name))
			options = append(options, parquet.WithDictionaryFor(c.Name, true))
			continue
		}
		fields = append(fields, schema.NewFloat64Node(c.Name, parquet.Repetitions.Optional, -1))
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, err
	}
	// The writer would close w if it could.
	out, err := file.NewParquetWriterWithError(struct{ io.Writer }{w}, root,
		file.WithWriterProps(parquet.NewWriterProperties(options...)))
	return &tableWriter{w: out, columns: columns}, err
}

// write writes predictions, with the next keys of in.
func (w *tableWriter) write(in source, p *predictions) (err error) {
	if w.group == nil {
		if w.group, err = w.w.AppendBufferedRowGroupChecked(); err != nil {
			return err
		}
	}
	n := len(p.faults)
	keys, err := w.group.Column(0)
	if err != nil {
		return err
	}
	if err := in.copyKeys(keys, n); err != nil {
		return err
	}
	for c := range w.columns {
		if err := w.writeColumn(c, p); err != nil {
			return err
		}
	}
	if w.rows += n; w.rows >= groupRows {
		return w.endGroup()
	}
	return nil
}

// writeColumn writes a column after the key.
func (w *tableWriter) writeColumn(c int, p *predictions) error {
	w.texts, w.numbers, w.definition = w.texts[:0], w.numbers[:0], w.definition[:0]
	for i := range p.faults {
		text, number, ok := p.cell(c, i)
		if !ok {
			w.definition = append(w.definition, 0)
			continue
		}
		w.definition = append(w.definition, 1)
		if w.columns[c].Text {
			w.texts = append(w.texts, parquet.ByteArray(text))
		} else {
			w.numbers = append(w.numbers, number)
		}
	}
	column, err := w.group.Column(1 + c)
	if err != nil {
		return err
	}
	switch column := column.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = column.WriteBatch(w.texts, w.definition, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = column.WriteBatch(w.numbers, w.definition, nil)
	}
	return err
}

// cell returns the cell of row i in column c after the key, which is text or a number; ok is
// false if it is null.
func (p *predictions) cell(c, i int) (text string, number float64, ok bool) {
	fault := p.faults[i]
	switch {
	case c > 0 && (p.proba == nil || c > len(p.classes)):
		return fault, 0, fault != ""
	case fault != "":
		return "", 0, false
	case c > 0:
		return "", p.proba[i][c-1], true
	case p.values != nil:
		return "", p.values[i], true
	}
	return p.classes[p.labels[i]], 0, true
}

func (w *tableWriter) endGroup() error {
	if w.group == nil {
		return nil
	}
	err := w.group.Close()
	w.group, w.rows = nil, 0
	return err
}

// finish writes what is left, with the summary.
func (w *tableWriter) finish(s summary) error {
	if err := w.endGroup(); err != nil {
		return err
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := w.w.AppendKeyValueMetadata(summaryKey, string(b)); err != nil {
		return err
	}
	if err := w.w.Close(); err != nil {
		return fmt.Errorf("writing Parquet: %w", err)
	}
	return nil
}
