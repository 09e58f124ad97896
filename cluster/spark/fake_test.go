package spark

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/obliqua-ml/obliqua/cluster/spark/internal/connect"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A fake is a server that answers as Spark does, without a cluster.
type fake struct {
	connect.UnimplementedSparkConnectServiceServer
	version string
	cpus    string                     // of a task; by default 3
	splits  string                     // of a range, in its plan; by default 12
	lines   func(task string) []string // what workers write; by default the answer of a good one
	fail    error                      // ends the execution
	breaks  []error                    // each ends a stream after a response, and the next goes on
	key     *connect.DataType          // of a table
	written int                        // files in the folder to write to; -1 if there is none
	inputs  int                        // files of a table of CSV
	hang    bool                       // executions, and the answers to Interrupt, never come

	mu          sync.Mutex
	address     string
	headers     metadata.MD // of the last request
	user        string
	requests    []string
	files       map[string][]byte
	parts       map[string]int // messages for a file
	plans       []*connect.Plan
	operation   string
	interrupted []string
	responses   []*connect.ExecutePlanResponse
	last        []string // ids after which streams went on
}

// serve starts the fake, and ends it with the test.
func (f *fake) serve(t *testing.T, options ...grpc.ServerOption) *fake {
	t.Helper()
	l := must.Value(net.Listen("tcp", "127.0.0.1:0"))
	f.address, f.files, f.parts = l.Addr().String(), map[string][]byte{}, map[string]int{}
	if f.version == "" {
		f.version = "4.0.1"
	}
	if f.lines == nil {
		f.lines = func(task string) []string {
			number, text, _ := strings.Cut(task, "\t")
			return []string{goodAnswer(number, strings.ToUpper(text))}
		}
	}
	s := grpc.NewServer(options...)
	connect.RegisterSparkConnectServiceServer(s, f)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	return f
}

// goodAnswer is what a worker writes: see package cluster.
func goodAnswer(number, data string) string {
	sum := sha256.Sum256([]byte(data))
	return fmt.Sprintf(`%s	{"Hash":"%s","Data":"%s"}`, number, hex.EncodeToString(sum[:]),
		base64.StdEncoding.EncodeToString([]byte(data)))
}

func (f *fake) note(ctx context.Context, request string, user *connect.UserContext) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.headers, _ = metadata.FromIncomingContext(ctx)
	f.user = user.GetUserId()
	f.requests = append(f.requests, request)
}

func (f *fake) AnalyzePlan(ctx context.Context, q *connect.AnalyzePlanRequest) (*connect.AnalyzePlanResponse, error) {
	f.note(ctx, "analyze", q.UserContext)
	a := &connect.AnalyzePlanResponse{SessionId: q.SessionId, ServerSideSessionId: "server side"}
	switch q.Analyze.(type) {
	case *connect.AnalyzePlanRequest_SparkVersion_:
		a.Result = &connect.AnalyzePlanResponse_SparkVersion_{
			SparkVersion: &connect.AnalyzePlanResponse_SparkVersion{Version: f.version}}
	case *connect.AnalyzePlanRequest_Explain_:
		a.Result = &connect.AnalyzePlanResponse_Explain_{Explain: &connect.AnalyzePlanResponse_Explain{
			ExplainString: "== Physical Plan ==\n*(1) Range (0, 1000000, step=1, splits=" + cmp.Or(f.splits, "12") + ")\n\n"}}
	case *connect.AnalyzePlanRequest_Schema_:
		a.Result = &connect.AnalyzePlanResponse_Schema_{Schema: &connect.AnalyzePlanResponse_Schema{Schema: &connect.DataType{
			Kind: &connect.DataType_Struct_{Struct: &connect.DataType_Struct{
				Fields: []*connect.DataType_StructField{{DataType: f.key}}}}}}}
	case *connect.AnalyzePlanRequest_InputFiles_:
		n := f.written
		if q.GetInputFiles().GetPlan().GetRoot().GetRead().GetDataSource().GetFormat() == "csv" {
			n = f.inputs
		}
		if n < 0 {
			// as Spark 4.0.1 says
			return nil, status.Error(codes.Internal, "[PATH_NOT_FOUND] Path does not exist: file:/out. SQLSTATE: 42K03")
		}
		a.Result = &connect.AnalyzePlanResponse_InputFiles_{
			InputFiles: &connect.AnalyzePlanResponse_InputFiles{Files: make([]string, n)}}
	default:
		return nil, status.Error(codes.Unimplemented, "a fake")
	}
	return a, nil
}

func (f *fake) Config(ctx context.Context, q *connect.ConfigRequest) (*connect.ConfigResponse, error) {
	f.note(ctx, "config", q.UserContext)
	a := &connect.ConfigResponse{SessionId: q.SessionId}
	if q.GetOperation().GetGetWithDefault() != nil {
		a.Pairs = []*connect.KeyValue{{Key: "spark.task.cpus", Value: proto.String(cmp.Or(f.cpus, "3"))}}
	}
	return a, nil
}

