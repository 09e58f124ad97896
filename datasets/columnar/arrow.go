package columnar

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/obliqua-ml/obliqua/internal/filekind"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// readArrow reads a file or a stream, which it tells apart by their first bytes. A file is
// a stream between two marks, with a table of contents that isn't needed here.
func (t *table) readArrow(f *os.File, size int64) error {
	start := make([]byte, filekind.Head)
	n, err := io.ReadFull(f, start)
	if n < 8 {
		return fmt.Errorf("a file of %d bytes is neither an Arrow file nor a stream: %w", size, err)
	}
	switch {
	case bytes.HasPrefix(start, ipc.Magic):
		end, err := streamEnd(f, size)
		if err != nil {
			return err
		}
		return t.readStream(f, 8, end, true)
	case bytes.HasPrefix(start, []byte(filekind.Gzip)):
		return errPacked
	case filekind.Of(start[:n]) != "":
		return fmt.Errorf("this is %s", filekind.Of(start[:n]))
	}
	return t.readStream(f, 0, size, false)
}

// streamEnd returns where the stream in a file ends and its table of contents begins.
func streamEnd(f *os.File, size int64) (int64, error) {
	tail := make([]byte, 4+len(ipc.Magic))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return 0, err
	}
	end := size - int64(len(tail)) - int64(binary.LittleEndian.Uint32(tail))
	if !bytes.Equal(tail[4:], ipc.Magic) || end < 8 {
		return 0, errDamaged("it has no end; it may be cut short")
	}
	return end, nil
}

// readStream reads the stream in bytes start to end of a file. If open is false, it must
// have a mark at its end.
func (t *table) readStream(f *os.File, start, end int64, open bool) error {
	m := &messages{
		in:     bufio.NewReaderSize(parallel.Reader(t.ctx, io.NewSectionReader(f, start, end-start)), 1<<16),
		left:   end - start,
		open:   open,
		memory: &budget{Allocator: limitTo(t.Limits)},
	}
	t.expect = func(first int) int {
		// This assumes that all batches are like the first. In most files a cell takes at
		// least a byte; memory for more rows than that is made when they are read.
		all := float64(first) * float64(end-start) / float64(end-start-m.left) * 17 / 16
		return int(min(all, float64(end-start)))
	}
	r, err := ipc.NewReaderFromMessageReader(m, ipc.WithAllocator(m.memory))
	if err != nil {
		return err
	}
	if err := t.readBatches(r.Schema(), r); err != nil {
		return err
	}
	return r.Err()
}

// readBatches reads record batches one after another, the columns of each in parallel.
func (t *table) readBatches(schema *arrow.Schema, batches interface {
	Next() bool
	RecordBatch() arrow.RecordBatch
}) error {
	fields := make([]field, schema.NumFields())
	for j, f := range schema.Fields() {
		fields[j] = arrowField(f)
	}
	if metadata := schema.Metadata(); metadata.FindKey("pandas") >= 0 {
		t.pandas(metadata.Values()[metadata.FindKey("pandas")])
	}
	if err := t.open(fields); err != nil {
		return err
	}
	for batches.Next() {
		if err := t.append(batches.RecordBatch()); err != nil {
			return err
		}
	}
	return t.ctx.Err() // the batches may have ended for it
}

func (t *table) append(batch arrow.RecordBatch) error {
	rows := batch.NumRows()
	if err := t.checkRows(int64(t.rows) + max(rows, 0)); err != nil {
		return err
	}
	total := 0
	if t.rows == 0 && t.expect != nil {
		total = t.expect(int(rows))
	}
	err := parallel.Errors(len(t.columns), func(j int) error {
		c := &t.columns[j]
		if c.role == dropped {
			return nil
		}
		c.grow(total)
		a := batch.Column(j)
		if int64(a.Len()) != rows {
			return c.wrap(errDamaged("%d rows in a batch of %d", a.Len(), rows))
		}
		if err := c.append(t.ctx, a, t.rows); err != nil {
			return c.wrap(err)
		}
		return nil
	})
	t.rows += int(rows)
	return err
}
