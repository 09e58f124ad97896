package spark

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/cluster/spark/internal/connect"
)

// Transform has Spark read a table, send its rows through workers, and write what they make of
// them; see [cluster.RowEngine]. From and To are paths or addresses that the cluster's
// machines understand. The key is text, a whole number, a decimal number or a date. A CSV file is
// read by one task, whatever its size, and every line must have as many cells as the first; a
// Parquet file is read by several. Of several CSV files all must have the same columns in the same
// order, each with a name. Of several Parquet files Spark takes the columns of one, and those that
// another lacks are missing in its rows.
func (e *Engine) Transform(ctx context.Context, job cluster.RowJob) error {
	err := e.rows(ctx, job)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("spark: %w", e.explain(err))
}

// rowTask is what [cluster.RowTask] returns: base64, which means nothing to a shell.
var rowTask = regexp.MustCompile(`^[A-Za-z0-9+/]+=*$`)

func (e *Engine) rows(ctx context.Context, job cluster.RowJob) error {
	if !rowTask.MatchString(job.Task) {
		return fmt.Errorf("the task %.40q; want what cluster.RowTask returns", job.Task)
	}
	from, err := e.source(ctx, job)
	if err != nil {
		return err
	}
	key, err := e.keyType(ctx, from, job.Key)
	if err != nil {
		return err
	}
	if err := e.checkEmpty(ctx, job.To); err != nil {
		return err
	}
	worker, err := e.upload(ctx, job.Files)
	if err != nil {
		return err
	}
	lines := with(sql("SELECT "+encodedLine(job)+" AS line FROM source"), "source", from)
	out := with(sql("SELECT "+decodedCells(job, key)+
		" FROM (SELECT split(line, '\\t', -1) AS cells FROM ("+e.transform(worker, job.Task)+"))"), "tasks", lines)
	write := &connect.WriteOperation{Input: out, Source: proto.String("parquet"),
		Mode:     connect.WriteOperation_SAVE_MODE_APPEND,
		SaveType: &connect.WriteOperation_Path{Path: job.To}}
	return e.execute(ctx, &connect.Plan{OpType: &connect.Plan_Command{Command: &connect.Command{
		CommandType: &connect.Command_WriteOperation{WriteOperation: write}}}}, nil)
}

// source returns the table that a job reads.
func (e *Engine) source(ctx context.Context, job cluster.RowJob) (*connect.Relation, error) {
	read := &connect.Read_DataSource{Format: &job.Format, Paths: []string{job.From}}
	switch job.Format {
	case "parquet":
	case "csv":
		// As RFC 4180 has it: quotes are doubled, and cells may have several lines.
		read.Options = map[string]string{"header": "true", "escape": `"`, "multiLine": "true", "mode": "FAILFAST",
			"columnPruning": "false"}
		// Spark takes cells by their places in the first of several files. Unless that schema is enforced, it compares
		// the names in the others, but in the first, too, where columns without a name have got one.
		n, err := e.countFiles(ctx, reading(read))
		if err != nil {
			return nil, err
		}
		if n > 1 {
			read.Options["enforceSchema"] = "false"
		}
	default:
		return nil, fmt.Errorf("format %q; want parquet or csv", job.Format)
	}
	return reading(read), nil
}

func reading(source *connect.Read_DataSource) *connect.Relation {
	return &connect.Relation{RelType: &connect.Relation_Read{
		Read: &connect.Read{ReadType: &connect.Read_DataSource_{DataSource: source}}}}
}

// checkEmpty returns an error if there are files in a folder. A job that was cancelled leaves an
// empty one.
func (e *Engine) checkEmpty(ctx context.Context, folder string) error {
	n, err := e.countFiles(ctx, reading(&connect.Read_DataSource{Format: proto.String("binaryFile"),
		Paths: []string{folder}}))
	switch {
	case err != nil && strings.Contains(status.Convert(err).Message(), "PATH_NOT_FOUND"):
		return nil
	case err != nil:
		return err
	}
	if n > 0 {
		return fmt.Errorf("%s has %d files in it; want a folder that isn't there, or an empty one", folder, n)
	}
	return nil
}

