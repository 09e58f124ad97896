package tables

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// A shardTask asks for a file of predictions.
type shardTask struct {
	Input         input
	Shard         shard
	Header        []string `json:",omitempty"`
	Model         string
	Key           string
	Probabilities bool
	To            string // folder
	Part          int
	Job           string
}

func init() { cluster.Handle("tables.predict", predictShard) }

func predictShard(ctx context.Context, w *cluster.Worker, t shardTask) (summary, error) {
	s := summary{Job: t.Job, Part: t.Part}
	if err := t.Input.check(); err != nil {
		return s, err
	}
	model, err := cluster.Load(w, t.Model, decodeModel)
	if err != nil {
		return s, err
	}
	in, err := t.open(ctx, model.Schema().Features)
	if err != nil {
		return s, err
	}
	defer in.close()
	path := filepath.Join(t.To, partName(t.Part))
	err = atomicfile.Write(path, func(w io.Writer) error {
		out, err := newTableWriter(w, in.key(), outputs(model, t.Probabilities))
		if err != nil {
			return err
		}
		if err := t.predict(ctx, model, in, out, &s); err != nil {
			return err
		}
		return out.finish(s)
	})
	if err != nil && !strings.HasPrefix(err.Error(), "columnar: ") {
		err = fmt.Errorf("tables: %w", err)
	}
	return s, err
}

// predict writes the predictions of all rows.
func (t shardTask) predict(ctx context.Context, model *forest.Forest, in source, out *tableWriter, s *summary) error {
	rows := rowsAtATime(len(model.Schema().Features))
	for {
		b, err := in.next(rows)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		p, err := predict(ctx, model, b, t.Probabilities)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Input.Path, err)
		}
		if err := out.write(in, p); err != nil {
			return err
		}
		s.Rows += int64(b.data.N())
		for i, fault := range p.faults {
			if fault == "" {
				continue
			}
			if s.Failed++; s.First == "" {
				s.First = fmt.Sprintf("%s: %s: %s", t.Input.Path, b.where(i), fault)
			}
		}
	}
}

// rowsAtATime returns how many rows of a table are in memory at a time: as many as all cores
// predict together.
func rowsAtATime(columns int) int {
	return min(1<<13*runtime.GOMAXPROCS(0), max(1<<9, 1<<21/columns))
}

func decodeModel(b []byte) (*forest.Forest, error) {
	model := new(forest.Forest)
	return model, model.UnmarshalBinary(b)
}

// Predictions are what is known of the rows of a batch.
type predictions struct {
	classes []string
	labels  []int32     // of classes
	proba   [][]float64 // of classes; nil if not asked for
	values  []float64   // of regression
	faults  []string    // by row; "" where there is a prediction
}

// predict predicts the rows of a batch that can be predicted. It returns only ctx's error.
func predict(ctx context.Context, model *forest.Forest, b *batch, proba bool) (*predictions, error) {
	n := b.data.N()
	p := &predictions{classes: model.Classes, faults: make([]string, n)}
	for i, fault := range b.faults {
		p.faults[i] = fault
	}
	if model.Regression() {
		p.values = make([]float64, n)
	} else {
		p.labels = make([]int32, n)
	}
	if proba {
		p.proba = make([][]float64, n)
	}
	rows := make([]int32, 0, n)
	for i, fault := range p.faults {
		if fault == "" {
			rows = append(rows, int32(i))
		}
	}
	if err := p.add(ctx, model, b.data, rows); err == nil || ctx.Err() != nil {
		return p, ctx.Err()
	}
	p.weed(model, b.data, rows)
	good := slices.DeleteFunc(rows, func(i int32) bool { return p.faults[i] != "" })
	return p, p.add(ctx, model, b.data, good)
}

// add predicts the given rows. It returns an error if one of them can't be predicted.
func (p *predictions) add(ctx context.Context, model *forest.Forest, d *datasets.Dataset, rows []int32) error {
	if len(rows) == 0 {
		return nil
	}
	if len(rows) < d.N() {
		d = d.Subset(rows)
	}
	if p.values != nil {
		values, err := model.PredictValues(ctx, d)
		for k, v := range values {
			p.values[rows[k]] = v
		}
		return err
	}
	if p.proba == nil {
		labels, err := model.Predict(ctx, d)
		for k, label := range labels {
			p.labels[rows[k]] = label
		}
		return err
	}
	labels, proba, err := model.Classify(ctx, d)
	for k := range labels {
		p.labels[rows[k]], p.proba[rows[k]] = labels[k], proba[k]
	}
	return err
}

// weed finds the rows that can't be predicted by halving.
func (p *predictions) weed(model *forest.Forest, d *datasets.Dataset, rows []int32) {
	if len(rows) == 0 {
		return
	}
	err := model.Check(d.Subset(rows))
	if err == nil {
		return
	}
	if len(rows) > 1 {
		p.weed(model, d, rows[:len(rows)/2])
		p.weed(model, d, rows[len(rows)/2:])
		return
	}
	fault := err.Error()
	if _, cell, ok := strings.Cut(fault, ": row 0, "); ok { // of this subset
		fault = cell
	}
	p.faults[rows[0]] = fault
}
