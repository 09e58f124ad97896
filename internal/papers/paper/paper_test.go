package paper

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A number below another one is no more than it; above it the difference counts.
func TestNoMore(t *testing.T) {
	than := Number{Value: 1, StdErr: 0.1}
	for ours, want := range map[float64]Verdict{0.2: Agrees, 1.1: Agrees, 1.4: Disagrees} {
		if got := Same.Verdict(NoMore(Number{Value: ours, StdErr: 0.1}, than)); got != want {
			t.Errorf("%v no more than 1: %s; want %s", ours, got, want)
		}
	}
}

func TestGridOrder(t *testing.T) {
	g := Grid{Problems: []string{"a", "b"}, Methods: []string{"m"}, X: []int{1, 2}, Repeats: 2, Order: "xprm"}
	var got []string
	for _, r := range g.Runs() {
		got = append(got, r.String())
	}
	want := []string{"a, m, 1, repeat 1, seed 1", "a, m, 1, repeat 2, seed 2", "b, m, 1, repeat 1, seed 1",
		"b, m, 1, repeat 2, seed 2", "a, m, 2, repeat 1, seed 1", "a, m, 2, repeat 2, seed 2", "b, m, 2, repeat 1, seed 1",
		"b, m, 2, repeat 2, seed 2"}
	if !slices.Equal(got, want) {
		t.Errorf("runs %q", got)
	}
	if one := (Grid{Problems: []string{"a"}, Methods: []string{"m"}, Seed: 7}).Runs(); len(one) != 1 || one[0].Seed != 7 {
		t.Errorf("runs %v", one)
	}
}

