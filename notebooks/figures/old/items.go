package old

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/claims"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// This file makes docs/reproduction.md: what is reproduced of every figure, table and algorithm of the papers. What the
// papers have is in items.csv; all that can be counted is computed from it, from the experiments and from the results.

//go:embed items.csv
var itemFacts []byte

// An item is a figure, table or algorithm of a paper: what items.csv says of it, and what is computed.
type item struct {
	paper, name, shows string

	// where is a notebook and the beginning of a heading, such as "hrf#Table 5", a folder of the library, or "" if the
	// item is nowhere. place is the link from docs.
	where, place string

	// What the paper's protocol has and what ours has: data sets, repeats or folds, trees, and sizes, such as the least
	// and the largest number of rows. They are empty where there is nothing to say.
	sets, repeats, trees, sizes [2]string

	// runs are those behind the item: "experiment: expression", as -match takes it, or "file: conditions" for files in
	// docs/results that are no experiment's. reduced says what is less than in the paper beyond what is counted, other
	// what is different but not less, and unavailable which data can't be had.
	runs, reduced, other, unavailable string

	done, wanted int
	short        bool // whether a problem, method and x has fewer runs than the paper's repeats, or than are wanted
	seconds      float64
	queued       int // runs that the queue is to do

	number         string  // what is compared
	theirs, ours   float64 // NaN if there is none
	yardstick      string
	verdict, state string // "agrees", "disagrees" or ""; "full", "reduced" or "missing"
}

// papers are the papers' names by their words in items.csv, in the page's order.
var papers = [][2]string{{"sporf", "SPORF"}, {"graf", "GRAF"}, {"hrf", "HRF"}, {"tao", "TAO"}}

// An inventory computes items.
type inventory struct {
	root    string                       // of the repository
	queue   map[string]map[identity]bool // open runs that the queue holds, by the name of the result file
	counted map[string]float64           // seconds by run, so that none counts twice in the total

	// What several items ask for is read or listed once.
	lines       map[string][]claims.Line // of result files
	headings    map[string][]heading     // of notebooks
	experiments map[string]Experiment
}

// A heading is a line of a notebook's cell.
type heading struct {
	cell int // from 1
	text string
}

// once returns the value that is known for a key, or reads it.
func once[V any](known map[string]V, key string, read func(key string) (V, error)) (v V, err error) {
	v, ok := known[key]
	if !ok {
		v, err = read(key)
		known[key] = v
	}
	return v, err
}

// items returns the items of all papers, the hours of all runs behind them, and the queue. root is the folder of the
// repository.
func items(root string) (all []item, hours float64, q queue, err error) {
	results := filepath.Join(root, "docs", "results")
	v := &inventory{root, map[string]map[identity]bool{}, map[string]float64{}, map[string][]claims.Line{},
		map[string][]heading{}, map[string]Experiment{}}
	if q, err = readQueue(filepath.Join(results, "queue.csv"), "", results, true); err != nil {
		return nil, 0, nil, err
	}
	for _, line := range q {
		if v.queue[line.Name] == nil {
			v.queue[line.Name] = map[identity]bool{}
		}
		for _, run := range line.open {
			v.queue[line.Name][run.identity()] = true
		}
	}
	err = parseLines("notebooks/figures/old/items.csv", itemFacts, nil, func(l *publishedLine) {
		it := item{paper: l.text("paper"), name: l.text("item"), shows: l.text("shows"), where: l.text("place"),
			runs: l.text("runs"), reduced: l.text("reduced"), other: l.text("other"), unavailable: l.text("unavailable"),
			number: l.text("number"), theirs: math.NaN(), ours: math.NaN()}
		for column, to := range map[string]*[2]string{"sets": &it.sets, "repeats": &it.repeats, "trees": &it.trees,
			"sizes": &it.sizes} {
			to[0], to[1], _ = strings.Cut(l.text(column), "|")
		}
		if l.err == nil {
			l.err = cmp.Or(v.find(&it), v.count(&it), v.compare(&it, l))
		}
		if l.err != nil {
			l.err = fmt.Errorf("%s: %s, %s: %w", l.place, it.paper, it.name, l.err)
		}
		it.judge()
		all = append(all, it)
	})
	for _, run := range slices.Sorted(maps.Keys(v.counted)) {
		hours += v.counted[run] / 3600
	}
	return all, hours, q, err
}