// countFiles returns the number of files that are read.
func (e *Engine) countFiles(ctx context.Context, from *connect.Relation) (int, error) {
	a, err := e.analyze(ctx, &connect.AnalyzePlanRequest{Analyze: &connect.AnalyzePlanRequest_InputFiles_{
		InputFiles: &connect.AnalyzePlanRequest_InputFiles{Plan: plan(from)}}})
	return len(a.GetInputFiles().GetFiles()), err
}

// keyType returns the SQL type of the key column.
func (e *Engine) keyType(ctx context.Context, from *connect.Relation, name string) (string, error) {
	key := with(sql("SELECT "+quoted(name)+" FROM source"), "source", from)
	a, err := e.analyze(ctx, &connect.AnalyzePlanRequest{Analyze: &connect.AnalyzePlanRequest_Schema_{
		Schema: &connect.AnalyzePlanRequest_Schema{Plan: plan(key)}}})
	if err != nil {
		return "", err
	}
	fields := a.GetSchema().GetSchema().GetStruct().GetFields()
	if len(fields) != 1 {
		return "", fmt.Errorf("the key %s is %d columns", name, len(fields))
	}
	is := fields[0].GetDataType()
	if d := is.GetDecimal(); d != nil {
		return fmt.Sprintf("DECIMAL(%d, %d)", d.GetPrecision(), d.GetScale()), nil
	}
	kind := strings.Trim(strings.TrimPrefix(fmt.Sprintf("%T", is.GetKind()), "*connect.DataType_"), "_")
	if sql, ok := keyTypes[kind]; ok {
		return sql, nil
	}
	return "", fmt.Errorf("the key %s is of type %s; want text, whole or decimal numbers, or dates", name,
		strings.ToLower(kind))
}

// keyTypes are the SQL types of keys by what the protocol calls them.
var keyTypes = map[string]string{"String": "STRING", "Byte": "TINYINT", "Short": "SMALLINT", "Integer": "INT",
	"Long": "BIGINT", "Date": "DATE"}

// encodedLine returns an expression for the line that a worker reads of a row.
func encodedLine(job cluster.RowJob) string {
	cells := []string{"'\\t'"}
	for _, c := range append([]cluster.RowColumn{{Name: job.Key, Text: true}}, job.Columns...) {
		cell := "CAST(CAST(" + quoted(c.Name) + " AS DOUBLE) AS STRING)"
		switch {
		case job.Format == "csv" && !c.Text: // the worker says what is wrong with a cell that is no number
			cell = "translate(" + quoted(c.Name) + ", '\\t\\r\\n', '   ')"
		case c.Text:
			cell = "base64(CAST(CAST(" + quoted(c.Name) + " AS STRING) AS BINARY))"
		}
		cells = append(cells, "coalesce("+cell+", '\\\\N')")
	}
	return "concat_ws(" + strings.Join(cells, ", ") + ")"
}

// decodedCells returns the expressions for the columns that are written, of the array cells.
func decodedCells(job cluster.RowJob, keyType string) string {
	var columns []string
	for i, c := range append([]cluster.RowColumn{{Name: job.Key, Text: true}}, job.Out...) {
		cell := fmt.Sprintf("nullif(cells[%d], '\\\\N')", i)
		switch {
		case i == 0:
			cell = "CAST(CAST(unbase64(" + cell + ") AS STRING) AS " + keyType + ")"
		case c.Text:
			cell = "CAST(unbase64(" + cell + ") AS STRING)"
		default:
			cell = "CAST(" + cell + " AS DOUBLE)"
		}
		columns = append(columns, cell+" AS "+quoted(c.Name))
	}
	return strings.Join(columns, ", ")
}

// quoted returns a column's name as SQL spells it.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
