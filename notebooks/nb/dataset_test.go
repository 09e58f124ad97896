package nb_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// small returns a table whose card is written down by hand.
func small() *datasets.Dataset {
	nan := float32(math.NaN())
	return &datasets.Dataset{Name: "small", Target: "y", Classes: []string{"no", "yes"},
		Features: []datasets.Feature{{Name: "a|b"}, {Name: "kind", Categories: []string{"*rare", "often"}}},
		Columns:  [][]float32{{1, 2, 2, 3, 3, 3, 3, nan}, {1, 1, 1, 0, 1, 1, 1, 1}},
		Labels:   []int32{0, 0, 0, 1, 1, 1, 1, 1},
	}
}

func TestTableCard(t *testing.T) {
	text := nb.CardOf(small()).String()
	for _, line := range []string{
		"rows           8\n", "columns        2: 1 of numbers, 1 of categories\n",
		"missing cells  6.2 %\n", "target         y, of 2 classes\n",
		"guessing       the largest class errs on 37.5 % of the rows\n",
		"yes  62.5 %  ████████████████████\n", "no   37.5 %  ████████████\n",
		"! Classes of fewer than 10 rows can hardly be learned or tested: \"no\" (3), \"yes\" (5).\n",
		"column  histogram  explains  type        missing  distinct  range, or most frequent\n",
		"numbers        12 %         3  1 to 3, half from 2 to 3\n",
		"categories                  2  often 88 %, *rare 12 %\n",
		"  y    a|b  kind\n", "  yes    3  *rare\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	for _, blocks := range []string{"a|b     ▂▄█  ", "kind    █▂  "} { // 1, 2, 4 and 7, 1 rows
		if !strings.Contains(text, blocks) {
			t.Errorf("no %q in\n%s", blocks, text)
		}
	}
	page := nb.CardOf(small()).HTML()
	checkHTML(t, page)
	// Of 26 pixels: no has 1, 2 rows and yes 4 of 4 rows of the largest bin; no is 3, yes 4 of 7 often ones.
	for _, drawn := range []string{`aria-label="1 to 3, half from 2 to 3">` +
		`<path fill="#0072b2" d="M0 26.0h6v-6.5h-6zM7 26.0h6v-13.0h-6z"/>` +
		`<path fill="#e69f00" d="M14 26.0h6v-26.0h-6z"/></svg>`,
		`<path fill="#0072b2" d="M0 26.0h6v-11.1h-6z"/>` +
			`<path fill="#e69f00" d="M0 14.9h6v-14.9h-6zM7 26.0h6v-3.7h-6z"/></svg>`} {
		if !strings.Contains(page, drawn) {
			t.Errorf("no %s in\n%s", drawn, page)
		}
	}
}

// What is said of a table is of its rows, whatever their weights. Guessing by shares has a Brier score of
// 1 − 0.7² − 0.3² = 0.42, and by the true shares at each x, of which four in ten are a half, of 0.4/2: x explains 52 %
// but for what trees of a sample miss.
func TestCardOfWeights(t *testing.T) {
	d := &datasets.Dataset{Target: "y", Classes: []string{"no", "yes"}, Features: []datasets.Feature{{Name: "x"}},
		Columns: make([][]float32, 1), Labels: make([]int32, 400)}
	for i := range d.Labels {
		x := i % 10
		d.Columns[0] = append(d.Columns[0], float32(x))
		if x == 9 || x >= 5 && i/10%2 == 0 {
			d.Labels[i] = 1
		}
	}
	want := nb.CardOf(d).String()
	if got := nb.CardOf(d.WeightClasses(1, 9)).String(); got != want {
		t.Errorf("%s\nwithout weights\n%s", got, want)
	}
	if !regexp.MustCompile(`█ +(4[7-9]|5[0-2]) %  numbers`).MatchString(want) {
		t.Error(want)
	}
}

// A column that is the target again is named, and explains all; one that is noise explains nothing.
func TestLeaks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, values := range []bool{false, true} {
		d := &datasets.Dataset{Target: "y", Columns: make([][]float32, 3),
			Features: []datasets.Feature{{Name: "noise"}, {Name: "leak"}, {Name: "text", Categories: []string{"l", "r"}}}}
		for range 500 {
			y := rng.NormFloat64()
			class := int32(0)
			if y > 0.3 {
				class = 1
			}
			d.Columns[0] = append(d.Columns[0], float32(rng.NormFloat64()))
			d.Columns[1] = append(d.Columns[1], float32(2*y-1))
			d.Columns[2] = append(d.Columns[2], float32(1-class))
			if values {
				d.Values = append(d.Values, y)
			} else {
				d.Labels, d.Classes = append(d.Labels, class), []string{"no", "yes"}
			}
		}
		text := nb.CardOf(d).String()
		if !strings.Contains(text, `! Column "leak" alone explains `) || strings.Contains(text, `! Column "noise"`) ||
			strings.Contains(text, `! Column "text"`) == values {
			t.Error(text)
		}
	}
}