// find finds where the item is.
func (v *inventory) find(it *item) error {
	notebook, words, ok := strings.Cut(it.where, "#")
	if !ok {
		if it.where != "" {
			it.place = fmt.Sprintf("[%s](../%s)", it.where, it.where)
			if _, err := os.Stat(filepath.Join(v.root, it.where)); err != nil {
				return err
			}
		}
		return nil
	}
	headings, err := once(v.headings, notebook, v.headingsOf)
	if err != nil {
		return err
	}
	for _, h := range headings {
		if strings.HasPrefix(h.text, words) {
			anchor := strings.NewReplacer(" ", "-", "(", "%28", ")", "%29").Replace(h.text)
			it.place = fmt.Sprintf("[%s, cell %d](../notebooks/%s.ipynb#%s)", notebook, h.cell, notebook, anchor)
			return nil
		}
	}
	return fmt.Errorf("notebooks/%s.ipynb has no heading that begins with %q", notebook, words)
}

// headingsOf reads the headings of a notebook.
func (v *inventory) headingsOf(notebook string) (headings []heading, err error) {
	data, err := os.ReadFile(filepath.Join(v.root, "notebooks", notebook+".ipynb"))
	if err != nil {
		return nil, err
	}
	var content struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	for i, cell := range content.Cells {
		for _, line := range cell.Source {
			if cell.Type == "markdown" && strings.HasPrefix(line, "#") {
				headings = append(headings, heading{i + 1, strings.TrimSpace(strings.TrimLeft(line, "#"))})
			}
		}
	}
	return headings, nil
}

// read reads the lines of a result file, none if there is no such file. Files of other libraries' runs, which name
// sets and splits, get the columns problem and repeat, and collection, which is what stands before the set's name;
// lines with a job and a round, too, have these as problem and repeat. Two names are joined by "+".
func (v *inventory) read(files string) (lines []claims.Line, err error) {
	for file := range strings.SplitSeq(files, "+") {
		some, err := claims.Read(filepath.Join(v.root, "docs", "results", file))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		lines = append(lines, some...)
	}
	for _, line := range lines {
		if job, ok := line["job"]; ok {
			line["problem"], line["repeat"] = job, line["round"]
		}
		if set, ok := line["set"]; ok {
			at := strings.IndexAny(set, "/_") + 1
			line["collection"], line["problem"], line["repeat"] = set[:at], set[at:], line["split"]
		}
	}
	return lines, nil
}

// file returns the result file of the item's runs, their experiment, if it is one's, and what of the file is meant.
func (v *inventory) file(it *item) (file string, e Experiment, which string, err error) {
	name, which, _ := strings.Cut(it.runs, ":")
	which = strings.TrimSpace(which)
	if strings.HasSuffix(name, ".csv") || name == "" {
		return name, e, which, nil
	}
	e, err = once(v.experiments, name, func(name string) (Experiment, error) { return named(name, true) })
	return e.Name + ".csv", e, which, err
}

