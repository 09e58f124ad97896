package paper

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

// A Number is a number with its uncertainty.
type Number struct {
	Value    float64
	StdErr   float64 // NaN if unknown
	Rounding float64 // half of the last digit, of a printed number
	Degrees  float64 // of freedom, of the standard error; 0 means many
}

// None stands for a number that isn't there.
var None = Number{Value: math.NaN(), StdErr: math.NaN()}

// Exact returns a number without an error.
func Exact(v float64) Number { return Number{Value: v} }

// Unsure returns a number whose error is unknown.
func Unsure(v float64) Number { return Number{Value: v, StdErr: math.NaN()} }

// MeanOf returns n as the mean of k values of which it has the standard deviation.
func (n Number) MeanOf(k int) Number {
	n.StdErr /= math.Sqrt(float64(k))
	n.Degrees = float64(k - 1)
	return n
}

// Minus returns the difference of independent numbers, with the degrees of freedom of Welch and Satterthwaite. If one
// standard error is unknown, the other one counts.
func (n Number) Minus(m Number) Number {
	d := Number{Value: n.Value - m.Value, Rounding: n.Rounding + m.Rounding}
	fourth := 0.0 // Σ StdErr⁴/Degrees
	for _, of := range []Number{n, m} {
		if !math.IsNaN(of.StdErr) {
			d.StdErr = math.Hypot(d.StdErr, of.StdErr)
			if of.Degrees > 0 {
				fourth += math.Pow(of.StdErr, 4) / of.Degrees
			}
		}
	}
	if math.IsNaN(n.StdErr) && math.IsNaN(m.StdErr) {
		d.StdErr = math.NaN()
	}
	if fourth > 0 {
		d.Degrees = math.Pow(d.StdErr, 4) / fourth
	}
	return d
}

// bound returns two standard errors, or as many more as the quantile of Student's t has where they are of few values.
func (n Number) bound() float64 {
	if n.Degrees == 0 {
		return 2 * n.StdErr
	}
	return n.StdErr * distuv.StudentsT{Sigma: 1, Nu: n.Degrees}.Quantile(distuv.UnitNormal.CDF(2))
}

// Times returns the number in a smaller or larger unit.
func (n Number) Times(factor float64) Number {
	n.Value *= factor
	n.StdErr *= math.Abs(factor)
	n.Rounding *= math.Abs(factor)
	return n
}

// A Sign says what a paper claims of a difference.
type Sign int

// The claims that there are.
const (
	Same  Sign = 0  // there is none: ours is the printed number
	Below Sign = -1 // it is below 0
	Above Sign = 1  // it is above 0
)

// A Verdict says whether ours agrees with a paper.
type Verdict string

// The verdicts. The empty one is that of a claim whose runs are missing.
const (
	Agrees    Verdict = "agrees"
	Disagrees Verdict = "disagrees"
	CantTell  Verdict = "can't tell"
)

// A Claim is what a paper says that a number can decide.
type Claim struct {
	Says string // in the paper's words, such as "SPORF's error is below RF's with 5000 rows"
	Sign Sign
	Find func(r *Results) Finding
}

// A Finding is what a claim compares. Ours and Paper may be None; the verdict is of Difference.
type Finding struct {
	Ours, Paper, Difference Number
}

// Found returns the finding of a number of ours that is a difference itself.
func Found(d Number) Finding { return Finding{Ours: d, Paper: None, Difference: d} }

// Against returns the finding of a number of ours and the printed one.
func Against(ours, printed Number) Finding { return Finding{ours, printed, ours.Minus(printed)} }

// Paired returns the finding of our numbers and the paper's in the same order: their means, and that of ours less the
// paper's.
func Paired(ours, theirs []float64) Finding {
	differences := floats.SubTo(make([]float64, len(ours)), ours, theirs)
	return Finding{NumberOf(ours), NumberOf(theirs), NumberOf(differences)}
}

// NoMore returns the finding of a claim that ours isn't above another number. Being below it is no difference.
func NoMore(ours, than Number) Finding {
	f := Against(ours, than)
	f.Difference.Value = max(0, f.Difference.Value)
	return f
}

// Beyond returns the finding of a number of ours that a claim has below or above a bound.
func Beyond(ours Number, bound float64) Finding { return Finding{ours, None, ours.Minus(Exact(bound))} }

// Verdict judges a finding. A printed number agrees with ours if the difference is within two standard errors of both
// (more where they are of few values: as many as Student's t has) and the print's rounding, unless 0 is within as many
// standard errors of the printed number. It agrees, too, if the difference is within the rounding alone. An order
// agrees if the difference is beyond two standard errors on the claimed side, and disagrees if it is so on the other
// side. Otherwise, and where no standard error is known, nobody can tell.
func (s Sign) Verdict(f Finding) Verdict {
	d, bound := f.Difference.Value, f.Difference.bound()
	rounding := f.Difference.Rounding * (1 + 1e-9)
	near := s == Same && math.Abs(d) <= bound+rounding
	switch {
	case math.IsNaN(d):
		return ""
	case s == Same && math.Abs(d) <= rounding:
		return Agrees
	case math.IsNaN(bound) || near && math.Abs(f.Paper.Value) <= bound:
		return CantTell
	case near || s != Same && float64(s)*d > bound:
		return Agrees
	case s != Same && float64(s)*d >= -bound:
		return CantTell
	}
	return Disagrees
}

