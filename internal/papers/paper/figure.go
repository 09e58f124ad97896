package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/viz"
)

// A Paper is a paper's room: its experiments, and its figures in the paper's order.
type Paper struct {
	Key         string // "sporf"
	Name        string // "SPORF"
	Experiments []*Experiment
	Figures     []Figure
}

// A Figure is a figure, table or algorithm of a paper.
type Figure struct {
	Name  string // in the paper, such as "Figure 2C", "Table 5" or "Algorithm 1"
	Shows string // what one sees, such as "error on sparse parity against the number of rows"
	Place string // where it is: a notebook and its heading, "sporf#Figure 2", or a folder; "" if nowhere
	Ours  bool   // beside the paper, or the whole of panels that are counted: it is shown, and isn't counted

	Paper Protocol // of the paper
	Here  Protocol // ours, where it can't be counted: fields that are 0 or empty are as in the paper
	// Fill sets fields of Here by results that no experiment has written; nil sets none.
	Fill func(r *Results, here *Protocol)

	Of    []Part   // the runs behind it
	Until StandIn  // what is shown of sets whose runs aren't done
	Files []string // in docs/results, which no experiment has written
	Lacks string   // which data can't be had
	Note  string   // what is different and not less

	// Instead is the figure as it is while runs behind this one are missing, with fewer or other runs. Whole says that the
	// files have all that this one needs. Either may be nil.
	Instead *Figure
	Whole   func(r *Results) bool

	Draw   func(r *Results) Drawing // nil if there is nothing to draw
	Claims []Claim
}

// A Protocol is how much of a figure there is. Fields are 0 or empty where there is nothing to say.
type Protocol struct {
	Sets, Repeats, Trees, Passes int
	MostRepeats                  int    // of ours, counted: where some cells have more repeats than others
	From, To                     int    // least and largest X
	Tuning                       string // what was tuned, and how
	Settings                     string // such as "λ = 0.01"
	Methods                      string // which methods there are
}

// A StandIn is runs that are less than the paper's, with their protocol. On problems that lack runs of For they are
// shown in their place. They aren't wanted themselves.
type StandIn struct {
	For, Of []Part
	Here    Protocol
}

// A Drawing is what a figure looks like.
type Drawing struct {
	Chart  viz.Chart // nil if the figure is a table; a grid if it has panels
	Tables []viz.Table
}

// Draw returns a drawing of a chart, which may be nil, and tables.
func Draw(chart viz.Chart, tables ...viz.Table) Drawing { return Drawing{chart, tables} }

// A State says how much of a figure is reproduced.
type State string

// The states.
const (
	Full    State = "full"    // the paper's protocol on all data that can be had
	Reduced State = "reduced" // something is less
	Missing State = "missing" // nothing of it is there
)

// A Count is what was run for a figure.
type Count struct {
	Done, Wanted int // runs
	Hours        float64
	Protocol          // ours, with what was counted
	short        bool // a cell has fewer repeats than the paper has, and than are wanted
	standIn      bool // runs that are less stand for some
}

// Shown returns the figure, or the one that is instead of it while runs are missing.
func (f *Figure) Shown(r *Results) *Figure {
	for f.Instead != nil && (f.Count(r).short || f.Whole != nil && !f.Whole(r)) {
		f = f.Instead
	}
	return f
}

// Count counts the runs behind a figure.
func (f *Figure) Count(r *Results) Count {
	c := Count{Protocol: f.Here}
	repeats, problems, wanted := map[Cell]int{}, map[string]bool{}, map[Cell]int{}
	for _, part := range f.Of {
		for _, run := range part.Runs() {
			wanted[run.Cell()]++
			c.Wanted++
		}
		for _, record := range r.Records(part) {
			if wanted[record.Cell()] == 0 {
				continue // a run that isn't listed any more
			}
			repeats[record.Cell()]++
			problems[record.Problem] = true
			c.Done++
			c.Hours += record.Seconds / 3600
		}
	}
	for cell, n := range wanted {
		if f.Paper.Repeats > 0 {
			n = min(n, f.Paper.Repeats)
		}
		c.short = c.short || repeats[cell] < n
	}
	c.addStandIns(f.Until, r, problems)
	if f.Fill != nil {
		f.Fill(r, &c.Protocol)
	}
	if len(problems) == 0 {
		return c
	}
	if c.fill(f.Paper, problems, repeats); r.Most > 0 && c.Trees > r.Most {
		c.Trees = r.Most
	}
	return c
}

// addStandIns adds the problems of runs that stand for others, and takes their protocol if there are any.
func (c *Count) addStandIns(until StandIn, r *Results, problems map[string]bool) {
	for _, part := range until.Of {
		for _, record := range r.Records(part) {
			if until.stands(r, record.Problem) {
				problems[record.Problem], c.standIn = true, true
			}
		}
	}
	if c.standIn {
		c.Protocol = until.Here
	}
}

// stands reports whether a problem lacks runs.
func (s StandIn) stands(r *Results, problem string) bool {
	for _, part := range s.For {
		here := Part{part.Experiment, []string{problem}, part.Methods, part.X}
		if len(r.Records(here)) < len(here.Runs()) {
			return true
		}
	}
	return false
}