// count counts the item's runs, and what ours has of the protocol where items.csv doesn't say it.
func (v *inventory) count(it *item) error {
	file, e, which, err := v.file(it)
	if err != nil || file == "" {
		return err
	}
	lines, err := once(v.lines, file, v.read)
	if err != nil {
		return err
	}
	means := func(line claims.Line) bool { return claims.Matches(line, which) }
	cells := map[string]int{}
	if e.Name != "" {
		only, err := regexp.Compile(which)
		if err != nil {
			return err
		}
		wanted := map[string]bool{}
		for _, run := range e.Runs {
			if selects(run, only, 0) {
				wanted[run.String()] = true
				cells[cellOf(run.Problem, run.Method, strconv.Itoa(run.X))]++
				if v.queue[e.Name][run.identity()] {
					it.queued++
				}
			}
		}
		if it.wanted = len(wanted); it.wanted == 0 {
			return fmt.Errorf("no run of %s is %q", e.origin.Name, which)
		}
		means = func(line claims.Line) bool { return wanted[runOf(line)] }
	}
	problems, repeats, xs := map[string]bool{}, map[string]int{}, []int{}
	for _, line := range lines {
		if !means(line) {
			continue
		}
		it.done++
		seconds, err := strconv.ParseFloat(line["seconds"], 64)
		if err != nil {
			return fmt.Errorf("%s: seconds: %w", file, err)
		}
		it.seconds += seconds
		v.counted[file+runOf(line)] = seconds
		problems[line["problem"]] = true
		repeats[cellOf(line["problem"], line["method"], line["x"])]++
		if x, err := strconv.Atoi(line["x"]); err == nil {
			xs = append(xs, x)
		}
	}
	if e.Name == "" {
		it.wanted = it.done
	}
	for cell, wanted := range cells {
		if theirs, err := strconv.Atoi(it.repeats[0]); err == nil {
			wanted = min(wanted, theirs)
		}
		it.short = it.short || repeats[cell] < wanted
	}
	if it.done == 0 {
		return nil
	}
	least, most := slices.Min(slices.Collect(maps.Values(repeats))), slices.Max(slices.Collect(maps.Values(repeats)))
	fill(&it.sets, strconv.Itoa(len(problems)))
	fill(&it.repeats, span(least, most))
	fill(&it.trees, it.trees[0])
	if len(xs) > 0 {
		fill(&it.sizes, span(slices.Min(xs), slices.Max(xs)))
	}
	return nil
}

// runOf returns what tells a line's run from others.
func runOf(line claims.Line) string {
	return fmt.Sprintf("%s, %s, %s, repeat %s, seed %s", line["problem"], line["method"], line["x"], line["repeat"],
		line["seed"])
}

// cellOf returns what runs have in common that differ in the repeat only.
func cellOf(problem, method, x string) string { return problem + ", " + method + ", " + x }

// fill sets ours where the paper has something and ours isn't known.
func fill(protocol *[2]string, ours string) {
	if protocol[0] != "" && protocol[1] == "" {
		protocol[1] = ours
	}
}

func span(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d–%d", least, most)
}

