package viz_test

import (
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/viz"
)

func sample() viz.Table {
	t := viz.Table{Title: "Accuracy & time", Columns: []string{"set", "GODT|printed", "GODT|ours", "CART|ours", "how"},
		Note: "* is the <best>"}
	t.Add("Iris", "*100", "94.9", "[86.5, 100]", "<0.5 s")
	t.Add("Heart Failure", "85.0", "*67.03", "–", "tuned")
	return t
}

func TestTableText(t *testing.T) {
	want := `Accuracy & time
               GODT             CART
set            printed    ours         ours  how
Iris              *100    94.9  [86.5, 100]  <0.5 s
Heart Failure     85.0  *67.03            –  tuned
* is the <best>
`
	if got := sample().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := (viz.Table{Columns: []string{"a"}}).String(); got != "a\n" {
		t.Errorf("without groups and rows: %q", got)
	}
}

// The HTML is well-formed, has the texts, bold ones without the star, and as many columns in each row.
func TestTableHTML(t *testing.T) {
	type row struct {
		Cells []struct {
			XMLName xml.Name
			Columns int    `xml:"colspan,attr"`
			Bold    string `xml:"b"`
			Text    string `xml:",chardata"`
		} `xml:",any"`
	}
	var parsed struct {
		Title string `xml:"div>table>caption>b"`
		Head  []row  `xml:"div>table>thead>tr"`
		Body  []row  `xml:"div>table>tbody>tr"`
		Note  string `xml:"p"`
	}
	page := sample().HTML()
	must.Do(xml.Unmarshal([]byte("<page>"+page+"</page>"), &parsed))
	got := parsed.Title
	for _, row := range slices.Concat(parsed.Head, parsed.Body) {
		columns := 0
		got += "\n"
		for _, c := range row.Cells {
			columns += max(1, c.Columns)
			got += c.XMLName.Local + " " + c.Text
			if c.Bold != "" {
				got += "*" + c.Bold
			}
			got += ","
		}
		if columns != 5 {
			t.Errorf("%d columns in %v", columns, row)
		}
	}
	want := `Accuracy & time
th ,th GODT,th CART,th ,
th set,th printed,th ours,th ours,th how,
td Iris,td *100,td 94.9,td [86.5, 100],td <0.5 s,
td Heart Failure,td 85.0,td *67.03,td –,td tuned,
* is the <best>`
	if got += "\n" + parsed.Note; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for text, n := range map[string]int{"text-align:right": 3 + 2*3, "text-align:left": 1 + 2 + 2*2} {
		if got := strings.Count(page, text); got != n {
			t.Errorf("%d times %s, want %d", got, text, n)
		}
	}
}

// Rows may be set without Add. A figure may be changed before it is drawn.
func TestMisuse(t *testing.T) {
	ragged := viz.Table{Columns: []string{"a", "b"}, Rows: [][]string{{"c"}}}
	readtest.WantPanic(t, "viz: a row of 3 cells for 2 columns", func() { ragged.Add("b", "c", "d") })
	readtest.WantPanic(t, "viz: a row of 1 cells for 2 columns", func() { _ = ragged.String() })
	readtest.WantPanic(t, "viz: a row of 1 cells for 2 columns", func() { ragged.HTML() })
	readtest.WantPanic(t, "viz: a table without columns", func() { viz.Table{}.HTML() })
	readtest.WantPanic(t, "viz: no chart to draw", func() { viz.Draw(nil) })
	flat := viz.Draw(viz.Bars{Names: []string{"a"}, Values: []float64{1}})
	flat.Height = 0
	readtest.WantPanic(t, "viz: a figure of 640 × 0 pixels", func() { flat.HTML() })
	readtest.WantPanic(t, "viz: a figure that Draw didn't make", func() { (&viz.Figure{Width: 1, Height: 1}).HTML() })
}
