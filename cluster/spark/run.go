package spark

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/cluster/spark/internal/connect"
)

// Run runs the job's tasks, each as a task of one Spark query; see [cluster.Engine]. Spark
// gives a task whose worker or executor dies to another one, spark.task.maxFailures times in all
// (4 by default); then the error has the worker's last words.
func (e *Engine) Run(ctx context.Context, job cluster.Job, done func(task int, answer []byte) error) error {
	if len(job.Tasks) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	seen := make([]bool, len(job.Tasks))
	err := e.run(ctx, job, func(line []byte) error {
		task, data, permanent, err := cluster.ReadAnswer(line)
		switch {
		case err != nil && permanent:
			return answered{err}
		case err != nil:
			return err
		case task < 0 || task >= len(seen) || seen[task]:
			return fmt.Errorf("an answer to task %d, which nobody asked for", task)
		}
		seen[task] = true
		if err := done(task, data); err != nil {
			return answered{err}
		}
		return nil
	})
	if own := (answered{}); errors.As(err, &own) {
		return own.error
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("spark: %w", e.explain(err))
	}
	for task, ok := range seen {
		if !ok {
			return fmt.Errorf("spark: no answer to task %d of %d", task+1, len(seen))
		}
	}
	return nil
}

// An answered error is a task's own or that of the caller's function, and returned as it is.
type answered struct{ error }

// run calls answer with each line that the workers write.
func (e *Engine) run(ctx context.Context, job cluster.Job, answer func(line []byte) error) error {
	worker, err := e.upload(ctx, job.Files)
	if err != nil {
		return err
	}
	numbered := make([]string, len(job.Tasks))
	for i, t := range job.Tasks {
		numbered[i] = fmt.Sprintf("%d\t%s", i, t)
	}
	tasks, err := table(numbered)
	if err != nil {
		return err
	}
	return e.execute(ctx, plan(with(sql(e.transform(worker, "")), "tasks", tasks)), answer)
}

// transform returns a query that sends the lines of the relation tasks through workers; task is that of a
// [cluster.RowJob], or empty. The last words of a worker that dies are the error of its task. The worker's pulse, lines
// that begin with -, goes no further. A query that is cancelled ends at the next of them: Spark marks the task's thread
// as interrupted, but its reading of the worker's lines doesn't mind. sleep does.
func (e *Engine) transform(worker, task string) string {
	command := fmt.Sprintf("cd $(dirname */%s) && %s GOMAXPROCS=%d GOTRACEBACK=none exec ./%s", e.mark(),
		strings.Join(cluster.Environment(".", true, task), " "), e.cpus, worker)
	return `SELECT line FROM (SELECT TRANSFORM(line) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
		USING '` + command + `' AS (line STRING, died STRING)
		ROW FORMAT DELIMITED FIELDS TERMINATED BY '\u0001' FROM tasks)
		WHERE CASE WHEN died IS NOT NULL THEN raise_error(CAST(unbase64(died) AS STRING))
		WHEN line LIKE '-%' THEN reflect('java.lang.Thread', 'sleep', 0L) = 'pulse' ELSE TRUE END`
}

// table returns a relation of one column, line.
func table(lines []string) (*connect.Relation, error) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(lines, nil)
	column := b.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "line", Type: arrow.BinaryTypes.String}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecordBatch(schema, []arrow.Array{column}, int64(len(lines)))); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &connect.Relation{RelType: &connect.Relation_LocalRelation{
		LocalRelation: &connect.LocalRelation{Data: out.Bytes()}}}, nil
}

func sql(query string) *connect.Relation {
	return &connect.Relation{RelType: &connect.Relation_Sql{Sql: &connect.SQL{Query: query}}}
}

func plan(query *connect.Relation) *connect.Plan {
	return &connect.Plan{OpType: &connect.Plan_Root{Root: query}}
}

// with returns the query, in which a relation has a name.
func with(query *connect.Relation, name string, r *connect.Relation) *connect.Relation {
	named := &connect.Relation{RelType: &connect.Relation_SubqueryAlias{SubqueryAlias: &connect.SubqueryAlias{Input: r,
		Alias: name}}}
	return &connect.Relation{RelType: &connect.Relation_WithRelations{WithRelations: &connect.WithRelations{Root: query,
		References: []*connect.Relation{named}}}}
}