// join joins texts that aren't empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// compare computes our number and compares it. The column published is the paper's number, or "file#column" of a table
// in testdata, whose mean over the sets that both have is compared. The column agrees is "within d" (of the paper's
// number), "below d" or "above d" of our number, or "yes: " or "no: " and the reason that a person gives.
func (v *inventory) compare(it *item, l *publishedLine) error {
	agrees, published := l.text("agrees"), l.text("published")
	if verdict, reason, ok := strings.Cut(agrees, ": "); ok {
		it.verdict, it.yardstick = map[string]string{"yes": "agrees", "no": "disagrees"}[verdict], reason
		if it.verdict == "" {
			return fmt.Errorf("agrees is %q", agrees)
		}
	}
	if published != "" && !strings.Contains(published, "#") {
		it.theirs = l.number("published")
	}
	if l.text("of") == "" || l.err != nil {
		return l.err
	}
	columns := claims.Line{}
	for _, name := range l.columns {
		columns[name] = l.text(name)
	}
	number, err := claims.Parse(columns)
	if err != nil {
		return err
	}
	file, _, _, err := v.file(it)
	if err != nil {
		return err
	}
	lines, err := once(v.lines, cmp.Or(l.text("file"), file), v.read)
	if err != nil || len(lines) == 0 {
		return err
	}
	if table, column, ok := strings.Cut(published, "#"); ok {
		sets, err := number.Problems(lines)
		if err != nil {
			return err
		}
		their, err := ReadTable(filepath.Join(v.root, "testdata", table), column)
		if err != nil {
			return err
		}
		var ours, theirs, distances []float64
		for _, set := range slices.Sorted(maps.Keys(sets)) {
			if cell, ok := their[set][column]; ok && !math.IsNaN(cell) {
				ours, theirs = append(ours, sets[set]), append(theirs, cell)
				distances = append(distances, math.Abs(sets[set]-cell))
			}
		}
		if len(ours) == 0 {
			return fmt.Errorf("no set is in %s", published)
		}
		it.ours, it.theirs = eval.Mean(ours), eval.Mean(theirs)
		it.yardstick = fmt.Sprintf("%d sets, median distance %.3g", len(ours), eval.Median(distances))
	} else if it.ours, err = number.Value(lines); err != nil {
		return err
	}
	how, text, _ := strings.Cut(agrees, " ")
	if it.verdict != "" || agrees == "" {
		return nil
	}
	bound, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("agrees is %q: %w", agrees, err)
	}
	holds, ok := map[string]bool{
		"within": math.Abs(it.ours-it.theirs) <= bound, "below": it.ours < bound, "above": it.ours > bound,
	}[how]
	if !ok {
		return fmt.Errorf("agrees is %q", agrees)
	}
	it.verdict = map[bool]string{true: "agrees", false: "disagrees"}[holds]
	it.yardstick = join("; ", it.yardstick, agrees)
	return nil
}

// judge sets the state.
func (it *item) judge() {
	switch {
	case it.where == "" || it.runs != "" && it.done == 0:
		it.state, it.verdict = "missing", ""
	case it.reduced != "" || it.short || less(it.trees) || less(it.repeats) ||
		less(it.sets) && it.unavailable == "":
		it.state = "reduced"
	default:
		it.state = "full"
	}
}

// less reports whether a number of ours is smaller than the paper's; of "2–5" the 2 counts.
func less(protocol [2]string) bool {
	theirs, err := strconv.Atoi(protocol[0])
	first, _, _ := strings.Cut(protocol[1], "–")
	ours, ourErr := strconv.Atoi(first)
	return err == nil && ourErr == nil && ours < theirs
}

// protocol returns the paper's protocol (0) or ours (1) as text.
func (it *item) protocol(whose int) string {
	text := func(value [2]string, format string) string {
		if value[whose] == "" {
			return ""
		}
		return fmt.Sprintf(format, value[whose])
	}
	sets := join(" ", text(it.sets, "%s sets"), text(it.repeats, "× %s"))
	return join(", ", sets, text(it.trees, "%s trees"), text(it.sizes, "%s"))
}

// note returns what is to be said of our protocol beside its numbers.
func (it *item) note() string {
	open := ""
	if it.done < it.wanted && it.done > 0 {
		open = fmt.Sprintf("%d of %d runs", it.done, it.wanted)
	}
	if it.queued > 0 {
		open = join(", ", open, fmt.Sprintf("%d in the queue", it.queued))
	}
	missing := it.unavailable
	if missing != "" {
		missing = "not to be had: " + missing
	}
	return join("; ", open, it.reduced, it.other, missing)
}

// says returns the verdict and its yardstick.
func (it *item) says() string {
	if it.state == "missing" {
		return ""
	}
	return join(": ", it.verdict, it.yardstick)
}

