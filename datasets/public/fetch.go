//go:build !js

package public

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/progress"
)

// fetch downloads original files of the set called name into a folder.
func (l *loader) fetch(ctx context.Context, name string, files []sourceFile, folder string) error {
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	report := progress.Of(ctx)
	var before, total int64
	for _, f := range files {
		total += f.Bytes
	}
	for _, f := range files {
		d := &download{loader: l, client: client, from: l.host + f.urlPath(), file: f, path: f.in(folder)}
		d.report = func() {
			have := before + d.have
			report(int(have), int(total), fmt.Sprintf("%s, %.1f of %.1f MB", name, float64(have)/1e6, float64(total)/1e6))
		}
		if err := d.run(ctx); err != nil {
			return fmt.Errorf("download %s: %w", d.from, err)
		}
		before += f.Bytes
	}
	return nil
}

// A download is of one file.
type download struct {
	*loader
	client *http.Client
	from   string // URL
	file   sourceFile
	path   string // of the file
	report func()

	to      *os.File // this download's own
	have    int64    // bytes in it
	resumed bool     // some of them from another connection
}

// keep is the path of the part that an unfinished download leaves for the next one.
func (d *download) keep() string { return d.path + ".part" }

// run downloads the file. If the bytes came over several connections and their checksum is wrong, it starts over.
func (d *download) run(ctx context.Context) error {
	f, err := d.create(filepath.Dir(d.path))
	if err != nil {
		return err
	}
	d.to = f
	defer os.Remove(f.Name()) // nothing is left there once it has been renamed
	defer func() { d.to.Close() }()
	if err := d.resume(); err != nil {
		return err
	}
	for {
		if err := d.complete(ctx); err != nil {
			return err
		}
		err := d.file.verify(ctx, io.NewSectionReader(d.to, 0, d.have))
		switch {
		case err == nil:
			return atomicfile.Replace(d.path, d.to, func(io.Writer) error { return nil })
		case ctx.Err() != nil:
			return ctx.Err()
		case !d.resumed:
			return fmt.Errorf("%w (the file has been removed)", err)
		}
		if err := d.restart(); err != nil {
			return err
		}
	}
}

// complete makes attempts until all bytes are there.
func (d *download) complete(ctx context.Context) error {
	pause := d.pause
	for i := 1; ; i++ {
		again, err := d.attempt(ctx)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !again:
			return err
		case i == maxAttempts:
			return d.giveUp(err)
		}
		select {
		case <-time.After(pause):
			pause *= 2
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// resume goes on with the part that an earlier download has left, if any. Renaming gives that
// part to only one process. A link in its place is not followed: the download would be
// written into the file that it points to.
func (d *download) resume() error {
	if kept, err := os.Lstat(d.keep()); err != nil || !kept.Mode().IsRegular() {
		return nil
	}
	path := d.to.Name()
	if err := d.to.Close(); err != nil {
		return err
	}
	os.Rename(d.keep(), path) // fails if another process was faster
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	d.to = f
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Lstat(path); err != nil || !os.SameFile(there, opened) {
		return fmt.Errorf("%s was replaced while the download opened it", path)
	}
	d.have, err = d.to.Seek(0, io.SeekEnd)
	d.resumed = d.have > 0
	if d.have > d.file.Bytes {
		return d.restart()
	}
	return err
}

// restart discards the bytes received so far.
func (d *download) restart() error {
	if d.have == 0 {
		return nil
	}
	d.have, d.resumed = 0, false
	if _, err := d.to.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return d.to.Truncate(0)
}

// giveUp keeps the bytes for the next download.
func (d *download) giveUp(err error) error {
	if d.have == 0 {
		return fmt.Errorf("%w (tried %d times)", err, maxAttempts)
	}
	if errors.Join(d.to.Close(), os.Rename(d.to.Name(), d.keep())) != nil {
		return fmt.Errorf("%w (tried %d times; got %d of %d bytes)", err, maxAttempts, d.have, d.file.Bytes)
	}
	return fmt.Errorf("%w (tried %d times; got %d of %d bytes, which the next download will resume)",
		err, maxAttempts, d.have, d.file.Bytes)
}

// attempt requests the bytes that are still missing. After an error, again says
// whether another attempt makes sense.
func (d *download) attempt(ctx context.Context) (again bool, err error) {
	if d.have == d.file.Bytes {
		return false, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// This covers connecting and the header of the response as well.
	watch := time.AfterFunc(d.stall, func() { cancel(fmt.Errorf("%w: no byte for %v", errStalled, d.stall)) })
	defer watch.Stop()

	resp, err := d.request(ctx)
	if err != nil {
		return true, cause(ctx, err)
	}
	defer resp.Body.Close()
	if again, err := d.accept(resp); err != nil {
		return again, err
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buf)
		watch.Reset(d.stall)
		if d.have+int64(n) > d.file.Bytes {
			return false, fmt.Errorf("the server sends more than the %d bytes expected", d.file.Bytes)
		}
		if _, err := d.to.Write(buf[:n]); err != nil {
			return false, err
		}
		d.have += int64(n)
		d.report()
		switch {
		case err == io.EOF && d.have == d.file.Bytes:
			return false, nil
		case err == io.EOF:
			return true, io.ErrUnexpectedEOF
		case err != nil:
			return true, cause(ctx, err)
		}
	}
}

// cause returns the reason why ctx was cancelled or, if it wasn't, err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (d *download) request(ctx context.Context) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.from, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "obliqua")
	req.Header.Set("Accept-Encoding", "identity") // ranges and checksums are of the file itself
	if d.have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.have))
	}
	resp, err := d.client.Do(req)
	var about *url.Error // would repeat the address
	if errors.As(err, &about) {
		err = about.Err
	}
	return resp, err
}

// accept checks the header of a response, and starts over if its body is the
// whole file.
func (d *download) accept(resp *http.Response) (again bool, err error) {
	switch code := resp.StatusCode; code {
	case http.StatusOK:
		return false, d.restart()
	case http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		sent := resp.Header.Get("Content-Range") // of a range that can't be sent it has no numbers
		var from int64
		if _, err := fmt.Sscanf(sent, "bytes %d-", &from); err == nil && from == d.have && from > 0 {
			d.resumed = true
			return false, nil
		}
		if err := d.restart(); err != nil {
			return false, err
		}
		return true, fmt.Errorf("the server answers with a wrong range: %s, %q", resp.Status, sent)
	default:
		again := code >= 500 || code == http.StatusTooManyRequests
		return again, fmt.Errorf("the server answers %s", resp.Status)
	}
}