// execute has the server execute a plan, and calls row with each row of its result, which has
// one column of text. It returns soon after ctx is cancelled; then the server is told.
func (e *Engine) execute(ctx context.Context, plan *connect.Plan, row func([]byte) error) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	o := &operation{engine: e, id: uuid.NewString()}
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(500*time.Millisecond, stop)
		o.interrupt()
		stop()
	})()
	stream, err := e.service.ExecutePlan(running, &connect.ExecutePlanRequest{
		SessionId: e.session, UserContext: e.remote.user(), ClientType: &e.remote.agent,
		ClientObservedServerSideSessionId: e.seen(),
		OperationId:                       &o.id, Plan: plan,
		RequestOptions: []*connect.ExecutePlanRequest_RequestOption{
			{RequestOption: &connect.ExecutePlanRequest_RequestOption_ReattachOptions{
				ReattachOptions: &connect.ReattachOptions{Reattachable: true}}}},
	})
	if err != nil {
		return err
	}
	if err := o.receive(running, stream, row); err != nil {
		if ctx.Err() == nil {
			o.interrupt()
		}
		return err
	}
	released, cancel := context.WithTimeout(running, time.Second)
	defer cancel()
	o.release(released)
	return nil
}

// An operation is a plan that the server executes.
type operation struct {
	engine   *Engine
	id       string
	last     *string // the id of the last response
	complete bool
}

// tries is how many times in a row a broken stream of responses is taken up again: for about a
// minute.
const tries = 10

// receive reads responses until the result is complete. The server ends the stream now and then,
// and connections break; then it goes on where it was.
func (o *operation) receive(ctx context.Context, stream grpc.ServerStreamingClient[connect.ExecutePlanResponse],
	row func([]byte) error) error {
	failed := 0
	for {
		r, err := stream.Recv()
		if err == nil {
			failed, o.last = 0, &r.ResponseId
			if r.GetResultComplete() != nil {
				o.complete = true
			}
			if err := rows(r.GetArrowBatch().GetData(), row); err != nil {
				return err
			}
			continue
		}
		if o.complete {
			return nil
		}
		if err != io.EOF {
			if failed++; failed > tries || !broken(err) {
				return err
			}
			select {
			case <-time.After(min(10*time.Second, 100*time.Millisecond<<failed)):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		e := o.engine
		stream, err = e.service.ReattachExecute(ctx,
			&connect.ReattachExecuteRequest{SessionId: e.session, UserContext: e.remote.user(),
				ClientType: &e.remote.agent, ClientObservedServerSideSessionId: e.seen(), OperationId: o.id,
				LastResponseId: o.last})
		if err != nil {
			return err
		}
	}
}

// broken reports whether an error is the connection's, not the query's.
func broken(err error) bool { return status.Code(err) == codes.Unavailable }

// rows calls row with the text in the only column of a batch of Arrow records.
func rows(batch []byte, row func([]byte) error) error {
	if len(batch) == 0 {
		return nil
	}
	// No message can be longer than all of them. (ipc.NewReader forgets its limits.)
	most := int64(len(batch))
	r, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(bytes.NewReader(batch),
		ipc.WithMetadataSizeLimit(most), ipc.WithBodySizeLimit(most)))
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		column, ok := r.RecordBatch().Column(0).(*array.String)
		if !ok {
			return fmt.Errorf("the server sends a column of type %s; want text", r.RecordBatch().Column(0).DataType())
		}
		for i := range column.Len() {
			if err := row([]byte(column.Value(i))); err != nil {
				return err
			}
		}
	}
	return r.Err()
}

// interrupt has the server stop the operation and forget it. It has ten seconds for it.
func (o *operation) interrupt() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	e := o.engine
	// An error says that the server is gone, or has ended the operation already.
	_, _ = e.service.Interrupt(ctx, &connect.InterruptRequest{SessionId: e.session, UserContext: e.remote.user(),
		ClientType:    &e.remote.agent,
		InterruptType: connect.InterruptRequest_INTERRUPT_TYPE_OPERATION_ID,
		Interrupt:     &connect.InterruptRequest_OperationId{OperationId: o.id}})
	o.release(ctx)
}

// release lets the server forget the operation's result.
func (o *operation) release(ctx context.Context) {
	e := o.engine
	_, _ = e.service.ReleaseExecute(ctx, &connect.ReleaseExecuteRequest{SessionId: e.session, UserContext: e.remote.user(),
		ClientType:  &e.remote.agent,
		OperationId: o.id, Release: &connect.ReleaseExecuteRequest_ReleaseAll_{
			ReleaseAll: &connect.ReleaseExecuteRequest_ReleaseAll{}}})
}
