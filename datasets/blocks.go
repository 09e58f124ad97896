package datasets

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A blockReader splits a text into blocks of whole records, which can be parsed on all
// cores without holding the whole text in memory.
type blockReader struct {
	ctx         context.Context
	in          io.ReadSeeker
	start, size int64 // in holds size bytes from start; size is 0 if that is unknown

	// wholeRecords returns the length of the whole records at the start of a text, 0 if
	// the first is cut off.
	wholeRecords func(text string) int
	length       int // of a block, unless a record is longer
	limits       Limits
	western      bool // the text is Windows-1252
	packed       bool // the text is compressed

	raw   *bufio.Reader // of in
	text  *bufio.Reader // unpacked
	tail  []byte        // read but not yet returned in a block
	lines int           // returned in blocks
	err   error         // of the last read
}

// A block is a part of a text. Its text is valid until its memory is reused.
type block struct {
	text   string
	memory []byte
	line   int   // number of its first line, from 1
	end    int64 // bytes read so far, before unpacking
}

const blockLength = 1 << 20

// newBlockReader returns a reader of r at its first block. If r can't seek, it is read
// into memory.
func newBlockReader(ctx context.Context, r io.Reader, limits Limits, length int,
	wholeRecords func(text string) int) (*blockReader, error) {
	if r == nil {
		panic("datasets: the reader is nil")
	}
	b := &blockReader{ctx: ctx, length: length, wholeRecords: wholeRecords}
	b.in, _ = r.(io.ReadSeeker)
	var err error
	if b.in != nil {
		b.start, err = b.in.Seek(0, io.SeekCurrent)
	}
	if b.in == nil || err != nil {
		text, err := io.ReadAll(parallel.Reader(ctx, r))
		if err != nil {
			return nil, err
		}
		b.in, b.start = bytes.NewReader(text), 0
	}
	if end, err := b.in.Seek(0, io.SeekEnd); err == nil {
		b.size = max(end-b.start, 0)
		b.length = min(length, max(int(b.size)+1, 1<<16))
	}
	b.limits = limits.Of(b.size)
	return b, b.rewind()
}

// newTextReader is newBlockReader for a file that must begin as text does.
func newTextReader(ctx context.Context, r io.Reader, limits Limits, length int,
	wholeRecords func(text string) int) (*blockReader, error) {
	b, err := newBlockReader(ctx, r, limits, length, wholeRecords)
	if err == nil {
		err = checkText(b.text)
	}
	return b, err
}

// rewind goes back to the first block.
func (r *blockReader) rewind() error {
	if _, err := r.in.Seek(r.start, io.SeekStart); err != nil {
		return err
	}
	var err error
	r.raw = bufio.NewReaderSize(r.in, 1<<16)
	if r.text, err = unpack(r.raw, r.limits); err == nil {
		r.packed = r.text != r.raw
		head, _ := r.text.Peek(1 << 16) // reading on returns the error
		if cr := endsInCR(head); cr || r.western {
			r.text = bufio.NewReaderSize(&translation{from: r.text, western: r.western, cr: cr}, 1<<16)
		}
	}
	r.tail, r.lines, r.err = r.tail[:0], 0, nil
	return err
}

// next returns the next block, in the given memory if that is large enough. The error is
// io.EOF after the last block.
func (r *blockReader) next(memory []byte) (block, error) {
	if r.err != nil && len(r.tail) == 0 {
		return block{}, r.err
	}
	text := append(memory[:0], r.tail...)
	end := 0
	most := int(max(r.limits.Record, int64(r.length)))
	for length := r.length; r.err == nil && end == 0; length = 2 * len(text) {
		if len(text) > most {
			r.err, r.tail = errorAt(r.lines+1, "a record of more than %d bytes, from here on; is a quote never closed? "+
				"If the file is right, raise Limits.Record", r.limits.Record), nil
			return block{}, r.err
		}
		if 2*len(text) <= length {
			text = r.fill(text, max(min(length-1, most)+1, 1))
		}
		end = r.wholeRecords(asString(text))
	}
	switch {
	case r.err == io.EOF:
		end = len(text)
	case r.err != nil:
		end = r.wholeRecords(asString(text))
	}
	r.tail = append(r.tail[:0], text[end:]...)
	if end == 0 {
		return block{}, r.err
	}
	b := block{text: asString(text[:end]), memory: text, line: r.lines + 1}
	b.end, _ = r.in.Seek(0, io.SeekCurrent)
	b.end -= r.start + int64(r.raw.Buffered())
	r.lines += strings.Count(b.text, "\n")
	return b, nil
}