// Tables of any kind have a card, and names stay text.
func TestTableCardsOfAnything(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, change := range map[string]func(d *datasets.Dataset){
		"unlabelled": func(d *datasets.Dataset) { d.Labels, d.Classes = nil, nil },
		"values": func(d *datasets.Dataset) {
			d.Labels, d.Classes, d.Values = nil, nil, []float64{1, 2, 3, 4, 5, 6, 7, 8}
		},
		"one value":   func(d *datasets.Dataset) { d.Labels, d.Classes, d.Values = nil, nil, make([]float64, 8) },
		"one class":   func(d *datasets.Dataset) { d.Labels = make([]int32, 8) },
		"empty":       func(d *datasets.Dataset) { d.Columns[0] = []float32{nan, nan, nan, nan, nan, nan, nan, nan} },
		"infinite":    func(d *datasets.Dataset) { d.Columns[0] = []float32{1, inf, -inf, 2, nan, 3, 4, 5} },
		"one group":   func(d *datasets.Dataset) { d.Groups = make([]int32, 8) },
		"a few rows":  func(d *datasets.Dataset) { *d = *d.Subset([]int32{7, 3, 3}) },
		"no names":    func(d *datasets.Dataset) { d.Name, d.Target, d.Features[0].Name = "", "", "" },
		"six classes": func(d *datasets.Dataset) { d.Classes = append(hostile[2:], "a", "b") },
		"hostile": func(d *datasets.Dataset) {
			d.Name, d.Target, d.Classes = hostile[0], hostile[1], hostile[:2]
			d.Features = []datasets.Feature{{Name: hostile[2]}, {Name: hostile[1], Categories: hostile[3:5]}}
		},
	} {
		d := small()
		change(d)
		card := nb.CardOf(d)
		if text := checkHTML(t, card.HTML()); len(card.String()) == 0 || len(text) == 0 ||
			name == "hostile" && strings.Count(text, hostile[1]) < 3 {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// The largest cards have at most 300 kB.
func TestTableCardIsLimited(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &datasets.Dataset{}
	long := strings.Repeat("<", 100)
	for range 300 {
		d.Labels = append(d.Labels, int32(rng.IntN(6)))
	}
	for k := range 6 {
		d.Classes = append(d.Classes, fmt.Sprint(k, long))
	}
	for j := range 200 {
		f := datasets.Feature{Name: long + fmt.Sprint(j)}
		if j%2 == 0 {
			f.Categories = make([]string, 50)
			for k := range f.Categories {
				f.Categories[k] = long + fmt.Sprint(k)
			}
		}
		cells := make([]float32, len(d.Labels))
		for i := range cells {
			cells[i] = float32(rng.IntN(50))
		}
		d.Features, d.Columns = append(d.Features, f), append(d.Columns, cells)
	}
	card := nb.CardOf(d)
	if n := len(card.HTML()); n > 300_000 {
		t.Errorf("%d bytes", n)
	}
	if text := card.String(); !strings.Contains(text, "80 of 200 columns are listed.") {
		t.Error(text)
	}
}

// The mean and the standard deviation of ±v are 0 and v, and those of 2v and 4v are 3v and v, whatever v is.
func TestCardOfHugeValues(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{-1e300, 1e300, "the mean, 0, has a root mean squared error of 1e+300\n"},
		{-1.5e308, 1.5e308, "the mean, 0, has a root mean squared error of 1.5e+308\n"},
		{2e-300, 4e-300, "the mean, 3e-300, has a root mean squared error of 1e-300\n"},
	} {
		d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: make([][]float32, 1)}
		for i := range 60 {
			d.Columns[0] = append(d.Columns[0], float32(i*i%7))
			d.Values = append(d.Values, []float64{test.low, test.high}[i%2])
		}
		text := nb.CardOf(d).String()
		if !strings.Contains(text, test.want) || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Error(text)
		}
	}
}

// A column of dates, and one that is kept relative to an offset, have the ranges that their file has.
func TestRangesAsWritten(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{
		{Name: "day", Scale: datasets.Scale{Unit: datasets.DateUnit("2006-01-02")}},
		{Name: "ms", Scale: datasets.Scale{Offset: 1.7e12, Step: 1000}}},
		Columns: [][]float32{{0, 31, 365, 366}, {0, 1, 2, 3}}}
	card := nb.CardOf(d).String()
	for _, want := range []string{"1970-01-01 to 1971-01-02, half from 1970-02-01 to 1971-01-02\n",
		"1700000000000 to 1700000003000, half from 1700000001000 to 1700000003000\n"} {
		if !strings.Contains(card, want) {
			t.Errorf("no %q in\n%s", want, card)
		}
	}
}