// short formats a number; NaN is empty.
func short(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// A tally counts items by state and verdict.
type tally map[string]int

func tallied(all []item) tally {
	t := tally{}
	for _, it := range all {
		t["items"]++
		t[it.state]++
		switch {
		case it.state == "missing":
		case it.verdict == "":
			t["not comparable"]++
		default:
			t[it.verdict]++
		}
	}
	return t
}

// cells returns the counts in the order of the page's columns.
func (t tally) cells() (cells []string) {
	for _, of := range []string{"items", "full", "reduced", "missing", "agrees", "disagrees", "not comparable"} {
		cells = append(cells, strconv.Itoa(t[of]))
	}
	return cells
}

// ofPaper returns the items of a paper.
func ofPaper(paper string, all []item) (its []item) {
	for _, it := range all {
		if it.paper == paper {
			its = append(its, it)
		}
	}
	return its
}

// reproduction returns docs/reproduction.md.
func reproduction(all []item, hours float64, q queue) string {
	var b strings.Builder
	b.WriteString(`# What is reproduced

Every figure, table and algorithm of the five papers: whether it is reproduced in full, and whether it agrees. The page
and [its data](results/items.csv) are computed by ` + "`make reproduction`" + ` from the experiments, from
[their results](results) and from what ` + "`notebooks/figures/items.csv`" + ` says of the papers. Sketches and theory
aren't counted.

An item is *full* if it has the paper's protocol on all data that can be had; data that can't be had are named. It is
*reduced* if something is less, which is said, and *missing* if nothing of it is there. The protocol has data sets, "×"
repeats or folds, trees, and the least and the largest size on the figure's axis. Where an experiment has more repeats
than the paper, an item is full without them.

Beside the verdict is what it takes to agree: "within 2" is asked of the difference of the two numbers, "below 0" of
ours alone, and words are the judgement of a person. Of tables the numbers are means over the sets that both have. An
item without a verdict, such as an algorithm or a drawing, isn't comparable.

| paper | items | full | reduced | missing | agree | disagree | not comparable |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`)
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	for _, p := range papers {
		row(append([]string{fmt.Sprintf("[%s](#%s)", p[1], strings.ReplaceAll(strings.ToLower(p[1]), " ", "-"))},
			tallied(ofPaper(p[0], all)).cells()...)...)
	}
	row(append([]string{"all"}, tallied(all).cells()...)...)
	fmt.Fprintf(&b, "\nThe runs behind the items took %.1f hours, on a machine of two cores where other work ran, too.\n"+
		"[The queue](#the-queue) holds %v.\n", hours, q)
	for _, p := range papers {
		fmt.Fprintf(&b, "\n## %s\n\n", p[1])
		row("item", "shows", "where", "state", "the paper's protocol", "ours", "compared", "paper", "ours", "verdict",
			"hours")
		row("---", "---", "---", "---", "---", "---", "---", "---:", "---:", "---", "---:")
		var lists []string
		for _, it := range ofPaper(p[0], all) {
			hours := ""
			if it.seconds > 0 {
				hours = fmt.Sprintf("%.2f", it.seconds/3600)
			}
			note := it.note()
			if len(it.unavailable) > 50 { // as long lists of sets are
				if !slices.Contains(lists, it.unavailable) {
					lists = append(lists, it.unavailable)
				}
				note = strings.Replace(note, it.unavailable, fmt.Sprintf("list %d", 1+slices.Index(lists, it.unavailable)), 1)
			}
			row(it.name, it.shows, it.place, it.state, it.protocol(0), join("; ", it.protocol(1), note), it.number,
				short(it.theirs), short(it.ours), it.says(), hours)
		}
		for i, list := range lists {
			fmt.Fprintf(&b, "\nList %d: %s.\n", i+1, list)
		}
	}
	b.WriteString("\n## The queue\n\n`make experiments` does these runs in this order; " +
		"[results](results/README.md) has more about it.\n\n")
	row("runs", "for", "hours, about")
	row("---:", "---", "---:")
	for _, line := range q {
		if len(line.open) > 0 {
			row(strconv.Itoa(len(line.open)), line.why, fmt.Sprintf("%.1f", line.seconds/3600))
		}
	}
	return b.String()
}

// itemsOf reads the items of a paper, or those in one of its notebooks, from the file that make reproduction writes.
// They have what [Items] shows.
func itemsOf(of, path string) (its []item, err error) {
	err = eachLine(path, func(l *publishedLine) {
		if l.text("paper") != of && !strings.HasPrefix(l.text("where"), "["+of+", cell ") {
			return
		}
		it := item{paper: l.text("paper"), name: l.text("item"), state: l.text("state"), number: l.text("compared"),
			verdict: l.text("verdict"), yardstick: l.text("yardstick"), theirs: math.NaN(), ours: math.NaN()}
		for column, to := range map[string]*[2]string{"sets": &it.sets, "repeats": &it.repeats, "trees": &it.trees,
			"sizes": &it.sizes} {
			*to = [2]string{l.text("paper_" + column), l.text(column)}
		}
		for column, to := range map[string]*float64{"paper_number": &it.theirs, "number": &it.ours} {
			if l.text(column) != "" {
				*to = l.number(column)
			}
		}
		its = append(its, it)
	})
	return its, err
}

// Items shows what is reproduced of a paper, or what of it is in one of its notebooks: "graf" and "sporf-sets" are
// examples. It is the part of docs/results/items.csv that is about it: to compute all items anew would take the cell
// most of a second.
func Items(of string) {
	its := nb.Value(itemsOf(of, resultsFolder+"items.csv"))
	n := tallied(its)
	t := nb.Table{
		Title: fmt.Sprintf("%d items: %d in full, %d reduced, %d missing; %d agree, %d disagree", n["items"], n["full"],
			n["reduced"], n["missing"], n["agrees"], n["disagrees"]),
		Note: "A protocol is data sets × repeats or folds, trees, and the range of the figure's axis. " +
			"docs/reproduction.md says where each item is and what else differs.",
		Columns: []string{"item", "the paper's protocol", "ours", "result"}}
	for _, it := range its {
		compared := ""
		if !math.IsNaN(it.ours) {
			compared = fmt.Sprintf("%s: %s", it.number, short(it.ours))
			if !math.IsNaN(it.theirs) {
				compared += fmt.Sprintf(" (paper %s)", short(it.theirs))
			}
		}
		t.Add(it.name, it.protocol(0), join(": ", it.state, it.protocol(1)), join("; ", it.says(), compared))
	}
	t.Show()
}

// itemsTable returns the lines of docs/results/items.csv.
func itemsTable(all []item) [][]string {
	header := "paper,item,state,shows,where,paper_sets,sets,paper_repeats,repeats,paper_trees,trees,paper_sizes,sizes," +
		"runs_done,runs_wanted,runs_queued,notes,compared,paper_number,number,verdict,yardstick,hours"
	rows := [][]string{strings.Split(header, ",")}
	for _, it := range all {
		rows = append(rows, []string{it.paper, it.name, it.state, it.shows, it.place, it.sets[0], it.sets[1], it.repeats[0],
			it.repeats[1], it.trees[0], it.trees[1], it.sizes[0], it.sizes[1], strconv.Itoa(it.done), strconv.Itoa(it.wanted),
			strconv.Itoa(it.queued), it.note(), it.number, short(it.theirs), short(it.ours), it.verdict, it.yardstick,
			strconv.FormatFloat(it.seconds/3600, 'f', 3, 64)})
	}
	return rows
}

// reproduced returns the contents of docs/reproduction.md and docs/results/items.csv.
func reproduced(root string) (page, table string, err error) {
	all, hours, q, err := items(root)
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	err = csv.NewWriter(&b).WriteAll(itemsTable(all))
	return reproduction(all, hours, q), b.String(), err
}

// writeReproduced writes the page and its data.
func writeReproduced(root string) error {
	page, table, err := reproduced(root)
	if err != nil {
		return err
	}
	for path, text := range map[string]string{"docs/reproduction.md": page, "docs/results/items.csv": table} {
		err := atomicfile.Write(filepath.Join(root, path), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