// mostExtended is the largest block in bytes that extended asks for.
const mostExtended = 8 << 20

// extended returns the last block with what comes after it, until it is enough or the file ends.
func (r *blockReader) extended(b block, enough func(text string) bool) (block, error) {
	defer func(length int) { r.length = length }(r.length)
	for r.err == nil && !enough(b.text) && int64(2*r.length) <= min(r.limits.Record, mostExtended) {
		r.unread(b.text, b.line)
		r.length *= 2
		var err error
		if b, err = r.next(b.memory); err != nil {
			return block{}, err
		}
	}
	return b, nil
}

// fill reads until text has the given length, or until an error.
func (r *blockReader) fill(text []byte, length int) []byte {
	text = slices.Grow(text, length-len(text))
	for len(text) < length && r.err == nil {
		if r.err = r.ctx.Err(); r.err != nil {
			break
		}
		var n int
		n, r.err = r.text.Read(text[len(text):length])
		text = text[:len(text)+n]
	}
	return text
}

// unread puts back the end of the last block, which starts at the given line.
func (r *blockReader) unread(text string, line int) {
	r.tail = append([]byte(text), r.tail...)
	r.lines = line - 1
}

// skipTo goes on at the given line, which no block has reached.
func (r *blockReader) skipTo(line int) error {
	for r.lines+1 < line {
		b, err := r.next(nil)
		if err != nil {
			return err
		}
		rest := b.text
		for n := b.line; n < line && rest != ""; n++ {
			_, rest, _ = strings.Cut(rest, "\n")
		}
		if rest != "" {
			r.unread(rest, line)
		}
	}
	return nil
}

// asString returns text as a string that shares its memory, and changes with it.
func asString(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// wholeLines is wholeRecords for texts with one record per line.
func wholeLines(text string) int { return strings.LastIndexByte(text, '\n') + 1 }

// maxBlocks is the most blocks in memory at once, whatever the number of cores.
const maxBlocks = 16

// A blockWorker parses blocks and merges them into a table.
type blockWorker interface {
	parse(b block) error
	merge(b block) error // after parse, in the order of the blocks, one at a time
}

// each parses all remaining blocks on all cores, but with at most the given number of workers,
// and merges them in order. It returns the error of the first block that has one.
func (r *blockReader) each(most int, newWorker func() blockWorker) error {
	l := blockLoop{reader: r, last: make(chan struct{})}
	close(l.last)
	parallel.For(min(runtime.GOMAXPROCS(0), maxBlocks, most), func(int) {
		var worker blockWorker
		for memory, more := []byte(nil), true; more; {
			memory, more = l.block(&worker, newWorker, memory)
		}
	})
	if l.end == io.EOF {
		return nil
	}
	return l.end
}

// A blockLoop is the state that workers share. Each block has a channel that is closed when its turn to be merged is
// over.
type blockLoop struct {
	reading sync.Mutex
	reader  *blockReader
	last    chan struct{} // of the block that was read last

	end error // why no more blocks are merged; nil before the end. It belongs to the block whose turn it is.
}

var errPanicked = errors.New("a worker has panicked")

// block reads a block into memory, parses it, and merges it when all earlier ones are. It returns the block's memory,
// and whether there may be more blocks. A failed read has its turn like a block.
func (l *blockLoop) block(worker *blockWorker, newWorker func() blockWorker, memory []byte) (used []byte, more bool) {
	l.reading.Lock()
	b, err := l.reader.next(memory)
	before, merged := l.last, make(chan struct{})
	l.last = merged
	l.reading.Unlock()

	end := errPanicked // unless it gets to the end
	defer func() {
		<-before
		l.end = cmp.Or(l.end, end)
		more = l.end == nil
		close(merged)
	}()
	if err == nil {
		if *worker == nil {
			*worker = newWorker()
		}
		err = (*worker).parse(b)
		if <-before; err == nil && l.end == nil {
			err = (*worker).merge(b)
		}
	}
	end = err
	return b.memory, false
}