func (f *fake) AddArtifacts(s connect.SparkConnectService_AddArtifactsServer) error {
	a := &connect.AddArtifactsResponse{}
	var name string
	add := func(c *connect.AddArtifactsRequest_ArtifactChunk) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.files[name] = append(f.files[name], c.GetData()...)
		f.parts[name]++
		a.Artifacts = append(a.Artifacts, &connect.AddArtifactsResponse_ArtifactSummary{Name: name,
			IsCrcSuccessful: c.GetCrc() == int64(crc32.ChecksumIEEE(c.GetData()))})
	}
	for {
		q, err := s.Recv()
		if err == io.EOF {
			return s.SendAndClose(a)
		}
		if err != nil {
			return err
		}
		f.note(s.Context(), "add", q.UserContext)
		switch p := q.Payload.(type) {
		case *connect.AddArtifactsRequest_Batch_:
			name = p.Batch.Artifacts[0].Name
			add(p.Batch.Artifacts[0].Data)
		case *connect.AddArtifactsRequest_BeginChunk:
			if p.BeginChunk.NumChunks < 2 {
				return status.Error(codes.Internal, "requirement failed") // as Spark says
			}
			name = p.BeginChunk.Name
			add(p.BeginChunk.InitialChunk)
		case *connect.AddArtifactsRequest_Chunk:
			add(p.Chunk)
		}
	}
}

// tasks returns the lines of the relation tasks.
func tasks(p *connect.Plan) (lines []string) {
	data := p.GetRoot().GetWithRelations().GetReferences()[0].GetSubqueryAlias().GetInput().GetLocalRelation().GetData()
	r, err := ipc.NewReader(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	for r.Next() {
		c := r.RecordBatch().Column(0).(*array.String)
		for i := range c.Len() {
			lines = append(lines, c.Value(i))
		}
	}
	return lines
}

func (f *fake) ExecutePlan(q *connect.ExecutePlanRequest, s connect.SparkConnectService_ExecutePlanServer) error {
	f.note(s.Context(), "execute", q.UserContext)
	f.mu.Lock()
	f.plans, f.operation = append(f.plans, q.Plan), q.GetOperationId()
	f.responses = nil
	add := func(r *connect.ExecutePlanResponse) {
		r.ResponseId = fmt.Sprintf("response %d", len(f.responses))
		f.responses = append(f.responses, r)
	}
	var lines []string
	if q.Plan.GetCommand() == nil {
		lines = tasks(q.Plan)
	}
	for _, t := range lines {
		b, err := table(f.lines(t))
		if err != nil {
			return err
		}
		data := b.GetLocalRelation().GetData()
		add(&connect.ExecutePlanResponse{ResponseType: &connect.ExecutePlanResponse_ArrowBatch_{
			ArrowBatch: &connect.ExecutePlanResponse_ArrowBatch{Data: data}}})
	}
	add(&connect.ExecutePlanResponse{ResponseType: &connect.ExecutePlanResponse_ResultComplete_{
		ResultComplete: &connect.ExecutePlanResponse_ResultComplete{}}})
	f.mu.Unlock()
	if f.hang {
		<-s.Context().Done()
	}
	return f.stream(0, s)
}

func (f *fake) ReattachExecute(q *connect.ReattachExecuteRequest,
	s connect.SparkConnectService_ReattachExecuteServer) error {
	f.note(s.Context(), "reattach", q.UserContext)
	f.mu.Lock()
	f.last = append(f.last, q.GetLastResponseId())
	from := 0
	for i, r := range f.responses {
		if r.ResponseId == q.GetLastResponseId() {
			from = i + 1
		}
	}
	f.mu.Unlock()
	return f.stream(from, s)
}

// stream sends the responses from that number on, or one if the stream is to break.
func (f *fake) stream(from int, s grpc.ServerStreamingServer[connect.ExecutePlanResponse]) error {
	for _, r := range f.responses[from:] {
		if r.GetResultComplete() != nil && f.fail != nil {
			return f.fail
		}
		if err := s.Send(r); err != nil {
			return err
		}
		if len(f.breaks) > 0 {
			err := f.breaks[0]
			f.breaks = f.breaks[1:]
			return err
		}
	}
	return nil
}

func (f *fake) Interrupt(ctx context.Context, q *connect.InterruptRequest) (*connect.InterruptResponse, error) {
	f.note(ctx, "interrupt", q.UserContext)
	f.mu.Lock()
	f.interrupted = append(f.interrupted, q.GetOperationId())
	f.mu.Unlock()
	if f.hang {
		<-ctx.Done()
	}
	return &connect.InterruptResponse{}, nil
}

func (f *fake) ReleaseExecute(ctx context.Context, q *connect.ReleaseExecuteRequest) (
	*connect.ReleaseExecuteResponse, error) {
	f.note(ctx, "release", q.UserContext)
	return &connect.ReleaseExecuteResponse{}, nil
}

func (f *fake) ReleaseSession(ctx context.Context, q *connect.ReleaseSessionRequest) (
	*connect.ReleaseSessionResponse, error) {
	f.note(ctx, "release session", q.UserContext)
	return &connect.ReleaseSessionResponse{}, nil
}