// repository returns a folder with results of an experiment of two problems, with scores 1 and 3 of method a and 2 and
// 5 of method b on problem p, and a printed table.
func repository(t *testing.T) (root string, e *Experiment) {
	root = t.TempDir()
	for path, text := range map[string]string{
		"docs/results/e.csv": strings.Join(Header, ",") + "\n" +
			"p,a,1,1,1,1,,1800,k=4,c,d\np,a,1,2,2,3,,1800,k=6,c,d\np,b,1,1,1,2,,0,,c,d\np,b,1,2,2,5,,0,,c,d\n" +
			"q,a,1,1,1,8,,0,k=1,c,d\nq,b,1,1,1,torn",
		"testdata/t.csv": "set,RF,RF ±,how,CART\np,2.50,0.1,by eye,1e1\nq,,,,3\n",
	} {
		path = filepath.Join(root, path)
		must.Do(os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(os.WriteFile(path, []byte(text), 0o666))
	}
	return root, &Experiment{Name: "e", File: "e.csv",
		Grids: []Grid{{Problems: []string{"p", "q"}, Methods: []string{"a", "b"}, X: []int{1}, Repeats: 2}}}
}

func TestResults(t *testing.T) {
	root, e := repository(t)
	r := &Results{Root: root}
	part := Part{Experiment: e, Problems: []string{"p"}, Methods: []string{"a"}}
	means := r.Means(part)
	if len(means) != 1 || means[0].Score != (Number{Value: 2, StdErr: 1, Degrees: 1}) || means[0].Measure("k") != 5 ||
		means[0].Seconds != 1800 || !math.IsNaN(means[0].Measure("no")) {
		t.Errorf("means %+v", means)
	}
	if none := r.Records(Part{Experiment: &Experiment{File: "none.csv"}}); none != nil || r.Err != nil {
		t.Errorf("records %v, error %v", none, r.Err)
	}
	printed := r.Printed("t.csv")
	if !slices.Equal(printed.Columns, []string{"RF", "CART"}) || printed.At("p", "RF") != (Number{2.5, 0.1, 0.005, 0}) ||
		printed.At("p", "CART").Rounding != 5 || !math.IsNaN(printed.At("q", "RF").Value) || r.Err != nil {
		t.Errorf("printed %+v, error %v", printed, r.Err)
	}
	must.Do(os.WriteFile(filepath.Join(root, "testdata", "bad.csv"), []byte("set,RF\na,1\nb,x\n"), 0o666))
	r.Printed("bad.csv")
	if r.Err == nil || !strings.Contains(r.Err.Error(), "bad.csv:3: RF") {
		t.Errorf("error %v; want one with file, line and column", r.Err)
	}
}

// By hand: of two differences, −1 and −2, the mean is −1.5 and the standard error 0.5.
func TestLess(t *testing.T) {
	root, e := repository(t)
	r := &Results{Root: root}
	a, b := e.By("a").Of(nil), e.By("b").Of(nil)
	if f := Less(a, b)(r); f.Difference != (Number{Value: -1.5, StdErr: 0.5, Degrees: 1}) || Below.Verdict(f) != CantTell {
		t.Errorf("%+v, %v", f, Below.Verdict(f))
	}
	if n := a.Mean(r); n.Value != 5 || n.StdErr != 3 { // of the problems' means 2 and 8
		t.Errorf("mean %+v", n)
	}
	if f := a.PrintedSets("t.csv", "CART", 1)(r); f.Ours.Value != 5 || f.Paper.Value != 6.5 || f.Difference.Value != -1.5 {
		t.Errorf("%+v", f)
	}
}

func TestVerdicts(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		sign              Sign
		value, se, digits float64
		want              Verdict
	}{
		{Same, 0.1, 0.05, 0, Agrees}, {Same, -0.11, 0.05, 0, Disagrees}, {Same, 0.05, nan, 0.05, Agrees},
		{Same, 0.06, nan, 0.05, CantTell}, {Same, 0.06, 0, 0.05, Disagrees}, {Same, nan, 1, 0, ""},
		{Same, 0.14, 0.05, 0.05, Agrees}, {Same, -0.16, 0.05, 0.05, Disagrees}, {Above, 0.14, 0.05, 0.05, Agrees},
		{Below, -0.3, 0.1, 0, Agrees}, {Below, 0.3, 0.1, 0, Disagrees}, {Below, 0.1, 0.1, 0, CantTell},
		{Above, 0.3, 0.1, 0, Agrees}, {Above, -0.2, 0.1, 0, CantTell}, {Above, 1, nan, 0, CantTell},
	} {
		if got := c.sign.Verdict(Finding{Paper: Exact(1), Difference: Number{c.value, c.se, c.digits, 0}}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	// A printed 0.3 that can't be told from 0 says nothing of ours, unless it is within the rounding.
	for digits, want := range map[float64]Verdict{0: CantTell, 0.05: Agrees} {
		if got := Same.Verdict(Finding{Paper: Exact(0.3), Difference: Number{0.05, 0.2, digits, 0}}); got != want {
			t.Errorf("rounding %v: %q", digits, got)
		}
	}
	// Welch's degrees of freedom: (0.3² + 0.4²)²/(0.3⁴/2 + 0.4⁴/8).
	for _, c := range []struct{ n, m, want Number }{
		{Number{3, 0.3, 0.5, 0}, Number{1, 0.4, 0, 0}, Number{2, 0.5, 0.5, 0}},
		{Number{3, 0.3, 0, 4}, Number{1, nan, 0.5, 0}, Number{2, 0.3, 0.5, 4}},
		{Number{3, 0.3, 0, 2}, Number{1, 0.4, 0, 8}, Number{2, 0.5, 0, 0.0625 / (0.0081/2 + 0.0256/8)}},
	} {
		d := c.n.Minus(c.m)
		if math.Abs(d.Degrees-c.want.Degrees) > 1e-12 {
			t.Errorf("%+v less %+v: %+v", c.n, c.m, d)
		}
		if d.Degrees = c.want.Degrees; d != c.want {
			t.Errorf("%+v less %+v: %+v", c.n, c.m, d)
		}
	}
	// Quantiles of Student's t at 0.97725, from SciPy 1.17.1.
	for degrees, want := range map[float64]float64{0: 2, 1: 13.96773, 2: 4.526537, 4: 2.869309, 30: 2.086844} {
		if got := (Number{0, 1, 0, degrees}).bound(); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%v degrees of freedom: %v", degrees, got)
		}
	}
}

func TestStates(t *testing.T) {
	root, e := repository(t)
	r := &Results{Root: root}
	p := Part{Experiment: e, Problems: []string{"p"}}
	q := Part{Experiment: e}
	for _, c := range []struct {
		what string
		f    Figure
		want State
	}{
		{"nowhere", Figure{}, Missing}, {"an algorithm", Figure{Place: "forest/rf"}, Full},
		{"all", Figure{Place: "n", Of: []Part{p}, Paper: Protocol{Repeats: 2, Trees: 500, Sets: 1}}, Full},
		{"more repeats", Figure{Place: "n", Of: []Part{p}, Paper: Protocol{Repeats: 3}}, Reduced},
		{"fewer trees", Figure{Place: "n", Of: []Part{p}, Paper: Protocol{Trees: 500}, Here: Protocol{Trees: 100}}, Reduced},
		{"other settings", Figure{Place: "n", Of: []Part{p}, Here: Protocol{Settings: "λ = 1"}}, Reduced},
		{"other settings by results", Figure{Place: "n", Of: []Part{p}, Fill: func(_ *Results, here *Protocol) {
			here.Methods = "without c"
		}}, Reduced},
		{"more sets", Figure{Place: "n", Of: []Part{p}, Paper: Protocol{Sets: 2}}, Reduced},
		{"no more sets", Figure{Place: "n", Of: []Part{p}, Paper: Protocol{Sets: 2}, Lacks: "q"}, Full},
		{"larger sizes", Figure{Place: "n", Of: []Part{p}, Paper: Protocol{From: 1, To: 9}}, Reduced},
		{"half of q", Figure{Place: "n", Of: []Part{q}}, Reduced},
		{"nothing", Figure{Place: "n", Of: []Part{{Experiment: e, Methods: []string{"c"}}}}, Missing},
	} {
		if got := c.f.State(c.f.Count(r)); got != c.want || r.Err != nil {
			t.Errorf("%s is %s, want %s (%v)", c.what, got, c.want, r.Err)
		}
	}
	if c := (&Figure{Of: []Part{q}, Paper: Protocol{Repeats: 5}}).Count(r); c.Done != 5 || c.Wanted != 8 || c.Hours != 1 ||
		c.String() != "1 to 2 repeats" {
		t.Errorf("count %+v", c)
	}
}

// Runs that are less stand for those that aren't done, and the figure is reduced. Once these are done, nothing stands.
func TestStandIns(t *testing.T) {
	root, e := repository(t)
	r := &Results{Root: root}
	p := Part{Experiment: e, Problems: []string{"p"}}
	open := Experiment{File: "none.csv", Grids: []Grid{{Problems: []string{"p"}, Methods: []string{"c"}}}}
	for _, c := range []struct {
		of    Part
		state State
		text  string
	}{{open.On(), Reduced, "1 sets, less"}, {p, Full, "1 sets"}} {
		f := Figure{Place: "n", Of: []Part{c.of}, Paper: Protocol{Sets: 1},
			Until: StandIn{For: []Part{c.of}, Of: []Part{p}, Here: Protocol{Tuning: "less"}}}
		count := f.Count(r)
		if state := f.State(count); state != c.state || count.String() != c.text {
			t.Errorf("%s, %q; want %s, %q", state, count.String(), c.state, c.text)
		}
	}
}

// Of the lines of the file those of a prefix, known methods and a first measure are records.
func TestClassified(t *testing.T) {
	root := t.TempDir()
	must.Do(os.MkdirAll(filepath.Join(root, "docs", "results"), 0o755))
	must.Do(os.WriteFile(filepath.Join(root, "docs", "results", ClassifiersFile), []byte(
		"set,method,split,measure,score,setting,seconds,version,date\n"+
			"hrf/iri,CAT,2,error,0.25,defaults,3,c 1,2026-11-22\nhrf/iri,SVM,1,error,0.5,,1,c 1,2026-11-22\n"+
			"fd_iris,CAT,1,kappa,0.5,,1,c 1,2026-11-22\nhrf/iri,CAT,2,train error,0,,3,c 1,2026-11-22\n"), 0o600))
	r := &Results{Root: root}
	e := Experiment{Read: Classified("hrf/", map[string]string{"CAT": "CatBoost"})}
	got := r.Records(e.On())
	if len(got) != 1 || got[0].Run != (Run{Problem: "iri", Method: "CatBoost", Repeat: 2}) || got[0].Score != 0.25 ||
		got[0].Seconds != 3 || r.Err != nil {
		t.Errorf("%+v, %v", got, r.Err)
	}
}

// Of two sets the first has both numbers, and the second lacks one of ours.
func TestBeside(t *testing.T) {
	numbers := map[string]Number{"a RF": {70, 1, 0.05, 0}, "a HRF": {80, 1, 0.05, 0}, "b RF": {60, 1, 0.05, 0},
		"b HRF": None}
	table := Beside{Row: "set", Rows: []string{"a", "b"}, Columns: []string{"RF", "HRF"}, Places: 1, Best: floats.Max,
		Paper: func(row, column string) Number { return Exact(numbers[row+" "+column].Value + 3) },
		Ours:  func(row, column string) Number { return numbers[row+" "+column] }}.Table()
	want := [][]string{{"a", "73.0", "70.0 ± 1.0 ≠", "*83.0", "*80.0 ± 1.0 ≠"}, {"b", "63.0", "60.0 ± 1.0 ≠", "–", "–"},
		{"mean", "68.0", "65.0", "83.0", "80.0"}}
	for i, row := range want {
		if !slices.Equal(table.Rows[i], row) {
			t.Errorf("row %q, want %q", table.Rows[i], row)
		}
	}
}

// Of different units there are quotients: of 2 and 4 here and 1 and 8 in the paper the geometric mean is 1.
func TestBesideUnits(t *testing.T) {
	numbers := func(a, b float64) func(row, column string) Number {
		return func(row, _ string) Number { return Exact(map[string]float64{"a": a, "b": b}[row]) }
	}
	table := Beside{Row: "set", Rows: []string{"a", "b"}, Columns: []string{"RF"}, Units: true, Ours: numbers(2, 4),
		Paper: numbers(1, 8)}.Table()
	if last := table.Rows[2]; last[1] != "" || last[2] != "1.00" {
		t.Errorf("last row %q", last)
	}
}

func TestQueue(t *testing.T) {
	root, e := repository(t)
	path := filepath.Join(root, "queue.csv")
	must.Do(os.WriteFile(path, []byte("experiment,match,repeats,hours,why\ne,\"^p, b\",1,2,because\n"), 0o666))
	queue, err := ReadQueue(path, []*Experiment{e})
	if err != nil || len(queue) != 1 || queue[0].Hours != 2 {
		t.Fatalf("queue %+v, error %v", queue, err)
	}
	for _, run := range e.Runs() {
		if want := run.Problem == "p" && run.Method == "b" && run.Repeat == 1; queue[0].Only(run) != want {
			t.Errorf("%v is wanted: %v", run, !want)
		}
	}
	_, err = ReadQueue(path, nil)
	readtest.WantError(t, err, "queue.csv:2: experiment: ")
}

func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		v      float64
		places int
		want   string
	}{{-0.04, 1, "0.0"}, {-0.06, 1, "−0.1"}, {math.NaN(), 1, "–"}, {2, 0, "2"}} {
		if got := Decimals(c.v, c.places); got != c.want {
			t.Errorf("%v is %q, want %q", c.v, got, c.want)
		}
	}
	if got := short(Number{Value: 0.012345, StdErr: 0.00123}); got != "0.0123 ± 0.0012" {
		t.Error(got)
	}
}

