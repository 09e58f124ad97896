package old

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// repository returns a folder with a notebook, an empty queue and results of the fake experiment a: x = 1 twice, with
// scores 1 and 3, and x = 2 once, with 5.
func repository(t *testing.T) string {
	fakes(t, always)
	root := t.TempDir()
	for path, text := range map[string]string{
		"notebooks/n.ipynb": `{"cells": [{"cell_type": "code", "source": ["# Figure 1"]}, ` +
			`{"cell_type": "markdown", "source": ["text\n", "## Figure 1 (a): what"]}]}`,
		"docs/results/queue.csv": "experiment,match,repeats,hours,why\nfake a,\", 3$\",1,2,because\n",
		"docs/results/fake-a-paper.csv": strings.Join(header, ",") + "\n" +
			"p,m,1,1,1,1,,1800,,c,d\np,m,1,2,2,3,,1800,,c,d\np,m,2,1,1,5,,3600,,c,d\n",
		"testdata/table.csv": "set,error\np,2.5\nother,7\n",
	} {
		path = filepath.Join(root, path)
		must.Do(os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(os.WriteFile(path, []byte(text), 0o666))
	}
	return root
}

// facts replaces items.csv for a test. Lines have some of its columns.
func facts(t *testing.T, columns string, lines ...string) {
	before := itemFacts
	t.Cleanup(func() { itemFacts = before })
	all := strings.Split("paper,item,shows,place,sets,repeats,trees,sizes,runs,reduced,other,unavailable,number,"+
		"published,agrees,file,where,minus,of,how,times", ",")
	given := strings.Split(columns, ",")
	var b strings.Builder
	b.WriteString(strings.Join(all, ",") + "\n")
	for _, line := range lines {
		cells := strings.Split(line, ";")
		for j, column := range all {
			if j > 0 {
				b.WriteString(",")
			}
			for k, name := range given {
				if name == column {
					b.WriteString(`"` + cells[k] + `"`)
				}
			}
		}
		b.WriteString("\n")
	}
	itemFacts = []byte(b.String())
}

func TestStatesOfItems(t *testing.T) {
	root := repository(t)
	facts(t, "paper,item,place,runs,sets,repeats,trees,reduced,unavailable",
		"hrf;nowhere;;;;;;;",
		"hrf;drawn;n#Figure 1;;;;;;",
		"hrf;half;n#Figure 1;;;;;one of two halves;",
		"hrf;all of 1;n#Figure 1;fake a: , 1$;1;2;500;;",
		"hrf;more repeats;n#Figure 1;fake a: , 1$;1;3;;;",
		"hrf;fewer than wanted;n#Figure 1;fake a: , [12]$;1;1;;;",
		"hrf;no run of 3;n#Figure 1;fake a:;1;1;;;",
		"hrf;fewer trees;n#Figure 1;fake a: , 1$;;;500|100;;",
		"hrf;other sets;n#Figure 1;fake a: , 1$;2;;;;",
		"hrf;no more sets;n#Figure 1;fake a: , 1$;2;;;;q",
		"hrf;1 and 2;n#Figure 1;fake a: , [12]$;1;2;;;",
		"hrf;3;n#Figure 1;fake a: , 3$;;;;;",
		"hrf;of a file;n#Figure 1;fake-a-paper.csv: x=2;;;;;")
	all, hours, _, err := items(root)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		state   string
		done    int
		repeats string
		queued  int
	}{
		{"missing", 0, "", 0}, {"full", 0, "", 0}, {"reduced", 0, "", 0}, {"full", 2, "2", 0}, {"reduced", 2, "2", 0},
		{"full", 3, "1–2", 0}, {"reduced", 3, "1–2", 1}, {"reduced", 2, "", 0}, {"reduced", 2, "", 0},
		{"full", 2, "", 0}, {"reduced", 3, "1–2", 0}, {"missing", 0, "", 1}, {"full", 1, "", 0},
	} {
		it := all[i]
		if it.state != want.state || it.done != want.done || it.repeats[1] != want.repeats || it.queued != want.queued {
			t.Errorf("%s: %s, %d runs, %q repeats, %d queued; want %v", it.name, it.state, it.done, it.repeats[1], it.queued,
				want)
		}
	}
	if hours != 2 {
		t.Errorf("%v hours; want 2, each run once", hours)
	}
	if want := "[n, cell 2](../notebooks/n.ipynb#Figure-1-%28a%29:-what)"; all[1].place != want {
		t.Errorf("it is at %s; want %s", all[1].place, want)
	}
}

