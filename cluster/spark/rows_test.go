package spark

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/cluster/spark/internal/connect"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

var rowJob = cluster.RowJob{
	Files: []cluster.File{{Name: "data-1", Data: []byte("abc")}}, Task: "dGFzaw==",
	Format: "parquet", From: "s3://in", Key: "the `key`",
	Columns: []cluster.RowColumn{{Name: "x"}, {Name: "colour", Text: true}}, To: "s3://out",
	Out: []cluster.RowColumn{{Name: "p"}, {Name: "label", Text: true}},
}

var (
	long  = &connect.DataType{Kind: &connect.DataType_Long_{Long: &connect.DataType_Long{}}}
	float = &connect.DataType{Kind: &connect.DataType_Float_{Float: &connect.DataType_Float{}}}
)

func TestTransform(t *testing.T) {
	for _, written := range []int{-1, 0} {
		f := (&fake{key: long, written: written}).serve(t)
		must.Do(session(t, f).Transform(t.Context(), rowJob))
		w := f.plans[0].GetCommand().GetWriteOperation()
		if w.GetSource() != "parquet" || w.GetPath() != "s3://out" || w.GetMode() != connect.WriteOperation_SAVE_MODE_APPEND {
			t.Errorf("writes %v", w)
		}
		out := w.GetInput().GetWithRelations()
		in := out.GetReferences()[0].GetSubqueryAlias().GetInput().GetWithRelations()
		if q := out.GetRoot().GetSql().GetQuery(); strings.Count(q, "USING '") != 1 ||
			!strings.Contains(q, " OBLIQUA_WORKER_TASK=dGFzaw== GOMAXPROCS=3 ") ||
			!strings.HasPrefix(q, "SELECT CAST(CAST(unbase64(nullif(cells[0], '\\\\N')) AS STRING) AS BIGINT) AS `the "+
				"``key```, CAST(nullif(cells[1], '\\\\N') AS DOUBLE) AS `p`, ") {
			t.Errorf("query %s", q)
		}
		read := in.GetReferences()[0].GetSubqueryAlias().GetInput().GetRead().GetDataSource()
		if read.GetFormat() != "parquet" || !slices.Equal(read.GetPaths(), []string{"s3://in"}) {
			t.Errorf("reads %v", read)
		}
	}
}

// Spark is told to compare the names of columns where it reads several CSV files; of one it couldn't say anything new.
func TestSeveralCSVFiles(t *testing.T) {
	job := rowJob
	job.Format = "csv"
	for inputs, want := range []string{"", "", "false", "false"} {
		f := (&fake{key: long, written: -1, inputs: inputs}).serve(t)
		must.Do(session(t, f).Transform(t.Context(), job))
		in := f.plans[0].GetCommand().GetWriteOperation().GetInput().GetWithRelations().GetReferences()[0].GetSubqueryAlias().
			GetInput().GetWithRelations()
		options := in.GetReferences()[0].GetSubqueryAlias().GetInput().GetRead().GetDataSource().GetOptions()
		if got := options["enforceSchema"]; got != want || options["header"] != "true" {
			t.Errorf("%d files: options %v; want enforceSchema %q", inputs, options, want)
		}
	}
}

func TestTransformRefuses(t *testing.T) {
	orc := rowJob
	orc.Format = "orc"
	shell, lines := rowJob, rowJob
	shell.Task, lines.Task = "dGFz;ls", "dGFz\nAAAA"
	for _, c := range []struct {
		job  cluster.RowJob
		fake *fake
		want string
	}{
		{shell, &fake{key: long, written: -1}, `spark: the task "dGFz;ls"; want what cluster.RowTask returns`},
		{lines, &fake{key: long, written: -1}, `spark: the task "dGFz\nAAAA"; want`},
		{orc, &fake{key: long, written: -1}, `format "orc"; want parquet or csv`},
		{rowJob, &fake{key: float, written: -1}, "spark: the key the `key` is of type float; want"},
		{rowJob, &fake{key: long, written: 2}, "spark: s3://out has 2 files in it"},
		{rowJob, &fake{key: long, written: -1, fail: status.Error(codes.Internal, "[CAST_INVALID_INPUT] abc")},
			"spark: [CAST_INVALID_INPUT] abc"},
	} {
		err := session(t, c.fake.serve(t)).Transform(t.Context(), c.job)
		readtest.WantError(t, err, c.want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e := session(t, (&fake{key: long, written: -1}).serve(t))
	cancel()
	if err := e.Transform(ctx, rowJob); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
