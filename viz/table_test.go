package viz_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

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
	page := sample().HTML()
	d := xml.NewDecoder(strings.NewReader(page))
	var cells []string
	columns, element := map[int]int{}, ""
	row := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, page)
		}
		switch e := token.(type) {
		case xml.StartElement:
			element = e.Name.Local
			switch {
			case element == "tr":
				row++
			case element == "th" && e.Attr[0].Name.Local == "colspan":
				columns[row] += int(e.Attr[0].Value[0] - '0')
			case element == "th" || element == "td":
				columns[row]++
			}
		case xml.CharData:
			cells = append(cells, element+" "+string(e))
		}
	}
	for row, n := range columns {
		if n != 5 {
			t.Errorf("row %d has %d columns", row, n)
		}
	}
	want := "b Accuracy & time,th GODT,th CART,th set,th printed,th ours,th ours,th how," +
		"td Iris,b 100,td 94.9,td [86.5, 100],td <0.5 s,td Heart Failure,td 85.0,b 67.03,td –,td tuned,p * is the <best>"
	if got := strings.Join(cells, ","); got != want || row != 4 {
		t.Errorf("%d rows of\n%s\nwant 4 of\n%s", row, got, want)
	}
	for text, n := range map[string]int{"text-align:right": 3 + 2*3, "text-align:left": 1 + 2 + 2*2} {
		if got := strings.Count(page, text); got != n {
			t.Errorf("%d times %s, want %d", got, text, n)
		}
	}
}

func TestTableAddPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a row of two cells for one column didn't panic")
		}
	}()
	table := viz.Table{Columns: []string{"a"}}
	table.Add("b", "c")
}