// By hand: of 1, 2 and 4 the median is 2, and the median distance from it 1.
func TestMedian(t *testing.T) {
	n := Median([]float64{4, 1, 2})
	if math.Abs(n.Value-2) > 1e-9 || math.Abs(n.StdErr-1.4826*math.Sqrt(math.Pi/6)) > 1e-9 {
		t.Errorf("%v", n)
	}
}

// A figure is shown instead of another one until each of that one's runs is there, and its files are whole.
func TestInsteadUntilRunsAreThere(t *testing.T) {
	e := Experiment{Name: "e", File: "e.csv", Grids: []Grid{{Problems: []string{"p"}, Methods: []string{"few", "all"},
		Repeats: 3}}}
	whole := true
	few := Figure{Name: "few", Of: []Part{e.By("few")}}
	p := Paper{Figures: []Figure{{Name: "all", Place: "n", Of: []Part{e.By("all")}, Instead: &few,
		Whole: func(*Results) bool { return whole }}}}
	for _, c := range []struct {
		done  int
		whole bool
		want  string
	}{{0, true, "few"}, {2, true, "few"}, {3, false, "few"}, {3, true, "all"}} {
		var records []Record
		for _, run := range e.By("all").Runs()[:c.done] {
			records = append(records, Record{Run: run})
		}
		r := new(Results)
		r.Use(&e, records)
		whole = c.whole
		if got := p.Items(r)[0].Name; got != c.want {
			t.Errorf("%d runs, files whole %v: %q is shown, want %q", c.done, c.whole, got, c.want)
		}
	}
}
