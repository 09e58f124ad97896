package spark

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"os"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/cluster/spark/internal/connect"
)

// chunkBytes is how much of a file a message holds. Servers take 128 MiB, proxies often 4.
const chunkBytes = 1 << 20

// upload sends the session the files that it hasn't got, and returns the name of the worker's
// program. Every executor fetches the session's files once, before its first task.
func (e *Engine) upload(ctx context.Context, files []cluster.File) (worker string, err error) {
	program, err := e.worker()
	if err != nil {
		return "", fmt.Errorf("the workers' program: %w", err)
	}
	e.sending.Lock()
	defer e.sending.Unlock()
	for _, f := range append([]cluster.File{program, {Name: e.mark(), Data: []byte{'\n'}}}, files...) {
		if e.sent[f.Name] {
			continue
		}
		if err := e.send(ctx, f); err != nil {
			return "", fmt.Errorf("file %s: %w", f.Name, err)
		}
		e.sent[f.Name] = true
	}
	return program.Name, nil
}

// worker returns the workers' program as a file to send, named by its hash.
func (e *Engine) worker() (cluster.File, error) {
	path, err := e.Program()
	if err != nil {
		return cluster.File{}, err
	}
	program, err := os.ReadFile(path)
	sum := sha256.Sum256(program)
	return cluster.File{Name: "obliqua-" + hex.EncodeToString(sum[:]), Data: program}, err
}

// mark is the name of an empty file by which a worker finds the folder of this session's files
// among those of others. Its name doesn't depend on the path of any machine.
func (e *Engine) mark() string { return "session-" + e.session }

// send sends one file in chunks with their checksums.
func (e *Engine) send(ctx context.Context, f cluster.File) error {
	stream, err := e.service.AddArtifacts(ctx)
	if err != nil {
		return err
	}
	n := max(1, (len(f.Data)+chunkBytes-1)/chunkBytes)
	chunk := func(i int) *connect.AddArtifactsRequest_ArtifactChunk {
		b := f.Data[i*chunkBytes : min((i+1)*chunkBytes, len(f.Data))]
		return &connect.AddArtifactsRequest_ArtifactChunk{Data: b, Crc: int64(crc32.ChecksumIEEE(b))}
	}
	for i := range n {
		q := &connect.AddArtifactsRequest{SessionId: e.session, UserContext: e.remote.user(), ClientType: &e.remote.agent}
		switch {
		case n == 1:
			q.Payload = &connect.AddArtifactsRequest_Batch_{Batch: &connect.AddArtifactsRequest_Batch{
				Artifacts: []*connect.AddArtifactsRequest_SingleChunkArtifact{{Name: "files/" + f.Name, Data: chunk(0)}}}}
		case i == 0:
			q.Payload = &connect.AddArtifactsRequest_BeginChunk{BeginChunk: &connect.AddArtifactsRequest_BeginChunkedArtifact{
				Name: "files/" + f.Name, TotalBytes: int64(len(f.Data)), NumChunks: int64(n), InitialChunk: chunk(0)}}
		default:
			q.Payload = &connect.AddArtifactsRequest_Chunk{Chunk: chunk(i)}
		}
		if err := stream.Send(q); err != nil {
			break // CloseAndRecv has the reason
		}
	}
	a, err := stream.CloseAndRecv()
	if err != nil {
		return err
	}
	for _, s := range a.Artifacts {
		if !s.IsCrcSuccessful {
			return errors.New("it was damaged on its way")
		}
	}
	return nil
}