// A Measure is one of the numbers of a record.
type Measure func(r Record) float64

// Score is the measure of most claims.
func Score(r Record) float64 { return r.Score }

// More returns the measure of a name, NaN where a record hasn't got it.
func More(name string) Measure {
	return func(r Record) float64 {
		if v, ok := r.More[name]; ok {
			return v
		}
		return math.NaN()
	}
}

// A Series is a measure of an experiment's part.
type Series struct {
	Part
	Measure // nil means Score
}

// A pair is what the runs of two series share.
type pair struct {
	problem   string
	x, repeat int
}

func (s Series) values(r *Results) map[pair]float64 {
	measure, values := s.Measure, map[pair]float64{}
	if measure == nil {
		measure = Score
	}
	for _, record := range r.Records(s.Part) {
		if v := measure(record); !math.IsNaN(v) {
			values[pair{record.Problem, record.X, record.Repeat}] = v
		}
	}
	return values
}

// List returns the numbers of the series in the order of the records.
func (s Series) List(r *Results) (all []float64) {
	for _, record := range r.Records(s.Part) {
		all = append(all, s.Measure(record))
	}
	return all
}

// summary returns the mean of values, with its standard error over problems, or over repeats if there is one problem.
func summary(values map[pair]float64) Number {
	keys := make([]pair, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.problem, b.problem), cmp.Compare(a.x, b.x), cmp.Compare(a.repeat, b.repeat))
	})
	order, problems := Grouped(keys, func(p pair) string { return p.problem })
	var all, means []float64
	for _, problem := range order {
		var of []float64
		for _, key := range problems[problem] {
			of = append(of, values[key])
		}
		all, means = append(all, of...), append(means, eval.Mean(of))
	}
	if len(means) == 1 {
		return NumberOf(all)
	}
	return NumberOf(means)
}

// Mean returns the mean of a series. Its standard error is that over problems, or over repeats if there is one problem.
func (s Series) Mean(r *Results) Number { return summary(s.values(r)) }

// Alone finds the mean of a series that is a difference itself.
func (s Series) Alone(r *Results) Finding {
	return Found(s.Mean(r))
}

// Less finds the difference of two series, a − b, on the problems, X and repeats that both have.
func Less(a, b Series) func(r *Results) Finding {
	return func(r *Results) Finding {
		differences, base := a.values(r), b.values(r)
		for key, v := range differences {
			if w, ok := base[key]; ok {
				differences[key] = v - w
			} else {
				delete(differences, key)
			}
		}
		return Found(summary(differences))
	}
}

// Printed finds the difference of a series from a printed number.
func (s Series) Printed(number Number) func(r *Results) Finding {
	return func(r *Results) Finding {
		return Against(s.Mean(r), number)
	}
}

// PrintedSets finds the mean difference of a series from a column of a printed table, over the problems that are its
// rows. A printed number times factor has our unit. The standard error is that over problems.
func (s Series) PrintedSets(table, column string, factor float64) func(r *Results) Finding {
	return func(r *Results) Finding {
		var ours, theirs []float64
		printed := r.Printed(table)
		for _, m := range MeansOf(s.measured(r)) {
			if their := printed.At(m.Problem, column).Times(factor).Value; !math.IsNaN(their) {
				ours, theirs = append(ours, m.Score.Value), append(theirs, their)
			}
		}
		return Paired(ours, theirs)
	}
}

// measured returns the records with the measure as their score and one cell a problem.
func (s Series) measured(r *Results) (records []Record) {
	for _, record := range r.Records(s.Part) {
		if s.Measure != nil {
			record.Score = s.Measure(record)
		}
		record.Method, record.X = "", 0
		if !math.IsNaN(record.Score) {
			records = append(records, record)
		}
	}
	return records
}

// Text returns the number with so many decimals, and its standard error if it has one. None is "–".
func (n Number) Text(places int) string {
	if math.IsNaN(n.Value) {
		return "–"
	}
	text := Decimals(n.Value, places)
	if n.StdErr > 0 {
		text += " ± " + Decimals(n.StdErr, places)
	}
	return text
}

// Decimals formats a number with so many decimals and a proper minus. NaN is "–".
func Decimals(v float64, places int) string {
	if math.IsNaN(v) {
		return "–"
	}
	text := strconv.FormatFloat(math.Abs(v), 'f', places, 64)
	if v < 0 && text != strconv.FormatFloat(0, 'f', places, 64) {
		return "−" + text
	}
	return text
}
