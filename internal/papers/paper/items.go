package paper

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/viz"
)

// An Item is a figure of a paper, how much of it was run, and what was found.
type Item struct {
	*Figure
	Count      Count
	State      State
	Judgements []Judgement
}

// Items returns the paper's figures but for ours beside it.
func (p *Paper) Items(r *Results) (items []Item) {
	for i := range p.Figures {
		f := p.Figures[i].Shown(r)
		if f.Ours {
			continue
		}
		count := f.Count(r)
		item := Item{f, count, f.State(count), nil}
		if item.State != Missing {
			item.Judgements = f.Judge(r)
		}
		items = append(items, item)
	}
	return items
}

// A Tally counts items by state and verdict.
type Tally struct{ Full, Reduced, Missing, Agree, Disagree int }

// tallyOf counts items. An item disagrees if one of its claims does, and agrees if all do.
func tallyOf(items []Item) (t Tally) {
	for _, item := range items {
		counts := map[State]*int{Full: &t.Full, Reduced: &t.Reduced, Missing: &t.Missing}
		*counts[item.State]++
		switch Together(item.Judgements) {
		case Agrees:
			t.Agree++
		case Disagrees:
			t.Disagree++
		}
	}
	return t
}

// plus adds two tallies.
func (t Tally) plus(u Tally) Tally {
	return Tally{t.Full + u.Full, t.Reduced + u.Reduced, t.Missing + u.Missing, t.Agree + u.Agree, t.Disagree + u.Disagree}
}

// Found returns a claim, what was found and the verdict in a few words.
func (j Judgement) Found() string {
	ours, paper := j.Numbers()
	text := j.Says + ": " + ours
	if !math.IsNaN(j.Paper.Value) {
		text += " (paper " + paper + ")"
	}
	return text
}

// ItemsTable returns what is reproduced of a paper.
func (p *Paper) ItemsTable(r *Results) viz.Table {
	items := p.Items(r)
	n := tallyOf(items)
	t := viz.Table{Title: fmt.Sprintf("%s, %d items: %d in full, %d reduced, %d missing; %d agree, %d disagree", p.Name,
		len(items), n.Full, n.Reduced, n.Missing, n.Agree, n.Disagree),
		Columns: []string{"item", "state", "the paper's protocol", "here", "verdict", "claims"}}
	for _, item := range items {
		var found []string
		for _, j := range item.Judgements {
			found = append(found, j.Found())
		}
		t.Add(item.Name, string(item.State), item.Paper.String(), item.Count.Protocol.String(),
			string(Together(item.Judgements)), strings.Join(found, "; "))
	}
	return t
}

// link returns the Markdown of the item's name with a link from docs to its place.
func (f *Figure) link(root string) string {
	notebook, heading, ok := strings.Cut(f.Place, "#")
	switch {
	case f.Place == "":
		return f.Name
	case !ok:
		return fmt.Sprintf("[%s](%s/%s)", f.Name, root, f.Place)
	}
	anchor := strings.NewReplacer(" ", "-", "(", "%28", ")", "%29").Replace(heading)
	return fmt.Sprintf("[%s](%s/notebooks/%s.ipynb#%s)", f.Name, root, notebook, anchor)
}

// section returns the paper's part of docs/results/items.md: a line a claim.
func (p *Paper) section(items []Item) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n| item | state | claim: here (paper) | verdict |\n| --- | --- | --- | --- |\n", p.Name)
	for _, item := range items {
		name, state := item.link("../.."), string(item.State)
		if len(item.Judgements) == 0 {
			fmt.Fprintf(&b, "| %s | %s | %s | |\n", name, state, item.Shows)
		}
		for _, j := range item.Judgements {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, state, j.Found(), j.Verdict)
			name, state = "", ""
		}
	}
	return b.String()
}

// disagreements returns the paper's part of docs/reproduction.md: each item that disagrees, with the claims and why.
func (p *Paper) disagreements(items []Item) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n| item | what disagrees: here (paper) | why |\n| --- | --- | --- |\n", p.Name)
	for _, item := range items {
		var claims []string
		for _, j := range item.Judgements {
			if j.Verdict == Disagrees {
				claims = append(claims, j.Found())
			}
		}
		if claims != nil {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", item.link(".."), strings.Join(claims, "; "), item.Note)
		}
	}
	return b.String()
}

