package columnar

import (
	"bufio"
	"bytes"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A limited allocator refuses buffers that are out of proportion to their file.
type limited struct {
	memory.Allocator
	most int64
}

// limitFor returns an allocator for what is read from a file of the given size.
func limitFor(size int64) limited {
	return limited{memory.NewGoAllocator(), 1<<24 + size<<10}
}

func (l limited) check(size int) {
	if size < 0 || int64(size) > l.most {
		panic("a buffer is larger than the size of the file can explain")
	}
}

func (l limited) Allocate(size int) []byte {
	l.check(size)
	return l.Allocator.Allocate(size)
}

func (l limited) Reallocate(size int, b []byte) []byte {
	l.check(size)
	return l.Allocator.Reallocate(size, b)
}

// readArrow reads a file or a stream, which their first bytes tell apart.
func (t *table) readArrow(f *os.File, size int64) error {
	start := make([]byte, 6)
	if _, err := io.ReadFull(f, start); err != nil {
		return t.errorf("%d bytes are neither an Arrow file nor a stream", size)
	}
	options := []ipc.Option{
		ipc.WithMetadataSizeLimit(size), ipc.WithBodySizeLimit(size), ipc.WithAllocator(limitFor(size)),
	}
	switch {
	case bytes.Equal(start, ipc.Magic):
		return t.readArrowFile(f, options)
	case bytes.HasPrefix(start, []byte("FEA1")):
		return t.errorf("Feather version 1, which is no Arrow; write version 2")
	case bytes.HasPrefix(start, []byte("PAR1")):
		return t.errorf("this is a Parquet file; use ReadParquet")
	}
	return t.readArrowStream(f, size, options)
}

func (t *table) readArrowFile(f *os.File, options []ipc.Option) error {
	r, err := ipc.NewFileReader(f, options...)
	if err != nil {
		return t.errorf("%w", err)
	}
	batches := &fileBatches{file: r}
	if err := t.readBatches(r.Schema(), batches); err != nil {
		return err
	}
	if batches.err != nil {
		return t.errorf("%w", batches.err)
	}
	return nil
}

// A fileBatches goes through the batches of a file.
type fileBatches struct {
	file  *ipc.FileReader
	next  int
	batch arrow.RecordBatch
	err   error
}

func (b *fileBatches) Next() bool {
	if b.next == b.file.NumRecords() || b.err != nil {
		return false
	}
	b.batch, b.err = b.file.RecordBatchAt(b.next)
	b.next++
	return b.err == nil
}

func (b *fileBatches) RecordBatch() arrow.RecordBatch { return b.batch }

func (t *table) readArrowStream(f *os.File, size int64, options []ipc.Option) error {
	end := make([]byte, 4)
	if _, err := f.ReadAt(end, size-4); err != nil {
		return t.errorf("%w", err)
	}
	if !bytes.Equal(end, make([]byte, 4)) {
		return t.errorf("neither an Arrow file nor a stream with an end: it may be cut short")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return t.errorf("%w", err)
	}
	messages := ipc.NewMessageReader(bufio.NewReaderSize(f, 1<<16), options...)
	r, err := ipc.NewReaderFromMessageReader(messages, options...)
	if err != nil {
		return t.errorf("%w", err)
	}
	if err := t.readBatches(r.Schema(), r); err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return t.errorf("%w", err)
	}
	return nil
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
	if err := t.open(fields); err != nil {
		return err
	}
	for batches.Next() {
		if err := t.append(batches.RecordBatch()); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) append(batch arrow.RecordBatch) error {
	if err := t.checkRows(int64(t.rows) + batch.NumRows()); err != nil {
		return err
	}
	err := parallel.Errors(len(t.columns), func(j int) error {
		c := &t.columns[j]
		if c.role == dropped {
			return nil
		}
		a := batch.Column(j)
		if int64(a.Len()) != batch.NumRows() {
			return t.errorf("the file is damaged: column %q has %d rows in a batch of %d", c.name, a.Len(), batch.NumRows())
		}
		if err := c.append(a, t.rows); err != nil {
			return t.columnError(c, err)
		}
		return nil
	})
	t.rows += int(batch.NumRows())
	return err
}