// fill sets what can be counted, where the paper has it.
func (c *Count) fill(paper Protocol, problems map[string]bool, repeats map[Cell]int) {
	set := func(ours *int, theirs, counted int) {
		if *ours == 0 && theirs > 0 {
			*ours = counted
		}
	}
	var xs []int
	for cell := range repeats {
		xs = append(xs, cell.X)
	}
	set(&c.Sets, paper.Sets, len(problems))
	if of := slices.Collect(maps.Values(repeats)); len(of) > 0 {
		set(&c.Repeats, paper.Repeats, slices.Min(of))
		set(&c.MostRepeats, paper.Repeats, slices.Max(of))
		set(&c.From, paper.From, slices.Min(xs))
		set(&c.To, paper.To, slices.Max(xs))
	}
	set(&c.Trees, paper.Trees, paper.Trees)
	set(&c.Passes, paper.Passes, paper.Passes)
}

// State judges a count: a figure is reduced if any field of the protocol is less than the paper's or other than it.
func (f *Figure) State(c Count) State {
	less := func(ours, theirs int) bool { return ours > 0 && ours < theirs }
	p := f.Paper
	switch {
	case f.Place == "" || len(f.Of) > 0 && c.Done == 0 && !c.standIn:
		return Missing
	case c.short, less(c.Trees, p.Trees), less(c.Passes, p.Passes), less(c.Repeats, p.Repeats), less(p.From, c.From),
		less(c.To, p.To), less(c.Sets, p.Sets) && f.Lacks == "",
		c.Tuning+c.Settings+c.Methods != "":
		return Reduced
	}
	return Full
}

// repeats returns the least and the largest number of repeats, or the only one.
func (p Protocol) repeats() string {
	if p.MostRepeats > p.Repeats {
		return fmt.Sprintf("%d to %d", p.Repeats, p.MostRepeats)
	}
	return fmt.Sprint(p.Repeats)
}

// String returns the protocol in words, such as "105 sets × 5, 500 trees, x from 1000 to 10000".
func (p Protocol) String() string {
	var parts []string
	add := func(format string, values ...any) { parts = append(parts, fmt.Sprintf(format, values...)) }
	switch {
	case p.Sets > 0 && max(p.Repeats, p.MostRepeats) > 1:
		add("%d sets × %s", p.Sets, p.repeats())
	case p.Sets > 0:
		add("%d sets", p.Sets)
	case max(p.Repeats, p.MostRepeats) == 1:
		add("1 repeat")
	case p.Repeats > 0:
		add("%s repeats", p.repeats())
	}
	if p.Trees > 0 {
		add("%d trees", p.Trees)
	}
	if p.Passes > 0 {
		add("%d passes", p.Passes)
	}
	if p.To > 0 {
		add("x from %d to %d", p.From, p.To)
	}
	for _, text := range []string{p.Tuning, p.Settings, p.Methods} {
		if text != "" {
			add("%s", text)
		}
	}
	return strings.Join(parts, ", ")
}

// Title returns the figure's title: its name, what it shows and its protocol.
func (f *Figure) Title(c Count) string {
	title := f.Name + ": " + f.Shows
	if protocol := c.Protocol.String(); protocol != "" {
		title += " (" + protocol + ")"
	}
	return title
}

// A Judgement is a claim, what was found, and the verdict.
type Judgement struct {
	Claim
	Finding
	Verdict Verdict
}

// Judge judges the figure's claims.
func (f *Figure) Judge(r *Results) (all []Judgement) {
	for _, claim := range f.Claims {
		finding := claim.Find(r)
		all = append(all, Judgement{claim, finding, claim.Sign.Verdict(finding)})
	}
	return all
}

// Together returns the verdict on several claims: one that fails decides, then one that can't be told.
func Together(all []Judgement) (v Verdict) {
	for _, order := range []Verdict{Agrees, CantTell, Disagrees} {
		if slices.ContainsFunc(all, func(j Judgement) bool { return j.Verdict == order }) {
			v = order
		}
	}
	return v
}

// Numbers returns ours and the paper's as text.
func (j Judgement) Numbers() (ours, paper string) {
	return short(j.Ours), short(j.Paper)
}

// short formats a number with three significant digits, and its standard error with two.
func short(n Number) string {
	if math.IsNaN(n.Value) {
		return "–"
	}
	text := Significant(n.Value, 3)
	if n.StdErr > 0 {
		text += " ± " + Significant(n.StdErr, 2)
	}
	return text
}

// Significant formats a number with so many significant digits, at most eight decimals.
func Significant(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	places := max(0, digits-1-int(math.Floor(math.Log10(math.Abs(v)))))
	return Decimals(v, min(places, 8))
}

// ClaimsTable returns the claims of figures as a table.
func ClaimsTable(r *Results, figures []*Figure) viz.Table {
	t := viz.Table{Columns: []string{"the paper says", "here", "paper", "verdict"}}
	for _, f := range figures {
		for _, j := range f.Judge(r) {
			ours, paper := j.Numbers()
			t.Add(j.Says, ours, paper, string(j.Verdict))
		}
	}
	return t
}

// Find returns the figure of a name, or all parts of it: "2C" is "Figure 2C", "2" has "Figure 2A", "Figure 2B" and so
// on, and "Table 5" has "Table 5, RF". Results say which have their runs; see [Figure.Instead].
func (p *Paper) Find(r *Results, name string) (parts []*Figure) {
	for i := range p.Figures {
		f := p.Figures[i].Shown(r)
		for _, wanted := range []string{name, "Figure " + name} {
			rest, begins := strings.CutPrefix(f.Name, wanted)
			panel := rest != "" && 'A' <= rest[0] && rest[0] <= 'Z' || strings.HasPrefix(rest, ", ")
			if f.Name == wanted || begins && panel && !f.Ours {
				parts = append(parts, f)
			}
		}
	}
	return parts
}