// tallyTable returns the counts of all papers.
func tallyTable(papers []*Paper, tallies []Tally) string {
	var b strings.Builder
	row := func(name string, t Tally) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", name, t.Full, t.Reduced, t.Missing, t.Agree, t.Disagree)
	}
	b.WriteString("| paper | full | reduced | missing | agree | disagree |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	var all Tally
	for i, p := range papers {
		heading := strings.ReplaceAll(strings.ToLower(p.Name), " ", "-")
		row(fmt.Sprintf("[%s](results/items.md#%s)", p.Name, heading), tallies[i])
		all = all.plus(tallies[i])
	}
	row("all", all)
	return b.String()
}

// Pages returns docs/reproduction.md, docs/results/items.md and docs/results/items.csv by path. Root is the folder of
// the repository.
func Pages(root string, papers []*Paper) (map[string]string, error) {
	var sections, reasons, data strings.Builder
	lines := csv.NewWriter(&data)
	lines.Write(itemColumns)
	var tallies []Tally
	hours := 0.0
	for _, p := range papers {
		r := Results{Root: root}
		items := p.Items(&r)
		if r.Err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, r.Err)
		}
		tallies = append(tallies, tallyOf(items))
		sections.WriteString(p.section(items))
		reasons.WriteString(p.disagreements(items))
		for _, item := range items {
			lines.WriteAll(item.lines(p))
		}
		hours += p.hours(&r)
	}
	lines.Flush()
	return map[string]string{
		"docs/reproduction.md":   fmt.Sprintf(pageHead, tallyTable(papers, tallies), hours) + reasons.String(),
		"docs/results/items.md":  itemsHead + sections.String(),
		"docs/results/items.csv": data.String(),
	}, lines.Error()
}

const pageHead = `# What is reproduced

Every figure, table and algorithm of the five papers: how much of it is reproduced, and whether it agrees. Sketches and
theory aren't counted. ` + "`make reproduction`" + ` computes this page, [all items](results/items.md) and [their
data](results/items.csv), which have the protocols, from [the results](results) and the figures in
` + "`internal/papers`" + `.

%s
An item is *full* if it has the paper's protocol on all data that can be had, and *reduced* if anything is less or
other. A printed number agrees if ours is within two standard errors of both and the print's rounding, unless 0 is
within two standard errors of the printed one. An order agrees if the difference is beyond two standard errors of the
right sign. Otherwise nobody can tell. Two are more where they are of few values, as in Student's t: 2.9 of five, 14 of
two. An item disagrees if one of its claims does. The runs behind the items took %.0f hours, most of them on two cores
where other work ran, too.

## What disagrees
`

const itemsHead = `# All items of the papers

A line a claim. [The summary](../reproduction.md) says what the words mean. ` + "`make reproduction`" + ` writes this
page.
`

var itemColumns = strings.Split("paper,item,shows,place,state,paper_protocol,protocol,runs_done,runs_wanted,hours,"+
	"lacks,note,claim,here,here_stderr,paper_number,paper_stderr,difference,difference_stderr,verdict", ",")

// lines returns the item's lines of items.csv: one a claim, or one without a claim.
func (item Item) lines(p *Paper) (lines [][]string) {
	first := []string{p.Key, item.Name, item.Shows, item.Place, string(item.State), item.Paper.String(),
		item.Count.Protocol.String(), strconv.Itoa(item.Count.Done), strconv.Itoa(item.Count.Wanted),
		strconv.FormatFloat(item.Count.Hours, 'f', 3, 64), item.Lacks, item.Note}
	if len(item.Judgements) == 0 {
		return [][]string{append(first, make([]string, len(itemColumns)-len(first))...)}
	}
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 5, 64)
	}
	for _, j := range item.Judgements {
		line := append(first[:len(first):len(first)], j.Says)
		for _, n := range []Number{j.Ours, j.Paper, j.Difference} {
			line = append(line, number(n.Value), number(n.StdErr))
		}
		lines = append(lines, append(line, string(j.Verdict)))
	}
	return lines
}

// hours returns the hours of all runs of the paper's experiments.
func (p *Paper) hours(r *Results) (hours float64) {
	for _, e := range p.Experiments {
		for _, record := range r.Records(Part{Experiment: e}) {
			hours += record.Seconds / 3600
		}
	}
	return hours
}
