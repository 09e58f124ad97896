package old

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// setSizes measures the data sets of four papers as our experiments have them; the method is the paper. They are HRF's
// table 3, TAO's table 1, GRAF's table C.1 and the first columns of SPORF's table 1. The score is the number of
// rows, test rows included. More has the numbers of test rows, features, classes and missing cells, and for GRAF how
// many principal components of the standardised features have 50, 70 and 90 % of their variance.
func setSizes(s size) (runs []Run) {
	of := func(paper string, sets []problem, do ...action) {
		measured := study{problems: sets, methods: []method{{name: paper}}, do: func(ctx context.Context, t *trial) error {
			for _, do := range append(do, sized) {
				if err := do(ctx, t); err != nil {
					return err
				}
			}
			return nil
		}}
		runs = append(runs, measured.runs()...)
	}
	load := func(set func(ctx context.Context, name string) (*datasets.Dataset, error)) action {
		return func(ctx context.Context, t *trial) (err error) {
			t.train, err = set(ctx, t.Problem)
			return err
		}
	}
	collection := func(ctx context.Context, name string) (*datasets.Dataset, error) { return public.Load(ctx, "fd_"+name) }
	of("GRAF", problems(pick(s, grafSets[:3], grafSets), load(collection)), components)
	return runs
}

// sized sets the sizes of the trial's data.
func sized(_ context.Context, t *trial) error {
	t.Score = float64(t.train.N())
	t.More["features"], t.More["classes"] = float64(t.train.P()), float64(len(t.train.Classes))
	missing := 0
	for _, d := range []*datasets.Dataset{t.train, t.test} {
		if d == nil {
			continue
		}
		for j := range d.P() {
			for _, v := range d.Column(nil, j) {
				if v != v {
					missing++
				}
			}
		}
	}
	t.More["missing"] = float64(missing)
	if t.test != nil {
		t.Score += float64(t.test.N())
		t.More["test"] = float64(t.test.N())
	}
	return nil
}

// components sets how many principal components have 50, 70 and 90 % of the variance of the standardised features.
func components(ctx context.Context, t *trial) error {
	_, d, err := datasets.Steps{datasets.Impute{}, datasets.Standardise{}}.Fit(ctx, t.train)
	if err != nil {
		return err
	}
	explained := explained(cells(d))
	if explained == nil {
		return fmt.Errorf("%s: no principal components", t.Problem)
	}
	for _, percent := range []float64{50, 70, 90} {
		t.More[fmt.Sprintf("pc%g", percent)] = float64(reaching(explained, percent/100))
	}
	return nil
}

// cells returns the data's cells as an n×p matrix.
func cells(d *datasets.Dataset) *mat.Dense {
	x := mat.NewDense(d.N(), d.P(), nil)
	for j := range d.P() {
		for i, v := range d.Column(nil, j) {
			x.Set(i, j, float64(v))
		}
	}
	return x
}

// explained returns the shares of the variance of the columns that the first one, two, … principal components have
// together; nil if there are none.
func explained(x mat.Matrix) (shares []float64) {
	var pc stat.PC
	if !pc.PrincipalComponents(x, nil) {
		return nil
	}
	shares = pc.VarsTo(nil)
	floats.CumSum(shares, shares)
	floats.Scale(1/shares[len(shares)-1], shares)
	return shares
}

// reaching returns how many components explain a share of the variance.
func reaching(explained []float64, share float64) int {
	return 1 + slices.IndexFunc(explained, func(v float64) bool { return v >= share })
}

// SetsTable is a paper's table of data sets: numbers of ours, and the paper's in brackets where they differ. The paper
// is "HRF", "TAO", "GRAF" or "SPORF", and the file has its table. A column "n_train+n_test=rows" compares the sum of
// columns of the file with the rows or another number of [setSizes].
func SetsTable(title, paper, file string, columns ...string) nb.Table {
	table := nb.Table{Title: title, Columns: []string{"set"}}
	theirs, names := make([][]string, len(columns)), []string{}
	for j, c := range columns {
		printed, ours, _ := strings.Cut(c, "=")
		theirs[j], table.Columns = strings.Split(printed, "+"), append(table.Columns, ours)
		names = append(names, theirs[j]...)
	}
	published := nb.Value(ReadTable(file, names...))
	ours := map[string]map[string]float64{}
	for _, r := range Committed("sets") {
		if r.Method == paper {
			ours[r.Problem] = r.More
			r.More["rows"] = r.Score
		}
	}
	var missing []string
	sets, differ := 0, make([]int, len(columns))
	for _, set := range slices.Sorted(maps.Keys(published)) {
		our, ok := ours[set]
		if !ok {
			missing = append(missing, set)
			continue
		}
		cells, other := []string{set}, 0
		for j, name := range table.Columns[1:] {
			printed := 0.0
			for _, part := range theirs[j] {
				printed += published[set][part]
			}
			cell := fmt.Sprint(our[name])
			if printed != our[name] {
				cell += fmt.Sprintf(" (%v)", printed)
				differ[j]++
				other = 1
			}
			cells = append(cells, cell)
		}
		sets += other
		table.Add(cells...)
	}
	table.Note = fmt.Sprintf("The paper's number is in brackets where it differs, on %d of %d sets", sets, len(table.Rows))
	for j, n := range differ {
		table.Note += fmt.Sprintf(", %s on %d", table.Columns[j+1], n)
	}
	table.Note += ". Not here: " + strings.Join(missing, ", ") + "."
	return table
}