func TestVerdictsOfItems(t *testing.T) {
	root := repository(t)
	facts(t, "paper,item,place,runs,published,agrees,where,of,how,times",
		"hrf;a;n#Figure 1;fake a: , 1$;2.5;within 0.5;x=1;score;mean;1",
		"hrf;b;n#Figure 1;fake a: , 1$;2.5;within 0.4;x=1;score;mean;1",
		"hrf;c;n#Figure 1;fake a: , 1$;;below 0;x=1;score;mean;-1",
		"hrf;d;n#Figure 1;fake a: , 1$;;above 0;x=1;score;mean;-1",
		"hrf;e;n#Figure 1;fake a: , 1$;table.csv#error;within 0.5;;score;mean;1", // (1 + 3 + 5)/3
		"hrf;f;n#Figure 1;fake a: , 1$;;no: it's late;;;;",
		"hrf;g;n#Figure 1;fake a: , 1$;;;x=1;score;mean;1",
		"hrf;h;;;;yes: it was;;;;")
	all, _, _, err := items(root)
	if err != nil {
		t.Fatal(err)
	}
	none := math.NaN()
	for i, want := range []struct {
		verdict, yardstick string
		theirs, ours       float64
	}{
		{"agrees", "within 0.5", 2.5, 2}, {"disagrees", "within 0.4", 2.5, 2}, {"agrees", "below 0", none, -2},
		{"disagrees", "above 0", none, -2}, {"agrees", "1 sets, median distance 0.5; within 0.5", 2.5, 3},
		{"disagrees", "it's late", none, none}, {"", "", none, 2}, {"", "it was", none, none},
	} {
		it := all[i]
		if it.verdict != want.verdict || it.yardstick != want.yardstick || short(it.theirs) != short(want.theirs) ||
			short(it.ours) != short(want.ours) {
			t.Errorf("%s: %q, %q, %v, %v; want %v", it.name, it.verdict, it.yardstick, it.theirs, it.ours, want)
		}
	}
}

// A number may come from two files, and from the one whose lines have jobs and rounds.
func TestNumbersOfOtherFiles(t *testing.T) {
	root := repository(t)
	for name, text := range map[string]string{
		"b.csv":     "problem,method,repeat,score\np,b,1,7\n",
		"peers.csv": "job,round,contender,fit_s\nj,1,ours,6\nj,1,theirs,2\nj,2,ours,3\n",
	} {
		must.Do(os.WriteFile(filepath.Join(root, "docs", "results", name), []byte(text), 0o666))
	}
	facts(t, "paper,item,place,file,where,minus,of,how,times",
		"hrf;a;n#Figure 1;b.csv+fake-a-paper.csv;method=b;x=2;score;mean;1", // 7 − 5
		"hrf;b;n#Figure 1;peers.csv;contender=ours;contender=theirs;fit_s;ratio;1")
	all, _, _, err := items(root)
	if err != nil {
		t.Fatal(err)
	}
	if all[0].ours != 2 || math.Abs(all[1].ours-3) > 1e-12 {
		t.Errorf("numbers %v and %v; want 2 and 3", all[0].ours, all[1].ours)
	}
}

func TestItemsNameWhatIsWrong(t *testing.T) {
	root := repository(t)
	for line, want := range map[string]string{
		"hrf;a;n#Figure 9;;;;;;;":                              `hrf, a: notebooks/n.ipynb has no heading that begins`,
		"hrf;a;forest/none;;;;;;;":                             "no such file",
		"hrf;a;;fake a: , 9$;;;;;;":                            `no run of fake a is ", 9$"`,
		"hrf;a;;fake x:;;;;;;":                                 `no experiment is called "fake x"`,
		"hrf;a;;fake a:;;maybe: so;;;;":                        `agrees is "maybe: so"`,
		"hrf;a;;fake a:;2;near 3;;score;mean;1":                `agrees is "near 3"`,
		"hrf;a;;fake a:;table.csv#size;within 3;;score;mean;1": "no column size",
	} {
		facts(t, "paper,item,place,runs,published,agrees,where,of,how,times", line)
		if _, _, _, err := items(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want %s", line, err, want)
		}
	}
}
